#include "lower/lowerer.h"

/* COLLECT, TIMEPERS, HISTOGRAM: statistics of every assignment to a variable.
   The bodies that assign know nothing of them: emit adds the observation after
   each assignment to a variable that has a Statistic. */

/* The Statistic of that kind and variable: one for all frames. */
static uint32_t statistic_of(Lowerer *l, StatisticKind kind, uint32_t variable,
                             const Node *n)
{
    Statistic s = {.kind = kind,
                   .variable = variable,
                   .line = lower_line(l, n->at, n->origin)};
    for (uint32_t k = 0; k < model_statistics(l->m); k++) {
        const Statistic *old = model_statistic(l->m, k);
        if (old->kind != kind)
            continue;
        if (old->variable == variable)
            return k;
        s.number = old->number +
                   (uint32_t)model_variable(l->m, old->variable)->elements;
    }
    return model_add_statistic(l->m, &s);
}

static Statement *lower_item(Lowerer *l, const Node *n, StatisticKind kind,
                             Code *code)
{
    const Meaning *meaning = n->symbol ? meaning_of(l, n->symbol) : &l->lost;
    if (meaning->kind != MEANS_VARIABLE)
        return NULL;
    Statement *s = code_add(l->m, code, STATEMENT_OBSERVE, n->at,
                            lower_line(l, n->at, n->origin));
    s->which = statistic_of(l, kind, meaning->number, n);
    s->row = lower_row(l, n, meaning->number, true);
    return s;
}

/* MEAN (X) and SDEV (X); NULL for any other function. */
const Expr *lower_found(Lowerer *l, const Node *n, const char *name,
                        Place place)
{
    bool mean = name_same(name, "MEAN");
    if (!mean && !name_same(name, "SDEV"))
        return NULL;
    const Node *actual = call_actual(n, 0);
    uint32_t variable = lower_designated(l, actual);
    if (variable == NONE ||
        model_variable(l->m, variable)->kind == VARIABLE_ATTRIBUTE) {
        LOWER_ERROR(l, n, "%s asks for a variable of the program", name);
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    const Expr *at = lower_position(l, actual, place);
    if (!at)
        at = expr_integer(l->m, 0);
    lower_mark_read(l, variable, place);
    model_ask(l->m, variable);
    return expr_make(l->m, mean ? EXPR_MEAN : EXPR_SDEV, EXPR_TYPE_REAL,
                     variable, &at, 1);
}

static const Expr *value_of(Lowerer *l, const Node *n, ExprType type)
{
    return node_absent(n)
               ? NULL
               : lower_fit(l, lower_in_code(l, n, IN_EXPERIMENT), type);
}

static void lower_collect(Lowerer *l, const Node *n, bool quantiles, Code *code)
{
    Statement *s = lower_item(l, n, STATISTIC_COLLECT, code);
    if (s)
        s->flags = quantiles;
}

/* START is also the variable's value at the start. Without it the statistic
   begins with the value that the variable has at this point. */
static void lower_timepers(Lowerer *l, const Node *n, Code *code)
{
    Statement *s = lower_item(l, n, STATISTIC_TIMEPERS, code);
    if (!s)
        return;
    uint32_t variable = model_statistic(l->m, s->which)->variable;
    const Variable *v = model_variable(l->m, variable);
    s->a = value_of(l, n->first, v->type);
    if (!s->a)
        return;
    Statement *set = code_add(l->m, code, STATEMENT_SETTING, n->at, s->line);
    set->flags = SETTING_START | SETTING_TIMEPERS;
    set->which = variable;
    set->row = s->row;
    code_add(l->m, &set->body, STATEMENT_ELEMENT, n->at, s->line)->a = s->a;
}

static void lower_histogram(Lowerer *l, const Node *n, Code *code)
{
    Statement *s = lower_item(l, n, STATISTIC_HISTOGRAM, code);
    if (!s)
        return;
    s->a = value_of(l, n->first, EXPR_TYPE_INTEGER);
    s->b = value_of(l, n->last, EXPR_TYPE_REAL);
    s->c = value_of(l, node_child(n, 1), EXPR_TYPE_REAL);
}

void lower_observe(Lowerer *l, const Node *n, Code *code)
{
    for (const Node *k = n->first->first; k; k = k->next)
        switch (n->kind) {
        case NODE_COLLECT:
            lower_collect(l, k, (n->flags & FLAG_QUANTILES) != 0, code);
            break;
        case NODE_TIMEPERS: lower_timepers(l, k, code); break;
        default: lower_histogram(l, k, code); break;
        }
}
