#ifndef COSY_PLOT_THIN_H
#define COSY_PLOT_THIN_H

/* Long curves for a picture: what cannot be seen is left out, and nothing that
   can be. A curve that goes from left to right keeps of every column of pixels
   its first, lowest, highest and last point; any other (a phase plane, points)
   keeps what lies at least half a pixel from the point kept before it, or
   farther apart where that leaves too many. The same points always give the
   same ones. NaN is a gap, and stays one. */

#include <stdbool.h>
#include <stddef.h>

/* Fewer than so many are kept as they are. */
#define THIN_LEAST 6000

/* Thins x, y in place; returns how many are left. */
size_t plot_thin(double *x, double *y, size_t n, bool logx, bool logy);

#endif
