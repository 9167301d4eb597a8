#ifndef COSY_STUDY_FIT_DATA_H
#define COSY_STUDY_FIT_DATA_H

/* The data of a FIT, and what runs predict for them.

       fit_plan     numbers the data: datum k is one value of one row
       fit_begin    memory for trials
       fit_anew     before the statements of a trial
       fit_watch    for each of its runs: who looks at it (run/probe.h)
       fit_end      after them: every datum has its prediction, or a fault says
                    what is wrong
       fit_watch_free, fit_taken_free

   Which rows belong to a run is known at its start: those of its number (RUN), and
   those whose cells are the values that the variables after WITH have there. A row
   belongs to one run, and every row to some run. Runs of one trial may go side by
   side: each writes what belongs to its rows.

   Where the model carries derivatives along (CosyModel.companions), the slopes of the
   predictions are looked at together with them: fit_slope.h. */

#include <pthread.h>
#include <stdatomic.h>

#include "run/run.h"
#include "study/fit_slope.h"

#define FitDatum       COSY_NAME(FitDatum)
#define FitPlan        COSY_NAME(FitPlan)
#define FitCurve       COSY_NAME(FitCurve)
#define FitRow         COSY_NAME(FitRow)
#define FitTaken       COSY_NAME(FitTaken)
#define FitWatch       COSY_NAME(FitWatch)
#define fit_plan       COSY_NAME(fit_plan)
#define fit_begin      COSY_NAME(fit_begin)
#define fit_anew       COSY_NAME(fit_anew)
#define fit_watch      COSY_NAME(fit_watch)
#define fit_watch_free COSY_NAME(fit_watch_free)
#define fit_end        COSY_NAME(fit_end)
#define fit_taken_free COSY_NAME(fit_taken_free)
#define fit_observed   COSY_NAME(fit_observed)
#define fit_time       COSY_NAME(fit_time)
#define fit_line       COSY_NAME(fit_line)

enum { FIT_CURVE = 400 }; // intervals of a curve in a picture

typedef struct FitDatum {
    uint32_t data, row, observed; // which CosyData, row, CosyObserved
    uint32_t place;               // of the row among those of all data
} FitDatum;

typedef struct FitPlan {
    const CosyFit *fit;
    const CosyModel *model;
    uint32_t m, rows; // rows: of all data
    FitDatum *datum;
    uint32_t **number; // of each data: rows * observed numbers of data, or NONE
    uint32_t *first;   // of each data: its first row among all
    bool noisy;        // deviations depend on parameters
    real *y, *sigma;   // logarithms where these are compared
    uint32_t *group;   // as in LeastProblem
    uint32_t groups;
    const char **group_name;
    uint32_t n;            // parameters
    const FitSlope *slope; // where derivatives are (fit_slope.h), or NULL
    real logarithms;       // sum of those of the data that are compared by them
} FitPlan;

/* What one run computes for one CosyObserved, for a picture. */
typedef struct FitCurve {
    uint32_t run, data, observed;
    Vector t, y; // double
} FitCurve;

typedef struct FitRow { // of the data
    atomic_uint run;    // that it belongs to, from 1; 0: none so far
    atomic_bool seen;   // the run has come to its time
} FitRow;

/* What a trial leaves. */
typedef struct FitTaken {
    const FitPlan *plan;
    real *out;        // m predictions, then m logarithms of noise if noisy
    real *slope;      // n derivatives of each of these, or NULL
    FitRow *row;      // of all data
    uint32_t before;  // runs before the statements
    uint32_t skipped; // runs of STEADYSTATE and LINEARIZE among them
    bool curves;      // they are wanted
    Vector curve;     // FitCurve
    pthread_mutex_t lock;
    Fault fault; // of the first run that does not go with the data
    Fault ended; // the first that ended before the time of a datum
    bool open;
} FitTaken;

/* What one run has to look at, and when. */
typedef struct FitWatch {
    FitTaken *taken;
    uint32_t number;     // of the run
    bool replicated;     // it is one of several replications
    uint32_t run;        // the same among those of the statements, from 1
    Fault *fault;        // of the run
    const uint8_t *lost; // derivatives that it has lost on its way
    Vector entry;        // what happens at which time
    Vector time;         // real
    size_t next;         // entry that comes next
    Vector curve;        // uint32_t: numbers of its curves
} FitWatch;

/* Belongs to the arena. STATUS_USER with a fault: the data make no sense. */
Status fit_plan(FitPlan *p, const CosySearch *s, const CosyModel *m, Arena *a,
                Fault *f);
const CosyObserved *fit_observed(const FitPlan *p, uint32_t datum);
real fit_time(const FitPlan *p, uint32_t datum);
uint32_t fit_line(const FitPlan *p, uint32_t datum); // in its file

Status fit_begin(FitTaken *t, const FitPlan *p, Arena *a);
/* Forgets what an earlier trial has left; `runs` are before its statements. */
void fit_anew(FitTaken *t, real *out, real *slope, uint32_t runs);
RunWatch fit_watch(FitWatch *w);
void fit_watch_free(FitWatch *w);
Status fit_end(FitTaken *t);
void fit_taken_free(FitTaken *t);

#endif
