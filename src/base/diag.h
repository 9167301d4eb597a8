#ifndef COSY_BASE_DIAG_H
#define COSY_BASE_DIAG_H

/* Diagnostics: what is wrong with the modeller's text, and where.

   diags_add_file makes a text known and returns the number that its Spans
   carry. diag_error, diag_warning and diag_note collect messages in order; a
   note belongs to the message before it; diag_remark makes one that stands
   alone. diags_print turns all of them into

       file:line:column: error: message
           the source line
               ^~~~

   in the order of the text. Nothing is printed until then. Lines and columns
   count from 1, columns in characters. Beyond DIAG_LIMIT messages are counted,
   not kept. The text of a file is not copied: it lives as long as the Diags. If
   memory runs out a message may be lost, but never its count: `errors` decides
   whether to go on.

   Control characters and malformed bytes are shown as `?`, and a long line is
   shown only around its mark.

   A Span with file SPAN_NOWHERE has no place; its message stands alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/macros.h"

#define DIAG_LIMIT   100
#define SPAN_NOWHERE UINT32_MAX

typedef struct Span {
    uint32_t file, start, length; // start, length: bytes
} Span;

typedef struct Diag Diag;
typedef struct DiagFile DiagFile;

typedef struct Diags {
    Arena *arena; // set by the caller; everything else begins as zero
    DiagFile *first_file, *last_file;
    uint32_t files;
    Diag *first, *last;
    uint32_t kept;
    uint32_t lost; // beyond the limit, or for lack of memory
    uint32_t errors, warnings;
} Diags;

/* Number of the file in Spans; SPAN_NOWHERE if there is no memory. */
uint32_t diags_add_file(Diags *d, const char *name, const char *text,
                        size_t length);

/* Finds the file with a number below d->files; false: there is none. */
bool diags_file(const Diags *d, uint32_t number, const char **name,
                const char **text, size_t *length);

void diag_error(Diags *d, Span at, const char *format, ...) PRINTF_LIKE(3, 4);
void diag_warning(Diags *d, Span at, const char *format, ...) PRINTF_LIKE(3, 4);
void diag_note(Diags *d, Span at, const char *format, ...) PRINTF_LIKE(3, 4);
/* A note that stands alone. */
void diag_remark(Diags *d, Span at, const char *format, ...) PRINTF_LIKE(3, 4);

/* Lines of text that stand below the last message, instead of the source line;
   they are not copied. */
void diag_example(Diags *d, const char *lines);
/* As if nothing had been said; files stay known. */
void diags_forget(Diags *d);

/* Appends all messages; `colour` for a terminal. */
void diags_print(const Diags *d, Buffer *b, bool colour);

#endif
