#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/fit_own.h"

/* FIT: the problem that its data are, and what becomes of the answer. */

/* ---- The problem ------------------------------------------------------------------- */

/* GLOBAL without STARTS. */
static uint32_t starts_of(const CosySearch *s)
{
    if (s->fit->starts > 0)
        return s->fit->starts < 100000 ? (uint32_t)s->fit->starts : 100000;
    return s->global ? 10 * (s->n + 1) : 1;
}

static bool any_prior(const CosySearch *s)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fit->prior[k].sd > R(0.0))
            return true;
    return false;
}

/* Bounds, scales and priors as arrays. */
static bool take_parameters(Quest *q, LeastProblem *p)
{
    const CosySearch *s = q->s;
    real *start = NEW_ARRAY(&q->arena, real, s->n),
         *low = NEW_ARRAY(&q->arena, real, s->n),
         *high = NEW_ARRAY(&q->arena, real, s->n);
    bool *log = NEW_ARRAY(&q->arena, bool, s->n);
    LeastPrior *prior = NEW_ARRAY(&q->arena, LeastPrior, s->n);
    if (!start || !low || !high || !log || !prior)
        return false;
    for (uint32_t k = 0; k < s->n; k++) {
        const CosyWanted *w = &s->parameter[k];
        const CosyPrior *of = &s->fit->prior[k];
        start[k] = w->start;
        low[k] = w->low;
        high[k] = w->high;
        log[k] = w->log;
        prior[k] = (LeastPrior){
            .mean = w->log && of->sd > R(0.0) ? cosy_log(of->mean) : of->mean,
            .sd = of->sd,
            .logarithmic = w->log};
    }
    p->start = start;
    p->low = low;
    p->high = high;
    p->logarithmic = log;
    p->prior = any_prior(s) ? prior : NULL;
    return true;
}

static bool pose(Quest *q, FitFound *f)
{
    const CosySearch *s = q->s;
    const FitPlan *plan = &f->plan;
    f->problem = (LeastProblem){.trial = quest_trial(q),
                                .n = s->n,
                                .m = plan->m,
                                .noisy = plan->noisy,
                                .name = q->name,
                                .y = plan->y,
                                .sigma = plan->sigma,
                                .group = plan->group,
                                .groups = plan->groups,
                                .group_name = plan->group_name,
                                .starts = starts_of(s),
                                .spread = POINTS_SOBOL_OWEN,
                                .seed = q->e->options->seed,
                                .tolerance = s->tol,
                                .most = (size_t)s->most};
    return take_parameters(q, &f->problem);
}

/* Values that cannot be: a prior without width, an expression of NaN. */
static Status check_priors(Quest *q)
{
    for (uint32_t k = 0; k < q->s->n; k++) {
        const CosyPrior *p = &q->s->fit->prior[k];
        bool log = q->s->parameter[k].log;
        char text[200];
        if (p->sd >= R(0.0) && (!log || p->sd == R(0.0) || p->mean > R(0.0)))
            continue;
        snprintf(text, sizeof text,
                 log && p->sd >= R(0.0)
                     ? "the PRIOR of %.80s, which is searched by its "
                       "logarithm, is not positive"
                     : "the SD of the PRIOR of %.80s is not positive",
                 q->name[k]);
        return quest_refuse(q, text);
    }
    return STATUS_OK;
}

static Status check_count(Quest *q, const FitPlan *p)
{
    char text[200];
    if (p->m >= q->s->n || any_prior(q->s))
        return STATUS_OK;
    snprintf(text, sizeof text,
             "%u value%s not determine %u parameters: measure more, or fix "
             "some of the parameters",
             (unsigned)p->m, p->m == 1 ? " does" : "s do", (unsigned)q->s->n);
    return quest_refuse(q, text);
}

/* ---- The first trial ---------------------------------------------------------------- */

/* A prediction that is no number at the start would be none anywhere: as a rule a LOG of
   what begins at 0. */
static Status check_predictions(Quest *q, const FitPlan *p, const real *out)
{
    char text[600];
    for (uint32_t k = 0; k < p->m; k++) {
        const CosyObserved *o = fit_observed(p, k);
        const char *file = p->fit->data[p->datum[k].data].file;
        bool noise = p->noisy && !cosy_finite(out[p->m + k]);
        if (cosy_finite(out[k]) && !noise)
            continue;
        snprintf(text, sizeof text,
                 "at the start values %s%.100s has no %s at the time %.12g of "
                 "line %u of \"%.100s\"%s",
                 noise ? "the NOISE of " : "", o->text,
                 noise    ? "positive value"
                 : o->log ? "logarithm, because it is not positive,"
                          : "value",
                 (double)fit_time(p, k), (unsigned)fit_line(p, k), file,
                 o->log && !noise
                     ? ": leave that cell empty, or compare without LOG"
                     : "");
        return quest_refuse(q, text);
    }
    return STATUS_OK;
}

/* What is wrong with the data as such is told before the search begins. */
static Status try_start(Quest *q, const FitFound *f)
{
    const FitPlan *p = &f->plan;
    real *out = NEW_ARRAY(&q->arena, real, q->results);
    if (!out)
        return quest_memory(q);
    TRY(quest_bench(q, 0));
    Status s =
        bench_predict(&q->bench[0], q->e, q->s, f->problem.start, out, NULL);
    if (s == STATUS_STOPPED)
        atomic_store(&q->e->stop, true);
    if (q->bench[0].taken.fault.status == STATUS_USER)
        return quest_refuse(q, q->bench[0].taken.fault.text);
    if (s == STATUS_MEMORY)
        return quest_memory(q);
    return s == STATUS_OK ? check_predictions(q, p, out) : STATUS_OK;
}

/* ---- The answer ---------------------------------------------------------------------- */

/* Curves, and the runs that the rows belong to. The second bench carries out its runs one
   after the other. */
static Status draw_curves(Quest *q, FitFound *f)
{
    real *out = NEW_ARRAY(&q->arena, real, q->results);
    if (!out)
        return quest_memory(q);
    TRY(quest_bench(q, 1));
    Bench *b = &q->bench[1];
    b->taken.curves = true;
    Status s = bench_predict(b, q->e, q->s, f->a.p, out, NULL);
    if (s == STATUS_STOPPED)
        atomic_store(&q->e->stop, true);
    else if (s == STATUS_MEMORY)
        return quest_memory(q);
    if (s == STATUS_OK)
        f->taken = &b->taken;
    return STATUS_OK;
}

static Status find_profiles(Quest *q, FitFound *f)
{
    LeastProfilePlan plan = {.count = q->s->n};
    if (!q->s->fit->profile || atomic_load(&q->e->stop))
        return STATUS_OK;
    TRY(least_profile(&f->problem, &f->a, &plan, &q->arena, &f->profile));
    f->profiled = true;
    return STATUS_OK;
}

static Status nothing(Quest *q, const FitFound *f)
{
    char text[1400];
    snprintf(text, sizeof text, "%.600s%s%.700s", f->a.words,
             q->failed.text[0] ? " The first to fail: " : "", q->failed.text);
    return quest_refuse(q, text);
}

static Status conclude(Quest *q, FitFound *f)
{
    Experiment *e = q->e;
    f->first = e->gallery.runs;
    if (!f->a.found) {
        TRY(fit_tell(q, f));
        return atomic_load(&e->stop) ? STATUS_OK : nothing(q, f);
    }
    if (atomic_load(&e->stop))
        return fit_tell(q, f);
    TRY(draw_curves(q, f));
    CosyStatus status = quest_answer(q, f->a.p, NULL);
    TRY(fit_tell(q, f));
    if (atomic_load(&e->stop) || status == COSY_OK)
        return STATUS_OK;
    return e->fault.status != STATUS_OK
               ? e->fault.status
               : quest_refuse(q, "its statements ended at the values found");
}

static Status search(Quest *q, FitFound *f)
{
    char why[LEAST_WORDS];
    const char *fault = least_fault(&f->problem, why);
    if (fault)
        return quest_refuse(q, fault);
    quest_running(q, true);
    Status s = least_find(&f->problem, &q->arena, &f->a);
    if (s == STATUS_OK && f->a.found)
        s = find_profiles(q, f);
    quest_running(q, false);
    if (s == STATUS_OK)
        s = conclude(q, f);
    else if (s == STATUS_MEMORY)
        s = quest_memory(q);
    search_forget(&f->a.history);
    search_forget(&f->profile.history);
    return s;
}

Status fit_go(Quest *q)
{
    FitFound *f = NEW(&q->arena, FitFound);
    if (!f)
        return quest_memory(q);
    *f = (FitFound){.taken = NULL};
    TRY(fit_plan(&f->plan, q->s, q->e->model, &q->arena, &q->e->fault));
    q->plan = &f->plan;
    q->results = f->plan.m * (f->plan.noisy ? 2 : 1);
    if (!pose(q, f))
        return quest_memory(q);
    TRY(check_priors(q));
    TRY(check_count(q, &f->plan));
    TRY(try_start(q, f));
    return atomic_load(&q->e->stop) ? STATUS_OK : search(q, f);
}
