#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "solve/pattern.h"
#include "solve/project.h"

/* The rows of G: pattern, values, names, and what is kept of them.

   sizes has two reals for each row. The first is its rounding level, the effect
   of the last places of all states on it; negative: not known. The second is
   how much it changes when states change by their tolerances, as the root of
   the sum of squares: g over that is a violation in tolerances. */

static uint32_t *indices(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

/* ---- Names ------------------------------------------------------------------ */

static const CosyConstraint *constraint_of(const CosyModel *m, uint32_t row)
{
    for (uint32_t k = 0; k < m->n_constraints_info; k++) {
        const CosyConstraint *one = &m->constraints_info[k];
        if (row - one->first < one->count && one->equation < m->n_equations)
            return one;
    }
    return NULL;
}

uint32_t project_line(const CosyModel *m, uint32_t row)
{
    const CosyConstraint *k = constraint_of(m, row);
    return k ? m->equations[k->equation].line : 0;
}

void project_words(const CosyModel *m, uint32_t row, char *text, size_t size)
{
    const CosyConstraint *k = constraint_of(m, row);
    char element[32] = "";
    if (k == NULL) {
        snprintf(text, size, "constraint %u of %s", (unsigned)row + 1, m->name);
        return;
    }
    if (k->count > 1)
        snprintf(element, sizeof element, " (number %u)",
                 (unsigned)(row - k->first) + 1);
    snprintf(text, size, "%s%.120s%s", k->order > 0 ? "the " : "",
             m->equations[k->equation].text, element);
}

/* ---- Shape ------------------------------------------------------------------ */

static Status no_memory(const Project *p, Fault *f)
{
    return fault_set(f, STATUS_MEMORY, "no memory for %u constraints",
                     (unsigned)p->rows);
}

/* G is full: row by row. */
static bool shape_full(Project *p)
{
    size_t entries = (size_t)p->rows * p->n;
    if (!vector_fit(&p->column, (entries + 1) * sizeof(uint32_t)))
        return false;
    for (uint32_t k = 0; k <= p->rows; k++)
        indices(&p->start)[k] = k * p->n;
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t i = 0; i < p->n; i++)
            indices(&p->column)[(size_t)k * p->n + i] = i;
    return true;
}

/* The model's list by rows, each place once. */
static Status shape_listed(Project *p)
{
    const CosyModel *m = p->c->model;
    uint32_t count = p->listed, most = p->n > p->rows ? p->n : p->rows;
    size_t index = sizeof(uint32_t);
    Vector list = {0};
    Status status = STATUS_MEMORY;
    if (!vector_fit(&list, (4 * (size_t)count + most + 1) * index) ||
        !vector_fit(&p->place, (count + (size_t)1) * index) ||
        !vector_fit(&p->column, (count + (size_t)1) * index) ||
        !vector_fit(&p->start, (most + (size_t)2) * index) ||
        !vector_fit(&p->list, (count + (size_t)1) * sizeof(real)))
        goto end;
    uint32_t *row = indices(&list), *state = indices(&p->place);
    status = STATUS_MODEL;
    if (m->constraint_pattern(p->c, row, state, &count) != COSY_OK ||
        count != p->listed)
        goto end;
    for (uint32_t k = 0; k < count; k++)
        if (row[k] >= p->rows || state[k] >= p->n)
            goto end;
    pattern_compress(most, count, row, state, indices(&p->start),
                     indices(&p->column));
    status = STATUS_OK;
end:
    vector_free(&list);
    return status;
}

/* The pattern of [1 A^T; A -d] by columns. The slots of entry e are its places
   below and above the diagonal; those of the diagonal follow. */
static Status shape_sparse(Project *p)
{
    const uint32_t *first = indices(&p->start), *state = indices(&p->column);
    uint32_t n = p->n, all = n + p->rows, entries = first[p->rows];
    size_t index = sizeof(uint32_t), places = 2 * (size_t)entries + all;
    Vector start = {0}, row = {0}, next = {0};
    Status status = STATUS_MEMORY;
    if (!vector_fit(&p->slot, places * index) ||
        !vector_fit(&start, (all + (size_t)1) * index) ||
        !vector_fit(&row, places * index) ||
        !vector_fit(&next, (all + (size_t)1) * index))
        goto end;
    uint32_t *at = indices(&start), *to = indices(&next), *r = indices(&row);
    uint32_t *low = indices(&p->slot), *high = low + entries;
    uint32_t *diagonal = high + entries;
    memset(at, 0, (all + (size_t)1) * index);
    for (uint32_t e = 0; e < entries; e++)
        at[state[e] + 1]++;
    for (uint32_t i = 0; i < n; i++)
        at[i + 1] += at[i] + 1;
    for (uint32_t k = 0; k < p->rows; k++)
        at[n + k + 1] = at[n + k] + first[k + 1] - first[k] + 1;
    memcpy(to, at, all * index);
    for (uint32_t i = 0; i < n; i++)
        r[diagonal[i] = to[i]++] = i;
    for (uint32_t k = 0; k < p->rows; k++) {
        for (uint32_t e = first[k]; e < first[k + 1]; e++) {
            r[low[e] = to[state[e]]++] = n + k;
            r[high[e] = to[n + k]++] = state[e];
        }
        r[diagonal[n + k] = to[n + k]++] = n + k;
    }
    status = linear_shape(p->linear, all, at, r);
end:
    vector_free(&start);
    vector_free(&row);
    vector_free(&next);
    return status;
}

static Status shape(Project *p, uint32_t n, Fault *f)
{
    const CosyModel *m = p->c->model;
    bool listed = m->constraint_jacobian && m->constraint_pattern;
    p->n = n;
    p->listed = 0;
    if (listed &&
        m->constraint_pattern(p->c, NULL, NULL, &p->listed) != COSY_OK)
        return fault_set(f, STATUS_MODEL,
                         "%s: the pattern of its constraints "
                         "cannot be found",
                         m->name);
    p->sparse = listed && p->linear;
    if (!vector_fit(&p->start, (p->rows + (size_t)2) * sizeof(uint32_t)))
        return no_memory(p, f);
    Status status = listed          ? shape_listed(p)
                    : shape_full(p) ? STATUS_OK
                                    : STATUS_MEMORY;
    if (status == STATUS_OK && p->sparse)
        status = shape_sparse(p);
    size_t full = p->sparse ? n + (size_t)p->rows : (size_t)p->rows * p->rows;
    if (status == STATUS_MEMORY ||
        !vector_fit(&p->entry,
                    (indices(&p->start)[p->rows] + (size_t)1) * sizeof(real)) ||
        !vector_fit(&p->active, p->rows) ||
        !vector_fit(&p->room, (4 * (size_t)p->rows + 2 * (size_t)n + full) *
                                  sizeof(real)))
        return no_memory(p, f);
    p->shaped = status == STATUS_OK;
    return p->shaped ? STATUS_OK
                     : fault_set(f, status,
                                 "%s: its constraints have a wrong "
                                 "pattern",
                                 m->name);
}

/* ---- Values ----------------------------------------------------------------- */

static Status fail(const Project *p, const ProjectAt *at, uint32_t row,
                   Fault *f)
{
    const CosyModel *m = p->c->model;
    char name[200];
    project_words(m, row, name, sizeof name);
    return fault_set(f, STATUS_NUMBER,
                     "%s:%u: time %.15g%s%s: the constraint %s has no finite "
                     "value",
                     m->source ? m->source : m->name, project_line(m, row),
                     (double)at->t, COSY_IN_TIME(m), name);
}

Status project_value(Project *p, const ProjectAt *at, const real *x, Fault *f)
{
    if (!p->shaped || p->n != at->n)
        TRY(shape(p, at->n, f));
    real *g = project_g(p);
    CosyStatus bad =
        p->c->model->constraints(p->c, at->t, x, g, p->active.bytes);
    for (uint32_t k = 0; k < p->rows; k++)
        if (bad != COSY_OK || (p->active.bytes[k] && !cosy_finite(g[k])))
            return fail(p, at, k, f);
    return STATUS_OK;
}

static bool listed_entries(Project *p, const ProjectAt *at, const real *x)
{
    real *entry = reals(&p->entry), *list = reals(&p->list);
    const uint32_t *place = indices(&p->place);
    if (p->c->model->constraint_jacobian(p->c, at->t, x, list) != COSY_OK)
        return false;
    if (p->listed == indices(&p->start)[p->rows]) { // no place twice
        for (uint32_t k = 0; k < p->listed; k++)
            entry[place[k]] = list[k];
        return true;
    }
    memset(entry, 0, indices(&p->start)[p->rows] * sizeof *entry);
    for (uint32_t k = 0; k < p->listed; k++)
        entry[place[k]] += list[k];
    return true;
}

/* Differences by columns; g at x is known. */
static bool differences(Project *p, const ProjectAt *at, const real *x)
{
    real *g = project_g(p), *near = g + p->rows, *y = g + 4 * p->rows + p->n;
    real *entry = reals(&p->entry), part = cosy_sqrt(COSY_EPSILON);
    memcpy(y, x, p->n * sizeof *y);
    for (uint32_t i = 0; i < p->n; i++) {
        real size = cosy_max(cosy_abs(x[i]), at->size ? at->size[i] : R(0.0));
        volatile real there = x[i] + part * (size > R(0.0) ? size : R(1.0));
        y[i] = there;
        if (p->c->model->constraints(p->c, at->t, y, near, p->active.bytes) !=
            COSY_OK)
            return false;
        for (uint32_t k = 0; k < p->rows; k++)
            entry[(size_t)k * p->n + i] =
                p->active.bytes[k] ? (near[k] - g[k]) / (y[i] - x[i]) : R(0.0);
        y[i] = x[i];
    }
    return true;
}

/* Keeps the rounding level and the size of every active row. */
static void measure(Project *p, const ProjectAt *at, const real *x)
{
    real *level = project_level(p), *size = project_size(p);
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value;
        uint32_t n = project_row(p, k, &state, &value);
        real sum = R(0.0), square = R(0.0);
        for (uint32_t e = 0; e < n; e++) {
            uint32_t i = state[e];
            real known = at->size ? at->size[i] : R(0.0);
            real part = value[e] * (at->weight ? at->weight[i] : R(1.0));
            sum += cosy_abs(value[e]) * cosy_max(cosy_abs(x[i]), known);
            square += part * part;
        }
        level[k] = p->active.bytes[k] ? R(16.0) * COSY_EPSILON * sum : R(-1.0);
        size[k] = cosy_sqrt(square);
    }
}

static Status entries(Project *p, const ProjectAt *at, const real *x, Fault *f)
{
    bool right = p->listed || p->c->model->constraint_jacobian
                     ? listed_entries(p, at, x)
                     : differences(p, at, x);
    const real *entry = reals(&p->entry);
    if (!right)
        return fail(p, at, 0, f);
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t e = indices(&p->start)[k];
             p->active.bytes[k] && e < indices(&p->start)[k + 1]; e++)
            if (!cosy_finite(entry[e]))
                return fail(p, at, k, f);
    return STATUS_OK;
}

Status project_gradient(Project *p, const ProjectAt *at, const real *x,
                        Fault *f)
{
    TRY(entries(p, at, x, f));
    measure(p, at, x);
    return STATUS_OK;
}

/* ---- Directions ------------------------------------------------------------- */

#define DEPENDS R(1e-8) // what is left of a row of size 1 that others make up

/* Takes from v what it has of the directions so far, and from `off` what that
   is worth; twice, for all digits. The length that is left. */
static real orthogonal(uint32_t n, const real *normal, const real *known,
                       uint32_t count, real *v, real *off)
{
    real square = R(0.0);
    for (uint32_t k = 0; k < 2 * count; k++) {
        const real *q = normal + (size_t)(k % count) * n;
        real dot = R(0.0);
        for (uint32_t i = 0; i < n; i++)
            dot += q[i] * v[i];
        for (uint32_t i = 0; i < n; i++)
            v[i] -= dot * q[i];
        *off -= dot * known[k % count];
    }
    for (uint32_t i = 0; i < n; i++)
        square += v[i] * v[i];
    return cosy_sqrt(square);
}

static void divide(uint32_t n, real by, real *v, real *off)
{
    for (uint32_t i = 0; i < n; i++)
        v[i] /= by;
    *off /= by;
}

Status project_normals(Project *p, const ProjectAt *at, const real *x,
                       real *normal, real *off, uint32_t *count, Fault *f)
{
    *count = 0;
    TRY(project_value(p, at, x, f));
    TRY(entries(p, at, x, f)); // nothing is kept of it
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value;
        uint32_t n = p->active.bytes[k] ? project_row(p, k, &state, &value) : 0;
        real *v = normal + (size_t)*count * p->n, *own = &off[*count];
        memset(v, 0, p->n * sizeof *v);
        for (uint32_t e = 0; e < n; e++)
            v[state[e]] = value[e] * (at->size ? at->size[state[e]] : R(1.0));
        *own = project_g(p)[k];
        real length = orthogonal(p->n, normal, off, 0, v, own);
        if (!(length > R(0.0)))
            continue;
        divide(p->n, length, v, own);
        length = orthogonal(p->n, normal, off, *count, v, own);
        if (!(length > DEPENDS))
            continue;
        divide(p->n, length, v, own);
        ++*count;
    }
    return STATUS_OK;
}
