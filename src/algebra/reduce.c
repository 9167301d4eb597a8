#include "algebra/reduce.h"

#include <assert.h>
#include <inttypes.h>

#include "algebra/modes.h"
#include "algebra/runs.h"
#include "algebra/structure.h"
#include "algebra/unfold.h"

#define ROUNDS_MOST 40

/* ---- Equations without an unknown -------------------------------------------------------------- */

static bool same_guard(const Guard *a, const Guard *b)
{
    return a == b ||
           (a && b && a->select == b->select && a->branch == b->branch);
}

typedef struct Finding {
    Assignment *a;
    bool *without; // for each equation
    Vector given;  // uint32_t: equations of a branch that have an unknown
} Finding;

/* Looks for unknowns for elements first .. end - 1; marks those that find
   none. */
static void assign_elements_of(Finding *f, uint32_t first, uint32_t end)
{
    Assignment *a = f->a;
    for (uint32_t k = first; k < end && !a->broken; k++) {
        if (a->chosen[k] != NONE || f->without[k])
            continue;
        f->without[k] = !assign_one(a, k);
        if (!f->without[k] && !vector_append(&f->given, &k, sizeof k))
            a->broken = true;
    }
}

/* How many choices a Select in loops stands for; 1 if the elements of the
   portion cannot be told apart so. */
static uint64_t copies_in(const Assignment *a, uint32_t portion,
                          const Select *s)
{
    const Portion *p = system_portion(a->e.s, portion);
    if (p->n_loops < s->n_loops)
        return 1;
    for (uint32_t k = 0; k < s->n_loops; k++)
        if (p->loops[k] != s->loops[k])
            return 1;
    return loops_elements(a->e.m, s->loops, s->n_loops);
}

/* The elements of a portion that are active in choice `copy` of `copies` of an
   inner or the same Select. */
static void assign_copy(Finding *f, uint32_t portion, uint64_t copy,
                        uint64_t copies)
{
    const Assignment *a = f->a;
    const Guard *g = system_portion(a->e.s, portion)->guard;
    uint64_t own = copies_in(a, portion, g->select);
    uint32_t first = a->e.first_equation[portion];
    uint64_t n = a->e.first_equation[portion + 1] - first;
    if (own > copies || copies % own != 0 || n % own != 0)
        own = 1;
    uint64_t at = copy / (copies / own), each = n / own;
    assign_elements_of(f, first + (uint32_t)(at * each),
                       first + (uint32_t)((at + 1) * each));
}

static void release(Finding *f)
{
    const uint32_t *k = (const uint32_t *)(const void *)f->given.bytes;
    for (size_t i = 0; i < f->given.used / sizeof *k; i++)
        assign_take(f->a, k[i]);
    f->given.used = 0;
}

/* The equations of one branch, beside those around it and those of none; for
   each choice that the Select stands for alone. */
static void assign_branch(Finding *f, const Guard *g)
{
    Assignment *a = f->a;
    uint64_t copies = 1;
    for (uint32_t p = 0; p < a->e.portions; p++)
        if (same_guard(system_portion(a->e.s, p)->guard, g))
            copies = copies_in(a, p, g->select);
    for (uint64_t copy = 0; copy < copies && !a->broken; copy++) {
        for (uint32_t p = 0; p < a->e.portions; p++) {
            const Guard *own = system_portion(a->e.s, p)->guard;
            if (own && !same_guard(own, g) && guard_within(g, own))
                assign_copy(f, p, copy, copies);
        }
        for (uint32_t p = 0; p < a->e.portions; p++)
            if (same_guard(system_portion(a->e.s, p)->guard, g))
                assign_copy(f, p, copy, copies);
        release(f);
    }
}

static void list_guard(Assignment *a, Vector *guards, const Guard *g)
{
    const Guard *const *known =
        (const Guard *const *)(const void *)guards->bytes;
    for (size_t k = guards->used / sizeof g; k-- > 0;)
        if (same_guard(known[k], g))
            return;
    if (!vector_append(guards, &g, sizeof g))
        a->broken = true;
}

/* Marks the equations that find no unknown beside those that are active whenever
   they are; the number of marks. */
static uint32_t find_without(Assignment *a, bool *without)
{
    Finding f = {.a = a, .without = without};
    Vector guards = {0};
    uint32_t n = 0;
    assign_in_order(a);
    for (uint32_t p = 0; p < a->e.portions; p++)
        if (!system_portion(a->e.s, p)->guard)
            assign_plain(a, p);
    for (uint32_t p = 0; p < a->e.portions; p++)
        if (system_portion(a->e.s, p)->guard)
            list_guard(a, &guards, system_portion(a->e.s, p)->guard);
        else
            assign_elements_of(&f, a->e.first_equation[p],
                               a->e.first_equation[p + 1]);
    f.given.used = 0;
    const Guard *const *list = (const Guard *const *)(const void *)guards.bytes;
    for (size_t k = 0; k < guards.used / sizeof *list && !a->broken; k++)
        assign_branch(&f, list[k]);
    for (uint32_t k = 0; k < a->equations; k++)
        n += without[k];
    vector_free(&guards);
    vector_free(&f.given);
    return n;
}

/* ---- Constraints ------------------------------------------------------------------------------- */

/* The STATE "X'" that the derivative of a condition at a boundary sets, or NULL. */
static const Expr *sets_rate(Model *m, const Expr *x)
{
    for (uint32_t k = 0; x && k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_STATE && v->rate_of == x->which)
            return expr_variable(m, k, x->arg, x->count);
    }
    return NULL;
}

static Equation derivative_of(Reduction *r, const Equation *e, const Expr *g)
{
    Model *m = r->m;
    Equation own = *e;
    Row row = *model_row(m, e->row);
    own.left = jets_derivative(&r->jets, g);
    own.sets = sets_rate(m, e->sets);
    own.right = expr_number(m, "0.0");
    own.role = EQUATION_PLAIN;
    own.order++;
    row.variable = NONE;
    row.text = jets_words(m, row.text);
    own.row = model_add_row(m, &row);
    return own;
}

/* The elements low .. high of an equation as one of its own. */
static uint32_t cut_equation(Model *m, const Portion *p, const int64_t *low,
                             const int64_t *high)
{
    Portion part = run_portion(m, p, low, high);
    Equation e = *model_equation(m, p->equation);
    e.sets = e.sets == e.left ? part.left : NULL;
    e.left = part.left;
    e.right = part.right;
    e.role = EQUATION_PLAIN; // what it is cut from is replaced
    e.n_loops = part.n_loops;
    for (uint32_t k = 0; k < part.n_loops; k++)
        e.loops[k] = part.loops[k];
    return model_add_equation(m, &e);
}

static bool constrain(Reduction *r, Unfolding *u, uint32_t k);

static bool has_loop(const Equation *e, uint32_t loop)
{
    for (uint32_t k = 0; k < e->n_loops; k++)
        if (e->loops[k] == loop)
            return true;
    return false;
}

/* The equation in two: u->cut. */
static bool constrain_both(Reduction *r, Unfolding *u, uint32_t k)
{
    Model *m = r->m;
    const Portion p = equation_portion(m, k);
    int64_t low[LOOPS_MOST], high[LOOPS_MOST];
    uint32_t at = NONE;
    for (uint32_t i = 0; i < p.n_loops; i++) {
        const Loop *l = model_loop(m, p.loops[i]);
        low[i] = l->low;
        high[i] = l->high;
        at = p.loops[i] == u->cut ? i : at;
    }
    assert(at != NONE);
    int64_t last = high[at];
    high[at] = u->cut_at - 1;
    uint32_t one = cut_equation(m, &p, low, high);
    low[at] = u->cut_at;
    high[at] = last;
    uint32_t other = cut_equation(m, &p, low, high);
    model_equation(m, k)->role = EQUATION_REPLACED;
    return constrain(r, u, one) && constrain(r, u, other);
}

/* The equation becomes a constraint, and its derivative an equation. False if
   that says nothing: nothing in it moves. */
static bool constrain(Reduction *r, Unfolding *u, uint32_t k)
{
    Model *m = r->m;
    Equation e = *model_equation(m, k);
    if (e.left->type != EXPR_TYPE_REAL || e.block != NONE)
        return false;
    const Expr *g = unfold(u, expr_minus(m, e.left, e.right), e.guard, k);
    if (!e.guard && has_loop(&e, u->cut))
        return constrain_both(r, u, k);
    Equation next = derivative_of(r, &e, g);
    if (!(next.left->reads & (READS_STATE | READS_COMPUTED)))
        return false;
    Constraint c = {.g = g,
                    .guard = e.guard,
                    .n_loops = e.n_loops,
                    .order = e.order,
                    .sets = e.sets,
                    .row = e.row,
                    .at = e.at};
    for (uint32_t i = 0; i < e.n_loops; i++)
        c.loops[i] = e.loops[i];
    c.first = m->constraint_rows;
    m->constraint_rows += (uint32_t)loops_elements(m, e.loops, e.n_loops);
    model_equation(m, k)->role = EQUATION_CONSTRAINT;
    model_add_constraint(m, &c);
    model_add_equation(m, &next);
    return true;
}

/* Cuts a portion into runs of elements that have an unknown and runs of those
   that have none, along its innermost loop; the latter become constraints. */
static bool constrain_some(Reduction *r, Unfolding *u, const Assignment *a,
                           uint32_t portion, const bool *without)
{
    Model *m = r->m;
    const Portion p = *system_portion(a->e.s, portion);
    uint32_t first = a->e.first_equation[portion];
    uint32_t end = a->e.first_equation[portion + 1];
    bool right = true;
    if (p.n_loops == 0 || p.guard)
        return false;
    const Loop inner = *model_loop(m, p.loops[p.n_loops - 1]);
    model_equation(m, p.equation)->role = EQUATION_REPLACED;
    for (uint32_t k = first, to; k < end && right && !m->broken; k = to) {
        int64_t low[LOOPS_MOST], high[LOOPS_MOST];
        elements_values(&a->e, portion, k - first, low);
        elements_values(&a->e, portion, k - first, high);
        for (to = k + 1; to < end && without[to] == without[k] &&
                         high[p.n_loops - 1] < inner.high;
             to++)
            high[p.n_loops - 1]++;
        uint32_t own = cut_equation(m, &p, low, high);
        right = !without[k] || constrain(r, u, own);
    }
    return right;
}

static bool constrain_portion(Reduction *r, Unfolding *u, const Assignment *a,
                              uint32_t portion, const bool *without)
{
    uint32_t first = a->e.first_equation[portion], n = 0;
    uint32_t end = a->e.first_equation[portion + 1];
    for (uint32_t k = first; k < end; k++)
        n += without[k];
    if (n == 0)
        return true;
    if (n == end - first)
        return constrain(r, u, system_portion(a->e.s, portion)->equation);
    return constrain_some(r, u, a, portion, without);
}

/* ---- Derivatives of ALGEBRs ---------------------------------------------------------------------- */

/* True if the derivative of what the portion determines is wanted. */
static bool is_wanted(const Reduction *r, const Assignment *a, uint32_t portion)
{
    const Portion *p = system_portion(a->e.s, portion);
    const Model *m = r->m;
    if (model_equation(m, p->equation)->role != EQUATION_PLAIN ||
        p->left->type != EXPR_TYPE_REAL || jets_is_done(&r->jets, p->equation))
        return false;
    if (p->guard)
        return jets_wants(&r->jets, p->left);
    for (uint32_t k = a->e.first_equation[portion];
         k < a->e.first_equation[portion + 1]; k++) {
        if (a->chosen[k] == NONE)
            continue;
        uint32_t slot = elements_slot(&a->e, a->pair[a->chosen[k]].unknown);
        Expr leaf = {.op = slot % 2 ? EXPR_RATE : EXPR_VARIABLE,
                     .which = slot / 2};
        if (jets_wants(&r->jets, &leaf))
            return true;
    }
    return false;
}

static void differentiate_wanted(Reduction *r, const Assignment *a)
{
    do {
        r->jets.more = false;
        for (uint32_t p = 0; p < a->e.portions && !r->m->broken; p++)
            if (is_wanted(r, a, p))
                jets_differentiate(&r->jets,
                                   system_portion(a->e.s, p)->equation);
    } while (r->jets.more && !r->m->broken);
}

/* ---- The whole ----------------------------------------------------------------------------------- */

/* Whether there are more equations than variables, a STATE and its rate being
   one: differentiating would go on for ever. */
static bool is_hopeless(Reduction *r, System *s)
{
    Assignment a;
    bool begun = assign_begin(&a, r->m, s, true);
    bool *without = begun ? NEW_ARRAY(&a.e.arena, bool, a.equations + 1) : NULL;
    bool hopeless = without && find_without(&a, without) > 0;
    assignment_free(&a);
    return hopeless;
}

static uint32_t count_free(const Assignment *a)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < a->equations; k++)
        n += a->chosen[k] == NONE;
    return n;
}

/* Equations that could well be constraints are not blamed. */
static void report(Reduction *r, Assignment *full)
{
    Assignment merged;
    bool all = assign_elements(&merged, r->m, full->e.s, true);
    bool better =
        !all && !merged.broken && count_free(&merged) < count_free(full);
    structure_report(better ? &merged : full);
    assignment_free(&merged);
}

static ReduceResult constrain_all(Reduction *r, Assignment *a,
                                  const bool *without)
{
    Unfolding u;
    bool right = unfold_begin(&u, a);
    for (uint32_t p = 0; right && p < a->e.portions && !r->m->broken; p++)
        right = constrain_portion(r, &u, a, p, without);
    if (right)
        differentiate_wanted(r, a);
    unfold_free(&u);
    return right && !r->m->broken ? REDUCE_AGAIN : REDUCE_NOTHING;
}

ReduceResult reduce_structure(Reduction *r, Assignment *full)
{
    Assignment a;
    System *s = full->e.s;
    if (r->rounds == 0 && is_hopeless(r, s)) {
        report(r, full);
        return REDUCE_REPORTED;
    }
    if (++r->rounds > ROUNDS_MOST) {
        diag_error(r->m->diags, system_portion(s, 0)->at,
                   "the equations would have to be differentiated more than %d "
                   "times",
                   ROUNDS_MOST);
        return REDUCE_REPORTED;
    }
    ReduceResult how = REDUCE_NOTHING;
    bool begun = assign_begin(&a, r->m, s, false);
    bool *without = begun ? NEW_ARRAY(&a.e.arena, bool, a.equations + 1) : NULL;
    if (!without)
        r->m->broken = true;
    else if (find_without(&a, without) > 0)
        how = constrain_all(r, &a, without);
    else
        how = modes_merge(r->m, full);
    assignment_free(&a);
    return how;
}

void reduce_free(Reduction *r)
{
    jets_free(&r->jets);
}
