#ifndef COSY_GUARD_CAGE_H
#define COSY_GUARD_CAGE_H

/* The child's side: what it may do from here on, irrevocably. */

#include "guard/guard.h"

/* 0, or an error number: then nothing may be run. Descriptor DOOR leads to the
   parent; all others except the standard ones are closed. */
int cage_close(const GuardLimits *l);

#endif
