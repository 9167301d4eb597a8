#ifndef COSY_SEARCH_CHANCE_H
#define COSY_SEARCH_CHANCE_H

/* Random words that are functions of a seed and of places, without a state: the
   word at a place is the same whoever asks for it, and in which order. The
   mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, Fast
   splittable pseudorandom number generators, OOPSLA 2014). */

#include <stdint.h>

#include "cosy/real.h"

#define chance_order COSY_NAME(chance_order)

static inline uint64_t chance_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The word at place (a, b) of the field `seed`. */
static inline uint64_t chance_word(uint64_t seed, uint64_t a, uint64_t b)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = chance_mix(seed + step);
    z = chance_mix(z + (a + 1) * step);
    return chance_mix(z + (b + 1) * step);
}

/* An odd multiple of 2^-53: neither 0 nor 1. */
static inline double chance_unit(uint64_t word)
{
    return (double)(int64_t)(word >> 11 | 1) * 0x1p-53;
}

/* Where element k of 0 .. count - 1 goes in a random order of them, chosen by
   the seed and the number of the order. */
uint64_t chance_order(uint64_t seed, uint64_t order, uint64_t k,
                      uint64_t count);

#endif
