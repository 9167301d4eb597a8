#include "lower/lowerer.h"

/* FACILITY, STORAGE, GATE and SIGNAL. */

static ResourceKind kind_of(const Node *n)
{
    if (n->kind == NODE_STORAGE_DECL)
        return RESOURCE_STORAGE;
    switch (n->word) {
    case WORD_GATE: return RESOURCE_GATE;
    case WORD_SIGNAL: return RESOURCE_SIGNAL;
    default: return RESOURCE_FACILITY;
    }
}

/* Numbers in the contract: the elements of all resources in sequence. */
static uint32_t next_number(const Model *m)
{
    uint32_t n = model_resources(m);
    if (n == 0)
        return 0;
    const Resource *last = model_resource(m, n - 1);
    return last->number + (uint32_t)last->elements;
}

/* The capacity is data of the run if --set may change it. */
static const Expr *capacity_of(Lowerer *l, const Node *n)
{
    if (n->kind != NODE_STORAGE_DECL || node_absent(n->last))
        return NULL;
    const Expr *e = lower_expression(l, n->last, IN_VALUE);
    if (e->op == EXPR_INTEGER && e->integer < 1)
        LOWER_ERROR(l, n->last, "the CAPACITY of a STORAGE is at least 1");
    return lower_fit(l, e, EXPR_TYPE_INTEGER);
}

void lower_resource(Lowerer *l, const Node *n)
{
    Resource r = {.name = n->symbol->name,
                  .c_name = model_c_name(l->m, n->symbol->name),
                  .kind = kind_of(n),
                  .elements = 1,
                  .number = next_number(l->m),
                  .row = NONE,
                  .line = lower_line(l, n->at, n->origin)};
    Meaning *meaning = meaning_of(l, n->symbol);
    if (meaning->kind != MEANS_NOTHING)
        return; // a formal that is declared again
    if (n->kind == NODE_VARIABLE)
        r.elements = lower_shape(l, n, meaning);
    r.rank = meaning->rank;
    for (uint32_t k = 0; k < r.rank; k++) {
        r.low[k] = meaning->low[k];
        r.high[k] = meaning->high[k];
    }
    r.capacity = capacity_of(l, n);
    if (r.capacity && r.capacity->op != EXPR_INTEGER)
        r.row = lower_row(l, n, NONE, true);
    meaning->kind = MEANS_RESOURCE;
    meaning->number = model_add_resource(l->m, &r);
    meaning->value = NULL;
}

uint32_t lower_resource_at(Lowerer *l, const Node *n, Place place,
                           const Expr **element)
{
    const Meaning *meaning = lower_event(l, n, place, element);
    if (meaning->kind != MEANS_RESOURCE) {
        if (meaning->kind != MEANS_REFUSED)
            LOWER_ERROR(l, n, "this is not a resource here");
        return NONE;
    }
    if (meaning->value)
        *element = meaning->value;
    return meaning->number;
}
