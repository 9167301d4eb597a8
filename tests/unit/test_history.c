/* Whole runs with delays: what comes out of them, and when. */

#include "run/copies.h"
#include "run/run.h"

#include <stdlib.h>

#include "check.h"
#include "events/calendar.h"
#include "events/stream.h"
#include "folder.h"
#include "plan.h"
#include "solve/block.h"

/* ---- Models ------------------------------------------------------------------ */

static char told[400]; // the last message

static void message(Cosy *c, CosySeverity severity, uint32_t line,
                    const char *text)
{
    (void)c;
    (void)severity;
    snprintf(told, sizeof told, "%u: %s", line, text);
}

static const CosyHost host = {.grow = instance_grow,
                              .refill = stream_refill,
                              .cancel = calendar_cancel,
                              .refuse = instance_refuse,
                              .create = copies_new,
                              .solve = block_solve,
                              .delayed = instance_delayed,
                              .delayed_rate = instance_delayed_rate,
                              .message = message};

static const CosyMemoryInfo memories[] = {
    {.name = "HOLD@1", .kind = COSY_HOLD, .line = 30},
    {.name = "DELAY@1", .kind = COSY_DELAY, .line = 31},
    {.name = "DELAY@2", .kind = COSY_DELAY, .line = 32},
};

/* The same if the first delay may vary. */
static const CosyMemoryInfo varying[] = {
    {.name = "HOLD@1", .kind = COSY_HOLD, .line = 30},
    {.name = "DELAY@1", .kind = COSY_DELAY, .varies = true, .line = 31},
};

/* A model with one delay (two): p0 is the first delay, p1 the second, p2 what
   comes out before anything can; relation and condition k are for delay k. */
static void delay_model(PlanModel *m, uint32_t states, uint32_t delays)
{
    plan_model(m, states, delays);
    m->m.n_memories = 1 + delays;
    m->m.memories = memories;
    m->m.n_relations_info = m->m.branches = delays;
    for (uint32_t k = 0; k < delays; k++)
        m->info[k].kind = COSY_HIDDEN;
}

static CosyStatus begun(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)x;
    for (uint32_t k = 0; k < c->model->branches; k++)
        wanted[k] = t - plan_of(c)->p[k] >= c->head->t_begin;
    return COSY_OK;
}

/* Delay k at t, or what comes before it. */
static CosyStatus out(Cosy *c, uint32_t k, real t, real *value)
{
    *value = plan_of(c)->p[2];
    return c->branch[k] ? c->host->delayed(c, k, t - plan_of(c)->p[k], value)
                        : COSY_OK;
}

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

static CosyStatus first_state(Cosy *c, real t, const real *x, real *u,
                              real *tau)
{
    const Plan *p = plan_of(c);
    (void)t;
    u[0] = x[0];
    tau[0] = p->p[0];
    return COSY_OK;
}

/* X' = -DELAY(X). */
static CosyStatus minus_delayed(Cosy *c, real t, const real *x, real *dx)
{
    real v;
    (void)x;
    COSY_TRY(out(c, 0, t, &v));
    dx[0] = -v;
    return COSY_OK;
}

/* ---- Constant delays ------------------------------------------------------------ */

/* X' = -X(t - 1) with X = 1 up to 0 is a polynomial in every interval:
   sum of (-1)^k (t - k + 1)^k / k!, k up to t + 1. */
static real steps_of(real t)
{
    real sum = R(0.0), factorial = R(1.0);
    for (int k = 0; (real)k - R(1.0) <= t; k++) {
        real power = R(1.0);
        for (int i = 0; i < k; i++)
            power *= R(1.0) + (t - (real)k);
        factorial *= k > 0 ? (real)k : R(1.0);
        sum += (k % 2 ? -power : power) / factorial;
    }
    return sum;
}

static void test_steps(void)
{
    static const char *const methods[] = {"DOPRI5", "DOP853", "RADAU", "GEAR",
                                          "ADAMS"};
    for (size_t k = 0; k < LENGTH(methods); k++)
        for (int e = 6; e <= (COSY_PRECISION == 3 ? 20 : 10); e += 4) {
            PlanModel m;
            Run r;
            real relerr = cosy_pow(R(10.0), (real)-e);
            Plan plan = {.f = minus_delayed,
                         .relations = begun,
                         .item = {{plan_time, 1, R(1.0)}},
                         .p = {R(1.0), R(0.0), R(1.0)}};
            RunOptions o = {.to = R(7.5),
                            .solver = {.method = methods[k], .relerr = relerr}};
            if (!method_find(methods[k]))
                continue;
            delay_model(&m, 1, 1);
            m.m.delays = first_state;
            Status status = go(&r, &m, &plan, &o, R(1.0), R(0.0));
            CHECK(status == STATUS_OK);
            real off = cosy_abs(r.c->x[0] - steps_of(R(7.5)));
            printf("%s 1e-%d: %g off, %u steps\n", methods[k], e, (double)off,
                   (unsigned)r.solver.counts.steps);
            CHECK(off < R(100.0) * relerr);
            run_free(&r);
        }
}

/* What happens at 0.3 comes out 0.45 later, 0.9 later, ...: Y is the integral
   of DELAY(U), where U jumps from 0 to 1, and X that of DELAY(Y). */
static CosyStatus jump(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    (void)which;
    plan_of(c)->mode = 1;
    return COSY_OK;
}

static CosyStatus at_three(Cosy *c)
{
    return cosy_schedule(c, 0, COSY_NONE, R(0.3), 0);
}

static CosyStatus mode_and_state(Cosy *c, real t, const real *x, real *u,
                                 real *tau)
{
    const Plan *p = plan_of(c);
    (void)t;
    u[0] = (real)p->mode;
    u[1] = x[1];
    tau[0] = p->p[0];
    tau[1] = p->p[1];
    return COSY_OK;
}

static CosyStatus integrals(Cosy *c, real t, const real *x, real *dx)
{
    (void)x;
    COSY_TRY(out(c, 1, t, &dx[0]));
    return out(c, 0, t, &dx[1]);
}

static void test_jump(void)
{
    PlanModel m;
    Run r;
    Plan plan = {.f = integrals,
                 .body = jump,
                 .initial = at_three,
                 .relations = begun,
                 .item = {{plan_time, 1, R(0.45)}, {plan_time, 1, R(0.7)}},
                 .p = {R(0.45), R(0.7), R(0.0)}};
    RunOptions o = {.to = R(3.0), .solver = {.relerr = R(1e-6)}};
    delay_model(&m, 2, 2);
    m.m.delays = mode_and_state;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(cosy_abs(r.c->x[1] - R(2.25)) < R(1e-13));
    CHECK(cosy_abs(r.c->x[0] - R(1.55) * R(1.55) / R(2.0)) < R(1e-13));
    /* No step went over a break, so few were needed. */
    CHECK(r.solver.counts.rejected < 20 && r.solver.counts.steps < 200);
    run_free(&r);
}

/* ---- Delays that vary ------------------------------------------------------------- */

/* tau = 1 + t/2, given by time or by a state that grows like it: what goes in
   at 0.3 comes out at t - 1 - t/2 = 0.3, t = 2.6; X' = DELAY(U). */
static CosyStatus growing(Cosy *c, real t, const real *x, real *u, real *tau)
{
    const Plan *p = plan_of(c);
    u[0] = (real)p->mode;
    tau[0] = R(1.0) + (p->p[3] > R(0.0) ? x[1] : t / R(2.0));
    return COSY_OK;
}

static CosyStatus growing_rhs(Cosy *c, real t, const real *x, real *dx)
{
    real u, tau;
    dx[1] = R(0.5);
    COSY_TRY(growing(c, t, x, &u, &tau));
    dx[0] = R(0.0);
    return t - tau < R(0.0) ? COSY_OK : c->host->delayed(c, 0, t - tau, &dx[0]);
}

static void test_growing(void)
{
    for (int by_state = 0; by_state < 2; by_state++) {
        PlanModel m;
        Run r;
        Plan plan = {.f = growing_rhs,
                     .body = jump,
                     .initial = at_three,
                     .p = {R(0.0), R(0.0), R(0.0), (real)by_state}};
        RunOptions o = {.to = R(4.0), .solver = {.relerr = R(1e-8)}};
        delay_model(&m, 2, 1);
        m.m.n_relations_info = m.m.branches = 0;
        m.m.n_conditions_info = 0;
        m.m.memories = varying;
        m.m.delays = growing;
        CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
        CHECK(cosy_abs(r.c->x[0] - R(1.4)) < R(1e-12));
        CHECK(r.solver.counts.rejected < 20 && r.solver.counts.steps < 200);
        run_free(&r);
    }
}

/* ---- Known solutions ---------------------------------------------------------------- */

/* X' = -DELAY(tau, X) + COS(t) + SIN(t - tau) has the solution SIN(t), whatever
   tau does; X was SIN(t) before as well. */
typedef enum Lag {
    LAG_TOUCHES, // 1 + COS(t): zero for an instant, with a slope of zero
    LAG_MEETS,   // |SIN(t)|: zero with a slope, at the start too
    LAG_ZERO,    // always
    LAG_SMALL,   // 1e-6: no million steps
    LAG_RETURNS, // 2 + 1.8 SIN(3 t): moves back and forth over the past
    LAG_GROWS,   // t/2: nothing must be forgotten
    LAG_SHRINKS, // 10 EXP(-t)
    LAGS
} Lag;

static real lag_at(Lag lag, real t)
{
    switch (lag) {
    case LAG_TOUCHES: return R(1.0) + cosy_cos(t);
    case LAG_MEETS: return cosy_abs(cosy_sin(t));
    case LAG_SMALL: return R(1e-6);
    case LAG_RETURNS: return R(2.0) + R(1.8) * cosy_sin(R(3.0) * t);
    case LAG_GROWS: return t / R(2.0);
    case LAG_SHRINKS: return R(10.0) * cosy_exp(-t);
    default: return R(0.0);
    }
}

static CosyStatus any_lag(Cosy *c, real t, const real *x, real *u, real *tau)
{
    u[0] = x[0];
    tau[0] = lag_at((Lag)plan_of(c)->p[0], t);
    return COSY_OK;
}

static CosyStatus sine_rhs(Cosy *c, real t, const real *x, real *dx)
{
    real tau = lag_at((Lag)plan_of(c)->p[0], t), back = t - tau, v;
    (void)x;
    v = cosy_sin(back);
    dx[0] = cosy_cos(t) + v;
    if (back >= R(0.0))
        COSY_TRY(c->host->delayed(c, 0, back, &v));
    dx[0] -= v;
    return COSY_OK;
}

static void known(const Method *method, Lag lag)
{
    PlanModel m;
    Run r;
    bool fixed = (method->features & METHOD_FIXED) != 0;
    bool repeats = (method->features & METHOD_SAVES) != 0;
    Plan plan = {.f = sine_rhs, .p = {(real)lag}};
    /* Long double and quad run for a shorter time: they are slow. */
    real to = COSY_PRECISION == 1 ? R(12.0) : R(4.0);
    RunOptions o = {.to = to,
                    .solver = {.method = method->name,
                               .relerr = R(1e-7),
                               .step = fixed ? R(0.01) : R(0.0)}};
    delay_model(&m, 1, 1);
    m.m.n_relations_info = m.m.branches = 0;
    m.m.n_conditions_info = 0;
    m.m.memories = varying;
    m.m.delays = any_lag;
    Status status = go(&r, &m, &plan, &o, R(0.0), R(0.0));
    if (!repeats && lag != LAG_RETURNS) {
        /* Clearly refused, and at once. */
        CHECK(status == STATUS_UNSUPPORTED);
        CHECK(strstr(r.fault.text, "one-step"));
        CHECK(r.solver.counts.steps < 20000);
    } else {
        real off = cosy_abs(r.c->x[0] - cosy_sin(to));
        real most = method->order == 1   ? R(0.05)
                    : method->order == 2 ? R(1e-4)
                                         : R(1e-5);
        bool good = status == STATUS_OK && off < most &&
                    r.solver.counts.steps < (fixed ? 20000 : 5000);
        if (!good)
            printf("%s, lag %d: %g off, %u steps, %s\n", method->name, (int)lag,
                   (double)off, (unsigned)r.solver.counts.steps, r.fault.text);
        CHECK(good);
    }
    run_free(&r);
}

static void test_known(void)
{
    const Method *method;
    for (size_t k = 0; (method = method_list(k)) != NULL; k++)
        for (Lag lag = LAG_TOUCHES; lag < LAGS; lag++) {
            bool repeats = (method->features & METHOD_SAVES) != 0;
            if (method->order < 4 && COSY_PRECISION != 1)
                continue;
            /* Other methods handle small lags at the cost of small steps. */
            if (repeats || lag < LAG_SMALL || lag == LAG_RETURNS)
                known(method, lag);
        }
}

/* A saw tooth of period 0.01 through a delay of 0.005: its smallest values are
   below the last places of time, and no reason to cut steps. */
static CosyStatus saw_body(Cosy *c, PlanKind kind, uint32_t which)
{
    (void)kind;
    (void)which;
    c->x[0] = R(0.0);
    return cosy_schedule(c, 0, COSY_NONE, c->head->t + R(0.01), 0);
}

static CosyStatus saw_begin(Cosy *c)
{
    return cosy_schedule(c, 0, COSY_NONE, R(0.01), 0);
}

static CosyStatus saw_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    (void)x;
    dx[0] = R(1.0);
    return COSY_OK;
}

static void test_saw(void)
{
    PlanModel m;
    Run r;
    Plan plan = {.f = saw_rhs,
                 .body = saw_body,
                 .initial = saw_begin,
                 .relations = begun,
                 .item = {{plan_time, 1, R(0.005)}},
                 .p = {R(0.005)}};
    RunOptions o = {.to = R(20.0), .solver = {.relerr = R(1e-8)}};
    delay_model(&m, 1, 1);
    m.m.delays = first_state;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(r.history.pieces.room < 100000);
    run_free(&r);
}

/* ---- Without states ------------------------------------------------------------------ */

/* DELAY(0.5, SIN(20 TIME)) crosses 0.5 at ASIN(0.5)/20 + 0.5, and so on. */
static CosyStatus fast_sine(Cosy *c, real t, const real *x, real *u, real *tau)
{
    (void)c;
    (void)x;
    u[0] = cosy_sin(R(20.0) * t);
    tau[0] = R(0.5);
    return COSY_OK;
}

static CosyStatus sine_conditions(Cosy *c, real t, const real *x,
                                  const real *dx, CosyCondition *list,
                                  uint32_t *count)
{
    (void)x;
    (void)dx;
    list[0] = (CosyCondition){0, COSY_NONE, t - R(0.5), R(1.0), R(0.0), R(0.0)};
    list[1] = (CosyCondition){1, COSY_NONE, R(-0.5), R(0.0), R(0.0), R(0.0)};
    *count = 2;
    if (!c->branch[0])
        return COSY_OK;
    COSY_TRY(c->host->delayed(c, 0, t - R(0.5), &list[1].z));
    list[1].z -= R(0.5);
    return c->host->delayed_rate(c, 0, t - R(0.5), &list[1].dz);
}

static CosyStatus half(Cosy *c, real t, const real *x, int32_t *wanted)
{
    (void)c;
    (void)x;
    wanted[0] = t - R(0.5) >= R(0.0);
    return COSY_OK;
}

static void test_no_states(void)
{
    const real pi = R(3.14159265358979323846264338327950288);
    PlanModel m;
    Run r;
    Plan plan = {.relations = half};
    RunOptions o = {.to = R(2.0), .solver = {.relerr = R(1e-9)}};
    delay_model(&m, 0, 1);
    m.m.n_conditions_info = 2;
    m.m.conditions = sine_conditions;
    m.m.delays = fast_sine;
    m.m.derivatives = NULL;
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
    CHECK(plan.notes == 10);
    for (uint32_t k = 0; k < plan.notes; k++) {
        real phase = k % 2 ? R(5.0) / R(6.0) : R(1.0) / R(6.0);
        real exact = R(0.5) + pi * (phase + (real)(k / 2 * 2)) / R(20.0);
        CHECK(cosy_abs(plan.note[k].t - exact) < R(1e-10));
    }
    run_free(&r);
}

/* ---- Refusals ------------------------------------------------------------------------ */

static CosyStatus shrinking(Cosy *c, real t, const real *x, real *u, real *tau)
{
    u[0] = x[0];
    tau[0] = plan_of(c)->p[0] + plan_of(c)->p[1] * t;
    return COSY_OK;
}

static CosyStatus shrinking_rhs(Cosy *c, real t, const real *x, real *dx)
{
    real u, tau;
    COSY_TRY(shrinking(c, t, x, &u, &tau));
    dx[0] = R(1.0);
    return t - tau < plan_of(c)->p[2] ? COSY_OK
                                      : c->host->delayed(c, 0, t - tau, &u);
}

static void refused(real p0, real p1, real p2, real to, Status expected,
                    const char *text)
{
    PlanModel m;
    Run r;
    Plan plan = {.f = shrinking_rhs, .p = {p0, p1, p2}};
    RunOptions o = {.to = to};
    delay_model(&m, 1, 1);
    m.m.n_relations_info = m.m.branches = 0;
    m.m.n_conditions_info = 0;
    m.m.memories = varying;
    m.m.delays = shrinking;
    told[0] = '\0';
    CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == expected);
    bool said = strstr(r.fault.text, text) || strstr(told, text);
    if (!said)
        printf("%s | %s\n", r.fault.text, told);
    CHECK(said);
    run_free(&r);
}

static void test_refusals(void)
{
    refused(R(-1.0), R(0.0), R(0.0), R(1.0), STATUS_NUMBER,
            "plan.cosy:31: time 0: DELAY@1 has a delay of -1");
    refused(R(1.0) / R(0.0), R(0.0), R(0.0), R(1.0), STATUS_NUMBER,
            "DELAY@1 has a delay of inf");
    refused(R(1.0), R(-1.0), R(0.0), R(2.0), STATUS_NUMBER,
            "DELAY@1 has a delay of ");
    refused(R(1.0), R(0.0), R(0.0), R(-2.0), STATUS_UNSUPPORTED,
            "plan.cosy:31: DELAY@1: a run backward in time has no past");
}

/* ---- Memory ---------------------------------------------------------------------------- */

/* What is older than the delay is forgotten. */
static void test_forgets(void)
{
    size_t used[2];
    for (int k = 0; k < 2; k++) {
        PlanModel m;
        Run r;
        Plan plan = {.f = minus_delayed,
                     .relations = begun,
                     .item = {{plan_time, 1, R(0.1)}},
                     .p = {R(0.1), R(0.0), R(1.0)}};
        RunOptions o = {.to = k ? R(1000.0) : R(100.0),
                        .solver = {.relerr = R(1e-8)}};
        delay_model(&m, 1, 1);
        m.m.delays = first_state;
        CHECK(go(&r, &m, &plan, &o, R(1.0), R(0.0)) == STATUS_OK);
        CHECK(cosy_abs(r.c->x[0]) < R(1e-6));
        used[k] = r.history.pieces.room + r.history.breaks.room;
        run_free(&r);
    }
    CHECK(used[1] == used[0]);
}

/* A saved run continues to the same bytes. */
static void test_saved(void)
{
    Folder folder;
    real end[3];
    folder_make(&folder);
    const char *image = folder_file(&folder, "image");
    for (int k = 0; k < 3; k++) {
        PlanModel m;
        Run r;
        Plan plan = {.f = integrals,
                     .body = jump,
                     .initial = at_three,
                     .relations = begun,
                     .item = {{plan_time, 1, R(0.45)}, {plan_time, 1, R(0.7)}},
                     .p = {R(0.45), R(0.7), R(0.0)}};
        RunOptions o = {.to = R(3.0), .solver = {.relerr = R(1e-9)}};
        if (k == 1) {
            o.save_path = image;
            o.save_at = R(0.8);
        } else if (k == 2) {
            o.restore = image;
        }
        delay_model(&m, 2, 2);
        m.m.delays = mode_and_state;
        CHECK(go(&r, &m, &plan, &o, R(0.0), R(0.0)) == STATUS_OK);
        end[k] = r.c->x[0];
        run_free(&r);
    }
    folder_remove(&folder);
    CHECK(end[0] == end[1] && end[1] == end[2]);
}

int main(void)
{
    test_steps();
    test_jump();
    test_growing();
    test_known();
    test_saw();
    test_no_states();
    test_refusals();
    test_forgets();
    test_saved();
    return check_end();
}
