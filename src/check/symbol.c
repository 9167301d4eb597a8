#include "check/symbol.h"

#include <string.h>

/* A scope keeps its symbols in order of declaration, and in a table with open
   addressing as soon as there are more than a few. */

#define FEW 8 // up to this many symbols are searched one by one

struct Scope {
    Arena *arena;
    Scope *around;
    Node *node;
    Symbol *first, *last;
    uint32_t count;
    uint32_t room; // size of the table, a power of two; 0: none
    Symbol **table;
};

static char fold(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Fowler, Noll and Vo, 32 bits, without case. */
static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)fold(*name)) * 16777619u;
    return h ^ h >> 15;
}

Scope *scope_new(Arena *a, Scope *around, Node *node)
{
    Scope *s = NEW(a, Scope);
    if (s != NULL) {
        s->arena = a;
        s->around = around;
        s->node = node;
    }
    return s;
}

/* The place of the name in the table, or the one it would get. */
static uint32_t slot(const Scope *s, const char *name)
{
    uint32_t k = hash(name) & (s->room - 1);
    while (s->table[k] != NULL && !name_same(s->table[k]->name, name))
        k = (k + 1) & (s->room - 1);
    return k;
}

Symbol *scope_own(const Scope *s, const char *name)
{
    if (s->room > 0)
        return s->table[slot(s, name)];
    for (Symbol *k = s->first; k != NULL; k = k->next) {
        if (name_same(k->name, name))
            return k;
    }
    return NULL;
}

/* Makes a table that is at most half full with one more symbol. */
static bool make_room(Scope *s)
{
    uint32_t room = s->room == 0 ? 4 * FEW : 2 * s->room;
    Symbol **table;
    if (s->count < FEW || s->count + 1 <= s->room / 2)
        return true;
    table = NEW_ARRAY(s->arena, Symbol *, room);
    if (table == NULL)
        return false;
    s->table = table;
    s->room = room;
    for (Symbol *k = s->first; k != NULL; k = k->next)
        s->table[slot(s, k->name)] = k;
    return true;
}

static void append(Scope *s, Symbol *added)
{
    if (s->last == NULL)
        s->first = added;
    else
        s->last->next = added;
    s->last = added;
    s->count++;
    if (s->room > 0)
        s->table[slot(s, added->name)] = added;
}

Symbol *scope_add(Scope *s, const char *name, SymbolKind kind, Word type,
                  Node *node, Symbol **other)
{
    Symbol *added;
    *other = scope_own(s, name);
    if (*other != NULL || !make_room(s))
        return NULL;
    added = NEW(s->arena, Symbol);
    if (added == NULL)
        return NULL;
    added->name = name;
    added->shown = name;
    added->kind = kind;
    added->type = type;
    added->node = node;
    added->scope = s;
    added->order = s->count;
    append(s, added);
    return added;
}

Symbol *scope_find(const Scope *s, const char *name)
{
    for (; s != NULL; s = s->around) {
        Symbol *found = scope_own(s, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Names that occur only in places of their own are not candidates, nor are
   those that a macro has made up. */
static bool is_candidate(const Symbol *s)
{
    return s->shown == s->name && s->kind != SYMBOL_CALL &&
           s->kind != SYMBOL_LABEL && s->kind != SYMBOL_METHOD &&
           s->kind != SYMBOL_DISTRIBUTION && s->kind != SYMBOL_UNKNOWN;
}

const char *scope_nearest(const Scope *s, const char *name)
{
    const char *found = NULL;
    for (; s != NULL && found == NULL; s = s->around) {
        ArenaMark mark = arena_mark(s->arena);
        const char **names = NEW_ARRAY(s->arena, const char *, s->count + 1);
        size_t n = 0;
        if (names == NULL)
            return NULL;
        for (const Symbol *k = s->first; k != NULL; k = k->next) {
            if (is_candidate(k))
                names[n++] = k->name;
        }
        found = nearest_name(name, names, n);
        arena_rewind(s->arena, mark);
    }
    return found;
}

Symbol *scope_first(const Scope *s)
{
    return s->first;
}

Scope *scope_around(const Scope *s)
{
    return s->around;
}

const Node *scope_node(const Scope *s)
{
    return s->node;
}
