#include "stats/mser.h"

MserFound mser_find(const real *y, uint32_t n, size_t stride)
{
    real mean = R(0.0), square = R(0.0), m = R(0.0);
    real least = R(0.0), least_early = R(0.0);
    uint32_t best = n, best_early = n;
    if (n < MSER_LEAST)
        return (MserFound){.few = true};
    for (uint32_t d = n; d-- > 0;) {
        real off = y[d * stride] - mean;
        m += R(1.0);
        mean += off / m;
        square += off * (y[d * stride] - mean);
        if (d > n - n / 4)
            continue;
        real error = square / (m * m);
        if (best == n || error <= least) {
            least = error;
            best = d;
        }
        if (d <= n / 2 && (best_early == n || error <= least_early)) {
            least_early = error;
            best_early = d;
        }
    }
    return (MserFound){.removed = best_early, .late = best > n / 2};
}
