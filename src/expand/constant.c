#include "expand/constant.h"

#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One level per rule of the grammar of expressions, loosest first. */
static bool read_or(Evaluation *e, Value *v);

#define FAIL(e, token, ...)                                                    \
    ((e)->quiet                                                                \
         ? (void)0                                                             \
         : unit_error((e)->unit, (token)->at, (e)->origin, __VA_ARGS__),       \
     false)

#define FAIL_BY_VALUE(e, ...) ((e)->by_value = true, FAIL(e, __VA_ARGS__))

static const Token *peek(const Evaluation *e)
{
    static const Token nothing = {.kind = TOKEN_END};
    return e->at < e->count ? &e->token[e->at] : &nothing;
}

/* The place of a message: the next token, or the last one at the end. */
static const Token *place(const Evaluation *e)
{
    if (e->at < e->count && e->token[e->at].kind != TOKEN_END)
        return &e->token[e->at];
    return &e->token[e->at > 0 ? e->at - 1 : 0];
}

double value_real(const Value *v)
{
    return v->kind == VALUE_REAL ? v->real : (double)v->integer;
}

static Value whole(int64_t i)
{
    return (Value){.kind = VALUE_INTEGER, .integer = i};
}

static Value truth(bool b)
{
    return (Value){.kind = VALUE_BOOLEAN, .integer = b};
}

static bool want_number(Evaluation *e, const Token *op, const Value *v)
{
    return v->kind != VALUE_BOOLEAN ||
           FAIL(e, op, "`%s` needs numbers, not TRUE or FALSE",
                word_text(op->word));
}

static bool want_truth(Evaluation *e, const Token *op, const Value *v)
{
    return v->kind == VALUE_BOOLEAN ||
           FAIL(e, op, "`%s` needs conditions, not numbers",
                word_text(op->word));
}

/* ---- Arithmetic ---------------------------------------------------------- */

static bool finish_real(Evaluation *e, const Token *op, double r, Value *v)
{
    if (!isfinite(r))
        return FAIL_BY_VALUE(e, op, "the result of `%s` is not a finite number",
                             word_text(op->word));
    *v = (Value){.kind = VALUE_REAL, .real = r};
    return true;
}

static bool apply_real(Evaluation *e, const Token *op, const Value *b, Value *v)
{
    double x = value_real(v), y = value_real(b);
    switch (op->word) {
    case WORD_PLUS: return finish_real(e, op, x + y, v);
    case WORD_MINUS: return finish_real(e, op, x - y, v);
    case WORD_TIMES: return finish_real(e, op, x * y, v);
    case WORD_SLASH:
        if (y == 0)
            return FAIL_BY_VALUE(e, op, "division by zero");
        return finish_real(e, op, x / y, v);
    case WORD_DIV:
    case WORD_MOD:
        return FAIL(e, op, "`%s` needs whole numbers", word_text(op->word));
    default: return finish_real(e, op, pow(x, y), v);
    }
}

static bool apply_whole(Evaluation *e, const Token *op, const Value *b,
                        Value *v)
{
    int64_t x = v->integer, y = b->integer, z = 0;
    bool fits = true;
    if ((op->word == WORD_DIV || op->word == WORD_MOD) && y == 0)
        return FAIL_BY_VALUE(e, op, "division by zero");
    switch (op->word) {
    case WORD_PLUS: fits = whole_add(x, y, &z); break;
    case WORD_MINUS: fits = whole_subtract(x, y, &z); break;
    case WORD_TIMES: fits = whole_multiply(x, y, &z); break;
    case WORD_DIV:
        fits = y != -1 || x != INT64_MIN;
        z = fits ? x / y : 0;
        break;
    case WORD_MOD: z = y == -1 ? 0 : x % y; break;
    default: fits = whole_power(x, y, &z); break;
    }
    if (!fits)
        return FAIL_BY_VALUE(
            e, op, "the result of `%s` is too large for a whole number",
            word_text(op->word));
    *v = whole(z);
    return true;
}

static bool apply(Evaluation *e, const Token *op, const Value *b, Value *v)
{
    bool is_power = op->word == WORD_POWER || op->word == WORD_CARET;
    if (!want_number(e, op, v) || !want_number(e, op, b))
        return false;
    if (v->kind == VALUE_REAL || b->kind == VALUE_REAL ||
        op->word == WORD_SLASH || (is_power && b->integer < 0))
        return apply_real(e, op, b, v);
    return apply_whole(e, op, b, v);
}

static bool negate(Evaluation *e, const Token *op, Value *v)
{
    Value zero = whole(0), b = *v;
    if (v->kind == VALUE_REAL)
        v->real = -v->real;
    else {
        *v = zero;
        return apply(e, op, &b, v);
    }
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

/* Deep nesting is refused before the stack overflows. */
static bool enter(Evaluation *e)
{
    return ++e->depth <= LIMIT_NESTING ||
           FAIL(e, place(e),
                "parentheses and signs are nested more than %d "
                "deep",
                LIMIT_NESTING);
}

/* A unit after a number does not change its value. */
static void skip_unit(Evaluation *e)
{
    uint32_t at = e->at;
    if (peek(e)->word != WORD_LBRACKET)
        return;
    while (at < e->count && e->token[at].word != WORD_RBRACKET)
        at++;
    if (at < e->count)
        e->at = at + 1;
}

static bool unknown_name(Evaluation *e, const Token *t)
{
    const char *near =
        e->near == NULL || e->quiet ? NULL : e->near(e->user, t->text);
    if (near != NULL)
        return FAIL(e, t, "`%s` has no value here: did you mean `%s`?", t->text,
                    near);
    return FAIL(e, t,
                "`%s` has no value here: only numbers, CONSTs declared above, "
                "CONST formals and MACFOR variables have one",
                t->text);
}

static bool read_name(Evaluation *e, const Token *t, Value *v)
{
    Finding found = e->find(e->user, t->text, v);
    if (found == FINDING_FORMAL)
        return FAIL(e, t,
                    "`%s` has no value here: write CONST before it in the "
                    "heading of the MACRO",
                    t->text);
    if (found == FINDING_LATE)
        return FAIL(e, t,
                    "the value of the CONST `%s` is not known here: only + - * "
                    "/ ** DIV MOD are evaluated before the program runs",
                    t->text);
    if (found == FINDING_VALUE)
        return true;
    if (name_same(t->text, "PI")) {
        *v = (Value){.kind = VALUE_REAL, .real = 3.14159265358979323846};
        return true;
    }
    return unknown_name(e, t);
}

/* {...} within a compile-time expression: a bound may be written with or
   without braces. In the body of a MACRO the tokens inside them follow this
   token; in plain text they are yet to be read. */
static bool read_braces(Evaluation *e, const Token *t, Value *v)
{
    Evaluation inner = *e;
    Tokens tokens;
    if (t->integer > 0) {
        inner.token = t + 1;
        inner.count = (uint32_t)t->integer;
        e->at += inner.count;
    } else {
        Span part = {t->at.file, t->at.start + 1, t->at.length - 2};
        if (!lex_part(e->unit, t->text, part, &tokens))
            return false;
        inner.token = tokens.token;
        inner.count = tokens.count;
    }
    inner.at = 0;
    bool has_value = constant_read_all(&inner, v);
    e->by_value = inner.by_value;
    return has_value;
}

static bool read_group(Evaluation *e, Value *v)
{
    const Token *open = peek(e);
    e->at++;
    if (!enter(e) || !read_or(e, v))
        return false;
    e->depth--;
    if (peek(e)->word != WORD_RPAREN)
        return FAIL(e, open, "this `(` has no `)`");
    e->at++;
    return true;
}

static bool read_primary(Evaluation *e, Value *v)
{
    const Token *t = peek(e);
    if (t->word == WORD_LPAREN)
        return read_group(e, v);
    if (t->kind == TOKEN_INTEGER)
        *v = whole(t->integer);
    else if (t->kind == TOKEN_NUMBER)
        *v = (Value){.kind = VALUE_REAL, .real = t->number};
    else if (t->word == WORD_TRUE || t->word == WORD_FALSE)
        *v = truth(t->word == WORD_TRUE);
    else if (t->kind == TOKEN_INSERT || t->kind == TOKEN_NAME) {
        e->at++;
        return t->kind == TOKEN_NAME ? read_name(e, t, v)
                                     : read_braces(e, t, v);
    } else
        return FAIL(e, place(e),
                    "a number or the name of a constant is "
                    "missing here");
    e->at++;
    skip_unit(e);
    return true;
}

static bool read_power(Evaluation *e, Value *v)
{
    const Token *op, *sign;
    Value b;
    if (!read_primary(e, v))
        return false;
    op = peek(e);
    if (op->word != WORD_POWER && op->word != WORD_CARET)
        return true;
    e->at++;
    sign = peek(e);
    if (sign->word == WORD_MINUS || sign->word == WORD_PLUS)
        e->at++;
    if (!enter(e) || !read_power(e, &b) ||
        (sign->word == WORD_MINUS && !negate(e, sign, &b)))
        return false;
    e->depth--;
    return apply(e, op, &b, v);
}

static bool read_term(Evaluation *e, Value *v)
{
    Value b;
    if (!read_power(e, v))
        return false;
    for (const Token *op = peek(e);
         op->word == WORD_TIMES || op->word == WORD_SLASH ||
         op->word == WORD_DIV || op->word == WORD_MOD;
         op = peek(e)) {
        e->at++;
        if (!read_power(e, &b) || !apply(e, op, &b, v))
            return false;
    }
    return true;
}

static bool read_sum(Evaluation *e, Value *v)
{
    const Token *op = peek(e);
    Value b;
    bool has_sign = op->word == WORD_MINUS || op->word == WORD_PLUS;
    if (has_sign)
        e->at++;
    if (!read_term(e, v) ||
        (has_sign && op->word == WORD_MINUS && !negate(e, op, v)))
        return false;
    for (op = peek(e); op->word == WORD_PLUS || op->word == WORD_MINUS;
         op = peek(e)) {
        e->at++;
        if (!read_term(e, &b) || !apply(e, op, &b, v))
            return false;
    }
    return true;
}

static bool compare(Word op, int order)
{
    switch (op) {
    case WORD_EQUAL: return order == 0;
    case WORD_UNEQUAL: return order != 0;
    case WORD_LESS: return order < 0;
    case WORD_LESS_EQUAL: return order <= 0;
    case WORD_GREATER: return order > 0;
    default: return order >= 0;
    }
}

static bool is_relation(Word w)
{
    return w == WORD_EQUAL || w == WORD_UNEQUAL || w == WORD_LESS ||
           w == WORD_LESS_EQUAL || w == WORD_GREATER || w == WORD_GREATER_EQUAL;
}

static int order_of(const Value *a, const Value *b)
{
    double x = value_real(a), y = value_real(b);
    if (a->kind != VALUE_REAL && b->kind != VALUE_REAL)
        return (a->integer > b->integer) - (a->integer < b->integer);
    return (x > y) - (x < y);
}

static bool read_relation(Evaluation *e, Value *v)
{
    const Token *op;
    Value b;
    if (!read_sum(e, v))
        return false;
    op = peek(e);
    if (op->word == WORD_ARROW)
        return FAIL(e, op,
                    "`<-` separates outputs from inputs; to compare with a "
                    "negative number write `< -`");
    if (!is_relation(op->word))
        return true;
    e->at++;
    if (!read_sum(e, &b) || !want_number(e, op, v) || !want_number(e, op, &b))
        return false;
    *v = truth(compare(op->word, order_of(v, &b)));
    return true;
}

static bool read_not(Evaluation *e, Value *v)
{
    const Token *op = peek(e);
    if (op->word != WORD_NOT)
        return read_relation(e, v);
    e->at++;
    if (!enter(e) || !read_not(e, v) || !want_truth(e, op, v))
        return false;
    e->depth--;
    *v = truth(!v->integer);
    return true;
}

static bool read_and(Evaluation *e, Value *v)
{
    Value b;
    if (!read_not(e, v))
        return false;
    for (const Token *op = peek(e); op->word == WORD_AND; op = peek(e)) {
        e->at++;
        if (!read_not(e, &b) || !want_truth(e, op, v) || !want_truth(e, op, &b))
            return false;
        *v = truth(v->integer && b.integer);
    }
    return true;
}

static bool read_or(Evaluation *e, Value *v)
{
    Value b;
    if (!read_and(e, v))
        return false;
    for (const Token *op = peek(e); op->word == WORD_OR; op = peek(e)) {
        e->at++;
        if (!read_and(e, &b) || !want_truth(e, op, v) || !want_truth(e, op, &b))
            return false;
        *v = truth(v->integer || b.integer);
    }
    return true;
}

bool constant_read(Evaluation *e, Value *v)
{
    *v = (Value){0};
    return read_or(e, v);
}

bool constant_read_all(Evaluation *e, Value *v)
{
    if (!constant_read(e, v))
        return false;
    if (peek(e)->kind == TOKEN_END)
        return true;
    return FAIL(e, peek(e), "an operator is missing before `%s`",
                peek(e)->kind == TOKEN_SYMBOL ? word_text(peek(e)->word)
                                              : peek(e)->text);
}

/* ---- Printing ------------------------------------------------------------ */

/* The fewest digits that read back as the same number. */
void value_print(const Value *v, char *text, size_t room)
{
    if (v->kind == VALUE_BOOLEAN) {
        snprintf(text, room, "%s", v->integer ? "TRUE" : "FALSE");
        return;
    }
    if (v->kind != VALUE_REAL) {
        snprintf(text, room, "%lld", (long long)v->integer);
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, room, "%.*G", digits, v->real);
        if (strtod(text, NULL) == v->real)
            break;
    }
    if (strpbrk(text, ".E") == NULL)
        snprintf(text + strlen(text), room - strlen(text), ".0");
}
