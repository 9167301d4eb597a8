#ifndef COSY_SOLVE_HISTORY_H
#define COSY_SOLVE_HISTORY_H

/* What the inputs of DELAY and PIPE were: the past of a run.

   Pieces. Every accepted step leaves the inputs of all delays at
   Chebyshev-Lobatto points between its ends, found on the method's dense
   output; a step whose inputs a polynomial through these points does not follow
   within the error allowed leaves two halves instead, and so on. In between,
   barycentric interpolation (Berrut, Trefethen, SIAM Review 46, 2004). A step
   ends at every event, so the values of both sides are kept.

   Breaks. The start of the run and every event are breaks: there an input may
   jump. What went in at a break comes out one delay later: a step ends there,
   the integrator begins anew, and that point is a break again, smoother by one
   level; breaks that are smoother than the method's order are let be. Between
   two breaks a delay reads the pieces between them only; a little beyond an end
   (in the last place, or at the trial points of a step that goes past it) it
   reads the polynomial of that end.

   Constant delays say when a break comes out. Of delays that vary it is found
   after the step, on the dense output, and the step is repeated to end there.

   Steps are no longer than the shortest delay, so that all that is asked for
   lies in the past; what does not is refused, which makes the step smaller.

   Order of calls:

       history_begin    at the start of a run
       history_instant  behind everything that happened at one instant
       history_limit    before a step: how far it may go
       history_turn     behind the method's step: ends it at a break
       history_step     when the step has its final length
       history_due      whether a break comes out at the present point
       history_pass     then: takes the delays over it

   Runs go forward in time. All of it is in the image but scratch. */

#include "base/image.h"
#include "solve/method.h"

#define History         COSY_NAME(History)
#define HistoryState    COSY_NAME(HistoryState)
#define HistoryBreak    COSY_NAME(HistoryBreak)
#define HistoryDelay    COSY_NAME(HistoryDelay)
#define history_create  COSY_NAME(history_create)
#define history_attach  COSY_NAME(history_attach)
#define history_begin   COSY_NAME(history_begin)
#define history_instant COSY_NAME(history_instant)
#define history_limit   COSY_NAME(history_limit)
#define history_turn    COSY_NAME(history_turn)
#define history_step    COSY_NAME(history_step)
#define history_due     COSY_NAME(history_due)
#define history_pass    COSY_NAME(history_pass)
#define history_check   COSY_NAME(history_check)
#define history_value   COSY_NAME(history_value)
#define history_rate    COSY_NAME(history_rate)
#define history_free    COSY_NAME(history_free)

typedef struct HistoryBreak {
    real t;
    uint32_t level; // 0: inputs may jump, 1: their derivative, ...
    uint32_t spare;
} HistoryBreak;

/* Of one delay. */
typedef struct HistoryDelay {
    real tau;      // at the present point
    real longest;  // so far
    uint32_t next; // the break that comes out next
    uint32_t varies;
} HistoryDelay;

typedef struct HistoryState {
    uint32_t points; // of a piece
    uint32_t spare;
    uint64_t first; // piece that is kept; those before it are forgotten
} HistoryState;

typedef struct History {
    const CosyModel *model;
    Cosy *c;
    Fault *fault;
    uint32_t delays;        // 0: there is nothing to do
    const uint32_t *memory; // row of each delay among the memories
    HistoryState state;
    Vector pieces;  // reals: begin, end, then `points` values per delay
    Vector breaks;  // of HistoryBreak, rising
    Vector delay;   // of HistoryDelay
    Vector scratch; // reals: inputs, delays, a point, the points of a piece
    size_t found;   // where the last search ended
} History;

Status history_create(History *h, Cosy *c, Arena *a, Image *image, Fault *f);
/* After image_load, and when the number of states has changed. */
Status history_attach(History *h);
Status history_begin(History *h, real t, real relerr);
/* With `event` something happened here that may make the inputs jump. */
Status history_instant(History *h, real t, const real *x, bool event);
Status history_limit(const History *h, real t, real *limit);
Status history_turn(History *h, Solver *s);
Status history_step(History *h, Solver *s);
bool history_due(const History *h, real t);
/* *level of the roughest break that came out. */
Status history_pass(History *h, real t, int order, uint32_t *level);

/* At a point where the model has failed: STATUS_OK, or a fault that says that a
   delay is the reason. */
Status history_check(History *h, real t, const real *x);

/* Input of a delay at time t, and its time derivative there. */
CosyStatus history_value(History *h, uint32_t delay, real t, real *value);
CosyStatus history_rate(History *h, uint32_t delay, real t, real *rate);
void history_free(History *h);

#endif
