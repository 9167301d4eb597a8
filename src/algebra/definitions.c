#include "algebra/definitions.h"

#include <assert.h>
#include <string.h>

uint32_t definition_slot(const Expr *target)
{
    return 2 * target->which + (target->op == EXPR_RATE);
}

typedef struct Path {
    uint32_t loops[LOOPS_MOST], n_loops;
    const Guard *guard;
} Path;

static void collect(Definitions *d, Model *m, const Steps *steps, Path path);

/* The select as it occurs in the program: sorting may have moved it into
   branches of others. */
static const Select *select_in(Model *m, const Select *s, const Guard *around)
{
    if (s->around == around)
        return s;
    Select *own = MODEL_NEW(m, Select);
    if (!own)
        return s;
    *own = *s;
    own->around = around;
    return own;
}

static void collect_select(Definitions *d, Model *m, const Step *s, Path path)
{
    const Select *select = select_in(m, s->select, path.guard);
    for (uint32_t k = 0; k < s->select->branches; k++) {
        Path inside = path;
        Guard *g = MODEL_NEW(m, Guard);
        if (!g)
            return;
        *g = (Guard){select, k};
        inside.guard = g;
        collect(d, m, &s->branch[k], inside);
    }
}

static void collect_step(Definitions *d, Model *m, const Step *s, Path path)
{
    switch (s->kind) {
    case STEP_ASSIGN: {
        if (model_is_companion(m, s->target->which))
            break;
        Definition own = {.target = s->target,
                          .value = s->value,
                          .n_loops = path.n_loops,
                          .guard = path.guard};
        memcpy(own.loops, path.loops, sizeof own.loops);
        if (!vector_append(&d->memory, &own, sizeof own))
            m->broken = true;
        break;
    }
    case STEP_LOOP:
        assert(path.n_loops < LOOPS_MOST);
        if (path.n_loops < LOOPS_MOST)
            path.loops[path.n_loops++] = s->loop;
        collect(d, m, &s->body, path);
        break;
    case STEP_SELECT: collect_select(d, m, s, path); break;
    case STEP_SOLVE: {
        const Block *b = model_block(m, s->block);
        for (uint32_t k = 0; k < b->parts; k++)
            d->implicit[definition_slot(b->part[k].unknown)] = true;
        break;
    }
    }
}

static void collect(Definitions *d, Model *m, const Steps *steps, Path path)
{
    for (const Step *s = steps->first; s && !m->broken; s = s->next)
        collect_step(d, m, s, path);
}

bool definitions_find(Definitions *d, Model *m)
{
    uint32_t slots = 2 * model_variables(m) + 2;
    *d = (Definitions){.first = MODEL_ARRAY(m, uint32_t, slots),
                       .implicit = MODEL_ARRAY(m, bool, slots),
                       .variables = model_variables(m)};
    if (m->broken)
        return false;
    collect(d, m, &m->simulation.program, (Path){0});
    d->list = (Definition *)(void *)d->memory.bytes;
    d->count = (uint32_t)(d->memory.used / sizeof(Definition));
    for (uint32_t k = 0; k < slots; k++)
        d->first[k] = NONE;
    for (uint32_t k = d->count; k-- > 0;) {
        uint32_t slot = definition_slot(d->list[k].target);
        d->list[k].next = d->first[slot];
        d->first[slot] = k;
    }
    return !m->broken;
}

void definitions_free(Definitions *d)
{
    vector_free(&d->memory);
}

/* ---- Guards as truth values ------------------------------------------------------------------ */

static const Expr *label_condition(Model *m, const Expr *selector, Label l)
{
    if (l.low == l.high)
        return expr_2(m, EXPR_EQ, selector, expr_integer(m, l.low));
    return expr_2(m, EXPR_AND,
                  expr_2(m, EXPR_GE, selector, expr_integer(m, l.low)),
                  expr_2(m, EXPR_LE, selector, expr_integer(m, l.high)));
}

const Expr *branch_condition(Model *m, const Select *s, uint32_t branch)
{
    if (!s->is_case)
        return branch == 0 ? s->selector : expr_1(m, EXPR_NOT, s->selector);
    const Expr *any = expr_truth(m, false);
    if (s->n_labels[branch] == 0) {
        for (uint32_t k = 0; k < s->branches; k++)
            if (s->n_labels[k])
                any = expr_2(m, EXPR_OR, any, branch_condition(m, s, k));
        return expr_1(m, EXPR_NOT, any);
    }
    for (uint32_t k = 0; k < s->n_labels[branch]; k++)
        any = expr_2(m, EXPR_OR, any,
                     label_condition(m, s->selector, s->labels[branch][k]));
    return any;
}

const Expr *guard_condition(Model *m, const Guard *g)
{
    const Expr *all = expr_truth(m, true);
    for (; g; g = g->select->around)
        all =
            expr_2(m, EXPR_AND, branch_condition(m, g->select, g->branch), all);
    return all;
}
