#include <string.h>

#include "solve/steady.h"

/* Points of rest other than the one that the present point leads to: from other
   starts, and by deflation, which multiplies g by a factor that is infinite at
   the points that are known, so that Newton's method cannot find them again
   (Farrell, Birkisson, Funke, SIAM J. Sci. Comput. 37, 2015). The starts are
   always the same. There is no promise that all points are found. */

enum {
    SPREAD = 24,       // starts spread over the ranges
    DEFLATE_MOST = 60, // iterations
    STATES_MOST = 100  // more are not searched
};

typedef struct Search {
    Steady *k;
    SteadyPoint *p;
    uint32_t most, count;
    real *x; // the present trial
} Search;

static real distance(const Steady *k, const real *a, const real *b)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < k->n; i++) {
        real size = cosy_max(cosy_max(cosy_abs(a[i]), cosy_abs(b[i])),
                             R(1e-3) * k->size[i]);
        most = cosy_max(most, cosy_abs(a[i] - b[i]) / size);
    }
    return most;
}

static bool is_inside(const Steady *k, const real *x)
{
    for (uint32_t i = 0; i < k->n; i++) {
        real slack = R(1e-9) * k->size[i];
        if (k->o.low[i] <= k->o.high[i] &&
            (x[i] < k->o.low[i] - slack || x[i] > k->o.high[i] + slack))
            return false;
    }
    return true;
}

/* Keeps s->x if it is new. */
static Status keep(Search *s, real near, const char *how)
{
    SteadyPoint *to = &s->p[s->count];
    if (s->count >= s->most || !is_inside(s->k, s->x))
        return STATUS_OK;
    for (uint32_t q = 0; q < s->count; q++)
        if (distance(s->k, s->p[q].x, s->x) < R(1e-5))
            return STATUS_OK;
    *to = (SteadyPoint){.near = near, .how = how};
    to->x = NEW_ARRAY(s->k->s->arena, real, s->k->n);
    if (!to->x)
        return STATUS_MEMORY;
    memcpy(to->x, s->x, s->k->n * sizeof(real));
    steady_judge(s->k, to);
    s->count++;
    return STATUS_OK;
}

/* From s->x. */
static Status try_start(Search *s)
{
    bool changed;
    real near;
    Steady *k = s->k;
    if (k->o.settle(k->o.user, s->x, &changed) != STATUS_OK)
        return STATUS_OK;
    Status status = steady_settled(k, s->x, &near, steady_newton);
    if (status == STATUS_OK)
        return keep(s, near, "another start");
    return status == STATUS_STOPPED || status == STATUS_MEMORY ? status
                                                               : STATUS_OK;
}

/* ---- Starts --------------------------------------------------------------- */

static real clipped(const Steady *k, uint32_t i, real x)
{
    if (k->o.low[i] <= k->o.high[i])
        x = cosy_min(cosy_max(x, k->o.low[i]), k->o.high[i]);
    return k->o.sign[i] * x < R(0.0) ? -x : x;
}

static Status scaled_starts(Search *s)
{
    static const real by[] = {R(0.0), R(-1.0), R(10.0), R(0.1),
                              R(2.0), R(0.5),  R(-10.0)};
    const Steady *k = s->k;
    for (size_t c = 0; c < LENGTH(by); c++) {
        for (uint32_t i = 0; i < k->n; i++)
            s->x[i] = clipped(k, i, by[c] * k->x0[i]);
        TRY(try_start(s));
    }
    return STATUS_OK;
}

/* Fractions of a lattice that fills the space evenly (Kronecker sequence). */
static real spread(uint32_t point, uint32_t i)
{
    real alpha = R(0.5) + (real)(i + 1) * R(0.7548776662466927);
    alpha -= (real)(int64_t)alpha;
    real u = (real)(point + 1) * (R(0.5) + R(0.5) * alpha) +
             R(0.137) * (real)i * (real)(point % 5);
    return u - (real)(int64_t)u;
}

static Status spread_starts(Search *s)
{
    const Steady *k = s->k;
    for (uint32_t q = 0; q < SPREAD; q++) {
        real wide = q % 2 ? R(10.0) : R(2.0);
        for (uint32_t i = 0; i < k->n; i++) {
            bool known = k->o.low[i] <= k->o.high[i];
            real low = known ? k->o.low[i] : -wide * k->size[i];
            real high = known ? k->o.high[i] : wide * k->size[i];
            low = cosy_max(low, -wide * k->size[i]);
            high = cosy_min(high, cosy_max(wide * k->size[i], low));
            s->x[i] = clipped(k, i, low + spread(q, i) * (high - low));
        }
        TRY(try_start(s));
    }
    return STATUS_OK;
}

/* ---- Deflation ------------------------------------------------------------ */

/* q = m' d / m for m = product of 1 + 1 / |y - y_q|^2. */
static real slope_of_factor(const Search *s, const real *d)
{
    const Steady *k = s->k;
    real sum = R(0.0);
    for (uint32_t q = 0; q < s->count; q++) {
        real square = R(0.0), along = R(0.0);
        for (uint32_t i = 0; i < k->n; i++) {
            real off = (s->x[i] - s->p[q].x[i]) / k->size[i];
            square += off * off;
            along += off * d[i];
        }
        if (square > R(0.0))
            sum -= R(2.0) * along / (square * (R(1.0) + square));
    }
    return sum;
}

static bool deflated_step(Search *s, real *g, real *f)
{
    Steady *k = s->k;
    if (steady_residual(k, s->x, g, f) != STATUS_OK ||
        steady_jacobian(k, s->x, f) != STATUS_OK ||
        steady_factor(k, R(0.0)) != STATUS_OK)
        return false;
    steady_solve(k, g);
    real by = R(1.0) / (R(1.0) - slope_of_factor(s, g));
    real size = steady_norm(k->n, g) * cosy_abs(by);
    if (!(size < R(1e6)))
        return false;
    if (size > R(2.0))
        by *= R(2.0) / size;
    for (uint32_t i = 0; i < k->n; i++)
        g[i] *= by;
    real c = steady_limit(k, s->x, g);
    steady_move(k, s->x, g, c, s->x);
    return true;
}

/* From near the start; Newton's method without deflation ends it. */
static Status deflate(Search *s, real away)
{
    Steady *k = s->k;
    real *g = NEW_ARRAY(k->s->arena, real, 2 * k->n);
    bool changed;
    if (!g)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < k->n; i++)
        s->x[i] = clipped(k, i, k->x0[i] + away * k->size[i]);
    if (k->o.settle(k->o.user, s->x, &changed) != STATUS_OK)
        return STATUS_OK;
    for (int i = 0; i < DEFLATE_MOST; i++) {
        if (!deflated_step(s, g, g + k->n))
            return STATUS_OK;
        if (steady_norm(k->n, g) < R(1e-6))
            break;
    }
    return try_start(s);
}

static Status deflations(Search *s)
{
    static const real away[] = {R(0.01), R(-0.3), R(1.0)};
    for (size_t c = 0; c < LENGTH(away); c++) {
        uint32_t before;
        do {
            before = s->count;
            TRY(deflate(s, away[c]));
        } while (s->count > before && s->count < s->most);
    }
    return STATUS_OK;
}

Status steady_more(Steady *k, SteadyPoint *p, uint32_t most, uint32_t *count)
{
    bool changed;
    Search s = {.k = k, .p = p, .most = most, .count = 1};
    *count = 1;
    if (k->n > STATES_MOST)
        return STATUS_OK;
    s.x = NEW_ARRAY(k->s->arena, real, k->n);
    if (!s.x)
        return STATUS_MEMORY;
    Status status = scaled_starts(&s);
    if (status == STATUS_OK)
        status = spread_starts(&s);
    if (status == STATUS_OK)
        status = deflations(&s);
    *count = s.count;
    if (status == STATUS_OK)
        status = k->o.settle(k->o.user, p[0].x, &changed);
    return status;
}
