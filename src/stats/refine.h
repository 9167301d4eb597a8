#ifndef COSY_STATS_REFINE_H
#define COSY_STATS_REFINE_H

/* What the same number on three grids says about its error: on the grid of the
   run, on one with about half as many intervals, and on one with about a quarter.
   If the error is C*h^p, then

       near = |run - half|    = e*(r^p - 1)
       far  = |half - quarter| = e*r^p*(s^p - 1)

   where e is the error on the grid of the run, and r and s are the ratios of the
   intervals. So `near` and an order give the error, and near and far together
   give the order (P. J. Roache, Quantification of uncertainty in computational
   fluid dynamics, Annual Review of Fluid Mechanics 29, 1997). The order that is
   observed says whether the estimate deserves belief: it does where the order is
   that of the scheme, or where the error for either of the two differs little.

   For Chebyshev points the error falls geometrically, as q^n: there the order is
   0, and near and far together give q.

       refine_order     the order that is observed
       refine_estimate  the error for a given order
       refine_judge     of a norm: the error, and whether it is reliable
       refine_one       of a single value, whose differences may change their
                        sign: the larger of what both differences say */

#include <stdbool.h>

#include "cosy/real.h"

#define RefineGrids     COSY_NAME(RefineGrids)
#define RefineNumbers   COSY_NAME(RefineNumbers)
#define RefineVerdict   COSY_NAME(RefineVerdict)
#define refine_order    COSY_NAME(refine_order)
#define refine_estimate COSY_NAME(refine_estimate)
#define refine_judge    COSY_NAME(refine_judge)
#define refine_one      COSY_NAME(refine_one)
#define refine_words    COSY_NAME(refine_words)

typedef struct RefineGrids {
    real half;    // intervals of the run by those of the half, above 1
    real quarter; // those of the half by those of the quarter; 0: no third grid
    real order;   // that is expected; 0: the error falls geometrically
} RefineGrids;

typedef struct RefineNumbers {
    real near, far; // differences as above; far is NaN: there is no third grid
    real size;      // of the value itself
    real noise;     // error of other origin, mostly of the integration
} RefineNumbers;

typedef enum RefineWord {
    REFINE_LOST,     // the difference is lost among errors of other origin
    REFINE_EXPECTED, // the order is that of the scheme
    REFINE_OTHER,    // another order, and the error is estimated with it
    REFINE_COARSE,   // the grids are too coarse to show any order
    REFINE_UNSEEN    // there is no third grid
} RefineWord;

typedef struct RefineVerdict {
    real estimate;
    real order; // that was observed; NaN: none
    RefineWord word;
    bool reliable;
} RefineVerdict;

/* 0: the differences do not fall; NaN: they cannot be compared. */
real refine_order(const RefineGrids *g, real near, real far);
real refine_estimate(const RefineGrids *g, real order, real near);
RefineVerdict refine_judge(const RefineGrids *g, const RefineNumbers *n);
/* `order`: that with which norms of the same run fall. */
real refine_one(const RefineGrids *g, real order, real near, real far);
/* "as expected", "another order than expected" ... */
const char *refine_words(RefineWord word);

#endif
