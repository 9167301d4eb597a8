#ifndef COSY_ALGEBRA_POOLS_H
#define COSY_ALGEBRA_POOLS_H

/* Copies of CONTINUOUS PROCESSes: what the passes have found for POOL_SIDE copies
   must hold for any number. */

#include "model/model.h"

/* Whether portions that depend on each other in a circle do so within each copy;
   reports it if they do so from copy to copy. */
bool pools_circle(Model *m, const System *s, const uint32_t *portion,
                  uint32_t n);
/* Reports an equation of copies that has no unknown of its own copy to
   determine. False if there is one. */
bool pools_matched(Model *m, const System *s);
/* Proves that every loop over copies goes over all of them, and that every index
   of a copy is such a loop, or one that is looked up. Reports an equation for
   which this does not hold. Needs: sorted. */
bool pools_check(Model *m, const System *s);
/* Puts loops over the same copies that follow each other into one, where no copy
   reads what another one computes in it. Needs: sorted. */
void pools_fuse(Model *m, Steps *steps);

#endif
