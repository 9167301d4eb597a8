#include "study/digest.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/figures.h"
#include "stats/student.h"
#include "stats/value.h"

static Exact exact(real v)
{
    long double high = (long double)v;
    return (Exact){high, (long double)(v - (real)high)};
}

/* ---- Sizes ------------------------------------------------------------------ */

/* Whether it has digits: constants and the variables of copies have none. */
static bool is_compared(const CosyVariable *v)
{
    return value_is_global(v) && v->kind != COSY_CONST;
}

static uint32_t count_elements(const CosyModel *m)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (is_compared(&m->variables[k]))
            n += value_count(&m->variables[k]);
    return n;
}

static void follow_sizes(const Run *r, double *size)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        uint32_t n = is_compared(v) ? value_count(v) : 0;
        for (uint32_t i = 0; i < n; i++, size++) {
            double now = fabs((double)value_real(r->c, v, i));
            if (now > *size && isfinite(now))
                *size = now;
        }
    }
}

void gauge_follow(Gauge *g, double t)
{
    if (g->begun && fabs(t - g->t) > g->longest)
        g->longest = fabs(t - g->t);
    g->t = t;
    if (!g->begun &&
        !vector_append(&g->size, NULL,
                       count_elements(g->run->model) * sizeof(double)))
        return;
    g->begun = true;
    assert(g->size.used == count_elements(g->run->model) * sizeof(double));
    follow_sizes(g->run, (double *)(void *)g->size.bytes);
}

void gauge_free(Gauge *g)
{
    vector_free(&g->size);
}

/* ---- Final values -------------------------------------------------------------- */

static long double range_size(const CosyVariable *v)
{
    real size = cosy_max(cosy_abs(v->low), cosy_abs(v->high));
    return v->low <= v->high && cosy_finite(size) ? (long double)size : 0;
}

/* All elements of an array have one size, as they do for the tolerances. */
static long double variable_size(const Run *r, const CosyVariable *v,
                                 const double *followed)
{
    const Solver *s = &r->solver;
    long double size = range_size(v);
    for (uint32_t i = 0; i < value_count(v); i++) {
        real now = value_real(r->c, v, i);
        if (cosy_finite(now))
            size = fmaxl(size, fabsl((long double)now));
        if (followed)
            size = fmaxl(size, (long double)followed[i]);
        if (v->kind == COSY_STATE && s->size && v->place + i < s->n)
            size = fmaxl(size, (long double)s->size[v->place + i]);
    }
    return size;
}

static bool take_finals(Digest *d, const Run *r, const Gauge *g)
{
    const CosyModel *m = r->model;
    const double *followed =
        g->begun ? (const double *)(const void *)g->size.bytes : NULL;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (!is_compared(v))
            continue;
        DigestValue one = {.kind = DIGEST_FINAL,
                           .which = k,
                           .whole = v->type != COSY_TYPE_REAL,
                           .size = variable_size(r, v, followed)};
        for (one.at = 0; one.at < value_count(v); one.at++) {
            one.value = exact(value_real(r->c, v, one.at));
            if (!vector_append(&d->values, &one, sizeof one))
                return false;
        }
        followed += followed ? value_count(v) : 0;
    }
    return true;
}

/* ---- Statistics ----------------------------------------------------------------- */

/* The figures of one statistic, one after the other. */
typedef struct Figures {
    Digest *d;
    DigestValue next;
    bool ok;
} Figures;

static void put_figure(Figures *f, real value, real size)
{
    f->next.value = exact(value);
    f->next.size = cosy_finite(size) ? fabsl((long double)size) : 0;
    f->ok = f->ok && vector_append(&f->d->values, &f->next, sizeof f->next);
    f->next.at++;
}

static void put_whole(Figures *f, int64_t n)
{
    f->next.whole = 1;
    put_figure(f, (real)n, R(0.0));
    f->next.whole = 0;
}

static Figures figures_of(Digest *d, DigestKind kind, uint32_t which)
{
    return (Figures){
        .d = d, .next = {.kind = (uint32_t)kind, .which = which}, .ok = true};
}

static bool take_sample(Digest *d, const Run *r, uint32_t k, bool over_time)
{
    SampleFigures s =
        over_time ? figures_timepers(r->c, k, NULL) : figures_collect(r->c, k);
    Figures f = figures_of(d, over_time ? DIGEST_TIMEPERS : DIGEST_COLLECT, k);
    real size = cosy_max(cosy_abs(s.min), cosy_abs(s.max));
    put_figure(&f, s.mean, size);
    put_figure(&f, s.sd, size);
    put_figure(&f, s.min, size);
    put_figure(&f, s.max, size);
    if (!over_time)
        put_whole(&f, (int64_t)s.n);
    return f.ok;
}

static bool take_histogram(Digest *d, const Run *r, uint32_t k)
{
    CosyHistogram h = figures_histogram(r->c, k);
    Figures f = figures_of(d, DIGEST_HISTOGRAM, k);
    put_figure(&f, h.first, R(0.0));
    put_figure(&f, h.width, R(0.0));
    for (uint32_t i = 0; i < h.cells + 2 && h.width > R(0.0); i++)
        put_whole(&f, (int64_t)h.count[i]);
    return f.ok;
}

static bool take_resource(Digest *d, const Run *r, uint32_t k)
{
    ResourceFigures s = figures_resource(r->c, k);
    Figures f = figures_of(d, DIGEST_RESOURCE, k);
    put_figure(&f, s.mean_content, (real)s.max_content);
    put_figure(&f, s.mean_queue, (real)s.max_queue);
    put_figure(&f, s.mean_wait, s.max_wait);
    put_figure(&f, s.max_wait, R(0.0));
    put_whole(&f, (int64_t)s.entries);
    put_whole(&f, s.max_content);
    put_whole(&f, s.max_queue);
    return f.ok;
}

static bool take_store(Digest *d, const Run *r, StoreKind kind, uint32_t k)
{
    static const DigestKind kinds[STORE_KINDS] = {DIGEST_FILE, DIGEST_PROCESS,
                                                  DIGEST_COPIES};
    StoreFigures s = figures_store(r->c, kind, k);
    Figures f = figures_of(d, kinds[kind], k);
    put_figure(&f, s.mean_content, (real)s.max_content);
    put_figure(&f, s.mean_stay, s.max_stay);
    put_figure(&f, s.max_stay, R(0.0));
    put_whole(&f, (int64_t)s.entries);
    put_whole(&f, s.max_content);
    return f.ok;
}

static bool take_statistics(Digest *d, const Run *r)
{
    const CosyModel *m = r->model;
    const Cosy *c = r->c;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_collects; k++)
        ok = ok && (!c->collect[k].active || take_sample(d, r, k, false));
    for (uint32_t k = 0; k < m->n_timepers; k++)
        ok = ok && (!c->timepers[k].active || take_sample(d, r, k, true));
    for (uint32_t k = 0; k < m->n_histograms; k++)
        ok = ok && (!c->histogram[k].active || take_histogram(d, r, k));
    for (uint32_t k = 0; k < m->n_resources; k++)
        ok = ok &&
             (m->resources[k].kind == COSY_JOINT || take_resource(d, r, k));
    for (StoreKind kind = 0; kind < STORE_KINDS; kind++)
        for (uint32_t k = 0; k < figures_stores(m, kind); k++)
            ok = ok && take_store(d, r, kind, k);
    return ok;
}

/* ---- Events ------------------------------------------------------------------------ */

/* A relation that changes its side is not an event of the model, nor is a
   choice of states. */
static bool is_matched(uint32_t kind)
{
    return kind != LOG_HIDDEN && kind != LOG_CHOICE;
}

static bool take_events(Digest *d, const Run *r)
{
    const LogEntry *e = (const LogEntry *)(const void *)r->record.log.bytes;
    size_t n = r->record.log.used / sizeof *e;
    for (size_t k = r->log_before / sizeof *e; k < n; k++) {
        DigestEvent one = {.t = exact(e[k].t),
                           .kind = e[k].kind,
                           .which = e[k].which,
                           .detail = e[k].detail};
        if (is_matched(one.kind) &&
            !vector_append(&d->events_list, &one, sizeof one))
            return false;
    }
    d->cut = r->record.full;
    return true;
}

/* ---- The run ------------------------------------------------------------------------- */

/* The largest error that has grown, relative to the size of its state, in
   RELERRs. The tolerance would not do as a measure: for a state at zero it is
   ABSERR alone. */
static double grown_to(const Run *r)
{
    const Growth *g = &r->growth;
    const Solver *s = &r->solver;
    const real *e = (const real *)(const void *)g->e.bytes;
    double most = 0;
    if (!g->closely || g->e.used < s->n * sizeof(real))
        return 0;
    if (g->state.lost)
        return 1 / (double)s->options.relerr;
    for (uint32_t i = 0; i < s->n; i++) {
        real size = cosy_max(cosy_abs(s->x[i]), s->size[i]);
        if (size > R(0.0))
            most = fmax(most, fabs((double)(e[i] / size)));
    }
    return most / (double)s->options.relerr;
}

Status digest_take(Digest *d, const Run *r, const Gauge *g)
{
    const Solver *s = &r->solver;
    const RunOptions *o = &r->options;
    assert(d->run > 0 && d->values.used == 0 && g->run == r);
    d->precision = COSY_PRECISION;
    d->relerr = (double)s->options.relerr;
    d->step = (double)s->options.step;
    d->fixed = s->options.step > R(0.0);
    d->stiff = s->stiffness == SOLVER_WARNED;
    d->rhs = s->counts.rhs;
    d->steps = s->counts.steps;
    d->events = run_events(r);
    d->longest = g->longest;
    d->span = o->to_finish ? 0 : fabs((double)(o->to - o->from));
    d->restored = o->restore != NULL;
    d->grown = growth_rings(&r->growth) ? grown_to(r) : 0;
    d->t_end = exact(r->c->head->t);
    d->t_begin = (long double)r->c->head->t_begin;
    snprintf(d->methods, sizeof d->methods, "%s",
             s->method && s->n > 0 ? solver_methods(s) : "");
    if (!take_finals(d, r, g) || !take_statistics(d, r) || !take_events(d, r))
        return STATUS_MEMORY;
    return STATUS_OK;
}

/* The mean, or the distance of single runs from it if that is larger. */
static real spread(const Tally *t)
{
    real off = t->n > 1 ? cosy_sqrt(t->square / (real)(t->n - 1)) : R(0.0);
    return cosy_max(cosy_abs(t->mean), off);
}

Status digest_means(Vector *means, const Replications *r)
{
    const ReplicateGroup *g = (const void *)r->groups.bytes;
    const Tally *tally = (const void *)r->tallies.bytes;
    const Quantity *quantity = (const void *)r->quantities.bytes;
    const uint32_t *first = (const void *)r->firsts.bytes;
    uint32_t series = (uint32_t)(r->firsts.used / sizeof *first);
    uint32_t all = (uint32_t)(r->quantities.used / sizeof *quantity);
    for (size_t k = 0; k < r->groups.used / sizeof *g; k++) {
        uint32_t begin = first[g[k].series];
        uint32_t end = g[k].series + 1 < series ? first[g[k].series + 1] : all;
        for (uint32_t q = begin; q < end; q++) {
            const Tally *t = &tally[g[k].tally + (q - begin)];
            DigestMean one = {.frame = g[k].frame,
                              .group = (uint32_t)k,
                              .n = t->n,
                              .mean = exact(t->mean),
                              .size = (long double)spread(t)};
            snprintf(one.name, sizeof one.name, "%s", quantity[q].name);
            if (!vector_append(means, &one, sizeof one))
                return STATUS_MEMORY;
        }
    }
    return STATUS_OK;
}

void digest_free(Digest *d)
{
    vector_free(&d->values);
    vector_free(&d->events_list);
    vector_free(&d->misses);
    vector_free(&d->rows);
    vector_free(&d->points);
    vector_free(&d->fields);
}

void digest_forget(Vector *digests)
{
    Digest *d = (Digest *)(void *)digests->bytes;
    for (size_t k = 0; k < digests->used / sizeof *d; k++)
        digest_free(&d[k]);
    vector_free(digests);
}
