#include "check/checker.h"

/* Types of expressions. */

const char *type_words(Type t)
{
    switch (t) {
    case TYPE_REAL: return "a REAL number";
    case TYPE_INTEGER: return "a whole number";
    case TYPE_TRUTH: return "a truth value";
    case TYPE_STRING: return "a string";
    case TYPE_ENTRY: return "an entry of a file";
    case TYPE_THING: return "no value";
    default: return "a value";
    }
}

/* ---- What is expected ---------------------------------------------------- */

static Type expect(Checker *c, Node *n, const char *what, const char *expected,
                   Type found)
{
    const Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    if (found == TYPE_THING && s != NULL)
        ERROR(c, n, "%s must be %s, but `%s` is %s", what, expected, s->shown,
              symbol_words(s));
    else
        ERROR(c, n, "%s must be %s, but this is %s", what, expected,
              type_words(found));
    return TYPE_ANY;
}

Type check_integer(Checker *c, Node *n, const char *what)
{
    Type t = check_expression(c, n);
    if (t == TYPE_REAL)
        return expect(c, n, what, "a whole number (INTEGER)", t);
    if (!type_is_number(t))
        return expect(c, n, what, "a whole number", t);
    return t;
}

Type check_number(Checker *c, Node *n, const char *what)
{
    Type t = check_expression(c, n);
    return type_is_number(t) ? t : expect(c, n, what, "a number", t);
}

Type check_truth(Checker *c, Node *n, const char *what)
{
    Type t = check_expression(c, n);
    if (t == TYPE_ANY || t == TYPE_TRUTH)
        return t;
    return expect(c, n, what, "TRUE or FALSE", t);
}

bool check_fits(Checker *c, Node *n, Type from, Type to, const char *what)
{
    if (from == TYPE_ANY || to == TYPE_ANY || from == to ||
        (to == TYPE_REAL && from == TYPE_INTEGER))
        return true;
    if (to == TYPE_INTEGER && from == TYPE_REAL) {
        const Node *name = n->kind == NODE_INDEX ? n->first : n;
        if (name->kind == NODE_NAME && name->symbol != NULL &&
            symbol_is(name->symbol, WORD_RANDOM))
            return true; // drawn from a distribution of whole numbers
        ERROR(c, n,
              "%s is INTEGER, but this is a REAL number: use ROUND or TRUNC",
              what);
    } else if (to == TYPE_TRUTH && type_is_number(from)) {
        ERROR(c, n, "%s is BOOLEAN, but this is a number: write TRUE or FALSE",
              what);
    } else if (type_is_number(to) && from == TYPE_TRUTH) {
        ERROR(c, n, "%s is a number, but this is a truth value", what);
    } else {
        expect(c, n, what, to == TYPE_TRUTH ? "TRUE or FALSE" : "a number",
               from);
    }
    return false;
}

/* ---- Operations ---------------------------------------------------------- */

/* An operand must be a number. */
static bool operand(Checker *c, Node *n, Type t, const char *operation)
{
    if (type_is_number(t))
        return true;
    if (t == TYPE_TRUTH)
        ERROR(c, n,
              "`%s` needs numbers, but this is a truth value: inside a sum or "
              "product a comparison needs IF",
              operation);
    else
        ERROR(c, n, "`%s` needs numbers, but this is %s", operation,
              n->kind == NODE_NAME && n->symbol != NULL && t == TYPE_THING
                  ? symbol_words(n->symbol)
                  : type_words(t));
    return false;
}

static bool both_numbers(Checker *c, Node *n, Type a, Type b)
{
    const char *word = word_text(n->word);
    bool left = operand(c, n->first, a, word);
    return operand(c, n->last, b, word) && left;
}

/* DIV takes whole numbers; MOD gives the remainder of any division. */
static Type divide_whole(Checker *c, Node *n, Type a, Type b)
{
    Constant v;
    bool real = a == TYPE_REAL || b == TYPE_REAL;
    if (!both_numbers(c, n, a, b))
        return TYPE_ANY;
    if (real && n->word == WORD_DIV) {
        ERROR(c, a == TYPE_REAL ? n->first : n->last,
              "`DIV` divides whole numbers, but this is a REAL number");
        return TYPE_ANY;
    }
    if (constant_fold(c, n->last, &v) &&
        (v.type == TYPE_INTEGER ? v.integer == 0 : v.real == 0.0)) {
        ERROR(c, n->last, "division by zero");
        return TYPE_ANY;
    }
    if (real)
        return TYPE_REAL;
    return a == TYPE_ANY || b == TYPE_ANY ? TYPE_ANY : TYPE_INTEGER;
}

static Type divide(Checker *c, Node *n, Type a, Type b)
{
    Constant v;
    if (!both_numbers(c, n, a, b))
        return TYPE_ANY;
    if (constant_fold(c, n->last, &v) && v.type != TYPE_TRUTH &&
        v.real == 0.0) {
        ERROR(c, n->last, "division by zero");
        return TYPE_ANY;
    }
    return a == TYPE_ANY || b == TYPE_ANY ? TYPE_ANY : TYPE_REAL;
}

static Type combine(Type a, Type b)
{
    if (a == TYPE_ANY || b == TYPE_ANY)
        return TYPE_ANY;
    return a == TYPE_INTEGER && b == TYPE_INTEGER ? TYPE_INTEGER : TYPE_REAL;
}

/* Two REALs that move are hardly ever equal. */
static void warn_equality(Checker *c, Node *n, Type a, Type b)
{
    if ((c->place & PLACE_EQUATION) == 0 || c->crossing ||
        (n->word != WORD_EQUAL && n->word != WORD_UNEQUAL) ||
        (a != TYPE_REAL && b != TYPE_REAL))
        return;
    WARNING(c, n,
            "REAL numbers that move are equal only for an instant, if at all: "
            "compare with <= or >=, or use CONDIT");
}

static Type compare(Checker *c, Node *n, Type a, Type b)
{
    bool equality = n->word == WORD_EQUAL || n->word == WORD_UNEQUAL;
    if (a == TYPE_ANY || b == TYPE_ANY)
        return TYPE_TRUTH;
    if (equality && a == TYPE_TRUTH && b == TYPE_TRUTH)
        return TYPE_TRUTH;
    if (a == TYPE_TRUTH && b == TYPE_TRUTH)
        ERROR(c, n, "truth values are equal or not, but have no order");
    else if (a == TYPE_TRUTH && type_is_number(b))
        ERROR(c, n, "a truth value cannot be compared with a number");
    else if (b == TYPE_TRUTH && type_is_number(a))
        ERROR(c, n, "a number cannot be compared with a truth value");
    else if (both_numbers(c, n, a, b))
        warn_equality(c, n, a, b);
    return TYPE_TRUTH;
}

static void logical_operand(Checker *c, Node *n, Type t, const char *word)
{
    if (t != TYPE_ANY && t != TYPE_TRUTH)
        ERROR(c, n, "`%s` joins conditions, but this is %s", word,
              n->kind == NODE_NAME && n->symbol != NULL
                  ? symbol_words(n->symbol)
                  : type_words(t));
}

static Type operate(Checker *c, Node *n, Type a, Type b)
{
    switch (n->word) {
    case WORD_AND:
    case WORD_OR:
        logical_operand(c, n->first, a, word_text(n->word));
        logical_operand(c, n->last, b, word_text(n->word));
        return TYPE_TRUTH;
    case WORD_EQUAL:
    case WORD_UNEQUAL:
    case WORD_LESS:
    case WORD_LESS_EQUAL:
    case WORD_GREATER:
    case WORD_GREATER_EQUAL: return compare(c, n, a, b);
    case WORD_DIV:
    case WORD_MOD: return divide_whole(c, n, a, b);
    case WORD_SLASH: return divide(c, n, a, b);
    default: return both_numbers(c, n, a, b) ? combine(a, b) : TYPE_ANY;
    }
}

static Type binary(Checker *c, Node *n)
{
    Type a = check_expression(c, n->first);
    check_place_quotient(c, n);
    return operate(c, n, a, check_expression(c, n->last));
}

static Type unary(Checker *c, Node *n)
{
    Type t = check_expression(c, n->first);
    if (n->word == WORD_NOT) {
        logical_operand(c, n->first, t, "NOT");
        return TYPE_TRUTH;
    }
    return operand(c, n->first, t, word_text(n->word)) ? t : TYPE_ANY;
}

/* IF c THEN a ELSE b: both of one type. */
static Type choose(Checker *c, Node *n)
{
    Node *then = node_child(n, 1);
    Type a, b;
    check_truth(c, n->first, "the condition after IF");
    a = check_expression(c, then);
    b = check_expression(c, n->last);
    if (a == TYPE_ANY || b == TYPE_ANY)
        return TYPE_ANY;
    if (type_is_number(a) && type_is_number(b))
        return combine(a, b);
    if (a == b)
        return a;
    ERROR(c, n->last, "THEN gives %s, but ELSE gives %s", type_words(a),
          type_words(b));
    return TYPE_ANY;
}

/* ---- Names --------------------------------------------------------------- */

/* Reports a name that is used as a value but has none. */
static Type no_value(Checker *c, Node *n, const Symbol *s)
{
    if (s->kind == SYMBOL_FUNCTION || s->kind == SYMBOL_FUNCTABLE) {
        ERROR(c, n, "`%s` is %s: its arguments are missing, as in %s (x)",
              s->shown, symbol_words(s), s->shown);
        return TYPE_ANY;
    }
    return TYPE_THING;
}

static Type designator(Checker *c, Node *n)
{
    Target t = check_designator(c, n, ACCESS_READ);
    if (t.symbol == NULL)
        return TYPE_ANY;
    if (t.whole && t.type != TYPE_ANY) {
        ERROR(c, n, "`%s` is an array: say which element, as in `%s[%s]`",
              t.symbol->shown, t.symbol->shown,
              t.symbol->rank == 1 ? "1" : "1, 1");
        return TYPE_ANY;
    }
    return t.type == TYPE_THING ? no_value(c, n, t.symbol) : t.type;
}

static void no_derivative(Checker *c, Node *n, Symbol *s)
{
    if (s->type == WORD_ALGEBR && s->kind == SYMBOL_VARIABLE)
        ERROR(c, n,
              "`%s'` is in no equation, so its value is not known here: give "
              "it a name in CONTINUOUS, as in RATE = %s', and use that",
              s->shown, s->shown);
    else if (symbol_is_input(s))
        ERROR(c, n,
              "`%s` is an INPUT, and nothing says how fast it changes: make "
              "its derivative an INPUT too",
              s->shown);
    else
        ERROR(c, n,
              "`%s` is %s, and only a STATE or an ALGEBR has a derivative: "
              "declare it as STATE",
              s->shown, symbol_words(s));
    s->meant = true; // so that no missing equation is reported too
}

bool check_derivative(Checker *c, Node *n, Target t)
{
    Symbol *s = t.symbol;
    bool algebr = s->type == WORD_ALGEBR && s->derived;
    if ((s->type != WORD_STATE && !algebr && s->kind != SYMBOL_FIELD) ||
        (symbol_is_input(s) && s->type != WORD_STATE)) { // told before
        no_derivative(c, n, s);
        return false;
    }
    if (n->integer > 2) {
        ERROR(c, n,
              "only first and second derivatives can be written: give the "
              "others names");
        return false;
    }
    return true;
}

/* What changes continuously has a derivative. */
static Type derivative(Checker *c, Node *n)
{
    Target t = check_designator(c, n->first, ACCESS_READ);
    if (t.symbol == NULL || t.type == TYPE_ANY)
        return TYPE_ANY;
    if (t.symbol->type == WORD_STATE && (c->place & PLACE_EQUATION) != 0)
        t.symbol->derived = true;
    if (!check_derivative(c, n, t))
        return TYPE_ANY;
    if (t.whole) {
        ERROR(c, n, "`%s` is an array: say which element, as in `%s[1]'`",
              t.symbol->shown, t.symbol->shown);
        return TYPE_ANY;
    }
    return TYPE_REAL;
}

Type check_expression(Checker *c, Node *n)
{
    switch (n->kind) {
    case NODE_INTEGER: return TYPE_INTEGER;
    case NODE_NUMBER: return TYPE_REAL;
    case NODE_STRING: return TYPE_STRING;
    case NODE_BOOLEAN: return TYPE_TRUTH;
    case NODE_BINARY: return binary(c, n);
    case NODE_UNARY: return unary(c, n);
    case NODE_CHOOSE: return choose(c, n);
    case NODE_CALL: return check_function_call(c, n);
    case NODE_DERIVATIVE: return derivative(c, n);
    case NODE_FIELD_AT: return check_field_at(c, n);
    case NODE_NAME:
    case NODE_INDEX:
    case NODE_SELECT: return designator(c, n);
    default: return TYPE_ANY;
    }
}
