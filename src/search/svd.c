#include "search/svd.h"

#include <assert.h>

typedef struct Columns {
    uint32_t m, n;
    real *a, *right;
} Columns;

static real dot(uint32_t n, const real *x, const real *y)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

real vector_norm(uint32_t n, const real *x)
{
    return cosy_sqrt(dot(n, x, x));
}

static void rotate(uint32_t n, real *x, real *y, real c, real s)
{
    for (uint32_t i = 0; i < n; i++) {
        real before = x[i];
        x[i] = c * before - s * y[i];
        y[i] = s * before + c * y[i];
    }
}

/* Makes columns i and j orthogonal; false if they are already. */
static bool turn(const Columns *k, uint32_t i, uint32_t j)
{
    uint32_t m = k->m, n = k->n;
    real *x = k->a + (size_t)i * m, *y = k->a + (size_t)j * m;
    real *vx = k->right + (size_t)i * n, *vy = k->right + (size_t)j * n;
    real xx = dot(m, x, x), yy = dot(m, y, y), xy = dot(m, x, y);
    if (cosy_abs(xy) <= COSY_EPSILON * cosy_sqrt(xx * yy))
        return false;
    real zeta = (yy - xx) / (R(2.0) * xy);
    real t = R(1.0) / (cosy_abs(zeta) + cosy_hypot(R(1.0), zeta));
    if (zeta < R(0.0))
        t = -t;
    real c = R(1.0) / cosy_hypot(R(1.0), t);
    rotate(m, x, y, c, c * t);
    rotate(n, vx, vy, c, c * t);
    return true;
}

static void exchange(uint32_t n, real *x, real *y)
{
    for (uint32_t i = 0; i < n; i++) {
        real kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

/* Largest first. */
static void order(uint32_t m, uint32_t n, real *a, real *value, real *right)
{
    for (uint32_t j = 0; j + 1 < n; j++) {
        uint32_t top = j;
        for (uint32_t k = j + 1; k < n; k++)
            if (value[k] > value[top])
                top = k;
        if (top == j)
            continue;
        exchange(1, value + j, value + top);
        exchange(m, a + (size_t)j * m, a + (size_t)top * m);
        exchange(n, right + (size_t)j * n, right + (size_t)top * n);
    }
}

/* Squares of columns must neither overflow nor vanish. */
static real size_of(uint32_t m, uint32_t n, const real *a)
{
    real size = R(0.0);
    for (size_t k = 0; k < (size_t)m * n; k++) {
        assert(cosy_finite(a[k]));
        size = cosy_max(size, cosy_abs(a[k]));
    }
    return size > R(0.0) ? size : R(1.0);
}

void svd_make(uint32_t m, uint32_t n, real *a, real *value, real *right)
{
    enum { SWEEPS = 60 };
    const Columns columns = {m, n, a, right};
    real size = size_of(m, n, a);
    assert(n <= m);
    for (size_t k = 0; k < (size_t)m * n; k++)
        a[k] /= size;
    for (size_t k = 0; k < (size_t)n * n; k++)
        right[k] = k % (n + (size_t)1) == 0 ? R(1.0) : R(0.0);
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (uint32_t i = 0; i + 1 < n; i++)
            for (uint32_t j = i + 1; j < n; j++)
                turned |= turn(&columns, i, j);
    }
    for (uint32_t j = 0; j < n; j++) {
        real *column = a + (size_t)j * m;
        real length = vector_norm(m, column);
        value[j] = length * size;
        for (uint32_t i = 0; length > R(0.0) && i < m; i++)
            column[i] /= length;
    }
    order(m, n, a, value, right);
}
