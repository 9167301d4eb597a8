#ifndef COSY_ALGEBRA_REPLAY_H
#define COSY_ALGEBRA_REPLAY_H

/* The sorted program, carried out on paper: which elements each step reads, in
   every pass of its loops, and whether they have been computed. This proves what
   boxes are too coarse for: SUM over a part of an array, A[8 - I], elements that
   are computed in an order of their own.

   Needs: sorted. */

#include "model/model.h"

/* False, with a line of text, if a step reads what is not computed yet, or if
   something is computed twice or not at all. A proof that takes too long is
   given up: true. */
bool replay_check(const Model *m, const System *s, Buffer *why);

#endif
