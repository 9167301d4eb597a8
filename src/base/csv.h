#ifndef COSY_BASE_CSV_H
#define COSY_BASE_CSV_H

/* Numbers in a file of comma-separated values, as other programs write them.

   The first line that is not empty names the columns. The notation is
   determined once, from the whole file: the separator (; or a tab if that line
   has one, else a comma; a single column has none) and the decimal mark (that
   of the first number that has one). A cell may be quoted; inside quotes a
   separator or the end of a line is text and "" is a quote (RFC 4180). Lines
   end in CR, LF or both; empty lines are skipped, and so is a UTF-8 byte order
   mark at the beginning.

   Every line is checked: it has as many cells as there are columns (not
   counting empty ones at its end), and a number where one is wanted. The first
   mistake ends the reading, and the fault names its line and column.

       csv_open       determines the notation; leaves the reader after the names
       csv_find       the number of a column
       csv_unit       its unit
       csv_row        the numbers of the next line
       csv_describe   the notation, if it is not commas and points */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum { CSV_NUMBER = 400 }; // characters of a number, including its NUL

typedef struct Csv {
    const char *name; // name of the file, in messages
    const char *at, *end;
    uint32_t line; // line in which `at` is, from 1
    uint32_t columns;
    char separator;     // NUL: none
    char mark;          // decimal mark
    uint32_t mark_line; // where the mark was seen; 0: nowhere
    const char *head;   // the line of names
    uint32_t head_line;
} Csv;

typedef enum CsvKind {
    CSV_IS_NUMBER, // in every line
    CSV_OR_EMPTY,  // a number, or nothing
    CSV_IS_TEXT    // anything
} CsvKind;

/* A column that is wanted, and its number in the present line. */
typedef struct CsvWanted {
    const char *name;
    uint32_t column;
    CsvKind kind;
    char text[CSV_NUMBER]; // a number: with a decimal point, without a plus
} CsvWanted;

/* `bytes` must stay until the last row has been read. */
Status csv_open(Csv *c, const char *name, const char *bytes, size_t length,
                Fault *f);
/* Fills w->column. Names are compared without case, blanks and what stands in
   brackets (a unit). */
Status csv_find(const Csv *c, CsvWanted *w, Fault *f);
/* Finds the text in brackets at the end of a column's name: mV in `U [mV]`, V
   in `A[3] [V]`, nothing in `A[3]`, where it is the index. False: there is
   none, or it is too long. */
bool csv_unit(const Csv *c, const CsvWanted *w, char *unit, size_t size);
/* *line is the line of the row; 0: there is no row left. */
Status csv_row(Csv *c, CsvWanted *w, uint32_t wanted, uint32_t *line, Fault *f);
/* False: there is nothing to report. */
bool csv_describe(const Csv *c, char *text, size_t size);

#endif
