#include "lower/lowerer.h"

/* The library of CSMP-III and GASP-V: functions with a past. Lags and transfer
   functions become hidden STATEs with equations of their own; hysteresis,
   holds, pulses and delays become Memories.

   At every accepted point `when` and `input` of all Memories are evaluated with
   the old values, and then all new values replace them at once. So IMPULS is 1
   until the point at which it happens has been accepted, and a ZHOLD that it
   triggers takes its input at that very point. */

/* ---- Help --------------------------------------------------------------------------- */

typedef struct Call {
    Lowerer *l;
    Model *m;
    const Node *n;
    const char *name; // "REALPL@12"
} Call;

static const Expr *argument(const Call *c, uint32_t k)
{
    return lower_real(c->l, call_actual(c->n, k), IN_EQUATION);
}

static uint32_t arguments(const Call *c)
{
    return node_count(c->n->last->first) + node_count(c->n->last->last);
}

/* A value that is needed before the first evaluation of the equations. */
static const Expr *start_value(const Call *c, const Node *at, const Expr *e)
{
    if (!(e->reads & READS_COMPUTED))
        return e;
    LOWER_ERROR(c->l, at,
                "this is needed at the start of a run, before any equation is "
                "evaluated: use constants, STATEs and discrete variables");
    return expr_number(c->m, "0.0");
}

static const Expr *start_argument(const Call *c, uint32_t k)
{
    return start_value(c, call_actual(c->n, k), argument(c, k));
}

static const Expr *number(const Call *c, const char *text)
{
    return expr_number(c->m, text);
}

static const Expr *two(const Call *c, ExprOp op, const Expr *a, const Expr *b)
{
    return expr_2(c->m, op, a, b);
}

static const Expr *time(const Call *c)
{
    return expr_system(c->m, SYSTEM_TIME);
}

/* When the past begins: with the run or, in a copy, with the copy. */
static const Expr *begin_of(const Call *c)
{
    return c->l->pool ? lower_here(c->l, pool_born(c->l))
                      : expr_system(c->m, SYSTEM_TBEG);
}

static bool is_number(const Expr *e, double v)
{
    return e->op == EXPR_NUMBER && e->number == v;
}

/* a > 0; for IF c THEN 1 ELSE 0 just c, so that no second event is created. */
static const Expr *positive(const Call *c, const Expr *a)
{
    if (a->op == EXPR_CHOOSE && is_number(a->arg[1], 1.0) &&
        is_number(a->arg[2], 0.0))
        return a->arg[0];
    return two(c, EXPR_GT, a, number(c, "0.0"));
}

/* What changes only where values are kept needs no event of its own. */
static const Expr *quietly(const Call *c, const Expr *truth)
{
    return expr_1(c->m, EXPR_NOEVENT, truth);
}

/* ---- Hidden states ------------------------------------------------------------------- */

static uint32_t new_state(const Call *c, const char *name, const Expr *start)
{
    uint32_t x = lower_hidden(c->l, VARIABLE_STATE, EXPR_TYPE_REAL, name, c->n);
    model_variable(c->m, x)->value = start;
    return x;
}

static const Expr *value_of(const Call *c, uint32_t variable)
{
    return lower_here(c->l, variable);
}

/* x' = rate, at the place of the call; it belongs to no IMPLICIT. */
static void set_rate(const Call *c, uint32_t x, const Expr *rate)
{
    uint32_t before = c->l->block;
    c->l->block = NONE;
    const Expr *value = lower_here(c->l, x);
    lower_equation(c->l, c->n, expr_rate(c->m, x, value->arg, value->count),
                   rate);
    c->l->block = before;
}

/* A name for an input, so that it is computed once and can be differentiated. */
static const Expr *named(const Call *c, const Expr *e)
{
    if (e->count == 0)
        return e;
    uint32_t before = c->l->block;
    uint32_t u = lower_hidden(c->l, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                              model_format(c->m, "%s.X", c->name), c->n);
    c->l->block = NONE;
    lower_equation(c->l, c->n, value_of(c, u), e);
    c->l->block = before;
    return value_of(c, u);
}

/* p*y' + y = x */
static const Expr *realpl(const Call *c)
{
    uint32_t y = new_state(c, c->name, start_argument(c, 0));
    const Expr *lag = argument(c, 1), *x = argument(c, 2);
    set_rate(c, y, two(c, EXPR_DIV, two(c, EXPR_SUB, x, value_of(c, y)), lag));
    return value_of(c, y);
}

/* lag*y' + y = lead*x' + x. With r = lead/lag and y = r*x + v no derivative of x
   is needed: lag*v' = x - y. */
static const Expr *ledlag(const Call *c)
{
    bool given = arguments(c) == 4;
    uint32_t first = given ? 1 : 0;
    const Expr *lead = argument(c, first), *lag = argument(c, first + 1);
    const Expr *x = argument(c, first + 2);
    const Expr *part = two(c, EXPR_MUL, two(c, EXPR_DIV, lead, lag), x);
    const Expr *start = number(c, "0.0");
    if (given)
        start = start_value(c, call_actual(c->n, first + 2),
                            two(c, EXPR_SUB, start_argument(c, 0), part));
    uint32_t v = new_state(c, c->name, start);
    const Expr *y = two(c, EXPR_ADD, part, value_of(c, v));
    set_rate(c, v, two(c, EXPR_DIV, two(c, EXPR_SUB, x, y), lag));
    return y;
}

/* y'' + 2*d*w*y' + w^2*y = x */
static const Expr *cmpxpl(const Call *c)
{
    uint32_t y = new_state(c, c->name, start_argument(c, 0));
    uint32_t rate =
        new_state(c, model_format(c->m, "%s'", c->name), start_argument(c, 1));
    const Expr *d = argument(c, 2), *w = argument(c, 3), *x = argument(c, 4);
    const Expr *damping = two(
        c, EXPR_MUL, two(c, EXPR_MUL, two(c, EXPR_MUL, number(c, "2.0"), d), w),
        value_of(c, rate));
    const Expr *spring =
        two(c, EXPR_MUL, two(c, EXPR_POW, w, expr_integer(c->m, 2)),
            value_of(c, y));
    model_variable(c->m, rate)->rate_of = y;
    set_rate(c, y, value_of(c, rate));
    set_rate(c, rate, two(c, EXPR_SUB, two(c, EXPR_SUB, x, damping), spring));
    return value_of(c, y);
}

/* ---- TRANSF ----------------------------------------------------------------------------- */

#define ORDER_MOST 100

/* The coefficient of s^k: element k + 1 of the array. */
static const Expr *coefficient(const Call *c, uint32_t array, int64_t k)
{
    const Expr *index =
        expr_integer(c->m, model_variable(c->m, array)->low[0] + k);
    return expr_variable(c->m, array, &index, 1);
}

static bool read_order(const Call *c, uint32_t k, uint32_t array, int64_t *n)
{
    const Node *at = call_actual(c->n, k);
    if (array == NONE ||
        !lower_constant(c->l, at, "the number of coefficients", n))
        return false;
    if (*n >= 1 && *n <= ORDER_MOST &&
        (uint64_t)*n <= model_variable(c->m, array)->elements)
        return true;
    LOWER_ERROR(c->l, at,
                "the number of coefficients must be at least 1, at most %d, "
                "and not more than its array has",
                ORDER_MOST);
    return false;
}

/* a[1] + a[2]*s + ... as denominator, b[1] + b[2]*s + ... as numerator: a chain
   of integrators q with q[k]' = q[k+1]. */
static const Expr *chain(const Call *c, uint32_t a, int64_t n, uint32_t b,
                         int64_t m)
{
    const Expr *highest = argument(c, 4), *y = NULL;
    uint32_t q[ORDER_MOST];
    for (int64_t k = 0; k < n - 1; k++)
        q[k] = new_state(c, model_format(c->m, "%s.%d", c->name, (int)(k + 1)),
                         number(c, "0.0"));
    for (int64_t k = 0; k < n - 1; k++)
        highest =
            two(c, EXPR_SUB, highest,
                two(c, EXPR_MUL, coefficient(c, a, k), value_of(c, q[k])));
    highest = two(c, EXPR_DIV, highest, coefficient(c, a, n - 1));
    for (int64_t k = 0; k < n - 1; k++)
        set_rate(c, q[k], k < n - 2 ? value_of(c, q[k + 1]) : highest);
    for (int64_t k = 0; k < m; k++) {
        const Expr *term = two(c, EXPR_MUL, coefficient(c, b, k),
                               k < n - 1 ? value_of(c, q[k]) : highest);
        y = y ? two(c, EXPR_ADD, y, term) : term;
    }
    return y;
}

static const Expr *transf(const Call *c)
{
    uint32_t a = lower_designated(c->l, call_actual(c->n, 1));
    uint32_t b = lower_designated(c->l, call_actual(c->n, 3));
    int64_t n = 0, m = 0;
    if (!read_order(c, 0, a, &n) || !read_order(c, 2, b, &m))
        return number(c, "0.0");
    if (m > n) {
        LOWER_ERROR(c->l, call_actual(c->n, 2),
                    "the numerator has more coefficients than the denominator: "
                    "that would differentiate the input");
        return number(c, "0.0");
    }
    return chain(c, a, n, b, m);
}

/* ---- Memories ---------------------------------------------------------------------------- */

static uint32_t new_memory(const Call *c, MemoryKind kind, const char *name,
                           const Expr *input, const Expr *when,
                           const Expr *start)
{
    Memory y = {.kind = kind,
                .name = name,
                .input = input,
                .when = when,
                .start = start,
                .guard = c->l->guard,
                .pool = c->l->pool,
                .at = c->n->at,
                .line = lower_line(c->l, c->n->at, c->n->origin)};
    if (y.pool) {
        Pool *pool = model_pool(c->m, y.pool - 1);
        y.loop = pool->self;
        pool->delays += kind == MEMORY_DELAY;
    }
    y.row = lower_row(c->l, c->n, NONE, false);
    for (uint32_t k = 0; k < model_memories(c->m); k++)
        y.number += model_memory(c->m, k)->kind == kind &&
                    model_memory(c->m, k)->pool == y.pool;
    return model_add_memory(c->m, &y);
}

static const Expr *held(const Call *c, uint32_t memory)
{
    return expr_make(c->m, EXPR_HELD, EXPR_TYPE_REAL, memory, &c->l->here,
                     c->l->pool != 0);
}

/* x while the trigger is positive, else the last value. */
static const Expr *zhold(const Call *c)
{
    const Expr *when = positive(c, argument(c, 0)), *x = argument(c, 1);
    uint32_t y = new_memory(c, MEMORY_HOLD, c->name, x, when, NULL);
    return expr_choose(c->m, when, x, held(c, y));
}

static const Expr *one_if(const Call *c, const Expr *condition)
{
    return expr_choose(c->m, condition, number(c, "1.0"), number(c, "0.0"));
}

/* 1 while the trigger is positive, and at least for `width` after it became
   positive. */
static const Expr *pulse(const Call *c)
{
    const Expr *width = argument(c, 0), *on = positive(c, argument(c, 1));
    uint32_t was =
        new_memory(c, MEMORY_HOLD, model_format(c->m, "%s.WAS", c->name),
                   one_if(c, on), expr_truth(c->m, true), NULL);
    const Expr *begins =
        two(c, EXPR_AND, on,
            expr_1(c->m, EXPR_NOT, quietly(c, positive(c, held(c, was)))));
    const Expr *never = two(c, EXPR_SUB, two(c, EXPR_SUB, begin_of(c), width),
                            number(c, "1.0"));
    if (never->reads & READS_CONTINUOUS)
        never = start_value(c, call_actual(c->n, 0), never);
    uint32_t begun =
        new_memory(c, MEMORY_PULSE, c->name, time(c), begins, never);
    const Expr *lasts =
        two(c, EXPR_LT, time(c), two(c, EXPR_ADD, held(c, begun), width));
    return one_if(c, two(c, EXPR_OR, on, lasts));
}

/* 1 at the instants first + k*interval, else 0. The number of the last one is
   kept; a new number is an impulse until the point has been accepted. */
static const Expr *impuls(const Call *c)
{
    Model *m = c->m;
    const Expr *first = argument(c, 0), *interval = argument(c, 1);
    const Expr *passes =
        two(c, EXPR_DIV, two(c, EXPR_SUB, time(c), first), interval);
    const Expr *count = named(c, expr_float(m, expr_1(m, EXPR_FLOOR, passes)));
    const Expr *before =
        two(c, EXPR_DIV, two(c, EXPR_SUB, first, begin_of(c)), interval);
    const Expr *passed = two( // impulses before the start
        c, EXPR_SUB, expr_1(m, EXPR_NEG, expr_1(m, EXPR_FLOOR, before)),
        expr_integer(m, 1));
    const Expr *start =
        expr_float(m, two(c, EXPR_MAX, expr_integer(m, -1), passed));
    if (start->reads & READS_CONTINUOUS)
        start = start_value(c, c->n, start);
    uint32_t last =
        new_memory(c, MEMORY_HOLD, c->name, count, expr_truth(m, true), start);
    return one_if(c, quietly(c, two(c, EXPR_GT, count, held(c, last))));
}

static uint32_t relation_place(const Call *c)
{
    return c->l->pool ? model_pool(c->m, c->l->pool - 1)->branches++
                      : c->m->branches++;
}

/* Play: y rests between x - high and x - low, and is pushed by both. */
static const Expr *hstrs(const Call *c)
{
    Model *m = c->m;
    const Expr *start = start_argument(c, 0);
    const Expr *low = argument(c, 1), *high = argument(c, 2);
    const Expr *x = named(c, argument(c, 3));
    uint32_t memory = new_memory(c, MEMORY_HYSTERESIS, c->name, x,
                                 expr_truth(m, true), start);
    Relation r = {.kind = RELATION_HYSTERESIS,
                  .op = EXPR_GE,
                  .a = x,
                  .b = low,
                  .c = high,
                  .which = memory,
                  .guard = c->l->guard,
                  .first = relation_place(c),
                  .count = 1,
                  .text = lower_text(c->l, c->n),
                  .line = lower_line(c->l, c->n->at, c->n->origin),
                  .row = model_memory(m, memory)->row};
    if (c->l->pool)
        r.loops[r.n_loops++] = c->l->loops[0];
    const Expr *segment =
        expr_make(m, EXPR_SEGMENT, EXPR_TYPE_INTEGER, model_add_relation(m, &r),
                  &c->l->here, r.n_loops);
    const Expr *y =
        expr_choose(m, two(c, EXPR_EQ, segment, expr_integer(m, 1)),
                    two(c, EXPR_SUB, x, high),
                    expr_choose(m, two(c, EXPR_EQ, segment, expr_integer(m, 2)),
                                two(c, EXPR_SUB, x, low), held(c, memory)));
    model_memory(m, memory)->input = y;
    return y;
}

/* ---- Delays ------------------------------------------------------------------------------ */

/* False if the value of the node may change during a run. */
static bool stays(void *user, const Expr *e)
{
    const Model *m = user;
    if (e->op == EXPR_VARIABLE)
        return model_variable(m, e->which)->kind == VARIABLE_CONST;
    return e->count > 0 || e->op == EXPR_SYSTEM || !(e->reads & READS_DISCRETE);
}

static bool is_fixed(const Call *c, const Expr *e)
{
    const uint32_t moves = READS_CONTINUOUS | READS_SIDE | READS_CALL;
    return !(e->reads & moves) &&
           !expr_mentions(e, EXPR_SYSTEM, SYSTEM_DTFUL) &&
           expr_visit(c->m, e, stays, c->m);
}

static uint32_t new_delay(const Call *c, const char *name, const Expr *input,
                          const Expr *delay)
{
    uint32_t y = new_memory(c, MEMORY_DELAY, name, input, NULL, NULL);
    model_memory(c->m, y)->delay = delay;
    model_memory(c->m, y)->varies = !is_fixed(c, delay);
    return y;
}

static const Expr *delayed(const Call *c, uint32_t memory, const Expr *at)
{
    const Expr *arg[2] = {at, c->l->here};
    return expr_make(c->m, EXPR_DELAYED, EXPR_TYPE_REAL, memory, arg,
                     c->l->pool ? 2 : 1);
}

/* True for DELAY (n, p, x) where DELAY (p, x, x0) was probably meant: p is a
   number that happens to be whole, and x would be nothing worth delaying. */
static bool is_mistaken(const Call *c, const Expr *p, const Expr *x)
{
    const uint32_t found = READS_STATE | READS_COMPUTED;
    return is_fixed(c, x) || ((p->reads & found) && !(x->reads & found));
}

/* The value before the run, at time `then`. */
static const Expr *before_run(const Call *c, const Node *at, const Expr *x0,
                              const Expr *then)
{
    if (!(x0->reads & (READS_STATE | READS_COMPUTED | READS_CALL)))
        return expr_replace(c->m, x0, time(c), then);
    LOWER_ERROR(c->l, at,
                "this is what the input of DELAY was before the run: it may "
                "depend on TIME, constants and discrete variables only");
    return number(c, "0.0");
}

/* x as it was a time tau earlier. */
static const Expr *delay_by(const Call *c, const Expr *tau, const Expr *x,
                            const Expr *x0, const Node *at)
{
    const Expr *then = two(c, EXPR_SUB, time(c), tau);
    uint32_t y = new_delay(c, c->name, x, tau);
    return expr_choose(c->m, two(c, EXPR_GE, then, begin_of(c)),
                       delayed(c, y, then),
                       x0 ? before_run(c, at, x0, then) : number(c, "0.0"));
}

/* DELAY (p, x), DELAY (n, p, x) with a whole number first, and DELAY (p, x,
   x0). */
static const Expr *delay(const Call *c)
{
    const Node *front = call_actual(c->n, 0);
    const Expr *a = lower_expression(c->l, front, IN_EQUATION);
    const Expr *b = argument(c, 1);
    bool unit = front->kind == NODE_INTEGER && front->first != NULL &&
                front->first->kind == NODE_UNIT;
    bool points = a->type == EXPR_TYPE_INTEGER && !unit;
    a = lower_fit(c->l, a, EXPR_TYPE_REAL);
    if (arguments(c) == 2)
        return delay_by(c, a, b, NULL, NULL);
    const Expr *d = argument(c, 2);
    if (!points)
        return delay_by(c, a, b, d, call_actual(c->n, 2));
    if (is_mistaken(c, b, d))
        LOWER_ERROR(
            c->l, front,
            "with a whole number in front this is DELAY (points, delay, "
            "x): for DELAY (delay, x, x before the run) write the delay "
            "with a point, as 1.0");
    return delay_by(c, b, d, NULL, NULL);
}

/* Plug flow through a volume: what leaves now entered at `entry`. The volume that
   has flowed since is the volume of the pipe, so entry' = flow/flow(entry). */
static const Expr *pipe(const Call *c)
{
    Model *m = c->m;
    bool long_form = arguments(c) == 6;
    if (arguments(c) != 3 && !long_form) {
        LOWER_ERROR(c->l, c->n,
                    "PIPE takes 3 arguments (volume, flow, x) or 6 "
                    "(n, start, volume, flow, x, kind)");
        return number(c, "0.0");
    }
    uint32_t k = long_form ? 2 : 0;
    const Expr *y0 = long_form ? argument(c, 1) : number(c, "0.0");
    const Expr *volume = argument(c, k), *flow = argument(c, k + 1);
    const Expr *x = argument(c, k + 2), *begin = begin_of(c);
    if (volume->reads & READS_CONTINUOUS)
        LOWER_ERROR(c->l, call_actual(c->n, k),
                    "the volume of a PIPE must not change while it is used");
    uint32_t through =
        new_state(c, model_format(m, "%s.FLOWN", c->name), number(c, "0.0"));
    uint32_t entry = new_state(c, model_format(m, "%s.ENTRY", c->name), begin);
    const Expr *full = two(c, EXPR_GE, value_of(c, through), volume);
    const Expr *age = expr_choose(
        m, full, two(c, EXPR_SUB, time(c), value_of(c, entry)),
        two(c, EXPR_ADD, two(c, EXPR_SUB, time(c), begin), number(c, "1.0")));
    uint32_t flows =
        new_delay(c, model_format(m, "%s.FLOW", c->name), flow, age);
    uint32_t content = new_delay(c, c->name, x, age);
    const Expr *rate =
        two(c, EXPR_DIV, flow, delayed(c, flows, value_of(c, entry)));
    set_rate(c, through, flow);
    set_rate(c, entry, expr_choose(m, full, rate, number(c, "0.0")));
    return expr_choose(m, full, delayed(c, content, value_of(c, entry)), y0);
}

/* ---- Derivative and integral ---------------------------------------------------------------- */

/* The rate of a STATE is known; the derive pass finds that of anything else. */
static const Expr *deriv(const Call *c)
{
    const Expr *start = start_argument(c, 0), *x = argument(c, 1);
    if (x->op == EXPR_VARIABLE &&
        model_variable(c->m, x->which)->kind == VARIABLE_STATE)
        return expr_rate(c->m, x->which, x->arg, x->count);
    return held(c, new_memory(c, MEMORY_DERIVATOR, c->name, x, NULL, start));
}

/* Integrates while m1 > 0; is set to y0 while m1 <= 0 and m2 > 0; otherwise
   holds. The integral itself is never reset: its offset is kept instead. */
static const Expr *modint(const Call *c)
{
    Model *m = c->m;
    const Expr *y0 = argument(c, 0), *run = positive(c, argument(c, 1));
    const Expr *set =
        two(c, EXPR_AND, expr_1(m, EXPR_NOT, run), positive(c, argument(c, 2)));
    uint32_t s =
        new_state(c, c->name, start_value(c, call_actual(c->n, 0), y0));
    set_rate(c, s, expr_choose(m, run, argument(c, 3), number(c, "0.0")));
    uint32_t off =
        new_memory(c, MEMORY_HOLD, model_format(m, "%s.OFF", c->name),
                   two(c, EXPR_SUB, value_of(c, s), y0), set, NULL);
    return expr_choose(m, set, y0,
                       two(c, EXPR_SUB, value_of(c, s), held(c, off)));
}

/* ---- Table ----------------------------------------------------------------------------------- */

typedef struct DynamicRow {
    const char *name;
    const Expr *(*make)(const Call *c);
} DynamicRow;

static const DynamicRow table[] = {
    {"REALPL", realpl}, {"LEDLAG", ledlag}, {"CMPXPL", cmpxpl},
    {"TRANSF", transf}, {"DERIV", deriv},   {"MODINT", modint},
    {"HSTRS", hstrs},   {"ZHOLD", zhold},   {"PULSE", pulse},
    {"IMPULS", impuls}, {"DELAY", delay},   {"PIPE", pipe},
};

const Expr *lower_dynamic(Lowerer *l, const Node *n, const char *name)
{
    for (size_t k = 0; k < LENGTH(table); k++) {
        if (!name_same(table[k].name, name))
            continue;
        if (l->n_loops > (l->pool != 0) || l->series > 0) {
            LOWER_ERROR(l, n,
                        "`%s` remembers, so there is one for each value of an "
                        "index: the bounds of the series must be constants",
                        name);
            return expr_number(l->m, "0.0");
        }
        Call c = {l, l->m, n, lower_hidden_name(l, table[k].name, n)};
        return table[k].make(&c);
    }
    return NULL;
}
