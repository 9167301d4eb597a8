#include "lower/field_formula.h"

/* Formulas on grids whose steps are not equal, and along a radius.

   With formulas of order 2 every point has a volume, between its faces. A flux leaves one
   volume through a face and enters the next, so its divergence conserves the sum of the
   values times volumes to rounding, whatever the steps; a second derivative is the
   divergence of slopes at faces. Where materials meet, the volume of the point between
   them has a part of each, and the faces lie inside the materials.

   With formulas of higher order the place is a smooth function of the index, by which
   everything is differentiated. */

static const Expr *number(Lowerer *l, const char *text)
{
    return expr_number(l->m, text);
}

static const Expr *times(Lowerer *l, const Expr *a, const Expr *b)
{
    return expr_times(l->m, a, b);
}

/* The element of an array of the axis that belongs to the point, or to the face that is
   r half steps beside it. */
static const Expr *element(Lowerer *l, const FieldPoint *p, uint32_t k,
                           FieldArray which, int64_t r)
{
    FieldPoint there = *p;
    there.shift[k] += r;
    if (there.shift[k] % 2 != 0)
        there.shift[k]--; // a face has the number of the point before it
    const Expr *i = field_index(l, &there, k);
    return expr_variable(l->m, field_array(l, p->axis[k], which), &i, 1);
}

static bool between(const FieldPoint *p, uint32_t k)
{
    return p->shift[k] % 2 != 0;
}

/* The place of the point, to a power. */
static const Expr *radius(Lowerer *l, const FieldPoint *p, uint32_t k,
                          uint32_t power)
{
    const Expr *i = field_index(l, p, k), *product = number(l, "1.0");
    const Expr *x = expr_variable(l->m, p->axis[k]->place, &i, 1);
    for (uint32_t n = 0; n < power; n++)
        product = times(l, product, x);
    return product;
}

static bool at_centre(const FieldPoint *p, uint32_t k)
{
    return p->axis[k]->centre && formula_end(p, k) == 0;
}

/* ---- Order 2 ------------------------------------------------------------------------ */

/* True for what is differentiated over volumes. */
static bool has_volumes(const Formula *x, const FieldAxis *a)
{
    return x->of->order == 2 && (a->round || a->grid != GRID_EVEN);
}

static FieldPoint beside(const FieldPoint *p, uint32_t k, int64_t r)
{
    FieldPoint there = *p;
    there.shift[k] += r;
    return there;
}

/* The difference of the values at the points beside a face, over their distance. */
static const Expr *across(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    const Expr *d = expr_2(l->m, EXPR_SUB, formula_node(l, x, p, 1),
                           formula_node(l, x, p, -1));
    return times(l, element(l, p, x->k, AXIS_INVERSE_GAP, 0), d);
}

/* What goes through the face r half steps beside a point, or is there if r is 0: a slope,
   a flux, or the mean of what is beside it. */
static const Expr *through(Lowerer *l, const Formula *x, const FieldPoint *p,
                           int64_t r)
{
    Formula slope = *x;
    FieldPoint there = beside(p, x->k, r);
    if (x->d == 2) {
        slope.d = 1;
        slope.flux = false;
        return r ? across(l, &slope, &there) : formula_value(l, &slope, p);
    }
    if (x->flux || r == 0)
        return formula_node(l, x, p, r);
    return times(l, number(l, "0.5"),
                 expr_2(l->m, EXPR_ADD, formula_node(l, x, &there, 1),
                        formula_node(l, x, &there, -1)));
}

/* The same times the area; NULL: nothing goes through, at a centre. */
static const Expr *out_of(Lowerer *l, const Formula *x, const FieldPoint *p,
                          int64_t r)
{
    const FieldAxis *a = p->axis[x->k];
    if (r == 0 && at_centre(p, x->k))
        return NULL;
    const Expr *flux = through(l, x, p, r);
    if (!a->round)
        return flux;
    return times(
        l, r ? element(l, p, x->k, AXIS_AREA, r) : radius(l, p, x->k, a->round),
        flux);
}

static const Expr *divergence(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    uint32_t end = formula_end(p, x->k);
    const Expr *after = out_of(l, x, p, end == 1 ? 0 : 1);
    const Expr *before = out_of(l, x, p, end == 0 ? 0 : -1);
    return times(l, element(l, p, x->k, AXIS_INVERSE_VOLUME, 0),
                 before ? expr_2(l->m, EXPR_SUB, after, before) : after);
}

/* The slope of the parabola through three points. */
static const Expr *slope_of_three(Lowerer *l, const Formula *x,
                                  const FieldPoint *p)
{
    Model *m = l->m;
    const FieldPoint after = beside(p, x->k, 1), before = beside(p, x->k, -1);
    const Expr *share = element(l, p, x->k, AXIS_SHARE, 0);
    const Expr *rest = expr_2(m, EXPR_SUB, number(l, "1.0"), share);
    return expr_2(m, EXPR_ADD, times(l, share, across(l, x, &after)),
                  times(l, rest, across(l, x, &before)));
}

static const Expr *by_density(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    const Expr *d = formula_by_index(l, x, p);
    if (p->axis[x->k]->grid == GRID_EVEN)
        return d;
    return times(l,
                 element(l, p, x->k,
                         between(p, x->k) ? AXIS_FACE_DENSITY : AXIS_DENSITY,
                         0),
                 d);
}

/* A derivative between two points is across them; a second one the mean of both. */
static const Expr *at_face(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    Model *m = l->m;
    FieldPoint after = beside(p, x->k, 1), before = beside(p, x->k, -1);
    if (x->d == 2)
        return times(l, number(l, "0.5"),
                     expr_2(m, EXPR_ADD, formula_value(l, x, &after),
                            formula_value(l, x, &before)));
    uint32_t round = p->axis[x->k]->round;
    if (x->f || !round)
        return across(l, x, p);
    Formula weighted = *x;
    weighted.radial = round;
    return expr_2(m, EXPR_DIV, across(l, &weighted, p),
                  element(l, p, x->k, AXIS_AREA, 0));
}

static const Expr *over_volumes(Lowerer *l, const Formula *x,
                                const FieldPoint *p)
{
    const FieldAxis *a = p->axis[x->k];
    if (between(p, x->k))
        return at_face(l, x, p);
    if (x->d == 2 || !x->f)
        return divergence(l, x, p);
    if (a->grid == GRID_EVEN || formula_end(p, x->k) != NONE)
        return by_density(l, x, p);
    return slope_of_three(l, x, p);
}

/* ---- Higher order ------------------------------------------------------------------- */

/* d2/dx2 = (d2/di2) / x'^2 - (d/dx) x'' / x'^2 */
static const Expr *second(Lowerer *l, const Formula *x, const FieldPoint *p,
                          const Expr *first)
{
    bool face = between(p, x->k);
    const Expr *d = formula_by_index(l, x, p);
    if (p->axis[x->k]->grid == GRID_EVEN)
        return d;
    const Expr *density =
        element(l, p, x->k, face ? AXIS_FACE_DENSITY : AXIS_DENSITY, 0);
    const Expr *bend =
        element(l, p, x->k, face ? AXIS_FACE_BEND : AXIS_BEND, 0);
    return expr_minus(l->m, times(l, times(l, density, density), d),
                      times(l, bend, first));
}

static const Expr *inverse_radius(Lowerer *l, const FieldPoint *p, uint32_t k)
{
    if (between(p, k))
        return expr_2(l->m, EXPR_DIV, number(l, "1.0"),
                      element(l, p, k, AXIS_FACE, 0));
    return element(l, p, k, AXIS_INVERSE_RADIUS, 0);
}

static const Expr *first_derivative(Lowerer *l, const Formula *x,
                                    const FieldPoint *p)
{
    Formula first = *x;
    first.d = 1;
    const Expr *slope = formula_slope(l, &first, p);
    return slope ? slope : by_density(l, &first, p);
}

/* (1/r) d/dr (r du/dr) = d2u/dr2 + (1/r) du/dr, and twice the former at the centre. */
static const Expr *radial_second(Lowerer *l, const Formula *x,
                                 const FieldPoint *p)
{
    Model *m = l->m;
    uint32_t round = p->axis[x->k]->round;
    const Expr *first = first_derivative(l, x, p);
    const Expr *d = second(l, x, p, first);
    if (round == 0)
        return d;
    if (at_centre(p, x->k))
        return times(l, number(l, round == 1 ? "2.0" : "3.0"), d);
    const Expr *part = times(l, inverse_radius(l, p, x->k), first);
    if (round == 2)
        part = times(l, number(l, "2.0"), part);
    return expr_plus(m, d, part);
}

/* (1/r) d/dr (r v), and 2 dv/dr at the centre, where v is 0. */
static const Expr *radial_first(Lowerer *l, const Formula *x,
                                const FieldPoint *p)
{
    uint32_t round = p->axis[x->k]->round;
    Formula weighted = *x;
    if (at_centre(p, x->k))
        return times(l, number(l, round == 1 ? "2.0" : "3.0"),
                     by_density(l, x, p));
    weighted.radial = round;
    const Expr *d = by_density(l, &weighted, p);
    for (uint32_t n = 0; n < round; n++)
        d = times(l, inverse_radius(l, p, x->k), d);
    return d;
}

/* ---- All of them -------------------------------------------------------------------- */

const Expr *formula_value(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    const FieldAxis *a = p->axis[x->k];
    const Expr *slope = formula_slope(l, x, p);
    if (slope)
        return slope;
    if (a->grid == GRID_SPECTRAL && !between(p, x->k))
        return spectral_value(l, x, p);
    if (has_volumes(x, a))
        return over_volumes(l, x, p);
    if (x->d == 2)
        return radial_second(l, x, p);
    return x->f || !a->round ? by_density(l, x, p) : radial_first(l, x, p);
}

const Expr *volume_difference(Lowerer *l, const FieldPoint *p, uint32_t k,
                              FaceKind kind, bool volumes, const Expr *after,
                              const Expr *before)
{
    FieldAxis *a = p->axis[k];
    Model *m = l->m;
    if (kind == FACE_FLUX && a->round) {
        after = times(l, element(l, p, k, AXIS_AREA, 1), after);
        before = times(l, element(l, p, k, AXIS_AREA, -1), before);
    }
    const Expr *d = expr_2(m, EXPR_SUB, after, before);
    if (kind == FACE_FLUX && volumes && (a->round || a->grid != GRID_EVEN))
        return times(l, element(l, p, k, AXIS_INVERSE_VOLUME, 0), d);
    d = times(l, field_inverse_step(l, a), d);
    if (a->grid != GRID_EVEN)
        d = times(l, element(l, p, k, AXIS_DENSITY, 0), d);
    for (uint32_t n = 0; kind != FACE_SLOPE && n < a->round; n++)
        d = times(l, inverse_radius(l, p, k), d);
    return d;
}
