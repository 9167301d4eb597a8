#ifndef COSY_PLOT_SCRIPT_H
#define COSY_PLOT_SCRIPT_H

/* What plot.c and script.c share: how a script begins, and the kinds of pictures
   that it draws. plot_script (plot/plot.h) is in script.c. */

#include "plot/plot.h"

/* The first line of every script. */
#define SCRIPT_HEAD "# COSY graph"

typedef struct ScriptFormat {
    unsigned bit;
    const char *ending, *begins; // extension and first bytes of the file
    const char *terminal;        // gnuplot's terminal
    double scale;                // its size relative to that of an SVG
    const char *unit;            // of its size
    const char *settings;
} ScriptFormat;

enum { SCRIPT_FORMATS = 3 };
extern const ScriptFormat script_formats[SCRIPT_FORMATS];

#endif
