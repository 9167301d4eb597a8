#ifndef COSY_BASE_BUFFER_H
#define COSY_BASE_BUFFER_H

/* Text that grows. A buffer that could not grow is `broken` and stays so, so
   that a writer checks once, at the end. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/macros.h"
#include "base/status.h"

typedef struct Buffer {
    Vector v;
    bool broken;
} Buffer;

void buffer_char(Buffer *b, char ch);
void buffer_text(Buffer *b, const char *s);
void buffer_bytes(Buffer *b, const char *s, size_t n);
void buffer_format(Buffer *b, const char *format, ...) PRINTF_LIKE(2, 3);
/* The same as %llu and %lld, and much faster. */
void buffer_count(Buffer *b, unsigned long long n);
void buffer_integer(Buffer *b, long long n);
/* As a JSON string, with its quotes. */
void buffer_json(Buffer *b, const char *s);
/* As a cell of a CSV file, in quotes where it needs them (RFC 4180). */
void buffer_cell(Buffer *b, const char *s);
const char *buffer_string(Buffer *b); // NUL-terminated
void buffer_free(Buffer *b);

/* Writes to a temporary name beside `path`, syncs, renames. On failure nothing
   is left under either name, an older file stays, and the fault says which
   call failed and why. */
Status file_write(const char *path, const void *bytes, size_t n, Fault *f);
/* Writes a file of a folder that is not yet in its place (base/stage.h):
   without a temporary name, and without waiting for the disk. */
Status file_put(const char *path, const void *bytes, size_t n, Fault *f);
/* Adds to the end of such a file. */
Status file_add(const char *path, const void *bytes, size_t n, Fault *f);
/* Reads a whole file into a buffer. file_read also accepts a pipe or a
   terminal; file_read_data accepts only a file, of 256 MB at most. */
Status file_read(const char *path, Buffer *b, Fault *f);
Status file_read_data(const char *path, Buffer *b, Fault *f);
/* Makes a directory with its parents. */
Status dir_make(const char *path, Fault *f);

#endif
