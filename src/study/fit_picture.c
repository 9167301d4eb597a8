#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/value.h"
#include "study/fit_own.h"

/* The pictures of a FIT: data over curves, one for each variable that was observed;
   normalised residuals over TIME; where the starts led; profiles. */

enum {
    RUNS = 6,   // the most in one picture
    PANELS = 8, // the most profiles in one picture
    SERIES = 3 * RUNS
};

static double *numbers(Quest *q, size_t n)
{
    return NEW_ARRAY(&q->arena, double, n ? n : 1);
}

static const char *keep_text(Quest *q, Buffer *b)
{
    size_t n = b->v.used;
    char *text = NEW_ARRAY(&q->arena, char, n + 1);
    if (text)
        memcpy(text, buffer_string(b), n + 1);
    buffer_free(b);
    return text ? text : "";
}

static const char *label(Quest *q, const char *name, const char *unit)
{
    Buffer b = {0};
    buffer_text(&b, name);
    value_put_unit(&b, value_shown_unit(unit ? unit : ""));
    return keep_text(q, &b);
}

static const char *time_label(Quest *q)
{
    return label(q, "TIME", cosy_time_unit(q->e->model));
}

/* ---- Data over curves ------------------------------------------------------------------ */

/* The data of one variable in one run: points, with whiskers where there are few. */
static bool take_data(Quest *q, const FitFound *f, const FitCurve *c,
                      const char *text, PlotSeries *points,
                      PlotSeries *whiskers)
{
    const FitPlan *p = &f->plan;
    double *t = numbers(q, p->m), *y = numbers(q, p->m),
           *low = numbers(q, p->m), *high = numbers(q, p->m);
    size_t n = 0;
    if (!t || !y || !low || !high)
        return false;
    for (uint32_t k = 0; k < p->m; k++) {
        const CosyObserved *o = fit_observed(p, k);
        if (fit_run_of(f, k) != c->run || strcmp(o->text, text) != 0)
            continue;
        double value = (double)p->y[k], sd = (double)f->a.sd[k];
        t[n] = (double)fit_time(p, k);
        y[n] = o->log ? exp(value) : value;
        low[n] = o->log ? exp(value - sd) : value - sd;
        high[n] = o->log ? exp(value + sd) : value + sd;
        n++;
    }
    *points = (PlotSeries){.style = PLOT_POINTS, .x = t, .y = y, .n = n};
    *whiskers = (PlotSeries){
        .style = PLOT_WHISKERS, .x = t, .y = low, .y2 = high, .n = n};
    return true;
}

/* One curve per run and variable, even if several TO clauses have data for it. */
static bool is_first(const FitFound *f, const FitCurve *all, size_t k)
{
    const CosyFit *fit = f->plan.fit;
    for (size_t i = 0; i < k; i++)
        if (all[i].run == all[k].run &&
            strcmp(fit->data[all[i].data].observe[all[i].observed].text,
                   fit->data[all[k].data].observe[all[k].observed].text) == 0)
            return false;
    return true;
}

/* Curves of this variable from number *at on, as many as one picture takes. */
static Status draw_some(Quest *q, const FitFound *f, const CosyObserved *o,
                        size_t *at, bool *any)
{
    const FitCurve *c = (const FitCurve *)(const void *)f->taken->curve.bytes;
    size_t count = f->taken->curve.used / sizeof *c;
    PlotSeries series[SERIES];
    uint32_t n = 0, runs = 0;
    Buffer title = {0};
    for (; *at < count && runs < RUNS; (*at)++) {
        const FitCurve *one = &c[*at];
        const CosyObserved *its =
            &f->plan.fit->data[one->data].observe[one->observed];
        Buffer name = {0};
        PlotSeries points, whiskers;
        if (strcmp(its->text, o->text) != 0 || !is_first(f, c, *at))
            continue;
        fit_run_label(&name, q, f, one->run);
        if (!take_data(q, f, one, o->text, &points, &whiskers))
            return STATUS_MEMORY;
        series[n++] =
            (PlotSeries){.name = name.v.used ? keep_text(q, &name) : "model",
                         .style = PLOT_LINES,
                         .x = (const double *)(const void *)one->t.bytes,
                         .y = (const double *)(const void *)one->y.bytes,
                         .n = one->t.used / sizeof(double)};
        uint32_t curve = ++runs;
        points.name = runs == 1 ? "measured" : NULL;
        points.with = whiskers.with = curve;
        series[n++] = points;
        series[n++] = whiskers;
    }
    *any = runs > 0;
    if (!*any)
        return STATUS_OK;
    buffer_format(&title, "FIT: %s", o->text);
    const Plot plot = {.title = buffer_string(&title),
                       .x = PLOT_AXIS(time_label(q)),
                       .y = {.label = label(q, o->text, o->unit),
                             .logarithmic = o->log,
                             .low = 1,
                             .high = 0},
                       .series = series,
                       .n = n,
                       .always = true,
                       .answer = true};
    Status s = plots_add(&q->e->gallery.pictures, &plot);
    buffer_free(&title);
    return s;
}

static bool is_new(const CosyFit *fit, uint32_t data, uint32_t k)
{
    const char *text = fit->data[data].observe[k].text;
    for (uint32_t i = 0; i <= data; i++)
        for (uint32_t j = 0; j < (i < data ? fit->data[i].observed : k); j++)
            if (strcmp(fit->data[i].observe[j].text, text) == 0)
                return false;
    return true;
}

static Status draw_data(Quest *q, const FitFound *f)
{
    const CosyFit *fit = f->plan.fit;
    for (uint32_t i = 0; i < fit->n_data; i++)
        for (uint32_t k = 0; k < fit->data[i].observed; k++) {
            size_t at = 0;
            bool any = is_new(fit, i, k);
            while (any)
                TRY(draw_some(q, f, &fit->data[i].observe[k], &at, &any));
        }
    return STATUS_OK;
}

/* ---- Residuals --------------------------------------------------------------------------- */

static Status draw_residuals(Quest *q, const FitFound *f)
{
    enum { MOST = 8 };
    const FitPlan *p = &f->plan;
    PlotSeries series[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->fit->n_data; i++)
        for (uint32_t j = 0; j < p->fit->data[i].observed && n < MOST; j++) {
            const char *text = p->fit->data[i].observe[j].text;
            double *t = numbers(q, p->m), *rho = numbers(q, p->m);
            size_t count = 0;
            if (!t || !rho)
                return STATUS_MEMORY;
            for (uint32_t k = 0; k < p->m && is_new(p->fit, i, j); k++)
                if (strcmp(fit_observed(p, k)->text, text) == 0) {
                    t[count] = (double)fit_time(p, k);
                    rho[count++] = (double)f->a.rho[k];
                }
            if (count)
                series[n++] = (PlotSeries){.name = text,
                                           .style = PLOT_POINTS,
                                           .x = t,
                                           .y = rho,
                                           .n = count};
        }
    const Plot plot = {.title = "FIT: residuals by their standard deviations",
                       .x = PLOT_AXIS(time_label(q)),
                       .y = PLOT_AXIS("residual / standard deviation"),
                       .series = series,
                       .n = n,
                       .always = true,
                       .answer = true};
    return n ? plots_add(&q->e->gallery.pictures, &plot) : STATUS_OK;
}

/* ---- Starts ------------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What the starts came to, in order: steps are optima. */
static Status draw_starts(Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    double *value = numbers(q, a->starts), *rank = numbers(q, a->starts);
    size_t n = 0;
    if (a->starts < 3)
        return STATUS_OK;
    if (!value || !rank)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < a->starts; k++)
        if (cosy_finite(a->start[k].value))
            value[n++] = (double)(a->start[k].value - a->value);
    qsort(value, n, sizeof *value, by_value);
    for (size_t k = 0; k < n; k++) {
        rank[k] = (double)(k + 1);
        value[k] = value[k] > 1e-6 ? value[k] : 1e-6;
    }
    const PlotSeries series = {
        .name = NULL, .style = PLOT_POINTS, .x = rank, .y = value, .n = n};
    const Plot plot = {.title = "FIT: where the starts led",
                       .x = PLOT_AXIS("start, best first"),
                       .y = {.label = "nll above the best",
                             .logarithmic = true,
                             .low = 1,
                             .high = 0},
                       .series = &series,
                       .n = 1,
                       .always = true,
                       .answer = true};
    return n ? plots_add(&q->e->gallery.pictures, &plot) : STATUS_OK;
}

/* ---- Profiles ----------------------------------------------------------------------------- */

static bool take_profile(Quest *q, const LeastCurve *c, PlotSeries *curve,
                         PlotSeries *limit)
{
    double *x = numbers(q, c->points), *y = numbers(q, c->points),
           *edge = numbers(q, 4);
    if (!x || !y || !edge)
        return false;
    for (size_t k = 0; k < c->points; k++) {
        x[k] = (double)c->at[k];
        y[k] = (double)c->rise[k];
    }
    edge[0] = x[0];
    edge[1] = x[c->points - 1];
    edge[2] = edge[3] = (double)c->threshold;
    *curve = (PlotSeries){
        .name = "profile", .style = PLOT_LINES, .x = x, .y = y, .n = c->points};
    *limit = (PlotSeries){
        .name = "95 %", .style = PLOT_LINES, .x = edge, .y = edge + 2, .n = 2};
    return true;
}

static Status draw_profiles(Quest *q, const FitFound *f)
{
    for (uint32_t i = 0; f->profiled && i < f->profile.count; i++) {
        const LeastCurve *c = &f->profile.curve[i];
        PlotSeries series[2];
        Buffer title = {0};
        if (c->points < 2)
            continue;
        if (!take_profile(q, c, &series[0], &series[1]))
            return STATUS_MEMORY;
        buffer_format(&title, "FIT: profile of %s", q->name[c->parameter]);
        const Plot plot = {
            .title = buffer_string(&title),
            .x = {.label = label(q, q->name[c->parameter],
                                 quest_unit(q, c->parameter)),
                  .logarithmic = q->s->parameter[c->parameter].log,
                  .low = 1,
                  .high = 0},
            .y = PLOT_AXIS("nll above the best"),
            .series = series,
            .n = 2,
            .always = true,
            .answer = true};
        Status s = plots_add(&q->e->gallery.pictures, &plot);
        buffer_free(&title);
        TRY(s);
    }
    return STATUS_OK;
}

Status fit_pictures(Quest *q, const FitFound *f)
{
    const KernelOptions *o = q->e->options;
    if (!o->dir || o->no_plots || !f->a.found)
        return STATUS_OK;
    if (f->taken)
        TRY(draw_data(q, f));
    TRY(draw_residuals(q, f));
    TRY(draw_starts(q, f));
    return draw_profiles(q, f);
}
