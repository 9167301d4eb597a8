#ifndef COSY_FORMAT_FORMAT_H
#define COSY_FORMAT_FORMAT_H

/* The canonical layout of a program (`cosy format`). It works on the tokens as
   they were written, macros and all, and on the comments between them; only
   blanks, line ends and the case of words change.

   The rules:

   - Words of the language are in upper case, names as they were written, units
     and text of FORTRAN and CCODE blocks untouched.
   - The contents of a block are indented by two blanks more than its head; END
     stands below the head. PROGRAM does not count. BEGIN on a line of its own
     stands below its IF, FOR, WHILE or WITH.
   - A block, a part (CONST, VAR ...), a routine or a statement that was written
     on one line and fits in 80 columns stays on one line. Else its head, its
     contents and its END stand on lines of their own; so do THEN, ELSE and DO
     with what they govern. ELSE IF stays together.
   - Statements that were written on one line stay on it if they fit; one that
     takes several lines has them to itself. Each segment of the program begins
     a line.
   - A statement that is longer than a line is broken where it was broken
     before, else as far out of its parentheses as possible, after a comma or
     before an operator or word. The next line begins below the first thing in
     the parenthesis, else below the first item of the declaration or list, else
     below what follows = or :=.
   - Blanks: see syntax/spacing.h. Several blank lines become one; none is made.
   - A comment stays before or after the token where it was written, on a line
   of
     its own if it had one. At the end of a line it keeps its column if there is
     room, at least two blanks from the text; in consecutive lines such comments
     begin in the same column. The lines of a comment of several lines move
     together.

   Laying out a text that is already laid out changes nothing. */

#include "base/buffer.h"
#include "syntax/unit.h"

/* Needs: parsed without errors. Appends the text to b. False, with a message,
   if it cannot be laid out; the contents of b are then useless. */
bool format_program(Unit *u, Buffer *b);

#endif
