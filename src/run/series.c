#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run/experiment.h"
#include "stats/number.h"
#include "stats/observe.h"
#include "stats/report.h"
#include "stats/summary.h"

/* The runs of one SIMULATE. */

/* Most RERUNs of one element. */
#define RERUNS_MOST 100000

/* ---- Stopping -------------------------------------------------------------------- */

typedef struct Ticker {
    Series *j;
    uint32_t element, run;
    const char *why; // it was stopped
} Ticker;

/* Elements behind k do not count: with RERUN their numbers are others, after
   an ERROREXIT they would not have been. */
static void element_is_last(Series *j, uint32_t k)
{
    unsigned now = atomic_load(&j->valid);
    while (k < now && !atomic_compare_exchange_weak(&j->valid, &now, k))
        ;
}

/* Why this run may not go on, or NULL. */
static const char *reason_to_stop(Series *j, uint32_t k)
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
                              .share = j->options.to_finish || to == from
                                           ? -1
                                           : (t - from) / (to - from),
                              .begun = j->begun,
                              .steps = steps,
                              .events = events};
    return o->progress(o->user, &p);
}

static bool tick(void *user, double t, uint64_t steps, uint64_t events)
{
    Ticker *k = user;
    k->why = reason_to_stop(k->j, k->element);
    if (!k->why && k->j->e->options->progress && !ask(k, t, steps, events)) {
        k->why = "from outside";
        atomic_store(&k->j->e->stop, true);
    }
    return !k->why;
}

/* ---- One run ---------------------------------------------------------------------- */

typedef struct One {
    Series *j;
    Element *el;
    uint32_t k, number;
    Run run;
    Owner owner;
    const RunSetting *parameter;
    uint32_t parameters;
    Status status;
    double begun;
} One;

/* The values at SIMULATE, then this run's elements of the lists, then what the
   command line orders. A RERUN keeps what the run before it has left, states
   aside. */
static Status prepare(One *o)
{
    const Experiment *e = o->j->e;
    const CosyModel *m = e->model;
    Cosy *c = o->run.c;
    bool again = o->el->runs > 0;
    memcpy(c->data, again ? (void *)o->el->data.bytes : e->instance.c.data,
           m->data_size);
    memcpy(c->x, e->instance.c.x, m->states * sizeof(real));
    c->head->storing =
        again ? o->el->head.storing : e->instance.c.head->storing;
    c->head->run = o->number;
    c->head->replication = o->k / o->j->list;
    c->head->seed = e->options->seed;
    observe_copy(c, &e->instance.c);
    lists_apply(&e->lists, c, o->k % o->j->list, again);
    o->parameter =
        lists_parameters(&e->lists, c, &o->run.arena, &o->parameters);
    return o->parameter ? STATUS_OK : STATUS_MEMORY;
}

/* Run k of a series has number first + k + 1, RERUNs aside. */
static StreamPlan stream_plan(const One *o)
{
    const Series *j = o->j;
    uint32_t replication = o->k / j->list;
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

static Status simulate(One *o, Ticker *ticker)
{
    Experiment *e = o->j->e;
    const KernelOptions *all = e->options;
    const void *code = all->newest ? all->newest(all->newest_user) : e->model;
    RunOptions options = o->j->options;
    TRY(run_create(&o->run, code, &host_table, &o->owner));
    o->run.c->external = all->external;
    TRY(prepare(o));
    options.streams = stream_plan(o);
    options.progress = tick;
    options.user = ticker;
    options.newest = all->newest;
    options.newest_user = all->newest_user;
    if (o->number > 1)
        options.save_path = options.restore = NULL;
    return run_go(&o->run, &options);
}

static const char *status_name(Status s)
{
    return s == STATUS_OK        ? "finished"
           : s == STATUS_STOPPED ? "stopped"
                                 : "failed";
}

static RunFacts facts_of(const One *o)
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
        .method = integrates ? solver_methods(&r->solver) : "",
        .steps = n->steps,
        .rejected = n->rejected,
        .rhs = n->rhs,
        .jacobians = n->jacobians,
        .state_events = events[LOG_STATE],
        .time_events = events[LOG_TIME] + events[LOG_SAMPLE],
        .hidden_events = events[LOG_HIDDEN],
        .event_iterations = r->watch.iterations,
        .process_events = events[LOG_PROCESS],
        .wall_s = experiment_seconds() - o->begun,
        .course = &r->course,
    };
}

/* Where the files of an element are gathered: several are computed at once, and
   which of them count is only known afterwards. */
static void files_place(Series *j, const Element *el, Buffer *place)
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
    files_place(o->j, o->el, &place);
    if (recorded)
        s = record_write(&o->run.record, buffer_string(&place), o->number, f);
    if (s == STATUS_OK)
        s = record_final(o->run.c, buffer_string(&place), o->number, f);
    buffer_free(&place);
    return s;
}

/* Rows that OUTPUT may want are taken from the record. */
static Status keep_rows(One *o, bool last)
{
    Shown one = {.run = o->number, .saved = o->owner.saved};
    if (!experiment_wants(o->j->e, o->number, one.saved,
                          last && o->k + 1 == o->j->count))
        return STATUS_OK;
    one.rows = o->run.record.rows;
    if (!vector_append(&o->el->shown, &one, sizeof one))
        return STATUS_MEMORY;
    o->run.record.rows = (Vector){0};
    return STATUS_OK;
}

/* Tables of many runs are not read: replications have one of their own, of the
   others the first few. */
static bool tells_statistics(const One *o)
{
    enum { FIRST = 5 };
    return o->j->count == o->j->list && o->number <= FIRST;
}

/* Records and summary of a run, also of one that failed. Of runs that RERUN
   repeats, only SAVEd ones are recorded. */
static Status leave_results(One *o, bool last)
{
    RunFacts f = facts_of(o);
    Element *el = o->el;
    bool recorded = last || o->owner.saved;
    if (el->summaries.v.used)
        buffer_text(&el->summaries, ",\n");
    TRY(summary_run(&el->summaries, o->run.c, &f));
    if (recorded)
        report_run(&el->report, o->run.c, &f, tells_statistics(o));
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

/* Values for a RERUN, or for what follows the SIMULATE. */
static Status keep_values(One *o)
{
    const CosyModel *m = o->run.model;
    Element *el = o->el;
    el->data.used = el->x.used = 0;
    el->head = *o->run.c->head;
    return vector_append(&el->data, o->run.c->data, m->data_size) &&
                   vector_append(&el->x, o->run.c->x, m->states * sizeof(real))
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* What the model said itself is the message of the run. */
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
    if (o->status == STATUS_STOPPED && ticker->why)
        snprintf(f->text, sizeof f->text, "time %.17g: stopped: %s",
                 (double)o->run.c->head->t, ticker->why);
    outlet_message(out, o->status == STATUS_STOPPED ? COSY_WARNING : COSY_ERROR,
                   0, f->text);
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
                          "RERUN has made %d runs and goes on: give TERMINAL "
                          "a condition under which it stops",
                          RERUNS_MOST);
    return false;
}

/* One run; true: another one is to follow. */
static bool one_run(Series *j, Element *el, uint32_t k)
{
    One o = {.j = j, .el = el, .k = k, .number = el->number + el->runs};
    Ticker ticker = {.j = j, .element = k, .run = o.number};
    o.owner = (Owner){.e = j->e, .outlet = &el->outlet, .cross = &el->cross};
    o.begun = experiment_seconds();
    buffer_free(&el->outlet.error);
    el->outlet.run = j->count > 1 || o.number > 1 ? o.number : 0;
    o.status = simulate(&o, &ticker);
    bool again = runs_again(&o);
    if (o.status != STATUS_OK && o.run.c)
        tell_failure(&o, &ticker);
    if (o.run.c) {
        Status left = leave_results(&o, !again);
        if (left == STATUS_OK && (again || k + 1 == j->count))
            left = keep_values(&o);
        if (left != STATUS_OK && o.status == STATUS_OK) {
            o.status = fault_set(&o.run.fault, left, "%s", status_words(left));
            outlet_message(&el->outlet, COSY_ERROR, 0, o.run.fault.text);
        }
    }
    note_failure(&o);
    el->runs++;
    run_free(&o.run);
    return again && o.status == STATUS_OK;
}

/* ---- Elements ---------------------------------------------------------------------- */

static void element_open(Series *j, Element *el, uint32_t number, bool direct)
{
    *el = (Element){.number = number};
    outlet_open(&el->outlet, &j->e->shared, direct);
}

static void element_free(Element *el)
{
    Shown *s = (Shown *)(void *)el->shown.bytes;
    for (size_t k = 0; k < el->shown.used / sizeof *s; k++)
        vector_free(&s[k].rows);
    outlet_free(&el->outlet);
    buffer_free(&el->summaries);
    buffer_free(&el->report);
    vector_free(&el->cross);
    vector_free(&el->shown);
    vector_free(&el->data);
    vector_free(&el->x);
}

static void element_go(Series *j, uint32_t k)
{
    Element *el = &j->element[k];
    while (one_run(j, el, k) && !reason_to_stop(j, k))
        if (el->runs == 1)
            element_is_last(j, k);
    if (el->ended)
        element_is_last(j, k);
    outlet_flush(&el->outlet);
}

/* Passes the turn on to the next element that is not through. */
static void pass_turn(Series *j, uint32_t k)
{
    pthread_mutex_lock(&j->lock);
    j->element[k].done = true;
    while (j->turn < j->count && j->turn < atomic_load(&j->valid) &&
           j->element[j->turn].done) {
        j->turn++;
        if (j->turn < j->count)
            outlet_turn(&j->element[j->turn].outlet);
    }
    pthread_mutex_unlock(&j->lock);
}

static void *worker(void *series)
{
    Series *j = series;
    for (;;) {
        uint32_t k = atomic_fetch_add(&j->next, 1);
        if (k >= j->count || reason_to_stop(j, k))
            return NULL;
        element_go(j, k);
        atomic_fetch_add(&j->done, 1);
        pass_turn(j, k);
    }
}

static uint32_t thread_count(const Series *j)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = j->e->options->threads;
    if (n == 0)
        n = cores > 0 ? (uint32_t)cores : 1;
    return n < j->count ? n : j->count;
}

/* The calling thread works too; a thread that cannot be had is done without. */
static void all_elements(Series *j, uint32_t threads)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    uint32_t started = 0;
    while (started + 1 < threads && started < MOST &&
           pthread_create(&thread[started], NULL, worker, j) == 0)
        started++;
    worker(j);
    for (uint32_t k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
}

/* ---- Putting together --------------------------------------------------------------- */

/* Files of an element into the stage; with `count` 0 they are removed. */
static void gather_files(Series *j, Element *el, uint32_t count)
{
    static const char *const names[] = {"run", "events", "final"};
    Buffer from = {0}, to = {0}, place = {0};
    if (!j->parallel || !j->e->stage.open)
        return;
    files_place(j, el, &place);
    for (uint32_t n = el->number; n < el->number + count; n++)
        for (size_t k = 0; k < LENGTH(names); k++) {
            from.v.used = to.v.used = 0;
            buffer_format(&from, "%s/%s-%04u.csv", buffer_string(&place),
                          names[k], n);
            buffer_format(&to, "%s/%s-%04u.csv", stage_path(&j->e->stage),
                          names[k], n);
            rename(buffer_string(&from), buffer_string(&to));
        }
    stage_remove(buffer_string(&place));
    buffer_free(&from);
    buffer_free(&to);
    buffer_free(&place);
}

static bool move_vector(Vector *to, Vector *from)
{
    return !from->used || vector_append(to, from->bytes, from->used);
}

static Status no_memory(Experiment *e)
{
    return fault_set(&e->fault, STATUS_MEMORY, "no memory for the results");
}

/* Most runs that the table on the terminal tells. */
#define TOLD_MOST 50

static void tell(Experiment *e, const Element *el)
{
    if (!el->report.v.used)
        return;
    if (e->told < TOLD_MOST)
        buffer_bytes(&e->report, (const char *)el->report.v.bytes,
                     el->report.v.used);
    e->told++;
    if (e->told == TOLD_MOST + 1)
        buffer_text(&e->report, "  ...\n");
}

/* What an element has left becomes part of the experiment. */
static Status gather(Series *j, uint32_t k)
{
    Experiment *e = j->e;
    Element *el = &j->element[k];
    gather_files(j, el, el->runs);
    tell(e, el);
    e->runs += el->runs;
    e->outcome->failed += el->failed;
    if (el->fault.status != STATUS_OK)
        fault_set(&e->outcome->fault, el->fault.status, "%s", el->fault.text);
    if (el->outlet.written) {
        e->outlet.written = true;
        e->outlet.open = el->outlet.open;
        e->outlet.value = el->outlet.value;
    }
    if (!vector_append(&e->summaries, &el->summaries, sizeof(Buffer)))
        return no_memory(e);
    el->summaries = (Buffer){0};
    if (!move_vector(&e->cross, &el->cross) ||
        !move_vector(&e->shown, &el->shown))
        return no_memory(e);
    el->shown.used = 0;
    return STATUS_OK;
}

/* The instance of the experiment sees the last run's values. */
static void take_values(Series *j, const Element *el)
{
    Cosy *c = &j->e->instance.c;
    if (el->data.used)
        memcpy(c->data, el->data.bytes, el->data.used);
    if (el->x.used)
        memcpy(c->x, el->x.bytes, el->x.used);
    c->head->t = el->head.t;
    c->head->t_begin = el->head.t_begin;
    c->head->t_end = el->head.t_end;
    c->head->dt = el->head.dt;
    c->head->run = el->head.run;
    c->head->storing = el->head.storing;
}

/* Elements that did not count are forgotten. */
static void drop_behind(Series *j, uint32_t valid)
{
    for (uint32_t k = valid + 1; k < j->count; k++) {
        gather_files(j, &j->element[k], 0);
        element_free(&j->element[k]);
        j->element[k] = (Element){0};
    }
    j->parallel = false;
}

/* Elements in their order; those that did not count are done now, one by one. */
static Status put_together(Series *j)
{
    Experiment *e = j->e;
    uint32_t valid = atomic_load(&j->valid);
    for (uint32_t k = 0; k < j->count; k++) {
        Element *el = &j->element[k];
        if (k > valid) {
            element_open(j, el, e->runs + 1, true);
            atomic_store(&j->valid, UINT32_MAX); // nobody is ahead of it
            if (reason_to_stop(j, k))
                return STATUS_STOPPED;
            element_go(j, k);
        }
        if (el->runs == 0)
            return STATUS_STOPPED;
        TRY(gather(j, k));
        if (k == valid)
            drop_behind(j, valid);
        if (el->ended)
            return STATUS_USER;
        if (k + 1 == j->count && !atomic_load(&e->stop))
            take_values(j, el);
    }
    return atomic_load(&e->stop) ? STATUS_STOPPED : STATUS_OK;
}

/* ---- The series ----------------------------------------------------------------------- */

/* A number of the command line; absent ones leave *value alone. */
static Status option_number(Experiment *e, const char *name, const char *text,
                            real *value)
{
    if (text && !number_read(text, value))
        return fault_set(&e->fault, STATUS_USAGE,
                         "--%s: \"%s\" is not a number", name, text);
    return STATUS_OK;
}

static Status run_options(Experiment *e, const CosySimulate *s, RunOptions *r)
{
    const KernelOptions *o = e->options;
    *r = (RunOptions){.from = s->from,
                      .to = s->to,
                      .to_finish = s->to_finish,
                      .comint = s->comint,
                      .log_points = s->log_points,
                      .clears = s->clears,
                      .clear_at = s->clear_at,
                      .trace = o->trace,
                      .limit_events = o->limit_events,
                      .limited = o->limit_time != NULL,
                      .save_path = o->save_path,
                      .restore = o->restore};
    r->solver = (SolverOptions){.method = o->method ? o->method : s->method,
                                .relerr = s->relerr,
                                .abserr = s->abserr,
                                .dtmin = s->dtmin,
                                .dtmax = s->dtmax,
                                .step = s->step};
    if (o->to)
        r->to_finish = false;
    TRY(option_number(e, "to", o->to, &r->to));
    TRY(option_number(e, "relerr", o->relerr, &r->solver.relerr));
    TRY(option_number(e, "abserr", o->abserr, &r->solver.abserr));
    TRY(option_number(e, "step", o->step, &r->solver.step));
    TRY(option_number(e, "save-at", o->save_at, &r->save_at));
    return option_number(e, "limit-time", o->limit_time, &r->limit_time);
}

/* What SIMULATE cannot mean. */
static Status check_simulate(Experiment *e, const RunOptions *o)
{
    if (!cosy_finite(o->from) || (!o->to_finish && !cosy_finite(o->to)))
        return fault_set(&e->fault, STATUS_NUMBER,
                         "SIMULATE: its times are not finite numbers");
    if (o->comint < R(0.0) || !cosy_finite(o->comint))
        return fault_set(&e->fault, STATUS_NUMBER,
                         "SIMULATE: COMINT must be a positive number");
    if (o->log_points && o->to_finish)
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: COMINT = LOG needs an end: TO FINISH has "
                         "none that is known before");
    return STATUS_OK;
}

static Status check_replicate(Experiment *e, const CosySimulate *s)
{
    if (s->replicates && (s->replicate < 1 || s->replicate > LIST_MOST))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE %lld: from 1 to %d replications",
                         (long long)s->replicate, LIST_MOST);
    if (s->is_within && !(s->within > R(0.0) && cosy_finite(s->within)))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE WITHIN %.15g: the half width of "
                         "an interval is a positive number",
                         (double)s->within);
    return STATUS_OK;
}

static Status series_run(Series *j)
{
    uint32_t threads = thread_count(j);
    j->parallel = threads > 1;
    for (uint32_t k = 0; k < j->count; k++)
        element_open(j, &j->element[k], j->e->runs + k + 1, k == 0);
    all_elements(j, threads);
    Status s = put_together(j);
    for (uint32_t k = 0; k < j->count; k++)
        element_free(&j->element[k]);
    return s;
}

Status series_go(Experiment *e, const CosySimulate *s)
{
    Series j = {
        .e = e, .s = s, .valid = UINT32_MAX, .begun = experiment_seconds()};
    Vector elements = {0};
    uint64_t list = lists_length(&e->lists);
    TRY(check_replicate(e, s));
    uint64_t count = list * (s->replicates ? (uint64_t)s->replicate : 1);
    if (list == 0)
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: beside SWEEP, lists of PARAMETER and "
                         "INITCOND give single values");
    j.list = (uint32_t)(list < LIST_MOST ? list : LIST_MOST);
    j.first = e->runs;
    TRY(run_options(e, s, &j.options));
    TRY(check_simulate(e, &j.options));
    if (count > LIST_MOST)
        return fault_set(&e->fault, STATUS_LIMIT,
                         "SIMULATE: %llu runs are more than %d",
                         (unsigned long long)count, LIST_MOST);
    j.count = (uint32_t)count;
    if (!vector_append(&elements, NULL, j.count * sizeof(Element)))
        return no_memory(e);
    j.element = (Element *)(void *)elements.bytes;
    pthread_mutex_init(&j.lock, NULL);
    Status status = series_run(&j);
    pthread_mutex_destroy(&j.lock);
    vector_free(&elements);
    return status;
}
