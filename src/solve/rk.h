#ifndef COSY_SOLVE_RK_H
#define COSY_SOLVE_RK_H

/* Explicit Runge-Kutta methods: one engine (rk.c), a table for each method
   (rk_tables.c).

   The points of a step are numbered from 0:

       0                      near end, t0
       1 .. stages-1          inner stages
       stages                 far end, t0 + h: the new solution
       stages+1 .. points-1   further stages, for dense output only

   Point i is x0 + h (a_i0 k_0 + ... + a_i,i-1 k_i-1) with k_j the derivatives
   at point j, so the weights b of the new solution are row `stages` of a. The
   derivatives at the far end are always found, because the step that follows
   begins with them; a method that uses them in its error estimate is called
   FSAL (first same as last).

   Dense output is a cubic through both ends and their derivatives, refined by
   `dense` rows of weights (Hairer, Norsett, Wanner I, II.6): with u = (t - t0)
   / h and v = 1 - u

       x(t) = x0 + u (r0 + v (r1 + u (r2 + v (r3 + u (r4 + ...)))))

   where r0 = x - x0, r1 = h k_0 - r0, r2 = r0 - h k_stages - r1, and r3, r4...
   are h times the rows d. */

#include "solve/method.h"

#define rk_euler  COSY_NAME(rk_euler)
#define rk_rk4    COSY_NAME(rk_rk4)
#define rk_rks    COSY_NAME(rk_rks)
#define rk_rke    COSY_NAME(rk_rke)
#define rk_rkf45  COSY_NAME(rk_rkf45)
#define rk_rkf78  COSY_NAME(rk_rkf78)
#define rk_dopri5 COSY_NAME(rk_dopri5)
#define rk_dop853 COSY_NAME(rk_dop853)

enum {
    RK_POINTS = 18, // largest number in any table
    RK_DENSE = 4    // most rows of dense weights
};

/* How the step follows the error (Gustafsson's PI controller; with beta = 0 the
   standard one): h is multiplied by safety err^-alpha err_before^beta, limited
   to [shrink, growth]. */
typedef struct RkControl {
    double alpha, beta, safety, shrink, growth;
} RkControl;

typedef struct RkTable {
    int stages, points, dense;
    int order;
    bool fsal;
    const real *a;  // row by row from point 1; row i has i weights
    const real *c;  // for all points
    const real *e;  // error: weights of points 0 .. stages; NULL: no estimate
    const real *e2; // second, coarser estimate, or NULL
    const real *q;  // estimate for states for which e cancels, or NULL
    const real *d;  // dense rows, each with the weights of all points
    int witness;    // inner stage with c = 1, for the estimate of stiffness
    double stiff; // h |lambda| from which a step is at the limit of stability:
                  // nine tenths of the end of the damped interval, because the
                  // controller settles just inside
    RkControl control;
} RkTable;

extern const RkTable rk_euler, rk_rk4, rk_rks, rk_rke, rk_rkf45, rk_rkf78;
extern const RkTable rk_dopri5, rk_dop853;

#endif
