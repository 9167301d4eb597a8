#include "stats/tables.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "stats/figures.h"
#include "stats/value.h"

/* ---- Cells and rows ----------------------------------------------------------- */

/* Any number with one digit fits into eight columns with a blank, any count
   into six. */
void tables_cell(Buffer *b, real value, int width)
{
    char text[40] = "-";
    int digits = 5, length = 0;
    assert(width >= (value < R(0.0) || (value > 0 && value < R(1.0)) ? 8 : 6));
    if (cosy_finite(value))
        do
            length = snprintf(text, sizeof text, "%.*g", digits--,
                              (double)value + 0.0);
        while (length >= width && digits > 0);
    assert(length < width);
    buffer_format(b, "%*s", width, text);
}

static void put_count(Buffer *b, uint64_t n, int width)
{
    char text[40];
    if (snprintf(text, sizeof text, "%llu", (unsigned long long)n) < width)
        buffer_format(b, "%*s", width, text);
    else
        tables_cell(b, (real)n, width);
}

static void put_name(Buffer *b, const char *name, int width)
{
    if ((int)strlen(name) > width)
        buffer_format(b, "  %s\n  %*s", name, width, "");
    else
        buffer_format(b, "  %-*s", width, name);
}

/* In per cent, with one decimal. */
static void put_share(Buffer *b, real share, int width)
{
    if (cosy_finite(share))
        buffer_format(b, "%*.1f", width, 100.0 * (double)share);
    else
        buffer_format(b, "%*s", width, "-");
}

/* Puts the unit of TIME below the names of the columns that are times; `width`
   is the distance to the end of each of them. Nothing if TIME has no unit. */
static void put_time_units(Buffer *b, const CosyModel *m, const int *width,
                           uint32_t n)
{
    Buffer unit = {0};
    if (!cosy_time_unit(m)[0])
        return;
    buffer_format(&unit, "[%s]", cosy_time_unit(m));
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b, "%*s", width[k], buffer_string(&unit));
    buffer_char(b, '\n');
    buffer_free(&unit);
}

/* ---- COLLECT and TIMEPERS -------------------------------------------------------- */

enum { SAMPLE_NAME = 15, SAMPLE_CELL = 9 };

/* The unit applies to all columns but the number of observations, or their
   time. */
static void put_unit_name(Buffer *b, const CosyModel *m, const char *name)
{
    Buffer text = {0};
    buffer_text(&text, name);
    value_put_unit(&text, value_shown_unit(value_unit(m, name)));
    put_name(b, buffer_string(&text), SAMPLE_NAME);
    buffer_free(&text);
}

static void put_sample(Buffer *b, const CosyModel *m, const SampleFigures *s,
                       const char *name, bool over_time)
{
    const BatchInterval *i = &s->interval;
    put_unit_name(b, m, name);
    if (over_time)
        tables_cell(b, s->time, SAMPLE_CELL);
    else
        put_count(b, s->n, SAMPLE_CELL);
    tables_cell(b, s->mean, SAMPLE_CELL);
    tables_cell(b, s->sd, SAMPLE_CELL);
    tables_cell(b, s->min, SAMPLE_CELL);
    tables_cell(b, s->max, SAMPLE_CELL);
    tables_cell(b, i->batches ? i->low : (real)NAN, SAMPLE_CELL);
    tables_cell(b, i->batches ? i->high : (real)NAN, SAMPLE_CELL);
    buffer_char(b, '\n');
}

static void put_sample_head(Buffer *b, const CosyModel *m, bool over_time)
{
    static const int width[] = {2 + SAMPLE_NAME + SAMPLE_CELL};
    buffer_format(b,
                  "\n%62s%18s\n  %-15s%9s     mean       sd      min"
                  "      max     from       to\n",
                  "", "95 % interval", over_time ? "TIMEPERS" : "COLLECT",
                  over_time ? "time" : "n");
    if (over_time)
        put_time_units(b, m, width, LENGTH(width));
}

/* Neighbouring batches that depend on each other so much make an interval
   doubtful, or impossible. */
#define LAG_LARGE R(0.4)

/* A line for a sample whose batches still depend on each other. */
static void put_doubt(Buffer *b, const SampleFigures *s, const char *name)
{
    const BatchInterval *i = &s->interval;
    if (!i->known || (i->batches && i->correlation < LAG_LARGE))
        return;
    buffer_format(b, "  %s: %s, batches depend on each other (lag 1: %.2f)\n",
                  name, i->batches ? "a doubtful interval" : "no interval",
                  (double)i->correlation);
}

/* The lines below a table of samples. */
static void put_doubts(Buffer *b, const Cosy *c, const RunFacts *f,
                       bool over_time)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < (over_time ? m->n_timepers : m->n_collects); k++) {
        if (!(over_time ? c->timepers[k].active : c->collect[k].active))
            continue;
        SampleFigures s = over_time ? figures_timepers(c, k, f->course)
                                    : figures_collect(c, k);
        put_doubt(b, &s, over_time ? m->timepers[k].name : m->collects[k].name);
    }
}

static void put_samples(Buffer *b, const Cosy *c, const RunFacts *f,
                        bool over_time)
{
    const CosyModel *m = c->model;
    uint32_t n = over_time ? m->n_timepers : m->n_collects;
    bool begun = false;
    for (uint32_t k = 0; k < n; k++) {
        if (!(over_time ? c->timepers[k].active : c->collect[k].active))
            continue;
        if (!begun)
            put_sample_head(b, m, over_time);
        begun = true;
        SampleFigures s = over_time ? figures_timepers(c, k, f->course)
                                    : figures_collect(c, k);
        put_sample(b, m, &s,
                   over_time ? m->timepers[k].name : m->collects[k].name,
                   over_time);
    }
    put_doubts(b, c, f, over_time);
}

static void put_quantiles(Buffer *b, const Cosy *c, const Follow *f)
{
    const CosyModel *m = c->model;
    bool begun = false;
    for (uint32_t k = 0; f && k < m->n_collects; k++) {
        if (!c->collect[k].active || !c->collect[k].quantiles)
            continue;
        if (!begun)
            buffer_format(b, "\n  %-*s", SAMPLE_NAME + SAMPLE_CELL,
                          "QUANTILES");
        for (uint32_t i = 0; i < FOLLOW_SHARES && !begun; i++)
            buffer_format(b, "%*u %%", SAMPLE_CELL - 2, follow_shares[i]);
        buffer_text(b, begun ? "" : "\n");
        begun = true;
        put_unit_name(b, m, m->collects[k].name);
        buffer_format(b, "%*s", SAMPLE_CELL, "");
        for (uint32_t i = 0; i < FOLLOW_SHARES; i++)
            tables_cell(b, follow_quantile(f, k, follow_shares[i]),
                        SAMPLE_CELL);
        buffer_char(b, '\n');
    }
}

static void put_warmup(Buffer *b, const CosyModel *m, const RunWarmup *w)
{
    if (!w)
        return;
    buffer_format(b, "\n  warm-up of %s: ", w->of);
    if (w->removed == 0)
        buffer_text(b, "none");
    else
        buffer_format(b, "left out until %.6g%s%s", (double)w->until,
                      COSY_IN_TIME(m));
    buffer_format(b, " (MSER: %u of %u means)\n", w->removed, w->means);
}

/* ---- Resources ---------------------------------------------------------------------- */

/* The largest of values, which are none where there is no mean of them. */
static real largest(real max, real mean)
{
    return isnan(mean) ? mean : max;
}

/* FACILITY, GATE, SIGNAL: share of time, entries, waits, queue. */
static void put_facility(Buffer *b, const ResourceFigures *r, const char *name)
{
    put_name(b, name, 15);
    put_share(b, r->utilisation, 8);
    put_count(b, r->entries, 8);
    put_count(b, r->waited, 8);
    tables_cell(b, r->mean_wait, 9);
    tables_cell(b, largest(r->max_wait, r->mean_wait), 9);
    tables_cell(b, r->mean_queue, 9);
    put_count(b, r->max_queue, 6);
    put_count(b, r->queue, 6);
    buffer_char(b, '\n');
}

static void put_storage(Buffer *b, const ResourceFigures *r, const char *name)
{
    put_name(b, name, 12);
    put_share(b, r->utilisation, 7);
    tables_cell(b, r->mean_content, 8);
    put_count(b, (uint64_t)r->max_content, 6);
    put_count(b, (uint64_t)r->content, 6);
    put_count(b, r->entries, 9);
    tables_cell(b, r->mean_wait, 8);
    tables_cell(b, largest(r->max_wait, r->mean_wait), 8);
    tables_cell(b, r->mean_queue, 8);
    put_count(b, r->max_queue, 6);
    buffer_char(b, '\n');
}

static void put_head(Buffer *b, const CosyModel *m, CosyResourceKind kind,
                     const char *name, const char *share)
{
    static const int storage[] = {58, 8}, other[] = {50, 9}; // mean, max
    if (kind == COSY_STORAGE)
        buffer_format(b,
                      "\n%14s%7s%20s%9s%16s%14s\n  %-12s%7s%8s%6s%6s%9s%8s%8s"
                      "%8s%6s\n",
                      "", share, "content      ", "", "wait     ", "queue   ",
                      name, "%", "mean", "max", "now", "entries", "mean", "max",
                      "mean", "max");
    else
        buffer_format(b,
                      "\n%17s%8s%8s%8s%18s%21s\n  %-15s%8s%8s%8s%9s%9s%9s"
                      "%6s%6s\n",
                      "", share, "", "had to", "wait of all  ", "queue     ",
                      name, share[0] ? "%" : "", "entries", "wait", "mean",
                      "max", "mean", "max", "now");
    put_time_units(b, m, kind == COSY_STORAGE ? storage : other, 2);
}

static void put_resources(Buffer *b, const Cosy *c, CosyResourceKind kind,
                          const char *name, const char *share)
{
    const CosyModel *m = c->model;
    bool begun = false;
    for (uint32_t k = 0; k < m->n_resources; k++) {
        if (m->resources[k].kind != kind)
            continue;
        if (!begun)
            put_head(b, m, kind, name, share);
        begun = true;
        ResourceFigures r = figures_resource(c, k);
        if (kind == COSY_STORAGE)
            put_storage(b, &r, m->resources[k].name);
        else
            put_facility(b, &r, m->resources[k].name);
    }
}

/* Facilities that were out of service, with what they did all the time. */
static void put_failures(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    bool begun = false;
    for (uint32_t k = 0; k < m->n_resources; k++) {
        ResourceFigures r = figures_resource(c, k);
        if (r.failures == 0 && !(r.down > R(0.0)))
            continue;
        if (!begun)
            buffer_format(b, "\n%17s%8s%8s%8s\n  %-15s%8s%8s%8s%8s\n", "",
                          "busy", "idle", "down", "OUT OF SERVICE", "%", "%",
                          "%", "times");
        begun = true;
        put_name(b, m->resources[k].name, 15);
        put_share(b, r.utilisation, 8);
        put_share(b, r.idle, 8);
        put_share(b, r.down, 8);
        put_count(b, r.failures, 8);
        buffer_char(b, '\n');
    }
}

/* Requests that ended by TIMEOUT, and their share in all that were granted or
   given up. */
static void put_gave_up(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    bool begun = false;
    for (uint32_t k = 0; k < m->n_resources; k++) {
        ResourceFigures r = figures_resource(c, k);
        if (r.gave_up == 0)
            continue;
        if (!begun)
            buffer_format(b, "\n  %-15s%8s%8s\n", "GAVE UP", "times", "%");
        begun = true;
        put_name(b, m->resources[k].name, 15);
        put_count(b, r.gave_up, 8);
        put_share(b, (real)r.gave_up / (real)(r.entries + r.gave_up), 8);
        buffer_char(b, '\n');
    }
}

/* ---- Files and processes ---------------------------------------------------------------- */

static void put_store(Buffer *b, const StoreFigures *s, const char *name)
{
    put_name(b, name, 18);
    put_count(b, s->entries, 11);
    tables_cell(b, s->mean_content, 11);
    put_count(b, s->max_content, 8);
    put_count(b, s->content, 8);
    tables_cell(b, s->mean_stay, 11);
    tables_cell(b, largest(s->max_stay, s->mean_stay), 11);
    buffer_char(b, '\n');
}

static void put_stores(Buffer *b, const Cosy *c, StoreKind kind)
{
    static const char *const words[STORE_KINDS] = {"FILE", "PROCESS", "COPIES"};
    const CosyModel *m = c->model;
    uint32_t n = figures_stores(m, kind);
    static const int stay[] = {69, 11}; // mean, max
    if (n)
        buffer_format(b, "\n%31s%27s%22s\n  %-18s%11s%11s%8s%8s%11s%11s\n", "",
                      "content          ", "stay       ", words[kind],
                      "entries", "mean", "max", "now", "mean", "max");
    if (n)
        put_time_units(b, m, stay, LENGTH(stay));
    for (uint32_t k = 0; k < n; k++) {
        StoreFigures s = figures_store(c, kind, k);
        put_store(b, &s, figures_store_name(m, kind, k));
    }
}

/* Removes blanks at the ends of lines. */
static void trim_lines(Buffer *b, size_t from)
{
    size_t to = from;
    for (size_t k = from; k < b->v.used; k++) {
        if (b->v.bytes[k] == '\n')
            while (to > from && b->v.bytes[to - 1] == ' ')
                to--;
        b->v.bytes[to++] = b->v.bytes[k];
    }
    b->v.used = b->broken ? b->v.used : to;
}

void tables_statistics(Buffer *b, const Cosy *c, const RunFacts *f)
{
    size_t from = b->v.used;
    put_warmup(b, c->model, f->warmup);
    put_samples(b, c, f, false);
    put_quantiles(b, c, f->follow);
    put_samples(b, c, f, true);
    put_resources(b, c, COSY_FACILITY, "FACILITY", "busy");
    put_resources(b, c, COSY_STORAGE, "STORAGE", "used");
    put_resources(b, c, COSY_GATE, "GATE", "open");
    put_resources(b, c, COSY_SIGNAL, "SIGNAL", "");
    put_resources(b, c, COSY_POOL, "ANY OF", "busy");
    put_failures(b, c);
    put_gave_up(b, c);
    put_stores(b, c, STORE_FILE);
    put_stores(b, c, STORE_PROCESS);
    put_stores(b, c, STORE_COPIES);
    trim_lines(b, from);
}

/* ---- Histograms --------------------------------------------------------------------------- */

typedef struct Cells {
    uint32_t first, last; // the first and last with something in them
    uint64_t all, most;
} Cells;

static Cells filled_cells(const CosyHistogram *h)
{
    Cells f = {.first = h->cells + 2};
    for (uint32_t k = 0; k < h->cells + 2; k++)
        if (h->count[k]) {
            f.first = k < f.first ? k : f.first;
            f.last = k;
            f.all += h->count[k];
            f.most = h->count[k] > f.most ? h->count[k] : f.most;
        }
    return f;
}

static void put_limit(Buffer *b, const CosyHistogram *h, uint32_t k,
                      bool exists)
{
    if (exists)
        tables_cell(b, h->first + (real)k * h->width, 10);
    else
        buffer_format(b, "%10s", "");
}

static void put_bar(Buffer *b, uint64_t count, uint64_t most)
{
    enum { LONGEST = 33 };
    double share = (double)count / (double)most;
    int length = (int)(share * LONGEST + 0.5);
    if (count > 0 && length == 0)
        buffer_text(b, "  .");
    else if (length > 0)
        buffer_text(b, "  ");
    for (int k = 0; k < length; k++)
        buffer_char(b, '*');
    buffer_char(b, '\n');
}

void tables_histogram(Buffer *b, const CosyHistogram *h, const char *name,
                      const char *unit)
{
    Cells f = filled_cells(h);
    uint64_t sum = 0;
    buffer_format(b, "\n  HISTOGRAM %s%s%s%s: %llu observation%s\n", name,
                  unit[0] ? " [" : "", unit, unit[0] ? "]" : "",
                  (unsigned long long)f.all, f.all == 1 ? "" : "s");
    if (f.all == 0)
        return;
    buffer_format(b, "%10s%10s%10s%7s%8s\n", "above", "up to", "count", "%",
                  "sum %");
    for (uint32_t k = f.first; k <= f.last; k++) {
        sum += h->count[k];
        put_limit(b, h, k - 1, k > 0);
        put_limit(b, h, k, k <= h->cells);
        put_count(b, h->count[k], 10);
        put_share(b, (real)h->count[k] / (real)f.all, 7);
        put_share(b, (real)sum / (real)f.all, 8);
        put_bar(b, h->count[k], f.most);
    }
}
