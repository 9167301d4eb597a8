#include "stats/report.h"

#include <string.h>

#include "stats/number.h"
#include "stats/value.h"

/* Arrays longer than this are told by their length only. */
#define SHOWN 3

/* ---- Head and final values ------------------------------------------------ */

static void put_counts(Buffer *b, const RunFacts *f)
{
    const struct {
        uint64_t n;
        const char *what;
    } counts[] = {
        {f->steps, "step"},
        {f->state_events, "state event"},
        {f->hidden_events, "hidden event"},
        {f->time_events, "time event"},
        {f->process_events, "process event"},
    };
    const char *between = f->method[0] ? ", " : "";
    buffer_format(b, " (%s", f->method);
    for (size_t k = 0; k < LENGTH(counts); k++)
        if (counts[k].n) {
            buffer_format(b, "%s%llu %s%s", between,
                          (unsigned long long)counts[k].n, counts[k].what,
                          counts[k].n == 1 ? "" : "s");
            between = ", ";
        }
    buffer_text(b, ")\n");
}

static void put_head(Buffer *b, const Cosy *c, const RunFacts *f)
{
    buffer_format(b, "%s, run %u: %s at time ", c->model->name, f->run,
                  f->status);
    number_text(b, c->head->t);
    buffer_text(b, "\n");
    put_counts(b, f);
}

static void put_value(Buffer *b, const Cosy *c, const CosyVariable *v)
{
    uint32_t n = value_count(v);
    uint32_t shown = n <= SHOWN ? n : 1;
    buffer_format(b, "  %-14s", v->name);
    for (uint32_t k = 0; k < shown; k++) {
        buffer_char(b, ' ');
        number_text(b, value_real(c, v, k));
    }
    if (shown < n) {
        buffer_text(b, " ... ");
        number_text(b, value_real(c, v, n - 1));
        buffer_format(b, "  (%u elements)", n);
    }
    if (v->unit[0])
        buffer_format(b, " %s", v->unit);
    buffer_char(b, '\n');
}

static void put_values(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (value_is_global(&m->variables[k]) &&
            m->variables[k].kind != COSY_CONST)
            put_value(b, c, &m->variables[k]);
}

/* ---- Statistics -------------------------------------------------------------- */

static void put_row(Buffer *b, const char *name, const real *value, size_t n)
{
    buffer_format(b, "  %-14s", name);
    for (size_t k = 0; k < n; k++)
        buffer_format(b, " %11.5g", (double)value[k]);
    buffer_char(b, '\n');
}

static void put_title(Buffer *b, const char *name, const char *columns)
{
    buffer_format(b, "\n  %-14s%s\n", name, columns);
}

static void put_collects(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    if (m->n_collects)
        put_title(
            b, "COLLECT",
            "           n        mean          sd         min         max");
    for (uint32_t k = 0; k < m->n_collects; k++) {
        const CosyCollect *s = &c->collect[k];
        const real row[] = {(real)s->n, s->mean, cosy_collect_sd(s), s->min,
                            s->max};
        put_row(b, m->collects[k].name, row, LENGTH(row));
    }
}

static void put_timeperss(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    if (m->n_timeperss)
        put_title(b, "TIMEPERS",
                  "        mean          sd         min         max");
    for (uint32_t k = 0; k < m->n_timeperss; k++) {
        const CosyTimepers *s = &c->timepers[k];
        const real row[] = {cosy_timepers_mean(c, k), cosy_timepers_sd(c, k),
                            s->min, s->max};
        put_row(b, m->timeperss[k].name, row, LENGTH(row));
    }
}

static void put_resources(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    if (m->n_resources)
        put_title(b, "RESOURCE",
                  "    mean use     entries   mean wait    max wait   "
                  "max queue");
    for (uint32_t k = 0; k < m->n_resources; k++) {
        const CosyResource *s = &c->resource[k];
        const real row[] = {cosy_used_mean(c, k), (real)s->entries,
                            cosy_wait_mean(c, k), s->wait_max,
                            (real)s->most_waiting};
        put_row(b, m->resources[k].name, row, LENGTH(row));
    }
}

/* Bars of up to 40 characters; empty cells at both ends are left out. */
static void put_histogram(Buffer *b, const CosyHistogram *h, const char *name)
{
    static const char bar[] = "****************************************";
    uint64_t most = 1;
    uint32_t first = h->cells + 2, last = 0;
    for (uint32_t k = 0; k < h->cells + 2; k++)
        if (h->count[k]) {
            first = k < first ? k : first;
            last = k;
            most = h->count[k] > most ? h->count[k] : most;
        }
    put_title(b, "HISTOGRAM", name);
    for (uint32_t k = first; k <= last && k < h->cells + 2; k++) {
        int length = (int)(h->count[k] * 40 / most);
        if (k <= h->cells)
            buffer_format(b, "  <= %-11.5g",
                          (double)(h->first + (real)k * h->width));
        else
            buffer_format(b, "  >  %-11.5g",
                          (double)(h->first + (real)h->cells * h->width));
        buffer_format(b, "%8llu %.*s\n", (unsigned long long)h->count[k],
                      length, bar);
    }
}

void report_run(Buffer *b, const Cosy *c, const RunFacts *f)
{
    put_head(b, c, f);
    put_values(b, c);
    put_collects(b, c);
    put_timeperss(b, c);
    put_resources(b, c);
    for (uint32_t k = 0; k < c->model->n_histograms; k++)
        put_histogram(b, &c->histogram[k], c->model->histograms[k].name);
    buffer_char(b, '\n');
}
