#include "algebra/derivators.h"

#include "algebra/box.h"
#include "algebra/jets.h"

typedef struct Resolving {
    Model *m;
    Jets jets;
    Vector holder; // uint32_t for each memory: the ALGEBR that replaces it, or
                   // NONE
} Resolving;

/* ---- Equations for derivatives ------------------------------------------------------------------ */

static bool not_wanted(void *user, const Expr *e)
{
    return !jets_wants(user, e);
}

/* An equation with its unknown on the left belongs to that unknown; any other
   belongs to all unknowns in it, unless it is a derivative itself. */
static bool concerns(Resolving *r, const Equation *e, bool written)
{
    if (e->left->type != EXPR_TYPE_REAL)
        return false;
    if (is_unknown(r->m, e->left))
        return jets_wants(&r->jets, e->left);
    if (!written)
        return false;
    return !expr_visit(r->m, e->left, not_wanted, &r->jets) ||
           !expr_visit(r->m, e->right, not_wanted, &r->jets);
}

static void differentiate_wanted(Resolving *r)
{
    uint32_t written = model_equations(r->m);
    do {
        r->jets.more = false;
        for (uint32_t k = 0; k < model_equations(r->m) && !r->m->broken; k++)
            if (!jets_is_done(&r->jets, k) &&
                concerns(r, model_equation(r->m, k), k < written))
                jets_differentiate(&r->jets, k);
    } while (r->jets.more && !r->m->broken);
}

/* ---- Replacing memories ------------------------------------------------------------------------- */

static const Expr *replace(void *user, const Expr *e)
{
    const Resolving *r = user;
    uint32_t k = e->op == EXPR_HELD ? jets_number(&r->holder, e->which) : NONE;
    return k == NONE ? NULL : expr_variable(r->m, k, e->arg, e->count);
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
        uint32_t *holder = jets_entry(&r->jets, &r->holder, k);
        if (holder)
            *holder = model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                                       y->name, y->at, y->line);
        y = model_memory(m, k);
        if (holder && y->pool)
            variable_shaped(
                model_variable(m, *holder),
                model_variable(m, model_pool(m, y->pool - 1)->number));
        any = true;
    }
    return any;
}

static void equate_holders(Resolving *r)
{
    Model *m = r->m;
    for (uint32_t k = 0; k < model_memories(m) && !m->broken; k++) {
        Memory y = *model_memory(m, k);
        uint32_t holder = jets_number(&r->holder, k);
        if (holder == NONE)
            continue;
        const Expr *at = y.pool ? expr_loop(m, y.loop) : NULL;
        Equation e = {.left = expr_variable(m, holder, &at, at != NULL),
                      .right = jets_derivative(&r->jets, y.input),
                      .guard = y.guard,
                      .block = NONE,
                      .model = NONE,
                      .row = y.row,
                      .at = y.at};
        if (y.pool)
            e.loops[e.n_loops++] = y.loop;
        model_add_equation(m, &e);
        Memory *gone = model_memory(m, k);
        gone->kind = MEMORY_HOLD;
        gone->input = gone->when = NULL;
    }
}

bool derivators_resolve(Model *m)
{
    Resolving r = {.m = m, .jets = {.m = m}};
    if (add_holders(&r)) {
        replace_all(&r);
        equate_holders(&r);
        differentiate_wanted(&r);
    }
    jets_free(&r.jets);
    vector_free(&r.holder);
    return !m->broken;
}
