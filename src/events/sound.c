#include "events/sound.h"

/* ---- Calendar --------------------------------------------------------------- */

static bool entry_is_sound(const Cosy *c, const CosyPending *e)
{
    uint64_t number = e->order & ((1ull << COSY_SEQUENCE_BITS) - 1);
    uint32_t id = COSY_BODY_ID(e->body);
    if (COSY_BODY_WHAT(e->body) == COSY_RESUMPTION &&
        id >= c->head->transaction_used)
        return false;
    return e->t >= c->head->t && e->t < COSY_NEVER && number > 0 &&
           number <= c->head->sequence;
}

/* Entries from the root on, without the root if it is vacant. */
static bool heap_is_sound(const Cosy *c, uint32_t *voids)
{
    const CosyHead *h = c->head;
    uint32_t end = COSY_ROOT + h->heap_count;
    if (h->heap_count == 0)
        return h->heap_hole == 0;
    if (end + 3 > c->heap_room)
        return false;
    for (uint32_t k = COSY_ROOT + h->heap_hole; k < end; k++) {
        const CosyPending *e = c->heap + k;
        uint32_t parent = k / 4 + 2;
        if (!entry_is_sound(c, e))
            return false;
        if (k > COSY_ROOT && !(h->heap_hole && parent == COSY_ROOT) &&
            !cosy_before(c->heap + parent, e))
            return false;
        *voids += cosy_is_void(c, e);
    }
    for (uint32_t k = end; k % 4 != 0; k++)
        if (c->heap[k].t == c->heap[k].t)
            return false;
    return true;
}

static bool lane_is_sound(const Cosy *c, uint32_t *voids)
{
    const CosyHead *h = c->head;
    const CosyPending *last = NULL;
    if ((c->lane_room & (c->lane_room - 1)) != 0 ||
        h->lane_count > c->lane_room)
        return false;
    for (uint32_t k = 0; k < h->lane_count; k++) {
        const CosyPending *e =
            c->lane + ((h->lane_head + k) & (c->lane_room - 1));
        if (!entry_is_sound(c, e) || (last && !cosy_before(last, e)))
            return false;
        *voids += cosy_is_void(c, e);
        last = e;
    }
    return true;
}

bool calendar_is_sound(const Cosy *c)
{
    uint32_t voids = 0;
    return heap_is_sound(c, &voids) && lane_is_sound(c, &voids) &&
           voids == c->head->heap_void;
}

/* ---- Pools -------------------------------------------------------------------- */

static bool transactions_are_sound(const Cosy *c)
{
    const CosyHead *h = c->head;
    uint32_t there = 0, counted = 0, free = 0;
    for (uint32_t id = 0; id < h->transaction_used; id++)
        there += cosy_is_there(cosy_transaction(c, id));
    for (uint32_t k = 0; k < c->model->n_processes; k++)
        counted += c->population[k].count;
    for (uint32_t id = h->transaction_free; id != COSY_NONE;
         id = cosy_transaction(c, id)->next)
        if (id >= h->transaction_used || ++free > h->transaction_used ||
            cosy_is_there(cosy_transaction(c, id)))
            return false;
    return there == counted && there + free == h->transaction_used;
}

static bool records_are_sound(const Cosy *c)
{
    const CosyHead *h = c->head;
    uint64_t free = 0, filed = 0;
    for (uint32_t id = h->record_free; id != COSY_NONE;
         id = cosy_record(c, id)->next)
        if (id >= h->record_used || ++free > h->record_used)
            return false;
    for (uint32_t k = 0; k < c->model->n_files; k++)
        filed += c->file[k].count;
    return free + filed <= h->record_used;
}

static bool stays_are_sound(const Cosy *c)
{
    const CosyHead *h = c->head;
    uint32_t free = 0;
    for (uint32_t k = h->stay_free; k != COSY_NONE; k = c->stay[k].next)
        if (k >= h->stay_used || ++free > h->stay_used)
            return false;
    return true;
}

bool pools_are_sound(const Cosy *c)
{
    return transactions_are_sound(c) && records_are_sound(c) &&
           stays_are_sound(c);
}

/* ---- WAIT UNTIL ------------------------------------------------------------------ */

static bool list_is_sound(const Cosy *c, uint32_t list, uint32_t *count)
{
    const CosyUntil *u = c->until + list;
    uint32_t before = COSY_NONE;
    bool cursor = u->cursor == COSY_NONE;
    for (uint32_t id = u->head; id != COSY_NONE;
         id = cosy_transaction(c, id)->next) {
        const CosyTransaction *tr = cosy_transaction(c, id);
        if (tr->at != COSY_UNTIL || tr->list != list ||
            ++*count > c->head->untils ||
            (before != COSY_NONE &&
             (tr->previous != before || !cosy_asked_before(c, before, id))))
            return false;
        cursor = cursor || (u->cursor == id && tr->ask);
        before = id;
    }
    return cursor && (before == COSY_NONE || before == u->tail);
}

static bool asks_are_sound(const Cosy *c)
{
    const CosyHead *h = c->head;
    if (h->asks > h->untils || h->asks >= c->asked_room)
        return h->asks == 0;
    for (uint32_t k = 1; k <= h->asks; k++) {
        const CosyTransaction *tr = cosy_transaction(c, c->asked[k]);
        if (tr->at != COSY_UNTIL || tr->ask != k ||
            (k > 1 && !cosy_asked_before(c, c->asked[k / 2], c->asked[k])))
            return false;
    }
    return true;
}

bool waits_are_sound(const Cosy *c)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->model->until_lists; k++) {
        const CosyUntil *u = c->until + k;
        if (!list_is_sound(c, k, &count) || c->until[u->next].previous != k ||
            (u->head != COSY_NONE && u->next == k &&
             k != c->model->waits[u->wait].first))
            return false;
    }
    return count == c->head->untils && asks_are_sound(c);
}
