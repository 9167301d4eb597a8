#ifndef COSY_SOLVE_PROJECT_H
#define COSY_SOLVE_PROJECT_H

/* Restores g(t, x) = 0 (model->constraints) after a step by the shortest way:

       x -= G^T (G G^T)^-1 g,    G = dg/dx,

   again and again until g is at the level of rounding or stops falling (a few
   times; g is small to begin with). x is left alone where g = 0 already.

   STATUS_SINGULAR when constraints depend on each other at this point,
   STATUS_NEWTON when g does not become smaller, STATUS_NUMBER when the model
   cannot compute it; the fault says which constraint. x is as it was then.
   `scratch` grows once. */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/model.h"

#define project COSY_NAME(project)

Status project(Cosy *c, real t, real *x, uint32_t n, Vector *scratch, Fault *f);

#endif
