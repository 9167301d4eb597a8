#ifndef COSY_SOLVE_MOVES_H
#define COSY_SOLVE_MOVES_H

/* How the states have moved when copies of CONTINUOUS PROCESSes came and went:
   a list of Moves in order of their new places, which do not overlap. Items
   before the first of them stay where they are; the list covers all the others.
   Branches, DELAYs and attributes move in the same way. */

#include "base/arena.h"
#include "cosy/model.h"

#define Move        COSY_NAME(Move)
#define Moves       COSY_NAME(Moves)
#define moves_begin COSY_NAME(moves_begin)
#define moves_skip  COSY_NAME(moves_skip)
#define moves_add   COSY_NAME(moves_add)
#define moves_apply COSY_NAME(moves_apply)
#define moves_copy  COSY_NAME(moves_copy)
#define moves_from  COSY_NAME(moves_from)
#define moves_fill  COSY_NAME(moves_fill)
#define moves_keep  COSY_NAME(moves_keep)
#define moves_to    COSY_NAME(moves_to)
#define moves_free  COSY_NAME(moves_free)

typedef struct Move {
    uint32_t to, from; // COSY_NONE: these are new
    uint32_t count;
} Move;

typedef struct Moves {
    Vector list;    // Move
    uint32_t total; // items that there are now
    bool shifts;    // some move to higher places
} Moves;

/* The first items, so many, stay where they are. */
void moves_begin(Moves *m, uint32_t still);
/* So do these, which come next. Always true. */
bool moves_skip(Moves *m, uint32_t count);
/* Adds `count` items at the end; false if there is no memory. */
bool moves_add(Moves *m, uint32_t from, uint32_t count);
/* Moves the items of v, each of so many bytes; new ones are zeros. False if there
   is no memory; then nothing has moved. */
bool moves_apply(const Moves *m, Vector *v, size_t size, Vector *scratch);
/* The same from one place to another, which has room for them. */
void moves_copy(const Moves *m, void *to, const void *from, size_t size);
/* Where the item that is at `place` now was before; COSY_NONE: nowhere. */
uint32_t moves_from(const Moves *m, uint32_t place);
/* Where the item that was at `place` is now; COSY_NONE: it is gone. */
uint32_t moves_to(const Moves *m, uint32_t place);
/* Whether some items are neither new nor gone. */
bool moves_keep(const Moves *m);
/* Gives the new items of v this value. */
void moves_fill(const Moves *m, real *v, real value);
void moves_free(Moves *m);

#endif
