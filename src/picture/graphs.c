#include "picture/graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture/families.h"
#include "picture/swept.h"
#include "picture/uncertain.h"
#include "plot/gnuplot.h"
#include "stats/figures.h"
#include "stats/number.h"
#include "stats/pool.h"
#include "stats/tables.h"
#include "stats/value.h"

/* Everything that is drawn besides curves: histograms (BARS, or all of them if
   there is no OUTPUT), and the courses of resources, files and TIMEPERS over
   the time of the last run. Finally, the drawing itself. */

enum {
    CURVES_MOST = PLOT_PANELS, // in one graph
    GRAPHS_MOST = 400,         // of an experiment
    MARKS_MOST = 200,          // state events of a run that are remembered
    POINTS_MOST = 120 // of a course: more would only be noise in a picture
};

/* ---- What is kept of a run ------------------------------------------------------ */

bool graphs_wanted(const Gallery *e)
{
    const CosyModel *m = e->model;
    return m->n_histograms || m->n_resources || m->n_files || m->n_timepers ||
           m->n_stored;
}

/* Keeps the times of state events, unless there are more than a picture can
   show. */
static bool keep_marks(Shown *s, const Run *r)
{
    const LogEntry *l = (const LogEntry *)(const void *)r->record.log.bytes;
    bool ok = true;
    if (r->record.counts[LOG_STATE] > MARKS_MOST)
        return true;
    for (size_t k = 0; k < r->record.log.used / sizeof *l; k++)
        if (l[k].kind == LOG_STATE)
            ok = ok && vector_append(&s->marks, &l[k].t, sizeof l[k].t);
    return ok;
}

Status graphs_keep(Shown *s, Run *r)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_histograms; k++) {
        CosyHistogram h = figures_histogram(r->c, k);
        if (!vector_append(&s->histograms, &h, sizeof h))
            return STATUS_MEMORY;
    }
    for (uint32_t k = 0; k < m->n_timepers; k++) {
        uint8_t active = r->c->timepers[k].active != 0;
        if (!vector_append(&s->active, &active, 1))
            return STATUS_MEMORY;
    }
    if (!keep_marks(s, r) ||
        !vector_append(&s->spans, r->slide.spans.bytes, r->slide.spans.used))
        return STATUS_MEMORY;
    s->course = r->course;
    s->course.model = NULL; // the model ends with the run
    s->course.column = NULL;
    r->course.means = r->course.base = (Vector){0};
    return STATUS_OK;
}

/* ---- Which run ----------------------------------------------------------------------- */

static void put_parameters(Buffer *b, const Shown *run)
{
    const char *words =
        run->parameters.v.used ? (const char *)run->parameters.v.bytes : "";
    size_t n = run->parameters.v.used;
    while (n > 0 && *words == ' ')
        words++, n--;
    if (n)
        buffer_format(b, ": %.*s", (int)n, words);
}

void graphs_run(Buffer *b, const Shown *run)
{
    buffer_format(b, "run %u", run->run);
    put_parameters(b, run);
}

/* Whose observations a histogram counts. */
static void put_runs(Buffer *b, const Gallery *e, const Shown *s)
{
    if (!s->group) {
        graphs_run(b, s);
        return;
    }
    uint32_t n = pool_runs(&e->replications, s->group - 1);
    buffer_format(b, "%u replication%s", n, n == 1 ? "" : "s");
    put_parameters(b, s);
}

/* ---- Histograms ------------------------------------------------------------------- */

/* The histogram of all replications, of which this run is the first; NULL: it is
   none of them. */
static const CosyHistogram *pooled(const Gallery *e, const Shown *s, uint32_t k)
{
    return s->group ? pool_histogram(&e->replications, s->group - 1, k) : NULL;
}

/* The histogram of an element of a variable; NULL if none was kept. */
static const CosyHistogram *find_histogram(const Gallery *e, const Shown *s,
                                           const char *name)
{
    const CosyModel *m = e->model;
    const CosyHistogram *h =
        (const CosyHistogram *)(const void *)s->histograms.bytes;
    for (uint32_t k = 0; k < s->histograms.used / sizeof *h; k++)
        if (h[k].active && strcmp(m->histograms[k].name, name) == 0) {
            const CosyHistogram *all = pooled(e, s, k);
            return all ? all : &h[k];
        }
    return NULL;
}

/* Calls `each` for every histogram that a line BARS names, with NULL for a
   variable that has none. */
typedef void EachBars(void *user, const CosyHistogram *h, const char *name);

static void for_bars(const Gallery *e, const CosyShow *line, const Shown *s,
                     EachBars *each, void *user)
{
    for (uint32_t k = 0; k < line->n; k++) {
        const CosyVariable *v = &e->model->variables[line->variable[k]];
        ValueSpan all = value_span(v, line->element[k]);
        for (uint32_t i = all.from; i < all.end; i++) {
            Buffer name = {0};
            value_name(&name, v, i);
            const char *text = buffer_string(&name);
            each(user, find_histogram(e, s, text), text);
            buffer_free(&name);
        }
    }
}

typedef struct BarsText {
    Buffer *b, *missing;
    const CosyModel *model;
} BarsText;

static void bars_text(void *user, const CosyHistogram *h, const char *name)
{
    const BarsText *t = user;
    if (h)
        tables_histogram(t->b, h, name,
                         value_shown_unit(value_unit(t->model, name)));
    else if (t->missing->v.used == 0)
        buffer_text(t->missing, name);
}

void graphs_bars(const Gallery *e, Buffer *b, Buffer *missing,
                 const CosyShow *line, const Shown *s)
{
    BarsText t = {b, missing, e->model};
    if (line->title[0] || e->runs > 1)
        buffer_format(b, "\n  %s%s", line->title,
                      line->title[0] && e->runs > 1 ? "; " : "");
    if (e->runs > 1)
        put_runs(b, e, s);
    if (line->title[0] || e->runs > 1)
        buffer_char(b, '\n');
    for_bars(e, line, s, bars_text, &t);
}

/* ---- Drawing ------------------------------------------------------------------------ */

typedef struct Graphs {
    Gallery *e;
    const Shown *shown;
    const CosyShow *line; // BARS, or NULL
    Status status;
} Graphs;

Status graphs_add(Gallery *e, const Plot *p)
{
    char text[100];
    uint32_t count = plots_count(&e->plots);
    if (count < GRAPHS_MOST)
        return plots_add(&e->plots, p);
    snprintf(text, sizeof text, "only the first %d graphs are drawn",
             GRAPHS_MOST);
    if (!e->plots_full)
        outlet_message(e->outlet, COSY_NOTE, 0, text);
    e->plots_full = true;
    return STATUS_OK;
}

static void put_names(Buffer *b, const Gallery *e, const CosyShow *line)
{
    for (uint32_t k = 0; k < line->n; k++) {
        const CosyVariable *v = &e->model->variables[line->variable[k]];
        buffer_text(b, k ? ", " : " ");
        if (line->element[k] == COSY_NONE)
            buffer_text(b, v->name);
        else
            value_name(b, v, line->element[k]);
    }
}

const char *graphs_asked(Gallery *e, const char *what, const CosyShow *line)
{
    Buffer b = {0};
    buffer_text(&b, what);
    if (line) {
        put_names(&b, e, line);
        buffer_format(&b, "; %d; %s; %g, %g", (int)line->run, line->title,
                      (double)line->xfak, (double)line->yfak);
        buffer_text(&b, line->logx ? " LOGX" : "");
        buffer_text(&b, line->logy ? " LOGY" : "");
    }
    for (size_t k = 0; k < b.v.used; k++)
        if (b.v.bytes[k] < ' ')
            b.v.bytes[k] = ' '; // it becomes one line of a script
    const char *own = arena_text(e->arena, buffer_string(&b), b.v.used);
    buffer_free(&b);
    return own ? own : what;
}

bool graphs_stay(Gallery *e, const char *asked)
{
    GalleryKept *k = (GalleryKept *)(void *)e->kept.bytes;
    bool any = false;
    for (size_t i = 0; i < e->kept.used / sizeof *k; i++)
        if (strcmp(k[i].asked, asked) == 0)
            any = k[i].stays = true;
    return any;
}

static void add_graph(Graphs *g, const Plot *p)
{
    if (g->status == STATUS_OK)
        g->status = graphs_add(g->e, p);
}

/* The line below the title: which of several runs; NULL if there is only one.
   */
static const char *put_note(Buffer *b, const Graphs *g)
{
    if (g->e->runs < 2)
        return NULL;
    graphs_run(b, g->shown);
    return buffer_string(b);
}

/* The same below a histogram. */
static const char *put_bars_note(Buffer *b, const Graphs *g)
{
    if (g->e->runs < 2)
        return NULL;
    put_runs(b, g->e, g->shown);
    return buffer_string(b);
}

/* "TITLE", or what the graph is about. */
static void put_title(Buffer *b, const Graphs *g, const char *own)
{
    bool given = g->line && g->line->title[0];
    buffer_text(b, given ? g->line->title : own);
    if (given && g->line->n > 1)
        buffer_format(b, ": %s", own);
}

/* Cells in x, x2, y; the open ones at both ends are drawn as wide as the others. */
typedef struct CellData {
    double x[COSY_CELLS], x2[COSY_CELLS], y[COSY_CELLS];
    double most;
} CellData;

static void fill_cells(CellData *d, const CosyHistogram *h)
{
    d->most = 1;
    for (uint32_t k = 0; k < h->cells + 2; k++) {
        d->x[k] = (double)(h->first + ((real)k - R(1.0)) * h->width);
        d->x2[k] = (double)(h->first + (real)k * h->width);
        d->y[k] = (double)h->count[k];
        d->most = d->y[k] > d->most ? d->y[k] : d->most;
    }
}

/* An open cell: its name says what it counts, since the picture cannot show it.
   */
static PlotSeries open_cell(const CellData *d, uint32_t k, Buffer *name,
                            const char *word, double limit, const char *unit)
{
    buffer_format(name, "%s %.6g%s%s", word, limit, unit[0] ? " " : "", unit);
    return (PlotSeries){.name = buffer_string(name),
                        .style = PLOT_CELLS,
                        .x = d->x + k,
                        .x2 = d->x2 + k,
                        .y = d->y + k,
                        .n = d->y[k] > 0,
                        .faint = true};
}

/* What a histogram of replications is asked by. */
static const char *bars_asked(const Graphs *g)
{
    return graphs_asked(g->e, g->line ? "BARS" : "HISTOGRAMs", g->line);
}

static void tell_pooled(const Graphs *g)
{
    outlet_message(g->e->outlet, COSY_NOTE, g->line ? g->line->line : 0,
                   "histograms of replications are drawn by cosy run only; "
                   "summary.json has their counts");
}

static void bars_graph(void *user, const CosyHistogram *h, const char *name)
{
    Graphs *g = user;
    CellData d;
    Buffer title = {0}, label = {0}, note = {0}, low = {0}, high = {0};
    const char *unit = value_shown_unit(value_unit(g->e->model, name));
    if (!h || !(h->width > R(0.0)))
        return;
    fill_cells(&d, h);
    put_title(&title, g, name);
    buffer_format(&label, unit[0] ? "%s [%s]" : "%s", name, unit);
    const PlotSeries series[] = {
        {.name = "observations",
         .style = PLOT_CELLS,
         .x = d.x + 1,
         .x2 = d.x2 + 1,
         .y = d.y + 1,
         .n = h->cells},
        open_cell(&d, 0, &low, "up to", d.x2[0], unit),
        open_cell(&d, h->cells + 1, &high, "above", d.x[h->cells + 1], unit)};
    Plot p = {.title = buffer_string(&title),
              .note = put_bars_note(&note, g),
              .x = PLOT_AXIS(buffer_string(&label)),
              .y = PLOT_AXIS("observations"),
              .series = series,
              .n = LENGTH(series),
              .wide = g->line ? (double)g->line->xfak : 0,
              .high = g->line ? (double)g->line->yfak : 0,
              .asked = g->shown->group ? bars_asked(g) : NULL};
    p.y.low = 0;
    p.y.high = 1.05 * d.most;
    add_graph(g, &p);
    buffer_free(&title);
    buffer_free(&note);
    buffer_free(&label);
    buffer_free(&low);
    buffer_free(&high);
}

/* ---- Courses ------------------------------------------------------------------------- */

/* Curves of one graph: steps at x, each the mean over `size` intervals; the
   last step takes what is left over. */
typedef struct Curves {
    double *x;
    double *y[CURVES_MOST];
    char name[CURVES_MOST][80];
    uint32_t size;
    size_t points; // the last point ends the last step
    uint32_t n;
} Curves;

/* The first row after step i. */
static uint32_t step_end(const Curves *c, const Course *k, size_t i)
{
    return i + 2 >= c->points ? course_rows(k) : (uint32_t)(i + 1) * c->size;
}

static bool curves_open(Curves *c, Arena *a, const Course *k)
{
    uint32_t rows = course_rows(k);
    *c = (Curves){.size = (rows + POINTS_MOST - 1) / POINTS_MOST};
    if (k->state.rest > R(0.0) && rows > 1)
        rows--; // a short rest does not make a step of its own
    c->points = rows / c->size + 1;
    c->x = NEW_ARRAY(a, double, c->points);
    bool ok = c->x != NULL;
    for (int i = 0; i < CURVES_MOST; i++) {
        c->y[i] = NEW_ARRAY(a, double, c->points);
        ok = ok && c->y[i] != NULL;
    }
    if (!ok)
        return false;
    c->x[0] = (double)k->state.start;
    for (size_t i = 1; i < c->points; i++)
        c->x[i] = (double)course_time(k, step_end(c, k, i - 1) - 1);
    return true;
}

/* Means over the intervals of the curves, from those of the course. */
static void curve_add(Curves *c, const Course *k, uint32_t column, double scale,
                      const char *name)
{
    double *y = c->y[c->n];
    uint32_t row = 0;
    for (size_t i = 0; i + 1 < c->points; i++) {
        double area = 0, from = c->x[i];
        for (; row < step_end(c, k, i); row++) {
            double end = (double)course_time(k, row);
            area += (double)course_mean(k, row, column) * (end - from);
            from = end;
        }
        y[i] = scale * area / (c->x[i + 1] - c->x[i]);
    }
    y[c->points - 1] = y[c->points - 2];
    snprintf(c->name[c->n], sizeof c->name[0], "%.79s", name);
    c->n++;
}

const char *graphs_time(Gallery *e)
{
    const char *unit = cosy_time_unit(e->model);
    size_t size = strlen(unit) + sizeof "TIME []";
    char *label = unit[0] ? NEW_ARRAY(e->arena, char, size) : NULL;
    if (!label)
        return "TIME";
    snprintf(label, size, "TIME [%s]", unit);
    return label;
}

/* The line below the title: which run, and that each step is a mean. */
static const char *put_means(Buffer *b, const Graphs *g, const Curves *c)
{
    const char *unit = value_shown_unit(cosy_time_unit(g->e->model));
    if (put_note(b, g))
        buffer_text(b, "; ");
    buffer_format(b, "each step is the mean over %.4g %s", c->x[1] - c->x[0],
                  unit[0] ? unit : "units of time");
    return buffer_string(b);
}

/* Each curve in a panel of its own. `most` is the upper end of their axes; 0:
   axes begin at 0; negative: axes hold what is there. */
static void draw_curves(Graphs *g, Curves *c, const char *title,
                        const char *unit, double most)
{
    PlotSeries series[CURVES_MOST];
    PlotAxis y[CURVES_MOST];
    Buffer words = {0}, note = {0}, label[CURVES_MOST];
    if (c->n == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        series[i] = (PlotSeries){.style = PLOT_STEPS,
                                 .x = c->x,
                                 .y = c->y[i],
                                 .n = c->points,
                                 .panel = i};
        label[i] = (Buffer){0};
        buffer_format(&label[i], unit[0] ? "%s [%s]" : "%s", c->name[i], unit);
        y[i] = (PlotAxis)PLOT_AXIS(buffer_string(&label[i]));
        y[i].share = c->n > 1 ? 0.5 : 0;
        y[i].from_zero = most == 0;
        if (most > 0)
            y[i].low = 0, y[i].high = most;
    }
    buffer_format(&words, c->n == 1 ? "%s: %s" : "%s", title, c->name[0]);
    Plot p = {.title = buffer_string(&words),
              .note = put_means(&note, g, c),
              .x = PLOT_AXIS(graphs_time(g->e)),
              .y = y[0],
              .lower = y + 1,
              .lowers = c->n - 1,
              .series = series,
              .n = c->n,
              .always = true};
    add_graph(g, &p);
    for (uint32_t i = 0; i < c->n; i++)
        buffer_free(&label[i]);
    buffer_free(&words);
    buffer_free(&note);
    c->n = 0;
}

/* Whether a column is anything but zero all the time. */
static bool is_any(const Course *k, uint32_t column)
{
    for (uint32_t row = 0; row < course_rows(k); row++)
        if (course_mean(k, row, column) != R(0.0))
            return true;
    return false;
}

static void draw_use(Graphs *g, const Course *k, Curves *c)
{
    const CosyModel *m = g->e->model;
    static const char title[] = "Use over time", label[] = "%";
    for (uint32_t i = 0; i < k->columns; i++) {
        const CosyResourceInfo *r = &m->resources[k->column[i].which];
        if (k->column[i].kind != COURSE_USED || r->capacity == COSY_UNLIMITED)
            continue;
        curve_add(c, k, i, 100.0 / (double)r->capacity, r->name);
        if (c->n == CURVES_MOST)
            draw_curves(g, c, title, label, 105);
    }
    draw_curves(g, c, title, label, 105);
}

/* The name of a queue at a resource, or of a file; also of what is in an
   unlimited storage. */
static const char *queue_name(const CosyModel *m, const CourseColumn *c)
{
    switch (c->kind) {
    case COURSE_WAITING: return m->resources[c->which].name;
    case COURSE_CONTENT: return m->files[c->which].name;
    case COURSE_USED:
        return m->resources[c->which].capacity == COSY_UNLIMITED
                   ? m->resources[c->which].name
                   : NULL;
    case COURSE_VALUE: return NULL;
    }
    return NULL;
}

static void draw_queues(Graphs *g, const Course *k, Curves *c)
{
    static const char title[] = "Mean queue lengths over time", label[] = "";
    for (uint32_t i = 0; i < k->columns; i++) {
        const char *name = queue_name(g->e->model, &k->column[i]);
        if (!name || !is_any(k, i))
            continue;
        curve_add(c, k, i, 1, name);
        if (c->n == CURVES_MOST)
            draw_curves(g, c, title, label, 0);
    }
    draw_curves(g, c, title, label, 0);
}

static void draw_values(Graphs *g, const Course *k, Curves *c)
{
    const CosyModel *m = g->e->model;
    for (uint32_t i = 0; i < k->columns; i++) {
        uint32_t which = k->column[i].which;
        if (k->column[i].kind != COURSE_VALUE || !g->shown->active.bytes[which])
            continue;
        const char *name = m->timepers[which].name;
        curve_add(c, k, i, 1, name);
        draw_curves(g, c, "Over time", value_shown_unit(value_unit(m, name)),
                    -1);
    }
}

static void draw_course(Graphs *g)
{
    Arena a = {0};
    Image image = {0};
    Curves curves;
    Course k;
    if (course_create(&k, g->e->model, &a, &image) != STATUS_OK) {
        g->status = STATUS_MEMORY;
    } else {
        vector_free(&k.base);
        k.means = g->shown->course.means;
        k.state = g->shown->course.state;
        if (course_rows(&k) > 1 && curves_open(&curves, &a, &k)) {
            draw_use(g, &k, &curves);
            draw_queues(g, &k, &curves);
            draw_values(g, &k, &curves);
        }
    }
    arena_free(&a);
}

/* ---- All of them ----------------------------------------------------------------------- */

/* The histograms of all replications of an element of the lists. */
static void draw_pooled(Graphs *g, uint32_t group)
{
    const Replications *r = &g->e->replications;
    const CosyModel *m = g->e->model;
    Shown one = {.group = group + 1};
    const Shown *before = g->shown;
    replicate_put_words(&one.parameters, r, group);
    g->shown = &one;
    for (uint32_t k = 0; k < m->n_histograms; k++)
        if (pool_histogram(r, group, k))
            bars_graph(g, pool_histogram(r, group, k), m->histograms[k].name);
    g->shown = before;
    buffer_free(&one.parameters);
}

/* Those of some elements of the lists, evenly spread; false: there is one. */
static bool draw_all_pooled(Graphs *g)
{
    enum { GROUPS_MOST = 6 };
    uint32_t first, end;
    if (!g->shown->group)
        return false;
    replicate_series(&g->e->replications, g->shown->group - 1, &first, &end);
    for (uint32_t k = first; k < end && end - first > 1; k++)
        if (family_spreads(k - first, end - first, GROUPS_MOST))
            draw_pooled(g, k);
    return end - first > 1;
}

static void draw_histograms(Graphs *g)
{
    const CosyModel *m = g->e->model;
    if (g->shown->pooled) {
        if (!graphs_stay(g->e, bars_asked(g)))
            tell_pooled(g);
        return;
    }
    if (draw_all_pooled(g))
        return;
    const CosyHistogram *h =
        (const CosyHistogram *)(const void *)g->shown->histograms.bytes;
    for (uint32_t k = 0; k < g->shown->histograms.used / sizeof *h; k++)
        if (h[k].active)
            bars_graph(g, find_histogram(g->e, g->shown, m->histograms[k].name),
                       m->histograms[k].name);
}

Status graphs_make(Gallery *e)
{
    const CosyModel *m = e->model;
    Graphs g = {.e = e};
    const Shown *s = (const Shown *)(const void *)e->shown.bytes;
    size_t n = e->shown.used / sizeof *s;
    Lines l;
    TRY(curves_make(e));
    TRY(swept_make(e));
    TRY(uncertain_make(e));
    for (uint32_t k = 0; k < plots_count(&e->pictures); k++)
        TRY(graphs_add(e, plots_get(&e->pictures, k)));
    if (n == 0)
        return STATUS_OK;
    TRY(curves_lines(e, &l));
    for (uint32_t k = 0; k < l.n; k++) {
        g.line = &l.line[k];
        g.shown = g.line->kind == COSY_BARS ? gallery_find(e, g.line) : NULL;
        if (g.shown && g.shown->pooled && !graphs_stay(e, bars_asked(&g)))
            tell_pooled(&g);
        else if (g.shown)
            for_bars(e, g.line, g.shown, bars_graph, &g);
    }
    arena_free(&l.arena);
    g.line = NULL;
    g.shown = &s[n - 1];
    if (m->n_shows == 0)
        draw_histograms(&g);
    draw_course(&g);
    return g.status;
}

/* Reports what gnuplot did not draw, the first graph by name. */
static void tell_undrawn(Gallery *e, const Buffer *names, const Undrawn *u)
{
    Buffer text = {0};
    const char *name = (const char *)names->v.bytes;
    for (uint32_t k = 0; k < u->first; k++)
        name += strlen(name) + 1;
    buffer_format(&text, "gnuplot could not draw %s", name);
    if (u->count > 1)
        buffer_format(&text, " and %u other graph%s", u->count - 1,
                      u->count > 2 ? "s" : "");
    buffer_format(&text, " (script%s in %s/plots)", u->count > 1 ? "s" : "",
                  e->options->dir);
    if (u->why.v.used)
        buffer_format(&text, ": %.*s", (int)u->why.v.used,
                      (const char *)u->why.v.bytes);
    outlet_message(e->outlet, COSY_WARNING, 0, buffer_string(&text));
    buffer_free(&text);
}

static void run_gnuplot(Gallery *e, const char *dir, const Buffer *names)
{
    Undrawn u = {0};
    Buffer text = {0};
    DrawnAs how = gnuplot_draw(dir, (const char *)names->v.bytes,
                               plots_count(&e->plots), &u);
    if (how == DRAWN_NOT_FOUND) {
        buffer_format(&text,
                      "gnuplot was not found, so no graphs are drawn; once it "
                      "is installed (Debian: gnuplot-nox), the scripts "
                      "%s/plots/*.gp draw them",
                      e->options->dir);
        outlet_message(e->outlet, COSY_NOTE, 0, buffer_string(&text));
    } else if (how == DRAWN_FAILED) {
        tell_undrawn(e, names, &u);
    }
    buffer_free(&u.why);
    buffer_free(&text);
}

/* The next number that no graph has which stays. */
static uint32_t next_number(const Gallery *e, uint32_t number)
{
    const GalleryKept *kept = (const GalleryKept *)(const void *)e->kept.bytes;
    size_t n = e->kept.used / sizeof *kept, k = 0;
    for (number++; k < n; k++)
        if (kept[k].stays && kept[k].number == number)
            return next_number(e, number);
    return number;
}

Status graphs_draw(Gallery *e, const char *dir)
{
    Buffer folder = {0}, names = {0};
    uint32_t number = 0;
    Status s = STATUS_OK;
    buffer_format(&folder, "%s/plots", dir);
    for (uint32_t k = 0; s == STATUS_OK && k < plots_count(&e->plots); k++) {
        const Plot *p = plots_get(&e->plots, k);
        size_t at = names.v.used;
        number = next_number(e, number);
        plot_name(&names, number, p->title);
        buffer_char(&names, '\0');
        s = names.broken ? STATUS_MEMORY
                         : plot_write(p, buffer_string(&folder),
                                      (const char *)names.v.bytes + at,
                                      e->options->formats, e->fault);
    }
    if (s == STATUS_OK && plots_count(&e->plots) > 0)
        run_gnuplot(e, buffer_string(&folder), &names);
    buffer_free(&folder);
    buffer_free(&names);
    return s;
}
