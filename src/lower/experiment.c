#include "lower/field.h"

#include <math.h>

#include "base/method_facts.h"

/* EXPERIMENT: settings before the runs, and the runs. */

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind)
{
    return code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
}

static const Expr *real_of(Lowerer *l, const Node *n)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT),
                                      EXPR_TYPE_REAL);
}

/* ---- Lists --------------------------------------------------------------------- */

/* How often an element of a list counts; NULL: once. */
static const Expr *times_of(Lowerer *l, const Node *element)
{
    const Node *count = node_child(element, 1);
    return node_absent(count)
               ? NULL
               : lower_fit(l, lower_in_code(l, count, IN_EXPERIMENT),
                           EXPR_TYPE_INTEGER);
}

static void lower_element(Lowerer *l, const Node *n, Code *code)
{
    Statement *s = add(l, n, code, STATEMENT_ELEMENT);
    s->a = real_of(l, n);
    if (n->kind != NODE_ELEMENT)
        return;
    s->a = real_of(l, n->first);
    s->b = times_of(l, n);
    s->c = real_of(l, n->last);
}

static Statement *setting(Lowerer *l, const Node *n, Code *code, uint32_t flags,
                          const Expr *at)
{
    uint32_t variable = lower_started(l, n->first);
    Statement *s = add(l, n, code, STATEMENT_SETTING);
    s->flags = flags;
    s->which = variable;
    if (flags && variable != NONE) {
        Variable *v = model_variable(l->m, variable);
        v->guessed = v->kind == VARIABLE_ALGEBR && !v->started;
    }
    s->a = at;
    s->row = lower_row(l, n, variable, true);
    return s;
}

/* Whether this is a set of values for all elements of the array. */
static bool is_set(Lowerer *l, const Node *element, uint32_t variable)
{
    const Variable *v = model_variable(l->m, variable);
    const Node *list = element->first;
    if (list->kind != NODE_LIST)
        LOWER_ERROR(l, element,
                    "values for the elements of `%s` stand in parentheses of "
                    "their own: ((a, b, ...), (c, d, ...)), a set for each run",
                    v->name);
    else if (node_count(list) != v->elements)
        LOWER_ERROR(l, list,
                    "`%s` has %llu elements, but there are %u values here",
                    v->name, (unsigned long long)v->elements,
                    (unsigned)node_count(list));
    else if (!node_absent(element->last))
        LOWER_ERROR(l, element->last,
                    "a set of values has no increment: write the sets one by "
                    "one");
    else
        return true;
    return false;
}

/* ((a, b), (c, d)): in the first run every element of the array gets its value
   of the first set, and so on. */
static void lower_sets(Lowerer *l, const Node *n, const Node *sets, Code *code,
                       uint32_t flags)
{
    uint32_t variable = lower_designated(l, n->first);
    uint32_t count = node_count(sets), k = 0;
    uint64_t elements = model_variable(l->m, variable)->elements;
    const Node **next = NEW_ARRAY(l->m->arena, const Node *, count);
    if (!next)
        return;
    for (const Node *e = sets->first; e; e = e->next) {
        if (!is_set(l, e, variable))
            return;
        next[k++] = e->first->first;
    }
    for (uint64_t i = 0; i < elements; i++) {
        Statement *s =
            setting(l, n, code, flags, expr_integer(l->m, (int64_t)i));
        k = 0;
        for (const Node *e = sets->first; e; e = e->next, k++) {
            Statement *value = add(l, next[k], &s->body, STATEMENT_ELEMENT);
            value->a = real_of(l, next[k]);
            value->b = times_of(l, e);
            next[k] = next[k]->next;
        }
    }
}

void lower_no_setting(Lowerer *l, const Node *n)
{
    uint32_t pool;
    if (lower_refused(l, n))
        return;
    if (n->kind == NODE_SELECT &&
        lower_copy_position(l, n->first, IN_EXPERIMENT, &pool))
        LOWER_ERROR(l, n,
                    "copies are there only during a run: set a variable of the "
                    "program, which WHERE or INITIAL of the process reads");
    else
        LOWER_ERROR(
            l, n,
            "this has no value that can be set before a run: a CONST that "
            "shapes the model is set by --set");
}

static void lower_setting(Lowerer *l, const Node *n, Code *code, uint32_t flags)
{
    const Node *values = n->last;
    if (lower_designated(l, n->first) == NONE) {
        lower_no_setting(l, n->first);
        return;
    }
    if (values->kind != NODE_VALUES) {
        Statement *s = setting(l, n, code, flags,
                               lower_position(l, n->first, IN_EXPERIMENT));
        Statement *e = add(l, values, &s->body, STATEMENT_ELEMENT);
        e->a = real_of(l, values);
        return;
    }
    for (const Node *e = values->first->first; e; e = e->next)
        if (e->first->kind == NODE_LIST) {
            lower_sets(l, n, values->first, code, flags);
            return;
        }
    Statement *s =
        setting(l, n, code, flags, lower_position(l, n->first, IN_EXPERIMENT));
    for (const Node *e = values->first->first; e; e = e->next)
        lower_element(l, e, &s->body);
}

static bool reads_no_counter(void *user, const Expr *e)
{
    const Model *m = user;
    return e->op != EXPR_VARIABLE ||
           model_variable(m, e->which)->kind != VARIABLE_COUNTER;
}

/* What stands before the first FRAME is lowered once for each. */
static uint32_t find_start(const Model *m, const StartCondition *s)
{
    for (uint32_t k = 0; k < model_starts(m); k++)
        if (model_start(m, k)->left == s->left &&
            model_start(m, k)->right == s->right &&
            model_start(m, k)->line == s->line)
            return k;
    return NONE;
}

/* INITCOND (a = b). */
static void lower_start(Lowerer *l, const Node *n, Code *code)
{
    StartCondition start = {.left = real_of(l, n->first),
                            .right = real_of(l, n->last),
                            .at = n->at,
                            .line = lower_line(l, n->at, n->origin)};
    const Expr *both = expr_2(l->m, EXPR_SUB, start.left, start.right);
    if (!lower_computes_only(l, both))
        LOWER_ERROR(l, n,
                    "this calls a FUNCTION that draws, prints or does "
                    "something else besides computing, but a condition is "
                    "evaluated many times: assign its value to a REAL before");
    if (!expr_visit(l->m, both, reads_no_counter, l->m))
        LOWER_ERROR(l, n,
                    "a condition holds for whole runs, so it cannot depend on "
                    "the counter of a FOR: write it out for each value");
    uint32_t k = find_start(l->m, &start);
    if (k == NONE) {
        start.row = lower_row(l, n, NONE, false);
        k = model_add_start(l->m, &start);
    }
    Statement *s = add(l, n, code, STATEMENT_START);
    s->which = k;
    s->row = model_start(l->m, k)->row;
}

static void lower_settings(Lowerer *l, const Node *n, Code *code)
{
    uint32_t flags = n->word == WORD_PARAMETER ? 0
                     : n->word == WORD_GUESS   ? SETTING_START | SETTING_GUESS
                                               : SETTING_START;
    for (const Node *s = n->first->first; s; s = s->next)
        if (s->kind == NODE_EQUATION)
            lower_start(l, s, code);
        else if (flags && s->first->symbol && field_of(l, s->first->symbol))
            lower_field_start(l, s, code);
        else
            lower_setting(l, s, code, flags);
}

/* ---- INTEGRAT ------------------------------------------------------------------- */

static void lower_precision(Lowerer *l, const Node *n)
{
    static const char *const names[] = {"DOUBLE", "EXTENDED", "QUAD"};
    for (uint32_t k = 0; k < LENGTH(names); k++) {
        if (!name_same(names[k], n->text))
            continue;
        if (l->precision && l->precision != k + 1)
            LOWER_ERROR(l, n,
                        "one program runs in one precision: it is %s above",
                        names[l->precision - 1]);
        else
            l->precision = l->m->precision = k + 1;
    }
}

static bool integrat_code(Word word, uint32_t *code)
{
    static const struct {
        Word word;
        IntegratOption option;
    } table[] = {{WORD_RELERR, INTEGRAT_RELERR},
                 {WORD_ABSERR, INTEGRAT_ABSERR},
                 {WORD_DTMIN, INTEGRAT_DTMIN},
                 {WORD_DTMAX, INTEGRAT_DTMAX},
                 {WORD_STEP, INTEGRAT_STEP}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (table[k].word == word) {
            *code = (uint32_t)table[k].option;
            return true;
        }
    return false;
}

static void lower_integrat(Lowerer *l, const Node *n, Code *code)
{
    uint32_t count = node_count(n->first), k = 0;
    uint32_t *names = MODEL_ARRAY(l->m, uint32_t, count + 1);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, count + 1);
    Statement *s = add(l, n, code, STATEMENT_INTEGRAT);
    for (const Node *o = n->first->first; names && list && o; o = o->next) {
        if (o->word == WORD_METHOD)
            s->text = o->text;
        else if (o->word == WORD_PRECISION)
            lower_precision(l, o);
        else if (integrat_code(o->word, &names[k]))
            list[k++] = real_of(l, o->first);
    }
    s->names = names;
    s->list = list;
    s->n = k;
}

/* Checks methods that only DOUBLE has, wherever the precision is given. */
static void check_methods(Lowerer *l, const Node *n)
{
    const MethodFacts *m = n->kind == NODE_OPTION && n->word == WORD_METHOD
                               ? method_facts_find(n->text)
                               : NULL;
    if (m && m->only_double)
        LOWER_ERROR(l, n,
                    "METHOD %s works only in PRECISION = DOUBLE: use RADAU for "
                    "stiff models, DOP853 for others",
                    n->text);
    for (const Node *k = n->first; k; k = k->next)
        check_methods(l, k);
}

/* ---- Statements ------------------------------------------------------------------ */

static void lower_simulate(Lowerer *l, const Node *n, Code *code)
{
    const Node *comint = node_child(n, 2);
    double to;
    Statement *s = add(l, n, code, STATEMENT_SIMULATE);
    s->a = real_of(l, n->first);
    s->b = real_of(l, node_child(n, 1));
    if (s->b && expr_value(l, s->b, &to) && to == INFINITY)
        s->b = NULL; // to FINISH
    s->flags = (n->flags & FLAG_LOG) != 0;
    if (!node_absent(comint))
        s->c = s->flags ? lower_fit(l, lower_in_code(l, comint, IN_EXPERIMENT),
                                    EXPR_TYPE_INTEGER)
                        : real_of(l, comint);
    s->row = lower_row(l, n, NONE, true);
}

static const Expr *whole_of(Lowerer *l, const Node *n)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT),
                                      EXPR_TYPE_INTEGER);
}

static void lower_sweep_item(Lowerer *l, const Node *n, Code *code)
{
    uint32_t variable = lower_designated(l, n->first);
    if (variable == NONE) {
        lower_no_setting(l, n->first);
        return;
    }
    const Expr *at = lower_position(l, n->first, IN_EXPERIMENT);
    Statement *s = add(l, n, code, STATEMENT_SWEEP);
    s->which = variable;
    s->a = at;
    s->row = lower_row(l, n, variable, true);
    if (n->word == WORD_NONE) {
        for (const Node *e = node_child(n, 1)->first->first; e; e = e->next)
            lower_element(l, e, &s->body);
        return;
    }
    Statement *span = add(l, n, &s->body, STATEMENT_SPAN);
    span->a = real_of(l, node_child(n, 1));
    span->b = real_of(l, node_child(n, 2));
    span->c = whole_of(l, n->last);
    span->flags = n->word == WORD_LOG;
    span->row = s->row;
}

static void lower_sweep(Lowerer *l, const Node *n, Code *code)
{
    for (const Node *k = n->first->first; k; k = k->next)
        lower_sweep_item(l, k, code);
}

/* The variable, and its element, that a statement of the experiment follows. */
static void lower_followed(Lowerer *l, const Node *of, Statement *s,
                           const char *what)
{
    s->which = lower_designated(l, of);
    s->target = s->which == NONE ? NULL : lower_position(l, of, IN_EXPERIMENT);
    if (s->which == NONE || model_variable(l->m, s->which)->hidden)
        LOWER_ERROR(l, of, "%s a variable of the program", what);
    else if (!s->target && model_variable(l->m, s->which)->elements > 1)
        LOWER_ERROR(l, of, "%s one element of the array `%s`: name which", what,
                    model_variable(l->m, s->which)->name);
}

static void lower_best(Lowerer *l, const Node *n, Statement *s,
                       const Expr **list)
{
    s->flags |= 4u | (n->word == WORD_MAX ? 8u : 0u);
    list[1] = real_of(l, node_child(n, 1));
    list[2] = real_of(l, node_child(n, 2));
    list[3] = whole_of(l, node_child(n, 3));
    s->c = whole_of(l, node_child(n, 4));
    lower_followed(l, n->first, s, "REPLICATE BEST compares");
}

static void lower_replicate(Lowerer *l, const Node *n, Code *code)
{
    enum { LISTED = 4 };
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, LISTED);
    Statement *s = add(l, n, code, STATEMENT_REPLICATE);
    s->flags = ((n->flags & FLAG_ANTITHETIC) ? 1u : 0u) |
               ((n->flags & FLAG_COMMON) ? 2u : 0u);
    s->row = lower_row(l, n, NONE, true);
    s->which = NONE;
    if (!list)
        return;
    s->list = list;
    s->n = LISTED;
    list[0] = whole_of(l, n->last);
    if (n->word == WORD_MIN || n->word == WORD_MAX) {
        lower_best(l, n, s, list);
    } else if (n->word == WORD_WITHIN) {
        s->b = real_of(l, n->first);
        s->c = whole_of(l, node_child(n, 2));
        lower_followed(l, node_child(n, 1), s,
                       "REPLICATE WITHIN uses the final value of");
    } else {
        s->a = whole_of(l, n->first);
    }
}

static bool is_averaged(const Model *m, uint32_t variable)
{
    for (uint32_t k = 0; k < model_statistics(m); k++) {
        const Statistic *s = model_statistic(m, k);
        if (s->variable == variable && s->kind != STATISTIC_HISTOGRAM)
            return true;
    }
    return false;
}

static void lower_clear(Lowerer *l, const Node *n, Code *code)
{
    Statement *s = add(l, n, code, STATEMENT_CLEAR);
    s->which = NONE;
    if (n->word != WORD_AUTO) {
        s->a = real_of(l, n->first);
        return;
    }
    s->row = lower_row(l, n, NONE, true);
    lower_followed(l, n->first, s, "CLEAR AUTO follows");
}

/* Statistics are known when all of the EXPERIMENT has been lowered. */
static void check_followed(Lowerer *l, const Node *n)
{
    if (n->kind == NODE_CLEAR && n->word == WORD_AUTO) {
        uint32_t variable = lower_designated(l, n->first);
        if (variable != NONE && !is_averaged(l->m, variable))
            LOWER_ERROR(l, n->first,
                        "CLEAR AUTO finds the warm-up from what COLLECT or "
                        "TIMEPERS observe, and `%s` is in neither: write "
                        "COLLECT %s END before SIMULATE",
                        model_variable(l->m, variable)->name,
                        model_variable(l->m, variable)->name);
    }
    for (const Node *k = n->first; k; k = k->next)
        check_followed(l, k);
}

/* Statements before the first FRAME that prepare runs are carried out again at
   the beginning of each FRAME, which has forgotten all lists; what the FRAME says
   itself comes later, and replaces them. */
static void lower_common(Lowerer *l, Code *code)
{
    uint32_t errors = l->unit->diags->errors;
    for (const Node *n = l->common; n && n->kind != NODE_FRAME; n = n->next)
        if (node_prepares(n) && !node_simulates(n))
            lower_code(l, n, code, IN_EXPERIMENT);
    if (l->unit->diags->errors > errors)
        l->common = NULL; // said once
}

static void lower_frame(Lowerer *l, const Node *n, Code *code)
{
    Statement *s = add(l, n, code, STATEMENT_FRAME);
    s->which = ++l->frames;
    lower_common(l, &s->body);
    lower_code(l, n->first, &s->body, IN_EXPERIMENT);
}

bool lower_experiment_statement(Lowerer *l, const Node *n, Code *code)
{
    switch (n->kind) {
    case NODE_FRAME: lower_frame(l, n, code); return true;
    case NODE_SETTINGS: lower_settings(l, n, code); return true;
    case NODE_INTEGRAT: lower_integrat(l, n, code); return true;
    case NODE_SIMULATE: lower_simulate(l, n, code); return true;
    case NODE_SWEEP: lower_sweep(l, n, code); return true;
    case NODE_REPLICATE: lower_replicate(l, n, code); return true;
    case NODE_RANDOMGEN: lower_randomgen(l, n, code); return true;
    case NODE_UNCERTAIN: lower_uncertain(l, n, code); return true;
    case NODE_COLLECT:
    case NODE_TIMEPERS:
    case NODE_HISTOGRAM: lower_observe(l, n, code); return true;
    case NODE_CLEAR: lower_clear(l, n, code); return true;
    case NODE_GRIDCHECK: lower_gridcheck(l, n); return true;
    case NODE_FEATURES:
        add(l, n, code, STATEMENT_FEATURES)->a = real_of(l, n->first);
        return true;
    case NODE_STEADYSTATE: lower_steadystate(l, n, code); return true;
    case NODE_SEARCH: lower_search(l, n, code); return true;
    case NODE_SENSITIVITY: lower_sensitivity(l, n); return true;
    case NODE_FIT: lower_fit_statement(l, n, code); return true;
    case NODE_LINEARIZE: lower_linearize(l, n, code); return true;
    default: return false;
    }
}

static bool has_frames(const Node *list)
{
    for (const Node *n = list->first; n; n = n->next)
        if (n->kind == NODE_FRAME)
            return true;
    return false;
}

/* SIMULATE before the first FRAME is a run of its own, prepared by what stands
   before it; without one, what prepares runs is carried out in the frames only. */
static void lower_frames(Lowerer *l, const Node *list)
{
    bool before = true, runs = false;
    l->common = list->first;
    for (const Node *n = list->first; n && n->kind != NODE_FRAME; n = n->next)
        runs = runs || node_simulates(n);
    for (const Node *n = list->first; n; n = n->next) {
        before = before && n->kind != NODE_FRAME;
        if (!before || runs || !node_prepares(n))
            lower_code(l, n, &l->m->experiment, IN_EXPERIMENT);
    }
    l->common = NULL;
}

/* An experiment without a FRAME counts as one frame. */
void lower_experiment(Lowerer *l, const Node *n)
{
    l->m->has_experiment = true;
    if (has_frames(n->first))
        lower_frames(l, n->first);
    else
        lower_frame(l, n, &l->m->experiment);
    check_followed(l, n);
    lower_once(l);
    lower_check_analyses(l, n);
    if (l->precision > 1)
        check_methods(l, n);
}
