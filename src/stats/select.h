#ifndef COSY_STATS_SELECT_H
#define COSY_STATS_SELECT_H

/* REPLICATE BEST: the alternative with the lowest, or highest, mean among at most
   SELECT_MOST, by the fully sequential procedure KN (Kim and Nelson, ACM
   Transactions on Modeling and Computer Simulation 11, 2001, with c = 1 and
   Bonferroni's inequality, so that common random numbers are allowed).

   If the best mean is better than all others by at least delta, it is selected
   with at least the probability asked for, provided that means of replications are
   about normal; otherwise the one selected is, with that probability, within
   delta of the best. After `first` replications of all, the variances of all
   differences are estimated; from then on those that are clearly worse than
   another are left out after every replication, until one remains.

       select_begin   alternatives, and what is asked
       select_value   of one of them in the present replication
       select_round   all that are still there have had their turn
       select_json, select_table */

#include "base/buffer.h"
#include "cosy/real.h"

#define Selection       COSY_NAME(Selection)
#define SelectAnswer    COSY_NAME(SelectAnswer)
#define SelectOne       COSY_NAME(SelectOne)
#define SelectPair      COSY_NAME(SelectPair)
#define select_begin    COSY_NAME(select_begin)
#define select_value    COSY_NAME(select_value)
#define select_round    COSY_NAME(select_round)
#define select_best     COSY_NAME(select_best)
#define select_is_there COSY_NAME(select_is_there)

enum { SELECT_MOST = 50, SELECT_FIRST = 10 };

typedef struct SelectOne {
    uint32_t n;
    real mean, square; // of its values so far; lowest is best
    real now;          // its value in the present replication
    uint32_t left;     // replications after which it was left out; 0: not yet
    bool failed;       // a replication has no value: it was left out for that
} SelectOne;

/* Differences of two in the first replications. */
typedef struct SelectPair {
    real mean, square;
} SelectPair;

typedef struct Selection {
    uint32_t count;
    uint32_t first; // replications from which variances are estimated
    uint32_t round; // replications so far
    real delta, confidence;
    bool highest; // the highest mean is wanted
    bool decided; // with the confidence asked for
    real h2;      // h^2 of the procedure
    SelectOne one[SELECT_MOST];
    SelectPair pair[SELECT_MOST * (SELECT_MOST - 1) / 2];
} Selection;

void select_begin(Selection *s, uint32_t count, uint32_t first, real delta,
                  real confidence, bool highest);
/* NaN: it has none. */
void select_value(Selection *s, uint32_t which, real value);
/* True: the selection is made. */
bool select_round(Selection *s);
/* The one that is best so far; COSY_NONE if all have failed. */
uint32_t select_best(const Selection *s);

static inline bool select_is_there(const Selection *s, uint32_t which)
{
    return s->one[which].left == 0;
}

#endif
