/* M/M/1 as a hand-written event loop: a binary heap of {time, kind}, a ring of
   arrival times, and the statistics that a FACILITY keeps. The same random numbers as tests/contract/mm1.c:
   streams 0 and 1, seeds 1 and 2, mean 1.25 and 1. */

#include "bench/mm1.h"

#include <stdlib.h>
#include <string.h>

#include "events/stream.h"

typedef struct Event {
    double t;
    uint32_t kind;
} Event;

enum { ARRIVAL, DEPARTURE, HEAP_ROOM = 64 };

typedef struct Heap {
    uint32_t n;
    Event e[HEAP_ROOM];
} Heap;

static inline void heap_push(Heap *h, Event e)
{
    uint32_t i = h->n++;
    while (i > 0 && e.t < h->e[(i - 1) / 2].t) {
        h->e[i] = h->e[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->e[i] = e;
}

static inline Event heap_pop(Heap *h)
{
    Event top = h->e[0], last = h->e[--h->n];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < h->n) {
        if (child + 1 < h->n && h->e[child + 1].t < h->e[child].t)
            child++;
        if (!(h->e[child].t < last.t))
            break;
        h->e[i] = h->e[child];
        i = child;
    }
    h->e[i] = last;
    return top;
}

static const CosyStreamInfo info[] = {
    {.distribution = COSY_EXPOND, .a = 1.25, .seed = 1},
    {.distribution = COSY_EXPOND, .a = 1.0, .seed = 2}};

/* The generator gets a model because an EMPIRIC has its table there. */
static const CosyModel streams = {.n_streams = 2, .streams = info};

static inline double draw(CosyStream *s, const CosyStreamInfo *one,
                          uint32_t number)
{
    if (s->at == COSY_BATCH)
        stream_fill(&streams, s, number, 0);
    return one->a * s->batch[s->at++];
}

static CosyStream *stream_open(const CosyStreamInfo *one)
{
    CosyStream *s = calloc(1, sizeof *s);
    s->seed = one->seed;
    s->run = s->replication = 1;
    s->distribution = one->distribution;
    s->item = COSY_NONE;
    s->at = COSY_BATCH;
    return s;
}

Mm1 mm1_bare(int64_t customers)
{
    CosyStream *arrivals = stream_open(info), *services = stream_open(info + 1);
    uint32_t room = 1024, head = 0, waiting = 0;
    double *queue = malloc(room * sizeof *queue);
    Heap heap = {0};
    Mm1 m = {0};
    bool busy = false;
    double since = 0.0, queue_since = 0.0, arrived = 0.0, t = 0.0;
    heap_push(&heap, (Event){draw(arrivals, info, 0), ARRIVAL});
    while (m.served < customers) {
        Event e = heap_pop(&heap);
        t = e.t;
        if (e.kind == ARRIVAL) {
            heap_push(&heap, (Event){t + draw(arrivals, info, 0), ARRIVAL});
            if (!busy) {
                busy = true;
                m.entries++;
                since = arrived = t;
                heap_push(&heap,
                          (Event){t + draw(services, info + 1, 1), DEPARTURE});
            } else {
                if (waiting == room) {
                    queue = realloc(queue, 2 * room * sizeof *queue);
                    memcpy(queue + room, queue, head * sizeof *queue);
                    room *= 2;
                }
                m.queue += (double)waiting * (t - queue_since);
                queue_since = t;
                m.waits++;
                queue[(head + waiting++) & (room - 1)] = t;
                if (waiting > m.most_waiting)
                    m.most_waiting = waiting;
            }
        } else {
            m.stay += t - arrived;
            m.served++;
            if (waiting) {
                arrived = queue[head];
                head = (head + 1) & (room - 1);
                m.queue += (double)waiting * (t - queue_since);
                queue_since = t;
                waiting--;
                double wait = t - arrived;
                m.wait += wait;
                if (wait > m.wait_max)
                    m.wait_max = wait;
                m.entries++;
                heap_push(&heap,
                          (Event){t + draw(services, info + 1, 1), DEPARTURE});
            } else {
                busy = false;
                m.busy += t - since;
            }
        }
    }
    if (busy)
        m.busy += t - since;
    m.t = t;
    free(queue);
    free(arrivals);
    free(services);
    return m;
}
