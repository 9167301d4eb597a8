#ifndef COSY_ALGEBRA_STRUCTURE_H
#define COSY_ALGEBRA_STRUCTURE_H

/* Reports what is wrong with the structure of the equations, in the modeller's
   words: superfluous equations, unknowns that nothing determines, values that
   are kept from another branch. */

#include "algebra/assign.h"

/* Some equation has found no unknown: which equations have too few together,
   the likely culprit first; then what is missing. */
void structure_report(Assignment *a);
/* Marks all equations that are short of unknowns together; false: no memory. */
bool structure_tangled(Assignment *a, bool *equation);
/* Unknowns without an equation: an error for each variable, or a warning if it
   is the derivative of a STATE of which other elements have one. */
void structure_missing(Assignment *a);
/* Warns about equations that read an ALGEBR which the active branch leaves
   out. */
void structure_kept(Model *m, const System *s);

#endif
