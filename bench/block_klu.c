/* An algebraic loop of about 1,000 linear equations, solved by the service that
   compiled models call, against a plain program that hands the same matrix to
   KLU: values, refactorisation, solution, with pivots that stay.

   Matrices: a grid of 32 x 31 points with five entries per row, and a chain,
   for which COSY takes a band instead of KLU. The values change in each
   solution. Prints microseconds for both, and their ratio. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "bench/measure.h"
#include "solve/block.h"

enum { WIDE = 32, HIGH = 31, MOST = WIDE * HIGH, ENTRIES = 5 * MOST };

/* A matrix by columns, and what both sides need. */
typedef struct Problem {
    const char *name;
    uint32_t n, wide, count;
    uint32_t row[ENTRIES], column[ENTRIES];
    int start[MOST + 1], index[ENTRIES];
    double value[ENTRIES], b[MOST];
    double t;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    Cosy c;
    CosyModel model;
    CosyBlock block;
    Arena arena;
    BlockRoom room;
} Problem;

/* Both sides call this for the values, in the order of columns. */
static void fill(const Problem *p, double t, double *value)
{
    for (uint32_t k = 0; k < p->count; k++) {
        uint32_t i = p->row[k], j = p->column[k];
        value[k] = i == j ? 4.5 + 0.1 * t : i < j ? -1.0 - 0.01 * t : -1.0;
    }
}

static void residual_of(const Problem *p, const double *value, const double *u,
                        double *r)
{
    for (uint32_t i = 0; i < p->n; i++)
        r[i] = -1.0 - (double)(i % 7);
    for (uint32_t k = 0; k < p->count; k++)
        r[p->row[k]] += value[k] * u[p->column[k]];
}

/* ---- COSY -------------------------------------------------------------------- */

static CosyStatus pattern(Cosy *c, uint32_t *row, uint32_t *column,
                          uint32_t *count)
{
    const Problem *p = c->run;
    *count = p->count;
    if (row != NULL) {
        memcpy(row, p->row, p->count * sizeof *row);
        memcpy(column, p->column, p->count * sizeof *column);
    }
    return COSY_OK;
}

static CosyStatus jacobian(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *j)
{
    (void)x;
    (void)point;
    (void)u;
    fill(c->run, t, j);
    return COSY_OK;
}

static CosyStatus residual(Cosy *c, real t, const real *x, const void *point,
                           const real *u, real *r)
{
    double value[ENTRIES];
    (void)x;
    (void)point;
    fill(c->run, t, value);
    residual_of(c->run, value, u, r);
    return COSY_OK;
}

static double u_cosy[MOST], u_klu[MOST];

static void by_cosy(void *user)
{
    Problem *p = user;
    p->t = p->t < 1.0 ? p->t + 0.01 : 0.0;
    if (block_solve_with(&p->c, &p->model.blocks[0], p->t, NULL, NULL, u_cosy,
                         &p->room) != COSY_OK)
        abort();
}

/* ---- KLU ---------------------------------------------------------------------- */

/* The same work: residual at the last solution, matrix, correction. */
static void by_klu(void *user)
{
    Problem *p = user;
    double r[MOST];
    p->t = p->t < 1.0 ? p->t + 0.01 : 0.0;
    fill(p, p->t, p->value);
    residual_of(p, p->value, u_klu, r);
    fill(p, p->t, p->value);
    if (!klu_refactor(p->start, p->index, p->value, p->symbolic, p->numeric,
                      &p->common) ||
        !klu_solve(p->symbolic, p->numeric, (int)p->n, 1, r, &p->common))
        abort();
    for (uint32_t i = 0; i < p->n; i++)
        u_klu[i] -= r[i];
}

/* ---- Both --------------------------------------------------------------------- */

static void add(Problem *p, uint32_t i, uint32_t j)
{
    p->row[p->count] = i;
    p->column[p->count] = j;
    p->index[p->count++] = (int)i;
}

static void prepare(Problem *p, const char *name, uint32_t wide)
{
    *p = (Problem){.name = name, .n = MOST, .wide = wide};
    for (uint32_t j = 0; j < p->n; j++) {
        p->start[j] = (int)p->count;
        if (wide && j >= wide)
            add(p, j - wide, j);
        if (j > 0)
            add(p, j - 1, j);
        add(p, j, j);
        if (j + 1 < p->n)
            add(p, j + 1, j);
        if (wide && j + wide < p->n)
            add(p, j + wide, j);
    }
    p->start[p->n] = (int)p->count;
    klu_defaults(&p->common);
    fill(p, 0.0, p->value);
    p->symbolic = klu_analyze((int)p->n, p->start, p->index, &p->common);
    p->numeric =
        klu_factor(p->start, p->index, p->value, p->symbolic, &p->common);
    p->block = (CosyBlock){.n = p->n,
                           .linear = true,
                           .residual = residual,
                           .jacobian = jacobian,
                           .pattern = pattern};
    p->model = (CosyModel){.n_blocks = 1, .blocks = &p->block};
    p->c = (Cosy){.model = &p->model, .run = p};
    if (block_room_create(&p->room, &p->c, &p->arena, NULL) != STATUS_OK)
        abort();
}

static void measure(const char *name, uint32_t wide)
{
    Problem *p = malloc(sizeof *p);
    if (p == NULL)
        abort();
    prepare(p, name, wide);
    double klu = measure_seconds(by_klu, p), own = measure_seconds(by_cosy, p);
    p->t = 0.5;
    by_klu(p);
    p->t = 0.5;
    by_cosy(p);
    double most = 0.0;
    for (uint32_t i = 0; i < p->n; i++)
        if (cosy_abs(u_cosy[i] - u_klu[i]) > most)
            most = cosy_abs(u_cosy[i] - u_klu[i]);
    printf("%-6s %u unknowns, %u entries: KLU %.1f us, COSY %.1f us, ratio "
           "%.2f, difference %.1e\n",
           name, p->n, p->count, 1e6 * klu, 1e6 * own, own / klu, most);
    block_room_free(&p->room);
    arena_free(&p->arena);
    klu_free_numeric(&p->numeric, &p->common);
    klu_free_symbolic(&p->symbolic, &p->common);
    free(p);
}

int main(void)
{
    measure("grid", WIDE);
    measure("chain", 0);
    return 0;
}
