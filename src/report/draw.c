#include "report/draw.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/html.h"
#include "plot/pen.h"
#include "plot/thin.h"
#include "report/report.h"

/* A Plot as a figure in the page: an SVG that is complete by itself, with all
   its panels, the legend as a list below it, and its data for the script.
   Positions, axes and pens are those of the picture that gnuplot draws
   (plot/layout.h, pen.h). Colours are classes, so that the style can change
   them in dark mode. */

enum {
    TEXT_SIZE = 13,
    DATA_MOST = 60000,   // about as many points for all curves of a graph
    DATA_COLUMNS = 1600, // pixel columns for a curve
    DATA_FEWEST = 700    // the fewest: some thousand points
};

/* ---- Which points -------------------------------------------------------------- */

static bool is_joined(const PlotSeries *s)
{
    return s->style == PLOT_LINES || s->style == PLOT_STEPS;
}

/* What can be seen of it in that many columns. Without memory, all of it. */
static PlotSeries thin(const Picture *g, const PlotSeries *s, uint32_t columns)
{
    PlotSeries less = *s;
    if ((!is_joined(s) && s->style != PLOT_POINTS) ||
        s->n < 4 * (size_t)columns)
        return less;
    double *x = NEW_ARRAY(g->arena, double, s->n);
    double *y = NEW_ARRAY(g->arena, double, s->n);
    if (!x || !y)
        return less;
    memcpy(x, s->x, s->n * sizeof *x);
    memcpy(y, s->y, s->n * sizeof *y);
    less.n =
        plot_thin(x, y, s->n,
                  (ThinRoom){.logx = g->p->x.logarithmic,
                             .logy = plot_ordinate(g->p, s->panel)->logarithmic,
                             .columns = columns,
                             .least = 4 * (size_t)columns});
    assert(less.n <= s->n);
    less.x = x;
    less.y = y;
    return less;
}

/* ---- Axes -------------------------------------------------------------------------- */

/* As much of a text as fits along an axis. */
static void put_cut(Buffer *b, const char *text, double room)
{
    size_t n = text ? layout_fit(text, TEXT_SIZE, room, false) : 0;
    if (!text || !text[n]) {
        html_text(b, text ? text : "");
        return;
    }
    html_bytes(b, text, layout_fit(text, TEXT_SIZE, room - TEXT_SIZE, false));
    buffer_text(b, "\xE2\x80\xA6");
}

/* A number with its power of ten raised. */
static void put_number(Buffer *b, const char *text)
{
    int mantissa, exponent;
    if (!axis_split(text, &mantissa, &exponent))
        buffer_text(b, text);
    else
        buffer_format(b, "%.*s%s10<tspan dy=\"-5\" class=\"power\">%d</tspan>",
                      mantissa, text, mantissa ? "\xC3\x97" : "", exponent);
}

static void put_x_number(Buffer *b, const Picture *g, const AxisTick *t)
{
    double bottom = g->l.panel[g->l.panels - 1].bottom;
    buffer_format(b, "<path d=\"M%.1f %.1fv%d\"/>", picture_across(g, t->at),
                  bottom, t->text[0] ? 5 : 3);
    if (!t->text[0])
        return;
    buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                  picture_across(g, t->at), bottom + 18);
    put_number(b, t->text);
    buffer_text(b, "</text>");
}

static void put_x_axis(Buffer *b, const Picture *g)
{
    const Layout *l = &g->l;
    for (uint32_t k = 0; k < l->x.n; k++)
        put_x_number(b, g, &l->x.tick[k]);
    buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                  (l->left + l->right) / 2, l->high - 14);
    put_cut(b, g->p->x.label, l->right - l->left);
    buffer_text(b, "</text>");
}

static void put_y_number(Buffer *b, const Picture *g, uint32_t panel,
                         const AxisTick *t)
{
    double y = picture_down(g, panel, t->at), left = g->l.left;
    if (!t->text[0]) {
        buffer_format(b, "<path d=\"M%.1f %.1fh-3\"/>", left, y);
        return;
    }
    buffer_format(b,
                  "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text "
                  "x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                  left, y, g->l.right, left - 7, y + 4);
    put_number(b, t->text);
    buffer_text(b, "</text>");
}

/* The label is beside its panel, or above a low one. */
static void put_y_label(Buffer *b, const Picture *g, uint32_t panel)
{
    const LayoutPanel *l = &g->l.panel[panel];
    const char *label = plot_ordinate(g->p, panel)->label;
    if (layout_is_low(g->p, panel)) {
        buffer_format(b, "<text x=\"%.1f\" y=\"%.1f\">", g->l.left, l->top - 7);
        put_cut(b, label, g->l.right - g->l.left);
    } else {
        buffer_format(b,
                      "<text transform=\"translate(14 %.1f) rotate(-90)\" "
                      "text-anchor=\"middle\">",
                      (l->top + l->bottom) / 2);
        put_cut(b, label, l->bottom - l->top + 12);
    }
    buffer_text(b, "</text>");
}

static void put_y_axis(Buffer *b, const Picture *g, uint32_t panel)
{
    const LayoutPanel *l = &g->l.panel[panel];
    for (uint32_t k = 0; k < g->l.x.n; k++)
        if (g->l.x.tick[k].text[0])
            buffer_format(b, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>",
                          picture_across(g, g->l.x.tick[k].at), l->top,
                          l->bottom);
    for (uint32_t k = 0; k < l->y.n; k++)
        put_y_number(b, g, panel, &l->y.tick[k]);
    if (l->zero)
        buffer_format(b, "<path class=\"zero\" d=\"M%.1f %.1fH%.1f\"/>",
                      g->l.left, picture_down(g, panel, 0), g->l.right);
    put_y_label(b, g, panel);
}

/* ---- Curves ------------------------------------------------------------------------- */

static void put_line(Buffer *b, const Picture *g, const PlotSeries *s)
{
    bool pen = false;
    for (size_t k = 0; k < s->n; k++) {
        if (!plot_has(s, k)) {
            pen = false;
            continue;
        }
        double x = picture_across(g, s->x[k]),
               y = picture_down(g, s->panel, s->y[k]);
        if (!pen)
            buffer_format(b, "M%.1f %.1f", x, y);
        else if (s->style == PLOT_STEPS)
            buffer_format(b, "H%.1fV%.1f", x, y);
        else
            buffer_format(b, "L%.1f %.1f", x, y);
        pen = true;
    }
}

/* Circle, square, triangles, diamond, as in gnuplot. The script draws the same.
   */
static const char *const marks[PEN_MARKS] = {
    "m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "m-2.7 -2.7h5.4v5.4h-5.4z",
    "m0 -3.4l3.4 6h-6.8z", "m0 3.4l3.4 -6h-6.8z",
    "m0 -3.8l3.8 3.8l-3.8 3.8l-3.8 -3.8z"};

static void put_marks(Buffer *b, const Picture *g, const PlotSeries *s,
                      uint32_t mark)
{
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            buffer_format(b, "M%.1f %.1f%s", picture_across(g, s->x[k]),
                          picture_down(g, s->panel, s->y[k]), marks[mark]);
}

static void put_cells(Buffer *b, const Picture *g, const PlotSeries *s)
{
    const Axis *y = &g->l.panel[s->panel].y;
    double zero = picture_down(g, s->panel, y->logarithmic ? y->low : 0);
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            buffer_format(b, "M%.1f %.1fV%.1fH%.1fV%.1fz",
                          picture_across(g, s->x[k]), zero,
                          picture_down(g, s->panel, s->y[k]),
                          picture_across(g, s->x2[k]), zero);
}

/* Forth along the lower ends and back along the upper ones, without gaps. */
static void put_band(Buffer *b, const Picture *g, const PlotSeries *s)
{
    for (size_t from = 0, to; from < s->n; from = to + 1) {
        for (to = from; to < s->n && plot_has(s, to); to++)
            buffer_format(b, to == from ? "M%.1f %.1f" : "L%.1f %.1f",
                          picture_across(g, s->x[to]),
                          picture_down(g, s->panel, s->y[to]));
        for (size_t k = to; k > from; k--)
            buffer_format(b, "L%.1f %.1f", picture_across(g, s->x[k - 1]),
                          picture_down(g, s->panel, s->y2[k - 1]));
        buffer_text(b, to > from ? "z" : "");
    }
}

static void put_whiskers(Buffer *b, const Picture *g, const PlotSeries *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            buffer_format(b, "M%.1f %.1fm-4 0h8m-4 0V%.1fm-4 0h8",
                          picture_across(g, s->x[k]),
                          picture_down(g, s->panel, s->y[k]),
                          picture_down(g, s->panel, s->y2[k]));
}

static void put_rules(Buffer *b, const Picture *g, const PlotSeries *s)
{
    const LayoutPanel *l = &g->l.panel[s->panel];
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            buffer_format(b, "M%.1f %.1fV%.1f", picture_across(g, s->x[k]),
                          l->bottom, l->top);
}

static const char *style_name(PlotStyle style)
{
    switch (style) {
    case PLOT_LINES: return "lines";
    case PLOT_POINTS: return "points";
    case PLOT_STEPS: return "steps";
    case PLOT_CELLS: return "cells";
    case PLOT_BAND: return "band";
    case PLOT_WHISKERS: return "whiskers";
    case PLOT_TILES: return "tiles";
    case PLOT_RULES: return "rules";
    case PLOT_FACES: return "faces";
    case PLOT_FRAME: return "frame";
    }
    return "";
}

/* <path class="lines c1" stroke-dasharray="14 4" d=" */
static void put_pen(Buffer *b, const PlotSeries *s, const Pen *pen,
                    const char *style)
{
    bool line = is_joined(s);
    buffer_format(b, "<path class=\"%s c%u%s\"", style, pen->colour,
                  s->faint        ? " faint"
                  : pen->shade[0] ? " shade"
                                  : "");
    for (int k = 0; line && pen->dash && pen->dash[k]; k++)
        buffer_format(b, k ? " %d" : " stroke-dasharray=\"%d", pen->dash[k]);
    buffer_text(b, line && pen->dash ? "\"" : "");
    if (pen->shade[0])
        buffer_format(b, " style=\"--shade:%s\"", pen->shade);
    buffer_text(b, " d=\"");
}

static void put_shape(Buffer *b, const Picture *g, const PlotSeries *s,
                      const Pen *pen)
{
    switch (s->style) {
    case PLOT_LINES:
    case PLOT_STEPS: put_line(b, g, s); break;
    case PLOT_POINTS: put_marks(b, g, s, pen->mark); break;
    case PLOT_CELLS: put_cells(b, g, s); break;
    case PLOT_BAND: put_band(b, g, s); break;
    case PLOT_WHISKERS: put_whiskers(b, g, s); break;
    case PLOT_RULES: put_rules(b, g, s); break;
    case PLOT_FRAME: put_line(b, g, s); break;
    case PLOT_TILES:
    case PLOT_FACES: break; // each has a colour of its own
    }
}

static void put_curve(Buffer *b, const Picture *g, uint32_t k)
{
    const PlotSeries s =
        thin(g, &g->p->series[k], (uint32_t)(g->l.right - g->l.left));
    Pen pen = pen_find(g->p, k);
    bool joined = is_joined(&s);
    if (s.style == PLOT_TILES) {
        areas_tiles(b, g, &s);
        return;
    }
    if (s.style == PLOT_FACES) {
        areas_faces(b, g, &s);
        return;
    }
    put_pen(b, &s, &pen, style_name(s.style));
    put_shape(b, g, &s, &pen);
    buffer_text(b, "\"/>");
    if (joined && pen.dots) {
        PlotSeries dots = s;
        dots.style = PLOT_POINTS;
        put_pen(b, &dots, &pen, "points");
        put_marks(b, g, &dots, 0);
        buffer_text(b, "\"/>");
    }
}

/* A panel: its axes, and the curves within them. */
static void put_panel(Buffer *b, const Picture *g, uint32_t panel)
{
    const LayoutPanel *l = &g->l.panel[panel];
    buffer_text(b, "<g class=\"axis\">");
    if (g->p->bare)
        areas_texts(b, g);
    else
        put_y_axis(b, g, panel);
    if (panel + 1 == g->l.panels && !g->p->bare)
        put_x_axis(b, g);
    if (!l->any)
        buffer_format(b,
                      "<text x=\"%.1f\" y=\"%.1f\" "
                      "text-anchor=\"middle\">nothing to show</text>",
                      (g->l.left + g->l.right) / 2, (l->top + l->bottom) / 2);
    buffer_format(b,
                  "</g>\n<clipPath id=\"k%u-%u\"><rect x=\"%.1f\" "
                  "y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></clipPath>"
                  "<g clip-path=\"url(#k%u-%u)\">",
                  g->number, panel, g->l.left, l->top - 2,
                  g->l.right - g->l.left + 2, l->bottom - l->top + 3, g->number,
                  panel);
    for (uint32_t k = 0; k < g->p->n; k++)
        if (g->p->series[k].panel == panel)
            put_curve(b, g, k);
    buffer_text(b, "</g>");
    /* Drawn over the curves: bars have a rim in the colour of the paper. */
    if (!g->p->bare)
        buffer_format(
            b, "<g class=\"axis\"><path d=\"M%.1f %.1fV%.1fH%.1f\"/></g>",
            g->l.left, l->top, l->bottom, g->l.right);
}

/* The colours of curves are lighter in the dark, those of tiles are not; the bar
   goes with them. */
static bool has_tiles(const Plot *p)
{
    for (uint32_t k = 0; k < p->n; k++)
        if (p->series[k].style == PLOT_TILES ||
            p->series[k].style == PLOT_FACES)
            return true;
    return false;
}

static void put_bar(Buffer *b, const Picture *g)
{
    const Layout *l = &g->l;
    double high = (l->scale_bottom - l->scale_top) / LAYOUT_SHADES;
    for (int k = 0; k < LAYOUT_SHADES; k++) {
        char colour[8];
        pen_shade(colour, (k + 0.5) / LAYOUT_SHADES);
        buffer_format(b,
                      "<rect x=\"%.1f\" y=\"%.2f\" width=\"%.1f\" "
                      "height=\"%.2f\"",
                      l->scale_left, l->scale_bottom - (k + 1) * high,
                      l->scale_right - l->scale_left, high + 0.3);
        if (has_tiles(g->p))
            buffer_format(b, " fill=\"%s\"/>", colour);
        else
            buffer_format(b, " class=\"shade\" style=\"--shade:%s\"/>", colour);
    }
}

/* The bar of colours: its shades, numbers and label. */
static void put_scale(Buffer *b, const Picture *g)
{
    const Layout *l = &g->l;
    double high = l->scale_bottom - l->scale_top;
    if (!l->scale)
        return;
    put_bar(b, g);
    buffer_text(b, "<g class=\"axis\">");
    for (uint32_t k = 0; k < l->z.n; k++) {
        double y = l->scale_bottom - axis_share(&l->z, l->z.tick[k].at) * high;
        if (!l->z.tick[k].text[0])
            continue;
        buffer_format(b,
                      "<path d=\"M%.1f %.1fh4\"/><text x=\"%.1f\" "
                      "y=\"%.1f\">",
                      l->scale_right, y, l->scale_right + 7, y + 4);
        put_number(b, l->z.tick[k].text);
        buffer_text(b, "</text>");
    }
    buffer_format(b,
                  "<text transform=\"translate(%.1f %.1f) rotate(-90)\" "
                  "text-anchor=\"middle\">",
                  l->wide - 10, (l->scale_top + l->scale_bottom) / 2);
    put_cut(b, g->p->z.label, high + 12);
    buffer_text(b, "</text></g>");
}

/* ---- Data for the script ---------------------------------------------------------- */

static void put_axis_data(Buffer *b, const Axis *a, const char *label,
                          bool fixed)
{
    buffer_format(b,
                  "{\"low\":%.9g,\"high\":%.9g,\"log\":%s,\"fixed\":%s,"
                  "\"label\":",
                  a->low, a->high, a->logarithmic ? "true" : "false",
                  fixed ? "true" : "false");
    html_json(b, label ? label : "");
    buffer_text(b, ",\"ticks\":[");
    for (uint32_t k = 0; k < a->n; k++)
        buffer_format(b, "%s[%.9g,\"%s\"]", k ? "," : "", a->tick[k].at,
                      a->tick[k].text);
    buffer_text(b, "]}");
}

/* X, Y, then the second of X, the second of Y, the value and the colour, as far as
   the style has them. A gap is null. */
static void put_point(Buffer *b, const PlotSeries *s, size_t k, int over, int n,
                      const Axis *scale)
{
    bool tile = s->style == PLOT_TILES && isfinite(s->x[k]);
    bool there = tile || plot_has(s, k);
    if (there && s->style == PLOT_RULES)
        buffer_format(b, "%.*g,0", over, s->x[k]);
    else if (there)
        buffer_format(b, "%.*g,%.*g", over, s->x[k], n, s->y[k]);
    else
        buffer_text(b, "null,null");
    if (plot_is_wide(s))
        buffer_format(b, ",%.*g", over, s->x2[k]);
    if (s->y2 && there)
        buffer_format(b, ",%.*g", n, s->y2[k]);
    else if (s->y2)
        buffer_text(b, ",null");
    if (s->z && plot_has(s, k)) {
        char colour[8];
        pen_shade(colour, axis_share(scale, s->z[k]));
        buffer_format(b, ",%.6g,\"%s\"", s->z[k], colour);
    } else if (s->z) {
        buffer_text(b, ",null,null");
    }
}

static void put_points(Buffer *b, const PlotSeries *s, const Axis *scale)
{
    int over = series_digits(s->x, s->n), n = series_digits(s->y, s->n);
    buffer_text(b, ",\"data\":[");
    for (size_t k = 0; k < s->n; k++) {
        buffer_text(b, k ? "," : "");
        put_point(b, s, k, over, n, scale);
    }
    buffer_text(b, "]}");
}

static void put_series_data(Buffer *b, const Picture *g, uint32_t k,
                            uint32_t columns)
{
    const PlotSeries s = thin(g, &g->p->series[k], columns);
    const Pen pen = pen_find(g->p, k);
    buffer_format(b,
                  "%s{\"style\":\"%s\",\"panel\":%u,\"colour\":%u,"
                  "\"shade\":\"%s\",\"mark\":%u,\"dots\":%s,"
                  "\"faint\":%s,\"dash\":\"",
                  k ? "," : "", style_name(s.style), s.panel, pen.colour,
                  pen.shade, pen.mark, pen.dots ? "true" : "false",
                  s.faint ? "true" : "false");
    for (int i = 0; pen.dash && pen.dash[i]; i++)
        buffer_format(b, i ? " %d" : "%d", pen.dash[i]);
    buffer_text(b, "\",\"name\":");
    html_json(b, s.name ? s.name : "");
    if (s.style == PLOT_TILES && s.columns)
        areas_table_data(b, &s, &g->l.z);
    else if (s.style == PLOT_FACES)
        areas_face_data(b, &s, &g->l.z);
    else
        put_points(b, &s, &g->l.z);
}

static void put_data(Buffer *b, const Picture *g)
{
    const Plot *p = g->p;
    const Layout *l = &g->l;
    uint32_t columns = DATA_MOST / 4 / (p->n ? p->n : 1);
    columns = columns > DATA_COLUMNS  ? DATA_COLUMNS
              : columns < DATA_FEWEST ? DATA_FEWEST
                                      : columns;
    buffer_format(b,
                  "<script type=\"application/json\">{\"wide\":%.0f,"
                  "\"high\":%.0f,\"left\":%.0f,\"right\":%.0f,\"x\":",
                  l->wide, l->high, l->left, l->wide - l->right);
    put_axis_data(b, &l->x, p->x.label, p->x.truth);
    if (l->scale) {
        buffer_format(b, ",\"scale\":{\"left\":%.0f,\"tiles\":%s,\"z\":",
                      l->wide - l->scale_left, has_tiles(p) ? "true" : "false");
        put_axis_data(b, &l->z, p->z.label, true);
        buffer_text(b, ",\"shades\":[");
        for (int k = 0; k < LAYOUT_SHADES; k++) {
            char colour[8];
            pen_shade(colour, (k + 0.5) / LAYOUT_SHADES);
            buffer_format(b, "%s\"%s\"", k ? "," : "", colour);
        }
        buffer_text(b, "]}");
    }
    buffer_text(b, ",\"panels\":[");
    for (uint32_t k = 0; k < l->panels; k++) {
        const PlotAxis *y = plot_ordinate(p, k);
        buffer_format(b, "%s{\"top\":%.0f,\"bottom\":%.0f,\"low\":%s,\"y\":",
                      k ? "," : "", l->panel[k].top, l->panel[k].bottom,
                      layout_is_low(p, k) ? "true" : "false");
        put_axis_data(b, &l->panel[k].y, y->label, y->truth);
        buffer_char(b, '}');
    }
    buffer_text(b, "],\"series\":[");
    for (uint32_t k = 0; k < p->n; k++)
        put_series_data(b, g, k, columns);
    buffer_char(b, ']');
    areas_text_data(b, p);
    areas_film_data(b, g);
    buffer_text(b, "}</script>");
}

/* ---- The figure --------------------------------------------------------------------- */

static void put_entry(Buffer *b, const Plot *p, uint32_t k)
{
    const PlotSeries *s = &p->series[k];
    const Pen pen = pen_find(p, k);
    buffer_text(b, "<li><svg class=\"key\" viewBox=\"0 0 34 12\" "
                   "aria-hidden=\"true\">");
    put_pen(b, s, &pen, style_name(s->style));
    if (s->style == PLOT_POINTS)
        buffer_format(b, "M17 6%s", marks[pen.mark]);
    else if (s->style == PLOT_CELLS || s->style == PLOT_BAND)
        buffer_text(b, "M1 1H33V11H1z");
    else if (s->style == PLOT_RULES || s->style == PLOT_WHISKERS)
        buffer_text(b, "M17 0V12");
    else
        buffer_text(b, "M0 6H34");
    buffer_text(b, "\"/></svg> ");
    html_text(b, s->name);
    buffer_text(b, "</li>");
}

/* Curves first, then what is drawn behind them. */
static void put_legend(Buffer *b, const Plot *p)
{
    uint32_t n = 0;
    for (int faint = 0; faint < 2; faint++)
        for (uint32_t k = 0; k < p->n; k++)
            if (p->series[k].faint == (faint == 1) && series_in_legend(p, k)) {
                buffer_text(b, n++ ? "" : "<ul class=\"legend\">");
                put_entry(b, p, k);
            }
    buffer_text(b, n ? "</ul>" : "");
}

/* "X: from 2 to 1.8, between -2.02 and 2.02" */
static void put_range(Buffer *b, const Plot *p, const PlotSeries *s)
{
    const char *label = plot_ordinate(p, s->panel)->label;
    double low = INFINITY, high = -INFINITY;
    size_t first = s->n, last = 0;
    for (size_t k = 0; k < s->n; k++) {
        if (!plot_has(s, k))
            continue;
        first = first == s->n ? k : first;
        last = k;
        low = fmin(low, s->y[k]);
        high = fmax(high, s->y[k]);
    }
    if (first == s->n)
        return;
    buffer_char(b, ' ');
    html_text(b, s->name && s->name[0] ? s->name : label ? label : "");
    buffer_format(b, ": from %.4g to %.4g, between %.4g and %.4g.", s->y[first],
                  s->y[last], low, high);
}

/* For people who cannot see the picture. */
static void put_description(Buffer *b, const Picture *g)
{
    enum { DESCRIBED = 8 };
    const Plot *p = g->p;
    html_text(b, p->title ? p->title : "");
    if (p->bare) {
        buffer_text(b, ". A surface in space.");
    } else {
        buffer_text(b, ". Graph over ");
        html_text(b, p->x.label ? p->x.label : "");
        buffer_format(b, " from %.4g to %.4g.", g->l.over.low, g->l.over.high);
    }
    uint32_t curves = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (plot_is_curve(&p->series[i]) && curves++ < DESCRIBED)
            put_range(b, p, &p->series[i]);
    if (curves > DESCRIBED)
        buffer_format(b, " %u curves in all.", curves);
    if (g->l.scale) {
        buffer_text(b, " Colours tell ");
        html_text(b, p->z.label ? p->z.label : "");
        buffer_format(b, ", from %.4g to %.4g.", g->l.z.low, g->l.z.high);
    }
}

static void put_figure(Buffer *b, const Picture *g)
{
    buffer_format(b, REPORT_FIGURE "%u\">", g->number);
    html_text(b, g->p->title ? g->p->title : "");
    if (g->p->note) {
        buffer_text(b, "<span class=\"of\">");
        html_text(b, g->p->note);
        buffer_text(b, "</span>");
    }
    buffer_format(b,
                  "</figcaption>\n<div class=\"plot\"><svg viewBox=\"0 0 %.0f "
                  "%.0f\" role=\"img\" aria-label=\"",
                  g->l.wide, g->l.high);
    put_description(b, g);
    buffer_text(b, "\">");
    for (uint32_t k = 0; k < g->l.panels; k++)
        put_panel(b, g, k);
    put_scale(b, g);
    buffer_text(b, "</svg></div>\n");
    put_legend(b, g->p);
    put_data(b, g);
    buffer_text(b, REPORT_FIGURE_END);
}

void report_graph(Report *r, const Plot *p)
{
    Arena a = {0};
    Picture *g = NEW(&a, Picture);
    if (g) {
        *g = (Picture){.p = p, .number = report_next(r), .arena = &a};
        layout_make(&g->l, p, LAYOUT_PAGE);
        Buffer *to = p->answer ? &r->answers : &r->graphs;
        put_figure(to, g);
        buffer_string(to); // ends with NUL
    }
    r->graphs.broken = r->graphs.broken || !g;
    arena_free(&a);
}
