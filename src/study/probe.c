#include "study/probe.h"

#include <math.h>

/* The most runs of a SIMULATE: very short ones are known by fewer. */
#define RUNS_PROBED 1000
/* Fractions of its multiples fall evenly between 0 and 1. */
#define GOLDEN 0.61803398874989485

static void one_run(Series *j, uint32_t k)
{
    KernelProbe *p = j->e->options->probe;
    double begun = experiment_seconds();
    series_make(j, k, k + 1);
    if (atomic_load(&j->e->stop))
        return;
    p->spent += experiment_seconds() - begun;
    p->made++;
}

/* ERROREXIT ends a study, wherever it comes. */
static bool goes_on(const Series *j)
{
    return j->status == STATUS_OK && !atomic_load(&j->e->stop) &&
           atomic_load(&j->valid) == UINT32_MAX;
}

void probe_series(Series *j)
{
    KernelProbe *p = j->e->options->probe;
    uint32_t n = j->count;
    j->apart = true;
    p->count = n;
    p->made = 0;
    p->spent = 0;
    p->runs += n;
    p->most = p->most > n ? p->most : n;
    for (uint32_t k = 0;
         k + 1 < n && k < RUNS_PROBED && p->spent < p->each && goes_on(j); k++)
        one_run(j, (uint32_t)(fmod(GOLDEN * k, 1) * (n - 1)));
    if (goes_on(j))
        one_run(j, n - 1);
    if (atomic_load(&j->e->stop))
        return;
    p->work += p->spent / p->made * n;
    p->count = 0;
    j->e->gallery.runs = j->first + n;
}

Status probe_refuses(Experiment *e, const char *what, uint32_t line)
{
    if (!e->options->probe)
        return STATUS_OK;
    return fault_set(&e->fault, STATUS_UNSUPPORTED,
                     "%s:%u: %s: --slurm: this study cannot be carried out in "
                     "parts: a search decides by the runs so far which one is "
                     "next",
                     e->model->source, line, what);
}

Status probe_end(Experiment *e, Status status)
{
    e->options->probe->whole = status == STATUS_OK;
    if (atomic_load(&e->stop))
        status = STATUS_STOPPED;
    else if (status != STATUS_OK)
        e->outcome->fault = e->fault;
    experiment_free(e);
    return status;
}
