#ifndef COSY_RUN_PROBE_H
#define COSY_RUN_PROBE_H

/* Looks at a run at given times, without any influence on it: between the ends of a
   step the values come from dense output, and at an instant with events they are those
   after its events. Before and after each look the run is the same to the last bit.

       RunWatch.open   called when the run stands at its start, all values being
                       consistent; gives the times: probe->time, n, look, user
       probe.look      called at each of them, with the instance at that point. It may
                       compute columns of OUTPUT

   run_probe_begin, _late, _step, _until and _instant are called where the functions of
   communication points with these names are (run.h). */

#include "base/arena.h"
#include "base/status.h"
#include "cosy/model.h"

#define Probe             COSY_NAME(Probe)
#define RunWatch          COSY_NAME(RunWatch)
#define Run               COSY_NAME(Run)
#define run_probe_begin   COSY_NAME(run_probe_begin)
#define run_probe_late    COSY_NAME(run_probe_late)
#define run_probe_step    COSY_NAME(run_probe_step)
#define run_probe_until   COSY_NAME(run_probe_until)
#define run_probe_instant COSY_NAME(run_probe_instant)

typedef struct Run Run;

typedef struct Probe {
    const real *time; // each once, in the direction of the run
    size_t n;
    Status (*look)(void *user, Cosy *c, size_t k);
    void *user;
    size_t next; // the time that comes next
    bool due;    // it lies at the present instant, whose events come first
    Vector kept; // scratch: what the run has been before a look
} Probe;

typedef struct RunWatch {
    Status (*open)(void *user, Run *r);
    void *user;
} RunWatch;

Status run_probe_begin(Run *r);
void run_probe_late(Run *r);
Status run_probe_step(Run *r, bool instant);
Status run_probe_until(Run *r, real end);
Status run_probe_instant(Run *r);

#endif
