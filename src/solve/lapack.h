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

#endif
