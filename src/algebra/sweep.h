#ifndef COSY_ALGEBRA_SWEEP_H
#define COSY_ALGEBRA_SWEEP_H

/* Orders the elements of portions in loops that depend on each other in a circle
   as wholes, but not as elements.

   Elements are numbers. They are sorted into components, and these by how far
   they are from what is known. Then equal steps that follow each other with
   indices one apart are rolled up into loops again: A[1], B[1], A[2], B[2] ... is
   a loop over A[I], B[I]. Components of several elements are algebraic loops
   (tear.h, large.h), which may be rolled up as well.

   Needs: matched; no Select inside the loops. New portions replace those that
   were taken apart. */

#include "model/model.h"

bool sweep_elements(Model *m, System *s, const uint32_t *portion, uint32_t n,
                    Steps *out);

#endif
