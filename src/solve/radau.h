#ifndef COSY_SOLVE_RADAU_H
#define COSY_SOLVE_RADAU_H

/* Private to radau*.c: the methods Radau IIA with 3, 5 and 7 stages, of order
   5, 9 and 13, each alone (RADAU5, RADAU9, RADAU13) or with the order chosen
   during the run (RADAU).

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

   ORDER. A run begins with the order that the tolerance suggests; after an
   event it continues with the order it had. It rises when Newton converges very
   fast (rate at most 0.002) while the step stays as it is, and falls, at most
   to one below that of the start, when Newton is slow or fails: a method of
   high order pays off with long steps, and those need an iteration that can
   follow. After a change it may rise only 10 steps later. With a fixed STEP the
   order is 5. */

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

/* Up to this rate of convergence the Jacobian is used for another step. */
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

/* The difference between the methods: the orders they may use. */
typedef struct RadauRange {
    uint32_t lowest, highest;
} RadauRange;

/* How an order uses the tolerance. */
typedef struct RadauLimits {
    real loosen;    // weight of the estimate / weight of the solution
    real tolerance; // tolerance of Newton, in units of the loosened weight
    real noise;     // corrections that may be nothing but rounding
    unsigned most;  // most iterations
} RadauLimits;

/* What decides how the run continues, besides the polynomial, J and the
   factors. */
typedef struct RadauMemory {
    real h_polynomial; // length of the step the polynomial belongs to; 0: none
    real h_factored;   // step size in the factors; 0: there are none
    real h_accepted;   // last accepted step, for the controller
    real error;        // error of that step; 0: another order follows
    real eta;          // theta / (1 - theta) of the last iteration
    real theta;        // rate of convergence
    real h_rate;       // step size at which theta was seen
    uint32_t accepted; // steps since the start
    uint32_t has_jacobian;
    uint32_t fresh;      // the Jacobian belongs to the present point
    uint32_t order;      // number of the table in use
    uint32_t polynomial; // number of the table that the polynomial belongs to
    uint32_t since;      // steps since the order changed
    uint32_t failed;     // Newton has failed since the last accepted step
    uint32_t zero;       // leaves no holes in the struct
} RadauMemory;

typedef struct Radau {
    const RadauTable *table; // table of the order in use
    RadauLimits limits[RADAU_ORDERS];
    Jacobian jacobian;
    Linear *real_part, *complex_part[RADAU_PAIRS];
    RadauMemory memory; // in the image
    real *polynomial;   // n for each coefficient; in the image
    /* 1 / (difference of the nodes k and k - level), nodes 0, c1 ... cs */
    real apart[RADAU_ORDERS][RADAU_STAGES + 1][RADAU_STAGES + 1];
    Vector work; // the arrays below
    real *z[RADAU_STAGES], *w[RADAU_STAGES], *f[RADAU_STAGES];
    real *mw[RADAU_STAGES];  // M w
    real *pair[RADAU_PAIRS]; // right sides of the complex systems
    real *y;                 // point at which f is evaluated; end of the step
    real *fy;                // f there
    real *q;                 // e . Z / h, M times that
    real *weight;            // as in solver_scale
    real *inverse;           // 1 / (weight, loosened)

    /* The present trial: base point and what Newton found. */
    real t;
    const real *x;
    unsigned iterations; // iterations made
    real error;          // its norm, 1 = tolerance
    real shrink;         // proposal after a failed trial: h times this
    Status why;          // why the model failed
} Radau;

/* Factors all matrices for h, unless that has been done. */
Trial radau_factor(Solver *s, Radau *r, real h);
/* Takes start values from the polynomial, for stages at (from + c_i h) counted
   from its near end; zero if there is no polynomial or `use` is false. */
void radau_predict(Solver *s, Radau *r, real from, real h, bool use);
/* Iterates from (r->t, r->x) with start values in z; leaves the solution in
   z. */
Trial radau_newton(Solver *s, Radau *r, real h);
/* Norm of the estimate, 1 = tolerance; f0 = f(t, x). `twice` allows the second
   solution that stiff problems need in first and repeated steps. */
real radau_error(Solver *s, Radau *r, real h, const real *f0, bool twice);
/* Estimated error of the last step: Method.local. */
bool radau_local(Solver *s, real *e);
/* Keeps the polynomial of the stages just found. */
void radau_keep(Solver *s, Radau *r, real h);
/* Its value in x, `u` steps from the near end x0. */
void radau_dense(const Radau *r, uint32_t n, const real *x0, real u, real *x);

#endif
