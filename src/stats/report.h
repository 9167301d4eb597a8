#ifndef COSY_STATS_REPORT_H
#define COSY_STATS_REPORT_H

/* What a run has to say on a terminal, in at most 80 columns: a line of a
   table, and its statistics if it has some. */

#include "stats/summary.h"

#define report_head       COSY_NAME(report_head)
#define report_run        COSY_NAME(report_run)
#define report_parameters COSY_NAME(report_parameters)

/* The heading of the lines. */
void report_head(Buffer *b, const CosyModel *m);
/* NAME=value, NAME=value: as many as have room in so many columns; if some vary
   from run to run, these alone. */
void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room);
/* Without `statistics` only the line. */
void report_run(Buffer *b, const Cosy *c, const RunFacts *f, bool statistics);

#endif
