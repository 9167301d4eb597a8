#ifndef COSY_ALGEBRA_HIDE_H
#define COSY_ALGEBRA_HIDE_H

/* Discontinuities become relations.

   In equations, conditions, selectors of IF and inputs of memories, every
   relation, ABS, SIGN, MIN, MAX, INT, table function ... of something
   continuous is replaced by an expression of SIDEs and SEGMENTs, which change
   only at events. For each a row of `relations` says what is watched, and when.
   NOEVENT(e) becomes plain e.

   Needs: lowered. Leaves: hidden; places in branch are given out. */

#include "model/model.h"

bool hide_relations(Model *m);

#endif
