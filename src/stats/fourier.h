#ifndef COSY_STATS_FOURIER_H
#define COSY_STATS_FOURIER_H

/* Discrete Fourier transforms of any length, and what OUTPUT makes of them:
   amplitudes of the lines of a spectrum, power densities, the main frequencies.

   fourier_transform is radix 2 where n is a power of two, else the chirp
   transform of Bluestein (L. I. Bluestein, "A linear filtering approach to the
   computation of discrete Fourier transform", 1970), which turns any length into
   a convolution whose length is a power of two.

   Line k of n values, one step h apart, has the frequency k / (n h). The values
   are taken as one period: value n would be value 0 again. A sine of which a whole
   number of periods fits into n h is one line with just its amplitude; any other
   leaks into all lines, most into its neighbours. HANN lets it leak into few lines
   only, each of which is twice as wide. */

#include "base/arena.h"
#include "cosy/real.h"

#define FourierValue       COSY_NAME(FourierValue)
#define FourierPeak        COSY_NAME(FourierPeak)
#define fourier_transform  COSY_NAME(fourier_transform)
#define fourier_amplitudes COSY_NAME(fourier_amplitudes)
#define fourier_density    COSY_NAME(fourier_density)
#define fourier_peaks      COSY_NAME(fourier_peaks)
#define fourier_edge       COSY_NAME(fourier_edge)

#define FOURIER_PI R(3.14159265358979323846264338327950288)

typedef struct FourierValue {
    real re, im;
} FourierValue;

/* X[k] = sum of x[j] exp(-2 pi i j k / n), in place; `back` with the other sign,
   without dividing by n. False: no memory. */
bool fourier_transform(FourierValue *x, size_t n, bool back, Arena *scratch);

/* How many lines n values have, line 0 included. */
static inline size_t fourier_lines(size_t n)
{
    return n / 2 + 1;
}

/* Amplitudes of the lines 0 ... n/2: a cos(2 pi k j / n + phase) has amplitude a
   at k, and line 0 is the mean. With `hann` values are weighted with
   1 - cos(2 pi j / n), whose mean is 1. False: no memory. */
bool fourier_amplitudes(const real *x, size_t n, bool hann, real *amplitude,
                        Arena *scratch);

/* Power density of the lines 0 ... *lines - 1, by the method of Welch (P. D. Welch,
   "The use of fast Fourier transform for the estimation of power spectra", 1967): the
   mean over pieces that overlap by half, each with the window of Hann; line k has
   the frequency k / (*length h). The sum of all lines, divided by *length h, is the
   variance. `density` has room for fourier_lines(n). False: no memory. */
bool fourier_density(const real *x, size_t n, real h, real *density,
                     size_t *lines, size_t *length, uint32_t *pieces,
                     Arena *scratch);

/* A line that is higher than its neighbours. `at` is its number, not a whole one:
   frequency and amplitude of the sine that would give this line and the higher
   one of its neighbours (T. Grandke, "Interpolation algorithms for discrete
   Fourier transforms of weighted signals", 1983). */
typedef struct FourierPeak {
    real at, amplitude;
} FourierPeak;

typedef enum FourierShape {
    FOURIER_PLAIN,
    FOURIER_HANN,
    FOURIER_NONE // not interpolated: a density
} FourierShape;

/* The highest peaks, highest first: at least a hundredth of the highest, and with a
   valley before every higher one. Returns how many. */
uint32_t fourier_peaks(const real *amplitude, size_t lines, FourierShape shape,
                       FourierPeak *peak, uint32_t most);
/* The largest of the last tenth of the lines, as a share of the largest of all. */
real fourier_edge(const real *amplitude, size_t lines);

#endif
