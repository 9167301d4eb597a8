#ifndef COSY_STATS_TABLES_H
#define COSY_STATS_TABLES_H

/* The statistics of a run as tables for a terminal of 80 columns: one per kind
   that the model has. A number has up to five digits, as many as fit its
   column; a dash stands for what does not exist. A name that is too long for
   its column gets a line of its own. */

#include "base/buffer.h"
#include "cosy/model.h"
#include "stats/summary.h"

#define tables_statistics COSY_NAME(tables_statistics)
#define tables_histogram  COSY_NAME(tables_histogram)
#define tables_cell       COSY_NAME(tables_cell)

#define TABLE_WIDTH 80

/* All tables but histograms; of `f` the course, quantiles and warm-up. */
void tables_statistics(Buffer *b, const Cosy *c, const RunFacts *f);
/* Limits, counts, per cent, cumulative per cent and bars. Empty cells at both
   ends are left out. */
void tables_histogram(Buffer *b, const CosyHistogram *h, const char *name,
                      const char *unit);
/* A number, right-justified, with at least one blank in front of it. */
void tables_cell(Buffer *b, real value, int width);

#endif
