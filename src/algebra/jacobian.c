#include "algebra/jacobian.h"

#include "base/whole.h"

#include <assert.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/definitions.h"
#include "algebra/partial.h"

#define ENTRIES_MOST 100000

typedef struct Gradient {
    Vector partials; // Partial
    bool found, open;
} Gradient;

typedef struct Jacobi {
    Differ d;
    Definitions defs;
    Gradient *gradient; // for each definition
} Jacobi;

static bool gradient_of(Jacobi *j, uint32_t def);

static Partial *partials_of(const Gradient *g, uint32_t *count)
{
    *count = (uint32_t)(g->partials.used / sizeof(Partial));
    return (Partial *)(void *)g->partials.bytes;
}

static const Expr *both(Model *m, const Expr *a, const Expr *b)
{
    return !a ? b : !b ? a : expr_2(m, EXPR_AND, a, b);
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
            had[k].value = expr_plus(j->d.m, had[k].value, p->value);
            return;
        }
    if (count > ENTRIES_MOST || !vector_append(&g->partials, p, sizeof *p))
        j->d.failed = true;
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
    Model *m = j->d.m;
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
    Model *m = j->d.m;
    Indices x = {0};
    for (uint32_t k = 0; k < q.row->count; k++)
        if (!partial_agree(&j->d, &p, q.row, k))
            return;
    take_indices(j, &p, &q, &x);
    for (uint32_t k = 0; k < q.n_loops; k++) {
        if (take_index(&x, expr_loop(m, q.loops[k])))
            continue;
        if (p.n_loops == PARTIAL_LOOPS) {
            j->d.failed = true;
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
        j->d.failed = true;
        return;
    }
    Box box = box_around(j->d.m, leaf);
    for (uint32_t k = j->defs.first[slot]; k != NONE && !j->d.failed;
         k = j->defs.list[k].next) {
        Definition d = j->defs.list[k];
        Box own = box_around(j->d.m, d.target);
        if (!box_meets(&own, &box) || guards_exclude(guard, d.guard))
            continue;
        if (!gradient_of(j, k))
            return;
        uint32_t count;
        const Partial *q = partials_of(&j->gradient[k], &count);
        for (uint32_t i = 0; i < count && !j->d.failed; i++) {
            Partial part = q[i];
            if (!same_branches(guard, d.guard))
                part.when =
                    both(j->d.m, part.when, guard_condition(j->d.m, d.guard));
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
    for (size_t k = 0; k < l->list.used / sizeof(Expr *) && !j->d.failed; k++) {
        const Expr *leaf = ((const Expr **)(void *)l->list.bytes)[k];
        Partial p = {.row = d->target, .n_loops = d->n_loops};
        assert(d->n_loops <= LOOPS_MOST);
        memcpy(p.loops, d->loops, d->n_loops * sizeof p.loops[0]);
        if (!partial_by_leaf(&j->d, d->value, leaf, &p) || j->d.failed)
            continue;
        if (is_unknown(j->d.m, leaf))
            chain(j, g, &p, d->guard);
        else
            add_partial(j, g, &p);
    }
}

static bool gradient_of(Jacobi *j, uint32_t def)
{
    Gradient g = {.found = true};
    Definition d = j->defs.list[def];
    Leaves l = {.m = j->d.m};
    if (j->gradient[def].found)
        return !j->d.failed;
    if (j->gradient[def].open) { // a recurrence over an index
        j->d.failed = true;
        return false;
    }
    j->gradient[def].open = true;
    expr_visit(j->d.m, d.value, collect_leaf, &l);
    if (l.broken)
        j->d.m->broken = true;
    by_leaves(j, &g, &d, &l);
    vector_free(&l.list);
    j->gradient[def] = g;
    return !j->d.failed;
}

/* ---- All ------------------------------------------------------------------------------------------- */

static void add_entries(Jacobi *j, uint32_t def)
{
    Model *m = j->d.m;
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
    Jacobi j = {.d = differ_begin(m)};
    m->has_jacobian = false;
    if (!definitions_find(&j.defs, m))
        return false;
    j.gradient = MODEL_ARRAY(m, Gradient, j.defs.count + 1);
    j.d.failed = m->nneqd != NONE || m->broken;
    for (uint32_t k = 0; k < j.defs.count && !j.d.failed; k++)
        if (j.defs.list[k].target->op == EXPR_RATE)
            gradient_of(&j, k);
    for (uint32_t v = 0; v < model_variables(m); v++)
        j.d.failed =
            j.d.failed || (v < j.defs.variables && j.defs.implicit[2 * v + 1]);
    for (uint32_t k = 0; k < j.defs.count && !j.d.failed; k++)
        if (j.defs.list[k].target->op == EXPR_RATE)
            add_entries(&j, k);
    m->has_jacobian = !j.d.failed;
    free_all(&j);
    return !m->broken;
}
