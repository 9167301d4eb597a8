#ifndef COSY_GRAPH_BOARD_H
#define COSY_GRAPH_BOARD_H

/* Finds ways for wires on a grid. Wires run along the lines of the grid, never
   through what is blocked, never on top of each other; two of them may cross, but
   none turns or branches where another one passes.

       board_new     an empty board of points 0 .. wide, 0 .. high
       board_block   where no wire may be
       board_pin     where a wire ends; its point is kept for that wire
       board_route   lays all wires, the short ones first (Lee's algorithm: the
                     way with the fewest turns and crossings)
       board_pieces  the straight pieces they consist of, and their branches

   The same pins in the same order always give the same ways. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

typedef enum Heading {
    HEADING_EAST,
    HEADING_SOUTH,
    HEADING_WEST,
    HEADING_NORTH
} Heading;

typedef struct BoardPin {
    uint32_t wire;
    int32_t x, y;
    Heading heading; // in which it is left
} BoardPin;

/* A piece from one point to another, to the right or down. A branch has equal
   ends. */
typedef struct BoardPiece {
    uint32_t wire;
    int32_t x, y, to_x, to_y;
} BoardPiece;

typedef struct Board Board;

/* NULL: no memory. Pins and wires are added up to the given numbers. */
Board *board_new(Arena *a, int32_t wide, int32_t high, uint32_t wires,
                 uint32_t pins);
void board_block(Board *b, int32_t x, int32_t y, int32_t to_x, int32_t to_y);
void board_pin(Board *b, BoardPin pin);
/* Returns how many pins could not be reached; UINT32_MAX: no memory. */
uint32_t board_route(Board *b);
/* All pieces, wire by wire in no particular order, and branches; NULL: no
   memory. */
BoardPiece *board_pieces(const Board *b, uint32_t *n);
/* True if nothing is in these points: for texts. */
bool board_is_free(const Board *b, int32_t x, int32_t y, int32_t to_x,
                   int32_t to_y);

#endif
