#ifndef COSY_TESTS_CHANCE_H
#define COSY_TESTS_CHANCE_H

/* Random numbers of the tests' own: xorshift128+ (Vigna 2014). */

#include <math.h>
#include <stdint.h>

typedef struct Chance {
    uint64_t a, b;
} Chance;

static inline double uniform(Chance *s)
{
    uint64_t a = s->a, b = s->b;
    s->a = b;
    a ^= a << 23;
    s->b = a ^ b ^ (a >> 17) ^ (b >> 26);
    return ((double)((s->b + b) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(Chance *s)
{
    double r = sqrt(-2 * log(uniform(s)));
    return r * cos(6.283185307179586 * uniform(s));
}

static inline double exponential(Chance *s)
{
    return -log(uniform(s));
}

/* A stream of its own for each number. */
static inline Chance chance_begin(unsigned number)
{
    Chance c = {0x9e3779b97f4a7c15u * (number + 1), 0x2545f4914f6cdd1du};
    for (int i = 0; i < 20; i++)
        uniform(&c);
    return c;
}

#endif
