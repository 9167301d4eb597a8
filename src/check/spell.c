#include "check/spell.h"

#include <string.h>

#include "check/agree.h"
#include "expand/expand.h"

#define SPELLING_ROOM 40 // longer expressions are called "this sum"

typedef struct Spelling {
    Unit *unit;
    char text[SPELLING_ROOM + 1];
    size_t n;
    bool alone; // nothing but a number and its sign
    bool full;
} Spelling;

static void spell_text(Spelling *s, const char *text)
{
    size_t n = strlen(text);
    if (s->full || n > SPELLING_ROOM - s->n) {
        s->full = true;
        return;
    }
    memcpy(s->text + s->n, text, n + 1);
    s->n += n;
}

static void spell(Spelling *s, const Node *n);

static void spell_list(Spelling *s, const Node *list)
{
    for (const Node *n = list->first; n != NULL && !s->full; n = n->next) {
        spell(s, n->kind == NODE_ACTUAL ? n->first : n);
        if (n->next != NULL)
            spell_text(s, ", ");
    }
}

static void spell_binary(Spelling *s, const Node *n)
{
    bool tight = n->word == WORD_TIMES || n->word == WORD_SLASH ||
                 n->word == WORD_POWER || n->word == WORD_CARET;
    spell(s, n->first);
    spell_text(s, tight ? "" : " ");
    spell_text(s, word_text(n->word));
    spell_text(s, tight ? "" : " ");
    spell(s, n->last);
}

/* A number alone is followed by its unit anyway. */
static void spell_literal(Spelling *s, const Node *n)
{
    spell_text(s, n->text);
    if (s->alone || n->first == NULL || n->first->kind != NODE_UNIT)
        return;
    spell_text(s, " [");
    spell_text(s, n->first->text);
    spell_text(s, "]");
}

static void spell_inside(Spelling *s, const Node *n)
{
    switch (n->kind) {
    case NODE_NAME:
        spell_text(s, expand_written(s->unit, n->text, n->origin));
        break;
    case NODE_INTEGER:
    case NODE_NUMBER: spell_literal(s, n); break;
    case NODE_UNARY:
        spell_text(s, word_text(n->word));
        spell(s, n->first);
        break;
    case NODE_BINARY: spell_binary(s, n); break;
    case NODE_INDEX:
        spell(s, n->first);
        spell_text(s, "[");
        spell_list(s, n->last);
        spell_text(s, "]");
        break;
    case NODE_SELECT:
        spell(s, n->first);
        spell_text(s, ".");
        spell(s, n->last);
        break;
    case NODE_DERIVATIVE:
        spell(s, n->first);
        for (int64_t k = 0; k < n->integer && !s->full; k++)
            spell_text(s, "'");
        break;
    case NODE_CALL:
        spell(s, n->first);
        spell_text(s, "(");
        spell_list(s, n->last->first);
        spell_text(s, ")");
        break;
    default: // a declaration, an item of a list: its name
        if (n->text != NULL)
            spell_text(s, n->text);
        else
            s->full = true;
    }
}

/* Spells the expression as it was written, without conversions. */
static void spell(Spelling *s, const Node *n)
{
    while ((n->flags & FLAG_CONVERTED) != 0 && n->kind == NODE_BINARY)
        n = n->first;
    bool paren = (n->flags & FLAG_PAREN) != 0 && s->n > 0;
    if (s->full || n->height > SPELLING_ROOM) {
        s->full = true;
        return;
    }
    if (paren)
        spell_text(s, "(");
    spell_inside(s, n);
    if (paren)
        spell_text(s, ")");
}

static const char *kind_of(const Node *n)
{
    switch (n->kind) {
    case NODE_CHOOSE: return "this IF";
    case NODE_CALL: return "this value";
    case NODE_BINARY: break;
    default: return "this";
    }
    switch (n->word) {
    case WORD_PLUS: return "this sum";
    case WORD_MINUS: return "this difference";
    case WORD_TIMES: return "this product";
    case WORD_SLASH: return "this quotient";
    case WORD_POWER:
    case WORD_CARET: return "this power";
    default: return "this value";
    }
}

void spell_value(Unit *u, Buffer *b, const Node *n)
{
    Spelling s = {.unit = u};
    const Node *inside = n;
    while (inside->kind == NODE_UNARY)
        inside = inside->first;
    s.alone = is_literal(inside);
    spell(&s, n);
    if (s.full || s.n == 0)
        buffer_text(b, kind_of(n));
    else
        buffer_format(b, "`%s`", s.text);
}

bool spell_same(Unit *u, const Node *a, const Node *b)
{
    Spelling x = {.unit = u}, y = {.unit = u};
    spell(&x, a);
    spell(&y, b);
    return !x.full && !y.full && strcmp(x.text, y.text) == 0;
}
