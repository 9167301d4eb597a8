#include "solve/watch_part.h"

#include <assert.h>
#include <string.h>

#include "solve/bracket.h"
#include "solve/branch.h"

/* True if the point lies further beyond zero than a located one may. */
static bool is_beyond(const Watch *w, const Watched *e,
                      const CosyCondition *now)
{
    real rate = cosy_max(cosy_abs(e->dz), cosy_abs(now->dz));
    real near = cosy_max(e->tol, R(1e3) * COSY_EPSILON * e->size);
    near = cosy_max(near, R(16.0) * rate * time_ulp(w->c->head->t));
    return cosy_abs(now->z) > near;
}

/* Sets how a condition stands after its event body. */
static void stand_after(const Watch *w, Watched *e, const CosyCondition *now)
{
    real far = -(real)e->side;
    bool stopped = now->dz == R(0.0) && e->dz != R(0.0);
    bool both = info_of(w, e->id)->direction == 0;
    bool jumped = is_beyond(w, e, now);
    e->z = now->z;
    e->dz = now->dz;
    if (now->z * far < R(0.0)) {
        e->stand = STAND_ARMED;
    } else if (both && jumped) { // a body has moved it there
        e->side = (int8_t)sign_of(now->z);
        e->stand = STAND_ARMED;
    } else if (stopped || along(w, now->dz) * far < R(0.0)) {
        e->stand = STAND_RETURNING;
        e->depth = now->z;
    } else if (!both) {
        e->stand = STAND_PASSED;
    } else {
        e->side = (int8_t)sign_of(now->z);
        e->stand = e->side ? STAND_ARMED : STAND_NEW;
    }
}

typedef struct Begun {
    uint64_t id, number;
} Begun;

/* A point where branches begin. */
typedef struct Place {
    real t;
    const real *x, *dx;
    uint32_t n;
    real noise; // rounding error of numbers like x; below zero: not yet known
} Place;

static real noise_at(Place *p)
{
    if (p->noise < R(0.0))
        p->noise = rounding(p->x, p->n);
    return p->noise;
}

/* True if a derivative may decide. If it has already done so at this instant,
   two branches send each other back and forth, and a rounding error must not do
   it again. */
static bool decides(Watch *w, const Watched *e, Place *p)
{
    const Begun own = {.id = e->id, .number = e->number};
    const Begun *b = (const Begun *)(const void *)w->begun.bytes;
    if (p->t != w->begun_at)
        w->begun.used = 0;
    w->begun_at = p->t;
    for (size_t k = 0; k < w->begun.used / sizeof *b; k++)
        if (b[k].id == own.id && b[k].number == own.number)
            return cosy_abs(e->dz) >
                   cosy_max(noise_at(p), rounding(p->dx, p->n));
    return vector_append(&w->begun, &own, sizeof own);
}

/* A condition of a branch that has just been entered: if it is past its
   threshold by more than TOL, and by more than rounding errors, it fires at
   once; otherwise its derivative decides, or, where that is zero, the side to
   which it goes first. */
static void activate(Watch *w, Watched *e, Place *p)
{
    const CosyConditionInfo *info = info_of(w, e->id);
    real past = e->z * info->direction;
    if (!info->activates || !info->direction || hidden(w, e))
        return;
    real near = cosy_max(e->tol, noise_at(p));
    if (past > near ||
        (past >= -e->tol && along(w, e->dz) * info->direction > R(0.0) &&
         decides(w, e, p))) {
        e->stand = STAND_ARMED;
        e->fired = 1;
    } else if (past >= R(0.0)) {
        e->side = (int8_t)-info->direction;
        e->stand = STAND_RETURNING;
        e->depth = e->z;
    }
}

void watch_last(Watch *w, real t, const real *x)
{
    real noise = rounding(x, w->c->head->states);
    for (uint32_t k = 0; k < w->count; k++) {
        Watched *e = &entries(w)[k];
        real last = R(4.0) * time_ulp(t) * cosy_abs(e->dz);
        if (info_of(w, e->id)->kind == COSY_CONDIT && e->stand == STAND_ARMED &&
            along(w, e->dz) * (real)e->side < R(0.0) &&
            cosy_abs(e->z) <= cosy_max(noise, last))
            e->fired = 1;
    }
}

/* True if its copy was created after the list of conditions had been made. */
static bool of_new_copy(const Watch *w, const Watched *e)
{
    uint32_t p = condition_process(info_of(w, e->id));
    const uint32_t *known = (const uint32_t *)(const void *)w->known.bytes;
    return p != COSY_NONE && COSY_DETAIL_NUMBER(e->number) > known[p];
}

/* Finds the entry of the same condition before the event, starting where the
   last one was found. */
static const Watched *find_old(const Watch *w, uint32_t count, const Watched *e,
                               uint32_t *hint)
{
    const Watched *old = (const Watched *)(void *)w->old.bytes;
    uint32_t k = *hint;
    for (uint32_t i = 0; i < count; i++, k++) {
        k = k < count ? k : 0;
        if (old[k].id == e->id && old[k].number == e->number) {
            *hint = k + 1;
            return &old[k];
        }
        if (i == 0 && of_new_copy(w, e))
            return NULL;
    }
    return NULL;
}

/* Takes over how a condition stood. A mark is lost only when another event has
   led back to the near side. */
static void carry_over(const Watch *w, Watched *e, const Watched *old,
                       const CosyCondition *now)
{
    uint32_t copy = e->copy;
    real tol = e->tol;
    *e = *old;
    e->copy = copy;
    e->tol = tol;
    e->priority = now->priority;
    if (e->stand == STAND_TAKEN) {
        stand_after(w, e, now);
    } else if (e->fired ? now->z * e->side <= R(0.0) || now->z == e->z
                        : watch_fires(w, e, now->z, now->dz)) {
        e->fired = 1;
        e->z = now->z;
        e->dz = now->dz;
    } else {
        e->fired = 0;
        watch_follow(w, e, now->z, now->dz);
    }
}

Status watch_event(Watch *w, real t, const real *x, const real *dx)
{
    uint32_t count, hint = 0, old_count = w->count;
    Place place = {t, x, dx, w->c->head->states, R(-1.0)};
    TRY(watch_attach(w));
    TRY(watch_evaluate(w, t, x, dx, &count));
    if (old_count)
        memcpy(w->old.bytes, w->list.bytes, old_count * sizeof(Watched));
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    for (uint32_t k = 0; k < count; k++) {
        Watched e = watch_entry(w, &seen[k]);
        const Watched *old = find_old(w, old_count, &e, &hint);
        if (old && !follows_point(w, &e))
            carry_over(w, &e, old, &seen[k]);
        else if (old)
            e.size = cosy_max(e.size, old->size);
        if (!old || follows_point(w, &e))
            activate(w, &e, &place);
        e.fired |= finishes(w, &e);
        entries(w)[k] = e;
    }
    w->count = count;
    watch_know(w);
    return STATUS_OK;
}

void watch_back(Watch *w, uint32_t id, uint32_t copy, int side, real z)
{
    if (w->count == w->room)
        return;
    const CosyConditionInfo *info = info_of(w, id);
    uint32_t p = condition_process(info);
    Watched e = {.id = id, .copy = copy, .number = copy, .z = z, .depth = z};
    if (p != COSY_NONE)
        e.number = copy_detail(w->c, p, condition_elements(info), copy);
    e.size = cosy_abs(z);
    e.side = (int8_t)side;
    e.stand = z * (real)side > R(0.0) ? STAND_ARMED : STAND_RETURNING;
    entries(w)[w->count++] = e;
}

void watch_moved(Watch *w, const CosyCondition *before,
                 const CosyCondition *now, uint32_t count)
{
    for (uint32_t k = 0; k < w->count; k++) {
        Watched *e = &entries(w)[k];
        if (e->stand != STAND_ARMED || e->fired || hidden(w, e))
            continue;
        for (uint32_t i = 0; i < count; i++)
            if (now[i].id == e->id && now[i].copy == e->copy &&
                before[i].z * (real)e->side > R(0.0) &&
                now[i].z * (real)e->side <= R(0.0)) {
                e->stand = STAND_RETURNING;
                e->depth = now[i].z;
            }
    }
}

/* The order in which conditions are taken at one point. */
static int rank(const Watch *w, const Watched *e)
{
    return hidden(w, e) ? 0 : info_of(w, e->id)->kind == COSY_FINISH ? 1 : 2;
}

static bool is_before(const Watch *w, const Watched *a, const Watched *b)
{
    int difference = rank(w, a) - rank(w, b);
    return difference < 0 || (difference == 0 && a->priority > b->priority);
}

bool watch_take(Watch *w, bool only_hidden, Watched *which)
{
    Watched *first = NULL;
    for (uint32_t k = 0; k < w->count; k++) {
        Watched *e = &entries(w)[k];
        if (e->fired && (!first || is_before(w, e, first)))
            first = e;
    }
    if (!first || (only_hidden && !hidden(w, first)))
        return false;
    assert(first->stand != STAND_TAKEN);
    first->fired = 0;
    first->stand = STAND_TAKEN;
    *which = *first;
    return true;
}
