#include "emit/writer.h"

#include <assert.h>
#include <string.h>

/* Expressions of the Model as expressions of C; see writer.h about scopes and
   about what needs statements of its own. */

/* ---- Scopes --------------------------------------------------------------------- */

void scope_open(Emit *e, Scope *s)
{
    *s = (Scope){e->undo.used, e->serial, e->shared, e->hoists};
    e->serial = ++e->serials;
    e->shared = e->hoists = false;
}

void scope_close(Emit *e, const Scope *s)
{
    Undo *list = (Undo *)(void *)e->undo.bytes;
    for (size_t k = e->undo.used / sizeof *list; k > s->undo / sizeof *list;) {
        k--;
        e->node[list[k].id] = list[k].old;
    }
    e->undo.used = s->undo;
    e->serial = s->serial;
    e->shared = s->shared;
    e->hoists = s->hoists;
}

static void remember(Emit *e, const Expr *x)
{
    Undo u = {x->id, e->node[x->id]};
    if (!vector_append(&e->undo, &u, sizeof u))
        e->broken = true;
}

/* What stands as statements before the expression. */
static bool is_hoisted(const Expr *x)
{
    switch (x->op) {
    case EXPR_SUM:
    case EXPR_PROD:
    case EXPR_CALL:
    case EXPR_DRAW:
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE: return true;
    default: return false;
    }
}

/* Not shorter to look up than to write again. */
static bool is_worth(const Expr *x)
{
    switch (x->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER:
    case EXPR_TRUTH:
    case EXPR_STRING:
    case EXPR_VARIABLE:
    case EXPR_RATE:
    case EXPR_LOOP:
    case EXPR_SYSTEM:
    case EXPR_ATTRIBUTE:
    case EXPR_SIDE:
    case EXPR_SEGMENT:
    case EXPR_HELD: return false;
    case EXPR_FLOAT:
    case EXPR_NOT:
    case EXPR_NEG: return is_worth(x->arg[0]);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL: return x->type == TYPE_REAL;
    default: return true;
    }
}

/* Arguments that are computed whenever x is; those behind are so under a
   condition, or inside a loop of their own. */
static uint32_t sure_arguments(const Expr *x)
{
    switch (x->op) {
    case EXPR_CHOOSE:
    case EXPR_AND:
    case EXPR_OR: return 1;
    case EXPR_SUM:
    case EXPR_PROD: return 3;
    default: return x->count;
    }
}

void emit_count(Emit *e, const Expr *x)
{
    Node *n = &e->node[x->id];
    if (n->temp && n->function == e->function)
        return;
    if (n->serial != e->serial) {
        remember(e, x);
        n->serial = e->serial;
        n->uses = 0;
    }
    if (is_hoisted(x))
        e->hoists = true;
    if (++n->uses > 1) {
        e->shared = e->shared || is_worth(x);
        return;
    }
    for (uint32_t k = 0; k < x->count; k++)
        emit_count(e, x->arg[k]);
}

static void count_visit(Emit *e, const Expr *x, void *user)
{
    (void)user;
    emit_count(e, x);
}

void emit_count_steps(Emit *e, const Steps *steps)
{
    emit_each_step(e, steps, e->needs, count_visit, NULL);
}

/* True if x can stand behind ?, && or || as it is. */
static bool is_simple(Emit *e, const Expr *x)
{
    Scope s;
    scope_open(e, &s);
    emit_count(e, x);
    bool simple = !e->hoists && !(e->share && e->shared);
    scope_close(e, &s);
    return simple;
}

static bool checks(const Emit *e, const Expr *x)
{
    switch (x->op) {
    case EXPR_IDIV:
    case EXPR_TRUNC:
    case EXPR_ROUND:
    case EXPR_FLOOR: return true;
    case EXPR_MOD:
    case EXPR_MUL:
    case EXPR_POW:
        if (x->type == TYPE_INTEGER)
            return true;
        break;
    case EXPR_VARIABLE:
    case EXPR_RATE:
        for (uint32_t k = 0; k < x->count; k++) {
            const Variable *v = model_variable(e->m, x->which);
            Known i = emit_bounds(e, x->arg[k]);
            if (!i.known || i.low < v->low[k] || i.high > v->high[k])
                return true;
        }
        break;
    default: break;
    }
    for (uint32_t k = 0; k < x->count; k++)
        if (checks(e, x->arg[k]))
            return true;
    return false;
}

bool emit_is_plain(Emit *e, const Expr *x)
{
    return is_simple(e, x) && !checks(e, x);
}

void emit_check(Emit *e, uint32_t row)
{
    if (e->trouble)
        emit_line(e, "COSY_CHECK(%s);", emit_row(e, row));
    e->trouble = false;
}

/* ---- Constants of a scope ---------------------------------------------------------- */

const char *emit_type(ExprType t)
{
    return t == TYPE_REAL ? "real" : t == TYPE_INTEGER ? "int64_t" : "bool";
}

const char *emit_temp(Emit *e)
{
    return emit_format(e, "t%u", ++e->temps);
}

static void keep_temp(Emit *e, const Expr *x, const char *name)
{
    if (!e->share)
        return;
    remember(e, x);
    e->node[x->id].temp = name;
    e->node[x->id].function = e->function;
}

/* Its constant, if this function has one. */
static const char *temp_of(const Emit *e, const Expr *x)
{
    const Node *n = &e->node[x->id];
    return n->temp && n->function == e->function ? n->temp : NULL;
}

static void write_op(Emit *e, Buffer *b, const Expr *x, int level);

static const char *make_temp(Emit *e, const Expr *x)
{
    Buffer b = {0}, value = {0};
    write_op(e, &value, x, 0);
    const char *name = emit_temp(e);
    buffer_format(&b, "const %s %s = %s;", emit_type(x->type), name,
                  buffer_string(&value));
    buffer_free(&value);
    emit_buffer(e, &b);
    keep_temp(e, x, name);
    return name;
}

/* ---- Bounds -------------------------------------------------------------------------- */

#define BOUND_MOST ((int64_t)1 << 40)

static Known bounds_of(int64_t low, int64_t high)
{
    bool known = low >= -BOUND_MOST && high <= BOUND_MOST;
    return (Known){low, high, known};
}

static Known bounds_product(Known a, Known b)
{
    if (a.low != a.high && b.low != b.high)
        return (Known){0};
    int64_t factor = a.low == a.high ? a.low : b.low;
    Known k = a.low == a.high ? b : a;
    if (factor > 1000000 || factor < -1000000)
        return (Known){0};
    return factor < 0 ? bounds_of(k.high * factor, k.low * factor)
                      : bounds_of(k.low * factor, k.high * factor);
}

Known emit_bounds(const Emit *e, const Expr *x)
{
    Known a, b;
    switch (x->op) {
    case EXPR_INTEGER: return bounds_of(x->integer, x->integer);
    case EXPR_LOOP: return e->loop_range[x->which];
    case EXPR_VARIABLE: return e->counter_range[x->which];
    case EXPR_NEG:
        a = emit_bounds(e, x->arg[0]);
        return a.known ? bounds_of(-a.high, -a.low) : a;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL: break;
    default: return (Known){0};
    }
    a = emit_bounds(e, x->arg[0]);
    b = emit_bounds(e, x->arg[1]);
    if (!a.known || !b.known)
        return (Known){0};
    if (x->op == EXPR_MUL)
        return bounds_product(a, b);
    if (x->op == EXPR_ADD)
        return bounds_of(a.low + b.low, a.high + b.high);
    return bounds_of(a.low - b.high, a.high - b.low);
}

/* ---- Statements before an expression ---------------------------------------------------- */

static bool calls(const Expr *x)
{
    return (x->reads & READS_CALL) != 0;
}

/* x, which is read before `behind` may do something. */
static void settled(Emit *e, Buffer *b, const Expr *x, int level, bool behind)
{
    if (behind && !e->share && !is_hoisted(x) && x->reads)
        buffer_text(b, make_temp(e, x));
    else
        emit_value(e, b, x, level);
}

static void sum_loop(Emit *e, const Expr *x, const char *name)
{
    const Expr *from = x->arg[0], *to = x->arg[1], *except = x->arg[2];
    Known a = emit_bounds(e, from), z = emit_bounds(e, to);
    Known range = {a.low, z.high, a.known && z.known};
    Buffer b = {0}, first = {0}, last = {0};
    emit_value(e, &first, from, LEVEL_CHOOSE);
    emit_value(e, &last, to, LEVEL_ORDER + 1);
    const char *i = emit_index_begin(e, x->which, range);
    if (to->op != EXPR_INTEGER) {
        buffer_format(
            &b, "for (int64_t %s = %s, %s_last = %s; %s <= %s_last; %s++) {", i,
            buffer_string(&first), i, buffer_string(&last), i, i, i);
    } else {
        buffer_format(&b, "for (int64_t %s = %s; %s <= %s; %s++) {", i,
                      buffer_string(&first), i, buffer_string(&last), i);
    }
    buffer_free(&first);
    buffer_free(&last);
    emit_buffer(e, &b);
    e->depth++;
    if (except->op != EXPR_TRUTH) {
        Buffer test = {0};
        buffer_format(&test, "if (%s == ", i);
        emit_value(e, &test, except, LEVEL_EQUAL + 1);
        buffer_text(&test, ")");
        emit_buffer(e, &test);
        emit_line(e, "    continue;");
    }
    Scope s;
    Buffer term = {0};
    scope_open(e, &s);
    emit_count(e, x->arg[3]);
    buffer_format(&term, "%s %s ", name, x->op == EXPR_SUM ? "+=" : "*=");
    if (x->type == TYPE_REAL)
        emit_real(e, &term, x->arg[3], 0);
    else
        emit_value(e, &term, x->arg[3], 0);
    buffer_char(&term, ';');
    emit_buffer(e, &term);
    scope_close(e, &s);
    emit_index_end(e, x->which);
    emit_close(e, "");
}

static const char *hoist_sum(Emit *e, const Expr *x)
{
    const char *name = emit_temp(e);
    bool sum = x->op == EXPR_SUM;
    const char *start = x->type != TYPE_REAL ? (sum ? "0" : "1")
                        : sum                ? "R(0.0)"
                                             : "R(1.0)";
    emit_line(e, "%s %s = %s;", emit_type(x->type), name, start);
    sum_loop(e, x, name);
    return name;
}

/* Actuals of a routine: behind `c`. */
void emit_actuals(Emit *e, Buffer *b, const Routine *r,
                  const Expr *const *actual, uint32_t n)
{
    for (uint32_t k = 0; k < n && k < r->formals; k++) {
        const Variable *f = model_variable(e->m, r->formal[k]);
        bool behind = false;
        for (uint32_t i = k + 1; i < n; i++)
            behind = behind || calls(actual[i]);
        buffer_text(b, ", ");
        if (f->by_reference || f->rank)
            emit_address(e, b, actual[k]);
        else if (f->type == TYPE_REAL && actual[k]->type != TYPE_REAL)
            emit_real(e, b, actual[k], LEVEL_CHOOSE);
        else
            settled(e, b, actual[k], LEVEL_CHOOSE, behind);
    }
}

static const char *hoist_call(Emit *e, const Expr *x)
{
    const Routine *r = model_routine(e->m, x->which);
    Buffer b = {0}, actuals = {0};
    emit_actuals(e, &actuals, r, x->arg, x->count);
    const char *name = emit_temp(e);
    emit_line(e, "%s %s;", emit_type(x->type), name);
    buffer_format(&b, "COSY_TRY(%s(c%s, &%s));", e->routine[x->which],
                  buffer_string(&actuals), name);
    buffer_free(&actuals);
    emit_buffer(e, &b);
    return name;
}

static const char *hoist_delayed(Emit *e, const Expr *x)
{
    Buffer b = {0}, time = {0};
    emit_real(e, &time, x->arg[0], LEVEL_CHOOSE);
    const char *name = emit_temp(e);
    emit_line(e, "real %s;", name);
    buffer_format(&b, "COSY_TRY(c->host->%s(c, %s, %s, &%s));",
                  x->op == EXPR_DELAYED ? "delayed" : "delayed_rate",
                  e->memory[x->which], buffer_string(&time), name);
    buffer_free(&time);
    emit_buffer(e, &b);
    return name;
}

static const char *hoist(Emit *e, const Expr *x)
{
    const char *name;
    assert(e->conditional == 0);
    switch (x->op) {
    case EXPR_SUM:
    case EXPR_PROD: name = hoist_sum(e, x); break;
    case EXPR_CALL: name = hoist_call(e, x); break;
    case EXPR_DRAW:
        name = emit_temp(e);
        emit_line(e, "const real %s = cosy_draw(c, %u);", name, x->which);
        break;
    default: name = hoist_delayed(e, x); break;
    }
    keep_temp(e, x, name);
    return name;
}

/* ---- Conditions -------------------------------------------------------------------------- */

static void mark_sure(Emit *e, const Expr *x, uint32_t mark)
{
    if (e->mark[x->id] == mark || temp_of(e, x))
        return;
    e->mark[x->id] = mark;
    for (uint32_t k = 0; k < sure_arguments(x); k++)
        mark_sure(e, x->arg[k], mark);
}

/* Constants for what x has in common with what was marked. */
static void take_common(Emit *e, const Expr *x, uint32_t mark, uint32_t seen)
{
    if (e->mark[x->id] == seen || temp_of(e, x))
        return;
    bool common = e->mark[x->id] == mark && (is_worth(x) || is_hoisted(x));
    e->mark[x->id] = seen;
    if (common) {
        if (is_hoisted(x))
            hoist(e, x);
        else
            make_temp(e, x);
        return;
    }
    for (uint32_t k = 0; k < sure_arguments(x); k++)
        take_common(e, x->arg[k], mark, seen);
}

/* Both arms will need it, whichever is taken. */
static void common_first(Emit *e, const Expr *a, const Expr *b)
{
    if (!e->share)
        return;
    uint32_t mark = ++e->marks, seen = ++e->marks;
    mark_sure(e, a, mark);
    take_common(e, b, mark, seen);
}

static void value_as(Emit *e, Buffer *b, const Expr *x, ExprType type,
                     int level)
{
    if (type == TYPE_REAL)
        emit_real(e, b, x, level);
    else
        emit_value(e, b, x, level);
}

/* name = x; in a scope of its own */
static void assign_arm(Emit *e, const char *name, const Expr *x, ExprType type)
{
    Scope s;
    Buffer b = {0};
    scope_open(e, &s);
    emit_count(e, x);
    buffer_format(&b, "%s = ", name);
    value_as(e, &b, x, type, 0);
    buffer_char(&b, ';');
    emit_buffer(e, &b);
    scope_close(e, &s);
}

static void open_if(Emit *e, const char *head, const Expr *x)
{
    Buffer b = {0};
    buffer_format(&b, "%s(", head);
    emit_value(e, &b, x, 0);
    buffer_text(&b, ") {");
    emit_buffer(e, &b);
    e->depth++;
}

static const char *choose_statement(Emit *e, const Expr *x)
{
    const char *name = emit_temp(e);
    common_first(e, x->arg[1], x->arg[2]);
    emit_line(e, "%s %s;", emit_type(x->type), name);
    open_if(e, "if ", x->arg[0]);
    assign_arm(e, name, x->arg[1], x->type);
    e->depth--;
    emit_line(e, "} else {");
    e->depth++;
    assign_arm(e, name, x->arg[2], x->type);
    emit_close(e, "");
    keep_temp(e, x, name);
    return name;
}

/* An integer literal by itself has the type int. */
static void arm(Emit *e, Buffer *b, const Expr *x, ExprType type)
{
    if (type == TYPE_INTEGER && x->op == EXPR_INTEGER)
        buffer_format(b, "INT64_C(%lld)", (long long)x->integer);
    else
        value_as(e, b, x, type, LEVEL_CHOOSE);
}

static void write_choose(Emit *e, Buffer *b, const Expr *x)
{
    if (!is_simple(e, x->arg[1]) || !is_simple(e, x->arg[2])) {
        buffer_text(b, choose_statement(e, x));
        return;
    }
    emit_value(e, b, x->arg[0], LEVEL_OR);
    e->conditional++;
    buffer_text(b, " ? ");
    arm(e, b, x->arg[1], x->type);
    buffer_text(b, " : ");
    arm(e, b, x->arg[2], x->type);
    e->conditional--;
}

/* && and || do not look at their second side unless they must. */
static const char *both_statement(Emit *e, const Expr *x)
{
    Buffer b = {0}, left = {0};
    emit_value(e, &left, x->arg[0], 0);
    const char *name = emit_temp(e);
    buffer_format(&b, "bool %s = %s;", name, buffer_string(&left));
    buffer_free(&left);
    emit_buffer(e, &b);
    emit_open(e, "if (%s%s)", x->op == EXPR_AND ? "" : "!", name);
    assign_arm(e, name, x->arg[1], TYPE_BOOLEAN);
    emit_close(e, "");
    keep_temp(e, x, name);
    return name;
}

static void write_both(Emit *e, Buffer *b, const Expr *x)
{
    if (!is_simple(e, x->arg[1])) {
        buffer_text(b, both_statement(e, x));
        return;
    }
    bool and = x->op == EXPR_AND;
    // && inside || has parentheses, as compilers wish
    bool bare = and || x->arg[0]->op != EXPR_AND;
    emit_value(e, b, x->arg[0], and? LEVEL_AND : bare ? LEVEL_OR : LEVEL_EQUAL);
    buffer_text(b, and? " && " : " || ");
    e->conditional++;
    emit_value(e, b, x->arg[1], and? LEVEL_AND + 1 : LEVEL_EQUAL);
    e->conditional--;
}

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

void emit_real(Emit *e, Buffer *b, const Expr *x, int level)
{
    if (x->type == TYPE_REAL) {
        emit_value(e, b, x, level);
    } else if (x->op == EXPR_INTEGER) {
        buffer_format(b, "R(%lld.0)", (long long)x->integer);
    } else {
        if (level > LEVEL_UNARY)
            buffer_char(b, '(');
        buffer_text(b, "(real)");
        emit_value(e, b, x, LEVEL_UNARY);
        if (level > LEVEL_UNARY)
            buffer_char(b, ')');
    }
}

/* Exponents -8 .. 8 that are whole, as literals. */
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
    if (x->type == TYPE_INTEGER) {
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
        bool behind = k + 1 < x->count && calls(x->arg[k + 1]);
        if (type == TYPE_REAL && x->arg[k]->type != TYPE_REAL)
            emit_real(e, b, x->arg[k], LEVEL_CHOOSE);
        else
            settled(e, b, x->arg[k], LEVEL_CHOOSE, behind);
    }
    buffer_char(b, ')');
}

static const char *const functions[EXPR_OPS] = {
    [EXPR_SIN] = "cosy_sin",     [EXPR_COS] = "cosy_cos",
    [EXPR_TAN] = "cosy_tan",     [EXPR_ASIN] = "cosy_asin",
    [EXPR_ACOS] = "cosy_acos",   [EXPR_ATAN] = "cosy_atan",
    [EXPR_ATAN2] = "cosy_atan2", [EXPR_SINH] = "cosy_sinh",
    [EXPR_COSH] = "cosy_cosh",   [EXPR_TANH] = "cosy_tanh",
    [EXPR_EXP] = "cosy_exp",     [EXPR_LOG] = "cosy_log",
    [EXPR_LOG10] = "cosy_log10", [EXPR_SQRT] = "cosy_sqrt",
    [EXPR_HYPOT] = "cosy_hypot", [EXPR_ERF] = "cosy_erf",
    [EXPR_ABS] = "cosy_abs",     [EXPR_SIGN] = "cosy_sign",
    [EXPR_MIN] = "cosy_lesser",  [EXPR_MAX] = "cosy_greater",
    [EXPR_MOD] = "cosy_fmod",
};

static const char *const integer_functions[EXPR_OPS] = {
    [EXPR_ABS] = "cosy_iabs",     [EXPR_SIGN] = "cosy_isign",
    [EXPR_MIN] = "cosy_imin",     [EXPR_MAX] = "cosy_imax",
    [EXPR_MOD] = "cosy_imod(c, ", [EXPR_IDIV] = "cosy_idiv(c, ",
    [EXPR_TRUNC] = "cosy_trunc",  [EXPR_ROUND] = "cosy_round",
    [EXPR_FLOOR] = "cosy_floor",
};

static void write_function(Emit *e, Buffer *b, const Expr *x)
{
    bool whole =
        x->op == EXPR_TRUNC || x->op == EXPR_ROUND || x->op == EXPR_FLOOR;
    bool integer = x->type == TYPE_INTEGER;
    if (whole)
        buffer_text(b, "cosy_integer(c, ");
    call_text(e, b, x, (integer ? integer_functions : functions)[x->op],
              integer && !whole ? TYPE_INTEGER : TYPE_REAL);
    if (whole)
        buffer_char(b, ')');
    if (whole || (integer && (x->op == EXPR_IDIV || x->op == EXPR_MOD)))
        e->trouble = true;
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

static bool is_product_of_variables(const Expr *x)
{
    return x->op == EXPR_MUL && x->type == TYPE_INTEGER &&
           x->arg[0]->op != EXPR_INTEGER && x->arg[1]->op != EXPR_INTEGER;
}

static void write_infix(Emit *e, Buffer *b, const Expr *x)
{
    const Expr *left = x->arg[0], *right = x->arg[1];
    Infix i = infix[x->op];
    bool relation = i.level == LEVEL_ORDER || i.level == LEVEL_EQUAL;
    bool real = relation ? left->type == TYPE_REAL || right->type == TYPE_REAL
                         : x->type == TYPE_REAL;
    bool behind = calls(right);
    int low = relation ? LEVEL_ADD : i.level;
    if (real && left->type != TYPE_REAL)
        emit_real(e, b, left, low);
    else
        settled(e, b, left, low, behind);
    buffer_text(b, i.text);
    value_as(e, b, right, real ? TYPE_REAL : TYPE_INTEGER,
             relation ? LEVEL_ADD : i.level + 1);
}

static void write_unary(Emit *e, Buffer *b, const Expr *x)
{
    const Expr *a = x->arg[0];
    bool sign = a->op == EXPR_NEG || (a->op == EXPR_INTEGER && a->integer < 0);
    buffer_char(b, x->op == EXPR_NEG ? '-' : '!');
    value_as(e, b, a, x->type, sign ? LEVEL_PRIMARY : LEVEL_UNARY);
}

static void write_system(Emit *e, Buffer *b, uint32_t which)
{
    switch ((SystemValue)which) {
    case SYSTEM_TIME:
        buffer_text(b, e->part == PART_BODY ? "c->head->t" : "t");
        break;
    case SYSTEM_PI:
        buffer_text(b, "R(3.14159265358979323846264338327950288)");
        break;
    case SYSTEM_TBEG: buffer_text(b, "c->head->t_begin"); break;
    case SYSTEM_TFIN: buffer_text(b, "c->head->t_end"); break;
    case SYSTEM_RUN: buffer_text(b, "(int64_t)c->head->run"); break;
    case SYSTEM_DTFUL: buffer_text(b, "c->head->dt"); break;
    case SYSTEM_VALUES: break;
    }
}

/* cosy_table_at(&F, d->F_M, segment, x); at accepted points it rings. */
static void write_table(Emit *e, Buffer *b, const Expr *x)
{
    const char *name = e->table[x->which];
    bool spline = model_table(e->m, x->which)->kind == TABLE_SPLINE;
    bool at = x->op == EXPR_TABLE_AT || x->op == EXPR_TABLE_AT_SLOPE;
    bool slope = x->op == EXPR_TABLE_SLOPE || x->op == EXPR_TABLE_AT_SLOPE;
    bool rings = !slope && (e->part == PART_OUTPUTS || e->part == PART_BODY);
    buffer_format(b, "cosy_table%s%s(&%s, ", at ? "_at" : "",
                  slope ? "_slope" : "", name);
    if (spline)
        buffer_format(b, "d->M_%s, ", name);
    else
        buffer_text(b, "NULL, ");
    if (at) {
        emit_value(e, b, x->arg[0], LEVEL_CHOOSE);
        buffer_text(b, ", ");
    }
    if (rings)
        buffer_format(b, "cosy_table_ring(c, &%s, &d->RUNG_%s, ", name, name);
    emit_real(e, b, x->arg[at ? 1 : 0], LEVEL_CHOOSE);
    buffer_text(b, rings ? "))" : ")");
}

static void write_external(Emit *e, Buffer *b, const Expr *x)
{
    buffer_format(b, "%s(c", e->external[x->which]);
    for (uint32_t k = 0; k < x->count; k++) {
        buffer_text(b, ", ");
        emit_real(e, b, x->arg[k], LEVEL_CHOOSE);
    }
    buffer_char(b, ')');
}

static int level_of(const Emit *e, const Expr *x)
{
    int n;
    switch (x->op) {
    case EXPR_INTEGER:
        return x->integer < 0 && x->integer >= -INT32_MAX ? LEVEL_UNARY
                                                          : LEVEL_PRIMARY;
    case EXPR_NEG:
    case EXPR_NOT: return LEVEL_UNARY;
    case EXPR_SYSTEM:
        return x->which == SYSTEM_RUN ? LEVEL_UNARY : LEVEL_PRIMARY;
    case EXPR_SEGMENT: return LEVEL_UNARY;
    case EXPR_VARIABLE: {
        const Variable *v = model_variable(e->m, x->which);
        return v->kind == VARIABLE_FORMAL && v->by_reference && v->rank == 0
                   ? LEVEL_UNARY
                   : LEVEL_PRIMARY;
    }
    case EXPR_POW:
        if (x->type == TYPE_REAL && small_exponent(x->arg[1], &n) && n < 0)
            return LEVEL_MUL;
        return LEVEL_PRIMARY;
    case EXPR_AND: return LEVEL_AND;
    case EXPR_OR: return LEVEL_OR;
    case EXPR_CHOOSE: return LEVEL_CHOOSE;
    default: return infix[x->op].level ? infix[x->op].level : LEVEL_PRIMARY;
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
        buffer_text(b, e->loop[x->which] ? e->loop[x->which] : "0");
        break;
    case EXPR_SYSTEM: write_system(e, b, x->which); break;
    case EXPR_ATTRIBUTE: emit_place(e, b, x->which, false, NULL, 0); break;
    case EXPR_HELD: buffer_format(b, "d->%s", e->memory[x->which]); break;
    case EXPR_SIDE:
    case EXPR_SEGMENT:
        buffer_text(b,
                    x->op == EXPR_SIDE ? "c->branch[" : "(int64_t)c->branch[");
        emit_branch(e, b, x->which, x->arg, x->count);
        buffer_char(b, ']');
        break;
    default: break;
    }
}

/* Without a look at what is known already; flat, one case per operation. */
static void write_bare(Emit *e, Buffer *b, const Expr *x)
{
    switch (x->op) {
    case EXPR_NEG:
    case EXPR_NOT: write_unary(e, b, x); break;
    case EXPR_MUL:
        if (is_product_of_variables(x) && !emit_bounds(e, x).known) {
            call_text(e, b, x, "cosy_imul(c, ", TYPE_INTEGER);
            e->trouble = true;
            break;
        }
        write_infix(e, b, x);
        break;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_DIV:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: write_infix(e, b, x); break;
    case EXPR_POW: write_power(e, b, x); break;
    case EXPR_AND:
    case EXPR_OR: write_both(e, b, x); break;
    case EXPR_CHOOSE: write_choose(e, b, x); break;
    case EXPR_TABLE:
    case EXPR_TABLE_SLOPE:
    case EXPR_TABLE_AT:
    case EXPR_TABLE_AT_SLOPE: write_table(e, b, x); break;
    case EXPR_EXTERNAL: write_external(e, b, x); break;
    default:
        if (functions[x->op] || integer_functions[x->op])
            write_function(e, b, x);
        else
            write_leaf(e, b, x);
    }
}

static void write_op(Emit *e, Buffer *b, const Expr *x, int level)
{
    if (x->op == EXPR_FLOAT || x->op == EXPR_NOEVENT) {
        if (x->op == EXPR_FLOAT)
            emit_real(e, b, x->arg[0], level);
        else
            emit_value(e, b, x->arg[0], level);
        return;
    }
    bool inside = level > level_of(e, x);
    if (x->op == EXPR_CHOOSE || x->op == EXPR_AND || x->op == EXPR_OR) {
        // what became a constant needs no parentheses
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

void emit_value(Emit *e, Buffer *b, const Expr *x, int level)
{
    const Node *n = &e->node[x->id];
    if (e->share && temp_of(e, x)) {
        buffer_text(b, n->temp);
    } else if (is_hoisted(x)) {
        buffer_text(b, hoist(e, x));
    } else if (e->share && e->conditional == 0 && n->serial == e->serial &&
               n->uses > 1 && is_worth(x)) {
        buffer_text(b, make_temp(e, x));
    } else {
        write_op(e, b, x, level);
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
        buffer_text(b, e->variable[x->which]); // it is an address already
        return;
    }
    bool whole = v->rank > 0 && x->count == 0;
    if (v->kind == VARIABLE_FORMAL && whole) {
        buffer_text(b, e->variable[x->which]);
        return;
    }
    buffer_char(b, '&');
    write_leaf(e, b, x);
    for (uint32_t k = 0; whole && v->kind != VARIABLE_STATE && k < v->rank; k++)
        buffer_text(b, "[0]");
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
        write_system(e, b, x->which);
        return x->which == SYSTEM_PI;
    case EXPR_VARIABLE:
        v = model_variable(e->m, x->which);
        return v->kind == VARIABLE_CONST && v->value && v->rank == 0 &&
               emit_static(e, b, v->value);
    case EXPR_NEG:
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
