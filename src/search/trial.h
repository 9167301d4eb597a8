#ifndef COSY_SEARCH_TRIAL_H
#define COSY_SEARCH_TRIAL_H

/* What a search asks for: parameters in, numbers out. A search knows nothing else
   of whatever it searches.

   A trial returns STATUS_OK and fills all results; STATUS_STOPPED, upon which the
   search ends with what is best so far; STATUS_MEMORY, which ends it too; or any other
   status: the point has failed, and the search goes on without it. Results that are not
   finite are the trial's to give.

   `many`, if there is one, evaluates several points at once: on all cores, if it
   likes. Which points are asked for together never depends on how many cores there
   are, and answers are used in the order of the points, so results do not either. `one`
   is not called then. All calls come from the thread that called the search.

   `slopes`, if there is one, gives results and their derivatives at one point:
   slope[r * n + i] is that of result r with respect to parameter i. `many_slopes` gives
   them at several points at once, as `many` does, and `slopes` is not called then. */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/real.h"

#define SearchTrial   COSY_NAME(SearchTrial)
#define SearchHistory COSY_NAME(SearchHistory)
#define SearchPoint   COSY_NAME(SearchPoint)
#define search_point  COSY_NAME(search_point)
#define search_forget COSY_NAME(search_forget)

typedef struct SearchTrial {
    void *user;
    Status (*one)(void *user, const real *p, real *out);
    /* Rows of p and out follow each other; each[k] is the status of point k.
       Returns STATUS_OK, or what ends the search. */
    Status (*many)(void *user, size_t count, const real *p, real *out,
                   Status *each);
    Status (*slopes)(void *user, const real *p, real *out, real *slope);
    /* Rows of slope follow each other too: results * n numbers for each point. */
    Status (*many_slopes)(void *user, size_t count, const real *p, real *out,
                          real *slope, Status *each);
} SearchTrial;

/* All points that were evaluated, in their order. Whoever called the search frees it
   with search_forget. */
typedef struct SearchHistory {
    uint32_t n, results;
    size_t count;
    Vector row;    // what was found of each point
    Vector number; // n parameters and the results of each point
} SearchHistory;

typedef struct SearchPoint {
    const real *p, *out; // out: NaN where the trial failed
    real value;          // what is made small or large; roots: largest |F|
    real violation;      // of constraints, 0: none
    Status status;       // of the trial
    bool best;           // better than all before it
} SearchPoint;

/* Point k < count; its arrays are valid as long as the history. */
SearchPoint search_point(const SearchHistory *h, size_t k);
void search_forget(SearchHistory *h);

#endif
