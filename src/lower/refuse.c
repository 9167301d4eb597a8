#include "lower/lowerer.h"

#include <ctype.h>

/* Constructs of the language that this version does not run. Each is reported
   at its first occurrence; what is inside it is not examined. */

typedef struct Refusal {
    NodeKind kind;
    Word word; // WORD_NONE: any
    uint32_t flags;
    const char *what;
} Refusal;

static const Refusal refusals[] = {
    {NODE_EXTERNAL_PROCESS, WORD_NONE, 0, "EXTERNAL PROCESS"},
    {NODE_SIMULATE, WORD_NONE, FLAG_REALTIME, "REALTIME"},
};

/* The word it begins with: enough to show its place. */
static Span first_word(const Lowerer *l, const Node *n)
{
    const Unit *u = l->unit;
    Span at = n->at;
    uint32_t length = 0;
    if (at.file != u->file)
        return at;
    while (length < at.length && at.start + length < u->length &&
           (isalnum((unsigned char)u->text[at.start + length]) ||
            u->text[at.start + length] == '_'))
        length++;
    if (length > 0)
        at.length = length;
    return at;
}

void refuse(Lowerer *l, const Node *n, const char *what)
{
    static const char reason[] = "this version runs equations, events, "
                                 "discrete processes and their experiments";
    l->refused = true;
    if (l->o && l->o->tolerant)
        unit_warning(l->unit, first_word(l, n), n->origin,
                     "%s is right, but cannot be run yet: %s", what, reason);
    else
        unit_error(l->unit, first_word(l, n), n->origin,
                   "%s is not possible yet: %s", what, reason);
}

static const Refusal *find(const Node *n)
{
    for (size_t k = 0; k < LENGTH(refusals); k++) {
        const Refusal *r = &refusals[k];
        if (r->kind == n->kind &&
            (r->word == WORD_NONE || r->word == n->word) &&
            (r->flags & n->flags) == r->flags)
            return r;
    }
    return NULL;
}

static void walk(Lowerer *l, const Node *n, bool *reported)
{
    const Refusal *r = find(n);
    if (r) {
        if (!reported[r - refusals])
            refuse(l, n, r->what);
        reported[r - refusals] = true;
        return;
    }
    for (const Node *k = n->first; k; k = k->next)
        walk(l, k, reported);
}

bool refuse_all(Lowerer *l, const Node *program)
{
    bool reported[LENGTH(refusals)] = {false};
    walk(l, program, reported);
    return l->refused;
}
