#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

/* Fractional parts of the cube roots of the first 64 primes (section 4.2.2). */
static const uint32_t k_round[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t a, unsigned n)
{
    return a >> n | a << (32 - n);
}

/* The message schedule W (section 6.2.2, step 1). */
static void schedule(uint32_t w[64], const unsigned char block[64])
{
    for (int t = 0; t < 16; t++)
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t a = w[t - 2], b = w[t - 15];
        uint32_t s1 = rotate(a, 17) ^ rotate(a, 19) ^ a >> 10;
        uint32_t s0 = rotate(b, 7) ^ rotate(b, 18) ^ b >> 3;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

static void take_block(Sha256 *h, const unsigned char block[64])
{
    uint32_t w[64], v[8]; // v: a to h of the standard
    schedule(w, block);
    memcpy(v, h->state, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
        uint32_t choose = (e & v[5]) ^ (~e & v[6]);
        uint32_t t1 = v[7] + s1 + choose + k_round[t] + w[t];
        uint32_t s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
        uint32_t majority = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        h->state[i] += v[i];
}

void sha256_begin(Sha256 *h)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, start, sizeof start);
    h->length = 0;
}

void sha256_add(Sha256 *h, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    while (n > 0) {
        size_t used = h->length % 64, part = 64 - used;
        if (used == 0 && n >= 64) {
            take_block(h, from);
            part = 64;
        } else {
            part = part < n ? part : n;
            memcpy(h->block + used, from, part);
            if (used + part == 64)
                take_block(h, h->block);
        }
        h->length += part;
        from += part;
        n -= part;
    }
}

void sha256_end(Sha256 *h, char text[SHA256_LENGTH])
{
    static const unsigned char pad[64] = {0x80};
    unsigned char length[8];
    uint64_t bits = h->length * 8;
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(h, pad, 1 + (119 - h->length % 64) % 64);
    sha256_add(h, length, sizeof length);
    for (int i = 0; i < 8; i++)
        snprintf(text + 8 * i, 9, "%08x", h->state[i]);
}
