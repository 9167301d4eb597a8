#include <kinsol/kinsol.h>
#include <kinsol/kinsol_ls.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "solve/steady.h"
#include "solve/sundials.h"

/* KINSOL of SUNDIALS for a point of rest: Newton's method with line search, on
   the system of steady.h with its own Jacobian. DOUBLE only. */

typedef struct Kin {
    Steady *k;
    SUNContext context;
    void *memory;
    N_Vector y, y_scale, g_scale, sign;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    double *x, *f; // n each
    Status why;
} Kin;

static void take_point(Kin *v, N_Vector y)
{
    for (uint32_t i = 0; i < v->k->n; i++)
        v->x[i] = v->k->size[i] * NV_Ith_S(y, i);
}

static int residual(N_Vector y, N_Vector g, void *user)
{
    Kin *v = user;
    take_point(v, y);
    if (!v->k->o.go_on(v->k->o.user)) {
        v->why = STATUS_STOPPED;
        return -1;
    }
    return steady_residual(v->k, v->x, NV_DATA_S(g), NULL) == STATUS_OK ? 0 : 1;
}

static int slopes(N_Vector y, N_Vector g, SUNMatrix matrix, void *user,
                  N_Vector t1, N_Vector t2)
{
    Kin *v = user;
    Steady *k = v->k;
    double *to = SM_DATA_D(matrix);
    (void)t2;
    take_point(v, y);
    if (steady_residual(k, v->x, NV_DATA_S(t1), v->f) != STATUS_OK ||
        steady_jacobian(k, v->x, v->f) != STATUS_OK)
        return 1;
    steady_matrix(k, 0.0);
    for (size_t p = 0; p < (size_t)k->n * k->n; p++)
        to[p] = -k->matrix[p];
    (void)g;
    return 0;
}

/* Rows of g' have size 1, so that what is small is a distance. */
static bool set_scales(Kin *v)
{
    Steady *k = v->k;
    for (uint32_t i = 0; i < k->n; i++)
        v->x[i] = k->x0[i];
    if (steady_residual(k, v->x, NV_DATA_S(v->g_scale), v->f) != STATUS_OK ||
        steady_jacobian(k, v->x, v->f) != STATUS_OK)
        return false;
    steady_matrix(k, 0.0);
    for (size_t i = 0; i < k->n; i++) {
        double most = 0.0;
        for (size_t c = 0; c < k->n; c++)
            most = cosy_max(most, cosy_abs(k->matrix[c * k->n + i]));
        NV_Ith_S(v->g_scale, i) = most > 0.0 ? 1.0 / most : 1.0;
        NV_Ith_S(v->y_scale, i) = 1.0;
        NV_Ith_S(v->sign, i) = k->o.sign[i];
    }
    return true;
}

static bool make(Kin *v)
{
    Steady *k = v->k;
    sunindextype n = (sunindextype)k->n;
    v->x = NEW_ARRAY(k->s->arena, double, k->n);
    v->f = NEW_ARRAY(k->s->arena, double, k->n);
    if (!v->x || !v->f || !sun_has_memory() ||
        SUNContext_Create(NULL, &v->context) != 0)
        return false;
    v->y = N_VNew_Serial(n, v->context);
    v->y_scale = N_VNew_Serial(n, v->context);
    v->g_scale = N_VNew_Serial(n, v->context);
    v->sign = N_VNew_Serial(n, v->context);
    v->matrix = SUNDenseMatrix(n, n, v->context);
    v->memory = KINCreate(v->context);
    if (!v->y || !v->y_scale || !v->g_scale || !v->sign || !v->matrix ||
        !v->memory)
        return false;
    v->solver = SUNLinSol_Dense(v->y, v->matrix, v->context);
    return v->solver &&
           KINSetErrHandlerFn(v->memory, sun_error, NULL) == KIN_SUCCESS &&
           KINInit(v->memory, residual, v->y) == KIN_SUCCESS &&
           KINSetLinearSolver(v->memory, v->solver, v->matrix) == KIN_SUCCESS &&
           KINSetJacFn(v->memory, slopes) == KIN_SUCCESS;
}

static void drop(Kin *v)
{
    N_Vector all[] = {v->y, v->y_scale, v->g_scale, v->sign};
    if (v->memory)
        KINFree(&v->memory);
    if (v->solver)
        SUNLinSolFree(v->solver);
    if (v->matrix)
        SUNMatDestroy(v->matrix);
    for (size_t i = 0; i < LENGTH(all); i++)
        if (all[i])
            N_VDestroy(all[i]);
    if (v->context)
        SUNContext_Free(&v->context);
}

static Status go(Kin *v, double *x)
{
    const Steady *k = v->k;
    if (!set_scales(v))
        return STATUS_NEWTON;
    KINSetUserData(v->memory, v);
    KINSetFuncNormTol(v->memory, 1e-10);
    KINSetScaledStepTol(v->memory, 1e-12);
    KINSetNumMaxIters(v->memory, 200);
    KINSetMaxNewtonStep(v->memory, 1e4);
    KINSetMaxSetupCalls(v->memory, 1);
    KINSetConstraints(v->memory, v->sign);
    for (uint32_t i = 0; i < k->n; i++)
        NV_Ith_S(v->y, i) = x[i] / k->size[i];
    int flag = KINSol(v->memory, v->y, KIN_LINESEARCH, v->y_scale, v->g_scale);
    if (v->why != STATUS_OK)
        return v->why;
    if (flag < 0 && flag != KIN_LINESEARCH_NONCONV)
        return STATUS_NEWTON;
    take_point(v, v->y);
    memcpy(x, v->x, k->n * sizeof *x);
    return STATUS_OK;
}

Status steady_kinsol(Steady *k, double *x)
{
    Kin v = {.k = k};
    Status status = make(&v) ? go(&v, x) : STATUS_MEMORY;
    drop(&v);
    return status;
}
