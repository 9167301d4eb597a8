#ifndef COSY_SYNTAX_UNIT_H
#define COSY_SYNTAX_UNIT_H

/* The passes of the front end hand this to each other: one program, its text,
   its messages.

       lex      text -> tokens
       expand   tokens -> tokens without MACRO definitions and calls
       parse    tokens -> tree
       check    tree: names, types, units

   Each reports all it can and returns false if it makes no sense to continue;
   the pipeline stops between passes. lex continues where it can guess what was
   meant, so that spelling and grammar mistakes are shown together; parse
   returns false if there was any error before or in it. A message about a token
   or node that came out of a macro shows the line in the macro, and as a note
   the line of the call (and of the call that contains it, ...). */

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "syntax/ast.h"
#include "syntax/parts.h"
#include "syntax/token.h"

/* Limits that are checked and named in messages. */
#define LIMIT_NESTING   1000 // nested blocks, parentheses, signs
#define LIMIT_HEIGHT    1500 // nested operations, with or without parentheses
#define LIMIT_EXPANSION 200  // nested macro calls
#define LIMIT_TOKENS    20000000  // after expansion
#define LIMIT_LOOP      1000000   // passes of one MACFOR
#define LIMIT_ARRAY     100000000 // elements of one array

typedef struct GivenNames {
    const char *const *name;
    const char *const *value; // NULL: not known
    uint32_t n;
} GivenNames;

typedef struct Unit {
    Arena *arena;
    Diags *diags;
    uint32_t file; // that of the program, in Spans
    const char *name;
    const char *text;
    size_t length;
    Tokens tokens; // as written
    Comments comments;
    Tokens flat; // after expansion
    Origins origins;
    const CallName *calls; // those of the program, in the order of the text
    uint32_t call_count;
    Node *program;
    bool parted;           // MODULE, PART, PORT or CONNECT occurs in it
    UnitParts parts;       // set by instantiate
    const char *time_unit; // unit of TIME, set by check; "" if not known
    struct Told *told; // messages about MODULEs: each once, not for every part
    bool again;        // the last message was one of them, and not shown
    bool names_lost;   // a declaration could not be read: what it declares is
                       // not known, and an unknown name is not a mistake
    /* Names that get a value from outside, as by --set. */
    GivenNames given;
    /* For comparing the parser with grammar/cosy.ebnf: then nothing that the
       grammar allows is reported, even if it has no meaning (ELSE without
       CASE). */
    bool grammar_only;
} Unit;

bool lex(Unit *u);
/* Tokens of another text (a macro of the library): they are not added to the
   unit's own; the caller keeps them. */
bool lex_text(Unit *u, uint32_t file, const char *text, size_t length,
              Tokens *out);
/* Tokens of a part of a text: `text` is the text at `part` (the inside of an
   insertion {...}); the Spans of the tokens are those of the whole text. */
bool lex_part(Unit *u, const char *text, Span part, Tokens *out);
/* Reads u->flat, or u->tokens if nothing has been expanded. */
bool parse(Unit *u);

/* Adds an origin and returns its number; 0 if there is no memory. */
uint32_t unit_add_origin(Unit *u, const Origin *origin);
/* The part that an origin lies in, or NULL. */
const Origin *unit_part(const Unit *u, uint32_t origin);
/* True if an error has been reported at this place of a MODULE for another part:
   nobody needs to find out what was meant for this one. */
bool unit_refused(const Unit *u, Span at, uint32_t origin);
/* Messages, followed by the chain of expansions. */
void unit_error(Unit *u, Span at, uint32_t origin, const char *format, ...)
    PRINTF_LIKE(4, 5);
void unit_warning(Unit *u, Span at, uint32_t origin, const char *format, ...)
    PRINTF_LIKE(4, 5);
void unit_note(Unit *u, Span at, const char *format, ...) PRINTF_LIKE(3, 4);
/* The span from the beginning of a to the end of b if both are in one file and
   b ends later; otherwise a. */
Span span_join(Span a, Span b);
/* The path of a file that the program names, relative to the folder of the
   program. In the arena; NULL: no memory. */
const char *data_path(const Unit *u, const char *name);
/* The line of a place in the text of the program, from 1; 0 if it is in another
   text. */
uint32_t unit_line(const Unit *u, Span at);

#endif
