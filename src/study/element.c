#include "study/trial.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "picture/families.h"
#include "picture/pictures.h"
#include "solve/auto.h"
#include "stats/number.h"
#include "stats/pool.h"
#include "stats/report.h"
#include "stats/summary.h"
#include "study/claims.h"
#include "study/depot.h"
#include "study/errorbar_tell.h"
#include "study/found.h"
#include "study/gridcheck.h"
#include "study/verify.h"

/* One element of a series: its run, and those that RERUN adds. Called by any
   thread; its results are in its Element, and in files of the stage. */

/* ---- Stopping -------------------------------------------------------------------- */

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

/* ---- Results of a run ------------------------------------------------------------- */

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
static const char *task_name(const Trial *t)
{
    switch (t->j->s->task) {
    case COSY_STEADYSTATE: return "STEADYSTATE";
    case COSY_LINEARIZE: return "LINEARIZE";
    case COSY_SIMULATE: break;
    }
    return NULL;
}

static RunFacts facts_of(const Trial *t, Arena *arena)
{
    const Run *r = &t->run;
    const uint64_t *events = r->record.counts;
    const SolverCounts *n = &r->solver.counts;
    bool integrates = r->model->states || r->model->n_copies;
    return (RunFacts){
        .run = t->at.number,
        .frame = t->j->s->frame ? t->j->s->frame : 1,
        .parameter = t->parameter,
        .parameters = t->parameters,
        .status = status_name(t->status),
        .message = r->fault.text,
        .method = task_name(t) ? task_name(t)
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
        .wall_s = experiment_seconds() - t->begun,
        .course = &r->course,
        .choice = integrates && !task_name(t) ? auto_words(&r->solver) : "",
        .features = feature_tell(&r->features, &r->solver, arena),
        .errors = errors_of(r, arena),
        .constraints = drift_of(r, arena),
        .warmup = t->warmup.of ? &t->warmup : NULL,
        .follow = &r->follow,
        .analysis = analyse_tell(r),
        .grid = &t->grid,
    };
}

static Status write_files(Trial *t, bool recorded)
{
    const char *place = stage_path(&t->j->e->stage);
    Status s = STATUS_OK;
    Fault *f = &t->run.fault;
    if (recorded)
        s = record_write(&t->run.record, place, t->at.number, t->j->count == 1,
                         f);
    if (s == STATUS_OK && recorded)
        s = errorbar_file(&t->bar, place, t->at.number, f);
    if (s == STATUS_OK && recorded)
        s = course_write(&t->run.course, place, t->at.number, f);
    if (s == STATUS_OK)
        s = record_final(t->run.c, place, t->at.number, f);
    const RunAnalysis *found = analyse_tell(&t->run);
    if (s == STATUS_OK && found)
        s = analysis_write(t->run.model, found, place, t->at.number, f);
    return s;
}

/* The run whose curve is shown as the last one. */
static uint32_t shown_last(const Series *j)
{
    return j->replicated ? j->list : j->count;
}

/* Takes the rows that OUTPUT may want from the record. */
static Status keep_rows(Element *el, Trial *t, bool last)
{
    Shown one = {.run = t->at.number, .saved = t->owner.saved};
    Gallery *g = &t->j->e->gallery;
    if (one.saved &&
        !vector_append(&el->saves, &t->at.number, sizeof t->at.number))
        return STATUS_MEMORY;
    if (!gallery_wants(g, t->at.number, el->place, one.saved,
                       last && t->at.element + 1 == shown_last(t->j)))
        return STATUS_OK;
    film_end(&t->film, &t->run);
    one.film = t->film;
    t->film = (Film){0};
    if (t->j->replicated && el->replication == 0)
        one.group = g->replications.first_group + el->place + 1;
    if (family_keeps(g, el->place))
        record_thin(&t->run.record, FAMILY_CELLS);
    family_take(g, &one, t->parameter, t->parameters);
    one.rows = t->run.record.rows;
    report_parameters(&one.parameters, t->run.model, t->parameter,
                      t->parameters, 60);
    TRY(graphs_keep(&one, &t->run));
    if (!vector_append(&el->shown, &one, sizeof one))
        return STATUS_MEMORY;
    t->run.record.rows = (Vector){0};
    return STATUS_OK;
}

/* Nobody reads the tables of many runs: replications have a table of their own,
   and of other runs the first few have one. */
static bool tells_statistics(const Trial *t)
{
    enum { FIRST = 5 };
    return !t->j->replicated && t->at.number <= FIRST;
}

/* Values of what is observed, for the interval over the replications. */
static Status take_quantities(Element *el, Trial *t)
{
    el->values.used = el->parameters.used = el->histograms.used = 0;
    const QuantityRun run = {.c = t->run.c, .follow = &t->run.follow};
    if (t->status != STATUS_OK)
        return STATUS_OK;
    if (!t->j->replicated)
        return t->at.element + 1 < t->j->count ||
                       found_take(t->j, &run, &el->values)
                   ? STATUS_OK
                   : STATUS_MEMORY;
    if (el->replication == 0 && t->parameters &&
        !vector_append(&el->parameters, t->parameter,
                       t->parameters * sizeof *t->parameter))
        return STATUS_MEMORY;
    if (!pool_take(t->run.c, &el->histograms))
        return STATUS_MEMORY;
    return replicate_take(&t->j->e->gallery.replications, t->run.c,
                          &t->run.follow, &el->values);
}

/* What it adds to the table of the study; the rows of its records are still
   there. */
static Status take_row(Element *el, Trial *t)
{
    const QuantityRun run = {t->run.c, &t->run.follow, &t->run.record.rows};
    const Gallery *g = &t->j->e->gallery;
    el->envelope.used = 0;
    bool ok =
        sweep_take(&g->sweep, &run, t->status, t->parameter, t->parameters,
                   &el->swept) &&
        (t->status != STATUS_OK ||
         envelope_take(&g->envelopes, el->place, run.rows, &el->envelope));
    return ok ? STATUS_OK : STATUS_MEMORY;
}

/* Text and pictures of what STEADYSTATE or LINEARIZE has found. */
static Status leave_analysis(Element *el, Trial *t, const RunAnalysis *found)
{
    Buffer words = {0};
    const KernelOptions *all = t->j->e->options;
    if (tells_statistics(t))
        analysis_text(&el->report, t->run.model, found);
    if (all->no_plots || !all->dir)
        return STATUS_OK;
    if (t->j->e->gallery.runs + t->j->count > 1)
        report_parameters(&words, t->run.model, t->parameter, t->parameters,
                          60);
    Status s = linear_pictures(&el->pictures, &t->run, t->at.number,
                               buffer_string(&words));
    buffer_free(&words);
    return s;
}

/* Records and summary of a run, even if it failed. Runs that RERUN repeats, and
   replications after the first, are recorded only if they are SAVEd. */
static Status leave_results(Element *el, Trial *t, bool last)
{
    RunFacts f = facts_of(t, &t->run.arena);
    bool first = !t->j->replicated || el->replication == 0;
    bool recorded = (last && first) || t->owner.saved;
    if (el->summaries.v.used)
        buffer_text(&el->summaries, ",\n");
    TRY(summary_run(&el->summaries, t->run.c, &f));
    if (recorded && series_tells(t->j)) {
        report_run(&el->report, t->run.c, &f, tells_statistics(t));
        if (tells_statistics(t))
            gridcheck_tell(&el->report, t);
    }
    if (f.analysis)
        TRY(leave_analysis(el, t, f.analysis));
    recorded = recorded && !task_name(t);
    if (t->j->e->stage.open) {
        Status written = write_files(t, recorded);
        if (written != STATUS_OK) {
            atomic_store(&t->j->e->unwritten, true);
            atomic_store(&t->j->e->stop, true);
            return written;
        }
    }
    return recorded ? keep_rows(el, t, last) : STATUS_OK;
}

static Digest digest_of(const Trial *t)
{
    const KernelOptions *all = t->j->e->options;
    Digest d = {.run = t->at.number,
                .frame = t->j->s->frame ? t->j->s->frame : 1,
                .status = t->status,
                .outside = atomic_load(&t->j->e->stop),
                .spent = t->ticker.spent,
                .alike = !t->varied,
                .closer = all->twin && all->twin->closer};
    snprintf(d.message, sizeof d.message, "%.299s",
             t->status == STATUS_OK ? "" : t->run.fault.text);
    return d;
}

/* A run of a model with FIELDs: how wrong its grid lets it be. Its rows are still
   there. */
static Status make_bar(Trial *t)
{
    if (!gridcheck_bars(t->j->e))
        return STATUS_OK;
    t->barred = digest_of(t);
    t->barred.cut = !digest_ended(&t->barred);
    TRY(digest_take(&t->barred, &t->run, &t->gauge));
    return gridcheck_judge(t);
}

/* With --verify and GRIDCHECK: keeps what is compared with the doubles or trials, or
   with the run. */
static Status keep_digest(Element *el, Trial *t)
{
    const KernelOptions *all = t->j->e->options;
    bool tried = gridcheck_tries(t->j->e);
    if (!all->verify && !all->twin && !tried)
        return STATUS_OK;
    Digest d = digest_of(t);
    d.misses = t->misses;
    t->misses = (Vector){0};
    if (digest_take(&d, &t->run, &t->gauge) == STATUS_OK &&
        (!tried || gridcheck_take(&d, t) == STATUS_OK) &&
        vector_append(&el->digests, &d, sizeof d))
        return STATUS_OK;
    digest_free(&d);
    return STATUS_MEMORY;
}

/* Uses the model's own message as that of the run. */
static void take_words(Trial *t)
{
    Fault *f = &t->run.fault, own = *f;
    Outlet *out = t->outlet;
    if (t->run.instance.refused.kept) {
        snprintf(f->text, sizeof f->text, "%s", buffer_string(&out->error));
    } else if (t->run.c->head->request == COSY_STOP_ALL) {
        const char *said = buffer_string(&out->error);
        const char *end = strstr(own.text, ": ERROREXIT");
        if (end && strstr(said, end + 2))
            snprintf(f->text, sizeof f->text, "%.400s (%.*s)", said,
                     (int)(end - own.text), own.text);
        else
            snprintf(f->text, sizeof f->text, "%.100s: %.400s", own.text, said);
        outlet_message(out, COSY_ERROR, 0, own.text);
    } else {
        snprintf(f->text, sizeof f->text, "%.400s (%.100s)",
                 buffer_string(&out->error), own.text);
    }
}

/* Says what takes most of the memory when a run has none left, and a way out.
   */
static void tell_memory(Trial *t)
{
    const Run *r = &t->run;
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
    Fault *f = &t->run.fault;
    size_t most = 0, told = strlen(f->text);
    for (size_t k = 1; k < LENGTH(of); k++)
        if (of[k].bytes > of[most].bytes)
            most = k;
    snprintf(f->text + told, sizeof f->text - told,
             "; time %.15g%s%s: %s take %.3g MB: %s", (double)r->c->head->t,
             COSY_IN_TIME(t->run.model), of[most].what,
             1e-6 * (double)of[most].bytes, of[most].way);
}

/* How many values are written in less than a second. */
#define CELLS_AT_STOP 1000000

/* Somebody who stops a run does not want to wait for millions of records, and
   without memory they cannot be written. */
static void thin_records(Trial *t)
{
    Fault *f = &t->run.fault;
    size_t told = strlen(f->text);
    uint32_t every = record_thin(&t->run.record, CELLS_AT_STOP);
    if (every > 1)
        snprintf(f->text + told, sizeof f->text - told,
                 "; only one in %u records is written%s", every,
                 t->status == STATUS_STOPPED
                     ? ", so that the run ends at once: one that ends by "
                       "itself (TO, --limit-time) has them all"
                     : "");
}

/* The fault of a run in the words of the summary, and as a message. */
static void tell_failure(Trial *t)
{
    Fault *f = &t->run.fault;
    Outlet *out = t->outlet;
    fault_set(f, t->status, "%s", status_words(t->status));
    if (t->status == STATUS_USER && out->error.v.used > 0) {
        take_words(t);
        return;
    }
    size_t told = strlen(f->text);
    if (t->status == STATUS_STOPPED && t->ticker.loop)
        snprintf(f->text + told, sizeof f->text - told, ": %s", t->ticker.why);
    else if (t->status == STATUS_STOPPED && t->ticker.why)
        snprintf(f->text, sizeof f->text, "time %.17g%s%s: stopped: %s",
                 (double)t->run.c->head->t, COSY_IN_TIME(t->run.model),
                 t->ticker.why);
    if (t->status == STATUS_MEMORY)
        tell_memory(t);
    if (t->status == STATUS_MEMORY ||
        (t->status == STATUS_STOPPED && atomic_load(&t->j->e->stop)))
        thin_records(t);
    outlet_message(out, t->status == STATUS_STOPPED ? COSY_WARNING : COSY_ERROR,
                   0, f->text);
}

/* There was not even enough memory for its variables. */
static void tell_no_beginning(Trial *t)
{
    Fault *f = &t->run.fault;
    fault_set(f, t->status, "%s", status_words(t->status));
    outlet_message(t->outlet, COSY_ERROR, 0, f->text);
}

static void note_failure(Element *el, const Trial *t)
{
    if (t->status == STATUS_OK)
        return;
    el->failed++;
    if (el->fault.status == STATUS_OK)
        el->fault = t->run.fault;
    el->fault.status = t->status;
    if (t->run.c && t->run.c->head->request == COSY_STOP_ALL)
        el->ended = true;
}

/* Everything that a run leaves besides its numbers. */
static Status leave(Element *el, Trial *t, bool again)
{
    const Series *j = t->j;
    bool next = again || j->s->is_within || j->s->is_best ||
                t->at.element + 1 == j->count || j->e->model->analyses;
    TRY(make_bar(t));
    TRY(keep_digest(el, t));
    if (!j->e->quiet) {
        TRY(take_row(el, t));
        TRY(leave_results(el, t, !again));
    }
    if (next)
        TRY(trial_leave(t, &el->left));
    TRY(take_quantities(el, t));
    uint32_t of = t->outlet->alone ? 0 : t->outlet->run;
    return oneway_gather(&el->oneway, &t->run.range.oneway, t->run.model, of)
               ? STATUS_OK
               : STATUS_MEMORY;
}

/* Whether a run is looked at for arrays over their index. */
static bool is_filmed(const Series *j)
{
    const KernelOptions *o = j->e->options;
    return !j->e->quiet && !j->e->taken && film_wanted(j->e->model) &&
           (o->write || (o->dir && !o->no_plots));
}

/* One run; true if another one follows. */
static bool one_run(Series *j, Element *el, uint32_t k)
{
    Trial t = {.j = j,
               .at = {.element = k,
                      .place = el->place,
                      .replication = el->replication,
                      .number = el->number + el->runs,
                      .again = el->runs},
               .before = el->runs ? &el->left : NULL,
               .outlet = &el->outlet,
               .cross = &el->cross,
               .filmed = is_filmed(j)};
    buffer_free(&el->outlet.error);
    el->outlet.run = t.at.number;
    el->outlet.alone = j->count == 1 && t.at.number == 1;
    bool again = trial_go(&t);
    if (t.status != STATUS_OK && t.run.c)
        tell_failure(&t);
    else if (t.status != STATUS_OK)
        tell_no_beginning(&t);
    Status left = t.run.c ? leave(el, &t, again) : STATUS_OK;
    if (left != STATUS_OK && t.status == STATUS_OK) {
        t.status = fault_set(&t.run.fault, left, "%s", status_words(left));
        outlet_message(&el->outlet, COSY_ERROR, 0, t.run.fault.text);
    }
    note_failure(el, &t);
    el->runs++;
    trial_free(&t);
    return again && t.status == STATUS_OK;
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
    outlet_open(&el->outlet, &j->e->shared, direct && !j->depot);
    el->outlet.mute = j->e->quiet;
}

void element_empty(Element *el)
{
    Shown *s = (Shown *)(void *)el->shown.bytes;
    for (size_t k = 0; k < el->shown.used / sizeof *s; k++)
        shown_free(&s[k]);
    plots_free(&el->pictures);
    buffer_free(&el->summaries);
    buffer_free(&el->report);
    vector_free(&el->cross);
    vector_free(&el->saves);
    vector_free(&el->values);
    vector_free(&el->histograms);
    vector_free(&el->parameters);
    vector_free(&el->swept);
    vector_free(&el->envelope);
    vector_free(&el->oneway);
    digest_forget(&el->digests);
    vector_free(&el->shown);
    vector_free(&el->left.data);
    vector_free(&el->left.x);
}

void element_free(Element *el)
{
    outlet_free(&el->outlet);
    element_empty(el);
    *el = (Element){0};
}

/* What has been stopped is not done. */
static void keep_in_depot(Series *j, uint32_t k, const Element *el)
{
    Fault f = {0};
    if (el->fault.status == STATUS_MEMORY)
        atomic_store(&j->e->unkept, true);
    if (!j->depot || el->fault.status == STATUS_STOPPED ||
        el->fault.status == STATUS_MEMORY ||
        depot_put(j->depot, j->index, k, el, &f) == STATUS_OK)
        return;
    outlet_message(&j->e->outlet, COSY_WARNING, 0, f.text);
    atomic_store(&j->e->unwritten, true);
    atomic_store(&j->e->stop, true);
}

void element_go(Series *j, uint32_t k)
{
    Element *el = element_at(j, k);
    if (j->depot && depot_find(j->depot, j->index, k, el)) {
        if (el->ended)
            element_is_last(j, k);
        return;
    }
    if (j->shared && claims_wait(j, k, el)) {
        if (el->ended)
            element_is_last(j, k);
        return;
    }
    while (one_run(j, el, k) && !element_stop(j, k))
        ;
    if (el->ended)
        element_is_last(j, k);
    outlet_flush(&el->outlet);
    keep_in_depot(j, k, el);
}
