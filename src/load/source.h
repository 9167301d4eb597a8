#ifndef COSY_LOAD_SOURCE_H
#define COSY_LOAD_SOURCE_H

/* The text that a compiler gets: generated C, with the contract in place of its
   line

       #include "cosy/model.h"

   so that nothing has to be found in the file system, wherever COSY is
   installed. tools/embed makes include/cosy part of the program when it is
   built. For tcc the declarations of a C library (bare.h) stand before it; cc
   finds its own. Line numbers in messages stay those of the generated C. */

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* include/cosy/model.h with all the headers of COSY that it includes. */
extern const char source_contract[];
extern const size_t source_contract_length;
extern const char source_contract_hash[]; // its SHA-256, in hexadecimal digits
/* src/load/bare.h. */
extern const char source_bare[];
extern const size_t source_bare_length;
extern const char source_bare_hash[];

typedef struct Source {
    const char *name; // name of the C file, in messages
    const char *text;
    size_t length;
    uint32_t precision;
} Source;

/* Assembles it; b->broken if there is no memory. */
void source_write(Buffer *b, const Source *s, bool bare);

/* The precision that a text requests by `#define COSY_PRECISION n`; 1 by
   default. */
uint32_t source_precision(const char *text, size_t length);

#endif
