#ifndef COSY_HUNT_PROGRAM_H
#define COSY_HUNT_PROGRAM_H

/* Programs that the tree has, and changes of their text.

   programs_find lists them: files *.cosy below tests and examples, and what
   stands between ```cosy and ``` in docs/manual and docs/topics. program_read
   makes tokens and a checked tree of one. A change is a list of Edits, each of
   which puts text in the place of a part of the program; nothing else moves, so
   comments, macros and lines stay as they are. */

#include "base/buffer.h"
#include "hunt/hunt.h"
#include "syntax/unit.h"

typedef struct Program {
    const char *name;   // path below the top, with #N behind a page
    const char *folder; // whose files it may read
    const char *text;
    struct Program *next;
    /* Set by program_read. */
    Unit unit;
    Diags diags;
    bool right; // without mistakes: there is a tree, and names are bound
} Program;

/* In the order of their names. `from`: a folder that is looked through instead,
   or NULL. */
Program *programs_find(Arena *a, const char *source, const char *from);
/* Reads the text; again, if it was read before. */
void program_read(Program *p, Arena *a);

/* Goes through the whole tree, from above and from left to right. */
typedef void ProgramVisit(const Node *n, const Node *parent, void *context);
void program_walk(const Program *p, ProgramVisit *visit, void *context);
/* Whether this word or name stands in the text, outside of comments. */
bool program_has(const Program *p, const char *word);
/* Whether a node stands in the text as it was written: not in a macro. */
bool program_wrote(const Program *p, const Node *n);
/* The place of a node, with parentheses that belong to it but stand before its
   first or behind its last token. */
Span program_span(const Program *p, const Node *n);
/* The text that a place has. */
const char *program_text(const Program *p, Arena *a, Span at);

typedef struct Edit {
    uint32_t start, length;
    uint32_t order; // of edits at the same place
    const char *text;
} Edit;

typedef struct Edits {
    Edit *edit;
    uint32_t count, room;
} Edits;

/* Puts text in the place of `at`. An edit that is there already is not made
   twice: what stands in a macro is met once for each call. */
void edits_replace(Edits *e, Arena *a, Span at, const char *text);
void edits_before(Edits *e, Arena *a, Span at, const char *text);
void edits_after(Edits *e, Arena *a, Span at, const char *text);
/* The text with all edits made; NULL if two of them are in each other's way. */
const char *edits_apply(Edits *e, Arena *a, const char *text);

/* A text in the arena. */
const char *text_format(Arena *a, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
