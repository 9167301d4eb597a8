#include "solve/radau.h"

#include <string.h>

#include "solve/methods.h"

/* Controller (IV.8): safety, bounds of old h / new h, the range of new h / old
   h in which the step and its factors are kept. */
#define SAFETY   R(0.9)
#define LARGEST  R(5.0)
#define SMALLEST R(0.125)
#define KEEP_TO  R(1.2)

/* Choice of the order: rates of convergence at which it rises and falls, the
   range of new h / old h in which it may rise, steps between two changes, and
   the tolerances below which a run begins with the second and the third order
   (measured: where they become the cheapest). */
#define RISE_RATE  R(0.002)
#define FALL_RATE  R(0.8)
#define STEADY_LOW R(0.8)
#define STEADY_TOP R(1.2)
#define PATIENCE   10
#define FINE       R(3e-7)
#define VERY_FINE  R(1e-12)

/* ---- Memory -------------------------------------------------------------- */

/* With s stages the estimate is of order s, the method of order 2s - 1: if it
   is compared with relerr^((s+1)/2s) / 10, the error of the method follows the
   tolerance. */
static void set_limits(const Solver *s, Radau *r)
{
    /* Last places that rounding in T and its inverse may cost: their
       condition. */
    static const real noise[RADAU_ORDERS] = {R(10.0), R(200.0), R(3000.0)};
    for (int k = 0; k < RADAU_ORDERS; k++) {
        RadauLimits *limits = &r->limits[k];
        real stages = (real)radau_tables[k]->stages;
        real power = (stages + R(1.0)) / (R(2.0) * stages);
        real relerr = s->options.relerr;
        real loose = R(0.1) * cosy_pow(relerr, power);
        real newton = cosy_pow(loose, R(1.0) / power - R(1.0));
        limits->loosen = loose / relerr;
        limits->tolerance =
            cosy_max(R(10.0) * COSY_EPSILON / loose, cosy_min(R(0.03), newton));
        limits->noise = noise[k] * COSY_EPSILON / loose;
        limits->most = limits->tolerance < R(1e-6) ? 10 : 7;
        limits->most += 5 * (unsigned)k;
        if (s->options.step != R(0.0))
            limits->most = 50; // there is no smaller step to fall back on
    }
}

/* Reciprocal distances of the nodes 0, c1 ... cs. */
static void set_apart(Radau *r)
{
    for (int order = 0; order < RADAU_ORDERS; order++) {
        const RadauTable *a = radau_tables[order];
        for (int level = 1; level <= a->stages; level++)
            for (int k = level; k <= a->stages; k++) {
                real low = k == level ? R(0.0) : a->c[k - level - 1];
                r->apart[order][level][k] = R(1.0) / (a->c[k - 1] - low);
            }
    }
}

static const RadauRange *range_of(const Solver *s)
{
    return s->method->table;
}

static void use_order(Radau *r, uint32_t order)
{
    r->memory.order = order;
    r->table = radau_tables[order];
}

/* The order that the tolerance suggests, among those the method has. */
static uint32_t first_order(const Solver *s)
{
    const RadauRange *range = range_of(s);
    uint32_t order = s->options.relerr < VERY_FINE ? 2
                     : s->options.relerr < FINE    ? 1
                                                   : 0;
    if (s->options.step != R(0.0))
        order = 0;
    order = order > range->lowest ? order : range->lowest;
    return order < range->highest ? order : range->highest;
}

static Status create(Solver *s)
{
    static const char *const names[RADAU_PAIRS] = {
        "radau.complex", "radau.complex2", "radau.complex3"};
    Radau *r = NEW(s->arena, Radau);
    if (r == NULL)
        return STATUS_MEMORY;
    s->impl = r;
    set_limits(s, r);
    set_apart(r);
    use_order(r, first_order(s));
    TRY(jacobian_create(&r->jacobian, s));
    TRY(solver_keep(s, "radau.memory", &r->memory, sizeof r->memory));
    r->real_part = linear_create(s->arena, s->image, "radau.real", false);
    if (r->real_part == NULL)
        return STATUS_MEMORY;
    for (int k = 0; k < radau_tables[range_of(s)->highest]->pairs; k++) {
        r->complex_part[k] = linear_create(s->arena, s->image, names[k], true);
        if (r->complex_part[k] == NULL)
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* Places the arrays of n numbers, those of pairs last; returns how much room
   they take in all, in numbers. */
static size_t place_arrays(Radau *r, const RadauTable *most, size_t n)
{
    real *at = (real *)(void *)r->work.bytes;
    real **single[] = {&r->y, &r->fy, &r->q, &r->weight, &r->inverse};
    real **many[] = {r->z, r->w, r->f, r->mw};
    size_t used = 0;
    for (size_t k = 0; k < LENGTH(single); k++, used += n)
        *single[k] = at + used;
    for (size_t k = 0; k < LENGTH(many); k++)
        for (int l = 0; l < most->stages; l++, used += n)
            many[k][l] = at + used;
    for (int k = 0; k < most->pairs; k++, used += 2 * n)
        r->pair[k] = at + used;
    return used;
}

static Status resize(Solver *s)
{
    Radau *r = s->impl;
    const Jacobian *j = &r->jacobian;
    const RadauTable *most = radau_tables[range_of(s)->highest];
    size_t n = s->n, stages = (size_t)most->stages;
    size_t room = (5 + 4 * stages + 2 * (size_t)most->pairs) * n;
    TRY(solver_room(s, SOLVER_OWN, stages * n));
    if (!vector_fit(&r->work, room * sizeof(real)))
        return STATUS_MEMORY;
    place_arrays(r, most, n);
    TRY(jacobian_shape(&r->jacobian, s));
    const uint32_t *start = j->dense ? NULL : (const void *)j->start.bytes;
    const uint32_t *row = j->dense ? NULL : (const void *)j->row.bytes;
    TRY(linear_shape(r->real_part, s->n, start, row));
    for (int k = 0; k < most->pairs; k++)
        TRY(linear_shape(r->complex_part[k], s->n, start, row));
    return STATUS_OK;
}

/* A loaded run may have a different number of states. */
static Status attach(Solver *s)
{
    Radau *r = s->impl;
    if (r->jacobian.n != s->n)
        TRY(resize(s));
    linear_attach(r->real_part);
    for (int k = 0; k < radau_tables[range_of(s)->highest]->pairs; k++)
        linear_attach(r->complex_part[k]);
    use_order(r, r->memory.order);
    r->polynomial = (real *)(void *)s->memory[SOLVER_OWN].bytes;
    return STATUS_OK;
}

static void destroy(Solver *s)
{
    Radau *r = s->impl;
    linear_free(r->real_part);
    for (int k = 0; k < RADAU_PAIRS; k++)
        linear_free(r->complex_part[k]);
    jacobian_free(&r->jacobian);
    vector_free(&r->work);
}

/* ---- One trial ----------------------------------------------------------- */

static void set_base(Solver *s, Radau *r, real t, const real *x)
{
    r->t = t;
    r->x = x;
    real loosen = r->limits[r->memory.order].loosen;
    solver_scale(s, x, x, r->weight);
    for (uint32_t i = 0; i < s->n; i++)
        r->inverse[i] = R(1.0) / (r->weight[i] * loosen);
}

/* The status is kept in case the step has to be given up because of it. */
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

/* Finds the stages of a step of length h, from start values in z, and its end
   (y, fy). */
static Trial solve_stages(Solver *s, Radau *r, real h, real t_end)
{
    Trial trial = radau_factor(s, r, h);
    if (trial == TRIAL_DONE)
        trial = radau_newton(s, r, h);
    if (trial != TRIAL_DONE)
        return trial;
    const real *last = r->z[r->table->stages - 1];
    for (uint32_t i = 0; i < s->n; i++)
        r->y[i] = r->x[i] + last[i];
    Status status = solver_rhs(s, t_end, r->y, r->fy);
    return status == STATUS_OK ? TRIAL_DONE : broken(r, status);
}

/* error^(1 / (s + 1)) */
static real root(const Radau *r, real error)
{
    real root2 = cosy_sqrt(error);
    switch (r->table->stages) {
    case 3: return cosy_sqrt(root2);
    case 5: return cosy_cbrt(root2);
    default: return cosy_sqrt(cosy_sqrt(root2));
    }
}

/* Old h / new h after an error, allowing for the number of iterations it
   took. */
static real quotient(const Radau *r, real error)
{
    unsigned most = r->limits[r->memory.order].most;
    real fac = cosy_min(SAFETY, SAFETY * (real)(1 + 2 * most) /
                                    (real)(r->iterations + 2 * most));
    real q = root(r, error) / fac;
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
    solver_blame(s, s->x, s->x, r->f[0]);
    return TRIAL_LARGE;
}

/* ---- Control ------------------------------------------------------------- */

/* Predictive controller (formula 8.25): the proposal after an accepted step of
   length h. If h would change little, it is kept along with its factors. A step
   that the limit cut short says little: the earlier proposal is repeated. */
static real next_step(const Radau *r, real h, real wanted, bool again)
{
    const RadauMemory *m = &r->memory;
    bool cut = !again && cosy_abs(h) < cosy_abs(wanted);
    real q = quotient(r, r->error);
    if (cut && q <= R(1.0))
        return wanted;
    if (m->accepted > 0 && m->error > R(0.0) && !cut) {
        real ratio = cosy_square(r->error) / m->error;
        real g = m->h_accepted / h * root(r, ratio) / SAFETY;
        q = cosy_max(q, cosy_max(SMALLEST, cosy_min(LARGEST, g)));
    }
    if (again)
        q = cosy_max(q, R(1.0));
    bool keep =
        m->theta <= RADAU_KEEP_RATE && q <= R(1.0) && q >= R(1.0) / KEEP_TO;
    return keep ? h : h / q;
}

/* The order of the next step, after an accepted one of length h; s->h is the
   proposal. It falls at most to one below that of the start. The tolerances of
   the orders differ, so the controller starts afresh. */
static void choose_order(const Solver *s, Radau *r, real h)
{
    RadauMemory *m = &r->memory;
    const RadauRange *range = range_of(s);
    real ratio = s->h / h;
    bool steady = ratio > STEADY_LOW && ratio < STEADY_TOP;
    bool fast = r->iterations > 1 && m->theta <= RISE_RATE;
    uint32_t order = m->order;
    m->since++;
    if (m->failed || m->theta >= FALL_RATE)
        order -= order > range->lowest && order >= first_order(s);
    else if (fast && steady && m->since >= PATIENCE)
        order += order < range->highest;
    m->failed = 0;
    if (order == m->order || s->options.step != R(0.0))
        return;
    use_order(r, order);
    m->since = 0;
    m->h_factored = R(0.0);
    m->error = R(0.0);
}

/* Makes (y, fy) the far end, and the old far end the near one. */
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
    choose_order(s, r, h);
    return solver_accept(s);
}

/* Prepares the next trial after a failed one: h, and J if it can be improved.
   False: there is nothing left to try. */
static bool retry(Solver *s, Radau *r, ImplicitTrials *t, Trial trial)
{
    RadauMemory *m = &r->memory;
    t->has_jacobian = m->has_jacobian;
    t->fresh = m->fresh;
    t->shrink = r->shrink;
    m->has_jacobian = m->fresh;
    m->failed |= trial == TRIAL_SLOW;
    return implicit_retry(s, t, trial);
}

static Status step(Solver *s, real limit)
{
    Radau *r = s->impl;
    TRY(implicit_propose(s, r->table->stages, limit, r->pair[0]));
    set_base(s, r, s->t, s->x);
    real wanted = s->h;
    ImplicitTrials t = {.h = implicit_fit(s, wanted, limit)};
    for (bool again = false;; again = true) {
        bool whole = t.h == limit - s->t;
        real t_end = whole ? limit : s->t + t.h;
        real h = implicit_length(t.h);
        Trial trial = attempt(s, r, h, t_end, again);
        if (trial == TRIAL_DONE) {
            s->h = next_step(r, h, wanted, again);
            return accept(s, r, h, t_end);
        }
        if (!retry(s, r, &t, trial))
            return implicit_give_up(s, trial, r->why);
    }
}

/* ---- The rest of the table ----------------------------------------------- */

static Status start(Solver *s)
{
    Radau *r = s->impl;
    uint32_t order = r->memory.order;
    memset(&r->memory, 0, sizeof r->memory);
    r->memory.eta = R(1.0);
    r->memory.order = order;
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
    real u = (t - s->t0) / r->memory.h_polynomial;
    radau_dense(r, n, s->x0, u, x);
}

/* Tries the Jacobian and the polynomial of the step that is repeated, then a
   Jacobian at the near end. */
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
        implicit_end(s, s->t0, s->x0, s->dx0);
        return STATUS_OK;
    }
    h = implicit_length(h);
    Trial trial = repeat(s, r, h, t_end);
    if (trial == TRIAL_DONE) {
        radau_keep(s, r, h);
        implicit_end(s, t_end, r->y, r->fy);
    } else {
        implicit_end(s, s->t0, s->x0, s->dx0);
    }
    return implicit_status(trial, r->why);
}

#define RADAU(title, p, range)                                                 \
    {                                                                          \
        .name = title, .order = p,                                             \
        .features = METHOD_SAVES | METHOD_IMPLICIT | METHOD_MASS,              \
        .table = &range, .create = create, .resize = resize, .attach = attach, \
        .start = start, .step = step, .dense = dense, .redo = redo,            \
        .destroy = destroy, .local = radau_local,                              \
    }

static const RadauRange only5 = {0, 0}, only9 = {1, 1}, only13 = {2, 2};
static const RadauRange all = {0, 2};

const Method method_radau5 = RADAU("RADAU5", 5, only5);
const Method method_radau9 = RADAU("RADAU9", 9, only9);
const Method method_radau13 = RADAU("RADAU13", 13, only13);
const Method method_radau = RADAU("RADAU", 13, all);
