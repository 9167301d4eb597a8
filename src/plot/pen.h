#ifndef COSY_PLOT_PEN_H
#define COSY_PLOT_PEN_H

/* How a series is drawn, whoever draws it: its colour, dash and mark. Curves of a
   graph differ in colour; those of one panel also without colour, as far as
   dashes can be seen. Curves of one name in several panels are drawn alike, and
   named once. */

#include "plot/plot.h"

enum { PEN_COLOURS = 7, PEN_DASHES = 5, PEN_MARKS = 5, PEN_STROKES = 4 };

/* Colours that most people can tell apart (Okabe and Ito, 2008). */
extern const char *const pen_colours[PEN_COLOURS];

typedef struct Pen {
    uint32_t colour;     // of pen_colours
    char shade[8];       // "#440154": one of many curves; "": its colour
    const uint8_t *dash; // strokes and gaps in pixels, 0 ends them; NULL: none
    uint32_t mark;       // which of PEN_MARKS, if it is points
    bool dots;           // points as well: they are few, or none is joined
} Pen;

Pen pen_find(const Plot *p, uint32_t series);

/* Digits that tell numbers apart in a picture. */
int series_digits(const double *v, size_t n);
/* Nothing of it can be drawn. */
bool series_is_empty(const PlotSeries *s);
/* The first curve with that name: one in an earlier panel is drawn alike, and
   the legend names it once. */
uint32_t series_twin(const Plot *p, uint32_t series);
/* The legend names it: a curve that is alone in its panel is named by the
   ordinate. */
bool series_in_legend(const Plot *p, uint32_t series);

#endif
