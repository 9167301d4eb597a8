#include "solve/watch_part.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "solve/bracket.h"
#include "solve/branch.h"
#include "solve/project.h"

#define ROWS 11 // lists of conditions in a step, see Spot

static bool stretch(Vector *v, size_t size)
{
    if (v->used < size && !vector_append(v, NULL, size - v->used))
        return false;
    return true;
}

Status watch_create(Watch *w, Cosy *c, Arena *a, Image *image)
{
    memset(w, 0, sizeof *w);
    w->model = c->model;
    w->c = c;
    w->bad = COSY_NONE;
    w->share = R(1.0);
    if (!stretch(&w->told, w->model->n_conditions_info + 1) ||
        !stretch(&w->known, (w->model->n_copies + 1) * sizeof(uint32_t)))
        return STATUS_MEMORY;
    TRY(image_add_vector(image, a, "watch.known", &w->known));
    TRY(image_add_vector(image, a, "watch.told", &w->told));
    TRY(image_add_vector(image, a, "watch", &w->list));
    TRY(image_add(image, a, "watch.count", &w->count, sizeof w->count));
    TRY(image_add(image, a, "watch.reach", &w->reach, sizeof w->reach));
    TRY(image_add(image, a, "watch.iterations", &w->iterations,
                  sizeof w->iterations));
    return watch_attach(w);
}

void watch_free(Watch *w)
{
    vector_free(&w->list);
    vector_free(&w->old);
    vector_free(&w->told);
    vector_free(&w->known);
    vector_free(&w->seen);
    vector_free(&w->rows);
    vector_free(&w->scratch);
    vector_free(&w->begun);
}

/* The most conditions that the present structure can report. */
static uint32_t most_conditions(const Watch *w)
{
    const CosyModel *m = w->model;
    uint32_t room =
        m->conditions_most ? m->conditions_most : m->n_conditions_info;
    for (uint32_t p = 0; p < m->n_copies; p++)
        room += w->c->copy[p].active * m->copies[p].conditions;
    return room + w->c->head->untils * m->waits_most + w->extra;
}

Status watch_attach(Watch *w)
{
    size_t n = w->c->head->states;
    uint32_t room = most_conditions(w);
    w->room = room > w->room ? room : w->room;
    if (!stretch(&w->list, w->room * sizeof(Watched)) ||
        !stretch(&w->old, w->room * sizeof(Watched)) ||
        !stretch(&w->seen, w->room * sizeof(CosyCondition)) ||
        !stretch(&w->rows, ROWS * w->room * sizeof(CosyCondition)) ||
        !stretch(&w->scratch, 3 * (n + 1) * sizeof(real)))
        return STATUS_MEMORY;
    return STATUS_OK;
}

/* ---- What the model reports ---------------------------------------------- */

Status watch_evaluate(Watch *w, real t, const real *x, const real *dx,
                      uint32_t *count)
{
    *count = 0;
    if (!w->model->conditions)
        return STATUS_OK;
    CosyCondition *seen = (CosyCondition *)(void *)w->seen.bytes;
    w->bad = COSY_NONE;
    w->cause = w->model->conditions(w->c, t, x, dx, seen, count);
    if (w->cause != COSY_OK)
        return STATUS_NUMBER;
    assert(*count <= w->room);
    for (uint32_t k = 0; k < *count; k++) {
        assert(seen[k].id < w->model->n_conditions_info + w->extra);
        if (!cosy_finite(seen[k].z)) {
            w->bad = seen[k].id;
            return STATUS_NUMBER;
        }
    }
    return STATUS_OK;
}

/* Elements of a loop are numbered from 1, as copies and transactions are. */
static uint64_t number_of(const Watch *w, const CosyCondition *k)
{
    uint32_t p = info_of(w, k->id)->process;
    if (info_of(w, k->id)->kind == COSY_WAIT)
        return cosy_transaction(w->c, k->copy)->number;
    if (p == COSY_NONE)
        return k->copy == COSY_NONE ? COSY_NONE : (uint64_t)k->copy + 1;
    return copy_detail(w->c, p, condition_elements(info_of(w, k->id)), k->copy);
}

/* Sets how a condition that is seen for the first time, on this side,
   stands. */
static void stand_first(const Watch *w, Watched *e, int side)
{
    int direction = info_of(w, e->id)->direction;
    e->side = (int8_t)(direction ? -direction : side);
    if (side == 0)
        e->stand = STAND_NEW;
    else
        e->stand = side == e->side ? STAND_ARMED : STAND_PASSED;
}

static real tol_of(const Watch *w, const CosyCondition *k)
{
    return w->share * (k->tol > R(0.0) ? k->tol : info_of(w, k->id)->tol);
}

Watched watch_entry(const Watch *w, const CosyCondition *k)
{
    Watched e = {.id = k->id,
                 .copy = k->copy,
                 .number = number_of(w, k),
                 .z = k->z,
                 .dz = k->dz,
                 .size = cosy_abs(k->z),
                 .tol = tol_of(w, k),
                 .priority = k->priority};
    stand_first(w, &e, e.z == R(0.0) ? zero_side(w, &e) : sign_of(e.z));
    return e;
}

void watch_know(Watch *w)
{
    uint32_t *known = (uint32_t *)(void *)w->known.bytes;
    for (uint32_t p = 0; p < w->model->n_copies; p++)
        known[p] = w->c->copy[p].created;
}

Status watch_enter(Watch *w, real t, const real *x, const real *dx)
{
    uint32_t count;
    w->reach = R(0.0);
    TRY(watch_attach(w));
    TRY(watch_evaluate(w, t, x, dx, &count));
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    for (uint32_t k = 0; k < count; k++) {
        Watched e = watch_entry(w, &seen[k]);
        e.fired = finishes(w, &e);
        entries(w)[k] = e;
    }
    w->count = count;
    watch_know(w);
    return STATUS_OK;
}

/* ---- Crossing ------------------------------------------------------------- */

/* Depth that a returning condition must exceed to fire again. TOL plays no part
   in it: what rests on its threshold would sink by TOL at every contact. */
static real return_level(const Watched *e)
{
    real slack = COSY_EPSILON * cosy_abs(e->depth);
    return e->depth - (real)e->side * cosy_max(slack, COSY_REAL_MIN);
}

/* At zero itself the derivative decides; for a relation its operator does,
   since it says which side zero belongs to. If it does not say, zero has to be
   left. */
static bool zero_is_far(const Watch *w, const Watched *e, real dz)
{
    real far = -(real)e->side;
    if (follows_point(w, e))
        return (real)zero_side(w, e) * far > R(0.0);
    return along(w, dz) * far > R(0.0);
}

/* True if a condition that stood as `e` fires at a point with z, dz. */
bool watch_fires(const Watch *w, const Watched *e, real z, real dz)
{
    real far = -(real)e->side;
    switch (e->stand) {
    case STAND_NEW:
        return leaves_first(w, e) &&
               (info_of(w, e->id)->direction ? z * far > R(0.0) : z != R(0.0));
    case STAND_ARMED:
        return z * far > R(0.0) || (z == R(0.0) && zero_is_far(w, e, dz));
    case STAND_RETURNING:
        return (z - return_level(e)) * far > R(0.0) &&
               along(w, dz) * far > R(0.0);
    default: return false;
    }
}

/* The value whose sign change is searched for, and how near zero it must be. */
static real shifted(const Watched *e, real z)
{
    return e->stand == STAND_RETURNING ? z - return_level(e) : z;
}

static real tolerance(const Watched *e)
{
    return e->stand == STAND_RETURNING ? R(0.0) : e->tol;
}

/* Takes over z, dz at an accepted point where e does not fire. */
void watch_follow(const Watch *w, Watched *e, real z, real dz)
{
    int side = sign_of(z);
    e->z = z;
    e->dz = dz;
    if (e->stand == STAND_NEW && side)
        stand_first(w, e, side);
    else if ((e->stand == STAND_RETURNING || e->stand == STAND_PASSED) &&
             side == e->side)
        e->stand = STAND_ARMED;
}

/* A candidate: its entry, where its two sides were seen, and a bracket. With
   `arms` it is a passed condition on its way back, which is not an event. */
typedef struct Crossing {
    uint32_t entry;
    bool arms;
    BracketPoint near, far;
    Bracket bracket;
    real guess;
} Crossing;

/* A time too short to be divided further. Zero itself has no unit in the last
   place, hence the share of the whole; if z begins at zero, the crossing is as
   near to the beginning as possible. */
static real time_unit(const Crossing *k)
{
    real least = COSY_EPSILON * cosy_abs(k->far.t - k->near.t);
    if (k->near.z != R(0.0))
        least *= COSY_EPSILON;
    return cosy_max(least, time_ulp(k->near.t));
}

/* All conditions at t on the dense output of the last step. */
static Status dense_all(Watch *w, Solver *s, real t)
{
    real *x = (real *)(void *)w->scratch.bytes;
    real *dx = x + s->n;
    uint32_t count;
    s->method->dense(s, t, x);
    TRY(solver_rhs(s, t, x, dx));
    TRY(watch_evaluate(w, t, x, dx, &count));
    return count == w->count ? STATUS_OK : STATUS_MODEL;
}

/* One of them. */
static Status dense_point(Watch *w, Solver *s, uint32_t entry, real t,
                          BracketPoint *p)
{
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    TRY(dense_all(w, s, t));
    *p = (BracketPoint){t, seen[entry].z, seen[entry].dz};
    return STATUS_OK;
}

/* Sharpens a bracket on the dense output; leaves the result as the guess. */
static Status dense_root(Watch *w, Solver *s, Crossing *k)
{
    const Watched *e = &entries(w)[k->entry];
    real width = cosy_abs(s->t - s->t0);
    BracketPoint p;
    k->guess = bracket_next(&k->bracket, COSY_CROSSES);
    for (int i = 0; i < 8; i++) {
        if (dense_point(w, s, k->entry, k->guess, &p) != STATUS_OK)
            return STATUS_OK; // the real steps will tell
        bool far = watch_fires(w, e, p.z, p.dz);
        p.z = shifted(e, p.z);
        bracket_take(&k->bracket, p, far);
        real next = bracket_next(&k->bracket, COSY_CROSSES);
        real moved = cosy_abs(next - k->guess);
        k->guess = next;
        if (moved <= R(1e-9) * width)
            break;
    }
    return STATUS_OK;
}

/* A turning point that matters to whoever collects misses. */
static bool is_miss(const Watch *w, const Watched *e, real z)
{
    return w->misses && e->stand == STAND_ARMED &&
           cosy_abs(z) <= R(0.01) * e->size;
}

/* How much the derivatives at t on the dense output differ on the other side of
   a hidden relation, in tolerances. */
static real leap(Watch *w, Solver *s, const Watched *e, real t)
{
    int32_t *branch =
        w->c->branch + branch_place(w->c, info_of(w, e->id)->event, e->copy);
    real *x = (real *)(void *)w->scratch.bytes, *dx = x + s->n;
    real *other = dx + s->n;
    int32_t now = *branch;
    uint32_t where;
    s->method->dense(s, t, x);
    Status here = solver_rhs(s, t, x, dx);
    *branch = now == 0 || now == 1 ? 1 - now : now + 1;
    Status there = solver_rhs(s, t, x, other);
    *branch = now;
    if (here != STATUS_OK || there != STATUS_OK)
        return COSY_REAL_MAX;
    for (uint32_t i = 0; i < s->n; i++)
        other[i] -= dx[i];
    return solver_error(s, x, x, other, &where);
}

/* A kink does no harm: its effect goes to zero with z. A jump's does not. */
static bool is_jump(Watch *w, Solver *s, const Watched *e,
                    const BracketPoint *p)
{
    real away = cosy_max(cosy_abs(e->z), COSY_REAL_MIN);
    real kink = leap(w, s, e, s->t0) * cosy_min(cosy_abs(p->z) / away, R(1.0));
    return leap(w, s, e, p->t) > R(10.0) * kink;
}

/* Notes it; a list that cannot grow is left as it is. */
static void note_miss(Watch *w, Solver *s, const Watched *e,
                      const BracketPoint *p)
{
    if (!is_miss(w, e, p->z))
        return;
    WatchMiss one = {.id = e->id,
                     .copy = e->copy,
                     .t = (double)p->t,
                     .z = (double)p->z,
                     .size = (double)e->size,
                     .jumps = hidden(w, e) && is_jump(w, s, e, p)};
    (void)vector_append(w->misses, &one, sizeof one);
}

/* Turning point of z between the ends of the step: regula falsi on dz, stopped
   as soon as z shows the sign `wanted`. */
static bool turning_point(Watch *w, Solver *s, uint32_t entry, BracketPoint a,
                          BracketPoint b, int wanted, BracketPoint *found)
{
    Bracket k;
    const Watched *e = &entries(w)[entry];
    BracketPoint p = cosy_abs(a.z) < cosy_abs(b.z) ? a : b;
    bracket_make(&k, (BracketPoint){a.t, a.dz, R(0.0)},
                 (BracketPoint){b.t, b.dz, R(0.0)});
    for (int i = 0; i < 12; i++) {
        real span = cosy_abs(k.far.t - k.near.t);
        /* The most that z can still change towards zero inside the bracket. */
        real reach = span * cosy_max(cosy_abs(k.near.z), cosy_abs(k.far.z));
        real sure = is_miss(w, e, p.z) ? R(1e-3) : R(0.5);
        if (reach < sure * cosy_abs(p.z))
            break;
        real t = bracket_next(&k, COSY_REGULA);
        if (dense_point(w, s, entry, t, &p) != STATUS_OK)
            return false;
        if (sign_of(p.z) == wanted) {
            *found = p;
            return true;
        }
        bool far = p.dz * b.dz > R(0.0);
        bracket_take(&k, (BracketPoint){t, p.dz, R(0.0)}, far);
    }
    note_miss(w, s, e, &p);
    return false;
}

/* Sign of z right after a point of the run: at zero, where it goes. */
static int sign_after(const Watch *w, real z, real dz)
{
    return z != R(0.0) ? sign_of(z) : sign_of(along(w, dz));
}

/* The side on which an entry that does not fire is at a point; zero may belong to
   its near side. */
static int side_at(const Watched *e, real z)
{
    return z != R(0.0) || e->stand != STAND_ARMED ? sign_of(z) : e->side;
}

/* True if z heads towards zero at the first of two points and away from it, on
   the same side, at the second: it may have been on the other side in
   between. */
static bool is_pair(const Watch *w, const Watched *e, BracketPoint a,
                    BracketPoint b)
{
    int side = side_at(e, a.z);
    return (e->stand == STAND_ARMED || e->stand == STAND_PASSED) &&
           along(w, a.dz) * (real)side < R(0.0) &&
           along(w, b.dz) * (real)side > R(0.0) &&
           sign_after(w, b.z, b.dz) == side;
}

/* Searches for a pair of crossings between two points of an entry that shows
   none at these points. An armed condition fires at the first of the two; one
   that has passed is armed between them, so the step will end there. */
static bool find_pair(Watch *w, Solver *s, BracketPoint a, BracketPoint b,
                      Crossing *k)
{
    const Watched *e = &entries(w)[k->entry];
    if (!is_pair(w, e, a, b))
        return false;
    k->arms = e->stand == STAND_PASSED;
    return turning_point(w, s, k->entry, a, b, -side_at(e, a.z), &k->far);
}

/* A first guess for the time of a candidate, from a point on its near side. */
static Status first_guess(Watch *w, Solver *s, BracketPoint from, Crossing *k)
{
    bracket_make(&k->bracket, from, k->far);
    if (k->arms) {
        k->guess = k->far.t;
        return STATUS_OK;
    }
    if (entries(w)[k->entry].stand == STAND_NEW) {
        k->guess = from.t + s->direction * time_unit(k);
        return STATUS_OK;
    }
    return dense_root(w, s, k);
}

/* ---- Between the ends of a step ------------------------------------------------ */

/* A condition may have been at zero more often in a step than its ends show.
   Where that is possible, the dense output is evaluated in the middle. If the
   cubic through both ends does not explain the value there, the halves are
   divided in turn, down to eighths of the step, and further where something
   fires. What is still unexplained then is left to a shorter step. */
#define LOOKS      3 // 2^LOOKS parts
#define LOOKS_MOST 9
#define EXPLAINED  (R(1.0) / R(16.0))

/* The last places of time make every curve rough; near TIME = 0, those of
   earlier times count. */
static real least_step(const Watch *w, const Solver *s)
{
    real since = cosy_abs(s->t0 - w->c->head->t_begin);
    return R(64.0) * cosy_max(time_ulp(s->t), COSY_EPSILON * since);
}

/* The conditions at a time in the step. */
typedef struct Spot {
    real t;
    const CosyCondition *list;
} Spot;

typedef struct Search {
    Crossing first;
    bool crossed;
    bool doubts; // a shorter step should end at `doubt`
    real doubt;
} Search;

enum { ROW_NEAR, ROW_FAR, ROW_LOOKS };
static_assert(ROWS == ROW_LOOKS + LOOKS_MOST, "a row for every look");

static CosyCondition *row_of(const Watch *w, uint32_t i)
{
    assert(i < ROWS);
    return (CosyCondition *)(void *)w->rows.bytes + (size_t)i * w->room;
}

static BracketPoint point_of(const Spot *a, uint32_t k)
{
    return (BracketPoint){a->t, a->list[k].z, a->list[k].dz};
}

/* How much a condition may change between two points, judged by its slopes
   there and by its change so far. */
static real reach_of(const BracketPoint *a, const BracketPoint *b)
{
    real steep = cosy_max(cosy_abs(a->dz), cosy_abs(b->dz));
    return cosy_max(cosy_abs(b->z - a->z), steep * cosy_abs(b->t - a->t));
}

/* True if it is near enough to zero to get there. */
static bool may_cross(const BracketPoint *a, const BracketPoint *b)
{
    real reach = reach_of(a, b);
    return reach > R(0.0) && cosy_min(cosy_abs(a->z), cosy_abs(b->z)) <= reach;
}

/* How far the middle is from the cubic through both ends or, without
   derivatives, from a straight line. */
static real unexplained(const BracketPoint *a, const BracketPoint *m,
                        const BracketPoint *b)
{
    bool flat = a->dz == R(0.0) && m->dz == R(0.0) && b->dz == R(0.0);
    real h = b->t - a->t;
    real z = (a->z + b->z) / R(2.0) + h * (a->dz - b->dz) / R(8.0);
    real dz = R(1.5) * (b->z - a->z) / h - (a->dz + b->dz) / R(4.0);
    real off = cosy_abs(m->z - z);
    return flat ? off : cosy_max(off, cosy_abs(h * (m->dz - dz)) / R(4.0));
}

/* Waves of z that do not count: a share of the largest z so far. Where z has been
   nothing but rounding errors, because it began at zero, no more than these. */
static real ripple(const Watched *e, real share, real noise)
{
    return e->size <= noise ? noise : share * e->size;
}

/* True if every condition that may have crossed is explained, but for ripples. */
static bool all_explained(const Watch *w, const Spot *a, const Spot *m,
                          const Spot *b, real share, real noise)
{
    for (uint32_t k = 0; k < w->count; k++) {
        BracketPoint p = point_of(a, k), q = point_of(b, k);
        BracketPoint between = point_of(m, k);
        real off = unexplained(&p, &between, &q);
        if (off > ripple(&entries(w)[k], share, noise) && may_cross(&p, &q) &&
            off > EXPLAINED * reach_of(&p, &q))
            return false;
    }
    return true;
}

/* True if anything may have crossed; with `seen`, counts only what the two
   points show. */
static bool any_between(const Watch *w, const Spot *a, const Spot *b, bool seen)
{
    for (uint32_t k = 0; k < w->count; k++) {
        const Watched *e = &entries(w)[k];
        BracketPoint p = point_of(a, k), q = point_of(b, k);
        if (watch_fires(w, e, q.z, q.dz) ||
            (may_cross(&p, &q) && (!seen || is_pair(w, e, p, q))))
            return true;
    }
    return false;
}

/* True if a condition that has passed is on its near side at an inner point,
   but not at the end of the step: it is armed in between. */
static bool is_armed_between(const Watch *w, const Solver *s, uint32_t k,
                             const BracketPoint *b)
{
    const Watched *e = &entries(w)[k];
    return b->t != s->t && e->stand == STAND_PASSED &&
           sign_of(b->z) == e->side &&
           sign_of(row_of(w, ROW_FAR)[k].z) != e->side;
}

/* Finds the earliest crossing between two points, if there is any. */
static Status first_between(Watch *w, Solver *s, const Spot *from,
                            const Spot *to, Search *found)
{
    for (uint32_t k = 0; k < w->count; k++) {
        const Watched *e = &entries(w)[k];
        BracketPoint a = point_of(from, k), b = point_of(to, k);
        Crossing candidate = {.entry = k};
        if (watch_fires(w, e, b.z, b.dz)) {
            a.z = shifted(e, a.z);
            candidate.far = (BracketPoint){b.t, shifted(e, b.z), b.dz};
        } else if (is_armed_between(w, s, k, &b)) {
            candidate.far = b;
            candidate.arms = true;
        } else if (!find_pair(w, s, a, b, &candidate)) {
            continue;
        }
        TRY(first_guess(w, s, a, &candidate));
        /* Real steps may find it anywhere after the near end of the step. */
        candidate.near = (BracketPoint){
            s->t0, candidate.arms ? e->z : shifted(e, e->z), e->dz};
        if (!found->crossed ||
            (candidate.guess - found->first.guess) * s->direction < 0)
            found->first = candidate;
        found->crossed = true;
    }
    return STATUS_OK;
}

/* ... with looks in between; `depth` looks have led here. */
static Status search(Watch *w, Solver *s, const Spot *a, const Spot *b,
                     uint32_t depth, Search *found)
{
    const Spot m = {a->t + (b->t - a->t) / R(2.0),
                    row_of(w, ROW_LOOKS + depth)};
    if (!any_between(w, a, b, depth >= LOOKS) ||
        cosy_abs(s->t - s->t0) <= least_step(w, s) ||
        dense_all(w, s, m.t) != STATUS_OK)
        return first_between(w, s, a, b, found);
    memcpy(row_of(w, ROW_LOOKS + depth), w->seen.bytes,
           w->count * sizeof(CosyCondition));
    bool deeper =
        depth + 1 < LOOKS_MOST && !all_explained(w, a, &m, b, R(1e-12), R(0.0));
    if (deeper && depth + 1 == LOOKS && !found->doubts &&
        !all_explained(w, a, &m, b, R(1e-6), rounding(s->x, s->n))) {
        found->doubts = true;
        found->doubt = a->t != s->t0 ? a->t : m.t;
    }
    TRY(deeper ? search(w, s, a, &m, depth + 1, found)
               : first_between(w, s, a, &m, found));
    if (found->crossed)
        return STATUS_OK;
    return deeper ? search(w, s, &m, b, depth + 1, found)
                  : first_between(w, s, &m, b, found);
}

/* Finds the earliest crossing of the last step, if there is any; `seen` has its
   far end. */
static Status first_crossing(Watch *w, Solver *s, Search *found)
{
    CosyCondition *near = row_of(w, ROW_NEAR), *far = row_of(w, ROW_FAR);
    const Spot a = {s->t0, near}, b = {s->t, far};
    memcpy(far, w->seen.bytes, w->count * sizeof *far);
    found->crossed = found->doubts = false;
    for (uint32_t k = 0; k < w->count; k++) {
        Watched *e = &entries(w)[k];
        if (far[k].id != e->id)
            return STATUS_MODEL;
        /* From zero it goes where its derivative points. */
        if (e->stand == STAND_NEW && !leaves_first(w, e))
            stand_first(w, e, sign_of(along(w, e->dz)));
        near[k] = (CosyCondition){.id = e->id, .z = e->z, .dz = e->dz};
    }
    return any_between(w, &a, &b, false) ? search(w, s, &a, &b, 0, found)
                                         : STATUS_OK;
}

/* ---- Real steps to the event ---------------------------------------------- */

/* A crossing lies on the constraints, like the ends of steps: what has drifted
   would count as a jump in the branch that begins there. */
static Status keep(Watch *w, Solver *s)
{
    real *weight = (real *)(void *)w->scratch.bytes + 2 * (s->n + 1);
    Fault fault = {0};
    ProjectAt at = {.t = s->t, .n = s->n, .weight = weight, .size = s->size};
    solver_scale(s, s->x0, s->x, weight);
    Status status = project_restore(s->project, &at, s->x, &fault);
    if (status == STATUS_MEMORY)
        return status;
    return status == STATUS_OK && s->project->moved > R(0.0)
               ? solver_rhs(s, s->t, s->x, s->dx)
               : STATUS_OK;
}

/* Repeats the step to end at t, and evaluates everything there. */
static Status real_point(Watch *w, Solver *s, real t)
{
    uint32_t count;
    w->iterations++;
    TRY(s->method->redo(s, t));
    if (COSY_RARELY(s->project != NULL))
        TRY(keep(w, s));
    TRY(watch_evaluate(w, s->t, s->x, s->dx, &count));
    return count == w->count ? STATUS_OK : STATUS_MODEL;
}

/* How fast a condition moves at the present trial; without a derivative, as
   fast as in the step so far. */
static real rate_of(const Watch *w, const Solver *s, uint32_t k)
{
    const CosyCondition *now = (const CosyCondition *)(void *)w->seen.bytes + k;
    return now->dz != R(0.0)
               ? cosy_abs(now->dz)
               : cosy_abs((now->z - entries(w)[k].z) / (s->t - s->t0));
}

/* What a candidate is looking for: its event, or the side on which it is
   armed. */
static bool reached(const Watch *w, const Crossing *k, const CosyCondition *now)
{
    const Watched *e = &entries(w)[k->entry];
    return k->arms ? sign_of(now->z) == e->side
                   : watch_fires(w, e, now->z, now->dz);
}

/* True if an entry other than that of `first` has already fired at the present trial,
   beyond its tolerance: it came earlier. Where z consists of rounding errors,
   conditions that cross together would change places for ever: they count as
   simultaneous if they lie as far beyond zero as `first` itself. What real steps
   never took over its zero lies beyond nothing. A z that is not larger than
   `noise` at both ends does not count. */
static bool earlier(const Watch *w, const Solver *s, const Crossing *first,
                    real noise, uint32_t *other)
{
    const uint32_t chosen = first->entry;
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    real unit = time_ulp(s->t), rate = rate_of(w, s, chosen);
    real own = shifted(&entries(w)[chosen], seen[chosen].z);
    /* How far it lies past its own crossing. */
    if (rate != R(0.0) && reached(w, first, &seen[chosen]))
        unit += cosy_abs(own) / rate;
    for (uint32_t k = 0; k < w->count; k++) {
        const Watched *e = &entries(w)[k];
        real z = cosy_abs(shifted(e, seen[k].z));
        if (z <= noise && cosy_abs(e->z) <= noise)
            continue;
        if (k != chosen && watch_fires(w, e, seen[k].z, seen[k].dz) &&
            z > tolerance(e) && z > rate_of(w, s, k) * R(4.0) * unit) {
            *other = k;
            return true;
        }
    }
    return false;
}

/* The relative error of the distance to the zero along the tangent, judged by
   the change of the slope between two points. */
static real doubt(const BracketPoint *p, const BracketPoint *before, real way)
{
    real bend = (p->dz - before->dz) / (p->t - before->t);
    real wrong = cosy_abs(bend / p->dz) * way + R(1e-6);
    return wrong < R(0.015625) ? wrong : R(0.015625);
}

/* Goes from a point that is close enough to the zero itself and a little beyond
   it, by at least `push`. */
static real over(const Crossing *k, const BracketPoint *p,
                 const BracketPoint *before, real push)
{
    real way = k->bracket.far.t - p->t;
    real straight = cosy_abs(p->z) / cosy_abs(p->dz);
    real more = straight * (R(1.0) + doubt(p, before, straight)) + push;
    if (!cosy_finite(more))
        more = push;
    if (more >= cosy_abs(way))
        return more > push ? p->t + way / R(2.0) : k->bracket.far.t;
    return p->t + (way < R(0.0) ? -more : more);
}

/* True if z is nothing but rounding errors: it is a sum of numbers of the size
   of the states and has stopped shrinking although its derivative, unchanged
   and not that of a flat zero, says that it should shrink. */
static bool noisy(const Solver *s, const Crossing *k, const BracketPoint *p,
                  const BracketPoint *before)
{
    real way = p->t - before->t, z = cosy_abs(p->z);
    real noise = cosy_abs(p->z - before->z - before->dz * way);
    real mean = (k->far.z - k->near.z) / (k->far.t - k->near.t);
    if (z <= cosy_abs(before->z) / R(4.0) || z > R(2.0) * noise ||
        cosy_abs(p->dz - before->dz) > cosy_abs(p->dz) / R(16.0) ||
        cosy_abs(p->dz) < cosy_abs(mean) / R(16.0))
        return false;
    return z <= rounding(s->x, s->n);
}

/* True if the dense output was wrong and the crossing comes later: the end of
   the step has shown it. */
static bool fires_at_end(const Watch *w, real end, const Crossing *k, real t)
{
    const CosyCondition *far = row_of(w, ROW_FAR) + k->entry;
    return t != end && !k->arms &&
           watch_fires(w, &entries(w)[k->entry], far->z, far->dz);
}

static void widen(const Watch *w, real end, Crossing *k, BracketPoint near)
{
    const CosyCondition *far = row_of(w, ROW_FAR) + k->entry;
    k->far =
        (BracketPoint){end, shifted(&entries(w)[k->entry], far->z), far->dz};
    bracket_make(&k->bracket, near, k->far);
}

/* Iterates real steps for one candidate until the point is on the far side and
   close enough: |z| within TOL, or no time left between the two sides. If real
   steps never get there (a pair that only the dense output has seen), the step
   ends where the crossing should be, and nothing fires. */
static Status real_root(Watch *w, Solver *s, real end, Crossing *k)
{
    const Watched *e = &entries(w)[k->entry];
    const CosyCondition *now =
        (const CosyCondition *)(void *)w->seen.bytes + k->entry;
    CosyScheme scheme = info_of(w, e->id)->scheme;
    real tol = tolerance(e), push = time_unit(k), t = k->guess;
    bool derived = scheme == COSY_CROSSES || scheme == COSY_IHERMITE;
    BracketPoint before = k->near;
    bool polished = scheme != COSY_CROSSES;
    for (int i = 0; i < 500; i++) {
        real unit = cosy_max(time_ulp(t), time_unit(k));
        Status status = real_point(w, s, t);
        bool far = status != STATUS_OK || reached(w, k, now);
        BracketPoint p = {t, k->bracket.far.z, k->bracket.far.dz};
        if (status == STATUS_OK)
            p = (BracketPoint){t, shifted(e, now->z), now->dz};
        bool last = !far && t == k->bracket.far.t;
        if (last && fires_at_end(w, end, k, t)) {
            widen(w, end, k, p);
            t = bracket_next(&k->bracket, scheme);
            before = p;
            continue;
        }
        bracket_take(&k->bracket, p, far);
        real width = cosy_abs(k->bracket.far.t - k->bracket.near.t);
        bool none_left = width <= R(2.0) * unit;
        /* The place where the model fails lies beyond the crossing. */
        if (status != STATUS_OK && none_left)
            return status;
        bool sharp = none_left || (derived && noisy(s, k, &p, &before)) ||
                     cosy_abs(p.z) <= cosy_abs(p.dz) * R(2.0) * unit;
        bool close = sharp || cosy_abs(p.z) <= tol;
        if (last || (status == STATUS_OK && far &&
                     (sharp || (close && polished) || k->arms)))
            return STATUS_OK;
        if (status != STATUS_OK) {
            t = bracket_next(&k->bracket, COSY_BISECT);
        } else if (none_left) {
            t = k->bracket.far.t;
        } else if (close && !far) {
            t = over(k, &p, &before, push);
            push *= R(2.0);
            polished = true;
        } else {
            polished |= close;
            t = bracket_next(&k->bracket, scheme);
        }
        before = p;
    }
    return STATUS_NEWTON;
}

/* True if z is past zero although its derivative has led away from zero all the
   time: this is the error of the step on a motion that is smaller. It has to
   come back, or go on, before anything happens. */
static bool in_error(const Watch *w, const Watched *e, const CosyCondition *now)
{
    real near = (real)e->side;
    return e->stand == STAND_ARMED && !leaves_zero(w, e) &&
           along(w, e->dz) * near > R(0.0) && along(w, now->dz) * near > R(0.0);
}

/* In that case the step ends where the derivative turns towards zero, or at the
   far end. */
static Status turn_over(Watch *w, Solver *s, const Crossing *k)
{
    const Watched *e = &entries(w)[k->entry];
    const CosyCondition *now =
        (const CosyCondition *)(void *)w->seen.bytes + k->entry;
    real near = (real)e->side, from = s->t, to = k->far.t;
    if (k->arms || !in_error(w, e, now))
        return STATUS_OK;
    if (along(w, k->far.dz) * near <= R(0.0))
        for (int i = 0; i < 10; i++) {
            real t = from + (to - from) / R(2.0);
            TRY(real_point(w, s, t));
            if (along(w, now->dz) * near > R(0.0))
                from = t;
            else
                to = t;
        }
    return real_point(w, s, to);
}

/* Goes back to a point at which the candidate was reached. A step that iterates
   need not end in the same last places again; if so, goes a little further. */
static Status return_to(Watch *w, Solver *s, const Crossing *k, real t)
{
    const CosyCondition *now =
        (const CosyCondition *)(void *)w->seen.bytes + k->entry;
    real more = time_ulp(t) * (real)s->direction;
    TRY(real_point(w, s, t));
    for (int i = 0; i < 8 && !reached(w, k, now); i++, more *= R(2.0))
        TRY(real_point(w, s, t + more));
    return STATUS_OK;
}

/* An event that depends on time alone, TIME/2 >= 1.25 say, or on something
   proportional to time, is put exactly on its instant, on the first of the
   numbers that count as equal. */
static Status exact_instant(Watch *w, Solver *s, const Crossing *k)
{
    const CosyCondition *now =
        (const CosyCondition *)(void *)w->seen.bytes + k->entry;
    real t = s->t, exact = t - now->z / now->dz, rise = k->far.z - k->near.z;
    real bent = rise - now->dz * (k->far.t - k->near.t);
    if ((s->n > 0 && cosy_abs(bent) > R(1e-9) * cosy_abs(rise)) || k->arms ||
        entries(w)[k->entry].stand == STAND_RETURNING ||
        !(cosy_abs(exact - t) <= R(4.0) * time_ulp(t)))
        return STATUS_OK;
    if (exact == t)
        exact = cosy_nextafter(t, s->t0);
    for (int i = 0; i < 4 && (exact - s->t0) * s->direction > R(0.0); i++) {
        TRY(real_point(w, s, exact));
        if (!reached(w, k, now))
            return return_to(w, s, k, t);
        t = exact;
        exact = cosy_nextafter(t, s->t0);
    }
    return STATUS_OK;
}

/* The bracket of real steps: as wide as the crossing was seen, whatever the
   dense output has shown since. */
static void real_bracket(Crossing *k)
{
    if (k->guess != k->far.t &&
        (k->guess - k->near.t) * (k->far.t - k->guess) <= R(0.0))
        k->guess = k->near.t + (k->far.t - k->near.t) / R(2.0);
    bracket_make(&k->bracket, k->near, k->far);
}

/* After as many candidates as there are conditions, some of them take turns: then
   a few more are tried without those that consist of rounding errors. */
#define TURNS 8

/* Takes the solver back to the first crossing. */
static Status locate(Watch *w, Solver *s, Crossing *first)
{
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    real end = s->t;
    assert(first->entry < w->count);
    assert((first->far.t - s->t0) * s->direction >= R(0.0));
    for (uint32_t tries = 0; tries < w->count + TURNS; tries++) {
        uint32_t other;
        real_bracket(first);
        Status status = real_root(w, s, end, first);
        if (status != STATUS_OK) {
            w->bad = entries(w)[first->entry].id;
            return status;
        }
        TRY(exact_instant(w, s, first));
        TRY(turn_over(w, s, first));
        real noise = tries < w->count ? R(-1.0) : rounding(s->x, s->n);
        if (!earlier(w, s, first, noise, &other))
            return STATUS_OK;
        const Watched *e = &entries(w)[other];
        first->entry = other;
        first->arms = false;
        first->near = (BracketPoint){s->t0, shifted(e, e->z), e->dz};
        first->far =
            (BracketPoint){s->t, shifted(e, seen[other].z), seen[other].dz};
        bracket_make(&first->bracket, first->near, first->far);
        first->guess = bracket_next(&first->bracket, COSY_CROSSES);
    }
    return STATUS_NEWTON;
}

void watch_name(char text[WATCH_NAME], const CosyModel *m,
                const CosyConditionInfo *info, uint64_t number)
{
    uint32_t p = condition_process(info);
    char element[24] = "", own[80] = "";
    bool any = number != COSY_NONE && info->kind != COSY_WAIT;
    uint32_t k =
        p == COSY_NONE ? (uint32_t)number : COSY_DETAIL_ELEMENT(number);
    if (any && k)
        snprintf(element, sizeof element, " (element %u)", k);
    if (any && p != COSY_NONE)
        snprintf(own, sizeof own, " of %.60s[%u]", m->copies[p].name,
                 COSY_DETAIL_NUMBER(number));
    snprintf(text, WATCH_NAME, "%.180s%s%s", info->name, element, own);
}

/* A CONDIT or FINISH whose function is exactly zero, and stays so, cannot be
   crossed: reported once. Called before the far end is taken over. */
static void note_zero(Watch *w, const Watched *e, const CosyCondition *now)
{
    const CosyConditionInfo *info = info_of(w, e->id);
    bool zero = e->z == R(0.0) && e->dz == R(0.0) && now->z == R(0.0) &&
                now->dz == R(0.0);
    char text[500], name[WATCH_NAME];
    if (!zero || (info->kind != COSY_CONDIT && info->kind != COSY_FINISH) ||
        w->told.bytes[e->id] || !w->c->host)
        return;
    w->told.bytes[e->id] = 1;
    watch_name(name, w->model, info, e->number);
    snprintf(text, sizeof text,
             "time %.17g%s%s: the condition %s is exactly zero, and stays so: "
             "as long as it does, it is not crossed",
             (double)w->c->head->t, COSY_IN_TIME(w->c->model), name);
    w->c->host->message(w->c, COSY_WARNING, info->line, text);
}

static void turn_back(Watched *e, const CosyCondition *now)
{
    e->stand = STAND_RETURNING;
    e->depth = e->z = now->z;
    e->dz = now->dz;
}

/* A CONDIT that began at zero, and never was away from it by more than rounding, has
   not been on the other side where its derivative leads away from there: X that
   starts at its threshold without speed may be in the last place below it. `noise` is
   that of the states; below zero: not yet known. */
static bool lingers(const Watch *w, const Solver *s, const Watched *e,
                    const CosyCondition *now, real *noise)
{
    if ((e->stand != STAND_NEW && e->stand != STAND_PASSED) ||
        info_of(w, e->id)->kind != COSY_CONDIT || now->z == R(0.0) ||
        (sign_of(now->z) == sign_of(along(w, now->dz))))
        return false;
    if (*noise < R(0.0))
        *noise = rounding(s->x, s->n);
    return cosy_max(e->size, cosy_abs(now->z)) <= *noise;
}

/* Takes over the present values; those that fire are marked. True if there are
   any. */
static bool accept(Watch *w, const Solver *s)
{
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    real noise = R(-1.0);
    bool any = false;
    for (uint32_t k = 0; k < w->count; k++) {
        Watched *e = &entries(w)[k];
        note_zero(w, e, &seen[k]);
        if (lingers(w, s, e, &seen[k], &noise)) {
            e->z = seen[k].z;
            e->dz = seen[k].dz;
        } else if (!watch_fires(w, e, seen[k].z, seen[k].dz)) {
            watch_follow(w, e, seen[k].z, seen[k].dz);
        } else if (in_error(w, e, &seen[k])) {
            turn_back(e, &seen[k]);
        } else {
            assert(e->side != 0 || leaves_first(w, e));
            e->fired = 1;
            e->z = seen[k].z;
            e->dz = seen[k].dz;
            e->priority = seen[k].priority;
            any = true;
        }
        e->size = cosy_max(e->size, cosy_abs(seen[k].z));
    }
    return any;
}

/* ---- Steps that are too long for a condition -------------------------------- */

#define TOO_ROUGH (R(1.0) / R(4.0))

/* How far the course of a condition over the step is from a parabola, relative
   to its slope; *steep is the largest slope seen. */
static real roughness(const Solver *s, const Watched *e, const CosyCondition *f,
                      real *steep)
{
    real secant = (f->z - e->z) / (s->t - s->t0);
    real slope = cosy_max(cosy_abs(e->dz), cosy_abs(f->dz));
    *steep = cosy_max(cosy_abs(secant), slope);
    return *steep > R(0.0)
               ? cosy_abs(secant - (e->dz + f->dz) / R(2.0)) / *steep
               : R(0.0);
}

/* True if a condition that may have reached zero in the step is too rough.
   Otherwise sets `reach`: within it no condition can reach zero or become too
   rough; roughness goes with the square of the step. */
static bool too_rough(Watch *w, const Solver *s)
{
    const CosyCondition *seen = (const CosyCondition *)(void *)w->seen.bytes;
    real h = cosy_abs(s->t - s->t0), reach = R(2.0) * w->reach, steep;
    if (h <= least_step(w, s)) {
        w->reach = R(0.0);
        return false;
    }
    real noise = R(-1.0); // not yet known
    for (uint32_t k = 0; k < w->count; k++) {
        const Watched *e = &entries(w)[k];
        real rough = roughness(s, e, &seen[k], &steep);
        real away = cosy_abs(seen[k].z);
        real wave = rough * steep * h;
        if (wave <= R(1e-6) * e->size || rough <= R(1e-4) * TOO_ROUGH)
            continue;
        if (noise < R(0.0))
            noise = rounding(s->x, s->n);
        if (wave <= ripple(e, R(1e-6), noise))
            continue;
        if (rough > TOO_ROUGH && cosy_min(away, cosy_abs(e->z)) <= steep * h)
            return true;
        real own =
            cosy_max(h * cosy_sqrt(TOO_ROUGH / R(2.0) / rough), away / steep);
        reach = reach > R(0.0) ? cosy_min(reach, own) : own;
    }
    w->reach = reach < R(1e6) * h ? reach : R(0.0);
    return false;
}

/* Ends the step at t, and keeps the next ones from being much longer. */
static Status end_earlier(Watch *w, Solver *s, real t)
{
    real before = s->t;
    w->reach = cosy_abs(t - s->t0);
    return real_point(w, s, t) == STATUS_OK ? STATUS_OK
                                            : real_point(w, s, before);
}

/* A condition may oscillate while the states rest, SIN(TIME) say, and steps
   grow over whole periods of it. A step over which a condition near its zero is
   not a smooth curve ends at a quarter; `reach` keeps the next ones from
   getting that far. */
static Status shorten(Watch *w, Solver *s)
{
    for (int i = 0; i < 4 && too_rough(w, s); i++)
        TRY(end_earlier(w, s, s->t0 + (s->t - s->t0) / R(4.0)));
    return STATUS_OK;
}

/* Examines a step with conditions. */
static Status look(Watch *w, Solver *s, bool *crossed)
{
    uint32_t count;
    Search found = {0};
    TRY(watch_evaluate(w, s->t, s->x, s->dx, &count));
    if (count != w->count)
        return STATUS_MODEL;
    if (s->options.step == R(0.0))
        TRY(shorten(w, s));
    for (int i = 0; i < 4; i++) {
        TRY(first_crossing(w, s, &found));
        if (found.crossed || !found.doubts || s->options.step != R(0.0))
            break;
        TRY(end_earlier(w, s, found.doubt));
    }
    /* Looks in between have overwritten what was seen at the far end. */
    if (found.crossed)
        TRY(locate(w, s, &found.first));
    else
        memcpy(w->seen.bytes, row_of(w, ROW_FAR),
               w->count * sizeof(CosyCondition));
    *crossed = accept(w, s);
    return STATUS_OK;
}

Status watch_step(Watch *w, Solver *s, bool *crossed)
{
    *crossed = false;
    return w->count == 0 ? STATUS_OK : look(w, s, crossed);
}

/* ---- Models that end at a threshold ------------------------------------------ */

#define EDGE R(4096.0) // last places of time

/* Time to the zero of a hidden condition along its derivative; COSY_NEVER if it
   does not get there. */
static real time_to_zero(const Watch *w, const Watched *e, int direction)
{
    real left = -e->z / e->dz * (real)direction;
    bool goes = hidden(w, e) && e->stand == STAND_ARMED && left >= R(0.0);
    return goes ? left : COSY_NEVER;
}

bool watch_edge(Watch *w, Solver *s, real limit)
{
    assert((limit - s->t) * (real)s->direction > R(0.0));
    real way = COSY_NEVER;
    uint32_t first = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        real left = time_to_zero(w, &entries(w)[k], s->direction);
        if (left < way) {
            way = left;
            first = k;
        }
    }
    if (way > EDGE * time_ulp(s->t))
        return false;
    real t = s->t + s->direction * (R(2.0) * way + R(8.0) * time_ulp(s->t));
    if ((t - limit) * (real)s->direction > R(0.0))
        t = limit;
    s->t0 = s->t;
    memcpy(s->x0, s->x, s->n * sizeof(real));
    for (uint32_t i = 0; i < s->n; i++)
        s->x[i] += (t - s->t) * s->dx[i];
    s->t = t;
    entries(w)[first].fired = 1;
    return true;
}
