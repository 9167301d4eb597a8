#ifndef COSY_LOAD_EXTERNAL_H
#define COSY_LOAD_EXTERNAL_H

/* Libraries of EXTERNAL functions: a vector of LoadLibrary (load.h), filled by
   load_external. */

#include "base/arena.h"

void external_close(Vector *libraries);

#endif
