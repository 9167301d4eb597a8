/* Whole numbers of a model while it is compiled: INTEGERs of 64 bits, and a
   modeller may write even the largest. Sums and products of numbers from a text
   go through these functions; each tells whether the result fits. *v is changed
   only if it does. */
#ifndef COSY_BASE_WHOLE_H
#define COSY_BASE_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of arrays and of loops of equations lie within -WHOLE_BOUND ..
   WHOLE_BOUND: loop counters over them can be stepped, and differences taken,
   without further checks. */
#define WHOLE_BOUND INT64_C(1000000000000000)

static inline bool whole_add(int64_t a, int64_t b, int64_t *v)
{
    int64_t sum;
    bool fits = !__builtin_add_overflow(a, b, &sum);
    *v = fits ? sum : *v;
    return fits;
}

static inline bool whole_subtract(int64_t a, int64_t b, int64_t *v)
{
    int64_t difference;
    bool fits = !__builtin_sub_overflow(a, b, &difference);
    *v = fits ? difference : *v;
    return fits;
}

static inline bool whole_multiply(int64_t a, int64_t b, int64_t *v)
{
    int64_t product;
    bool fits = !__builtin_mul_overflow(a, b, &product);
    *v = fits ? product : *v;
    return fits;
}

/* a^n, n >= 0, by squaring: a base other than 0, 1, -1 soon overflows. */
static inline bool whole_power(int64_t a, int64_t n, int64_t *v)
{
    int64_t power = 1;
    while (n > 0) {
        if (n % 2 == 1 && !whole_multiply(power, a, &power))
            return false;
        n /= 2;
        if (n > 0 && !whole_multiply(a, a, &a))
            return false;
    }
    *v = power;
    return true;
}

/* a + b, or the largest or smallest integer if it does not fit; for bounds that
   are only compared. */
static inline int64_t whole_reach(int64_t a, int64_t b)
{
    int64_t sum = b > 0 ? INT64_MAX : INT64_MIN;
    (void)whole_add(a, b, &sum);
    return sum;
}

static inline int64_t whole_reach_back(int64_t a, int64_t b)
{
    int64_t difference = b < 0 ? INT64_MAX : INT64_MIN;
    (void)whole_subtract(a, b, &difference);
    return difference;
}

/* How far b lies above a; a <= b. */
static inline uint64_t whole_apart(int64_t a, int64_t b)
{
    return (uint64_t)b - (uint64_t)a;
}

static inline bool whole_is_bound(int64_t v)
{
    return v >= -WHOLE_BOUND && v <= WHOLE_BOUND;
}

/* n! as a double, not a number where n is not a whole number from 0 on. */
static inline double whole_factorial(double n)
{
    double product = 1.0;
    if (!(n >= 0.0) || n != (double)(int64_t)(n < 200.0 ? n : 200.0))
        return n > 200.0 ? 1e308 * 1e308 : (n - n) / 0.0;
    for (int64_t k = 2; k <= (int64_t)n; k++)
        product *= (double)k;
    return product;
}

#endif
