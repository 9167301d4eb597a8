#ifndef COSY_STATS_SWEEP_COLUMNS_H
#define COSY_STATS_SWEEP_COLUMNS_H

/* The columns of sweep.csv, which all studies of an experiment share: a column is
   known by its heading, and a study has cells in some of them. Used by what writes
   the file and by what reads it back.

       sweep_columns_open   the headings
       sweep_places         those of one study
       sweep_columns_free */

#include "stats/sweep.h"

#define SweepColumns       COSY_NAME(SweepColumns)
#define SweepPlaces        COSY_NAME(SweepPlaces)
#define sweep_columns_open COSY_NAME(sweep_columns_open)
#define sweep_columns_free COSY_NAME(sweep_columns_free)
#define sweep_places       COSY_NAME(sweep_places)
#define sweep_heading      COSY_NAME(sweep_heading)
#define sweep_lay_out      COSY_NAME(sweep_lay_out)
#define sweep_table_free   COSY_NAME(sweep_table_free)

/* Which figure of a quantity a column has. */
typedef enum SweepPart {
    SWEEP_VALUE,
    SWEEP_N,
    SWEEP_MEAN,
    SWEEP_SD,
    SWEEP_LOW,
    SWEEP_HIGH,
    SWEEP_PARTS
} SweepPart;

/* Headings one after the other, each with its NUL. */
typedef struct SweepNames {
    Buffer text;
    uint32_t n;
} SweepNames;

typedef struct SweepColumns {
    SweepNames parameters, quantities;
} SweepColumns;

/* Where the columns of a study are among all of them; for each quantity one place
   per figure, from sweep_first to sweep_last. */
typedef struct SweepPlaces {
    uint32_t *parameter, *quantity;
} SweepPlaces;

/* False: there is no memory. */
bool sweep_columns_open(SweepColumns *c, const Sweep *s);
bool sweep_places(SweepPlaces *p, Arena *a, const SweepTable *t,
                  SweepColumns *c);
/* Number k of them. */
const char *sweep_heading(const SweepNames *all, uint32_t k);
void sweep_columns_free(SweepColumns *c);

/* sweep.c: what OUTPUT asks for, and rows without values, of a table whose
   parameters and quantities are known; false: there is no memory. */
bool sweep_lay_out(SweepTable *t);
void sweep_table_free(SweepTable *t);

/* Which figures of a quantity a study has. */
static inline SweepPart sweep_first(const SweepTable *t)
{
    return t->replicated ? SWEEP_N : SWEEP_VALUE;
}

static inline SweepPart sweep_last(const SweepTable *t)
{
    return t->replicated ? SWEEP_HIGH : SWEEP_VALUE;
}

#endif
