#include "check/xref.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "expand/macro.h"

typedef struct Walk {
    Unit *u;
    Checker c; // for finding the place of a name
    Vector *out;
    bool broken;
} Walk;

/* The surroundings of a node. */
typedef struct Context {
    const char *place;
    XrefUse use;
} Context;

static const char *keep(Walk *w, const char *before, const char *name)
{
    size_t n = strlen(before) + strlen(name) + 2;
    char *text = NEW_ARRAY(w->u->arena, char, n);
    if (text == NULL) {
        w->broken = true;
        return before;
    }
    snprintf(text, n, "%s %s", before, name);
    return text;
}

/* ---- Mentions ------------------------------------------------------------ */

/* The lines of the calls that the node came through. An actual has the place of
   its formal, and its origin knows its place in the call. */
static void add_calls(const Walk *w, uint32_t origin, Mention *m)
{
    const Origins *o = &w->u->origins;
    uint32_t lines[XREF_CALLS], n = 0;
    for (; origin != 0 && origin < o->count;
         origin = o->origin[origin].parent) {
        if (n == XREF_CALLS) // the innermost are dropped
            memmove(lines, lines + 1, (--n) * sizeof *lines);
        lines[n++] = unit_line(w->u, o->origin[origin].call);
    }
    assert(n <= XREF_CALLS);
    m->calls = n;
    for (uint32_t k = 0; k < n; k++)
        m->call[k] = lines[n - 1 - k];
}

static const char *without_article(const char *words)
{
    static const char *const articles[] = {"a ", "an ", "the "};
    for (size_t k = 0; k < LENGTH(articles); k++)
        if (strncmp(words, articles[k], strlen(articles[k])) == 0)
            return words + strlen(articles[k]);
    return words;
}

/* "STATE", "REAL variable of PROCEDURE FILL" */
static const char *what_is(Walk *w, const Symbol *s)
{
    const char *what = without_article(symbol_words(s));
    const Node *around = scope_node(s->scope);
    if (around == NULL || around->kind == NODE_PROGRAM ||
        s->kind == SYMBOL_LOOP || around->text == NULL ||
        around->text[0] == '\0')
        return what;
    return keep(w, keep(w, what, "of"),
                keep(w,
                     around->kind == NODE_TYPE_ITEM ? "RECORD"
                                                    : node_words(around->kind),
                     around->text));
}

static const char *unit_of(const Symbol *s)
{
    const Node *n = s->node;
    for (const Node *k = n->first; k != NULL; k = k->next)
        if (k->kind == NODE_UNIT && k->text != NULL)
            return k->text;
    return "";
}

static void add(Walk *w, const Mention *m)
{
    Mention own = *m;
    own.order = (uint32_t)(w->out->used / sizeof own);
    if (!vector_append(w->out, &own, sizeof own))
        w->broken = true;
}

static void mention(Walk *w, const Node *n, XrefUse use, const char *place)
{
    const Symbol *s = n->symbol;
    if (s == NULL || s->node == NULL || s->kind == SYMBOL_UNKNOWN)
        return;
    Mention m = {.symbol = s,
                 .name = s->name,
                 .what = what_is(w, s),
                 .unit = unit_of(s),
                 .use = use,
                 .place = place,
                 .line = unit_line(w->u, name_span(&w->c, n))};
    add_calls(w, n->origin, &m);
    add(w, &m);
}

/* ---- The tree ------------------------------------------------------------ */

static void visit(Walk *w, const Node *n, Context at);

static void visit_all(Walk *w, const Node *first, Context at)
{
    for (const Node *k = first; k != NULL; k = k->next)
        visit(w, k, at);
}

static bool is_designator(const Node *n)
{
    return n->kind == NODE_NAME || n->kind == NODE_INDEX ||
           n->kind == NODE_SELECT || n->kind == NODE_DERIVATIVE;
}

/* The first child is set, the others are read. */
static void visit_setting(Walk *w, const Node *n, const char *place)
{
    visit(w, n->first,
          (Context){place, is_designator(n->first) ? XREF_SET : XREF_READ});
    visit_all(w, n->first->next, (Context){place, XREF_READ});
}

static const Node *formal_at(const Symbol *routine, uint32_t k)
{
    const Node *formals =
        routine == NULL || routine->body == NULL ? NULL : routine->body->first;
    if (formals == NULL || formals->kind != NODE_FORMALS)
        return NULL;
    return node_child(formals->first, k);
}

/* An actual of a VAR formal, or before <-, is set. */
static void visit_call(Walk *w, const Node *n, const char *place)
{
    const Node *actuals = n->last;
    const Symbol *s = n->first->symbol;
    uint32_t k = 0;
    visit(w, n->first, (Context){place, XREF_READ});
    if (actuals == n->first || actuals->kind != NODE_ACTUALS) {
        visit_all(w, n->first->next, (Context){place, XREF_READ});
        return;
    }
    for (const Node *a = actuals->first->first; a != NULL; a = a->next, k++) {
        const Node *formal = formal_at(s, k);
        bool set = (actuals->flags & FLAG_ARROW) != 0 ||
                   (formal != NULL && (formal->flags & FLAG_VAR) != 0);
        bool plain = a->kind == NODE_ACTUAL && is_designator(a->first);
        visit_all(w, a->kind == NODE_ACTUAL ? a->first : a,
                  (Context){place, set && plain ? XREF_SET : XREF_READ});
        if (a->kind != NODE_ACTUAL) // visit_all continues to the end
            break;
    }
    visit_all(w, actuals->first->next, (Context){place, XREF_READ});
}

/* A node that has a name of its own, which is not declared here. */
static void visit_named(Walk *w, const Node *n)
{
    switch (n->kind) {
    case NODE_NAME: break;
    case NODE_RANDOM_ITEM: mention(w, n, XREF_SET, "RANDOMGEN"); break;
    case NODE_START: mention(w, n, XREF_READ, "PROCESSES"); break;
    case NODE_TIMEPERS_ITEM:
    case NODE_HISTOGRAM_ITEM:
        mention(w, n, XREF_READ, node_words(n->kind));
        break;
    case NODE_EVENT:
    case NODE_SAMPLE_BODY:
    case NODE_MODEL:
    case NODE_FUNCTION:
    case NODE_PROCEDURE:
    case NODE_DISCRETE_PROCESS:
    case NODE_CONTINUOUS_PROCESS: mention(w, n, XREF_SET, "body"); break;
    default: break;
    }
}

/* The place that a node gives to everything inside it, or NULL. */
static const char *place_of(Walk *w, const Node *n)
{
    switch (n->kind) {
    case NODE_EVENT: return keep(w, "event", n->text);
    case NODE_SAMPLE_BODY: return keep(w, "sample", n->text);
    case NODE_FUNCTION:
    case NODE_PROCEDURE: return keep(w, node_words(n->kind), n->text);
    case NODE_DISCRETE_PROCESS:
    case NODE_CONTINUOUS_PROCESS: return keep(w, "PROCESS", n->text);
    case NODE_VAR_PART:
    case NODE_CONST_ITEM: return "declaration";
    case NODE_EQUATION: return "equation";
    case NODE_STORE_PART:
    case NODE_INITIAL:
    case NODE_TERMINAL:
    case NODE_CONTINUOUS:
    case NODE_EXPERIMENT:
    case NODE_OUTPUT:
    case NODE_CONDIT:
    case NODE_FINISH_WHEN:
    case NODE_IMPLICIT:
    case NODE_COMMUNIC:
    case NODE_PROCEDURAL:
    case NODE_SCHEDULE:
    case NODE_CANCEL:
    case NODE_INSERT:
    case NODE_REMOVE:
    case NODE_FIND:
    case NODE_GENERATE:
    case NODE_WAIT:
    case NODE_COLLECT:
    case NODE_INTEGRAT:
    case NODE_SIMULATE:
    case NODE_REPLICATE:
    case NODE_RANDOMGEN:
    case NODE_UNCERTAIN:
    case NODE_SWEEP: return node_words(n->kind);
    case NODE_SETTINGS:
    case NODE_SHOW:
    case NODE_SHOW_FIELD:
    case NODE_SEIZE:
    case NODE_SEIZE_ANY:
    case NODE_RESOURCE:
    case NODE_STORAGE_USE:
    case NODE_TRANSACTION:
        return n->word == WORD_NONE ? NULL : word_text(n->word);
    default: return NULL;
    }
}

/* Conditions of INITCOND set nothing: they are read like any expression. */
static void visit_settings(Walk *w, const Node *n, const char *place)
{
    for (const Node *k = n->first->first; k != NULL; k = k->next) {
        if (k->kind == NODE_EQUATION)
            visit_all(w, k->first, (Context){place, XREF_READ});
        else
            visit(w, k, (Context){place, XREF_READ});
    }
}

static void visit(Walk *w, const Node *n, Context at)
{
    const char *place = place_of(w, n);
    if (n->symbol != NULL && n->symbol->node == n)
        mention(w, n, XREF_DECLARED, "");
    else if (n->symbol != NULL)
        visit_named(w, n);
    if (place != NULL)
        at.place = place;
    switch (n->kind) {
    case NODE_NAME:
        if (n->symbol != NULL && n->symbol->node != n)
            mention(w, n, at.use, at.place);
        break;
    case NODE_INDEX:
        visit(w, n->first, at);
        visit_all(w, n->first->next, (Context){at.place, XREF_READ});
        break;
    case NODE_SELECT:
        visit(w, n->first, (Context){at.place, XREF_READ});
        visit_all(w, n->first->next, at);
        break;
    case NODE_DERIVATIVE: visit_all(w, n->first, at); break;
    case NODE_CALL: visit_call(w, n, at.place); break;
    case NODE_SETTINGS: visit_settings(w, n, at.place); break;
    case NODE_EQUATION:
    case NODE_ASSIGN:
    case NODE_SETTING:
    case NODE_SWEEP_ITEM:
    case NODE_UNCERTAIN_ITEM:
    case NODE_PRESET:
    case NODE_START_VALUE:
    case NODE_CONDIT:
    case NODE_SCHEDULE:
    case NODE_FIND:
    case NODE_GENERATE:
    case NODE_SEIZE_ANY: visit_setting(w, n, at.place); break;
    default: visit_all(w, n->first, (Context){at.place, XREF_READ}); break;
    }
}

/* ---- Macros -------------------------------------------------------------- */

static void add_macro_mention(Walk *w, const char *name, const char *what,
                              XrefUse use, Span at, uint32_t origin)
{
    Mention m = {.name = name,
                 .what = what,
                 .unit = "",
                 .use = use,
                 .place = use == XREF_READ ? "call" : "",
                 .line = unit_line(w->u, at)};
    add_calls(w, origin, &m);
    add(w, &m);
}

static void add_macros(Walk *w)
{
    const Tokens *t = &w->u->tokens;
    const Origins *o = &w->u->origins;
    for (uint32_t k = 0; k + 1 < t->count; k++)
        if (t->token[k].word == WORD_MACRO &&
            t->token[k + 1].kind == TOKEN_NAME)
            add_macro_mention(w, t->token[k + 1].text, "MACRO", XREF_DECLARED,
                              t->token[k + 1].at, 0);
    for (uint32_t k = 1; k < o->count; k++)
        if (!macro_is_actual(&o->origin[k]))
            add_macro_mention(w, o->origin[k].macro, "MACRO", XREF_READ,
                              o->origin[k].call, o->origin[k].parent);
    for (uint32_t k = 0; k < w->u->call_count; k++) {
        const CallName *c = &w->u->calls[k];
        add_macro_mention(w, c->name, keep(w, "call of MACRO", c->macro),
                          XREF_DECLARED, c->at, c->origin);
    }
}

/* ---- Order --------------------------------------------------------------- */

static int compare_names(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = *a >= 'a' && *a <= 'z' ? *a - 32 : *a;
        int y = *b >= 'a' && *b <= 'z' ? *b - 32 : *b;
        if (x != y || x == 0)
            return x - y;
    }
}

static int compare_symbols(const Mention *a, const Mention *b)
{
    int order = compare_names(a->name, b->name);
    if (order == 0 && a->symbol != b->symbol) {
        Span x = a->symbol == NULL ? (Span){0} : a->symbol->node->at;
        Span y = b->symbol == NULL ? (Span){0} : b->symbol->node->at;
        order = x.start < y.start ? -1 : x.start > y.start;
        if (order == 0)
            order = strcmp(a->what, b->what);
    }
    return order;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
    const Mention *a = left, *b = right;
    int order = compare_symbols(a, b);
    if (order == 0)
        order = compare_numbers(a->use, b->use);
    if (order == 0)
        order = compare_numbers(a->line, b->line);
    for (uint32_t k = 0; order == 0 && k < a->calls && k < b->calls; k++)
        order = compare_numbers(a->call[k], b->call[k]);
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

static bool is_same(const Mention *a, const Mention *b)
{
    return compare_symbols(a, b) == 0 && a->use == b->use &&
           a->line == b->line && a->calls == b->calls &&
           memcmp(a->call, b->call, a->calls * sizeof *a->call) == 0 &&
           strcmp(a->place, b->place) == 0;
}

/* A name may occur in a line several times. */
static void drop_repeated(Vector *v)
{
    Mention *m = (Mention *)(void *)v->bytes;
    size_t n = v->used / sizeof *m, kept = 0;
    for (size_t k = 0; k < n; k++) {
        bool repeated = false;
        for (size_t j = kept; j-- > 0 && !repeated && m[j].line == m[k].line &&
                              m[j].use == m[k].use;)
            repeated = is_same(&m[j], &m[k]);
        if (!repeated)
            m[kept++] = m[k];
    }
    assert(kept <= n);
    v->used = kept * sizeof *m;
}

bool xref_collect(Unit *u, Vector *mentions)
{
    Walk w = {.u = u, .c = {.unit = u}, .out = mentions};
    assert(u->program != NULL && u->diags->errors == 0);
    visit(&w, u->program, (Context){"", XREF_READ});
    add_macros(&w);
    if (mentions->used > 0)
        qsort(mentions->bytes, mentions->used / sizeof(Mention),
              sizeof(Mention), compare);
    drop_repeated(mentions);
    return !w.broken;
}
