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

ResourceFigures figures_resource(const Cosy *c, uint32_t k)
{
    const CosyResource *r = &c->resource[k];
    real time = c->head->t - c->head->cleared;
    real used = r->used_area + (real)r->used * (c->head->t - r->used_since);
    real queue = r->wait_area + (real)r->waiting * (c->head->t - r->wait_since);
    bool ends = r->capacity != COSY_UNLIMITED &&
                c->model->resources[k].kind != COSY_SIGNAL;
    real capacity =
        c->model->resources[k].kind == COSY_GATE ? R(1.0) : (real)r->capacity;
    assert(r->waits >= r->waiting + r->vain);
    return (ResourceFigures){
        .utilisation = if_any(quotient(used, time * capacity), ends),
        .mean_content = quotient(used, time),
        .max_content = r->most_used,
        .content = r->used,
        .entries = r->entries,
        .waits = r->waits,
        .waited = r->waits - r->waiting - r->vain,
        .mean_wait = quotient(r->wait_sum, (real)r->entries),
        .max_wait = r->wait_max,
        .mean_queue = quotient(queue, time),
        .max_queue = r->most_waiting,
        .queue = r->waiting,
        .lost = r->strange ? 0 : r->lost};
}

StoreFigures figures_file(const Cosy *c, uint32_t k)
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

StoreFigures figures_process(const Cosy *c, uint32_t k)
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

CosyHistogram figures_histogram(const Cosy *c, uint32_t k)
{
    CosyHistogram h = c->histogram[k];
    if (h.early > 0)
        cosy_histogram_settle(&h);
    return h;
}
