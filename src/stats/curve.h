#ifndef COSY_STATS_CURVE_H
#define COSY_STATS_CURVE_H

/* A recorded curve: piecewise linear between its records, with a jump where two
   records have the same time (both sides of an event). Operations on data take
   their values from here.

       curve_take      a column of the records; refuses what has no value, or goes
                       back in time
       curve_axis      times at equal distances that suit a curve
       curve_sample    its values at these times
       curve_at        its values on both sides of any time

   The axis has the distance of the communication points where these are equally
   spaced, and then every value is a record. Else it has as many points as there are
   records, and values between records are interpolated. At a jump the value is the
   mean of both sides, as in a Fourier series; at both ends it is that of the inner
   side. */

#include "base/arena.h"
#include "cosy/real.h"

#define Curve        COSY_NAME(Curve)
#define CurveAxis    COSY_NAME(CurveAxis)
#define curve_take   COSY_NAME(curve_take)
#define curve_axis   COSY_NAME(curve_axis)
#define curve_sample COSY_NAME(curve_sample)
#define curve_at     COSY_NAME(curve_at)

typedef struct Curve {
    const real *t, *x; // t never falls
    size_t n;
} Curve;

typedef struct CurveAxis {
    real from, step;
    size_t n;     // points
    bool records; // each of them is a record
} CurveAxis;

typedef enum CurveFault {
    CURVE_GOOD,
    CURVE_SHORT,    // fewer than two times
    CURVE_NO_VALUE, // at time *at
    CURVE_BACK,     // the time goes back after *at
    CURVE_NO_MEMORY
} CurveFault;

/* Column `column` of `count` rows of `columns` numbers, whose first is the time; the
   rows of a run that went backward are turned round. */
CurveFault curve_take(Curve *c, Arena *a, const real *rows, size_t count,
                      uint32_t columns, uint32_t column, real *at);
/* Needs: c is good. */
CurveAxis curve_axis(const Curve *c);
/* `x` has room for axis->n. */
void curve_sample(const Curve *c, const CurveAxis *axis, real *x);
/* Values just before and just after t; *hint is the place of the time before, from
   0, in calls with rising t. Beyond its ends the curve stays as it is. */
void curve_at(const Curve *c, real t, size_t *hint, real *before, real *after);

#endif
