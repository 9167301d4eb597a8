#ifndef COSY_ALGEBRA_PROMISE_H
#define COSY_ALGEBRA_PROMISE_H

/* What matching, sorting and needs promise about each other's results, proved
   again from the results alone (model_check proves what one row of a table says
   about another):

     matched   no unknown is determined by two equations that are active
               together
     sorted    on every path through the branches every equation is carried out
               once, and what a step reads has been computed before it; in a FOR
               that reads its own array, by an earlier pass
     derived   a step that a function needs finds all it reads among the steps
               that the same function carries out

   A proof that would take longer than a pass is silently given up. */

#include "model/model.h"

/* False, with a line of text about the first thing that is wrong. */
bool promise_check(const Model *m, Buffer *why);

#endif
