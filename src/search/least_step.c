/* One step within the trust region and the bounds. */

#include <assert.h>

#include "search/least_own.h"
#include "search/svd.h"

/* The triangle times a vector. */
static void multiply(const LeastPlan *l, const LeastLinear *x, const real *s,
                     real *y)
{
    uint32_t n = l->n;
    for (uint32_t i = 0; i < n; i++)
        y[i] = R(0.0);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j; i++)
            y[i] += x->r[i + (size_t)j * n] * s[j];
}

real least_decrement(const LeastPlan *l, const LeastStep *step)
{
    multiply(l, step->linear, step->s, l->work);
    return vector_norm(l->n, l->work);
}

/* By how much the model of the cost falls along s: y'c - |y|^2 / 2, y = R s. */
static real predict(const LeastPlan *l, const LeastStep *step, const real *s)
{
    real fall = R(0.0);
    multiply(l, step->linear, s, l->work);
    for (uint32_t i = 0; i < l->n; i++)
        fall += l->work[i] * (step->linear->c[i] - l->work[i] / R(2.0));
    return fall;
}

static real weighted_length(const LeastPlan *l, const LeastStep *step,
                            const real *s)
{
    real sum = R(0.0);
    for (uint32_t j = 0; j < l->n; j++)
        sum += cosy_square(step->d[j] * s[j]);
    return cosy_sqrt(sum);
}

/* ---- The free parameters ----------------------------------------------------------- */

/* Singular values of the free columns by their scales; g: what is left of c after the
   fixed ones, by the left vectors. */
static uint32_t decompose(LeastPlan *l, const LeastStep *step)
{
    uint32_t n = l->n, k = 0;
    real *c = l->work2;
    memcpy(c, step->linear->c, n * sizeof *c);
    for (uint32_t j = 0; j < n; j++) {
        const real *column = step->linear->r + (size_t)j * n;
        for (uint32_t i = 0; i < n; i++)
            if (l->fixed[j])
                c[i] -= column[i] * step->s[j];
            else
                l->u[i + (size_t)k * n] = column[i] / step->d[j];
        if (!l->fixed[j])
            l->freed[k++] = j;
    }
    if (k > 0)
        svd_make(n, k, l->u, l->value, l->v);
    for (uint32_t a = 0; a < k; a++) {
        l->g[a] = R(0.0);
        for (uint32_t i = 0; i < n; i++)
            l->g[a] += l->u[i + (size_t)a * n] * c[i];
    }
    return k;
}

/* The length of the step that is damped by mu, in scaled parameters. */
static real damped_length(const LeastPlan *l, uint32_t k, real mu)
{
    real least = (real)l->n * COSY_EPSILON * l->value[0], sum = R(0.0);
    for (uint32_t a = 0; a < k; a++)
        if (l->value[a] > least)
            sum += cosy_square(l->g[a] * l->value[a] /
                               (l->value[a] * l->value[a] + mu));
    return cosy_sqrt(sum);
}

static void damped_step(const LeastPlan *l, LeastStep *step, uint32_t k,
                        real mu)
{
    real least = (real)l->n * COSY_EPSILON * l->value[0];
    for (uint32_t r = 0; r < k; r++)
        step->s[l->freed[r]] = R(0.0);
    for (uint32_t a = 0; a < k; a++) {
        real value = l->value[a];
        if (!(value > least))
            continue;
        real share = l->g[a] * value / (value * value + mu);
        for (uint32_t r = 0; r < k; r++)
            step->s[l->freed[r]] +=
                share * l->v[r + (size_t)a * k] / step->d[l->freed[r]];
    }
}

/* The damping for which the step is as long as the radius, by halving logarithms. */
static real damping(const LeastPlan *l, uint32_t k, real radius)
{
    enum { HALVINGS = 40 };
    real top = l->value[0] * l->value[0];
    real low = cosy_log(top) + R(2.0) * cosy_log(COSY_EPSILON);
    real high = cosy_log(top * COSY_EPSILON * COSY_EPSILON +
                         vector_norm(k, l->g) * l->value[0] / radius);
    for (int i = 0; i < HALVINGS; i++) {
        real middle = (low + high) / R(2.0);
        if (damped_length(l, k, cosy_exp(middle)) > radius)
            low = middle;
        else
            high = middle;
    }
    return cosy_exp(high);
}

static void solve(LeastPlan *l, LeastStep *step)
{
    uint32_t k = decompose(l, step);
    if (k == 0 || !(l->value[0] > R(0.0))) {
        for (uint32_t r = 0; r < k; r++)
            step->s[l->freed[r]] = R(0.0);
        return;
    }
    real used = R(0.0), radius = step->radius;
    for (uint32_t j = 0; j < l->n; j++)
        if (l->fixed[j])
            used += cosy_square(step->d[j] * step->s[j]);
    radius = used < radius * radius ? cosy_sqrt(radius * radius - used)
                                    : R(0.01) * radius;
    if (damped_length(l, k, R(0.0)) <= radius) {
        damped_step(l, step, k, R(0.0));
        return;
    }
    step->whole = false;
    step->mu = damping(l, k, radius);
    damped_step(l, step, k, step->mu);
}

/* ---- Bounds ------------------------------------------------------------------------- */

/* The free parameter that comes first to its bound on the way, if one does, or n. */
static uint32_t first_over(const LeastPlan *l, const LeastStep *step)
{
    uint32_t first = l->n;
    real least = R(1.0);
    for (uint32_t j = 0; j < l->n; j++) {
        real s = step->s[j];
        if (l->fixed[j] || s == R(0.0))
            continue;
        real way = (s > R(0.0) ? l->high[j] : l->low[j]) - step->z[j];
        real share = way / s;
        if (!(share < least))
            continue;
        least = share;
        first = j;
    }
    return first;
}

/* Holds one parameter after the other at the bound that the step would cross, and looks
   for the best of the rest. */
static void step_in_box(LeastPlan *l, LeastStep *step)
{
    step->held = false;
    step->whole = true;
    step->mu = R(0.0);
    for (uint32_t j = 0; j < l->n; j++) {
        step->s[j] = R(0.0);
        l->fixed[j] = j == step->pinned;
    }
    for (;;) {
        solve(l, step);
        uint32_t j = first_over(l, step);
        if (j == l->n)
            return;
        bool up = step->s[j] > R(0.0);
        step->s[j] = (up ? l->high[j] : l->low[j]) - step->z[j];
        l->fixed[j] = step->held = true;
    }
}

/* Steepest descent in scaled parameters to the least of the model, the radius or the
   first bound; `s` gets it. */
static void descend(LeastPlan *l, const LeastStep *step, real *s)
{
    uint32_t n = l->n;
    real way = R(0.0), reach = COSY_INFINITY;
    for (uint32_t j = 0; j < n; j++) {
        real g = R(0.0);
        for (uint32_t i = 0; i <= j; i++)
            g += step->linear->r[i + (size_t)j * n] * step->linear->c[i];
        s[j] = g / step->d[j] / step->d[j];
        real room = (s[j] > R(0.0) ? l->high[j] : l->low[j]) - step->z[j];
        if (j == step->pinned || room == R(0.0))
            s[j] = R(0.0);
        if (s[j] != R(0.0))
            reach = cosy_min(reach, room / s[j]);
        way += g * s[j];
    }
    multiply(l, step->linear, s, l->work);
    real square = cosy_square(vector_norm(n, l->work));
    real length = weighted_length(l, step, s);
    real best = square > R(0.0) ? way / square : R(0.0);
    if (length > R(0.0))
        best = cosy_min(best, step->radius / length);
    best = cosy_min(best, reach);
    for (uint32_t j = 0; j < n; j++)
        s[j] *= best;
}

/* Holding parameters at bounds may spoil a step so that steepest descent is better. */
void least_step(LeastPlan *l, LeastStep *step)
{
    step_in_box(l, step);
    step->steep = false;
    step->predicted = predict(l, step, step->s);
    if (step->held) {
        real *s = l->g;
        descend(l, step, s);
        real other = predict(l, step, s);
        if (step->predicted < R(0.5) * other) {
            memcpy(step->s, s, l->n * sizeof *s);
            step->predicted = other;
            step->whole = false;
            step->steep = true;
        }
    }
    step->length = weighted_length(l, step, step->s);
}

/* ---- Curvature ------------------------------------------------------------------------ */

/* The slopes of the cost by the second derivatives along the step: stack' of them. */
static void gather(const LeastPlan *l, const LeastPoint *x, const real *slope,
                   const real *bend, real *y)
{
    for (uint32_t j = 0; j < l->n; j++) {
        const real *column = slope + (size_t)j * l->results;
        real dp = least_logarithmic(l, j) ? x->p[j] : R(1.0);
        y[j] = R(0.0);
        for (uint32_t k = 0; k < l->m; k++)
            y[j] += column[k] * dp * bend[k];
    }
}

/* Second derivatives of the predictions along the step, by their variances. */
static void find_bend(const LeastPlan *l, const LeastPoint *x,
                      const real *slope, const real *out, real way,
                      const real *s)
{
    real *bend = l->side;
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        real sd = least_sd(l, x->out, k), straight = R(0.0);
        if (g != LEAST_KNOWN)
            sd *= cosy_exp(x->level[g]);
        for (uint32_t j = 0; j < l->n; j++)
            straight += slope[(size_t)j * l->results + k] * s[j] *
                        (least_logarithmic(l, j) ? x->p[j] : R(1.0));
        real rest = out[k] - x->out[k] - way * straight;
        bend[k] = R(2.0) * rest / (way * way) / (sd * sd);
    }
}

/* The second term of the path along which residuals fall straightest: Transtrum and
   Sethna, Improvements to the Levenberg-Marquardt algorithm for nonlinear least-squares
   minimization, 2012, equation (12). */
real least_bend(LeastPlan *l, const LeastPoint *x, const real *slope,
                const real *out, real way, LeastStep *step)
{
    least_step(l, step); // the plan's room holds its singular values again
    real length = R(0.0);
    uint32_t n = l->n, count = 0;
    for (uint32_t j = 0; j < n; j++)
        count += !l->fixed[j];
    find_bend(l, x, slope, out, way, step->s);
    gather(l, x, slope, l->side, l->work2);
    for (uint32_t r = 0; r < count; r++)
        l->work[r] = R(0.0);
    for (uint32_t a = 0; a < count; a++) {
        real value = l->value[a] * l->value[a] + step->mu, share = R(0.0);
        const real *v = l->v + (size_t)a * count;
        for (uint32_t r = 0; r < count; r++)
            share += v[r] * l->work2[l->freed[r]] / step->d[l->freed[r]];
        for (uint32_t r = 0; value > R(0.0) && r < count; r++)
            l->work[r] -= R(0.5) * share / value * v[r];
    }
    for (uint32_t r = 0; r < count; r++) {
        uint32_t j = l->freed[r];
        step->s[j] += l->work[r] / step->d[j];
        length += l->work[r] * l->work[r];
    }
    return cosy_sqrt(length) / step->length;
}
