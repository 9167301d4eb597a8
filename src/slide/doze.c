#include <string.h>

#include "run/run.h"
#include "solve/branch.h"

/* What rests in a copy that falls asleep, and goes on resting when the copy wakes
   up. Meanwhile it is at its threshold but for rounding errors, and these may
   have left it on the far side, from where it would fall for ever. So it begins
   above the threshold, by the least that can be told from rounding errors; its
   blows find the rest again. */

typedef struct Doze {
    uint64_t number; // COSY_DETAIL of its condition
    uint32_t id;
    int32_t side;
    real speed, size;
} Doze;

#define AT_REST R(1e-6) // share of size and speed

static real *at_of(Run *r, const Doze *d, uint32_t position, uint32_t *states)
{
    uint32_t p = condition_process(&r->slide.rows[d->id]);
    *states = r->model->copies[p].states;
    return r->c->x + r->c->copy[p].first + (size_t)position * *states;
}

Status doze_begin(Run *r, const Rest *rest, uint64_t number)
{
    uint32_t p = condition_process(&r->slide.rows[rest->id]);
    Doze d;
    if (cosy_copy_find(r->c, p, COSY_DETAIL_NUMBER(number)) == COSY_NONE)
        return STATUS_OK; // it has left
    memset(&d, 0, sizeof d);
    d.number = number;
    d.id = rest->id;
    d.side = rest->side;
    d.speed = rest->speed;
    d.size = rest->size;
    return vector_append(&r->slide.dozing, &d, sizeof d) ? STATUS_OK
                                                         : STATUS_MEMORY;
}

/* z of the condition at the present point, and its rate if the states move
   along v. */
static bool look(Run *r, const Doze *d, uint32_t copy, const real *v, real *z,
                 real *dz)
{
    CosyCondition *list;
    uint32_t count;
    if (field_rates(r, r->c->head->t, r->c->x, v, 0, &list, &count) != COSY_OK)
        return false;
    const CosyCondition *on = field_find(list, count, d->id, copy);
    if (!on || !cosy_finite(on->dz))
        return false;
    *z = on->z;
    *dz = on->dz;
    return true;
}

/* Moves the states of the copy along the slope of z, by what makes z `more`
   larger. False: z does not depend on them. */
static bool move_along(Run *r, const Doze *d, uint32_t copy, real *own,
                       uint32_t states, real more)
{
    real *v = field_of(r, FIELD_ALONG), *slope = field_of(r, FIELD_MOVE);
    real *at = v + (own - r->c->x), z, alone, steep = R(0.0);
    memset(v, 0, r->c->head->states * sizeof *v);
    if (!look(r, d, copy, v, &z, &alone))
        return false;
    for (uint32_t i = 0; i < states; i++) {
        at[i] = R(1.0);
        if (!look(r, d, copy, v, &z, &slope[i]))
            return false;
        at[i] = R(0.0);
        slope[i] -= alone;
        steep += slope[i] * slope[i];
    }
    for (uint32_t i = 0; i < states && steep > R(0.0); i++)
        own[i] += slope[i] * more / steep;
    return steep > R(0.0);
}

/* Whatever a body has moved meanwhile does not rest any more. */
static Status lift(Run *r, const Doze *d, uint32_t position, uint32_t copy,
                   bool *changed)
{
    uint32_t states;
    real *own = at_of(r, d, position, &states), z, dz;
    TRY(field_room(r));
    real *dx = field_of(r, FIELD_REST);
    real least = R(4.0) * slide_least_time(r) * d->speed * (real)d->side;
    if (field_plain(r, r->c->head->t, r->c->x, dx) != COSY_OK ||
        !look(r, d, copy, dx, &z, &dz) || cosy_abs(z) > AT_REST * d->size ||
        cosy_abs(dz) > AT_REST * d->speed)
        return STATUS_OK;
    bool there = z * (real)d->side >= cosy_abs(least) / R(2.0);
    for (int i = 0; i < 20 && !there; i++, least *= R(4.0)) {
        *changed = true;
        if (!move_along(r, d, copy, own, states, least - z) ||
            !look(r, d, copy, dx, &z, &dz))
            break;
        there = z * (real)d->side >= cosy_abs(least) / R(2.0);
    }
    return STATUS_OK;
}

Status doze_wake(Run *r, bool *changed)
{
    Vector *v = &r->slide.dozing;
    Doze *d = (Doze *)(void *)v->bytes;
    size_t count = v->used / sizeof *d, kept = 0;
    *changed = false;
    for (size_t k = 0; k < count; k++) {
        const CosyConditionInfo *info = &r->slide.rows[d[k].id];
        uint32_t p = condition_process(info), n = condition_elements(info);
        uint32_t number = COSY_DETAIL_NUMBER(d[k].number);
        uint32_t at = cosy_copy_find(r->c, p, number);
        uint32_t element = n > 1 ? COSY_DETAIL_ELEMENT(d[k].number) - 1 : 0;
        if (at == COSY_NONE)
            continue;
        if (at < r->c->copy[p].active)
            TRY(lift(r, &d[k], at, at * n + element, changed));
        else
            d[kept++] = d[k];
    }
    v->used = kept * sizeof *d;
    return STATUS_OK;
}
