#include "study/series.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "picture/families.h"
#include "picture/pictures.h"
#include "run/warmup.h"
#include "solve/auto.h"
#include "stats/number.h"
#include "stats/observe.h"
#include "stats/pool.h"
#include "stats/report.h"
#include "stats/summary.h"
#include "study/verify.h"

/* One element of a series: its run, and those that RERUN adds. Called by any
   thread; its results are in its Element. */

/* The most RERUNs of one element. */
#define RERUNS_MOST 100000

/* ---- Stopping -------------------------------------------------------------------- */

typedef struct Ticker {
    Series *j;
    uint32_t element, run;
    double started;
    uint64_t steps, events; // when it was last asked
    bool loop;              // stopped inside a loop of statements
    const char *why;        // why it was stopped, or NULL
    Gauge *gauge;           // NULL: without --verify
    uint64_t most;          // the most evaluations and steps of a double
    bool spent;             // it has taken more than `most`
} Ticker;

void element_is_last(Series *j, uint32_t k)
{
    unsigned now = atomic_load(&j->valid);
    while (k < now && !atomic_compare_exchange_weak(&j->valid, &now, k))
        ;
}

const char *element_stop(Series *j, uint32_t k)
{
    Experiment *e = j->e;
    const KernelOptions *o = e->options;
    if (k > atomic_load(&j->valid))
        return "its turn comes later";
    if (o->limit_wall > 0 && experiment_seconds() - e->begun > o->limit_wall) {
        atomic_store(&e->stop, true);
        return "the time of --limit-wall is over";
    }
    return atomic_load(&e->stop) ? "from outside" : NULL;
}

static bool ask(Ticker *k, double t, uint64_t steps, uint64_t events)
{
    Series *j = k->j;
    const KernelOptions *o = j->e->options;
    double from = (double)j->options.from, to = (double)j->options.to;
    const KernelProgress p = {.run = k->run,
                              .done = atomic_load(&j->done),
                              .all = j->count,
                              .t = t,
                              .time_unit = cosy_time_unit(j->e->model),
                              .share = j->options.to_finish || to == from
                                           ? -1
                                           : (t - from) / (to - from),
                              .begun = j->begun,
                              .started = k->started,
                              .steps = steps,
                              .events = events,
                              .pass = o->twin ? o->twin->closer ? 1 : 2 : 0};
    return o->progress(o->user, &p);
}

/* Gives up a double that takes many times what the run took. */
static void follow(Ticker *k, double t, uint64_t steps, uint64_t events)
{
    const Solver *s = &k->gauge->run->solver;
    gauge_follow(k->gauge, t);
    uint64_t more = s->counts.rhs > steps ? s->counts.rhs : steps;
    k->spent = more + events > k->most;
    if (k->spent)
        k->why = "it has taken 50 times as much work as the run itself";
}

static bool tick(void *user, double t, uint64_t steps, uint64_t events)
{
    Ticker *k = user;
    k->steps = steps;
    k->events = events;
    k->why = element_stop(k->j, k->element);
    if (!k->why && k->j->e->options->progress && !ask(k, t, steps, events)) {
        k->why = "from outside";
        atomic_store(&k->j->e->stop, true);
    }
    if (k->gauge && !k->why)
        follow(k, t, steps, events);
    return !k->why;
}

static bool tick_in_loop(void *user, const Cosy *c)
{
    Ticker *k = user;
    k->loop = !tick(k, (double)c->head->t, k->steps, k->events);
    return !k->loop;
}

/* ---- One run ---------------------------------------------------------------------- */

typedef struct One {
    Series *j;
    Element *el;
    uint32_t k, number;
    Run run;
    Owner owner;
    Tracer tracer;
    const RunSetting *parameter;
    uint32_t parameters;
    Status status;
    double begun;
    Gauge gauge;      // with --verify
    Vector misses;    // WatchMiss, of a double
    bool varied;      // it differs from the run of which it is a double
    RunWarmup warmup; // of CLEAR AUTO; `of` is NULL: there was no pilot run
} One;

/* Gives the run the values of its present point, if it begins there; true: it is
   an analysis at that point. */
static bool begin_there(const Experiment *e, const One *o, uint32_t element,
                        bool again, RunOptions *options)
{
    bool run = options->task == COSY_SIMULATE;
    if (again || !present_has(&e->present, o->j->list) ||
        (run && !e->present.rests))
        return false;
    real t = present_take(&e->present, o->run.c, element, &e->instance.c);
    if (!run)
        options->from = options->to = t;
    options->slid = !run && e->present.slid.bytes[element];
    return !run;
}

/* Sets the values at SIMULATE, then this run's elements of the lists, then
   those of the command line. A RERUN keeps what the previous run has left,
   except for the states. */
static Status prepare(One *o, RunOptions *options)
{
    const Experiment *e = o->j->e;
    const CosyModel *m = e->model;
    Cosy *c = o->run.c;
    bool again = o->el->runs > 0;
    uint32_t element = o->el->place;
    memcpy(c->data, again ? (void *)o->el->data.bytes : e->instance.c.data,
           m->data_size);
    memcpy(c->x, e->instance.c.x, m->states * sizeof(real));
    options->present = begin_there(e, o, element, again, options);
    c->head->storing =
        again ? o->el->head.storing : e->instance.c.head->storing;
    c->head->run = o->number;
    c->head->replication = o->el->replication;
    c->head->seed = e->options->seed;
    observe_copy(c, &e->instance.c);
    ListsFor what = again              ? LISTS_AGAIN
                    : options->present ? LISTS_PRESENT
                                       : LISTS_START;
    lists_apply(&e->lists, c, element, what);
    Start *start = &o->run.start;
    if (!lists_targets(&e->lists, element, what, &start->targets))
        return STATUS_MEMORY;
    if (!options->present && !e->lists.rested && e->conditions.used &&
        !vector_append(&start->conditions, e->conditions.bytes,
                       e->conditions.used))
        return STATUS_MEMORY;
    o->parameter =
        lists_parameters(&e->lists, c, &o->run.arena, &o->parameters);
    return o->parameter ? STATUS_OK : STATUS_MEMORY;
}

/* Run k of a series has number first + k + 1, not counting RERUNs. */
static StreamPlan stream_plan(const One *o)
{
    const Series *j = o->j;
    uint32_t replication = o->el->replication;
    uint32_t back = replication % 2 ? j->list : 0;
    return (StreamPlan){
        .run = o->number,
        .replication = replication,
        .pair = j->first + o->k - back + 1,
        .again = o->el->runs,
        .antithetic = j->s->antithetic,
        .common = j->s->common,
        .item = (const uint32_t *)(const void *)j->e->generators.bytes,
        .items = (uint32_t)(j->e->generators.used / sizeof(uint32_t)),
    };
}

/* Memory and values for a run that is still to be asked what to do. */
static Status open_run(One *o, RunOptions *options)
{
    const KernelOptions *all = o->j->e->options;
    const void *code =
        all->newest ? all->newest(all->newest_user) : o->j->e->model;
    *options = o->j->options;
    TRY(run_create(&o->run, code, &host_table, &o->owner));
    o->owner.follow = &o->run.follow;
    o->run.c->external = all->external;
    return prepare(o, options);
}

/* CLEAR AUTO: the same run, of which nothing is seen, tells how long the warm-up
   is. If it fails, so will the run itself, with its own message. */
static void pilot(One *o, const Ticker *ticker)
{
    One p = *o;
    Outlet silent;
    Vector cross = {0};
    RunOptions options;
    Ticker quiet = *ticker;
    outlet_open(&silent, &o->j->e->shared, false);
    silent.mute = true;
    quiet.gauge = NULL;
    p.owner.outlet = &silent;
    p.owner.cross = &cross;
    p.owner.tracer = NULL;
    p.owner.user = &quiet;
    Status s = open_run(&p, &options);
    if (s == STATUS_OK) {
        options.streams = stream_plan(&p);
        options.progress = tick;
        options.user = &quiet;
        options = warmup_pilot(&options);
        follow_settle(&p.run.follow, p.run.c, options.warm.collect);
        s = run_go(&p.run, &options);
    }
    if (s == STATUS_OK)
        o->warmup = warmup_find(&p.run);
    run_free(&p.run);
    vector_free(&cross);
    outlet_free(&silent);
}

static Status simulate(One *o, Ticker *ticker)
{
    Experiment *e = o->j->e;
    const KernelOptions *all = e->options;
    RunOptions options;
    if (o->j->options.warm.wanted && (o->number > 1 || !o->j->options.restore))
        pilot(o, ticker);
    TRY(open_run(o, &options));
    follow_settle(&o->run.follow, o->run.c, COSY_NONE);
    if (o->warmup.of && o->warmup.removed > 0) {
        o->run.state.warmed = 1;
        o->run.state.warm_at = o->warmup.until;
    }
    options.streams = stream_plan(o);
    options.progress = tick;
    options.user = ticker;
    options.newest = all->newest;
    options.newest_user = all->newest_user;
    options.tracer = o->owner.tracer;
    if (o->number > 1)
        options.save_path = options.restore = NULL;
    o->varied = verify_vary(e, o->number, &options);
    options.misses = all->twin ? &o->misses : NULL;
    Status status = run_go(&o->run, &options);
    if (status == STATUS_OK && o->warmup.of)
        warmup_tell(o->run.c, &o->warmup);
    return status;
}

static const char *status_name(Status s)
{
    return s == STATUS_OK        ? "finished"
           : s == STATUS_STOPPED ? "stopped"
                                 : "failed";
}

/* What is known about the errors; NULL if they were not followed. */
static const RunErrors *errors_of(const Run *r, Arena *arena)
{
    const GrowthState *g = &r->growth.state;
    bool told = r->growth.closely || growth_rings(&r->growth);
    RunErrors *e = told && g->steps ? NEW(arena, RunErrors) : NULL;
    if (e)
        *e = (RunErrors){.estimate = g->now,
                         .from = g->from,
                         .to = g->t,
                         .factor = growth_factor(&r->growth),
                         .most = g->most,
                         .most_at = g->most_at,
                         .rings = growth_rings(&r->growth)};
    return e;
}

/* How far the run has drifted; NULL if there is nothing to drift from. */
static const RunConstraints *drift_of(const Run *r, Arena *arena)
{
    const ProjectState *p = &r->project.state;
    bool told = r->model->n_constraints && r->options.task == COSY_SIMULATE;
    RunConstraints *k = told ? NEW(arena, RunConstraints) : NULL;
    if (k)
        *k = (RunConstraints){.rows = r->model->n_constraints,
                              .drift = (double)p->drift,
                              .moved = (double)p->moved,
                              .error = (double)p->error};
    return k;
}

/* What stands in the place of a method. */
static const char *task_name(const One *o)
{
    switch (o->j->s->task) {
    case COSY_STEADYSTATE: return "STEADYSTATE";
    case COSY_LINEARIZE: return "LINEARIZE";
    case COSY_SIMULATE: break;
    }
    return NULL;
}

static RunFacts facts_of(const One *o, Arena *arena)
{
    const Run *r = &o->run;
    const uint64_t *events = r->record.counts;
    const SolverCounts *n = &r->solver.counts;
    bool integrates = r->model->states || r->model->n_copies;
    return (RunFacts){
        .run = o->number,
        .frame = o->j->s->frame ? o->j->s->frame : 1,
        .parameter = o->parameter,
        .parameters = o->parameters,
        .status = status_name(o->status),
        .message = r->fault.text,
        .method = task_name(o) ? task_name(o)
                  : integrates ? solver_methods(&r->solver)
                               : "",
        .steps = n->steps,
        .rejected = n->rejected,
        .rhs = n->rhs,
        .jacobians = n->jacobians,
        .state_events = events[LOG_STATE],
        .time_events = events[LOG_TIME] + events[LOG_SAMPLE],
        .hidden_events = events[LOG_HIDDEN],
        .event_iterations = r->watch.iterations,
        .process_events = events[LOG_PROCESS],
        .span = (const RunSpan *)(const void *)r->slide.spans.bytes,
        .spans = r->slide.spans.used / sizeof(RunSpan),
        .outside = (const RunOutside *)(const void *)r->range.outside.bytes,
        .outsides = r->range.outside.used / sizeof(RunOutside),
        .more_outside = r->range.more,
        .wall_s = experiment_seconds() - o->begun,
        .course = &r->course,
        .choice = integrates && !task_name(o) ? auto_words(&r->solver) : "",
        .features = feature_tell(&r->features, &r->solver, arena),
        .errors = errors_of(r, arena),
        .constraints = drift_of(r, arena),
        .warmup = o->warmup.of ? &o->warmup : NULL,
        .follow = &r->follow,
        .analysis = analyse_tell(r),
    };
}

void element_place(const Series *j, const Element *el, Buffer *place)
{
    buffer_text(place, stage_path(&j->e->stage));
    if (j->parallel)
        buffer_format(place, "/%u", (unsigned)(el - j->element));
}

static Status write_files(One *o, bool recorded)
{
    Buffer place = {0};
    Status s = STATUS_OK;
    Fault *f = &o->run.fault;
    element_place(o->j, o->el, &place);
    o->el->files = o->el->files || recorded || o->j->finals ||
                   analyse_tell(&o->run) != NULL;
    if (recorded)
        s = record_write(&o->run.record, buffer_string(&place), o->number, f);
    if (s == STATUS_OK && recorded)
        s = course_write(&o->run.course, buffer_string(&place), o->number, f);
    if (s == STATUS_OK)
        s = record_final(o->run.c, buffer_string(&place), o->number, f);
    const RunAnalysis *found = analyse_tell(&o->run);
    if (s == STATUS_OK && found)
        s = analysis_write(o->run.model, found, buffer_string(&place),
                           o->number, f);
    buffer_free(&place);
    return s;
}

/* The run whose curve is shown as the last one. */
static uint32_t shown_last(const Series *j)
{
    return j->replicated ? j->list : j->count;
}

/* Takes the rows that OUTPUT may want from the record. */
static Status keep_rows(One *o, bool last)
{
    Shown one = {.run = o->number, .saved = o->owner.saved};
    if (!gallery_wants(&o->j->e->gallery, o->number, o->el->place, one.saved,
                       last && o->k + 1 == shown_last(o->j)))
        return STATUS_OK;
    if (o->j->replicated && o->el->replication == 0)
        one.group =
            o->j->e->gallery.replications.first_group + o->el->place + 1;
    if (family_keeps(&o->j->e->gallery, o->el->place))
        record_thin(&o->run.record, FAMILY_CELLS);
    family_take(&o->j->e->gallery, &one, o->parameter, o->parameters);
    one.rows = o->run.record.rows;
    report_parameters(&one.parameters, o->run.model, o->parameter,
                      o->parameters, 60);
    TRY(graphs_keep(&one, &o->run));
    if (!vector_append(&o->el->shown, &one, sizeof one))
        return STATUS_MEMORY;
    o->run.record.rows = (Vector){0};
    return STATUS_OK;
}

/* Nobody reads the tables of many runs: replications have a table of their own,
   and of other runs the first few have one. */
static bool tells_statistics(const One *o)
{
    enum { FIRST = 5 };
    return !o->j->replicated && o->number <= FIRST;
}

/* Values of what is observed, for the interval over the replications. */
static Status take_quantities(One *o)
{
    Element *el = o->el;
    el->values.used = el->parameters.used = el->histograms.used = 0;
    if (!o->j->replicated || o->status != STATUS_OK)
        return STATUS_OK;
    if (o->el->replication == 0 && o->parameters &&
        !vector_append(&el->parameters, o->parameter,
                       o->parameters * sizeof *o->parameter))
        return STATUS_MEMORY;
    if (!pool_take(o->run.c, &el->histograms))
        return STATUS_MEMORY;
    return replicate_take(&o->j->e->gallery.replications, o->run.c,
                          &o->run.follow, &el->values);
}

/* What it adds to the table of the study; the rows of its records are still
   there. */
static Status take_row(One *o)
{
    const QuantityRun run = {o->run.c, &o->run.follow, &o->run.record.rows};
    const Gallery *g = &o->j->e->gallery;
    o->el->envelope.used = 0;
    bool ok =
        sweep_take(&g->sweep, &run, o->status, o->parameter, o->parameters,
                   &o->el->swept) &&
        (o->status != STATUS_OK || envelope_take(&g->envelopes, o->el->place,
                                                 run.rows, &o->el->envelope));
    return ok ? STATUS_OK : STATUS_MEMORY;
}

/* Text and pictures of what STEADYSTATE or LINEARIZE has found. */
static Status leave_analysis(One *o, const RunAnalysis *found)
{
    Buffer words = {0};
    Element *el = o->el;
    const KernelOptions *all = o->j->e->options;
    if (tells_statistics(o))
        analysis_text(&el->report, o->run.model, found);
    if (all->no_plots || !all->dir)
        return STATUS_OK;
    if (o->j->e->gallery.runs + o->j->count > 1)
        report_parameters(&words, o->run.model, o->parameter, o->parameters,
                          60);
    Status s = linear_pictures(&el->pictures, &o->run, o->number,
                               buffer_string(&words));
    buffer_free(&words);
    return s;
}

/* Records and summary of a run, even if it failed. Runs that RERUN repeats, and
   replications after the first, are recorded only if they are SAVEd. */
static Status leave_results(One *o, bool last)
{
    RunFacts f = facts_of(o, &o->run.arena);
    Element *el = o->el;
    bool first = !o->j->replicated || o->el->replication == 0;
    bool recorded = (last && first) || o->owner.saved;
    if (el->summaries.v.used)
        buffer_text(&el->summaries, ",\n");
    TRY(summary_run(&el->summaries, o->run.c, &f));
    if (recorded)
        report_run(&el->report, o->run.c, &f, tells_statistics(o));
    if (f.analysis)
        TRY(leave_analysis(o, f.analysis));
    recorded = recorded && !task_name(o);
    if (o->j->e->stage.open) {
        Status written = write_files(o, recorded);
        if (written != STATUS_OK) {
            atomic_store(&o->j->e->unwritten, true);
            atomic_store(&o->j->e->stop, true);
            return written;
        }
    }
    return recorded ? keep_rows(o, last) : STATUS_OK;
}

/* With --verify: keeps what is compared with the doubles, or with the run. */
static Status keep_digest(One *o, const Ticker *ticker)
{
    const KernelOptions *all = o->j->e->options;
    Digest d = {.run = o->number,
                .frame = o->j->s->frame ? o->j->s->frame : 1,
                .status = o->status,
                .outside = atomic_load(&o->j->e->stop),
                .spent = ticker->spent,
                .alike = !o->varied,
                .closer = all->twin && all->twin->closer,
                .misses = o->misses};
    if (!all->verify && !all->twin)
        return STATUS_OK;
    o->misses = (Vector){0};
    snprintf(d.message, sizeof d.message, "%.299s",
             o->status == STATUS_OK ? "" : o->run.fault.text);
    if (digest_take(&d, &o->run, &o->gauge) == STATUS_OK &&
        vector_append(&o->el->digests, &d, sizeof d))
        return STATUS_OK;
    digest_free(&d);
    return STATUS_MEMORY;
}

static bool slides_at_end(const Run *r)
{
    const RunSpan *s = (const RunSpan *)(const void *)r->slide.spans.bytes;
    size_t n = r->slide.spans.used / sizeof *s;
    return r->options.task == COSY_SIMULATE && n > 0 &&
           (s[n - 1].to == COSY_NEVER || s[n - 1].to == r->c->head->t);
}

/* Keeps the values for a RERUN, or for what follows the SIMULATE. */
static Status keep_values(One *o)
{
    const CosyModel *m = o->run.model;
    Element *el = o->el;
    el->data.used = el->x.used = 0;
    el->head = *o->run.c->head;
    el->slid = slides_at_end(&o->run);
    return vector_append(&el->data, o->run.c->data, m->data_size) &&
                   vector_append(&el->x, o->run.c->x, m->states * sizeof(real))
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* Uses the model's own message as that of the run. */
static void take_words(One *o)
{
    Fault *f = &o->run.fault, own = *f;
    Outlet *out = &o->el->outlet;
    if (o->run.instance.refused.kept) {
        snprintf(f->text, sizeof f->text, "%s", buffer_string(&out->error));
    } else if (o->run.c->head->request == COSY_STOP_ALL) {
        snprintf(f->text, sizeof f->text, "%.100s: %.400s", own.text,
                 buffer_string(&out->error));
        outlet_message(out, COSY_ERROR, 0, own.text);
    } else {
        snprintf(f->text, sizeof f->text, "%.400s (%.100s)",
                 buffer_string(&out->error), own.text);
    }
}

/* Says what takes most of the memory when a run has none left, and a way out.
   */
static void tell_memory(One *o)
{
    const Run *r = &o->run;
    const Vector *v = r->instance.segment;
    const struct {
        size_t bytes;
        const char *what, *way;
    } of[] = {
        {r->record.rows.room, "its records",
         "a larger COMINT, fewer STOREd variables or STOREOFF makes them "
         "smaller"},
        {v[SEGMENT_TRANSACTIONS].room, "its transactions",
         "do more arrive than leave? OUTPUT of a queue's length shows it"},
        {v[SEGMENT_RECORDS].room, "the entries of its files and events",
         "do more arrive than leave? OUTPUT of a file's length shows it"},
        {v[SEGMENT_HEAP].room + v[SEGMENT_LANE].room, "its scheduled events",
         "are more scheduled than happen?"},
        {v[SEGMENT_DATA].room + v[SEGMENT_X].room, "its variables",
         "make its arrays smaller"},
        {r->record.log.room, "the entries in its list of events",
         "end the run earlier (TO)"},
    };
    Fault *f = &o->run.fault;
    size_t most = 0, told = strlen(f->text);
    for (size_t k = 1; k < LENGTH(of); k++)
        if (of[k].bytes > of[most].bytes)
            most = k;
    snprintf(f->text + told, sizeof f->text - told,
             "; time %.15g%s%s: %s take %.3g MB: %s", (double)r->c->head->t,
             COSY_IN_TIME(o->run.model), of[most].what,
             1e-6 * (double)of[most].bytes, of[most].way);
}

/* How many values are written in less than a second. */
#define CELLS_AT_STOP 1000000

/* Somebody who stops a run does not want to wait for millions of records, and
   without memory they cannot be written. */
static void thin_records(One *o)
{
    Fault *f = &o->run.fault;
    size_t told = strlen(f->text);
    uint32_t every = record_thin(&o->run.record, CELLS_AT_STOP);
    if (every > 1)
        snprintf(f->text + told, sizeof f->text - told,
                 "; only one in %u records is written%s", every,
                 o->status == STATUS_STOPPED
                     ? ", so that the run ends at once: one that ends by "
                       "itself (TO, --limit-time) has them all"
                     : "");
}

/* The fault of a run in the words of the summary, and as a message. */
static void tell_failure(One *o, const Ticker *ticker)
{
    Fault *f = &o->run.fault;
    Outlet *out = &o->el->outlet;
    fault_set(f, o->status, "%s", status_words(o->status));
    if (o->status == STATUS_USER && out->error.v.used > 0) {
        take_words(o);
        return;
    }
    size_t told = strlen(f->text);
    if (o->status == STATUS_STOPPED && ticker->loop)
        snprintf(f->text + told, sizeof f->text - told, ": %s", ticker->why);
    else if (o->status == STATUS_STOPPED && ticker->why)
        snprintf(f->text, sizeof f->text, "time %.17g%s%s: stopped: %s",
                 (double)o->run.c->head->t, COSY_IN_TIME(o->run.model),
                 ticker->why);
    if (o->status == STATUS_MEMORY)
        tell_memory(o);
    if (o->status == STATUS_MEMORY ||
        (o->status == STATUS_STOPPED && atomic_load(&o->j->e->stop)))
        thin_records(o);
    outlet_message(out, o->status == STATUS_STOPPED ? COSY_WARNING : COSY_ERROR,
                   0, f->text);
}

/* There was not even enough memory for its variables. */
static void tell_no_beginning(One *o)
{
    Fault *f = &o->run.fault;
    fault_set(f, o->status, "%s", status_words(o->status));
    outlet_message(&o->el->outlet, COSY_ERROR, 0, f->text);
}

static void note_failure(One *o)
{
    Element *el = o->el;
    if (o->status == STATUS_OK)
        return;
    el->failed++;
    if (el->fault.status == STATUS_OK)
        el->fault = o->run.fault;
    el->fault.status = o->status;
    if (o->run.c && o->run.c->head->request == COSY_STOP_ALL)
        el->ended = true;
}

/* Whether TERMINAL asks for another run; too many are a fault. */
static bool runs_again(One *o)
{
    if (o->status != STATUS_OK || o->run.c->head->again != COSY_RERUN)
        return false;
    if (o->el->runs < RERUNS_MOST)
        return true;
    o->status = fault_set(&o->run.fault, STATUS_LIMIT,
                          "RERUN has made %d runs and does not stop: give "
                          "TERMINAL a condition under which it stops",
                          RERUNS_MOST);
    return false;
}

/* One more run is under way, or one fewer. */
static void count_running(Experiment *e, bool more)
{
    const KernelOptions *o = e->options;
    pthread_mutex_lock(&e->shared.lock);
    assert(more || e->running > 0);
    bool turns = e->running == (more ? 0 : 1);
    e->running += more ? 1 : UINT32_MAX;
    if (turns && o->running)
        o->running(o->user, more);
    pthread_mutex_unlock(&e->shared.lock);
}

/* One run; true if another one follows. */
static bool one_run(Series *j, Element *el, uint32_t k)
{
    One o = {.j = j, .el = el, .k = k, .number = el->number + el->runs};
    Ticker ticker = {
        .j = j, .element = k, .run = o.number, .started = experiment_seconds()};
    o.owner = (Owner){.e = j->e,
                      .outlet = &el->outlet,
                      .cross = &el->cross,
                      .may_turn = tick_in_loop,
                      .user = &ticker};
    o.tracer = (Tracer){.model = j->e->model,
                        .filter = &j->e->filter,
                        .outlet = &el->outlet,
                        .body = "INITIAL"};
    o.owner.tracer = j->e->options->traced ? &o.tracer : NULL;
    o.begun = experiment_seconds();
    o.gauge.run = &o.run;
    if (j->e->options->verify || j->e->options->twin)
        ticker.gauge = &o.gauge;
    ticker.most = verify_most(j->e, o.number);
    buffer_free(&el->outlet.error);
    el->outlet.run = o.number;
    el->outlet.alone = j->count == 1 && o.number == 1;
    count_running(j->e, true);
    o.status = simulate(&o, &ticker);
    count_running(j->e, false);
    bool again = runs_again(&o);
    if (o.status != STATUS_OK && o.run.c)
        tell_failure(&o, &ticker);
    else if (o.status != STATUS_OK)
        tell_no_beginning(&o);
    if (o.run.c) {
        Status left = take_row(&o);
        if (left == STATUS_OK)
            left = leave_results(&o, !again);
        if (left == STATUS_OK && (again || j->s->is_within || j->s->is_best ||
                                  k + 1 == j->count || j->e->model->analyses))
            left = keep_values(&o);
        if (left == STATUS_OK)
            left = take_quantities(&o);
        if (left == STATUS_OK)
            left = keep_digest(&o, &ticker);
        if (left == STATUS_OK &&
            !oneway_gather(&el->oneway, &o.run.range.oneway, o.run.model,
                           el->outlet.alone ? 0 : el->outlet.run))
            left = STATUS_MEMORY;
        if (left != STATUS_OK && o.status == STATUS_OK) {
            o.status = fault_set(&o.run.fault, left, "%s", status_words(left));
            outlet_message(&el->outlet, COSY_ERROR, 0, o.run.fault.text);
        }
    }
    note_failure(&o);
    el->runs++;
    gauge_free(&o.gauge);
    vector_free(&o.misses);
    run_free(&o.run);
    return again && o.status == STATUS_OK;
}

/* ---- Elements ---------------------------------------------------------------------- */

void element_open(Series *j, uint32_t k, uint32_t number, bool direct)
{
    Element *el = element_at(j, k);
    *el = (Element){
        .number = number, .place = k % j->list, .replication = k / j->list};
    if (j->s->is_best && k >= j->best.first) {
        assert(k - j->best.first < j->best.count);
        el->place = j->best.place[k - j->best.first];
        el->replication = j->best.round;
    }
    outlet_open(&el->outlet, &j->e->shared, direct);
}

void element_free(Element *el)
{
    Shown *s = (Shown *)(void *)el->shown.bytes;
    for (size_t k = 0; k < el->shown.used / sizeof *s; k++)
        shown_free(&s[k]);
    outlet_free(&el->outlet);
    plots_free(&el->pictures);
    buffer_free(&el->summaries);
    buffer_free(&el->report);
    vector_free(&el->cross);
    vector_free(&el->values);
    vector_free(&el->histograms);
    vector_free(&el->parameters);
    vector_free(&el->swept);
    vector_free(&el->envelope);
    vector_free(&el->oneway);
    digest_forget(&el->digests);
    vector_free(&el->shown);
    vector_free(&el->data);
    vector_free(&el->x);
    *el = (Element){0};
}

void element_go(Series *j, uint32_t k)
{
    Element *el = element_at(j, k);
    while (one_run(j, el, k) && !element_stop(j, k))
        if (el->runs == 1)
            element_is_last(j, k);
    if (el->ended)
        element_is_last(j, k);
    outlet_flush(&el->outlet);
}
