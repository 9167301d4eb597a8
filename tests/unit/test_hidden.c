/* Whole runs with hidden relations of loops and segments, conditions of
   elements, and warnings: chattering, conditions that are zero. */

#include "run/copies.h"
#include "run/run.h"

#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "plan.h"

static const real pi = R(3.14159265358979323846264338327950288);

static char told[4][400]; // the first messages
static unsigned messages;

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    (void)c;
    (void)severity;
    if (messages < LENGTH(told))
        snprintf(told[messages], sizeof told[0], "%u: %s", line, text);
    messages++;
}

static const CosyHost host = {
    .grow = instance_grow, .create = copies_new, .message = message};

static Status go_as(Run *r, const PlanModel *m, Plan *plan, const RunOptions *o,
                    real x, real y, bool slides)
{
    messages = 0;
    CHECK(run_create(r, &m->m, &host, NULL) == STATUS_OK);
    r->slide.able = slides;
    memcpy(r->c->data, plan, sizeof *plan);
    r->c->x[0] = x;
    if (m->m.states > 1)
        r->c->x[1] = y;
    Status status = run_go(r, o);
    memcpy(plan, r->c->data, sizeof *plan);
    return status;
}

static Status go(Run *r, const PlanModel *m, Plan *plan, const RunOptions *o,
                 real x, real y)
{
    return go_as(r, m, plan, o, x, y, true);
}

/* ---- A loop --------------------------------------------------------------------- */

#define ELEMENTS 50

/* FOR K := 1 TO 50: X > (K - 0.5)/50. */
static real edge(uint32_t k)
{
    return ((real)k + R(0.5)) / (real)ELEMENTS;
}

static CosyStatus count_sides(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    dx[0] = plan_of(c)->p[0];
    dx[1] = R(0.0);
    for (uint32_t k = 0; k < ELEMENTS; k++)
        dx[1] += (real)c->branch[3 + k];
    return COSY_OK;
}

static CosyStatus all_edges(Cosy *c, real t, const real *x, const real *dx,
                            CosyCondition *list, uint32_t *count)
{
    (void)c;
    (void)t;
    for (uint32_t k = 0; k < ELEMENTS; k++)
        list[k] = (CosyCondition){0, k, x[0] - edge(k), dx[0], R(0.0), R(0.0)};
    *count = ELEMENTS;
    return COSY_OK;
}

static CosyStatus sides(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)t;
    for (uint32_t k = 0; k < 3; k++)
        wanted[k] = 0;
    for (uint32_t k = 0; k < ELEMENTS; k++)
        wanted[3 + k] = x[0] > edge(k);
    return COSY_OK;
}

static void loop_model(PlanModel *m)
{
    plan_model(m, 2, 1);
    m->info[0].kind = COSY_HIDDEN;
    m->info[0].event = 1;
    m->m.conditions = all_edges;
    m->m.conditions_most = ELEMENTS;
    m->m.n_relations_info = 2;
    m->m.branches = 3 + ELEMENTS;
    m->relation[0].count = 3; // another one stands before it
    m->relation[1].first = 3;
    m->relation[1].count = ELEMENTS;
}

/* Up and down the stairs: Y is the sum of the times above each edge. */
static void test_loop(void)
{
    for (int way = 0; way < 2; way++) {
        Run r;
        PlanModel m;
        Plan plan = {.f = count_sides,
                     .relations = sides,
                     .p = {way ? R(-1.0) : R(1.0)}};
        RunOptions o = {.to = R(1.0), .trace = true};
        loop_model(&m);
        CHECK(go(&r, &m, &plan, &o, way ? R(1.0) : R(0.0), R(0.0)) ==
              STATUS_OK);
        CHECK(cosy_abs(r.c->x[1] - R(25.0)) < R(1e-12));
        CHECK(r.record.counts[LOG_HIDDEN] >= ELEMENTS);
        const LogEntry *e = (const LogEntry *)(const void *)r.record.log.bytes;
        size_t n = r.record.log.used / sizeof *e;
        CHECK(n == ELEMENTS);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t element = way ? ELEMENTS - 1 - k : k;
            real t = way ? R(1.0) - edge(element) : edge(element);
            // the log counts from 1
            CHECK(e[k].which == 1 && e[k].detail == element + 1);
            CHECK(cosy_abs(e[k].t - t) < R(1e-13));
        }
        run_free(&r);
    }
}

/* The same edges as CONDITs: the body is told which. */
static CosyStatus element_event(Cosy *c, uint32_t event, uint32_t copy,
                                uint32_t element)
{
    CHECK(event == 1);
    CHECK(copy == COSY_NONE);
    return plan_body(c, PLAN_STATE, element);
}

static CosyStatus plain(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    dx[0] = plan_of(c)->p[0];
    dx[1] = x[0];
    return COSY_OK;
}

static void test_elements(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = plain, .p = {R(1.0)}};
    RunOptions o = {.to = R(1.0)};
    loop_model(&m);
    m.info[0].kind = COSY_CONDIT;
    m.m.n_relations_info = m.m.branches = 0;
    m.m.state_event = element_event;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(plan.notes == ELEMENTS);
    for (uint32_t k = 0; k < plan.notes; k++) {
        CHECK(plan.note[k].which == k);
        CHECK(cosy_abs(plan.note[k].t - edge(k)) < R(1e-13));
    }
    run_free(&r);
}

/* ---- Segments ------------------------------------------------------------------------ */

/* Y' = INT(3 sin t) downward: over a period Y is -pi. */
static CosyStatus stairs(Cosy *c, real t, const real *x, real *dx)
{
    (void)x;
    dx[0] = R(3.0) * cosy_cos(t);
    dx[1] = (real)c->branch[0];
    return COSY_OK;
}

static CosyStatus segment_edges(Cosy *c, real t, const real *x, const real *dx,
                                CosyCondition *list, uint32_t *count)
{
    real n = (real)c->branch[0];
    (void)t;
    list[0] = (CosyCondition){0, COSY_NONE, x[0] - n, dx[0], R(0.0), R(0.0)};
    list[1] =
        (CosyCondition){1, COSY_NONE, x[0] - n - R(1.0), dx[0], R(0.0), R(0.0)};
    *count = 2;
    return COSY_OK;
}

static CosyStatus segment(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)t;
    wanted[0] = (int32_t)cosy_floor(x[0]);
    return COSY_OK;
}

static void test_segments(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = stairs, .relations = segment};
    RunOptions o = {.to = R(2.0) * pi, .solver = {.relerr = R(1e-9)}};
    plan_model(&m, 2, 2);
    m.info[0].kind = m.info[1].kind = COSY_HIDDEN;
    m.info[0].event = m.info[1].event = 0;
    m.m.conditions = segment_edges;
    m.m.n_relations_info = m.m.branches = 1;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(cosy_abs(r.c->x[1] + pi) < R(1e-7));
    run_free(&r);
}

/* ---- What rings -------------------------------------------------------------------------- */

/* X' = 0.5 - SIGN(X), in a loop: it goes to zero and slides; in a run that must
   not slide it cannot stay there. */
static CosyStatus chatter(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    dx[0] = R(0.5) - (c->branch[3 + 7] ? R(1.0) : R(-1.0));
    dx[1] = R(0.0);
    return COSY_OK;
}

static CosyStatus chatter_sides(Cosy *c, real t, const real *x, int32_t *wanted)
{
    COSY_TRY(sides(c, t, x, wanted));
    wanted[3 + 7] = x[0] > R(0.0);
    return COSY_OK;
}

static CosyStatus chatter_edges(Cosy *c, real t, const real *x, const real *dx,
                                CosyCondition *list, uint32_t *count)
{
    COSY_TRY(all_edges(c, t, x, dx, list, count));
    list[7].z = x[0];
    return COSY_OK;
}

static void test_chatter(void)
{
    static const char *const methods[] = {"DOPRI5", "RADAU5", "GEAR"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        Run r;
        PlanModel m;
        Plan plan = {.f = chatter, .relations = chatter_sides};
        RunOptions o = {.to = R(1e6), .solver = {.method = methods[k]}};
        clock_t begun = clock();
        if (!method_find(methods[k]))
            continue;
        loop_model(&m);
        m.m.conditions = chatter_edges;
        CHECK(go_as(&r, &m, &plan, &o, R(1.0), R(0.0), false) ==
              STATUS_EVENT_LOOP);
        double spent = (double)(clock() - begun) / CLOCKS_PER_SEC;
        if (!strstr(r.fault.text, "B -> B"))
            printf("%s: %s\n", methods[k], r.fault.text);
        CHECK(strstr(r.fault.text, "B -> B") != NULL);
        CHECK(cosy_abs(r.c->head->t - R(2.0)) < R(1e-3));
        printf("%s: stopped at %.9g after %u events, %.2g s\n", methods[k],
               (double)r.c->head->t, (unsigned)r.record.counts[LOG_HIDDEN],
               spent);
        CHECK(spent < 5.0);
        run_free(&r);
    }
}

/* Once it is on its threshold, there is nothing more to do. */
static void test_slide(void)
{
    static const char *const methods[] = {"DOPRI5", "RADAU5", "GEAR"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        Run r;
        PlanModel m;
        Plan plan = {.f = chatter, .relations = chatter_sides};
        RunOptions o = {.to = R(1e6), .solver = {.method = methods[k]}};
        if (!method_find(methods[k]))
            continue;
        loop_model(&m);
        m.m.conditions = chatter_edges;
        CHECK(go(&r, &m, &plan, &o, R(1.0), R(0.0)) == STATUS_OK);
        CHECK(cosy_abs(r.c->x[0]) < R(1e-9));
        CHECK(r.solver.counts.steps < 500);
        CHECK(r.slide.spans.used == sizeof(RunSpan));
        const RunSpan *span =
            (const RunSpan *)(const void *)r.slide.spans.bytes;
        CHECK(span->copy == 7 && span->rest == 0);
        CHECK(cosy_abs(span->from - R(2.0)) < R(1e-5));
        CHECK(span->to == o.to);
        run_free(&r);
    }
}

/* A function that is zero all the time is reported once, by name. */
static CosyStatus at_rest(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    dx[0] = R(0.0);
    dx[1] = R(10.0) * cosy_cos(R(10.0) * t);
    return COSY_OK;
}

static void test_zero(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = at_rest,
                 .item = {{plan_state, 1, R(2.0)}, {plan_state, 0, R(1.0)}}};
    RunOptions o = {.to = R(10.0), .solver = {.relerr = R(1e-6)}};
    plan_model(&m, 2, 2);
    CHECK(go(&r, &m, &plan, &o, R(1.0), R(0.0)) == STATUS_OK);
    CHECK(messages == 1);
    CHECK(strstr(told[0], "11: time ") == told[0]);
    CHECK(strstr(told[0], "the condition B is exactly zero") != NULL);
    CHECK(plan.notes == 0);
    run_free(&r);
}

/* ---- Waves while the states rest ------------------------------------------------------------- */

static CosyStatus rest(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    for (uint32_t k = 0; k < c->head->states; k++)
        dx[k] = R(0.0);
    return COSY_OK;
}

/* SIN(TIME) CROSSES 0.5, even if nothing else makes steps short. */
static void test_rest(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU", "GEAR",
                                          NULL};
    for (size_t k = 0; k < LENGTH(methods); k++)
        for (uint32_t states = 1; states <= 2; states++) {
            Run r;
            PlanModel m;
            Plan plan = {.f = rest, .item = {{plan_sine, 0, R(0.5)}}};
            RunOptions o = {.to = R(100.0) * pi,
                            .solver = {.method = methods[k]}};
            unsigned wrong = 0;
            if (methods[k] && !method_find(methods[k]))
                continue;
            plan_model(&m, states, 1);
            CHECK(go(&r, &m, &plan, &o, R(1.0), R(0.0)) == STATUS_OK);
            for (uint32_t i = 0; i < plan.notes && i < PLAN_NOTES; i++) {
                real phase = i % 2 ? R(5.0) / R(6.0) : R(1.0) / R(6.0);
                real exact = pi * (phase + (real)(i / 2 * 2));
                wrong += cosy_abs(plan.note[i].t - exact) > R(1e-12) * exact;
            }
            printf("%s: %u crossings, %u steps\n",
                   methods[k] ? methods[k] : "default", plan.notes,
                   (unsigned)r.solver.counts.steps);
            CHECK(plan.notes == 100 && wrong == 0);
            CHECK(r.solver.counts.steps < 4000);
            run_free(&r);
        }
}

/* ---- Backward ------------------------------------------------------------------------------ */

/* X = sin t from 2 pi to 0, with its events in the order in which they
   occur. */
static CosyStatus wave(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    dx[0] = cosy_cos(t);
    dx[1] = c->branch[0] ? R(2.0) : R(-1.0);
    return COSY_OK;
}

static CosyStatus above(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)t;
    wanted[0] = x[0] > R(0.5);
    return COSY_OK;
}

static void test_backward(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = wave,
                 .relations = above,
                 .item = {{plan_state, 0, R(0.5)},
                          {plan_state, 0, R(-0.5)},
                          {plan_state, 0, R(0.25)}}};
    RunOptions o = {.from = R(2.0) * pi, .solver = {.relerr = R(1e-9)}};
    plan_model(&m, 2, 3);
    m.info[0].kind = COSY_HIDDEN;
    m.info[0].event = 0;
    m.info[1].direction = -1; // along the run
    m.m.n_relations_info = m.m.branches = 1;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(plan.notes == 3);
    real at[] = {R(2.0) * pi - pi / R(6.0), pi - cosy_asin(R(0.25)),
                 cosy_asin(R(0.25))};
    static const uint32_t which[] = {1, 2, 2};
    for (uint32_t k = 0; k < 3; k++) {
        CHECK(plan.note[k].which == which[k]);
        CHECK(cosy_abs(plan.note[k].t - at[k]) < R(1e-7));
    }
    /* 2 over 2/3 pi, -1 over the rest, backward. */
    CHECK(cosy_abs(r.c->x[1]) < R(1e-7));
    run_free(&r);
}

/* ---- Clocks far out ---------------------------------------------------------------------------- */

static CosyStatus still(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    (void)x;
    dx[0] = R(0.0);
    return COSY_OK;
}

/* After ten million periods: 0.1, 0.25 and 0.3 (from 0.05) at 1e6, 1e6 + 0.1,
   ... exactly, and in their order when they coincide. */
static void test_far_clocks(void)
{
    Run r;
    PlanModel m;
    Plan plan = {.f = still};
    RunOptions o = {.from = R(1000000.0), .to = R(1000001.0)};
    uint32_t ticks[3] = {0};
    plan_model(&m, 1, 0);
    m.clock[0] = (CosyClockInfo){
        .parts = 1, .name = "QUARTER", .period = 25, .places = 2};
    m.clock[1] =
        (CosyClockInfo){.parts = 1, .name = "TENTH", .period = 1, .places = 1};
    m.clock[2] = (CosyClockInfo){
        .parts = 1, .name = "THIRD", .period = 30, .offset = 5, .places = 2};
    m.m.n_clocks = 3;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    for (uint32_t k = 0; k < plan.notes; k++) {
        static const real tenths[] = {R(1000000.0), R(1000000.1), R(1000000.2),
                                      R(1000000.3), R(1000000.4), R(1000000.5),
                                      R(1000000.6), R(1000000.7), R(1000000.8),
                                      R(1000000.9), R(1000001.0)};
        static const real quarters[] = {R(1000000.0), R(1000000.25),
                                        R(1000000.5), R(1000000.75),
                                        R(1000001.0)};
        const PlanNote *n = &plan.note[k];
        uint32_t tick = ticks[n->which]++;
        CHECK(k == 0 || n->t > n[-1].t ||
              (n->t == n[-1].t && n->which > n[-1].which));
        if (n->which == 1)
            CHECK(tick < 11 && n->t == tenths[tick]);
        if (n->which == 0)
            CHECK(tick < 5 && n->t == quarters[tick]);
    }
    CHECK(ticks[0] == 5 && ticks[1] == 11 && ticks[2] == 3);
    run_free(&r);
}

int main(void)
{
    test_loop();
    test_elements();
    test_segments();
    test_chatter();
    test_slide();
    test_zero();
    test_rest();
    test_backward();
    test_far_clocks();
    return check_end();
}
