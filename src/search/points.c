#include "search/points.h"

#include <assert.h>
#include <stdio.h>

#include "search/chance.h"

/* ---- Orders ------------------------------------------------------------------ */

static uint64_t side_of(uint64_t count)
{
    uint64_t side = (uint64_t)sqrt((double)count);
    while (side * side < count)
        side++;
    return side;
}

/* A Feistel network on a grid of side * side places: each round adds to one
   coordinate what depends on the other, so it can be undone, and is a
   permutation. */
static uint64_t shuffle(uint64_t seed, uint64_t order, uint64_t side,
                        uint64_t k)
{
    enum { ROUNDS = 8 };
    uint64_t row = k / side, column = k % side;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t word = chance_word(seed, order * ROUNDS + round, column);
        uint64_t next = (row + word % side) % side;
        row = column;
        column = next;
    }
    return row * side + column;
}

/* Places beyond `count` are walked through: their successors in the cycle take
   their part. */
uint64_t chance_order(uint64_t seed, uint64_t order, uint64_t k, uint64_t count)
{
    uint64_t side = side_of(count);
    assert(k < count);
    do
        k = shuffle(seed, order, side, k);
    while (k >= count);
    return k;
}

/* ---- The Sobol' sequence ----------------------------------------------------- */

/* A primitive polynomial, its degree and inner coefficients, and the first
   direction numbers. */
typedef struct Direction {
    uint8_t degree;
    uint16_t inner;
    uint16_t first[10];
} Direction;

static const Direction directions[] = {
#define SOBOL(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "search/sobol.def"
#undef SOBOL
};

static_assert(sizeof directions / sizeof directions[0] + 1 == SOBOL_DIMENSIONS,
              "a row for every dimension but the first");

/* v[j] is direction number j + 1, as bits of a fraction. Joe and Kuo,
   Constructing Sobol sequences with better two-dimensional projections, SIAM J.
   Sci. Comput. 30, 2008, equation (2). */
static void directions_of(uint32_t dimension, uint64_t v[SOBOL_BITS])
{
    if (dimension == 0) {
        for (unsigned j = 0; j < SOBOL_BITS; j++)
            v[j] = UINT64_C(1) << (SOBOL_BITS - 1 - j);
        return;
    }
    const Direction *d = &directions[dimension - 1];
    unsigned s = d->degree;
    for (unsigned j = 0; j < SOBOL_BITS; j++) {
        if (j < s) {
            v[j] = (uint64_t)d->first[j] << (SOBOL_BITS - 1 - j);
            continue;
        }
        v[j] = v[j - s] ^ (v[j - s] >> s);
        for (unsigned k = 1; k < s; k++)
            if (d->inner >> (s - 1 - k) & 1)
                v[j] ^= v[j - k];
    }
}

static uint64_t sobol_bits(uint32_t dimension, uint64_t k)
{
    uint64_t v[SOBOL_BITS], x = 0;
    directions_of(dimension, v);
    uint64_t gray = k ^ (k >> 1);
    for (unsigned j = 0; gray != 0; j++, gray >>= 1)
        if (gray & 1)
            x ^= v[j];
    return x;
}

/* Each digit is flipped or not, by chance that depends on the digits before it
   (Owen, Randomly permuted (t,m,s)-nets and (t,s)-sequences, 1995). */
static uint64_t scramble(uint64_t seed, uint32_t dimension, uint64_t x)
{
    uint64_t result = 0;
    for (unsigned j = 0; j < SOBOL_BITS; j++) {
        unsigned below = SOBOL_BITS - 1 - j;
        uint64_t before = x >> (below + 1);
        uint64_t word = chance_word(seed, (uint64_t)dimension << 8 | j, before);
        result = result << 1 | ((x >> below ^ word) & 1);
    }
    return result;
}

static real sobol_unit(const PointPlan *plan, uint32_t dimension, uint64_t k)
{
    uint64_t x = sobol_bits(dimension, k);
    if (plan->kind == POINTS_SOBOL_SHIFTED)
        x ^= chance_word(plan->seed, dimension, 0) >> (64 - SOBOL_BITS);
    else if (plan->kind == POINTS_SOBOL_OWEN)
        x = scramble(plan->seed, dimension, x);
    /* The middle of the smallest cell, but on the grid of the sequence where
       that is not 0. */
    if (plan->kind == POINTS_SOBOL)
        return x == 0 ? R(0x1p-53) : (real)x * R(0x1p-52);
    return ((real)x + R(0.5)) * R(0x1p-52);
}

/* ---- Plans ------------------------------------------------------------------- */

static bool is_sobol(const PointPlan *plan)
{
    return plan->kind >= POINTS_SOBOL;
}

const char *points_fault(const PointPlan *plan, char text[POINTS_FAULT])
{
    if (plan->dimensions == 0)
        return "there is no parameter to draw";
    if (plan->count == 0)
        return "there are no points to draw";
    if (is_sobol(plan) && plan->dimensions > SOBOL_DIMENSIONS) {
        snprintf(text, POINTS_FAULT,
                 "a Sobol sequence has %d dimensions at most, not %u: take a "
                 "Latin hypercube",
                 SOBOL_DIMENSIONS, (unsigned)plan->dimensions);
        return text;
    }
    if (plan->count > UINT64_C(1) << (SOBOL_BITS - 1))
        return "there are more points than can be told apart";
    return NULL;
}

static real latin(const PointPlan *plan, uint32_t i, uint64_t k)
{
    uint64_t cell = chance_order(plan->seed, i, k, plan->count);
    real within = R(0.5);
    if (plan->kind == POINTS_LATIN)
        within = (real)chance_unit(chance_word(~plan->seed, i, k));
    real u = ((real)cell + within) / (real)plan->count;
    /* Rounding could reach the next cell, or 1. */
    real top = ((real)cell + R(1.0)) / (real)plan->count;
    return u < top ? u : ((real)cell + R(0.5)) / (real)plan->count;
}

void points_at(const PointPlan *plan, uint64_t k, real *u)
{
    assert(k < plan->count);
    for (uint32_t i = 0; i < plan->dimensions; i++) {
        if (is_sobol(plan))
            u[i] = sobol_unit(plan, i, k);
        else if (plan->kind == POINTS_RANDOM)
            u[i] = (real)chance_unit(chance_word(plan->seed, i, k));
        else
            u[i] = latin(plan, i, k);
        assert(u[i] > R(0.0) && u[i] < R(1.0));
    }
}
