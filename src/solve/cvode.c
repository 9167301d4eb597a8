#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "solve/methods.h"
#include "solve/project.h"
#include "solve/sundials.h"

/* GEAR (BDF with Newton) and ADAMS (with fixed-point iteration) on SUNDIALS
   CVODE. */

#define array NV_DATA_S

/* Corrections are found to this part of the error tolerance. */
#define CORRECTION 0.1

/* ---- Called by CVODE ------------------------------------------------------- */

static int rhs(double t, N_Vector y, N_Vector dy, void *user)
{
    Solver *s = user;
    Sun *v = s->impl;
    Status status = solver_rhs(s, t, array(y), array(dy));
    if (status == STATUS_OK)
        return 0;
    v->why = status;
    return 1;
}

static int jacobian(double t, N_Vector y, N_Vector fy, SUNMatrix matrix,
                    void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
    Solver *s = user;
    Sun *v = s->impl;
    double *weight = (double *)(void *)v->weight.bytes;
    (void)matrix, (void)t1, (void)t2, (void)t3;
    solver_scale(s, array(y), array(y), weight);
    Status status =
        jacobian_evaluate(&v->jacobian, s, t, array(y), array(fy), weight);
    if (status != STATUS_OK) {
        v->why = status;
        return 1;
    }
    sun_matrix_fill(&v->matrix, &v->jacobian,
                    (const double *)(const void *)v->jacobian.j.bytes);
    return 0;
}

/* Brings the end of a step back to the constraints, before it is accepted. */
static int project(double t, N_Vector y, N_Vector correction, double tolerance,
                   N_Vector error, void *user)
{
    Solver *s = user;
    Sun *v = s->impl;
    double *weight = (double *)(void *)v->weight.bytes;
    double *d = array(correction);
    (void)tolerance, (void)error;
    solver_scale(s, array(y), array(y), weight);
    ProjectAt at = {.t = t, .n = s->n, .weight = weight, .size = s->size};
    memcpy(d, array(y), s->n * sizeof *d);
    Status status = project_restore(s->project, &at, d, s->fault);
    if (status != STATUS_OK) {
        v->why = status;
        return status == STATUS_MEMORY ? -1 : 1;
    }
    for (uint32_t k = 0; k < s->n; k++)
        d[k] -= array(y)[k];
    return 0;
}

static int solve(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                 N_Vector weight, double tolerance, booleantype setup,
                 void *memory)
{
    void *user = NULL;
    CVodeGetUserData(memory, &user);
    return sun_solve(user, solver, y, correction, weight, tolerance, setup,
                     memory);
}

/* ---- What differs in CVODE
   ------------------------------------------------- */

static bool make(Solver *s, Sun *v, int method)
{
    v->memory = sun_has_memory() ? CVodeCreate(method, v->context) : NULL;
    return v->memory != NULL &&
           CVodeSetErrHandlerFn(v->memory, sun_error, v) == 0 &&
           CVodeInit(v->memory, rhs, 0.0, v->y) == 0 &&
           CVodeSetUserData(v->memory, s) == 0 &&
           CVodeWFtolerances(v->memory, sun_weights) == 0 &&
           CVodeSetMaxStep(v->memory, s->options.dtmax) == 0 &&
           CVodeSetMinStep(v->memory, s->options.dtmin) == 0 &&
           CVodeSetNonlinConvCoef(v->memory, CORRECTION) == 0;
}

/* CVODE has a Newton iteration of its own; a watched one is ours. */
static bool watch(Solver *s, Sun *v)
{
    if (!s->blames)
        return true;
    if (v->nonlinear == NULL)
        v->nonlinear = SUNNonlinSol_Newton(v->y, v->context);
    return v->nonlinear != NULL && sun_watch_trials(s, v, solve) &&
           CVodeSetNonlinearSolver(v->memory, v->nonlinear) == 0;
}

static bool make_gear(Solver *s, Sun *v)
{
    return make(s, v, CV_BDF) &&
           sun_matrix_create(&v->matrix, &v->jacobian, v->y, v->context) &&
           CVodeSetLinearSolver(v->memory, v->matrix.solver,
                                v->matrix.matrix) == 0 &&
           CVodeSetJacFn(v->memory, jacobian) == 0 &&
           (s->project == NULL ||
            (CVodeSetProjFn(v->memory, project) == 0 &&
             CVodeSetProjErrEst(v->memory, SUNFALSE) == 0)) &&
           watch(s, v);
}

static bool make_adams(Solver *s, Sun *v)
{
    v->nonlinear = SUNNonlinSol_FixedPoint(v->y, 0, v->context);
    return v->nonlinear != NULL && make(s, v, CV_ADAMS) &&
           CVodeSetNonlinearSolver(v->memory, v->nonlinear) == 0 && watch(s, v);
}

static void drop(Sun *v)
{
    CVodeFree(&v->memory);
}

static int begin(Solver *s, Sun *v, double limit)
{
    (void)limit;
    return CVodeReInit(v->memory, s->t, v->y);
}

static int stop(Sun *v, double t)
{
    return CVodeSetStopTime(v->memory, t);
}

static int step(Sun *v, double far, double *t)
{
    return CVode(v->memory, far, v->y, t, CV_ONE_STEP);
}

static int dense(const Sun *v, double t, N_Vector x)
{
    return CVodeGetDky(v->memory, t, 0, x);
}

static int slope(const Sun *v, double t, N_Vector dx)
{
    return CVodeGetDky(v->memory, t, 1, dx);
}

static void counts(const Sun *v, long now[4])
{
    CVodeGetNumErrTestFails(v->memory, &now[0]);
    CVodeGetNumNonlinSolvConvFails(v->memory, &now[1]);
    CVodeGetNumLinSolvSetups(v->memory, &now[2]);
    CVodeGetNumNonlinSolvIters(v->memory, &now[3]);
}

/* CVODE wants corrections accurate to CORRECTION divided by the constant that
   turns them into an error. */
static double scale(Sun *v, double tolerance)
{
    (void)v;
    return CORRECTION / tolerance;
}

static int errors(const Sun *v, N_Vector error)
{
    return CVodeGetEstLocalErrors(v->memory, error);
}

static Status status(const Sun *v, int flag, bool *near)
{
    *near = flag == CV_TOO_CLOSE;
    switch (flag) {
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
    case CV_NLS_SETUP_FAIL: return v->why != STATUS_OK ? v->why : STATUS_NEWTON;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return v->why != STATUS_OK ? v->why : STATUS_SINGULAR;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return v->why;
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return v->why;
    case CV_MEM_FAIL: return STATUS_MEMORY;
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_TOO_MUCH_WORK: return STATUS_STEP_LIMIT;
    default: return STATUS_UNSUPPORTED;
    }
}

#define OPS(newton_, make_)                                                    \
    {                                                                          \
        .newton = newton_, .make = make_, .drop = drop, .begin = begin,        \
        .stop = stop, .step = step, .dense = dense, .slope = slope,            \
        .counts = counts, .scale = scale, .errors = errors, .status = status,  \
    }

static const SunOps gear = OPS(true, make_gear), adams = OPS(false, make_adams);

const Method method_gear = {
    .name = "GEAR",
    .order = 5,
    .features = METHOD_IMPLICIT | METHOD_CLIMBS,
    .table = &gear,
    .create = sun_create,
    .resize = sun_resize,
    .start = sun_start,
    .step = sun_step,
    .dense = sun_dense,
    .redo = sun_redo,
    .destroy = sun_destroy,
    .culprit = sun_culprit,
    .local = sun_local,
};

const Method method_adams = {
    .name = "ADAMS",
    .order = 12,
    .features = METHOD_CLIMBS,
    .table = &adams,
    .create = sun_create,
    .resize = sun_resize,
    .start = sun_start,
    .step = sun_step,
    .dense = sun_dense,
    .redo = sun_redo,
    .destroy = sun_destroy,
    .culprit = sun_culprit,
    .local = sun_local,
};
