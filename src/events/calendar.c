#include "events/calendar.h"

#include <assert.h>
#include <string.h>

#include "events/sound.h"

/* Entry k of the calendar: those of the heap come first. */
static CosyPending *entry(const Cosy *c, uint32_t k)
{
    uint32_t n = c->head->heap_count;
    if (k < n)
        return c->heap + COSY_ROOT + k;
    return c->lane + ((c->head->lane_head + k - n) & (c->lane_room - 1));
}

static uint32_t entries(const Cosy *c)
{
    return c->head->heap_count + c->head->lane_count;
}

/* The record of an event of copies begins with the number of its copy. */
static bool is_of(const Cosy *c, const CosyPending *e, int64_t copy)
{
    int64_t number;
    if (copy == 0)
        return true;
    memcpy(&number, cosy_record(c, COSY_BODY_ID(e->body)) + 1, sizeof number);
    return number == copy;
}

/* First occurrence of the event after `last` (NULL: the very first). */
static CosyPending *next_occurrence(const Cosy *c, uint32_t event, int64_t copy,
                                    const CosyPending *last)
{
    CosyPending *first = NULL;
    for (uint32_t k = 0; k < entries(c); k++) {
        CosyPending *e = entry(c, k);
        if ((uint32_t)e->body == COSY_BODY(COSY_TIME_EVENT, event, 0) &&
            (last == NULL || cosy_before(last, e)) &&
            (first == NULL || cosy_before(e, first)) && is_of(c, e, copy))
            first = e;
    }
    return first;
}

CosyStatus calendar_cancel(Cosy *c, uint32_t event, int64_t copy, uint32_t nth)
{
    CosyPending *e = NULL;
    cosy_heap_close(c);
    for (uint32_t k = 0; k < nth; k++) {
        e = next_occurrence(c, event, copy, e);
        if (e == NULL)
            return COSY_OK;
    }
    if (e == NULL)
        return COSY_OK;
    if (COSY_BODY_ID(e->body) != COSY_NONE)
        cosy_record_free(c, COSY_BODY_ID(e->body));
    e->body = COSY_VOID;
    c->head->heap_void++;
    calendar_compact(c);
    COSY_ASSERT(calendar_is_sound(c));
    return COSY_OK;
}

static void compact_heap(Cosy *c)
{
    CosyHead *h = c->head;
    uint32_t end = COSY_ROOT;
    if (h->heap_count == 0) // there may be no room at all yet
        return;
    for (uint32_t k = COSY_ROOT; k < COSY_ROOT + h->heap_count; k++)
        if (!cosy_is_void(c, c->heap + k))
            c->heap[end++] = c->heap[k];
    for (uint32_t k = end; k < end + 3; k++)
        c->heap[k].t = (real)NAN;
    assert(end + 3 <= c->heap_room);
    h->heap_count = end - COSY_ROOT;
    for (uint32_t k = end; k-- > COSY_ROOT;) {
        CosyPending e = c->heap[k];
        cosy_heap_down(c->heap, k, end, e.t, e.priority, e.order, e.body);
    }
}

static void compact_lane(Cosy *c)
{
    CosyHead *h = c->head;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->lane_count; k++) {
        CosyPending e = *entry(c, h->heap_count + k);
        if (!cosy_is_void(c, &e))
            *entry(c, h->heap_count + kept++) = e;
    }
    h->lane_count = kept;
}

bool calendar_compact(Cosy *c)
{
    cosy_heap_close(c);
    if (c->head->heap_void <= entries(c) / 2)
        return false;
    compact_heap(c);
    compact_lane(c);
    c->head->heap_void = 0;
    COSY_ASSERT(calendar_is_sound(c));
    return true;
}

void calendar_lengthen(Cosy *c, uint32_t old_room)
{
    assert(c->lane_room >= 2 * old_room && c->head->lane_head <= old_room);
    memcpy(c->lane + old_room, c->lane, c->head->lane_head * sizeof *c->lane);
}
