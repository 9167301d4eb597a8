#ifndef COSY_STATS_SUMMARY_H
#define COSY_STATS_SUMMARY_H

/* summary.json. Each run writes its own object into a buffer when it ends, from
   its instance; the experiment joins them in the order of the runs and writes
   the whole file. Numbers have the shortest form that reads back the same
   (EXTENDED and QUAD: strings of 21 or 36 digits); a number that is not finite
   is null. */

#include "base/buffer.h"
#include "base/status.h"
#include "cosy/model.h"
#include "stats/analysis.h"
#include "stats/course.h"
#include "stats/features.h"
#include "stats/follow.h"

#define RunFacts           COSY_NAME(RunFacts)
#define RunSetting         COSY_NAME(RunSetting)
#define RunSpan            COSY_NAME(RunSpan)
#define RunOutside         COSY_NAME(RunOutside)
#define RunWarmup          COSY_NAME(RunWarmup)
#define outside_name       COSY_NAME(outside_name)
#define summary_run        COSY_NAME(summary_run)
#define summary_write      COSY_NAME(summary_write)
#define summary_parameters COSY_NAME(summary_parameters)
#define summary_has_units  COSY_NAME(summary_has_units)
#define summary_units      COSY_NAME(summary_units)
#define Replications       COSY_NAME(Replications)

/* The value of a PARAMETER in a run; index COSY_NONE: all of an array. */
typedef struct RunSetting {
    uint32_t variable, index;
    real value;
    bool varied; // it varies from run to run
} RunSetting;

/* From when to when a run slides along the threshold of a condition, or rests
   at it; `copy` is the element of a loop, or COSY_NONE. */
typedef struct RunSpan {
    uint32_t rest; // 1: a rest, 0: a slide
    uint32_t id, copy, spare;
    uint64_t number; // of the copy, and its element (COSY_DETAIL)
    real from, to;   // COSY_NEVER while it lasts
} RunSpan;

/* From when to when a variable (or element, or a variable of a copy) was
   outside its RANGE. */
typedef struct RunOutside {
    uint32_t id, copy; // of its condition
    uint64_t number;   // of the copy
    uint32_t above;    // 1: above, 0: below
    uint32_t passed;   // 0: it was outside from the start
    real from, to;     // COSY_NEVER: to the end
    real bound, extreme;
} RunOutside;

/* How the errors of the steps have grown, in tolerances. */
typedef struct RunErrors {
    double estimate;      // at the end
    double from, to;      // when it grew
    double factor;        // by which factor
    double most, most_at; // on the way
    bool rings;           // a warning was given
} RunErrors;

/* How far steps have drifted from the constraints of the model, in tolerances. */
typedef struct RunConstraints {
    uint32_t rows;
    double drift; // largest violation of a row before it was restored
    double moved; // largest correction of a state
    double error; // largest residual that was left, in units of the equation
} RunConstraints;

/* What CLEAR AUTO has found. */
typedef struct RunWarmup {
    const char *of;   // name of the statistic
    real until;       // what was before that is left out
    uint32_t means;   // of which its course consists
    uint32_t removed; // so many of them are the warm-up
    uint64_t size;    // observations in a mean; 0: it is a mean over time,
    real step;        // over an interval of this length
    bool late;        // it reaches into the second half: the run is too short
} RunWarmup;

typedef struct RunFacts {
    uint32_t run, frame;
    const RunSetting *parameter;
    uint32_t parameters;
    const char *status; // "finished", "stopped", "failed"
    const char *message;
    const char *method;
    const char *choice; // of METHOD AUTO, in words; "": nothing was chosen
    uint64_t steps, rejected, rhs, jacobians, state_events, time_events,
        hidden_events, event_iterations, process_events;
    const RunSpan *span;
    size_t spans;
    const RunOutside *outside;
    size_t outsides;
    uint64_t more_outside; // how many more there were
    double wall_s;
    const Course *course;              // or NULL
    const RunFeatures *features;       // or NULL
    const RunErrors *errors;           // or NULL
    const RunConstraints *constraints; // or NULL
    const RunWarmup *warmup;           // of CLEAR AUTO, or NULL
    const Follow *follow;              // or NULL: there are no QUANTILES
    const RunAnalysis *analysis;       // of STEADYSTATE and LINEARIZE, or NULL
    const Buffer *grid; // member "grid", or empty: there are no FIELDs; or NULL
} RunFacts;

/* "X", "U[2,3]", "STONE[3].PHI". */
void outside_name(Buffer *b, const CosyModel *m, const RunOutside *o);
/* Appends one object of "runs". c->head->t is t_end; outputs are up to date. */
Status summary_run(Buffer *b, const Cosy *c, const RunFacts *f);
/* {"TIME": "min", "X": "km"}: the units of TIME and of every variable of
   `final` that has one; and whether there are any. */
void summary_units(Buffer *b, const CosyModel *m);
bool summary_has_units(const CosyModel *m);
/* The object of "parameters". */
void summary_parameters(Buffer *b, const CosyModel *m,
                        const RunSetting *parameter, uint32_t n);

typedef struct Replications Replications; // stats/replicate.h

/* Members that others have written; each may be NULL or empty. */
typedef struct SummaryMore {
    const Buffer *studies;   // "studies" (stats/sweep.h)
    const Buffer *uncertain; // "uncertainty"
    const Buffer *optimum;   // objects in a line each, with commas between
    const Buffer *output;    // members, with their names
    const Buffer *verified;  // "verify"
    const char *provenance;  // an object in one line
} SummaryMore;

/* DIR/summary.json (made if it is missing; NULL: none); runs[] are the objects
   above, or several of them with commas between; `r` may be NULL. If `copy` is not
   NULL the text goes there too (--json). */
Status summary_write(const char *dir, const CosyModel *m, const Buffer *runs,
                     uint32_t n, const Replications *r, const SummaryMore *more,
                     Buffer *copy, Fault *f);

#endif
