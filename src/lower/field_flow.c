#include "lower/field_flow.h"
#include "lower/field_formula.h"

#include "lower/stencil.h"
#include "model/differentiate.h"

/* ---- Marks -------------------------------------------------------------------------- */

typedef struct Mark { // a first derivative in the equation
    const Node *e;
    const FieldInfo *bare; // the FIELD, if e is nothing else
    uint32_t axis;         // of the point
    uint32_t stand_in;     // hidden variable
} Mark;

/* An equation that is being read: while it is, derivatives are stand-ins. */
typedef struct Flow {
    Mark mark[FLOW_MARKS];
    uint32_t n;
    bool many;
} Flow;

/* Whether a FIELD is in it that is itself carried along: not one that others give at every
   time. */
static bool is_carried(Lowerer *l, const Node *e)
{
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++)
        if (meaning_of(l, list[k]->symbol)->order == 1 &&
            field_mentions(e, list[k]->symbol))
            return true;
    return false;
}

const Expr *flow_mark(Lowerer *l, const Node *e, const FieldInfo *of,
                      uint32_t k)
{
    Flow *w = l->flow;
    if (!w || !is_carried(l, e))
        return NULL;
    if (w->n == FLOW_MARKS) {
        w->many = true;
        return expr_number(l->m, "0.0");
    }
    Mark *m = &w->mark[w->n++];
    *m = (Mark){e, e->kind == NODE_NAME ? of : NULL, k, NONE};
    if (l->stand_in[w->n - 1] == NONE)
        l->stand_in[w->n - 1] = lower_hidden(
            l, VARIABLE_DISCRETE, EXPR_TYPE_REAL,
            model_format(l->m, "derivative %u", (unsigned)w->n), e);
    m->stand_in = l->stand_in[w->n - 1];
    return expr_variable(l->m, m->stand_in, NULL, 0);
}

typedef struct Sides { // of an equation
    const Expr *left, *right;
} Sides;

static Sides read(Lowerer *l, Flow *w, const Node *n)
{
    Flow *before = l->flow;
    *w = (Flow){0};
    l->flow = w;
    Sides s = {lower_real(l, n->first, IN_EQUATION),
               lower_real(l, n->last, IN_EQUATION)};
    l->flow = before;
    return s;
}

/* What stands in front of `x` in left - right = 0. */
static const Expr *factor(Lowerer *l, const Sides *s, const Expr *x)
{
    return expr_minus(l->m, differentiate_by(l->m, s->left, x),
                      differentiate_by(l->m, s->right, x));
}

/* The rate that the equation is for, or NULL: it is for none of the first order. */
static const Expr *own_rate(Lowerer *l, const FieldInfo *f, const Expr **value)
{
    const FieldPoint *p = l->point;
    const Meaning *meaning = meaning_of(l, f->symbol);
    const Expr *index[2];
    if (meaning->order != 1)
        return NULL;
    for (uint32_t k = 0; k < f->axes; k++)
        index[k] = field_index(l, p, k);
    *value = expr_variable(l->m, f->variable, index, f->axes);
    return expr_rate(l->m, f->variable, index, f->axes);
}

/* ---- Speeds ------------------------------------------------------------------------- */

#define GROUP_MOST 8

typedef struct Group { // FIELDs whose transport is coupled, and its matrix
    const FieldInfo *f[GROUP_MOST];
    const Expr *value[GROUP_MOST]; // at the point
    uint32_t n;
    const Expr *a[GROUP_MOST][GROUP_MOST];
} Group;

static const Expr *zero(Lowerer *l)
{
    return expr_number(l->m, "0.0");
}

/* The place of a FIELD in the group; it is added if it has an equation of its own. */
static uint32_t place_of(Lowerer *l, Group *g, const FieldInfo *f)
{
    const Expr *value;
    for (uint32_t k = 0; k < g->n; k++)
        if (g->f[k] == f)
            return k;
    if (g->n == GROUP_MOST || !f->equation || !own_rate(l, f, &value))
        return NONE;
    for (uint32_t k = 0; k <= g->n; k++)
        g->a[k][g->n] = g->a[g->n][k] = zero(l);
    g->f[g->n] = f;
    g->value[g->n] = value;
    return g->n++;
}

/* Adds what one derivative in the equation of FIELD `row` contributes. */
static void add_mark(Lowerer *l, Group *g, uint32_t row, const Mark *mark,
                     const Expr *weight)
{
    Model *m = l->m;
    FieldInfo *const *list = (FieldInfo *const *)(void *)l->fields.bytes;
    const Expr *e = mark->bare ? NULL : lower_real(l, mark->e, IN_EQUATION);
    for (size_t k = 0; k < l->fields.used / sizeof *list; k++) {
        const FieldInfo *f = list[k];
        if (mark->bare ? mark->bare != f : !field_mentions(mark->e, f->symbol))
            continue;
        uint32_t at = place_of(l, g, f);
        if (at == NONE)
            continue;
        const Expr *by = mark->bare ? expr_number(m, "1.0")
                                    : differentiate_by(m, e, g->value[at]);
        if (!expr_is_zero(by))
            g->a[row][at] =
                expr_plus(m, g->a[row][at], expr_times(m, weight, by));
    }
}

/* Row `row` of the matrix along an axis: from the equation of that FIELD. */
static void add_row(Lowerer *l, Group *g, uint32_t row, const Node *n,
                    uint32_t axis)
{
    Model *m = l->m;
    Flow w;
    const Expr *value;
    Sides s = read(l, &w, n);
    const Expr *rate = factor(l, &s, own_rate(l, g->f[row], &value));
    for (uint32_t k = 0; k < w.n; k++) {
        const Mark *mark = &w.mark[k];
        const Expr *x = expr_variable(m, mark->stand_in, NULL, 0);
        if (mark->axis != axis)
            continue;
        const Expr *weight = factor(l, &s, x);
        if (!expr_is_one(rate))
            weight = expr_2(m, EXPR_DIV, weight, rate);
        add_mark(l, g, row, mark, weight);
    }
}

static const Expr *quiet_abs(Lowerer *l, const Expr *e)
{
    return expr_is_constant(e) || e->op == EXPR_NUMBER
               ? expr_1(l->m, EXPR_ABS, e)
               : expr_1(l->m, EXPR_NOEVENT, expr_1(l->m, EXPR_ABS, e));
}

static const Expr *largest(Lowerer *l, const Expr *a, const Expr *b)
{
    if (a == b)
        return a;
    return expr_1(l->m, EXPR_NOEVENT, expr_2(l->m, EXPR_MAX, a, b));
}

/* |trace|/2 + sqrt(max(0, (trace/2)^2 - determinant)), of the eigenvalues of a 2 x 2
   matrix; where these are complex the problem is not hyperbolic. */
static const Expr *radius_of_two(Lowerer *l, const Group *g)
{
    Model *m = l->m;
    const Expr *two = expr_number(m, "2.0");
    const Expr *half =
        expr_2(m, EXPR_DIV, expr_minus(m, g->a[0][0], g->a[1][1]), two);
    const Expr *mean =
        expr_2(m, EXPR_DIV, expr_plus(m, g->a[0][0], g->a[1][1]), two);
    const Expr *rest = expr_plus(m, expr_times(m, half, half),
                                 expr_times(m, g->a[0][1], g->a[1][0]));
    return expr_plus(m, quiet_abs(l, mean),
                     expr_1(m, EXPR_SQRT, largest(l, rest, zero(l))));
}

/* A bound for three and more: sums over rows of sqrt |a_jk a_kj|, which has the unit of a
   speed whatever the units of the FIELDs are. */
static const Expr *radius_of_many(Lowerer *l, const Group *g)
{
    Model *m = l->m;
    const Expr *most = NULL;
    for (uint32_t j = 0; j < g->n; j++) {
        const Expr *sum = quiet_abs(l, g->a[j][j]);
        for (uint32_t k = 0; k < g->n; k++) {
            const Expr *both = expr_times(m, g->a[j][k], g->a[k][j]);
            if (k != j && !expr_is_zero(both))
                sum =
                    expr_plus(m, sum, expr_1(m, EXPR_SQRT, quiet_abs(l, both)));
        }
        most = most ? largest(l, most, sum) : sum;
    }
    return most;
}

/* The largest speed along an axis at l->point. */
static const Expr *speed(Lowerer *l, const FieldInfo *f, const Node *n,
                         uint32_t axis)
{
    Group g = {0};
    const Expr *value;
    if (!own_rate(l, f, &value))
        return zero(l);
    g.f[0] = f;
    g.value[0] = value;
    g.n = 1;
    g.a[0][0] = zero(l);
    for (uint32_t row = 0; row < g.n; row++)
        add_row(l, &g, row, row == 0 ? n : g.f[row]->equation, axis);
    return g.n == 1   ? quiet_abs(l, g.a[0][0])
           : g.n == 2 ? radius_of_two(l, &g)
                      : radius_of_many(l, &g);
}

/* ---- Reconstruction ----------------------------------------------------------------- */

/* True for a flux along a radius whose area is counted before it is reconstructed, so
   that the order of the formula stays; one of order 1 has means of volumes. */
static bool is_weighed(Lowerer *l, const Node *e, const FieldAxis *a)
{
    return a->round > 0 && e->kind != NODE_NAME && field_in(l, e)->recon > 1;
}

static const Expr *value_at(Lowerer *l, const Node *e, uint32_t k, int64_t off)
{
    FieldPoint there = *l->point;
    const FieldPoint *before = l->point;
    there.shift[k] += 2 * off;
    l->point = &there;
    const Expr *v = lower_real(l, e, IN_EQUATION);
    l->point = before;
    for (uint32_t n = 0;
         is_weighed(l, e, there.axis[k]) && n < there.axis[k]->round; n++) {
        const Expr *i = field_index(l, &there, k);
        v = expr_times(l->m, expr_variable(l->m, there.axis[k]->place, &i, 1),
                       v);
    }
    return v;
}

/* The value at the face half a step after l->point of the polynomial whose means over the
   cells first .. first + count - 1, counted from the point, are those values: the slope of
   its integral, which is known at the faces. */
static const Expr *linear(Lowerer *l, const Node *e, uint32_t k, int64_t first,
                          int64_t count)
{
    Model *m = l->m;
    Stencil s = {.nodes = (uint32_t)count + 1};
    const Expr *sum = NULL;
    for (int64_t j = 0; j <= count; j++)
        s.node[j] = 2 * (first + j) - 2; // from the face, in half steps
    if (!stencil_solve(&s, 1))
        return zero(l);
    for (int64_t j = 0; j < count; j++) {
        int64_t weight = 0;
        for (int64_t i = j + 1; i <= count; i++)
            weight += 2 * s.weight[i];
        const Expr *w = expr_2(
            m, EXPR_DIV,
            expr_float(m, expr_integer(m, weight < 0 ? -weight : weight)),
            expr_float(m, expr_integer(m, s.over)));
        const Expr *v = value_at(l, e, k, first + j);
        if (weight % s.over == 0)
            w = expr_float(
                m, expr_integer(m, (weight < 0 ? -weight : weight) / s.over));
        v = expr_times(m, w, v);
        if (weight)
            sum = !sum         ? (weight < 0 ? expr_1(m, EXPR_NEG, v) : v)
                  : weight < 0 ? expr_2(m, EXPR_SUB, sum, v)
                               : expr_2(m, EXPR_ADD, sum, v);
    }
    return sum ? sum : zero(l);
}

static const Expr *whole(Lowerer *l, int64_t v)
{
    return expr_float(l->m, expr_integer(l->m, v));
}

/* a v0 + b v1 + c v2 */
static const Expr *three(Lowerer *l, const Expr *const *v, int64_t a, int64_t b,
                         int64_t c)
{
    Model *m = l->m;
    const Expr *sum = expr_times(m, whole(l, a), v[0]);
    sum = expr_plus(m, sum, expr_times(m, whole(l, b), v[1]));
    return expr_plus(m, sum, expr_times(m, whole(l, c), v[2]));
}

/* How much the parabola through three means bends and tilts (Jiang and Shu 1996), times
   12: 13 x^2 + 3 y^2. */
static const Expr *roughness(Lowerer *l, const Expr *bend, const Expr *tilt)
{
    Model *m = l->m;
    return expr_plus(m, expr_times(m, whole(l, 13), expr_times(m, bend, bend)),
                     expr_times(m, whole(l, 3), expr_times(m, tilt, tilt)));
}

/* Shares of the three parabolas in WENO-Z of five values, from the upwind side to the
   downwind one. */
static void weno_shares(Lowerer *l, const Expr *const *v, const Expr **share)
{
    static const int64_t tilt[3][3] = {{1, -4, 3}, {1, 0, -1}, {3, -4, 1}};
    static const int64_t ideal[3] = {1, 6, 3};
    Model *m = l->m;
    const Expr *rough[3], *all = NULL;
    const Expr *tiny = expr_number(m, "1.0E-40");
    for (int k = 0; k < 3; k++)
        rough[k] =
            roughness(l, three(l, v + k, 1, -2, 1),
                      three(l, v + k, tilt[k][0], tilt[k][1], tilt[k][2]));
    const Expr *far = expr_minus(m, rough[0], rough[2]);
    for (int k = 0; k < 3; k++) {
        const Expr *q = expr_2(m, EXPR_DIV, far, expr_plus(m, rough[k], tiny));
        share[k] = expr_times(m, whole(l, ideal[k]),
                              expr_plus(m, whole(l, 1), expr_times(m, q, q)));
        all = all ? expr_plus(m, all, share[k]) : share[k];
    }
    for (int k = 0; k < 3; k++)
        share[k] = expr_2(m, EXPR_DIV, share[k], all);
}

/* The mixture of the three parabolas. */
static const Expr *weno_value(Lowerer *l, const Expr *const *v,
                              const Expr *const *share)
{
    static const int64_t of[3][3] = {{2, -7, 11}, {-1, 5, 2}, {2, 5, -1}};
    Model *m = l->m;
    const Expr *sum = NULL;
    for (int k = 0; k < 3; k++) {
        const Expr *p = expr_times(
            m, share[k], three(l, v + k, of[k][0], of[k][1], of[k][2]));
        sum = sum ? expr_plus(m, sum, p) : p;
    }
    return expr_2(m, EXPR_DIV, sum, whole(l, 6));
}

/* Which cells a value at the face after l->point is made of; near an end of the grid those
   that there are. */
typedef struct Cells {
    int64_t first, count;
    bool moved; // not where they are inside
} Cells;

static Cells cells_of(const FieldInfo *f, const FieldPoint *p, uint32_t k,
                      bool right)
{
    int64_t n = p->axis[k]->points;
    Cells c = {.count = f->recon};
    c.first = right ? 1 - (c.count - 1) / 2 : -(c.count - 1) / 2;
    int64_t was = c.first;
    if (p->fixed[k] && !p->axis[k]->periodic) {
        if (c.count > n)
            c.count = n % 2 ? n : n - 1;
        if (p->fixed[k] + c.first < 1)
            c.first = 1 - p->fixed[k];
        if (p->fixed[k] + c.first + c.count - 1 > n)
            c.first = n - p->fixed[k] - c.count + 1;
    }
    c.moved = c.first != was || c.count != f->recon;
    return c;
}

/* Their values, the upwind one first. */
static void cell_values(Lowerer *l, const Node *e, uint32_t k, Cells c,
                        bool right, const Expr **v)
{
    for (int64_t j = 0; j < c.count; j++)
        v[right ? c.count - 1 - j : j] = value_at(l, e, k, c.first + j);
}

/* ---- Faces -------------------------------------------------------------------------- */

/* The hidden values at faces of an equation: of each of its derivatives, and of what
   upwinding adds along each axis. */
typedef struct FlowFaces {
    const Node *n;
    uint32_t mark[FLOW_MARKS];
    uint32_t share[FLOW_MARKS + 2][6];
    uint32_t added[2];
    bool at_points[2]; // the speed is that at the point, not at the face
    struct FlowFaces *next;
} FlowFaces;

static uint32_t face_variable(Lowerer *l, const FieldInfo *f, const Node *n,
                              uint32_t axis, const char *what)
{
    uint32_t k = lower_hidden(l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                              lower_hidden_name(l, what, n), n);
    Variable *v = model_variable(l->m, k);
    v->rank = f->axes;
    v->elements = 1;
    for (uint32_t i = 0; i < f->axes; i++) {
        v->low[i] = 1;
        v->high[i] =
            f->axis[i]->points - (i == axis && !f->axis[i]->periodic ? 1 : 0);
        v->elements *= (uint64_t)v->high[i];
    }
    return k;
}

static const Expr *face(Lowerer *l, uint32_t variable)
{
    const FieldPoint *p = l->point;
    const Expr *index[2];
    for (uint32_t k = 0; k < p->axes; k++)
        index[k] = field_index(l, p, k);
    return expr_variable(l->m, variable, index, p->axes);
}

typedef struct Making { // one hidden value at the faces along `axis`
    FieldInfo *f;
    const Node *n, *e;
    uint32_t axis, variable;
    const uint32_t *share; // WENO: shares of L(e), then of R(e)
    bool jump, with_speed;
} Making;

/* L(e) or R(e). */
static const Expr *reconstruct(Lowerer *l, const Making *w, bool right)
{
    const Expr *v[STENCIL_MOST], *share[3];
    Cells c = cells_of(w->f, l->point, w->axis, right);
    if (!w->f->weno || c.moved)
        return linear(l, w->e, w->axis, c.first, c.count);
    cell_values(l, w->e, w->axis, c, right, v);
    for (uint32_t k = 0; k < 3; k++) // how they change would be most of the C
        share[k] = expr_1(l->m, EXPR_FROZEN, face(l, w->share[3 * right + k]));
    return weno_value(l, v, share);
}

static void shares_at_face(Lowerer *l, const FieldPoint *p, void *user)
{
    const Making *w = user;
    for (uint32_t right = 0; right < 2; right++) {
        const Expr *v[STENCIL_MOST], *share[3];
        Cells c = cells_of(w->f, p, w->axis, right != 0);
        for (uint32_t k = 0; k < 3; k++)
            share[k] = zero(l);
        if (!c.moved) {
            cell_values(l, w->e, w->axis, c, right != 0, v);
            weno_shares(l, v, share);
        }
        for (uint32_t k = 0; k < 3; k++)
            lower_equation(l, w->n, face(l, w->share[3 * right + k]), share[k]);
    }
}

/* The point after l->point, as if the equation stood there. */
static FieldPoint next_point(Lowerer *l, uint32_t k)
{
    FieldPoint p = *l->point;
    p.shift[k] += 2;
    p.index[k] = field_index(l, &p, k);
    p.shift[k] -= 2;
    if (p.fixed[k])
        p.fixed[k] = p.index[k]->integer;
    return p;
}

static const Expr *speed_at_face(Lowerer *l, const Making *w)
{
    FieldPoint next = next_point(l, w->axis);
    const FieldPoint *before = l->point;
    const Expr *here = speed(l, w->f, w->n, w->axis);
    l->point = &next;
    const Expr *there = speed(l, w->f, w->n, w->axis);
    l->point = before;
    return largest(l, here, there);
}

static void at_face(Lowerer *l, const FieldPoint *p, void *user)
{
    const Making *w = user;
    Model *m = l->m;
    const Expr *left = reconstruct(l, w, false);
    const Expr *right = reconstruct(l, w, true);
    const Expr *value = expr_times(m, expr_number(m, "0.5"),
                                   w->jump ? expr_minus(m, right, left)
                                           : expr_plus(m, left, right));
    (void)p;
    if (!w->jump && left == right)
        value = left;
    if (w->with_speed)
        value = expr_times(m, speed_at_face(l, w), value);
    lower_equation(l, w->n, face(l, w->variable), value);
}

static FlowFaces *faces_of(Lowerer *l, const Node *n)
{
    for (FlowFaces *s = l->faces; s; s = s->next)
        if (s->n == n)
            return s;
    return NULL;
}

/* A bare name of the FIELD as a tree, for its own reconstruction. */
static Node *name_of(Lowerer *l, const FieldInfo *f)
{
    Node *n = MODEL_NEW(l->m, Node);
    if (n)
        *n = (Node){.kind = NODE_NAME,
                    .symbol = (struct Symbol *)(uintptr_t)f->symbol,
                    .text = f->symbol->name,
                    .at = f->symbol->node->at};
    return n;
}

/* So many faces at either end have no cells to one side of them that others have; where
   the last face is followed by the first, one more. */
static int64_t margin_of(const Making *w)
{
    return (int64_t)(w->f->recon - 1) / 2 + w->f->axis[w->axis]->periodic;
}

static void make(Lowerer *l, Making w, const char *what, uint32_t *variable)
{
    *variable = w.variable = face_variable(l, w.f, w.n, w.axis, what);
    field_each_face(l, w.f, w.n, w.axis, margin_of(&w), at_face, &w);
}

static void make_shares(Lowerer *l, Making w, uint32_t *share)
{
    if (!w.f->weno)
        return;
    for (uint32_t k = 0; k < 6; k++)
        share[k] = face_variable(l, w.f, w.n, w.axis, "share");
    w.share = share;
    field_each_face(l, w.f, w.n, w.axis, margin_of(&w), shares_at_face, &w);
}

static FieldPoint middle_of(Lowerer *l, const FieldInfo *f)
{
    FieldPoint middle = {.axes = f->axes};
    for (uint32_t k = 0; k < f->axes; k++) {
        middle.axis[k] = f->axis[k];
        middle.fixed[k] = (f->axis[k]->points + 1) / 2;
        middle.index[k] = expr_integer(l->m, middle.fixed[k]);
    }
    return middle;
}

/* Why an equation is none of transport, or NULL: it is. Reads it in the middle of the
   grid. */
static const char *look(Lowerer *l, FieldInfo *f, const Node *n, Flow *w)
{
    FieldPoint middle = middle_of(l, f);
    const FieldPoint *before = l->point;
    const Expr *value;
    const char *why = NULL;
    l->point = &middle;
    Sides s = read(l, w, n);
    const Expr *rate = own_rate(l, f, &value);
    if (w->many)
        why = "it has more than 16 first derivatives";
    if (rate && expr_is_zero(factor(l, &s, rate)))
        why = "the derivative by time is not in it";
    for (uint32_t k = 0; k < w->n; k++)
        for (uint32_t i = 0; i < w->n; i++)
            if (expr_contains(
                    factor(l, &s,
                           expr_variable(l->m, w->mark[k].stand_in, NULL, 0)),
                    expr_variable(l->m, w->mark[i].stand_in, NULL, 0)))
                why = "derivatives in space are multiplied with each other, so "
                      "nothing tells with which speed what is carried";
    l->point = before;
    return why;
}

/* The speed along an axis where the FIELD is carried by nothing but itself and the speed is
   a constant; 0: it is not known. */
static double known_speed(Lowerer *l, const FieldInfo *f, const Node *n,
                          uint32_t axis)
{
    Group g = {.f = {f}, .n = 1};
    double v = 0.0;
    if (!own_rate(l, f, &g.value[0]))
        return 0.0;
    g.a[0][0] = zero(l);
    add_row(l, &g, 0, n, axis);
    return g.n == 1 && expr_value(l, g.a[0][0], &v) ? v : 0.0;
}

void flow_check_sides(Lowerer *l, FieldInfo *f, const Node *n)
{
    static const char *const names[] = {"LEFT", "RIGHT", "BOTTOM", "TOP"};
    FieldPoint middle = middle_of(l, f);
    const FieldPoint *before = l->point;
    l->point = &middle;
    for (uint32_t k = 0; k < f->axes; k++) {
        double v = field_second(n, k) ? 0.0 : known_speed(l, f, n, k);
        if (v == 0.0 || f->axis[k]->periodic)
            continue;
        uint32_t in = 2 * k + (v < 0.0), out = 2 * k + (v > 0.0);
        if (f->kind[in] == SIDE_FREE)
            LOWER_ERROR(l, n,
                        "FIELD `%s` flows in AT %s, so its value there has to "
                        "be given: BOUNDARY %s AT %s: %s = ... END",
                        f->symbol->shown, names[in], f->symbol->shown,
                        names[in], f->symbol->shown);
        if (f->kind[out] == SIDE_VALUE)
            LOWER_WARNING(l, f->condition[out],
                          "FIELD `%s` flows out here: its equation gives the "
                          "value, and another one makes a jump at this side",
                          f->symbol->shown);
    }
    l->point = before;
}

/* A SCHEME that was written is what is wanted; one that was chosen gives way. */
static bool fits(Lowerer *l, FieldInfo *f, const Node *n, Flow *w)
{
    const char *why = look(l, f, n, w);
    if (why && f->chosen)
        field_set_scheme(l, f, "CENTRAL", 3);
    else if (why)
        LOWER_ERROR(l, n,
                    "SCHEME %s cannot follow this equation: %s; use SCHEME "
                    "CENTRAL",
                    model_field(l->m, f->number)->scheme, why);
    else if (f->chosen)
        diag_remark(l->m->diags, f->symbol->node->at,
                    "its equation is one of transport%s, so FIELD `%s` has "
                    "SCHEME %s",
                    f->weno ? "" : " and diffusion", f->symbol->shown,
                    model_field(l->m, f->number)->scheme);
    return !why;
}

/* What the equation gets on top of central differences along an axis. */
static void add_upwinding(Lowerer *l, FieldInfo *f, FlowFaces *s, const Flow *w,
                          uint32_t axis)
{
    bool any = false, own = true;
    Making one = {.f = f, .n = s->n, .axis = axis, .jump = true};
    for (uint32_t k = 0; k < w->n; k++) {
        if (w->mark[k].axis != axis)
            continue;
        any = true;
        own = own && w->mark[k].bare == f;
        if (w->mark[k].bare == f)
            one.share = s->share[k];
    }
    if (!any)
        return;
    one.e = name_of(l, f);
    one.with_speed = !own;
    s->at_points[axis] = own;
    if (!one.share) {
        make_shares(l, one, s->share[FLOW_MARKS + axis]);
        one.share = s->share[FLOW_MARKS + axis];
    }
    make(l, one, "upwind", &s->added[axis]);
}

bool flow_prepare(Lowerer *l, FieldInfo *f, const Node *n)
{
    Flow w;
    bool transported = meaning_of(l, f->symbol)->order == 1;
    FlowFaces *s = MODEL_NEW(l->m, FlowFaces);
    if (!s || !fits(l, f, n, &w))
        return false;
    *s = (FlowFaces){.n = n, .added = {NONE, NONE}, .next = l->faces};
    l->faces = s;
    for (uint32_t k = 0; k < w.n; k++) {
        Making one = {.f = f, .n = n, .e = w.mark[k].e, .axis = w.mark[k].axis};
        make_shares(l, one, s->share[k]);
        one.share = s->share[k];
        make(l, one, "face", &s->mark[k]);
    }
    for (uint32_t axis = 0; transported && axis < f->axes; axis++)
        add_upwinding(l, f, s, &w, axis);
    return true;
}

/* ---- Equations ---------------------------------------------------------------------- */

/* The difference of the values at the faces of the point, over what lies between; NULL:
   one of them is not on the grid. */
static const Expr *over_point(Lowerer *l, uint32_t variable, uint32_t axis,
                              FaceKind kind, bool volumes)
{
    FieldPoint there = *l->point;
    const FieldPoint *before = l->point;
    int64_t n = there.axis[axis]->points;
    if (!there.axis[axis]->periodic &&
        (there.fixed[axis] == 1 || there.fixed[axis] == n))
        return NULL;
    const Expr *after = face(l, variable);
    there.shift[axis] -= 2;
    l->point = &there;
    const Expr *first = face(l, variable);
    l->point = before;
    return volume_difference(l, before, axis, kind, volumes, after, first);
}

uint32_t flow_equation(Lowerer *l, FieldInfo *f, const Node *n)
{
    Model *m = l->m;
    const FlowFaces *s = faces_of(l, n);
    const Expr *value;
    Flow w;
    Sides e = read(l, &w, n);
    if (!s)
        return lower_equation(l, n, e.left, e.right);
    const Expr *rate = own_rate(l, f, &value);
    const Expr *in_front = rate ? factor(l, &e, rate) : NULL;
    for (uint32_t axis = 0; axis < f->axes; axis++) {
        const Expr *added =
            s->added[axis] == NONE
                ? NULL
                : over_point(l, s->added[axis], axis, FACE_FLUX, f->recon == 1);
        if (!added)
            continue;
        if (s->at_points[axis])
            added = expr_times(m, speed(l, f, n, axis), added);
        e.right = expr_plus(m, e.right, expr_times(m, in_front, added));
    }
    for (uint32_t k = 0; k < w.n; k++) {
        const Mark *mark = &w.mark[k];
        const Expr *d = over_point(l, s->mark[k], mark->axis,
                                   mark->bare ? FACE_SLOPE
                                   : is_weighed(l, mark->e, f->axis[mark->axis])
                                       ? FACE_WEIGHED
                                       : FACE_FLUX,
                                   f->recon == 1);
        if (!d)
            d = field_derivative(l, mark->e, mark->axis);
        const Expr *x = expr_variable(m, mark->stand_in, NULL, 0);
        e.left = expr_replace(m, e.left, x, d);
        e.right = expr_replace(m, e.right, x, d);
    }
    return lower_equation(l, n, e.left, e.right);
}
