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

/* ---- Words ---------------------------------------------------------------- */

enum { KINDS = 256 };

/* The texts that have occurred, in the order in which they came. */
typedef struct Kinds {
    const char *text[KINDS];
    uint32_t n;
} Kinds;

/* Most cells are what the last one was, or the one before. */
static uint32_t find_kind(Kinds *k, const char *text, uint32_t guess)
{
    if (guess < k->n && strcmp(k->text[guess], text) == 0)
        return guess;
    for (uint32_t j = 0; j < k->n; j++)
        if (strcmp(k->text[j], text) == 0)
            return j;
    if (k->n < KINDS)
        k->text[k->n] = text;
    return k->n < KINDS ? k->n++ : KINDS;
}

/* One byte more tells how many kinds there are, less 1. */
bool pack_words(Buffer *b, const Buffer *cells, uint32_t n)
{
    Kinds kinds = {.n = 0};
    Buffer which = {0};
    const char *cell = (const char *)cells->v.bytes;
    uint32_t kind = 0;
    for (uint32_t k = 0; k < n && kind < KINDS; k++) {
        kind = find_kind(&kinds, cell, kind);
        buffer_char(&which, (char)kind);
        cell += strlen(cell) + 1;
    }
    bool few = n > 0 && kind < KINDS && !which.broken;
    if (few) {
        buffer_char(b, (char)(kinds.n - 1));
        for (uint32_t k = 0; k < kinds.n; k++)
            buffer_bytes(b, kinds.text[k], strlen(kinds.text[k]) + 1);
        if (kinds.n > 1)
            buffer_bytes(b, (const char *)which.v.bytes, n);
    }
    buffer_free(&which);
    return few;
}

bool pack_read_words(Buffer *cells, uint32_t n, const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size;
    Kinds kinds = {.n = 0};
    uint32_t count = size > 0 ? 1u + (unsigned char)*at++ : 0;
    while (kinds.n < count) {
        const char *stop = memchr(at, '\0', (size_t)(end - at));
        if (!stop)
            return false;
        kinds.text[kinds.n++] = at;
        at = stop + 1;
    }
    if (count == 0 || (size_t)(end - at) != (count > 1 ? n : 0))
        return false;
    for (uint32_t k = 0; k < n; k++) {
        unsigned kind = count > 1 ? (unsigned char)at[k] : 0;
        if (kind >= count)
            return false;
        buffer_bytes(cells, kinds.text[kind], strlen(kinds.text[kind]) + 1);
    }
    return !cells->broken;
}
