#ifndef COSY_FORMAT_FORMAT_H
#define COSY_FORMAT_FORMAT_H

/* The canonical layout of a program (`cosy format`). It works on the tokens as
   they were written, macros and all, and on the comments between them; nothing
   but blanks, line ends and the case of words is changed.

   The rules:

   - Words of the language are in upper case, names as they were written, units
     and text of FORTRAN and CCODE blocks untouched.
   - What stands in a block is indented by two blanks more than its head; END
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
     before, else as far out of its parentheses as possible, behind a comma or
     before an operator or word. The next line begins below the first thing in
     the parenthesis, else below the first item of the declaration or list, else
     below what stands behind = or :=.
   - Blanks: see syntax/spacing.h. Several blank lines become one; none is made.
   - A comment stays before or behind the token where it was written, on a line
     of its own if it had one. Behind a line it keeps its column if there is
     room, at least two blanks from the text; in lines that follow each other
     such comments begin in the same column. The lines of a comment of several
     lines move together.

   Laying out a text that is laid out already changes nothing. */

#include "base/buffer.h"
#include "syntax/unit.h"

/* Needs: parsed without errors. Appends the text to b. False, with a message,
   if it cannot be laid out; what is in b then is of no use. */
bool format_program(Unit *u, Buffer *b);

#endif
