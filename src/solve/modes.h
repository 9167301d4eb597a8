#ifndef COSY_SOLVE_MODES_H
#define COSY_SOLVE_MODES_H

/* The modes of a linear system M x' = A x, and which states carry them. The share of
   a state in a mode is its participation factor (Perez-Arriaga, Verghese and
   Schweppe, IEEE Trans. PAS 101, 1982): the product of what the mode is in that
   state and what that state puts into the mode. It does not depend on the units of
   the states, and the shares of a mode add up to 1.

   Matrices are stored by columns and are overwritten. There is no precision here:
   everything is double. */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct Modes {
    size_t states, count; // finite eigenvalues
    double *re, *im;
    double *share; // [mode * states + state]
} Modes;

/* m: NULL for the unit matrix. False: no memory, or no convergence. */
bool modes_find(Modes *s, size_t n, double *a, double *m, Arena *arena);

/* Eigenvalues up to this size could be any other of this size if entries of `a` are
   known with the relative accuracy e: sigma e^(1/n), with the largest singular value
   sigma (Golub and Wilkinson, SIAM Review 18, 1976). Negative: not known. `work` has
   room for n + lapack_room(n). */
double modes_border(size_t n, double *a, double e, double *work);

enum { MODE_CARRIERS = 3 }; // the most that are named for a mode

typedef struct ModeCarrier {
    size_t state;
    double share;
} ModeCarrier;

/* The states that carry a mode, the greatest share first; those below a tenth are
   left out unless they are the first. Returns how many. */
size_t modes_carriers(const Modes *s, size_t mode, ModeCarrier *list);

#endif
