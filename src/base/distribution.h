#ifndef COSY_BASE_DISTRIBUTION_H
#define COSY_BASE_DISTRIBUTION_H

/* The rows of distributions.def: names, words of the parameters, and what values
   they may have. Both halves ask here: the compiler for what is known before a
   run, the kernels for all of it. Numbers are drawn in events/. */

#include <stdint.h>

enum { DISTRIBUTION_PARAMETERS = 3, DISTRIBUTION_FAULT = 100 };

typedef enum DistributionNumber {
#define DISTRIBUTION(name, ...) DISTRIBUTION_##name,
#include "base/distributions.def"
#undef DISTRIBUTION
    DISTRIBUTIONS
} DistributionNumber;

typedef struct DistributionParameter {
    const char *word; // NULL after the last
    int values;       // what they may be: distribution.c
} DistributionParameter;

typedef struct DistributionFacts {
    const char *name;
    const char *what; // a few words
    DistributionParameter parameter[DISTRIBUTION_PARAMETERS];
} DistributionFacts;

/* NULL after the last. */
const DistributionFacts *distribution_at(uint32_t number);
/* Without regard to case; DISTRIBUTIONS: there is none of this name. */
uint32_t distribution_find(const char *name);
/* The option that gives parameter k, NULL if there is none. */
const char *distribution_word(uint32_t number, uint32_t k);

/* What is wrong with these parameters, put into words in `text`; NULL: nothing.
   Only those are looked at whose bit in `known` is set: 1, 2, 4. */
const char *distribution_fault(uint32_t number, const double *v, uint32_t known,
                               char text[DISTRIBUTION_FAULT]);

#endif
