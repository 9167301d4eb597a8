/* The two-state model from t = 0 to 5 by hand on CVODE: what a C programmer
   would write instead of tests/contract/twostate.c. The thresholds are roots of
   CVodeRootInit; at each of them the constants change and the integrator is
   initialised anew.

       twostate_cvode

   prints a line (bench/measure.h) per tolerance. The time is that of one
   solution from CVodeCreate to CVodeFree; vectors, matrix and solver are made
   once. */

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "bench/measure.h"

#define C1   2.7e6
#define C3   3.5651205
#define HIGH 5.8
#define LOW  2.5

typedef struct Problem {
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    double tolerance;
    int up;        // the next switch is at HIGH
    double c2, c4; // of the present mode
    double at[TWOSTATE_SWITCHES + 3];
    int switches;
    double y1;
    long steps;
} Problem;

static int derivatives(realtype t, N_Vector vy, N_Vector vdy, void *user)
{
    const Problem *p = user;
    const double *y = N_VGetArrayPointer(vy);
    double *dy = N_VGetArrayPointer(vdy);
    (void)t;
    dy[0] = C1 * (y[1] + p->c2 - y[0]);
    dy[1] = C3 * (p->c4 - y[1]);
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector dy, SUNMatrix j,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)y, (void)dy, (void)user, (void)a, (void)b, (void)c;
    SM_ELEMENT_D(j, 0, 0) = -C1;
    SM_ELEMENT_D(j, 0, 1) = C1;
    SM_ELEMENT_D(j, 1, 0) = 0.0;
    SM_ELEMENT_D(j, 1, 1) = -C3;
    return 0;
}

static int threshold(realtype t, N_Vector y, realtype *g, void *user)
{
    const Problem *p = user;
    (void)t;
    g[0] = NV_Ith_S(y, 0) - (p->up ? HIGH : LOW);
    return 0;
}

static void must(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "twostate_cvode: %s: status %d\n", what, status);
    exit(1);
}

static void set_mode(Problem *p, void *cvode, int up)
{
    int direction = up ? 1 : -1;
    p->up = up;
    p->c2 = up ? 0.4 : -0.3;
    p->c4 = up ? 5.5 : 2.73;
    must(CVodeSetRootDirection(cvode, &direction), "CVodeSetRootDirection");
}

static void *begin(Problem *p)
{
    void *cvode = CVodeCreate(CV_BDF, p->context);
    NV_Ith_S(p->y, 0) = 4.2;
    NV_Ith_S(p->y, 1) = 0.3;
    p->switches = 0;
    p->steps = 0;
    must(CVodeInit(cvode, derivatives, 0.0, p->y), "CVodeInit");
    must(CVodeSetUserData(cvode, p), "CVodeSetUserData");
    must(CVodeSStolerances(cvode, p->tolerance, 1e-2 * p->tolerance),
         "tolerances");
    must(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
    must(CVodeSetLinearSolver(cvode, p->linear, p->matrix),
         "CVodeSetLinearSolver");
    must(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
    must(CVodeRootInit(cvode, 1, threshold), "CVodeRootInit");
    must(CVodeSetStopTime(cvode, 5.0), "CVodeSetStopTime");
    set_mode(p, cvode, 1);
    return cvode;
}

static void solve(void *problem)
{
    Problem *p = problem;
    void *cvode = begin(p);
    for (;;) {
        double t;
        long steps;
        int status = CVode(cvode, 5.0, p->y, &t, CV_NORMAL);
        must(status, "CVode");
        CVodeGetNumSteps(cvode, &steps);
        p->steps += steps;
        if (status != CV_ROOT_RETURN)
            break;
        if (p->switches < TWOSTATE_SWITCHES + 3)
            p->at[p->switches++] = t;
        set_mode(p, cvode, !p->up);
        must(CVodeReInit(cvode, t, p->y), "CVodeReInit");
    }
    p->y1 = NV_Ith_S(p->y, 0);
    CVodeFree(&cvode);
}

int main(void)
{
    Problem p = {0};
    must(SUNContext_Create(NULL, &p.context), "SUNContext_Create");
    p.y = N_VNew_Serial(2, p.context);
    p.matrix = SUNDenseMatrix(2, 2, p.context);
    p.linear = SUNLinSol_Dense(p.y, p.matrix, p.context);
    for (int k = 4; k <= 26; k++) {
        p.tolerance = pow(10.0, -0.5 * k);
        solve(&p);
        double digits = measure_digits(twostate_error(p.at, p.switches));
        measure_line("twostate", "BDF", p.tolerance, digits,
                     measure_seconds(solve, &p), p.steps);
    }
    SUNLinSolFree(p.linear);
    SUNMatDestroy(p.matrix);
    N_VDestroy(p.y);
    SUNContext_Free(&p.context);
    return 0;
}
