#include "algebra/partial.h"

#include <assert.h>

#include "algebra/isolate.h"
#include "base/whole.h"
#include "model/differentiate.h"

Differ differ_begin(Model *m)
{
    Span nowhere = {SPAN_NOWHERE, 0, 0};
    if (m->delta == NONE)
        m->delta = model_add_hidden(m, VARIABLE_COUNTER, EXPR_TYPE_REAL,
                                    "delta@", nowhere, 0);
    return (Differ){.m = m, .delta = expr_variable(m, m->delta, NULL, 0)};
}

/* ---- Substitution ------------------------------------------------------------------------- */

static const Expr *put(Differ *j, const Expr *e, const Expr *from,
                       const Expr *to)
{
    return e && from != to ? expr_replace(j->m, e, from, to) : e;
}

static void put_everywhere(Differ *j, Partial *p, const Expr *from,
                           const Expr *to)
{
    p->row = put(j, p->row, from, to);
    p->column = put(j, p->column, from, to);
    p->value = put(j, p->value, from, to);
    p->when = put(j, p->when, from, to);
}

bool partial_restrict(Differ *j, Partial *p, uint32_t c, int64_t low,
                      int64_t high)
{
    Model *m = j->m;
    Loop l = *model_loop(m, c);
    if (l.low >= low && l.high <= high)
        return true;
    l.low = l.low > low ? l.low : low;
    l.high = l.high < high ? l.high : high;
    if (l.high < l.low)
        return false;
    l.bound = false;
    uint32_t own = model_add_loop(m, &l);
    put_everywhere(j, p, expr_loop(m, c), expr_loop(m, own));
    for (uint32_t k = 0; k < p->n_loops; k++)
        if (p->loops[k] == c)
            p->loops[k] = own;
    return true;
}

/* ---- Derivative by one leaf ----------------------------------------------------------------- */

static const Expr *delta_seed(void *user, const Expr *leaf)
{
    const Expr *const *pair = user; // leaf, delta
    return leaf == pair[0] ? pair[1] : NULL;
}

#define OPENED_MOST PARTIAL_LOOPS

/* A SUM over an index on which the leaf depends is opened: one term of it
   stands in a loop of its own. The same index may occur in several SUMs. */
typedef struct Opening {
    Differ *j;
    Partial *p;
    struct {
        uint32_t from, to; // Loops
    } opened[OPENED_MOST];
    uint32_t n;
    bool failed;
} Opening;

static uint32_t opened(const Opening *o, const Expr *e)
{
    const Model *m = o->j->m;
    for (uint32_t k = 0; k < o->n; k++)
        if (o->opened[k].from == e->which &&
            model_loop(m, o->opened[k].to)->low == e->arg[0]->integer &&
            model_loop(m, o->opened[k].to)->high == e->arg[1]->integer)
            return o->opened[k].to;
    return NONE;
}

/* The loop in which the terms of `e` stand, or NONE. */
static uint32_t open_loop(Opening *o, const Expr *e)
{
    Model *m = o->j->m;
    Partial *p = o->p;
    const Expr *index = expr_loop(m, e->which);
    uint32_t own = opened(o, e);
    if (own != NONE || !expr_contains(p->column, index))
        return own;
    if (p->n_loops == PARTIAL_LOOPS || o->n == OPENED_MOST)
        return NONE;
    Loop l = *model_loop(m, e->which);
    l.low = e->arg[0]->integer;
    l.high = e->arg[1]->integer;
    l.bound = false;
    own = model_add_loop(m, &l);
    o->opened[o->n].from = e->which;
    o->opened[o->n++].to = own;
    assert(p->n_loops < PARTIAL_LOOPS && o->n <= OPENED_MOST);
    p->loops[p->n_loops++] = own;
    p->column = expr_replace(m, p->column, index, expr_loop(m, own));
    return own;
}

static bool depends(const Opening *o, const Expr *e)
{
    for (uint32_t k = 0; k < o->n; k++)
        if (o->opened[k].from == e->which)
            return true;
    return expr_contains(o->p->column, expr_loop(o->j->m, e->which));
}

static const Expr *open_series(void *user, const Expr *e)
{
    Opening *o = user;
    Model *m = o->j->m;
    if (e->op != EXPR_SUM || !expr_contains(e, o->j->delta) || !depends(o, e))
        return NULL;
    uint32_t own = NONE;
    if (e->arg[0]->op == EXPR_INTEGER && e->arg[1]->op == EXPR_INTEGER)
        own = open_loop(o, e);
    if (own == NONE) {
        o->failed = true;
        return NULL;
    }
    const Expr *term = e->arg[3], *index = expr_loop(m, e->which);
    if (e->arg[2]->op != EXPR_TRUTH)
        term = expr_choose(m, expr_2(m, EXPR_NE, index, e->arg[2]), term,
                           expr_number(m, "0.0"));
    return expr_replace(m, term, index, expr_loop(m, own));
}

bool partial_by_leaf(Differ *j, const Expr *e, const Expr *leaf, Partial *p)
{
    Model *m = j->m;
    const Expr *pair[2] = {leaf, j->delta};
    m->freezes = true;
    const Expr *d = differentiate(m, e, delta_seed, pair);
    m->freezes = false;
    if (expr_is_zero(d))
        return false;
    p->column = leaf;
    Opening o = {.j = j, .p = p};
    d = expr_rewrite(m, d, open_series, &o);
    p->value = tidy(m, expr_replace(m, d, j->delta, expr_number(m, "1.0")));
    j->failed = j->failed || o.failed;
    return !expr_is_zero(p->value);
}

bool partial_agree(Differ *j, Partial *p, const Expr *target, uint32_t k)
{
    Model *m = j->m;
    uint32_t loop, reader;
    int64_t there, here;
    expr_affine(target->arg[k], &loop, &here);
    if (p->column->arg[k]->op == EXPR_FOUND)
        return loop != NONE && model_loop(m, loop)->pool; // any copy
    if (!expr_affine(p->column->arg[k], &reader, &there)) {
        j->failed = true;
        return false;
    }
    int64_t low = here, high = here;
    if (loop != NONE) {
        low = whole_reach(model_loop(m, loop)->low, here);
        high = whole_reach(model_loop(m, loop)->high, here);
    }
    if (reader == NONE)
        return there >= low && there <= high;
    return partial_restrict(j, p, reader, whole_reach_back(low, there),
                            whole_reach_back(high, there));
}
