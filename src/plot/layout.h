#ifndef COSY_PLOT_LAYOUT_H
#define COSY_PLOT_LAYOUT_H

/* Where everything of a picture stands: in pixels of an SVG, from its upper left
   corner; a PDF and a PNG are the same picture at another size. Title above,
   panels below each other, one abscissa, and below it the legend, in as many
   columns as have room. More panels and a longer legend make a picture higher;
   curves are not made smaller.

   Texts are measured with the widths of Helvetica: nearly right for what most
   machines have in its place. */

#include "plot/axis.h"
#include "plot/plot.h"

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
    Axis y;
    bool any;  // it has something to be drawn
    bool zero; // a line at 0, which lies well within it
} LayoutPanel;

typedef struct Layout {
    double wide, high;
    double left, right; // of all panels
    uint32_t panels;
    LayoutPanel panel[PLOT_PANELS];
    Axis x;
    AxisRange over; // what the curves have of it
    size_t title;   // bytes of its first line
    double title_bottom;
    /* The legend: entries row by row. */
    uint32_t entries, columns;
    double entry_wide, entry_room; // a column; what a text has of it
    double entry_left, entry_top;
} Layout;

/* Where a picture stands. */
typedef enum LayoutKind {
    LAYOUT_SHEET, // by itself
    LAYOUT_PAGE   // in a page that has its title and its legend
} LayoutKind;

void layout_make(Layout *l, const Plot *p, LayoutKind kind);

/* Width of a text of that size. */
double layout_measure(const char *text, size_t bytes, double size);
/* Bytes of the text that have room; cut at a blank where `words` and there is
   one in the second half. */
size_t layout_fit(const char *text, double size, double room, bool words);
/* A panel below the usual height: its ordinate is named above it. */
bool layout_is_low(const Plot *p, uint32_t panel);
/* Where the sample of an entry begins, in the middle of its line. */
void layout_entry(const Layout *l, uint32_t entry, double *x, double *y);

#endif
