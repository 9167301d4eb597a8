#ifndef COSY_ALGEBRA_MODES_H
#define COSY_ALGEBRA_MODES_H

/* Branches of a CASE or IF that determine different unknowns.

   CASE MODE OF 1: ID = 0 END; 2: UD = 0 END cannot be solved branch by branch:
   which unknown the equations outside determine depends on MODE. Equations of
   the branches are put together one by one, 0 = IF MODE = 1 THEN ID ELSE UD, and
   what determines them becomes one block whose matrix the kernel factors with
   pivots, whatever the mode: a hundred diodes are a hundred equations.

   What stands inside a branch is put together first, innermost first, and is then
   one equation of the branch.

   Equations for a variable that every branch gives stay in their branches. A
   branch with fewer equations than the others is filled up with X' = 0 for
   STATEs whose rate it leaves out; if that does not do, the branch is named. */

#include "algebra/reduce.h"

/* Puts together the branches among the equations that are short of unknowns. */
ReduceResult modes_merge(Model *m, Assignment *a);

#endif
