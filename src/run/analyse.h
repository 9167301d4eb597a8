#ifndef COSY_RUN_ANALYSE_H
#define COSY_RUN_ANALYSE_H

/* STEADYSTATE and LINEARIZE, which look at one point of the model, and LINEARIZE
   EVERY, which looks at many along a run.

       analyse_go     in place of the clock, once everything is consistent at the
                      start: the point of rest, or the matrices
       analyse_begin  at the start of a run with LINEARIZE EVERY
       analyse_step   after each of its accepted steps
       analyse_end    at its end
       analyse_tell   what was found; NULL: nothing
       analyse_free   */

#include "base/arena.h"
#include "base/status.h"
#include "solve/matrices.h"
#include "stats/analysis.h"

#define Analyse       COSY_NAME(Analyse)
#define Run           COSY_NAME(Run)
#define analyse_go    COSY_NAME(analyse_go)
#define analyse_begin COSY_NAME(analyse_begin)
#define analyse_step  COSY_NAME(analyse_step)
#define analyse_end   COSY_NAME(analyse_end)
#define analyse_tell  COSY_NAME(analyse_tell)
#define analyse_free  COSY_NAME(analyse_free)

enum { ANALYSE_POINTS = 16 }; // points of rest that are told

typedef struct Run Run;

typedef struct Analyse {
    RunAnalysis all;
    RunSteady steady;
    RunRest point[ANALYSE_POINTS];
    RunLinear linear;
    Matrices matrices;   // of `linear`
    Vector time, re, im; // doubles: along a run
    uint64_t ticks;      // points so far
    uint64_t left_out;   // points without a value
    uint32_t structure;  // of the points along a run
    bool along, full;    // full: there is no room for more points
} Analyse;

Status analyse_go(Run *r);
Status analyse_begin(Run *r);
Status analyse_step(Run *r);
Status analyse_end(Run *r);
const RunAnalysis *analyse_tell(const Run *r);
void analyse_free(Analyse *a);

#endif
