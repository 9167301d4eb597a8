#ifndef COSY_EVENTS_STREAM_H
#define COSY_EVENTS_STREAM_H

/* Random streams. A stream hands out its batch (cosy_draw); stream_refill makes
   the next one. The generator is counter-based (Philox4x64-10: Salmon, Moraes,
   Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11): a batch is
   a function of the seeds, the number of the stream, run, replication and the
   number of the batch. Streams, runs and threads cannot disturb each other.

   Uniform numbers are the odd multiples of 2^-53: 0 and 1 do not occur. */

#include "cosy/model.h"

#define stream_reset  COSY_NAME(stream_reset)
#define stream_set    COSY_NAME(stream_set)
#define stream_refill COSY_NAME(stream_refill)
#define stream_fill   COSY_NAME(stream_fill)
#define stream_fault  COSY_NAME(stream_fault)

/* To the beginning of the present run's numbers, with the declared parameters;
   COSY_REFUSED if they are impossible. */
CosyStatus stream_reset(Cosy *c, uint32_t number);

/* New parameters, from the next draw on. */
CosyStatus stream_set(Cosy *c, uint32_t number, double a, double b, double d);

/* host->refill. */
CosyStatus stream_refill(Cosy *c, uint32_t number);

/* The next batch of a stream whose parameters are possible. `seed` is that of
   the experiment. */
void stream_fill(CosyStream *s, const CosyStreamInfo *info, uint32_t number,
                 uint64_t seed);

/* What is impossible about the parameters, or NULL. */
const char *stream_fault(const CosyStream *s, const CosyStreamInfo *info);

#endif
