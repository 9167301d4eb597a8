#include "search/indices.h"

#include <assert.h>

/* Half of a 95 % interval, in standard errors. */
static const real WIDTH = R(1.959963984540054235524594430520551);

/* ---- The design ------------------------------------------------------------------ */

PointPlan design_plan(const IndexDesign *d)
{
    PointPlan plan = {d->kind, 2 * d->parameters, d->rows, d->seed};
    return plan;
}

uint64_t design_points(const IndexDesign *d)
{
    return d->rows * (d->parameters + UINT64_C(2));
}

void design_pick(const IndexDesign *d, uint32_t which, const real *row, real *u)
{
    uint32_t k = d->parameters;
    for (uint32_t i = 0; i < k; i++)
        u[i] = which == 1 || which == i + 2 ? row[k + i] : row[i];
}

void design_point(const IndexDesign *d, uint64_t number, real *u, real *scratch)
{
    uint32_t k = d->parameters;
    PointPlan plan = design_plan(d);
    assert(number < design_points(d));
    points_at(&plan, number / (k + UINT64_C(2)), scratch);
    design_pick(d, (uint32_t)(number % (k + UINT64_C(2))), scratch, u);
}

/* ---- Quotients of means ------------------------------------------------------------ */

/* Gathers pairs (x, y) for mean(x) / mean(y) and its standard error. */
typedef struct Quotient {
    uint64_t n;
    real x, y, xx, xy, yy;
} Quotient;

static void quotient_add(Quotient *q, real x, real y)
{
    q->n++;
    q->x += x;
    q->y += y;
    q->xx += x * x;
    q->xy += x * y;
    q->yy += y * y;
}

/* The variance of x - r y over the mean of y is that of the quotient. */
static real quotient_of(const Quotient *q, real *half)
{
    if (q->n < 2 || !(q->y > R(0.0))) {
        *half = COSY_NAN;
        return COSY_NAN;
    }
    real n = (real)q->n, r = q->x / q->y, y = q->y / n;
    real square = q->xx - R(2.0) * r * q->xy + r * r * q->yy;
    real variance = cosy_max(square / (n - R(1.0)), R(0.0));
    *half = WIDTH * cosy_sqrt(variance / n) / y;
    return r;
}

/* ---- Indices ------------------------------------------------------------------------ */

static void summarise(const IndexDesign *d, const real *result, IndexSummary *s)
{
    uint64_t n = 0, width = d->parameters + UINT64_C(2);
    real mean = R(0.0), square = R(0.0), first = COSY_NAN;
    *s = (IndexSummary){.constant = true};
    for (uint64_t k = 0; k < design_points(d); k++) {
        real y = result[k];
        if (!cosy_finite(y)) {
            s->left_out++;
            continue;
        }
        if (!cosy_finite(first))
            first = y;
        s->constant = s->constant && y == first;
        if (k % width > 1)
            continue;
        real away = y - mean; // Welford's recurrence
        mean += away / (real)++n;
        square += away * (y - mean);
    }
    s->mean = n > 0 ? mean : COSY_NAN;
    s->variance = n > 1 ? square / ((real)n - R(1.0)) : COSY_NAN;
}

static void find_one(const IndexDesign *d, const real *result, uint32_t i,
                     real mean, SobolIndex *index)
{
    uint64_t width = d->parameters + UINT64_C(2);
    Quotient first = {0}, total = {0};
    for (uint64_t row = 0; row < d->rows; row++) {
        const real *y = result + row * width;
        if (!cosy_finite(y[0]) || !cosy_finite(y[1]) || !cosy_finite(y[i + 2]))
            continue;
        /* Centred, which changes no expectation, and the error much. */
        real a = y[0] - mean, b = y[1] - mean, ab = y[i + 2] - mean;
        real spread = (a * a + b * b) / R(2.0);
        quotient_add(&first, b * (ab - a), spread);
        quotient_add(&total, (a - ab) * (a - ab) / R(2.0), spread);
    }
    index->first = quotient_of(&first, &index->first_half);
    index->total = quotient_of(&total, &index->total_half);
    index->rows = first.n;
}

void indices_find(const IndexDesign *d, const real *result, SobolIndex *index,
                  IndexSummary *summary)
{
    summarise(d, result, summary);
    for (uint32_t i = 0; i < d->parameters; i++) {
        find_one(d, result, i, summary->mean, &index[i]);
        if (summary->constant)
            index[i] = (SobolIndex){COSY_NAN, COSY_NAN, COSY_NAN, COSY_NAN,
                                    index[i].rows};
    }
}

/* ---- Samples ------------------------------------------------------------------------- */

static bool counts(const real *x, const real *weight, uint64_t k)
{
    return cosy_finite(x[k]) &&
           (weight == NULL || (weight[k] > R(0.0) && cosy_finite(weight[k])));
}

void sample_measure(uint64_t n, const real *x, const real *weight,
                    SampleMeasures *m)
{
    real sum = R(0.0), squares = R(0.0), mean = R(0.0), spread = R(0.0);
    *m = (SampleMeasures){.least = COSY_INFINITY, .greatest = -COSY_INFINITY};
    for (uint64_t k = 0; k < n; k++) {
        if (!counts(x, weight, k)) {
            m->left_out++;
            continue;
        }
        real w = weight == NULL ? R(1.0) : weight[k];
        real away = x[k] - mean;
        m->n++;
        sum += w;
        squares += w * w;
        mean += away * w / sum;
        spread += w * away * (x[k] - mean);
        m->least = cosy_min(m->least, x[k]);
        m->greatest = cosy_max(m->greatest, x[k]);
    }
    m->effective = m->n > 0 ? sum * sum / squares : R(0.0);
    m->mean = m->n > 0 ? mean : COSY_NAN;
    bool spreads = m->n > 1 && sum - squares / sum > R(0.0);
    m->sd = spreads ? cosy_sqrt(spread / (sum - squares / sum)) : COSY_NAN;
    m->error = spreads ? m->sd / cosy_sqrt(m->effective) : COSY_NAN;
}

/* Before in the order of sample_sort. Weights decide between equal values, so that
   the order does not depend on how the sample was arranged. */
static bool before(const real *x, const real *weight, uint64_t a, uint64_t b)
{
    bool first = counts(x, weight, a), second = counts(x, weight, b);
    if (!first || !second)
        return first && !second;
    if (x[a] != x[b])
        return x[a] < x[b];
    return weight != NULL && weight[a] < weight[b];
}

static void swap(real *x, uint64_t a, uint64_t b)
{
    real kept = x[a];
    x[a] = x[b];
    x[b] = kept;
}

static void swap_pairs(real *x, real *weight, uint64_t a, uint64_t b)
{
    swap(x, a, b);
    if (weight != NULL)
        swap(weight, a, b);
}

/* Moves pair `at` down a heap whose greatest pair is its root. */
static void sink(real *x, real *weight, uint64_t at, uint64_t n)
{
    for (;;) {
        uint64_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && before(x, weight, child, child + 1))
            child++;
        if (!before(x, weight, at, child))
            return;
        swap_pairs(x, weight, at, child);
        at = child;
    }
}

uint64_t sample_sort(uint64_t n, real *x, real *weight)
{
    uint64_t taken = 0;
    for (uint64_t k = n / 2; k-- > 0;)
        sink(x, weight, k, n);
    for (uint64_t k = n; k-- > 1;) {
        swap_pairs(x, weight, 0, k);
        sink(x, weight, 0, k);
    }
    while (taken < n && counts(x, weight, taken))
        taken++;
    return taken;
}

real sample_quantile(uint64_t n, const real *x, const real *weight, real q)
{
    if (n == 0)
        return COSY_NAN;
    assert(q >= R(0.0) && q <= R(1.0));
    if (weight == NULL) {
        real place = q * (real)(n - 1);
        uint64_t k = (uint64_t)place;
        real share = place - (real)k;
        return k + 1 < n ? x[k] + share * (x[k + 1] - x[k]) : x[n - 1];
    }
    /* From the middle of the first weight to that of the last. */
    real sum = -(weight[0] + weight[n - 1]) / R(2.0);
    for (uint64_t k = 0; k < n; k++)
        sum += weight[k];
    real place = q * sum;
    for (uint64_t k = 0; k + 1 < n; k++) {
        real step = (weight[k] + weight[k + 1]) / R(2.0);
        if (place < step)
            return x[k] + place / step * (x[k + 1] - x[k]);
        place -= step;
    }
    return x[n - 1];
}
