#ifndef COSY_SEARCH_OPTIMISE_H
#define COSY_SEARCH_OPTIMISE_H

/* The smallest or largest value of one number over n parameters, perhaps with bounds
   and constraints.

   A search has three parts. First NLopt (or Brent's method, for one parameter) looks
   for the optimum in DOUBLE, in parameters that are measured by their sizes. Then
   points around it are tried: they tell parameters without effect, noise, and whether
   a neighbour is better, in which case the search goes on there. Last, if the function
   is smooth enough, Newton's method on the conditions of Kuhn and Tucker, with
   differences, adds the digits that comparing values cannot give; all of that is done
   in `real`. In this way a parameter is found to about two thirds to four fifths of a
   precision's digits (DOUBLE 10, QUAD 24), where comparing values gives half of them.

   AUTO takes Brent's method for one parameter without constraints, SLSQP with
   constraints or with the trial's own derivatives, BOBYQA otherwise, and several
   starts for a global search.

   A parameter's size is its scale, the distance of its bounds, or its start; that of a
   logarithm is the logarithm of the bounds' quotient, or 1. The tolerance counts in
   these; if it is 0 it is the root of noise or rounding, and one of 1e-6 or more
   does without Newton's method.

   A trial that fails, or gives a number that is not finite, is a bad point and not the
   end. The same problem gives the same bits, whatever the number of threads.

   The answer belongs to the arena, but for its history: call search_forget. */

#include "search/trial.h"

#define BestProblem      COSY_NAME(BestProblem)
#define BestAnswer       COSY_NAME(BestAnswer)
#define BestMethod       COSY_NAME(BestMethod)
#define BestEnd          COSY_NAME(BestEnd)
#define best_find        COSY_NAME(best_find)
#define best_fault       COSY_NAME(best_fault)
#define best_method      COSY_NAME(best_method)
#define best_method_name COSY_NAME(best_method_name)
#define optimise_prepare COSY_NAME(optimise_prepare)

#define BEST_WORDS 2000

typedef enum BestMethod {
#define OPTIMISER_CHOICE(name, what)                             BEST_##name,
#define OPTIMISER(name, nlopt, reach, slopes, constraints, what) BEST_##name,
#include "base/optimisers.def"
#undef OPTIMISER
#undef OPTIMISER_CHOICE
    BEST_METHODS
} BestMethod;

typedef struct BestProblem {
    SearchTrial
        trial; // results: the objective, the inequalities, the equalities
    uint32_t n;
    uint32_t inequalities; // results that are to be <= 0
    uint32_t equalities;   // results that are to be = 0
    bool maximise;
    bool global;
    BestMethod method;
    const char *const *name;       // of the parameters, or NULL
    const char *objective;         // or NULL
    const char *const *constraint; // names, or NULL
    const real *start;             // or NULL where all have both bounds
    const real *low, *high;        // or NULL; infinite: no bound
    const real *scale;             // sizes, or NULL; 0: chosen
    const bool *logarithmic;       // by orders of magnitude; or NULL
    const real *constraint_scale;  // what counts as 1 in each, or NULL: 1
    real tolerance; // of parameters by their sizes, see above; 0: chosen
    real feasible;  // violation, by its scale, that counts as none; 0: 1e-6
    real noise;     // relative error of the results, if known; 0: found out
    size_t most;    // trials; 0: 500 (n + 2), global: 2000 (n + 1)
    uint64_t seed;
} BestProblem;

typedef enum BestEnd {
    BEST_FOUND,      // to the tolerance, in the interior or on constraints
    BEST_AT_BOUND,   // to the tolerance, with a parameter at a bound
    BEST_NOISE,      // as far as the noise of the objective allows
    BEST_PLATEAU,    // best, but the same value over some distance
    BEST_FLAT,       // the objective does not depend on the parameters
    BEST_UNBOUNDED,  // it improves without end
    BEST_INFEASIBLE, // the constraints are nowhere satisfied
    BEST_STUCK,      // a neighbour is better, but the method does not get there
    BEST_MOST,       // no trial is left
    BEST_FAILED,     // all trials fail, or give no finite numbers
    BEST_STOPPED
} BestEnd;

typedef struct BestAnswer {
    BestEnd end;
    bool found;        // there is a best point, feasible unless `violation` > 0
    BestMethod method; // that was used
    real *p;
    real value;       // the objective there
    real *constraint; // the results after the objective
    real violation;   // largest, by its scale
    signed char *at; // of each parameter: -1 at its lower bound, 1 at the upper
    bool *active;    // of each constraint
    bool *idle;      // of each parameter: no effect on any result
    real *error;     // how well each parameter is known; NaN: not known
    real noise;      // of the objective, absolute; NaN: not known
    bool polished;   // Newton's method has finished the search
    bool sloped;     // with derivatives of the trial's own
    size_t trials, failures, infinite;
    SearchHistory history;
    char words[BEST_WORDS];  // why it ended, in whole sentences
    char remark[BEST_WORDS]; // of these, what the other members do not show
} BestAnswer;

/* What is impossible about the problem, in `text`, or NULL. */
const char *best_fault(const BestProblem *q, char text[BEST_WORDS]);

/* STATUS_OK however the search ended, as `end` says; STATUS_MEMORY; or
   STATUS_UNSUPPORTED with a fault: NLopt is not there. Needs: a problem without
   fault. */
Status best_find(const BestProblem *q, Arena *a, BestAnswer *answer, Fault *f);

/* A method by its name, in any case of letters; BEST_METHODS: there is none. */
BestMethod best_method(const char *name);
const char *best_method_name(BestMethod m);

/* Loads NLopt for good, for processes that will not be allowed to open its file later.
   Otherwise best_find loads it when it first needs it. */
Status optimise_prepare(Fault *f);

#endif
