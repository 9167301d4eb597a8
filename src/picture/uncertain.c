#include "picture/uncertain.h"

#include <math.h>
#include <stdlib.h>

#include "plot/text.h"
#include "stats/uncertain.h"
#include "stats/value.h"

enum {
    QUANTITIES_MOST = 4, // that have pictures
    OVER_MOST = 3,       // parameters over which they are shown
    INPUTS_MOST = 6,     // parameters that have pictures of their own
    BARS_MOST = 20,      // parameters whose indices are shown
    DOTS_MOST = 1000,
    CELLS_LEAST = 5,
    CELLS_MOST = 60
};

typedef struct View {
    Gallery *e;
    const Uncertainty *u;
    const SweepTable *t;
    Arena *a;
    const UncertainQuantity *q[QUANTITIES_MOST];
    uint32_t quantities;
    Buffer *text; // gets pictures in characters; NULL: they go to the gallery
    uint32_t wide;
    bool broken; // no memory
} View;

static double *numbers(View *v, size_t n)
{
    double *x = NEW_ARRAY(v->a, double, n + 1);
    v->broken = v->broken || !x;
    return x;
}

static const char *keep(View *v, Buffer *b)
{
    const char *own = arena_text(v->a, buffer_string(b), b->v.used);
    buffer_free(b);
    v->broken = v->broken || !own;
    return own ? own : "";
}

static const char *quantity_label(View *v, const UncertainQuantity *q)
{
    Buffer b = {0};
    quantity_put(&b, v->t->model, sweep_quantity(v->t, q->quantity));
    return keep(v, &b);
}

static const char *input_label(View *v, uint32_t k, bool unit)
{
    const RunSetting *s = sweep_parameter(v->t, k);
    Buffer b = {0};
    sweep_put_name(&b, v->t, k);
    if (unit)
        value_put_unit(
            &b, value_shown_unit(v->t->model->variables[s->variable].unit));
    return keep(v, &b);
}

/* "1024 scrambled Sobol' points; 3 runs failed" */
static const char *note_of(View *v)
{
    const Uncertainty *u = v->u;
    Buffer b = {0};
    buffer_format(&b, "%llu %s", (unsigned long long)u->points, u->sampling);
    if (u->failed)
        buffer_format(&b, "; %llu of %llu runs failed",
                      (unsigned long long)u->failed,
                      (unsigned long long)u->runs);
    return keep(v, &b);
}

static void add(View *v, Plot *p)
{
    bool ok;
    p->always = true;
    if (v->broken)
        return;
    if (v->text) {
        p->high = 0.7;
        buffer_format(v->text, "\n  %s; %s\n", p->title, p->note);
        ok = plot_text(v->text, p, v->wide);
    } else {
        ok = graphs_add(v->e, p) == STATUS_OK;
    }
    v->broken = !ok;
}

/* ---- Values ---------------------------------------------------------------------- */

static bool is_sample(const View *v, uint32_t row)
{
    return !v->u->indices || row % (uncertain_inputs(v->u) + 2) < 2;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The sample of a quantity, or of parameter k if q is NULL, in ascending order. */
static double *sample_of(View *v, const UncertainQuantity *q, uint32_t k,
                         size_t *n)
{
    double *x = numbers(v, v->t->elements);
    *n = 0;
    for (uint32_t row = 0; x && row < v->t->elements; row++) {
        real y = q ? sweep_mean(v->t, row, q->quantity)
                   : sweep_setting(v->t, row, k);
        if (is_sample(v, row) && sweep_row(v->t, row)->runs && cosy_finite(y))
            x[(*n)++] = (double)y;
    }
    if (x)
        qsort(x, *n, sizeof *x, by_size);
    return x;
}

/* ---- Histograms ------------------------------------------------------------------- */

/* Whole numbers, few of them: each has a cell around it. */
static bool is_whole(const double *x, size_t n)
{
    if (x[n - 1] - x[0] > CELLS_MOST)
        return false;
    for (size_t k = 0; k < n; k++)
        if (x[k] != floor(x[k]))
            return false;
    return true;
}

/* As wide as Freedman and Diaconis say: 2 IQR / n^(1/3). */
static size_t count_cells(const double *x, size_t n)
{
    double range = x[n - 1] - x[0];
    double quarter = x[(n - 1) * 3 / 4] - x[(n - 1) / 4];
    double wide = 2.0 * quarter / cbrt((double)n);
    double cells = wide > 0 ? ceil(range / wide) : CELLS_LEAST;
    return cells < CELLS_LEAST  ? CELLS_LEAST
           : cells > CELLS_MOST ? CELLS_MOST
                                : (size_t)cells;
}

/* Heights are shares by width: the area is 1. */
static PlotSeries histogram(View *v, const double *x, size_t n)
{
    bool whole = is_whole(x, n);
    size_t cells = whole ? (size_t)(x[n - 1] - x[0]) + 1 : count_cells(x, n);
    double low = whole ? x[0] - 0.5 : x[0];
    double wide = whole ? 1.0 : (x[n - 1] - x[0]) / (double)cells;
    double *from = numbers(v, cells), *to = numbers(v, cells),
           *high = numbers(v, cells);
    if (v->broken)
        return (PlotSeries){0};
    for (size_t k = 0; k < cells; k++) {
        from[k] = low + (double)k * wide;
        to[k] = low + (double)(k + 1) * wide;
        high[k] = 0.0;
    }
    for (size_t k = 0; k < n; k++) {
        size_t at = (size_t)((x[k] - low) / wide);
        high[at < cells ? at : cells - 1] += 1.0 / ((double)n * wide);
    }
    return (PlotSeries){
        .style = PLOT_CELLS, .x = from, .x2 = to, .y = high, .n = cells};
}

/* Where 5, 50 and 95 % of all values lie below. */
static PlotSeries quantiles(View *v, const UncertainQuantity *q)
{
    double *x = numbers(v, 3);
    for (uint32_t k = 0; x && k < 3; k++)
        x[k] = (double)q->quantile[2 * k];
    return (PlotSeries){
        .name = "5, 50 and 95 %", .style = PLOT_RULES, .x = x, .y = x, .n = 3};
}

static void draw_distribution(View *v, const UncertainQuantity *q)
{
    size_t n;
    const double *x = sample_of(v, q, 0, &n);
    Buffer title = {0};
    if (v->broken || n < 2 || q->constant)
        return;
    const PlotSeries series[] = {histogram(v, x, n), quantiles(v, q)};
    buffer_format(&title, "Distribution of %s",
                  sweep_quantity(v->t, q->quantity)->name);
    Plot p = {.title = keep(v, &title),
              .note = note_of(v),
              .x = PLOT_AXIS(quantity_label(v, q)),
              .y = {.label = "density", .low = 1, .high = 0, .from_zero = true},
              .series = series,
              .n = 2};
    add(v, &p);
}

/* The points of a parameter, and the density they are drawn from. */
static void draw_input(View *v, uint32_t k)
{
    const UncertainInput *in = uncertain_input(v->u, k);
    size_t n;
    const double *x = sample_of(v, NULL, k, &n);
    Buffer title = {0};
    if (v->broken || n < 2 || x[0] == x[n - 1])
        return;
    PlotSeries series[2] = {histogram(v, x, n)};
    size_t first = 0, end = in->points;
    while (first < end && in->x[first] < x[0])
        first++;
    while (end > first && in->x[end - 1] > x[n - 1])
        end--;
    series[0].name = "points";
    series[1] = (PlotSeries){.name = "density",
                             .x = in->x + first,
                             .y = in->density + first,
                             .n = end - first};
    buffer_format(&title, "Parameter %s", input_label(v, k, false));
    Plot p = {.title = keep(v, &title),
              .note = in->words,
              .x = PLOT_AXIS(input_label(v, k, true)),
              .y = {.label = "density", .low = 1, .high = 0, .from_zero = true},
              .series = series,
              .n = end - first > 1 ? 2 : 1};
    add(v, &p);
}

/* ---- Over parameters ----------------------------------------------------------------- */

/* How much a parameter matters for the first quantities: its total index, or the
   square of its correlation. */
static double weight_of(const View *v, uint32_t k)
{
    double most = 0.0;
    for (uint32_t i = 0; i < v->quantities; i++) {
        double sx = 0, sy = 0, xx = 0, xy = 0, yy = 0, n = 0;
        if (v->u->indices) {
            double total = (double)uncertain_index(v->u, v->q[i], k)->total;
            most = total > most ? total : most;
            continue;
        }
        for (uint32_t row = 0; row < v->t->elements; row++) {
            double x = (double)sweep_setting(v->t, row, k);
            double y = (double)sweep_mean(v->t, row, v->q[i]->quantity);
            if (!isfinite(y))
                continue;
            x -= (double)sweep_setting(v->t, 0, k);
            y -= (double)v->q[i]->mean;
            n += 1;
            sx += x;
            sy += y;
            xx += x * x;
            xy += x * y;
            yy += y * y;
        }
        double c = n * xy - sx * sy;
        double square = (n * xx - sx * sx) * (n * yy - sy * sy);
        if (square > 0 && c * c / square > most)
            most = c * c / square;
    }
    return most;
}

static PlotSeries dots(View *v, uint32_t k, uint32_t panel)
{
    uint32_t n = v->t->elements, used = 0;
    uint32_t every = (n + DOTS_MOST - 1) / DOTS_MOST;
    double *x = numbers(v, n / every + 1), *y = numbers(v, n / every + 1);
    if (v->u->indices) // whole rows of the design would stand in columns
        every |= 1;
    for (uint32_t row = 0; !v->broken && row < n; row += every) {
        x[used] = (double)sweep_setting(v->t, row, k);
        y[used] = (double)sweep_mean(v->t, row, v->q[panel]->quantity);
        used += isfinite(y[used]) != 0;
    }
    return (PlotSeries){
        .style = PLOT_POINTS, .x = x, .y = y, .n = used, .panel = panel};
}

static void draw_over(View *v, uint32_t k)
{
    PlotSeries series[QUANTITIES_MOST];
    PlotAxis axis[QUANTITIES_MOST];
    Buffer title = {0};
    for (uint32_t i = 0; i < v->quantities; i++) {
        series[i] = dots(v, k, i);
        axis[i] = (PlotAxis)PLOT_AXIS(quantity_label(v, v->q[i]));
    }
    buffer_text(&title, sweep_quantity(v->t, v->q[0]->quantity)->name);
    for (uint32_t i = 1; i < v->quantities; i++)
        buffer_format(&title, ", %s",
                      sweep_quantity(v->t, v->q[i]->quantity)->name);
    buffer_format(&title, " over %s", input_label(v, k, false));
    Plot p = {.title = keep(v, &title),
              .note = note_of(v),
              .x = PLOT_AXIS(input_label(v, k, true)),
              .y = axis[0],
              .lower = axis + 1,
              .lowers = v->quantities - 1,
              .series = series,
              .n = v->quantities};
    add(v, &p);
}

/* Those that matter most, the first of equals. */
static void draw_scatter(View *v)
{
    uint32_t n = uncertain_inputs(v->u);
    double *weight = numbers(v, n);
    for (uint32_t k = 0; !v->broken && k < n; k++)
        weight[k] = weight_of(v, k);
    for (uint32_t drawn = 0; !v->broken && drawn < OVER_MOST && drawn < n;
         drawn++) {
        uint32_t best = 0;
        for (uint32_t k = 1; k < n; k++)
            if (weight[k] > weight[best])
                best = k;
        if (drawn > 0 && weight[best] < 0.01)
            return;
        weight[best] = -1.0;
        draw_over(v, best);
    }
}

/* ---- Indices --------------------------------------------------------------------------- */

/* The indices of one quantity: series[0] and [1] are bars, [2] intervals. */
static void put_bars(View *v, uint32_t panel, uint32_t n, PlotSeries *series)
{
    static const char *const name[] = {"alone", "in all"};
    double *at = numbers(v, 2 * n), *low = numbers(v, 2 * n),
           *up = numbers(v, 2 * n);
    for (uint32_t kind = 0; kind < 2; kind++) {
        double *from = numbers(v, n), *to = numbers(v, n),
               *high = numbers(v, n);
        for (uint32_t k = 0; !v->broken && k < n; k++) {
            const UncertainIndex *x = uncertain_index(v->u, v->q[panel], k);
            double half = (double)(kind ? x->total_half : x->first_half);
            high[k] = (double)(kind ? x->total : x->first);
            from[k] = k + 1 + (kind ? 0.02 : -0.36);
            to[k] = from[k] + 0.34;
            at[kind * n + k] = from[k] + 0.17;
            low[kind * n + k] = high[k] - half;
            up[kind * n + k] = high[k] + half;
        }
        series[kind] = (PlotSeries){.name = panel ? NULL : name[kind],
                                    .style = PLOT_CELLS,
                                    .x = from,
                                    .x2 = to,
                                    .y = high,
                                    .n = n,
                                    .panel = panel,
                                    .with = panel ? kind + 1 : 0};
    }
    series[2] = (PlotSeries){.name = panel ? NULL : "95 % interval",
                             .style = PLOT_WHISKERS,
                             .x = at,
                             .y = low,
                             .y2 = up,
                             .n = 2 * n,
                             .panel = panel,
                             .with = panel ? 3 : 0};
}

/* Whether an interval reaches below 0. */
static bool any_below(const PlotSeries *whiskers)
{
    for (size_t k = 0; k < whiskers->n; k++)
        if (whiskers->y[k] < 0)
            return true;
    return false;
}

/* "1 KP, 2 TAU" */
static const char *numbered_inputs(View *v)
{
    uint32_t n = uncertain_inputs(v->u);
    Buffer b = {0};
    for (uint32_t k = 0; k < n && k < BARS_MOST; k++)
        buffer_format(&b, "%s%u %s", k ? ", " : "", k + 1,
                      input_label(v, k, false));
    return keep(v, &b);
}

static void draw_indices(View *v)
{
    PlotSeries series[3 * QUANTITIES_MOST];
    PlotAxis axis[QUANTITIES_MOST];
    uint32_t n = uncertain_inputs(v->u);
    if (!v->u->indices)
        return;
    n = n < BARS_MOST ? n : BARS_MOST;
    for (uint32_t i = 0; i < v->quantities; i++) {
        put_bars(v, i, n, series + 3 * (size_t)i);
        if (v->broken)
            return;
        axis[i] =
            (PlotAxis){.label = sweep_quantity(v->t, v->q[i]->quantity)->name,
                       .low = 1,
                       .high = 0,
                       .from_zero = !any_below(&series[3 * i + 2])};
    }
    Plot p = {.title = "Shares of the variance",
              .note = "of a parameter alone, and in all that it has a part in",
              .x = {.label = numbered_inputs(v), .low = 0.5, .high = n + 0.5},
              .y = axis[0],
              .lower = axis + 1,
              .lowers = v->quantities - 1,
              .series = series,
              .n = 3 * v->quantities};
    add(v, &p);
}

/* ---- All of them -------------------------------------------------------------------------- */

static Status draw(Gallery *e, const Uncertainty *u, const SweepTable *t)
{
    Arena a = {0};
    View v = {.e = e, .u = u, .t = t, .a = &a};
    v.quantities = uncertain_chosen(u, t, v.q, QUANTITIES_MOST);
    for (uint32_t k = 0; k < v.quantities; k++)
        draw_distribution(&v, v.q[k]);
    if (v.quantities) {
        draw_indices(&v);
        draw_scatter(&v);
    }
    for (uint32_t k = 0; k < uncertain_inputs(u) && k < INPUTS_MOST; k++)
        draw_input(&v, k);
    arena_free(&a);
    return v.broken ? STATUS_MEMORY : STATUS_OK;
}

Status uncertain_make(Gallery *e)
{
    uint32_t n, tables;
    const Uncertainty *u = uncertain_list(&e->uncertain, &n);
    const SweepTable *t = sweep_tables(&e->sweep, &tables);
    for (uint32_t k = 0; k < n && k < SWEEP_TABLES; k++)
        TRY(draw(e, &u[k], &t[u[k].table]));
    return STATUS_OK;
}

bool uncertain_sketch(Gallery *e, Buffer *b, uint32_t wide)
{
    uint32_t n, tables;
    const Uncertainty *u = uncertain_list(&e->uncertain, &n);
    const SweepTable *t = sweep_tables(&e->sweep, &tables);
    Arena a = {0};
    if (n == 0)
        return false;
    View v = {.e = e,
              .u = &u[n - 1],
              .t = &t[u[n - 1].table],
              .a = &a,
              .text = b,
              .wide = wide};
    v.quantities = uncertain_chosen(v.u, v.t, v.q, 1);
    if (v.quantities)
        draw_distribution(&v, v.q[0]);
    arena_free(&a);
    return !v.broken;
}
