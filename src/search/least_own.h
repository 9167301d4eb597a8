#ifndef COSY_SEARCH_LEAST_OWN_H
#define COSY_SEARCH_LEAST_OWN_H

/* What the files of least.h share.

   The plan holds what all searches of a problem have in common, and room for what is
   done to one point at a time. A seat is one search: least_seat_ask tells which points it
   wants, least_seat_take gives it the results. A crowd lets many seats ask at once.

   Coordinates z are the parameters, or their logarithms. Everything is measured in
   standard deviations: the stack has a row for every datum, for every deviation that
   depends on parameters and for every prior, such that Gauss and Newton's step s
   minimises |side - stack s|, and stack' side is the downward gradient. */

#include "search/least.h"
#include "search/ledger.h"
#include "search/space.h"

#define LeastPlan         COSY_NAME(LeastPlan)
#define LeastPoint        COSY_NAME(LeastPoint)
#define LeastLinear       COSY_NAME(LeastLinear)
#define LeastStep         COSY_NAME(LeastStep)
#define LeastMix          COSY_NAME(LeastMix)
#define LeastSeat         COSY_NAME(LeastSeat)
#define LeastCrowd        COSY_NAME(LeastCrowd)
#define least_plan_make   COSY_NAME(least_plan_make)
#define least_plan_noise  COSY_NAME(least_plan_noise)
#define least_point_make  COSY_NAME(least_point_make)
#define least_point_copy  COSY_NAME(least_point_copy)
#define least_coordinate  COSY_NAME(least_coordinate)
#define least_parameter   COSY_NAME(least_parameter)
#define least_logarithmic COSY_NAME(least_logarithmic)
#define least_typical     COSY_NAME(least_typical)
#define least_sd          COSY_NAME(least_sd)
#define least_group       COSY_NAME(least_group)
#define least_weigh       COSY_NAME(least_weigh)
#define least_drop        COSY_NAME(least_drop)
#define least_value       COSY_NAME(least_value)
#define least_prior_value COSY_NAME(least_prior_value)
#define least_linear_make COSY_NAME(least_linear_make)
#define least_linear_copy COSY_NAME(least_linear_copy)
#define least_usable      COSY_NAME(least_usable)
#define least_linearise   COSY_NAME(least_linearise)
#define least_step        COSY_NAME(least_step)
#define least_decrement   COSY_NAME(least_decrement)
#define least_bend        COSY_NAME(least_bend)
#define least_mix_make    COSY_NAME(least_mix_make)
#define least_mix_forget  COSY_NAME(least_mix_forget)
#define least_mix         COSY_NAME(least_mix)
#define least_seat_make   COSY_NAME(least_seat_make)
#define least_seat_begin  COSY_NAME(least_seat_begin)
#define least_seat_ask    COSY_NAME(least_seat_ask)
#define least_seat_take   COSY_NAME(least_seat_take)
#define least_crowd_make  COSY_NAME(least_crowd_make)
#define least_crowd_round COSY_NAME(least_crowd_round)
#define least_examine     COSY_NAME(least_examine)
#define least_quantile    COSY_NAME(least_quantile)
#define least_say         COSY_NAME(least_say)
#define least_allot       COSY_NAME(least_allot)

typedef struct LeastPlan {
    const LeastProblem *q;
    Arena *arena;
    Space space;
    Ledger ledger;
    uint32_t n, m;
    uint32_t results; // of a trial
    uint32_t rows;    // of the stack
    uint32_t priors;
    bool plain;       // the cost is half of the sum of squares
    bool sloped;      // the trial gives slopes
    real noise;       // relative, of the results: at least rounding
    real *low, *high; // of the coordinates
    uint32_t *count;  // data of each group
    real *floor;      // least mean square of each group
    /* Room for one point. */
    real *stack, *side;      // by columns
    real *sum, *mean;        // of each group
    real *u, *value, *v, *g; // singular values
    real *work, *work2;      // n
    uint32_t *freed;         // n
    bool *fixed;             // n
} LeastPlan;

typedef struct LeastPoint {
    real *z, *p, *out;
    real *rho;   // of the data, for the levels of this point
    real *pull;  // of the priors
    real *level; // logarithm of each group's level; plain: 0
    real length; // of rho and pull together
    real extent; // of the data and predictions in standard deviations
    real data;   // of the data alone
} LeastPoint;

/* The triangle of the stack, and what the side becomes with it. */
typedef struct LeastLinear {
    real *r;     // n * n by columns
    real *c;     // n
    real *norm;  // of each column
    real *reach; // the same without priors
} LeastLinear;

/* Within |d s| <= radius, and the bounds; `pinned` (or n) does not move. */
typedef struct LeastStep {
    const LeastLinear *linear;
    const real *z, *d;
    real radius;
    uint32_t pinned;
    /* Found. */
    real *s;
    real length;    // |d s|
    real predicted; // by how much the cost falls
    real mu;        // the damping
    bool whole;     // the radius had no part in it
    bool held;      // a bound had
    bool steep;     // it is one of steepest descent
} LeastStep;

/* The last steps that were neither damped nor held: differences of points and of
   steps. */
#define LEAST_MIXED 4
typedef struct LeastMix {
    uint32_t most, count, next;
    real *dz, *ds;          // `most` rows
    real *last, *last_step; // point and step
    real length;            // of the last step; 0: there is none
    real *u, *v;
} LeastMix;

typedef enum LeastPhase {
    LEAST_PHASE_FIRST,  // the value at the start
    LEAST_PHASE_SLOPES, // the slopes at the point
    LEAST_PHASE_DIFFER, // the same by differences
    LEAST_PHASE_BEND,   // the value on the way of a step
    LEAST_PHASE_TRY,    // the value at the end of a step
    LEAST_PHASE_OVER
} LeastPhase;

typedef struct LeastSeat {
    LeastPlan *plan;
    LeastPhase phase;
    LeastEnd end;
    LeastPoint here, there;
    LeastLinear linear, fresh; // at `here`; at `there`
    LeastStep step;
    real *d;
    real radius, tolerance;
    real
        enough; // > 0: ends when a step promises less, without central differences
    uint32_t pinned;
    bool found;     // `here` has been evaluated
    bool known;     // `linear` is that of `here`
    bool with;      // slopes are asked for with the value
    bool central;   // differences
    bool polishing; // steps are judged by the slopes alone
    bool bending;   // steps follow the curvature of the predictions
    bool mixed;     // the step that is tried is a mixed one
    LeastMix mix;
    uint32_t polished;
    real exact; // a length of residuals that is nothing but rounding
    real decrement, promised; // |R s| of the step; what it predicted
    uint32_t steps, walls, slow;
    size_t trials, most;
    /* Differences: columns that are still unknown, and how often they were tried. */
    bool *missing;
    uint32_t attempt;
    real *offset; // of the points that were asked for
    uint32_t *column;
    uint32_t asked;
    real *slope; // at `here`: results * n by columns
} LeastSeat;

/* Seats of a crowd, at most. */
#define LEAST_SEATS 32

typedef struct LeastCrowd {
    LeastPlan *plan;
    uint32_t count;
    LeastSeat *seat;
    size_t room; // points
    real *p, *out, *slope;
    Status *each;
} LeastCrowd;

bool least_allot(Arena *a, size_t n, real **const *array, size_t count);

/* ---- The plan: least_plan.c ---- */

Status least_plan_make(LeastPlan *l, const LeastProblem *q, Arena *a,
                       SearchHistory *history);
/* Finds the noise of the results around the start, by a line of trials. */
Status least_plan_noise(LeastPlan *l, const real *z);
Status least_point_make(const LeastPlan *l, LeastPoint *x);
void least_point_copy(const LeastPlan *l, LeastPoint *to,
                      const LeastPoint *from);
bool least_logarithmic(const LeastPlan *l, uint32_t i);
real least_coordinate(const LeastPlan *l, uint32_t i, real p);
real least_parameter(const LeastPlan *l, uint32_t i, real z);
/* What counts as a change of order one of coordinate i at z. */
real least_typical(const LeastPlan *l, uint32_t i, real z);

/* ---- Costs: least_cost.c ---- */

/* The group of datum k, or LEAST_KNOWN; and its standard deviation without the level of
   that group. */
uint32_t least_group(const LeastPlan *l, uint32_t k);
real least_sd(const LeastPlan *l, const real *out, uint32_t k);
/* Fills rho, pull, level, length and extent from p and out; false: not finite. */
bool least_weigh(LeastPlan *l, LeastPoint *x);
/* By how much the cost is less at the second point. */
real least_drop(const LeastPlan *l, const LeastPoint *from,
                const LeastPoint *to);
/* The whole negative logarithm of likelihood and priors. */
real least_value(const LeastPlan *l, const real *p, const real *out);
real least_prior_value(const LeastPlan *l, const real *p);

/* ---- Steps: least_step.c ---- */

Status least_linear_make(const LeastPlan *l, LeastLinear *x);
void least_linear_copy(const LeastPlan *l, LeastLinear *to,
                       const LeastLinear *from);
/* Whether slopes, by rows, are small enough for their squares. */
bool least_usable(const LeastPlan *l, const LeastPoint *x, const real *slope);
/* From the slopes of the results, by columns, with respect to p. False: they are not
   finite. */
bool least_linearise(LeastPlan *l, const LeastPoint *x, const real *slope,
                     LeastLinear *linear);
void least_step(LeastPlan *l, LeastStep *step);
/* |R s|: what the step changes, in standard deviations. */
real least_decrement(const LeastPlan *l, const LeastStep *step);

/* Bends the step after the curvature that the results show at the share `way` of it:
   the length of what is added by that of the step. */
real least_bend(LeastPlan *l, const LeastPoint *x, const real *slope,
                const real *out, real way, LeastStep *step);

/* ---- Mixing: least_mix.c ---- */

Status least_mix_make(const LeastPlan *l, LeastMix *m);
void least_mix_forget(LeastMix *m);
/* Notes a step that is neither damped nor held, and replaces it by a better one if
   steps shrink slowly: true. */
bool least_mix(const LeastPlan *l, LeastMix *m, LeastStep *step);

/* ---- Searches: least_seat.c, least_crowd.c ---- */

Status least_seat_make(LeastSeat *s, LeastPlan *l);
/* A search from here->z on. */
void least_seat_begin(LeastSeat *s, uint32_t pinned, real tolerance,
                      size_t most);
/* Points that are wanted now, in rows of p: how many; s->with: with slopes. */
uint32_t least_seat_ask(LeastSeat *s, real *p);
void least_seat_take(LeastSeat *s, const real *out, const real *slope,
                     const Status *each);

Status least_crowd_make(LeastCrowd *c, LeastPlan *l, uint32_t most);
/* Asks once for what all seats that are not over want. */
Status least_crowd_round(LeastCrowd *c);

/* ---- Answers: least_examine.c, least_words.c ---- */

/* Fills what the linear theory says from the best point. */
Status least_examine(LeastPlan *l, const LeastSeat *s, LeastAnswer *answer);
/* The 97.5 % quantile of Student's distribution; of the normal one for an infinite
   freedom. */
real least_quantile(real freedom);
void least_say(LeastPlan *l, LeastAnswer *answer);

#define SAY(answer, ...) search_say((answer)->words, LEAST_WORDS, __VA_ARGS__)

#endif
