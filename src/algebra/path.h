#ifndef COSY_ALGEBRA_PATH_H
#define COSY_ALGEBRA_PATH_H

/* Branches that a walk over the sorted program has entered, innermost first. */

#include "model/model.h"

typedef struct Path Path;
struct Path {
    const Path *around;
    const Select *select;
    uint32_t branch;
};

/* True if the branches entered so far leave out what stands under the guard. */
static inline bool path_excludes(const Path *path, const Guard *g)
{
    for (; g; g = g->select->around)
        for (const Path *p = path; p; p = p->around)
            if (p->select->number == g->select->number &&
                p->branch != g->branch)
                return true;
    return false;
}

#endif
