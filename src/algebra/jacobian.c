#include "algebra/jacobian.h"

#include "base/whole.h"

#include <assert.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/definitions.h"
#include "algebra/differentiate.h"
#include "algebra/isolate.h"

#define ENTRIES_MOST 100000
#define LOOPS_HERE   (LOOPS_MOST + 2)

/* Derivative of `row` by the state `column`, for every value of the loops,
   while `when` holds (NULL: always). */
typedef struct Partial {
    const Expr *row, *column, *value, *when;
    uint32_t loops[LOOPS_HERE], n_loops;
} Partial;

typedef struct Gradient {
    Vector partials; // Partial
    bool found, open;
} Gradient;

typedef struct Jacobi {
    Model *m;
    Definitions defs;
    Gradient *gradient; // for each definition
    const Expr *delta;  // stands for a small change
    bool failed;
} Jacobi;

static bool gradient_of(Jacobi *j, uint32_t def);

static Partial *partials_of(const Gradient *g, uint32_t *count)
{
    *count = (uint32_t)(g->partials.used / sizeof(Partial));
    return (Partial *)(void *)g->partials.bytes;
}

/* ---- Substitution ------------------------------------------------------------------------- */

static const Expr *put(Jacobi *j, const Expr *e, const Expr *from,
                       const Expr *to)
{
    return e && from != to ? expr_replace(j->m, e, from, to) : e;
}

static void put_everywhere(Jacobi *j, Partial *p, const Expr *from,
                           const Expr *to)
{
    p->row = put(j, p->row, from, to);
    p->column = put(j, p->column, from, to);
    p->value = put(j, p->value, from, to);
    p->when = put(j, p->when, from, to);
}

/* Restricts loop c of the partial to low .. high; false if nothing is left. */
static bool restrict_loop(Jacobi *j, Partial *p, uint32_t c, int64_t low,
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

static const Expr *both(Model *m, const Expr *a, const Expr *b)
{
    return !a ? b : !b ? a : expr_2(m, EXPR_AND, a, b);
}

/* ---- Derivative by one leaf ----------------------------------------------------------------- */

static const Expr *delta_seed(void *user, const Expr *leaf)
{
    const Expr *const *pair = user; // leaf, delta
    return leaf == pair[0] ? pair[1] : NULL;
}

#define OPENED_MOST LOOPS_HERE

/* A SUM over an index on which the leaf depends is opened: one term of it
   stands in a loop of its own. The same index may occur in several SUMs. */
typedef struct Opening {
    Jacobi *j;
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
    if (p->n_loops == LOOPS_HERE || o->n == OPENED_MOST)
        return NONE;
    Loop l = *model_loop(m, e->which);
    l.low = e->arg[0]->integer;
    l.high = e->arg[1]->integer;
    l.bound = false;
    own = model_add_loop(m, &l);
    o->opened[o->n].from = e->which;
    o->opened[o->n++].to = own;
    assert(p->n_loops < LOOPS_HERE && o->n <= OPENED_MOST);
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

/* de/d(leaf) into p->value; false if it is zero (or if it does not exist:
   failed). */
static bool by_leaf(Jacobi *j, const Expr *e, const Expr *leaf, Partial *p)
{
    Model *m = j->m;
    const Expr *pair[2] = {leaf, j->delta};
    const Expr *d = differentiate(m, e, delta_seed, pair);
    if (expr_is_zero(d))
        return false;
    p->column = leaf;
    Opening o = {.j = j, .p = p};
    d = expr_rewrite(m, d, open_series, &o);
    p->value = tidy(m, expr_replace(m, d, j->delta, expr_number(m, "1.0")));
    j->failed = j->failed || o.failed;
    return !expr_is_zero(p->value);
}

/* ---- Through algebraic variables --------------------------------------------------------------- */

static void add_partial(Jacobi *j, Gradient *g, const Partial *p)
{
    uint32_t count;
    Partial *had = partials_of(g, &count);
    for (uint32_t k = 0; k < count; k++)
        if (had[k].row == p->row && had[k].column == p->column &&
            had[k].when == p->when && had[k].n_loops == p->n_loops &&
            memcmp(had[k].loops, p->loops, p->n_loops * sizeof p->loops[0]) ==
                0) {
            had[k].value = expr_plus(j->m, had[k].value, p->value);
            return;
        }
    if (count > ENTRIES_MOST || !vector_append(&g->partials, p, sizeof *p))
        j->failed = true;
}

/* Restricts the loops of the reader to those values for which index k of what
   it reads belongs to `target`. False: there are none. */
static bool agree(Jacobi *j, Partial *p, const Expr *target, uint32_t k)
{
    Model *m = j->m;
    uint32_t loop, reader;
    int64_t there, here;
    expr_affine(target->arg[k], &loop, &here);
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
    return restrict_loop(j, p, reader, whole_reach_back(low, there),
                         whole_reach_back(high, there));
}

typedef struct Indices {
    const Expr *from[2], *to[2];
    uint32_t n;
} Indices;

static const Expr *take_index(void *user, const Expr *e)
{
    const Indices *x = user;
    for (uint32_t k = 0; k < x->n; k++)
        if (x->from[k] == e)
            return x->to[k];
    return NULL;
}

/* Replaces the loops of q->row by the reader's indices, all at once, because
   both may be the same loops. */
static void take_indices(Jacobi *j, const Partial *p, Partial *q, Indices *x)
{
    Model *m = j->m;
    for (uint32_t k = 0; k < q->row->count; k++) {
        uint32_t loop;
        int64_t here;
        expr_affine(q->row->arg[k], &loop, &here);
        if (loop == NONE)
            continue;
        x->from[x->n] = expr_loop(m, loop);
        x->to[x->n++] =
            expr_2(m, EXPR_SUB, p->column->arg[k], expr_integer(m, here));
    }
    q->column = expr_rewrite(m, q->column, take_index, x);
    q->value = expr_rewrite(m, q->value, take_index, x);
    if (q->when)
        q->when = expr_rewrite(m, q->when, take_index, x);
}

/* The reader's partial by A, times the partial of A (in its row, whose loops
   may have been restricted) by a state. */
static void chain_one(Jacobi *j, Gradient *g, Partial p, Partial q)
{
    Model *m = j->m;
    Indices x = {0};
    for (uint32_t k = 0; k < q.row->count; k++)
        if (!agree(j, &p, q.row, k))
            return;
    take_indices(j, &p, &q, &x);
    for (uint32_t k = 0; k < q.n_loops; k++) {
        if (take_index(&x, expr_loop(m, q.loops[k])))
            continue;
        if (p.n_loops == LOOPS_HERE) {
            j->failed = true;
            return;
        }
        p.loops[p.n_loops++] = q.loops[k];
    }
    p.column = q.column;
    p.value = expr_times(m, p.value, q.value);
    p.when = both(m, p.when, q.when);
    add_partial(j, g, &p);
}

static bool same_branches(const Guard *reader, const Guard *definition)
{
    return guard_within(reader, definition);
}

/* Handles a reader that depends on an unknown, p->column, by way of its
   definitions. */
static void chain(Jacobi *j, Gradient *g, const Partial *p, const Guard *guard)
{
    const Expr *leaf = p->column;
    uint32_t slot = definition_slot(leaf);
    if (j->defs.implicit[slot]) {
        j->failed = true;
        return;
    }
    Box box = box_around(j->m, leaf);
    for (uint32_t k = j->defs.first[slot]; k != NONE && !j->failed;
         k = j->defs.list[k].next) {
        Definition d = j->defs.list[k];
        Box own = box_around(j->m, d.target);
        if (!box_meets(&own, &box) || guards_exclude(guard, d.guard))
            continue;
        if (!gradient_of(j, k))
            return;
        uint32_t count;
        const Partial *q = partials_of(&j->gradient[k], &count);
        for (uint32_t i = 0; i < count && !j->failed; i++) {
            Partial part = q[i];
            if (!same_branches(guard, d.guard))
                part.when =
                    both(j->m, part.when, guard_condition(j->m, d.guard));
            chain_one(j, g, *p, part);
            q = partials_of(&j->gradient[k], &count);
        }
    }
}

/* ---- One definition ------------------------------------------------------------------------------ */

typedef struct Leaves {
    const Model *m;
    Vector list; // const Expr *
    bool broken;
} Leaves;

static bool collect_leaf(void *user, const Expr *e)
{
    Leaves *l = user;
    bool state = e->op == EXPR_VARIABLE &&
                 model_variable(l->m, e->which)->kind == VARIABLE_STATE;
    if ((state || is_unknown(l->m, e)) && e->type == EXPR_TYPE_REAL &&
        !vector_append(&l->list, &e, sizeof e))
        l->broken = true;
    return true;
}

static void by_leaves(Jacobi *j, Gradient *g, const Definition *d,
                      const Leaves *l)
{
    for (size_t k = 0; k < l->list.used / sizeof(Expr *) && !j->failed; k++) {
        const Expr *leaf = ((const Expr **)(void *)l->list.bytes)[k];
        Partial p = {.row = d->target, .n_loops = d->n_loops};
        assert(d->n_loops <= LOOPS_MOST);
        memcpy(p.loops, d->loops, d->n_loops * sizeof p.loops[0]);
        if (!by_leaf(j, d->value, leaf, &p) || j->failed)
            continue;
        if (is_unknown(j->m, leaf))
            chain(j, g, &p, d->guard);
        else
            add_partial(j, g, &p);
    }
}

static bool gradient_of(Jacobi *j, uint32_t def)
{
    Gradient g = {.found = true};
    Definition d = j->defs.list[def];
    Leaves l = {.m = j->m};
    if (j->gradient[def].found)
        return !j->failed;
    if (j->gradient[def].open) { // a recurrence over an index
        j->failed = true;
        return false;
    }
    j->gradient[def].open = true;
    expr_visit(j->m, d.value, collect_leaf, &l);
    if (l.broken)
        j->m->broken = true;
    by_leaves(j, &g, &d, &l);
    vector_free(&l.list);
    j->gradient[def] = g;
    return !j->failed;
}

/* ---- All ------------------------------------------------------------------------------------------- */

static void add_entries(Jacobi *j, uint32_t def)
{
    Model *m = j->m;
    uint32_t count;
    const Definition *d = &j->defs.list[def];
    const Partial *p = partials_of(&j->gradient[def], &count);
    bool outside = d->guard && d->guard->select->n_loops == 0;
    for (uint32_t k = 0; k < count; k++) {
        const Expr *when = p[k].when;
        if (d->guard && !outside)
            when = both(m, guard_condition(m, d->guard), when);
        Entry e = {.row = p[k].row,
                   .column = p[k].column,
                   .value = when ? expr_choose(m, when, p[k].value,
                                               expr_number(m, "0.0"))
                                 : p[k].value,
                   .n_loops = p[k].n_loops,
                   .guard = outside ? d->guard : NULL};
        memcpy(e.loops, p[k].loops, sizeof e.loops);
        model_add_entry(m, &e);
    }
}

static void free_all(Jacobi *j)
{
    for (uint32_t k = 0; j->gradient && k < j->defs.count; k++)
        vector_free(&j->gradient[k].partials);
    definitions_free(&j->defs);
}

bool jacobian_entries(Model *m)
{
    Jacobi j = {.m = m};
    Span nowhere = {SPAN_NOWHERE, 0, 0};
    uint32_t delta = model_add_hidden(m, VARIABLE_COUNTER, EXPR_TYPE_REAL,
                                      "delta@", nowhere, 0);
    m->has_jacobian = false;
    if (!definitions_find(&j.defs, m))
        return false;
    j.delta = expr_variable(m, delta, NULL, 0);
    j.gradient = MODEL_ARRAY(m, Gradient, j.defs.count + 1);
    j.failed = m->nneqd != NONE || m->broken;
    for (uint32_t k = 0; k < j.defs.count && !j.failed; k++)
        if (j.defs.list[k].target->op == EXPR_RATE)
            gradient_of(&j, k);
    for (uint32_t v = 0; v < model_variables(m); v++)
        j.failed =
            j.failed || (v < j.defs.variables && j.defs.implicit[2 * v + 1]);
    for (uint32_t k = 0; k < j.defs.count && !j.failed; k++)
        if (j.defs.list[k].target->op == EXPR_RATE)
            add_entries(&j, k);
    m->has_jacobian = !j.failed;
    free_all(&j);
    return !m->broken;
}
