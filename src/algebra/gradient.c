#include "algebra/gradient.h"

#include <string.h>

#include "algebra/box.h"
#include "algebra/definitions.h"
#include "algebra/partial.h"
#include "model/walk.h"

#define SLOPES_MOST 4000000

typedef struct Gradients {
    Model *m;
    Differ d;
    const Constraint *c; // the present one
    Vector leaves;       // const Expr *: STATEs that it reads
    Vector slopes;       // Slope
} Gradients;

static bool is_state(const Model *m, const Expr *e)
{
    return e->op == EXPR_VARIABLE &&
           model_variable(m, e->which)->kind == VARIABLE_STATE;
}

static bool collect(void *user, const Expr *e)
{
    Gradients *g = user;
    bool state = is_state(g->m, e);
    if (is_unknown(g->m, e) && e->type == EXPR_TYPE_REAL)
        g->d.failed = true;
    if (state && !vector_append(&g->leaves, &e, sizeof e))
        g->m->broken = true;
    return true;
}

/* c * count + (index - low) */
static const Expr *along(Model *m, const Expr *c, int64_t count,
                         const Expr *index, int64_t low)
{
    return expr_2(m, EXPR_ADD, expr_2(m, EXPR_MUL, c, expr_integer(m, count)),
                  expr_2(m, EXPR_SUB, index, expr_integer(m, low)));
}

static const Expr *row_of(Model *m, const Constraint *c)
{
    const Expr *at = expr_integer(m, 0);
    for (uint32_t k = 0; k < c->n_loops; k++) {
        const Loop *l = model_loop(m, c->loops[k]);
        at = along(m, at, l->high - l->low + 1, expr_loop(m, c->loops[k]),
                   l->low);
    }
    return index_plain(m, expr_2(m, EXPR_ADD, at, expr_integer(m, c->first)));
}

/* Place of a STATE in x; NULL if only the run knows it. */
static const Expr *column_of(Model *m, const Expr *state)
{
    const Variable *v = model_variable(m, state->which);
    const Expr *at = expr_integer(m, 0);
    for (uint32_t k = 0; k < state->count; k++) {
        uint32_t loop;
        int64_t offset;
        if (!expr_affine(state->arg[k], &loop, &offset))
            return NULL;
        at = along(m, at, v->high[k] - v->low[k] + 1, state->arg[k], v->low[k]);
    }
    return index_plain(m, expr_2(m, EXPR_ADD, at, expr_integer(m, v->place)));
}

static void by_leaf(Gradients *g, const Expr *leaf)
{
    Model *m = g->m;
    const Constraint *c = g->c;
    if (c->companion && !model_is_companion(m, leaf->which))
        return;
    Partial p = {.row = row_of(m, c), .n_loops = c->n_loops};
    memcpy(p.loops, c->loops, sizeof c->loops);
    if (!partial_by_leaf(&g->d, c->g, leaf, &p) || g->d.failed)
        return;
    Slope s = {.row = p.row,
               .column = column_of(m, p.column),
               .value = p.value,
               .n_loops = p.n_loops};
    memcpy(s.loops, p.loops, sizeof s.loops);
    if (c->guard)
        s.value = expr_choose(m, guard_condition(m, c->guard), s.value,
                              expr_number(m, "0.0"));
    if (!s.column || g->slopes.used / sizeof s > SLOPES_MOST ||
        !vector_append(&g->slopes, &s, sizeof s))
        g->d.failed = true;
}

static void by_leaves(Gradients *g, uint32_t k)
{
    const Constraint c = *model_constraint(g->m, k);
    g->c = &c;
    g->leaves.used = 0;
    expr_visit(g->m, c.g, collect, g);
    for (size_t i = 0; i < g->leaves.used / sizeof(Expr *); i++)
        if (!g->d.failed)
            by_leaf(g, ((const Expr **)(void *)g->leaves.bytes)[i]);
}

void gradient_of_constraints(Model *m)
{
    Gradients g = {.m = m, .d = differ_begin(m)};
    for (uint32_t k = 0; k < model_constraints(m) && !g.d.failed; k++)
        by_leaves(&g, k);
    uint32_t n = (uint32_t)(g.slopes.used / sizeof(Slope));
    m->gradient = MODEL_ARRAY(m, Slope, n + 1);
    m->gradients = g.d.failed || !m->gradient ? 0 : n;
    if (m->gradients)
        memcpy(m->gradient, g.slopes.bytes, g.slopes.used);
    vector_free(&g.leaves);
    vector_free(&g.slopes);
}
