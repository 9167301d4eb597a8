#include "emit/writer.h"

#include <string.h>

/* Sorted equations as statements, and the function that consists of nothing
   else: derivatives. */

/* ---- Assignments ------------------------------------------------------------------- */

/* After an assignment in outputs: the check, and the value for event bodies. */
static void after_output(Emit *e, const Expr *target, const char *place,
                         uint32_t row)
{
    uint32_t v = target->which;
    if (target->type == EXPR_TYPE_REAL)
        emit_line(e, "COSY_FINITE(%s, %s);", place, emit_row(e, row));
    if (target->op == EXPR_VARIABLE && e->store->work_outputs[v] &&
        e->store->in_data[v]) {
        Buffer b = {0};
        emit_data_place(e, &b, v, target->arg, target->count);
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
    if (target->op == EXPR_RATE && e->store->rate_kept[v]) {
        Buffer b = {0};
        emit_kept_rate(e, &b, v, target->arg, target->count);
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
}

/* place = value, with what this part of the model needs before and after it. */
static void assign(Emit *e, const Expr *target, const char *value, uint32_t row)
{
    uint32_t v = target->which;
    bool rate = target->op == EXPR_RATE;
    if (rate && emit_has_rates(e->f->part)) // dx is given
        return;
    if (rate && e->f->part == PART_OUTPUTS && !e->plan->facts.rate_read[v]) {
        emit_check(e, row);
        emit_line(e, "COSY_FINITE(%s, %s);", value, emit_row(e, row));
        return;
    }
    bool declares = (e->flag[v] & (rate ? IS_OWN_RATE : IS_LOCAL)) &&
                    !(e->flag[v] & IS_NESTED);
    Buffer b = {0};
    emit_target(e, &b, target);
    const char *place = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    if (declares)
        emit_line(e, "const %s %s = %s;", emit_type(target->type), place,
                  value);
    else
        emit_line(e, "%s = %s;", place, value);
    emit_check(e, row);
    if (e->f->part == PART_OUTPUTS)
        after_output(e, target, place, row);
}

static uint32_t row_of(const Emit *e, uint32_t equation)
{
    return equation < model_equations(e->m)
               ? model_equation(e->m, equation)->row
               : NONE;
}

static bool is_unread(const Emit *e, const Expr *target)
{
    return target->op == EXPR_VARIABLE && (e->flag[target->which] & IS_UNREAD);
}

static void step_assign(Emit *e, const Step *s)
{
    uint32_t row = row_of(e, s->equation);
    if (is_unread(e, s->target) ||
        (s->target->op == EXPR_RATE && emit_has_rates(e->f->part)))
        return;
    emit_row_source(e, row);
    e->equation_row = row;
    Buffer b = {0};
    if (s->target->type == EXPR_TYPE_REAL)
        emit_real(e, &b, s->value, 0);
    else
        emit_value(e, &b, s->value, 0);
    assign(e, s->target, buffer_string(&b), row);
    e->equation_row = NONE;
    buffer_free(&b);
}

/* ---- Blocks --------------------------------------------------------------------------- */

const char *emit_unknowns(Emit *e, uint32_t block)
{
    return emit_format(e, "u_%u", block + 1);
}

/* d->u_1, or for an element of the loops d->u_1[I - 1] */
static const char *start_place(Emit *e, uint32_t block)
{
    Buffer b = {0};
    const BlockPlan *plan = &e->plan->block[block];
    if (loops_pool(e->m, plan->loops, plan->n_loops)) {
        buffer_format(&b, "%s%s[",
                      emit_pool_member(e, plan->loops, plan->n_loops),
                      emit_unknowns(e, block));
        if (plan->n_loops > 1)
            emit_loop_position(e, &b, plan->loops + 1, plan->n_loops - 1);
        else
            buffer_char(&b, '0');
        buffer_char(&b, ']');
        const char *place = emit_format(e, "%s", buffer_string(&b));
        buffer_free(&b);
        return place;
    }
    buffer_format(&b, "d->%s", emit_unknowns(e, block));
    if (e->plan->block[block].n_loops) {
        buffer_char(&b, '[');
        emit_loop_position(e, &b, e->plan->block[block].loops,
                           e->plan->block[block].n_loops);
        buffer_char(&b, ']');
    }
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

typedef struct Solved { // a block whose unknowns have been found in u
    uint32_t block;
    const char *u;
} Solved;

static void take_unknown(Emit *e, uint32_t k, void *user)
{
    const Solved *s = user;
    const BlockPart *p = &model_block(e->m, s->block)->part[k];
    if (is_unread(e, p->unknown))
        return;
    const char *place = emit_part_open(e, p, s->u);
    assign(e, p->unknown, place, e->plan->block[s->block].row + p->first);
    emit_part_close(e, p);
}

/* Unknowns go to their places by a table; in outputs they are checked. */
static void scatter(Emit *e, uint32_t block, const char *u)
{
    const Block *b = model_block(e->m, block);
    bool work = e->f->part != PART_OUTPUTS;
    for (uint32_t k = 0; k < b->n; k++)
        work = work || e->store->work_outputs[b->part[k].unknown->which];
    if (work)
        emit_line(e, "cosy_scatter(w, in_work_%u, %s, %u);", block + 1, u,
                  b->n);
    if (e->f->part == PART_OUTPUTS)
        emit_line(e, "COSY_TRY(cosy_keep(d, in_data_%u, %s, %u, %s));",
                  block + 1, u, b->n, emit_row(e, e->plan->block[block].row));
}

static void step_solve(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    const char *start = start_place(e, block);
    bool work = e->plan->block[block].in_work;
    const char *u = emit_unknowns(e, block);
    for (uint32_t k = 0; k < b->parts; k++)
        emit_row_source(e, row_of(e, b->part[k].equation));
    if (work)
        u = emit_format(e, "w->%s", u);
    else
        emit_line(e, "real %s[%u];", u, b->n);
    emit_line(e, "memcpy(%s, %s, sizeof %s);", u, start, u);
    for (uint32_t k = 0; k < e->plan->block[block].n_loops; k++)
        emit_line(e, "w->loop_%u = %s;", e->plan->block[block].loops[k],
                  e->loops.name[e->plan->block[block].loops[k]]);
    emit_line(e, "COSY_TRY(c->host->solve(c, &blocks[%s], t, x, %s, %s));",
              e->name->block[block], e->plan->facts.has_work ? "w" : "NULL", u);
    if (e->plan->block[block].scattered)
        scatter(e, block, u);
    else
        emit_in_pieces(e, b->parts, NULL, take_unknown, &(Solved){block, u});
    if (e->f->part == PART_OUTPUTS)
        emit_line(e, "memcpy(%s, %s, sizeof %s);", start, u, u);
}

/* ---- Steps ------------------------------------------------------------------------------ */

static bool any_wanted(const Emit *e, const Steps *steps)
{
    for (const Step *s = steps->first; s; s = s->next)
        if (plan_wants(e->f, s))
            return true;
    return false;
}

static void steps_scoped(Emit *e, const Steps *steps)
{
    Scope s;
    scope_open(e, &s);
    emit_count_steps(e, steps);
    emit_steps(e, steps);
    scope_close(e, &s);
}

static void branch_steps(Emit *e, uint32_t k, void *user)
{
    const Step *s = user;
    steps_scoped(e, &s->branch[k]);
}

static void step_select(Emit *e, Step *s)
{
    bool *has = EMIT_ARRAY(e, bool, s->select->branches);
    bool any = e->f->part == PART_OUTPUTS;
    for (uint32_t k = 0; has && k < s->select->branches; k++) {
        has[k] = any_wanted(e, &s->branch[k]);
        any = any || has[k];
    }
    if (has && any)
        emit_select(e, s->select, true, has, branch_steps, s);
}

/* The piece that begins with this step, if there is one. */
static const PieceOfSteps *piece_at(Emit *e, const Step *s)
{
    const FunctionPlan *f = e->f;
    if (e->in_piece || e->loops.indices > 0)
        return NULL;
    for (uint32_t k = 0; k < f->pieces; k++) { // mostly the next one
        uint32_t at = (e->next_piece + k) % f->pieces;
        if (f->piece[at].first != s)
            continue;
        e->next_piece = at + 1;
        return &f->piece[at];
    }
    return NULL;
}

/* Writes the steps of a piece as a function. */
static void write_piece(Emit *e, const PieceOfSteps *piece)
{
    Steps some = {(Step *)(uintptr_t)piece->first,
                  (Step *)(uintptr_t)piece->first};
    Piece p;
    Scope scope;
    while (some.last->next != piece->end)
        some.last = some.last->next;
    Step *end = some.last->next;
    if (!emit_piece_begin(e, &p, false))
        return;
    some.last->next = NULL; // for a moment
    scope_open(e, &scope);
    emit_count_steps(e, &some);
    e->in_piece = true;
    emit_steps(e, &some);
    e->in_piece = false;
    scope_close(e, &scope);
    some.last->next = end;
    emit_piece_end(e, &p);
}

static void write_step(Emit *e, Step *s)
{
    switch (s->kind) {
    case STEP_ASSIGN: step_assign(e, s); break;
    case STEP_LOOP:
        emit_fixed_first(e, &s->body);
        emit_loop_open(e, s->loop, s->down);
        steps_scoped(e, &s->body);
        emit_loop_close(e, s->loop);
        break;
    case STEP_SELECT: step_select(e, s); break;
    case STEP_SOLVE: step_solve(e, s->block); break;
    }
}

void emit_steps(Emit *e, const Steps *steps)
{
    for (const Step *s = steps->first, *next; s; s = next) {
        next = s->next;
        if (!plan_wants(e->f, s))
            continue;
        const PieceOfSteps *piece = piece_at(e, s);
        if (piece) {
            write_piece(e, piece);
            next = piece->end;
        } else {
            write_step(e, (Step *)(uintptr_t)s);
        }
    }
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* A variable that may be left out keeps its value. */
static void keep_value(Emit *e, uint32_t v)
{
    const Variable *var = model_variable(e->m, v);
    const char *name = e->name->variable[v];
    if (var->pool)
        emit_keep_pooled(e, v);
    else if (var->rank == 0)
        emit_line(e,
                  e->store->in_data[v] ? "w->%s = d->%s;" : "w->%s = R(0.0);",
                  name, name);
    else if (e->store->in_data[v])
        emit_line(e, "memcpy(w->%s, d->%s, sizeof w->%s);", name, name, name);
    else
        emit_line(e, "memset(w->%s, 0, sizeof w->%s);", name, name);
}

static void declare_local(Emit *e, uint32_t v)
{
    const char *type = emit_type(model_variable(e->m, v)->type);
    const char *name = e->name->variable[v];
    if (e->store->in_data[v])
        emit_line(e, "%s %s = d->%s;", type, name, name);
    else
        emit_line(e, "%s %s = 0;", type, name);
}

void emit_prologue(Emit *e)
{
    for (uint32_t k = 0; k < e->f->starts; k++)
        if (e->f->start[k].declare)
            declare_local(e, e->f->start[k].variable);
        else
            keep_value(e, e->f->start[k].variable);
    if (!e->f->solves || !e->plan->facts.block_rates)
        return;
    if (emit_has_rates(e->f->part)) {
        e->written.rate = true;
        const char *rate = model_pools(e->m) ? "c->rates" : "w->rate";
        emit_line(e, "memcpy(%s, dx, %s * sizeof *dx);", rate, emit_length(e));
        emit_line(e, "w->dx = %s;", rate);
    } else {
        emit_line(e, "w->dx = dx;");
    }
}

const char *emit_length(const Emit *e)
{
    return model_pools(e->m) ? "c->head->states" : "STATES";
}

void emit_zero_rates(Emit *e, const char *from)
{
    emit_line(e, "for (int64_t k = %s; k < %s; k++)", from, emit_length(e));
    emit_line(e, "    dx[k] = R(0.0);");
}

/* Only the first NNEQD states are integrated. */
static void inactive_rates(Emit *e)
{
    if (e->m->nneqd == NONE)
        return;
    const char *name = e->name->variable[e->m->nneqd];
    emit_line(e, "// NNEQD: the states after these stand still");
    emit_zero_rates(e, emit_format(e, "d->%s < 0 ? 0 : d->%s", name, name));
}

static void count_root(void *user, const Expr *x)
{
    emit_count(user, x);
}

void emit_function(Emit *e, const FunctionPlan *f, Scope *s)
{
    emit_begin(e, f);
    scope_open(e, s);
    plan_each_root(e->plan, f, count_root, e);
}

void emit_derivatives(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "dx", NULL};
    const FunctionPlan *f = &e->plan->function[PART_DERIVATIVES];
    Scope s;
    if (!f->exists)
        return;
    emit_function(e, f, &s);
    if (e->plan->facts.rates_partial)
        emit_zero_rates(e, "0");
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    inactive_rates(e);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)",
             parameters, NULL);
}
