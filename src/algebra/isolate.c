#include "algebra/isolate.h"

#include "algebra/differentiate.h"

/* ---- Tidying ---------------------------------------------------------------------- */

static const Expr *tidy_node(void *user, const Expr *e)
{
    Model *m = user;
    if (e->type != EXPR_TYPE_REAL)
        return NULL;
    switch (e->op) {
    case EXPR_ADD: return expr_plus(m, e->arg[0], e->arg[1]);
    case EXPR_SUB: return expr_minus(m, e->arg[0], e->arg[1]);
    case EXPR_MUL: return expr_times(m, e->arg[0], e->arg[1]);
    case EXPR_DIV: return expr_is_zero(e->arg[0]) ? e->arg[0] : NULL;
    case EXPR_NEG: return expr_is_zero(e->arg[0]) ? e->arg[0] : NULL;
    default: return NULL;
    }
}

const Expr *tidy(Model *m, const Expr *e)
{
    return expr_rewrite(m, e, tidy_node, m);
}

/* ---- Undoing operations -------------------------------------------------------------- */

/* How often the target occurs in the tree, at most 2. Shared branches count as
   often as they are used. */
static unsigned occurrences(const Expr *e, const Expr *target)
{
    unsigned count = e == target;
    if (!expr_contains(e, target))
        return 0;
    for (uint32_t k = 0; k < e->count && count < 2; k++)
        count += occurrences(e->arg[k], target);
    return count < 2 ? count : 2;
}

/* Solves op(a, ...) = right for argument k, which contains the target. */
static const Expr *undo_two(Model *m, const Expr *e, uint32_t k,
                            const Expr *right)
{
    const Expr *other = e->arg[1 - k];
    switch (e->op) {
    case EXPR_ADD: return expr_2(m, EXPR_SUB, right, other);
    case EXPR_SUB:
        return k == 0 ? expr_2(m, EXPR_ADD, right, other)
                      : expr_2(m, EXPR_SUB, other, right);
    case EXPR_MUL: return expr_2(m, EXPR_DIV, right, other);
    case EXPR_DIV:
        return k == 0 ? expr_2(m, EXPR_MUL, right, other)
                      : expr_2(m, EXPR_DIV, other, right);
    default: return NULL;
    }
}

/* Handles only functions with a single inverse. */
static const Expr *undo_one(Model *m, const Expr *e, const Expr *right)
{
    switch (e->op) {
    case EXPR_NEG: return expr_1(m, EXPR_NEG, right);
    case EXPR_EXP: return expr_1(m, EXPR_LOG, right);
    case EXPR_LOG: return expr_1(m, EXPR_EXP, right);
    case EXPR_LOG10: return expr_2(m, EXPR_POW, expr_number(m, "10.0"), right);
    default: return NULL;
    }
}

static const Expr *undo(Model *m, const Expr *e, const Expr *right,
                        const Expr *target)
{
    while (e != target) {
        uint32_t k = 0;
        while (k < e->count && occurrences(e->arg[k], target) == 0)
            k++;
        if (k == e->count)
            return NULL;
        right = e->count == 2   ? undo_two(m, e, k, right)
                : e->count == 1 ? undo_one(m, e, right)
                                : NULL;
        if (!right)
            return NULL;
        e = e->arg[k];
    }
    return right;
}

/* ---- Linear -------------------------------------------------------------------------- */

typedef struct Jumping {
    bool (*is)(const void *user, const Expr *e);
    const void *user;
} Jumping;

static bool is_none(void *user, const Expr *e)
{
    const Jumping *j = user;
    return !j->is(j->user, e);
}

/* True for operations that have no derivative although they depend on their
   arguments. */
static bool has_no_step(void *user, const Expr *e)
{
    bool step = e->op == EXPR_SIGN || e->op == EXPR_MOD ||
                (e->type != EXPR_TYPE_REAL && e->count > 0);
    return !step || expr_visit(NULL, e, is_none, user);
}

bool is_smooth(const Expr *e, bool (*is)(const void *user, const Expr *e),
               const void *user)
{
    Jumping j = {is, user};
    return expr_visit(NULL, e, has_no_step, &j);
}

static bool is_same(const void *user, const Expr *e)
{
    return e == user;
}

/* left - right = a target + b with a, b free of it. */
static const Expr *linear(Model *m, const Expr *left, const Expr *right,
                          const Expr *target)
{
    const Expr *e = expr_minus(m, left, right);
    const Expr *a = differentiate_by(m, e, target);
    if (expr_is_zero(a) || expr_contains(a, target) ||
        !is_smooth(e, is_same, target))
        return NULL;
    const Expr *b = tidy(m, expr_replace(m, e, target, expr_number(m, "0.0")));
    if (expr_is_zero(b))
        return b;
    /* -b/a, without superfluous signs */
    if (b->op == EXPR_NEG)
        return expr_2(m, EXPR_DIV, b->arg[0], a);
    if (a->op == EXPR_NEG)
        return expr_2(m, EXPR_DIV, b, a->arg[0]);
    return expr_1(m, EXPR_NEG, expr_2(m, EXPR_DIV, b, a));
}

const Expr *isolate(Model *m, const Expr *left, const Expr *right,
                    const Expr *target)
{
    unsigned in_left = occurrences(left, target);
    unsigned in_right = occurrences(right, target);
    if (left == target && in_right == 0)
        return right;
    if (target->type != EXPR_TYPE_REAL)
        return right == target && in_left == 0 ? left : NULL;
    if (in_left + in_right == 0)
        return NULL;
    if (in_left + in_right == 1) {
        const Expr *found = in_left ? undo(m, left, right, target)
                                    : undo(m, right, left, target);
        if (found)
            return found;
    }
    return linear(m, left, right, target);
}
