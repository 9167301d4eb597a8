#ifndef COSY_RUN_ONEWAY_H
#define COSY_RUN_ONEWAY_H

/* CONDITs of one direction that were crossed only in the other one: POS written
   where NEG is meant goes unnoticed, since nothing happens. And those that are past
   their threshold from start to end, which looks the same.

       oneway_look     whenever the conditions have been evaluated
       oneway_gather   at the end of a run
       oneway_tell     at the end of the experiment: conditions that some run
                       crossed in the other direction, and none in their own; and
                       those that were past their threshold in all runs

   It is only a note: a condition may well wait for a return that never comes.

   Marks of copies that are gone are added up now and then (sweep), so that memory
   follows the copies that there are, not those that there were. */

#include "base/arena.h"
#include "base/image.h"
#include "run/outlet.h"
#include "solve/watch.h"

#define Oneway        COSY_NAME(Oneway)
#define oneway_create COSY_NAME(oneway_create)
#define oneway_look   COSY_NAME(oneway_look)
#define oneway_gather COSY_NAME(oneway_gather)
#define oneway_add    COSY_NAME(oneway_add)
#define oneway_tell   COSY_NAME(oneway_tell)
#define oneway_free   COSY_NAME(oneway_free)

typedef struct Oneway {
    bool any;     // the model has such conditions
    Vector marks; // the state of each of them
    Vector gone;  // what those of copies that are gone did; empty: nothing
    Vector slots; // uint32_t, by hash: number of a mark, from 1; 0: none
    size_t found; // marks that are in `slots`
    struct {
        uint64_t turns; // of the first crossings, see Mark
        uint64_t kept;  // marks that the last sweep has left
    } state;
} Oneway;

Status oneway_create(Oneway *o, const CosyModel *m, Arena *a, Image *image);
/* A value that is nearer to zero than `relerr` times the largest value so far
   is on neither side. */
Status oneway_look(Oneway *o, const Watch *w, real t, real relerr);
/* `sums` has one entry per condition of the model; false: no memory. */
bool oneway_gather(Vector *sums, const Oneway *o, const CosyModel *m,
                   uint32_t run);
/* Adds the sums of later runs. */
bool oneway_add(Vector *sums, const Vector *later);
void oneway_tell(const Vector *sums, const CosyModel *m, Outlet *out);
void oneway_free(Oneway *o);

#endif
