#include "lower/field_flow.h"
#include "lower/field_formula.h"

#include <math.h>

#include "lower/stencil.h"

/* Values and derivatives of FIELDs at a point of the grid, or between two. */

/* ---- Constants of an axis ----------------------------------------------------------- */

typedef struct FieldScale { // above / below * step^power
    int64_t above, below;
    int32_t power;
    uint32_t number;
    uint32_t variable;
    struct FieldScale *next;
} FieldScale;

static const Expr *whole(Lowerer *l, int64_t v)
{
    return expr_float(l->m, expr_integer(l->m, v));
}

static const Expr *scale_value(Lowerer *l, const FieldAxis *a,
                               const FieldScale *s)
{
    Model *m = l->m;
    const Expr *step = expr_variable(m, a->step, NULL, 0);
    const Expr *above = whole(l, s->above), *below = whole(l, s->below);
    for (int32_t k = 0; k < s->power; k++)
        above = expr_times(m, above, step);
    for (int32_t k = s->power; k < 0; k++)
        below = expr_times(m, below, step);
    return expr_2(m, EXPR_DIV, above, below);
}

/* A hidden constant, made when it is first wanted, so that no formula divides. */
static const Expr *scale(Lowerer *l, FieldAxis *a, int64_t above, int64_t below,
                         int32_t power)
{
    if (above == below && power == 0)
        return expr_number(l->m, "1.0");
    for (FieldScale *s = a->scales; s; s = s->next)
        if (s->above == above && s->below == below && s->power == power)
            return expr_variable(l->m, s->variable, NULL, 0);
    FieldScale *s = MODEL_NEW(l->m, FieldScale);
    if (!s)
        return lower_nothing(l, EXPR_TYPE_REAL);
    *s = (FieldScale){above, below, power, 1, NONE, a->scales};
    s->number += a->scales ? a->scales->number : 0;
    s->variable = lower_hidden(
        l, VARIABLE_CONST, EXPR_TYPE_REAL,
        model_format(l->m, "%s scale %u", a->name, (unsigned)s->number),
        a->node);
    model_variable(l->m, s->variable)->value = scale_value(l, a, s);
    a->scales = s;
    return expr_variable(l->m, s->variable, NULL, 0);
}

/* ---- Points ------------------------------------------------------------------------- */

/* Which of the coordinates of the point is that axis; NONE: it has none such. */
static uint32_t along(const FieldPoint *p, const FieldAxis *a)
{
    for (uint32_t k = 0; k < p->axes; k++)
        if (p->axis[k] == a)
            return k;
    return NONE;
}

/* The index of the point on the grid that is `shift` half steps, an even number, from
   the given one. */
const Expr *field_index(Lowerer *l, const FieldPoint *p, uint32_t k)
{
    Model *m = l->m;
    int64_t steps = p->shift[k] / 2, n = p->axis[k]->points;
    assert(p->shift[k] % 2 == 0);
    if (p->fixed[k]) {
        int64_t i = p->fixed[k] + steps;
        if (p->axis[k]->periodic)
            i = (i - 1 + 16 * n) % n + 1;
        assert(i >= 1 && i <= n);
        return expr_integer(m, i);
    }
    if (steps == 0)
        return p->index[k];
    return expr_2(m, steps > 0 ? EXPR_ADD : EXPR_SUB, p->index[k],
                  expr_integer(m, steps > 0 ? steps : -steps));
}

/* Whether the place r half steps from the point lies on the grid. */
static bool is_inside(const FieldPoint *p, uint32_t k, int64_t r)
{
    if (!p->fixed[k] || p->axis[k]->periodic)
        return true;
    int64_t place = 2 * p->fixed[k] + p->shift[k] + r;
    return place >= 2 && place <= 2 * p->axis[k]->points;
}

static const Expr *place_of(Lowerer *l, FieldAxis *a, const Node *n);

/* ---- Formulas ----------------------------------------------------------------------- */

/* The hidden slope of a FIELD at one end of a coordinate, NONE if it has none. */
static uint32_t slope_at(const FieldInfo *f, const FieldAxis *a, uint32_t end)
{
    for (uint32_t k = 0; f && k < f->axes; k++)
        if (f->axis[k] == a)
            return f->slope[2 * k + end];
    return NONE;
}

bool formula_sloped(const FieldInfo *f, const FieldAxis *a, uint32_t end)
{
    return slope_at(f, a, end) != NONE || (f && a->centre && end == 0);
}

static const Expr *slope_value(Lowerer *l, uint32_t slope, const FieldPoint *p,
                               uint32_t k)
{
    if (slope == NONE)
        return expr_number(l->m, "0.0"); // by symmetry
    if (p->axes < 2)
        return expr_variable(l->m, slope, NULL, 0);
    const Expr *other = field_index(l, p, 1 - k);
    return expr_variable(l->m, slope, &other, 1);
}

/* Nodes on both sides of the point; false if some are not on the grid. */
static bool nodes_around(const Formula *x, const FieldPoint *p, Stencil *s)
{
    int64_t order = x->of->order, reach;
    bool between = (p->shift[x->k] % 2 != 0) != x->flux;
    reach = between ? order - 1 : order;
    s->nodes = 0;
    for (int64_t r = -reach; r <= reach; r += 2) {
        if (!is_inside(p, x->k, r))
            return false;
        s->node[s->nodes++] = r;
    }
    return true;
}

/* Nodes from one end of the grid inwards: as many as the order asks for, the slope at
   the end being one of them. */
static void nodes_inwards(const Formula *x, const FieldPoint *p, Stencil *s)
{
    const FieldAxis *a = p->axis[x->k];
    int64_t here = 2 * p->fixed[x->k] + p->shift[x->k], n = a->points;
    uint32_t end = here - 2 > 2 * n - here;
    bool bare_end = x->d == 1 && !x->flux && here == (end ? 2 * n : 2);
    uint32_t wanted = x->d + x->of->order - (x->d > 0 && !bare_end);
    int64_t first = end ? 2 * n : 2, way = end ? -2 : 2;
    s->sloped = formula_sloped(x->f, a, end);
    s->slope_at = first - here;
    wanted -= s->sloped;
    s->nodes = 0;
    if (x->flux && (formula_sloped(x->of, a, end) || here == first))
        s->node[s->nodes++] = first - here;
    if (x->flux)
        first += way / 2;
    for (int64_t at = first; s->nodes < wanted && at >= 2 && at <= 2 * n;
         at += way)
        s->node[s->nodes++] = at - here;
}

static const Expr *term(Lowerer *l, const Expr *sum, int64_t weight,
                        const Expr *value)
{
    Model *m = l->m;
    int64_t size = weight < 0 ? -weight : weight;
    if (size != 1)
        value = expr_times(m, whole(l, size), value);
    if (!sum)
        return weight < 0 ? expr_1(m, EXPR_NEG, value) : value;
    return expr_2(m, weight < 0 ? EXPR_SUB : EXPR_ADD, sum, value);
}

static int64_t common(int64_t a, int64_t b)
{
    a = a < 0 ? -a : a;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest < 0 ? -rest : rest;
    }
    return a;
}

const Expr *formula_node(Lowerer *l, const Formula *x, const FieldPoint *p,
                         int64_t r)
{
    FieldPoint there = *p;
    const FieldPoint *before = l->point;
    there.shift[x->k] += r;
    l->point = &there;
    const Expr *value = lower_real(l, x->n, IN_EQUATION);
    for (uint32_t k = 0; k < x->radial; k++)
        value = expr_times(l->m, place_of(l, p->axis[x->k], x->n), value);
    l->point = before;
    return value;
}

/* The slope at an end, by the index and times half a step. */
static const Expr *slope_by_index(Lowerer *l, const Formula *x,
                                  const FieldPoint *p, uint32_t end)
{
    FieldAxis *a = p->axis[x->k];
    const Expr *i = expr_integer(l->m, end ? a->points : 1);
    const Expr *slope = slope_value(l, slope_at(x->f, a, end), p, x->k);
    if (a->grid != GRID_EVEN)
        slope =
            expr_2(l->m, EXPR_DIV, slope,
                   expr_variable(l->m, field_array(l, a, AXIS_DENSITY), &i, 1));
    return expr_times(l->m, scale(l, a, 1, 2, 1), slope);
}

/* The sum that a Stencil means: positive weights first, as one would write it. */
static const Expr *weighted(Lowerer *l, const Formula *x, const FieldPoint *p,
                            const Stencil *s)
{
    FieldAxis *a = p->axis[x->k];
    const Expr *sum = NULL;
    int64_t above = 1, below = s->over, g = 0;
    for (uint32_t k = 0; k < s->nodes; k++)
        g = common(g, s->weight[k]);
    g = g && !s->sloped ? g : 1;
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t k = 0; k < s->nodes; k++)
            if (s->weight[k] && (s->weight[k] < 0) == (negative != 0))
                sum = term(l, sum, s->weight[k] / g,
                           formula_node(l, x, p, s->node[k]));
    int64_t place = 2 * p->fixed[x->k] + p->shift[x->k] + s->slope_at;
    uint32_t end = place > 2;
    if (s->sloped && s->slope_weight && slope_at(x->f, a, end) != NONE)
        sum = term(l, sum, s->slope_weight, slope_by_index(l, x, p, end));
    for (uint32_t k = 0; k < x->d; k++)
        above *= 2;
    above *= g;
    g = common(above, below);
    return sum ? expr_times(l->m,
                            scale(l, a, above / g, below / g, -(int32_t)x->d),
                            sum)
               : expr_number(l->m, "0.0");
}

uint32_t formula_end(const FieldPoint *p, uint32_t k)
{
    int64_t here = 2 * p->fixed[k] + p->shift[k], n = p->axis[k]->points;
    if (!p->fixed[k] || p->axis[k]->periodic || (here != 2 && here != 2 * n))
        return NONE;
    return here > 2;
}

const Expr *formula_slope(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    const FieldAxis *a = p->axis[x->k];
    uint32_t end = formula_end(p, x->k);
    if (end == NONE || x->d != 1 || !formula_sloped(x->f, a, end))
        return NULL;
    return slope_value(l, slope_at(x->f, a, end), p, x->k);
}

const Expr *formula_by_index(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    Stencil s = {0};
    if (!nodes_around(x, p, &s))
        nodes_inwards(x, p, &s);
    if (!stencil_solve(&s, x->d)) {
        LOWER_ERROR(l, x->n, "the difference formula for this is too long");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    return weighted(l, x, p, &s);
}

const Expr *field_slope_inside(Lowerer *l, const FieldInfo *f, uint32_t side,
                               const FieldPoint *at)
{
    FieldInfo bare = *f;
    Node name = {.kind = NODE_NAME,
                 .symbol = (struct Symbol *)(uintptr_t)f->symbol,
                 .at = f->symbol->node->at};
    Formula x = {.n = &name, .f = &bare, .of = f, .k = side / 2, .d = 1};
    for (uint32_t k = 0; k < SIDES; k++)
        bare.slope[k] = NONE;
    return formula_value(l, &x, at);
}

/* ---- Names -------------------------------------------------------------------------- */

/* A coordinate at the point. */
static const Expr *place_of(Lowerer *l, FieldAxis *a, const Node *n)
{
    const FieldPoint *p = l->point;
    uint32_t k = p ? along(p, a) : NONE;
    if (k == NONE) {
        LOWER_ERROR(l, n, "coordinate `%s` has no value here", a->name);
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    FieldPoint there = *p;
    int64_t rest = p->shift[k] % 2 != 0;
    there.shift[k] -= rest;
    const Expr *i = field_index(l, &there, k);
    if (rest && a->grid != GRID_EVEN)
        return expr_variable(l->m, field_array(l, a, AXIS_FACE), &i, 1);
    const Expr *x = expr_variable(l->m, a->place, &i, 1);
    return rest ? expr_2(l->m, EXPR_ADD, x, scale(l, a, 1, 2, 1)) : x;
}

/* A FIELD at the point: of its array, or of U'. */
static const Expr *value_of(Lowerer *l, const Node *n, const FieldInfo *f,
                            bool rate)
{
    const FieldPoint *p = l->point;
    const Expr *index[2];
    for (uint32_t k = 0; k < f->axes; k++) {
        uint32_t at = along(p, f->axis[k]);
        if (at == NONE) {
            LOWER_ERROR(l, n,
                        "FIELD `%s` lies on another grid of `%s` than the "
                        "FIELD that this equation is for: give both the same "
                        "coordinates, or write `%s AT` a place",
                        f->symbol->shown, f->axis[k]->name, f->symbol->shown);
            return lower_nothing(l, EXPR_TYPE_REAL);
        }
        if (p->shift[at] % 2 != 0) {
            Formula x = {.n = n, .f = f, .of = f, .k = at};
            return formula_by_index(l, &x, p);
        }
        index[k] = field_index(l, p, at);
    }
    if (!rate)
        return expr_variable(l->m, f->variable, index, f->axes);
    const Meaning *meaning = meaning_of(l, f->symbol);
    if (n->integer == 2)
        return expr_rate(l->m, meaning->rate, index, f->axes);
    return meaning->rate != NONE
               ? expr_variable(l->m, meaning->rate, index, f->axes)
               : expr_rate(l->m, f->variable, index, f->axes);
}

const Expr *lower_field_name(Lowerer *l, const Node *n, Place place)
{
    bool rate = n->kind == NODE_DERIVATIVE;
    const Node *name = rate ? n->first : n;
    if (l->fields.used == 0 || name->kind != NODE_NAME || !name->symbol)
        return NULL;
    FieldAxis *a = name->symbol->kind == SYMBOL_COORDINATE
                       ? field_axis(l, name->symbol)
                       : NULL;
    if (a)
        return place_of(l, a, n);
    const FieldInfo *f =
        name->symbol->kind == SYMBOL_FIELD ? field_of(l, name->symbol) : NULL;
    if (!f)
        return NULL;
    if (l->point) {
        lower_mark_read(l, f->variable, place);
        return value_of(l, n, f, rate);
    }
    LOWER_ERROR(l, n,
                "FIELD `%s` has many values: write `%s AT` a place, or "
                "INTEGRAL(%s)",
                f->symbol->shown, f->symbol->shown, f->symbol->shown);
    return lower_nothing(l, EXPR_TYPE_REAL);
}

/* ---- Calls -------------------------------------------------------------------------- */

/* What the conversion of a unit was added to; *by is what its derivative has to be
   multiplied by. */
static const Node *unconverted(Lowerer *l, const Node *n, const Expr **by)
{
    *by = expr_number(l->m, "1.0");
    while (n->kind == NODE_BINARY && (n->flags & FLAG_CONVERTED)) {
        const Expr *x = lower_real(l, n->last, IN_VALUE);
        if (n->word == WORD_TIMES)
            *by = expr_times(l->m, *by, x);
        else if (n->word == WORD_SLASH)
            *by = expr_2(l->m, EXPR_DIV, *by, x);
        n = n->first;
    }
    return n;
}

/* A FIELD whose declaration was refused. */
static bool is_refused(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->symbol && n->symbol->kind == SYMBOL_FIELD &&
               !field_of(l, n->symbol);
    for (const Node *k = n->first; k; k = k->next)
        if (is_refused(l, k))
            return true;
    return false;
}

static const Expr *derivative(Lowerer *l, const Node *n, uint32_t axis,
                              uint32_t order)
{
    const Expr *by;
    const Node *e = unconverted(l, call_actual(n, 0), &by);
    const FieldPoint *p = l->point;
    const FieldInfo *of = field_in(l, e);
    if (is_refused(l, e))
        return lower_nothing(l, EXPR_TYPE_REAL);
    if (!p) {
        LOWER_ERROR(l, n,
                    "derivatives in space stand in the equations of a FIELD "
                    "and in its BOUNDARY; elsewhere write AT a place after "
                    "them");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    if (!of || axis >= of->axes) {
        LOWER_ERROR(l, n,
                    of ? "FIELD `%s` has only one coordinate"
                       : "there is no FIELD in this to differentiate%s",
                    of ? of->symbol->shown : "");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    uint32_t k = along(p, of->axis[axis]);
    if (k == NONE)
        return value_of(l, e, of, false); // reports why
    if (p->anywhere) {
        LOWER_ERROR(l, n,
                    "here values of FIELDs are read, but not their derivatives "
                    "in space: declare a FIELD for this derivative and give it "
                    "an equation");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    Formula x = {.n = e,
                 .f = e->kind == NODE_NAME ? of : NULL,
                 .of = of,
                 .k = k,
                 .d = order,
                 .flux = order == 1 && field_derives(e, axis)};
    const Expr *mark = order == 1 && !x.flux && p->shift[k] == 0 &&
                               p->axis[k]->grid != GRID_SPECTRAL
                           ? flow_mark(l, e, of, k)
                           : NULL;
    return expr_times(l->m, by, mark ? mark : formula_value(l, &x, p));
}

const Expr *field_inverse_step(Lowerer *l, FieldAxis *a)
{
    return scale(l, a, 1, 1, -1);
}

const Expr *field_derivative(Lowerer *l, const Node *e, uint32_t k)
{
    const FieldInfo *of = field_in(l, e);
    Formula x = {.n = e,
                 .f = e->kind == NODE_NAME ? of : NULL,
                 .of = of,
                 .k = k,
                 .d = 1};
    return formula_value(l, &x, l->point);
}

/* ---- INTEGRAL ----------------------------------------------------------------------- */

/* The sum over a coordinate, and those after it, of weight * e. */
static const Expr *sum_along(Lowerer *l, const FieldInfo *f, FieldPoint *p,
                             uint32_t k, const Node *e, Place place)
{
    Model *m = l->m;
    FieldAxis *a = f->axis[k];
    uint32_t weight = field_weights(l, a, f->order);
    Loop loop = {.name = k == 0 ? "I" : "J",
                 .low = 1,
                 .high = a->points,
                 .step = 1,
                 .bound = true,
                 .line = lower_line(l, e->at, e->origin)};
    uint32_t number = model_add_loop(m, &loop);
    p->axis[k] = a;
    p->index[k] = expr_loop(m, number);
    const Expr *term = k + 1 < f->axes ? sum_along(l, f, p, k + 1, e, place)
                                       : lower_real(l, e, place);
    term = expr_times(m, expr_variable(m, weight, &p->index[k], 1), term);
    const Expr *arg[4] = {expr_integer(m, 1), expr_integer(m, a->points),
                          expr_truth(m, false), term};
    return expr_make(m, EXPR_SUM, EXPR_TYPE_REAL, number, arg, 4);
}

static const Expr *integral(Lowerer *l, const Node *n, Place place)
{
    const Node *e = call_actual(n, 0);
    const FieldInfo *f = field_in(l, e);
    const FieldPoint *before = l->point;
    FieldPoint p = {.anywhere = true};
    if (!f)
        return lower_nothing(l, EXPR_TYPE_REAL);
    p.axes = f->axes;
    l->point = &p;
    l->series++;
    const Expr *sum = sum_along(l, f, &p, 0, e, place);
    l->series--;
    l->point = before;
    return sum ? sum : lower_nothing(l, EXPR_TYPE_REAL);
}

const Expr *lower_field_call(Lowerer *l, const Node *n, Place place)
{
    if (field_is_integral(n))
        return integral(l, n, place);
    uint32_t axis, order = field_operator(n, &axis);
    if (order)
        return derivative(l, n, axis, order);
    return NULL;
}

/* ---- AT ----------------------------------------------------------------------------- */

/* Where a place lies on a grid with unequal steps, in intervals from its beginning. */
static double intervals_before(Lowerer *l, const FieldAxis *a, double place)
{
    int64_t low = 1, high = a->intervals + 1;
    double before, after, at;
    while (high - low > 1) {
        int64_t i = (low + high) / 2;
        if (!expr_value(l, field_place(l, a, i), &at))
            return -1.0;
        *(at <= place ? &low : &high) = i;
    }
    if (!expr_value(l, field_place(l, a, low), &before) ||
        !expr_value(l, field_place(l, a, high), &after))
        return -1.0;
    return (double)(low - 1) + (place - before) / (after - before);
}

/* Where a place lies on an axis: its value, if the steps are equal counted in intervals
   from the beginning, and that number, which is known at translation. */
static bool find_place(Lowerer *l, const FieldInfo *f, uint32_t k,
                       const Node *n, const Expr **place, double *at)
{
    const FieldAxis *a = f->axis[k];
    *place = lower_real(l, n, IN_VALUE);
    if (a->grid == GRID_EVEN)
        *place = expr_2(l->m, EXPR_DIV,
                        expr_2(l->m, EXPR_SUB, *place,
                               lower_real(l, a->node->first, IN_VALUE)),
                        expr_variable(l->m, a->step, NULL, 0));
    if (!expr_value(l, *place, at)) {
        LOWER_ERROR(l, n, "the place after AT must be a constant");
        return false;
    }
    if (a->grid != GRID_EVEN)
        *at = intervals_before(l, a, *at);
    if (*at > -1e-9 && *at < (double)a->intervals + 1e-9)
        return true;
    LOWER_ERROR(l, n, "this place lies outside `%s` of FIELD `%s`", a->name,
                f->symbol->shown);
    return false;
}

static bool is_known(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_NAME && n->symbol && n->symbol->node &&
        n->symbol->kind != SYMBOL_CONST) {
        LOWER_ERROR(l, n,
                    "the place after AT must be a constant, but `%s` is none",
                    n->symbol->shown);
        return false;
    }
    for (const Node *k = n->first; k; k = k->next)
        if (!is_known(l, k))
            return false;
    return true;
}

typedef struct Between { // interpolation along one coordinate
    int64_t first, count;
    const Expr **weight;
} Between;

static Between new_between(Lowerer *l, int64_t first, int64_t count)
{
    Between b = {first, count, MODEL_ARRAY(l->m, const Expr *, (size_t)count)};
    if (!b.weight)
        b.count = 0;
    else if (count == 1)
        b.weight[0] = expr_number(l->m, "1.0");
    return b;
}

/* The place from which distances to a point are taken. */
static const Expr *knot(Lowerer *l, const FieldAxis *a, int64_t i)
{
    return a->grid == GRID_EVEN ? whole(l, i - 1) : field_place(l, a, i);
}

/* Lagrange's weights at a place for the points first .. first + count - 1: constants of
   the run, so they have its precision. */
static void lagrange(Lowerer *l, const FieldAxis *a, const Node *n,
                     const Expr *place, Between *b)
{
    Model *m = l->m;
    for (int64_t j = 0; j < b->count; j++) {
        const Expr *above = NULL, *below = NULL;
        for (int64_t k = 0; k < b->count; k++) {
            if (k == j)
                continue;
            const Expr *at = knot(l, a, b->first + k);
            const Expr *off = expr_2(m, EXPR_SUB, place, at);
            const Expr *apart =
                a->grid == GRID_EVEN
                    ? whole(l, j - k)
                    : expr_2(m, EXPR_SUB, knot(l, a, b->first + j), at);
            above = above ? expr_2(m, EXPR_MUL, above, off) : off;
            below = below ? expr_2(m, EXPR_MUL, below, apart) : apart;
        }
        uint32_t v = lower_hidden(l, VARIABLE_CONST, EXPR_TYPE_REAL,
                                  lower_hidden_name(l, "AT", n), n);
        model_variable(m, v)->value = expr_2(m, EXPR_DIV, above, below);
        b->weight[j] = expr_variable(m, v, NULL, 0);
    }
}

/* The points that interpolation at a place may use: those of its piece; a periodic
   coordinate goes on at both ends. */
static void find_range(const FieldAxis *a, double at, int64_t *low,
                       int64_t *high)
{
    uint32_t p = a->pieces - 1;
    while (p > 0 && at + 1.0 < (double)a->piece[p].first)
        p--;
    *low = a->piece[p].first;
    *high = *low + a->piece[p].intervals;
    if (a->periodic && a->pieces == 1) {
        *low -= a->points;
        *high += a->points;
    }
}

static bool between(Lowerer *l, const FieldInfo *f, uint32_t k, const Node *n,
                    Between *b)
{
    FieldAxis *a = f->axis[k];
    const Expr *place;
    double at;
    if (!is_known(l, n) || !find_place(l, f, k, n, &place, &at))
        return false;
    int64_t most = f->order + 2, low, high;
    find_range(a, at, &low, &high);
    if (fabs(at - round(at)) < 1e-9) {
        *b = new_between(l, (int64_t)round(at) + 1, 1);
        return true;
    }
    if (a->grid == GRID_SPECTRAL) {
        *b = new_between(l, 1, a->points);
        uint32_t weights = spectral_between(l, a, n, place);
        for (int64_t j = 0; j < b->count; j++) {
            const Expr *i = expr_integer(l->m, j + 1);
            b->weight[j] = expr_variable(l->m, weights, &i, 1);
        }
        return true;
    }
    int64_t count = most < high - low + 1 ? most : high - low + 1;
    int64_t first = (int64_t)floor(at) + 2 - count / 2;
    if (first + count - 1 > high)
        first = high - count + 1;
    *b = new_between(l, first < low ? low : first, count);
    lagrange(l, a, n, place, b);
    return true;
}

/* The value of an expression at a point of the grid. */
static const Expr *at_point(Lowerer *l, const FieldInfo *f, const Node *n,
                            const int64_t *index, Place place)
{
    FieldPoint there = {.axes = f->axes};
    const FieldPoint *before = l->point;
    for (uint32_t k = 0; k < f->axes; k++) {
        there.axis[k] = f->axis[k];
        there.fixed[k] = index[k];
        there.index[k] = expr_integer(l->m, index[k]);
    }
    l->point = &there;
    const Expr *value = lower_real(l, n, place);
    l->point = before;
    return value;
}

/* The number of a point; beyond the end of a periodic coordinate it begins again. */
static int64_t wrapped(const FieldAxis *a, int64_t i)
{
    return a->periodic ? (i - 1 + 2 * a->points) % a->points + 1 : i;
}

const Expr *lower_field_at(Lowerer *l, const Node *n, Place place)
{
    Model *m = l->m;
    const FieldInfo *f = field_in(l, n->first);
    const Expr *sum = NULL;
    Between b[2];
    if (!f)
        return lower_nothing(l, EXPR_TYPE_REAL);
    b[1] = new_between(l, 1, 1);
    b[0] = new_between(l, n->word == WORD_RIGHT ? f->axis[0]->points : 1, 1);
    for (uint32_t k = 0; n->word == WORD_NONE && k < f->axes; k++)
        if (!between(l, f, k, node_child(n, k + 1), &b[k]))
            return lower_nothing(l, EXPR_TYPE_REAL);
    for (int64_t i = 0; i < b[0].count; i++)
        for (int64_t j = 0; j < b[1].count; j++) {
            int64_t index[2] = {
                wrapped(f->axis[0], b[0].first + i),
                f->axes > 1 ? wrapped(f->axis[1], b[1].first + j) : 1};
            const Expr *v =
                expr_times(m, expr_times(m, b[0].weight[i], b[1].weight[j]),
                           at_point(l, f, n->first, index, place));
            sum = sum ? expr_2(m, EXPR_ADD, sum, v) : v;
        }
    return sum ? sum : lower_nothing(l, EXPR_TYPE_REAL);
}
