#ifndef COSY_HUNT_PROGRAM_H
#define COSY_HUNT_PROGRAM_H

/* Programs that the tree has, and changes of their text.

   programs_find lists them: files *.cosy below tests and examples, and what
   stands between ```cosy and ``` in docs/manual and docs/topics. program_read
   turns one into tokens and a checked tree. A change is a list of Edits, each
   of which replaces a part of the program by a text; nothing else moves, so
   comments, macros and lines stay as they are. */

#include "base/buffer.h"
#include "hunt/hunt.h"
#include "syntax/unit.h"

typedef struct Program {
    const char *name;   // path below the top, with #N added for a page
    const char *folder; // folder whose files it may read
    const char *text;
    struct Program *next;
    /* Set by program_read. */
    Unit unit;
    Diags diags;
    bool right; // no mistakes: there is a tree, and names are bound
} Program;

/* In the order of their names. `from`: a folder to search instead, or NULL. */
Program *programs_find(Arena *a, const char *source, const char *from);
/* Reads the text; again, if it was read before. */
void program_read(Program *p, Arena *a);

/* Walks through the whole tree, top down and from left to right. */
typedef void ProgramVisit(const Node *n, const Node *parent, void *context);
void program_walk(const Program *p, ProgramVisit *visit, void *context);
/* True if this word or name occurs in the text, outside comments. */
bool program_has(const Program *p, const char *word);
/* True if a node appears in the text as it was written: not in a macro. */
bool program_wrote(const Program *p, const Node *n);
/* The place of a node, including parentheses that belong to it but stand before
   its first or after its last token. */
Span program_span(const Program *p, const Node *n);
/* The text at a place. */
const char *program_text(const Program *p, Arena *a, Span at);

typedef struct Edit {
    uint32_t start, length;
    uint32_t order; // order of edits at the same place
    const char *text;
} Edit;

typedef struct Edits {
    Edit *edit;
    uint32_t count, room;
} Edits;

/* Replaces `at` by a text. An edit is not made twice: the text of a macro is
   visited once for each call. */
void edits_replace(Edits *e, Arena *a, Span at, const char *text);
void edits_before(Edits *e, Arena *a, Span at, const char *text);
void edits_after(Edits *e, Arena *a, Span at, const char *text);
/* The text with all edits made; NULL if two of them collide. */
const char *edits_apply(Edits *e, Arena *a, const char *text);

/* A text in the arena. */
const char *text_format(Arena *a, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
