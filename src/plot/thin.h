#ifndef COSY_PLOT_THIN_H
#define COSY_PLOT_THIN_H

/* Long curves for a picture: what cannot be seen is left out. A curve that goes
   from left to right keeps of every column of pixels its first, lowest, highest
   and last point. Of any other (a phase plane) each line between two pixels is
   kept once, as it was, with gaps in between; pixels are taken larger where that
   leaves too many. The same points always give the same ones. NaN is a gap, and
   stays one. */

#include <stdbool.h>
#include <stddef.h>

/* Fewer than so many are kept as they are. */
#define THIN_LEAST 6000

/* Thins x, y in place; returns how many are left. */
size_t plot_thin(double *x, double *y, size_t n, bool logx, bool logy);

#endif
