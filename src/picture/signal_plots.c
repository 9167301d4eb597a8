#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "picture/graphs.h"
#include "picture/signals.h"
#include "plot/thin.h"
#include "stats/value.h"

/* Operations on data as pictures: a spectrum or a correlation has a panel for each
   variable, a comparison a picture for each, with the difference in a panel of its
   own. Curves of several runs are in one panel. */

enum {
    PANELS = 4,        // in one picture
    NAMED_MOST = 14,   // curves that a legend names
    POINTS_MOST = 2000 // of data that are drawn as such
};

/* A picture in the making. */
typedef struct Sheet {
    Gallery *g;
    const Signal *s;
    Arena arena;
    Vector series; // of PlotSeries
    PlotAxis y[PANELS];
    uint32_t panels;
    double x[2]; // least and most of the abscissa
    double end;  // of a spectrum, and the highest frequency
    double nyquist;
    bool broken;
} Sheet;

static const char *keep(Sheet *t, Buffer *b)
{
    char *own = arena_text(&t->arena, buffer_string(b), b->v.used);
    t->broken = t->broken || !own || b->broken;
    buffer_free(b);
    return own ? own : "";
}

/* ---- Series ---------------------------------------------------------------------- */

static double on_axis(real v, bool logarithmic)
{
    double d = (double)v;
    return (logarithmic && d <= 0) || !isfinite(d) ? NAN : d;
}

/* Track k of a curve, by their own x or at equal distances. */
typedef struct Track {
    const real *x;
    real x0, dx;
    const real *y;
    size_t n;
    bool plain; // no logarithmic axis
} Track;

static void add(Sheet *t, const Track *p, PlotSeries one)
{
    const CosyShow *l = t->s->line;
    bool logx = l->logx && !p->plain, logy = l->logy && !p->plain;
    double *x = NEW_ARRAY(&t->arena, double, p->n + 1);
    double *y = NEW_ARRAY(&t->arena, double, p->n + 1);
    if (!x || !y) {
        t->broken = true;
        return;
    }
    for (size_t k = 0; k < p->n; k++) {
        x[k] = on_axis(p->x ? p->x[k] : p->x0 + (real)k * p->dx, logx);
        y[k] = on_axis(p->y[k], logy);
        if (isnan(x[k]))
            continue;
        t->x[0] = fmin(t->x[0], x[k]);
        t->x[1] = fmax(t->x[1], x[k]);
    }
    one.x = x;
    one.y = y;
    one.n = one.style == PLOT_LINES
                ? plot_thin(x, y, p->n, (ThinRoom){.logx = logx, .logy = logy})
                : p->n;
    t->broken = t->broken || !vector_append(&t->series, &one, sizeof one);
}

/* A band from 0 to a level over the whole width. */
static void add_level(Sheet *t, const SignalRow *r, real level, uint32_t panel,
                      const char *name)
{
    double *x = NEW_ARRAY(&t->arena, double, 3);
    if (!x) {
        t->broken = true;
        return;
    }
    x[0] = (double)r->x0;
    x[1] = (double)(r->x0 + r->dx * (real)(r->n - 1));
    x[2] = (double)level;
    const PlotSeries one = {.name = name,
                            .style = PLOT_CELLS,
                            .x = x,
                            .x2 = x + 1,
                            .y = x + 2,
                            .n = 1,
                            .faint = true,
                            .panel = panel};
    t->broken = t->broken || !vector_append(&t->series, &one, sizeof one);
}

/* ---- The picture ----------------------------------------------------------------- */

static void begin(Sheet *t, Gallery *g, const Signal *s)
{
    *t = (Sheet){.g = g, .s = s, .x = {INFINITY, -INFINITY}};
}

/* The name in the legend: the run, if there are several. */
static const char *legend(Sheet *t, const SignalRow *r, uint32_t before)
{
    Buffer b = {0};
    if (!t->s->several || before >= NAMED_MOST)
        return NULL;
    graphs_run(&b, r->run);
    return keep(t, &b);
}

static const char *note(Sheet *t, Buffer *words)
{
    Buffer b = {0};
    if (!t->s->several && t->g->runs > 1)
        graphs_run(&b, t->s->row[0].run);
    if (b.v.used && words->v.used)
        buffer_text(&b, "; ");
    buffer_text(&b, buffer_string(words));
    buffer_free(words);
    return b.v.used ? keep(t, &b) : NULL;
}

static Status finish(Sheet *t, const char *title, const char *label,
                     Buffer *words)
{
    const CosyShow *line = t->s->line;
    Plot p = {.title = title,
              .note = note(t, words),
              .x = PLOT_AXIS(label),
              .y = t->y[0],
              .lower = t->y + 1,
              .lowers = t->panels - 1,
              .series = (const PlotSeries *)(const void *)t->series.bytes,
              .n = (uint32_t)(t->series.used / sizeof(PlotSeries)),
              .wide = (double)line->xfak,
              .high = (double)line->yfak};
    p.x.logarithmic = line->logx && line->kind == COSY_SPECTRUM;
    if (t->x[1] > t->x[0]) {
        p.x.low = t->x[0];
        p.x.high = t->x[1];
    }
    if (t->nyquist > 0 && !line->logx && t->end < 0.8 * t->nyquist)
        p.x.low = 0, p.x.high = t->end;
    Status s = t->broken ? STATUS_MEMORY : graphs_add(t->g, &p);
    vector_free(&t->series);
    arena_free(&t->arena);
    return s;
}

static bool is_same(const SignalRow *a, const SignalRow *b)
{
    return a->what.column == b->what.column &&
           a->with.variable == b->with.variable &&
           a->with.column == b->with.column;
}

/* Whether row k is the first of its variable. */
static bool is_first(const Signal *s, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (is_same(&s->row[i], &s->row[k]))
            return false;
    return true;
}

/* Where a spectrum ends for the eye: a bit after the last line of more than 1/200
   of the largest. */
static void set_end(Sheet *t, const SignalRow *r)
{
    size_t last = 0;
    real most = R(0.0);
    for (size_t k = 1; k < r->n; k++)
        most = cosy_max(most, r->y[k]);
    for (size_t k = 1; k < r->n; k++)
        if (r->y[k] > R(0.005) * most)
            last = k;
    t->end = fmax(t->end, 1.3 * (double)(r->dx * (real)last));
    t->nyquist = fmax(t->nyquist, (double)r->highest);
}

/* ---- Spectra and correlations ---------------------------------------------------- */

static PlotAxis ordinate(Sheet *t, const SignalRow *r)
{
    const CosyModel *m = t->g->model;
    const CosyShow *line = t->s->line;
    const char *unit = show_unit(m, &r->what);
    Buffer b = {0}, per = {0};
    show_name(&b, m, &r->what);
    if (r->with.variable != COSY_NONE) {
        buffer_text(&b, ", ");
        show_name(&b, m, &r->with);
    } else if (line->density && (unit[0] || signals_unit(&per, m)[0])) {
        const char *every = signals_unit(&per, m);
        buffer_text(&b, " [");
        if (unit[0])
            buffer_format(&b, strpbrk(unit, "*/^") ? "(%s)^2" : "%s^2", unit);
        if (unit[0] && every[0])
            buffer_format(&b, strchr(every, '/') ? "/(%s)" : "/%s", every);
        else if (every[0])
            buffer_format(&b, strchr(every, '/') ? "1/(%s)" : "1/%s", every);
        buffer_char(&b, ']');
    } else if (line->kind == COSY_SPECTRUM) {
        value_put_unit(&b, unit);
    }
    buffer_free(&per);
    PlotAxis y = PLOT_AXIS(keep(t, &b));
    y.logarithmic = line->kind == COSY_SPECTRUM && line->logy;
    y.from_zero = line->kind == COSY_SPECTRUM && !line->logy;
    return y;
}

/* Six powers of ten at most: what is below is rounding. */
static void set_depth(const SignalRow *r, PlotAxis *y)
{
    double most = 0, least = INFINITY;
    for (size_t k = 1; k < r->n; k++) {
        double v = (double)r->y[k];
        most = fmax(most, v);
        least = v > 0 ? fmin(least, v) : least;
    }
    if (!y->logarithmic || !(most > 0))
        return;
    y->high = pow(10, ceil(log10(most) - 1e-9));
    y->low = fmax(y->high * 1e-7, pow(10, floor(log10(least))));
}

static void add_panel(Sheet *t, uint32_t first)
{
    const Signal *s = t->s;
    const SignalRow *r = &s->row[first];
    uint32_t panel = t->panels, named = 0;
    bool spectrum = s->line->kind == COSY_SPECTRUM;
    if (s->line->kind == COSY_AUTOCORR) {
        real bound = R(1.96) / cosy_sqrt((real)r->axis.n);
        add_level(t, r, bound, panel, panel ? NULL : "95 % of white noise");
        add_level(t, r, -bound, panel, NULL);
    }
    for (uint32_t k = first; k < s->n; k++) {
        const SignalRow *one = &s->row[k];
        if (!is_same(r, one))
            continue;
        const char *name = panel ? NULL : legend(t, one, named++);
        size_t skip =
            spectrum ? 1 : 0; // line 0 is the mean, which is taken off
        add(t,
            &(Track){.x0 = one->x0 + (real)skip * one->dx,
                     .dx = one->dx,
                     .y = one->y + skip,
                     .n = one->n - skip,
                     .plain = !spectrum},
            (PlotSeries){.name = name, .style = PLOT_LINES, .panel = panel});
    }
    t->y[t->panels] = ordinate(t, r);
    for (uint32_t k = first; spectrum && k < s->n; k++)
        if (is_same(r, &s->row[k]))
            set_end(t, &s->row[k]);
    if (spectrum)
        set_depth(r, &t->y[t->panels]);
    t->panels++;
}

/* "lines 0.01 Hz apart; 1.592, 3.2 Hz" */
static void put_found(Buffer *b, const Sheet *t)
{
    const Gallery *g = t->g;
    const Signal *s = t->s;
    const SignalRow *r = &s->row[0];
    Buffer unit = {0};
    if (s->line->kind == COSY_SPECTRUM) {
        const char *per = signals_unit(&unit, g->model);
        buffer_format(b, "lines %.4g%s%s apart", (double)r->dx,
                      per[0] ? " " : "", per);
        if (t->end < 0.8 * t->nyquist && !s->line->logx)
            buffer_format(b, ", below 0.5 %% from here to %.4g%s%s", t->nyquist,
                          per[0] ? " " : "", per);
        for (uint32_t k = 0; k < r->peaks && k < 3 && s->n == 1; k++)
            buffer_format(b, "%s %.5g", k ? "," : "; highest at",
                          (double)r->peak[k].at);
        if (s->line->hann)
            buffer_text(b, "; window of Hann");
    } else if (s->line->kind == COSY_CROSSCORR) {
        buffer_text(b, "at a positive lag the second comes later");
    }
    buffer_free(&unit);
}

static const char *abscissa(Sheet *t)
{
    const CosyModel *m = t->g->model;
    Buffer b = {0}, unit = {0};
    bool spectrum = t->s->line->kind == COSY_SPECTRUM;
    buffer_text(&b, spectrum ? "frequency" : "lag");
    value_put_unit(&b, spectrum ? signals_unit(&unit, m)
                                : value_shown_unit(cosy_time_unit(m)));
    buffer_free(&unit);
    return keep(t, &b);
}

static Status draw_panels(Gallery *g, const Signal *s)
{
    uint32_t k = 0;
    while (k < s->n) {
        Sheet t;
        Buffer words = {0}, title = {0};
        begin(&t, g, s);
        for (; k < s->n && t.panels < PANELS; k++)
            if (is_first(s, k))
                add_panel(&t, k);
        if (t.panels == 0) {
            vector_free(&t.series);
            arena_free(&t.arena);
            break;
        }
        buffer_text(&title, signals_title(s));
        if (!s->line->title[0] && s->n == 1)
            buffer_format(&title, ": %s", t.y[0].label);
        put_found(&words, &t);
        const char *head = keep(&t, &title);
        TRY(finish(&t, head, abscissa(&t), &words));
    }
    return STATUS_OK;
}

/* ---- Comparisons ----------------------------------------------------------------- */

static PlotAxis named_axis(Sheet *t, const SignalRow *r, const char *word)
{
    const CosyModel *m = t->g->model;
    Buffer b = {0};
    if (word)
        buffer_text(&b, word);
    else
        show_name(&b, m, &r->what);
    value_put_unit(&b, show_unit(m, &r->what));
    PlotAxis y = PLOT_AXIS(keep(t, &b));
    return y;
}

static void add_reference(Sheet *t, const SignalRow *r)
{
    Buffer b = {0};
    if (r->other) {
        buffer_text(&b, "reference: ");
        graphs_run(&b, r->other);
        add(t,
            &(Track){.x = r->reference.t,
                     .y = r->reference.x,
                     .n = r->reference.n,
                     .plain = true},
            (PlotSeries){.name = keep(t, &b), .style = PLOT_LINES});
        return;
    }
    add(t,
        &(Track){.x = r->times, .y = r->values, .n = r->points, .plain = true},
        (PlotSeries){.name = "data",
                     .style =
                         r->points > POINTS_MOST ? PLOT_LINES : PLOT_POINTS});
}

static void add_compared(Sheet *t, const SignalRow *r, uint32_t before)
{
    const char *name = legend(t, r, before);
    Buffer b = {0};
    if (!t->s->several) {
        graphs_run(&b, r->run);
        name = keep(t, &b);
    }
    add(t,
        &(Track){
            .x = r->curve.t, .y = r->curve.x, .n = r->curve.n, .plain = true},
        (PlotSeries){.name = name, .style = PLOT_LINES});
    add(t, &(Track){.x = r->d.t, .y = r->d.d, .n = r->d.drawn, .plain = true},
        (PlotSeries){.style = r->other || r->d.n > POINTS_MOST ? PLOT_LINES
                                                               : PLOT_POINTS,
                     .panel = 1});
}

static Status draw_comparison(Gallery *g, const Signal *s, uint32_t first)
{
    const SignalRow *r = &s->row[first];
    Sheet t;
    Buffer words = {0}, title = {0};
    uint32_t before = 0;
    begin(&t, g, s);
    for (uint32_t k = first; k < s->n; k++)
        if (is_same(r, &s->row[k]))
            add_compared(&t, &s->row[k], before++);
    add_reference(&t, r);
    t.y[0] = named_axis(&t, r, NULL);
    t.y[1] = named_axis(&t, r, "difference");
    t.y[1].share = 0.6;
    t.panels = 2;
    buffer_text(&title, signals_title(s));
    if (!s->line->title[0] || s->n > before) {
        buffer_text(&title, ": ");
        show_name(&title, g->model, &r->what);
    }
    if (!s->several)
        buffer_format(&words, "largest difference %.3g at %.5g",
                      (double)r->d.most, (double)r->d.at);
    const char *head = keep(&t, &title);
    return finish(&t, head, graphs_time(g), &words);
}

Status signals_plot(Gallery *g, const Signal *s)
{
    if (s->line->kind != COSY_COMPARE)
        return draw_panels(g, s);
    for (uint32_t k = 0; k < s->n; k++)
        if (is_first(s, k))
            TRY(draw_comparison(g, s, k));
    return STATUS_OK;
}
