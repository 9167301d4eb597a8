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

Resource lower_new_resource(Lowerer *l, const char *name, ResourceKind kind,
                            uint32_t line)
{
    return (Resource){.name = name,
                      .c_name = model_c_name(l->m, name),
                      .kind = kind,
                      .elements = 1,
                      .number = next_number(l->m),
                      .pool = NONE,
                      .of = NONE,
                      .stream = NONE,
                      .row = NONE,
                      .line = line};
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
    Resource r = lower_new_resource(l, n->symbol->name, kind_of(n),
                                    lower_line(l, n->at, n->origin));
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

/* ---- SEIZE ANY ---------------------------------------------------------------------- */

/* The common queue of an array of facilities, which SEIZE ANY brings about. */
static uint32_t pool_of(Lowerer *l, uint32_t facilities)
{
    const Resource *f = model_resource(l->m, facilities);
    if (f->pool != NONE)
        return f->pool;
    Resource r = lower_new_resource(l, model_format(l->m, "ANY OF %s", f->name),
                                    RESOURCE_POOL, f->line);
    r.name = f->name;
    r.of = facilities;
    uint32_t pool = model_add_resource(l->m, &r);
    model_resource(l->m, facilities)->pool = pool;
    return pool;
}

uint32_t lower_any_of(Lowerer *l, const Node *n, bool random)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
    if (meaning->kind != MEANS_RESOURCE || meaning->rank != 1) {
        if (meaning->kind != MEANS_REFUSED)
            LOWER_ERROR(l, n, "this is not an array of facilities here");
        return NONE;
    }
    uint32_t facilities = meaning->number;
    Resource *pool = model_resource(l->m, pool_of(l, facilities));
    if (random && pool->stream == NONE)
        pool->stream = lower_uniform_stream(
            l, model_format(l->m, "ANY OF %s", pool->name), pool->line);
    return facilities;
}

/* ---- Functions that ask a resource --------------------------------------------------- */

typedef struct Asked {
    const char *name;
    ExprType type;
} Asked;

static const Asked asked[RESOURCE_VALUES] = {
#define RESOURCE_VALUE(name, type) {#name, EXPR_TYPE_##type},
#include "model/resource.def"
#undef RESOURCE_VALUE
};

/* The common queue of a whole array, and *element: 0; or one resource. */
static uint32_t asked_resource(Lowerer *l, const Node *n, Place place,
                               const Expr **element)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
    if (meaning->kind == MEANS_RESOURCE && meaning->rank == 1 &&
        !meaning->value && n->kind != NODE_INDEX) {
        *element = NULL;
        return pool_of(l, meaning->number);
    }
    return lower_resource_at(l, n, place, element);
}

const Expr *lower_asked(Lowerer *l, const Node *n, const char *name,
                        Place place)
{
    uint32_t k = 0;
    const Expr *element;
    while (k < RESOURCE_VALUES && !name_same(asked[k].name, name))
        k++;
    if (k == RESOURCE_VALUES)
        return NULL;
    if (place == IN_EXPERIMENT || place == IN_VALUE) {
        LOWER_ERROR(l, n,
                    "a resource is used only during a run: put what is needed "
                    "here into a variable in TERMINAL");
        return lower_nothing(l, asked[k].type);
    }
    uint32_t which = asked_resource(l, call_actual(n, 0), place, &element);
    if (which == NONE)
        return lower_nothing(l, asked[k].type);
    const Expr *arg[] = {expr_integer(l->m, k),
                         element ? element : expr_integer(l->m, 0)};
    return expr_make(l->m, EXPR_RESOURCE, asked[k].type, which, arg, 2);
}
