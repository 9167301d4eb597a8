#include "algebra/hide.h"

#include <assert.h>
#include <string.h>

#include "model/walk.h"

/* Where an expression stands. */
typedef struct Place Place;
struct Place {
    Model *m;
    const Guard *guard;
    const Expr *when; // conditions of the enclosing CHOOSEs, or NULL
    uint32_t loops[LOOPS_MOST], n_loops;
    uint32_t line, row;
    Span at;
    ExprMap done;        // expressions at this very place
    const Place *around; // enclosing CHOOSE or SUM, or NULL
};

static const Expr *hide(Place *p, const Expr *e);

static const Expr *zero(Place *p)
{
    return expr_number(p->m, "0.0");
}

/* ---- Relations -------------------------------------------------------------------- */

static bool same_relation(const Relation *a, const Relation *b)
{
    return a->kind == b->kind && a->op == b->op && a->a == b->a &&
           a->b == b->b && a->c == b->c && a->which == b->which &&
           a->guard == b->guard && a->when == b->when &&
           a->n_loops == b->n_loops &&
           memcmp(a->loops, b->loops, a->n_loops * sizeof a->loops[0]) == 0;
}

static const char *relation_text(Place *p, const Relation *r)
{
    Buffer b = {0};
    static const char *const words[] = {"", "INT", "ROUND", "FLOOR", "", ""};
    if (r->kind == RELATION_TABLE)
        buffer_text(&b, model_table(p->m, r->which)->name);
    buffer_text(&b, words[r->kind]);
    if (r->kind != RELATION_ORDER)
        buffer_char(&b, '(');
    expr_print_short(p->m, r->a, &b);
    if (r->kind == RELATION_ORDER) {
        buffer_format(&b, " %s ", expr_op_text(r->op));
        expr_print_short(p->m, r->b, &b);
    } else {
        buffer_char(&b, ')');
    }
    const char *text = model_format(p->m, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* Whether the loops of a relation are those of one copy. */
static void check_loops(Place *p)
{
    for (uint32_t k = 1; k < p->n_loops; k++)
        if (model_loop(p->m, p->loops[k])->pool)
            diag_error(p->m->diags, p->at,
                       "a discontinuity inside SUM over copies is watched once "
                       "for each copy, but here once for each pair: give what "
                       "jumps to an ALGEBR of the copies, or leave it "
                       "unwatched with NOEVENT(...)");
}

/* Number of the relation; an existing one is reused. */
static uint32_t add_relation(Place *p, RelationKind kind, ExprOp op,
                             const Expr *a, const Expr *b, uint32_t which)
{
    Model *m = p->m;
    Relation r = {.kind = kind,
                  .op = op,
                  .a = a,
                  .b = b,
                  .which = which,
                  .guard = p->guard,
                  .when = p->when,
                  .n_loops = p->n_loops,
                  .count = (uint32_t)loops_each(m, p->loops, p->n_loops),
                  .line = p->line,
                  .row = p->row};
    memcpy(r.loops, p->loops, sizeof r.loops);
    for (uint32_t k = 0; k < model_relations(m); k++)
        if (same_relation(model_relation(m, k), &r))
            return k;
    r.text = relation_text(p, &r);
    check_loops(p);
    return model_add_relation(m, &r);
}

static const Expr *read_relation(Place *p, ExprOp op, uint32_t relation)
{
    const Expr *index[LOOPS_MOST];
    const Relation *r = model_relation(p->m, relation);
    assert(r->n_loops <= LOOPS_MOST);
    for (uint32_t k = 0; k < r->n_loops; k++)
        index[k] = expr_loop(p->m, r->loops[k]);
    return expr_make(p->m, op, EXPR_TYPE_INTEGER, relation, index, r->n_loops);
}

/* a > b or a >= b, read from the side that is active. */
static const Expr *side(Place *p, ExprOp op, const Expr *a, const Expr *b)
{
    if (!((a->reads | b->reads) & READS_CONTINUOUS))
        return expr_2(p->m, op, a, b);
    return read_relation(p, EXPR_SIDE,
                         add_relation(p, RELATION_ORDER, op, a, b, 0));
}

static const Expr *negate(Place *p, const Expr *a)
{
    return expr_1(p->m, EXPR_NOT, a);
}

static const Expr *segment(Place *p, RelationKind kind, const Expr *a,
                           uint32_t which)
{
    return read_relation(p, EXPR_SEGMENT,
                         add_relation(p, kind, EXPR_GE, a, NULL, which));
}

/* ---- Operations --------------------------------------------------------------------- */

/* Only > and >= are watched: < is "not >=". */
static const Expr *order(Place *p, ExprOp op, const Expr *a, const Expr *b)
{
    switch (op) {
    case EXPR_GT:
    case EXPR_GE: return side(p, op, a, b);
    case EXPR_LE: return negate(p, side(p, EXPR_GT, a, b));
    case EXPR_LT: return negate(p, side(p, EXPR_GE, a, b));
    default: break;
    }
    const Expr *equal = expr_2(p->m, EXPR_AND, side(p, EXPR_GE, a, b),
                               negate(p, side(p, EXPR_GT, a, b)));
    return op == EXPR_EQ ? equal : negate(p, equal);
}

static const Expr *sign(Place *p, const Expr *a)
{
    Model *m = p->m;
    const Expr *one = expr_number(m, "1.0");
    return expr_choose(m, side(p, EXPR_GT, a, zero(p)), one,
                       expr_choose(m, side(p, EXPR_GE, a, zero(p)), zero(p),
                                   expr_1(m, EXPR_NEG, one)));
}

static const Expr *operation(Place *p, ExprOp op, uint32_t which,
                             const Expr *const *arg)
{
    Model *m = p->m;
    const Expr *a = arg[0];
    switch (op) {
    case EXPR_ABS:
        return expr_choose(m, side(p, EXPR_GE, a, zero(p)), a,
                           expr_1(m, EXPR_NEG, a));
    case EXPR_SIGN: return sign(p, a);
    case EXPR_MIN:
        return expr_choose(m, side(p, EXPR_GT, a, arg[1]), arg[1], a);
    case EXPR_MAX:
        return expr_choose(m, side(p, EXPR_GE, a, arg[1]), a, arg[1]);
    case EXPR_TRUNC: return segment(p, RELATION_TRUNC, a, 0);
    case EXPR_ROUND: return segment(p, RELATION_ROUND, a, 0);
    case EXPR_FLOOR: return segment(p, RELATION_FLOOR, a, 0);
    case EXPR_MOD:
        return expr_2(m, EXPR_SUB, a,
                      expr_2(m, EXPR_MUL, arg[1],
                             segment(p, RELATION_TRUNC,
                                     expr_2(m, EXPR_DIV, a, arg[1]), 0)));
    case EXPR_TABLE: {
        const Expr *both[2] = {segment(p, RELATION_TABLE, a, which), a};
        return expr_make(m, EXPR_TABLE_AT, EXPR_TYPE_REAL, which, both, 2);
    }
    default: return order(p, op, a, arg[1]);
    }
}

static bool jumps(const Expr *e)
{
    switch (e->op) {
    case EXPR_ABS:
    case EXPR_SIGN:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_TRUNC:
    case EXPR_ROUND:
    case EXPR_FLOOR:
    case EXPR_MOD:
    case EXPR_TABLE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_EQ:
    case EXPR_NE: return e->arg[0]->type == EXPR_TYPE_REAL;
    default: return false;
    }
}

static const Expr *drop_noevent(void *user, const Expr *e)
{
    (void)user;
    return e->op == EXPR_NOEVENT ? e->arg[0] : NULL;
}

/* Drops NOEVENT, which has no meaning where no event could occur. */
static const Expr *plain(Model *m, const Expr *e)
{
    return e ? expr_rewrite(m, e, drop_noevent, NULL) : NULL;
}

/* ---- Walk ----------------------------------------------------------------------------- */

/* An expression watched at this place, or further out, need not be watched
   again. */
static const Expr *hidden_already(const Place *p, const Expr *e)
{
    const Expr *found = NULL;
    for (; p && !found; p = p->around)
        found = expr_map_get(&p->done, e);
    return found;
}

static const Expr *further_in(const Place *p, const Expr *when, const Expr *e)
{
    Place inside = *p;
    inside.around = p;
    inside.done = (ExprMap){0};
    inside.when = p->when ? expr_2(p->m, EXPR_AND, p->when, when) : when;
    const Expr *found = hide(&inside, e);
    expr_map_free(&inside.done);
    return found;
}

typedef struct Certain {
    ExprMap seen;
    const ExprMap *among; // nodes of the other branch, or NULL
    Place *p;
} Certain;

/* Visits the nodes of e that are computed whatever its conditions are, down to
   those that occur in the other branch too. */
static void certain(Certain *c, const Expr *e)
{
    if (e->count == 0 || e->op == EXPR_NOEVENT || expr_map_get(&c->seen, e))
        return;
    if (c->among && expr_map_get(c->among, e)) {
        hide(c->p, e);
        return;
    }
    if (!expr_map_put(&c->seen, e, e))
        c->p->m->broken = true;
    uint32_t count = e->op == EXPR_CHOOSE ? 1 : e->count;
    if (expr_is_series(e->op))
        return;
    for (uint32_t k = 0; k < count; k++)
        certain(c, e->arg[k]);
}

/* Expressions that both branches compute are always watched, but only once, not
   once for each branch and again for each branch further in. */
static void hide_common(Place *p, const Expr *a, const Expr *b)
{
    Certain first = {.p = p}, second = {.p = p, .among = &first.seen};
    if (!(a->reads & b->reads & READS_CONTINUOUS))
        return;
    certain(&first, a);
    certain(&second, b);
    expr_map_free(&first.seen);
    expr_map_free(&second.seen);
}

/* In IF c THEN a ELSE b relations in a are watched only while c holds. */
static const Expr *hide_choose(Place *p, const Expr *e)
{
    const Expr *c = hide(p, e->arg[0]);
    hide_common(p, e->arg[1], e->arg[2]);
    return expr_choose(p->m, c, further_in(p, c, e->arg[1]),
                       further_in(p, negate(p, c), e->arg[2]));
}

static bool has_jumps(void *user, const Expr *e)
{
    (void)user;
    return !(jumps(e) && (e->reads & READS_CONTINUOUS));
}

/* A relation inside SUM exists once for every value of its index. */
static const Expr *hide_series(Place *p, const Expr *e)
{
    Model *m = p->m;
    Place inside = *p;
    if (expr_visit(m, e->arg[3], has_jumps, NULL))
        return plain(m, e);
    if (e->arg[0]->op != EXPR_INTEGER || e->arg[1]->op != EXPR_INTEGER ||
        p->n_loops == LOOPS_MOST) {
        diag_error(m->diags, p->at,
                   "a discontinuity inside %s needs bounds that are constants "
                   "and at most %d loops around it; NOEVENT(...) leaves it "
                   "unwatched",
                   expr_op_text(e->op), LOOPS_MOST - 1);
        return e;
    }
    Loop *l = model_loop(m, e->which);
    l->low = e->arg[0]->integer;
    l->high = e->arg[1]->integer;
    inside.around = NULL; // what does not depend on the index stays the same
    inside.done = (ExprMap){0};
    assert(inside.n_loops < LOOPS_MOST);
    inside.loops[inside.n_loops++] = e->which;
    if (e->arg[2]->op != EXPR_TRUTH) {
        const Expr *other =
            expr_2(m, EXPR_NE, expr_loop(m, e->which), e->arg[2]);
        inside.when = p->when ? expr_2(m, EXPR_AND, p->when, other) : other;
    }
    const Expr *arg[4] = {e->arg[0], e->arg[1], plain(m, e->arg[2]),
                          hide(&inside, e->arg[3])};
    expr_map_free(&inside.done);
    return expr_make(m, e->op, e->type, e->which, arg, 4);
}

static const Expr *hide_arguments(Place *p, const Expr *e)
{
    const Expr *few[8];
    const Expr **arg = few;
    if (e->count > 8 && !(arg = MODEL_ARRAY(p->m, const Expr *, e->count)))
        return e;
    for (uint32_t k = 0; k < e->count; k++)
        arg[k] = hide(p, e->arg[k]);
    if (jumps(e) && (e->reads & READS_CONTINUOUS))
        return operation(p, e->op, e->which, arg);
    return expr_make(p->m, e->op, e->type, e->which, arg, e->count);
}

static const Expr *hide(Place *p, const Expr *e)
{
    if (e->count == 0)
        return e;
    // Nothing in it can change between events: no branch of it has to be walked.
    if (e->op == EXPR_NOEVENT || !(e->reads & READS_CONTINUOUS))
        return plain(p->m, e);
    const Expr *found = hidden_already(p, e);
    if (found)
        return found;
    found = e->op == EXPR_CHOOSE    ? hide_choose(p, e)
            : expr_is_series(e->op) ? hide_series(p, e)
                                    : hide_arguments(p, e);
    if (!expr_map_put(&p->done, e, found))
        p->m->broken = true;
    return found;
}

/* ---- The model -------------------------------------------------------------------------- */

static Place place_at(Model *m, const Guard *guard, const uint32_t *loops,
                      uint32_t n_loops, uint32_t row, Span at, uint32_t line)
{
    Place p = {.m = m,
               .guard = guard,
               .n_loops = n_loops,
               .row = row,
               .at = at,
               .line = line};
    if (n_loops)
        memcpy(p.loops, loops, n_loops * sizeof loops[0]);
    return p;
}

static const Expr *hide_at(Place p, const Expr *e)
{
    if (!e)
        return NULL;
    const Expr *found = hide(&p, e);
    expr_map_free(&p.done);
    return found;
}

static uint32_t row_line(const Model *m, uint32_t row)
{
    return row < model_rows(m) ? model_row(m, row)->line : 0;
}

/* Handles selectors, outermost first: a relation in a selector is watched where
   its Select is reached. Selects are rewritten in place, because guards point
   at them. */
static void hide_guard(Model *m, const Guard *g, ExprMap *seen)
{
    if (!g)
        return;
    Select *s = (Select *)(uintptr_t)g->select;
    hide_guard(m, s->around, seen);
    /* The number of a Select stands for it in the map. */
    const Expr *key = expr_integer(m, s->number);
    if (expr_map_get(seen, key))
        return;
    if (!expr_map_put(seen, key, key))
        m->broken = true;
    s->selector = hide_at(
        place_at(m, s->around, s->loops, s->n_loops, s->row, s->at, s->line),
        s->selector);
}

static void hide_equation(Model *m, uint32_t k, ExprMap *seen)
{
    Equation *e = model_equation(m, k);
    Place p = place_at(m, e->guard, e->loops, e->n_loops, e->row, e->at,
                       row_line(m, e->row));
    hide_guard(m, e->guard, seen);
    e->left = hide_at(p, e->left);
    e->right = hide_at(p, e->right);
}

/* ---- What is never watched --------------------------------------------------------------- */

static const Expr *const *plain_list(Model *m, const Expr *const *list,
                                     uint32_t n)
{
    const Expr **own = list ? MODEL_ARRAY(m, const Expr *, n) : NULL;
    for (uint32_t k = 0; own && k < n; k++)
        own[k] = plain(m, list[k]);
    return own ? own : list;
}

/* Relations of a WAIT UNTIL stay as they are in its condition: equal
   expressions are one. */
static void plain_wait(Model *m, uint32_t k)
{
    Wait *w = model_wait(m, k);
    w->holds = plain(m, w->holds);
    w->relation = plain_list(m, w->relation, w->relations);
}

static void plain_implicit(Model *m, uint32_t k)
{
    Implicit *i = model_implicit(m, k);
    i->tolerance = plain_list(m, i->tolerance, i->n);
    i->start = plain_list(m, i->start, i->n);
}

/* ---- Conditions and memories --------------------------------------------------------------- */

static void hide_condition(Model *m, uint32_t k, ExprMap *seen)
{
    Condition *c = model_condition(m, k);
    hide_guard(m, c->guard, seen);
    c->tol = plain(m, c->tol);
    c->priority = plain(m, c->priority);
    c->element = plain(m, c->element);
    c->z = hide_at(
        place_at(m, c->guard, c->loops, c->n_loops, c->row, c->at, c->line),
        c->z);
}

static void hide_memory(Model *m, uint32_t k, ExprMap *seen)
{
    Memory *y = model_memory(m, k);
    Place p = place_at(m, y->guard, &y->loop, y->pool ? 1 : 0, y->row, y->at,
                       y->line);
    hide_guard(m, y->guard, seen);
    y->input = hide_at(p, y->input);
    y->delay = hide_at(p, y->delay);
    y->when = hide_at(p, y->when);
    y->start = plain(m, y->start);
}

/* Places of relations in branch; those of copies in the block of a copy. */
static void place_relations(Model *m)
{
    m->branches = 0;
    for (uint32_t p = 0; p < model_pools(m); p++)
        model_pool(m, p)->branches = 0;
    for (uint32_t k = 0; k < model_relations(m); k++) {
        Relation *r = model_relation(m, k);
        uint32_t pool = loops_pool(m, r->loops, r->n_loops);
        uint32_t *next =
            pool ? &model_pool(m, pool - 1)->branches : &m->branches;
        r->first = *next;
        *next += r->count;
    }
}

bool hide_relations(Model *m)
{
    ExprMap seen = {0};
    uint32_t errors = m->diags->errors;
    for (uint32_t k = 0; k < model_equations(m); k++)
        hide_equation(m, k, &seen);
    for (uint32_t k = 0; k < model_conditions(m); k++)
        hide_condition(m, k, &seen);
    for (uint32_t k = 0; k < model_memories(m); k++)
        hide_memory(m, k, &seen);
    for (uint32_t k = 0; k < model_waits(m); k++)
        plain_wait(m, k);
    for (uint32_t k = 0; k < model_implicits(m); k++)
        plain_implicit(m, k);
    expr_map_free(&seen);
    place_relations(m);
    m->stage = STAGE_HIDDEN;
    return !m->broken && m->diags->errors == errors;
}
