/* Points around the best one: what has no effect, how much noise there is, and whether
   a neighbour is better. */

#include <assert.h>

#include "search/noise.h"
#include "search/optimise_own.h"

/* Points of the line for the noise, besides the best one. */
enum { LINE = NOISE_LINE };

/* What is tried at the same time. */
typedef struct Probe {
    BestSearch *s;
    uint32_t n, results;
    real h;
    real *z, *p, *out;
    Status *each;
    uint32_t
        *sides; // first of the points of coordinate i; sides[n]: of the line
    uint32_t count;
    const real *best_z, *best_out;
    real best_value, best_violation;
} Probe;

static Status make(Probe *b, BestSearch *s)
{
    uint32_t n = s->q->n, results = s->constraints + 1;
    size_t most = 2 * (size_t)n + LINE;
    Arena *a = s->arena;
    real *at = NEW_ARRAY(a, real, n), *out = NEW_ARRAY(a, real, results);
    real widest = cosy_sqrt(cosy_sqrt(s->q->noise));
    *b = (Probe){.s = s,
                 .n = n,
                 .results = results,
                 .h = cosy_max(R(1e-3), widest),
                 .z = NEW_ARRAY(a, real, n),
                 .p = NEW_ARRAY(a, real, most * n),
                 .out = NEW_ARRAY(a, real, most * results),
                 .each = NEW_ARRAY(a, Status, most),
                 .sides = NEW_ARRAY(a, uint32_t, n + (size_t)1)};
    if (at == NULL || out == NULL || b->z == NULL || b->p == NULL ||
        b->out == NULL || b->each == NULL || b->sides == NULL)
        return STATUS_MEMORY;
    SearchPoint best = ledger_best(&s->ledger);
    best_z(s, best.p, at);
    memcpy(out, best.out, results * sizeof *out);
    b->best_z = at;
    b->best_out = out;
    b->best_value = best.value;
    b->best_violation = best.violation;
    return STATUS_OK;
}

static void add(Probe *b)
{
    best_point(b->s, b->z, b->p + (size_t)b->count * b->n);
    b->count++;
}

/* Both sides of every coordinate, as far as there are any. */
static void add_sides(Probe *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        b->sides[i] = b->count;
        for (int side = -1; side <= 1; side += 2) {
            real to = b->best_z[i] + (real)side * b->h;
            if (to < best_low(b->s, i) || to > best_high(b->s, i))
                continue;
            memcpy(b->z, b->best_z, b->n * sizeof *b->z);
            b->z[i] = to;
            add(b);
        }
    }
    b->sides[b->n] = b->count;
}

/* A short line away from the bounds, with all coordinates. */
static void add_line(Probe *b, int side)
{
    const real step = noise_step(b->n);
    for (int k = 1; k <= LINE; k++) {
        for (uint32_t i = 0; i < b->n; i++) {
            real away = (real)k * step;
            real last = b->best_z[i] + (real)side * (real)LINE * step;
            bool free = last <= best_high(b->s, i) && last >= best_low(b->s, i);
            b->z[i] = b->best_z[i] + (real)(free ? side : -side) * away;
        }
        add(b);
    }
}

/* Noise along a line of which one side is known. */
static bool line_noise(const Probe *b, uint32_t from, real *noise)
{
    real f[LINE + 1] = {b->best_value};
    for (uint32_t k = 0; k < LINE; k++) {
        if (b->each[from + k] != STATUS_OK)
            return false;
        f[k + 1] = best_value(b->s, b->out + (size_t)(from + k) * b->results);
    }
    *noise = noise_on_line(f);
    return true;
}

/* A jump on one side looks like noise; then the other side tells. */
static Status find_noise(Probe *b)
{
    BestSearch *s = b->s;
    real rounding = COSY_EPSILON * s->typical, noise, other;
    s->noise = cosy_max(s->q->noise * s->typical, rounding);
    if (!line_noise(b, b->sides[b->n], &noise))
        return STATUS_OK;
    if (noise > R(1e4) * rounding && ledger_left(&s->ledger) >= LINE) {
        b->count = b->sides[b->n];
        add_line(b, -1);
        uint32_t from = b->sides[b->n];
        size_t p = (size_t)from * b->n, out = (size_t)from * b->results;
        TRY(ledger_many(&s->ledger, LINE, b->p + p, b->out + out,
                        b->each + from));
        if (line_noise(b, from, &other))
            noise = cosy_min(noise, other);
    }
    s->noise = cosy_max(s->noise, noise);
    s->answer->noise = s->noise;
    return STATUS_OK;
}

/* Judges the points of coordinate i. */
static void judge(Probe *b, uint32_t i)
{
    BestSearch *s = b->s;
    real value[2];
    uint32_t from = b->sides[i], sides = b->sides[i + 1] - from;
    bool idle = sides > 0, good = true, still = false;
    for (uint32_t k = 0; k < sides; k++) {
        const real *out = b->out + (size_t)(from + k) * b->results;
        if (b->each[from + k] != STATUS_OK) {
            idle = good = false;
            continue;
        }
        value[k] = best_value(s, out);
        bool same = memcmp(out, b->best_out, b->results * sizeof *out) == 0;
        idle = idle && same;
        still = still || same;
        real violation = best_violation(s, out);
        bool more = value[k] < b->best_value - R(4.0) * s->noise;
        bool less = violation < b->best_violation - s->ledger.slack;
        s->better |=
            (more || less) && ledger_better(&s->ledger, value[k], violation,
                                            b->best_value, b->best_violation);
    }
    s->answer->idle[i] = idle;
    s->still[i] = still;
    s->curvature[i] = COSY_NAN;
    if (good && sides == 2)
        s->curvature[i] =
            (value[0] - R(2.0) * b->best_value + value[1]) / (b->h * b->h);
}

/* How far a parameter may go before the value leaves the noise, and at least how far
   the search itself does not look. */
static void find_errors(BestSearch *s)
{
    for (uint32_t i = 0; i < s->q->n; i++) {
        real z = cosy_max(cosy_sqrt(R(2.0) * s->noise / s->curvature[i]),
                          best_coarse(s));
        bool known = s->constraints == 0 && s->curvature[i] > R(0.0);
        real p = z * s->size[i];
        if (s->q->logarithmic != NULL && s->q->logarithmic[i])
            p *= ledger_best(&s->ledger).p[i];
        s->answer->error[i] = known ? p : COSY_NAN;
    }
}

void best_plateau(const BestSearch *s, uint32_t i, real *low, real *high)
{
    const BestAnswer *b = s->answer;
    SearchPoint best = ledger_best(&s->ledger);
    *low = *high = best.p[i];
    for (size_t k = 0; k < b->history.count; k++) {
        SearchPoint at = search_point(&b->history, k);
        if (at.status != STATUS_OK || at.value != best.value)
            continue;
        *low = cosy_min(*low, at.p[i]);
        *high = cosy_max(*high, at.p[i]);
    }
}

static void set_typical(BestSearch *s, const Probe *b)
{
    real first = b->best_value;
    for (size_t k = s->answer->history.count; k-- > 0;) {
        SearchPoint at = search_point(&s->answer->history, k);
        if (at.status == STATUS_OK)
            first = at.value;
    }
    s->typical =
        cosy_max(cosy_abs(b->best_value), cosy_abs(first - b->best_value));
    if (s->typical == R(0.0))
        s->typical = R(1.0);
}

Status best_probe(BestSearch *s)
{
    Probe b;
    ArenaMark mark = arena_mark(s->arena);
    s->better = false;
    TRY(make(&b, s));
    set_typical(s, &b);
    add_sides(&b);
    add_line(&b, 1);
    /* Without the trials for it the search is over all the same. */
    if (ledger_left(&s->ledger) < b.count)
        return STATUS_OK;
    TRY(ledger_many(&s->ledger, b.count, b.p, b.out, b.each));
    TRY(find_noise(&b));
    for (uint32_t i = 0; i < s->q->n; i++)
        judge(&b, i);
    find_errors(s);
    s->checked = true;
    s->relative_noise = s->noise / s->typical;
    arena_rewind(s->arena, mark);
    return STATUS_OK;
}
