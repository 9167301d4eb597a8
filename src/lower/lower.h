#ifndef COSY_LOWER_LOWER_H
#define COSY_LOWER_LOWER_H

/* From the checked tree to the Model (model/model.h): what the program means,
   without its syntax.

   Needs: check() found no errors. Leaves: a lowered Model in the arena of the
   unit. Every use of a construct that this version cannot run yet is refused,
   with its line. Messages go to the unit's Diags; the result is NULL if one was
   an error or if there is no memory. */

#include "base/buffer.h"
#include "base/status.h"
#include "model/model.h"
#include "syntax/unit.h"

/* --set NAME=VALUE. An INTEGER CONST, and any CONST that shapes the model (the
   size of an array, the bounds of a loop), gets its value here; all others are
   instance data and are set by the run. */
typedef struct LowerSet {
    const char *name, *value;
    bool used; // has been set here
} LowerSet;

typedef struct LowerOptions {
    LowerSet *set;
    uint32_t sets;
    /* FIELDs have half as many intervals as written for each step below 0, twice as
       many for each step above. */
    int32_t grid_level;
    bool tolerant; // what cannot be run yet is a warning: the result is NULL
    /* Reads a data file that the program names; `path` is where it is. NULL:
       file_read_data does it. */
    Status (*read)(void *user, const char *name, const char *path, Buffer *b,
                   Fault *f);
    void *user;
} LowerOptions;

Model *lower(Unit *u, const LowerOptions *o);

#endif
