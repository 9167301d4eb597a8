#ifndef COSY_SOLVE_MATRICES_H
#define COSY_SOLVE_MATRICES_H

/* The model linearised at a point: deviations x, u, y from it obey

       x' = A x + B u,    y = C x + D u

   for the inputs and outputs of a LINEARIZE. The entries come from the model's
   own derivative (`linear`), in its units; eigenvalues and zeros from LAPACK, in
   double precision whatever the precision of the run.

       matrices_find      A, B, C, D at (t, x)
       matrices_poles_of  eigenvalues of A, the least damped first
       matrices_zeros     of one input and one output
       matrices_response  C (i w - A)^-1 B + D of one input, all outputs

   Memory comes from the arena; nothing has to be freed. */

#include "solve/dense.h"
#include "solve/method.h"

#define Matrices          COSY_NAME(Matrices)
#define Spots             COSY_NAME(Spots)
#define matrices_find     COSY_NAME(matrices_find)
#define matrices_poles_of COSY_NAME(matrices_poles_of)
#define matrices_zeros    COSY_NAME(matrices_zeros)
#define matrices_leave    COSY_NAME(matrices_leave)
#define matrices_response COSY_NAME(matrices_response)

enum { MATRICES_MOST = 1000 }; // states whose eigenvalues are found

/* Points of the complex plane. */
typedef struct Spots {
    uint32_t n;
    double *re, *im;
    bool known;
} Spots;

/* Row by row. */
typedef struct Matrices {
    uint32_t states, inputs, outputs;
    real *a, *b, *c, *d;
} Matrices;

/* STATUS_NUMBER: an entry is not a finite number, or s->cause has what the model
   says. */
Status matrices_find(Matrices *m, Solver *s, const CosyLinear *l, real t,
                     const real *x, Arena *arena);
/* For any n by n matrix, row by row. */
Status matrices_poles_of(const real *a, uint32_t n, Spots *p, Arena *arena);
/* Takes from the n by n matrix what it makes of `count` orthonormal vectors,
   which it then takes to 0. */
void matrices_leave(real *a, uint32_t n, const real *vector, uint32_t count);
/* Without zeros that are known p->known is false: the response is 0. */
Status matrices_zeros(const Matrices *m, uint32_t input, uint32_t output,
                      Spots *p, Arena *arena);
/* y has an element for each output; false: i w is an eigenvalue. `room` has
   n (n + 1) complex numbers, `pivot` n. */
bool matrices_response(const Matrices *m, uint32_t input, real w, Complex *y,
                       Complex *room, uint32_t *pivot);

#endif
