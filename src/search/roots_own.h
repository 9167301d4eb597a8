#ifndef COSY_SEARCH_ROOTS_OWN_H
#define COSY_SEARCH_ROOTS_OWN_H

/* What roots.c, roots_one.c and roots_many.c share. */

#include "search/ledger.h"
#include "search/roots.h"
#include "search/space.h"

#define RootSearch    COSY_NAME(RootSearch)
#define roots_one     COSY_NAME(roots_one)
#define roots_many    COSY_NAME(roots_many)
#define roots_say     COSY_NAME(roots_say)
#define roots_precise COSY_NAME(roots_precise)
#define equation_name COSY_NAME(equation_name)

typedef struct RootSearch {
    const RootProblem *q;
    Space space;
    Ledger ledger;
    Arena *arena;
    RootAnswer *answer;
    bool faded; // one equation: its zeros are values too small for a number,
    real edge;  // from here on
} RootSearch;

/* Each sets the answer's end, best point, error and what its words say of it.
   STATUS_LIMIT: no trial is left, the words are still to be said. */
Status roots_one(RootSearch *s);
Status roots_many(RootSearch *s);

/* The tolerance to work with. */
real roots_precise(const RootProblem *q);

const char *equation_name(const RootProblem *q, uint32_t i,
                          char text[NUMBER_ROOM]);

#define SAY(s, ...) search_say((s)->answer->words, SEARCH_WORDS, __VA_ARGS__)

#endif
