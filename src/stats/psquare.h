#ifndef COSY_STATS_PSQUARE_H
#define COSY_STATS_PSQUARE_H

/* A quantile of a stream of numbers without keeping them: five markers move
   along a parabola so that their heights stay where the least value, half of the
   share, the share, half of the rest and the greatest value are (Jain and
   Chlamtac, The P-square algorithm, Communications of the ACM 28, 1985). Exact up
   to five numbers; then good enough for a picture. */

#include <stdbool.h>
#include <stdint.h>

#include "cosy/real.h"

#define Psquare          COSY_NAME(Psquare)
#define psquare_add      COSY_NAME(psquare_add)
#define psquare_quantile COSY_NAME(psquare_quantile)

typedef struct Psquare {
    uint32_t n;
    uint32_t place[5]; // of the markers, from 1
    double height[5];
} Psquare;

/* To be initialized with zeros. The value is finite; 0 < share < 1, always the
   same. */
void psquare_add(Psquare *p, double share, double value);
/* NaN: there is no number. */
double psquare_quantile(const Psquare *p, double share);

#endif
