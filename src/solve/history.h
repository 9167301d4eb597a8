#ifndef COSY_SOLVE_HISTORY_H
#define COSY_SOLVE_HISTORY_H

/* The past of a run: the inputs of DELAY and PIPE.

   Pieces. Every accepted step leaves the inputs of all delays, and the lags of
   those that may vary, at Chebyshev-Lobatto points between its ends, found on
   the method's dense output. If a polynomial through these points does not
   follow the step within the error allowed, or within the last places of time,
   the step leaves two halves instead, and so on. In between, barycentric
   interpolation is used (Berrut, Trefethen, SIAM Review 46, 2004). A step ends
   at every event, so the values of both sides are kept. Pieces are kept as long
   as any point of the last step could ask for them: recording, conditions and
   event bodies look at all of it. A lag that may vary can also reach farther
   back than ever before: for its sake everything is kept, up to HISTORY_ROOM
   bytes.

   Breaks. The start of the run and every event are breaks: there an input may
   jump. What went in at a break comes out one lag later: a step ends there, the
   integrator restarts, and that point is another break, smoother by one level;
   breaks that are smoother than the method's order are ignored. Between two
   breaks a delay reads only the pieces between them: its era. While a step is
   made it reads its era's polynomials beyond their ends too, in the last place
   or at the trial points of a step that goes past them.

   With a constant lag it is known when a break comes out. A lag that varies may
   move over a break and back within a step: the point where it leaves its era
   is searched for in the pieces of the step before the step counts, and the
   step is repeated to end there.

   Lags shorter than the step. A step is no longer than the shortest lag while
   that costs little. If a lag is much shorter than the step that accuracy
   allows, or touches zero, the step reads what it is about to compute: at first
   it gets an extrapolation of the past, then the result of the previous
   attempt, until two attempts agree (Bellen, Zennaro: Numerical Methods for
   Delay Differential Equations, 2003, 3.3). Each repetition is a step with
   error control. Methods of SUNDIALS cannot repeat a step: theirs are no longer
   than the shortest lag.

   Copies. The delays of CONTINUOUS PROCESSes come and go with their copies, and
   with them the rows of all pieces. A copy that becomes active, by CREATE or by
   RESUME, has had its present input at all times before: that is a break, and
   up to when it comes out the delay reads `first`.

   The present. `now` of a delay is its input at the present point, after all
   that has happened there: this is what a lag of zero gives.

   Order of calls:

       history_begin    at the start of a run
       history_move     copies have come or gone
       history_settle   when equations and branches agree at a point at which
                        something happened: whether a lag of zero has now got
                        another value, so that they must agree once more
       history_instant  after everything that happens at one instant
       history_limit    before a step: how far it may go
       history_turn     after the method's step: repeats it where it must be,
                        and ends it at a break
       history_step     when the step has its final length
       history_drop     when there is no step after all
       history_return   when the run ends inside the step, and may go on there
       history_due      whether a break comes out at the present point
       history_pass     then: takes the delays over it

   Runs go forward in time. Everything except scratch is in the image. */

#include "base/image.h"
#include "solve/method.h"

#define History         COSY_NAME(History)
#define HistoryState    COSY_NAME(HistoryState)
#define HistoryBreak    COSY_NAME(HistoryBreak)
#define HistoryDelay    COSY_NAME(HistoryDelay)
#define history_create  COSY_NAME(history_create)
#define history_attach  COSY_NAME(history_attach)
#define history_begin   COSY_NAME(history_begin)
#define history_move    COSY_NAME(history_move)
#define history_instant COSY_NAME(history_instant)
#define history_limit   COSY_NAME(history_limit)
#define history_settle  COSY_NAME(history_settle)
#define history_drop    COSY_NAME(history_drop)
#define history_return  COSY_NAME(history_return)
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

/* The state of one delay. */
typedef struct HistoryDelay {
    real tau;         // lag at the present point
    real longest;     // longest lag so far
    real now;         // input at the present point
    real size;        // largest input so far
    real born;        // in a copy: when it became active
    real first;       // its input then, which is also what it was before
    uint32_t next;    // the break that comes out next
    uint16_t varies;  // has varied
    uint16_t returns; // has gone back over a break
} HistoryDelay;

typedef struct HistoryState {
    real now;          // time of HistoryDelay.now
    uint64_t first;    // first piece that is kept; earlier ones are forgotten
    uint32_t points;   // points of a piece
    uint32_t cuts;     // how often the next step may be cut
    uint32_t limited;  // consecutive steps that ended because of a short lag
    uint32_t patience; // how many it takes before a longer one is tried
} HistoryState;

typedef struct History {
    const CosyModel *model;
    Cosy *c;
    Fault *fault;
    bool able;              // the model has delays, if only in copies
    uint32_t delays;        // 0: there is nothing to do
    uint32_t rows;          // rows of a piece: the inputs, then lags that may
                            // vary
    const uint32_t *memory; // row of each delay among the memories
    const uint32_t *lag;    // row of its lag in a piece, or COSY_NONE
    const uint32_t *owner;  // delay of each row of a piece
    Vector tables;          // these three
    HistoryState state;
    Vector pieces;  // reals: begin, end, then `points` values per row
    Vector breaks;  // HistoryBreak, in rising order
    Vector delay;   // HistoryDelay
    Vector scratch; // reals: inputs, lags, a point, the points of a piece
    size_t settled; // pieces of accepted steps; those after them belong to the
                    // step being made
    size_t visible; // pieces that are read; the rest is being written
    size_t found;   // where the last search ended
    bool stepping;  // from history_limit to history_step
    bool repeats;   // the method can repeat a step
    bool asked_now; // since history_settle: a lag is zero
    bool limited;   // the step being made is limited by a lag
    bool ahead;     // it read what it is about to compute
} History;

Status history_create(History *h, Cosy *c, Arena *a, Image *image, Fault *f);
/* Called after image_load, and when the number of states has changed. */
Status history_attach(History *h);
Status history_begin(History *h, real t, real relerr);
/* The delays have moved as these Moves say. */
Status history_move(History *h, real t, const Moves *m);
/* `event`: something happened here that may make the inputs jump. */
Status history_instant(History *h, real t, const real *x, bool event);
/* round counts from 0 at one point, so that it cannot go on for ever. */
Status history_settle(History *h, real t, const real *x, uint32_t round,
                      bool *changed);
Status history_limit(History *h, Solver *s, real *limit);
Status history_turn(History *h, Solver *s);
Status history_step(History *h, Solver *s);
void history_drop(History *h);
Status history_return(History *h, real t, const real *x);
bool history_due(const History *h, real t);
/* *level is that of the roughest break that came out. */
Status history_pass(History *h, real t, int order, uint32_t *level);

/* Called where the model has failed: returns STATUS_OK, or a fault if a delay
   is the reason. */
Status history_check(History *h, real t, const real *x);

/* Input of a delay at time t, and its time derivative there. Before the start
   of the run it has its value at the start; COSY_NUMBER if there is no such
   time yet, and the step must be shorter. */
CosyStatus history_value(History *h, uint32_t delay, real t, real *value);
CosyStatus history_rate(History *h, uint32_t delay, real t, real *rate);
void history_free(History *h);

#endif
