#include "solve/block_part.h"

#include <string.h>

/* A modal block that is singular where it is: its rows are chosen by branches,
   and those of this mode leave something open. With J = inverse(R) A inverse(C),
   rows and columns scaled (block_rank.c), a step is the shortest y with
   A y = - R r, and C y is added to the unknowns:

       A = [L 0; l 1] [U u; 0 0] except for the order of rows and columns
       y = [inverse(U) inverse(L) b; 0] - N c,    N = [- inverse(U) u; 1],

   where c makes y orthogonal to N. The rows without a pivot say nothing new;
   whether they hold shows the residual after the step. One step is all that a
   linear block takes. Others are damped: each step makes the scaled residual
   smaller (Gauss, Newton). */

#define STEPS   60
#define DAMPED  R(1e-6)
#define EQUAL   R(1e-8)                 // see is_kept
#define NOTHING R(1e-6)                 // smaller entries of N are 0
#define NOISE   (R(1e4) * COSY_EPSILON) // of the largest terms of all rows

typedef struct Keep {
    Newton *w;
    uint32_t n, rank;
    real *a;         // the matrix, then its factors
    real *null;      // N by columns, n each
    real *normal;    // N' N, then its factors
    real *scale;     // 2 n: rows, then columns
    real *term;      // of each row: how large what it adds up is
    real *y;         // the step in proportion
    real *b;         // n
    real *size;      // n
    uint32_t *order; // 2 n: rows, then columns
    uint32_t *pivot; // n
} Keep;

static size_t keep_reals(size_t n)
{
    return 3 * n * n + 6 * n;
}

static bool keep_place(Keep *k, Newton *w)
{
    size_t n = w->n, square = n * n;
    Vector *v = &w->room->search;
    *k = (Keep){.w = w, .n = w->n};
    if (!vector_fit(v, keep_reals(n) * sizeof(real) + 3 * n * sizeof(uint32_t)))
        return false;
    k->a = (real *)(void *)v->bytes;
    k->null = k->a + square;
    k->normal = k->null + square;
    k->scale = k->normal + square;
    k->term = k->scale + 2 * n;
    k->y = k->term + n;
    k->b = k->y + n;
    k->size = k->b + n;
    k->order = (uint32_t *)(void *)(k->size + n);
    k->pivot = k->order + 2 * n;
    return true;
}

/* J at u, where the residual is r, and what its rows add up. */
static CosyStatus find_terms(Keep *k)
{
    const Newton *w = k->w;
    COSY_TRY(block_entries(k->w, k->a));
    for (uint32_t i = 0; i < k->n; i++) {
        const real *row = k->a + (size_t)i * k->n;
        k->term[i] = cosy_abs(w->r[i]);
        for (uint32_t j = 0; j < k->n; j++)
            k->term[i] += cosy_abs(row[j] * w->u[j]);
        if (!cosy_finite(k->term[i]))
            return COSY_FAIL(COSY_NUMBER, w->b->equation + i);
    }
    return COSY_OK;
}

/* b = [inverse(U) b; 0] for the first `rank` of b. */
static void solve_upper(const Keep *k, real *b)
{
    for (uint32_t i = k->rank; i-- > 0;) {
        const real *row = k->a + (size_t)i * k->n;
        for (uint32_t j = i + 1; j < k->rank; j++)
            b[i] -= row[j] * b[j];
        b[i] /= row[i];
    }
    for (uint32_t i = k->rank; i < k->n; i++)
        b[i] = R(0.0);
}

/* N, its columns in the order of elimination. */
static void find_null(const Keep *k)
{
    for (uint32_t f = k->rank; f < k->n; f++) {
        real *column = k->null + (size_t)(f - k->rank) * k->n;
        for (uint32_t i = 0; i < k->rank; i++)
            column[i] = -k->a[(size_t)i * k->n + f];
        solve_upper(k, column);
        column[f] = R(1.0);
    }
}

static real dot(uint32_t n, const real *a, const real *b)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Takes from y what it has of N. */
static bool shorten(const Keep *k)
{
    uint32_t free = k->n - k->rank;
    for (uint32_t i = 0; i < free; i++) {
        const real *column = k->null + (size_t)i * k->n;
        k->b[i] = dot(k->n, column, k->y);
        for (uint32_t j = 0; j < free; j++)
            k->normal[(size_t)i * free + j] =
                dot(k->n, column, k->null + (size_t)j * k->n);
    }
    if (block_rows_factor(free, k->normal, k->size, k->pivot, R(0.0)) < free)
        return false;
    block_rows_solve(free, k->normal, k->pivot, k->b);
    for (uint32_t j = 0; j < free; j++)
        for (uint32_t i = 0; i < k->n; i++)
            k->y[i] -= k->b[j] * k->null[(size_t)j * k->n + i];
    return true;
}

/* d = C y for the residual r. */
static bool find_step(const Keep *k)
{
    const Newton *w = k->w;
    const real *row = k->scale, *column = row + k->n;
    for (uint32_t i = 0; i < k->n; i++)
        k->y[i] = -w->r[k->order[i]] * row[k->order[i]];
    for (uint32_t i = 0; i < k->rank; i++)
        for (uint32_t j = 0; j < i; j++)
            k->y[i] -= k->a[(size_t)i * k->n + j] * k->y[j];
    solve_upper(k, k->y);
    find_null(k);
    if (!shorten(k))
        return false;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t to = k->order[k->n + i];
        w->d[to] = k->y[i] * column[to];
        if (!cosy_finite(w->d[to]))
            return false;
    }
    return true;
}

static real merit(const Keep *k, const real *r)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < k->n; i++)
        sum +=
            cosy_square(r[i] * (k->scale[i] > R(0.0) ? k->scale[i] : R(1.0)));
    return sum;
}

/* Moves u along d, where the residual is then r; *part: as far as that makes it
   smaller, or 0. A linear block goes all the way. */
static bool move(Keep *k, real *part)
{
    Newton *w = k->w;
    real before = merit(k, w->r);
    for (*part = R(1.0); *part >= DAMPED; *part *= R(0.5)) {
        for (uint32_t i = 0; i < k->n; i++)
            w->trial[i] = w->u[i] + *part * w->d[i];
        if (block_residual(w, w->trial, w->next) != COSY_OK) {
            if (w->b->linear)
                return false;
            continue;
        }
        if (!w->b->linear && !(merit(k, w->next) < before))
            continue;
        memcpy(w->u, w->trial, k->n * sizeof(real));
        memcpy(w->r, w->next, k->n * sizeof(real));
        return true;
    }
    *part = R(0.0);
    return true;
}

/* Whether d is nothing beside the unknowns. */
static bool is_short(const Newton *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (cosy_abs(w->d[i]) >
            R(8.0) * COSY_EPSILON * cosy_max(w->scale[i], cosy_abs(w->u[i])))
            return false;
    return true;
}

/* Whether all rows hold at u, where the residual is r. */
static bool is_kept(const Keep *k)
{
    const Newton *w = k->w;
    real slack = cosy_max(w->room->slack, EQUAL), most = R(0.0);
    for (uint32_t i = 0; i < k->n; i++)
        most = cosy_max(most, k->term[i]);
    for (uint32_t i = 0; i < k->n; i++)
        if (!(cosy_abs(w->r[i]) <= slack * k->term[i] + NOISE * most))
            return false;
    return true;
}

/* The unknowns that N moves. */
static bool tell_free(const Keep *k)
{
    BlockRoom *room = k->w->room;
    if (room->kept)
        return true;
    room->free.used = 0;
    for (uint32_t to = 0; to < k->n; to++) {
        bool moves = false;
        uint32_t i = 0;
        while (k->order[k->n + i] != to)
            i++;
        for (uint32_t f = 0; f < k->n - k->rank; f++)
            moves = moves || cosy_abs(k->null[(size_t)f * k->n + i]) > NOTHING;
        if (moves && !vector_append(&room->free, &to, sizeof to))
            return false;
    }
    room->kept = k->w->b;
    return true;
}

CosyStatus block_keep(Newton *w, const real *u)
{
    Keep k;
    CosyStatus none = COSY_FAIL(COSY_SINGULAR, w->b->equation);
    if (w->n > BLOCK_KEEP)
        return none;
    if (!keep_place(&k, w))
        return COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
    memcpy(w->u, u, w->n * sizeof(real));
    block_measure(w);
    COSY_TRY(block_residual(w, w->u, w->r));
    for (int step = 0; step < STEPS; step++) {
        real part;
        COSY_TRY(find_terms(&k));
        k.rank = block_rank(k.n, k.a, k.order, k.scale);
        if (!find_step(&k) || !move(&k, &part))
            return none;
        // The second correction of a linear block takes away what rounding has
        // left of the first, which may be large beside the solution.
        if ((w->b->linear && step > 0) || part == R(0.0) ||
            (part == R(1.0) && is_short(w)))
            break;
    }
    COSY_TRY(find_terms(&k));
    if (!is_kept(&k))
        return none;
    if (k.rank < w->n && !tell_free(&k))
        return COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
    memcpy(w->trial, w->u, w->n * sizeof(real));
    return COSY_OK;
}
