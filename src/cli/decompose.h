#ifndef COSY_CLI_DECOMPOSE_H
#define COSY_CLI_DECOMPOSE_H

/* Describes how the body of a DISCRETE PROCESS becomes events: each statement
   at which a transaction may have to wait ends a piece of the body, and
   whatever ends the wait makes the event that executes the next piece. */

#include "base/buffer.h"
#include "model/model.h"

/* Writes lines as in report/words.h: one per statement, with what it becomes in
   a list below it. Needs: lowered. */
void decompose_processes(Buffer *b, const Model *m);

#endif
