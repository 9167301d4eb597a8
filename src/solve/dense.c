#include "solve/dense.h"

static uint32_t largest(const real *column, uint32_t k, uint32_t n)
{
    uint32_t p = k;
    for (uint32_t i = k + 1; i < n; i++)
        if (cosy_abs(column[i]) > cosy_abs(column[p]))
            p = i;
    return p;
}

/* Subtracts from column cj its k-th element times the multipliers ck, after
   exchanging rows k and p. */
static void eliminate(uint32_t n, uint32_t k, uint32_t p, const real *ck,
                      real *cj)
{
    real f = cj[p];
    cj[p] = cj[k];
    cj[k] = f;
    if (f == R(0.0))
        return;
    for (uint32_t i = k + 1; i < n; i++)
        cj[i] -= ck[i] * f;
}

uint32_t dense_factor(uint32_t n, real *a, uint32_t *pivot)
{
    for (uint32_t k = 0; k < n; k++) {
        real *ck = a + (size_t)k * n;
        uint32_t p = largest(ck, k, n);
        real top = ck[p];
        if (top == R(0.0) || !cosy_finite(top))
            return k;
        pivot[k] = p;
        ck[p] = ck[k];
        ck[k] = R(1.0) / top;
        for (uint32_t i = k + 1; i < n; i++)
            ck[i] *= ck[k];
        for (uint32_t j = k + 1; j < n; j++)
            eliminate(n, k, p, ck, a + (size_t)j * n);
    }
    return n;
}

void dense_solve(uint32_t n, const real *a, const uint32_t *pivot, real *b)
{
    for (uint32_t k = 0; k < n; k++)
        eliminate(n, k, pivot[k], a + (size_t)k * n, b);
    for (uint32_t k = n; k-- > 0;) {
        const real *ck = a + (size_t)k * n;
        real x = b[k] * ck[k];
        b[k] = x;
        for (uint32_t i = 0; i < k; i++)
            b[i] -= ck[i] * x;
    }
}

static uint32_t largest_complex(const Complex *column, uint32_t k, uint32_t n)
{
    uint32_t p = k;
    for (uint32_t i = k + 1; i < n; i++)
        if (complex_size(column[i]) > complex_size(column[p]))
            p = i;
    return p;
}

static void subtract(const Complex *column, Complex f, uint32_t from,
                     uint32_t to, Complex *b)
{
    for (uint32_t i = from; i < to; i++) {
        b[i].re -= column[i].re * f.re - column[i].im * f.im;
        b[i].im -= column[i].re * f.im + column[i].im * f.re;
    }
}

static void eliminate_complex(uint32_t n, uint32_t k, uint32_t p,
                              const Complex *ck, Complex *cj)
{
    Complex f = cj[p];
    cj[p] = cj[k];
    cj[k] = f;
    if (f.re != R(0.0) || f.im != R(0.0))
        subtract(ck, f, k + 1, n, cj);
}

uint32_t dense_factor_complex(uint32_t n, Complex *a, uint32_t *pivot)
{
    for (uint32_t k = 0; k < n; k++) {
        Complex *ck = a + (size_t)k * n;
        uint32_t p = largest_complex(ck, k, n);
        Complex top = ck[p];
        real size = complex_size(top);
        if (size == R(0.0) || !cosy_finite(size))
            return k;
        pivot[k] = p;
        ck[p] = ck[k];
        ck[k] = complex_inverse(top);
        for (uint32_t i = k + 1; i < n; i++)
            ck[i] = complex_times(ck[i], ck[k]);
        for (uint32_t j = k + 1; j < n; j++)
            eliminate_complex(n, k, p, ck, a + (size_t)j * n);
    }
    return n;
}

void dense_solve_complex(uint32_t n, const Complex *a, const uint32_t *pivot,
                         Complex *b)
{
    for (uint32_t k = 0; k < n; k++)
        eliminate_complex(n, k, pivot[k], a + (size_t)k * n, b);
    for (uint32_t k = n; k-- > 0;) {
        const Complex *ck = a + (size_t)k * n;
        b[k] = complex_times(b[k], ck[k]);
        subtract(ck, b[k], 0, k, b);
    }
}
