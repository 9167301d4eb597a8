#ifndef COSY_REPORT_TABLES_H
#define COSY_REPORT_TABLES_H

/* Tables of a report, from what runs wrote about themselves. Numbers have six
   digits: summary.json has all of them. Long tables are cut, and say so. */

#include "base/buffer.h"
#include "base/tree.h"
#include "report/report.h"

enum {
    RUNS_MOST = 50,      // in a table
    DETAILS_MOST = 10,   // runs whose statistics and values are shown
    ELEMENTS_MOST = 100, // of an array
    ROWS_MOST = 300,     // of any other table
    COLUMNS_MOST = 8,    // parameters in the table of runs
    FINALS_MOST = 10,    // values of a run that stand in one row
    NAME_LONG = 20,      // characters of a name that may be broken
    FOLDED_FROM = 15     // rows that need not be seen at once
};

/* The runs that are shown. */
typedef struct RunTrees {
    const Tree *run[RUNS_MOST];
    uint32_t n;        // shown
    uint32_t all;      // that there are
    const Tree *units; // by name; NULL: there are none
} RunTrees;

/* False: no memory. */
bool table_read_runs(RunTrees *t, Arena *a, const ReportFacts *facts);

/* Number, span, parameters and end of every run. */
void table_runs(Buffer *b, const RunTrees *t, const ReportFacts *facts);
/* Whether that variable is TRUE or FALSE. */
bool table_is_truth(const ReportFacts *facts, const char *name);
/* How it was computed: method, counts, wall time, slides and all else that a
   run tells of itself. */
void table_methods(Buffer *b, const RunTrees *t);
/* What is kept of one run; false: nothing. */
bool table_statistics(Buffer *b, const Tree *run, const Tree *units);
void table_finals(Buffer *b, const Tree *run, const ReportFacts *facts);
/* A section about what FEATURES has recorded, with graphs that are numbered from
   `drawn` on; nothing where there is none. False: no memory. */
bool table_features(Buffer *b, const RunTrees *t, Arena *a, uint32_t drawn);
/* The same of all runs, a row each; false, and nothing: it does not fit. */
bool table_final_rows(Buffer *b, const RunTrees *t);
/* A section with the digits that --verify found. */
void table_verified(Buffer *b, const Tree *verify, const RunTrees *t);
/* Means over replications and their intervals. */
void table_replications(Buffer *b, const Tree *together, const Tree *units);

#endif
