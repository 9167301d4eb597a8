#include "emit/writer.h"

#include <string.h>

/* Sorted equations as statements, and the function that consists of nothing
   else: derivatives. */

/* ---- Assignments ------------------------------------------------------------------- */

static bool is_local(const Emit *e, uint32_t v)
{
    const Variable *var = model_variable(e->m, v);
    if (var->rank || emit_vector_name(e, v))
        return false;
    if (e->part == PART_BLOCK)
        return e->local[v];
    return !e->in_work[v] && !(e->part == PART_OUTPUTS && e->in_data[v]);
}

/* After an assignment in outputs: the check, and the value for event bodies. */
static void after_output(Emit *e, const Expr *target, const char *place,
                         uint32_t row)
{
    uint32_t v = target->which;
    if (target->type == EXPR_TYPE_REAL)
        emit_line(e, "COSY_FINITE(%s, %s);", place, emit_row(e, row));
    if (target->op == EXPR_VARIABLE && e->work_outputs[v] && e->in_data[v]) {
        Buffer b = {0};
        emit_data_place(e, &b, v, target->arg, target->count);
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
    if (target->op == EXPR_RATE && e->rate_kept[v]) {
        Buffer b = {0};
        Part part = e->part;
        e->part = PART_BODY; // as event bodies read it
        emit_place(e, &b, v, true, target->arg, target->count);
        e->part = part;
        buffer_format(&b, " = %s;", place);
        emit_buffer(e, &b);
    }
}

/* place = value, with what this part of the model needs before and after it. */
static void assign(Emit *e, const Expr *target, const char *value, uint32_t row)
{
    uint32_t v = target->which;
    bool rate = target->op == EXPR_RATE;
    if (rate && e->part == PART_CONDITIONS) // dx is given
        return;
    if (rate && e->part == PART_OUTPUTS && !e->rate_here[v]) {
        emit_check(e, row);
        emit_line(e, "COSY_FINITE(%s, %s);", value, emit_row(e, row));
        return;
    }
    bool own = e->part == PART_BLOCK && rate && e->rate_local[v];
    bool declares = (rate ? own : is_local(e, v)) && !e->nested[v];
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
    if (e->part == PART_OUTPUTS)
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
    return target->op == EXPR_VARIABLE && e->unread[target->which];
}

static void step_assign(Emit *e, const Step *s)
{
    uint32_t row = row_of(e, s->equation);
    if (is_unread(e, s->target) ||
        (s->target->op == EXPR_RATE && e->part == PART_CONDITIONS))
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

#define UNKNOWNS_ON_STACK 64

bool emit_unknowns_in_work(const Block *b)
{
    return b->large || b->n > UNKNOWNS_ON_STACK;
}

#define BLOCK_LARGE 200 // equations

bool emit_is_large(const Block *b)
{
    uint32_t n = b->n;
    for (const Step *s = b->inner.first; s; s = s->next)
        n++;
    return b->large || n > BLOCK_LARGE;
}

const char *emit_unknowns(Emit *e, uint32_t block)
{
    return emit_format(e, "u_%u", block + 1);
}

/* d->u_1, or for an element of the loops d->u_1[I - 1] */
static const char *start_place(Emit *e, uint32_t block)
{
    Buffer b = {0};
    buffer_format(&b, "d->%s", emit_unknowns(e, block));
    if (e->block_n_loops[block]) {
        buffer_char(&b, '[');
        emit_loop_position(e, &b, e->block_loops[block],
                           e->block_n_loops[block]);
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
    assign(e, p->unknown, place, e->block_row[s->block] + p->first);
    emit_part_close(e, p);
}

bool emit_is_scattered(const Emit *e, const Block *b)
{
    if (!emit_is_large(b) || b->n <= UNKNOWNS_ON_STACK)
        return false;
    if (b->parts != b->n)
        return false;
    for (uint32_t k = 0; k < b->n; k++) {
        const Expr *u = b->part[k].unknown;
        if (u->op != EXPR_VARIABLE || u->count || u->type != EXPR_TYPE_REAL ||
            !e->in_work[u->which] ||
            e->in_data[u->which] != e->in_data[b->part[0].unknown->which])
            return false; // all of a program, or all of a tangent
    }
    return true;
}

/* Unknowns go to their places by a table; in outputs they are checked. */
static void scatter(Emit *e, uint32_t block, const char *u)
{
    const Block *b = model_block(e->m, block);
    bool work = e->part != PART_OUTPUTS;
    for (uint32_t k = 0; k < b->n; k++)
        work = work || e->work_outputs[b->part[k].unknown->which];
    if (work)
        emit_line(e, "cosy_scatter(w, in_work_%u, %s, %u);", block + 1, u,
                  b->n);
    if (e->part == PART_OUTPUTS)
        emit_line(e, "COSY_TRY(cosy_keep(d, in_data_%u, %s, %u, %s));",
                  block + 1, u, b->n, emit_row(e, e->block_row[block]));
}

static void step_solve(Emit *e, uint32_t block)
{
    const Block *b = model_block(e->m, block);
    const char *start = start_place(e, block);
    bool work = emit_unknowns_in_work(b);
    const char *u = emit_unknowns(e, block);
    for (uint32_t k = 0; k < b->parts; k++)
        emit_row_source(e, row_of(e, b->part[k].equation));
    if (work)
        u = emit_format(e, "w->%s", u);
    else
        emit_line(e, "real %s[%u];", u, b->n);
    emit_line(e, "memcpy(%s, %s, sizeof %s);", u, start, u);
    for (uint32_t k = 0; k < e->block_n_loops[block]; k++)
        emit_line(e, "w->loop_%u = %s;", e->block_loops[block][k],
                  e->loop[e->block_loops[block][k]]);
    emit_line(e, "COSY_TRY(c->host->solve(c, &blocks[%s], t, x, %s, %s));",
              e->block[block], e->has_work ? "w" : "NULL", u);
    if (emit_is_scattered(e, b))
        scatter(e, block, u);
    else
        emit_in_pieces(e, b->parts, NULL, take_unknown, &(Solved){block, u});
    if (e->part == PART_OUTPUTS)
        emit_line(e, "memcpy(%s, %s, sizeof %s);", start, u, u);
}

/* ---- Steps ------------------------------------------------------------------------------ */

bool emit_is_wanted(const Emit *e, const Step *s)
{
    return (!e->needs || (s->needs & e->needs)) && !(s->needs & e->except);
}

static bool any_wanted(const Emit *e, const Steps *steps)
{
    for (const Step *s = steps->first; s; s = s->next)
        if (emit_is_wanted(e, s))
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
    bool any = e->part == PART_OUTPUTS;
    for (uint32_t k = 0; has && k < s->select->branches; k++) {
        has[k] = any_wanted(e, &s->branch[k]);
        any = any || has[k];
    }
    if (has && any)
        emit_select(e, s->select, true, has, branch_steps, s);
}

#define STEPS_MOST 100 // most steps in one function

/* The step after the next STEPS_MOST that are wanted; NULL if there are not
   more than that. */
static Step *piece_end(const Emit *e, Step *s)
{
    for (uint32_t n = 0; s && n < STEPS_MOST; s = s->next)
        n += emit_is_wanted(e, s);
    return s;
}

/* Writes steps from `first` on as one function and returns the next step; NULL
   if they stay in the present function. */
static Step *steps_piece(Emit *e, Step *first)
{
    Steps some = {first, first};
    Piece p;
    Scope scope;
    Step *end = piece_end(e, first);
    if (!end || !emit_piece_begin(e, &p, false))
        return NULL;
    while (some.last->next != end)
        some.last = some.last->next;
    some.last->next = NULL; // for a moment
    scope_open(e, &scope);
    emit_count_steps(e, &some);
    e->in_piece = true;
    emit_steps(e, &some);
    e->in_piece = false;
    scope_close(e, &scope);
    some.last->next = end;
    emit_piece_end(e, &p);
    return end;
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
    bool cut = e->big && !e->in_piece;
    for (Step *s = steps->first, *next; s; s = next) {
        next = s->next;
        if (!emit_is_wanted(e, s))
            continue;
        Step *end = cut ? steps_piece(e, s) : NULL;
        cut = end != NULL;
        if (end)
            next = end;
        else
            write_step(e, s);
    }
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* A variable that may be left out keeps its value. */
static void keep_value(Emit *e, uint32_t v)
{
    const Variable *var = model_variable(e->m, v);
    const char *name = e->variable[v];
    if (var->rank == 0)
        emit_line(e, e->in_data[v] ? "w->%s = d->%s;" : "w->%s = R(0.0);", name,
                  name);
    else if (e->in_data[v])
        emit_line(e, "memcpy(w->%s, d->%s, sizeof w->%s);", name, name, name);
    else
        emit_line(e, "memset(w->%s, 0, sizeof w->%s);", name, name);
}

static void prologue_variable(Emit *e, uint32_t v)
{
    const ExprUse *n = &e->node[e->target[v]];
    bool read = n->serial == e->serial && n->uses > 0;
    bool local = is_local(e, v);
    if (!e->here[v]) {
        if (e->solves && e->work_outputs[v] && e->in_data[v])
            keep_value(e, v);
        return;
    }
    if (local && !read) {
        e->unread[v] = true;
    } else if (local && e->nested[v]) {
        const char *type = emit_type(model_variable(e->m, v)->type);
        if (e->in_data[v])
            emit_line(e, "%s %s = d->%s;", type, e->variable[v],
                      e->variable[v]);
        else
            emit_line(e, "%s %s = 0;", type, e->variable[v]);
    } else if (!local && e->partial[v] && e->in_work[v] &&
               (e->part != PART_OUTPUTS || e->work_outputs[v])) {
        keep_value(e, v);
    }
}

void emit_prologue(Emit *e)
{
    for (uint32_t v = 0; v < model_variables(e->m); v++)
        if (emit_is_computed(model_variable(e->m, v)) &&
            !emit_vector_name(e, v))
            prologue_variable(e, v);
    if (!e->solves || !e->block_rates)
        return;
    if (e->part == PART_CONDITIONS) {
        e->uses_rate = true;
        emit_line(e, "memcpy(w->rate, dx, sizeof w->rate);");
        emit_line(e, "w->dx = w->rate;");
    } else {
        emit_line(e, "w->dx = dx;");
    }
}

void emit_zero_rates(Emit *e, const char *from)
{
    emit_line(e, "for (int64_t k = %s; k < STATES; k++)", from);
    emit_line(e, "    dx[k] = R(0.0);");
}

/* Only the first NNEQD states are integrated. */
static void inactive_rates(Emit *e)
{
    if (e->m->nneqd == NONE)
        return;
    const char *name = e->variable[e->m->nneqd];
    emit_line(e, "// NNEQD: the states after these stand still");
    emit_zero_rates(e, emit_format(e, "d->%s < 0 ? 0 : d->%s", name, name));
}

void emit_derivatives(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "dx", NULL};
    const Model *m = e->m;
    Scope s;
    if (m->states == 0)
        return;
    emit_begin(e, PART_DERIVATIVES, NEED_RATES);
    emit_forget_here(e);
    emit_mark_here(e, &m->simulation.program);
    scope_open(e, &s);
    emit_count_steps(e, &m->simulation.program);
    if (e->rates_partial)
        emit_zero_rates(e, "0");
    emit_prologue(e);
    emit_steps(e, &m->simulation.program);
    inactive_rates(e);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus derivatives(Cosy *c, real t, const real *x, real *dx)",
             parameters, NULL);
}
