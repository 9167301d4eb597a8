#ifndef COSY_ALGEBRA_ISOLATE_H
#define COSY_ALGEBRA_ISOLATE_H

/* Solves left = right for one quantity, if that can be done in one expression:
   by undoing operations one after the other where it occurs once, as a linear
   equation where it occurs more often. NULL if it cannot: the equation stays
   implicit. */

#include "model/model.h"

const Expr *isolate(Model *m, const Expr *left, const Expr *right,
                    const Expr *target);
/* True if none of the quantities that `is` tells stands in a step (INT, SIGN, a
   relation, an index ...): a derivative by it says all about it. */
bool is_smooth(const Expr *e, bool (*is)(const void *user, const Expr *e),
               const void *user);
/* The same with factors and terms of zero left out, after something has been
   replaced by zero. */
const Expr *tidy(Model *m, const Expr *e);

#endif
