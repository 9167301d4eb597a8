#include "solve/project.h"

#include <string.h>

#include "cosy/unit.h"
#include "solve/dense.h"
#include "solve/linear.h"

#define ITERATIONS 8

typedef struct Work {
    Cosy *c;
    real t;
    uint32_t n, m; // states, constraints
    real *y;       // present point
    real *g;       // constraints there, then multipliers
    real *gx;      // G, m rows of n
    real *square;  // G G^T
    uint32_t *pivot;
    uint32_t entries;
    uint32_t *row, *column; // of the entries of G
    real *value;
    uint8_t *active;
    Fault *fault;
} Work;

static Status fail(const Work *w, Status why, uint32_t k, const char *what)
{
    return fault_set(w->fault, why,
                     "%s at TIME = %.15g%s%s: constraint %u of %s %s",
                     status_words(why), (double)w->t, COSY_IN_TIME(w->c->model),
                     (unsigned)k + 1, w->c->model->name, what);
}

/* Rounding level of constraint k: the effect of the last place of each x on
   it. */
static real noise(const Work *w, uint32_t k)
{
    real sum = R(0.0);
    const real *row = w->gx + (size_t)k * w->n;
    for (uint32_t i = 0; i < w->n; i++)
        sum += cosy_abs(row[i] * w->y[i]);
    return R(4.0) * COSY_EPSILON * sum;
}

static Status evaluate(const Work *w)
{
    const CosyModel *model = w->c->model;
    CosyStatus bad = model->constraints(w->c, w->t, w->y, w->g, w->active);
    if (bad == COSY_OK)
        bad = model->constraint_jacobian(w->c, w->t, w->y, w->value);
    if (bad != COSY_OK)
        return fail(w, STATUS_NUMBER, 0, "cannot be computed");
    memset(w->gx, 0, (size_t)w->m * w->n * sizeof(real));
    for (uint32_t k = 0; k < w->entries; k++)
        w->gx[(size_t)w->row[k] * w->n + w->column[k]] += w->value[k];
    for (uint32_t k = 0; k < w->m; k++)
        if (!cosy_finite(w->g[k]))
            return fail(w, STATUS_NUMBER, k, "is not finite");
    return STATUS_OK;
}

/* Largest |g| over its rounding level; 0 if both are zero. */
static real excess(const Work *w, uint32_t *where)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < w->m; k++) {
        real size = cosy_abs(w->g[k]), level = noise(w, k);
        real over =
            size == R(0.0) ? R(0.0) : size / cosy_max(level, COSY_REAL_MIN);
        if (over > most) {
            most = over;
            *where = k;
        }
    }
    return most;
}

static Status move(const Work *w)
{
    uint32_t n = w->n, m = w->m;
    for (uint32_t k = 0; k < m; k++)
        for (uint32_t l = 0; l < m; l++) {
            real sum = R(0.0);
            for (uint32_t i = 0; i < n; i++)
                sum += w->gx[(size_t)k * n + i] * w->gx[(size_t)l * n + i];
            w->square[(size_t)l * m + k] = sum;
        }
    uint32_t bad = dense_factor(m, w->square, w->pivot);
    if (bad < m)
        return fail(w, STATUS_SINGULAR, bad,
                    "depends on the others here; leave one out, or choose "
                    "other states");
    dense_solve(m, w->square, w->pivot, w->g);
    for (uint32_t k = 0; k < m; k++)
        for (uint32_t i = 0; i < n; i++)
            w->y[i] -= w->gx[(size_t)k * n + i] * w->g[k];
    return STATUS_OK;
}

static Status iterate(const Work *w)
{
    real before = COSY_REAL_MAX;
    uint32_t where = 0;
    for (int k = 0; k < ITERATIONS; k++) {
        TRY(evaluate(w));
        real now = excess(w, &where);
        if (now <= R(1.0) || (now < R(1e3) && now >= before))
            return STATUS_OK;
        if (!(now < before))
            break;
        before = now;
        TRY(move(w));
    }
    return fail(w, STATUS_NEWTON, where,
                "cannot be restored; try a smaller RELERR or DTMAX");
}

Status project(Cosy *c, real t, real *x, uint32_t n, Vector *scratch, Fault *f)
{
    uint32_t m = c->model->n_constraints;
    uint32_t entries = 0;
    if (m == 0)
        return STATUS_OK;
    if (c->model->constraint_pattern(c, NULL, NULL, &entries) != COSY_OK)
        return STATUS_MODEL;
    size_t reals = n + m + (size_t)m * n + (size_t)m * m + entries;
    size_t numbers = m + 2 * (size_t)entries;
    Work w = {.c = c, .t = t, .n = n, .m = m, .entries = entries, .fault = f};
    if (!vector_fit(scratch,
                    reals * sizeof(real) + numbers * sizeof(uint32_t) + m))
        return fault_set(f, STATUS_MEMORY, "no memory for %u constraints",
                         (unsigned)m);
    w.y = (real *)(void *)scratch->bytes;
    w.g = w.y + n;
    w.gx = w.g + m;
    w.square = w.gx + (size_t)m * n;
    w.value = w.square + (size_t)m * m;
    w.pivot = (uint32_t *)(void *)(w.value + entries);
    w.row = w.pivot + m;
    w.column = w.row + entries;
    w.active = (uint8_t *)(w.column + entries);
    if (c->model->constraint_pattern(c, w.row, w.column, &entries) != COSY_OK)
        return STATUS_MODEL;
    memcpy(w.y, x, n * sizeof(real));
    TRY(iterate(&w));
    memcpy(x, w.y, n * sizeof(real));
    return STATUS_OK;
}
