/* Calls that have names, and the paths of their locals.

   BATTERY B1 (...) gives the call a name. Its local SOC is called `B1.SOC`; a
   call CELL inside, made by the MACRO BATTERY, is `B1.CELL`. A call with a name
   inside a call without one belongs to that expansion only, and its path begins
   with a name that is unique as those of locals are: BATTERY_CELL_2.

   A path is one NAME token, so nothing after the expander has to know about
   macros. A use may come before the call, so paths are joined when all calls
   are known: a name in a body is looked up first in its own expansion and then
   in the program. */

#include <assert.h>
#include <string.h>

#include "expand/expand.h"
#include "expand/expander.h"

static const Instance *instance_at(const Expander *e, uint32_t k)
{
    assert(k < e->instances.used / sizeof(Instance));
    return (const Instance *)(const void *)e->instances.bytes + k;
}

/* "12.B1": the names of one expansion stay apart from those of another. */
static const char *key_write(Buffer *b, uint32_t scope, const char *name)
{
    b->v.used = 0;
    buffer_format(b, "%u.%s", (unsigned)scope, name);
    return b->broken ? "" : buffer_string(b);
}

static const Instance *instance_find(const Expander *e, Buffer *b,
                                     uint32_t scope, const char *name)
{
    uint32_t k = names_find(&e->instance_names, key_write(b, scope, name));
    return k == NAME_UNKNOWN ? NULL : instance_at(e, k);
}

/* The expansion in whose text a token was written. */
static uint32_t scope_of(const Unit *u, uint32_t origin)
{
    while (origin != 0 && macro_is_actual(&u->origins.origin[origin]))
        origin = u->origins.origin[origin].parent;
    return origin;
}

const char *path_local(Expander *e, const char *path, const char *local)
{
    size_t n = strlen(path), m = strlen(local);
    char *text = NEW_ARRAY(e->u->arena, char, n + m + 2);
    if (!expander_keep(e, text != NULL))
        return NULL;
    memcpy(text, path, n);
    text[n] = '.';
    memcpy(text + n + 1, local, m);
    return text;
}

/* ---- Entering a call ----------------------------------------------------- */

/* `scope` is 0 or the origin of f or of an expansion around it. */
static const char *path_of(Expander *e, const Frame *f, uint32_t scope,
                           const char *name)
{
    if (scope == 0)
        return name;
    while (f != NULL && f->origin != scope)
        f = f->up;
    assert(f != NULL);
    return f->path != NULL ? path_local(e, f->path, name)
                           : call_unique_name(e, f->macro, name);
}

static bool instance_add(Expander *e, const Instance *own, const char *key)
{
    uint32_t number = (uint32_t)(e->instances.used / sizeof *own);
    size_t n = strlen(key);
    char *kept = NEW_ARRAY(e->u->arena, char, n + 1);
    if (kept != NULL)
        memcpy(kept, key, n);
    return expander_keep(e,
                         own->path != NULL && kept != NULL &&
                             vector_append(&e->instances, own, sizeof *own) &&
                             names_put(&e->instance_names, kept, number));
}

static bool refuse(Expander *e, const Token *name, uint32_t origin, Span other,
                   const char *why, const char *what)
{
    Span at = name->at;
    expand_actual(e->u, &at, &origin);
    unit_error(e->u, at, origin, why, name->text);
    unit_note(e->u, other, what, name->text);
    return false;
}

bool path_can_name(Expander *e, const Token *name, uint32_t origin)
{
    const Macro *macro = expander_macro(e, name->text);
    return macro == NULL ||
           refuse(e, name, origin, macro->at,
                  "`%s` is a MACRO and cannot name a call: give the call a "
                  "name of its own",
                  "the MACRO `%s` is defined here");
}

bool path_enter(Expander *e, Frame *f, const Token *name)
{
    Buffer b = {0};
    Instance own = {.name = name->text,
                    .macro = f->macro,
                    .at = name->at,
                    .name_origin = name->origin,
                    .scope = scope_of(e->u, name->origin),
                    .origin = f->origin};
    const Instance *other = instance_find(e, &b, own.scope, name->text);
    bool ok;
    expand_actual(e->u, &own.at, &own.name_origin);
    if (other != NULL && own.name_origin != 0 &&
        own.at.start == other->at.start && own.at.file == other->at.file) {
        unit_error(e->u, own.at, own.name_origin,
                   "`%s` names the call in every pass of MACFOR: write %s{I}, "
                   "where I is its variable",
                   name->text, name->text);
        ok = false;
    } else if (other != NULL) {
        ok = refuse(e, name, name->origin, other->at,
                    "`%s` is already the name of another call: give this call "
                    "a name of its own",
                    "`%s` names that call");
    } else {
        own.path = path_of(e, f->up, own.scope, name->text);
        ok = instance_add(e, &own, key_write(&b, own.scope, name->text));
    }
    buffer_free(&b);
    f->path = own.path;
    return ok;
}

/* ---- Joining ------------------------------------------------------------- */

/* A walk through the flat tokens: `at` is read, `to` is written. */
typedef struct Joint {
    Expander *e;
    Unit *u;
    Token *token;
    uint32_t at, to, count;
    Buffer key;
} Joint;

static const char *local_find(const Macro *m, const char *name)
{
    for (uint32_t k = 0; k < m->locals; k++)
        if (name_same(m->local[k], name))
            return m->local[k];
    return NULL;
}

static bool is_formal(const Macro *m, const char *name)
{
    for (uint32_t k = 0; k < m->formals; k++)
        if (name_same(m->formal[k].name, name))
            return true;
    return false;
}

/* True if token k is a dot followed by a name. */
static bool goes_on(const Joint *j, uint32_t k)
{
    return k + 1 < j->count && j->token[k].word == WORD_DOT &&
           j->token[k + 1].kind == TOKEN_NAME;
}

static void report(Joint *j, const Token *t, const char *format, const char *a,
                   const char *b, const char *c)
{
    Span at = t->at;
    uint32_t origin = t->origin;
    expand_actual(j->u, &at, &origin);
    unit_error(j->u, at, origin, format, a, b, c);
}

/* Reports `B1.CELL` or `B1` with no local after it. */
static void report_whole(Joint *j, const Token *t, const Instance *i)
{
    if (i->macro->locals == 0)
        report(j, t,
               "`%s` names a call of the MACRO `%s`, which has no locals%s",
               i->path, i->macro->name, "");
    else
        report(j, t,
               "`%s` names a call of the MACRO `%s`: its locals are written as "
               "`%s`",
               i->path, i->macro->name,
               path_local(j->e, i->path, i->macro->local[0]));
}

static void report_unknown(Joint *j, const Token *t, const Instance *i)
{
    const Macro *m = i->macro;
    const char *near = nearest_name(t->text, m->local, m->locals);
    if (near != NULL)
        report(j, t, "`%s` has no local `%s`: did you mean `%s`?", i->path,
               t->text, path_local(j->e, i->path, near));
    else if (is_formal(m, t->text))
        report(j, t,
               "`%s` is a formal of the MACRO `%s`: write what the call `%s` "
               "passes for it",
               t->text, m->name, i->path);
    else
        report(j, t, "the MACRO `%s` has no local `%s` for the call `%s`",
               m->name, t->text, i->path);
    unit_note(j->u, i->at, "`%s` names the call here", i->name);
}

/* Reads the path from token j->at on, which names the call i. Returns the index
   of its last token, with the name in *name; 0 if there is no such local. */
static uint32_t path_read(Joint *j, const Instance *i, const char **name)
{
    uint32_t k = j->at;
    while (goes_on(j, k + 1)) {
        const Token *t = &j->token[k + 2];
        const char *local = local_find(i->macro, t->text);
        const Instance *inner =
            instance_find(j->e, &j->key, i->origin, t->text);
        if (local != NULL) {
            *name = path_local(j->e, i->path, local);
            return k + 2;
        }
        if (inner == NULL) {
            report_unknown(j, t, i);
            return 0;
        }
        i = inner;
        k += 2;
    }
    report_whole(j, &j->token[k], i);
    return 0;
}

/* The place of a path is that of all its tokens; in an actual they have the
   place of the formal, and the call knows their own places. */
static void place_join(Joint *j, Token *first, const Token *last)
{
    const Origin *o = j->u->origins.origin;
    if (first->origin == last->origin)
        first->at = span_join(first->at, last->at);
    else if (first->origin != 0 && last->origin != 0 &&
             macro_is_actual(&o[first->origin]) &&
             macro_is_actual(&o[last->origin]))
        first->origin = expander_origin(
            j->e, span_join(o[first->origin].call, o[last->origin].call),
            o[first->origin].parent, o[first->origin].macro);
}

static void name_join(Joint *j)
{
    Token *t = &j->token[j->at];
    uint32_t scope = scope_of(j->u, t->origin), last = j->at;
    const Instance *i = instance_find(j->e, &j->key, scope, t->text);
    bool is_own = i != NULL && scope != 0;
    Token joined = *t;
    if (i == NULL && scope != 0)
        i = instance_find(j->e, &j->key, 0, t->text);
    if (i != NULL && goes_on(j, j->at + 1)) {
        last = path_read(j, i, &joined.text);
        joined.word = WORD_NONE;
        if (last == 0)
            last = j->at;
        else
            place_join(j, &joined, &j->token[last]);
    } else if (is_own) {
        report_whole(j, t, i);
    }
    assert(j->to <= j->at && last >= j->at);
    j->token[j->to++] = joined;
    j->at = last + 1;
}

/* Leaves the calls of the program in the unit; nothing else may have their
   names. */
static void calls_leave(Expander *e)
{
    uint32_t n = (uint32_t)(e->instances.used / sizeof(Instance));
    CallName *call = NEW_ARRAY(e->u->arena, CallName, n);
    uint32_t count = 0;
    if (!expander_keep(e, call != NULL))
        return;
    for (uint32_t k = 0; k < n; k++) {
        const Instance *i = instance_at(e, k);
        if (i->scope == 0)
            call[count++] = (CallName){
                .name = i->name,
                .macro = i->macro->name,
                .local = i->macro->locals == 0 ? NULL : i->macro->local[0],
                .at = i->at,
                .origin = i->name_origin};
    }
    e->u->calls = call;
    e->u->call_count = count;
}

void path_join(Expander *e)
{
    Joint j = {.e = e,
               .u = e->u,
               .token = e->u->flat.token,
               .count = e->u->flat.count};
    if (e->instances.used == 0)
        return;
    while (j.at < j.count && !e->stopped) {
        const Token *t = &j.token[j.at];
        if (t->kind == TOKEN_NAME &&
            (j.to == 0 || j.token[j.to - 1].word != WORD_DOT))
            name_join(&j);
        else
            j.token[j.to++] = j.token[j.at++];
    }
    e->u->flat.count = j.to;
    buffer_free(&j.key);
    calls_leave(e);
}

void path_free(Expander *e)
{
    vector_free(&e->instances);
    names_free(&e->instance_names);
}
