#ifndef COSY_PLOT_SCALE_H
#define COSY_PLOT_SCALE_H

/* An axis of a picture: from where to where it goes, and which round numbers
   stand at it. scale_take gathers the range of the data, scale_make chooses the
   ends, scale_ticks the numbers. The script of the page does the same. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "plot/plot.h"

#define SCALE_TICKS 40

typedef struct ScaleRange {
    double low, high; // low > high: nothing yet
} ScaleRange;

#define SCALE_RANGE                                                            \
    {                                                                          \
        .low = 1, .high = 0                                                    \
    }

typedef struct Scale {
    double low, high; // low < high; both positive if logarithmic
    bool logarithmic;
} Scale;

typedef struct ScaleTick {
    double at;
    char text[24];
} ScaleTick;

/* What is not above 0 has no place on a logarithmic axis, and what is as large as
   numbers can be on none. */
void scale_take(ScaleRange *r, double v, bool logarithmic);
/* `round`: ends that the data decide are moved outwards to ticks. */
Scale scale_make(const PlotAxis *a, ScaleRange data, bool round);
/* About `wanted` of them; how many there are. */
uint32_t scale_ticks(const Scale *s, ScaleTick tick[SCALE_TICKS],
                     uint32_t wanted);
/* Between two of them, on an axis that is not logarithmic. */
double scale_step(const Scale *s, uint32_t wanted);

/* 0 at the lower end, 1 at the upper one. */
static inline double scale_share(const Scale *s, double v)
{
    if (!s->logarithmic)
        return (v - s->low) / (s->high - s->low);
    return v > 0 ? log(v / s->low) / log(s->high / s->low) : -1;
}

#endif
