#ifndef COSY_RUN_EXPERIMENT_H
#define COSY_RUN_EXPERIMENT_H

/* An EXPERIMENT: its own instance, on which the procedural code works, and the
   runs that its SIMULATE statements ask for. The runs of one SIMULATE are
   independent: each has its own Run, starts from the values that the
   experiment's instance has then, and leaves its records and its object of
   summary.json. Threads take the next run in order until none is left; what is
   put together afterwards follows the order of the runs, so results do not
   depend on the number of threads. */

#include <pthread.h>

#include "base/buffer.h"
#include "run/kernel.h"
#include "run/run.h"

#define Experiment          COSY_NAME(Experiment)
#define experiment_go       COSY_NAME(experiment_go)
#define host_table          COSY_NAME(host_table)
#define experiment_simulate COSY_NAME(experiment_simulate)
#define ExperimentList      COSY_NAME(ExperimentList)
#define experiment_frame    COSY_NAME(experiment_frame)
#define experiment_list     COSY_NAME(experiment_list)
#define experiment_element  COSY_NAME(experiment_element)
#define experiment_constant COSY_NAME(experiment_constant)
#define experiment_message  COSY_NAME(experiment_message)
#define experiment_write    COSY_NAME(experiment_write)

typedef struct Experiment {
    const CosyModel *model;
    const KernelOptions *options;
    KernelOutcome *outcome;
    Arena arena;
    Image image; // not saved; instances need one
    Fault fault;
    Instance instance;
    uint32_t runs;        // so far, over all SIMULATEs
    Vector summaries;     // of Buffer, one per run
    Vector lists;         // of ExperimentList: PARAMETER and INITCOND
    Vector elements;      // of real: theirs, one list behind the other
    pthread_mutex_t lock; // of messages and output
} Experiment;

/* A list of the present frame; its elements begin at `first`. */
typedef struct ExperimentList {
    CosyList which;
    uint32_t variable, index;
    uint32_t first, count;
} ExperimentList;

/* What models may call; c->run is the Experiment. */
extern const CosyHost host_table;

Status experiment_go(const void *model, const KernelOptions *o,
                     KernelOutcome *out);
/* host->simulate, frame, list, element, constant. */
CosyStatus experiment_simulate(Cosy *c, const CosySimulate *s);
bool experiment_frame(Cosy *c, uint32_t number);
CosyStatus experiment_list(Cosy *c, CosyList which, uint32_t variable,
                           uint32_t index);
CosyStatus experiment_element(Cosy *c, real value, int64_t count,
                              real increment);
real experiment_constant(Cosy *c, uint32_t variable, real value);
void experiment_message(Experiment *e, CosySeverity severity, uint32_t line,
                        const char *text);
void experiment_write(Experiment *e, const char *text, size_t length);

#endif
