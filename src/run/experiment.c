#include "run/experiment.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stats/number.h"
#include "stats/report.h"
#include "stats/summary.h"

/* ---- Messages ------------------------------------------------------------------ */

void experiment_message(Experiment *e, CosySeverity severity, uint32_t line,
                        const char *text)
{
    static const char *const words[] = {"note", "warning", "error"};
    char whole[FAULT_LENGTH + 200];
    if (!e->options->message)
        return;
    if (line)
        snprintf(whole, sizeof whole, "%s:%u: %s: %s", e->model->source, line,
                 words[severity], text);
    else
        snprintf(whole, sizeof whole, "%s: %s", words[severity], text);
    pthread_mutex_lock(&e->lock);
    e->options->message(e->options->user, whole);
    pthread_mutex_unlock(&e->lock);
}

void experiment_write(Experiment *e, const char *text, size_t length)
{
    if (!e->options->write)
        return;
    pthread_mutex_lock(&e->lock);
    e->options->write(e->options->user, text, length);
    pthread_mutex_unlock(&e->lock);
}

/* ---- Settings ------------------------------------------------------------------- */

/* A number of the command line; absent ones leave *value alone. */
static Status option_number(Experiment *e, const char *name, const char *text,
                            real *value)
{
    if (text && !number_read(text, value))
        return fault_set(&e->fault, STATUS_USAGE,
                         "--%s: \"%s\" is not a number", name, text);
    return STATUS_OK;
}

static bool settable(CosyKind kind)
{
    return kind == COSY_CONST || kind == COSY_REAL || kind == COSY_STATE;
}

static Status apply_sets(Experiment *e, Cosy *c)
{
    for (uint32_t k = 0; k < e->options->sets; k++) {
        const KernelSetting *s = &e->options->set[k];
        uint32_t v = instance_find(e->model, s->name);
        real value;
        if (v == COSY_NONE)
            return fault_set(&e->fault, STATUS_USAGE,
                             "--set %s: %s has no variable of that name",
                             s->name, e->model->name);
        if (!settable(e->model->variables[v].kind))
            return fault_set(&e->fault, STATUS_USAGE,
                             "--set %s: it is computed by an equation; set a "
                             "CONST or a PARAMETER",
                             s->name);
        if (!number_read(s->value, &value))
            return fault_set(&e->fault, STATUS_USAGE,
                             "--set %s: \"%s\" is not a number", s->name,
                             s->value);
        instance_set(c, v, COSY_NONE, value);
    }
    return STATUS_OK;
}

/* Value of a list for run k: a short list repeats its last. */
static real list_value(const CosySetting *s, uint32_t k)
{
    return s->value[k < s->values ? k : s->values - 1];
}

/* --set makes one value of a list. */
static bool is_set(const Experiment *e, uint32_t variable)
{
    for (uint32_t k = 0; k < e->options->sets; k++)
        if (instance_find(e->model, e->options->set[k].name) == variable)
            return true;
    return false;
}

static uint32_t list_length(const Experiment *e, const CosySetting *s,
                            uint32_t n, uint32_t longest)
{
    for (uint32_t k = 0; k < n; k++)
        if (s[k].values > longest && !is_set(e, s[k].variable))
            longest = s[k].values;
    return longest;
}

static void apply_list(Cosy *c, const CosySetting *s, uint32_t n, uint32_t k)
{
    for (uint32_t i = 0; i < n; i++)
        instance_set(c, s[i].variable, s[i].index, list_value(&s[i], k));
}

/* ---- Lists of a frame ---------------------------------------------------------------- */

static ExperimentList *lists(const Experiment *e, uint32_t *count)
{
    *count = (uint32_t)(e->lists.used / sizeof(ExperimentList));
    return (ExperimentList *)(void *)e->lists.bytes;
}

bool experiment_frame(Cosy *c, uint32_t number)
{
    Experiment *e = c->run;
    (void)number;
    e->lists.used = e->elements.used = 0;
    return true;
}

/* The one that had this place before gives it up. */
CosyStatus experiment_list(Cosy *c, CosyList which, uint32_t variable,
                           uint32_t index)
{
    Experiment *e = c->run;
    uint32_t n, kept = 0;
    ExperimentList *l = lists(e, &n);
    for (uint32_t k = 0; k < n; k++)
        if (l[k].which != which || l[k].variable != variable ||
            (index != COSY_NONE && l[k].index != index))
            l[kept++] = l[k];
    e->lists.used = kept * sizeof *l;
    const ExperimentList made = {
        which, variable, index, (uint32_t)(e->elements.used / sizeof(real)), 0};
    return vector_append(&e->lists, &made, sizeof made)
               ? COSY_OK
               : COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

CosyStatus experiment_element(Cosy *c, real value, int64_t count,
                              real increment)
{
    Experiment *e = c->run;
    uint32_t n;
    ExperimentList *l = lists(e, &n);
    if (n == 0 || count < 0 || count > 10000000)
        return COSY_FAIL(COSY_BUG, COSY_NOWHERE);
    for (int64_t k = 0; k < count; k++) {
        real v = value + (real)k * increment;
        if (!vector_append(&e->elements, &v, sizeof v))
            return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    }
    l[n - 1].count += (uint32_t)count;
    return COSY_OK;
}

/* What the SIMULATE says itself, then the lists of one kind. */
static Status merge_lists(Experiment *e, CosyList which,
                          const CosySetting **setting, uint32_t *settings)
{
    uint32_t n, at = *settings;
    const ExperimentList *l = lists(e, &n);
    if (n == 0)
        return STATUS_OK;
    CosySetting *all = NEW_ARRAY(&e->arena, CosySetting, at + n);
    real *element = NEW_ARRAY(&e->arena, real, e->elements.used / sizeof(real));
    if (!all || !element)
        return STATUS_MEMORY;
    memcpy(element, e->elements.bytes, e->elements.used);
    if (at)
        memcpy(all, *setting, at * sizeof *all);
    for (uint32_t k = 0; k < n; k++)
        if (l[k].which == which && l[k].count)
            all[at++] = (CosySetting){l[k].variable, l[k].index,
                                      element + l[k].first, l[k].count};
    *setting = all;
    *settings = at;
    return STATUS_OK;
}

real experiment_constant(Cosy *c, uint32_t variable, real value)
{
    const Experiment *e = c->run;
    for (uint32_t k = 0; k < e->options->sets; k++)
        if (instance_find(e->model, e->options->set[k].name) == variable)
            number_read(e->options->set[k].value, &value);
    return value;
}

/* ---- One run --------------------------------------------------------------------- */

typedef struct Job {
    Experiment *e;
    const CosySimulate *s;
    RunOptions options;
    uint32_t first, count; // runs before it, runs of it
    uint32_t list;         // length of the longest list
    atomic_uint next;
    Status *status; // per run
    Buffer *report; // per run: shown in their order when all are done
    Vector data, x; // of the last run
} Job;

typedef struct Ticker {
    const KernelOptions *o;
    uint32_t run;
} Ticker;

static bool tick(void *user, double t, uint64_t steps, uint64_t events)
{
    const Ticker *k = user;
    return k->o->progress(k->o->user, k->run, t, steps, events);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The values of the experiment, then this run's elements of the lists, then
   what the command line orders. */
static Status prepare(Job *j, Run *r, uint32_t k)
{
    Experiment *e = j->e;
    const CosySimulate *s = j->s;
    Cosy *c = r->c;
    uint32_t element = k % j->list;
    memcpy(c->data, e->instance.c.data, e->model->data_size);
    memcpy(c->x, e->instance.c.x, e->model->states * sizeof(real));
    c->head->run = j->first + k + 1;
    c->head->replication = k / j->list;
    c->head->seed = e->options->seed;
    apply_list(c, s->parameter, s->parameters, element);
    apply_list(c, s->initcond, s->initconds, element);
    return apply_sets(e, c);
}

static const char *status_name(Status s)
{
    return s == STATUS_OK        ? "finished"
           : s == STATUS_STOPPED ? "stopped"
                                 : "failed";
}

static RunFacts facts_of(const Job *j, const Run *r, uint32_t k, Status status)
{
    const uint64_t *events = r->record.counts;
    const SolverCounts *n = &r->solver.counts;
    bool integrates = r->model->states || r->model->n_copies;
    return (RunFacts){
        .run = j->first + k + 1,
        .frame = j->s->frame ? j->s->frame : 1,
        .status = status_name(status),
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
    };
}

/* Records and summary of a run, also of one that failed. */
static Status leave_results(Job *j, Run *r, uint32_t k, Status status,
                            double wall)
{
    Experiment *e = j->e;
    const CosySimulate *s = j->s;
    Arena scratch = {0};
    RunFacts f = facts_of(j, r, k, status);
    CosySetting *own = NEW_ARRAY(&scratch, CosySetting, s->parameters + 1);
    real *value = NEW_ARRAY(&scratch, real, s->parameters + 1);
    if (!own || !value)
        return STATUS_MEMORY;
    for (uint32_t i = 0; i < s->parameters; i++) {
        uint32_t at = s->parameter[i].index;
        own[i] = s->parameter[i];
        value[i] =
            instance_get(r->c, own[i].variable, at == COSY_NONE ? 0 : at);
        own[i].value = &value[i];
    }
    f.parameter = own;
    f.parameters = s->parameters;
    f.wall_s = wall;
    Buffer *b = (Buffer *)(void *)e->summaries.bytes + f.run - 1;
    Status done = summary_run(b, r->c, &f);
    report_run(&j->report[k], r->c, &f);
    if (done == STATUS_OK && e->options->dir)
        done = record_write(&r->record, e->options->dir, f.run, &r->fault);
    arena_free(&scratch);
    return done;
}

static Status keep_last(Job *j, const Run *r)
{
    const CosyModel *m = r->model;
    return vector_append(&j->data, r->c->data, m->data_size) &&
                   vector_append(&j->x, r->c->x, m->states * sizeof(real))
               ? STATUS_OK
               : STATUS_MEMORY;
}

static Status simulate_one(Job *j, Run *r, uint32_t k)
{
    Experiment *e = j->e;
    RunOptions o = j->options;
    Ticker ticker = {e->options, j->first + k + 1};
    const KernelOptions *all = e->options;
    const void *code = all->newest ? all->newest(all->newest_user) : e->model;
    TRY(run_create(r, code, &host_table, e));
    r->c->external = all->external;
    TRY(prepare(j, r, k));
    if (all->progress) {
        o.progress = tick;
        o.user = &ticker;
    }
    o.newest = all->newest;
    o.newest_user = all->newest_user;
    if (j->first + k > 0)
        o.save_path = o.restore = NULL;
    return run_go(r, &o);
}

static void one_run(Job *j, uint32_t k)
{
    Run r;
    double begun = seconds();
    Status status = simulate_one(j, &r, k);
    if (status != STATUS_OK) {
        fault_set(&r.fault, status, "%s", status_words(status));
        experiment_message(j->e, COSY_ERROR, 0, r.fault.text);
    }
    if (r.c) {
        Status left = leave_results(j, &r, k, status, seconds() - begun);
        if (left != STATUS_OK && status == STATUS_OK) {
            fault_set(&r.fault, left, "%s", status_words(left));
            experiment_message(j->e, COSY_ERROR, 0, r.fault.text);
            status = left;
        }
        if (k + 1 == j->count && keep_last(j, &r) != STATUS_OK)
            status = STATUS_MEMORY;
    }
    j->status[k] = status;
    run_free(&r);
}

/* ---- All runs of a SIMULATE -------------------------------------------------------- */

static void *worker(void *job)
{
    Job *j = job;
    for (;;) {
        uint32_t k = atomic_fetch_add(&j->next, 1);
        if (k >= j->count)
            return NULL;
        one_run(j, k);
    }
}

static uint32_t thread_count(const Job *j)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = j->e->options->threads;
    if (n == 0)
        n = cores > 0 ? (uint32_t)cores : 1;
    return n < j->count ? n : j->count;
}

/* The calling thread works too; a thread that cannot be had is done without. */
static void all_runs(Job *j)
{
    enum { MOST = 256 };
    pthread_t thread[MOST];
    uint32_t started = 0, n = thread_count(j);
    while (started + 1 < n && started < MOST &&
           pthread_create(&thread[started], NULL, worker, j) == 0)
        started++;
    worker(j);
    for (uint32_t k = 0; k < started; k++)
        pthread_join(thread[k], NULL);
}

static Status run_options(Experiment *e, const CosySimulate *s, RunOptions *r)
{
    const KernelOptions *o = e->options;
    *r = (RunOptions){.from = s->from,
                      .to = s->to,
                      .to_finish = s->to_finish,
                      .comint = s->comint,
                      .log_points = s->log_points,
                      .trace = o->trace,
                      .limit_events = o->limit_events,
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
    return STATUS_OK;
}

/* The instance of the experiment sees the last run's values. */
static void take_last(Job *j)
{
    Cosy *c = &j->e->instance.c;
    if (j->data.used)
        memcpy(c->data, j->data.bytes, j->data.used);
    if (j->x.used)
        memcpy(c->x, j->x.bytes, j->x.used);
    vector_free(&j->data);
    vector_free(&j->x);
}

static void show_reports(Job *j)
{
    for (uint32_t k = 0; k < j->count; k++) {
        Buffer *b = &j->report[k];
        const char *text = buffer_string(b);
        experiment_write(j->e, text, strlen(text));
        buffer_free(b);
    }
}

static void count_failures(Job *j)
{
    KernelOutcome *out = j->e->outcome;
    for (uint32_t k = 0; k < j->count; k++)
        if (j->status[k] != STATUS_OK) {
            out->failed++;
            fault_set(&out->fault, j->status[k], "run %u failed",
                      j->first + k + 1);
        }
}

static Status simulate(Experiment *e, const CosySimulate *asked)
{
    CosySimulate own = *asked, *s = &own;
    TRY(merge_lists(e, COSY_LIST_PARAMETER, &s->parameter, &s->parameters));
    TRY(merge_lists(e, COSY_LIST_INITCOND, &s->initcond, &s->initconds));
    Job j = {.e = e, .s = s, .first = e->runs};
    j.list = list_length(e, s->parameter, s->parameters, 1);
    j.list = list_length(e, s->initcond, s->initconds, j.list);
    j.count = j.list * (s->replicate ? s->replicate : 1);
    TRY(run_options(e, s, &j.options));
    j.status = NEW_ARRAY(&e->arena, Status, j.count);
    j.report = NEW_ARRAY(&e->arena, Buffer, j.count);
    if (!j.status || !j.report ||
        !vector_append(&e->summaries, NULL, j.count * sizeof(Buffer)))
        return fault_set(&e->fault, STATUS_MEMORY, "no memory for %u runs",
                         j.count);
    e->runs += j.count;
    all_runs(&j);
    take_last(&j);
    show_reports(&j);
    count_failures(&j);
    return STATUS_OK;
}

CosyStatus experiment_simulate(Cosy *c, const CosySimulate *s)
{
    return simulate(c->run, s) == STATUS_OK ? COSY_OK
                                            : COSY_FAIL(COSY_REFUSED, 0);
}

/* ---- The experiment ------------------------------------------------------------------ */

static Status carry_out(Experiment *e)
{
    const CosyModel *m = e->model;
    TRY(instance_create(&e->instance, m, &host_table, e, &e->arena, &e->image,
                        &e->fault));
    e->instance.c.external = e->options->external;
    TRY(apply_sets(e, &e->instance.c));
    if (m->n_externals && !e->options->external)
        return fault_set(&e->fault, STATUS_USAGE,
                         "%s calls EXTERNAL functions, which were not given",
                         m->name);
    if (!m->experiment)
        return fault_set(&e->fault, STATUS_MODEL, "%s has no EXPERIMENT",
                         m->name);
    if (m->experiment(&e->instance.c) != COSY_OK)
        fault_set(&e->fault, STATUS_USER, "the EXPERIMENT stopped");
    return e->fault.status; // of what stopped it
}

/* Files of an earlier experiment that had more runs. */
static void remove_older(const Experiment *e)
{
    static const char *const names[] = {"run", "events", "final"};
    for (uint32_t run = e->runs + 1;; run++) {
        bool any = false;
        for (size_t k = 0; k < LENGTH(names); k++) {
            Buffer path = {0};
            buffer_format(&path, "%s/%s-%04u.csv", e->options->dir, names[k],
                          run);
            any |= remove(buffer_string(&path)) == 0;
            buffer_free(&path);
        }
        if (!any)
            return;
    }
}

static Status write_summary(Experiment *e)
{
    const KernelOptions *o = e->options;
    if (e->runs == 0 || (!o->dir && !o->json))
        return STATUS_OK;
    TRY(summary_write(o->dir, e->model,
                      (const Buffer *)(const void *)e->summaries.bytes, e->runs,
                      o->json, &e->fault));
    if (o->dir)
        remove_older(e);
    return STATUS_OK;
}

static void experiment_free(Experiment *e)
{
    Buffer *b = (Buffer *)(void *)e->summaries.bytes;
    for (uint32_t k = 0; k < e->runs; k++)
        buffer_free(&b[k]);
    vector_free(&e->summaries);
    vector_free(&e->lists);
    vector_free(&e->elements);
    if (e->instance.c.model)
        instance_free(&e->instance);
    arena_free(&e->arena);
    pthread_mutex_destroy(&e->lock);
}

Status experiment_go(const void *model, const KernelOptions *o,
                     KernelOutcome *out)
{
    Experiment e = {.model = model, .options = o, .outcome = out};
    *out = (KernelOutcome){0};
    pthread_mutex_init(&e.lock, NULL);
    Status status = carry_out(&e);
    Status written = write_summary(&e);
    if (status == STATUS_OK)
        status = written;
    if (status != STATUS_OK) {
        fault_set(&e.fault, status, "%s", status_words(status));
        out->fault = e.fault;
    } else {
        status = out->fault.status;
    }
    out->runs = e.runs;
    experiment_free(&e);
    return status;
}
