#include "algebra/unfold.h"

#include "algebra/box.h"

static uint32_t slot_of(const Expr *e)
{
    return 2 * e->which + (e->op == EXPR_RATE);
}

/* ---- Explicit equations --------------------------------------------------------------------- */

static bool is_explicit(const Model *m, const Equation *e)
{
    Box box;
    return e->role == EQUATION_PLAIN && e->block == NONE &&
           e->left->type == EXPR_TYPE_REAL && is_unknown(m, e->left) &&
           box_exact(m, e->left, e->loops, e->n_loops, &box) &&
           !expr_mentions(e->right, e->left->op, e->left->which);
}

/* True unless some element of the portion determines something else. */
static bool determines(const Assignment *a, uint32_t portion, uint32_t slot)
{
    for (uint32_t k = a->e.first_equation[portion];
         k < a->e.first_equation[portion + 1]; k++)
        if (a->chosen[k] == NONE ||
            elements_slot(&a->e, a->pair[a->chosen[k]].unknown) != slot)
            return false;
    return true;
}

bool unfold_begin(Unfolding *u, Assignment *a)
{
    Model *m = a->e.m;
    *u = (Unfolding){.m = m,
                     .slots = 2 * model_variables(m),
                     .equations = model_equations(m)};
    u->first = NEW_ARRAY(&u->arena, uint32_t, u->slots + 1);
    u->next = NEW_ARRAY(&u->arena, uint32_t, u->equations + 1);
    u->open = NEW_ARRAY(&u->arena, bool, u->equations + 1);
    if (!u->first || !u->next || !u->open) {
        m->broken = true;
        return false;
    }
    for (uint32_t k = 0; k < u->slots; k++)
        u->first[k] = NONE;
    for (uint32_t p = a->e.portions; p-- > 0;) {
        uint32_t k = system_portion(a->e.s, p)->equation;
        const Equation *e = model_equation(m, k);
        if (!is_explicit(m, e) ||
            (!e->guard && !determines(a, p, slot_of(e->left))))
            continue;
        u->next[k] = u->first[slot_of(e->left)];
        u->first[slot_of(e->left)] = k;
    }
    return true;
}

void unfold_free(Unfolding *u)
{
    arena_free(&u->arena);
}

/* ---- Putting them in -------------------------------------------------------------------------- */

static bool box_holds(const Box *outer, const Box *inner)
{
    for (uint32_t k = 0; k < outer->rank; k++)
        if (inner->low[k] < outer->low[k] || inner->high[k] > outer->high[k])
            return false;
    return true;
}

/* The explicit equation that gives all that `leaf` stands for, and is active
   wherever the guard is; NONE if there is none. */
static uint32_t equation_for(const Unfolding *u, const Expr *leaf)
{
    const Model *m = u->m;
    uint32_t slot = slot_of(leaf);
    Box wanted = box_around(m, leaf);
    if (slot >= u->slots)
        return NONE;
    for (uint32_t k = u->first[slot]; k != NONE; k = u->next[k]) {
        const Equation *e = model_equation(m, k);
        Box box = box_around(m, e->left);
        if (k != u->except && !u->open[k] && box_holds(&box, &wanted) &&
            (!e->guard || guard_within(u->guard, e->guard)))
            return k;
    }
    return NONE;
}

typedef struct Places { // expressions in place of loop indices
    uint32_t loop[LOOPS_MOST];
    const Expr *index[LOOPS_MOST];
    uint32_t n;
} Places;

static const Expr *put_index(void *user, const Expr *e)
{
    const Places *p = user;
    for (uint32_t k = 0; e->op == EXPR_LOOP && k < p->n; k++)
        if (p->loop[k] == e->which)
            return p->index[k];
    return NULL;
}

/* The right side of the equation at the element that `leaf` is. */
static const Expr *value_at(const Unfolding *u, const Equation *e,
                            const Expr *leaf)
{
    Model *m = u->m;
    Places p = {.n = 0};
    for (uint32_t k = 0; k < leaf->count; k++) {
        uint32_t loop;
        int64_t offset;
        if (!expr_affine(e->left->arg[k], &loop, &offset))
            return NULL;
        if (loop == UINT32_MAX)
            continue;
        p.loop[p.n] = loop;
        p.index[p.n++] = index_plain(
            m, expr_2(m, EXPR_SUB, leaf->arg[k], expr_integer(m, offset)));
    }
    return p.n ? expr_rewrite(m, e->right, put_index, &p) : e->right;
}

static const Expr *put_value(void *user, const Expr *leaf)
{
    Unfolding *u = user;
    Model *m = u->m;
    if (leaf->type != EXPR_TYPE_REAL || !is_unknown(m, leaf))
        return NULL;
    const Expr *found = expr_map_get(&u->done, leaf);
    if (found)
        return found;
    uint32_t k = equation_for(u, leaf);
    if (k == NONE)
        return NULL;
    const Equation e = *model_equation(m, k);
    const Expr *value = value_at(u, &e, leaf);
    if (!value)
        return NULL;
    u->open[k] = true;
    value = expr_rewrite(m, value, put_value, u);
    u->open[k] = false;
    if (!expr_map_put(&u->done, leaf, value))
        m->broken = true;
    return value;
}

const Expr *unfold(Unfolding *u, const Expr *e, const Guard *guard,
                   uint32_t except)
{
    u->guard = guard;
    u->except = except;
    const Expr *value = expr_rewrite(u->m, e, put_value, u);
    expr_map_free(&u->done);
    return value;
}
