#include "base/text.h"

#include <stdbool.h>

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The second byte decides about overlong forms, surrogates and what lies
   beyond U+10FFFF (Unicode standard, table 3-7). */
static bool second_fits(unsigned char first, unsigned char second)
{
    switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second < 0xA0;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second < 0x90;
    default: return true;
    }
}

static size_t length_by_first(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

size_t text_char_length(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t length = n == 0 ? 0 : length_by_first(u[0]);
    if (length > n)
        return 0;
    for (size_t k = 1; k < length; k++) {
        if (!is_continuation(u[k]))
            return 0;
    }
    return length > 1 && !second_fits(u[0], u[1]) ? 0 : length;
}

size_t text_char_count(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; at < n; count++) {
        size_t length = text_char_length(s + at, n - at);
        at += length == 0 ? 1 : length;
    }
    return count;
}
