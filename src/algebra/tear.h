#ifndef COSY_ALGEBRA_TEAR_H
#define COSY_ALGEBRA_TEAR_H

/* Algebraic loops: equations that determine their unknowns only together, one
   each. They may stand in loops: then there is one such algebraic loop for each
   value of the index.

   Some of the unknowns are torn: given these, the others follow one after the
   other, and the equations of the torn ones become residuals. Nothing follows by
   dividing by what may be zero. A loop that is
   linear in one or two torn unknowns is solved in closed form; other linear
   ones exactly, in one step; the rest by Newton's method with the symbolic
   Jacobian. IMPLICIT tears what it names. The modeller is told. */

#include "model/model.h"

bool tear_loop(Model *m, System *s, const uint32_t *portion, uint32_t n,
               Steps *out);
/* False, and an error, if an unknown is not REAL. */
bool tear_is_real(Model *m, const System *s, const uint32_t *portion,
                  uint32_t n);

#endif
