/* One search of a method: trials in coordinates, the best of them, and what stands
   for a trial that failed. */

#include <assert.h>

#include "search/optimise_own.h"

static bool allot(Arena *a, size_t n, real ***array, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if ((*array[k] = NEW_ARRAY(a, real, n)) == NULL)
            return false;
    return true;
}

Status seeker_make(Seeker *k, BestSearch *s, BestMethod method)
{
    size_t n = s->q->n, results = s->constraints + (size_t)1;
    Arena *a = s->arena;
    *k = (Seeker){.s = s, .method = method, .step = 0.1, .tolerance = 1e-6};
    double **const plain[] = {&k->start, &k->low, &k->high, &k->dz};
    real **points[] = {&k->best, &k->z, &k->slope_z};
    real **batches[] = {&k->p};
    for (size_t i = 0; i < LENGTH(plain); i++)
        if ((*plain[i] = NEW_ARRAY(a, double, n)) == NULL)
            return STATUS_MEMORY;
    k->feasible = NEW_ARRAY(a, double, results);
    k->each = NEW_ARRAY(a, Status, 2 * n + SEEKER_MANY);
    k->out = NEW_ARRAY(a, real, (2 * n + SEEKER_MANY) * results);
    k->slope = NEW_ARRAY(a, real, n * results);
    k->raw = NEW_ARRAY(a, real, n * results);
    if (k->feasible == NULL || k->each == NULL || k->out == NULL ||
        k->slope == NULL || k->raw == NULL ||
        !allot(a, n, points, LENGTH(points)) ||
        !allot(a, (2 * n + SEEKER_MANY) * n, batches, LENGTH(batches)))
        return STATUS_MEMORY;
    for (size_t i = 0; i < REMEMBERED; i++) {
        k->memory[i] = NEW_ARRAY(a, real, n);
        k->memory_out[i] = NEW_ARRAY(a, real, results);
        k->memory_slope[i] = NEW_ARRAY(a, real, n * results);
        if (k->memory[i] == NULL || k->memory_out[i] == NULL ||
            k->memory_slope[i] == NULL)
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

real seeker_value(const Seeker *k, const real *out, bool good)
{
    if (!good)
        return COSY_INFINITY;
    return k->goal == GOAL_VALUE ? best_value(k->s, out)
                                 : best_violation(k->s, out);
}

/* Remembers a point and compares it with the best. */
static void note(Seeker *k, const real *z, const real *out, bool good)
{
    const BestSearch *s = k->s;
    uint32_t at = k->remembered++ % REMEMBERED;
    memcpy(k->memory[at], z, s->q->n * sizeof *z);
    memcpy(k->memory_out[at], out, (s->constraints + 1) * sizeof *out);
    k->memory_good[at] = good;
    k->memory_sloped[at] = false;
    k->asked++;
    if (!good)
        return;
    real value = seeker_value(k, out, true);
    real violation = k->goal == GOAL_VALUE ? best_violation(s, out) : R(0.0);
    k->worst = k->found ? cosy_max(k->worst, value) : value;
    if (k->found &&
        !ledger_better(&s->ledger, value, violation, k->value, k->violation))
        return;
    k->found = true;
    k->value = value;
    k->violation = violation;
    memcpy(k->best, z, s->q->n * sizeof *z);
}

static bool is_remembered(const Seeker *k, const real *z, uint32_t *at)
{
    for (uint32_t i = 0; i < REMEMBERED && i < k->remembered; i++) {
        *at = (k->remembered - 1 - i) % REMEMBERED;
        if (memcmp(k->memory[*at], z, k->s->q->n * sizeof *z) == 0)
            return true;
    }
    return false;
}

/* Beyond all sizes there is nothing to be found. */
static bool is_beyond(const Seeker *k, const real *z)
{
    for (uint32_t i = 0; i < k->s->q->n; i++)
        if (cosy_abs(z[i] - (real)k->start[i]) > R(1e8))
            return true;
    return false;
}

Status seeker_trials(Seeker *k, size_t count, const real *p, real *out,
                     Status *each)
{
    if (k->meeting == NULL)
        return ledger_many(&k->s->ledger, count, p, out, each);
    const MeetingBatch batch = {count, p, out, each};
    return meeting_ask(k->meeting, k->seat, &batch);
}

/* A method that only asks for what it knows has lost its way. */
static Status repeat(Seeker *k)
{
    enum { PATIENCE = 1000 };
    if (++k->repeated > PATIENCE)
        k->end = STATUS_LIMIT;
    return k->end;
}

/* A method that asks for derivatives as well gets both from one trial. */
bool seeker_sloped(const Seeker *k)
{
    return k->s->slopes && k->meeting == NULL && k->goal == GOAL_VALUE &&
           (k->method == BEST_SLSQP || k->method == BEST_LBFGS);
}

static bool are_finite(size_t n, const real *x)
{
    for (size_t i = 0; i < n; i++)
        if (!cosy_finite(x[i]))
            return false;
    return true;
}

/* A trial whose results are numbers is good even where its derivatives are not. */
static Status ask_slopes(Seeker *k, const real *z)
{
    const BestSearch *s = k->s;
    size_t results = s->constraints + (size_t)1, all = results * s->q->n;
    Status each = STATUS_OK;
    k->end = ledger_slopes(&k->s->ledger, k->p, k->out, k->raw, &each);
    if (k->end != STATUS_OK)
        return k->end;
    note(k, z, k->out, are_finite(results, k->out));
    uint32_t at = (k->remembered - 1) % REMEMBERED;
    k->memory_sloped[at] = each == STATUS_OK;
    memcpy(k->memory_slope[at], k->raw, all * sizeof *k->raw);
    return STATUS_OK;
}

const real *seeker_slopes(const Seeker *k, const real *z)
{
    uint32_t at = 0;
    bool known = is_remembered(k, z, &at) && k->memory_sloped[at];
    return known ? k->memory_slope[at] : NULL;
}

static Status ask_new(Seeker *k, const real *z)
{
    Status each = STATUS_OK;
    k->repeated = 0;
    k->runaway = k->runaway || is_beyond(k, z);
    if (k->runaway || (k->most > 0 && k->asked >= k->most))
        return k->end = STATUS_LIMIT;
    best_point(k->s, z, k->p);
    if (seeker_sloped(k))
        return ask_slopes(k, z);
    k->end = seeker_trials(k, 1, k->p, k->out, &each);
    if (k->end == STATUS_OK)
        note(k, z, k->out, each == STATUS_OK);
    return k->end;
}

Status seeker_ask(Seeker *k, const real *z, const real **out, bool *good)
{
    uint32_t at = 0;
    if (k->end != STATUS_OK)
        return k->end;
    bool known = is_remembered(k, z, &at);
    TRY(known ? repeat(k) : ask_new(k, z));
    if (!known)
        at = (k->remembered - 1) % REMEMBERED;
    *out = k->memory_out[at];
    *good = k->memory_good[at];
    return STATUS_OK;
}

Status seeker_many(Seeker *k, size_t count, const real *z, real *value)
{
    BestSearch *s = k->s;
    size_t n = s->q->n, results = s->constraints + (size_t)1;
    assert(count <= 2 * n + SEEKER_MANY);
    if (k->end != STATUS_OK)
        return k->end;
    for (size_t i = 0; i < count; i++)
        best_point(s, z + i * n, k->p + i * n);
    if (count == 1 && seeker_sloped(k)) {
        TRY(ask_slopes(k, z));
        uint32_t at = (k->remembered - 1) % REMEMBERED;
        *value = seeker_value(k, k->out, k->memory_good[at]);
        return STATUS_OK;
    }
    k->end = seeker_trials(k, count, k->p, k->out, k->each);
    for (size_t i = 0; k->end == STATUS_OK && i < count; i++) {
        bool good = k->each[i] == STATUS_OK;
        value[i] = seeker_value(k, k->out + i * results, good);
        note(k, z + i * n, k->out + i * results, good);
    }
    return k->end;
}

/* What ends this seeker alone does not end the search. */
Status seek(Seeker *k)
{
    k->end = STATUS_OK;
    k->asked = k->repeated = 0;
    bool one = k->method == BEST_BRENT ||
               (k->method == BEST_BOBYQA && k->s->q->n == 1); // it needs two
    Status end = one ? seek_brent(k) : seek_nlopt(k);
    if (end == STATUS_LIMIT &&
        (k->runaway || (k->meeting == NULL && ledger_left(&k->s->ledger) > 0)))
        return STATUS_OK;
    return end;
}
