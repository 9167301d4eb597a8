#include "study/bench.h"

#include <string.h>

#include "events/stream.h"
#include "stats/observe.h"

/* ---- Opening --------------------------------------------------------------------- */

/* Nothing leaves a bench, but it can be stopped. */
static KernelOptions silent(const KernelOptions *of, uint32_t threads)
{
    KernelOptions o = *of;
    o.dir = NULL;
    o.keeper = NULL;
    o.threads = threads;
    o.trace = o.growth = o.verify = false;
    o.trace_of = NULL;
    o.no_plots = true;
    o.sketch = 0;
    o.frame = 0;
    o.save_path = o.save_at = o.restore = NULL;
    o.twin = NULL;
    o.json = NULL;
    o.running = NULL; // the search runs, whatever its trials do
    o.write = NULL;
    o.message = NULL;
    o.traced = NULL;
    return o;
}

Status bench_open(Bench *b, const Experiment *of, uint32_t threads)
{
    const CosyModel *m = of->model;
    Experiment *e = &b->e;
    *b = (Bench){.options = silent(of->options, threads), .open = true};
    *e = (Experiment){.model = m,
                      .quiet = true,
                      .options = &b->options,
                      .outcome = &b->outcome,
                      .shared = {.options = &b->options, .source = m->source},
                      .begun = of->begun};
    pthread_mutex_init(&e->shared.lock, NULL);
    outlet_open(&e->outlet, &e->shared, true);
    e->outlet.mute = true;
    e->gallery = (Gallery){.model = m,
                           .options = &b->options,
                           .outlet = &e->outlet,
                           .arena = &e->arena,
                           .fault = &e->fault,
                           .failed = &b->outcome.fault};
    e->owner = (Owner){.e = e,
                       .outlet = &e->outlet,
                       .cross = &e->gallery.cross,
                       .may_turn = experiment_may_turn,
                       .user = e};
    e->lists.model = m;
    TRY(instance_create(&e->instance, m, of->instance.c.host, &e->owner,
                        &e->arena, &e->image, &e->fault));
    e->instance.c.external = of->instance.c.external;
    for (uint32_t k = 0; k < m->n_streams; k++)
        stream_close(&e->instance.c, k);
    return STATUS_OK;
}

void bench_close(Bench *b)
{
    fit_taken_free(&b->taken);
    if (b->open)
        experiment_free(&b->e);
    *b = (Bench){0};
}

/* ---- A trial --------------------------------------------------------------------- */

static bool copy_vector(Vector *to, const Vector *from)
{
    to->used = 0;
    return !from->used || vector_append(to, from->bytes, from->used);
}

static bool copy_present(Present *to, const Present *from)
{
    to->n = from->n;
    to->rests = from->rests;
    return copy_vector(&to->data, &from->data) &&
           copy_vector(&to->x, &from->x) && copy_vector(&to->t, &from->t) &&
           copy_vector(&to->slid, &from->slid) &&
           copy_vector(&to->base_data, &from->base_data) &&
           copy_vector(&to->base_x, &from->base_x);
}

static void copy_values(Cosy *to, const Cosy *from)
{
    const CosyModel *m = from->model;
    memcpy(to->data, from->data, m->data_size);
    memcpy(to->x, from->x, m->states * sizeof(real));
    to->head->t = from->head->t;
    to->head->t_begin = from->head->t_begin;
    to->head->t_end = from->head->t_end;
    to->head->dt = from->head->dt;
    to->head->run = from->head->run;
    to->head->seed = from->head->seed;
    to->head->storing = from->head->storing;
    to->head->request = from->head->request;
    to->head->trouble = 0;
    observe_copy(to, from);
}

/* Whatever an earlier trial has left is forgotten. */
static bool begin_anew(Bench *b, const Experiment *of)
{
    Experiment *e = &b->e;
    experiment_forget(e);
    b->outcome = (KernelOutcome){0};
    e->fault = (Fault){0};
    e->asked.state = ASKED_EARLY;
    e->instance.refused = (Refusal){0};
    e->gallery.runs = of->gallery.runs;
    e->lists.rested = of->lists.rested;
    copy_values(&e->instance.c, &of->instance.c);
    return copy_vector(&e->lists.lists, &of->lists.lists) &&
           copy_vector(&e->lists.values, &of->lists.values) &&
           copy_vector(&e->lists.sets, &of->lists.sets) &&
           copy_vector(&e->generators, &of->generators) &&
           copy_vector(&e->conditions, &of->conditions) &&
           copy_present(&e->present, &of->present);
}

bool bench_parameter(Experiment *e, const CosyWanted *w, real value)
{
    CosyList which = e->model->variables[w->variable].kind == COSY_STATE
                         ? COSY_LIST_INITCOND
                         : COSY_LIST_PARAMETER;
    instance_set(&e->instance.c, w->variable, w->index, value);
    return lists_begin(&e->lists, which, w->variable, w->index) &&
           lists_add(&e->lists, value, 1, R(0.0));
}

/* What the statements, or one of their runs, have come to. */
static Status judge(Bench *b, const Experiment *of, CosyStatus status)
{
    Experiment *e = &b->e;
    if (atomic_load(&e->stop) || atomic_load(&of->stop))
        return STATUS_STOPPED;
    if (status == COSY_OK && b->outcome.failed == 0)
        return STATUS_OK;
    if (status != COSY_OK && b->outcome.fault.status == STATUS_OK)
        experiment_failed(e, status);
    b->why = b->outcome.fault.status != STATUS_OK ? b->outcome.fault : e->fault;
    Status s = b->why.status;
    if (s == STATUS_MEMORY || COSY_REASON(status) == COSY_NO_MEMORY)
        return STATUS_MEMORY;
    return s == STATUS_OK || s == STATUS_STOPPED ? STATUS_NUMBER : s;
}

static Status carry_out(Bench *b, const Experiment *of, const CosySearch *s,
                        const real *p, real *result, real *slope)
{
    Experiment *e = &b->e;
    for (uint32_t k = 0; k < s->n; k++)
        if (!bench_parameter(e, &s->parameter[k], p[k]))
            return STATUS_MEMORY;
    return judge(b, of, s->body(&e->instance.c, s->settings, result, slope));
}

Status bench_try(Bench *b, const Experiment *of, const CosySearch *s,
                 const real *p, real *result, real *slope)
{
    return begin_anew(b, of) ? carry_out(b, of, s, p, result, slope)
                             : STATUS_MEMORY;
}

Status bench_predict(Bench *b, const Experiment *of, const CosySearch *s,
                     const real *p, real *out, real *slope)
{
    if (!begin_anew(b, of))
        return STATUS_MEMORY;
    b->e.taken = &b->taken;
    fit_anew(&b->taken, out, slope, b->e.gallery.runs);
    TRY(carry_out(b, of, s, p, NULL, NULL));
    Status status = fit_end(&b->taken);
    if (status != STATUS_OK)
        b->why = b->taken.fault.status != STATUS_OK ? b->taken.fault
                                                    : b->taken.ended;
    return status;
}
