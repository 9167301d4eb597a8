#include "base/decimal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Doubles between 1e-4 and 1e15, quickly: the digits are value * 10^k, found in
   long double, where 10^k is exact up to 10^27 and the product is off by at
   most half a unit of its 64 bits. A candidate counts only if its quotient by
   10^k is so far from the middle between two doubles that rounding twice does
   no harm; everything else takes the long way. */

#define FAST_LOW  1e-4
#define FAST_HIGH 1e15

typedef enum Answer { NO, YES, UNSURE } Answer;

/* 10^k, exact in a long double of 64 bits. */
#define POWER_MOST 21
static const long double power[POWER_MOST + 1] = {
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,
    1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L,
    1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L};

/* Half of the distance from a double between FAST_LOW and FAST_HIGH to the next
   one above or below. */
static double half_gap(double value, bool above)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bool narrow = !above && (bits & (UINT64_MAX >> 12)) == 0;
    bits = ((bits >> 52) - (narrow ? 54 : 53)) << 52;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Whether n / scale reads back as value. */
static Answer reads_back(uint64_t n, long double scale, double value)
{
    long double quotient = (long double)n / scale;
    double near = (double)quotient;
    long double off = quotient - (long double)near;
    if (fabsl(off) > (long double)half_gap(near, off > 0) * 0.99L)
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
        assert(places >= 0 && places <= POWER_MOST);
        long double scale = power[places];
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

/* A number that has a form of at most DBL_DIG digits prints as that form, since
   such forms survive a round trip; %g drops trailing zeros. Only then are more
   digits tried. */
size_t decimal_print(char text[DECIMAL_LENGTH], double value)
{
    if (value == 0)
        strcpy(text, signbit(value) ? "-0" : "0");
    else if (!isfinite(value))
        strcpy(text, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    else if (!print_fast(text, value))
        for (int digits = DBL_DIG; digits <= 17; digits++) {
            snprintf(text, DECIMAL_LENGTH, "%.*g", digits, value);
            if (strtod(text, NULL) == value)
                break;
        }
    return strlen(text);
}
