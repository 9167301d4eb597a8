#ifndef COSY_SEARCH_OPTIMISE_OWN_H
#define COSY_SEARCH_OPTIMISE_OWN_H

/* What the parts of a search for the best value share. Private to src/search.

   Parts work in coordinates z: a parameter by its size, or its logarithm. The value
   is always made small: for a maximum it is the negative objective. */

#include "search/ledger.h"
#include "search/meeting.h"
#include "search/nlopt_door.h"
#include "search/optimise.h"
#include "search/space.h"

#define best_coarse     COSY_NAME(best_coarse)
#define BestSearch      COSY_NAME(BestSearch)
#define BestGoal        COSY_NAME(BestGoal)
#define Seeker          COSY_NAME(Seeker)
#define best_point      COSY_NAME(best_point)
#define best_z          COSY_NAME(best_z)
#define best_low        COSY_NAME(best_low)
#define best_high       COSY_NAME(best_high)
#define best_constraint COSY_NAME(best_constraint)
#define best_violation  COSY_NAME(best_violation)
#define best_value      COSY_NAME(best_value)
#define best_tolerance  COSY_NAME(best_tolerance)
#define seeker_make     COSY_NAME(seeker_make)
#define seeker_ask      COSY_NAME(seeker_ask)
#define seeker_slopes   COSY_NAME(seeker_slopes)
#define seeker_sloped   COSY_NAME(seeker_sloped)
#define best_steepness  COSY_NAME(best_steepness)
#define seek_nlopt      COSY_NAME(seek_nlopt)
#define seek_brent      COSY_NAME(seek_brent)
#define seek            COSY_NAME(seek)
#define seeker_trials   COSY_NAME(seeker_trials)
#define seeker_many     COSY_NAME(seeker_many)
#define seeker_value    COSY_NAME(seeker_value)
#define seek_everywhere COSY_NAME(seek_everywhere)
#define best_probe      COSY_NAME(best_probe)
#define best_polish     COSY_NAME(best_polish)
#define best_check      COSY_NAME(best_check)
#define best_say        COSY_NAME(best_say)
#define best_plateau    COSY_NAME(best_plateau)

typedef struct BestSearch {
    const BestProblem *q;
    Space space;
    real *size; // of each coordinate
    uint32_t constraints;
    Ledger ledger;
    Arena *arena;
    BestAnswer *answer;
    NloptDoor nlopt; // loaded unless Brent's method is enough
    bool slopes;     // derivatives of the trial's own are used
    bool runaway;    // a coordinate went beyond all sizes
    real typical;    // size of the values: of the first one, or the best
    /* From best_probe. */
    real *curvature; // of the value along each coordinate
    real noise;      // of the value, absolute
    real relative_noise;
    bool
        *still; // coordinates along which nothing changes, on one side at least
    bool better; // a neighbour is better
    bool moved;  // best_check has found a better point
    bool edge;   // trials next to it fail
    bool checked;
} BestSearch;

/* What a seeker makes small. */
typedef enum BestGoal { GOAL_VALUE, GOAL_VIOLATION } BestGoal;

enum { REMEMBERED = 4, SEEKER_MANY = 32 };

/* One local or global search of a method. Several may go side by side, each in a
   thread, with trials that a Meeting carries out together. */
typedef struct Seeker {
    BestSearch *s;
    Meeting *meeting; // NULL: alone
    uint32_t seat;
    BestGoal goal;
    BestMethod method;
    double *start;    // z
    double step;      // first steps, in sizes
    double room;      // how far from `start` a box reaches; 0: there is none
    double tolerance; // of z
    size_t most;      // trials of this seeker; 0: as many as there are
    size_t asked;
    size_t repeated; // times in a row that nothing new was asked for
    Status end;      // STATUS_OK, or what ended it
    bool runaway;
    /* The best that it has found, by value and violation. */
    bool found;
    real value, violation;
    real *best; // z
    real worst; // largest value it has seen
    /* Points that were asked for last: a method asks for value and constraints
       one after the other. */
    real *memory[REMEMBERED], *memory_out[REMEMBERED];
    real *memory_slope[REMEMBERED]; // derivatives by parameters
    bool memory_good[REMEMBERED], memory_sloped[REMEMBERED];
    uint32_t remembered;
    nlopt_opt opt;           // while NLopt works
    double *low, *high, *dz; // bounds and first steps for NLopt
    double *feasible;
    real *z, *p, *out;     // a point; batches
    real *raw;             // derivatives by parameters of a trial
    real *slope, *slope_z; // derivatives by coordinates, and where
    bool sloped;
    Status *each;
} Seeker;

/* Parameters of z, within the bounds, and back. */
void best_point(const BestSearch *s, const real *z, real *p);
void best_z(const BestSearch *s, const real *p, real *z);
/* dp/dz of parameter i at p. */
real best_steepness(const BestSearch *s, uint32_t i, const real *p);
real best_low(const BestSearch *s, uint32_t i);
real best_high(const BestSearch *s, uint32_t i);
/* Constraint k by its scale; inequalities first. */
real best_constraint(const BestSearch *s, const real *out, uint32_t k);
real best_violation(const BestSearch *s, const real *out);
real best_value(const BestSearch *s, const real *out);
real best_tolerance(const BestSearch *s);
/* That of NLopt's part of the search. */
real best_coarse(const BestSearch *s);

Status seeker_make(Seeker *k, BestSearch *s, BestMethod method);
/* Results at z: in *out, until the next call; *good: the trial went well. */
Status seeker_ask(Seeker *k, const real *z, const real **out, bool *good);
/* Whether its method goes by derivatives of the trial's own. */
bool seeker_sloped(const Seeker *k);
/* Derivatives of the trial's own at a point that was asked for last, by parameters, or
   NULL: they are not known. */
const real *seeker_slopes(const Seeker *k, const real *z);

/* Values of `count` <= 2 n + SEEKER_MANY points at the same time. */
Status seeker_many(Seeker *k, size_t count, const real *z, real *value);
/* Trials, in the meeting or alone; they are not remembered. */
Status seeker_trials(Seeker *k, size_t count, const real *p, real *out,
                     Status *each);
/* The value of a point, infinite where the trial failed. */
real seeker_value(const Seeker *k, const real *out, bool good);

/* Search from k->start on. They return what ends the whole search. */
Status seek_nlopt(Seeker *k);
Status seek_brent(Seeker *k);
Status seek(Seeker *k);

/* Global search; leaves its best points in the ledger. */
Status seek_everywhere(BestSearch *s, BestMethod method);

/* Tries points around the best one: fills idle, curvature, noise and better. */
Status best_probe(BestSearch *s);
/* Newton's method from the best point on. */
Status best_polish(BestSearch *s);
/* Looks whether neighbours are better, and goes there; sets moved, and better where
   it finds no end. */
Status best_check(BestSearch *s);

/* Between which values of parameter i trials gave the best value exactly. */
void best_plateau(const BestSearch *s, uint32_t i, real *low, real *high);

/* Words about the answer. */
void best_say(BestSearch *s);

#define SAY(s, ...) search_say((s)->answer->words, BEST_WORDS, __VA_ARGS__)

#endif
