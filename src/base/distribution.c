#include "base/distribution.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/macros.h"
#include "base/text.h"

#define LARGEST_COUNT 0x1p52

/* What values may be, with the words that a message has for it. The last two
   depend on other parameters. */
enum {
    FINITE,
    POSITIVE,
    NOT_NEGATIVE,
    COUNT,
    NATURAL,
    PORTION,
    CHANCE,
    EXACT,
    FROM_LAST,
    ABOVE_FIRST
};

static const char *const wanted[] = {
    [FINITE] = "must be a finite number",
    [POSITIVE] = "must be positive",
    [NOT_NEGATIVE] = "must not be negative",
    [COUNT] = "must be 0, 1, 2 ...",
    [NATURAL] = "must be 1, 2, 3 ...",
    [PORTION] = "must be between 0 and 1",
    [CHANCE] = "must be above 0 and at most 1",
    [EXACT] = "must be between 0 and 2^52",
    [FROM_LAST] = "must be a finite number",
    [ABOVE_FIRST] = "must be a finite number",
};

static const DistributionFacts facts[] = {
#define DISTRIBUTION(name, what, ...) {#name, what, {__VA_ARGS__}},
#include "base/distributions.def"
#undef DISTRIBUTION
};
static_assert(LENGTH(facts) == DISTRIBUTIONS, "one row each");

const DistributionFacts *distribution_at(uint32_t number)
{
    return number < DISTRIBUTIONS ? &facts[number] : NULL;
}

uint32_t distribution_find(const char *name)
{
    uint32_t k = 0;
    assert(name != NULL);
    while (k < DISTRIBUTIONS && !name_same(facts[k].name, name))
        k++;
    return k;
}

const char *distribution_word(uint32_t number, uint32_t k)
{
    return number < DISTRIBUTIONS && k < DISTRIBUTION_PARAMETERS
               ? facts[number].parameter[k].word
               : NULL;
}

static bool is_whole(double v)
{
    return v <= LARGEST_COUNT && floor(v) == v;
}

static bool is_within(int values, double v)
{
    switch (values) {
    case POSITIVE: return v > 0.0 && v <= DBL_MAX;
    case NOT_NEGATIVE: return v >= 0.0 && v <= DBL_MAX;
    case COUNT: return v >= 0.0 && is_whole(v);
    case NATURAL: return v >= 1.0 && is_whole(v);
    case PORTION: return v >= 0.0 && v <= 1.0;
    case CHANCE: return v > 0.0 && v <= 1.0;
    case EXACT: return v >= 0.0 && v <= LARGEST_COUNT;
    default: return v >= -DBL_MAX && v <= DBL_MAX;
    }
}

/* The parameter that number k must lie beyond, or k itself if all is well. */
static uint32_t not_beyond(const DistributionParameter *p, const double *v,
                           uint32_t known, uint32_t k)
{
    double span = v[k] - v[0];
    if (p[k].values != FROM_LAST && p[k].values != ABOVE_FIRST)
        return k;
    assert(k > 0);
    if (p[k].values == ABOVE_FIRST && (known & 1) &&
        !(span > 0.0 && span <= DBL_MAX))
        return 0;
    return (known & 1u << (k - 1)) && v[k] < v[k - 1] ? k - 1 : k;
}

const char *distribution_fault(uint32_t number, const double *v, uint32_t known,
                               char text[DISTRIBUTION_FAULT])
{
    assert(number < DISTRIBUTIONS && v != NULL);
    const DistributionParameter *p = facts[number].parameter;
    for (uint32_t k = 0; k < DISTRIBUTION_PARAMETERS && p[k].word; k++) {
        if (!(known & 1u << k))
            continue;
        uint32_t other = not_beyond(p, v, known, k);
        if (!is_within(p[k].values, v[k]))
            snprintf(text, DISTRIBUTION_FAULT, "%s %s", p[k].word,
                     wanted[p[k].values]);
        else if (other != k)
            snprintf(text, DISTRIBUTION_FAULT, "%s must %s %s", p[other].word,
                     p[k].values == ABOVE_FIRST && other == 0 ? "be less than"
                                                              : "not exceed",
                     p[k].word);
        else
            continue;
        return text;
    }
    return NULL;
}
