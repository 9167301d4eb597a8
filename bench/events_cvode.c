/* The problems of bench/events.h by hand on CVODE, with its root finding: what a
   C programmer would write instead of a model of COSY. At each event the
   integrator is initialised anew.

       events_cvode

   prints a line (bench/measure.h) per problem, method and tolerance. BDF
   iterates by Newton's method with the exact Jacobian, ADAMS by substitution.
   The time is that of one solution from CVodeCreate to CVodeFree; vectors,
   matrix and solvers are made once. */

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench/events.h"
#include "bench/measure.h"

typedef struct Problem Problem;

typedef struct Kind {
    const char *name;
    double to, begin[2];
    CVRhsFn f;
    CVLsJacFn j;
    CVRootFn root;
    void (*event)(Problem *p, void *cvode); // called at the beginning too
    int (*times)(double *t);
} Kind;

struct Problem {
    const Kind *kind;
    int bdf;
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver substitution;
    double tolerance;
    double u; // output of the relay
    double at[EVENTS_MOST], right[EVENTS_MOST];
    int events, many;
    long steps;
};

static void must(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "events_cvode: %s: status %d\n", what, status);
    exit(1);
}

/* ---- Relay ------------------------------------------------------------------ */

static int relay_f(realtype t, N_Vector x, N_Vector dx, void *user)
{
    const Problem *p = user;
    (void)t;
    relay_rhs(p->u, N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
    return 0;
}

static int relay_j(realtype t, N_Vector x, N_Vector dx, SUNMatrix j, void *user,
                   N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)x, (void)dx, (void)user, (void)a, (void)b, (void)c;
    SM_ELEMENT_D(j, 0, 1) = 1.0;
    SM_ELEMENT_D(j, 1, 0) = -1.0;
    SM_ELEMENT_D(j, 1, 1) = -2.0;
    return 0;
}

static int relay_root(realtype t, N_Vector x, realtype *g, void *user)
{
    const Problem *p = user;
    (void)t;
    g[0] = NV_Ith_S(x, 0) - p->u * RELAY_LEVEL;
    return 0;
}

static void relay_event(Problem *p, void *cvode)
{
    p->u = p->events == 0 ? 1.0 : -p->u;
    int direction = p->u > 0.0 ? 1 : -1;
    must(CVodeSetRootDirection(cvode, &direction), "CVodeSetRootDirection");
}

/* ---- Ball ------------------------------------------------------------------- */

static int ball_f(realtype t, N_Vector x, N_Vector dx, void *user)
{
    (void)t, (void)user;
    ball_rhs(N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
    return 0;
}

static int ball_j(realtype t, N_Vector x, N_Vector dx, SUNMatrix j, void *user,
                  N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)x, (void)dx, (void)user, (void)a, (void)b, (void)c;
    SM_ELEMENT_D(j, 0, 1) = 1.0;
    return 0;
}

static int ball_root(realtype t, N_Vector x, realtype *g, void *user)
{
    (void)t, (void)user;
    g[0] = NV_Ith_S(x, 0);
    return 0;
}

static void ball_event(Problem *p, void *cvode)
{
    int direction = -1;
    if (p->events > 0)
        NV_Ith_S(p->y, 1) *= -BALL_KEEPS;
    must(CVodeSetRootDirection(cvode, &direction), "CVodeSetRootDirection");
}

/* ---- Solution --------------------------------------------------------------- */

static const Kind kinds[] = {
    {"relay",
     RELAY_TO,
     {0.0, 0.0},
     relay_f,
     relay_j,
     relay_root,
     relay_event,
     relay_times},
    {"ball",
     BALL_TO,
     {1.0, 0.0},
     ball_f,
     ball_j,
     ball_root,
     ball_event,
     ball_times},
};

static void *begin(Problem *p)
{
    void *cvode = CVodeCreate(p->bdf ? CV_BDF : CV_ADAMS, p->context);
    NV_Ith_S(p->y, 0) = p->kind->begin[0];
    NV_Ith_S(p->y, 1) = p->kind->begin[1];
    p->events = 0;
    p->steps = 0;
    must(CVodeInit(cvode, p->kind->f, 0.0, p->y), "CVodeInit");
    must(CVodeSetUserData(cvode, p), "CVodeSetUserData");
    must(CVodeSStolerances(cvode, p->tolerance, 1e-2 * p->tolerance),
         "tolerances");
    must(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
    if (p->bdf) {
        must(CVodeSetLinearSolver(cvode, p->linear, p->matrix),
             "CVodeSetLinearSolver");
        must(CVodeSetJacFn(cvode, p->kind->j), "CVodeSetJacFn");
    } else {
        must(CVodeSetNonlinearSolver(cvode, p->substitution),
             "CVodeSetNonlinearSolver");
    }
    must(CVodeRootInit(cvode, 1, p->kind->root), "CVodeRootInit");
    must(CVodeSetStopTime(cvode, p->kind->to), "CVodeSetStopTime");
    p->kind->event(p, cvode);
    return cvode;
}

static void solve(void *problem)
{
    Problem *p = problem;
    void *cvode = begin(p);
    for (;;) {
        double t;
        long steps;
        int status = CVode(cvode, p->kind->to, p->y, &t, CV_NORMAL);
        must(status, "CVode");
        CVodeGetNumSteps(cvode, &steps);
        p->steps += steps;
        if (status != CV_ROOT_RETURN)
            break;
        if (p->events < EVENTS_MOST)
            p->at[p->events++] = t;
        p->kind->event(p, cvode);
        must(CVodeReInit(cvode, t, p->y), "CVodeReInit");
    }
    CVodeFree(&cvode);
}

static void measure(Problem *p)
{
    p->many = p->kind->times(p->right);
    for (int k = 4; k <= 26; k++) {
        p->tolerance = pow(10.0, -0.5 * k);
        solve(p);
        double digits = measure_digits(
            events_error(p->at, p->events, p->right, p->many, p->kind->to));
        measure_line(p->kind->name, p->bdf ? "BDF" : "ADAMS", p->tolerance,
                     digits, measure_seconds(solve, p), p->steps);
    }
}

int main(void)
{
    Problem p = {0};
    must(SUNContext_Create(NULL, &p.context), "SUNContext_Create");
    p.y = N_VNew_Serial(2, p.context);
    p.matrix = SUNDenseMatrix(2, 2, p.context);
    p.linear = SUNLinSol_Dense(p.y, p.matrix, p.context);
    p.substitution = SUNNonlinSol_FixedPoint(p.y, 0, p.context);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (p.bdf = 0; p.bdf < 2; p.bdf++) {
            p.kind = &kinds[k];
            measure(&p);
        }
    SUNNonlinSolFree(p.substitution);
    SUNLinSolFree(p.linear);
    SUNMatDestroy(p.matrix);
    N_VDestroy(p.y);
    SUNContext_Free(&p.context);
    return 0;
}
