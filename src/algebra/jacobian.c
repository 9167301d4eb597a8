#include "algebra/jacobian.h"

#include "base/whole.h"

#include <assert.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/definitions.h"
#include "algebra/partial.h"
#include "model/walk.h"

#define ENTRIES_MOST 100000
#define DEPTH_MOST   6 // variables that a product of derivatives goes through
#define SHARE        8 // most partial derivatives for each definition, beside
#define SHARE_LEAST  100000

typedef struct Gradient {
    Vector partials; // Partial; those with the same column are linked
    ExprMap at;      // column -> integer: the last of them
    bool found;
} Gradient;

typedef struct Jacobi {
    Differ d;
    Definitions defs;
    Gradient *gradient; // for each definition
    bool *wanted;       // for each definition: some rate depends on it
    uint64_t partials, most;
} Jacobi;

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

static uint32_t last_of(const Gradient *g, const Expr *column)
{
    const Expr *k = expr_map_get(&g->at, column);
    return k ? (uint32_t)k->integer : NONE;
}

static bool same_place(const Partial *a, const Partial *b)
{
    return a->row == b->row && a->when == b->when && a->n_loops == b->n_loops &&
           memcmp(a->loops, b->loops, a->n_loops * sizeof a->loops[0]) == 0;
}

static void add_partial(Jacobi *j, Gradient *g, const Partial *p)
{
    uint32_t count;
    Partial *had = partials_of(g, &count), own = *p;
    own.next = last_of(g, p->column);
    for (uint32_t k = own.next; k != NONE; k = had[k].next)
        if (same_place(&had[k], p)) {
            had[k].value = expr_plus(j->d.m, had[k].value, p->value);
            had[k].depth = had[k].depth > p->depth ? had[k].depth : p->depth;
            return;
        }
    if (count > ENTRIES_MOST || ++j->partials > j->most ||
        !vector_append(&g->partials, &own, sizeof own) ||
        !expr_map_put(&g->at, p->column, expr_integer(j->d.m, count)))
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
    if (x->n == 0)
        return;
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
    p.depth = q.depth + 1;
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
        if (!j->gradient[k].found) { // a recurrence over an index
            j->d.failed = true;
            return;
        }
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

static bool is_no_found(void *user, const Expr *e)
{
    (void)user;
    return e->op != EXPR_FOUND;
}

/* P[P[n].AHEAD].X: where it is depends on a copy that has to be found itself. */
static bool is_found_twice(Model *m, const Expr *leaf)
{
    return leaf->count && leaf->arg[0]->op == EXPR_FOUND &&
           !expr_visit(m, leaf->arg[0]->arg[0], is_no_found, NULL);
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
        if (is_found_twice(j->d.m, leaf)) {
            j->d.failed = true;
            return;
        }
        if (is_unknown(j->d.m, leaf))
            chain(j, g, &p, d->guard);
        else
            add_partial(j, g, &p);
    }
}

/* True if a derivative of the definition can be kept in a variable of its own:
   one for each of its elements. */
static bool can_keep(const Definition *d, const Partial *p)
{
    return p->depth >= DEPTH_MOST && !p->when && !d->guard &&
           p->n_loops == d->n_loops && p->row == d->target &&
           d->target->op == EXPR_VARIABLE &&
           memcmp(p->loops, d->loops, d->n_loops * sizeof d->loops[0]) == 0;
}

/* dA/dX gets a hidden variable, computed before the entries are. */
static void keep(Jacobi *j, const Definition *d, Partial *p)
{
    Model *m = j->d.m;
    const Variable *of = model_variable(m, d->target->which);
    Buffer name = {0};
    buffer_format(&name, "%s/", of->name);
    expr_print(m, p->column, &name);
    uint32_t k = model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                                  model_format(m, "%s", buffer_string(&name)),
                                  of->at, of->line);
    buffer_free(&name);
    Variable *v = model_variable(m, k);
    of = model_variable(m, d->target->which);
    variable_shaped(v, of);
    Steps *out = &m->slopes;
    for (uint32_t i = 0; i < d->n_loops; i++) {
        Step *loop = steps_add(m, out, STEP_LOOP);
        loop->loop = d->loops[i];
        out = &loop->body;
    }
    Step *s = steps_add(m, out, STEP_ASSIGN);
    s->target = expr_variable(m, k, d->target->arg, d->target->count);
    s->value = p->value;
    p->value = s->target;
    p->depth = 0;
}

/* Long chains of variables are differentiated variable by variable: a product of
   all derivatives would be written again for each of its readers. */
static void keep_deep(Jacobi *j, const Definition *d, Gradient *g)
{
    uint32_t count;
    Partial *p = partials_of(g, &count);
    for (uint32_t k = 0; k < count && !j->d.failed; k++)
        if (can_keep(d, &p[k]))
            keep(j, d, &p[k]);
}

/* Needs the gradients of all that it reads: they come before it in the
   program. */
static void find_gradient(Jacobi *j, uint32_t def)
{
    Gradient g = {0};
    Definition d = j->defs.list[def];
    Leaves l = {.m = j->d.m};
    expr_visit(j->d.m, d.value, collect_leaf, &l);
    if (l.broken)
        j->d.m->broken = true;
    by_leaves(j, &g, &d, &l);
    keep_deep(j, &d, &g);
    g.found = true;
    vector_free(&l.list);
    j->gradient[def] = g;
}

static bool want(void *user, const Expr *e)
{
    Jacobi *j = user;
    if (!is_unknown(j->d.m, e) || e->type != EXPR_TYPE_REAL)
        return true;
    uint32_t slot = definition_slot(e);
    for (uint32_t k = j->defs.first[slot]; k != NONE; k = j->defs.list[k].next)
        j->wanted[k] = true;
    return true;
}

/* Rates, and backwards through the program what they depend on. */
static void find_wanted(Jacobi *j)
{
    for (uint32_t k = j->defs.count; k-- > 0;) {
        const Definition *d = &j->defs.list[k];
        j->wanted[k] = j->wanted[k] || d->target->op == EXPR_RATE;
        if (j->wanted[k])
            expr_visit(j->d.m, d->value, want, j);
    }
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
    for (uint32_t k = 0; j->gradient && k < j->defs.count; k++) {
        vector_free(&j->gradient[k].partials);
        expr_map_free(&j->gradient[k].at);
    }
    definitions_free(&j->defs);
}

bool jacobian_entries(Model *m)
{
    Jacobi j = {.d = differ_begin(m)};
    m->has_jacobian = false;
    if (!definitions_find(&j.defs, m)) {
        free_all(&j);
        return false;
    }
    j.gradient = MODEL_ARRAY(m, Gradient, j.defs.count + 1);
    j.wanted = MODEL_ARRAY(m, bool, j.defs.count + 1);
    j.most = SHARE * (uint64_t)j.defs.count + SHARE_LEAST;
    j.d.failed = m->nneqd != NONE || m->broken;
    if (!j.d.failed)
        find_wanted(&j);
    for (uint32_t k = 0; k < j.defs.count && !j.d.failed; k++)
        if (j.wanted[k])
            find_gradient(&j, k);
    for (uint32_t v = 0; v < model_variables(m); v++)
        j.d.failed =
            j.d.failed || (v < j.defs.variables && j.defs.implicit[2 * v + 1]);
    for (uint32_t k = 0; k < j.defs.count && !j.d.failed; k++)
        if (j.defs.list[k].target->op == EXPR_RATE)
            add_entries(&j, k);
    m->has_jacobian = !j.d.failed;
    if (j.d.failed)
        m->slopes = (Steps){0};
    free_all(&j);
    return !m->broken;
}
