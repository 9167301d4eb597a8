#include "solve/block_part.h"

#include <string.h>

#define ITERATIONS 60
#define KEEP       R(0.01) // keep a Jacobian while corrections shrink this fast
#define STALLED    R(0.25) // corrections that shrink no faster are stalled
#define DOUBTFUL   R(0.5) // the first ones must shrink this fast to be believed
/* Corrections below this that do not shrink are rounding errors. */
#define ROUNDING (R(100.0) * cosy_sqrt(COSY_EPSILON))
#define DAMPED   R(1e-6) // smallest part of a correction that is tried

#define VECTORS  7 // of a Newton: u, trial, r, d, next, scale, size
#define REALS(n) ((n) * (n) + VECTORS * (n))

static void place(Newton *w, real *memory, uint32_t *pivot)
{
    real **array[] = {&w->u,    &w->trial, &w->r,    &w->d,
                      &w->next, &w->scale, &w->size, &w->j};
    for (size_t k = 0; k < LENGTH(array); k++)
        *array[k] = memory + k * w->n;
    w->pivot = pivot;
}

CosyStatus block_residual(const Newton *w, const real *u, real *r)
{
    COSY_TRY(w->b->residual(w->c, w->t, w->x, w->point, u, r));
    for (uint32_t i = 0; i < w->n; i++)
        if (!cosy_finite(r[i]))
            return COSY_FAIL(COSY_NUMBER, w->b->equation + i);
    return COSY_OK;
}

/* d = - inverse(J) r. */
static CosyStatus correction(const Newton *w, real *d)
{
    for (uint32_t i = 0; i < w->n; i++)
        d[i] = -w->r[i];
    if (COSY_RARELY(w->matrix != NULL))
        return block_apply(w, d);
    block_rows_solve(w->n, w->j, w->pivot, d);
    return COSY_OK;
}

/* Sizes of the unknowns, at least the last places of the largest of them: one
   that passes through zero is known no better. */
static inline void measure(Newton *w, bool first)
{
    real largest = R(0.0);
    for (uint32_t i = 0; i < w->n; i++) {
        w->scale[i] = cosy_abs(w->u[i]);
        largest = cosy_max(largest, w->scale[i]);
    }
    if (first)
        w->floor = COSY_EPSILON * largest;
    largest = cosy_max(cosy_sqrt(COSY_EPSILON) * largest, w->floor);
    for (uint32_t i = 0; i < w->n; i++)
        w->scale[i] = cosy_max(w->scale[i], largest);
}

/* What was large at the start and goes to zero is known no better than to the
   last places of the last places of what it was. */
void block_measure(Newton *w)
{
    measure(w, true);
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

CosyStatus block_no_convergence(const Newton *w)
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
        if (block_residual(w, w->trial, w->r) != COSY_OK)
            continue;
        COSY_TRY(correction(w, w->next));
        w->before = norm(w, w->d);
        w->after = norm(w, w->next);
        if (w->after <= (R(1.0) - w->part / R(4.0)) * w->before)
            return COSY_OK;
        // Rounding alone keeps corrections of this size from shrinking.
        if (w->part == R(1.0) && w->before < ROUNDING)
            return COSY_OK;
    }
    return block_no_convergence(w);
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
    measure(w, false);
}

/* Iterates with the Jacobian at u while corrections shrink. *done is set once
   `trial` and `next` hold the solution. */
static CosyStatus corrections(Newton *w, bool *done)
{
    *done = false;
    COSY_TRY(correction(w, w->d));
    for (unsigned k = 0; k < ITERATIONS; k++) {
        if (w->b->most && w->taken++ >= w->b->most) {
            w->exhausted = true;
            return block_no_convergence(w);
        }
        COSY_TRY(advance(w));
        real rate = w->before > R(0.0) ? w->after / w->before : R(0.0);
        bool exact = w->after * rate <= COSY_EPSILON;
        bool noise = k == 0 && rate > STALLED && w->after < ROUNDING;
        if (w->part < R(1.0) || (rate > DOUBTFUL && w->before > ROUNDING))
            w->doubtful = true;
        *done = w->part == R(1.0) && (exact || noise || tolerable(w, rate));
        if (*done)
            return COSY_OK;
        take_trial(w);
        if (w->part < R(1.0) || rate > KEEP)
            return COSY_OK;
    }
    return COSY_OK;
}

/* Corrections of a root that is no simple one halve: that takes its time. */
static bool may_iterate(const Newton *w, unsigned k)
{
    return k < ITERATIONS || (k < 4 * ITERATIONS && w->part == R(1.0) &&
                              w->after < R(0.75) * w->before);
}

CosyStatus block_newton(Newton *w)
{
    bool done = false;
    w->taken = 0;
    measure(w, true);
    COSY_TRY(block_residual(w, w->u, w->r));
    for (unsigned k = 0; may_iterate(w, k); k++) {
        COSY_TRY(block_factor(w));
        COSY_TRY(corrections(w, &done));
        if (!done)
            continue;
        for (uint32_t i = 0; i < w->n; i++)
            w->trial[i] += w->next[i];
        return COSY_OK;
    }
    return block_no_convergence(w);
}

/* One correction of u, to trial. */
static CosyStatus correct(Newton *w)
{
    COSY_TRY(correction(w, w->d));
    for (uint32_t i = 0; i < w->n; i++) {
        w->trial[i] = w->u[i] + w->d[i];
        if (!cosy_finite(w->trial[i]))
            return COSY_FAIL(COSY_SINGULAR, w->b->equation + i);
    }
    return COSY_OK;
}

/* A modal block is solved from 0, and corrected once: what is 0 in this mode is
   just that, and not what rounding has left of another one. */
static CosyStatus solve_linear(Newton *w)
{
    bool modal = w->b->modal;
    measure(w, true);
    if (COSY_RARELY(modal))
        memset(w->u, 0, w->n * sizeof *w->u);
    COSY_TRY(block_residual(w, w->u, w->r));
    COSY_TRY(block_factor(w));
    COSY_TRY(correct(w));
    if (!modal)
        return COSY_OK;
    memcpy(w->u, w->trial, w->n * sizeof *w->u);
    COSY_TRY(block_residual(w, w->u, w->r));
    return correct(w);
}

/* Whether it makes sense to look for a solution in other ways. */
static bool may_search(const Newton *w, CosyStatus status)
{
    CosyReason reason = COSY_REASON(status);
    if (w->b->linear || w->exhausted)
        return false;
    if (reason == COSY_OK)
        return w->doubtful && w->room->follows;
    return reason == COSY_NEWTON || reason == COSY_SINGULAR ||
           reason == COSY_NUMBER;
}

static CosyStatus solve(Newton *w, real *u)
{
    memcpy(w->u, u, w->n * sizeof(real));
    CosyStatus status = w->b->linear ? solve_linear(w) : block_newton(w);
    if (COSY_RARELY(w->b->modal && COSY_REASON(status) == COSY_SINGULAR)) {
        CosyStatus kept = block_keep(w, u);
        status = kept == COSY_OK ? COSY_OK : status;
    }
    if (COSY_RARELY((status != COSY_OK || w->doubtful) &&
                    may_search(w, status)))
        status = block_search(w, u, status);
    if (COSY_RARELY(status != COSY_OK)) {
        if (w->room->explains)
            block_explain(w, u, status);
        return status;
    }
    memcpy(u, w->trial, w->n * sizeof(real));
    return COSY_OK;
}

/* The matrix of a block, if it has a pattern. */
static CosyStatus find_matrix(Newton *w)
{
    BlockRoom *room = w->room;
    const CosyBlock *b = w->b;
    if (b->pattern == NULL || room->matrix == NULL)
        return COSY_OK;
    size_t k = room->count == 1 ? 0 : (size_t)(b - w->c->model->blocks);
    if (k >= room->count || !room->matrix[k].listed)
        return COSY_OK;
    w->matrix = &room->matrix[k];
    return w->matrix->shaped ? COSY_OK : block_matrix_shape(w->matrix, w->c, b);
}

CosyStatus block_solve_with(Cosy *c, const CosyBlock *b, real t, const real *x,
                            const void *point, real *u, BlockRoom *room)
{
    size_t n = b->n, reals;
    Newton w = {.c = c, .b = b, .t = t, .x = x, .point = point};
    w.room = room;
    w.n = b->n;
    COSY_TRY(find_matrix(&w));
    if (n <= BLOCK_STACK) {
        real memory[REALS(BLOCK_STACK)];
        uint32_t pivot[BLOCK_STACK];
        place(&w, memory, pivot);
        return solve(&w, u);
    }
    reals = w.matrix && w.matrix->sparse ? VECTORS * n : REALS(n);
    reals *= sizeof(real);
    if (!vector_fit(&room->scratch, reals + n * sizeof(uint32_t)))
        return COSY_FAIL(COSY_NO_MEMORY, b->equation);
    place(&w, (real *)(void *)room->scratch.bytes,
          (uint32_t *)(void *)(room->scratch.bytes + reals));
    return solve(&w, u);
}

CosyStatus block_solve(Cosy *c, const CosyBlock *b, real t, const real *x,
                       const void *point, real *u)
{
    Arena arena = {0};
    BlockMatrix matrix = {0};
    BlockRoom room = {.count = 1, .matrix = &matrix};
    CosyStatus status = block_matrix_create(&matrix, c, b, 0, &arena, NULL);
    if (status == COSY_OK)
        status = block_solve_with(c, b, t, x, point, u, &room);
    block_room_free(&room);
    arena_free(&arena);
    return status;
}

/* ---- Room ------------------------------------------------------------------ */

Status block_room_create(BlockRoom *r, Cosy *c, Arena *a, Image *image)
{
    const CosyModel *m = c->model;
    memset(r, 0, sizeof *r);
    r->matrix = NEW_ARRAY(a, BlockMatrix, m->n_blocks + 1);
    if (r->matrix == NULL)
        return STATUS_MEMORY;
    r->count = m->n_blocks;
    for (uint32_t k = 0; k < r->count; k++) {
        CosyStatus status =
            block_matrix_create(&r->matrix[k], c, &m->blocks[k], k, a, image);
        if (status != COSY_OK)
            return COSY_REASON(status) == COSY_NO_MEMORY ? STATUS_MEMORY
                                                         : STATUS_MODEL;
    }
    return STATUS_OK;
}

void block_room_attach(BlockRoom *r)
{
    for (uint32_t k = 0; k < r->count; k++)
        if (r->matrix[k].sparse && r->matrix[k].shaped)
            linear_attach(r->matrix[k].linear);
}

void block_room_free(BlockRoom *r)
{
    BlockFault *f = &r->fault;
    Vector *all[] = {&r->scratch, &r->search,  &r->rank,     &f->u,
                     &f->r,       &f->unknown, &f->equation, &r->free};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
    for (uint32_t k = 0; r->matrix && k < r->count; k++)
        block_matrix_free(&r->matrix[k]);
}
