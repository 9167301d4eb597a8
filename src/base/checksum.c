#include "base/checksum.h"

#define POLYNOMIAL 0x04c11db7u // that of Ethernet, highest power first

/* The remainder of a byte with nothing after it, bit by bit. */
static uint32_t remainder_of(uint32_t byte)
{
    uint32_t r = byte << 24;
    for (int bit = 0; bit < 8; bit++)
        r = r << 1 ^ (r >> 31 ? POLYNOMIAL : 0);
    return r;
}

/* Remainders are linear: eight bytes need eight tables and no chain of eight
   steps. */
void checksum_begin(Checksum *c)
{
    for (uint32_t byte = 0; byte < 256; byte++)
        c->table[0][byte] = remainder_of(byte);
    for (int k = 1; k < CHECKSUM_LANES; k++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t r = c->table[k - 1][byte];
            c->table[k][byte] = r << 8 ^ c->table[0][r >> 24];
        }
    c->rest = 0;
    c->length = 0;
}

static uint32_t add_byte(const Checksum *c, uint32_t rest, unsigned byte)
{
    return rest << 8 ^ c->table[0][rest >> 24 ^ byte];
}

static uint32_t add_bytes(const Checksum *c, uint32_t r, const void *bytes,
                          size_t n)
{
    const unsigned char *b = bytes;
    for (; n >= CHECKSUM_LANES; n -= CHECKSUM_LANES, b += CHECKSUM_LANES)
        r = c->table[7][r >> 24 ^ b[0]] ^ c->table[6][(r >> 16 & 255) ^ b[1]] ^
            c->table[5][(r >> 8 & 255) ^ b[2]] ^ c->table[4][(r & 255) ^ b[3]] ^
            c->table[3][b[4]] ^ c->table[2][b[5]] ^ c->table[1][b[6]] ^
            c->table[0][b[7]];
    for (; n > 0; n--, b++)
        r = add_byte(c, r, *b);
    return r;
}

static uint32_t add_length(const Checksum *c, uint32_t r, uint64_t length)
{
    for (; length > 0; length >>= 8)
        r = add_byte(c, r, (unsigned)(length & 255));
    return ~r;
}

void checksum_add(Checksum *c, const void *bytes, size_t n)
{
    c->length += n;
    c->rest = add_bytes(c, c->rest, bytes, n);
}

uint32_t checksum_end(Checksum *c)
{
    c->rest = add_length(c, c->rest, c->length);
    return c->rest;
}

uint32_t checksum_of(const Checksum *c, const void *bytes, size_t n)
{
    return add_length(c, add_bytes(c, 0, bytes, n), n);
}
