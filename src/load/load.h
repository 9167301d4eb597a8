#ifndef COSY_LOAD_LOAD_H
#define COSY_LOAD_LOAD_H

/* Compiled models: a shared object with a CosyModel under the name that
   cosy/real.h gives to its precision. The first three numbers of the
   description tell whether it is one of ours before anything else of it is
   read. */

#include <stdint.h>

#include "base/status.h"

typedef struct Loaded {
    void *handle;
    const void *model; // CosyModel of the precision
    uint32_t precision;
} Loaded;

Status load_open(Loaded *l, const char *path, Fault *f);
void load_close(Loaded *l);

#endif
