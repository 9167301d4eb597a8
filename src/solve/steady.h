#ifndef COSY_SOLVE_STEADY_H
#define COSY_SOLVE_STEADY_H

/* Points of rest: x with f(t, x) = 0 at a fixed t.

       steady_create   once, at the present point (s->t, s->x)
       steady_go       from that point: the one that the program goes on with
       steady_more     others, from other starts and by deflation
       steady_free

   What is solved is

       g(y) = D^-1 f(D y) - mu L L' (y - y0) - mu Q e = 0,    x = D y

   with D the sizes of the states. The columns of L span the sums that the model
   keeps (A' = -k A, B' = k A keeps A + B): with them J is singular everywhere,
   and the second term says that they are what they were at the start. They are
   found as the left null space of J and f at two points (steady_laws.c). The
   columns of Q are the directions at y that leave the constraints of the model,
   and e is how far y is from them (`normals`).

   Newton's method is damped by the natural monotonicity test, which does not
   depend on how equations are scaled (Deuflhard, Newton Methods for Nonlinear
   Problems, 2004, section 3.3). Where it fails, pseudo-transient continuation
   follows the motion with implicit Euler steps that grow as the residual falls
   (Kelley, Keyes, SIAM J. Numer. Anal. 35, 1998). In DOUBLE, KINSOL comes first
   (kinsol.c).

   Branches of hidden relations do not change inside an evaluation: `settle`
   brings them in line with a point, and whatever was found is looked for again
   until they agree with it.

   Written in `real`; compiled once per precision. Memory comes from the arena of
   the run. */

#include "solve/jacobian.h"
#include "solve/linear.h"

#define Steady          COSY_NAME(Steady)
#define SteadyOptions   COSY_NAME(SteadyOptions)
#define SteadyPoint     COSY_NAME(SteadyPoint)
#define steady_create   COSY_NAME(steady_create)
#define steady_laws     COSY_NAME(steady_laws)
#define steady_go       COSY_NAME(steady_go)
#define steady_more     COSY_NAME(steady_more)
#define steady_free     COSY_NAME(steady_free)
#define steady_residual COSY_NAME(steady_residual)
#define steady_jacobian COSY_NAME(steady_jacobian)
#define steady_factor   COSY_NAME(steady_factor)
#define steady_matrix   COSY_NAME(steady_matrix)
#define steady_judge    COSY_NAME(steady_judge)
#define steady_solve    COSY_NAME(steady_solve)
#define steady_newton   COSY_NAME(steady_newton)
#define steady_relax    COSY_NAME(steady_relax)
#define steady_settled  COSY_NAME(steady_settled)
#define steady_limit    COSY_NAME(steady_limit)
#define steady_norm     COSY_NAME(steady_norm)
#define steady_move     COSY_NAME(steady_move)
#define steady_kinsol   COSY_NAME(steady_kinsol)

enum { STEADY_FULL = 400 }; // states up to which matrices are full

typedef struct SteadyOptions {
    real tol; // how near, relative to each state; 0: 1e-9
    /* For each state: 1: it stays >= 0, -1: it stays <= 0, 0: it is free. */
    const signed char *sign;
    const real *low, *high; // where other starts are looked for; low > high:
                            // not known
    /* Directions that leave the constraints at x: project_normals; NULL: there
       are none, and otherwise at most normals_most. */
    Status (*normals)(void *user, const real *x, const real *size, real *normal,
                      real *off, uint32_t *count);
    uint32_t normals_most;
    /* Makes branches agree with x; *changed: they did not. */
    Status (*settle)(void *user, const real *x, bool *changed);
    /* False stops the search. */
    bool (*go_on)(void *user);
    void *user;
} SteadyOptions;

/* A point that was found. */
typedef struct SteadyPoint {
    real *x;
    real residual;  // largest |x'|
    uint32_t where; // the state that has it
    real near;      // last correction, relative to the state
    const char *how;
} SteadyPoint;

typedef struct Steady {
    Solver *s;
    SteadyOptions o;
    real t;
    uint32_t n;
    real *size, *x0;
    uint32_t laws;    // sums that are kept
    real *law;        // n each, orthonormal in y
    uint32_t normals; // directions that leave the constraints where J was
    real *normal;     // evaluated last: n each, orthonormal in y
    real *here,
        *off; // those where g is evaluated, and how far it is along them
    real mu;  // their rate: as fast as the model
    Jacobian jacobian;
    bool there;      // jacobian has been created
    Linear *linear;  // NULL: the matrix is full
    real *matrix;    // n * n, by columns
    uint32_t *pivot; // n
    real *weight;    // n
    real *room;      // 8 n, for those who compute
    const char *how; // what has found the last point
    uint32_t trials; // Newton iterations so far
} Steady;

Status steady_create(Steady *k, Solver *s, const SteadyOptions *o);
/* Finds L. */
Status steady_laws(Steady *k);
/* STATUS_NEWTON: none was found; p then is the best point. */
Status steady_go(Steady *k, SteadyPoint *p);
/* Other points, at most `most`; *count are found. The present branches belong to
   p[0] on entry and on return. */
Status steady_more(Steady *k, SteadyPoint *p, uint32_t most, uint32_t *count);
void steady_free(Steady *k);

/* ---- Shared by the files of it --------------------------------------------- */

/* g at x; `f`, if not NULL, gets f itself. */
Status steady_residual(Steady *k, const real *x, real *g, real *f);
/* Evaluates J at x, where the derivatives are f. */
Status steady_jacobian(Steady *k, const real *x, const real *f);
/* k->matrix = shift - g'(y) for the last J. */
void steady_matrix(Steady *k, real shift);
/* Factors that matrix. */
Status steady_factor(Steady *k, real shift);
void steady_solve(Steady *k, real *b);
/* Damped, from x to x; STATUS_NEWTON if it does not converge. */
Status steady_newton(Steady *k, real *x, real *near);
Status steady_relax(Steady *k, real *x, real *near);
/* Calls `find` again until the branches agree with what it has found. */
Status steady_settled(Steady *k, real *x, real *near,
                      Status (*find)(Steady *k, real *x, real *near));
/* The largest part of the step d that keeps the signs; at most 1. */
real steady_limit(const Steady *k, const real *x, const real *d);
real steady_norm(uint32_t n, const real *v);
/* Residual of p. */
void steady_judge(Steady *k, SteadyPoint *p);
/* to = x + c D d. */
void steady_move(const Steady *k, const real *x, const real *d, real c,
                 real *to);
#if COSY_PRECISION == 1
/* KINSOL with line search. */
Status steady_kinsol(Steady *k, real *x);
#endif

#endif
