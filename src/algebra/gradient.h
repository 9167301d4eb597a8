#ifndef COSY_ALGEBRA_GRADIENT_H
#define COSY_ALGEBRA_GRADIENT_H

/* The derivatives of the constraints by the STATEs, as formulas: Model.gradient.

   Constraints that read ALGEBRs, or STATEs at places that only the run knows,
   have none; then there are no formulas at all, and the run takes differences.

   Needs: matched. */

#include "model/model.h"

void gradient_of_constraints(Model *m);

#endif
