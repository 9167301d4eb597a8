#include "cli/sheet.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { GAP = 2, CELL_MOST = 4096, LAST_LEAST = 16 };

void sheet_begin(Sheet *s, const char *const *head, uint32_t columns)
{
    assert(columns > 0 && columns <= SHEET_COLUMNS);
    *s = (Sheet){.columns = columns};
    for (uint32_t k = 0; k < columns; k++)
        s->head[k] = head[k];
}

void sheet_text(Sheet *s, const char *text)
{
    buffer_bytes(&s->cells, text, strlen(text) + 1);
    s->n++;
}

void sheet_number(Sheet *s, double value, int digits)
{
    char text[64] = "-";
    if (!isnan(value))
        snprintf(text, sizeof text, "%.*g", digits, value + 0.0);
    sheet_text(s, text);
}

void sheet_free(Sheet *s)
{
    buffer_free(&s->cells);
}

/* ---- Printing ------------------------------------------------------------- */

static bool is_left(const Sheet *s, uint32_t column)
{
    return (column == 0 && s->head[0][0] != '>') || s->head[column][0] == '<';
}

/* One of the two lines of a heading. */
static const char *head_line(const Sheet *s, uint32_t column, int line,
                             size_t *n)
{
    const char *text = s->head[column] + strspn(s->head[column], "<>");
    const char *bar = strchr(text, '|');
    *n = bar ? (size_t)(bar - text) : line == 0 ? 0 : strlen(text);
    if (line == 0 || !bar)
        return text;
    *n = strlen(bar + 1);
    return bar + 1;
}

static bool is_tall(const Sheet *s)
{
    for (uint32_t k = 0; k < s->columns; k++)
        if (strchr(s->head[k], '|'))
            return true;
    return false;
}

static void find_widths(const Sheet *s, size_t *width)
{
    const char *cell = (const char *)s->cells.v.bytes;
    for (uint32_t k = 0; k < s->columns; k++) {
        size_t first, second;
        head_line(s, k, 0, &first);
        head_line(s, k, 1, &second);
        width[k] = first > second ? first : second;
    }
    for (size_t k = 0; k < s->n; k++) {
        size_t n = strlen(cell), wide = text_char_count(cell, n);
        size_t *w = &width[k % s->columns];
        *w = wide > *w ? wide : *w;
        cell += n + 1;
    }
}

/* The bytes of so many characters. */
static size_t bytes_of(const char *text, size_t characters)
{
    size_t at = 0, all = strlen(text);
    for (; characters > 0 && at < all; characters--) {
        size_t n = text_char_length(text + at, all - at);
        at += n ? n : 1;
    }
    return at;
}

static void put_cell(Buffer *b, const char *text, size_t n, size_t width,
                     bool left)
{
    size_t wide = text_char_count(text, n);
    size_t blanks = wide < width ? width - wide : 0;
    if (!left)
        buffer_format(b, "%*s", (int)blanks, "");
    if (wide > width) {
        buffer_bytes(b, text, bytes_of(text, width - 1));
        buffer_char(b, '~');
    } else {
        for (size_t k = 0; k < n; k++) // a text may hold anything
            buffer_char(b, (unsigned char)text[k] < ' ' || text[k] == 127
                               ? '?'
                               : text[k]);
    }
    if (left)
        buffer_format(b, "%*s", (int)blanks, "");
}

static void end_line(Buffer *b)
{
    while (b->v.used > 0 && b->v.bytes[b->v.used - 1] == ' ')
        b->v.used--;
    buffer_char(b, '\n');
}

/* The first column, and those from `from` to `to`. */
static void put_part(Buffer *b, const Sheet *s, const size_t *width,
                     uint32_t from, uint32_t to)
{
    const char *cell = (const char *)s->cells.v.bytes;
    for (int line = is_tall(s) ? 0 : 1; line < 2; line++) {
        for (uint32_t k = 0; k < to; k = k == 0 && from > 0 ? from : k + 1) {
            size_t n;
            const char *text = head_line(s, k, line, &n);
            buffer_format(b, "%*s", GAP, "");
            put_cell(b, text, n, width[k], is_left(s, k));
        }
        end_line(b);
    }
    for (size_t k = 0; k < s->n; k++, cell += strlen(cell) + 1) {
        uint32_t column = (uint32_t)(k % s->columns);
        if (column == 0 || (column >= from && column < to)) {
            buffer_format(b, "%*s", GAP, "");
            put_cell(b, cell, strlen(cell), width[column], is_left(s, column));
        }
        if (column + 1 == s->columns)
            end_line(b);
    }
}

void sheet_print(Buffer *b, const Sheet *s)
{
    size_t width[SHEET_COLUMNS];
    assert(s->n % s->columns == 0);
    find_widths(s, width);
    for (uint32_t from = 1, to; from <= s->columns; from = to) {
        size_t used = GAP + width[0];
        for (to = from; to < s->columns; to++) {
            bool last = to + 1 == s->columns && is_left(s, to);
            size_t room =
                SHEET_WIDTH > used + GAP ? SHEET_WIDTH - used - GAP : 0;
            if (last && width[to] > room && room >= LAST_LEAST)
                width[to] = room;
            if (to > from && GAP + width[to] > room + GAP)
                break;
            used += GAP + width[to];
        }
        if (from > 1)
            buffer_char(b, '\n');
        put_part(b, s, width, from, to);
        if (to == s->columns)
            break;
    }
}
