#include "study/series.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cosy/unit.h"
#include "run/warmup.h"
#include "stats/compare.h"
#include "stats/number.h"
#include "stats/pool.h"
#include "stats/replicate.h"
#include "stats/selected.h"
#include "stats/value.h"
#include "study/claims.h"
#include "study/depot.h"
#include "study/found.h"
#include "study/probe.h"
#include "study/resume.h"
#include "study/uncertain.h"

/* The runs of one SIMULATE: which there are, on which threads, and in which
   order their results are gathered. */

/* The most replications of WITHIN without MAX. */
#define WITHIN_MOST 1000

/* ---- Gathering --------------------------------------------------------------- */

const char *const series_file[SERIES_FILES] = {
    "run", "events", "final", "resources", "linear", "eigenvalues"};

/* Removes the files of an element that does not count. */
static void drop_files(Series *j, const Element *el)
{
    Buffer path = {0};
    if (!j->e->stage.open)
        return;
    for (uint32_t n = el->number; n < el->number + el->runs; n++)
        for (size_t k = 0; k < SERIES_FILES; k++) {
            path.v.used = 0;
            buffer_format(&path, "%s/%s-%04u.csv", stage_path(&j->e->stage),
                          series_file[k], n);
            unlink(buffer_string(&path));
        }
    buffer_free(&path);
}

static bool move_vector(Vector *to, Vector *from)
{
    return !from->used || vector_append(to, from->bytes, from->used);
}

static Status no_memory(Experiment *e)
{
    return fault_set(&e->fault, STATUS_MEMORY, "no memory for the results");
}

/* The most runs in the table on the terminal. */
#define TOLD_MOST 50

bool series_tells(const Series *j)
{
    const SweepTable *t = sweep_present(&j->e->gallery.sweep);
    return j->e->options->write && !(t && t->elements > SWEEP_FEW);
}

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

/* Moves the objects of summary.json, in the order of the runs. */
static bool move_summaries(Experiment *e, Element *el)
{
    if (e->summaries.used == 0) {
        Buffer first = {0};
        if (!vector_append(&e->summaries, &first, sizeof first))
            return false;
    }
    Buffer *all = (Buffer *)(void *)e->summaries.bytes;
    if (el->summaries.v.used == 0) // there was no memory for it to begin
        return true;
    if (all->v.used)
        buffer_text(all, ",\n");
    buffer_bytes(all, (const char *)el->summaries.v.bytes,
                 el->summaries.v.used);
    return !all->broken;
}

static Status add_quantities(Series *j, const Element *el, uint32_t k)
{
    Replications *r = &j->e->gallery.replications;
    if (!j->replicated)
        return STATUS_OK;
    if (el->replication == 0)
        TRY(replicate_group(
            r, el->place,
            (const RunSetting *)(const void *)el->parameters.bytes,
            (uint32_t)(el->parameters.used / sizeof(RunSetting))));
    /* A run that finished counts even if nothing but a HISTOGRAM is observed. */
    bool finished = r->width ? el->values.used > 0 : el->failed == 0;
    if (finished) {
        replicate_add(r, el->place,
                      (const real *)(const void *)el->values.bytes);
        pool_add(r, el->place, &el->histograms);
    }
    if (j->s->is_best && el->values.used) {
        Selected *t = selected_last(r);
        const real *value = (const real *)(const void *)el->values.bytes;
        select_value(&t->s, el->place, value[t->quantity]);
    } else if ((k + 1) % j->list == 0) {
        compare_round(r);
    }
    return STATUS_OK;
}

/* The most bytes of digests that are kept, for the runs and for each double. */
#define DIGESTED_MOST ((size_t)40 << 20)

/* Moves the digests, in the order of the runs. If there are very many runs,
   only the first are kept. */
static bool move_digests(Experiment *e, Element *el)
{
    Digest *d = (Digest *)(void *)el->digests.bytes;
    size_t n = el->digests.used / sizeof *d;
    for (size_t k = 0; k < n; k++) {
        e->digested += sizeof *d + d[k].values.room + d[k].events_list.room +
                       d[k].rows.room;
        bool fits = e->digested <= DIGESTED_MOST || e->digests.used == 0;
        if (fits && !vector_append(&e->digests, &d[k], sizeof d[k]))
            return false;
        if (!fits) {
            digest_free(&d[k]);
            e->undigested++;
        }
        d[k].values = d[k].events_list = d[k].misses = (Vector){0};
        d[k].rows = d[k].points = d[k].fields = (Vector){0};
    }
    return true;
}

/* Makes what an element has left part of the experiment. */
static Status gather(Series *j, uint32_t k)
{
    Experiment *e = j->e;
    Element *el = element_at(j, k);
    tell(e, el);
    e->gallery.runs += el->runs;
    e->outcome->failed += el->failed;
    if (el->fault.status != STATUS_OK)
        fault_set(&e->outcome->fault, el->fault.status, "%s", el->fault.text);
    if (el->outlet.written) {
        e->outlet.written = true;
        e->outlet.open = el->outlet.open;
        e->outlet.value = el->outlet.value;
    }
    if (!move_summaries(e, el) || !move_vector(&e->gallery.cross, &el->cross) ||
        !move_vector(&e->gallery.shown, &el->shown) ||
        !move_vector(&e->gallery.saves, &el->saves) || !move_digests(e, el))
        return no_memory(e);
    el->shown.used = 0;
    for (uint32_t i = 0; i < plots_count(&el->pictures); i++)
        if (plots_add(&e->gallery.pictures, plots_get(&el->pictures, i)) !=
            STATUS_OK)
            return no_memory(e);
    if (e->model->analyses && el->replication == 0 &&
        !present_add(&j->left, el->left.head.t, &el->left.data, &el->left.x,
                     el->left.slid))
        return no_memory(e);
    if (!e->quiet)
        sweep_gather(&e->gallery.sweep, el->place, &el->swept);
    if ((!e->quiet &&
         !envelope_add(&e->gallery.envelopes, el->place, &el->envelope)) ||
        add_quantities(j, el, k) != STATUS_OK ||
        !oneway_add(&e->oneway, &el->oneway))
        return no_memory(e);
    return el->ended ? STATUS_USER : STATUS_OK;
}

static void forget_last(Series *j)
{
    vector_free(&j->last.data);
    vector_free(&j->last.x);
    j->over = false;
}

/* The instance of the experiment sees the last run's values, once no run begins with
   its own ones any more. */
static void take_values(Series *j)
{
    Cosy *c = &j->e->instance.c;
    const TrialLeft *last = &j->last;
    if (!j->over)
        return;
    if (last->data.used)
        memcpy(c->data, last->data.bytes, last->data.used);
    if (last->x.used)
        memcpy(c->x, last->x.bytes, last->x.used);
    c->head->t = last->head.t;
    c->head->t_begin = last->head.t_begin;
    c->head->t_end = last->head.t_end;
    c->head->dt = last->head.dt;
    c->head->run = last->head.run;
    c->head->storing = last->head.storing;
}

/* ---- REPLICATE WITHIN --------------------------------------------------------------- */

/* The fewest replications, or antithetic pairs, that are trusted: the interval
   of two or three is too often narrow by chance. */
#define WITHIN_LEAST 5

/* The widest interval among the elements of the lists. */
static real widest(const Series *j)
{
    real most = R(0.0);
    for (uint32_t k = 0; k < j->list; k++) {
        real half = replicate_half(&j->e->gallery.replications, k, j->s->of,
                                   j->s->of_at);
        if (!(half <= most))
            most = half;
    }
    return most;
}

/* To be asked after each round of replications, in their order. */
static bool is_sure(const Series *j, uint32_t k)
{
    uint32_t least = WITHIN_LEAST * (j->antithetic ? 2 : 1);
    if (!j->s->is_within || (k + 1) % j->list != 0 || (k + 1) / j->list < least)
        return false;
    return widest(j) <= j->s->within;
}

static void not_sure(Series *j)
{
    char text[300];
    Buffer name = {0};
    if (!j->s->is_within || atomic_load(&j->e->stop))
        return;
    real half = widest(j);
    if (half <= j->s->within)
        return;
    value_name(&name, &j->e->model->variables[j->s->of], j->s->of_at);
    snprintf(text, sizeof text,
             "REPLICATE WITHIN %.15g OF %.80s: the half width is still %.6g "
             "after %u replications, which is MAX",
             (double)j->s->within, buffer_string(&name), (double)half,
             (unsigned)(j->count / j->list));
    outlet_message(&j->e->outlet, COSY_WARNING, 0, text);
    buffer_free(&name);
}

/* ---- REPLICATE BEST ----------------------------------------------------------------- */

/* The replication that follows is that of the alternatives that are left. */
static void next_round(Series *j, const Selection *s, uint32_t k)
{
    j->best.first = k + 1;
    j->best.round = s->round;
    j->best.count = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (select_is_there(s, i))
            j->best.place[j->best.count++] = i;
}

/* Element k is gathered. True: it was the last that is needed. */
static bool is_selected(Series *j, uint32_t k)
{
    if (!j->s->is_best)
        return false;
    Selection *s = &selected_last(&j->e->gallery.replications)->s;
    bool ends = s->round < s->first ? (k + 1) % j->list == 0
                                    : k + 1 == j->best.first + j->best.count;
    if (!ends)
        return false;
    bool done = select_round(s) || s->round >= j->most;
    if (s->round >= s->first)
        next_round(j, s, k);
    return done;
}

/* Whether it is known already which alternative element k is. */
static bool is_known(const Series *j, uint32_t k)
{
    return !j->s->is_best || k < j->best.first + j->best.count;
}

static void not_selected(Series *j)
{
    char text[300];
    if (!j->s->is_best || atomic_load(&j->e->stop))
        return;
    const Selected *t = selected_last(&j->e->gallery.replications);
    if (t->s.decided)
        return;
    snprintf(text, sizeof text,
             "REPLICATE BEST: after %u replications, which is MAX, several "
             "alternatives may still be the best: a larger DELTA, or a larger "
             "MAX, decides",
             t->s.round);
    outlet_message(&j->e->outlet, COSY_WARNING, 0, text);
}

/* ---- Turns -------------------------------------------------------------------------------- */

/* Threads that wait for room are woken after so many turns: each wakening costs as
   much as a short run. */
#define WAKE 16

/* Whether there is more to come after element k. */
static void decide(Series *j, uint32_t k, Status status)
{
    pthread_mutex_lock(&j->lock);
    j->status = status;
    if (status == STATUS_OK && (is_sure(j, k) || is_selected(j, k))) {
        j->count = j->end = k + 1;
        element_is_last(j, k);
    }
    pthread_mutex_unlock(&j->lock);
}

/* Element k is done, and so are all before it. Only one thread at a time is here;
   it holds the lock only while it changes what take_next looks at. */
static void settle(Series *j, uint32_t k)
{
    Element *el = element_at(j, k);
    if (j->depot && (!j->apart || atomic_load(&j->e->unwritten)))
        outlet_turn(&el->outlet);
    Status status = j->apart ? STATUS_OK : gather(j, k);
    if (status != STATUS_OK || j->s->is_within || j->s->is_best)
        decide(j, k, status);
    if (k + 1 == j->count && !atomic_load(&j->e->stop) &&
        j->s->task != COSY_LINEARIZE) {
        forget_last(j); // of a team, which gathers what it has computed itself
        j->last = el->left;
        el->left = (TrialLeft){0};
        j->over = true;
        if (status == STATUS_OK && !found_settle(j, el))
            decide(j, k, no_memory(j->e));
    }
    element_free(el);
}

/* Whether the element whose turn it is can be gathered; with the lock held. */
static bool is_ready(const Series *j)
{
    return j->status == STATUS_OK && j->turn < j->next &&
           j->turn <= atomic_load(&j->valid) && element_at(j, j->turn)->done;
}

/* With the lock held, which is given back while something is gathered: the other
   threads compute meanwhile. */
static void settle_ready(Series *j)
{
    assert(!j->gathering);
    j->gathering = true;
    while (is_ready(j)) {
        uint32_t k = j->turn;
        pthread_mutex_unlock(&j->lock);
        settle(j, k);
        pthread_mutex_lock(&j->lock);
        assert(j->turn == k);
        j->turn = k + 1;
        if (!j->depot && j->turn < j->next && j->turn <= atomic_load(&j->valid))
            outlet_turn(&element_at(j, j->turn)->outlet);
        if (j->turn % WAKE == 0)
            pthread_cond_broadcast(&j->moved);
    }
    j->gathering = false;
}

/* Element k is done. If it is its turn, it is gathered, and so are those after it
   that are done; then the next one may write. Where a thread is at it already, it
   will see this one too. With the lock held. */
static void pass_turn(Series *j, uint32_t k)
{
    element_at(j, k)->done = true;
    if (j->gathering)
        return;
    settle_ready(j);
    if (j->status != STATUS_OK)
        element_is_last(j, j->turn - 1);
    pthread_cond_broadcast(&j->moved);
}

/* Takes the next element as soon as there is room for it; false: there is none.
   With the lock held. */
static bool take_next(Series *j, uint32_t *k)
{
    while (j->next < j->end &&
           (j->next >= j->turn + j->window || !is_known(j, j->next)) &&
           !element_stop(j, j->next))
        pthread_cond_wait(&j->moved, &j->lock);
    if (j->next >= j->end || element_stop(j, j->next))
        return false;
    *k = j->next++;
    element_open(j, *k, j->first + *k + 1, *k == j->turn);
    return true;
}

static void *worker(void *series)
{
    Series *j = series;
    uint32_t k;
    pthread_mutex_lock(&j->lock);
    while (take_next(j, &k)) {
        pthread_mutex_unlock(&j->lock);
        element_go(j, k);
        atomic_fetch_add(&j->done, 1);
        pthread_mutex_lock(&j->lock);
        pass_turn(j, k);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static uint32_t thread_count(const Series *j)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = j->e->options->threads;
    if (n == 0)
        n = cores > 0 ? (uint32_t)cores : 1;
    return n < j->count ? n : j->count;
}

/* The calling thread works too; if a thread cannot be created, the others do
   its work. */
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

/* Elements that did not count are forgotten. */
static void drop_behind(Series *j)
{
    for (uint32_t k = j->turn; k < j->next; k++) {
        drop_files(j, element_at(j, k));
        element_free(element_at(j, k));
    }
    j->next = j->turn;
}

/* Elements of which each may become several runs. */
static Status one_by_one(Series *j)
{
    while (j->status == STATUS_OK && j->turn < j->count &&
           !element_stop(j, j->turn)) {
        uint32_t k = j->turn;
        j->next = k + 1;
        element_open(j, k, j->e->gallery.runs + 1, true);
        element_go(j, k);
        settle(j, k);
        j->turn = k + 1;
    }
    return j->status;
}

/* ---- The series ----------------------------------------------------------------------- */

/* A number from the command line; if it is absent, *value stays. */
static Status option_number(Experiment *e, const char *name, const char *text,
                            real *value)
{
    const char *wrong = text ? number_refusal(text, value) : NULL;
    if (wrong)
        return fault_set(&e->fault, STATUS_USAGE, "--%s: \"%s\" %s", name, text,
                         wrong);
    return STATUS_OK;
}

/* A number that replaces a part of INTEGRAT, and is checked like it. */
static Status option_positive(Experiment *e, const char *name,
                              const char *meaning, const char *text,
                              real *value)
{
    TRY(option_number(e, name, text, value));
    if (text && *value <= R(0.0))
        return fault_set(&e->fault, STATUS_USAGE,
                         "--%s %s: %s must be positive", name, text, meaning);
    return STATUS_OK;
}

/* A time before the start of the run counts as reached at its start. */
static real not_before(const RunOptions *r, real t)
{
    bool backward = !r->to_finish && r->to < r->from;
    return backward ? cosy_min(t, r->from) : cosy_max(t, r->from);
}

/* What STEADYSTATE and LINEARIZE are asked. They have no snapshots. */
static Status run_task(Experiment *e, const CosySimulate *s, RunOptions *r)
{
    r->task = s->task;
    r->tol = s->tol;
    r->linear = s->linear;
    r->along = s->along;
    r->along_every = s->along_every;
    r->reduces = s->reduces;
    r->reduce_to = s->reduce_to;
    r->reduce_accuracy = s->reduce_accuracy;
    if (s->task == COSY_SIMULATE || (!r->save_path && !r->restore) ||
        e->gallery.runs > 0)
        return STATUS_OK;
    return fault_set(&e->fault, STATUS_USAGE,
                     "a snapshot is saved and restored by the first run, which "
                     "is %s here and has none",
                     s->task == COSY_STEADYSTATE ? "STEADYSTATE" : "LINEARIZE");
}

static Status run_options(Experiment *e, const CosySimulate *s, RunOptions *r)
{
    const KernelOptions *o = e->options;
    *r = (RunOptions){.from = s->from,
                      .to = s->to,
                      .to_finish = s->to_finish,
                      .comint = s->comint,
                      .log_points = s->log_points,
                      .line = s->line,
                      .clears = s->clears,
                      .clear_at = s->clear_at,
                      .features = s->features,
                      .accuracy = s->accuracy,
                      .growth = o->growth,
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
    TRY(run_task(e, s, r));
    if (s->task == COSY_SIMULATE && o->to)
        r->to_finish = false;
    if (s->task == COSY_SIMULATE)
        TRY(option_number(e, "to", o->to, &r->to));
    TRY(option_positive(e, "relerr", "RELERR", o->relerr, &r->solver.relerr));
    TRY(option_positive(e, "abserr", "ABSERR", o->abserr, &r->solver.abserr));
    TRY(option_positive(e, "step", "STEP", o->step, &r->solver.step));
    TRY(option_number(e, "save-at", o->save_at, &r->save_at));
    TRY(option_number(e, "limit-time", o->limit_time, &r->limit_time));
    r->limit_time = not_before(r, r->limit_time);
    return warmup_target(&e->instance.c, s, r, &e->fault);
}

#define STEPS_MANY   1e9 // steps that take minutes, records that fill a disk
#define RECORDS_MANY 2e7

/* Warns of what would take longer than anybody waits. */
static void warn_many(Experiment *e, const RunOptions *o)
{
    double span = o->to_finish ? 0 : fabs((double)(o->to - o->from));
    double steps = o->solver.step > 0 ? span / (double)o->solver.step : 0;
    double records = o->comint > 0 ? span / (double)o->comint : 0;
    char text[160] = "";
    if (steps > STEPS_MANY)
        snprintf(text, sizeof text,
                 "STEP = %g takes %.3g steps from %g to %g%s%s: a larger one, "
                 "or none, is faster",
                 (double)o->solver.step, steps, (double)o->from, (double)o->to,
                 COSY_IN_TIME(e->model));
    else if (records > RECORDS_MANY && e->model->n_stored > 0)
        snprintf(
            text, sizeof text,
            "COMINT = %g makes %.3g records from %g to %g%s%s; it does not "
            "change the accuracy",
            (double)o->comint, records, (double)o->from, (double)o->to,
            COSY_IN_TIME(e->model));
    if (text[0] != '\0')
        outlet_message(&e->outlet, COSY_WARNING, o->line, text);
}

/* Refuses what a SIMULATE cannot mean. */
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
                         "SIMULATE: COMINT = LOG needs an end that is known in "
                         "advance, which TO FINISH does not give");
    warn_many(e, o);
    return STATUS_OK;
}

/* Copies end with their run: only data and fixed states are kept between
   runs. */
static Status check_copies(Experiment *e, const CosySimulate *s)
{
    bool run = s->task == COSY_SIMULATE;
    if (e->model->n_copies == 0 || e->present.n == 0 ||
        (run && !e->present.rests))
        return STATUS_OK;
    return fault_set(
        &e->fault, STATUS_UNSUPPORTED,
        "%s:%u: %s would begin where the statement before it has ended, but "
        "the "
        "copies of CONTINUOUS PROCESSes end with their run: let it begin at "
        "INITIAL, in a FRAME of its own, or use LINEARIZE EVERY",
        e->model->source, s->line,
        run                           ? "SIMULATE"
        : s->task == COSY_STEADYSTATE ? "STEADYSTATE"
                                      : "LINEARIZE");
}

static Status check_best(Experiment *e, const CosySimulate *s)
{
    if (!s->is_best)
        return STATUS_OK;
    if (!(s->delta > R(0.0) && cosy_finite(s->delta)))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST ... DELTA %.15g: the least "
                         "difference that matters must be a positive number",
                         (double)s->delta);
    if (s->has_confidence &&
        !(s->confidence >= R(0.5) && s->confidence < R(1.0)))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST ... CONFIDENCE %.15g: it is "
                         "a share such as 0.95, at least 0.5 and less than 1",
                         (double)s->confidence);
    if (s->has_first && (s->first < 5 || s->first > RUNS_MOST))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST ... FIRST %lld: variances "
                         "are estimated from 5 to %d replications",
                         (long long)s->first, RUNS_MOST);
    return STATUS_OK;
}

static Status check_alternatives(const Series *j)
{
    if (!j->s->is_best)
        return STATUS_OK;
    if (j->antithetic)
        return fault_set(&j->e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST needs replications that are "
                         "independent of each other: leave ANTITHETIC out of "
                         "RANDOMGEN");
    if (j->list < 2 || j->list > SELECT_MOST)
        return fault_set(&j->e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST selects among 2 to %d "
                         "alternatives, which are the elements of PARAMETER "
                         "lists or SWEEP, and here %s %u",
                         SELECT_MOST, j->list == 1 ? "is" : "are", j->list);
    return STATUS_OK;
}

static Status check_replicate(Experiment *e, const CosySimulate *s)
{
    TRY(check_best(e, s));
    if (s->replicates && (s->replicate < 1 || s->replicate > RUNS_MOST))
        return fault_set(
            &e->fault, STATUS_USER,
            "SIMULATE: REPLICATE %lld: there can be 1 to %d replications",
            (long long)s->replicate, RUNS_MOST);
    if (s->is_within && !(s->within > R(0.0) && cosy_finite(s->within)))
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE WITHIN %.15g: the half width of "
                         "an interval must be a positive number",
                         (double)s->within);
    return STATUS_OK;
}

/* Elements that are computed ahead of the one whose turn it is. */
#define WINDOW 64

void series_make(Series *j, uint32_t from, uint32_t end)
{
    j->turn = j->next = from;
    j->end = end;
    all_elements(j, thread_count(j));
    drop_behind(j);
}

/* --chunk: some of the elements, and the last one, whose values the EXPERIMENT sees.
   What they leave is kept in the depot, and gathered when all parts are there. */
static void one_part(Series *j)
{
    const KernelOptions *o = j->e->options;
    uint32_t n = j->count;
    uint32_t from = (uint32_t)((uint64_t)n * (o->chunk - 1) / o->chunks);
    uint32_t end = (uint32_t)((uint64_t)n * o->chunk / o->chunks);
    j->apart = true;
    series_make(j, from, end);
    if (j->status == STATUS_OK && end < n)
        series_make(j, n - 1, n);
    j->e->chunk_runs += end - from;
    j->e->gallery.runs = j->first + n;
}

/* One of a team: what it can claim is computed first, then everything gathered. */
static void one_of_team(Series *j)
{
    Claims *c = j->e->claims;
    uint64_t n = j->count, chunks = claims_count(j);
    uint64_t first = chunks * c->team->rank / c->team->ranks;
    j->apart = true;
    for (uint64_t i = 0;
         i < chunks && j->status == STATUS_OK && !atomic_load(&j->e->stop);
         i++) {
        uint64_t k = (first + i) % chunks;
        if (claims_take(c, j->index, (uint32_t)k)) {
            series_make(j, (uint32_t)(n * k / chunks),
                        (uint32_t)(n * (k + 1) / chunks));
            depot_flush(j->depot, &j->e->fault);
        }
    }
    j->apart = false;
    j->shared = true;
    atomic_store(&j->done, 0);
    if (j->status == STATUS_OK)
        series_make(j, 0, j->count);
}

/* What cannot be done in parts. */
static Status check_part(const Series *j)
{
    const char *what = NULL;
    if (j->e->model->reruns)
        what = "RERUN decides while it runs how many runs there are";
    else if (j->s->is_within || j->s->is_best)
        what =
            "REPLICATE WITHIN and BEST decide by the runs so far how many more "
            "there are";
    else if (j->s->task == COSY_LINEARIZE)
        what = "LINEARIZE leaves pictures, which do not travel";
    if ((!j->e->options->chunks && !j->e->options->probe) || !what)
        return STATUS_OK;
    return fault_set(&j->e->fault, STATUS_UNSUPPORTED,
                     "SIMULATE: %s: this study cannot be carried out in "
                     "parts: %s",
                     j->e->options->probe ? "--slurm" : "--chunk", what);
}

static Status series_run(Series *j)
{
    TRY(check_part(j));
    TRY(resume_complete(j));
    if (j->e->options->probe && !j->e->quiet)
        probe_series(j);
    else if (j->e->model->reruns)
        one_by_one(j);
    else if (j->e->options->chunks && !j->e->quiet)
        one_part(j);
    else if (claims_share(j))
        one_of_team(j);
    else
        series_make(j, 0, j->count);
    take_values(j);
    forget_last(j);
    Status s = j->status;
    if (s == STATUS_OK && !j->apart)
        not_sure(j);
    if (s == STATUS_OK && !j->apart)
        not_selected(j);
    if (s == STATUS_OK && !j->apart)
        s = uncertain_find(j);
    return s != STATUS_OK             ? s
           : atomic_load(&j->e->stop) ? STATUS_STOPPED
                                      : STATUS_OK;
}

static bool any_antithetic(const Experiment *e, const CosySimulate *s)
{
    const uint32_t *item = (const uint32_t *)(const void *)e->generators.bytes;
    bool any = s->antithetic;
    for (size_t k = 0; k < e->generators.used / sizeof *item; k++)
        any = any || e->model->generators[item[k]].antithetic;
    return any;
}

/* What a run takes at least: its time, and its lines in summary.json. */
#define RUN_SECONDS 1e-4
#define RUN_BYTES   1e3

static Status too_many(Experiment *e, uint64_t list, uint64_t each)
{
    double n = (double)list * (double)each;
    double hours = n * RUN_SECONDS / 3600, giga = n * RUN_BYTES / 1e9;
    return fault_set(
        &e->fault, STATUS_LIMIT,
        "SIMULATE: %llu times %llu runs are more than the %d that are "
        "possible: at a tenth of a millisecond each they would take %.3g %s, "
        "and at a kilobyte each %.3g %s; fewer POINTS, or POINTS that are "
        "spread at random, tell about as much",
        (unsigned long long)list, (unsigned long long)each, RUNS_MOST,
        hours < 48 ? hours : hours / 24, hours < 48 ? "hours" : "days",
        giga < 1000 ? giga : giga / 1000, giga < 1000 ? "GB" : "TB");
}

static Status count_runs(Series *j)
{
    Experiment *e = j->e;
    const CosySimulate *s = j->s;
    uint64_t list = lists_length(&e->lists);
    uint64_t each = s->replicates                ? (uint64_t)s->replicate
                    : s->is_within || s->is_best ? WITHIN_MOST
                                                 : 1;
    uint64_t least = s->has_first ? (uint64_t)s->first : SELECT_FIRST;
    if (s->is_best && each < least)
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: REPLICATE BEST ... MAX %llu: the procedure "
                         "begins with %llu replications of all (FIRST), so MAX "
                         "is at least that",
                         (unsigned long long)each, (unsigned long long)least);
    if (list == 0)
        return fault_set(&e->fault, STATUS_USER,
                         "SIMULATE: beside SWEEP, PARAMETER and INITCOND can "
                         "only have single values, not lists");
    if (list > RUNS_MOST / each)
        return too_many(e, list, each);
    j->list = (uint32_t)list;
    j->count = (uint32_t)(list * each);
    j->most = (uint32_t)each;
    j->replicated = s->replicates || s->is_within || s->is_best;
    j->antithetic = any_antithetic(e, s);
    j->best.first = (uint32_t)(least * list);
    return check_alternatives(j);
}

/* Whether the elements of the lists are compared with one of them. */
static bool compares(const Series *j)
{
    return j->replicated && j->list > 1 && !j->s->is_best &&
           (j->s->has_base || j->s->common);
}

static Status check_base(const Series *j)
{
    if (!j->s->has_base || (j->s->base >= 1 && j->s->base <= j->list))
        return STATUS_OK;
    return fault_set(&j->e->fault, STATUS_USER,
                     "SIMULATE: REPLICATE ... BASE %lld: the lists have %u "
                     "alternative%s, and BASE is the number of one of them",
                     (long long)j->s->base, j->list, j->list == 1 ? "" : "s");
}

static Status replicate_start(Series *j)
{
    CosySimulate s = *j->s;
    s.antithetic = j->antithetic;
    if (!j->replicated)
        return STATUS_OK;
    TRY(replicate_begin(&j->e->gallery.replications, &j->e->instance.c, &s,
                        j->list));
    if (s.is_best)
        return selected_begin(&j->e->gallery.replications, &s, j->list)
                   ? STATUS_OK
                   : STATUS_MEMORY;
    if (!compares(j))
        return STATUS_OK;
    uint32_t base = j->s->has_base ? (uint32_t)j->s->base - 1 : 0;
    return compare_begin(&j->e->gallery.replications, j->list, base)
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* The table of what the study finds. */
static Status sweep_start(const Series *j)
{
    Experiment *e = j->e;
    Arena a = {0};
    if (e->quiet)
        return STATUS_OK;
    SweepBegin b = {.c = &e->instance.c,
                    .simulate = j->s,
                    .first = j->first + 1,
                    .elements = j->list,
                    .replicated = j->replicated,
                    .antithetic = j->antithetic,
                    .sampled = e->sampling.on && e->sampling.parameters > 0};
    b.setting = lists_parameters(&e->lists, b.c, &a, &b.settings);
    Status s = b.setting ? sweep_begin(&e->gallery.sweep, &b) : STATUS_MEMORY;
    arena_free(&a);
    return s;
}

/* The means of the curves of replications. */
static Status envelope_start(const Series *j)
{
    enum { INTERVALS = 500 }; // without COMINT, see run/communicate.c
    Experiment *e = j->e;
    const RunOptions *o = &j->options;
    if (e->quiet)
        return STATUS_OK;
    bool drawn =
        e->model->n_shows > 0 || (e->options->dir && !e->options->no_plots);
    EnvelopeBegin b = {.model = e->model,
                       .grid = {.from = o->from,
                                .to = o->to,
                                .step = o->comint,
                                .log_points = o->log_points,
                                .to_finish = o->to_finish},
                       .elements = j->list,
                       .replicated = j->replicated && drawn &&
                                     j->s->task == COSY_SIMULATE,
                       .antithetic = j->antithetic};
    if (!o->to_finish && o->comint <= R(0.0) && !o->log_points)
        b.grid.step = cosy_abs(o->to - o->from) / (real)INTERVALS;
    sweep_tables(&e->gallery.sweep, &b.study);
    if (!sweep_present(&e->gallery.sweep))
        b.study = 0;
    return envelope_begin(&e->gallery.envelopes, &b);
}

/* Without what only a run has. */
static CosySimulate without_run(const CosySimulate *s)
{
    CosySimulate point = *s;
    if (s->task == COSY_SIMULATE)
        return point;
    point.comint = R(0.0);
    point.log_points = point.along = 0;
    point.replicates = point.is_within = point.antithetic = false;
    point.is_best = point.has_base = false;
    point.clears = point.warms = point.features = false;
    point.reduces = s->task == COSY_LINEARIZE && s->reduces;
    return point;
}

/* The points that the series has left are the present ones. */
static void move_on(Series *j)
{
    Experiment *e = j->e;
    if (e->model->analyses && j->s->task != COSY_LINEARIZE) {
        present_free(&e->present);
        e->present = j->left;
        e->present.rests = j->s->task == COSY_STEADYSTATE;
        j->left = (Present){0};
        if (!present_begin(&e->present, &e->instance.c))
            present_clear(&e->present);
        lists_use(&e->lists, e->present.rests);
    }
    present_free(&j->left);
}

Status series_go(Experiment *e, const CosySimulate *asked)
{
    const CosySimulate simulate = without_run(asked), *s = &simulate;
    Series j = {.e = e,
                .s = s,
                .valid = UINT32_MAX,
                .first = e->gallery.runs,
                .index = e->series++,
                .begun = experiment_seconds()};
    Vector elements = {0};
    TRY(check_replicate(e, s));
    TRY(check_copies(e, s));
    TRY(sampling_check(e, s));
    TRY(count_runs(&j));
    TRY(check_base(&j));
    TRY(run_options(e, s, &j.options));
    TRY(check_simulate(e, &j.options));
    if (e->depot && s->task != COSY_LINEARIZE &&
        (j.count > 1 || e->options->chunks || e->options->parts ||
         e->options->resume || e->options->snapshot > 0))
        j.depot = e->depot;
    j.window = j.count < WINDOW ? j.count : WINDOW;
    if (!vector_append(&elements, NULL, j.window * sizeof(Element)) ||
        !found_begin(&j) || replicate_start(&j) != STATUS_OK ||
        sweep_start(&j) != STATUS_OK || envelope_start(&j) != STATUS_OK) {
        vector_free(&elements);
        return no_memory(e);
    }
    j.element = (Element *)(void *)elements.bytes;
    pthread_mutex_init(&j.lock, NULL);
    pthread_cond_init(&j.moved, NULL);
    Status status = series_run(&j);
    pthread_cond_destroy(&j.moved);
    pthread_mutex_destroy(&j.lock);
    vector_free(&elements);
    if (e->taken && s->task != COSY_SIMULATE)
        e->taken->skipped += e->gallery.runs - j.first;
    move_on(&j);
    return status;
}
