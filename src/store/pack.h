#ifndef COSY_STORE_PACK_H
#define COSY_STORE_PACK_H

/* Columns in fewer bytes, exactly.

   The bits of a double are taken as a whole
   number of 64 bits. Neighbours on a smooth curve differ little in these
   numbers, and their differences still less: of the differences of order 0 to 3
   (modulo 2^64) those are kept that need the fewest bytes. A difference is
   written with as many bytes as it needs, 0 to 8, so that a value which stays
   the same takes half a byte.

       byte 0            the order
       (n + 1) / 2       lengths of two differences each, the first in the lower
                         half of a byte
       the differences   lowest byte first; the sign is in the lowest bit

   The same numbers give the same bytes on every machine. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Appends n doubles. */
void pack_numbers(Buffer *b, const double *value, size_t n);
/* False: these bytes are not n doubles. */
bool pack_read(double *value, size_t n, const void *bytes, size_t size);

/* Texts of which there are few kinds, such as the names of events: the texts
   that occur, each ending with NUL, and a byte for each cell that tells which.
   If they are all the same, there are no such bytes. `cells` has n texts that
   end with NUL. False, and nothing appended: there are more than 256 kinds, or
   too little memory. */
bool pack_words(Buffer *b, const Buffer *cells, uint32_t n);
/* Appends n texts that end with NUL; false: these bytes are not n texts. */
bool pack_read_words(Buffer *cells, uint32_t n, const void *bytes, size_t size);

#endif
