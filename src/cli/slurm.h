#ifndef COSY_CLI_SLURM_H
#define COSY_CLI_SLURM_H

/* cosy run --slurm N: the runs of a study are made by a job array of Slurm, whose tasks
   carry out cosy run --chunk, and the results are put together here (study/resume.h).

       slurm_go       decides on the parts, submits, and waits
       slurm_settle   the results are written: the parts go
       slurm_free

   Everything is in a folder beside the results, DIR.slurm:

       study.json     which study it is (its provenance), parts, numbers of jobs
       job.sh         the script of the array
       task-K.txt     what task K has said
       part-K         the part it leaves

   A part is done when its part.json says that it is complete, whatever Slurm says: files
   survive longer than what Slurm remembers. With --resume only parts that are not done
   are submitted, unless a task still works on them. The waiting process may go away at
   any time. */

#include "cli/options.h"
#include "cli/slurm_plan.h"
#include "cli/slurm_queue.h"

/* A part, and the task that makes it. */
typedef struct SlurmPart {
    bool done;      // it is complete
    bool failed;    // its task has ended without it, as told
    bool live;      // by the last squeue
    bool runs;      // not only pending
    char state[24]; // by squeue; "" if it does not know it
    double over;    // when its task was first seen to have ended; 0: not yet
} SlurmPart;

typedef struct Slurm {
    RunCommand *r;
    const char *provenance;
    const void *kernel, *model;
    bool quiet, moves;        // whether notes, and a progress line, are shown
    bool (*stop)(void *user); // Ctrl-C
    /* The rest is its own. */
    SlurmPlan plan;
    Queue queue;
    Buffer folder, jobs; // "17,23"
    uint32_t parts;
    Vector part;  // SlurmPart
    Buffer names; // of the folders of the parts, each ended by NUL
} Slurm;

typedef enum SlurmEnd {
    SLURM_COLLECT, // r->kernel.part has all parts of the study
    SLURM_HERE,    // it is to be carried out here
    SLURM_OVER     // *status is that of the command
} SlurmEnd;

SlurmEnd slurm_go(Slurm *s, int *status);
void slurm_settle(Slurm *s);
void slurm_free(Slurm *s);

/* ---- Between slurm.c and slurm_wait.c */

static inline SlurmPart *slurm_part(const Slurm *s, uint32_t k)
{
    return (SlurmPart *)(void *)s->part.bytes + k;
}

/* Waits until every part is done, or its task has ended; false: it was stopped. */
bool slurm_wait(Slurm *s);
/* Looks at the files of all parts; how many are done. */
uint32_t slurm_count_done(Slurm *s);
/* Asks squeue for the parts that are not done; false: it does not answer. */
bool slurm_look(Slurm *s);
/* "cosy: note: ...", unless --quiet. */
void slurm_note(const Slurm *s, const char *text);
/* The command line with --resume, for messages. */
void slurm_again(const Slurm *s, Buffer *b);
/* The numbers of the jobs with blanks between, as scancel wants them. */
void slurm_jobs(const Slurm *s, Buffer *b);

#endif
