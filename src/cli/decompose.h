#ifndef COSY_CLI_DECOMPOSE_H
#define COSY_CLI_DECOMPOSE_H

/* How the body of a DISCRETE PROCESS becomes events: each statement at which a
   transaction may have to wait ends a piece of the body, and what the transaction
   waits for makes the event that carries out the next piece. */

#include "base/buffer.h"
#include "model/model.h"

/* Lines as report/words.h has them: one per statement, what it becomes in a list
   below it. Needs: lowered. */
void decompose_processes(Buffer *b, const Model *m);

#endif
