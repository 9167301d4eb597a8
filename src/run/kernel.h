#ifndef COSY_RUN_KERNEL_H
#define COSY_RUN_KERNEL_H

/* The door to the runtime for whoever does not know the precision of a model:
   one constant table per precision. Numbers cross it as text, so that none of
   them loses digits on the way. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "base/status.h"

typedef struct KernelSetting {
    const char *name;
    const char *value;
} KernelSetting;

/* How far a run is, and the SIMULATE that it belongs to. */
typedef struct KernelProgress {
    uint32_t run;       // its number
    uint32_t done, all; // runs of the SIMULATE; RERUNs are not known before
    double t;
    const char *time_unit; // of t; "": none
    double share; // of the run's span; negative where it ends with FINISH
    /* When the SIMULATE began, and this run, of CLOCK_MONOTONIC in seconds. */
    double begun, started;
    uint64_t steps, events; // of this run
    uint32_t pass;          // 0: the run itself; else which of its doubles
} KernelProgress;

typedef struct Kernel Kernel;
typedef struct KernelDouble KernelDouble;

/* A model and what carries it out. */
typedef struct KernelCode {
    const Kernel *kernel;
    const void *model;
    const void *(*newest)(void *newest_user); // as below
    void *newest_user;
} KernelCode;

/* What the command line says. Zero, NULL: nothing was said. */
typedef struct KernelOptions {
    const char *dir;           // of the results; NULL: none are written
    const StageKeeper *keeper; // of their stage, or NULL
    const KernelSetting *set;
    uint32_t sets;
    const char *method, *relerr, *abserr, *step; // instead of the model's
    const char *to;
    uint32_t threads; // 0: all cores
    uint64_t seed;
    bool trace;           // hidden events are logged, all is told to `traced`
    const char *trace_of; // see run/trace.h
    bool growth;      // the growth of errors is carried along (solve/growth.h)
    bool no_plots;    // --no-plots: no graphs, no report
    unsigned formats; // of pictures: see plot/plot.h; 0: SVG
    bool no_programs; // none is started: graphs are in the report only
    uint32_t sketch;  // columns of the terminal: the first graph in characters
                      // stands with the tables; 0: it does not
    const char *text; // of the model, for the report; NULL: not known
    size_t length;    // of it
    const char *remarks;    // what the compiler said about it, or NULL
    const char *provenance; // what it takes to do it again, as JSON, or NULL
    uint32_t frame;         // 0: all of them
    /* Per run; of the whole experiment in seconds. Whatever reaches one of them
       is "stopped". */
    uint64_t limit_events;
    const char *limit_time;
    double limit_wall;
    const char *save_path, *save_at, *restore;
    /* --verify: the doubles too (run/verify.h), and so many digits wanted; 0: what
       RELERR promises, less two. `twin` is set for the doubles themselves. */
    bool verify;
    uint32_t digits;
    KernelDouble *twin;
    /* The same model in another precision, compiled when it is asked for; false:
       it cannot be had. */
    bool (*precise)(void *precise_user, uint32_t precision, KernelCode *code);
    void *precise_user;
    /* Addresses of the model's EXTERNAL FUNCTIONs, in its order. */
    void (*const *external)(void);
    Buffer *json; // summary.json goes here too
    /* Called from any thread, one at a time. */
    void (*write)(void *user, const char *text, size_t length);
    void (*message)(void *user, const char *text);
    void (*traced)(void *user, const char *text, size_t length);
    /* After every accepted step and now and then between events, from the
       thread of the run; false stops it. */
    bool (*progress)(void *user, const KernelProgress *p);
    /* A run is under way, or none any more: whoever does not react to `progress`
       in time can be told from whoever writes results. From any thread, one at a
       time; NULL: nobody wants to know. */
    void (*running)(void *user, bool is);
    void *user;
    /* The best code there is now for the model, of the same C text: asked
       before every run and wherever `progress` is, from any thread, and taken
       over at once. */
    const void *(*newest)(void *newest_user);
    void *newest_user;
} KernelOptions;

/* How it went: the worst status of all runs. */
typedef struct KernelOutcome {
    Fault fault;
    uint32_t runs, failed; // also those that were stopped
    bool told;             // by a message already
    bool written;          // the results are in their folder
} KernelOutcome;

/* What a method of integration wants of INTEGRAT. */
typedef struct KernelMethod {
    bool needs_step;   // it does not choose its own
    bool refuses_step; // it always does
} KernelMethod;

struct Kernel {
    uint32_t precision;
    const char *name;
    double relerr_least; // no smaller RELERR is taken
    /* False if it has no method of that name; AUTO is one. */
    bool (*method)(const char *name, KernelMethod *out);
    /* Carries out the EXPERIMENT of a model (a CosyModel of this precision). */
    Status (*experiment)(const void *model, const KernelOptions *o,
                         KernelOutcome *out);
    /* Whether a file of that name and beginning, in a folder of results, is one
       that an experiment writes: StageOwn of base/stage.h. */
    bool (*owns)(const char *name, const char *beginning);
};

extern const Kernel kernel_double, kernel_extended, kernel_quad;

/* The kernel of a precision, NULL if there is none. */
const Kernel *kernel_find(uint32_t precision);

#endif
