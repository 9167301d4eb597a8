/* Sobol' indices against closed forms, and the measures of samples. */

#include "search/indices.h"

#include <stdlib.h>

#include "check.h"

#define PI R(3.141592653589793238462643383279502884197)

/* A function of k coordinates of the unit cube. */
typedef real Function(const real *u);

/* Ishigami and Homma 1990 with a = 7, b = 0.1 on [-pi, pi]^3. */
static real ishigami(const real *u)
{
    real x = PI * (R(2.0) * u[0] - R(1.0)), y = PI * (R(2.0) * u[1] - R(1.0)),
         z = PI * (R(2.0) * u[2] - R(1.0));
    real sine = cosy_sin(y);
    return cosy_sin(x) + R(7.0) * sine * sine +
           R(0.1) * z * z * z * z * cosy_sin(x);
}

/* Sobol's g function. */
static const real g_weight[8] = {R(0.0),  R(1.0),  R(4.5),  R(9.0),
                                 R(99.0), R(99.0), R(99.0), R(99.0)};

static real g_function(const real *u)
{
    real product = R(1.0);
    for (int i = 0; i < 8; i++)
        product *= (cosy_abs(R(4.0) * u[i] - R(2.0)) + g_weight[i]) /
                   (R(1.0) + g_weight[i]);
    return product;
}

static real *evaluate(const IndexDesign *d, Function *f)
{
    uint64_t n = design_points(d);
    real *result = malloc(n * sizeof *result);
    real u[16], scratch[32];
    for (uint64_t k = 0; result != NULL && k < n; k++) {
        design_point(d, k, u, scratch);
        result[k] = f(u);
    }
    return result;
}

static bool near(real a, real b, double tolerance)
{
    if (fabs((double)(a - b)) <= tolerance)
        return true;
    printf("%.6f, expected %.6f within %g\n", (double)a, (double)b, tolerance);
    return false;
}

/* V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2; V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8,
   V3 = 0, V13 = 8 b^2 pi^8/225. */
static void test_ishigami(PointKind kind, double tolerance)
{
    const IndexDesign d = {kind, 3, 8192, 17};
    real p4 = PI * PI * PI * PI, b = R(0.1);
    real v1 = cosy_square(R(1.0) + b * p4 / R(5.0)) / R(2.0);
    real v2 = R(49.0) / R(8.0), v13 = R(8.0) * b * b * p4 * p4 / R(225.0);
    real v = v1 + v2 + v13;
    real *result = evaluate(&d, ishigami);
    SobolIndex index[3];
    IndexSummary s;
    CHECK(result != NULL);
    indices_find(&d, result, index, &s);
    CHECK(near(s.mean, R(3.5), 10.0 * tolerance));
    CHECK(near(s.variance, v, 30.0 * tolerance));
    CHECK(near(index[0].first, v1 / v, tolerance));
    CHECK(near(index[1].first, v2 / v, tolerance));
    CHECK(near(index[2].first, R(0.0), tolerance));
    CHECK(near(index[0].total, (v1 + v13) / v, tolerance));
    CHECK(near(index[1].total, v2 / v, tolerance));
    CHECK(near(index[2].total, v13 / v, tolerance));
    CHECK(s.left_out == 0 && !s.constant && index[2].rows == 8192);
    free(result);
}

/* V_i = 1 / (3 (1 + a_i)^2), V = prod (1 + V_i) - 1. */
static void test_g_function(void)
{
    const IndexDesign d = {POINTS_SOBOL_OWEN, 8, 16384, 3};
    real *result = evaluate(&d, g_function);
    SobolIndex index[8];
    IndexSummary s;
    real v = R(1.0);
    for (int i = 0; i < 8; i++)
        v *= R(1.0) + R(1.0) / (R(3.0) * cosy_square(R(1.0) + g_weight[i]));
    CHECK(result != NULL);
    indices_find(&d, result, index, &s);
    CHECK(near(s.mean, R(1.0), 2e-3));
    CHECK(near(s.variance, v - R(1.0), 1e-2));
    for (int i = 0; i < 8; i++) {
        real part = R(1.0) / (R(3.0) * cosy_square(R(1.0) + g_weight[i]));
        CHECK(near(index[i].first, part / (v - R(1.0)), 6e-3));
        CHECK(near(index[i].total, part * v / (R(1.0) + part) / (v - R(1.0)),
                   6e-3));
    }
    free(result);
}

/* With independent points the 95 % intervals hold the truth about 95 times in 100:
   of 300 (100 studies, 3 indices of each kind) 270 at least. */
static void test_intervals(void)
{
    real p4 = PI * PI * PI * PI, b = R(0.1);
    real v1 = cosy_square(R(1.0) + b * p4 / R(5.0)) / R(2.0);
    real v2 = R(49.0) / R(8.0), v13 = R(8.0) * b * b * p4 * p4 / R(225.0);
    real v = v1 + v2 + v13;
    const real first[3] = {v1 / v, v2 / v, R(0.0)};
    const real total[3] = {(v1 + v13) / v, v2 / v, v13 / v};
    unsigned first_held = 0, total_held = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const IndexDesign d = {POINTS_RANDOM, 3, 600, seed};
        real *result = evaluate(&d, ishigami);
        SobolIndex index[3];
        IndexSummary s;
        indices_find(&d, result, index, &s);
        for (int i = 0; i < 3; i++) {
            first_held +=
                cosy_abs(index[i].first - first[i]) <= index[i].first_half;
            total_held +=
                cosy_abs(index[i].total - total[i]) <= index[i].total_half;
        }
        free(result);
    }
    CHECK(first_held >= 270 && first_held <= 297);
    CHECK(total_held >= 270 && total_held <= 297);
}

/* Failed runs are left out, with their rows. */
static void test_failures(void)
{
    const IndexDesign d = {POINTS_SOBOL_OWEN, 3, 4096, 5};
    real *result = evaluate(&d, ishigami);
    SobolIndex index[3];
    IndexSummary s;
    CHECK(result != NULL);
    result[0] = COSY_NAN;     // A of the first row
    result[5 + 2] = COSY_NAN; // AB_1 of the second
    result[10 + 1] = COSY_INFINITY;
    indices_find(&d, result, index, &s);
    CHECK(s.left_out == 3);
    CHECK(index[0].rows == 4093 && index[1].rows == 4094);
    CHECK(near(index[0].total, R(0.5576), 0.02));
    free(result);
}

static real constant(const real *u)
{
    (void)u;
    return R(0.1);
}

static void test_constant(void)
{
    const IndexDesign d = {POINTS_SOBOL_OWEN, 2, 64, 5};
    real *result = evaluate(&d, constant);
    SobolIndex index[2];
    IndexSummary s;
    indices_find(&d, result, index, &s);
    CHECK(s.constant && s.mean == R(0.1));
    CHECK(!cosy_finite(index[0].first) && !cosy_finite(index[1].total));
    free(result);
}

/* ---- Samples --------------------------------------------------------------------------- */

static void test_measures(void)
{
    const real x[] = {R(2.0), R(4.0), R(4.0),   R(4.0), R(5.0),
                      R(5.0), R(7.0), COSY_NAN, R(9.0)};
    SampleMeasures m;
    sample_measure(9, x, NULL, &m);
    CHECK(m.n == 8 && m.left_out == 1);
    CHECK(near(m.mean, R(5.0), 1e-14));
    CHECK(near(m.sd, cosy_sqrt(R(32.0) / R(7.0)), 1e-14));
    CHECK(near(m.error, cosy_sqrt(R(4.0) / R(7.0)), 1e-14));
    CHECK(m.least == R(2.0) && m.greatest == R(9.0));
    /* Equal weights are no weights. */
    const real w[] = {R(0.5), R(0.5), R(0.5), R(0.5), R(0.5),
                      R(0.5), R(0.5), R(0.5), R(0.5)};
    SampleMeasures equal;
    sample_measure(9, x, w, &equal);
    CHECK(near(equal.mean, m.mean, 1e-14) && near(equal.sd, m.sd, 1e-14));
    CHECK(near(equal.error, m.error, 1e-14) &&
          near(equal.effective, R(8.0), 1e-14));
    sample_measure(1, x, NULL, &m);
    CHECK(m.mean == R(2.0) && !cosy_finite(m.sd));
    sample_measure(0, x, NULL, &m);
    CHECK(m.n == 0 && !cosy_finite(m.mean));
}

/* Weights 1, 2, 1 at 0, 1, 2: mean 1, spread 2; sum 4, squares 6. */
static void test_weights(void)
{
    const real x[] = {R(0.0), R(1.0), R(2.0), R(7.0)};
    const real w[] = {R(1.0), R(2.0), R(1.0), R(0.0)};
    SampleMeasures m;
    sample_measure(4, x, w, &m);
    CHECK(m.n == 3 && m.left_out == 1);
    CHECK(near(m.mean, R(1.0), 1e-15));
    CHECK(near(m.sd * m.sd, R(2.0) / R(2.5), 1e-14));
    CHECK(near(m.effective, R(16.0) / R(6.0), 1e-14));
}

static void test_quantiles(void)
{
    real x[] = {R(3.0), COSY_NAN, R(1.0), R(4.0), R(2.0)};
    real w[] = {R(1.0), R(1.0), R(1.0), R(1.0), R(1.0)};
    uint64_t n = sample_sort(5, x, w);
    CHECK(n == 4 && x[0] == R(1.0) && x[3] == R(4.0));
    for (int k = 0; k <= 8; k++) {
        real q = (real)k / R(8.0);
        real expected = R(1.0) + R(3.0) * q;
        CHECK(near(sample_quantile(n, x, NULL, q), expected, 1e-14));
        CHECK(near(sample_quantile(n, x, w, q), expected, 1e-14));
    }
    /* The value in the middle has half of the weight. */
    w[0] = R(1.0), w[1] = R(3.0), w[2] = R(1.0), w[3] = R(1.0);
    CHECK(near(sample_quantile(3, x, w, R(0.5)), R(2.0), 1e-14));
    CHECK(near(sample_quantile(3, x, w, R(0.25)), R(1.5), 1e-14));
    CHECK(!cosy_finite(sample_quantile(0, x, NULL, R(0.5))));
    CHECK(sample_quantile(1, x, w, R(0.3)) == R(1.0));
}

/* Sorting is by value, whatever the order before. */
static void test_sort(void)
{
    enum { COUNT = 1000 };
    static real x[COUNT], w[COUNT];
    unsigned wrong = 0;
    for (unsigned k = 0; k < COUNT; k++) {
        x[k] = (real)(k * 7919u % 101u);
        w[k] = (real)(k % 13u + 1u);
    }
    CHECK(sample_sort(COUNT, x, w) == COUNT);
    for (unsigned k = 1; k < COUNT; k++)
        wrong += x[k] < x[k - 1] || (x[k] == x[k - 1] && w[k] < w[k - 1]);
    CHECK(wrong == 0);
}

int main(void)
{
    test_ishigami(POINTS_SOBOL_OWEN, 6e-3);
    test_ishigami(POINTS_LATIN, 5e-2);
    test_ishigami(POINTS_RANDOM, 5e-2);
    test_g_function();
    test_intervals();
    test_failures();
    test_constant();
    test_measures();
    test_weights();
    test_quantiles();
    test_sort();
    return check_end();
}
