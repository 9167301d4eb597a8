#include "algebra/masses.h"

#include <inttypes.h>
#include <stdlib.h>

#include "algebra/isolate.h"
#include "model/walk.h"

#define TERMS_MOST 10000 // of one row, also those that cancel

/* ---- Rows of whole numbers ---------------------------------------------------- */

typedef struct Term {
    uint32_t key;
    int64_t n;
} Term;

typedef struct Sparse { // Terms, by key
    Vector terms;
} Sparse;

static const Term *terms_of(const Sparse *s, size_t *n)
{
    *n = s->terms.used / sizeof(Term);
    return (const Term *)(const void *)s->terms.bytes;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* into := x*a + y*b; false: too large, or no memory. */
static bool combine(Sparse *into, const Sparse *a, int64_t x, const Sparse *b,
                    int64_t y)
{
    size_t n, m, i = 0, j = 0;
    const Term *p = terms_of(a, &n), *q = terms_of(b, &m);
    into->terms.used = 0;
    while (i < n || j < m) {
        int64_t u = 0, v = 0, sum;
        uint32_t key =
            j == m || (i < n && p[i].key <= q[j].key) ? p[i].key : q[j].key;
        if (i < n && p[i].key == key && __builtin_mul_overflow(p[i++].n, x, &u))
            return false;
        if (j < m && q[j].key == key && __builtin_mul_overflow(q[j++].n, y, &v))
            return false;
        if (__builtin_add_overflow(u, v, &sum))
            return false;
        Term t = {key, sum};
        if (sum != 0 && !vector_append(&into->terms, &t, sizeof t))
            return false;
    }
    return into->terms.used / sizeof(Term) <= TERMS_MOST;
}

/* ---- Equations as rows -------------------------------------------------------- */

typedef struct Mass { // an equation that is linear in its rates
    uint32_t equation;
    uint32_t rates; // how many there are in it
    Sparse row;     // of columns
    Sparse sum;     // of equations that have been put together
} Mass;

typedef struct Masses {
    Model *m;
    ExprMap columns; // factor * rate -> integer
    uint32_t n_columns;
    ExprMap many; // rates that stand together with others
    Mass *mass;
    uint32_t n;
    uint32_t terms; // looked at in the present equation
} Masses;

static bool has_rate(const Expr *e)
{
    return (e->reads & READS_RATE) != 0;
}

static bool is_whole(const Expr *e, int64_t *n)
{
    if (e->op != EXPR_NUMBER || e->number > 1e6 || e->number < -1e6)
        return false;
    *n = (int64_t)e->number;
    return (double)*n == e->number;
}

static uint32_t column_of(Masses *g, const Expr *factor, const Expr *rate)
{
    Model *m = g->m;
    const Expr *key = expr_times(m, factor, rate);
    const Expr *known = expr_map_get(&g->columns, key);
    if (known)
        return (uint32_t)known->integer;
    if (!expr_map_put(&g->columns, key, expr_integer(m, g->n_columns)))
        m->broken = true;
    return g->n_columns++;
}

static bool add_terms(Masses *g, Sparse *row, const Expr *e, int64_t n,
                      const Expr *factor);

/* Factor times something with rates. */
static bool add_product(Masses *g, Sparse *row, const Expr *rates,
                        const Expr *other, int64_t n, const Expr *factor)
{
    int64_t whole;
    if (has_rate(other))
        return false;
    if (is_whole(other, &whole))
        return !__builtin_mul_overflow(n, whole, &n) &&
               add_terms(g, row, rates, n, factor);
    return add_terms(g, row, rates, n, expr_times(g->m, factor, other));
}

/* Adds n*factor*e to the row; false if e is not linear in its rates. */
static bool add_terms(Masses *g, Sparse *row, const Expr *e, int64_t n,
                      const Expr *factor)
{
    Model *m = g->m;
    if (!has_rate(e))
        return true;
    if (++g->terms > TERMS_MOST)
        return false;
    switch (e->op) {
    case EXPR_RATE: {
        Term t = {column_of(g, factor, e), n};
        Sparse one = {0}, sum = {0};
        bool right = vector_append(&one.terms, &t, sizeof t) &&
                     combine(&sum, row, 1, &one, 1);
        vector_free(&one.terms);
        vector_free(&row->terms);
        *row = sum;
        return right;
    }
    case EXPR_NEG: return add_terms(g, row, e->arg[0], -n, factor);
    case EXPR_ADD:
        return add_terms(g, row, e->arg[0], n, factor) &&
               add_terms(g, row, e->arg[1], n, factor);
    case EXPR_SUB:
        return add_terms(g, row, e->arg[0], n, factor) &&
               add_terms(g, row, e->arg[1], -n, factor);
    case EXPR_MUL:
        return has_rate(e->arg[0])
                   ? add_product(g, row, e->arg[0], e->arg[1], n, factor)
                   : add_product(g, row, e->arg[1], e->arg[0], n, factor);
    case EXPR_DIV:
        return !has_rate(e->arg[1]) &&
               add_terms(g, row, e->arg[0], n,
                         expr_2(m, EXPR_DIV, factor, e->arg[1]));
    default: return false;
    }
}

/* ---- Which equations ----------------------------------------------------------- */

typedef struct Rates {
    ExprMap seen;
    const Expr *first;
    uint32_t n;
    bool broken;
} Rates;

static bool count_rate(void *user, const Expr *e)
{
    Rates *r = user;
    if (e->op != EXPR_RATE || expr_map_get(&r->seen, e))
        return true;
    r->first = e;
    r->n++;
    if (!expr_map_put(&r->seen, e, e))
        r->broken = true;
    return true;
}

static Rates rates_in(Masses *g, const Equation *e)
{
    Rates r = {0};
    if (has_rate(e->left))
        expr_visit(g->m, e->left, count_rate, &r);
    if (has_rate(e->right))
        expr_visit(g->m, e->right, count_rate, &r);
    g->m->broken = g->m->broken || r.broken;
    return r;
}

static bool is_plain(const Equation *e)
{
    return e->role == EQUATION_PLAIN && !e->guard && e->n_loops == 0 &&
           e->block == NONE && e->left->type == EXPR_TYPE_REAL;
}

static bool note_rate(void *user, const Expr *e)
{
    Masses *g = user;
    if (e->op == EXPR_RATE && !expr_map_put(&g->many, e, e))
        g->m->broken = true;
    return true;
}

/* Finds rates that stand together with others; false: there are none. */
static bool find_many(Masses *g)
{
    bool some = false;
    for (uint32_t k = 0; k < model_equations(g->m); k++) {
        const Equation e = *model_equation(g->m, k);
        Rates r = {0};
        if (is_plain(&e))
            r = rates_in(g, &e);
        if (r.n > 1) {
            some = true;
            expr_visit(g->m, e.left, note_rate, g);
            expr_visit(g->m, e.right, note_rate, g);
        }
        expr_map_free(&r.seen);
    }
    return some && !g->m->broken;
}

static void add_mass(Masses *g, uint32_t equation)
{
    const Equation e = *model_equation(g->m, equation);
    Term own = {g->n, 1};
    Mass w = {.equation = equation};
    Rates r = {0};
    if (is_plain(&e))
        r = rates_in(g, &e);
    bool wanted = r.n > 1 || (r.n == 1 && expr_map_get(&g->many, r.first));
    expr_map_free(&r.seen);
    const Expr *one = expr_number(g->m, "1.0");
    g->terms = 0;
    if (wanted && add_terms(g, &w.row, e.left, 1, one) &&
        add_terms(g, &w.row, e.right, -1, one) &&
        vector_append(&w.sum.terms, &own, sizeof own)) {
        g->mass[g->n++] = w;
        return;
    }
    vector_free(&w.row.terms);
    vector_free(&w.sum.terms);
}

/* ---- Elimination ------------------------------------------------------------------ */

/* w := p*w - q*pivot, so that its first term goes. */
static bool eliminate(Mass *w, const Mass *pivot)
{
    size_t n;
    int64_t a = terms_of(&w->row, &n)->n, b = terms_of(&pivot->row, &n)->n;
    int64_t d = greatest_divisor(a, b);
    Sparse row = {0}, sum = {0};
    bool right = combine(&row, &w->row, b / d, &pivot->row, -(a / d)) &&
                 combine(&sum, &w->sum, b / d, &pivot->sum, -(a / d));
    vector_free(&w->row.terms);
    vector_free(&w->sum.terms);
    w->row = row;
    w->sum = sum;
    return right;
}

static const Expr *no_rate(void *user, const Expr *e)
{
    return e->op == EXPR_RATE ? expr_number(user, "0.0") : NULL;
}

/* What is left of the equation without its rates. */
static const Expr *rest_of(Model *m, const Equation *e)
{
    const Expr *rest = expr_minus(m, e->left, e->right);
    return tidy(m, expr_rewrite(m, rest, no_rate, m));
}

static const Expr *times(Model *m, int64_t n, const Expr *e)
{
    return n == 1 ? e : expr_times(m, expr_real(m, (double)n), e);
}

/* The combination in the place of the equation that came last. */
static void replace(Masses *g, const Mass *w)
{
    Model *m = g->m;
    size_t n;
    const Term *t = terms_of(&w->sum, &n);
    Equation own = *model_equation(m, w->equation);
    Row row = *model_row(m, own.row);
    const Expr *sum = expr_number(m, "0.0");
    Buffer lines = {0};
    for (size_t k = 0; k < n; k++) {
        const Equation e = *model_equation(m, g->mass[t[k].key].equation);
        sum = t[k].n < 0 ? expr_minus(m, sum, times(m, -t[k].n, rest_of(m, &e)))
                         : expr_plus(m, sum, times(m, t[k].n, rest_of(m, &e)));
        if (g->mass[t[k].key].equation != w->equation)
            buffer_format(&lines, ", %s", model_row(m, e.row)->text);
    }
    row.text = model_format(m, "%s%s", row.text, buffer_string(&lines));
    row.variable = NONE;
    buffer_free(&lines);
    model_equation(m, w->equation)->role = EQUATION_REPLACED;
    own.left = sum;
    own.right = expr_number(m, "0.0");
    own.row = model_add_row(m, &row);
    model_add_equation(m, &own);
}

static void eliminate_all(Masses *g)
{
    uint32_t *pivot = MODEL_ARRAY(g->m, uint32_t, g->n_columns + 1);
    for (uint32_t k = 0; pivot && k < g->n_columns; k++)
        pivot[k] = NONE;
    for (uint32_t k = 0; pivot && k < g->n && !g->m->broken; k++) {
        Mass *w = &g->mass[k];
        size_t n;
        bool right = true;
        const Term *t = terms_of(&w->row, &n);
        while (right && n > 0 && pivot[t->key] != NONE) {
            right = eliminate(w, &g->mass[pivot[t->key]]);
            t = terms_of(&w->row, &n);
        }
        if (right && n > 0)
            pivot[t->key] = k;
        else if (right)
            replace(g, w);
    }
}

void masses_reduce(Model *m)
{
    Masses g = {.m = m};
    uint32_t n = model_equations(m);
    if (find_many(&g))
        g.mass = MODEL_ARRAY(m, Mass, n + 1);
    for (uint32_t k = 0; g.mass && k < n; k++)
        add_mass(&g, k);
    if (g.mass)
        eliminate_all(&g);
    for (uint32_t k = 0; k < g.n; k++) {
        vector_free(&g.mass[k].row.terms);
        vector_free(&g.mass[k].sum.terms);
    }
    expr_map_free(&g.columns);
    expr_map_free(&g.many);
}
