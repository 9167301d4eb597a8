#ifndef COSY_STATS_ENVELOPE_H
#define COSY_STATS_ENVELOPE_H

/* Curves of replications as one: their mean at every communication point, the
   interval of that mean, and between which values most of them lie.

       envelope_begin   a SIMULATE with REPLICATE: its points in time
       envelope_take    at the end of a run, in any thread: the values of its
                        records at these points
       envelope_add     the same for the means, in the order of the runs
       envelope_cell    what is known at a point
       envelopes_free

   Rows are not kept: memory does not grow with the number of replications. Only
   communication points count, since no two runs have the same events in between.
   A run that has ended before a point, or has no record there, is left out of its
   mean. Of very many points every second one is given up, again and again. */

#include "base/status.h"
#include "stats/psquare.h"
#include "stats/replicate.h"

#define Envelope        COSY_NAME(Envelope)
#define EnvelopeCell    COSY_NAME(EnvelopeCell)
#define EnvelopeColumn  COSY_NAME(EnvelopeColumn)
#define EnvelopeGrid    COSY_NAME(EnvelopeGrid)
#define EnvelopeBegin   COSY_NAME(EnvelopeBegin)
#define Envelopes       COSY_NAME(Envelopes)
#define envelope_begin  COSY_NAME(envelope_begin)
#define envelope_take   COSY_NAME(envelope_take)
#define envelope_add    COSY_NAME(envelope_add)
#define envelope_last   COSY_NAME(envelope_last)
#define envelope_column COSY_NAME(envelope_column)
#define envelope_cell   COSY_NAME(envelope_cell)
#define envelope_time   COSY_NAME(envelope_time)
#define envelopes_free  COSY_NAME(envelopes_free)

enum {
    ENVELOPE_POINTS = 1000, // of a curve
    ENVELOPE_TAKEN = 20000, // of a run
    ENVELOPE_ELEMENTS = 6,  // of the lists, evenly spread
    ENVELOPE_COLUMNS = 12
};

#define ENVELOPE_LOW  0.05
#define ENVELOPE_HIGH 0.95

typedef struct EnvelopeCell {
    Tally mean;
    real partner;
    Psquare low, high; // only if there is one curve
} EnvelopeCell;

typedef struct EnvelopeColumn {
    uint32_t variable, element;
} EnvelopeColumn;

/* The communication points of a SIMULATE. `step` 0: LOG `log_points`. */
typedef struct EnvelopeGrid {
    real from, to, step;
    uint32_t log_points;
    bool to_finish;
} EnvelopeGrid;

/* One SIMULATE. */
typedef struct Envelope {
    const CosyModel *model;
    EnvelopeGrid grid;
    uint32_t study;    // its number in stats/sweep.h, from 1; 0: none
    uint32_t elements; // of the lists
    uint32_t shown;    // curves: some of them
    bool antithetic;
    uint32_t columns;
    EnvelopeColumn column[ENVELOPE_COLUMNS];
    uint32_t every; // one in so many points is kept
    struct {
        uint32_t place;        // element of the lists
        uint32_t runs, points; // so far
        Vector cells;          // EnvelopeCell: `columns` per point
    } curve[ENVELOPE_ELEMENTS];
} Envelope;

/* All of an experiment. To be initialized with zeros. */
typedef struct Envelopes {
    Vector all;   // of Envelope
    bool present; // the last one is that of the present SIMULATE
} Envelopes;

typedef struct EnvelopeBegin {
    const CosyModel *model;
    EnvelopeGrid grid;
    uint32_t study, elements;
    bool replicated, antithetic;
} EnvelopeBegin;

/* Only for models that show such means: GRAPH (MEAN), or no OUTPUT at all. */
Status envelope_begin(Envelopes *all, const EnvelopeBegin *b);
/* Replaces `values`; none: the element has no curve. False: no memory. */
bool envelope_take(const Envelopes *all, uint32_t place, const Vector *rows,
                   Vector *values);
bool envelope_add(Envelopes *all, uint32_t place, const Vector *values);
/* That of the last SIMULATE that has one; NULL: none. */
const Envelope *envelope_last(const Envelopes *all);
/* COSY_NONE: it is not among them. */
uint32_t envelope_column(const Envelope *e, uint32_t variable, uint32_t at);
const EnvelopeCell *envelope_cell(const Envelope *e, uint32_t curve,
                                  uint32_t point, uint32_t column);
/* Point k of those that are kept; false: after the end. */
bool envelope_time(const Envelope *e, uint32_t point, real *t);
void envelopes_free(Envelopes *all);

#endif
