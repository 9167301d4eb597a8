#include "algebra/structure.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/box.h"

#define SHOWN       6  // equations and unknowns that a message lists
#define SHOWN_LINES 12 // lines

/* Equations and unknowns that belong together: reached from one that has no
   partner, from equations to all unknowns in them and from unknowns to their
   equations (or the other way round). */
typedef struct Tangle {
    const Assignment *a;
    bool *equation, *unknown;
    Vector equations, unknowns; // uint32_t, in the order in which they were met
} Tangle;

static bool tangle_begin(Tangle *t, Assignment *a)
{
    *t = (Tangle){.a = a,
                  .equation = NEW_ARRAY(&a->e.arena, bool, a->equations + 1),
                  .unknown = NEW_ARRAY(&a->e.arena, bool, a->e.unknowns + 1)};
    return t->equation && t->unknown;
}

static void tangle_free(Tangle *t)
{
    vector_free(&t->equations);
    vector_free(&t->unknowns);
}

static const uint32_t *numbers(const Vector *v, uint32_t *n)
{
    *n = (uint32_t)(v->used / sizeof(uint32_t));
    return (const uint32_t *)(const void *)v->bytes;
}

static void meet_equation(Tangle *t, uint32_t k)
{
    if (!t->equation[k] && vector_append(&t->equations, &k, sizeof k))
        t->equation[k] = true;
}

static void meet_unknown(Tangle *t, uint32_t k)
{
    if (!t->unknown[k] && vector_append(&t->unknowns, &k, sizeof k))
        t->unknown[k] = true;
}

static const Portion *portion_of(const Assignment *a, uint32_t equation)
{
    return system_portion(a->e.s, elements_portion(&a->e, equation));
}

/* Equations with an unknown alone on one side are seldom the wrong ones. */
static bool is_plain(const Assignment *a, uint32_t equation)
{
    const Portion *p = portion_of(a, equation);
    return is_unknown(a->e.m, p->left) || is_unknown(a->e.m, p->right);
}

/* From an equation without an unknown. */
static void tangle_from_equation(Tangle *t, uint32_t equation)
{
    const Assignment *a = t->a;
    uint32_t n;
    meet_equation(t, equation);
    (void)numbers(&t->equations, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = numbers(&t->equations, &n)[i];
        for (uint32_t j = a->first[k]; j < a->first[k + 1]; j++) {
            uint32_t u = a->pair[j].unknown;
            meet_unknown(t, u);
            for (uint32_t q = a->head[u]; q != NONE; q = a->next[q])
                if (!assignment_excludes(a, equation, q))
                    meet_equation(t, q);
        }
        (void)numbers(&t->equations, &n);
    }
}

bool structure_tangled(Assignment *a, bool *equation)
{
    Tangle t;
    bool right = tangle_begin(&t, a);
    for (uint32_t k = 0; right && k < a->equations; k++)
        if (a->chosen[k] == NONE)
            tangle_from_equation(&t, k);
    for (uint32_t k = 0; right && k < a->equations; k++)
        equation[k] = t.equation[k];
    tangle_free(&t);
    return right;
}

/* From an unknown without an equation. */
static void tangle_from_unknown(Tangle *t, const UnknownReaders *r,
                                uint32_t unknown)
{
    const Assignment *a = t->a;
    uint32_t n;
    meet_unknown(t, unknown);
    (void)numbers(&t->unknowns, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t u = numbers(&t->unknowns, &n)[i];
        for (uint32_t j = r->first[u]; j < r->first[u + 1]; j++) {
            uint32_t k = r->equation[j];
            if (t->equation[k] || a->chosen[k] == NONE || is_plain(a, k))
                continue;
            meet_equation(t, k);
            meet_unknown(t, a->pair[a->chosen[k]].unknown);
        }
        (void)numbers(&t->unknowns, &n);
    }
}

/* "A, B and C" */
static void list_unknowns(const Tangle *t, Buffer *b)
{
    uint32_t n;
    const uint32_t *u = numbers(&t->unknowns, &n);
    uint32_t shown = n > SHOWN ? SHOWN : n;
    for (uint32_t k = 0; k < shown; k++) {
        buffer_text(b, k == 0 ? "" : k + 1 == n ? " and " : ", ");
        elements_name(&t->a->e, u[k], b);
    }
    if (n > shown)
        buffer_format(b, " and %" PRIu32 " more", n - shown);
}

static uint32_t line_of(const Assignment *a, uint32_t equation)
{
    return model_row(a->e.m, portion_of(a, equation)->row)->line;
}

/* "(lines 4, 5)" */
static void list_lines(const Tangle *t, Buffer *b)
{
    uint32_t n, shown = 0;
    const uint32_t *e = numbers(&t->equations, &n);
    uint32_t line[SHOWN_LINES];
    for (uint32_t k = 0; k < n && shown < SHOWN_LINES; k++) {
        uint32_t own = line_of(t->a, e[k]);
        uint32_t at = shown;
        while (at > 0 && line[at - 1] > own)
            at--;
        if (at > 0 && line[at - 1] == own)
            continue;
        memmove(line + at + 1, line + at, (shown - at) * sizeof *line);
        line[at] = own;
        shown++;
    }
    buffer_text(b, shown == 1 ? "(line " : "(lines ");
    for (uint32_t k = 0; k < shown; k++)
        buffer_format(b, "%s%" PRIu32, k ? ", " : "", line[k]);
    buffer_text(b, shown == SHOWN_LINES ? " ...)" : ")");
}

/* ---- Too many equations ---------------------------------------------------------------- */

/* The equation that is most likely too many: the last one without an unknown
   alone on a side, or the last one. */
static uint32_t culprit_of(const Tangle *t)
{
    uint32_t n, best = NONE;
    const uint32_t *e = numbers(&t->equations, &n);
    for (uint32_t k = 0; k < n; k++) {
        bool plain = is_plain(t->a, e[k]);
        if (best == NONE || (is_plain(t->a, best) && !plain) ||
            (is_plain(t->a, best) == plain && e[k] > best))
            best = e[k];
    }
    return best;
}

static bool find_state(void *user, const Expr *e)
{
    const Expr **found = user;
    if (!*found && e->op == EXPR_VARIABLE && e->reads == READS_STATE)
        *found = e;
    return true;
}

/* Everything in the equation is known. */
static void report_known(Model *m, const Portion *p)
{
    const Expr *state = NULL;
    expr_visit(NULL, p->left, find_state, &state);
    expr_visit(NULL, p->right, find_state, &state);
    if (state)
        diag_error(m->diags, p->at,
                   "there is no unknown in this equation: %s is a STATE, which "
                   "its own equation for %s' determines. Make it an ALGEBR and "
                   "leave out that equation, or leave out this one",
                   model_variable(m, state->which)->name,
                   model_variable(m, state->which)->name);
    else
        diag_error(m->diags, p->at,
                   "there is no unknown in this equation: everything in it is "
                   "known from elsewhere. Leave it out, or declare as ALGEBR "
                   "what it should determine");
    model_tell_part(m, p->row);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void note_others(Tangle *t, uint32_t culprit)
{
    uint32_t n, shown = 0;
    const uint32_t *e = numbers(&t->equations, &n);
    qsort(t->equations.bytes, n, sizeof *e, by_number);
    const Portion *last = NULL;
    for (uint32_t k = 0; k < n && shown < SHOWN; k++) {
        const Portion *p = portion_of(t->a, e[k]);
        if (e[k] == culprit || p == last)
            continue;
        diag_note(t->a->e.m->diags, p->at, "this one is among them");
        last = p;
        shown++;
    }
}

static void report_too_many(Assignment *a, uint32_t equation)
{
    Model *m = a->e.m;
    Tangle t;
    Buffer names = {0}, lines = {0};
    uint32_t n, unknowns;
    if (!tangle_begin(&t, a)) {
        m->broken = true;
        return;
    }
    tangle_from_equation(&t, equation);
    (void)numbers(&t.equations, &n);
    (void)numbers(&t.unknowns, &unknowns);
    if (unknowns == 0) {
        report_known(m, portion_of(a, equation));
    } else {
        uint32_t culprit = culprit_of(&t);
        list_unknowns(&t, &names);
        list_lines(&t, &lines);
        diag_error(m->diags, portion_of(a, culprit)->at,
                   "one equation too many: these %" PRIu32
                   " equations %s determine only %s. Leave one out, most "
                   "likely this one, or declare as ALGEBR what it should "
                   "determine",
                   n, buffer_string(&lines), buffer_string(&names));
        model_tell_part(m, portion_of(a, culprit)->row);
        note_others(&t, culprit);
    }
    buffer_free(&names);
    buffer_free(&lines);
    tangle_free(&t);
}

#define REPORTS_MOST 5

void structure_report(Assignment *a)
{
    uint32_t reports = 0;
    const Portion *last = NULL;
    for (uint32_t k = 0; k < a->equations && reports < REPORTS_MOST; k++) {
        if (a->chosen[k] != NONE || portion_of(a, k) == last)
            continue;
        last = portion_of(a, k); // one message for all elements of a FOR
        report_too_many(a, k);
        reports++;
    }
    structure_missing(a);
}

/* ---- Too few ----------------------------------------------------------------------------- */

/* Equations that mention the unknown but determine something else. */
static void note_readers(const Tangle *t, uint32_t unknown)
{
    const Assignment *a = t->a;
    uint32_t shown = 0;
    const Portion *last = NULL;
    for (uint32_t k = 0; k < a->equations && shown < SHOWN; k++) {
        const Portion *p = portion_of(a, k);
        bool reads = false;
        for (uint32_t j = a->first[k]; j < a->first[k + 1]; j++)
            reads = reads || a->pair[j].unknown == unknown;
        if (!reads || a->chosen[k] == NONE || p == last)
            continue;
        Buffer b = {0};
        elements_name(&a->e, a->pair[a->chosen[k]].unknown, &b);
        diag_note(a->e.m->diags, p->at,
                  "this equation contains it, but determines %s",
                  buffer_string(&b));
        buffer_free(&b);
        last = p;
        shown++;
    }
}

static void tell_loose(const Tangle *t, uint32_t variable)
{
    const Elements *e = &t->a->e;
    uint32_t n;
    const uint32_t *u = numbers(&t->unknowns, &n);
    uint32_t last = NONE;
    model_tell_loose(e->m, variable);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = elements_slot(e, u[k]) / 2;
        if (v != variable && v != last)
            model_tell_loose(e->m, v);
        last = v;
    }
}

static void report_undetermined(Assignment *a, const UnknownReaders *r,
                                uint32_t unknown, uint32_t more)
{
    Model *m = a->e.m;
    Tangle t;
    Buffer names = {0}, lines = {0};
    uint32_t n, unknowns;
    const Variable *v = model_variable(m, elements_slot(&a->e, unknown) / 2);
    if (!tangle_begin(&t, a)) {
        m->broken = true;
        return;
    }
    tangle_from_unknown(&t, r, unknown);
    (void)numbers(&t.equations, &n);
    (void)numbers(&t.unknowns, &unknowns);
    if (n == 0 || unknowns == 1 || more) {
        elements_name(&a->e, unknown, &names);
        diag_error(m->diags, v->at,
                   "%s%s not determined: no equation is left for it. Add one, "
                   "or make it a REAL if it changes only at events",
                   buffer_string(&names), more ? " and others are" : " is");
    } else {
        list_unknowns(&t, &names);
        list_lines(&t, &lines);
        diag_error(
            m->diags, v->at,
            "%s are not determined: %s %s %s all that determine%s them. "
            "Add an equation, or make one of them a REAL if it changes "
            "only at events",
            buffer_string(&names), n == 1 ? "this equation" : "these equations",
            buffer_string(&lines), n == 1 ? "is" : "are", n == 1 ? "s" : "");
    }
    note_readers(&t, unknown);
    if (v->through)
        model_tell_flows(m);
    tell_loose(&t, elements_slot(&a->e, unknown) / 2);
    buffer_free(&names);
    buffer_free(&lines);
    tangle_free(&t);
}

/* A STATE of which nothing determines the derivative stands still; if other
   elements of its array move, that is told. */
static void warn_still(const Assignment *a, uint32_t slot, uint32_t first,
                       uint32_t missing)
{
    const Variable *v = model_variable(a->e.m, slot / 2);
    Buffer name = {0};
    if (missing == v->elements)
        return;
    elements_name(&a->e, first, &name);
    diag_warning(a->e.m->diags, v->at,
                 "%.*s%s no equation: the derivative is 0",
                 (int)(name.v.used - 1), buffer_string(&name),
                 missing > 1 ? " and others have" : " has");
    buffer_free(&name);
}

void structure_missing(Assignment *a)
{
    UnknownReaders r;
    if (!assignment_readers(a, &r)) {
        a->e.m->broken = true;
        return;
    }
    for (uint32_t s = 0; s < a->e.slots && !a->e.m->broken; s++) {
        uint32_t first = NONE, missing = 0;
        if (a->e.first_unknown[s] == NONE)
            continue;
        for (uint64_t k = 0; k < model_variable(a->e.m, s / 2)->elements; k++) {
            uint32_t u = a->e.first_unknown[s] + (uint32_t)k;
            if (a->head[u] != NONE)
                continue;
            first = first == NONE ? u : first;
            missing++;
        }
        if (missing && s % 2 && !a->e.merged)
            warn_still(a, s, first, missing);
        else if (missing && s % 2 == 0)
            report_undetermined(a, &r, first, missing - 1);
    }
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
        if (e->replaced || !e->target || e->target->which != target->which ||
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
        if (!e->replaced && e->target && e->guard &&
            e->target->op == EXPR_VARIABLE)
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
        if (e->replaced)
            continue;
        expr_visit(m, e->value ? e->value : e->right, find_guarded, &g);
        if (g.found)
            look_at(m, s, e, e->guard, NULL);
    }
}
