#ifndef COSY_STATS_REPORT_H
#define COSY_STATS_REPORT_H

/* What a terminal shows about runs: a line of a table for each, and its
   statistics if there are any.

       report_run     as runs finish: the cells of a line, and tables
       report_table   at the end, when the widths are known: lays out all lines */

#include "stats/summary.h"

#define report_table      COSY_NAME(report_table)
#define report_run        COSY_NAME(report_run)
#define report_parameters COSY_NAME(report_parameters)

/* NAME=value, NAME=value: as many as fit into `room` columns; if some vary from
   run to run, only these. */
void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room);
/* Without `statistics`, only the line. */
void report_run(Buffer *b, const Cosy *c, const RunFacts *f, bool statistics);
/* Everything that report_run has left in `text`, with a heading. Columns are as
   wide as their widest cell, so none runs into another. Settings that do not
   fit into `wide` columns go below their line. */
void report_table(Buffer *b, const CosyModel *m, const char *text, size_t wide);

#endif
