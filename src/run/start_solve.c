#include <string.h>

#include "run/start_part.h"
#include "solve/dense.h"

/* Solves the rows that were chosen for their pivots: Newton's method, damped by
   the natural test (Deuflhard, Newton Methods for Nonlinear Problems, 3.3.1),
   from the start, from points nearby, and along r(x) = (1 - l) r(x0). */

#define ITERATIONS 60
#define DAMPED     R(1e-3)
#define NOISE      R(1e-8) // corrections that may stop shrinking
#define PATH_STEPS 400
#define PATH_LEAST R(1e-5)

typedef struct Newton {
    Begin *b;
    uint32_t m;      // rows and pivots
    uint32_t *row;   // numbers of the rows
    uint32_t *state; // and of their pivots
    real *x, *trial; // n each
    real *value;     // residuals of all rows
    real *from;      // residuals that are left over: (1 - l) r(x0)
    real *matrix;    // m * m, by columns
    uint32_t *pivot; // m
    real *d, *next;  // corrections
    real *begin;     // residuals of all rows where a path begins
    real *kept;      // n: last point of a path
} Newton;

static bool make(Newton *w, Begin *b)
{
    Arena *a = &b->arena;
    size_t n = b->n + (size_t)1, rows = b->rows + (size_t)1, m = 0;
    *w = (Newton){.b = b};
    w->row = NEW_ARRAY(a, uint32_t, rows);
    w->state = NEW_ARRAY(a, uint32_t, rows);
    for (uint32_t k = 0; w->row && w->state && k < b->rows; k++)
        if (b->row[k].pivot != COSY_NONE) {
            w->row[m] = k;
            w->state[m++] = b->row[k].pivot;
        }
    w->m = (uint32_t)m;
    w->x = NEW_ARRAY(a, real, n);
    w->trial = NEW_ARRAY(a, real, n);
    w->kept = NEW_ARRAY(a, real, n);
    w->value = NEW_ARRAY(a, real, rows);
    w->from = NEW_ARRAY(a, real, rows);
    w->begin = NEW_ARRAY(a, real, rows);
    w->matrix = NEW_ARRAY(a, real, m * m + 1);
    w->pivot = NEW_ARRAY(a, uint32_t, m + 1);
    w->d = NEW_ARRAY(a, real, m + 1);
    w->next = NEW_ARRAY(a, real, m + 1);
    return w->row && w->state && w->x && w->trial && w->kept && w->value &&
           w->from && w->begin && w->matrix && w->pivot && w->d && w->next;
}

/* The matrix at x, where the residuals are known; false: it is singular. */
static bool factor(Newton *w)
{
    Begin *b = w->b;
    if (!start_slopes(b, w->x, w->value, true))
        return false;
    for (uint32_t k = 0; k < w->m; k++) {
        real size = R(0.0), *at = w->matrix + k;
        for (uint32_t j = 0; j < w->m; j++) {
            at[(size_t)j * w->m] =
                b->slope[(size_t)w->row[k] * b->n + w->state[j]];
            size = cosy_max(size, cosy_abs(at[(size_t)j * w->m]));
        }
        if (!(size > R(0.0)))
            return false;
    }
    return dense_factor(w->m, w->matrix, w->pivot) == w->m;
}

/* d = -inverse(J) (r - what is left over); its size beside that of x. */
static real correct(Newton *w, const real *x, real *d)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < w->m; k++)
        d[k] = w->from[w->row[k]] - w->value[w->row[k]];
    dense_solve(w->m, w->matrix, w->pivot, d);
    for (uint32_t k = 0; k < w->m; k++) {
        real size = cosy_max(cosy_abs(x[w->state[k]]), R(1.0));
        real part = cosy_abs(d[k]) / size;
        most = cosy_finite(part) ? cosy_max(most, part) : COSY_REAL_MAX;
    }
    return most;
}

/* One damped step from x; *done: x is a solution. False: there is none. */
static bool advance(Newton *w, bool *done)
{
    Begin *b = w->b;
    if (!factor(w))
        return false;
    real before = correct(w, w->x, w->d);
    if (!(before < COSY_REAL_MAX))
        return false;
    for (real part = R(1.0); part >= DAMPED; part *= R(0.5)) {
        memcpy(w->trial, w->x, b->n * sizeof(real));
        for (uint32_t k = 0; k < w->m; k++)
            w->trial[w->state[k]] += part * w->d[k];
        if (!start_values(b, w->trial, w->value))
            continue;
        real after = correct(w, w->trial, w->next);
        bool noise = before < NOISE;
        if (after > (R(1.0) - part / R(4.0)) * before && !noise)
            continue;
        memcpy(w->x, w->trial, b->n * sizeof(real));
        *done =
            part == R(1.0) && (before <= R(16.0) * COSY_EPSILON ||
                               (noise && (after >= R(0.5) * before ||
                                          after <= R(16.0) * COSY_EPSILON)));
        return true;
    }
    start_values(b, w->x, w->value);
    return false;
}

static bool newton(Newton *w)
{
    bool done = w->m == 0;
    if (!start_values(w->b, w->x, w->value))
        return false;
    for (int k = 0; k < ITERATIONS && !done; k++)
        if (!advance(w, &done))
            return false;
    return done;
}

/* Moves the unknowns of x away from where they are, by `part` of their sizes
   and each by a little more than the one before. */
static void go_near(Newton *w, real part)
{
    const Begin *b = w->b;
    memcpy(w->x, b->x, b->n * sizeof(real));
    for (uint32_t k = 0; k < w->m; k++) {
        uint32_t i = w->state[k];
        real more = R(1.0) + R(0.1) * (real)(k % 7);
        w->x[i] += part * more * start_state_size(b, i);
    }
}

/* From r(x) = r(x0) to r(x) = 0 in steps that are halved and doubled. */
static bool follow_path(Newton *w)
{
    Begin *b = w->b;
    real at = R(0.0), step = R(0.1);
    if (!start_values(b, w->x, w->begin))
        return false;
    memcpy(w->kept, w->x, b->n * sizeof(real));
    for (int k = 0; k < PATH_STEPS && step >= PATH_LEAST; k++) {
        real to = cosy_min(at + step, R(1.0));
        for (uint32_t i = 0; i < b->rows; i++)
            w->from[i] = (R(1.0) - to) * w->begin[i];
        if (newton(w)) {
            memcpy(w->kept, w->x, b->n * sizeof(real));
            at = to;
            step *= R(2.0);
            if (at >= R(1.0))
                return true;
        } else {
            memcpy(w->x, w->kept, b->n * sizeof(real));
            step *= R(0.5);
        }
    }
    return false;
}

static bool find(Newton *w)
{
    static const real part[] = {R(0.0),  R(0.1), R(-0.1), R(1.0),
                                R(-1.0), R(3.0), R(-3.0)};
    for (int path = 0; path < 2; path++)
        for (size_t k = 0; k < LENGTH(part); k++) {
            memset(w->from, 0, w->b->rows * sizeof(real));
            go_near(w, part[k]);
            if (path ? follow_path(w) : newton(w))
                return true;
        }
    return false;
}

Status start_solve(Begin *b)
{
    Newton w;
    if (!make(&w, b))
        return STATUS_MEMORY;
    if (!find(&w)) {
        memset(w.from, 0, b->rows * sizeof(real));
        memcpy(b->x, w.x, b->n * sizeof(real));
        return STATUS_NEWTON;
    }
    memcpy(b->x, w.x, b->n * sizeof(real));
    return STATUS_OK;
}
