#include "algebra/unfold.h"

#include "algebra/box.h"
#include "algebra/isolate.h"
#include "model/walk.h"

static uint32_t slot_of(const Expr *e)
{
    return 2 * e->which + (e->op == EXPR_RATE);
}

/* ---- Explicit equations --------------------------------------------------------------------- */

/* What all elements of the portion determine; NULL if they differ. */
static const Expr *determined(const Assignment *a, uint32_t portion)
{
    uint32_t first = a->e.first_equation[portion], same = NONE;
    for (uint32_t k = first; k < a->e.first_equation[portion + 1]; k++) {
        uint32_t pair = a->chosen[k];
        if (pair == NONE || (k > first && a->pair[pair].occurrence != same))
            return NULL;
        same = a->pair[pair].occurrence;
    }
    const Occurrence *o = same == NONE ? NULL : &a->e.occurrence[portion][same];
    return o && o->n_series == 0 ? o->what : NULL;
}

static bool is_rate(const Expr *e)
{
    return e->op == EXPR_RATE;
}

/* What the equation says of `target`, as it stands or solved for it; NULL if that
   takes a doubtful division, or is worth no more than what it replaces. */
static const Expr *value_of(Model *m, const Equation *e, const Expr *target)
{
    if (target == e->left)
        return e->right;
    if (is_rate(target))
        return NULL;
    if (target == e->right)
        return e->left;
    return isolate_is_safe(m, e->left, e->right, target)
               ? isolate(m, e->left, e->right, target)
               : NULL;
}

static bool find_rate(void *user, const Expr *e)
{
    bool *found = user;
    *found = *found || is_rate(e);
    return !*found;
}

/* Whether the equation gives `target` explicitly: u->target and u->value. */
static bool is_explicit(Unfolding *u, uint32_t k, const Expr *target)
{
    Model *m = u->m;
    const Equation e = *model_equation(m, k);
    Box box;
    if (!target || e.role != EQUATION_PLAIN || e.block != NONE ||
        e.left->type != EXPR_TYPE_REAL || !is_unknown(m, target) ||
        !box_exact(m, target, e.loops, e.n_loops, &box))
        return false;
    const Expr *value = value_of(m, &e, target);
    bool rates = false;
    if (value && target != e.left)
        expr_visit(m, value, find_rate, &rates);
    u->target[k] = target;
    u->value[k] = value;
    return value && !rates && !expr_mentions(value, target->op, target->which);
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
    u->target = NEW_ARRAY(&u->arena, const Expr *, u->equations + 1);
    u->value = NEW_ARRAY(&u->arena, const Expr *, u->equations + 1);
    if (!u->first || !u->next || !u->open || !u->target || !u->value) {
        m->broken = true;
        return false;
    }
    for (uint32_t k = 0; k < u->slots; k++)
        u->first[k] = NONE;
    for (uint32_t p = a->e.portions; p-- > 0;) {
        uint32_t k = system_portion(a->e.s, p)->equation;
        const Equation *e = model_equation(m, k);
        if (!is_explicit(u, k, e->guard ? e->left : determined(a, p)))
            continue;
        u->next[k] = u->first[slot_of(u->target[k])];
        u->first[slot_of(u->target[k])] = k;
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

/* Where an equation that gives a part of `leaf` begins or ends. */
static void note_cut(Unfolding *u, const Expr *leaf, const Box *wanted,
                     const Box *given)
{
    const Model *m = u->m;
    for (uint32_t k = 0; k < wanted->rank && u->cut == NONE; k++) {
        uint32_t loop;
        int64_t offset, at = given->low[k];
        if (at <= wanted->low[k])
            at = given->high[k] + 1;
        if (!expr_affine(leaf->arg[k], &loop, &offset) || loop == UINT32_MAX)
            continue;
        const Loop *l = model_loop(m, loop);
        if (at - offset <= l->low || at - offset > l->high)
            continue;
        u->cut = loop;
        u->cut_at = at - offset;
    }
}

/* The explicit equation that gives all that `leaf` stands for, and is active
   wherever the guard is; NONE if there is none. */
static uint32_t equation_for(Unfolding *u, const Expr *leaf)
{
    const Model *m = u->m;
    uint32_t slot = slot_of(leaf);
    Box wanted = box_around(m, leaf);
    if (slot >= u->slots)
        return NONE;
    for (uint32_t k = u->first[slot]; k != NONE; k = u->next[k]) {
        const Equation *e = model_equation(m, k);
        Box box = box_around(m, u->target[k]);
        if (k == u->except || u->open[k] ||
            (e->guard && !guard_within(u->guard, e->guard)))
            continue;
        if (box_holds(&box, &wanted))
            return k;
        if (box_meets(&box, &wanted))
            note_cut(u, leaf, &wanted, &box);
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

/* What the equation gives at the element that `leaf` is. */
static const Expr *value_at(const Unfolding *u, uint32_t equation,
                            const Expr *leaf)
{
    Model *m = u->m;
    const Expr *target = u->target[equation], *value = u->value[equation];
    Places p = {.n = 0};
    for (uint32_t k = 0; k < leaf->count; k++) {
        uint32_t loop;
        int64_t offset;
        if (!expr_affine(target->arg[k], &loop, &offset))
            return NULL;
        if (loop == UINT32_MAX)
            continue;
        p.loop[p.n] = loop;
        p.index[p.n++] = index_plain(
            m, expr_2(m, EXPR_SUB, leaf->arg[k], expr_integer(m, offset)));
    }
    return p.n ? expr_rewrite(m, value, put_index, &p) : value;
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
    const Expr *value = value_at(u, k, leaf);
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
    u->cut = NONE;
    const Expr *value = expr_rewrite(u->m, e, put_value, u);
    expr_map_free(&u->done);
    return value;
}
