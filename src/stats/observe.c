#include "stats/observe.h"

#include <math.h>
#include <stdio.h>

/* ---- Settings -------------------------------------------------------------- */

/* A 0 in the table leaves the setting open. */
static void declare_histogram(CosyHistogram *h, const CosyHistogramInfo *info)
{
    bool open = info->cells == 0;
    h->active = 1;
    h->cells = open ? 20 : info->cells;
    h->fuplim = open ? (real)NAN : info->first;
    h->wide = open ? (real)NAN : info->width;
}

void observe_declared(Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_collects; k++)
        c->collect[k].active = 1;
    for (uint32_t k = 0; k < m->n_timepers; k++) {
        c->timepers[k].active = 1;
        c->timepers[k].initial = m->timepers[k].start;
    }
    for (uint32_t k = 0; k < m->n_histograms; k++)
        declare_histogram(&c->histogram[k], &m->histograms[k]);
}

void observe_none(Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_collects; k++)
        c->collect[k].active = 0;
    for (uint32_t k = 0; k < m->n_timepers; k++)
        c->timepers[k].active = 0;
    for (uint32_t k = 0; k < m->n_histograms; k++)
        c->histogram[k].active = 0;
}

static CosyStatus refuse(Cosy *c, uint32_t line, const char *name,
                         const char *what, real value)
{
    char text[200];
    snprintf(text, sizeof text, "%.80s: %s, not %g", name, what, (double)value);
    c->host->message(c, COSY_ERROR, line, text);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

static CosyStatus set_histogram(Cosy *c, uint32_t k, real cells, real fuplim,
                                real width)
{
    const CosyHistogramInfo *info = &c->model->histograms[k];
    CosyHistogram *h = &c->histogram[k];
    if (!(cells >= R(1.0) && cells <= COSY_CELLS - 2))
        return refuse(c, info->line, info->name,
                      "a HISTOGRAM must have 1 to 126 CELLS", cells);
    if (width <= R(0.0) || width > COSY_REAL_MAX)
        return refuse(c, info->line, info->name,
                      "the WIDTH of a HISTOGRAM must be above 0", width);
    if (fuplim - fuplim != R(0.0) && fuplim == fuplim)
        return refuse(c, info->line, info->name, "FUPLIM must be a number",
                      fuplim);
    h->active = 1;
    h->cells = (uint32_t)cells;
    h->fuplim = fuplim;
    h->wide = width;
    return COSY_OK;
}

CosyStatus observe_set(Cosy *c, CosyStatistic kind, uint32_t first,
                       uint32_t count, real a, real b, real w)
{
    for (uint32_t k = first; k < first + count; k++)
        switch (kind) {
        case COSY_STATISTIC_COLLECT:
            c->collect[k].active = 1;
            c->collect[k].quantiles = a > R(0.0);
            break;
        case COSY_STATISTIC_TIMEPERS:
            if (!cosy_finite(a))
                return refuse(c, c->model->timepers[k].line,
                              c->model->timepers[k].name,
                              "START of a TIMEPERS must be a number", a);
            c->timepers[k].active = 1;
            c->timepers[k].initial = a;
            break;
        case COSY_STATISTIC_HISTOGRAM:
            COSY_TRY(set_histogram(c, k, a, b, w));
            break;
        }
    return COSY_OK;
}

void observe_copy(Cosy *to, const Cosy *from)
{
    const CosyModel *m = to->model;
    for (uint32_t k = 0; k < m->n_collects; k++)
        to->collect[k].active = from->collect[k].active;
    for (uint32_t k = 0; k < m->n_collects; k++)
        to->collect[k].quantiles = from->collect[k].quantiles;
    for (uint32_t k = 0; k < m->n_timepers; k++) {
        to->timepers[k].active = from->timepers[k].active;
        to->timepers[k].initial = from->timepers[k].initial;
    }
    for (uint32_t k = 0; k < m->n_histograms; k++) {
        const CosyHistogram *h = &from->histogram[k];
        to->histogram[k].active = h->active;
        to->histogram[k].cells = h->cells;
        to->histogram[k].fuplim = h->fuplim;
        to->histogram[k].wide = h->wide;
    }
}

/* ---- A run begins ------------------------------------------------------------ */

static void reset_collect(CosyCollect *s)
{
    *s = (CosyCollect){.active = s->active,
                       .quantiles = s->quantiles,
                       .followed = s->followed,
                       .size = 1,
                       .left = 1,
                       .rest = 1};
}

static void reset_timepers(CosyTimepers *s, real value, real t)
{
    *s = (CosyTimepers){.active = s->active,
                        .initial = s->initial,
                        .value = value,
                        .since = t,
                        .start = t,
                        .min = value,
                        .max = value};
}

static void reset_histogram(CosyHistogram *s)
{
    uint32_t open = (s->fuplim != s->fuplim ? COSY_OPEN_FIRST : 0u) |
                    (s->wide != s->wide ? COSY_OPEN_WIDTH : 0u);
    *s = (CosyHistogram){.active = s->active,
                         .cells = s->cells,
                         .fuplim = s->fuplim,
                         .wide = s->wide,
                         .first = open & COSY_OPEN_FIRST ? R(0.0) : s->fuplim,
                         .width = open ? R(0.0) : s->wide,
                         .open = open};
}

void observe_reset(Cosy *c)
{
    const CosyModel *m = c->model;
    c->head->cleared = c->head->t;
    for (uint32_t k = 0; k < m->n_collects; k++)
        reset_collect(&c->collect[k]);
    for (uint32_t k = 0; k < m->n_timepers; k++)
        reset_timepers(&c->timepers[k], c->timepers[k].initial, c->head->t);
    for (uint32_t k = 0; k < m->n_histograms; k++)
        reset_histogram(&c->histogram[k]);
}

/* ---- CLEAR --------------------------------------------------------------------- */

/* Whoever waits here counts as waiting since now. */
static void clear_resource(Cosy *c, CosyResource *r)
{
    real t = c->head->t;
    r->used_since = r->wait_since = t;
    r->used_area = r->wait_area = R(0.0);
    r->wait_sum = r->wait_max = R(0.0);
    r->entries = 0;
    r->waits = r->waiting;
    r->vain = r->gave_up = 0;
    r->down_since = r->room_since = t;
    r->down_area = r->room_area = R(0.0);
    r->failures = 0;
    r->most_used = r->used;
    r->most_waiting = r->waiting;
    uint32_t id = r->head;
    for (uint32_t k = 0; k < r->waiting; k++) {
        CosyTransaction *tr = cosy_transaction(c, id);
        tr->since = t;
        id = tr->next;
    }
}

static void clear_file(Cosy *c, CosyFile *f)
{
    f->since = c->head->t;
    f->area = f->stay_sum = f->stay_max = R(0.0);
    f->entries = 0;
    f->kept = f->most = f->count;
    uint32_t id = f->head;
    for (uint32_t k = 0; k < f->count; k++) {
        CosyRecord *e = cosy_record(c, id);
        e->since = c->head->t;
        id = e->next;
    }
}

void observe_clear(Cosy *c)
{
    const CosyModel *m = c->model;
    real t = c->head->t;
    c->head->cleared = t;
    for (uint32_t k = 0; k < m->n_collects; k++)
        reset_collect(&c->collect[k]);
    for (uint32_t k = 0; k < m->n_timepers; k++)
        reset_timepers(&c->timepers[k], c->timepers[k].value, t);
    for (uint32_t k = 0; k < m->n_histograms; k++)
        reset_histogram(&c->histogram[k]);
    for (uint32_t k = 0; k < m->n_resources; k++)
        clear_resource(c, &c->resource[k]);
    for (uint32_t k = 0; k < m->n_files; k++)
        clear_file(c, &c->file[k]);
    for (uint32_t k = 0; k < m->n_processes; k++) {
        CosyPopulation *p = &c->population[k];
        p->stay_sum = p->stay_max = R(0.0);
        p->entries = 0;
        p->kept = p->most = p->count;
    }
    for (uint32_t k = 0; k < m->n_copies; k++) {
        CosyCopies *p = &c->copy[k];
        p->since = t;
        p->area = p->stay_sum = p->stay_max = R(0.0);
        p->entries = p->left = 0;
        p->kept = p->most = p->count;
    }
}
