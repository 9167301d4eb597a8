#include "algebra/rates.h"

#include <assert.h>

#include "algebra/box.h"
#include "algebra/differentiate.h"

typedef enum Direction { ALONG_TIME, ALONG_SEED } Direction;

typedef struct Moving {
    Model *m;
    Direction direction;
    uint32_t *rate_of_value; // for each variable: that of the ALGEBR, or NONE
    uint32_t *rate_of_rate;  // for each variable: that of the rate of a STATE,
                             // or NONE
    uint32_t variables;      // length of the two arrays
    bool inputs;             // those of LINEARIZE move too, with m->input_seed
    bool grown;
} Moving;

/* ---- Variables that hold derivatives ----------------------------------------------------- */

static uint32_t add_rate(Moving *g, uint32_t variable, const char *mark)
{
    Model *m = g->m;
    const Variable *of = model_variable(m, variable);
    const char *name = model_format(m, "%s%s", of->name, mark);
    uint32_t k = model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL, name,
                                  of->at, of->line);
    Variable *v = model_variable(m, k);
    of = model_variable(m, variable);
    v->rate_of = variable;
    variable_shaped(v, of);
    g->grown = true;
    return k;
}

static const Expr *rate_variable(Moving *g, const Expr *leaf)
{
    bool second = leaf->op == EXPR_RATE;
    assert(leaf->which < g->variables);
    uint32_t *slot =
        &(second ? g->rate_of_rate : g->rate_of_value)[leaf->which];
    if (*slot == NONE)
        *slot = add_rate(g, leaf->which,
                         g->direction == ALONG_SEED ? "~"
                         : second                   ? "''"
                                                    : "'");
    return expr_variable(g->m, *slot, leaf->arg, leaf->count);
}

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
static const Expr *input_moves(Moving *g, const Expr *leaf)
{
    Model *m = g->m;
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

static const Expr *state_moves(Moving *g, const Expr *leaf)
{
    if (g->direction == ALONG_SEED)
        return over_states(g->m, g->m->seed, leaf);
    return expr_rate(g->m, leaf->which, leaf->arg, leaf->count);
}

static const Expr *moves(void *user, const Expr *leaf)
{
    Moving *g = user;
    Model *m = g->m;
    if (leaf->op == EXPR_SYSTEM)
        return leaf->which == SYSTEM_TIME && g->direction == ALONG_TIME
                   ? expr_number(m, "1.0")
                   : NULL;
    if (leaf->op == EXPR_RATE)
        return g->direction == ALONG_SEED
                   ? over_states(m, m->tangent_rate, leaf)
                   : rate_variable(g, leaf);
    if (leaf->op != EXPR_VARIABLE || leaf->which >= g->variables)
        return NULL;
    if (model_variable(m, leaf->which)->kind == VARIABLE_STATE)
        return state_moves(g, leaf);
    if (is_unknown(m, leaf))
        return rate_variable(g, leaf);
    return g->inputs ? input_moves(g, leaf) : NULL;
}

static const Expr *derivative(Moving *g, const Expr *e)
{
    return e ? differentiate(g->m, e, moves, g) : NULL;
}

/* ---- What is needed ------------------------------------------------------------------------ */

static bool wanted(const Moving *g, const Expr *target)
{
    if (target->which >= g->variables || target->type != EXPR_TYPE_REAL)
        return false;
    if (target->op == EXPR_RATE && g->direction == ALONG_SEED)
        return true;
    return (target->op == EXPR_RATE ? g->rate_of_rate
                                    : g->rate_of_value)[target->which] != NONE;
}

static bool block_wanted(const Moving *g, const Block *b)
{
    for (uint32_t k = 0; k < b->parts; k++)
        if (wanted(g, b->part[k].unknown))
            return true;
    return false;
}

static void look(Moving *g, const Steps *steps);

static void look_at_block(Moving *g, const Block *b)
{
    if (!block_wanted(g, b))
        return;
    for (uint32_t k = 0; k < b->parts; k++) {
        rate_variable(g, b->part[k].unknown);
        derivative(g, b->part[k].residual);
    }
    look(g, &b->inner);
}

static void look_at(Moving *g, const Step *s)
{
    if (s->kind == STEP_ASSIGN && wanted(g, s->target))
        derivative(g, s->value);
    look(g, &s->body);
    for (uint32_t k = 0; s->select && k < s->select->branches; k++)
        look(g, &s->branch[k]);
    if (s->kind == STEP_SOLVE)
        look_at_block(g, model_block(g->m, s->block));
}

/* Differentiates what is wanted so far; that may create further wants, of what
   comes before: so it goes backwards. */
static void look(Moving *g, const Steps *steps)
{
    Vector order = {0};
    for (const Step *s = steps->first; s; s = s->next)
        if (!vector_append(&order, &s, sizeof s))
            g->m->broken = true;
    for (size_t k = order.used / sizeof(Step *); k-- > 0 && !g->m->broken;)
        look_at(g, ((const Step *const *)(const void *)order.bytes)[k]);
    vector_free(&order);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static const Expr *target_rate(Moving *g, const Expr *target)
{
    if (target->op == EXPR_RATE && g->direction == ALONG_SEED)
        return over_states(g->m, g->m->tangent_rate, target);
    return rate_variable(g, target);
}

static void put(Moving *g, const Steps *from, Steps *to);

static void put_block(Moving *g, const Step *s, Steps *to)
{
    Model *m = g->m;
    Block b = *model_block(m, s->block);
    if (!block_wanted(g, &b))
        return;
    Block d = b;
    d.part = MODEL_ARRAY(m, BlockPart, b.parts);
    d.inner = (Steps){0};
    d.linear = true;
    d.most = 0;
    if (m->broken)
        return;
    for (uint32_t k = 0; k < b.parts; k++) {
        d.part[k] = b.part[k];
        d.part[k].start = d.part[k].tol = NULL;
        d.part[k].portion = NONE;
        d.part[k].unknown = target_rate(g, b.part[k].unknown);
        d.part[k].residual = derivative(g, b.part[k].residual);
    }
    put(g, &b.inner, &d.inner);
    Step *own = steps_add(m, to, STEP_SOLVE);
    own->equation = s->equation;
    own->block = model_add_block(m, &d);
}

static bool any(const Steps *s)
{
    return s->first != NULL;
}

static void put_select(Moving *g, const Step *s, Steps *to)
{
    Model *m = g->m;
    Steps *branch = MODEL_ARRAY(m, Steps, s->select->branches);
    bool some = false;
    for (uint32_t k = 0; branch && k < s->select->branches; k++) {
        put(g, &s->branch[k], &branch[k]);
        some = some || any(&branch[k]);
    }
    if (!some)
        return;
    Step *own = steps_add(m, to, STEP_SELECT);
    own->select = s->select;
    own->branch = branch;
}

static void put_loop(Moving *g, const Step *s, Steps *to)
{
    Steps body = {0};
    put(g, &s->body, &body);
    if (!any(&body))
        return;
    Step *own = steps_add(g->m, to, STEP_LOOP);
    own->loop = s->loop;
    own->down = s->down;
    own->equation = s->equation;
    own->body = body;
}

static void put(Moving *g, const Steps *from, Steps *to)
{
    for (const Step *s = from->first; s && !g->m->broken; s = s->next)
        switch (s->kind) {
        case STEP_ASSIGN: {
            if (!wanted(g, s->target))
                break;
            const Expr *value = derivative(g, s->value);
            Step *own = steps_add(g->m, to, STEP_ASSIGN);
            own->target = target_rate(g, s->target);
            own->value = value;
            own->equation = s->equation;
            break;
        }
        case STEP_LOOP: put_loop(g, s, to); break;
        case STEP_SELECT: put_select(g, s, to); break;
        case STEP_SOLVE: put_block(g, s, to); break;
        }
}

static bool begin(Moving *g, Model *m, Direction direction)
{
    uint32_t n = model_variables(m);
    *g = (Moving){.m = m,
                  .direction = direction,
                  .rate_of_value = MODEL_ARRAY(m, uint32_t, n + 1),
                  .rate_of_rate = MODEL_ARRAY(m, uint32_t, n + 1),
                  .variables = n};
    for (uint32_t k = 0; !m->broken && k < n; k++)
        g->rate_of_value[k] = g->rate_of_rate[k] = NONE;
    return !m->broken;
}

static void finish(Moving *g, Steps *out)
{
    do {
        g->grown = false;
        look(g, &g->m->simulation.program);
    } while (g->grown && !g->m->broken);
    put(g, &g->m->simulation.program, out);
}

bool rates_of_conditions(Model *m)
{
    Moving g;
    if (!begin(&g, m, ALONG_TIME))
        return false;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Expr *dz = derivative(&g, model_condition(m, k)->z);
        model_condition(m, k)->dz = dz;
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        Relation *r = model_relation(m, k);
        r->da = derivative(&g, r->a);
        r->db = derivative(&g, r->b);
        r->dc = derivative(&g, r->c);
    }
    finish(&g, &m->rates);
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
    if (!model_integrates(m))
        return true;
    add_seeds(m);
    if (!begin(&g, m, ALONG_SEED))
        return false;
    g.variables = m->seed;
    finish(&g, &m->tangent);
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
        const Expr *value = derivative(g, output_value(m, k));
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
    if (!begin(&g, m, ALONG_SEED))
        return false;
    g.variables = given;
    g.inputs = inputs > 0;
    for (uint32_t k = 0; k < outputs && !m->broken; k++)
        derivative(&g, output_value(m, k)); // these are wanted
    finish(&g, &m->linear);
    put_outputs(&g);
    return !m->broken;
}
