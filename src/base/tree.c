#include "base/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

enum { DEEPEST = 40 }; // depth of nesting

typedef struct Reader {
    Arena *arena;
    const char *at, *end;
} Reader;

static Tree *read_value(Reader *r, int depth);

static void skip_blanks(Reader *r)
{
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4))
        r->at++;
}

static bool take(Reader *r, char ch)
{
    skip_blanks(r);
    if (r->at >= r->end || *r->at != ch)
        return false;
    r->at++;
    return true;
}

/* ---- Texts ---------------------------------------------------------------- */

/* Value of four hexadecimal digits. */
static uint32_t read_code(Reader *r)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t code = 0;
    for (int k = 0; k < 4 && r->at < r->end; k++, r->at++) {
        const char *d = strchr(digits, *r->at | 0x20);
        code = 16 * code + (d && *d ? (uint32_t)(d - digits) : 0);
    }
    return code;
}

static char *put_code(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Called after the backslash. */
static char *read_escape(Reader *r, char *to)
{
    static const char from[] = "nrtbf", meaning[] = "\n\r\t\b\f";
    char ch = *r->at++;
    const char *k = strchr(from, ch);
    if (ch == 'u')
        return put_code(to, read_code(r));
    *to++ = k && *k ? meaning[k - from] : ch;
    return to;
}

/* Called after the opening quote. No escape is shorter than what it stands
   for. */
static const char *read_string(Reader *r)
{
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= r->end)
        return NULL;
    char *text = arena_alloc(r->arena, (size_t)(close - r->at) + 1, 1);
    if (!text)
        return NULL;
    char *to = text;
    while (r->at < close) {
        char ch = *r->at++;
        if (ch == '\\')
            to = read_escape(r, to);
        else
            *to++ = ch;
    }
    *to = '\0';
    r->at = close + 1;
    return text;
}

/* ---- Values ---------------------------------------------------------------- */

/* The number that the whole text is; NaN if it is not one. */
static double number_of(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    return *text && strchr("+-.0123456789", *text) && *end == '\0' ? number
                                                                   : NAN;
}

/* A number, or one of the three words. */
static bool read_plain(Reader *r, Tree *t)
{
    static const char *const words[] = {"null", "false", "true"};
    char text[64]; // numbers are shorter
    size_t n = 0, left = (size_t)(r->end - r->at);
    while (n < left && r->at[n] && !strchr(" \t\r\n,]}", r->at[n]))
        n++;
    if (n == 0 || n >= sizeof text)
        return false;
    memcpy(text, r->at, n);
    text[n] = '\0';
    r->at += n;
    for (size_t k = 0; k < LENGTH(words); k++)
        if (strcmp(text, words[k]) == 0) {
            t->kind = (TreeKind)k;
            return true;
        }
    t->kind = TREE_NUMBER;
    t->number = number_of(text);
    return !isnan(t->number);
}

/* Reads members up to the closing bracket. */
static bool read_members(Reader *r, Tree *t, int depth)
{
    char close = t->kind == TREE_OBJECT ? '}' : ']';
    const Tree **last = &t->first;
    if (take(r, close))
        return true;
    do {
        const char *name = NULL;
        if (t->kind == TREE_OBJECT &&
            (!take(r, '"') || !(name = read_string(r)) || !take(r, ':')))
            return false;
        Tree *member = read_value(r, depth + 1);
        if (!member)
            return false;
        member->name = name;
        *last = member;
        last = &member->next;
        t->count++;
    } while (take(r, ','));
    return take(r, close);
}

static Tree *read_value(Reader *r, int depth)
{
    Tree *t = depth < DEEPEST ? NEW(r->arena, Tree) : NULL;
    bool right = false;
    if (!t)
        return NULL;
    t->number = NAN;
    if (take(r, '{') || take(r, '[')) {
        t->kind = r->at[-1] == '{' ? TREE_OBJECT : TREE_LIST;
        right = read_members(r, t, depth);
    } else if (take(r, '"')) {
        t->kind = TREE_TEXT;
        t->text = read_string(r);
        right = t->text != NULL;
        t->number = right ? number_of(t->text) : NAN;
    } else {
        right = read_plain(r, t);
    }
    return right ? t : NULL;
}

const Tree *tree_read_part(Arena *a, const char *text, size_t length,
                           size_t *used)
{
    Reader r = {a, text, text + length};
    const Tree *t = read_value(&r, 0);
    *used = (size_t)(r.at - text);
    return t;
}

const Tree *tree_read(Arena *a, const char *text)
{
    size_t used;
    const Tree *t = tree_read_part(a, text, strlen(text), &used);
    return text[used + strspn(text + used, " \t\r\n")] == '\0' ? t : NULL;
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
