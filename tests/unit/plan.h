#ifndef COSY_TESTS_PLAN_H
#define COSY_TESTS_PLAN_H

/* A model for tests of conditions and events: its data, a Plan, says what it
   does, so that a case is a few lines. Condition k is active while item[k] has
   a function; every body is noted, then plan->body is called.

       PlanModel m;
       plan_model(&m, 2, 1);                  // states, conditions
       m.info[0].direction = -1;
       Plan p = {.f = fall, .item = {{plan_state, 0, R(0.0)}}}; */

#include <string.h>

#include "cosy/model.h"

#define PLAN_ITEMS 8
#define PLAN_NOTES 512

typedef struct Plan Plan;

/* z and dz/dt of an item; `which` and a are the item's. */
typedef void PlanZ(real t, const real *x, const real *dx, uint32_t which,
                   real a, real *z, real *dz);

typedef struct PlanItem {
    PlanZ *z;
    uint32_t which;
    real a;
} PlanItem;

typedef enum PlanKind { PLAN_STATE, PLAN_TIME, PLAN_SAMPLE } PlanKind;

typedef struct PlanNote {
    PlanKind kind;
    uint32_t which;
    real t;
} PlanNote;

struct Plan {
    CosyStatus (*f)(Cosy *c, real t, const real *x, real *dx);
    CosyStatus (*body)(Cosy *c, PlanKind kind, uint32_t which);
    CosyStatus (*initial)(Cosy *c);
    CosyStatus (*relations)(Cosy *c, real t, const real *x, int32_t *wanted);
    PlanItem item[PLAN_ITEMS];
    int64_t mode;
    real p[4];
    uint64_t calls; // calls of `conditions`
    uint32_t notes;
    PlanNote note[PLAN_NOTES];
};

/* A model with its own tables, as a test needs them. */
typedef struct PlanModel {
    CosyModel m;
    CosyVariable variable[4];
    CosyConditionInfo info[PLAN_ITEMS];
    CosyEventInfo event[PLAN_ITEMS];
    CosyClockInfo clock[4];
    CosyRelation relation[4];
} PlanModel;

static inline Plan *plan_of(Cosy *c)
{
    return c->data;
}

static inline void plan_note(Plan *p, PlanKind kind, uint32_t which, real t)
{
    if (p->notes < PLAN_NOTES)
        p->note[p->notes] = (PlanNote){kind, which, t};
    p->notes++;
}

/* ---- Discontinuity functions ---------------------------------------------- */

/* State `which` minus a. */
static inline void plan_state(real t, const real *x, const real *dx,
                              uint32_t which, real a, real *z, real *dz)
{
    (void)t;
    *z = x[which] - a;
    *dz = dx[which];
}

/* (t - a)^which. */
static inline void plan_time(real t, const real *x, const real *dx,
                             uint32_t which, real a, real *z, real *dz)
{
    (void)x;
    (void)dx;
    *z = t - a;
    *dz = R(1.0);
    for (uint32_t k = 1; k < which; k++) {
        *dz = *dz * (t - a) + *z;
        *z *= t - a;
    }
}

static inline void plan_sine(real t, const real *x, const real *dx,
                             uint32_t which, real a, real *z, real *dz)
{
    (void)x;
    (void)dx;
    (void)which;
    *z = cosy_sin(t) - a;
    *dz = cosy_cos(t);
}

/* ---- Entry points ----------------------------------------------------------- */

static inline CosyStatus plan_initial(Cosy *c)
{
    return plan_of(c)->initial ? plan_of(c)->initial(c) : COSY_OK;
}

static inline CosyStatus plan_derivatives(Cosy *c, real t, const real *x,
                                          real *dx)
{
    return plan_of(c)->f(c, t, x, dx);
}

static inline CosyStatus plan_conditions(Cosy *c, real t, const real *x,
                                         const real *dx, CosyCondition *list,
                                         uint32_t *count)
{
    Plan *p = plan_of(c);
    uint32_t n = 0;
    p->calls++;
    for (uint32_t k = 0; k < c->model->n_conditions_info; k++) {
        const PlanItem *i = &p->item[k];
        if (!i->z)
            continue;
        list[n] = (CosyCondition){.id = k, .copy = COSY_NONE};
        i->z(t, x, dx, i->which, i->a, &list[n].z, &list[n].dz);
        n++;
    }
    *count = n;
    return COSY_OK;
}

static inline CosyStatus plan_relations(Cosy *c, real t, const real *x,
                                        int32_t *wanted)
{
    const Plan *p = plan_of(c);
    return p->relations ? p->relations(c, t, x, wanted)
                        : COSY_FAIL(COSY_BUG, 0);
}

static inline CosyStatus plan_body(Cosy *c, PlanKind kind, uint32_t which)
{
    Plan *p = plan_of(c);
    plan_note(p, kind, which, c->head->t);
    return p->body ? p->body(c, kind, which) : COSY_OK;
}

static inline CosyStatus plan_state_event(Cosy *c, uint32_t event,
                                          uint32_t copy, uint32_t element)
{
    (void)copy, (void)element;
    return plan_body(c, PLAN_STATE, event);
}

static inline CosyStatus plan_time_event(Cosy *c, uint32_t event,
                                         uint32_t record)
{
    (void)record;
    return plan_body(c, PLAN_TIME, event);
}

static inline CosyStatus plan_sample(Cosy *c, uint32_t clock)
{
    return plan_body(c, PLAN_SAMPLE, clock);
}

/* ---- Making one ------------------------------------------------------------- */

static inline void plan_tables(PlanModel *m, uint32_t conditions)
{
    static const char *const names[PLAN_ITEMS] = {"A", "B", "C", "D",
                                                  "E", "F", "G", "H"};
    for (uint32_t k = 0; k < PLAN_ITEMS; k++) {
        m->event[k] = (CosyEventInfo){names[k], 10 + k, 0};
        m->info[k] = (CosyConditionInfo){
            .name = names[k], .event = k, .process = COSY_NONE, .line = 10 + k};
    }
    for (uint32_t k = 0; k < 4; k++) {
        m->relation[k] = (CosyRelation){names[k], 20 + k, k, 1, 0};
        m->variable[k] = (CosyVariable)COSY_STATES(names[k], k, 1, "", 1 + k);
    }
    m->m.n_conditions_info = conditions;
    m->m.conditions_info = m->info;
    m->m.n_state_events = m->m.n_time_events = PLAN_ITEMS;
    m->m.state_events = m->m.time_events = m->event;
    m->m.relations_info = m->relation;
    m->m.variables = m->variable;
    m->m.clocks = m->clock;
}

static inline void plan_model(PlanModel *m, uint32_t states,
                              uint32_t conditions)
{
    memset(m, 0, sizeof *m);
    plan_tables(m, conditions);
    m->m.version = COSY_VERSION;
    m->m.precision = COSY_PRECISION;
    m->m.real_size = sizeof(real);
    m->m.name = "PLAN";
    m->m.source = "plan.cosy";
    m->m.hash = "";
    m->m.data_size = sizeof(Plan);
    m->m.states = m->m.n_variables = states;
    m->m.initial = plan_initial;
    m->m.derivatives = plan_derivatives;
    m->m.conditions = plan_conditions;
    m->m.relations = plan_relations;
    m->m.state_event = plan_state_event;
    m->m.time_event = plan_time_event;
    m->m.sample = plan_sample;
}

#endif
