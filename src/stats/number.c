#include "stats/number.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SAFE_DIGITS: decimals of this many digits survive a round trip through `real`,
   so a number that has such a short form prints as that form (without trailing
   zeros, which %g drops). Only then are more digits tried. Doubles have a faster
   way (base/decimal.h). */
#if COSY_PRECISION == 1
#define PRINT(s, size, form, digits, value)                                    \
    snprintf(s, size, "%.*" form, digits, value)
#elif COSY_PRECISION == 2
#define SAFE_DIGITS LDBL_DIG
#define PRINT(s, size, form, digits, value)                                    \
    snprintf(s, size, "%.*L" form, digits, value)
#else
#define SAFE_DIGITS 33
#define PRINT(s, size, form, digits, value)                                    \
    quadmath_snprintf(s, size, "%.*Q" form, digits, value)
/* From libquadmath, whose header belongs to one compiler. */
extern int quadmath_snprintf(char *s, size_t size, const char *format, ...);
extern real strtoflt128(const char *s, char **end);
#endif

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

#if COSY_PRECISION == 1

static void print_shortest(char s[NUMBER_LENGTH], real value)
{
    decimal_print(s, value);
}

#else

static void print_shortest(char s[NUMBER_LENGTH], real value)
{
    for (int digits = SAFE_DIGITS; digits <= COSY_DIGITS; digits++) {
        PRINT(s, NUMBER_LENGTH, "g", digits, value);
        if (read_prefix(s, NULL) == value)
            return;
    }
}

#endif

static void put_not_finite(Buffer *b, real value)
{
    if (value == value)
        buffer_text(b, value > R(0.0) ? "inf" : "-inf");
    else
        buffer_text(b, "nan");
}

void number_word(Buffer *b, real value)
{
    assert(!cosy_finite(value));
    if (value == value)
        buffer_text(b, value > R(0.0) ? "INF" : "-INF");
    else
        buffer_text(b, "nan");
}

void number_text(Buffer *b, real value)
{
    char s[NUMBER_LENGTH];
    if (!cosy_finite(value)) {
        put_not_finite(b, value);
        return;
    }
    print_shortest(s, value);
    buffer_text(b, s);
}

static int print_form(char *s, size_t size, char form, int digits, real value)
{
    switch (form) {
    case 'f': return PRINT(s, size, "f", digits, value);
    case 'e': return PRINT(s, size, "e", digits, value);
    default: return PRINT(s, size, "g", digits, value);
    }
}

/* Prints once to see how long it is (QUAD has numbers of 4933 digits), and once
   into enough room. */
void number_print(Buffer *b, char form, int digits, real value)
{
    char s[2 * NUMBER_LENGTH];
    int n;
    if (!cosy_finite(value)) {
        put_not_finite(b, value);
        return;
    }
    n = print_form(s, sizeof s, form, digits, value);
    if (n < (int)sizeof s) {
        buffer_text(b, s);
        return;
    }
    b->broken = b->broken || !vector_reserve(&b->v, b->v.used + (size_t)n + 1);
    if (b->broken)
        return;
    print_form((char *)b->v.bytes + b->v.used, (size_t)n + 1, form, digits,
               value);
    b->v.used += (size_t)n;
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

static bool has_digit(const char *text)
{
    size_t mantissa = strcspn(text, "eE");
    return strcspn(text, "123456789") < mantissa;
}

/* The C library would also accept blanks, hexadecimal, "inf" and "nan". */
const char *number_refusal(const char *text, real *value)
{
    char *end;
    real found;
    if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
        return "is not a number";
    found = read_prefix(text, &end);
    if (end == text || *end != '\0')
        return "is not a number";
    if (!cosy_finite(found))
        return "is too large for the computer";
    if (found == R(0.0) && has_digit(text))
        return "is too small for the computer";
    *value = found;
    return NULL;
}

bool number_read(const char *text, real *value)
{
    return number_refusal(text, value) == NULL;
}
