#include "picture/gallery.h"

#include "stats/uncertain.h"

#include <stdio.h>
#include <string.h>

#include "picture/bands.h"
#include "picture/families.h"
#include "picture/fields.h"
#include "picture/graphs.h"
#include "picture/signals.h"
#include "picture/swept.h"
#include "stats/record.h"

/* ---- Records --------------------------------------------------------------------- */

Shown *gallery_shown(const Gallery *g, size_t *count)
{
    *count = g->shown.used / sizeof(Shown);
    return (Shown *)(void *)g->shown.bytes;
}

void shown_free(Shown *s)
{
    vector_free(&s->rows);
    vector_free(&s->histograms);
    vector_free(&s->active);
    vector_free(&s->marks);
    vector_free(&s->spans);
    buffer_free(&s->parameters);
    course_free(&s->course);
    film_free(&s->film);
}

void gallery_clear(Gallery *g)
{
    size_t n;
    Shown *s = gallery_shown(g, &n);
    for (size_t k = 0; k < n; k++)
        shown_free(&s[k]);
    replicate_free(&g->replications);
    sweep_free(&g->sweep);
    uncertain_free(&g->uncertain);
    envelopes_free(&g->envelopes);
    plots_free(&g->plots);
    plots_free(&g->pictures);
    vector_free(&g->shown);
    vector_free(&g->cross);
    vector_free(&g->saves);
    vector_free(&g->kept);
    g->runs = 0;
    g->plots_full = false;
}

/* ---- OUTPUT ----------------------------------------------------------------------- */

bool gallery_wants(const Gallery *g, uint32_t run, uint32_t place, bool saved,
                   bool last)
{
    const CosyModel *m = g->model;
    const KernelOptions *o = g->options;
    const bool swept = sweep_present(&g->sweep) != NULL;
    if ((last && graphs_wanted(g)) || family_keeps(g, place))
        return true;
    if (m->n_shows == 0)
        return false;
    for (uint32_t k = 0; k < m->n_shows && (o->dir || o->json); k++)
        if (signals_has(&m->shows[k]) &&
            (last || saved || m->shows[k].other == (int32_t)run ||
             m->shows[k].run == (int32_t)run ||
             (m->shows[k].run == COSY_ALL && run <= LINES_RUNS_MOST)))
            return true;
    if (!(o->write || (o->dir && !o->no_plots)))
        return false;
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (m->shows[k].run == (int32_t)run ||
            m->shows[k].other == (int32_t)run ||
            (m->shows[k].run == COSY_ALL && run <= LINES_RUNS_MOST && !swept))
            return true;
    return saved || last;
}

/* The nth SAVEd run; if none was SAVEd, run n. */
static const Shown *find_run(const Gallery *g, uint32_t n)
{
    size_t count, saved = 0;
    const Shown *s = gallery_shown(g, &count), *numbered = NULL;
    for (size_t k = 0; k < count; k++) {
        if (s[k].saved && ++saved == n)
            return &s[k];
        if (s[k].run == n)
            numbered = &s[k];
    }
    return saved == 0 ? numbered : NULL;
}

const Shown *gallery_find(const Gallery *g, const CosyShow *line)
{
    size_t count;
    const Shown *s = gallery_shown(g, &count);
    if (line->run > 0)
        return find_run(g, (uint32_t)line->run);
    return count && line->run != COSY_CROSSF ? &s[count - 1] : NULL;
}

bool gallery_find_rows(const Gallery *g, const CosyShow *line, ShowSource *from)
{
    const Shown *one;
    bool cross = line->run == COSY_CROSSF;
    *from = (ShowSource){.model = g->model,
                         .columns = record_width(g->model, cross)};
    if (cross) {
        from->rows = &g->cross;
        from->points = true;
        snprintf(from->what, sizeof from->what, "cross file");
        snprintf(from->file, sizeof from->file, "cross.csv");
        return g->cross.used > 0;
    }
    one = gallery_find(g, line);
    if (!one)
        return false;
    from->rows = &one->rows;
    snprintf(from->what, sizeof from->what, "run %u", one->run);
    snprintf(from->file, sizeof from->file, "run-%04u.csv", one->run);
    return one->rows.used > 0;
}

static void no_rows(Gallery *g, const CosyShow *line)
{
    char text[200];
    if (g->failed->status != STATUS_OK && line->run != COSY_CROSSF)
        return; // a run failed before its first record, as a message has said
    if (line->run == COSY_CROSSF)
        snprintf(text, sizeof text,
                 "the cross file is empty: no run called CROSSPLOT");
    else if (line->run > 0)
        snprintf(text, sizeof text,
                 "there are no records of run (%d): it was not made, it was "
                 "not SAVEd, or STOREOFF was in force",
                 line->run);
    else
        snprintf(text, sizeof text,
                 "the last run has no records: STOREOFF was in force");
    outlet_message(g->outlet, COSY_WARNING, line->line, text);
}

bool gallery_rows(Gallery *g, const CosyShow *line, ShowSource *from)
{
    if (gallery_find_rows(g, line, from))
        return true;
    no_rows(g, line);
    return false;
}

static bool is_drawn(CosyShowKind kind)
{
    return kind == COSY_GRAPH || kind == COSY_OVERPLOT;
}

/* BARS as text. */
static void show_bars(Gallery *g, const CosyShow *line, Buffer *b)
{
    const Shown *s = gallery_find(g, line);
    Buffer missing = {0};
    char text[300];
    if (s && s->pooled) {
        buffer_text(b, "\n  BARS: cosy run shows the histograms of all "
                       "replications; their counts are in summary.json\n");
        return;
    }
    if (s)
        graphs_bars(g, b, &missing, line, s);
    if (!s)
        outlet_message(g->outlet, COSY_WARNING, line->line,
                       "BARS: no run is kept that could be shown");
    else if (missing.v.used > 0) {
        const char *name = buffer_string(&missing);
        snprintf(text, sizeof text,
                 "BARS: %.80s has no HISTOGRAM in the run that is shown: write "
                 "HISTOGRAM %.80s: 10 CELLS END in EXPERIMENT",
                 name, name);
        outlet_message(g->outlet, COSY_WARNING, line->line, text);
    }
    buffer_free(&missing);
}

void gallery_show(Gallery *g)
{
    Lines l;
    Buffer b = {0};
    if (!g->options->write || g->runs == 0)
        return;
    if (g->options->sketch && !g->options->no_plots)
        curves_sketch(g, &b);
    const Signals *signals = signals_find(g);
    if (curves_lines(g, &l) != STATUS_OK || !signals)
        l.n = 0;
    uint32_t signal = 0;
    for (uint32_t k = 0; k < l.n; k++) {
        const CosyShow *line = &l.line[k];
        ShowSource from;
        if (signals_has(line))
            signals_text(&b, g, &signals->signal[signal++]);
        else if (film_is(line))
            fields_text(g, line, &b);
        else if (line->kind == COSY_BARS)
            show_bars(g, line, &b);
        else if (line->kind == COSY_PLOT && line->run == COSY_MEAN)
            bands_text(g, line, &b);
        else if (line->kind == COSY_PLOT && swept_is(g, line))
            swept_text(g, line, &b);
        else if (!is_drawn(line->kind) && gallery_rows(g, line, &from))
            show_line(&b, line, &from);
    }
    arena_free(&l.arena);
    outlet_end_line(g->outlet);
    outlet_write(g->outlet, (const char *)b.v.bytes, b.v.used);
    buffer_free(&b);
}

/* ---- summary.json ------------------------------------------------------------------ */

void gallery_json(Buffer *b, Gallery *g)
{
    const uint32_t *run = (const uint32_t *)(const void *)g->saves.bytes;
    size_t n = g->saves.used / sizeof *run;
    for (size_t k = 0; k < n; k++)
        buffer_format(b, "%s%u", k ? ", " : "\"saved\": [", run[k]);
    buffer_text(b, n ? "]" : "");
    size_t before = b->v.used;
    buffer_text(b, n ? ",\n " : "");
    size_t after = b->v.used;
    signals_json(b, g);
    if (b->v.used == after)
        b->v.used = before;
}
