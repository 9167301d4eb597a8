#ifndef COSY_ALGEBRA_UNFOLD_H
#define COSY_ALGEBRA_UNFOLD_H

/* Expressions in terms of what is integrated: every ALGEBR and every rate that
   an equation gives explicitly (A = ..., X' = ..., or A if it can be solved for
   it) is replaced by what it is equal to, and so on. What is found together with others in an algebraic loop,
   or differs from branch to branch, stays as it is.

     unfold_begin   looks for explicit equations; of those that hold in all modes,
                    it takes them that determine what they say in the assignment
     unfold         the expression, as it holds under a guard; what is not the
                    same for all values of a loop stays, and cut says where
     unfold_free    gives the memory back */

#include "algebra/assign.h"

typedef struct Unfolding {
    Model *m;
    Arena arena;
    uint32_t *first; // for each slot (2 per variable: value, rate): the first
                     // explicit equation, or NONE
    uint32_t *next;  // for each equation: the next one of the same slot
    uint32_t slots, equations;
    bool *open;                   // for each equation: it is just being put in
    const Expr **target, **value; // for each explicit equation: what it gives
    ExprMap done;                 // unknown -> what it is equal to
    const Guard *guard;
    uint32_t except; // an equation that is not used
    uint32_t cut;   // a loop, or NONE: from its value cut_at on, something that
    int64_t cut_at; // is read is given by another equation than before
} Unfolding;

bool unfold_begin(Unfolding *u, Assignment *a);
const Expr *unfold(Unfolding *u, const Expr *e, const Guard *guard,
                   uint32_t except);
void unfold_free(Unfolding *u);

#endif
