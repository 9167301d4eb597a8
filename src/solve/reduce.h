#ifndef COSY_SOLVE_REDUCE_H
#define COSY_SOLVE_REDUCE_H

/* A linear system with fewer states that answers to its inputs almost as the full
   one does (VI.5 of the 1979 text asks for models that are no richer than their
   data).

   What does not decay (eigenvalues with a real part of zero or more) is kept as it
   is: no state of that part can be left out with a bounded error. The rest is
   brought into the form in which each state is as easily moved by the inputs as it
   is seen in the outputs (Moore, IEEE Trans. AC 26, 1981); its Hankel singular
   values say how much. States with small ones are set to where they come to rest
   (Fernando and Nicholson, IEEE Trans. AC 27, 1982): this keeps the gains at rest,
   and the error of the gain at every frequency is at most twice the sum of the
   values that were left out (Liu and Anderson, Int. J. Control 50, 1989).

   Inputs and outputs have units of their own. So everything is found for inputs and
   outputs divided by sizes that make all gains, each at its greatest, as close to 1
   as possible: what is left out does not depend on units.

   The reduced system is then compared with the full one: gains over all
   frequencies, what follows steps over all times, each relative to the greatest of
   its pair of input and output.

   There is no precision here: everything is double. */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

enum { REDUCE_MOST = 300, REDUCE_FREE = -1 };

/* Row by row. */
typedef struct LinearSystem {
    uint32_t states, inputs, outputs;
    double *a, *b, *c, *d;
} LinearSystem;

typedef struct ReduceWish {
    int states;      // REDUCE_FREE: as few as `accuracy` allows
    double accuracy; // relative; > 0
} ReduceWish;

/* The greatest difference, relative, and where it is. */
typedef struct ReduceMiss {
    double size;
    double at; // a frequency (which may be infinite), or a time
    uint32_t input, output;
} ReduceMiss;

typedef enum ReduceEnd {
    REDUCE_FOUND,
    REDUCE_TOO_FEW, // states were asked for than do not decay: `lasting`
    REDUCE_FAILED   // LAPACK's iterations did not converge
} ReduceEnd;

typedef struct Reduction {
    ReduceEnd end;
    LinearSystem small;
    uint32_t lasting; // states that do not decay: the first of `small`
    double *hankel;   // of the others, for inputs and outputs of size 1
    uint32_t hankels; // greatest first
    double bound;     // of gain.size
    ReduceMiss gain, step;
    double *re, *im; // eigenvalues of `small`
} Reduction;

/* STATUS_MEMORY or STATUS_OK. There are states, inputs and outputs, and no more than
   REDUCE_MOST states. */
Status reduce_linear(const LinearSystem *full, const ReduceWish *wish,
                     Reduction *r, Arena *a);

#endif
