#ifndef COSY_PLOT_GNUPLOT_H
#define COSY_PLOT_GNUPLOT_H

/* Drawing: one gnuplot for all scripts of a folder, which is its working
   directory meanwhile. It is looked for along PATH. */

#include "base/buffer.h"
#include "base/status.h"

typedef enum DrawnAs {
    DRAWN,
    DRAWN_NOT_FOUND, // there is no gnuplot
    DRAWN_FAILED     // it complained; `why` has what it said last
} DrawnAs;

/* `names` are those of `count` scripts, each ended by NUL, without .gp. */
DrawnAs gnuplot_draw(const char *dir, const char *names, uint32_t count,
                     Buffer *why);

#endif
