#ifndef COSY_RUN_REDUCED_H
#define COSY_RUN_REDUCED_H

/* LINEARIZE REDUCE: makes of the matrices that LINEARIZE has found a model with
   fewer states, and says how far it differs from the full one. A warning tells if
   that is more than the accuracy that was asked for. */

#include "run/run.h"

#define reduced_find COSY_NAME(reduced_find)

/* The matrices are in r->analyse, whose `linear` gets what is found. `constraints`:
   how many the states keep. */
Status reduced_find(Run *r, uint32_t constraints);

#endif
