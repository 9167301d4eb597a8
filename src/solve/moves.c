#include "solve/moves.h"

#include <assert.h>
#include <string.h>

static size_t count_of(const Moves *m)
{
    return m->list.used / sizeof(Move);
}

static const Move *list_of(const Moves *m)
{
    return (const Move *)(const void *)m->list.bytes;
}

void moves_begin(Moves *m, uint32_t still)
{
    m->list.used = 0;
    m->total = still;
    m->shifts = false;
}

bool moves_skip(Moves *m, uint32_t count)
{
    assert(m->list.used == 0);
    m->total += count;
    return true;
}

bool moves_add(Moves *m, uint32_t from, uint32_t count)
{
    size_t n = count_of(m);
    const Move own = {m->total, from, count};
    if (count == 0)
        return true;
    m->shifts = m->shifts || (from != COSY_NONE && from < own.to);
    m->total += count;
    if (n) {
        Move *last = (Move *)(void *)m->list.bytes + n - 1;
        bool both = (last->from == COSY_NONE) == (from == COSY_NONE);
        assert(last->to + last->count == own.to);
        if (both && (from == COSY_NONE || last->from + last->count == from)) {
            last->count += count;
            return true;
        }
    }
    return vector_append(&m->list, &own, sizeof own);
}

/* Copies in order of the new places: to == from, if nothing moves to a higher
   place, because then no item is overwritten before it has moved. */
static void gather(const Moves *m, unsigned char *to, uint32_t base,
                   const unsigned char *from, size_t size)
{
    const Move *k = list_of(m);
    for (const Move *end = k + count_of(m); k < end; k++) {
        unsigned char *there = to + (k->to - base) * size;
        if (k->from == COSY_NONE)
            memset(there, 0, k->count * size);
        else if (there != from + k->from * size)
            memmove(there, from + k->from * size, k->count * size);
    }
}

bool moves_apply(const Moves *m, Vector *v, size_t size, Vector *scratch)
{
    size_t now = m->total * size;
    if (size == 0 || (count_of(m) == 0 && now <= v->used)) {
        v->used = size == 0 ? 0 : now;
        return true;
    }
    uint32_t base = list_of(m)->to;
    if (v->used < now && !vector_reserve(v, now))
        return false;
    if (!m->shifts) {
        gather(m, v->bytes, 0, v->bytes, size);
    } else {
        size_t tail = now - base * size;
        if (!vector_reserve(scratch, tail))
            return false;
        gather(m, scratch->bytes, base, v->bytes, size);
        memcpy(v->bytes + base * size, scratch->bytes, tail);
    }
    v->used = now;
    return true;
}

void moves_copy(const Moves *m, void *to, const void *from, size_t size)
{
    uint32_t base = count_of(m) ? list_of(m)->to : m->total;
    memcpy(to, from, base * size);
    gather(m, to, 0, from, size);
}

uint32_t moves_from(const Moves *m, uint32_t place)
{
    const Move *k = list_of(m);
    size_t low = 0, high = count_of(m);
    if (high == 0 || place < k->to)
        return place;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (k[middle].to <= place)
            low = middle;
        else
            high = middle;
    }
    assert(place - k[low].to < k[low].count);
    return k[low].from == COSY_NONE ? COSY_NONE
                                    : k[low].from + (place - k[low].to);
}

uint32_t moves_to(const Moves *m, uint32_t place)
{
    const Move *k = list_of(m);
    const Move *end = k + count_of(m);
    if (place < (k < end ? k->to : m->total))
        return place;
    for (; k < end; k++)
        if (k->from != COSY_NONE && place >= k->from &&
            place - k->from < k->count)
            return k->to + (place - k->from);
    return COSY_NONE;
}

bool moves_keep(const Moves *m)
{
    const Move *k = list_of(m);
    const Move *end = k + count_of(m);
    if ((k < end ? k->to : m->total) > 0)
        return true;
    for (; k < end; k++)
        if (k->from != COSY_NONE)
            return true;
    return false;
}

void moves_fill(const Moves *m, real *v, real value)
{
    const Move *k = list_of(m);
    for (const Move *end = k + count_of(m); k < end; k++)
        for (uint32_t i = 0; k->from == COSY_NONE && i < k->count; i++)
            v[k->to + i] = value;
}

void moves_free(Moves *m)
{
    vector_free(&m->list);
}
