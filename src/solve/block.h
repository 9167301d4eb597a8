#ifndef COSY_SOLVE_BLOCK_H
#define COSY_SOLVE_BLOCK_H

/* Solves the systems of equations that remained implicit (CosyBlock): r(u) = 0
   at a given t, x.

   u comes with the start values and goes with the solution; when there is none
   it stays as it was, and the answer is COSY_FAIL with COSY_SINGULAR and the
   unknown that nothing determines, with COSY_NEWTON and the equation that is
   farthest from being fulfilled (both counted from the block's first
   equation), or what the model itself answered at the start values.

   A linear block takes one solution. Otherwise Newton's method: the Jacobian is
   kept while corrections shrink to a hundredth, steps are damped by the natural
   test (Deuflhard, Newton Methods for Nonlinear Problems, 3.3.1), and the end
   is reached when the next correction would change nothing but the last place
   or corrections do not shrink any more because of rounding, or they are below
   the block's own tolerances. A block may limit the number of corrections.

   Up to BLOCK_STACK unknowns need no memory; more take it from `scratch`, which
   grows once. block_solve is the host's service of that name; it has no
   scratch, and allocates for a larger block in each call. */

#include "base/arena.h"
#include "cosy/model.h"

#define block_solve      COSY_NAME(block_solve)
#define block_solve_with COSY_NAME(block_solve_with)

#define BLOCK_STACK 16

CosyStatus block_solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                       const void *point, real *u);
CosyStatus block_solve_with(Cosy *c, const CosyBlock *b, real t, const real *x,
                            const void *point, real *u, Vector *scratch);

#endif
