#include <assert.h>
#include <math.h>
#include <string.h>

#include "solve/growth.h"

/* The effect of an event on errors. A solution that is off by e meets the
   condition later, by -(dz/dx e) / (dz/dt). For that long it continues with the
   old derivatives, and from there with the new ones. */

static real *before_of(Growth *g, uint32_t n, uint32_t k)
{
    return (real *)(void *)g->before.bytes + (size_t)k * n;
}

static const Watched *first_fired(const Watch *w)
{
    const Watched *e = (const Watched *)(const void *)w->list.bytes;
    for (uint32_t k = 0; k < w->count; k++)
        if (e[k].fired)
            return &e[k];
    return NULL;
}

/* z of the same condition in a list of the model's; NaN if it is not there. */
static real value_of(const CosyCondition *list, uint32_t count,
                     const Watched *one)
{
    for (uint32_t k = 0; k < count; k++)
        if (list[k].id == one->id && list[k].copy == one->copy)
            return list[k].z;
    return (real)NAN;
}

/* How much later a solution that is off by e meets the condition; x is
   scratch. */
static real delay_of(const Growth *g, const Solver *s, Watch *w, real *x)
{
    const Watched *one = first_fired(w);
    const real *e = (const real *)(const void *)g->e.bytes;
    CosyCondition *seen = (CosyCondition *)(void *)w->seen.bytes;
    uint32_t count = 0;
    real most = cosy_abs(s->t - s->t0);
    real way = cosy_sqrt(COSY_EPSILON) /
               (s->options.relerr * cosy_max((real)g->state.now, R(1e-9)));
    if (!one || one->dz == R(0.0))
        return R(0.0);
    for (uint32_t i = 0; i < s->n; i++)
        x[i] = s->x[i] + way * e[i];
    if (s->model->conditions(s->c, s->t, x, s->dx, seen, &count) != COSY_OK)
        return R(0.0);
    real later = (one->z - value_of(seen, count, one)) / way / one->dz;
    if (!cosy_finite(later))
        return R(0.0);
    return cosy_max(-most, cosy_min(later, most)); // the condition is only
                                                   // grazed
}

Status growth_cross(Growth *g, Solver *s, Watch *w)
{
    size_t size = s->n * sizeof(real);
    if (!g->closely || g->state.n != s->n || !s->model->conditions)
        return STATUS_OK;
    if (!vector_fit(&g->before, 3 * size))
        return STATUS_MEMORY;
    memcpy(before_of(g, s->n, 0), s->x, size);
    memcpy(before_of(g, s->n, 1), s->dx, size);
    g->state.event = (double)s->t;
    g->state.later = (double)delay_of(g, s, w, before_of(g, s->n, 2));
    g->state.crossed = 1;
    return STATUS_OK;
}

/* How a body that has set a state to `to` affects the error in it. The new
   value may be a constant, a part of the old one, or the old one plus
   something. */
static real kept_by_jump(real from, real to)
{
    if (from == to || from == R(0.0) || cosy_abs(to) >= cosy_abs(from))
        return R(1.0);
    return to / from;
}

Status growth_move(Growth *g, const Moves *m, Vector *scratch)
{
    Vector *const all[] = {&g->e, &g->size};
    bool done = true;
    g->state.crossed = g->state.sure = 0;
    g->shaped = 0;
    for (size_t k = 0; k < LENGTH(all); k++)
        if (all[k]->used)
            done = done && moves_apply(m, all[k], sizeof(real), scratch);
    g->state.n = COSY_NONE; // it has no room for them yet
    return done ? STATUS_OK : STATUS_MEMORY;
}

void growth_restart(Growth *g, const Solver *s)
{
    GrowthState *k = &g->state;
    real *e = (real *)(void *)g->e.bytes;
    k->broken = 1;
    k->sure = 0;
    if (k->steps == 0)
        k->t = (double)s->t;
    bool here = k->crossed && k->event == (double)s->t && k->n == s->n;
    k->crossed = 0;
    if (!here)
        return;
    assert(g->e.used == s->n * sizeof(real));
    const real *x = before_of(g, s->n, 0), *dx = before_of(g, s->n, 1);
    real later = (real)k->later;
    for (uint32_t i = 0; i < s->n; i++) {
        real at_event = e[i] + dx[i] * later;
        e[i] = at_event * kept_by_jump(x[i], s->x[i]) - s->dx[i] * later;
    }
}
