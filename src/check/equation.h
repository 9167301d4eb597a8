#ifndef COSY_CHECK_EQUATION_H
#define COSY_CHECK_EQUATION_H

/* Finds which equation gives which variable.

   An equation with its unknown alone on the left gives that unknown; every
   other equation (a sum on the left, a REAL, a STATE without prime) gives
   something that no equation of the first kind gives. When all equations of a
   CONTINUOUS are known, equations_finish reports two equations for one variable
   in branches that can be active together, and equations in which nothing is
   left to compute. Modules may be solved for anything, so only certain mistakes
   are reported there. */

#include "check/checker.h"

/* One alternative of a CASE or IF, inside the one around it. */
struct Branch {
    const Branch *around;
    Node *choice; // CASE or IF
    Node *labels; // for a CASE: LIST, empty for ELSE
    uint32_t number;
};

struct GivenEquation {
    Node *node;     // for messages
    Symbol *symbol; // what it gives
    const Branch *branch;
    int64_t index[SYMBOL_RANKS];
    bool exact; // all indices are constant: it can be compared
    uint32_t order;
};

struct Equations {
    Vector given;  // GivenEquation
    Vector others; // Node *: EQUATION
    Vector paired; // Node *: those that have their left side in common
};

/* A variable that an equation can give. */
bool symbol_is_computed(const Symbol *s);
/* Remembers an equation; `left` is its left side, NULL for an output of
   PROCEDURAL. */
void equations_add(Checker *c, Node *n, Node *left, Symbol *s);
void equations_add_other(Checker *c, Node *n);
void equations_finish(Checker *c, Equations *e);
void equations_free(Equations *e);

#endif
