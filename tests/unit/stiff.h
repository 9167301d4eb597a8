#ifndef COSY_TESTS_STIFF_H
#define COSY_TESTS_STIFF_H

/* Small stiff problems as models without a discrete part, and a Drive that
   integrates one of them.

   Numbers of HIRES and of the Akzo Nobel problem: test set for IVP solvers
   (CWI, Bari), recomputed in quad precision; those of Robertson are from the
   same set. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solve/method.h"

#define STIFF_STATE(label, k)                                                  \
    {                                                                          \
        .name = (label), .unit = "", .comment = "", .kind = COSY_STATE,        \
        .place = (k), .rows = 1, .columns = 1, .process = COSY_NONE,           \
        .derivative = COSY_NONE, .low = R(1.0), .high = R(0.0)                 \
    }

static const CosyVariable stiff_variables[] = {
    STIFF_STATE("Y1", 0), STIFF_STATE("Y2", 1), STIFF_STATE("Y3", 2),
    STIFF_STATE("Y4", 3), STIFF_STATE("Y5", 4), STIFF_STATE("Y6", 5),
    STIFF_STATE("Y7", 6), STIFF_STATE("Y8", 7)};

static const CosyEquation stiff_equations[] = {
    {0, 11, "Y1' = ...", false}, {1, 12, "Y2' = ...", false},
    {2, 13, "Y3' = ...", false}, {3, 14, "Y4' = ...", false},
    {4, 15, "Y5' = ...", false}, {5, 16, "Y6' = ...", false},
    {6, 17, "Y7' = ...", false}, {7, 18, "Y8' = ...", false}};

#define STIFF_MODEL(title, n)                                                  \
    .version = COSY_VERSION, .precision = COSY_PRECISION,                      \
    .real_size = sizeof(real), .name = (title), .source = "", .hash = "",      \
    .states = (n), .n_variables = (n) < 8 ? (n) : 8,                           \
    .variables = stiff_variables, .n_equations = (n) < 8 ? (n) : 8,            \
    .equations = stiff_equations

/* ---- Prothero and Robinson: y' = -1e6 (y - cos t) - sin t ------------------ */

static inline CosyStatus prothero_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    dx[0] = R(-1e6) * (x[0] - cosy_cos(t)) - cosy_sin(t);
    return COSY_OK;
}

static const CosyModel prothero = {STIFF_MODEL("PROTHERO", 1),
                                   .derivatives = prothero_rhs};

/* ---- Decay: y' = -y ---------------------------------------------------------- */

static inline CosyStatus decay_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = -x[0];
    return COSY_OK;
}

static const CosyModel decay = {STIFF_MODEL("DECAY", 1),
                                .derivatives = decay_rhs};

/* ---- A rigid body without forces (Euler): not stiff ------------------------- */

static inline CosyStatus smooth_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = x[1] * x[2];
    dx[1] = -x[0] * x[2];
    dx[2] = R(-0.51) * x[0] * x[1];
    return COSY_OK;
}

static const CosyModel smooth = {STIFF_MODEL("EULER", 3),
                                 .derivatives = smooth_rhs};

/* ---- Robertson ------------------------------------------------------------ */

static inline CosyStatus robertson_rhs(Cosy *c, real t, const real *x, real *dx)
{
    (void)c;
    (void)t;
    dx[0] = R(-0.04) * x[0] + R(1e4) * x[1] * x[2];
    dx[2] = R(3e7) * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return COSY_OK;
}

/* By rows, and one place in two parts. */
static inline CosyStatus robertson_pattern(Cosy *c, uint32_t *row,
                                           uint32_t *column, uint32_t *count)
{
    static const uint32_t r[] = {0, 0, 0, 1, 1, 1, 1, 2};
    static const uint32_t k[] = {0, 1, 2, 1, 0, 1, 2, 1};
    (void)c;
    *count = 8;
    if (row != NULL) {
        memcpy(row, r, sizeof r);
        memcpy(column, k, sizeof k);
    }
    return COSY_OK;
}

static inline CosyStatus robertson_jacobian(Cosy *c, real t, const real *x,
                                            real *v)
{
    (void)c;
    (void)t;
    v[0] = R(-0.04);
    v[1] = R(1e4) * x[2];
    v[2] = R(1e4) * x[1];
    v[3] = R(-6e7) * x[1];
    v[4] = R(0.04);
    v[5] = R(-1e4) * x[2];
    v[6] = R(-1e4) * x[1];
    v[7] = R(6e7) * x[1];
    return COSY_OK;
}

static const CosyModel robertson = {
    STIFF_MODEL("ROBERTSON", 3), .derivatives = robertson_rhs,
    .pattern = robertson_pattern, .jacobian = robertson_jacobian};
static const real robertson_begin[] = {R(1.0), R(0.0), R(0.0)};
static const real robertson_end[] = {R(0.2083340149701255e-07), // at 1e11
                                     R(0.8333360770334713e-13),
                                     R(0.9999999791665050)};

/* ---- HIRES ---------------------------------------------------------------- */

static inline CosyStatus hires_rhs(Cosy *c, real t, const real *y, real *dy)
{
    (void)c;
    (void)t;
    dy[0] = R(-1.71) * y[0] + R(0.43) * y[1] + R(8.32) * y[2] + R(0.0007);
    dy[1] = R(1.71) * y[0] - R(8.75) * y[1];
    dy[2] = R(-10.03) * y[2] + R(0.43) * y[3] + R(0.035) * y[4];
    dy[3] = R(8.32) * y[1] + R(1.71) * y[2] - R(1.12) * y[3];
    dy[4] = R(-1.745) * y[4] + R(0.43) * y[5] + R(0.43) * y[6];
    dy[5] = R(-280.0) * y[5] * y[7] + R(0.69) * y[3] + R(1.71) * y[4] -
            R(0.43) * y[5] + R(0.69) * y[6];
    dy[6] = R(280.0) * y[5] * y[7] - R(1.81) * y[6];
    dy[7] = -dy[6];
    return COSY_OK;
}

static const CosyModel hires = {STIFF_MODEL("HIRES", 8),
                                .derivatives = hires_rhs};
static const real hires_begin[] = {R(1.0), R(0.0), R(0.0), R(0.0),
                                   R(0.0), R(0.0), R(0.0), R(0.0057)};
#define HIRES_TIME R(321.8122)
static const real hires_end[] = {R(7.37131257332566780704797251673983e-4),
                                 R(1.44248572631618465814777190265174e-4),
                                 R(5.88872974096757500693592535615796e-5),
                                 R(1.17565134328314914546809989716095e-3),
                                 R(2.38635619883133046795678411426905e-3),
                                 R(6.23896825274279577298109300226510e-3),
                                 R(2.84999839518576867166398172339075e-3),
                                 R(2.85000160481423132833601827660925e-3)};

/* ---- Chemical Akzo Nobel: DAE of index 1, M = diag(1, 1, 1, 1, 1, 0) ------- */

static inline CosyStatus akzo_rhs(Cosy *c, real t, const real *y, real *dy)
{
    (void)c;
    (void)t;
    if (y[1] < R(0.0))
        return COSY_FAIL(COSY_NUMBER, 1);
    real root = cosy_sqrt(y[1]);
    real r1 = R(18.7) * cosy_square(cosy_square(y[0])) * root;
    real r2 = R(0.58) * y[2] * y[3];
    real r3 = R(0.58) / R(34.4) * y[0] * y[4];
    real r4 = R(0.09) * y[0] * y[3] * y[3];
    real r5 = R(0.42) * y[5] * y[5] * root;
    real in = R(3.3) * (R(0.9) / R(737.0) - y[1]);
    dy[0] = R(-2.0) * r1 + r2 - r3 - r4;
    dy[1] = R(-0.5) * r1 - r4 - R(0.5) * r5 + in;
    dy[2] = r1 - r2 + r3;
    dy[3] = -r2 + r3 - R(2.0) * r4;
    dy[4] = r2 - r3 + r5;
    dy[5] = R(115.83) * y[0] * y[3] - y[5];
    return COSY_OK;
}

static inline CosyStatus akzo_mass_pattern(Cosy *c, uint32_t *row,
                                           uint32_t *column, uint32_t *count)
{
    (void)c;
    *count = 5;
    for (uint32_t k = 0; row != NULL && k < 5; k++)
        row[k] = column[k] = k;
    return COSY_OK;
}

static inline CosyStatus akzo_mass(Cosy *c, real t, const real *x, real *value)
{
    (void)c;
    (void)t;
    (void)x;
    for (int k = 0; k < 5; k++)
        value[k] = R(1.0);
    return COSY_OK;
}

static const CosyModel akzo = {
    STIFF_MODEL("CHEMAKZO", 6), .derivatives = akzo_rhs,
    .mass_kind = COSY_MASS_CONSTANT, .mass_pattern = akzo_mass_pattern,
    .mass = akzo_mass};
static const real akzo_begin[] = {R(0.444), R(0.00123),
                                  R(0.0),   R(0.007),
                                  R(0.0),   R(115.83) * R(0.444) * R(0.007)};
static const real akzo_end[] = {R(1.15079492066170218616724394532146e-1),
                                R(1.20383147156771509090373418832005e-3),
                                R(1.61156288740797420964323315306436e-1),
                                R(3.65615642124928301713528963680024e-4),
                                R(1.70801088526440407137817549456950e-2),
                                R(4.87353131030745512933973943114854e-3)};

/* ---- The same as five equations, the algebraic one put in ------------------- */

static inline CosyStatus akzo5_rhs(Cosy *c, real t, const real *y, real *dy)
{
    real x[6], dx[6];
    memcpy(x, y, 5 * sizeof *x);
    x[5] = R(115.83) * y[0] * y[3];
    COSY_TRY(akzo_rhs(c, t, x, dx));
    memcpy(dy, dx, 5 * sizeof *dy);
    return COSY_OK;
}

static const CosyModel akzo5 = {STIFF_MODEL("CHEMAKZO5", 5),
                                .derivatives = akzo5_rhs};

/* ---- Van der Pol's equation with mu = 1000, scaled (test set for IVP solvers):
   y'' = 1e6 ((1 - y^2) y' - y) ----------------------------------------------- */

static inline CosyStatus vdpol_rhs(Cosy *c, real t, const real *y, real *dy)
{
    (void)c;
    (void)t;
    dy[0] = y[1];
    dy[1] = R(1e6) * ((R(1.0) - y[0] * y[0]) * y[1] - y[0]);
    return COSY_OK;
}

static const CosyModel vdpol = {STIFF_MODEL("VDPOL", 2),
                                .derivatives = vdpol_rhs};
static const real vdpol_begin[] = {R(2.0), R(0.0)};
static const real vdpol_end[] = {R(0.1706167732170483e1), // at t = 2
                                 R(-0.8928097010247975)};

/* ---- Heat in a rod of 200 cells, ends at 0 ---------------------------------- */

#define HEAT 200

static inline CosyStatus heat_rhs(Cosy *c, real t, const real *u, real *du)
{
    const real k = (real)((HEAT + 1) * (HEAT + 1));
    (void)c;
    (void)t;
    for (int i = 0; i < HEAT; i++) {
        real left = i > 0 ? u[i - 1] : R(0.0);
        real right = i < HEAT - 1 ? u[i + 1] : R(0.0);
        du[i] = k * (left - R(2.0) * u[i] + right);
    }
    return COSY_OK;
}

static inline CosyStatus heat_pattern(Cosy *c, uint32_t *row, uint32_t *column,
                                      uint32_t *count)
{
    uint32_t at = 0;
    (void)c;
    for (uint32_t j = 0; j < HEAT; j++) {
        for (uint32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < HEAT; i++) {
            if (row != NULL) {
                row[at] = i;
                column[at] = j;
            }
            at++;
        }
    }
    *count = at;
    return COSY_OK;
}

static const CosyModel heat = {STIFF_MODEL("HEAT", HEAT),
                               .derivatives = heat_rhs,
                               .pattern = heat_pattern};

/* ---- A run ---------------------------------------------------------------- */

typedef struct Drive {
    Cosy c;
    CosyHead head;
    Arena arena;
    Image image;
    Fault fault;
    Solver s;
} Drive;

/* Starts `model` at t = 0 from x; the status is that of create, resize or
   start. */
static inline Status drive_open(Drive *r, const CosyModel *model,
                                const SolverOptions *o, const real *x)
{
    memset(r, 0, sizeof *r);
    r->c.model = model;
    r->c.head = &r->head;
    TRY(solver_create(&r->s, &r->c, o, &r->arena, &r->image, &r->fault));
    TRY(solver_resize(&r->s, model->states));
    memcpy(r->s.x, x, model->states * sizeof(real));
    return r->s.method->start(&r->s);
}

static inline Status drive_to(Drive *r, real t_end)
{
    while (r->s.t != t_end)
        TRY(r->s.method->step(&r->s, t_end));
    return STATUS_OK;
}

static inline void drive_close(Drive *r)
{
    solver_free(&r->s);
    arena_free(&r->arena);
}

/* Largest |x - reference| / |reference|. */
static inline double drive_error(const Drive *r, const real *reference)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < r->s.n; i++) {
        real scale = reference[i] == R(0.0) ? R(1.0) : reference[i];
        most = cosy_max(most, cosy_abs((r->s.x[i] - reference[i]) / scale));
    }
    return (double)most;
}

static inline void drive_tell(const Drive *r, const char *what, double error)
{
    const SolverCounts *k = &r->s.counts;
    printf("%-28s error %.1e  steps %llu rejected %llu rhs %llu jac %llu lu "
           "%llu newton %llu\n",
           what, error, (unsigned long long)k->steps,
           (unsigned long long)k->rejected, (unsigned long long)k->rhs,
           (unsigned long long)k->jacobians,
           (unsigned long long)k->factorisations,
           (unsigned long long)k->iterations);
}

#endif
