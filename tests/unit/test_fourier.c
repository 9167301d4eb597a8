/* Transforms against the sum that defines them, and what is made of them against
   signals whose spectrum and correlation are known. */

#include "stats/fourier.h"

#include "base/macros.h"
#include "chance.h"
#include "check.h"
#include "stats/correlate.h"

enum { MOST = 5000 };

static bool is_near(real a, real b, double tolerance)
{
    return (double)cosy_abs(a - b) <= tolerance;
}

/* A few rounding errors of a transform of n values of size 1. */
static double rounding(size_t n)
{
    return 40.0 * (double)COSY_EPSILON * sqrt((double)n);
}

/* ---- Transforms ------------------------------------------------------------------ */

static FourierValue direct(const FourierValue *x, size_t n, size_t k)
{
    FourierValue sum = {R(0.0), R(0.0)};
    for (size_t j = 0; j < n; j++) {
        real a = R(-2.0) * FOURIER_PI * (real)(j * k % n) / (real)n;
        real c = cosy_cos(a), s = cosy_sin(a);
        sum.re += x[j].re * c - x[j].im * s;
        sum.im += x[j].re * s + x[j].im * c;
    }
    return sum;
}

static void fill(FourierValue *x, size_t n, unsigned seed)
{
    Chance c = chance_begin(seed);
    for (size_t j = 0; j < n; j++) {
        x[j].re = (real)normal(&c);
        x[j].im = (real)normal(&c);
    }
}

/* Powers of two, primes, and what lies between; there, the sum of squares, and
   back. */
static void test_definition(void)
{
    static const size_t length[] = {1,   2,   3,   4,   5,   6,   7,  8,  9,
                                    12,  16,  17,  30,  31,  32,  64, 97, 100,
                                    127, 128, 210, 256, 360, 499, 512};
    FourierValue x[512], z[512];
    Arena a = {0};
    for (size_t i = 0; i < LENGTH(length); i++) {
        size_t n = length[i];
        real there = R(0.0), here = R(0.0);
        fill(x, n, (unsigned)n);
        memcpy(z, x, sizeof x);
        CHECK(fourier_transform(z, n, false, &a));
        for (size_t k = 0; k < n; k++) {
            FourierValue d = direct(x, n, k);
            CHECK(is_near(z[k].re, d.re, rounding(n * n)));
            CHECK(is_near(z[k].im, d.im, rounding(n * n)));
            there += cosy_square(z[k].re) + cosy_square(z[k].im);
            here += cosy_square(x[k].re) + cosy_square(x[k].im);
        }
        CHECK(is_near(there / (real)n / here, R(1.0), rounding(n)));
        CHECK(fourier_transform(z, n, true, &a));
        for (size_t k = 0; k < n; k++) {
            CHECK(is_near(z[k].re / (real)n, x[k].re, rounding(n)));
            CHECK(is_near(z[k].im / (real)n, x[k].im, rounding(n)));
        }
    }
    arena_free(&a);
}

/* A long length with a large prime factor. */
static void test_long(void)
{
    enum { N = 2 * 49999 };
    Arena a = {0};
    FourierValue *x = NEW_ARRAY(&a, FourierValue, N);
    for (size_t j = 0; j < N; j++)
        x[j].re = cosy_cos(R(2.0) * FOURIER_PI * (real)(j * 1234 % N) / N);
    CHECK(fourier_transform(x, N, false, &a));
    for (size_t k = 0; k < N; k++) {
        real expected = k == 1234 || k == N - 1234 ? R(0.5) : R(0.0);
        CHECK(is_near(x[k].re / N, expected, 200 * (double)COSY_EPSILON));
        CHECK(is_near(x[k].im / N, R(0.0), 200 * (double)COSY_EPSILON));
    }
    arena_free(&a);
}

/* A chirp exp(i pi j^2 / n) with even n has lines of one and the same size,
   sqrt(n). */
static void test_chirp(void)
{
    FourierValue x[500];
    Arena a = {0};
    for (size_t n = 2; n <= 500; n += 2) {
        for (size_t j = 0; j < n; j++) {
            real angle = FOURIER_PI * (real)(j * j % (2 * n)) / (real)n;
            x[j] = (FourierValue){cosy_cos(angle), cosy_sin(angle)};
        }
        CHECK(fourier_transform(x, n, false, &a));
        for (size_t k = 0; k < n; k++)
            CHECK(is_near(cosy_hypot(x[k].re, x[k].im) / cosy_sqrt((real)n),
                          R(1.0), rounding(n)));
    }
    arena_free(&a);
}

/* ---- Spectra --------------------------------------------------------------------- */

static real wave(size_t j, size_t n, double periods, double phase)
{
    return cosy_cos(R(2.0) * FOURIER_PI * (real)periods * (real)j / (real)n +
                    (real)phase);
}

/* Three sines and a mean, each in whole periods; the last at the Nyquist
   frequency, where only the cosine is seen. */
static void test_amplitudes(void)
{
    real x[300], amplitude[151];
    Arena a = {0};
    for (size_t n = 299; n <= 300; n++) {
        for (size_t j = 0; j < n; j++) {
            x[j] = R(4.0) + R(2.5) * wave(j, n, 3, 0.3) +
                   R(0.125) * wave(j, n, 77, -2);
            x[j] += n == 300 ? R(0.5) * wave(j, n, 150, 0) : R(0.0);
        }
        CHECK(fourier_amplitudes(x, n, false, amplitude, &a));
        for (size_t k = 0; k < fourier_lines(n); k++)
            CHECK(is_near(amplitude[k],
                          k == 0     ? R(4.0)
                          : k == 3   ? R(2.5)
                          : k == 77  ? R(0.125)
                          : k == 150 ? R(0.5)
                                     : R(0.0),
                          rounding(n)));
        for (size_t j = 0; j < n; j++)
            x[j] -= R(4.0);
        CHECK(fourier_amplitudes(x, n, true, amplitude, &a));
        CHECK(is_near(amplitude[3], R(2.5), rounding(n)));
        CHECK(is_near(amplitude[2], R(1.25), rounding(n)));
        CHECK(is_near(amplitude[77], R(0.125), rounding(n)));
        CHECK(is_near(amplitude[5], R(0.0), rounding(n)));
    }
    arena_free(&a);
}

/* A sine between two lines: what is seen, and what is found. */
static void test_peaks(void)
{
    real x[1000], amplitude[501];
    FourierPeak p[3];
    Arena a = {0};
    for (int i = 0; i <= 10; i++) {
        double at = 100 + 0.1 * i;
        for (size_t j = 0; j < 1000; j++)
            x[j] = R(3.0) * wave(j, 1000, at, 0.7) +
                   R(0.4) * wave(j, 1000, 250.25, 1);
        CHECK(fourier_amplitudes(x, 1000, true, amplitude, &a));
        CHECK(fourier_peaks(amplitude, 501, FOURIER_HANN, p, 3) == 2);
        CHECK(is_near(p[0].at, (real)at, 1e-5));
        CHECK(is_near(p[0].amplitude, R(3.0), 1e-4));
        CHECK(is_near(p[1].at, R(250.25), 1e-4));
        CHECK(is_near(p[1].amplitude, R(0.4), 1e-4));
        CHECK(fourier_amplitudes(x, 1000, false, amplitude, &a));
        CHECK(fourier_peaks(amplitude, 501, FOURIER_PLAIN, p, 1) == 1);
        CHECK(is_near(p[0].at, (real)at, 0.003));
        CHECK(is_near(p[0].amplitude, R(3.0), 0.02));
    }
    CHECK(fourier_edge(amplitude, 501) < R(0.01));
    memset(amplitude, 0, sizeof amplitude);
    CHECK(fourier_peaks(amplitude, 501, FOURIER_PLAIN, p, 3) == 0);
    CHECK(fourier_edge(amplitude, 501) == R(0.0));
    amplitude[499] = R(0.5);
    amplitude[7] = R(2.0);
    CHECK(fourier_edge(amplitude, 501) == R(0.25));
    arena_free(&a);
}

/* White noise of variance 4 has the density 2 x 4 x h at every frequency; the sum
   of all lines is the variance. */
static void test_density(void)
{
    static real x[1 << 16], density[(1 << 15) + 1];
    Chance c = chance_begin(7);
    Arena a = {0};
    size_t n = LENGTH(x), lines, length;
    uint32_t pieces;
    real sum = R(0.0), middle = R(0.0), h = R(0.01);
    for (size_t j = 0; j < n; j++)
        x[j] = (real)(2 * normal(&c));
    CHECK(fourier_density(x, n, h, density, &lines, &length, &pieces, &a));
    CHECK(pieces == 15 && length == n / 8 && lines == length / 2 + 1);
    for (size_t k = 0; k < lines; k++)
        sum += density[k] / ((real)length * h);
    for (size_t k = 1000; k < 3000; k++)
        middle += density[k] / R(2000.0);
    CHECK(is_near(sum, R(4.0), 0.1));
    CHECK(is_near(middle / h, R(8.0), 0.4));
    /* A sine of amplitude 3 has the variance 9/2. */
    for (size_t j = 0; j < n; j++)
        x[j] = R(3.0) * wave(j, n, 8 * 512, 0.2);
    CHECK(fourier_density(x, n, h, density, &lines, &length, &pieces, &a));
    sum = R(0.0);
    for (size_t k = 0; k < lines; k++)
        sum += density[k] / ((real)length * h);
    CHECK(is_near(sum, R(4.5), rounding(n)));
    CHECK(fourier_density(x, 5, h, density, &lines, &length, &pieces, &a));
    CHECK(length == 4 && pieces == 1);
    arena_free(&a);
}

/* ---- Correlation ----------------------------------------------------------------- */

static void fill_series(real *x, size_t n, unsigned seed)
{
    Chance c = chance_begin(seed);
    for (size_t j = 0; j < n; j++)
        x[j] = (real)normal(&c);
}

static void test_correlation(void)
{
    real x[211], y[211], r[401], sx, sy;
    Arena a = {0};
    fill_series(x, 211, 1);
    fill_series(y, 211, 2);
    CHECK(is_near(correlate_centre(x, 211, &sx), R(0.0), 0.3));
    correlate_centre(y, 211, &sy);
    CHECK(correlate_series(x, sx, y, sy, 211, 200, r, &a));
    for (int m = -200; m <= 200; m++) {
        real sum = R(0.0);
        for (int j = 0; j < 211; j++)
            if (j + m >= 0 && j + m < 211)
                sum += x[j] * y[j + m] / (sx * sy * 211);
        CHECK(is_near(r[m + 200], sum, rounding(211)));
    }
    arena_free(&a);
}

/* y is x, 37 steps later: the largest correlation is there, and with the sign
   that is promised. */
static void test_delay(void)
{
    static real x[MOST], y[MOST];
    static real r[201];
    real sx, sy;
    size_t best = 0;
    Arena a = {0};
    fill_series(x, MOST, 3);
    for (size_t j = 0; j < MOST; j++)
        y[j] = j >= 37 ? R(-2.0) * x[j - 37] + R(5.0) : R(5.0);
    correlate_centre(x, MOST, &sx);
    CHECK(is_near(correlate_centre(y, MOST, &sy), R(5.0), 0.1));
    CHECK(correlate_series(x, sx, y, sy, MOST, 100, r, &a));
    for (size_t k = 0; k < 201; k++)
        if (cosy_abs(r[k]) > cosy_abs(r[best]))
            best = k;
    CHECK(best == 137);
    CHECK(r[best] < R(-0.98));
    arena_free(&a);
}

/* White noise: 1 at lag 0, and else within the bounds, in 95 of 100 lags. */
static void test_noise(void)
{
    static real x[MOST], r[1001];
    real sd;
    int out = 0;
    Arena a = {0};
    fill_series(x, MOST, 4);
    correlate_centre(x, MOST, &sd);
    CHECK(is_near(sd, R(1.0), 0.05));
    CHECK(correlate_series(x, sd, x, sd, MOST, 500, r, &a));
    CHECK(is_near(r[500], R(1.0), rounding(MOST)));
    for (int m = 1; m <= 500; m++) {
        CHECK(is_near(r[500 + m], r[500 - m], rounding(MOST)));
        out += (double)cosy_abs(r[500 + m]) > 1.96 / sqrt(MOST);
    }
    CHECK(out > 10 && out < 45);
    arena_free(&a);
}

/* A sine over many periods: (1 - m/n) cos. */
static void test_sine(void)
{
    static real x[4000], r[801];
    real sd;
    Arena a = {0};
    for (size_t j = 0; j < 4000; j++)
        x[j] = R(7.0) + wave(j, 4000, 100, 0.4);
    CHECK(is_near(correlate_centre(x, 4000, &sd), R(7.0), rounding(4000)));
    CHECK(is_near(sd * sd, R(0.5), rounding(4000)));
    CHECK(correlate_series(x, sd, x, sd, 4000, 400, r, &a));
    for (size_t m = 0; m <= 400; m++)
        CHECK(is_near(r[400 + m],
                      (R(1.0) - (real)m / R(4000.0)) * wave(m, 4000, 100, 0),
                      0.003));
    for (size_t j = 0; j < 4000; j++)
        x[j] = R(0.1);
    correlate_centre(x, 4000, &sd);
    CHECK(sd == R(0.0));
    arena_free(&a);
}

int main(void)
{
    test_definition();
    test_long();
    test_chirp();
    test_amplitudes();
    test_peaks();
    test_density();
    test_correlation();
    test_delay();
    test_noise();
    test_sine();
    return check_end();
}
