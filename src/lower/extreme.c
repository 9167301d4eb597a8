#include "lower/lowerer.h"

#include <inttypes.h>

/* MIN and MAX over an index in equations. A hidden array P holds the least or the
   largest so far:

       P[low] = e(low);   P[i] = MAX(P[i-1], e(i))   for i = low + 1 .. high

   so loops stay loops, and which element it is changes at events like those of
   any MAX(a, b). Inside of FOR there is such a row for each value of its index. */

void lower_no_terms(Lowerer *l, const Node *n, int64_t low, int64_t high)
{
    LOWER_ERROR(l, n,
                "from %" PRId64 " to %" PRId64
                " there is nothing that could be "
                "the least or the largest: MIN and MAX need an element",
                low, high);
}

/* True if it may change between events. */
static bool may_move(Lowerer *l, const Node *n)
{
    const Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    if (n->kind == NODE_DERIVATIVE || n->kind == NODE_CALL ||
        n->kind == NODE_FIELD_AT)
        return true;
    if (s && (meaning_of(l, s)->kind == MEANS_CELLS || s->type == WORD_STATE ||
              s->type == WORD_ALGEBR || s->type == WORD_LOGIC ||
              s->type == WORD_MEMORY ||
              (s->node == NULL && name_same(s->name, "TIME"))))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (may_move(l, k))
            return true;
    return false;
}

/* The term for that value of the index. */
static const Expr *term_at(Lowerer *l, const Extreme *x, const Expr *value)
{
    Meaning *index = meaning_of(l, x->n->first->symbol);
    index->kind = value->op == EXPR_LOOP ? MEANS_LOOP : MEANS_VALUE;
    index->number = value->which;
    index->value = value;
    return lower_expression(l, x->n->last, IN_EQUATION);
}

static uint32_t add_loop(Lowerer *l, const Extreme *x, int64_t low,
                         int64_t high, bool bound)
{
    Loop loop = {.name = x->n->first->text,
                 .low = low,
                 .high = high,
                 .step = 1,
                 .bound = bound,
                 .line = lower_line(l, x->n->at, x->n->origin)};
    return model_add_loop(l->m, &loop);
}

/* For discrete values: evaluated whenever it is read. */
static const Expr *discrete(Lowerer *l, const Extreme *x)
{
    Model *m = l->m;
    const Expr *index = expr_loop(m, add_loop(l, x, x->low, x->high, true));
    l->series++;
    const Expr *arg[4] = {expr_integer(m, x->low), expr_integer(m, x->high),
                          x->except, term_at(l, x, index)};
    l->series--;
    return expr_make(m, x->op, EXPR_TYPE_REAL, index->which, arg, 4);
}

/* The hidden array: one index for each enclosing loop, and that of the series. */
static uint32_t add_array(Lowerer *l, const Extreme *x)
{
    const char *word = x->op == EXPR_LEAST ? "MIN" : "MAX";
    uint32_t k = lower_hidden(l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                              lower_hidden_name(l, word, x->n), x->n);
    Variable *v = model_variable(l->m, k);
    v->elements = 1;
    for (uint32_t i = 0; i < l->n_loops; i++) {
        const Loop *loop = model_loop(l->m, l->loops[i]);
        v->low[i] = loop->low < loop->high ? loop->low : loop->high;
        v->high[i] = loop->low < loop->high ? loop->high : loop->low;
    }
    v->low[l->n_loops] = x->low;
    v->high[l->n_loops] = x->high;
    v->rank = l->n_loops + 1;
    for (uint32_t i = 0; i < v->rank; i++)
        v->elements *= (uint64_t)(v->high[i] - v->low[i] + 1);
    assert(v->rank <= 2);
    return k;
}

static const Expr *element(Lowerer *l, uint32_t array, uint32_t around,
                           const Expr *last)
{
    const Expr *index[2];
    for (uint32_t i = 0; i < around; i++)
        index[i] = expr_loop(l->m, l->loops[i]);
    index[around] = last;
    return expr_variable(l->m, array, index, around + 1);
}

static void add_equation(Lowerer *l, const Extreme *x, const Expr *left,
                         const Expr *right)
{
    uint32_t block = l->block;
    l->block = NONE;
    if (l->unwatched)
        right = expr_1(l->m, EXPR_NOEVENT, right);
    lower_equation(l, x->n, left, right);
    l->block = block;
}

/* If EXCEPT leaves the first term out, the second replaces it. */
static const Expr *first_term(Lowerer *l, const Extreme *x)
{
    Model *m = l->m;
    const Expr *low = expr_integer(m, x->low), *e = term_at(l, x, low);
    if (x->except->op == EXPR_TRUTH || x->low == x->high)
        return e;
    l->chosen++;
    const Expr *second = term_at(l, x, expr_integer(m, x->low + 1));
    l->chosen--;
    return expr_choose(m, expr_2(m, EXPR_EQ, low, x->except), second, e);
}

static void further_terms(Lowerer *l, const Extreme *x, uint32_t array)
{
    Model *m = l->m;
    uint32_t around = l->n_loops;
    uint32_t loop = add_loop(l, x, x->low + 1, x->high, false);
    const Expr *i = expr_loop(m, loop);
    l->index[l->n_loops] = x->n->first->symbol;
    l->loops[l->n_loops++] = loop;
    const Expr *before =
        element(l, array, around, expr_2(m, EXPR_SUB, i, expr_integer(m, 1)));
    const Expr *e = expr_2(m, x->op == EXPR_LEAST ? EXPR_MIN : EXPR_MAX, before,
                           lower_fit(l, term_at(l, x, i), EXPR_TYPE_REAL));
    if (x->except->op != EXPR_TRUTH)
        e = expr_choose(m, expr_2(m, EXPR_EQ, i, x->except), before, e);
    add_equation(l, x, element(l, array, around, i), e);
    l->n_loops--;
}

const Expr *lower_extreme(Lowerer *l, const Extreme *x)
{
    Meaning *index = meaning_of(l, x->n->first->symbol), before = *index;
    const Expr *found = NULL;
    bool alone = x->except->op != EXPR_TRUTH && x->low == x->high;
    if (!may_move(l, x->n->last)) {
        found = discrete(l, x);
    } else if (!l->guard && !l->chosen && !l->series && !l->depth && !alone &&
               l->n_loops < 2 && !has_memory(x->n->last)) {
        const Expr *first = lower_fit(l, first_term(l, x), EXPR_TYPE_REAL);
        uint32_t array = add_array(l, x);
        add_equation(l, x,
                     element(l, array, l->n_loops, expr_integer(l->m, x->low)),
                     first);
        if (x->low < x->high)
            further_terms(l, x, array);
        found = element(l, array, l->n_loops, expr_integer(l->m, x->high));
    }
    *meaning_of(l, x->n->first->symbol) = before;
    return found;
}
