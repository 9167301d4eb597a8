#ifndef COSY_STATS_REPORT_H
#define COSY_STATS_REPORT_H

/* What a run has to say on a terminal: a table of at most 80 columns. */

#include "stats/summary.h"

#define report_run COSY_NAME(report_run)

void report_run(Buffer *b, const Cosy *c, const RunFacts *f);

#endif
