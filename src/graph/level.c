#include "graph/level.h"

#include <assert.h>
#include <string.h>

#include "graph/board.h"

/* Places of boxes and ports in a frame, and the ways of its wires. */

enum {
    EDGE = 3,   // cells beside everything, for wires
    BESIDE = 5, // between columns, without wires
    BESIDE_MOST = 14,
    BELOW = 3,     // between boxes
    ROW_GAP = 5,   // between rows of columns
    PORT_GAP = 2,  // between ports of a box
    FRAME_GAP = 3, // between ports of a frame
    PASSES = 8,
    TRIES = 9,
    GROWTH = 2
};

/* ---- Sides of ports ------------------------------------------------------------ */

/* The links that a port takes part in are those with its joint. */
static bool is_member(const Level *l, const Link *link, uint32_t port)
{
    for (uint32_t i = 0; i < link->count; i++)
        if (l->member[link->first + i] == port)
            return true;
    return false;
}

/* The seat where an end of a wire is, for a port elsewhere. */
static double seat_of(const Level *l, uint32_t port)
{
    const Place *p = level_owner(l, port);
    if (p)
        return l->column[p->column].seat;
    return l->d->port[port].right ? 1000 : -1000;
}

static double height_of(const Level *l, uint32_t port)
{
    const Place *p = level_owner(l, port);
    if (!p)
        return 0.5;
    const Column *c = &l->column[p->column];
    return c->row + (p->order + 0.5) / c->count;
}

/* The mean of the other ends of a port's wire; `none` if there are none. */
static double mean_of(const Level *l, uint32_t port, double none,
                      double (*value)(const Level *l, uint32_t port))
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        if (!is_member(l, link, port))
            continue;
        for (uint32_t i = 0; i < link->count; i++) {
            uint32_t other = l->member[link->first + i];
            if (other == port ||
                (level_owner(l, other) &&
                 level_owner(l, other) == level_owner(l, port)))
                continue;
            sum += value(l, other);
            n++;
        }
    }
    return n ? sum / n : none;
}

/* Wires that turn into the next row of columns do so outside of both. */
static bool turns_right(const Level *l, const Column *c)
{
    int32_t last = 0;
    for (uint32_t k = 0; k < l->columns; k++)
        if (l->column[k].row == c->row && l->column[k].seat > last)
            last = l->column[k].seat;
    return c->seat > 0 || last == 0;
}

static bool is_right(const Level *l, uint32_t port)
{
    const DiagramPort *p = &l->d->port[port];
    const Place *owner = level_owner(l, port);
    const Column *c = &l->column[owner->column];
    double seat = mean_of(l, port, c->seat, seat_of);
    if (seat > c->seat || seat < c->seat)
        return seat > c->seat;
    if (p->signal)
        return p->output;
    return turns_right(l, c);
}

/* ---- Sizes ------------------------------------------------------------------------ */

/* Puts the ports of one side below each other, in the order of what they are
   joined to. Returns how many there are. */
static int32_t stack_side(Level *l, const DiagramBox *b, bool right)
{
    DiagramPort *port = l->d->port;
    int32_t n = 0;
    for (uint32_t k = b->port; k < b->port + b->ports; k++) {
        if (port[k].right != right)
            continue;
        double height = mean_of(l, k, 0, height_of);
        port[k].y = 0;
        for (uint32_t i = b->port; i < b->port + b->ports; i++)
            if (i != k && port[i].right == right) {
                double other = mean_of(l, i, 0, height_of);
                port[k].y += other < height || (!(other > height) && i < k);
            }
        n++;
    }
    return n;
}

static int32_t names_wide(const Level *l, const DiagramBox *b, bool right)
{
    int32_t most = 0;
    for (uint32_t k = b->port; k < b->port + b->ports; k++) {
        const DiagramPort *p = &l->d->port[k];
        int32_t wide =
            p->right == right ? diagram_text(p->name, DIAGRAM_TINY) + 1 : 0;
        most = wide > most ? wide : most;
    }
    return most;
}

static void size_box(Level *l, Place *place)
{
    DiagramBox *b = &l->d->box[place->box];
    DiagramPort *port = l->d->port;
    if (b->open)
        return;
    for (uint32_t k = b->port; k < b->port + b->ports; k++)
        port[k].right = is_right(l, k);
    int32_t left = stack_side(l, b, false), right = stack_side(l, b, true);
    int32_t most = left > right ? left : right, least = b->inside ? 6 : 4;
    b->left = names_wide(l, b, false);
    b->right = names_wide(l, b, true);
    b->wide += b->left + b->right;
    b->high = (most + 1) * PORT_GAP > least ? (most + 1) * PORT_GAP : least;
    for (uint32_t k = b->port; k < b->port + b->ports; k++) {
        int32_t n = port[k].right ? right : left;
        port[k].x = port[k].right ? b->wide : 0;
        port[k].y = (b->high - (n - 1) * PORT_GAP) / 2 + port[k].y * PORT_GAP;
    }
}

/* ---- Across ------------------------------------------------------------------------ */

/* How many wires may run down on one side of a column. */
static int32_t wires_beside(const Level *l, const Column *c, bool right)
{
    int32_t n = 0;
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        bool any = false;
        for (uint32_t i = 0; i < link->count; i++) {
            uint32_t port = l->member[link->first + i];
            const Place *p = level_owner(l, port);
            any = any || (p && &l->column[p->column] == c &&
                          l->d->port[port].right == right);
        }
        n += any;
    }
    return n;
}

static Column *column_at(const Level *l, uint32_t row, int32_t seat)
{
    for (uint32_t k = 0; k < l->columns; k++)
        if (l->column[k].row == row && l->column[k].seat == seat)
            return &l->column[k];
    return NULL;
}

static int32_t note_wide(const Level *l, const Link *link)
{
    const char *loops = l->d->parts->joint[link->joint].loops;
    return loops[0] ? diagram_text(loops, DIAGRAM_SMALL) : 0;
}

/* How far the pin of a port is kept from it, for a note. */
static int32_t kept_beside(const Level *l, uint32_t port)
{
    for (uint32_t k = 0; k < l->links; k++)
        if (l->link[k].kept && l->member[l->link[k].first] == port)
            return note_wide(l, &l->link[k]);
    return 0;
}

/* The most of that on a side of a column; NULL: of all. */
static int32_t kept_most(const Level *l, const Column *c, bool right)
{
    int32_t most = 0;
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        uint32_t port = l->member[link->first];
        const Place *p = level_owner(l, port);
        if (!link->kept || !p)
            continue;
        if (!c ||
            (&l->column[p->column] == c && l->d->port[port].right == right))
            most = note_wide(l, link) > most ? note_wide(l, link) : most;
    }
    return most;
}

static int32_t gap_after(const Level *l, const Column *c, const Column *next,
                         int32_t grow)
{
    int32_t n =
        BESIDE + (wires_beside(l, c, true) + wires_beside(l, next, false)) / 2;
    n = n > BESIDE_MOST ? BESIDE_MOST : n;
    return n + grow + kept_most(l, c, true) + kept_most(l, next, false);
}

/* Boxes of a column that are no frames are equally wide. */
static void align(const Level *l, const Column *c)
{
    int32_t most = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const DiagramBox *b = &l->d->box[l->place[l->sorted[c->first + k]].box];
        most = !b->open && b->wide > most ? b->wide : most;
    }
    for (uint32_t k = 0; k < c->count; k++) {
        DiagramBox *b = &l->d->box[l->place[l->sorted[c->first + k]].box];
        for (uint32_t i = b->port; !b->open && i < b->port + b->ports; i++)
            l->d->port[i].x = l->d->port[i].right ? most : 0;
        b->wide = b->open ? b->wide : most;
    }
}

static void widen(const Level *l, Column *c)
{
    c->wide = 0;
    align(l, c);
    for (uint32_t k = 0; k < c->count; k++) {
        const Place *p = &l->place[l->sorted[c->first + k]];
        int32_t wide = l->d->box[p->box].wide;
        c->wide = wide > c->wide ? wide : c->wide;
    }
}

/* Columns of a row side by side, from `x` on. Returns where they end. */
static int32_t place_row(Level *l, uint32_t row, int32_t x, int32_t grow)
{
    Column *c = column_at(l, row, 0);
    for (int32_t seat = 0; c; seat++) {
        Column *next = column_at(l, row, seat + 1);
        c->x = x;
        x += c->wide;
        if (next)
            x += gap_after(l, c, next, grow);
        c = next;
    }
    return x;
}

/* Rows that go back end at the right, where the row above ended. */
static int32_t place_across(Level *l, int32_t x, int32_t grow)
{
    int32_t right = 0;
    for (uint32_t k = 0; k < l->columns; k++)
        widen(l, &l->column[k]);
    for (uint32_t row = 0; row < l->rows; row++) {
        int32_t end = place_row(l, row, x, grow);
        right = end > right ? end : right;
    }
    for (uint32_t row = 1; row < l->rows; row++) {
        const Column *first = column_at(l, row, 0);
        if (first && first->back)
            place_row(l, row, x + right - place_row(l, row, x, grow), grow);
    }
    for (uint32_t k = 0; k < l->places; k++) {
        const Column *c = &l->column[l->place[k].column];
        DiagramBox *b = &l->d->box[l->place[k].box];
        b->x = c->x + (c->wide - b->wide) / 2;
    }
    return right;
}

/* ---- Down --------------------------------------------------------------------------- */

typedef struct Pool { // boxes that touch each other
    double sum;       // of where they want the first of them
    uint32_t n;       // boxes
    uint32_t first;
} Pool;

static double pool_at(const Pool *p)
{
    return p->sum / p->n;
}

/* Gives a column the places nearest to those that are wanted (least squares, by
   pooling of adjacent violators). `offset` of a box: where it would be if all
   touched each other. */
static void settle(Level *l, const Column *c, int32_t gap, Pool *pool)
{
    uint32_t pools = 0;
    int32_t offset = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const Place *p = &l->place[l->sorted[c->first + k]];
        pool[pools++] = (Pool){p->key - offset, 1, k};
        while (pools > 1 &&
               pool_at(&pool[pools - 2]) > pool_at(&pool[pools - 1])) {
            pool[pools - 2].sum += pool[pools - 1].sum;
            pool[pools - 2].n += pool[pools - 1].n;
            pools--;
        }
        offset += l->d->box[p->box].high + gap;
    }
    offset = 0;
    for (uint32_t k = 0, i = 0; k < c->count; k++) {
        Place *p = &l->place[l->sorted[c->first + k]];
        while (i + 1 < pools && pool[i + 1].first <= k)
            i++;
        double at = pool_at(&pool[i]);
        p->y = (int32_t)(at < 0 ? at - 0.5 : at + 0.5) + offset;
        offset += l->d->box[p->box].high + gap;
    }
}

/* Passes over the columns of a row: means of all neighbours, to and fro; then
   wires of two ends become straight, from the left, and at last those of what has
   no such wire to its left. */
typedef enum Pass { PASS_STRAIGHT = PASSES, PASS_LAST } Pass;

/* Where the other ends of its wires want a place. Straight: the first decides. */
static bool neighbours_want(const Level *l, const Place *p, bool right,
                            bool straight, double *y)
{
    double sum = 0, weight = 0;
    const Column *c = &l->column[p->column];
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        for (uint32_t i = 0; i < link->count * link->count; i++) {
            uint32_t own = l->member[link->first + i / link->count];
            uint32_t other = l->member[link->first + i % link->count];
            const Place *q = level_owner(l, other);
            if (level_owner(l, own) != p || !q || q == p ||
                l->column[q->column].row != c->row)
                continue;
            double w = 1.0 / (link->count * link->count);
            if (straight && (link->count > 2 || q->column == p->column ||
                             (l->column[q->column].seat > c->seat) != right))
                continue;
            sum += w * (q->y + l->d->port[other].y - l->d->port[own].y);
            weight += w;
            if (straight)
                break;
        }
        if (straight && weight > 0)
            break;
    }
    if (weight > 0)
        *y = sum / weight;
    return weight > 0;
}

static double wanted(const Level *l, const Place *p, uint32_t pass)
{
    double y = p->y;
    if (pass < PASSES)
        neighbours_want(l, p, false, false, &y);
    else if (!neighbours_want(l, p, false, true, &y) && pass == PASS_LAST)
        neighbours_want(l, p, true, true, &y);
    return y;
}

static void settle_row(Level *l, uint32_t row, int32_t gap, Pool *pool,
                       uint32_t pass)
{
    int32_t seats = 0;
    while (column_at(l, row, seats))
        seats++;
    for (int32_t seat = 0; seat < seats; seat++) {
        bool back = pass % 2 == 1;
        const Column *c = column_at(l, row, back ? seats - 1 - seat : seat);
        for (uint32_t k = 0; k < c->count; k++) {
            Place *p = &l->place[l->sorted[c->first + k]];
            p->key = wanted(l, p, pass);
        }
        settle(l, c, gap, pool);
    }
}

/* Moves a row of columns to begin at y; returns where it ends. */
static int32_t shift_row(Level *l, uint32_t row, int32_t y)
{
    int32_t top = INT32_MAX, bottom = y;
    for (uint32_t k = 0; k < l->places; k++)
        if (l->column[l->place[k].column].row == row && l->place[k].y < top)
            top = l->place[k].y;
    for (uint32_t k = 0; k < l->places; k++) {
        DiagramBox *b = &l->d->box[l->place[k].box];
        if (l->column[l->place[k].column].row != row)
            continue;
        b->y = l->place[k].y - top + y;
        l->place[k].y = b->y;
        bottom = b->y + b->high > bottom ? b->y + b->high : bottom;
    }
    return bottom;
}

static bool place_down(Level *l, int32_t *y, int32_t grow)
{
    Pool *pool = NEW_ARRAY(l->d->arena, Pool, l->places + 1);
    int32_t wires = (int32_t)(l->links < 12 ? l->links : 12) / 3;
    if (!pool)
        return false;
    for (uint32_t k = 0; k < l->columns; k++) {
        int32_t at = 0;
        for (uint32_t i = 0; i < l->column[k].count; i++) {
            Place *p = &l->place[l->sorted[l->column[k].first + i]];
            p->y = at;
            at += l->d->box[p->box].high + BELOW + grow / 2;
        }
    }
    for (uint32_t row = 0; row < l->rows; row++) {
        for (uint32_t pass = 0; pass <= PASS_LAST; pass++)
            settle_row(l, row, BELOW + grow / 2, pool, pass);
        *y = shift_row(l, row, *y) + ROW_GAP + wires + grow;
    }
    *y -= ROW_GAP + wires + grow;
    return true;
}

/* ---- Ports of the frame ---------------------------------------------------------- */

/* Where the parts inside want a port of the frame. */
static double inner_height(const Level *l, uint32_t port)
{
    const Place *p = level_owner(l, port);
    return p ? p->y + l->d->port[port].y : 0;
}

/* Ports of one side of the frame, from the top by what they are joined to. */
static void stack_frame(Level *l, bool right, int32_t top, int32_t *bottom)
{
    DiagramBox *b = &l->d->box[l->frame];
    DiagramPort *port = l->d->port;
    uint32_t last = UINT32_MAX;
    for (uint32_t n = 0; n < b->ports; n++) {
        uint32_t next = UINT32_MAX;
        double least = 0;
        for (uint32_t k = b->port; k < b->port + b->ports; k++) {
            double at = mean_of(l, k, top, inner_height);
            if (port[k].right == right && !port[k].set &&
                (next == UINT32_MAX || at < least)) {
                next = k;
                least = at;
            }
        }
        if (next == UINT32_MAX)
            break;
        int32_t y = (int32_t)(least + 0.5);
        int32_t free = last == UINT32_MAX ? top : port[last].y + FRAME_GAP;
        port[next].y = y > free ? y : free;
        port[next].set = true;
        *bottom = port[next].y + 2 > *bottom ? port[next].y + 2 : *bottom;
        last = next;
    }
}

/* ---- Wires ------------------------------------------------------------------------- */

static bool add_wire(Level *l, DiagramWire w)
{
    Diagram *d = l->d;
    if (d->wires == d->wire_room) {
        uint32_t room = d->wire_room ? 2 * d->wire_room : 256;
        DiagramWire *more = NEW_ARRAY(d->arena, DiagramWire, room);
        if (!more)
            return false;
        if (d->wires)
            memcpy(more, d->wire, d->wires * sizeof *more);
        d->wire = more;
        d->wire_room = room;
    }
    d->wire[d->wires++] = w;
    return true;
}

/* Where the wire of a port may turn, and the heading in which it gets there. */
static BoardPin pin_of(const Level *l, uint32_t link, uint32_t port)
{
    const DiagramPort *p = &l->d->port[port];
    const DiagramBox *b = &l->d->box[p->box];
    if (p->box == l->frame)
        return (BoardPin){link, p->right ? b->wide - b->right : b->left, p->y,
                          p->right ? HEADING_WEST : HEADING_EAST};
    int32_t away = 1 + kept_beside(l, port);
    return (BoardPin){link, b->x + p->x + (p->right ? away : -away),
                      b->y + p->y, p->right ? HEADING_EAST : HEADING_WEST};
}

/* The piece between a port and its pin. */
static DiagramWire stub_of(const Level *l, uint32_t link, uint32_t port)
{
    const DiagramPort *p = &l->d->port[port];
    const DiagramBox *b = &l->d->box[p->box];
    BoardPin pin = pin_of(l, link, port);
    int32_t x = p->box == l->frame ? p->x : b->x + p->x;
    return (DiagramWire){.joint = l->link[link].joint,
                         .around = l->frame,
                         .x = x < pin.x ? x : pin.x,
                         .y = pin.y,
                         .to_x = x < pin.x ? pin.x : x,
                         .to_y = pin.y};
}

/* Where the note of a link is that room is kept for: above the piece from its
   first port to the pin of that. */
static DiagramNote kept_note(const Level *l, uint32_t link)
{
    uint32_t port = l->member[l->link[link].first];
    DiagramWire w = stub_of(l, link, port);
    return (DiagramNote){w.joint, l->frame, w.x + l->d->port[port].right,
                         w.y - 1};
}

static void keep_room(const Level *l, Board *board, uint32_t link)
{
    if (!l->link[link].kept)
        return;
    DiagramNote n = kept_note(l, link);
    board_block(board, n.x, n.y, n.x + note_wide(l, &l->link[link]), n.y + 1);
}

static Board *board_of(Level *l, int32_t wide, int32_t high)
{
    Board *board = board_new(l->d->arena, wide, high, l->links, l->members);
    if (!board)
        return NULL;
    for (uint32_t k = 0; k < l->places; k++) {
        const DiagramBox *b = &l->d->box[l->place[k].box];
        board_block(board, b->x, b->y, b->x + b->wide, b->y + b->high);
    }
    if (l->frame != NO_BOX) {
        const DiagramBox *b = &l->d->box[l->frame];
        board_block(board, 0, 0, wide, DIAGRAM_HEAD - 1);
        board_block(board, 0, high, wide, high);
        board_block(board, 0, 0, b->left, high);
        board_block(board, wide - b->right, 0, wide, high);
    }
    for (uint32_t k = 0; k < l->links; k++)
        keep_room(l, board, k);
    for (uint32_t k = 0; k < l->links; k++)
        for (uint32_t i = 0; i < l->link[k].count; i++)
            board_pin(board, pin_of(l, k, l->member[l->link[k].first + i]));
    return board;
}

static bool keep_wires(Level *l, const Board *board)
{
    uint32_t n;
    const BoardPiece *piece = board_pieces(board, &n);
    if (!piece)
        return false;
    for (uint32_t k = 0; k < n; k++)
        if (!add_wire(l, (DiagramWire){l->link[piece[k].wire].joint, l->frame,
                                       piece[k].x, piece[k].y, piece[k].to_x,
                                       piece[k].to_y}))
            return false;
    for (uint32_t k = 0; k < l->links; k++)
        for (uint32_t i = 0; i < l->link[k].count; i++)
            if (!add_wire(l, stub_of(l, k, l->member[l->link[k].first + i])))
                return false;
    return true;
}

/* ---- Loops beside their wires ------------------------------------------------------ */

/* A free place beside a piece, on any side of it. */
static bool note_beside(const Board *board, const DiagramWire *w, int32_t wide,
                        int32_t *x, int32_t *y)
{
    if (w->y == w->to_y)
        for (int32_t side = -1; side <= 1; side += 2)
            for (int32_t at = w->x; at + wide <= w->to_x + 1; at++)
                if (board_is_free(board, at, w->y + side, at + wide,
                                  w->y + side)) {
                    *x = at;
                    *y = w->y + side;
                    return true;
                }
    for (int32_t at = w->y; at <= w->to_y && w->x == w->to_x; at++)
        for (int32_t by = 1; by >= -1 - wide; by -= 2 + wide)
            if (board_is_free(board, w->x + by, at, w->x + by + wide, at)) {
                *x = w->x + by;
                *y = at;
                return true;
            }
    return false;
}

static void put_note(Level *l, DiagramNote n)
{
    l->d->note[l->d->notes++] = n;
}

/* Notes the loops of a link; false: there is no room. */
static bool add_note(Level *l, Board *board, uint32_t link, uint32_t first)
{
    uint32_t joint = l->link[link].joint;
    int32_t wide = note_wide(l, &l->link[link]), x = 0, y = 0;
    if (wide == 0)
        return true;
    if (l->link[link].kept) {
        put_note(l, kept_note(l, link));
        return true;
    }
    for (uint32_t k = first; k < l->d->wires; k++) {
        const DiagramWire *w = &l->d->wire[k];
        if (w->joint != joint || !note_beside(board, w, wide, &x, &y))
            continue;
        board_block(board, x, y, x + wide, y);
        put_note(l, (DiagramNote){joint, l->frame, x, y});
        return true;
    }
    return false;
}

/* For what finds no room, it is kept at the next try. */
static uint32_t add_notes(Level *l, Board *board, uint32_t first)
{
    uint32_t missing = 0;
    for (uint32_t k = 0; k < l->links; k++)
        if (!add_note(l, board, k, first)) {
            l->link[k].kept = level_owner(l, l->member[l->link[k].first]);
            missing++;
        }
    return missing;
}

/* ---- The whole -------------------------------------------------------------------- */

/* Places everything, with room for `grow` more wires everywhere. */
static bool arrange(Level *l, int32_t grow, int32_t *wide, int32_t *high)
{
    DiagramBox *b = l->frame == NO_BOX ? NULL : &l->d->box[l->frame];
    int32_t edge = EDGE + grow + (int32_t)(l->links < 9 ? l->links : 9) / 3;
    int32_t kept = kept_most(l, NULL, false);
    int32_t y = (b ? DIAGRAM_HEAD : 0) + edge - 1;
    int32_t x = (b ? b->left : 0) + edge + kept;
    *wide = place_across(l, x, grow) + edge + kept + (b ? b->right : 0);
    if (!place_down(l, &y, grow))
        return false;
    *high = y + edge;
    if (!b)
        return true;
    int32_t bottom = *high,
            head =
                DIAGRAM_HEAD +
                diagram_text(diagram_part(l->d, l->frame)->name, DIAGRAM_NAME);
    head += diagram_text(diagram_part(l->d, l->frame)->module, DIAGRAM_SMALL);
    *wide = *wide > head ? *wide : head;
    for (uint32_t k = b->port; k < b->port + b->ports; k++)
        l->d->port[k].set = false;
    stack_frame(l, false, DIAGRAM_HEAD + 2, &bottom);
    stack_frame(l, true, DIAGRAM_HEAD + 2, &bottom);
    for (uint32_t k = b->port; k < b->port + b->ports; k++)
        l->d->port[k].x = l->d->port[k].right ? *wide : 0;
    *high = bottom;
    b->wide = *wide;
    b->high = *high;
    return true;
}

/* With more room from try to try, until everything has its place. */
bool level_place(Level *l)
{
    uint32_t wires = l->d->wires, notes = l->d->notes, missed = 0;
    int32_t wide = 0, high = 0, grow = 0;
    for (uint32_t k = 0; k < l->places; k++)
        size_box(l, &l->place[k]);
    for (uint32_t try = 0; try < TRIES; try++) {
        l->d->wires = wires;
        l->d->notes = notes;
        if (!arrange(l, grow, &wide, &high))
            return false;
        Board *board = board_of(l, wide, high);
        missed = board ? board_route(board) : UINT32_MAX;
        if (missed == UINT32_MAX || !keep_wires(l, board))
            return false;
        if (add_notes(l, board, wires) == 0 && missed == 0)
            break;
        grow += missed > 0 ? GROWTH : 0;
    }
    l->d->missing += missed;
    if (l->frame == NO_BOX) {
        l->d->wide = wide;
        l->d->high = high;
    }
    return true;
}
