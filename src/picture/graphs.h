#ifndef COSY_PICTURE_GRAPHS_H
#define COSY_PICTURE_GRAPHS_H

/* The pictures of an experiment, as Plots: graphs.c has histograms and the
   courses of resources, curves.c the GRAPHs of OUTPUT (without OUTPUT, graphs
   of what is STOREd). graphs_make puts all of them into Experiment.plots, for
   those that draw them: graphs_draw (scripts and gnuplot) and the report. */

#include "picture/gallery.h"

#define Lines         COSY_NAME(Lines)
#define curves_lines  COSY_NAME(curves_lines)
#define curves_make   COSY_NAME(curves_make)
#define curves_sketch COSY_NAME(curves_sketch)
#define graphs_add    COSY_NAME(graphs_add)
#define graphs_run    COSY_NAME(graphs_run)
#define graphs_time   COSY_NAME(graphs_time)
#define graphs_asked  COSY_NAME(graphs_asked)
#define graphs_stay   COSY_NAME(graphs_stay)

/* Lines of OUTPUT that are drawn as curves. */
enum { LINES_RUNS_MOST = 100 }; // runs that (ALL) shows

typedef struct Lines {
    Arena arena; // holds the lines that the model does not have
    const CosyShow *line;
    uint32_t n;
    uint32_t missing; // STOREd variables for which no graph has room
} Lines;

/* The lines of the model's OUTPUT, a line with (ALL) once for each run that is
   kept. If there is no OUTPUT, lines for what is STOREd: at most a handful of
   graphs, grouped by unit and size. Freed with its arena. */
Status curves_lines(const Gallery *e, Lines *l);
/* The first graph in characters, for a terminal; none if OUTPUT has a PLOT of
   its own. */
void curves_sketch(Gallery *e, Buffer *b);
/* Adds the graphs of GRAPH and OVERPLOT. */
Status curves_make(Gallery *e);

/* Adds a copy; when there are too many it says so and adds none. */
Status graphs_add(Gallery *e, const Plot *p);
/* The words of a picture that only a run can draw: what it is, and the line that asks
   for it, or NULL. */
const char *graphs_asked(Gallery *e, const char *what, const CosyShow *line);
/* With results that are shown again: the pictures with these words stay; false: a run
   has drawn none. */
bool graphs_stay(Gallery *e, const char *asked);
/* "run 3: A=1, B=2" */
void graphs_run(Buffer *b, const Shown *run);
/* The label of the axis of time. */
const char *graphs_time(Gallery *e);

#endif
