#ifndef COSY_FIT_GOODNESS_H
#define COSY_FIT_GOODNESS_H

/* How well a fitted distribution agrees with the values it was fitted to.

   Measured values: the statistics of Kolmogorov and Smirnov, and of Anderson and
   Darling. Their tables do not hold when parameters were estimated from the same
   values, so p is found by a parametric bootstrap: GOODNESS_DRAWS samples are drawn
   from the fitted distribution, fitted again, and compared (Stute, Gonzalez
   Manteiga and Presedo Quindimil, Metrika 40, 1993). Samples have at most
   GOODNESS_SIZE values, on which the comparison hardly depends; random numbers are
   the same each time.

   Counts: chi-square with cells in which 5 or more are expected, and as many
   degrees of freedom as cells minus parameters minus 1. */

#include "base/arena.h"
#include "fit/fit.h"

enum { GOODNESS_DRAWS = 199, GOODNESS_SIZE = 500 };

/* NaN: there is none. */
typedef struct Goodness {
    double ks, ks_p;     // largest distance of both distribution functions
    double ad, ad_p;     // A^2
    double chi2, chi2_p; // of counts
    uint32_t freedom;
} Goodness;

Goodness goodness_of(const Fit *f, const Sample *s, Arena *scratch);

/* Correlation of neighbours, in the order of measurement. */
double goodness_lag1(const double *x, size_t n);

#endif
