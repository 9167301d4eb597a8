#ifndef COSY_SEARCH_LEDGER_H
#define COSY_SEARCH_LEDGER_H

/* The ledger of one search: every trial goes through it, is counted, written down and
   compared with the best one so far. It also holds the budget. Private to src/search.

   When ledger_many and its like return STATUS_LIMIT the budget is used up; with any
   other status but STATUS_OK the search ends as well. A point that failed is STATUS_OK
   here, and told by `each`. */

#include "base/arena.h"
#include "search/trial.h"

#define Ledger             COSY_NAME(Ledger)
#define ledger_many        COSY_NAME(ledger_many)
#define ledger_ask         COSY_NAME(ledger_ask)
#define ledger_slopes      COSY_NAME(ledger_slopes)
#define ledger_many_slopes COSY_NAME(ledger_many_slopes)
#define ledger_best        COSY_NAME(ledger_best)
#define ledger_left        COSY_NAME(ledger_left)
#define ledger_better      COSY_NAME(ledger_better)

typedef struct Ledger {
    const SearchTrial *trial;
    SearchHistory *history; // its n and results are set
    uint32_t
        wide; // results of a trial, where the history is to keep none; or 0
    /* Value and violation of a point; a value that is not finite makes it a bad
       one. */
    void (*judge)(const void *problem, const real *p, const real *out,
                  real *value, real *violation);
    const void *problem;
    real slack;      // violations up to it do not count
    size_t most;     // evaluations; 0: no limit
    size_t failures; // trials that failed
    size_t infinite; // values or results that were not finite
    size_t best;     // row of the best point, if one is found
    bool found;
} Ledger;

/* Evaluates points; each[k] is STATUS_OK for a point whose value and results are
   finite, otherwise the status of its trial, or STATUS_NUMBER. Where the budget does
   not suffice for all, the rest get STATUS_LIMIT. */
Status ledger_many(Ledger *l, size_t count, const real *p, real *out,
                   Status *each);
Status ledger_ask(Ledger *l, const real *p, real *out, Status *each);
/* With derivatives; needs: trial->slopes. */
Status ledger_slopes(Ledger *l, const real *p, real *out, real *slope,
                     Status *each);

/* The same for several points; needs: trial->slopes or trial->many_slopes. */
Status ledger_many_slopes(Ledger *l, size_t count, const real *p, real *out,
                          real *slope, Status *each);

/* Needs: found. */
SearchPoint ledger_best(const Ledger *l);
/* Evaluations that the budget still has; SIZE_MAX without a limit. */
size_t ledger_left(const Ledger *l);
/* Whether the first point beats the second: less violated if either is violated by
   more than the slack, otherwise of smaller value. */
bool ledger_better(const Ledger *l, real value, real violation,
                   real second_value, real second_violation);

#endif
