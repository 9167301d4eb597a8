#ifndef COSY_SOLVE_JACOBIAN_H
#define COSY_SOLVE_JACOBIAN_H

/* The matrices of an implicit method: J = df/dx and M of M x' = f, kept in one
   common pattern, and the iteration matrices c M - J made of them.

       jacobian_create    once
       jacobian_shape     when the number of states changed: the model's lists of
                          entries become patterns by columns; those of J, M and
                          the diagonal are united, or the matrix is full
                          (linear_prefers_dense)
       jacobian_mass      after every event: M
       jacobian_evaluate  J at a point: the model's own function, else its
                          tangent (exact columns), else differences. Columns
                          that share no row are found together (Curtis, Powell,
                          Reid 1974)
       jacobian_matrix    c M - J into the values of a Linear, real or complex

   J and M are in the image. Nothing but create and shape allocates. */

#include "solve/dense.h"
#include "solve/method.h"

#define Jacobian                COSY_NAME(Jacobian)
#define jacobian_create         COSY_NAME(jacobian_create)
#define jacobian_shape          COSY_NAME(jacobian_shape)
#define jacobian_mass           COSY_NAME(jacobian_mass)
#define jacobian_evaluate       COSY_NAME(jacobian_evaluate)
#define jacobian_matrix         COSY_NAME(jacobian_matrix)
#define jacobian_matrix_complex COSY_NAME(jacobian_matrix_complex)
#define jacobian_mass_times     COSY_NAME(jacobian_mass_times)
#define jacobian_free           COSY_NAME(jacobian_free)

typedef struct Jacobian {
    uint32_t n;
    size_t entries; // entries of the common pattern
    bool dense;     // all n * n of them
    bool repeated;  // derivatives by parameters repeat the pattern below itself
    bool has_mass;  // otherwise M = 1
    bool direct;    // the model's values are in the common order
    uint32_t colours;
    Vector start, row;     // common pattern by columns
    Vector diagonal;       // entry of each (j, j)
    Vector j_start, j_row; // the model's pattern of J, by columns
    Vector j_slot;         // entry of each of its places
    Vector j_entry;        // entry of each value, in the model's order
    Vector m_start, m_row; // the same for M
    Vector m_slot, m_entry;
    Vector list;    // scratch of jacobian_shape
    Vector colour;  // colour of each column, for tangents and differences
    Vector scratch; // reals: values in the model's order, two points, zeros
    Vector j, m;    // reals, in the image: values of the entries
} Jacobian;

Status jacobian_create(Jacobian *j, Solver *s);
Status jacobian_shape(Jacobian *j, Solver *s);
Status jacobian_mass(Jacobian *j, Solver *s, real t, const real *x);
/* f = f(t, x); weight as in solver_scale. */
Status jacobian_evaluate(Jacobian *j, Solver *s, real t, const real *x,
                         const real *f, const real *weight);
void jacobian_matrix(const Jacobian *j, real c, real *e);
void jacobian_matrix_complex(const Jacobian *j, Complex c, real *e);
/* y = M x, if has_mass. */
void jacobian_mass_times(const Jacobian *j, const real *x, real *y);
void jacobian_free(Jacobian *j);

#endif
