#include <assert.h>

#include "graph/level.h"

/* Layers, columns and the order in them. */

enum {
    ROOM = 112,        // cells that a row of columns may be wide
    ROOM_FRAMES = 164, // with frames in it
    GAP = 7,           // what is counted for the gap between two columns
    SWEEPS = 8,
    COLUMN_LEAST = 7, // boxes that a column may always have
    BUS = 4,          // a link of more ends is one
    WAY_BUS = 100,
    WAY_BACK = 10000
};

/* ---- Layers ------------------------------------------------------------------ */

typedef struct Search {
    uint32_t *cost; // UINT32_MAX: not reached
    bool *done;
} Search;

static bool search_new(Search *s, Level *l)
{
    uint32_t n = l->places + 1;
    *s = (Search){.cost = NEW_ARRAY(l->d->arena, uint32_t, n),
                  .done = NEW_ARRAY(l->d->arena, bool, n)};
    if (!s->cost || !s->done)
        return false;
    for (uint32_t k = 0; k < n; k++)
        s->cost[k] = UINT32_MAX;
    return true;
}

static bool link_has(const Level *l, const Link *k, const Place *p)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (level_owner(l, l->member[k->first + i]) == p)
            return true;
    return false;
}

/* The owner of the output of a link of signals, or NULL. */
static Place *source_of(const Level *l, const Link *link)
{
    for (uint32_t i = 0; i < link->count; i++) {
        uint32_t port = l->member[link->first + i];
        if (l->d->port[port].signal && l->d->port[port].output)
            return level_owner(l, port);
    }
    return NULL;
}

/* How far its ends are from each other: what is joined at a bus is not beside each
   other for that reason, unless nothing else joins it. */
static uint32_t length_of(const Link *link)
{
    return link->count > BUS ? WAY_BUS * link->count : link->count - 1;
}

/* Those beside p in a link are one layer further; a link of many is a longer way
   than one of two. From where a signal goes to where it comes from is a way back,
   which is taken only if there is no other. */
static void relax(Level *l, Search *s, uint32_t p)
{
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        const Place *source = source_of(l, link);
        if (!link_has(l, link, &l->place[p]))
            continue;
        bool back = source && source != &l->place[p];
        for (uint32_t i = 0; i < link->count; i++) {
            Place *q = level_owner(l, l->member[link->first + i]);
            uint32_t cost = s->cost[p] + (back ? WAY_BACK : length_of(link));
            if (!q || cost >= s->cost[q - l->place] || (back && q != source))
                continue;
            s->cost[q - l->place] = cost;
            q->layer = back ? l->place[p].layer - 1 : l->place[p].layer + 1;
        }
    }
}

/* What is joined to the left side of the frame comes first. */
static void seed(Level *l, Search *s)
{
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        bool left = false;
        for (uint32_t i = 0; i < link->count; i++) {
            uint32_t port = l->member[link->first + i];
            left = left || (!level_owner(l, port) && !l->d->port[port].right);
        }
        for (uint32_t i = 0; left && i < link->count; i++) {
            const Place *q = level_owner(l, l->member[link->first + i]);
            if (!q)
                continue;
            s->cost[q - l->place] = 0;
            l->place[q - l->place].layer = l->places;
        }
    }
}

static void spread(Level *l, Search *s)
{
    for (uint32_t n = 0; n < l->places; n++) {
        uint32_t next = l->places;
        for (uint32_t k = 0; k < l->places; k++)
            if (!s->done[k] &&
                (next == l->places || s->cost[k] < s->cost[next]))
                next = k;
        assert(next < l->places);
        if (s->cost[next] == UINT32_MAX) { // another piece begins
            s->cost[next] = 0;
            l->place[next].layer = l->places; // others may be before it
        }
        s->done[next] = true;
        relax(l, s, next);
    }
}

/* Puts the target of a signal to the right of its source, unless it goes back. */
static bool push(Level *l, const uint32_t *before)
{
    bool moved = false;
    for (uint32_t k = 0; k < l->links; k++) {
        const Place *from = source_of(l, &l->link[k]);
        for (uint32_t i = 0; from && i < l->link[k].count; i++) {
            Place *to = level_owner(l, l->member[l->link[k].first + i]);
            if (!to || to == from || to->layer > from->layer ||
                before[to - l->place] < before[from - l->place])
                continue;
            to->layer = from->layer + 1;
            moved = true;
        }
    }
    return moved;
}

static bool has_links(const Level *l, const Place *p)
{
    for (uint32_t k = 0; k < l->links; k++)
        if (link_has(l, &l->link[k], p))
            return true;
    return false;
}

/* Renumbers layers so that none is empty; what nothing is joined to comes last.
   Returns how many there are, without that. */
static uint32_t compress(Level *l)
{
    uint32_t layers = 0;
    for (uint32_t at = 0, left = l->places; left > 0; at++) {
        bool any = false;
        left = 0;
        for (uint32_t k = 0; k < l->places; k++) {
            Place *p = &l->place[k];
            if (p->column != 0) // done
                continue;
            left++;
            if (p->layer != at)
                continue;
            p->column = 1;
            p->layer = has_links(l, p) ? layers : UINT32_MAX;
            any = any || p->layer == layers;
        }
        layers += any;
    }
    return layers;
}

bool layers_find(Level *l)
{
    Search s;
    uint32_t *before = NEW_ARRAY(l->d->arena, uint32_t, l->places + 1);
    if (!before || !search_new(&s, l))
        return false;
    seed(l, &s);
    spread(l, &s);
    for (uint32_t k = 0; k < l->places; k++)
        before[k] = l->place[k].layer;
    for (uint32_t k = 0; k < l->places && push(l, before); k++)
        ;
    l->layers = compress(l);
    return true;
}

bool layers_beside(const Level *l, uint32_t port, double *mean)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        bool own = false;
        for (uint32_t i = 0; i < link->count; i++)
            own = own || l->member[link->first + i] == port;
        for (uint32_t i = 0; own && i < link->count; i++) {
            uint32_t other = l->member[link->first + i];
            const Place *q = level_owner(l, other);
            if (q && q->box == l->d->port[port].box)
                continue;
            sum += q ? q->layer : l->d->port[other].right ? l->layers : -1.0;
            n++;
        }
    }
    *mean = n ? sum / n : 0;
    return n > 0;
}

/* ---- Columns -------------------------------------------------------------------- */

/* The largest number whose square is at most n. */
static uint32_t root(uint32_t n)
{
    uint32_t r = 0;
    while ((r + 1) * (r + 1) <= n)
        r++;
    return r;
}

static int32_t width_of(const Level *l, const Place *p)
{
    const DiagramBox *b = &l->d->box[p->box];
    return b->wide + (b->open ? 0 : b->left + b->right);
}

/* A new column of places of a layer, up to `most`; the places are `from` and
   after it. Returns the first place that is left. */
static uint32_t fill(Level *l, uint32_t layer, uint32_t from, uint32_t most)
{
    Column *c = &l->column[l->columns];
    uint32_t n = 0, k = from;
    *c = (Column){.first = l->columns ? c[-1].first + c[-1].count : 0};
    for (; k < l->places && n < most; k++) {
        Place *p = &l->place[k];
        if (p->layer != layer)
            continue;
        p->column = l->columns;
        p->order = n++;
        l->sorted[c->first + p->order] = k;
        c->wide = width_of(l, p) > c->wide ? width_of(l, p) : c->wide;
    }
    c->count = n;
    l->columns += n > 0;
    return k;
}

/* A layer becomes one column, or several equal ones. */
static void divide(Level *l, uint32_t layer, uint32_t most)
{
    uint32_t n = 0, from = 0;
    for (uint32_t k = 0; k < l->places; k++)
        n += l->place[k].layer == layer;
    if (n == 0)
        return;
    uint32_t parts = (n + most - 1) / most;
    for (uint32_t k = 0; k < parts; k++)
        from = fill(l, layer, from, (n + parts - 1 - k) / parts);
}

/* How many rows columns [0, n) make if none is wider than `room`. */
static uint32_t rows_in(const Level *l, uint32_t n, int32_t room, bool set)
{
    uint32_t row = 0;
    int32_t used = 0, seat = 0;
    for (uint32_t k = 0; k < n; k++) {
        Column *c = &l->column[k];
        if (seat > 0 && used + c->wide + GAP > room) {
            row++;
            used = seat = 0;
        }
        used += c->wide + GAP;
        if (set) {
            c->row = row;
            c->seat = seat;
        }
        seat++;
    }
    return n ? row + 1 : 0;
}

static bool has_frames(const Level *l, const Column *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        if (l->d->box[l->place[l->sorted[c->first + k]].box].open)
            return true;
    return false;
}

static int32_t room_of(const Level *l)
{
    for (uint32_t k = 0; k < l->columns; k++)
        if (has_frames(l, &l->column[k]))
            return ROOM_FRAMES;
    return ROOM;
}

/* Rows of about the same width. */
static uint32_t break_rows(Level *l, uint32_t n)
{
    int32_t room = room_of(l);
    uint32_t rows = rows_in(l, n, room, false);
    int32_t low = 1;
    while (low < room) { // the least room that makes no more rows
        int32_t middle = (low + room) / 2;
        if (rows_in(l, n, middle, false) <= rows)
            room = middle;
        else
            low = middle + 1;
    }
    return rows_in(l, n, room, true);
}

/* Every other row goes back from the right; not frames, as the sides of their
   ports are decided. */
static void turn_rows(Level *l)
{
    for (uint32_t row = 1; row < l->rows; row += 2) {
        int32_t last = 0;
        bool frames = false;
        for (uint32_t k = 0; k < l->columns; k++) {
            const Column *c = &l->column[k];
            frames = frames || (c->row == row && has_frames(l, c));
            last = c->row == row && c->seat > last ? c->seat : last;
        }
        for (uint32_t k = 0; k < l->columns && !frames; k++)
            if (l->column[k].row == row) {
                l->column[k].seat = last - l->column[k].seat;
                l->column[k].back = true;
            }
    }
}

/* Parts that nothing is joined to stand in rows of their own, at the bottom. */
static void add_rest(Level *l, uint32_t rest)
{
    int32_t room = room_of(l), most = 1;
    uint32_t before = l->columns, n;
    for (uint32_t k = 0; k < l->places; k++)
        if (l->place[k].layer == UINT32_MAX && width_of(l, &l->place[k]) > most)
            most = width_of(l, &l->place[k]);
    n = (uint32_t)(room / (most + GAP));
    n = n < 1 ? 1 : n > rest ? rest : n;
    divide(l, UINT32_MAX, (rest + n - 1) / n);
    for (uint32_t k = before; k < l->columns; k++) {
        l->column[k].row = l->rows;
        l->column[k].seat = (int32_t)(k - before);
    }
    l->rows++;
}

static void columns_make(Level *l)
{
    uint32_t joined = 0, most;
    for (uint32_t k = 0; k < l->places; k++)
        joined += l->place[k].layer != UINT32_MAX;
    most = 1 + root(joined + joined / 2);
    for (uint32_t k = 0; k < l->layers; k++)
        divide(l, k, most < COLUMN_LEAST ? COLUMN_LEAST : most);
    l->rows = break_rows(l, l->columns);
    turn_rows(l);
    if (joined < l->places)
        add_rest(l, l->places - joined);
}

/* ---- Order ---------------------------------------------------------------------- */

/* Height of a place in the whole picture, for its neighbours. */
static double height_of(const Level *l, const Place *p)
{
    const Column *c = &l->column[p->column];
    return c->row + (p->order + 0.5) / c->count;
}

/* The mean height of its neighbours in other columns. */
static double wanted(const Level *l, const Place *p)
{
    double sum = 0, weight = 0;
    for (uint32_t k = 0; k < l->links; k++) {
        const Link *link = &l->link[k];
        double w = link->count > 1 ? 1.0 / (link->count - 1) : 0;
        if (!link_has(l, link, p))
            continue;
        for (uint32_t i = 0; i < link->count; i++) {
            const Place *q = level_owner(l, l->member[link->first + i]);
            if (!q || q->column == p->column)
                continue;
            sum += w * height_of(l, q);
            weight += w;
        }
    }
    return weight > 0 ? sum / weight : height_of(l, p);
}

static void sort_column(Level *l, const Column *c)
{
    uint32_t *s = &l->sorted[c->first];
    for (uint32_t k = 0; k < c->count; k++)
        l->place[s[k]].key = wanted(l, &l->place[s[k]]);
    for (uint32_t k = 1; k < c->count; k++)
        for (uint32_t i = k;
             i > 0 && l->place[s[i]].key < l->place[s[i - 1]].key - 1e-9; i--) {
            uint32_t swap = s[i];
            s[i] = s[i - 1];
            s[i - 1] = swap;
        }
    for (uint32_t k = 0; k < c->count; k++)
        l->place[s[k]].order = k;
}

bool columns_find(Level *l)
{
    l->sorted = NEW_ARRAY(l->d->arena, uint32_t, l->places + 1);
    l->column = NEW_ARRAY(l->d->arena, Column, l->places + 1);
    if (!l->sorted || !l->column)
        return false;
    columns_make(l);
    for (uint32_t n = 0; n < SWEEPS; n++)
        for (uint32_t k = 0; k < l->columns; k++)
            sort_column(l, &l->column[n % 2 ? l->columns - 1 - k : k]);
    return true;
}
