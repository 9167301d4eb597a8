#ifndef COSY_TESTS_STRD_H
#define COSY_TESTS_STRD_H

/* The nonlinear regressions of strd.def as problems: each model with its derivatives. */

#include "cosy/real.h"

#define STRD_PARAMETERS 9

typedef struct StrdSet {
    const char *name;
    real (*model)(const real *x, const real *b, real *g); // g: derivatives
    const real *data; // y, x [, x2] of each row
    uint32_t n, m, columns;
    bool held; // had no part in the making of the method
    real start[2][STRD_PARAMETERS], best[STRD_PARAMETERS], sd[STRD_PARAMETERS];
    real squares;
} StrdSet;

/* b1 (1 - exp (-b2 x)) */
static inline real strd_rising(const real *x, const real *b, real *g)
{
    real e = cosy_exp(-b[1] * x[0]);
    g[0] = R(1.0) - e;
    g[1] = b[0] * x[0] * e;
    return b[0] * g[0];
}

/* b1 (1 - (1 + b2 x / 2)^-2) */
static inline real strd_misra1b(const real *x, const real *b, real *g)
{
    real u = R(1.0) + b[1] * x[0] / R(2.0);
    g[0] = R(1.0) - R(1.0) / (u * u);
    g[1] = b[0] * x[0] / (u * u * u);
    return b[0] * g[0];
}

/* b1 (1 - (1 + 2 b2 x)^-1/2) */
static inline real strd_misra1c(const real *x, const real *b, real *g)
{
    real u = R(1.0) + R(2.0) * b[1] * x[0];
    real root = cosy_sqrt(u);
    g[0] = R(1.0) - R(1.0) / root;
    g[1] = b[0] * x[0] / (u * root);
    return b[0] * g[0];
}

/* b1 b2 x / (1 + b2 x) */
static inline real strd_misra1d(const real *x, const real *b, real *g)
{
    real u = R(1.0) + b[1] * x[0];
    g[0] = b[1] * x[0] / u;
    g[1] = b[0] * x[0] / (u * u);
    return b[0] * g[0];
}

/* exp (-b1 x) / (b2 + b3 x) */
static inline real strd_chwirut(const real *x, const real *b, real *g)
{
    real u = b[1] + b[2] * x[0];
    real f = cosy_exp(-b[0] * x[0]) / u;
    g[0] = -x[0] * f;
    g[1] = -f / u;
    g[2] = -f * x[0] / u;
    return f;
}

/* Three exponentials. */
static inline real strd_lanczos(const real *x, const real *b, real *g)
{
    real f = R(0.0);
    for (int i = 0; i < 6; i += 2) {
        g[i] = cosy_exp(-b[i + 1] * x[0]);
        g[i + 1] = -b[i] * x[0] * g[i];
        f += b[i] * g[i];
    }
    return f;
}

/* b1 exp (-b2 x) and two bells. */
static inline real strd_gauss(const real *x, const real *b, real *g)
{
    g[0] = cosy_exp(-b[1] * x[0]);
    g[1] = -b[0] * x[0] * g[0];
    real f = b[0] * g[0];
    for (int i = 2; i < 8; i += 3) {
        real u = (x[0] - b[i + 1]) / b[i + 2];
        g[i] = cosy_exp(-u * u);
        g[i + 1] = R(2.0) * b[i] * g[i] * u / b[i + 2];
        g[i + 2] = R(2.0) * b[i] * g[i] * u * u / b[i + 2];
        f += b[i] * g[i];
    }
    return f;
}

/* b1 x^b2 */
static inline real strd_danwood(const real *x, const real *b, real *g)
{
    g[0] = cosy_pow(x[0], b[1]);
    g[1] = b[0] * g[0] * cosy_log(x[0]);
    return b[0] * g[0];
}

/* A polynomial of degree k divided by one that begins with 1. */
static inline real strd_quotient(const real *x, const real *b, real *g, int k)
{
    real above = R(0.0), below = R(1.0), power = R(1.0);
    for (int i = 0; i <= k; i++, power *= x[0]) {
        above += b[i] * power;
        if (i > 0)
            below += b[k + i] * power;
    }
    power = R(1.0);
    for (int i = 0; i <= k; i++, power *= x[0]) {
        g[i] = power / below;
        if (i > 0)
            g[k + i] = -above * power / (below * below);
    }
    return above / below;
}

static inline real strd_kirby2(const real *x, const real *b, real *g)
{
    return strd_quotient(x, b, g, 2);
}

static inline real strd_rational(const real *x, const real *b, real *g)
{
    return strd_quotient(x, b, g, 3);
}

/* b1 - b2 x1 exp (-b3 x2), for the logarithm of y */
static inline real strd_nelson(const real *x, const real *b, real *g)
{
    real e = cosy_exp(-b[2] * x[1]);
    g[0] = R(1.0);
    g[1] = -x[0] * e;
    g[2] = b[1] * x[0] * x[1] * e;
    return b[0] - b[1] * x[0] * e;
}

/* b1 + b2 exp (-b4 x) + b3 exp (-b5 x) */
static inline real strd_mgh17(const real *x, const real *b, real *g)
{
    g[0] = R(1.0);
    g[1] = cosy_exp(-b[3] * x[0]);
    g[2] = cosy_exp(-b[4] * x[0]);
    g[3] = -b[1] * x[0] * g[1];
    g[4] = -b[2] * x[0] * g[2];
    return b[0] + b[1] * g[1] + b[2] * g[2];
}

/* b1 (x^2 + b2 x) / (x^2 + b3 x + b4) */
static inline real strd_mgh09(const real *x, const real *b, real *g)
{
    real above = x[0] * (x[0] + b[1]), below = x[0] * (x[0] + b[2]) + b[3];
    real f = b[0] * above / below;
    g[0] = above / below;
    g[1] = b[0] * x[0] / below;
    g[2] = -f * x[0] / below;
    g[3] = -f / below;
    return f;
}

/* b1 exp (b2 / (x + b3)) */
static inline real strd_mgh10(const real *x, const real *b, real *g)
{
    real u = x[0] + b[2];
    g[0] = cosy_exp(b[1] / u);
    g[1] = b[0] * g[0] / u;
    g[2] = -g[1] * b[1] / u;
    return b[0] * g[0];
}

/* b1 - b2 x - arctan (b3 / (x - b4)) / pi */
static inline real strd_roszman(const real *x, const real *b, real *g)
{
    const real pi = R(3.14159265358979323846264338327950288419717);
    real u = x[0] - b[3], square = u * u + b[2] * b[2];
    g[0] = R(1.0);
    g[1] = -x[0];
    g[2] = -u / square / pi;
    g[3] = -b[2] / square / pi;
    return b[0] - b[1] * x[0] - cosy_atan(b[2] / u) / pi;
}

/* A constant and three oscillations; the period of the first is twelve months. */
static inline real strd_enso(const real *x, const real *b, real *g)
{
    const real turn = R(6.28318530717958647692528676655900576839434) * x[0];
    real f = b[0];
    g[0] = R(1.0);
    for (int i = 0; i < 3; i++) {
        real period = i == 0 ? R(12.0) : b[3 * i];
        int at = i == 0 ? 1 : 3 * i + 1;
        real c = cosy_cos(turn / period), s = cosy_sin(turn / period);
        g[at] = c;
        g[at + 1] = s;
        if (i > 0)
            g[at - 1] = (b[at] * s - b[at + 1] * c) * turn / (period * period);
        f += b[at] * c + b[at + 1] * s;
    }
    return f;
}

/* b1 / (1 + exp (b2 - b3 x)) */
static inline real strd_rat42(const real *x, const real *b, real *g)
{
    real e = cosy_exp(b[1] - b[2] * x[0]), u = R(1.0) + e;
    g[0] = R(1.0) / u;
    g[1] = -b[0] * e / (u * u);
    g[2] = -g[1] * x[0];
    return b[0] / u;
}

/* b1 / (1 + exp (b2 - b3 x))^(1 / b4) */
static inline real strd_rat43(const real *x, const real *b, real *g)
{
    real e = cosy_exp(b[1] - b[2] * x[0]), u = R(1.0) + e;
    real f = b[0] * cosy_pow(u, -R(1.0) / b[3]);
    g[0] = f / b[0];
    g[1] = -f * e / u / b[3];
    g[2] = -g[1] * x[0];
    g[3] = f * cosy_log(u) / (b[3] * b[3]);
    return f;
}

/* (b1 / b2) exp (-((x - b3) / b2)^2 / 2) */
static inline real strd_eckerle(const real *x, const real *b, real *g)
{
    real u = (x[0] - b[2]) / b[1];
    g[0] = cosy_exp(-u * u / R(2.0)) / b[1];
    real f = b[0] * g[0];
    g[1] = f * (u * u - R(1.0)) / b[1];
    g[2] = f * u / b[1];
    return f;
}

/* b1 (b2 + x)^(-1 / b3) */
static inline real strd_bennett(const real *x, const real *b, real *g)
{
    real u = b[1] + x[0];
    g[0] = cosy_pow(u, -R(1.0) / b[2]);
    real f = b[0] * g[0];
    g[1] = -f / (u * b[2]);
    g[2] = f * cosy_log(u) / (b[2] * b[2]);
    return f;
}

#define D2(y, x)    R(y), R(x),
#define D3(y, x, z) R(y), R(x), R(z),
#define STRD_DATA(name, ...)                                                   \
    static const real strd_data_##name[] = {__VA_ARGS__};
#define STRD_SET(...)
#include "strd.def"
#undef STRD_DATA
#undef STRD_SET

#define V(...)                                                                 \
    {                                                                          \
        __VA_ARGS__                                                            \
    }
#define USED false
#define HELD true
#define STRD_DATA(name, ...)
#define STRD_SET(name, data, model, n, m, columns, held, one, two, best, sd,   \
                 squares)                                                      \
    {#name, strd_##model, strd_data_##data, n, m, columns, held, {one, two},   \
     best,  sd,           squares},
static const StrdSet strd_sets[] = {
#include "strd.def"
};
#undef STRD_DATA
#undef STRD_SET
#undef V
#undef USED
#undef HELD
#undef D2
#undef D3

#endif
