#include "picture/graphs.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture/bands.h"
#include "picture/families.h"
#include "picture/fields.h"
#include "picture/panels.h"
#include "picture/signals.h"
#include "picture/swept.h"
#include "plot/thin.h"
#include "stats/record.h"
#include "stats/value.h"

/* Curves: a GRAPH with the OVERPLOTs after it becomes one Plot. Variables that
   change only at events are drawn in steps, all others as lines, which jump
   where there is a row on either side of an event; points of the cross file
   stay points. */

enum {
    MARKS_SHOWN = 60, // state events in a graph; more would be a blur
    LEGEND_MOST = 14, // curves that a legend names; if there are more, some
    LABEL_MOST = 3    // variables that an axis names
};

/* ---- A graph in the making ------------------------------------------------------ */

typedef struct Sheet {
    Gallery *e;
    const CosyShow *line; // GRAPH, and the OVERPLOTs after it
    uint32_t lines;
    bool several; // it shows several runs
    Arena arena;
    Vector series, marks, spans; // of PlotSeries
    Panels panels;
    uint32_t marked;
    size_t lost; // points that have no place on a logarithmic axis
    double x[2]; // least and most
    bool any;    // it has points
    bool broken;
} Sheet;

static const char *keep_text(Sheet *s, Buffer *b)
{
    char *own = arena_text(&s->arena, buffer_string(b), b->v.used);
    s->broken = s->broken || !own || b->broken;
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

/* Widens the axes: time goes on even if a point has no place on the other axis.
   */
static void widen(Sheet *s, Panel *p, double x, double y)
{
    bool time = s->line->versus == COSY_NONE;
    if (!isnan(x) && (time || !isnan(y))) {
        s->x[0] = s->any ? fmin(s->x[0], x) : x;
        s->x[1] = s->any ? fmax(s->x[1], x) : x;
        s->any = true;
    }
    if (!isnan(x) && !isnan(y)) {
        p->low = p->any ? fmin(p->low, y) : y;
        p->high = p->any ? fmax(p->high, y) : y;
        p->any = true;
    }
}

static ThinRoom thin_room(const CosyShow *line)
{
    return (ThinRoom){.logx = line->logx, .logy = line->logy};
}

static bool take_points(Sheet *s, const ShowSource *from, uint32_t x,
                        uint32_t y, Panel *panel, CurveData *p)
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
        widen(s, panel, p->x[k], p->y[k]);
    }
    p->n = plot_thin(p->x, p->y, rows, thin_room(l));
    return true;
}

/* The columns in which a curve is found. */
typedef struct CurveColumn {
    uint32_t x, y, variable;
} CurveColumn;

/* ---- Marks -------------------------------------------------------------------------- */

/* Rows of a run before and after the event at t: the first and the last with
   that time; false: there are none. */
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

/* The mean slope of a curve between two of its rows, and the time it belongs
   to. */
typedef struct Slope {
    double at, slope;
    bool any;
} Slope;

static Slope slope(const ShowSource *from, size_t a, size_t b, uint32_t y)
{
    double t0 = (double)show_value(from, a, 0),
           t1 = (double)show_value(from, b, 0);
    double dy = (double)(show_value(from, b, y) - show_value(from, a, y));
    return (Slope){(t0 + t1) / 2, dy / (t1 - t0), t1 != t0};
}

/* How fast the slope changes on one side. */
static double bend(Slope a, Slope b)
{
    return a.any && b.any ? fabs((b.slope - a.slope) / (b.at - a.at)) : 0;
}

/* Whether the curve jumps there, or its slope does, that is, changes by much
   more than on either side. */
static bool is_changed(const ShowSource *from, size_t first, size_t last,
                       uint32_t y)
{
    double before = (double)show_value(from, first, y);
    double after = (double)show_value(from, last, y);
    size_t n = show_count(from);
    if (fabs(after - before) > 1e-9 * (fabs(after) + fabs(before)))
        return true;
    if (first == 0 || last + 1 >= n)
        return false;
    Slope left = slope(from, first - 1, first, y), far_left = {0};
    Slope right = slope(from, last, last + 1, y), far_right = {0};
    if (first > 1)
        far_left = slope(from, first - 2, first - 1, y);
    if (last + 2 < n)
        far_right = slope(from, last + 1, last + 2, y);
    double usual = fmax(bend(far_left, left), bend(right, far_right));
    double change = fabs(right.slope - left.slope);
    return left.any && right.any &&
           change > 4 * usual * fabs(right.at - left.at) &&
           change > 0.01 * fmax(fabs(left.slope), fabs(right.slope));
}

static void add_marks(Sheet *s, const ShowSource *from, const Shown *run,
                      uint32_t x, uint32_t y, uint32_t panel)
{
    const real *t = (const real *)(const void *)run->marks.bytes;
    size_t n = run->marks.used / sizeof *t, first, last;
    PlotSeries m = {.style = PLOT_POINTS, .faint = true, .panel = panel};
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

/* Whether the text has the name as a word. */
static bool is_named_in(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) ||
                                      at[-1] == '_' || at[-1] == '.');
        bool ends = !(isalnum((unsigned char)at[n]) || at[n] == '_');
        if (begins && ends)
            return true;
    }
    return false;
}

/* How far a curve moves between two times. */
static double moves_by(const ShowSource *from, uint32_t y, real begin, real end)
{
    size_t first, last;
    double low = INFINITY, high = -INFINITY;
    find_event(from, begin, &first, &last);
    for (size_t k = first;
         k < show_count(from) && show_value(from, k, 0) <= end; k++) {
        low = fmin(low, (double)show_value(from, k, y));
        high = fmax(high, (double)show_value(from, k, y));
    }
    return high >= low ? high - low : 0;
}

/* Whether it stands still in the span but not before it (or, if the run begins
   with the span, not after it). */
static bool is_at_rest(const ShowSource *from, const RunSpan *span, uint32_t y)
{
    real length = span->to - span->from, begin = show_value(from, 0, 0);
    bool first = span->from - begin < R(0.01) * length;
    double around = first ? moves_by(from, y, span->to, span->to + length)
                          : moves_by(from, y, span->from - length, span->from);
    return around > 0 &&
           moves_by(from, y, span->from, span->to) < 1e-6 * around;
}

/* Whether a curve slides or rests in the span: its motion changes where the
   span begins or ends, it stands still meanwhile, or the threshold is about it.
   Other curves are not affected. */
static bool is_held(const CosyModel *m, const ShowSource *from,
                    const RunSpan *span, const CurveColumn *c)
{
    size_t first, last;
    if (find_event(from, span->from, &first, &last) &&
        is_changed(from, first, last, c->y))
        return true;
    if (find_event(from, span->to, &first, &last) &&
        is_changed(from, first, last, c->y))
        return true;
    return (span->id < m->n_conditions_info &&
            is_named_in(m->conditions_info[span->id].name,
                        m->variables[c->variable].name)) ||
           is_at_rest(from, span, c->y);
}

static bool is_one_point(const double *x, const double *y, size_t n)
{
    double far = 0, size = 0;
    for (size_t k = 1; k < n; k++) {
        far = fmax(far, fmax(fabs(x[k] - x[0]), fabs(y[k] - y[0])));
        size = fmax(size, fmax(fabs(x[k]), fabs(y[k])));
    }
    return !(far > 1e-3 * size);
}

/* The part of a curve between two times, drawn behind it. */
static void add_span(Sheet *s, const ShowSource *from, const CurveColumn *c,
                     uint32_t panel, const real time[2])
{
    PlotSeries m = {.style = PLOT_LINES, .faint = true, .panel = panel};
    size_t low, high, unused = 0, n = show_count(from);
    find_event(from, time[0], &low, &high);
    for (high = low; high < n && show_value(from, high, 0) <= time[1];)
        high++;
    double *px = NEW_ARRAY(&s->arena, double, high - low + 1);
    double *py = NEW_ARRAY(&s->arena, double, high - low + 1);
    if (!px || !py || high - low < 2)
        return;
    for (size_t i = low; i < high; i++) {
        px[i - low] =
            on_axis(show_value(from, i, c->x), s->line->logx, &unused);
        py[i - low] =
            on_axis(show_value(from, i, c->y), s->line->logy, &unused);
    }
    if (c->x != 0 && is_one_point(px, py, high - low))
        return; // a rest in a phase plane
    m.n = plot_thin(px, py, high - low, thin_room(s->line));
    m.x = px;
    m.y = py;
    s->broken = s->broken || !vector_append(&s->spans, &m, sizeof m);
}

/* Marks where a curve slides or rests; spans that overlap become one. They come
   in the order in which they begin. */
static void add_spans(Sheet *s, const ShowSource *from, const Shown *run,
                      const CurveColumn *c, uint32_t panel)
{
    const RunSpan *span = (const RunSpan *)(const void *)run->spans.bytes;
    real time[2] = {R(0.0), R(0.0)};
    uint32_t n = 0;
    for (size_t k = 0; k < run->spans.used / sizeof *span; k++) {
        if (!is_held(s->e->model, from, &span[k], c))
            continue;
        if (n > 0 && span[k].from <= time[1]) {
            time[1] = cosy_max(time[1], span[k].to);
            continue;
        }
        if (n > 0)
            add_span(s, from, c, panel, time);
        if (n++ == MARKS_SHOWN)
            return;
        time[0] = span[k].from;
        time[1] = span[k].to;
    }
    if (n > 0)
        add_span(s, from, c, panel, time);
}

/* ---- Names ------------------------------------------------------------------------------ */

static void put_shown(Buffer *b, const CosyModel *m, const ShowColumn *c)
{
    if (c->element == COSY_NONE)
        buffer_text(b, m->variables[c->variable].name);
    else
        show_name(b, m, c);
}

static uint32_t count_names(const Sheet *s, uint32_t panel)
{
    uint32_t n, count = 0;
    const PanelName *name = panels_names(&s->panels, &n);
    for (uint32_t k = 0; k < n; k++)
        count += name[k].panel == panel;
    return count;
}

/* "X, Y [m]"; for many variables only their unit. */
static const char *ordinate(Sheet *s, uint32_t panel)
{
    const CosyModel *m = s->e->model;
    const Panel *p = &s->panels.panel[panel];
    uint32_t n, count = count_names(s, panel), written = 0;
    const PanelName *name = panels_names(&s->panels, &n);
    Buffer b = {0};
    for (uint32_t k = 0; k < n && count <= LABEL_MOST; k++) {
        if (name[k].panel != panel)
            continue;
        buffer_text(&b, written++ ? ", " : "");
        put_shown(&b, m, &name[k].what);
        if (p->mixed && show_unit(m, &name[k].what)[0])
            buffer_format(&b, " [%s]", show_unit(m, &name[k].what));
    }
    if (!p->mixed && p->unit[0])
        buffer_format(&b, written ? " [%s]" : "[%s]", p->unit);
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
        return graphs_time(s->e);
    show_name(&b, m, &c);
    if (show_unit(m, &c)[0])
        buffer_format(&b, " [%s]", show_unit(m, &c));
    return keep_text(s, &b);
}

/* TITLE, or the names of what is shown. */
static const char *headline(Sheet *s)
{
    const CosyModel *m = s->e->model;
    uint32_t n;
    const PanelName *name = panels_names(&s->panels, &n);
    Buffer b = {0};
    buffer_text(&b, s->line->title);
    for (uint32_t k = 0; k < n && !s->line->title[0]; k++) {
        buffer_text(&b, k ? ", " : "");
        if (k == 2 * LABEL_MOST) {
            buffer_text(&b, "...");
            break;
        }
        put_shown(&b, m, &name[k].what);
    }
    if (s->line->versus != COSY_NONE && !s->line->title[0]) {
        const ShowColumn over = {.variable = s->line->versus,
                                 .element = s->line->versus_at == COSY_NONE
                                                ? 0
                                                : s->line->versus_at};
        buffer_text(&b, " versus ");
        show_name(&b, m, &over);
    }
    return keep_text(s, &b);
}

/* The line below the title: which of several runs. */
static const char *note(Sheet *s)
{
    const Shown *run = gallery_find(s->e, s->line);
    Buffer b = {0};
    if (s->several && s->e->model->n_shows == 0)
        return family_note(s->e, &s->arena);
    if (s->e->runs < 2 || s->several || !run)
        return NULL;
    graphs_run(&b, run);
    return keep_text(s, &b);
}

/* The name in the legend: the variable, unless the ordinate has it, with its
   unit if units differ, and the run if there are several. */
static const char *curve_name(Sheet *s, const ShowColumn *c, const Shown *run,
                              uint32_t panel)
{
    const CosyModel *m = s->e->model;
    bool alone = s->several && count_names(s, panel) == 1 &&
                 value_count(&m->variables[c->variable]) == 1;
    Buffer b = {0};
    if (!alone) {
        show_name(&b, m, c);
        if (s->panels.panel[panel].mixed && show_unit(m, c)[0])
            buffer_format(&b, " [%s]", show_unit(m, c));
    }
    if (s->several) {
        buffer_text(&b, alone ? "" : ", ");
        if (run)
            graphs_run(&b, run);
        else
            buffer_text(&b, "cross file");
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
    uint32_t at = panels_find(&s->panels, variable, element);
    Panel *panel = &s->panels.panel[at];
    CurveData p;
    if (c.column == 0)
        return;
    if (!take_points(s, &o->from, o->x, c.column, panel, &p)) {
        s->broken = true;
        return;
    }
    if (steps && !o->from.points)
        p.n = plot_plateaus(p.x, p.y, p.n);
    PlotSeries one = {.name = curve_name(s, &c, o->run, at),
                      .style = o->from.points ? PLOT_POINTS
                               : steps        ? PLOT_STEPS
                                              : PLOT_LINES,
                      .x = p.x,
                      .y = p.y,
                      .n = p.n,
                      .panel = at,
                      .valued = o->run && o->run->valued,
                      .value = o->run ? o->run->value : 0};
    s->broken = s->broken || !vector_append(&s->series, &one, sizeof one);
    if (one.style != PLOT_LINES || !o->run || s->lines > FAMILY_NAMED)
        return;
    add_marks(s, &o->from, o->run, o->x, c.column, at);
    add_spans(s, &o->from, o->run,
              &(CurveColumn){.x = o->x, .y = c.column, .variable = variable},
              at);
}

static void each_element(Sheet *s, const Source *o, uint32_t k)
{
    const CosyVariable *v = &s->e->model->variables[o->line->variable[k]];
    ValueSpan all = value_span(v, o->line->element[k]);
    for (uint32_t i = all.from; i < all.end; i++)
        add_curve(s, o, o->line->variable[k], i);
}

static void add_line(Sheet *s, const CosyShow *line)
{
    const CosyModel *m = s->e->model;
    Source o = {.line = line};
    if (!gallery_rows(s->e, line, &o.from))
        return;
    o.run = line->run == COSY_CROSSF ? NULL : gallery_find(s->e, line);
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

/* If there are too many curves, a few are named: the first, the last and some
   between. */
static void thin_legend(Sheet *s)
{
    PlotSeries *p = (PlotSeries *)(void *)s->series.bytes;
    uint32_t n = (uint32_t)(s->series.used / sizeof *p);
    if (n <= LEGEND_MOST)
        return;
    for (uint32_t k = 0; k < n; k++)
        if (!family_spreads(k, n, LEGEND_MOST / 2))
            p[k].name = NULL;
}

/* Series in the order in which they are drawn: those behind come first. */
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

/* Time fills the axis; anything else gets a margin on both sides. */
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
             "SCALE: %zu value%s %s left out: a logarithmic axis has no place "
             "for values that are not above 0",
             s->lost, s->lost == 1 ? "" : "s", s->lost == 1 ? "is" : "are");
    outlet_message(s->e->outlet, COSY_NOTE, s->line->line, text);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where a curve passes through zero, a few points may have any power of ten.
   Points far below nearly all others do not stretch a logarithmic axis: the
   curve leaves it there. */
static void set_depth(Sheet *s, uint32_t panel, PlotAxis *y)
{
    const PlotSeries *p = (const PlotSeries *)(const void *)s->spans.bytes;
    const Panel *all = &s->panels.panel[panel];
    size_t n = 0, count = s->spans.used / sizeof *p;
    for (size_t k = 0; k < count; k++)
        n += p[k].panel == panel && !p[k].faint ? p[k].n : 0;
    double *v = NEW_ARRAY(&s->arena, double, n + 1);
    n = 0;
    for (size_t k = 0; v && k < count; k++)
        for (size_t i = 0; i < p[k].n && !p[k].faint; i++)
            if (p[k].panel == panel && p[k].y[i] > 0)
                v[n++] = p[k].y[i];
    if (!v || n < 50)
        return;
    qsort(v, n, sizeof *v, by_size);
    double usual = v[n / 20];
    if (all->low * 1e3 >= usual)
        return;
    y->low = pow(10, floor(log10(usual) - 1));
    y->high = pow(10, ceil(log10(all->high) - 1e-9));
}

static PlotAxis make_ordinate(Sheet *s, uint32_t panel)
{
    const Panel *p = &s->panels.panel[panel];
    bool log = s->line->logy;
    PlotAxis y = PLOT_AXIS(ordinate(s, panel));
    y.logarithmic = log;
    if (log && p->any)
        set_depth(s, panel, &y);
    if (p->truth && !log && p->any) {
        y.low = -0.1;
        y.high = 1.1;
        y.truth = true;
        y.share = s->panels.n > 1 ? 0.4 : 0;
    }
    /* A value just below zero is zero within the accuracy of events. */
    y.from_zero = !log && p->low < 0 && -p->low < 1e-6 * p->high;
    return y;
}

/* One variable in many runs. */
static bool is_family(const Sheet *s)
{
    uint32_t n;
    const PanelName *name = panels_names(&s->panels, &n);
    return s->several && n == 1 &&
           (name->what.element != COSY_NONE ||
            value_count(&s->e->model->variables[name->what.variable]) == 1);
}

/* What never changes has no curve over it: a study was meant, of which --set has
   left one value. */
static void tell_constant(const Sheet *s)
{
    char text[300];
    uint32_t over = s->line->versus;
    if (over == COSY_NONE || over >= s->e->model->n_variables ||
        s->line->run != COSY_TIMEF || !s->any || s->x[1] > s->x[0])
        return;
    const char *name = s->e->model->variables[over].name;
    snprintf(text, sizeof text,
             "VERSUS %.80s: it has one value in this run, so nothing can be "
             "seen over it; where SWEEP or a list gives %.80s several, the "
             "graph goes over all runs",
             name, name);
    outlet_message(s->e->outlet, COSY_NOTE, s->line->line, text);
}

static Status finish_sheet(Sheet *s)
{
    PlotAxis y[PLOT_PANELS];
    PlotAxis z = {0};
    bool scale =
        is_family(s) && family_scale(s->e, &s->arena, s->line, s->lines, &z);
    if (!scale)
        thin_legend(s);
    put_together(s);
    for (uint32_t k = 0; k < s->panels.n; k++)
        y[k] = make_ordinate(s, k);
    Plot p = {.title = headline(s),
              .note = note(s),
              .x = PLOT_AXIS(abscissa(s)),
              .y = y[0],
              .lower = y + 1,
              .lowers = s->panels.n - 1,
              .series = (const PlotSeries *)(const void *)s->spans.bytes,
              .n = (uint32_t)(s->spans.used / sizeof(PlotSeries)),
              .wide = (double)s->line->xfak,
              .high = (double)s->line->yfak,
              .scale = scale,
              .z = z};
    p.x.logarithmic = s->line->logx;
    set_range(s, &p.x);
    tell_lost(s);
    tell_constant(s);
    return s->broken || s->panels.broken ? STATUS_MEMORY : graphs_add(s->e, &p);
}

/* Names and sizes of everything the lines show. */
static void divide(Sheet *s)
{
    for (uint32_t i = 0; i < s->lines; i++) {
        const CosyShow *line = &s->line[i];
        ShowSource from;
        s->several = s->several || line->run != s->line[0].run;
        for (uint32_t k = 0; k < line->n; k++)
            panels_note(&s->panels, line->variable[k], line->element[k]);
        if (gallery_find_rows(s->e, line, &from))
            panels_measure(&s->panels, line, &from);
    }
    panels_divide(&s->panels, s->e->model, s->line->logy);
}

static Status make_sheet(Gallery *e, const CosyShow *line, uint32_t n)
{
    Sheet s = {.e = e, .line = line, .lines = n};
    Status status = STATUS_OK;
    divide(&s);
    for (uint32_t i = 0; i < n; i++)
        add_line(&s, &line[i]);
    if (s.series.used)
        status = finish_sheet(&s);
    vector_free(&s.series);
    vector_free(&s.marks);
    vector_free(&s.spans);
    vector_free(&s.panels.names);
    arena_free(&s.arena);
    return status;
}

/* Says so if (ALL) has more runs than are kept for it. */
static void tell_left_out(Gallery *e)
{
    char text[100];
    for (uint32_t k = 0; k < e->model->n_shows; k++)
        if (e->model->shows[k].run == COSY_ALL && e->runs > LINES_RUNS_MOST) {
            snprintf(text, sizeof text, "(ALL) shows %s%d of %u runs%s",
                     sweep_any(&e->sweep) ? "" : "the first ", LINES_RUNS_MOST,
                     e->runs, sweep_any(&e->sweep) ? ", evenly spread" : "");
            outlet_message(e->outlet, COSY_NOTE, e->model->shows[k].line, text);
        }
}

/* Without OUTPUT there are only a handful of graphs. */
static void tell_missing(Gallery *e, uint32_t n)
{
    char text[160];
    if (n == 0)
        return;
    snprintf(text, sizeof text,
             "%u STOREd variable%s not in the graphs, of which there are only "
             "a few: GRAPH in an OUTPUT shows what you choose",
             n, n == 1 ? " is" : "s are");
    outlet_message(e->outlet, COSY_NOTE, 0, text);
}

/* Whether a line shows what a study has found, not the curve of a run. */
static bool is_study(const Gallery *e, const CosyShow *line)
{
    return swept_is(e, line) || line->along != COSY_NONE ||
           line->run == COSY_MEAN;
}

static Status draw_study(Gallery *e, const CosyShow *line)
{
    char text[200];
    if (line->run == COSY_MEAN)
        return bands_line(e, line);
    if (swept_is(e, line))
        return swept_line(e, line);
    snprintf(text, sizeof text,
             "GRAPH VERSUS %.60s, %.60s: no SIMULATE varies both, by SWEEP or "
             "by lists",
             e->model->variables[line->versus].name,
             e->model->variables[line->along].name);
    outlet_message(e->outlet, COSY_WARNING, line->line, text);
    return STATUS_OK;
}

/* Whether no line before this one has made pictures of its first variable over its
   index, in the same runs. */
static bool is_first(const Gallery *e, const Lines *l, uint32_t line)
{
    const CosyShow *own = &l->line[line];
    for (uint32_t k = 0; k < line; k++)
        for (uint32_t i = 0; i < l->line[k].n; i++)
            if (film_is(&l->line[k]) && l->line[k].kind < COSY_TABULATED &&
                (e->runs < 2 || l->line[k].run == own->run) && own->n &&
                l->line[k].variable[i] == own->variable[0])
                return false;
    return true;
}

Status curves_make(Gallery *e)
{
    Lines l;
    if (e->model->n_shows == 0 && bands_any(e))
        return bands_make(e);
    Status status = curves_lines(e, &l);
    const Signals *signals = signals_find(e);
    uint32_t signal = 0;
    if (!signals)
        status = STATUS_MEMORY;
    tell_left_out(e);
    tell_missing(e, l.missing);
    for (uint32_t k = 0, n; status == STATUS_OK && k < l.n; k += n) {
        bool drawn =
            l.line[k].kind == COSY_GRAPH || l.line[k].kind == COSY_OVERPLOT;
        for (n = 1;
             drawn && k + n < l.n && l.line[k + n].kind == COSY_OVERPLOT;)
            n++;
        if (drawn && is_study(e, &l.line[k]))
            status = draw_study(e, &l.line[k]);
        else if (drawn)
            status = make_sheet(e, &l.line[k], n);
        else if (film_is(&l.line[k]))
            status = fields_make(e, &l.line[k], is_first(e, &l, k));
        else if (signals_has(&l.line[k]))
            status = signals_plot(e, &signals->signal[signal++]);
    }
    arena_free(&l.arena);
    return status;
}
