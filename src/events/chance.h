#ifndef COSY_EVENTS_CHANCE_H
#define COSY_EVENTS_CHANCE_H

/* Functions from probability theory that random streams need: logarithms of
   probabilities without cancellation, incomplete gamma and beta functions. All
   are plain functions of doubles. */

#include "cosy/real.h"

#define chance_rest         COSY_NAME(chance_rest)
#define chance_deviance     COSY_NAME(chance_deviance)
#define chance_poisson_log  COSY_NAME(chance_poisson_log)
#define chance_binomial_log COSY_NAME(chance_binomial_log)
#define chance_gamma        COSY_NAME(chance_gamma)
#define chance_beta         COSY_NAME(chance_beta)
#define Tails               COSY_NAME(Tails)

/* log(n!) minus Stirling's formula log(sqrt(2 pi n) (n/e)^n), n = 1, 2, 3... */
double chance_rest(double n);
/* x log(x/m) + m - x. */
double chance_deviance(double x, double m);
/* Logarithm of the probability of k, mean m > 0. */
double chance_poisson_log(double k, double m);
/* Logarithm of the probability of k out of n, minus log(sqrt(n / (2 pi))) and
   chance_rest(n), which are the same for all k; p is neither 0 nor 1. */
double chance_binomial_log(double k, double n, double p);

/* Both tails of a distribution at a point, each with full accuracy. */
typedef struct Tails {
    double below, above;
    double density; // derivative of `below` with respect to the log of the
                    // argument
} Tails;

/* Gamma distribution of that shape and scale 1 at x = exp(log_x); the density
   is with respect to log_x. */
Tails chance_gamma(double shape, double log_x);
/* Beta distribution at x, with y = 1 - x given separately; the density is with
   respect to log(x/y). */
Tails chance_beta(double a, double b, double x, double y);

#endif
