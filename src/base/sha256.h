#ifndef COSY_BASE_SHA256_H
#define COSY_BASE_SHA256_H

/* SHA-256 (FIPS 180-4), for names that depend on contents, such as models and
   files in the cache.

       Sha256 h;
       sha256_begin(&h);
       sha256_add(&h, bytes, n);     any number of times
       sha256_end(&h, name);         64 hexadecimal digits and a NUL */

#include <stddef.h>
#include <stdint.h>

#define SHA256_LENGTH 65 // characters of the text, including its NUL

typedef struct Sha256 {
    uint32_t state[8];
    uint64_t length; // bytes so far
    unsigned char block[64];
} Sha256;

void sha256_begin(Sha256 *h);
void sha256_add(Sha256 *h, const void *bytes, size_t n);
void sha256_end(Sha256 *h, char text[SHA256_LENGTH]);

#endif
