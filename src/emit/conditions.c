#include "emit/writer.h"

/* Conditions, hidden relations and delays: what the kernel evaluates besides
   the derivatives. Each function computes the equations that it needs first. */

/* ---- Shared ------------------------------------------------------------------------ */

static void count_maybe(Emit *e, const Expr *x)
{
    if (x)
        emit_count(e, x);
}

static void count_slopes(Emit *e, const Expr **slope)
{
    for (uint32_t k = 0; slope && k < 2 * model_senses(e->m); k++)
        count_maybe(e, slope[k]);
}

static void count_relation(Emit *e, const Relation *r)
{
    count_maybe(e, r->when);
    if (e->f->part == PART_SLOPES) {
        count_slopes(e, r->slope);
        return;
    }
    count_maybe(e, r->a);
    count_maybe(e, r->b);
    count_maybe(e, r->c);
    if (e->f->part != PART_CONDITIONS)
        return;
    count_maybe(e, r->da);
    count_maybe(e, r->db);
    count_maybe(e, r->dc);
}

/* x as text, in the precedence of a term; NULL stands for zero. */
static const char *term(Emit *e, const Expr *x, int level)
{
    Buffer b = {0};
    if (x)
        emit_real(e, &b, x, level);
    else
        buffer_text(&b, "R(0.0)");
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static bool may_be_infinite(const Emit *e, const Expr *x)
{
    return x && expr_may_be_infinite(e->m, x);
}

/* a - b, where one of them may be INF; NULL stands for zero. */
static const char *apart(Emit *e, const Expr *a, const Expr *b)
{
    const char *left = term(e, a, LEVEL_CHOOSE);
    const char *right = term(e, b, LEVEL_CHOOSE);
    return emit_format(e, "cosy_apart(%s, %s, %s, %s)", left, right,
                       may_be_infinite(e, a) ? "true" : "false",
                       may_be_infinite(e, b) ? "true" : "false");
}

/* a - b, without a zero. */
static const char *difference(Emit *e, const Expr *a, const Expr *b)
{
    bool no_a = !a || expr_is_zero(a), no_b = !b || expr_is_zero(b);
    if (may_be_infinite(e, a) || may_be_infinite(e, b))
        return apart(e, a, b);
    if (no_b)
        return term(e, a, LEVEL_ADD);
    const char *left = no_a ? "" : term(e, a, LEVEL_ADD);
    const char *right = term(e, b, no_a ? LEVEL_UNARY + 1 : LEVEL_MUL);
    return emit_format(e, no_a ? "%s-%s" : "%s - %s", left, right);
}

static void open_when(Emit *e, const Expr *when, Scope *s, const Relation *r)
{
    if (!when)
        return;
    Buffer b = {0};
    emit_value(e, &b, when, 0);
    emit_open(e, "if (%s)", buffer_string(&b));
    buffer_free(&b);
    scope_open(e, s);
    count_relation(e, r);
}

static void close_when(Emit *e, const Expr *when, const Scope *s)
{
    if (!when)
        return;
    scope_close(e, s);
    emit_close(e, "");
}

/* Place of the relation's element in branch. */
static const char *branch_place(Emit *e, uint32_t k)
{
    const Relation *r = model_relation(e->m, k);
    Buffer b = {0};
    buffer_text(&b, e->name->relation[k]);
    uint32_t pool = loops_pool(e->m, r->loops, r->n_loops);
    if (pool) {
        const char *name = e->name->pool[pool - 1];
        b.v.used = 0;
        buffer_format(
            &b, "c->copy[%s].branch + (uint32_t)%s * %s_BRANCHES + %s", name,
            e->loops.name[r->loops[0]], name, e->name->relation[k]);
    }
    if (r->n_loops > (pool ? 1 : 0)) {
        buffer_text(&b, " + ");
        emit_loop_position(e, &b, r->loops + (pool ? 1 : 0),
                           r->n_loops - (pool ? 1 : 0));
    }
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static const Guarded *relation_list(Emit *e, uint32_t *n)
{
    *n = model_relations(e->m);
    Guarded *list = EMIT_ARRAY(e, Guarded, *n);
    for (uint32_t k = 0; list && k < *n; k++) {
        const Relation *r = model_relation(e->m, k);
        list[k] = (Guarded){r->guard, r->loops, r->n_loops, r, k};
    }
    return list;
}

static void count_item(Emit *e, const Guarded *g)
{
    count_relation(e, g->item);
}

/* ---- Relations ----------------------------------------------------------------------- */

static const char *const order_text[EXPR_OPS] = {
    [EXPR_LT] = "<", [EXPR_LE] = "<=", [EXPR_GT] = ">", [EXPR_GE] = ">="};

static const char *order_side(Emit *e, const Relation *r, const char *now)
{
    const char *a = term(e, r->a, LEVEL_ADD + 1);
    const char *b = term(e, r->b, LEVEL_ADD + 1);
    return emit_format(e, "cosy_side(%s %s %s, %s, %s)", a, order_text[r->op],
                       b, difference(e, r->a, r->b), now);
}

/* What the hysteresis of a relation keeps. */
static const char *held_place(Emit *e, const Relation *r)
{
    const char *of = loops_pool(e->m, r->loops, r->n_loops)
                         ? emit_pool_member(e, r->loops, r->n_loops)
                         : "d->";
    return emit_format(e, "%s%s", of, e->name->memory[r->which]);
}

static const char *hysteresis_side(Emit *e, const Relation *r, const char *now)
{
    const char *held = held_place(e, r);
    const char *up = difference(e, r->a, r->c);
    const char *down = difference(e, r->a, r->b);
    const char *rise = difference(e, r->da, r->dc);
    const char *fall = difference(e, r->da, r->db);
    return emit_format(e, "cosy_hysteresis(%s, %s - %s, %s - %s, %s, %s)", now,
                       up, held, down, held, rise, fall);
}

static const char *wanted_side(Emit *e, const Relation *r, const char *now)
{
    switch (r->kind) {
    case RELATION_ORDER: return order_side(e, r, now);
    case RELATION_TRUNC:
        return emit_format(e, "cosy_segment(cosy_trunc(%s), %s)",
                           term(e, r->a, 0), now);
    case RELATION_ROUND:
        return emit_format(e, "cosy_segment(cosy_round(%s), %s)",
                           term(e, r->a, 0), now);
    case RELATION_FLOOR:
        return emit_format(e, "cosy_segment(cosy_floor(%s), %s)",
                           term(e, r->a, 0), now);
    case RELATION_TABLE:
        return emit_format(e, "cosy_table_side(&%s, %s, %s)",
                           e->name->table[r->which], term(e, r->a, 0), now);
    case RELATION_HYSTERESIS: return hysteresis_side(e, r, now);
    }
    return now;
}

static void write_relation(Emit *e, const Guarded *g)
{
    const Relation *r = g->item;
    Scope s;
    emit_source(e, r->line, r->text);
    open_when(e, r->when, &s, r);
    const char *place = branch_place(e, g->number);
    const char *now = emit_format(e, "c->branch[%s]", place);
    const char *side = wanted_side(e, r, now);
    emit_line(e, "wanted[%s] = %s;", place, side);
    emit_check(e, r->row);
    close_when(e, r->when, &s);
}

void emit_relations(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const FunctionPlan *f = &e->plan->function[PART_RELATIONS];
    uint32_t n;
    Scope s;
    if (!f->exists)
        return;
    const Guarded *list = relation_list(e, &n);
    e->written.relations = true;
    emit_function(e, f, &s);
    if (f->steps[1] && model_integrates(e->m))
        emit_line(e, "COSY_TRY(derivatives(c, t, x, dx));");
    emit_line(e, "for (uint32_t k = 0; k < %s; k++)",
              model_pools(e->m) ? "cosy_branches(c)" : "BRANCHES");
    emit_line(e, "    wanted[k] = c->branch[k];");
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    if (f->steps[1])
        emit_steps(e, f->steps[1]);
    if (list)
        emit_guarded(e, list, n, count_item, write_relation);
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus relations(Cosy *c, real t, const real *x, "
             "int32_t *wanted)",
             parameters, NULL);
}

/* ---- Conditions ------------------------------------------------------------------------- */

/* slope[..] = ...; a Sense for which there is none has 0. */
static void put_slopes(Emit *e, const Expr **slope)
{
    uint32_t n = 2 * model_senses(e->m);
    for (uint32_t k = 0; k < n; k++)
        emit_line(e, "slope[n * %u + %u] = %s;", n, k,
                  term(e, slope ? slope[k] : NULL, LEVEL_CHOOSE));
    emit_line(e, "n++;");
}

/* list[n++] = (CosyCondition){...} */
static void put_condition(Emit *e, uint32_t id, const char *copy, const char *z,
                          const char *dz, const char *tol)
{
    emit_line(e, "list[n++] = (CosyCondition){%s, %s, %s, %s, %s};",
              e->name->condition[id], copy, z, dz, tol);
}

static const char *condition_value(Emit *e, const Expr *z)
{
    bool order = z->op == EXPR_SUB;
    const Expr *a = order ? z->arg[0] : z, *b = order ? z->arg[1] : NULL;
    return may_be_infinite(e, a) || may_be_infinite(e, b)
               ? apart(e, a, b)
               : term(e, z, LEVEL_CHOOSE);
}

/* Number of the element in loops, COSY_NONE outside loops. */
static const char *copy_of(Emit *e, const uint32_t *loops, uint32_t n)
{
    Buffer b = {0};
    if (n == 0)
        return "COSY_NONE";
    buffer_text(&b, "(uint32_t)(");
    emit_loop_position(e, &b, loops, n);
    buffer_char(&b, ')');
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static void count_condition(Emit *e, const Guarded *g)
{
    const Condition *c = g->item;
    if (e->f->part == PART_SLOPES) {
        count_slopes(e, c->slope);
        return;
    }
    emit_count(e, c->z);
    count_maybe(e, c->dz);
    count_maybe(e, c->tol);
    count_maybe(e, c->priority);
    count_maybe(e, c->element);
}

static void write_condition(Emit *e, const Guarded *g)
{
    const Condition *c = g->item;
    Buffer fixed = {0};
    emit_row_source(e, c->row);
    if (e->f->part == PART_SLOPES) {
        put_slopes(e, c->slope);
        emit_check(e, c->row);
        return;
    }
    const char *copy = copy_of(e, c->loops, c->n_loops);
    if (c->element) {
        Buffer b = {0};
        uint32_t pool = loops_pool(e->m, c->loops, c->n_loops);
        if (pool && c->kind == CONDITION_CONDIT)
            buffer_format(&b, "(uint32_t)%s * %llu + ",
                          e->loops.name[c->loops[0]],
                          (unsigned long long)model_state_event(e->m, c->event)
                              ->elements);
        buffer_text(&b, "(uint32_t)");
        emit_value(e, &b, c->element, LEVEL_UNARY);
        copy = emit_format(e, "%s", buffer_string(&b));
        buffer_free(&b);
    }
    const char *z = condition_value(e, c->z);
    const char *dz = term(e, c->dz, LEVEL_CHOOSE);
    const char *tol = "R(0.0)";
    if (c->tol && !emit_static(e, &fixed, c->tol))
        tol = term(e, c->tol, LEVEL_CHOOSE);
    buffer_free(&fixed);
    if (c->priority)
        tol = emit_format(e, "%s, %s", tol, term(e, c->priority, LEVEL_CHOOSE));
    put_condition(e, g->number, copy, z, dz, tol);
    emit_check(e, c->row);
}

/* Lower and upper end of the segment; NULL: there is none. */
static void segment_ends(Emit *e, const Relation *r, const char *now,
                         const char **low, const char **high)
{
    switch (r->kind) {
    case RELATION_TRUNC:
        *low = emit_format(e, "cosy_trunc_low(%s)", now);
        *high = emit_format(e, "cosy_trunc_high(%s)", now);
        break;
    case RELATION_ROUND:
        *low = emit_format(e, "cosy_round_low(%s)", now);
        *high = emit_format(e, "cosy_round_high(%s)", now);
        break;
    case RELATION_FLOOR:
        *low = emit_format(e, "(real)%s", now);
        *high = emit_format(e, "((real)%s + R(1.0))", now);
        break;
    default:
        *low = emit_format(e, "cosy_table_low(&%s, %s)",
                           e->name->table[r->which], now);
        *high = emit_format(e, "cosy_table_high(&%s, %s)",
                            e->name->table[r->which], now);
    }
}

static void write_segment(Emit *e, const Relation *r, uint32_t id,
                          const char *copy, const char *now)
{
    const char *low, *high;
    segment_ends(e, r, now, &low, &high);
    const char *a = term(e, r->a, LEVEL_ADD);
    const char *da = term(e, r->da, LEVEL_CHOOSE);
    bool table = r->kind == RELATION_TABLE;
    if (table)
        emit_line(e, "if (%s > 0)", now);
    e->depth += table;
    put_condition(e, id, copy, emit_format(e, "%s - %s", a, low), da, "R(0.0)");
    e->depth -= table;
    if (table)
        emit_line(e, "if (%s < %u)", now, model_table(e->m, r->which)->points);
    e->depth += table;
    put_condition(e, id + 1, copy, emit_format(e, "%s - %s", a, high), da,
                  "R(0.0)");
    e->depth -= table;
}

/* At rest until the input has taken up the play; then it follows while the
   input keeps its direction. */
static void write_hysteresis(Emit *e, const Relation *r, uint32_t id,
                             const char *copy, const char *now)
{
    const char *held = held_place(e, r);
    const char *up = difference(e, r->a, r->c);
    const char *down = difference(e, r->a, r->b);
    const char *rise = difference(e, r->da, r->dc);
    const char *fall = difference(e, r->da, r->db);
    emit_open(e, "if (%s == 0)", now);
    put_condition(e, id, copy, emit_format(e, "%s - %s", down, held), fall,
                  "R(0.0)");
    put_condition(e, id + 1, copy, emit_format(e, "%s - %s", up, held), rise,
                  "R(0.0)");
    e->depth--;
    emit_line(e, "} else if (%s == 1) {", now);
    e->depth++;
    put_condition(e, id + 2, copy, rise, "R(0.0)", "R(0.0)");
    e->depth--;
    emit_line(e, "} else {");
    e->depth++;
    put_condition(e, id + 3, copy, fall, "R(0.0)", "R(0.0)");
    emit_close(e, "");
}

static void slopes_if(Emit *e, const Relation *r, const char *test)
{
    Scope s;
    emit_open(e, "if (%s)", test);
    scope_open(e, &s);
    put_slopes(e, r->slope);
    scope_close(e, &s);
    emit_close(e, "");
}

/* As many as write_segment and write_hysteresis put into the list, all with the
   same slopes. */
static void slopes_of_relation(Emit *e, const Relation *r, const char *now)
{
    switch (r->kind) {
    case RELATION_ORDER: put_slopes(e, r->slope); break;
    case RELATION_HYSTERESIS:
        slopes_if(e, r, emit_format(e, "%s == 0", now));
        put_slopes(e, r->slope);
        break;
    case RELATION_TABLE:
        slopes_if(e, r, emit_format(e, "%s > 0", now));
        slopes_if(e, r,
                  emit_format(e, "%s < %u", now,
                              model_table(e->m, r->which)->points));
        break;
    default: put_slopes(e, r->slope); put_slopes(e, r->slope);
    }
}

static void write_hidden(Emit *e, const Guarded *g)
{
    const Relation *r = g->item;
    uint32_t id = e->plan->rows.hidden[g->number];
    Scope s;
    emit_source(e, r->line, r->text);
    open_when(e, r->when, &s, r);
    const char *copy = copy_of(e, r->loops, r->n_loops);
    const char *now =
        emit_format(e, "c->branch[%s]", branch_place(e, g->number));
    if (e->f->part == PART_SLOPES)
        slopes_of_relation(e, r, now);
    else if (r->kind == RELATION_ORDER)
        put_condition(e, id, copy, difference(e, r->a, r->b),
                      difference(e, r->da, r->db), "R(0.0)");
    else if (r->kind == RELATION_HYSTERESIS)
        write_hysteresis(e, r, id, copy, now);
    else
        write_segment(e, r, id, copy, now);
    emit_check(e, r->row);
    close_when(e, r->when, &s);
}

/* Conditions of transactions in WAIT UNTIL. One stands for all if they read
   nothing of their own. */
static void write_wait(Emit *e, uint32_t k)
{
    const Wait *w = model_wait(e->m, k);
    Scope s;
    if (e->plan->wait[k].alike)
        emit_open(e, "if ((self = c->until[%u].head) != COSY_NONE)",
                  e->plan->wait[k].first);
    else
        emit_open(e,
                  "for (self = c->until[%u].head; self != COSY_NONE; "
                  "self = cosy_transaction(c, self)->next)",
                  e->plan->wait[k].first);
    scope_open(e, &s);
    e->code.process = w->process;
    for (uint32_t i = 0; i < w->relations; i++) {
        Guarded g = {.item = model_condition(e->m, w->first + i)};
        count_condition(e, &g);
    }
    for (uint32_t i = 0; i < w->relations; i++) {
        const Condition *c = model_condition(e->m, w->first + i);
        emit_source(e, c->line, model_row(e->m, c->row)->text);
        bool guarded = emit_open_there(e, c->z);
        Scope inner;
        scope_open(e, &inner);
        if (e->f->part == PART_SLOPES)
            put_slopes(e, c->slope);
        else
            put_condition(e, w->first + i, "self", condition_value(e, c->z),
                          term(e, c->dz, LEVEL_CHOOSE), "R(0.0)");
        emit_check(e, c->row);
        scope_close(e, &inner);
        if (guarded)
            emit_close(e, "");
    }
    e->code.process = NONE;
    scope_close(e, &s);
    emit_close(e, "");
}

static void write_waits(Emit *e)
{
    bool any = false;
    for (uint32_t k = 0; k < model_waits(e->m); k++)
        any = any || model_wait(e->m, k)->relations > 0;
    if (!any)
        return;
    emit_line(e, "uint32_t self;");
    for (uint32_t k = 0; k < model_waits(e->m); k++)
        if (model_wait(e->m, k)->relations > 0)
            write_wait(e, k);
}

static const Guarded *condition_list(Emit *e, uint32_t *n)
{
    const Model *m = e->m;
    Guarded *list = EMIT_ARRAY(e, Guarded, model_conditions(m));
    *n = 0;
    for (uint32_t k = 0; list && k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        if (c->kind != CONDITION_WAIT)
            list[(*n)++] = (Guarded){c->guard, c->loops, c->n_loops, c, k};
    }
    return list;
}

/* All conditions that are active now, in one order. */
static void write_list(Emit *e, const FunctionPlan *f, Scope *s)
{
    uint32_t n, hidden;
    const Guarded *relations = relation_list(e, &hidden);
    const Guarded *list = condition_list(e, &n);
    if (e->broken)
        return;
    emit_function(e, f, s);
    emit_line(e, "uint32_t n = 0;");
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    if (f->steps[1])
        emit_steps(e, f->steps[1]);
    emit_guarded(e, list, n, count_condition, write_condition);
    emit_guarded(e, relations, hidden, count_item, write_hidden);
    write_waits(e);
    emit_line(e, "*count = n;");
    scope_close(e, s);
}

void emit_conditions(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "dx", NULL};
    const FunctionPlan *f = &e->plan->function[PART_CONDITIONS];
    Scope s;
    if (!f->exists)
        return;
    e->written.conditions = true;
    write_list(e, f, &s);
    emit_end(e,
             "CosyStatus conditions(Cosy *c, real t, const real *x, const real "
             "*dx, CosyCondition *list, uint32_t *count)",
             parameters, NULL);
}

void emit_condition_slopes(Emit *e)
{
    static const char *const parameters[] = {"t", "x", "dx", "slope", NULL};
    const FunctionPlan *f = &e->plan->function[PART_SLOPES];
    Scope s;
    if (!f->exists)
        return;
    write_list(e, f, &s);
    emit_end(
        e,
        "CosyStatus condition_slopes(Cosy *c, real t, const real *x, const "
        "real *dx, real *slope, uint32_t *count)",
        parameters, NULL);
}

/* ---- Delays --------------------------------------------------------------------------------- */

void emit_delays(Emit *e)
{
    static const char *const parameters[] = {"t", "x", NULL};
    const Model *m = e->m;
    const FunctionPlan *f = &e->plan->function[PART_DELAYS];
    Scope s;
    if (!f->exists)
        return;
    emit_function(e, f, &s);
    emit_prologue(e);
    emit_steps(e, f->steps[0]);
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind != MEMORY_DELAY)
            continue;
        emit_row_source(e, h->row);
        if (h->pool)
            emit_loop_open(e, h->loop, false);
        Scope inner;
        scope_open(e, &inner);
        if (h->pool) {
            emit_count(e, h->input);
            emit_count(e, h->delay);
        }
        const char *at =
            emit_delay_number(e, k, h->pool ? e->loops.name[h->loop] : NULL);
        const char *u = term(e, h->input, 0), *tau = term(e, h->delay, 0);
        emit_line(e, "u[%s] = %s;", at, u);
        emit_line(e, "tau[%s] = %s;", at, tau);
        emit_check(e, h->row);
        scope_close(e, &inner);
        if (h->pool)
            emit_loop_close(e, h->loop);
    }
    scope_close(e, &s);
    emit_end(e,
             "CosyStatus delays(Cosy *c, real t, const real *x, real *u, "
             "real *tau)",
             parameters, NULL);
}
