#include "emit/share.h"

#include <string.h>

/* Expressions of the Model as expressions of C; see writer.h about scopes and
   about expressions that need statements. */

/* ---- Numbers --------------------------------------------------------------------------------- */

static void write_number(Buffer *b, const char *text)
{
    bool real = strpbrk(text, ".eE") != NULL;
    buffer_format(b, "R(%s%s)", text, real ? "" : ".0");
}

static void write_integer(Buffer *b, int64_t v)
{
    if (v == INT64_MIN)
        buffer_text(b, "INT64_MIN");
    else if (v > INT32_MAX || v < -INT32_MAX)
        buffer_format(b, "INT64_C(%lld)", (long long)v);
    else
        buffer_format(b, "%lld", (long long)v);
}

static void write_branch(Emit *e, Buffer *b, const Expr *x)
{
    buffer_text(b, "c->branch[");
    emit_branch(e, b, x->which, x->arg, x->count);
    buffer_char(b, ']');
}

void emit_real(Emit *e, Buffer *b, const Expr *x, int level)
{
    if (x->type == EXPR_TYPE_REAL) {
        emit_value(e, b, x, level);
    } else if (x->op == EXPR_INTEGER) {
        buffer_format(b, "R(%lld.0)", (long long)x->integer);
    } else {
        if (level > LEVEL_UNARY)
            buffer_char(b, '(');
        buffer_text(b, "(real)");
        if (x->op == EXPR_SEGMENT)
            write_branch(e, b, x);
        else
            emit_value(e, b, x, LEVEL_UNARY);
        if (level > LEVEL_UNARY)
            buffer_char(b, ')');
    }
}

/* Whole exponents -8 .. 8, as literals. */
static bool small_exponent(const Expr *x, int *n)
{
    int sign = 1;
    if (x->op == EXPR_NEG) {
        sign = -1;
        x = x->arg[0];
    }
    if (x->op == EXPR_FLOAT)
        x = x->arg[0];
    if (x->op != EXPR_INTEGER && x->op != EXPR_NUMBER)
        return false;
    if (!(x->number >= -8.0 && x->number <= 8.0) ||
        x->number != (double)(int)x->number)
        return false;
    *n = sign * (int)x->number;
    return true;
}

static void write_power(Emit *e, Buffer *b, const Expr *x)
{
    int n;
    if (x->type == EXPR_TYPE_INTEGER) {
        buffer_text(b, "cosy_ipow(c, ");
        emit_value(e, b, x->arg[0], LEVEL_CHOOSE);
        buffer_text(b, ", ");
        emit_value(e, b, x->arg[1], LEVEL_CHOOSE);
        buffer_char(b, ')');
        e->trouble = true;
        return;
    }
    if (!small_exponent(x->arg[1], &n)) {
        buffer_text(b, "cosy_pow(");
        emit_real(e, b, x->arg[0], LEVEL_CHOOSE);
        buffer_text(b, ", ");
        emit_real(e, b, x->arg[1], LEVEL_CHOOSE);
        buffer_char(b, ')');
        return;
    }
    int size = n < 0 ? -n : n;
    if (size == 0) {
        buffer_text(b, "R(1.0)");
        return;
    }
    if (n < 0)
        buffer_text(b, "R(1.0) / ");
    if (size == 1) {
        emit_real(e, b, x->arg[0], LEVEL_PRIMARY);
        return;
    }
    buffer_text(b, size == 2   ? "cosy_square("
                   : size == 3 ? "cosy_cube("
                               : "cosy_power(");
    emit_real(e, b, x->arg[0], LEVEL_CHOOSE);
    if (size > 3)
        buffer_format(b, ", %d", size);
    buffer_char(b, ')');
}

/* ---- Operations --------------------------------------------------------------------------------- */

static void call_text(Emit *e, Buffer *b, const Expr *x, const char *name,
                      ExprType type)
{
    bool first = name[strlen(name) - 1] == '(';
    buffer_text(b, name);
    if (!first && name[strlen(name) - 1] != ' ')
        buffer_char(b, '(');
    for (uint32_t k = 0; k < x->count; k++) {
        if (k)
            buffer_text(b, ", ");
        bool calls_follow = k + 1 < x->count && plan_calls(x->arg[k + 1]);
        if (type == EXPR_TYPE_REAL && x->arg[k]->type != EXPR_TYPE_REAL)
            emit_real(e, b, x->arg[k], LEVEL_CHOOSE);
        else
            emit_settled(e, b, x->arg[k], LEVEL_CHOOSE, calls_follow);
    }
    buffer_char(b, ')');
}

static const char *const functions[EXPR_OPS] = {
    [EXPR_SIN] = "cosy_sin",     [EXPR_COS] = "cosy_cos",
    [EXPR_TAN] = "cosy_tan",     [EXPR_ASIN] = "cosy_asin",
    [EXPR_ACOS] = "cosy_acos",   [EXPR_ATAN] = "cosy_atan",
    [EXPR_ATAN2] = "cosy_atan2", [EXPR_SINH] = "cosy_sinh",
    [EXPR_COSH] = "cosy_cosh",   [EXPR_TANH] = "cosy_tanh",
    [EXPR_ASINH] = "cosy_asinh", [EXPR_ACOSH] = "cosy_acosh",
    [EXPR_ATANH] = "cosy_atanh", [EXPR_FACTORIAL] = "cosy_factorial",
    [EXPR_EXP] = "cosy_exp",     [EXPR_LOG] = "cosy_log",
    [EXPR_LOG10] = "cosy_log10", [EXPR_SQRT] = "cosy_sqrt",
    [EXPR_HYPOT] = "cosy_hypot", [EXPR_ERF] = "cosy_erf",
    [EXPR_ABS] = "cosy_abs",     [EXPR_SIGN] = "cosy_sign",
    [EXPR_MIN] = "cosy_lesser",  [EXPR_MAX] = "cosy_greater",
    [EXPR_MOD] = "cosy_fmod",
};

static const char *const integer_functions[EXPR_OPS] = {
    [EXPR_ABS] = "cosy_iabs(c, ", [EXPR_SIGN] = "cosy_isign",
    [EXPR_MIN] = "cosy_imin",     [EXPR_MAX] = "cosy_imax",
    [EXPR_MOD] = "cosy_imod(c, ", [EXPR_IDIV] = "cosy_idiv(c, ",
    [EXPR_ADD] = "cosy_iadd(c, ", [EXPR_SUB] = "cosy_isub(c, ",
    [EXPR_MUL] = "cosy_imul(c, ", [EXPR_NEG] = "cosy_ineg(c, ",
    [EXPR_TRUNC] = "cosy_trunc",  [EXPR_ROUND] = "cosy_round",
    [EXPR_FLOOR] = "cosy_floor",
};

static void write_function(Emit *e, Buffer *b, const Expr *x)
{
    bool whole =
        x->op == EXPR_TRUNC || x->op == EXPR_ROUND || x->op == EXPR_FLOOR;
    bool integer = x->type == EXPR_TYPE_INTEGER;
    if (whole)
        buffer_text(b, "cosy_integer(c, ");
    call_text(e, b, x, (integer ? integer_functions : functions)[x->op],
              integer && !whole ? EXPR_TYPE_INTEGER : EXPR_TYPE_REAL);
    if (whole)
        buffer_char(b, ')');
    if (whole || (integer && (x->op == EXPR_IDIV || x->op == EXPR_MOD)) ||
        emit_may_overflow(e, x))
        e->trouble = true;
}

static void write_quotient(Emit *e, Buffer *b, const Expr *x)
{
    emit_value(e, b, x->arg[0], LEVEL_MUL);
    buffer_text(b, x->op == EXPR_IDIV ? " / " : " % ");
    emit_value(e, b, x->arg[1], LEVEL_MUL + 1);
}

typedef struct Infix {
    const char *text;
    int level;
} Infix;

static const Infix infix[EXPR_OPS] = {
    [EXPR_ADD] = {" + ", LEVEL_ADD},   [EXPR_SUB] = {" - ", LEVEL_ADD},
    [EXPR_MUL] = {" * ", LEVEL_MUL},   [EXPR_DIV] = {" / ", LEVEL_MUL},
    [EXPR_LT] = {" < ", LEVEL_ORDER},  [EXPR_LE] = {" <= ", LEVEL_ORDER},
    [EXPR_GT] = {" > ", LEVEL_ORDER},  [EXPR_GE] = {" >= ", LEVEL_ORDER},
    [EXPR_EQ] = {" == ", LEVEL_EQUAL}, [EXPR_NE] = {" != ", LEVEL_EQUAL},
};

static void write_infix(Emit *e, Buffer *b, const Expr *x)
{
    const Expr *left = x->arg[0], *right = x->arg[1];
    Infix i = infix[x->op];
    bool relation = i.level == LEVEL_ORDER || i.level == LEVEL_EQUAL;
    bool real =
        relation ? left->type == EXPR_TYPE_REAL || right->type == EXPR_TYPE_REAL
                 : x->type == EXPR_TYPE_REAL;
    bool calls_follow = plan_calls(right);
    int low = relation ? LEVEL_ADD : i.level;
    if (real && left->type != EXPR_TYPE_REAL)
        emit_real(e, b, left, low);
    else
        emit_settled(e, b, left, low, calls_follow);
    buffer_text(b, i.text);
    emit_value_as(e, b, right, real ? EXPR_TYPE_REAL : EXPR_TYPE_INTEGER,
                  relation ? LEVEL_ADD : i.level + 1);
}

static void write_unary(Emit *e, Buffer *b, const Expr *x)
{
    const Expr *a = x->arg[0];
    bool sign = a->op == EXPR_NEG || (a->op == EXPR_INTEGER && a->integer < 0);
    buffer_char(b, x->op == EXPR_NEG ? '-' : '!');
    emit_value_as(e, b, a, x->type, sign ? LEVEL_PRIMARY : LEVEL_UNARY);
}

static void write_system(Emit *e, Buffer *b, const Expr *x)
{
    switch ((SystemValue)x->which) {
    case SYSTEM_TIME:
        buffer_text(b, e->f->part == PART_BODY ? "c->head->t" : "t");
        break;
    case SYSTEM_PI:
        buffer_text(b, "R(3.14159265358979323846264338327950288)");
        break;
    case SYSTEM_INF: buffer_text(b, "COSY_INFINITY"); break;
    case SYSTEM_TBEG: buffer_text(b, "c->head->t_begin"); break;
    case SYSTEM_TFIN: buffer_text(b, "c->head->t_end"); break;
    case SYSTEM_RUN: buffer_text(b, "(int64_t)c->head->run"); break;
    case SYSTEM_DTFUL: buffer_text(b, "c->head->dt"); break;
    case SYSTEM_GENTIM:
        buffer_text(b, "cosy_transaction(c, self)->gentim");
        break;
    case SYSTEM_TRANSNBR:
        buffer_text(b, "(int64_t)cosy_transaction(c, self)->number");
        break;
    case SYSTEM_PRIORNBR:
        if (x->type == EXPR_TYPE_INTEGER) {
            buffer_text(b, "cosy_priornbr(c, ");
            e->trouble = true;
        }
        buffer_text(b, "cosy_transaction(c, self)->priority");
        if (x->type == EXPR_TYPE_INTEGER)
            buffer_char(b, ')');
        break;
    case SYSTEM_BLOCKNBR:
        buffer_text(b, "(int64_t)cosy_transaction(c, self)->point");
        break;
    case SYSTEM_TIMEDOUT:
        buffer_text(b, "(cosy_transaction(c, self)->timed_out != 0)");
        break;
    case SYSTEM_VALUES: break;
    }
}

/* cosy_table_at(&F, d->F_M, segment, x); at accepted points it rings. */
static void write_table(Emit *e, Buffer *b, const Expr *x)
{
    const char *name = e->name->table[x->which];
    bool spline = model_table(e->m, x->which)->kind == TABLE_SPLINE;
    bool at = x->op == EXPR_TABLE_AT || x->op == EXPR_TABLE_AT_SLOPE ||
              x->op == EXPR_TABLE_AT_HIGHER;
    bool slope = x->op == EXPR_TABLE_SLOPE || x->op == EXPR_TABLE_AT_SLOPE;
    bool higher = x->op == EXPR_TABLE_HIGHER || x->op == EXPR_TABLE_AT_HIGHER;
    bool rings = !slope && !higher &&
                 (e->f->part == PART_OUTPUTS || e->f->part == PART_BODY);
    buffer_format(b, "cosy_table%s%s(&%s, ", at ? "_at" : "",
                  slope    ? "_slope"
                  : higher ? "_higher"
                           : "",
                  name);
    if (spline)
        buffer_format(b, "d->second_%s, ", name);
    else
        buffer_text(b, "NULL, ");
    if (at) {
        emit_value(e, b, x->arg[0], LEVEL_CHOOSE);
        buffer_text(b, ", ");
    }
    if (rings)
        buffer_format(b, "cosy_table_ring(c, &%s, &d->rung_%s, ", name, name);
    emit_real(e, b, x->arg[at ? 1 : 0], LEVEL_CHOOSE);
    if (higher)
        buffer_format(b, ", %d", (int)x->arg[at ? 2 : 1]->integer);
    buffer_text(b, rings ? "))" : ")");
}

static void write_external(Emit *e, Buffer *b, const Expr *x)
{
    buffer_format(b, "%s(c", e->name->external[x->which]);
    for (uint32_t k = 0; k < x->count; k++) {
        buffer_text(b, ", ");
        emit_real(e, b, x->arg[k], LEVEL_CHOOSE);
    }
    buffer_char(b, ')');
}

/* What the last SIMULATE has found. */
static void write_found(Emit *e, Buffer *b, const Expr *x)
{
    buffer_format(b, "cosy_found(c, COSY_FOUND_%s, v_%s, (uint32_t)(",
                  expr_op_text(x->op), e->name->variable[x->which]);
    emit_value(e, b, x->arg[0], LEVEL_CHOOSE);
    buffer_text(b, "))");
    e->trouble = true;
}

/* Not a number where it is lost. */
static void write_sensed(Emit *e, Buffer *b, const Expr *x)
{
    const Sensed *s = model_sensed(e->m, x->which);
    buffer_format(b, "cosy_sensed(c, %u, ", s->sense);
    emit_place(e, b, s->companion, false, x->arg, x->count);
    buffer_char(b, ')');
}

static int level_of(const Emit *e, const Expr *x)
{
    int n;
    if (emit_may_overflow(e, x))
        return LEVEL_PRIMARY; // a call
    switch (x->op) {
    case EXPR_INTEGER:
        return x->integer < 0 && x->integer >= -INT32_MAX ? LEVEL_UNARY
                                                          : LEVEL_PRIMARY;
    case EXPR_NEG:
    case EXPR_NOT: return LEVEL_UNARY;
    case EXPR_SYSTEM:
        return x->which == SYSTEM_RUN || x->which == SYSTEM_TRANSNBR ||
                       x->which == SYSTEM_BLOCKNBR
                   ? LEVEL_UNARY
                   : LEVEL_PRIMARY;
    case EXPR_SEGMENT: return LEVEL_UNARY;
    case EXPR_QUEUE:
    case EXPR_RESOURCE: return LEVEL_UNARY;
    case EXPR_VARIABLE: {
        const Variable *v = model_variable(e->m, x->which);
        return (v->kind == VARIABLE_FORMAL && v->by_reference &&
                v->rank == 0) ||
                       v->role == ROLE_COPYNBR
                   ? LEVEL_UNARY
                   : LEVEL_PRIMARY;
    }
    case EXPR_POW:
        if (x->type == EXPR_TYPE_REAL && small_exponent(x->arg[1], &n) && n < 0)
            return LEVEL_MUL;
        return LEVEL_PRIMARY;
    case EXPR_COPIES: return LEVEL_UNARY;
    case EXPR_PLACE: return LEVEL_ADD;
    case EXPR_AND: return LEVEL_AND;
    case EXPR_OR: return LEVEL_OR;
    case EXPR_CHOOSE: return LEVEL_CHOOSE;
    case EXPR_IDIV:
    case EXPR_MOD: return plan_is_plain_quotient(x) ? LEVEL_MUL : LEVEL_PRIMARY;
    default: return infix[x->op].level ? infix[x->op].level : LEVEL_PRIMARY;
    }
}

static void write_held(Emit *e, Buffer *b, const Expr *x)
{
    const Memory *h = model_memory(e->m, x->which);
    if (h->pool) {
        buffer_format(b, "%s_at(", e->name->pool[h->pool - 1]);
        emit_value(e, b, x->arg[0], 0);
        buffer_format(b, ").%s", e->name->memory[x->which]);
    } else {
        buffer_format(b, "d->%s", e->name->memory[x->which]);
    }
}

static void write_leaf(Emit *e, Buffer *b, const Expr *x)
{
    switch (x->op) {
    case EXPR_NUMBER: write_number(b, x->text); break;
    case EXPR_INTEGER: write_integer(b, x->integer); break;
    case EXPR_TRUTH: buffer_text(b, x->integer ? "true" : "false"); break;
    case EXPR_STRING: buffer_text(b, emit_string(e, x->text)); break;
    case EXPR_VARIABLE:
    case EXPR_RATE:
        emit_place(e, b, x->which, x->op == EXPR_RATE, x->arg, x->count);
        break;
    case EXPR_LOOP:
        buffer_text(b, e->loops.name[x->which] ? e->loops.name[x->which] : "0");
        break;
    case EXPR_ELEMENT: buffer_text(b, "element"); break;
    case EXPR_SYSTEM: write_system(e, b, x); break;
    case EXPR_ATTRIBUTE: emit_place(e, b, x->which, false, NULL, 0); break;
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT: emit_entry_place(e, b, x); break;
    case EXPR_QUEUE: emit_queue(e, b, x); break;
    case EXPR_RESOURCE: emit_asked(e, b, x); break;
    case EXPR_SELF:
    case EXPR_EXISTS:
    case EXPR_COPIES: emit_copies_value(e, b, x); break;
    case EXPR_PLACE: emit_pooled_place(e, b, x->which, x->arg); break;
    case EXPR_HELD: write_held(e, b, x); break;
    case EXPR_SIDE: write_branch(e, b, x); break;
    case EXPR_SEGMENT:
        buffer_text(b, "(int64_t)");
        write_branch(e, b, x);
        break;
    default: break;
    }
}

/* Ignores constants that already hold the value; flat, one case per
   operation. */
static void write_bare(Emit *e, Buffer *b, const Expr *x)
{
    if (emit_may_overflow(e, x) && integer_functions[x->op]) {
        write_function(e, b, x);
        return;
    }
    switch (x->op) {
    case EXPR_NEG:
    case EXPR_NOT: write_unary(e, b, x); break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV: write_infix(e, b, x); break;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE:
        if (!emit_crossing(e, b, x, write_infix))
            write_infix(e, b, x);
        break;
    case EXPR_IDIV:
    case EXPR_MOD:
        if (plan_is_plain_quotient(x))
            write_quotient(e, b, x);
        else
            write_function(e, b, x);
        break;
    case EXPR_POW: write_power(e, b, x); break;
    case EXPR_AND:
    case EXPR_OR: emit_write_both(e, b, x); break;
    case EXPR_CHOOSE: emit_write_choose(e, b, x); break;
    case EXPR_MEAN:
    case EXPR_SDEV: write_found(e, b, x); break;
    case EXPR_SENSED: write_sensed(e, b, x); break;
    case EXPR_TABLE:
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT:
    case EXPR_TABLE_AT_SLOPE:
    case EXPR_TABLE_HIGHER:
    case EXPR_TABLE_AT_HIGHER: write_table(e, b, x); break;
    case EXPR_EXTERNAL: write_external(e, b, x); break;
    case EXPR_SURE:
        buffer_text(b, "cosy_sure(c, ");
        emit_real(e, b, x->arg[0], LEVEL_CHOOSE);
        buffer_char(b, ')');
        e->trouble = true;
        break;
    default:
        if (functions[x->op] || integer_functions[x->op])
            write_function(e, b, x);
        else
            write_leaf(e, b, x);
    }
}

void emit_bare(Emit *e, Buffer *b, const Expr *x, int level)
{
    if (x->op == EXPR_FLOAT || x->op == EXPR_NOEVENT || x->op == EXPR_FROZEN) {
        if (x->op == EXPR_FLOAT)
            emit_real(e, b, x->arg[0], level);
        else
            emit_value(e, b, x->arg[0], level);
        return;
    }
    bool inside = level > level_of(e, x);
    if (x->op == EXPR_CHOOSE || x->op == EXPR_AND || x->op == EXPR_OR) {
        // a subexpression that became a constant needs no parentheses
        Buffer own = {0};
        write_bare(e, &own, x);
        const char *text = buffer_string(&own);
        inside = inside && strchr(text, ' ') != NULL;
        buffer_format(b, inside ? "(%s)" : "%s", text);
        buffer_free(&own);
        return;
    }
    if (inside)
        buffer_char(b, '(');
    write_bare(e, b, x);
    if (inside)
        buffer_char(b, ')');
}

#define NESTED_MOST 100 // levels of an expression; tcc knows less than 300

void emit_value(Emit *e, Buffer *b, const Expr *x, int level)
{
    const ExprUse *n = &e->sharing.node[x->id];
    if ((e->share || plan_is_occurrence(x)) && emit_temp_of(e, x)) {
        buffer_text(b, n->temp);
    } else if (plan_is_hoisted(x)) {
        buffer_text(b, emit_hoist(e, x));
    } else if (e->share && e->conditional == 0 && plan_is_worth(x) &&
               ((n->serial == e->sharing.serial && n->uses > 1) ||
                e->nested_values >= NESTED_MOST)) {
        buffer_text(b, emit_make_temp(e, x));
    } else {
        e->nested_values++;
        emit_bare(e, b, x, level);
        e->nested_values--;
    }
}

/* ---- Designators and constants -------------------------------------------------------------------- */

void emit_target(Emit *e, Buffer *b, const Expr *x)
{
    write_leaf(e, b, x);
}

void emit_address(Emit *e, Buffer *b, const Expr *x)
{
    const Variable *v = model_variable(e->m, x->which);
    if (v->kind == VARIABLE_FORMAL && v->by_reference && x->count == 0) {
        buffer_text(b, e->name->variable[x->which]); // it is an address already
        return;
    }
    bool whole = v->rank > 0 && x->count == 0;
    if (v->kind == VARIABLE_FORMAL && whole) {
        buffer_text(b, e->name->variable[x->which]);
        return;
    }
    buffer_char(b, '&');
    write_leaf(e, b, x);
    for (uint32_t k = 0; whole && v->kind != VARIABLE_STATE && k < v->rank; k++)
        buffer_text(b, "[0]");
}

/* INF, or a CONST that is. */
static bool is_infinity(const Model *m, const Expr *x)
{
    if (x->op == EXPR_VARIABLE) {
        const Variable *v = model_variable(m, x->which);
        return v->kind == VARIABLE_CONST && v->value &&
               is_infinity(m, v->value);
    }
    return x->op == EXPR_SYSTEM && x->which == SYSTEM_INF;
}

/* A real constant expression: literals, arithmetic, values of CONSTs. */
bool emit_static(Emit *e, Buffer *b, const Expr *x)
{
    const Variable *v;
    switch (x->op) {
    case EXPR_NUMBER: write_number(b, x->text); return true;
    case EXPR_INTEGER:
        buffer_format(b, "R(%lld.0)", (long long)x->integer);
        return true;
    case EXPR_FLOAT: return emit_static(e, b, x->arg[0]);
    case EXPR_SYSTEM:
        write_system(e, b, x);
        return x->which == SYSTEM_PI || x->which == SYSTEM_INF;
    case EXPR_VARIABLE:
        v = model_variable(e->m, x->which);
        return v->kind == VARIABLE_CONST && v->value && v->rank == 0 &&
               emit_static(e, b, v->value);
    case EXPR_NEG:
        if (is_infinity(e->m, x->arg[0]))
            return false; // tcc does not compute with it
        buffer_text(b, "-(");
        if (!emit_static(e, b, x->arg[0]))
            return false;
        buffer_char(b, ')');
        return true;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
        buffer_char(b, '(');
        if (!emit_static(e, b, x->arg[0]))
            return false;
        buffer_text(b, infix[x->op].text);
        if (!emit_static(e, b, x->arg[1]))
            return false;
        buffer_char(b, ')');
        return true;
    default: return false;
    }
}
