#ifndef COSY_STATS_SWEEP_H
#define COSY_STATS_SWEEP_H

/* What a study has found: for every element of the lists of a SIMULATE (SWEEP,
   PARAMETER, INITCOND) what varied, how the run ended, and the values of all
   quantities; with REPLICATE their means and intervals. Only SIMULATEs whose
   lists have several elements have a table here.

       sweep_begin     a SIMULATE or STEADYSTATE: its columns
       sweep_take      at the end of a run, in any thread: its numbers
       sweep_gather    the same for the table, in the order of the runs
       sweep_mean ...  what is in it, for tables and pictures
       sweep_write     sweep.csv (sweep_file.c)
       sweep_json      for the report (sweep_file.c)
       sweep_studies   what its rows are, for summary.json (sweep_read.c)
       sweep_reread    both files read back (sweep_read.c)
       sweep_show      side by side, for a terminal (sweep_show.c)
       sweep_free

   A row is that of the last run of its element, if RERUN made several. A run that
   did not finish has no values: they are NaN, not what was computed so far.
   Memory grows with the elements of the lists, not with replications. */

#include "base/status.h"
#include "base/tree.h"
#include "stats/quantity.h"
#include "stats/replicate.h"

#define Sweep           COSY_NAME(Sweep)
#define SweepTable      COSY_NAME(SweepTable)
#define SweepRow        COSY_NAME(SweepRow)
#define SweepBegin      COSY_NAME(SweepBegin)
#define SweepEnds       COSY_NAME(SweepEnds)
#define sweep_begin     COSY_NAME(sweep_begin)
#define sweep_take      COSY_NAME(sweep_take)
#define sweep_gather    COSY_NAME(sweep_gather)
#define sweep_present   COSY_NAME(sweep_present)
#define sweep_tables    COSY_NAME(sweep_tables)
#define sweep_row       COSY_NAME(sweep_row)
#define sweep_setting   COSY_NAME(sweep_setting)
#define sweep_parameter COSY_NAME(sweep_parameter)
#define sweep_quantity  COSY_NAME(sweep_quantity)
#define sweep_find      COSY_NAME(sweep_find)
#define sweep_varied    COSY_NAME(sweep_varied)
#define sweep_mean      COSY_NAME(sweep_mean)
#define sweep_tally     COSY_NAME(sweep_tally)
#define sweep_half      COSY_NAME(sweep_half)
#define sweep_ends      COSY_NAME(sweep_ends)
#define sweep_choose    COSY_NAME(sweep_choose)
#define sweep_status    COSY_NAME(sweep_status)
#define sweep_is_whole  COSY_NAME(sweep_is_whole)
#define sweep_is_truth  COSY_NAME(sweep_is_truth)
#define sweep_put_name  COSY_NAME(sweep_put_name)
#define sweep_put_value COSY_NAME(sweep_put_value)
#define sweep_put_words COSY_NAME(sweep_put_words)
#define sweep_write     COSY_NAME(sweep_write)
#define sweep_json      COSY_NAME(sweep_json)
#define sweep_studies   COSY_NAME(sweep_studies)
#define sweep_reread    COSY_NAME(sweep_reread)
#define sweep_show      COSY_NAME(sweep_show)
#define sweep_free      COSY_NAME(sweep_free)

/* The most quantities of a table, and the rows that are shown of it. Up to
   SWEEP_FEW elements are told one by one as well. */
enum {
    SWEEP_QUANTITIES = 200,
    SWEEP_SHOWN = 50,
    SWEEP_FEW = 5,
    SWEEP_TABLES = 5 // that are shown; a loop of SIMULATEs may make many
};

/* An element of the lists. `run` is the number of its first run that counts, 0
   while there is none. */
typedef struct SweepRow {
    uint32_t run;
    uint32_t runs, stopped, failed;
} SweepRow;

/* One SIMULATE. Rows are in the order of the elements. */
typedef struct SweepTable {
    const CosyModel *model;
    uint32_t frame;
    uint32_t first; // number of its first run
    uint32_t elements, parameters, width;
    bool replicated, antithetic;
    bool sampled; // its elements are points of UNCERTAIN: not shown one by one
    Vector parameter;  // RunSetting: which variables vary
    Vector quantities; // Quantity
    Vector order;      // uint32_t: quantities, those that matter most first
    uint32_t asked;    // how many of these OUTPUT asks for
    Vector rows;       // SweepRow
    Vector settings;   // reals: `parameters` per row
    Vector values;     // reals: `width` per row, without replications
    Vector tallies;    // Tally, the same with them
    Vector partners;   // reals, with ANTITHETIC
} SweepTable;

/* All of an experiment. To be initialized with zeros. */
typedef struct Sweep {
    Vector tables;    // of SweepTable
    uint32_t present; // number of that of the present SIMULATE, from 1; 0: none
} Sweep;

typedef struct SweepBegin {
    const Cosy *c; // the experiment's instance
    const CosySimulate *simulate;
    uint32_t first;    // number of the first run
    uint32_t elements; // of the lists
    bool replicated, antithetic, sampled;
    const RunSetting *setting; // all of a run; those that vary are columns
    uint32_t settings;
} SweepBegin;

Status sweep_begin(Sweep *s, const SweepBegin *b);
/* Replaces `taken` by the numbers of the run; `ended` is its status. */
bool sweep_take(const Sweep *s, const QuantityRun *run, Status ended,
                const RunSetting *setting, uint32_t settings, Vector *taken);
void sweep_gather(Sweep *s, uint32_t element, const Vector *taken);

/* The table of the present SIMULATE; NULL: its lists have one element. */
SweepTable *sweep_present(const Sweep *s);
const SweepTable *sweep_tables(const Sweep *s, uint32_t *n);
const SweepRow *sweep_row(const SweepTable *t, uint32_t row);
real sweep_setting(const SweepTable *t, uint32_t row, uint32_t parameter);
const RunSetting *sweep_parameter(const SweepTable *t, uint32_t parameter);
const Quantity *sweep_quantity(const SweepTable *t, uint32_t quantity);
/* The parameter that an element of a variable is, or with COSY_NONE any of them;
   COSY_NONE: it does not vary. */
uint32_t sweep_varied(const SweepTable *t, uint32_t variable, uint32_t at);
/* The quantity that an element of a variable is; COSY_NONE: none. */
uint32_t sweep_find(const SweepTable *t, uint32_t variable, uint32_t at);
/* The value, or the mean of the replications; NaN: there is none. */
real sweep_mean(const SweepTable *t, uint32_t row, uint32_t quantity);
/* The figures of replications; n = 0: there are none. */
Tally sweep_tally(const SweepTable *t, uint32_t row, uint32_t quantity);
/* Half the width of the 95 % interval of the mean; NaN: there is none. */
real sweep_half(const SweepTable *t, uint32_t row, uint32_t quantity);
/* "finished", "stopped", "failed" */
const char *sweep_status(const SweepRow *row);
/* Whether all rows are finished. */
bool sweep_is_whole(const SweepTable *t);

/* The rows with the least and the greatest value. */
typedef struct SweepEnds {
    bool varies; // they differ
    uint32_t least, greatest;
} SweepEnds;

SweepEnds sweep_ends(const SweepTable *t, uint32_t quantity);
/* Whether it is TRUE or FALSE: then no row is the greatest. */
bool sweep_is_truth(const SweepTable *t, uint32_t quantity);
/* The quantities worth showing, at most `most`: those that OUTPUT asks for, then
   those that differ from row to row. *left: how many more of these there are. */
uint32_t sweep_choose(const SweepTable *t, uint32_t *chosen, uint32_t most,
                      uint32_t *left);
/* Name of a parameter; its value in a row; "A = 1, B = TRUE". */
void sweep_put_name(Buffer *b, const SweepTable *t, uint32_t parameter);
void sweep_put_value(Buffer *b, const SweepTable *t, uint32_t parameter,
                     real value, int digits);
void sweep_put_words(Buffer *b, const SweepTable *t, uint32_t row);

/* DIR/sweep.csv; none if there is no table. */
Status sweep_write(const Sweep *s, const char *dir, Fault *f);
/* A list of tables, each with the first SWEEP_SHOWN rows. */
void sweep_json(Buffer *b, const Sweep *s);
/* A list with an object per table: what stands in its rows of sweep.csv, and which
   of their runs did not finish. */
void sweep_studies(Buffer *b, const Sweep *s);
/* Fills an empty Sweep from that list and the text of the file, `n` bytes, which
   are changed. OUTPUT may be another one now: `missing` gets what it asks for and
   the file does not have, separated by commas. */
Status sweep_reread(Sweep *s, const CosyModel *m, const Tree *studies,
                    char *text, size_t n, Buffer *missing, Fault *f);
/* All tables in `wide` columns; `file`: rows that are left out are in it. */
void sweep_show(Buffer *b, const Sweep *s, uint32_t wide, bool file);
void sweep_free(Sweep *s);

static inline bool sweep_any(const Sweep *s)
{
    return s->tables.used > 0;
}

#endif
