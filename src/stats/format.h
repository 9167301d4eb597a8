#ifndef COSY_STATS_FORMAT_H
#define COSY_STATS_FORMAT_H

/* The text that WRITE and FORMAT statements print.

   print_items: items one after the other. Without a width a value is in its
   shortest form, and a blank separates it from a value just before it. X:w is
   right-justified; a REAL that is too long for w loses digits, never its
   magnitude. X:w:d has d digits after the point. A value that does not fit is
   printed wider.

   print_fortran: a FORMAT with its parentheses, as it was written. Every
   resulting line ends in a newline and still has its first character, which is
   carriage control. Descriptors:

       Ew.d Ew.dEe   Fw.d   Gw.d Gw.dEe   Iw   Lw   A Aw   nX   /
       '...' "..." $...$   (...)

   with repeat counts. A value that does not fit is a row of asterisks. When
   the list is longer than the format, a new line begins and the format is used
   again from its last group of the first level, or from its beginning. */

#include "base/buffer.h"
#include "cosy/model.h"

#define print_items   COSY_NAME(print_items)
#define print_fortran COSY_NAME(print_fortran)

/* *value: whether the text so far ends with a value; kept up to date. */
void print_items(Buffer *b, const CosyItem *item, uint32_t n, bool *value);
void print_fortran(Buffer *b, const char *format, const CosyItem *item,
                   uint32_t n);

#endif
