#include "picture/bands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/text.h"
#include "stats/record.h"
#include "stats/value.h"

enum { PER_CURVE = 3 }; // the curve and its bands

typedef struct Bands {
    Gallery *e;
    const Envelope *v;
    const CosyShow *line; // or NULL
    Arena arena;
    PlotSeries *series;
    uint32_t n;
    bool broken;
} Bands;

/* By what the graphs of a model without OUTPUT are asked. */
static const char stored_asked[] = "STOREd (MEAN)";

bool bands_any(const Gallery *e)
{
    const GalleryKept *k = (const GalleryKept *)(const void *)e->kept.bytes;
    bool any = envelope_last(&e->envelopes) != NULL;
    for (size_t i = 0; i < e->kept.used / sizeof *k; i++)
        any = any || strcmp(k[i].asked, stored_asked) == 0;
    return any;
}

static const char *keep(Bands *s, Buffer *b)
{
    const char *own = arena_text(&s->arena, buffer_string(b), b->v.used);
    s->broken = s->broken || !own;
    buffer_free(b);
    return own ? own : "";
}

/* ---- Curves ----------------------------------------------------------------- */

/* One curve with its bands. */
typedef struct Band {
    double *x, *y, *low, *high, *least, *most;
    uint32_t n;
} Band;

static bool band_open(Bands *s, Band *d, uint32_t n)
{
    double **all[] = {&d->x, &d->y, &d->low, &d->high, &d->least, &d->most};
    *d = (Band){0};
    for (size_t k = 0; k < LENGTH(all); k++) {
        *all[k] = NEW_ARRAY(&s->arena, double, n + 1);
        s->broken = s->broken || !*all[k];
    }
    return !s->broken;
}

static double on_axis(const Bands *s, double v)
{
    return s->line && s->line->logy && !(v > 0) ? NAN : v;
}

static void band_fill(Bands *s, Band *d, uint32_t curve, uint32_t column)
{
    real t;
    for (uint32_t k = 0; k < s->v->curve[curve].points; k++) {
        const EnvelopeCell *c = envelope_cell(s->v, curve, k, column);
        if (!envelope_time(s->v, k, &t))
            break;
        double mean = c->mean.n ? (double)c->mean.mean : NAN;
        double half = c->mean.n > 1 ? (double)replicate_sure(&c->mean) : NAN;
        d->x[d->n] = (double)t;
        d->y[d->n] = on_axis(s, mean);
        d->low[d->n] = on_axis(s, mean - half);
        d->high[d->n] = on_axis(s, mean + half);
        d->least[d->n] = on_axis(s, psquare_quantile(&c->low, ENVELOPE_LOW));
        d->most[d->n++] = on_axis(s, psquare_quantile(&c->high, ENVELOPE_HIGH));
    }
}

/* "K = 2"; NULL where there is one curve. */
static const char *curve_name(Bands *s, uint32_t curve, double *value,
                              bool *valued)
{
    uint32_t n;
    const SweepTable *t = sweep_tables(&s->e->sweep, &n);
    Buffer b = {0};
    if (s->v->study == 0 || s->v->study > n)
        return NULL;
    t += s->v->study - 1;
    sweep_put_words(&b, t, s->v->curve[curve].place);
    *valued = t->parameters == 1;
    if (*valued)
        *value = (double)sweep_setting(t, s->v->curve[curve].place, 0);
    return keep(s, &b);
}

static void add_curve(Bands *s, uint32_t curve, uint32_t column, uint32_t panel)
{
    Band d;
    bool alone = s->v->shown == 1, valued = false;
    double value = 0;
    if (!band_open(s, &d, s->v->curve[curve].points))
        return;
    band_fill(s, &d, curve, column);
    const char *name = curve_name(s, curve, &value, &valued);
    PlotSeries one = {.x = d.x, .n = d.n, .panel = panel};
    if (alone) {
        PlotSeries wide = one;
        wide.name = "5 to 95 % of the replications";
        wide.style = PLOT_BAND;
        wide.faint = true;
        wide.y = d.least;
        wide.y2 = d.most;
        wide.with = s->n + PER_CURVE;
        s->series[s->n++] = wide;
    }
    PlotSeries sure = one;
    sure.name = curve == 0 ? "95 % interval of the mean" : NULL;
    sure.style = PLOT_BAND;
    sure.y = d.low;
    sure.y2 = d.high;
    sure.with = s->n + 2;
    s->series[s->n++] = sure;
    one.name = name;
    one.style = PLOT_LINES;
    one.y = d.y;
    one.value = value;
    one.valued = valued;
    s->series[s->n++] = one;
}

/* ---- The graph -------------------------------------------------------------- */

static const char *note(Bands *s)
{
    Buffer b = {0};
    uint32_t runs = 0;
    for (uint32_t k = 0; k < s->v->shown; k++)
        runs = s->v->curve[k].runs > runs ? s->v->curve[k].runs : runs;
    buffer_format(&b, "mean of %u replication%s", runs, runs == 1 ? "" : "s");
    for (uint32_t k = 0; k < s->v->shown; k++)
        if (s->v->curve[k].points * s->v->every >= ENVELOPE_TAKEN) {
            buffer_format(&b, "; the first %d communication points",
                          ENVELOPE_TAKEN);
            break;
        }
    if (s->v->shown < s->v->elements)
        buffer_format(&b, "; %u of %u elements of the lists, evenly spread",
                      s->v->shown, s->v->elements);
    return keep(s, &b);
}

static const char *label_of(Bands *s, const EnvelopeColumn *c, bool unit)
{
    const CosyVariable *v = &s->v->model->variables[c->variable];
    Buffer b = {0};
    value_name(&b, v, c->element);
    if (unit)
        value_put_unit(&b, value_shown_unit(v->unit));
    return keep(s, &b);
}

/* Columns of one graph, each in a panel of its own. */
typedef struct Wanted {
    uint32_t column[PLOT_PANELS], n;
} Wanted;

static Wanted wanted_of(const Bands *s)
{
    const CosyShow *line = s->line;
    Wanted w = {.n = 0};
    for (uint32_t k = 0; k < line->n; k++) {
        ValueSpan all = value_span(&s->v->model->variables[line->variable[k]],
                                   line->element[k]);
        for (uint32_t i = all.from; i < all.end && w.n < PLOT_PANELS; i++) {
            uint32_t c = envelope_column(s->v, line->variable[k], i);
            if (c != COSY_NONE)
                w.column[w.n++] = c;
        }
    }
    return w;
}

static const char *headline(Bands *s, const Wanted *w)
{
    Buffer b = {0};
    if (s->line && s->line->title[0])
        return s->line->title;
    for (uint32_t k = 0; k < w->n; k++)
        buffer_format(&b, "%s%s", k ? ", " : "",
                      label_of(s, &s->v->column[w->column[k]], false));
    return keep(s, &b);
}

static const char *asked_by(Gallery *e, const CosyShow *line)
{
    return line ? graphs_asked(e, "GRAPH (MEAN)", line) : stored_asked;
}

static bool make(Bands *s, const Wanted *w, Plot *p)
{
    PlotAxis *y = NEW_ARRAY(&s->arena, PlotAxis, w->n + 1);
    s->series = NEW_ARRAY(&s->arena, PlotSeries,
                          (size_t)w->n * ENVELOPE_ELEMENTS * PER_CURVE + 1);
    if (!y || !s->series)
        return false;
    for (uint32_t k = 0; k < w->n; k++) {
        const EnvelopeColumn *c = &s->v->column[w->column[k]];
        y[k] = (PlotAxis)PLOT_AXIS(label_of(s, c, true));
        y[k].logarithmic = s->line && s->line->logy;
        for (uint32_t i = 0; i < s->v->shown && !s->broken; i++)
            add_curve(s, i, w->column[k], k);
    }
    *p = (Plot){.title = headline(s, w),
                .note = note(s),
                .x = PLOT_AXIS(graphs_time(s->e)),
                .y = y[0],
                .lower = y + 1,
                .lowers = w->n - 1,
                .series = s->series,
                .n = s->n,
                .wide = s->line ? (double)s->line->xfak : 0,
                .high = s->line ? (double)s->line->yfak : 0,
                .asked = asked_by(s->e, s->line)};
    p->x.logarithmic = s->line && s->line->logx;
    return !s->broken;
}

static void tell_none(Gallery *e, const CosyShow *line)
{
    outlet_message(e->outlet, COSY_WARNING, line->line,
                   "(MEAN): there is no mean over replications: it takes "
                   "REPLICATE, and communication points that all runs have: "
                   "with TO FINISH a COMINT, and no STOREOFF");
}

/* Calls `each` for the graph of a line, or of one column. */
static Status draw(Gallery *e, const CosyShow *line, uint32_t column,
                   Status (*each)(void *user, const Plot *p), void *user)
{
    Bands s = {.e = e, .v = envelope_last(&e->envelopes), .line = line};
    Wanted w = {.n = 1};
    w.column[0] = column;
    Plot p;
    if (line && s.v)
        w = wanted_of(&s);
    if (!s.v || w.n == 0) {
        if (line)
            tell_none(e, line);
        return STATUS_OK;
    }
    /* Characters show one panel only. */
    bool apart = line && line->kind == COSY_PLOT;
    Status status = STATUS_OK;
    for (uint32_t k = 0; k < (apart ? w.n : 1) && status == STATUS_OK; k++) {
        Wanted own = w;
        if (apart)
            own = (Wanted){.column = {w.column[k]}, .n = 1};
        s.n = 0;
        status = make(&s, &own, &p) ? each(user, &p) : STATUS_MEMORY;
    }
    arena_free(&s.arena);
    return status;
}

static Status add_graph(void *gallery, const Plot *p)
{
    return graphs_add(gallery, p);
}

Status bands_line(Gallery *e, const CosyShow *line)
{
    if (e->again) {
        if (!graphs_stay(e, asked_by(e, line)))
            outlet_message(e->outlet, COSY_WARNING, line->line,
                           "(MEAN): means over replications are drawn by cosy "
                           "run only, since the curves of all replications are "
                           "not kept; a line as it was then keeps its graph");
        return STATUS_OK;
    }
    return draw(e, line, 0, add_graph, e);
}

static Status put_text(void *buffer, const Plot *p)
{
    Buffer *b = buffer;
    buffer_format(b, "\n  %s; %s\n", p->title, p->note);
    return plot_text(b, p, SHOW_WIDTH) ? STATUS_OK : STATUS_MEMORY;
}

void bands_text(Gallery *e, const CosyShow *line, Buffer *b)
{
    if (e->again)
        buffer_text(b, "\n  (MEAN): cosy run shows means over replications\n");
    else if (draw(e, line, 0, put_text, b) != STATUS_OK)
        b->broken = true;
}

Status bands_make(Gallery *e)
{
    enum { GRAPHS = 5 };
    const Envelope *v = envelope_last(&e->envelopes);
    graphs_stay(e, stored_asked);
    for (uint32_t k = 0; v && k < v->columns && k < GRAPHS; k++)
        TRY(draw(e, NULL, k, add_graph, e));
    return STATUS_OK;
}
