#include "syntax/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CALLS_SHOWN  5 // macro calls that a message shows
#define MESSAGE_ROOM 1000

uint32_t unit_add_origin(Unit *u, const Origin *origin)
{
    Origins *o = &u->origins;
    if (o->count == o->room) {
        uint32_t room = o->room == 0 ? 64 : 2 * o->room;
        Origin *larger = NEW_ARRAY(u->arena, Origin, room);
        if (larger == NULL)
            return 0;
        if (o->count > 0)
            memcpy(larger, o->origin, o->count * sizeof *larger);
        o->origin = larger;
        o->room = room;
        o->count = o->count == 0 ? 1 : o->count;
    }
    o->origin[o->count] = *origin;
    return o->count++;
}

const Origin *unit_part(const Unit *u, uint32_t origin)
{
    while (origin != 0 && origin < u->origins.count) {
        const Origin *o = &u->origins.origin[origin];
        if (o->part != NULL)
            return o;
        if (o->parent >= origin)
            break;
        origin = o->parent;
    }
    return NULL;
}

static void show_calls(Unit *u, uint32_t origin)
{
    uint32_t shown = 0, hidden = 0;
    while (origin != 0 && origin < u->origins.count) {
        const Origin *o = &u->origins.origin[origin];
        if (o->part != NULL) { // its path tells of all parts around
            diag_note(u->diags, o->call,
                      "in the part `%s`, made of MODULE `%s`, declared here",
                      o->part, o->macro);
            break;
        }
        if (shown < CALLS_SHOWN) {
            diag_note(u->diags, o->call,
                      "in the expansion of `%s`, called here", o->macro);
            shown++;
        } else {
            hidden++;
        }
        if (o->parent >= origin) // an expansion comes after its call
            break;
        origin = o->parent;
    }
    if (hidden > 0)
        diag_note(u->diags, (Span){SPAN_NOWHERE, 0, 0},
                  "%u more macro calls around it", (unsigned)hidden);
}

/* A message about a place in a MODULE. */
struct Told {
    Span at;
    const char *format;
    bool error;
    struct Told *next;
};

bool unit_refused(const Unit *u, Span at, uint32_t origin)
{
    if (u->told == NULL || unit_part(u, origin) == NULL)
        return false;
    for (const struct Told *t = u->told; t != NULL; t = t->next)
        if (t->error && t->at.file == at.file && t->at.start == at.start &&
            t->at.length == at.length)
            return true;
    return false;
}

/* True if the same has been said of this place in another part. */
static bool was_told(Unit *u, Span at, uint32_t origin, const char *format,
                     bool error)
{
    u->again = false;
    if (unit_part(u, origin) == NULL)
        return false;
    for (const struct Told *t = u->told; t != NULL; t = t->next)
        if (t->format == format && t->at.file == at.file &&
            t->at.start == at.start && t->at.length == at.length)
            return u->again = true;
    struct Told *fresh = NEW(u->arena, struct Told);
    if (fresh != NULL) {
        *fresh = (struct Told){at, format, error, u->told};
        u->told = fresh;
    }
    return false;
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
    if (was_told(u, at, origin, format, true))
        return;
    diag_error(u->diags, at, "%s", message);
    show_calls(u, origin);
}

void unit_warning(Unit *u, Span at, uint32_t origin, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    FORMAT_MESSAGE(message);
    if (was_told(u, at, origin, format, false))
        return;
    diag_warning(u->diags, at, "%s", message);
    show_calls(u, origin);
}

void unit_note(Unit *u, Span at, const char *format, ...)
{
    char message[MESSAGE_ROOM];
    if (u->again) // it belongs to a message that is not repeated
        return;
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

const char *data_path(const Unit *u, const char *name)
{
    const char *program = u->name ? u->name : "";
    const char *slash = strrchr(program, '/');
    if (name[0] == '/' || !slash)
        return name;
    size_t folder = (size_t)(slash - program) + 1, length = strlen(name);
    char *path = NEW_ARRAY(u->arena, char, folder + length + 1);
    if (path == NULL)
        return NULL;
    memcpy(path, program, folder);
    memcpy(path + folder, name, length);
    return path;
}
