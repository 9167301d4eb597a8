#include "study/trial.h"

#include <assert.h>
#include <string.h>

#include "cosy/unit.h"
#include "stats/observe.h"
#include "study/gridcheck.h"
#include "study/verify.h"

/* The most RERUNs of one element. */
#define RERUNS_MOST 100000

/* ---- Stopping -------------------------------------------------------------------- */

static bool ask(TrialTicker *k, double t, uint64_t steps, uint64_t events)
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
                              .pass = o->twin ? o->twin->closer ? 1 : 2 : 0,
                              .trial = gridcheck_words(j->e)};
    return o->progress(o->user, &p);
}

/* Gives up a double that takes many times what the run took. */
static void follow(TrialTicker *k, double t, uint64_t steps, uint64_t events)
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
    TrialTicker *k = user;
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
    TrialTicker *k = user;
    k->loop = !tick(k, (double)c->head->t, k->steps, k->events);
    return !k->loop;
}

/* ---- What it begins with ------------------------------------------------------------ */

/* Gives the run the values of its present point, if it begins there; true: it is
   an analysis at that point. */
static bool begin_there(const Experiment *e, const Trial *t, uint32_t element,
                        bool again, RunOptions *options)
{
    bool run = options->task == COSY_SIMULATE;
    if (again || !present_has(&e->present, t->j->list) ||
        (run && !e->present.rests))
        return false;
    real now = present_take(&e->present, t->run.c, element, &e->instance.c);
    if (!run)
        options->from = options->to = now;
    options->slid = !run && e->present.slid.bytes[element];
    return !run;
}

/* Sets the values at SIMULATE, then this run's elements of the lists, then
   those of the command line. A RERUN keeps what the previous run has left,
   except for the states. */
static Status prepare(Trial *t, RunOptions *options)
{
    const Experiment *e = t->j->e;
    const CosyModel *m = e->model;
    Cosy *c = t->run.c;
    bool again = t->before != NULL;
    uint32_t element = t->at.place;
    memcpy(c->data, again ? (void *)t->before->data.bytes : e->instance.c.data,
           m->data_size);
    memcpy(c->x, e->instance.c.x, m->states * sizeof(real));
    options->present = begin_there(e, t, element, again, options);
    c->head->storing =
        again ? t->before->head.storing : e->instance.c.head->storing;
    c->head->run = t->at.number;
    c->head->replication = t->at.replication;
    c->head->seed = e->options->seed;
    observe_copy(c, &e->instance.c);
    ListsFor what = again              ? LISTS_AGAIN
                    : options->present ? LISTS_PRESENT
                                       : LISTS_START;
    lists_apply(&e->lists, c, element, what);
    Start *start = &t->run.start;
    if (!lists_targets(&e->lists, element, what, &start->targets))
        return STATUS_MEMORY;
    if (!options->present && !e->lists.rested && e->conditions.used &&
        !vector_append(&start->conditions, e->conditions.bytes,
                       e->conditions.used))
        return STATUS_MEMORY;
    t->parameter =
        lists_parameters(&e->lists, c, &t->run.arena, &t->parameters);
    return t->parameter ? STATUS_OK : STATUS_MEMORY;
}

/* Run k of a series has number first + k + 1, not counting RERUNs. */
static StreamPlan stream_plan(const Trial *t)
{
    const Series *j = t->j;
    uint32_t replication = t->at.replication;
    uint32_t back = replication % 2 ? j->list : 0;
    return (StreamPlan){
        .run = t->at.number,
        .replication = replication,
        .pair = j->first + t->at.element - back + 1,
        .again = t->at.again,
        .antithetic = j->s->antithetic,
        .common = j->s->common,
        .item = (const uint32_t *)(const void *)j->e->generators.bytes,
        .items = (uint32_t)(j->e->generators.used / sizeof(uint32_t)),
    };
}

/* Memory and values for a run that is still to be asked what to do. */
static Status open_run(Trial *t, RunOptions *options)
{
    const KernelOptions *all = t->j->e->options;
    const void *code =
        all->newest ? all->newest(all->newest_user) : t->j->e->model;
    *options = t->j->options;
    TRY(run_create(&t->run, code, t->j->e->instance.c.host, &t->owner));
    t->owner.follow = &t->run.follow;
    t->run.c->external = all->external;
    return prepare(t, options);
}

/* CLEAR AUTO: the same run, of which nothing is seen, tells how long the warm-up
   is. If it fails, so will the run itself, with its own message. */
static void pilot(Trial *t, const TrialTicker *ticker)
{
    Trial p = *t;
    Outlet silent;
    Vector cross = {0};
    RunOptions options;
    TrialTicker quiet = *ticker;
    outlet_open(&silent, &t->j->e->shared, false);
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
        t->warmup = warmup_find(&p.run);
    run_free(&p.run);
    vector_free(&cross);
    outlet_free(&silent);
}

/* What the run has left before it is done once more. */
static void forget(Trial *t)
{
    run_free(&t->run);
    memset(&t->run, 0, sizeof t->run);
    t->warmup = (RunWarmup){0};
}

static Status simulate_from(Trial *t, TrialTicker *ticker)
{
    Experiment *e = t->j->e;
    const KernelOptions *all = e->options;
    RunOptions options;
    if (t->j->options.warm.wanted &&
        (t->at.number > 1 || !t->j->options.restore))
        pilot(t, ticker);
    TRY(open_run(t, &options));
    follow_settle(&t->run.follow, t->run.c, COSY_NONE);
    if (t->warmup.of && t->warmup.removed > 0) {
        t->run.state.warmed = 1;
        t->run.state.warm_at = t->warmup.until;
    }
    options.streams = stream_plan(t);
    options.progress = tick;
    options.user = ticker;
    options.newest = all->newest;
    options.newest_user = all->newest_user;
    options.tracer = t->owner.tracer;
    t->watch = (FitWatch){.taken = e->taken,
                          .number = t->at.number,
                          .replicated = t->at.replication > 0};
    options.watch = t->filmed ? film_watch(&t->film) : fit_watch(&t->watch);
    options.unseen = e->taken != NULL;
    if (t->at.number > 1)
        options.save_path = options.restore = NULL;
    gridcheck_vary(e, t->at.number, &options);
    t->varied = verify_vary(e, t->at.number, &options);
    options.misses = all->twin ? &t->misses : NULL;
    TRY(snapshot_begin(&t->snapshot, &t->at, &t->owner, &options));
    Status status = run_go(&t->run, &options);
    if (status == STATUS_OK && t->warmup.of)
        warmup_tell(t->run.c, &t->warmup);
    return status;
}

/* From its snapshot, if there is one that can be used. */
static Status simulate(Trial *t, TrialTicker *ticker)
{
    t->snapshot = (Snapshot){.j = t->j, .run = &t->run};
    Status status = simulate_from(t, ticker);
    if (snapshot_failed(&t->snapshot, status)) {
        forget(t);
        status = simulate_from(t, ticker);
    }
    snapshot_end(&t->snapshot, status);
    return status;
}

/* ---- The trial --------------------------------------------------------------------- */

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

/* Whether TERMINAL asks for another run; too many are a fault. */
static bool runs_again(Trial *t)
{
    if (t->status != STATUS_OK || t->run.c->head->again != COSY_RERUN)
        return false;
    if (t->at.again < RERUNS_MOST)
        return true;
    t->status = fault_set(&t->run.fault, STATUS_LIMIT,
                          "RERUN has made %d runs and does not stop: give "
                          "TERMINAL a condition under which it stops",
                          RERUNS_MOST);
    return false;
}

static void set_owner(Trial *t)
{
    Experiment *e = t->j->e;
    t->ticker = (TrialTicker){.j = t->j,
                              .element = t->at.element,
                              .run = t->at.number,
                              .started = t->begun,
                              .most = verify_most(e, t->at.number)};
    t->tracer = (Tracer){.model = e->model,
                         .filter = &e->filter,
                         .outlet = t->outlet,
                         .body = "INITIAL"};
    t->owner = (Owner){.e = e,
                       .outlet = t->outlet,
                       .tracer = e->options->traced ? &t->tracer : NULL,
                       .cross = t->cross,
                       .may_turn = tick_in_loop,
                       .user = &t->ticker};
    t->gauge.run = &t->run;
    if (e->options->verify || e->options->twin)
        t->ticker.gauge = &t->gauge;
}

bool trial_go(Trial *t)
{
    t->begun = experiment_seconds();
    set_owner(t);
    count_running(t->j->e, true);
    t->status = simulate(t, &t->ticker);
    count_running(t->j->e, false);
    return runs_again(t);
}

static bool slides_at_end(const Run *r)
{
    const RunSpan *s = (const RunSpan *)(const void *)r->slide.spans.bytes;
    size_t n = r->slide.spans.used / sizeof *s;
    return r->options.task == COSY_SIMULATE && n > 0 &&
           (s[n - 1].to == COSY_NEVER || s[n - 1].to == r->c->head->t);
}

Status trial_leave(const Trial *t, TrialLeft *left)
{
    const CosyModel *m = t->run.model;
    const Cosy *c = t->run.c;
    left->data.used = left->x.used = 0;
    left->head = *c->head;
    left->slid = slides_at_end(&t->run);
    return vector_append(&left->data, c->data, m->data_size) &&
                   vector_append(&left->x, c->x, m->states * sizeof(real))
               ? STATUS_OK
               : STATUS_MEMORY;
}

void trial_free(Trial *t)
{
    gauge_free(&t->gauge);
    errorbar_free(&t->bar);
    digest_free(&t->barred);
    buffer_free(&t->grid);
    vector_free(&t->misses);
    fit_watch_free(&t->watch);
    film_free(&t->film);
    run_free(&t->run);
}
