/* Curves from records, at equal distances, and what differs between them. */

#include "stats/differ.h"

#include "base/macros.h"
#include "check.h"

static bool is_near(real a, real b)
{
    return cosy_abs(a - b) <= R(64.0) * COSY_EPSILON * (R(1.0) + cosy_abs(b));
}

static Curve take(Arena *a, const real *rows, size_t n)
{
    Curve c;
    real at;
    CHECK(curve_take(&c, a, rows, n, 2, 1, &at) == CURVE_GOOD);
    return c;
}

/* ---- Curves ---------------------------------------------------------------------- */

static void test_take(void)
{
    const real rows[] = {R(0.0), R(1.0), R(1.0), R(3.0),
                         R(1.0), R(5.0), R(3.0), R(9.0)};
    const real gap[] = {R(0.0), R(1.0), R(1.0), COSY_NAN};
    const real zigzag[] = {R(0.0), R(1.0), R(2.0), R(1.0),
                           R(1.0), R(1.0), R(3.0), R(1.0)};
    const real down[] = {R(3.0), R(9.0), R(1.0), R(5.0),
                         R(1.0), R(3.0), R(0.0), R(1.0)};
    Arena a = {0};
    Curve c, d;
    real at;
    CHECK(curve_take(&c, &a, rows, 1, 2, 1, &at) == CURVE_SHORT);
    CHECK(curve_take(&c, &a, rows + 2, 2, 2, 1, &at) == CURVE_SHORT);
    CHECK(curve_take(&c, &a, gap, 2, 2, 1, &at) == CURVE_NO_VALUE);
    CHECK(at == R(1.0));
    CHECK(curve_take(&c, &a, zigzag, 4, 2, 1, &at) == CURVE_BACK);
    CHECK(at == R(2.0));
    c = take(&a, rows, 4);
    d = take(&a, down, 4); // a run that went backward is the same curve
    for (size_t k = 0; k < 4; k++)
        CHECK(c.t[k] == d.t[k] && c.x[k] == d.x[k]);
    arena_free(&a);
}

static void test_at(void)
{
    const real rows[] = {R(0.0), R(1.0), R(1.0), R(3.0), R(1.0),
                         R(4.0), R(1.0), R(5.0), R(3.0), R(9.0)};
    const real at[] = {R(-1.0), R(0.0), R(0.5), R(1.0),
                       R(1.0),  R(2.5), R(3.0), R(4.0)};
    const real before[] = {R(1.0), R(1.0), R(2.0), R(3.0),
                           R(3.0), R(8.0), R(9.0), R(9.0)};
    const real after[] = {R(1.0), R(1.0), R(2.0), R(5.0),
                          R(5.0), R(8.0), R(9.0), R(9.0)};
    Arena a = {0};
    Curve c = take(&a, rows, 5);
    size_t hint = 0;
    for (size_t k = 0; k < LENGTH(at); k++) {
        real l, r;
        size_t fresh = 0;
        curve_at(&c, at[k], &hint, &l, &r);
        CHECK(l == before[k] && r == after[k]);
        curve_at(&c, at[k], &fresh, &l, &r);
        CHECK(l == before[k] && r == after[k]);
    }
    arena_free(&a);
}

/* Communication points with events between, on one of them, and an end that is
   none. */
static void test_axis(void)
{
    const real rows[] = {R(0.0), R(0.0), R(0.1),  R(1.0), R(0.1),  R(3.0),
                         R(0.2), R(4.0), R(0.25), R(5.0), R(0.25), R(7.0),
                         R(0.3), R(8.0), R(0.34), R(9.0)};
    const real uneven[] = {R(0.0), R(0.0), R(1.0), R(1.0),
                           R(4.0), R(4.0), R(6.0), R(6.0)};
    real x[5];
    Arena a = {0};
    Curve c = take(&a, rows, 8);
    CurveAxis axis = curve_axis(&c);
    CHECK(axis.records && axis.n == 4 && is_near(axis.step, R(0.1)));
    curve_sample(&c, &axis, x);
    CHECK(x[0] == R(0.0) && x[1] == R(2.0) && x[2] == R(4.0) && x[3] == R(8.0));
    c = take(&a, uneven, 4);
    axis = curve_axis(&c);
    CHECK(!axis.records && axis.n == 4 && is_near(axis.step, R(2.0)));
    curve_sample(&c, &axis, x);
    for (size_t k = 0; k < 4; k++)
        CHECK(is_near(x[k], R(2.0) * (real)k));
    /* Jumps at both ends: their outer sides belong to what is not there. */
    const real ends[] = {R(0.0), R(9.0), R(0.0), R(1.0), R(1.0),
                         R(2.0), R(2.0), R(3.0), R(2.0), R(-9.0)};
    c = take(&a, ends, 5);
    axis = curve_axis(&c);
    curve_sample(&c, &axis, x);
    CHECK(axis.n == 3 && x[0] == R(1.0) && x[1] == R(2.0) && x[2] == R(3.0));
    arena_free(&a);
}

/* Many communication points, with events just beside some of them, and a rest at the
   end. */
static void test_long_axis(void)
{
    enum { N = 200000 };
    Arena a = {0};
    real *rows = NEW_ARRAY(&a, real, 2 * (2 * N + 2));
    size_t n = 0;
    for (size_t k = 0; k < N; k++) {
        rows[2 * n++] = R(0.02) * (real)k;
        if (k % 5 == 0) {
            rows[2 * n++] = R(0.02) * (real)k + R(2e-12) * (real)k;
            rows[2 * n - 1] = R(1.0);
        }
    }
    rows[2 * n++] = R(0.02) * (N - 1) + R(0.007);
    Curve c = take(&a, rows, n);
    CurveAxis axis = curve_axis(&c);
    CHECK(axis.records && axis.n == N);
    CHECK(cosy_abs(axis.step / R(0.02) - R(1.0)) < R(1e-9));
    arena_free(&a);
}

/* ---- Differences ----------------------------------------------------------------- */

/* x = t and u = t^2 at 0, 1, 2: piecewise linear, u - x is 0 on [0,1], then rises
   to 2. */
static void test_curves(void)
{
    const real line[] = {R(0.0), R(0.0), R(2.0), R(2.0)};
    const real square[] = {R(0.0), R(0.0), R(1.0), R(1.0),
                           R(2.0), R(4.0), R(3.0), R(9.0)};
    Arena a = {0};
    Curve x = take(&a, line, 2), u = take(&a, square, 4);
    Difference d;
    CHECK(differ_curves(&x, &u, &d, &a));
    CHECK(d.from == R(0.0) && d.to == R(2.0) && d.n == 3);
    CHECK(is_near(d.mean, R(-0.5)));
    CHECK(is_near(d.rms * d.rms, R(4.0) / R(6.0)));
    CHECK(d.most == R(2.0) && d.at == R(2.0) && d.size == R(4.0));
    /* Variance of u over [0,2]: (1/3 + 7)/2 - (3/2)^2. */
    CHECK(is_near(d.r2, R(1.0) - R(4.0) / R(6.0) /
                                     (R(22.0) / R(6.0) - R(9.0) / R(4.0))));
    CHECK(differ_curves(&u, &u, &d, &a));
    CHECK(d.most == R(0.0) && d.rms == R(0.0) && d.r2 == R(1.0));
    CHECK(differ_digits(&d) > R(15.0));
    CHECK(differ_curves(&u, &x, &d, &a));
    CHECK(is_near(d.mean, R(0.5)) && d.to == R(2.0));
    arena_free(&a);
}

/* Two jumps of 1, at 1 and at 1.5: between them the curves differ by 1. */
static void test_jumps(void)
{
    const real early[] = {R(0.0), R(0.0), R(1.0), R(0.0),
                          R(1.0), R(1.0), R(3.0), R(1.0)};
    const real late[] = {R(0.0), R(0.0), R(1.5), R(0.0),
                         R(1.5), R(1.0), R(2.0), R(1.0)};
    Arena a = {0};
    Curve x = take(&a, early, 4), u = take(&a, late, 4);
    Difference d;
    CHECK(differ_curves(&x, &u, &d, &a));
    CHECK(d.to == R(2.0) && d.most == R(1.0) && d.at == R(1.0));
    CHECK(is_near(d.mean, R(0.25)) && is_near(d.rms, R(0.5)));
    /* 0, a jump to 1 at 1, back to 0 at 1.5 */
    CHECK(d.drawn == 6 && d.d[1] == R(0.0) && d.d[2] == R(1.0) &&
          d.d[3] == R(1.0) && d.d[4] == R(0.0));
    arena_free(&a);
}

static void test_apart(void)
{
    const real one[] = {R(0.0), R(0.0), R(1.0), R(0.0)};
    const real two[] = {R(2.0), R(1.0), R(3.0), R(1.0)};
    Arena a = {0};
    Curve x = take(&a, one, 2), u = take(&a, two, 2);
    Difference d;
    CHECK(differ_curves(&x, &u, &d, &a));
    CHECK(d.n == 0 && d.from > d.to);
    arena_free(&a);
}

static void test_points(void)
{
    const real rows[] = {R(0.0), R(0.0), R(1.0), R(2.0),
                         R(1.0), R(5.0), R(2.0), R(6.0)};
    const real t[] = {R(-1.0), R(0.5), R(1.0), R(1.0), R(1.5), R(2.5)};
    const real u[] = {R(9.0), R(1.0), R(3.0), R(4.0), R(5.0), R(9.0)};
    Arena a = {0};
    Curve x = take(&a, rows, 4);
    Difference d;
    CHECK(differ_points(&x, t, u, 6, &d, &a));
    CHECK(d.n == 4 && d.outside == 2 && d.from == R(0.5) && d.to == R(1.5));
    /* differences 0, -1 (the side before), 1 (the side after), 1/2 */
    CHECK(is_near(d.mean, R(0.125)) && is_near(d.rms * d.rms, R(0.5625)));
    CHECK(d.most == R(1.0) && d.at == R(1.0) && d.size == R(5.0));
    /* u: mean 13/4, mean square 51/4 */
    CHECK(
        is_near(d.r2, R(1.0) - R(0.5625) / (R(12.75) - cosy_square(R(3.25)))));
    CHECK(is_near(differ_digits(&d), cosy_log10(R(5.0))));
    const real flat[] = {R(2.0), R(2.0)};
    CHECK(differ_points(&x, t + 1, flat, 2, &d, &a));
    CHECK(d.r2 != d.r2); // a constant explains nothing
    arena_free(&a);
}

int main(void)
{
    test_take();
    test_at();
    test_axis();
    test_long_axis();
    test_curves();
    test_jumps();
    test_apart();
    test_points();
    return check_end();
}
