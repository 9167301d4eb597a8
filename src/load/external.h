#ifndef COSY_LOAD_EXTERNAL_H
#define COSY_LOAD_EXTERNAL_H

/* Libraries of EXTERNAL functions: handles of dlopen, one behind the other.
   load_external (load.h) fills them. */

#include "base/arena.h"

void external_close(Vector *libraries);

#endif
