#include "stats/report.h"

#include <string.h>

#include "stats/figures.h"
#include "stats/number.h"
#include "stats/tables.h"
#include "stats/value.h"

/* ---- One line per run ------------------------------------------------------ */

void report_head(Buffer *b, const CosyModel *m)
{
    buffer_format(b, "%s\n", m->name);
    buffer_text(b, "  run  status          t_end  method      steps    events"
                   "  parameters\n");
}

static bool any_varied(const RunSetting *s, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (s[k].varied)
            return true;
    return false;
}

void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room)
{
    Buffer text = {0};
    bool varied = any_varied(parameter, n);
    for (uint32_t k = 0; k < n; k++) {
        const RunSetting *s = &parameter[k];
        const CosyVariable *v = &m->variables[s->variable];
        size_t before = text.v.used;
        if (varied && !s->varied)
            continue;
        buffer_text(&text, before ? ", " : "  ");
        if (s->index == COSY_NONE)
            buffer_text(&text, v->name);
        else
            value_name(&text, v, s->index);
        buffer_text(&text, "=");
        number_print(&text, 'g', 5, s->value);
        if (text.v.used + 4 > room) {
            text.v.used = before;
            buffer_text(&text, before ? ", ..." : "  ...");
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

/* Where OUTPUT says what is to be seen of histograms, they are there. */
static void put_histograms(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_histograms && m->n_shows == 0; k++) {
        CosyHistogram h = figures_histogram(c, k);
        if (h.active)
            tables_histogram(b, &h, m->histograms[k].name, "");
    }
}

void report_run(Buffer *b, const Cosy *c, const RunFacts *f, bool statistics)
{
    size_t before;
    put_line(b, c, f);
    before = b->v.used;
    if (!statistics)
        return;
    tables_statistics(b, c, f->course);
    put_histograms(b, c);
    if (b->v.used > before)
        buffer_char(b, '\n');
}
