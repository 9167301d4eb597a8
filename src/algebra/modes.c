#include "algebra/modes.h"

#include <inttypes.h>
#include <string.h>

#include "algebra/box.h"
#include "algebra/definitions.h"
#include "algebra/structure.h"

typedef struct Branch { // equations of one that are put together with others
    Vector equations;   // uint32_t
} Branch;

typedef struct Merging {
    Model *m;
    const Select *select;
    bool inside; // a branch of a Select that is put together itself
    Branch *branch;
    uint32_t most; // equations of the branch that has most
} Merging;

static uint32_t count_of(const Branch *b)
{
    return (uint32_t)(b->equations.used / sizeof(uint32_t));
}

static uint32_t equation_of(const Branch *b, uint32_t k)
{
    return ((const uint32_t *)(const void *)b->equations.bytes)[k];
}

/* ---- Which equations ------------------------------------------------------------------------- */

static bool stands_in(const Equation *e, const Select *s, uint32_t branch)
{
    return e->role == EQUATION_PLAIN && e->guard && e->guard->select == s &&
           e->guard->branch == branch;
}

/* True if some equation of the branch has this unknown alone on its left. */
static bool branch_gives(const Merging *g, uint32_t branch, const Expr *what)
{
    const Model *m = g->m;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        const Equation *e = model_equation(m, k);
        if (stands_in(e, g->select, branch) && e->left->op == what->op &&
            e->left->which == what->which && is_unknown(m, e->left))
            return true;
    }
    return false;
}

static bool every_branch_gives(const Merging *g, const Expr *what)
{
    if (!is_unknown(g->m, what))
        return false;
    for (uint32_t b = 0; b < g->select->branches; b++)
        if (!branch_gives(g, b, what))
            return false;
    return true;
}

static void gather(Merging *g)
{
    Model *m = g->m;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        const Equation *e = model_equation(m, k);
        if (e->role != EQUATION_PLAIN || !e->guard ||
            e->guard->select != g->select || e->left->type != EXPR_TYPE_REAL ||
            e->block != NONE || (!g->inside && every_branch_gives(g, e->left)))
            continue;
        Branch *b = &g->branch[e->guard->branch];
        if (!vector_append(&b->equations, &k, sizeof k))
            m->broken = true;
        if (count_of(b) > g->most)
            g->most = count_of(b);
    }
}

/* ---- Branches with fewer equations --------------------------------------------------------------- */

/* True if the rate occurs in an equation that is active in the branch. */
static bool occurs(const Merging *g, uint32_t branch, const Expr *rate)
{
    const Model *m = g->m;
    for (uint32_t k = 0; k < model_equations(m); k++) {
        const Equation *e = model_equation(m, k);
        if (e->role != EQUATION_PLAIN ||
            (e->guard && e->guard->select == g->select &&
             e->guard->branch != branch))
            continue;
        if (expr_mentions(e->left, EXPR_RATE, rate->which) ||
            expr_mentions(e->right, EXPR_RATE, rate->which))
            return true;
    }
    return false;
}

/* X' = 0, in the place of an equation of another branch that gives X'. */
static void add_rest(Merging *g, uint32_t branch, uint32_t like)
{
    Model *m = g->m;
    Equation e = *model_equation(m, like);
    Guard *guard = MODEL_NEW(m, Guard);
    Row row = {.variable = e.left->which,
               .line = model_row(m, e.row)->line,
               .text = model_format(m, "%s' = 0",
                                    model_variable(m, e.left->which)->name)};
    if (!guard)
        return;
    *guard = (Guard){g->select, branch};
    e.guard = guard;
    e.right = expr_number(m, "0.0");
    e.row = model_add_row(m, &row);
    uint32_t own = model_add_equation(m, &e);
    if (!vector_append(&g->branch[branch].equations, &own, sizeof own))
        m->broken = true;
}

static void fill(Merging *g, uint32_t branch)
{
    Model *m = g->m;
    for (uint32_t b = 0; b < g->select->branches && !m->broken; b++)
        for (uint32_t k = 0; b != branch && k < count_of(&g->branch[b]); k++) {
            uint32_t q = equation_of(&g->branch[b], k);
            const Expr *left = model_equation(m, q)->left;
            if (count_of(&g->branch[branch]) < g->most &&
                left->op == EXPR_RATE && !occurs(g, branch, left))
                add_rest(g, branch, q);
        }
}

/* "CASE branch 2", "the ELSE branch" */
static const char *branch_name(const Merging *g, uint32_t branch)
{
    const Select *s = g->select;
    if (!s->is_case)
        return branch == 0 ? "THEN" : "ELSE";
    if (s->n_labels[branch] == 0)
        return "ELSE";
    return model_format(g->m, "branch %" PRId64, s->labels[branch][0].low);
}

static bool report_short(const Merging *g, uint32_t branch)
{
    uint32_t n = g->most - count_of(&g->branch[branch]);
    diag_error(g->m->diags, g->select->at,
               "%s of this %s has %" PRIu32 " equation%s fewer than another "
               "branch, and the branches determine different unknowns: in "
               "that mode something is not determined. Add %s, or say there "
               "what keeps its value (X' = 0)",
               branch_name(g, branch), g->select->is_case ? "CASE" : "IF", n,
               n == 1 ? "" : "s", n == 1 ? "an equation" : "equations");
    return false;
}

/* ---- Putting together ----------------------------------------------------------------------------- */

static bool same_loops(const Model *m, const Equation *a, const Equation *b)
{
    if (a->n_loops != b->n_loops)
        return false;
    for (uint32_t k = 0; k < a->n_loops; k++) {
        const Loop *x = model_loop(m, a->loops[k]);
        const Loop *y = model_loop(m, b->loops[k]);
        if (x->low != y->low || x->high != y->high)
            return false;
    }
    return true;
}

static const Expr *residual_in(Model *m, const Equation *e,
                               const Equation *like)
{
    const Expr *r = expr_minus(m, e->left, e->right);
    for (uint32_t k = 0; k < e->n_loops; k++)
        if (e->loops[k] != like->loops[k])
            r = expr_replace(m, r, expr_loop(m, e->loops[k]),
                             expr_loop(m, like->loops[k]));
    return r;
}

/* The k-th equation of every branch as one. A value outside of the labels has
   none: 0/0 rings. */
static bool put_together(Merging *g, uint32_t k)
{
    Model *m = g->m;
    const Select *s = g->select;
    Equation first = *model_equation(m, equation_of(&g->branch[0], k));
    bool open = s->is_case && !s->has_else;
    const Expr *zero = expr_number(m, "0.0");
    const Expr *value = open ? expr_2(m, EXPR_DIV, zero, zero) : NULL;
    Buffer text = {0};
    for (uint32_t b = s->branches; b-- > 0;) {
        uint32_t q = equation_of(&g->branch[b], k);
        const Equation e = *model_equation(m, q);
        if (!same_loops(m, &first, &e)) {
            diag_error(m->diags, e.at,
                       "the branches determine different unknowns, and this "
                       "FOR has other bounds than that of another branch: "
                       "give them the same bounds");
            return false;
        }
        const Expr *r = residual_in(m, &e, &first);
        value = value ? expr_choose(m, branch_condition(m, s, b), r, value) : r;
        model_equation(m, q)->role = EQUATION_REPLACED;
    }
    for (uint32_t b = 0; b < s->branches; b++)
        buffer_format(
            &text, "%s%s", b ? " | " : "",
            model_row(m, model_equation(m, equation_of(&g->branch[b], k))->row)
                ->text);
    Row row = *model_row(m, first.row);
    row.variable = NONE;
    row.text = model_format(m, "%s", buffer_string(&text));
    buffer_free(&text);
    first.left = value;
    first.right = zero;
    first.guard = s->around;
    first.modal = true;
    first.row = model_add_row(m, &row);
    model_add_equation(m, &first);
    return true;
}

static ReduceResult merge(Model *m, const Select *s, bool inside);

/* The Select that holds the equation and is in a branch of s itself, or NULL. */
static const Select *next_inside(const Equation *e, const Select *s)
{
    const Guard *g = e->role == EQUATION_PLAIN ? e->guard : NULL;
    for (; g && g->select != s; g = g->select->around)
        if (g->select->around && g->select->around->select == s)
            return g->select;
    return NULL;
}

/* What is put together with other branches is one equation itself. */
static bool merge_inside(Model *m, const Select *s)
{
    for (uint32_t k = 0; k < model_equations(m) && !m->broken; k++) {
        const Select *inner = next_inside(model_equation(m, k), s);
        if (inner && merge(m, inner, true) == REDUCE_REPORTED)
            return false;
    }
    return true;
}

static ReduceResult merge(Model *m, const Select *s, bool inside)
{
    Merging g = {.m = m, .select = s, .inside = inside};
    if (!merge_inside(m, s))
        return REDUCE_REPORTED;
    g.branch = MODEL_ARRAY(m, Branch, s->branches);
    if (!g.branch)
        return REDUCE_REPORTED;
    gather(&g);
    bool right = true;
    for (uint32_t b = 0; b < s->branches && right && !m->broken; b++) {
        fill(&g, b);
        if (count_of(&g.branch[b]) < g.most)
            right = report_short(&g, b);
    }
    for (uint32_t k = 0; k < g.most && right && !m->broken; k++)
        right = put_together(&g, k);
    for (uint32_t b = 0; b < s->branches; b++)
        vector_free(&g.branch[b].equations);
    return !right ? REDUCE_REPORTED : g.most ? REDUCE_AGAIN : REDUCE_NOTHING;
}

ReduceResult modes_merge(Model *m, Assignment *a)
{
    ReduceResult how = REDUCE_NOTHING;
    bool *tangled = NEW_ARRAY(&a->e.arena, bool, a->equations + 1);
    bool *met = NEW_ARRAY(&a->e.arena, bool, m->selects + 1);
    if (!tangled || !met || !structure_tangled(a, tangled)) {
        m->broken = true;
        return REDUCE_REPORTED;
    }
    for (uint32_t k = 0; k < a->equations && how != REDUCE_REPORTED; k++) {
        const Guard *g =
            system_portion(a->e.s, elements_portion(&a->e, k))->guard;
        if (!tangled[k] || !g || met[g->select->number])
            continue;
        met[g->select->number] = true;
        ReduceResult own = merge(m, g->select, false);
        how = own == REDUCE_NOTHING ? how : own;
    }
    return how;
}
