#ifndef COSY_PLOT_PLOT_H
#define COSY_PLOT_PLOT_H

/* Graphs. A Plot says what is to be seen: title, axes, series with their style.
   Curves that one scale would not do justice to stand in panels below each
   other, each with its own ordinate, over one abscissa. plot_write makes a gnuplot
   script of it that carries its data and draws one SVG beside itself, so that the
   user can change it and draw it again:

       plots/01-stay-in-the-shop.gp
       plots/01-stay-in-the-shop.svg     gnuplot 01-stay-in-the-shop.gp

   gnuplot_draw runs gnuplot once for all scripts of a folder (plot/gnuplot.h),
   plot_text draws in characters (plot/text.h), report_graph in a page.

   Numbers are double: a picture has no use for more. All of a Plot belongs to
   the caller and must live until plot_write returns. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef enum PlotStyle {
    PLOT_LINES,  // points joined
    PLOT_POINTS, // points for themselves
    PLOT_STEPS,  // y holds from its x to the next; the last x only ends it
    PLOT_CELLS   // bars from x to x2, of height y
} PlotStyle;

typedef struct PlotSeries {
    const char *name; // in the legend; NULL or "": not there
    PlotStyle style;
    const double *x, *x2, *y; // x2 of PLOT_CELLS
    size_t n;
    bool faint;     // in the background
    uint32_t panel; // from above
} PlotSeries;

/* low > high: found from the data. */
typedef struct PlotAxis {
    const char *label; // with its unit: "STAY [min]"
    bool logarithmic;
    double low, high;
    bool from_zero; // the lower end is 0 then
    bool truth;     // 0 and 1 are FALSE and TRUE
    double share;   // of an ordinate: height of its panel; 0: 1, a usual one
} PlotAxis;

#define PLOT_AXIS(text)                                                        \
    {                                                                          \
        .label = (text), .low = 1, .high = 0                                   \
    }

enum { PLOT_PANELS = 8 }; // at most

typedef struct Plot {
    const char *title;
    const char *note; // a line below it: which run; or NULL
    PlotAxis x, y;
    const PlotAxis *lower; // ordinates of the panels below the first
    uint32_t lowers;       // of them
    const PlotSeries *series;
    uint32_t n;
    double wide, high; // FACTOR; 0: 1
} Plot;

static inline uint32_t plot_panels(const Plot *p)
{
    return 1 + p->lowers;
}

/* The ordinate of a panel. */
static inline const PlotAxis *plot_ordinate(const Plot *p, uint32_t panel)
{
    return panel == 0 ? &p->y : &p->lower[panel - 1];
}

/* What a script draws, besides each other; 0 is PLOT_SVG. */
enum { PLOT_SVG = 1, PLOT_PDF = 2, PLOT_PNG = 4 };

/* NN-title: the name of a graph's files, without their endings. */
void plot_name(Buffer *b, uint32_t number, const char *title);
/* The script, which draws NAME.svg, .pdf, .png. */
void plot_script(Buffer *b, const Plot *p, const char *name, unsigned formats);
/* Writes DIR/NAME.gp; DIR is made if it is missing. */
Status plot_write(const Plot *p, const char *dir, const char *name,
                  unsigned formats, Fault *f);
/* Whether a file of a folder of graphs is one that COSY wrote, by name (without
   its folder) and beginning. */
bool plot_is_own(const char *name, const char *beginning);

#endif
