#include "solve/block.h"

#include <string.h>

#include "solve/dense.h"
#include "solve/linear.h"

#define ITERATIONS 60
#define KEEP       R(0.01) // keep a Jacobian while corrections shrink this fast
#define STALLED    R(0.25) // corrections that shrink no faster are stalled
/* Corrections below this that do not shrink are rounding errors. */
#define ROUNDING (R(100.0) * cosy_sqrt(COSY_EPSILON))
#define DAMPED   R(1e-6) // smallest part of a correction that is tried

/* The state of one solution. */
typedef struct Newton {
    Cosy *c;
    const CosyBlock *b;
    real t;
    const real *x;
    const void *point;
    uint32_t n;
    real *u;     // best so far
    real *trial; // u plus a correction
    real *r;     // residual there
    real *d;     // correction of u
    real *next;  // correction of the trial, with the same Jacobian
    real *scale; // size of each unknown
    real *j;     // Jacobian, by columns, then its factors
    uint32_t *pivot;
    real part;          // part of the last correction that was applied
    real before, after; // norms of d and next
    unsigned taken;     // corrections so far
} Newton;

#define REALS(n) ((n) * (n) + 7 * (n)) // for a Newton; one row to transpose

static void place(Newton *w, real *memory, uint32_t *pivot)
{
    real **array[] = {&w->u,    &w->trial, &w->r, &w->d,
                      &w->next, &w->scale, &w->j};
    for (size_t k = 0; k < LENGTH(array); k++)
        *array[k] = memory + k * w->n;
    w->pivot = pivot;
}

static CosyStatus residual(const Newton *w, const real *u, real *r)
{
    COSY_TRY(w->b->residual(w->c, w->t, w->x, w->point, u, r));
    for (uint32_t i = 0; i < w->n; i++)
        if (!cosy_finite(r[i]))
            return COSY_FAIL(COSY_NUMBER, w->b->equation + i);
    return COSY_OK;
}

static void transpose(uint32_t n, real *a)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) {
            real keep = a[i * n + k];
            a[i * n + k] = a[k * n + i];
            a[k * n + i] = keep;
        }
}

/* Takes differences from r = r(u). In a linear block they may be as large as
   the unknowns; `next` holds the varied residual. */
static CosyStatus differences(Newton *w)
{
    uint32_t n = w->n;
    real part = w->b->linear ? R(1.0) : cosy_sqrt(COSY_EPSILON);
    memcpy(w->trial, w->u, n * sizeof(real));
    for (uint32_t k = 0; k < n; k++) {
        real d = part * (w->scale[k] > R(0.0) ? w->scale[k] : R(1.0));
        w->trial[k] = w->u[k] + d;
        if (residual(w, w->trial, w->next) != COSY_OK) {
            w->trial[k] = w->u[k] - d;
            COSY_TRY(residual(w, w->trial, w->next));
        }
        d = w->trial[k] - w->u[k];
        w->trial[k] = w->u[k];
        for (uint32_t i = 0; i < n; i++)
            w->j[k * n + i] = (w->next[i] - w->r[i]) / d;
    }
    return COSY_OK;
}

/* Factors the Jacobian at u, where the residual is r. */
static CosyStatus factor(Newton *w)
{
    if (w->b->jacobian != NULL) {
        COSY_TRY(w->b->jacobian(w->c, w->t, w->x, w->point, w->u, w->j));
        transpose(w->n, w->j);
    } else {
        COSY_TRY(differences(w));
    }
    uint32_t k = dense_factor(w->n, w->j, w->pivot);
    return k < w->n ? COSY_FAIL(COSY_SINGULAR, w->b->equation + k) : COSY_OK;
}

/* d = - inverse(J) r. */
static void correction(const Newton *w, real *d)
{
    for (uint32_t i = 0; i < w->n; i++)
        d[i] = -w->r[i];
    dense_solve(w->n, w->j, w->pivot, d);
}

/* Sizes of the unknowns, at least the last places of the largest of them: one
   that passes through zero is known no better. */
static void measure(Newton *w)
{
    real largest = R(0.0);
    for (uint32_t i = 0; i < w->n; i++) {
        w->scale[i] = cosy_abs(w->u[i]);
        largest = cosy_max(largest, w->scale[i]);
    }
    for (uint32_t i = 0; i < w->n; i++)
        w->scale[i] = cosy_max(w->scale[i], cosy_sqrt(COSY_EPSILON) * largest);
}

/* Measured relative to u or the trial, whichever is larger. */
static real norm(const Newton *w, const real *d)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < w->n; i++) {
        real scale = cosy_max(w->scale[i], cosy_abs(w->trial[i]));
        real size = d[i] == R(0.0) ? R(0.0) : cosy_abs(d[i]) / scale;
        if (!cosy_finite(size))
            return COSY_REAL_MAX;
        most = cosy_max(most, size);
    }
    return most;
}

static CosyStatus no_convergence(const Newton *w)
{
    uint32_t worst = 0;
    for (uint32_t i = 1; i < w->n; i++)
        if (cosy_abs(w->r[i]) > cosy_abs(w->r[worst]))
            worst = i;
    return COSY_FAIL(COSY_NEWTON, w->b->equation + worst);
}

/* Applies as much of the correction d as passes the natural test. On return,
   trial, r and next belong to the new point, and `part` is the part applied. */
static CosyStatus advance(Newton *w)
{
    for (w->part = R(1.0); w->part >= DAMPED; w->part *= R(0.5)) {
        for (uint32_t i = 0; i < w->n; i++)
            w->trial[i] = w->u[i] + w->part * w->d[i];
        if (residual(w, w->trial, w->r) != COSY_OK)
            continue;
        correction(w, w->next);
        w->before = norm(w, w->d);
        w->after = norm(w, w->next);
        if (w->after <= (R(1.0) - w->part / R(4.0)) * w->before)
            return COSY_OK;
        // Rounding alone keeps corrections of this size from shrinking.
        if (w->part == R(1.0) && w->before < ROUNDING)
            return COSY_OK;
    }
    return no_convergence(w);
}

/* True if the next correction is below TOLERANCE in every unknown. `rate` is
   the share of it that would still follow. */
static bool tolerable(const Newton *w, real rate)
{
    if (w->b->tol == NULL)
        return false;
    for (uint32_t i = 0; i < w->n; i++)
        if (!(rate * cosy_abs(w->next[i]) <= w->b->tol[i]))
            return false;
    return true;
}

static void take_trial(Newton *w)
{
    memcpy(w->u, w->trial, w->n * sizeof(real));
    memcpy(w->d, w->next, w->n * sizeof(real));
    measure(w);
}

static void finish(Newton *w, real *u)
{
    for (uint32_t i = 0; i < w->n; i++)
        u[i] = w->trial[i] + w->next[i];
}

/* Iterates with the Jacobian at u while corrections shrink. *done is set once
   `trial` and `next` hold the solution. */
static CosyStatus corrections(Newton *w, bool *done)
{
    *done = false;
    correction(w, w->d);
    for (unsigned k = 0; k < ITERATIONS; k++) {
        if (w->b->most && w->taken++ >= w->b->most)
            return no_convergence(w);
        COSY_TRY(advance(w));
        real rate = w->before > R(0.0) ? w->after / w->before : R(0.0);
        bool exact = w->after * rate <= COSY_EPSILON;
        bool noise = k == 0 && rate > STALLED && w->after < ROUNDING;
        *done = w->part == R(1.0) && (exact || noise || tolerable(w, rate));
        if (*done)
            return COSY_OK;
        take_trial(w);
        if (w->part < R(1.0) || rate > KEEP)
            return COSY_OK;
    }
    return COSY_OK;
}

static CosyStatus solve_linear(Newton *w, real *u)
{
    COSY_TRY(factor(w));
    correction(w, w->d);
    for (uint32_t i = 0; i < w->n; i++) {
        w->trial[i] = w->u[i] + w->d[i];
        if (!cosy_finite(w->trial[i]))
            return COSY_FAIL(COSY_SINGULAR, w->b->equation + i);
    }
    memcpy(u, w->trial, w->n * sizeof(real));
    return COSY_OK;
}

static CosyStatus solve(Newton *w, real *u)
{
    bool done = false;
    memcpy(w->u, u, w->n * sizeof(real));
    measure(w);
    COSY_TRY(residual(w, w->u, w->r));
    if (w->b->linear)
        return solve_linear(w, u);
    for (unsigned k = 0; k < ITERATIONS; k++) {
        COSY_TRY(factor(w));
        COSY_TRY(corrections(w, &done));
        if (done) {
            finish(w, u);
            return COSY_OK;
        }
    }
    return no_convergence(w);
}

CosyStatus block_solve_with(Cosy *c, const CosyBlock *b, real t, const real *x,
                            const void *point, real *u, Vector *scratch)
{
    size_t n = b->n, reals = REALS(n) * sizeof(real);
    Newton w = {.c = c, .b = b, .t = t, .x = x, .point = point, .n = b->n};
    if (n <= BLOCK_STACK) {
        real memory[REALS(BLOCK_STACK)];
        uint32_t pivot[BLOCK_STACK];
        place(&w, memory, pivot);
        return solve(&w, u);
    }
    if (!vector_fit(scratch, reals + n * sizeof(uint32_t)))
        return COSY_FAIL(COSY_NO_MEMORY, b->equation);
    place(&w, (real *)(void *)scratch->bytes,
          (uint32_t *)(void *)(scratch->bytes + reals));
    return solve(&w, u);
}

CosyStatus block_solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                       const void *point, real *u)
{
    Vector scratch = {0};
    CosyStatus status = block_solve_with(c, b, t, x, point, u, &scratch);
    vector_free(&scratch);
    return status;
}
