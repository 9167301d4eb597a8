#include <assert.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "solve/bracket.h"
#include "solve/dense.h"

/* Events that accumulate, and the rest at their limit.

   The blows of a ball on the floor follow each other after e, e^2, e^3 ... of
   the first interval, and its speeds shrink in the same way. Once such a series
   is recognized, and the rest of it is too short to matter, the run goes to its
   limit: z' = 0. With constraints z = 0 the model continues as x' = f + sum of
   m n, where n is the direction in which the blows moved the states (that of
   the force, with the masses in it) and m is such that z'' = 0. The rest lasts
   as long as m pushes towards the allowed side of z. f is taken where the
   speeds are 0, and whatever remains of z and z' after a step is put back: the
   speeds along n, z along the way on which n leads the states. GEAR and IDA,
   which start anew when their values are changed, are led back by the
   derivatives instead. Where blows change only discrete speeds, nothing presses
   between them: the remaining blows are carried out at once, and the conditions
   stay silent until an event changes their speeds. */

#define COUNT      4 // events before anything is looked for
#define SHRINKING  6 // intervals in a row before a limit is looked for
#define STEADY     4 // of these, how many with the same ratio
#define SAME_RATIO R(0.01)
#define LEFT       R(1e-6) // share of the run, if the ratio is steady
#define LEFT_LEAST R(1e-9) // share of the run, if it is not
#define LEVELS     4       // eighths of the speed that are compared
#define CLOSE      3       // intervals in a row that are shorter still
#define FADED      R(1e-3) // share of the largest speed
#define SLIGHT     R(1e-6) // share of it, beside a series that ends
#define FAINT      (R(16.0) * COSY_EPSILON) // share of it: nothing is left
#define LULL       R(0.1)  // share of the run: anything older no longer counts
#define BLOWS      4000    // blows that are carried out at once
#define FIRM       R(1e12) // how many rounding errors a blow moves a state by

static real span_of(const Run *r)
{
    const RunOptions *o = &r->options;
    real span = o->to_finish ? cosy_abs(r->c->head->t - o->from)
                             : cosy_abs(o->to - o->from);
    return cosy_max(span, R(1e-3) * cosy_abs(r->c->head->t));
}

static real *push_of(const Run *r, uint32_t k)
{
    return (real *)(void *)r->slide.push.bytes + (size_t)k * r->slide.length;
}

static real *blow_of(const Run *r, uint32_t k)
{
    return push_of(r, REST_MOST + k);
}

static const CosyConditionInfo *info_of(const Run *r, uint32_t id)
{
    return &r->slide.rows[id];
}

/* The largest |z'| at rest: last places, and for a rest with a direction the
   accuracy of differences. */
static real still(const Rest *rest)
{
    return rest->speed * (rest->pushed ? R(1e-10) : R(1e3) * COSY_EPSILON);
}

/* Share of the speed to which a multi-step method may let z' drift before it
   starts anew. */
static real drifted(const Run *r)
{
    return cosy_max(R(1e-10), r->solver.options.relerr);
}

/* Share of the size up to which |z| is at its threshold. */
static real away(const Run *r)
{
    return cosy_max(R(1e-6), r->solver.options.relerr);
}

/* ---- Series of events ---------------------------------------------------------- */

/* What is known about this condition; the one that was quiet longest makes
   room. */
static Bounce *bounce_of(Run *r, const Watched *w)
{
    SlideState *s = &r->slide.state;
    Bounce *oldest = s->bounce;
    for (uint32_t k = 0; k < s->bounces; k++) {
        Bounce *b = &s->bounce[k];
        if (b->id == w->id && b->copy == w->copy)
            return b;
        if ((b->t - oldest->t) * (real)r->direction < R(0.0))
            oldest = b;
    }
    if (s->bounces < BOUNCE_MOST)
        oldest = &s->bounce[s->bounces++];
    memset(oldest, 0, sizeof *oldest);
    oldest->id = w->id;
    oldest->copy = w->copy;
    oldest->t = r->c->head->t;
    return oldest;
}

/* Whether the body moved the states; *faint: it moved some of them by hardly
   more than rounding errors, or not at all although the blow that is kept did.
   */
static bool blew(const Run *r, const real *kept, bool *faint)
{
    const real *before = field_of(r, FIELD_BEFORE), *x = r->c->x;
    bool any = false;
    *faint = false;
    for (uint32_t i = 0; i < r->c->head->states; i++) {
        real moved = cosy_abs(x[i] - before[i]);
        real size = cosy_max(cosy_abs(x[i]), cosy_abs(before[i]));
        any |= moved != R(0.0);
        if (moved != R(0.0) || kept[i] != R(0.0))
            *faint |= moved < FIRM * COSY_EPSILON * size || moved == R(0.0);
    }
    return any;
}

/* Keeps how the body moved the states. A faint blow has no reliable direction:
   that of the last firm one is kept. */
static void keep_blow(Run *r, uint32_t k)
{
    const real *before = field_of(r, FIELD_BEFORE), *x = r->c->x;
    Bounce *b = &r->slide.state.bounce[k];
    real *blow = blow_of(r, k);
    bool faint, had = b->pushed && b->struck > R(0.0);
    uint32_t states = r->c->head->states;
    if (!had)
        memset(blow, 0, states * sizeof *blow);
    b->pushed = blew(r, blow, &faint);
    if (!b->pushed || (faint && had))
        return;
    for (uint32_t i = 0; i < states; i++)
        blow[i] = x[i] - before[i];
    b->struck = b->speed;
}

/* The level k of a speed: it is about 8^-k of the fastest. */
static uint32_t level_of(const Bounce *b)
{
    uint32_t k = 0;
    real most = b->fastest / R(8.0);
    for (; k + 1 < BOUNCE_LEVELS && b->speed <= most; k++)
        most /= R(8.0);
    return k;
}

static void follow(Run *r, Bounce *b, const Watched *w)
{
    real t = r->c->head->t, gap = cosy_abs(t - b->t), speed = cosy_abs(w->dz);
    real ratio = b->gap > R(0.0) ? gap / b->gap : R(0.0);
    bool shrinks = b->gap > R(0.0) && ratio < R(0.9999) && speed < b->speed;
    bool steady = shrinks && cosy_abs(ratio - b->ratio) <= SAME_RATIO * ratio;
    b->shrinking = shrinks ? b->shrinking + 1 : 0;
    b->steady = steady ? b->steady + 1 : 0;
    b->close = gap <= LEFT_LEAST * span_of(r) ? b->close + 1 : 0;
    if (gap > LULL * span_of(r))
        b->fastest = b->widest = R(0.0);
    else
        b->widest = cosy_max(b->widest, gap);
    b->count++;
    b->gap = gap;
    b->ratio = ratio;
    b->speed = speed;
    b->t = t;
    b->side = w->side;
    bool first = speed >= b->fastest;
    b->fastest = cosy_max(b->fastest, speed);
    for (uint32_t k = first ? 0 : level_of(b); k < BOUNCE_LEVELS; k++)
        b->level[k] = t;
}

/* Share of the largest speed below which the rest of a series does not matter
   to a run with this tolerance: heights go with the square. */
static real faded(const Run *r)
{
    return cosy_min(FADED,
                    cosy_max(cosy_sqrt(r->solver.options.relerr), R(1e-8)));
}

/* The blows of several things that lie on each other have no ratio: strong and
   weak ones follow in any order. But speeds have an envelope, and the times it
   takes to fall to an eighth, to an eighth of that, and so on, shrink. */
static real envelope_left(const Bounce *b)
{
    uint32_t k = level_of(b);
    if (k < LEVELS)
        return COSY_NEVER;
    const real *at = b->level + k - 1;
    real last = cosy_abs(at[0] - at[-1]), before = cosy_abs(at[-1] - at[-2]);
    real first = cosy_abs(at[-2] - at[-3]);
    if (last > R(0.75) * before || before > R(0.75) * first ||
        cosy_abs(b->t - at[0]) > last)
        return COSY_NEVER;
    return last;
}

/* Time to the limit of a series; COSY_NEVER if there is none in sight. */
static real time_left(const Run *r, const Bounce *b)
{
    if (b->count < COUNT ||
        b->fastest == R(0.0)) // a quantity that jumps has no speed
        return COSY_NEVER;
    /* The blows of several things merge, or have nothing left. */
    if ((b->close >= CLOSE && b->speed <= FADED * b->fastest) ||
        b->speed <= FAINT * b->fastest)
        return R(0.0);
    if (envelope_left(b) <= LEFT_LEAST * span_of(r))
        return R(0.0);
    if (b->shrinking < SHRINKING)
        return COSY_NEVER;
    real left = b->gap * b->ratio / (R(1.0) - b->ratio);
    real most = b->steady >= STEADY ? LEFT : LEFT_LEAST;
    return left <= most * span_of(r) && b->speed <= faded(r) * b->fastest
               ? left
               : COSY_NEVER;
}

/* ---- Speeds ----------------------------------------------------------------------- */

/* z' of everything at rest, as the model without rests would have them. */
static CosyStatus speeds(Run *r, real t, const real *x, real *d, real *z)
{
    const SlideState *s = &r->slide.state;
    real *dx = field_of(r, FIELD_REST);
    CosyCondition *list;
    uint32_t count;
    COSY_TRY(field_plain(r, t, x, dx));
    COSY_TRY(field_rates(r, t, x, dx, 1, &list, &count));
    for (uint32_t k = 0; k < s->rests; k++) {
        const CosyCondition *on =
            field_find(list, count, s->rest[k].id, s->rest[k].copy);
        if (!on || !cosy_finite(on->dz))
            return COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
        d[k] = on->dz;
        if (z)
            z[k] = on->z;
    }
    return COSY_OK;
}

/* Speeds at a point moved by h along v, and by time. */
static CosyStatus speeds_at(Run *r, real t, const real *x, const real *v,
                            real h, real time, real *d)
{
    real *y = field_of(r, FIELD_TRIED);
    for (uint32_t i = 0; i < r->c->head->states; i++)
        y[i] = x[i] + h * v[i];
    return speeds(r, t + time, y, d, NULL);
}

/* The linear system of the rests that have a direction, factored: how each push
   changes the speeds, column by column. These are also the rates of z along the
   ways on which the blows lead the states (FIELD_WAY), that is, along the
   change that a blow makes in the derivatives. */
typedef struct System {
    uint32_t n, of[REST_MOST]; // numbers of the rests
    real a[REST_MOST * REST_MOST];
    uint32_t pivot[REST_MOST];
} System;

#define NUDGE R(1e-4) // share of the size of what is pushed, for differences

static CosyStatus make_system(Run *r, real t, const real *x, System *s)
{
    const SlideState *st = &r->slide.state;
    const real *dx = field_of(r, FIELD_REST);
    uint32_t states = r->c->head->states;
    real up[REST_MOST], down[REST_MOST];
    s->n = 0;
    for (uint32_t k = 0; k < st->rests; k++)
        if (st->rest[k].pushed)
            s->of[s->n++] = k;
    for (uint32_t j = 0; j < s->n; j++) {
        const real *n = push_of(r, s->of[j]);
        real *way = field_of(r, FIELD_WAY + s->of[j]);
        COSY_TRY(speeds_at(r, t, x, n, NUDGE, R(0.0), up));
        memcpy(way, dx, states * sizeof *way);
        COSY_TRY(speeds_at(r, t, x, n, -NUDGE, R(0.0), down));
        for (uint32_t i = 0; i < states; i++)
            way[i] = (way[i] - dx[i]) / (R(2.0) * NUDGE);
        for (uint32_t i = 0; i < s->n; i++)
            s->a[j * s->n + i] =
                (up[s->of[i]] - down[s->of[i]]) / (R(2.0) * NUDGE);
    }
    if (s->n && dense_factor(s->n, s->a, s->pivot) < s->n)
        return COSY_FAIL(COSY_SINGULAR, COSY_NOWHERE);
    return COSY_OK;
}

/* Adds to y a share of what makes `wrong` vanish: speeds along the blows
   (`ways` false), z along their ways. */
static void take_away(const Run *r, const System *s, const real *wrong,
                      bool ways, real share, real *y)
{
    real b[REST_MOST];
    assert(s->n <= r->slide.state.rests);
    if (s->n == 0)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        b[i] = -wrong[s->of[i]] * share;
    dense_solve(s->n, s->a, s->pivot, b);
    for (uint32_t j = 0; j < s->n; j++) {
        const real *n =
            ways ? field_of(r, FIELD_WAY + s->of[j]) : push_of(r, s->of[j]);
        for (uint32_t i = 0; i < r->c->head->states; i++)
            y[i] += b[j] * n[i];
    }
}

/* Whether any of the speeds is more than a rounding error. */
static bool moves(const Run *r, const System *s, const real *d)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (cosy_abs(d[s->of[i]]) >
            R(4.0) * COSY_EPSILON * r->slide.state.rest[s->of[i]].speed)
            return true;
    return false;
}

/* The time over which rates of speeds are found by differences. The first steps
   after an event are so short that only rounding errors would be left: then a
   share of the longest interval between the blows is used. */
static real rest_short_time(const Run *r)
{
    const SlideState *s = &r->slide.state;
    real h = cosy_abs(field_short_time(r)), least = COSY_NEVER;
    for (uint32_t k = 0; k < s->rests; k++)
        if (s->rest[k].speed > R(0.0))
            least = cosy_min(least, s->rest[k].size / s->rest[k].speed);
    if (least < COSY_NEVER)
        h = cosy_max(h, R(64.0) * cosy_sqrt(COSY_EPSILON) * least);
    return h * (real)r->direction;
}

/* What balances the accelerations against the thresholds. */
typedef struct Balance {
    System system;
    real m[REST_MOST];     // 0 for those without a direction
    real press[REST_MOST]; // z'' of all
    real d[REST_MOST], z[REST_MOST];
} Balance;

/* All this is evaluated where the speeds are 0, from which x may have drifted:
   FIELD_ALONG has the derivatives there, so that no error of a speed adds up in
   the quantity it belongs to. */
static CosyStatus balance(Run *r, real t, const real *x, Balance *b)
{
    const SlideState *st = &r->slide.state;
    const System *s = &b->system;
    real here[REST_MOST], up[REST_MOST], down[REST_MOST], load[REST_MOST];
    real h = rest_short_time(r), *v = field_of(r, FIELD_ALONG);
    real *y = field_of(r, FIELD_STOPPED);
    size_t size = r->c->head->states * sizeof *v;
    COSY_TRY(make_system(r, t, x, &b->system));
    COSY_TRY(speeds(r, t, x, b->d, b->z));
    memcpy(y, x, size);
    if (moves(r, s, b->d)) {
        take_away(r, s, b->d, false, R(1.0), y);
        COSY_TRY(speeds(r, t, y, here, NULL));
    }
    memcpy(v, field_of(r, FIELD_REST), size);
    COSY_TRY(speeds_at(r, t, y, v, h, h, up));
    COSY_TRY(speeds_at(r, t, y, v, -h, -h, down));
    for (uint32_t k = 0; k < st->rests; k++) {
        b->m[k] = R(0.0);
        b->press[k] = (up[k] - down[k]) / (R(2.0) * h);
    }
    for (uint32_t i = 0; i < s->n; i++)
        load[i] = -b->press[s->of[i]];
    if (s->n)
        dense_solve(s->n, s->a, s->pivot, load);
    for (uint32_t i = 0; i < s->n; i++)
        b->m[s->of[i]] = load[i];
    return COSY_OK;
}

CosyStatus rest_balance(Run *r, real t, const real *x, real *dx)
{
    Balance b;
    bool implicit = (r->solver.method->features & METHOD_IMPLICIT) != 0;
    // The pull back is stiff compared with the long steps that ADAMS can make.
    real pull = implicit ? field_pull(r) : R(0.0);
    COSY_TRY(balance(r, t, x, &b));
    memcpy(dx, field_of(r, FIELD_ALONG), r->c->head->states * sizeof *dx);
    for (uint32_t k = 0; k < r->slide.state.rests; k++) {
        const real *n = push_of(r, k);
        for (uint32_t i = 0; b.m[k] != R(0.0) && i < r->c->head->states; i++)
            dx[i] += b.m[k] * n[i];
    }
    if (pull != R(0.0)) {
        take_away(r, &b.system, b.d, false, pull, dx);
        take_away(r, &b.system, b.z, true, pull, dx);
    }
    return COSY_OK;
}

/* A rest is held by pushing, never by pulling: one condition for each rest with
   a direction. */
CosyStatus rest_rows(Run *r, real t, const real *x, const real *dx,
                     CosyCondition *list, uint32_t *count)
{
    const SlideState *s = &r->slide.state;
    uint32_t row = r->slide.first_row + 2 * SLIDE_SURFACES;
    Balance now, later;
    real h = rest_short_time(r), *y = field_of(r, FIELD_LATER);
    COSY_TRY(balance(r, t, x, &now));
    for (uint32_t i = 0; i < r->c->head->states; i++)
        y[i] = x[i] + h * dx[i];
    if (balance(r, t + h, y, &later) != COSY_OK)
        later = now;
    for (uint32_t k = 0; k < s->rests; k++)
        if (s->rest[k].pushed)
            list[(*count)++] = (CosyCondition){row + k,
                                               COSY_NONE,
                                               now.m[k] + s->rest[k].slack,
                                               (later.m[k] - now.m[k]) / h,
                                               R(0.0),
                                               R(0.0)};
    return COSY_OK;
}

/* ---- To the limit --------------------------------------------------------------- */

/* The direction of the blows, as large as a blow with the largest speed would
   be; it leads to the allowed side of z. */
static bool take_push(Run *r, uint32_t k, const Bounce *b, const real *blow)
{
    Rest *rest = &r->slide.state.rest[k];
    real d[REST_MOST], there[REST_MOST], *n = push_of(r, k);
    uint32_t states = r->c->head->states;
    if (b->struck == R(0.0))
        return false;
    for (uint32_t i = 0; i < states; i++)
        n[i] = blow[i] * (b->fastest / b->struck);
    real t = r->c->head->t;
    if (speeds(r, t, r->c->x, d, NULL) != COSY_OK ||
        speeds_at(r, t, r->c->x, n, NUDGE, R(0.0), there) != COSY_OK)
        return false;
    real change = (there[k] - d[k]) * (real)rest->side * (real)r->direction;
    for (uint32_t i = 0; change < R(0.0) && i < states; i++)
        n[i] = -n[i];
    return change != R(0.0);
}

/* Moves the states along the pushes until all speeds are 0. */
static bool stop_states(Run *r, real t, real *x)
{
    real d[REST_MOST];
    System s;
    for (int round = 0; round < 3; round++) {
        if (speeds(r, t, x, d, NULL) != COSY_OK ||
            make_system(r, t, x, &s) != COSY_OK)
            return false;
        if (s.n == 0)
            return true;
        take_away(r, &s, d, false, R(1.0), x);
    }
    return true;
}

/* Of those that still approach their threshold, the one that is fastest
   relative to its own scale. */
static uint32_t approaching(const Run *r, const real *d)
{
    const SlideState *s = &r->slide.state;
    uint32_t found = REST_MOST;
    real most = R(4.0) * COSY_EPSILON;
    for (uint32_t k = 0; k < s->rests; k++) {
        const Rest *rest = &s->rest[k];
        real towards = -d[k] * (real)(rest->side * r->direction);
        if (!rest->pushed && towards > most * rest->speed) {
            most = towards / rest->speed;
            found = k;
        }
    }
    return found;
}

/* Carries out the remaining blows at once. */
static Status strike(Run *r)
{
    const SlideState *s = &r->slide.state;
    real d[REST_MOST];
    for (int i = 0; i < BLOWS; i++) {
        if (speeds(r, r->c->head->t, r->c->x, d, NULL) != COSY_OK)
            return STATUS_OK;
        uint32_t k = approaching(r, d);
        if (k == REST_MOST)
            return STATUS_OK;
        const CosyConditionInfo *info = info_of(r, s->rest[k].id);
        TRY(record_event(&r->record, LOG_STATE, info->event,
                         slide_detail(r, s->rest[k].id, s->rest[k].copy),
                         r->c->head->t));
        CosyStatus status = run_state_body(r, info, s->rest[k].copy);
        if (status != COSY_OK)
            return run_event_failed(r, status, info->name, info->line);
        TRY(run_consistent(r));
    }
    return STATUS_OK;
}

/* Gradients of z of everything at rest, from the rates along each state. */
static CosyStatus gradients(Run *r)
{
    const SlideState *s = &r->slide.state;
    uint32_t n = r->c->head->states, count;
    real t = r->c->head->t, *v = field_of(r, FIELD_ALONG), alone[REST_MOST];
    CosyCondition *list;
    memset(v, 0, n * sizeof *v);
    for (uint32_t i = 0; i <= n; i++) { // the last one is with time alone
        v[i] = i < n ? R(1.0) : R(0.0);
        COSY_TRY(field_rates(r, t, r->c->x, v, 1, &list, &count));
        v[i] = R(0.0);
        for (uint32_t k = 0; k < s->rests; k++) {
            const CosyCondition *on =
                field_find(list, count, s->rest[k].id, s->rest[k].copy);
            if (i == n)
                alone[k] = on ? on->dz : R(0.0);
            else
                field_of(r, FIELD_SLOPE + k)[i] = on ? on->dz : R(0.0);
        }
    }
    for (uint32_t k = 0; k < s->rests; k++)
        for (uint32_t i = 0; i < n; i++)
            field_of(r, FIELD_SLOPE + k)[i] -= alone[k];
    return COSY_OK;
}

/* Products of the gradients with each other. Gradients may be linearly
   dependent: a little is added to the diagonal. */
static void products(const Run *r, uint32_t m, real *a)
{
    for (uint32_t j = 0; j < m; j++)
        for (uint32_t k = 0; k < m; k++) {
            const real *g = field_of(r, FIELD_SLOPE + j);
            const real *h = field_of(r, FIELD_SLOPE + k);
            real sum = R(0.0);
            for (uint32_t i = 0; i < r->c->head->states; i++)
                sum += g[i] * h[i];
            a[j * m + k] =
                j == k ? sum * (R(1.0) + R(64.0) * COSY_EPSILON) : sum;
        }
}

/* Moves x as little as possible so that z of every rest becomes its target. */
static void put_z(Run *r, const real *target)
{
    uint32_t m = r->slide.state.rests, pivot[REST_MOST];
    real a[REST_MOST * REST_MOST], b[REST_MOST], z[REST_MOST], d[REST_MOST];
    for (int round = 0; round < 3; round++) {
        bool any = false;
        if (speeds(r, r->c->head->t, r->c->x, d, z) != COSY_OK)
            return;
        for (uint32_t k = 0; k < m; k++) {
            b[k] = target[k] - z[k];
            any |= b[k] != R(0.0);
        }
        if (!any || gradients(r) != COSY_OK)
            return;
        products(r, m, a);
        if (dense_factor(m, a, pivot) < m)
            return;
        dense_solve(m, a, pivot, b);
        for (uint32_t k = 0; k < m; k++)
            for (uint32_t i = 0; i < r->c->head->states; i++)
                r->c->x[i] += b[k] * field_of(r, FIELD_SLOPE + k)[i];
    }
}

/* Whether everything now at rest can be held: nothing without a direction
   presses, and nothing with a direction pulls. */
static bool holds(Run *r)
{
    SlideState *s = &r->slide.state;
    Balance b;
    real span = span_of(r);
    if (balance(r, r->c->head->t, r->c->x, &b) != COSY_OK)
        return false;
    for (uint32_t k = 0; k < s->rests; k++) {
        Rest *rest = &s->rest[k];
        real into = -b.press[k] * (real)rest->side;
        rest->slack = R(1e-9) * (cosy_abs(b.m[k]) + R(1.0) / span);
        if (cosy_abs(b.d[k]) > still(rest) ||
            (rest->pushed ? b.m[k] < -rest->slack
                          : into * span > R(1e-6) * rest->speed))
            return false;
    }
    return true;
}

static bool resting(const Run *r, const Bounce *b)
{
    const SlideState *s = &r->slide.state;
    for (uint32_t k = 0; k < s->rests; k++)
        if (s->rest[k].id == b->id && s->rest[k].copy == b->copy)
            return true;
    return false;
}

/* Whether the series of b goes to the same limit as that of `first`: the speed
   that is stopped must not matter. Remaining blows of discrete speeds are
   carried out. */
static bool together(const Run *r, const Bounce *first, const Bounce *b)
{
    real ago = cosy_abs(first->t - b->t), span = span_of(r);
    uint32_t k = level_of(first);
    real lately = cosy_abs(first->t - first->level[k > 1 ? k - 2 : 0]);
    bool along = b->shrinking >= SHRINKING / 2 && ago <= R(3.0) * first->gap;
    bool close = b->close && ago <= LEFT_LEAST * span;
    if (!b->pushed && (along || close))
        return true;
    return (along && b->speed <= R(10.0) * faded(r) * b->fastest) ||
           (b->count >= COUNT && b->speed <= FAINT * b->fastest) ||
           (b->count >= COUNT && b->speed <= SLIGHT * b->fastest &&
            (close || ago <= cosy_min(lately, LEFT * span)));
}

static void add_rest(Run *r, uint32_t k)
{
    SlideState *s = &r->slide.state;
    const Bounce *b = &s->bounce[k];
    Rest *rest = &s->rest[s->rests++];
    memset(rest, 0, sizeof *rest);
    rest->id = b->id;
    rest->copy = b->copy;
    rest->side = b->side;
    rest->speed = b->fastest;
    rest->size = b->fastest * b->widest;
    rest->pushed = b->pushed && take_push(r, s->rests - 1, b, blow_of(r, k));
    if (!rest->pushed && (!b->quiet || r->model->n_copies))
        s->rests--; // it cannot be carried out on trial
}

/* Gathers all conditions whose series go to the same limit as this one, or this
   one alone. */
static void gather(Run *r, const Bounce *first, bool alone)
{
    SlideState *s = &r->slide.state;
    for (uint32_t k = 0; k < s->bounces && s->rests < REST_MOST; k++) {
        const Bounce *b = &s->bounce[k];
        bool own = b->id == first->id && b->copy == first->copy;
        if (!resting(r, b) && (own || (!alone && together(r, first, b))))
            add_rest(r, k);
    }
}

/* The conditions of the model at the present point, into list `which`. */
static uint32_t present(Run *r, uint32_t which, CosyCondition **list)
{
    uint32_t count = 0;
    real *dx = field_of(r, FIELD_REST);
    if (field_plain(r, r->c->head->t, r->c->x, dx) != COSY_OK ||
        field_rates(r, r->c->head->t, r->c->x, dx, which, list, &count))
        return 0;
    return count;
}

/* Tries to stop what is gathered; if the model cannot be held like that,
   everything is as before. */
static Status settle(Run *r, const Bounce *b, bool alone, bool *done)
{
    SlideState *s = &r->slide.state;
    static const real zero[REST_MOST] = {R(0.0)};
    uint32_t first = s->rests;
    if (!keep_room(r))
        return STATUS_MEMORY;
    keep_store(r, KEPT_BODY);
    memcpy(field_of(r, FIELD_BEFORE), r->c->x,
           r->c->head->states * sizeof(real));
    gather(r, b, alone);
    if (s->rests > first)
        TRY(strike(r));
    put_z(r, zero);
    *done =
        s->rests > first && stop_states(r, r->c->head->t, r->c->x) && holds(r);
    if (*done)
        return STATUS_OK;
    s->rests = first;
    keep_restore(r, KEPT_BODY);
    memcpy(r->c->x, field_of(r, FIELD_BEFORE),
           r->c->head->states * sizeof(real));
    return STATUS_OK;
}

#define TURNED R(1e-3) // sine of an angle

/* Slopes of z of everything at rest, along two directions that nothing in a
   model is likely to have. */
static CosyStatus slopes(Run *r, real t, const real *x, real slope[][2])
{
    const SlideState *s = &r->slide.state;
    real *v = field_of(r, FIELD_ALONG), alone[REST_MOST];
    uint32_t n = r->c->head->states, count, seed = 12345;
    CosyCondition *list;
    memset(v, 0, n * sizeof *v);
    for (int d = 0; d < 3; d++) {
        COSY_TRY(field_rates(r, t, x, v, 1, &list, &count));
        for (uint32_t k = 0; k < s->rests; k++) {
            const CosyCondition *on =
                field_find(list, count, s->rest[k].id, s->rest[k].copy);
            real dz = on ? on->dz : R(0.0);
            if (d == 0)
                alone[k] = dz;
            else
                slope[k][d - 1] = dz - alone[k];
        }
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (real)(seed >> 8) / R(16777216.0) - R(0.5);
        }
    }
    return COSY_OK;
}

/* What holds a rest acts in the direction of its blows. That is right as long
   as the threshold keeps the direction it had then. */
static Status turned(Run *r, const Rest *rest)
{
    const CosyConditionInfo *info = info_of(r, rest->id);
    return fault_set(
        &r->fault, STATUS_NUMBER,
        "%s:%u: time %.17g%s%s: the motion rests at the threshold of %s, which "
        "has turned since then, while what holds the rest "
        "is known only in the direction of its blows. Give the "
        "motion along it a mode of its own: a CASE with its "
        "equations",
        r->model->source, info->line, (double)r->solver.t,
        COSY_IN_TIME(r->model), info->name);
}

static Status keep_direction(Run *r)
{
    const SlideState *s = &r->slide.state;
    real now[REST_MOST][2];
    if (slopes(r, r->solver.t, r->solver.x, now) != COSY_OK)
        return STATUS_OK;
    for (uint32_t k = 0; k < s->rests; k++) {
        const real *a = s->rest[k].slope, *b = now[k];
        real size = (cosy_abs(a[0]) + cosy_abs(a[1])) *
                    (cosy_abs(b[0]) + cosy_abs(b[1]));
        if (s->rest[k].pushed &&
            cosy_abs(a[0] * b[1] - a[1] * b[0]) > TURNED * size)
            return turned(r, &s->rest[k]);
    }
    return STATUS_OK;
}

/* The run goes to the limit and stays there, unless the model cannot be held
   like that: then events that do not end are reported later. */
static Status go_to_rest(Run *r, const Bounce *b, real left)
{
    SlideState *s = &r->slide.state;
    uint32_t first = s->rests;
    real t = r->c->head->t;
    Bounce now = *b;
    CosyCondition *before, *after;
    bool done;
    TRY(run_consistent(r));
    uint32_t count = present(r, 2, &before);
    TRY(settle(r, &now, false, &done));
    if (!done)
        TRY(settle(r, &now, true, &done));
    if (!done)
        return STATUS_OK;
    if (present(r, 1, &after) == count)
        watch_moved(&r->watch, before, after, count);
    real slope[REST_MOST][2] = {{R(0.0)}};
    if (slopes(r, r->c->head->t, r->c->x, slope) != COSY_OK)
        return STATUS_OK;
    for (uint32_t k = first; k < s->rests; k++) {
        Rest *rest = &s->rest[k];
        memcpy(rest->slope, slope[k], sizeof rest->slope);
        TRY(slide_begin_span(r, true, rest->id, rest->copy,
                             t + left * (real)r->direction, &rest->span));
        TRY(slide_mute(r, rest->id, rest->copy, rest->span));
    }
    for (uint32_t k = 0; k < s->bounces; k++)
        if (resting(r, &s->bounce[k])) {
            Bounce *one = &s->bounce[k];
            one->shrinking = one->steady = one->close = 0;
            one->gap = R(0.0);
        }
    rest_note(r);
    TRY(carried_lose(r, "the motion comes to rest after events without number, "
                        "and each of them depends on it"));
    return slide_restart(r);
}

Status rest_event(Run *r, const Watched *w)
{
    SlideState *s = &r->slide.state;
    Bounce *b = bounce_of(r, w);
    follow(r, b, w);
    keep_blow(r, (uint32_t)(b - s->bounce));
    b->quiet = memcmp(&r->slide.head, r->c->head, sizeof(CosyHead)) == 0;
    real left = time_left(r, b);
    return left < COSY_NEVER && s->rests < REST_MOST ? go_to_rest(r, b, left)
                                                     : STATUS_OK;
}

/* ---- Leaving ---------------------------------------------------------------------- */

/* Moves x to the allowed side of z of rest k, by the least that z can tell from
   rounding errors; everything else at rest stays. */
static CosyStatus lift(Run *r, uint32_t k, real *z)
{
    const Rest rest = r->slide.state.rest[k];
    real least = R(4.0) * cosy_max(time_ulp(r->c->head->t),
                                   COSY_EPSILON * R(1e-3) * span_of(r));
    real d[REST_MOST], target[REST_MOST];
    CosyStatus status = speeds(r, r->c->head->t, r->c->x, d, target);
    for (int i = 0; status == COSY_OK && i < 20; i++, least *= R(4.0)) {
        target[k] = (real)rest.side * rest.speed * least;
        put_z(r, target);
        status = speeds(r, r->c->head->t, r->c->x, d, z);
        if (z[k] * (real)rest.side >= cosy_abs(target[k]) / R(2.0))
            break;
    }
    return status;
}

/* The condition is watched again. If it is not on its allowed side, it has to
   come back there. A body may have moved it away from its threshold: then it stays
   where it is. */
Status rest_leave(Run *r, uint32_t k)
{
    SlideState *s = &r->slide.state;
    real d[REST_MOST], z[REST_MOST];
    if (k >= s->rests)
        return STATUS_OK;
    const Rest rest = s->rest[k];
    CosyCondition *before, *after;
    uint32_t count = present(r, 2, &before);
    CosyStatus status = speeds(r, r->c->head->t, r->c->x, d, z);
    if (status == COSY_OK && cosy_abs(z[k]) <= away(r) * rest.size)
        status = lift(r, k, z);
    if (present(r, 1, &after) == count)
        watch_moved(&r->watch, before, after, count);
    if (status != COSY_OK)
        return run_body_failed(r, status, "an equation");
    watch_back(&r->watch, rest.id, rest.copy, rest.side, z[k]);
    return rest_drop(r, k);
}

Status rest_drop(Run *r, uint32_t k)
{
    SlideState *s = &r->slide.state;
    const uint32_t span = s->rest[k].span;
    assert(k < s->rests);
    for (uint32_t i = k; i + 1 < s->rests; i++) {
        s->rest[i] = s->rest[i + 1];
        memcpy(push_of(r, i), push_of(r, i + 1),
               r->c->head->states * sizeof(real));
    }
    s->rests--;
    slide_unmute(r, span);
    TRY(slide_end_span(r, span));
    return slide_restart(r);
}

/* Whether row k of `push` holds a direction. */
static bool is_pushed(const SlideState *s, uint32_t k)
{
    if (k < REST_MOST)
        return k < s->rests && s->rest[k].pushed;
    return k - REST_MOST < s->bounces && s->bounce[k - REST_MOST].pushed;
}

Status rest_move(Run *r, const Moves *states)
{
    enum { DIRECTIONS = REST_MOST + BOUNCE_MOST };
    Slide *s = &r->slide;
    size_t n = r->c->head->states + (size_t)1, row = n * sizeof(real);
    const Vector old = s->push;
    if (s->state.bounces == 0 && s->state.rests == 0)
        return STATUS_OK;
    if (!vector_fit(&s->spare, DIRECTIONS * row))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < DIRECTIONS; k++) {
        unsigned char *to = s->spare.bytes + k * row;
        memset(to, 0, row);
        if (is_pushed(&s->state, k))
            moves_copy(states, to, push_of(r, k), sizeof(real));
    }
    s->push = s->spare;
    s->spare = old;
    s->length = (uint32_t)n;
    s->moved = true;
    return STATUS_OK;
}

void rest_note(Run *r)
{
    SlideState *s = &r->slide.state;
    real d[REST_MOST];
    if (speeds(r, r->c->head->t, r->c->x, d, NULL) != COSY_OK)
        return;
    for (uint32_t k = 0; k < s->rests; k++)
        s->rest[k].drift = d[k];
}

/* A body or a branch may have changed what presses all at once, and then no row
   shows a crossing. The rest that is pulled hardest is let go first, because
   others may hold without it. */
static Status check_pull(Run *r, bool *changed)
{
    const SlideState *s = &r->slide.state;
    Balance b;
    while (s->rests) {
        uint32_t worst = s->rests;
        CosyStatus status = balance(r, r->c->head->t, r->c->x, &b);
        if (status != COSY_OK)
            return run_body_failed(r, status, "an equation");
        for (uint32_t k = 0; k < s->rests; k++)
            if (s->rest[k].pushed && b.m[k] < -s->rest[k].slack &&
                (worst == s->rests || b.m[k] < b.m[worst]))
                worst = k;
        if (worst == s->rests)
            return STATUS_OK;
        TRY(rest_leave(r, worst));
        *changed = true;
    }
    return STATUS_OK;
}

/* The directions in which slopes are looked for depend on the number of states.
   */
static void find_slopes(Run *r)
{
    SlideState *s = &r->slide.state;
    real slope[REST_MOST][2];
    r->slide.moved = false;
    if (slopes(r, r->c->head->t, r->c->x, slope) != COSY_OK)
        return;
    for (uint32_t k = 0; k < s->rests; k++)
        memcpy(s->rest[k].slope, slope[k], sizeof slope[k]);
}

/* A body may have moved what rests. */
Status rest_check(Run *r, bool *changed)
{
    if (r->slide.moved)
        find_slopes(r);
    const SlideState *s = &r->slide.state;
    real d[REST_MOST], z[REST_MOST];
    assert(s->rests <= REST_MOST);
    for (uint32_t k = 0; k < s->rests;) {
        CosyStatus status = speeds(r, r->c->head->t, r->c->x, d, z);
        if (status != COSY_OK)
            return run_body_failed(r, status, "an equation");
        const Rest *rest = &s->rest[k];
        if (cosy_abs(d[k] - rest->drift) <= still(rest) &&
            cosy_abs(z[k]) <= away(r) * rest->size) {
            k++;
            continue;
        }
        TRY(rest_leave(r, k));
        *changed = true;
    }
    return check_pull(r, changed);
}

/* ---- On the way -------------------------------------------------------------------- */

/* The largest |z| of those that are pushed, relative to their sizes. */
static real farthest(const Run *r, const System *s, const real *z)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < s->n; i++) {
        const Rest *rest = &r->slide.state.rest[s->of[i]];
        if (rest->size > R(0.0))
            most = cosy_max(most, cosy_abs(z[s->of[i]]) / rest->size);
    }
    return most;
}

/* Moves x so that z of everything that is pushed is 0. It moves along the ways
   of the blows: what they do not move stays. */
static bool to_threshold(Run *r, real t, real *x)
{
    real d[REST_MOST], z[REST_MOST], before = COSY_REAL_MAX;
    System s;
    for (int round = 0; round < 4; round++) {
        if (make_system(r, t, x, &s) != COSY_OK ||
            speeds(r, t, x, d, z) != COSY_OK)
            return false;
        real far = farthest(r, &s, z);
        if (!(far < before))
            return round > 1; // only rounding errors are left
        if (far <= COSY_EPSILON)
            return true;
        before = far;
        take_away(r, &s, z, true, R(1.0), x);
    }
    return true;
}

/* Whether z or z' of something that is pushed exceeds these shares of its size
   and speed. */
static bool let_go(const Run *r, const real *z, const real *d, real most_z,
                   real most_d)
{
    const SlideState *s = &r->slide.state;
    for (uint32_t k = 0; k < s->rests; k++) {
        const Rest *rest = &s->rest[k];
        if (rest->pushed && (cosy_abs(z[k]) > most_z * rest->size ||
                             cosy_abs(d[k]) > most_d * rest->speed))
            return true;
    }
    return false;
}

#define KEPT                                                                   \
    (R(1e3) * COSY_EPSILON) // share of size and speed: nothing to put back

#define ASTRAY R(100.0) // tolerances that the errors of steps may add up to

/* Puts back what a step did not leave at its threshold with speed 0. A
   multi-step method then starts anew, so for it this happens only if it was not
   led back, or is so far away that the rest would end. */
Status rest_keep(Run *r, bool *moved)
{
    Solver *v = &r->solver;
    TRY(keep_direction(r));
    real d[REST_MOST], z[REST_MOST], *y = field_of(r, FIELD_BACK);
    real *by = field_of(r, FIELD_MOVE);
    bool steps = (v->method->features & METHOD_SAVES) != 0;
    uint32_t where = 0;
    if (speeds(r, v->t, v->x, d, z) != COSY_OK || !let_go(r, z, d, KEPT, KEPT))
        return STATUS_OK;
    assert(v->n == r->c->head->states);
    memcpy(y, v->x, v->n * sizeof *y);
    if (let_go(r, z, d, KEPT, COSY_REAL_MAX) && !to_threshold(r, v->t, y))
        memcpy(y, v->x, v->n * sizeof *y);
    if (!stop_states(r, v->t, y))
        return STATUS_OK;
    for (uint32_t i = 0; i < v->n; i++)
        by[i] = y[i] - v->x[i];
    if (!steps && solver_error(v, v->x, v->x, by, &where) <= ASTRAY &&
        !let_go(r, z, d, R(0.25) * away(r), ASTRAY * drifted(r)))
        return STATUS_OK;
    memcpy(v->x, y, v->n * sizeof *y);
    *moved = true;
    return STATUS_OK;
}
