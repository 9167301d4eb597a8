#include "lower/lowerer.h"

/* SENSITIVITY X, Y WITH P, Q: it holds for all runs of the program, so nothing is left to
   be carried out. SENS (X, P) asks for one of its results. */

static const char *kind_words(VariableKind kind)
{
    switch (kind) {
    case VARIABLE_STATE:
        return "a STATE: to vary its start, write INITCOND X = X0 and name X0";
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY: return "computed by an equation";
    case VARIABLE_DSTATE: return "computed by a difference equation";
    default: return "not a REAL of the program";
    }
}

/* The element that a designator names; false: it is no single number. */
static bool element_of(Lowerer *l, const Node *n, uint32_t variable,
                       uint32_t *element)
{
    const Variable *v = model_variable(l->m, variable);
    const Expr *at = lower_position(l, n, IN_EXPERIMENT);
    *element = 0;
    if (v->rank == 0)
        return true;
    if (!at) {
        LOWER_ERROR(l, n,
                    "a derivative is taken by single numbers, and `%s` is an "
                    "array: name its elements, one by one",
                    v->name);
        return false;
    }
    if (at->op != EXPR_INTEGER) {
        LOWER_ERROR(l, n, "the index must be a constant here");
        return false;
    }
    *element = (uint32_t)at->integer;
    return true;
}

/* Each parameter is there once. */
static uint32_t add_sense(Model *m, const Sense *s)
{
    for (uint32_t k = 0; k < model_senses(m); k++) {
        Sense *had = model_sense(m, k);
        if (had->variable != s->variable || had->element != s->element)
            continue;
        had->asked = had->asked || s->asked;
        had->fitted = had->fitted || s->fitted;
        return k;
    }
    return model_add_sense(m, s);
}

static uint32_t sense_of(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    uint32_t variable = lower_designated(l, n);
    Sense s = {.variable = variable,
               .tau = NONE,
               .asked = true,
               .at = n->at,
               .line = lower_line(l, n->at, n->origin)};
    if (variable == NONE) {
        lower_no_setting(l, n);
        return NONE;
    }
    const Variable *v = model_variable(m, variable);
    if (v->type != EXPR_TYPE_REAL) {
        LOWER_ERROR(l, n,
                    "`%s` is %s, so nothing has a derivative by it: REALs and "
                    "CONSTs that are no whole numbers have",
                    v->name,
                    v->type == EXPR_TYPE_INTEGER ? "an INTEGER" : "a BOOLEAN");
        return NONE;
    }
    if (v->kind != VARIABLE_DISCRETE && v->kind != VARIABLE_CONST) {
        LOWER_ERROR(l, n, "`%s` is no parameter but %s", v->name,
                    kind_words(v->kind));
        return NONE;
    }
    if (!element_of(l, n, variable, &s.element))
        return NONE;
    return add_sense(m, &s);
}

static bool has_derivative(const Variable *v)
{
    switch (v->kind) {
    case VARIABLE_STATE:
    case VARIABLE_ALGEBR:
    case VARIABLE_DISCRETE:
    case VARIABLE_DSTATE:
    case VARIABLE_MEMORY: return v->type == EXPR_TYPE_REAL;
    default: return false;
    }
}

/* Each pair is there once. */
static void add_sensed(Model *m, const Sensed *s)
{
    for (uint32_t k = 0; k < model_senseds(m); k++) {
        Sensed *had = model_sensed(m, k);
        if (had->variable != s->variable || had->sense != s->sense)
            continue;
        had->result = had->result || s->result;
        return;
    }
    model_add_sensed(m, s);
}

static void add_result(Lowerer *l, const Node *n, uint32_t sense)
{
    uint32_t variable = lower_designated(l, n);
    Sensed s = {.variable = variable,
                .sense = sense,
                .result = true,
                .companion = NONE,
                .shown = NONE,
                .at = n->at,
                .line = lower_line(l, n->at, n->origin)};
    if (variable == NONE || !has_derivative(model_variable(l->m, variable)))
        LOWER_ERROR(l, n,
                    "SENSITIVITY gives derivatives of REALs that the model "
                    "computes: STATEs, ALGEBRs and what events assign");
    else
        add_sensed(l->m, &s);
}

void lower_sensitivity(Lowerer *l, const Node *n)
{
    for (const Node *p = n->last->first; p; p = p->next) {
        uint32_t sense = sense_of(l, p);
        if (sense == NONE)
            return;
        for (const Node *x = n->first->first; x; x = x->next)
            add_result(l, x, sense);
    }
}

/* ---- What is asked for ------------------------------------------------------- */

static uint32_t known_sense(Lowerer *l, const Node *n, uint32_t variable)
{
    uint32_t element = 0;
    if (variable == NONE || !element_of(l, n, variable, &element))
        return NONE;
    for (uint32_t k = 0; k < model_senses(l->m); k++) {
        const Sense *s = model_sense(l->m, k);
        if (s->asked && s->variable == variable && s->element == element)
            return k;
    }
    return NONE;
}

uint32_t lower_sens_pair(Lowerer *l, const Node *n)
{
    Model *m = l->m;
    const Node *of = call_actual(n, 0), *by = call_actual(n, 1);
    uint32_t errors = m->diags->errors;
    uint32_t variable = lower_designated(l, of);
    uint32_t sense = known_sense(l, by, lower_designated(l, by));
    for (uint32_t k = 0; k < model_senseds(m); k++)
        if (model_sensed(m, k)->result &&
            model_sensed(m, k)->variable == variable &&
            model_sensed(m, k)->sense == sense)
            return k;
    if (m->diags->errors == errors)
        LOWER_ERROR(
            l, n,
            "no SENSITIVITY before this asks for the derivative of `%s` "
            "by `%s`: write SENSITIVITY %s WITH %s; in the EXPERIMENT",
            lower_text(l, of), lower_text(l, by), lower_text(l, of),
            lower_text(l, by));
    return NONE;
}

const Expr *lower_sens(Lowerer *l, const Node *n, const char *name, Place place)
{
    if (!name_same(name, "SENS"))
        return NULL;
    uint32_t pair = lower_sens_pair(l, n);
    const Expr *e = lower_expression(l, call_actual(n, 0), place);
    if (pair != NONE &&
        e->count <
            model_variable(l->m, model_sensed(l->m, pair)->variable)->rank)
        LOWER_ERROR(l, n, "say which element of the array");
    if (pair == NONE || e->op != EXPR_VARIABLE)
        return lower_nothing(l, EXPR_TYPE_REAL);
    return expr_make(l->m, EXPR_SENSED, EXPR_TYPE_REAL, pair, e->arg, e->count);
}

/* ---- Searches and fits ----------------------------------------------------------------------- */

static bool may_be_sense(const Model *m, uint32_t variable, const Expr *at)
{
    if (variable == NONE || (at && at->op != EXPR_INTEGER))
        return false;
    const Variable *v = model_variable(m, variable);
    return v->type == EXPR_TYPE_REAL &&
           (v->kind == VARIABLE_DISCRETE || v->kind == VARIABLE_CONST);
}

static void want(Lowerer *l, const FitItem *item, uint32_t sense)
{
    if (item->variable == NONE ||
        model_variable(l->m, item->variable)->type != EXPR_TYPE_REAL)
        return;
    Sensed s = {.variable = item->variable,
                .sense = sense,
                .companion = NONE,
                .shown = NONE,
                .at = model_sense(l->m, sense)->at,
                .line = model_sense(l->m, sense)->line};
    add_sensed(l->m, &s);
}

static bool may_be_senses(const Model *m, const Quest *q,
                          const Expr *const *element)
{
    for (uint32_t k = 0; k < q->n; k++)
        if (!may_be_sense(m, q->variable[k], element[k]))
            return false;
    return true;
}

/* The Sense of parameter k of a search. */
static uint32_t searched(Lowerer *l, const Node *n, const Quest *q,
                         const Expr *const *element, uint32_t k)
{
    Sense s = {.variable = q->variable[k],
               .element = element[k] ? (uint32_t)element[k]->integer : 0,
               .tau = NONE,
               .fitted = q->fit != NULL,
               .at = n->at,
               .line = lower_line(l, n->at, n->origin)};
    return add_sense(l->m, &s);
}

void lower_fit_senses(Lowerer *l, const Node *n, const Quest *q,
                      const Expr *const *element)
{
    if (!may_be_senses(l->m, q, element))
        return;
    for (uint32_t k = 0; k < q->n; k++) {
        uint32_t sense = searched(l, n, q, element, k);
        for (uint32_t i = 0; i < q->fit->n; i++)
            for (uint32_t j = 0; j < q->fit->data[i].observed; j++) {
                want(l, &q->fit->data[i].observe[j].item, sense);
                want(l, &q->fit->data[i].observe[j].noise, sense);
            }
    }
}

/* One parameter without conditions is found by comparing values, and a global search
   compares them, too. */
static bool uses_derivatives(const Quest *q)
{
    if (q->kind == SEARCH_SOLVE)
        return q->n > 1;
    if (q->global)
        return false;
    if (q->method && !name_same(q->method, "AUTO"))
        return name_same(q->method, "SLSQP") || name_same(q->method, "LBFGS");
    return q->n > 1 || q->results > 1;
}

void lower_search_senses(Lowerer *l, const Node *n, Quest *q,
                         const Expr *const *element)
{
    if (!uses_derivatives(q) || !may_be_senses(l->m, q, element))
        return;
    q->by = MODEL_ARRAY(l->m, uint32_t, q->n);
    for (uint32_t k = 0; q->by && k < q->n; k++)
        q->by[k] = searched(l, n, q, element, k);
}
