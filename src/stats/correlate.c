#include "stats/correlate.h"

#include <assert.h>

#include "stats/fourier.h"

real correlate_centre(real *x, size_t n, real *sd)
{
    real mean = R(0.0), rest = R(0.0), square = R(0.0), size = R(0.0);
    for (size_t k = 0; k < n; k++)
        mean += x[k] / (real)n;
    for (size_t k = 0; k < n; k++)
        rest += (x[k] - mean) / (real)n; // what rounding has left over
    mean += rest;
    for (size_t k = 0; k < n; k++) {
        size = cosy_max(size, cosy_abs(x[k]));
        x[k] -= mean;
        square += x[k] * x[k] / (real)n;
    }
    *sd = cosy_sqrt(square);
    if (!(*sd > R(8.0) * COSY_EPSILON * size))
        *sd = R(0.0);
    return mean;
}

bool correlate_series(const real *x, real sd_x, const real *y, real sd_y,
                      size_t n, size_t most, real *r, Arena *scratch)
{
    ArenaMark mark = arena_mark(scratch);
    size_t m = 1;
    assert(most < n && sd_x > R(0.0) && sd_y > R(0.0));
    while (m < n + most)
        m *= 2;
    /* One transform does for both real series: x + i y. */
    FourierValue *z = NEW_ARRAY(scratch, FourierValue, m);
    FourierValue *p = NEW_ARRAY(scratch, FourierValue, m);
    if (!z || !p)
        return false;
    for (size_t k = 0; k < n; k++)
        z[k] = (FourierValue){x[k] / sd_x, y[k] / sd_y};
    if (!fourier_transform(z, m, false, scratch))
        return false;
    for (size_t k = 0; k < m; k++) {
        FourierValue a = z[k], b = z[(m - k) % m];
        FourierValue fx = {(a.re + b.re) / R(2.0), (a.im - b.im) / R(2.0)};
        FourierValue fy = {(a.im + b.im) / R(2.0), (b.re - a.re) / R(2.0)};
        p[k] = (FourierValue){fx.re * fy.re + fx.im * fy.im,
                              fx.re * fy.im - fx.im * fy.re};
    }
    if (!fourier_transform(p, m, true, scratch))
        return false;
    for (size_t k = 0; k <= 2 * most; k++)
        r[k] = p[(k + m - most) % m].re / ((real)m * (real)n);
    arena_rewind(scratch, mark);
    return true;
}
