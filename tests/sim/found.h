/* The results of a run, read for comparison.

   Numbers are kept in __float128 from text to comparison, so that results of
   every PRECISION are compared in all their digits. Files are read whole, into
   the arena of the case. */

#ifndef COSY_TESTS_SIM_FOUND_H
#define COSY_TESTS_SIM_FOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

__extension__ typedef __float128 Number;

/* Reads a file as a string; NULL if there is none. */
char *found_file(Arena *a, const char *path);

/* The value at `path` of a JSON text: keys and positions (from 0) separated by
   a slash, "runs/0/final/Y". Strings come without their quotes, anything else
   as it is, both cut to `size`. False if there is no such value. */
bool found_json(const char *text, const char *path, char *value, size_t size);

/* A table with a header; rows count from 1. Fields are without quotes. */
typedef struct Table {
    char **cells; // header first, row after row
    size_t rows;  // without the header
    size_t columns;
} Table;

/* Reads a CSV file; false if there is none or its rows differ in length. */
bool found_table(Arena *a, const char *path, Table *table);

/* Index of a column, or table->columns if there is none. */
size_t found_column(const Table *table, const char *name);

/* Field of a row. */
const char *found_cell(const Table *table, size_t row, size_t column);

/* Reads a whole text as a number; false if it is not one. */
bool found_number(const char *text, Number *number);

/* Writes a number with up to 36 digits. */
void found_show(Number number, char *text, size_t size);

#endif
