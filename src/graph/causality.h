#ifndef COSY_GRAPH_CAUSALITY_H
#define COSY_GRAPH_CAUSALITY_H

/* Which equation gives which unknown, from which others: the rows of a picture, in
   groups. A group is a part (what its paths begin with), a MODEL, the rest of the
   program, or an algebraic loop with all its equations; before them come the
   STATEs, which are integrated, after them the constraints. Within a group rows are
   in the order in which they are carried out, and numbers count through all
   groups in that order. */

#include "base/arena.h"
#include "model/model.h"
#include "syntax/parts.h"

typedef enum CausalityKind {
    CAUSALITY_STATES,
    CAUSALITY_SOURCE, // a part, a MODEL or the program
    CAUSALITY_LOOP,
    CAUSALITY_CONSTRAINTS
} CausalityKind;

typedef struct CausalityRow {
    uint32_t number;     // in the order from 1; 0: a STATE or constraint
    const char *unknown; // what it gives
    const char *text;    // as it was written
    const char *where;   // its loops and branches, or ""
    const char *tag;     // "rate", "torn" ..., or ""
    uint32_t line;
    uint32_t *reads; // rows
    uint32_t n_reads;
} CausalityRow;

typedef struct CausalityGroup {
    CausalityKind kind;
    const char *name, *note;
    uint32_t first, count; // rows
} CausalityGroup;

typedef struct Causality {
    CausalityRow *row;
    uint32_t rows;
    CausalityGroup *group;
    uint32_t groups;
} Causality;

/* Needs: sorted. Parts give their names to groups. False: no memory. */
bool causality_find(Causality *c, Arena *a, Model *m, const UnitParts *p);

#endif
