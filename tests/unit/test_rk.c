/* The explicit Runge-Kutta methods and what solver.c does for all methods. */

#include "solve/rk.h"

#include <stdlib.h>

#include "base/method_facts.h"
#include "check.h"
#include "folder.h"
#include "load/load.h"
#include "scarce.h"
#include "solve/methods.h"

/* ---- Small models -------------------------------------------------------- */

#define STATE(variable, where, count)                                          \
    {                                                                          \
        .name = variable, .unit = "", .comment = "", .kind = COSY_STATE,       \
        .place = where, .rows = count, .columns = 1, .process = COSY_NONE,     \
        .derivative = COSY_NONE, .low = R(1.0), .high = R(-1.0), .line = 3     \
    }

/* X' = Y, Y' = -X: (sin t, cos t). */
static CosyStatus oscillate(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return COSY_OK;
}

static const CosyVariable xy[] = {STATE("X", 0, 1), STATE("Y", 1, 1)};
static const CosyModel oscillator = {.name = "OSCILLATOR",
                                     .states = 2,
                                     .n_variables = 2,
                                     .variables = xy,
                                     .derivatives = oscillate};

/* X' = -SQRT(X): (1 - t/2)^2, and nothing beyond t = 2. */
static CosyStatus drain(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -cosy_sqrt(x[0]);
    return COSY_OK;
}

static const CosyEquation drain_equation = {0, 7, "X' = -SQRT(X)", false};
static const uint32_t first_equation[] = {0};
static const CosyModel tank = {.name = "TANK",
                               .states = 1,
                               .n_variables = 1,
                               .variables = xy,
                               .n_equations = 1,
                               .equations = &drain_equation,
                               .n_state_equations = 1,
                               .state_equation = first_equation,
                               .derivatives = drain};

/* X' = X^2: 1 / (1/x0 - t). */
static CosyStatus explode(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[0] * x[0];
    return COSY_OK;
}

static const CosyEquation explode_equation = {0, 9, "X' = X^2", false};
static const CosyModel explosion = {.name = "EXPLOSION",
                                    .states = 1,
                                    .n_variables = 1,
                                    .variables = xy,
                                    .n_equations = 1,
                                    .equations = &explode_equation,
                                    .n_state_equations = 1,
                                    .state_equation = first_equation,
                                    .derivatives = explode};

/* X' = t^6, by quadrature. */
static CosyStatus sixth_power(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    dx[0] = t * t * t * t * t * t;
    return COSY_OK;
}

static const CosyModel quadrature = {.name = "QUADRATURE",
                                     .states = 1,
                                     .n_variables = 1,
                                     .variables = xy,
                                     .derivatives = sixth_power};

/* ---- A solver on a table ------------------------------------------------- */

typedef struct Rig {
    Arena arena;
    Image image;
    Fault fault;
    Cosy c;
    real data[16], x[8];
    Solver s;
} Rig;

static Status rig_open(Rig *r, const CosyModel *m, const SolverOptions *o)
{
    memset(r, 0, sizeof *r);
    r->c.model = m;
    r->c.data = r->data;
    r->c.x = r->x;
    r->x[0] = R(0.0);
    r->x[1] = R(1.0);
    TRY(solver_create(&r->s, &r->c, o, &r->arena, &r->image, &r->fault));
    TRY(solver_resize(&r->s, m->states));
    if (m->reset != NULL) {
        m->reset(&r->c);
        m->initial(&r->c);
    }
    memcpy(r->s.x, r->x, m->states * sizeof(real));
    return STATUS_OK;
}

static void rig_close(Rig *r)
{
    solver_free(&r->s);
    arena_free(&r->arena);
}

static Status rig_run(Rig *r, real limit)
{
    Solver *s = &r->s;
    s->direction = limit > s->t ? 1 : -1;
    TRY(s->method->start(s));
    while (s->t != limit)
        TRY(s->method->step(s, limit));
    return STATUS_OK;
}

/* The state at `limit`, from the start of the model. */
static void run_model(const CosyModel *m, const SolverOptions *o, real limit,
                      real x[2])
{
    Rig r;
    CHECK(rig_open(&r, m, o) == STATUS_OK);
    CHECK(rig_run(&r, limit) == STATUS_OK);
    memcpy(x, r.s.x, 2 * sizeof(real));
    rig_close(&r);
}

static real distance(const real a[2], const real b[2])
{
    return cosy_max(cosy_abs(a[0] - b[0]), cosy_abs(a[1] - b[1]));
}

static double slope(real coarse, real fine)
{
    return log2((double)(coarse / fine));
}

/* ---- Tables -------------------------------------------------------------- */

static bool near(real a, real b)
{
    return cosy_abs(a - b) <= R(64.0) * COSY_EPSILON;
}

static void check_table(const RkTable *table)
{
    const real *a = table->a, *b = NULL;
    for (int i = 1; i < table->points; a += i, i++) {
        real sum = R(0.0), by_c = R(0.0), c = table->c[i];
        for (int j = 0; j < i; j++) {
            sum += a[j];
            by_c += a[j] * table->c[j];
        }
        CHECK(near(sum, c));
        if (table->order > 4 && i >= 2)
            CHECK(near(by_c, c * c / R(2.0)));
        if (i == table->stages)
            b = a;
    }
    for (int q = 0; q < table->order; q++) {
        real sum = R(0.0);
        for (int j = 0; j < table->stages; j++)
            sum += b[j] * (q == 0 ? R(1.0) : cosy_pow(table->c[j], (real)q));
        CHECK(near(sum, R(1.0) / (real)(q + 1)));
    }
}

static void test_tables(void)
{
    check_table(&rk_euler);
    check_table(&rk_rk4);
    check_table(&rk_rks);
    check_table(&rk_rke);
    check_table(&rk_rkf45);
    check_table(&rk_rkf78);
    check_table(&rk_dopri5);
    check_table(&rk_dop853);
}

/* ---- Order --------------------------------------------------------------- */

/* Steps at which the error is the first term of its series and well above
   rounding, in parts of the unit of time: on the circle and on the cycle for
   all precisions, and a smaller one for QUAD, which can see it. */
typedef struct OrderCase {
    const char *method;
    double order;
    int circle, cycle, many;
} OrderCase;

static const OrderCase order_cases[] = {
    {"EULER", 1.0, 512, 1024, 2048}, {"RK4", 4.0, 32, 64, 256},
    {"RKS", 4.0, 16, 32, 128},       {"RKE", 4.0, 16, 32, 128},
    {"RKF45", 5.0, 16, 32, 256},     {"RKF78", 8.0, 4, 16, 512},
    {"DOPRI5", 5.0, 16, 32, 256},    {"DOP853", 8.0, 4, 8, 512},
};

static void check_order(const CosyModel *m, const OrderCase *k, int parts,
                        real limit, const real expected[2])
{
    real error[2];
    for (int half = 0; half < 2; half++) {
        real x[2];
        SolverOptions o = {.method = k->method,
                           .step = R(1.0) / (real)(parts << half)};
        run_model(m, &o, limit, x);
        error[half] = distance(x, expected);
    }
    double found = slope(error[0], error[1]);
    if (fabs(found - k->order) >= 0.2)
        printf("%s %s: order %g from %g and %g\n", m->name, k->method, found,
               (double)error[0], (double)error[1]);
    CHECK(fabs(found - k->order) < 0.2);
}

/* At t = 3 no leading term of an error happens to be near zero on the cycle (at
   t = 1.5 that of DOPRI5 is, and hides its order). */
static void test_order(const CosyModel *vanderpol)
{
    const real limit = R(3.0);
    real circle[2] = {cosy_sin(limit), cosy_cos(limit)}, cycle[2];
    SolverOptions fine = {.method = "DOP853", .step = R(1.0) / R(64.0)};

    if (COSY_PRECISION == 3)
        fine.step = R(1.0) / R(4096.0);
    run_model(vanderpol, &fine, limit, cycle);
    for (size_t k = 0; k < LENGTH(order_cases); k++) {
        const OrderCase *o = &order_cases[k];
        check_order(&oscillator, o, o->circle, limit, circle);
        check_order(vanderpol, o, o->cycle, limit, cycle);
        if (COSY_PRECISION == 3) {
            check_order(&oscillator, o, o->many, limit, circle);
            check_order(vanderpol, o, o->many, limit, cycle);
        }
    }
}

/* Largest error of dense output inside one step from the start. */
static real dense_error(const char *method, real h)
{
    Rig r;
    SolverOptions o = {.method = method, .step = h};
    real largest = R(0.0);

    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(rig_run(&r, h) == STATUS_OK);
    CHECK(r.s.counts.steps == 1);
    for (int k = 1; k < 8; k++) {
        real t = h * (real)k / R(8.0), x[2];
        real exact[2] = {cosy_sin(t), cosy_cos(t)};
        r.s.method->dense(&r.s, t, x);
        largest = cosy_max(largest, distance(x, exact));
    }
    rig_close(&r);
    return largest;
}

/* Inside a step the error grows as a power of h one above the order of the
   interpolation: EULER 1, cubic 3, RKS to DOPRI5 4, RKF78 and DOP853 7. */
static void test_dense_order(void)
{
    static const struct {
        const char *method;
        double power;
        int parts;
    } cases[] = {{"EULER", 2.0, 64}, {"RK4", 4.0, 8},   {"RKS", 5.0, 4},
                 {"RKE", 5.0, 4},    {"RKF45", 5.0, 4}, {"RKF78", 8.0, 1},
                 {"DOPRI5", 5.0, 4}, {"DOP853", 8.0, 1}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        int parts = cases[k].parts * (COSY_PRECISION == 3 ? 16 : 1);
        real h = R(1.0) / (real)parts;
        double found = slope(dense_error(cases[k].method, h),
                             dense_error(cases[k].method, h / R(2.0)));
        if (fabs(found - cases[k].power) >= 0.2)
            printf("dense %s: %g\n", cases[k].method, found);
        CHECK(fabs(found - cases[k].power) < 0.2);
    }
}

/* A polynomial of degree 7 goes through a method of order 8 and its dense
   output with no error but rounding: the coefficients are as exact as the
   precision. */
static void test_dense_exact(const char *method, uint64_t evaluations)
{
    Rig r;
    SolverOptions o = {.method = method, .step = R(1.0)};

    CHECK(rig_open(&r, &quadrature, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(1.0)) == STATUS_OK);
    for (int k = 0; k <= 8; k++) {
        real t = (real)k / R(8.0), x[1];
        r.s.method->dense(&r.s, t, x);
        CHECK(near(x[0], cosy_pow(t, R(7.0)) / R(7.0)));
    }
    CHECK(r.s.counts.rhs == evaluations); // found once for the step
    rig_close(&r);
}

/* X' = the density of a normal distribution about t = 2. Fehlberg's own
   estimate knows nothing about states that do not depend on states. */
static CosyStatus bump(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)x;
    real u = (t - R(2.0)) / R(0.25);
    dx[0] = cosy_exp(-u * u) / (R(0.25) * cosy_sqrt(R(3.14159265358979323846)));
    return COSY_OK;
}

static const CosyModel quadrature_of_bump = {.name = "BUMP",
                                             .states = 1,
                                             .n_variables = 1,
                                             .variables = xy,
                                             .derivatives = bump};

/* The integral of a normal density, 1 over all time. */
static void test_quadrature(const char *method)
{
    Rig r;
    SolverOptions o = {.method = method, .relerr = R(1e-8), .dtmax = R(0.5)};
    CHECK(rig_open(&r, &quadrature_of_bump, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(6.0)) == STATUS_OK);
    CHECK(cosy_abs(r.s.x[0] - R(1.0)) < R(1e-7));
    CHECK(r.s.counts.steps > 40); // 12 would do without control
    rig_close(&r);
}

/* ---- Steps --------------------------------------------------------------- */

static void test_redo(const char *method)
{
    Rig r, direct;
    SolverOptions o = {.method = method, .relerr = R(1e-9)};
    real x[2], inside[2];

    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(1.0)) == STATUS_OK);
    CHECK(r.s.method->step(&r.s, R(9.0)) == STATUS_OK);
    real t0 = r.s.t0, t = r.s.t, middle = t0 + R(0.375) * (t - t0);
    memcpy(x, r.s.x, sizeof x);
    r.s.method->dense(&r.s, middle, inside);

    // The same bytes as one fixed step of that length from the same point.
    CHECK(r.s.method->redo(&r.s, middle) == STATUS_OK);
    CHECK(r.s.t == middle && r.s.t0 == t0);
    CHECK(distance(inside, r.s.x) < R(1e-7));
    o.step = R(1.0);
    CHECK(rig_open(&direct, &oscillator, &o) == STATUS_OK);
    direct.s.t = t0;
    memcpy(direct.s.x, r.s.x0, sizeof x);
    CHECK(direct.s.method->start(&direct.s) == STATUS_OK);
    CHECK(direct.s.method->step(&direct.s, middle) == STATUS_OK);
    CHECK(memcmp(direct.s.x, r.s.x, sizeof x) == 0);
    CHECK(memcmp(direct.s.dx, r.s.dx, sizeof x) == 0);
    rig_close(&direct);

    // Dense output covers what is left of the step.
    real quarter = t0 + (middle - t0) / R(4.0), dense[2];
    real exact[2] = {cosy_sin(quarter), cosy_cos(quarter)};
    r.s.method->dense(&r.s, quarter, dense);
    CHECK(distance(dense, exact) < R(1e-7));

    CHECK(r.s.method->redo(&r.s, t) == STATUS_OK);
    CHECK(memcmp(x, r.s.x, sizeof x) == 0);
    rig_close(&r);
}

static void test_backward(const CosyModel *vanderpol, const char *method)
{
    Rig r;
    SolverOptions o = {.method = method, .relerr = R(1e-12)};

    CHECK(rig_open(&r, vanderpol, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(4.0)) == STATUS_OK);
    CHECK(cosy_abs(r.s.x[0] - R(0.5)) > R(0.1));
    CHECK(rig_run(&r, R(0.0)) == STATUS_OK);
    CHECK(r.s.t == R(0.0) && r.s.h < R(0.0));
    CHECK(distance(r.s.x, (real[]){R(0.5), R(-0.5)}) < R(1e-9));
    rig_close(&r);
}

/* A hundred times the accuracy gains about that much. */
static void test_tolerance(const char *method)
{
    real exact[2] = {cosy_sin(R(20.0)), cosy_cos(R(20.0))}, error[3];
    for (int k = 0; k < 3; k++) {
        real x[2];
        SolverOptions o = {.method = method,
                           .relerr = cosy_pow(R(10.0), (real)(-5 - 2 * k))};
        run_model(&oscillator, &o, R(20.0), x);
        error[k] = distance(x, exact);
        CHECK(error[k] < R(1e3) * o.relerr);
    }
    double gain = log10((double)(error[0] / error[2])) / 4.0;
    if (gain < 0.7 || gain > 1.3)
        printf("%s: gain %g\n", method, gain);
    CHECK(gain > 0.7 && gain < 1.3);
}

/* What the step size control costs on the cycle from 0 to 20, within a
   twentieth: steps, and trials including those that were rejected. Measured
   with this code; a worse controller or a wrong estimate shows here first. */
static void test_effort(const CosyModel *vanderpol)
{
    static const struct {
        const char *method;
        double steps, trials;
    } cases[] = {{"RKS", 316.0, 355.0},    {"RKE", 218.0, 239.0},
                 {"RKF45", 242.0, 270.0},  {"RKF78", 87.0, 103.0},
                 {"DOPRI5", 232.0, 264.0}, {"DOP853", 95.0, 122.0}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        Rig r;
        SolverOptions o = {.method = cases[k].method};
        CHECK(rig_open(&r, vanderpol, &o) == STATUS_OK);
        CHECK(rig_run(&r, R(20.0)) == STATUS_OK);
        double steps = (double)r.s.counts.steps;
        double trials = steps + (double)r.s.counts.rejected;
        CHECK(fabs(steps / cases[k].steps - 1.0) < 0.05);
        CHECK(fabs(trials / cases[k].trials - 1.0) < 0.05);
        rig_close(&r);
    }
}

static void test_limits(void)
{
    Rig r;
    SolverOptions o = {.method = "DOPRI5", .dtmax = R(0.125)};

    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    while (r.s.t != R(2.0)) {
        CHECK(r.s.method->step(&r.s, R(2.0)) == STATUS_OK);
        CHECK(r.s.t - r.s.t0 < R(0.125) + R(1e-14));
    }
    // Just beyond the proposal: two halves, not one step and a crumb.
    r.s.h = R(0.1);
    CHECK(r.s.method->step(&r.s, R(2.11)) == STATUS_OK);
    CHECK(cosy_abs(r.s.t - R(2.055)) < R(1e-12));
    // A few units in the last place too long: stretched.
    r.s.h = R(0.1);
    real limit = r.s.t + R(0.1);
    limit += limit * R(4.0) * COSY_EPSILON;
    CHECK(r.s.method->step(&r.s, limit) == STATUS_OK);
    CHECK(r.s.t == limit);
    rig_close(&r);

    // DTMIN: too large to be accurate.
    o = (SolverOptions){.method = "DOPRI5", .dtmin = R(1.0)};
    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(20.0)) == STATUS_STEP_LIMIT);
    CHECK(r.s.t == R(0.0) && r.s.x[1] == R(1.0));
    CHECK(strstr(r.fault.text, "smaller than DTMIN at TIME = 0, ") != NULL);
    CHECK(strstr(r.fault.text, "give a smaller DTMIN") != NULL);
    rig_close(&r);

    // No step is shorter, except the one that meets the limit.
    o = (SolverOptions){.method = "DOPRI5", .dtmin = R(0.125)};
    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    while (r.s.t != R(2.0625)) {
        CHECK(r.s.method->step(&r.s, R(2.0625)) == STATUS_OK);
        CHECK(r.s.t == R(2.0625) || r.s.t - r.s.t0 > R(0.125) - R(1e-14));
    }
    rig_close(&r);
}

static void test_fixed_step(const char *method)
{
    Rig r;
    SolverOptions o = {.method = method, .step = R(0.1)};

    CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
    CHECK(rig_run(&r, R(20.0)) == STATUS_OK);
    CHECK(r.s.counts.steps == 200 && r.s.counts.rejected == 0);
    rig_close(&r);

    // Cut short at 0.25, then back on the grid, even after an event.
    static const real limits[] = {R(0.25), R(0.25), R(0.25), R(9.0), R(9.0)};
    static const double ends[] = {0.1, 0.2, 0.25, 0.3, 0.4};
    for (int event = 0; event < 2; event++) {
        CHECK(rig_open(&r, &oscillator, &o) == STATUS_OK);
        CHECK(r.s.method->start(&r.s) == STATUS_OK);
        for (int k = 0; k < 5; k++) {
            if (event && k == 3)
                CHECK(r.s.method->start(&r.s) == STATUS_OK);
            CHECK(r.s.method->step(&r.s, limits[k]) == STATUS_OK);
            CHECK(fabs((double)r.s.t - ends[k]) < 1e-14);
        }
        rig_close(&r);
    }
}

/* ---- Failures ------------------------------------------------------------ */

static void test_not_a_number(const char *method)
{
    Rig r;
    SolverOptions o = {.method = method};

    CHECK(rig_open(&r, &tank, &o) == STATUS_OK);
    r.s.x[0] = R(1.0);
    CHECK(rig_run(&r, R(3.0)) == STATUS_NUMBER);
    CHECK(r.s.counts.rejected > 0);
    CHECK(cosy_abs(r.s.t - R(2.0)) < R(1e-3));
    CHECK(cosy_finite(r.s.x[0]) && cosy_finite(r.s.dx[0]));
    CHECK(r.fault.status == STATUS_NUMBER);
    CHECK(strstr(r.fault.text, "TIME = ") != NULL);
    CHECK(strstr(r.fault.text, " X (line 7: X' = -SQRT(X))") != NULL);
    rig_close(&r);

    // At the start there is no smaller step to try.
    CHECK(rig_open(&r, &tank, &o) == STATUS_OK);
    r.s.x[0] = R(-1.0);
    CHECK(rig_run(&r, R(3.0)) == STATUS_NUMBER);
    CHECK(strstr(r.fault.text, "TIME = 0, X (line 7") != NULL);
    rig_close(&r);
}

static void test_escape(const char *method)
{
    Rig r;
    SolverOptions o = {.method = method};

    CHECK(rig_open(&r, &explosion, &o) == STATUS_OK);
    r.s.x[0] = R(2.0);
    CHECK(rig_run(&r, R(1.0)) == STATUS_STEP_LIMIT);
    // A relative error e of X moves the end by e / 2.
    CHECK(cosy_abs(r.s.t - R(0.5)) < R(2.0) * r.s.options.relerr);
    CHECK(strstr(r.fault.text, "X (line 9: X' = X^2), X = ") != NULL);
    CHECK(strstr(r.fault.text, "grows without bound") != NULL);
    CHECK(strstr(r.fault.text, "TIME = 0.") != NULL);
    rig_close(&r);
}

static void test_usage(void)
{
    Rig r;
    SolverOptions o = {.method = "RK4"};
    CHECK(rig_open(&r, &oscillator, &o) == STATUS_USAGE);
    CHECK(strstr(r.fault.text, "STEP") != NULL);
    rig_close(&r);

    o.method = "RK5";
    CHECK(rig_open(&r, &oscillator, &o) == STATUS_USAGE);
    CHECK(strstr(r.fault.text, "DOP853") != NULL);
    rig_close(&r);

    o = (SolverOptions){.relerr = COSY_EPSILON};
    CHECK(rig_open(&r, &oscillator, &o) == STATUS_USAGE);
    rig_close(&r);

    CHECK(method_find("dop853") == &method_dop853);
    CHECK((method_find("BDF") != NULL) == (COSY_PRECISION == 1));
    size_t methods = 0;
    for (const Method *m; (m = method_list(methods)) != NULL; methods++)
        CHECK(method_find(m->name) == m);
    CHECK(methods >= 9);
}

/* What base/methods.def says of a method is what its table says. */
static void test_facts(void)
{
    const MethodFacts *f;
    for (size_t k = 0; (f = method_facts_at(k)) != NULL; k++) {
        const Method *m = method_find(f->name);
        bool there = !f->chooses && (COSY_PRECISION == 1 || !f->only_double);
        CHECK((m != NULL) == there);
        if (m == NULL)
            continue;
        CHECK(((m->features & METHOD_IMPLICIT) != 0) == f->implicit);
        CHECK(((m->features & METHOD_FIXED) != 0) == f->fixed);
        CHECK(((m->features & METHOD_SAVES) == 0) == f->multi_step);
    }
}

static void test_no_memory(void)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        Rig r;
        SolverOptions o = {.method = "DOP853"};
        scarce_begin(n);
        Status status = rig_open(&r, &oscillator, &o);
        refused = scarce_end();
        CHECK(status == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        rig_close(&r);
    }
}

/* ---- Sizes and names ----------------------------------------------------- */

static void test_sizes(void)
{
    static CosyVariable variables[] = {STATE("A", 0, 1), STATE("B", 1, 1),
                                       STATE("C", 2, 1)};
    variables[0].low = R(-5.0);
    variables[0].high = R(3.0);
    static const real nominal[] = {R(0.0), R(100.0), R(0.0)};
    CosyModel m = oscillator;
    m.states = m.n_variables = 3;
    m.variables = variables;
    m.nominal = nominal;

    Rig r;
    SolverOptions o = {.method = "DOPRI5"};
    uint32_t where = 9;
    real weight[3], e[3] = {R(0.0), R(3e-7), R(-2e-9)};
    CHECK(rig_open(&r, &m, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    CHECK(near(r.s.abserr[0] * R(1e9), R(5.0)));
    CHECK(near(r.s.abserr[1] * R(1e9), R(100.0)));
    CHECK(near(r.s.abserr[2] * R(1e9), R(1.0)));
    solver_scale(&r.s, r.s.x, r.s.x, weight);
    CHECK(near(weight[1], R(1e-6) + R(1e-7))); // x = 1
    CHECK(near(solver_norm(&r.s, e, weight, &where), R(2.0)) && where == 2);
    CHECK(near(solver_error(&r.s, r.s.x, r.s.x, e, &where), R(2.0)));
    e[1] = cosy_sqrt(R(-1.0));
    CHECK(solver_norm(&r.s, e, weight, &where) > R(1e30) && where == 1);
    rig_close(&r);

    o.relerr = R(1e-8); // takes abserr along
    CHECK(rig_open(&r, &m, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    CHECK(near(r.s.abserr[2] * R(1e11), R(1.0)));
    rig_close(&r);
    o.abserr = R(1e-5);
    CHECK(rig_open(&r, &m, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    CHECK(r.s.abserr[0] == R(1e-5));
    rig_close(&r);
}

/* An array has one size, which grows with its largest element; a state that was
   zero is not followed below the noise of the largest. */
static void test_array_size(void)
{
    static CosyVariable variables[] = {STATE("U", 0, 2), STATE("C", 2, 1)};
    CosyModel m = oscillator;
    m.states = 3;
    m.variables = variables;

    Rig r;
    SolverOptions o = {.method = "DOPRI5"};
    CHECK(rig_open(&r, &m, &o) == STATUS_OK);
    CHECK(r.s.method->start(&r.s) == STATUS_OK);
    CHECK(r.s.size[0] == R(1.0) && r.s.size[2] == R(0.0));
    r.s.x[0] = R(4.0);
    r.s.x[2] = R(1e-40);
    CHECK(solver_accept(&r.s) == STATUS_OK);
    CHECK(r.s.size[1] == R(4.0));
    CHECK(near(r.s.abserr[1] * R(1e9), R(4.0)));
    CHECK(near(r.s.abserr[2], R(16.0) * COSY_EPSILON));
    CHECK(r.s.abserr[2] > R(8.0) * COSY_EPSILON);
    r.s.x[1] = COSY_REAL_MAX * R(2.0);
    CHECK(solver_accept(&r.s) == STATUS_NUMBER && r.s.culprit == 1);
    rig_close(&r);
}

static void test_names(void)
{
    CosyVariable variables[] = {STATE("X", 0, 1), STATE("U", 1, 20),
                                STATE("A", 21, 2), STATE("V", 0, 1),
                                STATE("PHI", 1, 1)};
    variables[2].columns = 3;
    variables[3].process = variables[4].process = 0;
    static const CosyCopyInfo stone = {
        .name = "STONE", .states = 2, .size = sizeof(CosyCopy)};
    CosyModel m = {.name = "NAMES",
                   .states = 27,
                   .n_variables = LENGTH(variables),
                   .variables = variables,
                   .n_copies = 1,
                   .copies = &stone};
    CosyCopies copies = {.active = 2, .first = 27};
    CosyCopy attributes[] = {{.number = 1}, {.number = 3}};
    unsigned char *blocks[] = {(unsigned char *)attributes};
    Cosy c = {.model = &m, .copy = &copies, .attributes = blocks};
    Solver s = {.model = &m, .c = &c};

    static const struct {
        uint32_t i;
        const char *name;
    } cases[] = {{0, "X"},
                 {17, "U[17]"},
                 {21, "A[1,1]"},
                 {26, "A[2,3]"},
                 {28, "STONE[1].PHI"},
                 {29, "STONE[3].V"},
                 {30, "STONE[3].PHI"},
                 {31, "state 32"}};
    for (size_t k = 0; k < LENGTH(cases); k++) {
        char name[64];
        solver_state_name(&s, cases[k].i, name, sizeof name);
        CHECK_TEXT(name, cases[k].name);
    }
}

/* ---- Snapshots ----------------------------------------------------------- */

static void walk(Rig *r, int steps)
{
    for (int k = 0; k < steps; k++)
        CHECK(r->s.method->step(&r->s, R(1000.0)) == STATUS_OK);
}

static void test_snapshot(const CosyModel *m, const SolverOptions *o)
{
    Folder folder;
    Rig first, second;
    real early[2], late[2];

    folder_make(&folder);
    CHECK(rig_open(&first, m, o) == STATUS_OK);
    CHECK(first.s.method->start(&first.s) == STATUS_OK);
    walk(&first, 10);
    CHECK(image_save(&first.image, folder_file(&folder, "run"), "rk",
                     &first.fault) == STATUS_OK);
    real inside = (first.s.t0 + first.s.t) / R(2.0);
    first.s.method->dense(&first.s, inside, early);
    walk(&first, 20);

    CHECK(rig_open(&second, m, o) == STATUS_OK);
    CHECK(image_load(&second.image, folder_file(&folder, "run"), "rk",
                     &second.fault) == STATUS_OK);
    CHECK(solver_attach(&second.s) == STATUS_OK);
    second.s.method->dense(&second.s, inside, late);
    CHECK(distance(early, late) == R(0.0));
    walk(&second, 20);
    for (size_t k = 0; k < SOLVER_VECTORS; k++) {
        const Vector *a = &first.s.memory[k], *b = &second.s.memory[k];
        CHECK(a->used == b->used);
        CHECK(a->used == 0 || memcmp(a->bytes, b->bytes, a->used) == 0);
    }
    CHECK(first.s.t == second.s.t && first.s.h == second.s.h);
    CHECK(first.s.counts.rhs == second.s.counts.rhs);
    rig_close(&first);
    rig_close(&second);
    folder_remove(&folder);
}

static const char *const precision_name[] = {"", "double", "extended", "quad"};

static void test_all(const CosyModel *vanderpol)
{
    static const char *const controlled[] = {"RKS",   "RKE",    "RKF45",
                                             "RKF78", "DOPRI5", "DOP853"};
    static const char *const fixed[] = {"EULER", "RK4",   "RKS",    "RKE",
                                        "RKF45", "RKF78", "DOPRI5", "DOP853"};

    test_tables();
    test_order(vanderpol);
    test_dense_order();
    test_dense_exact("DOP853", 1 + 12 + 3);
    test_dense_exact("RKF78", 1 + 13 + 4);
    test_effort(vanderpol);
    test_limits();
    test_usage();
    test_facts();
    test_no_memory();
    test_sizes();
    test_array_size();
    test_names();
    for (size_t k = 0; k < LENGTH(controlled); k++) {
        test_redo(controlled[k]);
        test_backward(vanderpol, controlled[k]);
        test_tolerance(controlled[k]);
        test_quadrature(controlled[k]);
        test_not_a_number(controlled[k]);
        test_escape(controlled[k]);
        test_snapshot(vanderpol, &(SolverOptions){.method = controlled[k]});
    }
    for (size_t k = 0; k < LENGTH(fixed); k++) {
        SolverOptions o = {.method = fixed[k], .step = R(0.03)};
        test_fixed_step(fixed[k]);
        test_snapshot(vanderpol, &o);
    }
}

int main(void)
{
    const char *folder = getenv("COSY_MODELS");
    char path[1024];
    Fault fault = {0};
    Loaded loaded;

    snprintf(path, sizeof path, "%s/vanderpol.%s.so",
             folder != NULL ? folder : "build/models",
             precision_name[COSY_PRECISION]);
    Status status = load_open(&loaded, path, &fault);
    CHECK(status == STATUS_OK);
    if (status != STATUS_OK) {
        printf("%s\n", fault.text);
        return check_end();
    }
    test_all(loaded.model);
    load_close(&loaded);
    return check_end();
}
