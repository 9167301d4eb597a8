#ifndef COSY_STATS_MSER_H
#define COSY_STATS_MSER_H

/* How many of the first batch means belong to the warm-up of a run: the marginal
   standard error rule (White, An effective truncation heuristic for bias
   reduction in simulation output, Simulation 69, 1997; with means of 5, MSER-5:
   White, Cobb and Spratt, Proc. Winter Simulation Conference 2000). It removes
   the d means for which

       sum over i > d of (y(i) - mean of those)^2 / (n - d)^2

   is least. The last quarter is no candidate: so few means are close to each
   other by chance. A minimum in the second half says that the run is too short;
   then the best d of the first half is taken. */

#include <stddef.h>
#include <stdint.h>

#include "cosy/real.h"

#define MserFound COSY_NAME(MserFound)
#define mser_find COSY_NAME(mser_find)

#define MSER_LEAST 20 // means that are needed

typedef struct MserFound {
    uint32_t removed;
    bool late; // the minimum is in the second half
    bool few;  // there are fewer than MSER_LEAST means: nothing is removed
} MserFound;

/* Mean k is y[k * stride]. */
MserFound mser_find(const real *y, uint32_t n, size_t stride);

#endif
