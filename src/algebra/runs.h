#ifndef COSY_ALGEBRA_RUNS_H
#define COSY_ALGEBRA_RUNS_H

/* Puts elements together again: consecutive elements of a portion that determine
   A[I + 3], say, become one portion with a loop of its own.

     runs_rebuild   gives the System portions by what each element determines in
                    an Assignment in which every equation has its unknown
     run_portion    a copy of a portion with loops of its own between given
                    bounds; equal bounds put the value in place of the index */

#include "algebra/assign.h"

bool runs_rebuild(Assignment *a);
/* The portion without loops, these expressions in place of their indices. */
Portion portion_placed(Model *m, const Portion *p, const Expr *const *index);
Portion run_portion(Model *m, const Portion *p, const int64_t *low,
                    const int64_t *high);

#endif
