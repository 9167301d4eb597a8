#include "stats/show.h"

#include <string.h>

#include "base/text.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/value.h"

/* ---- Columns --------------------------------------------------------------- */

void show_name(Buffer *b, const CosyModel *m, const ShowColumn *c)
{
    if (c->variable == COSY_NONE)
        buffer_text(b, "TIME");
    else
        value_name(b, &m->variables[c->variable], c->element);
}

const char *show_unit(const CosyModel *m, const ShowColumn *c)
{
    return value_shown_unit(c->variable == COSY_NONE
                                ? cosy_time_unit(m)
                                : m->variables[c->variable].unit);
}

typedef struct Columns {
    Vector v; // of ShowColumn
    bool broken;
} Columns;

static void add_column(Columns *c, const CosyModel *m, uint32_t variable,
                       uint32_t element, Buffer *b)
{
    ShowColumn one = {.variable = variable, .element = element};
    if (variable != COSY_NONE) {
        one.column = record_column(m, variable, element);
        if (one.column == 0) {
            buffer_text(b, "(");
            show_name(b, m, &one);
            buffer_text(b, " is not STOREd, and not shown)\n");
            return;
        }
    }
    c->broken = c->broken || !vector_append(&c->v, &one, sizeof one);
}

/* Adds all elements of an array. */
static void add_columns(Columns *c, const CosyModel *m, uint32_t variable,
                        uint32_t element, Buffer *b)
{
    uint32_t n = value_count(&m->variables[variable]);
    if (element != COSY_NONE) {
        add_column(c, m, variable, element, b);
        return;
    }
    for (uint32_t e = 0; e < n; e++)
        add_column(c, m, variable, e, b);
}

/* ---- Title ------------------------------------------------------------------ */

void show_title(Buffer *b, const CosyShow *s, const ShowSource *from)
{
    size_t length = text_char_count(s->title, strlen(s->title));
    size_t right = strlen(from->what);
    buffer_char(b, '\n');
    buffer_text(b, s->title);
    if (length + right + 2 > show_wide(from)) {
        buffer_char(b, '\n');
        length = 0;
    }
    for (size_t k = length + right; length > 0 && k < show_wide(from); k++)
        buffer_char(b, ' ');
    buffer_format(b, "%s\n\n", from->what);
}

/* ---- LIST ------------------------------------------------------------------- */

enum { DIGITS = 7, NARROW = 14 };

static void put_value(Buffer *b, const ShowSource *from, size_t row,
                      const ShowColumn *c)
{
    /* + 0: a zero is shown without a sign. */
    number_print(b, 'g', DIGITS, show_value(from, row, c->column) + R(0.0));
}

static size_t wider(size_t width, Buffer *text)
{
    size_t n = text_char_count((const char *)text->v.bytes, text->v.used);
    text->v.used = 0;
    return n > width ? n : width;
}

/* Room for name and unit with two blanks before them, and for numbers with one. */
static uint32_t column_width(const ShowSource *from, const ShowColumn *c)
{
    size_t width = NARROW - 2, room = NARROW - 1;
    Buffer text = {0};
    show_name(&text, from->model, c);
    width = wider(width, &text);
    if (show_unit(from->model, c)[0])
        buffer_format(&text, "[%s]", show_unit(from->model, c));
    width = wider(width, &text);
    for (size_t row = 0; row < show_count(from); row++) {
        put_value(&text, from, row, c);
        room = wider(room, &text);
    }
    buffer_free(&text);
    return (uint32_t)(width + 2 > room + 1 ? width + 2 : room + 1);
}

static void put_right(Buffer *b, const char *text, uint32_t width)
{
    size_t n = text_char_count(text, strlen(text));
    for (; n < width; n++)
        buffer_char(b, ' ');
    buffer_text(b, text);
}

/* Units, up to the last column that has one. */
static void put_units(Buffer *b, const CosyModel *m, const ShowColumn *c,
                      const uint32_t *width, uint32_t n)
{
    Buffer text = {0};
    while (n > 0 && !show_unit(m, &c[n - 1])[0])
        n--;
    for (uint32_t k = 0; k < n; k++) {
        text.v.used = 0;
        if (show_unit(m, &c[k])[0])
            buffer_format(&text, "[%s]", show_unit(m, &c[k]));
        put_right(b, buffer_string(&text), width[k]);
    }
    buffer_char(b, '\n');
    buffer_free(&text);
}

static void put_names(Buffer *b, const CosyModel *m, const ShowColumn *c,
                      const uint32_t *width, uint32_t n)
{
    bool units = false;
    Buffer text = {0};
    for (uint32_t k = 0; k < n; k++) {
        text.v.used = 0;
        show_name(&text, m, &c[k]);
        put_right(b, buffer_string(&text), width[k]);
        units = units || show_unit(m, &c[k])[0];
    }
    buffer_char(b, '\n');
    if (units)
        put_units(b, m, c, width, n);
    buffer_free(&text);
}

/* A table of columns that fit beside each other. */
static void put_table(Buffer *b, const ShowSource *from, const ShowColumn *c,
                      const uint32_t *width, uint32_t n)
{
    Buffer text = {0};
    put_names(b, from->model, c, width, n);
    for (size_t row = 0; row < show_count(from); row++) {
        for (uint32_t k = 0; k < n; k++) {
            text.v.used = 0;
            put_value(&text, from, row, &c[k]);
            put_right(b, buffer_string(&text), width[k]);
        }
        buffer_char(b, '\n');
    }
    buffer_free(&text);
}

static void put_list(Buffer *b, const CosyShow *s, const ShowSource *from,
                     const ShowColumn *c, uint32_t n)
{
    enum { MOST = 20 };
    ShowColumn beside[MOST];
    uint32_t width[MOST];
    show_title(b, s, from);
    beside[0] = c[0];
    width[0] = column_width(from, &c[0]);
    if (n == 1)
        put_table(b, from, beside, width, n);
    for (uint32_t k = 1; k < n;) {
        uint32_t used = width[0], m = 1, next = column_width(from, &c[k]);
        do {
            beside[m] = c[k++];
            width[m++] = next;
            used += next;
            next = k < n ? column_width(from, &c[k]) : 0;
        } while (m < MOST && k < n && used + next <= show_wide(from));
        put_table(b, from, beside, width, m);
        if (k < n)
            buffer_char(b, '\n');
    }
}

/* ---- Both --------------------------------------------------------------------- */

void show_line(Buffer *b, const CosyShow *s, const ShowSource *from)
{
    const CosyModel *m = from->model;
    Columns c = {0};
    /* Points of the cross file belong to different runs: a table has no use for
       their times. */
    bool first =
        s->versus != COSY_NONE || s->kind == COSY_PLOT || !from->points;
    if (first)
        add_column(&c, m, s->versus,
                   s->versus_at == COSY_NONE ? 0 : s->versus_at, b);
    if (c.v.used > 0 || !first)
        for (uint32_t k = 0; k < s->n; k++)
            add_columns(&c, m, s->variable[k], s->element[k], b);
    const ShowColumn *column = (const ShowColumn *)(const void *)c.v.bytes;
    uint32_t n = (uint32_t)(c.v.used / sizeof *column);
    if (n > 1 && s->kind == COSY_PLOT)
        show_plot(b, s, from, column, n);
    else if (n > (first ? 1 : 0) && s->kind == COSY_LIST)
        put_list(b, s, from, column, n);
    b->broken = b->broken || c.broken;
    vector_free(&c.v);
}
