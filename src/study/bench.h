#ifndef COSY_STUDY_BENCH_H
#define COSY_STUDY_BENCH_H

/* A bench: an experiment beside another one, on which statements of that experiment
   are carried out without anything being shown or kept. What a search asks many
   times goes to benches, one for each thread:

       bench_open     memory for it
       bench_try      everything is as it is in the experiment now, but the
                      parameters have these values; then the body of the search.
                      What comes out is in `result`, and its derivatives are in
                      `slope`, if the search has any
       bench_close

   The same values give the same results on every bench: all of them begin with the
   same numbers of runs, so random variables draw the same, too. A run that fails
   makes its trial fail; `why` of the bench says why. */

#include "study/experiment.h"

#define Bench           COSY_NAME(Bench)
#define bench_open      COSY_NAME(bench_open)
#define bench_try       COSY_NAME(bench_try)
#define bench_close     COSY_NAME(bench_close)
#define bench_predict   COSY_NAME(bench_predict)
#define bench_parameter COSY_NAME(bench_parameter)

typedef struct Bench {
    Experiment e;
    KernelOptions options;
    KernelOutcome outcome;
    Fault why;      // the last trial that failed
    FitTaken taken; // of a FIT
    bool open;
} Bench;

/* `threads`: of the runs of one trial. */
Status bench_open(Bench *b, const Experiment *of, uint32_t threads);
/* STATUS_OK; STATUS_STOPPED; STATUS_MEMORY; any other: this trial has failed. */
Status bench_try(Bench *b, const Experiment *of, const CosySearch *s,
                 const real *p, real *result, real *slope);
/* The same for a FIT: predictions and noise, and their derivatives unless slope is NULL.
   Needs: b->taken is open. A fault of the data is in b->taken. */
Status bench_predict(Bench *b, const Experiment *of, const CosySearch *s,
                     const real *p, real *out, real *slope);
void bench_close(Bench *b);
/* Gives a parameter of a search its value, for the runs that follow. */
bool bench_parameter(Experiment *e, const CosyWanted *w, real value);

#endif
