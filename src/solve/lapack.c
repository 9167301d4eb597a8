#include "solve/lapack.h"

#include <assert.h>
#include <string.h>

/* The lengths of the texts come last. */
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

void dgebal_(const char *job, const int *n, double *a, const int *lda, int *low,
             int *high, double *scale, int *info, size_t);
/* The choice of eigenvalues is not called for without sorting. */
typedef int Choice(const double *re, const double *im);
void dgees_(const char *vectors, const char *sort, Choice *choice, const int *n,
            double *a, const int *lda, int *chosen, double *re, double *im,
            double *q, const int *ldq, double *work, const int *size, int *room,
            int *info, size_t, size_t);
void dtrsen_(const char *job, const char *vectors, const int *select,
             const int *n, double *t, const int *ldt, double *q, const int *ldq,
             double *re, double *im, int *m, double *s, double *separation,
             double *work, const int *size, int *iwork, const int *isize,
             int *info, size_t, size_t);
void dtrsyl_(const char *trana, const char *tranb, const int *sign,
             const int *m, const int *n, const double *a, const int *lda,
             const double *b, const int *ldb, double *c, const int *ldc,
             double *scale, int *info, size_t, size_t);
void dsyev_(const char *job, const char *half, const int *n, double *a,
            const int *lda, double *w, double *work, const int *size, int *info,
            size_t, size_t);
void dgesv_(const int *n, const int *columns, double *a, const int *lda,
            int *pivot, double *b, const int *ldb, int *info);

static const int one = 1;

void ilaver_(int *major, int *minor, int *patch);

void lapack_version(int v[3])
{
    ilaver_(&v[0], &v[1], &v[2]);
}

size_t lapack_room(size_t n)
{
    return 34 * n + 64;
}

static int room(int n)
{
    assert(n >= 0);
    return (int)lapack_room((size_t)n);
}

bool lapack_eigenvalues(int n, double *a, double *re, double *im, double *work)
{
    int info = 0, size = room(n);
    dgeev_("N", "N", &n, a, &n, re, im, NULL, &one, NULL, &one, work, &size,
           &info, 1, 1);
    return info == 0;
}

bool lapack_eigenvalues_of_pair(int n, double *a, double *b, double *re,
                                double *im, double *beta, double *work)
{
    int info = 0, size = room(n);
    dggev_("N", "N", &n, a, &n, b, &n, re, im, beta, NULL, &one, NULL, &one,
           work, &size, &info, 1, 1);
    return info == 0;
}

bool lapack_singular_values(int n, double *a, double *value, double *work)
{
    int info = 0, size = room(n);
    dgesvd_("N", "N", &n, &n, a, &n, value, NULL, &one, NULL, &one, work, &size,
            &info, 1, 1);
    return info == 0;
}

/* ---- Modes ---------------------------------------------------------------------- */

bool lapack_modes(int n, double *a, double *re, double *im, double *left,
                  double *right, double *work)
{
    int info = 0, size = room(n);
    dgeev_("V", "V", &n, a, &n, re, im, left, &n, right, &n, work, &size, &info,
           1, 1);
    return info == 0;
}

bool lapack_modes_of_pair(int n, double *a, double *b, double *re, double *im,
                          double *beta, double *left, double *right,
                          double *work)
{
    int info = 0, size = room(n);
    dggev_("V", "V", &n, a, &n, b, &n, re, im, beta, left, &n, right, &n, work,
           &size, &info, 1, 1);
    return info == 0;
}

/* ---- Forms of a matrix ------------------------------------------------------------ */

bool lapack_scale(int n, double *a, double *s)
{
    int info = 0, low, high;
    dgebal_("S", &n, a, &n, &low, &high, s, &info, 1);
    return info == 0;
}

bool lapack_schur(int n, double *a, double *q, double *re, double *im,
                  double *work)
{
    int info = 0, size = room(n), chosen = 0, none = 0;
    dgees_("V", "N", NULL, &n, a, &n, &chosen, re, im, q, &n, work, &size,
           &none, &info, 1, 1);
    return info == 0;
}

bool lapack_order(int n, const int *select, double *a, double *q, double *re,
                  double *im, double *work)
{
    int info = 0, size = room(n), chosen = 0, none = 0;
    double s, separation;
    dtrsen_("N", "V", select, &n, a, &n, q, &n, re, im, &chosen, &s,
            &separation, work, &size, &none, &one, &info, 1, 1);
    return info == 0;
}

/* info = 1: a and b have eigenvalues so close that they were moved apart. */
bool lapack_sylvester(LapackSylvester *s)
{
    int info = 0, sign = s->minus ? -1 : 1;
    dtrsyl_(s->a_transposed ? "T" : "N", s->b_transposed ? "T" : "N", &sign,
            &s->m, &s->n, s->a, &s->lda, s->b, &s->ldb, s->c, &s->ldc,
            &s->scale, &info, 1, 1);
    return info >= 0 && s->scale > 0.0;
}

bool lapack_symmetric(int n, double *a, double *value, double *work)
{
    int info = 0, size = room(n);
    dsyev_("V", "U", &n, a, &n, value, work, &size, &info, 1, 1);
    return info == 0;
}

bool lapack_svd(int n, double *a, double *value, double *left, double *right,
                double *work)
{
    int info = 0, size = room(n);
    dgesvd_("A", "A", &n, &n, a, &n, value, left, &n, right, &n, work, &size,
            &info, 1, 1);
    return info == 0;
}

bool lapack_solve(int n, double *a, int columns, double *b, int *pivot)
{
    int info = 0;
    dgesv_(&n, &columns, a, &n, pivot, b, &n, &info);
    return info == 0;
}

/* ---- What LAPACK calls ------------------------------------------------------ */

/* Fortran refers to its functions by these names. */
void xerbla_(const char *routine, const int *argument, size_t length);
void _gfortran_concat_string(size_t length, char *to, size_t n1, const char *s1,
                             size_t n2, const char *s2);

/* Called for a wrong argument. LAPACK's own version prints and stops the
   process; after this one the routine returns with a negative `info`. */
void xerbla_(const char *routine, const int *argument, size_t length)
{
    (void)routine, (void)argument, (void)length;
}

/* s1 // s2 with blanks to its right: the only function that the routines need
   from Fortran's library. */
void _gfortran_concat_string(size_t length, char *to, size_t n1, const char *s1,
                             size_t n2, const char *s2)
{
    size_t first = n1 < length ? n1 : length;
    size_t second = n2 < length - first ? n2 : length - first;
    memset(to, ' ', length);
    memcpy(to, s1, first);
    memcpy(to + first, s2, second);
}
