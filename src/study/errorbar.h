#ifndef COSY_STUDY_ERRORBAR_H
#define COSY_STUDY_ERRORBAR_H

/* The error bar of a run whose model has FIELDs: what two trials of the same run, with
   half and a quarter of the intervals, say about the errors that the grid leaves in
   its values, statistics, event times and rows.

   A field is judged as a whole, in every row: by the largest difference, or, where
   that does not fall with the grid because something steep moves, by their mean. Its
   points, and all other numbers, are estimated with the order that the fields show.
   What the events of a trial have not in common with the run has no estimate.

   A third trial, on the coarsest grid with ten times the tolerance, says how large
   the error of the integration is. An error is proportional to the tolerance or falls
   more slowly, at least as its power 0.6: so a third of the difference is no less
   than the error. It costs less than a trial with a smaller tolerance would, and it
   stays on the coarsest grid: the errors of the steps are controlled relative to the
   same sizes on every grid.

       errorbar_make    from the digests of the run and its trials
       errorbar_free */

#include "stats/refine.h"
#include "study/pairing.h"

#define BarNorm       COSY_NAME(BarNorm)
#define FieldBar      COSY_NAME(FieldBar)
#define ErrorBar      COSY_NAME(ErrorBar)
#define BarTrials     COSY_NAME(BarTrials)
#define errorbar_make COSY_NAME(errorbar_make)
#define errorbar_time COSY_NAME(errorbar_time)
#define errorbar_free COSY_NAME(errorbar_free)

/* A share of the size of a field beyond which its error rings. */
#define BAR_LARGE R(0.05)
/* The share of the estimate that the error in time may have. */
#define BAR_TIME R(0.1)

/* A field in a row. */
typedef struct BarNorm {
    real max, mean; // estimates: the largest error, and the mean of all
    real order;     // observed, in the norm that counts; NaN: none
    real used;      // order with which single points are estimated
    real size;      // largest value
    real time;      // error of the integration; NaN: not known
    bool any;       // there is a partner
    bool in_mean;   // the mean counts
    bool reliable;
    RefineWord word;
} BarNorm;

typedef struct FieldBar {
    uint32_t field;
    BarNorm
        worst;    // the row with the largest error, with `reliable` of all rows
    real size;    // largest value in all rows
    real time;    // largest error of the integration
    Vector norms; // BarNorm, per row and at the end
} FieldBar;

/* The run and its trials; models are NULL where there is no such trial. */
typedef struct BarTrials {
    PairSide run, half, quarter, loose;
} BarTrials;

typedef struct ErrorBar {
    bool made;
    char why[400]; // it was not
    bool parts;    // events of the run and of a trial
    real parts_at;
    char parts_words[300];
    BarTrials of;
    Vector fields; // FieldBar, of those that are judged
    Vector values; // real, per DigestValue; NaN: no estimate
    Vector events; // real, per DigestEvent
    Vector rows;   // real, in place of every value of a row; TIME stays
    real used;     // the least order of the fields
    bool reliable; // all fields are
} ErrorBar;

/* False: no memory. */
bool errorbar_make(ErrorBar *e, const BarTrials *of);
/* The errors of the integration by the coarsest grid, as the share that they have of
   the errors to be expected on the grid of the run, in the worst field: with the
   differences of `half` and `quarter` alone. 0: nothing to compare; NaN: no memory. */
real errorbar_time(const BarTrials *of);
void errorbar_free(ErrorBar *e);

static inline const FieldBar *errorbar_fields(const ErrorBar *e, uint32_t *n)
{
    *n = (uint32_t)(e->fields.used / sizeof(FieldBar));
    return (const FieldBar *)(const void *)e->fields.bytes;
}

#endif
