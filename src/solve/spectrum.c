#include "solve/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/lapack.h"
#include "solve/linear.h"

/* What counts as zero, relative to the largest eigenvalue. */
#define ZERO 1e-10

/* ---- The Jacobian --------------------------------------------------------- */

Status spectrum_create(Spectrum *p, Solver *s)
{
    memset(p, 0, sizeof *p);
    Image *image = s->image; // nothing here affects how a run continues
    s->image = NULL;
    Status status = jacobian_create(&p->jacobian, s);
    s->image = image;
    p->there = status == STATUS_OK;
    return status;
}

void spectrum_free(Spectrum *p)
{
    if (p->there)
        jacobian_free(&p->jacobian);
    vector_free(&p->own);
    vector_free(&p->weight);
    vector_free(&p->work);
    p->there = false;
}

/* Marks the derivatives of states by parameters among n states. */
static void mark_companions(const Cosy *c, unsigned char *mark, uint32_t n)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_companions; k++) {
        const CosyCompanion *p = &m->companions[k];
        bool copied = p->process != COSY_NONE;
        if (p->kind != COSY_STATE)
            continue;
        uint32_t copies = copied ? c->copy[p->process].active : 1;
        uint32_t first = copied ? c->copy[p->process].first : 0;
        uint32_t step = copied ? m->copies[p->process].states : 0;
        for (uint32_t i = 0; i < copies; i++, first += step)
            for (uint32_t j = 0; j < p->count; j++)
                if (first + p->place + j < n)
                    mark[first + p->place + j] = 1;
    }
}

static Status find_own(Spectrum *p, const Solver *s)
{
    Vector mark = {0};
    p->owns = 0;
    if (!vector_fit(&p->own, (p->n + 1) * sizeof(uint32_t)) ||
        !vector_append(&mark, NULL, p->n + 1)) {
        vector_free(&mark);
        return STATUS_MEMORY;
    }
    mark_companions(s->c, mark.bytes, p->n);
    for (uint32_t k = 0; k < p->n; k++)
        if (!mark.bytes[k])
            ((uint32_t *)(void *)p->own.bytes)[p->owns++] = k;
    vector_free(&mark);
    return STATUS_OK;
}

static Status shape(Spectrum *p, Solver *s)
{
    if (p->shaped && p->n == s->n && p->structure == s->structure)
        return STATUS_OK;
    p->shaped = false;
    p->n = s->n;
    p->structure = s->structure;
    if (!vector_fit(&p->weight, (p->n + 1) * sizeof(real)))
        return STATUS_MEMORY;
    TRY(find_own(p, s));
    TRY(jacobian_shape(&p->jacobian, s));
    p->shaped = true;
    return STATUS_OK;
}

Status spectrum_jacobian(Spectrum *p, Solver *s, real t, const real *x,
                         const real *dx)
{
    real *weight;
    uint32_t culprit = s->culprit;
    CosyStatus cause = s->cause;
    TRY(shape(p, s));
    weight = (real *)(void *)p->weight.bytes;
    solver_scale(s, x, x, weight);
    Status status = jacobian_mass(&p->jacobian, s, t, x);
    if (status == STATUS_OK)
        status = jacobian_evaluate(&p->jacobian, s, t, x, dx, weight);
    s->culprit = culprit;
    s->cause = cause;
    return status;
}

/* ---- All eigenvalues ------------------------------------------------------ */

/* Unfolds the values of the entries into a full matrix, by columns. */
static void unfold(const Jacobian *j, const Vector *values, double *a)
{
    const real *v = (const real *)(const void *)values->bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)j->row.bytes;
    size_t n = j->n;
    if (j->dense) {
        for (size_t p = 0; p < n * n; p++)
            a[p] = (double)v[p];
        return;
    }
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++)
        for (uint32_t p = start[k]; p < start[k + 1]; p++)
            a[row[p] + k * n] = (double)v[p];
}

/* The same without the rows and columns of derivatives by parameters, on which no
   other state depends. */
static void unfold_own(const Spectrum *p, const Vector *values, double *a)
{
    const uint32_t *own = (const uint32_t *)(const void *)p->own.bytes;
    size_t n = p->n, m = p->owns;
    unfold(&p->jacobian, values, a);
    for (size_t k = 0; m < n && k < m; k++)
        for (size_t i = 0; i < m; i++)
            a[k * m + i] = a[own[k] * n + own[i]]; // never ahead of itself
}

typedef struct Room {
    double *a, *b;          // n * n
    double *re, *im, *beta; // n
    double *work;
} Room;

static Status make_room(Spectrum *p, Room *r)
{
    size_t n = p->n, work = lapack_room(n);
    if (!vector_fit(&p->work, (2 * n * n + 3 * n + work) * sizeof(double)))
        return STATUS_MEMORY;
    r->a = (double *)(void *)p->work.bytes;
    r->b = r->a + n * n;
    r->re = r->b + n * n;
    r->im = r->re + n;
    r->beta = r->im + n;
    r->work = r->beta + n;
    return STATUS_OK;
}

static void unfold_all(const Spectrum *p, const Vector *values, double *a)
{
    unfold(&p->jacobian, values, a);
}

/* re + i im: the eigenvalues; infinite ones (from algebraic equations) are left
   out, and *count remain. */
static bool eigenvalues(const Spectrum *p, bool own, Room *r, int *count)
{
    const Jacobian *j = &p->jacobian;
    void (*fill)(const Spectrum *, const Vector *, double *) =
        own ? unfold_own : unfold_all;
    int n = (int)(own ? p->owns : p->n);
    fill(p, &j->j, r->a);
    *count = n;
    if (!j->has_mass)
        return lapack_eigenvalues(n, r->a, r->re, r->im, r->work);
    fill(p, &j->m, r->b);
    if (!lapack_eigenvalues_of_pair(n, r->a, r->b, r->re, r->im, r->beta,
                                    r->work))
        return false;
    *count = 0;
    for (int k = 0; k < n; k++) {
        double top = hypot(r->re[k], r->im[k]);
        if (fabs(r->beta[k]) <= 1e-13 * top || top != top)
            continue;
        r->re[*count] = r->re[k] / r->beta[k];
        r->im[(*count)++] = r->im[k] / r->beta[k];
    }
    return true;
}

static void judge(const Room *r, int count, Features *f)
{
    int high = 0, turning = 0;
    f->edge = count > 0 ? -INFINITY : 0.0;
    for (int k = 0; k < count; k++)
        f->size = fmax(f->size, hypot(r->re[k], r->im[k]));
    for (int k = 0; k < count; k++) {
        double re = r->re[k], size = hypot(re, r->im[k]);
        if (size >= 0.5 * f->size && size > 0.0) {
            high++;
            turning += fabs(re) < 0.1 * size;
        }
        bool zero = fabs(re) <= ZERO * f->size;
        f->edge = fmax(f->edge, zero ? 0.0 : re);
        if (zero)
            continue;
        f->fastest = fmax(f->fastest, -re);
        f->growth = fmax(f->growth, re);
        if (f->slowest == 0.0 || fabs(re) < f->slowest)
            f->slowest = fabs(re);
    }
    f->oscillation = high > 0 ? (double)turning / high : 0.0;
}

static void find_invalid(const Spectrum *p, Room *r, int count, double accuracy,
                         Features *f)
{
    int invalid = 0;
    double e = accuracy > 0.0 ? accuracy : DBL_EPSILON;
    unfold_own(p, &p->jacobian.j, r->a);
    double border = fmax(0.0, modes_border(p->owns, r->a, e, r->beta));
    for (int k = 0; k < count; k++)
        invalid += hypot(r->re[k], r->im[k]) <= border;
    f->invalid = count > 0 ? (double)invalid / count : 0.0;
}

/* ---- Estimates ------------------------------------------------------------ */

/* y = J v; the columns of a full matrix have all rows. */
static void times(const Jacobian *j, const double *v, double *y)
{
    const real *value = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)j->row.bytes;
    size_t n = j->n;
    memset(y, 0, n * sizeof *y);
    for (size_t k = 0; k < n; k++) {
        if (j->dense)
            for (size_t i = 0; i < n; i++)
                y[i] += (double)value[k * n + i] * v[k];
        else
            for (uint32_t q = start[k]; q < start[k + 1]; q++)
                y[row[q]] += (double)value[q] * v[k];
    }
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* The vectors of a power iteration, u -> v -> w. */
typedef struct Powers {
    double *u, *v, *w;
} Powers;

/* Fits w = a v + b u: the eigenvalues of largest size are approximately the
   roots of t^2 = a t + b, two real ones or a complex pair. */
static void fit_pair(const Powers *q, size_t n, Features *f)
{
    double uu = product(q->u, q->u, n), uv = product(q->u, q->v, n);
    double vv = product(q->v, q->v, n), uw = product(q->u, q->w, n);
    double vw = product(q->v, q->w, n), det = uu * vv - uv * uv;
    double mean, real_part = 0.0;
    if (det <= 1e-14 * uu * vv) { // one direction, one eigenvalue
        mean = uu > 0.0 ? uv / uu : 0.0;
    } else {
        double a = (vw * uu - uw * uv) / det, b = (uw * vv - vw * uv) / det;
        double root = 0.25 * a * a + b;
        mean = 0.5 * a;
        real_part = root > 0.0 ? sqrt(root) : 0.0;
    }
    f->fastest = fmin(f->size, fmax(0.0, real_part - mean));
    f->growth = fmin(f->size, fmax(0.0, real_part + mean));
    f->oscillation = fmax(f->fastest, f->growth) < 0.1 * f->size ? 1.0 : 0.0;
}

/* A power iteration: a vector grows by the size of the largest eigenvalue. The
   start vector contains all directions, and is always the same. */
static Status iterate(Spectrum *p, Features *f)
{
    enum { FIRST = 20, MORE = 20 };
    size_t n = p->n;
    double grown = 0.0;
    if (!vector_fit(&p->work, 3 * n * sizeof(double)))
        return STATUS_MEMORY;
    double *at = (double *)(void *)p->work.bytes;
    Powers q = {at, at + n, at + 2 * n};
    for (size_t k = 0; k < n; k++)
        q.v[k] = (k % 2 ? -1.0 : 1.0) + 0.1 * sin((double)k);
    for (int i = 0; i < FIRST + MORE; i++) {
        double size = sqrt(product(q.v, q.v, n));
        if (size == 0.0 || !isfinite(size))
            break;
        for (size_t k = 0; k < n; k++) {
            q.u[k] /= size; // the earlier vector stays in proportion
            q.v[k] /= size;
        }
        times(&p->jacobian, q.v, q.w);
        if (i >= FIRST)
            grown += log(fmax(sqrt(product(q.w, q.w, n)), DBL_MIN)) / MORE;
        if (i == FIRST + MORE - 1)
            break;
        q = (Powers){q.v, q.w, q.u};
    }
    f->size = exp(grown);
    fit_pair(&q, n, f);
    f->invalid = NAN;
    return STATUS_OK;
}

/* ---- Finding -------------------------------------------------------------- */

/* Finds all eigenvalues of the present Jacobian; with an accuracy, those of the
   model alone. */
static Status find_all(Spectrum *p, double accuracy, Features *f)
{
    Room r;
    int count = 0;
    TRY(make_room(p, &r));
    if (!eigenvalues(p, accuracy >= 0.0, &r, &count))
        return STATUS_NUMBER;
    f->complete = true;
    judge(&r, count, f);
    if (accuracy >= 0.0)
        find_invalid(p, &r, count, accuracy, f);
    return isfinite(f->size) ? STATUS_OK : STATUS_NUMBER;
}

Status spectrum_find(Spectrum *p, Solver *s, real t, const real *x,
                     const real *dx, double accuracy, Features *f)
{
    memset(f, 0, sizeof *f);
    if (s->n == 0)
        return STATUS_NUMBER;
    TRY(spectrum_jacobian(p, s, t, x, dx));
    return p->owns > SPECTRUM_MOST ? iterate(p, f) : find_all(p, accuracy, f);
}

Status spectrum_more(Spectrum *p, bool all, Features *f)
{
    memset(f, 0, sizeof *f);
    if (all)
        return find_all(p, -1.0, f);
    TRY(iterate(p, f));
    return isfinite(f->size) ? STATUS_OK : STATUS_NUMBER;
}

Status spectrum_estimate(Spectrum *p, Solver *s, real t, const real *x,
                         const real *dx, Features *f)
{
    TRY(spectrum_jacobian(p, s, t, x, dx));
    return spectrum_more(p, false, f);
}

/* ---- Modes ---------------------------------------------------------------- */

uint32_t spectrum_state(const Spectrum *p, size_t k)
{
    return ((const uint32_t *)(const void *)p->own.bytes)[k];
}

Status spectrum_modes(Spectrum *p, double accuracy, Modes *m, double *border,
                      Arena *a)
{
    const Jacobian *j = &p->jacobian;
    Room r;
    TRY(make_room(p, &r));
    unfold_own(p, &j->j, r.a);
    *border = modes_border(p->owns, r.a, accuracy, r.beta);
    unfold_own(p, &j->j, r.a);
    if (j->has_mass)
        unfold_own(p, &j->m, r.b);
    return *border >= 0.0 &&
                   modes_find(m, p->owns, r.a, j->has_mass ? r.b : NULL, a)
               ? STATUS_OK
               : STATUS_NUMBER;
}

/* ---- A glance ------------------------------------------------------------- */

/* Entry (i, k); those of a column stand in the order of their rows. */
static double entry(const Jacobian *j, size_t i, size_t k)
{
    const real *value = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)j->row.bytes;
    if (j->dense)
        return (double)value[k * j->n + i];
    size_t low = start[k], high = start[k + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < start[k + 1] && row[low] == i ? (double)value[low] : 0.0;
}

/* Sums over rows without the diagonal, and the diagonal. */
typedef struct Sums {
    double *by_row, *diagonal;
} Sums;

/* Adds column k to the sums; what its discs say goes into g. */
static void add_column(const Jacobian *j, size_t k, Sums *sums, Glance *g)
{
    const real *value = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)j->row.bytes;
    size_t first = j->dense ? k * j->n : start[k];
    size_t end = j->dense ? first + j->n : start[k + 1];
    double beside = 0.0;
    for (size_t q = first; q < end; q++) {
        size_t i = j->dense ? q - first : row[q];
        double a = (double)value[q];
        if (i == k) {
            sums->diagonal[k] = a;
            continue;
        }
        beside += fabs(a);
        sums->by_row[i] += fabs(a);
        g->mean_square += a * entry(j, k, i);
    }
    double d = sums->diagonal[k];
    g->mean += d;
    g->mean_square += d * d;
    g->bound = fmax(g->bound, fabs(d) + beside);
    g->high = fmax(g->high, d + beside);
    g->low = fmin(g->low, d - beside);
}

/* The discs by rows and those by columns each contain all eigenvalues. */
Status spectrum_glance(Spectrum *p, Solver *s, real t, const real *x,
                       const real *dx, Glance *g)
{
    Glance rows = {.low = INFINITY, .high = -INFINITY};
    TRY(spectrum_jacobian(p, s, t, x, dx));
    size_t n = p->n;
    if (!vector_fit(&p->work, 2 * n * sizeof(double)))
        return STATUS_MEMORY;
    Sums sums = {.by_row = (double *)(void *)p->work.bytes};
    sums.diagonal = sums.by_row + n;
    memset(sums.by_row, 0, 2 * n * sizeof(double));
    *g = rows;
    for (size_t k = 0; k < n; k++)
        add_column(&p->jacobian, k, &sums, g);
    for (size_t k = 0; k < n; k++) {
        double d = sums.diagonal[k], beside = sums.by_row[k];
        rows.bound = fmax(rows.bound, fabs(d) + beside);
        rows.high = fmax(rows.high, d + beside);
        rows.low = fmin(rows.low, d - beside);
    }
    g->bound = fmin(g->bound, rows.bound);
    g->high = fmin(g->high, rows.high);
    g->low = fmax(g->low, rows.low);
    g->mean /= (double)n;
    g->mean_square /= (double)n;
    return isfinite(g->bound) ? STATUS_OK : STATUS_NUMBER;
}
