#ifndef COSY_STATS_REREAD_H
#define COSY_STATS_REREAD_H

/* Reads back what stats/record.h has written: the rows of run-NNNN.csv or cross.csv,
   for a model whose OUTPUT may have changed since. Columns are found by their names
   and units, so the file may have others besides, in any order. */

#include "base/buffer.h"
#include "base/status.h"
#include "cosy/model.h"

#define reread_rows COSY_NAME(reread_rows)

/* Rows as record_append makes them. `text` is the file, `n` its bytes, which are
   changed; `name` is for messages. `missing` gets the names, with units, of columns
   of the model that the file does not have, separated by commas: then there are no
   rows. Anything that COSY does not write into such a file is a fault that names its
   line. */
Status reread_rows(Vector *rows, const CosyModel *m, bool cross, char *text,
                   size_t n, const char *name, Buffer *missing, Fault *f);

#endif
