#include "stats/batch.h"

#include "stats/student.h"

/* Batch means, and what is known about them. */
typedef struct Batches {
    real x[BATCH_MOST];
    uint32_t n;
    real variance;    // of one batch
    real correlation; // of neighbours: 1 - von Neumann's ratio / 2
    real skewness;
} Batches;

/* Joins `size` neighbours at a time into their mean. */
static void take(Batches *b, const real *batch, uint32_t n, uint32_t size)
{
    b->n = n / size;
    for (uint32_t k = 0; k < b->n; k++) {
        real sum = R(0.0);
        for (uint32_t j = 0; j < size; j++)
            sum += batch[k * size + j];
        b->x[k] = sum / (real)size;
    }
}

/* Means that differ by their rounding only, as those of an alternating quantity
   do, say nothing of correlation or skewness. */
static void describe(Batches *b)
{
    const real n = (real)b->n, rounding = R(64.0) * COSY_EPSILON;
    real mean = R(0.0), square = R(0.0), cube = R(0.0), step = R(0.0);
    real largest = R(0.0);
    for (uint32_t k = 0; k < b->n; k++) {
        mean += b->x[k] / n;
        largest = cosy_max(largest, cosy_abs(b->x[k]));
    }
    for (uint32_t k = 0; k < b->n; k++) {
        real off = b->x[k] - mean;
        square += off * off;
        cube += off * off * off;
        if (k > 0)
            step += cosy_square(b->x[k] - b->x[k - 1]);
    }
    b->variance = square / (n - R(1.0));
    if (!(square > n * cosy_square(rounding * largest))) {
        b->correlation = b->skewness = R(0.0);
        return;
    }
    real sd = cosy_sqrt(b->variance);
    b->correlation = R(1.0) - step / (R(2.0) * square);
    b->skewness = n / ((n - R(1.0)) * (n - R(2.0))) * cube / (sd * sd * sd);
}

/* A one-sided test at 10 %. */
static bool are_correlated(const Batches *b)
{
    const real n = (real)b->n, normal = R(1.2815515655446004);
    return b->correlation > normal * cosy_sqrt((n - R(2.0)) / (n * n - R(1.0)));
}

/* Willink's G: what t becomes if the batches are skewed. */
static real skewed(real t, real beta)
{
    if (cosy_abs(beta) < R(1e-6))
        return t;
    real cube = R(1.0) + R(6.0) * beta * (t - beta);
    return (cosy_cbrt(cube) - R(1.0)) / (R(2.0) * beta);
}

static BatchInterval interval(const Batches *b, real mean)
{
    const real n = (real)b->n;
    real rest =
        cosy_max(b->correlation + R(1.0) / n, R(0.0)); // 1/n corrects its bias
    rest = cosy_min(rest, R(0.8));
    real longer = (R(1.0) + rest) / (R(1.0) - rest);
    real freedom = cosy_max(n / longer - R(1.0), R(1.0));
    real t = student_95((uint64_t)freedom);
    real error = cosy_sqrt(b->variance * longer / n);
    real beta = b->skewness / (R(6.0) * cosy_sqrt(n));
    return (BatchInterval){.low = mean - skewed(t, beta) * error,
                           .high = mean - skewed(-t, beta) * error,
                           .batches = b->n,
                           .correlation = b->correlation,
                           .known = true};
}

BatchInterval batch_interval(const real *batch, uint32_t n, real mean)
{
    Batches b = {0};
    uint32_t size = 1;
    if (n < BATCH_LEAST)
        return (BatchInterval){0};
    while (n / size > BATCH_MOST)
        size *= 2;
    for (; n / size >= BATCH_FEWEST; size *= 2) {
        take(&b, batch, n, size);
        describe(&b);
        if (!are_correlated(&b))
            return interval(&b, mean);
    }
    return (BatchInterval){.correlation = b.correlation, .known = true};
}
