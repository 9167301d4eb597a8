#ifndef COSY_ALGEBRA_INDEX_H
#define COSY_ALGEBRA_INDEX_H

/* How far the equations are from explicit ones, for messages: the number of times
   that some of them must be differentiated until all rates are known, and one more
   if the value of an ALGEBR (a force, a torque) comes only from such a derivative.
   After sorting. */

#include "model/model.h"

/* 1 if nothing had to be differentiated. */
uint32_t index_of(const Model *m);
/* How often the equation of constraint k was differentiated in all; 0: k is itself
   a derivative of a constraint before it. */
uint32_t index_times(const Model *m, uint32_t k);
/* "once", "twice", "several times" */
const char *index_words(uint32_t times);
/* Remarks about constraints. */
void index_tell(const Model *m);

#endif
