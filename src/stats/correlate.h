#ifndef COSY_STATS_CORRELATE_H
#define COSY_STATS_CORRELATE_H

/* Correlation of two series of n values at equal distances:

       r[m] = sum of (x[j] - mean x) (y[j + m] - mean y) / (n sd(x) sd(y))

   over all j for which both are there, as in G. E. P. Box, G. M. Jenkins, "Time
   Series Analysis", 1970. With m > 0, y comes m steps after x. Since fewer products
   are summed where the lag is long, r falls with 1 - |m| / n: that of a sine is a
   cosine below such a line. |r| is never above 1. */

#include "base/arena.h"
#include "cosy/real.h"

#define correlate_series COSY_NAME(correlate_series)
#define correlate_centre COSY_NAME(correlate_centre)

/* Takes the mean off, and returns it; *sd is the root of the mean square of what is
   left, 0 where that is no more than rounding. */
real correlate_centre(real *x, size_t n, real *sd);
/* r[0 ... 2 most] are lags -most ... most; x and y have been centred, with the
   standard deviations given, which are not 0; most < n. False: no memory. */
bool correlate_series(const real *x, real sd_x, const real *y, real sd_y,
                      size_t n, size_t most, real *r, Arena *scratch);

#endif
