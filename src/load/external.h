#ifndef COSY_LOAD_EXTERNAL_H
#define COSY_LOAD_EXTERNAL_H

/* Libraries of EXTERNAL functions: LoadLibrary (load.h), one behind the other.
   load_external fills them. */

#include "base/arena.h"

void external_close(Vector *libraries);

#endif
