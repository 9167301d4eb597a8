#ifndef COSY_SOLVE_SUNDIALS_H
#define COSY_SOLVE_SUNDIALS_H

/* What the methods on SUNDIALS (cvode.c, ida.c) share: the linear solver that
   fits the pattern of the Jacobian, and its matrix.

       sun_create   chooses dense, band or KLU and makes matrix and solver
       sun_fill     writes the values of a Jacobian's common pattern there
       sun_free     frees both

   A band where that is not much more than the entries (band_prefers), dense
   where half empty does not matter (linear_prefers_dense), KLU for all else.
   DOUBLE only. SUNDIALS allocates for itself. */

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>

#include "solve/jacobian.h"

#define SunMatrix  COSY_NAME(SunMatrix)
#define sun_create COSY_NAME(sun_create)
#define sun_fill   COSY_NAME(sun_fill)
#define sun_free   COSY_NAME(sun_free)

typedef enum SunKind { SUN_DENSE, SUN_BAND, SUN_KLU } SunKind;

typedef struct SunMatrix {
    SunKind kind;
    SUNMatrix matrix;
    SUNLinearSolver solver;
} SunMatrix;

/* False without memory. */
bool sun_create(SunMatrix *m, const Jacobian *j, N_Vector y, SUNContext c);
/* value by entry, as jacobian_matrix leaves it. */
void sun_fill(SunMatrix *m, const Jacobian *j, const double *value);
void sun_free(SunMatrix *m);

#endif
