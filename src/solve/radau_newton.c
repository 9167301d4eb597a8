#include "solve/radau.h"

#include <string.h>

/* Loops over the stages are written once, for any number of them; called with a
   constant number they are unrolled. */
#define FOR_STAGES(stages, call)                                               \
    do {                                                                       \
        switch (stages) {                                                      \
        case 3: call(3); break;                                                \
        case 5: call(5); break;                                                \
        default: call(7); break;                                               \
        }                                                                      \
    } while (0)

/* ---- Matrices ------------------------------------------------------------ */

static Trial factor_one(Solver *s, Linear *l)
{
    uint32_t column = 0;
    Status status = linear_factor(l, &column);
    if (status == STATUS_OK)
        return TRIAL_DONE;
    s->culprit = column;
    return status == STATUS_MEMORY ? TRIAL_MEMORY : TRIAL_SINGULAR;
}

Trial radau_factor(Solver *s, Radau *r, real h)
{
    RadauMemory *m = &r->memory;
    const RadauTable *a = r->table;
    if (m->h_factored == h)
        return TRIAL_DONE;
    m->h_factored = R(0.0);
    s->counts.factorisations++;
    jacobian_matrix(&r->jacobian, a->gamma / h, linear_values(r->real_part));
    Trial trial = factor_one(s, r->real_part);
    for (int k = 0; k < a->pairs && trial == TRIAL_DONE; k++) {
        Complex mu = {a->alpha[k] / h, a->beta[k] / h};
        jacobian_matrix_complex(&r->jacobian, mu,
                                linear_values(r->complex_part[k]));
        trial = factor_one(s, r->complex_part[k]);
    }
    if (trial == TRIAL_DONE)
        m->h_factored = h;
    return trial;
}

/* ---- Collocation polynomial ---------------------------------------------- */

/* In units of its step, from the near end, with nodes 0, c1 ... cs:
       u(v) = x0 + v (d1 + (v - c1) (d2 + (v - c2) (d3 ...))),
   by divided differences. */
static inline void keep_stages(const Radau *r, uint32_t n, const int stages)
{
    const real(*apart)[RADAU_STAGES + 1] = r->apart[r->memory.order];
    for (uint32_t i = 0; i < n; i++) {
        real p[RADAU_STAGES + 1];
        p[0] = R(0.0);
        for (int k = 1; k <= stages; k++)
            p[k] = r->z[k - 1][i];
        for (int level = 1; level <= stages; level++)
            for (int k = stages; k >= level; k--)
                p[k] = (p[k] - p[k - 1]) * apart[level][k];
        for (int k = 1; k <= stages; k++)
            r->polynomial[(size_t)(k - 1) * n + i] = p[k];
    }
}

void radau_keep(Solver *s, Radau *r, real h)
{
#define KEEP(stages) keep_stages(r, s->n, stages)
    FOR_STAGES(r->table->stages, KEEP);
    r->memory.h_polynomial = h;
    r->memory.polynomial = r->memory.order;
}

/* Value of the polynomial minus x0. */
static inline real polynomial(const real *d, size_t n, const real *c,
                              const int stages, real v)
{
    real sum = d[(size_t)(stages - 1) * n];
    for (int k = stages - 2; k >= 0; k--)
        sum = d[(size_t)k * n] + (v - c[k]) * sum;
    return v * sum;
}

void radau_dense(const Radau *r, uint32_t n, const real *x0, real u, real *x)
{
    const RadauTable *a = radau_tables[r->memory.polynomial];
#define DENSE(stages)                                                          \
    for (uint32_t i = 0; i < n; i++)                                           \
    x[i] = x0[i] + polynomial(r->polynomial + i, n, a->c, stages, u)
    FOR_STAGES(a->stages, DENSE);
}

static void clear_stages(Solver *s, Radau *r)
{
    for (int k = 0; k < r->table->stages; k++) {
        memset(r->z[k], 0, s->n * sizeof(real));
        memset(r->w[k], 0, s->n * sizeof(real));
    }
}

/* W = inverse(T) Z */
static inline void transform(const Radau *r, uint32_t n, const int stages)
{
    const real(*ti)[RADAU_STAGES] = r->table->ti;
    for (uint32_t i = 0; i < n; i++)
        for (int k = 0; k < stages; k++) {
            real sum = ti[k][0] * r->z[0][i];
            for (int l = 1; l < stages; l++)
                sum += ti[k][l] * r->z[l][i];
            r->w[k][i] = sum;
        }
}

void radau_predict(Solver *s, Radau *r, real from, real h, bool use)
{
    const RadauMemory *m = &r->memory;
    if (!use || m->h_polynomial == R(0.0)) {
        clear_stages(s, r);
        return;
    }
    uint32_t n = s->n;
    const RadauTable *a = radau_tables[m->polynomial];
    real u = from / m->h_polynomial, ratio = h / m->h_polynomial;
    real *base = r->y;
#define BASE(stages)                                                           \
    for (uint32_t i = 0; i < n; i++)                                           \
    base[i] = polynomial(r->polynomial + i, n, a->c, stages, u)
    FOR_STAGES(a->stages, BASE);
    for (int k = 0; k < r->table->stages; k++) {
        real *z = r->z[k], v = u + r->table->c[k] * ratio;
#define VALUE(stages)                                                          \
    for (uint32_t i = 0; i < n; i++)                                           \
    z[i] = polynomial(r->polynomial + i, n, a->c, stages, v) - base[i]
        FOR_STAGES(a->stages, VALUE);
    }
#define TRANSFORM(stages) transform(r, n, stages)
    FOR_STAGES(r->table->stages, TRANSFORM);
}

/* ---- Newton -------------------------------------------------------------- */

static Status stages_of(Solver *s, Radau *r, real h)
{
    uint32_t n = s->n;
    for (int k = 0; k < r->table->stages; k++) {
        const real *x = r->x, *z = r->z[k];
        for (uint32_t i = 0; i < n; i++)
            r->y[i] = x[i] + z[i];
        TRY(solver_rhs(s, r->t + r->table->c[k] * h, r->y, r->f[k]));
    }
    return STATUS_OK;
}

/* inverse(T) F minus the eigenvalues / h times M W; f[0] holds the real one. */
static inline void sides(const Radau *r, uint32_t n, real h, real *const *w,
                         const int stages)
{
    const RadauTable *a = r->table;
    real gamma = a->gamma / h, alpha[RADAU_PAIRS], beta[RADAU_PAIRS];
    for (int k = 0; k < stages / 2; k++) {
        alpha[k] = a->alpha[k] / h;
        beta[k] = a->beta[k] / h;
    }
    for (uint32_t i = 0; i < n; i++) {
        real v[RADAU_STAGES];
        for (int k = 0; k < stages; k++) {
            v[k] = a->ti[k][0] * r->f[0][i];
            for (int l = 1; l < stages; l++)
                v[k] += a->ti[k][l] * r->f[l][i];
        }
        r->f[0][i] = v[0] - gamma * w[0][i];
        for (int k = 0; k < stages / 2; k++) {
            real p = w[2 * k + 1][i], q = w[2 * k + 2][i];
            r->pair[k][2 * i] = v[2 * k + 1] - (alpha[k] * p - beta[k] * q);
            r->pair[k][2 * i + 1] = v[2 * k + 2] - (beta[k] * p + alpha[k] * q);
        }
    }
}

static void right_sides(Solver *s, Radau *r, real h)
{
    real *const *w = r->w;
    if (r->jacobian.has_mass) {
        for (int k = 0; k < r->table->stages; k++)
            jacobian_mass_times(&r->jacobian, r->w[k], r->mw[k]);
        w = r->mw;
    }
#define SIDES(stages) sides(r, s->n, h, w, stages)
    FOR_STAGES(r->table->stages, SIDES);
}

/* Adds the corrections to W, transforms it to Z, and returns their largest
   norm, noting the state that has it. */
static inline real correct_stages(const Radau *r, uint32_t n, uint32_t *where,
                                  const int stages)
{
    const RadauTable *a = r->table;
    real most = R(0.0);
    for (uint32_t i = 0; i < n; i++) {
        real p[RADAU_STAGES];
        p[0] = r->f[0][i];
        for (int k = 0; k < stages / 2; k++) {
            p[2 * k + 1] = r->pair[k][2 * i];
            p[2 * k + 2] = r->pair[k][2 * i + 1];
        }
        real size = cosy_abs(p[0]);
        for (int k = 1; k < stages; k++)
            size = cosy_max(size, cosy_abs(p[k]));
        size *= r->inverse[i];
        if (size > most || !cosy_finite(size)) {
            most = size;
            *where = i;
        }
        for (int k = 0; k < stages; k++)
            p[k] = r->w[k][i] += p[k];
        real last = p[0];
        for (int k = 1; k < stages; k += 2)
            last += p[k];
        r->z[stages - 1][i] = last;
        for (int k = 0; k < stages - 1; k++) {
            real sum = a->t[k][0] * p[0];
            for (int l = 1; l < stages; l++)
                sum += a->t[k][l] * p[l];
            r->z[k][i] = sum;
        }
    }
    return most;
}

static real correct(Solver *s, Radau *r)
{
    uint32_t where = 0;
    real most = R(0.0);
#define CORRECT(stages) most = correct_stages(r, s->n, &where, stages)
    FOR_STAGES(r->table->stages, CORRECT);
    s->culprit = where;
    return most;
}

static Status iterate(Solver *s, Radau *r, real h, real *size)
{
    s->counts.iterations++;
    TRY(stages_of(s, r, h));
    right_sides(s, r, h);
    TRY(linear_solve(r->real_part, r->f[0]));
    for (int k = 0; k < r->table->pairs; k++)
        TRY(linear_solve(r->complex_part[k], r->pair[k]));
    *size = correct(s, r);
    return cosy_finite(*size) ? STATUS_OK : STATUS_NUMBER;
}

static real whole_power(real a, unsigned k)
{
    real p = R(1.0);
    while (k-- > 0)
        p *= a;
    return p;
}

/* True if the iteration should go on after number k >= 2; otherwise *trial is
   the outcome (formulas 8.9, 8.10, and 8.12 for a step that would be short
   enough). If rounding keeps it from contracting, it has converged. */
static bool hopeful(Radau *r, unsigned k, real size, Trial *trial)
{
    RadauMemory *m = &r->memory;
    const RadauLimits *limits = &r->limits[m->order];
    bool good = m->fresh && size * limits->loosen < R(0.1);
    *trial = size < limits->noise || good ? TRIAL_DONE : TRIAL_SLOW;
    if (!(m->theta < R(0.99)))
        return false;
    m->eta = m->theta / (R(1.0) - m->theta);
    unsigned left = limits->most - 1 - k;
    real end = m->eta * size * whole_power(m->theta, left) / limits->tolerance;
    if (end < R(1.0))
        return true;
    real q = cosy_max(R(1e-4), cosy_min(R(20.0), end));
    r->shrink = R(0.8) * cosy_pow(q, R(-1.0) / (real)(4 + left));
    *trial = size < limits->noise ? TRIAL_DONE : TRIAL_SLOW;
    return false;
}

/* The rate of convergence seen with one step says little about a longer one:
   beyond this ratio of the step sizes the first iteration is credited with no
   better rate than RATE_LEAST. */
#define RATE_REACH R(1.3)
#define RATE_LEAST R(0.01)

Trial radau_newton(Solver *s, Radau *r, real h)
{
    RadauMemory *m = &r->memory;
    const RadauLimits *limits = &r->limits[m->order];
    real size = R(0.0), before = R(0.0), rate = R(0.0);
    Trial trial = TRIAL_SLOW;
    m->eta = cosy_pow(cosy_max(m->eta, COSY_EPSILON), R(0.8));
    if (cosy_abs(h) > RATE_REACH * m->h_rate)
        m->eta = cosy_max(m->eta, RATE_LEAST);
    m->theta = RADAU_KEEP_RATE; // what a single iteration is worth
    r->shrink = R(0.5);
    for (unsigned k = 1; k <= limits->most; k++) {
        r->iterations = k;
        r->why = iterate(s, r, h, &size);
        if (r->why != STATUS_OK)
            return TRIAL_BROKEN;
        if (k > 1 && k < limits->most) {
            real now = size / before;
            m->theta = k == 2 ? now : cosy_sqrt(now * rate);
            m->h_rate = cosy_abs(h);
            rate = now;
            if (!hopeful(r, k, size, &trial))
                return trial;
        }
        if (m->eta * size <= limits->tolerance)
            return TRIAL_DONE;
        before = cosy_max(size, COSY_EPSILON);
    }
    return TRIAL_SLOW;
}

/* ---- Error --------------------------------------------------------------- */

static real norm(Solver *s, const Radau *r, const real *e)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < s->n; i++) {
        real size = cosy_abs(e[i]) * r->inverse[i];
        if (size > most) {
            most = size;
            s->culprit = i;
        } else if (!cosy_finite(size)) {
            s->culprit = i;
            return COSY_REAL_MAX;
        }
    }
    return most;
}

static real estimate(Solver *s, Radau *r, const real *f, real *e)
{
    for (uint32_t i = 0; i < s->n; i++)
        e[i] = r->q[i] + f[i];
    if (linear_solve(r->real_part, e) != STATUS_OK)
        return COSY_REAL_MAX;
    return norm(s, r, e);
}

/* e . Z / h */
static void weigh(const Radau *r, uint32_t n, real h, real *sum)
{
    const RadauTable *a = r->table;
    for (int k = 0; k < a->stages; k++) {
        real e = a->e[k] / h;
        const real *z = r->z[k];
        for (uint32_t i = 0; i < n; i++)
            sum[i] = k == 0 ? e * z[i] : sum[i] + e * z[i];
    }
}

/* At the end of a step the error is much smaller than the estimate, which is
   why the estimate is compared with a loosened weight. This does not hold for
   motions that are fast compared with h: there the order falls to that of the
   estimate. F = (I - h/gamma J)^-1 leaves slow motions as they are and removes
   fast ones, so (I - F)^k times the estimate is compared with the weight
   itself. */
enum { FAST_POWER = 4 };

static real fast_part(Solver *s, Radau *r, real h, real *e, real *scratch)
{
    real factor = r->table->gamma / h;
    for (int k = 0; k < FAST_POWER; k++) {
        const real *from = e;
        if (r->jacobian.has_mass) {
            jacobian_mass_times(&r->jacobian, e, r->mw[0]);
            from = r->mw[0];
        }
        for (uint32_t i = 0; i < s->n; i++)
            scratch[i] = factor * from[i];
        if (linear_solve(r->real_part, scratch) != STATUS_OK)
            return COSY_REAL_MAX;
        for (uint32_t i = 0; i < s->n; i++)
            e[i] -= scratch[i];
    }
    return norm(s, r, e) * r->limits[r->memory.order].loosen;
}

real radau_error(Solver *s, Radau *r, real h, const real *f0, bool twice)
{
    uint32_t n = s->n;
    weigh(r, n, h, r->jacobian.has_mass ? r->mw[0] : r->q);
    if (r->jacobian.has_mass)
        jacobian_mass_times(&r->jacobian, r->mw[0], r->q);
    real *e = r->f[0], *point = r->mw[1]; // y is already the end of the step
    real size = estimate(s, r, f0, e);
    if (size >= R(1.0) && twice) {
        for (uint32_t i = 0; i < n; i++)
            point[i] = r->x[i] + e[i];
        if (solver_rhs(s, r->t, point, r->f[1]) == STATUS_OK)
            size = estimate(s, r, r->f[1], e);
    }
    if (size < R(1.0)) {
        uint32_t culprit = s->culprit;
        real fast = fast_part(s, r, h, e, r->f[1]);
        if (fast > size)
            size = fast;
        else
            s->culprit = culprit;
    }
    return cosy_max(size, R(1e-10));
}

/* The stages and the factors of the step are still there, whatever the order of
   the next one. The estimate is of lower order: it is compared with a weight
   that is looser by as much, and the error is a few hundredths of it
   (measured). */
#define SURE R(0.03)

bool radau_local(Solver *s, real *e)
{
    Radau *r = s->impl;
    const RadauTable *a = radau_tables[r->memory.polynomial];
    real h = r->memory.h_polynomial;
    if (h == R(0.0))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        real sum = R(0.0);
        for (int k = 0; k < a->stages; k++)
            sum += a->e[k] / h * r->z[k][i];
        e[i] = sum;
    }
    if (r->jacobian.has_mass) {
        jacobian_mass_times(&r->jacobian, e, r->mw[0]);
        memcpy(e, r->mw[0], s->n * sizeof *e);
    }
    real loosen = r->limits[r->memory.polynomial].loosen;
    for (uint32_t i = 0; i < s->n; i++)
        e[i] = (e[i] + s->dx0[i]) * (SURE / loosen);
    return linear_solve(r->real_part, e) == STATUS_OK;
}
