#include "picture/swept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/families.h"
#include "plot/thin.h"
#include "stats/value.h"

/* Quantities over one parameter of a study, each in a panel. Where other
   parameters vary too, there is a curve for each of their combinations. */

enum {
    NAMED_MOST = 7,     // curves with a legend; more have a bar of colours
    WHISKERS_MOST = 40, // points of a curve with strokes; more have a band
    POINTS_MOST = 2000  // of a curve with intervals
};

/* The rows that one curve joins. */
typedef struct Curve {
    uint32_t *row;
    uint32_t n;
    const char *name;
    double value; // of the other parameter, if there is one
} Curve;

typedef struct Over {
    const SweptView *v;
    Curve *curve;
    uint32_t curves, left; // those that are not shown
    uint32_t other;        // the one other side that varies; sides: none
    uint32_t others;       // how many vary
    PlotSeries *series;
    uint32_t n;
    bool broken;
} Over;

/* ---- Which rows are joined -------------------------------------------------- */

/* The values of all other parameters as one number. */
static uint64_t key_of(const Over *o, uint32_t row)
{
    const Grid *g = o->v->g;
    uint64_t key = 0;
    for (uint32_t k = 0; k < g->sides && g->full; k++)
        if (k != o->v->x)
            key = key * g->side[k].n + grid_at(g, row, k);
    return key;
}

static double place_of(const Over *o, uint32_t row)
{
    const Grid *g = o->v->g;
    if (o->v->x == g->sides)
        return sweep_row(g->t, row)->run;
    return (double)sweep_setting(g->t, row, g->side[o->v->x].parameter);
}

typedef struct Sorted {
    uint64_t key;
    double x;
    uint32_t row;
} Sorted;

static int in_order(const void *a, const void *b)
{
    const Sorted *s = a, *t = b;
    if (s->key != t->key)
        return s->key < t->key ? -1 : 1;
    if (s->x < t->x || s->x > t->x)
        return s->x < t->x ? -1 : 1;
    return (s->row > t->row) - (s->row < t->row);
}

/* "Q = 2, R = TRUE": the parameters that tell a curve from the others. */
static const char *name_curve(const Over *o, uint32_t row)
{
    const Grid *g = o->v->g;
    Buffer b = {0};
    for (uint32_t k = 0; k < g->sides; k++) {
        if (k == o->v->x || g->side[k].n < 2)
            continue;
        buffer_text(&b, b.v.used ? ", " : "");
        sweep_put_name(&b, g->t, g->side[k].parameter);
        buffer_text(&b, " = ");
        sweep_put_value(&b, g->t, g->side[k].parameter,
                        sweep_setting(g->t, row, g->side[k].parameter), 5);
    }
    const char *own = arena_text(o->v->a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own ? own : "";
}

static void count_others(Over *o)
{
    const Grid *g = o->v->g;
    o->other = g->sides;
    for (uint32_t k = 0; k < g->sides && g->full; k++)
        if (k != o->v->x && g->side[k].n > 1) {
            o->other = k;
            o->others++;
        }
}

static void make_curve(Over *o, const Sorted *s, uint32_t n)
{
    const Grid *g = o->v->g;
    Curve *c = &o->curve[o->curves];
    c->row = NEW_ARRAY(o->v->a, uint32_t, n + 1);
    if (!c->row) {
        o->broken = true;
        return;
    }
    for (uint32_t k = 0; k < n; k++)
        c->row[k] = s[k].row;
    c->n = n;
    c->name = o->others ? name_curve(o, s[0].row) : NULL;
    if (o->others == 1)
        c->value =
            (double)sweep_setting(g->t, s[0].row, g->side[o->other].parameter);
    o->curves++;
}

static void find_curves(Over *o)
{
    const Grid *g = o->v->g;
    Sorted *s = NEW_ARRAY(o->v->a, Sorted, g->rows + 1);
    uint32_t all = 0;
    o->curve = NEW_ARRAY(o->v->a, Curve, SWEPT_CURVES + 1);
    if (!s || !o->curve) {
        o->broken = true;
        return;
    }
    for (uint32_t k = 0; k < g->rows; k++)
        s[k] =
            (Sorted){key_of(o, g->row[k]), place_of(o, g->row[k]), g->row[k]};
    qsort(s, g->rows, sizeof *s, in_order);
    for (uint32_t k = 0; k < g->rows; k++)
        all += k == 0 || s[k].key != s[k - 1].key;
    uint32_t at = 0;
    for (uint32_t from = 0, to; from < g->rows && !o->broken; from = to) {
        for (to = from + 1; to < g->rows && s[to].key == s[from].key;)
            to++;
        if (family_spreads(at++, all, SWEPT_CURVES))
            make_curve(o, s + from, to - from);
    }
    o->left = all - o->curves;
}

/* ---- Series ----------------------------------------------------------------- */

static double *numbers(Over *o, uint32_t n)
{
    double *own = NEW_ARRAY(o->v->a, double, n + 1);
    o->broken = o->broken || !own;
    return own;
}

/* A number with a place on the axis, or NaN. */
static double on_axis(const Over *o, real x)
{
    double d = (double)x;
    return o->v->logy && !(d > 0) ? NAN : d;
}

/* The curve itself; returns its number, counted from 1. */
static uint32_t add_curve(Over *o, const Curve *c, uint32_t panel)
{
    const SweptView *v = o->v;
    double *x = numbers(o, c->n), *y = numbers(o, c->n);
    size_t n = c->n;
    if (o->broken)
        return 0;
    for (uint32_t k = 0; k < c->n; k++) {
        x[k] = place_of(o, c->row[k]);
        y[k] = on_axis(o, sweep_mean(v->g->t, c->row[k], v->quantity[panel]));
    }
    n = plot_thin(x, y, n, (ThinRoom){.logx = v->logx, .logy = v->logy});
    bool valued = o->others == 1 && !v->g->side[o->other].truth;
    bool joined = v->x < v->g->sides && !v->g->side[v->x].truth;
    o->series[o->n] = (PlotSeries){.name = c->name,
                                   .style = joined ? PLOT_LINES : PLOT_POINTS,
                                   .x = x,
                                   .y = y,
                                   .n = n,
                                   .panel = panel,
                                   .valued = valued,
                                   .value = c->value};
    return ++o->n;
}

/* Its intervals: strokes, or an area if there are many points. */
static void add_intervals(Over *o, const Curve *c, uint32_t panel,
                          uint32_t curve)
{
    const SweptView *v = o->v;
    double *x = numbers(o, c->n), *low = numbers(o, c->n),
           *high = numbers(o, c->n);
    uint32_t every = (c->n + POINTS_MOST - 1) / POINTS_MOST, n = 0;
    if (o->broken)
        return;
    for (uint32_t k = 0; k < c->n; k += every) {
        real mean = sweep_mean(v->g->t, c->row[k], v->quantity[panel]);
        real half = sweep_half(v->g->t, c->row[k], v->quantity[panel]);
        x[n] = place_of(o, c->row[k]);
        low[n] = on_axis(o, mean - half);
        high[n++] = on_axis(o, mean + half);
    }
    o->series[o->n++] =
        (PlotSeries){.name = "95 % interval of the mean",
                     .style = c->n > WHISKERS_MOST ? PLOT_BAND : PLOT_WHISKERS,
                     .x = x,
                     .y = low,
                     .y2 = high,
                     .n = n,
                     .panel = panel,
                     .with = curve};
    if (panel > 0 || curve > 1) // named once
        o->series[o->n - 1].name = NULL;
}

/* Where runs did not finish. */
static void add_failures(Over *o, uint32_t panel)
{
    const Grid *g = o->v->g;
    uint32_t n = 0;
    double *x = numbers(o, g->rows);
    for (uint32_t k = 0; !o->broken && k < g->rows; k++) {
        const SweepRow *r = sweep_row(g->t, g->row[k]);
        if (r->failed + r->stopped && n < POINTS_MOST)
            x[n++] = place_of(o, g->row[k]);
    }
    if (n == 0 || o->broken)
        return;
    o->series[o->n++] = (PlotSeries){.name = panel ? NULL : "did not finish",
                                     .style = PLOT_RULES,
                                     .x = x,
                                     .y = x,
                                     .n = n,
                                     .faint = true,
                                     .panel = panel};
}

static void add_panel(Over *o, uint32_t panel)
{
    enum { WITH_INTERVALS = 6 };
    bool sure = o->v->g->t->replicated && o->curves <= WITH_INTERVALS;
    add_failures(o, panel);
    for (uint32_t k = 0; k < o->curves && !o->broken; k++) {
        uint32_t curve = add_curve(o, &o->curve[k], panel);
        if (sure && !o->broken)
            add_intervals(o, &o->curve[k], panel, curve);
    }
}

/* ---- The picture ------------------------------------------------------------ */

static const char *headline(const SweptView *v, const PlotAxis *x)
{
    Buffer b = {0};
    if (v->title)
        return v->title;
    for (uint32_t k = 0; k < v->quantities; k++) {
        buffer_text(&b, k ? ", " : "");
        buffer_text(&b, sweep_quantity(v->g->t, v->quantity[k])->name);
    }
    buffer_text(&b, " over ");
    if (v->x < v->g->sides)
        sweep_put_name(&b, v->g->t, v->g->side[v->x].parameter);
    else
        buffer_text(&b, x->label);
    const char *own = arena_text(v->a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own ? own : "";
}

/* FALSE and TRUE have places of their own, unless they are shares of
   replications. */
static PlotAxis ordinate(const SweptView *v, uint32_t panel)
{
    PlotAxis y = PLOT_AXIS(swept_label(v, v->quantity[panel]));
    y.logarithmic = v->logy;
    if (sweep_is_truth(v->g->t, v->quantity[panel]) && !v->g->t->replicated) {
        y.logarithmic = false;
        y.truth = true;
        y.low = -0.1;
        y.high = 1.1;
        y.share = v->quantities > 1 ? 0.4 : 0;
    }
    return y;
}

static const char *tell_left(const Over *o)
{
    Buffer b = {0};
    if (o->left == 0)
        return NULL;
    buffer_format(&b, "%u of %u curves, evenly spread", o->curves,
                  o->curves + o->left);
    const char *own = arena_text(o->v->a, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own;
}

bool swept_over(const SweptView *v, Plot *p)
{
    Over o = {.v = v};
    const Grid *g = v->g;
    count_others(&o);
    find_curves(&o);
    o.series = NEW_ARRAY(v->a, PlotSeries,
                         (size_t)v->quantities * (2 * SWEPT_CURVES + 1) + 1);
    PlotAxis *y = NEW_ARRAY(v->a, PlotAxis, v->quantities + 1);
    if (o.broken || !o.series || !y)
        return false;
    for (uint32_t k = 0; k < v->quantities && !o.broken; k++) {
        add_panel(&o, k);
        y[k] = ordinate(v, k);
    }
    PlotAxis x = PLOT_AXIS("run");
    if (v->x < g->sides)
        x = grid_axis(g, v->a, v->x);
    x.logarithmic = x.logarithmic || (v->logx && !x.truth);
    *p = (Plot){.title = headline(v, &x),
                .note = swept_note(v, tell_left(&o)),
                .x = x,
                .y = y[0],
                .lower = y + 1,
                .lowers = v->quantities - 1,
                .series = o.series,
                .n = o.n,
                .wide = v->wide,
                .high = v->high};
    if (o.others == 1 && o.curves > NAMED_MOST) {
        p->scale = !g->side[o.other].truth;
        p->z = grid_axis(g, v->a, o.other);
    }
    return !o.broken;
}
