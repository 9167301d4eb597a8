#ifndef COSY_CLI_SLURM_PLAN_H
#define COSY_CLI_SLURM_PLAN_H

/* In how many parts a study is made by Slurm. A probe of a second makes some of its runs
   (study/probe.h); then the sizes follow from three wishes: a task works for several
   seconds at least, since Slurm takes about one to start it; for half an hour at most, so
   that little is lost with it and it fits into gaps; and there are some more tasks than
   work at once, if they are long, so that none waits long for the last one. */

#include "base/buffer.h"
#include "cli/options.h"

#define SLURM_SHORTEST 5.0    // seconds of a task
#define SLURM_PLENTY   60.0   // from here on there are several for each place
#define SLURM_SEVERAL  4      // of them
#define SLURM_LONGEST  1800.0 // seconds of a task
#define SLURM_ARRAY    1000   // tasks that an array of Slurm may have as a rule

typedef struct SlurmPlan {
    uint32_t tasks; // at once
    uint32_t parts;
    uint32_t most; // runs of the largest SIMULATE
    uint64_t runs; // of all that were reached by the probe
    double work;   // seconds that they take, one after the other; 0: not known
    bool whole;    // the probe has reached all of them
    bool small;    // less work than one task should have
} SlurmPlan;

/* Fills the plan; a fault: the study cannot be carried out, or not in parts, and nothing
   is to be submitted. `stop` ends the probe. */
Status slurm_plan(SlurmPlan *p, const RunCommand *r, const void *kernel,
                  const void *model, bool (*stop)(void *user), Fault *f);
/* How many parts; threads: those of a task. */
uint32_t slurm_divide(const SlurmPlan *p, uint32_t threads);
/* "1.2 s", "40 ms", "3 h". */
void slurm_span(Buffer *b, double seconds);
/* "100 runs of about 1.2 s each, 2 min in all". */
void slurm_tell_work(Buffer *b, const SlurmPlan *p);

#endif
