#ifndef COSY_CHECK_HEADER_H
#define COSY_CHECK_HEADER_H

/* Units in the first line of a file of data: `T [min], U [mV]`. They count as
   in the program: each NAME of a FROM_FILE gets a UNIT below it, if its column
   has a unit. Mistakes in the file itself are reported where its numbers are
   read (lower/table.c). */

#include "syntax/unit.h"

/* `from_file`: FROM "file" COLUMNS a, b. A unit that does not exist is a
   warning, since such a header meant nothing to a program without units. */
void header_read(Unit *u, Node *from_file);

#endif
