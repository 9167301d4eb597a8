#include "algebra/needs.h"

#include <assert.h>

#include "algebra/box.h"

typedef struct Needing {
    Model *m;
    uint32_t bit;
    bool rates_given; // rates of states come from outside
    bool *slot;       // 2 per variable: value, rate
} Needing;

static bool read(void *user, const Expr *e)
{
    Needing *n = user;
    if (!is_unknown(n->m, e) || (e->op == EXPR_RATE && n->rates_given))
        return true;
    assert(e->which < model_variables(n->m));
    n->slot[2 * e->which + (e->op == EXPR_RATE)] = true;
    return true;
}

static void read_expr(Needing *n, const Expr *e)
{
    if (e)
        expr_visit(n->m, e, read, n);
}

static void read_guard(Needing *n, const Guard *g)
{
    for (; g; g = g->select->around)
        read_expr(n, g->select->selector);
}

static void read_list(Needing *n, const Expr *const *list, uint32_t count)
{
    for (uint32_t k = 0; list && k < count; k++)
        read_expr(n, list[k]);
}

static void read_steps(Needing *n, const Steps *steps);

static void read_block(Needing *n, const Block *b)
{
    for (uint32_t k = 0; k < b->parts; k++) {
        read_expr(n, b->part[k].residual);
        read_expr(n, b->part[k].start);
    }
    if (b->jacobian)
        read_list(n, b->jacobian, b->n * b->n);
    for (uint32_t k = 0; k < b->slopes; k++)
        read_expr(n, b->slope[k].value);
    read_steps(n, &b->inner);
}

/* Everything that the steps read, whichever function needs them. */
static void read_steps(Needing *n, const Steps *steps)
{
    for (const Step *s = steps->first; s; s = s->next) {
        read_expr(n, s->value);
        if (s->target)
            read_list(n, s->target->arg, s->target->count);
        read_steps(n, &s->body);
        if (s->select)
            read_expr(n, s->select->selector);
        for (uint32_t k = 0; s->select && k < s->select->branches; k++)
            read_steps(n, &s->branch[k]);
        if (s->kind != STEP_SOLVE)
            continue;
        read_block(n, model_block(n->m, s->block));
    }
}

/* ---- Backwards through the program --------------------------------------------------------- */

static bool mark(Needing *n, Steps *steps);

static bool needed(const Needing *n, const Expr *target)
{
    return n->slot[2 * target->which + (target->op == EXPR_RATE)];
}

static bool mark_assign(Needing *n, const Step *s)
{
    assert(s->target && s->value);
    if (!needed(n, s->target))
        return false;
    read_expr(n, s->value);
    return true;
}

static bool mark_select(Needing *n, const Step *s)
{
    bool some = false;
    for (uint32_t k = 0; k < s->select->branches; k++)
        some = mark(n, &s->branch[k]) || some;
    if (some)
        read_expr(n, s->select->selector);
    return some;
}

static bool mark_solve(Needing *n, const Step *s)
{
    const Block *b = model_block(n->m, s->block);
    bool some = false;
    for (uint32_t k = 0; k < b->parts; k++)
        some = some || needed(n, b->part[k].unknown);
    if (!some)
        return false;
    Steps one = {(Step *)(uintptr_t)s, (Step *)(uintptr_t)s};
    Step *next = s->next;
    one.first->next = NULL;
    read_steps(n, &one);
    one.first->next = next;
    return true;
}

static bool mark_step(Needing *n, Step *s)
{
    switch (s->kind) {
    case STEP_ASSIGN: return mark_assign(n, s);
    case STEP_LOOP: return mark(n, &s->body);
    case STEP_SELECT: return mark_select(n, s);
    case STEP_SOLVE: return mark_solve(n, s);
    }
    return false;
}

static bool mark(Needing *n, Steps *steps)
{
    Vector order = {0};
    bool some = false;
    for (Step *s = steps->first; s; s = s->next)
        if (!vector_append(&order, &s, sizeof s))
            n->m->broken = true;
    for (size_t k = order.used / sizeof(Step *); k-- > 0;) {
        Step *s = ((Step **)(void *)order.bytes)[k];
        if (!mark_step(n, s))
            continue;
        s->needs |= n->bit;
        some = true;
    }
    vector_free(&order);
    return some;
}

static void mark_all(Steps *steps, uint32_t bit)
{
    for (Step *s = steps->first; s; s = s->next) {
        s->needs |= bit;
        mark_all(&s->body, bit);
        for (uint32_t k = 0; s->select && k < s->select->branches; k++)
            mark_all(&s->branch[k], bit);
    }
}

/* ---- Purposes --------------------------------------------------------------------------------- */

static Needing begin(Model *m, uint32_t bit)
{
    return (Needing){.m = m,
                     .bit = bit,
                     .slot = MODEL_ARRAY(m, bool, 2 * model_variables(m) + 2)};
}

static void need_rates(Model *m)
{
    Needing n = begin(m, NEED_RATES);
    for (uint32_t k = 0; !m->broken && k < model_variables(m); k++)
        n.slot[2 * k + 1] = true;
    if (!m->broken)
        mark(&n, &m->simulation.program);
}

static void read_relations(Needing *n)
{
    for (uint32_t k = 0; k < model_relations(n->m); k++) {
        const Relation *r = model_relation(n->m, k);
        read_expr(n, r->a);
        read_expr(n, r->b);
        read_expr(n, r->c);
        read_expr(n, r->when);
        read_guard(n, r->guard);
        if (n->bit != NEED_CONDITION && r->kind != RELATION_HYSTERESIS)
            continue;
        read_expr(n, r->da);
        read_expr(n, r->db);
        read_expr(n, r->dc);
    }
}

static void need_conditions(Model *m)
{
    Needing n = begin(m, NEED_CONDITION);
    if (m->broken)
        return;
    n.rates_given = true;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        read_expr(&n, c->z);
        read_expr(&n, c->dz);
        read_expr(&n, c->tol);
        read_expr(&n, c->priority);
        read_expr(&n, c->element);
        read_guard(&n, c->guard);
    }
    read_relations(&n);
    read_steps(&n, &m->rates);
    mark(&n, &m->simulation.program);
    mark_all(&m->rates, NEED_CONDITION);
}

static bool has_hysteresis(const Model *m)
{
    for (uint32_t k = 0; k < model_relations(m); k++)
        if (model_relation(m, k)->kind == RELATION_HYSTERESIS)
            return true;
    return false;
}

/* Whether a hysteresis continues to follow depends on rates. */
static void need_relations(Model *m)
{
    Needing n = begin(m, NEED_RELATION);
    if (m->broken)
        return;
    bool moving = has_hysteresis(m);
    n.rates_given = moving;
    read_relations(&n);
    if (moving)
        read_steps(&n, &m->rates);
    mark(&n, &m->simulation.program);
    if (moving)
        mark_all(&m->rates, NEED_RELATION);
}

static void need_delays(Model *m)
{
    Needing n = begin(m, NEED_DELAY);
    for (uint32_t k = 0; !m->broken && k < model_memories(m); k++) {
        const Memory *y = model_memory(m, k);
        if (y->kind != MEMORY_DELAY)
            continue;
        read_expr(&n, y->input);
        read_expr(&n, y->delay);
        read_guard(&n, y->guard);
    }
    if (!m->broken)
        mark(&n, &m->simulation.program);
}

static void need_jacobian(Model *m)
{
    Needing n = begin(m, NEED_JACOBIAN);
    for (uint32_t k = 0; !m->broken && k < model_entries(m); k++) {
        const Entry *e = model_entry(m, k);
        read_expr(&n, e->value);
        read_guard(&n, e->guard);
    }
    if (m->broken)
        return;
    read_steps(&n, &m->tangent);
    read_steps(&n, &m->slopes);
    mark(&n, &m->simulation.program);
    mark_all(&m->tangent, NEED_JACOBIAN);
    mark_all(&m->slopes, NEED_JACOBIAN);
}

static void need_constraints(Model *m)
{
    Needing n = begin(m, NEED_CONSTRAINT);
    for (uint32_t k = 0; !m->broken && k < model_constraints(m); k++) {
        const Constraint *c = model_constraint(m, k);
        read_expr(&n, c->g);
        read_guard(&n, c->guard);
    }
    for (uint32_t k = 0; !m->broken && k < m->gradients; k++)
        read_expr(&n, m->gradient[k].value);
    if (!m->broken)
        mark(&n, &m->simulation.program);
}

static void read_slopes(Needing *n, const Expr **slope)
{
    for (uint32_t k = 0; slope && k < 2 * model_senses(n->m); k++)
        read_expr(n, slope[k]);
}

static void need_slopes(Model *m)
{
    Needing n = begin(m, NEED_SLOPE);
    if (m->broken)
        return;
    n.rates_given = true;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        read_slopes(&n, model_condition(m, k)->slope);
        read_guard(&n, model_condition(m, k)->guard);
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        read_slopes(&n, r->slope);
        read_expr(&n, r->when);
        read_guard(&n, r->guard);
    }
    read_steps(&n, &m->slope_rates);
    mark(&n, &m->simulation.program);
    mark_all(&m->slope_rates, NEED_SLOPE);
}

static void need_linear(Model *m)
{
    Needing n = begin(m, NEED_LINEAR);
    if (m->broken)
        return;
    read_steps(&n, &m->linear);
    mark(&n, &m->simulation.program);
    mark_all(&m->linear, NEED_LINEAR);
}

bool needs_find(Model *m)
{
    need_rates(m);
    mark_all(&m->simulation.program, NEED_OUTPUT);
    need_conditions(m);
    need_relations(m);
    need_delays(m);
    need_jacobian(m);
    need_linear(m);
    need_constraints(m);
    if (model_senses(m))
        need_slopes(m);
    return !m->broken;
}
