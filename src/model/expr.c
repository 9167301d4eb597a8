#include "model/expr.h"

#include "base/whole.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

typedef enum ResultKind {
    RESULT_REAL,
    RESULT_INTEGER,
    RESULT_BOOLEAN,
    RESULT_SAME,
    RESULT_OWN
} ResultKind;

typedef struct OpRow {
    const char *text;
    uint8_t result;
} OpRow;

static const OpRow ops[EXPR_OPS] = {
#define EXPR(name, arguments, text, result)                                    \
    [EXPR_##name] = {text, RESULT_##result},
#include "model/expr.def"
#undef EXPR
};

const char *expr_op_text(ExprOp op)
{
    return ops[op].text;
}

/* ---- Interning -------------------------------------------------------------- */

static uint32_t mix(uint32_t hash, uint64_t value)
{
    uint64_t h = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static uint32_t hash_of(const Expr *e)
{
    uint32_t h = mix(17, (uint64_t)e->op << 8 | (uint64_t)e->type);
    h = mix(h, e->which);
    h = mix(h, (uint64_t)e->integer);
    for (uint32_t k = 0; k < e->count; k++)
        h = mix(h, e->arg[k]->id + 1u);
    for (const char *p = e->text; p && *p; p++)
        h = mix(h, (unsigned char)*p);
    return h;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same(const Expr *a, const Expr *b)
{
    return a->hash == b->hash && a->op == b->op && a->type == b->type &&
           a->which == b->which && a->integer == b->integer &&
           a->count == b->count && same_text(a->text, b->text) &&
           (a->count == 0 ||
            memcmp(a->arg, b->arg, a->count * sizeof *a->arg) == 0);
}

static bool table_grow(Model *m)
{
    ExprTable *t = &m->exprs;
    uint32_t chains = t->chains ? 2 * t->chains : 1024;
    const Expr **chain = MODEL_ARRAY(m, const Expr *, chains);
    if (!chain)
        return false;
    for (uint32_t k = 0; k < t->chains; k++)
        for (const Expr *e = t->chain[k], *next; e; e = next) {
            Expr *moved = (Expr *)(uintptr_t)e;
            next = e->next;
            moved->next = chain[e->hash % chains];
            chain[e->hash % chains] = e;
        }
    t->chain = chain;
    t->chains = chains;
    return true;
}

/* The result if there is no memory. */
static const Expr nothing = {.op = EXPR_INTEGER, .type = EXPR_TYPE_INTEGER};

static bool other_loop(const Expr *e, uint32_t bound)
{
    if (!(e->reads & READS_LOOP))
        return false;
    if (e->op == EXPR_LOOP)
        return e->which != bound;
    for (uint32_t k = 0; k < e->count; k++)
        if (other_loop(e->arg[k], bound))
            return true;
    return false;
}

static uint32_t variable_reads(const Model *m, uint32_t variable)
{
    switch (model_variable(m, variable)->kind) {
    case VARIABLE_STATE: return READS_STATE;
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY: return READS_COMPUTED;
    default: return READS_DISCRETE;
    }
}

static uint32_t own_reads(const Model *m, const Expr *e)
{
    switch (e->op) {
    case EXPR_VARIABLE: return variable_reads(m, e->which);
    case EXPR_RATE: return READS_STATE | READS_RATE;
    case EXPR_SENSED:
        return variable_reads(m, model_sensed(m, e->which)->variable);
    case EXPR_LOOP: return READS_LOOP;
    case EXPR_SYSTEM:
        return e->which == SYSTEM_TIME ? READS_TIME
               : e->which == SYSTEM_PI || e->which == SYSTEM_INF
                   ? 0
                   : READS_DISCRETE;
    case EXPR_SIDE:
    case EXPR_SEGMENT: return READS_SIDE;
    case EXPR_ATTRIBUTE:
    case EXPR_ENTRY:
    case EXPR_RESOURCE:
    case EXPR_ENTRY_AT:
    case EXPR_SELF:
    case EXPR_ELEMENT:
    case EXPR_FOUND:
    case EXPR_EXISTS:
    case EXPR_MEAN:
    case EXPR_SDEV:
    case EXPR_COPIES: return READS_DISCRETE;
    case EXPR_QUEUE:
        return e->count && e->arg[0]->integer == QUEUE_AVGQ
                   ? READS_DISCRETE | READS_TIME
                   : READS_DISCRETE;
    case EXPR_CALL:
    case EXPR_DRAW: return READS_CALL;
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_HELD: return READS_COMPUTED;
    default: return 0;
    }
}

bool expr_is_series(ExprOp op)
{
    return op >= EXPR_SUM && op <= EXPR_MOST;
}

static uint32_t reads_of(const Model *m, const Expr *e)
{
    uint32_t reads = own_reads(m, e);
    for (uint32_t k = 0; k < e->count; k++)
        reads |= e->arg[k]->reads;
    if (expr_is_series(e->op)) {
        bool other = false;
        for (uint32_t k = 0; k < e->count; k++)
            other = other || other_loop(e->arg[k], e->which);
        if (!other)
            reads &= ~(uint32_t)READS_LOOP;
    }
    return reads;
}

/* The one expression that equals `like`. */
static const Expr *intern(Model *m, Expr *like)
{
    assert(like->op < EXPR_OPS && (like->count == 0 || like->arg));
    like->hash = hash_of(like);
    if (m->exprs.count >= m->exprs.chains && !table_grow(m))
        return &nothing;
    const Expr **chain = &m->exprs.chain[like->hash % m->exprs.chains];
    for (const Expr *e = *chain; e; e = e->next)
        if (same(e, like))
            return e;
    Expr *e = MODEL_NEW(m, Expr);
    const Expr **arg =
        like->count ? MODEL_ARRAY(m, const Expr *, like->count) : NULL;
    if (!e || (like->count && !arg))
        return &nothing;
    *e = *like;
    if (like->count)
        memcpy(arg, like->arg, like->count * sizeof *arg);
    e->arg = arg;
    e->text = like->text ? model_format(m, "%s", like->text) : NULL;
    e->reads = reads_of(m, e);
    e->series = expr_is_series(e->op);
    for (uint32_t k = 0; k < e->count; k++)
        e->series = e->series || e->arg[k]->series;
    e->id = m->expr_count++;
    assert(e->id != UINT32_MAX);
    e->next = *chain;
    *chain = e;
    m->exprs.count++;
    return e;
}

/* ---- Leaves ------------------------------------------------------------------ */

const Expr *expr_number(Model *m, const char *text)
{
    Expr e = {.op = EXPR_NUMBER,
              .type = EXPR_TYPE_REAL,
              .text = text,
              .number = strtod(text, NULL)};
    return intern(m, &e);
}

const Expr *expr_real(Model *m, double value)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    if (!strpbrk(text, ".e"))
        strcat(text, ".0");
    if (text[0] == '-')
        return expr_1(m, EXPR_NEG, expr_number(m, text + 1));
    return expr_number(m, text);
}

const Expr *expr_integer(Model *m, int64_t value)
{
    Expr e = {.op = EXPR_INTEGER,
              .type = EXPR_TYPE_INTEGER,
              .integer = value,
              .number = (double)value};
    return intern(m, &e);
}

const Expr *expr_truth(Model *m, bool value)
{
    Expr e = {.op = EXPR_TRUTH,
              .type = EXPR_TYPE_BOOLEAN,
              .integer = value,
              .number = value};
    return intern(m, &e);
}

const Expr *expr_string(Model *m, const char *text)
{
    Expr e = {.op = EXPR_STRING, .type = EXPR_TYPE_INTEGER, .text = text};
    return intern(m, &e);
}

const Expr *expr_variable(Model *m, uint32_t variable, const Expr *const *index,
                          uint32_t count)
{
    return expr_make(m, EXPR_VARIABLE, model_variable(m, variable)->type,
                     variable, index, count);
}

const Expr *expr_rate(Model *m, uint32_t state, const Expr *const *index,
                      uint32_t count)
{
    return expr_make(m, EXPR_RATE, EXPR_TYPE_REAL, state, index, count);
}

const Expr *expr_loop(Model *m, uint32_t loop)
{
    return expr_make(m, EXPR_LOOP, EXPR_TYPE_INTEGER, loop, NULL, 0);
}

const Expr *expr_system(Model *m, SystemValue value)
{
    static const ExprType types[SYSTEM_VALUES] = {
        [SYSTEM_RUN] = EXPR_TYPE_INTEGER,
        [SYSTEM_TRANSNBR] = EXPR_TYPE_INTEGER,
        [SYSTEM_BLOCKNBR] = EXPR_TYPE_INTEGER,
        [SYSTEM_TIMEDOUT] = EXPR_TYPE_BOOLEAN, // all others are REAL
    };
    return expr_make(m, EXPR_SYSTEM, types[value], value, NULL, 0);
}

/* ---- Asking ------------------------------------------------------------------- */

/* Compares the digits of a literal without leading and trailing zeros: "" and
   "1" distinguish 0 and 1 from numbers that round to them in double. */
static bool digits_are(const char *text, const char *digit)
{
    while (*text == '0' || *text == '.')
        text++;
    if (*digit) {
        if (*text != *digit)
            return false;
        text++;
    }
    while (*text == '0' || *text == '.')
        text++;
    return *text < '0' || *text > '9';
}

bool expr_is_zero(const Expr *e)
{
    return (e->op == EXPR_NUMBER && e->number == 0.0 &&
            digits_are(e->text, "")) ||
           (e->op == EXPR_INTEGER && e->integer == 0);
}

bool expr_is_one(const Expr *e)
{
    return (e->op == EXPR_NUMBER && e->number == 1.0 &&
            digits_are(e->text, "1")) ||
           (e->op == EXPR_INTEGER && e->integer == 1);
}

static bool may_hold_infinity(const Variable *v)
{
    return v->type == EXPR_TYPE_REAL && v->kind != VARIABLE_STATE &&
           v->kind != VARIABLE_ALGEBR && v->kind != VARIABLE_DSTATE &&
           v->kind != VARIABLE_MEMORY;
}

const Expr *expr_converted(const Expr *e)
{
    bool shift = e->op == EXPR_ADD || e->op == EXPR_SUB;
    if (!shift && e->op != EXPR_MUL && e->op != EXPR_DIV)
        return NULL;
    const Expr *a = e->arg[0], *b = e->arg[1];
    if (b->op == EXPR_NUMBER && (shift || b->number > 0.0))
        return a;
    if (a->op == EXPR_NUMBER &&
        (e->op == EXPR_ADD || (e->op == EXPR_MUL && a->number > 0.0)))
        return b;
    return NULL;
}

bool expr_may_be_infinite(const Model *m, const Expr *e)
{
    if (!m->infinite || e->type != EXPR_TYPE_REAL)
        return false;
    switch (e->op) {
    case EXPR_SYSTEM: return e->which == SYSTEM_INF;
    case EXPR_VARIABLE:
    case EXPR_ATTRIBUTE:
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT: return may_hold_infinity(model_variable(m, e->which));
    case EXPR_CALL: return true;
    case EXPR_NEG:
    case EXPR_NOEVENT: return expr_may_be_infinite(m, e->arg[0]);
    case EXPR_MIN:
    case EXPR_MAX:
        return expr_may_be_infinite(m, e->arg[0]) ||
               expr_may_be_infinite(m, e->arg[1]);
    case EXPR_CHOOSE:
        return expr_may_be_infinite(m, e->arg[1]) ||
               expr_may_be_infinite(m, e->arg[2]);
    case EXPR_LEAST:
    case EXPR_MOST: return expr_may_be_infinite(m, e->arg[3]);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV: {
        const Expr *x = expr_converted(e);
        return x && expr_may_be_infinite(m, x);
    }
    default: return false;
    }
}

bool expr_is_constant(const Expr *e)
{
    return e->op == EXPR_INTEGER || e->op == EXPR_TRUTH;
}

/* a + k, a - k, k + a with an integer k */
static bool affine_sum(const Expr *e, uint32_t *loop, int64_t *offset)
{
    const Expr *a = e->arg[0], *b = e->arg[1];
    uint32_t loop_b;
    int64_t offset_b;
    if (!expr_affine(a, loop, offset) || !expr_affine(b, &loop_b, &offset_b))
        return false;
    if (e->op == EXPR_SUB)
        return loop_b == NONE && whole_subtract(*offset, offset_b, offset);
    if (*loop != NONE && loop_b != NONE)
        return false;
    *loop = *loop != NONE ? *loop : loop_b;
    return whole_add(*offset, offset_b, offset);
}

bool expr_affine(const Expr *e, uint32_t *loop, int64_t *offset)
{
    *loop = NONE;
    *offset = 0;
    switch (e->op) {
    case EXPR_INTEGER: *offset = e->integer; return true;
    case EXPR_LOOP: *loop = e->which; return true;
    case EXPR_NEG:
        return expr_affine(e->arg[0], loop, offset) && *loop == NONE &&
               whole_subtract(0, *offset, offset);
    case EXPR_ADD:
    case EXPR_SUB: return affine_sum(e, loop, offset);
    default: return false;
    }
}

/* ---- Simplifying ---------------------------------------------------------------- */

static bool both(const Expr *const *arg, ExprOp op)
{
    return arg[0]->op == op && arg[1]->op == op;
}

/* Result of an INTEGER operation; false if the result does not fit. */
static bool integer_value(ExprOp op, int64_t a, int64_t b, int64_t *v)
{
    switch (op) {
    case EXPR_ADD: return whole_add(a, b, v);
    case EXPR_SUB: return whole_subtract(a, b, v);
    case EXPR_MUL: return whole_multiply(a, b, v);
    case EXPR_IDIV:
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        *v = a / b;
        return true;
    case EXPR_MOD:
        if (b == 0 || b == -1)
            return false;
        *v = a % b;
        return true;
    case EXPR_MIN: *v = a < b ? a : b; return true;
    case EXPR_MAX: *v = a > b ? a : b; return true;
    default: return false;
    }
}

static bool order_value(ExprOp op, int64_t a, int64_t b, bool *v)
{
    switch (op) {
    case EXPR_LT: *v = a < b; return true;
    case EXPR_LE: *v = a <= b; return true;
    case EXPR_GT: *v = a > b; return true;
    case EXPR_GE: *v = a >= b; return true;
    case EXPR_EQ: *v = a == b; return true;
    case EXPR_NE: *v = a != b; return true;
    default: return false;
    }
}

/* Operations of two constants. */
static const Expr *fold(Model *m, ExprOp op, const Expr *const *arg)
{
    int64_t v;
    bool truth;
    if (!both(arg, EXPR_INTEGER))
        return NULL;
    if (integer_value(op, arg[0]->integer, arg[1]->integer, &v))
        return expr_integer(m, v);
    if (order_value(op, arg[0]->integer, arg[1]->integer, &truth))
        return expr_truth(m, truth);
    return NULL;
}

static const Expr *simplify_truth(Model *m, ExprOp op, const Expr *const *arg)
{
    const Expr *a = arg[0];
    switch (op) {
    case EXPR_NOT:
        if (a->op == EXPR_TRUTH)
            return expr_truth(m, !a->integer);
        return a->op == EXPR_NOT ? a->arg[0] : NULL;
    case EXPR_AND:
        if (a->op == EXPR_TRUTH)
            return a->integer ? arg[1] : a;
        return arg[1]->op == EXPR_TRUTH ? (arg[1]->integer ? a : arg[1]) : NULL;
    case EXPR_OR:
        if (a->op == EXPR_TRUTH)
            return a->integer ? a : arg[1];
        return arg[1]->op == EXPR_TRUTH ? (arg[1]->integer ? arg[1] : a) : NULL;
    case EXPR_CHOOSE:
        if (a->op == EXPR_TRUTH)
            return a->integer ? arg[1] : arg[2];
        return arg[1] == arg[2] ? arg[1] : NULL;
    default: return NULL;
    }
}

/* i + 0, i * 1 of INTEGERs; x * 1, x / 1, x ^ 1 of any. */
static const Expr *simplify_sum(ExprOp op, const Expr *const *arg)
{
    const Expr *a = arg[0], *b = arg[1];
    bool integers =
        a->type == EXPR_TYPE_INTEGER && b->type == EXPR_TYPE_INTEGER;
    switch (op) {
    case EXPR_ADD:
        if (integers && expr_is_zero(a))
            return b;
        return integers && expr_is_zero(b) ? a : NULL;
    case EXPR_SUB: return integers && expr_is_zero(b) ? a : NULL;
    case EXPR_MUL:
        if (expr_is_one(a))
            return b;
        return expr_is_one(b) ? a : NULL;
    case EXPR_DIV:
    case EXPR_POW: return expr_is_one(b) ? a : NULL;
    default: return NULL;
    }
}

static const Expr *simplify(Model *m, ExprOp op, const Expr *const *arg,
                            uint32_t count)
{
    const Expr *found = NULL;
    if (op == EXPR_EQ && arg[0] == arg[1] && arg[0]->op == EXPR_LOOP)
        return expr_truth(m, true);
    if (op == EXPR_NEG) {
        if (arg[0]->op == EXPR_NEG)
            return arg[0]->arg[0];
        if (arg[0]->op == EXPR_INTEGER && arg[0]->integer != INT64_MIN)
            return expr_integer(m, -arg[0]->integer);
        return NULL;
    }
    if (op == EXPR_FLOAT)
        return arg[0]->type == EXPR_TYPE_REAL ? arg[0] : NULL;
    if (count == 2 && op != EXPR_TABLE_AT && op != EXPR_TABLE_AT_SLOPE &&
        op != EXPR_TABLE_HIGHER) {
        found = fold(m, op, arg);
        if (!found)
            found = simplify_sum(op, arg);
    }
    return found ? found
           : op == EXPR_NOT || op == EXPR_AND || op == EXPR_OR ||
                   op == EXPR_CHOOSE
               ? simplify_truth(m, op, arg)
               : NULL;
}

/* ---- Making --------------------------------------------------------------------- */

const Expr *expr_float(Model *m, const Expr *a)
{
    if (a->type == EXPR_TYPE_REAL)
        return a;
    if (a->op == EXPR_INTEGER && a->integer >= 0) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64 ".0", a->integer);
        return expr_number(m, text);
    }
    if (a->op == EXPR_INTEGER && a->integer > -INT64_MAX)
        return expr_1(m, EXPR_NEG, expr_float(m, expr_integer(m, -a->integer)));
    return expr_make(m, EXPR_FLOAT, EXPR_TYPE_REAL, 0, &a, 1);
}

/* The first argument that counts for the type of the result. */
static uint32_t first_typed(ExprOp op)
{
    return op == EXPR_CHOOSE ? 1 : expr_is_series(op) ? 3 : 0;
}

static bool mixes(ExprOp op)
{
    return (ops[op].result == RESULT_SAME && !expr_is_series(op)) ||
           (op >= EXPR_LT && op <= EXPR_NE);
}

static bool wants_reals(ExprOp op)
{
    return op == EXPR_DIV || (op >= EXPR_SIN && op <= EXPR_ERF) ||
           (op >= EXPR_TRUNC && op <= EXPR_FLOOR) ||
           (op >= EXPR_TABLE && op <= EXPR_TABLE_SLOPE) ||
           op == EXPR_EXTERNAL || op == EXPR_DELAYED || op == EXPR_DELAYED_RATE;
}

/* Converts INTEGER arguments if another one is REAL or REAL is required. */
static void convert(Model *m, ExprOp op, const Expr **arg, uint32_t count)
{
    uint32_t first = first_typed(op);
    bool real = wants_reals(op);
    for (uint32_t k = first; k < count && mixes(op); k++)
        real = real || arg[k]->type == EXPR_TYPE_REAL;
    if (op == EXPR_POW && real && arg[1]->type == EXPR_TYPE_INTEGER) {
        arg[0] = expr_float(m, arg[0]); // x ^ n keeps its integer exponent
        return;
    }
    for (uint32_t k = first; real && k < count; k++)
        arg[k] = expr_float(m, arg[k]);
}

static ExprType result_type(ExprOp op, ExprType own, const Expr *const *arg)
{
    switch ((ResultKind)ops[op].result) {
    case RESULT_REAL: return EXPR_TYPE_REAL;
    case RESULT_INTEGER: return EXPR_TYPE_INTEGER;
    case RESULT_BOOLEAN: return EXPR_TYPE_BOOLEAN;
    case RESULT_SAME: return arg[first_typed(op)]->type;
    default: return own;
    }
}

/* ---- Series ------------------------------------------------------------------- */

static uint32_t twin_of(Model *m, uint32_t loop)
{
    if (!model_loop(m, loop)->twin) {
        Loop twin = *model_loop(m, loop);
        uint32_t made = model_add_loop(m, &twin);
        model_loop(m, loop)->twin = made;
    }
    return model_loop(m, loop)->twin;
}

typedef struct Apart {
    Model *m;
    uint32_t loop;
} Apart;

/* A series over the loop becomes the same over a twin that it does not
   mention. */
static const Expr *set_apart(void *user, const Expr *e)
{
    const Apart *a = user;
    if (!expr_is_series(e->op) || e->which != a->loop)
        return NULL;
    const Expr *from = expr_loop(a->m, a->loop), *to = from;
    do
        to = expr_loop(a->m, twin_of(a->m, to->which));
    while (!a->m->broken && expr_contains(e->arg[3], to));
    const Expr *arg[4] = {e->arg[0], e->arg[1], e->arg[2],
                          expr_replace(a->m, e->arg[3], from, to)};
    return expr_make(a->m, e->op, e->type, to->which, arg, 4);
}

#define ARGUMENTS_FEW 8

const Expr *expr_make(Model *m, ExprOp op, ExprType type, uint32_t which,
                      const Expr *const *arg, uint32_t count)
{
    const Expr *few[ARGUMENTS_FEW];
    const Expr **own = few;
    if (count > ARGUMENTS_FEW && !(own = MODEL_ARRAY(m, const Expr *, count)))
        return &nothing;
    if (count)
        memcpy(own, arg, count * sizeof *own);
    convert(m, op, own, count);
    if (expr_is_series(op) && own[3]->series)
        own[3] = expr_rewrite(m, own[3], set_apart, &(Apart){m, which});
    const Expr *simple = count ? simplify(m, op, own, count) : NULL;
    if (simple)
        return simple;
    Expr e = {.op = op,
              .type = result_type(op, type, own),
              .which = which,
              .count = count,
              .arg = own};
    return intern(m, &e);
}

const Expr *expr_1(Model *m, ExprOp op, const Expr *a)
{
    return expr_make(m, op, EXPR_TYPE_REAL, 0, &a, 1);
}

const Expr *expr_2(Model *m, ExprOp op, const Expr *a, const Expr *b)
{
    const Expr *arg[2] = {a, b};
    return expr_make(m, op, EXPR_TYPE_REAL, 0, arg, 2);
}

const Expr *expr_choose(Model *m, const Expr *condition, const Expr *a,
                        const Expr *b)
{
    const Expr *arg[3] = {condition, a, b};
    return expr_make(m, EXPR_CHOOSE, EXPR_TYPE_REAL, 0, arg, 3);
}

const Expr *expr_plus(Model *m, const Expr *a, const Expr *b)
{
    if (expr_is_zero(a))
        return b;
    if (expr_is_zero(b))
        return a;
    if (b->op == EXPR_NEG)
        return expr_minus(m, a, b->arg[0]);
    return expr_2(m, EXPR_ADD, a, b);
}

const Expr *expr_minus(Model *m, const Expr *a, const Expr *b)
{
    if (expr_is_zero(b))
        return a;
    if (expr_is_zero(a))
        return expr_1(m, EXPR_NEG, b);
    if (b->op == EXPR_NEG)
        return expr_plus(m, a, b->arg[0]);
    return a == b ? expr_number(m, "0.0") : expr_2(m, EXPR_SUB, a, b);
}

const Expr *expr_times(Model *m, const Expr *a, const Expr *b)
{
    if (expr_is_zero(a) || expr_is_zero(b))
        return expr_number(m, "0.0");
    if (expr_is_one(a))
        return b;
    if (expr_is_one(b))
        return a;
    if (a->op == EXPR_NEG)
        return expr_1(m, EXPR_NEG, expr_times(m, a->arg[0], b));
    if (b->op == EXPR_NEG)
        return expr_1(m, EXPR_NEG, expr_times(m, a, b->arg[0]));
    return expr_2(m, EXPR_MUL, a, b);
}
