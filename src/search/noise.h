#ifndef COSY_SEARCH_NOISE_H
#define COSY_SEARCH_NOISE_H

/* How much noise a function has: from its values on a short line. Private to
   src/search. */

#include "cosy/real.h"

#define noise_step    COSY_NAME(noise_step)
#define noise_on_line COSY_NAME(noise_on_line)

/* Points of the line besides the one that it begins at. */
#define NOISE_LINE 7

/* By how much each of n coordinates of order one changes from point to point: short
   enough for a smooth function to add only rounding to the fourth differences. */
real noise_step(uint32_t n);

/* The standard deviation of the noise; the values are lost. */
real noise_on_line(real f[NOISE_LINE + 1]);

#endif
