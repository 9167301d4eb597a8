#ifndef COSY_ALGEBRA_RATES_H
#define COSY_ALGEBRA_RATES_H

/* Derivatives of the sorted program along a direction, as Steps.

   Every unknown A that is needed is accompanied by a hidden variable that holds
   its derivative; the steps that compute these follow the program's own (same
   order, loops and branches), and a block of the program becomes a linear block
   for the derivatives of its unknowns, with the same Jacobian.

     rates_of_conditions   direction: time. x moves with x', TIME with 1. Sets dz
                           of conditions and da, db, dc of relations, and
                           m->rates
     rates_of_slopes       the same for the slopes of conditions by parameters, in
                           m->slope_rates
     rates_tangent         direction: m->seed, a hidden array over x. Sets
                           m->tangent, which leaves the derivative of x' in
                           m->tangent_rate
     rates_linear          direction: m->seed and m->input_seed, an array over
                           what LINEARIZE calls inputs. Sets m->linear, which
                           leaves the derivative of x' in m->tangent_rate and
                           that of the outputs in m->output_rate

   A derivative that no step computes (its equation is left out in the active
   branch) is 0.

   Needs: sorted. */

#include "model/model.h"

bool rates_of_conditions(Model *m);
bool rates_of_slopes(Model *m);
bool rates_tangent(Model *m);
bool rates_linear(Model *m);

#endif
