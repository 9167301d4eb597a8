#ifndef COSY_STORE_RESULTS_H
#define COSY_STORE_RESULTS_H

/* What a run of cosy left, whether it lies in a folder or in a database: whoever
   shows, compares or exports results need not know.

       results_folder, results_study    opens it
       results_head     all of summary.json but its runs
       results_each     the runs, one after the other, as JSON
       results_run      a run by its number, as a tree
       results_files    the names of its tables, in order
       results_table    one of them: rows_next gives block after block
       results_close */

#include <stdbool.h>
#include <stdint.h>

#include "base/tree.h"
#include "store/store.h"
#include "store/summary.h"
#include "store/table.h"

typedef struct Results {
    const char *name;   // for messages: "study 7 of base.db", or the folder
    Arena *arena;       // of those who opened it
    const char *folder; // NULL: a study
    Store *store;       // NULL: a folder
    StoreStudy study;
    Buffer text; // summary.json of a folder
    Summary summary;
    const char *head, *tail; // before and after the runs
    size_t head_length, tail_length;
    uint64_t runs;
} Results;

Status results_folder(Results *r, Arena *a, const char *folder, Fault *f);
Status results_study(Results *r, Arena *a, Store *s, int64_t number, Fault *f);
void results_close(Results *r);

/* NULL: no memory. */
const Tree *results_head(const Results *r, Arena *a);

/* Name and hash of the model's file, from what the head says of its provenance;
   NULL: it says nothing. */
const Tree *results_model(const Tree *head);

typedef struct ResultsRun {
    uint64_t number, frame;
    const char *status;
    const char *json;
    size_t length;
} ResultsRun;

/* Ends early with what `each` returns unless it is OK. */
typedef Status ResultsEach(void *user, const ResultsRun *run);
Status results_each(Results *r, ResultsEach *each, void *user, Fault *f);
/* A number that no run has is a fault. */
Status results_run(Results *r, Arena *a, uint64_t number, const Tree **run,
                   Fault *f);

/* The tables; those of one run, or all if `run` is 0. */
typedef struct ResultsFiles {
    const char **name;
    size_t n;
} ResultsFiles;

Status results_files(Results *r, Arena *a, uint64_t run, ResultsFiles *files,
                     Fault *f);
/* Whether a file of a folder is such a table, judging by its name. */
bool results_is_table(const char *name);
/* run-0001.csv, where what is "run". */
const char *results_table_name(Arena *a, const char *what, uint64_t run);

/* A table that is being read. */
typedef struct Rows {
    Table t;
    Store *store; // NULL: from a file
    int64_t file;
    uint64_t part, step;
    uint64_t count; // rows in all; 0 where it is not known before
} Rows;

/* *there: the results have such a table. */
Status results_table(Results *r, const char *name, Rows *rows, bool *there,
                     Fault *f);
/* rows->t has the next block; no rows: that was the last. */
Status rows_next(Rows *rows, Fault *f);
void rows_close(Rows *rows);

#endif
