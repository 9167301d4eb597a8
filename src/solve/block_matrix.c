#include "solve/block_part.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/pattern.h"

/* The Jacobian of a block: full, row by row in the scratch of a solution, or
   sparse, by columns in a Linear that is kept for the run. */

static uint32_t *indices(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

/* ---- Shape ----------------------------------------------------------------- */

CosyStatus block_matrix_create(BlockMatrix *m, Cosy *c, const CosyBlock *b,
                               uint32_t number, Arena *a, Image *image)
{
    char name[32];
    m->n = b->n;
    m->listed = b->pattern != NULL && b->jacobian != NULL;
    if (!m->listed)
        return COSY_OK;
    COSY_TRY(b->pattern(c, NULL, NULL, &m->entries));
    m->sparse = !linear_prefers_dense(b->n, m->entries);
    if (!m->sparse)
        return COSY_OK;
    snprintf(name, sizeof name, "block %" PRIu32, number);
    const char *own = arena_text(a, name, strlen(name));
    m->linear = own ? linear_create(a, image, own, false) : NULL;
    return m->linear ? COSY_OK : COSY_FAIL(COSY_NO_MEMORY, b->equation);
}

/* Reads the rows of the model's list into `place`, the columns into `list`. */
static CosyStatus read_list(BlockMatrix *m, Cosy *c, const CosyBlock *b,
                            Vector *list)
{
    uint32_t count = m->entries;
    size_t index = sizeof(uint32_t);
    if (!vector_fit(&m->place, count * index) ||
        !vector_fit(&m->value, count * sizeof(real)) ||
        !vector_fit(list, (4 * (size_t)count + b->n + 1) * index))
        return COSY_FAIL(COSY_NO_MEMORY, b->equation);
    COSY_TRY(b->pattern(c, indices(&m->place), indices(list), &count));
    bool good = count == m->entries;
    for (uint32_t k = 0; good && k < count; k++)
        good = indices(&m->place)[k] < b->n && indices(list)[k] < b->n;
    return good ? COSY_OK : COSY_FAIL(COSY_BUG, b->equation);
}

static void shape_full(BlockMatrix *m, const uint32_t *column)
{
    uint32_t *place = indices(&m->place);
    for (uint32_t k = 0; k < m->entries; k++)
        place[k] = place[k] * m->n + column[k];
}

static CosyStatus shape_sparse(BlockMatrix *m, const CosyBlock *b,
                               uint32_t *list)
{
    size_t index = sizeof(uint32_t);
    uint32_t *place = indices(&m->place);
    if (!vector_fit(&m->start, (m->n + (size_t)1) * index) ||
        !vector_fit(&m->row, m->entries * index) ||
        !vector_fit(&m->scale, 2 * (size_t)m->n * sizeof(real)))
        return COSY_FAIL(COSY_NO_MEMORY, b->equation);
    pattern_compress(m->n, m->entries, list, place, indices(&m->start),
                     indices(&m->row));
    m->direct = indices(&m->start)[m->n] == m->entries;
    for (uint32_t k = 0; k < m->entries; k++)
        m->direct = m->direct && place[k] == k;
    Status status =
        linear_shape(m->linear, m->n, indices(&m->start), indices(&m->row));
    return status == STATUS_OK ? COSY_OK
                               : COSY_FAIL(COSY_NO_MEMORY, b->equation);
}

CosyStatus block_matrix_shape(BlockMatrix *m, Cosy *c, const CosyBlock *b)
{
    Vector list = {0};
    CosyStatus status = read_list(m, c, b, &list);
    if (status == COSY_OK && m->sparse)
        status = shape_sparse(m, b, indices(&list));
    else if (status == COSY_OK)
        shape_full(m, indices(&list));
    vector_free(&list);
    m->shaped = status == COSY_OK;
    return status;
}

void block_matrix_free(BlockMatrix *m)
{
    linear_free(m->linear);
    vector_free(&m->place);
    vector_free(&m->start);
    vector_free(&m->row);
    vector_free(&m->value);
    vector_free(&m->scale);
}

/* ---- Entries --------------------------------------------------------------- */

/* Takes differences from r = r(u). In a linear block they may be as large as
   the unknowns; `next` holds the varied residual. */
static CosyStatus differences(Newton *w, real *j)
{
    uint32_t n = w->n;
    real part = w->b->linear ? R(1.0) : cosy_sqrt(COSY_EPSILON);
    memcpy(w->trial, w->u, n * sizeof(real));
    for (uint32_t k = 0; k < n; k++) {
        real d = part * (w->scale[k] > R(0.0) ? w->scale[k] : R(1.0));
        w->trial[k] = w->u[k] + d;
        if (block_residual(w, w->trial, w->next) != COSY_OK) {
            w->trial[k] = w->u[k] - d;
            COSY_TRY(block_residual(w, w->trial, w->next));
        }
        d = w->trial[k] - w->u[k];
        w->trial[k] = w->u[k];
        for (uint32_t i = 0; i < n; i++)
            j[(size_t)i * n + k] = (w->next[i] - w->r[i]) / d;
    }
    return COSY_OK;
}

static CosyStatus model_entries(const Newton *w, real *j)
{
    return w->b->jacobian(w->c, w->t, w->x, w->point, w->u, j);
}

/* The model's list, added up where it belongs in `size` places. */
static CosyStatus listed_entries(const Newton *w, real *to, size_t size)
{
    const BlockMatrix *m = w->matrix;
    const uint32_t *place = indices(&m->place);
    const real *value = reals(&m->value);
    COSY_TRY(model_entries(w, reals(&m->value)));
    memset(to, 0, size * sizeof *to);
    for (uint32_t k = 0; k < m->entries; k++)
        to[place[k]] += value[k];
    return COSY_OK;
}

static CosyStatus sparse_entries(const Newton *w)
{
    const BlockMatrix *m = w->matrix;
    real *to = linear_values(m->linear);
    return m->direct ? model_entries(w, to)
                     : listed_entries(w, to, indices(&m->start)[m->n]);
}

/* Spreads a sparse matrix out, row by row. */
static CosyStatus spread(const Newton *w, real *j)
{
    const BlockMatrix *m = w->matrix;
    const uint32_t *start = indices(&m->start), *row = indices(&m->row);
    const real *value = linear_values(m->linear);
    COSY_TRY(sparse_entries(w));
    memset(j, 0, (size_t)m->n * m->n * sizeof *j);
    for (uint32_t k = 0; k < m->n; k++)
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            j[(size_t)row[p] * m->n + k] = value[p];
    return COSY_OK;
}

CosyStatus block_entries(Newton *w, real *j)
{
    if (w->b->jacobian == NULL)
        return differences(w, j);
    if (w->matrix == NULL)
        return model_entries(w, j);
    if (w->matrix->sparse)
        return spread(w, j);
    return listed_entries(w, j, (size_t)w->n * w->n);
}

/* ---- Factors --------------------------------------------------------------- */

static CosyStatus singular(const Newton *w, uint32_t unknown)
{
    return COSY_FAIL(COSY_SINGULAR, w->b->equation + unknown);
}

/* A pivot is nearly nothing beside its row. That is a matter of scale unless it
   is so beside its column, too, whichever pivots are taken. */
static CosyStatus factor_closely(Newton *w)
{
    uint32_t n = w->n;
    size_t places = 2 * (size_t)n;
    Vector *v = &w->room->rank;
    if (!vector_fit(v, places * (sizeof(real) + sizeof(uint32_t))))
        return COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
    real *scale = reals(v);
    uint32_t *order = (uint32_t *)(void *)(scale + places);
    COSY_TRY(block_entries(w, w->j));
    uint32_t rank = block_rank(n, w->j, order, scale);
    if (rank < n)
        return singular(w, order[n + rank]);
    COSY_TRY(block_entries(w, w->j));
    uint32_t k = block_rows_factor(n, w->j, w->size, w->pivot, R(0.0));
    return k < n ? singular(w, k) : COSY_OK;
}

static CosyStatus factor_full(Newton *w)
{
    real least = (real)(w->n + 16) * COSY_EPSILON;
    COSY_TRY(block_entries(w, w->j));
    if (block_rows_factor(w->n, w->j, w->size, w->pivot, least) < w->n)
        return factor_closely(w);
    return COSY_OK;
}

/* The power of two by which a row is multiplied so that its largest entry is
   between 1/2 and 1. */
static real row_factor(real largest)
{
    int exponent;
    double size = (double)largest;
    if (!(size >= 1e-300 && size <= 1e300))
        return size > 0.0 ? R(1.0) / largest : R(1.0);
    frexp(size, &exponent);
    return (real)ldexp(1.0, -exponent);
}

static void find_row_factors(const BlockMatrix *m)
{
    const uint32_t *row = indices(&m->row);
    const real *value = linear_values(m->linear);
    uint32_t entries = indices(&m->start)[m->n];
    real *factor = reals(&m->scale);
    memset(factor, 0, m->n * sizeof *factor);
    for (uint32_t p = 0; p < entries; p++)
        factor[row[p]] = cosy_max(factor[row[p]], cosy_abs(value[p]));
    for (uint32_t i = 0; i < m->n; i++)
        factor[i] = row_factor(factor[i]);
}

static void scale_rows(const BlockMatrix *m)
{
    const uint32_t *row = indices(&m->row);
    real *value = linear_values(m->linear);
    const real *factor = reals(&m->scale);
    uint32_t entries = indices(&m->start)[m->n];
    for (uint32_t p = 0; p < entries; p++)
        value[p] *= factor[row[p]];
}

/* The smallest pivot is nearly nothing: looks whether its column is, too. */
static bool is_singular(const BlockMatrix *m, real least, uint32_t *column)
{
    const uint32_t *start = indices(&m->start), *row = indices(&m->row);
    const real *value = linear_values(m->linear);
    bool scaled = !linear_scales(m->linear);
    real *factor = reals(&m->scale), *size = factor + m->n;
    if (!scaled)
        find_row_factors(m);
    for (uint32_t k = 0; k < m->n; k++) {
        size[k] = R(0.0);
        for (uint32_t p = start[k]; p < start[k + 1]; p++) {
            real part = scaled ? value[p] : value[p] * factor[row[p]];
            size[k] = cosy_max(size[k], cosy_abs(part));
        }
    }
    return linear_weakest(m->linear, size, column) <= least;
}

static CosyStatus factor_sparse(const Newton *w)
{
    const BlockMatrix *m = w->matrix;
    real least = R(64.0) * COSY_EPSILON;
    uint32_t column = 0;
    COSY_TRY(sparse_entries(w));
    if (!linear_scales(m->linear)) {
        find_row_factors(m);
        scale_rows(m);
    }
    Status status = linear_factor(m->linear, &column);
    if (status == STATUS_SINGULAR)
        return singular(w, column);
    if (status != STATUS_OK)
        return COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
    if (linear_weakest(m->linear, NULL, &column) <= least &&
        is_singular(m, least, &column))
        return singular(w, column);
    return COSY_OK;
}

CosyStatus block_factor(Newton *w)
{
    return w->matrix && w->matrix->sparse ? factor_sparse(w) : factor_full(w);
}

CosyStatus block_apply(const Newton *w, real *d)
{
    const BlockMatrix *m = w->matrix;
    if (m == NULL || !m->sparse) {
        block_rows_solve(w->n, w->j, w->pivot, d);
        return COSY_OK;
    }
    const real *factor = reals(&m->scale);
    for (uint32_t i = 0; !linear_scales(m->linear) && i < m->n; i++)
        d[i] *= factor[i];
    return linear_solve(m->linear, d) == STATUS_OK
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, w->b->equation);
}
