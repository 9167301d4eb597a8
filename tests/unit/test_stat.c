#include "host.h"

#include "check.h"

/* COLLECT, TIMEPERS, HISTOGRAM against sums by hand. */

static const CosyNamed collects[] = {{.name = "X", .line = 1}};
static const CosyNamed timepers[] = {{.name = "B", .start = R(2.0), .line = 2}};
static const CosyHistogramInfo histograms[] = {
    {.name = "H", .cells = 3, .first = R(0.0), .width = R(2.0), .line = 3},
    {.name = "T", .cells = 30, .first = R(0.1), .width = R(0.1), .line = 4}};

static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_collects = 1,
                                .collects = collects,
                                .n_timepers = 1,
                                .timepers = timepers,
                                .n_histograms = 2,
                                .histograms = histograms};

static bool near(real a, real b)
{
    return cosy_abs(a - b) <= R(16.0) * COSY_EPSILON * cosy_abs(b);
}

static void test_collect(void)
{
    static const double x[] = {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
    Host host;
    Cosy *c = host_open(&host, &model);
    const CosyCollect *s = c->collect;
    CHECK(cosy_collect_sd(s) == R(0.0));
    for (int k = 0; k < 8; k++)
        CHECK(cosy_collect(c, 0, (real)x[k]) == COSY_OK);
    CHECK(s->n == 8 && near(s->mean, R(5.0)) && near(s->square, R(32.0)));
    CHECK(s->min == R(2.0) && s->max == R(9.0));
    CHECK(near(cosy_collect_sd(s), cosy_sqrt(R(32.0) / R(7.0))));
    host_reset(c);
    // a large mean does not swallow the variance
    for (int k = 0; k < 3000; k++)
        cosy_collect(c, 0, R(1e9) + (real)(k % 3));
    CHECK(cosy_abs(s->square / R(2000.0) - R(1.0)) < R(1e-6));
    CHECK(s->min == R(1e9));
    host_close(&host);
}

/* 2 over [0,1], -1 over [1,3], 4 over [3,4]. */
static void test_timepers(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    c->head->t = R(1.0);
    CHECK(cosy_timepers(c, 0, R(-1.0)) == COSY_OK);
    c->head->t = R(3.0);
    CHECK(cosy_timepers(c, 0, R(4.0)) == COSY_OK);
    c->head->t = R(4.0);
    const CosyTimepers *s = c->timepers;
    CHECK(cosy_timepers_mean(c, 0) == R(1.0));
    // (4 + 2 + 16) / 4 - 1
    CHECK(near(cosy_timepers_sd(c, 0), cosy_sqrt(R(4.5))));
    CHECK(s->min == R(-1.0) && s->max == R(4.0));
    host_close(&host);
}

/* Upper limits belong to their cells: 0, 2, 4, 6 end the cells 0 to 3. */
static void test_histogram(void)
{
    static const double x[] = {-5.0, 0.0, 0.5, 2.0, 2.0000001,
                               4.0,  5.9, 6.0, 6.1, 1e300};
    static const uint64_t expected[] = {2, 2, 2, 2, 2};
    Host host;
    Cosy *c = host_open(&host, &model);
    for (int k = 0; k < 10; k++)
        CHECK(cosy_histogram(c, 0, (real)x[k]) == COSY_OK);
    for (int k = 0; k < 5; k++)
        CHECK(c->histogram[0].count[k] == expected[k]);
    // every limit, as it is computed, ends its own cell
    const CosyHistogram *h = c->histogram + 1;
    for (uint32_t k = 0; k <= h->cells; k++) {
        real limit = h->first + (real)k * h->width;
        CHECK(cosy_histogram(c, 1, limit) == COSY_OK);
        CHECK(h->count[k] == 1 + (k > 0));
        CHECK(cosy_histogram(c, 1, cosy_nextafter(limit, R(100.0))) == COSY_OK);
        CHECK(h->count[k + 1] == 1);
    }
    host_close(&host);
}

/* ---- Limits found from the data ------------------------------------------------ */

static uint64_t counted(const CosyHistogram *h)
{
    uint64_t n = h->early;
    for (uint32_t k = 0; k < h->cells + 2; k++)
        n += h->count[k];
    return n;
}

/* Every cell counts the values in it, of all values so far. */
static void check_cells(const CosyHistogram *h, const real *x, uint32_t n)
{
    for (uint32_t k = 0; k < h->cells + 2; k++) {
        uint64_t expected = 0;
        for (uint32_t i = 0; i < n; i++) {
            bool above = k == 0 || x[i] > h->first + (real)(k - 1) * h->width;
            bool below = k > h->cells || x[i] <= h->first + (real)k * h->width;
            expected += above && below;
        }
        CHECK(h->count[k] == expected);
    }
}

/* Grows with the values: up, down, far away, and for odd and even numbers of
   cells; no observation is lost or in the wrong cell. */
static void test_open(real cells, real fuplim, real width)
{
    enum { N = 1000 };
    static real x[N];
    Host host;
    Cosy *c = host_open(&host, &model);
    const CosyHistogram *h = c->histogram;
    CHECK(observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, cells, fuplim,
                      width) == COSY_OK);
    host_reset(c);
    for (uint32_t k = 0; k < N; k++) {
        // on no limit, whose rounding may depend on the width
        real size = k < 150 ? R(1.0) : k < 500 ? R(16.0) : R(500.0);
        x[k] = ((real)((int)(k * 7919 % 257) - 100) / R(64.0) + R(1e-5)) * size;
        CHECK(cosy_histogram(c, 0, x[k]) == COSY_OK);
        CHECK(counted(h) == k + 1);
        if (k % 50 == 49 && h->early == 0)
            check_cells(h, x, k + 1);
    }
    CHECK(h->early == 0 && h->width > R(0.0));
    CHECK(h->cells == (uint32_t)cells);
    if (width == width)
        CHECK(h->width == width);
    else
        CHECK(h->count[h->cells + 1] == 0);
    if (fuplim == fuplim)
        CHECK(h->first == fuplim);
    else if (width != width)
        CHECK(h->first <= R(-100.0) / R(64.0) * R(500.0));
    host_close(&host);
}

static void test_opens(void)
{
    const real open = (real)NAN;
    for (int cells = 1; cells <= 126; cells += cells < 10 ? 1 : 29) {
        test_open((real)cells, open, open);
        test_open((real)cells, open, R(0.25));
        test_open((real)cells, R(0.5), open);
    }
}

/* A single value all the time, and impossible settings. */
static void test_odd_settings(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    const real open = (real)NAN;
    CHECK(observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, R(10.0), open, open) ==
          COSY_OK);
    host_reset(c);
    for (int k = 0; k < 200; k++)
        CHECK(cosy_histogram(c, 0, R(7.0)) == COSY_OK);
    CHECK(counted(c->histogram) == 200 && c->histogram->width > R(0.0));
    CHECK(observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, R(0.0), open, open) !=
          COSY_OK);
    CHECK_TEXT(host.text, "H: a HISTOGRAM must have 1 to 126 CELLS, not 0");
    CHECK(observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, R(5.0), R(0.0),
                      R(-1.0)) != COSY_OK);
    CHECK(observe_set(c, COSY_STATISTIC_HISTOGRAM, 0, 1, R(5.0), (real)INFINITY,
                      R(1.0)) != COSY_OK);
    CHECK(observe_set(c, COSY_STATISTIC_TIMEPERS, 0, 1, open, open, open) !=
          COSY_OK);
    host_close(&host);
}

static void test_refusals(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CHECK(cosy_collect(c, 0, (real)NAN) != COSY_OK);
    CHECK(cosy_timepers(c, 0, (real)INFINITY) != COSY_OK);
    CHECK_TEXT(host.text, "time 0: B becomes inf: that cannot be counted");
    CHECK(cosy_histogram(c, 0, (real)NAN) != COSY_OK);
    CHECK(c->collect[0].n == 0 && host.messages == 3);
    host_close(&host);
}

int main(void)
{
    test_collect();
    test_timepers();
    test_histogram();
    test_opens();
    test_odd_settings();
    test_refusals();
    return check_end();
}
