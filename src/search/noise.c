#include "search/noise.h"

real noise_step(uint32_t n)
{
    return R(0.03) * cosy_sqrt(cosy_sqrt(COSY_EPSILON / (real)n));
}

/* The noise of values on a line from the differences of high order, to which a smooth
   function adds next to nothing (Hamming; Moré and Wild, Estimating computational
   noise, SIAM J. Sci. Comput. 33, 2011). */
real noise_on_line(real f[NOISE_LINE + 1])
{
    real level[NOISE_LINE] = {R(0.0)}, gamma = R(1.0);
    for (int k = 1; k <= NOISE_LINE; k++) {
        real sum = R(0.0);
        gamma *= (real)k / (R(2.0) * (R(2.0) * (real)k - R(1.0)));
        for (int j = 0; j + k <= NOISE_LINE; j++) {
            f[j] = f[j + 1] - f[j];
            sum += f[j] * f[j];
        }
        level[k - 1] = cosy_sqrt(gamma * sum / (real)(NOISE_LINE + 1 - k));
    }
    /* The first three orders that agree, or the middle of higher ones. */
    for (int k = 0; k + 2 < NOISE_LINE; k++) {
        real low = cosy_min(level[k], cosy_min(level[k + 1], level[k + 2]));
        real high = cosy_max(level[k], cosy_max(level[k + 1], level[k + 2]));
        if (high <= R(4.0) * low)
            return level[k];
    }
    real low = cosy_min(level[3], level[4]),
         high = cosy_max(level[3], level[4]);
    return cosy_max(low, cosy_min(high, level[5]));
}
