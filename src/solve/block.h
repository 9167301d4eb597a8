#ifndef COSY_SOLVE_BLOCK_H
#define COSY_SOLVE_BLOCK_H

/* Solves the systems of equations that remained implicit (CosyBlock): r(u) = 0
   at a given t, x.

   On entry u holds the start values, on return the solution. If there is none,
   u stays as it was and the result is COSY_FAIL: with COSY_SINGULAR and the
   unknown that nothing determines, with COSY_NEWTON and the equation that is
   farthest from being fulfilled (both counted from the block's first equation),
   or with the model's own failure at the start values.

   A linear block takes one solution: rows are scaled, pivots are the largest
   there are, and a pivot that is nothing but rounding errors beside its row and
   its column means that the block is singular. If it is modal the solution does
   not depend on u, where it is determined.

   All others use Newton's method: the Jacobian is kept while each correction is
   at most a hundredth of the one before, and steps are damped by the natural
   test (Deuflhard, Newton Methods for Nonlinear Problems, 3.3.1). The iteration
   ends when the next correction would change only the last place, when rounding
   keeps corrections from shrinking, or when they are below the block's own
   tolerances. A block may limit the number of corrections.

   What happens when that fails depends on `follows` of the room. While a run
   follows a solution, only the one that continues it will do: it is looked for
   along a path from the last one (block_search.c), which also decides whenever
   Newton's method was not in its element (damped, or slow); if the path turns
   back there is no solution nearby, and the block fails. Otherwise, at the start
   of a run and at events, steps that are regularised, the path, and other
   starting points are tried, always in the same order.

   A modal block may be singular in some of its modes. Where its equations can
   hold together, the unknowns move from u by as little as that takes, each
   measured by its column of the Jacobian: what is not determined keeps its value
   (block_keep.c; up to BLOCK_KEEP unknowns). `kept` and `free` of the room tell
   it. Where they cannot, by more than `slack`, the block fails as others do.

   Room: up to BLOCK_STACK unknowns need no memory; more take it from the room,
   which grows once. A block with a pattern has its matrix there, sparse if that
   is faster. What its factors owe to earlier ones is in the image, so that a
   run which was saved continues with the same bits. block_solve is the host's
   service of that name; it has no room, so for a larger block it allocates in
   each call. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"

#define BlockRoom         COSY_NAME(BlockRoom)
#define BlockFault        COSY_NAME(BlockFault)
#define BlockMatrix       COSY_NAME(BlockMatrix)
#define block_solve       COSY_NAME(block_solve)
#define block_solve_with  COSY_NAME(block_solve_with)
#define block_room_create COSY_NAME(block_room_create)
#define block_room_attach COSY_NAME(block_room_attach)
#define block_room_free   COSY_NAME(block_room_free)

#define BLOCK_STACK 16
#define BLOCK_KEEP  400

typedef struct BlockMatrix BlockMatrix;

/* Why a block has failed, for messages. Filled only while `explains` is set. */
typedef struct BlockFault {
    const CosyBlock *block; // NULL: none has failed
    CosyReason reason;
    bool turning;    // it was followed, and its solution ends here
    bool contrary;   // singular: the equations contradict each other
    Vector u, r;     // reals: where the iteration ended, and how far off it is
    Vector unknown;  // uint32_t: singular: what is not determined,
    Vector equation; // by which equations
} BlockFault;

typedef struct BlockRoom {
    Vector scratch;      // of one solution
    Vector search;       // of a search
    Vector rank;         // of a look at the rank
    uint32_t count;      // blocks of the model
    BlockMatrix *matrix; // one for each of them; NULL: there are none
    bool follows;  // only the solution that continues the last one will do
    bool explains; // failures are told in `fault`
    BlockFault fault;
    const CosyBlock *kept; // a modal block that was singular; NULL: none so far
    Vector free;           // uint32_t: its unknowns that were not determined
    real slack;            // part of its terms by which a row of one may be off
} BlockRoom;

/* Room for the blocks of c->model, in the arena and the image of a run. */
Status block_room_create(BlockRoom *r, Cosy *c, Arena *a, Image *image);
/* After an image was loaded. */
void block_room_attach(BlockRoom *r);
void block_room_free(BlockRoom *r);

CosyStatus block_solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                       const void *point, real *u);
CosyStatus block_solve_with(Cosy *c, const CosyBlock *b, real t, const real *x,
                            const void *point, real *u, BlockRoom *room);

#endif
