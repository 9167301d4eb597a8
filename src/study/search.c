#include "study/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "search/space.h"
#include "stats/value.h"
#include "study/claims.h"
#include "study/probe.h"
#include "study/search_own.h"

/* ---- Trials ------------------------------------------------------------------------ */

Status quest_memory(const Quest *q)
{
    return fault_set(&q->e->fault, STATUS_MEMORY, "no memory for a search");
}

static uint32_t thread_count(const Experiment *e)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = e->claims ? e->claims->team->alone : e->options->threads;
    if (n == 0)
        n = cores > 0 ? (uint32_t)cores : 1;
    return n < QUEST_THREADS ? n : QUEST_THREADS;
}

/* The progress of a trial's run is that of the search; of an outer one, if there is
   one. */
static bool show_trial(void *user, const KernelProgress *p)
{
    const Quest *q = user;
    const KernelOptions *o = q->e->options;
    KernelProgress whole = *p;
    whole.search = &q->progress;
    whole.begun = q->begun;
    return o->progress(o->user, &whole);
}

/* The sum of squares of a FIT so far, over all groups of its data: it is only for those
   who watch. */
static double squares(const FitPlan *p, const real *out)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < p->m; k++) {
        real rho = (out[k] - p->y[k]) / p->sigma[k];
        if (p->noisy)
            rho *= cosy_exp(-out[p->m + k]);
        sum += (double)(rho * rho);
    }
    return sum;
}

/* What is shown while trials go on. They are all over when this is called. */
static void note_progress(Quest *q, const real *out)
{
    const CosySearch *s = q->s;
    KernelSearch *w = &q->progress;
    double value = q->plan ? squares(q->plan, out) : (double)out[0];
    for (uint32_t k = 0; s->kind == COSY_SOLVE && k < s->results; k++)
        value = fmax(k ? value : 0.0, fabs((double)out[k]));
    bool allowed = isfinite(value);
    for (uint32_t k = 0; k < q->below; k++)
        allowed = allowed && out[1 + k] <= R(1e-6);
    for (uint32_t k = 0; s->kind != COSY_SOLVE && k < q->zero; k++)
        allowed = allowed && cosy_abs(out[1 + q->below + k]) <= R(1e-6);
    bool better = s->kind == COSY_MAXIMIZE ? value > w->best : value < w->best;
    if (!allowed || (w->any && !better))
        return;
    w->any = true;
    w->best = value;
}

/* Bench number k. The first is used by trials that come one by one, whose runs may
   use all threads. */
Status quest_bench(Quest *q, uint32_t k)
{
    Bench *b = &q->bench[k];
    if (b->open)
        return STATUS_OK;
    TRY(bench_open(b, q->e, k ? 1 : q->threads));
    if (b->options.progress) {
        b->options.progress = show_trial;
        b->options.user = q;
    }
    if (q->plan)
        return fit_begin(&b->taken, q->plan, &q->arena);
    return STATUS_OK;
}

/* One trial; what it leaves goes where src/search wants it. */
static Status try_one(Quest *q, uint32_t k, const real *p, real *out,
                      real *slope)
{
    const CosySearch *s = q->s;
    TRY(quest_bench(q, k));
    if (q->plan)
        return bench_predict(&q->bench[k], q->e, s, p, out, slope);
    real *raw = q->raw + (size_t)k * s->results;
    real *raw_slope = q->raw_slope + (size_t)k * s->results * s->n;
    Status status = bench_try(&q->bench[k], q->e, s, p, raw, raw_slope);
    for (uint32_t i = 0; i < s->results; i++)
        out[i] = raw[q->order[i]];
    for (uint32_t i = 0; slope && i < s->results; i++)
        memcpy(slope + (size_t)i * s->n, raw_slope + (size_t)q->order[i] * s->n,
               s->n * sizeof *slope);
    return status;
}

/* The first failure is told at the end, as an example. */
static void note_trial(Quest *q, uint32_t k, Status status, const real *out)
{
    if (status != STATUS_OK && q->failed.status == STATUS_OK)
        q->failed = q->bench[k].why;
    if (status == STATUS_OK)
        note_progress(q, out);
    q->progress.trials = ++q->trials;
}

/* The first trial is not carried out twice. */
static bool is_first(const Quest *q, const real *p)
{
    return q->first_p && memcmp(p, q->first_p, q->s->n * sizeof *p) == 0;
}

static Status repeat_first(const Quest *q, real *out, real *slope)
{
    memcpy(out, q->first_out, q->results * sizeof *out);
    if (slope)
        memcpy(slope, q->first_slope,
               (size_t)q->results * q->s->n * sizeof *slope);
    return STATUS_OK;
}

static Status one_slopes(void *user, const real *p, real *out, real *slope)
{
    Quest *q = user;
    Status s = is_first(q, p) ? repeat_first(q, out, slope)
                              : try_one(q, 0, p, out, slope);
    note_trial(q, 0, s, out);
    if (s == STATUS_STOPPED)
        atomic_store(&q->e->stop, true);
    return s;
}

static Status one_trial(void *user, const real *p, real *out)
{
    return one_slopes(user, p, out, NULL);
}

/* Several points at once: each thread takes the next until none is left. */
typedef struct Batch {
    Quest *q;
    size_t count;
    const real *p;
    real *out;
    real *slope; // or NULL
    Status *each;
    uint32_t *bench; // that has made each trial
    atomic_size_t next;
} Batch;

typedef struct Worker {
    Batch *b;
    uint32_t number;
    pthread_t thread;
} Worker;

static void *work(void *user)
{
    const Worker *w = user;
    Batch *b = w->b;
    const CosySearch *s = b->q->s;
    for (size_t k; (k = atomic_fetch_add(&b->next, 1)) < b->count;) {
        b->each[k] = try_one(
            b->q, w->number, b->p + k * s->n, b->out + k * b->q->results,
            b->slope ? b->slope + k * b->q->results * s->n : NULL);
        b->bench[k] = w->number;
    }
    return NULL;
}

/* Bench 0 has threads of its own, so the workers use the others; the calling thread
   is the first of them. */
static uint32_t start_workers(Batch *b, Worker *worker)
{
    uint32_t started = 0, most = b->q->threads;
    for (uint32_t k = 1; k < most && k < b->count; k++) {
        worker[started] = (Worker){.b = b, .number = k + 1};
        if (pthread_create(&worker[started].thread, NULL, work,
                           &worker[started]) != 0)
            break;
        started++;
    }
    return started;
}

static Status many_slopes(void *user, size_t count, const real *p, real *out,
                          real *slope, Status *each)
{
    Quest *q = user;
    Worker worker[QUEST_THREADS];
    Vector made = {0};
    if (count == 1) {
        *each = one_slopes(user, p, out, slope);
        return *each == STATUS_STOPPED || *each == STATUS_MEMORY ? *each
                                                                 : STATUS_OK;
    }
    Batch b = {.q = q,
               .count = count,
               .p = p,
               .out = out,
               .slope = slope,
               .each = each};
    if (!vector_append(&made, NULL, count * sizeof(uint32_t)))
        return STATUS_MEMORY;
    b.bench = (uint32_t *)(void *)made.bytes;
    uint32_t started = start_workers(&b, worker);
    work(&(Worker){.b = &b, .number = q->threads > 1 ? 1 : 0});
    for (uint32_t k = 0; k < started; k++)
        pthread_join(worker[k].thread, NULL);
    Status status = STATUS_OK;
    for (size_t k = 0; k < count; k++) {
        note_trial(q, b.bench[k], each[k], out + k * q->results);
        if (each[k] == STATUS_STOPPED || each[k] == STATUS_MEMORY)
            status = each[k];
    }
    if (status == STATUS_STOPPED)
        atomic_store(&q->e->stop, true);
    vector_free(&made);
    return status;
}

static Status many_trials(void *user, size_t count, const real *p, real *out,
                          Status *each)
{
    return many_slopes(user, count, p, out, NULL, each);
}

/* ---- Problems ---------------------------------------------------------------------- */

static const char *keep_text(Quest *q, Buffer *b)
{
    char *text = NEW_ARRAY(&q->arena, char, b->v.used + 1);
    if (text && !b->broken)
        memcpy(text, buffer_string(b), b->v.used + 1);
    buffer_free(b);
    return text;
}

const char *quest_name(Quest *q, uint32_t variable, uint32_t index)
{
    Buffer b = {0};
    value_name(&b, &q->e->model->variables[variable],
               index == COSY_NONE ? 0 : index);
    return keep_text(q, &b);
}

/* Bounds, starts and the like, as arrays. */
typedef struct Bounds {
    real *start, *low, *high;
    bool *log;
} Bounds;

static bool take_bounds(Quest *q, Bounds *b)
{
    const CosySearch *s = q->s;
    *b = (Bounds){
        NEW_ARRAY(&q->arena, real, s->n), NEW_ARRAY(&q->arena, real, s->n),
        NEW_ARRAY(&q->arena, real, s->n), NEW_ARRAY(&q->arena, bool, s->n)};
    if (!b->start || !b->low || !b->high || !b->log)
        return false;
    for (uint32_t k = 0; k < s->n; k++) {
        b->start[k] = s->parameter[k].start;
        b->low[k] = s->parameter[k].low;
        b->high[k] = s->parameter[k].high;
        b->log[k] = s->parameter[k].log;
    }
    return true;
}

/* Whether a sign joins two terms; that of an exponent does not. */
static bool is_sum(const char *text)
{
    for (const char *at = text; *at; at++)
        if ((*at == '+' || *at == '-') &&
            !(at > text + 1 && strchr("EeDd", at[-1]) &&
              strchr("0123456789.", at[-2])))
            return true;
    return false;
}

/* Both sides of an equation as one number: "Y - 0.5" for "Y = 0.5". */
static const char *difference_of(Quest *q, const char *equation)
{
    Buffer b = {0};
    const char *equal = strstr(equation, " = "), *right = equal + 3;
    if (q->s->kind != COSY_SOLVE || !equal)
        return equation;
    bool zero = right[strspn(right, "0.")] == '\0', minus = *right == '-';
    buffer_format(&b, "%.*s", (int)(equal - equation), equation);
    if (is_sum(right + minus))
        buffer_format(&b, " - (%s)", right);
    else if (!zero)
        buffer_format(&b, minus ? " + %s" : " - %s", right + minus);
    return keep_text(q, &b);
}

static bool take_names(Quest *q)
{
    const CosySearch *s = q->s;
    const CosyModel *m = q->e->model;
    q->name = NEW_ARRAY(&q->arena, const char *, s->n);
    q->equation = NEW_ARRAY(&q->arena, const char *, s->results);
    q->difference = NEW_ARRAY(&q->arena, const char *, s->results);
    q->order = NEW_ARRAY(&q->arena, uint32_t, s->results);
    q->results = s->results;
    q->raw = NEW_ARRAY(&q->arena, real, (size_t)s->results * (q->threads + 1));
    q->raw_slope = NEW_ARRAY(&q->arena, real,
                             (size_t)s->results * s->n * (q->threads + 1) + 1);
    q->bench = NEW_ARRAY(&q->arena, Bench, q->threads + 1);
    if (!q->name || !q->equation || !q->difference || !q->order || !q->raw ||
        !q->raw_slope || !q->bench)
        return false;
    uint32_t n = 0;
    static const CosySense in_order[] = {COSY_SENSE_VALUE, COSY_SENSE_BELOW,
                                         COSY_SENSE_ZERO};
    for (size_t k = 0; k < LENGTH(in_order); k++)
        for (uint32_t i = 0; i < s->results; i++)
            if (s->sense[i] == in_order[k]) {
                q->order[n] = i;
                q->equation[n++] = m->equations[s->row[i]].text;
                q->below += s->sense[i] == COSY_SENSE_BELOW;
                q->zero += s->sense[i] == COSY_SENSE_ZERO;
            }
    for (uint32_t k = 0; k < s->results; k++)
        if (!(q->difference[k] = difference_of(q, q->equation[k])))
            return false;
    for (uint32_t k = 0; k < s->n; k++) {
        q->name[k] =
            quest_name(q, s->parameter[k].variable, s->parameter[k].index);
        if (!q->name[k])
            return false;
    }
    return true;
}

/* ---- Searches ---------------------------------------------------------------------- */

SearchTrial quest_trial(Quest *q)
{
    bool slopes = q->plan ? q->plan->slope != NULL : q->slopes;
    return (SearchTrial){.user = q,
                         .one = one_trial,
                         .many = many_trials,
                         .slopes = slopes ? one_slopes : NULL,
                         .many_slopes = slopes ? many_slopes : NULL};
}

Status quest_refuse(Quest *q, const char *why)
{
    return fault_set(&q->e->fault, STATUS_USER, "%s:%u: %s: %s",
                     q->e->model->source, q->s->line, quest_kind(q), why);
}

static const char *root_end(RootEnd end)
{
    switch (end) {
    case ROOT_FOUND: return "found";
    case ROOT_NO_SIGN_CHANGE: return "no_sign_change";
    case ROOT_POLE: return "pole";
    case ROOT_SINGULAR: return "singular";
    case ROOT_MINIMUM: return "minimum";
    case ROOT_AT_BOUND: return "at_bound";
    case ROOT_MOST: return "most_trials";
    case ROOT_FAILED: return "failed";
    case ROOT_STOPPED: return "stopped";
    }
    return "";
}

static const char *best_end(BestEnd end)
{
    switch (end) {
    case BEST_FOUND: return "found";
    case BEST_AT_BOUND: return "at_bound";
    case BEST_NOISE: return "noise";
    case BEST_PLATEAU: return "plateau";
    case BEST_FLAT: return "flat";
    case BEST_UNBOUNDED: return "unbounded";
    case BEST_INFEASIBLE: return "infeasible";
    case BEST_STUCK: return "stuck";
    case BEST_MOST: return "most_trials";
    case BEST_FAILED: return "failed";
    case BEST_STOPPED: return "stopped";
    }
    return "";
}

/* Derivatives that are not known everywhere, and those of a value that does not change
   as far as they see, are none to follow. */
static bool are_useful(const Quest *q, const real *slope)
{
    bool any = q->s->kind == COSY_SOLVE;
    for (uint32_t k = 0; k < q->results * q->s->n; k++) {
        if (!cosy_finite(slope[k]))
            return false;
        any = any || (k < q->s->n && slope[k] != R(0.0));
    }
    return any;
}

/* Whether the search uses derivatives of its results is decided at its start: one that
   has lost them there, as where a ball comes to rest, does without. */
static Status try_start(Quest *q, const real *start)
{
    if (!q->s->slopes)
        return STATUS_OK;
    q->first_out = NEW_ARRAY(&q->arena, real, q->results);
    q->first_slope = NEW_ARRAY(&q->arena, real, (size_t)q->results * q->s->n);
    if (!q->first_out || !q->first_slope)
        return STATUS_MEMORY;
    Status s = try_one(q, 0, start, q->first_out, q->first_slope);
    if (s == STATUS_MEMORY)
        return s;
    q->slopes = s != STATUS_OK || are_useful(q, q->first_slope);
    if (s == STATUS_OK)
        q->first_p = start;
    return STATUS_OK;
}

/* What a search with several parameters or conditions has gone by. */
static const char *gradients_of(const Quest *q, bool sloped)
{
    bool simple = q->s->n == 1 && q->s->results == 1;
    if (simple && !sloped)
        return NULL;
    return sloped ? "sensitivities" : "differences";
}

static Status find_root(Quest *q, const Bounds *b, RootAnswer *a, QuestFound *f)
{
    const CosySearch *s = q->s;
    char why[SEARCH_WORDS];
    RootProblem problem = {.n = s->n,
                           .name = q->name,
                           .equation = q->difference,
                           .start = b->start,
                           .low = b->low,
                           .high = b->high,
                           .tolerance = s->tol,
                           .most = (size_t)s->most};
    const char *fault = roots_fault(&problem, why);
    if (fault)
        return quest_refuse(q, fault);
    TRY(try_start(q, b->start));
    problem.trial = quest_trial(q);
    TRY(roots_find(&problem, &q->arena, a));
    *f = (QuestFound){.found = a->end == ROOT_FOUND,
                      .any = a->trials > a->failures,
                      .p = a->p,
                      .error = a->error,
                      .at = a->at,
                      .trials = a->trials,
                      .failures = a->failures,
                      .end = root_end(a->end),
                      .words = a->words,
                      .remark = a->remark,
                      .method = "",
                      .gradients = gradients_of(q, a->sloped),
                      .history = &a->history};
    return STATUS_OK;
}

/* Where noise comes from, and what makes it less. */
static void say_source(const Quest *q, BestAnswer *a)
{
    const CosyModel *m = q->e->model;
    const char *less = "A smaller RELERR makes that less, and tells whether "
                       "the errors of the runs, which +- does not contain, "
                       "matter.";
    if (m->n_streams > 0)
        less = m->states == 0 ? "Longer runs make that less."
                              : "Longer runs, or a smaller RELERR, make that "
                                "less.";
    search_say(a->remark, BEST_WORDS, " %s", less);
    search_say(a->words, BEST_WORDS, " %s", less);
}

static Status find_best(Quest *q, const Bounds *b, BestAnswer *a, QuestFound *f)
{
    const CosySearch *s = q->s;
    char why[BEST_WORDS];
    BestProblem problem = {.n = s->n,
                           .inequalities = q->below,
                           .equalities = q->zero,
                           .maximise = s->kind == COSY_MAXIMIZE,
                           .global = s->global,
                           .method =
                               s->method ? best_method(s->method) : BEST_AUTO,
                           .name = q->name,
                           .objective = q->equation[0],
                           .constraint = q->equation + 1,
                           .start = b->start,
                           .low = b->low,
                           .high = b->high,
                           .logarithmic = b->log,
                           .tolerance = s->tol,
                           .most = (size_t)s->most,
                           .seed = q->e->options->seed};
    const char *fault = best_fault(&problem, why);
    if (fault)
        return quest_refuse(q, fault);
    TRY(try_start(q, b->start));
    problem.trial = quest_trial(q);
    TRY(best_find(&problem, &q->arena, a, &q->e->fault));
    if (a->end == BEST_NOISE)
        say_source(q, a);
    *f =
        (QuestFound){.found = a->end == BEST_FOUND || a->end == BEST_AT_BOUND ||
                              a->end == BEST_NOISE || a->end == BEST_PLATEAU,
                     .any = a->found,
                     .value = a->value,
                     .p = a->p,
                     .error = a->error,
                     .at = a->at,
                     .active = a->active,
                     .idle = a->idle,
                     .trials = a->trials,
                     .failures = a->failures,
                     .end = best_end(a->end),
                     .words = a->words,
                     .remark = a->remark,
                     .method = best_method_name(a->method),
                     .gradients = gradients_of(q, a->sloped),
                     .history = &a->history};
    return STATUS_OK;
}

/* ---- The answer -------------------------------------------------------------------- */

CosyStatus quest_answer(Quest *q, const real *p, real *result)
{
    const CosySearch *s = q->s;
    for (uint32_t k = 0; k < s->n; k++)
        if (!bench_parameter(q->e, &s->parameter[k], p[k]))
            return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
    return s->body(&q->e->instance.c, s->settings, result, q->raw_slope);
}

/* A root that is not there is no root: whatever would follow would be wrong. */
static Status no_root(Quest *q, const QuestFound *f)
{
    char text[800];
    if (q->s->kind != COSY_SOLVE || f->found || atomic_load(&q->e->stop))
        return STATUS_OK;
    snprintf(text, sizeof text, "no root was found after %zu trials: %s",
             f->trials, f->words);
    return quest_refuse(q, text);
}

static Status nothing(Quest *q, const QuestFound *f)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s%.300s", f->words,
             q->failed.text[0] ? " The first to fail: " : "", q->failed.text);
    return quest_refuse(q, text);
}

static Status conclude(Quest *q, const QuestFound *f)
{
    Experiment *e = q->e;
    real *result = NEW_ARRAY(&q->arena, real, q->s->results);
    if (!result)
        return quest_memory(q);
    if (atomic_load(&e->stop))
        return quest_tell(q, f, NULL);
    if (!f->any) {
        TRY(quest_tell(q, f, NULL));
        return nothing(q, f);
    }
    CosyStatus status = quest_answer(q, f->p, result);
    TRY(quest_tell(q, f, status == COSY_OK ? result : NULL));
    if (atomic_load(&e->stop))
        return STATUS_OK;
    if (status != COSY_OK && e->fault.status == STATUS_OK)
        return quest_refuse(q, "its statements ended at the values found");
    return status == COSY_OK ? no_root(q, f) : e->fault.status;
}

static void begin_progress(Quest *q)
{
    Buffer b = {0};
    bool solve = q->s->kind == COSY_SOLVE;
    buffer_format(&b, "%s ", quest_kind(q));
    quest_put_wanted(&b, q);
    snprintf(q->what, sizeof q->what, "%s", buffer_string(&b));
    buffer_free(&b);
    q->progress = (KernelSearch){.what = q->what,
                                 .value = q->s->fit ? "least squares so far"
                                          : solve   ? "nearest so far"
                                                    : "best so far"};
}

void quest_running(const Quest *q, bool is)
{
    const KernelOptions *o = q->e->options;
    if (o->running)
        o->running(o->user, is);
}

static Status carry_out(Quest *q)
{
    Bounds bounds;
    QuestFound f = {0};
    RootAnswer root = {0};
    BestAnswer best = {0};
    if (!take_names(q) || !take_bounds(q, &bounds))
        return quest_memory(q);
    begin_progress(q);
    if (q->s->fit)
        return fit_go(q);
    quest_running(q, true);
    Status s = q->s->kind == COSY_SOLVE ? find_root(q, &bounds, &root, &f)
                                        : find_best(q, &bounds, &best, &f);
    quest_running(q, false);
    if (s == STATUS_MEMORY)
        s = quest_memory(q);
    if (s == STATUS_OK)
        s = conclude(q, &f);
    search_forget(&root.history);
    search_forget(&best.history);
    return s;
}

/* --set fixes a parameter for good: then there is nothing to look for. */
static Status check_sets(Quest *q)
{
    const CosySearch *s = q->s;
    char text[200];
    for (uint32_t k = 0; k < s->n; k++)
        if (lists_fixes(&q->e->lists, s->parameter[k].variable,
                        s->parameter[k].index)) {
            snprintf(text, sizeof text,
                     "%.80s has its value from --set, so it cannot be searched",
                     q->e->model->variables[s->parameter[k].variable].name);
            return quest_refuse(q, text);
        }
    return STATUS_OK;
}

CosyStatus search_go(Cosy *c, const CosySearch *s)
{
    const Owner *owner = c->run;
    Experiment *e = owner->e;
    Quest q = {.e = e,
               .s = s,
               .threads = thread_count(e),
               .begun = experiment_seconds()};
    uint32_t only = e->options->frame;
    if (s->frame > e->frames)
        e->frames = s->frame;
    if (only && s->frame && only != s->frame)
        return COSY_OK;
    e->frame_found = true;
    outlet_flush(&e->outlet);
    Status status = probe_refuses(e, quest_kind(&q), s->line);
    if (status == STATUS_OK)
        status = check_sets(&q);
    if (status == STATUS_OK && e->sampling.on)
        status =
            quest_refuse(&q, "UNCERTAIN stands before it, and a search asks "
                             "for results of single runs, not of "
                             "distributions: put it into a FRAME of its "
                             "own");
    if (status == STATUS_OK && e->claims && !claims_lead(e->claims))
        return COSY_FAIL(COSY_STOPPED, COSY_NOWHERE);
    if (status == STATUS_OK)
        status = carry_out(&q);
    for (uint32_t k = 0; q.bench && k <= q.threads; k++)
        bench_close(&q.bench[k]);
    arena_free(&q.arena);
    if (status == STATUS_OK && atomic_load(&e->stop)) {
        fault_set(&e->fault, STATUS_STOPPED, "%s:%u: %s was stopped",
                  e->model->source, s->line, q.what);
        return COSY_FAIL(COSY_STOPPED, COSY_NOWHERE);
    }
    return status == STATUS_OK ? COSY_OK
                               : COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}
