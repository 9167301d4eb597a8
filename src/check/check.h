#ifndef COSY_CHECK_CHECK_H
#define COSY_CHECK_CHECK_H

/* Finds what the text alone shows to be wrong with a program: names, types,
   arrays, records, files, formals and actuals, labels and formats, constants,
   units, statements in the wrong place.

   Needs: parsed. Leaves: every name bound to its Symbol, every constant's value
   known. */

#include "syntax/unit.h"

bool check(Unit *u);

#endif
