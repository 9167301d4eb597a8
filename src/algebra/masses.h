#ifndef COSY_ALGEBRA_MASSES_H
#define COSY_ALGEBRA_MASSES_H

/* Equations with several rates, C*(Y2' - Y1') = f and C*(Y1' - Y2') = g: their
   matrix may be singular although each of them could be solved for a rate of its
   own. Combinations of equations with whole coefficients in which all rates
   cancel take the place of one of their equations: 0 = f + g.

   Looks at equations without guards and loops that are linear in their rates.
   The factors of rates are compared as they are written; what is singular only by
   the values of its coefficients is found in the run. */

#include "model/model.h"

void masses_reduce(Model *m);

#endif
