#ifndef COSY_LOAD_TINY_H
#define COSY_LOAD_TINY_H

/* tcc inside the process (libtcc): from generated C to code in memory, in a
   millisecond or two, without a file. Its code is two to four times slower than
   that of cc, but gives the same bits:

   - doubles are computed in SSE registers, long doubles in x87 ones, as by cc;
   - no operations are contracted or put in another order;
   - functions of the mathematical library are the same ones, called;
   - tcc folds constants in long double, which would round twice. While it
     works, the x87 unit rounds to double if the model is DOUBLE.

   tcc knows DOUBLE and EXTENDED. Nothing needs to be installed for it: the
   headers are part of the program (source.h), the library functions and tcc's
   own helpers are passed to it. A function that generated code does not usually
   call (CCODE) is searched for in the libraries of the process.

   libtcc keeps state of its own while it compiles: one call at a time.

   tiny_none.c replaces it if COSY is built without libtcc. */

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "load/source.h"

typedef struct TinyCode {
    void *memory; // from mmap
    size_t size;
} TinyCode;

bool tiny_present(void);
/* Compiles; *symbol is the address of `name`. STATUS_UNSUPPORTED without libtcc
   or for QUAD, STATUS_MODEL if tcc refuses the text. */
Status tiny_compile(TinyCode *code, const Source *s, const char *name,
                    const void **symbol, Fault *f);
void tiny_free(TinyCode *code);

#endif
