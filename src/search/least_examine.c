/* What the data say about the parameters, by the linear theory at the optimum. */

#include <assert.h>

#include "search/least_own.h"
#include "search/svd.h"

/* ---- Student's distribution -------------------------------------------------------- */

/* The probability of |T| < t with `freedom` degrees, by the finite series in the cosine
   of the angle (Abramowitz and Stegun 26.7.3 and 26.7.4). */
static real student_inside(real t, uint32_t freedom)
{
    const real pi = R(3.14159265358979323846264338327950288419717);
    real angle = cosy_atan(t / cosy_sqrt((real)freedom));
    real c = cosy_cos(angle), s = cosy_sin(angle);
    bool odd = freedom % 2 == 1;
    real term = odd ? c : R(1.0), sum = freedom > 1 ? term : R(0.0);
    for (uint32_t k = odd ? 3 : 2; k < freedom; k += 2) {
        term *= c * c * ((real)k - R(1.0)) / (real)k;
        sum += term;
    }
    if (!odd)
        return s * sum;
    return R(2.0) / pi * (angle + s * sum);
}

#define NORMAL R(1.95996398454005423552459443052055152795555)

/* For many degrees the first terms of the expansion by Cornish and Fisher (Abramowitz
   and Stegun 26.7.5) are exact enough. */
static real student_far(real freedom)
{
    real x = NORMAL, x2 = x * x;
    real first = x * (x2 + R(1.0)) / R(4.0);
    real second = x * ((R(5.0) * x2 + R(16.0)) * x2 + R(3.0)) / R(96.0);
    real third = x * (((R(3.0) * x2 + R(19.0)) * x2 + R(17.0)) * x2 - R(15.0)) /
                 R(384.0);
    return x + (first + (second + third / freedom) / freedom) / freedom;
}

real least_quantile(real freedom)
{
    enum { FAR = 20000, HALVINGS = 120 };
    if (!(freedom >= R(1.0)))
        return COSY_NAN;
    if (!cosy_finite(freedom))
        return NORMAL;
    if (freedom > (real)FAR)
        return student_far(freedom);
    real low = R(1.0), high = R(13.0);
    for (int k = 0; k < HALVINGS; k++) {
        real middle = (low + high) / R(2.0);
        if (middle <= low || middle >= high)
            break;
        if (student_inside(middle, (uint32_t)freedom) < R(0.95))
            low = middle;
        else
            high = middle;
    }
    return (low + high) / R(2.0);
}

/* ---- The point ------------------------------------------------------------------------ */

typedef struct Study {
    LeastPlan *l;
    const LeastSeat *s;
    LeastAnswer *x;
    real factor; // by which standard deviations are larger than at the point
    bool all;    // every datum belongs to a group
    uint32_t free;
    real *covariance;
} Study;

/* Relative to their size, slopes are known so well. */
static real slope_error(const Study *y)
{
    real noise = y->l->noise;
    if (y->l->sloped)
        return noise * R(10.0);
    return cosy_pow(noise, y->s->central ? R(2.0) / R(3.0) : R(0.5));
}

static void count_freedom(Study *y)
{
    LeastPlan *l = y->l;
    LeastAnswer *x = y->x;
    uint32_t grouped = 0, fitted = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        bool prior = l->q->prior != NULL && l->q->prior[i].sd > R(0.0);
        x->at[i] = space_at(&l->space, i, x->p[i]);
        fitted += x->at[i] == 0 && !prior;
        y->free += x->at[i] == 0;
    }
    for (uint32_t g = 0; g < l->q->groups; g++)
        grouped += l->count[g];
    y->all = l->q->groups > 0 && grouped == l->m;
    x->freedom = l->m > fitted ? (real)(l->m - fitted) : R(0.0);
}

static void measure_squares(Study *y)
{
    const LeastProblem *q = y->l->q;
    LeastAnswer *x = y->x;
    real weights = R(0.0), mean = R(0.0), about = R(0.0), plain = R(0.0);
    x->squares = R(0.0);
    for (uint32_t k = 0; k < q->m; k++) {
        real sigma = q->sigma == NULL ? R(1.0) : q->sigma[k];
        real weight = R(1.0) / (sigma * sigma);
        x->prediction[k] = y->s->here.out[k];
        x->residual[k] = q->y[k] - x->prediction[k];
        x->squares += weight * cosy_square(x->residual[k]);
        plain += cosy_square(x->residual[k]);
        weights += weight;
        mean += weight * q->y[k];
    }
    mean /= weights;
    for (uint32_t k = 0; k < q->m; k++) {
        real sigma = q->sigma == NULL ? R(1.0) : q->sigma[k];
        about += cosy_square((q->y[k] - mean) / sigma);
    }
    x->rms = cosy_sqrt(plain / (real)q->m);
    x->r2 = about > R(0.0) ? R(1.0) - x->squares / about : COSY_NAN;
    x->scale =
        x->freedom > R(0.0) ? cosy_sqrt(x->squares / x->freedom) : COSY_NAN;
}

/* Levels with their degrees of freedom, and the factor that this is by. */
static void find_levels(Study *y)
{
    LeastPlan *l = y->l;
    LeastAnswer *x = y->x;
    (void)least_value(l, x->p, y->s->here.out); // mean squares of the groups
    y->factor = R(1.0);
    if (y->all)
        y->factor =
            x->freedom > R(0.0) ? cosy_sqrt((real)l->m / x->freedom) : COSY_NAN;
    for (uint32_t g = 0; g < l->q->groups; g++) {
        x->level[g] = cosy_sqrt(l->sum[g]) * y->factor;
        x->floored[g] = l->sum[g] <= l->floor[g];
    }
    if (l->plain && y->all)
        y->factor = x->level[0];
    for (uint32_t k = 0; k < l->m; k++) {
        uint32_t g = least_group(l, k);
        x->sd[k] = least_sd(l, y->s->here.out, k);
        if (g != LEAST_KNOWN)
            x->sd[k] *= x->level[g];
        x->rho[k] = x->residual[k] / x->sd[k];
    }
}

/* ---- Directions ------------------------------------------------------------------------ */

#define BOUNDLESS R(1e4) // a deviation by the size of its parameter

/* Free columns of the triangle times `size`; singular values by the plan's room. */
static void decompose(const Study *y, const real *size)
{
    LeastPlan *l = y->l;
    uint32_t n = l->n, k = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (y->x->at[j] != 0)
            continue;
        for (uint32_t i = 0; i < n; i++)
            l->u[i + (size_t)k * n] =
                y->s->linear.r[i + (size_t)j * n] * size[j];
        l->freed[k++] = j;
    }
    assert(k == y->free);
    if (k > 0)
        svd_make(n, k, l->u, l->value, l->v);
}

static void find_idle(Study *y)
{
    LeastPlan *l = y->l;
    for (uint32_t j = 0; j < l->n; j++) {
        real z = least_coordinate(l, j, y->x->p[j]);
        real effect = y->s->linear.reach[j] * least_typical(l, j, z);
        y->x->idle[j] = !(effect > slope_error(y) * y->s->here.extent);
    }
}

/* A deviation of ten thousand times the size of a parameter, or more, along one
   direction: no digit is known, whatever rounding has left. */
static void find_boundless(const Study *y, uint32_t a, const real *size)
{
    const LeastPlan *l = y->l;
    const real *v = l->v + (size_t)a * y->free;
    for (uint32_t r = 0; r < y->free; r++) {
        uint32_t j = l->freed[r];
        real z = least_coordinate(l, j, y->x->p[j]);
        real deviation = cosy_abs(v[r]) * size[j] * y->factor / l->value[a];
        if (deviation > BOUNDLESS * least_typical(l, j, z))
            y->x->determined[j] = false;
    }
}

static void add_covariance(const Study *y, uint32_t a, const real *size)
{
    const LeastPlan *l = y->l;
    const real *v = l->v + (size_t)a * y->free;
    real square = cosy_square(y->factor / l->value[a]);
    for (uint32_t r = 0; r < y->free; r++)
        for (uint32_t c = 0; c < y->free; c++) {
            uint32_t i = l->freed[r], j = l->freed[c];
            y->covariance[i + (size_t)j * l->n] +=
                v[r] * v[c] * size[i] * size[j] * square;
        }
}

/* Columns are measured by their lengths: what is open does not depend on units. */
static void find_covariance(Study *y)
{
    LeastPlan *l = y->l;
    uint32_t n = l->n, k = y->free;
    real *size = l->work;
    for (uint32_t j = 0; j < n; j++) {
        real norm = y->s->linear.norm[j];
        size[j] = norm > R(0.0) ? R(1.0) / norm : R(1.0);
        if (y->x->idle[j] && norm == y->s->linear.reach[j])
            size[j] = R(0.0);
        y->x->determined[j] = true;
    }
    decompose(y, size);
    real least = (real)n * slope_error(y) * (k > 0 ? l->value[0] : R(0.0));
    for (uint32_t a = 0; a < k; a++) {
        const real *v = l->v + (size_t)a * k;
        if (l->value[a] > least) {
            find_boundless(y, a, size);
            add_covariance(y, a, size);
            continue;
        }
        y->x->open++;
        for (uint32_t r = 0; r < k; r++)
            if (cosy_abs(v[r]) > R(0.05))
                y->x->determined[l->freed[r]] = false;
    }
}

static void find_directions(Study *y)
{
    LeastPlan *l = y->l;
    LeastAnswer *x = y->x;
    uint32_t n = l->n, k = y->free, far = 0, boundless = 0;
    bool measured = cosy_finite(y->factor) && y->factor > R(0.0);
    real *size = l->work;
    for (uint32_t j = 0; j < n; j++) {
        real z = least_coordinate(l, j, x->p[j]);
        size[j] = least_typical(l, j, z) / y->factor;
        if (!cosy_finite(size[j] * y->s->linear.norm[j]))
            size[j] = R(0.0);
    }
    decompose(y, size);
    for (uint32_t a = 0; a < n; a++) {
        x->eigenvalue[a] = a < k && cosy_finite(y->factor)
                               ? l->value[a] * l->value[a]
                               : COSY_NAN;
        far += a < k && l->value[a] < R(1.0);
        boundless += a < k && measured && l->value[a] * BOUNDLESS < R(1.0);
        for (uint32_t j = 0; j < n; j++)
            x->direction[(size_t)a * n + j] = a < k ? R(0.0) : COSY_NAN;
        for (uint32_t r = 0; a < k && r < k; r++)
            x->direction[(size_t)a * n + l->freed[r]] = l->v[r + (size_t)a * k];
    }
    x->open = boundless > x->open ? boundless : x->open;
    x->weak = far > x->open ? far - x->open : 0;
}

/* ---- Errors ------------------------------------------------------------------------------ */

static void find_error(Study *y, uint32_t i)
{
    LeastPlan *l = y->l;
    LeastAnswer *x = y->x;
    real z = least_coordinate(l, i, x->p[i]);
    real error = cosy_sqrt(y->covariance[i + (size_t)i * l->n]);
    bool logarithm = least_logarithmic(l, i);
    if (x->at[i] != 0 || !x->determined[i] || !cosy_finite(error))
        return;
    x->error[i] = logarithm ? error * x->p[i] : error;
    real low = z - x->quantile * error, high = z + x->quantile * error;
    x->low[i] = logarithm ? cosy_exp(low) : low;
    x->high[i] = logarithm ? cosy_exp(high) : high;
}

static void find_correlations(Study *y)
{
    uint32_t n = y->l->n;
    const LeastAnswer *x = y->x;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            real product = y->covariance[i + (size_t)i * n] *
                           y->covariance[j + (size_t)j * n];
            if (!cosy_finite(x->error[i]) || !cosy_finite(x->error[j]))
                continue;
            x->correlation[(size_t)i * n + j] =
                i == j ? R(1.0)
                       : y->covariance[i + (size_t)j * n] / cosy_sqrt(product);
        }
}

/* How far the last step would still go, by the standard errors. */
static void find_offset(Study *y)
{
    real deviation = y->factor;
    if (cosy_finite(deviation) && deviation > R(0.0))
        y->x->offset = y->s->decrement / deviation;
}

static void clear(const LeastPlan *l, LeastAnswer *x)
{
    uint32_t n = l->n;
    x->nll = x->squares = x->scale = x->r2 = x->rms = COSY_NAN;
    x->freedom = x->quantile = x->offset = COSY_NAN;
    for (uint32_t i = 0; i < n; i++) {
        x->error[i] = x->low[i] = x->high[i] = x->eigenvalue[i] = COSY_NAN;
        if (!x->found)
            x->p[i] = l->q->start != NULL ? l->q->start[i] : COSY_NAN;
    }
    for (size_t i = 0; i < (size_t)n * n; i++)
        x->correlation[i] = x->direction[i] = COSY_NAN;
    for (uint32_t k = 0; k < l->m; k++)
        x->prediction[k] = x->residual[k] = x->sd[k] = x->rho[k] = COSY_NAN;
    for (uint32_t g = 0; g < l->q->groups; g++)
        x->level[g] = COSY_NAN;
    if (!x->found)
        x->value = COSY_NAN;
}

/* A parameter at a bound, an open direction: the search has ended well, but that is to
   be told. */
static void name_end(LeastAnswer *x, uint32_t n)
{
    if (x->end != LEAST_FOUND)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (x->at[i] != 0)
            x->end = LEAST_AT_BOUND;
    if (x->open > 0)
        x->end = LEAST_FLAT;
}

/* Parameters that have gone far from where they began, in an open or weak direction. */
static void find_endless(const Study *y)
{
    const LeastPlan *l = y->l;
    LeastAnswer *x = y->x;
    if ((x->end != LEAST_FOUND && x->end != LEAST_FLAT) ||
        x->open + x->weak == 0 || l->q->start == NULL || x->starts > 1)
        return;
    for (uint32_t i = 0; i < l->n; i++) {
        real far = R(1e5) * cosy_max(cosy_abs(l->q->start[i]),
                                     l->space.scale != NULL ? l->space.scale[i]
                                                            : R(0.0));
        bool weak = !x->determined[i] || !(x->error[i] < cosy_abs(x->p[i]));
        if (weak && far > R(0.0) && cosy_abs(x->p[i]) > far)
            x->end = LEAST_ENDLESS;
    }
}

Status least_examine(LeastPlan *l, const LeastSeat *s, LeastAnswer *x)
{
    Study y = {.l = l, .s = s, .x = x};
    clear(l, x);
    if (!x->found)
        return STATUS_OK;
    y.covariance = NEW_ARRAY(l->arena, real, (size_t)l->n * l->n);
    if (y.covariance == NULL)
        return STATUS_MEMORY;
    memcpy(x->p, s->here.p, l->n * sizeof *x->p);
    count_freedom(&y);
    measure_squares(&y);
    find_levels(&y);
    x->nll = x->value - least_prior_value(l, x->p);
    x->quantile = least_quantile(y.all ? x->freedom : COSY_INFINITY);
    if (!s->known)
        return STATUS_OK;
    find_idle(&y);
    find_covariance(&y);
    for (uint32_t i = 0; i < l->n; i++)
        find_error(&y, i);
    find_correlations(&y);
    find_directions(&y);
    find_offset(&y);
    name_end(x, l->n);
    find_endless(&y);
    return STATUS_OK;
}
