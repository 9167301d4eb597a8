#ifndef COSY_EXPAND_EXPAND_H
#define COSY_EXPAND_EXPAND_H

/* Macros (section 10 of the language): definitions are taken out of the token
   stream, calls are replaced by the tokens of their bodies, before anything is
   parsed. INVOKE brings a definition from the symbolic library, DISPOSE puts
   one there, DESTROY removes one; what concerns a MODULE stays in the stream
   for the parser, except that an invoked MODULE's text is put in place of the
   statement.

   Needs: lexed. Leaves: u->flat, without words of the macro language. */

#include "syntax/unit.h"

typedef struct Library Library; // expand/library.h

/* lib may be NULL: INVOKE, DISPOSE, DESTROY are then reported. With `dry` the
   library is read but not written (cosy check). */
bool expand(Unit *u, Library *lib, bool dry);

#endif
