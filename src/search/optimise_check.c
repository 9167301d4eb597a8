/* Whether neighbours of the best point are better, at distances from far to near: in the
   directions of the coordinates, and along the conditions that hold with little to
   spare. Where one is, it is the next centre. Nothing is claimed of an answer that has
   not passed here: the methods before may have been led astray. */

#include <assert.h>

#include "search/optimise_own.h"
#include "search/svd.h"

enum { MOST_LOOKS = 80 };

typedef struct Check {
    BestSearch *s;
    uint32_t n, results, count, active;
    real *z, *out; // the centre, and its results
    size_t row;    // of the centre in the history
    real *points, *p, *batch;
    Status *each;
    uint32_t *which; // active conditions
    real *slope;     // of these, one column each
    real *u, *value, *v;
    real *direction;
    uint32_t *from; // first of the points of each coordinate
    bool improved;  // by the last look
    bool noisy;     // its points and the centre differ by noise only
} Check;

static Status make(Check *c, BestSearch *s)
{
    uint32_t n = s->q->n, results = s->constraints + 1;
    size_t most = 2 * (size_t)n + 2, slopes = (size_t)n * s->constraints + 1;
    Arena *a = s->arena;
    *c = (Check){.s = s,
                 .n = n,
                 .results = results,
                 .z = NEW_ARRAY(a, real, n),
                 .out = NEW_ARRAY(a, real, results),
                 .points = NEW_ARRAY(a, real, most * n),
                 .p = NEW_ARRAY(a, real, most * n),
                 .batch = NEW_ARRAY(a, real, most * results),
                 .each = NEW_ARRAY(a, Status, most),
                 .which = NEW_ARRAY(a, uint32_t, results),
                 .slope = NEW_ARRAY(a, real, slopes),
                 .u = NEW_ARRAY(a, real, slopes),
                 .direction = NEW_ARRAY(a, real, n),
                 .from = NEW_ARRAY(a, uint32_t, n + (size_t)1),
                 .value = NEW_ARRAY(a, real, results),
                 .v = NEW_ARRAY(a, real, (size_t)results * results)};
    if (!c->z || !c->out || !c->points || !c->p || !c->batch || !c->each ||
        !c->which || !c->slope || !c->u || !c->value || !c->v ||
        !c->direction || !c->from)
        return STATUS_MEMORY;
    return STATUS_OK;
}

static void take_centre(Check *c, size_t row)
{
    SearchPoint best = search_point(&c->s->answer->history, row);
    best_z(c->s, best.p, c->z);
    memcpy(c->out, best.out, c->results * sizeof *c->out);
    c->row = row;
}

/* The centre, moved; what lies beyond a bound goes to the bound. False: it is the centre
   itself. */
static bool add(Check *c, const real *d, real length)
{
    real *at = c->points + (size_t)c->count * c->n, moved = R(0.0);
    for (uint32_t i = 0; i < c->n; i++) {
        real to = c->z[i] + length * d[i];
        at[i] = cosy_max(cosy_min(to, best_high(c->s, i)), best_low(c->s, i));
        moved = cosy_max(moved, cosy_abs(at[i] - c->z[i]));
    }
    if (!(moved > R(0.0)))
        return false;
    c->count++;
    return true;
}

/* ---- One batch ------------------------------------------------------------------------ */

/* A neighbour that is better by more than noise, and no less allowed. */
static bool beats(const Check *c, const real *out)
{
    const BestSearch *s = c->s;
    real allowed = cosy_max(best_violation(s, c->out), R(100.0) * COSY_EPSILON);
    return best_violation(s, out) <= allowed &&
           best_value(s, out) < best_value(s, c->out) - R(4.0) * s->noise;
}

/* Evaluates the points; the best one that beats the centre is where the search goes
   next: *row, if it is not the centre's. */
static Status evaluate(Check *c, size_t *row)
{
    BestSearch *s = c->s;
    size_t first = s->answer->history.count;
    real lowest = COSY_INFINITY;
    for (uint32_t k = 0; k < c->count; k++)
        best_point(s, c->points + (size_t)k * c->n, c->p + (size_t)k * c->n);
    if (ledger_left(&s->ledger) < c->count)
        return STATUS_LIMIT;
    TRY(ledger_many(&s->ledger, c->count, c->p, c->batch, c->each));
    for (uint32_t k = 0; k < c->count; k++) {
        const real *out = c->batch + (size_t)k * c->results;
        if (c->each[k] != STATUS_OK)
            continue;
        real value = best_value(s, out);
        bool noise =
            cosy_abs(value - best_value(s, c->out)) <= R(4.0) * s->noise;
        c->noisy = c->noisy && noise;
        if (!beats(c, out) || !(value < lowest))
            continue;
        lowest = value;
        *row = first + k;
    }
    s->ledger.best = c->row; // a slight violation makes no better point
    return STATUS_OK;
}

/* ---- Conditions ----------------------------------------------------------------------- */

/* Derivatives of all conditions along coordinate i, by its points: at most two from
   `from` on. */
static void take_slopes(Check *c, uint32_t i, uint32_t from, uint32_t to)
{
    real best = R(0.0);
    for (uint32_t k = from; k < to; k++) {
        real dz = c->points[(size_t)k * c->n + i] - c->z[i];
        const real *out = c->batch + (size_t)k * c->results;
        if (c->each[k] != STATUS_OK || cosy_abs(dz) <= best)
            continue;
        best = cosy_abs(dz);
        for (uint32_t r = 0; r < c->s->constraints; r++)
            c->slope[(size_t)r * c->n + i] =
                (best_constraint(c->s, out, r) -
                 best_constraint(c->s, c->out, r)) /
                dz;
    }
}

/* Keeps the slopes of the conditions that a step of this length may reach. */
static void choose_active(Check *c, real length)
{
    c->active = 0;
    for (uint32_t r = 0; r < c->s->constraints && c->active < c->n; r++) {
        const real *slope = c->slope + (size_t)r * c->n;
        real value = best_constraint(c->s, c->out, r);
        real norm = vector_norm(c->n, slope);
        bool near = r >= c->s->q->inequalities || value > -length * norm;
        if (!near || !(norm > R(0.0)))
            continue;
        memmove(c->slope + (size_t)c->active * c->n, slope,
                c->n * sizeof *slope);
        c->which[c->active++] = r;
    }
    memcpy(c->u, c->slope, (size_t)c->active * c->n * sizeof *c->u);
    if (c->active > 0)
        svd_make(c->n, c->active, c->u, c->value, c->v);
}

/* Takes from d what changes active conditions. */
static void project(const Check *c, real *d)
{
    for (uint32_t k = 0; k < c->active; k++) {
        const real *u = c->u + (size_t)k * c->n;
        real share = R(0.0);
        if (!(c->value[k] > R(1e-8) * c->value[0]))
            continue;
        for (uint32_t i = 0; i < c->n; i++)
            share += u[i] * d[i];
        for (uint32_t i = 0; i < c->n; i++)
            d[i] -= share * u[i];
    }
}

/* Moves point k so that its active conditions hold, inequalities with a little to
   spare for what is left of the curvature. */
static void restore(const Check *c, uint32_t k)
{
    const BestSearch *s = c->s;
    const real *out = c->batch + (size_t)k * c->results;
    real *at = c->points + (size_t)k * c->n;
    for (uint32_t j = 0; j < c->active; j++) {
        if (!(c->value[j] > R(1e-8) * c->value[0]))
            continue;
        real share = R(0.0);
        for (uint32_t r = 0; r < c->active; r++) {
            real value = best_constraint(s, out, c->which[r]);
            bool below = c->which[r] < s->q->inequalities;
            real excess = !below            ? value
                          : value <= R(0.0) ? R(0.0)
                                            : value + value * value;
            share += excess * c->v[r + (size_t)j * c->active];
        }
        for (uint32_t i = 0; i < c->n; i++)
            at[i] -= share / c->value[j] * c->u[i + (size_t)j * c->n];
    }
    for (uint32_t i = 0; i < c->n; i++)
        at[i] = cosy_max(cosy_min(at[i], best_high(s, i)), best_low(s, i));
}

/* Along the conditions: both sides of every coordinate, without what would leave them,
   and once more with what they curve taken back. */
static Status look_along(Check *c, real length, size_t *row)
{
    real *d = c->direction;
    c->count = 0;
    for (uint32_t i = 0; i < c->n; i++)
        for (int side = -1; side <= 1; side += 2) {
            memset(d, 0, c->n * sizeof *d);
            d[i] = (real)side;
            project(c, d);
            real norm = vector_norm(c->n, d);
            if (norm > R(0.01))
                add(c, d, length / norm);
        }
    if (c->count == 0)
        return STATUS_OK;
    TRY(evaluate(c, row));
    for (uint32_t k = 0; k < c->count; k++)
        if (c->each[k] == STATUS_OK)
            restore(c, k);
    return evaluate(c, row);
}

/* ---- Looks ----------------------------------------------------------------------------- */

/* What changes a result at any distance has an effect; what leaves all alike on one side
   makes the answer one of many. */
static void note_effect(Check *c, uint32_t i, uint32_t from, uint32_t to)
{
    size_t bytes = c->results * sizeof *c->out;
    for (uint32_t k = from; k < to; k++) {
        const real *out = c->batch + (size_t)k * c->results;
        bool same = c->each[k] == STATUS_OK && memcmp(out, c->out, bytes) == 0;
        c->s->still[i] |= same;
        c->s->answer->idle[i] &= same;
        c->s->edge |= c->each[k] != STATUS_OK;
    }
}

static Status look_around(Check *c, real length, size_t *row)
{
    real *d = c->direction;
    uint32_t *from = c->from;
    c->count = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        from[i] = c->count;
        for (int side = -1; side <= 1; side += 2) {
            memset(d, 0, c->n * sizeof *d);
            d[i] = (real)side;
            add(c, d, length);
        }
    }
    from[c->n] = c->count;
    TRY(evaluate(c, row));
    memset(c->slope, 0, (size_t)c->n * c->s->constraints * sizeof *c->slope);
    for (uint32_t i = 0; i < c->n; i++) {
        take_slopes(c, i, from[i], from[i + 1]);
        note_effect(c, i, from[i], from[i + 1]);
    }
    choose_active(c, length);
    return STATUS_OK;
}

static Status look(Check *c, real length)
{
    size_t row = c->row;
    c->noisy = true;
    c->s->edge = false;
    TRY(look_around(c, length, &row));
    if (row == c->row && c->active > 0)
        TRY(look_along(c, length, &row));
    c->improved = row != c->row;
    take_centre(c, row);
    c->s->ledger.best = row;
    return STATUS_OK;
}

/* The first distance: far where a parameter seems to have no effect nearby. */
static real farthest(const BestSearch *s)
{
    for (uint32_t i = 0; i < s->q->n; i++)
        if (s->answer->idle[i])
            return R(0.3);
    return R(0.03);
}

/* A tolerance that was chosen for noise is left alone: noise ends the look by itself. */
static real reach(const BestSearch *s)
{
    return cosy_max(s->q->tolerance / R(4.0), R(1e-7));
}

static Status look_nearer(Check *c)
{
    BestSearch *s = c->s;
    real length = farthest(s);
    for (int looks = 0;; looks++) {
        real nearest = s->answer->polished ? R(3e-3) : reach(s);
        if (length < nearest && looks > 0)
            return STATUS_OK;
        if (looks == MOST_LOOKS) {
            s->better = true;
            return STATUS_OK;
        }
        TRY(look(c, cosy_max(length, nearest)));
        if (c->improved) {
            s->answer->polished = false;
            s->moved = true;
            length = cosy_min(length * R(2.0), R(0.3));
        } else if (c->noisy) {
            return STATUS_OK;
        } else {
            length /= R(4.0);
        }
    }
}

Status best_check(BestSearch *s)
{
    Check c;
    ArenaMark mark = arena_mark(s->arena);
    assert(s->ledger.found);
    TRY(make(&c, s));
    s->better = s->moved = false;
    take_centre(&c, s->ledger.best);
    Status end = look_nearer(&c);
    arena_rewind(s->arena, mark);
    return end;
}
