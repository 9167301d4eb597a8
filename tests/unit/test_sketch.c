/* Quantiles of a sketch against those of the sorted data. */

#include "stats/sketch.h"

#include <stdlib.h>

#include "chance.h"
#include "check.h"

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smallest value that a share of all does not exceed. */
static double exact(const double *sorted, size_t n, double share)
{
    size_t rank = (size_t)ceil(share * (double)n);
    return sorted[rank > 0 ? rank - 1 : 0];
}

static const double shares[] = {0.001, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999, 1.0};

static void compare_all(double *x, size_t n, double tolerance)
{
    SketchHead h = {0};
    Vector octaves = {0};
    for (size_t k = 0; k < n; k++)
        CHECK(sketch_add(&h, &octaves, x[k]));
    qsort(x, n, sizeof *x, compare);
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        double wanted = exact(x, n, shares[k]);
        double found = sketch_quantile(&h, &octaves, shares[k]);
        CHECK(fabs(found - wanted) <= tolerance * fabs(wanted));
    }
    CHECK(h.n == n && h.min == x[0] && h.max == x[n - 1]);
    CHECK(octaves.used <= 200 * sizeof(SketchOctave));
    vector_free(&octaves);
}

static void test_accuracy(void)
{
    enum { N = 5000 };
    static double x[N];
    for (unsigned run = 0; run < 20; run++) {
        Chance c = chance_begin(run);
        for (int k = 0; k < N; k++)
            x[k] = exponential(&c);
        compare_all(x, N, 1.0 / 128);
        for (int k = 0; k < N; k++)
            x[k] = 1e3 * normal(&c);
        compare_all(x, N, 1.0 / 128);
        for (int k = 0; k < N; k++)
            x[k] = exp(20.0 * normal(&c));
        compare_all(x, N, 1.0 / 128);
        for (int k = 0; k < N; k++) // whole numbers, many of them zero
            x[k] = floor(fmax(0.0, 60.0 * normal(&c)));
        compare_all(x, N, 0.0);
        for (int k = 0; k < N; k++)
            x[k] = -floor(100.0 * uniform(&c));
        compare_all(x, N, 0.0);
    }
    double one = -7.25;
    compare_all(&one, 1, 0.0);
}

/* Two halves merged are the whole, whatever the order. */
static void test_merge(void)
{
    SketchHead all = {0}, half[2] = {{0}, {0}}, sum = {0};
    Vector o = {0}, part[2] = {{0}, {0}}, s = {0};
    Chance c = chance_begin(1);
    for (int k = 0; k < 3000; k++) {
        double x = normal(&c) * exp(5.0 * normal(&c));
        CHECK(sketch_add(&all, &o, x));
        CHECK(sketch_add(&half[k % 2], &part[k % 2], x));
    }
    CHECK(sketch_merge(&sum, &s, &half[1], &part[1]));
    CHECK(sketch_merge(&sum, &s, &half[0], &part[0]));
    for (int k = 1; k <= 100; k++)
        CHECK(sketch_quantile(&sum, &s, k / 100.0) ==
              sketch_quantile(&all, &o, k / 100.0));
    CHECK(sum.n == all.n && sum.min == all.min && sum.max == all.max);
    vector_free(&o);
    vector_free(&part[0]);
    vector_free(&part[1]);
    vector_free(&s);
}

static void test_nothing(void)
{
    SketchHead h = {0};
    Vector o = {0};
    CHECK(isnan(sketch_quantile(&h, &o, 0.5)));
}

int main(void)
{
    test_accuracy();
    test_merge();
    test_nothing();
    return check_end();
}
