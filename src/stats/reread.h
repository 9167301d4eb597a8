#ifndef COSY_STATS_REREAD_H
#define COSY_STATS_REREAD_H

/* Reads back what stats/record.h has written: the rows of run-NNNN.csv or cross.csv,
   for a model whose OUTPUT may have changed since. Columns are found by their names
   and units, so the file may have others besides, in any order. */

#include "base/buffer.h"
#include "base/status.h"
#include "cosy/model.h"
#include "stats/summary.h"

#define reread_rows     COSY_NAME(reread_rows)
#define reread_variable COSY_NAME(reread_variable)

/* Rows as record_append makes them. `text` is the file, `n` its bytes, which are
   changed; `name` is for messages. `spare` tells, for each of the model's `stored`,
   whether nothing needs its column: then it may lack, and is NaN. `missing` gets the
   names, with units, of other columns that the file does not have, separated by
   commas: then there are no rows. Anything that COSY does not write into such a file
   is a fault that names its line. */
Status reread_rows(Vector *rows, const CosyModel *m, bool cross,
                   const bool *spare, char *text, size_t n, const char *name,
                   Buffer *missing, Fault *f);
/* The variable that is called X, or X[3]; the index is COSY_NONE for all of a
   variable. False: there is none. */
bool reread_variable(const CosyModel *m, const char *name, RunSetting *found);

#endif
