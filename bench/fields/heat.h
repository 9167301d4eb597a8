#ifndef COSY_BENCH_FIELDS_HEAT_H
#define COSY_BENCH_FIELDS_HEAT_H

/* What both sides of bench/fields share: the heat equation u' = u_xx, or
   u' = u_xx + u_yy, between cold ends, with formulas of three points on
   `points` points a side, both ends among them.

   The product of sines is an eigenvector of these formulas. So what the grid
   makes of it is known exactly, at every time: the sines times exp(-rate t).
   The error is that of integration in time alone. */

#include <math.h>

#include "bench/measure.h"

#define HEAT_PI 3.14159265358979323846
#define HEAT_TO 0.1

/* Tolerances are 10^(-k/2); only runs with so many digits are timed. */
enum { HEAT_FIRST = 8, HEAT_LAST = 18 };
#define HEAT_FEWEST 4.5
#define HEAT_MOST   7.0
#define HEAT_LONG   0.05 // seconds

typedef struct Heat {
    int dimensions, points; // points: of one side
} Heat;

static inline double heat_sine(const Heat *h, int i)
{
    return i == 0 || i == h->points - 1 ? 0.0
                                        : sin(HEAT_PI * i / (h->points - 1));
}

/* In the plane i counts along x, j along y; j is not used on a rod. */
static inline double heat_start(const Heat *h, int i, int j)
{
    return heat_sine(h, i) * (h->dimensions == 2 ? heat_sine(h, j) : 1.0);
}

/* The part of the start that is left at HEAT_TO. */
static inline double heat_left(const Heat *h)
{
    double n = h->points - 1, s = sin(0.5 * HEAT_PI / n);
    return exp(-4.0 * n * n * s * s * h->dimensions * HEAT_TO);
}

/* As measure_seconds, but a long run is carried out three times only. */
static inline double heat_seconds(void (*solve)(void *), void *user)
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        double begin = measure_clock();
        solve(user);
        least = fmin(least, measure_clock() - begin);
    }
    return least > HEAT_LONG ? least : measure_seconds(solve, user);
}

#endif
