#ifndef COSY_SOLVE_DENSE_H
#define COSY_SOLVE_DENSE_H

/* Full matrices: LU with partial pivoting, for `real` numbers and for complex
   ones kept as pairs (real part, imaginary part).

   Matrices are stored by columns. dense_factor replaces a matrix by its
   factors, with the reciprocals of the pivots on the diagonal, and notes the
   row exchanges in `pivot` (n numbers). It returns n, or the first column in
   which no finite nonzero pivot is left; the factors are then useless. */

#include "cosy/real.h"

#define dense_factor         COSY_NAME(dense_factor)
#define dense_solve          COSY_NAME(dense_solve)
#define dense_factor_complex COSY_NAME(dense_factor_complex)
#define dense_solve_complex  COSY_NAME(dense_solve_complex)

typedef struct Complex {
    real re, im;
} Complex;

uint32_t dense_factor(uint32_t n, real *a, uint32_t *pivot);
void dense_solve(uint32_t n, const real *a, const uint32_t *pivot, real *b);
uint32_t dense_factor_complex(uint32_t n, Complex *a, uint32_t *pivot);
void dense_solve_complex(uint32_t n, const Complex *a, const uint32_t *pivot,
                         Complex *b);

/* Size of a complex number as a pivot: cheap, and within sqrt(2) of |a|. */
static inline real complex_size(Complex a)
{
    return cosy_abs(a.re) + cosy_abs(a.im);
}

static inline Complex complex_times(Complex a, Complex b)
{
    Complex c = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    return c;
}

/* 1 / a without overflow of the square (Smith, CACM 5, 1962, p. 435). */
static inline Complex complex_inverse(Complex a)
{
    bool tall = cosy_abs(a.im) > cosy_abs(a.re);
    real q = tall ? a.re / a.im : a.im / a.re;
    real d = tall ? a.im + a.re * q : a.re + a.im * q;
    Complex wide = {R(1.0) / d, -q / d};
    Complex high = {q / d, R(-1.0) / d};
    return tall ? high : wide;
}

#endif
