/* The heat equation by hand in C: CVODE's BDF with the exact Jacobian, by the
   band solver on a rod, by KLU with AMD's order in the plane.

       heat_cvode DIMENSIONS POINTS [TOLERANCE]

   prints a line (bench/measure.h) per tolerance, or for the one given. Unknowns
   are the points inside. The time is that of one solution with all that it
   needs: CVODE, vector, matrix and linear solver are made and freed in it, as
   COSY's are. The pattern of the matrix is made once. */

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "bench/fields/heat.h"
#include "bench/measure.h"

enum { AMD = 0 };

/* Their header includes klu.h without the folder that Debian puts it in. */
SUNLinearSolver SUNLinSol_KLU(N_Vector y, SUNMatrix a, SUNContext context);
int SUNLinSol_KLUSetOrdering(SUNLinearSolver s, int ordering);

typedef struct Problem {
    Heat heat;
    int inner, n;  // unknowns of one side, and all
    double factor; // 1/h^2
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    void *cvode;
    sunindextype *start, *row; // the plane, by columns
    double *value;
    double tolerance;
    long steps;
} Problem;

static void must(int bad, const char *what)
{
    if (!bad)
        return;
    fprintf(stderr, "heat_cvode: %s\n", what);
    exit(1);
}

/* ---- On a rod -------------------------------------------------------------- */

static int rod(realtype t, N_Vector vu, N_Vector vdu, void *user)
{
    const Problem *p = user;
    const double *u = N_VGetArrayPointer(vu);
    double *du = N_VGetArrayPointer(vdu), factor = p->factor;
    int last = p->n - 1;
    (void)t;
    du[0] = factor * (u[1] - 2.0 * u[0]);
    for (int i = 1; i < last; i++)
        du[i] = factor * (u[i - 1] + u[i + 1] - 2.0 * u[i]);
    du[last] = factor * (u[last - 1] - 2.0 * u[last]);
    return 0;
}

static int rod_jacobian(realtype t, N_Vector u, N_Vector du, SUNMatrix m,
                        void *user, N_Vector a, N_Vector b, N_Vector c)
{
    const Problem *p = user;
    (void)t, (void)u, (void)du, (void)a, (void)b, (void)c;
    for (int j = 0; j < p->n; j++) {
        double *column = SM_COLUMN_B(m, j);
        SM_COLUMN_ELEMENT_B(column, j, j) = -2.0 * p->factor;
        if (j > 0)
            SM_COLUMN_ELEMENT_B(column, j - 1, j) = p->factor;
        if (j + 1 < p->n)
            SM_COLUMN_ELEMENT_B(column, j + 1, j) = p->factor;
    }
    return 0;
}

/* ---- In the plane ---------------------------------------------------------- */

static int plate(realtype t, N_Vector vu, N_Vector vdu, void *user)
{
    const Problem *p = user;
    const double *u = N_VGetArrayPointer(vu);
    double *du = N_VGetArrayPointer(vdu), factor = p->factor;
    int m = p->inner;
    (void)t;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            int k = j * m + i;
            double west = i > 0 ? u[k - 1] : 0.0;
            double east = i + 1 < m ? u[k + 1] : 0.0;
            double south = j > 0 ? u[k - m] : 0.0;
            double north = j + 1 < m ? u[k + m] : 0.0;
            du[k] = factor * (west + east + south + north - 4.0 * u[k]);
        }
    return 0;
}

static int plate_jacobian(realtype t, N_Vector u, N_Vector du, SUNMatrix m,
                          void *user, N_Vector a, N_Vector b, N_Vector c)
{
    const Problem *p = user;
    size_t n = (size_t)p->n, entries = (size_t)p->start[n];
    (void)t, (void)u, (void)du, (void)a, (void)b, (void)c;
    memcpy(SUNSparseMatrix_IndexPointers(m), p->start,
           (n + 1) * sizeof *p->start);
    memcpy(SUNSparseMatrix_IndexValues(m), p->row, entries * sizeof *p->row);
    memcpy(SUNSparseMatrix_Data(m), p->value, entries * sizeof *p->value);
    return 0;
}

static void add(Problem *p, int j, int i, double value)
{
    sunindextype k = p->start[j + 1]++;
    p->row[k] = i;
    p->value[k] = value * p->factor;
}

static void make_pattern(Problem *p)
{
    int m = p->inner;
    size_t n = (size_t)p->n;
    p->start = malloc((n + 1) * sizeof *p->start);
    p->row = malloc(5 * n * sizeof *p->row);
    p->value = malloc(5 * n * sizeof *p->value);
    must(!p->start || !p->row || !p->value, "no memory");
    p->start[0] = 0;
    for (int k = 0; k < p->n; k++) {
        p->start[k + 1] = p->start[k];
        if (k >= m)
            add(p, k, k - m, 1.0);
        if (k % m > 0)
            add(p, k, k - 1, 1.0);
        add(p, k, k, -4.0);
        if (k % m + 1 < m)
            add(p, k, k + 1, 1.0);
        if (k + m < p->n)
            add(p, k, k + m, 1.0);
    }
}

/* ---- Both ------------------------------------------------------------------ */

static void make_matrix(Problem *p)
{
    if (p->heat.dimensions == 1) {
        p->matrix = SUNBandMatrix(p->n, 1, 1, p->context);
        p->linear = SUNLinSol_Band(p->y, p->matrix, p->context);
    } else {
        p->matrix =
            SUNSparseMatrix(p->n, p->n, p->start[p->n], CSC_MAT, p->context);
        p->linear = SUNLinSol_KLU(p->y, p->matrix, p->context);
        must(SUNLinSol_KLUSetOrdering(p->linear, AMD), "ordering");
    }
}

static void begin(Problem *p)
{
    bool line = p->heat.dimensions == 1;
    p->y = N_VNew_Serial(p->n, p->context);
    for (int k = 0; k < p->n; k++)
        NV_Ith_S(p->y, k) =
            heat_start(&p->heat, k % p->inner + 1, k / p->inner + 1);
    make_matrix(p);
    p->cvode = CVodeCreate(CV_BDF, p->context);
    must(CVodeInit(p->cvode, line ? rod : plate, 0.0, p->y), "CVodeInit");
    must(CVodeSetUserData(p->cvode, p), "CVodeSetUserData");
    must(CVodeSStolerances(p->cvode, p->tolerance, 0.01 * p->tolerance),
         "tolerances");
    must(CVodeSetMaxNumSteps(p->cvode, 1000000), "CVodeSetMaxNumSteps");
    must(CVodeSetLinearSolver(p->cvode, p->linear, p->matrix),
         "CVodeSetLinearSolver");
    must(CVodeSetJacFn(p->cvode, line ? rod_jacobian : plate_jacobian),
         "CVodeSetJacFn");
}

static void end(Problem *p)
{
    CVodeFree(&p->cvode);
    SUNLinSolFree(p->linear);
    SUNMatDestroy(p->matrix);
    N_VDestroy(p->y);
}

static void go(Problem *p)
{
    double t;
    begin(p);
    must(CVodeSetStopTime(p->cvode, HEAT_TO), "CVodeSetStopTime");
    must(CVode(p->cvode, HEAT_TO, p->y, &t, CV_NORMAL) < 0, "CVode");
}

static void solve(void *problem)
{
    go(problem);
    end(problem);
}

static double error_of(Problem *p)
{
    double worst = 0.0, left = heat_left(&p->heat);
    go(p);
    for (int k = 0; k < p->n; k++) {
        double start = heat_start(&p->heat, k % p->inner + 1, k / p->inner + 1);
        worst = fmax(worst, fabs(NV_Ith_S(p->y, k) / left - start));
    }
    CVodeGetNumSteps(p->cvode, &p->steps);
    end(p);
    return worst;
}

static void measure(Problem *p, double tolerance, bool always)
{
    p->tolerance = tolerance;
    double digits = measure_digits(error_of(p));
    if (always || (digits >= HEAT_FEWEST && digits <= HEAT_MOST))
        measure_line(p->heat.dimensions == 1 ? "rod" : "plate", "BDF",
                     tolerance, digits, heat_seconds(solve, p), p->steps);
}

int main(int argc, char **argv)
{
    Problem p = {0};
    must(argc < 3 || argc > 4, "usage: heat_cvode 1|2 POINTS [TOLERANCE]");
    p.heat = (Heat){.dimensions = atoi(argv[1]), .points = atoi(argv[2])};
    p.inner = p.heat.points - 2;
    must(p.inner < 2, "too few points");
    p.n = p.heat.dimensions == 1 ? p.inner : p.inner * p.inner;
    p.factor = pow(p.heat.points - 1, 2);
    must(SUNContext_Create(NULL, &p.context), "SUNContext_Create");
    if (p.heat.dimensions == 2)
        make_pattern(&p);
    if (argc > 3)
        measure(&p, strtod(argv[3], NULL), true);
    else
        for (int k = HEAT_FIRST; k <= HEAT_LAST; k++)
            measure(&p, pow(10.0, -0.5 * k), false);
    free(p.start);
    free(p.row);
    free(p.value);
    SUNContext_Free(&p.context);
    return 0;
}
