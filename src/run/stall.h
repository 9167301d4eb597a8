#ifndef COSY_RUN_STALL_H
#define COSY_RUN_STALL_H

/* Detects a run that makes no progress, by counting steps, never by the clock.

   Steps that reach the next instant of the calendar or of a SAMPLE are not
   counted: how often something happens is up to the model. The others are
   judged like this:

       with an end   STALL_STEPS are judged together. If the rest of the run
                     would take more than STALL_REST of their mean advance, the
                     step has neither doubled over them nor grows fast enough to
                     get there, and all states stand nearly still meanwhile,
                     something holds the run up
       TO FINISH     STALL_STILL in which no state moves by more than its absolute
                     error, nothing happens and no condition draws nearer

   A state that moves although the end is that far off (an oscillation with a
   billion periods to come) may be intended: a single note says so, unless a
   FINISH may end the run earlier. A fixed STEP and a DTMAX are intended too,
   and nothing is said about them here.

   The last STALL_CLOSE steps are examined closely: the range of each state,
   which one had the largest error, where the model had no value, what crossed.
   Until then a step costs one comparison.

       stall_create   once per run
       stall_look     after steps that were counted, when `next` is reached
       stall_free */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"

#define Run          COSY_NAME(Run)
#define StallState   COSY_NAME(StallState)
#define Stall        COSY_NAME(Stall)
#define StallReport  COSY_NAME(StallReport)
#define stall_create COSY_NAME(stall_create)
#define stall_look   COSY_NAME(stall_look)
#define stall_free   COSY_NAME(stall_free)
#define stall_forget COSY_NAME(stall_forget)

typedef struct Run Run;

enum { STALL_STEPS = 10000, STALL_STILL = 100000, STALL_CLOSE = 2000 };
#define STALL_REST R(1e8)

typedef struct StallState {
    uint64_t steps, next; // counted in this window, and when to look
    uint64_t refused;   // refused steps of the solver when the close look began
    uint64_t events;    // events when the window began
    uint64_t crossings; // in the close look
    real begin, early;  // time when the window began, and after its first part
    real close;         // time when the close look began
    uint32_t n;         // states
    uint32_t culprit;   // the state whose error is largest most of the time
    uint32_t votes;     // votes by which it leads
    uint32_t condition; // the condition that crossed last, or COSY_NONE
    uint8_t closely;    // the close look is under way
    uint8_t told;       // the note about a very long rest has been given
    uint8_t spare[6];
} StallState;

typedef struct Stall {
    StallState state;
    /* Reals, for each state in this window: the least and the largest value,
       and the distance covered in the steps that were examined. */
    Vector range;
} Stall;

/* What is known about a run that makes no progress. */
typedef struct StallReport {
    uint64_t steps;     // in a row
    real advance;       // over all of them
    real step;          // mean of the last ones
    real rest;          // how many more would be needed; 0: there is no end
    uint32_t culprit;   // the state with the largest error, or COSY_NONE
    uint32_t condition; // the one crossed all the time, or COSY_NONE
    bool outside;       // trials left the domain of the equations
    bool wanted;        // STEP or DTMAX asks for such steps
} StallReport;

Status stall_create(Run *r);
/* To be called after a step that was counted; `end` is the end of the run,
   COSY_NEVER if not known. */
Status stall_look(Run *r, real end, bool crossed);
/* The states are others now: a new window begins with the next step. */
void stall_forget(Stall *s);
void stall_free(Stall *s);

#endif
