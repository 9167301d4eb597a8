#include "base/text.h"

#include <stdbool.h>
#include <string.h>

#define NEAR_LENGTH 63 // longer names are not compared

static bool is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* The second byte rules out overlong forms, surrogates and everything beyond
   U+10FFFF (Unicode standard, table 3-7). */
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

/* ---- Names that look alike ----------------------------------------------- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Counts the edits that turn a into b: a letter added, removed or replaced, or
   two exchanged. The last three rows of the usual table are kept. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned row[3][NEAR_LENGTH + 1];
    for (size_t j = 0; j <= m; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3];
        unsigned *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            bool same = text_upper(a[i - 1]) == text_upper(b[j - 1]);
            now[j] = least(least(now[j - 1], last[j]) + 1,
                           last[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 &&
                text_upper(a[i - 1]) == text_upper(b[j - 2]) &&
                text_upper(a[i - 2]) == text_upper(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[n % 3][m];
}

const char *nearest_name(const char *name, const char *const *candidates,
                         size_t n)
{
    size_t length = strlen(name);
    unsigned best = (unsigned)(length + 1) / 3 + 1;
    const char *found = NULL;
    if (length < 2 || length > NEAR_LENGTH)
        return NULL;
    if (best > 4)
        best = 4; // with more than three edits it is another name
    for (size_t k = 0; k < n; k++) {
        size_t other = strlen(candidates[k]);
        size_t apart = other > length ? other - length : length - other;
        unsigned distance;
        if (other > NEAR_LENGTH || other < 2 || apart >= best)
            continue;
        distance = edit_distance(name, length, candidates[k], other);
        if (distance < best && distance > 0) {
            best = distance;
            found = candidates[k];
        }
    }
    return found;
}

bool name_same(const char *a, const char *b)
{
    while (*a != '\0' && text_upper(*a) == text_upper(*b)) {
        a++;
        b++;
    }
    return text_upper(*a) == text_upper(*b);
}
