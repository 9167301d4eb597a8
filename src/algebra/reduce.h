#ifndef COSY_ALGEBRA_REDUCE_H
#define COSY_ALGEBRA_REDUCE_H

/* Equations that find no unknown: constraints, and branches with other unknowns.

   W1 = N*W2 between two STATEs determines nothing, because both are integrated.
   It is a Constraint, and its derivative N*W2' = W1' takes its place among the
   equations; if that finds no unknown either, it is a Constraint too, and so on
   (Pantelides 1988: as often as the index is above one). What the constraint
   reads is unfolded first, so that it and its derivatives are written in terms of
   what is integrated; where that is not possible, derivatives of ALGEBRs become
   unknowns, with the derivatives of their equations. All STATEs stay integrated
   and are kept on the constraints while a run goes on (solve/project.h): there is
   no choice of states to change.

   An equation in a branch is a constraint if it finds no unknown beside those
   that are active whenever it is. Which branches of other CASEs are active does
   not matter: modes are not enumerated.

   What is left are branches that determine different unknowns; modes.h puts them
   together. If nothing helps, or a STATE and its derivative counted as one
   unknown there are still too many equations, the mistake is the modeller's. */

#include "algebra/assign.h"
#include "algebra/jets.h"

typedef struct Reduction {
    Model *m;
    Jets jets;
    uint32_t rounds;
} Reduction;

typedef enum ReduceResult {
    REDUCE_NOTHING, // the structure is wrong
    REDUCE_AGAIN,   // there are other equations now: match again
    REDUCE_REPORTED // an error has been told
} ReduceResult;

/* `full`: all equations, of which not every one has an unknown. */
ReduceResult reduce_structure(Reduction *r, Assignment *full);
void reduce_free(Reduction *r);

#endif
