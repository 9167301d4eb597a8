#include "store/differ.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A piece of time in which neither curve has a point: both are straight. */
typedef struct Walk {
    const Curve *a, *b;
    size_t i, j; // the pieces of both begin at these points
    double s, e; // from s to e
    double a0, a1, b0, b1;
    double to;
} Walk;

static double value_on(const Curve *c, size_t i, double t)
{
    double t0 = c->t[i], t1 = c->t[i + 1];
    assert(t0 <= t && t <= t1);
    if (t == t0)
        return c->v[i];
    if (t == t1 || c->v[i] == c->v[i + 1])
        return c->v[i + 1];
    return c->v[i] + (c->v[i + 1] - c->v[i]) * ((t - t0) / (t1 - t0));
}

/* Goes to the piece of the curve that begins at t or holds it. */
static bool advance(const Curve *c, size_t *i, double t)
{
    while (*i + 1 < c->n && c->t[*i + 1] <= t)
        (*i)++;
    return *i + 1 < c->n;
}

/* False where times are missing or go back, as only foreign files have them. */
static bool covers(const Curve *c, size_t i, const Walk *w)
{
    return c->t[i] <= w->s && w->e <= c->t[i + 1];
}

/* The next piece, from where the last one ended. */
static bool walk_next(Walk *w)
{
    w->s = w->e;
    if (!(w->s < w->to) || !advance(w->a, &w->i, w->s) ||
        !advance(w->b, &w->j, w->s))
        return false;
    w->e = fmin(w->to, fmin(w->a->t[w->i + 1], w->b->t[w->j + 1]));
    if (!(w->e > w->s) || !covers(w->a, w->i, w) || !covers(w->b, w->j, w))
        return false;
    w->a0 = value_on(w->a, w->i, w->s);
    w->a1 = value_on(w->a, w->i, w->e);
    w->b0 = value_on(w->b, w->j, w->s);
    w->b1 = value_on(w->b, w->j, w->e);
    return true;
}

static Walk walk_begin(const Curve *a, const Curve *b, const Difference *d)
{
    return (Walk){.a = a, .b = b, .e = d->from, .to = d->to};
}

static void see(Difference *d, double a, double b, double t)
{
    double off = fabs(a - b);
    if (fabs(a) > d->size)
        d->size = fabs(a);
    if (fabs(b) > d->size)
        d->size = fabs(b);
    if (off > d->most) {
        d->most = off;
        d->at = t;
    }
}

/* The integral of |x| along a line from x0 to x1, divided by its length. */
static double mean_size(double x0, double x1)
{
    if ((x0 < 0) == (x1 < 0) || x0 == x1)
        return fabs(x0 + x1) / 2;
    return (x0 * x0 + x1 * x1) / (2 * fabs(x1 - x0));
}

static void measure(Difference *d, const Curve *a, const Curve *b)
{
    double known = 0, sum = 0, squares = 0;
    for (Walk w = walk_begin(a, b, d); walk_next(&w);) {
        double x0 = w.a0 - w.b0, x1 = w.a1 - w.b1, h = w.e - w.s;
        bool both = isnan(w.a0) && isnan(w.b0);
        if (isnan(x0) || isnan(x1)) {
            d->unknown += both ? 0 : h;
            continue;
        }
        see(d, w.a0, w.b0, w.s);
        see(d, w.a1, w.b1, w.e);
        known += h;
        sum += h * mean_size(x0, x1);
        squares += h * (x0 * x0 + x0 * x1 + x1 * x1) / 3;
    }
    d->mean = known > 0 ? sum / known : d->most;
    d->rms = known > 0 ? sqrt(squares / known) : d->most;
}

/* Where a difference that goes from x0 to x1 leaves the band; NaN: it does
   not. */
static double leaves(double s, double e, double x0, double x1, double band)
{
    if (fabs(x0) > band)
        return s;
    if (!(fabs(x1) > band))
        return NAN;
    double edge = x1 > 0 ? band : -band;
    return s + (e - s) * ((edge - x0) / (x1 - x0));
}

static void find_parting(Difference *d, const Curve *a, const Curve *b,
                         double band)
{
    for (Walk w = walk_begin(a, b, d); isnan(d->parts) && walk_next(&w);)
        d->parts = leaves(w.s, w.e, w.a0 - w.b0, w.a1 - w.b1, band);
}

static bool find_common(Difference *d, const Curve *a, const Curve *b)
{
    if (a->n == 0 || b->n == 0)
        return false;
    d->from = fmax(a->t[0], b->t[0]);
    d->to = fmin(a->t[a->n - 1], b->t[b->n - 1]);
    return true;
}

size_t differ_points(const Curve *a, const Curve *b, double *t, double *v)
{
    Difference d = {0};
    size_t n = 0;
    if (!find_common(&d, a, b))
        return 0;
    for (Walk w = walk_begin(a, b, &d); walk_next(&w);) {
        t[n] = w.s;
        v[n++] = w.a0 - w.b0;
        t[n] = w.e;
        v[n++] = w.a1 - w.b1;
    }
    assert(n <= 2 * (a->n + b->n));
    return n;
}

static bool is_same(const Curve *a, const Curve *b)
{
    size_t size = a->n * sizeof *a->t;
    return a->n == b->n && (size == 0 || (memcmp(a->t, b->t, size) == 0 &&
                                          memcmp(a->v, b->v, size) == 0));
}

/* An event at the very end, or a curve of a single point, has no piece after
   it. */
static void see_end(Difference *d, const Curve *a, const Curve *b, double band)
{
    double t = a->t[a->n - 1], off = a->v[a->n - 1] - b->v[b->n - 1];
    if (t != b->t[b->n - 1])
        return;
    see(d, a->v[a->n - 1], b->v[b->n - 1], t);
    if (isnan(d->parts) && fabs(off) > band)
        d->parts = t;
}

void differ_curves(Difference *d, const Curve *a, const Curve *b, double digits)
{
    *d = (Difference){.from = 1, .to = 0, .parts = NAN, .at = NAN};
    d->same = is_same(a, b);
    if (!find_common(d, a, b))
        return;
    see_end(d, a, b, INFINITY); // for the size
    measure(d, a, b);
    double band = d->size * pow(10, -digits);
    find_parting(d, a, b, band);
    see_end(d, a, b, band);
}

double differ_digits(double a, double b, double size)
{
    double off = fabs(a - b);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? INFINITY : NAN;
    if (a == b)
        return INFINITY;
    size = fmax(size, fmax(fabs(a), fabs(b)));
    double digits = -log10(off / size);
    return digits > 0 ? digits : 0;
}
