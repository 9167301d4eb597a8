#include "algebra/moving.h"

#include <assert.h>

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

const Expr *moving_variable(Moving *g, const Expr *leaf)
{
    bool second = leaf->op == EXPR_RATE;
    assert(leaf->which < g->variables);
    uint32_t *slot =
        &(second ? g->rate_of_rate : g->rate_of_value)[leaf->which];
    if (*slot == NONE)
        *slot = add_rate(g, leaf->which, second ? g->of_rate : g->of_value);
    return expr_variable(g->m, *slot, leaf->arg, leaf->count);
}

const Expr *moving_derivative(Moving *g, const Expr *e)
{
    return e ? differentiate(g->m, e, g->leaf, g) : NULL;
}

/* Where the derivative of an unknown goes. */
static const Expr *target_rate(Moving *g, const Expr *target)
{
    const Expr *own = target->op == EXPR_RATE ? g->rate(g, target) : NULL;
    return own ? own : moving_variable(g, target);
}

/* ---- What is needed ------------------------------------------------------------------------ */

static bool wanted(Moving *g, const Expr *target)
{
    if (target->which >= g->variables || target->type != EXPR_TYPE_REAL)
        return false;
    return target->op == EXPR_RATE ? g->rate(g, target) != NULL
                                   : g->rate_of_value[target->which] != NONE;
}

static bool block_wanted(Moving *g, const Block *b)
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
        target_rate(g, b->part[k].unknown);
        moving_derivative(g, b->part[k].residual);
    }
    look(g, &b->inner);
}

static void look_at(Moving *g, const Step *s)
{
    if (s->kind == STEP_ASSIGN && wanted(g, s->target))
        moving_derivative(g, s->value);
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
        d.part[k].residual = moving_derivative(g, b.part[k].residual);
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
            const Expr *value = moving_derivative(g, s->value);
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

bool moving_begin(Moving *g, Model *m)
{
    uint32_t n = model_variables(m);
    g->m = m;
    g->variables = n;
    g->rate_of_value = MODEL_ARRAY(m, uint32_t, n + 1);
    g->rate_of_rate = MODEL_ARRAY(m, uint32_t, n + 1);
    for (uint32_t k = 0; !m->broken && k < n; k++)
        g->rate_of_value[k] = g->rate_of_rate[k] = NONE;
    return !m->broken;
}

void moving_steps(Moving *g, Steps *out)
{
    do {
        g->grown = false;
        look(g, &g->m->simulation.program);
    } while (g->grown && !g->m->broken);
    put(g, &g->m->simulation.program, out);
}
