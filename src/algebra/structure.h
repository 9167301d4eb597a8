#ifndef COSY_ALGEBRA_STRUCTURE_H
#define COSY_ALGEBRA_STRUCTURE_H

/* Reports what is wrong with the structure of the equations, in the modeller's
   words: superfluous equations, unknowns that nothing determines, values that
   are kept from another branch. */

#include "model/model.h"

/* Called after matching; `all`: every equation has found its unknown. */
void structure_report(Model *m, const System *s, bool all);
/* Warns about equations that read an ALGEBR which the active branch leaves
   out. */
void structure_kept(Model *m, const System *s);

#endif
