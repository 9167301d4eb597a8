#ifndef COSY_RUN_KERNEL_H
#define COSY_RUN_KERNEL_H

/* The door to the runtime for callers that do not know the precision of a
   model: one constant table per precision. Numbers pass through it as text, so
   that none of them loses digits on the way. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "base/status.h"

typedef struct KernelSetting {
    const char *name;
    const char *value;
} KernelSetting;

/* How far a search has come that asks for the run. */
typedef struct KernelSearch {
    const char *what;  // "MINIMIZE COST"
    const char *value; // name of what is best
    size_t trials;     // that are done
    bool any;          // there is a best one
    double best;
} KernelSearch;

/* How far a run has come, and the SIMULATE that it belongs to. */
typedef struct KernelProgress {
    uint32_t run;       // its number
    uint32_t done, all; // runs of the SIMULATE, without RERUNs to come
    double t;
    const char *time_unit; // of t; "": none
    double share;          // of the run's span; negative if it ends with FINISH
    /* When the SIMULATE and this run began, in seconds of CLOCK_MONOTONIC. */
    double begun, started;
    uint64_t steps, events; // of this run
    uint32_t pass;          // 0: the run itself; otherwise which of its doubles
    const char *trial;      // of GRIDCHECK, in words; NULL: it is none
    const KernelSearch *search; // NULL: none
} KernelProgress;

typedef struct Kernel Kernel;
typedef struct KernelDouble KernelDouble;
typedef struct KernelGrid KernelGrid; // study/gridcheck.h

/* A model and the kernel that carries it out. */
typedef struct KernelCode {
    const Kernel *kernel;
    const void *model;
    const void *(*newest)(void *newest_user); // as below
    void *newest_user;
} KernelCode;

/* Processes that carry out one study together, and share a folder, DIR.study/JOB. */
#define TEAM_JOBS ".study"
typedef struct KernelTeam {
    const char *folder;
    uint32_t rank, ranks; // of them
    uint32_t alone; // threads of the one that is at work alone; 0: all cores
} KernelTeam;

/* A look at a study before it is carried out: some runs of each SIMULATE are made, and
   nothing of them is kept. Who asks for it ends it by `progress` in the end. */
typedef struct KernelProbe {
    double each; // seconds that a SIMULATE may take, by its first runs
    /* What was found: */
    uint32_t most; // runs of the largest SIMULATE
    uint64_t runs; // of all that were reached
    double work;   // seconds that they take, one after the other
    bool whole;    // all SIMULATEs were reached
    /* The SIMULATE under way, which is not in `work` yet: */
    uint32_t count, made; // of its runs
    double spent;         // seconds, by those that were made
} KernelProbe;

/* What the command line says. Zero or NULL: nothing was given. */
typedef struct KernelOptions {
    const char *dir;           // of the results; NULL: none are written
    const StageKeeper *keeper; // of their stage, or NULL
    const KernelSetting *set;
    uint32_t sets;
    const char *method, *relerr, *abserr, *step; // instead of the model's
    const char *to;
    uint32_t threads; // 0: all cores
    uint64_t seed;
    bool trace; // hidden events are logged, and `traced` gets everything
    const char *trace_of; // see run/trace.h
    bool growth;          // the growth of errors is followed (solve/growth.h)
    bool no_plots;        // --no-plots: no graphs, no report
    unsigned formats;     // of pictures: see plot/plot.h; 0: SVG
    bool no_programs; // no program is started: graphs are in the report only
    /* Columns of the terminal: the first graph is shown among the tables, in
       characters; 0: it is not. */
    uint32_t sketch;
    const char *text;       // of the model, for the report; NULL: not known
    size_t length;          // of it
    const char *remarks;    // what the compiler said about it, or NULL
    const char *pictures;   // of its structure, as HTML, or NULL
    const char *provenance; // what it takes to repeat the run, as JSON, or NULL
    const char *stamp;      // what it has in common with other parts, or NULL
    uint32_t frame;         // 0: all of them
    /* The first two are per run, the third is for the whole experiment, in
       seconds. Whatever reaches one of them is "stopped". */
    uint64_t limit_events;
    const char *limit_time;
    double limit_wall;
    const char *save_path, *save_at, *restore;
    /* --verify: the doubles are computed too (run/verify.h); `digits` is how
       many are wanted, 0: what RELERR promises, minus two. `twin` is set for
       the doubles themselves. */
    bool verify;
    uint32_t digits;
    KernelDouble *twin;
    /* The same model in another precision, compiled on demand; false: not
       available. */
    bool (*precise)(void *precise_user, uint32_t precision, KernelCode *code);
    void *precise_user;
    /* The same program with the intervals of its FIELDs halved (level < 0) or
       doubled (level > 0) so many times, compiled on demand; false: not available.
       NULL: there is no text to translate again. */
    bool (*regrid)(void *regrid_user, int32_t level, KernelCode *code);
    void *regrid_user;
    bool no_gridcheck; // no error bars for FIELDs
    KernelGrid *grid;  // set for the run and its trials by GRIDCHECK
    /* Addresses of the model's EXTERNAL FUNCTIONs, in its order. */
    void (*const *external)(void);
    const char *stored; // summary.json of results that are there, for `output`
    Buffer *json;       // gets summary.json too
    /* --chunk: the part number `chunk` of `chunks` of the runs is made, and left in
       `dir` as a part of the study. */
    uint32_t chunk, chunks;
    /* cosy collect: runs are taken from these folders; none is made. */
    const char *const *part;
    uint32_t parts;
    bool resume; // runs that an interrupted process has made are taken over
    const KernelTeam *team; // NULL: this process is alone
    KernelProbe *probe;     // NULL: the study is carried out
    double snapshot; // seconds between images of a run, for --resume; 0: none
    /* Called from any thread, one at a time. */
    void (*write)(void *user, const char *text, size_t length);
    void (*message)(void *user, const char *text);
    void (*traced)(void *user, const char *text, size_t length);
    /* After every accepted step and now and then between events, from the
       thread of the run; false stops it. */
    bool (*progress)(void *user, const KernelProgress *p);
    /* Whether a run is under way: this tells a run that does not react to
       `progress` in time from one that writes its results. From any thread, one
       at a time; may be NULL. */
    void (*running)(void *user, bool is);
    void *user;
    /* The best code that exists now for the model, from the same C text: called
       before every run and wherever `progress` is, from any thread; the code is
       used at once. */
    const void *(*newest)(void *newest_user);
    void *newest_user;
} KernelOptions;

/* How it went: the worst status of all runs. */
typedef struct KernelOutcome {
    Fault fault;
    uint32_t runs, failed; // including those that were stopped
    bool told;             // a message has already reported it
    bool written;          // the results are in their folder
    bool elsewhere;        // another process of the team has written them
} KernelOutcome;

/* What an integration method wants from INTEGRAT. */
typedef struct KernelMethod {
    bool needs_step;   // it does not choose its own step
    bool refuses_step; // it always chooses its own step
} KernelMethod;

struct Kernel {
    uint32_t precision;
    const char *name;
    double relerr_least; // smallest RELERR that is accepted
    /* False if there is no method of that name; AUTO is one. */
    bool (*method)(const char *name, KernelMethod *out);
    /* Carries out the EXPERIMENT of a model (a CosyModel of this precision). */
    Status (*experiment)(const void *model, const KernelOptions *o,
                         KernelOutcome *out);
    /* Carries out OUTPUT on results that are there (study/replay.h). */
    Status (*output)(const void *model, const KernelOptions *o,
                     KernelOutcome *out);
    /* Whether a file of that name and beginning, in a folder of results, is one
       that an experiment writes: StageOwn of base/stage.h. */
    bool (*owns)(const char *name, const char *beginning);
};

extern const Kernel kernel_double, kernel_extended, kernel_quad;

/* The kernel of a precision, NULL if there is none. */
const Kernel *kernel_find(uint32_t precision);

#endif
