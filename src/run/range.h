#ifndef COSY_RUN_RANGE_H
#define COSY_RUN_RANGE_H

/* RANGE: from when to when a variable was outside its bounds. Each bound is a
   condition of both directions, z = variable - bound. Its info has in `zero`
   the side that is inside (older tables have no such entry, and the outward
   direction).

       range_create   once, after the watch
       range_look     whenever the conditions have been evaluated: at the start,
                      after every step, after every event
       range_free

   The warning comes when a variable is outside by more than the integrator's
   error can explain, but it names the time at which the bound itself was
   passed. So a variable that only touches its bound, or rests there, gives no
   warning. */

#include "base/arena.h"
#include "base/image.h"
#include "run/oneway.h"
#include "stats/summary.h"

#define Run          COSY_NAME(Run)
#define RangeLog     COSY_NAME(RangeLog)
#define range_create COSY_NAME(range_create)
#define range_look   COSY_NAME(range_look)
#define range_free   COSY_NAME(range_free)
#define range_forget COSY_NAME(range_forget)

typedef struct Run Run;

typedef struct RangeLog {
    bool any;       // the model has ranges
    Vector marks;   // the state of each bound
    Vector outside; // RunOutside, in the order in which they begin
    uint64_t more;  // how many there are beyond those
    uint64_t told;  // messages
    Oneway oneway;  // it is evaluated whenever ranges are
} RangeLog;

Status range_create(RangeLog *g, const CosyModel *m, Arena *a, Image *image);
Status range_look(Run *r);
/* Copies have left: what was known about their variables is closed. */
void range_forget(Run *r);
void range_free(RangeLog *g);

#endif
