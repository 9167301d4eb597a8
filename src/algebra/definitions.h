#ifndef COSY_ALGEBRA_DEFINITIONS_H
#define COSY_ALGEBRA_DEFINITIONS_H

/* The assignments of the sorted program as a list: which one computes which
   unknown, in which loops and branches. Those of Companions are left out. */

#include "model/model.h"

typedef struct Definition {
    const Expr *target, *value;
    uint32_t loops[LOOPS_MOST], n_loops;
    const Guard *guard;
    uint32_t next; // next with the same unknown
} Definition;

typedef struct Definitions {
    Definition *list;
    uint32_t count;
    uint32_t *first; // for each slot
    bool *implicit;  // for each slot: found by a block
    uint32_t variables;
    Vector memory;
} Definitions;

bool definitions_find(Definitions *d, Model *m);
void definitions_free(Definitions *d);
/* Value or rate of a variable. */
uint32_t definition_slot(const Expr *target);
/* Whether a branch is the active one, as a truth value. */
const Expr *branch_condition(Model *m, const Select *s, uint32_t branch);
/* The guard as a truth value. */
const Expr *guard_condition(Model *m, const Guard *g);

#endif
