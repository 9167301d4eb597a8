#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "check/symbol.h"
#include "hunt/change.h"

enum { MOST_EQUATIONS = 200 };

/* Consecutive equations of one list. */
typedef struct Group {
    Change *c;
    const Node *equation[MOST_EQUATIONS];
    uint32_t count;
    Edits edits;
    bool done;
} Group;

static bool in_parallel(const Node *parent)
{
    switch (parent->kind) {
    case NODE_CONTINUOUS:
    case NODE_MODEL:
    case NODE_BRANCH:
    case NODE_BLOCK: return true;
    default: return false;
    }
}

/* The equations that were written directly in a list. */
static void gather(Group *g, const Node *list)
{
    g->count = 0;
    for (const Node *n = list->first; n && g->count < MOST_EQUATIONS;
         n = n->next)
        if (n->kind == NODE_EQUATION && program_wrote(g->c->program, n))
            g->equation[g->count++] = n;
}

static Span place(const Group *g, uint32_t k)
{
    assert(k < g->count);
    return program_span(g->c->program, g->equation[k]);
}

/* ---- Order --------------------------------------------------------------- */

static void visit_shuffle(const Node *n, const Node *parent, void *context)
{
    Group *g = context;
    uint32_t order[MOST_EQUATIONS];
    if (n->kind != NODE_LIST || !parent || !in_parallel(parent))
        return;
    gather(g, n);
    if (g->count < 2)
        return;
    for (uint32_t k = 0; k < g->count; k++)
        order[k] = k;
    for (uint32_t k = g->count - 1; k > 0; k--) {
        uint32_t j = (uint32_t)(hunt_random(g->c->hunt) % (k + 1));
        uint32_t kept = order[k];
        order[k] = order[j];
        order[j] = kept;
    }
    for (uint32_t k = 0; k < g->count; k++)
        if (order[k] != k)
            edits_replace(
                &g->edits, g->c->arena, place(g, k),
                program_text(g->c->program, g->c->arena, place(g, order[k])));
}

const char *change_shuffle(Change *c)
{
    Group g = {.c = c};
    program_walk(c->program, visit_shuffle, &g);
    return change_apply(c, &g.edits);
}

/* ---- MODEL and MACRO ----------------------------------------------------- */

/* The first consecutive equations of the first list of CONTINUOUS: at least
   two, but not all of them. */
static void visit_first(const Node *n, const Node *parent, void *context)
{
    Group *g = context;
    if (g->done || n->kind != NODE_LIST || !parent ||
        parent->kind != NODE_CONTINUOUS)
        return;
    g->count = 0;
    uint32_t all = 0;
    for (const Node *e = n->first; e; e = e->next) {
        bool fits = e->kind == NODE_EQUATION &&
                    program_wrote(g->c->program, e) &&
                    g->count < MOST_EQUATIONS;
        if (fits && all == g->count)
            g->equation[g->count++] = e;
        all += e->kind != NODE_NONE;
    }
    if (g->count >= 2)
        g->count = g->count == 2 ? 2 : g->count / 2 + 1;
    g->done = g->count >= 2;
}

static Span whole(const Group *g)
{
    return span_join(place(g, 0), place(g, g->count - 1));
}

/* The place after the heading of the program, where a MACRO may stand. */
static bool after_heading(const Program *p, Span *at)
{
    const Tokens *t = &p->unit.tokens;
    for (uint32_t k = 0; k + 1 < t->count; k++)
        if (t->token[k].word == WORD_SEMICOLON) {
            *at = t->token[k].at;
            return t->token[k + 1].word != WORD_PROJECT;
        }
    return false;
}

const char *change_macro(Change *c)
{
    Group g = {.c = c};
    Span at;
    program_walk(c->program, visit_first, &g);
    if (!g.done || !after_heading(c->program, &at))
        return change_refuse(c, "no two equations follow each other");
    for (uint32_t k = 0; k < c->program->unit.tokens.count; k++)
        if (c->program->unit.tokens.token[k].kind == TOKEN_INSERT)
            return change_refuse(c, "equations have insertions of macros");
    edits_after(&g.edits, c->arena, at,
                text_format(c->arena, " MACRO HUNT_EQUATIONS(); %s MACEND; ",
                            program_text(c->program, c->arena, whole(&g))));
    edits_replace(&g.edits, c->arena, whole(&g), "HUNT_EQUATIONS()");
    return change_apply(c, &g.edits);
}

/* The variable that a side of an equation is, if it is one. */
static const Symbol *unknown_of(const Node *side)
{
    while (side->kind == NODE_INDEX || side->kind == NODE_DERIVATIVE)
        side = side->first;
    return side->kind == NODE_NAME ? side->symbol : NULL;
}

typedef struct Interface {
    const Symbol *output[MOST_EQUATIONS], *input[MOST_EQUATIONS];
    uint32_t outputs, inputs;
    bool wrong;
} Interface;

static bool listed(const Symbol *const *list, uint32_t n, const Symbol *s)
{
    for (uint32_t k = 0; k < n; k++)
        if (list[k] == s)
            return true;
    return false;
}

/* Constants and states need not be in the interface of a MODEL. */
static void find_inputs(Interface *i, const Node *n)
{
    const Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    if (s && s->kind == SYMBOL_VARIABLE && s->node && s->type != WORD_STATE &&
        !listed(i->output, i->outputs, s) && !listed(i->input, i->inputs, s)) {
        if (i->inputs == MOST_EQUATIONS)
            i->wrong = true;
        else
            i->input[i->inputs++] = s;
    }
    for (const Node *c = n->first; c; c = c->next)
        find_inputs(i, c);
}

static void find_outputs(Interface *i, const Group *g)
{
    for (uint32_t k = 0; k < g->count; k++) {
        const Symbol *s = unknown_of(g->equation[k]->first);
        if (!s || s->kind != SYMBOL_VARIABLE)
            i->wrong = true;
        else if (s->type != WORD_STATE && !listed(i->output, i->outputs, s))
            i->output[i->outputs++] = s;
    }
}

static void print_list(Buffer *b, const Symbol *const *list, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b, "%s%s", k ? ", " : "", list[k]->name);
}

const char *change_model(Change *c)
{
    Group g = {.c = c};
    Interface i = {0};
    Buffer b = {0};
    program_walk(c->program, visit_first, &g);
    if (!g.done)
        return change_refuse(c, "no two equations follow each other");
    find_outputs(&i, &g);
    for (uint32_t k = 0; k < g.count; k++)
        find_inputs(&i, g.equation[k]);
    if (i.wrong)
        return change_refuse(c, "an equation is not solved for its left side");
    buffer_text(&b, "MODEL HUNT_MODEL (");
    print_list(&b, i.output, i.outputs);
    buffer_text(&b, " <- ");
    print_list(&b, i.input, i.inputs);
    buffer_format(&b, "); %s END",
                  program_text(c->program, c->arena, whole(&g)));
    edits_replace(&g.edits, c->arena, whole(&g),
                  text_format(c->arena, "%s", buffer_string(&b)));
    buffer_free(&b);
    return change_apply(c, &g.edits);
}
