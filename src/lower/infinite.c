#include "lower/lowerer.h"

#include <assert.h>

/* INF in discrete variables. A value that is stored there must be finite, or
   come from INF: by itself, through IF, MIN, MAX, a minus sign, a literal that
   is added or multiplies (units are converted that way), or from
   another variable, formal or FUNCTION, whose value was looked at when it was
   stored. Everything else in such an expression becomes a SURE, which rings
   where 1/0 or an overflow would pass for INF. Programs without INF have no
   SURE: emit looks at their results as a whole. */

bool lower_mentions_infinity(const Node *n)
{
    if (n->kind == NODE_NAME && n->symbol && !n->symbol->node &&
        n->symbol->kind == SYMBOL_CONST && name_same(n->symbol->name, "INF"))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (lower_mentions_infinity(k))
            return true;
    return false;
}

static bool is_literal(const Expr *e)
{
    return e->op == EXPR_NUMBER || e->op == EXPR_FLOAT ||
           (e->op == EXPR_NEG && is_literal(e->arg[0]));
}

/* INF stays INF; what becomes too large by the conversion rings. */
static const Expr *convert(Lowerer *l, const Expr *value)
{
    Model *m = l->m;
    const Expr *x = expr_converted(value);
    const Expr *inf =
        expr_2(m, EXPR_EQ, expr_1(m, EXPR_ABS, x), expr_system(m, SYSTEM_INF));
    return expr_choose(m, inf, lower_passed(l, x), expr_1(m, EXPR_SURE, value));
}

const Expr *lower_passed(Lowerer *l, const Expr *value)
{
    const Expr *arg[4];
    Model *m = l->m;
    if (!m->infinite || value->type != EXPR_TYPE_REAL || is_literal(value))
        return value;
    if (!expr_may_be_infinite(m, value))
        return expr_1(m, EXPR_SURE, value);
    if (expr_converted(value))
        return convert(l, value);
    if (value->op != EXPR_NEG && value->op != EXPR_CHOOSE &&
        value->op != EXPR_MIN && value->op != EXPR_MAX &&
        value->op != EXPR_LEAST && value->op != EXPR_MOST &&
        value->op != EXPR_NOEVENT)
        return value;
    assert(value->count >= 1 && value->count <= 4);
    bool series = expr_is_series(value->op);
    uint32_t first = value->op == EXPR_CHOOSE ? 1 : series ? 3 : 0;
    for (uint32_t k = 0; k < value->count; k++)
        arg[k] = k < first ? value->arg[k] : lower_passed(l, value->arg[k]);
    return expr_make(m, value->op, value->type, value->which, arg,
                     value->count);
}

const Expr *lower_assigned(Lowerer *l, const Expr *value)
{
    return expr_may_be_infinite(l->m, value) ? lower_passed(l, value) : value;
}
