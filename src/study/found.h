#ifndef COSY_STUDY_FOUND_H
#define COSY_STUDY_FOUND_H

/* What the EXPERIMENT can ask of its last SIMULATE: MEAN (X) and SDEV (X).

       found_begin    the SIMULATE begins: what a single run has to answer
       found_take     at the end of a run of its last element, in any thread
       found_settle   the last element is gathered: its numbers are the answers
       found_ask      service of the host

   With REPLICATE these are the figures of the table of the replications: MEAN is the
   mean over the replications of what each has of X, SDEV the standard deviation among
   them. What a run has of X is the mean of COLLECT X or TIMEPERS X, or else its final
   value. A single run answers with the mean and the standard deviation of its own
   observations; of a final value it has no deviation. Of lists the last element counts,
   as for all values that the EXPERIMENT sees after SIMULATE. Models that never ask pay
   nothing. */

#include "study/experiment.h"

#define found_begin  COSY_NAME(found_begin)
#define found_take   COSY_NAME(found_take)
#define found_settle COSY_NAME(found_settle)
#define found_ask    COSY_NAME(found_ask)

/* False: there is no memory. */
bool found_begin(const Series *j);
/* Appends a mean and a deviation of each quantity; NaN: there is none. */
bool found_take(const Series *j, const QuantityRun *run, Vector *values);
/* After its runs were added to the replications. */
bool found_settle(Series *j, const Element *el);
CosyStatus found_ask(Cosy *c, CosyFound what, uint32_t variable, uint32_t at,
                     real *value);

#endif
