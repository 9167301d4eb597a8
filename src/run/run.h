#ifndef COSY_RUN_RUN_H
#define COSY_RUN_RUN_H

/* One simulation run: an instance of a model, an integrator, the conditions
   that are watched, the records. The clock (clock.c) is that of chapter IV of
   the 1979 text: discrete until nothing is due, then continuous to the next
   event.

       run_create   memory for everything; of the model only `reset` is
                    called
       (settings)   instance_set for parameters and INITCOND
       run_go       INITIAL, the clock, TERMINAL. With `restore` it continues
                    a saved run instead of starting one
       run_free

   Everything that decides how the run continues is in `image`: the instance,
   the integrator's memory, the watch, the records, RunState. It is saved at an
   accepted point between two steps, and saving changes nothing.

   Two runs share only the CosyModel. */

#include "base/arena.h"
#include "base/image.h"
#include "base/status.h"
#include "events/stream.h"
#include "run/analyse.h"
#include "run/carried.h"
#include "run/feature.h"
#include "run/instance.h"
#include "run/probe.h"
#include "run/range.h"
#include "run/stall.h"
#include "run/start.h"
#include "run/trace.h"
#include "slide/slide.h"
#include "solve/growth.h"
#include "solve/history.h"
#include "solve/method.h"
#include "solve/project.h"
#include "solve/watch.h"
#include "stats/course.h"
#include "stats/follow.h"
#include "stats/record.h"

#define RunState                COSY_NAME(RunState)
#define RunOptions              COSY_NAME(RunOptions)
#define RunWarm                 COSY_NAME(RunWarm)
#define Points                  COSY_NAME(Points)
#define run_create              COSY_NAME(run_create)
#define run_go                  COSY_NAME(run_go)
#define run_free                COSY_NAME(run_free)
#define run_save                COSY_NAME(run_save)
#define run_instant             COSY_NAME(run_instant)
#define run_events              COSY_NAME(run_events)
#define run_discrete            COSY_NAME(run_discrete)
#define run_present             COSY_NAME(run_present)
#define run_consistent          COSY_NAME(run_consistent)
#define run_branches_wanted     COSY_NAME(run_branches_wanted)
#define run_present_outputs     COSY_NAME(run_present_outputs)
#define run_delays_settle       COSY_NAME(run_delays_settle)
#define run_body_failed         COSY_NAME(run_body_failed)
#define run_clock_time          COSY_NAME(run_clock_time)
#define run_restructure         COSY_NAME(run_restructure)
#define run_settle              COSY_NAME(run_settle)
#define run_derivatives         COSY_NAME(run_derivatives)
#define run_communicate_plan    COSY_NAME(run_communicate_plan)
#define run_communicate_begin   COSY_NAME(run_communicate_begin)
#define run_communicate_late    COSY_NAME(run_communicate_late)
#define run_communicate_step    COSY_NAME(run_communicate_step)
#define run_communicate_until   COSY_NAME(run_communicate_until)
#define run_communicate_instant COSY_NAME(run_communicate_instant)
#define run_communicate_end     COSY_NAME(run_communicate_end)
#define run_communicate_row     COSY_NAME(run_communicate_row)
#define run_observe             COSY_NAME(run_observe)
#define run_observe_next        COSY_NAME(run_observe_next)
#define run_observe_end         COSY_NAME(run_observe_end)
#define run_outputs             COSY_NAME(run_outputs)
#define run_event_failed        COSY_NAME(run_event_failed)
#define run_state_body          COSY_NAME(run_state_body)
#define run_condition_failed    COSY_NAME(run_condition_failed)
#define run_step_failed         COSY_NAME(run_step_failed)
#define run_stalled             COSY_NAME(run_stalled)
#define run_asks_always         COSY_NAME(run_asks_always)
#define run_until               COSY_NAME(run_until)
#define run_until_located       COSY_NAME(run_until_located)
#define run_until_forget        COSY_NAME(run_until_forget)

/* Number of events in the ring in which a cycle is looked for. The ring is kept
   only when more events than this happen at one instant. */
#define RECENT 64

/* CLEAR AUTO: the statistic whose course gives the warm-up, one of the two. */
typedef struct RunWarm {
    bool wanted;
    uint32_t collect, timepers;
} RunWarm;

typedef struct RunOptions {
    real from, to;
    bool to_finish;
    real comint;
    uint32_t log_points;
    uint32_t line; // of SIMULATE; 0: not known
    SolverOptions solver;
    StreamPlan streams; // what random variables draw from
    bool clears;        // CLEAR AT clear_at
    real clear_at;
    RunWarm warm;
    bool features; // FEATURES ACCURACY = accuracy
    real accuracy;
    bool growth;   // the growth of errors is followed, as with FEATURES
    CosyTask task; // in place of the clock: STEADYSTATE or LINEARIZE
    bool present;  // it begins at the point that the instance has: no INITIAL
    bool slid;     // that point is on a threshold along which a run slid
    real tol;
    uint32_t linear, along; // as in CosySimulate
    real along_every;
    bool reduces; // the same
    int64_t reduce_to;
    real reduce_accuracy;
    bool trace;
    Tracer *tracer;        // NULL: nothing is traced
    real tol_share;        // share of every TOL of a condition; 0: all of it
    Vector *misses;        // see Watch
    RunWatch watch;        // who looks at it at given times; open NULL: nobody
    bool unseen;           // nobody wants its rows
    uint64_t limit_events; // 0: none
    bool limited;          // it stops when TIME reaches limit_time
    real limit_time;
    const char *save_path; // image to write when save_at is reached
    real save_at;
    const char *restore; // image to continue from
    /* Called between two steps, where run_save is possible; or NULL. */
    void (*between)(void *between_user);
    void *between_user;
    /* Called after every accepted step and every 1024 events; false stops. */
    bool (*progress)(void *user, double t, uint64_t steps, uint64_t events);
    void *user;
    /* Another compilation of the same model, or the present one: called at the
       same places; the run continues with it. */
    const void *(*newest)(void *newest_user);
    void *newest_user;
} RunOptions;

enum {
    HERE_EVENT = 1, // an event
    HERE_DELAY = 2  // a discontinuity came out of a delay
};

/* Scalars that a saved run takes along. */
typedef struct RunState {
    uint64_t communications; // points recorded so far
    uint32_t structure;      // c->head->structure the integrator is sized for
    uint64_t pattern;        // hash of that of the Jacobian, if it moves
    uint32_t legs;           // CONTNs so far
    real leg_from, leg_to;   // of the present one
    uint64_t leg_first;      // communication points before it
    uint8_t started;         // INITIAL has been carried out
    uint8_t running;         // the integrator may continue from its last step
    uint8_t saved;           // the image has been written
    uint8_t cleared;         // CLEAR has been carried out
    uint8_t events_here;     // what happened at this instant: HERE_*
    uint8_t no_near;         // the near side has no values and is not recorded
    uint8_t due;             // a communication point lies at this instant
    uint8_t drift_told;      // a large drift from constraints has been told
    uint8_t kept_told;       // a singular block has been told
    uint8_t warmed; // CLEAR AUTO has found warm_at, which outlives a save
    real warm_at;
    uint64_t here; // events at this instant
    real here_t;
    uint64_t close;          // state events with no visible time between them
    real close_t;            // time of the first of them
    uint32_t recent[RECENT]; // the last of many at one instant, a ring of
    uint64_t recent_count;   // kind << 24 | which
} RunState;

/* Communication points of the present leg: CONTN begins another. */
typedef struct Points {
    real from, to;
    uint64_t first;              // points before this leg
    real start, interval, scale; // as decimals; scale 0: they are not
} Points;

struct Run {
    const CosyModel *model; // &own, as everywhere in the run
    CosyModel own;          // overwritten when better code is taken
    const void *code;       // what `own` is a copy of
    Instance instance;
    Cosy *c; // &instance.c
    Arena arena;
    Image image;
    Fault fault;
    RunOptions options;
    RunState state;
    Points plan;
    Solver solver;
    Watch watch;
    History history;
    Record record;
    Course course;
    Follow follow;
    Slide slide;
    FeatureLog features;
    Analyse analyse;
    Growth growth;
    RangeLog range;
    Stall stall;
    Carried carried; // derivatives by parameters
    Probe probe;
    Project project;   // restores constraints
    Start start;       // what was written for the start
    Vector wanted;     // scratch: an int32_t per branch
    Vector sides;      // scratch: branches before a search, and others
    Vector edges;      // scratch: conditions near their edges
    Vector located;    // relations of WAIT UNTILs that crossed at this instant
    Vector constraint; // scratch: weights of states, and which are fixed
    Vector kept;       // scratch: data to restore after a row
    Vector scratch;    // holds the next two
    real *dx;          // derivatives at the present point
    real *point;       // a point of the dense output
    size_t log_before; // bytes of the event log that a snapshot brought
    uint32_t running;  // transaction whose body failed, or COSY_NONE
    int direction;
    real limit;        // no step goes beyond the next instant
    bool continuous;   // has states, copies, conditions or relations at all
    bool asks_always;  // there is a WAIT UNTIL that is asked at every event
    bool plain;        // only the calendar makes things happen: run_discrete
    bool outputs_each; // algebraic values are wanted at every step
};

Status run_create(Run *r, const CosyModel *m, const CosyHost *host,
                  void *owner);
Status run_go(Run *r, const RunOptions *o);
/* Writes an image to continue from, in `between`. */
Status run_save(Run *r, const char *path, Fault *f);
void run_free(Run *r);

/* Shared by clock.c, communicate.c and instant.c. */

/* The first reads COMINT. The others record the points at the start, in the
   last step (`instant`: its end is one), up to `end` while nothing moves, at an
   instant whose events are over, and at the end of the run. */
void run_communicate_plan(Run *r);
void run_communicate_begin(Run *r);
/* After a step without values inside: a communication point that it has passed
   has its row at the end of the step, a few last places of time late. The run
   must not depend on where it is recorded, so no step ends there for its sake. */
void run_communicate_late(Run *r);
Status run_communicate_step(Run *r, bool instant);
Status run_communicate_until(Run *r, real end);
Status run_communicate_instant(Run *r);
Status run_communicate_end(Run *r);
/* A row at an event, which is not a communication point. */
Status run_communicate_row(Run *r);

/* Carries out everything that is due at the present time, in the order of
   section 7 of the language, until nothing is left. */
Status run_instant(Run *r);
/* For models with nothing continuous, no clocks and no records: carries out at
   most `most` entries of the calendar up to `limit`, while time advances. */
Status run_discrete(Run *r, real limit, uint32_t most);
/* Makes (t, x) the present point: time, states, algebraic values. */
Status run_present(Run *r, real t, const real *x);
/* Branches of hidden relations and algebraic values for the present point. */
Status run_consistent(Run *r);
/* Sides on which the present point lies, as the model sees it now. */
Status run_branches_wanted(Run *r, int32_t **wanted);
/* Algebraic values of the present point; the first tells, once in a run, which of
   them are not determined by the equations of this mode. */
CosyStatus run_outputs(Run *r);
Status run_present_outputs(Run *r);
/* The same for delays that are zero here. */
Status run_delays_settle(Run *r);
/* Time of the k-th tick of a clock. */
real run_clock_time(const CosyClockInfo *clock, int64_t tick);
/* The number of states has changed: room for them. */
Status run_restructure(Run *r);
/* A body is over: copies that it has created, deleted, suspended or resumed
   come and go. */
Status run_settle(Run *r);
/* r->dx at the present point. */
Status run_derivatives(Run *r);
/* Events of all kinds so far. */
uint64_t run_events(const Run *r);

/* until.c */

/* Whether there is a WAIT UNTIL that is asked after every event. */
bool run_asks_always(const CosyModel *m);
/* Resumes the first transaction whose WAIT UNTIL is over, if there is one. */
Status run_until(Run *r, bool *any);
/* A relation of a WAIT UNTIL has crossed. */
Status run_until_located(Run *r, const Watched *w);
/* The instant is over. */
void run_until_forget(Run *r);

/* observe.c */

/* Time-weighted statistics: time has reached t, and nothing has changed since
   the last event. A CLEAR AT a time up to t is carried out. */
Status run_observe(Run *r, real t);
/* The time up to which events may be carried out before the next run_observe.
   */
real run_observe_next(const Run *r);
/* The run is over. */
Status run_observe_end(Run *r, Status status);

/* instant.c */

/* The body of the event of a CONDIT. `copy` is CosyCondition.copy. */
CosyStatus run_state_body(Run *r, const CosyConditionInfo *k, uint32_t copy);

/* failure.c */

/* Fault for a status that an entry point of the model returned. */
Status run_body_failed(Run *r, CosyStatus status, const char *what);
/* The same for the body of an event, a sample or a process; `line` is used if
   no statement is known. */
Status run_event_failed(Run *r, CosyStatus status, const char *name,
                        uint32_t line);
/* Conditions have failed at t; the watch knows which. */
Status run_condition_failed(Run *r, Status status, real t);
/* A step has failed, and the solver has said why: adds values. */
Status run_step_failed(Run *r, Status status);
/* The run makes no progress: what holds it up, and a way out. */
Status run_stalled(Run *r, const StallReport *s);

#endif
