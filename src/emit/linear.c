#include "emit/writer.h"

/* LINEARIZE: the function that differentiates x' and the outputs along a
   direction in x and in the inputs, and the tables that say what these are. */

void emit_block_directions(Emit *e, bool declare)
{
    const Model *m = e->m;
    uint32_t all[] = {m->seed, m->tangent_rate, m->input_seed, m->output_rate};
    for (size_t k = 0; e->plan->facts.block_seeds && k < LENGTH(all); k++) {
        const char *name = plan_vector_name(m, all[k]);
        bool given = all[k] == m->seed || all[k] == m->input_seed;
        bool here = k < 2 || e->f->part == PART_LINEAR;
        if (name && declare)
            emit_line(e, "%sreal *%s;", given ? "const " : "", name);
        else if (name && here)
            emit_line(e, "w->%s = %s;", name, name);
    }
}

/* ---- The function --------------------------------------------------------- */

static void zero(Emit *e, const char *name, const char *count)
{
    emit_line(e, "for (uint32_t k = 0; k < %s; k++)", count);
    emit_line(e, "    %s[k] = R(0.0);", name);
}

void emit_linear(Emit *e)
{
    static const char *const parameters[] = {"t",  "x",  "vx", "vu",
                                             "df", "dy", NULL};
    const Model *m = e->m;
    const FunctionPlan *f = &e->plan->function[PART_LINEAR];
    Scope s;
    if (!f->exists)
        return;
    emit_function(e, f, &s);
    if (model_integrates(m))
        zero(e, "df", emit_length(e));
    if (model_linear_outputs(m))
        zero(e, "dy", emit_format(e, "%u", model_linear_outputs(m)));
    emit_block_directions(e, false);
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    emit_steps(e, f->steps[1]);
    emit_still(e);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus linear(Cosy *c, real t, const real *x, const real "
             "*vx, const real *vu, real *df, real *dy)",
             parameters, NULL);
}

/* ---- Tables --------------------------------------------------------------- */

static void place_table(Emit *e, bool inputs)
{
    const Model *m = e->m;
    uint32_t n = inputs ? model_linear_inputs(m) : model_linear_outputs(m);
    if (n == 0)
        return;
    emit_open(e, "static const CosyPlace linear_%s[] =",
              inputs ? "inputs" : "outputs");
    for (uint32_t k = 0; k < n; k++) {
        const LinearPlace *p =
            inputs ? model_linear_input(m, k) : model_linear_output(m, k);
        emit_line(e, "{v_%s, %u},", e->name->variable[p->variable], p->at);
    }
    emit_close(e, ";");
}

static void number_table(Emit *e, uint32_t k, bool inputs)
{
    const Linear *l = model_linear(e->m, k);
    uint32_t n = inputs ? l->inputs : l->outputs;
    Buffer b = {0};
    if (n == 0)
        return;
    buffer_format(&b, "static const uint32_t linear_%s_%u[] = {",
                  inputs ? "inputs" : "outputs", k);
    for (uint32_t i = 0; i < n; i++)
        buffer_format(&b, "%s%u", i ? ", " : "",
                      (inputs ? l->input : l->output)[i]);
    buffer_text(&b, "};");
    emit_buffer(e, &b);
}

void emit_linear_tables(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_linears(m);
    if (n == 0)
        return;
    place_table(e, true);
    place_table(e, false);
    for (uint32_t k = 0; k < n; k++) {
        number_table(e, k, true);
        number_table(e, k, false);
    }
    emit_open(e, "static const CosyLinear linears[] =");
    for (uint32_t k = 0; k < n; k++) {
        const Linear *l = model_linear(m, k);
        const char *in = l->inputs ? emit_format(e, "linear_inputs_%u", k) : "";
        const char *out =
            l->outputs ? emit_format(e, "linear_outputs_%u", k) : "";
        emit_line(e,
                  "{.inputs = %u, .input = %s, .outputs = %u, .output = %s, "
                  ".line = %u},",
                  l->inputs, *in ? in : "NULL", l->outputs, *out ? out : "NULL",
                  l->line);
    }
    emit_close(e, ";");
}

void emit_linear_description(Emit *e)
{
    const Model *m = e->m;
    if (m->analyses)
        emit_line(e, ".analyses = true,");
    if (model_linears(m) == 0)
        return;
    emit_line(e, ".n_linears = %u,", model_linears(m));
    emit_line(e, ".linears = linears,");
    if (model_linear_inputs(m)) {
        emit_line(e, ".n_linear_inputs = %u,", model_linear_inputs(m));
        emit_line(e, ".linear_inputs = linear_inputs,");
    }
    if (model_linear_outputs(m)) {
        emit_line(e, ".n_linear_outputs = %u,", model_linear_outputs(m));
        emit_line(e, ".linear_outputs = linear_outputs,");
    }
    emit_line(e, ".linear = linear,");
}

/* ---- Statements ----------------------------------------------------------- */

static const char *number_text(Emit *e, const Expr *x)
{
    return x ? emit_checked(e, x, EXPR_TYPE_REAL, e->code.statement->row)
             : "R(0.0)";
}

static void run_here(Emit *e, const Statement *s, const char *task)
{
    emit_line(e, "s.task = %s;", task);
    emit_line(e, "s.from = s.to = %s;", number_text(e, s->b));
    emit_line(e, "s.to_finish = false;");
    emit_line(e, "s.line = %u;", s->line);
    emit_check(e, s->row);
    emit_line(e, "COSY_TRY_ROW(c->host->simulate(c, &s), %s);",
              emit_row(e, s->row));
    emit_line(e, "s.task = COSY_SIMULATE;");
}

static void along_run(Emit *e, const Statement *s)
{
    emit_line(e, "s.along = %u;", s->which + 1);
    emit_line(e, "s.along_every = %s;", number_text(e, s->a));
    emit_check(e, s->row);
    emit_line(e, "if (!(s.along_every > R(0.0)))");
    emit_line(e, "    s.along_every = R(-1.0);");
}

/* A value that cannot be is made distinguishable from none, so that the run can
   refuse it. */
static void write_reduction(Emit *e, const Statement *s)
{
    const Expr *accuracy = s->n ? s->list[0] : NULL;
    const char *states =
        s->c ? emit_checked(e, s->c, EXPR_TYPE_INTEGER, s->row) : "-1";
    emit_line(e, "s.reduces = true;");
    emit_line(e, "s.reduce_to = %s;", states);
    if (s->c)
        emit_line(e, "s.reduce_to = s.reduce_to < 0 ? -2 : s.reduce_to;");
    emit_line(e, "s.reduce_accuracy = %s;", number_text(e, accuracy));
    if (accuracy) {
        emit_line(e, "if (!(s.reduce_accuracy > R(0.0)))");
        emit_line(e, "    s.reduce_accuracy = R(-1.0);");
    }
}

void emit_analysis(Emit *e, const Statement *s)
{
    if (s->kind == STATEMENT_STEADYSTATE) {
        emit_line(e, "s.tol = %s;", number_text(e, s->a));
        if (s->a && s->a->op != EXPR_NUMBER && s->a->op != EXPR_INTEGER) {
            emit_line(e, "if (!(s.tol > R(0.0)))");
            emit_line(e, "    s.tol = R(-1.0);");
        }
        run_here(e, s, "COSY_STEADYSTATE");
    } else if (s->a) {
        along_run(e, s);
    } else {
        emit_line(e, "s.linear = %u;", s->which + 1);
        if (s->flags & 1u)
            write_reduction(e, s);
        run_here(e, s, "COSY_LINEARIZE");
        if (s->flags & 1u)
            emit_line(e, "s.reduces = false;");
    }
}
