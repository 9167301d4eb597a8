#ifndef COSY_STORE_STORE_H
#define COSY_STORE_STORE_H

/* Studies kept in one file, an SQLite database: the base of chapter XI.

   A study is what one `cosy run` left in its folder of results: its
   summary.json, the curves and all other tables. It is stored in one
   transaction, wholly or not at all, and can be written out again to the same
   bytes. The same study stored twice is two entries with their own dates; a
   model's text is kept once, however many studies have it.

       store_look     whether it can be used
       store_open     a file that exists, or, with STORE_MAKE, a new one
       store_keep     a folder becomes a study
       store_list     all studies, in the order of their numbers
       store_find     one of them
       store_delete   studies go; their numbers are not given again
       store_close

   store/results.h reads what is in a study.

   Several processes may use a file at once, also over a network: there is no
   shared memory (no WAL). A process that finds it locked waits; one that was
   killed while it stored leaves nothing, since the next one takes its part of
   the work back.

   The tables, for whoever reads them with other programs:

       model     sha256 and text
       study     date (UTC), label, program, source (name of the model's file),
                 cosy (version), model, numbers of runs, of those stopped and of
                 those that failed
       summary   summary.json before and after its runs
       run       a row per run: its number, frame, status, and json, its object
                 in summary.json
       file      a row per table (run-0001.csv): its first line, number of rows,
                 and how many of them make a block
       block     the cells of one column in one block: numbers (form 0) or
                 words (form 2) as store/pack.h writes them, or texts that end
                 with NUL (form 1)

   The views parameter and final have a row per run and name: study, run, name,
   value. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct Store Store;

typedef enum StoreUse { STORE_READ, STORE_CHANGE, STORE_MAKE } StoreUse;

/* The store lies in the arena. NULL: it cannot be used, as the fault says. */
Store *store_open(Arena *a, const char *path, StoreUse use, Fault *f);
/* Whether a study could be stored there, as far as that can be known before;
   nothing is changed. */
Status store_look(const char *path, Fault *f);
void store_close(Store *s);
const char *store_path(const Store *s);

/* What is to be kept besides the folder. */
typedef struct StoreEntry {
    const char *folder;
    const char *label; // or NULL
    const char *text;  // of the model; NULL: not known
    size_t length;
    const char *date; // "2026-11-19T14:52:47Z"; NULL: now
} StoreEntry;

/* *number: of the new study. */
Status store_keep(Store *s, const StoreEntry *e, int64_t *number, Fault *f);

typedef struct StoreStudy {
    int64_t number;
    const char *date, *label, *program, *source, *cosy;
    const char *sha256; // of the model's text; "" if it has none
    uint64_t runs, stopped, failed;
} StoreStudy;

/* Calls `each` in the order of the numbers; a program's name is compared
   without case; NULL: all. */
Status store_list(Store *s, const char *program,
                  void (*each)(void *user, const StoreStudy *study), void *user,
                  Fault *f);
/* The texts are copied to the arena. */
Status store_find(Store *s, Arena *a, int64_t number, StoreStudy *out,
                  Fault *f);
/* The model's text; NULL if it was not kept. */
Status store_model(Store *s, Arena *a, int64_t number, const char **text,
                   size_t *length, Fault *f);
/* All of them or, if one is missing, none. With `vacuum` the file shrinks. */
Status store_delete(Store *s, const int64_t *number, size_t n, bool vacuum,
                    Fault *f);

/* Milliseconds to wait for other processes; 60,000 unless told. */
void store_wait(Store *s, int milliseconds);

#endif
