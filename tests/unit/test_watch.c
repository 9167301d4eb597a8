/* State conditions over steps of real integrators, without the clock. */

#include "solve/watch.h"

#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "plan.h"
#include "solve/bracket.h"

static const real pi = R(3.14159265358979323846264338327950288);

/* ---- A solver and a watch on a table --------------------------------------- */

typedef struct Rig {
    Arena arena;
    Image image;
    Fault fault;
    Cosy c;
    CosyHead head;
    Plan plan;
    real x[4];
    int32_t branch[4];
    Solver s;
    Watch w;
} Rig;

/* At `from`, with the two states x and y. */
static void rig_open(Rig *r, const PlanModel *m, const Plan *plan,
                     const SolverOptions *o, real from, real to, real x, real y)
{
    memset(r, 0, sizeof *r);
    r->plan = *plan;
    r->head = (CosyHead){
        .t = from, .t_begin = from, .t_end = to, .states = m->m.states};
    r->c = (Cosy){.model = &m->m,
                  .head = &r->head,
                  .data = &r->plan,
                  .x = r->x,
                  .branch = r->branch};
    CHECK(solver_create(&r->s, &r->c, o, &r->arena, &r->image, &r->fault) ==
          STATUS_OK);
    CHECK(solver_resize(&r->s, m->m.states) == STATUS_OK);
    if (m->m.states > 0)
        r->s.x[0] = x;
    if (m->m.states > 1)
        r->s.x[1] = y;
    r->s.t = from;
    r->s.direction = to < from ? -1 : 1;
    CHECK(r->s.method->start(&r->s) == STATUS_OK);
    CHECK(watch_create(&r->w, &r->c, &r->arena, &r->image) == STATUS_OK);
    CHECK(watch_enter(&r->w, from, r->s.x, r->s.dx) == STATUS_OK);
}

static void rig_close(Rig *r)
{
    solver_free(&r->s);
    watch_free(&r->w);
    arena_free(&r->arena);
}

/* Steps until something crosses; false at the end. */
static bool rig_go(Rig *r)
{
    Solver *s = &r->s;
    bool crossed = false;
    while (!crossed && s->t != r->head.t_end) {
        Status status = s->method->step(s, r->head.t_end);
        if (status == STATUS_OK)
            status = watch_step(&r->w, s, &crossed);
        CHECK(status == STATUS_OK);
        if (status != STATUS_OK)
            return false;
        r->head.t = s->t;
    }
    return crossed;
}

/* Number of the first condition that is marked, COSY_NONE if none. */
static uint32_t rig_take(Rig *r)
{
    Watched which;
    return watch_take(&r->w, false, &which) ? which.id : COSY_NONE;
}

/* After a body, which may have changed x: the integrator restarts. */
static void rig_after(Rig *r)
{
    CHECK(r->s.method->start(&r->s) == STATUS_OK);
    CHECK(watch_event(&r->w, r->s.t, r->s.x, r->s.dx) == STATUS_OK);
}

static const Watched *rig_entry(const Rig *r, uint32_t k)
{
    return (const Watched *)(const void *)r->w.list.bytes + k;
}

/* ---- Right sides ------------------------------------------------------------ */

static CosyStatus oscillate(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return COSY_OK;
}

/* X' = Y, Y' = -1: free fall. */
static CosyStatus fall(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = R(-1.0);
    return COSY_OK;
}

/* X' = Y, Y' = 0. */
static CosyStatus drift(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = R(0.0);
    return COSY_OK;
}

/* X' = 2 (t - 1): a parabola that touches zero. */
static CosyStatus touch(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    dx[0] = R(2.0) * (t - R(1.0));
    return COSY_OK;
}

static CosyStatus nothing(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    (void)x;
    (void)dx;
    return COSY_OK;
}

/* X' = -1 - SQRT(X): the model ends at X = 0. */
static CosyStatus dive(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = R(-1.0) - cosy_sqrt(x[0]);
    return COSY_OK;
}

/* ---- Crossing times ----------------------------------------------------------- */

/* All crossings of sin t through 0.5 up to t = 20, with `direction`. */
static void check_times(const char *method, real relerr, real tol,
                        CosyScheme scheme, int direction)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = method, .relerr = relerr};
    Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(0.5)}}};
    unsigned found = 0, expected = 0;

    plan_model(&m, 2, 1);
    m.info[0].direction = direction;
    m.info[0].tol = tol;
    m.info[0].scheme = scheme;
    rig_open(&r, &m, &plan, &o, R(0.0), R(20.0), R(0.0), R(1.0));
    for (int k = 0; k < 8; k++) {
        int rises = k % 2 == 0;
        real exact = R(2.0) * pi * (real)(k / 2) +
                     (rises ? pi / R(6.0) : R(5.0) * pi / R(6.0));
        if (exact > R(20.0) || (direction && (direction > 0) != rises))
            continue;
        expected++;
        if (!rig_go(&r))
            break;
        found++;
        real z = r.s.x[0] - R(0.5);
        CHECK(rises ? z >= R(0.0) : z <= R(0.0));
        CHECK(cosy_abs(z) <= cosy_max(tol, R(64.0) * COSY_EPSILON * r.s.t));
        CHECK(cosy_abs(r.s.t - exact) < R(1000.0) * relerr + R(2.0) * tol);
        CHECK(rig_take(&r) == 0 && rig_take(&r) == COSY_NONE);
        rig_after(&r);
    }
    if (found != expected)
        printf("%s: %u crossings, %u expected\n", method, found, expected);
    CHECK(found == expected);
    CHECK(!rig_go(&r));
    if (r.w.iterations > 8 * found && scheme != COSY_BISECT)
        printf("%s %d: %u iterations for %u\n", method, (int)scheme,
               (unsigned)r.w.iterations, found);
    CHECK(scheme == COSY_BISECT || r.w.iterations <= 8 * found);
    rig_close(&r);
}

static void test_times(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5", "GEAR",
                                          "ADAMS"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        if (!method_find(methods[k])) {
            CHECK(COSY_PRECISION != 1 && k >= 3);
            continue;
        }
        for (int direction = -1; direction <= 1; direction++) {
            check_times(methods[k], R(1e-7), R(0.0), COSY_CROSSES, direction);
            check_times(methods[k], R(1e-7), R(1e-3), COSY_CROSSES, direction);
        }
        check_times(methods[k], R(1e-7), R(0.0), COSY_IHERMITE, 0);
        check_times(methods[k], R(1e-7), R(0.0), COSY_REGULA, 0);
        check_times(methods[k], R(1e-7), R(0.0), COSY_BISECT, 0);
    }
    check_times("DOP853", R(1e-12), R(0.0), COSY_CROSSES, 0);
    if (COSY_PRECISION == 3)
        check_times("DOP853", R(1e-22), R(0.0), COSY_CROSSES, 0);
}

/* A loose tolerance costs no more real steps than a tight one. */
static void test_tolerance_cost(void)
{
    uint64_t cost[2];
    for (int k = 0; k < 2; k++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "DOPRI5"};
        Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(0.5)}}};
        plan_model(&m, 2, 1);
        m.info[0].tol = k ? R(1e-2) : R(0.0);
        rig_open(&r, &m, &plan, &o, R(0.0), R(100.0), R(0.0), R(1.0));
        while (rig_go(&r)) {
            CHECK(rig_take(&r) == 0);
            rig_after(&r);
        }
        cost[k] = r.w.iterations;
        rig_close(&r);
    }
    CHECK(cost[1] <= cost[0]);
    CHECK(cost[1] <= 2 * 32); // 32 crossings
}

/* Real steps of each scheme for a crossing, after the guess of the dense
   output: one bit each for BISECT, order 1.44 for REGULA, more than 2 with
   derivatives. */
static void test_scheme_cost(void)
{
    static const char *const names[] = {"CROSSES", "REGULA", "IHERMITE",
                                        "BISECT"};
    double each[4];
    for (int scheme = 0; scheme < 4; scheme++) {
        Rig r;
        PlanModel m;
        unsigned found = 0;
        SolverOptions o = {.method = "DOPRI5", .relerr = R(1e-5)};
        Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(0.25)}}};
        plan_model(&m, 2, 1);
        m.info[0].scheme = (CosyScheme)scheme;
        rig_open(&r, &m, &plan, &o, R(0.0), R(100.0), R(0.0), R(1.0));
        for (; found < 8 && rig_go(&r); found++) {
            CHECK(rig_take(&r) == 0);
            rig_after(&r);
        }
        each[scheme] = (double)r.w.iterations / found;
        printf("%s: %.1f real steps each\n", names[scheme], each[scheme]);
        CHECK(found == 8);
        rig_close(&r);
    }
    bool quad = COSY_PRECISION == 3;
    CHECK(each[COSY_CROSSES] < (quad ? 6.0 : 4.0));
    CHECK(each[COSY_IHERMITE] < (quad ? 6.0 : 4.0));
    CHECK(each[COSY_REGULA] < (quad ? 8.0 : 6.0));
    CHECK(each[COSY_REGULA] > each[COSY_IHERMITE]);
    CHECK(each[COSY_BISECT] > 5.0 * each[COSY_REGULA]);
}

/* Zeros without slope, at and off t = 0, and every scheme. */
static void test_flat(void)
{
    static const struct {
        real from, to, a;
        uint32_t power;
    } cases[] = {
        {R(0.0), R(4.0), R(1.0), 3},          {R(0.0), R(4.0), R(1.0), 5},
        {R(-0.7), R(4.0), R(0.0), 3},         {R(-0.7), R(4.0), R(0.0), 1},
        {R(4.0), R(-0.7), R(0.0), 5},         {R(0.0), R(4.0), R(1e-9), 1},
        {R(1000.0), R(1004.0), R(1001.5), 3},
    };
    for (size_t k = 0; k < LENGTH(cases); k++)
        for (int scheme = 0; scheme < 4; scheme++) {
            Rig r;
            PlanModel m;
            SolverOptions o = {.method = "RK4", .step = R(4.0)};
            Plan plan = {.f = nothing,
                         .item = {{plan_time, cases[k].power, cases[k].a}}};
            plan_model(&m, 0, 1);
            m.info[0].scheme = (CosyScheme)scheme;
            rig_open(&r, &m, &plan, &o, cases[k].from, cases[k].to, R(0.0),
                     R(0.0));
            CHECK(rig_go(&r));
            real off = (r.s.t - cases[k].a) * r.s.direction;
            CHECK(off >= R(0.0));
            CHECK(off <= R(16.0) * COSY_EPSILON *
                             cosy_max(R(1.0), cosy_abs(cases[k].from)));
            CHECK(r.w.iterations < 3 * 113 + 20);
            rig_close(&r);
        }
}

/* ---- Several conditions --------------------------------------------------------- */

/* In one step of 4 the first in time fires, not the first in the list. */
static void test_first(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(4.0)};
    Plan plan = {.f = nothing,
                 .item = {{plan_time, 1, R(2.5)},
                          {plan_time, 3, R(0.5)},
                          {plan_time, 1, R(1.5)},
                          {plan_time, 5, R(1.5)}}};
    static const uint32_t order[] = {1, 2, 3, 0};
    static const real when[] = {R(0.5), R(1.5), R(1.5), R(2.5)};
    plan_model(&m, 0, 4);
    rig_open(&r, &m, &plan, &o, R(0.0), R(4.0), R(0.0), R(0.0));
    for (int k = 0; k < 4; k++) {
        uint32_t which = rig_take(&r);
        if (which == COSY_NONE) {
            CHECK(rig_go(&r));
            which = rig_take(&r);
        }
        CHECK(which == order[k]);
        CHECK(cosy_abs(r.s.t - when[k]) < R(64.0) * COSY_EPSILON);
        rig_after(&r);
    }
    CHECK(!rig_go(&r));
    rig_close(&r);
}

/* One step of RK4 over 3: real steps give x = t - t^3/6, zero at sqrt(6); the
   cubic of the dense output has its zero at 1.12. What happens at 1.8 comes
   first all the same. */
static void test_wrong_guess(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(3.0)};
    Plan plan = {.f = oscillate,
                 .item = {{plan_state, 0, R(0.0)}, {plan_time, 1, R(1.8)}}};
    plan_model(&m, 2, 2);
    m.info[0].direction = -1;
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.0), R(1.0));
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 1 && rig_take(&r) == COSY_NONE);
    CHECK(cosy_abs(r.s.t - R(1.8)) < R(8.0) * COSY_EPSILON);
    rig_close(&r);

    plan.item[1].a = R(2.9);
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.0), R(1.0));
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 0 && rig_take(&r) == COSY_NONE);
    CHECK(cosy_abs(r.s.t - cosy_sqrt(R(6.0))) < R(1e-14));
    rig_close(&r);
}

/* The same function twice: both at one instant, in order of declaration, even
   if the first body reverses the motion. */
static void test_twice(void)
{
    for (int turn = 0; turn < 2; turn++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "DOP853"};
        Plan plan = {
            .f = fall,
            .item = {{plan_state, 0, R(0.0)}, {plan_state, 0, R(0.0)}}};
        plan_model(&m, 2, 2);
        m.info[0].direction = m.info[1].direction = -1;
        rig_open(&r, &m, &plan, &o, R(0.0), R(4.0), R(2.0), R(0.0));
        CHECK(rig_go(&r));
        real t = r.s.t;
        CHECK(cosy_abs(t - R(2.0)) < R(1e-5));
        CHECK(rig_take(&r) == 0);
        if (turn)
            r.s.x[1] = -r.s.x[1];
        rig_after(&r);
        CHECK(rig_take(&r) == 1);
        rig_after(&r);
        CHECK(rig_take(&r) == COSY_NONE && r.s.t == t);
        rig_close(&r);
    }
}

/* A mark stays if z is exactly zero and the first body reverses it; it is
   removed if the body leads back to the near side. */
static void test_marks(void)
{
    for (int back = 0; back < 2; back++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "EULER", .step = R(1.0)};
        Plan plan = {.f = drift,
                     .item = {{plan_time, 1, R(2.0)}, {plan_state, 0, R(0.0)}}};
        plan_model(&m, 2, 2);
        m.info[1].direction = -1;
        rig_open(&r, &m, &plan, &o, R(0.0), R(2.0), R(2.0), R(-1.0));
        CHECK(rig_go(&r));
        CHECK(r.s.t == R(2.0) && r.s.x[0] == R(0.0));
        CHECK(rig_take(&r) == 0);
        r.s.x[0] = back ? R(1e-3) : R(0.0);
        r.s.x[1] = R(2.0);
        rig_after(&r);
        CHECK(rig_take(&r) == (back ? COSY_NONE : 1));
        rig_close(&r);
    }
}

/* ---- Many at once -------------------------------------------------------------- */

/* The k-th of 1000 well-mixed numbers in 0..1. */
static real mixed(uint32_t k)
{
    k = (k + 1) * UINT32_C(2654435769);
    k = (k ^ k >> 15) * UINT32_C(2246822519);
    return (real)((k ^ k >> 13) % 1000) / R(1000.0);
}

static real pace(uint32_t which)
{
    return R(0.5) + R(1.5) * mixed(3 * which);
}

/* sin(pace t + phase) minus a. */
static void wave(real t, const real *x, const real *dx, uint32_t which, real a,
                 real *z, real *dz)
{
    real angle = pace(which) * t + R(6.0) * mixed(3 * which + 1);
    (void)x;
    (void)dx;
    *z = cosy_sin(angle) - a;
    *dz = pace(which) * cosy_cos(angle);
}

/* The first crossing of an item after t, by bisection from a fine grid. */
static real next_crossing(const PlanItem *i, int direction, real t, real end)
{
    const real fine = (end > t ? R(1.0) : R(-1.0)) / R(256.0);
    real z, dz, before, middle;
    wave(t, NULL, NULL, i->which, i->a, &before, &dz);
    for (; (end - t) * fine > R(0.0); t += fine, before = z) {
        wave(t + fine, NULL, NULL, i->which, i->a, &z, &dz);
        if (z * before > R(0.0) || z * direction < R(0.0))
            continue;
        real near = t, far = t + fine;
        for (int k = 0; k < 60; k++) {
            middle = (near + far) / R(2.0);
            wave(middle, NULL, NULL, i->which, i->a, &z, &dz);
            if (z * before > R(0.0))
                near = middle;
            else
                far = middle;
        }
        return far;
    }
    return end;
}

/* Six waves with steps of 1/2, during which several cross, some of them
   twice. */
static void check_waves(uint32_t seed, int way)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(0.5)};
    Plan plan = {.f = nothing};
    real from = R(0.25), end = from + way * R(30.0), next[6];
    unsigned events = 0;
    plan_model(&m, 0, 6);
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t which = 6 * seed + k;
        plan.item[k] =
            (PlanItem){wave, which, R(1.98) * mixed(3 * which + 2) - R(0.99)};
        m.info[k].direction = (int)(which % 3) - 1;
        m.info[k].scheme = (CosyScheme)(which / 3 % 4);
        next[k] = next_crossing(&plan.item[k], m.info[k].direction, from, end);
    }
    rig_open(&r, &m, &plan, &o, from, end, R(0.0), R(0.0));
    while (rig_go(&r)) {
        uint32_t which = rig_take(&r), first = 0;
        for (uint32_t k = 1; k < 6; k++)
            if ((next[k] - next[first]) * way < R(0.0))
                first = k;
        CHECK(which == first);
        CHECK(cosy_abs(r.s.t - next[first]) < R(1e-12));
        events++;
        rig_after(&r);
        next[first] = next_crossing(&plan.item[first], m.info[first].direction,
                                    next[first] + way * R(1e-9), end);
    }
    for (uint32_t k = 0; k < 6; k++)
        CHECK(next[k] == end);
    CHECK(events > 10);
    rig_close(&r);
}

static void test_waves(void)
{
    for (uint32_t seed = 0; seed < (COSY_PRECISION == 1 ? 40 : 4); seed++) {
        check_waves(seed, 1);
        check_waves(seed, -1);
    }
}

/* ---- Pairs ------------------------------------------------------------------------ */

/* sin t above 0.999 for 0.09 at a time, with steps far longer than that. */
static void check_pulse(const char *method, int direction, real level,
                        unsigned expected)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = method, .relerr = R(1e-6)};
    Plan plan = {.f = oscillate,
                 .item = {{plan_state, 0, level},
                          {plan_time, 1, R(14.0)}}}; // comes in between
    bool multistep = method[0] == 'G' || method[0] == 'A';
    unsigned found = 0;
    plan_model(&m, 2, 2);
    m.info[0].direction = direction;
    rig_open(&r, &m, &plan, &o, R(0.0), R(20.0), R(0.0), R(1.0));
    while (rig_go(&r)) {
        if (rig_take(&r) == 0) {
            real late = r.s.t - R(2.0) * pi * (real)(found);
            real lead = cosy_asin(level);
            found++;
            CHECK(cosy_abs(late - (direction > 0 ? lead : pi - lead)) <
                  R(1e-2));
            CHECK((r.s.x[0] - level) * direction >= R(0.0));
        }
        rig_after(&r);
    }
    if (found != expected)
        printf("%s %d: %u pulses\n", method, direction, found);
    CHECK(found == expected);
    CHECK(multistep || r.s.counts.steps < 200);
    rig_close(&r);
}

static void test_pulse(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5", "GEAR",
                                          "ADAMS"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        if (!method_find(methods[k]))
            continue;
        check_pulse(methods[k], 1, R(0.999), 3);
        check_pulse(methods[k], -1, R(0.999), 3);
        check_pulse(methods[k], 1, R(1.001), 0);
        check_pulse(methods[k], -1, R(1.001), 0);
    }
}

/* A passed condition that comes back and crosses again within one step fires
   once, at the crossing; another event before that changes nothing. */
static void test_passed_pair(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(4.0)};
    Plan plan = {.f = fall,
                 .item = {{plan_state, 0, R(1.0)}, {plan_time, 1, R(0.25)}}};
    plan_model(&m, 2, 2);
    m.info[0].direction = -1;
    /* x = 1/2 + 2 t - t^2/2: above 1 from 0.268 to 3.732. */
    rig_open(&r, &m, &plan, &o, R(0.0), R(4.0), R(0.5), R(2.0));
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 1 && rig_take(&r) == COSY_NONE);
    CHECK(cosy_abs(r.s.t - R(0.25)) < R(4.0) * COSY_EPSILON);
    rig_after(&r);
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 0);
    CHECK(cosy_abs(r.s.t - (R(2.0) + cosy_sqrt(R(3.0)))) <
          R(64.0) * COSY_EPSILON);
    rig_after(&r);
    CHECK(!rig_go(&r));
    rig_close(&r);
}

static void test_touch(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5"};
    for (size_t k = 0; k < LENGTH(methods); k++)
        for (int below = 0; below < 2; below++) {
            Rig r;
            PlanModel m;
            SolverOptions o = {.method = methods[k]};
            Plan plan = {.f = touch,
                         .item = {{plan_state, 0, below ? R(1e-9) : R(-1e-9)}}};
            plan_model(&m, 1, 1);
            rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(1.0), R(0.0));
            CHECK(rig_go(&r) == (bool)below);
            rig_close(&r);
        }
}

/* ---- Beginning at zero ---------------------------------------------------------------- */

/* z = sin t from t = 0 with steps of 4. */
static void test_zero_start(void)
{
    static const struct {
        int direction;
        real first;
    } cases[] = {{0, R(1.0)}, {1, R(2.0)}, {-1, R(1.0)}};
    for (size_t k = 0; k < LENGTH(cases); k++)
        for (int way = -1; way <= 1; way += 2) {
            Rig r;
            PlanModel m;
            SolverOptions o = {.method = "RK4", .step = R(4.0)};
            Plan plan = {.f = nothing, .item = {{plan_sine, 0, R(0.0)}}};
            real first = cases[k].first;
            plan_model(&m, 0, 1);
            m.info[0].direction = cases[k].direction;
            /* Backward z falls first. */
            if (way < 0 && cases[k].direction)
                first = R(3.0) - first;
            rig_open(&r, &m, &plan, &o, R(0.0), way * R(12.0), R(0.0), R(0.0));
            CHECK(rig_go(&r));
            CHECK(cosy_abs(way * r.s.t - first * pi) < R(16.0) * COSY_EPSILON);
            rig_close(&r);
        }
}

/* z = t^3 has no slope at its start; it just goes on. */
static void test_flat_start(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(1.0)};
    Plan plan = {.f = nothing, .item = {{plan_time, 3, R(0.0)}}};
    plan_model(&m, 0, 1);
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.0), R(0.0));
    CHECK(!rig_go(&r));
    rig_close(&r);
}

/* Steps that end exactly on the threshold, in both directions of time. */
static void test_zero_end(void)
{
    for (int way = -1; way <= 1; way += 2)
        for (int direction = -1; direction <= 1; direction++) {
            Rig r;
            PlanModel m;
            SolverOptions o = {.method = "RK4", .step = R(1.0)};
            Plan plan = {.f = nothing, .item = {{plan_time, 1, way * R(2.0)}}};
            plan_model(&m, 0, 1);
            m.info[0].direction = direction;
            rig_open(&r, &m, &plan, &o, R(0.0), way * R(5.0), R(0.0), R(0.0));
            bool expected = direction == 0 || direction == way;
            CHECK(rig_go(&r) == expected);
            if (expected) {
                CHECK(r.s.t == way * R(2.0));
                CHECK(rig_take(&r) == 0);
                rig_after(&r);
                CHECK(!rig_go(&r));
            }
            rig_close(&r);
        }
}

static void test_backward(void)
{
    static const struct {
        int direction;
        real at; // in sixths of pi
    } cases[] = {{1, R(-7.0)}, {-1, R(-11.0)}, {0, R(-7.0)}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "DOP853", .relerr = R(1e-10)};
        Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(0.5)}}};
        plan_model(&m, 2, 1);
        m.info[0].direction = cases[k].direction;
        rig_open(&r, &m, &plan, &o, R(0.0), R(-6.0), R(0.0), R(1.0));
        CHECK(rig_go(&r));
        CHECK(cosy_abs(r.s.t - cases[k].at * pi / R(6.0)) < R(1e-8));
        CHECK(rig_take(&r) == 0);
        rig_after(&r);
        CHECK(rig_go(&r) == (cases[k].direction == 0));
        rig_close(&r);
    }
}

/* ---- After an event --------------------------------------------------------------------- */

/* With a loose TOL the floor is hit on it or a little below; a ball too slow to
   come out again is caught where it was, again and again. */
static void test_returning(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "DOPRI5"};
    Plan plan = {.f = fall, .item = {{plan_state, 0, R(0.0)}}};
    plan_model(&m, 2, 1);
    m.info[0].direction = -1;
    m.info[0].tol = R(1e-2);
    rig_open(&r, &m, &plan, &o, R(0.0), R(10.0), R(1.0), R(0.0));
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 0);
    CHECK(r.s.x[0] <= R(0.0) && r.s.x[0] >= R(-1e-2));
    r.s.x[0] = R(-5e-3);
    for (int k = 0; k < 5; k++) {
        real t = r.s.t;
        r.s.x[1] = R(1e-2);
        rig_after(&r);
        CHECK(rig_entry(&r, 0)->stand == STAND_RETURNING);
        CHECK(rig_go(&r));
        CHECK(rig_take(&r) == 0);
        CHECK(cosy_abs(r.s.t - t - R(2e-2)) < R(1e-9));
        CHECK(r.s.x[0] < R(-5e-3) && r.s.x[0] > R(-5e-3) - R(1e-12));
    }
    /* Stopped instead of thrown back: the floor still holds. */
    r.s.x[1] = R(0.0);
    rig_after(&r);
    CHECK(rig_go(&r));
    CHECK(r.s.x[0] > R(-5e-3) - R(1e-9));
    CHECK(rig_take(&r) == 0);
    /* Fast enough to come out: armed above, and caught at the floor. */
    r.s.x[1] = R(0.2);
    rig_after(&r);
    CHECK(rig_go(&r));
    CHECK(r.s.x[1] < R(0.0) && r.s.x[0] <= R(0.0) && r.s.x[0] >= R(-1e-2));
    CHECK(rig_take(&r) == 0);
    rig_close(&r);
}

/* A condition that fired and goes on is not found again, and is armed once it
   has been back. */
static void test_armed_again(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "DOPRI5", .dtmax = R(0.1)};
    Plan plan = {.f = fall, .item = {{plan_state, 0, R(0.0)}}};
    plan_model(&m, 2, 1);
    m.info[0].direction = -1;
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.5), R(0.0));
    CHECK(rig_go(&r));
    CHECK(rig_take(&r) == 0);
    rig_after(&r);
    CHECK(rig_entry(&r, 0)->stand == STAND_PASSED);
    CHECK(!rig_go(&r));
    r.head.t_end = R(20.0);
    r.s.x[1] = R(3.0);
    rig_after(&r);
    CHECK(rig_go(&r));
    CHECK(r.s.x[1] < R(0.0) && r.s.x[0] <= R(0.0));
    rig_close(&r);
}

/* A jump of another event's body across an armed condition is a crossing. */
static void test_jump(void)
{
    static const struct {
        int direction;
        real from, to;
        bool fires;
    } cases[] = {
        {1, R(-1.0), R(1.0), true},  {1, R(1.0), R(-1.0), false},
        {-1, R(1.0), R(-1.0), true}, {-1, R(-1.0), R(1.0), false},
        {0, R(-1.0), R(1.0), true},  {0, R(1.0), R(-1.0), true},
        {0, R(1.0), R(2.0), false},
    };
    for (size_t k = 0; k < LENGTH(cases); k++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "RK4", .step = R(1.0)};
        Plan plan = {.f = fall, .item = {{plan_state, 0, R(0.0)}}};
        plan_model(&m, 2, 1);
        m.info[0].direction = cases[k].direction;
        rig_open(&r, &m, &plan, &o, R(0.0), R(1.0), cases[k].from, R(0.0));
        r.s.x[0] = cases[k].to;
        rig_after(&r);
        CHECK(rig_take(&r) == (cases[k].fires ? 0 : COSY_NONE));
        rig_close(&r);
    }
}

/* A condition whose branch is entered: z, dz, TOL and direction decide; the mark
   survives another body. */
static void test_activation(void)
{
    static const struct {
        real z, dz, tol;
        int direction;
        bool fires;
    } cases[] = {
        {R(0.1), R(-1.0), R(1e-3), 1, true},
        {R(0.1), R(1.0), R(1e-3), -1, false},
        {R(-0.1), R(1.0), R(1e-3), -1, true},
        {R(-0.1), R(1.0), R(1e-3), 1, false},
        {R(1e-4), R(1.0), R(1e-3), 1, true},
        {R(1e-4), R(-1.0), R(1e-3), 1, false},
        {R(-1e-4), R(1.0), R(1e-3), 1, true},
        {R(0.0), R(1.0), R(0.0), 1, true},
        {R(0.0), R(0.0), R(0.0), 1, false},
        {R(0.0), R(-1.0), R(0.0), 1, false},
        {R(0.1), R(1.0), R(1e-3), 0, false},
    };
    for (size_t k = 0; k < LENGTH(cases); k++)
        for (int activates = 0; activates < 2; activates++) {
            Rig r;
            PlanModel m;
            SolverOptions o = {.method = "RK4", .step = R(1.0)};
            Plan plan = {.f = fall};
            plan_model(&m, 2, 1);
            m.info[0].direction = cases[k].direction;
            m.info[0].tol = cases[k].tol;
            m.info[0].activates = activates;
            rig_open(&r, &m, &plan, &o, R(0.0), R(1.0), cases[k].z,
                     cases[k].dz);
            CHECK(r.w.count == 0);
            r.plan.item[0] = (PlanItem){plan_state, 0, R(0.0)};
            rig_after(&r);
            CHECK(r.w.count == 1);
            if (cases[k].z * cases[k].direction >= R(0.0))
                rig_after(&r);
            bool expected = activates && cases[k].fires;
            CHECK(rig_take(&r) == (expected ? 0 : COSY_NONE));
            rig_close(&r);
        }
}

/* Backward in time the same dz leads the other way. */
static void test_activation_backward(void)
{
    for (int way = -1; way <= 1; way += 2) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "RK4", .step = R(1.0)};
        Plan plan = {.f = fall};
        plan_model(&m, 2, 1);
        m.info[0].direction = 1;
        m.info[0].activates = true;
        rig_open(&r, &m, &plan, &o, R(0.0), way * R(1.0), R(0.0), R(1.0));
        r.plan.item[0] = (PlanItem){plan_state, 0, R(0.0)};
        rig_after(&r);
        CHECK(rig_take(&r) == (way > 0 ? 0 : COSY_NONE));
        rig_close(&r);
    }
}

/* A condition that disappears and comes back counts as new. */
static void test_modes(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(0.5)};
    Plan plan = {.f = nothing,
                 .item = {{plan_time, 1, R(1.0)}, {plan_time, 1, R(2.0)}}};
    plan_model(&m, 0, 2);
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.0), R(0.0));
    CHECK(r.w.count == 2);
    CHECK(rig_go(&r) && rig_take(&r) == 0);
    r.plan.item[1].z = NULL;
    rig_after(&r);
    CHECK(r.w.count == 1);
    CHECK(!rig_go(&r));
    r.plan.item[1].z = plan_time;
    rig_after(&r);
    CHECK(r.w.count == 2 && rig_take(&r) == COSY_NONE);
    CHECK(rig_entry(&r, 1)->side == 1);
    rig_close(&r);
}

/* ---- Hidden relations ---------------------------------------------------------------------- */

/* They fire strictly beyond zero, and from zero to either side. */
static void test_hidden(void)
{
    static const struct {
        real x, y;
        bool fires;
        real at;
    } cases[] = {
        {R(1.0), R(-1.0), true, R(0.73205080756887729353)},
        {R(0.0), R(1.0), true, R(0.0)},
        {R(0.0), R(-1.0), true, R(0.0)},
        {R(-0.5), R(0.0), false, R(0.0)},
    };
    for (size_t k = 0; k < LENGTH(cases); k++) {
        Rig r;
        PlanModel m;
        SolverOptions o = {.method = "DOPRI5", .relerr = R(1e-12)};
        Plan plan = {.f = fall, .item = {{plan_state, 0, R(0.0)}}};
        plan_model(&m, 2, 1);
        m.info[0].kind = COSY_HIDDEN;
        rig_open(&r, &m, &plan, &o, R(0.0), R(1.0), cases[k].x, cases[k].y);
        CHECK(rig_go(&r) == cases[k].fires);
        if (cases[k].fires) {
            CHECK(cosy_abs(r.s.t - cases[k].at) < R(1e-10));
            CHECK(r.s.x[0] * cases[k].y > R(0.0));
            CHECK(r.w.iterations < 20);
            CHECK(rig_take(&r) == 0);
            /* Thrown back: a relation is crossed again on the way. */
            r.s.x[1] = -r.s.x[1];
            rig_after(&r);
            CHECK(rig_entry(&r, 0)->stand == STAND_ARMED);
            CHECK(rig_take(&r) == COSY_NONE);
            CHECK(rig_go(&r));
            CHECK(r.s.x[0] * cases[k].y < R(0.0));
        }
        rig_close(&r);
    }
}

/* A step that ends exactly at zero is not beyond it. */
static void test_hidden_zero(void)
{
    Rig r;
    PlanModel m;
    SolverOptions o = {.method = "RK4", .step = R(1.0)};
    Plan plan = {.f = nothing, .item = {{plan_time, 1, R(1.0)}}};
    plan_model(&m, 0, 1);
    m.info[0].kind = COSY_HIDDEN;
    rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(0.0), R(0.0));
    CHECK(rig_go(&r));
    CHECK(r.s.t > R(1.0) && r.s.t < R(1.0) + R(16.0) * COSY_EPSILON);
    CHECK(rig_take(&r) == 0);
    rig_close(&r);
}

/* ---- The model ends at the threshold --------------------------------------------------------- */

static void test_model_ends(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU5"};
    for (size_t k = 0; k < LENGTH(methods); k++) {
        Rig r;
        PlanModel m;
        bool crossed = false;
        SolverOptions o = {.method = methods[k]};
        Plan plan = {.f = dive, .item = {{plan_state, 0, R(0.0)}}};
        Status status = STATUS_OK;
        plan_model(&m, 1, 1);
        rig_open(&r, &m, &plan, &o, R(0.0), R(3.0), R(1.0), R(0.0));
        while (status == STATUS_OK && !crossed && r.s.t != R(3.0)) {
            status = r.s.method->step(&r.s, R(3.0));
            if (status == STATUS_OK)
                status = watch_step(&r.w, &r.s, &crossed);
        }
        /* t = 2 - 2 log 2. */
        CHECK(cosy_abs(r.s.t - R(0.61370563888010937)) < R(1e-5));
        CHECK(crossed || (status != STATUS_OK && r.fault.text[0]));
        CHECK(cosy_finite(r.s.x[0]));
        rig_close(&r);
    }
}

/* ---- Copies ----------------------------------------------------------------------------------- */

typedef struct Stone {
    CosyCopy copy;
    real spare;
} Stone;

static CosyStatus roll(Cosy *c, real t, const real *x, real *dx)
{
    (void)t;
    (void)x;
    for (uint32_t k = 0; k < c->head->states; k++)
        dx[k] = R(1.0);
    return COSY_OK;
}

/* One condition per copy: its state reaches 1. */
static CosyStatus copy_conditions(Cosy *c, real t, const real *x,
                                  const real *dx, CosyCondition *list,
                                  uint32_t *count)
{
    (void)t;
    *count = c->copy[0].active;
    for (uint32_t k = 0; k < *count; k++)
        list[k] = (CosyCondition){0, k, x[k] - R(1.0), dx[k], R(0.0), R(0.0)};
    return COSY_OK;
}

static const CosyCopyInfo stone_info = {
    .name = "STONE", .states = 1, .size = sizeof(Stone), .conditions = 1};

/* A model of four stones, which the fixed part of the rig does not know. */
static void rig_stones(Rig *r, PlanModel *m, CosyCopies *copies,
                       unsigned char **attributes)
{
    static const Plan plan = {.f = roll};
    static const SolverOptions o = {.method = "RK4", .step = R(1.0)};
    plan_model(m, 0, 0);
    rig_open(r, m, &plan, &o, R(0.0), R(9.0), R(0.0), R(0.0));
    m->m.n_conditions_info = m->m.n_copies = 1;
    m->m.copies = &stone_info;
    m->m.conditions = copy_conditions;
    m->info[0].process = 0;
    m->info[0].direction = 1;
    r->c.copy = copies;
    r->c.attributes = attributes;
    r->head.states = 4;
    CHECK(solver_resize(&r->s, 4) == STATUS_OK);
    memcpy(r->s.x, (real[]){R(0.0), R(0.5), R(0.6), R(0.1)}, 4 * sizeof(real));
    CHECK(r->s.method->start(&r->s) == STATUS_OK);
    CHECK(watch_enter(&r->w, R(0.0), r->s.x, r->s.dx) == STATUS_OK);
}

/* The first copy leaves: the others move up, and keep how they stand. */
static void test_copies(void)
{
    Stone stone[4] = {{.copy = {.number = 7}},
                      {.copy = {.number = 3}},
                      {.copy = {.number = 9}},
                      {.copy = {.number = 4}}};
    unsigned char *attributes[] = {(unsigned char *)stone};
    CosyCopies copies = {.active = 4, .created = 9};
    Rig r;
    PlanModel m;
    Watched which;
    real x[3];

    rig_stones(&r, &m, &copies, attributes);
    CHECK(rig_go(&r) && watch_take(&r.w, false, &which));
    CHECK(which.number == 9 && which.copy == 2);
    memmove(stone, stone + 1, 3 * sizeof stone[0]);
    copies.active = 3;
    r.head.states = 3;
    memcpy(x, r.s.x + 1, sizeof x);
    CHECK(solver_resize(&r.s, 3) == STATUS_OK);
    memcpy(r.s.x, x, sizeof x);
    rig_after(&r);
    CHECK(r.w.count == 3);
    CHECK(rig_entry(&r, 1)->number == 9 && rig_entry(&r, 1)->copy == 1);
    CHECK(rig_entry(&r, 1)->stand == STAND_PASSED);
    CHECK(rig_go(&r) && watch_take(&r.w, false, &which));
    CHECK(which.number == 3 && which.copy == 0);
    CHECK(cosy_abs(r.s.t - R(0.5)) < R(1e-14));
    rig_after(&r);
    CHECK(rig_go(&r) && watch_take(&r.w, false, &which));
    CHECK(which.number == 4 && which.copy == 2);
    rig_close(&r);
}

/* ---- Cost ---------------------------------------------------------------------------------------- */

static double work(uint32_t declared, uint64_t *calls)
{
    Rig r;
    PlanModel m;
    CosyConditionInfo *info = calloc(declared, sizeof *info);
    SolverOptions o = {.method = "RK4", .step = R(1.0) / R(8192.0)};
    Plan plan = {.f = oscillate, .item = {{plan_state, 0, R(2.0)}}};
    plan_model(&m, 2, 1);
    for (uint32_t k = 0; info && k < declared; k++)
        info[k] = m.info[0];
    rig_open(&r, &m, &plan, &o, R(0.0), R(4.0), R(0.0), R(1.0));
    watch_free(&r.w);
    m.m.conditions_info = info;
    m.m.n_conditions_info = declared;
    r.image = (Image){0};
    CHECK(watch_create(&r.w, &r.c, &r.arena, &r.image) == STATUS_OK);
    m.m.n_conditions_info = 1; // the one that is active, for plan_conditions
    CHECK(watch_enter(&r.w, r.s.t, r.s.x, r.s.dx) == STATUS_OK);
    CHECK(r.w.room == declared && r.w.count == 1);
    clock_t begin = clock();
    r.plan.calls = 0;
    CHECK(!rig_go(&r));
    *calls = r.plan.calls;
    double used = (double)(clock() - begin);
    rig_close(&r);
    free(info);
    return used;
}

/* Ten thousand conditions in the text, one of them active. */
static void test_cost(void)
{
    uint64_t calls[2];
    double few = work(1, &calls[0]), many = work(10000, &calls[1]);
    CHECK(calls[0] == calls[1]);
    CHECK(calls[0] < 32768 + 200);
    CHECK(many < 5.0 * few + 20000.0);
}

int main(void)
{
    test_times();
    test_tolerance_cost();
    test_scheme_cost();
    test_flat();
    test_first();
    test_wrong_guess();
    test_twice();
    test_marks();
    test_waves();
    test_pulse();
    test_passed_pair();
    test_touch();
    test_zero_start();
    test_flat_start();
    test_zero_end();
    test_backward();
    test_returning();
    test_armed_again();
    test_jump();
    test_activation();
    test_activation_backward();
    test_modes();
    test_hidden();
    test_hidden_zero();
    test_model_ends();
    test_copies();
    test_cost();
    return check_end();
}
