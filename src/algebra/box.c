#include "algebra/box.h"

#include "base/whole.h"

#include <assert.h>

bool is_unknown(const Model *m, const Expr *e)
{
    if (e->op == EXPR_RATE)
        return true;
    if (e->op != EXPR_VARIABLE)
        return false;
    VariableKind kind = model_variable(m, e->which)->kind;
    return kind == VARIABLE_ALGEBR || kind == VARIABLE_LOGIC ||
           kind == VARIABLE_MEMORY;
}

Box box_around(const Model *m, const Expr *e)
{
    const Variable *v = model_variable(m, e->which);
    Box b = {.op = e->op, .which = e->which, .rank = v->rank};
    assert((e->op == EXPR_VARIABLE || e->op == EXPR_RATE) && v->rank <= 2);
    assert(e->count == v->rank);
    for (uint32_t k = 0; k < v->rank; k++) {
        uint32_t loop;
        int64_t offset;
        b.low[k] = v->low[k];
        b.high[k] = v->high[k];
        if (!expr_affine(e->arg[k], &loop, &offset))
            continue;
        if (loop == NONE) {
            b.low[k] = b.high[k] = offset;
        } else if (!model_loop(m, loop)->bound) {
            b.low[k] = whole_reach(model_loop(m, loop)->low, offset);
            b.high[k] = whole_reach(model_loop(m, loop)->high, offset);
        }
    }
    return b;
}

bool box_exact(const Model *m, const Expr *e, const uint32_t *loops,
               uint32_t n_loops, Box *box)
{
    uint32_t used = 0;
    *box = box_around(m, e);
    for (uint32_t k = 0; k < e->count; k++) {
        uint32_t loop, which = 0;
        int64_t offset;
        if (!expr_affine(e->arg[k], &loop, &offset))
            return false;
        if (loop == NONE)
            continue;
        while (which < n_loops && loops[which] != loop)
            which++;
        if (which == n_loops || (used >> which & 1u))
            return false;
        used |= 1u << which;
    }
    return used == (1u << n_loops) - 1u;
}

bool box_meets(const Box *a, const Box *b)
{
    if (a->op != b->op || a->which != b->which)
        return false;
    assert(a->rank == b->rank);
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->high[k] < b->low[k] || b->high[k] < a->low[k])
            return false;
    return true;
}

bool box_offset(const Portion *p, const Expr *read, int *sign)
{
    *sign = 0;
    for (uint32_t i = 0; i < p->n_loops; i++)
        for (uint32_t k = 0; k < p->target->count; k++) {
            uint32_t a, b;
            int64_t here, there;
            if (!expr_affine(p->target->arg[k], &a, &here) ||
                !expr_affine(read->arg[k], &b, &there) || a != b)
                return false;
            if (a == p->loops[i] && *sign == 0 && there != here)
                *sign = there < here ? -1 : 1;
        }
    return true;
}

const Expr *index_plain(Model *m, const Expr *e)
{
    uint32_t loop;
    int64_t offset;
    if ((e->op != EXPR_ADD && e->op != EXPR_SUB) ||
        e->type != EXPR_TYPE_INTEGER || !expr_affine(e, &loop, &offset))
        return e;
    if (loop == NONE)
        return expr_integer(m, offset);
    if (offset >= 0)
        return expr_2(m, EXPR_ADD, expr_loop(m, loop), expr_integer(m, offset));
    return expr_2(m, EXPR_SUB, expr_loop(m, loop), expr_integer(m, -offset));
}

/* ---- Writing loops out ---------------------------------------------------------------- */

typedef struct At {
    Model *m;
    uint32_t loop;
    int64_t value;
} At;

static const Expr *at_value(void *user, const Expr *e)
{
    const At *a = user;
    return e->op == EXPR_LOOP && e->which == a->loop
               ? expr_integer(a->m, a->value)
               : NULL;
}

static const Expr *at(const At *a, const Expr *e)
{
    At own = *a;
    return e ? expr_rewrite(a->m, e, at_value, &own) : NULL;
}

static const Guard *guard_at(const At *a, const Guard *g);

static const Select *new_select_at(const At *a, const Select *s)
{
    Select *own = MODEL_NEW(a->m, Select);
    if (!own)
        return s;
    *own = *s;
    assert(s->n_loops > 0);
    own->around = guard_at(a, s->around);
    own->selector = at(a, s->selector);
    own->n_loops--;
    for (uint32_t k = 0; k < own->n_loops; k++)
        own->loops[k] = s->loops[k + 1];
    own->written = NULL;
    own->number = a->m->selects++;
    return own;
}

/* The Select for one value of the outermost loop. There is one for each value,
   shared by all equations, so that its branches exclude each other. */
static const Select *select_at(const At *a, const Select *shared)
{
    Select *s = (Select *)(uintptr_t)shared;
    const Loop *l = model_loop(a->m, s->loops[0]);
    if (!s->written)
        s->written =
            MODEL_ARRAY(a->m, const Select *, (size_t)(l->high - l->low) + 1);
    if (!s->written)
        return s;
    assert(a->value >= l->low && a->value <= l->high);
    const Select **own = &s->written[a->value - l->low];
    if (!*own)
        *own = new_select_at(a, s);
    return *own;
}

/* The guard of one element; guards outside the loop stay as they are. */
static const Guard *guard_at(const At *a, const Guard *g)
{
    if (!g || g->select->n_loops == 0)
        return g;
    Guard *own = MODEL_NEW(a->m, Guard);
    if (!own)
        return g;
    *own = (Guard){select_at(a, g->select), g->branch};
    return own;
}

Portion portion_at(Model *m, const Portion *e, int64_t value)
{
    At a = {m, e->loops[0], value};
    Portion one = *e;
    assert(e->n_loops > 0 && e->n_loops <= LOOPS_MOST);
    one.n_loops--;
    for (uint32_t k = 0; k < one.n_loops; k++)
        one.loops[k] = e->loops[k + 1];
    one.left = at(&a, e->left);
    one.right = at(&a, e->right);
    one.target = at(&a, e->target);
    one.value = at(&a, e->value);
    one.guard = guard_at(&a, e->guard);
    return one;
}

bool portion_expand(Model *m, System *s, uint32_t portion)
{
    Portion whole = *system_portion(s, portion);
    if (whole.n_loops == 0)
        return true;
    Loop l = *model_loop(m, whole.loops[0]);
    if (l.high < l.low)
        return false;
    for (int64_t value = l.low; value <= l.high && !m->broken; value++) {
        Portion one = portion_at(m, &whole, value);
        uint32_t k = portion;
        if (value == l.low)
            *system_portion(s, portion) = one;
        else
            k = system_add_portion(m, s, &one);
        if (one.n_loops)
            portion_expand(m, s, k);
    }
    return true;
}
