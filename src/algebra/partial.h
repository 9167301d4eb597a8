#ifndef COSY_ALGEBRA_PARTIAL_H
#define COSY_ALGEBRA_PARTIAL_H

/* Partial derivatives of equations in loops, by elements of arrays.

   The derivative of A[I] = f(X[I+1]) by X[I+1] is one Partial with the loop of
   the equation. A state inside SUM gives a Partial with one loop more: one value
   for every value of the index. */

#include "model/model.h"

#define PARTIAL_LOOPS (LOOPS_MOST + 2)

/* Derivative of `row` by `column`, for every value of the loops, while `when`
   holds (NULL: always). */
typedef struct Partial {
    const Expr *row, *column, *value, *when;
    uint32_t loops[PARTIAL_LOOPS], n_loops;
    uint32_t depth; // variables that it goes through
    uint32_t next;  // used by whoever keeps a list of them
} Partial;

typedef struct Differ {
    Model *m;
    const Expr *delta; // stands for a small change
    bool failed;       // a derivative could not be written so
} Differ;

Differ differ_begin(Model *m);
/* de/d(leaf) into p->value, with p->column = leaf; false if it is zero (or if it
   does not exist: failed). */
bool partial_by_leaf(Differ *d, const Expr *e, const Expr *leaf, Partial *p);
/* Restricts loop c of the partial to low .. high; false if nothing is left. */
bool partial_restrict(Differ *d, Partial *p, uint32_t c, int64_t low,
                      int64_t high);
/* Restricts the loops of the partial to those values for which index k of its
   column belongs to `target`. False: there are none. */
bool partial_agree(Differ *d, Partial *p, const Expr *target, uint32_t k);

#endif
