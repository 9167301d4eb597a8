#ifndef COSY_PLOT_LAYOUT_H
#define COSY_PLOT_LAYOUT_H

/* Where everything of a picture stands: in pixels of an SVG, from its upper left
   corner; a PDF and a PNG are the same picture at another size. Title above,
   panels below each other, one abscissa, and below it the legend, in as many
   columns as have room. More panels and a longer legend make a picture higher;
   curves are not made smaller.

   Texts are measured with the widths of Helvetica: nearly right for what most
   machines have in its place. */

#include "plot/plot.h"
#include "plot/scale.h"

enum {
    LAYOUT_TEXT = 14, // sizes
    LAYOUT_TITLE = 16,
    LAYOUT_TITLE_LINE = 21,
    LAYOUT_NOTE = 12,
    LAYOUT_NOTE_LINE = 17,
    LAYOUT_SAMPLE = 34 // width of one, in the legend
};

typedef struct LayoutPanel {
    double top, bottom;
    Scale y;
    bool any; // it has something to be drawn
} LayoutPanel;

typedef struct Layout {
    double wide, high;
    double left, right; // of all panels
    uint32_t panels;
    LayoutPanel panel[PLOT_PANELS];
    Scale x;
    size_t title; // bytes of its first line
    double title_bottom;
    /* The legend: entries row by row. */
    uint32_t entries, columns;
    double entry_wide, entry_room; // a column; what a text has of it
    double entry_left, entry_top;
} Layout;

void layout_make(Layout *l, const Plot *p);

/* Width of a text of that size. */
double layout_measure(const char *text, size_t bytes, double size);
/* Bytes of the text that have room; cut at a blank where `words` and there is
   one in the second half. */
size_t layout_fit(const char *text, double size, double room, bool words);
/* Nothing of it can be drawn. */
bool layout_is_empty(const PlotSeries *s);
/* The first curve with that name: one in an earlier panel is drawn alike, and
   the legend names it once. */
uint32_t layout_twin(const Plot *p, uint32_t series);
/* The legend names it: a curve that is alone in its panel is named by the
   ordinate. */
bool layout_in_legend(const Plot *p, uint32_t series);
/* A panel below the usual height: its ordinate is named above it. */
bool layout_is_low(const Plot *p, uint32_t panel);
/* Where the sample of an entry begins, in the middle of its line. */
void layout_entry(const Layout *l, uint32_t entry, double *x, double *y);
/* How many numbers stand at an axis of that length. */
uint32_t layout_ticks(double length, bool abscissa);

#endif
