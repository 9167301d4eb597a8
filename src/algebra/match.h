#ifndef COSY_ALGEBRA_MATCH_H
#define COSY_ALGEBRA_MATCH_H

/* Finds, for every equation, the unknown that it determines.

   Unknowns are the rates of STATEs and the ALGEBRs, LOGICs and MEMORYs. An
   equation with an unknown alone on one side takes that one first; the others
   take the remaining unknowns, along augmenting paths, which may take it away
   again. Two equations may
   determine the same unknown if they stand in branches that exclude each other.

   An equation in a loop stays one: its unknown is A[I + k], one element for
   each value of the index. If that does not work, equations and unknowns are
   matched element by element (assign.h), and what is solved in the same form
   becomes a portion with loops of its own (runs.h).

   Where equations are left without an unknown, they are constraints on the
   STATEs: reduce.h differentiates them. Equations of branches that determine
   different unknowns are put together (modes.h).

   Needs: hidden. Leaves: matched: the System has portions of all equations, each
   with its target, and with its value where it could be solved for it. */

#include "model/model.h"

bool match_equations(Model *m, System *s);

#endif
