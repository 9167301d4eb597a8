#ifndef COSY_STATS_CSV_H
#define COSY_STATS_CSV_H

/* Reads a table that COSY has written, from its text: a line of names, then lines
   with as many cells. What COSY does not write is a fault that names file and line.

       csv_open     the names of the columns
       csv_find     which column has a name
       csv_next     the next line; false: there is none
       csv_line     its cells
       csv_number   one of them as a number
       csv_close */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/real.h"

#define Csv        COSY_NAME(Csv)
#define csv_open   COSY_NAME(csv_open)
#define csv_broken COSY_NAME(csv_broken)
#define csv_find   COSY_NAME(csv_find)
#define csv_next   COSY_NAME(csv_next)
#define csv_line   COSY_NAME(csv_line)
#define csv_number COSY_NAME(csv_number)
#define csv_count  COSY_NAME(csv_count)
#define csv_close  COSY_NAME(csv_close)

typedef struct Csv {
    const char *name; // of the file, for messages
    char *at, *end;
    uint32_t line;
    Arena arena;
    char **head; // names of the columns
    uint32_t columns;
    char **cell; // of the present line
    Fault *fault;
} Csv;

/* The file is to begin with `first`. Its text, `n` bytes, is changed; the cells lie
   in it. */
Status csv_open(Csv *c, char *text, size_t n, const char *name,
                const char *first, Fault *f);
/* A fault at the present line: "does not have ..." */
Status csv_broken(const Csv *c, const char *what);
/* COSY_NONE: there is no such column. It is looked for from `guess` on, since most
   are where the model has them. */
uint32_t csv_find(const Csv *c, const char *name, uint32_t guess);
bool csv_next(const Csv *c);
Status csv_line(Csv *c);
/* Also nan, inf and -inf. */
Status csv_number(const Csv *c, uint32_t column, real *value);
/* A whole number that is not negative. */
Status csv_count(const Csv *c, uint32_t column, uint64_t *value);
void csv_close(Csv *c);

#endif
