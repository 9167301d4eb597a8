#include "check/checker.h"

#include "base/whole.h"

#include <math.h>

/* Values of expressions that are known before any run. Whole numbers have 64
   bits and stay whole under + - * ** DIV MOD; / gives a number with a point. */

/* A flag of nodes whose value has been reported as impossible. */
#define FLAG_REPORTED 0x80000000u

static void impossible(Checker *c, Node *n, const char *why)
{
    if ((n->flags & FLAG_REPORTED) != 0)
        return;
    n->flags |= FLAG_REPORTED;
    ERROR(c, n, "%s", why);
}

static bool give_integer(Constant *v, int64_t k)
{
    *v = (Constant){TYPE_INTEGER, k, (double)k};
    return true;
}

static bool give_truth(Constant *v, bool truth)
{
    *v = (Constant){TYPE_TRUTH, truth, truth};
    return true;
}

static bool give_real(Checker *c, Node *n, Constant *v, double x)
{
    if (!isfinite(x) && n->kind == NODE_NUMBER)
        return false; // reported when it was read
    if (!isfinite(x)) {
        impossible(c, n,
                   isnan(x) ? "this constant has no value: check the range of "
                              "its operations"
                            : "this constant is too large for a REAL");
        return false;
    }
    *v = (Constant){TYPE_REAL, 0, x};
    return true;
}

/* What is computed from INF would have no value, or none that means anything. */
static bool no_number(Checker *c, Node *n)
{
    impossible(c, n,
               "INF is no number to compute with: compare it, choose it by IF, "
               "MIN or MAX, or assign it");
    return false;
}

/* ---- Whole numbers ------------------------------------------------------- */

static bool divide_integers(Checker *c, Node *n, int64_t a, int64_t b,
                            Constant *v)
{
    if (b == 0) {
        impossible(c, n, "division by zero");
        return false;
    }
    if (b == -1) // INT64_MIN DIV -1 would overflow
        return n->word == WORD_MOD ? give_integer(v, 0)
                                   : a != INT64_MIN && give_integer(v, -a);
    return give_integer(v, n->word == WORD_DIV ? a / b : a % b);
}

static bool operate_integers(Checker *c, Node *n, int64_t a, int64_t b,
                             Constant *v)
{
    bool fits = true;
    int64_t result = 0;
    switch (n->word) {
    case WORD_PLUS: fits = whole_add(a, b, &result); break;
    case WORD_MINUS: fits = whole_subtract(a, b, &result); break;
    case WORD_TIMES: fits = whole_multiply(a, b, &result); break;
    case WORD_DIV:
    case WORD_MOD: return divide_integers(c, n, a, b, v);
    default: fits = whole_power(a, b, &result); break;
    }
    if (!fits) {
        impossible(c, n,
                   "this whole number is too large: an INTEGER reaches "
                   "from -9223372036854775808 to 9223372036854775807");
        return false;
    }
    return give_integer(v, result);
}

/* ---- Operations ---------------------------------------------------------- */

static bool compare(Word operation, const Constant *a, const Constant *b,
                    Constant *v)
{
    bool whole = a->type != TYPE_REAL && b->type != TYPE_REAL;
    bool less = whole ? a->integer < b->integer : a->real < b->real;
    bool equal = whole ? a->integer == b->integer : a->real == b->real;
    switch (operation) {
    case WORD_EQUAL: return give_truth(v, equal);
    case WORD_UNEQUAL: return give_truth(v, !equal);
    case WORD_LESS: return give_truth(v, less);
    case WORD_LESS_EQUAL: return give_truth(v, less || equal);
    case WORD_GREATER: return give_truth(v, !less && !equal);
    default: return give_truth(v, !less);
    }
}

static bool operate_reals(Checker *c, Node *n, double a, double b, Constant *v)
{
    switch (n->word) {
    case WORD_PLUS: return give_real(c, n, v, a + b);
    case WORD_MINUS: return give_real(c, n, v, a - b);
    case WORD_TIMES: return give_real(c, n, v, a * b);
    case WORD_SLASH:
    case WORD_MOD:
        if (b == 0.0) {
            impossible(c, n, "division by zero");
            return false;
        }
        return give_real(c, n, v, n->word == WORD_MOD ? fmod(a, b) : a / b);
    default: return give_real(c, n, v, pow(a, b));
    }
}

static bool is_whole(const Node *n, const Constant *a, const Constant *b)
{
    if (a->type != TYPE_INTEGER || b->type != TYPE_INTEGER ||
        n->word == WORD_SLASH)
        return false;
    return (n->word != WORD_POWER && n->word != WORD_CARET) || b->integer >= 0;
}

/* As expr_converted: INF + 1, 2*INF. */
static bool keeps_infinity(Word operation, double a, double b)
{
    switch (operation) {
    case WORD_PLUS: return isfinite(a) || isfinite(b);
    case WORD_MINUS: return isfinite(b);
    case WORD_TIMES: return isfinite(a) ? a > 0.0 : isfinite(b) && b > 0.0;
    case WORD_SLASH: return isfinite(b) && b > 0.0;
    default: return false;
    }
}

static bool fold_binary(Checker *c, Node *n, Constant *v)
{
    Constant a, b;
    if (!constant_fold(c, n->first, &a) || !constant_fold(c, n->last, &b))
        return false;
    switch (n->word) {
    case WORD_AND: return give_truth(v, a.integer != 0 && b.integer != 0);
    case WORD_OR: return give_truth(v, a.integer != 0 || b.integer != 0);
    case WORD_EQUAL:
    case WORD_UNEQUAL:
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_GREATER:
    case WORD_GREATER_EQUAL: return compare(n->word, &a, &b, v);
    default: break;
    }
    if (isinf(a.real) || isinf(b.real)) {
        bool stays = keeps_infinity(n->word, a.real, b.real);
        *v = (Constant){TYPE_REAL, 0, isinf(a.real) ? a.real : b.real};
        return stays || no_number(c, n);
    }
    if (is_whole(n, &a, &b))
        return operate_integers(c, n, a.integer, b.integer, v);
    return operate_reals(c, n, a.real, b.real, v);
}

static bool fold_unary(Checker *c, Node *n, Constant *v)
{
    Constant a;
    if (!constant_fold(c, n->first, &a))
        return false;
    if (n->word == WORD_NOT)
        return give_truth(v, a.integer == 0);
    if (n->word == WORD_PLUS)
        *v = a;
    else if (a.type != TYPE_INTEGER)
        *v = (Constant){TYPE_REAL, 0, -a.real};
    else if (a.integer == INT64_MIN)
        return false;
    else
        return give_integer(v, -a.integer);
    return true;
}

/* ---- Names and functions ------------------------------------------------- */

static bool fold_name(const Symbol *s, Constant *v)
{
    if (s == NULL || s->kind != SYMBOL_CONST || !s->has_value)
        return false;
    *v = (Constant){symbol_type(s), s->integer, s->value};
    return true;
}

typedef struct MathRow {
    const char *name;
    double (*function)(double);
} MathRow;

static const MathRow math[] = {
    {"SIN", sin},     {"COS", cos},   {"TAN", tan},     {"ASIN", asin},
    {"ACOS", acos},   {"ATAN", atan}, {"SINH", sinh},   {"COSH", cosh},
    {"TANH", tanh},   {"EXP", exp},   {"LOG", log},     {"LOG10", log10},
    {"SQRT", sqrt},   {"ERF", erf},   {"ASINH", asinh}, {"ACOSH", acosh},
    {"ATANH", atanh},
};

static bool to_integer(Checker *c, Node *n, double x, Constant *v)
{
    if (!(fabs(x) < 9.2e18)) {
        impossible(c, n, "this constant is too large for an INTEGER");
        return false;
    }
    return give_integer(v, (int64_t)x);
}

static bool fold_one(Checker *c, Node *n, const char *name, const Constant *a,
                     Constant *v)
{
    if (isinf(a->real))
        return no_number(c, n);
    for (size_t k = 0; k < LENGTH(math); k++) {
        if (name_same(name, math[k].name))
            return give_real(c, n, v, math[k].function(a->real));
    }
    if (name_same(name, "FLOAT"))
        return give_real(c, n, v, a->real);
    if (name_same(name, "INT") || name_same(name, "TRUNC"))
        return to_integer(c, n, trunc(a->real), v);
    if (name_same(name, "ROUND"))
        return to_integer(c, n, round(a->real), v);
    if (name_same(name, "FLOOR"))
        return to_integer(c, n, floor(a->real), v);
    if (name_same(name, "CEIL"))
        return to_integer(c, n, ceil(a->real), v);
    if (name_same(name, "FACTORIAL"))
        return give_real(c, n, v, whole_factorial(a->real));
    if (!name_same(name, "ABS"))
        return false;
    if (a->type != TYPE_INTEGER)
        return give_real(c, n, v, fabs(a->real));
    return a->integer != INT64_MIN &&
           give_integer(v, a->integer < 0 ? -a->integer : a->integer);
}

static bool fold_two(Checker *c, Node *n, const char *name, const Constant *a,
                     const Constant *b, Constant *v)
{
    bool extreme = name_same(name, "MIN") || name_same(name, "MAX");
    if (!extreme && (isinf(a->real) || isinf(b->real)))
        return no_number(c, n);
    if (name_same(name, "ATAN2"))
        return give_real(c, n, v, atan2(a->real, b->real));
    if (name_same(name, "HYPOT"))
        return give_real(c, n, v, hypot(a->real, b->real));
    if (extreme) {
        bool first = (a->real < b->real) == name_same(name, "MIN");
        *v = first ? *a : *b;
        if (a->type != b->type)
            *v = (Constant){TYPE_REAL, 0, v->real};
        return true;
    }
    return false;
}

/* A predefined function of one or two constants. */
static bool fold_call(Checker *c, Node *n, Constant *v)
{
    const Symbol *s = n->first->kind == NODE_NAME ? n->first->symbol : NULL;
    Node *actual = n->last->first->first;
    Constant a, b;
    if (s == NULL || s->node != NULL || s->kind != SYMBOL_FUNCTION ||
        actual == NULL || actual->kind != NODE_ACTUAL ||
        !constant_fold(c, actual->first, &a))
        return false;
    if (actual->next == NULL)
        return fold_one(c, n, s->name, &a, v);
    actual = actual->next;
    if (actual->next != NULL || actual->kind != NODE_ACTUAL ||
        !constant_fold(c, actual->first, &b))
        return false;
    return fold_two(c, n, s->name, &a, &b, v);
}

static bool fold_choose(Checker *c, Node *n, Constant *v)
{
    Constant condition;
    if (!constant_fold(c, n->first, &condition))
        return false;
    return constant_fold(c, condition.integer != 0 ? node_child(n, 1) : n->last,
                         v);
}

bool constant_fold(Checker *c, Node *n, Constant *v)
{
    switch (n->kind) {
    case NODE_INTEGER: return give_integer(v, n->integer);
    case NODE_NUMBER: return give_real(c, n, v, n->number);
    case NODE_BOOLEAN: return give_truth(v, n->integer != 0);
    case NODE_NAME: return fold_name(n->symbol, v);
    case NODE_BINARY: return fold_binary(c, n, v);
    case NODE_UNARY: return fold_unary(c, n, v);
    case NODE_CALL: return fold_call(c, n, v);
    case NODE_CHOOSE: return fold_choose(c, n, v);
    default: return false;
    }
}

/* ---- What must be a constant --------------------------------------------- */

/* Reports anything that is not a constant, unless it is wrong already. */
static bool fold_checked(Checker *c, Node *n, Type type, const char *what,
                         Constant *v)
{
    uint32_t errors = c->unit->diags->errors;
    if (type == TYPE_ANY)
        return false;
    if (constant_fold(c, n, v))
        return true;
    if (c->unit->diags->errors == errors)
        ERROR(c, n,
              "%s must be a constant: a number, or an expression of CONSTs",
              what);
    return false;
}

bool constant_integer(Checker *c, Node *n, const char *what, int64_t *v)
{
    Constant k;
    if (!fold_checked(c, n, check_integer(c, n, what), what, &k))
        return false;
    *v = k.integer;
    return true;
}

bool constant_number(Checker *c, Node *n, const char *what, double *v)
{
    Constant k;
    if (!fold_checked(c, n, check_number(c, n, what), what, &k))
        return false;
    *v = k.real;
    if (!isinf(k.real))
        return true;
    ERROR(c, n, "%s must be finite", what);
    return false;
}

bool constant_bound(Checker *c, Node *n, const char *what, double *v)
{
    Constant k;
    if (!fold_checked(c, n, check_number(c, n, what), what, &k))
        return false;
    *v = k.real;
    return true;
}
