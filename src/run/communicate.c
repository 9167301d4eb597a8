#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "solve/linear.h"

/* Communication points: where STOREd variables are recorded and COMMUNIC blocks
   run. They have no influence on the steps: their states come from dense
   output. A point that falls on an instant with events waits until these are
   over. */

/* Intervals of a run without COMINT. */
#define INTERVALS 500

/* Decimals are kept as count / 10^places while both fit: the k-th point of
   COMINT = 0.1 is k/10, rounded once, and not k times 0.1. */
#define PLACES 9

/* x as a whole number of units of 1/scale; false if it is not one. */
static bool whole(real x, real scale, real *count)
{
    real n = x * scale;
    if (cosy_abs(n) > R(1e9))
        return false;
    *count = (real)(int64_t)(n < R(0.0) ? n - R(0.5) : n + R(0.5));
    return *count / scale == x;
}

void run_communicate_plan(Run *r)
{
    const RunOptions *o = &r->options;
    Points *p = &r->plan;
    real scale = R(1.0);
    *p = (Points){.from = o->from, .to = o->to};
    for (int k = 0; k <= PLACES && o->comint > R(0.0); k++, scale *= R(10.0))
        if (whole(o->from, scale, &p->start) &&
            whole(o->comint, scale, &p->interval)) {
            p->scale = scale;
            return;
        }
}

/* Point k of COMINT = h; one next to the end is the end. */
static bool linear_time(const Run *r, uint64_t k, real *t)
{
    const RunOptions *o = &r->options;
    const Points *p = &r->plan;
    real n = (real)r->direction * (real)k;
    *t = p->scale > R(0.0) ? (p->start + n * p->interval) / p->scale
                           : o->from + n * o->comint;
    if (o->to_finish)
        return true;
    real left = (p->to - *t) * (real)r->direction;
    if (cosy_abs(left) < R(1e-6) * o->comint)
        *t = p->to;
    return left > R(-1e-6) * o->comint;
}

/* Points equally spaced in the logarithm of the time since the start, from a
   millionth of the span on; the start is point 0. */
static bool log_time(const Run *r, uint64_t k, real *t)
{
    uint32_t n = r->options.log_points;
    const Points *p = &r->plan;
    if (k > n)
        return false;
    if (k == n)
        *t = p->to;
    else if (k == 0)
        *t = p->from;
    else
        *t = p->from + (p->to - p->from) *
                           cosy_pow(R(1e-6), (real)(n - k) / (real)(n - 1));
    return true;
}

/* Time of communication point k; false after the last. */
static bool point_time(const Run *r, uint64_t k, real *t)
{
    const RunOptions *o = &r->options;
    const Points *p = &r->plan;
    if (o->comint > R(0.0))
        return linear_time(r, k, t);
    k -= p->first;
    if (o->log_points)
        return log_time(r, k, t);
    if (o->to_finish || k > INTERVALS)
        return false;
    *t = k == INTERVALS
             ? p->to
             : p->from + (p->to - p->from) * (real)k / (real)INTERVALS;
    return true;
}

static bool communicates(const Run *r)
{
    return (r->model->n_stored && !r->options.unseen) || r->model->communicate;
}

static Status record(Run *r)
{
    Record *k = &r->record;
    if (!r->model->n_stored || !r->c->head->storing || r->options.unseen)
        return STATUS_OK;
    TRY(record_point(k, r->c, r->c->head->t));
    if (r->carried.n)
        carried_blank(r, (real *)(void *)(k->rows.bytes + k->rows.used) -
                             k->columns);
    return STATUS_OK;
}

/* There may be billions of points in one step: asks `progress` every few
   points, or at every point if rows are long, whether to continue. */
static Status may_go_on(const Run *r, Fault *f)
{
    enum { POINTS_AT_ONCE = 1024, LONG_ROW = 256 };
    const RunOptions *o = &r->options;
    double t = (double)r->c->head->t;
    if (!o->progress || (r->record.columns < LONG_ROW &&
                         r->state.communications % POINTS_AT_ONCE != 0))
        return STATUS_OK;
    if (o->progress(o->user, t, r->solver.counts.steps, run_events(r)))
        return STATUS_OK;
    return fault_set(f, STATUS_STOPPED, "time %.17g%s%s: stopped", t,
                     COSY_IN_TIME(r->model));
}

/* What belongs to a communication point: a row and the COMMUNIC blocks. */
static Status communicate(Run *r)
{
    const CosyModel *m = r->model;
    r->state.communications++;
    if (m->communicate) {
        TRY(run_observe(r, r->c->head->t));
        CosyStatus status = m->communicate(r->c);
        if (status != COSY_OK)
            return run_body_failed(r, status, "a COMMUNIC block");
    }
    TRY(record(r));
    return may_go_on(r, &r->fault);
}

/* The same at (t, x). Blocks of equations start to iterate where they last
   ended, so what they found here is forgotten: a run must not depend on where
   it is recorded. COMMUNIC blocks are part of the model, and their points exist
   in any case. */
static Status communicate_at(Run *r, real t, const real *x)
{
    const CosyModel *m = r->model;
    bool forgets = m->n_blocks && !m->communicate;
    if (forgets && !vector_fit(&r->kept, m->data_size))
        return STATUS_MEMORY;
    if (forgets)
        memcpy(r->kept.bytes, r->c->data, m->data_size);
    TRY(run_present(r, t, x));
    TRY(communicate(r));
    if (forgets)
        memcpy(r->c->data, r->kept.bytes, m->data_size);
    return STATUS_OK;
}

static Status show(Run *r)
{
    CosyStatus status = r->model->shown ? r->model->shown(r->c) : COSY_OK;
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "a COMMUNIC block");
}

/* The row has what COMMUNIC blocks would compute here; the run itself does not
   notice. */
Status run_communicate_row(Run *r)
{
    const CosyModel *m = r->model;
    if (!m->n_stored || !r->c->head->storing || r->options.unseen)
        return STATUS_OK;
    if (!m->shown)
        return record(r);
    if (!vector_fit(&r->kept, m->data_size))
        return STATUS_MEMORY;
    memcpy(r->kept.bytes, r->c->data, m->data_size);
    TRY(show(r));
    TRY(record(r));
    memcpy(r->c->data, r->kept.bytes, m->data_size);
    return STATUS_OK;
}

void run_communicate_begin(Run *r)
{
    r->state.due = communicates(r);
}

void run_communicate_late(Run *r)
{
    real t;
    if (communicates(r) && point_time(r, r->state.communications, &t) &&
        (r->solver.t - t) * (real)r->direction >= R(0.0))
        r->state.due = 1;
}

Status run_communicate_step(Run *r, bool instant)
{
    const Solver *s = &r->solver;
    real t;
    if (!communicates(r))
        return STATUS_OK;
    while (r->c->head->request == COSY_GO_ON &&
           point_time(r, r->state.communications, &t) &&
           (s->t - t) * (real)r->direction >= R(0.0)) {
        if (t == s->t && instant) {
            r->state.due = 1;
            return STATUS_OK;
        }
        if (t != s->t)
            s->method->dense(s, t, r->point);
        TRY(communicate_at(r, t, t == s->t ? s->x : r->point));
    }
    if (!r->options.to_finish || r->options.comint != R(0.0) ||
        r->c->head->request != COSY_GO_ON)
        return STATUS_OK;
    if (instant) {
        r->state.due = 1;
        return STATUS_OK;
    }
    return communicate_at(r, s->t, s->x);
}

Status run_communicate_until(Run *r, real end)
{
    real t;
    if (!communicates(r))
        return STATUS_OK;
    while (r->c->head->request == COSY_GO_ON &&
           point_time(r, r->state.communications, &t) &&
           (end - t) * (real)r->direction >= R(0.0)) {
        if (t == end) {
            r->state.due = 1;
            return STATUS_OK;
        }
        TRY(communicate_at(r, t, r->c->x));
    }
    return STATUS_OK;
}

Status run_communicate_instant(Run *r)
{
    if (!r->state.due)
        return r->state.events_here ? run_communicate_row(r) : STATUS_OK;
    r->state.due = 0;
    return r->state.events_here ? communicate(r)
                                : communicate_at(r, r->c->head->t, r->c->x);
}

/* The end of a run is recorded even if it is not a communication point. */
Status run_communicate_end(Run *r)
{
    const Record *k = &r->record;
    const real *row = (const real *)(const void *)(k->rows.bytes);
    size_t n = k->rows.used / sizeof *row;
    TRY(show(r));
    if (n >= k->columns && row[n - k->columns] == r->c->head->t)
        return STATUS_OK;
    return record(r);
}
