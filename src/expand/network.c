#include "expand/instance.h"

#include <string.h>

/* Networks whose level nothing fixes: an electrical network without a ground. If
   equations speak of what is ACROSS only in differences, any number may be added to
   all of it, and no solution is the solution. The matrix of such a model is
   singular, but a modeller thinks of nodes and grounds.

   Elements of one array count as one variable here, so a mistake may remain for
   later passes to find, but what is reported is one. */

typedef struct Network {
    Flattener *f;
    Names names;   // of ACROSS variables
    Vector across; // Across
} Network;

typedef struct Across {
    const char *name, *part, *field; // "R1.P.V", "R1", "V"
    Span at;
    uint32_t origin;
    uint32_t up;
    bool fixed; // at the top of its network: something gives its level
} Across;

static Across *across(const Network *w, uint32_t k)
{
    return (Across *)(void *)w->across.bytes + k;
}

static uint32_t count(const Network *w)
{
    return (uint32_t)(w->across.used / sizeof(Across));
}

static uint32_t top(const Network *w, uint32_t k)
{
    while (across(w, k)->up != k)
        k = across(w, k)->up = across(w, across(w, k)->up)->up;
    return k;
}

static void join(Network *w, uint32_t a, uint32_t b)
{
    a = top(w, a);
    b = top(w, b);
    if (a == b)
        return;
    across(w, a)->fixed = across(w, a)->fixed || across(w, b)->fixed;
    across(w, b)->up = a;
}

/* The variable that a node names, or NAME_UNKNOWN. */
static uint32_t number_of(const Network *w, const Node *n)
{
    if (n->kind == NODE_INDEX)
        n = n->first;
    return n->kind == NODE_NAME && n->text ? names_find(&w->names, n->text)
                                           : NAME_UNKNOWN;
}

/* Both sides of a difference or an equation are of the network. */
static bool pair(Network *w, const Node *n)
{
    uint32_t a = number_of(w, n->first), b = number_of(w, n->last);
    if (a == NAME_UNKNOWN || b == NAME_UNKNOWN)
        return false;
    join(w, a, b);
    return true;
}

static void look(Network *w, const Node *n)
{
    uint32_t k = number_of(w, n);
    bool differs = n->kind == NODE_BINARY && n->word == WORD_MINUS;
    if (k != NAME_UNKNOWN)
        across(w, top(w, k))->fixed = true;
    if (k != NAME_UNKNOWN ||
        ((differs || n->kind == NODE_EQUATION) && pair(w, n)))
        return;
    for (const Node *m = n->first; m; m = m->next)
        look(w, m);
}

/* Only equations determine anything. */
static void find_equations(Network *w, const Node *n)
{
    if (n->kind == NODE_EQUATION) {
        look(w, n);
        return;
    }
    if (n->kind == NODE_COMMUNIC)
        return;
    if (n->kind == NODE_PROCEDURAL || n->kind == NODE_IMPLICIT)
        look(w, n);
    for (const Node *m = n->first; m; m = m->next)
        find_equations(w, m);
}

/* ---- Gathering ------------------------------------------------------------------ */

static bool is_network(const PortKind *kind)
{
    bool flows = false;
    for (const Node *m = kind->members ? kind->members->first : NULL; m;
         m = m->next)
        flows = flows || m->word == WORD_THROUGH;
    return flows;
}

static void add_port(Network *w, const Instance *i, const Port *p)
{
    if (!is_network(&p->kind))
        return;
    for (const Node *m = p->kind.members->first; m; m = m->next) {
        uint32_t k = count(w);
        Across a = {.name = flat_text(w->f, "%s.%s", p->path, m->text),
                    .part = i->path,
                    .field = m->text,
                    .at = p->slot->node->at,
                    .origin = i->origin,
                    .up = k};
        if (m->word == WORD_ACROSS)
            flat_keep(w->f, vector_append(&w->across, &a, sizeof a) &&
                                names_put(&w->names, a.name, k));
    }
}

static void gather(Network *w, const Instance *i)
{
    for (uint32_t k = 0; k < i->template->slots && !w->f->broken; k++) {
        const Held *h = &i->held[k];
        uint64_t parts = h->part ? 1 : 0;
        if (h->port)
            add_port(w, i, h->port);
        for (uint32_t d = 0; h->apart && d < h->rank; d++)
            parts *= (uint64_t)(h->high[d] - h->low[d] + 1);
        for (uint64_t p = 0; p < parts; p++)
            if (h->part[p])
                gather(w, h->part[p]);
    }
}

/* ---- Telling -------------------------------------------------------------------- */

#define NAMES_SHOWN 6

static void report(Network *w, uint32_t network)
{
    const Across *first = across(w, network);
    Buffer names = {0};
    uint32_t shown = 0, more = 0;
    for (uint32_t k = 0; k < count(w); k++) {
        if (top(w, k) != network)
            continue;
        if (shown < NAMES_SHOWN)
            buffer_format(&names, "%s%s", shown ? ", " : "",
                          across(w, k)->name);
        else
            more++;
        shown += shown < NAMES_SHOWN;
    }
    if (more)
        buffer_format(&names, " and %u more", more);
    unit_error(w->f->u, first->at, first->origin,
               "nothing fixes the level of %s: equations speak only of its "
               "differences in this network (%s). Join a part to it that gives "
               "a level, such as a GROUND, or write an equation, as in %s = 0",
               first->field, buffer_string(&names), first->name);
    buffer_free(&names);
}

void check_networks(Flattener *f, const Node *segments)
{
    Network w = {.f = f};
    gather(&w, f->program);
    for (const Node *n = segments->first; n && count(&w) > 0 && !f->broken;
         n = n->next)
        if (n->kind == NODE_SYSTEM)
            for (const Node *b = n->first->first; b; b = b->next)
                if (b->kind == NODE_CONTINUOUS)
                    find_equations(&w, b);
    for (uint32_t k = 0; k < count(&w) && !f->broken; k++)
        if (top(&w, k) == k && !across(&w, k)->fixed)
            report(&w, k);
    names_free(&w.names);
    vector_free(&w.across);
}
