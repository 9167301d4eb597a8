#ifndef COSY_ALGEBRA_TEAR_H
#define COSY_ALGEBRA_TEAR_H

/* Algebraic loops: scalar equations that determine their unknowns only
   together.

   Some of the unknowns are torn: given these, the others follow one after the
   other, and the equations of the torn ones become residuals. A loop that is
   linear in one or two torn unknowns is solved in closed form; other linear
   ones exactly, in one step; the rest by Newton's method with the symbolic
   Jacobian. IMPLICIT tears what it names. The modeller is told. */

#include "model/model.h"

/* Unknowns that each equation reads, kept by the sorter. */
typedef struct Reads {
    const Expr **list;
    uint32_t count;
} Reads;

bool tear_loop(Model *m, System *s, const uint32_t *equation, uint32_t n,
               const Reads *reads, Steps *out);

#endif
