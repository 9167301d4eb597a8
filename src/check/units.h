#ifndef COSY_CHECK_UNITS_H
#define COSY_CHECK_UNITS_H

/* Units through every declaration, expression and statement.

   A quantity has a unit, or is a bare number, or is open. Bare numbers (2.5,
   PI, 1/3) count as none in products and fit everything elsewhere. Names
   without a unit, formals and results of routines are open: nothing is said
   about them, nor about what has been reported already.

   A CONST without a unit of its own takes that of its value, as a coordinate of
   a FIELD takes that of its bounds and a FUNCTABLE those of its first point.
   TIME is in s, and X' in [X]/s, as soon as any unit of the program contains
   time; before that they are open, so that programs may count in any unit.

   Values are not converted in silence: X [km] + Y [m] is an error. Only a number
   that carries its unit is converted, where it alone (with a sign, or as a branch
   of IF) meets another unit of its dimension: 5 [km] for an X [m] is 5000.

   What later passes find:
       Symbol.dimension     of every name with a unit
       literal.number       already converted (also .integer; an INTEGER that is
                            whole no more has become a NUMBER)
       literal's UNIT       .number is the factor it was multiplied by, 1 if it
                            was not: who goes back to the literal's text applies
                            it; dimension_read of .text gives the unit as written;
                            .integer is 0 if it is wrong
       Symbol.value         of constants, computed anew where a literal in them
                            was converted */

#include "check/symbol.h"
#include "syntax/unit.h"

/* Needs: names bound, constants computed. False if anything was reported. */
bool check_units(Unit *u, Scope *program);

#endif
