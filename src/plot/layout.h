#ifndef COSY_PLOT_LAYOUT_H
#define COSY_PLOT_LAYOUT_H

/* Where everything in a picture goes: in pixels of an SVG, from its upper left
   corner; a PDF and a PNG are the same picture at another size. The title is at
   the top, then come the panels one below the other, one abscissa, and the
   legend, in as many columns as fit. More panels and a longer legend make a
   picture taller; curves do not get smaller.

   Texts are measured with the widths of Helvetica, which is nearly right for
   the fonts that most machines use instead. */

#include "plot/axis.h"
#include "plot/plot.h"

enum {
    LAYOUT_TEXT = 14, // sizes
    LAYOUT_TITLE = 16,
    LAYOUT_TITLE_LINE = 21,
    LAYOUT_NOTE = 12,
    LAYOUT_NOTE_LINE = 17,
    LAYOUT_SAMPLE = 34, // width of a sample in the legend
    LAYOUT_SHADES = 64  // pieces of a bar of colours
};

typedef struct LayoutPanel {
    double top, bottom;
    Axis y;
    bool any;  // it has something to draw
    bool zero; // draws a line at 0, which lies well inside
} LayoutPanel;

typedef struct Layout {
    double wide, high;
    double left, right; // of all panels
    uint32_t panels;
    LayoutPanel panel[PLOT_PANELS];
    Axis x;
    AxisRange over; // the part that the curves cover
    /* The bar of colours, on the right of the panels. */
    bool scale;
    Axis z;
    double scale_left, scale_right, scale_top, scale_bottom;
    size_t title; // bytes of its first line
    double title_bottom;
    /* The legend, row by row. */
    uint32_t entries, columns;
    double entry_wide, entry_room; // width of a column, and of its text
    double entry_left, entry_top;
} Layout;

/* Where a picture appears. */
typedef enum LayoutKind {
    LAYOUT_SHEET, // by itself
    LAYOUT_PAGE   // in a page, which has its title and its legend
} LayoutKind;

void layout_make(Layout *l, const Plot *p, LayoutKind kind);

/* Width of a text of that size. */
double layout_measure(const char *text, size_t bytes, double size);
/* How many bytes of the text fit; with `words` it is cut at a blank, if there
   is one in the second half. */
size_t layout_fit(const char *text, double size, double room, bool words);
/* Whether a panel has less than the usual height: then its ordinate is named
   above it. */
bool layout_is_low(const Plot *p, uint32_t panel);
/* Where the sample of an entry begins, in the middle of its line. */
void layout_entry(const Layout *l, uint32_t entry, double *x, double *y);

#endif
