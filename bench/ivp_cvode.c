/* Four initial value problems by hand on CVODE: what a C programmer would write
   instead of a model of COSY.

       ivp_cvode                          all problems, methods and tolerances
       ivp_cvode PROBLEM METHOD TOLERANCE one solution, in a function `once`
                                          whose instructions can be counted

   prints lines of bench/measure.h: BDF with Newton's method and the exact
   Jacobian in a dense matrix for the stiff problems, ADAMS with substitution
   for the smooth one; other combinations were slower everywhere. The time is
   that of one solution from CVodeCreate to CVodeFree; vectors, matrix and
   solvers are made once. */

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "bench/ivp.h"
#include "bench/measure.h"

/* ---- What CVODE calls ------------------------------------------------------- */

#define RIGHT_SIDE(name)                                                       \
    static int name##_f(realtype t, N_Vector y, N_Vector dy, void *user)       \
    {                                                                          \
        (void)t, (void)user;                                                   \
        name##_rhs(N_VGetArrayPointer(y), N_VGetArrayPointer(dy));             \
        return 0;                                                              \
    }

#define JACOBIAN(name, statements)                                             \
    static int name##_j(realtype t, N_Vector vy, N_Vector dy, SUNMatrix j,     \
                        void *user, N_Vector a, N_Vector b, N_Vector c)        \
    {                                                                          \
        const double *y = N_VGetArrayPointer(vy);                              \
        (void)t, (void)dy, (void)user, (void)a, (void)b, (void)c;              \
        statements return 0;                                                   \
    }

#define J(row, column) SM_ELEMENT_D(j, row, column)

RIGHT_SIDE(hires)
RIGHT_SIDE(pollution)
RIGHT_SIDE(lithium)
RIGHT_SIDE(pleiades)
JACOBIAN(hires, HIRES_JACOBIAN)
JACOBIAN(pollution, POLLUTION_JACOBIAN)
JACOBIAN(lithium, LITHIUM_JACOBIAN)

/* ---- Problems and methods --------------------------------------------------- */

typedef struct Ivp {
    const char *name;
    int n;
    double to, floor;
    const double *begin, *end;
    CVRhsFn f;
    CVLsJacFn j;     // NULL: not stiff
    int from, below; // tolerances: 10^(-k/2)
} Ivp;

#define IVP(name, NAME, jac, from, below)                                      \
    {                                                                          \
#name, NAME##_N, NAME##_TO, NAME##_FLOOR, name##_begin, name##_end,    \
            name##_f, jac, from, below                                         \
    }

static const Ivp ivps[] = {
    IVP(hires, HIRES, hires_j, 4, 27),
    IVP(pollution, POLLUTION, pollution_j, 4, 27),
    IVP(lithium, LITHIUM, lithium_j, 4, 27),
    IVP(pleiades, PLEIADES, NULL, 8, 30),
};

typedef struct Variant {
    const char *name;
    int method, newton;
} Variant;

static const Variant variants[] = {{"BDF", CV_BDF, 1}, {"ADAMS", CV_ADAMS, 0}};

typedef struct Problem {
    const Ivp *ivp;
    const Variant *variant;
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver substitution;
    double tolerance;
    long steps;
} Problem;

static void must(int status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "ivp_cvode: %s: status %d\n", what, status);
    exit(1);
}

static void solve(void *problem)
{
    Problem *p = problem;
    double t;
    void *cvode = CVodeCreate(p->variant->method, p->context);
    memcpy(N_VGetArrayPointer(p->y), p->ivp->begin,
           (size_t)p->ivp->n * sizeof(double));
    must(CVodeInit(cvode, p->ivp->f, 0.0, p->y), "CVodeInit");
    must(CVodeSStolerances(cvode, p->tolerance, p->tolerance * p->ivp->floor),
         "tolerances");
    must(CVodeSetMaxNumSteps(cvode, 1000000), "CVodeSetMaxNumSteps");
    must(CVodeSetMaxHnilWarns(cvode, -1), "CVodeSetMaxHnilWarns");
    must(CVodeSetStopTime(cvode, p->ivp->to), "CVodeSetStopTime");
    if (p->variant->newton) {
        must(CVodeSetLinearSolver(cvode, p->linear, p->matrix),
             "CVodeSetLinearSolver");
        must(CVodeSetJacFn(cvode, p->ivp->j), "CVodeSetJacFn");
    } else {
        must(CVodeSetNonlinearSolver(cvode, p->substitution),
             "CVodeSetNonlinearSolver");
    }
    must(CVode(cvode, p->ivp->to, p->y, &t, CV_NORMAL), "CVode");
    CVodeGetNumSteps(cvode, &p->steps);
    CVodeFree(&cvode);
}

static void make(Problem *p)
{
    must(SUNContext_Create(NULL, &p->context), "SUNContext_Create");
    p->y = N_VNew_Serial(p->ivp->n, p->context);
    p->matrix = SUNDenseMatrix(p->ivp->n, p->ivp->n, p->context);
    p->linear = SUNLinSol_Dense(p->y, p->matrix, p->context);
    p->substitution = SUNNonlinSol_FixedPoint(p->y, 0, p->context);
}

static void drop(Problem *p)
{
    SUNNonlinSolFree(p->substitution);
    SUNLinSolFree(p->linear);
    SUNMatDestroy(p->matrix);
    N_VDestroy(p->y);
    SUNContext_Free(&p->context);
}

/* ---- Program ---------------------------------------------------------------- */

static double digits_of(const Problem *p)
{
    return measure_digits(ivp_error(p->ivp->n, N_VGetArrayPointer(p->y),
                                    p->ivp->end, p->ivp->floor));
}

static void measure(Problem *p, double tolerance)
{
    p->tolerance = tolerance;
    solve(p);
    measure_line(p->ivp->name, p->variant->name, tolerance, digits_of(p),
                 measure_seconds(solve, p), p->steps);
}

static void measure_all(Problem *p)
{
    make(p);
    for (int k = p->ivp->from; k < p->ivp->below; k++)
        measure(p, pow(10.0, -0.5 * k));
    drop(p);
}

/* Everything that a program does to solve its problem once. */
static void once(Problem *p)
{
    make(p);
    solve(p);
    drop(p);
}

/* BDF only if there is a Jacobian, substitution only if the problem is not
   stiff. */
static int fits(const Ivp *ivp, const Variant *variant)
{
    return variant->newton ? ivp->j != NULL : ivp->j == NULL;
}

int main(int argc, char **argv)
{
    void (*volatile whole)(Problem *) = once; // a function of its own
    Problem p = {0};
    for (size_t i = 0; i < sizeof ivps / sizeof ivps[0]; i++)
        for (size_t v = 0; v < sizeof variants / sizeof variants[0]; v++) {
            p.ivp = &ivps[i];
            p.variant = &variants[v];
            if (!fits(p.ivp, p.variant) ||
                (argc > 1 && strcmp(argv[1], p.ivp->name) != 0) ||
                (argc > 2 && strcmp(argv[2], p.variant->name) != 0))
                continue;
            if (argc > 3) {
                p.tolerance = strtod(argv[3], NULL);
                whole(&p);
                printf("%s %s %g: %ld steps\n", argv[1], argv[2], p.tolerance,
                       p.steps);
            } else {
                measure_all(&p);
            }
        }
    return 0;
}
