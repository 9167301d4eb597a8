#ifndef COSY_STORE_PACK_H
#define COSY_STORE_PACK_H

/* Doubles in fewer bytes, exactly. The bits of a double are taken as a whole
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

#include "base/buffer.h"

/* Appends n doubles. */
void pack_numbers(Buffer *b, const double *value, size_t n);
/* False: these bytes are not n doubles. */
bool pack_read(double *value, size_t n, const void *bytes, size_t size);

#endif
