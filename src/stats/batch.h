#ifndef COSY_STATS_BATCH_H
#define COSY_STATS_BATCH_H

/* A 95 % interval for the mean of one long run, whose observations depend on
   each other, from means of consecutive batches of equal size.

   1. Batches that are still correlated are joined in pairs, until von
      Neumann's ratio says that they are not (Fishman, Grouping observations in
      digital simulation, Management Science 24, 1978). Its variance is that of
      Young (Annals of Mathematical Statistics 12, 1941); the test is one-sided
      at 10 %, because independence must not be believed too soon.
   2. What correlation is left between neighbours makes the variance larger by
      (1 + r)/(1 - r) and the degrees of freedom fewer by as much.
   3. Means of queues are skew: the interval is shifted by Willink's
      transformation (Communications in Statistics, Theory and Methods 34,
      2005), as in Skart (Tafazzoli and Wilson, IIE Transactions 43, 2011), so
      it need not be symmetric about the mean.

   No interval is given with fewer than BATCH_LEAST batches, or when fewer than
   BATCH_FEWEST uncorrelated ones can be made of them: the run is too short for
   its memory. tests/unit/test_batch.c has the coverage. */

#include <stdint.h>

#include "cosy/real.h"

#define BatchInterval  COSY_NAME(BatchInterval)
#define batch_interval COSY_NAME(batch_interval)

#define BATCH_LEAST  32
#define BATCH_FEWEST 8
#define BATCH_MOST   64

typedef struct BatchInterval {
    real low, high;
    uint32_t batches; // that it rests on; 0: there is no interval
} BatchInterval;

/* `mean` is that of all data, also of those behind the last full batch. More
   than BATCH_MOST batches are joined first. */
BatchInterval batch_interval(const real *batch, uint32_t n, real mean);

#endif
