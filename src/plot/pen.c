#include "plot/pen.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Series -------------------------------------------------------------------- */

int series_digits(const double *v, size_t n)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < n; k++) {
        low = fmin(low, v[k]);
        high = fmax(high, v[k]);
    }
    return high - low < 1e-4 * fmax(fabs(low), fabs(high)) ? 15 : 9;
}

bool series_is_empty(const PlotSeries *s)
{
    for (size_t k = 0; k < s->n; k++)
        if (plot_has(s, k))
            return false;
    return true;
}

static bool is_named(const PlotSeries *s)
{
    return s->name && s->name[0] && !series_is_empty(s);
}

uint32_t series_twin(const Plot *p, uint32_t series)
{
    const PlotSeries *s = &p->series[series];
    for (uint32_t k = 0; k < series && is_named(s) && !s->faint; k++) {
        const PlotSeries *one = &p->series[k];
        if (is_named(one) && !one->faint && one->panel != s->panel &&
            one->style == s->style && strcmp(one->name, s->name) == 0)
            return k;
    }
    return series;
}

bool series_in_legend(const Plot *p, uint32_t series)
{
    const PlotSeries *s = &p->series[series];
    uint32_t beside = 0;
    for (uint32_t k = 0; k < p->n; k++)
        beside += p->series[k].panel == s->panel &&
                  plot_is_curve(&p->series[k]) && is_named(&p->series[k]);
    if (s->valued && p->scale)
        return false; // the bar of colours tells it
    return is_named(s) && (!plot_is_curve(s) || beside > 1) &&
           series_twin(p, series) == series;
}

/* ---- Pens ---------------------------------------------------------------------- */

const char *const pen_colours[PEN_COLOURS] = {"#0072B2", "#D55E00", "#009E73",
                                              "#CC79A7", "#E69F00", "#56B4E9",
                                              "#000000"};
/* Strokes and gaps; the first is a line without any. */
static const uint8_t dashes[PEN_DASHES][PEN_STROKES + 1] = {
    {0}, {14, 4}, {3, 3}, {14, 4, 3, 4}, {24, 5}};

/* If there are more curves than this, they are shades from dark to light, in
   order. */
enum { TOLD_APART = 14 };

void pen_shade(char colour[8], double share)
{
    static const int shade[][3] = {{68, 1, 84},
                                   {59, 82, 139},
                                   {33, 145, 140},
                                   {94, 201, 98},
                                   {230, 200, 20}};
    share = fmin(fmax(share, 0), 1);
    double at = share * (LENGTH(shade) - 1);
    size_t k = at >= LENGTH(shade) - 1 ? LENGTH(shade) - 2 : (size_t)at;
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)(shade[k][i] +
                            (at - (double)k) * (shade[k + 1][i] - shade[k][i]));
    snprintf(colour, 8, "#%02X%02X%02X", rgb[0] & 255, rgb[1] & 255,
             rgb[2] & 255);
}

double pen_lightness(const char colour[8])
{
    static const double weight[3] = {0.299, 0.587, 0.114};
    unsigned rgb[3] = {0, 0, 0};
    double sum = 0;
    if (sscanf(colour, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) != 3)
        return 0;
    for (int i = 0; i < 3; i++)
        sum += weight[i] * rgb[i] / 255.0;
    return sum;
}

Axis pen_scale(const Plot *p)
{
    AxisRange range = AXIS_RANGE;
    bool log = p->z.logarithmic;
    for (uint32_t k = 0; k < p->n; k++) {
        const PlotSeries *s = &p->series[k];
        if (s->valued)
            axis_take(&range, s->value, log);
        for (size_t i = 0; s->z && i < s->n; i++)
            if (plot_has(s, i))
                axis_take(&range, s->z[i], log);
    }
    return axis_make(&p->z, range, AXIS_AS_DATA);
}

/* Counts the curves, and those before `series`, in its panel or (`all`) in all
   panels; curves that are drawn alike count once. */
static uint32_t count_curves(const Plot *p, uint32_t series, bool all,
                             uint32_t *before)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        if (k == series)
            *before = n;
        n += plot_is_curve(&p->series[k]) &&
             (all ? series_twin(p, k) == k
                  : p->series[k].panel == p->series[series].panel);
    }
    return n;
}

static size_t count_points(const PlotSeries *s)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += isfinite(s->x[k]) && isfinite(s->y[k]);
    return n;
}

/* How far the curves of a panel reach. */
static double panel_size(const Plot *p, uint32_t panel)
{
    double low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < p->n; i++)
        for (size_t k = 0; p->series[i].panel == panel && k < p->series[i].n;
             k++) {
            low = fmin(low, p->series[i].y[k]);
            high = fmax(high, p->series[i].y[k]);
        }
    return high - low;
}

/* How often it visibly turns or jumps. */
static uint32_t count_turns(const PlotSeries *s, double size)
{
    double last = NAN;
    int way = 0;
    uint32_t n = 0;
    for (size_t k = 0; k < s->n; k++) {
        double by = s->y[k] - last;
        if (isnan(last))
            last = s->y[k];
        if (!(fabs(by) > 0.02 * size))
            continue;
        int now = by > 0 ? 1 : -1;
        n += s->style == PLOT_STEPS || now != way;
        way = now;
        last = s->y[k];
    }
    return n;
}

/* Dashes can be seen only if a curve is longer than they are between its turns;
   curves of one name are drawn alike. */
static bool bears_dashes(const Plot *p, uint32_t series)
{
    enum { TURNS_MOST = 24 };
    for (uint32_t k = series; k < p->n; k++)
        if (series_twin(p, k) == series &&
            count_turns(&p->series[k], panel_size(p, p->series[k].panel)) >
                TURNS_MOST)
            return false;
    return true;
}

/* An empty series has a colour too. */
Pen pen_find(const Plot *p, uint32_t series)
{
    enum { FEW = 12 };
    const PlotSeries *s = &p->series[series];
    uint32_t at = 0, place = 0;
    Pen pen = {0};
    assert(series < p->n);
    if (s->with > 0 && s->with <= p->n && s->with - 1 != series &&
        p->series[s->with - 1].with == 0)
        return pen_find(p, s->with - 1);
    if (s->faint)
        return pen;
    series = series_twin(p, series);
    uint32_t n = count_curves(p, series, true, &at);
    count_curves(p, series, false, &place);
    pen.colour = at % PEN_COLOURS;
    pen.mark = place % PEN_MARKS;
    if (s->valued && p->scale) {
        Axis scale = pen_scale(p);
        pen_shade(pen.shade, axis_share(&scale, s->value));
    } else if (n > TOLD_APART)
        pen_shade(pen.shade, (double)at / (n - 1));
    else if (place % PEN_DASHES && bears_dashes(p, series))
        pen.dash = dashes[place % PEN_DASHES];
    pen.dots = count_points(s) <= (s->style == PLOT_LINES ? FEW : 1);
    return pen;
}
