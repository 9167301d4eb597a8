#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/tables.h"
#include "report/words.h"

/* What FEATURES has recorded about a run, in words and as graphs over time. */

enum { GRAPHED_MOST = 3 }; // runs

/* Columns of the samples, and of the spans in which something grows. */
typedef struct Curves {
    double *t, *stiffness, *fastest, *growth;
    size_t n;
    double *from, *to, *top;
    size_t spans;
    bool known;              // the stiffness is known
    char time[80], rate[80]; // labels of axes
} Curves;

static void label_axes(Curves *c, const Tree *units)
{
    const char *unit = words_unit(units, "TIME");
    snprintf(c->time, sizeof c->time, unit[0] ? "TIME [%.60s]" : "TIME%s",
             unit);
    snprintf(c->rate, sizeof c->rate,
             unit[0] ? "rate [1/(%.60s)]" : "rate per unit of time%s", unit);
}

static bool read_samples(Curves *c, const Tree *list, Arena *a)
{
    double *room = NEW_ARRAY(a, double, 4 * (size_t)list->count + 1);
    if (!room)
        return false;
    *c = (Curves){.t = room,
                  .stiffness = room + list->count,
                  .fastest = room + 2 * (size_t)list->count,
                  .growth = room + 3 * (size_t)list->count};
    for (const Tree *s = list->first; s; s = s->next, c->n++) {
        c->t[c->n] = tree_number(s, "t");
        c->stiffness[c->n] = tree_number(s, "stiffness");
        c->fastest[c->n] = tree_number(s, "fastest");
        c->growth[c->n] = tree_number(s, "growth");
        c->known = c->known || isfinite(c->stiffness[c->n]);
    }
    return true;
}

static bool read_spans(Curves *c, const Tree *list, double top, Arena *a)
{
    size_t n = list ? list->count : 0;
    c->from = NEW_ARRAY(a, double, 3 * n + 1);
    if (!c->from)
        return false;
    c->to = c->from + n;
    c->top = c->to + n;
    for (const Tree *s = list ? list->first : NULL; s; s = s->next) {
        double from = tree_number(s, "from"), to = tree_number(s, "to");
        c->from[c->spans] = fmin(from, to); // a run may go backward
        c->to[c->spans] = fmax(from, to);
        c->top[c->spans++] = top;
    }
    return true;
}

static void graph_stiffness(Report *r, const Curves *c, const char *title)
{
    PlotSeries series[] = {
        {.name = c->spans ? "something grows" : "",
         .style = PLOT_CELLS,
         .x = c->from,
         .x2 = c->to,
         .y = c->top,
         .n = c->spans,
         .faint = true},
        {.name = "stiffness", .x = c->t, .y = c->stiffness, .n = c->n}};
    Plot p = {.title = title,
              .x = PLOT_AXIS(c->time),
              .y = PLOT_AXIS("stiffness"),
              .series = series,
              .n = LENGTH(series)};
    p.y.logarithmic = true;
    report_graph(r, &p);
}

static void graph_rates(Report *r, const Curves *c, const char *title)
{
    PlotSeries series[] = {
        {.name = "fastest decay", .x = c->t, .y = c->fastest, .n = c->n},
        {.name = "fastest growth", .x = c->t, .y = c->growth, .n = c->n}};
    Plot p = {.title = title,
              .x = PLOT_AXIS(c->time),
              .y = PLOT_AXIS(c->rate),
              .series = series,
              .n = c->known ? LENGTH(series) : 1};
    report_graph(r, &p);
}

static bool put_graphs(Buffer *b, const Tree *run, const Tree *units, Arena *a,
                       uint32_t *drawn)
{
    const Tree *f = tree_get(run, "features"), *list = tree_get(f, "samples");
    Report own = {.drawn = *drawn};
    Curves c;
    char title[64];
    if (!list || list->count < 3)
        return true;
    if (!read_samples(&c, list, a) ||
        !read_spans(&c, tree_get(f, "unstable"), tree_number(f, "stiffness"),
                    a))
        return false;
    label_axes(&c, units);
    snprintf(title, sizeof title, "Stiffness over time, run %.0f",
             tree_number(run, "run"));
    if (c.known)
        graph_stiffness(&own, &c, title);
    snprintf(title, sizeof title, "Fastest motions over time, run %.0f",
             tree_number(run, "run"));
    graph_rates(&own, &c, title);
    buffer_bytes(b, (const char *)own.graphs.v.bytes, own.graphs.v.used);
    b->broken = b->broken || own.graphs.broken;
    *drawn = own.drawn;
    report_free(&own);
    return true;
}

static bool put_run(Buffer *b, const Tree *run, const Tree *units, bool several)
{
    Buffer words = {0};
    if (several)
        buffer_format(b, "<h3>Run %.0f</h3>\n", tree_number(run, "run"));
    words_features(&words, run, units);
    words_page(b, buffer_string(&words));
    bool good = !words.broken;
    buffer_free(&words);
    return good;
}

bool table_features(Buffer *b, const RunTrees *t, Arena *a, uint32_t drawn)
{
    uint32_t told = 0, all = 0;
    for (uint32_t k = 0; k < t->n; k++) {
        if (!tree_get(t->run[k], "features") || all++ >= DETAILS_MOST)
            continue;
        if (told == 0)
            buffer_text(b, "<section id=\"features\"><h2>Features</h2>\n");
        if (!put_run(b, t->run[k], t->units, t->all > 1) ||
            (told < GRAPHED_MOST &&
             !put_graphs(b, t->run[k], t->units, a, &drawn)))
            return false;
        told++;
    }
    if (all > told)
        buffer_format(b,
                      "<p class=\"note\">The first %u runs: summary.json has "
                      "the features of all of them.</p>\n",
                      told);
    buffer_text(b, told ? "</section>\n" : "");
    return true;
}
