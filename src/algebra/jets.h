#ifndef COSY_ALGEBRA_JETS_H
#define COSY_ALGEBRA_JETS_H

/* Derivatives of equations with respect to time, as further equations.

   STATEs move with their rates, TIME with 1; discrete variables do not move. The
   derivative of an ALGEBR A is a hidden ALGEBR "A'", that of the rate of a STATE
   X a hidden ALGEBR "X''". These are unknowns: whoever makes them adds the
   equations that determine them, which are those of A and of X', differentiated.

   Initialised with zeros and a Model; released by jets_free. */

#include "model/model.h"

typedef struct Jets {
    Model *m;
    Vector value_rate; // uint32_t for each variable: "A'" of an ALGEBR, or NONE
    Vector rate_rate;  // "X''" of a STATE, or NONE
    Vector done;       // for each equation: it has been differentiated, or NONE
    bool more;         // another derivative has become an unknown
} Jets;

const Expr *jets_derivative(Jets *j, const Expr *e);
/* True if the derivative of this unknown is an unknown. */
bool jets_wants(const Jets *j, const Expr *e);
/* Adds the derivative of an equation, in the same branch and loops; its number.
   NONE: no memory. */
uint32_t jets_differentiate(Jets *j, uint32_t equation);
/* The words of an equation, as those of its derivative. */
const char *jets_words(Model *m, const char *text);
bool jets_is_done(const Jets *j, uint32_t equation);
void jets_free(Jets *j);

/* Tables of numbers, one for each row of something, that begin as NONE: a place,
   NULL without memory, and what stands there. */
uint32_t *jets_entry(Jets *j, Vector *v, uint32_t k);
uint32_t jets_number(const Vector *v, uint32_t k);

#endif
