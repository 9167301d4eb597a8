#ifndef COSY_SOLVE_PATTERN_H
#define COSY_SOLVE_PATTERN_H

/* A model lists the entries of a matrix in an order of its own, and a place may
   occur more than once. pattern_compress makes columns of them with rising rows
   and each place once: start (n + 1) and row (count at most).

   On entry `entry` holds the row of each entry and `list` its column; on return
   `entry` holds the place of each entry among the rows. `list` has room for
   4 count + n + 1 indices. Nothing is allocated. */

#include <stdint.h>

#include "cosy/real.h"

#define pattern_compress COSY_NAME(pattern_compress)

void pattern_compress(uint32_t n, uint32_t count, uint32_t *list,
                      uint32_t *entry, uint32_t *start, uint32_t *row);

#endif
