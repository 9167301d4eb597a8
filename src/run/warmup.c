#include "run/warmup.h"

#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "stats/mser.h"
#include "stats/value.h"

static uint32_t find_collect(const Cosy *c, const char *name)
{
    for (uint32_t k = 0; k < c->model->n_collects; k++)
        if (c->collect[k].active &&
            strcmp(c->model->collects[k].name, name) == 0)
            return k;
    return COSY_NONE;
}

static uint32_t find_timepers(const Cosy *c, const char *name)
{
    for (uint32_t k = 0; k < c->model->n_timepers; k++)
        if (c->timepers[k].active &&
            strcmp(c->model->timepers[k].name, name) == 0)
            return k;
    return COSY_NONE;
}

static Status find_target(const Cosy *c, const char *name, RunOptions *o,
                          Fault *f)
{
    o->warm.collect = find_collect(c, name);
    o->warm.timepers =
        o->warm.collect == COSY_NONE ? find_timepers(c, name) : COSY_NONE;
    if (o->warm.collect == COSY_NONE && o->warm.timepers == COSY_NONE)
        return fault_set(
            f, STATUS_USER,
            "SIMULATE: CLEAR AUTO OF %.80s: it is observed neither "
            "by COLLECT nor by TIMEPERS in this frame: write "
            "COLLECT %.80s END before SIMULATE",
            name, name);
    return STATUS_OK;
}

Status warmup_target(const Cosy *c, const CosySimulate *s, RunOptions *o,
                     Fault *f)
{
    Buffer name = {0};
    if (!s->warms)
        return STATUS_OK;
    if (!o->to_finish && o->to < o->from)
        return fault_set(f, STATUS_USER,
                         "SIMULATE: CLEAR AUTO has no meaning in a run "
                         "backwards in time");
    o->warm.wanted = true;
    value_name(&name, &c->model->variables[s->warm_of], s->warm_at);
    Status status = name.broken ? STATUS_MEMORY
                                : find_target(c, buffer_string(&name), o, f);
    buffer_free(&name);
    return status;
}

RunOptions warmup_pilot(const RunOptions *o)
{
    RunOptions p = *o;
    p.save_path = NULL;
    p.along = 0;
    p.tracer = NULL;
    p.trace = false;
    p.misses = NULL;
    return p;
}

/* From means of equal intervals of time. */
static void find_over_time(RunWarmup *w, const Run *r, uint32_t k)
{
    const Course *course = &r->course;
    const CourseState *s = &course->state;
    uint32_t column = course_find(course, COURSE_VALUE, k);
    w->of = r->model->timepers[k].name;
    w->means = s->count;
    w->step = s->step;
    if (column == COSY_NONE || !s->count)
        return;
    const real *mean = (const real *)(const void *)course->means.bytes;
    MserFound found = mser_find(mean + column, s->count, course->columns);
    w->removed = found.removed;
    w->late = found.late;
    if (found.removed > 0)
        w->until = s->start + (real)found.removed * s->step;
}

/* From means of consecutive observations. */
static void find_in_order(RunWarmup *w, const Run *r, uint32_t k)
{
    const FollowMean *m =
        (const FollowMean *)(const void *)r->follow.means.bytes;
    uint32_t n = (uint32_t)(r->follow.means.used / sizeof *m);
    w->of = r->model->collects[k].name;
    w->means = n;
    w->size = r->follow.size;
    if (n == 0)
        return;
    MserFound found = mser_find(&m->mean, n, sizeof *m / sizeof(real));
    w->removed = found.removed;
    w->late = found.late;
    if (found.removed > 0)
        w->until = m[found.removed].from;
}

RunWarmup warmup_find(const Run *r)
{
    RunWarmup w = {.until = r->c->head->t_begin};
    const RunWarm *asked = &r->options.warm;
    if (asked->collect != COSY_NONE)
        find_in_order(&w, r, asked->collect);
    else
        find_over_time(&w, r, asked->timepers);
    return w;
}

void warmup_tell(Cosy *c, const RunWarmup *w)
{
    char text[400];
    if (w->means < MSER_LEAST)
        snprintf(text, sizeof text,
                 "CLEAR AUTO OF %.80s: %u %s too few to find a warm-up "
                 "(%d are needed), so nothing is left out: a longer run has "
                 "more of them",
                 w->of, w->means, w->means == 1 ? "mean is" : "means are",
                 MSER_LEAST);
    else if (w->late)
        snprintf(text, sizeof text,
                 "CLEAR AUTO OF %.80s: the run is too short for its warm-up, "
                 "which reaches into its second half; what was before time "
                 "%.15g%s%s is left out, and the rest may still be biased: a "
                 "longer run (TO) helps",
                 w->of, (double)w->until, COSY_IN_TIME(c->model));
    else
        return;
    c->host->message(c, COSY_WARNING, 0, text);
}
