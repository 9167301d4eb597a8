#ifndef COSY_REPORT_TABLES_H
#define COSY_REPORT_TABLES_H

/* Tables of a report, from the runs of summary.json. Numbers have six digits;
   summary.json has all of them. Long tables are cut, and say so. */

#include "base/buffer.h"
#include "base/tree.h"
#include "report/report.h"

enum {
    RUNS_MOST = 50,      // in a table
    DETAILS_MOST = 10,   // runs whose statistics and values are shown
    ELEMENTS_MOST = 100, // of an array
    ROWS_MOST = 300,     // of any other table
    COLUMNS_MOST = 8,    // parameters in the table of runs
    FINALS_MOST = 10,    // values of a run in one row
    NAME_LONG = 20,      // characters from which on a name may be broken
    FOLDED_FROM = 15     // rows from which on a table is folded
};

/* The runs that are shown. */
typedef struct RunTrees {
    const Tree *run[RUNS_MOST];
    uint32_t n;        // shown
    uint32_t all;      // in the experiment
    const Tree *units; // by name; NULL: there are none
} RunTrees;

/* False: no memory. */
bool table_read_runs(RunTrees *t, Arena *a, const ReportFacts *facts);

/* Number, span, parameters and end of every run. */
void table_runs(Buffer *b, const RunTrees *t, const ReportFacts *facts);
/* Whether the values of that variable are TRUE and FALSE. */
bool table_is_truth(const ReportFacts *facts, const char *name);
/* How it was computed: method, counts, wall time, slides and everything else
   that a run says about itself. */
void table_methods(Buffer *b, const RunTrees *t);
/* The statistics of one run; false: there are none. */
bool table_statistics(Buffer *b, const Tree *run, const Tree *units);
void table_finals(Buffer *b, const Tree *run, const ReportFacts *facts);
/* A section about what FEATURES has recorded, if anything, with graphs numbered
   from `drawn` on. False: no memory. */
bool table_features(Buffer *b, const RunTrees *t, Arena *a, uint32_t drawn);
/* A section about the errors that the grids of FIELDs leave, if there are any. */
void table_grids(Buffer *b, const RunTrees *t);
/* A section about what STEADYSTATE and LINEARIZE have found, if anything. */
void table_analyses(Buffer *b, const RunTrees *t);
/* The final values of all runs, a row each; false, and nothing, if they do not
   fit. */
bool table_final_rows(Buffer *b, const RunTrees *t);
/* A section with the digits that --verify found. */
void table_verified(Buffer *b, const Tree *verify, const RunTrees *t);
/* Means over replications and their intervals. */
void table_replications(Buffer *b, const Tree *together, const Tree *units);
/* Differences from the base, and what REPLICATE BEST has selected. */
void table_comparisons(Buffer *b, const Tree *compared, const Tree *units);
void table_selections(Buffer *b, const Tree *selected, const Tree *units);

#endif
