#ifndef COSY_EVENTS_STREAM_H
#define COSY_EVENTS_STREAM_H

/* Random streams. A stream hands out its batch (cosy_draw); stream_refill makes
   the next one. The generator is counter-based (Philox4x64-10: Salmon, Moraes,
   Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11): a batch is
   a function of the seeds, the number of the stream, run, replication and the
   number of the batch. Streams, runs and threads cannot disturb each other.

   Uniform numbers are the odd multiples of 2^-53: 0 and 1 do not occur. */

#include "base/distribution.h"
#include "cosy/model.h"

#define StreamPlan    COSY_NAME(StreamPlan)
#define stream_reset  COSY_NAME(stream_reset)
#define stream_close  COSY_NAME(stream_close)
#define stream_begin  COSY_NAME(stream_begin)
#define stream_set    COSY_NAME(stream_set)
#define stream_refill COSY_NAME(stream_refill)
#define stream_fill   COSY_NAME(stream_fill)
#define stream_fault  COSY_NAME(stream_fault)

/* How the numbers of one run are drawn. By default every run has its own
   numbers. `common`: only the replication counts, so all alternatives draw the
   same numbers. `antithetic`: replications 2k and 2k + 1 (from 0) are partners
   that draw u and 1 - u by inversion; `pair` is the run number of the first
   partner. */
typedef struct StreamPlan {
    uint32_t run, replication, pair;
    uint32_t again; // earlier RERUNs of this element
    bool antithetic, common;
    const uint32_t *item; // items of RANDOMGEN, in the order of their
                          // statements
    uint32_t items;
} StreamPlan;

/* Goes to the beginning of the present run's numbers, with the declared
   parameters; COSY_REFUSED if they are impossible. */
CosyStatus stream_reset(Cosy *c, uint32_t number);

/* Between runs: a draw is refused. */
void stream_close(Cosy *c, uint32_t number);

/* Called after that, for all streams: items of RANDOMGEN, partners,
   alternatives. */
CosyStatus stream_begin(Cosy *c, const StreamPlan *p);

/* Sets new parameters, from the next draw on. */
CosyStatus stream_set(Cosy *c, uint32_t number, double a, double b, double d);

/* host->refill. */
CosyStatus stream_refill(Cosy *c, uint32_t number);

/* Makes the next batch of a stream whose parameters are valid. `seed` is that
   of the experiment. */
void stream_fill(const CosyModel *m, CosyStream *s, uint32_t number,
                 uint64_t seed);

/* What is impossible about the parameters, perhaps in `text`, or NULL. */
const char *stream_fault(const CosyModel *m, const CosyStream *s,
                         uint32_t number, char text[DISTRIBUTION_FAULT]);

#endif
