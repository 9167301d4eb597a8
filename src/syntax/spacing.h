#ifndef COSY_SYNTAX_SPACING_H
#define COSY_SYNTAX_SPACING_H

/* Blanks between tokens of one line, for whatever writes tokens as text:

       X' = -G/L*SIN(PHI) - D*OMEGA      + - = := <> and words have blanks,
                                         * / ^ . ' and signs have none
       A[1], F(X)  H [m], F (<- X)       as they were written
       WRITELN(X:8:3)                    `:` and `=` inside of brackets too

   Without the blanks that are wanted some tokens would be others. */

#include "syntax/token.h"

/* Whether a blank stands before t. `first` is the first token of the text, t
   comes later in the same array; `inside`: of brackets. */
bool spacing_blank(const Token *first, const Token *t, bool inside);

#endif
