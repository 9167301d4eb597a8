#ifndef COSY_GUARD_CAGE_H
#define COSY_GUARD_CAGE_H

/* The child's side: what it may do from here on, for good. */

#include "guard/guard.h"

/* 0, or the number of an error: nothing may be run then. Descriptor DOOR leads
   to the parent; all others but the standard ones are closed. */
int cage_close(const GuardLimits *l);

#endif
