#include "base/distribution.h"
#include "base/method_facts.h"

#include <float.h>
#include <math.h>

#include "check.h"

/* The lists that both halves read: base/methods.def, base/distributions.def. */

static void test_methods(void)
{
    const MethodFacts *m;
    Buffer all = {0}, others = {0};
    size_t n = 0;
    for (; (m = method_facts_at(n)); n++) {
        CHECK(method_facts_find(m->name) == m);
        CHECK(m->what[0] != '\0' && m->what[0] != ' ');
    }
    CHECK(n == 19);
    CHECK(method_facts_at(n + 1) == NULL);
    CHECK(method_facts_find("TAYLOR") == NULL);
    CHECK(method_facts_find("") == NULL);
    CHECK(method_facts_find("RADAU55") == NULL);
    m = method_facts_find("gear");
    CHECK(m && m->implicit && m->only_double && m->multi_step && !m->fixed);
    m = method_facts_find("auto");
    CHECK(m && m->chooses && !m->only_double);
    method_facts_list(&all, ", ", true);
    method_facts_list(&others, " ", false);
    CHECK(strstr(buffer_string(&all), "AUTO, EULER, RK4") != NULL);
    CHECK(strstr(buffer_string(&all), "GEAR, BDF") != NULL);
    CHECK(strstr(buffer_string(&others), "GEAR") == NULL);
    CHECK(strstr(buffer_string(&others), "TRAPEZ") != NULL);
    buffer_free(&all);
    buffer_free(&others);
}

typedef struct FaultCase {
    DistributionNumber number;
    double v[DISTRIBUTION_PARAMETERS];
    uint32_t known;
    const char *fault; // "": there is none
} FaultCase;

/* Limits of the values, on both sides, and parameters that are not known yet. */
static void test_faults(void)
{
    static const FaultCase cases[] = {
        {DISTRIBUTION_EXPOND, {DBL_MIN}, 7, ""},
        {DISTRIBUTION_EXPOND, {0}, 7, "MEAN must be positive"},
        {DISTRIBUTION_EXPOND, {INFINITY}, 7, "MEAN must be positive"},
        {DISTRIBUTION_EXPOND, {NAN}, 7, "MEAN must be positive"},
        {DISTRIBUTION_EXPOND, {-1}, 6, ""},
        {DISTRIBUTION_UNIFORMD, {-1, 1}, 7, ""},
        {DISTRIBUTION_UNIFORMD, {2, 2}, 7, "MIN must be less than MAX"},
        {DISTRIBUTION_UNIFORMD, {2, 1}, 2, ""},
        {DISTRIBUTION_UNIFORMD, {2, 1}, 1, ""},
        {DISTRIBUTION_UNIFORMD, {NAN, 1}, 7, "MIN must be a finite number"},
        {DISTRIBUTION_UNIFORMD,
         {-DBL_MAX, DBL_MAX},
         7,
         "MIN must be less than MAX"},
        {DISTRIBUTION_NORMALD, {-3, 0}, 7, ""},
        {DISTRIBUTION_NORMALD, {0, -1e-300}, 7, "SD must not be negative"},
        {DISTRIBUTION_LOGNORMD,
         {INFINITY, 1},
         7,
         "MEAN must be a finite number"},
        {DISTRIBUTION_GAMMAD, {1, 0}, 7, "SHAPE must be positive"},
        {DISTRIBUTION_WEIBULLD, {0, 1}, 7, "SCALE must be positive"},
        {DISTRIBUTION_ERLANGD, {1, 1}, 7, ""},
        {DISTRIBUTION_ERLANGD, {1, 0}, 7, "STAGES must be 1, 2, 3 ..."},
        {DISTRIBUTION_ERLANGD, {1, 1.5}, 7, "STAGES must be 1, 2, 3 ..."},
        {DISTRIBUTION_BETAD, {1, -1}, 7, "BETA must be positive"},
        {DISTRIBUTION_TRIANGD, {0, 0, 1}, 7, ""},
        {DISTRIBUTION_TRIANGD, {0, 1, 1}, 7, ""},
        {DISTRIBUTION_TRIANGD, {1, 0, 2}, 7, "MIN must not exceed MODE"},
        {DISTRIBUTION_TRIANGD, {0, 2, 1}, 7, "MODE must not exceed MAX"},
        {DISTRIBUTION_TRIANGD, {0, 2, 1}, 5, ""},
        {DISTRIBUTION_TRIANGD, {1, 1, 1}, 7, "MIN must be less than MAX"},
        {DISTRIBUTION_POISSOND, {0}, 7, ""},
        {DISTRIBUTION_POISSOND, {-1}, 7, "MEAN must be between 0 and 2^52"},
        {DISTRIBUTION_BINOMD, {0, 1}, 7, ""},
        {DISTRIBUTION_BINOMD, {2.5, 1}, 7, "TRIALS must be 0, 1, 2 ..."},
        {DISTRIBUTION_BINOMD, {2, 1.1}, 7, "CHANCE must be between 0 and 1"},
        {DISTRIBUTION_GEOMD, {1}, 7, ""},
        {DISTRIBUTION_GEOMD, {0}, 7, "CHANCE must be above 0 and at most 1"},
        {DISTRIBUTION_EMPIRIC, {NAN, NAN, NAN}, 7, ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FaultCase *c = &cases[k];
        char text[DISTRIBUTION_FAULT];
        const char *fault = distribution_fault(c->number, c->v, c->known, text);
        CHECK_TEXT(fault ? fault : "", c->fault);
    }
}

static void test_distributions(void)
{
    const DistributionFacts *d;
    uint32_t n = 0;
    for (; (d = distribution_at(n)); n++) {
        CHECK(distribution_find(d->name) == n);
        CHECK(d->what[0] != '\0');
    }
    CHECK(n == DISTRIBUTIONS);
    CHECK(distribution_find("triangd") == DISTRIBUTION_TRIANGD);
    CHECK(distribution_find("GAUSS") == DISTRIBUTIONS);
    CHECK_TEXT(distribution_word(DISTRIBUTION_TRIANGD, 2), "MAX");
    CHECK(distribution_word(DISTRIBUTION_TRIANGD, 3) == NULL);
    CHECK(distribution_word(DISTRIBUTION_EMPIRIC, 0) == NULL);
    CHECK(distribution_word(DISTRIBUTIONS, 0) == NULL);
}

int main(void)
{
    test_methods();
    test_faults();
    test_distributions();
    return check_end();
}
