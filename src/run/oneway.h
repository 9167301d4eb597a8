#ifndef COSY_RUN_ONEWAY_H
#define COSY_RUN_ONEWAY_H

/* CONDITs of one direction that were crossed in the other one only: nobody notices
   POS where NEG was meant, for nothing happens.

       oneway_look     whenever the conditions have been looked at
       oneway_gather   at the end of a run
       oneway_tell     at the end of the experiment: what was crossed in the other
                       direction in some run, and in its own in none

   It is a note: a condition that waits for a return may wait in vain. */

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
    Vector marks; // how each of them stands
    Vector slots; // uint32_t, by hash: number of a mark from 1, 0: none
    size_t found; // marks that are in `slots`
} Oneway;

Status oneway_create(Oneway *o, const CosyModel *m, Arena *a, Image *image);
/* `relerr`: what is nearer to zero, compared with the largest value so far, is on
   neither side. */
Status oneway_look(Oneway *o, const Watch *w, real t, real relerr);
/* `sums` has one entry per condition of the model; false: no memory. */
bool oneway_gather(Vector *sums, const Oneway *o, const CosyModel *m,
                   uint32_t run);
/* The same of sums of later runs. */
bool oneway_add(Vector *sums, const Vector *later);
void oneway_tell(const Vector *sums, const CosyModel *m, Outlet *out);
void oneway_free(Oneway *o);

#endif
