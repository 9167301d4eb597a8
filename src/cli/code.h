#ifndef COSY_CLI_CODE_H
#define COSY_CLI_CODE_H

/* Gets from the file that `cosy run` names to code that can be run: a compiled
   model (MODEL.so), or the C of one (MODEL.c), as `cosy emit` prints it. */

#include "cli/options.h"
#include "load/load.h"

/* Loads what r->model names, with its EXTERNAL functions, and sets in r->kernel
   what the kernel has to know about it. The caller closes the Loaded, also
   after a failure. */
Status code_load(Loaded *l, RunCommand *r, Fault *f);

/* The same for generated C in memory, and without what the kernel has to know. */
Status code_compile(Loaded *l, RunCommand *r, const char *text, size_t length,
                    uint32_t precision, Fault *f);
Status code_compile_only(Loaded *l, const RunCommand *r, const char *text,
                         size_t length, uint32_t precision, Fault *f);

#endif
