#include "lower/field.h"

#include <inttypes.h>

#define AUTO_FROM 33 // points of the first grid of GRID AUTO

/* The coordinates of FIELDs: where their points are, and what a point counts in an
   integral. Places and weights are hidden arrays, filled before a run begins. */

/* ---- The same coordinate ------------------------------------------------------------ */

/* True for two texts that mean the same; names and numbers are compared, not values. */
static bool same_tree(const Node *a, const Node *b)
{
    if (a->kind != b->kind || a->word != b->word || a->symbol != b->symbol ||
        a->integer != b->integer || a->number != b->number)
        return false;
    const Node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!same_tree(x, y))
            return false;
    return !x && !y;
}

static bool same_axis(const Node *a, const Node *b)
{
    if (!name_same(a->text, b->text))
        return false;
    const Node *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!same_tree(x, y))
            return false;
    return !x && !y;
}

static FieldAxis *find_axis(Lowerer *l, const Node *n)
{
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++)
        for (uint32_t i = 0; i < list[k]->axes; i++)
            if (same_axis(list[k]->axis[i]->node, n))
                return list[k]->axis[i];
    return NULL;
}

/* ---- Arrays ------------------------------------------------------------------------- */

static const Expr *whole(Lowerer *l, int64_t v)
{
    return expr_float(l->m, expr_integer(l->m, v));
}

/* A hidden REAL array with `count` elements, which setup fills. */
static uint32_t hidden_array(Lowerer *l, const FieldAxis *a, const char *name,
                             int64_t count)
{
    uint32_t k =
        lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL, name, a->node);
    Variable *v = model_variable(l->m, k);
    v->rank = 1;
    v->low[0] = 1;
    v->high[0] = count;
    v->elements = (uint64_t)count;
    return k;
}

static Statement *setup_add(Lowerer *l, const FieldAxis *a, Code *code,
                            StatementKind kind)
{
    Statement *s = code_add(l->m, code, kind, a->node->at,
                            lower_line(l, a->node->at, a->node->origin));
    s->row = lower_row(l, a->node, NONE, true);
    return s;
}

/* A loop from `low` to `high`; *i is its counter. */
static Code *setup_loop(Lowerer *l, const FieldAxis *a, int64_t low,
                        int64_t high, const Expr **i)
{
    Statement *s = setup_add(l, a, &l->m->setup, STATEMENT_FOR);
    s->which =
        lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER, "I", a->node);
    s->a = expr_integer(l->m, low);
    s->b = expr_integer(l->m, high);
    *i = expr_variable(l->m, s->which, NULL, 0);
    return &s->body;
}

static void setup_set(Lowerer *l, const FieldAxis *a, Code *code,
                      uint32_t array, const Expr *i, const Expr *value)
{
    Statement *s = setup_add(l, a, code, STATEMENT_ASSIGN);
    s->target = expr_variable(l->m, array, &i, 1);
    s->a = value;
}

/* ---- Points ------------------------------------------------------------------------- */

/* As many intervals as are written, or half as many once or several times, or twice. */
static int64_t intervals_of(const Lowerer *l, int64_t written)
{
    int32_t level = l->o ? l->o->grid_level : 0;
    for (; level < 0; level++)
        written = (written + 1) / 2;
    for (; level > 0 && written < LIMIT_ARRAY; level--)
        written *= 2;
    return written < 2 ? 2 : written;
}

static uint32_t hidden_const(Lowerer *l, const Node *n, const char *name,
                             const Expr *value)
{
    uint32_t k = lower_hidden(l, VARIABLE_CONST, EXPR_TYPE_REAL, name, n);
    model_variable(l->m, k)->value = value;
    return k;
}

/* Fills the places: from + (to - from) (i - 1) / intervals, which ends in `to`. */
static void fill_places(Lowerer *l, const FieldAxis *a, const Expr *from,
                        const Expr *to, int64_t intervals)
{
    Model *m = l->m;
    const Expr *i;
    Code *code = setup_loop(l, a, 1, a->points, &i);
    const Expr *share = expr_2(
        m, EXPR_DIV, expr_float(m, expr_2(m, EXPR_SUB, i, expr_integer(m, 1))),
        whole(l, intervals));
    setup_set(
        l, a, code, a->place, i,
        expr_2(m, EXPR_ADD, from,
               expr_2(m, EXPR_MUL, expr_2(m, EXPR_SUB, to, from), share)));
}

/* The number of points as written. */
static bool points_of(Lowerer *l, const Node *grid, int64_t *points)
{
    const Node *n = grid->first;
    *points = AUTO_FROM;
    if (node_absent(n))
        return true;
    if (!lower_constant(l, n, "the number of points of a GRID", points))
        return false;
    if (*points >= 3 && *points <= LIMIT_ARRAY)
        return true;
    LOWER_ERROR(l, n, "a GRID has 3 to %d points, not %" PRId64, LIMIT_ARRAY,
                *points);
    return false;
}

static FieldAxis *new_axis(Lowerer *l, const Node *n)
{
    FieldAxis *a = MODEL_NEW(l->m, FieldAxis);
    int64_t points;
    if (!a || !points_of(l, node_child(n, 2), &points))
        return NULL;
    int64_t intervals = intervals_of(l, points - 1);
    const Expr *from = lower_real(l, n->first, IN_VALUE);
    const Expr *to = lower_real(l, node_child(n, 1)->last, IN_VALUE);
    *a = (FieldAxis){.node = n, .name = n->text, .points = intervals + 1};
    for (uint32_t k = 0; k < LENGTH(a->weight); k++)
        a->weight[k] = NONE;
    a->place = hidden_array(l, a, n->text, a->points);
    model_variable(l->m, a->place)->carried = true;
    a->step =
        hidden_const(l, n, model_format(l->m, "%s step", n->text),
                     expr_2(l->m, EXPR_DIV, expr_2(l->m, EXPR_SUB, to, from),
                            whole(l, intervals)));
    fill_places(l, a, from, to, intervals);
    Coordinate row = {.name = n->text,
                      .unit = "",
                      .variable = a->place,
                      .points = (uint32_t)a->points,
                      .periodic = a->periodic,
                      .line = lower_line(l, n->at, n->origin)};
    a->number = model_add_axis(l->m, &row);
    return a;
}

FieldAxis *field_axis_for(Lowerer *l, const Node *n)
{
    FieldAxis *a = find_axis(l, n);
    return a ? a : new_axis(l, n);
}

/* ---- Weights of integrals ----------------------------------------------------------- */

#define END_MOST 5 // points at an end whose weights are not 1

/* By how much the weights at an end differ from 1, for the error to fall with the second,
   fourth or sixth power of the step: the trapezoid rule, and Gregory's corrections of it
   with two and with four differences. */
static const struct EndWeights {
    int64_t above[END_MOST], below;
    int64_t points;
} end_weights[FIELD_WEIGHTS] = {
    {{-1}, 2, 1},
    {{-15, 4, -1}, 24, 3},
    {{-965, 462, -336, 146, -27}, 1440, 5},
};

/* Adds to a weight what an end asks for. */
static void correct(Lowerer *l, const FieldAxis *a, uint32_t array,
                    int64_t number, int64_t above, int64_t below)
{
    Model *m = l->m;
    const Expr *i = expr_integer(m, number);
    const Expr *step = expr_variable(m, a->step, NULL, 0);
    const Expr *part = expr_2(m, EXPR_DIV, whole(l, above < 0 ? -above : above),
                              whole(l, below));
    setup_set(l, a, &m->setup, array, i,
              expr_2(m, above < 0 ? EXPR_SUB : EXPR_ADD,
                     expr_variable(m, array, &i, 1),
                     expr_2(m, EXPR_MUL, part, step)));
}

/* Corrections of both ends add up where they meet. */
static void fill_weights(Lowerer *l, const FieldAxis *a, uint32_t array,
                         const struct EndWeights *w)
{
    const Expr *i;
    Code *code = setup_loop(l, a, 1, a->points, &i);
    setup_set(l, a, code, array, i, expr_variable(l->m, a->step, NULL, 0));
    for (int64_t k = 0; k < w->points && !a->periodic; k++) {
        correct(l, a, array, 1 + k, w->above[k], w->below);
        correct(l, a, array, a->points - k, w->above[k], w->below);
    }
}

uint32_t field_weights(Lowerer *l, FieldAxis *a, uint32_t order)
{
    uint32_t k = order > 4 ? 2 : order > 2 ? 1 : 0;
    if (a->periodic)
        k = 0; // exact for every wave that the grid shows
    while (k > 0 && a->points < end_weights[k].points)
        k--;
    if (a->weight[k] == NONE) {
        a->weight[k] = hidden_array(
            l, a,
            k ? model_format(l->m, "%s weight %u", a->name, 2 * (unsigned)k + 2)
              : model_format(l->m, "%s weight", a->name),
            a->points);
        fill_weights(l, a, a->weight[k], &end_weights[k]);
    }
    return a->weight[k];
}
