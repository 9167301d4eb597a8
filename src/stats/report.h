#ifndef COSY_STATS_REPORT_H
#define COSY_STATS_REPORT_H

/* What runs have to say on a terminal: a line of a table for each, and its
   statistics if it has some.

       report_run     as runs come: cells of a line, and tables
       report_table   at the end: lays out all lines, when the widths are known */

#include "stats/summary.h"

#define report_table      COSY_NAME(report_table)
#define report_run        COSY_NAME(report_run)
#define report_parameters COSY_NAME(report_parameters)

/* NAME=value, NAME=value: as many as have room in so many columns; if some vary
   from run to run, these alone. */
void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room);
/* Without `statistics` only the line. */
void report_run(Buffer *b, const Cosy *c, const RunFacts *f, bool statistics);
/* All that report_run has left in `text`, with a heading. Columns are as wide as
   their widest cell, so none runs into another. Settings that have no room in
   `wide` columns stand below their line. */
void report_table(Buffer *b, const CosyModel *m, const char *text, size_t wide);

#endif
