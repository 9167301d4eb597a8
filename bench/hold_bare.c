/* The hold model on a bare binary heap: take the first entry and put it back an
   exponential time later, filling its place at the root at once. */

#include "bench/hold.h"

#include <stdlib.h>

typedef struct Event {
    double t;
    uint32_t id;
} Event;

static inline void down(Event *e, uint32_t n, Event new)
{
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < n) {
        child += child + 1 < n && e[child + 1].t < e[child].t;
        if (!(e[child].t < new.t))
            break;
        e[i] = e[child];
        i = child;
    }
    e[i] = new;
}

static void up(Event *e, uint32_t i, Event new)
{
    while (i > 0 && new.t < e[(i - 1) / 2].t) {
        e[i] = e[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    e[i] = new;
}

double hold_bare(uint32_t pending, uint32_t holds, const double *delay,
                 double *seconds)
{
    Event *e = malloc(pending * sizeof *e);
    for (uint32_t k = 0; k < pending; k++)
        up(e, k, (Event){delay[k & HOLD_MASK], k});
    double t = 0.0, begin = hold_clock();
    for (uint32_t k = 0; k < holds; k++) {
        t = e[0].t;
        down(e, pending, (Event){t + delay[k & HOLD_MASK], e[0].id});
    }
    *seconds = hold_clock() - begin;
    free(e);
    return t;
}
