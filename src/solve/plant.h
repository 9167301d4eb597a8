#ifndef COSY_SOLVE_PLANT_H
#define COSY_SOLVE_PLANT_H

/* A linear system x' = A x + B u, y = C x + D u whose A is quasi-triangular (as
   lapack_schur leaves it), and what it answers to inputs: by frequency, and to
   steps. In that form an answer costs n^2 for each frequency, and no more than
   half of each product of matrices.

   Matrices are stored by columns. There is no precision here: everything is
   double. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct Plant {
    int n, inputs, outputs;
    double *a, *b, *c, *d;
    double *re, *im; // eigenvalues of A
} Plant;

typedef struct Gain {
    double re, im;
} Gain;

/* Matrices of zeros; false: no memory. */
bool plant_make(Plant *p, int n, int inputs, int outputs, Arena *a);
/* Brings any A into the form, B and C with it; q, n by n, becomes the
   transformation (or NULL). STATUS_NUMBER: no convergence. */
Status plant_shape(Plant *p, double *q, Arena *scratch);
/* B becomes q^T B and C becomes C q; `room` has n numbers. */
void plant_turn(Plant *p, const double *q, double *room);
/* C (i w - A)^-1 B + D, by columns; w may be infinite. Entries are not finite
   where i w is an eigenvalue. `room` has n numbers. */
void plant_gain(const Plant *p, double w, Gain *g, Gain *room);

/* What follows a step of each input at time 0 from rest: at the times t[k], k <
   count, y[(k inputs + input) outputs + output]. Two times in each octave, from
   `first` to `last`. */
typedef struct PlantSteps {
    size_t count;
    double *t, *y;
} PlantSteps;

bool plant_steps(const Plant *p, double first, double last, PlantSteps *s,
                 Arena *a);

#endif
