#include "solve/sundials.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cosy/unit.h"
#include "solve/linear.h"

#define array NV_DATA_S

static const SunOps *ops_of(const Solver *s)
{
    return s->method->table;
}

/* ---- For the libraries ------------------------------------------------------ */

/* Weights are squared in the norm: a state that has hardly left zero must not
   make it infinite. */
#define LEAST_SCALE 1e-140

int sun_weights(N_Vector y, N_Vector weight, void *solver)
{
    const Solver *s = solver;
    const double *x = array(y), *abserr = s->abserr;
    double *w = array(weight), relerr = s->options.relerr;
    for (uint32_t i = 0; i < s->n; i++) { // as solver_scale, in one pass
        double scale = abserr[i] + relerr * fabs(x[i]);
        if (!(scale >= 0.0))
            return -1;
        w[i] = 1.0 / fmax(scale, LEAST_SCALE);
    }
    return 0;
}

void sun_error(int code, const char *module, const char *function, char *text,
               void *sun)
{
    (void)code, (void)module, (void)function, (void)text, (void)sun;
}

bool sun_has_memory(void)
{
    enum { MORE_THAN_NEEDED = 64 * 1024 };
    void *trial = malloc(MORE_THAN_NEEDED);
    free(trial);
    return trial != NULL;
}

/* ---- Memory ---------------------------------------------------------------- */

static Status no_memory(Solver *s)
{
    return fault_set(s->fault, STATUS_MEMORY,
                     "no memory for METHOD %s with %u states: a one-step "
                     "method (DOPRI5, DOP853) needs less",
                     s->method->name, s->n);
}

Status sun_create(Solver *s)
{
    if (s->options.step != 0.0)
        return fault_set(s->fault, STATUS_UNSUPPORTED,
                         "METHOD %s chooses its own step; leave STEP out or "
                         "choose a one-step method",
                         s->method->name);
    Sun *v = NEW(s->arena, Sun);
    if (v == NULL)
        return no_memory(s);
    s->impl = v;
    if (SUNContext_Create(NULL, &v->context) != 0)
        return no_memory(s);
    return jacobian_create(&v->jacobian, s);
}

/* Takes over what the library has counted since the last call. */
static void count(Solver *s, Sun *v)
{
    long now[4] = {0};
    if (v->memory == NULL) // no states
        return;
    ops_of(s)->counts(v, now);
    assert(now[0] >= v->seen[0] && now[1] >= v->seen[1]);
    s->counts.rejected += (uint64_t)(now[0] - v->seen[0] + now[1] - v->seen[1]);
    s->counts.factorisations += (uint64_t)(now[2] - v->seen[2]);
    s->counts.iterations += (uint64_t)(now[3] - v->seen[3]);
    memcpy(v->seen, now, sizeof now);
}

static void drop(const SunOps *ops, Sun *v)
{
    N_Vector *const vectors[] = {&v->y, &v->probe, &v->yp, &v->id};
    if (v->memory != NULL)
        ops->drop(v);
    v->memory = NULL;
    if (v->nonlinear != NULL)
        SUNNonlinSolFree(v->nonlinear);
    v->nonlinear = NULL;
    sun_matrix_free(&v->matrix);
    for (size_t k = 0; k < LENGTH(vectors); k++) {
        if (*vectors[k] != NULL)
            N_VDestroy(*vectors[k]);
        *vectors[k] = NULL;
    }
}

Status sun_resize(Solver *s)
{
    Sun *v = s->impl;
    count(s, v);
    memset(v->seen, 0, sizeof v->seen);
    drop(ops_of(s), v);
    v->fresh = v->covers = false;
    v->watched = s->model->conditions != NULL;
    if (ops_of(s)->newton)
        TRY(jacobian_shape(&v->jacobian, s));
    if (s->n == 0)
        return STATUS_OK;
    v->y = N_VNew_Serial((sunindextype)s->n, v->context);
    v->probe = N_VNewEmpty_Serial((sunindextype)s->n, v->context);
    if (v->y == NULL || v->probe == NULL ||
        !vector_fit(&v->weight, s->n * sizeof(real)))
        return no_memory(s);
    N_VConst(0.0, v->y);
    return ops_of(s)->make(s, v) ? STATUS_OK : no_memory(s);
}

void sun_destroy(Solver *s)
{
    Sun *v = s->impl;
    drop(ops_of(s), v);
    jacobian_free(&v->jacobian);
    vector_free(&v->weight);
    vector_free(&v->value);
    vector_free(&v->trial);
    SUNContext_Free(&v->context);
}

/* ---- Steps ----------------------------------------------------------------- */

Status sun_start(Solver *s)
{
    Sun *v = s->impl;
    v->fresh = v->covers = false;
    return solver_begin(s);
}

/* The state with the largest local error, from what the library knows. */
static void blame(Solver *s, Sun *v)
{
    double most = -1.0;
    N_Vector error = v->y; // no longer needed
    double *weight = (double *)(void *)v->weight.bytes;
    s->cause = COSY_OK;
    solver_scale(s, s->x, s->x, weight);
    if (ops_of(s)->errors(v, error) != 0)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (fabs(array(error)[i]) / weight[i] > most) {
            most = fabs(array(error)[i]) / weight[i];
            s->culprit = i;
        }
}

/* The errors are written into y, which is otherwise compared with x to see
   whether it was moved. */
void sun_culprit(Solver *s)
{
    Sun *v = s->impl;
    size_t size = s->n * sizeof(real);
    CosyStatus cause = s->cause;
    if (s->n == 0 || !v->covers || memcmp(s->x, array(v->y), size) != 0)
        return;
    blame(s, v);
    s->cause = cause;
    memcpy(array(v->y), s->x, size);
}

bool sun_local(Solver *s, double *e)
{
    Sun *v = s->impl;
    if (s->n == 0 || !v->covers)
        return false;
    N_VSetArrayPointer(e, v->probe);
    return ops_of(s)->errors(v, v->probe) == 0;
}

static Status fail(Solver *s, Sun *v, Status status)
{
    count(s, v);
    v->fresh = v->covers = false;
    if (status == STATUS_MEMORY)
        return no_memory(s);
    if (status == STATUS_UNSUPPORTED)
        return fault_set(s->fault, status,
                         "time %.15g%s%s: METHOD %s cannot begin a step from "
                         "here; try METHOD AUTO or RADAU",
                         s->t, COSY_IN_TIME(s->model), s->method->name);
    if (v->why == STATUS_OK)
        blame(s, v);
    return solver_give_up(s, status);
}

/* dx at a point of the last step. */
static Status derivative(Solver *s, Sun *v, double t, const double *x,
                         double *dx)
{
    if (s->model->derivatives != NULL || !v->covers)
        return solver_rhs(s, t, x, dx);
    N_VSetArrayPointer(dx, v->probe);
    return ops_of(s)->slope(v, t, v->probe) == 0 ? STATUS_OK : STATUS_NUMBER;
}

/* dx at the far end; x is there already. If the model fails, the step is
   undone. */
static Status find_dx(Solver *s, Sun *v)
{
    Status status = derivative(s, v, s->t, s->x, s->dx);
    if (status == STATUS_OK)
        return STATUS_OK;
    s->t = s->t0;
    memcpy(s->x, s->x0, s->n * sizeof(real));
    memcpy(s->dx, s->dx0, s->n * sizeof(real));
    v->fresh = v->covers = false;
    return solver_give_up(s, status);
}

/* Sets the far end to t and the x in y. */
static Status accept(Solver *s, Sun *v, double t, bool limit)
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

/* True if the rest is so short (in last places) that SUNDIALS cannot start with
   it. */
static bool too_near(const Solver *s, double limit, double places)
{
    double size = fmax(fabs(s->t), fabs(limit));
    return fabs(limit - s->t) <= fmax(places * DBL_EPSILON * size, 1e-150);
}

/* One Euler step; with a mass matrix nothing moves. */
static Status short_step(Solver *s, Sun *v, double limit)
{
    bool plain = s->model->mass_kind == COSY_MASS_IDENTITY;
    // Between limits dx may be of an earlier point.
    TRY(solver_rhs(s, s->t, s->x, s->dx));
    for (uint32_t i = 0; i < s->n; i++)
        array(v->y)[i] = s->x[i] + (plain ? (limit - s->t) * s->dx[i] : 0.0);
    v->fresh = v->covers = false;
    return accept(s, v, limit, true);
}

/* A model without states: only time advances. */
static Status nothing(Solver *s, double limit)
{
    s->t0 = s->t;
    s->t = limit;
    return solver_accept(s);
}

static int begin(Solver *s, Sun *v, double limit)
{
    count(s, v); // they are forgotten
    memset(v->seen, 0, sizeof v->seen);
    v->failed = v->steps = 0;
    v->tried = false;
    v->fresh = true;
    v->stopping = false;
    memcpy(array(v->y), s->x, s->n * sizeof(real));
    return ops_of(s)->begin(s, v, limit);
}

/* A stop that has been reached is forgotten. */
static int set_stop(const SunOps *ops, Sun *v, double limit)
{
    if (v->stopping && v->limit == limit)
        return 0;
    v->stopping = true;
    v->limit = limit;
    return ops->stop(v, limit);
}

/* SUNDIALS would go on for ever with steps too small to advance time: a few of
   them in a row end the run, as with the other methods. */
static bool stands_still(const Solver *s, Sun *v, double t)
{
    enum { FEW = 16 };
    if (!solver_too_small(s, t - s->t)) {
        v->still = 0;
        return false;
    }
    if (v->still == 0 || v->why != STATUS_OK)
        v->still_why = v->why;
    return ++v->still >= FEW;
}

Status sun_step(Solver *s, double limit)
{
    Sun *v = s->impl;
    const SunOps *ops = ops_of(s);
    double t = s->t;
    double far = fabs(limit) < COSY_NEVER ? limit : t + s->direction;
    if (s->n == 0)
        return nothing(s, limit);
    if (too_near(s, limit, 16.0))
        return short_step(s, v, limit);
    // Restoring constraints has moved x.
    bool moved = memcmp(s->x, array(v->y), s->n * sizeof(real)) != 0;
    v->why = STATUS_OK;
    int flag = v->fresh && !moved ? 0 : begin(s, v, far);
    if (flag == 0)
        flag = set_stop(ops, v, limit);
    if (flag == 0)
        flag = ops->step(v, far, &t);
    sun_blame(s);
    if (flag < 0) {
        bool near = false;
        Status status = ops->status(v, flag, &near);
        return near ? short_step(s, v, limit) : fail(s, v, status);
    }
    bool stopped = flag == 1;
    // IDA went backward to a limit that it took for a rounding error.
    if (!stopped && (t - s->t) * s->direction <= 0.0 &&
        too_near(s, limit, 4096.0))
        return short_step(s, v, limit);
    if (stopped) {
        v->stopping = false;
        count(s, v);
    } else if (stands_still(s, v, t)) {
        v->why = v->still_why;
        v->still = 0;
        return fail(s, v, v->why != STATUS_OK ? v->why : STATUS_STEP_LIMIT);
    }
    v->covers = true;
    return accept(s, v, stopped ? limit : t, stopped);
}

/* For a step that SUNDIALS did not make: a straight line. */
static void between(const Solver *s, double t, double *x)
{
    double u = s->t == s->t0 ? 1.0 : (t - s->t0) / (s->t - s->t0);
    for (uint32_t i = 0; i < s->n; i++)
        x[i] = t == s->t ? s->x[i] : s->x0[i] + u * (s->x[i] - s->x0[i]);
}

void sun_dense(const Solver *s, double t, double *x)
{
    Sun *v = s->impl;
    if (t == s->t || !v->covers) {
        between(s, t, x);
        return;
    }
    N_VSetArrayPointer(x, v->probe);
    if (ops_of(s)->dense(v, t, v->probe) != 0)
        between(s, t, x);
}

/* Interpolates; the whole step is kept until the next one begins. */
Status sun_redo(Solver *s, double t_end)
{
    Sun *v = s->impl;
    size_t size = s->n * sizeof(real);
    assert((t_end - s->t0) * s->direction >= 0.0);
    if (s->n == 0) {
        s->t = t_end;
        return STATUS_OK;
    }
    count(s, v);
    sun_dense(s, t_end, array(v->y));
    v->fresh = false;
    s->t = t_end;
    memcpy(s->x, array(v->y), size);
    Status status = derivative(s, v, t_end, s->x, s->dx);
    if (status != STATUS_OK) {
        s->t = s->t0;
        memcpy(s->x, s->x0, size);
        memcpy(s->dx, s->dx0, size);
    }
    return status;
}
