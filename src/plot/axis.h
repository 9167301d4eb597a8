#ifndef COSY_PLOT_AXIS_H
#define COSY_PLOT_AXIS_H

/* An axis of a picture as it is drawn: its ends, and the numbers along it. All
   pens (gnuplot, the page, characters) draw what is decided here, and decide
   nothing themselves.

       axis_take    gathers the range of the data
       axis_make    chooses the ends
       axis_air     leaves room beside the curves
       axis_mark    makes the ticks and their texts, for the room there is */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "plot/plot.h"

enum { AXIS_TICKS = 160, AXIS_TEXT = 24 };

typedef struct AxisRange {
    double low, high; // low > high: nothing yet
} AxisRange;

#define AXIS_RANGE                                                             \
    {                                                                          \
        .low = 1, .high = 0                                                    \
    }

/* The text is plain: "2.5e-3". A pen that can raise an exponent uses
   axis_split. "": a stroke without a number. */
typedef struct AxisTick {
    double at;
    char text[AXIS_TEXT];
} AxisTick;

typedef struct Axis {
    double low, high; // low < high; both positive if logarithmic
    bool logarithmic;
    uint32_t n;
    AxisTick tick[AXIS_TICKS];
} Axis;

/* How the data decide the ends of an axis. */
typedef enum AxisEnds {
    AXIS_AS_DATA, // at the ends of the data
    AXIS_ROUND    // at round numbers around them
} AxisEnds;

/* Which numbers it may show. */
typedef enum AxisNumbers {
    AXIS_ANY,
    AXIS_WHOLE, // whole numbers only
    AXIS_TRUTH  // 0 and 1, as FALSE and TRUE
} AxisNumbers;

/* A value that is not above 0 has no place on a logarithmic axis, and one near
   the largest number has none on any axis. */
void axis_take(AxisRange *r, double v, bool logarithmic);
/* The axis has no ticks yet. */
Axis axis_make(const PlotAxis *a, AxisRange data, AxisEnds ends);
/* Moves an end a little further out if the data come close to it, so that a
   curve at its limit does not lie on the frame. A floor stays: bars stand on
   it. */
void axis_air(Axis *a, AxisRange data, bool floor);
/* About `wanted` numbers, and strokes between them if there is room. */
void axis_mark(Axis *a, uint32_t wanted, AxisNumbers numbers);

/* Divides "2.5e-3" into the length of "2.5" and the exponent; false: the text
   has no exponent. The length is 0 if the number is itself a power of ten. */
bool axis_split(const char *text, int *mantissa, int *exponent);

/* 0 at the lower end, 1 at the upper one. */
static inline double axis_share(const Axis *a, double v)
{
    if (!a->logarithmic)
        return (v - a->low) / (a->high - a->low);
    double ratio = a->high / a->low;
    if (v > 0 && !isfinite(ratio))
        return (log(v) - log(a->low)) / (log(a->high) - log(a->low));
    return v > 0 ? log(v / a->low) / log(ratio) : -1;
}

#endif
