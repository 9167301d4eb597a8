#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/scale.h"
#include "report/html.h"
#include "report/report.h"

/* A Plot as a figure of the page: an SVG that is complete by itself, the legend
   as a list below it, and its data for the script. Colours are classes, so that
   the style can change them in the dark. */

enum {
    WIDE = 760, // of a picture without FACTOR
    HIGH = 400,
    LEFT = 70,
    RIGHT = 24,
    TOP = 12,
    BOTTOM = 46,
    COLOURS = 7,
    DRAWN_COLUMNS = 350, // a curve has at most four points in each
    DATA_COLUMNS = 900,  // what the script gets
    DATA_MOST = 4000,    // in all curves of a graph, about
    DATA_FEWEST = 100    // columns of a curve
};

typedef struct Picture {
    const Plot *p;
    Scale x, y;
    double wide, high;
    uint32_t number;
} Picture;

/* ---- Which points -------------------------------------------------------------- */

/* Calls `each` for the points that are kept of a series; a gap is NaN. */
typedef void EachPoint(void *user, const PlotSeries *s, size_t k);

static bool is_point(const PlotSeries *s, size_t k)
{
    return isfinite(s->x[k]) && isfinite(s->y[k]);
}

static bool is_sorted(const PlotSeries *s)
{
    for (size_t k = 1; k < s->n; k++)
        if (!(s->x[k] >= s->x[k - 1]) || !isfinite(s->y[k]))
            return false;
    return s->n == 0 || is_point(s, 0);
}

/* First, last, least and largest of each column, in their order. */
static void thin_columns(const PlotSeries *s, uint32_t columns, EachPoint *each,
                         void *user)
{
    double from = s->x[0], span = s->x[s->n - 1] - from;
    for (size_t k = 0; k < s->n;) {
        size_t first = k, low = k, high = k;
        double column = floor((s->x[k] - from) / span * columns);
        for (; k < s->n && floor((s->x[k] - from) / span * columns) == column;
             k++) {
            low = s->y[k] < s->y[low] ? k : low;
            high = s->y[k] > s->y[high] ? k : high;
        }
        size_t last = k - 1, a = low < high ? low : high,
               b = low < high ? high : low;
        each(user, s, first);
        if (a != first && a != last)
            each(user, s, a);
        if (b != a && b != first && b != last)
            each(user, s, b);
        if (last != first)
            each(user, s, last);
    }
}

/* A curve that goes anywhere, or has gaps: every so many points. */
static void thin_evenly(const PlotSeries *s, uint32_t most, EachPoint *each,
                        void *user)
{
    size_t stride = s->n / most + 1;
    for (size_t k = 0; k < s->n; k++)
        if (k % stride == 0 || k + 1 == s->n || !is_point(s, k))
            each(user, s, k);
}

static void thin(const PlotSeries *s, uint32_t columns, EachPoint *each,
                 void *user)
{
    if (s->n > 4 * columns && is_sorted(s) && s->x[s->n - 1] > s->x[0])
        thin_columns(s, columns, each, user);
    else
        thin_evenly(s, 4 * columns, each, user);
}

/* ---- Scales ---------------------------------------------------------------------- */

static double across(const Picture *g, double v)
{
    return LEFT + scale_share(&g->x, v) * (g->wide - LEFT - RIGHT);
}

static double down(const Picture *g, double v)
{
    return TOP + (1 - scale_share(&g->y, v)) * (g->high - TOP - BOTTOM);
}

static void find_scales(Picture *g)
{
    ScaleRange x = SCALE_RANGE, y = SCALE_RANGE;
    const Plot *p = g->p;
    for (uint32_t i = 0; i < p->n; i++) {
        const PlotSeries *s = &p->series[i];
        bool cells = s->style == PLOT_CELLS;
        for (size_t k = 0; k < s->n; k++) {
            if (!is_point(s, k))
                continue;
            scale_take(&x, s->x[k], p->x.logarithmic);
            scale_take(&y, s->y[k], p->y.logarithmic);
            if (cells)
                scale_take(&x, s->x2[k], p->x.logarithmic);
            if (cells)
                scale_take(&y, 0, p->y.logarithmic);
        }
    }
    g->x = scale_make(&p->x, x, false);
    g->y = scale_make(&p->y, y, true);
}

/* ---- Axes -------------------------------------------------------------------------- */

/* What of a text has room along an axis, in characters of at most 9.3 units. */
static void put_cut(Buffer *b, const char *text, double room)
{
    size_t most = (size_t)(room / 9.3), n = 0, at = 0, keep = 0;
    for (; text && text[at]; at++)
        if (((unsigned char)text[at] & 0xC0) != 0x80 && ++n == most)
            keep = at;
    if (text && n <= most)
        html_text(b, text);
    else if (text) {
        html_bytes(b, text, keep);
        buffer_text(b, "\xE2\x80\xA6");
    }
}

static void put_x_axis(Buffer *b, const Picture *g)
{
    ScaleTick tick[SCALE_TICKS];
    uint32_t n = scale_ticks(&g->x, tick, (uint32_t)(g->wide / 90));
    double bottom = g->high - BOTTOM;
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b,
                      "<path d=\"M%.1f %.0fv5\"/><text x=\"%.1f\" y=\"%.0f\" "
                      "text-anchor=\"middle\">%s</text>",
                      across(g, tick[k].at), bottom, across(g, tick[k].at),
                      bottom + 18, tick[k].text);
    buffer_format(b,
                  "<path d=\"M%d %.0fH%.0f\"/><text x=\"%.0f\" y=\"%.0f\" "
                  "text-anchor=\"middle\">",
                  LEFT, bottom, g->wide - RIGHT, (LEFT + g->wide - RIGHT) / 2,
                  g->high - 6);
    put_cut(b, g->p->x.label, g->wide - LEFT - RIGHT);
    buffer_text(b, "</text>");
}

static void put_y_axis(Buffer *b, const Picture *g)
{
    ScaleTick tick[SCALE_TICKS];
    uint32_t n = scale_ticks(&g->y, tick, (uint32_t)(g->high / 60));
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b,
                      "<path class=\"grid\" d=\"M%d %.1fH%.0f\"/><text "
                      "x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                      LEFT, down(g, tick[k].at), g->wide - RIGHT, LEFT - 7,
                      down(g, tick[k].at) + 4, tick[k].text);
    buffer_format(b,
                  "<path d=\"M%d %dV%.0f\"/><text transform=\"translate(14 "
                  "%.0f) rotate(-90)\" text-anchor=\"middle\">",
                  LEFT, TOP, g->high - BOTTOM, (TOP + g->high - BOTTOM) / 2);
    put_cut(b, g->p->y.label, g->high - TOP - BOTTOM);
    buffer_text(b, "</text>");
}

/* ---- Curves ------------------------------------------------------------------------- */

typedef struct Pen {
    Buffer *b;
    const Picture *g;
    bool down;
    double y; // of the last point
} Pen;

static void line_point(void *user, const PlotSeries *s, size_t k)
{
    Pen *pen = user;
    if (!is_point(s, k)) {
        pen->down = false;
        return;
    }
    double x = across(pen->g, s->x[k]), y = down(pen->g, s->y[k]);
    if (!pen->down)
        buffer_format(pen->b, "M%.1f %.1f", x, y);
    else if (s->style == PLOT_STEPS)
        buffer_format(pen->b, "H%.1fV%.1f", x, y);
    else
        buffer_format(pen->b, "L%.1f %.1f", x, y);
    pen->down = true;
}

/* A dot is a line without length and with round ends. */
static void dot_point(void *user, const PlotSeries *s, size_t k)
{
    Pen *pen = user;
    if (is_point(s, k))
        buffer_format(pen->b, "M%.1f %.1fh0", across(pen->g, s->x[k]),
                      down(pen->g, s->y[k]));
}

static void cell_point(void *user, const PlotSeries *s, size_t k)
{
    Pen *pen = user;
    const Picture *g = pen->g;
    if (is_point(s, k))
        buffer_format(pen->b, "M%.1f %.1fV%.1fH%.1fV%.1fz", across(g, s->x[k]),
                      down(g, g->y.logarithmic ? g->y.low : 0),
                      down(g, s->y[k]), across(g, s->x2[k]),
                      down(g, g->y.logarithmic ? g->y.low : 0));
}

static const char *style_name(PlotStyle style)
{
    return style == PLOT_POINTS  ? "points"
           : style == PLOT_STEPS ? "steps"
           : style == PLOT_CELLS ? "cells"
                                 : "lines";
}

static void put_curves(Buffer *b, const Picture *g)
{
    uint32_t colour = 0;
    for (uint32_t i = 0; i < g->p->n; i++) {
        const PlotSeries *s = &g->p->series[i];
        Pen pen = {b, g, false, 0};
        buffer_format(b, "<path class=\"%s c%u%s\" d=\"", style_name(s->style),
                      s->faint ? 0 : colour % COLOURS,
                      s->faint ? " faint" : "");
        thin(s, DRAWN_COLUMNS,
             s->style == PLOT_POINTS  ? dot_point
             : s->style == PLOT_CELLS ? cell_point
                                      : line_point,
             &pen);
        buffer_text(b, "\"/>");
        colour += !s->faint;
    }
}

/* ---- Data for the script ---------------------------------------------------------- */

static void data_point(void *user, const PlotSeries *s, size_t k)
{
    Pen *pen = user;
    buffer_text(pen->b, pen->down ? "," : "");
    pen->down = true;
    if (!is_point(s, k))
        buffer_text(pen->b, "null,null");
    else
        buffer_format(pen->b, "%.7g,%.7g", s->x[k], s->y[k]);
    if (s->style == PLOT_CELLS)
        buffer_format(pen->b, ",%.7g", s->x2[k]);
}

static void put_axis_data(Buffer *b, const char *name, const PlotAxis *a,
                          const Scale *s)
{
    buffer_format(b, "\"%s\":{\"low\":%.9g,\"high\":%.9g,\"log\":%s,\"label\":",
                  name, s->low, s->high, s->logarithmic ? "true" : "false");
    html_json(b, a->label ? a->label : "");
    buffer_text(b, "},");
}

static void put_data(Buffer *b, const Picture *g)
{
    const Plot *p = g->p;
    uint32_t colour = 0, columns = DATA_MOST / (p->n ? p->n : 1);
    columns = columns > DATA_COLUMNS  ? DATA_COLUMNS
              : columns < DATA_FEWEST ? DATA_FEWEST
                                      : columns;
    buffer_format(b, "<script type=\"application/json\">{\"high\":%.0f,",
                  g->high);
    put_axis_data(b, "x", &p->x, &g->x);
    put_axis_data(b, "y", &p->y, &g->y);
    buffer_text(b, "\"series\":[");
    for (uint32_t i = 0; i < p->n; i++) {
        const PlotSeries *s = &p->series[i];
        Pen pen = {b, g, false, 0};
        buffer_format(b, "%s{\"style\":\"%s\",\"colour\":%u,\"faint\":%s,",
                      i ? "," : "", style_name(s->style),
                      s->faint ? 0 : colour % COLOURS,
                      s->faint ? "true" : "false");
        buffer_text(b, "\"name\":");
        html_json(b, s->name ? s->name : "");
        buffer_text(b, ",\"data\":[");
        thin(s, columns, data_point, &pen);
        buffer_text(b, "]}");
        colour += !s->faint;
    }
    buffer_text(b, "]}</script>");
}

/* ---- The figure --------------------------------------------------------------------- */

static void put_legend(Buffer *b, const Plot *p)
{
    uint32_t names = 0, colour = 0;
    for (uint32_t i = 0; i < p->n; i++)
        names += p->series[i].name && p->series[i].name[0];
    if (names < 2)
        return;
    buffer_text(b, "<ul class=\"legend\">");
    for (uint32_t i = 0; i < p->n; i++) {
        const PlotSeries *s = &p->series[i];
        if (s->name && s->name[0]) {
            buffer_format(b,
                          "<li><svg class=\"key\" viewBox=\"0 0 24 10\" "
                          "aria-hidden=\"true\"><path class=\"%s c%u%s\" "
                          "d=\"%s\"/></svg> ",
                          style_name(s->style), s->faint ? 0 : colour % COLOURS,
                          s->faint ? " faint" : "",
                          s->style == PLOT_CELLS    ? "M1 1H23V9H1z"
                          : s->style == PLOT_POINTS ? "M12 5h0"
                                                    : "M1 5H23");
            html_text(b, s->name);
            buffer_text(b, "</li>");
        }
        colour += !s->faint;
    }
    buffer_text(b, "</ul>");
}

/* "X: from 2 to 1.8, between -2.02 and 2.02" */
static void put_range(Buffer *b, const Plot *p, const PlotSeries *s)
{
    double low = INFINITY, high = -INFINITY;
    size_t first = s->n, last = 0;
    for (size_t k = 0; k < s->n; k++) {
        if (!is_point(s, k))
            continue;
        first = first == s->n ? k : first;
        last = k;
        low = fmin(low, s->y[k]);
        high = fmax(high, s->y[k]);
    }
    if (first == s->n)
        return;
    buffer_char(b, ' ');
    html_text(b, s->name && s->name[0] ? s->name
                 : p->y.label          ? p->y.label
                                       : "");
    buffer_format(b, ": from %.4g to %.4g, between %.4g and %.4g.", s->y[first],
                  s->y[last], low, high);
}

/* For those who do not see the picture. */
static void put_description(Buffer *b, const Picture *g)
{
    enum { DESCRIBED = 8 };
    const Plot *p = g->p;
    html_text(b, p->title ? p->title : "");
    buffer_text(b, ". Graph over ");
    html_text(b, p->x.label ? p->x.label : "");
    buffer_format(b, " from %.4g to %.4g.", g->x.low, g->x.high);
    for (uint32_t i = 0; i < p->n && i < DESCRIBED; i++)
        if (!p->series[i].faint)
            put_range(b, p, &p->series[i]);
    if (p->n > DESCRIBED)
        buffer_format(b, " %u curves in all.", p->n);
}

static void put_figure(Buffer *b, const Picture *g)
{
    buffer_format(b, "<figure><figcaption id=\"g%u\">", g->number);
    html_text(b, g->p->title ? g->p->title : "");
    buffer_format(b,
                  "</figcaption>\n<div class=\"plot\"><svg viewBox=\"0 0 %.0f "
                  "%.0f\" role=\"img\" aria-label=\"",
                  g->wide, g->high);
    put_description(b, g);
    buffer_format(b,
                  "\">"
                  "<clipPath id=\"k%u\"><rect x=\"%d\" y=\"%d\" width=\"%.0f\" "
                  "height=\"%.0f\"/></clipPath><g class=\"axis\">",
                  g->number, LEFT, TOP - 2, g->wide - LEFT - RIGHT + 2,
                  g->high - TOP - BOTTOM + 3);
    put_y_axis(b, g);
    put_x_axis(b, g);
    buffer_format(b, "</g>\n<g clip-path=\"url(#k%u)\">", g->number);
    put_curves(b, g);
    buffer_text(b, "</g></svg></div>\n");
    put_legend(b, g->p);
    put_data(b, g);
    buffer_text(b, "</figure>\n");
}

void report_graph(Report *r, const Plot *p)
{
    Picture g = {.p = p,
                 .wide = WIDE * (p->wide > 0 ? p->wide : 1),
                 .high = HIGH * (p->high > 0 ? p->high : 1),
                 .number = ++r->drawn};
    g.wide = fmax(g.wide, 240);
    g.high = fmax(g.high, 160);
    find_scales(&g);
    put_figure(&r->graphs, &g);
}
