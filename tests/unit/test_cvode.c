#include "check.h"
#include "solve/sundials.h"
#include "stiff.h"

static SolverOptions options(const char *method, real relerr, real abserr)
{
    return (SolverOptions){
        .method = method, .relerr = relerr, .abserr = abserr};
}

static void expect(const char *name, const CosyModel *m, const SolverOptions *o,
                   const real *begin, real t_end, const real *end, double error)
{
    Drive d;
    CHECK(drive_open(&d, m, o, begin) == STATUS_OK);
    CHECK(drive_to(&d, t_end) == STATUS_OK);
    CHECK(d.s.t == t_end);
    CHECK_TEXT(d.fault.text, "");
    double found = drive_error(&d, end);
    drive_tell(&d, name, found);
    CHECK(found < error);
    CHECK(d.s.counts.steps > 0 && d.s.counts.iterations > 0);
    drive_close(&d);
}

#define PI 3.14159265358979323846

static void test_gear(void)
{
    SolverOptions o = options("GEAR", 1e-8, 1e-12);
    real one[] = {1.0}, end[] = {cos(1.0)}, u[HEAT], v[HEAT];
    double h = PI / (HEAT + 1);
    double wave = 4.0 * (HEAT + 1) * (HEAT + 1) * sin(h / 2) * sin(h / 2);
    expect("Prothero, Robinson", &prothero, &o, one, 1.0, end, 1e-7);
    expect("HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-5);
    for (int i = 0; i < HEAT; i++) {
        u[i] = sin(h * (i + 1));
        v[i] = u[i] * exp(-0.1 * wave);
    }
    expect("heat, sparse", &heat, &o, u, 0.1, v, 1e-6);
    o = options("BDF", 1e-8, 1e-22);
    expect("Robertson", &robertson, &o, robertson_begin, 1e11, robertson_end,
           1e-5);
}

/* ---- Matrices --------------------------------------------------------------- */

static SunKind kind_of(const Drive *d)
{
    return ((const Sun *)d->s.impl)->matrix.kind;
}

/* Heat in a ring of 40 cells: sparse, but not a band. */
enum { RING = 40 };

static CosyStatus ring_rhs(Cosy *c, real t, const real *u, real *du)
{
    (void)c;
    (void)t;
    for (int i = 0; i < RING; i++)
        du[i] =
            400.0 * (u[(i + 1) % RING] - 2.0 * u[i] + u[(i + RING - 1) % RING]);
    return COSY_OK;
}

static CosyStatus ring_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                               uint32_t *count)
{
    (void)c;
    *count = 3 * RING;
    for (uint32_t k = 0; row != NULL && k < 3 * RING; k++) {
        column[k] = k / 3;
        row[k] = (k / 3 + k % 3 + RING - 1) % RING;
    }
    return COSY_OK;
}

static const CosyModel ring = {STIFF_MODEL("RING", RING),
                               .derivatives = ring_rhs,
                               .pattern = ring_pattern};

/* The solver follows the pattern; all of them meet the closed form. */
static void test_matrices(const char *method)
{
    SolverOptions o = options(method, 1e-8, 1e-12);
    real u[HEAT] = {0.0}, v[HEAT], end[1] = {cos(1.0)}, one[1] = {1.0};
    double h = 2.0 * PI / RING, rate = 1600.0 * sin(h / 2) * sin(h / 2);
    Drive d;
    for (int i = 0; i < RING; i++) {
        u[i] = 2.0 + sin(h * i);
        v[i] = 2.0 + sin(h * i) * exp(-0.05 * rate);
    }
    expect("ring, KLU", &ring, &o, u, 0.05, v, 1e-6);
    CHECK(drive_open(&d, &ring, &o, u) == STATUS_OK);
    CHECK(kind_of(&d) == SUN_KLU);
    drive_close(&d);
    CHECK(drive_open(&d, &heat, &o, u) == STATUS_OK);
    CHECK(kind_of(&d) == SUN_BAND);
    drive_close(&d);
    expect("Prothero, dense", &prothero, &o, one, 1.0, end, 1e-7);
    CHECK(drive_open(&d, &prothero, &o, one) == STATUS_OK);
    CHECK(kind_of(&d) == SUN_DENSE);
    drive_close(&d);
}

/* ---- IDA ---------------------------------------------------------------------- */

static void test_ida(void)
{
    SolverOptions o = options("IDA", 1e-8, 1e-12);
    real one[] = {1.0}, end[] = {cos(1.0)}, u[HEAT], v[HEAT];
    double h = PI / (HEAT + 1);
    double wave = 4.0 * (HEAT + 1) * (HEAT + 1) * sin(h / 2) * sin(h / 2);
    expect("IDA: Prothero", &prothero, &o, one, 1.0, end, 1e-7);
    expect("IDA: HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-5);
    for (int i = 0; i < HEAT; i++) {
        u[i] = sin(h * (i + 1));
        v[i] = u[i] * exp(-0.1 * wave);
    }
    expect("IDA: heat, band", &heat, &o, u, 0.1, v, 1e-6);
    expect("IDA: Akzo Nobel", &akzo, &o, akzo_begin, 180.0, akzo_end, 1e-6);
    /* An algebraic state that does not fit is adjusted. */
    real off[6];
    memcpy(off, akzo_begin, sizeof off);
    off[5] = 1.0;
    expect("IDA: Akzo, not consistent", &akzo, &o, off, 180.0, akzo_end, 1e-6);
    o.abserr = 1e-22;
    expect("IDA: Robertson", &robertson, &o, robertson_begin, 1e11,
           robertson_end, 1e-5);
}

/* Robertson as a DAE that is not solved for its derivatives: the last equation
   is the sum, and there is no function of derivatives. */
static CosyStatus implicit_residual(Cosy *c, real t, const real *x,
                                    const real *dx, real *r)
{
    (void)c;
    (void)t;
    real f = -0.04 * x[0] + 1e4 * x[1] * x[2], g = 3e7 * x[1] * x[1];
    r[0] = dx[0] - f;
    r[1] = dx[0] + dx[1] + g;
    r[2] = x[0] + x[1] + x[2] - 1.0;
    return COSY_OK;
}

static const CosyModel implicit = {STIFF_MODEL("IMPLICIT", 3),
                                   .residual = implicit_residual};

static CosyStatus no_conditions(Cosy *c, real t, const real *x, const real *dx,
                                CosyCondition *list, uint32_t *count)
{
    (void)c, (void)t, (void)x, (void)dx, (void)list;
    *count = 0;
    return COSY_OK;
}

static void test_residual(void)
{
    SolverOptions o = options("IDA", 1e-8, 1e-14);
    CosyModel watched = implicit;
    Drive d;
    expect("IDA: residual", &implicit, &o, robertson_begin, 1e11, robertson_end,
           1e-3);
    CHECK(drive_open(&d, &implicit, &o, robertson_begin) == STATUS_OK);
    CHECK(drive_to(&d, 0.4) == STATUS_OK);
    real f = -0.04 * d.s.x[0] + 1e4 * d.s.x[1] * d.s.x[2];
    CHECK(fabs(d.s.dx[0] - f) < 1e-6);
    drive_close(&d);
    o.method = "GEAR";
    CHECK(drive_open(&d, &implicit, &o, robertson_begin) == STATUS_USAGE);
    CHECK(strstr(d.fault.text, "IDA") != NULL);
    drive_close(&d);
    o.method = "IDA";
    watched.conditions = no_conditions;
    CHECK(drive_open(&d, &watched, &o, robertson_begin) == STATUS_UNSUPPORTED);
    drive_close(&d);
}

static const real body_begin[] = {0.0, 1.0, 1.0};

static void body_end(real *end)
{
    SolverOptions o = options("RADAU5", 1e-13, 1e-15);
    Drive d;
    CHECK(drive_open(&d, &smooth, &o, body_begin) == STATUS_OK);
    CHECK(drive_to(&d, 2.0) == STATUS_OK);
    memcpy(end, d.s.x, 3 * sizeof(real));
    drive_close(&d);
}

static void test_adams(void)
{
    SolverOptions o = options("ADAMS", 1e-10, 1e-13);
    real end[3];
    body_end(end);
    expect("rigid body", &smooth, &o, body_begin, 2.0, end, 1e-7);
}

/* A step is repeated to an earlier end, and the run continues from there; time
   is reversed. */
static void test_interface(const char *method)
{
    SolverOptions o = options(method, 1e-9, 1e-12);
    real end[3], x[3];
    Drive d;
    body_end(end);
    CHECK(drive_open(&d, &smooth, &o, body_begin) == STATUS_OK);
    while (d.s.t < 1.0)
        CHECK(d.s.method->step(&d.s, 2.0) == STATUS_OK);
    real t0 = d.s.t0, mid = (t0 + d.s.t) / 2;
    d.s.method->dense(&d.s, t0, x);
    CHECK(fabs(x[0] - d.s.x0[0]) < 1e-7);
    d.s.method->dense(&d.s, d.s.t, x);
    CHECK(x[0] == d.s.x[0]);
    d.s.method->dense(&d.s, mid, x);
    CHECK(d.s.method->redo(&d.s, (t0 + mid) / 2) == STATUS_OK);
    CHECK(d.s.method->redo(&d.s, mid) == STATUS_OK);
    CHECK(d.s.t == mid && d.s.t0 == t0 && memcmp(x, d.s.x, sizeof x) == 0);
    CHECK(fabs(d.s.dx[0] - x[1] * x[2]) < 1e-15);
    CHECK(drive_to(&d, 2.0) == STATUS_OK);
    CHECK(drive_error(&d, end) < 1e-6);
    d.s.direction = -1;
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    CHECK(drive_to(&d, 0.0) == STATUS_OK);
    CHECK(fabs(d.s.x[1] - 1.0) < 1e-6 && fabs(d.s.x[0]) < 1e-6);
    d.s.direction = 1;
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    // A limit nearer than CVODE can start with.
    CHECK(d.s.method->step(&d.s, 1e-320) == STATUS_OK && d.s.t == 1e-320);
    CHECK(drive_to(&d, 2.0) == STATUS_OK);
    CHECK(drive_error(&d, end) < 1e-5);
    drive_close(&d);
}

static void reference(real t, real *x)
{
    SolverOptions o = options("RADAU5", 1e-12, 1e-14);
    Drive d;
    CHECK(drive_open(&d, &smooth, &o, body_begin) == STATUS_OK);
    CHECK(drive_to(&d, t) == STATUS_OK);
    memcpy(x, d.s.x, 3 * sizeof(real));
    drive_close(&d);
}

/* After a shortened step the next one begins at its end, and dense output
   covers it. If x was moved, the next step begins there. */
static void test_anew(const char *method)
{
    SolverOptions o = options(method, 1e-8, 1e-11);
    real x[3], exact[3];
    Drive d;
    CHECK(drive_open(&d, &smooth, &o, body_begin) == STATUS_OK);
    while (d.s.t < 1.0)
        CHECK(d.s.method->step(&d.s, 2.0) == STATUS_OK);
    CHECK(d.s.method->redo(&d.s, d.s.t0 + 0.2 * (d.s.t - d.s.t0)) == STATUS_OK);
    real from = d.s.t;
    CHECK(d.s.method->step(&d.s, 2.0) == STATUS_OK);
    CHECK(d.s.t0 == from);
    real t = d.s.t0 + 0.3 * (d.s.t - d.s.t0);
    d.s.method->dense(&d.s, t, x);
    reference(t, exact);
    for (int i = 0; i < 3; i++)
        CHECK(fabs(x[i] - exact[i]) < 1e-6);
    d.s.x[0] += 0.01;
    CHECK(d.s.method->step(&d.s, 2.0) == STATUS_OK);
    CHECK(fabs(d.s.x[0] - d.s.x0[0]) < 1.1 * (d.s.t - d.s.t0));
    CHECK(d.s.t - d.s.t0 < 0.005);
    drive_close(&d);
}

/* ---- Refusals and failures ---------------------------------------------------- */

static void test_refusals(void)
{
    SolverOptions o = options("GEAR", 1e-6, 1e-9);
    Drive d;
    CHECK(drive_open(&d, &akzo, &o, akzo_begin) == STATUS_USAGE);
    CHECK(strstr(d.fault.text, "RADAU") != NULL);
    drive_close(&d);
    o.step = 0.1;
    CHECK(drive_open(&d, &smooth, &o, body_begin) == STATUS_UNSUPPORTED);
    CHECK(strstr(d.fault.text, "STEP") != NULL);
    drive_close(&d);
    CHECK((method_find("GEAR")->features & METHOD_SAVES) == 0);
    CHECK((method_find("ADAMS")->features & METHOD_SAVES) == 0);
    CHECK((method_find("IDA")->features & METHOD_SAVES) == 0);
}

static CosyStatus root_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -sqrt(x[0]) - 0.01;
    return COSY_OK;
}

static const CosyModel root = {STIFF_MODEL("ROOT", 1), .derivatives = root_rhs};

static CosyStatus square_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[0] * x[0];
    return COSY_OK;
}

static const CosyModel square = {STIFF_MODEL("SQUARE", 1),
                                 .derivatives = square_rhs};

static void expect_fault(const char *method, const CosyModel *m, real dtmin,
                         Status status)
{
    SolverOptions o = options(method, 1e-6, 1e-9);
    real begin[] = {1.0};
    Drive d;
    o.dtmin = dtmin;
    CHECK(drive_open(&d, m, &o, begin) == STATUS_OK);
    CHECK(drive_to(&d, 4.0) == status);
    CHECK(d.fault.status == status);
    CHECK(strstr(d.fault.text, "Y1") != NULL);
    CHECK(strstr(d.fault.text, "line 11") != NULL);
    CHECK(cosy_finite(d.s.x[0]) && cosy_finite(d.s.dx[0]));
    printf("%s\n", d.fault.text);
    drive_close(&d);
}

static void test_faults(void)
{
    expect_fault("GEAR", &root, 0.0, STATUS_NUMBER);
    expect_fault("ADAMS", &root, 0.0, STATUS_NUMBER);
    expect_fault("IDA", &root, 0.0, STATUS_NUMBER);
    expect_fault("IDA", &square, 1e-8, STATUS_STEP_LIMIT);
    expect_fault("GEAR", &square, 1e-8, STATUS_STEP_LIMIT);
}

int main(void)
{
    test_gear();
    test_adams();
    test_matrices("GEAR");
    test_matrices("IDA");
    test_ida();
    test_residual();
    test_interface("GEAR");
    test_interface("ADAMS");
    test_interface("IDA");
    test_anew("GEAR");
    test_anew("ADAMS");
    test_anew("IDA");
    test_refusals();
    test_faults();
    return check_end();
}
