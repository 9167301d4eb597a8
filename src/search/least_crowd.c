/* Searches side by side: what all of them want is asked for together. */

#include <assert.h>

#include "search/least_own.h"

/* How many seats there are depends on the problem alone. */
static uint32_t seats_for(const LeastPlan *l, uint32_t most)
{
    const size_t budget = (size_t)1 << 22;
    size_t each = (size_t)l->results * (2 * (size_t)l->n + 4);
    size_t seats = budget / (each + 1);
    seats = seats < 2 ? 2 : seats > LEAST_SEATS ? LEAST_SEATS : seats;
    return most < seats ? most : (uint32_t)seats;
}

Status least_crowd_make(LeastCrowd *c, LeastPlan *l, uint32_t most)
{
    Arena *a = l->arena;
    *c = (LeastCrowd){.plan = l, .count = seats_for(l, most)};
    c->room = (size_t)c->count * 2 * l->n;
    c->seat = NEW_ARRAY(a, LeastSeat, c->count);
    c->p = NEW_ARRAY(a, real, c->room * l->n);
    c->out = NEW_ARRAY(a, real, c->room * l->results);
    c->each = NEW_ARRAY(a, Status, c->room);
    if (l->sloped)
        c->slope = NEW_ARRAY(a, real, (size_t)c->count * l->results * l->n);
    if (c->seat == NULL || c->p == NULL || c->out == NULL || c->each == NULL ||
        (l->sloped && c->slope == NULL))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < c->count; k++)
        TRY(least_seat_make(&c->seat[k], l));
    return STATUS_OK;
}

static bool wants(const LeastSeat *s, bool slopes)
{
    return s->phase != LEAST_PHASE_OVER && s->with == slopes;
}

/* All seats that want slopes, or all that do not. */
static Status ask_all(LeastCrowd *c, bool slopes, const bool *seated)
{
    LeastPlan *l = c->plan;
    size_t count = 0, first = 0;
    uint32_t asked[LEAST_SEATS];
    for (uint32_t k = 0; k < c->count; k++) {
        asked[k] = 0;
        if (seated[k])
            asked[k] = least_seat_ask(&c->seat[k], c->p + count * l->n);
        count += asked[k];
    }
    assert(count <= c->room);
    if (count == 0)
        return STATUS_OK;
    if (slopes)
        TRY(ledger_many_slopes(&l->ledger, count, c->p, c->out, c->slope,
                               c->each));
    else
        TRY(ledger_many(&l->ledger, count, c->p, c->out, c->each));
    for (uint32_t k = 0; k < c->count; k++) {
        const real *slope =
            slopes ? c->slope + first * l->results * l->n : NULL;
        if (asked[k] > 0)
            least_seat_take(&c->seat[k], c->out + first * l->results, slope,
                            c->each + first);
        first += asked[k];
    }
    return STATUS_OK;
}

Status least_crowd_round(LeastCrowd *c)
{
    bool seated[2][LEAST_SEATS];
    assert(c->count <= LEAST_SEATS);
    for (uint32_t k = 0; k < c->count; k++)
        for (int slopes = 0; slopes < 2; slopes++)
            seated[slopes][k] = wants(&c->seat[k], slopes != 0);
    TRY(ask_all(c, false, seated[0]));
    return ask_all(c, true, seated[1]);
}
