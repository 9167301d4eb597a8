/* Van der Pol's oscillator with a cubic spring, from t = 0 to 20, by hand on
   CVODE: what a C programmer would write instead of tests/contract/vanderpol.c.

       vanderpol_cvode

   prints a line (bench/measure.h) per method and tolerance. ADAMS iterates by
   substitution, ADAMS_NEWTON and BDF by Newton's method with the Jacobian
   below. The time is that of one solution from CVodeCreate to CVodeFree;
   vectors, matrix and solvers are made once. */

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench/measure.h"

#define MY 1.0

typedef struct Variant {
    const char *name;
    int method;
    int newton;
} Variant;

typedef struct Problem {
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver substitution;
    const Variant *variant;
    double tolerance;
    double at[VANDERPOL_POINTS][2];
    long steps;
} Problem;

static int derivatives(realtype t, N_Vector vy, N_Vector vdy, void *user)
{
    const double *y = N_VGetArrayPointer(vy);
    double *dy = N_VGetArrayPointer(vdy);
    double square = y[0] * y[0];
    (void)t;
    (void)user;
    dy[0] = y[1];
    dy[1] = MY * (1.0 - square) * y[1] - y[0] * square;
    return 0;
}

static int jacobian(realtype t, N_Vector vy, N_Vector vdy, SUNMatrix j,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    const double *y = N_VGetArrayPointer(vy);
    (void)t, (void)vdy, (void)user, (void)a, (void)b, (void)c;
    SM_ELEMENT_D(j, 0, 0) = 0.0;
    SM_ELEMENT_D(j, 0, 1) = 1.0;
    SM_ELEMENT_D(j, 1, 0) = -2.0 * MY * y[0] * y[1] - 3.0 * y[0] * y[0];
    SM_ELEMENT_D(j, 1, 1) = MY * (1.0 - y[0] * y[0]);
    return 0;
}

static void must(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "vanderpol_cvode: %s: status %d\n", what, status);
    exit(1);
}

static void *begin(Problem *p)
{
    double *y = N_VGetArrayPointer(p->y);
    void *cvode = CVodeCreate(p->variant->method, p->context);
    y[0] = 0.5;
    y[1] = -0.5;
    must(CVodeInit(cvode, derivatives, 0.0, p->y), "CVodeInit");
    must(CVodeSStolerances(cvode, p->tolerance, p->tolerance), "tolerances");
    must(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
    if (p->variant->newton) {
        must(CVodeSetLinearSolver(cvode, p->linear, p->matrix),
             "CVodeSetLinearSolver");
        must(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
    } else {
        must(CVodeSetNonlinearSolver(cvode, p->substitution),
             "CVodeSetNonlinearSolver");
    }
    return cvode;
}

static void solve(void *problem)
{
    Problem *p = problem;
    double t;
    void *cvode = begin(p);
    must(CVode(cvode, 20.0, p->y, &t, CV_NORMAL), "CVode");
    CVodeFree(&cvode);
}

/* The same with a look at the solution once per unit of time. */
static double error_of(Problem *p)
{
    double t;
    void *cvode = begin(p);
    for (int k = 0; k < VANDERPOL_POINTS; k++) {
        must(CVode(cvode, k + 1.0, p->y, &t, CV_NORMAL), "CVode");
        p->at[k][0] = NV_Ith_S(p->y, 0);
        p->at[k][1] = NV_Ith_S(p->y, 1);
    }
    CVodeGetNumSteps(cvode, &p->steps);
    CVodeFree(&cvode);
    return vanderpol_error(p->at);
}

int main(void)
{
    static const Variant variants[] = {{"ADAMS", CV_ADAMS, 0},
                                       {"ADAMS_NEWTON", CV_ADAMS, 1},
                                       {"BDF", CV_BDF, 1}};
    Problem p = {0};
    must(SUNContext_Create(NULL, &p.context), "SUNContext_Create");
    p.y = N_VNew_Serial(2, p.context);
    p.matrix = SUNDenseMatrix(2, 2, p.context);
    p.linear = SUNLinSol_Dense(p.y, p.matrix, p.context);
    p.substitution = SUNNonlinSol_FixedPoint(p.y, 0, p.context);
    for (int v = 0; v < 3; v++)
        for (int k = 6; k <= 26; k++) {
            p.variant = &variants[v];
            p.tolerance = pow(10.0, -0.5 * k);
            double digits = measure_digits(error_of(&p));
            measure_line("vanderpol", p.variant->name, p.tolerance, digits,
                         measure_seconds(solve, &p), p.steps);
        }
    SUNNonlinSolFree(p.substitution);
    SUNLinSolFree(p.linear);
    SUNMatDestroy(p.matrix);
    N_VDestroy(p.y);
    SUNContext_Free(&p.context);
    return 0;
}
