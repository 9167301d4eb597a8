#include "stats/figures.h"

#include <assert.h>
#include <math.h>

static real if_any(real value, bool any)
{
    return any ? value : (real)NAN;
}

/* NaN if b is 0. */
static real quotient(real a, real b)
{
    return b > R(0.0) ? a / b : (real)NAN;
}

SampleFigures figures_collect(const Cosy *c, uint32_t k)
{
    const CosyCollect *s = &c->collect[k];
    return (SampleFigures){.n = s->n,
                           .mean = if_any(s->mean, s->n > 0),
                           .sd = if_any(cosy_collect_sd(s), s->n > 1),
                           .min = if_any(s->min, s->n > 0),
                           .max = if_any(s->max, s->n > 0),
                           .interval =
                               batch_interval(s->batch, s->batches, s->mean)};
}

static BatchInterval interval_over_time(const Course *course, uint32_t k,
                                        real mean)
{
    uint32_t column = course ? course_find(course, COURSE_VALUE, k) : COSY_NONE;
    BatchInterval i = {0};
    Vector v = {0};
    uint32_t n;
    if (column == COSY_NONE)
        return i;
    const real *batch = course_batches(course, column, &v, &n);
    if (batch)
        i = batch_interval(batch, n, mean);
    vector_free(&v);
    return i;
}

/* The value held since the last change counts up to the present. */
SampleFigures figures_timepers(const Cosy *c, uint32_t k, const Course *course)
{
    const CosyTimepers *s = &c->timepers[k];
    real time = c->head->t - s->start;
    real mean = time > R(0.0) ? cosy_timepers_mean(c, k) : s->value;
    return (SampleFigures){.time = time,
                           .mean = mean,
                           .sd = cosy_timepers_sd(c, k),
                           .min = s->min,
                           .max = s->max,
                           .interval = interval_over_time(course, k, mean)};
}

/* The time integral of what is used: in a common queue, by all its
   facilities. */
static real used_area(const Cosy *c, uint32_t k)
{
    const CosyResourceInfo *info = &c->model->resources[k];
    const CosyResource *r = &c->resource[k];
    real area = R(0.0);
    if (info->kind != COSY_POOL)
        return r->used_area + (real)r->used * (c->head->t - r->used_since);
    for (uint32_t i = 0; i < info->members; i++)
        area += used_area(c, info->first + i);
    return area;
}

static int64_t used_now(const Cosy *c, uint32_t k)
{
    const CosyResourceInfo *info = &c->model->resources[k];
    int64_t used = 0;
    if (info->kind != COSY_POOL)
        return c->resource[k].used;
    for (uint32_t i = 0; i < info->members; i++)
        used += c->resource[info->first + i].used;
    return used;
}

/* The time integral of what there is; 0 where there is no limit. */
static real room_area(const Cosy *c, uint32_t k, real time)
{
    const CosyResource *r = &c->resource[k];
    real room;
    switch (c->model->resources[k].kind) {
    case COSY_STORAGE:
        room = cosy_room_area(r, c->head->t);
        return isinf((double)room) ? R(0.0) : room;
    case COSY_POOL: return time * (real)c->model->resources[k].members;
    case COSY_FACILITY:
    case COSY_GATE: return time;
    default: return R(0.0);
    }
}

/* The time that it has been out of service. */
static real down_time(const Cosy *c, uint32_t k)
{
    const CosyResource *r = &c->resource[k];
    bool now = r->marks & COSY_FAILED;
    return r->down_area + (now ? c->head->t - r->down_since : R(0.0));
}

ResourceFigures figures_resource(const Cosy *c, uint32_t k)
{
    const CosyResource *r = &c->resource[k];
    real time = c->head->t - c->head->cleared;
    real used = used_area(c, k), down = down_time(c, k);
    real queue = r->wait_area + (real)r->waiting * (c->head->t - r->wait_since);
    assert(r->waits >= r->waiting + r->vain);
    return (ResourceFigures){
        .utilisation = quotient(used, room_area(c, k, time)),
        .idle = quotient(cosy_max(time - used - down, R(0.0)), time),
        .down = quotient(down, time),
        .failures = r->failures,
        .mean_content = quotient(used, time), // of a common queue: of all
        .max_content = r->most_used,
        .content = used_now(c, k),
        .entries = r->entries,
        .waits = r->waits,
        .waited = r->waits - r->waiting - r->vain,
        .mean_wait = quotient(r->wait_sum, (real)(r->entries + r->gave_up)),
        .max_wait = r->wait_max,
        .mean_queue = quotient(queue, time),
        .max_queue = r->most_waiting,
        .queue = r->waiting,
        .gave_up = r->gave_up,
        .lost = r->strange ? 0 : r->lost};
}

static StoreFigures figures_file(const Cosy *c, uint32_t k)
{
    const CosyFile *f = &c->file[k];
    real time = c->head->t - c->head->cleared;
    uint64_t left = f->entries + f->kept - f->count;
    return (StoreFigures){.entries = f->entries,
                          .content = f->count,
                          .max_content = f->most,
                          .mean_content =
                              if_any(cosy_file_mean(c, f), time > R(0.0)),
                          .mean_stay = quotient(f->stay_sum, (real)left),
                          .max_stay = f->stay_max};
}

static StoreFigures figures_process(const Cosy *c, uint32_t k)
{
    const CosyPopulation *p = &c->population[k];
    real time = c->head->t - c->head->cleared;
    uint64_t left = p->entries + p->kept - p->count;
    return (StoreFigures){.entries = p->entries,
                          .content = p->count,
                          .max_content = p->most,
                          .mean_content =
                              if_any(cosy_population_mean(c, k), time > R(0.0)),
                          .mean_stay = quotient(p->stay_sum, (real)left),
                          .max_stay = p->stay_max};
}

static StoreFigures figures_copies(const Cosy *c, uint32_t k)
{
    const CosyCopies *p = &c->copy[k];
    real time = c->head->t - c->head->cleared;
    return (StoreFigures){.entries = p->entries,
                          .content = p->count,
                          .max_content = p->most,
                          .mean_content =
                              if_any(cosy_copy_mean(c, k), time > R(0.0)),
                          .mean_stay = quotient(p->stay_sum, (real)p->left),
                          .max_stay = p->stay_max,
                          .left = p->left,
                          .asleep = p->settled - p->active};
}

StoreFigures figures_store(const Cosy *c, StoreKind kind, uint32_t k)
{
    assert(k < figures_stores(c->model, kind));
    switch (kind) {
    case STORE_FILE: return figures_file(c, k);
    case STORE_PROCESS: return figures_process(c, k);
    default: return figures_copies(c, k);
    }
}

uint32_t figures_stores(const CosyModel *m, StoreKind kind)
{
    switch (kind) {
    case STORE_FILE: return m->n_files;
    case STORE_PROCESS: return m->n_processes;
    default: return m->n_copies;
    }
}

const char *figures_store_name(const CosyModel *m, StoreKind kind, uint32_t k)
{
    switch (kind) {
    case STORE_FILE: return m->files[k].name;
    case STORE_PROCESS: return m->processes[k].name;
    default: return m->copies[k].name;
    }
}

CosyHistogram figures_histogram(const Cosy *c, uint32_t k)
{
    CosyHistogram h = c->histogram[k];
    if (h.early > 0)
        cosy_histogram_settle(&h);
    return h;
}
