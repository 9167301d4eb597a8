#ifndef COSY_SOLVE_DIRK_H
#define COSY_SOLVE_DIRK_H

/* Private to dirk*.c: diagonally implicit Runge-Kutta methods whose first stage
   is explicit and whose last one is the end of the step (ESDIRK, stiffly
   accurate). All implicit stages share one matrix, M = 1 / (h gamma) - J.

       DIRK     order 4, error estimate of order 3, L-stable, six stages
                (Kennedy, Carpenter, Appl. Numer. Math. 44, 2003:
                ESDIRK4(3)6L[2]SA); dense output of order 4
       TRAPEZ   trapezoidal rule to an inner point, second BDF formula to the
                end: order 2, estimate by a formula of order 3, L-stable (Bank
                and others, IEEE Trans. CAD 4, 1985; Hosea, Shampine, Appl.
                Numer. Math. 20, 1996)

   They cost little per step and nothing to restart: they suit stiff models with
   many events at moderate accuracy.

       dirk_table.c   coefficients
       dirk.c         stages by Newton, error, control, dense output

   For each stage the increment z over x0 is iterated; h k follows from it
   without evaluating the model, so that rounding is not multiplied by stiff
   eigenvalues: h k_i = (z_i - sum of a_ij h k_j) / gamma. The last k of a step
   is the first of the next. */

#include "solve/implicit.h"
#include "solve/jacobian.h"
#include "solve/linear.h"
#include "solve/method.h"

#define DirkTable   COSY_NAME(DirkTable)
#define DirkMemory  COSY_NAME(DirkMemory)
#define Dirk        COSY_NAME(Dirk)
#define dirk_four   COSY_NAME(dirk_four)
#define dirk_trapez COSY_NAME(dirk_trapez)

enum { DIRK_STAGES = 6, DIRK_DEGREE = 4 };

typedef struct DirkTable {
    int stages, degree;
    int estimate; // order of the error estimate
    real gamma;
    real c[DIRK_STAGES];
    real a[DIRK_STAGES][DIRK_STAGES]; // below the diagonal; last row: weights
    real e[DIRK_STAGES];              // weights minus those of the other
                                      // formula
    /* Weights of the dense output: b_i(u) = sum of dense[i][j] u^(j+1). */
    real dense[DIRK_STAGES][DIRK_DEGREE];
} DirkTable;

extern const DirkTable dirk_four, dirk_trapez;

/* What decides how the run continues, besides the stages, J and the factors. */
typedef struct DirkMemory {
    real h_last;     // length of the step that the stages belong to; 0: none
    real h_factored; // step size in the factors; 0: there are none
    real h_accepted; // last accepted step, for the controller
    real error;      // error of that step
    real eta;        // theta / (1 - theta) of the last iteration
    real theta;      // worst rate of convergence of the stages
    uint32_t accepted;
    uint32_t has_jacobian;
    uint32_t fresh; // the Jacobian belongs to the present point
    uint32_t zero;  // leaves no holes in the struct
} DirkMemory;

typedef struct Dirk {
    const DirkTable *table;
    Jacobian jacobian;
    Linear *linear;
    DirkMemory memory;        // in the image
    real *hk[DIRK_STAGES];    // h k of the last step; in the image
    real *first;              // k at its far end; in the image
    Vector work;              // the arrays below
    real *z[DIRK_STAGES];     // increments of the trial's stages, z[0] unused
    real *trial[DIRK_STAGES]; // its h k
    real *base;               // sum of a_ij h k_j for the present stage
    real *y, *fy;             // point at which f is evaluated; end of the step
    real *r;                  // right side, error
    real *weight, *inverse;   // as in solver_scale, and its reciprocal

    /* The present trial. */
    real t;
    const real *x;
    real tolerance; // tolerance of Newton, in units of the weight
    unsigned iterations, most;
    real error, shrink;
    Status why;
} Dirk;

#endif
