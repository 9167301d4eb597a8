#include <string.h>

#include "solve/steady.h"

/* Sums that a model keeps: the left null space of [J(x0) J(x1) f(x0) f(x1) ...],
   scaled, where x1 is another point: at x0 alone J may be singular by chance. More
   points, far away and with branches of their own, contribute f: what is kept must
   be kept on all sides of all relations. */

/* What counts as dependent, relative to the row. */
#define ZERO (R(1e4) * COSY_EPSILON)

/* The points far away, as multiples of x0, with as much of the sizes added. */
static const real far_away[] = {R(0.0),  R(-1.0),  R(0.5),   R(3.0),   R(-3.0),
                                R(10.0), R(-10.0), R(100.0), R(-100.0)};

typedef struct Rows {
    uint32_t n, columns;
    real *a;        // n rows of `columns`
    real *m;        // n rows of n: what each row is made of
    uint32_t *used; // whether the row has had its pivot
} Rows;

/* The scaled J at x and f there, into the columns from `first` on. */
static Status put(Steady *k, const real *x, Rows *r, uint32_t first)
{
    const Jacobian *j = &k->jacobian;
    real *g = k->room, *f = g + k->n;
    TRY(steady_residual(k, x, g, f));
    TRY(steady_jacobian(k, x, f));
    const real *v = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *rows = (const uint32_t *)(const void *)j->row.bytes;
    size_t n = k->n;
    for (size_t c = 0; c < n; c++) {
        size_t from = j->dense ? c * n : start[c];
        size_t end = j->dense ? from + n : start[c + 1];
        for (size_t p = from; p < end; p++) {
            size_t i = j->dense ? p - from : rows[p];
            r->a[i * r->columns + first + c] = v[p] * (k->size[c] / k->size[i]);
        }
    }
    for (size_t i = 0; i < n; i++)
        r->a[i * r->columns + first + n] = g[i];
    return STATUS_OK;
}

/* f at points far away, into the last columns; a point without one has zeros. */
static Status put_far(Steady *k, real *x, Rows *r, uint32_t first)
{
    real *g = k->room;
    bool changed;
    for (uint32_t q = 0; q < LENGTH(far_away); q++) {
        real u = R(0.1) * (real)(q + 1);
        for (uint32_t i = 0; i < k->n; i++) {
            u += R(0.61803398874989484820);
            u -= u >= R(1.0) ? R(1.0) : R(0.0);
            x[i] = far_away[q] * (k->x0[i] + (u - R(0.3)) * k->size[i]);
            if (k->o.sign[i] * x[i] < R(0.0))
                x[i] = -x[i];
        }
        Status status = k->o.settle(k->o.user, x, &changed);
        if (status == STATUS_MEMORY)
            return status;
        if (status != STATUS_OK || steady_residual(k, x, g, NULL) != STATUS_OK)
            continue;
        for (size_t i = 0; i < k->n; i++)
            r->a[i * r->columns + first + q] = g[i];
    }
    return k->o.settle(k->o.user, k->x0, &changed);
}

/* A point nearby that has nothing in common with x0. */
static void other_point(const Steady *k, real *x)
{
    real u = R(0.5);
    for (uint32_t i = 0; i < k->n; i++) {
        u += R(0.61803398874989484820);
        u -= u >= R(1.0) ? R(1.0) : R(0.0);
        real step = (R(0.02) + R(0.05) * u) * k->size[i];
        x[i] = k->x0[i] + (k->x0[i] < R(0.0) ? -step : step);
        if (k->o.sign[i] * x[i] < R(0.0))
            x[i] = k->x0[i];
    }
}

/* Rows are compared among each other, so each gets size 1, as far as the first
   two points say. Returns the largest rate there. */
static real scale_rows(Rows *r)
{
    real all = R(0.0);
    for (uint32_t i = 0; i < r->n; i++) {
        real most = R(0.0), *row = r->a + (size_t)i * r->columns;
        for (uint32_t c = 0; c < 2 * r->n + 2; c++)
            most = cosy_max(most, cosy_abs(row[c]));
        all = cosy_max(all, most);
        real by = most > R(0.0) ? R(1.0) / most : R(1.0);
        for (uint32_t c = 0; c < r->columns; c++)
            row[c] *= by;
        r->m[(size_t)i * r->n + i] = by;
    }
    return all;
}

/* What is far away may be as large as it likes. */
static void scale_far(Rows *r)
{
    for (uint32_t c = 2 * r->n + 2; c < r->columns; c++) {
        real most = R(1.0);
        for (uint32_t i = 0; i < r->n; i++)
            most = cosy_max(most, cosy_abs(r->a[(size_t)i * r->columns + c]));
        for (uint32_t i = 0; i < r->n; i++)
            r->a[(size_t)i * r->columns + c] /= most;
    }
}

/* The largest entry of the rows without a pivot. */
static bool find_pivot(const Rows *r, uint32_t *row, uint32_t *column)
{
    real most = ZERO * (real)r->n;
    bool any = false;
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t c = 0; c < r->columns && !r->used[i]; c++) {
            real e = cosy_abs(r->a[(size_t)i * r->columns + c]);
            if (!(e > most))
                continue;
            most = e;
            *row = i;
            *column = c;
            any = true;
        }
    return any;
}

static void eliminate(Rows *r, uint32_t row, uint32_t column)
{
    const real *from = r->a + (size_t)row * r->columns;
    const real *made = r->m + (size_t)row * r->n;
    r->used[row] = 1;
    for (uint32_t i = 0; i < r->n; i++) {
        real *to = r->a + (size_t)i * r->columns, *by = r->m + (size_t)i * r->n;
        if (r->used[i] || to[column] == R(0.0))
            continue;
        real q = to[column] / from[column];
        for (uint32_t c = 0; c < r->columns; c++)
            to[c] -= q * from[c];
        for (uint32_t c = 0; c < r->n; c++)
            by[c] -= q * made[c];
    }
}

/* Makes v orthogonal to the laws so far, of length 1; twice, for all digits. */
static bool orthonormal(const Steady *k, real *v)
{
    for (int twice = 0; twice < 2; twice++) {
        real size = R(0.0);
        for (uint32_t c = 0; c < k->laws; c++) {
            const real *law = k->law + (size_t)c * k->n;
            real dot = R(0.0);
            for (uint32_t i = 0; i < k->n; i++)
                dot += law[i] * v[i];
            for (uint32_t i = 0; i < k->n; i++)
                v[i] -= dot * law[i];
        }
        for (uint32_t i = 0; i < k->n; i++)
            size += v[i] * v[i];
        size = cosy_sqrt(size);
        if (!(size > R(0.0)))
            return false;
        for (uint32_t i = 0; i < k->n; i++)
            v[i] /= size;
    }
    return true;
}

Status steady_laws(Steady *k)
{
    Arena scratch = {0};
    size_t n = k->n;
    Rows r = {.n = k->n, .columns = 2 * k->n + 2 + LENGTH(far_away)};
    uint32_t row, column, left = k->n;
    r.a = NEW_ARRAY(&scratch, real, n * r.columns);
    r.m = NEW_ARRAY(&scratch, real, n * n);
    r.used = NEW_ARRAY(&scratch, uint32_t, n);
    real *x1 = NEW_ARRAY(&scratch, real, n);
    if (!r.a || !r.m || !r.used || !x1) {
        arena_free(&scratch);
        return STATUS_MEMORY;
    }
    Status status = put(k, k->x0, &r, 0);
    other_point(k, x1);
    if (status == STATUS_OK) {
        put(k, x1, &r, k->n + 1); // if there is none, x0 has to do
        status = put_far(k, x1, &r, 2 * k->n + 2);
    }
    k->mu = scale_rows(&r);
    scale_far(&r);
    if (!(k->mu > R(0.0)))
        k->mu = R(1.0);
    for (; status == STATUS_OK && find_pivot(&r, &row, &column); left--)
        eliminate(&r, row, column);
    k->law = left ? NEW_ARRAY(k->s->arena, real, left * n) : NULL;
    for (uint32_t i = 0; k->law && status == STATUS_OK && i < n; i++) {
        real *v = k->law + k->laws * n;
        if (r.used[i])
            continue;
        memcpy(v, r.m + i * n, n * sizeof *v);
        k->laws += orthonormal(k, v) ? 1 : 0;
    }
    arena_free(&scratch);
    return status;
}
