#include "cli/slurm_plan.h"

#include <math.h>
#include <time.h>

#include "run/kernel.h"

/* How long the probe may take, and how long each SIMULATE in it. */
#define PROBE_SECONDS 1.0
#define PROBE_EACH    0.4

/* ---- The probe ----------------------------------------------------------- */

typedef struct Watch {
    double begun;
    double started, share; // of the run under way
    bool (*stop)(void *user);
    bool stopped; // by the user
} Watch;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool watch(void *user, const KernelProgress *p)
{
    Watch *w = user;
    w->started = p->started;
    w->share = p->share;
    w->stopped = w->stop(NULL);
    return !w->stopped && seconds() - w->begun < PROBE_SECONDS;
}

static void silent_text(void *user, const char *text, size_t n)
{
    (void)user, (void)text, (void)n;
}

static void silent_message(void *user, const char *text)
{
    (void)user, (void)text;
}

/* The runs of the study, of which nothing is seen. */
static KernelOptions options_of(const RunCommand *r, KernelProbe *probe,
                                Watch *w)
{
    KernelOptions o = r->kernel;
    o.dir = o.save_path = o.save_at = NULL;
    o.keeper = NULL;
    o.json = NULL;
    o.resume = o.trace = false;
    o.team = NULL;
    o.threads = 1;
    o.snapshot = 0;
    o.write = silent_text;
    o.message = silent_message;
    o.traced = NULL;
    o.running = NULL;
    o.progress = watch;
    o.user = w;
    o.probe = probe;
    return o;
}

/* The SIMULATE in whose middle the time was over: the run under way counts as far as
   it has come. */
static double work_under_way(const KernelProbe *p, const Watch *w)
{
    double made = p->made, spent = p->spent;
    if (p->count == 0)
        return 0;
    if (w->started > w->begun && w->share > 0 && w->share <= 1) {
        made += w->share;
        spent += seconds() - w->started;
    }
    return made > 1e-6 ? spent / made * p->count : 0;
}

/* ---- The parts ------------------------------------------------------------ */

/* A whole number at least 1. */
static double whole(double n)
{
    return n < 1 ? 1 : floor(n);
}

uint32_t slurm_divide(const SlurmPlan *p, uint32_t threads)
{
    double work = p->work / (threads ? threads : 1), each = work / p->tasks;
    double parts, most = p->tasks > SLURM_ARRAY ? p->tasks : SLURM_ARRAY;
    if (!(p->work > 0))
        parts = (double)SLURM_SEVERAL * p->tasks;
    else if (each < SLURM_SHORTEST)
        parts = whole(work / SLURM_SHORTEST);
    else
        parts = p->tasks * fmax(fmin(SLURM_SEVERAL, whole(each / SLURM_PLENTY)),
                                ceil(each / SLURM_LONGEST));
    parts = fmin(fmin(parts, most), MOST_PARTS);
    return p->most > 0 && parts > p->most ? p->most : (uint32_t)parts;
}

Status slurm_plan(SlurmPlan *p, const RunCommand *r, const void *kernel,
                  const void *model, bool (*stop)(void *user), Fault *f)
{
    const Kernel *k = kernel;
    KernelProbe probe = {.each = PROBE_EACH};
    Watch w = {.begun = seconds(), .share = -1, .stop = stop};
    KernelOptions o = options_of(r, &probe, &w);
    KernelOutcome out;
    Status s = k->experiment(model, &o, &out);
    bool refused = s == STATUS_UNSUPPORTED || s == STATUS_USAGE ||
                   s == STATUS_MODEL || (s != STATUS_OK && probe.runs == 0);
    if (w.stopped)
        return fault_set(f, STATUS_STOPPED,
                         "stopped before anything was "
                         "submitted");
    if (refused && s != STATUS_STOPPED)
        return fault_set(f, s, "%s", out.fault.text);
    *p = (SlurmPlan){.tasks = r->slurm.tasks,
                     .most = probe.most,
                     .runs = probe.runs,
                     .work = probe.work + work_under_way(&probe, &w),
                     .whole = probe.whole};
    p->small = probe.whole && p->work < SLURM_SHORTEST;
    p->parts =
        r->slurm.parts ? r->slurm.parts : slurm_divide(p, r->kernel.threads);
    if (p->parts < p->tasks)
        p->tasks = p->parts;
    return STATUS_OK;
}

/* ---- Words ---------------------------------------------------------------- */

void slurm_span(Buffer *b, double s)
{
    if (s < 0.9995e-3)
        buffer_format(b, "%.2g ms", s * 1e3);
    else if (s < 0.9995)
        buffer_format(b, "%.3g ms", s * 1e3);
    else if (s < 99.5)
        buffer_format(b, "%.2g s", s);
    else if (s < 5970)
        buffer_format(b, "%.0f min", s / 60);
    else if (s < 48 * 3600)
        buffer_format(b, "%.0f h", s / 3600);
    else
        buffer_format(b, "%.0f days", s / 86400);
}

void slurm_tell_work(Buffer *b, const SlurmPlan *p)
{
    buffer_format(b, "%s%llu run%s", p->whole ? "" : "at least ",
                  (unsigned long long)p->runs, p->runs == 1 ? "" : "s");
    if (!(p->work > 0)) {
        buffer_text(b, " of unknown length");
        return;
    }
    buffer_text(b, " of about ");
    slurm_span(b, p->work / (double)p->runs);
    if (p->runs > 1) {
        buffer_text(b, ", ");
        slurm_span(b, p->work);
        buffer_text(b, " in all");
    }
}
