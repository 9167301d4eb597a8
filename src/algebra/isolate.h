#ifndef COSY_ALGEBRA_ISOLATE_H
#define COSY_ALGEBRA_ISOLATE_H

/* Solves left = right for one quantity, if that can be done in one expression:
   by undoing operations one by one if it occurs once, as a linear equation if
   it occurs more often. NULL if that fails: the equation stays implicit. */

#include "model/model.h"

const Expr *isolate(Model *m, const Expr *left, const Expr *right,
                    const Expr *target);
/* True if isolate finds a value without dividing by what may be zero and without
   leaving the domain of a function. */
bool isolate_is_safe(Model *m, const Expr *left, const Expr *right,
                     const Expr *target);
/* True if e is certainly not zero, whatever happens in a run. */
bool is_never_zero(const Model *m, const Expr *e);
/* e with the terms of SUM and PROD that `target`, an element of an array, belongs
   to standing apart from the rest: f[3] + SUM(J EXCEPT 3 : f[J]). */
const Expr *series_open(Model *m, const Expr *e, const Expr *target);
/* True if none of the quantities that `is` selects occurs inside a step
   function (INT, SIGN, a relation, an index ...): a derivative by it then says
   everything about it. */
bool is_smooth(const Expr *e, bool (*is)(const void *user, const Expr *e),
               const void *user);
/* The same without zero factors and terms, after something has been replaced by
   zero. */
const Expr *tidy(Model *m, const Expr *e);

#endif
