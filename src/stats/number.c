#include "stats/number.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decimals of this many digits survive a round trip through `real`, so a number
   that has such a short form prints as that form (without trailing zeros, which
   %g drops). Only then are more digits tried. */
#if COSY_PRECISION == 1
#define SAFE_DIGITS DBL_DIG
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

static void print_digits(char *s, int digits, real value)
{
    PRINT(s, NUMBER_LENGTH, "g", digits, value);
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

#if COSY_PRECISION == 1

/* Doubles between 1e-4 and 1e15, quickly: the digits are value * 10^k, found in
   long double, where 10^k is exact up to 10^27 and the product is off by at
   most half a unit of its 64 bits. A candidate counts only if its quotient by
   10^k is so far from the middle between two doubles that rounding twice does
   no harm; everything else takes the long way. */

#define FAST_LOW  1e-4
#define FAST_HIGH 1e15

typedef enum Answer { NO, YES, UNSURE } Answer;

/* Whether n / scale reads back as value. */
static Answer reads_back(uint64_t n, long double scale, double value)
{
    long double quotient = (long double)n / scale;
    double near = (double)quotient;
    long double off = quotient - (long double)near;
    double next = nextafter(near, off > 0 ? 2 * FAST_HIGH : 0);
    long double half = (long double)(next - near) / 2;
    if (fabsl(off) > fabsl(half) * 0.99L)
        return UNSURE;
    return near == value ? YES : NO;
}

/* The number n / 10^places as plain decimals, without trailing zeros. */
static void print_scaled(char *s, bool negative, uint64_t n, int places)
{
    char digits[24];
    int count = 0, at = 0;
    while (places > 0 && n % 10 == 0) {
        n /= 10;
        places--;
    }
    do {
        digits[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n || count <= places);
    if (negative)
        s[at++] = '-';
    while (count > 0) {
        s[at++] = digits[--count];
        if (count == places && count > 0)
            s[at++] = '.';
    }
    s[at] = '\0';
}

static bool print_fast(char *s, double value)
{
    double size = fabs(value);
    if (!(size >= FAST_LOW && size < FAST_HIGH) || LDBL_MANT_DIG < 64)
        return false;
    int whole = 0; // digits before the point; negative: zeros after it
    for (double p = 1; p <= size; p *= 10)
        whole++;
    for (double p = 0.1; whole <= 0 && size < p; p /= 10)
        whole--;
    for (int digits = DBL_DIG; digits <= 17; digits++) {
        int places = digits - whole;
        long double scale = 1;
        for (int k = 0; k < places; k++)
            scale *= 10;
        uint64_t n = (uint64_t)((long double)size * scale + 0.5L);
        Answer answer = reads_back(n, scale, size);
        if (answer == UNSURE)
            return false;
        if (answer == YES) {
            print_scaled(s, value < 0, n, places);
            return true;
        }
    }
    return false;
}

#else

static bool print_fast(char *s, real value)
{
    (void)s;
    (void)value;
    return false;
}

#endif

static void print_shortest(char *s, real value)
{
    if (print_fast(s, value))
        return;
    for (int digits = SAFE_DIGITS; digits <= COSY_DIGITS; digits++) {
        print_digits(s, digits, value);
        if (read_prefix(s, NULL) == value)
            return;
    }
}

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
