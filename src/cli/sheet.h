#ifndef COSY_CLI_SHEET_H
#define COSY_CLI_SHEET_H

/* A table of texts for a terminal. All cells are gathered first, so that every
   column is as wide as its widest cell; columns that do not fit into 80 follow
   below, each time after the first column.

       sheet_begin    names of the columns: "busy|%" takes two lines; one that
                      begins with "<" is left-justified, as the first always is
       sheet_text, sheet_number, ...    cell after cell, row after row
       sheet_print    to a buffer
       sheet_free

   A last column that is left-justified may be cut ("~"), to the width that is
   left for it. */

#include <stdint.h>

#include "base/buffer.h"

enum { SHEET_COLUMNS = 24, SHEET_WIDTH = 80 };

typedef struct Sheet {
    const char *head[SHEET_COLUMNS];
    uint32_t columns;
    Buffer cells; // texts that end with NUL
    size_t n;     // of them
} Sheet;

void sheet_begin(Sheet *s, const char *const *head, uint32_t columns);
void sheet_text(Sheet *s, const char *text);
/* At most as many digits; a dash for what does not exist. */
void sheet_number(Sheet *s, double value, int digits);
void sheet_print(Buffer *b, const Sheet *s);
void sheet_free(Sheet *s);

static inline size_t sheet_rows(const Sheet *s)
{
    return s->n / s->columns;
}

#endif
