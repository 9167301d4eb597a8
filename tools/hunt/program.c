#define _DEFAULT_SOURCE // d_type
#include "hunt/program.h"

#include <assert.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check/check.h"
#include "expand/expand.h"
#include "expand/parts.h"

const char *text_format(Arena *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = n < 0 ? NULL : NEW_ARRAY(a, char, (size_t)n + 1);
    if (!text)
        return "";
    va_start(arguments, format);
    vsnprintf(text, (size_t)n + 1, format, arguments);
    va_end(arguments);
    return text;
}

static const char *text_part(Arena *a, const char *from, size_t n)
{
    char *text = NEW_ARRAY(a, char, n + 1);
    if (!text)
        return "";
    memcpy(text, from, n);
    return text;
}

/* ---- Finding ------------------------------------------------------------- */

typedef struct Search {
    Arena *arena;
    const char *source;
    Program *found;
} Search;

static void found_one(Search *s, const char *name, const char *folder,
                      const char *text)
{
    Program *p = NEW(s->arena, Program), **at = &s->found;
    if (!p || !text)
        return;
    p->name = name;
    p->folder = folder;
    p->text = text;
    while (*at && strcmp((*at)->name, name) < 0)
        at = &(*at)->next;
    p->next = *at;
    *at = p;
}

/* The programs of a page. */
static void read_page(Search *s, const char *name, const char *folder,
                      const char *text)
{
    static const char fence[] = "```";
    unsigned number = 0;
    const char *begin = NULL, *next;
    for (const char *line = text; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(line, fence, 3) != 0)
            continue;
        if (begin) {
            found_one(s, text_format(s->arena, "%s#%02u", name, ++number),
                      folder,
                      text_part(s->arena, begin, (size_t)(line - begin)));
            begin = NULL;
        } else if (strncmp(line + 3, "cosy", 4) == 0) {
            begin = next;
        } else { // a block of something else: skip to its end
            const char *end = strstr(next, "\n```");
            next = end ? end + 4 + strcspn(end + 4, "\n") : "";
        }
    }
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static void search_folder(Search *s, const char *below)
{
    const char *folder = text_format(s->arena, "%s/%s", s->source, below);
    struct stat st;
    struct dirent *entry;
    DIR *d = opendir(folder);
    if (!d)
        return;
    while ((entry = readdir(d)) != NULL) {
        const char *name = text_format(s->arena, "%s/%s", below, entry->d_name);
        const char *path = text_format(s->arena, "%s/%s", s->source, name);
        if (entry->d_name[0] == '.' || stat(path, &st) != 0)
            continue;
        bool page = strncmp(below, "docs", 4) == 0;
        if (S_ISDIR(st.st_mode))
            search_folder(s, name);
        else if (ends_in(name, ".cosy"))
            found_one(s, name, folder, hunt_read(s->arena, path));
        else if (page && (ends_in(name, ".md") || ends_in(name, ".txt")))
            read_page(s, name, folder, hunt_read(s->arena, path));
    }
    closedir(d);
}

Program *programs_find(Arena *a, const char *source, const char *from)
{
    static const char *const folders[] = {"tests", "examples", "docs/manual",
                                          "docs/topics"};
    Search s = {.arena = a, .source = from ? from : source};
    if (from)
        search_folder(&s, ".");
    for (size_t k = 0; k < LENGTH(folders) && !from; k++)
        search_folder(&s, folders[k]);
    return s.found;
}

/* ---- Reading ------------------------------------------------------------- */

void program_read(Program *p, Arena *a)
{
    Unit *u = &p->unit;
    p->diags = (Diags){.arena = a};
    *u = (Unit){.arena = a,
                .diags = &p->diags,
                .name = p->name,
                .text = p->text,
                .length = strlen(p->text)};
    u->file = diags_add_file(&p->diags, p->name, p->text, u->length);
    p->right = lex(u) && expand(u, NULL, true) && parse(u) && u->program &&
               instantiate(u) && check(u) && p->diags.errors == 0;
}

static void walk(const Node *n, const Node *parent, ProgramVisit *visit,
                 void *context)
{
    visit(n, parent, context);
    for (const Node *c = n->first; c; c = c->next)
        walk(c, n, visit, context);
}

void program_walk(const Program *p, ProgramVisit *visit, void *context)
{
    assert(p->unit.program);
    walk(p->unit.program, NULL, visit, context);
}

bool program_has(const Program *p, const char *word)
{
    for (uint32_t k = 0; k < p->unit.tokens.count; k++) {
        const Token *t = &p->unit.tokens.token[k];
        if ((t->kind == TOKEN_NAME || t->kind == TOKEN_WORD) &&
            name_same(t->text, word))
            return true;
    }
    return false;
}

bool program_wrote(const Program *p, const Node *n)
{
    return n->origin == 0 && n->at.file == p->unit.file && n->at.length > 0;
}

/* Index of the first token that begins at or after `start`. */
static uint32_t token_at(const Tokens *t, uint32_t start)
{
    uint32_t low = 0, high = t->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->token[middle].at.start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The tree keeps no parentheses: an operation begins where its first operand
   does, after any `(`. */
Span program_span(const Program *p, const Node *n)
{
    const Tokens *t = &p->unit.tokens;
    uint32_t first = token_at(t, n->at.start);
    uint32_t end = token_at(t, n->at.start + n->at.length);
    int depth = 0, least = 0;
    for (uint32_t k = first; k < end; k++) {
        depth += t->token[k].word == WORD_LPAREN;
        depth -= t->token[k].word == WORD_RPAREN;
        least = depth < least ? depth : least;
    }
    depth -= least;
    while (least < 0 && first > 0 && t->token[first - 1].word == WORD_LPAREN) {
        first--;
        least++;
    }
    while (depth > 0 && t->token[end].word == WORD_RPAREN) {
        end++;
        depth--;
    }
    return end > first ? span_join(t->token[first].at, t->token[end - 1].at)
                       : n->at;
}

const char *program_text(const Program *p, Arena *a, Span at)
{
    assert((size_t)at.start + at.length <= p->unit.length);
    return text_part(a, p->text + at.start, at.length);
}

/* ---- Changing ------------------------------------------------------------ */

static void edits_add(Edits *e, Arena *a, Edit one)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (e->edit[k].start == one.start && e->edit[k].length == one.length &&
            strcmp(e->edit[k].text, one.text) == 0)
            return;
    if (e->count == e->room) {
        uint32_t room = e->room ? 2 * e->room : 64;
        Edit *more = NEW_ARRAY(a, Edit, room);
        if (!more)
            return;
        if (e->count > 0)
            memcpy(more, e->edit, e->count * sizeof *more);
        e->edit = more;
        e->room = room;
    }
    one.order = e->count;
    e->edit[e->count++] = one;
}

void edits_replace(Edits *e, Arena *a, Span at, const char *text)
{
    edits_add(e, a, (Edit){at.start, at.length, 0, text});
}

void edits_before(Edits *e, Arena *a, Span at, const char *text)
{
    edits_add(e, a, (Edit){at.start, 0, 0, text});
}

void edits_after(Edits *e, Arena *a, Span at, const char *text)
{
    edits_add(e, a, (Edit){at.start + at.length, 0, 0, text});
}

static int by_place(const void *a, const void *b)
{
    const Edit *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

const char *edits_apply(Edits *e, Arena *a, const char *text)
{
    Buffer b = {0};
    size_t at = 0;
    bool clear = true;
    if (e->count > 0)
        qsort(e->edit, e->count, sizeof *e->edit, by_place);
    for (uint32_t k = 0; k < e->count && clear; k++) {
        const Edit *one = &e->edit[k];
        clear = one->start >= at;
        if (!clear)
            break;
        buffer_bytes(&b, text + at, one->start - at);
        buffer_text(&b, one->text);
        at = one->start + one->length;
    }
    const char *result = NULL;
    if (clear) {
        buffer_text(&b, text + at);
        result = text_format(a, "%s", buffer_string(&b));
    }
    buffer_free(&b);
    return result;
}
