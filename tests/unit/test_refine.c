/* The error bar of fields: orders and errors of closed sequences are found again,
   and fields on two grids are compared point by point. */
#include "stats/refine.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "stats/mesh.h"

static const RefineGrids second = {2, 2, 2};

static bool is_close(double a, double b, double by)
{
    return fabs(a - b) <= by * fabs(b);
}

/* u_h = u + C*h^p, with intervals in the ratios 1, r, r*s. */
static RefineNumbers sequence(double p, double r, double s, double error)
{
    double half = error * pow(r, p), quarter = half * pow(s, p);
    return (RefineNumbers){
        .near = half - error, .far = quarter - half, .size = 1};
}

static void test_order(void)
{
    static const double p[] = {0.5, 1, 2, 3.7, 5, 6};
    static const double ratio[][2] = {
        {2, 2}, {41.0 / 20, 2}, {2.1, 1.8}, {1.5, 2.5}};
    for (size_t k = 0; k < LENGTH(p); k++)
        for (size_t j = 0; j < LENGTH(ratio); j++) {
            RefineGrids g = {ratio[j][0], ratio[j][1], p[k]};
            RefineNumbers n = sequence(p[k], g.half, g.quarter, 1e-5);
            double order = refine_order(&g, n.near, n.far);
            CHECK(fabs(order - p[k]) < 1e-4);
            RefineVerdict v = refine_judge(&g, &n);
            CHECK(v.reliable && v.word == REFINE_EXPECTED);
            CHECK(is_close(v.estimate, 1e-5, 1e-3));
            CHECK(is_close(refine_one(&g, p[k], n.near, n.far), 1e-5, 1e-9));
        }
    CHECK(refine_order(&second, 1, 1) == 0);
    CHECK(refine_order(&second, 1, 0.5) == 0);
    CHECK(isnan(refine_order(&second, 0, 1)));
    CHECK(isnan(refine_order(&second, 1, NAN)));
    CHECK(refine_order(&second, 1, 1e300) == 16);
}

/* Errors with a second term, down from grids that are too coarse: the estimate is
   right within a factor of three nearly wherever it is called reliable. */
static void test_mixture(void)
{
    uint32_t reliable = 0, wrong = 0, all = 0;
    for (double h = 1; h > 1e-3; h /= 2)
        for (double c = -3; c <= 3; c += 0.5) {
            double e[3];
            for (uint32_t k = 0; k < 3; k++) {
                double x = h * pow(2, k);
                e[k] = 1e-2 * (x * x + c * x * x * x);
            }
            RefineNumbers n = {
                .near = fabs(e[0] - e[1]), .far = fabs(e[1] - e[2]), .size = 1};
            RefineVerdict v = refine_judge(&second, &n);
            all++;
            reliable += v.reliable;
            wrong += v.reliable && (v.estimate > 3 * fabs(e[0]) ||
                                    v.estimate < fabs(e[0]) / 3);
        }
    CHECK(reliable * 10 > all * 8);
    CHECK(wrong * 50 < reliable);
}

static void test_words(void)
{
    RefineNumbers n = {.near = 1e-12, .far = 1e-12, .size = 1, .noise = 1e-12};
    RefineVerdict v = refine_judge(&second, &n);
    CHECK(v.word == REFINE_LOST && !v.reliable && v.estimate == 1e-12);
    n = (RefineNumbers){.near = 0.3, .far = 0.25, .size = 1};
    v = refine_judge(&second, &n);
    CHECK(v.word == REFINE_COARSE && !v.reliable && v.estimate == 0.3);
    n = (RefineNumbers){.near = 0.03, .far = NAN, .size = 1};
    v = refine_judge(&second, &n);
    CHECK(v.word == REFINE_UNSEEN && !v.reliable);
    CHECK(is_close(v.estimate, 0.03, 1e-9));
    /* A kink under a scheme of fifth order: the error is of first order. */
    const RefineGrids fifth = {2, 2, 5};
    n = sequence(1, 2, 2, 1e-3);
    v = refine_judge(&fifth, &n);
    CHECK(v.word == REFINE_OTHER && v.reliable);
    CHECK(is_close(v.estimate, 1e-3, 1e-3));
    /* Between first and fifth nobody knows which will hold. */
    n = sequence(2.5, 2, 2, 1e-3);
    v = refine_judge(&fifth, &n);
    CHECK(v.word == REFINE_OTHER && !v.reliable);
    n = sequence(9, 2, 2, 1e-6);
    v = refine_judge(&fifth, &n);
    CHECK(v.word == REFINE_COARSE && !v.reliable);
    n = (RefineNumbers){.near = NAN, .far = 1, .size = 1};
    CHECK(isnan(refine_judge(&second, &n).estimate));
}

/* Chebyshev: 3^-n on 8, 16 and 32 intervals. */
static void test_geometric(void)
{
    const RefineGrids g = {2, 2, 0};
    RefineNumbers n = {.near = pow(3, -16), .far = pow(3, -8), .size = 1};
    RefineVerdict v = refine_judge(&g, &n);
    CHECK(v.reliable && is_close(v.estimate, pow(3, -32), 1e-9));
    n.far = n.near;
    CHECK(!refine_judge(&g, &n).reliable);
}

/* A difference that passes through zero. */
static void test_one(void)
{
    CHECK(is_close(refine_one(&second, 2, 0, 4e-3), 1e-3 / 3, 1e-9));
    CHECK(is_close(refine_one(&second, 2, 3e-3, NAN), 1e-3, 1e-9));
}

/* ---- Fields --------------------------------------------------------------------- */

static void fill_axis(double *x, uint32_t n, double power)
{
    for (uint32_t k = 0; k < n; k++)
        x[k] = pow((double)k / (n - 1), power);
}

/* x^3 on both grids, plus an error on the coarse one. */
static void check_line(uint32_t n, uint32_t m, double power, bool nested)
{
    double x[101], y[101], fine[101], coarse[101], near[101];
    fill_axis(x, n, power);
    fill_axis(y, m, power);
    for (uint32_t k = 0; k < n; k++)
        fine[k] = x[k] * x[k] * x[k];
    for (uint32_t k = 0; k < m; k++)
        coarse[k] = y[k] * y[k] * y[k] + (nested ? 0.01 * y[k] : 0);
    Mesh mesh;
    const double *at = x, *to = y;
    CHECK(mesh_open(&mesh, 1, &n, &at, &m, &to, 2));
    MeshNorms norms = mesh_compare(&mesh, fine, coarse);
    CHECK((mesh.line[0].width == 1) == nested);
    CHECK(fabs(norms.max - (nested ? 0.01 : 0)) < 1e-12);
    CHECK(fabs(norms.mean - (nested ? 0.005 : 0)) < 1e-12);
    CHECK(norms.size == 1);
    mesh_spread(&mesh, near);
    for (uint32_t k = 0; k < n && nested; k++)
        CHECK(near[k] >= 0.01 * x[k] - 1e-12 && near[k] <= 0.010001);
    mesh_free(&mesh);
}

/* The bilinear difference 0.01*x*y over the unit square. */
static void check_plane(uint32_t n, uint32_t m)
{
    enum { MOST = 41 };
    static double u[MOST * MOST], v[MOST * MOST], near[MOST * MOST];
    double x[MOST], y[MOST], cx[MOST], cy[MOST];
    uint32_t fine[2] = {n, m}, coarse[2] = {n / 2 + 1, m / 2 + 1};
    const double *at[2] = {x, y}, *to[2] = {cx, cy};
    fill_axis(x, n, 1);
    fill_axis(y, m, 1);
    fill_axis(cx, coarse[0], 1);
    fill_axis(cy, coarse[1], 1);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++)
            u[i * m + k] = x[i] + y[k] * y[k];
    for (uint32_t i = 0; i < coarse[0]; i++)
        for (uint32_t k = 0; k < coarse[1]; k++)
            v[i * coarse[1] + k] = cx[i] + cy[k] * cy[k] + 0.01 * cx[i] * cy[k];
    Mesh mesh;
    CHECK(mesh_open(&mesh, 2, fine, at, coarse, to, 2));
    MeshNorms norms = mesh_compare(&mesh, u, v);
    CHECK(fabs(norms.max - 0.01) < 1e-12);
    CHECK(fabs(norms.mean - 0.0025) < 1e-12);
    CHECK(norms.size == 2);
    mesh_spread(&mesh, near);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < m; k++)
            CHECK(near[i * m + k] >= 0.01 * x[i] * y[k] - 1e-12);
    CHECK(near[n * m - 1] <= 0.01 + 1e-12);
    mesh_free(&mesh);
}

static void test_broken(void)
{
    double x[] = {0, 1, 2, 3, 4}, y[] = {0, 2, 4}, u[] = {0, 0, NAN, 0, 0},
           v[] = {0, 0, 0};
    uint32_t n = 5, m = 3;
    const double *at = x, *to = y;
    Mesh mesh;
    CHECK(mesh_open(&mesh, 1, &n, &at, &m, &to, 2));
    MeshNorms norms = mesh_compare(&mesh, u, v);
    CHECK(isnan(norms.max) && isnan(norms.mean));
    mesh_free(&mesh);
}

/* ---- Upwind differences of a wave ------------------------------------------------ */

/* u' = -u_x on a circle with n points, first order in space, exact in time: every
   mode is damped and turned by what the difference makes of it. */
static double upwind(uint32_t n, uint32_t k, double t)
{
    static const double wave[] = {1, 2, 3}, amplitude[] = {1, 0.3, 0.1};
    double h = 2 * acos(-1) / n, sum = 0;
    for (size_t j = 0; j < LENGTH(wave); j++) {
        double a = wave[j] * h, damp = (cos(a) - 1) / h, turn = -sin(a) / h;
        sum += amplitude[j] * exp(damp * t) * cos(wave[j] * k * h + turn * t);
    }
    return sum;
}

static double exact(double x, double t)
{
    return cos(x - t) + 0.3 * cos(2 * (x - t)) + 0.1 * cos(3 * (x - t));
}

static void test_upwind(void)
{
    enum { N = 256 };
    double at[3][N], u[3][N], near[N];
    uint32_t n[3], bad = 0;
    const RefineGrids g = {2, 2, 1};
    for (uint32_t j = 0; j < 3; j++) {
        n[j] = N >> j;
        for (uint32_t k = 0; k < n[j]; k++) {
            at[j][k] = (double)k / n[j];
            u[j][k] = upwind(n[j], k, 1.0);
        }
    }
    Mesh half, quarter;
    const double *a = at[0], *b = at[1], *c = at[2];
    CHECK(mesh_open(&half, 1, &n[0], &a, &n[1], &b, 1));
    CHECK(mesh_open(&quarter, 1, &n[1], &b, &n[2], &c, 1));
    MeshNorms first = mesh_compare(&half, u[0], u[1]);
    MeshNorms next = mesh_compare(&quarter, u[1], u[2]);
    RefineNumbers numbers = {
        .near = first.max, .far = next.max, .size = first.size};
    RefineVerdict v = refine_judge(&g, &numbers);
    mesh_spread(&half, near);
    double most = 0;
    for (uint32_t k = 0; k < N; k++) {
        double e = fabs(u[0][k] - exact(2 * acos(-1) * k / N, 1.0));
        most = fmax(most, e);
        bad += e > 3 * refine_estimate(&g, v.order, near[k]);
    }
    CHECK(v.reliable && v.word == REFINE_EXPECTED);
    CHECK(v.estimate < 1.5 * most && v.estimate > most / 1.5);
    CHECK(bad * 20 < N);
    mesh_free(&half);
    mesh_free(&quarter);
}

int main(void)
{
    test_order();
    test_mixture();
    test_words();
    test_geometric();
    test_one();
    check_line(41, 21, 1, true);
    check_line(40, 20, 1, false); // 39 and 19 intervals
    check_line(41, 21, 2, true);
    check_plane(21, 11);
    test_broken();
    test_upwind();
    return check_end();
}
