#ifndef COSY_ALGEBRA_NEEDS_H
#define COSY_ALGEBRA_NEEDS_H

/* Finds which steps of the program each function of the generated code has to
   carry out: derivatives() those that rates of states depend on, conditions()
   those that discontinuity functions depend on, and so on (NEED_ in model.h).

   Needs: derived. */

#include "model/model.h"

bool needs_find(Model *m);

#endif
