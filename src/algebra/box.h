#ifndef COSY_ALGEBRA_BOX_H
#define COSY_ALGEBRA_BOX_H

/* The elements of an array that an expression A[I+1, 3] stands for while the
   loops around it run: a box of indices. A scalar is a box without sides. */

#include "model/model.h"

typedef struct Box {
    ExprOp op; // VARIABLE or RATE
    uint32_t which;
    uint32_t rank;
    int64_t low[2], high[2];
} Box;

/* The box of what is read or written. An index that is not a loop index plus a
   constant counts as the whole side. */
Box box_around(const Model *m, const Expr *e);
/* The box of a target; false unless each loop of the equation runs along
   exactly one side, so that every element occurs once. */
bool box_exact(const Model *m, const Expr *e, const uint32_t *loops,
               uint32_t n_loops, Box *box);
bool box_meets(const Box *a, const Box *b);
/* Whether an element that the equation reads of its own array is computed
   before (-1) or after (+1) the one it determines if its loops run upwards; the
   outermost loop in which they differ decides. False: it reads no such
   element. */
bool box_offset(const Portion *p, const Expr *read, int *sign);
/* I + 2 - 1 as I + 1, so that equal elements are equal expressions; what is not
   a loop index plus a constant stays as it is. */
const Expr *index_plain(Model *m, const Expr *e);
/* True for the rate of a STATE, and for ALGEBR, LOGIC and MEMORY variables. */
bool is_unknown(const Model *m, const Expr *e);
/* The portion with its outermost loop fixed at one value. */
Portion portion_at(Model *m, const Portion *p, int64_t value);
/* Expands a portion in loops into scalar ones; the original becomes the first.
   False if there are none (an empty loop). */
bool portion_expand(Model *m, System *s, uint32_t portion);

#endif
