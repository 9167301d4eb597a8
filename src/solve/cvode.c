#include "solve/method.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solve/linear.h"
#include "solve/methods.h"
#include "solve/sundials.h"

/* GEAR (BDF with Newton) and ADAMS (with fixed-point iteration) on SUNDIALS
   CVODE; DOUBLE only. CVODE measures errors in the root mean square over the
   states, weighted as solver_scale does; that is at most the maximum norm of
   the other methods, so for the same RELERR it may be a little less strict.

   CVODE's memory and ours agree on t after every step; when they do not (an
   event, a repeated or a failed step), it begins anew from (t, x). The memory
   cannot be saved. SUNDIALS allocates for itself.

   A step here is one of CVODE and little more: dx is found at the end of a step
   only if conditions are watched or the step ends at its limit, where an event
   may ask for it; counts are fetched at limits. */

typedef struct Cvode {
    SUNContext context;
    void *memory;
    N_Vector y, probe; // probe has the caller's array
    SunMatrix matrix;
    SUNNonlinearSolver nonlinear;
    Jacobian jacobian;
    Vector weight;
    bool fresh;     // memory belongs to (t, x)
    bool covers;    // it has the last step, for dense output
    bool watched;   // conditions need dx at every step
    bool stopping;  // it knows of
    double limit;   // where to stop
    Status why;     // of the last right-hand side of this step that failed
    long seen[4];   // counts of CVODE that are in ours already
    char text[256]; // its last message
} Cvode;

#define array NV_DATA_S

/* ---- Called by CVODE ------------------------------------------------------- */

static int rhs(double t, N_Vector y, N_Vector dy, void *user)
{
    Solver *s = user;
    Cvode *v = s->impl;
    Status status = solver_rhs(s, t, array(y), array(dy));
    if (status == STATUS_OK)
        return 0;
    v->why = status;
    return 1;
}

static int weights(N_Vector y, N_Vector weight, void *user)
{
    Solver *s = user;
    double *w = array(weight);
    solver_scale(s, array(y), array(y), w);
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(w[i] > 0.0))
            return -1;
        w[i] = 1.0 / w[i];
    }
    return 0;
}

static int jacobian(double t, N_Vector y, N_Vector fy, SUNMatrix matrix,
                    void *user, N_Vector t1, N_Vector t2, N_Vector t3)
{
    Solver *s = user;
    Cvode *v = s->impl;
    double *weight = (double *)(void *)v->weight.bytes;
    (void)matrix, (void)t1, (void)t2, (void)t3;
    solver_scale(s, array(y), array(y), weight);
    Status status =
        jacobian_evaluate(&v->jacobian, s, t, array(y), array(fy), weight);
    if (status != STATUS_OK) {
        v->why = status;
        return 1;
    }
    sun_fill(&v->matrix, &v->jacobian,
             (const double *)(const void *)v->jacobian.j.bytes);
    return 0;
}

static void keep_text(int code, const char *module, const char *function,
                      char *text, void *user)
{
    Cvode *v = user;
    (void)code, (void)module, (void)function;
    strncpy(v->text, text, sizeof v->text - 1);
}

/* ---- Memory ---------------------------------------------------------------- */

static Status no_memory(Solver *s)
{
    return fault_set(s->fault, STATUS_MEMORY, "no memory for METHOD %s",
                     s->method->name);
}

static Status create(Solver *s)
{
    if (s->options.step != 0.0)
        return fault_set(s->fault, STATUS_UNSUPPORTED,
                         "METHOD %s chooses its own step; leave STEP out or "
                         "take a one-step method",
                         s->method->name);
    Cvode *v = NEW(s->arena, Cvode);
    if (v == NULL)
        return no_memory(s);
    s->impl = v;
    if (SUNContext_Create(NULL, &v->context) != 0)
        return no_memory(s);
    return jacobian_create(&v->jacobian, s);
}

static void drop(Cvode *v)
{
    if (v->memory != NULL)
        CVodeFree(&v->memory);
    if (v->nonlinear != NULL)
        SUNNonlinSolFree(v->nonlinear);
    sun_free(&v->matrix);
    if (v->y != NULL)
        N_VDestroy(v->y);
    if (v->probe != NULL)
        N_VDestroy(v->probe);
    v->nonlinear = NULL;
    v->y = v->probe = NULL;
}

static bool make_newton(Cvode *v)
{
    return sun_create(&v->matrix, &v->jacobian, v->y, v->context) &&
           CVodeSetLinearSolver(v->memory, v->matrix.solver,
                                v->matrix.matrix) == 0 &&
           CVodeSetJacFn(v->memory, jacobian) == 0;
}

static bool make_fixed_point(Cvode *v)
{
    v->nonlinear = SUNNonlinSol_FixedPoint(v->y, 0, v->context);
    return v->nonlinear != NULL &&
           CVodeSetNonlinearSolver(v->memory, v->nonlinear) == 0;
}

static bool set_options(Solver *s, Cvode *v)
{
    void *m = v->memory;
    return CVodeSetUserData(m, s) == 0 &&
           CVodeSetErrHandlerFn(m, keep_text, v) == 0 &&
           CVodeWFtolerances(m, weights) == 0 &&
           CVodeSetMaxStep(m, s->options.dtmax) == 0 &&
           CVodeSetMinStep(m, s->options.dtmin) == 0;
}

static Status resize(Solver *s)
{
    Cvode *v = s->impl;
    bool bdf = s->method == &method_gear;
    drop(v);
    v->fresh = v->covers = false;
    v->watched = s->model->conditions != NULL;
    if (bdf)
        TRY(jacobian_shape(&v->jacobian, s));
    if (s->n == 0)
        return STATUS_OK;
    v->y = N_VNew_Serial((sunindextype)s->n, v->context);
    v->probe = N_VNewEmpty_Serial((sunindextype)s->n, v->context);
    v->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, v->context);
    if (v->y == NULL || v->probe == NULL || v->memory == NULL ||
        !vector_fit(&v->weight, s->n * sizeof(real)))
        return no_memory(s);
    N_VConst(0.0, v->y);
    if (CVodeInit(v->memory, rhs, 0.0, v->y) != 0 || !set_options(s, v) ||
        !(bdf ? make_newton(v) : make_fixed_point(v)))
        return no_memory(s);
    return STATUS_OK;
}

static void destroy(Solver *s)
{
    Cvode *v = s->impl;
    drop(v);
    jacobian_free(&v->jacobian);
    vector_free(&v->weight);
    SUNContext_Free(&v->context);
}

/* ---- Steps ----------------------------------------------------------------- */

static Status start(Solver *s)
{
    Cvode *v = s->impl;
    v->fresh = v->covers = false;
    return solver_begin(s);
}

static void count(Solver *s, Cvode *v)
{
    long now[4] = {0};
    CVodeGetNumErrTestFails(v->memory, &now[0]);
    CVodeGetNumNonlinSolvConvFails(v->memory, &now[1]);
    CVodeGetNumLinSolvSetups(v->memory, &now[2]);
    CVodeGetNumNonlinSolvIters(v->memory, &now[3]);
    s->counts.rejected += (uint64_t)(now[0] - v->seen[0] + now[1] - v->seen[1]);
    s->counts.factorisations += (uint64_t)(now[2] - v->seen[2]);
    s->counts.iterations += (uint64_t)(now[3] - v->seen[3]);
    memcpy(v->seen, now, sizeof now);
}

static Status status_of(const Cvode *v, int flag)
{
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
    case CV_MEM_FAIL: return STATUS_MEMORY;
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_TOO_MUCH_WORK: return STATUS_STEP_LIMIT;
    default: return STATUS_UNSUPPORTED;
    }
}

/* The state with the largest local error, from what CVODE knows. */
static void blame(Solver *s, Cvode *v)
{
    double most = -1.0;
    N_Vector error = v->y; // not needed any more
    double *weight = (double *)(void *)v->weight.bytes;
    s->cause = COSY_OK;
    solver_scale(s, s->x, s->x, weight);
    if (CVodeGetEstLocalErrors(v->memory, error) != 0)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (fabs(array(error)[i]) / weight[i] > most) {
            most = fabs(array(error)[i]) / weight[i];
            s->culprit = i;
        }
}

static Status fail(Solver *s, Cvode *v, int flag)
{
    Status status = status_of(v, flag);
    count(s, v);
    v->fresh = v->covers = false;
    if (status == STATUS_UNSUPPORTED || status == STATUS_MEMORY)
        return fault_set(s->fault, status, "METHOD %s at TIME = %.15g: %s",
                         s->method->name, s->t, v->text);
    if (v->why == STATUS_OK)
        blame(s, v);
    return solver_give_up(s, status);
}

/* dx at the far end; x is there already. When the model fails, the step is taken
   back. */
static Status find_dx(Solver *s, Cvode *v)
{
    Status status = solver_rhs(s, s->t, s->x, s->dx);
    if (status == STATUS_OK)
        return STATUS_OK;
    s->t = s->t0;
    memcpy(s->x, s->x0, s->n * sizeof(real));
    memcpy(s->dx, s->dx0, s->n * sizeof(real));
    v->fresh = v->covers = false;
    return solver_give_up(s, status);
}

/* Brings the far end to (t, x in y). */
static Status accept(Solver *s, Cvode *v, double t, bool limit)
{
    const double *y = array(v->y);
    double *x = s->x, *x0 = s->x0;
    for (uint32_t i = 0; i < s->n; i++) {
        x0[i] = x[i];
        x[i] = y[i];
    }
    s->t0 = s->t;
    s->t = t;
    if (v->watched || limit) {
        memcpy(s->dx0, s->dx, s->n * sizeof(real));
        TRY(find_dx(s, v));
    }
    return solver_accept(s);
}

/* A rest so short that CVODE cannot begin with it. */
static bool too_near(const Solver *s, double limit)
{
    double size = fmax(fabs(s->t), fabs(limit));
    return fabs(limit - s->t) <= fmax(16.0 * DBL_EPSILON * size, 1e-150);
}

/* One Euler step. */
static Status short_step(Solver *s, Cvode *v, double limit)
{
    // Between limits dx may be of an earlier point.
    TRY(solver_rhs(s, s->t, s->x, s->dx));
    for (uint32_t i = 0; i < s->n; i++)
        array(v->y)[i] = s->x[i] + (limit - s->t) * s->dx[i];
    v->fresh = v->covers = false;
    return accept(s, v, limit, true);
}

/* A model without states: only time goes on. */
static Status nothing(Solver *s, double limit)
{
    s->t0 = s->t;
    s->t = limit;
    return solver_accept(s);
}

static int begin(Solver *s, Cvode *v)
{
    count(s, v); // CVodeReInit forgets them
    memset(v->seen, 0, sizeof v->seen);
    v->fresh = true;
    v->stopping = false;
    memcpy(array(v->y), s->x, s->n * sizeof(real));
    return CVodeReInit(v->memory, s->t, v->y);
}

/* CVODE forgets a stop that it reached. */
static int set_stop(Cvode *v, double limit)
{
    if (v->stopping && v->limit == limit)
        return CV_SUCCESS;
    v->stopping = true;
    v->limit = limit;
    return CVodeSetStopTime(v->memory, limit);
}

static Status step(Solver *s, double limit)
{
    Cvode *v = s->impl;
    double t = s->t;
    double far = fabs(limit) < COSY_NEVER ? limit : t + s->direction;
    if (s->n == 0)
        return nothing(s, limit);
    if (too_near(s, limit))
        return short_step(s, v, limit);
    // Constraints that were restored have moved x.
    bool moved = memcmp(s->x, array(v->y), s->n * sizeof(real)) != 0;
    int flag = v->fresh && !moved ? CV_SUCCESS : begin(s, v);
    v->why = STATUS_OK;
    if (flag == CV_SUCCESS)
        flag = set_stop(v, limit);
    if (flag == CV_SUCCESS)
        flag = CVode(v->memory, far, v->y, &t, CV_ONE_STEP);
    if (flag == CV_TOO_CLOSE)
        return short_step(s, v, limit);
    if (flag < 0)
        return fail(s, v, flag);
    bool stopped = flag == CV_TSTOP_RETURN;
    if (stopped) {
        v->stopping = false;
        count(s, v);
    }
    TRY(accept(s, v, stopped ? limit : t, stopped));
    v->covers = true;
    return STATUS_OK;
}

/* On a step that CVODE did not make: the straight line. */
static void between(const Solver *s, double t, double *x)
{
    double u = s->t == s->t0 ? 1.0 : (t - s->t0) / (s->t - s->t0);
    for (uint32_t i = 0; i < s->n; i++)
        x[i] = t == s->t ? s->x[i] : s->x0[i] + u * (s->x[i] - s->x0[i]);
}

static void dense(const Solver *s, double t, double *x)
{
    Cvode *v = s->impl;
    if (t == s->t || !v->covers) {
        between(s, t, x);
        return;
    }
    N_VSetArrayPointer(x, v->probe);
    if (CVodeGetDky(v->memory, t, 0, v->probe) != 0)
        between(s, t, x);
}

/* Interpolates; CVODE keeps the whole step until the next one begins. */
static Status redo(Solver *s, double t_end)
{
    Cvode *v = s->impl;
    size_t size = s->n * sizeof(real);
    count(s, v);
    dense(s, t_end, array(v->y));
    v->fresh = false;
    s->t = t_end;
    memcpy(s->x, array(v->y), size);
    Status status = solver_rhs(s, t_end, s->x, s->dx);
    if (status != STATUS_OK) {
        s->t = s->t0;
        memcpy(s->x, s->x0, size);
        memcpy(s->dx, s->dx0, size);
    }
    return status;
}

const Method method_gear = {
    .name = "GEAR",
    .order = 5,
    .features = METHOD_IMPLICIT,
    .create = create,
    .resize = resize,
    .start = start,
    .step = step,
    .dense = dense,
    .redo = redo,
    .destroy = destroy,
};

const Method method_adams = {
    .name = "ADAMS",
    .order = 12,
    .create = create,
    .resize = resize,
    .start = start,
    .step = step,
    .dense = dense,
    .redo = redo,
    .destroy = destroy,
};
