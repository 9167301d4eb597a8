#ifndef COSY_ALGEBRA_ASSIGN_H
#define COSY_ALGEBRA_ASSIGN_H

/* Finds, element by element, which equation determines which unknown: a matching
   along augmenting paths (Kuhn 1955), on numbers alone. Preferences (an unknown
   alone on one side; one that an equation can be solved for without dividing by
   what may be zero) decide only what is found first: nothing is pinned.

   Equations in branches that exclude each other may determine the same
   unknown.

   Whoever begins an Assignment frees it, whatever the result. */

#include "algebra/elements.h"

typedef struct Assignment {
    Elements e;
    uint32_t equations;
    uint32_t *first;       // for each equation: its candidates, and the end
    ElementRead *pair;     // candidates, those preferred first
    uint32_t *chosen;      // for each equation: its pair, or NONE
    uint32_t *head, *next; // equations of each unknown, as a list
    uint32_t *seen;        // for each unknown: the search that met it last
    uint32_t searches;
    bool broken; // no memory, or too large
} Assignment;

/* True if every equation has its unknown. merged: a STATE and its rate are
   one. */
bool assign_elements(Assignment *a, Model *m, System *s, bool merged);
/* The same step by step: begins without any choice made (`merged`: a STATE and
   its rate count as one unknown); gives the equations of a portion what stands
   alone on a side of them, if it is free; looks for an unknown for one equation,
   for which others may have to change; takes it back. */
bool assign_begin(Assignment *a, Model *m, System *s, bool merged);
void assign_plain(Assignment *a, uint32_t portion);
bool assign_one(Assignment *a, uint32_t equation);
void assign_take(Assignment *a, uint32_t equation);
/* Equations that hold in all modes take what can be computed from STATEs, in the
   order of computing: each the only unknown in it that nothing gives yet, if it
   stands alone or can be solved for. */
void assign_in_order(Assignment *a);
/* Equations by unknown: those that could determine unknown k are first[k] to
   first[k + 1] - 1 of `equation`. */
typedef struct UnknownReaders {
    uint32_t *first, *equation;
} UnknownReaders;
bool assignment_readers(Assignment *a, UnknownReaders *r);
/* The assignment that the targets of the portions describe. */
bool assignment_of(Assignment *a, Model *m, System *s);
void assignment_free(Assignment *a);
/* True if two equations cannot be active at once. */
bool assignment_excludes(const Assignment *a, uint32_t one, uint32_t other);

#endif
