#include "plan/plan.h"

/* Ways through the expressions of a Model: those of steps, of statements, of a
   whole function. */

bool plan_wants(const FunctionPlan *f, const Step *s)
{
    return (!f->needs || (s->needs & f->needs)) && !(s->needs & f->except);
}

void plan_each_step(const FunctionPlan *f, const Steps *steps, PlanVisit visit,
                    void *user)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (!plan_wants(f, s))
            continue;
        if (s->kind == STEP_ASSIGN) {
            visit(user, s->value);
            for (uint32_t k = 0; k < s->target->count; k++)
                visit(user, s->target->arg[k]);
        } else if (s->kind == STEP_LOOP) {
            plan_each_step(f, &s->body, visit, user);
        } else if (s->kind == STEP_SELECT) {
            visit(user, s->select->selector);
            for (uint32_t k = 0; k < s->select->branches; k++)
                plan_each_step(f, &s->branch[k], visit, user);
        }
    }
}

static void visit_maybe(PlanVisit visit, void *user, const Expr *x)
{
    if (x)
        visit(user, x);
}

void plan_each_code(const Code *code, PlanVisit visit, void *user)
{
    for (const Statement *s = code->first; s; s = s->next) {
        visit_maybe(visit, user, s->target);
        visit_maybe(visit, user, s->a);
        visit_maybe(visit, user, s->b);
        visit_maybe(visit, user, s->c);
        for (uint32_t k = 0; s->list && k < s->n; k++)
            visit_maybe(visit, user, s->list[k]);
        for (uint32_t k = 0; s->printed && k < s->n; k++) {
            visit_maybe(visit, user, s->printed[k].item);
            visit_maybe(visit, user, s->printed[k].width);
            visit_maybe(visit, user, s->printed[k].decimals);
        }
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            plan_each_code(&s->arm[k].code, visit, user);
        plan_each_code(&s->body, visit, user);
        plan_each_code(&s->other, visit, user);
    }
}

void plan_each_node(Plan *p, const Expr *x, PlanVisit visit, void *user)
{
    if (p->mark[x->id] == p->marks)
        return;
    p->mark[x->id] = p->marks;
    visit(user, x);
    for (uint32_t k = 0; k < x->count; k++)
        plan_each_node(p, x->arg[k], visit, user);
}

/* ---- What a function reports -------------------------------------------------------- */

static void relation_roots(const Relation *r, bool rates, PlanVisit visit,
                           void *user)
{
    visit_maybe(visit, user, r->when);
    visit_maybe(visit, user, r->a);
    visit_maybe(visit, user, r->b);
    visit_maybe(visit, user, r->c);
    if (!rates)
        return;
    visit_maybe(visit, user, r->da);
    visit_maybe(visit, user, r->db);
    visit_maybe(visit, user, r->dc);
}

static void each_relation(const Model *m, bool conditions, PlanVisit visit,
                          void *user)
{
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        relation_roots(r, conditions || r->kind == RELATION_HYSTERESIS, visit,
                       user);
    }
}

static void each_condition(const Model *m, PlanVisit visit, void *user)
{
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        visit(user, c->z);
        visit_maybe(visit, user, c->dz);
        visit_maybe(visit, user, c->tol);
        visit_maybe(visit, user, c->priority);
        visit_maybe(visit, user, c->element);
    }
}

static void slopes_of(const Model *m, const Expr **slope, PlanVisit visit,
                      void *user)
{
    for (uint32_t k = 0; slope && k < 2 * model_senses(m); k++)
        visit_maybe(visit, user, slope[k]);
}

static void each_slope(const Model *m, PlanVisit visit, void *user)
{
    for (uint32_t k = 0; k < model_conditions(m); k++)
        slopes_of(m, model_condition(m, k)->slope, visit, user);
    for (uint32_t k = 0; k < model_relations(m); k++) {
        visit_maybe(visit, user, model_relation(m, k)->when);
        slopes_of(m, model_relation(m, k)->slope, visit, user);
    }
}

/* Memories that are updated at accepted points, or delays. */
static void each_memory(const Model *m, bool delays, PlanVisit visit,
                        void *user)
{
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if ((h->kind == MEMORY_DELAY) != delays)
            continue;
        if (!delays && (!h->input || !h->when))
            continue;
        visit(user, delays ? h->input : h->when);
        visit(user, delays ? h->delay : h->input);
    }
}

static void each_entry(const Model *m, PlanVisit visit, void *user)
{
    for (uint32_t k = 0; k < model_entries(m); k++)
        visit_maybe(visit, user, model_entry(m, k)->value);
}

static void each_of_block(const Block *b, bool slopes, PlanVisit visit,
                          void *user)
{
    for (uint32_t k = 0; !slopes && k < b->parts; k++)
        if (b->part[k].n_loops == 0)
            visit(user, b->part[k].residual);
    for (uint32_t k = 0; slopes && b->jacobian && k < b->n * b->n; k++)
        visit_maybe(visit, user, b->jacobian[k]);
}

void plan_each_root(const Plan *p, const FunctionPlan *f, PlanVisit visit,
                    void *user)
{
    const Model *m = p->m;
    for (uint32_t k = 0; k < 2; k++)
        if (f->steps[k])
            plan_each_step(f, f->steps[k], visit, user);
    switch (f->part) {
    case PART_OUTPUTS: each_memory(m, false, visit, user); break;
    case PART_CONDITIONS:
        each_condition(m, visit, user);
        each_relation(m, true, visit, user);
        break;
    case PART_RELATIONS: each_relation(m, false, visit, user); break;
    case PART_DELAYS: each_memory(m, true, visit, user); break;
    case PART_JACOBIAN: each_entry(m, visit, user); break;
    case PART_BLOCK:
        each_of_block(model_block(m, f->block), f->slopes, visit, user);
        break;
    case PART_CONSTRAINTS:
        for (uint32_t k = 0; k < model_constraints(m); k++)
            visit(user, model_constraint(m, k)->g);
        break;
    case PART_SLOPES: each_slope(m, visit, user); break;
    case PART_GRADIENT:
        for (uint32_t k = 0; k < m->gradients; k++)
            visit(user, m->gradient[k].value);
        break;
    case PART_DERIVATIVES:
    case PART_TANGENT:
    case PART_LINEAR:
    case PART_BODY: break;
    }
}
