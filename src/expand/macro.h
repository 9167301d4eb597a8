#ifndef COSY_EXPAND_MACRO_H
#define COSY_EXPAND_MACRO_H

/* A MACRO as its definition says:

       MACRO name (outputs <- inputs, CONST input);
       [MACVAR declarations]
       body, with [MACCONTIN ... MACEND]
       MACEND

   The body is a copy of the tokens, made ready for being expanded many times:
   every name knows what it stands for, every word that opens a part knows its
   MACEND, and behind each insertion {...} follow its own tokens. */

#include "syntax/unit.h"

#define SLOT_NONE (-1)

typedef struct Formal {
    const char *name;
    bool output, constant;
    bool declared; // by MACVAR, in the name of the caller
} Formal;

typedef struct Macro {
    const char *name;
    const char *origin_name, *actual_name; // see macro_is_actual
    Span at;                               // the name in the heading
    Formal *formal;
    uint32_t formals, outputs; // the outputs come first
    const char **local;        // names that MACVAR declares
    uint32_t locals;
    /* What stands between heading and last MACEND, with a TOKEN_END behind it.
       A token of kind INSERT, or a STRING with insertions, whose `integer` is
       n > 0 is followed by n tokens that belong to it: of an insertion its
       expression, of a string its pieces (strings and insertions). */
    Token *body;
    uint32_t count;
    uint32_t declared;  // tokens of the MACVAR part; body[0] is MACVAR then
    uint32_t *match;    // of MACFOR, MACIF, MACELSE, MACCONTIN: their MACEND
    int32_t *slot;      // formal k: k; local k: formals + k; SLOT_NONE
    const char *source; // the whole definition
    size_t source_length;
    uint32_t expansions; // so far
    bool active;         // being expanded right now
    bool broken;         // reported; its calls are dropped without a word
} Macro;

/* token[*at] is MACRO, `text` the text it stands in; *at comes to stand behind
   the definition. NULL if there is no memory. */
Macro *macro_define(Unit *u, const char *text, const Tokens *t, uint32_t *at);

/* Two copies of the name, for the Origins of calls and of actuals: which it is
   stands in the byte before the name. */
bool macro_is_actual(const Origin *o);

/* "HEAT (U <- SIGMA, CONST NR)", as it is to be called. */
const char *macro_heading(const Macro *m, Arena *a);

#endif
