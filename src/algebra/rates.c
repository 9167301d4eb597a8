#include "algebra/rates.h"

#include <assert.h>

#include "algebra/box.h"
#include "algebra/moving.h"

/* array[first + (i - low) columns + (j - low)] for a variable with indices i,
   j. */
static const Expr *flat_element(Model *m, uint32_t array, uint32_t first,
                                const Expr *of)
{
    const Variable *v = model_variable(m, of->which);
    const Expr *at = expr_integer(m, first);
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    for (uint32_t k = 0; k < v->rank; k++) {
        const Expr *i =
            expr_2(m, EXPR_SUB, of->arg[k], expr_integer(m, v->low[k]));
        if (v->rank == 2 && k == 0)
            i = expr_2(m, EXPR_MUL, i, expr_integer(m, columns));
        at = expr_2(m, EXPR_ADD, at, i);
    }
    return expr_variable(m, array, &at, 1);
}

/* An element of an array over x. */
static const Expr *over_states(Model *m, uint32_t array, const Expr *state)
{
    const Variable *v = model_variable(m, state->which);
    assert(v->kind == VARIABLE_STATE && state->count == v->rank);
    if (v->pool) {
        const Expr *at = expr_make(m, EXPR_PLACE, EXPR_TYPE_INTEGER,
                                   state->which, state->arg, state->count);
        return expr_variable(m, array, &at, 1);
    }
    assert(array != NONE && v->place + v->elements <= m->states);
    return flat_element(m, array, v->place, state);
}

/* An element of an array whose elements are all among linear_inputs. */
static const Expr *input_moves(Model *m, const Expr *leaf)
{
    const Variable *v = model_variable(m, leaf->which);
    uint32_t first = 0;
    while (first < model_linear_inputs(m) &&
           model_linear_input(m, first)->variable != leaf->which)
        first++;
    if (first == model_linear_inputs(m))
        return NULL;
    assert(leaf->count == v->rank && m->input_seed != NONE);
    return flat_element(m, m->input_seed, first, leaf);
}

/* ---- Along time --------------------------------------------------------------------------- */

static const Expr *with_time(void *user, const Expr *leaf)
{
    Moving *g = user;
    Model *m = g->m;
    if (leaf->op == EXPR_SYSTEM)
        return leaf->which == SYSTEM_TIME ? expr_number(m, "1.0") : NULL;
    if (leaf->op == EXPR_RATE)
        return moving_variable(g, leaf);
    if (leaf->op != EXPR_VARIABLE || leaf->which >= g->variables)
        return NULL;
    if (model_variable(m, leaf->which)->kind == VARIABLE_STATE)
        return expr_rate(m, leaf->which, leaf->arg, leaf->count);
    return is_unknown(m, leaf) ? moving_variable(g, leaf) : NULL;
}

static const Expr *rate_with_time(Moving *g, const Expr *rate)
{
    return g->rate_of_rate[rate->which] == NONE ? NULL
                                                : moving_variable(g, rate);
}

/* ---- Along a seed ------------------------------------------------------------------------- */

static const Expr *with_seed(void *user, const Expr *leaf)
{
    Moving *g = user;
    Model *m = g->m;
    const bool *inputs = g->user; // those of LINEARIZE move too
    if (leaf->op == EXPR_RATE)
        return over_states(m, m->tangent_rate, leaf);
    if (leaf->op != EXPR_VARIABLE || leaf->which >= g->variables)
        return NULL;
    if (model_variable(m, leaf->which)->kind == VARIABLE_STATE)
        return over_states(m, m->seed, leaf);
    if (is_unknown(m, leaf))
        return moving_variable(g, leaf);
    return *inputs ? input_moves(m, leaf) : NULL;
}

static const Expr *rate_with_seed(Moving *g, const Expr *rate)
{
    return over_states(g->m, g->m->tangent_rate, rate);
}

static bool begin(Moving *g, Model *m, bool *inputs)
{
    *g = (Moving){.leaf = inputs ? with_seed : with_time,
                  .rate = inputs ? rate_with_seed : rate_with_time,
                  .user = inputs,
                  .of_value = inputs ? "~" : "'",
                  .of_rate = inputs ? "~" : "''"};
    return moving_begin(g, m);
}

bool rates_of_conditions(Model *m)
{
    Moving g;
    if (!begin(&g, m, NULL))
        return false;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Expr *dz = moving_derivative(&g, model_condition(m, k)->z);
        model_condition(m, k)->dz = dz;
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        Relation *r = model_relation(m, k);
        r->da = moving_derivative(&g, r->a);
        r->db = moving_derivative(&g, r->b);
        r->dc = moving_derivative(&g, r->c);
    }
    moving_steps(&g, &m->rates);
    return !m->broken;
}

static void rates_of(Moving *g, const Expr **slope, uint32_t n)
{
    for (uint32_t k = 0; slope && k < n; k++)
        slope[n + k] = moving_derivative(g, slope[k]);
}

bool rates_of_slopes(Model *m)
{
    Moving g;
    uint32_t n = model_senses(m);
    if (n == 0)
        return true;
    if (!begin(&g, m, NULL))
        return false;
    for (uint32_t k = 0; k < model_conditions(m); k++)
        rates_of(&g, model_condition(m, k)->slope, n);
    for (uint32_t k = 0; k < model_relations(m); k++)
        rates_of(&g, model_relation(m, k)->slope, n);
    moving_steps(&g, &m->slope_rates);
    return !m->broken;
}

static uint32_t add_vector(Model *m, const char *name, uint32_t elements)
{
    Span nowhere = {SPAN_NOWHERE, 0, 0};
    uint32_t k =
        model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL, name, nowhere, 0);
    Variable *v = model_variable(m, k);
    v->rank = 1;
    v->low[0] = 0;
    v->high[0] = (int64_t)elements - 1;
    v->elements = elements;
    return k;
}

/* The arrays over x, once for `tangent` and `linear`. */
static void add_seeds(Model *m)
{
    if (!model_integrates(m) || m->seed != NONE)
        return;
    m->seed = add_vector(m, "x~", m->states);
    m->tangent_rate = add_vector(m, "dx~", m->states);
}

bool rates_tangent(Model *m)
{
    Moving g;
    bool inputs = false;
    if (!model_integrates(m))
        return true;
    add_seeds(m);
    if (!begin(&g, m, &inputs))
        return false;
    g.variables = m->seed;
    moving_steps(&g, &m->tangent);
    return !m->broken;
}

static const Expr *output_value(Model *m, uint32_t k)
{
    const LinearPlace *y = model_linear_output(m, k);
    const Variable *v = model_variable(m, y->variable);
    int64_t columns = v->rank == 2 ? v->high[1] - v->low[1] + 1 : 1;
    const Expr *index[2] = {NULL, NULL};
    if (v->rank > 0)
        index[0] = expr_integer(m, v->low[0] + y->at / columns);
    if (v->rank > 1)
        index[1] = expr_integer(m, v->low[1] + y->at % columns);
    return expr_variable(m, y->variable, index, v->rank);
}

/* y[k]~ = derivative of output k. */
static void put_outputs(Moving *g)
{
    Model *m = g->m;
    for (uint32_t k = 0; k < model_linear_outputs(m) && !m->broken; k++) {
        const Expr *at = expr_integer(m, k);
        const Expr *target = expr_variable(m, m->output_rate, &at, 1);
        const Expr *value = moving_derivative(g, output_value(m, k));
        Step *own = steps_add(m, &m->linear, STEP_ASSIGN);
        own->target = target;
        own->value = value;
        own->equation = NONE;
    }
}

bool rates_linear(Model *m)
{
    Moving g;
    uint32_t given = m->seed == NONE ? model_variables(m) : m->seed;
    uint32_t inputs = model_linear_inputs(m);
    uint32_t outputs = model_linear_outputs(m);
    add_seeds(m);
    if (inputs)
        m->input_seed = add_vector(m, "u~", inputs);
    if (outputs)
        m->output_rate = add_vector(m, "y~", outputs);
    bool move = inputs > 0;
    if (!begin(&g, m, &move))
        return false;
    g.variables = given;
    for (uint32_t k = 0; k < outputs && !m->broken; k++)
        moving_derivative(&g, output_value(m, k)); // these are wanted
    moving_steps(&g, &m->linear);
    put_outputs(&g);
    return !m->broken;
}
