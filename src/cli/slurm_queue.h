#ifndef COSY_CLI_SLURM_QUEUE_H
#define COSY_CLI_SLURM_QUEUE_H

/* The commands of Slurm (sbatch, squeue, scontrol, sacct, scancel), and what they say.

       queue_present   whether this machine has them
       queue_submit    a job array
       queue_look      what its tasks are doing
       queue_end       how one has ended, in words
       queue_cancel

   Each is a process of its own group, so that Ctrl-C does not reach it: a job that is
   being submitted is submitted. One that does not answer is ended when `stop` says so. */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct Queue {
    bool (*stop)(void *user);
    void *user;
    Buffer said; // by the last command, both its outputs
} Queue;

typedef struct QueueArray {
    const char *name;    // of the job
    const char *indices; // "1-8%4"
    const char *output;  // of a task; %a is its index
    uint32_t threads; // cores of a task; 0: one, unless `options` ask for more
    const char *options; // further ones, as in a shell, or NULL
    const char *script;
} QueueArray;

/* What squeue says of a task: its index, "RUNNING" or the like, and why. */
typedef void QueueEach(void *user, uint32_t index, const char *state,
                       const char *reason);

bool queue_present(void);
/* The command line that submits it, for a shell. False: no memory, or a quote in the
   options has no end. */
bool queue_line(Buffer *b, const QueueArray *a);
/* Appends the job's number. False: q->said tells why. */
bool queue_submit(Queue *q, const QueueArray *a, Buffer *job);
/* `jobs` are numbers with commas between. False: squeue does not answer, and q->said
   tells why. */
bool queue_look(Queue *q, const char *jobs, QueueEach *each, void *user);
/* Whether a task in that state has ended. */
bool queue_is_over(const char *state);
/* "exit status 2", "its time was over (TIMEOUT)"; state: as squeue told it, or "". */
void queue_end(Queue *q, const char *jobs, uint32_t index, const char *state,
               Buffer *b);
void queue_cancel(Queue *q, const char *jobs);
/* A word as a shell reads it. */
void queue_word(Buffer *b, const char *word);
void queue_free(Queue *q);

#endif
