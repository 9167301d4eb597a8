#ifndef COSY_RUN_EXPERIMENT_H
#define COSY_RUN_EXPERIMENT_H

/* An EXPERIMENT: its own instance, on which the procedural code works, and the
   runs that its SIMULATE statements ask for.

   The elements of the lists of a SIMULATE, and their replications, are
   independent (series.c, element.c): each has
   its own Run, starts from the values that the experiment's instance has then,
   and leaves its texts, its records and its objects of summary.json in an
   Element. Threads take the next element in order until none is left; what is
   put together afterwards follows the order of the elements, so results do not
   depend on the number of threads. With RERUN an element becomes several runs.
   Then the numbers of the runs behind it are only known when it is done: what
   was computed of them is dropped, and they follow one after the other.

   Files are gathered in a stage beside the folder of the results, which takes
   its place when all is done. */

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "plot/plots.h"
#include "run/digest.h"
#include "run/kernel.h"
#include "run/lists.h"
#include "run/outlet.h"
#include "run/run.h"
#include "stats/replicate.h"
#include "stats/show.h"

#define Experiment           COSY_NAME(Experiment)
#define Owner                COSY_NAME(Owner)
#define Element              COSY_NAME(Element)
#define Shown                COSY_NAME(Shown)
#define Series               COSY_NAME(Series)
#define experiment_go        COSY_NAME(experiment_go)
#define experiment_owns      COSY_NAME(experiment_owns)
#define host_table           COSY_NAME(host_table)
#define experiment_simulate  COSY_NAME(experiment_simulate)
#define experiment_frame     COSY_NAME(experiment_frame)
#define experiment_list      COSY_NAME(experiment_list)
#define experiment_element   COSY_NAME(experiment_element)
#define experiment_span      COSY_NAME(experiment_span)
#define experiment_random    COSY_NAME(experiment_random)
#define experiment_observe   COSY_NAME(experiment_observe)
#define experiment_constant  COSY_NAME(experiment_constant)
#define experiment_save      COSY_NAME(experiment_save)
#define experiment_cross     COSY_NAME(experiment_cross)
#define experiment_wants     COSY_NAME(experiment_wants)
#define experiment_seconds   COSY_NAME(experiment_seconds)
#define experiment_show      COSY_NAME(experiment_show)
#define experiment_find      COSY_NAME(experiment_find)
#define graphs_wanted        COSY_NAME(graphs_wanted)
#define graphs_keep          COSY_NAME(graphs_keep)
#define graphs_free          COSY_NAME(graphs_free)
#define graphs_bars          COSY_NAME(graphs_bars)
#define graphs_make          COSY_NAME(graphs_make)
#define graphs_draw          COSY_NAME(graphs_draw)
#define experiment_rows      COSY_NAME(experiment_rows)
#define experiment_find_rows COSY_NAME(experiment_find_rows)
#define series_go            COSY_NAME(series_go)

typedef struct Experiment Experiment;

/* What c->run is: of a run, or of the experiment's own instance. */
typedef struct Owner {
    Experiment *e;
    Outlet *outlet;
    Tracer *tracer;                              // NULL: without --trace
    Vector *cross;                               // rows of CROSSPLOT
    bool saved;                                  // SAVE
    bool (*may_turn)(void *user, const Cosy *c); // a loop asks: goes it on?
    void *user;
} Owner;

/* Records of a run that OUTPUT may want. */
typedef struct Shown {
    uint32_t run;
    bool saved;
    Vector rows;
    Vector histograms; // of CosyHistogram, as the model's table has them
    Vector active;     // a byte per TIMEPERS: the frame wanted it
    Vector marks;      // of real: times of state events, if they are not many
    Vector spans;      // of RunSpan: sliding and rest
    Buffer parameters; // "A=1, B=2", or nothing
    Course course;     // without its columns
} Shown;

struct Experiment {
    const CosyModel *model;
    const KernelOptions *options;
    KernelOutcome *outcome;
    Arena arena;
    Image image; // not saved; instances need one
    Fault fault;
    Instance instance;
    Owner owner;
    OutletShared shared;
    Outlet outlet;
    TraceFilter filter;
    Lists lists;
    Vector generators; // of uint32_t: items of RANDOMGEN in force
    Stage stage;
    double begun;  // in seconds, as experiment_seconds
    uint32_t runs; // so far, over all SIMULATEs
    uint32_t told; // in the report
    Buffer report; // the table of the runs
    Vector before; // data and x before the present frame
    uint32_t storing_before;
    uint32_t frames;       // highest number so far
    bool frame_found;      // that of --frame
    atomic_bool unwritten; // a file of the results could not be written
    atomic_bool stop;      // Ctrl-C, --limit-wall, a full disk
    uint32_t running;      // runs under way; with shared.lock
    Vector summaries;      // of Buffer
    Replications replications;
    Vector cross;  // rows
    Vector shown;  // of Shown, in the order of the runs
    Vector oneway; // what conditions of one direction did in all runs
    Plots plots;   // its graphs, from graphs_make on
    bool plots_full;
    Vector digests;      // of Digest: with --verify, of the runs in their order
    size_t digested;     // bytes that these take
    uint32_t undigested; // runs that are not among them
    Buffer verified;     // member "verify" of summary.json; empty: none
};

/* One element of the lists of a SIMULATE, with its RERUNs. */
typedef struct Element {
    uint32_t number; // of its first run
    uint32_t runs, failed;
    Fault fault; // of the first that failed
    bool ended;  // ERROREXIT
    bool done;
    bool files; // there may be some
    Outlet outlet;
    Buffer summaries, report;
    Vector cross, shown;
    Vector data, x;    // of its last run, for the next
    Vector values;     // of reals: what it says about replications
    Vector parameters; // of RunSetting: of the first replication
    Vector oneway;     // what its conditions of one direction did
    Vector digests;    // of Digest: of its runs
    CosyHead head;
} Element;

/* The runs of one SIMULATE. */
typedef struct Series {
    Experiment *e;
    const CosySimulate *s;
    RunOptions options;
    atomic_uint count; // elements; WITHIN may end before
    uint32_t list;     // those of the lists, without replications
    uint32_t first;    // runs before
    bool replicated, antithetic;
    bool finals; // some array has a file of its own
    bool parallel;
    double begun;
    atomic_uint done;
    atomic_uint valid; // elements behind this one do not count
    pthread_mutex_t lock;
    pthread_cond_t moved; // turn, or an end
    uint32_t next;        // element to be taken
    uint32_t turn;   // the element that may write, and is put together next
    Status status;   // of putting together
    uint32_t window; // places of `element`, a ring
    Element *element;
} Series;

/* What models may call; c->run is an Owner. */
extern const CosyHost host_table;

Status experiment_go(const void *model, const KernelOptions *o,
                     KernelOutcome *out);
/* Files that an experiment writes, by name and beginning. */
bool experiment_owns(const char *name, const char *beginning);
/* Services of the host. */
CosyStatus experiment_simulate(Cosy *c, const CosySimulate *s);
bool experiment_frame(Cosy *c, uint32_t number);
CosyStatus experiment_list(Cosy *c, CosyList which, uint32_t variable,
                           uint32_t index);
CosyStatus experiment_element(Cosy *c, real value, int64_t count,
                              real increment);
CosyStatus experiment_span(Cosy *c, real a, real b, int64_t points, bool log);
CosyStatus experiment_random(Cosy *c, uint32_t g);
CosyStatus experiment_observe(Cosy *c, CosyStatistic kind, uint32_t first,
                              uint32_t count, real a, real b, real w);
real experiment_constant(Cosy *c, uint32_t variable, real value);
CosyStatus experiment_save(Cosy *c);
CosyStatus experiment_cross(Cosy *c);

/* All runs of a SIMULATE; a status other than STATUS_OK ends the experiment. */
Status series_go(Experiment *e, const CosySimulate *s);
/* OUTPUT may want the records of this run. */
bool experiment_wants(const Experiment *e, uint32_t run, bool saved, bool last);
/* OUTPUT: tables and curves of what was recorded. */
void experiment_show(Experiment *e);
double experiment_seconds(void);
/* The run that a line of OUTPUT means, NULL if there is none. */
const Shown *experiment_find(const Experiment *e, const CosyShow *line);
/* What a line of OUTPUT shows; false if there is nothing. */
bool experiment_find_rows(const Experiment *e, const CosyShow *line,
                          ShowSource *from);
/* The same, with a warning. */
bool experiment_rows(Experiment *e, const CosyShow *line, ShowSource *from);

/* graphs.c */

/* The model has something that is drawn without being asked. */
bool graphs_wanted(const Experiment *e);
/* What graphs need of a run that is over: taken from it. */
Status graphs_keep(Shown *s, Run *r);
void graphs_free(Shown *s);
/* BARS as text; false: one of them is no HISTOGRAM of that run. */
bool graphs_bars(Buffer *b, const CosyModel *m, const CosyShow *line,
                 const Shown *s);
/* Fills e->plots. */
Status graphs_make(Experiment *e);
/* DIR/plots: scripts, and what gnuplot makes of them. */
Status graphs_draw(Experiment *e, const char *dir);

#endif
