#ifndef COSY_BASE_CHECKSUM_H
#define COSY_BASE_CHECKSUM_H

/* The checksum of the program cksum (POSIX): a cyclic redundancy check of 32
   bits over the bytes and their number. It finds damage (every error within 32
   bits, all but one in four billion others), not malice.

       Checksum c;
       checksum_begin(&c);
       checksum_add(&c, bytes, n);     any number of times
       checksum_end(&c)                what cksum prints

   checksum_of finds it of bytes that are all there, with the tables of c: any number
   of threads may share them. */

#include <stddef.h>
#include <stdint.h>

enum { CHECKSUM_LANES = 8 }; // bytes processed at once

typedef struct Checksum {
    uint32_t table[CHECKSUM_LANES][256]; // remainders of a byte followed by k
                                         // others
    uint32_t rest;
    uint64_t length; // bytes so far
} Checksum;

void checksum_begin(Checksum *c);
void checksum_add(Checksum *c, const void *bytes, size_t n);
uint32_t checksum_end(Checksum *c);
uint32_t checksum_of(const Checksum *c, const void *bytes, size_t n);

#endif
