#ifndef COSY_ALGEBRA_JACOBIAN_H
#define COSY_ALGEBRA_JACOBIAN_H

/* The Jacobian d(x')/dx, entry by entry.

   Every rate is differentiated by every state it depends on, through the
   algebraic variables in between (their gradients are found once). An equation
   in a loop gives entries in a loop; a state inside SUM gives an entry for
   every value of its index; where an array is computed piece by piece, an
   entry's loop is restricted to the piece it belongs to.

   If a block of equations lies in between, or an index is not that of a loop
   plus a constant, there are no entries at all, has_jacobian is false and the
   kernel uses the tangent.

   Needs: sorted. */

#include "model/model.h"

bool jacobian_entries(Model *m);

#endif
