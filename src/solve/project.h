#ifndef COSY_SOLVE_PROJECT_H
#define COSY_SOLVE_PROJECT_H

/* Restores g(t, x) = 0 (model->constraints) after a step by the shortest way:

       x -= G^T (G G^T)^-1 g,    G = dg/dx,

   repeated until g is at the level of rounding or stops falling (a few times; g
   is small to begin with). x is left alone if g = 0 already.

   STATUS_SINGULAR if constraints depend on each other at this point,
   STATUS_NEWTON if g does not become smaller, STATUS_NUMBER if the model cannot
   compute it; the fault names the constraint, and x stays as it was. `scratch`
   grows once. */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/model.h"

#define project COSY_NAME(project)

Status project(Cosy *c, real t, real *x, uint32_t n, Vector *scratch, Fault *f);

#endif
