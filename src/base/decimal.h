#ifndef COSY_BASE_DECIMAL_H
#define COSY_BASE_DECIMAL_H

/* A double as the shortest decimal text that reads back as the same number, in
   the form of %g. The program never leaves the "C" locale, so the decimal point
   is a point. */

#include <stddef.h>

/* Room for any double as text: digits, sign, point, exponent, end. */
#define DECIMAL_LENGTH 64

/* Returns the length. A number that is not finite is nan, inf or -inf. */
size_t decimal_print(char text[DECIMAL_LENGTH], double value);

#endif
