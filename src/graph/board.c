#include "graph/board.h"

#include <assert.h>
#include <stdlib.h>

/* What it costs to go on by one point, to turn, to cross another wire, to leave
   a wire that is there already, and to run close to something. */
enum { STEP = 2, TURN = 9, CROSSING = 7, BRANCH = 3, CLOSE = 1 };

enum { HEADINGS = 4 };
static const int32_t step_x[HEADINGS] = {1, 0, -1, 0};
static const int32_t step_y[HEADINGS] = {0, 1, 0, -1};

/* Numbers of wires count from 1 here; 0 is none. */
typedef struct Point {
    bool wall;             // no wire may be here
    bool knot;             // the wires here end, turn or branch
    bool close;            // beside a wall
    uint32_t kept;         // for a wire that ends here
    uint32_t across, down; // wires that pass
    uint32_t east, south;  // wires that go on to the next point
} Point;

typedef struct Visit {
    uint32_t turn; // of the search that this belongs to
    uint32_t cost;
    uint32_t from; // the state before
} Visit;

/* A state of the search: a point, and the heading in which it was reached. The
   cost is the least that a way through it to a pin can have. */
typedef struct Waiting {
    uint32_t cost, state;
} Waiting;

struct Board {
    Arena *arena;
    int32_t wide, high; // points
    Point *point;
    BoardPin *pin;
    bool *reached; // of each pin
    uint32_t pins, wires;
    Visit *visit;
    Waiting *heap;
    uint32_t heaped, room;
    uint32_t turn;
    int32_t low_x, high_x, low_y, high_y; // where the pins are that are sought
    bool broken;
};

static uint32_t place_of(const Board *b, int32_t x, int32_t y)
{
    assert(x >= 0 && y >= 0 && x < b->wide && y < b->high);
    return (uint32_t)(y * b->wide + x);
}

Board *board_new(Arena *a, int32_t wide, int32_t high, uint32_t wires,
                 uint32_t pins)
{
    Board *b = NEW(a, Board);
    if (!b)
        return NULL;
    size_t n = (size_t)(wide + 1) * (size_t)(high + 1);
    *b = (Board){.arena = a,
                 .wide = wide + 1,
                 .high = high + 1,
                 .point = NEW_ARRAY(a, Point, n),
                 .pin = NEW_ARRAY(a, BoardPin, pins + 1),
                 .reached = NEW_ARRAY(a, bool, pins + 1),
                 .wires = wires,
                 .visit = NEW_ARRAY(a, Visit, n * HEADINGS)};
    return b->point && b->pin && b->reached && b->visit ? b : NULL;
}

/* Calls for the part of a rectangle that is on the board. */
#define EACH_POINT(b, x, y, to_x, to_y, px, py)                                \
    for (int32_t py = (y) > 0 ? (y) : 0; py <= (to_y) && py < (b)->high; py++) \
        for (int32_t px = (x) > 0 ? (x) : 0; px <= (to_x) && px < (b)->wide;   \
             px++)

void board_block(Board *b, int32_t x, int32_t y, int32_t to_x, int32_t to_y)
{
    EACH_POINT(b, x - 1, y - 1, to_x + 1, to_y + 1, i, j)
    {
        b->point[place_of(b, i, j)].close = true;
    }
    EACH_POINT(b, x, y, to_x, to_y, i, j)
    {
        b->point[place_of(b, i, j)].wall = true;
    }
}

void board_pin(Board *b, BoardPin pin)
{
    Point *p = &b->point[place_of(b, pin.x, pin.y)];
    assert(pin.wire < b->wires && !p->kept);
    p->wall = false;
    p->kept = pin.wire + 1;
    b->pin[b->pins++] = pin;
}

bool board_is_free(const Board *b, int32_t x, int32_t y, int32_t to_x,
                   int32_t to_y)
{
    if (x < 0 || y < 0 || to_x >= b->wide || to_y >= b->high)
        return false;
    EACH_POINT(b, x, y, to_x, to_y, i, j)
    {
        const Point *p = &b->point[place_of(b, i, j)];
        if (p->wall || p->kept || p->across || p->down)
            return false;
    }
    return true;
}

/* ---- What waits, the cheapest first --------------------------------------- */

static bool comes_before(Waiting a, Waiting b)
{
    return a.cost != b.cost ? a.cost < b.cost : a.state < b.state;
}

static bool heap_grow(Board *b)
{
    uint32_t room = b->room ? 2 * b->room : 1024;
    Waiting *more = NEW_ARRAY(b->arena, Waiting, room);
    if (!more)
        return false;
    for (uint32_t k = 0; k < b->heaped; k++)
        more[k] = b->heap[k];
    b->heap = more;
    b->room = room;
    return true;
}

static void heap_put(Board *b, Waiting w)
{
    if (b->heaped == b->room && !heap_grow(b)) {
        b->broken = true;
        return;
    }
    uint32_t k = b->heaped++;
    while (k > 0 && comes_before(w, b->heap[(k - 1) / 2])) {
        b->heap[k] = b->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    b->heap[k] = w;
}

static Waiting heap_take(Board *b)
{
    assert(b->heaped > 0);
    Waiting first = b->heap[0], last = b->heap[--b->heaped];
    uint32_t k = 0;
    for (;;) {
        uint32_t child = 2 * k + 1;
        if (child >= b->heaped)
            break;
        child += child + 1 < b->heaped &&
                 comes_before(b->heap[child + 1], b->heap[child]);
        if (!comes_before(b->heap[child], last))
            break;
        b->heap[k] = b->heap[child];
        k = child;
    }
    b->heap[k] = last;
    return first;
}

/* ---- One way --------------------------------------------------------------- */

static bool is_foreign(uint32_t wire, uint32_t own)
{
    return wire && wire != own;
}

/* The wire that uses the way from a point in that heading. */
static uint32_t *way(Board *b, int32_t x, int32_t y, Heading h)
{
    if (h == HEADING_WEST)
        x--;
    if (h == HEADING_NORTH)
        y--;
    Point *p = &b->point[place_of(b, x, y)];
    return h == HEADING_EAST || h == HEADING_WEST ? &p->east : &p->south;
}

/* What it costs at least from a point to a pin. */
static uint32_t still(const Board *b, uint32_t at)
{
    int32_t x = (int32_t)at % b->wide, y = (int32_t)at / b->wide, n = 0;
    n += x < b->low_x ? b->low_x - x : x > b->high_x ? x - b->high_x : 0;
    n += y < b->low_y ? b->low_y - y : y > b->high_y ? y - b->high_y : 0;
    return STEP * (uint32_t)n;
}

static void reach(Board *b, uint32_t state, uint32_t cost, uint32_t from)
{
    Visit *v = &b->visit[state];
    if (v->turn == b->turn && v->cost <= cost)
        return;
    *v = (Visit){.turn = b->turn, .cost = cost, .from = from};
    heap_put(b, (Waiting){cost + still(b, state / HEADINGS), state});
}

/* Goes on from a state in a heading, if the wire may. */
static void go_on(Board *b, uint32_t wire, uint32_t state, Heading h)
{
    uint32_t at = state / HEADINGS;
    int32_t x = (int32_t)at % b->wide, y = (int32_t)at / b->wide;
    int32_t to_x = x + step_x[h], to_y = y + step_y[h];
    const Point *p = &b->point[at];
    bool turns = h != (Heading)(state % HEADINGS), across = step_y[h] == 0;
    if (turns && (is_foreign(p->across, wire) || is_foreign(p->down, wire)))
        return;
    if (to_x < 0 || to_y < 0 || to_x >= b->wide || to_y >= b->high)
        return;
    const Point *q = &b->point[place_of(b, to_x, to_y)];
    bool own = q->across == wire || q->down == wire;
    if (q->wall || is_foreign(q->kept, wire) || own || *way(b, x, y, h))
        return;
    uint32_t along = across ? q->across : q->down;
    uint32_t over = across ? q->down : q->across;
    if (along || (over && q->knot))
        return;
    reach(b, place_of(b, to_x, to_y) * HEADINGS + h,
          b->visit[state].cost + STEP + (turns ? TURN : 0) +
              (over ? CROSSING : 0) + (q->close ? CLOSE : 0),
          state);
}

/* The pin of the wire that ends here and has not been reached; pins: none. */
static uint32_t pin_at(const Board *b, uint32_t wire, uint32_t place)
{
    if (b->point[place].kept != wire)
        return b->pins;
    for (uint32_t k = 0; k < b->pins; k++)
        if (b->pin[k].wire + 1 == wire && !b->reached[k] &&
            place_of(b, b->pin[k].x, b->pin[k].y) == place)
            return k;
    return b->pins;
}

/* A pin is entered against the heading in which it is left, or from a side. */
static bool may_end(const Board *b, uint32_t pin, uint32_t state)
{
    return (state % HEADINGS + 2) % HEADINGS == b->pin[pin].heading ||
           state % 2 != (uint32_t)b->pin[pin].heading % 2;
}

static uint32_t turned_cost(const Board *b, uint32_t pin, uint32_t state)
{
    return (state % HEADINGS + 2) % HEADINGS == b->pin[pin].heading ? 0 : TURN;
}

/* Marks the way that ends in `state`. */
static void lay(Board *b, uint32_t wire, uint32_t state)
{
    b->point[state / HEADINGS].knot = true;
    for (;;) {
        uint32_t from = b->visit[state].from, at = state / HEADINGS;
        Heading h = (Heading)(state % HEADINGS);
        Point *p = &b->point[at];
        if (from == UINT32_MAX) {
            p->knot = true;
            return;
        }
        int32_t x = (int32_t)(from / HEADINGS) % b->wide;
        int32_t y = (int32_t)(from / HEADINGS) / b->wide;
        Point *q = &b->point[from / HEADINGS];
        *way(b, x, y, h) = wire;
        *(step_y[h] == 0 ? &p->across : &p->down) = wire;
        *(step_y[h] == 0 ? &q->across : &q->down) = wire;
        if (from % HEADINGS != (uint32_t)h)
            q->knot = true;
        state = from;
    }
}

/* Notes where the pins are that the wire has not reached. */
static void look(Board *b, uint32_t wire)
{
    b->low_x = b->low_y = INT32_MAX;
    b->high_x = b->high_y = 0;
    for (uint32_t k = 0; k < b->pins; k++) {
        const BoardPin *p = &b->pin[k];
        if (p->wire + 1 != wire || b->reached[k])
            continue;
        b->low_x = p->x < b->low_x ? p->x : b->low_x;
        b->high_x = p->x > b->high_x ? p->x : b->high_x;
        b->low_y = p->y < b->low_y ? p->y : b->low_y;
        b->high_y = p->y > b->high_y ? p->y : b->high_y;
    }
}

/* Starts from everything that the wire has reached. */
static void start(Board *b, uint32_t wire)
{
    uint32_t n = (uint32_t)(b->wide * b->high);
    b->turn++;
    b->heaped = 0;
    look(b, wire);
    for (uint32_t k = 0; k < b->pins; k++)
        if (b->pin[k].wire + 1 == wire && b->reached[k])
            reach(b,
                  place_of(b, b->pin[k].x, b->pin[k].y) * HEADINGS +
                      b->pin[k].heading,
                  0, UINT32_MAX);
    for (uint32_t at = 0; at < n; at++) {
        const Point *p = &b->point[at];
        if ((p->across == wire || p->down == wire) &&
            !is_foreign(p->across, wire) && !is_foreign(p->down, wire))
            for (uint32_t h = 0; h < HEADINGS; h++)
                reach(b, at * HEADINGS + h, p->kept ? TURN : BRANCH,
                      UINT32_MAX);
    }
}

/* The cheapest way to a pin that has not been reached; false: there is none. */
static bool extend(Board *b, uint32_t wire)
{
    uint32_t best = UINT32_MAX, end = 0, found = b->pins;
    start(b, wire);
    while (b->heaped > 0 && !b->broken) {
        Waiting w = heap_take(b);
        uint32_t place = w.state / HEADINGS, cost = b->visit[w.state].cost;
        if (w.cost >= best)
            break;
        if (cost + still(b, place) < w.cost)
            continue;
        uint32_t pin = pin_at(b, wire, place);
        if (pin < b->pins && may_end(b, pin, w.state) &&
            cost + turned_cost(b, pin, w.state) < best) {
            best = cost + turned_cost(b, pin, w.state);
            end = w.state;
            found = pin;
        }
        for (uint32_t h = 0; h < HEADINGS && pin == b->pins; h++)
            if (h != (w.state % HEADINGS + 2) % HEADINGS)
                go_on(b, wire, w.state, (Heading)h);
    }
    if (found == b->pins)
        return false;
    lay(b, wire, end);
    b->reached[found] = true;
    return true;
}

/* ---- All of them ------------------------------------------------------------ */

/* How far apart its pins are; wires with more of them come later. */
static int64_t length_of(const Board *b, uint32_t wire)
{
    int32_t low_x = INT32_MAX, high_x = 0, low_y = INT32_MAX, high_y = 0;
    int64_t n = 0;
    for (uint32_t k = 0; k < b->pins; k++) {
        const BoardPin *p = &b->pin[k];
        if (p->wire != wire)
            continue;
        low_x = p->x < low_x ? p->x : low_x;
        high_x = p->x > high_x ? p->x : high_x;
        low_y = p->y < low_y ? p->y : low_y;
        high_y = p->y > high_y ? p->y : high_y;
        n++;
    }
    return n ? (int64_t)high_x - low_x + 3 * ((int64_t)high_y - low_y) +
                   20 * (n - 2)
             : 0;
}

static uint32_t route_wire(Board *b, uint32_t wire)
{
    uint32_t missed = 0, first = b->pins;
    for (uint32_t k = 0; k < b->pins; k++) {
        missed += b->pin[k].wire == wire;
        first = b->pin[k].wire == wire && first == b->pins ? k : first;
    }
    if (missed < 2)
        return 0;
    b->reached[first] = true;
    missed--;
    while (missed > 0 && extend(b, wire + 1))
        missed--;
    return missed;
}

uint32_t board_route(Board *b)
{
    uint32_t missed = 0;
    int64_t *length = NEW_ARRAY(b->arena, int64_t, b->wires + 1);
    bool *done = NEW_ARRAY(b->arena, bool, b->wires + 1);
    if (!length || !done)
        return UINT32_MAX;
    for (uint32_t k = 0; k < b->wires; k++)
        length[k] = length_of(b, k);
    for (uint32_t n = 0; n < b->wires; n++) {
        uint32_t next = b->wires;
        for (uint32_t k = 0; k < b->wires; k++)
            if (!done[k] && (next == b->wires || length[k] < length[next]))
                next = k;
        done[next] = true;
        missed += route_wire(b, next);
    }
    return b->broken ? UINT32_MAX : missed;
}

/* ---- Pieces ------------------------------------------------------------------- */

static bool is_branch(const Board *b, int32_t x, int32_t y)
{
    const Point *p = &b->point[place_of(b, x, y)];
    uint32_t west = x > 0 ? b->point[place_of(b, x - 1, y)].east : 0;
    uint32_t north = y > 0 ? b->point[place_of(b, x, y - 1)].south : 0;
    return p->knot && (p->kept != 0) + (p->east != 0) + (p->south != 0) +
                              (west != 0) + (north != 0) >
                          2;
}

/* The piece that begins in this point and goes to the right, or down; an empty
   one if none does. */
static BoardPiece piece_from(const Board *b, int32_t x, int32_t y, bool across)
{
    const Point *p = &b->point[place_of(b, x, y)];
    uint32_t wire = across ? p->east : p->south, before = 0;
    if (across ? x > 0 : y > 0)
        before = across ? b->point[place_of(b, x - 1, y)].east
                        : b->point[place_of(b, x, y - 1)].south;
    BoardPiece piece = {wire - 1, x, y, x, y};
    if (!wire || before == wire)
        return piece;
    while ((across
                ? b->point[place_of(b, piece.to_x, piece.to_y)].east
                : b->point[place_of(b, piece.to_x, piece.to_y)].south) == wire)
        *(across ? &piece.to_x : &piece.to_y) += 1;
    return piece;
}

static uint32_t gather(const Board *b, BoardPiece *to)
{
    uint32_t n = 0;
    for (int32_t y = 0; y < b->high; y++)
        for (int32_t x = 0; x < b->wide; x++) {
            BoardPiece own[] = {piece_from(b, x, y, true),
                                piece_from(b, x, y, false)};
            for (int k = 0; k < 2; k++)
                if (own[k].to_x > x || own[k].to_y > y) {
                    if (to)
                        to[n] = own[k];
                    n++;
                }
            if (is_branch(b, x, y)) {
                const Point *p = &b->point[place_of(b, x, y)];
                uint32_t wire = p->across ? p->across : p->down;
                if (to)
                    to[n] = (BoardPiece){wire - 1, x, y, x, y};
                n++;
            }
        }
    return n;
}

BoardPiece *board_pieces(const Board *b, uint32_t *n)
{
    *n = gather(b, NULL);
    BoardPiece *piece = NEW_ARRAY(b->arena, BoardPiece, *n + 1);
    if (piece)
        gather(b, piece);
    return piece;
}
