#include "solve/radau.h"

#include "check.h"
#include "folder.h"
#include "pollution.h"
#include "scarce.h"

static const SolverOptions radau = {.method = "RADAU5"};

static SolverOptions tolerance(real relerr, real abserr)
{
    SolverOptions o = radau;
    o.relerr = relerr;
    o.abserr = abserr;
    return o;
}

/* ---- Coefficients ---------------------------------------------------------- */

#define CLOSE(a, b, places) (cosy_abs((a) - (b)) < (places)*COSY_EPSILON)

/* T Lambda inverse(T) v, or the same with the inverse of Lambda. */
static void times_matrix(const RadauTable *a, bool inverse, const real *v,
                         real *y)
{
    real w[RADAU_STAGES] = {R(0.0)};
    for (int k = 0; k < a->stages; k++)
        for (int l = 0; l < a->stages; l++)
            w[k] += a->ti[k][l] * v[l];
    w[0] = inverse ? w[0] / a->gamma : w[0] * a->gamma;
    for (int k = 0; k < a->pairs; k++) {
        real al = a->alpha[k], be = a->beta[k], d = al * al + be * be;
        real p = w[2 * k + 1], q = w[2 * k + 2];
        w[2 * k + 1] = inverse ? (al * p + be * q) / d : al * p - be * q;
        w[2 * k + 2] = inverse ? (al * q - be * p) / d : be * p + al * q;
    }
    for (int k = 0; k < a->stages; k++) {
        y[k] = R(0.0);
        for (int l = 0; l < a->stages; l++)
            y[k] += a->t[k][l] * w[l];
    }
}

static real power(real c, int k)
{
    return k == 0 ? R(1.0) : c * power(c, k - 1);
}

/* The definition of the coefficients: A, with inverse T Lambda inverse(T),
   integrates polynomials (A (c^k)' = c^k), its last row to order 2s - 1; the
   estimate sees only the derivative at the near end. */
static void test_table(const RadauTable *a)
{
    real places = a->stages == 3 ? R(100.0) : R(2e4); // T is ill-conditioned
    for (int k = 1; k < 2 * a->stages; k++) {
        real v[RADAU_STAGES], y[RADAU_STAGES], z[RADAU_STAGES], e = R(0.0);
        for (int i = 0; i < a->stages; i++) {
            v[i] = power(a->c[i], k);
            z[i] = (real)k * power(a->c[i], k - 1);
            e += a->e[i] * v[i];
        }
        times_matrix(a, true, z, y);
        CHECK(CLOSE(y[a->stages - 1], R(1.0), places));
        if (k > a->stages)
            continue;
        CHECK(CLOSE(e, k == 1 ? R(-1.0) : R(0.0), places));
        for (int i = 0; i < a->stages; i++)
            CHECK(CLOSE(y[i], v[i], places));
        times_matrix(a, false, v, y);
        for (int i = 0; i < a->stages; i++)
            CHECK(CLOSE(y[i], z[i], R(100.0) * places));
    }
}

static void test_tables(void)
{
    for (int k = 0; k < RADAU_ORDERS; k++)
        test_table(radau_tables[k]);
}

/* ---- Accuracy --------------------------------------------------------------- */

static const real smooth_begin[] = {R(0.0), R(1.0), R(1.0)};

#define LONG R(24.0)

static CosyStatus swing_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return COSY_OK;
}

static const CosyModel swing = {STIFF_MODEL("SWING", 2),
                                .derivatives = swing_rhs};
static const real swing_begin[] = {R(0.0), R(1.0)};

/* With `steps` steps; x is the end, or what it should be. */
static double fixed_error(const char *method, const CosyModel *m,
                          const real *begin, int steps, real *x, bool known)
{
    SolverOptions o = tolerance(R(20.0) * COSY_EPSILON, COSY_EPSILON);
    Drive d;
    o.method = method;
    o.step = LONG / (real)steps;
    CHECK(drive_open(&d, m, &o, begin) == STATUS_OK);
    CHECK(drive_to(&d, LONG) == STATUS_OK);
    double error = known ? drive_error(&d, x) : 0.0;
    if (!known)
        memcpy(x, d.s.x, 3 * sizeof(real));
    drive_close(&d);
    return error;
}

static void check_order(const char *method, int order, double slope, double a,
                        double b)
{
    printf("%s, order: %.2f (errors %.1e, %.1e)\n", method, slope, a, b);
    CHECK(fabs(slope - order) < 0.2);
}

static void test_order(const char *method, int order, int few, int many)
{
    real end[3];
    fixed_error("RADAU13", &smooth, smooth_begin, 200, end, false);
    double a = fixed_error(method, &smooth, smooth_begin, few, end, true);
    double b = fixed_error(method, &smooth, smooth_begin, many, end, true);
    check_order(method, order, log(a / b) / log((double)many / few), a, b);
}

static void test_order_swing(const char *method, int order, int few, int many)
{
    real end[] = {cosy_sin(LONG), cosy_cos(LONG)};
    double a = fixed_error(method, &swing, swing_begin, few, end, true);
    double b = fixed_error(method, &swing, swing_begin, many, end, true);
    check_order(method, order, log(a / b) / log((double)many / few), a, b);
}

/* The errors of order 13 are at the last places of DOUBLE before the rigid body
   shows it; the swing allows longer steps. */
static void test_orders(void)
{
    test_order("RADAU5", 5, 192, 384);
    test_order("RADAU9", 9, 40, 80);
    if (COSY_PRECISION > 1)
        test_order("RADAU13", 13, 36, 60);
    test_order_swing("RADAU5", 5, 200, 400);
    test_order_swing("RADAU9", 9, 20, 40);
    test_order_swing("RADAU13", 13, 12, 16);
}

static void expect(const char *name, const CosyModel *m, const SolverOptions *o,
                   const real *begin, real t_end, const real *end, double error,
                   uint64_t steps)
{
    Drive d;
    CHECK(drive_open(&d, m, o, begin) == STATUS_OK);
    CHECK(drive_to(&d, t_end) == STATUS_OK);
    CHECK(d.s.t == t_end);
    CHECK_TEXT(d.fault.text, "");
    double found = drive_error(&d, end);
    drive_tell(&d, name, found);
    CHECK(found < error);
    CHECK(d.s.counts.steps < steps);
    CHECK(d.s.counts.jacobians <= d.s.counts.steps + d.s.counts.rejected);
    drive_close(&d);
}

static void test_problems(void)
{
    SolverOptions o = tolerance(R(1e-8), R(1e-12));
    real one[] = {R(1.0)}, end[] = {cosy_cos(R(1.0))};
    expect("Prothero, Robinson", &prothero, &o, one, R(1.0), end, 1e-8, 20);
    expect("HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-7, 400);
    expect("Akzo Nobel", &akzo, &o, akzo_begin, R(180.0), akzo_end, 1e-8, 200);
    o = tolerance(R(1e-8), R(1e-22));
    expect("Robertson", &robertson, &o, robertson_begin, R(1e11), robertson_end,
           1e-9, 900);
    o = tolerance(R(1e-4), R(1e-9));
    expect("HIRES, rough", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-3,
           120);
    o = tolerance(R(1e-12), R(1e-16));
    expect("Akzo Nobel, fine", &akzo, &o, akzo_begin, R(180.0), akzo_end, 1e-11,
           900);
    o = tolerance(R(0.0), R(0.0));
    expect("HIRES, as by default", &hires, &o, hires_begin, HIRES_TIME,
           hires_end, 1e-5, 250);
}

/* With the order chosen during the run: the finer the tolerance, the fewer
   steps compared with RADAU5. */
static void test_variable(void)
{
    SolverOptions o = tolerance(R(1e-4), R(1e-9));
    o.method = "RADAU";
    expect("RADAU: HIRES, rough", &hires, &o, hires_begin, HIRES_TIME,
           hires_end, 1e-3, 120);
    o.relerr = R(1e-8);
    o.abserr = R(1e-12);
    expect("RADAU: HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-7,
           140);
    expect("RADAU: Akzo Nobel", &akzo, &o, akzo_begin, R(180.0), akzo_end, 1e-8,
           60);
    o.abserr = R(1e-22);
    expect("RADAU: Robertson", &robertson, &o, robertson_begin, R(1e11),
           robertson_end, 1e-8, 400);
    o.relerr = R(1e-12);
    o.abserr = R(1e-16);
    expect("RADAU: Akzo Nobel, fine", &akzo, &o, akzo_begin, R(180.0), akzo_end,
           1e-11, 100);
    expect("RADAU: HIRES, fine", &hires, &o, hires_begin, HIRES_TIME, hires_end,
           1e-10, 250);
}

static void test_more(const char *method, double rough, double fine)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-12));
    char name[64];
    o.method = method;
    for (int k = 0; k < 2; k++) {
        double most = k == 0 ? rough : fine;
        snprintf(name, sizeof name, "%s: Van der Pol", method);
        expect(name, &vdpol, &o, vdpol_begin, R(2.0), vdpol_end, most, 2000);
        snprintf(name, sizeof name, "%s: Akzo, 5 states", method);
        expect(name, &akzo5, &o, akzo_begin, R(180.0), akzo_end, most, 2000);
        snprintf(name, sizeof name, "%s: Pollution", method);
        o.abserr *= R(1e-9); // one of its states is 4e-18
        expect(name, &pollution, &o, pollution_begin, R(60.0), pollution_end,
               most, 2000);
        o = tolerance(R(1e-9), R(1e-15));
        o.method = method;
    }
}

/* At the end of a long run of a linear problem. */
static void check_rise(real relerr, const char *method, uint32_t order)
{
    SolverOptions o = tolerance(relerr, relerr);
    Drive d;
    o.method = method;
    CHECK(drive_open(&d, &swing, &o, swing_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(100.0)) == STATUS_OK);
    CHECK(((Radau *)d.s.impl)->memory.order == order);
    drive_close(&d);
}

/* A linear problem lets the order rise to the highest, unless it is fixed. */
static void test_rise(void)
{
    check_rise(R(1e-6), "RADAU", 2);
    check_rise(R(1e-4), "RADAU5", 0);
    check_rise(R(1e-4), "RADAU9", 1);
    check_rise(R(1e-13), "RADAU9", 1);
    check_rise(R(1e-13), "RADAU13", 2);
}

/* Quad precision to the last: far fewer right sides than with order 5. */
static void test_last_digits(void)
{
    uint64_t rhs[2];
    const char *const method[] = {"RADAU", "RADAU5"};
    if (COSY_PRECISION < 3)
        return;
    for (int k = 0; k < 2; k++) {
        SolverOptions o = tolerance(k == 0 ? R(1e-30) : R(1e-20), R(1e-32));
        real end[] = {cosy_sin(R(1.0)), cosy_cos(R(1.0))};
        Drive d;
        o.method = method[k];
        CHECK(drive_open(&d, &swing, &o, swing_begin) == STATUS_OK);
        CHECK(drive_to(&d, R(1.0)) == STATUS_OK);
        double error = drive_error(&d, end);
        drive_tell(&d, method[k], error);
        CHECK(k == 1 || error < 1e-29);
        rhs[k] = d.s.counts.rhs;
        drive_close(&d);
    }
    CHECK(3 * rhs[0] < rhs[1]); // although to ten more digits
}

/* Beyond what double can resolve. */
static void test_fine(void)
{
    if (COSY_PRECISION < 3)
        return;
    SolverOptions o = tolerance(R(1e-20), R(1e-24));
    real one[] = {R(1.0)}, end[] = {cosy_cos(R(1.0))};
    expect("Prothero, Robinson, 1e-20", &prothero, &o, one, R(1.0), end, 1e-20,
           20000);
    Drive d;
    real reference[3];
    CHECK(drive_open(&d, &smooth, &o, smooth_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(1.0)) == STATUS_OK);
    memcpy(reference, d.s.x, sizeof reference);
    drive_close(&d);
    o = tolerance(R(1e-16), R(1e-20));
    expect("rigid body, 1e-16", &smooth, &o, smooth_begin, R(1.0), reference,
           1e-15, 3000);
}

#define PI R(3.14159265358979323846264338327950288)

static void heat_begin(real *u, real *end, real t)
{
    real h = PI / (HEAT + 1);
    real wave =
        R(4.0) * (HEAT + 1) * (HEAT + 1) * cosy_square(cosy_sin(h / R(2.0)));
    for (int i = 0; i < HEAT; i++) {
        u[i] = cosy_sin(h * (real)(i + 1));
        end[i] = u[i] * cosy_exp(-wave * t);
    }
}

/* Sparse, and the Jacobian by differences of three colours. */
static void test_heat(void)
{
    SolverOptions o = tolerance(R(1e-8), R(1e-12));
    real u[HEAT], end[HEAT];
    heat_begin(u, end, R(0.1));
    expect("heat, sparse", &heat, &o, u, R(0.1), end, 1e-8, 40);
    Drive d;
    CHECK(drive_open(&d, &heat, &o, u) == STATUS_OK);
    CHECK(!((Radau *)d.s.impl)->jacobian.dense);
    CHECK(((Radau *)d.s.impl)->jacobian.colours == 3);
    // Linear: one Jacobian is enough for the whole run.
    CHECK(drive_to(&d, R(0.1)) == STATUS_OK);
    CHECK(d.s.counts.jacobians == 1);
    drive_close(&d);
}

/* ---- Jacobian by tangents ---------------------------------------------------- */

static CosyStatus heat_tangent(Cosy *c, real t, const real *x, const real *vx,
                               const real *vp, real *df)
{
    (void)x;
    (void)vp;
    return heat_rhs(c, t, vx, df); // linear
}

static CosyStatus robertson_tangent(Cosy *c, real t, const real *x,
                                    const real *vx, const real *vp, real *df)
{
    (void)c;
    (void)t;
    (void)vp;
    df[0] = R(-0.04) * vx[0] + R(1e4) * (x[1] * vx[2] + x[2] * vx[1]);
    df[2] = R(6e7) * x[1] * vx[1];
    df[1] = -df[0] - df[2];
    return COSY_OK;
}

/* Exact columns, several at once, and no right side is spent on them. */
static void test_tangent(void)
{
    SolverOptions o = tolerance(R(1e-8), R(1e-12));
    CosyModel m = heat;
    real u[HEAT], end[HEAT], value[3 * HEAT];
    Drive d;
    m.tangent = heat_tangent;
    heat_begin(u, end, R(0.1));
    CHECK(drive_open(&d, &m, &o, u) == STATUS_OK);
    Jacobian *j = &((Radau *)d.s.impl)->jacobian;
    CHECK(j->colours == 3);
    CHECK(jacobian_evaluate(j, &d.s, R(0.0), d.s.x, d.s.dx, d.s.dx) ==
          STATUS_OK);
    CHECK(d.s.counts.rhs == 1); // of the start
    jacobian_matrix(j, R(0.0), value);
    real k = (real)((HEAT + 1) * (HEAT + 1));
    for (size_t p = 0; p < j->entries; p++)
        CHECK(value[p] == (p % 3 == 0 ? R(2.0) * k : -k));
    drive_close(&d);

    m = robertson;
    m.jacobian = NULL;
    m.tangent = robertson_tangent;
    for (int pattern = 0; pattern < 2; pattern++) {
        o = tolerance(R(1e-8), R(1e-22));
        expect("Robertson, tangents", &m, &o, robertson_begin, R(1e11),
               robertson_end, 1e-9, 900);
        m.pattern = NULL;
    }
}

/* ---- The interface ---------------------------------------------------------- */

static void test_dense_and_redo(void)
{
    SolverOptions o = tolerance(R(1e-8), R(1e-12));
    real one[] = {R(1.0)}, x[1];
    Drive d;
    CHECK(drive_open(&d, &prothero, &o, one) == STATUS_OK);
    for (int k = 0; k < 4; k++)
        CHECK(d.s.method->step(&d.s, R(1.0)) == STATUS_OK);
    real t0 = d.s.t0, t = d.s.t, mid = (t0 + t) / R(2.0);
    CHECK(t0 < mid && mid < t);
    d.s.method->dense(&d.s, mid, x);
    CHECK(cosy_abs(x[0] - cosy_cos(mid)) < R(1e-6));
    d.s.method->dense(&d.s, t, x);
    CHECK(x[0] == d.s.x[0]);
    d.s.method->dense(&d.s, t0, x);
    CHECK(x[0] == d.s.x0[0]);
    for (int k = 1; k <= 3; k++) {
        real end = t0 + (t - t0) * (real)k / R(4.0), dx;
        CHECK(d.s.method->redo(&d.s, end) == STATUS_OK);
        CHECK(d.s.t == end && d.s.t0 == t0);
        CHECK(cosy_abs(d.s.x[0] - cosy_cos(end)) < R(1e-8));
        prothero_rhs(&d.c, end, d.s.x, &dx);
        CHECK(dx == d.s.dx[0]);
    }
    CHECK(d.s.method->redo(&d.s, t0) == STATUS_OK);
    CHECK(d.s.t == t0 && d.s.x[0] == d.s.x0[0]);
    CHECK(drive_to(&d, R(1.0)) == STATUS_OK);
    CHECK(cosy_abs(d.s.x[0] - cosy_cos(R(1.0))) < R(1e-7));
    drive_close(&d);
}

static void test_limits(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-9));
    Drive d;
    o.dtmax = R(0.05);
    CHECK(drive_open(&d, &smooth, &o, smooth_begin) == STATUS_OK);
    while (d.s.t < R(1.0)) {
        CHECK(d.s.method->step(&d.s, R(1.0)) == STATUS_OK);
        CHECK(d.s.t - d.s.t0 <= R(0.05) * (R(1.0) + R(4.0) * COSY_EPSILON));
    }
    CHECK(d.s.t == R(1.0));
    // A proposal survives a step that the limit cut short.
    real h = d.s.h;
    CHECK(drive_to(&d, R(1.000001)) == STATUS_OK);
    CHECK(cosy_abs(d.s.h) >= cosy_min(h, R(0.05)));
    drive_close(&d);
}

static void test_backward(void)
{
    SolverOptions o = tolerance(R(1e-10), R(1e-13));
    Drive d;
    CHECK(drive_open(&d, &smooth, &o, smooth_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(2.0)) == STATUS_OK);
    d.s.direction = -1;
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    CHECK(drive_to(&d, R(0.0)) == STATUS_OK);
    CHECK(drive_error(&d, smooth_begin) < 1e-8);
    drive_close(&d);
}

/* ---- A saved run ------------------------------------------------------------ */

static void test_save(const CosyModel *m, const SolverOptions *o,
                      const real *begin, real middle, real t_end)
{
    Folder folder;
    Drive a, b;
    size_t size = m->states * sizeof(real);
    folder_make(&folder);
    CHECK(drive_open(&a, m, o, begin) == STATUS_OK);
    while (a.s.t < middle)
        CHECK(a.s.method->step(&a.s, t_end) == STATUS_OK);
    const char *path = folder_file(&folder, "image");
    CHECK(image_save(&a.image, path, "x", &a.fault) == STATUS_OK);
    CHECK(drive_to(&a, t_end) == STATUS_OK);
    CHECK(drive_open(&b, m, o, begin) == STATUS_OK);
    // What is there already must not matter.
    CHECK(b.s.method->step(&b.s, t_end) == STATUS_OK);
    CHECK(image_load(&b.image, path, "x", &b.fault) == STATUS_OK);
    CHECK(solver_attach(&b.s) == STATUS_OK);
    CHECK(drive_to(&b, t_end) == STATUS_OK);
    CHECK(memcmp(a.s.x, b.s.x, size) == 0);
    CHECK(memcmp(a.s.dx, b.s.dx, size) == 0);
    CHECK(memcmp(&a.s.counts, &b.s.counts, sizeof a.s.counts) == 0);
    CHECK(a.s.h == b.s.h);
    drive_close(&a);
    drive_close(&b);
    folder_remove(&folder);
}

static void test_saves(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-10));
    real u[HEAT], end[HEAT];
    heat_begin(u, end, R(0.1));
    for (int k = 0; k < 7; k++)
        test_save(&hires, &o, hires_begin, R(3.0) * (real)(1 << k), HIRES_TIME);
    test_save(&akzo, &o, akzo_begin, R(1.0), R(180.0));
    test_save(&heat, &o, u, R(0.01), R(0.1));
    o = tolerance(R(1e-8), R(1e-12));
    o.method = "RADAU";
    for (int k = 0; k < 7; k++)
        test_save(&hires, &o, hires_begin, R(3.0) * (real)(1 << k), HIRES_TIME);
    test_save(&akzo, &o, akzo_begin, R(1.0), R(180.0));
    test_save(&heat, &o, u, R(0.01), R(0.1));
}

/* ---- Failures --------------------------------------------------------------- */

/* Y2 has no equation: M = diag(1, 0), and f2 does not contain Y2. */
static CosyStatus loose_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -x[0];
    dx[1] = x[0] - R(1.0);
    return COSY_OK;
}

static CosyStatus loose_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    (void)c;
    *count = 1;
    if (row != NULL)
        row[0] = column[0] = 0;
    return COSY_OK;
}

static CosyStatus loose_mass(Cosy *c, real t, const real *x, real *value)
{
    (void)c;
    (void)t;
    (void)x;
    value[0] = R(1.0);
    return COSY_OK;
}

static const CosyModel loose = {
    STIFF_MODEL("LOOSE", 2), .derivatives = loose_rhs,
    .mass_kind = COSY_MASS_CONSTANT, .mass_pattern = loose_pattern,
    .mass = loose_mass};

/* A Jacobian of the wrong sign: Newton diverges unless h is tiny. */
static CosyStatus wrong_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    dx[0] = R(-1e6) * (x[0] - cosy_sin(t));
    return COSY_OK;
}

static CosyStatus wrong_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    (void)c;
    *count = 1;
    if (row != NULL)
        row[0] = column[0] = 0;
    return COSY_OK;
}

static CosyStatus wrong_jacobian(Cosy *c, real t, const real *x, real *value)
{
    (void)c;
    (void)t;
    (void)x;
    value[0] = R(1e6);
    return COSY_OK;
}

static const CosyModel wrong = {
    STIFF_MODEL("WRONG", 1), .derivatives = wrong_rhs, .pattern = wrong_pattern,
    .jacobian = wrong_jacobian};

/* Ends where the root is left: at t = 2. */
static CosyStatus root_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -cosy_sqrt(x[0]) - R(0.01);
    return COSY_OK;
}

static const CosyModel root = {STIFF_MODEL("ROOT", 1), .derivatives = root_rhs};

/* Infinite at t = 1. */
static CosyStatus square_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[0] * x[0];
    return COSY_OK;
}

static const CosyModel square = {STIFF_MODEL("SQUARE", 1),
                                 .derivatives = square_rhs};

static void expect_fault(const CosyModel *m, const SolverOptions *o,
                         const char *name, Status status)
{
    real begin[] = {R(1.0), R(0.5)};
    Drive d;
    CHECK(drive_open(&d, m, o, begin) == STATUS_OK);
    Status found = drive_to(&d, R(4.0));
    CHECK(found == status);
    CHECK(d.fault.status == status);
    CHECK(strstr(d.fault.text, name) != NULL);
    CHECK(strstr(d.fault.text, "TIME = ") != NULL);
    CHECK(strstr(d.fault.text, "line 1") != NULL);
    CHECK(cosy_finite(d.s.x[0]) && cosy_finite(d.s.dx[0]));
    printf("%s\n", d.fault.text);
    drive_close(&d);
}

/* A matrix that is singular with any h is not tried for ever. */
static uint64_t hopeless_trials(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-9));
    real begin[] = {R(1.0), R(0.5)};
    Drive d;
    CHECK(drive_open(&d, &loose, &o, begin) == STATUS_OK);
    CHECK(drive_to(&d, R(4.0)) == STATUS_SINGULAR);
    uint64_t rejected = d.s.counts.rejected;
    drive_close(&d);
    return rejected;
}

static void test_faults(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-9));
    CHECK(hopeless_trials() < 10);
    expect_fault(&loose, &o, "Y2", STATUS_SINGULAR);
    expect_fault(&root, &o, "Y1", STATUS_NUMBER);
    o.dtmin = R(1e-4);
    expect_fault(&wrong, &o, "Y1", STATUS_NEWTON);
    expect_fault(&square, &o, "Y1", STATUS_STEP_LIMIT);
    o.dtmin = R(0.0);
    o.step = R(0.01);
    expect_fault(&wrong, &o, "Y1", STATUS_NEWTON);
}

/* ---- Memory ----------------------------------------------------------------- */

static void test_memory(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-10));
    Drive d;
    CHECK(drive_open(&d, &hires, &o, hires_begin) == STATUS_OK);
    scarce_begin(0);
    CHECK(drive_to(&d, HIRES_TIME) == STATUS_OK);
    CHECK(d.s.method->redo(&d.s, (d.s.t0 + d.s.t) / R(2.0)) == STATUS_OK);
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    CHECK(scarce_end() == 0);
    drive_close(&d);
    for (long n = 0, refused = 1; refused > 0; n++) {
        scarce_begin(n);
        Status status = drive_open(&d, &hires, &o, hires_begin);
        refused = scarce_end();
        CHECK(status == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        drive_close(&d);
    }
}

/* A sparse matrix allocates when it chooses pivots, and not afterwards. */
static void test_memory_sparse(void)
{
    SolverOptions o = tolerance(R(1e-6), R(1e-10));
    real u[HEAT], end[HEAT];
    Drive d;
    heat_begin(u, end, R(0.1));
    CHECK(drive_open(&d, &heat, &o, u) == STATUS_OK);
    CHECK(d.s.method->step(&d.s, R(0.1)) == STATUS_OK);
    scarce_begin(0);
    CHECK(drive_to(&d, R(0.1)) == STATUS_OK);
    CHECK(scarce_end() == 0);
    drive_close(&d);
}

int main(void)
{
    test_tables();
    test_orders();
    test_problems();
    test_variable();
    test_more("RADAU5", 1e-5, 1e-8);
    test_more("RADAU9", 1e-5, 1e-8);
    test_more("RADAU13", 1e-5, 1e-8);
    test_more("RADAU", 1e-5, 1e-8);
    test_rise();
    test_last_digits();
    test_fine();
    test_heat();
    test_tangent();
    test_dense_and_redo();
    test_limits();
    test_backward();
    test_saves();
    test_faults();
    test_memory();
    test_memory_sparse();
    return check_end();
}
