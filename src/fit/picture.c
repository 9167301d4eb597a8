#include "fit/picture.h"

#include <math.h>

#include "graph/svg.h"
#include "plot/axis.h"

enum {
    WIDE = 960,
    HIGH = 440,
    TOP = 70,
    BOTTOM = 380,
    SIDE = 370,      // of a panel
    LEFT = 70,       // left end of the histogram
    RIGHT = 550,     // left end of the quantiles
    CURVE = 240,     // points of a density
    CELLS_MOST = 60, // of the histogram
    DOTS_MOST = 500
};

/* From values to pixels. */
typedef struct Panel {
    Axis x, y;
    double left;
} Panel;

static double at_x(const Panel *p, double v)
{
    return p->left + SIDE * (v - p->x.low) / (p->x.high - p->x.low);
}

static double at_y(const Panel *p, double v)
{
    return BOTTOM - (BOTTOM - TOP) * (v - p->y.low) / (p->y.high - p->y.low);
}

static Axis axis_of(double low, double high, const char *label, bool whole)
{
    const PlotAxis plain = PLOT_AXIS(label);
    AxisRange r = AXIS_RANGE;
    axis_take(&r, low, false);
    axis_take(&r, high, false);
    Axis a = axis_make(&plain, r, AXIS_ROUND);
    axis_mark(&a, 6, whole ? AXIS_WHOLE : AXIS_ANY);
    return a;
}

static void put_frame(Buffer *b, const Panel *p, const char *x, const char *y)
{
    for (uint32_t k = 0; k < p->x.n; k++) {
        double to = at_x(p, p->x.tick[k].at);
        if (!p->x.tick[k].text[0])
            continue;
        buffer_format(b, "<path class=\"rule faint\" d=\"M%.1f %dV%d\"/>\n", to,
                      TOP, BOTTOM);
        svg_text(b, to, BOTTOM + 17, "small middle", p->x.tick[k].text);
    }
    for (uint32_t k = 0; k < p->y.n; k++) {
        double to = at_y(p, p->y.tick[k].at);
        if (!p->y.tick[k].text[0])
            continue;
        buffer_format(b, "<path class=\"rule faint\" d=\"M%.1f %.1fh%d\"/>\n",
                      p->left, to, SIDE);
        svg_text(b, p->left - 6, to + 4, "small right", p->y.tick[k].text);
    }
    svg_text(b, p->left + SIDE / 2, BOTTOM + 36, "middle", x);
    svg_text(b, p->left, TOP - 12, "small", y);
}

/* ---- The histogram ------------------------------------------------------------------- */

/* Cells of equal width; of counts, one for each, or for several. */
typedef struct Cells {
    double first, width;
    uint32_t n;
    double share[CELLS_MOST]; // of all values, over the width
    double most;
} Cells;

static double middle_half(const Sample *s)
{
    return s->x[s->n * 3 / 4] - s->x[s->n / 4];
}

/* The rule of Freedman and Diaconis (Zeitschrift fuer Wahrscheinlichkeitstheorie
   57, 1981). */
static Cells cells_of(const Sample *s, bool counts)
{
    double low = s->x[0], high = s->x[s->n - 1];
    double width = 2.0 * middle_half(s) / cbrt((double)s->n);
    Cells c = {.first = low};
    if (!(width > 0.0))
        width = (high - low) / 10.0;
    if (counts)
        width = fmax(1.0, ceil((high - low + 1.0) / CELLS_MOST));
    double n = ceil((high - low + (counts ? 1.0 : 0.0)) / width);
    c.n = n < 1.0 ? 1 : n > CELLS_MOST ? CELLS_MOST : (uint32_t)n;
    c.first = counts ? low - 0.5 : low;
    c.width = counts ? width : (high - low) / c.n;
    for (size_t k = 0; k < s->n; k++) {
        double cell = (s->x[k] - c.first) / c.width;
        uint32_t i = cell >= c.n ? c.n - 1 : cell > 0.0 ? (uint32_t)cell : 0;
        c.share[i] += 1.0 / ((double)s->n * c.width);
    }
    for (uint32_t k = 0; k < c.n; k++)
        c.most = fmax(c.most, c.share[k]);
    return c;
}

static void put_bars(Buffer *b, const Panel *p, const Cells *c)
{
    for (uint32_t k = 0; k < c->n; k++) {
        double left = at_x(p, c->first + k * c->width);
        double right = at_x(p, c->first + (k + 1) * c->width);
        double top = at_y(p, c->share[k]);
        buffer_format(b,
                      "<rect class=\"box\" x=\"%.1f\" y=\"%.1f\" "
                      "width=\"%.1f\" height=\"%.1f\"/>\n",
                      left, top, right - left, BOTTOM - top);
    }
}

static void put_density(Buffer *b, const Panel *p, const Fit *f, uint32_t pen)
{
    bool counts = fit_counts(f->distribution), begun = false;
    double span = p->x.high - p->x.low;
    double step = counts ? fmax(1.0, floor(span / CURVE)) : span / CURVE;
    double v = counts ? fmax(ceil(p->x.low), 0.0) : p->x.low;
    buffer_format(b, "<path class=\"wire c%u\" d=\"", pen);
    for (; v <= p->x.high; v += step) {
        double y = exp(fit_log(f, v));
        bool seen = isfinite(y) && y <= p->y.high;
        if (seen)
            buffer_format(b, "%c%.1f %.1f", begun ? 'L' : 'M', at_x(p, v),
                          at_y(p, y));
        begun = seen;
    }
    buffer_text(b, "\"/>\n");
}

static void put_histogram(Buffer *b, const Picture *p)
{
    bool counts = fit_counts(p->fit[0].distribution);
    Cells c = cells_of(p->sample, counts);
    double top = c.most, last = c.first + c.n * c.width;
    for (uint32_t k = 0; k < p->fits && k < PICTURE_FITS; k++)
        for (uint32_t i = 0; i <= c.n; i++) {
            double y = exp(fit_log(&p->fit[k], c.first + (i + 0.5) * c.width));
            top = isfinite(y) ? fmax(top, fmin(y, 1.5 * c.most)) : top;
        }
    Panel panel = {.left = LEFT};
    panel.x = axis_of(c.first, last, p->label, counts);
    panel.y = axis_of(0.0, 1.05 * top, "density", false);
    put_frame(b, &panel, p->label, counts ? "probability" : "density");
    put_bars(b, &panel, &c);
    for (uint32_t k = 0; k < p->fits && k < PICTURE_FITS; k++)
        put_density(b, &panel, &p->fit[k], k);
}

/* ---- Quantiles ------------------------------------------------------------------------- */

static void put_dots(Buffer *b, const Panel *p, const Sample *s, const Fit *f,
                     uint32_t pen)
{
    size_t step = s->n / DOTS_MOST + 1;
    buffer_format(b, "<g class=\"c%u\">\n", pen);
    for (size_t k = 0; k < s->n; k += step) {
        double of = fit_quantile(f, ((double)k + 0.5) / (double)s->n);
        double x = at_x(p, of), y = at_y(p, s->x[k]);
        if (x >= p->left && x <= p->left + SIDE)
            buffer_format(b,
                          "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" "
                          "r=\"2\"/>\n",
                          x, y);
    }
    buffer_text(b, "</g>\n");
}

static void put_quantiles(Buffer *b, const Picture *p)
{
    const Sample *s = p->sample;
    double n = (double)s->n, low = s->x[0], high = s->x[s->n - 1];
    low = fmin(low, fit_quantile(&p->fit[0], 0.5 / n));
    high = fmax(high, fit_quantile(&p->fit[0], 1.0 - 0.5 / n));
    bool counts = fit_counts(p->fit[0].distribution);
    Panel panel = {.left = RIGHT};
    panel.x = panel.y = axis_of(low, high, p->label, counts);
    put_frame(b, &panel, "quantiles of the distribution",
              "quantiles of the values");
    buffer_format(b, "<path class=\"rule\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
                  at_x(&panel, panel.x.low), at_y(&panel, panel.x.low),
                  at_x(&panel, panel.x.high), at_y(&panel, panel.x.high));
    for (uint32_t k = p->fits < PICTURE_FITS ? p->fits : PICTURE_FITS; k-- > 0;)
        put_dots(b, &panel, s, &p->fit[k], k);
}

static void put_legend(Buffer *b, const Picture *p)
{
    double x = LEFT;
    for (uint32_t k = 0; k < p->fits && k < PICTURE_FITS; k++) {
        const char *name = distribution_at(p->fit[k].distribution)->name;
        buffer_format(b, "<path class=\"wire c%u\" d=\"M%.1f %dh22\"/>\n", k, x,
                      HIGH - 8);
        svg_text(b, x + 28, HIGH - 4, "", name);
        x += 60 + svg_wide(name, 13);
    }
}

void picture_draw(Buffer *b, const Picture *p)
{
    svg_begin(b, (SvgSize){WIDE, HIGH}, p->heading);
    svg_text(b, LEFT, 30, "head", p->heading);
    put_histogram(b, p);
    put_quantiles(b, p);
    put_legend(b, p);
    svg_end(b);
}
