#ifndef COSY_SOLVE_GROWTH_H
#define COSY_SOLVE_GROWTH_H

/* The growth of errors along a run: one vector e in the space of the states, with

       e' = J e + what the method adds in each step

   where J = df/dx along the solution. A method keeps what it adds within the
   tolerances; what becomes of it is the problem's: it dies out, stays, or grows,
   without bound where the solution is unstable or chaotic.

   Over a part of a step e goes on by R(h J), J from its middle: R(z) is the rational
   function of order 7 with a pole of order 8 at z = 6 and R(infinity) = 0. What
   is stiff decays and cannot blow up; what turns by a radian keeps its size to 2E-6
   and its place to 1E-6, so that errors of a million steps add up as they do. Each
   part is carried once and in two halves: where they differ it is made shorter.
   That costs at least three Jacobians and factorisations and 24 solutions, more than a
   step of many a method: so it is done where it is asked for (FEATURES,
   KernelOptions.growth).

   Everywhere else a run is looked at every few steps only (growth_look.c), which
   finds what is surely unstable, and nothing chaotic.

       growth_create   before the run begins, `closely` or not
       growth_step     behind every accepted step, or
       growth_look     when counts.steps has reached state.next
       growth_cross    where a step ends at a crossing
       growth_restart  where the solver has started again
       growth_end      at the end of the run, where its last step ends
       growth_free

   It leaves the states, the step, the counts and all else of the solver alone:
   results do not change by a bit. At a state event the error of its time is taken
   into account (growth_event.c); what a body makes of a state is guessed.

   An estimate, not a bound: one vector, linear, with the errors that the methods
   believe they make. */

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
#define growth_restart COSY_NAME(growth_restart)
#define growth_end     COSY_NAME(growth_end)
#define growth_rings   COSY_NAME(growth_rings)
#define growth_factor  COSY_NAME(growth_factor)
#define growth_words   COSY_NAME(growth_words)
#define growth_free    COSY_NAME(growth_free)

/* Points that a look works on. */
#define GROWTH_POINTS 4
/* The first step that is looked at. */
#define GROWTH_FIRST 4
/* The bell rings from so many tolerances on. */
#define GROWTH_RINGS 1e4
/* An error of this order is what was asked for. */
#define GROWTH_ORDINARY 10.0
/* Errors of so many times the solution itself are not followed further. */
#define GROWTH_SIZES 1e3

typedef struct GrowthState {
    double now;        // largest error of a state, in tolerances
    double most;       // so far
    double t, most_at; // when that is, and was
    double from;       // when it was of the order of a tolerance last
    double base;       // how much it was then
    uint64_t steps;    // looked at
    uint64_t missed;   // had no Jacobian
    uint32_t n;        // states that e is of
    uint32_t lost;     // e has left the range of numbers
    /* Where it is only looked at now and then (growth_look.c): */
    uint64_t next; // step to look at
    uint64_t last; // that was
    double rate;   // at which e grew at the last look,
    double bound;  // the largest |J e| / |e|, lately
    uint32_t sure; // and e had a direction that stays
    /* Events (growth_event.c): */
    uint32_t broken;  // one has been since
    double event;     // when the last crossing was,
    double later;     // how much later with e; both of them
    uint32_t crossed; // until the solver starts again
    uint32_t left;    // the last steps were not looked at
} GrowthState;

typedef struct Growth {
    bool on;
    bool closely;
    GrowthState state; // in the image, with
    Vector e, size;    // reals: the vector, and the largest |x| so far,
    Vector before;     // and x and dx before an event
    Spectrum spectrum;
    Linear *linear;
    uint32_t shaped; // it is for so many states
    Vector work;     // reals: powers, points, slopes
} Growth;

Status growth_create(Growth *g, Solver *s, bool closely);
Status growth_step(Growth *g, Solver *s);
Status growth_look(Growth *g, Solver *s);
/* The run is over: what grew at the last look is looked at once more. */
Status growth_end(Growth *g, Solver *s);
/* The last step ends at a crossing; then, when the solver has started again. */
Status growth_cross(Growth *g, Solver *s, Watch *w);
void growth_restart(Growth *g, const Solver *s);
/* True when the results at the end are not what the tolerances say. */
bool growth_rings(const Growth *g);
/* By which errors have grown since they were of the order of a tolerance. */
double growth_factor(const Growth *g);
/* What rings: interval, factor, digits that are left. */
void growth_words(const Growth *g, const Solver *s, char *text, size_t size);
void growth_free(Growth *g);

#endif
