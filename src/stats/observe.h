#ifndef COSY_STATS_OBSERVE_H
#define COSY_STATS_OBSERVE_H

/* Which statistics (COLLECT, TIMEPERS, HISTOGRAM) an instance keeps, with which
   settings, and since when.

   A new instance has all of the model's tables, as declared there
   (observe_declared). A frame that names its own begins with observe_none and
   adds them with observe_set; a run takes over the settings of its experiment
   with observe_copy. The settings outlive observe_reset, which starts all
   observations anew at the start of a run.

   observe_clear is CLEAR AT: all statistics, including those of resources,
   files and processes, forget what was before the present instant. The model
   does not notice. Whatever lasts beyond that instant (a value, a wait, a stay)
   is cut there, so that means over time and mean stays agree with each other;
   what is present counts for the largest content, but not among the entries. */

#include "base/status.h"
#include "cosy/model.h"

#define observe_declared COSY_NAME(observe_declared)
#define observe_none     COSY_NAME(observe_none)
#define observe_set      COSY_NAME(observe_set)
#define observe_copy     COSY_NAME(observe_copy)
#define observe_reset    COSY_NAME(observe_reset)
#define observe_clear    COSY_NAME(observe_clear)

void observe_declared(Cosy *c);
void observe_none(Cosy *c);
/* host->observe: rows first .. first + count - 1 of a kind. Impossible settings
   are refused with a message. */
CosyStatus observe_set(Cosy *c, CosyStatistic kind, uint32_t first,
                       uint32_t count, real a, real b, real w);
/* Settings of another instance of the same model. */
void observe_copy(Cosy *to, const Cosy *from);
void observe_reset(Cosy *c);
void observe_clear(Cosy *c);

#endif
