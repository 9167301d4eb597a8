#include "solve/project.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scarce.h"

static unsigned values, gradients; // evaluations so far

/* ---- A rod ----------------------------------------------------------------- */

/* |x| = 1, and the velocity (x2, x3) is tangent; a third row repeats the first
   with another length, whose square is `again`; a fourth one is not active. */
typedef struct Rod {
    real again;
    bool fourth;
} Rod;

static CosyStatus rod(Cosy *c, real t, const real *x, real *g, uint8_t *active)
{
    const Rod *d = c->data;
    (void)t;
    values++;
    g[0] = x[0] * x[0] + x[1] * x[1] - R(1.0);
    g[1] = x[0] * x[2] + x[1] * x[3];
    g[2] = R(3.0) * (x[0] * x[0] + x[1] * x[1] - d->again);
    active[0] = active[1] = active[2] = 1;
    active[3] = d->fourth;
    if (d->fourth)
        g[3] = x[0] - x[1];
    else
        memset(&g[3], 0xff, sizeof g[3]); // not a number
    return COSY_OK;
}

static CosyStatus rod_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                              uint32_t *count)
{
    (void)c;
    *count = 16;
    for (uint32_t k = 0; row && k < 16; k++) {
        row[k] = k / 4;
        column[k] = k % 4;
    }
    return COSY_OK;
}

static CosyStatus rod_jacobian(Cosy *c, real t, const real *x, real *gx)
{
    real row[] = {R(2.0) * x[0], R(2.0) * x[1], R(0.0), R(0.0),
                  x[2],          x[3],          x[0],   x[1],
                  R(6.0) * x[0], R(6.0) * x[1], R(0.0), R(0.0),
                  R(1.0),        R(-1.0),       R(0.0), R(0.0)};
    (void)c;
    (void)t;
    gradients++;
    memcpy(gx, row, sizeof row);
    return COSY_OK;
}

static const CosyEquation rod_equations[] = {
    {COSY_NONE, 7, "X^2 + Y^2 = 1", false},
    {COSY_NONE, 9, "3*(X^2 + Y^2) = S", false},
    {COSY_NONE, 11, "X = Y", false},
    {COSY_NONE, 7, "derivative of X^2 + Y^2 = 1", false}};
static const CosyConstraint rod_constraints[] = {{0, 1, 0, 0, 0, 0},
                                                 {1, 1, 3, 1, 0, 0},
                                                 {2, 1, 1, 0, 0, 0},
                                                 {3, 1, 2, 0, 0, 0}};

static const CosyModel rod_model = {.name = "ROD",
                                    .source = "rod.cosy",
                                    .states = 4,
                                    .n_equations = 4,
                                    .equations = rod_equations,
                                    .n_constraints_info = 4,
                                    .constraints_info = rod_constraints,
                                    .n_constraints = 4,
                                    .constraints = rod,
                                    .constraint_pattern = rod_pattern,
                                    .constraint_jacobian = rod_jacobian};
static const CosyModel rod_differences = {.name = "ROD",
                                          .source = "rod.cosy",
                                          .states = 4,
                                          .n_constraints = 4,
                                          .constraints = rod};

typedef struct Bench {
    Cosy c;
    Arena arena;
    Project p;
    Fault fault;
} Bench;

static void open_bench(Bench *b, const CosyModel *m, void *data)
{
    *b = (Bench){.c = {.model = m, .data = data}};
    CHECK(project_create(&b->p, &b->c, &b->arena, NULL) == STATUS_OK);
}

static void close_bench(Bench *b)
{
    project_free(&b->p);
    arena_free(&b->arena);
}

static void test_rod(const CosyModel *m, real accuracy)
{
    Rod d = {R(1.0), false};
    Bench b;
    real x[] = {R(0.6) + R(1e-5), R(0.8), R(8.0), R(-6.0) - R(1e-4)}, g[4];
    uint8_t active[4];
    ProjectAt at = {.n = 4};
    open_bench(&b, m, &d);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK_TEXT(b.fault.text, "");
    rod(&b.c, R(0.0), x, g, active);
    CHECK(cosy_abs(g[0]) < accuracy && cosy_abs(g[1]) < R(10.0) * accuracy);
    CHECK(cosy_abs(x[0] - R(0.6)) < R(1e-4) &&
          cosy_abs(x[1] - R(0.8)) < R(1e-4));
    CHECK(b.p.moved > R(1e-6) && b.p.moved < R(1e-4));
    CHECK(b.p.state.drift > R(0.0) && b.p.state.error < R(100.0) * accuracy);
    // What is fulfilled does not move, and takes one evaluation.
    real again[4];
    memcpy(again, x, sizeof x);
    values = gradients = 0;
    scarce_begin(0);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(scarce_end() == 0);
    CHECK(memcmp(again, x, sizeof x) == 0 && b.p.moved == R(0.0));
    CHECK(values == 1 && gradients == 0);
    close_bench(&b);
}

/* A state that is known a hundred times as well moves 10^4 times less, whatever
   its unit is; one that is fixed does not move at all. */
static void test_weights(void)
{
    Rod d = {R(1.0), false};
    Bench b;
    const real from[] = {R(0.6), R(0.8) + R(1e-4), R(0.8), R(-0.6)};
    const real weight[] = {R(1e-2), R(1e-4), R(1.0), R(1.0)};
    const uint8_t fixed[] = {0, 1, 0, 0};
    real x[4];
    ProjectAt at = {.n = 4, .weight = weight};
    open_bench(&b, &rod_model, &d);
    memcpy(x, from, sizeof x);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(cosy_abs(x[1] - from[1]) < R(1e-3) * cosy_abs(x[0] - from[0]));
    CHECK(cosy_abs(x[0] - from[0]) > R(1e-4));
    memcpy(x, from, sizeof x);
    at = (ProjectAt){.n = 4, .fixed = fixed};
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(x[1] == from[1]);
    CHECK(cosy_abs(x[0] * x[0] + x[1] * x[1] - R(1.0)) <
          R(16.0) * COSY_EPSILON);
    // Less than the slack stays, but is seen.
    memcpy(x, from, sizeof x);
    at = (ProjectAt){.n = 4, .slack = R(0.1)};
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(memcmp(x, from, sizeof x) == 0);
    CHECK(b.p.state.error > R(1e-4) && b.p.state.drift > R(5e-5));
    close_bench(&b);
}

static void test_failures(void)
{
    Rod d = {R(1.0), false};
    Bench b;
    ProjectAt at = {.n = 4, .t = R(0.25)};
    real zero[] = {R(0.0), R(0.0), R(0.0), R(0.0)};
    real x[] = {R(0.6), R(0.8), R(0.8), R(-0.6)}, same[4];
    open_bench(&b, &rod_model, &d);
    // At the origin nothing can be restored.
    CHECK(project_restore(&b.p, &at, zero, &b.fault) == STATUS_SINGULAR);
    CHECK(strstr(b.fault.text, "rod.cosy:9: time 0.25: the constraint 3*(X^2 "
                               "+ Y^2) = S, which is off by -3") != NULL);
    CHECK(zero[0] == R(0.0));
    // The same rod cannot have two lengths.
    b.fault = (Fault){0};
    d.again = R(1.01);
    memcpy(same, x, sizeof x);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_NEWTON);
    CHECK(memcmp(same, x, sizeof x) == 0);
    CHECK(strstr(b.fault.text, "X^2 + Y^2") != NULL);
    // A row that becomes active is seen, though it was unknown before.
    b.fault = (Fault){0};
    d = (Rod){R(1.0), false};
    CHECK(project_look(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(b.p.violation == R(0.0));
    d.fourth = true;
    CHECK(project_look(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(b.p.violation > R(0.1) && b.p.worst == 3);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(cosy_abs(x[0] - cosy_sqrt(R(0.5))) < R(1e-12));
    close_bench(&b);
}

static void test_memory(void)
{
    Rod d = {R(1.0), false};
    ProjectAt at = {.n = 4};
    for (long n = 0, refused = 1; refused > 0; n++) {
        Bench b = {.c = {.model = &rod_model, .data = &d}};
        real x[] = {R(0.61), R(0.8), R(0.8), R(-0.6)};
        scarce_begin(n);
        Status s = project_create(&b.p, &b.c, &b.arena, NULL);
        if (s == STATUS_OK)
            s = project_restore(&b.p, &at, x, &b.fault);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        close_bench(&b);
    }
}

/* ---- A chain --------------------------------------------------------------- */

/* LINKS rods between neighbours in a plane, twice: every row has a copy. */
enum { LINKS = 1000, CHAIN = 2 * (LINKS + 1) };

static CosyStatus chain(Cosy *c, real t, const real *x, real *g,
                        uint8_t *active)
{
    (void)c;
    (void)t;
    for (uint32_t k = 0; k < LINKS; k++) {
        real a = x[2 * k + 2] - x[2 * k], b = x[2 * k + 3] - x[2 * k + 1];
        g[k] = a * a + b * b - R(1.0);
        g[LINKS + k] = R(2.0) * g[k];
    }
    memset(active, 1, 2 * LINKS);
    return COSY_OK;
}

static CosyStatus chain_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                uint32_t *count)
{
    (void)c;
    *count = 8 * LINKS;
    for (uint32_t k = 0; row && k < 8 * LINKS; k++) {
        row[k] = k / 4;
        column[k] = 2 * (k / 4 % LINKS) + k % 4;
    }
    return COSY_OK;
}

static CosyStatus chain_jacobian(Cosy *c, real t, const real *x, real *gx)
{
    (void)c;
    (void)t;
    for (uint32_t k = 0; k < 2 * LINKS; k++, gx += 4) {
        const real *y = x + 2 * (k % LINKS);
        real by = k < LINKS ? R(2.0) : R(4.0);
        gx[2] = by * (y[2] - y[0]);
        gx[3] = by * (y[3] - y[1]);
        gx[0] = -gx[2];
        gx[1] = -gx[3];
    }
    return COSY_OK;
}

static const CosyModel chain_model = {.name = "CHAIN",
                                      .source = "chain.cosy",
                                      .states = CHAIN,
                                      .n_constraints = 2 * LINKS,
                                      .constraints = chain,
                                      .constraint_pattern = chain_pattern,
                                      .constraint_jacobian = chain_jacobian};

static void test_chain(void)
{
    Bench b;
    static real x[CHAIN];
    ProjectAt at = {.n = CHAIN};
    open_bench(&b, &chain_model, NULL);
    for (uint32_t k = 0; k <= LINKS; k++) {
        x[2 * k] = (real)k * (R(0.8) + R(1e-6));
        x[2 * k + 1] = k % 2 ? R(0.6) : R(0.0);
    }
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK_TEXT(b.fault.text, "");
    CHECK(b.p.state.error < R(1e5) * COSY_EPSILON);
    CHECK(b.p.moved > R(1e-7) && b.p.moved < R(1e-2));
    for (uint32_t k = 0; k <= LINKS; k++)
        x[2 * k] += R(1e-7) * (real)(k % 3);
    scarce_begin(0);
    CHECK(project_restore(&b.p, &at, x, &b.fault) == STATUS_OK);
    CHECK(scarce_end() == 0);
    close_bench(&b);
}

int main(void)
{
    test_rod(&rod_model, R(16.0) * COSY_EPSILON);
    test_rod(&rod_differences, R(64.0) * COSY_EPSILON);
    test_weights();
    test_failures();
    test_memory();
    test_chain();
    return check_end();
}
