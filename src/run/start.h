#ifndef COSY_RUN_START_H
#define COSY_RUN_START_H

/* The start of a run as a system of equations (section 11 of the language). Its
   unknowns are the states, after INITIAL. These should hold, in this order:

       the constraints of the model that are active
       conditions, INITCOND (a = b)
       rates, INITCOND X' = e
       values as written: STATEs by INITCOND or --set, STATEs that INITIAL
           assigns, ALGEBRs by INITCOND
       defaults: all other states keep 0, or their GUESS

   Where the first three hold already, nothing moves; an ALGEBR that does not
   have its value then gets it from a state with a default, if one is left.
   Otherwise rows are taken in that order as long as they do not depend on
   earlier ones, at a point near the start (start_choose.c); the others become
   guesses. What was taken is solved like an algebraic loop: by Newton's method,
   and if that fails along a path and from other points (start_solve.c). A note
   shows values that could not hold.

   A run without constraints, conditions, rates and INITCONDs of ALGEBRs is not
   touched. */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/model.h"

#define Run             COSY_NAME(Run)
#define Start           COSY_NAME(Start)
#define StartTarget     COSY_NAME(StartTarget)
#define start_is_needed COSY_NAME(start_is_needed)
#define start_go        COSY_NAME(start_go)
#define start_free      COSY_NAME(start_free)

typedef struct Run Run;

/* A value that was written for the start; index COSY_NONE: all elements. */
typedef struct StartTarget {
    uint32_t variable, index;
    real value;
    bool guess; // GUESS
} StartTarget;

typedef struct Start {
    Vector targets;    // StartTarget, in the order in which they were written
    Vector conditions; // uint32_t: numbers in `starts`
} Start;

bool start_is_needed(const Run *r);
/* After INITIAL: branches and algebraic values of the start as run_consistent
   leaves them, at states that satisfy all this. */
Status start_go(Run *r);
void start_free(Start *s);

#endif
