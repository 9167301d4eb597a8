#ifndef COSY_ALGEBRA_ALGEBRA_H
#define COSY_ALGEBRA_ALGEBRA_H

/* From equations in any order to a program that computes: all passes between
   lowering and emission, in order. Each needs what the one before it left.

     hide    discontinuities become relations
             (and DERIV its derivative)
     match   equations find the unknowns they determine
     sort    the order of computation; algebraic loops are torn
             (and the derivatives by parameters: sense.h)
     derive  time derivatives of conditions, the Jacobian, or the tangent
             if there is no Jacobian; which functions need which step */

#include "model/model.h"

typedef enum AlgebraPass {
    ALGEBRA_HIDE,
    ALGEBRA_MATCH,
    ALGEBRA_SORT,
    ALGEBRA_DERIVE
} AlgebraPass;

/* Runs the passes up to and including `last`; false if there were errors or no
   memory. */
bool algebra(Model *m, AlgebraPass last);

#endif
