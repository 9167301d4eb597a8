#include "solve/radau.h"

#include <string.h>

#include "solve/methods.h"

/* Controller (IV.8): safety, bounds of old h / new h, the range of new h / old
   h in which the factors are kept instead, and how often a singular matrix is
   answered with half the step. */
#define SAFETY        R(0.9)
#define LARGEST       R(5.0)
#define SMALLEST      R(0.125)
#define KEEP_TO       R(1.2)
#define SINGULAR_MOST 5

/* ---- Memory -------------------------------------------------------------- */

/* The estimate is of order 3, the method of order 5: measured against
   relerr^(2/3) / 10 the error of the method follows the tolerance. */
static void set_tolerances(const Solver *s, Radau *r)
{
    real relerr = s->options.relerr;
    real loose = R(0.1) * cosy_pow(relerr, R(2.0) / R(3.0));
    r->loosen = loose / relerr;
    r->tolerance = cosy_max(R(10.0) * COSY_EPSILON / loose,
                            cosy_min(R(0.03), cosy_sqrt(loose)));
    r->most = r->tolerance < R(1e-6) ? 10 : 7;
    if (s->options.step != R(0.0))
        r->most = 50; // no smaller step to turn to
}

static Status create(Solver *s)
{
    Radau *r = NEW(s->arena, Radau);
    if (r == NULL)
        return STATUS_MEMORY;
    s->impl = r;
    radau_table(&r->table);
    set_tolerances(s, r);
    TRY(jacobian_create(&r->jacobian, s));
    TRY(solver_keep(s, "radau.memory", &r->memory, sizeof r->memory));
    r->real_part = linear_create(s->arena, s->image, "radau.real", false);
    r->complex_part = linear_create(s->arena, s->image, "radau.complex", true);
    if (r->real_part == NULL || r->complex_part == NULL)
        return STATUS_MEMORY;
    return STATUS_OK;
}

static void place_arrays(Radau *r, uint32_t n)
{
    real *at = (real *)(void *)r->work.bytes;
    real **array[] = {&r->z[0],   &r->z[1],    &r->z[2], &r->w[0], &r->w[1],
                      &r->w[2],   &r->f[0],    &r->f[1], &r->f[2], &r->mw[0],
                      &r->mw[1],  &r->mw[2],   &r->y,    &r->fy,   &r->q,
                      &r->weight, &r->inverse, &r->pair};
    for (size_t k = 0; k < LENGTH(array); k++, at += n)
        *array[k] = at;
}

static Status resize(Solver *s)
{
    Radau *r = s->impl;
    const Jacobian *j = &r->jacobian;
    size_t n = s->n;
    TRY(solver_room(s, SOLVER_OWN, 3 * n));
    if (!vector_fit(&r->work, 19 * n * sizeof(real))) // pair is twice as long
        return STATUS_MEMORY;
    place_arrays(r, s->n);
    TRY(jacobian_shape(&r->jacobian, s));
    const uint32_t *start = j->dense ? NULL : (const void *)j->start.bytes;
    const uint32_t *row = j->dense ? NULL : (const void *)j->row.bytes;
    TRY(linear_shape(r->real_part, s->n, start, row));
    return linear_shape(r->complex_part, s->n, start, row);
}

/* A loaded run may have another number of states than the one before. */
static Status attach(Solver *s)
{
    Radau *r = s->impl;
    if (r->jacobian.n != s->n)
        TRY(resize(s));
    r->polynomial = (real *)(void *)s->memory[SOLVER_OWN].bytes;
    return STATUS_OK;
}

static void destroy(Solver *s)
{
    Radau *r = s->impl;
    linear_free(r->real_part);
    linear_free(r->complex_part);
    jacobian_free(&r->jacobian);
    vector_free(&r->work);
}

/* ---- One trial ----------------------------------------------------------- */

static void set_base(Solver *s, Radau *r, real t, const real *x)
{
    r->t = t;
    r->x = x;
    solver_scale(s, x, x, r->weight);
    for (uint32_t i = 0; i < s->n; i++)
        r->inverse[i] = R(1.0) / (r->weight[i] * r->loosen);
}

/* The status is kept in case the step has to be given up for it. */
static Trial broken(Radau *r, Status status)
{
    r->why = status;
    return TRIAL_BROKEN;
}

static Trial need_jacobian(Solver *s, Radau *r, const real *f0)
{
    RadauMemory *m = &r->memory;
    if (m->has_jacobian)
        return TRIAL_DONE;
    m->h_factored = R(0.0);
    Status status =
        jacobian_evaluate(&r->jacobian, s, r->t, r->x, f0, r->weight);
    if (status != STATUS_OK)
        return broken(r, status);
    m->has_jacobian = m->fresh = 1;
    return TRIAL_DONE;
}

/* Stages of a step of length h, from start values in z, and its end (y, fy). */
static Trial solve_stages(Solver *s, Radau *r, real h, real t_end)
{
    Trial trial = radau_factor(s, r, h);
    if (trial == TRIAL_DONE)
        trial = radau_newton(s, r, h);
    if (trial != TRIAL_DONE)
        return trial;
    for (uint32_t i = 0; i < s->n; i++)
        r->y[i] = r->x[i] + r->z[2][i];
    Status status = solver_rhs(s, t_end, r->y, r->fy);
    return status == STATUS_OK ? TRIAL_DONE : broken(r, status);
}

/* Old h / new h after an error, for the number of iterations it took. */
static real quotient(const Radau *r, real error)
{
    real most = (real)(1 + 2 * r->most);
    real fac =
        cosy_min(SAFETY, SAFETY * most / (real)(r->iterations + 2 * r->most));
    real q = cosy_sqrt(cosy_sqrt(error)) / fac;
    return cosy_max(SMALLEST, cosy_min(LARGEST, q));
}

/* A trial of length h; r->error and, for a failure, r->shrink are set. */
static Trial attempt(Solver *s, Radau *r, real h, real t_end, bool again)
{
    RadauMemory *m = &r->memory;
    r->shrink = R(0.5);
    r->error = R(0.0);
    Trial trial = need_jacobian(s, r, s->dx);
    if (trial != TRIAL_DONE)
        return trial;
    radau_predict(s, r, m->h_polynomial, h, true);
    trial = solve_stages(s, r, h, t_end);
    if (trial != TRIAL_DONE || s->options.step != R(0.0))
        return trial;
    r->error = radau_error(s, r, h, s->dx, again || m->accepted == 0);
    if (r->error < R(1.0))
        return TRIAL_DONE;
    r->shrink = m->accepted == 0 ? R(0.1) : R(1.0) / quotient(r, r->error);
    return TRIAL_LARGE;
}

/* ---- Control ------------------------------------------------------------- */

/* Predictive controller (formula 8.25): the proposal behind an accepted step of
   length h. Nearly the same h is kept, with its factors. A step that the limit
   cut short says little: what was wanted before is wanted again. */
static real next_step(const Radau *r, real h, real wanted, bool again)
{
    const RadauMemory *m = &r->memory;
    bool cut = !again && cosy_abs(h) < cosy_abs(wanted);
    real q = quotient(r, r->error);
    if (cut && q <= R(1.0))
        return wanted;
    if (m->accepted > 0 && !cut) {
        real ratio = cosy_square(r->error) / m->error;
        real g = m->h_accepted / h * cosy_sqrt(cosy_sqrt(ratio)) / SAFETY;
        q = cosy_max(q, cosy_max(SMALLEST, cosy_min(LARGEST, g)));
    }
    if (again)
        q = cosy_max(q, R(1.0));
    bool keep =
        m->theta <= RADAU_KEEP_RATE && q <= R(1.0) && q >= R(1.0) / KEEP_TO;
    return keep ? h : h / q;
}

/* The far end becomes (y, fy), the near end what was there. */
static Status accept(Solver *s, Radau *r, real h, real t_end)
{
    RadauMemory *m = &r->memory;
    size_t size = s->n * sizeof(real);
    memcpy(s->x0, s->x, size);
    memcpy(s->dx0, s->dx, size);
    memcpy(s->x, r->y, size);
    memcpy(s->dx, r->fy, size);
    s->t0 = s->t;
    s->t = t_end;
    radau_keep(s, r, h);
    m->h_accepted = h;
    m->error = cosy_max(R(0.01), r->error);
    m->accepted++;
    m->fresh = 0;
    m->has_jacobian = m->theta <= RADAU_KEEP_RATE;
    return solver_accept(s);
}

static Status status_of(const Radau *r, Trial trial)
{
    switch (trial) {
    case TRIAL_DONE: return STATUS_OK;
    case TRIAL_LARGE: return STATUS_STEP_LIMIT;
    case TRIAL_SLOW: return STATUS_NEWTON;
    case TRIAL_SINGULAR: return STATUS_SINGULAR;
    case TRIAL_BROKEN: return r->why;
    case TRIAL_MEMORY: break;
    }
    return STATUS_MEMORY;
}

static Status give_up(Solver *s, const Radau *r, Trial trial)
{
    if (trial == TRIAL_MEMORY)
        return fault_set(s->fault, STATUS_MEMORY,
                         "no memory for the matrices of %u states",
                         (unsigned)s->n);
    if (trial != TRIAL_BROKEN)
        s->cause = COSY_OK;
    return solver_give_up(s, status_of(r, trial));
}

/* The length that is tried instead of `h` so that a step ends on the limit:
   all that is left if h nearly gets there, half of it if two steps are enough
   (then neither is a stump). */
static real fit(const Solver *s, real h, real limit)
{
    real rest = limit - s->t;
    real most = s->options.dtmax > R(0.0) ? s->options.dtmax : cosy_abs(rest);
    real last =
        R(4.0) * COSY_EPSILON * cosy_max(cosy_abs(s->t), cosy_abs(limit));
    h = s->direction * cosy_min(cosy_abs(h), most);
    if (cosy_abs(h) >= cosy_abs(rest) - last)
        return rest;
    if (s->options.step == R(0.0) && R(2.0) * cosy_abs(h) > cosy_abs(rest))
        return rest / R(2.0);
    return h;
}

/* A proposal below the least step is tried with that: if it fails the run has
   come to its end. */
static Status propose(Solver *s, Radau *r, real limit)
{
    if (s->options.step != R(0.0))
        s->h = s->direction * cosy_abs(s->options.step);
    else if (s->h == R(0.0))
        TRY(solver_first_step(s, 3, limit, r->pair, &s->h));
    if (solver_too_small(s, s->h)) {
        real least = cosy_max(R(8.0) * COSY_EPSILON * cosy_abs(s->t),
                              R(2.0) * COSY_REAL_MIN);
        s->h = s->direction * cosy_max(s->options.dtmin, least);
    }
    return STATUS_OK;
}

/* What a failed trial leaves for the next one: h, and J if it can be better.
   False: there is nothing left to try. */
static bool retry(Solver *s, Radau *r, Trial trial, unsigned *singular, real *h)
{
    RadauMemory *m = &r->memory;
    bool stale = m->has_jacobian && !m->fresh;
    bool none = trial == TRIAL_BROKEN && !m->has_jacobian; // with any h
    s->counts.rejected++;
    m->has_jacobian = m->fresh;
    if (none || trial == TRIAL_MEMORY ||
        (trial == TRIAL_SINGULAR && ++*singular > SINGULAR_MOST))
        return false;
    if (s->options.step != R(0.0))
        return stale;
    *h *= r->shrink;
    return !solver_too_small(s, *h);
}

static Status step(Solver *s, real limit)
{
    Radau *r = s->impl;
    unsigned singular = 0;
    TRY(propose(s, r, limit));
    set_base(s, r, s->t, s->x);
    real wanted = s->h;
    real h = fit(s, wanted, limit);
    for (bool again = false;; again = true) {
        bool whole = h == limit - s->t;
        real t_end = whole ? limit : s->t + h;
        Trial trial = attempt(s, r, h, t_end, again);
        if (trial == TRIAL_DONE) {
            s->h = next_step(r, h, wanted, again);
            return accept(s, r, h, t_end);
        }
        if (!retry(s, r, trial, &singular, &h))
            return give_up(s, r, trial);
    }
}

/* ---- The rest of the table ----------------------------------------------- */

static Status start(Solver *s)
{
    Radau *r = s->impl;
    memset(&r->memory, 0, sizeof r->memory);
    r->memory.eta = R(1.0);
    TRY(solver_begin(s));
    Status status = jacobian_mass(&r->jacobian, s, s->t, s->x);
    if (status != STATUS_OK)
        return solver_give_up(s, status);
    return STATUS_OK;
}

static void dense(const Solver *s, real t, real *x)
{
    const Radau *r = s->impl;
    uint32_t n = s->n;
    if (t == s->t || r->memory.h_polynomial == R(0.0)) {
        memcpy(x, s->x, n * sizeof(real));
        return;
    }
    const real *d1 = r->polynomial, *d2 = d1 + n, *d3 = d2 + n;
    real u = (t - s->t0) / r->memory.h_polynomial;
    real c1 = r->table.c[0], c2 = r->table.c[1];
    for (uint32_t i = 0; i < n; i++)
        x[i] = s->x0[i] + u * (d1[i] + (u - c1) * (d2[i] + (u - c2) * d3[i]));
}

static void end_at(Solver *s, real t, const real *x, const real *dx)
{
    s->t = t;
    memcpy(s->x, x, s->n * sizeof(real));
    memcpy(s->dx, dx, s->n * sizeof(real));
}

/* First with the Jacobian and the polynomial of the step that is repeated, then
   with a Jacobian of the near end. */
static Trial repeat(Solver *s, Radau *r, real h, real t_end)
{
    set_base(s, r, s->t0, s->x0);
    radau_predict(s, r, R(0.0), h, true);
    Trial trial = solve_stages(s, r, h, t_end);
    if (trial == TRIAL_DONE || trial == TRIAL_MEMORY)
        return trial;
    r->memory.has_jacobian = 0;
    trial = need_jacobian(s, r, s->dx0);
    r->memory.fresh = 0;
    radau_predict(s, r, R(0.0), h, false);
    return trial == TRIAL_DONE ? solve_stages(s, r, h, t_end) : trial;
}

static Status redo(Solver *s, real t_end)
{
    Radau *r = s->impl;
    real h = t_end - s->t0;
    if (h == R(0.0)) {
        end_at(s, s->t0, s->x0, s->dx0);
        return STATUS_OK;
    }
    Trial trial = repeat(s, r, h, t_end);
    if (trial == TRIAL_DONE) {
        radau_keep(s, r, h);
        end_at(s, t_end, r->y, r->fy);
    } else {
        end_at(s, s->t0, s->x0, s->dx0);
    }
    return status_of(r, trial);
}

const Method method_radau5 = {
    .name = "RADAU5",
    .order = 5,
    .features = METHOD_SAVES | METHOD_IMPLICIT | METHOD_MASS,
    .create = create,
    .resize = resize,
    .attach = attach,
    .start = start,
    .step = step,
    .dense = dense,
    .redo = redo,
    .destroy = destroy,
};
