#ifndef COSY_SOLVE_RADAU_H
#define COSY_SOLVE_RADAU_H

/* Private to radau*.c: the methods Radau IIA with 3, 5 and 7 stages, of order 5,
   9 and 13, each alone (RADAU5, RADAU9, RADAU13) or with the order chosen on the
   way (RADAU).

   Source: Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5
   (collocation), IV.8 (implementation, formulas 8.1-8.21). Step control:
   Gustafsson, ACM TOMS 20 (1994). Choice of the order: Hairer, Wanner, J.
   Comput. Appl. Math. 111 (1999), section 3.

       radau_table.c   coefficients
       radau_newton.c  one trial step: start values, simplified Newton on the
                       transformed stages, error estimate
       radau.c         steps: control, failures, dense output, repetition

   The increments of s stages are Z = (z1 .. zs) = T W; in W the Newton systems
   fall apart into a real one and (s - 1) / 2 complex ones,

       (gamma / h M - J) dw1                          = ...
       ((alpha_k + i beta_k) / h M - J) (dw2k + i dw2k+1) = ...

   ORDER. A run begins with the order that the tolerance suggests, after an event
   it goes on with the order it had. It rises when Newton converges very fast
   (rate at most 0.002) while the step stays as it is, and falls, by one at most
   below that of the start, when Newton is slow or fails: a method of high order
   pays with long steps, and those need an iteration that can follow. After a
   change 10 steps go by before it may rise. With a fixed STEP the order is 5. */

#include "solve/implicit.h"
#include "solve/jacobian.h"
#include "solve/linear.h"
#include "solve/method.h"

#define RadauTable    COSY_NAME(RadauTable)
#define RadauRange    COSY_NAME(RadauRange)
#define RadauLimits   COSY_NAME(RadauLimits)
#define RadauMemory   COSY_NAME(RadauMemory)
#define Radau         COSY_NAME(Radau)
#define radau_tables  COSY_NAME(radau_tables)
#define radau_factor  COSY_NAME(radau_factor)
#define radau_newton  COSY_NAME(radau_newton)
#define radau_local   COSY_NAME(radau_local)
#define radau_error   COSY_NAME(radau_error)
#define radau_keep    COSY_NAME(radau_keep)
#define radau_predict COSY_NAME(radau_predict)
#define radau_dense   COSY_NAME(radau_dense)

/* Up to this rate of convergence the Jacobian serves another step. */
#define RADAU_KEEP_RATE R(0.001)

enum { RADAU_STAGES = 7, RADAU_PAIRS = 3, RADAU_ORDERS = 3 };

typedef struct RadauTable {
    int stages, pairs;
    real c[RADAU_STAGES];
    real gamma, alpha[RADAU_PAIRS], beta[RADAU_PAIRS];
    /* T and its inverse; the last row of T is 1, 1, 0, 1, 0 ... */
    real t[RADAU_STAGES][RADAU_STAGES], ti[RADAU_STAGES][RADAU_STAGES];
    real e[RADAU_STAGES]; // error estimate, formula 8.19
} RadauTable;

extern const RadauTable *const radau_tables[RADAU_ORDERS];

/* What distinguishes the methods: numbers of the orders they may use. */
typedef struct RadauRange {
    uint32_t lowest, highest;
} RadauRange;

/* What an order makes of the tolerance. */
typedef struct RadauLimits {
    real loosen;    // weight of the estimate / weight of the solution
    real tolerance; // of Newton, in units of the loosened weight
    real noise;     // corrections that may be nothing but rounding
    unsigned most;  // iterations
} RadauLimits;

/* What decides how the run goes on, apart from the polynomial, J and the
   factors. */
typedef struct RadauMemory {
    real h_polynomial; // length of the step it belongs to; 0: there is none
    real h_factored;   // step size in the factors; 0: there are none
    real h_accepted;   // of the last accepted step, for the controller
    real error;        // of it; 0: another order follows
    real eta;          // theta / (1 - theta) of the last iteration
    real theta;        // rate of convergence
    real h_rate;       // step size at which that was seen
    uint32_t accepted; // steps since the start
    uint32_t has_jacobian;
    uint32_t fresh;      // the Jacobian is of the present point
    uint32_t order;      // number of the table in use
    uint32_t polynomial; // number of the table that the polynomial is of
    uint32_t since;      // steps since the order changed
    uint32_t failed;     // Newton failed since the last accepted step
    uint32_t zero;       // keeps the struct without holes
} RadauMemory;

typedef struct Radau {
    const RadauTable *table; // of the order in use
    RadauLimits limits[RADAU_ORDERS];
    Jacobian jacobian;
    Linear *real_part, *complex_part[RADAU_PAIRS];
    RadauMemory memory; // in the image
    real *polynomial;   // coefficients, so many times n; in the image
    /* 1 / (difference of the nodes k and k - level), nodes 0, c1 ... cs */
    real apart[RADAU_ORDERS][RADAU_STAGES + 1][RADAU_STAGES + 1];
    Vector work; // the arrays below
    real *z[RADAU_STAGES], *w[RADAU_STAGES], *f[RADAU_STAGES];
    real *mw[RADAU_STAGES];  // M w
    real *pair[RADAU_PAIRS]; // right sides of the complex systems
    real *y;                 // point at which f is asked for; end of the step
    real *fy;                // f there
    real *q;                 // e . Z / h, M times that
    real *weight;            // as solver_scale
    real *inverse;           // 1 / (weight, loosened)

    /* Of the present trial: base point and what Newton found. */
    real t;
    const real *x;
    unsigned iterations; // done
    real error;          // its norm, 1 = tolerance
    real shrink;         // proposal of a failed trial: h times this
    Status why;          // of a broken one
} Radau;

/* Factors all matrices for h, unless they are there. */
Trial radau_factor(Solver *s, Radau *r, real h);
/* Start values from the polynomial, of stages at (from + c_i h) counted from
   its near end; zero if there is no polynomial or `use` is false. */
void radau_predict(Solver *s, Radau *r, real from, real h, bool use);
/* From (r->t, r->x) with start values in z; leaves z. */
Trial radau_newton(Solver *s, Radau *r, real h);
/* Norm of the estimate, 1 = tolerance; f0 = f(t, x). `twice` allows the second
   solution that stiff problems need in first and repeated steps. */
real radau_error(Solver *s, Radau *r, real h, const real *f0, bool twice);
/* Estimated error of the last step: Method.local. */
bool radau_local(Solver *s, real *e);
/* Polynomial of the stages just found. */
void radau_keep(Solver *s, Radau *r, real h);
/* Its value in x, `u` steps from the near end x0. */
void radau_dense(const Radau *r, uint32_t n, const real *x0, real u, real *x);

#endif
