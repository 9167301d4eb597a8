#include "stats/fourier.h"

#include <assert.h>
#include <string.h>

/* ---- Transforms ------------------------------------------------------------------ */

static FourierValue times(FourierValue a, FourierValue b)
{
    return (FourierValue){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* exp(-i pi k / n), each computed for itself: a recursion would lose digits. */
static FourierValue root(uint64_t k, size_t n)
{
    real angle = FOURIER_PI * (real)k / (real)n;
    return (FourierValue){cosy_cos(angle), -cosy_sin(angle)};
}

static bool is_power(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* Exchanges x[j] and x[k] where the bits of k are those of j turned round. */
static void turn_bits(FourierValue *x, size_t n)
{
    for (size_t j = 1, k = 0; j < n; j++) {
        size_t bit = n >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k ^= bit;
        if (j < k) {
            FourierValue t = x[j];
            x[j] = x[k];
            x[k] = t;
        }
    }
}

/* n is a power of two; `table` has the n/2 roots exp(-2 pi i k / n). */
static void transform_power(FourierValue *x, size_t n,
                            const FourierValue *table)
{
    turn_bits(x, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t at = 0; at < n; at += 2 * half)
            for (size_t k = 0; k < half; k++) {
                FourierValue *a = &x[at + k], *b = &x[at + k + half];
                FourierValue t = times(*b, table[k * (n / 2 / half)]);
                *b = (FourierValue){a->re - t.re, a->im - t.im};
                *a = (FourierValue){a->re + t.re, a->im + t.im};
            }
}

static FourierValue *make_table(size_t n, Arena *scratch)
{
    FourierValue *table = NEW_ARRAY(scratch, FourierValue, n / 2 + 1);
    for (size_t k = 0; table && k < n / 2; k++)
        table[k] = root(2 * (uint64_t)k, n);
    return table;
}

static void conjugate(FourierValue *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k].im = -x[k].im;
}

/* With jk = (j^2 + k^2 - (k - j)^2) / 2 the sum is a convolution with the chirp
   w[j] = exp(-i pi j^2 / n), whose exponent has the period 2n. */
static bool transform_chirp(FourierValue *x, size_t n, Arena *scratch)
{
    size_t m = 1;
    while (m < 2 * n - 1)
        m *= 2;
    FourierValue *w = NEW_ARRAY(scratch, FourierValue, n);
    FourierValue *a = NEW_ARRAY(scratch, FourierValue, m);
    FourierValue *b = NEW_ARRAY(scratch, FourierValue, m);
    FourierValue *table = make_table(m, scratch);
    if (!w || !a || !b || !table)
        return false;
    for (size_t j = 0; j < n; j++) {
        w[j] = root((uint64_t)j * j % (2 * (uint64_t)n), n);
        a[j] = times(x[j], w[j]);
        b[j] = (FourierValue){w[j].re, -w[j].im};
        b[(m - j) % m] = b[j];
    }
    transform_power(a, m, table);
    transform_power(b, m, table);
    for (size_t j = 0; j < m; j++)
        a[j] = times(a[j], b[j]);
    conjugate(a, m);
    transform_power(a, m, table);
    conjugate(a, m);
    for (size_t k = 0; k < n; k++) {
        x[k] = times(a[k], w[k]);
        x[k].re /= (real)m;
        x[k].im /= (real)m;
    }
    return true;
}

bool fourier_transform(FourierValue *x, size_t n, bool back, Arena *scratch)
{
    ArenaMark mark = arena_mark(scratch);
    bool done = true;
    assert(n < (size_t)1 << 31);
    if (back)
        conjugate(x, n);
    if (is_power(n)) {
        FourierValue *table = make_table(n, scratch);
        done = table != NULL;
        if (done)
            transform_power(x, n, table);
    } else {
        done = transform_chirp(x, n, scratch);
    }
    if (back)
        conjugate(x, n);
    arena_rewind(scratch, mark);
    return done;
}

/* ---- Spectra --------------------------------------------------------------------- */

/* The window of Hann with mean 1: zero at both ends of the period. */
static real hann_weight(size_t j, size_t n)
{
    return R(1.0) - cosy_cos(R(2.0) * FOURIER_PI * (real)j / (real)n);
}

/* Transforms of n values, weighted; NULL: no memory. */
static FourierValue *transformed(const real *x, size_t n, bool hann,
                                 Arena *scratch)
{
    FourierValue *z = NEW_ARRAY(scratch, FourierValue, n);
    for (size_t j = 0; z && j < n; j++)
        z[j].re = hann ? x[j] * hann_weight(j, n) : x[j];
    return z && fourier_transform(z, n, false, scratch) ? z : NULL;
}

/* Lines k and n - k belong together; line 0, and n/2 if there is one, stand
   alone. */
static real sides(size_t k, size_t n)
{
    return k == 0 || 2 * k == n ? R(1.0) : R(2.0);
}

bool fourier_amplitudes(const real *x, size_t n, bool hann, real *amplitude,
                        Arena *scratch)
{
    ArenaMark mark = arena_mark(scratch);
    const FourierValue *z = transformed(x, n, hann, scratch);
    for (size_t k = 0; z && k < fourier_lines(n); k++)
        amplitude[k] = sides(k, n) * cosy_hypot(z[k].re, z[k].im) / (real)n;
    arena_rewind(scratch, mark);
    return z != NULL;
}

/* Pieces that overlap by half, and the fewest values of one. */
enum { PIECES = 15, PIECE_LEAST = 16 };

bool fourier_density(const real *x, size_t n, real h, real *density,
                     size_t *lines, size_t *length, uint32_t *pieces,
                     Arena *scratch)
{
    size_t half = n / (PIECES + 1);
    if (half < PIECE_LEAST / 2)
        half = n / 2 < PIECE_LEAST / 2 ? n / 2 : PIECE_LEAST / 2;
    size_t size = 2 * half, count = 0;
    assert(size > 1);
    *length = size;
    *lines = fourier_lines(size);
    memset(density, 0, *lines * sizeof *density);
    for (size_t at = 0; at + size <= n; at += half, count++) {
        ArenaMark mark = arena_mark(scratch);
        const FourierValue *z = transformed(x + at, size, true, scratch);
        for (size_t k = 0; z && k < *lines; k++)
            density[k] += cosy_square(z[k].re) + cosy_square(z[k].im);
        arena_rewind(scratch, mark);
        if (!z)
            return false;
    }
    /* The mean square of the window is 3/2. */
    for (size_t k = 0; k < *lines; k++)
        density[k] *= sides(k, size) * h / (R(1.5) * (real)size * (real)count);
    *pieces = (uint32_t)count;
    return true;
}

/* ---- Peaks ----------------------------------------------------------------------- */

/* pi d / sin(pi d): how much higher the sine is than its line, d lines away. */
static real rise(real d)
{
    real a = FOURIER_PI * d;
    return a > R(1e-6) ? a / cosy_sin(a) : R(1.0);
}

static FourierPeak between(const real *a, size_t lines, size_t k,
                           FourierShape shape)
{
    FourierPeak p = {(real)k, a[k]};
    real left = k > 1 ? a[k - 1] : R(0.0);
    real right = k + 1 < lines ? a[k + 1] : R(0.0);
    real ratio = cosy_max(left, right) / a[k];
    real d = shape == FOURIER_HANN
                 ? (R(2.0) * ratio - R(1.0)) / (R(1.0) + ratio)
                 : ratio / (R(1.0) + ratio);
    if (shape == FOURIER_NONE || !(d > R(0.0)))
        return p;
    d = cosy_min(d, R(0.5));
    p.at = right > left ? p.at + d : p.at - d;
    p.amplitude *= rise(d);
    if (shape == FOURIER_HANN)
        p.amplitude *= R(1.0) - d * d;
    return p;
}

static bool is_peak(const real *a, size_t lines, size_t k)
{
    return (k == 1 || a[k] > a[k - 1]) && (k + 1 == lines || a[k] >= a[k + 1]);
}

/* Whether the lines between two peaks go down to less than 0.7 of the lower one. */
static bool is_apart(const real *a, size_t low, size_t high)
{
    size_t from = low < high ? low : high, to = low < high ? high : low;
    for (size_t k = from + 1; k < to; k++)
        if (a[k] < R(0.7) * a[low])
            return true;
    return false;
}

static real highest(const real *a, size_t from, size_t to)
{
    real most = R(0.0);
    for (size_t k = from; k < to; k++)
        most = cosy_max(most, a[k]);
    return most;
}

/* The highest peak that is apart from those found; 0: there is none. */
static size_t next_peak(const real *a, size_t lines, const size_t *found,
                        uint32_t n, real least)
{
    size_t best = 0;
    for (size_t k = 1; k < lines; k++) {
        bool apart = a[k] >= least && a[k] > R(0.0) &&
                     (best == 0 || a[k] > a[best]) && is_peak(a, lines, k);
        for (uint32_t i = 0; apart && i < n; i++)
            apart = k != found[i] && is_apart(a, k, found[i]);
        if (apart)
            best = k;
    }
    return best;
}

uint32_t fourier_peaks(const real *amplitude, size_t lines, FourierShape shape,
                       FourierPeak *peak, uint32_t most)
{
    enum { MOST = 20 };
    size_t found[MOST];
    uint32_t n = 0;
    real least = R(0.01) * highest(amplitude, 1, lines);
    while (n < most && n < MOST) {
        size_t k = next_peak(amplitude, lines, found, n, least);
        if (k == 0)
            break;
        found[n] = k;
        peak[n++] = between(amplitude, lines, k, shape);
    }
    return n;
}

real fourier_edge(const real *amplitude, size_t lines)
{
    real all = highest(amplitude, 1, lines);
    size_t from = lines - lines / 10;
    return all > R(0.0) && from < lines
               ? highest(amplitude, from > 1 ? from : 1, lines) / all
               : R(0.0);
}
