#include "run/probe.h"

#include <assert.h>
#include <string.h>

#include "run/run.h"

static bool is_left(const Run *r)
{
    return r->probe.next < r->probe.n;
}

/* Whether the next time has been reached when the clock shows t. */
static bool is_reached(const Run *r, real t)
{
    return is_left(r) &&
           (t - r->probe.time[r->probe.next]) * (real)r->direction >= R(0.0);
}

/* Data, states and the head of the instance, which a look changes. */
static bool keep(Run *r)
{
    Cosy *c = r->c;
    size_t states = c->head->states * sizeof(real);
    Vector *v = &r->probe.kept;
    v->used = 0;
    return vector_append(v, c->head, sizeof *c->head) &&
           (!r->model->data_size ||
            vector_append(v, c->data, r->model->data_size)) &&
           (!states || vector_append(v, c->x, states));
}

static void give_back(Run *r)
{
    Cosy *c = r->c;
    const unsigned char *from = r->probe.kept.bytes;
    size_t states = c->head->states * sizeof(real);
    assert(r->probe.kept.used ==
           sizeof *c->head + r->model->data_size + states);
    memcpy(c->head, from, sizeof *c->head);
    from += sizeof *c->head;
    memcpy(c->data, from, r->model->data_size);
    if (states)
        memcpy(c->x, from + r->model->data_size, states);
}

static Status look_at(Run *r, real t, const real *x)
{
    Probe *p = &r->probe;
    if (!keep(r))
        return STATUS_MEMORY;
    Status s = run_present(r, t, x);
    if (s == STATUS_OK)
        s = p->look(p->user, r->c, p->next);
    give_back(r);
    p->next++;
    return s;
}

Status run_probe_begin(Run *r)
{
    const RunWatch *w = &r->options.watch;
    if (!w->open)
        return STATUS_OK;
    TRY(w->open(w->user, r));
    r->probe.due = is_reached(r, r->c->head->t);
    return STATUS_OK;
}

void run_probe_late(Run *r)
{
    if (is_reached(r, r->solver.t))
        r->probe.due = true;
}

Status run_probe_step(Run *r, bool instant)
{
    const Solver *s = &r->solver;
    while (is_reached(r, s->t)) {
        real t = r->probe.time[r->probe.next];
        if (t == s->t && instant) {
            r->probe.due = true;
            return STATUS_OK;
        }
        if (t != s->t)
            s->method->dense(s, t, r->point);
        TRY(look_at(r, t, t == s->t ? s->x : r->point));
    }
    return STATUS_OK;
}

Status run_probe_until(Run *r, real end)
{
    while (is_reached(r, end)) {
        real t = r->probe.time[r->probe.next];
        if (t == end) {
            r->probe.due = true;
            return STATUS_OK;
        }
        TRY(look_at(r, t, r->c->x));
    }
    return STATUS_OK;
}

Status run_probe_instant(Run *r)
{
    if (!r->probe.due)
        return STATUS_OK;
    r->probe.due = false;
    while (is_reached(r, r->c->head->t))
        TRY(look_at(r, r->c->head->t, r->c->x));
    return STATUS_OK;
}
