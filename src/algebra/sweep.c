#include "algebra/sweep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/components.h"
#include "algebra/elements.h"
#include "algebra/large.h"
#include "algebra/runs.h"
#include "algebra/tear.h"

#define PERIOD_MOST 8 // most components in the body of a loop
#define TURNS_LEAST 3 // fewer are written out

/* An element of one of the portions. */
typedef struct Node {
    uint32_t portion; // place in the list
    uint32_t element;
} Node;

typedef struct Sweep {
    Model *m;
    System *s;
    Elements e;
    const uint32_t *portion;
    uint32_t n;
    uint32_t *base; // first node of each portion, and the end
    uint32_t nodes;
    uint32_t *node_of; // for each unknown: its node, or NONE
    uint32_t *edge, *to;
    Components c;
    uint32_t *item;  // components in their order of computation
    uint32_t *whole; // for each portion: set if it stays as it is
    Vector list;     // uint32_t: portions of the present algebraic loop
} Sweep;

static Node node_at(const Sweep *w, uint32_t node)
{
    uint32_t low = 0, high = w->n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (w->base[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return (Node){low, node - w->base[low]};
}

static const Portion *portion_at_node(const Sweep *w, Node k)
{
    return system_portion(w->s, w->portion[k.portion]);
}

static void values_of(const Sweep *w, Node k, int64_t *value)
{
    elements_values(&w->e, w->portion[k.portion], k.element, value);
}

/* ---- The graph --------------------------------------------------------------------------------- */

/* The number of the unknown that an element determines. */
static uint32_t unknown_of(const Sweep *w, Node k)
{
    return elements_target(&w->e, w->portion[k.portion], k.element);
}

static bool number_nodes(Sweep *w)
{
    Arena *a = &w->e.arena;
    w->base = NEW_ARRAY(a, uint32_t, w->n + 1);
    w->whole = NEW_ARRAY(a, uint32_t, w->n + 1);
    w->node_of = NEW_ARRAY(a, uint32_t, w->e.unknowns + 1);
    if (!w->base || !w->whole || !w->node_of)
        return false;
    for (uint32_t k = 0; k < w->n; k++) {
        const Portion *p = system_portion(w->s, w->portion[k]);
        w->base[k] = w->nodes;
        w->nodes += (uint32_t)loops_elements(w->m, p->loops, p->n_loops);
    }
    w->base[w->n] = w->nodes;
    for (uint32_t k = 0; k < w->e.unknowns; k++)
        w->node_of[k] = NONE;
    for (uint32_t k = 0; k < w->nodes; k++)
        w->node_of[unknown_of(w, node_at(w, k))] = k;
    return true;
}

static bool add_edges(Sweep *w, uint32_t node, Vector *reads, Vector *to)
{
    Node k = node_at(w, node);
    reads->used = 0;
    if (!elements_reads(&w->e, w->portion[k.portion], k.element, true, reads))
        return false;
    const ElementRead *r = (const ElementRead *)(const void *)reads->bytes;
    for (size_t i = 0; i < reads->used / sizeof *r; i++) {
        uint32_t other = w->node_of[r[i].unknown];
        if (other != NONE && !vector_append(to, &other, sizeof other))
            return false;
    }
    return true;
}

static bool build_graph(Sweep *w)
{
    Vector reads = {0}, to = {0};
    bool right = true;
    w->edge = NEW_ARRAY(&w->e.arena, uint32_t, w->nodes + 1);
    for (uint32_t k = 0; w->edge && k < w->nodes && right; k++) {
        w->edge[k] = (uint32_t)(to.used / sizeof(uint32_t));
        right = add_edges(w, k, &reads, &to);
    }
    w->to =
        arena_alloc(&w->e.arena, to.used + sizeof *w->to, _Alignof(uint32_t));
    right = right && w->edge && w->to;
    if (right) {
        w->edge[w->nodes] = (uint32_t)(to.used / sizeof(uint32_t));
        if (to.used)
            memcpy(w->to, to.bytes, to.used);
    }
    vector_free(&reads);
    vector_free(&to);
    return right;
}

/* ---- Order -------------------------------------------------------------------------------------- */

typedef struct Rank {
    uint32_t level, node, component;
} Rank;

static int by_rank(const void *a, const void *b)
{
    const Rank *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Dependencies have smaller numbers, so their levels are known. */
static Rank rank_of(Sweep *w, const Rank *rank, uint32_t k)
{
    uint32_t *node = w->c.order + w->c.first[k];
    uint32_t n = w->c.first[k + 1] - w->c.first[k], level = 0;
    qsort(node, n, sizeof *node, by_number);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = w->edge[node[i]]; j < w->edge[node[i] + 1]; j++) {
            uint32_t other = w->c.of[w->to[j]];
            if (other != k && rank[other].level >= level)
                level = rank[other].level + 1;
        }
    return (Rank){level, node[0], k};
}

static bool order_components(Sweep *w)
{
    Rank *rank = NEW_ARRAY(&w->e.arena, Rank, w->c.count + 1);
    w->item = NEW_ARRAY(&w->e.arena, uint32_t, w->c.count + 1);
    if (!rank || !w->item)
        return false;
    for (uint32_t k = 0; k < w->c.count; k++)
        rank[k] = rank_of(w, rank, k);
    qsort(rank, w->c.count, sizeof *rank, by_rank);
    for (uint32_t k = 0; k < w->c.count; k++)
        w->item[k] = rank[k].component;
    return true;
}

/* ---- Steps that are equal but for their indices ----------------------------------------------------- */

/* A loop over components: `along` says which loop of each portion moves. */
typedef struct Roll {
    uint32_t first, period, turns;
    int64_t step;    // +1, -1
    uint32_t *along; // for each portion: a loop of it, or NONE: not met yet
} Roll;

/* The loop in which two elements are apart by the step, or NONE. */
static uint32_t moved(const Sweep *w, Node a, Node b, int64_t step)
{
    int64_t x[LOOPS_MOST], y[LOOPS_MOST];
    uint32_t found = NONE, n = portion_at_node(w, a)->n_loops;
    if (a.portion != b.portion)
        return NONE;
    values_of(w, a, x);
    values_of(w, b, y);
    for (uint32_t k = 0; k < n; k++) {
        if (x[k] == y[k])
            continue;
        if (found != NONE || y[k] - x[k] != step)
            return NONE;
        found = k;
    }
    return found;
}

/* The next edge from i on that stays in the component of its node. */
static uint32_t next_inside(const Sweep *w, uint32_t node, uint32_t i)
{
    while (i < w->edge[node + 1] && w->c.of[w->to[i]] != w->c.of[node])
        i++;
    return i;
}

/* FOR I := 1 TO 9 DO A[I] = A[5] + B: solved, but for A[5]. */
static bool reads_itself(const Sweep *w, uint32_t node)
{
    for (uint32_t i = w->edge[node]; i < w->edge[node + 1]; i++)
        if (w->to[i] == node)
            return true;
    return false;
}

/* True if x reads in its component what y reads in its own. */
static bool reads_alike(const Sweep *w, const Roll *r, uint32_t x, uint32_t y)
{
    uint32_t i = next_inside(w, x, w->edge[x]);
    uint32_t j = next_inside(w, y, w->edge[y]);
    while (i < w->edge[x + 1] && j < w->edge[y + 1]) {
        Node a = node_at(w, w->to[i]), b = node_at(w, w->to[j]);
        if (moved(w, a, b, r->step) == NONE)
            return false;
        i = next_inside(w, x, i + 1);
        j = next_inside(w, y, j + 1);
    }
    return i == w->edge[x + 1] && j == w->edge[y + 1];
}

/* True if component b is a, one step further. */
static bool follows(const Sweep *w, Roll *r, uint32_t a, uint32_t b)
{
    uint32_t n = w->c.first[a + 1] - w->c.first[a];
    if (w->c.first[b + 1] - w->c.first[b] != n || n >= LARGE_FROM)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t one = w->c.order[w->c.first[a] + k];
        uint32_t other = w->c.order[w->c.first[b] + k];
        Node x = node_at(w, one), y = node_at(w, other);
        uint32_t loop = moved(w, x, y, r->step);
        uint32_t *along = &r->along[x.portion];
        if (loop == NONE || (*along != NONE && *along != loop) ||
            !reads_alike(w, r, one, other) ||
            (portion_at_node(w, x)->value && reads_itself(w, one)))
            return false;
        *along = loop;
    }
    return true;
}

static uint32_t turns_of(const Sweep *w, Roll *r)
{
    uint32_t turns = 1;
    for (uint32_t k = 0; k < w->n; k++)
        r->along[k] = NONE;
    for (uint32_t at = r->first; at + 2 * r->period <= w->c.count;
         at += r->period, turns++)
        for (uint32_t k = 0; k < r->period; k++)
            if (!follows(w, r, w->item[at + k], w->item[at + k + r->period]))
                return turns;
    return turns;
}

/* The loop that begins at the item; one turn if there is none. */
static Roll roll_at(const Sweep *w, uint32_t first, uint32_t *along)
{
    Roll r = {.first = first, .along = along};
    for (r.period = 1; r.period <= PERIOD_MOST; r.period++)
        for (r.step = 1; r.step >= -1; r.step -= 2) {
            r.turns = turns_of(w, &r);
            if (r.turns >= TURNS_LEAST)
                return r;
        }
    r.period = r.turns = 1;
    return r;
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* True if the value, in which IF has been decided, does not read the element
   itself. */
static bool is_solved(Sweep *w, Node k, const Expr *value)
{
    Vector reads = {0};
    int64_t at[LOOPS_MOST] = {0};
    values_of(w, k, at);
    bool solved =
        elements_reads_in(&w->e, w->portion[k.portion], value, at, &reads);
    const ElementRead *r = (const ElementRead *)(const void *)reads.bytes;
    for (size_t i = 0; solved && i < reads.used / sizeof *r; i++)
        solved = r[i].unknown != unknown_of(w, k);
    vector_free(&reads);
    return solved;
}

/* A portion for one element, or in a loop of a Roll. */
static uint32_t add_portion(Sweep *w, const Roll *r, uint32_t node,
                            uint32_t loop, int64_t begin)
{
    Model *m = w->m;
    Node k = node_at(w, node);
    const Portion *p = portion_at_node(w, k);
    int64_t value[LOOPS_MOST];
    const Expr *index[LOOPS_MOST];
    values_of(w, k, value);
    for (uint32_t i = 0; i < p->n_loops; i++) {
        index[i] = expr_integer(m, value[i]);
        if (loop != NONE && i == r->along[k.portion])
            index[i] = expr_2(m, EXPR_ADD, expr_loop(m, loop),
                              expr_integer(m, value[i] - begin));
    }
    Portion own = portion_placed(m, p, index);
    if (own.value && reads_itself(w, node) && !is_solved(w, k, own.value))
        own.value = NULL;
    if (loop != NONE)
        own.loops[own.n_loops++] = loop;
    return system_add_portion(m, w->s, &own);
}

static void put_assignment(Sweep *w, uint32_t portion, Steps *out)
{
    const Portion *p = system_portion(w->s, portion);
    Step *s = steps_add(w->m, out, STEP_ASSIGN);
    s->target = p->target;
    s->value = p->value;
    s->equation = p->equation;
    s->portion = portion;
}

static bool put_component(Sweep *w, const Roll *r, uint32_t component,
                          uint32_t loop, int64_t begin, Steps *out)
{
    w->list.used = 0;
    for (uint32_t k = w->c.first[component]; k < w->c.first[component + 1];
         k++) {
        uint32_t own = add_portion(w, r, w->c.order[k], loop, begin);
        if (!vector_append(&w->list, &own, sizeof own))
            w->m->broken = true;
    }
    if (w->m->broken)
        return false;
    const uint32_t *list = (const uint32_t *)(const void *)w->list.bytes;
    uint32_t n = (uint32_t)(w->list.used / sizeof *list);
    if (n > 1 || !system_portion(w->s, list[0])->value)
        return tear_loop(w->m, w->s, list, n, out);
    put_assignment(w, list[0], out);
    return true;
}

/* The value of the moving index at the first turn. */
static int64_t begin_of(const Sweep *w, const Roll *r, uint32_t *loop)
{
    int64_t value[LOOPS_MOST];
    Node k = node_at(w, w->c.order[w->c.first[w->item[r->first]]]);
    values_of(w, k, value);
    *loop = portion_at_node(w, k)->loops[r->along[k.portion]];
    return value[r->along[k.portion]];
}

static bool put_roll(Sweep *w, const Roll *r, Steps *out)
{
    Model *m = w->m;
    uint32_t loop = NONE;
    int64_t begin = 0;
    if (r->turns > 1) {
        begin = begin_of(w, r, &loop);
        int64_t end = begin + r->step * (int64_t)(r->turns - 1);
        Loop l = *model_loop(m, loop);
        l.low = begin < end ? begin : end;
        l.high = begin < end ? end : begin;
        loop = model_add_loop(m, &l);
        Step *s = steps_add(m, out, STEP_LOOP);
        s->loop = loop;
        s->down = r->step < 0;
        out = &s->body;
    }
    for (uint32_t k = 0; k < r->period; k++)
        if (!put_component(w, r, w->item[r->first + k], loop, begin, out))
            return false;
    return true;
}

/* ---- Large algebraic loops ------------------------------------------------------------------------------ */

/* The end of the nodes from k on that are one portion at consecutive values of its
   innermost loop. */
static uint32_t box_end(const Sweep *w, uint32_t k, uint32_t end, int64_t *low,
                        int64_t *high)
{
    const uint32_t *node = w->c.order;
    Node a = node_at(w, node[k]);
    const Portion *p = portion_at_node(w, a);
    uint32_t last = p->n_loops - 1;
    values_of(w, a, low);
    memcpy(high, low, LOOPS_MOST * sizeof *high);
    if (p->n_loops == 0)
        return k + 1;
    const Loop *l = model_loop(w->m, p->loops[last]);
    uint32_t limit = w->base[a.portion + 1];
    uint32_t to = k + 1;
    while (to < end && node[to] == node[to - 1] + 1 && node[to] < limit &&
           high[last] < l->high) {
        high[last]++;
        to++;
    }
    return to;
}

static bool put_large(Sweep *w, uint32_t component, Steps *out)
{
    uint32_t end = w->c.first[component + 1];
    int64_t low[LOOPS_MOST], high[LOOPS_MOST];
    w->list.used = 0;
    for (uint32_t k = w->c.first[component], to; k < end; k = to) {
        Node a = node_at(w, w->c.order[k]);
        const Portion *p = portion_at_node(w, a);
        uint32_t own = w->portion[a.portion];
        uint32_t all = w->base[a.portion + 1] - w->base[a.portion];
        if (a.element == 0 && k + all <= end &&
            w->c.order[k + all - 1] == w->base[a.portion + 1] - 1) {
            to = k + all; // the portion as a whole
            w->whole[a.portion] = 1;
        } else {
            to = box_end(w, k, end, low, high);
            Portion box = run_portion(w->m, p, low, high);
            own = system_add_portion(w->m, w->s, &box);
        }
        if (!vector_append(&w->list, &own, sizeof own))
            w->m->broken = true;
    }
    return !w->m->broken &&
           large_loop(w->m, w->s, (const uint32_t *)(const void *)w->list.bytes,
                      (uint32_t)(w->list.used / sizeof(uint32_t)), out);
}

/* ---- The whole ------------------------------------------------------------------------------------------ */

static bool put_items(Sweep *w, Steps *out)
{
    uint32_t *along = NEW_ARRAY(&w->e.arena, uint32_t, w->n + 1);
    bool right = along != NULL;
    for (uint32_t k = 0; k < w->c.count && right;) {
        uint32_t c = w->item[k];
        if (w->c.first[c + 1] - w->c.first[c] >= LARGE_FROM) {
            right = put_large(w, c, out);
            k++;
            continue;
        }
        Roll r = roll_at(w, k, along);
        right = put_roll(w, &r, out) && !w->m->broken;
        k += r.period * r.turns;
    }
    for (uint32_t k = 0; k < w->n; k++)
        system_portion(w->s, w->portion[k])->replaced = !w->whole[k];
    return right;
}

bool sweep_elements(Model *m, System *s, const uint32_t *portion, uint32_t n,
                    Steps *out)
{
    Sweep w = {.m = m, .s = s, .portion = portion, .n = n};
    bool room = elements_begin(&w.e, m, s);
    w.e.values = true;
    room = room && number_nodes(&w) && build_graph(&w) &&
           components_find(&w.c, &w.e.arena, w.nodes, w.edge, w.to) &&
           order_components(&w);
    if (!room)
        m->broken = true;
    bool right = room && put_items(&w, out);
    vector_free(&w.list);
    elements_free(&w.e);
    return right && !m->broken;
}
