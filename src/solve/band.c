#include <assert.h>

#include "solve/dense.h"
#include "solve/linear.h"
#include "solve/sparse.h"

/* LU with partial pivoting inside a narrow band, real or complex.

   With kl diagonals below and ku above the main one, column j of the factors
   has room for rows j - ku - kl to j + kl (exchanges fill kl more above); row i
   lies at i - j + kl + ku of its `height` places. Pivots are stored as
   reciprocals. Each factorisation starts afresh, so nothing has to be saved
   beyond what is in the image. */

typedef struct Band {
    bool complex;
    uint32_t n, kl, ku, height;
    Vector place;  // place of each entry of the pattern
    Vector factor; // numbers, in the image
    Vector pivot;  // row exchanged with row k; in the image
} Band;

static uint32_t *indices(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

bool band_prefers(uint32_t n, const uint32_t *start, const uint32_t *row)
{
    uint32_t kl = 0, ku = 0;
    band_width(n, start, row, &kl, &ku);
    return (real)(2 * kl + ku + 1) * (real)n <= R(2.5) * (real)start[n];
}

void band_width(uint32_t n, const uint32_t *start, const uint32_t *row,
                uint32_t *kl, uint32_t *ku)
{
    uint32_t below = 0, above = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (start[j] == start[j + 1])
            continue;
        uint32_t first = row[start[j]], last = row[start[j + 1] - 1];
        assert(first <= last);
        if (last > j && last - j > below)
            below = last - j;
        if (first < j && j - first > above)
            above = j - first;
    }
    *kl = below;
    *ku = above;
}

/* ---- Shape --------------------------------------------------------------- */

static void *create(Arena *a, Image *image, const char *name, bool complex)
{
    Band *b = NEW(a, Band);
    if (b == NULL)
        return NULL;
    b->complex = complex;
    if (image_name(image, a, name, "band", &b->factor) != STATUS_OK ||
        image_name(image, a, name, "exchange", &b->pivot) != STATUS_OK)
        return NULL;
    return b;
}

static Status shape(void *sparse, uint32_t n, const uint32_t *start,
                    const uint32_t *row)
{
    Band *b = sparse;
    size_t width = (b->complex ? 2 : 1) * sizeof(real);
    b->n = n;
    band_width(n, start, row, &b->kl, &b->ku);
    b->height = 2 * b->kl + b->ku + 1;
    if (!vector_fit(&b->place, start[n] * sizeof(uint32_t)) ||
        !vector_fit(&b->factor, (size_t)n * b->height * width) ||
        !vector_fit(&b->pivot, n * sizeof(uint32_t)))
        return STATUS_MEMORY;
    uint32_t *place = indices(&b->place), height = b->height;
    for (uint32_t j = 0, at = b->kl + b->ku; j < n; j++, at += height - 1)
        for (uint32_t p = start[j]; p < start[j + 1]; p++)
            place[p] = at + row[p];
    return STATUS_OK;
}

static void release(void *sparse)
{
    Band *b = sparse;
    vector_free(&b->place);
    vector_free(&b->factor);
    vector_free(&b->pivot);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- Real ---------------------------------------------------------------- */

/* Finds the pivot of column k and divides what is below by it. False: no pivot
   is left. */
static bool pivot_real(const Band *b, uint32_t k, real *d, uint32_t below)
{
    uint32_t p = 0;
    for (uint32_t i = 1; i <= below; i++)
        if (cosy_abs(d[i]) > cosy_abs(d[p]))
            p = i;
    real top = d[p];
    if (top == R(0.0) || !cosy_finite(top))
        return false;
    indices(&b->pivot)[k] = p;
    d[p] = d[0];
    d[0] = R(1.0) / top;
    for (uint32_t i = 1; i <= below; i++)
        d[i] *= d[0];
    return true;
}

static Status factor_real(Band *b, uint32_t *column)
{
    uint32_t n = b->n, step = b->height - 1, reach = b->kl + b->ku;
    real *a = (real *)(void *)b->factor.bytes;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t below = least(b->kl, n - 1 - k);
        uint32_t right = least(reach, n - 1 - k);
        real *d = a + (size_t)k * b->height + reach; // the diagonal
        *column = k;
        if (!pivot_real(b, k, d, below))
            return STATUS_SINGULAR;
        uint32_t p = indices(&b->pivot)[k];
        for (uint32_t j = 1; j <= right; j++) {
            real *c = d + (size_t)j * step; // row k of column k + j
            real f = c[p];
            c[p] = c[0];
            c[0] = f;
            if (f == R(0.0))
                continue;
            for (uint32_t i = 1; i <= below; i++)
                c[i] -= d[i] * f;
        }
    }
    return STATUS_OK;
}

static void solve_real(const Band *b, real *x)
{
    uint32_t n = b->n, reach = b->kl + b->ku;
    const real *a = (const real *)(const void *)b->factor.bytes;
    for (uint32_t k = 0; k < n; k++) {
        const real *d = a + (size_t)k * b->height + reach;
        uint32_t p = k + indices(&b->pivot)[k], below = least(b->kl, n - 1 - k);
        real f = x[p];
        x[p] = x[k];
        x[k] = f;
        for (uint32_t i = 1; i <= below; i++)
            x[k + i] -= d[i] * f;
    }
    for (uint32_t k = n; k-- > 0;) {
        const real *d = a + (size_t)k * b->height + reach;
        uint32_t above = least(reach, k);
        real f = x[k] * d[0];
        x[k] = f;
        for (uint32_t i = 1; i <= above; i++)
            x[k - i] -= *(d - i) * f;
    }
}

/* ---- Complex ------------------------------------------------------------- */

static void subtract(Complex *c, Complex a, Complex f)
{
    c->re -= a.re * f.re - a.im * f.im;
    c->im -= a.re * f.im + a.im * f.re;
}

static bool pivot_complex(const Band *b, uint32_t k, Complex *d, uint32_t below)
{
    uint32_t p = 0;
    for (uint32_t i = 1; i <= below; i++)
        if (complex_size(d[i]) > complex_size(d[p]))
            p = i;
    Complex top = d[p];
    real size = complex_size(top);
    if (size == R(0.0) || !cosy_finite(size))
        return false;
    indices(&b->pivot)[k] = p;
    d[p] = d[0];
    d[0] = complex_inverse(top);
    for (uint32_t i = 1; i <= below; i++)
        d[i] = complex_times(d[i], d[0]);
    return true;
}

static Status factor_complex(Band *b, uint32_t *column)
{
    uint32_t n = b->n, step = b->height - 1, reach = b->kl + b->ku;
    Complex *a = (Complex *)(void *)b->factor.bytes;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t below = least(b->kl, n - 1 - k);
        uint32_t right = least(reach, n - 1 - k);
        Complex *d = a + (size_t)k * b->height + reach;
        *column = k;
        if (!pivot_complex(b, k, d, below))
            return STATUS_SINGULAR;
        uint32_t p = indices(&b->pivot)[k];
        for (uint32_t j = 1; j <= right; j++) {
            Complex *c = d + (size_t)j * step, f = c[p];
            c[p] = c[0];
            c[0] = f;
            if (f.re == R(0.0) && f.im == R(0.0))
                continue;
            for (uint32_t i = 1; i <= below; i++)
                subtract(&c[i], d[i], f);
        }
    }
    return STATUS_OK;
}

static void solve_complex(const Band *b, Complex *x)
{
    uint32_t n = b->n, reach = b->kl + b->ku;
    const Complex *a = (const Complex *)(const void *)b->factor.bytes;
    for (uint32_t k = 0; k < n; k++) {
        const Complex *d = a + (size_t)k * b->height + reach;
        uint32_t p = k + indices(&b->pivot)[k], below = least(b->kl, n - 1 - k);
        Complex f = x[p];
        x[p] = x[k];
        x[k] = f;
        for (uint32_t i = 1; i <= below; i++)
            subtract(&x[k + i], d[i], f);
    }
    for (uint32_t k = n; k-- > 0;) {
        const Complex *d = a + (size_t)k * b->height + reach;
        uint32_t above = least(reach, k);
        Complex f = complex_times(x[k], d[0]);
        x[k] = f;
        for (uint32_t i = 1; i <= above; i++)
            subtract(&x[k - i], *(d - i), f);
    }
}

/* ---- The table ----------------------------------------------------------- */

static Status factor(void *sparse, const real *value, uint32_t *column)
{
    Band *b = sparse;
    const uint32_t *place = indices(&b->place);
    size_t entries = b->place.used / sizeof(uint32_t);
    real *a = (real *)(void *)b->factor.bytes;
    memset(a, 0, b->factor.used);
    if (!b->complex) {
        for (size_t p = 0; p < entries; p++)
            a[place[p]] = value[p];
        return factor_real(b, column);
    }
    for (size_t p = 0; p < entries; p++) {
        a[2 * (size_t)place[p]] = value[2 * p];
        a[2 * (size_t)place[p] + 1] = value[2 * p + 1];
    }
    return factor_complex(b, column);
}

static Status solve(void *sparse, const real *value, real *x)
{
    Band *b = sparse;
    (void)value; // the factors themselves are in the image
    if (b->complex)
        solve_complex(b, (Complex *)(void *)x);
    else
        solve_real(b, x);
    return STATUS_OK;
}

static real weakest(const void *sparse, const real *size, uint32_t *column)
{
    const Band *b = sparse;
    const real *a = (const real *)(const void *)b->factor.bytes;
    real least = COSY_REAL_MAX;
    a += b->kl + b->ku; // the first of the diagonal
    for (uint32_t k = 0; k < b->n; k++, a += b->height)
        sparse_weaker(R(1.0) / cosy_abs(*a), k, size, &least, column);
    return least;
}

const SparseKind sparse_band = {
    .name = "band LU",
    .create = create,
    .shape = shape,
    .factor = factor,
    .solve = solve,
    .free = release,
    .weakest = weakest,
};
