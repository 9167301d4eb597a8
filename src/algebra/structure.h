#ifndef COSY_ALGEBRA_STRUCTURE_H
#define COSY_ALGEBRA_STRUCTURE_H

/* What is wrong with the structure of the equations, in the modeller's words:
   equations that are one too many, unknowns that nothing determines, values
   that are kept from another branch. */

#include "model/model.h"

/* After matching; `all` tells whether every equation found its unknown. */
void structure_report(Model *m, bool all);
/* Warns of equations that read an ALGEBR which the active branch leaves out. */
void structure_kept(Model *m);

#endif
