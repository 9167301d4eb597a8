#include "solve/project.h"

#include <string.h>

#include "cosy/unit.h"

#define ITERATIONS 12
#define STALLED    R(1e3)  // in rounding levels: g that stops falling is noise
#define LITTLE     R(1e-3) // in tolerances: the same
#define TRUSTED    R(0.1)  // share of the slack that a G of earlier times has

/* ---- Life ------------------------------------------------------------------- */

Status project_create(Project *p, Cosy *c, Arena *a, Image *image)
{
    uint32_t rows = c->model->n_constraints;
    *p = (Project){.c = c, .rows = rows};
    if (rows == 0)
        return STATUS_OK;
    if (!vector_fit(&p->sizes, 2 * (size_t)rows * sizeof(real)))
        return STATUS_MEMORY;
    project_forget(p);
    if (rows > PROJECT_FULL) {
        p->linear = linear_create(a, image, "constraints", false);
        if (p->linear == NULL)
            return STATUS_MEMORY;
    }
    if (image == NULL)
        return STATUS_OK;
    TRY(image_add_vector(image, a, "constraint sizes", &p->sizes));
    return image_add(image, a, "constraint errors", &p->state, sizeof p->state);
}

void project_forget(Project *p)
{
    p->shaped = false;
    for (uint32_t k = 0; k < p->rows; k++)
        project_level(p)[k] = R(-1.0);
}

void project_free(Project *p)
{
    Vector *all[] = {&p->start, &p->column, &p->place,  &p->slot, &p->entry,
                     &p->list,  &p->room,   &p->active, &p->sizes};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
    linear_free(p->linear);
}

/* ---- How far it is ---------------------------------------------------------- */

static real violation(const Project *p, uint32_t k)
{
    real g = cosy_abs(project_g(p)[k]), size = project_size(p)[k];
    if (g <= project_level(p)[k])
        return R(0.0);
    return size > g / COSY_REAL_MAX ? g / size : COSY_REAL_MAX;
}

/* Whether all rows hold, except for rounding, or are off by `slack` tolerances
   at most; a row that was not active when G was evaluated last is not known. */
static bool holds(const Project *p, real slack)
{
    for (uint32_t k = 0; k < p->rows; k++)
        if (p->active.bytes[k] &&
            (project_level(p)[k] < R(0.0) || violation(p, k) > slack))
            return false;
    return true;
}

/* The largest violation in tolerances. */
static real worst_of(const Project *p, uint32_t *where)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < p->rows; k++) {
        real own = p->active.bytes[k] ? violation(p, k) : R(0.0);
        if (own > most) {
            most = own;
            *where = k;
        }
    }
    return most;
}

/* Whether nothing but rounding is left. */
static bool is_rounding(const Project *p)
{
    const real *g = project_g(p), *level = project_level(p);
    for (uint32_t k = 0; k < p->rows; k++)
        if (p->active.bytes[k] && cosy_abs(g[k]) > level[k])
            return false;
    return true;
}

/* The largest |g| in rounding levels. */
static real excess(const Project *p, uint32_t *where)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < p->rows; k++) {
        real size = p->active.bytes[k] ? cosy_abs(project_g(p)[k]) : R(0.0);
        real over = size == R(0.0)
                        ? R(0.0)
                        : size / cosy_max(project_level(p)[k], COSY_REAL_MIN);
        if (over > most) {
            most = over;
            *where = k;
        }
    }
    return most;
}

static Status done(Project *p)
{
    for (uint32_t k = 0; k < p->rows; k++)
        if (p->active.bytes[k])
            p->state.error =
                cosy_max(p->state.error, cosy_abs(project_g(p)[k]));
    return STATUS_OK;
}

static Status fail(const Project *p, const ProjectAt *at, Status why,
                   uint32_t row, Fault *f)
{
    const CosyModel *m = p->c->model;
    char name[200];
    project_words(m, row, name, sizeof name);
    return fault_set(f, why,
                     "%s:%u: time %.15g%s%s: the constraint %s, which is off "
                     "by %.3g, cannot be restored%s",
                     m->source ? m->source : m->name, project_line(m, row),
                     (double)at->t, COSY_IN_TIME(m), name,
                     (double)project_g(p)[row],
                     why == STATUS_SINGULAR
                         ? ": no state that could move changes it here, or "
                           "another constraint contradicts it"
                         : "; try a smaller RELERR or DTMAX");
}

/* ---- One correction --------------------------------------------------------- */

/* The size of a row of G W, where some states do not move. */
static real size_of(const ProjectAt *at, uint32_t n, const uint32_t *state,
                    const real *value)
{
    real square = R(0.0);
    for (uint32_t e = 0; e < n; e++) {
        real part = value[e] * project_weight(at, state[e]);
        square += part * part;
    }
    return cosy_sqrt(square);
}

/* G becomes A = norm G W, whose rows have the size 1, and g becomes norm g in b.
   A row that is not there, or that no state can change, becomes 0. */
static void normalise(Project *p, const ProjectAt *at, real *norm, real *b)
{
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value, size = project_size(p)[k];
        uint32_t n = project_row(p, k, &state, &value);
        if (at->fixed)
            size = size_of(at, n, state, value);
        real inverse = R(1.0) / size;
        bool there = p->active.bytes[k] && size > R(0.0);
        norm[k] = there && cosy_finite(inverse) ? inverse : R(0.0);
        for (uint32_t e = 0; e < n; e++)
            value[e] = norm[k] > R(0.0)
                           ? value[e] * (project_weight(at, state[e]) * norm[k])
                           : R(0.0);
        b[k] = norm[k] > R(0.0) ? norm[k] * project_g(p)[k] : R(0.0);
    }
}

/* What is added to the diagonal. */
static real ridge(const Project *p)
{
    return R(64.0) * (real)(p->rows + 1) * COSY_EPSILON;
}

/* The lower half of the full matrix A A^T; `line` has n zeros. */
static void fill_full(const Project *p, real *line, real *a)
{
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value;
        uint32_t n = project_row(p, k, &state, &value);
        for (uint32_t e = 0; e < n; e++)
            line[state[e]] = value[e];
        a[(size_t)k * p->rows + k] = R(1.0) + ridge(p);
        for (uint32_t l = k + 1; l < p->rows; l++) {
            const uint32_t *other;
            real *entry, sum = R(0.0);
            uint32_t count = project_row(p, l, &other, &entry);
            for (uint32_t e = 0; e < count; e++)
                sum += entry[e] * line[other[e]];
            a[(size_t)l * p->rows + k] = sum;
        }
        for (uint32_t e = 0; e < n; e++)
            line[state[e]] = R(0.0);
    }
}

/* b = inverse(L L^T) b; the lower half of `a` becomes L, with the inverses of its
   diagonal. */
static bool cholesky(uint32_t n, real *a, real *b)
{
    for (uint32_t k = 0; k < n; k++) {
        real *row = a + (size_t)k * n;
        for (uint32_t j = 0; j <= k; j++) {
            real *other = a + (size_t)j * n, sum = row[j];
            for (uint32_t i = 0; i < j; i++)
                sum -= row[i] * other[i];
            if (j == k && !(sum > R(0.0)))
                return false;
            row[j] = j == k ? R(1.0) / cosy_sqrt(sum) : sum * other[j];
        }
        for (uint32_t i = 0; i < k; i++)
            b[k] -= row[i] * b[i];
        b[k] *= row[k];
    }
    for (uint32_t k = n; k-- > 0;) {
        b[k] *= a[(size_t)k * n + k];
        for (uint32_t i = 0; i < k; i++)
            b[i] -= a[(size_t)k * n + i] * b[k];
    }
    return true;
}

/* Solves [1 A^T; A -d] [v; l] = [0; b]; `v` has n + rows places, and l takes
   the place of b, with the sign of the full matrix. */
static Status solve_sparse(Project *p, const real *norm, real *v, real *b)
{
    const uint32_t *start = (const uint32_t *)(void *)p->start.bytes;
    const uint32_t *low = (const uint32_t *)(void *)p->slot.bytes;
    const uint32_t *high = low + start[p->rows];
    const uint32_t *diagonal = high + start[p->rows];
    real *a = linear_values(p->linear);
    uint32_t bad;
    for (uint32_t i = 0; i < p->n; i++)
        a[diagonal[i]] = R(1.0);
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value;
        uint32_t n = project_row(p, k, &state, &value);
        for (uint32_t e = 0; e < n; e++)
            a[low[start[k] + e]] = a[high[start[k] + e]] = value[e];
        a[diagonal[p->n + k]] = norm[k] > R(0.0) ? -ridge(p) : R(-1.0);
    }
    memset(v, 0, p->n * sizeof *v);
    memcpy(v + p->n, b, p->rows * sizeof *b);
    TRY(linear_factor(p->linear, &bad));
    TRY(linear_solve(p->linear, v));
    for (uint32_t k = 0; k < p->rows; k++)
        b[k] = -v[p->n + k];
    return STATUS_OK;
}

/* Moves y by the correction for the present g and G, which becomes A. */
static Status move(Project *p, const ProjectAt *at, real *y)
{
    real *norm = project_g(p) + p->rows, *b = norm + p->rows;
    real *line = project_g(p) + 4 * p->rows + p->n, *a = line + p->n;
    normalise(p, at, norm, b);
    if (p->sparse) {
        TRY(solve_sparse(p, norm, a, b));
    } else {
        memset(line, 0, p->n * sizeof *line);
        fill_full(p, line, a);
        if (!cholesky(p->rows, a, b))
            return STATUS_SINGULAR;
    }
    for (uint32_t k = 0; k < p->rows; k++) {
        const uint32_t *state;
        real *value;
        uint32_t n = project_row(p, k, &state, &value);
        for (uint32_t e = 0; e < n; e++)
            y[state[e]] -= project_weight(at, state[e]) * value[e] * b[k];
    }
    return STATUS_OK;
}

/* Whether a row that does not hold is beyond the reach of all states. */
static bool is_stuck(const Project *p, uint32_t row)
{
    return project_g(p)[p->rows + row] == R(0.0);
}

/* g, which is more than rounding, and G belong to y. */
static Status iterate(Project *p, const ProjectAt *at, real *y, Fault *f)
{
    real before = COSY_REAL_MAX, now;
    uint32_t where = p->worst;
    for (int k = 0; k < ITERATIONS; k++) {
        if (k > 0) {
            now = excess(p, &where);
            if (!(now < before))
                break;
            before = now;
            TRY(project_gradient(p, at, y, f));
        }
        Status status = move(p, at, y);
        if (status != STATUS_OK)
            return fail(p, at, status, where, f);
        TRY(project_value(p, at, y, f));
        if (is_rounding(p))
            return STATUS_OK;
    }
    now = excess(p, &where);
    if (now < STALLED || violation(p, where) < LITTLE)
        return STATUS_OK;
    return fail(p, at, is_stuck(p, where) ? STATUS_SINGULAR : STATUS_NEWTON,
                where, f);
}

/* ---- Points ----------------------------------------------------------------- */

Status project_look(Project *p, const ProjectAt *at, const real *x, Fault *f)
{
    p->violation = R(0.0);
    p->worst = 0;
    TRY(project_value(p, at, x, f));
    if (holds(p, R(0.0)))
        return STATUS_OK;
    TRY(project_gradient(p, at, x, f));
    p->violation = worst_of(p, &p->worst);
    return STATUS_OK;
}

static real distance(const ProjectAt *at, const real *x, const real *y)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < at->n; i++)
        if (x[i] != y[i])
            most = cosy_max(most, cosy_abs(x[i] - y[i]) /
                                      (at->weight ? at->weight[i] : R(1.0)));
    return most;
}

Status project_restore(Project *p, const ProjectAt *at, real *x, Fault *f)
{
    p->moved = p->violation = R(0.0);
    p->worst = 0;
    if (p->rows == 0)
        return STATUS_OK;
    TRY(project_value(p, at, x, f));
    if (holds(p, TRUSTED * at->slack))
        return done(p);
    TRY(project_gradient(p, at, x, f));
    p->violation = worst_of(p, &p->worst);
    p->state.drift = cosy_max(p->state.drift, p->violation);
    if (p->violation <= at->slack)
        return done(p);
    real *y = project_g(p) + 4 * p->rows;
    memcpy(y, x, at->n * sizeof *y);
    TRY(iterate(p, at, y, f));
    p->moved = distance(at, x, y);
    p->state.moved = cosy_max(p->state.moved, p->moved);
    memcpy(x, y, at->n * sizeof *x);
    return done(p);
}
