#include "stats/report.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "stats/figures.h"
#include "stats/number.h"
#include "stats/tables.h"
#include "stats/value.h"

/* ---- Settings --------------------------------------------------------------- */

static bool any_varied(const RunSetting *s, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (s[k].varied)
            return true;
    return false;
}

/* NAME=VALUE, with at most `most` characters of the name. */
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

static bool any_shown(const RunSetting *s, uint32_t from, uint32_t n,
                      bool varied)
{
    for (uint32_t k = from; k < n; k++)
        if (!varied || s[k].varied)
            return true;
    return false;
}

/* Appends as many as fit; false if not all do. */
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
        bool last = !any_shown(parameter, k + 1, n, varied);
        if (text->v.used + (last ? 0 : 5) > room) {
            text->v.used = before;
            buffer_text(text, before ? ", ..." : "  ...");
            return false;
        }
    }
    return true;
}

/* Shortens long names if that means that nothing has to be left out. */
void report_parameters(Buffer *b, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n, size_t room)
{
    static const size_t most[] = {1000, 12, 7, 1000};
    Buffer text = {0};
    for (size_t k = 0; k < LENGTH(most); k++) {
        text.v.used = 0;
        if (put_settings(&text, m, parameter, n, room, most[k]))
            break;
    }
    buffer_text(b, buffer_string(&text));
    buffer_free(&text);
}

/* ---- One line per run ------------------------------------------------------ */

/* Until all runs are known, a line consists of its cells, each after a mark.
   The last cell has the settings in ever shorter forms, of which the table
   takes the longest that fits. */
#define CELL   '\x1f'
#define CHOICE '\x1e'

enum { CELLS = 6, SETTINGS_STEPS = 3 };

typedef struct Column {
    const char *name;
    size_t least; // its width in a table of small numbers
    bool left;    // left-justified
    size_t gap;   // blanks before it
} Column;

static const Column columns[CELLS] = {
    {"run", 5, false, 0},   {"status", 8, true, 2}, {"t_end", 12, false, 1},
    {"method", 8, true, 2}, {"steps", 8, false, 1}, {"events", 8, false, 2},
};

static void put_line(Buffer *b, const Cosy *c, const RunFacts *f)
{
    static const size_t most[SETTINGS_STEPS] = {1000, 12, 7};
    uint64_t events =
        f->state_events + f->time_events + f->hidden_events + f->process_events;
    Buffer end = {0};
    number_print(&end, 'g', 7, c->head->t);
    buffer_format(b, "%c%u%c%s%c%s%c%s%c%llu%c%llu%c", CELL, f->run, CELL,
                  f->status, CELL, buffer_string(&end), CELL, f->method, CELL,
                  (unsigned long long)f->steps, CELL,
                  (unsigned long long)events, CELL);
    for (size_t k = 0; k < SETTINGS_STEPS; k++) {
        Buffer text = {0};
        put_settings(&text, c->model, f->parameter, f->parameters, SIZE_MAX / 2,
                     most[k]);
        if (k > 0)
            buffer_char(b, CHOICE);
        buffer_text(b, buffer_string(&text));
        buffer_free(&text);
    }
    buffer_char(b, '\n');
    buffer_free(&end);
}

/* The next cell of a line; its end is the next mark or the end of the line. */
static const char *next_cell(const char *at, size_t *length)
{
    static const char ends[] = {CELL, CHOICE, '\n', '\0'};
    assert(*at == CELL || *at == CHOICE);
    *length = strcspn(at + 1, ends);
    return at + 1;
}

static void find_widths(size_t *width, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
        for (uint32_t k = 0; *text == CELL && k < CELLS; k++) {
            size_t n;
            const char *cell = next_cell(text, &n);
            width[k] = n > width[k] ? n : width[k];
            text = cell + n;
        }
}

static void put_cell(Buffer *b, uint32_t k, size_t width, const char *text,
                     size_t n)
{
    assert(n <= width);
    int blanks = (int)(width - n);
    buffer_format(b, "%*s", (int)columns[k].gap, "");
    if (!columns[k].left)
        buffer_format(b, "%*s", blanks, "");
    buffer_bytes(b, text, n);
    if (columns[k].left)
        buffer_format(b, "%*s", blanks, "");
}

/* Over as many lines as it takes, broken between settings. */
static void put_below(Buffer *b, const char *text, size_t n, size_t wide)
{
    const char *all = text + n;
    for (size_t used = wide; text < all;) {
        const char *comma = memchr(text, ',', (size_t)(all - text));
        size_t length = (size_t)((comma ? comma + 1 : all) - text);
        while (length > 0 && *text == ' ')
            text++, length--;
        if (used + 1 + length > wide) {
            buffer_text(b, "\n        ");
            used = 8;
        }
        buffer_char(b, ' ');
        buffer_bytes(b, text, length);
        used += 1 + length;
        text += length;
    }
}

/* Puts the longest of the forms that fits; if none does, it goes below the
   line. */
static const char *put_choice(Buffer *b, const char *at, size_t room,
                              size_t wide)
{
    size_t n, first;
    const char *whole = next_cell(at, &first);
    bool done = false;
    for (uint32_t k = 0; k < SETTINGS_STEPS; k++) {
        const char *cell = next_cell(at, &n);
        if (!done && n <= room)
            buffer_bytes(b, cell, n);
        done = done || n <= room;
        at = cell + n;
    }
    if (!done)
        put_below(b, whole, first, wide);
    return at;
}

static void put_head(Buffer *b, const CosyModel *m, const Buffer *end,
                     const size_t *width)
{
    buffer_text(b, m->name);
    if (m->author)
        buffer_format(b, ", project %llu by %s", (unsigned long long)m->project,
                      m->author);
    buffer_char(b, '\n');
    if (!end)
        return; // there is no line
    for (uint32_t k = 0; k < CELLS; k++) {
        const char *name =
            k == 2 ? (const char *)end->v.bytes : columns[k].name;
        size_t n = k == 2 ? end->v.used : strlen(name);
        put_cell(b, k, width[k], name, n);
    }
    buffer_text(b, "  parameters\n");
}

void report_table(Buffer *b, const CosyModel *m, const char *text, size_t wide)
{
    size_t width[CELLS], used = 0;
    Buffer end = {0};
    buffer_text(&end, "t_end");
    value_put_unit(&end, cosy_time_unit(m));
    for (uint32_t k = 0; k < CELLS; k++)
        width[k] = columns[k].least;
    width[2] = end.v.used > width[2] ? end.v.used : width[2];
    find_widths(width, text);
    for (uint32_t k = 0; k < CELLS; k++)
        used += columns[k].gap + width[k];
    put_head(b, m, text[0] ? &end : NULL, width);
    buffer_free(&end);
    for (; *text; text++) {
        if (*text != CELL) { // the statistics of the run above
            size_t n = strcspn(text, "\n");
            buffer_bytes(b, text, n);
            text += n;
        }
        for (uint32_t k = 0; *text == CELL && k < CELLS; k++) {
            size_t n;
            const char *cell = next_cell(text, &n);
            put_cell(b, k, width[k], cell, n);
            text = cell + n;
        }
        if (*text == CELL)
            text = put_choice(b, text, wide > used ? wide - used : 0, wide);
        buffer_char(b, '\n');
    }
}

/* ---- Statistics -------------------------------------------------------------- */

/* If OUTPUT says which histograms are shown, they are shown there. */
static void put_histograms(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_histograms && m->n_shows == 0; k++) {
        CosyHistogram h = figures_histogram(c, k);
        if (h.active)
            tables_histogram(
                b, &h, m->histograms[k].name,
                value_shown_unit(value_unit(m, m->histograms[k].name)));
    }
}

void report_run(Buffer *b, const Cosy *c, const RunFacts *f, bool statistics)
{
    size_t before;
    put_line(b, c, f);
    before = b->v.used;
    if (!statistics)
        return;
    tables_statistics(b, c, f);
    put_histograms(b, c);
    if (b->v.used > before)
        buffer_char(b, '\n');
}
