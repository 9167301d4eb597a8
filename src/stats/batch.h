#ifndef COSY_STATS_BATCH_H
#define COSY_STATS_BATCH_H

/* A 95 % interval for the mean of one long run, whose observations depend on
   each other, from means of consecutive batches of equal size.

   1. Batches that are still correlated are joined in pairs, until von
      Neumann's ratio says that they are not (Fishman, Grouping observations in
      digital simulation, Management Science 24, 1978). Its variance is that of
      Young (Annals of Mathematical Statistics 12, 1941); the test is one-sided
      at 10 %, because independence must not be assumed too soon.
   2. Any correlation left between neighbours raises the variance by a factor of
   (1 + r)/(1 - r) and lowers the degrees of freedom by the same factor. 3.
   Means of queues are skewed: the interval is shifted by Willink's
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
    uint32_t batches; // that the interval rests on; 0: there is none
    real correlation; // of neighbours among these, or, where there is no
                      // interval, among the largest batches that were tried
    bool known;       // there were enough batches to look at it
} BatchInterval;

/* `mean` is that of all data, including those after the last full batch. More
   than BATCH_MOST batches are joined first. */
BatchInterval batch_interval(const real *batch, uint32_t n, real mean);

#endif
