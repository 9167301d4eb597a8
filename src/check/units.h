#ifndef COSY_CHECK_UNITS_H
#define COSY_CHECK_UNITS_H

/* Follows units through every declaration, expression and statement, and
   converts wherever two of one dimension meet.

   A quantity has a unit, or is a bare number, or is open. Bare numbers (2.5,
   PI, 1/3) count as none in products and take the unit of what they meet
   elsewhere. The unit of a name that has none is an unknown, which is found
   from everything that the name meets (unknown.h). Formals, results of
   routines, elements of arrays and whatever statements assign are open: nothing
   is reported about them, nor about what has been reported already.

   A CONST without a unit of its own takes that of its value, as a coordinate of
   a FIELD takes that of its bounds and a FUNCTABLE those of its first point or
   of the header of its file. TIME is in the unit of TIMEUNIT, or in s as soon
   as any unit of the program contains time; otherwise its unit is an unknown
   like any other.

   X [km] + Y [m] becomes X + Y/1000.0 in the tree (convert.h); no later pass
   knows about units. Where something unknown is involved nothing is converted:
   a name without a unit that meets two of one dimension is an error, because
   the order of the text would choose its scale. Only a name that turns out to
   have no dimension is a plain number, and what surrounds it is converted: V'
   [km/h] = -MU*G. That is decided when everything has met (agree_rest). A
   quotient like m/cm becomes a plain number at once.

   degC and degF are units of points. Inside expressions points are K; the shift
   is omitted where it cancels, so that T > 20 and T1 - T2 cost nothing.

   What later passes find:
       Symbol.dimension     of every name whose unit is declared or was found
       Unit.time_unit       of TIME
       Symbol.value         of constants, computed again where something in
                            them was converted */

#include "check/symbol.h"
#include "syntax/unit.h"

/* Checks one CONST when it is declared, because sizes of arrays may depend on
   its value. Needs: its names bound, the CONSTs before it done. */
void check_constant_units(Unit *u, Node *item);
/* Needs: names bound, constants computed. False if anything was reported. */
bool check_units(Unit *u, Scope *program);

#endif
