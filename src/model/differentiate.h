#ifndef COSY_MODEL_DIFFERENTIATE_H
#define COSY_MODEL_DIFFERENTIATE_H

/* Derivatives of expressions.

   A derivative is taken along a direction: `seed` gives the derivative of each
   leaf (VARIABLE, RATE, TIME, HELD, DELAYED, HOLE of a table ...), NULL for 0.
   With the seed "1 for x, 0 for everything else" it is a partial derivative,
   with "x' for every state x" a time derivative. Shared subexpressions give
   shared derivatives.

   SIDEs and SEGMENTs do not move: a derivative belongs to the branch that is
   active. Relations and truth values have derivative 0, and so does a truth
   value inside NOEVENT. Inside SUM and PROD the seed sees the indices as they
   are written. */

#include "model/model.h"

typedef const Expr *(*ExprSeed)(void *user, const Expr *leaf);

const Expr *differentiate(Model *m, const Expr *e, ExprSeed seed, void *user);
/* The derivative by one leaf, everything else held fixed. */
const Expr *differentiate_by(Model *m, const Expr *e, const Expr *leaf);

#endif
