#include "emit/writer.h"

/* Constraints: their residuals, and the derivatives of these by the states. */

static void count_constraint(Emit *e, const Guarded *g)
{
    const Constraint *c = g->item;
    emit_count(e, c->g);
}

/* g[k] = ...; active[k] = 1; */
static void write_constraint(Emit *e, const Guarded *g)
{
    const Constraint *c = g->item;
    Buffer place = {0}, text = {0};
    if (c->n_loops) {
        buffer_format(&place, "%u + ", c->first);
        emit_loop_position(e, &place, c->loops, c->n_loops);
    } else {
        buffer_format(&place, "%u", c->first);
    }
    emit_source(e, model_row(e->m, c->row)->line,
                model_row(e->m, c->row)->text);
    buffer_format(&text, "g[%s] = ", buffer_string(&place));
    emit_real(e, &text, c->g, 0);
    buffer_char(&text, ';');
    emit_buffer(e, &text);
    emit_check(e, c->row);
    emit_line(e, "active[%s] = 1;", buffer_string(&place));
    buffer_free(&place);
}

static void write_residuals(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const FunctionPlan *f = &e->plan->function[PART_CONSTRAINTS];
    uint32_t n = model_constraints(e->m);
    Guarded *list = EMIT_ARRAY(e, Guarded, n);
    Scope s;
    if (!list)
        return;
    for (uint32_t k = 0; k < n; k++) {
        const Constraint *c = model_constraint(e->m, k);
        list[k] = (Guarded){c->guard, c->loops, c->n_loops, c, k};
    }
    emit_function(e, f, &s);
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    emit_line(e, "memset(g, 0, %u * sizeof *g);", e->m->constraint_rows);
    emit_line(e, "memset(active, 0, %u);", e->m->constraint_rows);
    emit_guarded(e, list, n, count_constraint, write_constraint);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus constraints(Cosy *c, real t, const real *x, real *g, "
             "uint8_t *active)",
             parameters, NULL);
}

static void write_gradient(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const Model *m = e->m;
    const FunctionPlan *f = &e->plan->function[PART_GRADIENT];
    Scope s;
    emit_slope_places(e, m->gradient, m->gradients, "constraint_pattern");
    emit_function(e, f, &s);
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    emit_slopes(e, m->gradient, m->gradients, model_constraint(m, 0)->row);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus constraint_jacobian(Cosy *c, real t, const real *x, "
             "real *j)",
             parameters, NULL);
}

void emit_constraints(Emit *e)
{
    if (model_constraints(e->m) == 0)
        return;
    emit_title(e, "Constraints");
    write_residuals(e);
    if (e->m->gradients)
        write_gradient(e);
}

/* The place in x of the first STATE that a condition at a boundary sets, and how far the
   next one is: see CosyConstraint. */
static const char *set_places(Emit *e, const Constraint *c)
{
    uint64_t place[2] = {0, 0};
    if (!c->sets || c->n_loops > 1)
        return "0, 0";
    const Variable *v = model_variable(e->m, c->sets->which);
    for (uint32_t k = 0; k < c->sets->count; k++)
        for (int64_t i = 0; i < 2; i++) {
            uint32_t loop;
            int64_t at;
            if (!expr_affine(c->sets->arg[k], &loop, &at))
                return "0, 0";
            if (loop != NONE)
                at += model_loop(e->m, loop)->low + i;
            place[i] *= (uint64_t)(v->high[k] - v->low[k] + 1);
            place[i] += (uint64_t)(at - v->low[k]);
        }
    return emit_format(e, "%llu, %llu",
                       (unsigned long long)(v->place + place[0] + 1),
                       (unsigned long long)(place[1] - place[0]));
}

void emit_constraint_table(Emit *e)
{
    const Model *m = e->m;
    if (model_constraints(m) == 0)
        return;
    emit_open(e, "static const CosyConstraint constraints_info[] =");
    for (uint32_t k = 0; k < model_constraints(m); k++) {
        const Constraint *c = model_constraint(m, k);
        emit_line(e, "{%u, %llu, %s, %u, %s},", c->first,
                  (unsigned long long)loops_elements(m, c->loops, c->n_loops),
                  emit_row(e, c->row), c->order, set_places(e, c));
    }
    emit_close(e, ";");
    emit_blank(e);
}

void emit_constraint_description(Emit *e)
{
    const Model *m = e->m;
    if (model_constraints(m) == 0)
        return;
    emit_line(e, "table_of(constraints_info),");
    emit_line(e, ".n_constraints = %u,", m->constraint_rows);
    emit_line(e, ".constraints = constraints,");
    if (m->gradients == 0)
        return;
    emit_line(e, ".constraint_pattern = constraint_pattern,");
    emit_line(e, ".constraint_jacobian = constraint_jacobian,");
}
