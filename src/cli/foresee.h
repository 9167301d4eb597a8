#ifndef COSY_CLI_FORESEE_H
#define COSY_CLI_FORESEE_H

/* Finds, from the program alone, what `cosy run` would refuse when it sets up
   the runs, so that `cosy check` can report it. The kernels say what they can
   do (run/kernel.h); whatever depends on values that only a run knows is left
   to the run. */

#include "model/model.h"
#include "syntax/unit.h"

/* Reports into the diagnostics of the unit. */
void foresee(Unit *u, const Model *m);

#endif
