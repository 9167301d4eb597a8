#include "cli/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

enum { DEEPEST = 100 };

typedef struct Reader {
    Arena *arena;
    const char *at;
    int depth;
} Reader;

static void skip_space(Reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool takes(Reader *r, char c)
{
    skip_space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* One character behind a backslash; those of \u are shown as '?' beyond ASCII. */
static char escaped(Reader *r)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    char c = *r->at++;
    const char *known = strchr(from, c);
    if (c == 'u') {
        char digits[5] = {0};
        for (size_t k = 0; k < 4 && *r->at; k++)
            digits[k] = *r->at++;
        long code = strtol(digits, NULL, 16);
        return code > 0 && code < 128 ? (char)code : '?';
    }
    return known && c ? to[known - from] : c;
}

static const char *read_text(Reader *r)
{
    if (!takes(r, '"'))
        return NULL;
    size_t room = 1;
    while (r->at[room - 1] && r->at[room - 1] != '"')
        room += r->at[room - 1] == '\\' && r->at[room] ? 2u : 1u;
    char *text = NEW_ARRAY(r->arena, char, room);
    size_t n = 0;
    if (!text)
        return NULL;
    while (*r->at && *r->at != '"') {
        char c = *r->at++;
        text[n++] = c == '\\' && *r->at ? escaped(r) : c;
    }
    if (*r->at != '"')
        return NULL;
    r->at++;
    text[n] = '\0';
    return text;
}

static Tree *read_value(Reader *r);

static bool read_members(Reader *r, Tree *t, char end)
{
    const Tree **last = &t->first;
    if (takes(r, end))
        return true;
    do {
        const char *name = NULL;
        if (t->kind == TREE_OBJECT) {
            name = read_text(r);
            if (!name || !takes(r, ':'))
                return false;
        }
        Tree *value = read_value(r);
        if (!value)
            return false;
        value->name = name;
        *last = value;
        last = &value->next;
        t->count++;
    } while (takes(r, ','));
    return takes(r, end);
}

static bool read_word(Reader *r, Tree *t)
{
    static const char *const words[] = {"null", "false", "true"};
    char *end;
    for (size_t k = 0; k < LENGTH(words); k++)
        if (strncmp(r->at, words[k], strlen(words[k])) == 0) {
            r->at += strlen(words[k]);
            t->kind = (TreeKind)k;
            return true;
        }
    t->kind = TREE_NUMBER;
    t->number = strtod(r->at, &end);
    bool any = end != r->at;
    r->at = end;
    return any;
}

static bool read_string(Reader *r, Tree *t)
{
    char *end;
    t->kind = TREE_TEXT;
    t->text = read_text(r);
    if (!t->text)
        return false;
    double number = strtod(t->text, &end);
    if (end != t->text && *end == '\0')
        t->number = number;
    return true;
}

static Tree *read_value(Reader *r)
{
    Tree *t = NEW(r->arena, Tree);
    bool good;
    if (!t || r->depth >= DEEPEST)
        return NULL;
    r->depth++;
    t->number = NAN;
    skip_space(r);
    if (takes(r, '{')) {
        t->kind = TREE_OBJECT;
        good = read_members(r, t, '}');
    } else if (takes(r, '[')) {
        t->kind = TREE_LIST;
        good = read_members(r, t, ']');
    } else {
        good = *r->at == '"' ? read_string(r, t) : read_word(r, t);
    }
    r->depth--;
    return good ? t : NULL;
}

const Tree *tree_read(Arena *a, const char *text)
{
    Reader r = {.arena = a, .at = text};
    const Tree *t = read_value(&r);
    skip_space(&r);
    return *r.at == '\0' ? t : NULL;
}

const Tree *tree_get(const Tree *t, const char *name)
{
    for (const Tree *k = t ? t->first : NULL; k; k = k->next)
        if (k->name && strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

double tree_number(const Tree *t, const char *name)
{
    const Tree *k = tree_get(t, name);
    return k ? k->number : NAN;
}

const char *tree_text(const Tree *t, const char *name)
{
    const Tree *k = tree_get(t, name);
    return k && k->text ? k->text : "";
}
