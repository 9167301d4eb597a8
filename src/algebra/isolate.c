#include "algebra/isolate.h"

#include "base/whole.h"
#include "model/differentiate.h"

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

/* ---- What may be divided by ------------------------------------------------------------ */

static bool is_even(const Expr *e)
{
    double half = e->number / 2.0;
    return (e->op == EXPR_INTEGER || e->op == EXPR_NUMBER) &&
           half == (double)(int64_t)half;
}

static bool is_positive(const Model *m, const Expr *e);

static bool is_not_negative(const Model *m, const Expr *e)
{
    switch (e->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER: return e->number >= 0.0;
    case EXPR_FLOAT: return is_not_negative(m, e->arg[0]);
    case EXPR_ABS:
    case EXPR_SQRT:
    case EXPR_HYPOT: return true;
    case EXPR_POW: return is_even(e->arg[1]) || is_not_negative(m, e->arg[0]);
    case EXPR_MUL:
        return e->arg[0] == e->arg[1] ||
               (is_not_negative(m, e->arg[0]) && is_not_negative(m, e->arg[1]));
    case EXPR_ADD:
        return is_not_negative(m, e->arg[0]) && is_not_negative(m, e->arg[1]);
    case EXPR_DIV:
        return is_not_negative(m, e->arg[0]) && is_positive(m, e->arg[1]);
    default: return is_positive(m, e);
    }
}

static bool is_positive(const Model *m, const Expr *e)
{
    switch (e->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER: return e->number > 0.0;
    case EXPR_FLOAT: return is_positive(m, e->arg[0]);
    case EXPR_EXP:
    case EXPR_COSH: return true;
    case EXPR_SYSTEM: return e->which == SYSTEM_PI;
    case EXPR_ADD:
        return (is_positive(m, e->arg[0]) && is_not_negative(m, e->arg[1])) ||
               (is_positive(m, e->arg[1]) && is_not_negative(m, e->arg[0]));
    case EXPR_MUL:
    case EXPR_DIV:
        return is_positive(m, e->arg[0]) && is_positive(m, e->arg[1]);
    default: return false;
    }
}

bool is_never_zero(const Model *m, const Expr *e)
{
    switch (e->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER: return e->number != 0.0;
    case EXPR_VARIABLE: {
        const Variable *v = model_variable(m, e->which);
        return v->kind == VARIABLE_CONST && v->value &&
               is_never_zero(m, v->value);
    }
    case EXPR_NEG:
    case EXPR_FLOAT: return is_never_zero(m, e->arg[0]);
    case EXPR_MUL:
        return is_never_zero(m, e->arg[0]) && is_never_zero(m, e->arg[1]);
    case EXPR_DIV: return is_never_zero(m, e->arg[0]);
    case EXPR_POW: return is_never_zero(m, e->arg[0]);
    default: return is_positive(m, e);
    }
}

/* Follows undo from `e` to the target. */
static bool undo_is_safe(const Model *m, const Expr *e, const Expr *target)
{
    while (e != target) {
        uint32_t k = 0;
        while (k < e->count && occurrences(e->arg[k], target) == 0)
            k++;
        switch (e->op) {
        case EXPR_ADD:
        case EXPR_SUB:
        case EXPR_NEG:
        case EXPR_LOG:
        case EXPR_LOG10: break;
        case EXPR_MUL:
            if (!is_never_zero(m, e->arg[1 - k]))
                return false;
            break;
        case EXPR_DIV:
            if (k != 0)
                return false;
            break;
        default: return false;
        }
        e = e->arg[k];
    }
    return true;
}

bool isolate_is_safe(Model *m, const Expr *left, const Expr *right,
                     const Expr *target)
{
    unsigned in_left = occurrences(left, target);
    unsigned in_right = occurrences(right, target);
    if (target->type != EXPR_TYPE_REAL)
        return left == target || right == target;
    if (in_left + in_right == 1)
        return undo_is_safe(m, in_left ? left : right, target);
    if (in_left + in_right == 0)
        return false;
    const Expr *e = expr_minus(m, left, right);
    return linear(m, left, right, target) &&
           is_never_zero(m, differentiate_by(m, e, target));
}

/* ---- SUM and PROD over unknowns ---------------------------------------------------------- */

typedef struct Opening {
    Model *m;
    const Expr *target;
} Opening;

static bool mentions(void *user, const Expr *e)
{
    const Opening *o = user;
    return e->op != o->target->op || e->which != o->target->which;
}

/* The value of the series' index for which `read`, in its body, is the target;
   NULL if that is not one value. */
static const Expr *index_of(const Opening *o, const Expr *series,
                            const Expr *read)
{
    const Expr *at = NULL;
    for (uint32_t k = 0; k < read->count; k++) {
        uint32_t loop;
        int64_t offset;
        if (!expr_affine(read->arg[k], &loop, &offset))
            return NULL;
        if (loop != series->which)
            continue;
        const Expr *value = expr_2(o->m, EXPR_SUB, o->target->arg[k],
                                   expr_integer(o->m, offset));
        if (at && at != value)
            return NULL;
        at = value;
    }
    return at;
}

typedef struct Finding {
    const Opening *o;
    const Expr *series, *at;
} Finding;

static bool find_index(void *user, const Expr *e)
{
    Finding *f = user;
    if (!f->at && e->op == f->o->target->op && e->which == f->o->target->which)
        f->at = index_of(f->o, f->series, e);
    return true;
}

/* Least and largest value of I + 3 or 7; false for anything else. */
static bool index_range(const Model *m, const Expr *e, int64_t *low,
                        int64_t *high)
{
    uint32_t loop;
    int64_t offset;
    if (!expr_affine(e, &loop, &offset))
        return false;
    *low = *high = offset;
    if (loop == NONE)
        return true;
    const Loop *l = model_loop(m, loop);
    *low = whole_reach(l->low, offset);
    *high = whole_reach(l->high, offset);
    return !l->bound;
}

/* Bounds of a - b, whatever the loops do; false if there are none. */
static bool difference(const Model *m, const Expr *a, const Expr *b,
                       int64_t *low, int64_t *high)
{
    uint32_t loop, other;
    int64_t x, y, a_low, a_high, b_low, b_high;
    if (expr_affine(a, &loop, &x) && expr_affine(b, &other, &y) &&
        loop == other) {
        *low = *high = whole_reach_back(x, y);
        return true;
    }
    if (!index_range(m, a, &a_low, &a_high) ||
        !index_range(m, b, &b_low, &b_high))
        return false;
    *low = whole_reach_back(a_low, b_high);
    *high = whole_reach_back(a_high, b_low);
    return true;
}

/* True if the series certainly has a term at the index. */
static bool has_term(const Model *m, const Expr *series, const Expr *at)
{
    int64_t low, high;
    if (!difference(m, at, series->arg[0], &low, &high) || low < 0 ||
        !difference(m, series->arg[1], at, &low, &high) || low < 0)
        return false;
    return series->arg[2]->op == EXPR_TRUTH ||
           (difference(m, at, series->arg[2], &low, &high) &&
            (low > 0 || high < 0));
}

static const Expr *open_one(void *user, const Expr *e)
{
    Opening *o = user;
    Model *m = o->m;
    if ((e->op != EXPR_SUM && e->op != EXPR_PROD) ||
        expr_visit(NULL, e->arg[3], mentions, o))
        return NULL;
    Finding f = {o, e, NULL};
    expr_visit(NULL, e->arg[3], find_index, &f);
    if (!f.at || !has_term(m, e, f.at))
        return NULL;
    const Expr *index = expr_loop(m, e->which);
    const Expr *term = expr_replace(m, e->arg[3], index, f.at);
    const Expr *arg[4] = {e->arg[0], e->arg[1], f.at, e->arg[3]};
    if (e->arg[2]->op != EXPR_TRUTH) { // the range has an exception already
        const Expr *other = expr_number(m, e->op == EXPR_SUM ? "0.0" : "1.0");
        arg[2] = e->arg[2];
        arg[3] =
            expr_choose(m, expr_2(m, EXPR_NE, index, f.at), e->arg[3], other);
    }
    const Expr *rest = expr_make(m, e->op, e->type, e->which, arg, 4);
    return expr_2(m, e->op == EXPR_SUM ? EXPR_ADD : EXPR_MUL, term, rest);
}

const Expr *series_open(Model *m, const Expr *e, const Expr *target)
{
    Opening o = {m, target};
    return expr_rewrite(m, e, open_one, &o);
}
