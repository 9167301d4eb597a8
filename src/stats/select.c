#include "stats/select.h"

#include <assert.h>
#include <math.h>

#include "cosy/model.h"

void select_begin(Selection *s, uint32_t count, uint32_t first, real delta,
                  real confidence, bool highest)
{
    assert(count >= 2 && count <= SELECT_MOST && first >= 2);
    *s = (Selection){.count = count,
                     .first = first,
                     .delta = delta,
                     .confidence = confidence,
                     .highest = highest};
    real freedom = (real)(first - 1);
    real share = R(2.0) * (R(1.0) - confidence) / (real)(count - 1);
    real eta = (cosy_pow(share, R(-2.0) / freedom) - R(1.0)) / R(2.0);
    s->h2 = R(2.0) * eta * freedom;
    for (uint32_t k = 0; k < count; k++)
        s->one[k].now = (real)NAN;
}

void select_value(Selection *s, uint32_t which, real value)
{
    assert(which < s->count);
    s->one[which].now = s->highest ? -value : value;
}

static SelectPair *pair_of(Selection *s, uint32_t i, uint32_t k)
{
    assert(i < k && k < s->count);
    return &s->pair[k * (k - 1) / 2 + i];
}

/* Values of the present replication; whoever has none is out. */
static void take_values(Selection *s)
{
    s->round++;
    for (uint32_t k = 0; k < s->count; k++) {
        SelectOne *o = &s->one[k];
        if (o->left > 0)
            continue;
        if (!cosy_finite(o->now)) {
            o->failed = true;
            o->left = s->round;
            continue;
        }
        real off = o->now - o->mean;
        o->n++;
        o->mean += off / (real)o->n;
        o->square += off * (o->now - o->mean);
    }
}

static void take_pairs(Selection *s)
{
    for (uint32_t k = 1; k < s->count; k++)
        for (uint32_t i = 0; i < k; i++) {
            if (s->one[i].left || s->one[k].left)
                continue;
            SelectPair *p = pair_of(s, i, k);
            real d = s->one[i].now - s->one[k].now, off = d - p->mean;
            p->mean += off / (real)s->round;
            p->square += off * (d - p->mean);
        }
}

/* N of the procedure: after so many replications two are decided. */
static real needed(Selection *s, uint32_t i, uint32_t k)
{
    const SelectPair *p = i < k ? pair_of(s, i, k) : pair_of(s, k, i);
    real variance = p->square / (real)(s->first - 1);
    return s->h2 * variance / (s->delta * s->delta);
}

/* Whether another one is so much better that this one cannot be the best. */
static bool is_worse(Selection *s, uint32_t k)
{
    const real r = (real)s->round;
    for (uint32_t i = 0; i < s->count; i++) {
        if (i == k || s->one[i].left)
            continue;
        real w = s->delta / (R(2.0) * r) * (needed(s, i, k) - r);
        if (s->one[k].mean > s->one[i].mean + cosy_max(w, R(0.0)))
            return true;
    }
    return false;
}

static void screen(Selection *s)
{
    bool worse[SELECT_MOST] = {false};
    for (uint32_t k = 0; k < s->count; k++)
        worse[k] = s->one[k].left == 0 && is_worse(s, k);
    for (uint32_t k = 0; k < s->count; k++)
        if (worse[k])
            s->one[k].left = s->round;
}

/* Whether some pair still needs more replications. */
static bool is_open(Selection *s)
{
    for (uint32_t k = 1; k < s->count; k++)
        for (uint32_t i = 0; i < k; i++)
            if (!s->one[i].left && !s->one[k].left &&
                (real)s->round <= cosy_floor(needed(s, i, k)))
                return true;
    return false;
}

static uint32_t count_there(const Selection *s)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->count; k++)
        n += s->one[k].left == 0;
    return n;
}

bool select_round(Selection *s)
{
    assert(!s->decided);
    take_values(s);
    if (s->round <= s->first)
        take_pairs(s);
    if (s->round >= s->first)
        screen(s);
    for (uint32_t k = 0; k < s->count; k++)
        s->one[k].now = (real)NAN;
    if (count_there(s) == 0)
        return true;
    s->decided = s->round >= s->first && !is_open(s);
    return s->decided;
}

uint32_t select_best(const Selection *s)
{
    uint32_t best = COSY_NONE;
    for (uint32_t k = 0; k < s->count; k++) {
        const SelectOne *o = &s->one[k];
        if (o->left == 0 && o->n > 0 &&
            (best == COSY_NONE || o->mean < s->one[best].mean))
            best = k;
    }
    return best;
}
