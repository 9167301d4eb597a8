#ifndef COSY_PLOT_THIN_H
#define COSY_PLOT_THIN_H

/* Thins long curves for a picture: points that cannot be seen are left out. A
   curve that goes from left to right keeps the first, lowest, highest and last
   point of every column of pixels. In any other curve (a phase plane) each line
   between two pixels is kept once, as it was, with gaps in between; larger
   pixels are used if that leaves too many. The same points always give the same
   result. NaN is a gap, and stays one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the picture has room for. */
typedef struct ThinRoom {
    bool logx, logy;
    uint32_t columns; // pixels; 0: those of the largest picture
    size_t least;     // with fewer points all are kept; 0: THIN_LEAST
} ThinRoom;

enum { THIN_LEAST = 6000 };

/* Thins x, y in place; returns how many are left. */
size_t plot_thin(double *x, double *y, size_t n, ThinRoom room);
/* Leaves out points of a curve in steps at which y stays the same; the last one
   remains, since it ends the curve. Dashes are lost on a line of many short
   pieces. Returns how many are left. */
size_t plot_plateaus(double *x, double *y, size_t n);

#endif
