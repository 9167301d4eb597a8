#include "lower/field_formula.h"

/* GRID CHEBYSHEV: n points that are dense at the ends, x = a + (b - a) sin(pi k / 2N)^2,
   and derivatives of the polynomial through all of them, by matrices (Trefethen,
   Spectral Methods in MATLAB, chapter 6). Differences of places are products of sines, and
   the diagonal is what makes the derivative of a constant 0: both keep the digits that
   differences would lose (Baltensperger and Trummer 2003).

   What has a derivative itself is a hidden ALGEBR at all points, which is differentiated
   again. A slope that a condition gives takes the place of the polynomial's there. */

/* ---- Setup -------------------------------------------------------------------------- */

typedef struct Setup {
    FieldAxis *a;
    const Expr *i, *j; // counters, from 1
    Code *code;        // inside their loops
} Setup;

static const Expr *number(Lowerer *l, const char *text)
{
    return expr_number(l->m, text);
}

static const Expr *mul(Lowerer *l, const Expr *a, const Expr *b)
{
    return expr_2(l->m, EXPR_MUL, a, b);
}

static const Expr *over(Lowerer *l, const Expr *a, const Expr *b)
{
    return expr_2(l->m, EXPR_DIV, a, b);
}

static const Expr *whole(Lowerer *l, int64_t v)
{
    return expr_float(l->m, expr_integer(l->m, v));
}

static Statement *add(Lowerer *l, const FieldAxis *a, Code *code,
                      StatementKind kind)
{
    Statement *s = code_add(l->m, code, kind, a->node->at,
                            lower_line(l, a->node->at, a->node->origin));
    s->row = lower_row(l, a->node, NONE, true);
    return s;
}

static void set(Lowerer *l, const FieldAxis *a, Code *code, const Expr *target,
                const Expr *value)
{
    Statement *s = add(l, a, code, STATEMENT_ASSIGN);
    s->target = target;
    s->a = value;
}

/* A loop over all points. */
static Code *each(Lowerer *l, const FieldAxis *a, Code *code, const char *name,
                  const Expr **i)
{
    Statement *s = add(l, a, code, STATEMENT_FOR);
    s->which =
        lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER, name, a->node);
    s->a = expr_integer(l->m, 1);
    s->b = expr_integer(l->m, a->points);
    *i = expr_variable(l->m, s->which, NULL, 0);
    return &s->body;
}

static Setup each_pair(Lowerer *l, FieldAxis *a)
{
    Setup s = {.a = a};
    Code *rows = each(l, a, &l->m->setup, "I", &s.i);
    s.code = each(l, a, rows, "J", &s.j);
    return s;
}

static Code *unless_equal(Lowerer *l, const Setup *s)
{
    Statement *branch = add(l, s->a, s->code, STATEMENT_IF);
    branch->a = expr_2(l->m, EXPR_NE, s->i, s->j);
    return &branch->body;
}

static const Expr *entry(Lowerer *l, uint32_t matrix, const Expr *i,
                         const Expr *j)
{
    const Expr *index[2] = {i, j};
    return expr_variable(l->m, matrix, index, 2);
}

static uint32_t new_matrix(Lowerer *l, const FieldAxis *a, const char *name)
{
    uint32_t k =
        lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL,
                     model_format(l->m, "%s %s", a->name, name), a->node);
    Variable *v = model_variable(l->m, k);
    v->rank = 2;
    for (uint32_t d = 0; d < 2; d++) {
        v->low[d] = 1;
        v->high[d] = a->points;
    }
    v->elements = (uint64_t)(a->points * a->points);
    return k;
}

static uint32_t new_array(Lowerer *l, const FieldAxis *a, const char *name)
{
    uint32_t k =
        lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL, name, a->node);
    Variable *v = model_variable(l->m, k);
    v->rank = 1;
    v->low[0] = 1;
    v->high[0] = a->points;
    v->elements = (uint64_t)a->points;
    return k;
}

static const Expr *is_end(Lowerer *l, const FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    return expr_2(m, EXPR_OR, expr_2(m, EXPR_EQ, i, expr_integer(m, 1)),
                  expr_2(m, EXPR_EQ, i, expr_integer(m, a->points)));
}

/* x[i] - x[j] = (b - a) sin(pi (i + j - 2) / 2N) sin(pi (i - j) / 2N) */
static const Expr *distance(Lowerer *l, const Setup *s)
{
    Model *m = l->m;
    const Expr *angle =
        over(l, expr_system(m, SYSTEM_PI), whole(l, 2 * s->a->intervals));
    const Expr *sum = expr_2(m, EXPR_SUB, expr_2(m, EXPR_ADD, s->i, s->j),
                             expr_integer(m, 2));
    const Expr *rest = expr_2(m, EXPR_SUB, s->i, s->j);
    const Expr *length = mul(l, whole(l, s->a->intervals),
                             expr_variable(m, s->a->step, NULL, 0));
    const Expr *sines =
        mul(l, expr_1(m, EXPR_SIN, mul(l, angle, expr_float(m, sum))),
            expr_1(m, EXPR_SIN, mul(l, angle, expr_float(m, rest))));
    return mul(l, length, sines);
}

/* 1, or -1 if i + j is odd. */
static const Expr *sign(Lowerer *l, const Expr *i, const Expr *j)
{
    Model *m = l->m;
    const Expr *odd =
        expr_2(m, EXPR_MOD, expr_2(m, EXPR_ADD, i, j), expr_integer(m, 2));
    return expr_choose(m, expr_2(m, EXPR_EQ, odd, expr_integer(m, 0)),
                       number(l, "1.0"), number(l, "-1.0"));
}

/* The diagonal is minus the sum of the rest of the row. */
static void fill_diagonal(Lowerer *l, FieldAxis *a, uint32_t matrix)
{
    const Expr *i;
    Code *rows = each(l, a, &l->m->setup, "I", &i);
    set(l, a, rows, entry(l, matrix, i, i), number(l, "0.0"));
    Setup s = each_pair(l, a);
    const Expr *sum = entry(l, matrix, s.i, s.i);
    set(l, a, unless_equal(l, &s), sum,
        expr_2(l->m, EXPR_SUB, sum, entry(l, matrix, s.i, s.j)));
}

/* D[i, j] = (c[i] / c[j]) (-1)^(i + j) / (x[i] - x[j]), c = 2 at the ends, 1 inside. */
static uint32_t first_matrix(Lowerer *l, FieldAxis *a)
{
    Model *m = l->m;
    if (a->matrix[0] != NONE)
        return a->matrix[0];
    a->matrix[0] = new_matrix(l, a, "D");
    Setup s = each_pair(l, a);
    const Expr *two = number(l, "2.0"), *half = number(l, "0.5");
    const Expr *one = number(l, "1.0");
    const Expr *c = mul(l, expr_choose(m, is_end(l, a, s.i), two, one),
                        expr_choose(m, is_end(l, a, s.j), half, one));
    set(l, a, unless_equal(l, &s), entry(l, a->matrix[0], s.i, s.j),
        over(l, mul(l, c, sign(l, s.i, s.j)), distance(l, &s)));
    fill_diagonal(l, a, a->matrix[0]);
    return a->matrix[0];
}

/* D2[i, j] = 2 D[i, j] (D[i, i] - 1 / (x[i] - x[j])) */
static uint32_t second_matrix(Lowerer *l, FieldAxis *a)
{
    uint32_t first = first_matrix(l, a);
    if (a->matrix[1] != NONE)
        return a->matrix[1];
    a->matrix[1] = new_matrix(l, a, "DD");
    Setup s = each_pair(l, a);
    const Expr *rest = expr_2(l->m, EXPR_SUB, entry(l, first, s.i, s.i),
                              over(l, number(l, "1.0"), distance(l, &s)));
    set(l, a, unless_equal(l, &s), entry(l, a->matrix[1], s.i, s.j),
        mul(l, mul(l, number(l, "2.0"), entry(l, first, s.i, s.j)), rest));
    fill_diagonal(l, a, a->matrix[1]);
    return a->matrix[1];
}

/* ---- Weights ------------------------------------------------------------------------ */

static const Expr *element(Lowerer *l, uint32_t array, const Expr *i)
{
    return expr_variable(l->m, array, &i, 1);
}

/* -2 cos(2 pi j i / N) / (4 j^2 - 1) for j = 1 .. N/2, with half of that where 2j = N. */
static const Expr *cosine_term(Lowerer *l, const FieldAxis *a, const Expr *i,
                               const Expr *j)
{
    Model *m = l->m;
    const Expr *one = expr_integer(m, 1), *two = expr_integer(m, 2);
    const Expr *angle =
        mul(l,
            over(l, mul(l, number(l, "2.0"), expr_system(m, SYSTEM_PI)),
                 whole(l, a->intervals)),
            expr_float(m, mul(l, j, expr_2(m, EXPR_SUB, i, one))));
    const Expr *below = expr_float(
        m, expr_2(m, EXPR_SUB, mul(l, expr_integer(m, 4), mul(l, j, j)), one));
    const Expr *twice =
        expr_2(m, EXPR_EQ, mul(l, two, j), expr_integer(m, a->intervals));
    return over(l,
                mul(l,
                    expr_choose(m, twice, number(l, "1.0"), number(l, "2.0")),
                    expr_1(m, EXPR_COS, angle)),
                below);
}

/* What stands before the sum: (b - a) / N, half of that at the ends, times the circle or
   the sphere at this radius. */
static const Expr *weight_factor(Lowerer *l, const FieldAxis *a, const Expr *i)
{
    Model *m = l->m;
    const Expr *c = mul(
        l, expr_choose(m, is_end(l, a, i), number(l, "0.5"), number(l, "1.0")),
        expr_variable(m, a->step, NULL, 0));
    const Expr *r = element(l, a->place, i);
    if (a->round == 0)
        return c;
    c = mul(l, c,
            mul(l, number(l, a->round == 2 ? "4.0" : "2.0"),
                expr_system(m, SYSTEM_PI)));
    return mul(l, c, a->round == 2 ? mul(l, r, r) : r);
}

uint32_t spectral_weights(Lowerer *l, FieldAxis *a)
{
    Model *m = l->m;
    const Expr *i, *j;
    uint32_t w = new_array(l, a, model_format(m, "%s weight", a->name));
    Code *code = each(l, a, &m->setup, "I", &i);
    set(l, a, code, element(l, w, i), number(l, "1.0"));
    Statement *loop = add(l, a, code, STATEMENT_FOR);
    loop->which =
        lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER, "J", a->node);
    loop->a = expr_integer(m, 1);
    loop->b = expr_integer(m, a->intervals / 2);
    j = expr_variable(m, loop->which, NULL, 0);
    set(l, a, &loop->body, element(l, w, i),
        expr_2(m, EXPR_SUB, element(l, w, i), cosine_term(l, a, i, j)));
    set(l, a, code, element(l, w, i),
        mul(l, weight_factor(l, a, i), element(l, w, i)));
    return w;
}

/* Barycentric weights (-1)^k, half of that at the ends, over the distances. */
uint32_t spectral_between(Lowerer *l, FieldAxis *a, const Node *n,
                          const Expr *place)
{
    Model *m = l->m;
    const Expr *i;
    uint32_t w = new_array(l, a, lower_hidden_name(l, "AT", n));
    uint32_t sum = lower_hidden(l, VARIABLE_DISCRETE, EXPR_TYPE_REAL,
                                lower_hidden_name(l, "AT", n), n);
    const Expr *total = expr_variable(m, sum, NULL, 0);
    set(l, a, &m->setup, total, number(l, "0.0"));
    Code *code = each(l, a, &m->setup, "I", &i);
    const Expr *c = mul(
        l, expr_choose(m, is_end(l, a, i), number(l, "0.5"), number(l, "1.0")),
        sign(l, i, expr_integer(m, 0)));
    set(l, a, code, element(l, w, i),
        over(l, c, expr_2(m, EXPR_SUB, place, element(l, a->place, i))));
    set(l, a, code, total, expr_2(m, EXPR_ADD, total, element(l, w, i)));
    code = each(l, a, &m->setup, "I", &i);
    set(l, a, code, element(l, w, i), over(l, element(l, w, i), total));
    return w;
}

/* ---- What is differentiated again --------------------------------------------------- */

typedef struct FieldFlux {
    const FieldInfo *of;
    const Node *n; // NULL: the slope of the FIELD
    uint32_t variable;
    struct FieldFlux *next;
} FieldFlux;

typedef struct Filling {
    const Formula *x;
    uint32_t variable;
} Filling;

static void fill_flux(Lowerer *l, const FieldPoint *p, void *user)
{
    const Filling *w = user;
    Formula slope = *w->x;
    slope.d = 1;
    slope.flux = false;
    const Expr *left = expr_variable(l->m, w->variable, p->index, p->axes);
    lower_equation(l, w->x->n, left,
                   w->x->f ? formula_value(l, &slope, p)
                           : lower_real(l, w->x->n, IN_EQUATION));
}

/* The ALGEBR with the values of an expression, or the slopes of a FIELD, at all points. */
static uint32_t flux_of(Lowerer *l, const Formula *x, FieldAxis *a)
{
    const Node *n = x->f ? NULL : x->n;
    for (FieldFlux *k = a->fluxes; k; k = k->next)
        if (k->of == x->of && k->n == n)
            return k->variable;
    FieldFlux *flux = MODEL_NEW(l->m, FieldFlux);
    if (!flux)
        return NONE;
    const Variable *u = model_variable(l->m, x->of->variable);
    uint32_t k = lower_hidden(
        l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
        x->f ? model_format(l->m, "%s(%s)", x->of->axis[0] == a ? "DX" : "DY",
                            x->of->symbol->name)
             : lower_hidden_name(l, "flux", x->n),
        x->n);
    variable_shaped(model_variable(l->m, k), u);
    *flux = (FieldFlux){x->of, n, k, a->fluxes};
    a->fluxes = flux;
    Filling w = {x, k};
    field_each_point_of(l, x->of, x->n, fill_flux, &w);
    return k;
}

/* ---- Derivatives -------------------------------------------------------------------- */

typedef struct Term {
    const Formula *x;
    uint32_t flux; // NONE: what is to be differentiated itself
} Term;

static const Expr *value_at(Lowerer *l, const Term *t, const FieldPoint *p)
{
    const Expr *index[2];
    if (t->flux == NONE)
        return formula_node(l, t->x, p, 0);
    for (uint32_t k = 0; k < p->axes; k++)
        index[k] = field_index(l, p, k);
    return expr_variable(l->m, t->flux, index, p->axes);
}

/* The row of a matrix times the values at all points. */
static const Expr *row_times(Lowerer *l, const Term *t, const FieldPoint *p,
                             uint32_t matrix)
{
    Model *m = l->m;
    uint32_t k = t->x->k;
    Loop loop = {.name = "K",
                 .low = 1,
                 .high = p->axis[k]->points,
                 .step = 1,
                 .bound = true,
                 .line = lower_line(l, t->x->n->at, t->x->n->origin)};
    uint32_t number_of = model_add_loop(m, &loop);
    const Expr *j = expr_loop(m, number_of);
    FieldPoint there = *p;
    there.fixed[k] = 0;
    there.index[k] = j;
    l->series++;
    const Expr *body = mul(l, entry(l, matrix, field_index(l, p, k), j),
                           value_at(l, t, &there));
    l->series--;
    const Expr *arg[4] = {expr_integer(m, loop.low), expr_integer(m, loop.high),
                          expr_truth(m, false), body};
    return expr_make(m, EXPR_SUM, EXPR_TYPE_REAL, number_of, arg, 4);
}

/* What the radius adds: see field_volume.c. */
static const Expr *with_radius(Lowerer *l, const Formula *x,
                               const FieldPoint *p, const Expr *d)
{
    Model *m = l->m;
    FieldAxis *a = p->axis[x->k];
    const Expr *i = field_index(l, p, x->k), *beside;
    if (a->round == 0 || (x->d == 1 && x->f))
        return d;
    if (a->centre && formula_end(p, x->k) == 0)
        return mul(l, number(l, a->round == 1 ? "2.0" : "3.0"), d);
    Formula first = *x;
    first.d = 1;
    first.flux = false;
    beside = x->d == 1 ? formula_node(l, x, p, 0) : NULL;
    if (!beside && x->f)
        beside = formula_value(l, &first, p);
    if (!beside)
        beside = row_times(l, &(Term){x, NONE}, p, first_matrix(l, a));
    beside =
        mul(l, element(l, field_array(l, a, AXIS_INVERSE_RADIUS), i), beside);
    if (a->round == 2)
        beside = mul(l, number(l, "2.0"), beside);
    return expr_2(m, EXPR_ADD, d, beside);
}

const Expr *spectral_value(Lowerer *l, const Formula *x, const FieldPoint *p)
{
    FieldAxis *a = p->axis[x->k];
    uint32_t axis = x->of->axis[0] == a ? 0 : 1;
    bool sloped =
        x->f && (formula_sloped(x->f, a, 0) || formula_sloped(x->f, a, 1));
    Term t = {x, NONE};
    uint32_t matrix;
    if (x->d == 1 || sloped)
        matrix = first_matrix(l, a);
    else
        matrix = second_matrix(l, a);
    if ((x->d == 2 && sloped) || (!x->f && field_derives(x->n, axis)))
        t.flux = flux_of(l, x, a);
    return with_radius(l, x, p, row_times(l, &t, p, matrix));
}
