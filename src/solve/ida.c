#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include "solve/linear.h"
#include "solve/methods.h"
#include "solve/sundials.h"

/* IDA of SUNDIALS: the backward differentiation formulas in the form that
   leaves a system implicit,

       F(t, x, x') = M x' - f(t, x) = 0,

   with M = 1 or the model's mass matrix, singular or not, or F as given by the
   model, with a full matrix of differences. A state whose derivative does not
   occur in F is algebraic. When the run begins or continues after an event, x'
   is found with IDA's own iteration, which adjusts algebraic states that do not
   fit. */

#define array NV_DATA_S

/* Time scales that are tried to find a consistent start. */
#define CONSISTENT_MOST 4

/* ---- Called by IDA ----------------------------------------------------------- */

/* F of a model that gives it. */
static int own_residual(Solver *s, double t, N_Vector y, N_Vector yp, double *r)
{
    Sun *v = s->impl;
    s->counts.rhs++;
    s->culprit = COSY_NONE;
    s->cause = s->model->residual(s->c, t, array(y), array(yp), r);
    v->why = s->cause == COSY_OK ? v->why : STATUS_NUMBER;
    for (uint32_t i = 0; s->cause == COSY_OK && i < s->n; i++)
        if (!cosy_finite(r[i])) {
            s->culprit = i;
            v->why = STATUS_NUMBER;
            return 1;
        }
    return s->cause == COSY_OK ? 0 : 1;
}

static int residual(double t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    Solver *s = user;
    Sun *v = s->impl;
    double *f = (double *)(void *)v->weight.bytes, *to = array(r);
    if (s->model->residual != NULL)
        return own_residual(s, t, y, yp, to);
    Status status = solver_rhs(s, t, array(y), f);
    if (status != STATUS_OK) {
        v->why = status;
        return 1;
    }
    const double *left = array(yp);
    if (v->jacobian.has_mass) {
        jacobian_mass_times(&v->jacobian, array(yp), to);
        left = to;
    }
    for (uint32_t i = 0; i < s->n; i++)
        to[i] = left[i] - f[i];
    return 0;
}

/* c M - J. */
static int jacobian(double t, double c, N_Vector y, N_Vector yp, N_Vector r,
                    SUNMatrix matrix, void *user, N_Vector t1, N_Vector t2,
                    N_Vector t3)
{
    Solver *s = user;
    Sun *v = s->impl;
    double *weight = (double *)(void *)v->weight.bytes, *f = array(t1);
    double *value = (double *)(void *)v->value.bytes;
    (void)yp, (void)r, (void)matrix, (void)t2, (void)t3;
    bool exact = s->model->jacobian != NULL || s->model->tangent != NULL;
    Status status = exact ? STATUS_OK : solver_rhs(s, t, array(y), f);
    solver_scale(s, array(y), array(y), weight);
    if (status == STATUS_OK)
        status = jacobian_evaluate(&v->jacobian, s, t, array(y), f, weight);
    if (status != STATUS_OK) {
        v->why = status;
        return 1;
    }
    jacobian_matrix(&v->jacobian, c, value);
    sun_matrix_fill(&v->matrix, &v->jacobian, value);
    return 0;
}

static int solve(SUNNonlinearSolver solver, N_Vector y, N_Vector correction,
                 N_Vector weight, double tolerance, booleantype setup,
                 void *memory)
{
    void *user = NULL;
    IDAGetUserData(memory, &user);
    return sun_solve(user, solver, y, correction, weight, tolerance, setup,
                     memory);
}

/* ---- What differs in IDA
   --------------------------------------------------- */

static bool make_matrix(Solver *s, Sun *v)
{
    bool own = s->model->residual != NULL; // IDA takes the differences
    return sun_matrix_create(&v->matrix, own ? NULL : &v->jacobian, v->y,
                             v->context) &&
           IDASetLinearSolver(v->memory, v->matrix.solver, v->matrix.matrix) ==
               0 &&
           (own || IDASetJacFn(v->memory, jacobian) == 0);
}

static bool watch(Solver *s, Sun *v)
{
    if (!s->blames)
        return true;
    v->nonlinear = SUNNonlinSol_Newton(v->y, v->context);
    return v->nonlinear != NULL && sun_watch_trials(s, v, solve) &&
           IDASetNonlinearSolver(v->memory, v->nonlinear) == 0;
}

static bool make(Solver *s, Sun *v)
{
    v->yp = N_VClone(v->y);
    v->id = N_VClone(v->y);
    v->memory = sun_has_memory() ? IDACreate(v->context) : NULL;
    if (v->yp == NULL || v->id == NULL || v->memory == NULL ||
        !vector_fit(&v->value, (v->jacobian.entries + s->n) * sizeof(real)))
        return false;
    N_VConst(0.0, v->yp);
    N_VConst(1.0, v->id);
    return IDASetErrHandlerFn(v->memory, sun_error, v) == 0 &&
           IDAInit(v->memory, residual, 0.0, v->y, v->yp) == 0 &&
           IDASetUserData(v->memory, s) == 0 &&
           IDAWFtolerances(v->memory, sun_weights) == 0 &&
           IDASetMaxStep(v->memory, s->options.dtmax) == 0 &&
           IDASetMinStep(v->memory, s->options.dtmin) == 0 &&
           make_matrix(s, v) && watch(s, v);
}

static void drop(Sun *v)
{
    IDAFree(&v->memory);
}

/* Sets 1 for the states whose derivatives occur in M. */
static void find_differential(const Jacobian *j, double *id)
{
    const uint32_t *start = (const void *)j->m_start.bytes;
    const uint32_t *slot = (const void *)j->m_slot.bytes;
    const double *m = (const void *)j->m.bytes;
    for (uint32_t k = 0; k < j->n; k++) {
        id[k] = 0.0;
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            if (m[slot[p]] != 0.0)
                id[k] = 1.0;
    }
}

/* The same by trial: F is evaluated with the derivatives changed one after
   another. */
static bool try_differential(Solver *s, Sun *v, double *id)
{
    double *base = (double *)(void *)v->weight.bytes;
    double *other = (double *)(void *)v->value.bytes; // at least n entries
    double *yp = array(v->yp);
    if (own_residual(s, s->t, v->y, v->yp, base) != 0)
        return false;
    for (uint32_t k = 0; k < s->n; k++) {
        double keep = yp[k];
        yp[k] += 1.0;
        int failed = own_residual(s, s->t, v->y, v->yp, other);
        yp[k] = keep;
        if (failed)
            return false;
        id[k] = 0.0;
        for (uint32_t i = 0; i < s->n; i++)
            if (other[i] != base[i])
                id[k] = 1.0;
    }
    return true;
}

/* Starts from a step that suits the time `near`; IDA tries five powers of ten
   below it. */
static int try_consistent(Solver *s, Sun *v, double near)
{
    int flag = IDAReInit(v->memory, s->t, v->y, v->yp);
    if (flag == 0)
        flag = IDASetId(v->memory, v->id);
    v->why = STATUS_OK;
    return flag == 0 ? IDACalcIC(v->memory, IDA_YA_YDP_INIT, near) : flag;
}

/* Finds x' to begin with; x of algebraic states is corrected in y. */
static int find_consistent(Solver *s, Sun *v, double limit)
{
    N_VConst(0.0, v->yp);
    if (v->jacobian.has_mass)
        v->why = jacobian_mass(&v->jacobian, s, s->t, s->x);
    if (v->why != STATUS_OK)
        return IDA_RES_FAIL;
    if (s->model->residual == NULL)
        find_differential(&v->jacobian, array(v->id));
    else if (!try_differential(s, v, array(v->id)))
        return IDA_RES_FAIL;
    int flag = IDA_CONV_FAIL;
    double span = limit - s->t;
    for (int k = 0; k < CONSISTENT_MOST && flag < 0; k++, span *= 1e-5)
        flag = try_consistent(s, v, s->t + span);
    return flag == 0 ? IDAGetConsistentIC(v->memory, v->y, v->yp) : flag;
}

static int begin(Solver *s, Sun *v, double limit)
{
    if (v->jacobian.has_mass || s->model->residual != NULL)
        return find_consistent(s, v, limit);
    v->why = solver_rhs(s, s->t, s->x, array(v->yp));
    if (v->why != STATUS_OK)
        return IDA_RES_FAIL;
    return IDAReInit(v->memory, s->t, v->y, v->yp);
}

static int stop(Sun *v, double t)
{
    return IDASetStopTime(v->memory, t);
}

static int step(Sun *v, double far, double *t)
{
    return IDASolve(v->memory, far, t, v->y, v->yp, IDA_ONE_STEP);
}

static int dense(const Sun *v, double t, N_Vector x)
{
    return IDAGetDky(v->memory, t, 0, x);
}

static int slope(const Sun *v, double t, N_Vector dx)
{
    return IDAGetDky(v->memory, t, 1, dx);
}

static void counts(const Sun *v, long now[4])
{
    IDAGetNumErrTestFails(v->memory, &now[0]);
    IDAGetNumNonlinSolvConvFails(v->memory, &now[1]);
    IDAGetNumLinSolvSetups(v->memory, &now[2]);
    IDAGetNumNonlinSolvIters(v->memory, &now[3]);
}

/* Notes the steps that IDA has made since the last call: one at most. */
static void note_step(Sun *v)
{
    long steps = 0;
    IDAGetNumSteps(v->memory, &steps);
    if (steps == v->steps)
        return;
    memmove(v->used + 1, v->used, sizeof v->used - sizeof v->used[0]);
    IDAGetLastStep(v->memory, &v->used[0]);
    v->steps = steps;
}

/* The constant of the error test in the formula with fixed leading coefficient
   of order k, h the step of this trial (Brenan, Campbell, Petzold, Numerical
   Solution of Initial-Value Problems in DAEs, 5.2.3): with a_i = h / (h + the i
   steps before), it is the larger of a_k and |a_k - sum 1/i (i = 1..k) + sum
   a_i (i = 0..k-1)|. Before the first step IDA assumes one of the same
   length. */
static double scale(Sun *v, double tolerance)
{
    int k = 1;
    double h = 0.0, a = 1.0, sum = 0.0;
    (void)tolerance;
    note_step(v);
    IDAGetCurrentOrder(v->memory, &k);
    IDAGetCurrentStep(v->memory, &h);
    double back = h, last = h;
    for (int i = 1; i <= k && i <= (int)LENGTH(v->used); i++) {
        last = i <= v->steps ? v->used[i - 1] : last;
        back += last;
        sum += a - 1.0 / i;
        a = h / back;
    }
    return fmax(fabs(a + sum), a);
}

static int errors(const Sun *v, N_Vector error)
{
    return IDAGetEstLocalErrors(v->memory, error);
}

static Status status(const Sun *v, int flag, bool *near)
{
    (void)near;
    switch (flag) {
    case IDA_CONV_FAIL:
    case IDA_LINESEARCH_FAIL:
    case IDA_NO_RECOVERY:
    case IDA_NLS_FAIL:
    case IDA_NLS_SETUP_FAIL:
        return v->why != STATUS_OK ? v->why : STATUS_NEWTON;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: return v->why != STATUS_OK ? v->why : STATUS_SINGULAR;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL: return v->why;
    case IDA_MEM_FAIL: return STATUS_MEMORY;
    case IDA_TOO_MUCH_ACC:
    case IDA_ERR_FAIL:
    case IDA_TOO_MUCH_WORK: return STATUS_STEP_LIMIT;
    default: return STATUS_UNSUPPORTED;
    }
}

static const SunOps ida = {
    .newton = true,
    .make = make,
    .drop = drop,
    .begin = begin,
    .stop = stop,
    .step = step,
    .dense = dense,
    .slope = slope,
    .counts = counts,
    .scale = scale,
    .errors = errors,
    .status = status,
};

const Method method_ida = {
    .name = "IDA",
    .order = 5,
    .features = METHOD_IMPLICIT | METHOD_MASS | METHOD_RESIDUAL | METHOD_CLIMBS,
    .table = &ida,
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
