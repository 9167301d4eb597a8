#ifndef COSY_EMIT_EMIT_H
#define COSY_EMIT_EMIT_H

/* A derived Model as one C file against include/cosy/model.h.

   The file reads as if written by hand (tests/contract shows the form): the
   modeller's names, the source line above each equation and statement, one
   function per entry point that the model needs. It adds no decisions of its
   own: algebra decides which equation computes what, and in which order. It is
   the same for every precision, and the same bytes for the same Model.

   Needs: derived. */

#include <stdbool.h>

#include "base/buffer.h"
#include "model/model.h"

typedef struct EmitOptions {
    bool lines; // #line: a debugger shows the model's text
} EmitOptions;

/* False if there is not enough memory. */
bool emit_model(const Model *m, Buffer *out);
bool emit_model_with(const Model *m, const EmitOptions *o, Buffer *out);

#endif
