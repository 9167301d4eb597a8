/* Distributions fitted by maximum likelihood, against published examples and against
   the likelihood itself, which is summed up here from formulas of its own. */

#include "fit/fit.h"

#include <math.h>
#include <stdlib.h>

#include "chance.h"
#include "check.h"
#include "fit/goodness.h"

/* Lieblein and Zelen, Journal of Research NBS 57, 1956: millions of revolutions that
   23 ball bearings lasted. Lawless, Statistical Models and Methods for Lifetime
   Data, has the fits: Weibull 2.102 and 81.88, lognormal 4.150 and 0.522 (divisor
   n); gamma 4.025 and 17.94. */
static const double bearings[] = {17.88,  28.92,  33.00,  41.52,  42.12, 45.60,
                                  48.48,  51.84,  51.96,  54.12,  55.56, 67.80,
                                  68.64,  68.64,  68.88,  84.12,  93.12, 98.64,
                                  105.12, 105.84, 127.92, 128.04, 173.40};

enum { BEARINGS = sizeof bearings / sizeof *bearings };

static bool about(double found, double wanted, double digits)
{
    return fabs(found - wanted) <= digits;
}

static void test_bearings(void)
{
    double x[BEARINGS];
    Fit f;
    for (int k = 0; k < BEARINGS; k++)
        x[k] = bearings[BEARINGS - 1 - k];
    Sample s = sample_make(x, BEARINGS);
    CHECK(fit_make(&f, DISTRIBUTION_WEIBULLD, &s));
    CHECK(about(f.p[1], 2.102, 5e-4) && about(f.p[0], 81.88, 5e-3));
    CHECK(about(f.likelihood, -113.691, 5e-4));
    CHECK(fit_make(&f, DISTRIBUTION_LOGNORMD, &s));
    CHECK(about(f.p[0], 4.150, 5e-4) && about(f.p[1], 0.522, 5e-4));
    CHECK(fit_make(&f, DISTRIBUTION_GAMMAD, &s));
    CHECK(about(f.p[1], 4.025, 5e-4) && about(f.p[0], 17.94, 5e-3));
    CHECK(about(f.likelihood, -113.029, 5e-4));
    CHECK(fit_make(&f, DISTRIBUTION_ERLANGD, &s));
    CHECK(f.p[1] == 4.0 && about(f.p[0], 72.2243, 5e-5));
    CHECK(fit_make(&f, DISTRIBUTION_EXPOND, &s));
    // -n (1 + log(mean))
    CHECK(about(f.likelihood, -23.0 * (1.0 + log(72.22434782608696)), 1e-9));
    CHECK(!fit_make(&f, DISTRIBUTION_BETAD, &s) && f.why != NULL);
    CHECK(!fit_make(&f, DISTRIBUTION_POISSOND, &s) && f.why != NULL);
}

/* ---- The likelihood ---------------------------------------------------------------- */

/* Logarithms of densities as textbooks have them. */
static double own_log(uint32_t d, const double *p, double x)
{
    double y = x / p[0];
    switch (d) {
    case DISTRIBUTION_EXPOND: return log(exp(-y) / p[0]);
    case DISTRIBUTION_NORMALD:
        return -0.5 * pow((x - p[0]) / p[1], 2) -
               log(p[1] * sqrt(2 * 3.141592653589793));
    case DISTRIBUTION_LOGNORMD:
        return own_log(DISTRIBUTION_NORMALD, p, log(x)) - log(x);
    case DISTRIBUTION_GAMMAD:
        return log(pow(y, p[1] - 1) * exp(-y) / (p[0] * tgamma(p[1])));
    case DISTRIBUTION_BETAD:
        return log(pow(x, p[0] - 1) * pow(1 - x, p[1] - 1) *
                   tgamma(p[0] + p[1]) / (tgamma(p[0]) * tgamma(p[1])));
    case DISTRIBUTION_WEIBULLD:
        return log(p[1] / p[0] * pow(y, p[1] - 1)) - pow(y, p[1]);
    case DISTRIBUTION_TRIANGD:
        if (x <= p[0] || x >= p[2])
            return -1e9;
        return log(2 / (p[2] - p[0]) *
                   (x < p[1] ? (x - p[0]) / (p[1] - p[0])
                             : (p[2] - x) / (p[2] - p[1])));
    case DISTRIBUTION_POISSOND:
        return log(pow(p[0], x) * exp(-p[0]) / tgamma(x + 1));
    case DISTRIBUTION_GEOMD: return log(p[0] * pow(1 - p[0], x));
    case DISTRIBUTION_BINOMD:
        if (x > p[0])
            return -1e9;
        return lgamma(p[0] + 1) - lgamma(x + 1) - lgamma(p[0] - x + 1) +
               x * log(p[1]) + (p[0] - x) * log(1 - p[1]);
    default: return 0;
    }
}

static double own_sum(uint32_t d, const double *p, const Sample *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++)
        sum += own_log(d, p, s->x[k]);
    return sum;
}

/* No parameters nearby, one or two of them changed, are more likely. */
static void is_largest(const Fit *f, const Sample *s)
{
    double best = own_sum(f->distribution, f->p, s);
    uint32_t n = fit_parameters(f->distribution);
    CHECK(fabs(best - f->likelihood) < 1e-8 * fabs(best));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i; k < n; k++)
            for (int sign = 0; sign < 4; sign++) {
                double p[3] = {f->p[0], f->p[1], f->p[2]};
                bool trials = f->distribution == DISTRIBUTION_BINOMD && i == 0;
                double part = 1e-3;
                p[i] += (sign % 2 ? 1 : -1) *
                        (trials ? 1 : part * (fabs(p[i]) + 0.01));
                if (trials)
                    p[1] = f->p[0] * f->p[1] / p[0];
                else if (k > i)
                    p[k] += (sign / 2 ? 1 : -1) * part * (fabs(p[k]) + 0.01);
                CHECK(own_sum(f->distribution, p, s) <=
                      best + 1e-9 * fabs(best));
            }
}

static double gamma_draw(Chance *c, int stages)
{
    double sum = 0;
    for (int k = 0; k < stages; k++)
        sum += exponential(c);
    return sum;
}

static double draw_of(uint32_t d, Chance *c)
{
    double a;
    switch (d) {
    case DISTRIBUTION_EXPOND: return 3 * exponential(c);
    case DISTRIBUTION_NORMALD: return -5 + 2 * normal(c);
    case DISTRIBUTION_LOGNORMD: return exp(1 + 0.5 * normal(c));
    case DISTRIBUTION_GAMMAD: return 0.7 * gamma_draw(c, 3);
    case DISTRIBUTION_BETAD:
        a = gamma_draw(c, 2);
        return a / (a + gamma_draw(c, 5));
    case DISTRIBUTION_WEIBULLD: return 4 * pow(exponential(c), 1 / 1.7);
    case DISTRIBUTION_TRIANGD: return 1 + uniform(c) + uniform(c);
    case DISTRIBUTION_GEOMD: return floor(log(uniform(c)) / log(0.7));
    default: // 12 trials of 0.3, and the sum of many rare ones
        a = 0;
        for (int k = 0; k < (d == DISTRIBUTION_BINOMD ? 12 : 1000); k++)
            a += uniform(c) < (d == DISTRIBUTION_BINOMD ? 0.3 : 0.004);
        return a;
    }
}

static void test_likelihood(void)
{
    static const uint32_t all[] = {DISTRIBUTION_EXPOND,   DISTRIBUTION_NORMALD,
                                   DISTRIBUTION_LOGNORMD, DISTRIBUTION_GAMMAD,
                                   DISTRIBUTION_BETAD,    DISTRIBUTION_WEIBULLD,
                                   DISTRIBUTION_TRIANGD,  DISTRIBUTION_POISSOND,
                                   DISTRIBUTION_BINOMD,   DISTRIBUTION_GEOMD};
    enum { N = 400 };
    double x[N];
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (unsigned run = 0; run < 5; run++) {
            Chance c = chance_begin(run);
            Fit f;
            for (int k = 0; k < N; k++)
                x[k] = draw_of(all[i], &c);
            Sample s = sample_make(x, N);
            CHECK(fit_make(&f, all[i], &s));
            is_largest(&f, &s);
            for (int k = 1; k < 20; k++) { // counts: the first with so much
                double u = (2 * k + 1) / 64.0, v = fit_quantile(&f, u);
                CHECK(fit_counts(all[i])
                          ? fit_below(&f, v) >= u && fit_below(&f, v - 1) < u
                          : fabs(fit_below(&f, v) - u) < 1e-9);
            }
        }
}

/* ---- Goodness ------------------------------------------------------------------------ */

/* p of the right distribution is even from 0 to 1; a wrong one is found. */
static void test_goodness(void)
{
    enum { N = 100, RUNS = 60 };
    double x[N];
    unsigned low = 0, low_ad = 0, found = 0;
    for (unsigned run = 0; run < RUNS; run++) {
        Chance c = chance_begin(run);
        Arena a = {0};
        Fit f;
        for (int k = 0; k < N; k++)
            x[k] = draw_of(DISTRIBUTION_WEIBULLD, &c);
        Sample s = sample_make(x, N);
        CHECK(fit_make(&f, DISTRIBUTION_WEIBULLD, &s));
        Goodness g = goodness_of(&f, &s, &a);
        low += g.ks_p < 0.5;
        low_ad += g.ad_p < 0.5;
        CHECK(fit_make(&f, DISTRIBUTION_EXPOND, &s));
        found += goodness_of(&f, &s, &a).ad_p < 0.05;
        arena_free(&a);
    }
    printf("p < 0.5: %u and %u of %d; a wrong one is found in %u\n", low,
           low_ad, RUNS, found);
    CHECK(low > 30 - 3 * 4 && low < 30 + 3 * 4); // standard error: 3.9
    CHECK(low_ad > 30 - 3 * 4 && low_ad < 30 + 3 * 4);
    CHECK(found > RUNS - 3);
}

/* Deaths by horse kick (Bortkewitsch 1898): 109, 65, 22, 3 and 1 corps-years with 0 to
   4 of them, whose mean is 0.61. Fewer than 5 corps-years with 3 or more are expected,
   so the cells of chi-square are 0, 1, and 2 or more. */
static void test_counts(void)
{
    static const int deaths[] = {109, 65, 22, 3, 1};
    double x[200];
    size_t n = 0;
    Arena a = {0};
    Fit f;
    for (int v = 0; v < 5; v++)
        for (int k = 0; k < deaths[v]; k++)
            x[n++] = v;
    Sample s = sample_make(x, n);
    CHECK(n == 200 && s.whole);
    CHECK(fit_make(&f, DISTRIBUTION_POISSOND, &s) &&
          about(f.p[0], 0.61, 1e-12));
    Goodness g = goodness_of(&f, &s, &a);
    double e0 = 200 * exp(-0.61), e1 = 0.61 * e0, e2 = 200 - e0 - e1;
    double chi2 =
        pow(109 - e0, 2) / e0 + pow(65 - e1, 2) / e1 + pow(26 - e2, 2) / e2;
    CHECK(g.freedom == 1 && about(g.chi2, chi2, 1e-9));
    // with one degree of freedom p is erfc(sqrt(chi2 / 2))
    CHECK(about(g.chi2_p, erfc(sqrt(chi2 / 2)), 1e-9));
    CHECK(isnan(g.ks));
    arena_free(&a);
}

int main(void)
{
    test_bearings();
    test_likelihood();
    test_goodness();
    test_counts();
    return check_end();
}
