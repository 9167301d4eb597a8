#ifndef COSY_ALGEBRA_SENSE_H
#define COSY_ALGEBRA_SENSE_H

/* Derivatives of a run by parameters (of SENSITIVITY and FIT).

   Each quantity that depends on a parameter P is accompanied by a Companion dX/dP:

     a STATE              by a hidden STATE, whose rate is the derivative of its rate,
                          and which stands in x after all others
     an ALGEBR, a block   by hidden ones, found after everything else; a block by a
                          linear one, with the same Jacobian
     a REAL, a local      by one that each assignment in a body sets, too
     a constraint         by one between Companions

   So Companions are integrated, located, recorded, sized and controlled for their errors
   like anything else, by all methods and in all precisions. What is special about
   events is done by the run (run/carried.h): at an instant whose time tau depends on P,
   Companions are derivatives at that moving instant, while bodies are carried out; TIME
   moves with Sense.tau; before and after, they are derivatives at a fixed time.

   What has no derivative (DELAY, memories, functions that are called in bodies, times at
   which processes go on) is refused where SENSITIVITY asks for it.

     sense_parameters   needs: sorted. Leaves: Companions and their Steps at the end of
                        the program, more statements in the bodies, Condition.slope,
                        Relation.slope
     sense_entries      needs: the entries of the Jacobian. Leaves: those of the
                        Companions, too. Those of constraints (gradient.c) are by
                        Companions alone: the STATEs are put back first. */

#include "model/model.h"

bool sense_parameters(Model *m);
void sense_entries(Model *m);

#endif
