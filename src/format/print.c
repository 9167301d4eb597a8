#include "format/items.h"

#define APART       2  // fewest blanks before a comment at the end of a line
#define USUAL_APART 3  // if it did not stand apart before
#define LEFT_ALONE  64 // a line of so many columns does not move the others

/* A line of the text, from item to item. */
typedef struct Line {
    uint32_t from, to;
    const Item *comment; // the comment at its end, or NULL
    uint32_t column;     // its column
    uint32_t width;      // width without it
    bool blank;          // an empty line comes before
} Line;

/* ---- Lines --------------------------------------------------------------- */

/* Empty lines are kept where a statement, a part or a block begins or ends, and
   among comments there. */
static bool keeps_blank(const Items *s, uint32_t k)
{
    if (k == 0 || s->item[k].lines < 2)
        return false;
    while (k < s->count && s->item[k].token == NULL)
        k++;
    return k == s->count ||
           (s->item[k].gap != GAP_SOFT && s->item[k].gap != GAP_JOIN);
}

static Line line_from(const Items *s, uint32_t from)
{
    Line l = {.from = from, .to = from + 1};
    while (l.to < s->count && !s->item[l.to].first)
        l.to++;
    l.blank = keeps_blank(s, from);
    if (l.to - from > 1 && s->item[l.to - 1].token == NULL) {
        l.comment = &s->item[l.to - 1];
        l.width = item_end(l.comment - 1);
        l.column = l.comment->was_column >= l.width + APART
                       ? l.comment->was_column
                       : l.width + USUAL_APART;
    }
    return l;
}

static bool moves_along(const Line *l)
{
    return l->comment != NULL && l->width < LEFT_ALONE;
}

/* Comments at the ends of consecutive lines begin in one column. */
static void align(Line *line, uint32_t count)
{
    for (uint32_t k = 0, end; k < count; k = end) {
        uint32_t column = line[k].column;
        end = k + 1;
        if (!moves_along(&line[k]))
            continue;
        for (; end < count && moves_along(&line[end]) && !line[end].blank;
             end++)
            column = line[end].column > column ? line[end].column : column;
        for (; k < end; k++)
            line[k].column = column;
    }
}

/* ---- Text ---------------------------------------------------------------- */

static void blanks(Buffer *b, uint32_t n)
{
    while (n-- > 0)
        buffer_char(b, ' ');
}

static void print_upper(Buffer *b, const Item *i)
{
    for (uint32_t k = 0; k < i->length; k++) {
        char c = i->text[k];
        buffer_char(b, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
    }
}

/* The further lines of a comment move like its first. */
static void print_tall(Buffer *b, const Item *i, uint32_t column)
{
    uint32_t at = 0;
    while (at < i->length) {
        uint32_t to = at, end, past = at, column_was = 0;
        while (to < i->length && i->text[to] != '\n')
            to++;
        if (at > 0) {
            buffer_char(b, '\n');
            column_was = item_margin(i, at, &past);
        }
        for (end = to; end > past &&
                       (i->text[end - 1] == ' ' || i->text[end - 1] == '\t' ||
                        i->text[end - 1] == '\r');)
            end--;
        if (at > 0 && end > past)
            blanks(b, item_moved(i, column_was, column));
        buffer_bytes(b, i->text + past, end - past);
        at = to + 1;
    }
}

static void print_item(Buffer *b, const Item *i, uint32_t column)
{
    if (i->upper)
        print_upper(b, i);
    else if (i->tall && i->token == NULL)
        print_tall(b, i, column);
    else
        buffer_bytes(b, i->text, i->length);
}

static void print_line(const Items *s, const Line *l, Buffer *b)
{
    uint32_t end = 0;
    if (l->blank)
        buffer_char(b, '\n');
    for (uint32_t k = l->from; k < l->to; k++) {
        const Item *i = &s->item[k];
        uint32_t column = i == l->comment ? l->column : i->column;
        blanks(b, column - end);
        print_item(b, i, column);
        end = item_end(i);
    }
    buffer_char(b, '\n');
}

void items_print(Items *s, Buffer *b)
{
    Line *line = NEW_ARRAY(s->u->arena, Line, s->count + 1);
    uint32_t count = 0;
    if (line == NULL) {
        items_fail(s, NO_ROOM);
        return;
    }
    for (uint32_t k = 0; k < s->count; k = line[count++].to)
        line[count] = line_from(s, k);
    align(line, count);
    for (uint32_t k = 0; k < count; k++)
        print_line(s, &line[k], b);
}
