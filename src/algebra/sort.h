#ifndef COSY_ALGEBRA_SORT_H
#define COSY_ALGEBRA_SORT_H

/* Orders the equations so that each uses only values already known.

   Equations that determine the same unknown in branches that exclude each other
   form one node; a node depends on every unknown that any of its branches
   reads. Equations that depend on each other in a circle are examined more
   closely: branch by branch of a CASE or IF among them (a circle through
   different branches is not one), then element by element if they are loops
   (sweep.h). What remains is an algebraic loop (tear.h, large.h). A loop of
   equations whose elements follow from
   each other is run upwards or downwards.

   Needs: matched. Leaves: sorted. */

#include "model/model.h"

bool sort_equations(Model *m, System *s);

#endif
