#ifndef COSY_RUN_CARRIED_H
#define COSY_RUN_CARRIED_H

/* Derivatives by parameters, carried along with a run: what happens to them at events.

   Between events companions are STATEs like others, S = dx/dp at a fixed time. At an
   instant that a condition z(t, x, p) = 0 has made, the time itself depends on p:

       tau = dt/dp = -(z_x S + z_p)/(z_x f- + z_t)

   carried_enter makes derivatives at the moving instant of all companions, S + f- tau,
   and puts tau where the bodies read it as the derivative of TIME. Then everything
   happens that has to happen, and each statement does the same to companions as to what
   they accompany. carried_leave goes back to a fixed time, with the rates that hold
   afterwards: S - f+ tau. Where no body assigns anything, that is S + (f- - f+) tau.

   Where FINISH ends the run at such a time, TERMINAL and the EXPERIMENT see
   derivatives at the moving end (carried_end): those of the final values.

   A derivative by p is lost, with a message, where it does not exist: a condition touches
   its threshold without crossing it (tau is infinite), events that depend on p in
   different ways happen at one instant (their order would change with p), events that
   accumulate end in a rest, a statement assigns what has no derivative (SQRT(X) where X
   is 0). From then on it has no value: rows have nan, final values null. Inside, its
   companions are 0 from there on and not a number after the run, so that the next run
   begins with a loss where it reads one.

   A time event that was scheduled for a time that depends on p brings its tau with it
   (carried_scheduled).

   Order of calls: carried_create once; carried_begin after INITIAL; carried_due,
   carried_enter and carried_leave at each instant; carried_end before TERMINAL,
   carried_resume if CONTN goes on; carried_close after the run. */

#include "base/image.h"
#include "base/status.h"
#include "cosy/model.h"

#define Run               COSY_NAME(Run)
#define Carried           COSY_NAME(Carried)
#define carried_create    COSY_NAME(carried_create)
#define carried_due       COSY_NAME(carried_due)
#define carried_scheduled COSY_NAME(carried_scheduled)
#define carried_enter     COSY_NAME(carried_enter)
#define carried_done      COSY_NAME(carried_done)
#define carried_leave     COSY_NAME(carried_leave)
#define carried_end       COSY_NAME(carried_end)
#define carried_begin     COSY_NAME(carried_begin)
#define carried_close     COSY_NAME(carried_close)
#define carried_resume    COSY_NAME(carried_resume)
#define carried_lose      COSY_NAME(carried_lose)
#define carried_is_lost   COSY_NAME(carried_is_lost)
#define carried_blank     COSY_NAME(carried_blank)
#define carried_each      COSY_NAME(carried_each)
#define carried_free      COSY_NAME(carried_free)

typedef struct Run Run;

typedef struct Carried {
    uint32_t n;         // parameters; 0: nothing is carried along
    uint8_t *lost;      // of each: its derivatives have ended (in the image)
    bool ended;         // FINISH: the end of the run moves with tau
    bool quiet;         // nothing has happened at this instant yet
    bool inside;        // between carried_enter and carried_leave
    uint32_t structure; // of the model when it was entered
    Vector tau;         // n reals
    Vector due;         // scratch: those of one event
    Vector slope;       // 2 n for each condition, as in condition_slopes
    Vector list;        // CosyCondition
    Vector before;      // companions before the instant,
    Vector shifted;     // and at it: what no body has changed is known better
    Vector rate;        // rates before the instant
    Vector shares;      // scratch of slides: derivatives of shares
} Carried;

/* With the places in x of a STATE and its companion. */
typedef void (*CarriedEach)(void *user, uint32_t sense, uint32_t of,
                            uint32_t companion);

Status carried_create(Run *r);
void carried_begin(Run *r);
void carried_each(const Run *r, CarriedEach each, void *user);
/* *moving: the time of the present instant depends on some parameter. The near row has
   to be recorded before: carried_enter changes companions. */
Status carried_due(Run *r, bool *moving);
Status carried_enter(Run *r);
/* A time event is about to happen, the near row has been recorded. */
Status carried_scheduled(Run *r, uint32_t event, uint32_t record);
/* After the body of an event. */
void carried_done(Run *r);
Status carried_leave(Run *r);
Status carried_end(Run *r);
Status carried_resume(Run *r);
void carried_close(Run *r);
/* All derivatives end here; `why` goes on "... ends at time 3: ". */
Status carried_lose(Run *r, const char *why);
/* Whether a row of the contract's table `variables` is a companion that is lost. */
bool carried_is_lost(const Run *r, uint32_t variable);
/* Empties the columns of a row that were lost. */
void carried_blank(const Run *r, real *row);
void carried_free(Run *r);

#endif
