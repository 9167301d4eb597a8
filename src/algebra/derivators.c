#include "algebra/derivators.h"

#include "algebra/box.h"
#include "algebra/differentiate.h"

typedef struct Resolving {
    Model *m;
    Vector value_rate; // uint32_t for each variable: "A'" of an ALGEBR, or NONE
    Vector rate_rate;  // "X''" of a STATE, or NONE
    Vector done;       // bool for each equation: has been differentiated
    Vector holder;     // uint32_t for each memory: the ALGEBR that replaces it,
                       // or NONE
    bool more;         // another derivative is needed
} Resolving;

/* ---- Numbers per row -------------------------------------------------------------------- */

/* Entry k of a table of numbers that begin as NONE. */
static uint32_t *entry(Resolving *r, Vector *v, uint32_t k)
{
    static const uint32_t none = NONE;
    while (v->used <= k * sizeof none)
        if (!vector_append(v, &none, sizeof none)) {
            r->m->broken = true;
            return NULL;
        }
    return (uint32_t *)(void *)v->bytes + k;
}

static uint32_t read_entry(const Vector *v, uint32_t k)
{
    return k < v->used / sizeof(uint32_t)
               ? ((const uint32_t *)(const void *)v->bytes)[k]
               : NONE;
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

static const Expr *rate_of(Resolving *r, const Expr *leaf)
{
    Model *m = r->m;
    bool second = leaf->op == EXPR_RATE;
    uint32_t *slot =
        entry(r, second ? &r->rate_rate : &r->value_rate, leaf->which);
    if (!slot)
        return NULL;
    if (*slot == NONE) {
        Variable of = *model_variable(m, leaf->which);
        uint32_t k = model_add_hidden(
            m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
            model_format(m, "%s%s", of.name, second ? "''" : "'"), of.at,
            of.line);
        Variable *v = model_variable(m, k);
        v->rate_of = leaf->which;
        v->rank = of.rank;
        v->elements = of.elements;
        for (uint32_t i = 0; i < of.rank; i++) {
            v->low[i] = of.low[i];
            v->high[i] = of.high[i];
        }
        *slot = k;
        r->more = true;
    }
    return expr_variable(m, *slot, leaf->arg, leaf->count);
}

static const Expr *moves(void *user, const Expr *leaf)
{
    Resolving *r = user;
    Model *m = r->m;
    switch (leaf->op) {
    case EXPR_SYSTEM:
        return leaf->which == SYSTEM_TIME ? expr_number(m, "1.0") : NULL;
    case EXPR_RATE: return rate_of(r, leaf);
    case EXPR_VARIABLE:
        if (model_variable(m, leaf->which)->kind == VARIABLE_STATE)
            return expr_rate(m, leaf->which, leaf->arg, leaf->count);
        return is_unknown(m, leaf) ? rate_of(r, leaf) : NULL;
    default: return NULL;
    }
}

static const Expr *derivative(Resolving *r, const Expr *e)
{
    return differentiate(r->m, e, moves, r);
}

/* ---- Equations for them ------------------------------------------------------------------------ */

static bool is_wanted(const Resolving *r, const Expr *e)
{
    if (e->op == EXPR_RATE)
        return read_entry(&r->rate_rate, e->which) != NONE;
    return e->op == EXPR_VARIABLE &&
           read_entry(&r->value_rate, e->which) != NONE;
}

static bool not_wanted(void *user, const Expr *e)
{
    return !is_wanted(user, e);
}

/* An equation with its unknown on the left belongs to that unknown; any other
   belongs to all unknowns in it, unless it is a derivative itself. */
static bool concerns(Resolving *r, const Equation *e, bool written)
{
    if (e->left->type != EXPR_TYPE_REAL)
        return false;
    if (is_unknown(r->m, e->left))
        return is_wanted(r, e->left);
    if (!written)
        return false;
    return !expr_visit(r->m, e->left, not_wanted, r) ||
           !expr_visit(r->m, e->right, not_wanted, r);
}

static void differentiate_equation(Resolving *r, uint32_t k)
{
    Model *m = r->m;
    Equation e = *model_equation(m, k);
    Row row = *model_row(m, e.row);
    e.left = derivative(r, e.left);
    e.right = derivative(r, e.right);
    e.block = NONE;
    row.variable = is_unknown(m, e.left) ? e.left->which : NONE;
    row.text = model_format(m, "d/dt: %s", row.text);
    e.row = model_add_row(m, &row);
    model_add_equation(m, &e);
}

static void differentiate_wanted(Resolving *r)
{
    uint32_t written = model_equations(r->m);
    do {
        r->more = false;
        for (uint32_t k = 0; k < model_equations(r->m) && !r->m->broken; k++) {
            uint32_t *done = entry(r, &r->done, k);
            if (!done || *done != NONE ||
                !concerns(r, model_equation(r->m, k), k < written))
                continue;
            *done = 0;
            differentiate_equation(r, k);
        }
    } while (r->more && !r->m->broken);
}

/* ---- Replacing memories
   ------------------------------------------------------------------------- */

static const Expr *replace(void *user, const Expr *e)
{
    const Resolving *r = user;
    uint32_t k = e->op == EXPR_HELD ? read_entry(&r->holder, e->which) : NONE;
    return k == NONE ? NULL : expr_variable(r->m, k, NULL, 0);
}

static const Expr *replaced(Resolving *r, const Expr *e)
{
    return e ? expr_rewrite(r->m, e, replace, r) : NULL;
}

static void replace_all(Resolving *r)
{
    Model *m = r->m;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        Equation *e = model_equation(m, k);
        e->left = replaced(r, e->left);
        e->right = replaced(r, e->right);
        for (const Guard *g = e->guard; g; g = g->select->around) {
            Select *s = (Select *)(uintptr_t)g->select;
            s->selector = replaced(r, s->selector);
        }
    }
    for (uint32_t k = 0; k < model_conditions(m); k++)
        model_condition(m, k)->z = replaced(r, model_condition(m, k)->z);
    for (uint32_t k = 0; k < model_relations(m); k++) {
        Relation *e = model_relation(m, k);
        e->a = replaced(r, e->a);
        e->b = replaced(r, e->b);
        e->c = replaced(r, e->c);
        e->when = replaced(r, e->when);
    }
    for (uint32_t k = 0; k < model_memories(m); k++) {
        Memory *y = model_memory(m, k);
        y->input = replaced(r, y->input);
        y->delay = replaced(r, y->delay);
        y->when = replaced(r, y->when);
    }
}

/* Adds a hidden ALGEBR for each DERIV. */
static bool add_holders(Resolving *r)
{
    Model *m = r->m;
    bool any = false;
    for (uint32_t k = 0; k < model_memories(m) && !m->broken; k++) {
        Memory *y = model_memory(m, k);
        if (y->kind != MEMORY_DERIVATOR)
            continue;
        uint32_t *holder = entry(r, &r->holder, k);
        if (holder)
            *holder = model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                                       y->name, y->at, y->line);
        any = true;
    }
    return any;
}

static void equate_holders(Resolving *r)
{
    Model *m = r->m;
    for (uint32_t k = 0; k < model_memories(m) && !m->broken; k++) {
        Memory y = *model_memory(m, k);
        uint32_t holder = read_entry(&r->holder, k);
        if (holder == NONE)
            continue;
        Equation e = {.left = expr_variable(m, holder, NULL, 0),
                      .right = derivative(r, y.input),
                      .guard = y.guard,
                      .block = NONE,
                      .model = NONE,
                      .row = y.row,
                      .at = y.at};
        model_add_equation(m, &e);
        Memory *gone = model_memory(m, k);
        gone->kind = MEMORY_HOLD;
        gone->input = gone->when = NULL;
    }
}

bool derivators_resolve(Model *m)
{
    Resolving r = {.m = m};
    if (add_holders(&r)) {
        replace_all(&r);
        equate_holders(&r);
        differentiate_wanted(&r);
    }
    vector_free(&r.value_rate);
    vector_free(&r.rate_rate);
    vector_free(&r.done);
    vector_free(&r.holder);
    return !m->broken;
}
