#ifndef COSY_SOLVE_LAPACK_H
#define COSY_SOLVE_LAPACK_H

/* The few routines of LAPACK that are used, and the only access to it. It is
   linked as a static library in its reference form, which has no threads:
   eigenvalues of a few hundred states need none, and every processor computes
   the same numbers.

   Matrices are n by n, stored by columns, and are overwritten. `work` has
   lapack_room(n) doubles. False: the iteration did not converge. */

#include <stdbool.h>
#include <stddef.h>

void lapack_version(int v[3]);
size_t lapack_room(size_t n);
/* re + i im: eigenvalues of a. */
bool lapack_eigenvalues(int n, double *a, double *re, double *im, double *work);
/* (re + i im) / beta: those of a - lambda b; beta = 0: infinite. */
bool lapack_eigenvalues_of_pair(int n, double *a, double *b, double *re,
                                double *im, double *beta, double *work);
/* Singular values of a, the largest one first. */
bool lapack_singular_values(int n, double *a, double *value, double *work);
/* The same with eigenvectors by columns: left^H a = lambda left^H, a right =
   lambda right. A complex pair takes two columns, one for the real parts and one
   for the imaginary parts, of the eigenvalue with im > 0. */
bool lapack_modes(int n, double *a, double *re, double *im, double *left,
                  double *right, double *work);
bool lapack_modes_of_pair(int n, double *a, double *b, double *re, double *im,
                          double *beta, double *left, double *right,
                          double *work);
/* a becomes s^-1 a s for a diagonal s that makes its rows about as large as its
   columns. */
bool lapack_scale(int n, double *a, double *s);
/* a becomes q^T a q, quasi-triangular: real eigenvalues and 2 by 2 blocks of
   complex pairs on its diagonal. */
bool lapack_schur(int n, double *a, double *q, double *re, double *im,
                  double *work);
/* Reorders that form: eigenvalues with select[k] != 0 come first. */
bool lapack_order(int n, const int *select, double *a, double *q, double *re,
                  double *im, double *work);
/* a x + x b = s c for quasi-triangular a (m by m) and b (n by n), which may be
   transposed; x replaces c, s <= 1 avoids overflow. lda, ldb, ldc: distances of
   columns. */
typedef struct LapackSylvester {
    bool a_transposed, b_transposed, minus; // minus: a x - x b
    int m, n;
    const double *a, *b;
    int lda, ldb, ldc;
    double *c, scale;
} LapackSylvester;
bool lapack_sylvester(LapackSylvester *s);
/* Eigenvalues of a symmetric matrix, the smallest first; its vectors replace
   it. */
bool lapack_symmetric(int n, double *a, double *value, double *work);
/* a = left diag(value) right, the largest value first. */
bool lapack_svd(int n, double *a, double *value, double *left, double *right,
                double *work);
/* Solves a x = b for `columns` columns; x replaces b. `pivot` has n places. */
bool lapack_solve(int n, double *a, int columns, double *b, int *pivot);

#endif
