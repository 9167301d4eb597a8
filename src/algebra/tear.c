#include "algebra/tear.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "algebra/box.h"
#include "algebra/isolate.h"
#include "algebra/reads.h"
#include "model/differentiate.h"
#include "model/walk.h"

#define SYMBOLIC_MOST 40  // most torn unknowns with a symbolic Jacobian
#define CLOSED_MOST   400 // most nodes of a closed form
#define NAMES_MOST    8   // in a message
#define WHOLE_MOST    1e9 // most that whole numbers are taken for

/* One algebraic loop. Position k of the arrays is equation[k]. */
typedef struct Tearing {
    Model *m;
    System *system;
    const uint32_t *equation;
    uint32_t n;
    Reads *reads; // of each position
    bool *safe;   // its equation gives its unknown without a doubtful division
    ExprMap position; // target -> integer k
    bool *torn, *placed;
    uint32_t *inner; // positions in order
    uint32_t inners;
    uint32_t *tear; // positions
    uint32_t tears;
    bool modal;               // some equation puts modes together
    bool in_loop;             // one such loop for each value of an index
    const Implicit *implicit; // or NULL
} Tearing;

static const Portion *at(const Tearing *t, uint32_t k)
{
    return system_portion(t->system, t->equation[k]);
}

static uint32_t position_of(const Tearing *t, const Expr *target)
{
    const Expr *k = expr_map_get(&t->position, target);
    return k ? (uint32_t)k->integer : NONE;
}

/* True if `e` is a single element known at translation time. Every target of a
   loop is: its FORs have been expanded. */
static bool is_fixed(const Expr *e)
{
    for (uint32_t k = 0; k < e->count; k++)
        if (e->arg[k]->op != EXPR_INTEGER)
            return false;
    return true;
}

/* True if index a of an element differs from index b of another in every
   pass. */
static bool differs(const Expr *a, const Expr *b)
{
    uint32_t one, other;
    int64_t here, there;
    return expr_affine(a, &one, &here) && expr_affine(b, &other, &there) &&
           one == other && here != there;
}

/* True if `e` may be the unknown of position k: A[M] may be A[1], and a SUM
   over A[I] contains it. */
static bool may_be(const Tearing *t, const Expr *e, uint32_t k)
{
    const Expr *target = at(t, k)->target;
    if (e->op != target->op || e->which != target->which)
        return false;
    for (uint32_t i = 0; i < e->count; i++)
        if (differs(e->arg[i], target->arg[i]))
            return false;
    Box mine = box_around(t->m, target), its = box_around(t->m, e);
    return box_meets(&mine, &its);
}

/* The next position, from k on, of an unknown that `e` may be; t->n if there is
   none. */
static uint32_t next_of(const Tearing *t, const Expr *e, uint32_t k)
{
    if (e->op != EXPR_VARIABLE && e->op != EXPR_RATE)
        return t->n;
    uint32_t own = position_of(t, e);
    if (own != NONE)
        return own >= k ? own : t->n;
    if (is_fixed(e) && !t->in_loop)
        return t->n;
    while (k < t->n && !may_be(t, e, k))
        k++;
    return k;
}

static bool is_of_loop(const void *user, const Expr *e)
{
    const Tearing *t = user;
    return next_of(t, e, 0) < t->n;
}

/* The condition under which `e` is the unknown of position k. */
static const Expr *is_position(const Tearing *t, const Expr *e, uint32_t k)
{
    const Expr *target = at(t, k)->target;
    const Expr *all = expr_truth(t->m, true);
    assert(e->count == target->count);
    for (uint32_t i = 0; i < e->count; i++)
        all = expr_2(t->m, EXPR_AND, all,
                     expr_2(t->m, EXPR_EQ, e->arg[i], target->arg[i]));
    return all;
}

static bool is_safe(const Tearing *t, uint32_t k)
{
    const Portion *p = at(t, k);
    return p->value &&
           (t->n == 1 || p->value == p->right || p->value == p->left ||
            isolate_is_safe(t->m, p->left, p->right, p->target));
}

static bool prepare(Tearing *t)
{
    Model *m = t->m;
    t->torn = MODEL_ARRAY(m, bool, t->n);
    t->placed = MODEL_ARRAY(m, bool, t->n);
    t->inner = MODEL_ARRAY(m, uint32_t, t->n);
    t->tear = MODEL_ARRAY(m, uint32_t, t->n);
    t->reads = MODEL_ARRAY(m, Reads, t->n);
    t->safe = MODEL_ARRAY(m, bool, t->n);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < t->n; k++) {
        t->modal = t->modal || model_equation(m, at(t, k)->equation)->modal;
        t->in_loop = t->in_loop || at(t, k)->n_loops > 0;
        t->reads[k] = reads_find(m, at(t, k));
        t->safe[k] = is_safe(t, k);
        assert(position_of(t, at(t, k)->target) == NONE || m->broken);
        if (!expr_map_put(&t->position, at(t, k)->target, expr_integer(m, k)))
            m->broken = true;
        if (at(t, k)->block != NONE)
            t->implicit = model_implicit(m, at(t, k)->block);
    }
    return !m->broken;
}

/* ---- Choosing --------------------------------------------------------------------------- */

static bool named(const Implicit *i, const Expr *target)
{
    for (uint32_t k = 0; i && k < i->n; k++)
        if (i->unknown[k] == target)
            return true;
    return false;
}

/* True if everything that equation k reads of this loop is torn or placed. */
static bool follows(const Tearing *t, uint32_t k)
{
    const Reads *r = &t->reads[k];
    for (uint32_t j = 0; j < r->count; j++)
        for (uint32_t other = next_of(t, r->list[j], 0); other < t->n;
             other = next_of(t, r->list[j], other + 1))
            if (!t->torn[other] && !t->placed[other])
                return false;
    return true;
}

static void place_all(Tearing *t)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t k = 0; k < t->n; k++) {
            if (t->torn[k] || t->placed[k] || !follows(t, k))
                continue;
            t->placed[k] = more = true;
            t->inner[t->inners++] = k;
        }
    }
}

/* True if INITCOND says where the iteration of this unknown begins. */
static bool is_guessed(const Tearing *t, uint32_t k)
{
    const Expr *x = at(t, k)->target;
    return x->op == EXPR_VARIABLE && model_variable(t->m, x->which)->guessed;
}

/* The unknown that most of the others wait for. */
static uint32_t most_wanted(const Tearing *t)
{
    uint32_t best = NONE, best_count = 0;
    uint32_t *wanted = MODEL_ARRAY(t->m, uint32_t, t->n);
    for (uint32_t k = 0; wanted && k < t->n; k++) {
        if (t->torn[k] || t->placed[k])
            continue;
        const Reads *r = &t->reads[k];
        for (uint32_t j = 0; j < r->count; j++)
            for (uint32_t other = next_of(t, r->list[j], 0); other < t->n;
                 other = next_of(t, r->list[j], other + 1))
                wanted[other]++;
    }
    for (uint32_t k = 0; wanted && k < t->n; k++)
        if (!t->torn[k] && !t->placed[k]) {
            uint32_t count =
                wanted[k] + (is_guessed(t, k) ? UINT32_MAX / 2 : 0);
            if (best != NONE && count <= best_count)
                continue;
            best = k;
            best_count = count;
        }
    return best;
}

static void choose(Tearing *t)
{
    for (uint32_t k = 0; k < t->n; k++)
        t->torn[k] = !t->safe[k] || named(t->implicit, at(t, k)->target);
    for (;;) {
        place_all(t);
        uint32_t k = most_wanted(t);
        if (k == NONE)
            break;
        t->torn[k] = true;
    }
    for (uint32_t k = 0; k < t->n; k++)
        if (t->torn[k])
            t->tear[t->tears++] = k;
    assert(t->m->broken || t->tears + t->inners == t->n);
}

/* ---- Residuals and their derivatives ------------------------------------------------------ */

static const Expr *residual_of(const Tearing *t, uint32_t k)
{
    const Portion *e = at(t, k);
    return t->safe[k] && e->value ? expr_minus(t->m, e->target, e->value)
                                  : expr_minus(t->m, e->left, e->right);
}

typedef struct Seeds { // derivatives by one torn unknown
    Tearing *t;
    uint32_t by;
    ExprMap *inner; // those of the placed ones
} Seeds;

/* Derivative of the unknown of position k; NULL if it is 0. */
static const Expr *seed_of(const Seeds *s, uint32_t k)
{
    if (k == s->by)
        return expr_number(s->t->m, "1.0");
    return expr_map_get(s->inner, at(s->t, k)->target);
}

static const Expr *seed(void *user, const Expr *leaf)
{
    const Seeds *s = user;
    Model *m = s->t->m;
    const Expr *sum = NULL, *zero = expr_number(m, "0.0");
    uint32_t k = next_of(s->t, leaf, 0);
    if (k < s->t->n && is_fixed(leaf))
        return seed_of(s, k);
    for (; k < s->t->n; k = next_of(s->t, leaf, k + 1)) {
        const Expr *one = seed_of(s, k);
        if (!one || expr_is_zero(one))
            continue;
        one = expr_choose(m, is_position(s->t, leaf, k), one, zero);
        sum = sum ? expr_plus(m, sum, one) : one;
    }
    return sum;
}

/* Column `by` of the Jacobian, n_tear long. */
static void column(Tearing *t, uint32_t by, const Expr **jacobian, uint32_t j)
{
    ExprMap inner = {0};
    Seeds s = {t, by, &inner};
    for (uint32_t k = 0; k < t->inners; k++) {
        const Portion *e = at(t, t->inner[k]);
        if (!expr_map_put(&inner, e->target,
                          differentiate(t->m, e->value, seed, &s)))
            t->m->broken = true;
    }
    for (uint32_t i = 0; i < t->tears; i++)
        jacobian[i * t->tears + j] =
            differentiate(t->m, residual_of(t, t->tear[i]), seed, &s);
    expr_map_free(&inner);
}

static const Expr **jacobian_of(Tearing *t)
{
    if (t->tears > SYMBOLIC_MOST)
        return NULL;
    const Expr **j = MODEL_ARRAY(t->m, const Expr *, t->tears * t->tears);
    for (uint32_t k = 0; j && k < t->tears; k++)
        column(t, t->tear[k], j, k);
    return t->m->broken ? NULL : j;
}

typedef struct Free {
    const Tearing *t;
    uint32_t nodes;
} Free;

static bool free_node(void *user, const Expr *e)
{
    Free *f = user;
    f->nodes++;
    return !is_of_loop(f->t, e);
}

/* True if no unknown of this loop occurs. */
static bool is_free(const Tearing *t, const Expr *e, uint32_t *nodes)
{
    Free f = {t, 0};
    bool yes = expr_visit(t->m, e, free_node, &f);
    *nodes += f.nodes;
    return yes;
}

static bool is_linear(const Tearing *t, const Expr **jacobian)
{
    uint32_t nodes = 0;
    for (uint32_t k = 0; k < t->n; k++)
        if (!is_smooth(at(t, k)->left, is_of_loop, t) ||
            !is_smooth(at(t, k)->right, is_of_loop, t))
            return false;
    for (uint32_t k = 0; jacobian && k < t->tears * t->tears; k++)
        if (!is_free(t, jacobian[k], &nodes))
            return false;
    return jacobian != NULL;
}

/* ---- Closed form --------------------------------------------------------------------------- */

static const Expr *put_in(void *user, const Expr *e)
{
    return expr_map_get(user, e);
}

/* Residuals with all torn unknowns zero; the unknowns that follow are
   substituted. */
static bool constants_of(Tearing *t, const Expr **b)
{
    ExprMap known = {0};
    Model *m = t->m;
    uint32_t nodes = 0;
    const Expr *zero = expr_number(m, "0.0");
    bool right = true;
    for (uint32_t k = 0; k < t->tears; k++)
        right = expr_map_put(&known, at(t, t->tear[k])->target, zero) && right;
    for (uint32_t k = 0; k < t->inners; k++) {
        const Portion *e = at(t, t->inner[k]);
        const Expr *value = tidy(m, expr_rewrite(m, e->value, put_in, &known));
        right = expr_map_put(&known, e->target, value) && right;
    }
    for (uint32_t k = 0; k < t->tears; k++) {
        b[k] = tidy(
            m, expr_rewrite(m, residual_of(t, t->tear[k]), put_in, &known));
        right = is_free(t, b[k], &nodes) && right;
    }
    expr_map_free(&known);
    return right && nodes <= CLOSED_MOST;
}

static void put_value(Tearing *t, uint32_t k, const Expr *value, Steps *out)
{
    Step *s = steps_add(t->m, out, STEP_ASSIGN);
    s->target = at(t, k)->target;
    s->value = value;
    s->equation = at(t, k)->equation;
    s->portion = t->equation[k];
}

static const Expr *negated_ratio(Model *m, const Expr *a, const Expr *b)
{
    if (expr_is_zero(a))
        return a;
    if (a->op == EXPR_NEG)
        return expr_2(m, EXPR_DIV, a->arg[0], b);
    return expr_1(m, EXPR_NEG, expr_2(m, EXPR_DIV, a, b));
}

/* The value of arithmetic with whole numbers; false for anything else. */
static bool whole(const Expr *e, double *value)
{
    double a, b;
    switch (e->op) {
    case EXPR_NUMBER:
    case EXPR_INTEGER:
        *value = e->number;
        return fabs(*value) < WHOLE_MOST && floor(*value) == *value;
    case EXPR_FLOAT: return whole(e->arg[0], value);
    case EXPR_NEG:
        if (!whole(e->arg[0], &a))
            return false;
        *value = -a;
        return true;
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
        if (!whole(e->arg[0], &a) || !whole(e->arg[1], &b))
            return false;
        *value = e->op == EXPR_ADD   ? a + b
                 : e->op == EXPR_SUB ? a - b
                 : e->op == EXPR_MUL ? a * b
                                     : a / b;
        return fabs(*value) < WHOLE_MOST && floor(*value) == *value;
    default: return false;
    }
}

/* 1*2 - 2*1 too, which is not folded. */
static bool is_nothing(const Expr *e)
{
    double value;
    return whole(e, &value) && value == 0.0;
}

static const Expr *determinant(const Tearing *t, const Expr *const *j)
{
    if (t->tears == 1)
        return j[0];
    return expr_minus(t->m, expr_times(t->m, j[0], j[3]),
                      expr_times(t->m, j[1], j[2]));
}

/* J u + b = 0 with one or two unknowns. */
static bool closed_form(Tearing *t, const Expr *const *j, Steps *out)
{
    Model *m = t->m;
    const Expr *b[2];
    if (t->tears > 2 || t->implicit || t->modal || !constants_of(t, b))
        return false;
    if (t->tears == 1) {
        put_value(t, t->tear[0], negated_ratio(m, b[0], j[0]), out);
        return true;
    }
    const Expr *det = determinant(t, j);
    const Expr *u =
        expr_minus(m, expr_times(m, b[0], j[3]), expr_times(m, b[1], j[1]));
    const Expr *v =
        expr_minus(m, expr_times(m, b[1], j[0]), expr_times(m, b[0], j[2]));
    put_value(t, t->tear[0], negated_ratio(m, u, det), out);
    put_value(t, t->tear[1], negated_ratio(m, v, det), out);
    return true;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static void put_inner(Tearing *t, Steps *out)
{
    for (uint32_t k = 0; k < t->inners; k++)
        put_value(t, t->inner[k], at(t, t->inner[k])->value, out);
}

static const Expr *of_implicit(const Tearing *t, const Expr *const *list,
                               uint32_t k)
{
    const Expr *target = at(t, t->tear[k])->target;
    for (uint32_t i = 0; t->implicit && list && i < t->implicit->n; i++)
        if (t->implicit->unknown[i] == target)
            return list[i];
    return NULL;
}

static BlockPart part_of(Tearing *t, uint32_t k, bool linear)
{
    Model *m = t->m;
    const Portion *p = at(t, t->tear[k]);
    BlockPart part = {.unknown = p->target,
                      .residual = residual_of(t, t->tear[k]),
                      .first = k,
                      .equation = p->equation,
                      .portion = t->equation[t->tear[k]]};
    part.start = of_implicit(t, t->implicit ? t->implicit->start : NULL, k);
    if (!part.start && !linear && is_guessed(t, t->tear[k]))
        part.start = part.unknown; // it has its INITCOND at the start
    if (!linear && part.unknown->op == EXPR_VARIABLE)
        model_variable(m, part.unknown->which)->iterated = true;
    part.tol = of_implicit(t, t->implicit ? t->implicit->tolerance : NULL, k);
    return part;
}

static void put_block(Tearing *t, const Expr **jacobian, bool linear,
                      Steps *out)
{
    Model *m = t->m;
    Block b = {.n = t->tears,
               .part = MODEL_ARRAY(m, BlockPart, t->tears),
               .parts = t->tears,
               .jacobian = jacobian,
               .linear = linear,
               .modal = t->modal,
               .most = t->implicit ? t->implicit->most : 0,
               .row = at(t, t->tear[0])->row};
    if (m->broken)
        return;
    for (uint32_t k = 0; k < t->tears; k++)
        b.part[k] = part_of(t, k, linear);
    put_inner(t, &b.inner);
    Step *s = steps_add(m, out, STEP_SOLVE);
    s->block = model_add_block(m, &b);
    s->equation = b.part[0].equation;
}

static void names_of(const Tearing *t, Buffer *names)
{
    for (uint32_t k = 0; k < t->n && k < NAMES_MOST; k++) {
        buffer_text(names, k ? ", " : "");
        expr_print(t->m, at(t, k)->target, names);
    }
    if (t->n > NAMES_MOST)
        buffer_format(names, " and %" PRIu32 " more", t->n - NAMES_MOST);
}

/* Networks of parts are full of linear loops: nobody wants to hear of each. */
static bool is_of_parts(const Tearing *t)
{
    for (uint32_t k = 0; k < t->n; k++)
        if (model_row(t->m, at(t, k)->row)->joined)
            return true;
    return false;
}

static void tell(const Tearing *t, bool linear, const char *how)
{
    Buffer names = {0};
    if (linear && is_of_parts(t))
        return;
    names_of(t, &names);
    diag_remark(t->m->diags, at(t, 0)->at, "algebraic loop of %s: %s",
                buffer_string(&names), how);
    buffer_free(&names);
}

/* One equation of the loop follows from the others, or contradicts them,
   whatever the values are. */
static bool is_singular(const Tearing *t, const Expr *const *jacobian)
{
    return t->tears <= 2 && !t->implicit && !t->modal &&
           is_nothing(determinant(t, jacobian));
}

/* What goes through parts that all give what is across them. */
static void tell_of_flows(const Tearing *t)
{
    uint32_t flows = 0;
    for (uint32_t k = 0; k < t->n; k++)
        flows += model_variable(t->m, at(t, k)->target->which)->through;
    if (2 * flows >= t->n && flows > 0)
        model_tell_flows(t->m);
}

static void report_singular(const Tearing *t)
{
    Buffer names = {0};
    names_of(t, &names);
    if (t->n == 1)
        diag_error(t->m->diags, at(t, 0)->at,
                   "%s cannot be found: it cancels in this equation",
                   buffer_string(&names));
    else
        diag_error(t->m->diags, at(t, t->n - 1)->at,
                   "%s cannot be found: this equation says nothing new of what "
                   "the others of the loop determine, or contradicts them",
                   buffer_string(&names));
    model_tell_part(t->m, at(t, t->n == 1 ? 0 : t->n - 1)->row);
    tell_of_flows(t);
    for (uint32_t k = 0; k + 1 < t->n && k < NAMES_MOST; k++)
        diag_note(t->m->diags, at(t, k)->at, "another one");
    buffer_free(&names);
}

/* Remembers how the loop is solved. */
static void remember(Tearing *t, CircleHow how)
{
    uint32_t *portion = MODEL_ARRAY(t->m, uint32_t, t->n);
    Circle c = {.how = how,
                .unknowns = t->n,
                .portion = portion,
                .portions = t->n,
                .torn = t->tears};
    if (!portion)
        return;
    for (uint32_t k = 0; k < t->tears; k++)
        portion[k] = t->equation[t->tear[k]];
    for (uint32_t k = 0; k < t->inners; k++)
        portion[t->tears + k] = t->equation[t->inner[k]];
    system_add_circle(t->m, t->system, &c);
}

static bool put_loop(Tearing *t, Steps *out)
{
    if (t->tears == 0) { // it only looked like a loop: A[3 - 2], say
        put_inner(t, out);
        return !t->m->broken;
    }
    const Expr **jacobian = jacobian_of(t);
    bool linear = is_linear(t, jacobian);
    if (linear && is_singular(t, jacobian)) {
        report_singular(t);
        return false;
    }
    if (linear && closed_form(t, jacobian, out)) {
        put_inner(t, out);
        if (t->n > 1) {
            remember(t, CIRCLE_CLOSED);
            tell(t, true, "it is linear and solved in closed form");
        }
        return true;
    }
    put_block(t, jacobian, linear, out);
    put_inner(t, out);
    remember(t, linear ? CIRCLE_LINEAR : CIRCLE_NEWTON);
    if (!t->implicit)
        tell(t, linear,
             linear ? "it is linear and solved exactly"
                    : "it is solved by Newton's method");
    return !t->m->broken;
}

bool tear_is_real(Model *m, const System *s, const uint32_t *portion,
                  uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const Portion *p = system_portion(s, portion[k]);
        if (p->target->type == EXPR_TYPE_REAL)
            continue;
        diag_error(m->diags, p->at,
                   "%s depends on itself: a truth value or an INTEGER cannot "
                   "be found by iteration. Let it change at an event, or read "
                   "it through a MEMORY",
                   model_variable(m, p->target->which)->name);
        return false;
    }
    return true;
}

bool tear_loop(Model *m, System *s, const uint32_t *portion, uint32_t n,
               Steps *out)
{
    Tearing t = {.m = m, .system = s, .equation = portion, .n = n};
    bool right = tear_is_real(m, s, portion, n) && prepare(&t);
    if (right) {
        choose(&t);
        right = put_loop(&t, out);
    }
    expr_map_free(&t.position);
    return right && !m->broken;
}
