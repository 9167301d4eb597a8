#include "solve/jacobian.h"

#include <string.h>

#include "solve/linear.h"
#include "solve/pattern.h"

static uint32_t *indices(const Vector *v)
{
    return (uint32_t *)(void *)v->bytes;
}

static real *reals(const Vector *v)
{
    return (real *)(void *)v->bytes;
}

static size_t count_of(const Vector *v)
{
    return v->used / sizeof(uint32_t);
}

static bool fit_indices(Vector *v, size_t count)
{
    return vector_fit(v, count * sizeof(uint32_t));
}

static bool fit_reals(Vector *v, size_t count)
{
    return vector_fit(v, count * sizeof(real));
}

Status jacobian_create(Jacobian *j, Solver *s)
{
    memset(j, 0, sizeof *j);
    TRY(image_name(s->image, s->arena, s->method->name, "j", &j->j));
    return image_name(s->image, s->arena, s->method->name, "m", &j->m);
}

/* ---- Patterns ------------------------------------------------------------ */

static Status full_pattern(uint32_t n, Vector *start, Vector *row)
{
    if (!fit_indices(row, (size_t)n * n))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k <= n; k++)
        indices(start)[k] = k * n;
    for (uint32_t k = 0; k < n * n; k++)
        indices(row)[k] = k % n;
    return STATUS_OK;
}

typedef CosyStatus (*AskPattern)(Cosy *, uint32_t *, uint32_t *, uint32_t *);

static Status no_pattern(Solver *s)
{
    return fault_set(s->fault, STATUS_MODEL,
                     "%s: the model cannot tell the pattern of its Jacobian or "
                     "mass matrix",
                     s->model->name);
}

/* Reads the model's list: row and column of each entry, in `entry` and
   `list`. */
static Status read_entries(Jacobian *j, Solver *s, AskPattern ask,
                           Vector *entry, uint32_t *count)
{
    uint32_t again;
    if (ask(s->c, NULL, NULL, count) != COSY_OK)
        return no_pattern(s);
    if (!fit_indices(entry, *count) ||
        !fit_indices(&j->list, 4 * (size_t)*count + s->n + 1))
        return STATUS_MEMORY;
    again = *count;
    if (*count && ask(s->c, indices(entry), indices(&j->list), &again))
        return no_pattern(s);
    bool good = again == *count;
    for (uint32_t p = 0; good && p < *count; p++)
        good = indices(entry)[p] < s->n && indices(&j->list)[p] < s->n;
    return good ? STATUS_OK : no_pattern(s);
}

static Status read_pattern(Jacobian *j, Solver *s, AskPattern ask,
                           Vector *entry, Vector *start, Vector *row)
{
    uint32_t n = s->n, count;
    if (!fit_indices(start, (size_t)n + 1))
        return STATUS_MEMORY;
    if (ask == NULL) {
        TRY(full_pattern(n, start, row));
        if (!fit_indices(entry, (size_t)n * n))
            return STATUS_MEMORY;
        for (uint32_t p = 0; p < n * n; p++)
            indices(entry)[p] = p;
        return STATUS_OK;
    }
    TRY(read_entries(j, s, ask, entry, &count));
    if (!fit_indices(row, (size_t)count + 1))
        return STATUS_MEMORY;
    pattern_compress(n, count, indices(&j->list), indices(entry),
                     indices(start), indices(row));
    return STATUS_OK;
}

static Status read_patterns(Jacobian *j, Solver *s)
{
    TRY(read_pattern(j, s, s->model->pattern, &j->j_entry, &j->j_start,
                     &j->j_row));
    if (j->has_mass)
        return read_pattern(j, s, s->model->mass_pattern, &j->m_entry,
                            &j->m_start, &j->m_row);
    if (!fit_indices(&j->m_start, (size_t)j->n + 1) ||
        !fit_indices(&j->m_row, 0) || !fit_indices(&j->m_entry, 0))
        return STATUS_MEMORY;
    memset(j->m_start.bytes, 0, j->m_start.used);
    return STATUS_OK;
}

/* Forms one column of the common pattern: rows of J, of M and the diagonal,
   rising; `at` is the entry it begins with. Returns the entry after it. */
static uint32_t unite_column(Jacobian *j, uint32_t column, uint32_t at)
{
    const uint32_t *jr = indices(&j->j_row), *mr = indices(&j->m_row);
    uint32_t a = indices(&j->j_start)[column];
    uint32_t a_end = indices(&j->j_start)[column + 1];
    uint32_t b = indices(&j->m_start)[column];
    uint32_t b_end = indices(&j->m_start)[column + 1];
    bool diagonal = false;
    while (a < a_end || b < b_end || !diagonal) {
        uint32_t row = diagonal ? UINT32_MAX : column;
        if (a < a_end && jr[a] < row)
            row = jr[a];
        if (b < b_end && mr[b] < row)
            row = mr[b];
        if (a < a_end && jr[a] == row)
            indices(&j->j_slot)[a++] = at;
        if (b < b_end && mr[b] == row)
            indices(&j->m_slot)[b++] = at;
        if (row == column) {
            indices(&j->diagonal)[column] = at;
            diagonal = true;
        }
        indices(&j->row)[at++] = row;
    }
    return at;
}

static void slots_full(uint32_t n, const Vector *start, const Vector *row,
                       Vector *slot)
{
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t p = indices(start)[k]; p < indices(start)[k + 1]; p++)
            indices(slot)[p] = k * n + indices(row)[p];
}

/* Derivatives by parameters leave more than half of the matrix empty, and have solutions
   that a sparse one takes a third less for, however small it is. */
static bool is_repeated(const Jacobian *j, size_t entries)
{
    real all = (real)j->n * (real)j->n;
    return j->repeated && (real)entries <= R(0.3) * all;
}

static void unite(Jacobian *j)
{
    uint32_t n = j->n, at = 0;
    for (uint32_t k = 0; k < n; k++) {
        indices(&j->start)[k] = at;
        at = unite_column(j, k, at);
    }
    indices(&j->start)[n] = at;
    j->entries = at;
    j->dense = linear_prefers_dense(n, at) && !is_repeated(j, at);
    if (!j->dense)
        return;
    j->entries = (size_t)n * n;
    slots_full(n, &j->j_start, &j->j_row, &j->j_slot);
    slots_full(n, &j->m_start, &j->m_row, &j->m_slot);
    for (uint32_t k = 0; k < n; k++)
        indices(&j->diagonal)[k] = k * n + k;
}

/* Takes the column's rows for this colour; false if one of them is taken
   already. */
static bool take_rows(const Jacobian *j, uint32_t column, uint32_t mark,
                      uint32_t *taken)
{
    const uint32_t *start = indices(&j->j_start), *row = indices(&j->j_row);
    for (uint32_t p = start[column]; p < start[column + 1]; p++)
        if (taken[row[p]] == mark)
            return false;
    for (uint32_t p = start[column]; p < start[column + 1]; p++)
        taken[row[p]] = mark;
    return true;
}

/* Each colour in turn takes the columns that fit, first come first served. */
static void colour_columns(Jacobian *j, uint32_t *taken)
{
    uint32_t *colour = indices(&j->colour), n = j->n, left = n;
    memset(taken, 0, n * sizeof *taken);
    for (uint32_t k = 0; k < n; k++)
        colour[k] = COSY_NONE;
    for (j->colours = 0; left > 0; j->colours++)
        for (uint32_t k = 0; k < n; k++)
            if (colour[k] == COSY_NONE &&
                take_rows(j, k, j->colours + 1, taken)) {
                colour[k] = j->colours;
                left--;
            }
}

static void colour_singly(Jacobian *j)
{
    j->colours = j->n;
    for (uint32_t k = 0; k < j->n; k++)
        indices(&j->colour)[k] = k;
}

/* Translates the place of each of the model's values in its own pattern to that
   in the common pattern. */
static void entries_slots(Vector *entry, const Vector *slot)
{
    for (size_t p = 0; p < count_of(entry); p++)
        indices(entry)[p] = indices(slot)[indices(entry)[p]];
}

/* True if the model's values are already in the common order. */
static bool is_direct(const Jacobian *j)
{
    if (count_of(&j->j_entry) != j->entries)
        return false;
    for (uint32_t p = 0; p < j->entries; p++)
        if (indices(&j->j_entry)[p] != p)
            return false;
    return true;
}

static bool room_for_slots(Jacobian *j, size_t parameters)
{
    size_t n = j->n;
    size_t a = indices(&j->j_start)[n], b = indices(&j->m_start)[n];
    size_t values = count_of(&j->j_entry);
    if (values < count_of(&j->m_entry))
        values = count_of(&j->m_entry);
    return fit_indices(&j->j_slot, a) && fit_indices(&j->m_slot, b) &&
           fit_indices(&j->start, n + 1) && fit_indices(&j->row, a + b + n) &&
           fit_indices(&j->diagonal, n) && fit_indices(&j->colour, n) &&
           fit_reals(&j->scratch, values + 3 * n + parameters);
}

Status jacobian_shape(Jacobian *j, Solver *s)
{
    j->n = s->n;
    j->has_mass = s->model->mass_kind != COSY_MASS_IDENTITY;
    j->repeated = s->model->n_companions > 0;
    TRY(read_patterns(j, s));
    if (!room_for_slots(j, s->model->n_parameters))
        return STATUS_MEMORY;
    unite(j);
    entries_slots(&j->j_entry, &j->j_slot);
    entries_slots(&j->m_entry, &j->m_slot);
    j->direct = is_direct(j);
    if (s->model->pattern == NULL)
        colour_singly(j);
    else if (s->model->jacobian == NULL)
        colour_columns(j, indices(&j->scratch));
    if (!fit_reals(&j->j, j->entries) ||
        !fit_reals(&j->m, j->has_mass ? j->entries : 0))
        return STATUS_MEMORY;
    return STATUS_OK;
}

void jacobian_free(Jacobian *j)
{
    Vector *all[] = {&j->start,  &j->row,    &j->diagonal, &j->j_start,
                     &j->j_row,  &j->j_slot, &j->m_start,  &j->m_row,
                     &j->m_slot, &j->colour, &j->scratch,  &j->j,
                     &j->m,      &j->list,   &j->j_entry,  &j->m_entry};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
}

/* ---- Values -------------------------------------------------------------- */

/* If a value is not finite, its column is the culprit. */
static Status check_values(Solver *s, const Jacobian *j, const Vector *sum)
{
    for (size_t p = 0; p < j->entries; p++) {
        if (cosy_finite(reals(sum)[p]))
            continue;
        uint32_t k = 0;
        if (j->dense)
            k = (uint32_t)(p / j->n);
        else
            while (indices(&j->start)[k + 1] <= p)
                k++;
        s->culprit = k;
        return STATUS_NUMBER;
    }
    return STATUS_OK;
}

static void scatter(const Vector *slot, const real *from, Vector *to)
{
    memset(to->bytes, 0, to->used);
    for (size_t p = 0; p < count_of(slot); p++)
        reals(to)[indices(slot)[p]] += from[p];
}

Status jacobian_mass(Jacobian *j, Solver *s, real t, const real *x)
{
    if (!j->has_mass)
        return STATUS_OK;
    s->culprit = COSY_NONE;
    s->cause = s->model->mass(s->c, t, x, reals(&j->scratch));
    if (s->cause != COSY_OK)
        return STATUS_NUMBER;
    scatter(&j->m_entry, reals(&j->scratch), &j->m);
    return check_values(s, j, &j->m);
}

static Status ask_model(Jacobian *j, Solver *s, real t, const real *x)
{
    real *value = reals(j->direct ? &j->j : &j->scratch);
    s->culprit = COSY_NONE;
    s->cause = s->model->jacobian(s->c, t, x, value);
    if (s->cause != COSY_OK)
        return STATUS_NUMBER;
    if (!j->direct)
        scatter(&j->j_entry, value, &j->j);
    return check_values(s, j, &j->j);
}

/* Variation of x: the square root of the machine precision times what counts as
   the size of the variable. */
static real variation(const Solver *s, real x, real weight)
{
    real d = cosy_sqrt(COSY_EPSILON) * weight / s->options.relerr;
    d = x < R(0.0) ? -d : d;
    return (x + d) - x;
}

/* Varies the columns of one colour; `sign` reverses all variations. */
static Status vary(Jacobian *j, Solver *s, real t, const real *x, const real *f,
                   const real *weight, uint32_t colour, real sign)
{
    uint32_t n = j->n;
    const uint32_t *start = indices(&j->j_start), *row = indices(&j->j_row);
    real *y = reals(&j->scratch), *fy = y + n;
    memcpy(y, x, n * sizeof *y);
    for (uint32_t k = 0; k < n; k++)
        if (indices(&j->colour)[k] == colour)
            y[k] = x[k] + sign * variation(s, x[k], weight[k]);
    TRY(solver_rhs(s, t, y, fy));
    for (uint32_t k = 0; k < n; k++) {
        if (indices(&j->colour)[k] != colour)
            continue;
        real d = R(1.0) / (y[k] - x[k]);
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            reals(&j->j)[indices(&j->j_slot)[p]] = (fy[row[p]] - f[row[p]]) * d;
    }
    return STATUS_OK;
}

/* Finds the columns of one colour as the derivative in a direction that has
   ones there. */
static Status tangent(Jacobian *j, Solver *s, real t, const real *x,
                      uint32_t colour)
{
    uint32_t n = j->n;
    const uint32_t *start = indices(&j->j_start), *row = indices(&j->j_row);
    real *vx = reals(&j->scratch), *df = vx + n, *vp = df + n;
    for (uint32_t k = 0; k < n; k++)
        vx[k] = indices(&j->colour)[k] == colour ? R(1.0) : R(0.0);
    memset(vp, 0, s->model->n_parameters * sizeof *vp);
    s->culprit = COSY_NONE;
    s->cause = s->model->tangent(s->c, t, x, vx, vp, df);
    if (s->cause != COSY_OK)
        return STATUS_NUMBER;
    for (uint32_t k = 0; k < n; k++)
        if (indices(&j->colour)[k] == colour)
            for (uint32_t p = start[k]; p < start[k + 1]; p++)
                reals(&j->j)[indices(&j->j_slot)[p]] = df[row[p]];
    return STATUS_OK;
}

static Status tangents(Jacobian *j, Solver *s, real t, const real *x)
{
    memset(j->j.bytes, 0, j->j.used);
    for (uint32_t c = 0; c < j->colours; c++)
        TRY(tangent(j, s, t, x, c));
    return check_values(s, j, &j->j);
}

static Status differences(Jacobian *j, Solver *s, real t, const real *x,
                          const real *f, const real *weight)
{
    memset(j->j.bytes, 0, j->j.used);
    for (uint32_t c = 0; c < j->colours; c++)
        if (vary(j, s, t, x, f, weight, c, R(1.0)) != STATUS_OK)
            TRY(vary(j, s, t, x, f, weight, c, R(-1.0)));
    return STATUS_OK;
}

Status jacobian_evaluate(Jacobian *j, Solver *s, real t, const real *x,
                         const real *f, const real *weight)
{
    s->counts.jacobians++;
    if (s->model->jacobian != NULL)
        return ask_model(j, s, t, x);
    if (s->model->tangent != NULL)
        return tangents(j, s, t, x);
    return differences(j, s, t, x, f, weight);
}

/* ---- Matrices ------------------------------------------------------------ */

void jacobian_matrix(const Jacobian *j, real c, real *e)
{
    const real *v = reals(&j->j), *m = reals(&j->m);
    if (j->has_mass) {
        for (size_t p = 0; p < j->entries; p++)
            e[p] = c * m[p] - v[p];
        return;
    }
    for (size_t p = 0; p < j->entries; p++)
        e[p] = -v[p];
    for (uint32_t k = 0; k < j->n; k++)
        e[indices(&j->diagonal)[k]] += c;
}

void jacobian_matrix_complex(const Jacobian *j, Complex c, real *e)
{
    const real *v = reals(&j->j), *m = reals(&j->m);
    if (j->has_mass) {
        for (size_t p = 0; p < j->entries; p++) {
            e[2 * p] = c.re * m[p] - v[p];
            e[2 * p + 1] = c.im * m[p];
        }
        return;
    }
    for (size_t p = 0; p < j->entries; p++) {
        e[2 * p] = -v[p];
        e[2 * p + 1] = R(0.0);
    }
    for (uint32_t k = 0; k < j->n; k++) {
        size_t p = 2 * (size_t)indices(&j->diagonal)[k];
        e[p] += c.re;
        e[p + 1] += c.im;
    }
}

void jacobian_mass_times(const Jacobian *j, const real *x, real *y)
{
    const real *m = reals(&j->m);
    const uint32_t *start = indices(&j->m_start), *row = indices(&j->m_row);
    const uint32_t *slot = indices(&j->m_slot);
    memset(y, 0, j->n * sizeof *y);
    for (uint32_t k = 0; k < j->n; k++)
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            y[row[p]] += m[slot[p]] * x[k];
}
