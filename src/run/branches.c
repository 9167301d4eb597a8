#include <assert.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/copies.h"
#include "run/loop_failure.h"
#include "run/run.h"
#include "solve/branch.h"
#include "solve/linear.h"

/* The branches of hidden relations at one instant: every equation reads the side
   on which its relations stand, and these read what the equations give. Where a
   relation is part of an algebraic loop, sides and unknowns have to be found
   together.

   Sides follow the point until nothing changes. If they go round instead, they
   are looked for among those that have been in doubt (branches_search). A point
   that lies on an edge, except for rounding errors, is on both sides of it. */

#define MEMORIES_SETTLE 20 // rounds of relations and what is kept

/* The relation at this place, and which of its elements, counted over all
   copies; COSY_NONE if it has only one. */
static const CosyRelation *relation_at(const Cosy *c, uint32_t place,
                                       uint32_t *element)
{
    const CosyModel *m = c->model;
    uint32_t process = 0, position = 0;
    for (uint32_t p = 0; p < m->n_copies && place >= m->branches; p++) {
        uint32_t n = m->copies[p].branches;
        if (n == 0 || place - c->copy[p].branch >= c->copy[p].active * n)
            continue;
        process = p + 1;
        position = (place - c->copy[p].branch) / n;
        place = (place - c->copy[p].branch) % n;
        break;
    }
    const CosyRelation *k = m->relations_info;
    while (k->process != process || place - k->first >= k->count)
        k++;
    *element = process        ? position * k->count + place - k->first
               : k->count > 1 ? place - k->first
                              : COSY_NONE;
    return k;
}

/* A branch has followed what has happened: that too is an event. */
static Status tell_change(Run *r, uint32_t place)
{
    const CosyModel *m = r->model;
    uint32_t element;
    const CosyRelation *k = relation_at(r->c, place, &element);
    uint32_t which = (uint32_t)(k - m->relations_info);
    uint64_t detail = element == COSY_NONE ? COSY_NONE
                      : k->process
                          ? copy_detail(r->c, k->process - 1, k->count, element)
                          : (uint64_t)element + 1;
    if (COSY_RARELY(r->options.tracer != NULL))
        trace_event(r->options.tracer, r->c, LOG_HIDDEN, which, detail);
    return record_event(&r->record, LOG_HIDDEN, which, detail, r->c->head->t);
}

/* Brings the branches nearer to `wanted`, by one place if `one`; otherwise all
   at once, as long as that has not been tried too often. */
static void branches_follow(Run *r, const int32_t *wanted, bool one)
{
    uint32_t n = instance_branches(&r->instance);
    for (uint32_t k = 0; k < n; k++)
        if (r->c->branch[k] != wanted[k]) {
            r->c->branch[k] = wanted[k];
            if (one)
                return;
        }
}

Status run_branches_wanted(Run *r, int32_t **wanted)
{
    Cosy *c = r->c;
    *wanted = (int32_t *)(void *)r->wanted.bytes;
    CosyStatus status = r->model->relations(c, c->head->t, c->x, *wanted);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "a relation");
}

/* The fault that no configuration agrees with itself, with the first place that
   does not. */
static Status unsettled(Run *r, const int32_t *wanted)
{
    const CosyModel *m = r->model;
    uint32_t place = 0;
    while (place + 1 < instance_branches(&r->instance) &&
           wanted[place] == r->c->branch[place])
        place++;
    uint32_t element;
    const CosyRelation *k = relation_at(r->c, place, &element);
    return fault_set(&r->fault, STATUS_EVENT_LOOP,
                     "%s:%u: time %.17g%s%s: no side of %s agrees with the "
                     "equations that follow from it",
                     m->source, k->line, (double)r->c->head->t,
                     COSY_IN_TIME(r->model), k->text);
}

static bool settled(const Run *r, const int32_t *wanted)
{
    return memcmp(wanted, r->c->branch,
                  instance_branches(&r->instance) * sizeof *wanted) == 0;
}

/* ---- Edges ----------------------------------------------------------------------- */

#define EDGE R(16384.0) // times the last place: rounding errors of a loop

static uint32_t place_of(const Cosy *c, const CosyCondition *k)
{
    return branch_place(c, c->model->conditions_info[k->id].event, k->copy);
}

/* How z would change if the states, with signs of all kinds, and the time were
   their own size: what its rounding errors are measured by. */
static bool edge_rates(Run *r, real *size, CosyCondition *list, real *v)
{
    const CosyModel *m = r->model;
    Cosy *c = r->c;
    uint32_t count, n = c->head->states, seed = 12345;
    real t = cosy_abs(c->head->t);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = round == 0 ? R(0.0) : seed >> 31 ? c->x[i] : -c->x[i];
        }
        if (m->conditions(c, c->head->t, c->x, v, list, &count) != COSY_OK)
            return false;
        for (uint32_t k = 0; k < count; k++) {
            if (m->conditions_info[list[k].id].kind != COSY_HIDDEN)
                continue;
            real rate = cosy_abs(list[k].dz) * (round ? R(1.0) : t);
            real *to = &size[place_of(r->c, &list[k])];
            *to = cosy_max(*to, cosy_finite(rate) ? rate : R(0.0));
        }
    }
    return true;
}

/* For every place how far the point is from its edge, in units of rounding
   errors; COSY_REAL_MAX where that is not known. */
static Status edge_distances(Run *r, real **distance)
{
    const CosyModel *m = r->model;
    uint32_t n = instance_branches(&r->instance), states = r->c->head->states;
    size_t lists = (r->watch.room + (size_t)1) * sizeof(CosyCondition);
    if (!vector_fit(&r->edges,
                    lists + (2 * (size_t)n + states + 1) * sizeof(real)))
        return STATUS_MEMORY;
    CosyCondition *list = (CosyCondition *)(void *)r->edges.bytes;
    real *size = (real *)(void *)(r->edges.bytes + lists);
    real *v = size + 2 * n;
    uint32_t count = 0;
    *distance = size + n;
    for (uint32_t p = 0; p < n; p++) {
        size[p] = R(0.0);
        (*distance)[p] = COSY_REAL_MAX;
    }
    if (!m->conditions || !r->watch.room || !edge_rates(r, size, list, v))
        return STATUS_OK;
    memset(v, 0, states * sizeof *v);
    if (m->conditions(r->c, r->c->head->t, r->c->x, v, list, &count))
        return STATUS_OK;
    for (uint32_t k = 0; k < count; k++) {
        if (m->conditions_info[list[k].id].kind != COSY_HIDDEN)
            continue;
        uint32_t p = place_of(r->c, &list[k]);
        real unit = EDGE * COSY_EPSILON * size[p];
        real far = list[k].z == R(0.0) ? R(0.0) : cosy_abs(list[k].z) / unit;
        (*distance)[p] = cosy_min((*distance)[p], far);
    }
    return STATUS_OK;
}

/* Whether all branches are as wanted, or the point lies on their edge. */
static Status agrees(Run *r, const int32_t *wanted, bool *yes)
{
    real *distance;
    *yes = settled(r, wanted);
    if (*yes)
        return STATUS_OK;
    TRY(edge_distances(r, &distance));
    *yes = true;
    for (uint32_t p = 0; p < instance_branches(&r->instance); p++)
        *yes = *yes && (wanted[p] == r->c->branch[p] || distance[p] <= R(1.0));
    return STATUS_OK;
}

/* Sides have changed from those before: each of them is an event, except at the
   start. */
static Status tell_changes(Run *r, const int32_t *before)
{
    for (uint32_t p = 0;
         r->state.started && p < instance_branches(&r->instance); p++)
        if (r->c->branch[p] != before[p])
            TRY(tell_change(r, p));
    return STATUS_OK;
}

/* ---- Sides that go round ------------------------------------------------------------ */

#define SEARCH_PLACES 10 // as many in doubt are tried in all combinations
#define FAILED_PLACES 6  // as many are doubted where there is no solution

/* The places whose sides are in doubt. */
typedef struct Doubt {
    int32_t *before;   // sides before the search
    int32_t *other;    // the other ones
    uint32_t *place;   // places in doubt,
    uint32_t count;    // so many
    CosyStatus failed; // the first failure of the model, or COSY_OK
} Doubt;

static void doubt_add(Doubt *d, uint32_t place, int32_t side)
{
    uint32_t k = 0;
    if (side == d->before[place])
        return;
    d->other[place] = side;
    while (k < d->count && d->place[k] != place)
        k++;
    if (k == d->count)
        d->place[d->count++] = place;
}

/* Solves with the present sides: do they agree with what follows? */
static Status attempt(Run *r, Doubt *d, int32_t **wanted, bool *yes)
{
    Cosy *c = r->c;
    *yes = false;
    *wanted = (int32_t *)(void *)r->wanted.bytes;
    CosyStatus status = r->model->relations(c, c->head->t, c->x, *wanted);
    if (status != COSY_OK) {
        if (d->failed == COSY_OK)
            d->failed = status;
        memcpy(*wanted, c->branch,
               instance_branches(&r->instance) * sizeof **wanted);
        return STATUS_OK;
    }
    for (uint32_t p = 0; p < instance_branches(&r->instance); p++)
        doubt_add(d, p, (*wanted)[p]);
    return agrees(r, *wanted, yes);
}

/* Always the first place that does not agree changes (Murty, Note on a Bard-type
   scheme for solving the complementarity problem, Opsearch 11, 1974): that comes
   to an end where sides and unknowns belong to each other uniquely. */
static Status search_one_by_one(Run *r, Doubt *d, bool *yes)
{
    uint32_t n = instance_branches(&r->instance);
    int32_t *wanted, *branch = r->c->branch;
    memcpy(branch, d->before, n * sizeof *branch);
    for (uint32_t k = 0; k < 8 * n + 64; k++) {
        uint32_t p = 0;
        TRY(attempt(r, d, &wanted, yes));
        while (p < n && wanted[p] == branch[p])
            p++;
        if (*yes || p == n)
            return STATUS_OK;
        branch[p] = wanted[p];
    }
    return STATUS_OK;
}

/* Those nearest to their edge come first. */
static Status doubt_sort(Run *r, Doubt *d)
{
    real *distance;
    memcpy(r->c->branch, d->before,
           instance_branches(&r->instance) * sizeof *d->before);
    TRY(edge_distances(r, &distance));
    for (uint32_t k = 1; k < d->count; k++)
        for (uint32_t j = k; j > 0; j--) {
            uint32_t a = d->place[j - 1], b = d->place[j];
            if (distance[a] <= distance[b])
                break;
            d->place[j - 1] = b;
            d->place[j] = a;
        }
    return STATUS_OK;
}

static uint32_t bits_of(uint32_t a)
{
    uint32_t n = 0;
    for (; a; a &= a - 1)
        n++;
    return n;
}

static void take_sides(Run *r, const Doubt *d, uint32_t bits)
{
    memcpy(r->c->branch, d->before,
           instance_branches(&r->instance) * sizeof *d->before);
    for (uint32_t k = 0; k < d->count && k < 32; k++)
        if (bits >> k & 1u)
            r->c->branch[d->place[k]] = d->other[d->place[k]];
}

/* All combinations of the first places in doubt, those with few changes
   first. */
static Status search_all(Run *r, Doubt *d, bool *yes)
{
    int32_t *wanted;
    uint32_t many = d->count < SEARCH_PLACES ? d->count : SEARCH_PLACES;
    TRY(doubt_sort(r, d));
    for (uint32_t flips = 0; flips <= many && !*yes; flips++)
        for (uint32_t bits = 0; bits < 1u << many && !*yes; bits++)
            if (bits_of(bits) == flips) {
                take_sides(r, d, bits);
                TRY(attempt(r, d, &wanted, yes));
            }
    return STATUS_OK;
}

/* The equations have no solution on the present sides, which therefore say
   nothing of others: A*ABS(A) = 5 has none while A counts as negative. All other
   sides are tried at once, and followed from there; then each is in doubt. */
static Status search_others(Run *r, Doubt *d, bool *yes)
{
    uint32_t n = instance_branches(&r->instance);
    int32_t *wanted, *branch = r->c->branch;
    for (uint32_t p = 0; p < n; p++)
        branch[p] = d->before[p] == 0 ? 1 : d->before[p] == 1 ? 0 : branch[p];
    for (uint32_t k = 0; k < n + 8; k++) {
        TRY(attempt(r, d, &wanted, yes));
        if (*yes || settled(r, wanted))
            break;
        branches_follow(r, wanted, false);
    }
    for (uint32_t p = 0; p < n && d->count < FAILED_PLACES && !*yes; p++)
        if (d->before[p] == 0 || d->before[p] == 1)
            doubt_add(d, p, 1 - d->before[p]);
    return STATUS_OK;
}

/* Looks for sides that agree with the point. */
static Status branches_search(Run *r)
{
    uint32_t n = instance_branches(&r->instance);
    int32_t *before = (int32_t *)(void *)r->sides.bytes, *wanted;
    Doubt d = {.before = before, .other = before + n};
    d.place = (uint32_t *)(void *)(before + 2 * n);
    bool yes = false;
    TRY(search_one_by_one(r, &d, &yes));
    if (!yes && d.failed != COSY_OK)
        TRY(search_others(r, &d, &yes));
    if (!yes)
        TRY(search_all(r, &d, &yes));
    if (yes)
        return tell_changes(r, before);
    memcpy(r->c->branch, before, n * sizeof *before);
    if (d.failed != COSY_OK)
        return run_body_failed(r, d.failed, "a relation");
    TRY(run_branches_wanted(r, &wanted));
    return unsettled(r, wanted);
}

/* Sides follow the point, all at once and then one by one. */
static Status branches_settle(Run *r)
{
    Cosy *c = r->c;
    uint32_t n = instance_branches(&r->instance);
    int32_t *wanted = (int32_t *)(void *)r->wanted.bytes;
    if (!vector_fit(&r->sides, 3 * (size_t)n * sizeof(int32_t)))
        return STATUS_MEMORY;
    int32_t *before = (int32_t *)(void *)r->sides.bytes;
    memcpy(before, c->branch, n * sizeof *wanted);
    for (uint32_t k = 0; k < 4 * n + 8; k++) {
        if (r->model->relations(c, c->head->t, c->x, wanted) != COSY_OK)
            break;
        if (settled(r, wanted))
            return k ? tell_changes(r, before) : STATUS_OK;
        branches_follow(r, wanted, k > n + 1);
    }
    return branches_search(r);
}

/* ---- Consistent values ---------------------------------------------------------------- */

CosyStatus run_outputs(Run *r)
{
    const Cosy *c = r->c;
    BlockRoom *room = &r->instance.blocks;
    room->kept = NULL;
    CosyStatus status =
        r->model->outputs ? r->model->outputs(r->c, c->head->t, c->x) : COSY_OK;
    if (COSY_RARELY(r->model->n_copies != 0) && status == COSY_OK)
        copies_computed(&r->instance);
    if (COSY_RARELY(room->kept && !r->state.kept_told) && status == COSY_OK)
        loop_tell_kept(r);
    return status;
}

Status run_present_outputs(Run *r)
{
    CosyStatus status = run_outputs(r);
    return status == COSY_OK ? STATUS_OK
                             : run_body_failed(r, status, "an equation");
}

/* What memory functions keep changes with the outputs, and relations may read
   it: they are evaluated again until they agree. */
Status run_consistent(Run *r)
{
    const CosyModel *m = r->model;
    int32_t *wanted = NULL;
    bool yes;
    if (!m->relations || instance_branches(&r->instance) == 0)
        return run_present_outputs(r);
    for (uint32_t k = 0; k < MEMORIES_SETTLE; k++) {
        TRY(branches_settle(r));
        TRY(run_present_outputs(r));
        TRY(run_branches_wanted(r, &wanted));
        yes = settled(r, wanted);
        if (!yes && k > 1) // once more was no better: is it an edge?
            TRY(agrees(r, wanted, &yes));
        if (yes)
            return STATUS_OK;
    }
    return unsettled(r, wanted);
}
