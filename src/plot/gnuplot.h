#ifndef COSY_PLOT_GNUPLOT_H
#define COSY_PLOT_GNUPLOT_H

/* Drawing: one gnuplot for all scripts of a folder, which is its working
   directory. It is looked for along PATH. It ends at the first script that it
   does not accept: then another one continues after that script, up to a dozen
   times. */

#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef enum DrawnAs {
    DRAWN,
    DRAWN_NOT_FOUND, // there is no gnuplot
    DRAWN_FAILED     // it did not accept all scripts
} DrawnAs;

/* What was not drawn. To be initialized with zeros. */
typedef struct Undrawn {
    uint32_t count; // scripts
    uint32_t first; // the first of them, from 0
    Buffer why;     // what gnuplot said about it, its last line
} Undrawn;

/* `names` are those of `count` scripts, without .gp, each ending with NUL. If the first
   of them has a number above 1, it follows graphs that stay as they are. */
DrawnAs gnuplot_draw(const char *dir, const char *names, uint32_t count,
                     Undrawn *u);

#endif
