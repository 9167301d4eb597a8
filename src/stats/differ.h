#ifndef COSY_STATS_DIFFER_H
#define COSY_STATS_DIFFER_H

/* How much a curve differs from another one, or from measured points, which is the
   reference. Two curves are compared over the time that they have in common, at
   the records of both and exactly between them, since both are piecewise linear.
   Points are compared where they were measured; where the curve jumps there, with
   the nearer side. */

#include "stats/curve.h"

#define Difference    COSY_NAME(Difference)
#define differ_curves COSY_NAME(differ_curves)
#define differ_points COSY_NAME(differ_points)

typedef struct Difference {
    real from, to;  // the time they have in common
    size_t n;       // points, or records of both
    size_t outside; // points before the beginning or after the end
    real mean;      // of curve minus reference
    real rms;       // root of the mean square of the same
    real most, at;  // largest size of it, and where it is
    real size;      // largest size of the reference
    real r2;        // 1 - (rms / sd of the reference)^2; NaN: it is constant
    const real *t,
        *d; // time and difference, for a picture; at a jump both sides
    size_t drawn;
} Difference;

/* False: no memory. n = 0: they have no time in common. */
bool differ_curves(const Curve *x, const Curve *reference, Difference *d,
                   Arena *a);
bool differ_points(const Curve *x, const real *t, const real *reference,
                   size_t n, Difference *d, Arena *a);

/* Digits that they have in common, counted from the largest size of the
   reference: at most those of a real. */
static inline real differ_digits(const Difference *d)
{
    const real all = -cosy_log10(COSY_EPSILON);
    if (!(d->most > R(0.0)))
        return all;
    if (!(d->size > R(0.0)))
        return R(0.0);
    return cosy_min(all, cosy_max(R(0.0), -cosy_log10(d->most / d->size)));
}

#endif
