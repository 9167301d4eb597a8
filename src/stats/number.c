#include "stats/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimals of this many digits survive the way through `real` and back, so a
   number that has so short a form prints as that form (without the trailing
   zeros, which %g drops). Only beyond it are more digits tried. */
#if COSY_PRECISION == 1
#define SAFE_DIGITS DBL_DIG
#elif COSY_PRECISION == 2
#define SAFE_DIGITS LDBL_DIG
#else
#define SAFE_DIGITS 33
/* Of libquadmath, whose header belongs to one compiler. */
extern int quadmath_snprintf(char *s, size_t size, const char *format, ...);
extern real strtoflt128(const char *s, char **end);
#endif

static void print_digits(char *s, int digits, real value)
{
#if COSY_PRECISION == 1
    snprintf(s, NUMBER_LENGTH, "%.*g", digits, value);
#elif COSY_PRECISION == 2
    snprintf(s, NUMBER_LENGTH, "%.*Lg", digits, value);
#else
    quadmath_snprintf(s, NUMBER_LENGTH, "%.*Qg", digits, value);
#endif
}

static real read_prefix(const char *s, char **end)
{
#if COSY_PRECISION == 1
    return strtod(s, end);
#elif COSY_PRECISION == 2
    return strtold(s, end);
#else
    return strtoflt128(s, end);
#endif
}

static void print_shortest(char *s, real value)
{
    for (int digits = SAFE_DIGITS; digits <= COSY_DIGITS; digits++) {
        print_digits(s, digits, value);
        if (read_prefix(s, NULL) == value)
            return;
    }
}

void number_text(Buffer *b, real value)
{
    char s[NUMBER_LENGTH];
    if (cosy_finite(value)) {
        print_shortest(s, value);
        buffer_text(b, s);
    } else if (value == value) {
        buffer_text(b, value > R(0.0) ? "inf" : "-inf");
    } else {
        buffer_text(b, "nan");
    }
}

void number_json(Buffer *b, real value)
{
    const char *quote = COSY_PRECISION == 1 ? "" : "\"";
    if (!cosy_finite(value)) {
        buffer_text(b, "null");
        return;
    }
    buffer_text(b, quote);
    number_text(b, value);
    buffer_text(b, quote);
}

/* The C library would also take blanks, hexadecimal, "inf" and "nan". */
bool number_read(const char *text, real *value)
{
    char *end;
    real found;
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    found = read_prefix(text, &end);
    if (end == text || *end != '\0' || !cosy_finite(found))
        return false;
    *value = found;
    return true;
}
