#ifndef COSY_BASE_TEXT_H
#define COSY_BASE_TEXT_H

/* Characters in UTF-8. Source text and names may come from anywhere, so nothing
   here takes well-formed text for granted. */

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at s, where `n` bytes are available: 1 to 4, or 0 if
   they are not a well-formed character (or n is 0). */
size_t text_char_length(const char *s, size_t n);

/* How many characters the n bytes hold; a malformed byte counts as one. */
size_t text_char_count(const char *s, size_t n);

/* The candidate nearest to `name` in spelling, or NULL if none is near enough
   for "did you mean". */
const char *nearest_name(const char *name, const char *const *candidates,
                         size_t n);

static inline char text_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Equal but for the case of ASCII letters, as names of the language are. */
bool name_same(const char *a, const char *b);

#endif
