#include "lower/field.h"

#include "base/whole.h"

#include <inttypes.h>
#include <string.h>

/* Calls in expressions. */

typedef struct MathRow {
    const char *name;
    ExprOp op;
} MathRow;

static const MathRow math[] = {
    {"SIN", EXPR_SIN},     {"COS", EXPR_COS},     {"TAN", EXPR_TAN},
    {"ASIN", EXPR_ASIN},   {"ACOS", EXPR_ACOS},   {"ATAN", EXPR_ATAN},
    {"ATAN2", EXPR_ATAN2}, {"SINH", EXPR_SINH},   {"COSH", EXPR_COSH},
    {"TANH", EXPR_TANH},   {"EXP", EXPR_EXP},     {"LOG", EXPR_LOG},
    {"LOG10", EXPR_LOG10}, {"SQRT", EXPR_SQRT},   {"HYPOT", EXPR_HYPOT},
    {"ERF", EXPR_ERF},     {"ABS", EXPR_ABS},     {"SIGN", EXPR_SIGN},
    {"MIN", EXPR_MIN},     {"MAX", EXPR_MAX},     {"INT", EXPR_TRUNC},
    {"TRUNC", EXPR_TRUNC}, {"ROUND", EXPR_ROUND}, {"NOEVENT", EXPR_NOEVENT},
    {"FLOAT", EXPR_FLOAT}, {"ASINH", EXPR_ASINH}, {"ACOSH", EXPR_ACOSH},
    {"ATANH", EXPR_ATANH}, {"FLOOR", EXPR_FLOOR}, {"FACTORIAL", EXPR_FACTORIAL},
};

const Node *call_actual(const Node *call, uint32_t k)
{
    const Node *list = call->last->first;
    uint32_t before = node_count(list);
    const Node *actual = k < before ? node_child(list, k)
                                    : node_child(call->last->last, k - before);
    return actual && actual->kind == NODE_ACTUAL ? actual->first : actual;
}

static uint32_t call_count(const Node *call)
{
    return node_count(call->last->first) + node_count(call->last->last);
}

/* ---- Mathematics ------------------------------------------------------------------------ */

static const Expr *lower_math(Lowerer *l, const Node *n, ExprOp op, Place place)
{
    uint32_t count = call_count(n);
    l->unwatched += op == EXPR_NOEVENT;
    const Expr *e = lower_expression(l, call_actual(n, 0), place);
    l->unwatched -= op == EXPR_NOEVENT;
    if (op == EXPR_FLOAT)
        return expr_float(l->m, e);
    if ((op == EXPR_TRUNC || op == EXPR_ROUND || op == EXPR_FLOOR) &&
        e->type == EXPR_TYPE_INTEGER)
        return e;
    if (count == 1)
        return expr_1(l->m, op, e);
    for (uint32_t k = 1; k < count; k++)
        e = expr_2(l->m, op, e, lower_expression(l, call_actual(n, k), place));
    return e;
}

/* The least whole number that is not below. */
static const Expr *lower_ceil(Lowerer *l, const Node *n, Place place)
{
    const Expr *e = lower_expression(l, n, place);
    if (e->type == EXPR_TYPE_INTEGER)
        return e;
    return expr_1(l->m, EXPR_NEG,
                  expr_1(l->m, EXPR_FLOOR, expr_1(l->m, EXPR_NEG, e)));
}

/* ---- Series ------------------------------------------------------------------------------ */

#define TERMS_MOST   10000 // most terms of a series that is expanded
#define EXTREME_MOST 1000  // the same for MIN and MAX, each of which is watched
#define SERIES_MOST  100000000 // most terms in an equation: a tenth of a second

/* True if a function with a memory is called in it: every term needs its
   own. */
bool has_memory(const Node *n)
{
    if (n->kind == NODE_CALL && n->first->kind == NODE_NAME &&
        n->first->symbol && n->first->symbol->kind == SYMBOL_FUNCTION &&
        n->first->symbol->takes && n->first->symbol->takes[0] == 'M')
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (has_memory(k))
            return true;
    return false;
}

/* The operation between two terms. */
static ExprOp joined(ExprOp op)
{
    switch (op) {
    case EXPR_SUM: return EXPR_ADD;
    case EXPR_PROD: return EXPR_MUL;
    case EXPR_LEAST: return EXPR_MIN;
    default: return EXPR_MAX;
    }
}

/* Expands to a + b + ..., with the index as a number. */
static const Expr *write_out(Lowerer *l, const Node *n, ExprOp op, int64_t from,
                             int64_t to, const Expr *except, Place place)
{
    Model *m = l->m;
    Meaning *index = meaning_of(l, n->first->symbol), before = *index;
    const Expr *sum = NULL;
    int64_t left_out = 0;
    bool leaves = except->op != EXPR_TRUTH && expr_whole(l, except, &left_out);
    for (int64_t k = from, more = from <= to; more;
         more = k < to && whole_add(k, 1, &k)) {
        if (leaves && k == left_out)
            continue;
        index->kind = MEANS_VALUE;
        index->value = expr_integer(m, k);
        const Expr *term = lower_expression(l, n->last, place);
        sum = sum ? expr_2(m, joined(op), sum, term) : term;
    }
    *index = before;
    if (!sum && (op == EXPR_LEAST || op == EXPR_MOST))
        lower_no_terms(l, n, from, to);
    return sum ? sum : expr_number(m, op == EXPR_PROD ? "1.0" : "0.0");
}

static const Expr *lower_series(Lowerer *l, const Node *call, ExprOp op,
                                Place place)
{
    Model *m = l->m;
    const Node *n = call_actual(call, 0), *left_out = node_child(n, 3);
    if (n->kind == NODE_GATHER)
        return lower_gather(l, call, op, place);
    const Expr *from = lower_expression(l, node_child(n, 1), place);
    const Expr *to = lower_expression(l, node_child(n, 2), place);
    const Expr *except = node_absent(left_out)
                             ? expr_truth(m, false)
                             : lower_expression(l, left_out, place);
    Loop loop = {.name = n->first->text,
                 .low = 1,
                 .high = 0,
                 .step = 1,
                 .bound = true,
                 .line = lower_line(l, n->at, n->origin)};
    int64_t low, high;
    bool known = expr_whole(l, from, &low) && expr_whole(l, to, &high);
    if (place == IN_EQUATION && (op == EXPR_LEAST || op == EXPR_MOST)) {
        Extreme x = {n, op, low, high, except};
        if (!known)
            LOWER_ERROR(l, n,
                        "MIN and MAX over an index need bounds that are "
                        "constants where they stand in an equation");
        else if (low > high)
            lower_no_terms(l, n, low, high);
        if (!known || low > high)
            return lower_nothing(l, EXPR_TYPE_REAL);
        const Expr *found = lower_extreme(l, &x);
        if (found)
            return found;
        if (whole_apart(low, high) < EXTREME_MOST)
            return write_out(l, n, op, low, high, except, place);
        LOWER_ERROR(l, n,
                    "more than %d terms of MIN or MAX stand alone: give it an "
                    "ALGEBR and an equation of its own, outside of IF, CASE, "
                    "SUM and further loops",
                    EXTREME_MOST);
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    if (known && (l->depth > 0 || has_memory(n->last)) &&
        (low > high || whole_apart(low, high) < TERMS_MOST))
        return write_out(l, n, op, low, high, except, place);
    if (known && place == IN_EQUATION && low < high &&
        whole_apart(low, high) >= SERIES_MOST)
        LOWER_ERROR(l, n,
                    "%" PRId64 " to %" PRId64
                    " are too many terms: equations are evaluated at every "
                    "step, and at most %d terms are allowed",
                    low, high, SERIES_MOST);
    if (known) {
        loop.low = low;
        loop.high = high;
    }
    Meaning *index = meaning_of(l, n->first->symbol);
    index->kind = MEANS_LOOP;
    index->number = model_add_loop(m, &loop);
    l->series++;
    const Expr *arg[4] = {from, to, except,
                          lower_expression(l, n->last, place)};
    l->series--;
    return expr_make(m, op, EXPR_TYPE_REAL, index->number, arg, 4);
}

/* ---- Predefined functions ----------------------------------------------------------------- */

static const Expr *predefined_call(Lowerer *l, const Node *n, const Symbol *s,
                                   Place place)
{
    const Node *first = call_actual(n, 0);
    const Expr *of_field = lower_field_call(l, n, place);
    if (of_field)
        return of_field;
    if (name_same(s->name, "CEIL"))
        return lower_ceil(l, first, place);
    bool series =
        first && (first->kind == NODE_SERIES || first->kind == NODE_GATHER);
    if (series && name_same(s->name, "MIN"))
        return lower_series(l, n, EXPR_LEAST, place);
    if (series && name_same(s->name, "MAX"))
        return lower_series(l, n, EXPR_MOST, place);
    for (size_t k = 0; k < LENGTH(math); k++)
        if (name_same(math[k].name, s->name))
            return lower_math(l, n, math[k].op, place);
    if (name_same(s->name, "SUM"))
        return lower_series(l, n, EXPR_SUM, place);
    if (name_same(s->name, "PROD"))
        return lower_series(l, n, EXPR_PROD, place);
    const Expr *e = lower_copies(l, n, s->name, place);
    if (!e)
        e = lower_queue(l, n, s->name, place);
    if (!e)
        e = lower_asked(l, n, s->name, place);
    if (!e)
        e = lower_found(l, n, s->name, place);
    if (!e)
        e = lower_sens(l, n, s->name, place);
    if (!e)
        e = lower_switch(l, n, s->name, place);
    if (!e)
        e = lower_dynamic(l, n, s->name);
    if (e)
        return e;
    refuse(l, n, s->name);
    return lower_nothing(l, lower_type(s->type));
}

/* ---- The modeller's functions --------------------------------------------------------------- */

static const Expr *lower_arguments(Lowerer *l, const Node *n, const Symbol *s,
                                   ExprOp op, uint32_t which, Place place)
{
    uint32_t count = call_count(n), k = 0;
    const Expr **arg = MODEL_ARRAY(l->m, const Expr *, count + 2);
    const Node *formals = s->body ? s->body->first : NULL;
    const Node *formal = formals ? formals->first->first : NULL;
    if (!arg)
        return lower_nothing(l, EXPR_TYPE_REAL);
    for (; k < count; k++) {
        if (formal && formal->word == WORD_RANDOM) {
            arg[k] = lower_stream_number(l, call_actual(n, k), place);
            formal = formal->next;
            continue;
        }
        arg[k] = lower_expression(l, call_actual(n, k), place);
        if (formal) {
            arg[k] = lower_fit(l, arg[k], lower_type(formal->word));
            if (op == EXPR_CALL)
                arg[k] = lower_passed(l, arg[k]);
            formal = formal->next;
        }
    }
    if (op == EXPR_CALL)
        arg[count++] = lower_occurrence(l);
    return expr_make(l->m, op, lower_type(s->type), which, arg, count);
}

static const Expr *user_call(Lowerer *l, const Node *n, const Symbol *s,
                             Place place)
{
    const Meaning *meaning = meaning_of(l, s);
    if (place == IN_EQUATION && s->body && s->body->kind == NODE_FUNCTION)
        return lower_inline(l, n, s);
    switch (meaning->kind) {
    case MEANS_EXTERNAL:
        return lower_arguments(l, n, s, EXPR_EXTERNAL, meaning->number, place);
    case MEANS_ROUTINE:
        return lower_arguments(l, n, s, EXPR_CALL, meaning->number, place);
    case MEANS_TABLE:
        return expr_make(
            l->m, EXPR_TABLE, EXPR_TYPE_REAL, meaning->number,
            (const Expr *[]){lower_real(l, call_actual(n, 0), place)}, 1);
    case MEANS_REFUSED: break;
    default: LOWER_ERROR(l, n, "`%s` cannot be called here", s->shown);
    }
    return lower_nothing(l, lower_type(s->type));
}

const Expr *lower_call(Lowerer *l, const Node *n, Place place)
{
    const Symbol *s = n->first->kind == NODE_NAME ? n->first->symbol : NULL;
    if (!s)
        return lower_nothing(l, EXPR_TYPE_REAL);
    if (s->node == NULL && s->kind == SYMBOL_FUNCTION)
        return predefined_call(l, n, s, place);
    return user_call(l, n, s, place);
}
