#ifndef COSY_RUN_LOOP_FAILURE_H
#define COSY_RUN_LOOP_FAILURE_H

/* Why an algebraic loop has no solution, in the modeller's words. */

#include "base/buffer.h"
#include "run/run.h"

#define loop_explain COSY_NAME(loop_explain)

#define LOOP_PLACES 64 // unknowns of a loop that are looked at for their names

/* The model has failed with `status` at (t, x). If that was in a loop, its
   equations are evaluated there once more, and the whole message is appended to
   `text`; false: there is nothing to tell. */
bool loop_explain(Run *r, CosyStatus status, real t, const real *x,
                  Buffer *text);

#endif
