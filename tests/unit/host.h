#ifndef COSY_TESTS_HOST_H
#define COSY_TESTS_HOST_H

/* A bare instance for tests and measurements of the discrete part, without
   src/run: segments from the C library, pools that start small and double, the
   last message kept as text. host_run is a clock that knows only the calendar.

       Host host;
       Cosy *c = host_open(&host, &model);   // calls host_reset
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
#include "events/transaction.h"
#include "stats/observe.h"

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
        if (!calendar_compact(c))
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
        c->records =
            host_double(c->records, &c->record_room, c->model->record_size);
        break;
    case COSY_SEGMENT_STAYS:
        c->stay = host_double(c->stay, &c->stay_room, sizeof *c->stay);
        break;
    case COSY_SEGMENT_KIN:
        c->kin = host_double(c->kin, &c->kin_room, sizeof *c->kin);
        break;
    case COSY_SEGMENT_ASKED:
        c->asked = host_double(c->asked, &c->asked_room, sizeof *c->asked);
        break;
    }
    return COSY_OK;
}

static inline void host_message(Cosy *c, CosySeverity severity, uint32_t line,
                                const char *text)
{
    Host *h = c->run;
    (void)severity;
    (void)line;
    snprintf(h->text, sizeof h->text, "%s", text);
    h->messages++;
}

static inline void host_reset(Cosy *c)
{
    discrete_reset(c);
    observe_reset(c);
}

static inline CosyStatus host_refuse(Cosy *c, CosyRefusal what, uint32_t which,
                                     uint32_t who, real value)
{
    Host *h = c->run;
    Refusal r = {0};
    Buffer b = {0};
    CosyStatus s = refusal_keep(&r, what, which, who, value);
    refusal_words(&b, c, &r, "", NULL);
    snprintf(h->text, sizeof h->text, "%s", buffer_string(&b));
    buffer_free(&b);
    h->messages++;
    return s;
}

static inline Cosy *host_open(Host *h, const CosyModel *m)
{
    static const CosyHost services = {.grow = host_grow,
                                      .refill = stream_refill,
                                      .cancel = calendar_cancel,
                                      .refuse = host_refuse,
                                      .transaction = transaction_find,
                                      .message = host_message};
    Cosy *c = &h->c;
    *h = (Host){0};
    h->c = (Cosy){.model = m,
                  .host = &services,
                  .run = h,
                  .head = &h->head,
                  .data = host_room(m->data_size),
                  .heap_room = 8,
                  .heap = host_room(8 * sizeof(CosyPending)),
                  .lane_room = 2,
                  .lane = host_room(2 * sizeof(CosyPending)),
                  .transaction_room = 2,
                  .transactions = host_room(2 * m->transaction_size),
                  .record_room = 2,
                  .records = host_room(2 * m->record_size),
                  .stay_room = 2,
                  .stay = host_room(2 * sizeof(CosyStay)),
                  .kin_room = 2,
                  .kin = host_room(2 * sizeof(CosyKin)),
                  .asked_room = 2,
                  .asked = host_room(2 * sizeof(uint32_t)),
                  .until = host_room(m->until_lists * sizeof(CosyUntil))};
    c->resource = host_room(m->n_resources * sizeof *c->resource);
    c->file = host_room(m->n_files * sizeof *c->file);
    c->population = host_room(m->n_processes * sizeof *c->population);
    c->stream = host_room(m->n_streams * sizeof *c->stream);
    c->collect = host_room(m->n_collects * sizeof *c->collect);
    c->timepers = host_room(m->n_timepers * sizeof *c->timepers);
    c->histogram = host_room(m->n_histograms * sizeof *c->histogram);
    h->head.run = h->head.replication = 1;
    observe_declared(c);
    host_reset(c);
    return c;
}

static inline void host_close(Host *h)
{
    Cosy *c = &h->c;
    free(c->data);
    free(c->heap);
    free(c->lane);
    free(c->transactions);
    free(c->records);
    free(c->stay);
    free(c->asked);
    free(c->kin);
    free(c->until);
    free(c->numbered);
    free(c->resource);
    free(c->file);
    free(c->population);
    free(c->stream);
    free(c->collect);
    free(c->timepers);
    free(c->histogram);
}

/* Carries out the calendar up to time `end`, or FINISH. */
static inline CosyStatus host_run(Cosy *c, real end)
{
    const CosyModel *m = c->model;
    CosyPending e;
    CosyRound round = {.limit = end, .most = 4096, .done = 4096};
    while (m->discrete && round.done == round.most)
        COSY_TRY(m->discrete(c, &round));
    while (c->head->request == COSY_GO_ON && cosy_calendar_due(c, end, &e)) {
        c->head->t = e.t;
        uint32_t id = COSY_BODY_ID(e.body);
        if (COSY_BODY_WHAT(e.body) == COSY_RESUMPTION) {
            COSY_TRY(m->resume(c, id));
        } else {
            COSY_TRY(m->time_event(c, COSY_BODY_WHICH(e.body), id));
            if (id != COSY_NONE)
                cosy_record_free(c, id);
        }
    }
    return COSY_OK;
}

#endif
