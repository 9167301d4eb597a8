#include "solve/block_part.h"

#include <string.h>

/* Why a block has no solution, for a message. All of this happens once, when a
   run is over. */

#define UNKNOWNS_MOST 2000    // more are not examined: the matrix is full here
#define PART          R(1e-6) // smaller entries of null vectors are nothing
#define EQUAL         R(1e-8) // equations that differ by less are the same

static bool keep(Vector *v, const real *from, uint32_t n)
{
    v->used = 0;
    return vector_append(v, from, n * sizeof(real));
}

/* The places of a vector that are not zero beside its largest. */
static bool keep_places(Vector *v, const real *from, uint32_t n)
{
    real largest = R(0.0);
    v->used = 0;
    for (uint32_t i = 0; i < n; i++)
        largest = cosy_max(largest, cosy_abs(from[i]));
    for (uint32_t i = 0; i < n; i++)
        if (cosy_abs(from[i]) > PART * largest &&
            !vector_append(v, &i, sizeof i))
            return false;
    return true;
}

/* Whether a combination of rows that is zero on the left of the equations is
   more than that on the right. */
static bool is_contrary(const Newton *w, const real *j, const real *left,
                        const real *factor)
{
    real sum = R(0.0), terms = R(0.0);
    for (uint32_t i = 0; i < w->n; i++) {
        real part = left[i] * (factor[i] > R(0.0) ? factor[i] : R(1.0));
        real all = cosy_abs(w->r[i]);
        for (uint32_t k = 0; k < w->n; k++)
            all += cosy_abs(j[(size_t)i * w->n + k] * w->u[k]);
        sum += part * w->r[i];
        terms += cosy_abs(part) * all;
    }
    return cosy_abs(sum) > EQUAL * terms;
}

/* Finds the unknowns and equations in the null vectors of the Jacobian at u;
   memory for two matrices and four vectors. */
static void find_null(Newton *w, real *memory, uint32_t *order)
{
    BlockFault *f = &w->room->fault;
    size_t n = w->n;
    real *a = memory, *j = a + n * n, *scale = j + n * n;
    real *right = scale + 2 * n, *left = right + n;
    if (block_residual(w, w->u, w->r) != COSY_OK ||
        block_entries(w, j) != COSY_OK)
        return;
    memcpy(a, j, n * n * sizeof *a);
    uint32_t rank = block_rank(w->n, a, order, scale);
    if (rank == w->n)
        return;
    for (uint32_t k = rank; k < w->n && !f->contrary; k++) {
        block_null(w->n, a, order, rank, k, right, left);
        f->contrary = w->b->linear && is_contrary(w, j, left, scale);
    }
    if (!f->contrary)
        block_null(w->n, a, order, rank, rank, right, left);
    if (!keep_places(&f->unknown, right, w->n) ||
        !keep_places(&f->equation, left, w->n))
        f->unknown.used = f->equation.used = 0;
}

static void explain_singular(Newton *w, const real *u)
{
    size_t n = w->n, reals = 2 * n * n + 4 * n;
    Vector v = {0};
    if (n > UNKNOWNS_MOST ||
        !vector_fit(&v, reals * sizeof(real) + 2 * n * sizeof(uint32_t)))
        return;
    memcpy(w->u, u, n * sizeof *u);
    block_measure(w);
    find_null(w, (real *)(void *)v.bytes,
              (uint32_t *)(void *)(v.bytes + reals * sizeof(real)));
    vector_free(&v);
}

void block_explain(Newton *w, const real *u, CosyStatus status)
{
    BlockFault *f = &w->room->fault;
    CosyReason reason = COSY_REASON(status);
    f->block = NULL;
    f->reason = reason;
    f->contrary = false;
    f->turning = f->turning && !w->b->linear && !w->exhausted;
    f->unknown.used = f->equation.used = 0;
    if (reason == COSY_SINGULAR)
        explain_singular(w, u);
    else
        memcpy(w->u, u, w->n * sizeof *u);
    if (reason == COSY_NEWTON && !f->turning) // to see where it ends
        block_newton(w);
    if (block_residual(w, w->u, w->r) == COSY_OK && keep(&f->u, w->u, w->n) &&
        keep(&f->r, w->r, w->n))
        f->block = w->b;
}
