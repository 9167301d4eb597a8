#include "stats/report.h"

#include <string.h>

#include "stats/number.h"
#include "stats/value.h"

/* ---- One line per run ------------------------------------------------------ */

void report_head(Buffer *b, const CosyModel *m)
{
    buffer_format(b, "%s\n", m->name);
    buffer_text(b, "  run  status          t_end  method      steps    events"
                   "  parameters\n");
}

void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room)
{
    Buffer text = {0};
    for (uint32_t k = 0; k < n; k++) {
        const RunSetting *s = &parameter[k];
        const CosyVariable *v = &m->variables[s->variable];
        size_t before = text.v.used;
        buffer_text(&text, k ? ", " : "  ");
        if (s->index == COSY_NONE)
            buffer_text(&text, v->name);
        else
            value_name(&text, v, s->index);
        buffer_text(&text, "=");
        number_print(&text, 'g', 5, s->value);
        if (text.v.used + 4 > room) {
            text.v.used = before;
            buffer_text(&text, k ? ", ..." : "  ...");
            break;
        }
    }
    buffer_text(b, buffer_string(&text));
    buffer_free(&text);
}

static void put_line(Buffer *b, const Cosy *c, const RunFacts *f)
{
    uint64_t events =
        f->state_events + f->time_events + f->hidden_events + f->process_events;
    size_t begun = b->v.used;
    Buffer end = {0};
    number_print(&end, 'g', 7, c->head->t);
    buffer_format(b, "%5u  %-8s %12s  %-8s %8llu  %8llu", f->run, f->status,
                  buffer_string(&end), f->method, (unsigned long long)f->steps,
                  (unsigned long long)events);
    report_parameters(b, c->model, f->parameter, f->parameters,
                      80 - (b->v.used - begun));
    buffer_char(b, '\n');
    buffer_free(&end);
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

static bool has_statistics(const CosyModel *m)
{
    return m->n_collects || m->n_timeperss || m->n_resources || m->n_histograms;
}

void report_run(Buffer *b, const Cosy *c, const RunFacts *f)
{
    put_line(b, c, f);
    put_collects(b, c);
    put_timeperss(b, c);
    put_resources(b, c);
    for (uint32_t k = 0; k < c->model->n_histograms; k++)
        put_histogram(b, &c->histogram[k], c->model->histograms[k].name);
    if (has_statistics(c->model))
        buffer_char(b, '\n');
}
