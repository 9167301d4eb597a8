#ifndef COSY_SOLVE_BLOCK_H
#define COSY_SOLVE_BLOCK_H

/* Solves the systems of equations that remained implicit (CosyBlock): r(u) = 0
   at a given t, x.

   On entry u holds the start values, on return the solution. If there is none,
   u stays as it was and the result is COSY_FAIL: with COSY_SINGULAR and the
   unknown that nothing determines, with COSY_NEWTON and the equation that is
   farthest from being fulfilled (both counted from the block's first equation),
   or with the model's own failure at the start values.

   A linear block takes one solution. All others use Newton's method: the
   Jacobian is kept while each correction is at most a hundredth of the one
   before, and steps are damped by the natural test (Deuflhard, Newton Methods
   for Nonlinear Problems, 3.3.1). The iteration ends when the next correction
   would change only the last place, when rounding keeps corrections from
   shrinking, or when they are below the block's own tolerances. A block may
   limit the number of corrections.

   Up to BLOCK_STACK unknowns need no memory; more take it from `scratch`, which
   grows once. block_solve is the host's service of that name; it has no
   scratch, so for a larger block it allocates in each call. */

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
