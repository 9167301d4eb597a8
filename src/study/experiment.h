#ifndef COSY_STUDY_EXPERIMENT_H
#define COSY_STUDY_EXPERIMENT_H

/* An EXPERIMENT: its own instance, on which the procedural code works, and the
   runs that its SIMULATE statements ask for.

   The elements of the lists of a SIMULATE, and their replications, are
   independent (series.c, element.c): each has its own Run, starts from the
   values that the experiment's instance has at that moment, and leaves its
   texts, its records and its objects of summary.json in an Element. Threads
   take the next element in order until none is left; results are gathered in
   the order of the elements, so they do not depend on the number of threads.
   With RERUN an element becomes several runs. Then the numbers of the runs
   after it are known only when it is done: whatever was computed of them is
   dropped, and they are carried out one after the other.

   Files are gathered in a stage beside the folder of the results; when all is
   done, the stage takes the place of that folder. */

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "picture/gallery.h"
#include "report/report.h"
#include "run/kernel.h"
#include "run/outlet.h"
#include "run/run.h"
#include "stats/select.h"
#include "study/digest.h"
#include "study/fit_data.h"
#include "study/lists.h"
#include "study/present.h"
#include "study/sampling.h"

#define Experiment           COSY_NAME(Experiment)
#define Depot                COSY_NAME(Depot)
#define Claims               COSY_NAME(Claims)
#define Owner                COSY_NAME(Owner)
#define Element              COSY_NAME(Element)
#define TrialPoint           COSY_NAME(TrialPoint)
#define TrialLeft            COSY_NAME(TrialLeft)
#define Series               COSY_NAME(Series)
#define experiment_go        COSY_NAME(experiment_go)
#define experiment_again     COSY_NAME(experiment_again)
#define experiment_forget    COSY_NAME(experiment_forget)
#define experiment_free      COSY_NAME(experiment_free)
#define experiment_failed    COSY_NAME(experiment_failed)
#define experiment_may_turn  COSY_NAME(experiment_may_turn)
#define experiment_owns      COSY_NAME(experiment_owns)
#define experiment_names     COSY_NAME(experiment_names)
#define host_table           COSY_NAME(host_table)
#define experiment_simulate  COSY_NAME(experiment_simulate)
#define experiment_frame     COSY_NAME(experiment_frame)
#define experiment_list      COSY_NAME(experiment_list)
#define experiment_element   COSY_NAME(experiment_element)
#define experiment_span      COSY_NAME(experiment_span)
#define experiment_random    COSY_NAME(experiment_random)
#define experiment_condition COSY_NAME(experiment_condition)
#define experiment_observe   COSY_NAME(experiment_observe)
#define experiment_constant  COSY_NAME(experiment_constant)
#define experiment_save      COSY_NAME(experiment_save)
#define experiment_cross     COSY_NAME(experiment_cross)
#define experiment_seconds   COSY_NAME(experiment_seconds)
#define series_go            COSY_NAME(series_go)

/* Bytes that processors hand to each other as a whole; two such lines are often
   fetched together. */
enum { CACHE_LINE = 128 };

typedef struct Experiment Experiment;
typedef struct Depot Depot;   // study/depot.h
typedef struct Claims Claims; // study/claims.h

/* What c->run points to, in a run and in the experiment's own instance. */
typedef struct Owner {
    Experiment *e;
    Outlet *outlet;
    Tracer *tracer;                              // NULL: without --trace
    Follow *follow;                              // of the run
    Vector *cross;                               // rows of CROSSPLOT
    bool saved;                                  // SAVE
    bool (*may_turn)(void *user, const Cosy *c); // whether a loop may continue
    void *user;
} Owner;

/* What MEAN and SDEV are asked of: see study/found.h. */
typedef struct Asked {
    enum { ASKED_EARLY, ASKED_ELSEWHERE, ASKED_THERE } state;
    Vector quantities; // Quantity
    Vector figures;    // reals: of each a mean and a deviation; empty: none
} Asked;

struct Experiment {
    const CosyModel *model;
    bool quiet; // only its numbers are wanted: nothing is shown or kept
    const KernelOptions *options;
    KernelOutcome *outcome;
    Arena arena;
    Image image; // never saved, but instances need one
    Fault fault;
    Instance instance;
    Owner owner;
    OutletShared shared;
    Outlet outlet;
    TraceFilter filter;
    Lists lists;
    Sampling sampling; // UNCERTAIN
    Vector generators; // uint32_t: items of RANDOMGEN in force
    Vector conditions; // uint32_t: conditions of the start in force
    Stage stage;
    Depot *depot;        // what has been computed already, and is kept; or NULL
    Claims *claims;      // of the team that it belongs to, or NULL
    uint32_t series;     // SIMULATEs so far
    uint32_t chunk_runs; // with --chunk: runs of this part
    double begun;        // when it began, by experiment_seconds
    uint32_t told;       // runs listed in the report
    Buffer report;       // the table of the runs
    Vector before;       // data and x before the present frame
    Present present;     // points of the present frame
    uint32_t storing_before;
    uint32_t frames;       // highest frame number so far
    bool frame_found;      // the frame of --frame exists
    atomic_bool unwritten; // a file of the results could not be written
    atomic_bool unkept;    // a run of a part had no memory, and is not in it
    atomic_bool stop;      // Ctrl-C, --limit-wall, a full disk
    Vector summaries;      // of Buffer
    Asked asked;           // the answers of the last SIMULATE
    Gallery gallery;       // what is kept for OUTPUT, and its pictures
    Vector oneway;         // what one-way conditions did in all runs
    FitTaken *taken;       // its runs predict data, for a FIT; or NULL
    Vector digests;        // Digest, in the order of the runs; with --verify
    size_t digested;       // bytes that the digests take
    uint32_t undigested;   // runs without a digest
    Buffer verified;       // member "verify" of summary.json; empty: none
    Buffer found;          // what searches have found, for the terminal
    Buffer optima;     // the same, for "optimum": objects with commas between
    uint32_t searches; // MINIMIZE, MAXIMIZE, SOLVE and FIT so far
    alignas(CACHE_LINE) uint32_t running; // runs under way; guarded by
                                          // shared.lock
};

/* Which run a trial is (trial.h): bytes that mean the same in every process that
   carries out the same experiment. */
typedef struct TrialPoint {
    uint32_t element;     // of its series, from 0
    uint32_t place;       // element of the lists
    uint32_t replication; // from 0
    uint32_t number;      // of the run
    uint32_t again;       // RERUNs before it
} TrialPoint;

/* What a run leaves to the one that follows. */
typedef struct TrialLeft {
    Vector data, x;
    CosyHead head;
    bool slid; // it has ended on a threshold along which it slid
} TrialLeft;

/* One element of the lists of a SIMULATE, with its RERUNs. */
typedef struct Element {
    uint32_t number; // number of its first run
    uint32_t place;  // element of the lists
    uint32_t replication;
    uint32_t runs, failed;
    Fault fault; // of the first run that failed
    bool ended;  // ERROREXIT
    bool done;
    Outlet outlet;
    Buffer summaries, report;
    Vector cross, shown;
    Vector values;     // reals: its figures for replications
    Vector histograms; // CosyHistogram: its own, for the pooled ones
    Vector parameters; // RunSetting, of the first replication
    Vector swept;      // reals: its row of the study (stats/sweep.h)
    Vector envelope;   // reals: its curves (stats/envelope.h)
    Vector oneway;     // what its one-way conditions did
    Vector digests;    // Digest, of its runs
    Plots pictures;
    Vector saves;   // numbers of its runs that were SAVEd
    TrialLeft left; // by its last run, for the next one
} Element;

/* The runs of one SIMULATE. */
typedef struct Series {
    Experiment *e;
    const CosySimulate *s;
    RunOptions options;
    uint32_t index;    // of all SIMULATEs of the experiment
    Depot *depot;      // e->depot, if its elements are kept
    bool apart;        // elements are only kept in the depot, not gathered
    bool shared;       // elements that are not there are with another process
    atomic_uint count; // elements; WITHIN may lower it
    uint32_t end;      // elements from here on belong to another process; as a
                       // rule = count
    uint32_t list;     // elements of the lists, without replications
    uint32_t most;     // the most replications
    uint32_t first;    // runs before this series
    bool replicated, antithetic;
    struct {
        uint32_t first; // element that begins the present replication
        uint32_t round; // its number
        uint32_t count; // of alternatives that are still there
        uint32_t place[SELECT_MOST];
    } best; // with REPLICATE BEST
    double begun;
    atomic_uint valid; // elements after this one do not count
    Present left;      // where the elements have ended
    TrialLeft last;    // by the last one of all
    bool over;         // it is known
    uint32_t window;   // number of places in `element`, a ring
    Element *element;
    /* Every run changes what follows, and asks for what stands before at each of
       its steps: so it lies in other cache lines. */
    alignas(CACHE_LINE) atomic_uint done;
    pthread_mutex_t lock;
    pthread_cond_t moved; // signalled when `turn` moves on or the series ends
    uint32_t next;        // the element to take next
    uint32_t turn;        // the element that may write, and is gathered next
    bool gathering;       // a thread is at it
    Status status;        // of gathering
} Series;

/* Frees what runs have left, or everything. */
void experiment_forget(Experiment *e);
void experiment_free(Experiment *e);
/* Whether statements of an EXPERIMENT may go on; `user` is it. */
bool experiment_may_turn(void *user, const Cosy *c);
/* Notes why the statements of the EXPERIMENT ended, if that is not noted yet. */
Status experiment_failed(Experiment *e, CosyStatus status);
/* The services that models may call; c->run is an Owner. */
extern const CosyHost host_table;

Status experiment_go(const void *model, const KernelOptions *o,
                     KernelOutcome *out);
/* Options to carry an experiment out once more: nothing is written, said or
   drawn. */
KernelOptions experiment_again(const KernelOptions *o);
/* Whether a file with this name and beginning is one that an experiment writes.
   */
bool experiment_owns(const char *name, const char *beginning);
/* The variables whose final values a report shows. */
const ReportName *experiment_names(const CosyModel *m, Arena *a,
                                   uint32_t *count);
/* Services of the host. */
CosyStatus experiment_simulate(Cosy *c, const CosySimulate *s);
bool experiment_frame(Cosy *c, uint32_t number);
CosyStatus experiment_list(Cosy *c, CosyList which, uint32_t variable,
                           uint32_t index);
CosyStatus experiment_element(Cosy *c, real value, int64_t count,
                              real increment);
CosyStatus experiment_span(Cosy *c, real a, real b, int64_t points, bool log);
CosyStatus experiment_random(Cosy *c, uint32_t g);
CosyStatus experiment_condition(Cosy *c, uint32_t k);
CosyStatus experiment_observe(Cosy *c, CosyStatistic kind, uint32_t first,
                              uint32_t count, real a, real b, real w);
real experiment_constant(Cosy *c, uint32_t variable, real value);
CosyStatus experiment_save(Cosy *c);
CosyStatus experiment_cross(Cosy *c);

/* All runs of a SIMULATE; a status other than STATUS_OK ends the experiment. */
Status series_go(Experiment *e, const CosySimulate *s);
double experiment_seconds(void);
#endif
