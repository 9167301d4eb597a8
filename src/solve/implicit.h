#ifndef COSY_SOLVE_IMPLICIT_H
#define COSY_SOLVE_IMPLICIT_H

/* Shared by the implicit one-step methods (radau.c, dirk.c): how a trial step
   may end, what is tried next, and what is reported when nothing is left to
   try.

       implicit_propose   before a step: a first h, or one that is not too small
       implicit_fit       shortens or stretches h so that steps end on the limit
       implicit_length    what stages and matrices take for h
       implicit_retry     after a failed trial: another h, or a better Jacobian
       implicit_give_up   reports a step that cannot be made
       implicit_end       sets the far end of a step */

#include "solve/method.h"

#define ImplicitTrials   COSY_NAME(ImplicitTrials)
#define implicit_propose COSY_NAME(implicit_propose)
#define implicit_fit     COSY_NAME(implicit_fit)
#define implicit_length  COSY_NAME(implicit_length)
#define implicit_retry   COSY_NAME(implicit_retry)
#define implicit_status  COSY_NAME(implicit_status)
#define implicit_give_up COSY_NAME(implicit_give_up)
#define implicit_end     COSY_NAME(implicit_end)

/* How a trial step ended. */
typedef enum Trial {
    TRIAL_DONE,
    TRIAL_LARGE,    // error above the tolerance
    TRIAL_SLOW,     // Newton does not converge, or too slowly
    TRIAL_BROKEN,   // the model failed, or numbers are not finite
    TRIAL_SINGULAR, // singular iteration matrix; column in solver->culprit
    TRIAL_MEMORY
} Trial;

/* The trials of one step. */
typedef struct ImplicitTrials {
    real h;            // length of the next trial
    real shrink;       // proposal after a failed one: h times this
    unsigned singular; // how many were singular
    bool has_jacobian; // there is a Jacobian
    bool fresh;        // it belongs to the near end
    Status why;        // why the model failed
} ImplicitTrials;

/* `order` is that of the error estimate; scratch has 2 n reals. */
Status implicit_propose(Solver *s, int order, real limit, real *scratch);
real implicit_fit(const Solver *s, real h, real limit);
/* The matrices hold 1/h. Next to TIME = 0 what is left of a span may be so short
   that 1/h is no number; a somewhat longer h changes nothing that a state could
   show. */
real implicit_length(real h);
/* False: there is nothing left to try. A Jacobian that is not fresh must be
   evaluated again in either case. */
bool implicit_retry(Solver *s, ImplicitTrials *t, Trial trial);
Status implicit_status(Trial trial, Status why);
Status implicit_give_up(Solver *s, Trial trial, Status why);
void implicit_end(Solver *s, real t, const real *x, const real *dx);

#endif
