#ifndef COSY_STORE_TABLE_H
#define COSY_STORE_TABLE_H

/* A table of results (run-NNNN.csv and its like), read block by block, so that
   its length does not matter. A block has the cells of some rows, column by
   column.

       table_open     a file; leaves the names of its columns
       table_next     the next block; no rows: the table has ended
       table_close

   A column of a block consists of numbers if each of its cells is what COSY
   writes for a double. Any other column is kept as it was written: words, and
   the numbers of EXTENDED and QUAD, which have more digits than a double.

   Whoever has blocks from elsewhere (store/results.h) fills a Table by
   table_begin and its columns. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/status.h"

typedef struct TableColumn {
    const char *name; // cell of the first line, with its unit: "X [km]"
    bool exact;       // its values say everything, and `cells` is empty
    Vector value;     // doubles; NaN: a word
    Buffer cells;     // as they were written, each ending with NUL
} TableColumn;

typedef struct Table {
    const char *name; // in messages
    Arena arena;
    const char *head; // the first line, without its line feed
    TableColumn *column;
    uint32_t columns;
    uint32_t most;  // rows of a block
    uint32_t rows;  // of this block
    uint64_t begin; // rows before it
    /* The file, and what was read of it and is not yet taken. */
    FILE *file;
    Vector text;
    size_t at, line;
} Table;

/* `name` must live as long as the table. */
Status table_open(Table *t, const char *path, const char *name, Fault *f);
/* Names the columns by a line of names. */
Status table_begin(Table *t, const char *name, const char *head, size_t length,
                   Fault *f);
/* Reads the next block of a file. */
Status table_next(Table *t, Fault *f);
/* Empties the block; the columns keep their memory. */
void table_clear(Table *t);
void table_close(Table *t);

/* Appends the rows of the block as lines of a file. */
void table_print(Buffer *b, const Table *t);

static inline const double *table_values(const Table *t, uint32_t column)
{
    return (const double *)(const void *)t->column[column].value.bytes;
}

/* What stands before the unit, and the unit, "" without one: of "A[3] [V]" they
   are A[3] and V. Both have room for strlen(name) + 1 characters. */
void table_split_name(const char *name, char *plain, char *unit);

#endif
