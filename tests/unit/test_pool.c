/* Histograms of several runs together, against counting all values at once. */

#include "stats/pool.h"

#include <math.h>

#include "chance.h"
#include "check.h"
#include "host.h"
#include "stats/figures.h"

static const CosyHistogramInfo histograms[] = {{.name = "X", .line = 1}};
static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_histograms = 1,
                                .histograms = histograms};

typedef struct Limits {
    real cells, first, width; // NaN: open
    double spread;            // the second run spreads that much more
    bool exact;
} Limits;

static uint64_t count_all(const CosyHistogram *h)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < h->cells + 2; k++)
        n += h->count[k];
    return n;
}

/* How many of the values are up to `limit`. */
static uint64_t count_values(const double *x, size_t n, double limit)
{
    uint64_t count = 0;
    for (size_t k = 0; k < n; k++)
        count += x[k] <= limit;
    return count;
}

/* The pooled counts up to every limit; what is divided within a cell may be off by
   what that cell holds. */
static void compare_counts(const CosyHistogram *h, const double *x, size_t n,
                           double off)
{
    uint64_t sum = 0;
    CHECK(count_all(h) == n);
    for (uint32_t k = 0; k <= h->cells; k++) {
        double limit = (double)(h->first + (real)k * h->width);
        sum += h->count[k];
        double wanted = (double)count_values(x, n, limit);
        CHECK(fabs((double)sum - wanted) <= off * (double)n);
    }
}

static void pool_runs_of(const Limits *l, unsigned seed)
{
    enum { RUNS = 4, N = 2000 };
    static double x[RUNS * N];
    CosyHistogram pool = {0};
    Host host;
    Cosy *c = host_open(&host, &model);
    Chance chance = chance_begin(seed);
    for (int run = 0; run < RUNS; run++) {
        observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, l->cells, l->first,
                    l->width);
        host_reset(c);
        double scale = 1.0 + l->spread * run;
        for (int k = 0; k < N; k++) {
            x[run * N + k] = scale * normal(&chance);
            CHECK(cosy_histogram(c, 0, (real)x[run * N + k]) == COSY_OK);
        }
        CosyHistogram h = figures_histogram(c, 0);
        pool_merge(&pool, &h);
    }
    compare_counts(&pool, x, RUNS * N, l->exact ? 0.0 : 0.03);
    host_close(&host);
}

static void test_limits(void)
{
    static const Limits row[] = {
        {R(20.0), R(-2.0), R(0.2), 0.0, true},
        {R(20.0), R(-2.0), (real)NAN, 0.0, false},
        {R(20.0), (real)NAN, R(0.5), 0.0, false},
        {R(20.0), (real)NAN, (real)NAN, 0.0, false},
        {R(30.0), (real)NAN, (real)NAN, 1.7, false},
        {R(30.0), (real)NAN, (real)NAN, -0.2, false},
    };
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        for (unsigned seed = 0; seed < 20; seed++)
            pool_runs_of(&row[k], seed);
}

/* By hand: cells of 1 from 0 and cells of 2 from 1, whose counts are halved. */
static void test_divided(void)
{
    CosyHistogram a = {.active = 1,
                       .cells = 4,
                       .fuplim = (real)NAN,
                       .wide = (real)NAN,
                       .first = R(0.0),
                       .width = R(2.0),
                       .count = {0, 1, 2, 3, 4, 0}};
    const CosyHistogram b = {.active = 1,
                             .cells = 2,
                             .fuplim = (real)NAN,
                             .wide = (real)NAN,
                             .first = R(1.0),
                             .width = R(2.0),
                             .count = {0, 10, 20, 0}};
    const CosyHistogram nothing = {.active = 1, .cells = 4};
    pool_merge(&a, &b);
    pool_merge(&a, &nothing);
    static const uint64_t wanted[] = {0, 6, 17, 13, 4, 0};
    for (int k = 0; k < 6; k++)
        CHECK(a.count[k] == wanted[k]);
}

int main(void)
{
    test_limits();
    test_divided();
    return check_end();
}
