#ifndef COSY_ALGEBRA_LARGE_H
#define COSY_ALGEBRA_LARGE_H

/* Algebraic loops that are too large to be torn: all their unknowns are found
   together, with a sparse Jacobian. Portions may have loops, which stay loops in
   residuals and slopes. The modeller is told.

   Substituting a thousand unknowns into each other, as tearing does, would
   multiply their errors. */

#include "model/model.h"

#define LARGE_FROM 41 // unknowns

bool large_loop(Model *m, System *s, const uint32_t *portion, uint32_t n,
                Steps *out);

#endif
