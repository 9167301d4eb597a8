#include "grammar/diagram.h"

#include <string.h>

#include "grammar/layout.h"

/* Cells share their edges with their neighbours: a box three cells wider than
   its text leaves a blank on either side of the text and a cell of track. */
static const Metrics metrics = {.max_width = TEXT_WIDTH - 3,
                                .pad = 3,
                                .char_width = 1,
                                .half = 0,
                                .gap = 0,
                                .between = 1,
                                .turn = 1,
                                .quoted = true};

/* A cell of the picture: a character of a text, or the directions in which a
   track leaves the cell. */
enum { RIGHT = 1, DOWN = 2, LEFT = 4, UP = 8 };

typedef struct Canvas {
    int columns, rows;
    char *letter;         // '\0': none
    unsigned char *ways;  // RIGHT to UP
    unsigned char *arrow; // 1: an arrow to the left
} Canvas;

static const char *const line_drawing[16] = {" ", "─", "│", "╭", "─", "─",
                                             "╮", "┬", "│", "╰", "│", "├",
                                             "╯", "┴", "┤", "┼"};

static size_t cell(const Canvas *c, int x, int y)
{
    return (size_t)y * (size_t)c->columns + (size_t)x;
}

static void draw_segment(Canvas *c, int x, int y, int to_x, int to_y)
{
    int dx = (to_x > x) - (to_x < x), dy = (to_y > y) - (to_y < y);
    unsigned char out = dx > 0 ? RIGHT : dx < 0 ? LEFT : dy > 0 ? DOWN : UP;
    unsigned char in = dx > 0 ? LEFT : dx < 0 ? RIGHT : dy > 0 ? UP : DOWN;
    while (x != to_x || y != to_y) {
        c->ways[cell(c, x, y)] |= out;
        x += dx;
        y += dy;
        c->ways[cell(c, x, y)] |= in;
    }
}

static void draw_track(Canvas *c, const Track *t)
{
    for (int k = 0; k + 1 < t->points; k++)
        draw_segment(c, t->x[k], t->y[k], t->x[k + 1], t->y[k + 1]);
}

static void draw_box(Canvas *c, const Box *box)
{
    const char *text = box_text(box->symbol, box->rule);
    bool quoted = box->symbol != NULL && box->symbol->kind == SYMBOL_SIGN;
    int x = box->x + 1;
    c->ways[cell(c, box->x, box->y)] |= RIGHT;
    c->ways[cell(c, box->x + box->width, box->y)] |= LEFT;
    c->letter[cell(c, x++, box->y)] = ' ';
    if (quoted)
        c->letter[cell(c, x++, box->y)] = '"';
    for (; *text != '\0'; text++)
        c->letter[cell(c, x++, box->y)] = *text;
    if (quoted)
        c->letter[cell(c, x++, box->y)] = '"';
    c->letter[cell(c, x, box->y)] = ' ';
}

static void draw_all(Canvas *c, const Drawing *d)
{
    const Track *track = (const Track *)(const void *)d->tracks.bytes;
    const Arrow *arrow = (const Arrow *)(const void *)d->arrows.bytes;
    const Box *box = (const Box *)(const void *)d->boxes.bytes;
    for (size_t k = 0; k < d->tracks.used / sizeof *track; k++)
        draw_track(c, &track[k]);
    for (size_t k = 0; k < d->arrows.used / sizeof *arrow; k++)
        c->arrow[cell(c, arrow[k].x, arrow[k].y)] = 1;
    for (size_t k = 0; k < d->boxes.used / sizeof *box; k++)
        draw_box(c, &box[k]);
}

static void write_cell(Buffer *b, const Canvas *c, int x, int y)
{
    size_t k = cell(c, x, y);
    if (c->letter[k] != '\0')
        buffer_char(b, c->letter[k]);
    else if (c->arrow[k] != 0)
        buffer_text(b, "◂");
    else
        buffer_text(b, line_drawing[c->ways[k]]);
}

static bool is_blank(const Canvas *c, int x, int y)
{
    size_t k = cell(c, x, y);
    return c->letter[k] == '\0' && c->ways[k] == 0;
}

static void write_canvas(Buffer *b, const Canvas *c, const Drawing *d)
{
    for (int y = 0; y < c->rows; y++) {
        int end = c->columns;
        while (end > 0 && is_blank(c, end - 1, y))
            end--;
        buffer_text(b, end > 0 ? (y == d->start_y ? "▸" : " ") : "");
        for (int x = 0; x < end; x++)
            write_cell(b, c, x, y);
        buffer_text(b, y == d->end_y ? "▸\n" : "\n");
    }
}

void diagram_text(Buffer *b, const Grammar *g, const Rule *rule)
{
    Drawing d;
    Arena a = {0};
    drawing_make(&d, g, rule, &metrics);
    Canvas c = {.columns = d.width + 1, .rows = d.height + 1};
    size_t n = (size_t)c.columns * (size_t)c.rows;
    c.letter = NEW_ARRAY(&a, char, n);
    c.ways = NEW_ARRAY(&a, unsigned char, n);
    c.arrow = NEW_ARRAY(&a, unsigned char, n);
    if (d.broken || c.letter == NULL || c.ways == NULL || c.arrow == NULL) {
        b->broken = true;
    } else {
        draw_all(&c, &d);
        write_canvas(b, &c, &d);
    }
    arena_free(&a);
    drawing_free(&d);
}
