#ifndef COSY_SEARCH_LEAST_H
#define COSY_SEARCH_LEAST_H

/* Parameters for which predictions come nearest to measured values, and what the
   values say about the parameters.

   Datum k is y[k]; the trial's result k is its prediction. The standard deviation of
   the datum is sigma[k] (a weight w is a sigma of 1 / sqrt(w)), and times exp(result
   m + k) if the problem is `noisy`, and times the level of its group if it has one.
   Levels are not parameters: at every point each takes the value that is best there.
   groups = 0 says that all sigma are known; groups = 1 without `group` says that they
   are known but for a common factor, which is what least squares without known errors
   assumes.

   What is made small is the negative logarithm of the likelihood of normal errors,

       sum of  ln (sd sqrt (2 pi)) + rho^2 / 2,   rho = (y - prediction) / sd,

   and the same term of each prior. For known errors, and for one common factor without
   priors, that is the weighted sum of squares.

   The method is that of Gauss and Newton (Fisher's scoring where deviations depend on
   parameters) within a trust region: More, The Levenberg-Marquardt algorithm, Lecture
   Notes in Mathematics 630, 1978, with singular values instead of his triangular
   matrices, and with bounds, which hold at every trial. Derivatives are the trial's, or
   differences: one-sided first, central ones before the end. A trial that fails or
   gives numbers that are not finite shortens the step.

   The search ends when the step of Gauss and Newton changes no parameter by more than
   the tolerance, relative to its size; with the tolerance 0 it goes on until the steps
   no longer shrink: to what the precision, or the noise of the trial, allows.
   Where a direction has next to no influence the step within it does not count; the
   answer names it.

   With `starts` > 1 the search begins there as well, on points of a plan within
   the bounds (the first start is `start`, if there is one). Searches go side by side, a
   fixed number at a time, and their trials are asked for together, so that answers do
   not depend on the number of threads.

   The answers belong to the arena, but for their histories: call search_forget. */

#include "search/points.h"
#include "search/trial.h"

#define LeastProblem     COSY_NAME(LeastProblem)
#define LeastPrior       COSY_NAME(LeastPrior)
#define LeastAnswer      COSY_NAME(LeastAnswer)
#define LeastEnd         COSY_NAME(LeastEnd)
#define LeastStart       COSY_NAME(LeastStart)
#define LeastOptimum     COSY_NAME(LeastOptimum)
#define LeastSide        COSY_NAME(LeastSide)
#define LeastCurve       COSY_NAME(LeastCurve)
#define LeastProfile     COSY_NAME(LeastProfile)
#define LeastProfilePlan COSY_NAME(LeastProfilePlan)
#define least_fault      COSY_NAME(least_fault)
#define least_find       COSY_NAME(least_find)
#define least_profile    COSY_NAME(least_profile)

#define LEAST_WORDS 3000

/* The group of a datum whose sigma is known. */
#define LEAST_KNOWN UINT32_MAX

/* A normal distribution of the parameter, or of its natural logarithm. In both cases
   its density is that of the scale it is normal on. */
typedef struct LeastPrior {
    real mean, sd; // sd = 0: there is none
    bool logarithmic;
} LeastPrior;

typedef struct LeastProblem {
    SearchTrial trial; // results: m predictions, then m logarithms if noisy
    uint32_t n, m;
    bool noisy;
    const char *const *name;       // of the parameters, or NULL
    const real *start;             // or NULL where all have both bounds
    const real *low, *high;        // or NULL; infinite: no bound
    const real *scale;             // sizes, or NULL; 0: chosen
    const bool *logarithmic;       // by orders of magnitude; or NULL
    const LeastPrior *prior;       // one per parameter, or NULL
    const real *y;                 // m data
    const real *sigma;             // m positive numbers, or NULL: 1
    const uint32_t *group;         // m groups or LEAST_KNOWN, or NULL: all 0
    uint32_t groups;               // 0: all sigma are known
    const char *const *group_name; // or NULL
    uint32_t starts;               // 0: 1
    PointKind spread;              // of the starts
    uint64_t seed;
    real tolerance; // of parameters by their sizes; 0: all digits
    real noise;     // relative error of the results, if known; 0: found out
    size_t most;    // trials of each start; 0: 400 (n + 1)
} LeastProblem;

typedef enum LeastEnd {
    LEAST_FOUND,    // to the tolerance, in the interior
    LEAST_AT_BOUND, // to the tolerance, with a parameter at a bound
    LEAST_FLAT,     // the same, but the data leave a direction open
    LEAST_ENDLESS,  // it improves ever less while parameters grow without end
    LEAST_STUCK,    // the slopes promise more than any step holds
    LEAST_MOST,     // no trial is left
    LEAST_FAILED,   // trials fail at the start, or all around
    LEAST_STOPPED
} LeastEnd;

/* Where one of several starts led. */
typedef struct LeastStart {
    const real *from, *to; // n numbers each
    LeastEnd end;
    real value;       // at `to`; NaN: the start failed
    uint32_t optimum; // its number, or UINT32_MAX: it led to none
    uint32_t steps;
    size_t trials;
} LeastStart;

/* A place where starts ended in, best first. */
typedef struct LeastOptimum {
    const real *p;
    real value;
    uint32_t times;
} LeastOptimum;

/* Errors, correlations and intervals are those of the linear theory at the optimum: the
   inverse of Fisher's matrix, with levels estimated with the degrees of freedom that
   the parameters leave. They leave out parameters at bounds. Those of a logarithmic
   parameter are found for its logarithm: the interval is carried over, the error is
   that of the parameter to first order, correlations are those of the logarithm. */
typedef struct LeastAnswer {
    LeastEnd end;
    bool found;      // there is a best point
    real *p;         // n
    signed char *at; // n: -1 at the lower bound, 1 at the upper one
    real value;      // nll + that of the priors
    real nll;        // negative logarithm of the likelihood of the data
    real
        squares; // sum of ((y - prediction) / sigma)^2, sigma as given (1: plain)
    real freedom; // data that count less parameters that were fitted
    real scale;   // sqrt (squares / freedom); NaN without freedom
    real r2;  // 1 - squares / those about the weighted mean; NaN: y constant
    real rms; // of y - prediction
    real *prediction, *residual; // m: residual = y - prediction
    real *sd;                    // m: of each datum, levels included
    real *rho;                   // m: residual / sd
    real *level;                 // of each group, with its degrees of freedom
    bool *floored; // of each group: its residuals are zero but for rounding

    real *error;       // n: standard errors; NaN: at a bound, or not determined
    real *correlation; // n * n; NaN likewise
    real *low, *high;  // n: 95 % intervals; NaN likewise
    real quantile;     // the 97.5 % quantile (Student's or normal) in use

    /* Fisher's matrix for relative changes of the parameters (by their sizes, or
       logarithms): its eigenvalues, greatest first, and directions[k * n + i]. The
       standard deviation of the data's knowledge along direction k is 1 / sqrt
       (eigenvalue[k]). Parameters at bounds have none: NaN in the last ones. */
    real *eigenvalue, *direction;
    uint32_t open; // directions about which the data say nothing
    uint32_t weak; // those known to no better than 100 %, without the open ones
    bool *idle;    // n: the parameter has no effect on any result
    bool *determined; // n: is in no open direction
    real offset; // what is left to go: the last step by the standard errors

    real noise;     // relative, of the results: at least rounding
    uint32_t steps; // accepted, of the best start
    size_t trials, failures, infinite; // of all starts
    uint32_t starts, optima;
    LeastStart *start;     // in their order
    LeastOptimum *optimum; // best first
    SearchHistory history; // value: as above, of each trial; it has no results
    char words[LEAST_WORDS];   // why it ended and what it found, in sentences
    char remark[LEAST_WORDS];  // of these, what the other members do not show
    char verdict[LEAST_WORDS]; // which parameters the data determine; "": all
} LeastAnswer;

/* What is impossible about the problem, in `text`, or NULL. */
const char *least_fault(const LeastProblem *q, char text[LEAST_WORDS]);

/* STATUS_OK however the search ended, as `end` says; STATUS_MEMORY. Needs: a problem
   without fault. */
Status least_find(const LeastProblem *q, Arena *a, LeastAnswer *answer);

/* ---- Profiles -------------------------------------------------------------------- */

/* How one side of a profile ends. */
typedef enum LeastSide {
    LEAST_SIDE_CROSSED, // at the threshold: the interval ends there
    LEAST_SIDE_BOUND,   // at a bound, below the threshold
    LEAST_SIDE_OPEN,    // nowhere: the curve stays below it however far
    LEAST_SIDE_FAILED,  // where trials fail
    LEAST_SIDE_MOST,    // where no trial was left
    LEAST_SIDE_STOPPED
} LeastSide;

/* How much worse the best fit becomes when one parameter is held elsewhere. */
typedef struct LeastCurve {
    uint32_t parameter;
    size_t points;
    real *at;       // ascending, the optimum among them
    real *rise;     // value there less the answer's
    real *p;        // points * n: all parameters
    real threshold; // rise at which the interval ends
    real low, high; // the interval: infinite or the bound where it is open
    LeastSide side[2];
    bool better; // the profile came upon a better fit than the answer
} LeastCurve;

typedef struct LeastProfile {
    uint32_t count;
    LeastCurve *curve;
    bool better;
    real *best,
        best_value; // the best fit that was come upon, the answer included
    size_t trials, failures;
    SearchHistory history;
    char words[LEAST_WORDS];
} LeastProfile;

/* Profiles of `count` parameters (which[0] ..., or NULL: all), side by side. The
   threshold is that of the likelihood, 1.92; where one common factor of the errors was
   estimated, that of Student's distribution with its degrees of freedom, so that for
   linear predictions the interval is that of the answer. `most`: trials of each side;
   0: 100 (n + 1). `answer` has to be `found`. */
typedef struct LeastProfilePlan {
    const uint32_t *which; // or NULL: all
    uint32_t count;
    size_t most;
} LeastProfilePlan;

Status least_profile(const LeastProblem *q, const LeastAnswer *answer,
                     const LeastProfilePlan *plan, Arena *a,
                     LeastProfile *profile);

#endif
