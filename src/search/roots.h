#ifndef COSY_SEARCH_ROOTS_H
#define COSY_SEARCH_ROOTS_H

/* Parameters for which n results are zero.

   One equation: a change of sign is looked for (between the bounds, or from the start
   outwards), then narrowed down by Chandrupatla's method (inverse quadratic
   interpolation where it is safe, halving elsewhere) until the parameter cannot be
   told better. A pole also changes sign; it is told apart.

   Several: steps of Newton's method within a trust region. Where trials have derivatives
   of their own the Jacobian is theirs; else it is formed by differences, kept up to
   date by Broyden's formula, and formed anew where it no longer predicts well. Bounds hold at every trial. A point at which a trial fails shortens
   the step.

   The tolerance is that of each parameter, relative to its size (and to its scale where
   it is near zero); 0 asks for all digits that the precision has. `noise` is the
   relative error of the results, if it is known: differences are taken accordingly,
   and a residual within it counts as a root; 0: rounding.

   The answer belongs to the arena, but for its history: call search_forget. */

#include "search/trial.h"

#define RootProblem COSY_NAME(RootProblem)
#define RootAnswer  COSY_NAME(RootAnswer)
#define RootEnd     COSY_NAME(RootEnd)
#define roots_find  COSY_NAME(roots_find)
#define roots_fault COSY_NAME(roots_fault)

#define SEARCH_WORDS 1200

typedef struct RootProblem {
    SearchTrial trial; // n results
    uint32_t n;
    const char *const *name;     // of the parameters, or NULL
    const char *const *equation; // what is to be zero, such as "X - 2", or NULL
    const real *start;           // n numbers, or NULL: n = 1 with both bounds
    const real *low, *high;      // n numbers, or NULL; infinite: no bound
    const real *scale; // n sizes, or NULL; 0: the start's, or the bounds'
    real tolerance, noise;
    size_t most; // trials; 0: 200 (n + 1)
} RootProblem;

typedef enum RootEnd {
    ROOT_FOUND,
    ROOT_NO_SIGN_CHANGE, // one equation
    ROOT_POLE,           // one equation: the sign changes by a jump
    ROOT_SINGULAR,       // parameters act alike, or not at all
    ROOT_MINIMUM,        // the residual is smallest here, and not zero
    ROOT_AT_BOUND,       // only beyond a bound would it become smaller
    ROOT_MOST,           // no trial is left
    ROOT_FAILED,         // trials fail
    ROOT_STOPPED
} RootEnd;

typedef struct RootAnswer {
    RootEnd end;
    real *p;        // the best point
    real *residual; // F there
    real largest;   // max |F|
    real *error;    // how well each parameter is known; NaN: not known
    real
        condition; // of the scaled Jacobian at the end; n = 1: 1; NaN: not known
    real between[2]; // one equation: where the sign changes
    uint32_t steps;  // accepted
    bool sloped;     // the Jacobian is that of the trials' own derivatives
    size_t trials, failures;
    signed char *at; // -1: at the lower bound, 1: at the upper one
    SearchHistory history;
    char words[SEARCH_WORDS];  // why it ended, in whole sentences
    char remark[SEARCH_WORDS]; // of these, what the other members do not show
} RootAnswer;

/* What is impossible about the problem, in `text`, or NULL. */
const char *roots_fault(const RootProblem *q, char text[SEARCH_WORDS]);

/* STATUS_OK however the search ended, as `end` says; STATUS_MEMORY. Needs: a
   problem without fault. */
Status roots_find(const RootProblem *q, Arena *a, RootAnswer *answer);

#endif
