#ifndef COSY_STUDY_TRIAL_H
#define COSY_STUDY_TRIAL_H

/* A trial: one run of a series, from values to numbers. It writes no file and
   starts no thread, and its texts go to an Outlet that may be mute.

       trial_go     carries out the run that its point names; afterwards t->run has
                    what it has come to (variables, statistics, records), and
                    t->status says how it went. True: RERUN asks for another one
       trial_leave  what the next run begins with: values and head
       trial_free

   A run depends on nothing but its series (the values at SIMULATE, the lists, the
   options) and its TrialPoint, a few plain numbers that can travel to another
   process. Whoever shows or keeps anything stands around it: element.c makes
   results of it, search.c only looks at the numbers. */

#include "picture/film.h"
#include "run/trace.h"
#include "run/warmup.h"
#include "study/errorbar.h"
#include "study/series.h"
#include "study/snapshot.h"

#define Trial       COSY_NAME(Trial)
#define TrialTicker COSY_NAME(TrialTicker)
#define trial_go    COSY_NAME(trial_go)
#define trial_leave COSY_NAME(trial_leave)
#define trial_free  COSY_NAME(trial_free)

/* What a run asks whether it may go on. */
typedef struct TrialTicker {
    Series *j;
    uint32_t element, run;
    double started;
    uint64_t steps, events; // when it was last asked
    bool loop;              // stopped inside a loop of statements
    const char *why;        // why it was stopped, or NULL
    Gauge *gauge;           // NULL: without --verify
    uint64_t most;          // the most evaluations and steps of a double
    bool spent;             // it has taken more than `most`
} TrialTicker;

typedef struct Trial {
    Series *j;
    TrialPoint at;
    const TrialLeft *before; // of the run that RERUN follows; NULL: it is the
                             // first
    Outlet *outlet;
    Vector *cross; // gets rows of CROSSPLOT
    Run run;
    Owner owner;
    Tracer tracer;
    TrialTicker ticker;
    const RunSetting *parameter;
    uint32_t parameters;
    Status status;
    double begun;
    Gauge gauge;      // with --verify
    Vector misses;    // WatchMiss, of a double
    bool varied;      // it differs from the run of which it is a double
    RunWarmup warmup; // of CLEAR AUTO; `of` is NULL: there was no pilot run
    Snapshot snapshot;
    FitWatch watch; // of a trial of a FIT
    bool filmed;    // otherwise: OUTPUT shows arrays over their index
    Film film;
    ErrorBar bar;  // of a run whose model has FIELDs
    Digest barred; // what it was made of
    Buffer grid;   // the same as JSON; empty: the model has none
} Trial;

/* `j`, `at`, `before`, `outlet` and `cross` are set, all else is zero. */
bool trial_go(Trial *t);
Status trial_leave(const Trial *t, TrialLeft *left);
void trial_free(Trial *t);

#endif
