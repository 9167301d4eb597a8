#ifndef COSY_RUN_DOMAIN_H
#define COSY_RUN_DOMAIN_H

/* Why a row has no finite value. The compiled row says only that it has none;
   its text is evaluated again here, once, with the values that its variables
   have at the point where it failed, until an operation leaves its domain: a
   root of a negative number, a division by zero. Whatever the text alone does
   not reveal (calls of the program's own functions, numbers with units, indices
   of a loop) is unknown, and so is everything that depends on it. */

#include "run/instance.h"

#define domain_find COSY_NAME(domain_find)

#define DOMAIN_WORDS 120

typedef struct Domain {
    char words[DOMAIN_WORDS]; // "takes SQRT of -5"
    const char *advice;       // what to do about it
} Domain;

/* x: the states at the point where the row failed, or NULL for the present
   ones. False if no operation is found that leaves its domain. */
bool domain_find(const Cosy *c, const char *text, const real *x, Domain *found);

#endif
