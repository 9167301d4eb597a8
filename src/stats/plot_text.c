#include <string.h>

#include "stats/number.h"
#include "stats/show.h"

/* Curves in characters. */

enum { MARGIN = 11, ROWS = 20, RIGHT = 3, INTERVALS = 6 };

static const char symbols[] = "*+ox#@%&$=";

/* ---- Axes ------------------------------------------------------------------- */

/* From low to high in `intervals` steps; with `log` in powers of ten. */
typedef struct Axis {
    real low, high, step;
    uint32_t intervals;
    bool log;
} Axis;

/* Where a value lies on the axis; false: nowhere. */
static bool axis_position(const Axis *a, real value, real *at)
{
    if (!(cosy_abs(value) < COSY_REAL_MAX / R(16.0)) ||
        (a->log && value <= R(0.0)))
        return false;
    if (a->log)
        value = cosy_log(value) / cosy_log(R(10.0));
    *at = (value - a->low) / (a->high - a->low);
    return cosy_finite(*at);
}

/* 1, 2 or 5 times a power of ten, not below x. */
static real round_step(real x)
{
    real power = R(1.0);
    while (power > x)
        power /= R(10.0);
    while (power * R(10.0) <= x)
        power *= R(10.0);
    if (power >= x)
        return power;
    return power * R(2.0) >= x   ? power * R(2.0)
           : power * R(5.0) >= x ? power * R(5.0)
                                 : power * R(10.0);
}

static real floor_to(real x, real step)
{
    real n = cosy_floor(x / step + R(1e-9));
    return n * step;
}

/* Round ends around low .. high. */
static void axis_round(Axis *a)
{
    const real tiny = COSY_REAL_MIN * R(1e6);
    real span = a->high - a->low;
    real size = cosy_abs(a->high) + cosy_abs(a->low);
    if (!(span > R(1e-12) * size + tiny)) {
        span = size < R(4.0) * tiny ? R(1.0) : size / R(4.0);
        a->low -= span / R(2.0);
        a->high += span / R(2.0);
    }
    a->step = round_step(span / (real)INTERVALS);
    if (a->log && a->step < R(1.0))
        a->step = R(1.0);
    for (;; a->step = round_step(a->step * R(1.01))) {
        real low = floor_to(a->low, a->step);
        real high = -floor_to(-a->high, a->step);
        real n = (high - low) / a->step + R(0.5);
        if (n < (real)(INTERVALS + 1)) {
            a->low = low;
            a->intervals = (uint32_t)n > 0 ? (uint32_t)n : 1;
            a->high = low + a->step * (real)a->intervals;
            return;
        }
    }
}

/* Widens the axis by the values of a column; *seen: it has had some. */
static void axis_take(Axis *a, const ShowSource *from, uint32_t column,
                      bool *seen)
{
    Axis plain = {.low = R(0.0), .high = R(1.0), .log = a->log};
    for (size_t row = 0; row < show_count(from); row++) {
        real v;
        if (!axis_position(&plain, show_value(from, row, column), &v))
            continue;
        a->low = *seen ? cosy_min(a->low, v) : v;
        a->high = *seen ? cosy_max(a->high, v) : v;
        *seen = true;
    }
}

/* Value at tick k; what is zero but for rounding is zero. */
static real axis_tick(const Axis *a, uint32_t k)
{
    real v = a->low + (real)k * a->step;
    if (cosy_abs(v) < R(1e-9) * a->step)
        v = R(0.0);
    return a->log ? cosy_pow(R(10.0), v) : v;
}

/* ---- The picture ------------------------------------------------------------- */

typedef struct Picture {
    const ShowSource *from;
    Axis x, common;
    const Axis *y;          // one for each variable
    bool apart;             // they differ
    uint32_t rows, columns; // the last ones; the grid begins at 0
    Vector cells;
} Picture;

static char *cell(Picture *p, uint32_t row, uint32_t column)
{
    return (char *)p->cells.bytes + row * (p->columns + 1) + column;
}

static void mark(Picture *p, real x, real y, char symbol)
{
    if (x < R(0.0) || x > R(1.0) || y < R(0.0) || y > R(1.0))
        return;
    uint32_t column = (uint32_t)(x * (real)p->columns + R(0.5));
    uint32_t row = p->rows - (uint32_t)(y * (real)p->rows + R(0.5));
    char *c = cell(p, row, column);
    if (*c == ' ' || *c == '.')
        *c = symbol;
}

static void draw(Picture *p, const ShowColumn *c, const Axis *y,
                 uint32_t versus, char symbol)
{
    real x0 = R(0.0), y0 = R(0.0), x1, y1;
    bool pen = false;
    for (size_t row = 0; row < show_count(p->from); row++) {
        if (!axis_position(&p->x, show_value(p->from, row, versus), &x1) ||
            !axis_position(y, show_value(p->from, row, c->column), &y1)) {
            pen = false;
            continue;
        }
        real far = cosy_max(cosy_abs(x1 - x0) * (real)p->columns,
                            cosy_abs(y1 - y0) * (real)p->rows);
        uint32_t steps = pen && far < R(1e4) ? (uint32_t)far + 1 : 1;
        for (uint32_t k = pen && !p->from->points ? 1 : steps; k <= steps; k++)
            mark(p, x0 + (x1 - x0) * (real)k / (real)steps,
                 y0 + (y1 - y0) * (real)k / (real)steps, symbol);
        x0 = x1;
        y0 = y1;
        pen = true;
    }
}

/* A frame of points at the ticks, which curves are drawn over. */
static void draw_ticks(Picture *p)
{
    for (uint32_t r = 0; r <= p->common.intervals; r++)
        for (uint32_t c = 0; c <= p->x.intervals; c++)
            *cell(p, r * (p->rows / p->common.intervals),
                  c * (p->columns / p->x.intervals)) = '.';
}

/* ---- Text around it ------------------------------------------------------------ */

static void put_legend(Buffer *b, const Picture *p, const ShowColumn *c,
                       uint32_t n)
{
    const CosyModel *m = p->from->model;
    for (uint32_t k = 1; k < n; k++) {
        buffer_format(b, "%*s%c ", MARGIN, "",
                      symbols[(k - 1) % (LENGTH(symbols) - 1)]);
        show_name(b, m, &c[k]);
        if (show_unit(m, &c[k])[0])
            buffer_format(b, " [%s]", show_unit(m, &c[k]));
        if (p->apart) {
            buffer_text(b, "  from ");
            number_print(b, 'g', 5, axis_tick(&p->y[k - 1], 0));
            buffer_text(b, " to ");
            number_print(b, 'g', 5,
                         axis_tick(&p->y[k - 1], p->y[k - 1].intervals));
        }
        buffer_char(b, '\n');
    }
}

static void put_label(Buffer *b, const Picture *p, uint32_t row)
{
    uint32_t each = p->rows / p->common.intervals;
    uint32_t tick = p->common.intervals - row / each;
    Buffer text = {0};
    if (row % each == 0 && p->apart)
        buffer_format(&text, "%u %%", 100 * tick / p->common.intervals);
    else if (row % each == 0)
        number_print(&text, 'g', 5, axis_tick(&p->common, tick));
    buffer_format(b, "%*s ", MARGIN - 1, buffer_string(&text));
    buffer_free(&text);
}

/* Without blanks at the end. */
static void put_line(Buffer *b, const char *s, size_t n)
{
    while (n > 0 && s[n - 1] == ' ')
        n--;
    buffer_bytes(b, s, n);
    buffer_char(b, '\n');
}

/* Numbers in the middle below their ticks. */
static void put_below(Buffer *b, const Picture *p, const ShowColumn *versus)
{
    char line[2 * SHOW_WIDEST];
    Buffer text = {0};
    uint32_t each = p->columns / p->x.intervals;
    memset(line, ' ', sizeof line);
    for (uint32_t k = 0; k <= p->x.intervals; k++) {
        text.v.used = 0;
        number_print(&text, 'g', 4, axis_tick(&p->x, k));
        size_t n = text.v.used, at = MARGIN + k * each - n / 2;
        if (at + n > show_wide(p->from))
            at = show_wide(p->from) - n;
        memcpy(line + at, buffer_string(&text), n);
    }
    put_line(b, line, show_wide(p->from));
    text.v.used = 0;
    show_name(&text, p->from->model, versus);
    if (show_unit(p->from->model, versus)[0])
        buffer_format(&text, " [%s]", show_unit(p->from->model, versus));
    size_t middle = MARGIN + p->columns / 2, n = text.v.used;
    buffer_format(b, "%*s%s\n", (int)(middle > n / 2 ? middle - n / 2 : 0), "",
                  buffer_string(&text));
    buffer_free(&text);
}

/* ---- PLOT ----------------------------------------------------------------------- */

/* One scale, unless a variable would move by less than a row on it. */
static bool choose_axes(Picture *p, Axis *y, const ShowColumn *c, uint32_t n,
                        bool log)
{
    bool any = false, flat = false;
    p->common.log = log;
    for (uint32_t k = 1; k < n; k++) {
        bool seen = false;
        y[k - 1].log = log;
        axis_take(&y[k - 1], p->from, c[k].column, &seen);
        axis_take(&p->common, p->from, c[k].column, &any);
    }
    for (uint32_t k = 1; k < n; k++) {
        real own = y[k - 1].high - y[k - 1].low;
        flat = flat || (own > R(0.0) &&
                        own * (real)ROWS < p->common.high - p->common.low);
        axis_round(&y[k - 1]);
    }
    axis_round(&p->common);
    p->apart = flat;
    p->y = y;
    return any;
}

static uint32_t scaled(uint32_t size, real factor, uint32_t intervals,
                       uint32_t most)
{
    real wanted = (real)size * (factor > R(0.0) ? factor : R(1.0));
    uint32_t n = wanted > (real)most ? most : (uint32_t)wanted;
    uint32_t each = n / intervals;
    return (each > 0 ? each : 1) * intervals;
}

static void put_picture(Buffer *b, Picture *p, const ShowColumn *c, uint32_t n)
{
    put_legend(b, p, c, n);
    for (uint32_t row = 0; row <= p->rows; row++) {
        Buffer line = {0};
        put_label(&line, p, row);
        buffer_bytes(&line, cell(p, row, 0), p->columns + 1);
        put_line(b, (const char *)line.v.bytes, line.v.used);
        buffer_free(&line);
    }
    put_below(b, p, &c[0]);
}

void show_plot(Buffer *b, const CosyShow *s, const ShowSource *from,
               const ShowColumn *c, uint32_t n)
{
    enum { MOST_ROWS = 200 };
    Picture p = {.from = from, .x = {.log = s->logx}};
    Arena a = {0};
    bool seen = false;
    Axis *y = NEW_ARRAY(&a, Axis, n);
    show_title(b, s, from);
    axis_take(&p.x, from, c[0].column, &seen);
    if (!y || !choose_axes(&p, y, c, n, s->logy) || !seen) {
        buffer_text(b, "  (no point has a place on these axes)\n");
        arena_free(&a);
        return;
    }
    axis_round(&p.x);
    if (p.apart)
        p.common = (Axis){.intervals = 4, .high = R(1.0), .step = R(0.25)};
    p.rows = scaled(ROWS, s->yfak, p.common.intervals, MOST_ROWS);
    uint32_t columns = show_wide(from) - MARGIN - RIGHT;
    p.columns = scaled(columns, s->xfak, p.x.intervals, columns);
    size_t size = (size_t)(p.rows + 1) * (p.columns + 1);
    if (vector_append(&p.cells, NULL, size)) {
        memset(p.cells.bytes, ' ', size);
        draw_ticks(&p);
        for (uint32_t k = 1; k < n; k++)
            draw(&p, &c[k], p.apart ? &y[k - 1] : &p.common, c[0].column,
                 symbols[(k - 1) % (LENGTH(symbols) - 1)]);
        put_picture(b, &p, c, n);
    }
    vector_free(&p.cells);
    arena_free(&a);
}
