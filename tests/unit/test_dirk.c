#include "solve/dirk.h"

#include "check.h"
#include "folder.h"
#include "scarce.h"
#include "stiff.h"

static SolverOptions options(const char *method, real relerr, real abserr)
{
    return (SolverOptions){
        .method = method, .relerr = relerr, .abserr = abserr};
}

/* ---- Coefficients ---------------------------------------------------------- */

#define ZERO(a) CHECK(cosy_abs(a) < R(1000.0) * COSY_EPSILON)

/* Row i of A, with the diagonal. */
static real entry(const DirkTable *a, int i, int j)
{
    if (i == j)
        return i == 0 ? R(0.0) : a->gamma;
    return j < i ? a->a[i][j] : R(0.0);
}

/* sum of b_i c_i^k */
static real moment(const DirkTable *a, const real *b, int k)
{
    real sum = R(0.0);
    for (int i = 0; i < a->stages; i++) {
        real p = b[i];
        for (int j = 0; j < k; j++)
            p *= a->c[i];
        sum += p;
    }
    return sum;
}

/* sum of b_i a_ij c_j^2 */
static real tree(const DirkTable *a, const real *b)
{
    real sum = R(0.0);
    for (int i = 0; i < a->stages; i++)
        for (int j = 0; j < a->stages; j++)
            sum += b[i] * entry(a, i, j) * a->c[j] * a->c[j];
    return sum;
}

/* Stages of order 2, so that the conditions of order 4 are those of quadrature
   and one more. */
static void test_stages(const DirkTable *a)
{
    for (int i = 0; i < a->stages; i++) {
        real row = R(0.0), next = R(0.0);
        for (int j = 0; j < a->stages; j++) {
            row += entry(a, i, j);
            next += entry(a, i, j) * a->c[j];
        }
        ZERO(row - a->c[i]);
        ZERO(next - a->c[i] * a->c[i] / R(2.0));
    }
}

/* The weights at u have order p. */
static void check_weights(const DirkTable *a, const real *b, real u, int p)
{
    real power = u;
    for (int k = 0; k < p; k++, power *= u)
        ZERO(moment(a, b, k) - power / (real)(k + 1));
    if (p == 4)
        ZERO(tree(a, b) - u * u * u * u / R(12.0));
}

static void test_table(const DirkTable *a, int order)
{
    real b[DIRK_STAGES], other[DIRK_STAGES];
    int last = a->stages - 1;
    test_stages(a);
    for (int i = 0; i < a->stages; i++) {
        b[i] = entry(a, last, i);
        other[i] = b[i] - a->e[i];
    }
    check_weights(a, b, R(1.0), order);
    check_weights(a, other, R(1.0), 3);
    for (int k = 1; k <= 8; k++) {
        real u = (real)k / R(8.0);
        for (int i = 0; i < a->stages; i++) {
            b[i] = R(0.0);
            for (int j = a->degree - 1; j >= 0; j--)
                b[i] = (b[i] + a->dense[i][j]) * u;
            if (k == 8)
                ZERO(b[i] - entry(a, last, i));
        }
        check_weights(a, b, u, order);
    }
}

/* ---- Order and accuracy ------------------------------------------------------ */

static const real smooth_begin[] = {R(0.0), R(1.0), R(1.0)};

static double fixed_error(const char *method, int steps, real *x, bool known)
{
    SolverOptions o =
        options(method, R(20.0) * COSY_EPSILON, R(1.0) * COSY_EPSILON);
    Drive d;
    o.step = R(2.0) / (real)steps;
    CHECK(drive_open(&d, &smooth, &o, smooth_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(2.0)) == STATUS_OK);
    double error = known ? drive_error(&d, x) : 0.0;
    if (!known)
        memcpy(x, d.s.x, 3 * sizeof(real));
    drive_close(&d);
    return error;
}

static void test_order(const char *method, int order, int steps)
{
    real end[3];
    fixed_error("RADAU9", 80, end, false);
    double a = fixed_error(method, steps, end, true);
    double b = fixed_error(method, 2 * steps, end, true);
    printf("%s, order: %.2f (errors %.1e, %.1e)\n", method, log2(a / b), a, b);
    CHECK(fabs(log2(a / b) - order) < 0.2);
}

/* Dense output in the middle of steps: its order is one more than that of its
   formula, since each error comes from one step. */
static double dense_error(const char *method, int steps)
{
    SolverOptions o =
        options(method, R(20.0) * COSY_EPSILON, R(1.0) * COSY_EPSILON);
    real one[] = {R(1.0)}, x[1];
    double worst = 0.0;
    Drive d;
    o.step = R(1.0) / (real)steps;
    CHECK(drive_open(&d, &decay, &o, one) == STATUS_OK);
    while (d.s.t < R(1.0)) {
        CHECK(d.s.method->step(&d.s, R(1.0)) == STATUS_OK);
        real t = (d.s.t0 + d.s.t) / R(2.0);
        d.s.method->dense(&d.s, t, x);
        real there = d.s.x0[0] * cosy_exp(-(t - d.s.t0));
        worst = fmax(worst, (double)cosy_abs(x[0] - there));
    }
    drive_close(&d);
    return worst;
}

static void test_dense_order(const char *method, int order, int steps)
{
    double a = dense_error(method, steps), b = dense_error(method, 2 * steps);
    printf("%s, dense: %.2f (errors %.1e, %.1e)\n", method, log2(a / b), a, b);
    CHECK(fabs(log2(a / b) - order - 1) < 0.3);
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
    drive_close(&d);
}

static void test_problems(void)
{
    SolverOptions o = options("DIRK", R(1e-6), R(1e-10));
    real one[] = {R(1.0)}, end[] = {cosy_cos(R(1.0))};
    expect("Prothero, Robinson", &prothero, &o, one, R(1.0), end, 1e-6, 60);
    expect("HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end, 1e-4, 400);
    o.abserr = R(1e-18);
    expect("Robertson", &robertson, &o, robertson_begin, R(1e11), robertson_end,
           1e-5, 900);
    o = options("TRAPEZ", R(1e-5), R(1e-9));
    expect("TRAPEZ: Prothero", &prothero, &o, one, R(1.0), end, 1e-4, 200);
    expect("TRAPEZ: HIRES", &hires, &o, hires_begin, HIRES_TIME, hires_end,
           1e-2, 2000);
}

/* ---- The interface ---------------------------------------------------------- */

static void test_dense_and_redo(const char *method)
{
    SolverOptions o = options(method, R(1e-8), R(1e-12));
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
        d.s.method->dense(&d.s, (t0 + end) / R(2.0), x);
        CHECK(cosy_abs(x[0] - cosy_cos((t0 + end) / R(2.0))) < R(1e-6));
    }
    CHECK(d.s.method->redo(&d.s, t0) == STATUS_OK);
    CHECK(d.s.t == t0 && d.s.x[0] == d.s.x0[0]);
    CHECK(drive_to(&d, R(1.0)) == STATUS_OK);
    CHECK(cosy_abs(d.s.x[0] - cosy_cos(R(1.0))) < R(1e-7));
    drive_close(&d);
}

static void test_backward(const char *method)
{
    SolverOptions o = options(method, R(1e-7), R(1e-9));
    Drive d;
    CHECK(drive_open(&d, &smooth, &o, smooth_begin) == STATUS_OK);
    CHECK(drive_to(&d, R(2.0)) == STATUS_OK);
    d.s.direction = -1;
    CHECK(d.s.method->start(&d.s) == STATUS_OK);
    CHECK(drive_to(&d, R(0.0)) == STATUS_OK);
    CHECK(cosy_abs(d.s.x[0]) < R(1e-4));
    CHECK(cosy_abs(d.s.x[1] - R(1.0)) < R(1e-4));
    drive_close(&d);
}

/* A saved run continues to the same bytes. */
static void test_save(const char *method, real middle)
{
    SolverOptions o = options(method, R(1e-6), R(1e-10));
    Folder folder;
    Drive a, b;
    folder_make(&folder);
    CHECK(drive_open(&a, &hires, &o, hires_begin) == STATUS_OK);
    while (a.s.t < middle)
        CHECK(a.s.method->step(&a.s, HIRES_TIME) == STATUS_OK);
    const char *path = folder_file(&folder, "image");
    CHECK(image_save(&a.image, path, "x", &a.fault) == STATUS_OK);
    CHECK(drive_to(&a, HIRES_TIME) == STATUS_OK);
    CHECK(drive_open(&b, &hires, &o, hires_begin) == STATUS_OK);
    CHECK(b.s.method->step(&b.s, HIRES_TIME) == STATUS_OK);
    CHECK(image_load(&b.image, path, "x", &b.fault) == STATUS_OK);
    CHECK(solver_attach(&b.s) == STATUS_OK);
    CHECK(drive_to(&b, HIRES_TIME) == STATUS_OK);
    CHECK(memcmp(a.s.x, b.s.x, 8 * sizeof(real)) == 0);
    CHECK(memcmp(a.s.dx, b.s.dx, 8 * sizeof(real)) == 0);
    CHECK(memcmp(&a.s.counts, &b.s.counts, sizeof a.s.counts) == 0);
    drive_close(&a);
    drive_close(&b);
    folder_remove(&folder);
}

/* ---- Failures --------------------------------------------------------------- */

static CosyStatus root_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -cosy_sqrt(x[0]) - R(0.01);
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
    SolverOptions o = options(method, R(1e-6), R(1e-9));
    real begin[] = {R(1.0)};
    Drive d;
    o.dtmin = dtmin;
    CHECK(drive_open(&d, m, &o, begin) == STATUS_OK);
    CHECK(drive_to(&d, R(4.0)) == status);
    CHECK(strstr(d.fault.text, "Y1") != NULL);
    CHECK(strstr(d.fault.text, "TIME = ") != NULL);
    CHECK(strstr(d.fault.text, "line 11") != NULL);
    CHECK(cosy_finite(d.s.x[0]) && cosy_finite(d.s.dx[0]));
    drive_close(&d);
}

static void test_refusal(void)
{
    SolverOptions o = options("DIRK", R(1e-6), R(1e-9));
    Drive d;
    CHECK(drive_open(&d, &akzo, &o, akzo_begin) == STATUS_USAGE);
    drive_close(&d);
}

static void test_memory(const char *method)
{
    SolverOptions o = options(method, R(1e-6), R(1e-10));
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

static void test_method(const char *method)
{
    test_dense_and_redo(method);
    test_backward(method);
    for (int k = 0; k < 4; k++)
        test_save(method, R(3.0) * (real)(1 << 2 * k));
    expect_fault(method, &root, R(0.0), STATUS_NUMBER);
    expect_fault(method, &square, R(1e-4), STATUS_STEP_LIMIT);
    test_memory(method);
}

int main(void)
{
    test_table(&dirk_four, 4);
    test_table(&dirk_trapez, 2);
    test_order("DIRK", 4, 40);
    test_order("TRAPEZ", 2, 40);
    test_dense_order("DIRK", 4, 8);
    test_dense_order("TRAPEZ", 2, 8);
    test_problems();
    test_refusal();
    test_method("DIRK");
    test_method("TRAPEZ");
    return check_end();
}
