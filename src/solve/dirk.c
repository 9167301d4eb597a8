#include "solve/dirk.h"

#include <string.h>

#include "solve/methods.h"

/* Control: safety; bounds of old h / new h; the range of new h / old h in which
   the step and its factors are kept; the rate up to which the Jacobian is used
   for another step; and how far the last step is extrapolated at most. */
#define SAFETY    R(0.9)
#define LARGEST   R(5.0)
#define SMALLEST  R(0.2)
#define KEEP_TO   R(1.2)
#define KEEP_RATE R(0.02)
#define FAR       R(3.0)

/* ---- Memory -------------------------------------------------------------- */

static void set_tolerance(const Solver *s, Dirk *d)
{
    real relerr = s->options.relerr;
    d->tolerance = cosy_max(R(10.0) * COSY_EPSILON / relerr, R(0.02));
    d->most = s->options.step == R(0.0) ? 7 : 50; // there is no smaller step to
                                                  // fall back on
}

static Status create(Solver *s)
{
    Dirk *d = NEW(s->arena, Dirk);
    if (d == NULL)
        return STATUS_MEMORY;
    s->impl = d;
    d->table = s->method->table;
    set_tolerance(s, d);
    TRY(jacobian_create(&d->jacobian, s));
    TRY(solver_keep(s, "dirk.memory", &d->memory, sizeof d->memory));
    d->linear = linear_create(s->arena, s->image, "dirk.matrix", false);
    return d->linear != NULL ? STATUS_OK : STATUS_MEMORY;
}

static void place_arrays(Dirk *d, size_t n)
{
    real *at = (real *)(void *)d->work.bytes;
    real **single[] = {&d->base, &d->y, &d->fy, &d->r, &d->weight, &d->inverse};
    for (size_t k = 0; k < LENGTH(single); k++, at += n)
        *single[k] = at;
    for (int k = 0; k < d->table->stages; k++, at += 2 * n) {
        d->z[k] = at;
        d->trial[k] = at + n;
    }
}

static Status resize(Solver *s)
{
    Dirk *d = s->impl;
    const Jacobian *j = &d->jacobian;
    size_t n = s->n, stages = (size_t)d->table->stages;
    TRY(solver_room(s, SOLVER_OWN, stages * n));
    TRY(solver_room(s, SOLVER_OWN + 1, n));
    if (!vector_fit(&d->work, (6 + 2 * stages) * n * sizeof(real)))
        return STATUS_MEMORY;
    place_arrays(d, n);
    TRY(jacobian_shape(&d->jacobian, s));
    const uint32_t *start = j->dense ? NULL : (const void *)j->start.bytes;
    const uint32_t *row = j->dense ? NULL : (const void *)j->row.bytes;
    return linear_shape(d->linear, s->n, start, row);
}

/* A loaded run may have a different number of states. */
static Status attach(Solver *s)
{
    Dirk *d = s->impl;
    if (d->jacobian.n != s->n)
        TRY(resize(s));
    linear_attach(d->linear);
    real *at = (real *)(void *)s->memory[SOLVER_OWN].bytes;
    for (int k = 0; k < d->table->stages; k++)
        d->hk[k] = at + (size_t)k * s->n;
    d->first = (real *)(void *)s->memory[SOLVER_OWN + 1].bytes;
    return STATUS_OK;
}

static void destroy(Solver *s)
{
    Dirk *d = s->impl;
    linear_free(d->linear);
    jacobian_free(&d->jacobian);
    vector_free(&d->work);
}

/* ---- Dense output and start values ---------------------------------------- */

/* b_i(u) */
static real weight_at(const DirkTable *a, int i, real u)
{
    real sum = R(0.0);
    for (int j = a->degree - 1; j >= 0; j--)
        sum = (sum + a->dense[i][j]) * u;
    return sum;
}

/* to = from + sum of b_i h k_i; from may be NULL. */
static void combine(const Dirk *d, uint32_t n, const real *b, const real *from,
                    real *to)
{
    if (from == NULL)
        memset(to, 0, n * sizeof *to);
    else if (to != from)
        memcpy(to, from, n * sizeof *to);
    for (int k = 0; k < d->table->stages; k++) {
        if (b[k] == R(0.0))
            continue;
        const real *hk = d->hk[k];
        for (uint32_t i = 0; i < n; i++)
            to[i] += b[k] * hk[i];
    }
}

/* Predicts stage i from the polynomial of the last step; this step begins at
   its place `from` (0: its near end, 1: its far end). */
static void predict(const Solver *s, Dirk *d, int i, real from, real h)
{
    const DirkTable *a = d->table;
    real last = d->memory.h_last, b[DIRK_STAGES];
    if (last == R(0.0) || from + h / last > FAR || h / last < R(0.0)) {
        memset(d->z[i], 0, s->n * sizeof(real));
        return;
    }
    real u = from + a->c[i] * h / last;
    for (int k = 0; k < a->stages; k++)
        b[k] = weight_at(a, k, u) - weight_at(a, k, from);
    combine(d, s->n, b, NULL, d->z[i]);
}

static void dense(const Solver *s, real t, real *x)
{
    const Dirk *d = s->impl;
    real b[DIRK_STAGES], last = d->memory.h_last;
    if (t == s->t || last == R(0.0)) {
        memcpy(x, s->x, s->n * sizeof(real));
        return;
    }
    for (int k = 0; k < d->table->stages; k++)
        b[k] = weight_at(d->table, k, (t - s->t0) / last);
    combine(d, s->n, b, s->x0, x);
}

/* ---- One stage ------------------------------------------------------------ */

static Trial broken(Dirk *d, Status status)
{
    d->why = status;
    return TRIAL_BROKEN;
}

static Trial factor(Solver *s, Dirk *d, real h)
{
    DirkMemory *m = &d->memory;
    uint32_t column = 0;
    if (m->h_factored == h)
        return TRIAL_DONE;
    m->h_factored = R(0.0);
    s->counts.factorisations++;
    jacobian_matrix(&d->jacobian, R(1.0) / (d->table->gamma * h),
                    linear_values(d->linear));
    Status status = linear_factor(d->linear, &column);
    if (status != STATUS_OK) {
        s->culprit = column;
        return status == STATUS_MEMORY ? TRIAL_MEMORY : TRIAL_SINGULAR;
    }
    m->h_factored = h;
    return TRIAL_DONE;
}

/* Makes one correction of z; returns its norm and the state with the largest
   one. */
static Status iterate(Solver *s, Dirk *d, real t, real h, real *z, real *size)
{
    uint32_t n = s->n, where = 0;
    real g = R(1.0) / (d->table->gamma * h), most = R(0.0);
    s->counts.iterations++;
    for (uint32_t i = 0; i < n; i++)
        d->y[i] = d->x[i] + z[i];
    TRY(solver_rhs(s, t, d->y, d->r));
    for (uint32_t i = 0; i < n; i++)
        d->r[i] -= g * (z[i] - d->base[i]);
    TRY(linear_solve(d->linear, d->r));
    for (uint32_t i = 0; i < n; i++) {
        real e = cosy_abs(d->r[i]) * d->inverse[i];
        z[i] += d->r[i];
        if (e > most || !cosy_finite(e)) {
            most = e;
            where = i;
        }
    }
    s->culprit = where;
    *size = most;
    return cosy_finite(most) ? STATUS_OK : STATUS_NUMBER;
}

/* True if the iteration should go on after number k >= 2 with the rate theta.
   If rounding keeps it from contracting, it has converged. */
static bool hopeful(Dirk *d, unsigned k, real theta, real size, Trial *trial)
{
    DirkMemory *m = &d->memory;
    *trial = size < d->tolerance || (m->fresh && size < R(0.01)) ? TRIAL_DONE
                                                                 : TRIAL_SLOW;
    if (!(theta < R(0.99)))
        return false;
    m->eta = theta / (R(1.0) - theta);
    real end = m->eta * size;
    for (unsigned left = d->most - 1 - k; left > 0; left--)
        end *= theta;
    return end < d->tolerance;
}

static Trial newton(Solver *s, Dirk *d, real t, real h, real *z)
{
    DirkMemory *m = &d->memory;
    real size = R(0.0), before = R(0.0), rate = R(0.0);
    Trial trial = TRIAL_SLOW;
    m->eta = cosy_pow(cosy_max(m->eta, COSY_EPSILON), R(0.8));
    for (unsigned k = 1; k <= d->most; k++) {
        d->iterations = d->iterations > k ? d->iterations : k;
        Status status = iterate(s, d, t, h, z, &size);
        if (status != STATUS_OK)
            return broken(d, status);
        if (k > 1 && k < d->most) {
            real now = size / before;
            real theta = k == 2 ? now : cosy_sqrt(now * rate);
            rate = now;
            m->theta = cosy_max(m->theta, theta);
            if (!hopeful(d, k, theta, size, &trial))
                return trial;
        }
        if (m->eta * size <= d->tolerance)
            return TRIAL_DONE;
        before = cosy_max(size, COSY_EPSILON);
    }
    return TRIAL_SLOW;
}

/* ---- One trial ------------------------------------------------------------ */

static void set_base(Solver *s, Dirk *d, real t, const real *x)
{
    d->t = t;
    d->x = x;
    solver_scale(s, x, x, d->weight);
    for (uint32_t i = 0; i < s->n; i++)
        d->inverse[i] = R(1.0) / d->weight[i];
}

static Trial need_jacobian(Solver *s, Dirk *d, const real *f0)
{
    DirkMemory *m = &d->memory;
    if (m->has_jacobian)
        return TRIAL_DONE;
    m->h_factored = R(0.0);
    Status status =
        jacobian_evaluate(&d->jacobian, s, d->t, d->x, f0, d->weight);
    if (status != STATUS_OK)
        return broken(d, status);
    m->has_jacobian = m->fresh = 1;
    return TRIAL_DONE;
}

static Trial stage(Solver *s, Dirk *d, int i, real h, real t_end)
{
    const DirkTable *a = d->table;
    uint32_t n = s->n;
    real *z = d->z[i], *hk = d->trial[i];
    for (uint32_t k = 0; k < n; k++)
        d->base[k] = a->a[i][0] * d->trial[0][k];
    for (int j = 1; j < i; j++) {
        if (a->a[i][j] == R(0.0))
            continue;
        for (uint32_t k = 0; k < n; k++)
            d->base[k] += a->a[i][j] * d->trial[j][k];
    }
    real t = i == a->stages - 1 ? t_end : d->t + a->c[i] * h;
    Trial trial = newton(s, d, t, h, z);
    for (uint32_t k = 0; k < n; k++)
        hk[k] = (z[k] - d->base[k]) / a->gamma;
    return trial;
}

/* Computes the stages of a step of length h, with k1 = first and start values
   from the place `from` of the last step; leaves the end of the step in (y,
   fy). */
static Trial stages(Solver *s, Dirk *d, real h, real t_end, const real *first,
                    real scale, real from)
{
    const DirkTable *a = d->table;
    Trial trial = factor(s, d, h);
    d->memory.theta = R(0.0);
    d->iterations = 0;
    for (uint32_t k = 0; k < s->n; k++)
        d->trial[0][k] = scale * first[k];
    for (int i = 1; i < a->stages && trial == TRIAL_DONE; i++) {
        predict(s, d, i, from, h);
        trial = stage(s, d, i, h, t_end);
    }
    if (trial != TRIAL_DONE)
        return trial;
    for (uint32_t k = 0; k < s->n; k++)
        d->y[k] = d->x[k] + d->z[a->stages - 1][k];
    Status status = solver_rhs(s, t_end, d->y, d->fy);
    return status == STATUS_OK ? TRIAL_DONE : broken(d, status);
}

/* Norm of the estimate; the matrix removes the contribution of stiff
   components. */
static real estimate(Solver *s, Dirk *d, real h)
{
    const DirkTable *a = d->table;
    uint32_t n = s->n;
    real g = R(1.0) / (a->gamma * h);
    for (uint32_t k = 0; k < n; k++)
        d->r[k] = g * a->e[0] * d->trial[0][k];
    for (int i = 1; i < a->stages; i++)
        for (uint32_t k = 0; k < n; k++)
            d->r[k] += g * a->e[i] * d->trial[i][k];
    if (linear_solve(d->linear, d->r) != STATUS_OK)
        return COSY_REAL_MAX;
    real error = solver_error(s, d->x, d->y, d->r, &s->culprit);
    return cosy_max(error, R(1e-10));
}

/* The same for the step that was kept; a method of higher order than its
   estimate is more accurate than that, as in rk.c. */
static bool local(Solver *s, real *e)
{
    const Dirk *d = s->impl;
    const DirkTable *a = d->table;
    real h = d->memory.h_last, scale = R(1.0);
    if (a->estimate < s->method->order)
        scale = cosy_pow(s->options.relerr, R(0.5) / (real)s->method->order);
    if (h == R(0.0) || d->memory.h_factored != h)
        return false;
    for (uint32_t k = 0; k < s->n; k++)
        e[k] = R(0.0);
    for (int i = 0; i < a->stages; i++)
        for (uint32_t k = 0; k < s->n; k++)
            e[k] += scale * a->e[i] / (a->gamma * h) * d->hk[i][k];
    return linear_solve(d->linear, e) == STATUS_OK;
}

static real root(const Dirk *d, real error)
{
    return d->table->estimate == 3 ? cosy_sqrt(cosy_sqrt(error))
                                   : cosy_cbrt(error);
}

/* Old h / new h after an error, allowing for the number of iterations it
   took. */
static real quotient(const Dirk *d, real error)
{
    real fac =
        SAFETY * (real)(1 + 2 * d->most) / (real)(d->iterations + 2 * d->most);
    real q = root(d, error) / cosy_min(SAFETY, fac);
    return cosy_max(SMALLEST, cosy_min(LARGEST, q));
}

static Trial attempt(Solver *s, Dirk *d, real h, real t_end)
{
    DirkMemory *m = &d->memory;
    d->shrink = R(0.5);
    d->error = R(0.0);
    Trial trial = need_jacobian(s, d, s->dx);
    if (trial == TRIAL_DONE)
        trial = stages(s, d, h, t_end, d->first, h, R(1.0));
    if (trial != TRIAL_DONE || s->options.step != R(0.0))
        return trial;
    d->error = estimate(s, d, h);
    if (d->error < R(1.0))
        return TRIAL_DONE;
    d->shrink = m->accepted == 0 ? R(0.1) : R(1.0) / quotient(d, d->error);
    solver_blame(s, d->x, d->y, d->r);
    return TRIAL_LARGE;
}

/* ---- Control ------------------------------------------------------------- */

/* As in radau.c: follows the last two errors, unless the limit cut the step
   short. If h would change little, it is kept along with its factors. */
static real next_step(const Dirk *d, real h, real wanted, bool again)
{
    const DirkMemory *m = &d->memory;
    bool cut = !again && cosy_abs(h) < cosy_abs(wanted);
    real q = quotient(d, d->error);
    if (cut && q <= R(1.0))
        return wanted;
    if (m->accepted > 0 && !cut) {
        real ratio = cosy_square(d->error) / m->error;
        real g = m->h_accepted / h * root(d, ratio) / SAFETY;
        q = cosy_max(q, cosy_max(SMALLEST, cosy_min(LARGEST, g)));
    }
    if (again)
        q = cosy_max(q, R(1.0));
    bool keep = m->theta <= KEEP_RATE && q <= R(1.0) && q >= R(1.0) / KEEP_TO;
    return keep ? h : h / q;
}

/* The trial's stages become those of the last step. */
static void keep(const Solver *s, Dirk *d, real h)
{
    int last = d->table->stages - 1;
    for (int i = 0; i <= last; i++)
        memcpy(d->hk[i], d->trial[i], s->n * sizeof(real));
    for (uint32_t k = 0; k < s->n; k++)
        d->first[k] = d->trial[last][k] / h;
    d->memory.h_last = h;
}

static Status accept(Solver *s, Dirk *d, real h, real t_end)
{
    DirkMemory *m = &d->memory;
    size_t size = s->n * sizeof(real);
    memcpy(s->x0, s->x, size);
    memcpy(s->dx0, s->dx, size);
    s->t0 = s->t;
    implicit_end(s, t_end, d->y, d->fy);
    keep(s, d, h);
    m->h_accepted = h;
    m->error = cosy_max(R(0.01), d->error);
    m->accepted++;
    m->fresh = 0;
    m->has_jacobian = m->theta <= KEEP_RATE;
    return solver_accept(s);
}

static bool retry(Solver *s, Dirk *d, ImplicitTrials *t, Trial trial)
{
    DirkMemory *m = &d->memory;
    t->has_jacobian = m->has_jacobian;
    t->fresh = m->fresh;
    t->shrink = d->shrink;
    m->has_jacobian = m->fresh;
    return implicit_retry(s, t, trial);
}

static Status step(Solver *s, real limit)
{
    Dirk *d = s->impl;
    TRY(implicit_propose(s, d->table->estimate, limit, d->z[0]));
    set_base(s, d, s->t, s->x);
    real wanted = s->h;
    ImplicitTrials t = {.h = implicit_fit(s, wanted, limit)};
    for (bool again = false;; again = true) {
        real t_end = t.h == limit - s->t ? limit : s->t + t.h;
        real h = implicit_length(t.h);
        Trial trial = attempt(s, d, h, t_end);
        if (trial == TRIAL_DONE) {
            s->h = next_step(d, h, wanted, again);
            return accept(s, d, h, t_end);
        }
        if (!retry(s, d, &t, trial))
            return implicit_give_up(s, trial, d->why);
    }
}

/* ---- The rest of the table ----------------------------------------------- */

static Status start(Solver *s)
{
    Dirk *d = s->impl;
    memset(&d->memory, 0, sizeof d->memory);
    d->memory.eta = R(1.0);
    TRY(solver_begin(s));
    memcpy(d->first, s->dx, s->n * sizeof(real));
    return STATUS_OK;
}

/* Tries the Jacobian of the step that is repeated, then one at the near end. */
static Trial repeat(Solver *s, Dirk *d, real h, real t_end)
{
    real scale = h / d->memory.h_last;
    set_base(s, d, s->t0, s->x0);
    Trial trial = stages(s, d, h, t_end, d->hk[0], scale, R(0.0));
    if (trial == TRIAL_DONE || trial == TRIAL_MEMORY)
        return trial;
    d->memory.has_jacobian = 0;
    trial = need_jacobian(s, d, s->dx0);
    d->memory.fresh = 0;
    if (trial != TRIAL_DONE)
        return trial;
    return stages(s, d, h, t_end, d->hk[0], scale, R(0.0));
}

/* Returns to the near end, with the k that the step began with. */
static void go_back(Solver *s, Dirk *d)
{
    implicit_end(s, s->t0, s->x0, s->dx0);
    for (uint32_t k = 0; k < s->n; k++)
        d->first[k] = d->hk[0][k] / d->memory.h_last;
}

static Status redo(Solver *s, real t_end)
{
    Dirk *d = s->impl;
    real h = t_end - s->t0;
    Trial trial = TRIAL_DONE;
    if (h != R(0.0)) {
        h = implicit_length(h);
        trial = repeat(s, d, h, t_end);
    }
    if (h == R(0.0) || trial != TRIAL_DONE) {
        go_back(s, d);
        return implicit_status(trial, d->why);
    }
    keep(s, d, h);
    implicit_end(s, t_end, d->y, d->fy);
    return STATUS_OK;
}

#define DIRK(title, p, coefficients)                                           \
    {                                                                          \
        .name = title, .order = p, .features = METHOD_SAVES | METHOD_IMPLICIT, \
        .table = &coefficients, .create = create, .resize = resize,            \
        .attach = attach, .start = start, .step = step, .dense = dense,        \
        .redo = redo, .destroy = destroy, .local = local,                      \
    }

const Method method_dirk = DIRK("DIRK", 4, dirk_four);
const Method method_trapez = DIRK("TRAPEZ", 2, dirk_trapez);
