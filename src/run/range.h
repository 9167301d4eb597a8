#ifndef COSY_RUN_RANGE_H
#define COSY_RUN_RANGE_H

/* RANGE: from when to when a variable was outside of its bounds. Each bound is a
   condition of both directions, z = variable - bound, whose info has in `zero`
   the side of it that is inside (older tables: none, and the direction outwards).

       range_create   once, after the watch
       range_look     whenever the conditions have been looked at: at the start,
                      behind every step, behind every event
       range_free

   The bell rings when a variable is outside by more than the integrator's error
   may feign, but with the time at which the bound itself was passed. So neither
   what touches its bound nor what rests there rings. */

#include "base/arena.h"
#include "base/image.h"
#include "run/oneway.h"
#include "stats/summary.h"

#define Run          COSY_NAME(Run)
#define RangeLog     COSY_NAME(RangeLog)
#define range_create COSY_NAME(range_create)
#define range_look   COSY_NAME(range_look)
#define range_free   COSY_NAME(range_free)

typedef struct Run Run;

typedef struct RangeLog {
    bool any;       // the model has ranges
    Vector marks;   // how each bound stands
    Vector outside; // of RunOutside, in the order in which they begin
    uint64_t more;  // beyond those
    uint64_t told;  // messages
    Oneway oneway;  // which looks whenever ranges do
} RangeLog;

Status range_create(RangeLog *g, const CosyModel *m, Arena *a, Image *image);
Status range_look(Run *r);
void range_free(RangeLog *g);

#endif
