#include "stats/differ.h"

/* Sums over time, or over points. */
typedef struct Sums {
    real all; // length of time, or number of points
    real d, dd, u, uu;
} Sums;

static void take_most(Difference *d, real t, real size)
{
    if (d->n == 0 || size > d->most) {
        d->most = size;
        d->at = t;
    }
}

static void settle(Difference *d, const Sums *s)
{
    if (!(s->all > R(0.0)))
        return;
    real mean = s->u / s->all, square = s->dd / s->all;
    real variance = s->uu / s->all - mean * mean;
    d->mean = s->d / s->all;
    d->rms = cosy_sqrt(square);
    d->r2 = variance > R(64.0) * COSY_EPSILON * mean * mean
                ? R(1.0) - square / variance
                : COSY_NAN;
}

/* ---- Two curves ------------------------------------------------------------------ */

/* Mean of a b over an interval where both are linear. */
static real product(real a0, real a1, real b0, real b1)
{
    return (R(2.0) * (a0 * b0 + a1 * b1) + a0 * b1 + a1 * b0) / R(6.0);
}

static void add_interval(Sums *s, real h, const real d[2], const real u[2])
{
    s->all += h;
    s->d += h * (d[0] + d[1]) / R(2.0);
    s->dd += h * product(d[0], d[1], d[0], d[1]);
    s->u += h * (u[0] + u[1]) / R(2.0);
    s->uu += h * product(u[0], u[1], u[0], u[1]);
}

/* The first time after t at which a curve has a record; *k goes along. */
static real next_time(const Curve *c, size_t *k, real t)
{
    while (*k < c->n && c->t[*k] <= t)
        ++*k;
    return *k < c->n ? c->t[*k] : COSY_INFINITY;
}

/* Numbers are relative to the reference's first value, so that R^2 keeps its digits
   where the reference is far from zero. */
bool differ_curves(const Curve *x, const Curve *u, Difference *d, Arena *a)
{
    size_t room = 2 * (x->n + u->n) + 2, i = 0, k = 0, hx = 0, hu = 0;
    real *t = NEW_ARRAY(a, real, room), *y = NEW_ARRAY(a, real, room);
    real before[2] = {R(0.0), R(0.0)}, last = R(0.0);
    Sums s = {.all = R(0.0)};
    *d = (Difference){.from = cosy_max(x->t[0], u->t[0]),
                      .to = cosy_min(x->t[x->n - 1], u->t[u->n - 1]),
                      .r2 = COSY_NAN,
                      .t = t,
                      .d = y};
    if (!t || !y)
        return false;
    for (real at = d->from; at <= d->to;) {
        real xs[2], us[2];
        curve_at(x, at, &hx, &xs[0], &xs[1]);
        curve_at(u, at, &hu, &us[0], &us[1]);
        for (int side = 0; side < 2; side++) {
            real gap = xs[side] - us[side];
            take_most(d, at, cosy_abs(gap));
            d->size = cosy_max(d->size, cosy_abs(us[side]));
            if (side == 1 && gap == y[d->drawn - 1] && xs[0] == xs[1])
                continue;
            t[d->drawn] = at;
            y[d->drawn++] = gap;
            d->n += side == 0;
        }
        if (at > d->from)
            add_interval(&s, at - last,
                         (const real[]){before[0], xs[0] - us[0]},
                         (const real[]){before[1], us[0] - u->x[0]});
        before[0] = xs[1] - us[1];
        before[1] = us[1] - u->x[0];
        last = at;
        real next = cosy_min(next_time(x, &i, at), next_time(u, &k, at));
        if (at < d->to && next > d->to)
            next = d->to;
        at = next;
    }
    settle(d, &s);
    return true;
}

/* ---- Points ---------------------------------------------------------------------- */

static real nearer(real before, real after, real u)
{
    return cosy_abs(before - u) < cosy_abs(after - u) ? before : after;
}

bool differ_points(const Curve *x, const real *t, const real *u, size_t n,
                   Difference *d, Arena *a)
{
    real *at = NEW_ARRAY(a, real, n + 1), *y = NEW_ARRAY(a, real, n + 1);
    Sums s = {.all = R(0.0)};
    size_t hint = 0;
    *d = (Difference){.r2 = COSY_NAN, .t = at, .d = y};
    if (!at || !y)
        return false;
    for (size_t k = 0; k < n; k++) {
        real before, after;
        if (t[k] < x->t[0] || t[k] > x->t[x->n - 1]) {
            d->outside++;
            continue;
        }
        curve_at(x, t[k], &hint, &before, &after);
        real gap = nearer(before, after, u[k]) - u[k], v = u[k] - u[0];
        take_most(d, t[k], cosy_abs(gap));
        d->size = cosy_max(d->size, cosy_abs(u[k]));
        d->from = d->n ? d->from : t[k];
        d->to = t[k];
        at[d->n] = t[k];
        y[d->n++] = gap;
        s.all += R(1.0);
        s.d += gap;
        s.dd += gap * gap;
        s.u += v;
        s.uu += v * v;
    }
    d->drawn = d->n;
    settle(d, &s);
    return true;
}
