#include "lower/lowerer.h"

#include "base/whole.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values known at translation: sizes, bounds, labels. Numbers with a point are
   computed as doubles here; what a run computes with keeps all its digits. */

static bool value_1(ExprOp op, double a, double *v)
{
    switch (op) {
    case EXPR_NEG: *v = -a; return true;
    case EXPR_FLOAT:
    case EXPR_FROZEN:
    case EXPR_NOEVENT: *v = a; return true;
    case EXPR_SIN: *v = sin(a); return true;
    case EXPR_COS: *v = cos(a); return true;
    case EXPR_TAN: *v = tan(a); return true;
    case EXPR_ASIN: *v = asin(a); return true;
    case EXPR_ACOS: *v = acos(a); return true;
    case EXPR_ATAN: *v = atan(a); return true;
    case EXPR_SINH: *v = sinh(a); return true;
    case EXPR_COSH: *v = cosh(a); return true;
    case EXPR_TANH: *v = tanh(a); return true;
    case EXPR_ASINH: *v = asinh(a); return true;
    case EXPR_ACOSH: *v = acosh(a); return true;
    case EXPR_ATANH: *v = atanh(a); return true;
    case EXPR_FACTORIAL: *v = whole_factorial(a); return true;
    case EXPR_EXP: *v = exp(a); return true;
    case EXPR_LOG: *v = log(a); return true;
    case EXPR_LOG10: *v = log10(a); return true;
    case EXPR_SQRT: *v = sqrt(a); return true;
    case EXPR_ERF: *v = erf(a); return true;
    case EXPR_ABS: *v = fabs(a); return true;
    case EXPR_SIGN: *v = (a > 0.0) - (a < 0.0); return true;
    case EXPR_TRUNC: *v = trunc(a); return true;
    case EXPR_ROUND: *v = round(a); return true;
    case EXPR_FLOOR: *v = floor(a); return true;
    case EXPR_NOT: *v = a == 0.0; return true;
    default: return false;
    }
}

static bool value_2(ExprOp op, double a, double b, double *v)
{
    switch (op) {
    case EXPR_ADD: *v = a + b; return true;
    case EXPR_SUB: *v = a - b; return true;
    case EXPR_MUL: *v = a * b; return true;
    case EXPR_DIV: *v = a / b; return true;
    case EXPR_POW: *v = pow(a, b); return true;
    case EXPR_IDIV: *v = trunc(a / b); return true;
    case EXPR_MOD: *v = fmod(a, b); return true;
    case EXPR_ATAN2: *v = atan2(a, b); return true;
    case EXPR_HYPOT: *v = hypot(a, b); return true;
    case EXPR_MIN: *v = fmin(a, b); return true;
    case EXPR_MAX: *v = fmax(a, b); return true;
    case EXPR_LT: *v = a < b; return true;
    case EXPR_LE: *v = a <= b; return true;
    case EXPR_GT: *v = a > b; return true;
    case EXPR_GE: *v = a >= b; return true;
    case EXPR_EQ: *v = a == b; return true;
    case EXPR_NE: *v = a != b; return true;
    case EXPR_AND: *v = a != 0.0 && b != 0.0; return true;
    case EXPR_OR: *v = a != 0.0 || b != 0.0; return true;
    default: return false;
    }
}

/* The value in --set: a decimal number or a truth value. The C library would
   also accept blanks, hexadecimal, "inf" and "nan". */
static bool value_of_set(const char *text, double *v)
{
    char *end;
    if (name_same(text, "TRUE") || name_same(text, "FALSE")) {
        *v = name_same(text, "TRUE");
        return true;
    }
    *v = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*v) &&
           text[strspn(text, "0123456789+-.eE")] == '\0';
}

/* The CONST of that number, with the value that --set gives it. */
static bool value_of_const(Lowerer *l, uint32_t number, double *v)
{
    const Variable *c = model_variable(l->m, number);
    if (c->kind != VARIABLE_CONST || !c->value)
        return false;
    for (uint32_t k = 0; l->o && k < l->o->sets; k++) {
        if (!name_same(l->o->set[k].name, c->name))
            continue;
        return value_of_set(l->o->set[k].value, v);
    }
    return expr_value(l, c->value, v);
}

bool expr_value(Lowerer *l, const Expr *e, double *v)
{
    double a, b;
    switch (e->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER:
    case EXPR_TRUTH: *v = e->number; return true;
    case EXPR_VARIABLE: return value_of_const(l, e->which, v);
    case EXPR_SYSTEM:
        *v = e->which == SYSTEM_INF ? INFINITY : 3.14159265358979323846;
        return e->which == SYSTEM_PI || e->which == SYSTEM_INF;
    case EXPR_CHOOSE:
        return expr_value(l, e->arg[0], &a) &&
               expr_value(l, e->arg[a != 0.0 ? 1 : 2], v);
    default: break;
    }
    if (e->count == 1)
        return expr_value(l, e->arg[0], &a) && value_1(e->op, a, v);
    return e->count == 2 && expr_value(l, e->arg[0], &a) &&
           expr_value(l, e->arg[1], &b) && value_2(e->op, a, b, v);
}

bool expr_whole(Lowerer *l, const Expr *e, int64_t *v)
{
    double x;
    if (e->op == EXPR_INTEGER) {
        *v = e->integer;
        return true;
    }
    if (e->type != EXPR_TYPE_INTEGER || !expr_value(l, e, &x) ||
        !(fabs(x) < 9007199254740992.0))
        return false;
    *v = (int64_t)x;
    return true;
}

bool lower_fold(Lowerer *l, const Node *n, int64_t *v)
{
    return expr_whole(l, lower_expression(l, n, IN_VALUE), v);
}

bool lower_constant(Lowerer *l, const Node *n, const char *what, int64_t *v)
{
    uint32_t errors = l->unit->diags->errors;
    if (lower_fold(l, n, v))
        return true;
    if (l->unit->diags->errors == errors)
        LOWER_ERROR(l, n,
                    "%s must be known at translation: a whole number, or an "
                    "expression of CONSTs",
                    what);
    return false;
}
