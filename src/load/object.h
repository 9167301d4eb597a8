#ifndef COSY_LOAD_OBJECT_H
#define COSY_LOAD_OBJECT_H

/* A shared object with a compiled model: opened only if it is complete, kept
   only if it is one of ours. */

#include <stdint.h>

#include "base/status.h"

typedef struct Object {
    void *handle;
    const void *model;
    uint32_t precision;
    int kept; // 1 + the descriptor that must stay open with it; 0: none
} Object;

/* On failure nothing stays open. */
Status object_open(Object *o, const char *path, Fault *f);
/* Takes over an open descriptor, which belongs to the object from here on;
   `path` is for the message. */
Status object_take(Object *o, int fd, const char *path, Fault *f);
void object_close(Object *o);

/* Name of the model of a precision (1, 2, 3), and the check of what is found
   under it; `path` is for the message. */
const char *object_symbol(uint32_t precision);
Status object_check(const void *model, uint32_t precision, const char *path,
                    Fault *f);

#endif
