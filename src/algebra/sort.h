#ifndef COSY_ALGEBRA_SORT_H
#define COSY_ALGEBRA_SORT_H

/* Orders the equations so that each uses only values already known.

   What determines the same unknown in branches that exclude each other is one
   node; a node depends on every unknown that any of its branches reads.
   Equations that depend on each other in a circle are looked at more closely:
   branch by branch of a CASE or IF among them (a circle over different branches
   is none), written out where they are loops, and what remains is an algebraic
   loop (tear.h). A loop of equations whose elements follow from each other is
   run upwards or downwards.

   Needs: matched. Leaves: sorted. */

#include "algebra/tear.h"
#include "model/model.h"

bool sort_equations(Model *m);

#endif
