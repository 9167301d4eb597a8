#ifndef COSY_SOLVE_RADAU_H
#define COSY_SOLVE_RADAU_H

/* Private to radau*.c: the method Radau IIA of order 5 with three stages.

   Source: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5
   (collocation), IV.8 (implementation, formulas 8.1-8.21). Step control:
   Gustafsson, ACM TOMS 20 (1994).

       radau_table.c   coefficients, from closed forms, in `real`
       radau_newton.c  one trial step: start values, simplified Newton on the
                       transformed stages, error estimate
       radau.c         steps: control, failures, dense output, repetition

   The stages' increments are Z = (z1, z2, z3) = T W; in W the Newton systems
   fall apart into a real and a complex one,

       (gamma / h M - J) dw1                    = ...
       ((alpha + i beta) / h M - J) (dw2 + i dw3) = ... */

#include "solve/jacobian.h"
#include "solve/linear.h"
#include "solve/method.h"

#define RadauTable    COSY_NAME(RadauTable)
#define RadauMemory   COSY_NAME(RadauMemory)
#define Radau         COSY_NAME(Radau)
#define radau_table   COSY_NAME(radau_table)
#define radau_factor  COSY_NAME(radau_factor)
#define radau_newton  COSY_NAME(radau_newton)
#define radau_error   COSY_NAME(radau_error)
#define radau_keep    COSY_NAME(radau_keep)
#define radau_predict COSY_NAME(radau_predict)

/* Up to this rate of convergence the Jacobian serves another step. */
#define RADAU_KEEP_RATE R(0.001)

typedef struct RadauTable {
    real c[3];
    real gamma, alpha, beta; // eigenvalues of the inverse of A
    real t[3][3], ti[3][3];  // T and its inverse; last row of T is 1, 1, 0
    real e[3];               // error estimate, formula 8.19
} RadauTable;

/* What decides how the run goes on, apart from the polynomial, J and the
   factors. */
typedef struct RadauMemory {
    real h_polynomial; // length of the step it belongs to; 0: there is none
    real h_factored;   // step size in the factors; 0: there are none
    real h_accepted;   // of the last accepted step, for the controller
    real error;        // of it
    real eta;          // theta / (1 - theta) of the last iteration
    real theta;        // rate of convergence
    uint32_t accepted; // steps since the start
    uint32_t has_jacobian;
    uint32_t fresh; // the Jacobian is of the present point
    uint32_t zero;  // keeps the struct without holes
} RadauMemory;

/* How a trial step ended. */
typedef enum Trial {
    TRIAL_DONE,
    TRIAL_LARGE,    // error over the tolerance
    TRIAL_SLOW,     // Newton does not converge, or too slowly
    TRIAL_BROKEN,   // the model failed, or numbers are not finite
    TRIAL_SINGULAR, // of the iteration matrix; column in solver->culprit
    TRIAL_MEMORY
} Trial;

typedef struct Radau {
    RadauTable table;
    Jacobian jacobian;
    Linear *real_part, *complex_part;
    RadauMemory memory; // in the image
    real *polynomial;   // coefficients, three times n; in the image
    Vector work;        // the arrays below
    real *z[3], *w[3], *f[3];
    real *mw[3];   // M w
    real *pair;    // right side of the complex system
    real *y;       // point at which f is asked for; end of the step
    real *fy;      // f there
    real *q;       // e . Z / h, M times that
    real *weight;  // as solver_scale
    real *inverse; // 1 / (weight, loosened)

    /* Of the present trial: base point and what Newton found. */
    real t;
    const real *x;
    real tolerance; // of Newton, in units of the weight
    real loosen;    // weight of the estimate / weight of the solution
    unsigned iterations, most; // done, and allowed
    real error;                // its norm, 1 = tolerance
    real shrink;               // proposal of a failed trial: h times this
    Status why;                // of a broken one
} Radau;

void radau_table(RadauTable *table);
/* Factors both matrices for h, unless they are there. */
Trial radau_factor(Solver *s, Radau *r, real h);
/* Start values from the polynomial, of stages at (from + c_i h) counted from
   its near end; zero if there is no polynomial or `use` is false. */
void radau_predict(Solver *s, Radau *r, real from, real h, bool use);
/* From (r->t, r->x) with start values in z; leaves z. */
Trial radau_newton(Solver *s, Radau *r, real h);
/* Norm of the estimate, 1 = tolerance; f0 = f(t, x). `twice` allows the second
   solution that stiff problems need in first and repeated steps. */
real radau_error(Solver *s, Radau *r, real h, const real *f0, bool twice);
/* Polynomial of the stages just found. */
void radau_keep(Solver *s, Radau *r, real h);

#endif
