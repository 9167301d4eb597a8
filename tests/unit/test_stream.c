#include "host.h"

#include "check.h"
#include "events/chance.h"

/* Random streams: every distribution against its mean, variance and
   probabilities, with fixed seeds, by the fastest method and by inversion; the
   tails; independence of the streams from each other; antithetic partners and
   common numbers; impossible parameters. */

static const double values[] = {10.0, -2.0, 7.5, 3.0};
static const double weights[] = {1.0, 5.0, 0.0, 2.0};

#define ROW(n, d, x, y, z)                                                     \
    {                                                                          \
        .name = n, .distribution = d, .a = x, .b = y, .c = z, .seed = 77,      \
        .value = values, .weight = weights, .values = 4, .line = 1             \
    }

enum {
    EXPOND,
    UNIFORMD,
    NORMALD,
    LOGNORMD,
    GAMMA_SMALL,
    GAMMA_LARGE,
    ERLANGD,
    BETA,
    BETA_SMALL,
    WEIBULLD,
    TRIANGD,
    POISSON_SMALL,
    POISSON_LARGE,
    BINOM_SMALL,
    BINOM_LARGE,
    BINOM_MIRROR,
    GEOMD,
    EMPIRIC,
    TWIN, // of EXPOND
    STREAMS
};

static const CosyStreamInfo streams[STREAMS] = {
    ROW("EXPOND", COSY_EXPOND, 2.0, 0, 0),
    ROW("UNIFORMD", COSY_UNIFORMD, -1.0, 3.0, 0),
    ROW("NORMALD", COSY_NORMALD, 1.0, 2.0, 0),
    ROW("LOGNORMD", COSY_LOGNORMD, 0.5, 0.25, 0),
    ROW("GAMMA1", COSY_GAMMAD, 2.0, 0.4, 0),
    ROW("GAMMA2", COSY_GAMMAD, 0.5, 7.0, 0),
    ROW("ERLANGD", COSY_ERLANGD, 6.0, 3.0, 0),
    ROW("BETA1", COSY_BETAD, 2.0, 3.0, 0),
    ROW("BETA2", COSY_BETAD, 0.5, 0.25, 0),
    ROW("WEIBULLD", COSY_WEIBULLD, 3.0, 1.5, 0),
    ROW("TRIANGD", COSY_TRIANGD, 1.0, 2.0, 5.0),
    ROW("POISSON1", COSY_POISSOND, 3.5, 0, 0),
    ROW("POISSON2", COSY_POISSOND, 40.0, 0, 0),
    ROW("BINOM1", COSY_BINOMD, 12.0, 0.25, 0),
    ROW("BINOM2", COSY_BINOMD, 200.0, 0.3, 0),
    ROW("BINOM3", COSY_BINOMD, 50.0, 0.9, 0),
    ROW("GEOMD", COSY_GEOMD, 0.2, 0, 0),
    ROW("EMPIRIC", COSY_EMPIRIC, 0, 0, 0),
    ROW("TWIN", COSY_EXPOND, 2.0, 0, 0),
};

static const CosyModel model = {.transaction_size = sizeof(CosyTransaction),
                                .record_size = sizeof(CosyRecord),
                                .n_streams = STREAMS,
                                .streams = streams};

enum { DRAWS = 400000 };

static int draws = DRAWS; // of each distribution

/* By the fastest methods, or by inversion. */
static Cosy *open_way(Host *host, CosyWay way)
{
    Cosy *c = host_open(host, &model);
    for (uint32_t k = 0; k < STREAMS; k++)
        c->stream[k].way = (uint32_t)way;
    return c;
}

/* ---- Mean and variance ------------------------------------------------------- */

/* Five standard errors are allowed; the error of the variance is estimated
   with the fourth moment. */
static void check_moments(Cosy *c, uint32_t k, double mean, double variance)
{
    double s1 = 0.0, s2 = 0.0, s4 = 0.0;
    for (int i = 0; i < draws; i++) {
        double x = (double)cosy_draw(c, k) - mean;
        s1 += x;
        s2 += x * x;
        s4 += x * x * x * x;
    }
    s1 /= draws;
    s2 /= draws;
    s4 /= draws;
    bool good = fabs(s1) < 5.0 * sqrt(variance / draws) &&
                fabs(s2 - variance) < 5.0 * sqrt((s4 - s2 * s2) / draws);
    if (!good)
        printf("%s: mean off by %g, variance %g, expected %g\n",
               streams[k].name, s1, s2, variance);
    CHECK(good);
}

static void test_moments(CosyWay way)
{
    Host host;
    Cosy *c = open_way(&host, way);
    check_moments(c, EXPOND, 2.0, 4.0);
    check_moments(c, UNIFORMD, 1.0, 16.0 / 12.0);
    check_moments(c, NORMALD, 1.0, 4.0);
    check_moments(c, LOGNORMD, exp(0.5 + 0.03125),
                  (exp(0.0625) - 1.0) * exp(1.0 + 0.0625));
    check_moments(c, GAMMA_SMALL, 0.8, 1.6);
    check_moments(c, GAMMA_LARGE, 3.5, 1.75);
    check_moments(c, ERLANGD, 6.0, 12.0);
    check_moments(c, BETA, 0.4, 0.04);
    check_moments(c, BETA_SMALL, 2.0 / 3.0, 0.125 / (0.5625 * 1.75));
    double g1 = tgamma(1.0 + 1.0 / 1.5), g2 = tgamma(1.0 + 2.0 / 1.5);
    check_moments(c, WEIBULLD, 3.0 * g1, 9.0 * (g2 - g1 * g1));
    check_moments(c, TRIANGD, 8.0 / 3.0,
                  (1.0 + 4.0 + 25.0 - 2.0 - 5.0 - 10.0) / 18.0);
    check_moments(c, POISSON_SMALL, 3.5, 3.5);
    check_moments(c, POISSON_LARGE, 40.0, 40.0);
    check_moments(c, BINOM_SMALL, 3.0, 2.25);
    check_moments(c, BINOM_LARGE, 60.0, 42.0);
    check_moments(c, BINOM_MIRROR, 45.0, 4.5);
    check_moments(c, GEOMD, 4.0, 20.0);
    check_moments(c, EMPIRIC, 0.75, 16.6875);
    host_close(&host);
}

/* ---- Whole distribution: Kolmogorov and Smirnov -------------------------------- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double cdf_exponential(double x)
{
    return -expm1(-x / 2.0);
}

static double cdf_uniform(double x)
{
    return (x + 1.0) / 4.0;
}

static double cdf_normal(double x)
{
    return 0.5 * erfc(-(x - 1.0) / 2.0 / sqrt(2.0));
}

static double cdf_lognormal(double x)
{
    return 0.5 * erfc(-(log(x) - 0.5) / 0.25 / sqrt(2.0));
}

static double cdf_erlang(double x) // 3 stages of mean 2
{
    double y = x / 2.0;
    return 1.0 - exp(-y) * (1.0 + y + 0.5 * y * y);
}

static double cdf_gamma(double x) // shape 7, scale 1/2
{
    double term = 1.0, sum = 1.0, y = 2.0 * x;
    for (int k = 1; k < 7; k++) {
        term *= y / k;
        sum += term;
    }
    return 1.0 - exp(-y) * sum;
}

static double cdf_beta(double x) // a = 2, b = 3
{
    return x * x * (6.0 - 8.0 * x + 3.0 * x * x);
}

static double cdf_weibull(double x)
{
    return -expm1(-pow(x / 3.0, 1.5));
}

static double cdf_triangle(double x)
{
    return x < 2.0 ? (x - 1.0) * (x - 1.0) / 4.0
                   : 1.0 - (5.0 - x) * (5.0 - x) / 12.0;
}

static double cdf_gamma_small(double x) // shape 0.4, scale 2
{
    return chance_gamma(0.4, log(x / 2.0)).below;
}

static double cdf_beta_small(double x) // a = 0.5, b = 0.25
{
    return x >= 1.0 ? 1.0 : chance_beta(0.5, 0.25, x, 1.0 - x).below;
}

/* sqrt(n) D exceeds 2.2 once in 8000 cases. */
static void check_cdf(Cosy *c, uint32_t k, double (*cdf)(double))
{
    static double x[DRAWS];
    double worst = 0.0;
    for (int i = 0; i < draws; i++)
        x[i] = (double)cosy_draw(c, k);
    qsort(x, (size_t)draws, sizeof *x, by_size);
    for (int i = 0; i < draws; i++) {
        double p = cdf(x[i]);
        worst = fmax(worst,
                     fmax(p - (double)i / draws, (double)(i + 1) / draws - p));
    }
    if (worst * sqrt(draws) > 2.2)
        printf("%s: sqrt(n) D = %g\n", streams[k].name, worst * sqrt(draws));
    CHECK(worst * sqrt(draws) <= 2.2);
}

static void test_distributions(CosyWay way)
{
    Host host;
    Cosy *c = open_way(&host, way);
    check_cdf(c, EXPOND, cdf_exponential);
    check_cdf(c, UNIFORMD, cdf_uniform);
    check_cdf(c, NORMALD, cdf_normal);
    check_cdf(c, LOGNORMD, cdf_lognormal);
    check_cdf(c, ERLANGD, cdf_erlang);
    check_cdf(c, GAMMA_LARGE, cdf_gamma);
    check_cdf(c, BETA, cdf_beta);
    check_cdf(c, WEIBULLD, cdf_weibull);
    check_cdf(c, TRIANGD, cdf_triangle);
    check_cdf(c, GAMMA_SMALL, cdf_gamma_small);
    check_cdf(c, BETA_SMALL, cdf_beta_small);
    host_close(&host);
}

/* ---- Counts: chi-square ---------------------------------------------------------- */

static double log_choose(double n, double k)
{
    return lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
}

static double chance(uint32_t k, double x)
{
    const CosyStreamInfo *s = streams + k;
    switch (s->distribution) {
    case COSY_POISSOND: return exp(x * log(s->a) - s->a - lgamma(x + 1.0));
    case COSY_BINOMD:
        return x > s->a ? 0.0
                        : exp(log_choose(s->a, x) + x * log(s->b) +
                              (s->a - x) * log(1.0 - s->b));
    default: return s->a * pow(1.0 - s->a, x);
    }
}

/* Cells with an expectation below 20 are merged. The sum of squares has mean f
   and variance 2f; five deviations are allowed. */
static void check_chances(Cosy *c, uint32_t k)
{
    enum { MOST = 400 };
    double count[MOST] = {0}, sum = 0.0, rest = draws, rest_count = draws;
    int freedom = 0;
    for (int i = 0; i < draws; i++) {
        double x = (double)cosy_draw(c, k);
        CHECK(x >= 0.0 && floor(x) == x);
        if (x >= 0.0 && x < MOST)
            count[(int)x] += 1.0;
    }
    for (int x = 0; x < MOST; x++) {
        double expected = draws * chance(k, x);
        if (expected < 20.0)
            continue;
        sum += (count[x] - expected) * (count[x] - expected) / expected;
        rest -= expected;
        rest_count -= count[x];
        freedom++;
    }
    if (rest > 1.0)
        sum += (rest_count - rest) * (rest_count - rest) / rest;
    double limit = freedom + 5.0 * sqrt(2.0 * freedom);
    if (!(sum < limit))
        printf("%s: chi-square %g with %d\n", streams[k].name, sum, freedom);
    CHECK(sum < limit);
}

static void test_counts(CosyWay way)
{
    Host host;
    Cosy *c = open_way(&host, way);
    check_chances(c, POISSON_SMALL);
    check_chances(c, POISSON_LARGE);
    check_chances(c, BINOM_SMALL);
    check_chances(c, BINOM_LARGE);
    check_chances(c, BINOM_MIRROR);
    check_chances(c, GEOMD);
    double count[4] = {0};
    for (int i = 0; i < draws; i++) {
        double x = (double)cosy_draw(c, EMPIRIC);
        for (int j = 0; j < 4; j++)
            count[j] += x == values[j];
    }
    for (int j = 0; j < 4; j++)
        CHECK(fabs(count[j] - draws * weights[j] / 8.0) < 2000.0);
    CHECK(count[2] == 0.0);
    host_close(&host);
}

/* ---- Fine structure ----------------------------------------------------------- */

/* The batches are the same in all precisions: one of them is examined
   closely. */
#if COSY_PRECISION == 1
#define MANY 3e7
#else
#define MANY 1e6
#endif

/* Two thousand equally likely cells: a layer of the ziggurat that is slightly
   wrong shows. */
static void check_cells(Cosy *c, uint32_t k, double (*cdf)(double))
{
    enum { CELLS = 2000 };
    static double count[CELLS];
    double sum = 0.0, expected = MANY / CELLS;
    memset(count, 0, sizeof count);
    for (double i = 0.0; i < MANY; i += 1.0) {
        int cell = (int)(cdf((double)cosy_draw(c, k)) * CELLS);
        count[cell < CELLS ? cell : CELLS - 1] += 1.0;
    }
    for (int i = 0; i < CELLS; i++)
        sum += (count[i] - expected) * (count[i] - expected) / expected;
    double off = (sum - (CELLS - 1)) / sqrt(2.0 * (CELLS - 1));
    if (fabs(off) > 3.5)
        printf("%s: chi-square is off by %g deviations\n", streams[k].name,
               off);
    CHECK(fabs(off) <= 3.5);
}

static void test_cells(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    check_cells(c, EXPOND, cdf_exponential);
    check_cells(c, NORMALD, cdf_normal);
    check_cells(c, UNIFORMD, cdf_uniform);
    host_close(&host);
}

/* ---- Tails ------------------------------------------------------------------------- */

/* How many of n draws lie beyond a limit, compared with its probability. */
static void check_tail(Cosy *c, uint32_t k, double n, double limit, double p)
{
    double found = 0.0;
    for (double i = 0.0; i < n; i += 1.0) {
        const CosyStream *s = c->stream + k;
        double x = ((double)cosy_draw(c, k) - s->shift) / s->scale;
        found += fabs(x) > limit;
    }
    if (fabs(found - n * p) > 4.0 * sqrt(n * p))
        printf("%s: %g beyond %g, expected %g\n", streams[k].name, found, limit,
               n * p);
    CHECK(fabs(found - n * p) <= 4.0 * sqrt(n * p));
}

static void test_tails(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    check_tail(c, EXPOND, 3e6, 7.69711747013105, exp(-7.69711747013105));
    check_tail(c, EXPOND, 3e6, 9.5, exp(-9.5));
    check_tail(c, NORMALD, 3e6, 3.65415288536101,
               erfc(3.65415288536101 / sqrt(2.0)));
    check_tail(c, NORMALD, MANY, 4.2, erfc(4.2 / sqrt(2.0)));
    host_close(&host);
}

/* ---- Uniform numbers ------------------------------------------------------------------ */

static void test_uniform(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    double low = 1.0, high = 0.0;
    uint64_t ones[53] = {0};
    for (int i = 0; i < DRAWS; i++) {
        cosy_draw(c, UNIFORMD);
        const CosyStream *s = c->stream + UNIFORMD;
        double u = s->batch[s->at - 1];
        low = fmin(low, u);
        high = fmax(high, u);
        uint64_t whole = (uint64_t)(u * 0x1p53);
        for (int b = 0; b < 53; b++)
            ones[b] += whole >> b & 1;
    }
    CHECK(low > 0.0 && low < 3e-5 && high < 1.0 && high > 1.0 - 3e-5);
    CHECK(ones[0] == DRAWS); // odd multiples of 2^-53
    for (int b = 1; b < 53; b++)
        CHECK(fabs((double)ones[b] - DRAWS / 2) < 5.0 * sqrt(DRAWS) / 2.0);
    host_close(&host);
}

/* ---- Independence -------------------------------------------------------------------------- */

enum { SHORT = 1000 };

static void test_same_bits(void)
{
    Host one, two;
    Cosy *c = host_open(&one, &model), *d = host_open(&two, &model);
    static real x[STREAMS][SHORT];
    for (uint32_t k = 0; k < STREAMS; k++)
        for (int i = 0; i < SHORT; i++)
            x[k][i] = cosy_draw(c, k);
    for (int i = 0; i < SHORT; i++)
        for (uint32_t k = STREAMS; k-- > 0;)
            CHECK(cosy_draw(d, k) == x[k][i]);
    discrete_reset(c);
    CHECK(cosy_draw(c, EXPOND) == x[EXPOND][0]);
    host_close(&one);
    host_close(&two);
}

/* Another stream, seed, run or replication has other numbers. */
static void test_keys(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CosyHead *h = c->head;
    real first = cosy_draw(c, EXPOND);
    h->run = 2;
    discrete_reset(c);
    real run = cosy_draw(c, EXPOND);
    h->run = 1;
    h->replication = 2;
    discrete_reset(c);
    real replication = cosy_draw(c, EXPOND);
    h->replication = 1;
    h->seed = 1;
    discrete_reset(c);
    real seed = cosy_draw(c, EXPOND);
    CHECK(first != run && first != replication && first != seed);
    CHECK(run != replication && run != seed && replication != seed);
    CHECK(cosy_draw(c, TWIN) != seed);
    host_close(&host);
}

/* ---- Neighbours --------------------------------------------------------------------------- */

enum { PAIRS = COSY_PRECISION == 1 ? 100000 : 20000 };

static double correlation(const double *x, const double *y, int n)
{
    double mx = 0.0, my = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        my += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return xy / sqrt(xx * yy);
}

static void draw_all(Cosy *c, uint32_t k, const StreamPlan *plan, double *x)
{
    discrete_reset(c);
    CHECK(stream_begin(c, plan) == COSY_OK);
    for (int i = 0; i < PAIRS; i++)
        x[i] = (double)cosy_draw(c, k);
}

static double base_[PAIRS], other[PAIRS];

/* The correlation of independent numbers has the standard deviation
   1/sqrt(n). */
static void check_independent(const char *what)
{
    double off = correlation(base_, other, PAIRS) * sqrt(PAIRS);
    if (fabs(off) > 4.5)
        printf("%s: correlation is off by %g deviations\n", what, off);
    CHECK(fabs(off) <= 4.5);
}

/* Neighbouring streams, runs, replications and seeds, and consecutive
   numbers. */
static void test_neighbours(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    for (uint32_t run = 1; run <= 5; run++) {
        StreamPlan plan = {.run = run, .replication = run, .pair = run};
        draw_all(c, EXPOND, &plan, base_);
        plan.run++;
        draw_all(c, EXPOND, &plan, other);
        check_independent("run");
        plan.run--;
        plan.replication++;
        draw_all(c, EXPOND, &plan, other);
        check_independent("replication");
        plan.replication--;
        draw_all(c, TWIN, &plan, other);
        check_independent("stream");
        c->head->seed++;
        draw_all(c, EXPOND, &plan, other);
        check_independent("seed");
        for (int lag = 1; lag <= 5; lag++) {
            memmove(other, base_, sizeof other);
            memmove(other, other + lag, (PAIRS - (size_t)lag) * sizeof *other);
            check_independent("lag");
        }
    }
    host_close(&host);
}

/* ---- Partners and alternatives ---------------------------------------------------------------- */

/* Partners are u and 1 - u: the correlation of unit uniform numbers is -1, of
   normal ones -1, of exponential ones 1 - pi^2/6. Pairs are independent of each
   other. */
static void test_antithetic(void)
{
    static const struct {
        uint32_t stream;
        double correlation;
    } row[] = {
        {UNIFORMD, -1.0},
        {NORMALD, -1.0},
        {EXPOND, 1.0 - 3.14159265358979323846 * 3.14159265358979323846 / 6.0}};
    Host host;
    Cosy *c = host_open(&host, &model);
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        StreamPlan plan = {
            .run = 5, .replication = 4, .pair = 5, .antithetic = true};
        draw_all(c, row[k].stream, &plan, base_);
        plan.run = 6;
        plan.replication = 5;
        draw_all(c, row[k].stream, &plan, other);
        CHECK(fabs(correlation(base_, other, PAIRS) - row[k].correlation) <
              0.02);
        plan.run = plan.pair = 7;
        plan.replication = 6;
        draw_all(c, row[k].stream, &plan, other);
        check_independent("pair");
    }
    host_close(&host);
}

/* All distributions mirror: the partner of a small number is a large one. */
static void test_mirrored(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    StreamPlan plan = {.run = 1, .pair = 1, .antithetic = true};
    for (uint32_t k = 0; k < STREAMS; k++) {
        plan.replication = 0;
        draw_all(c, k, &plan, base_);
        plan.replication = 1;
        draw_all(c, k, &plan, other);
        double found = correlation(base_, other, PAIRS);
        if (k != EMPIRIC) // its table is not in order
            CHECK(found < -0.3 && found >= -1.0 - 1e-12);
    }
    host_close(&host);
}

/* COMMON: another element of the lists draws the same numbers, another
   replication does not. */
static void test_common(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    StreamPlan plan = {.run = 1, .pair = 1, .replication = 3, .common = true};
    draw_all(c, NORMALD, &plan, base_);
    plan.run = plan.pair = 9;
    draw_all(c, NORMALD, &plan, other);
    CHECK(memcmp(base_, other, sizeof base_) == 0);
    plan.replication = 4;
    draw_all(c, NORMALD, &plan, other);
    check_independent("replication of alternatives");
    host_close(&host);
}

/* ---- Parameters -------------------------------------------------------------------------------- */

static void test_parameters(void)
{
    Host host;
    Cosy *c = host_open(&host, &model);
    CHECK(stream_set(c, EXPOND, 0.0, 0.0, 0.0) != COSY_OK);
    CHECK_TEXT(host.text, "time 0: random variable EXPOND: MEAN must be "
                          "positive (MEAN = 0)");
    CHECK(cosy_draw(c, EXPOND) != cosy_draw(c, EXPOND)); // NaN
    CHECK(c->head->request == COSY_STOP_ALL);
    CHECK(stream_set(c, EXPOND, 1.0, 0.0, 0.0) == COSY_OK);
    CHECK(stream_set(c, EXPOND, (double)NAN, 0.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, UNIFORMD, 1.0, 1.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, NORMALD, 0.0, -1.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, NORMALD, 3.0, 0.0, 0.0) == COSY_OK);
    CHECK(cosy_draw(c, NORMALD) == R(3.0));
    CHECK(stream_set(c, LOGNORMD, (double)INFINITY, 1.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, GAMMA_LARGE, 1.0, 0.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, ERLANGD, 1.0, 2.5, 0.0) != COSY_OK);
    CHECK(stream_set(c, BETA, 1.0, -2.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, WEIBULLD, 0.0, 1.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, TRIANGD, 1.0, 4.0, 3.0) != COSY_OK);
    CHECK(stream_set(c, POISSON_SMALL, -1.0, 0.0, 0.0) != COSY_OK);
    CHECK(stream_set(c, BINOM_SMALL, 2.5, 0.5, 0.0) != COSY_OK);
    CHECK(stream_set(c, BINOM_SMALL, 2.0, 1.5, 0.0) != COSY_OK);
    CHECK(stream_set(c, GEOMD, 0.0, 0.0, 0.0) != COSY_OK);
    // the edges that are possible
    CHECK(stream_set(c, POISSON_SMALL, 0.0, 0.0, 0.0) == COSY_OK);
    CHECK(cosy_draw(c, POISSON_SMALL) == R(0.0));
    CHECK(stream_set(c, BINOM_SMALL, 5.0, 1.0, 0.0) == COSY_OK);
    CHECK(cosy_draw(c, BINOM_SMALL) == R(5.0));
    CHECK(stream_set(c, GEOMD, 1.0, 0.0, 0.0) == COSY_OK);
    CHECK(cosy_draw(c, GEOMD) == R(0.0));
    host_close(&host);
}

int main(void)
{
    test_moments(COSY_FASTEST);
    test_distributions(COSY_FASTEST);
    test_counts(COSY_FASTEST);
#if COSY_PRECISION == 1
    draws = DRAWS / 16; // it is slower
    test_moments(COSY_INVERTED);
    test_distributions(COSY_INVERTED);
    test_counts(COSY_INVERTED);
#endif
    test_neighbours();
    test_mirrored();
    test_antithetic();
    test_common();
    test_cells();
    test_tails();
    test_uniform();
    test_same_bits();
    test_keys();
    test_parameters();
    return check_end();
}
