#include "run/graphs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/thin.h"
#include "stats/record.h"
#include "stats/value.h"

/* Curves: GRAPH with the OVERPLOTs behind it becomes one Plot. What changes at
   events only is drawn in steps, all else as lines, which jump where a row
   stands on either side of an event; points of the cross file are points. */

enum {
    MARKS_SHOWN = 60, // state events in a graph; more say nothing
    LEGEND_MOST = 14, // curves that a legend names; of more, some
    LABEL_MOST = 3    // variables that an axis names
};

/* ---- A graph in the making ------------------------------------------------------ */

typedef struct Sheet {
    Experiment *e;
    const CosyShow *line; // GRAPH, and the OVERPLOTs behind it
    uint32_t lines;
    bool several; // runs
    Arena arena;
    Vector series, marks, spans; // of PlotSeries
    Vector shown;                // of ShowColumn: what is named
    uint32_t marked;
    size_t lost;       // points that have no place on a logarithmic axis
    double x[2], y[2]; // least and most
    bool any, truths;  // something is there; all of it is BOOLEAN
    bool broken;
} Sheet;

static const char *keep_text(Sheet *s, Buffer *b)
{
    char *own = (char *)arena_alloc(&s->arena, b->v.used + 1, 1);
    s->broken = s->broken || !own || b->broken;
    if (own)
        memcpy(own, buffer_string(b), b->v.used + 1);
    buffer_free(b);
    return own ? own : "";
}

static bool is_discrete(const CosyVariable *v)
{
    return v->kind == COSY_REAL || v->kind == COSY_CONST ||
           v->kind == COSY_LOGIC || v->kind == COSY_DSTATE ||
           v->type != COSY_TYPE_REAL;
}

/* ---- Points ----------------------------------------------------------------------- */

typedef struct CurveData {
    double *x, *y;
    size_t n;
} CurveData;

/* A place on an axis, or NaN. */
static double on_axis(real v, bool logarithmic, size_t *lost)
{
    double d = (double)v;
    if (logarithmic && d <= 0) {
        ++*lost;
        return NAN;
    }
    return isfinite(d) ? d : NAN;
}

static bool take_points(Sheet *s, const ShowSource *from, uint32_t x,
                        uint32_t y, CurveData *p)
{
    const CosyShow *l = s->line;
    size_t rows = show_count(from);
    p->x = NEW_ARRAY(&s->arena, double, rows + 1);
    p->y = NEW_ARRAY(&s->arena, double, rows + 1);
    if (!p->x || !p->y)
        return false;
    for (size_t k = 0; k < rows; k++) {
        p->x[k] = on_axis(show_value(from, k, x), l->logx, &s->lost);
        p->y[k] = on_axis(show_value(from, k, y), l->logy, &s->lost);
        if (isnan(p->x[k]) || isnan(p->y[k]))
            continue;
        s->x[0] = s->any ? fmin(s->x[0], p->x[k]) : p->x[k];
        s->x[1] = s->any ? fmax(s->x[1], p->x[k]) : p->x[k];
        s->y[0] = s->any ? fmin(s->y[0], p->y[k]) : p->y[k];
        s->y[1] = s->any ? fmax(s->y[1], p->y[k]) : p->y[k];
        s->any = true;
    }
    p->n = plot_thin(p->x, p->y, rows, l->logx, l->logy);
    return true;
}

/* ---- Marks -------------------------------------------------------------------------- */

/* Rows of a run before and after the event at t: the first and the last of
   those that stand there; false: none does. */
static bool find_event(const ShowSource *from, real t, size_t *first,
                       size_t *last)
{
    size_t n = show_count(from), low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (show_value(from, middle, 0) < t)
            low = middle + 1;
        else
            high = middle;
    }
    *first = *last = low;
    if (low == n || show_value(from, low, 0) != t)
        return false;
    while (*last + 1 < n && show_value(from, *last + 1, 0) == t)
        ++*last;
    return true;
}

static double slope(const ShowSource *from, size_t a, size_t b, uint32_t y)
{
    double dt = (double)(show_value(from, b, 0) - show_value(from, a, 0));
    return (double)(show_value(from, b, y) - show_value(from, a, y)) / dt;
}

/* The curve jumps there, or goes on at another slope. */
static bool is_changed(const ShowSource *from, size_t first, size_t last,
                       uint32_t y)
{
    double before = (double)show_value(from, first, y);
    double after = (double)show_value(from, last, y);
    if (fabs(after - before) > 1e-9 * (fabs(after) + fabs(before)))
        return true;
    if (first == 0 || last + 1 >= show_count(from))
        return false;
    double left = slope(from, first - 1, first, y);
    double right = slope(from, last, last + 1, y);
    return fabs(right - left) > 0.1 * fmax(fabs(left), fabs(right));
}

static void add_marks(Sheet *s, const ShowSource *from, const Shown *run,
                      uint32_t x, uint32_t y)
{
    const real *t = (const real *)(const void *)run->marks.bytes;
    size_t n = run->marks.used / sizeof *t, first, last;
    PlotSeries m = {.style = PLOT_POINTS, .faint = true};
    double *px = NEW_ARRAY(&s->arena, double, n + 1);
    double *py = NEW_ARRAY(&s->arena, double, n + 1);
    if (!px || !py || n == 0)
        return;
    for (size_t k = 0; k < n; k++) {
        if (!find_event(from, t[k], &first, &last) ||
            !is_changed(from, first, last, y))
            continue;
        size_t unused = 0;
        px[m.n] = on_axis(show_value(from, last, x), s->line->logx, &unused);
        py[m.n++] = on_axis(show_value(from, last, y), s->line->logy, &unused);
    }
    m.x = px;
    m.y = py;
    s->marked += (uint32_t)m.n;
    if (m.n)
        s->broken = s->broken || !vector_append(&s->marks, &m, sizeof m);
}

/* The part of a curve over which the run slid or rested, behind it. */
static void add_spans(Sheet *s, const ShowSource *from, const Shown *run,
                      uint32_t x, uint32_t y)
{
    const RunSpan *span = (const RunSpan *)(const void *)run->spans.bytes;
    PlotSeries m = {.style = PLOT_LINES, .faint = true};
    for (size_t k = 0; k < run->spans.used / sizeof *span; k++) {
        size_t low, high, unused = 0, n = show_count(from);
        find_event(from, span[k].from, &low, &high);
        for (high = low; high < n && show_value(from, high, 0) <= span[k].to;)
            high++;
        double *px = NEW_ARRAY(&s->arena, double, high - low + 1);
        double *py = NEW_ARRAY(&s->arena, double, high - low + 1);
        if (!px || !py || high - low < 2 || k >= MARKS_SHOWN)
            continue;
        for (size_t i = low; i < high; i++) {
            px[i - low] =
                on_axis(show_value(from, i, x), s->line->logx, &unused);
            py[i - low] =
                on_axis(show_value(from, i, y), s->line->logy, &unused);
        }
        m.n = plot_thin(px, py, high - low, s->line->logx, s->line->logy);
        m.x = px;
        m.y = py;
        s->broken = s->broken || !vector_append(&s->spans, &m, sizeof m);
    }
}

/* ---- Names ------------------------------------------------------------------------------ */

static uint32_t names(const Sheet *s, const ShowColumn **c)
{
    *c = (const ShowColumn *)(const void *)s->shown.bytes;
    return (uint32_t)(s->shown.used / sizeof **c);
}

/* Variables in the order in which they come; an array counts once. */
static void note_name(Sheet *s, uint32_t variable, uint32_t element)
{
    const ShowColumn *c;
    uint32_t n = names(s, &c);
    const ShowColumn one = {.variable = variable, .element = element};
    for (uint32_t k = 0; k < n; k++)
        if (c[k].variable == variable && c[k].element == element)
            return;
    s->broken = s->broken || !vector_append(&s->shown, &one, sizeof one);
}

static void put_shown(Buffer *b, const CosyModel *m, const ShowColumn *c)
{
    if (c->element == COSY_NONE)
        buffer_text(b, m->variables[c->variable].name);
    else
        show_name(b, m, c);
}

/* They have all the same unit. */
static bool one_unit(const Sheet *s)
{
    const ShowColumn *c;
    uint32_t n = names(s, &c);
    for (uint32_t k = 1; k < n; k++)
        if (strcmp(show_unit(s->e->model, &c[k]),
                   show_unit(s->e->model, &c[0])) != 0)
            return false;
    return true;
}

/* "X, Y [m]"; of many variables their unit alone. */
static const char *ordinate(Sheet *s)
{
    const CosyModel *m = s->e->model;
    const ShowColumn *c;
    uint32_t n = names(s, &c);
    bool same = one_unit(s);
    Buffer b = {0};
    for (uint32_t k = 0; k < n && n <= LABEL_MOST; k++) {
        buffer_text(&b, k ? ", " : "");
        put_shown(&b, m, &c[k]);
        if (!same && show_unit(m, &c[k])[0])
            buffer_format(&b, " [%s]", show_unit(m, &c[k]));
    }
    if (n && same && show_unit(m, &c[0])[0])
        buffer_format(&b, n <= LABEL_MOST ? " [%s]" : "[%s]",
                      show_unit(m, &c[0]));
    return keep_text(s, &b);
}

static const char *abscissa(Sheet *s)
{
    const CosyModel *m = s->e->model;
    ShowColumn c = {
        .variable = s->line->versus,
        .element = s->line->versus_at == COSY_NONE ? 0 : s->line->versus_at};
    Buffer b = {0};
    if (c.variable == COSY_NONE)
        return graphs_time(m);
    show_name(&b, m, &c);
    if (show_unit(m, &c)[0])
        buffer_format(&b, " [%s]", show_unit(m, &c));
    return keep_text(s, &b);
}

/* TITLE, or what is shown. */
static const char *headline(Sheet *s)
{
    const CosyModel *m = s->e->model;
    const ShowColumn *c;
    uint32_t n = names(s, &c);
    Buffer b = {0};
    const Shown *run = experiment_find(s->e, s->line);
    buffer_text(&b, s->line->title);
    for (uint32_t k = 0; k < n && !s->line->title[0]; k++) {
        buffer_text(&b, k ? ", " : "");
        if (k == 2 * LABEL_MOST) {
            buffer_text(&b, "...");
            break;
        }
        put_shown(&b, m, &c[k]);
    }
    if (s->line->versus != COSY_NONE && !s->line->title[0]) {
        const ShowColumn over = {.variable = s->line->versus,
                                 .element = s->line->versus_at == COSY_NONE
                                                ? 0
                                                : s->line->versus_at};
        buffer_text(&b, " versus ");
        show_name(&b, m, &over);
    }
    if (s->e->runs > 1 && !s->several && run)
        buffer_format(&b, ", run %u", run->run);
    return keep_text(s, &b);
}

/* In the legend: which variable, with its unit if they differ; of several runs
   which, and its parameters. */
static const char *curve_name(Sheet *s, const ShowColumn *c, const Shown *run,
                              bool units)
{
    const CosyModel *m = s->e->model;
    Buffer b = {0};
    show_name(&b, m, c);
    if (units && show_unit(m, c)[0])
        buffer_format(&b, " [%s]", show_unit(m, c));
    if (s->several && run) {
        const char *words =
            run->parameters.v.used ? (const char *)run->parameters.v.bytes : "";
        size_t n = run->parameters.v.used;
        while (n > 0 && *words == ' ')
            words++, n--;
        buffer_format(&b, ", run %u", run->run);
        if (n)
            buffer_format(&b, ": %.*s", (int)n, words);
    } else if (s->several) {
        buffer_text(&b, ", cross file");
    }
    return keep_text(s, &b);
}

/* ---- Curves ------------------------------------------------------------------------------ */

typedef struct Source {
    const CosyShow *line;
    ShowSource from;
    const Shown *run; // NULL: the cross file
    uint32_t x;       // column
} Source;

static void add_curve(Sheet *s, const Source *o, uint32_t variable,
                      uint32_t element)
{
    const CosyModel *m = s->e->model;
    const CosyVariable *v = &m->variables[variable];
    ShowColumn c = {.column = record_column(m, variable, element),
                    .variable = variable,
                    .element = element};
    bool steps = o->x == 0 && is_discrete(v);
    CurveData p;
    if (c.column == 0)
        return;
    if (!take_points(s, &o->from, o->x, c.column, &p)) {
        s->broken = true;
        return;
    }
    s->truths = s->truths && v->type == COSY_TYPE_BOOLEAN;
    PlotSeries one = {.name = curve_name(s, &c, o->run, !one_unit(s)),
                      .style = o->from.points ? PLOT_POINTS
                               : steps        ? PLOT_STEPS
                                              : PLOT_LINES,
                      .x = p.x,
                      .y = p.y,
                      .n = p.n};
    s->broken = s->broken || !vector_append(&s->series, &one, sizeof one);
    if (one.style != PLOT_LINES || !o->run)
        return;
    add_marks(s, &o->from, o->run, o->x, c.column);
    add_spans(s, &o->from, o->run, o->x, c.column);
}

static void each_element(Sheet *s, const Source *o, uint32_t k)
{
    const CosyVariable *v = &s->e->model->variables[o->line->variable[k]];
    uint32_t at = o->line->element[k];
    if (at != COSY_NONE) {
        add_curve(s, o, o->line->variable[k], at);
        return;
    }
    for (uint32_t i = 0; i < value_count(v); i++)
        add_curve(s, o, o->line->variable[k], i);
}

static void add_line(Sheet *s, const CosyShow *line)
{
    const CosyModel *m = s->e->model;
    Source o = {.line = line};
    if (!experiment_rows(s->e, line, &o.from))
        return;
    o.run = line->run == COSY_CROSSF ? NULL : experiment_find(s->e, line);
    if (line->versus != COSY_NONE) {
        o.x = record_column(m, line->versus,
                            line->versus_at == COSY_NONE ? 0 : line->versus_at);
        if (o.x == 0)
            return;
    }
    for (uint32_t k = 0; k < line->n; k++)
        each_element(s, &o, k);
}

/* ---- The graph ----------------------------------------------------------------------------- */

/* Of too many curves a few are named: the first, the last and some between. */
static void thin_legend(Sheet *s)
{
    PlotSeries *p = (PlotSeries *)(void *)s->series.bytes;
    size_t n = s->series.used / sizeof *p, named = LEGEND_MOST / 2;
    if (n <= LEGEND_MOST)
        return;
    for (size_t k = 0; k < n; k++) {
        size_t i = (k * (named - 1) + (n - 1) / 2) / (n - 1);
        if (k != (i * (n - 1) + (named - 1) / 2) / (named - 1))
            p[k].name = NULL;
    }
}

/* Series in the order in which they are drawn: what is behind comes first. */
static void put_together(Sheet *s)
{
    PlotSeries *p = (PlotSeries *)(void *)s->spans.bytes;
    PlotSeries *m = (PlotSeries *)(void *)s->marks.bytes;
    if (s->spans.used)
        p[0].name = "sliding or at rest";
    bool ok = vector_append(&s->spans, s->series.bytes, s->series.used);
    if (s->marked && s->marked <= MARKS_SHOWN) {
        m[0].name = "state events";
        ok = ok && vector_append(&s->spans, s->marks.bytes, s->marks.used);
    }
    s->broken = s->broken || !ok;
}

/* Time fills the axis; anything else has a little air on both sides. */
static void set_range(const Sheet *s, PlotAxis *x)
{
    double air =
        s->line->versus == COSY_NONE && s->line->run != COSY_CROSSF ? 0 : 0.03;
    if (!s->any || !(s->x[1] > s->x[0]))
        return;
    x->low = s->x[0] - air * (s->x[1] - s->x[0]);
    x->high = s->x[1] + air * (s->x[1] - s->x[0]);
    if (x->logarithmic) {
        double ratio = pow(s->x[1] / s->x[0], air);
        x->low = s->x[0] / ratio;
        x->high = s->x[1] * ratio;
    }
}

static void tell_lost(const Sheet *s)
{
    char text[160];
    if (s->lost == 0)
        return;
    snprintf(text, sizeof text,
             "SCALE: %zu values that are not above 0 have no place on a "
             "logarithmic axis and are left out",
             s->lost);
    outlet_message(&s->e->outlet, COSY_NOTE, s->line->line, text);
}

static Status finish_sheet(Sheet *s)
{
    thin_legend(s);
    put_together(s);
    Plot p = {.title = headline(s),
              .x = PLOT_AXIS(abscissa(s)),
              .y = PLOT_AXIS(ordinate(s)),
              .series = (const PlotSeries *)(const void *)s->spans.bytes,
              .n = (uint32_t)(s->spans.used / sizeof(PlotSeries)),
              .wide = (double)s->line->xfak,
              .high = (double)s->line->yfak};
    p.x.logarithmic = s->line->logx;
    p.y.logarithmic = s->line->logy;
    set_range(s, &p.x);
    if (s->truths && !s->line->logy && s->any) {
        p.y.low = -0.1;
        p.y.high = 1.1;
    }
    /* A little below zero is zero, but for the accuracy of events. */
    p.y.from_zero = !s->line->logy && s->y[0] < 0 && -s->y[0] < 1e-6 * s->y[1];
    tell_lost(s);
    return s->broken ? STATUS_MEMORY : graphs_add(s->e, &p);
}

static Status make_sheet(Experiment *e, const CosyShow *line, uint32_t n)
{
    Sheet s = {.e = e, .line = line, .lines = n, .truths = true};
    Status status = STATUS_OK;
    for (uint32_t i = 0; i < n; i++) {
        s.several = s.several || line[i].run != line[0].run;
        for (uint32_t k = 0; k < line[i].n; k++)
            note_name(&s, line[i].variable[k], line[i].element[k]);
    }
    for (uint32_t i = 0; i < n; i++)
        add_line(&s, &line[i]);
    if (s.series.used)
        status = finish_sheet(&s);
    vector_free(&s.series);
    vector_free(&s.marks);
    vector_free(&s.spans);
    vector_free(&s.shown);
    arena_free(&s.arena);
    return status;
}

/* (ALL) of more runs than are kept for it. */
static void tell_left_out(Experiment *e)
{
    char text[100];
    for (uint32_t k = 0; k < e->model->n_shows; k++)
        if (e->model->shows[k].run == COSY_ALL && e->runs > LINES_RUNS_MOST) {
            snprintf(text, sizeof text, "(ALL): the first %d of %u runs",
                     LINES_RUNS_MOST, e->runs);
            outlet_message(&e->outlet, COSY_NOTE, e->model->shows[k].line,
                           text);
        }
}

Status curves_make(Experiment *e)
{
    Lines l;
    Status status = curves_lines(e, &l);
    tell_left_out(e);
    for (uint32_t k = 0, n; status == STATUS_OK && k < l.n; k += n) {
        bool drawn =
            l.line[k].kind == COSY_GRAPH || l.line[k].kind == COSY_OVERPLOT;
        for (n = 1;
             drawn && k + n < l.n && l.line[k + n].kind == COSY_OVERPLOT;)
            n++;
        if (drawn)
            status = make_sheet(e, &l.line[k], n);
    }
    arena_free(&l.arena);
    return status;
}
