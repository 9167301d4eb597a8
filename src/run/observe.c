#include <stdio.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "stats/observe.h"

/* Statistics beside the clock: CLEAR AT, and the course of resources. Neither
   is an event: nothing in the model changes, so the clock need not stop there.
   It only has to call here before it lets something happen. */

static bool clear_pending(const Run *r)
{
    return (r->options.clears || r->state.warmed) && !r->state.cleared &&
           r->direction > 0;
}

static real clear_time(const Run *r)
{
    real t = r->state.warmed ? r->state.warm_at : r->options.clear_at;
    return cosy_max(t, r->c->head->t_begin);
}

static Status clear(Run *r, real t)
{
    CosyHead *h = r->c->head;
    real now = h->t;
    TRY(course_to(&r->course, r->c, t));
    course_cut(&r->course, r->c, t);
    h->t = t;
    observe_clear(r->c);
    follow_clear(&r->follow);
    h->t = now;
    r->state.cleared = 1;
    return STATUS_OK;
}

Status run_observe(Run *r, real t)
{
    if (r->direction < 0)
        return STATUS_OK;
    if (COSY_RARELY(clear_pending(r)) && clear_time(r) <= t)
        TRY(clear(r, clear_time(r)));
    return course_to(&r->course, r->c, t);
}

/* An event at that very time comes after it. */
real run_observe_next(const Run *r)
{
    real t = course_next(&r->course);
    if (clear_pending(r))
        t = cosy_min(t, clear_time(r));
    return t < COSY_NEVER ? cosy_nextafter(t, -COSY_NEVER) : t;
}

static void not_cleared(Run *r)
{
    char text[200];
    snprintf(text, sizeof text,
             "CLEAR AT %.15g%s%s: the run ended earlier, at time %.15g%s%s, so "
             "its statistics are those of the whole run",
             (double)r->options.clear_at, COSY_IN_TIME(r->model),
             (double)r->c->head->t, COSY_IN_TIME(r->model));
    r->c->host->message(r->c, COSY_WARNING, 0, text);
}

Status run_observe_end(Run *r, Status status)
{
    if (r->direction < 0)
        return status;
    if (status == STATUS_OK && clear_pending(r) && !r->state.warmed)
        not_cleared(r);
    Status ended = course_end(&r->course, r->c);
    return status == STATUS_OK ? ended : status;
}
