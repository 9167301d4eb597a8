#include "solve/block.h"

#include <stdlib.h>

#include "check.h"
#include "scarce.h"
#include "solve/project.h"

/* ---- Blocks ------------------------------------------------------------------ */

/* Circle of radius t and the line y = x. */
static CosyStatus circle(Cosy *c, real t, const real *x, const void *point,
                         const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] * u[0] + u[1] * u[1] - t * t;
    r[1] = u[1] - u[0];
    return COSY_OK;
}

static CosyStatus circle_jacobian(Cosy *c, real t, const real *x,
                                  const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    j[0] = R(2.0) * u[0];
    j[1] = R(2.0) * u[1];
    j[2] = R(-1.0);
    j[3] = R(1.0);
    return COSY_OK;
}

static const CosyBlock circle_block = {
    .n = 2, .equation = 5, .residual = circle, .jacobian = circle_jacobian};
static const CosyBlock circle_differences = {
    .n = 2, .equation = 5, .residual = circle};

static void test_circle(const CosyBlock *b)
{
    real start[][2] = {{R(2.0), R(2.0)}, {R(1e6), R(3.0)}, {R(1e-3), R(0.0)}};
    for (int k = 0; k < 3; k++) {
        real *u = start[k], root = R(3.0) / cosy_sqrt(R(2.0));
        CHECK(block_solve(NULL, b, R(3.0), NULL, NULL, u) == COSY_OK);
        CHECK(cosy_abs(u[0] - root) <= R(4.0) * COSY_EPSILON * root);
        CHECK(cosy_abs(u[1] - root) <= R(4.0) * COSY_EPSILON * root);
    }
}

/* Kept start values: a solution that moved a little needs few residuals. */
static unsigned residuals;

static CosyStatus counted(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    residuals++;
    r[0] = u[0] * cosy_exp(u[0]) - t;
    return COSY_OK;
}

static CosyStatus counted_jacobian(Cosy *c, real t, const real *x,
                                   const void *point, const real *u, real *j)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    j[0] = (R(1.0) + u[0]) * cosy_exp(u[0]);
    return COSY_OK;
}

static void test_follow(void)
{
    CosyBlock b = {.n = 1, .residual = counted, .jacobian = counted_jacobian};
    real u = R(0.5);
    CHECK(block_solve(NULL, &b, R(1.0), NULL, NULL, &u) == COSY_OK);
    CHECK(cosy_abs(u - R(0.567143290409783872999968662210355549754)) <
          R(4.0) * COSY_EPSILON);
    residuals = 0;
    for (int k = 1; k <= 100; k++)
        CHECK(block_solve(NULL, &b, R(1.0) + R(1e-4) * (real)k, NULL, NULL,
                          &u) == COSY_OK);
    printf("residuals per solution that moved by 1e-4: %.2f\n",
           residuals / 100.0);
    CHECK(residuals <= (COSY_PRECISION == 3 ? 800u : 400u));
}

/* A solution at zero, approached from another side. */
static CosyStatus through_zero(Cosy *c, real t, const real *x,
                               const void *point, const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    r[0] = u[0] + R(0.1) * cosy_sin(u[1]) - t;
    r[1] = u[1] - R(1.0) + u[0] * u[0];
    return COSY_OK;
}

static void test_zero(void)
{
    CosyBlock b = {.n = 2, .residual = through_zero};
    real zero = R(0.1) * cosy_sin(R(1.0)), u[] = {R(1e-9), R(1.0)};
    for (int k = -3; k <= 3; k++) {
        CHECK(block_solve(NULL, &b, zero + R(1e-9) * (real)k, NULL, NULL, u) ==
              COSY_OK);
        CHECK(cosy_abs(u[0] - R(1e-9) * (real)k) < R(1e-15));
    }
}

/* ---- Linear ------------------------------------------------------------------- */

#define WIDE 40

static CosyStatus linear(Cosy *c, real t, const real *x, const void *point,
                         const real *u, real *r)
{
    (void)c;
    (void)x;
    (void)point;
    for (int i = 0; i < WIDE; i++) {
        real left = i > 0 ? u[i - 1] : R(0.0);
        real right = i < WIDE - 1 ? u[i + 1] : R(0.0);
        r[i] = R(3.0) * u[i] - left - right - t;
    }
    residuals++;
    return COSY_OK;
}

static void test_linear(void)
{
    CosyBlock b = {.n = WIDE, .linear = true, .residual = linear};
    Vector scratch = {0};
    real u[WIDE] = {R(0.0)}, r[WIDE];
    residuals = 0;
    CHECK(block_solve_with(NULL, &b, R(1.0), NULL, NULL, u, &scratch) ==
          COSY_OK);
    CHECK(residuals == WIDE + 1);
    linear(NULL, R(1.0), NULL, NULL, u, r);
    for (int i = 0; i < WIDE; i++)
        CHECK(cosy_abs(r[i]) < R(100.0) * COSY_EPSILON);
    scarce_begin(0);
    CHECK(block_solve_with(NULL, &b, R(2.0), NULL, NULL, u, &scratch) ==
          COSY_OK);
    CHECK(scarce_end() == 0);
    scarce_begin(0);
    CHECK(COSY_REASON(block_solve(NULL, &b, R(2.0), NULL, NULL, u)) ==
          COSY_NO_MEMORY);
    CHECK(scarce_end() > 0);
    vector_free(&scratch);
}

/* ---- Failures ----------------------------------------------------------------- */

static CosyStatus no_root(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = u[1] - u[0];
    r[1] = u[0] * u[0] + R(1.0);
    return COSY_OK;
}

static CosyStatus twice_same(Cosy *c, real t, const real *x, const void *point,
                             const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = u[0] + R(2.0) * u[1] - R(1.0);
    r[1] = u[0] + R(2.0) * u[1] - R(2.0);
    return COSY_OK;
}

static CosyStatus root_of(Cosy *c, real t, const real *x, const void *point,
                          const real *u, real *r)
{
    (void)c;
    (void)t;
    (void)x;
    (void)point;
    r[0] = cosy_sqrt(u[0]) - R(2.0);
    return COSY_OK;
}

static void test_failures(void)
{
    CosyBlock b = {.n = 2, .equation = 5, .residual = no_root};
    real u[] = {R(3.0), R(1.0)};
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) ==
          COSY_FAIL(COSY_NEWTON, 6));
    CHECK(u[0] == R(3.0) && u[1] == R(1.0));
    b.residual = twice_same;
    b.linear = true;
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) ==
          COSY_FAIL(COSY_SINGULAR, 6));
    b.linear = false;
    CHECK(COSY_REASON(block_solve(NULL, &b, R(0.0), NULL, NULL, u)) != COSY_OK);
    // Outside the domain: a damped step finds its way back, a start there does
    // not.
    b = (CosyBlock){.n = 1, .equation = 7, .residual = root_of};
    u[0] = R(1e6);
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) == COSY_OK);
    CHECK(cosy_abs(u[0] - R(4.0)) < R(20.0) * COSY_EPSILON);
    u[0] = R(-1.0);
    CHECK(block_solve(NULL, &b, R(0.0), NULL, NULL, u) ==
          COSY_FAIL(COSY_NUMBER, 7));
}

/* ---- Projection ---------------------------------------------------------------- */

/* |x| = 1, and the velocity (x2, x3) is tangent. */
static CosyStatus rod(Cosy *c, real t, const real *x, real *g)
{
    (void)c;
    (void)t;
    g[0] = x[0] * x[0] + x[1] * x[1] - R(1.0);
    g[1] = x[0] * x[2] + x[1] * x[3];
    return COSY_OK;
}

static CosyStatus rod_jacobian(Cosy *c, real t, const real *x, real *gx)
{
    real row[] = {R(2.0) * x[0], R(2.0) * x[1], R(0.0), R(0.0),
                  x[2],          x[3],          x[0],   x[1]};
    (void)c;
    (void)t;
    memcpy(gx, row, sizeof row);
    return COSY_OK;
}

static const CosyModel rod_model = {.name = "ROD",
                                    .states = 4,
                                    .n_constraints = 2,
                                    .constraints = rod,
                                    .constraint_jacobian = rod_jacobian};

static void test_project(void)
{
    Cosy c = {.model = &rod_model};
    Vector scratch = {0};
    Fault fault = {0};
    real x[] = {R(0.6) + R(1e-5), R(0.8), R(8.0), R(-6.0) - R(1e-4)}, g[2];
    CHECK(project(&c, R(0.0), x, 4, &scratch, &fault) == STATUS_OK);
    rod(&c, R(0.0), x, g);
    CHECK(cosy_abs(g[0]) < R(16.0) * COSY_EPSILON);
    CHECK(cosy_abs(g[1]) < R(160.0) * COSY_EPSILON);
    CHECK(cosy_abs(x[0] - R(0.6)) < R(1e-4) &&
          cosy_abs(x[1] - R(0.8)) < R(1e-4));
    // What is already fulfilled does not move.
    real again[4];
    memcpy(again, x, sizeof x);
    scarce_begin(0);
    CHECK(project(&c, R(0.0), x, 4, &scratch, &fault) == STATUS_OK);
    CHECK(scarce_end() == 0);
    CHECK(memcmp(again, x, sizeof x) == 0);
    CHECK_TEXT(fault.text, "");
    // At the origin nothing can be restored.
    real zero[] = {R(0.0), R(0.0), R(0.0), R(0.0)};
    CHECK(project(&c, R(0.25), zero, 4, &scratch, &fault) == STATUS_SINGULAR);
    CHECK(strstr(fault.text, "TIME = 0.25") != NULL);
    CHECK(strstr(fault.text, "ROD") != NULL);
    CHECK(zero[0] == R(0.0));
    vector_free(&scratch);
}

int main(void)
{
    test_circle(&circle_block);
    test_circle(&circle_differences);
    test_follow();
    test_zero();
    test_linear();
    test_failures();
    test_project();
    return check_end();
}
