#ifndef COSY_RUN_WARMUP_H
#define COSY_RUN_WARMUP_H

/* CLEAR AUTO OF X. A pilot run, of which nothing is seen, gives the course of X:
   means of consecutive observations of a COLLECT (stats/follow.h), or of equal
   intervals of time of a TIMEPERS (stats/course.h). From it stats/mser.h finds
   the warm-up. The run itself is then the same once more, with CLEAR AT the time
   found, so all its statistics are exact; it takes at most twice as long.

       warmup_target   which statistic a SIMULATE means
       warmup_pilot    what a run is asked as a pilot
       warmup_find     after the pilot run
       warmup_tell     a bell if the run is too short */

#include "run/run.h"
#include "stats/summary.h"

#define warmup_target COSY_NAME(warmup_target)
#define warmup_pilot  COSY_NAME(warmup_pilot)
#define warmup_find   COSY_NAME(warmup_find)
#define warmup_tell   COSY_NAME(warmup_tell)

/* Fills in o->warm; a fault if X is not observed in this frame. */
Status warmup_target(const Cosy *c, const CosySimulate *s, RunOptions *o,
                     Fault *f);
RunOptions warmup_pilot(const RunOptions *o);
RunWarmup warmup_find(const Run *pilot);
void warmup_tell(Cosy *c, const RunWarmup *w);

#endif
