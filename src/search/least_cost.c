/* What a point costs: residuals in standard deviations, and logarithms of these. */

#include <assert.h>

#include "search/least_own.h"

#define LN_ROOT_2PI R(0.918938533204672741780329736405617639861397)

uint32_t least_group(const LeastPlan *l, uint32_t k)
{
    const LeastProblem *q = l->q;
    if (q->groups == 0)
        return LEAST_KNOWN;
    return q->group == NULL ? 0 : q->group[k];
}

real least_sd(const LeastPlan *l, const real *out, uint32_t k)
{
    const LeastProblem *q = l->q;
    real sd = q->sigma == NULL ? R(1.0) : q->sigma[k];
    return q->noisy ? sd * cosy_exp(out[q->m + k]) : sd;
}

/* The mean square of each group's residuals, at least its floor. */
static void mean_squares(const LeastPlan *l, const real *out)
{
    const LeastProblem *q = l->q;
    for (uint32_t g = 0; g < q->groups; g++)
        l->sum[g] = R(0.0);
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        if (g != LEAST_KNOWN)
            l->sum[g] += cosy_square((q->y[k] - out[k]) / least_sd(l, out, k));
    }
    for (uint32_t g = 0; g < q->groups; g++)
        if (l->count[g] > 0)
            l->sum[g] = cosy_max(l->sum[g] / (real)l->count[g], l->floor[g]);
        else
            l->sum[g] = R(1.0);
}

/* ---- Priors --------------------------------------------------------------------- */

static bool has_prior(const LeastPlan *l, uint32_t i)
{
    return l->q->prior != NULL && l->q->prior[i].sd > R(0.0);
}

/* How far a parameter is from the middle of its prior, upwards. */
static real prior_pull(const LeastPlan *l, uint32_t i, real p)
{
    const LeastPrior *prior = &l->q->prior[i];
    real x = prior->logarithmic ? cosy_log(p) : p;
    return (prior->mean - x) / prior->sd;
}

real least_prior_value(const LeastPlan *l, const real *p)
{
    real value = R(0.0);
    for (uint32_t i = 0; i < l->n; i++)
        if (has_prior(l, i))
            value += cosy_log(l->q->prior[i].sd) + LN_ROOT_2PI +
                     cosy_square(prior_pull(l, i, p[i])) / R(2.0);
    return value;
}

/* The derivative of the prior's variable with respect to the coordinate. */
static real prior_slope(const LeastPlan *l, uint32_t i, real p)
{
    bool prior = l->q->prior[i].logarithmic, own = least_logarithmic(l, i);
    if (prior == own)
        return R(1.0);
    return own ? p : R(1.0) / p;
}

/* ---- Values --------------------------------------------------------------------- */

real least_value(const LeastPlan *l, const real *p, const real *out)
{
    const LeastProblem *q = l->q;
    real value = least_prior_value(l, p);
    mean_squares(l, out);
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        real sd = least_sd(l, out, k);
        real rho = (q->y[k] - out[k]) / sd;
        real square = g == LEAST_KNOWN ? R(1.0) : l->sum[g];
        value += cosy_log(sd) + cosy_log(square) / R(2.0) + LN_ROOT_2PI +
                 rho * rho / square / R(2.0);
    }
    return value;
}

static bool weigh_data(LeastPlan *l, LeastPoint *x)
{
    const LeastProblem *q = l->q;
    real squares = R(0.0), data = R(0.0), extent = R(0.0);
    for (uint32_t g = 0; g < q->groups; g++)
        x->level[g] = l->plain ? R(0.0) : cosy_log(l->sum[g]) / R(2.0);
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        real sd = least_sd(l, x->out, k);
        if (g != LEAST_KNOWN && !l->plain)
            sd *= cosy_sqrt(l->sum[g]);
        x->rho[k] = (q->y[k] - x->out[k]) / sd;
        squares += x->rho[k] * x->rho[k];
        data += cosy_square(q->y[k] / sd);
        extent += cosy_square(x->out[k] / sd);
    }
    x->length = squares;
    x->data = cosy_sqrt(data);
    x->extent = cosy_sqrt(extent + data);
    return cosy_finite(squares) && cosy_finite(extent);
}

bool least_weigh(LeastPlan *l, LeastPoint *x)
{
    mean_squares(l, x->out);
    if (!weigh_data(l, x))
        return false;
    for (uint32_t i = 0; i < l->n; i++) {
        x->pull[i] = has_prior(l, i) ? prior_pull(l, i, x->p[i]) : R(0.0);
        x->length += x->pull[i] * x->pull[i];
    }
    x->length = cosy_sqrt(x->length);
    return cosy_finite(x->length);
}

/* Differences of squares term by term: their sums would hide small ones. */
real least_drop(const LeastPlan *l, const LeastPoint *from,
                const LeastPoint *to)
{
    real squares = R(0.0), logs = R(0.0);
    for (uint32_t k = 0; k < l->m; k++) {
        squares += (from->rho[k] - to->rho[k]) * (from->rho[k] + to->rho[k]);
        if (l->q->noisy)
            logs += from->out[l->m + k] - to->out[l->m + k];
    }
    for (uint32_t i = 0; i < l->n; i++)
        squares +=
            (from->pull[i] - to->pull[i]) * (from->pull[i] + to->pull[i]);
    for (uint32_t g = 0; g < l->q->groups; g++)
        logs += (real)l->count[g] * (from->level[g] - to->level[g]);
    return squares / R(2.0) + logs;
}

/* ---- Slopes --------------------------------------------------------------------- */

Status least_linear_make(const LeastPlan *l, LeastLinear *x)
{
    real **const ofn[] = {&x->c, &x->norm, &x->reach};
    real **const square[] = {&x->r};
    return least_allot(l->arena, l->n, ofn, LENGTH(ofn)) &&
                   least_allot(l->arena, (size_t)l->n * l->n, square, 1)
               ? STATUS_OK
               : STATUS_MEMORY;
}

void least_linear_copy(const LeastPlan *l, LeastLinear *to,
                       const LeastLinear *from)
{
    memcpy(to->r, from->r, (size_t)l->n * l->n * sizeof *to->r);
    memcpy(to->c, from->c, l->n * sizeof *to->c);
    memcpy(to->norm, from->norm, l->n * sizeof *to->norm);
    memcpy(to->reach, from->reach, l->n * sizeof *to->reach);
}

/* A level takes the mean of its group out of what deviations change by: what is left is
   what they tell about parameters. */
static void centre(LeastPlan *l, real *row)
{
    for (uint32_t g = 0; g < l->q->groups; g++)
        l->mean[g] = R(0.0);
    for (uint32_t k = 0; k < l->m; k++)
        if (least_group(l, k) != LEAST_KNOWN)
            l->mean[least_group(l, k)] += row[k];
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        if (g != LEAST_KNOWN)
            row[k] -= l->mean[g] / (real)l->count[g];
    }
}

static void fill_side(LeastPlan *l, const LeastPoint *x)
{
    real *side = l->side;
    for (uint32_t k = 0; k < l->m; k++) {
        side[k] = x->rho[k];
        if (l->q->noisy)
            side[l->m + k] =
                (x->rho[k] * x->rho[k] - R(1.0)) / cosy_sqrt(R(2.0));
    }
    uint32_t row = l->results;
    for (uint32_t i = 0; i < l->n; i++)
        if (has_prior(l, i))
            side[row++] = x->pull[i];
    assert(row == l->rows);
}

static void fill_column(LeastPlan *l, const LeastPoint *x, uint32_t j,
                        const real *slope)
{
    real *column = l->stack + (size_t)j * l->rows;
    real dp = least_logarithmic(l, j) ? x->p[j] : R(1.0);
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        real sd = least_sd(l, x->out, k);
        if (g != LEAST_KNOWN)
            sd *= cosy_exp(x->level[g]);
        column[k] = slope[k] * dp / sd;
    }
    for (uint32_t k = l->m; k < l->results; k++)
        column[k] = cosy_sqrt(R(2.0)) * slope[k] * dp;
    if (l->q->noisy && l->q->groups > 0)
        centre(l, column + l->m);
    uint32_t row = l->results;
    for (uint32_t i = 0; i < l->n; i++)
        if (has_prior(l, i))
            column[row++] = i == j
                                ? prior_slope(l, i, x->p[i]) / l->q->prior[i].sd
                                : R(0.0);
}

/* Squares of small numbers must not vanish. Infinite where a number is not finite. */
static real length_of(const real *x, uint32_t n)
{
    real sum = R(0.0), size = R(0.0);
    for (uint32_t k = 0; k < n; k++) {
        if (!cosy_finite(x[k]))
            return COSY_INFINITY;
        size = cosy_max(size, cosy_abs(x[k]));
    }
    if (size == R(0.0))
        return size;
    for (uint32_t k = 0; k < n; k++)
        sum += cosy_square(x[k] / size);
    return size * cosy_sqrt(sum);
}

/* Far enough from the largest number. */
static bool is_moderate(real square)
{
    return cosy_finite(square * R(1e6));
}

bool least_usable(const LeastPlan *l, const LeastPoint *x, const real *slope)
{
    real sum = R(0.0);
    for (uint32_t k = 0; k < l->results; k++) {
        real sd = k < l->m ? least_sd(l, x->out, k) : R(1.0);
        if (k < l->m && least_group(l, k) != LEAST_KNOWN)
            sd *= cosy_exp(x->level[least_group(l, k)]);
        for (uint32_t j = 0; j < l->n; j++) {
            real dp = least_logarithmic(l, j) ? x->p[j] : R(1.0);
            sum += cosy_square(slope[(size_t)k * l->n + j] * dp / sd);
        }
    }
    return is_moderate(sum);
}

/* Reflects what follows row j of a column by the vector v, |v|^2 = square (Householder
   1958). */
static void reflect(const real *v, real square, real *x, uint32_t n)
{
    real dot = R(0.0);
    for (uint32_t k = 0; k < n; k++)
        dot += v[k] * x[k];
    dot *= R(2.0) / square;
    for (uint32_t k = 0; k < n; k++)
        x[k] -= dot * v[k];
}

/* The triangle, by reflections. */
static void make_triangle(LeastPlan *l)
{
    uint32_t rows = l->rows, n = l->n;
    for (uint32_t j = 0; j < n && j < rows; j++) {
        real *v = l->stack + (size_t)j * rows + j;
        real length = length_of(v, rows - j), top = v[0];
        if (!(length > R(0.0)))
            continue;
        real diagonal = top > R(0.0) ? -length : length;
        v[0] = top - diagonal;
        for (uint32_t k = 0; k < rows - j; k++)
            v[k] /= length;
        real square = cosy_square(length_of(v, rows - j));
        for (uint32_t i = j + 1; i < n; i++)
            reflect(v, square, l->stack + (size_t)i * rows + j, rows - j);
        reflect(v, square, l->side + j, rows - j);
        v[0] = diagonal;
    }
}

bool least_linearise(LeastPlan *l, const LeastPoint *x, const real *slope,
                     LeastLinear *linear)
{
    uint32_t rows = l->rows, n = l->n;
    bool finite = true;
    for (uint32_t j = 0; j < n; j++) {
        const real *column = l->stack + (size_t)j * rows;
        fill_column(l, x, j, slope + (size_t)j * l->results);
        linear->norm[j] = length_of(column, rows);
        linear->reach[j] = length_of(column, l->results);
        finite = finite && is_moderate(cosy_square(linear->norm[j]));
    }
    fill_side(l, x);
    if (!finite || !is_moderate(cosy_square(length_of(l->side, rows))))
        return false;
    make_triangle(l);
    memset(linear->r, 0, (size_t)n * n * sizeof *linear->r);
    memset(linear->c, 0, n * sizeof *linear->c);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t i = 0; i <= j && i < rows; i++)
            linear->r[i + (size_t)j * n] = l->stack[i + (size_t)j * rows];
    for (uint32_t i = 0; i < n && i < rows; i++)
        linear->c[i] = l->side[i];
    return true;
}
