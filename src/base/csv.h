#ifndef COSY_BASE_CSV_H
#define COSY_BASE_CSV_H

/* Numbers in a file of comma-separated values, as other programs write them.

   The first line that is not empty names the columns. How the file is written is
   decided once, from the whole of it: the separator (; or a tab where that
   line has one, else a comma; a single column has none) and the decimal mark (of
   the first number that has one). A cell may stand in quotes, where a separator
   or the end of a line is text and "" is a quote (RFC 4180). Lines end in CR, LF
   or both; empty ones are left out; a mark of UTF-8 at the beginning is skipped.

   Every line is checked: it has as many cells as there are columns (empty ones
   at its end aside), and where a number is asked for there is one. The first
   thing that is wrong ends the reading, and the fault says in which line and
   column.

       csv_open       decides; leaves the reader behind the names
       csv_find       the number of a column
       csv_unit       its unit
       csv_row        the numbers of the next line
       csv_describe   how the file is written, if not with commas and points */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { CSV_NUMBER = 400 }; // characters of a number, with its NUL

typedef struct Csv {
    const char *name; // of the file, in messages
    const char *at, *end;
    uint32_t line; // in which `at` is, from 1
    uint32_t columns;
    char separator;     // NUL: none
    char mark;          // of decimals
    uint32_t mark_line; // where that was seen; 0: nowhere
    const char *head;   // the line of names
    uint32_t head_line;
} Csv;

/* A column that is wanted, and its number in the present line. */
typedef struct CsvWanted {
    const char *name;
    uint32_t column;
    char text[CSV_NUMBER]; // with a decimal point, without a plus
} CsvWanted;

/* `bytes` stay until the last row. */
Status csv_open(Csv *c, const char *name, const char *bytes, size_t length,
                Fault *f);
/* Fills w->column. Names are the same without case, blanks and what stands in
   brackets (a unit). */
Status csv_find(const Csv *c, CsvWanted *w, Fault *f);
/* What stands in brackets at the end of the name of a column that was found:
   `U [mV]`, and of `A[3] [V]` the second; not the index of `A[3]`. False: there
   is nothing, or it is too long. */
bool csv_unit(const Csv *c, const CsvWanted *w, char *unit, size_t size);
/* *line is that of the row; 0: there is none left. */
Status csv_row(Csv *c, CsvWanted *w, uint32_t wanted, uint32_t *line, Fault *f);
/* False: there is nothing to tell. */
bool csv_describe(const Csv *c, char *text, size_t size);

#endif
