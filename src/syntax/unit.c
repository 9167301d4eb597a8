#include "syntax/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CALLS_SHOWN  5 // of the chain of macro calls behind a message
#define MESSAGE_ROOM 1000
#define NEAR_LENGTH  63 // longer names are compared with nothing

static void show_calls(Unit *u, uint32_t origin)
{
    uint32_t shown = 0, hidden = 0;
    while (origin != 0 && origin < u->origins.count) {
        const Origin *o = &u->origins.origin[origin];
        if (shown < CALLS_SHOWN) {
            diag_note(u->diags, o->call,
                      "in the expansion of `%s`, called here", o->macro);
            shown++;
        } else {
            hidden++;
        }
        if (o->parent >= origin) // an expansion is younger than its call
            break;
        origin = o->parent;
    }
    if (hidden > 0)
        diag_note(u->diags, (Span){SPAN_NOWHERE, 0, 0},
                  "%u more macro calls around it", (unsigned)hidden);
}

#define FORMAT_MESSAGE(message)                                                \
    do {                                                                       \
        va_list args;                                                          \
        va_start(args, format);                                                \
        vsnprintf((message), sizeof(message), format, args);                   \
        va_end(args);                                                          \
    } while (0)

void unit_error(Unit *u, Span at, uint32_t origin, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    diag_error(u->diags, at, "%s", message);
    show_calls(u, origin);
}

void unit_warning(Unit *u, Span at, uint32_t origin, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    diag_warning(u->diags, at, "%s", message);
    show_calls(u, origin);
}

void unit_note(Unit *u, Span at, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    diag_note(u->diags, at, "%s", message);
}

Span span_join(Span a, Span b)
{
    uint64_t end = (uint64_t)b.start + b.length;
    if (a.file == b.file && end > (uint64_t)a.start + a.length)
        a.length = (uint32_t)(end - a.start);
    return a;
}

uint32_t unit_line(const Unit *u, Span at)
{
    uint32_t line = 1;
    if (at.file != u->file)
        return 0;
    for (size_t k = 0; k < at.start && k < u->length; k++)
        line += u->text[k] == '\n';
    return line;
}

/* ---- Names that look alike ----------------------------------------------- */

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Edits that make b of a: a letter more, less, another, or two exchanged. The
   last three rows of the usual table are kept. */
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
            bool same = upper(a[i - 1]) == upper(b[j - 1]);
            now[j] = least(least(now[j - 1], last[j]) + 1,
                           last[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && upper(a[i - 1]) == upper(b[j - 2]) &&
                upper(a[i - 2]) == upper(b[j - 1]))
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
        best = 4; // more than three edits is another name
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
