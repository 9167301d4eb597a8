#ifndef COSY_PLOT_PLOT_H
#define COSY_PLOT_PLOT_H

/* Graphs. A Plot says what is shown: title, axes, series with their style.
   Curves that do not fit one scale go into panels one below the other, each
   with its own ordinate, over one abscissa. plot_write turns it into a gnuplot
   script that carries its data and draws an SVG beside itself, so that the user
   can change it and draw it again:

       plots/01-stay-in-the-shop.gp
       plots/01-stay-in-the-shop.svg     gnuplot 01-stay-in-the-shop.gp

   gnuplot_draw runs gnuplot once for all scripts of a folder (plot/gnuplot.h),
   plot_text draws in characters (plot/text.h), report_graph draws in a page.

   Numbers are double: a picture has no use for more. Everything in a Plot
   belongs to the caller and must live until plot_write returns. */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef enum PlotStyle {
    PLOT_LINES,    // points joined
    PLOT_POINTS,   // separate points
    PLOT_STEPS,    // y holds from its x to the next; the last x only ends it
    PLOT_CELLS,    // bars from x to x2, of height y
    PLOT_BAND,     // the area from y to y2, behind curves
    PLOT_WHISKERS, // strokes from y to y2 with an end on either side
    PLOT_TILES,    // rectangles from x to x2 and y to y2, in the colour of z
    PLOT_RULES,    // strokes at x over the height of the panel; y is not used
    PLOT_FACES, // areas with four corners each, in the colour of z; one that comes
                // later hides those before it
    PLOT_FRAME // points joined by a thin line: axes in space
} PlotStyle;

typedef struct PlotSeries {
    const char *name; // in the legend; NULL or "": not in it
    PlotStyle style;
    const double *x, *x2, *y; // x2 only for PLOT_CELLS and PLOT_TILES
    size_t n;
    bool faint;       // in the background
    uint32_t panel;   // counted from the top
    const double *y2; // PLOT_BAND, PLOT_WHISKERS, PLOT_TILES
    const double *z;  // PLOT_TILES; NaN: the tile is not drawn
    uint32_t with; // has the colour of this curve, counted from 1; 0: its own
    bool valued;   // its colour tells `value`, on the scale of the plot
    double value;
    uint32_t columns; // PLOT_TILES: they are a table with so many in a row, row
                      // after row from below; 0: they are not
} PlotSeries;

/* A text at a point of a picture without axes. */
typedef struct PlotText {
    double x, y;
    const char *text;
    bool number; // of an axis
    int side;    // the point is at its left end (1), middle (0), right end (-1)
} PlotText;

/* Values that change while time goes on: frames of a series, one after the other.
   The series itself shows the last one. */
typedef struct PlotFilm {
    const char *label; // of the time, with its unit
    size_t frames;     // 0: nothing moves
    const double *time;
    const double *value; // of each frame: y of its points, or z of its tiles
} PlotFilm;

/* low > high: found from the data. */
typedef struct PlotAxis {
    const char *label; // with its unit: "STAY [min]"
    bool logarithmic;
    double low, high;
    bool from_zero; // the lower end is 0
    bool tight;     // ends where the data end
    bool truth;     // 0 and 1 are FALSE and TRUE
    bool whole;     // only whole numbers stand along it
    double share;   // ordinates: height of the panel, 1 is usual; 0 means 1
} PlotAxis;

#define PLOT_AXIS(text)                                                        \
    {                                                                          \
        .label = (text), .low = 1, .high = 0                                   \
    }

enum { PLOT_PANELS = 8 }; // the most

typedef struct Plot {
    const char *title;
    const char *note; // a line below the title, such as the run; or NULL
    PlotAxis x, y;
    const PlotAxis *lower; // ordinates of the panels below the first
    uint32_t lowers;       // how many
    const PlotSeries *series;
    uint32_t n;
    double wide, high; // FACTOR; 0: 1
    bool always;       // OUTPUT has no say in it
    const char *asked; // by which words, if only a run can draw it; or NULL
    bool scale;        // a bar of colours stands beside the panels,
    PlotAxis z;        // and this is its axis
    bool answer;       // what a study is about: it comes first in the report
    bool bare;         // it has no axes; texts stand for them
    const PlotText *text;
    uint32_t texts;
    PlotFilm film; // of its first series
} Plot;

/* Whether something of a series can be drawn at its point k. */
static inline bool plot_has(const PlotSeries *s, size_t k)
{
    bool at = isfinite(s->x[k]);
    switch (s->style) {
    case PLOT_RULES: return at;
    case PLOT_BAND:
    case PLOT_WHISKERS: return at && isfinite(s->y[k]) && isfinite(s->y2[k]);
    case PLOT_TILES: return at && isfinite(s->z[k]);
    case PLOT_FACES:
    case PLOT_FRAME:
    case PLOT_LINES:
    case PLOT_POINTS:
    case PLOT_STEPS:
    case PLOT_CELLS: break;
    }
    return at && isfinite(s->y[k]);
}

/* Whether its points reach from x to x2. */
static inline bool plot_is_wide(const PlotSeries *s)
{
    return s->style == PLOT_CELLS || s->style == PLOT_TILES;
}

/* Whether it is a curve of its own, not something drawn about curves. */
static inline bool plot_is_curve(const PlotSeries *s)
{
    return !s->faint && s->style != PLOT_BAND && s->style != PLOT_WHISKERS &&
           s->style != PLOT_TILES && s->style != PLOT_RULES &&
           s->style != PLOT_FACES && s->style != PLOT_FRAME;
}

static inline uint32_t plot_panels(const Plot *p)
{
    return 1 + p->lowers;
}

/* The ordinate of a panel. */
static inline const PlotAxis *plot_ordinate(const Plot *p, uint32_t panel)
{
    return panel == 0 ? &p->y : &p->lower[panel - 1];
}

/* What a script draws, any combination; 0 is PLOT_SVG. */
enum { PLOT_SVG = 1, PLOT_PDF = 2, PLOT_PNG = 4 };

/* NN-title: the name of a graph's files, without extension. */
void plot_name(Buffer *b, uint32_t number, const char *title);
/* The script, which draws NAME.svg, .pdf, .png. */
void plot_script(Buffer *b, const Plot *p, const char *name, unsigned formats);
/* Writes DIR/NAME.gp; DIR is created if it is missing. */
Status plot_write(const Plot *p, const char *dir, const char *name,
                  unsigned formats, Fault *f);
/* Whether a file in a folder of graphs is one that COSY wrote, judging by its
   name (without folder) and beginning. */
bool plot_is_own(const char *name, const char *beginning);
/* Whether a script is that of a Plot that was drawn `always`, or that only a run can
   draw; then *asked are its words, `length` bytes, and none if `always`. */
bool plot_is_kept(const char *script, const char **asked, size_t *length);

#endif
