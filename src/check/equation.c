#include "check/equation.h"

#include <stdlib.h>

#define COMPARED 100 // equations of one variable that are compared in pairs

bool symbol_is_computed(const Symbol *s)
{
    switch (s->kind) {
    case SYMBOL_FIELD: return true;
    case SYMBOL_VARIABLE:
    case SYMBOL_ATTRIBUTE:
    case SYMBOL_FORMAL: break;
    default: return false;
    }
    if (symbol_is_integrated(s))
        return false;
    return s->type == WORD_ALGEBR || s->type == WORD_LOGIC ||
           s->type == WORD_MEMORY;
}

/* ---- Remembering --------------------------------------------------------- */

static bool read_indices(Checker *c, const Node *left, GivenEquation *e)
{
    uint32_t k = 0;
    if (left == NULL || left->kind != NODE_INDEX)
        return true;
    for (Node *n = left->last->first; n != NULL && k < SYMBOL_RANKS;
         n = n->next) {
        Constant v;
        if (!constant_fold(c, n, &v))
            return false;
        e->index[k++] = v.integer;
    }
    return true;
}

void equations_add_other(Checker *c, Node *n)
{
    if (!vector_append(&c->equations->others, &n, sizeof n))
        c->broken = true;
}

void equations_add(Checker *c, Node *n, Node *left, Symbol *s)
{
    GivenEquation e = {.node = n, .symbol = s, .branch = c->branch};
    s->equated = true;
    s->partly = s->partly || c->branch != NULL || s->rank > 0;
    if (n->flags & FLAG_PART) { // it may give anything in it
        equations_add_other(c, n);
        return;
    }
    if (left != NULL && left->kind == NODE_DERIVATIVE)
        left = left->first;
    e.exact = (s->kind == SYMBOL_FIELD || s->rank == 0 ||
               (left != NULL && left->kind == NODE_INDEX)) &&
              read_indices(c, left, &e);
    e.order = (uint32_t)(c->equations->given.used / sizeof e);
    if (!vector_append(&c->equations->given, &e, sizeof e))
        c->broken = true;
}

void equations_free(Equations *e)
{
    vector_free(&e->given);
    vector_free(&e->others);
    vector_free(&e->paired);
}

/* ---- Two equations for one variable -------------------------------------- */

static bool label_bounds(Checker *c, Node *n, int64_t *low, int64_t *high)
{
    Constant a, b;
    bool range = n->kind == NODE_RANGE;
    if (!constant_fold(c, range ? n->first : n, &a) ||
        !constant_fold(c, range ? n->last : n, &b))
        return false;
    *low = a.integer;
    *high = b.integer;
    return true;
}

/* True if no value selects both branches, which belong to CASEs on the same
   variable. */
static bool labels_differ(Checker *c, const Branch *a, const Branch *b)
{
    int64_t low[2], high[2];
    if (a->labels == NULL || b->labels == NULL || a->labels->first == NULL ||
        b->labels->first == NULL)
        return false;
    for (Node *x = a->labels->first; x != NULL; x = x->next) {
        for (Node *y = b->labels->first; y != NULL; y = y->next) {
            if (!label_bounds(c, x, &low[0], &high[0]) ||
                !label_bounds(c, y, &low[1], &high[1]) ||
                (low[0] <= high[1] && low[1] <= high[0]))
                return false;
        }
    }
    return true;
}

static bool same_selector(const Branch *a, const Branch *b)
{
    const Node *x = a->choice->first, *y = b->choice->first;
    return x->kind == NODE_NAME && y->kind == NODE_NAME && x->symbol != NULL &&
           x->symbol == y->symbol;
}

/* True if the two branches are never active together. */
static bool exclude(Checker *c, const Branch *a, const Branch *b)
{
    for (; a != NULL; a = a->around) {
        for (const Branch *k = b; k != NULL; k = k->around) {
            if (k->choice == a->choice && k->number != a->number)
                return true;
            if (k->choice != a->choice && same_selector(a, k) &&
                labels_differ(c, a, k))
                return true;
        }
    }
    return false;
}

static int compare_equations(const void *a, const void *b)
{
    const GivenEquation *x = a, *y = b;
    if (x->symbol != y->symbol) {
        if (x->symbol->order != y->symbol->order)
            return x->symbol->order < y->symbol->order ? -1 : 1;
        return (uintptr_t)x->symbol < (uintptr_t)y->symbol ? -1 : 1;
    }
    if (x->exact != y->exact)
        return x->exact ? -1 : 1;
    for (uint32_t k = 0; k < SYMBOL_RANKS; k++) {
        if (x->index[k] != y->index[k])
            return x->index[k] < y->index[k] ? -1 : 1;
    }
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool same_variable(const GivenEquation *a, const GivenEquation *b)
{
    return a->symbol == b->symbol && a->exact && b->exact &&
           a->index[0] == b->index[0] && a->index[1] == b->index[1];
}

/* True if something else in the equation is given by no equation or, with
   `parts`, not in all branches and elements: the equation may be solved for
   it. */
static bool has_free(const Node *n, const Symbol *but, bool parts)
{
    if (n->kind == NODE_NAME)
        return n->symbol != NULL && n->symbol != but &&
               ((n->symbol->kind == SYMBOL_UNKNOWN && but == NULL) ||
                ((symbol_is_computed(n->symbol) ||
                  symbol_is_integrated(n->symbol)) &&
                 (!n->symbol->equated || (n->symbol->partly && parts))));
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (has_free(k, but, parts))
            return true;
    }
    return false;
}

/* An equation may be solved for anything that occurs in it. */
static void settle(const Node *n)
{
    if (n->kind == NODE_NAME && n->symbol != NULL &&
        symbol_is_computed(n->symbol))
        n->symbol->equated = true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        settle(k);
}

/* And if it has no unknown left, it relates STATEs. */
static void relate(const Node *n)
{
    if (n->kind == NODE_NAME && n->symbol != NULL &&
        symbol_is_integrated(n->symbol))
        n->symbol->equated = true;
    for (const Node *k = n->first; k != NULL; k = k->next)
        relate(k);
}

static void report_pair(Checker *c, Equations *e, const GivenEquation *a,
                        const GivenEquation *b)
{
    if (exclude(c, a->branch, b->branch))
        return;
    if (has_free(a->node, a->symbol, true) ||
        has_free(b->node, a->symbol, true)) {
        settle(a->node);
        settle(b->node);
        if (!vector_append(&e->paired, &a->node, sizeof a->node) ||
            !vector_append(&e->paired, &b->node, sizeof b->node))
            c->broken = true;
        return;
    }
    ERROR(c, b->node,
          "`%s` already has an equation, and both can be active together",
          b->symbol->shown);
    unit_note(c->unit, a->node->at, "the first equation for `%s` is here",
              a->symbol->shown);
}

/* Compares b with those before it in its group. */
static void compare_group(Checker *c, Equations *e, const GivenEquation *first,
                          const GivenEquation *b)
{
    uint32_t errors = c->unit->diags->errors, compared = 0;
    for (const GivenEquation *a = first; a < b && compared < COMPARED; a++) {
        report_pair(c, e, a, b);
        if (c->unit->diags->errors != errors)
            return;
        compared++;
    }
}

static void report_pairs(Checker *c, Equations *e)
{
    GivenEquation *given = (GivenEquation *)(void *)e->given.bytes;
    size_t n = e->given.used / sizeof *given, first = 0;
    if (n == 0)
        return;
    qsort(given, n, sizeof *given, compare_equations);
    for (size_t k = 1; k < n; k++) {
        if (same_variable(&given[first], &given[k]))
            compare_group(c, e, &given[first], &given[k]);
        else
            first = k;
    }
}

/* ---- Equations in which nothing is left to compute ----------------------- */

static bool has_state(const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->symbol != NULL && (symbol_is_integrated(n->symbol) ||
                                     n->symbol->kind == SYMBOL_FIELD);
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (has_state(k))
            return true;
    }
    return false;
}

static bool is_discrete(const Symbol *s)
{
    return s != NULL && s->kind == SYMBOL_VARIABLE &&
           (s->type == WORD_REAL || s->type == WORD_INTEGER ||
            s->type == WORD_BOOLEAN || s->type == WORD_DSTATE);
}

static bool has_computed(const Node *n)
{
    if (n->kind == NODE_NAME)
        return n->symbol != NULL && symbol_is_computed(n->symbol);
    for (const Node *k = n->first; k != NULL; k = k->next) {
        if (has_computed(k))
            return true;
    }
    return false;
}

/* True if only all equations together tell whether something is left for this
   one: the matching of equations and unknowns finds out. */
static bool report_empty(Checker *c, Node *n)
{
    Node *left = n->first;
    Symbol *s =
        left->kind == NODE_DERIVATIVE ? NULL : designator_base(left)->symbol;
    bool is_name = left->kind == NODE_NAME || left->kind == NODE_INDEX ||
                   left->kind == NODE_SELECT;
    if (has_free(n, NULL, false))
        return false;
    if (has_free(n, NULL, true) || has_computed(n))
        return true;
    if (is_name && s != NULL && !has_state(left))
        s->used = s->assigned = true; // one message
    if (is_name && is_discrete(s))
        ERROR(c, left,
              "`%s` is %s, which changes only at events, by `:=`: declare it "
              "as %s to give it an equation",
              s->shown, symbol_words(s),
              s->type == WORD_BOOLEAN ? "LOGIC" : "ALGEBR");
    else if (is_name && s != NULL && s->kind == SYMBOL_CONST)
        ERROR(c, left, "`%s` is a CONST and cannot have an equation", s->shown);
    else if (!has_state(n))
        ERROR(c, n,
              "this equation has no unknown: everything in it is constant or "
              "changes only at events. Leave it out, or declare as ALGEBR what "
              "it should determine");
    else
        return true;
    return false;
}

void equations_finish(Checker *c, Equations *e)
{
    Node **other = (Node **)(void *)e->others.bytes;
    size_t n = e->others.used / sizeof *other;
    bool solved = false;
    report_pairs(c, e);
    for (size_t k = 0; k < n; k++)
        solved = report_empty(c, other[k]) || solved;
    for (size_t k = 0; k < n; k++) {
        settle(other[k]);
        relate(other[k]);
    }
    GivenEquation *given = (GivenEquation *)(void *)e->given.bytes;
    for (size_t k = 0; k < e->paired.used / sizeof(Node *); k++)
        relate(((Node **)(void *)e->paired.bytes)[k]);
    /* They are solved as a whole: any equation may give anything in it. */
    for (size_t k = 0; solved && k < e->given.used / sizeof *given; k++)
        settle(given[k].node);
}
