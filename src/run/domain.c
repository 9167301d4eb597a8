#include "run/domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/value.h"

typedef struct Reader {
    const Cosy *c;
    const real *x;
    const char *p;
    Domain *found;
    unsigned mute, depth;
    bool done; // something was found, or the text is not understood any further
    bool infinite; // INF was read, whose value is unknown here
} Reader;

typedef struct Term {
    bool known;
    real value;
} Term;

#define DEPTH_MOST 60

static const Term unknown = {false, R(0.0)};

static Term choice(Reader *r);

/* ---- Text ---------------------------------------------------------------- */

static char upper(char a)
{
    return a >= 'a' && a <= 'z' ? (char)(a - 'a' + 'A') : a;
}

static bool begins_name(char a)
{
    a = upper(a);
    return a >= 'A' && a <= 'Z';
}

static bool in_name(char a)
{
    return begins_name(a) || (a >= '0' && a <= '9') || a == '_';
}

static void blanks(Reader *r)
{
    while (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r')
        r->p++;
}

static bool accept(Reader *r, const char *symbol)
{
    size_t n = strlen(symbol);
    blanks(r);
    if (r->done || strncmp(r->p, symbol, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool same(const char *a, size_t n, const char *word)
{
    size_t k = 0;
    while (k < n && word[k] != '\0' && upper(a[k]) == word[k])
        k++;
    return k == n && word[k] == '\0';
}

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (begins_name(*p) && in_name(p[n]))
        n++;
    return n;
}

static bool accept_word(Reader *r, const char *word)
{
    blanks(r);
    size_t n = name_length(r->p);
    if (r->done || n == 0 || !same(r->p, n, word))
        return false;
    r->p += n;
    return true;
}

static Term stop(Reader *r)
{
    r->done = true;
    return unknown;
}

/* ---- What is found -------------------------------------------------------- */

#define FOUND(r, advice_, ...)                                                 \
    ((r)->mute == 0 ? (snprintf((r)->found->words, DOMAIN_WORDS, __VA_ARGS__), \
                       (r)->found->advice = (advice_), stop(r))                \
                    : unknown)

static const char smaller_than_zero[] =
    "guard it, as in SQRT(MAX(0, x)), or end the run earlier with FINISH";
static const char not_positive[] =
    "guard its argument with MAX or IF, or end the run earlier with FINISH";
static const char zero_divisor[] =
    "guard it with IF, or make sure that the divisor neither starts at zero "
    "nor passes through it";
static const char smaller_than_one[] =
    "its argument must be at least 1: MAX(1, x) keeps it there";
static const char inside_ones[] =
    "its argument must lie strictly between -1 and 1";
static const char no_factorial[] = "its argument must be a whole number, 0 or "
                                   "more, whose factorial is not too large";
static const char between_ones[] =
    "its argument must lie between -1 and 1: LIMIT(-1, 1, x) keeps it there";
static const char whole_exponent[] =
    "a negative number has only whole powers: guard it with MAX, ABS or IF";
static const char only_chosen[] =
    "INF may be compared, chosen by IF, MIN or MAX, and assigned to a discrete "
    "REAL, but nothing is computed from it";
static const char too_large[] =
    "check signs and units, or end the run earlier with FINISH";

/* Finds a value that has become too large; operands that are known are finite.
   */
static Term finite(Reader *r, real value, const char *what)
{
    if (cosy_finite(value))
        return (Term){true, value};
    return FOUND(r, too_large, "exceeds the largest number in %s", what);
}

/* ---- Functions ------------------------------------------------------------ */

static Term outside(Reader *r, const char *name, real a, const char *advice)
{
    return FOUND(r, advice, "takes %s of %.6g", name, (double)a);
}

/* A function of one argument that is not defined everywhere. */
static Term partial(Reader *r, const char *s, size_t n, real a)
{
    if (same(s, n, "SQRT"))
        return a < R(0.0) ? outside(r, "SQRT", a, smaller_than_zero)
                          : (Term){true, cosy_sqrt(a)};
    if (same(s, n, "LOG"))
        return a <= R(0.0) ? outside(r, "LOG", a, not_positive)
                           : (Term){true, cosy_log(a)};
    if (same(s, n, "LOG10"))
        return a <= R(0.0) ? outside(r, "LOG10", a, not_positive)
                           : (Term){true, cosy_log10(a)};
    if (same(s, n, "ASIN"))
        return cosy_abs(a) > R(1.0) ? outside(r, "ASIN", a, between_ones)
                                    : (Term){true, cosy_asin(a)};
    if (same(s, n, "ACOS"))
        return cosy_abs(a) > R(1.0) ? outside(r, "ACOS", a, between_ones)
                                    : (Term){true, cosy_acos(a)};
    if (same(s, n, "ACOSH"))
        return a < R(1.0) ? outside(r, "ACOSH", a, smaller_than_one)
                          : (Term){true, cosy_acosh(a)};
    if (same(s, n, "ATANH"))
        return !(cosy_abs(a) < R(1.0)) ? outside(r, "ATANH", a, inside_ones)
                                       : (Term){true, cosy_atanh(a)};
    if (same(s, n, "FACTORIAL"))
        return !cosy_finite(cosy_factorial(a))
                   ? outside(r, "FACTORIAL", a, no_factorial)
                   : (Term){true, cosy_factorial(a)};
    if (same(s, n, "EXP"))
        return cosy_finite(cosy_exp(a)) ? (Term){true, cosy_exp(a)}
                                        : outside(r, "EXP", a, too_large);
    return unknown;
}

static Term one_argument(Reader *r, const char *s, size_t n, real a)
{
    static const struct {
        const char *name;
        int which;
    } table[] = {{"SIN", 0},  {"COS", 1},  {"TAN", 2},  {"ATAN", 3}, {"ABS", 4},
                 {"TANH", 5}, {"SINH", 6}, {"COSH", 7}, {"ASINH", 8}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (!same(s, n, table[k].name))
            continue;
        switch (table[k].which) {
        case 0: return (Term){true, cosy_sin(a)};
        case 1: return (Term){true, cosy_cos(a)};
        case 2: return (Term){true, cosy_tan(a)};
        case 3: return (Term){true, cosy_atan(a)};
        case 4: return (Term){true, cosy_abs(a)};
        case 5: return (Term){true, cosy_tanh(a)};
        case 8: return (Term){true, cosy_asinh(a)};
        case 6: return finite(r, cosy_sinh(a), "SINH");
        default: return finite(r, cosy_cosh(a), "COSH");
        }
    }
    return partial(r, s, n, a);
}

/* MIN and MAX, LIMIT (lo, hi, x). */
static Term more_arguments(const char *s, size_t n, const real *a,
                           unsigned count)
{
    real value = a[0];
    bool least = same(s, n, "MIN");
    if (same(s, n, "LIMIT") && count == 3)
        return (Term){true, cosy_min(cosy_max(a[2], a[0]), a[1])};
    if (!least && !same(s, n, "MAX"))
        return unknown;
    for (unsigned k = 1; k < count; k++)
        value = least ? cosy_min(value, a[k]) : cosy_max(value, a[k]);
    return (Term){true, value};
}

#define ARGUMENTS_MOST 8

/* name ( ... ), from after the `(`. */
static Term call(Reader *r, const char *s, size_t n)
{
    real a[ARGUMENTS_MOST];
    unsigned count = 0;
    bool known = true;
    do {
        Term t = choice(r);
        known = known && t.known && count < ARGUMENTS_MOST;
        if (known)
            a[count++] = t.value;
    } while (accept(r, ","));
    if (!accept(r, ")"))
        return stop(r);
    if (!known || r->done)
        return unknown;
    return count == 1 ? one_argument(r, s, n, a[0])
                      : more_arguments(s, n, a, count);
}

/* ---- Names ---------------------------------------------------------------- */

static Term element(Reader *r, uint32_t variable, int64_t index)
{
    const CosyVariable *v = &r->c->model->variables[variable];
    real value;
    if (index < 0 || index >= value_count(v) || v->process != COSY_NONE)
        return unknown;
    if (v->kind == COSY_STATE && r->x != NULL)
        value = r->x[v->place + (uint32_t)index];
    else
        value = instance_get(r->c, variable, (uint32_t)index);
    if (v->kind == COSY_REAL || v->kind == COSY_CONST)
        r->infinite |= cosy_abs(value) == COSY_INFINITY && r->mute == 0;
    return (Term){cosy_finite(value), value};
}

/* name, name [ i ], name ' : from after the name. */
static Term variable(Reader *r, const char *s, size_t n)
{
    char name[64];
    uint32_t k = COSY_NONE;
    int64_t index = 0;
    if (same(s, n, "TIME"))
        return (Term){true, r->c->head->t};
    if (same(s, n, "PI"))
        return (Term){true, R(3.14159265358979323846264338327950288)};
    if (n < sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)n, s);
        k = instance_find(r->c->model, name);
    }
    if (accept(r, "[")) {
        Term t = choice(r);
        if (!accept(r, "]"))
            return stop(r); // a second index, or a unit
        if (!t.known || k == COSY_NONE)
            k = COSY_NONE;
        else
            index = (int64_t)t.value - value_first(&r->c->model->variables[k]);
    } else if (k != COSY_NONE && value_count(&r->c->model->variables[k]) > 1) {
        k = COSY_NONE;
    }
    if (accept(r, "'")) {
        while (accept(r, "'"))
            ;
        return unknown;
    }
    r->infinite |= k == COSY_NONE && same(s, n, "INF") && r->mute == 0;
    return k == COSY_NONE ? unknown : element(r, k, index);
}

/* ---- Operators ------------------------------------------------------------ */

static Term number(Reader *r)
{
    char *end;
    double value = strtod(r->p, &end);
    if (end == r->p)
        return stop(r);
    r->p = end;
    if (!accept(r, "["))
        return (Term){true, (real)value};
    while (*r->p != '\0' && *r->p != ']') // a unit: its factor is not known
        r->p++;
    accept(r, "]");
    return unknown;
}

static Term primary(Reader *r)
{
    blanks(r);
    const char *s = r->p;
    size_t n = name_length(s);
    if (n > 0) {
        r->p += n;
        return accept(r, "(") ? call(r, s, n) : variable(r, s, n);
    }
    if (accept(r, "(")) {
        Term t = choice(r);
        return accept(r, ")") ? t : stop(r);
    }
    return number(r);
}

static Term signed_power(Reader *r);

static Term power(Reader *r)
{
    Term a = primary(r), b;
    if (!accept(r, "**") && !accept(r, "^"))
        return a;
    b = signed_power(r);
    if (!a.known || !b.known || r->done)
        return unknown;
    if (a.value < R(0.0) && cosy_floor(b.value) != b.value)
        return FOUND(r, whole_exponent, "raises %.6g to the power %.6g",
                     (double)a.value, (double)b.value);
    if (a.value == R(0.0) && b.value < R(0.0))
        return FOUND(r, zero_divisor, "raises 0 to the power %.6g",
                     (double)b.value);
    return finite(r, cosy_pow(a.value, b.value), "a power");
}

static Term signed_power(Reader *r)
{
    if (accept(r, "-")) {
        Term t = power(r);
        return (Term){t.known, -t.value};
    }
    accept(r, "+");
    return power(r);
}

/* a / b; `s` is the text of b. */
static Term quotient(Reader *r, Term a, Term b, const char *s)
{
    int n = (int)(r->p - s);
    bool name = name_length(s) == (size_t)n && !same(s, (size_t)n, "TIME");
    if (b.known && b.value == R(0.0) && !r->done)
        return name || n <= 0 || n > 40 // a name is shown with its value
                   ? FOUND(r, zero_divisor, "divides by zero")
                   : FOUND(r, zero_divisor, "divides by %.*s = 0", n, s);
    if (!a.known || !b.known || r->done)
        return unknown;
    return finite(r, a.value / b.value, "a quotient");
}

static Term product(Reader *r)
{
    Term a = signed_power(r), b;
    for (;;) {
        bool over;
        if (r->done)
            return unknown;
        blanks(r);
        if (accept_word(r, "DIV") || accept_word(r, "MOD")) {
            signed_power(r);
            a = unknown;
            continue;
        }
        over = accept(r, "/");
        if (!over && (r->p[0] == '*' && r->p[1] == '*'))
            return a;
        if (!over && !accept(r, "*"))
            return a;
        blanks(r);
        const char *s = r->p;
        b = signed_power(r);
        if (over)
            a = quotient(r, a, b, s);
        else if (a.known && b.known && !r->done)
            a = finite(r, a.value * b.value, "a product");
        else
            a = unknown;
    }
}

static Term sum(Reader *r)
{
    Term a = product(r), b;
    for (;;) {
        bool minus = accept(r, "-");
        if (!minus && !accept(r, "+"))
            return a;
        b = product(r);
        if (a.known && b.known && !r->done)
            a = finite(r, minus ? a.value - b.value : a.value + b.value,
                       "a sum");
        else
            a = unknown;
    }
}

static Term relation(Reader *r)
{
    static const char *const symbols[] = {"<=", ">=", "<>", "<", ">", "="};
    Term a = sum(r), b;
    bool holds;
    for (unsigned k = 0; k < 6; k++) {
        if (!accept(r, symbols[k]))
            continue;
        b = sum(r);
        switch (k) {
        case 0: holds = a.value <= b.value; break;
        case 1: holds = a.value >= b.value; break;
        case 2: holds = a.value != b.value; break;
        case 3: holds = a.value < b.value; break;
        case 4: holds = a.value > b.value; break;
        default: holds = a.value == b.value; break;
        }
        return (Term){a.known && b.known, holds ? R(1.0) : R(0.0)};
    }
    return a;
}

/* AND, OR, NOT: their result is not followed further. */
static Term condition(Reader *r)
{
    bool several = accept_word(r, "NOT");
    Term a = relation(r);
    while (accept_word(r, "AND") || accept_word(r, "OR")) {
        accept_word(r, "NOT");
        relation(r);
        several = true;
    }
    return several ? unknown : a;
}

/* One branch; it cannot be to blame if the other one may apply. */
static Term branch(Reader *r, bool taken)
{
    r->mute += !taken;
    Term t = choice(r);
    r->mute -= !taken;
    return t;
}

static Term choice(Reader *r)
{
    if (r->depth >= DEPTH_MOST || r->done)
        return stop(r);
    r->depth++;
    Term t;
    if (accept_word(r, "IF")) {
        Term c = condition(r), a, b;
        bool yes = c.known && c.value != R(0.0);
        if (!accept_word(r, "THEN"))
            return stop(r);
        a = branch(r, yes);
        if (!accept_word(r, "ELSE"))
            return stop(r);
        b = branch(r, c.known && !yes);
        t = !c.known ? unknown : yes ? a : b;
    } else {
        t = condition(r);
    }
    r->depth--;
    return t;
}

bool domain_find(const Cosy *c, const char *text, const real *x, Domain *found)
{
    Reader r = {.c = c, .x = x, .p = text, .found = found};
    *found = (Domain){.words = ""};
    sum(&r); // of an equation: both sides
    if (accept(&r, ":=")) {
        r.infinite = false; // it was
        choice(&r);
    } else if (accept(&r, "=")) {
        choice(&r);
    }
    if (!found->advice && r.infinite) {
        snprintf(found->words, sizeof found->words,
                 "has INF as its value, or computes with it");
        found->advice = only_chosen;
    }
    return found->advice != NULL;
}
