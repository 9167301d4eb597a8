#include "algebra/components.h"

#include <assert.h>

#define UNSEEN UINT32_MAX

typedef struct Walk {
    const uint32_t *edge, *to;
    Components *c;
    uint32_t nodes;
    uint32_t *index, *low, *at; // for each node; at: its next edge
    uint32_t *path, depth;      // nodes being visited
    uint32_t *stack, height;    // nodes without a component yet
    uint32_t seen, ordered;
} Walk;

static void enter(Walk *w, uint32_t k)
{
    assert(w->index[k] == UNSEEN && w->depth < w->nodes);
    w->index[k] = w->low[k] = w->seen++;
    w->at[k] = w->edge[k];
    w->stack[w->height++] = k;
    w->path[w->depth++] = k;
}

static void leave(Walk *w, uint32_t k)
{
    uint32_t other;
    w->depth--;
    if (w->depth) {
        uint32_t up = w->path[w->depth - 1];
        w->low[up] = w->low[k] < w->low[up] ? w->low[k] : w->low[up];
    }
    if (w->low[k] != w->index[k])
        return;
    w->c->first[w->c->count] = w->ordered;
    do {
        assert(w->height > 0);
        other = w->stack[--w->height];
        w->c->of[other] = w->c->count;
        w->c->order[w->ordered++] = other;
    } while (other != k);
    w->c->count++;
}

static void walk_from(Walk *w, uint32_t root)
{
    enter(w, root);
    while (w->depth) {
        uint32_t k = w->path[w->depth - 1];
        if (w->at[k] == w->edge[k + 1]) {
            leave(w, k);
            continue;
        }
        uint32_t to = w->to[w->at[k]++];
        if (w->index[to] == UNSEEN)
            enter(w, to);
        else if (w->c->of[to] == UNSEEN) // it is on the stack
            w->low[k] = w->index[to] < w->low[k] ? w->index[to] : w->low[k];
    }
}

bool components_find(Components *c, Arena *a, uint32_t nodes,
                     const uint32_t *first, const uint32_t *to)
{
    Walk w = {.edge = first, .to = to, .c = c, .nodes = nodes};
    uint32_t **array[] = {&w.index, &w.low,    &w.at,     &w.path,
                          &w.stack, &c->order, &c->first, &c->of};
    c->count = 0;
    for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
        *array[k] = NEW_ARRAY(a, uint32_t, nodes + 1);
        if (!*array[k])
            return false;
    }
    for (uint32_t k = 0; k < nodes; k++)
        w.index[k] = c->of[k] = UNSEEN;
    for (uint32_t k = 0; k < nodes; k++)
        if (w.index[k] == UNSEEN)
            walk_from(&w, k);
    c->first[c->count] = w.ordered;
    assert(w.ordered == nodes && w.height == 0);
    return true;
}
