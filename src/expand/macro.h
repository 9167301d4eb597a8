#ifndef COSY_EXPAND_MACRO_H
#define COSY_EXPAND_MACRO_H

/* A MACRO as it is defined:

       MACRO name (outputs <- inputs, CONST input);
       [MACVAR declarations]
       body, with [MACCONTIN ... MACEND]
       MACEND

   The body is a copy of the tokens, prepared for being expanded many times:
   every name knows what it stands for, every word that opens a part knows its
   MACEND, and each insertion {...} is followed by its own tokens. */

#include "syntax/unit.h"

#define SLOT_NONE (-1)

typedef struct Formal {
    const char *name;
    bool output, constant;
    bool declared; // by MACVAR, on behalf of the caller
} Formal;

typedef struct Macro {
    const char *name;
    const char *origin_name, *actual_name; // see macro_is_actual
    Span at;                               // the name in the heading
    Formal *formal;
    uint32_t formals, outputs; // the outputs come first
    const char **local;        // names that MACVAR declares
    uint32_t locals;
    /* The tokens between heading and last MACEND, then a TOKEN_END. A token of
       kind INSERT, or a STRING with insertions, whose `integer` is n > 0 is
       followed by n tokens that belong to it: for an insertion its expression,
       for a string its pieces (strings and insertions). */
    Token *body;
    uint32_t count;
    uint32_t declared;  // tokens of the MACVAR part; then body[0] is MACVAR
    uint32_t *match;    // for MACFOR, MACIF, MACELSE, MACCONTIN: their MACEND
    int32_t *slot;      // formal k: k; local k: formals + k; SLOT_NONE
    const char *source; // the whole definition
    size_t source_length;
    uint32_t expansions; // so far
    bool active;         // being expanded right now
    bool broken;         // reported; its calls are dropped silently
} Macro;

/* token[*at] is MACRO, `text` the text that contains it; *at ends up after the
   definition. NULL if there is no memory. */
Macro *macro_define(Unit *u, const char *text, const Tokens *t, uint32_t *at);

/* The name is kept twice, for the Origins of calls and of actuals: the byte
   before the name says which it is. */
bool macro_is_actual(const Origin *o);

/* "HEAT (U <- SIGMA, CONST NR)": how it is called. */
const char *macro_heading(const Macro *m, Arena *a);

#endif
