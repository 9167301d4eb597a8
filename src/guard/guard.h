#ifndef COSY_GUARD_GUARD_H
#define COSY_GUARD_GUARD_H

/* Work for strangers, in a process that can compute and nothing else.

   guard_run forks. The child gives up everything except memory, threads, clocks
   and the descriptors it has (seccomp, cage.h), and calls `body`; its result is
   the exit status. The parent, which runs none of the stranger's code, serves
   the few requests that the child may make (door.h), one at a time:

       files      to be read: the model, and plain files below its folder. No
                  "..", no symbolic link, no device, pipe or socket: what is
                  passed is a descriptor that was examined after it was
                  opened, so nobody can exchange it on the way
                  to be written: in the folder of the results, which the parent
                  has made, with limits on number and size
       compile    C to an object, by whoever may start programs
       results    take their place, or not

   The child need not know: a handler of SIGSYS turns system calls with a path
   into questions, so open, mkdir and rename work as far as they are allowed,
   and fail with EACCES otherwise. Everything else (sockets, programs,
   processes, signals to others) fails with EPERM.

   The parent ends the child when its time is over, whatever it is doing. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "base/status.h"

typedef struct GuardLimits {
    double wall, cpu; // seconds
    uint64_t memory;  // bytes beyond what the program has at its start
    uint64_t results; // bytes of all files
    uint32_t files;   // files of results
} GuardLimits;

/* The default limits for a stranger. */
extern const GuardLimits guard_usual;

/* What the parent does for the child. */
typedef struct GuardPlan {
    const char *model; // the file; its folder is that of all data
    GuardLimits limits;
    const char *results; // folder; NULL: there are none
    StageOwn *own;       // decides about what is there already
    /* Compiles C; gives a verified descriptor. */
    Status (*compile)(void *user, const char *text, size_t n,
                      uint32_t precision, int *fd, Fault *f);
    void (*started)(void *user, pid_t child);
    void *user;
} GuardPlan;

/* Returns how it ended, if not by itself: STATUS_LIMIT, STATUS_STOPPED (a
   signal from outside), STATUS_MODEL (it died), STATUS_UNSUPPORTED (there is no
   protection here, so nothing was run). *status is what `body` returned. */
Status guard_run(const GuardPlan *g, int (*body)(void *user), void *user,
                 int *status, Fault *f);

/* ---- For the child ------------------------------------------------------- */

/* As GuardPlan.compile. */
Status guard_compile(const char *text, size_t n, uint32_t precision, int *fd,
                     Fault *f);
/* Lets the parent keep the folder of the results. */
extern const StageKeeper guard_keeper;

/* Limits the memory of this process to so much more than it has. */
Status guard_memory(uint64_t bytes, Fault *f);

#endif
