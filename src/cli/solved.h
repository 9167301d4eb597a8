#ifndef COSY_CLI_SOLVED_H
#define COSY_CLI_SOLVED_H

/* cosy explain MODEL: what was done with the equations, in sentences. */

#include "base/buffer.h"
#include "model/model.h"

/* Needs: derived. Says nothing of a model without equations. */
void solved_tell(Buffer *b, const Model *m);

#endif
