#include "events/inverse.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "events/chance.h"

/* Distributions by inversion, against values of another program. */

typedef struct Row {
    CosyDistribution distribution;
    double a, b;
    uint64_t share; // times 2^-53
    double value;
} Row;

static const Row rows[] = {
#define ROW(d, a, b, k, value) {COSY_##d, a, b, UINT64_C(k), value},
#include "inverse.def"
#undef ROW
};

static double value_of(const Row *r, uint64_t share)
{
    return inverse_value(r->distribution, r->a, r->b, 0.0,
                         (double)(int64_t)share * 0x1p-53);
}

/* Counts are exact. For a gamma variable the logarithm is found, so its
   relative error grows with it. */
static double allowed(const Row *r)
{
    switch (r->distribution) {
    case COSY_POISSOND:
    case COSY_BINOMD: return 0.0;
    case COSY_NORMALD: return 1e-15 * fabs(r->value);
    default:
        return 1e-14 * fabs(r->value) * (1.0 + fabs(log(r->value))) + DBL_MIN;
    }
}

static void test_values(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const Row *r = &rows[k];
        double found = value_of(r, r->share);
        bool good = fabs(found - r->value) <= allowed(r);
        if (!good)
            printf("distribution %d (%g, %g) at %llu: %.17g, not %.17g\n",
                   (int)r->distribution, r->a, r->b,
                   (unsigned long long)r->share, found, r->value);
        CHECK(good);
    }
}

/* They rise with u. */
static void test_rising(void)
{
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k += 11) {
        double before = -INFINITY;
        for (uint64_t i = 1; i < 2000; i++) {
            double x = value_of(&rows[k], (UINT64_C(1) << 53) / 2000 * i | 1);
            CHECK(x >= before);
            before = x;
        }
    }
}

/* Distributions with closed forms. */
static void test_closed(void)
{
    double u = 0x1.8p-3 + 0x1p-53, none = 0.0;
    CHECK(fabs(inverse_value(COSY_EXPOND, 7.0, none, none, u) + log1p(-u)) <
          1e-16);
    CHECK(inverse_value(COSY_UNIFORMD, 3.0, 9.0, none, u) == u);
    // beta (1, 1) is uniform, gamma of shape 1 exponential
    CHECK(fabs(inverse_value(COSY_BETAD, 1.0, 1.0, none, u) - u) < 1e-15);
    CHECK(fabs(inverse_value(COSY_GAMMAD, 2.0, 1.0, none, u) +
               2.0 * log1p(-u)) < 1e-15);
    CHECK(fabs(inverse_value(COSY_ERLANGD, 2.0, 1.0, none, u) +
               2.0 * log1p(-u)) < 1e-15);
    CHECK(fabs(inverse_value(COSY_WEIBULLD, 2.0, 0.5, none, u) -
               2.0 * log1p(-u) * log1p(-u)) < 1e-15);
    // (x - 1)^2 / 4 up to the mode, 1 - (5 - x)^2 / 12 after it
    CHECK(fabs(inverse_value(COSY_TRIANGD, 1.0, 2.0, 5.0, 0.0625) - 1.5) <
          1e-15);
    CHECK(fabs(inverse_value(COSY_TRIANGD, 1.0, 2.0, 5.0, 1.0 - 1.0 / 12.0) -
               4.0) < 1e-15);
    CHECK(inverse_value(COSY_GEOMD, 0.2, none, none, 0.19) == 0.0);
    CHECK(inverse_value(COSY_GEOMD, 0.2, none, none, 0.21) == 1.0);
    CHECK(inverse_value(COSY_GEOMD, 1.0, none, none, 0.999) == 0.0);
    CHECK(inverse_value(COSY_POISSOND, 0.0, none, none, 0.999) == 0.0);
    CHECK(inverse_value(COSY_BINOMD, 9.0, 1.0, none, 0.001) == 9.0);
    CHECK(inverse_value(COSY_BINOMD, 9.0, 0.0, none, 0.999) == 0.0);
}

/* Both tails of gamma and beta add up to 1. */
static void test_tails(void)
{
    for (double shape = 0.01; shape < 1e5; shape *= 3.7)
        for (double x = 0.02; x < 60.0; x *= 2.3) {
            Tails t = chance_gamma(shape, log(x * shape));
            CHECK(fabs(t.below + t.above - 1.0) < 1e-15);
            CHECK(t.below >= 0.0 && t.above >= 0.0);
        }
    // erlang of 3 stages: 1 - exp(-x) (1 + x + x^2 / 2)
    Tails t = chance_gamma(3.0, log(2.5));
    CHECK(fabs(t.above - exp(-2.5) * (1.0 + 2.5 + 3.125)) < 1e-15);
    // 6 x^2 - 8 x^3 + 3 x^4
    t = chance_beta(2.0, 3.0, 0.25, 0.75);
    CHECK(fabs(t.below - (0.375 - 0.125 + 3.0 / 256.0)) < 1e-15);
}

int main(void)
{
    test_values();
    test_rising();
    test_closed();
    test_tails();
    return check_end();
}
