#ifndef COSY_RUN_LOOP_FAILURE_H
#define COSY_RUN_LOOP_FAILURE_H

/* Why an algebraic loop has no solution, or more than one, in the modeller's words. */

#include "base/buffer.h"
#include "run/run.h"

#define loop_explain   COSY_NAME(loop_explain)
#define loop_tell_kept COSY_NAME(loop_tell_kept)

#define LOOP_PLACES 64 // unknowns of a loop that are looked at for their names

/* The model has failed with `status` at (t, x). If that was in a loop, its
   equations are evaluated there once more, and the whole message is appended to
   `text`; false: there is nothing to tell. */
bool loop_explain(Run *r, CosyStatus status, real t, const real *x,
                  Buffer *text);
/* A modal block of the present point does not determine all its unknowns: a
   note. */
void loop_tell_kept(Run *r);

#endif
