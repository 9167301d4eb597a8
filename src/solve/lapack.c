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
