#include "solve/block.h"

#include <string.h>

#include "check.h"
#include "scarce.h"

/* Loops that are not linear, from starting points that are not good. Numbers in
   brackets are those of More, Garbow, Hillstrom, Testing Unconstrained
   Optimization Software, ACM Transactions on Mathematical Software 7, 1981. */

#define UNUSED(c, t, x, point) (void)(c), (void)(t), (void)(x), (void)(point)

#define RESIDUAL(name)                                                         \
    static CosyStatus name(Cosy *c, real t, const real *x, const void *point,  \
                           const real *u, real *r)

#define NEAR(a, b, tol) (cosy_abs((a) - (b)) <= (tol))

#define FEW (R(64.0) * COSY_EPSILON)

/* ---- Published problems ------------------------------------------------------ */

/* (1) Rosenbrock: (1, 1). */
RESIDUAL(rosenbrock)
{
    UNUSED(c, t, x, point);
    r[0] = R(10.0) * (u[1] - u[0] * u[0]);
    r[1] = R(1.0) - u[0];
    return COSY_OK;
}

/* (13) Powell's singular function: 0, where the Jacobian is singular. */
RESIDUAL(powell)
{
    UNUSED(c, t, x, point);
    r[0] = u[0] + R(10.0) * u[1];
    r[1] = cosy_sqrt(R(5.0)) * (u[2] - u[3]);
    r[2] = cosy_square(u[1] - R(2.0) * u[2]);
    r[3] = cosy_sqrt(R(10.0)) * cosy_square(u[0] - u[3]);
    return COSY_OK;
}

/* (2) Freudenstein and Roth: (5, 4); Newton's method is caught in a minimum. */
RESIDUAL(freudenstein)
{
    UNUSED(c, t, x, point);
    r[0] = R(-13.0) + u[0] + ((R(5.0) - u[1]) * u[1] - R(2.0)) * u[1];
    r[1] = R(-29.0) + u[0] + ((u[1] + R(1.0)) * u[1] - R(14.0)) * u[1];
    return COSY_OK;
}

/* (3) Powell, badly scaled: (1.098e-5, 9.106). */
RESIDUAL(badly_scaled)
{
    UNUSED(c, t, x, point);
    r[0] = R(1e4) * u[0] * u[1] - R(1.0);
    r[1] = cosy_exp(-u[0]) + cosy_exp(-u[1]) - R(1.0001);
    return COSY_OK;
}

/* (27) Brown, almost linear: all 1, or a, .., a, a^(1-n). */
#define BROWN 10

RESIDUAL(brown)
{
    real sum = R(0.0), product = R(1.0);
    UNUSED(c, t, x, point);
    for (int i = 0; i < BROWN; i++) {
        sum += u[i];
        product *= u[i];
    }
    for (int i = 0; i < BROWN; i++)
        r[i] = u[i] + sum - (real)(BROWN + 1);
    r[BROWN - 1] = product - R(1.0);
    return COSY_OK;
}

static CosyStatus solve(CosyStatus (*residual)(Cosy *, real, const real *,
                                               const void *, const real *,
                                               real *),
                        uint32_t n, real *u)
{
    CosyBlock b = {.n = n, .equation = 3, .residual = residual};
    return block_solve(NULL, &b, R(0.0), NULL, NULL, u);
}

static void test_published(void)
{
    static const real far[] = {R(1.0), R(10.0), R(100.0)};
    real u[BROWN], r[BROWN];
    for (int k = 0; k < 3; k++) {
        u[0] = R(-1.2) * far[k], u[1] = far[k];
        CHECK(solve(rosenbrock, 2, u) == COSY_OK);
        // On the way u[1] is as large as far^2.
        CHECK(NEAR(u[0], R(1.0), FEW));
        CHECK(NEAR(u[1], R(1.0), R(1.44) * FEW * far[k] * far[k]));
        u[0] = R(0.5) * far[k], u[1] = R(-2.0) * far[k];
        CHECK(solve(freudenstein, 2, u) == COSY_OK);
        CHECK(NEAR(u[0], R(5.0), R(10.0) * FEW));
        CHECK(NEAR(u[1], R(4.0), FEW));
        u[0] = R(0.0), u[1] = far[k];
        CHECK(solve(badly_scaled, 2, u) == COSY_OK);
        CHECK(NEAR(R(1e4) * u[0] * u[1], R(1.0), R(1e3) * FEW));
        CHECK(NEAR(u[1], R(9.106), R(1e-3)));
        for (int i = 0; i < BROWN; i++)
            u[i] = R(0.5) * far[k];
        CHECK(solve(brown, BROWN, u) == COSY_OK);
        brown(NULL, R(0.0), NULL, NULL, u, r);
        for (int i = 0; i < BROWN; i++)
            CHECK(NEAR(r[i], R(0.0), R(1e4) * FEW));
    }
    u[0] = R(3.0), u[1] = R(-1.0), u[2] = R(0.0), u[3] = R(1.0);
    CHECK(solve(powell, 4, u) == COSY_OK);
    for (int i = 0; i < 4; i++)
        CHECK(NEAR(u[i], R(0.0), cosy_sqrt(COSY_EPSILON)));
}

/* ---- Singular where it starts ------------------------------------------------- */

RESIDUAL(sum_and_product)
{
    UNUSED(c, t, x, point);
    r[0] = u[0] + u[1] - R(10.0);
    r[1] = u[0] * u[1] - R(9.0);
    return COSY_OK;
}

/* Circle of radius 2 and the parabola y = x^2 - 1. */
RESIDUAL(circle_parabola)
{
    UNUSED(c, t, x, point);
    r[0] = u[0] * u[0] + u[1] * u[1] - R(4.0);
    r[1] = u[1] - u[0] * u[0] + R(1.0);
    return COSY_OK;
}

static void test_singular_start(void)
{
    real first[2] = {R(0.0), R(0.0)}, u[2] = {R(0.0), R(0.0)};
    CHECK(solve(sum_and_product, 2, first) == COSY_OK);
    CHECK(NEAR(first[0] + first[1], R(10.0), FEW));
    CHECK(NEAR(first[0] * first[1], R(9.0), R(10.0) * FEW));
    // The same input has the same result.
    CHECK(solve(sum_and_product, 2, u) == COSY_OK);
    CHECK(memcmp(&u[0], &first[0], sizeof(double)) == 0 && u[0] == first[0] &&
          u[1] == first[1]);
    u[0] = u[1] = R(0.0);
    CHECK(solve(circle_parabola, 2, u) == COSY_OK);
    real y = (R(-1.0) + cosy_sqrt(R(13.0))) / R(2.0);
    CHECK(NEAR(u[1], y, FEW));
    CHECK(NEAR(u[0] * u[0], y + R(1.0), FEW));
}

/* ---- Where damped steps end ------------------------------------------------------ */

/* A hump between the start and the solution: damped steps end in its valley. */
RESIDUAL(hump)
{
    UNUSED(c, t, x, point);
    r[0] = u[0] + R(4.0) * cosy_sin(u[0]) - R(12.0);
    return COSY_OK;
}

/* The same, and LOG forbids what is below zero. */
RESIDUAL(logarithm)
{
    UNUSED(c, t, x, point);
    r[0] = cosy_log(u[0]) + u[0] * u[0] - R(1.0);
    r[1] = cosy_sqrt(u[1] - R(5.0)) - u[0];
    return COSY_OK;
}

static void test_humps(void)
{
    for (int k = -8; k <= 8; k++) {
        real u[1] = {R(1.37) * (real)k}, r[1];
        CHECK(solve(hump, 1, u) == COSY_OK);
        hump(NULL, R(0.0), NULL, NULL, u, r);
        CHECK(NEAR(r[0], R(0.0), FEW * R(12.0)));
    }
    for (int k = 0; k < 3; k++) {
        real u[2] = {k == 1 ? R(-4.0) : R(0.0), k == 2 ? R(1e5) : R(0.0)};
        CHECK(solve(logarithm, 2, u) == COSY_OK);
        CHECK(NEAR(u[0], R(1.0), FEW) && NEAR(u[1], R(6.0), R(6.0) * FEW));
    }
}

/* ---- Following -------------------------------------------------------------------- */

/* u^3 - 3 u = t: from t = -3 the solution that begins at -2.1 ends at t = 2, u =
   -1; for larger t there is only one, near 2. */
RESIDUAL(fold)
{
    (void)c, (void)x, (void)point;
    r[0] = u[0] * u[0] * u[0] - R(3.0) * u[0] - t;
    return COSY_OK;
}

static void test_fold(void)
{
    CosyBlock b = {.n = 1, .equation = 3, .residual = fold};
    BlockRoom room = {.follows = true, .explains = true};
    for (int steps = 10; steps <= 1000; steps *= 10) {
        real u = R(-2.0), t = R(-2.0), h = R(5.0) / (real)steps;
        CosyStatus status = COSY_OK;
        for (; t < R(3.0) && status == COSY_OK; t += h) {
            status = block_solve_with(NULL, &b, t, NULL, NULL, &u, &room);
            CHECK(u <= R(-0.99));
        }
        CHECK(COSY_REASON(status) == COSY_NEWTON ||
              COSY_REASON(status) == COSY_SINGULAR);
        CHECK(t - h > R(1.99));
        CHECK(room.fault.block == &b && room.fault.turning);
        // At an event any solution will do.
        room.follows = false;
        CHECK(block_solve_with(NULL, &b, R(3.0), NULL, NULL, &u, &room) ==
              COSY_OK);
        CHECK(NEAR(u, R(2.1038034027355366), R(1e-14)));
        room.follows = true;
    }
    block_room_free(&room);
}

/* The path from -1.3 leads round both folds to the solution near 2: that is
   another one. */
static void test_round(void)
{
    CosyBlock b = {.n = 1, .equation = 3, .residual = fold};
    BlockRoom room = {.follows = true};
    for (int k = 0; k < 40; k++) {
        real u = R(-1.2) - R(0.02) * (real)k, start = u;
        CosyStatus status =
            block_solve_with(NULL, &b, R(2.3), NULL, NULL, &u, &room);
        CHECK(status != COSY_OK && u == start);
    }
    block_room_free(&room);
}

/* A diode with its resistor: large steps of the source are followed. */
RESIDUAL(diode)
{
    (void)c, (void)x, (void)point;
    r[0] = t - u[0] - R(100.0) * u[1];
    r[1] = u[1] - R(1e-12) * (cosy_exp(u[0] / R(0.026)) - R(1.0));
    return COSY_OK;
}

static void test_diode(void)
{
    CosyBlock b = {.n = 2, .residual = diode};
    BlockRoom room = {.follows = true};
    real u[2] = {R(0.0), R(0.0)}, r[2];
    for (int k = 0; k < 40; k++) {
        real t = R(5.0) * cosy_sin((real)k);
        CHECK(block_solve_with(NULL, &b, t, NULL, NULL, u, &room) == COSY_OK);
        diode(NULL, t, NULL, NULL, u, r);
        CHECK(NEAR(r[0], R(0.0), R(10.0) * FEW) &&
              NEAR(r[1], R(0.0), R(100.0) * FEW));
    }
    block_room_free(&room);
}

/* ---- Failing ------------------------------------------------------------------------ */

RESIDUAL(nothing)
{
    UNUSED(c, t, x, point);
    r[0] = u[0] * u[0] + u[1] * u[1] + R(1.0);
    r[1] = u[0] - u[1] * u[1];
    return COSY_OK;
}

RESIDUAL(never)
{
    UNUSED(c, t, x, point);
    r[0] = cosy_sqrt(R(-1.0) - u[0] * u[0]);
    return COSY_OK;
}

static void test_failing(void)
{
    CosyBlock b = {.n = 2, .equation = 3, .residual = nothing};
    real u[2] = {R(3.0), R(1.0)};
    BlockRoom room = {.explains = true};
    CosyStatus status =
        block_solve_with(NULL, &b, R(0.0), NULL, NULL, u, &room);
    CHECK(COSY_REASON(status) == COSY_NEWTON ||
          COSY_REASON(status) == COSY_SINGULAR);
    CHECK(u[0] == R(3.0) && u[1] == R(1.0));
    CHECK(room.fault.block == &b && !room.fault.turning);
    CHECK(room.fault.u.used == 2 * sizeof(real));
    CHECK(solve(never, 1, u) == COSY_FAIL(COSY_NUMBER, 3));
    // A limit of one's own is kept.
    b = (CosyBlock){.n = 2, .most = 2, .residual = circle_parabola};
    u[0] = u[1] = R(100.0);
    CHECK(COSY_REASON(block_solve(NULL, &b, R(0.0), NULL, NULL, u)) ==
          COSY_NEWTON);
    block_room_free(&room);
}

static void test_scarce(void)
{
    for (long n = 0, refused = 1; refused > 0; n++) {
        real u[2] = {R(0.0), R(0.0)};
        scarce_begin(n);
        CosyStatus status = solve(sum_and_product, 2, u);
        refused = scarce_end();
        CHECK(COSY_REASON(status) == (refused > 0 ? COSY_NO_MEMORY : COSY_OK));
    }
}

int main(void)
{
    test_published();
    test_singular_start();
    test_humps();
    test_fold();
    test_round();
    test_diode();
    test_failing();
    test_scarce();
    return check_end();
}
