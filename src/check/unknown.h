#ifndef COSY_CHECK_UNKNOWN_H
#define COSY_CHECK_UNKNOWN_H

/* Units of names that have none of their own: unknowns of a system of
   equations, one equation wherever such a name meets something. Units multiply,
   so the system is linear in the powers; it is solved by elimination as
   equations come. An unknown that is found is a unit times powers of other,
   older unknowns. Private to the check of units (units.h). */

#include "check/dimension.h"
#include "syntax/ast.h"

typedef struct Term {
    uint32_t unknown;
    int32_t power; // in parts (POWER_PARTS)
} Term;

/* A product of powers of unknowns, by increasing number, none of them 0. */
typedef struct Terms {
    const Term *term;
    uint32_t count;
} Terms;

typedef struct Unknown {
    const char *name;
    struct Symbol *symbol; // the one that has this unit, or NULL
    bool found;
    bool blamed;    // a contradiction was reported: nothing more is
    Dimension unit; // found: this times `rest`
    Terms rest;
    const Node *where; // where it was found
} Unknown;

typedef struct Unknowns {
    Arena *arena;
    Vector all;
    Vector pile; // scratch
    bool broken; // no memory
} Unknowns;

uint32_t unknown_new(Unknowns *u, const char *name, struct Symbol *symbol);
uint32_t unknowns_count(const Unknowns *u);
Unknown *unknown_at(const Unknowns *u, uint32_t k);
void unknowns_free(Unknowns *u);

Terms terms_one(Unknowns *u, uint32_t unknown);
/* a times b to the power `sign`, which is 1 or -1. */
Terms terms_product(Unknowns *u, Terms a, Terms b, int sign);
/* False: some power is not a multiple of 1/60. */
bool terms_power(Unknowns *u, Terms *t, double exponent);

/* Substitutes what has been found: *t keeps only unknowns, times *unit. False
   if the unit is out of range. */
bool unknowns_resolve(Unknowns *u, Terms *t, Dimension *unit);

typedef enum Settled {
    SETTLED_FREE,         // not in powers of 1/60: nothing was learnt
    SETTLED_FOUND,        // one more is known
    SETTLED_AGREES,       // it was known
    SETTLED_MIXED,        // it would have to hide a factor, as km/m
    SETTLED_CONTRADICTION // with what was found before
} Settled;

/* States that the product is this unit. */
Settled unknowns_settle(Unknowns *u, Terms product, Dimension unit,
                        const Node *where);

#endif
