#ifndef COSY_CLI_FRONT_H
#define COSY_CLI_FRONT_H

/* The compiler as one line: from a file to a checked tree, and from there to a
   model that can be emitted. */

#include "base/status.h"
#include "expand/expand.h"
#include "lower/lower.h"
#include "model/model.h"
#include "syntax/unit.h"

typedef enum FrontPass {
    PASS_LEX,
    PASS_EXPAND,
    PASS_PARSE,
    PASS_CHECK,
    PASS_LOWER, // from here on there is a Model
    PASS_HIDE,
    PASS_MATCH,
    PASS_SORT,
    PASS_DERIVE,
    PASS_PLAN // the same Model; the plan is made of it
} FrontPass;

/* Reads the file and runs the passes up to `last`. Messages are in u->diags. A
   file that cannot be read is a fault; a wrong model is not: see *right. */
Status front_read(Unit *u, Arena *a, Diags *d, const char *path, FrontPass last,
                  bool *right, Fault *f);

/* The same; `plan` is what the program asks of the library. `untrusted`: CCODE,
   EXTERNAL and the library are refused. `given`: names that --set gives values,
   or NULL. */
Status front_read_plan(Unit *u, Arena *a, Diags *d, const char *path,
                       FrontPass last, bool untrusted, const GivenNames *given,
                       bool *right, LibraryPlan *plan, Fault *f);
/* Writes notes on a plan: what cosy run would change in the library. */
void front_tell_plan(Unit *u, const LibraryPlan *plan);
/* Changes the library, all at once, and notes it. Only for a program without
   mistakes. */
Status front_apply_plan(Unit *u, const LibraryPlan *plan, Fault *f);

/* Lowering and algebra of a checked program, up to `last`. NULL if something is
   wrong with it (u->diags has errors), or if it cannot be run yet and `o`
   allows that. */
Model *front_model(Unit *u, const LowerOptions *o, FrontPass last);

#endif
