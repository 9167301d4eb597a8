#ifndef COSY_RUN_STALL_H
#define COSY_RUN_STALL_H

/* The bell for a run that does not get on, by counts of steps, never by clocks.

   Steps that reach the next instant of the calendar or of a SAMPLE are not
   counted: how often something happens is the model's wish. Of the others

       with an end   STALL_STEPS are looked at together. When the rest of the run
                     would take more than STALL_REST of their mean advance, the
                     step has not doubled over them, nor grows so that it gets
                     there, and all states stand nearly still meanwhile, the run
                     is held by something
       TO FINISH     STALL_STILL in which no state moves by more than its absolute
                     error, nothing happens and no condition draws nearer

   A state that moves although the end is that far off (an oscillation of which
   there are a billion periods to come) is somebody's wish: that is told once, as
   a warning, where no FINISH may end the run before. So are a fixed STEP and a
   DTMAX, and nothing is said of them here.

   In the last STALL_CLOSE steps everything is looked at closely: the range of each
   state, whose error was the largest, where the model had no value, what crossed.
   Until then a step costs a comparison.

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

typedef struct Run Run;

enum { STALL_STEPS = 10000, STALL_STILL = 100000, STALL_CLOSE = 2000 };
#define STALL_REST R(1e8)

typedef struct StallState {
    uint64_t steps, next; // counted in this window, and when to look
    uint64_t refused;     // of the solver, when the close look began
    uint64_t events;      // when the window began
    uint64_t crossings;   // in the close look
    real begin, early;    // time at the beginning, and after a first part of it
    real close;           // time when the close look began
    uint32_t n;           // states
    uint32_t culprit;     // whose error was the largest, most of the time
    uint32_t votes;       // by which it leads
    uint32_t condition;   // that crossed last, or COSY_NONE
    uint8_t closely;      // the close look is under way
    uint8_t told;         // that there is very much left to do
    uint8_t spare[6];
} StallState;

typedef struct Stall {
    StallState state;
    Vector
        range; // reals: of each state in this window the least and the largest
               // value, and the way it covered in steps that were looked at
} Stall;

/* What is known of a run that does not get on. */
typedef struct StallReport {
    uint64_t steps;     // in a row
    real advance;       // of all of them
    real step;          // mean of the last ones
    real rest;          // so many more would be needed; 0: there is no end
    uint32_t culprit;   // the state with the largest error, or COSY_NONE
    uint32_t condition; // that is crossed all the time, or COSY_NONE
    bool outside;       // trials left the domain of the equations
    bool wanted;        // STEP or DTMAX asks for such steps
} StallReport;

Status stall_create(Run *r);
/* After a step that was counted; `end` of the run, COSY_NEVER: not known. */
Status stall_look(Run *r, real end, bool crossed);
void stall_free(Stall *s);

#endif
