#include "solve/radau.h"

#include <string.h>

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
    if (m->h_factored == h)
        return TRIAL_DONE;
    m->h_factored = R(0.0);
    s->counts.factorisations++;
    Complex mu = {r->table.alpha / h, r->table.beta / h};
    jacobian_matrix(&r->jacobian, r->table.gamma / h,
                    linear_values(r->real_part));
    Trial trial = factor_one(s, r->real_part);
    if (trial != TRIAL_DONE)
        return trial;
    jacobian_matrix_complex(&r->jacobian, mu, linear_values(r->complex_part));
    trial = factor_one(s, r->complex_part);
    if (trial == TRIAL_DONE)
        m->h_factored = h;
    return trial;
}

/* ---- Collocation polynomial ---------------------------------------------- */

/* In units of its step, from the near end, with nodes 0, c1, c2, 1:
       u(s) = x0 + s (d1 + (s - c1) (d2 + (s - c2) d3)). */
void radau_keep(Solver *s, Radau *r, real h)
{
    uint32_t n = s->n;
    real c1 = r->table.c[0], c2 = r->table.c[1];
    real *d1 = r->polynomial, *d2 = d1 + n, *d3 = d2 + n;
    const real *z1 = r->z[0], *z2 = r->z[1], *z3 = r->z[2];
    for (uint32_t i = 0; i < n; i++) {
        real a = z1[i] / c1;
        real b = (z2[i] - z1[i]) / (c2 - c1);
        real c = (z3[i] - z2[i]) / (R(1.0) - c2);
        d1[i] = a;
        d2[i] = (b - a) / c2;
        d3[i] = (c - b) / (R(1.0) - c1) - d2[i];
    }
    r->memory.h_polynomial = h;
}

static void clear_stages(Solver *s, Radau *r)
{
    for (int k = 0; k < 3; k++) {
        memset(r->z[k], 0, s->n * sizeof(real));
        memset(r->w[k], 0, s->n * sizeof(real));
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
    const real *d1 = r->polynomial, *d2 = d1 + n, *d3 = d2 + n;
    real c1 = r->table.c[0], c2 = r->table.c[1], u = from / m->h_polynomial;
    real v[3];
    for (int k = 0; k < 3; k++)
        v[k] = u + r->table.c[k] * h / m->h_polynomial;
    for (uint32_t i = 0; i < n; i++) {
        real base = u * (d1[i] + (u - c1) * (d2[i] + (u - c2) * d3[i]));
        real z[3];
        for (int k = 0; k < 3; k++)
            r->z[k][i] = z[k] =
                v[k] * (d1[i] + (v[k] - c1) * (d2[i] + (v[k] - c2) * d3[i])) -
                base;
        for (int k = 0; k < 3; k++)
            r->w[k][i] = r->table.ti[k][0] * z[0] + r->table.ti[k][1] * z[1] +
                         r->table.ti[k][2] * z[2];
    }
}

/* ---- Newton -------------------------------------------------------------- */

static Status stages(Solver *s, Radau *r, real h)
{
    uint32_t n = s->n;
    for (int k = 0; k < 3; k++) {
        const real *x = r->x, *z = r->z[k];
        for (uint32_t i = 0; i < n; i++)
            r->y[i] = x[i] + z[i];
        TRY(solver_rhs(s, r->t + r->table.c[k] * h, r->y, r->f[k]));
    }
    return STATUS_OK;
}

/* Right sides: inverse(T) F less the eigenvalues / h times M W. */
static void right_sides(Solver *s, Radau *r, real h)
{
    uint32_t n = s->n;
    const RadauTable *a = &r->table;
    real g = a->gamma / h, al = a->alpha / h, be = a->beta / h;
    real *f1 = r->f[0], *pair = r->pair;
    const real *f2 = r->f[1], *f3 = r->f[2];
    const real *const *w = (const real *const *)r->w;
    if (r->jacobian.has_mass) {
        for (int k = 0; k < 3; k++)
            jacobian_mass_times(&r->jacobian, r->w[k], r->mw[k]);
        w = (const real *const *)r->mw;
    }
    const real *w1 = w[0], *w2 = w[1], *w3 = w[2];
    for (uint32_t i = 0; i < n; i++) {
        real p = f1[i], q = f2[i], u = f3[i];
        f1[i] = a->ti[0][0] * p + a->ti[0][1] * q + a->ti[0][2] * u - g * w1[i];
        pair[2 * i] = a->ti[1][0] * p + a->ti[1][1] * q + a->ti[1][2] * u -
                      (al * w2[i] - be * w3[i]);
        pair[2 * i + 1] = a->ti[2][0] * p + a->ti[2][1] * q + a->ti[2][2] * u -
                          (be * w2[i] + al * w3[i]);
    }
}

/* Adds the corrections to W, makes Z of it, returns their largest norm and
   notes the state that has it. */
static real correct(Solver *s, Radau *r)
{
    uint32_t n = s->n, where = 0;
    const RadauTable *a = &r->table;
    real *w1 = r->w[0], *w2 = r->w[1], *w3 = r->w[2];
    real most = R(0.0);
    for (uint32_t i = 0; i < n; i++) {
        real p = r->f[0][i], q = r->pair[2 * i], u = r->pair[2 * i + 1];
        real size = cosy_max(cosy_abs(p), cosy_max(cosy_abs(q), cosy_abs(u)));
        size *= r->inverse[i];
        if (size > most || !cosy_finite(size)) {
            most = size;
            where = i;
        }
        w1[i] += p;
        w2[i] += q;
        w3[i] += u;
        r->z[0][i] =
            a->t[0][0] * w1[i] + a->t[0][1] * w2[i] + a->t[0][2] * w3[i];
        r->z[1][i] =
            a->t[1][0] * w1[i] + a->t[1][1] * w2[i] + a->t[1][2] * w3[i];
        r->z[2][i] = w1[i] + w2[i];
    }
    s->culprit = where;
    return most;
}

static Status iterate(Solver *s, Radau *r, real h, real *size)
{
    s->counts.iterations++;
    TRY(stages(s, r, h));
    right_sides(s, r, h);
    TRY(linear_solve(r->real_part, r->f[0]));
    TRY(linear_solve(r->complex_part, r->pair));
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

/* Judges the rate after iteration k >= 2 (formulas 8.9, 8.10, and 8.12 for the
   step that would do). */
static Trial judge(Radau *r, RadauMemory *m, unsigned k, real size)
{
    if (!(m->theta < R(0.99))) {
        /* With a fresh Jacobian and corrections this small it is rounding
           that keeps the iteration from contracting. */
        r->shrink = R(0.5);
        return m->fresh && size < R(0.01) ? TRIAL_DONE : TRIAL_SLOW;
    }
    m->eta = m->theta / (R(1.0) - m->theta);
    unsigned left = r->most - 1 - k;
    real end = m->eta * size * whole_power(m->theta, left) / r->tolerance;
    if (end < R(1.0))
        return TRIAL_DONE;
    real q = cosy_max(R(1e-4), cosy_min(R(20.0), end));
    r->shrink = R(0.8) * cosy_pow(q, R(-1.0) / (real)(4 + left));
    return TRIAL_SLOW;
}

Trial radau_newton(Solver *s, Radau *r, real h)
{
    RadauMemory *m = &r->memory;
    real size = R(0.0), before = R(0.0), rate = R(0.0);
    m->eta = cosy_pow(cosy_max(m->eta, COSY_EPSILON), R(0.8));
    m->theta = RADAU_KEEP_RATE; // what one iteration alone is worth
    r->shrink = R(0.5);
    for (unsigned k = 1; k <= r->most; k++) {
        r->iterations = k;
        r->why = iterate(s, r, h, &size);
        if (r->why != STATUS_OK)
            return TRIAL_BROKEN;
        if (k > 1 && k < r->most) {
            real now = size / before;
            m->theta = k == 2 ? now : cosy_sqrt(now * rate);
            rate = now;
            Trial trial = judge(r, m, k, size);
            if (trial != TRIAL_DONE || !(m->theta < R(0.99)))
                return trial;
        }
        if (m->eta * size <= r->tolerance)
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

real radau_error(Solver *s, Radau *r, real h, const real *f0, bool twice)
{
    uint32_t n = s->n;
    real e1 = r->table.e[0] / h, e2 = r->table.e[1] / h, e3 = r->table.e[2] / h;
    real *sum = r->jacobian.has_mass ? r->mw[0] : r->q;
    for (uint32_t i = 0; i < n; i++)
        sum[i] = e1 * r->z[0][i] + e2 * r->z[1][i] + e3 * r->z[2][i];
    if (r->jacobian.has_mass)
        jacobian_mass_times(&r->jacobian, sum, r->q);
    real *e = r->f[0], *point = r->mw[1]; // y is the end of the step already
    real size = estimate(s, r, f0, e);
    if (size >= R(1.0) && twice) {
        for (uint32_t i = 0; i < n; i++)
            point[i] = r->x[i] + e[i];
        if (solver_rhs(s, r->t, point, r->f[1]) == STATUS_OK)
            size = estimate(s, r, r->f[1], e);
    }
    return cosy_max(size, R(1e-10));
}
