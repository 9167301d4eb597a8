#ifndef COSY_STATS_REPORT_H
#define COSY_STATS_REPORT_H

/* What a run has to say on a terminal, in at most 80 columns: a line of a
   table, and its statistics if it has some. */

#include "stats/summary.h"

#define report_head COSY_NAME(report_head)
#define report_run  COSY_NAME(report_run)

/* The heading of the lines. */
void report_head(Buffer *b, const CosyModel *m);
void report_run(Buffer *b, const Cosy *c, const RunFacts *f);

#endif
