#ifndef COSY_SYNTAX_FOREIGN_H
#define COSY_SYNTAX_FOREIGN_H

/* Texts of other languages. A model of Modelica or a script of SimPy that is
   given to COSY is no COSY program with a hundred mistakes: one message says
   which language this seems to be, and shows how COSY says the same.

   A text that begins with PROGRAM is never taken for another language, and one
   that has several segments of COSY is not either. */

#include "syntax/unit.h"

/* For a text with errors: if it is one of another language, all messages are
   replaced by one. */
bool foreign_tell(Unit *u);

#endif
