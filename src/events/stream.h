#ifndef COSY_EVENTS_STREAM_H
#define COSY_EVENTS_STREAM_H

/* Random streams. A stream hands out its batch (cosy_draw); stream_refill makes
   the next one. The generator is counter-based (Philox4x64-10: Salmon, Moraes,
   Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11): a batch is
   a function of the seeds, the number of the stream, run, replication and the
   number of the batch. Streams, runs and threads cannot disturb each other.

   Uniform numbers are the odd multiples of 2^-53: 0 and 1 do not occur. */

#include "cosy/model.h"

#define StreamPlan    COSY_NAME(StreamPlan)
#define stream_reset  COSY_NAME(stream_reset)
#define stream_close  COSY_NAME(stream_close)
#define stream_begin  COSY_NAME(stream_begin)
#define stream_set    COSY_NAME(stream_set)
#define stream_refill COSY_NAME(stream_refill)
#define stream_fill   COSY_NAME(stream_fill)
#define stream_fault  COSY_NAME(stream_fault)
#define stream_word   COSY_NAME(stream_word)

/* What the numbers of one run are drawn with. Without anything else every run
   has its own. `common`: only the replication counts, so all alternatives draw
   the same ones. `antithetic`: replications 2k and 2k + 1 (from 0) are partners
   that draw u and 1 - u by inversion; `pair` is the number of the run that the
   first of both is. */
typedef struct StreamPlan {
    uint32_t run, replication, pair;
    uint32_t again; // RERUNs before, of this element
    bool antithetic, common;
    const uint32_t *item; // of RANDOMGEN, in the order in which they were said
    uint32_t items;
} StreamPlan;

/* To the beginning of the present run's numbers, with the declared parameters;
   COSY_REFUSED if they are impossible. */
CosyStatus stream_reset(Cosy *c, uint32_t number);

/* Outside of runs: a draw is refused. */
void stream_close(Cosy *c, uint32_t number);

/* Behind it, for all streams: items of RANDOMGEN, partners, alternatives. */
CosyStatus stream_begin(Cosy *c, const StreamPlan *p);

/* New parameters, from the next draw on. */
CosyStatus stream_set(Cosy *c, uint32_t number, double a, double b, double d);

/* host->refill. */
CosyStatus stream_refill(Cosy *c, uint32_t number);

/* The next batch of a stream whose parameters are possible. `seed` is that of
   the experiment. */
void stream_fill(const CosyModel *m, CosyStream *s, uint32_t number,
                 uint64_t seed);

/* What is impossible about the parameters, or NULL. */
const char *stream_fault(const CosyModel *m, const CosyStream *s,
                         uint32_t number);
/* The word of parameter k = 0, 1, 2, or NULL. */
const char *stream_word(const CosyStream *s, uint32_t k);

#endif
