#ifndef COSY_LOAD_BACKGROUND_H
#define COSY_LOAD_BACKGROUND_H

/* cc at work while tcc's code runs: a thread that waits a little, starts the
   compilation, waits for it and opens the result.

       background_begin   starts the thread; texts must stay until background_end
       background_model   the new code, or NULL as long as there is none
       background_drop    before the end: nobody wants the code any more
       background_end     ends the thread at once: a compilation into the cache
                          goes on by itself, unless it was dropped. The code
                          stays
       background_free    releases the code too */

#include "base/arena.h"
#include "load/cache.h"
#include "load/compiler.h"
#include "load/load.h"
#include "load/object.h"

/* Writes the C of a model to its place and compiles it; used in both modes. */
typedef struct Task {
    Compiler compiler;
    Place place;
    Source source;
} Task;

/* Prepares the place and starts. */
Status task_start(Task *t, Build *b, Fault *f);
/* Ends it and removes what it left. */
void task_kill(const Task *t, Build *b);
/* Opens the result; what is not a model does not stay in the cache. */
Status task_open(const Task *t, Object *o, Fault *f);

/* NULL: no memory, or no thread. The task is copied. */
Background *background_begin(Arena *a, const Task *t, int patience);
const void *background_model(const Background *b);
/* True until the thread has finished. */
bool background_busy(const Background *b);
void background_drop(Background *b);
/* `note` receives why there is no code, if cc failed. */
void background_end(Background *b, char note[FAULT_LENGTH]);
void background_free(Background *b);

#endif
