#ifndef COSY_STATS_NUMBER_H
#define COSY_STATS_NUMBER_H

/* Numbers as text, in the precision of the kernel. The output is the shortest
   of the usual forms that reads back as the same number: at most 17, 21 or 36
   digits (COSY_DIGITS). The program never leaves the "C" locale, so the decimal
   point is a point. */

#include "base/buffer.h"
#include "base/decimal.h"
#include "cosy/real.h"

#define number_text    COSY_NAME(number_text)
#define number_word    COSY_NAME(number_word)
#define number_json    COSY_NAME(number_json)
#define number_read    COSY_NAME(number_read)
#define number_print   COSY_NAME(number_print)
#define number_refusal COSY_NAME(number_refusal)

/* Room for any number as text: digits, sign, point, exponent, end. */
#define NUMBER_LENGTH DECIMAL_LENGTH

/* Plain; a number that is not finite is nan, inf or -inf. */
void number_text(Buffer *b, real value);
/* As a JSON value: null if not finite; in EXTENDED and QUAD a string, because a
   reader of JSON would round it to double. */
void number_json(Buffer *b, real value);
/* As WRITE shows what is not finite: INF, -INF or nan. */
void number_word(Buffer *b, real value);
/* As %.*f, %.*e or %.*g of printf: form is 'f', 'e' or 'g'. A number that is
   not finite is nan, inf or -inf. */
void number_print(Buffer *b, char form, int digits, real value);
/* Reads a decimal number (sign, digits, point, exponent) that is the whole
   text; false if it is not one, or too large or too small. */
bool number_read(const char *text, real *value);
/* The same; NULL, or what is wrong with the text: "is not a number". */
const char *number_refusal(const char *text, real *value);

#endif
