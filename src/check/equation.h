#ifndef COSY_CHECK_EQUATION_H
#define COSY_CHECK_EQUATION_H

/* Which equation gives which variable.

   An equation with its unknown alone on the left gives that unknown; every other
   equation (a sum on the left, a REAL, a STATE without prime) gives something
   that no equation of the first kind gives. When all equations of a CONTINUOUS
   are known, equations_finish reports two equations for one variable in branches
   that can be active together, and equations in which nothing is left to be
   computed. Modules are solved for anything: there only what holds for sure is
   reported. */

#include "check/checker.h"

/* One alternative of a CASE or IF, inside the one around it. */
struct Branch {
    const Branch *around;
    Node *choice; // CASE or IF
    Node *labels; // of a CASE: LIST, empty for ELSE
    uint32_t number;
};

struct Equation {
    Node *node;     // for messages
    Symbol *symbol; // what it gives
    const Branch *branch;
    int64_t index[SYMBOL_RANKS];
    bool exact; // all indices are constant: it can be compared
    uint32_t order;
};

struct Equations {
    Vector given;  // of Equation
    Vector others; // of Node *: EQUATION
    bool module;
};

/* A variable that an equation can give. */
bool symbol_is_computed(const Symbol *s);
/* Remembers; `left` is what stands on the left, NULL for an output of
   PROCEDURAL. */
void equations_add(Checker *c, Node *n, Node *left, Symbol *s);
void equations_add_other(Checker *c, Node *n);
void equations_finish(Checker *c, Equations *e);
void equations_free(Equations *e);

#endif
