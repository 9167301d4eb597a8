#include "grammar/layout.h"

#include <string.h>

#include "base/text.h"

#define COLUMN_LENGTH 14 // alternatives of a choice before it gets columns

typedef enum ShapeKind {
    SHAPE_BOX,
    SHAPE_EMPTY,
    SHAPE_SEQUENCE,
    SHAPE_ROWS,    // parts: sequences, one below the other
    SHAPE_CHOICE,  // parts: alternatives, the first on the track
    SHAPE_COLUMNS, // parts: choices, side by side
    SHAPE_OPTION,  // part: what may be bypassed, above
    SHAPE_LOOP     // parts: what is repeated, what lies on the way back
} ShapeKind;

typedef struct Shape Shape;

struct Shape {
    ShapeKind kind;
    const Item *item; // item of a box
    Shape *first, *next;
    int width, up, down; // room above and below the track
    bool last;           // rows: end at the last row, not level with the first
};

typedef struct Layout {
    const Grammar *g;
    const Metrics *m;
    Drawing *d;
    Arena arena;
    Shape spare;
} Layout;

const char *box_text(const Symbol *symbol, const Rule *rule)
{
    static const char *const classes[CLASS_COUNT] = {
        "name", "integer", "decimal", "string", "text to END"};
    if (symbol == NULL)
        return rule->name;
    for (size_t k = 0; k < CLASS_COUNT; k++) {
        if (symbol->kind == SYMBOL_CLASS &&
            strcmp(symbol->text, class_names[k]) == 0)
            return classes[k];
    }
    return symbol->text;
}

/* ---- Shapes -------------------------------------------------------------- */

static Shape *shape_item(Layout *l, const Item *i);

static Shape *shape_new(Layout *l, ShapeKind kind)
{
    Shape *s = NEW(&l->arena, Shape);
    if (s == NULL) {
        l->d->broken = true;
        s = &l->spare;
    }
    *s = (Shape){.kind = kind};
    return s;
}

static void shape_add(Shape *parent, Shape *part)
{
    Shape **end = &parent->first;
    while (*end != NULL && *end != part)
        end = &(*end)->next;
    *end = part;
}

/* A single part stands for itself. */
static Shape *shape_simple(Layout *l, Shape *s)
{
    if (s->first == NULL)
        return shape_new(l, SHAPE_EMPTY);
    if (s->first->next == NULL)
        return s->first;
    return s;
}

#define PARTS 64

/* The parts of a sequence, or the item itself. */
static uint32_t list_parts(const Item *i, const Item *part[PARTS])
{
    uint32_t n = 0;
    if (i->kind != ITEM_SEQUENCE) {
        part[0] = i;
        return 1;
    }
    for (i = i->first; i != NULL && n < PARTS; i = i->next)
        part[n++] = i;
    return n;
}

/* How many parts before `at` are also the end of what part[at] repeats: the x
   of `x { "," x }`. 0 if there are none. */
static uint32_t loop_length(const Item *const *part, uint32_t at)
{
    const Item *body[PARTS];
    uint32_t n, k;
    if (part[at]->kind != ITEM_REPEAT)
        return 0;
    n = list_parts(part[at]->first, body);
    for (k = 0; k < n && k < at; k++) {
        if (!item_equal(part[at - 1 - k], body[n - 1 - k]))
            break;
    }
    return k;
}

/* What lies on the way back, which is read from right to left. */
static Shape *shape_back(Layout *l, const Item *repeat, uint32_t length)
{
    const Item *body[PARTS];
    uint32_t n = list_parts(repeat->first, body);
    Shape *s = shape_new(l, SHAPE_SEQUENCE);
    for (uint32_t k = n - length; k-- > 0;)
        shape_add(s, shape_item(l, body[k]));
    return shape_simple(l, s);
}

static Shape *shape_range(Layout *l, const Item *const *part, uint32_t n);

static Shape *shape_loop(Layout *l, Shape *forward, Shape *back)
{
    Shape *s = shape_new(l, SHAPE_LOOP);
    shape_add(s, forward);
    shape_add(s, back);
    return s;
}

/* A sequence whose loops have been found. */
static Shape *shape_range(Layout *l, const Item *const *part, uint32_t n)
{
    Shape *s = shape_new(l, SHAPE_SEQUENCE);
    for (uint32_t k = 0; k < n && !l->d->broken; k++) {
        uint32_t ahead = 0, length = 0;
        /* Does a repetition further on begin its loop here? */
        for (uint32_t j = k + 1; j < n && length == 0; j++) {
            length = loop_length(part, j);
            ahead = j;
            if (length != j - k)
                length = 0;
        }
        if (length > 0) {
            shape_add(s, shape_loop(l, shape_range(l, part + k, length),
                                    shape_back(l, part[ahead], length)));
            k = ahead;
        } else {
            shape_add(s, shape_item(l, part[k]));
        }
    }
    return shape_simple(l, s);
}

static bool is_short(const Item *i)
{
    return i->kind == ITEM_SYMBOL || i->kind == ITEM_RULE;
}

static Shape *shape_choice(Layout *l, const Item *i)
{
    Shape *all = shape_new(l, SHAPE_COLUMNS);
    Shape *s = shape_new(l, SHAPE_CHOICE);
    uint32_t n = 0, length = COLUMN_LENGTH, k = 0;
    bool short_ones = true;
    for (const Item *part = i->first; part != NULL; part = part->next) {
        short_ones = short_ones && is_short(part);
        n++;
    }
    if (!short_ones || n <= COLUMN_LENGTH)
        length = n;
    else
        length = (n + (n - 1) / length) / ((n + length - 1) / length);
    for (const Item *part = i->first; part != NULL; part = part->next, k++) {
        if (k == length) {
            shape_add(all, s);
            s = shape_new(l, SHAPE_CHOICE);
            k = 0;
        }
        shape_add(s, shape_item(l, part));
    }
    shape_add(all, s);
    return shape_simple(l, all);
}

static Shape *shape_item(Layout *l, const Item *i)
{
    const Item *part[PARTS];
    Shape *s;
    switch (i->kind) {
    case ITEM_SEQUENCE: return shape_range(l, part, list_parts(i, part));
    case ITEM_CHOICE: return shape_choice(l, i);
    case ITEM_OPTION:
    case ITEM_REPEAT:
        s = shape_item(l, i->first);
        if (i->kind == ITEM_REPEAT)
            s = shape_loop(l, s, shape_new(l, SHAPE_EMPTY));
        else if (s->kind == SHAPE_EMPTY)
            return s;
        Shape *option = shape_new(l, SHAPE_OPTION);
        shape_add(option, s);
        return option;
    default:
        s = shape_new(l, SHAPE_BOX);
        s->item = i;
        return s;
    }
}

/* ---- Sizes --------------------------------------------------------------- */

static int max(int a, int b)
{
    return a > b ? a : b;
}

static void measure(Layout *l, Shape *s, int room);

static const char *shape_text(const Layout *l, const Shape *s)
{
    const Item *i = s->item;
    return i->kind == ITEM_SYMBOL ? box_text(&l->g->symbol[i->index], NULL)
                                  : box_text(NULL, &l->g->rule[i->index]);
}

static void measure_box(Layout *l, Shape *s)
{
    const char *text = shape_text(l, s);
    int n = (int)text_char_count(text, strlen(text));
    if (l->m->quoted && s->item->kind == ITEM_SYMBOL &&
        l->g->symbol[s->item->index].kind == SYMBOL_SIGN)
        n += 2;
    s->width = n * l->m->char_width + l->m->pad;
    s->up = s->down = l->m->half;
}

/* Fills rows up to the width available; what is too wide for any row sticks
   out. */
static void break_rows(Layout *l, Shape *s, int room)
{
    Shape *part = s->first, *row = NULL, *next;
    int width = 0;
    s->kind = SHAPE_ROWS;
    s->first = NULL;
    room -= 6 * l->m->turn;
    for (; part != NULL && !l->d->broken; part = next) {
        next = part->next;
        part->next = NULL;
        if (row == NULL || width + l->m->gap + part->width > room) {
            row = shape_new(l, SHAPE_SEQUENCE);
            shape_add(s, row);
            width = -l->m->gap;
        }
        width += l->m->gap + part->width;
        shape_add(row, part);
    }
}

static void measure_rows(Layout *l, Shape *s)
{
    const Metrics *m = l->m;
    int y = 0;
    for (Shape *row = s->first; row != NULL; row = row->next) {
        measure(l, row, 1 << 20);
        s->width = max(s->width, row->width + 6 * m->turn);
        if (row == s->first)
            s->up = row->up;
        else
            y += m->between + row->up;
        y += row->down;
        s->down = y;
        y += m->between;
    }
}

static void measure_sequence(Layout *l, Shape *s, int room)
{
    s->width = -l->m->gap;
    for (Shape *part = s->first; part != NULL; part = part->next) {
        measure(l, part, room);
        s->width += part->width + l->m->gap;
        s->up = max(s->up, part->up);
        s->down = max(s->down, part->down);
    }
    if (s->width > room) {
        s->width = s->up = s->down = 0;
        break_rows(l, s, room);
        measure_rows(l, s);
    }
}

static void measure_choice(Layout *l, Shape *s, int room)
{
    for (Shape *part = s->first; part != NULL; part = part->next) {
        measure(l, part, room - 4 * l->m->turn);
        s->width = max(s->width, part->width + 4 * l->m->turn);
        if (part == s->first)
            s->up = part->up;
        else
            s->down += l->m->between + part->up;
        s->down += part->down;
    }
}

static void measure_columns(Layout *l, Shape *s, int room)
{
    s->width = 2 * l->m->turn;
    for (Shape *part = s->first; part != NULL; part = part->next) {
        measure(l, part, room);
        s->width += part->width;
        s->down = max(s->down, part->up + part->down);
    }
    s->down += 2 * l->m->between;
}

static void measure_loop(Layout *l, Shape *s, int room)
{
    Shape *forward = s->first, *back = forward->next;
    measure(l, forward, room - 4 * l->m->turn);
    measure(l, back, room - 4 * l->m->turn);
    s->width = max(forward->width, back->width) + 4 * l->m->turn;
    s->up = forward->up;
    s->down = forward->down + l->m->between + back->up + back->down;
}

static void measure(Layout *l, Shape *s, int room)
{
    s->width = s->up = s->down = 0;
    switch (s->kind) {
    case SHAPE_BOX: measure_box(l, s); break;
    case SHAPE_EMPTY: s->width = 2 * l->m->turn; break;
    case SHAPE_SEQUENCE: measure_sequence(l, s, room); break;
    case SHAPE_ROWS: measure_rows(l, s); break;
    case SHAPE_CHOICE: measure_choice(l, s, room); break;
    case SHAPE_COLUMNS: measure_columns(l, s, room); break;
    case SHAPE_LOOP: measure_loop(l, s, room); break;
    case SHAPE_OPTION:
        measure(l, s->first, room - 4 * l->m->turn);
        s->width = s->first->width + 4 * l->m->turn;
        s->up = s->first->up + l->m->between;
        s->down = s->first->down;
        break;
    }
}

/* ---- Places -------------------------------------------------------------- */

static void place(Layout *l, const Shape *s, int x, int y);

/* Adds a track from x, y through points given alternately: across to an x, down
   to a y, across, ... */
static void track(Layout *l, int x, int y, const int *bend, int bends)
{
    Track t = {.x = {x}, .y = {y}, .points = 1};
    for (int k = 0; k < bends; k++) {
        int *tx = &t.x[t.points], *ty = &t.y[t.points];
        *tx = k % 2 == 0 ? bend[k] : tx[-1];
        *ty = k % 2 == 0 ? ty[-1] : bend[k];
        t.points++;
    }
    if (!vector_append(&l->d->tracks, &t, sizeof t))
        l->d->broken = true;
}

#define TRACK(l, x, y, ...)                                                    \
    track((l), (x), (y), (const int[]){__VA_ARGS__},                           \
          (int)LENGTH(((const int[]){__VA_ARGS__})))

static void line(Layout *l, int x, int y, int to)
{
    if (x != to)
        TRACK(l, x, y, to);
}

static void arrow(Layout *l, int x, int y)
{
    Arrow a = {x, y};
    if (!vector_append(&l->d->arrows, &a, sizeof a))
        l->d->broken = true;
}

static void place_box(Layout *l, const Shape *s, int x, int y)
{
    Box b = {.x = x, .y = y, .width = s->width};
    if (s->item->kind == ITEM_SYMBOL)
        b.symbol = &l->g->symbol[s->item->index];
    else
        b.rule = &l->g->rule[s->item->index];
    if (!vector_append(&l->d->boxes, &b, sizeof b))
        l->d->broken = true;
}

static void place_sequence(Layout *l, const Shape *s, int x, int y)
{
    for (const Shape *part = s->first; part != NULL; part = part->next) {
        if (part != s->first) {
            line(l, x, y, x + l->m->gap);
            x += l->m->gap;
        }
        place(l, part, x, y);
        x += part->width;
    }
}

/* Leads from the end of each row back to the beginning of the next, and from
   the last row up to the first again, unless the whole diagram ends here. */
static void place_rows(Layout *l, const Shape *s, int x, int y)
{
    int t = l->m->turn, right = x + s->width, at = y;
    line(l, x, y, x + 2 * t);
    for (const Shape *row = s->first; row != NULL; row = row->next) {
        int end = x + 2 * t + row->width;
        place(l, row, x + 2 * t, at);
        if (row->next != NULL) {
            int back = at + row->down + l->m->between;
            int next = back + l->m->between + row->next->up;
            TRACK(l, end, at, right - 3 * t, back, x + t, next, x + 2 * t);
            arrow(l, (x + right) / 2 - t, back);
            at = next;
        } else if (!s->last) {
            TRACK(l, end, at, right - t, y, right);
        }
    }
}

/* Connects a spine with the alternatives to its right or left, except the one
   at the end of the spine: no part of a track is drawn twice. */
static void fork(Layout *l, int spine, int y, int way)
{
    int t = l->m->turn;
    TRACK(l, spine, y - t, spine, y, spine + way * t);
}

static void merge(Layout *l, int spine, int y, int way)
{
    int t = l->m->turn;
    TRACK(l, spine - t, y, spine, y + way * t);
}

static void place_choice(Layout *l, const Shape *s, int x, int y)
{
    int t = l->m->turn, right = x + s->width, at = y;
    line(l, x, y, x + 2 * t);
    for (const Shape *part = s->first; part != NULL; part = part->next) {
        if (part != s->first)
            at += part->up;
        place(l, part, x + 2 * t, at);
        line(l, x + 2 * t + part->width, at, right - 2 * t);
        if (part == s->first) {
            line(l, right - 2 * t, y, right);
        } else if (part->next != NULL) {
            fork(l, x + t, at, 1);
            merge(l, right - t, at, -1);
        } else {
            TRACK(l, x, y, x + t, at, x + 2 * t);
            TRACK(l, right - 2 * t, at, right - t, y, right);
        }
        at += part->down + l->m->between;
    }
}

/* Places one column: from the track above down into it, and out of it down to
   the track below. The track above has been drawn up to `from`. */
static void place_column(Layout *l, const Shape *c, int from, int x, int y,
                         int below)
{
    int t = l->m->turn, at = y + l->m->between, right = x + c->width;
    for (const Shape *part = c->first; part != NULL; part = part->next) {
        at += part->up;
        place(l, part, x + 2 * t, at);
        line(l, x + 2 * t + part->width, at, right - 2 * t);
        if (part->next == NULL)
            TRACK(l, from, y, x + t, at, x + 2 * t);
        else
            fork(l, x + t, at, 1);
        if (part == c->first)
            TRACK(l, right - 2 * t, at, right - t, below, right);
        else
            merge(l, right - t, at, 1);
        at += part->down + l->m->between;
    }
}

static void place_columns(Layout *l, const Shape *s, int x, int y)
{
    int t = l->m->turn, right = x + s->width, from = x;
    int below = y + s->down;
    for (const Shape *c = s->first; c != NULL; c = c->next) {
        place_column(l, c, from, x, y, below);
        from = x;
        x += c->width;
        if (c->next != NULL)
            line(l, x, below, x + c->next->width);
    }
    TRACK(l, x, below, right - t, y, right);
}

static void place_option(Layout *l, const Shape *s, int x, int y)
{
    int t = l->m->turn, right = x + s->width, by = y - s->up;
    line(l, x, y, x + 2 * t);
    place(l, s->first, x + 2 * t, y);
    line(l, right - 2 * t, y, right);
    TRACK(l, x, y, x + t, by, right - t, y, right);
}

static void place_loop(Layout *l, const Shape *s, int x, int y)
{
    const Shape *forward = s->first, *back = forward->next;
    int t = l->m->turn, right = x + s->width;
    int below = y + forward->down + l->m->between + back->up;
    int inner = s->width - 4 * t;
    int x_forward = x + 2 * t + (inner - forward->width) / 2;
    int x_back = x + 2 * t + (inner - back->width) / 2;
    int x_end = x_back + back->width;
    line(l, x, y, x_forward);
    place(l, forward, x_forward, y);
    line(l, x_forward + forward->width, y, right);
    TRACK(l, right - 2 * t, y, right - t, below, x_end);
    place(l, back, x_back, below);
    TRACK(l, x_back, below, x + t, y, x + 2 * t);
    if (back->kind == SHAPE_EMPTY)
        arrow(l, (x + right) / 2, below);
    else if (right - 2 * t - x_end >= 2 * t)
        arrow(l, (right - 2 * t + x_end) / 2, below);
}

static void place(Layout *l, const Shape *s, int x, int y)
{
    if (l->d->broken)
        return;
    switch (s->kind) {
    case SHAPE_BOX: place_box(l, s, x, y); break;
    case SHAPE_EMPTY: line(l, x, y, x + s->width); break;
    case SHAPE_SEQUENCE: place_sequence(l, s, x, y); break;
    case SHAPE_ROWS: place_rows(l, s, x, y); break;
    case SHAPE_CHOICE: place_choice(l, s, x, y); break;
    case SHAPE_COLUMNS: place_columns(l, s, x, y); break;
    case SHAPE_OPTION: place_option(l, s, x, y); break;
    case SHAPE_LOOP: place_loop(l, s, x, y); break;
    }
}

/* Finds where the track leaves the outermost shape, which begins at x, y. */
static void find_end(const Layout *l, const Shape *s, int x, int y)
{
    l->d->end_x = x + s->width;
    if (s->kind == SHAPE_ROWS) {
        const Shape *row = s->first;
        for (; row->next != NULL; row = row->next)
            y += row->down + 2 * l->m->between + row->next->up;
        l->d->end_x = x + 2 * l->m->turn + row->width;
    }
    l->d->end_y = y;
}

void drawing_make(Drawing *d, const Grammar *g, const Rule *rule,
                  const Metrics *m)
{
    Layout l = {.g = g, .m = m, .d = d};
    *d = (Drawing){0};
    Shape *s = shape_item(&l, rule->body);
    int lead = 2 * m->turn;
    if (!d->broken)
        measure(&l, s, m->max_width - 2 * lead);
    if (!d->broken) {
        s->last = true;
        d->start_y = s->up;
        find_end(&l, s, lead, s->up);
        d->width = s->width + 2 * lead;
        d->height = s->up + s->down;
        line(&l, 0, d->start_y, lead);
        place(&l, s, lead, d->start_y);
        line(&l, d->end_x, d->end_y, d->end_x + lead);
        d->end_x += lead;
    }
    arena_free(&l.arena);
}

void drawing_free(Drawing *d)
{
    vector_free(&d->boxes);
    vector_free(&d->tracks);
    vector_free(&d->arrows);
}
