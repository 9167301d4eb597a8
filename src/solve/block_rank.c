#include "solve/block_part.h"

#include <string.h>

/* ---- LU with rows in proportion -------------------------------------------- */

/* One over the largest entry of each row; 0 for a row of zeros. */
static void row_sizes(uint32_t n, const real *a, real *size)
{
    for (uint32_t i = 0; i < n; i++, a += n) {
        real largest = cosy_abs(a[0]);
        for (uint32_t k = 1; k < n; k++)
            largest = cosy_max(largest, cosy_abs(a[k]));
        largest = R(1.0) / largest;
        size[i] = cosy_finite(largest) ? largest : R(0.0);
    }
}

static void exchange(uint32_t n, real *a, real *b)
{
    for (uint32_t k = 0; k < n; k++) {
        real keep = a[k];
        a[k] = b[k];
        b[k] = keep;
    }
}

uint32_t block_rows_factor(uint32_t n, real *a, real *size, uint32_t *pivot,
                           real least)
{
    row_sizes(n, a, size);
    for (uint32_t k = 0; k < n; k++) {
        real *top = a + (size_t)k * n, best = R(0.0);
        uint32_t p = k;
        for (uint32_t i = k; i < n; i++) {
            real part = cosy_abs(a[(size_t)i * n + k]) * size[i];
            if (part > best) {
                best = part;
                p = i;
            }
        }
        if (!(best > least) || !cosy_finite(best))
            return k;
        pivot[k] = p;
        if (p != k) {
            exchange(n, top, a + (size_t)p * n);
            exchange(1, size + k, size + p);
        }
        real inverse = R(1.0) / top[k];
        top[k] = inverse;
        for (uint32_t i = k + 1; i < n; i++) {
            real *row = a + (size_t)i * n, f = row[k] * inverse;
            row[k] = f;
            if (f == R(0.0))
                continue;
            for (uint32_t j = k + 1; j < n; j++)
                row[j] -= f * top[j];
        }
    }
    return n;
}

/* Most loops have one or two unknowns. */
static void solve_two(const real *a, const uint32_t *pivot, real *b)
{
    real top = b[pivot[0]], low = b[1 - pivot[0]];
    b[1] = (low - a[2] * top) * a[3];
    b[0] = (top - a[1] * b[1]) * a[0];
}

void block_rows_solve(uint32_t n, const real *a, const uint32_t *pivot, real *b)
{
    if (n == 2) {
        solve_two(a, pivot, b);
        return;
    }
    for (uint32_t k = 0; k < n; k++) {
        const real *row = a + (size_t)k * n;
        real sum = b[pivot[k]];
        b[pivot[k]] = b[k];
        for (uint32_t j = 0; j < k; j++)
            sum -= row[j] * b[j];
        b[k] = sum;
    }
    for (uint32_t k = n; k-- > 0;) {
        const real *row = a + (size_t)k * n;
        real sum = b[k];
        for (uint32_t j = k + 1; j < n; j++)
            sum -= row[j] * b[j];
        b[k] = sum * row[k];
    }
}

/* ---- Rank ------------------------------------------------------------------- */

/* Scales rows, then columns, so that the largest entry of each is 1. */
static void equilibrate(uint32_t n, real *a, real *scale)
{
    real *column = scale + n;
    row_sizes(n, a, scale);
    memset(column, 0, n * sizeof *column);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            real *e = &a[(size_t)i * n + k];
            *e *= scale[i];
            column[k] = cosy_max(column[k], cosy_abs(*e));
        }
    for (uint32_t k = 0; k < n; k++) {
        real inverse = R(1.0) / column[k];
        column[k] = cosy_finite(inverse) ? inverse : R(0.0);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            a[(size_t)i * n + k] *= column[k];
}

/* Brings the largest entry of what is left to place (k, k). */
static real bring_largest(uint32_t n, real *a, uint32_t *order, uint32_t k)
{
    uint32_t row = k, column = k, keep;
    real best = R(0.0);
    for (uint32_t i = k; i < n; i++)
        for (uint32_t j = k; j < n; j++)
            if (cosy_abs(a[(size_t)i * n + j]) > best) {
                best = cosy_abs(a[(size_t)i * n + j]);
                row = i;
                column = j;
            }
    exchange(n, a + (size_t)k * n, a + (size_t)row * n);
    for (uint32_t i = 0; i < n; i++)
        exchange(1, a + (size_t)i * n + k, a + (size_t)i * n + column);
    keep = order[k], order[k] = order[row], order[row] = keep;
    order += n;
    keep = order[k], order[k] = order[column], order[column] = keep;
    return best;
}

uint32_t block_rank(uint32_t n, real *a, uint32_t *order, real *scale)
{
    real least = (real)(n + 16) * COSY_EPSILON;
    equilibrate(n, a, scale);
    for (uint32_t k = 0; k < n; k++)
        order[k] = order[n + k] = k;
    for (uint32_t k = 0; k < n; k++) {
        real *top = a + (size_t)k * n;
        if (!(bring_largest(n, a, order, k) > least))
            return k;
        for (uint32_t i = k + 1; i < n; i++) {
            real *row = a + (size_t)i * n, f = row[k] / top[k];
            row[k] = f;
            for (uint32_t j = k + 1; f != R(0.0) && j < n; j++)
                row[j] -= f * top[j];
        }
    }
    return n;
}

/* The factors are [L 0; l 1] [U u; 0 0]: a column that has no pivot is made of
   those that have one, and so is a row. */
void block_null(uint32_t n, const real *a, const uint32_t *order, uint32_t rank,
                uint32_t number, real *right, real *left)
{
    const uint32_t *column = order + n;
    memset(right, 0, n * sizeof *right);
    memset(left, 0, n * sizeof *left);
    right[column[number]] = left[order[number]] = R(1.0);
    for (uint32_t k = rank; k-- > 0;) {
        real sum = a[(size_t)k * n + number];
        real under = a[(size_t)number * n + k];
        for (uint32_t j = k + 1; j < rank; j++) {
            sum += a[(size_t)k * n + j] * right[column[j]];
            under += a[(size_t)j * n + k] * left[order[j]];
        }
        right[column[k]] = -sum / a[(size_t)k * n + k];
        left[order[k]] = -under;
    }
}
