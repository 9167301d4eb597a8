#ifndef COSY_STATS_POOL_H
#define COSY_STATS_POOL_H

/* Histograms of all replications of an alternative together: one per HISTOGRAM
   and group, however many replications there are.

   Where all runs have the same limits (WIDTH and FUPLIM are given, or were
   derived alike) counts are added. Otherwise the limits are those of the first
   run, widened by doubling, which is exact, until they hold the others; a cell of
   another run that lies across one of these limits is divided as if its
   observations were spread evenly over it. The number of observations is always
   right. */

#include "base/buffer.h"
#include "stats/replicate.h"

#define pool_begin     COSY_NAME(pool_begin)
#define pool_take      COSY_NAME(pool_take)
#define pool_add       COSY_NAME(pool_add)
#define pool_merge     COSY_NAME(pool_merge)
#define pool_histogram COSY_NAME(pool_histogram)
#define pool_runs      COSY_NAME(pool_runs)
#define pool_any       COSY_NAME(pool_any)
#define pool_json      COSY_NAME(pool_json)
#define pool_table     COSY_NAME(pool_table)

/* The groups of the SIMULATE that has just begun; false: there is no memory. */
bool pool_begin(Replications *r, uint32_t elements);
/* At the end of a run, in any thread: appends its CosyHistograms. */
bool pool_take(const Cosy *c, Vector *histograms);
void pool_add(Replications *r, uint32_t element, const Vector *histograms);
void pool_merge(CosyHistogram *to, const CosyHistogram *from);
/* NULL if there is none. */
const CosyHistogram *pool_histogram(const Replications *r, uint32_t group,
                                    uint32_t which);
/* Replications that are in the histograms of a group. */
uint32_t pool_runs(const Replications *r, uint32_t group);
bool pool_any(const Replications *r);
/* The value of "pooled": an object with a member per HISTOGRAM. */
void pool_json(Buffer *b, const Replications *r);
/* The histograms of a group, as text. */
void pool_table(Buffer *b, const Replications *r, uint32_t group);

#endif
