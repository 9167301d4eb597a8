#include "picture/fields.h"

#include <math.h>

#include "plot/axis.h"
#include "stats/value.h"

/* A surface in space, seen from afar (parallel projection): faces between four points
   each, those that are farther away first, so that what comes later hides them. The
   box around it is two units wide and deep. */

enum {
    SIDE = 36,     // points along a side; of more some are left out
    Z_NUMBERS = 5, // about so many numbers at an axis
    NUMBERS = 6
};

#define HALF       0.62 // half of its height
#define AZIMUTH    30.0
#define ELEVATION  35.0
#define TICK       1.05 // ends of strokes, numbers and names beside an edge at 1
#define NUMBER     1.13
#define NAME       1.42
#define DEGREE     (3.14159265358979323846 / 180)
#define TEXTS_MOST (3 * AXIS_TICKS + 3)
#define LINES_MOST (9 * AXIS_TICKS + 60)

typedef struct Space {
    const FieldView *f;
    const FieldMap *m;
    double sin_a, cos_a, sin_e, cos_e;
    Axis axis[2], z;
    double front[2]; // the side of the box that is nearer, -1 or 1
    PlotText *text;
    uint32_t texts;
    double *x, *y; // of the frame
    size_t lines;
} Space;

typedef struct Spot {
    double x, y;
} Spot;

static Spot project(const Space *s, double x, double y, double z)
{
    double across = x * s->cos_a + y * s->sin_a;
    double away = -x * s->sin_a + y * s->cos_a;
    return (Spot){across, away * s->sin_e + z * s->cos_e};
}

/* From -1 to 1 along an axis. */
static double along(const Axis *a, double v)
{
    return 2 * axis_share(a, v) - 1;
}

/* ---- The surface --------------------------------------------------------------------- */

/* The points that are shown, evenly spread, from the far side on. */
typedef struct Steps {
    uint32_t n, of;
    bool
        back; // the first point is the near one: they are counted from the last
} Steps;

static uint32_t step_at(const Steps *s, uint32_t k)
{
    uint32_t at = s->back ? s->n - 1 - k : k;
    return s->n < 2 ? 0 : (uint32_t)((uint64_t)at * (s->of - 1) / (s->n - 1));
}

static Steps steps_of(const Space *s, int which)
{
    uint32_t of = s->m->n[which];
    const double *x = s->m->x[which];
    bool falls = x[of - 1] < x[0];
    return (Steps){.n = of < SIDE ? of : SIDE,
                   .of = of,
                   .back = (s->front[which] < 0) != falls};
}

/* Appends a face; none where a corner has no value. */
static void put_face(const Space *s, const uint32_t i[2], const uint32_t j[2],
                     PlotSeries *faces, double *x, double *y, double *z)
{
    static const unsigned char corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const FieldMap *m = s->m;
    double sum = 0;
    size_t n = faces->n;
    for (int k = 0; k < 4; k++) {
        uint32_t a = i[corner[k][0]], b = j[corner[k][1]];
        double v = m->z[(size_t)a * m->n[1] + b];
        double share = along(&s->z, v);
        if (!isfinite(v) || !(share > -1.001))
            return;
        Spot at = project(s, along(&s->axis[0], m->x[0][a]),
                          along(&s->axis[1], m->x[1][b]), HALF * share);
        x[n + (size_t)k] = at.x;
        y[n + (size_t)k] = at.y;
        sum += v;
    }
    for (int k = 0; k < 4; k++)
        z[n + (size_t)k] = sum / 4;
    faces->n += 4;
}

static bool fill_faces(const Space *s, PlotSeries *faces)
{
    const Steps a = steps_of(s, 0), b = steps_of(s, 1);
    size_t most = 4 * (size_t)a.n * b.n;
    double *x = NEW_ARRAY(s->f->a, double, most);
    double *y = NEW_ARRAY(s->f->a, double, most);
    double *z = NEW_ARRAY(s->f->a, double, most);
    if (!x || !y || !z)
        return false;
    *faces = (PlotSeries){.style = PLOT_FACES, .x = x, .y = y, .z = z};
    for (uint32_t i = 0; i + 1 < a.n; i++)
        for (uint32_t j = 0; j + 1 < b.n; j++) {
            const uint32_t at[2] = {step_at(&a, i), step_at(&a, i + 1)};
            const uint32_t to[2] = {step_at(&b, j), step_at(&b, j + 1)};
            put_face(s, at, to, faces, x, y, z);
        }
    return true;
}

/* ---- Its box --------------------------------------------------------------------------- */

static void put_line(Space *s, Spot from, Spot to)
{
    const Spot gap = {NAN, NAN}, at[3] = {from, to, gap};
    for (int k = 0; k < 3 && s->lines < LINES_MOST; k++) {
        s->x[s->lines] = at[k].x;
        s->y[s->lines++] = at[k].y;
    }
}

static void put_text(Space *s, Spot at, const char *text, double outward,
                     bool number)
{
    int side = outward > 0.3 ? 1 : outward < -0.3 ? -1 : 0;
    if (s->texts < TEXTS_MOST)
        s->text[s->texts++] = (PlotText){
            .x = at.x, .y = at.y, .text = text, .number = number, .side = side};
}

/* The corner that is farthest to the left, where the upright axis stands. */
static Spot left_corner(const Space *s, double *x, double *y)
{
    Spot left = {INFINITY, 0};
    for (int k = 0; k < 4; k++) {
        double a = k & 1 ? 1 : -1, b = k & 2 ? 1 : -1;
        Spot at = project(s, a, b, -HALF);
        if (at.x < left.x) {
            left = at;
            *x = a;
            *y = b;
        }
    }
    return left;
}

/* A point at the bottom, `out` times as far from the middle as the near edge along
   which an axis goes. */
static Spot beside(const Space *s, int which, double at, double out)
{
    double other = out * s->front[!which];
    return which ? project(s, other, at, -HALF) : project(s, at, other, -HALF);
}

/* There is little room: what the indices belong to is named beside the colours. */
static const char *axis_name(const Space *s, int which)
{
    if (!s->m->whole[which])
        return s->m->label[which];
    return !s->m->whole[!which] ? "index" : which ? "index 2" : "index 1";
}

static void put_axis(Space *s, int which)
{
    const Axis *a = &s->axis[which];
    Spot middle = beside(s, which, 0, 0), edge = beside(s, which, 0, 1);
    double outward = edge.x - middle.x, x, y;
    Spot corner = left_corner(s, &x, &y);
    for (uint32_t k = 0; k < a->n; k++) {
        double at = along(a, a->tick[k].at);
        if (!a->tick[k].text[0])
            continue;
        put_line(s, beside(s, which, at, 1), beside(s, which, at, TICK));
        Spot number = beside(s, which, at, NUMBER);
        if (fabs(number.x - corner.x) > 0.2 || fabs(number.y - corner.y) > 0.15)
            put_text(s, number, a->tick[k].text, outward, true);
    }
    put_text(s, beside(s, which, 0, NAME), axis_name(s, which), outward, false);
}

static void put_height(Space *s)
{
    double x = -1, y = -1;
    left_corner(s, &x, &y);
    put_line(s, project(s, x, y, -HALF), project(s, x, y, HALF));
    for (uint32_t k = 0; k < s->z.n; k++) {
        Spot at = project(s, x, y, HALF * along(&s->z, s->z.tick[k].at));
        Spot end = {at.x - 0.04, at.y}, number = {at.x - 0.07, at.y};
        if (!s->z.tick[k].text[0])
            continue;
        put_line(s, at, end);
        put_text(s, number, s->z.tick[k].text, -1, true);
    }
}

/* The bottom, and the edges at the back. */
static void put_box(Space *s)
{
    static const signed char corner[5][2] = {
        {-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    for (int k = 0; k < 4; k++) {
        double x = corner[k][0], y = corner[k][1];
        double x2 = corner[k + 1][0], y2 = corner[k + 1][1];
        bool near = (x == s->front[0] && x2 == s->front[0]) ||
                    (y == s->front[1] && y2 == s->front[1]);
        put_line(s, project(s, x, y, -HALF), project(s, x2, y2, -HALF));
        if (!near)
            put_line(s, project(s, x, y, HALF), project(s, x2, y2, HALF));
        if (x != s->front[0] || y != s->front[1])
            put_line(s, project(s, x, y, -HALF), project(s, x, y, HALF));
    }
}

/* ---- The picture ----------------------------------------------------------------------- */

static void set_view(Space *s)
{
    const CosyShow *l = s->f->line;
    double a = (l->view ? (double)l->azimuth : AZIMUTH) * DEGREE;
    double e = (l->view ? (double)l->elevation : ELEVATION) * DEGREE;
    s->sin_a = sin(a);
    s->cos_a = cos(a);
    s->sin_e = sin(e);
    s->cos_e = cos(e);
    s->front[0] = s->sin_a > 0 ? 1 : -1;
    s->front[1] = s->cos_a > 0 ? -1 : 1;
}

static void set_axes(Space *s)
{
    const FieldMap *m = s->m;
    bool log = s->f->line->logy;
    AxisRange z = AXIS_RANGE;
    for (int k = 0; k < 2; k++) {
        const PlotAxis plain = PLOT_AXIS("");
        AxisRange r = AXIS_RANGE;
        axis_take(&r, m->x[k][0], false);
        axis_take(&r, m->x[k][m->n[k] - 1], false);
        s->axis[k] = axis_make(&plain, r, AXIS_AS_DATA);
        axis_mark(&s->axis[k], NUMBERS, m->whole[k] ? AXIS_WHOLE : AXIS_ANY);
    }
    for (size_t k = 0; k < (size_t)m->n[0] * m->n[1]; k++)
        if (isfinite(m->z[k]) && !(log && m->z[k] <= 0))
            axis_take(&z, m->z[k], log);
    PlotAxis height = PLOT_AXIS("");
    height.logarithmic = log;
    s->z = axis_make(&height, z, AXIS_ROUND);
    axis_mark(&s->z, Z_NUMBERS, AXIS_ANY);
}

/* The box with room for the texts around it. */
static void set_range(const Space *s, Plot *p)
{
    double low = 0, high = 0, wide = 0;
    for (int k = 0; k < 8; k++) {
        Spot at =
            project(s, k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? HALF : -HALF);
        low = fmin(low, at.y);
        high = fmax(high, at.y);
        wide = fmax(wide, fabs(at.x));
    }
    p->x = (PlotAxis){.label = "", .low = -wide - 0.35, .high = wide + 0.45};
    p->y = (PlotAxis){.label = "",
                      .low = low - 0.42 * fabs(s->sin_e) - 0.12,
                      .high = high + 0.05};
    p->x.tight = p->y.tight = true;
}

static const char *height_label(const FieldView *f)
{
    Buffer b = {0};
    buffer_text(&b, f->v->name);
    value_put_unit(&b, value_shown_unit(f->v->unit));
    return field_keep(f, &b);
}

bool field_surface(const FieldView *f, const FieldMap *m, Plot *p)
{
    Space *s = NEW(f->a, Space);
    PlotSeries *series = NEW_ARRAY(f->a, PlotSeries, 2);
    if (!s || !series)
        return false;
    *s = (Space){.f = f,
                 .m = m,
                 .text = NEW_ARRAY(f->a, PlotText, TEXTS_MOST),
                 .x = NEW_ARRAY(f->a, double, LINES_MOST),
                 .y = NEW_ARRAY(f->a, double, LINES_MOST)};
    if (!s->text || !s->x || !s->y)
        return false;
    set_view(s);
    set_axes(s);
    put_box(s);
    put_axis(s, 0);
    put_axis(s, 1);
    put_height(s);
    set_range(s, p);
    series[0] =
        (PlotSeries){.style = PLOT_FRAME, .x = s->x, .y = s->y, .n = s->lines};
    p->series = series;
    p->n = 2;
    p->bare = true;
    p->text = s->text;
    p->texts = s->texts;
    p->scale = true;
    p->z = (PlotAxis)PLOT_AXIS(height_label(f));
    p->z.logarithmic = f->line->logy;
    return fill_faces(s, &series[1]);
}
