#ifndef COSY_ALGEBRA_DERIVATORS_H
#define COSY_ALGEBRA_DERIVATORS_H

/* DERIV(y0, x): exact derivatives with respect to time.

   Each becomes a hidden ALGEBR with an equation for the derivative of x: STATEs
   move with their rates, TIME with 1, and an ALGEBR A that x depends on gets a
   hidden ALGEBR "A'" whose equation is that of A, differentiated. Discrete
   variables do not move. So the result is as exact as x itself, from the first
   instant on; y0 is not needed.

   Needs: hidden, not yet matched. Leaves: no Memory of kind DERIVATOR. */

#include "model/model.h"

bool derivators_resolve(Model *m);

#endif
