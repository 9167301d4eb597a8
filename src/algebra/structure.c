#include "algebra/structure.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "algebra/box.h"

#define SHOWN 6 // equations and unknowns that a message lists

/* ---- Too many equations ---------------------------------------------------------------- */

typedef struct Tangle { // equations that contend for the same unknowns
    Model *m;
    const System *s;
    uint8_t *in; // for each equation
    uint32_t equations;
    const Expr *unknown[64];
    uint32_t unknowns;
    bool grown;
} Tangle;

static bool tangle_unknown(void *user, const Expr *e)
{
    Tangle *t = user;
    if (!is_unknown(t->m, e))
        return true;
    for (uint32_t k = 0; k < t->unknowns; k++)
        if (t->unknown[k] == e)
            return true;
    if (t->unknowns < 64)
        t->unknown[t->unknowns++] = e;
    return true;
}

/* Adds the equation, the unknowns in it, and the equations that determine
   those. */
static void tangle_add(Tangle *t, uint32_t k)
{
    const Portion *e = system_portion(t->s, k);
    if (t->in[k])
        return;
    t->in[k] = 1;
    t->equations++;
    t->grown = true;
    expr_visit(t->m, e->left, tangle_unknown, t);
    expr_visit(t->m, e->right, tangle_unknown, t);
}

static void tangle_grow(Tangle *t)
{
    do {
        t->grown = false;
        for (uint32_t k = 0; k < system_portions(t->s); k++) {
            const Portion *e = system_portion(t->s, k);
            for (uint32_t i = 0; e->target && !t->in[k] && i < t->unknowns;
                 i++) {
                Box a = box_around(t->m, e->target);
                Box b = box_around(t->m, t->unknown[i]);
                if (box_meets(&a, &b))
                    tangle_add(t, k);
            }
        }
    } while (t->grown);
}

static void list_unknowns(const Tangle *t, Buffer *b)
{
    for (uint32_t k = 0; k < t->unknowns && k < SHOWN; k++) {
        buffer_text(b, k ? ", " : "");
        expr_print(t->m, t->unknown[k], b);
    }
    if (t->unknowns > SHOWN)
        buffer_format(b, " and %" PRIu32 " more", t->unknowns - SHOWN);
}

static void report_too_many(Model *m, const System *s, uint32_t k)
{
    Tangle t = {.m = m, .s = s};
    Buffer names = {0};
    uint32_t shown = 0;
    Span at = system_portion(s, k)->at;
    t.in = MODEL_ARRAY(m, uint8_t, system_portions(s));
    if (!t.in)
        return;
    tangle_add(&t, k);
    tangle_grow(&t);
    list_unknowns(&t, &names);
    if (t.unknowns == 0)
        diag_error(m->diags, at,
                   "there is no unknown in this equation: everything in it is "
                   "known from elsewhere");
    else
        diag_error(m->diags, at,
                   "one equation too many: %" PRIu32
                   " equations determine no more than %s. Leave one out, or "
                   "declare as ALGEBR what it should determine",
                   t.equations, buffer_string(&names));
    buffer_free(&names);
    for (uint32_t i = 0; i < system_portions(s) && shown < SHOWN; i++)
        if (t.in[i] && i != k) {
            diag_note(m->diags, system_portion(s, i)->at,
                      "this one is among them");
            shown++;
        }
}

/* ---- Too few ----------------------------------------------------------------------------- */

static void mark(const Model *m, const Variable *v, const Portion *e,
                 uint8_t *covered)
{
    Box b = box_around(m, e->target);
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    assert(covered && v->elements > 0);
    if (v->rank == 0) {
        covered[0] = 1;
        return;
    }
    for (int64_t i = b.low[0]; i <= b.high[0]; i++) {
        if (i < v->low[0] || i > v->high[0])
            continue;
        if (v->rank == 1) {
            covered[i - v->low[0]] = 1;
            continue;
        }
        for (int64_t j = b.low[1]; j <= b.high[1]; j++)
            if (j >= v->low[1] && j <= v->high[1])
                covered[(i - v->low[0]) * columns + (j - v->low[1])] = 1;
    }
}

static void element_name(const Variable *v, uint64_t k, char *name, size_t size)
{
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    if (v->rank == 0)
        snprintf(name, size, "%s", v->name);
    else if (v->rank == 1)
        snprintf(name, size, "%s[%" PRId64 "]", v->name,
                 v->low[0] + (int64_t)k);
    else
        snprintf(name, size, "%s[%" PRId64 ", %" PRId64 "]", v->name,
                 v->low[0] + (int64_t)k / columns,
                 v->low[1] + (int64_t)k % columns);
}

/* Equations that mention the unknown but determine something else. */
static void report_readers(Model *m, const System *s, uint32_t variable)
{
    uint32_t shown = 0;
    for (uint32_t k = 0; k < system_portions(s) && shown < SHOWN; k++) {
        const Portion *e = system_portion(s, k);
        if (!e->target || (!expr_mentions(e->left, EXPR_VARIABLE, variable) &&
                           !expr_mentions(e->right, EXPR_VARIABLE, variable)))
            continue;
        Buffer b = {0};
        expr_print(m, e->target, &b);
        diag_note(m->diags, e->at,
                  "this equation contains it, but determines %s",
                  buffer_string(&b));
        buffer_free(&b);
        shown++;
    }
}

static void report_missing(Model *m, const System *s, uint32_t variable,
                           const uint8_t *covered)
{
    const Variable *v = model_variable(m, variable);
    char name[200];
    uint64_t missing = 0, first = 0;
    for (uint64_t k = v->elements; k-- > 0;)
        if (!covered[k]) {
            missing++;
            first = k;
        }
    if (!missing)
        return;
    element_name(v, first, name, sizeof name);
    if (v->kind == VARIABLE_STATE) {
        if (missing < v->elements)
            diag_warning(m->diags, v->at,
                         "%s%s no equation: the derivative is 0", name,
                         missing > 1 ? " and others have" : " has");
        return;
    }
    diag_error(m->diags, v->at,
               "%s%s not determined: no equation is left for it. Add one, or "
               "make it a REAL if it changes only at events",
               name, missing > 1 ? " and others are" : " is");
    report_readers(m, s, variable);
}

static bool can_miss(const Variable *v)
{
    return v->kind == VARIABLE_STATE || v->kind == VARIABLE_ALGEBR ||
           v->kind == VARIABLE_LOGIC || v->kind == VARIABLE_MEMORY;
}

static void report_too_few(Model *m, const System *s)
{
    uint8_t **covered = MODEL_ARRAY(m, uint8_t *, model_variables(m) + 1);
    for (uint32_t v = 0; !m->broken && v < model_variables(m); v++)
        if (can_miss(model_variable(m, v)))
            covered[v] =
                MODEL_ARRAY(m, uint8_t, model_variable(m, v)->elements);
    for (uint32_t k = 0; !m->broken && k < system_portions(s); k++) {
        const Portion *e = system_portion(s, k);
        if (e->target)
            mark(m, model_variable(m, e->target->which), e,
                 covered[e->target->which]);
    }
    for (uint32_t v = 0; !m->broken && v < model_variables(m); v++)
        if (covered[v])
            report_missing(m, s, v, covered[v]);
}

void structure_report(Model *m, const System *s, bool all)
{
    for (uint32_t k = 0; !all && k < system_portions(s); k++)
        if (!system_portion(s, k)->target)
            report_too_many(m, s, k);
    report_too_few(m, s);
}

/* ---- Values kept from another branch --------------------------------------------------------- */

typedef struct Branches { // taken so far
    const struct Branches *around;
    const Select *select;
    uint32_t branch;
} Branches;

static bool taken(const Branches *b, const Guard *g, bool *other)
{
    *other = false;
    for (; b; b = b->around)
        if (b->select == g->select) {
            *other = b->branch != g->branch;
            return !*other;
        }
    return false;
}

/* Whether a guard is active in these branches: 1 yes, -1 no, 0 it depends on
   *open. */
static int stands(const Branches *b, const Guard *g, const Select **open)
{
    int how = 1;
    for (; g; g = g->select->around) {
        bool other;
        if (taken(b, g, &other))
            continue;
        if (other)
            return -1;
        *open = g->select;
        how = 0;
    }
    return how;
}

/* True if some equation that determines `target` is active in every
   continuation of the branches. */
static bool always_known(const Model *m, const System *s, const Expr *target,
                         const Branches *b, unsigned depth)
{
    const Select *open = NULL;
    Box wanted = box_around(m, target);
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *e = system_portion(s, k);
        const Select *mine = NULL;
        if (!e->target || e->target->which != target->which ||
            e->target->op != target->op)
            continue;
        Box box = box_around(m, e->target);
        if (!box_meets(&box, &wanted))
            continue;
        int how = stands(b, e->guard, &mine);
        if (how == 1)
            return true;
        if (how == 0 && !open)
            open = mine;
    }
    if (!open || depth > 16)
        return false;
    for (uint32_t k = 0; k < open->branches; k++) {
        Branches inside = {b, open, k};
        if (!always_known(m, s, target, &inside, depth + 1))
            return false;
    }
    return true;
}

typedef struct Reader {
    Model *m;
    const System *s;
    const Portion *e;
    const Branches *branches;
} Reader;

static bool reads_kept(void *user, const Expr *e)
{
    const Reader *r = user;
    const Model *m = r->m;
    if (!is_unknown(m, e) || e->op == EXPR_RATE ||
        model_variable(m, e->which)->hidden ||
        always_known(m, r->s, e, r->branches, 0))
        return true;
    diag_warning(r->m->diags, r->e->at,
                 "this reads %s, which not every branch computes: in the "
                 "others %s keeps its last value",
                 model_variable(m, e->which)->name,
                 model_variable(m, e->which)->name);
    return false;
}

/* Unknowns that are determined only in branches. */
static bool *guarded_unknowns(Model *m, const System *s)
{
    bool *guarded = MODEL_ARRAY(m, bool, model_variables(m) + 1);
    for (uint32_t k = 0; guarded && k < system_portions(s); k++) {
        const Portion *e = system_portion(s, k);
        if (e->target && e->guard && e->target->op == EXPR_VARIABLE)
            guarded[e->target->which] = true;
    }
    return guarded;
}

typedef struct Guarded {
    const bool *is;
    bool found;
} Guarded;

static bool find_guarded(void *user, const Expr *e)
{
    Guarded *g = user;
    g->found = g->found || (e->op == EXPR_VARIABLE && g->is[e->which]);
    return !g->found;
}

static void look_at(Model *m, const System *s, const Portion *e, const Guard *g,
                    const Branches *branches)
{
    if (g) {
        Branches own = {branches, g->select, g->branch};
        look_at(m, s, e, g->select->around, &own);
        return;
    }
    Reader r = {m, s, e, branches};
    expr_visit(m, e->value ? e->value : e->right, reads_kept, &r);
}

void structure_kept(Model *m, const System *s)
{
    const bool *guarded = guarded_unknowns(m, s);
    for (uint32_t k = 0; guarded && k < system_portions(s); k++) {
        const Portion *e = system_portion(s, k);
        Guarded g = {guarded, false};
        expr_visit(m, e->value ? e->value : e->right, find_guarded, &g);
        if (g.found)
            look_at(m, s, e, e->guard, NULL);
    }
}
