#ifndef COSY_EXPAND_LIBRARY_H
#define COSY_EXPAND_LIBRARY_H

/* The symbolic library: sources of MACROs and MODULEs under their names, in one
   SQLite file that many processes may use at once.

   library_open only notes where the file is; it is opened at the first use, so
   a program without INVOKE, DISPOSE and DESTROY never meets its troubles. A
   file that does not exist reads as empty; the first change makes it, with its
   folder. Either all changes of one library_apply happen or none, even if the
   process is killed halfway. Names are the same without case.

   Texts and names that are handed out lie in the arena given to the call. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

#define LIBRARY_WAIT 5000 // milliseconds for another process to finish

typedef struct Library Library;

typedef enum LibraryKind { LIBRARY_MACRO = 1, LIBRARY_MODULE = 2 } LibraryKind;

typedef struct LibraryEntry {
    const char *name;
    LibraryKind kind;
    const char *text; // ends with a NUL
    size_t length;
} LibraryEntry;

typedef struct LibraryChange {
    bool remove;        // false: put, replacing what has that name
    LibraryEntry entry; // for removal the name is enough
    bool found;         // result: there was an entry of that name
} LibraryChange;

/* The file of this user: COSY_LIBRARY, else cosy/library.db in XDG_DATA_HOME,
   else in ~/.local/share. NULL, with a fault, if no home directory is known. */
const char *library_path(Arena *a, Fault *f);

/* NULL if there is no memory. `path` NULL: the library of this user. */
Library *library_open(Arena *a, const char *path);
/* Sets another time to wait for other processes. */
void library_wait(Library *l, int milliseconds);
/* Its path, for messages; "" as long as that is not known. */
const char *library_place(const Library *l);

/* out->text stays NULL if there is no such entry. */
Status library_get(Library *l, Arena *a, const char *name, LibraryEntry *out,
                   Fault *f);
/* All entries in the order of their names, without texts. */
Status library_list(Library *l, Arena *a, LibraryEntry **out, size_t *n,
                    Fault *f);
Status library_apply(Library *l, LibraryChange *change, size_t n, Fault *f);
/* Checks that library_apply would find a place to write to; changes nothing. */
Status library_can_write(Library *l, Fault *f);

void library_close(Library *l);

#endif
