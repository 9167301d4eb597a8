#ifndef COSY_TESTS_HOST_H
#define COSY_TESTS_HOST_H

/* A bare instance for tests and measurements of the discrete part, without
   src/run: segments from the C library, pools that start small and double, the
   last message kept as text. host_run is a clock that knows the calendar only.

       Host host;
       Cosy *c = host_open(&host, &model);   // calls discrete_reset
       ...
       host_close(&host); */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cosy/model.h"
#include "events/calendar.h"
#include "events/discrete.h"
#include "events/refusal.h"
#include "events/stream.h"

typedef struct Host {
    Cosy c;
    CosyHead head;
    char text[512];    // the last message
    unsigned messages; // so far
} Host;

/* Bytes, aligned to a cache line and zero. */
static inline void *host_room(size_t size)
{
    size_t whole = (size + 64) / 64 * 64;
    void *p = aligned_alloc(64, whole);
    if (p == NULL)
        exit(3);
    return memset(p, 0, whole);
}

static inline void *host_double(void *old, uint32_t *room, size_t size)
{
    unsigned char *p = host_room((size_t)*room * 2 * size);
    memcpy(p, old, *room * size);
    free(old);
    *room *= 2;
    return p;
}

static inline CosyStatus host_grow(Cosy *c, CosySegment segment)
{
    uint32_t lane = c->lane_room;
    switch (segment) {
    case COSY_SEGMENT_HEAP:
        // the one who pushes has an index already: no compaction in here
        c->heap = host_double(c->heap, &c->heap_room, sizeof *c->heap);
        break;
    case COSY_SEGMENT_LANE:
        c->lane = host_double(c->lane, &c->lane_room, sizeof *c->lane);
        calendar_lengthen(c, lane);
        break;
    case COSY_SEGMENT_TRANSACTIONS:
        c->transactions = host_double(c->transactions, &c->transaction_room,
                                      c->model->transaction_size);
        break;
    case COSY_SEGMENT_RECORDS:
        c->records = host_double(c->records, &c->record_room,
                                 c->model->record_size);
        break;
    }
    return COSY_OK;
}
