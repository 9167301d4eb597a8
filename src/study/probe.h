#ifndef COSY_STUDY_PROBE_H
#define COSY_STUDY_PROBE_H

/* How long a study would take: some runs of each SIMULATE are made, spread over its
   elements, and the last one, whose values the EXPERIMENT may read. They are counted in
   KernelProbe; nothing is gathered, shown or written.

       probe_series   instead of the runs of a SIMULATE
       probe_refuses  instead of a search, which cannot be carried out in parts
       probe_end      the EXPERIMENT is through, or was ended by `progress` */

#include "study/series.h"

#define probe_series  COSY_NAME(probe_series)
#define probe_refuses COSY_NAME(probe_refuses)
#define probe_end     COSY_NAME(probe_end)

void probe_series(Series *j);
/* STATUS_OK where there is no probe. */
Status probe_refuses(Experiment *e, const char *what, uint32_t line);
Status probe_end(Experiment *e, Status status);

#endif
