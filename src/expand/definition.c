/* Questions of other folders about expansions and definitions. */

#include <string.h>

#include "expand/block.h"
#include "expand/expand.h"
#include "expand/macro.h"

/* ---- Names and places of expansions -------------------------------------- */

/* The written name is the part between MACRO_ and _n, in a path before its
   first dot; what follows that dot stays. */
static const char *without_marks(Unit *u, const char *name, const char *macro)
{
    size_t head = strlen(macro), n = strcspn(name, "."), end = n;
    size_t rest = strlen(name) - n;
    char *text;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    if (end == n || end < head + 3 || name[end - 1] != '_' ||
        name[head] != '_' || strncmp(name, macro, head) != 0)
        return NULL;
    text = NEW_ARRAY(u->arena, char, end - head - 1 + rest);
    if (text != NULL) {
        memcpy(text, name + head + 1, end - head - 2);
        memcpy(text + end - head - 2, name + n, rest);
    }
    return text;
}

/* True if the path begins with the name of a call of the program. */
static bool begins_with_call(const Unit *u, const char *name)
{
    size_t n = strcspn(name, ".");
    for (uint32_t k = 0; k < u->call_count && name[n] == '.'; k++) {
        const char *call = u->calls[k].name;
        if (strlen(call) == n && strncmp(call, name, n) == 0)
            return true;
    }
    return false;
}

const char *expand_written(Unit *u, const char *name, uint32_t origin)
{
    while (origin != 0 && origin < u->origins.count) {
        const Origin *o = &u->origins.origin[origin];
        const char *written = without_marks(u, name, o->macro);
        if (written != NULL)
            return begins_with_call(u, name) ? name : written;
        origin = o->parent;
    }
    return name;
}

bool expand_actual(const Unit *u, Span *at, uint32_t *origin)
{
    bool moved = false;
    while (*origin != 0 && *origin < u->origins.count) {
        const Origin *o = &u->origins.origin[*origin];
        if (!macro_is_actual(o))
            break;
        *at = o->call;
        *origin = o->parent;
        moved = true;
    }
    return moved;
}

/* ---- Definitions for the library ----------------------------------------- */

static bool add_definition(Vector *v, const char *name, LibraryKind kind,
                           const char *source, size_t length)
{
    LibraryEntry e = {name, kind, source, length};
    return vector_append(v, &e, sizeof e);
}

static uint32_t find_module(Unit *u, uint32_t at, Vector *v, bool *ok)
{
    const Token *t = u->tokens.token;
    uint32_t end = block_end(t, u->tokens.count, at);
    if (t[at + 1].kind != TOKEN_NAME || end >= u->tokens.count) {
        unit_error(u, t[at].at, 0, "this MODULE has no %s",
                   end >= u->tokens.count ? "END" : "name");
        return at + 1;
    }
    if (t[end + 1].word == WORD_SEMICOLON)
        end++;
    *ok = *ok &&
          add_definition(v, t[at + 1].text, LIBRARY_MODULE,
                         u->text + t[at].at.start,
                         t[end].at.start + t[end].at.length - t[at].at.start);
    return end + 1;
}

bool expand_definitions(Unit *u, LibraryEntry **out, size_t *n)
{
    const Token *t = u->tokens.token;
    Vector v = {0};
    bool ok = true;
    for (uint32_t at = 0; t[at].kind != TOKEN_END && ok;) {
        if (t[at].word == WORD_MACRO) {
            Macro *m = macro_define(u, u->text, &u->tokens, &at);
            ok = m != NULL &&
                 (m->broken || add_definition(&v, m->name, LIBRARY_MACRO,
                                              m->source, m->source_length));
        } else if (t[at].word == WORD_MODULE) {
            at = find_module(u, at, &v, &ok);
        } else {
            at++;
        }
    }
    *n = v.used / sizeof **out;
    *out = NEW_ARRAY(u->arena, LibraryEntry, *n + 1);
    if (ok && *out != NULL && v.used > 0)
        memcpy(*out, v.bytes, v.used);
    vector_free(&v);
    if (!ok || *out == NULL)
        diag_error(u->diags, (Span){.file = SPAN_NOWHERE},
                   "memory is exhausted");
    return u->diags->errors == 0;
}
