#include "picture/swept.h"

#include <math.h>
#include <stdlib.h>

#include "stats/value.h"

/* Quantiles of COLLECT QUANTILES over the parameter of a study: the median, the
   middle half and nine tenths of the observations. */

/* The quantities that are the quantiles of a COLLECT, in the order of
   follow_shares; false: it has none. */
static bool find_quantiles(const SweepTable *t, uint32_t collect,
                           uint32_t quantity[FOLLOW_SHARES])
{
    uint32_t found = 0;
    for (uint32_t k = 0; k < t->width; k++) {
        const Quantity *q = sweep_quantity(t, k);
        if (q->kind != QUANTITY_QUANTILE || q->which != collect)
            continue;
        quantity[q->element] = k;
        found++;
    }
    return found == FOLLOW_SHARES;
}

typedef struct Place {
    double x;
    uint32_t row;
} Place;

static int by_place(const void *a, const void *b)
{
    const Place *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static Place *places(const SweptView *v)
{
    const Grid *g = v->g;
    Place *p = NEW_ARRAY(v->a, Place, g->rows + 1);
    for (uint32_t k = 0; p && k < g->rows; k++)
        p[k] = (Place){
            (double)sweep_setting(g->t, g->row[k], g->side[v->x].parameter),
            g->row[k]};
    if (p)
        qsort(p, g->rows, sizeof *p, by_place);
    return p;
}

/* One series: between two quantiles, or the curve of one. */
static bool add(const SweptView *v, const Place *p, PlotSeries *s,
                uint32_t lower, uint32_t upper)
{
    uint32_t n = v->g->rows;
    double *x = NEW_ARRAY(v->a, double, n + 1);
    double *y = NEW_ARRAY(v->a, double, n + 1);
    double *y2 = NEW_ARRAY(v->a, double, n + 1);
    if (!x || !y || !y2)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        x[k] = p[k].x;
        y[k] = (double)sweep_mean(v->g->t, p[k].row, lower);
        y2[k] = (double)sweep_mean(v->g->t, p[k].row, upper);
    }
    s->x = x;
    s->y = y;
    s->n = n;
    if (lower != upper) {
        s->style = PLOT_BAND;
        s->y2 = y2;
        s->with = 3;
    }
    return true;
}

bool swept_quantiles(const SweptView *v, uint32_t collect, Plot *p)
{
    uint32_t q[FOLLOW_SHARES] = {0};
    const CosyModel *m = v->g->t->model;
    const char *of = m->collects[collect].name;
    PlotSeries *s = NEW_ARRAY(v->a, PlotSeries, 3);
    Place *place = places(v);
    Buffer title = {0}, label = {0};
    *p = (Plot){.n = 0};
    if (!find_quantiles(v->g->t, collect, q))
        return true;
    if (!s || !place)
        return false;
    s[0] = (PlotSeries){.name = "5 to 95 % of the observations", .faint = true};
    s[1] = (PlotSeries){.name = "25 to 75 %"};
    s[2] = (PlotSeries){.name = "median"};
    if (!add(v, place, &s[0], q[0], q[4]) ||
        !add(v, place, &s[1], q[1], q[3]) || !add(v, place, &s[2], q[2], q[2]))
        return false;
    buffer_format(&title, "Quantiles of %s", of);
    buffer_format(&label, "median of %s", of);
    value_put_unit(&label, value_shown_unit(value_unit(m, of)));
    *p = (Plot){
        .title = arena_text(v->a, buffer_string(&title), title.v.used),
        .note = swept_note(v, NULL),
        .x = grid_axis(v->g, v->a, v->x),
        .y = PLOT_AXIS(arena_text(v->a, buffer_string(&label), label.v.used)),
        .series = s,
        .n = 3};
    buffer_free(&title);
    buffer_free(&label);
    return p->title && p->y.label;
}
