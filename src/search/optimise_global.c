/* Searches over the whole of the bounds. */

#include <assert.h>

#include "search/optimise_own.h"
#include "search/points.h"

/* Local searches from the best of many points. Which of these begin is known before the
   first does; they go on side by side. */
typedef struct Starts {
    BestSearch *s;
    uint64_t first; // number of the first point
    uint32_t points;
    real *z, *value, *violation;
    bool *taken;
    Seeker *seeker;
    uint32_t seekers;
} Starts;

static Status make(Starts *t)
{
    BestSearch *s = t->s;
    size_t n = s->q->n, left = ledger_left(&s->ledger);
    Arena *a = s->arena;
    size_t points = 32 * (n + 1);
    points = points < left / 3 ? points : left / 3;
    t->points = points > 0 ? (uint32_t)points : 1;
    t->seekers = n < 7 ? 2 * ((uint32_t)n + 1) : 16;
    if (t->seekers > t->points)
        t->seekers = t->points;
    t->z = NEW_ARRAY(a, real, t->points * n);
    t->value = NEW_ARRAY(a, real, t->points);
    t->violation = NEW_ARRAY(a, real, t->points);
    t->taken = NEW_ARRAY(a, bool, t->points);
    t->seeker = NEW_ARRAY(a, Seeker, t->seekers);
    if (t->z == NULL || t->value == NULL || t->violation == NULL ||
        t->taken == NULL || t->seeker == NULL)
        return STATUS_MEMORY;
    return STATUS_OK;
}

/* The start is the first of the points. */
static void spread(Starts *t)
{
    BestSearch *s = t->s;
    uint32_t n = s->q->n;
    PointPlan plan = {n <= SOBOL_DIMENSIONS ? POINTS_SOBOL_OWEN : POINTS_LATIN,
                      n, t->first + t->points, s->q->seed};
    for (uint32_t k = 0; k < t->points; k++) {
        real *z = t->z + (size_t)k * n;
        points_at(&plan, t->first + k, z);
        for (uint32_t i = 0; i < n; i++)
            z[i] = best_low(s, i) + z[i] * (best_high(s, i) - best_low(s, i));
    }
    if (s->q->start != NULL && t->first == 0)
        best_z(s, s->q->start, t->z);
}

static Status evaluate(Starts *t)
{
    BestSearch *s = t->s;
    size_t n = s->q->n, results = s->constraints + (size_t)1;
    Arena *a = s->arena;
    real *p = NEW_ARRAY(a, real, t->points * n);
    real *out = NEW_ARRAY(a, real, t->points * results);
    Status *each = NEW_ARRAY(a, Status, t->points);
    if (p == NULL || out == NULL || each == NULL)
        return STATUS_MEMORY;
    for (size_t k = 0; k < t->points; k++)
        best_point(s, t->z + k * n, p + k * n);
    TRY(ledger_many(&s->ledger, t->points, p, out, each));
    for (size_t k = 0; k < t->points; k++) {
        t->taken[k] = each[k] != STATUS_OK;
        t->value[k] = best_value(s, out + k * results);
        t->violation[k] = best_violation(s, out + k * results);
    }
    return STATUS_OK;
}

/* Squared distance in the unit cube. */
static real distance(const BestSearch *s, const real *a, const real *b)
{
    real sum = R(0.0);
    for (uint32_t i = 0; i < s->q->n; i++)
        sum += cosy_square((a[i] - b[i]) / (best_high(s, i) - best_low(s, i)));
    return sum;
}

/* The next best point; its neighbours, which would lead to the same optimum, are not
   taken any more. */
static bool next_start(Starts *t, uint32_t *best)
{
    const Ledger *l = &t->s->ledger;
    uint32_t n = t->s->q->n;
    real near = cosy_pow((real)t->points, R(-1.0) / (real)n) / R(2.0);
    bool found = false;
    for (uint32_t k = 0; k < t->points; k++) {
        if (t->taken[k] ||
            (found && !ledger_better(l, t->value[k], t->violation[k],
                                     t->value[*best], t->violation[*best])))
            continue;
        *best = k;
        found = true;
    }
    for (uint32_t k = 0; found && k < t->points; k++)
        t->taken[k] |= distance(t->s, t->z + (size_t)k * n,
                                t->z + (size_t)*best * n) <= near * near;
    return found;
}

static BestMethod method_of(const BestSearch *s)
{
    if (s->constraints > 0)
        return BEST_SLSQP;
    return s->q->n == 1 ? BEST_BRENT : BEST_BOBYQA;
}

static Status place(Starts *t)
{
    BestSearch *s = t->s;
    uint32_t n = s->q->n, best = 0, seekers = 0;
    double step = 0.5 * pow((double)t->points, -1.0 / (double)(n < 4 ? n : 4));
    while (seekers < t->seekers && next_start(t, &best)) {
        Seeker *k = &t->seeker[seekers++];
        TRY(seeker_make(k, s, method_of(s)));
        for (uint32_t i = 0; i < n; i++)
            k->start[i] = (double)t->z[(size_t)best * n + i];
        k->step = step;
        k->tolerance = 1e-3;
        k->most = 100 * (n + (size_t)1);
    }
    t->seekers = seekers;
    return STATUS_OK;
}

static void sit(void *user, Meeting *m, uint32_t seat)
{
    Starts *t = user;
    Seeker *k = &t->seeker[seat];
    k->meeting = m;
    k->seat = seat;
    (void)seek(k); // the meeting knows what ended it
}

/* One round of points and searches. */
static Status round_of(BestSearch *s, uint64_t *first)
{
    Starts t = {.s = s, .first = *first};
    TRY(make(&t));
    spread(&t);
    TRY(evaluate(&t));
    *first += t.points;
    TRY(place(&t));
    if (t.seekers == 0)
        return STATUS_OK;
    const MeetingPlan plan = {t.seekers, 2 * (size_t)s->q->n + SEEKER_MANY, sit,
                              &t};
    return meeting_hold(&s->ledger, s->arena, &plan);
}

/* Rounds until two in a row have found nothing better, or two thirds of the trials are
   used. */
static Status seek_from_many(BestSearch *s)
{
    enum { IN_VAIN = 2 };
    uint64_t first = 0;
    size_t reserve = ledger_left(&s->ledger) / 3;
    int in_vain = 0;
    while (in_vain < IN_VAIN && ledger_left(&s->ledger) > reserve) {
        bool found = s->ledger.found;
        SearchPoint best = {0};
        if (found)
            best = ledger_best(&s->ledger);
        ArenaMark mark = arena_mark(s->arena);
        TRY(round_of(s, &first));
        arena_rewind(s->arena, mark);
        if (!s->ledger.found)
            return STATUS_OK; // all trials fail
        SearchPoint now = ledger_best(&s->ledger);
        real least = R(1e-4) * (cosy_abs(now.value) + cosy_abs(best.value));
        bool better = !found || now.violation < best.violation ||
                      now.value < best.value - least;
        in_vain = better ? 0 : in_vain + 1;
    }
    return STATUS_OK;
}

/* What is left after two thirds of the trials is for the local search. */
Status seek_everywhere(BestSearch *s, BestMethod method)
{
    Seeker k;
    if (method == BEST_MULTISTART)
        return seek_from_many(s);
    TRY(seeker_make(&k, s, method));
    for (uint32_t i = 0; i < s->q->n; i++)
        k.start[i] = (double)((best_low(s, i) + best_high(s, i)) / R(2.0));
    if (s->q->start != NULL) {
        best_z(s, s->q->start, k.z);
        for (uint32_t i = 0; i < s->q->n; i++)
            k.start[i] = (double)k.z[i];
    }
    k.step = 0.25;
    k.tolerance = 1e-3;
    k.most = ledger_left(&s->ledger) / 3 * 2;
    return seek(&k);
}
