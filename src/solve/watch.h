#ifndef COSY_SOLVE_WATCH_H
#define COSY_SOLVE_WATCH_H

/* State conditions over a step: which of them crossed, and when the first one
   did.

   A Watch keeps the conditions that are active at the last accepted point, each
   with its value, its time derivative and how it stands:

       ARMED      on its near side (side = sign of z); crossing fires it
       RETURNING  it fired, and the event sent it back (or stopped it). Reaching the near side
                  arms it; going past the depth at which it fired, instead,
                  fires it again (the ball that would fall through the floor)
                  A body that moves z itself over zero, and further than a
                  crossing is located, arms a condition with both directions
                  there
       PASSED     it fired (or started) and goes on; on a condition with one
                  direction the near side arms it again, on one with both
                  directions it is armed on its new side at once
       NEW        exactly zero when it was first seen: the first side it takes
                  is its near side

   Sides, POS and NEG refer to the direction of the run, even if it goes
   backward in time.

   Relations, hidden ones and those of a WAIT UNTIL, do not return: at every
   event their value follows from the point itself, so afterwards they are armed
   on the side where they are; exactly at zero, on the side that zero belongs
   to. If zero belongs to neither (an equality), the relation fires as soon as
   it is anywhere else. FINISH is marked at every point where it is true.

   Order of calls:

       watch_enter    conditions at the point, as at the start of a run
       watch_step     after an accepted step: true when something crossed in
                      (t0, t]; then the solver has been taken back to the first
                      crossing, on its far side, and the fired ones are marked.
                      It may end the step earlier without a crossing
       watch_event    after an event body: examines the conditions again; jumps
                      across zero and conditions of a branch that was entered
                      past their threshold are marked
       watch_take     takes the first marked condition and removes the mark:
                      hidden ones before a FINISH, that before all others

   Location. Dense output gives a first guess for each crossing, the earliest
   wins; then real steps from the near end are repeated to trial times that the
   condition's scheme chooses (chapter IV.1.2 of the 1979 text), until |z| is
   within TOL or the bracket is at the resolution of time, and z is on its far
   side. With CROSSES the scheme is inverse Hermite interpolation guarded by
   Illinois steps and bisection.

   Several crossings in one step. If a condition is near enough to zero for its
   slopes to take it there, the step is examined between its ends, down to
   eighths of it, until what has been seen explains the curve: crossings an
   eighth of a step apart are found, the first of them first. Two crossings that
   leave the sign as it was are noticed if z heads towards zero at one end of a
   part and away from it at the other: then the turning point in between is
   found on the dense output. For a condition that has passed, the step ends
   there: it is armed. A step over which a condition is not a smooth curve at
   all is ended early (not with a fixed step). */

#include "base/image.h"
#include "solve/method.h"

#define Watch        COSY_NAME(Watch)
#define Watched      COSY_NAME(Watched)
#define watch_create COSY_NAME(watch_create)
#define watch_attach COSY_NAME(watch_attach)
#define watch_enter  COSY_NAME(watch_enter)
#define watch_step   COSY_NAME(watch_step)
#define watch_event  COSY_NAME(watch_event)
#define watch_edge   COSY_NAME(watch_edge)
#define watch_take   COSY_NAME(watch_take)
#define watch_last   COSY_NAME(watch_last)
#define watch_moved  COSY_NAME(watch_moved)
#define watch_back   COSY_NAME(watch_back)
#define watch_free   COSY_NAME(watch_free)
#define watch_name   COSY_NAME(watch_name)

typedef enum Stand {
    STAND_NEW,
    STAND_ARMED,
    STAND_RETURNING,
    STAND_PASSED,
    STAND_TAKEN // fired; its event body is being carried out
} Stand;

typedef struct Watched {
    uint32_t id;
    uint32_t copy;   // position, transaction or element, as the model wants it
    uint64_t number; // number of the copy or transaction: stays the same when
                     // positions move or are taken by others; else as `copy`
    int8_t side;     // sign on the near side
    uint8_t stand;   // Stand
    uint8_t fired;   // marked, to be taken
    uint8_t spare[13]; // no padding, whatever `real` is
    real z, dz;
    real depth; // z when it fired (RETURNING)
    real tol;   // TOL in force
    real priority;
    real size; // largest |z| so far
} Watched;

/* A condition that came near its threshold, turned there and did not cross. */
typedef struct WatchMiss {
    uint32_t id, copy;
    double t, z, size; // largest |z| so far
    bool jumps;        // a hidden condition: its derivatives jump at the
                       // threshold
} WatchMiss;

typedef struct Watch {
    const CosyModel *model;
    Cosy *c;
    uint32_t count;
    uint64_t iterations; // real steps spent on location
    Vector list;         // Watched
    Vector old;          // Watched: scratch
    Vector seen;         // CosyCondition: scratch, `room` of them
    Vector rows;         // CosyCondition: scratch, at points of a step
    Vector scratch;      // reals: a trial point and its derivatives
    Vector told;         // a byte per condition: a warning has been given
    Vector known;        // uint32_t, per CONTINUOUS PROCESS: numbers up to this
                         // one were given when `list` was made
    Vector begun; // conditions of branches entered at begun_at that fired
    real begun_at;
    real reach; // how long the next step may be; 0: no limit
    uint32_t room;
    uint32_t extra; // conditions that may exist beyond those of the model
    uint32_t bad;   // condition that failed last; COSY_NONE: none in particular
    CosyStatus cause; // what the model said then
    real share;       // part of every TOL that is in force: 1, or less
    Vector *misses;   // WatchMiss: those within a hundredth of the largest |z|
                      // are found exactly and noted; NULL: nobody wants them
} Watch;

Status watch_create(Watch *w, Cosy *c, Arena *a, Image *image);
/* Makes room for the conditions and states that are possible now. */
Status watch_attach(Watch *w);
Status watch_enter(Watch *w, real t, const real *x, const real *dx);
Status watch_step(Watch *w, Solver *s, bool *crossed);
Status watch_event(Watch *w, real t, const real *x, const real *dx);
/* Called when a step has failed because the model has no values: true if a
   hidden condition is so near its zero, and heading there, that its other
   branch may have values. The solver has then been moved over the zero, along
   its derivatives, by a few last places of time but not beyond `limit`, and the
   condition is marked. */
bool watch_edge(Watch *w, Solver *s, real limit);
/* With `only_hidden`, only hidden ones are taken. */
bool watch_take(Watch *w, bool only_hidden, Watched *which);
/* Called at the end of a run, beyond which no step goes: marks a CONDIT whose
   zero is no further away than rounding errors, and which is heading there. */
void watch_last(Watch *w, real t, const real *x);
/* Called after the point was moved by a few last places for the sake of other
   conditions, and nothing has crossed: a condition that was on its near side
   before and is not now is on its way back there. Both lists of the model's
   conditions have the same entries. */
void watch_moved(Watch *w, const CosyCondition *before,
                 const CosyCondition *now, uint32_t count);
/* A condition that was left out of the list for a while will be in it again at
   the next watch_event: armed on this side, or on its way back there. */
void watch_back(Watch *w, uint32_t id, uint32_t copy, int side, real z);
void watch_free(Watch *w);
/* What messages call a condition: "FULL", "FULL (element 2)", "FULL of TANK[3]". `number`
   is that of a Watched. */
#define WATCH_NAME 300
void watch_name(char text[WATCH_NAME], const CosyModel *m,
                const CosyConditionInfo *info, uint64_t number);

#endif
