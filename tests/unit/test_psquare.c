/* Quantiles of a stream: exact up to five numbers, near the truth for many. */
#include "stats/psquare.h"

#include <math.h>

#include "check.h"

static double quantile_of(double share, uint32_t n, double (*draw)(uint32_t k))
{
    Psquare p = {0};
    for (uint32_t k = 0; k < n; k++)
        psquare_add(&p, share, draw(k));
    return psquare_quantile(&p, share);
}

/* The golden ratio spreads points evenly over 0 to 1, in no order. */
static double even(uint32_t k)
{
    return fmod(0.5 + k * 0.6180339887498949, 1.0);
}

static double exponential(uint32_t k)
{
    return -log(1.0 - even(k));
}

static double same(uint32_t k)
{
    (void)k;
    return 7.0;
}

static void test_few(void)
{
    static const double value[] = {3, 1, 5, 2, 4};
    Psquare p = {0};
    CHECK(isnan(psquare_quantile(&p, 0.5)));
    for (uint32_t k = 0; k < 5; k++) {
        psquare_add(&p, 0.5, value[k]);
        if (k == 1)
            CHECK(psquare_quantile(&p, 0.5) == 2);
    }
    CHECK(psquare_quantile(&p, 0.5) == 3);
    CHECK(psquare_quantile(&p, 0.05) == 1.2);
    CHECK(psquare_quantile(&p, 0.95) == 4.8);
}

static void test_many(void)
{
    CHECK(fabs(quantile_of(0.5, 10000, even) - 0.5) < 0.005);
    CHECK(fabs(quantile_of(0.05, 10000, even) - 0.05) < 0.003);
    CHECK(fabs(quantile_of(0.95, 10000, even) - 0.95) < 0.003);
    CHECK(fabs(quantile_of(0.95, 10000, exponential) - log(20)) < 0.03);
    CHECK(fabs(quantile_of(0.05, 10000, exponential) + log(0.95)) < 0.003);
    CHECK(fabs(quantile_of(0.95, 100, even) - 0.95) < 0.03);
    CHECK(quantile_of(0.95, 1000, same) == 7);
}

int main(void)
{
    test_few();
    test_many();
    return check_end();
}
