#include "emit/share.h"
#include "base/whole.h"

#include <assert.h>
#include <string.h>

/* Scopes: what is computed once and kept under a name, what is computed before
   a loop, and what needs statements before an expression. */

/* ---- Scopes --------------------------------------------------------------------- */

void scope_open(Emit *e, Scope *s)
{
    *s = (Scope){e->sharing.undo.used, e->sharing.serial, e->sharing.shared,
                 e->sharing.hoists};
    e->sharing.serial = ++e->sharing.serials;
    e->sharing.shared = e->sharing.hoists = false;
}

void scope_close(Emit *e, const Scope *s)
{
    Undo *list = (Undo *)(void *)e->sharing.undo.bytes;
    for (size_t k = e->sharing.undo.used / sizeof *list;
         k > s->undo / sizeof *list;) {
        k--;
        e->sharing.node[list[k].id] = list[k].old;
    }
    e->sharing.undo.used = s->undo;
    e->sharing.serial = s->serial;
    e->sharing.shared = s->shared;
    e->sharing.hoists = s->hoists;
}

static void remember(Emit *e, const Expr *x)
{
    Undo u = {x->id, e->sharing.node[x->id]};
    if (!vector_append(&e->sharing.undo, &u, sizeof u))
        e->broken = true;
}

void emit_count(Emit *e, const Expr *x)
{
    ExprUse *n = &e->sharing.node[x->id];
    if (n->temp && n->function == e->function)
        return;
    if (n->serial != e->sharing.serial) {
        remember(e, x);
        n->serial = e->sharing.serial;
        n->uses = 0;
    }
    if (plan_is_hoisted(x))
        e->sharing.hoists = true;
    if (++n->uses > 1) {
        e->sharing.shared = e->sharing.shared || plan_is_worth(x);
        return;
    }
    for (uint32_t k = 0; k < x->count; k++)
        emit_count(e, x->arg[k]);
}

static void count_visit(void *user, const Expr *x)
{
    emit_count(user, x);
}

void emit_count_steps(Emit *e, const Steps *steps)
{
    plan_each_step(e->f, steps, count_visit, e);
}

/* True if x can follow ?, && or || as it is. */
static bool is_simple(Emit *e, const Expr *x)
{
    Scope s;
    scope_open(e, &s);
    emit_count(e, x);
    bool simple = !e->sharing.hoists && !(e->share && e->sharing.shared);
    scope_close(e, &s);
    return simple;
}

bool emit_may_overflow(const Emit *e, const Expr *x)
{
    if (x->type != EXPR_TYPE_INTEGER)
        return false;
    switch (x->op) {
    case EXPR_NEG:
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_ABS: return !emit_bounds(e, x).known;
    case EXPR_POW:
    case EXPR_SUM:
    case EXPR_PROD: return true;
    default: return false;
    }
}

/* True if the operation itself is checked, for something other than
   overflow. */
static bool is_checked(const Emit *e, const Expr *x)
{
    const Variable *v;
    switch (x->op) {
    case EXPR_TRUNC:
    case EXPR_ROUND:
    case EXPR_FLOOR: return true;
    case EXPR_SYSTEM:
        return x->which == SYSTEM_PRIORNBR && x->type == EXPR_TYPE_INTEGER;
    case EXPR_RESOURCE: return !emit_bounds(e, x->arg[1]).known;
    case EXPR_IDIV:
    case EXPR_MOD:
        return x->type == EXPR_TYPE_INTEGER && !plan_is_plain_quotient(x);
    case EXPR_ATTRIBUTE:
        v = model_variable(e->m, x->which);
        return e->code.now[v->record] == NOW_CHECKED;
    case EXPR_VARIABLE:
    case EXPR_RATE:
        v = model_variable(e->m, x->which);
        for (uint32_t k = 0; k < x->count; k++) {
            Known i = emit_bounds(e, x->arg[k]);
            if (!i.known || i.low < v->low[k] || i.high > v->high[k])
                return true;
        }
        return false;
    default: return false;
    }
}

static bool checks(const Emit *e, const Expr *x)
{
    if (is_checked(e, x) || emit_may_overflow(e, x))
        return true;
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
    return t == EXPR_TYPE_REAL      ? "real"
           : t == EXPR_TYPE_INTEGER ? "int64_t"
                                    : "bool";
}

const char *emit_temp(Emit *e)
{
    return emit_format(e, "t%u", ++e->temps);
}

static void keep_temp(Emit *e, const Expr *x, const char *name)
{
    if (!e->share && !plan_is_occurrence(x))
        return;
    remember(e, x);
    e->sharing.node[x->id].temp = name;
    e->sharing.node[x->id].function = e->function;
}

/* The constant of this function that holds x, if there is one. */
const char *emit_temp_of(const Emit *e, const Expr *x)
{
    const ExprUse *n = &e->sharing.node[x->id];
    return n->temp && n->function == e->function ? n->temp : NULL;
}

const char *emit_make_temp(Emit *e, const Expr *x)
{
    Buffer b = {0}, value = {0};
    uint32_t nested = e->nested_values;
    e->nested_values = 0;
    emit_bare(e, &value, x, 0);
    e->nested_values = nested;
    const char *name = emit_temp(e);
    buffer_format(&b, "const %s %s = %s;", emit_type(x->type), name,
                  buffer_string(&value));
    buffer_free(&value);
    emit_buffer(e, &b);
    keep_temp(e, x, name);
    return name;
}

/* ---- What does not change in a loop ------------------------------------------------- */

/* True if x reads nothing that the loop may compute, and no index that is not
   open yet. */
static bool is_fixed(const Emit *e, const Expr *x)
{
    switch (x->op) {
    case EXPR_LOOP: return e->loops.range[x->which].known;
    case EXPR_RATE:
    case EXPR_FOUND: // perhaps no turn asks for it
    case EXPR_DELAYED:
    case EXPR_DELAYED_RATE:
    case EXPR_MEAN:
    case EXPR_SDEV:
    case EXPR_SENSED:
    case EXPR_CALL:
    case EXPR_DRAW: return false;
    case EXPR_VARIABLE: {
        const Variable *v = model_variable(e->m, x->which);
        bool computed = v->kind == VARIABLE_ALGEBR ||
                        v->kind == VARIABLE_LOGIC || v->kind == VARIABLE_MEMORY;
        if (computed && (v->rank > 0 || e->f->part == PART_BLOCK))
            return false;
        break;
    }
    default: break;
    }
    if (is_checked(e, x)) // perhaps only some turns get there
        return false;
    for (uint32_t k = 0; k < x->count; k++)
        if (!is_fixed(e, x->arg[k]))
            return false;
    return true;
}

/* A REAL in Data is read once, into a constant of its own name: for all a C
   compiler knows it might be written to. */
static bool keep_scalar(Emit *e, const Expr *x)
{
    if (x->op != EXPR_VARIABLE || x->count || x->type != EXPR_TYPE_REAL)
        return false;
    const Variable *v = model_variable(e->m, x->which);
    if (v->rank || (v->kind != VARIABLE_CONST && v->kind != VARIABLE_DISCRETE &&
                    v->kind != VARIABLE_DSTATE))
        return false;
    const char *member = e->name->variable[x->which];
    const char *name =
        e->store->packed[x->which] ? emit_format(e, "a_%s", member) : member;
    emit_line(e, "const real %s = d->%s;", name, member);
    keep_temp(e, x, name);
    return true;
}

static void fixed_first(Emit *e, const Expr *x, uint32_t seen)
{
    if (e->sharing.mark[x->id] == seen || emit_temp_of(e, x))
        return;
    e->sharing.mark[x->id] = seen;
    bool sum = expr_is_series(x->op);
    if ((plan_is_worth(x) || sum) && is_fixed(e, x)) {
        if (sum)
            emit_hoist(e, x);
        else
            emit_make_temp(e, x);
        return;
    }
    if (keep_scalar(e, x) || sum)
        return;
    for (uint32_t k = 0; k < plan_sure_arguments(x); k++)
        fixed_first(e, x->arg[k], seen);
}

void emit_fixed_first(Emit *e, const Steps *body)
{
    uint32_t seen = ++e->sharing.marks;
    for (const Step *s = body->first; s; s = s->next)
        if (s->kind == STEP_ASSIGN && plan_wants(e->f, s)) {
            e->equation_row = s->equation < model_equations(e->m)
                                  ? model_equation(e->m, s->equation)->row
                                  : NONE;
            fixed_first(e, s->value, seen);
            emit_check(e, e->equation_row);
            e->equation_row = NONE;
        }
}

/* ---- Bounds -------------------------------------------------------------------------- */

#define BOUND_MOST ((int64_t)1 << 40)

static Known bounds_of(int64_t low, int64_t high)
{
    bool known = low >= -BOUND_MOST && high <= BOUND_MOST;
    return known ? (Known){low, high, true} : (Known){0};
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
    case EXPR_SEGMENT: return bounds_of(INT32_MIN, INT32_MAX);
    case EXPR_RESOURCE:
        return x->arg[0]->integer == ASK_QUEUE ? bounds_of(0, UINT32_MAX)
                                               : (Known){0};
    case EXPR_QUEUE:
        return x->type == EXPR_TYPE_INTEGER ? bounds_of(0, UINT32_MAX)
                                            : (Known){0};
    case EXPR_ABS:
        a = emit_bounds(e, x->arg[0]);
        b.high = -a.low > a.high ? -a.low : a.high;
        return a.known ? bounds_of(0, b.high) : a;
    case EXPR_INTEGER: return bounds_of(x->integer, x->integer);
    case EXPR_LOOP: return e->loops.range[x->which];
    case EXPR_VARIABLE: return e->loops.counter[x->which];
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

/* Appends x, which is read before the calls that follow. */
void emit_settled(Emit *e, Buffer *b, const Expr *x, int level,
                  bool calls_follow)
{
    if (calls_follow && !e->share && !plan_is_hoisted(x) && x->reads)
        buffer_text(b, emit_make_temp(e, x));
    else
        emit_value(e, b, x, level);
}

/* The most terms of a sum that has up to FEW; 0 for all others. */
static uint32_t few_terms(Known range)
{
    if (!range.known ||
        (range.low <= range.high && whole_apart(range.low, range.high) >= FEW))
        return 0;
    return range.low > range.high ? 1u : (uint32_t)(range.high - range.low) + 1;
}

/* Ends a sum whose index may reach the largest integer. */
static void last_term(Emit *e, const char *i, const Expr *to, Known z)
{
    if (z.known)
        return;
    if (to->op == EXPR_INTEGER)
        emit_line(e, "if (%s == INT64_C(%lld))", i, (long long)to->integer);
    else
        emit_line(e, "if (%s == %s_last)", i, i);
    emit_line(e, "    break;");
}

/* The first term is the least so far; the bell of MIN and MAX is some_NAME. */
static void extreme_term(Emit *e, Buffer *term, const Expr *x, const char *name)
{
    bool least = x->op == EXPR_LEAST, whole = x->type != EXPR_TYPE_REAL;
    const char *one = emit_temp(e);
    Buffer value = {0};
    if (whole)
        emit_value(e, &value, x->arg[3], 0);
    else
        emit_real(e, &value, x->arg[3], 0);
    emit_line(e, "const %s %s = %s;", emit_type(x->type), one,
              buffer_string(&value));
    buffer_format(term, "%s = some_%s ? %s(%s, %s) : %s;", name, name,
                  whole   ? (least ? "cosy_imin" : "cosy_imax")
                  : least ? "cosy_lesser"
                          : "cosy_greater",
                  name, one, one);
    emit_line(e, "%s", buffer_string(term));
    term->v.used = 0;
    buffer_format(term, "some_%s = true;", name);
    buffer_free(&value);
}

static void sum_loop(Emit *e, const Expr *x, const char *name)
{
    const Expr *from = x->arg[0], *to = x->arg[1], *except = x->arg[2];
    Known a = emit_bounds(e, from), z = emit_bounds(e, to);
    Known range = {a.low, z.high, a.known && z.known};
    uint32_t few = few_terms(range);
    Buffer b = {0}, first = {0}, last = {0};
    emit_value(e, &first, from, LEVEL_CHOOSE);
    emit_value(e, &last, to, LEVEL_ORDER + 1);
    const char *i = emit_index_begin(e, x->which, range);
    uint32_t pool = model_loop(e->m, x->which)->pool;
    if (pool) {
        few = HARDLY_ANY;
    } else if (to->op != EXPR_INTEGER) {
        buffer_format(
            &b, "for (int64_t %s = %s, %s_last = %s; %s <= %s_last; %s++) {", i,
            buffer_string(&first), i, buffer_string(&last), i, i, i);
    } else {
        buffer_format(&b, "for (int64_t %s = %s; %s <= %s; %s++) {", i,
                      buffer_string(&first), i, buffer_string(&last), i);
    }
    buffer_free(&first);
    buffer_free(&last);
    if (pool) {
        emit_copies_open(e, pool - 1, i);
    } else {
        emit_buffer(e, &b);
        e->depth++;
    }
    if (!few)
        emit_line(e, "COSY_TURN(%s);", emit_row(e, NONE));
    if (except->op != EXPR_TRUTH) {
        Buffer test = {0};
        buffer_format(&test, "if (%s != ", i);
        emit_value(e, &test, except, LEVEL_EQUAL + 1);
        buffer_text(&test, ") {");
        emit_buffer(e, &test);
        e->depth++;
    }
    Scope s;
    Buffer term = {0};
    scope_open(e, &s);
    emit_count(e, x->arg[3]);
    if (x->op == EXPR_LEAST || x->op == EXPR_MOST) {
        extreme_term(e, &term, x, name);
    } else if (x->type == EXPR_TYPE_REAL) {
        buffer_format(&term, "%s %s ", name, x->op == EXPR_SUM ? "+=" : "*=");
        emit_real(e, &term, x->arg[3], 0);
        buffer_char(&term, ';');
    } else {
        buffer_format(&term, "%s = cosy_i%s(c, %s, ", name,
                      x->op == EXPR_SUM ? "add" : "mul", name);
        emit_value(e, &term, x->arg[3], LEVEL_CHOOSE);
        buffer_text(&term, ");");
        e->trouble = true;
    }
    emit_buffer(e, &term);
    scope_close(e, &s);
    if (except->op != EXPR_TRUTH)
        emit_close(e, "");
    if (!pool)
        last_term(e, i, to, z);
    emit_index_end(e, x->which);
    emit_close(e, "");
    if (few > HARDLY_ANY && e->loops.indices > 0) // alone it ends soon enough
        emit_line(e, "COSY_TURNS(%uu, %s);", few, emit_row(e, NONE));
}

static const char *hoist_sum(Emit *e, const Expr *x)
{
    const char *name = emit_temp(e);
    bool sum = x->op == EXPR_SUM;
    const char *start = x->type != EXPR_TYPE_REAL ? (sum ? "0" : "1")
                        : sum                     ? "R(0.0)"
                                                  : "R(1.0)";
    emit_line(e, "%s %s = %s;", emit_type(x->type), name, start);
    sum_loop(e, x, name);
    return name;
}

/* MIN and MAX: nothing has no least. */
static const char *hoist_extreme(Emit *e, const Expr *x)
{
    const char *name = emit_temp(e);
    emit_line(e, "%s %s = 0;", emit_type(x->type), name);
    emit_line(e, "bool some_%s = false;", name);
    sum_loop(e, x, name);
    emit_line(e, "if (COSY_RARELY(!some_%s))", name);
    emit_line(e, "    cosy_note(c, COSY_NUMBER);");
    e->trouble = true;
    return name;
}

/* An actual passed by value. In procedural code one that may meet trouble is
   checked before the routine begins, which would take the trouble for its
   own. */
static void put_actual(Emit *e, Buffer *b, const Expr *x, ExprType type,
                       bool calls_follow)
{
    bool trouble = e->trouble;
    Buffer text = {0};
    e->trouble = false;
    if (type == EXPR_TYPE_REAL && x->type != EXPR_TYPE_REAL)
        emit_real(e, &text, x, LEVEL_CHOOSE);
    else
        emit_settled(e, &text, x, LEVEL_CHOOSE, calls_follow);
    if (e->trouble && e->f->part == PART_BODY && e->conditional == 0) {
        const char *name = emit_temp(e);
        emit_line(e, "const %s %s = %s;", emit_type(type), name,
                  buffer_string(&text));
        emit_check(e, e->code.statement ? e->code.statement->row : NONE);
        buffer_text(b, name);
    } else {
        buffer_text(b, buffer_string(&text));
    }
    e->trouble = e->trouble || trouble;
    buffer_free(&text);
}

/* Actuals of a routine, after `c`. */
void emit_actuals(Emit *e, Buffer *b, const Routine *r,
                  const Expr *const *actual, uint32_t n)
{
    for (uint32_t k = 0; k < n && k < r->formals; k++) {
        const Variable *f = model_variable(e->m, r->formal[k]);
        bool calls_follow = false;
        for (uint32_t i = k + 1; i < n; i++)
            calls_follow = calls_follow || plan_calls(actual[i]);
        buffer_text(b, ", ");
        if (f->by_reference || f->rank)
            emit_address(e, b, actual[k]);
        else
            put_actual(e, b, actual[k], f->type, calls_follow);
    }
}

static const char *hoist_call(Emit *e, const Expr *x)
{
    const Routine *r = model_routine(e->m, x->which);
    Buffer b = {0}, actuals = {0};
    emit_actuals(e, &actuals, r, x->arg, x->count);
    const char *name = emit_temp(e);
    emit_line(e, "%s %s;", emit_type(x->type), name);
    buffer_format(&b, "COSY_TRY(%s(c%s, &%s));", e->name->routine[x->which],
                  buffer_string(&actuals), name);
    buffer_free(&actuals);
    emit_buffer(e, &b);
    return name;
}

static const char *hoist_delayed(Emit *e, const Expr *x)
{
    Buffer b = {0}, time = {0}, at = {0};
    emit_real(e, &time, x->arg[0], LEVEL_CHOOSE);
    if (x->count > 1)
        emit_value(e, &at, x->arg[1], LEVEL_UNARY);
    const char *number = emit_delay_number(e, x->which, buffer_string(&at));
    const char *name = emit_temp(e);
    buffer_free(&at);
    emit_line(e, "real %s;", name);
    buffer_format(&b, "COSY_TRY(c->host->%s(c, %s, %s, &%s));",
                  x->op == EXPR_DELAYED ? "delayed" : "delayed_rate", number,
                  buffer_string(&time), name);
    buffer_free(&time);
    emit_buffer(e, &b);
    return name;
}

const char *emit_hoist(Emit *e, const Expr *x)
{
    const char *name;
    assert(e->conditional == 0);
    switch (x->op) {
    case EXPR_SUM:
    case EXPR_PROD: name = hoist_sum(e, x); break;
    case EXPR_LEAST:
    case EXPR_MOST: name = hoist_extreme(e, x); break;
    case EXPR_CALL: name = hoist_call(e, x); break;
    case EXPR_DRAW: name = emit_draw(e, x); break;
    case EXPR_FOUND: name = emit_found(e, x); break;
    case EXPR_ENTRY:
    case EXPR_ENTRY_AT: name = emit_entry_value(e, x); break;
    default: name = hoist_delayed(e, x); break;
    }
    keep_temp(e, x, name);
    return name;
}

/* ---- Conditions -------------------------------------------------------------------------- */

static void mark_sure(Emit *e, const Expr *x, uint32_t mark)
{
    if (e->sharing.mark[x->id] == mark || emit_temp_of(e, x))
        return;
    e->sharing.mark[x->id] = mark;
    for (uint32_t k = 0; k < plan_sure_arguments(x); k++)
        mark_sure(e, x->arg[k], mark);
}

/* Makes constants of what x has in common with the marked nodes. */
static void take_common(Emit *e, const Expr *x, uint32_t mark, uint32_t seen)
{
    if (e->sharing.mark[x->id] == seen || emit_temp_of(e, x))
        return;
    bool common = e->sharing.mark[x->id] == mark &&
                  (plan_is_worth(x) || plan_is_hoisted(x));
    e->sharing.mark[x->id] = seen;
    if (common) {
        if (plan_is_hoisted(x))
            emit_hoist(e, x);
        else
            emit_make_temp(e, x);
        return;
    }
    for (uint32_t k = 0; k < plan_sure_arguments(x); k++)
        take_common(e, x->arg[k], mark, seen);
}

/* Computes first what both arms need, whichever is taken. */
static void common_first(Emit *e, const Expr *a, const Expr *b)
{
    if (!e->share)
        return;
    uint32_t mark = ++e->sharing.marks, seen = ++e->sharing.marks;
    mark_sure(e, a, mark);
    take_common(e, b, mark, seen);
}

void emit_value_as(Emit *e, Buffer *b, const Expr *x, ExprType type, int level)
{
    if (type == EXPR_TYPE_REAL)
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
    emit_value_as(e, &b, x, type, 0);
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
    if (type == EXPR_TYPE_INTEGER && x->op == EXPR_INTEGER)
        buffer_format(b, "INT64_C(%lld)", (long long)x->integer);
    else
        emit_value_as(e, b, x, type, LEVEL_CHOOSE);
}

void emit_write_choose(Emit *e, Buffer *b, const Expr *x)
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

/* && and || evaluate their second side only if they must. */
static const char *both_statement(Emit *e, const Expr *x)
{
    Buffer b = {0}, left = {0};
    emit_value(e, &left, x->arg[0], 0);
    const char *name = emit_temp(e);
    buffer_format(&b, "bool %s = %s;", name, buffer_string(&left));
    buffer_free(&left);
    emit_buffer(e, &b);
    emit_open(e, "if (%s%s)", x->op == EXPR_AND ? "" : "!", name);
    assign_arm(e, name, x->arg[1], EXPR_TYPE_BOOLEAN);
    emit_close(e, "");
    keep_temp(e, x, name);
    return name;
}

void emit_write_both(Emit *e, Buffer *b, const Expr *x)
{
    if (!is_simple(e, x->arg[1])) {
        buffer_text(b, both_statement(e, x));
        return;
    }
    bool and = x->op == EXPR_AND;
    // && inside || gets parentheses, as compilers wish
    bool bare = and || x->arg[0]->op != EXPR_AND;
    emit_value(e, b, x->arg[0], and? LEVEL_AND : bare ? LEVEL_OR : LEVEL_EQUAL);
    buffer_text(b, and? " && " : " || ");
    e->conditional++;
    emit_value(e, b, x->arg[1], and? LEVEL_AND + 1 : LEVEL_EQUAL);
    e->conditional--;
}
