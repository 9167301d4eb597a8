#include "solve/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/linear.h"

/* What counts as zero, of the largest eigenvalue. */
#define ZERO 1e-10

/* LAPACK: the lengths of the texts come last. */
void dgeev_(const char *left, const char *right, const int *n, double *a,
            const int *lda, double *re, double *im, double *vl, const int *ldvl,
            double *vr, const int *ldvr, double *work, const int *size,
            int *info, size_t, size_t);
void dggev_(const char *left, const char *right, const int *n, double *a,
            const int *lda, double *b, const int *ldb, double *re, double *im,
            double *beta, double *vl, const int *ldvl, double *vr,
            const int *ldvr, double *work, const int *size, int *info, size_t,
            size_t);
void dgesvd_(const char *u, const char *v, const int *m, const int *n,
             double *a, const int *lda, double *s, double *left, const int *ldl,
             double *right, const int *ldr, double *work, const int *size,
             int *info, size_t, size_t);

/* ---- The Jacobian --------------------------------------------------------- */

Status spectrum_create(Spectrum *p, Solver *s)
{
    memset(p, 0, sizeof *p);
    Image *image = s->image; // nothing here decides how a run goes on
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
    vector_free(&p->weight);
    vector_free(&p->work);
    p->there = false;
}

static Status shape(Spectrum *p, Solver *s)
{
    if (p->shaped && p->n == s->n)
        return STATUS_OK;
    p->shaped = false;
    p->n = s->n;
    if (!vector_fit(&p->weight, (p->n + 1) * sizeof(real)))
        return STATUS_MEMORY;
    TRY(jacobian_shape(&p->jacobian, s));
    p->shaped = true;
    return STATUS_OK;
}

static Status evaluate(Spectrum *p, Solver *s, real t, const real *x,
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

/* The values by entry as a full matrix, by columns. */
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

typedef struct Room {
    double *a, *b;          // n * n
    double *re, *im, *beta; // n
    double *work;
    int size; // of work
} Room;

static Status make_room(Spectrum *p, Room *r)
{
    size_t n = p->n, work = 34 * n + 64;
    if (!vector_fit(&p->work, (2 * n * n + 3 * n + work) * sizeof(double)))
        return STATUS_MEMORY;
    r->a = (double *)(void *)p->work.bytes;
    r->b = r->a + n * n;
    r->re = r->b + n * n;
    r->im = r->re + n;
    r->beta = r->im + n;
    r->work = r->beta + n;
    r->size = (int)work;
    return STATUS_OK;
}

/* re + i im: the eigenvalues; infinite ones (of algebraic equations) are left
   out, *count of them stay. */
static bool eigenvalues(const Spectrum *p, Room *r, int *count)
{
    const Jacobian *j = &p->jacobian;
    int n = (int)p->n, one = 1, info = 0;
    unfold(j, &j->j, r->a);
    *count = n;
    if (!j->has_mass) {
        dgeev_("N", "N", &n, r->a, &n, r->re, r->im, NULL, &one, NULL, &one,
               r->work, &r->size, &info, 1, 1);
        return info == 0;
    }
    unfold(j, &j->m, r->b);
    dggev_("N", "N", &n, r->a, &n, r->b, &n, r->re, r->im, r->beta, NULL, &one,
           NULL, &one, r->work, &r->size, &info, 1, 1);
    if (info != 0)
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

static double largest_singular(const Spectrum *p, Room *r)
{
    int n = (int)p->n, one = 1, info = 0;
    unfold(&p->jacobian, &p->jacobian.j, r->a);
    dgesvd_("N", "N", &n, &n, r->a, &n, r->beta, NULL, &one, NULL, &one,
            r->work, &r->size, &info, 1, 1);
    return info == 0 ? r->beta[0] : 0.0;
}

static void judge(const Room *r, int count, Features *f)
{
    int high = 0, turning = 0;
    for (int k = 0; k < count; k++)
        f->size = fmax(f->size, hypot(r->re[k], r->im[k]));
    for (int k = 0; k < count; k++) {
        double re = r->re[k], size = hypot(re, r->im[k]);
        if (size >= 0.5 * f->size && size > 0.0) {
            high++;
            turning += fabs(re) < 0.1 * size;
        }
        if (fabs(re) <= ZERO * f->size)
            continue;
        f->fastest = fmax(f->fastest, -re);
        f->growth = fmax(f->growth, re);
        if (f->slowest == 0.0 || fabs(re) < f->slowest)
            f->slowest = fabs(re);
    }
    f->oscillation = high > 0 ? (double)turning / high : 0.0;
}

/* Golub and Wilkinson: what is smaller could as well be anything else. */
static void find_invalid(const Spectrum *p, Room *r, int count, double accuracy,
                         Features *f)
{
    int invalid = 0;
    double e = accuracy > 0.0 ? accuracy : DBL_EPSILON;
    double border = largest_singular(p, r) * pow(e, 1.0 / (double)p->n);
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

/* A power iteration: what a vector grows by, and how much of that lies along
   the vector itself. The start has all directions, and is always the same. */
static Status iterate(Spectrum *p, Features *f)
{
    enum { FIRST = 20, MORE = 20 };
    size_t n = p->n;
    double grown = 0.0, along = 0.0;
    if (!vector_fit(&p->work, 2 * n * sizeof(double)))
        return STATUS_MEMORY;
    double *v = (double *)(void *)p->work.bytes, *y = v + n;
    for (size_t k = 0; k < n; k++)
        v[k] = (k % 2 ? -1.0 : 1.0) + 0.1 * sin((double)k);
    for (int i = 0; i < FIRST + MORE; i++) {
        double before = sqrt(product(v, v, n));
        if (before == 0.0 || !isfinite(before))
            break;
        for (size_t k = 0; k < n; k++)
            v[k] /= before;
        times(&p->jacobian, v, y);
        if (i >= FIRST) {
            grown += log(fmax(sqrt(product(y, y, n)), DBL_MIN)) / MORE;
            along += product(v, y, n) / MORE;
        }
        memcpy(v, y, n * sizeof *v);
    }
    f->size = exp(grown);
    f->fastest = fmin(f->size, fmax(0.0, -along));
    f->oscillation = fabs(along) < 0.1 * f->size ? 1.0 : 0.0;
    f->growth = f->invalid = NAN;
    return STATUS_OK;
}

/* ---- Finding -------------------------------------------------------------- */

Status spectrum_find(Spectrum *p, Solver *s, real t, const real *x,
                     const real *dx, double accuracy, Features *f)
{
    Room r;
    int count = 0;
    memset(f, 0, sizeof *f);
    if (s->n == 0)
        return STATUS_NUMBER;
    TRY(evaluate(p, s, t, x, dx));
    if (p->n > SPECTRUM_MOST)
        return iterate(p, f);
    TRY(make_room(p, &r));
    if (!eigenvalues(p, &r, &count))
        return STATUS_NUMBER;
    f->complete = true;
    judge(&r, count, f);
    if (accuracy >= 0.0)
        find_invalid(p, &r, count, accuracy, f);
    return isfinite(f->size) ? STATUS_OK : STATUS_NUMBER;
}

/* The smaller of the largest sums over a row and over a column. */
Status spectrum_bound(Spectrum *p, Solver *s, real t, const real *x,
                      const real *dx, double *bound)
{
    double by_column = 0.0, by_row = 0.0;
    TRY(evaluate(p, s, t, x, dx));
    const Jacobian *j = &p->jacobian;
    const real *value = (const real *)(const void *)j->j.bytes;
    const uint32_t *start = (const uint32_t *)(const void *)j->start.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)j->row.bytes;
    size_t n = p->n;
    if (!vector_fit(&p->work, n * sizeof(double)))
        return STATUS_MEMORY;
    double *sum = (double *)(void *)p->work.bytes;
    memset(sum, 0, n * sizeof *sum);
    for (size_t k = 0; k < n; k++) {
        double own = 0.0;
        size_t first = j->dense ? k * n : start[k];
        size_t behind = j->dense ? k * n + n : start[k + 1];
        for (size_t q = first; q < behind; q++) {
            double a = fabs((double)value[q]);
            own += a;
            sum[j->dense ? q - first : row[q]] += a;
        }
        by_column = fmax(by_column, own);
    }
    for (size_t k = 0; k < n; k++)
        by_row = fmax(by_row, sum[k]);
    *bound = fmin(by_column, by_row);
    return isfinite(*bound) ? STATUS_OK : STATUS_NUMBER;
}

Status spectrum_size(Spectrum *p, Solver *s, real t, const real *x,
                     const real *dx, double *size)
{
    Features f = {0};
    TRY(evaluate(p, s, t, x, dx));
    TRY(iterate(p, &f));
    *size = f.size;
    return isfinite(*size) ? STATUS_OK : STATUS_NUMBER;
}
