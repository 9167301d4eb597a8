#include "events/discrete.h"

#include "events/stream.h"

static void reset_resource(Cosy *c, uint32_t k)
{
    const CosyResourceInfo *info = c->model->resources + k;
    bool open = info->kind == COSY_GATE && info->capacity != 0;
    c->resource[k] = (CosyResource){.capacity = info->capacity,
                                    .marks = info->pool ? COSY_SHARED : 0,
                                    .used = open,
                                    .most_used = open,
                                    .holder = COSY_NONE,
                                    .head = COSY_NONE,
                                    .tail = COSY_NONE,
                                    .used_since = c->head->t,
                                    .down_since = c->head->t,
                                    .room_since = c->head->t,
                                    .wait_since = c->head->t};
}

/* All lists of the WAIT UNTILs are empty. */
static void reset_waits(Cosy *c)
{
    c->head->untils = c->head->asks = 0;
    c->head->arrivals = 0;
    for (uint32_t w = 0; w < c->model->n_waits; w++) {
        const CosyWaitInfo *info = c->model->waits + w;
        for (uint32_t k = info->first; k < info->first + info->lists; k++)
            c->until[k] = (CosyUntil){.head = COSY_NONE,
                                      .tail = COSY_NONE,
                                      .cursor = COSY_NONE,
                                      .wait = w,
                                      .next = k,
                                      .previous = k};
    }
}

static void reset_file(CosyFile *f, real t)
{
    *f = (CosyFile){
        .head = COSY_NONE, .tail = COSY_NONE, .root = COSY_NONE, .since = t};
}

CosyStatus discrete_reset(Cosy *c)
{
    const CosyModel *m = c->model;
    CosyHead *h = c->head;
    h->sequence = 0;
    h->cleared = h->t;
    h->heap_count = h->heap_hole = h->heap_void = 0;
    h->lane_head = h->lane_count = 0;
    h->slot = COSY_SLOT_CLOSED;
    h->transaction_free = h->record_free = COSY_NONE;
    h->transaction_used = h->record_used = 0;
    h->stay_free = COSY_NONE;
    h->stay_used = h->kin_used = 0;
    h->kin_free = COSY_NONE;
    for (uint32_t k = 0; k < c->kin_room; k++)
        c->kin[k].bucket = COSY_NONE;
    h->transaction_number = 0;
    reset_waits(c);
    for (uint32_t k = 0; k < m->n_resources; k++)
        reset_resource(c, k);
    for (uint32_t k = 0; k < m->n_files; k++)
        reset_file(c->file + k, h->t);
    for (uint32_t k = 0; k < m->n_processes; k++) {
        uint32_t capacity = m->processes[k].capacity;
        c->population[k] =
            (CosyPopulation){.capacity = capacity ? capacity : COSY_NONE};
    }
    for (uint32_t k = 0; k < m->n_streams; k++)
        COSY_TRY(stream_reset(c, k));
    return COSY_OK;
}
