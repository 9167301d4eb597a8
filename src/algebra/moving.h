#ifndef COSY_ALGEBRA_MOVING_H
#define COSY_ALGEBRA_MOVING_H

/* Derivatives of the sorted program along one direction, as Steps.

   Every unknown that is needed is accompanied by a hidden variable that holds its
   derivative; the steps that compute these have the order, loops and branches of the
   program's own, and a block of the program becomes a linear block for the derivatives
   of its unknowns.

       moving_begin        a direction: what each leaf moves with (`leaf`), and where
                           the derivative of a rate goes (`rate`)
       moving_derivative   of an expression; what it reads becomes wanted
       moving_steps        the steps of all that is wanted

   Needs: sorted. */

#include "model/differentiate.h"

typedef struct Moving Moving;

struct Moving {
    Model *m;
    ExprSeed leaf; // its user is the Moving
    /* Where the derivative of that rate is to be put; NULL: it is not wanted. */
    const Expr *(*rate)(Moving *g, const Expr *rate);
    void *user;
    const char *of_value, *of_rate; // what names of derivatives end in
    uint32_t *rate_of_value; // for each variable: that of the ALGEBR, or NONE
    uint32_t *rate_of_rate;  // for each variable: that of the rate of a STATE,
                             // or NONE
    uint32_t variables;      // length of the two arrays
    bool grown;
};

/* False: no memory. The first `variables` are those of now. */
bool moving_begin(Moving *g, Model *m);
/* The derivative of an unknown, or of the rate of a STATE, in a variable of its
   own. */
const Expr *moving_variable(Moving *g, const Expr *leaf);
/* NULL of NULL. */
const Expr *moving_derivative(Moving *g, const Expr *e);
void moving_steps(Moving *g, Steps *out);

#endif
