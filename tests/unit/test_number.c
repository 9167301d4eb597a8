#include "stats/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "check.h"

static void check_written(real value, const char *expected)
{
    Buffer b = {0};
    number_text(&b, value);
    CHECK_TEXT(buffer_string(&b), expected);
    buffer_free(&b);
}

static void test_shortest(void)
{
    check_written(R(0.0), "0");
    check_written(R(1.0), "1");
    check_written(R(-2.5), "-2.5");
    check_written(R(0.1), "0.1");
    check_written(R(0.3), "0.3");
    check_written(R(1e40), "1e+40");
    check_written(R(123456.789), "123456.789");
    check_written(R(0.00001), "1e-05");
    check_written(COSY_REAL_MAX * R(2.0), "inf");
    check_written(-COSY_REAL_MAX * R(2.0), "-inf");
    check_written(COSY_REAL_MAX * R(2.0) * R(0.0), "nan");
}

/* Numbers without a short form: as many digits as distinguish them from their
   neighbours. */
static void test_longest(void)
{
#if COSY_PRECISION == 1
    check_written(R(0.1) + R(0.2), "0.30000000000000004");
    check_written(R(1.0) / R(3.0), "0.3333333333333333");
#elif COSY_PRECISION == 2
    check_written(R(1.0) / R(3.0), "0.33333333333333333334");
#else
    check_written(R(1.0) / R(3.0), "0.3333333333333333333333333333333333");
#endif
}

/* A cheap generator: bits are spread; which ones does not matter. */
static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 20;
}

static real scrambled(uint64_t *state)
{
    real value = R(1.0);
    uint64_t turns = next(state) % 600;
    for (int k = 0; k < 4; k++)
        value = value * R(1e-12) + (real)next(state);
    for (uint64_t k = 0; k < turns; k++)
        value *= (next(state) & 64) != 0 ? R(3.1) : R(0.3);
    return (next(state) & 8) != 0 ? value : -value;
}

static void test_read_back(void)
{
    uint64_t state = 1;
    Buffer b = {0};
    unsigned different = 0;
    for (int k = 0; k < 20000; k++) {
        real value = scrambled(&state), found = R(0.0);
        b.v.used = 0;
        number_text(&b, value);
        if (!number_read(buffer_string(&b), &found) || found != value)
            different++;
    }
    CHECK(different == 0);
    buffer_free(&b);
}

#if COSY_PRECISION == 1

/* It reads back, and is no longer than the first of 15, 16 and 17 digits of printf
   that do. (The last digit may be another one: several do, and in the middle
   between two decimals printf takes the even one.) */
static unsigned differs(double value)
{
    char text[DECIMAL_LENGTH], right[DECIMAL_LENGTH];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(right, sizeof right, "%.*g", digits, value);
        if (strtod(right, NULL) == value)
            break;
    }
    return decimal_print(text, value) != strlen(right) ||
           strtod(text, NULL) != value;
}

/* The fast way and the long one agree, also at the ends of the fast one and where
   the distance of neighbours changes. */
static void test_printf(void)
{
    uint64_t state = 7;
    unsigned different = 0;
    for (int e = -20; e <= 60; e++) {
        double power = ldexp(1.0, e);
        different += differs(power) + differs(nextafter(power, 0.0)) +
                     differs(-nextafter(power, 1e300));
    }
    for (int e = -6; e <= 18; e++) {
        double power = pow(10.0, e);
        different += differs(power) + differs(nextafter(power, 0.0)) +
                     differs(3.0 * power) + differs(power + 0.1);
    }
    for (int k = 0; k < 200000; k++) {
        double value = ldexp((double)(next(&state) << 9 | 1), k % 70 - 66);
        different += differs(value);
    }
    CHECK(different == 0);
    CHECK(!differs(0.0) && !differs(-0.0));
    check_written(-0.0, "-0");
}

#else

static void test_printf(void)
{
}

#endif

static void test_extremes(void)
{
    const real value[] = {COSY_REAL_MAX, COSY_REAL_MIN, COSY_EPSILON,
                          COSY_REAL_MIN / R(4.0), R(1.0) + COSY_EPSILON};
    Buffer b = {0};
    for (size_t k = 0; k < LENGTH(value); k++) {
        real found = R(0.0);
        b.v.used = 0;
        number_text(&b, value[k]);
        CHECK(b.v.used < NUMBER_LENGTH);
        CHECK(number_read(buffer_string(&b), &found) && found == value[k]);
    }
    buffer_free(&b);
}

static void test_json(void)
{
    Buffer b = {0};
    number_json(&b, R(0.5));
    CHECK_TEXT(buffer_string(&b), COSY_PRECISION == 1 ? "0.5" : "\"0.5\"");
    b.v.used = 0;
    number_json(&b, COSY_REAL_MAX * R(2.0));
    CHECK_TEXT(buffer_string(&b), "null");
    buffer_free(&b);
}

static void test_read(void)
{
    static const char *const bad[] = {"",    " 1",  "1 ",  "x",     "1x",
                                      "inf", "nan", "0x1", "1e",    "--1",
                                      ".",   "+",   "1,5", "1e9999"};
    real value = R(7.0);
    for (size_t k = 0; k < LENGTH(bad); k++)
        CHECK(!number_read(bad[k], &value) && value == R(7.0));
    CHECK(number_read("-12.5e-1", &value) && value == R(-1.25));
    CHECK(number_read("+3", &value) && value == R(3.0));
    CHECK(number_read(".1", &value) && value == R(0.1));
}

int main(void)
{
    test_shortest();
    test_longest();
    test_read_back();
    test_printf();
    test_extremes();
    test_json();
    test_read();
    return check_end();
}
