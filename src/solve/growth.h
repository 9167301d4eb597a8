#ifndef COSY_SOLVE_GROWTH_H
#define COSY_SOLVE_GROWTH_H

/* The growth of errors along a run: one vector e in the space of the states,
   with

       e' = J e + what the method adds in each step

   where J = df/dx along the solution. A method keeps what it adds within the
   tolerances. What becomes of that depends on the problem: it dies out, stays,
   or grows, without bound where the solution is unstable or chaotic.

   Over a part of a step e is multiplied by R(h J), with J from its middle: R(z)
   is the rational function of order 7 with a pole of order 8 at z = 6 and
   R(infinity) = 0. Stiff components decay and cannot blow up; an oscillation
   keeps its amplitude to 2E-6 and its phase to 1E-6 per radian, so that the
   errors of a million steps add up as they should. Each part is carried once as
   a whole and once in two halves; if the results differ, the part is made
   shorter. That costs at least three Jacobians and factorisations and 24
   solutions, more than a step of many methods: so it is done only on request
   (FEATURES, KernelOptions.growth).

   All other runs are examined only every few steps (growth_look.c), which finds
   what is certainly unstable, and nothing chaotic.

       growth_create   before the run begins, `closely` or not
       growth_step     after every accepted step, or
       growth_look     when counts.steps has reached state.next
       growth_cross    where a step ends at a crossing
       growth_restart  where the solver has started again
       growth_end      at the end of the run, where its last step ends
       growth_free

   All this leaves the states, the step, the counts and everything else in the
   solver alone: results do not change by a bit. At a state event the error in
   its time is taken into account (growth_event.c); the effect of an event body
   on the error of a state is guessed.

   The result is an estimate, not a bound: one vector, linear, with the errors
   that the methods believe they make. */

#include "solve/linear.h"
#include "solve/method.h"
#include "solve/spectrum.h"
#include "solve/watch.h"

#define Growth         COSY_NAME(Growth)
#define GrowthState    COSY_NAME(GrowthState)
#define growth_create  COSY_NAME(growth_create)
#define growth_step    COSY_NAME(growth_step)
#define growth_look    COSY_NAME(growth_look)
#define growth_cross   COSY_NAME(growth_cross)
#define growth_move    COSY_NAME(growth_move)
#define growth_restart COSY_NAME(growth_restart)
#define growth_end     COSY_NAME(growth_end)
#define growth_rings   COSY_NAME(growth_rings)
#define growth_factor  COSY_NAME(growth_factor)
#define growth_words   COSY_NAME(growth_words)
#define growth_free    COSY_NAME(growth_free)

/* Points that a look works on. */
#define GROWTH_POINTS 4
/* The first step that is examined. */
#define GROWTH_FIRST 4
/* The bell rings from this many tolerances on. */
#define GROWTH_RINGS 1e4
/* An error of this order is what was requested. */
#define GROWTH_ORDINARY 10.0
/* Errors of this many times the solution itself are not followed further. */
#define GROWTH_SIZES 1e3

typedef struct GrowthState {
    double now;        // largest error of a state, in tolerances
    double most;       // largest `now` so far
    double t, most_at; // times of `now` and of `most`
    double from;       // last time when it was of the order of a tolerance
    double base;       // its value then
    uint64_t steps;    // steps examined
    uint64_t missed;   // steps without a Jacobian
    uint32_t n;        // number of states that e covers
    uint32_t lost;     // e has left the range of numbers
    /* For runs that are examined only now and then (growth_look.c): */
    uint64_t next; // next step to examine
    uint64_t last; // last step examined
    double rate;   // rate at which e grew at the last look,
    double bound;  // the largest |J e| / |e|, lately
    uint32_t sure; // and e had a direction that stays
    /* Events (growth_event.c): */
    uint32_t broken;  // there has been one since
    double event;     // time of the last crossing,
    double later;     // how much later it comes with e;
    uint32_t crossed; // both hold until the solver starts again
    uint32_t left;    // the last steps were not examined
} GrowthState;

typedef struct Growth {
    bool on;
    bool closely;
    GrowthState state; // in the image, along with
    Vector e, size;    // reals: the vector, and the largest |x| so far,
    Vector before;     // and x and dx before an event
    Spectrum spectrum;
    Linear *linear;
    uint32_t shaped; // number of states it is shaped for
    Vector work;     // reals: powers, points, slopes
} Growth;

Status growth_create(Growth *g, Solver *s, bool closely);
Status growth_step(Growth *g, Solver *s);
Status growth_look(Growth *g, Solver *s);
/* The run is over: what grew at the last look is examined once more. */
Status growth_end(Growth *g, Solver *s);
/* growth_cross is called when the last step ends at a crossing, growth_restart
   when the solver has started again. */
Status growth_cross(Growth *g, Solver *s, Watch *w);
/* Copies have come or gone: errors of the states that stay go with them. */
Status growth_move(Growth *g, const Moves *m, Vector *scratch);
void growth_restart(Growth *g, const Solver *s);
/* True if the results at the end are not as accurate as the tolerances say. */
bool growth_rings(const Growth *g);
/* The factor by which errors have grown since they were of the order of a
   tolerance. */
double growth_factor(const Growth *g);
/* The text of the bell: interval, factor, digits that are left. */
void growth_words(const Growth *g, const Solver *s, char *text, size_t size);
void growth_free(Growth *g);

#endif
