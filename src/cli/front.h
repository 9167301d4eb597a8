#ifndef COSY_CLI_FRONT_H
#define COSY_CLI_FRONT_H

/* The front end as one line: from a file to a checked tree. */

#include "base/status.h"
#include "syntax/unit.h"

typedef enum FrontPass {
    PASS_LEX,
    PASS_EXPAND,
    PASS_PARSE,
    PASS_CHECK
} FrontPass;

/* Reads the file and runs the passes up to `last`. Messages are in u->diags.
   A file that cannot be read is a fault; a wrong model is not: *right tells. */
Status front_read(Unit *u, Arena *a, Diags *d, const char *path, FrontPass last,
                  bool *right, Fault *f);

#endif
