#include <string.h>

#include "run/start_part.h"

/* Which of the rows hold, and which states keep their values.

   Rows that are taken are kept reduced: each has the entry 1 in the column of
   its pivot, where the others have 0. A row depends on those that were taken if
   nothing of it is left in the columns of states that are not held. A state can
   be held if it is no pivot, or if its row finds another one. */

#define NOTHING R(1e-6) // entries below this are 0, beside 1

typedef struct Reduced {
    Begin *b;
    uint32_t count;
    uint32_t *row;   // those that were taken
    uint32_t *pivot; // of each of them
    real *entry;     // n each
} Reduced;

real start_state_size(const Begin *b, uint32_t i)
{
    const CosyModel *m = b->r->model;
    real size = m->nominal && i < m->states ? cosy_abs(m->nominal[i]) : R(0.0);
    return cosy_max(cosy_abs(b->x[i]), size > R(0.0) ? size : R(1.0));
}

/* ---- Elimination ------------------------------------------------------------ */

static real *entry_of(const Reduced *e, uint32_t k)
{
    return e->entry + (size_t)k * e->b->n;
}

static void subtract(uint32_t n, real by, const real *from, real *row)
{
    for (uint32_t i = 0; by != R(0.0) && i < n; i++)
        row[i] -= by * from[i];
}

/* The state that is not held with the largest entry, but not `except`. */
static uint32_t largest(const Reduced *e, const real *row, uint32_t except)
{
    uint32_t best = COSY_NONE;
    real most = NOTHING;
    for (uint32_t i = 0; i < e->b->n; i++)
        if (!e->b->held[i] && i != except && cosy_abs(row[i]) > most) {
            most = cosy_abs(row[i]);
            best = i;
        }
    return best;
}

/* Makes state p the pivot of the k-th row taken. */
static void pivot_on(Reduced *e, uint32_t k, uint32_t p)
{
    uint32_t n = e->b->n;
    real *row = entry_of(e, k), by = R(1.0) / row[p];
    for (uint32_t i = 0; i < n; i++)
        row[i] *= by;
    row[p] = R(1.0);
    for (uint32_t j = 0; j < e->count; j++)
        if (j != k)
            subtract(n, entry_of(e, j)[p], row, entry_of(e, j));
    e->pivot[k] = p;
}

/* Takes a row unless it depends on those before it. */
static bool take(Reduced *e, uint32_t which)
{
    Begin *b = e->b;
    real *row = entry_of(e, e->count), size = R(0.0);
    memcpy(row, b->slope + (size_t)which * b->n, b->n * sizeof *row);
    for (uint32_t i = 0; i < b->n; i++) {
        row[i] *= start_state_size(b, i);
        size = cosy_max(size, cosy_abs(row[i]));
    }
    for (uint32_t i = 0; size > R(0.0) && i < b->n; i++)
        row[i] /= size;
    for (uint32_t k = 0; k < e->count; k++)
        subtract(b->n, row[e->pivot[k]], entry_of(e, k), row);
    uint32_t p = largest(e, row, COSY_NONE);
    if (p == COSY_NONE)
        return false;
    e->row[e->count] = which;
    pivot_on(e, e->count, p);
    e->count++;
    return true;
}

/* Whether `which` says what the state is, all others in it being held. */
static bool determines(const Reduced *e, uint32_t which, uint32_t state)
{
    const Begin *b = e->b;
    const real *slope = b->slope + (size_t)which * b->n;
    for (uint32_t i = 0; i < b->n; i++)
        if (i != state && slope[i] != R(0.0) && !b->held[i])
            return false;
    return slope[state] != R(0.0);
}

/* The row that the state cannot hold together with, for a message: the first
   that says so by itself, or the one that it is the pivot of. */
static uint32_t blocker(const Reduced *e, uint32_t state, uint32_t k)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (determines(e, e->row[i], state))
            return e->row[i];
    return e->row[k];
}

static void hold(Reduced *e, uint32_t state)
{
    uint32_t k = 0;
    while (k < e->count && e->pivot[k] != state)
        k++;
    e->b->held[state] = 1;
    if (k == e->count)
        return;
    uint32_t p = largest(e, entry_of(e, k), state);
    if (p != COSY_NONE) {
        pivot_on(e, k, p);
        return;
    }
    e->b->held[state] = 0;
    e->b->blocker[state] = blocker(e, state, k);
}

/* ---- A point nearby --------------------------------------------------------- */

/* Moves all states a little, by different parts of their sizes, so that what
   vanishes at the start by chance does not count. */
static void move_by(const Begin *b, real part, real *x)
{
    uint32_t seed = 12345;
    for (uint32_t i = 0; i < b->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        real by = R(0.5) + (real)(seed >> 8) / R(33554432.0);
        x[i] = b->x[i] + part * by * start_state_size(b, i);
    }
}

static bool find_slopes(Begin *b, real *x)
{
    static const real part[] = {R(0.01), R(-0.01), R(1e-4), R(-1e-4),
                                R(0.3),  R(-0.3),  R(0.0)};
    for (size_t k = 0; k < LENGTH(part); k++) {
        move_by(b, part[k], x);
        if (start_values(b, x, b->value) && start_slopes(b, x, b->value, false))
            return true;
    }
    memset(b->slope, 0, (size_t)b->rows * b->n * sizeof *b->slope);
    return false;
}

/* Written states in their order. Where all else holds at the start, values of
   ALGEBRs come after them. */
static void grant(Reduced *e)
{
    const Begin *b = e->b;
    for (int states = 0; states < 2; states++)
        for (uint32_t k = 0; k < b->wishes; k++) {
            StartWish w = b->wish[k];
            bool late = b->there && w.row != COSY_NONE;
            if (late != (states == 1))
                continue;
            if (w.state != COSY_NONE)
                hold(e, w.state);
            else
                take(e, w.row);
        }
    for (uint32_t i = 0; i < b->n; i++)
        if (!b->written[i])
            hold(e, i);
}

bool start_choose(Begin *b)
{
    Reduced e = {.b = b};
    size_t rows = b->rows + (size_t)1;
    real *x = NEW_ARRAY(&b->arena, real, b->n + 1);
    e.row = NEW_ARRAY(&b->arena, uint32_t, rows);
    e.pivot = NEW_ARRAY(&b->arena, uint32_t, rows);
    e.entry = NEW_ARRAY(&b->arena, real, rows * b->n + 1);
    if (!x || !e.row || !e.pivot || !e.entry)
        return false;
    memset(b->held, 0, b->n);
    find_slopes(b, x);
    for (uint32_t k = 0; k < b->rows; k++) {
        b->row[k].pivot = COSY_NONE;
        if (b->row[k].kind != START_VALUE)
            take(&e, k);
    }
    grant(&e);
    for (uint32_t k = 0; k < e.count; k++)
        b->row[e.row[k]].pivot = e.pivot[k];
    return true;
}
