#include "solve/block_part.h"

#include <string.h>

/* The search for solutions that Newton's method does not find by itself. While
   a run follows a solution, only the path from it counts (block_path.c).
   Otherwise the ways are, always in this order: regularised steps from the start
   values, the path from them, and both Newton's method and regularised steps
   from other starting points. */

#define REGULAR_MOST  200 // most unknowns for regularised steps: full matrices
#define REGULAR_STEPS 200
#define LEAST_DAMPING R(1e-12)
#define MOST_DAMPING  R(1e12)

/* ---- Regularised steps ------------------------------------------------------ */

/* Levenberg, Marquardt: a step makes |S r| smaller, where S brings the rows of
   the Jacobian, with its columns in proportion to the unknowns, to size 1 (More,
   The Levenberg-Marquardt Algorithm, Lecture Notes in Mathematics 630, 1978). It
   exists where the Jacobian is singular, too. */
typedef struct Regular {
    Newton *w;
    uint32_t n;
    real *j;      // S J, columns in proportion
    real *normal; // j' j + damping, then its factors
    real *size;   // of the unknowns
    real *factor; // S
    real *y;      // the step in proportion
    real *g;      // - j' S r
    real *kept;   // u during an attempt of Newton's method
    uint32_t *pivot;
    real damping, merit;
} Regular;

static size_t regular_reals(size_t n)
{
    return 2 * n * n + 6 * n;
}

static void regular_place(Regular *g, real *memory)
{
    size_t n = g->n;
    real **array[] = {&g->size, &g->factor, &g->y, &g->g, &g->kept};
    g->j = memory;
    g->normal = g->j + n * n;
    for (size_t k = 0; k < LENGTH(array); k++)
        *array[k] = g->normal + n * n + k * n;
    g->pivot = (uint32_t *)(void *)(g->kept + n);
}

static void regular_sizes(Regular *g)
{
    real largest = R(0.0);
    for (uint32_t i = 0; i < g->n; i++)
        largest = cosy_max(largest, cosy_abs(g->w->u[i]));
    if (largest == R(0.0))
        largest = R(1.0);
    for (uint32_t i = 0; i < g->n; i++)
        g->size[i] = cosy_max(cosy_abs(g->w->u[i]), R(0.1) * largest);
}

static real merit(const Regular *g, const real *r)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < g->n; i++)
        sum += cosy_square(g->factor[i] * r[i]);
    return sum / R(2.0);
}

/* j, S and the merit at u. */
static bool regular_begin(Regular *g)
{
    Newton *w = g->w;
    uint32_t n = g->n;
    if (block_residual(w, w->u, w->r) != COSY_OK ||
        block_entries(w, g->j) != COSY_OK)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        real *row = g->j + (size_t)i * n, largest = R(0.0);
        for (uint32_t k = 0; k < n; k++) {
            row[k] *= g->size[k];
            largest = cosy_max(largest, cosy_abs(row[k]));
        }
        largest = R(1.0) / largest;
        g->factor[i] = cosy_finite(largest) ? largest : R(1.0);
        for (uint32_t k = 0; k < n; k++)
            row[k] *= g->factor[i];
    }
    g->merit = merit(g, w->r);
    return cosy_finite(g->merit);
}

/* The step for the present damping, in `trial`; what it promises of the merit,
   or 0. */
static real regular_step(Regular *g)
{
    Newton *w = g->w;
    uint32_t n = g->n;
    real promise = R(0.0);
    for (uint32_t a = 0; a < n; a++) {
        g->g[a] = R(0.0);
        for (uint32_t i = 0; i < n; i++)
            g->g[a] -= g->j[(size_t)i * n + a] * g->factor[i] * w->r[i];
        for (uint32_t b = 0; b < n; b++) {
            real sum = a == b ? g->damping : R(0.0);
            for (uint32_t i = 0; i < n; i++)
                sum += g->j[(size_t)i * n + a] * g->j[(size_t)i * n + b];
            g->normal[(size_t)a * n + b] = sum;
        }
    }
    memcpy(g->y, g->g, n * sizeof(real));
    if (block_rows_factor(n, g->normal, w->size, g->pivot, R(0.0)) < n)
        return R(0.0);
    block_rows_solve(n, g->normal, g->pivot, g->y);
    for (uint32_t i = 0; i < n; i++) {
        w->trial[i] = w->u[i] + g->size[i] * g->y[i];
        promise += g->y[i] * (g->damping * g->y[i] + g->g[i]) / R(2.0);
    }
    return cosy_finite(promise) ? promise : R(0.0);
}

/* Damps until the merit falls; false if it does not. */
static bool regular_advance(Regular *g)
{
    Newton *w = g->w;
    for (; g->damping < MOST_DAMPING; g->damping *= R(4.0)) {
        real promise = regular_step(g);
        if (!(promise > R(0.0)) ||
            block_residual(w, w->trial, w->next) != COSY_OK)
            continue;
        real gain = (g->merit - merit(g, w->next)) / promise;
        if (!(gain > R(1e-4)))
            continue;
        if (gain > R(0.75))
            g->damping = cosy_max(g->damping / R(5.0), LEAST_DAMPING);
        else if (gain < R(0.25))
            g->damping *= R(2.0);
        memcpy(w->u, w->trial, g->n * sizeof(real));
        return true;
    }
    return false;
}

static bool regular_attempt(Regular *g)
{
    Newton *w = g->w;
    memcpy(g->kept, w->u, g->n * sizeof(real));
    if (block_newton(w) == COSY_OK)
        return true;
    memcpy(w->u, g->kept, g->n * sizeof(real));
    return false;
}

/* From u by regularised steps; Newton's method is tried whenever the merit has
   fallen by much, and at the end. */
static bool regularised(Newton *w, real *memory)
{
    Regular g = {.w = w, .n = w->n, .damping = R(1e-3)};
    real tried = COSY_REAL_MAX;
    regular_place(&g, memory);
    block_measure(w);
    for (int k = 0; k < REGULAR_STEPS; k++) {
        regular_sizes(&g);
        if (!regular_begin(&g))
            return false;
        if (k > 0 && g.merit < R(1e-3) * tried) {
            tried = g.merit;
            if (regular_attempt(&g))
                return true;
            if (!regular_begin(&g))
                return false;
        }
        if (k == 0)
            tried = g.merit;
        if (!regular_advance(&g))
            break;
    }
    return regular_attempt(&g);
}

/* ---- Other starting points --------------------------------------------------- */

/* Numbers between -1 and 1 that no symmetry of the equations connects: the
   golden ratio's multiples. */
static real uneven(uint32_t i)
{
    real a = (real)(i + 1) * R(0.618033988749894848204586834365638118);
    return R(2.0) * (a - cosy_floor(a)) - R(1.0);
}

typedef struct Start {
    real plain; // u = plain
    real times; // + times the start values
    real split; // + split times uneven numbers,
    bool own;   // of the size of the start values
} Start;

static const Start starts[] = {
    {R(0.0), R(1.0), R(0.1), true},     {R(0.0), R(0.0), R(0.0), false},
    {R(1.0), R(0.0), R(0.0), false},    {R(-1.0), R(0.0), R(0.0), false},
    {R(0.0), R(-1.0), R(0.0), false},   {R(0.0), R(2.0), R(0.0), false},
    {R(0.0), R(0.5), R(0.0), false},    {R(0.0), R(10.0), R(0.0), false},
    {R(0.0), R(0.1), R(0.0), false},    {R(1.0), R(0.0), R(0.5), false},
    {R(0.0), R(0.0), R(1.0), false},    {R(10.0), R(0.0), R(5.0), false},
    {R(0.0), R(0.0), R(10.0), false},   {R(0.1), R(0.0), R(0.05), false},
    {R(-1.0), R(0.0), R(0.5), false},   {R(-10.0), R(0.0), R(5.0), false},
    {R(100.0), R(0.0), R(50.0), false}, {R(0.0), R(0.0), R(100.0), false},
    {R(1e-3), R(0.0), R(5e-4), false},  {R(0.0), R(1.0), R(1.0), true},
};

static void start_from(Newton *w, const Start *k, const real *u)
{
    real largest = R(0.0);
    for (uint32_t i = 0; i < w->n; i++)
        largest = cosy_max(largest, cosy_abs(u[i]));
    if (!k->own || largest == R(0.0))
        largest = R(1.0);
    for (uint32_t i = 0; i < w->n; i++)
        w->u[i] = k->plain + k->times * u[i] + k->split * largest * uneven(i);
}

/* ---- All of it ---------------------------------------------------------------- */

/* Where nothing is known, a solution with positive unknowns is what is meant:
   flows, pressures, concentrations. */
static bool search_positive(Newton *w, const real *u)
{
    static const Start ones = {R(1.0), R(0.0), R(0.0), false};
    for (uint32_t i = 0; i < w->n; i++)
        if (u[i] != R(0.0))
            return false;
    start_from(w, &ones, u);
    return block_newton(w) == COSY_OK;
}

static bool search_freely(Newton *w, const real *u, real *memory)
{
    size_t size = w->n * sizeof(real);
    bool regular = w->n <= REGULAR_MOST, turning;
    if (search_positive(w, u))
        return true;
    memcpy(w->u, u, size);
    if (regular && regularised(w, memory))
        return true;
    if (block_path(w, u, memory, &turning))
        return true;
    for (size_t k = 0; k < LENGTH(starts); k++) {
        start_from(w, &starts[k], u);
        if (block_newton(w) == COSY_OK)
            return true;
        start_from(w, &starts[k], u);
        if (regular && regularised(w, memory))
            return true;
    }
    return false;
}

CosyStatus block_search(Newton *w, const real *u, CosyStatus first)
{
    size_t n = w->n;
    size_t reals = n <= REGULAR_MOST ? regular_reals(n) : BLOCK_PATH_REALS(n);
    reals = reals < BLOCK_PATH_REALS(n) ? BLOCK_PATH_REALS(n) : reals;
    BlockRoom *room = w->room;
    bool found, turning = false;
    if (!vector_fit(&room->search, reals * sizeof(real)))
        return COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
    real *memory = (real *)(void *)room->search.bytes;
    found = room->follows ? block_path(w, u, memory, &turning)
                          : search_freely(w, u, memory);
    if (found)
        return COSY_OK;
    room->fault.turning = turning;
    return first != COSY_OK ? first : block_no_convergence(w);
}
