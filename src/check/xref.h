#ifndef COSY_CHECK_XREF_H
#define COSY_CHECK_XREF_H

/* Finds where every name of a program is declared, set and read.

   Needs: checked, without errors. A mention from the body of a MACRO has the
   line in the MACRO, and the lines of the calls from the outermost inwards.
   Names that the language predefines are omitted. */

#include "base/arena.h"
#include "check/symbol.h"

typedef enum XrefUse {
    XREF_DECLARED,
    XREF_SET, // given a value, or a body; for events: raised
    XREF_READ
} XrefUse;

#define XREF_CALLS 4 // the outermost that are kept

typedef struct Mention {
    const Symbol *symbol; // NULL: a MACRO, or a call of one that has a name
    const char *name;     // as results and messages show it
    const char *what;     // "STATE", "REAL variable of PROCEDURE FILL", "MACRO"
    const char *unit;     // as declared, or ""
    XrefUse use;
    const char *place;         // "equation", "event FULL", "STORE"
    uint32_t line;             // 0: in a MACRO of the library
    uint32_t call[XREF_CALLS]; // lines of the calls around it
    uint32_t calls;
    uint32_t order;
} Mention;

/* Mentions in the order of the names, then of their uses, then of lines; each
   place of a line once. False: no memory. The vector is freed by the caller, all
   texts lie in the arena of the unit. */
bool xref_collect(Unit *u, Vector *mentions);

#endif
