#include "store/pack.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { ORDERS = 4 };

/* The differences of one order: what came before, so that the next value can be
   told from its difference, and the difference from the value. */
typedef struct Past {
    uint64_t last[ORDERS]; // differences of order 0, 1, ... of the last value
    unsigned order;
} Past;

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint64_t difference(Past *p, uint64_t value)
{
    for (unsigned k = 0; k < p->order; k++) {
        uint64_t next = value - p->last[k];
        p->last[k] = value;
        value = next;
    }
    return value;
}

static uint64_t sum(Past *p, uint64_t value)
{
    for (unsigned k = p->order; k-- > 0;) {
        value += p->last[k];
        p->last[k] = value;
    }
    return value;
}

/* Small differences of either sign become small numbers. */
static uint64_t fold(uint64_t d)
{
    return d >> 63 ? ~(d << 1) : d << 1;
}

static uint64_t unfold(uint64_t d)
{
    return d & 1 ? ~(d >> 1) : d >> 1;
}

static unsigned length_of(uint64_t d)
{
    unsigned n = 0;
    for (; d; d >>= 8)
        n++;
    return n;
}

static size_t size_with(unsigned order, const double *value, size_t n)
{
    Past p = {.order = order};
    size_t size = 0;
    for (size_t k = 0; k < n; k++)
        size += length_of(fold(difference(&p, bits_of(value[k]))));
    return size;
}

void pack_numbers(Buffer *b, const double *value, size_t n)
{
    size_t best = SIZE_MAX, start = b->v.used;
    Past p = {.order = 0};
    for (unsigned order = 0; order < ORDERS; order++) {
        size_t size = size_with(order, value, n);
        if (size < best) {
            best = size;
            p.order = order;
        }
    }
    buffer_char(b, (char)p.order);
    size_t lengths = b->v.used, halves = (n + 1) / 2;
    b->broken = b->broken || !vector_append(&b->v, NULL, halves) ||
                !vector_append(&b->v, NULL, best);
    if (b->broken)
        return;
    unsigned char *at = b->v.bytes + lengths + halves;
    for (size_t k = 0; k < n; k++) {
        uint64_t d = fold(difference(&p, bits_of(value[k])));
        unsigned length = length_of(d);
        unsigned char half = (unsigned char)(length << 4 * (k % 2));
        b->v.bytes[lengths + k / 2] |= half;
        for (; length > 0; length--, d >>= 8)
            *at++ = (unsigned char)d;
    }
    assert(at == b->v.bytes + b->v.used && b->v.used > start);
}

bool pack_read(double *value, size_t n, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    size_t halves = (n + 1) / 2;
    if (size < 1 + halves || byte[0] >= ORDERS)
        return false;
    const unsigned char *at = byte + 1 + halves, *end = byte + size;
    Past p = {.order = byte[0]};
    for (size_t k = 0; k < n; k++) {
        unsigned length = byte[1 + k / 2] >> 4 * (k % 2) & 15;
        uint64_t d = 0;
        if (length > 8 || length > (size_t)(end - at))
            return false;
        for (unsigned j = 0; j < length; j++)
            d |= (uint64_t)*at++ << 8 * j;
        uint64_t bits = sum(&p, unfold(d));
        memcpy(&value[k], &bits, sizeof bits);
    }
    return at == end;
}
