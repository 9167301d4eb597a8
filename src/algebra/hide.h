#ifndef COSY_ALGEBRA_HIDE_H
#define COSY_ALGEBRA_HIDE_H

/* Discontinuities become relations.

   In equations, conditions, selectors of IF and what memories read, every
   relation, ABS, SIGN, MIN, MAX, INT, table function ... of something
   continuous is replaced by an expression of SIDEs and SEGMENTs, which change
   at events only; for each there is a row of `relations` that says what is
   watched, and when it is looked at. NOEVENT(e) becomes e as it stands.

   Needs: lowered. Leaves: hidden; places in branch are given out. */

#include "model/model.h"

bool hide_relations(Model *m);

#endif
