#ifndef COSY_REAL_H
#define COSY_REAL_H

/* The number type of a model and of the kernel that runs it.

   Generated code and the kernel are written once, in `real`, and compiled for
   each precision that is asked for:

       COSY_PRECISION   language   real          digits   names end in
       1                DOUBLE     double        17       _double
       2                EXTENDED   long double   21       _extended
       3                QUAD       __float128    36       _quad

   `R(0.1)` is a literal of that type: 0.1 written as a double would spoil QUAD.
   Functions of the mathematical library are spelled `cosy_sin`, `cosy_exp`...
   `COSY_NAME(f)` is f with the ending of the table; a kernel header renames
   what it exports with it, so that the three kernels live in one program.

   libtcc knows the first two precisions, cc all three. */

/* Whoever defines COSY_BARE has declared already what these declare
   (src/load/bare.h). */
#ifndef COSY_BARE
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#ifndef COSY_PRECISION
#define COSY_PRECISION 1
#endif

#define COSY_PASTE_(a, b) a##b
#define COSY_PASTE(a, b)  COSY_PASTE_(a, b)

#if COSY_PRECISION == 1
typedef double real;
#define R(literal)      (literal)
#define COSY_NAME(name) COSY_PASTE(name, _double)
#define COSY_LIBM(name) name
#define COSY_DIGITS     17
#define COSY_EPSILON    DBL_EPSILON
#define COSY_REAL_MAX   DBL_MAX
#define COSY_REAL_MIN   DBL_MIN
#define COSY_SYMBOL     "cosy_model_double"
#elif COSY_PRECISION == 2
typedef long double real;
#define R(literal)      COSY_PASTE(literal, L)
#define COSY_NAME(name) COSY_PASTE(name, _extended)
#define COSY_LIBM(name) COSY_PASTE(name, l)
#define COSY_DIGITS     21
#define COSY_EPSILON    LDBL_EPSILON
#define COSY_REAL_MAX   LDBL_MAX
#define COSY_REAL_MIN   LDBL_MIN
#define COSY_SYMBOL     "cosy_model_extended"
#elif COSY_PRECISION == 3
__extension__ typedef __float128 real;
#define R(literal)      (__extension__ COSY_PASTE(literal, Q))
#define COSY_NAME(name) COSY_PASTE(name, _quad)
#define COSY_LIBM(name) COSY_PASTE(name, q)
#define COSY_DIGITS     36
#define COSY_EPSILON    R(1.92592994438723585305597794258492732e-34)
#define COSY_REAL_MAX   R(1.18973149535723176508575932662800702e4932)
#define COSY_REAL_MIN   R(3.36210314311209350626267781732175260e-4932)
#define COSY_SYMBOL     "cosy_model_quad"
#else
#error "COSY_PRECISION is 1 (DOUBLE), 2 (EXTENDED) or 3 (QUAD)"
#endif

/* What INF means. */
#define COSY_INFINITY ((real)INFINITY)
#define COSY_NAN      ((real)NAN)

/* The library functions a model may use, once: name, then how many
   arguments. The quad ones are declared here, because the header that declares
   them belongs to one compiler. */
// clang-format off
#define COSY_LIBM_LIST(F1, F2)                                                 \
    F1(sin) F1(cos) F1(tan) F1(asin) F1(acos) F1(atan) F1(sinh) F1(cosh) \
    F1(tanh) F1(exp) F1(log) F1(log10) F1(sqrt) F1(cbrt) F1(fabs) \
    F1(floor) F1(asinh) F1(acosh) F1(atanh) F1(ceil) F1(round) F1(trunc) \
    F1(erf) F2(atan2) F2(pow) F2(fmod) F2(hypot) F2(fmin) F2(fmax) \
    F2(copysign) F2(nextafter)
// clang-format on

#if COSY_PRECISION == 3 || defined(COSY_BARE)
#define COSY_DECLARE1(f) extern real COSY_LIBM(f)(real);
#define COSY_DECLARE2(f) extern real COSY_LIBM(f)(real, real);
COSY_LIBM_LIST(COSY_DECLARE1, COSY_DECLARE2)
#undef COSY_DECLARE1
#undef COSY_DECLARE2
#endif

#define COSY_WRAP1(f)                                                          \
    static inline real cosy_##f(real a)                                        \
    {                                                                          \
        return COSY_LIBM(f)(a);                                                \
    }
#define COSY_WRAP2(f)                                                          \
    static inline real cosy_##f(real a, real b)                                \
    {                                                                          \
        return COSY_LIBM(f)(a, b);                                             \
    }
COSY_LIBM_LIST(COSY_WRAP1, COSY_WRAP2)
#undef COSY_WRAP1
#undef COSY_WRAP2

/* True for a number that is neither infinite nor NaN. */
static inline bool cosy_finite(real a)
{
    return a - a == R(0.0);
}

static inline real cosy_abs(real a)
{
    return a < R(0.0) ? -a : a;
}

static inline real cosy_max(real a, real b)
{
    return a > b ? a : b;
}

static inline real cosy_min(real a, real b)
{
    return a < b ? a : b;
}

static inline real cosy_square(real a)
{
    return a * a;
}

#endif
