#include "algebra/jets.h"

#include <string.h>

#include "algebra/box.h"
#include "model/differentiate.h"

#define DERIVATIVE "derivative of "

/* ---- Numbers per row -------------------------------------------------------------------- */

/* Entry k of a table of numbers that begin as NONE. */
uint32_t *jets_entry(Jets *j, Vector *v, uint32_t k)
{
    static const uint32_t none = NONE;
    while (v->used <= k * sizeof none)
        if (!vector_append(v, &none, sizeof none)) {
            j->m->broken = true;
            return NULL;
        }
    return (uint32_t *)(void *)v->bytes + k;
}

uint32_t jets_number(const Vector *v, uint32_t k)
{
    return k < v->used / sizeof(uint32_t)
               ? ((const uint32_t *)(const void *)v->bytes)[k]
               : NONE;
}

/* ---- Derivatives ---------------------------------------------------------------------------- */

static const Expr *rate_of(Jets *j, const Expr *leaf)
{
    Model *m = j->m;
    bool second = leaf->op == EXPR_RATE;
    uint32_t *slot =
        jets_entry(j, second ? &j->rate_rate : &j->value_rate, leaf->which);
    if (!slot)
        return NULL;
    if (*slot == NONE) {
        Variable of = *model_variable(m, leaf->which);
        uint32_t k = model_add_hidden(
            m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
            model_format(m, "%s%s", of.name, second ? "''" : "'"), of.at,
            of.line);
        Variable *v = model_variable(m, k);
        v->rate_of = leaf->which;
        variable_shaped(v, &of);
        *slot = k;
        j->more = true;
    }
    return expr_variable(m, *slot, leaf->arg, leaf->count);
}

static const Expr *moves(void *user, const Expr *leaf)
{
    Jets *j = user;
    Model *m = j->m;
    switch (leaf->op) {
    case EXPR_SYSTEM:
        return leaf->which == SYSTEM_TIME ? expr_number(m, "1.0") : NULL;
    case EXPR_RATE: return rate_of(j, leaf);
    case EXPR_VARIABLE:
        if (model_variable(m, leaf->which)->kind == VARIABLE_STATE)
            return expr_rate(m, leaf->which, leaf->arg, leaf->count);
        return is_unknown(m, leaf) ? rate_of(j, leaf) : NULL;
    default: return NULL;
    }
}

const Expr *jets_derivative(Jets *j, const Expr *e)
{
    return differentiate(j->m, e, moves, j);
}

/* ---- Equations for them ------------------------------------------------------------------------ */

bool jets_wants(const Jets *j, const Expr *e)
{
    if (e->op == EXPR_RATE)
        return jets_number(&j->rate_rate, e->which) != NONE;
    return e->op == EXPR_VARIABLE &&
           jets_number(&j->value_rate, e->which) != NONE;
}

bool jets_is_done(const Jets *j, uint32_t equation)
{
    return jets_number(&j->done, equation) != NONE;
}

const char *jets_words(Model *m, const char *text)
{
    bool again = strncmp(text, DERIVATIVE, strlen(DERIVATIVE)) == 0;
    return model_format(m, again ? "second %s" : DERIVATIVE "%s", text);
}

uint32_t jets_differentiate(Jets *j, uint32_t equation)
{
    Model *m = j->m;
    uint32_t *done = jets_entry(j, &j->done, equation);
    Equation e = *model_equation(m, equation);
    Row row = *model_row(m, e.row);
    if (!done)
        return NONE;
    *done = 0;
    e.left = jets_derivative(j, e.left);
    e.right = jets_derivative(j, e.right);
    e.block = NONE;
    e.order++;
    row.variable = is_unknown(m, e.left) ? e.left->which : NONE;
    row.text = jets_words(m, row.text);
    e.row = model_add_row(m, &row);
    return model_add_equation(m, &e);
}

void jets_free(Jets *j)
{
    vector_free(&j->value_rate);
    vector_free(&j->rate_rate);
    vector_free(&j->done);
}
