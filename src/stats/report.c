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
    Buffer end = {0};
    buffer_text(&end, "t_end");
    value_put_unit(&end, cosy_time_unit(m));
    buffer_format(b,
                  "  run  status   %12s  method      steps    events"
                  "  parameters\n",
                  buffer_string(&end));
    buffer_free(&end);
}

static bool any_varied(const RunSetting *s, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (s[k].varied)
            return true;
    return false;
}

/* NAME=VALUE; of a name at most so many characters. */
static void put_setting(Buffer *b, const CosyModel *m, const RunSetting *s,
                        size_t most)
{
    const CosyVariable *v = &m->variables[s->variable];
    size_t before = b->v.used;
    if (s->index == COSY_NONE)
        buffer_text(b, v->name);
    else
        value_name(b, v, s->index);
    if (b->v.used - before > most) {
        b->v.used = before + most - 1;
        buffer_char(b, '~');
    }
    buffer_text(b, "=");
    if (v->type == COSY_TYPE_BOOLEAN)
        buffer_text(b, s->value != R(0.0) ? "TRUE" : "FALSE");
    else
        number_print(b, 'g', 5, s->value);
}

/* Appends what has room; false: not all. */
static bool put_settings(Buffer *text, const CosyModel *m,
                         const RunSetting *parameter, uint32_t n, size_t room,
                         size_t most)
{
    bool varied = any_varied(parameter, n);
    for (uint32_t k = 0; k < n; k++) {
        size_t before = text->v.used;
        if (varied && !parameter[k].varied)
            continue;
        buffer_text(text, before ? ", " : "  ");
        put_setting(text, m, &parameter[k], most);
        if (text->v.used + 4 > room) {
            text->v.used = before;
            buffer_text(text, before ? ", ..." : "  ...");
            return false;
        }
    }
    return true;
}

/* Long names are shortened before anything is left out. */
void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room)
{
    static const size_t most[] = {1000, 12, 7};
    Buffer text = {0};
    for (size_t k = 0; k < LENGTH(most); k++) {
        text.v.used = 0;
        if (put_settings(&text, m, parameter, n, room, most[k]))
            break;
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
            tables_histogram(b, &h, m->histograms[k].name,
                             value_unit(m, m->histograms[k].name));
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
