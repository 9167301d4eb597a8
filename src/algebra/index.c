#include "algebra/index.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/walk.h"

/* What an equation stands on: how often it, or one that it reads a rate of, was
   differentiated. */
typedef struct Depth {
    const Model *m;
    uint32_t *order; // by variable: of the equation that gives its rate
    uint32_t deepest;
} Depth;

static uint32_t order_of(const Model *m, const Portion *p)
{
    return model_equation(m, p->equation)->order;
}

/* An ALGEBR of the modeller. */
static bool is_value(const Model *m, const Portion *p)
{
    return p->target && p->target->op == EXPR_VARIABLE &&
           model_variable(m, p->target->which)->rate_of == NONE;
}

static void deepen(uint32_t *order, uint32_t by)
{
    if (by > *order)
        *order = by;
}

static void note_rate(Depth *d, const Portion *p, uint32_t order)
{
    if (p->target && p->target->op == EXPR_RATE)
        deepen(&d->order[p->target->which], order);
}

/* Unknowns of a circle depend on all of its equations. */
static void look_at_circle(Depth *d, const System *s, const Circle *c)
{
    uint32_t order = 0;
    bool values = false;
    for (uint32_t k = 0; k < c->portions; k++) {
        const Portion *p = system_portion(s, c->portion[k]);
        deepen(&order, order_of(d->m, p));
        values = values || is_value(d->m, p);
    }
    for (uint32_t k = 0; k < c->portions; k++)
        note_rate(d, system_portion(s, c->portion[k]), order);
    if (order)
        deepen(&d->deepest, order + values);
}

static bool see_rate(void *user, const Expr *e)
{
    Depth *d = user;
    if (e->op == EXPR_RATE && d->order[e->which])
        deepen(&d->deepest, d->order[e->which] + 1);
    return true;
}

static void look_at_all(Depth *d, const System *s)
{
    for (uint32_t k = 0; k < system_circles(s); k++)
        look_at_circle(d, s, system_circle(s, k));
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        uint32_t order = p->replaced ? 0 : order_of(d->m, p);
        note_rate(d, p, order);
        if (order)
            deepen(&d->deepest, order + is_value(d->m, p));
    }
    for (uint32_t k = 0; k < system_portions(s); k++) {
        const Portion *p = system_portion(s, k);
        if (p->replaced || !is_value(d->m, p))
            continue;
        expr_visit(NULL, p->left, see_rate, d);
        expr_visit(NULL, p->right, see_rate, d);
    }
}

uint32_t index_of(const Model *m)
{
    Arena own = {0};
    uint32_t n = model_variables(m);
    Depth d = {.m = m, .order = NEW_ARRAY(&own, uint32_t, n + 1)};
    if (model_constraints(m) && d.order)
        look_at_all(&d, &m->simulation);
    arena_free(&own);
    return d.deepest > 1 ? d.deepest : 1;
}

uint32_t index_times(const Model *m, uint32_t k)
{
    const Constraint *c = model_constraint(m, k);
    uint32_t times = 1;
    if (c->order > 0)
        return 0;
    for (uint32_t i = k + 1; i < model_constraints(m); i++) {
        const Constraint *d = model_constraint(m, i);
        if (d->at.start == c->at.start && d->at.file == c->at.file)
            deepen(&times, d->order + 1);
    }
    return times;
}

const char *index_words(uint32_t times)
{
    return times == 1 ? "once" : times == 2 ? "twice" : "several times";
}

void index_tell(const Model *m)
{
    uint32_t index = index_of(m);
    char words[40] = "";
    if (index > 1)
        snprintf(words, sizeof words, " (index %" PRIu32 ")", index);
    for (uint32_t k = 0; k < model_constraints(m); k++) {
        uint32_t times = index_times(m, k);
        if (times && !model_constraint(m, k)->sets &&
            !model_row(m, model_constraint(m, k)->row)->joined)
            diag_remark(m->diags, model_constraint(m, k)->at,
                        "this is a constraint on STATEs: it is differentiated "
                        "%s, and the run keeps to it%s",
                        index_words(times), words);
    }
}
