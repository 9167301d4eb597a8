#ifndef COSY_PLOT_PEN_H
#define COSY_PLOT_PEN_H

/* How a series is drawn by every renderer: its colour, dash and mark. Curves of
   a graph differ in colour; those of one panel also without colour, as far as
   dashes can be seen. Curves of one name in several panels are drawn alike, and
   named once. */

#include "plot/axis.h"
#include "plot/plot.h"

enum { PEN_COLOURS = 7, PEN_DASHES = 5, PEN_MARKS = 5, PEN_STROKES = 4 };

/* Colours that most people can tell apart (Okabe and Ito, 2008). */
extern const char *const pen_colours[PEN_COLOURS];

typedef struct Pen {
    uint32_t colour; // index into pen_colours
    char shade[8];   // "#440154" for one of many curves; "": uses colour
    const uint8_t
        *dash;     // strokes and gaps in pixels, ending with 0; NULL: none
    uint32_t mark; // which of PEN_MARKS, for points
    bool dots;     // has dots as well: points are few, or not joined
} Pen;

Pen pen_find(const Plot *p, uint32_t series);

/* The axis along the bar of colours, without ticks: of all tiles, or of all
   curves whose colour tells a value. */
Axis pen_scale(const Plot *p);
/* Colours from dark blue through green to yellow, ever lighter, so that they are
   in order without colour too; for shares from 0 to 1 of that axis. */
void pen_shade(char colour[8], double share);
/* How light it is, from 0 to 1. */
double pen_lightness(const char colour[8]);

/* How many digits tell the numbers apart in a picture. */
int series_digits(const double *v, size_t n);
/* Whether nothing of it can be drawn. */
bool series_is_empty(const PlotSeries *s);
/* The first curve with that name: curves of one name are drawn alike, and the
   legend names them once. */
uint32_t series_twin(const Plot *p, uint32_t series);
/* Whether the legend names it: a curve that is alone in its panel is named by
   the ordinate. */
bool series_in_legend(const Plot *p, uint32_t series);

#endif
