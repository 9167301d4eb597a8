#ifndef COSY_FIT_FIT_H
#define COSY_FIT_FIT_H

/* Distributions of RANDOMGEN fitted to measured values by maximum likelihood
   (cosy fitdist). Formulas are those of Johnson, Kotz and Balakrishnan, Continuous
   Univariate Distributions, and Johnson, Kemp and Kotz, Univariate Discrete
   Distributions; the triangular one after van Dorp and Kotz, The American
   Statistician 56, 2002.

       sample_make    values, sorted, and what is known about them
       fit_make       one distribution; false: it is impossible, and why
       fit_log        logarithm of density, or of probability
       fit_below      probability of at most x
       fit_quantile   the inverse

   Parameters are in the order of base/distributions.def. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/distribution.h"

typedef struct Sample {
    const double *x; // in ascending order
    size_t n;
    double mean, variance; // divisor n
    double log_mean;       // mean of log(x); NaN unless all are positive
    bool whole;            // all are 0, 1, 2 ... below 2^53
    bool varies;
} Sample;

typedef struct Fit {
    uint32_t distribution; // DistributionNumber
    double p[DISTRIBUTION_PARAMETERS];
    double likelihood; // its logarithm
    double aic;
    const char *why; // it is impossible; NULL: it is not
} Fit;

/* Sorts x. */
Sample sample_make(double *x, size_t n);
bool fit_make(Fit *f, uint32_t distribution, const Sample *s);
double fit_log(const Fit *f, double x);
double fit_below(const Fit *f, double x);
/* 0 < u < 1 */
double fit_quantile(const Fit *f, double u);
/* How many parameters it has. */
uint32_t fit_parameters(uint32_t distribution);
/* Whether it gives whole numbers. */
bool fit_counts(uint32_t distribution);

#endif
