#ifndef COSY_SYNTAX_FOREIGN_H
#define COSY_SYNTAX_FOREIGN_H

/* Texts of other languages. A model of Modelica or a script of SimPy that is
   given to COSY is not a COSY program with a hundred mistakes: one message says
   which language it seems to be and shows the same in COSY.

   A text that begins with PROGRAM is never taken for another language, nor is
   one that has several segments of COSY. */

#include "syntax/unit.h"

/* For a text with errors: if it is in another language, one message replaces
   all others. */
bool foreign_tell(Unit *u);

#endif
