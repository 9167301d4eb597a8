#ifndef COSY_EXPAND_EXPAND_H
#define COSY_EXPAND_EXPAND_H

/* Macros (section 10 of the language): definitions are taken out of the token
   stream, calls are replaced by the tokens of their bodies, before anything is
   parsed. INVOKE brings a definition from the symbolic library, DISPOSE puts
   one there, DESTROY removes one; what concerns a MODULE stays in the stream
   for the parser, except that an invoked MODULE's text is put in place of the
   statement.

   Needs: lexed. Leaves: u->flat, without words of the macro language.

   A token of the body has its place in the MACRO, and its origin is the call.
   An actual has the place of the formal it replaces, and an origin of its own,
   whose `call` is its place in the call; so a message always shows both lines.
   A mistake in the actual itself (a name that is not declared) is better shown
   where it was written: expand_actual finds that place.

   Variables that MACVAR declares are named MACRO_NAME_n, or CALL.NAME if the
   call has a name (path.c), and are declared in a VAR part of the program
   (before its routines, EXPERIMENT and SYSTEM), or of the routine or MODULE
   that contains the call. A formal that MACVAR declares is declared for the
   caller under the name of the actual. */

#include "expand/library.h"
#include "syntax/unit.h"

/* The changes that DISPOSE and DESTROY ask for, in the order of the text,
   without those that are in effect already. */
typedef struct LibraryPlan {
    LibraryChange *change; // with `found` as it is now
    Span *at;              // the name in the program
    size_t n;
} LibraryPlan;

/* lib may be NULL: INVOKE, DISPOSE, DESTROY are then reported. The library is
   only read. DISPOSE and DESTROY take effect together, once the caller knows
   that the program has no mistake: library_apply carries out the plan, which
   lies in the unit's arena. */
bool expand_plan(Unit *u, Library *lib, LibraryPlan *plan);
/* The same, with the plan carried out at once, unless `dry`. */
bool expand(Unit *u, Library *lib, bool dry);

/* Prints the flat tokens as text that can be read, and lexed again; a name with
   dots in it, a local of a call with a name, is then several tokens. */
void flat_print(const Unit *u, Buffer *b);

/* A name as the modeller wrote it: a local of a MACRO without the marks that
   made it unique. `origin` is that of its token. */
const char *expand_written(Unit *u, const char *name, uint32_t origin);

/* If the token is part of an actual: moves place and origin to where it was
   written. */
bool expand_actual(const Unit *u, Span *at, uint32_t *origin);

/* All MACROs and MODULEs of the program, as `cosy lib add` stores them; false
   if something is wrong with them. The texts are parts of u->text. */
bool expand_definitions(Unit *u, LibraryEntry **out, size_t *n);

#endif
