#ifndef COSY_SYNTAX_SPACING_H
#define COSY_SYNTAX_SPACING_H

/* Blanks between tokens of one line, for whatever writes tokens as text:

       X' = -G/L*SIN(PHI) - D*OMEGA      + - = := <> and words have blanks,
                                         * / ^ . ' and signs have none
       A[1], F(X)  H [m], F (<- X)       as they were written
       WRITELN(X:8:3)                    `:` and `=` inside brackets too

   These blanks matter: without them some tokens would be read as others. */

#include "syntax/token.h"

/* True if a blank belongs before t. `first` is the first token of the text, t
   comes later in the same array; `inside`: inside brackets. */
bool spacing_blank(const Token *first, const Token *t, bool inside);

#endif
