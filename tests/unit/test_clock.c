/* Whole runs: the clock, the order of events at one instant, hidden relations,
   what the integrator does after an event. */

#include "run/copies.h"
#include "run/run.h"

#include <stdlib.h>

#include "check.h"
#include "events/calendar.h"
#include "events/stream.h"
#include "plan.h"
#include "solve/block.h"

static const real pi = R(3.14159265358979323846264338327950288);

/* ---- Runs -------------------------------------------------------------------- */

/* Counts messages, if the owner wants to know. */
static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    unsigned *count = c->run;
    (void)line;
    if (count && severity == COSY_WARNING && strstr(text, "RANGE"))
        ++*count;
}

static CosyStatus grow(Cosy *c, CosySegment segment)
{
    if (segment == COSY_SEGMENT_HEAP && calendar_compact(c))
        return COSY_OK;
    return instance_grow(c, segment);
}

static const CosyHost host = {.grow = grow,
                              .refill = stream_refill,
                              .cancel = calendar_cancel,
                              .refuse = instance_refuse,
                              .create = copies_new,
                              .solve = block_solve,
                              .message = message};

/* Starts at x, y; afterwards the plan is what the run left of it. */
static Status go(Run *r, const PlanModel *m, Plan *plan, const RunOptions *o,
                 real x, real y)
{
    CHECK(run_create(r, &m->m, &host, NULL) == STATUS_OK);
    memcpy(r->c->data, plan, sizeof *plan);
    if (m->m.states > 0)
        r->c->x[0] = x;
    if (m->m.states > 1)
        r->c->x[1] = y;
    Status status = run_go(r, o);
    memcpy(plan, r->c->data, sizeof *plan);
    return status;
}

static Status run_plan(const PlanModel *m, Plan *plan, const RunOptions *o,
                       real x[2])
{
    Run r;
    Status status = go(&r, m, plan, o, x[0], x[1]);
    memcpy(x, r.c->x, m->m.states * sizeof(real));
    if (status != STATUS_OK)
        printf("%s\n", r.fault.text);
    run_free(&r);
    return status;
}

static bool noted(const Plan *p, uint32_t k, PlanKind kind, uint32_t which)
{
    return k < p->notes && p->note[k].kind == kind && p->note[k].which == which;
}

/* ---- Right sides ---------------------------------------------------------------- */

/* X' = Y, Y' = -p0. */
static CosyStatus fall(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    dx[0] = x[1];
    dx[1] = -plan_of(c)->p[0];
    return COSY_OK;
}

static CosyStatus oscillate(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return COSY_OK;
}

/* X' = p0, Y' = |X| by the branch of X > 0. */
static CosyStatus magnitude(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    dx[0] = plan_of(c)->p[0];
    dx[1] = c->branch[0] ? x[0] : -x[0];
    return COSY_OK;
}

/* X' = cos t, Y' = 2 when X > 0 (or X >= 0), else -1. */
static CosyStatus two_slopes(Cosy *c, real t, const real *x, real *dx)
{
    (void)x;
    dx[0] = cosy_cos(t);
    dx[1] = c->branch[0] ? R(2.0) : R(-1.0);
    return COSY_OK;
}

static CosyStatus drain(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -cosy_sqrt(x[0]);
    return COSY_OK;
}

/* X' = 1, 0 or 2 in modes 0, 1 and 2. */
static CosyStatus by_mode(Cosy *c, real t, const real *x, real *dx)
{
    static const real slope[] = {R(1.0), R(0.0), R(2.0)};
    (void)t;
    (void)x;
    if (c->head->states)
        dx[0] = slope[plan_of(c)->mode];
    return COSY_OK;
}

/* ---- The bouncing ball ------------------------------------------------------------ */

static CosyStatus bounce(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    (void)which;
    c->x[1] *= R(-0.8);
    return COSY_OK;
}

/* Fifteen bounces against t1 (1 + 2 (e + e^2 + ...)), t1 = sqrt(2 h / g). */
static void check_ball(const char *method, real tol)
{
    PlanModel m;
    Plan plan = {.f = fall,
                 .body = bounce,
                 .p = {R(9.81)},
                 .item = {{plan_state, 0, R(0.0)}}};
    RunOptions o = {.to = R(3.92),
                    .solver = {.method = method, .relerr = R(1e-9)}};
    real fall_time = cosy_sqrt(R(2.0) / R(9.81)), t = fall_time, e = R(1.0);
    real x[2] = {R(1.0), R(0.0)};
    plan_model(&m, 2, 1);
    m.info[0].direction = -1;
    m.info[0].tol = tol;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes >= 15);
    for (uint32_t k = 0; k < 15 && k < plan.notes; k++) {
        real allowed = R(1e-6) + R(20.0) * tol;
        if (!(cosy_abs(plan.note[k].t - t) < allowed))
            printf("%s, bounce %u: %.17g, not %.17g\n", method, (unsigned)k + 1,
                   (double)plan.note[k].t, (double)t);
        CHECK(cosy_abs(plan.note[k].t - t) < allowed);
        e *= R(0.8);
        t += R(2.0) * fall_time * e;
    }
    CHECK(x[0] > R(-1e-3));
}

static void test_ball(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5", "GEAR",
                                          "ADAMS"};
    for (size_t k = 0; k < LENGTH(methods); k++)
        if (method_find(methods[k])) {
            check_ball(methods[k], R(0.0));
            check_ball(methods[k], R(1e-7));
        }
}

/* ---- Time conditions, both ways of time ---------------------------------------------- */

/* Without states as well. */
static void test_time_only(void)
{
    for (int way = -1; way <= 1; way += 2)
        for (int states = 0; states < 2; states++) {
            PlanModel m;
            Plan plan = {.f = by_mode,
                         .item = {{plan_time, 2, way * R(1.5)},
                                  {plan_time, 3, way * R(0.75)},
                                  {plan_time, 1, way * R(0.1)}}};
            RunOptions o = {.to = way * R(2.0)};
            real x[2] = {R(0.0)};
            plan_model(&m, (uint32_t)states, 3);
            CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
            CHECK(plan.notes == 2); // the square only touches
            CHECK(noted(&plan, 0, PLAN_STATE, 2));
            CHECK(noted(&plan, 1, PLAN_STATE, 1));
            CHECK(plan.notes == 2 && cosy_abs(plan.note[1].t - way * R(0.75)) <
                                         R(16.0) * COSY_EPSILON);
        }
}

static void test_backward(void)
{
    PlanModel m;
    Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(0.5)}}};
    RunOptions o = {.from = R(10.0),
                    .to = R(-10.0),
                    .solver = {.method = "DOP853", .relerr = R(1e-10)}};
    real x[2] = {cosy_sin(R(10.0)), cosy_cos(R(10.0))};
    /* sin t = 0.5 along the run, in sixths of pi. */
    static const int at[] = {17, 13, 5, 1, -7, -11, -19};
    plan_model(&m, 2, 1);
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes == LENGTH(at));
    for (uint32_t k = 0; k < LENGTH(at) && k < plan.notes; k++)
        CHECK(cosy_abs(plan.note[k].t - (real)at[k] * pi / R(6.0)) < R(1e-7));
    CHECK(cosy_abs(x[0] + cosy_sin(R(10.0))) < R(1e-7));
    /* Samples would be left out: refused. */
    m.clock[0] = (CosyClockInfo){.parts = 1, .name = "CLK", .period = 1};
    m.m.n_clocks = 1;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_UNSUPPORTED);
}

/* ---- Branches of CASE ------------------------------------------------------------------ */

static void force(real t, const real *x, const real *dx, uint32_t which, real a,
                  real *z, real *dz)
{
    static const real slope[] = {R(0.0), R(1.0), R(-1.0)};
    (void)x;
    (void)dx;
    *dz = slope[which];
    *z = a + slope[which] * (t - R(1.0));
}

/* Mode 0 moves until X = 0 and sticks (mode 1); there the force decides whether
   it breaks away (mode 2). Each mode has its own condition. */
static CosyStatus stick(Cosy *c, PlanKind kind, uint32_t which)
{
    Plan *p = plan_of(c);
    (void)kind;
    p->mode = which == 0 ? 1 : 2;
    p->item[0].z = NULL;
    p->item[1].z = which == 0 ? force : NULL;
    return COSY_OK;
}

static void test_friction(void)
{
    static const struct {
        uint32_t slope;
        real force, tol, leaves; // at this time; 0: never
    } cases[] = {
        {0, R(0.5), R(1e-6), R(1.0)},   {0, R(-0.5), R(1e-6), R(0.0)},
        {1, R(0.0), R(1e-6), R(1.0)},   {2, R(0.0), R(1e-6), R(0.0)},
        {1, R(-0.5), R(1e-6), R(1.5)},  {2, R(0.5), R(1e-6), R(1.0)},
        {1, R(-1e-7), R(1e-6), R(1.0)},
    };
    for (size_t k = 0; k < LENGTH(cases); k++) {
        PlanModel m;
        Plan plan = {.f = by_mode,
                     .body = stick,
                     .item = {{plan_state, 0, R(0.0)},
                              {NULL, cases[k].slope, cases[k].force}}};
        RunOptions o = {.to = R(3.0)};
        real x[2] = {R(-1.0)};
        bool leaves = cases[k].leaves > R(0.0);
        plan_model(&m, 1, 2);
        m.info[0].direction = m.info[1].direction = 1;
        m.info[1].tol = cases[k].tol;
        m.info[1].activates = true;
        CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
        CHECK(plan.notes == (leaves ? 2 : 1));
        CHECK(noted(&plan, 0, PLAN_STATE, 0));
        real moved = leaves ? R(2.0) * (R(3.0) - cases[k].leaves) : R(0.0);
        CHECK(cosy_abs(x[0] - moved) < R(1e-5));
    }
}

/* At the start of a run only true crossings count. */
static void test_start_past(void)
{
    PlanModel m;
    Plan plan = {.f = by_mode,
                 .body = stick,
                 .mode = 1,
                 .item = {{NULL, 0, R(0.0)}, {force, 0, R(0.5)}}};
    RunOptions o = {.to = R(3.0)};
    real x[2] = {R(0.0)};
    plan_model(&m, 1, 2);
    m.info[1].direction = 1;
    m.info[1].activates = true;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes == 0 && x[0] == R(0.0));
}

/* ---- Jumps -------------------------------------------------------------------------------- */

static CosyStatus schedule_one(Cosy *c)
{
    return cosy_schedule(c, 5, COSY_NONE, R(1.0), 0);
}

/* A time event throws X from 1 to -1, across both conditions. */
static CosyStatus throw_down(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)which;
    if (kind == PLAN_TIME)
        c->x[0] = R(-1.0);
    return COSY_OK;
}

static void test_jump(void)
{
    PlanModel m;
    Plan plan = {.f = by_mode,
                 .body = throw_down,
                 .initial = schedule_one,
                 .mode = 1,
                 .item = {{plan_state, 0, R(0.5)},
                          {plan_state, 0, R(0.0)},
                          {plan_state, 0, R(-0.5)},
                          {plan_state, 0, R(-2.0)}}};
    RunOptions o = {.to = R(2.0)};
    real x[2] = {R(1.0)};
    plan_model(&m, 1, 4);
    m.info[1].direction = 1;
    m.info[2].direction = -1;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes == 3);
    CHECK(noted(&plan, 0, PLAN_TIME, 5));
    CHECK(noted(&plan, 1, PLAN_STATE, 0));
    CHECK(noted(&plan, 2, PLAN_STATE, 2));
    CHECK(plan.notes == 3 && plan.note[2].t == R(1.0));
}

/* ---- Hidden relations ---------------------------------------------------------------------- */

static CosyStatus positive(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)t;
    wanted[0] = x[0] > R(0.0);
    return COSY_OK;
}

static CosyStatus not_negative(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)t;
    wanted[0] = x[0] >= R(0.0);
    return COSY_OK;
}

static void hidden_model(PlanModel *m)
{
    plan_model(m, 2, 1);
    m->m.n_relations_info = m->m.branches = 1;
    m->info[0].kind = COSY_HIDDEN;
}

/* Y = integral of |X| = 1 for X from 1 to -1 and back, and the log records
   it. */
static void test_magnitude(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5", "GEAR",
                                          "ADAMS"};
    for (size_t k = 0; k < LENGTH(methods); k++)
        for (int way = -1; way <= 1; way += 2) {
            if (!method_find(methods[k]))
                continue;
            Run r;
            PlanModel m;
            Plan plan = {.f = magnitude,
                         .relations = positive,
                         .p = {-way * R(1.0)},
                         .item = {{plan_state, 0, R(0.0)}}};
            RunOptions o = {
                .to = R(2.0),
                .solver = {.method = methods[k], .relerr = R(1e-8)}};
            hidden_model(&m);
            CHECK(go(&r, &m, &plan, &o, way * R(1.0), R(0.0)) == STATUS_OK);
            CHECK(cosy_abs(r.c->x[1] - R(1.0)) < R(1e-6));
            CHECK(r.c->branch[0] == (way < 0));
            CHECK(r.record.counts[LOG_HIDDEN] <= 3);
            run_free(&r);
        }
}

/* X = sin t begins exactly at zero, where X > 0 is false and X >= 0 is true;
   either way Y is 2 t in the first half and 2 pi - (t - pi) in the second. */
static void test_from_zero(void)
{
    for (int strict = 0; strict < 2; strict++) {
        PlanModel m;
        Plan plan = {.f = two_slopes,
                     .relations = strict ? positive : not_negative,
                     .item = {{plan_state, 0, R(0.0)}}};
        RunOptions o = {.to = R(6.0),
                        .solver = {.method = "DOPRI5", .relerr = R(1e-8)}};
        real x[2] = {R(0.0), R(0.0)};
        hidden_model(&m);
        CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
        CHECK(cosy_abs(x[1] - (R(3.0) * pi - R(6.0))) < R(1e-6));
    }
}

/* A body that puts X exactly on zero, from either side; X then goes up. */
static CosyStatus to_zero(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    (void)which;
    c->x[0] = R(0.0);
    return COSY_OK;
}

static void test_onto_zero(void)
{
    for (int k = 0; k < 8; k++) {
        bool strict = k & 1, above = k & 2, up = k & 4;
        PlanModel m;
        real slope = up ? R(1.0) : R(-1.0);
        Plan plan = {.f = magnitude,
                     .body = to_zero,
                     .initial = schedule_one,
                     .relations = strict ? positive : not_negative,
                     .p = {slope},
                     .item = {{plan_state, 0, R(0.0)}}};
        RunOptions o = {.to = R(2.0), .solver = {.relerr = R(1e-9)}};
        real x[2] = {above ? R(3.0) : R(-3.0), R(0.0)};
        real first = R(3.0) + (above ? slope : -slope) / R(2.0);
        hidden_model(&m);
        CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
        CHECK(cosy_abs(x[1] - (first + R(0.5))) < R(1e-7));
    }
}

/* A side that is right only if it is not taken. */
static CosyStatus contrary(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)x;
    wanted[0] = t < R(1.0) ? 0 : !c->branch[0];
    return COSY_OK;
}

static void test_no_side(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = two_slopes,
                 .initial = schedule_one,
                 .relations = contrary,
                 .item = {{plan_time, 1, R(5.0)}}};
    RunOptions o = {.to = R(2.0)};
    hidden_model(&m);
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_EVENT_LOOP);
    CHECK(strstr(r.fault.text, "no side of A") != NULL);
    CHECK(strstr(r.fault.text, "time 1:") != NULL);
    run_free(&r);
}

/* Each of two relations is the opposite of the other: together they would turn
   for ever, one at a time they agree. */
static CosyStatus opposite(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)t;
    (void)x;
    wanted[0] = !c->branch[1];
    wanted[1] = !c->branch[0];
    return COSY_OK;
}

static void test_one_at_a_time(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = two_slopes, .relations = opposite};
    RunOptions o = {.to = R(1.0)};
    hidden_model(&m);
    m.m.n_relations_info = m.m.branches = 2;
    m.m.n_conditions_info = 0;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(r.c->branch[0] != r.c->branch[1]);
    run_free(&r);
}

/* ---- The model ends -------------------------------------------------------------------------- */

/* X' = -SQRT(X) from 1 reaches zero at t = 2; beyond that there is nothing. */
static void test_drain(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        Run r;
        PlanModel m;
        Plan plan = {.f = drain, .item = {{plan_state, 0, R(0.0)}}};
        RunOptions o = {.to = R(3.0), .solver = {.method = methods[k]}};
        plan_model(&m, 1, 1);
        Status status = go(&r, &m, &plan, &o, R(1.0), R(0.0));
        CHECK(plan.notes > 0 || status != STATUS_OK);
        CHECK(status == STATUS_OK || r.fault.text[0] != '\0');
        real t = plan.notes ? plan.note[0].t : r.c->head->t;
        CHECK(cosy_abs(t - R(2.0)) < R(0.05));
        run_free(&r);
    }
}

/* ---- Clocks ------------------------------------------------------------------------------------ */

static void test_clock_time(void)
{
    CosyClockInfo tenth = {.parts = 1, .period = 1, .places = 1};
    CosyClockInfo three = {.parts = 1, .period = 3, .places = 1};
    CosyClockInfo fine = {.parts = 1, .period = 25, .offset = 5, .places = 3};
    unsigned apart = 0;
    for (int64_t k = 0; k < 10000000; k += 997)
        apart += run_clock_time(&tenth, 3 * k) != run_clock_time(&three, k);
    CHECK(apart == 0);
    CHECK(run_clock_time(&tenth, 3) == R(0.3));
    CHECK(run_clock_time(&tenth, 10000000) == R(1000000.0));
    CHECK(run_clock_time(&tenth, 10000001) == R(1000000.1));
    CHECK(run_clock_time(&fine, 0) == R(0.005));
    CHECK(run_clock_time(&fine, 40) == R(1.005));
}

/* Clocks of 0.1 and 0.3 tick together at every third tick, in their order. */
static void test_samples(void)
{
    PlanModel m;
    Plan plan = {.f = by_mode, .mode = 1};
    RunOptions o = {.to = R(3.0)};
    real x[2] = {R(0.0)};
    unsigned together = 0;
    plan_model(&m, 1, 0);
    m.clock[0] =
        (CosyClockInfo){.parts = 1, .name = "SLOW", .period = 3, .places = 1};
    m.clock[1] =
        (CosyClockInfo){.parts = 1, .name = "FAST", .period = 10, .places = 2};
    m.m.n_clocks = 2;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes == 31 + 11);
    for (uint32_t k = 0; k + 1 < plan.notes; k++)
        if (plan.note[k].t == plan.note[k + 1].t) {
            together++;
            CHECK(plan.note[k].which == 0 && plan.note[k + 1].which == 1);
        }
    CHECK(together == 11);
}

/* ---- Order at one instant ------------------------------------------------------------------------ */

static CosyStatus schedule_some(Cosy *c)
{
    COSY_TRY(cosy_schedule(c, 0, COSY_NONE, R(1.0), 0));
    COSY_TRY(cosy_schedule(c, 1, COSY_NONE, R(1.0), 7));
    COSY_TRY(cosy_schedule(c, 2, COSY_NONE, R(1.0), -7));
    return cosy_schedule(c, 3, COSY_NONE, R(1.0), 0);
}

/* Event 0 plans two more for the same instant, the state event another. */
static CosyStatus schedule_more(Cosy *c, PlanKind kind, uint32_t which)
{
    if (kind == PLAN_TIME && which == 0) {
        COSY_TRY(cosy_schedule(c, 4, COSY_NONE, c->head->t, 0));
        return cosy_schedule(c, 5, COSY_NONE, c->head->t, 1);
    }
    if (kind == PLAN_STATE && which == 1)
        return cosy_schedule(c, 6, COSY_NONE, c->head->t, 0);
    return COSY_OK;
}

static void test_order(void)
{
    static const struct {
        PlanKind kind;
        uint32_t which;
    } order[] = {
        {PLAN_SAMPLE, 0}, {PLAN_TIME, 1},  {PLAN_TIME, 0}, {PLAN_TIME, 5},
        {PLAN_TIME, 3},   {PLAN_TIME, 4},  {PLAN_TIME, 2}, {PLAN_STATE, 1},
        {PLAN_TIME, 6},   {PLAN_STATE, 2},
    };
    PlanModel m;
    Plan plan = {.f = by_mode,
                 .body = schedule_more,
                 .initial = schedule_some,
                 .item = {{plan_time, 1, R(1.5)},
                          {plan_time, 1, R(1.0)},
                          {plan_time, 1, R(1.0)}}};
    RunOptions o = {.to = R(1.25)};
    real x[2] = {R(0.0)};
    plan_model(&m, 1, 3);
    m.clock[0] = (CosyClockInfo){
        .parts = 1, .name = "CLK", .period = 1, .offset = 1, .places = 0};
    m.m.n_clocks = 1;
    CHECK(run_plan(&m, &plan, &o, x) == STATUS_OK);
    CHECK(plan.notes == LENGTH(order));
    for (uint32_t k = 0; k < LENGTH(order) && k < plan.notes; k++) {
        CHECK(noted(&plan, k, order[k].kind, order[k].which));
        CHECK(plan.note[k].t == R(1.0));
    }
}

/* Two conditions that keep triggering each other form a loop, and are named. */
static CosyStatus quarrel(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    c->x[0] = which == 0 ? R(-1.0) : R(1.0);
    return COSY_OK;
}

static void test_endless(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = by_mode,
                 .body = quarrel,
                 .item = {{plan_state, 0, R(0.0)}, {plan_state, 0, R(0.0)}}};
    RunOptions o = {.to = R(3.0), .solver = {.method = "DOPRI5"}};
    plan_model(&m, 1, 2);
    m.info[0].direction = 1;
    m.info[1].direction = -1;
    CHECK(go(&r, &m, &plan, &o, R(-1.0), R(0.0)) == STATUS_EVENT_LOOP);
    CHECK(strstr(r.fault.text, "A -> B") || strstr(r.fault.text, "B -> A"));
    run_free(&r);
}

/* ---- Other kinds of conditions ------------------------------------------------------------------- */

/* X = sin t leaves its range at 0.9 and rings; the run ends where X is above
   0.95, that is at arcsin 0.95; at once if it is so from the start. */
static void test_kinds(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = oscillate,
                 .item = {{plan_state, 0, R(0.9)}, {plan_state, 0, R(0.95)}}};
    RunOptions o = {.to_finish = true, .solver = {.relerr = R(1e-9)}};
    unsigned rings = 0;
    plan_model(&m, 2, 2);
    m.info[0].kind = COSY_RANGE;
    m.info[0].direction = m.info[1].direction = 1;
    m.info[1].kind = COSY_FINISH;
    CHECK(run_create(&r, &m.m, &host, &rings) == STATUS_OK);
    memcpy(r.c->data, &plan, sizeof plan);
    r.c->x[1] = R(1.0);
    CHECK(run_go(&r, &o) == STATUS_OK);
    CHECK(rings == 1);
    CHECK(cosy_abs(r.c->head->t - R(1.2532358975033753)) < R(1e-6));
    CHECK(r.c->x[0] > R(0.95));
    run_free(&r);
    CHECK(run_create(&r, &m.m, &host, &rings) == STATUS_OK);
    memcpy(r.c->data, &plan, sizeof plan);
    r.c->x[0] = R(1.0);
    CHECK(run_go(&r, &o) == STATUS_OK);
    CHECK(r.c->head->t == R(0.0));
    run_free(&r);
}

/* ---- What an event costs --------------------------------------------------------------------------- */

static CosyStatus schedule_ten(Cosy *c)
{
    for (int k = 1; k <= 10; k++)
        COSY_TRY(cosy_schedule(c, 0, COSY_NONE, R(1.9) * (real)k, 0));
    return COSY_OK;
}

static CosyStatus nudge(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    (void)which;
    c->x[0] *= R(1.0) + R(4.0) * COSY_EPSILON;
    return COSY_OK;
}

/* Ten events that change nothing cost the steps they cut and little else; ten
   that move a state in its last place make the integrator restart. */
static void test_untouched(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        uint64_t rhs[3], steps[3];
        for (int way = 0; way < 3; way++) {
            Run r;
            PlanModel m;
            Plan plan = {.f = oscillate,
                         .initial = way ? schedule_ten : NULL,
                         .body = way == 2 ? nudge : NULL};
            RunOptions o = {
                .to = R(20.0),
                .solver = {.method = methods[k], .relerr = R(1e-8)}};
            plan_model(&m, 2, 0);
            CHECK(go(&r, &m, &plan, &o, R(0.0), R(1.0)) == STATUS_OK);
            CHECK(plan.notes == (way ? 10 : 0));
            rhs[way] = r.solver.counts.rhs;
            steps[way] = r.solver.counts.steps;
            run_free(&r);
        }
        if (steps[1] > steps[0] + 20 || rhs[2] < rhs[1] + 10)
            printf("%s: %u %u %u rhs, %u %u %u steps\n", methods[k],
                   (unsigned)rhs[0], (unsigned)rhs[1], (unsigned)rhs[2],
                   (unsigned)steps[0], (unsigned)steps[1], (unsigned)steps[2]);
        CHECK(steps[1] <= steps[0] + 20);
        CHECK(rhs[2] >= rhs[1] + 10);
    }
}

int main(void)
{
    test_ball();
    test_time_only();
    test_backward();
    test_friction();
    test_start_past();
    test_jump();
    test_magnitude();
    test_from_zero();
    test_onto_zero();
    test_no_side();
    test_one_at_a_time();
    test_drain();
    test_clock_time();
    test_samples();
    test_order();
    test_endless();
    test_kinds();
    test_untouched();
    return check_end();
}
