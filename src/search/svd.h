#ifndef COSY_SEARCH_SVD_H
#define COSY_SEARCH_SVD_H

/* Singular values of small full matrices, by one-sided rotations (Hestenes 1958;
   Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13, 1992): short, accurate in every
   precision, and it says what a singular matrix leaves open.

   A matrix has m rows and n <= m columns and is stored by columns. svd_make replaces
   it by the left vectors (columns of length 1, or zero where the singular value is
   zero), and fills `value` (n numbers, largest first) and `right` (n by n, by
   columns). All entries must be finite. */

#include "cosy/real.h"

#define svd_make    COSY_NAME(svd_make)
#define vector_norm COSY_NAME(vector_norm)

void svd_make(uint32_t m, uint32_t n, real *a, real *value, real *right);

/* The length of a vector. */
real vector_norm(uint32_t n, const real *x);

#endif
