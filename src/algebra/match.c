#include "algebra/match.h"

#include <assert.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/isolate.h"
#include "algebra/masses.h"
#include "algebra/pools.h"
#include "algebra/reduce.h"
#include "algebra/runs.h"
#include "algebra/structure.h"
#include "model/walk.h"

/* Unknowns that an equation could determine. */
typedef struct Candidates {
    const Expr **list;
    uint32_t count, room;
} Candidates;

typedef struct Matching {
    Model *m;
    System *s;
    Candidates *candidates; // for each equation
    uint32_t *first;        // for each unknown: last equation matched to it, or
                            // NONE
    uint32_t *next;         // for each equation: the previous one with that
                            // unknown
    ExprMap tried;          // targets of the present search
} Matching;

static uint32_t unknown_slot(ExprOp op, uint32_t which)
{
    return 2 * which + (op == EXPR_RATE);
}

/* ---- Candidates ------------------------------------------------------------------------ */

typedef struct Collecting {
    Model *m;
    const Portion *e;
    Candidates *c;
    ExprMap seen;
} Collecting;

static bool collect(void *user, const Expr *e)
{
    Collecting *g = user;
    Candidates *c = g->c;
    Box box;
    if (!is_unknown(g->m, e) || expr_map_get(&g->seen, e) ||
        !box_exact(g->m, e, g->e->loops, g->e->n_loops, &box))
        return true;
    if (c->count == c->room) {
        uint32_t room = c->room ? 2 * c->room : 4;
        const Expr **list = MODEL_ARRAY(g->m, const Expr *, room);
        if (!list)
            return false;
        if (c->count)
            memcpy(list, c->list, c->count * sizeof *list);
        c->list = list;
        c->room = room;
    }
    assert(c->count < c->room);
    c->list[c->count++] = e;
    if (!expr_map_put(&g->seen, e, e))
        g->m->broken = true;
    return true;
}

/* Those for which the equation can be solved without a doubtful division come
   before the others. */
static void put_safe_first(Model *m, const Portion *e, Candidates *c)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const Expr *one = c->list[k];
        if (!isolate_is_safe(m, e->left, e->right, one))
            continue;
        memmove(c->list + kept + 1, c->list + kept,
                (k - kept) * sizeof *c->list);
        c->list[kept++] = one;
    }
}

/* Those alone on the left come first, those alone on the right next, then the
   others. */
static void candidates_of(Model *m, const Portion *e, Candidates *c)
{
    Collecting g = {.m = m, .e = e, .c = c};
    collect(&g, e->left);
    collect(&g, e->right);
    expr_visit(m, e->left, collect, &g);
    expr_visit(m, e->right, collect, &g);
    expr_map_free(&g.seen);
    if (c->count > 1 && !is_unknown(m, e->left) && !is_unknown(m, e->right))
        put_safe_first(m, e, c);
}

/* ---- Assigning ------------------------------------------------------------------------- */

static void assign(Matching *g, uint32_t k, const Expr *target)
{
    uint32_t slot = unknown_slot(target->op, target->which);
    assert(is_unknown(g->m, target) && !system_portion(g->s, k)->target);
    system_portion(g->s, k)->target = target;
    g->next[k] = g->first[slot];
    g->first[slot] = k;
}

static void release(Matching *g, uint32_t k)
{
    Portion *e = system_portion(g->s, k);
    assert(e->target);
    uint32_t *link = &g->first[unknown_slot(e->target->op, e->target->which)];
    while (*link != k) {
        assert(*link != NONE); // it is in the list of its target
        link = &g->next[*link];
    }
    *link = g->next[k];
    e->target = NULL;
}

/* Finds the next equation, from *at on, that determines part of the box and may
   be active together with equation k. */
static bool rival(const Matching *g, uint32_t k, const Box *box, uint32_t *at)
{
    const Model *m = g->m;
    const Guard *guard = system_portion(g->s, k)->guard;
    for (; *at != NONE; *at = g->next[*at]) {
        const Portion *other = system_portion(g->s, *at);
        Box own = box_around(m, other->target);
        if (*at != k && box_meets(&own, box) &&
            !guards_exclude(guard, other->guard))
            return true;
    }
    return false;
}

static bool is_free(const Matching *g, uint32_t k, const Expr *target)
{
    Box box = box_around(g->m, target);
    uint32_t at = g->first[unknown_slot(target->op, target->which)];
    return !rival(g, k, &box, &at);
}

/* The unknown stands alone on one side, and no other equation has it. */
static bool take_left(Matching *g, uint32_t k)
{
    const Portion *e = system_portion(g->s, k);
    const Expr *sides[2] = {e->left, e->right};
    for (int s = 0; s < 2; s++) {
        Box box;
        if (is_unknown(g->m, sides[s]) &&
            box_exact(g->m, sides[s], e->loops, e->n_loops, &box) &&
            is_free(g, k, sides[s])) {
            assign(g, k, sides[s]);
            return true;
        }
    }
    return false;
}

static bool augment(Matching *g, uint32_t k, unsigned depth);

#define DEPTH_MOST  2000
#define RIVALS_MOST 32

/* All equations that have a part of `target` look for another unknown. */
static bool displace(Matching *g, uint32_t k, const Expr *target,
                     unsigned depth)
{
    Box box = box_around(g->m, target);
    uint32_t rivals[RIVALS_MOST], n = 0;
    const Expr *had[RIVALS_MOST];
    uint32_t at = g->first[unknown_slot(target->op, target->which)];
    while (n < RIVALS_MOST && rival(g, k, &box, &at)) {
        rivals[n++] = at;
        at = g->next[at];
    }
    if (n == RIVALS_MOST)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        had[i] = system_portion(g->s, rivals[i])->target;
        release(g, rivals[i]);
    }
    assign(g, k, target);
    bool all = true;
    for (uint32_t i = 0; i < n && all; i++)
        all = augment(g, rivals[i], depth + 1);
    if (all)
        return true;
    release(g, k);
    for (uint32_t i = 0; i < n; i++) {
        if (system_portion(g->s, rivals[i])->target)
            release(g, rivals[i]);
        assign(g, rivals[i], had[i]);
    }
    return false;
}

static bool augment(Matching *g, uint32_t k, unsigned depth)
{
    const Candidates *c = &g->candidates[k];
    for (uint32_t i = 0; i < c->count; i++)
        if (is_free(g, k, c->list[i])) {
            assign(g, k, c->list[i]);
            return true;
        }
    if (depth > DEPTH_MOST)
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        if (expr_map_get(&g->tried, c->list[i]))
            continue;
        /* Without this note the search would try everything in every order. */
        if (!expr_map_put(&g->tried, c->list[i], c->list[i]))
            g->m->broken = true;
        if (g->m->broken)
            return false;
        if (displace(g, k, c->list[i], depth))
            return true;
    }
    return false;
}

/* ---- Without a choice -------------------------------------------------------------------- */

/* Equations by the unknowns in them: those of unknown number k are first[k] to
   first[k + 1] - 1 in `equation`. */
typedef struct Readers {
    ExprMap number; // candidate -> integer
    uint32_t *first, *equation;
} Readers;

static uint32_t number_of(const Readers *r, const Expr *e)
{
    const Expr *k = expr_map_get(&r->number, e);
    return k ? (uint32_t)k->integer : NONE;
}

/* Numbers the candidates; returns how many occurrences there are. */
static uint32_t number_candidates(Matching *g, Readers *r)
{
    Model *m = g->m;
    uint32_t pairs = 0;
    for (uint32_t k = 0; k < system_portions(g->s); k++)
        for (uint32_t i = 0; i < g->candidates[k].count; i++, pairs++) {
            const Expr *e = g->candidates[k].list[i];
            if (number_of(r, e) == NONE &&
                !expr_map_put(&r->number, e, expr_integer(m, r->number.count)))
                m->broken = true;
        }
    return pairs;
}

static bool readers_find(Matching *g, Readers *r)
{
    Model *m = g->m;
    uint32_t n = system_portions(g->s), pairs = number_candidates(g, r);
    r->first = MODEL_ARRAY(m, uint32_t, r->number.count + 2);
    r->equation = MODEL_ARRAY(m, uint32_t, pairs + 1);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < g->candidates[k].count; i++)
            r->first[number_of(r, g->candidates[k].list[i]) + 2]++;
    for (uint32_t k = 2; k < r->number.count + 2; k++)
        r->first[k] += r->first[k - 1];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < g->candidates[k].count; i++)
            r->equation[r->first[number_of(r, g->candidates[k].list[i]) +
                                 1]++] = k;
    return true;
}

/* The only candidate of the equation that is still free, or NULL. */
static const Expr *only_candidate(const Matching *g, uint32_t k)
{
    const Candidates *c = &g->candidates[k];
    const Expr *only = NULL;
    for (uint32_t i = 0; i < c->count; i++) {
        if (!is_free(g, k, c->list[i]))
            continue;
        if (only)
            return NULL;
        only = c->list[i];
    }
    return only;
}

/* Equations with one candidate left take it, which may leave others with one: a
   chain of equations is followed to its end. */
static void assign_forced(Matching *g)
{
    Model *m = g->m;
    Readers r = {0};
    Vector open = {0}; // uint32_t: equations to examine
    for (uint32_t k = system_portions(g->s); k-- > 0;)
        if (!system_portion(g->s, k)->target &&
            !vector_append(&open, &k, sizeof k))
            m->broken = true;
    if (open.used && readers_find(g, &r))
        while (open.used && !m->broken) {
            uint32_t k;
            open.used -= sizeof k;
            memcpy(&k, open.bytes + open.used, sizeof k);
            const Expr *only =
                system_portion(g->s, k)->target ? NULL : only_candidate(g, k);
            if (!only)
                continue;
            assign(g, k, only);
            uint32_t number = number_of(&r, only);
            assert(number != NONE);
            for (uint32_t i = r.first[number]; i < r.first[number + 1]; i++)
                if (!vector_append(&open, &r.equation[i], sizeof k))
                    m->broken = true;
        }
    expr_map_free(&r.number);
    vector_free(&open);
}

/* ---- The whole ------------------------------------------------------------------------- */

static bool prepare(Matching *g)
{
    Model *m = g->m;
    uint32_t slots = 2 * model_variables(m), n = system_portions(g->s);
    g->first = MODEL_ARRAY(m, uint32_t, slots + 1);
    g->next = MODEL_ARRAY(m, uint32_t, n + 1);
    g->candidates = MODEL_ARRAY(m, Candidates, n + 1);
    if (m->broken)
        return false;
    for (uint32_t k = 0; k < slots; k++)
        g->first[k] = NONE;
    for (uint32_t k = 0; k < n; k++) {
        Portion *e = system_portion(g->s, k);
        e->target = NULL;
        candidates_of(m, e, &g->candidates[k]);
    }
    return !m->broken;
}

/* True if every equation has its unknown. */
static bool match_once(Matching *g)
{
    bool all = true;
    if (!prepare(g))
        return true; // no memory: m->broken
    for (uint32_t k = 0; k < system_portions(g->s); k++)
        take_left(g, k);
    assign_forced(g);
    for (uint32_t k = 0; k < system_portions(g->s); k++) {
        if (system_portion(g->s, k)->target)
            continue;
        expr_map_free(&g->tried);
        all = augment(g, k, 0) && all;
    }
    expr_map_free(&g->tried);
    return all;
}

/* Matches element by element: not every equation determines one element of an
   array for each value of its index. *again: that did not do, but there are other
   equations now. */
static bool match_elements(Model *m, System *s, Reduction *r, bool *again)
{
    Assignment a;
    bool all = assign_elements(&a, m, s, false);
    ReduceResult how = REDUCE_REPORTED;
    if (all)
        runs_rebuild(&a);
    else if (!a.broken)
        how = reduce_structure(r, &a);
    *again = how == REDUCE_AGAIN;
    if (how == REDUCE_NOTHING)
        structure_report(&a);
    if (a.broken)
        diag_error(m->diags, system_portion(s, 0)->at,
                   "the equations in loops are too many to be matched with "
                   "their unknowns element by element: write A[I] = ... for "
                   "one element of each array");
    assignment_free(&a);
    return all;
}

/* True if the targets cover every element of all unknowns, branches aside. */
static bool is_covered(const Model *m, const System *s)
{
    uint64_t *covered = NEW_ARRAY(m->arena, uint64_t, 2 * model_variables(m));
    bool all = true;
    for (uint32_t k = 0; covered && k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        if (p->guard)
            return false; // look more closely
        covered[unknown_slot(p->target->op, p->target->which)] +=
            loops_elements(m, p->loops, p->n_loops);
    }
    for (uint32_t k = 0; covered && k < model_variables(m) && all; k++) {
        const Variable *v = model_variable(m, k);
        const Expr value = {.op = EXPR_VARIABLE, .which = k};
        bool state = v->kind == VARIABLE_STATE;
        if (state || is_unknown(m, &value))
            all = covered[2 * k + state] == v->elements;
    }
    return covered && all;
}

static void look_for_missing(Model *m, System *s)
{
    Assignment a;
    if (is_covered(m, s))
        return;
    if (assignment_of(&a, m, s))
        structure_missing(&a);
    else
        m->broken = true;
    assignment_free(&a);
}

static void find_values(Model *m, System *s)
{
    for (uint32_t k = 0; k < system_portions(s); k++) {
        Portion *p = system_portion(s, k);
        if (!p->target)
            continue;
        p->value = isolate(m, p->left, p->right, p->target);
        model_row(m, p->row)->variable = p->target->which;
    }
}

/* Loops that never run have no equations. */
static void add_portions(Model *m, System *s)
{
    s->portions.used = 0;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        if (model_equation(m, k)->role != EQUATION_PLAIN)
            continue;
        Portion p = equation_portion(m, k);
        if (loops_elements(m, p.loops, p.n_loops) > 0)
            system_add_portion(m, s, &p);
    }
}

bool match_equations(Model *m, System *s)
{
    uint32_t errors = m->diags->errors;
    Reduction r = {.m = m, .jets = {.m = m}};
    bool all, again;
    masses_reduce(m);
    do {
        Matching g = {.m = m, .s = s};
        again = false;
        add_portions(m, s);
        all = match_once(&g) ||
              (pools_matched(m, s) && match_elements(m, s, &r, &again));
    } while (again && !m->broken);
    reduce_free(&r);
    if (all && !m->broken) {
        look_for_missing(m, s);
        find_values(m, s);
    }
    m->stage = STAGE_MATCHED;
    return !m->broken && m->diags->errors == errors;
}
