#include "plot/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plot/axis.h"
#include "plot/pen.h"

enum { MARGIN = 11, ROWS = 20, MOST_ROWS = 200, RIGHT = 3, INTERVALS = 6 };

static const char symbols[] = "*+ox#@%&$=";
static const char shades[] = ".:-=+*#%@"; // of tiles, from least to greatest

/* ---- Axes ----------------------------------------------------------------------- */

static bool has_place(double v, bool logarithmic)
{
    return fabs(v) < 1e300 && (!logarithmic || v > 0);
}

static void take(AxisRange *x, AxisRange *y, const Plot *p, const PlotSeries *s)
{
    for (size_t k = 0; k < s->n; k++) {
        if (s->style == PLOT_RULES) {
            if (x && has_place(s->x[k], p->x.logarithmic))
                axis_take(x, s->x[k], p->x.logarithmic);
            continue;
        }
        bool there = has_place(s->x[k], p->x.logarithmic) &&
                     has_place(s->y[k], p->y.logarithmic);
        if (x && there && plot_is_wide(s))
            axis_take(x, s->x2[k], p->x.logarithmic);
        if (x && there)
            axis_take(x, s->x[k], p->x.logarithmic);
        if (y && there)
            axis_take(y, s->y[k], p->y.logarithmic);
        if (y && there && s->y2 && has_place(s->y2[k], p->y.logarithmic))
            axis_take(y, s->y2[k], p->y.logarithmic);
    }
}

/* The last tick with a number; those without come after all of them. */
static uint32_t last_number(const Axis *a)
{
    uint32_t n = a->n;
    while (n > 1 && !a->tick[n - 1].text[0])
        n--;
    return n - 1;
}

static bool is_at(const Axis *a, uint32_t tick, double share)
{
    return fabs(axis_share(a, a->tick[tick].at) - share) < 1e-6;
}

/* Makes the axis end at ticks, which may take a step more or less. */
static Axis make_axis(const PlotAxis *how, AxisRange data)
{
    Axis a = axis_make(how, data, AXIS_ROUND);
    uint32_t wanted = INTERVALS;
    do
        axis_mark(&a, wanted, how->whole ? AXIS_WHOLE : AXIS_ANY);
    while (wanted++ < INTERVALS + 3 &&
           !(is_at(&a, 0, 0) && is_at(&a, last_number(&a), 1)));
    return a;
}

/* How many equal parts the numbers divide it into; 1: they do not. */
static uint32_t count_parts(const Axis *a)
{
    uint32_t n = last_number(a);
    for (uint32_t k = 0; k <= n; k++)
        if (n == 0 || !is_at(a, k, (double)k / n))
            return 1;
    return n;
}

static double length_of(AxisRange r, bool logarithmic)
{
    return r.low > r.high ? 0
           : logarithmic  ? log(r.high / r.low)
                          : r.high - r.low;
}

/* ---- The picture ------------------------------------------------------------------ */

typedef struct Picture {
    const Plot *p;
    Axis x, common;         // `common` is in per cent if the y axes differ
    Axis z;                 // of the tiles
    Axis *y;                // an axis for each series
    bool apart;             // the y axes differ
    uint32_t rows, columns; // the last of each; the grid begins at 0
    uint32_t margin, wide;
    char *cells;
} Picture;

static char *cell(const Picture *t, uint32_t row, uint32_t column)
{
    assert(row <= t->rows && column <= t->columns);
    return t->cells + row * (t->columns + 1) + column;
}

static uint32_t row_of(const Picture *t, double share)
{
    return t->rows - (uint32_t)(share * t->rows + 0.5);
}

static uint32_t column_of(const Picture *t, double share)
{
    return (uint32_t)(share * t->columns + 0.5);
}

static void mark(Picture *t, double x, double y, char symbol)
{
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
        return;
    char *c = cell(t, row_of(t, y), column_of(t, x));
    if (*c == ' ' || *c == '.')
        *c = symbol;
}

static void draw_line(Picture *t, double x0, double y0, double x1, double y1,
                      char symbol)
{
    double far = fmax(fabs(x1 - x0) * t->columns, fabs(y1 - y0) * t->rows);
    uint32_t steps = far < 1e4 ? (uint32_t)far + 1 : 1;
    for (uint32_t k = 1; k <= steps; k++)
        mark(t, x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, symbol);
}

/* What lies about curves: an interval as a stroke, the ends of a band as points,
   a rule over the whole height. Curves that cross it are drawn first. */
static void draw_about(Picture *t, const PlotSeries *s, const Axis *y)
{
    for (size_t k = 0; k < s->n; k++) {
        if (!plot_has(s, k) || !has_place(s->x[k], t->x.logarithmic))
            continue;
        double x = axis_share(&t->x, s->x[k]);
        if (s->style == PLOT_RULES) {
            draw_line(t, x, 0, x, 1, '!');
        } else if (s->style == PLOT_WHISKERS) {
            double low = axis_share(y, s->y[k]), high = axis_share(y, s->y2[k]);
            draw_line(t, x, low, x, high, '|');
        } else {
            mark(t, x, axis_share(y, s->y[k]), ':');
            mark(t, x, axis_share(y, s->y2[k]), ':');
        }
    }
}

/* The tile in which a character lies; s->n: none. */
static size_t find_tile(const Picture *t, const PlotSeries *s, double x,
                        double y)
{
    for (size_t k = 0; k < s->n; k++)
        if (x >= axis_share(&t->x, s->x[k]) &&
            x <= axis_share(&t->x, s->x2[k]) &&
            y >= axis_share(&t->common, s->y[k]) &&
            y <= axis_share(&t->common, s->y2[k]))
            return k;
    return s->n;
}

/* The darker a character, the greater the value; `?` where there is none. */
static void draw_tiles(Picture *t, const PlotSeries *s)
{
    const size_t last = sizeof shades - 2;
    for (uint32_t row = 0; row <= t->rows; row++)
        for (uint32_t column = 0; column <= t->columns; column++) {
            double x = (double)column / t->columns;
            double y = 1 - (double)row / t->rows;
            size_t k = find_tile(t, s, x, y);
            if (k == s->n)
                continue;
            double share = axis_share(&t->z, s->z[k]);
            bool there = plot_has(s, k) && share >= 0 && share <= 1;
            *cell(t, row, column) =
                there ? shades[(size_t)(share * (double)last + 0.5)] : '?';
        }
}

static void draw_series(Picture *t, const PlotSeries *s, const Axis *y,
                        char symbol)
{
    double x0 = 0, y0 = 0;
    bool pen = false;
    for (size_t k = 0; k < s->n; k++) {
        if (!has_place(s->x[k], t->x.logarithmic) ||
            !has_place(s->y[k], y->logarithmic)) {
            pen = false;
            continue;
        }
        double x1 = axis_share(&t->x, s->x[k]), y1 = axis_share(y, s->y[k]);
        if (!pen || s->style == PLOT_POINTS) {
            mark(t, x1, y1, symbol);
        } else {
            double before = s->style == PLOT_STEPS ? x1 : x0;
            draw_line(t, x0, y0, before, y0, symbol);
            draw_line(t, before, y0, x1, y1, symbol);
        }
        x0 = x1;
        y0 = y1;
        pen = true;
    }
}

/* Points at the ticks; curves are drawn over them. */
static void draw_ticks(Picture *t)
{
    for (uint32_t r = 0; r <= last_number(&t->common); r++)
        for (uint32_t c = 0; c <= last_number(&t->x); c++)
            *cell(t, row_of(t, axis_share(&t->common, t->common.tick[r].at)),
                  column_of(t, axis_share(&t->x, t->x.tick[c].at))) = '.';
}

/* ---- Text around it ---------------------------------------------------------------- */

static char symbol_of(uint32_t series)
{
    return symbols[series % (LENGTH(symbols) - 1)];
}

/* The characters of what lies about curves. */
static char about_symbol(const PlotSeries *s)
{
    return s->style == PLOT_RULES ? '!' : s->style == PLOT_WHISKERS ? '|' : ':';
}

static bool is_drawn(const Picture *t, uint32_t k)
{
    return t->p->series[k].panel == 0 && t->p->series[k].n > 0;
}

/* ". 0.1 ... @ 3.5 PEAK" */
static void put_shades(Buffer *b, const Picture *t)
{
    const char *label = t->p->z.label;
    buffer_format(b, "%*s%c %.4g %.*s %c %.4g  %s\n", (int)t->margin, "",
                  shades[0], t->z.low, (int)sizeof shades - 3, shades + 1,
                  shades[sizeof shades - 2], t->z.high, label ? label : "");
    buffer_format(b, "%*s%s\n", (int)t->margin, "",
                  t->p->y.label ? t->p->y.label : "");
}

static void put_legend(Buffer *b, const Picture *t)
{
    for (uint32_t k = 0; k < t->p->n; k++) {
        const PlotSeries *s = &t->p->series[k];
        const char *name = s->name;
        bool curve = plot_is_curve(s) || s->style == PLOT_POINTS;
        if (s->style == PLOT_TILES && is_drawn(t, k))
            put_shades(b, t);
        if (!is_drawn(t, k) || (!curve && !name) || s->style == PLOT_TILES)
            continue;
        if (!name || !name[0])
            name = t->p->y.label;
        buffer_format(b, "%*s%c %s", (int)t->margin, "",
                      curve ? symbol_of(k) : about_symbol(s), name ? name : "");
        if (!curve) {
            buffer_char(b, '\n');
            continue;
        }
        if (t->apart)
            buffer_format(b, "  from %s to %s", t->y[k].tick[0].text,
                          t->y[k].tick[last_number(&t->y[k])].text);
        buffer_char(b, '\n');
    }
}

/* The number of a row; "" if it has none. */
static const char *label_of(const Picture *t, uint32_t row)
{
    const Axis *a = &t->common;
    for (uint32_t k = 0; k <= last_number(a); k++)
        if (row_of(t, axis_share(a, a->tick[k].at)) == row)
            return a->tick[k].text;
    return "";
}

/* A line without blanks at its end. */
static void put_line(Buffer *b, const char *s, size_t n)
{
    while (n > 0 && s[n - 1] == ' ')
        n--;
    buffer_bytes(b, s, n);
    buffer_char(b, '\n');
}

/* Numbers centred below their ticks, as far as they fit. */
static void put_below(Buffer *b, const Picture *t)
{
    char line[TEXT_WIDEST + AXIS_TEXT];
    size_t from = 0;
    memset(line, ' ', sizeof line);
    for (uint32_t k = 0; k <= last_number(&t->x); k++) {
        const char *text = t->x.tick[k].text;
        size_t n = strlen(text);
        size_t at = t->margin - n / 2 +
                    column_of(t, axis_share(&t->x, t->x.tick[k].at));
        if (at + n > t->wide)
            at = t->wide - n;
        if (at < from)
            continue;
        memcpy(line + at, text, n);
        from = at + n + 1;
    }
    put_line(b, line, t->wide);
    const char *label = t->p->x.label ? t->p->x.label : "";
    size_t middle = t->margin + t->columns / 2, n = strlen(label) / 2;
    buffer_format(b, "%*s%s\n", (int)(middle > n ? middle - n : 0), "", label);
}

static void put_picture(Buffer *b, const Picture *t)
{
    put_legend(b, t);
    for (uint32_t row = 0; row <= t->rows; row++) {
        Buffer line = {0};
        buffer_format(&line, "%*s ", (int)t->margin - 1, label_of(t, row));
        buffer_bytes(&line, cell(t, row, 0), t->columns + 1);
        put_line(b, (const char *)line.v.bytes, line.v.used);
        b->broken = b->broken || line.broken;
        buffer_free(&line);
    }
    put_below(b, t);
}

/* ---- Everything together ------------------------------------------------------------------------ */

/* What lies about curves has their scale. */
static bool has_about(const Picture *t)
{
    for (uint32_t k = 0; k < t->p->n; k++)
        if (!plot_is_curve(&t->p->series[k]))
            return true;
    return false;
}

/* One scale, unless a curve would move by less than a row on it. */
static bool choose_axes(Picture *t)
{
    AxisRange x = AXIS_RANGE, all = AXIS_RANGE;
    bool log = t->p->y.logarithmic;
    for (uint32_t k = 0; k < t->p->n; k++)
        if (is_drawn(t, k))
            take(&x, &all, t->p, &t->p->series[k]);
    if (x.low > x.high)
        return false;
    for (uint32_t k = 0; k < t->p->n; k++) {
        AxisRange own = AXIS_RANGE;
        take(NULL, &own, t->p, &t->p->series[k]);
        double length = length_of(own, log);
        t->apart = t->apart || (is_drawn(t, k) && length > 0 &&
                                length * ROWS < length_of(all, log));
        t->y[k] = make_axis(&t->p->y, own);
    }
    t->apart = t->apart && !has_about(t);
    t->x = make_axis(&t->p->x, x);
    t->common = make_axis(&t->p->y, all);
    if (t->p->scale)
        t->z = pen_scale(t->p);
    return true;
}

static Axis percent_axis(void)
{
    Axis a = {.low = 0, .high = 100, .n = 5};
    for (uint32_t k = 0; k < a.n; k++) {
        a.tick[k].at = 25 * k;
        snprintf(a.tick[k].text, sizeof a.tick[k].text, "%u %%", 25 * k);
    }
    return a;
}

static uint32_t widest_number(const Axis *a)
{
    size_t most = 0;
    for (uint32_t k = 0; k < a->n; k++)
        most = strlen(a->tick[k].text) > most ? strlen(a->tick[k].text) : most;
    return (uint32_t)most;
}

/* Large enough that every number has a row or column of its own. */
static uint32_t scaled(uint32_t size, double factor, const Axis *a,
                       uint32_t most)
{
    uint32_t parts = count_parts(a);
    double wanted = size * (factor > 0 ? factor : 1);
    uint32_t n = wanted > most ? most : (uint32_t)wanted;
    return (n >= parts ? n / parts : 1) * parts;
}

static bool draw(Buffer *b, Picture *t, Arena *a)
{
    if (t->apart)
        t->common = percent_axis();
    uint32_t number = widest_number(&t->common);
    t->margin = number + 1 > MARGIN ? number + 1 : MARGIN;
    uint32_t columns = t->wide - t->margin - RIGHT;
    t->rows = scaled(ROWS, t->p->high, &t->common, MOST_ROWS);
    t->columns = scaled(columns, t->p->wide, &t->x, columns);
    size_t size = (size_t)(t->rows + 1) * (t->columns + 1);
    t->cells = NEW_ARRAY(a, char, size);
    if (!t->cells)
        return false;
    memset(t->cells, ' ', size);
    draw_ticks(t);
    for (uint32_t k = 0; k < t->p->n; k++) {
        const PlotSeries *s = &t->p->series[k];
        const Axis *y = t->apart ? &t->y[k] : &t->common;
        if (!is_drawn(t, k))
            continue;
        if (s->style == PLOT_TILES)
            draw_tiles(t, s);
        else if (plot_is_curve(s) || s->style == PLOT_POINTS)
            draw_series(t, s, y, symbol_of(k));
    }
    for (uint32_t k = 0; k < t->p->n; k++)
        if (is_drawn(t, k) && !plot_is_curve(&t->p->series[k]) &&
            t->p->series[k].style != PLOT_TILES &&
            t->p->series[k].style != PLOT_POINTS)
            draw_about(t, &t->p->series[k], &t->common);
    put_picture(b, t);
    return true;
}

bool plot_text(Buffer *b, const Plot *p, uint32_t wide)
{
    Arena a = {0};
    Picture *t = NEW(&a, Picture);
    bool ok = t != NULL;
    assert(wide >= 40 && wide <= TEXT_WIDEST);
    if (t) {
        *t = (Picture){.p = p, .wide = wide};
        t->y = NEW_ARRAY(&a, Axis, p->n + 1);
        ok = t->y != NULL;
        if (ok && choose_axes(t))
            ok = draw(b, t, &a);
        else if (ok)
            buffer_text(b, "  (no point has a place on these axes)\n");
    }
    arena_free(&a);
    return ok;
}
