#ifndef COSY_PLOT_GNUPLOT_H
#define COSY_PLOT_GNUPLOT_H

/* Drawing: one gnuplot for all scripts of a folder, which is its working
   directory meanwhile. It is looked for along PATH. It ends at the first script
   that it does not take: then another one goes on behind that, up to a dozen
   times. */

#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef enum DrawnAs {
    DRAWN,
    DRAWN_NOT_FOUND, // there is no gnuplot
    DRAWN_FAILED     // it did not take all of them
} DrawnAs;

/* What was not drawn. Zero to begin with. */
typedef struct Undrawn {
    uint32_t count; // of scripts
    uint32_t first; // of them, from 0
    Buffer why;     // what gnuplot said about it, its last line
} Undrawn;

/* `names` are those of `count` scripts, each ended by NUL, without .gp. */
DrawnAs gnuplot_draw(const char *dir, const char *names, uint32_t count,
                     Undrawn *u);

#endif
