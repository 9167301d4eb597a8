#ifndef COSY_EXPAND_PARTS_H
#define COSY_EXPAND_PARTS_H

/* MODULEs become equations (section 10 of the language): the tree of a program
   with parts, ports and CONNECTs becomes one without.

   Needs: parsed. Leaves: a tree in which nothing speaks of MODULEs, and
   unit->parts.

   A MODULE is read once; every PART and every call is an Instance of it, whose
   sections are copies of the module's nodes in which

   - names that the module declares have the path of the part before them: U of
     part R1 is the one name `R1.U`. All else is a name of the program;
   - formals are what they were given: a CONST of the part where the value is
     constant, otherwise the expression itself;
   - nodes come from an origin that names the part, so that a message shows the
     line in the MODULE and the line of the part.

   An array of parts is one Instance if its module consists of equations: its
   variables have the indices of the part before their own, and its equations
   stand in loops, so nothing grows with the number of parts. With anything else
   in it (events, processes, memory functions) each element is an Instance of its
   own, `C[3]`.

   Ports become variables; CONNECTs are carried out here, loops included, and give
   the equations of nodes (connect.c). Nodes of one shape whose elements follow
   each other become a loop again. */

#include "syntax/unit.h"

/* True if the program may be checked. Without parts there is nothing to do. */
bool instantiate(Unit *u);

#endif
