#include "picture/fields.h"

#include <math.h>

#include "picture/grid.h"
#include "picture/tiles.h"
#include "plot/axis.h"
#include "stats/value.h"

/* Maps of colours, and lines of equal value. */

enum {
    TILES_SIDE = 100, // along a side; of more points some are left out
    LEVELS = 14       // about so many lines of equal value
};

static bool has_place(const FieldView *f, double z)
{
    return isfinite(z) && !(f->line->logy && z <= 0);
}

/* The range of all maps. */
static AxisRange range_of(const FieldView *f, const FieldMap *m, uint32_t maps)
{
    AxisRange r = AXIS_RANGE;
    for (uint32_t k = 0; k < maps; k++)
        for (size_t i = 0; i < (size_t)m[k].n[0] * m[k].n[1]; i++)
            if (has_place(f, m[k].z[i]))
                axis_take(&r, m[k].z[i], f->line->logy);
    return r;
}

static const char *value_label(const FieldView *f)
{
    Buffer b = {0};
    buffer_text(&b, f->v->name);
    value_put_unit(&b, value_shown_unit(f->v->unit));
    return field_keep(f, &b);
}

/* Below one: what a panel shows stands above it, where there is room. */
#define LOW 0.95

static PlotAxis ordinate(const FieldView *f, const FieldMap *m, bool several)
{
    Buffer b = {0};
    if (m->at)
        buffer_format(&b, "%s; ", m->at);
    buffer_text(&b, m->label[1]);
    PlotAxis y = PLOT_AXIS(field_keep(f, &b));
    y.tight = true;
    y.whole = m->whole[1];
    y.share = several ? LOW : 0;
    return y;
}

/* Everything but the series. */
static bool set_axes(const FieldView *f, const FieldMap *m, uint32_t maps,
                     Plot *p)
{
    PlotAxis *y = NEW_ARRAY(f->a, PlotAxis, maps);
    AxisRange r = range_of(f, m, maps);
    if (!y)
        return false;
    for (uint32_t k = 0; k < maps; k++)
        y[k] = ordinate(f, &m[k], maps > 1);
    p->x = (PlotAxis)PLOT_AXIS(m->label[0]);
    p->x.tight = true;
    p->x.whole = m->whole[0];
    p->y = y[0];
    p->lower = y + 1;
    p->lowers = maps - 1;
    p->scale = true;
    p->z = (PlotAxis)PLOT_AXIS(value_label(f));
    p->z.logarithmic = f->line->logy;
    if (r.low < r.high) {
        p->z.low = r.low;
        p->z.high = r.high;
    }
    return true;
}

/* ---- Colours --------------------------------------------------------------------- */

/* The points along an axis that have a tile, evenly spread, and where the tiles
   begin and end. */
typedef struct Side {
    uint32_t n, of;
    const double *edge;
} Side;

static uint32_t point_of(const Side *s, uint32_t k)
{
    return s->n < 2 ? 0 : (uint32_t)((uint64_t)k * (s->of - 1) / (s->n - 1));
}

static bool make_side(const FieldView *f, const FieldMap *m, int which, Side *s)
{
    uint32_t of = m->n[which];
    *s = (Side){.n = of < TILES_SIDE ? of : TILES_SIDE, .of = of};
    double *at = NEW_ARRAY(f->a, double, s->n + 1);
    for (uint32_t k = 0; at && k < s->n; k++)
        at[k] = m->x[which][point_of(s, k)];
    const GridSide grid = {.n = s->n, .value = at};
    double *edge = at ? grid_edges(&grid, f->a) : NULL;
    if (edge && !m->whole[which] && s->n > 1) {
        edge[0] = at[0];
        edge[s->n] = at[s->n - 1];
    }
    s->edge = edge;
    return edge != NULL;
}

static void add_tile(const FieldView *f, Tiles *t, const Side *x, uint32_t i,
                     const Side *y, uint32_t j, double z)
{
    uint32_t k = t->n++;
    t->x[k] = fmin(x->edge[i], x->edge[i + 1]);
    t->x2[k] = fmax(x->edge[i], x->edge[i + 1]);
    t->y[k] = fmin(y->edge[j], y->edge[j + 1]);
    t->y2[k] = fmax(y->edge[j], y->edge[j + 1]);
    t->z[k] = has_place(f, z) ? z : NAN;
    if (isnan(t->z[k])) {
        t->bad_x[t->bad] = (t->x[k] + t->x2[k]) / 2;
        t->bad_y[t->bad++] = (t->y[k] + t->y2[k]) / 2;
    }
}

static bool fill_panel(const FieldView *f, const FieldMap *m, uint32_t panel,
                       PlotSeries *series)
{
    Side x, y;
    Tiles t;
    if (!make_side(f, m, 0, &x) || !make_side(f, m, 1, &y) ||
        !tiles_open(&t, f->a, x.n * y.n))
        return false;
    for (uint32_t j = 0; j < y.n; j++)
        for (uint32_t i = 0; i < x.n; i++)
            add_tile(f, &t, &x, i, &y, j,
                     m->z[(size_t)point_of(&x, i) * m->n[1] + point_of(&y, j)]);
    tiles_series(&t, panel, x.n, series);
    return true;
}

bool field_map(const FieldView *f, const FieldMap *m, uint32_t maps, Plot *p)
{
    PlotSeries *series = NEW_ARRAY(f->a, PlotSeries, 2 * (size_t)maps);
    if (!series || !set_axes(f, m, maps, p))
        return false;
    for (uint32_t k = 0; k < maps; k++)
        if (!fill_panel(f, &m[k], k, &series[2 * (size_t)k]))
            return false;
    p->series = series;
    p->n = 2 * maps;
    return true;
}

/* ---- Lines of equal value ---------------------------------------------------------- */

/* Each cell between four points is crossed by at most two pieces of a line, which go
   from one of its sides to another. A line is followed from cell to cell. Sides of a
   cell: 0 below, 1 right, 2 above, 3 left. */
typedef struct Contour {
    const FieldMap *m;
    double level;
    unsigned char
        *done; // bit k: the piece that begins at side k has been drawn
    double *x, *y;
    size_t n, room;
} Contour;

static double value(const FieldMap *m, uint32_t i, uint32_t j)
{
    return m->z[(size_t)i * m->n[1] + j];
}

/* The corners at the ends of a side. */
static const unsigned char corner[4][2][2] = {
    {{0, 0}, {1, 0}}, {{1, 0}, {1, 1}}, {{0, 1}, {1, 1}}, {{0, 0}, {0, 1}}};

static bool is_crossed(const Contour *c, uint32_t i, uint32_t j, int side)
{
    const unsigned char(*at)[2] = corner[side];
    double a = value(c->m, i + at[0][0], j + at[0][1]);
    double b = value(c->m, i + at[1][0], j + at[1][1]);
    return (a >= c->level) != (b >= c->level);
}

static bool is_full(const Contour *c, uint32_t i, uint32_t j)
{
    return isfinite(value(c->m, i, j)) && isfinite(value(c->m, i + 1, j)) &&
           isfinite(value(c->m, i, j + 1)) &&
           isfinite(value(c->m, i + 1, j + 1));
}

/* Where the piece that begins at a side leaves the cell. Where all four sides are
   crossed, the mean of the corners tells which two belong together. */
static int other_side(const Contour *c, uint32_t i, uint32_t j, int side)
{
    static const signed char turned[2][4] = {{3, 2, 1, 0}, {1, 0, 3, 2}};
    int crossed = 0, last = -1;
    for (int k = 0; k < 4; k++)
        if (is_crossed(c, i, j, k)) {
            crossed++;
            last = k == side ? last : k;
        }
    if (crossed < 4)
        return last;
    double mean = (value(c->m, i, j) + value(c->m, i + 1, j) +
                   value(c->m, i, j + 1) + value(c->m, i + 1, j + 1)) /
                  4;
    bool high = value(c->m, i, j) >= c->level;
    return turned[(mean >= c->level) == high][side];
}

static void put_point(Contour *c, double x, double y)
{
    if (c->n < c->room) {
        c->x[c->n] = x;
        c->y[c->n++] = y;
    }
}

static void put_crossing(Contour *c, uint32_t i, uint32_t j, int side)
{
    const unsigned char(*at)[2] = corner[side];
    const FieldMap *m = c->m;
    double a = value(m, i + at[0][0], j + at[0][1]);
    double b = value(m, i + at[1][0], j + at[1][1]);
    double s = (c->level - a) / (b - a);
    double x0 = m->x[0][i + at[0][0]], x1 = m->x[0][i + at[1][0]];
    double y0 = m->x[1][j + at[0][1]], y1 = m->x[1][j + at[1][1]];
    put_point(c, x0 + s * (x1 - x0), y0 + s * (y1 - y0));
}

static unsigned char *done_at(const Contour *c, uint32_t i, uint32_t j)
{
    return &c->done[(size_t)i * c->m->n[1] + j];
}

/* Goes on to the cell behind a side; false: the map ends there. */
static bool step(const Contour *c, uint32_t *i, uint32_t *j, int *side)
{
    static const signed char by[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    int64_t x = (int64_t)*i + by[*side][0], y = (int64_t)*j + by[*side][1];
    if (x < 0 || y < 0 || x + 1 >= c->m->n[0] || y + 1 >= c->m->n[1])
        return false;
    *i = (uint32_t)x;
    *j = (uint32_t)y;
    *side = (*side + 2) % 4;
    return is_full(c, *i, *j);
}

/* Follows the line that enters a cell at a side, which has been drawn up to there,
   until it ends or comes to a piece that has been drawn. */
static void follow(Contour *c, uint32_t i, uint32_t j, int side)
{
    do {
        int out = other_side(c, i, j, side);
        unsigned char *done = done_at(c, i, j);
        if (out < 0 || *done & 1u << side)
            return;
        *done |= (unsigned char)(1u << side | 1u << out);
        put_crossing(c, i, j, out);
        side = out;
    } while (step(c, &i, &j, &side));
}

/* Lines that begin at the edge of the map first, then closed ones. */
static void draw_level(Contour *c)
{
    for (int closed = 0; closed < 2; closed++)
        for (uint32_t i = 0; i + 1 < c->m->n[0]; i++)
            for (uint32_t j = 0; j + 1 < c->m->n[1]; j++)
                for (int side = 0; side < 4 && is_full(c, i, j); side++) {
                    uint32_t x = i, y = j;
                    int behind = side;
                    if (*done_at(c, i, j) & 1u << side ||
                        !is_crossed(c, i, j, side) ||
                        (!closed && step(c, &x, &y, &behind)))
                        continue;
                    put_crossing(c, i, j, side);
                    follow(c, i, j, side);
                    put_point(c, NAN, NAN);
                }
}

/* Room for the crossings, and for a gap after each piece. */
static size_t count_room(const Contour *c)
{
    size_t n = 4;
    for (uint32_t i = 0; i + 1 < c->m->n[0]; i++)
        for (uint32_t j = 0; j + 1 < c->m->n[1]; j++)
            for (int side = 0; side < 4; side++)
                n += 2 * (size_t)is_crossed(c, i, j, side);
    return n;
}

static bool add_level(const FieldView *f, const FieldMap *m, uint32_t panel,
                      double level, PlotSeries *s)
{
    size_t cells = (size_t)m->n[0] * m->n[1];
    Contour c = {.m = m, .level = level};
    c.room = count_room(&c);
    c.x = NEW_ARRAY(f->a, double, c.room);
    c.y = NEW_ARRAY(f->a, double, c.room);
    c.done = NEW_ARRAY(f->a, unsigned char, cells + 1);
    if (!c.x || !c.y || !c.done)
        return false;
    for (size_t k = 0; k < cells; k++)
        c.done[k] = 0;
    draw_level(&c);
    *s = (PlotSeries){.style = PLOT_LINES,
                      .x = c.x,
                      .y = c.y,
                      .n = c.n,
                      .panel = panel,
                      .valued = true,
                      .value = level};
    return true;
}

/* The lines have the values that the bar of colours shows. */
bool field_contour(const FieldView *f, const FieldMap *m, uint32_t maps,
                   Plot *p)
{
    if (!set_axes(f, m, maps, p))
        return false;
    AxisRange range = {p->z.low, p->z.high};
    Axis z = axis_make(&p->z, range, AXIS_AS_DATA);
    axis_mark(&z, LEVELS, AXIS_ANY);
    PlotSeries *series = NEW_ARRAY(f->a, PlotSeries, (size_t)z.n * maps + 1);
    if (!series)
        return false;
    for (uint32_t k = 0; k < maps; k++)
        for (uint32_t i = 0; i < z.n; i++)
            if (z.tick[i].text[0] && z.tick[i].at > z.low &&
                z.tick[i].at < z.high &&
                !add_level(f, &m[k], k, z.tick[i].at, &series[p->n++]))
                return false;
    p->series = series;
    p->scale = range.low < range.high;
    for (int which = 0; which < 2; which++) {
        PlotAxis *a = which ? &p->y : &p->x;
        a->low = fmin(m->x[which][0], m->x[which][m->n[which] - 1]);
        a->high = fmax(m->x[which][0], m->x[which][m->n[which] - 1]);
    }
    PlotAxis *lower = NEW_ARRAY(f->a, PlotAxis, maps);
    for (uint32_t k = 0; lower && k < p->lowers; k++) {
        lower[k] = p->lower[k];
        lower[k].low = p->y.low;
        lower[k].high = p->y.high;
    }
    p->lower = lower;
    return lower != NULL;
}
