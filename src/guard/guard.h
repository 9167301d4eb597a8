#ifndef COSY_GUARD_GUARD_H
#define COSY_GUARD_GUARD_H

/* Work for strangers, in a process that can compute and nothing else.

   guard_run forks. The child gives up all but memory, threads, clocks and the
   descriptors it has (seccomp, cage.h), and calls `body`; its result is the exit
   status. The parent, who holds nothing of the stranger's, serves the few things
   the child may ask for (door.h), one at a time:

       files      to be read: the model, and plain files below its folder. No
                  "..", no symbolic link, no device, pipe or socket: what is
                  handed over is a descriptor that was looked at after it was
                  opened, so nobody can exchange it on the way
                  to be written: in the folder of the results, which the parent
                  has made, so many and so long
       compile    C to an object, by whoever may start programs
       results    take their place, or not

   The child need not know: system calls with a path become questions on their
   way (a handler of SIGSYS), so open, mkdir and rename work as far as they are
   allowed, and fail with EACCES where they are not. What has no such meaning
   (sockets, programs, processes, signals to others) fails with EPERM.

   The parent ends the child when its time is over, whatever it is at. */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/stage.h"
#include "base/status.h"

typedef struct GuardLimits {
    double wall, cpu; // seconds
    uint64_t memory;  // bytes beyond what the program has when it begins
    uint64_t results; // bytes of all files
    uint32_t files;   // of results
} GuardLimits;

/* What a stranger gets if nothing else is said. */
extern const GuardLimits guard_usual;

/* What the parent does for the child. */
typedef struct GuardPlan {
    const char *model; // the file; its folder is that of all data
    GuardLimits limits;
    const char *results; // folder, or NULL: there are none
    StageOwn *own;       // of what is there already
    /* A verified descriptor of the compiled C. */
    Status (*compile)(void *user, const char *text, size_t n,
                      uint32_t precision, int *fd, Fault *f);
    void (*started)(void *user, pid_t child);
    void *user;
} GuardPlan;

/* How it ended, if not by itself: STATUS_LIMIT, STATUS_STOPPED (a signal from
   outside), STATUS_MODEL (it died), STATUS_UNSUPPORTED (there is no protection
   here, so nothing was run); *status is what `body` returned. */
Status guard_run(const GuardPlan *g, int (*body)(void *user), void *user,
                 int *status, Fault *f);

/* ---- For the child ------------------------------------------------------- */

/* As GuardPlan.compile. */
Status guard_compile(const char *text, size_t n, uint32_t precision, int *fd,
                     Fault *f);
/* Keeps the folder of the results: the parent does. */
extern const StageKeeper guard_keeper;

/* Limits the memory of this process to so much more than it has. */
Status guard_memory(uint64_t bytes, Fault *f);

#endif
