#ifndef COSY_PLOT_TEXT_H
#define COSY_PLOT_TEXT_H

/* A Plot in characters: its first panel, at most `wide` columns, TEXT_WIDEST at
   most. The axes end at round numbers. Several curves share one scale, unless
   one of them would hardly be seen to move on it: then each has its own, shown
   in the legend. FACTOR makes the picture larger or smaller, but never wider
   than the page. The caller writes titles. */

#include "plot/plot.h"

enum { TEXT_WIDEST = 120 };

/* False: no memory. */
bool plot_text(Buffer *b, const Plot *p, uint32_t wide);

#endif
