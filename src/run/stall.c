#include "run/stall.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"
#include "solve/linear.h"

/* Steps after which the pace at the beginning of a window is known. */
#define EARLY (STALL_STEPS * 2 / 5)
/* The step has doubled compared with the first part. */
#define FASTER R(2.0)
#define GROWS  R(1.01) // less is no growth
/* A state that stays within this part of its size, or this many tolerances,
   stands still on the scale of a run. */
#define PART       R(1e-3)
#define TOLERANCES R(1e3)
/* A state that goes back and forth covers more than the range it stays in. */
#define AGAIN R(1.5)

Status stall_create(Run *r)
{
    Stall *s = &r->stall;
    TRY(image_add(&r->image, &r->arena, "stall.state", &s->state,
                  sizeof s->state));
    return image_add_vector(&r->image, &r->arena, "stall.range", &s->range);
}

void stall_free(Stall *s)
{
    vector_free(&s->range);
}

/* What is kept of each state. */
enum { LOW, HIGH, WAY, PARTS };

static real *part_of(Run *r, size_t part)
{
    return (real *)(void *)r->stall.range.bytes + part * r->solver.n;
}

/* Events of the model itself, without its hidden relations. */
static uint64_t happened(const Run *r)
{
    const uint64_t *n = r->record.counts;
    return n[LOG_STATE] + n[LOG_TIME] + n[LOG_PROCESS] + n[LOG_SAMPLE];
}

/* ---- The range of each state ------------------------------------------------ */

static Status range_begin(Run *r)
{
    size_t size = r->solver.n * sizeof(real);
    if (!vector_fit(&r->stall.range, PARTS * size))
        return STATUS_MEMORY;
    memcpy(part_of(r, LOW), r->solver.x, size);
    memcpy(part_of(r, HIGH), r->solver.x, size);
    memset(part_of(r, WAY), 0, size);
    return STATUS_OK;
}

static void range_widen(Run *r)
{
    const Solver *s = &r->solver;
    real *low = part_of(r, LOW), *high = part_of(r, HIGH);
    real *way = part_of(r, WAY);
    for (uint32_t i = 0; i < s->n; i++) {
        low[i] = cosy_min(low[i], s->x[i]);
        high[i] = cosy_max(high[i], s->x[i]);
        way[i] += cosy_abs(s->x[i] - s->x0[i]);
    }
}

/* Whether no state has moved by more than its absolute error. */
static bool all_rest(Run *r)
{
    const real *low = part_of(r, LOW), *high = part_of(r, HIGH);
    for (uint32_t i = 0; i < r->solver.n; i++)
        if (!(high[i] - low[i] <= r->solver.abserr[i]))
            return false;
    return true;
}

static real size_of(Run *r, uint32_t i)
{
    real low = part_of(r, LOW)[i], high = part_of(r, HIGH)[i];
    return cosy_max(r->solver.size[i], cosy_max(cosy_abs(low), cosy_abs(high)));
}

/* Whether a state is alive on the scale of these steps: it goes back and forth,
   or far in comparison with all others. A state that begins at zero goes far
   only in comparison with itself. */
static bool is_alive(Run *r, uint32_t i, real largest)
{
    const Solver *s = &r->solver;
    real range = part_of(r, HIGH)[i] - part_of(r, LOW)[i];
    real size = size_of(r, i);
    real tolerance = s->abserr[i] + s->options.relerr * size;
    if (range <= PART * size || range <= TOLERANCES * tolerance)
        return false;
    return range > PART * largest || part_of(r, WAY)[i] > AGAIN * range;
}

static bool any_alive(Run *r)
{
    real largest = R(0.0);
    for (uint32_t i = 0; i < r->solver.n; i++)
        largest = cosy_max(largest, size_of(r, i));
    for (uint32_t i = 0; i < r->solver.n; i++)
        if (is_alive(r, i, largest))
            return true;
    return false;
}

/* ---- Windows ---------------------------------------------------------------- */

static bool endless(const Run *r)
{
    return r->options.to_finish;
}

/* Primes in turn, so that a periodic motion is not always seen at the same
   point of its period. */
static uint64_t stride(uint64_t steps)
{
    static const uint16_t prime[] = {997, 1013, 983, 1031, 971};
    return prime[steps / 1000 % LENGTH(prime)];
}

static uint64_t close_from(const Run *r)
{
    return (endless(r) ? STALL_STILL : STALL_STEPS) - STALL_CLOSE;
}

static void next_stop(Run *r)
{
    StallState *s = &r->stall.state;
    uint64_t from = close_from(r);
    if (endless(r))
        s->next = s->steps + stride(s->steps);
    else
        s->next = s->steps < EARLY ? EARLY : from;
    if (s->next > from)
        s->next = from;
    if (s->steps >= from)
        s->next = s->steps + 1;
}

static Status window_begin(Run *r)
{
    StallState *s = &r->stall.state;
    uint8_t told = s->told;
    *s = (StallState){.begin = r->solver.t,
                      .events = happened(r),
                      .n = r->solver.n,
                      .culprit = COSY_NONE,
                      .condition = COSY_NONE,
                      .told = told};
    next_stop(r);
    return endless(r) ? range_begin(r) : STATUS_OK;
}

static real advance_since(const Run *r, real t)
{
    return cosy_abs(r->solver.t - t);
}

/* Whether the user has asked for steps no longer than this. */
static bool is_wanted(const Run *r, real mean)
{
    const SolverOptions *o = &r->solver.options;
    return (o->step > R(0.0) && mean > R(0.5) * o->step) ||
           (o->dtmax > R(0.0) && mean > R(0.5) * o->dtmax);
}

/* How many steps like the last `steps` the rest of the run is. */
static real rest_of(const Run *r, real end, real advance, uint64_t steps)
{
    real left = cosy_abs(end - r->solver.t);
    return advance > R(0.0) ? left / advance * (real)steps : COSY_REAL_MAX;
}

static bool is_slow(const Run *r, real end)
{
    const StallState *s = &r->stall.state;
    real all = advance_since(r, s->begin);
    return rest_of(r, end, all, s->steps) > STALL_REST &&
           !is_wanted(r, all / (real)s->steps);
}

/* ---- The close look --------------------------------------------------------- */

static Status close_begin(Run *r)
{
    StallState *s = &r->stall.state;
    s->closely = 1;
    s->close = r->solver.t;
    s->refused = r->solver.refused;
    next_stop(r);
    return endless(r) ? STATUS_OK : range_begin(r);
}

/* The state with the majority leads in the end (Boyer and Moore). */
static void vote(StallState *s, uint32_t culprit)
{
    if (s->votes == 0)
        s->culprit = culprit;
    if (s->culprit == culprit)
        s->votes++;
    else
        s->votes--;
}

static void note_crossing(Run *r)
{
    StallState *s = &r->stall.state;
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    s->crossings++;
    for (uint32_t k = 0; k < r->watch.count; k++)
        if (w[k].fired) {
            s->condition = w[k].id;
            return;
        }
}

/* Whether a condition draws nearer, according to its derivative: FINISH TIME >
   1E6 will come true one day although no state moves. */
static bool any_approach(Run *r)
{
    const Watched *w = (const Watched *)(const void *)r->watch.list.bytes;
    const StallState *s = &r->stall.state;
    real dt = r->solver.t - s->begin;
    for (uint32_t k = 0; k < r->watch.count; k++) {
        real way = w[k].dz * dt;
        if (way * w[k].z < R(0.0) && cosy_abs(way) > PART * cosy_abs(w[k].z))
            return true;
    }
    return false;
}

static bool any_finish(const Run *r)
{
    const CosyModel *m = r->model;
    for (uint32_t k = 0; k < m->n_conditions_info; k++)
        if (m->conditions_info[k].kind == COSY_FINISH)
            return true;
    return false;
}

/* ---- What is said ----------------------------------------------------------- */

/* It is a long way to the end, but the model is alive: that may be intended. */
static void tell_length(Run *r, real rest)
{
    char text[200];
    StallState *s = &r->stall.state;
    if (s->told || any_finish(r))
        return;
    s->told = 1;
    snprintf(text, sizeof text,
             "time %.15g: the rest of the run takes about %.1e more steps: end "
             "it earlier if you do not want to wait for them",
             (double)r->solver.t, (double)rest);
    r->c->host->message(r->c, COSY_NOTE_NOW, 0, text);
}

static Status ring(Run *r, real end)
{
    const StallState *s = &r->stall.state;
    real advance = advance_since(r, s->begin);
    StallReport report = {
        .steps = s->steps,
        .advance = advance,
        .step = advance_since(r, s->close) / (real)STALL_CLOSE,
        .rest = endless(r) ? R(0.0) : rest_of(r, end, advance, s->steps),
        .culprit = s->culprit,
        .condition = COSY_NONE,
        .outside = r->solver.refused - s->refused > STALL_CLOSE / 20,
        .wanted = is_wanted(r, advance / (real)s->steps),
    };
    if (s->crossings > STALL_CLOSE / 2)
        report.condition = s->condition;
    return run_stalled(r, &report);
}

/* Whether steps that keep growing as they did between the first and the last
   part of the window bring the run to its end. A transient that is followed to
   thirty digits takes hundreds of thousands of such steps. */
static bool gets_there(const Run *r, real end, real first, real last)
{
    const StallState *s = &r->stall.state;
    real left = cosy_abs(end - r->solver.t);
    if (!(first > R(0.0) && last > GROWS * first))
        return false;
    real between = (real)(s->steps - (EARLY + STALL_CLOSE) / 2);
    real rate = cosy_log(last / first) / between;
    return cosy_log(R(1.0) + left * rate / last) / rate < STALL_REST;
}

static Status judge(Run *r, real end)
{
    const StallState *s = &r->stall.state;
    if (endless(r))
        return any_approach(r) ? window_begin(r) : ring(r, end);
    real first = cosy_abs(s->early - s->begin) / (real)EARLY;
    real last = advance_since(r, s->close) / (real)STALL_CLOSE;
    bool held = is_slow(r, end) && !(last > FASTER * first) &&
                !gets_there(r, end, first, last);
    if (held && !any_alive(r))
        return ring(r, end);
    if (held)
        tell_length(r, rest_of(r, end, advance_since(r, s->begin), s->steps));
    return window_begin(r);
}

static Status look_closely(Run *r, real end, bool crossed)
{
    StallState *s = &r->stall.state;
    range_widen(r);
    if (endless(r) && (!all_rest(r) || s->events != happened(r)))
        return window_begin(r);
    if (r->solver.method->culprit)
        r->solver.method->culprit(&r->solver);
    vote(s, r->solver.culprit);
    if (crossed)
        note_crossing(r);
    if (s->steps >= close_from(r) + STALL_CLOSE)
        return judge(r, end);
    next_stop(r);
    return STATUS_OK;
}

void stall_forget(Stall *s)
{
    s->state.next = s->state.steps = 0;
}

Status stall_look(Run *r, real end, bool crossed)
{
    StallState *s = &r->stall.state;
    assert(s->steps >= s->next);
    if (r->solver.n == 0 || s->n != r->solver.n || s->next == 0)
        return window_begin(r);
    if (s->closely)
        return look_closely(r, end, crossed);
    if (endless(r)) {
        range_widen(r);
        if (!all_rest(r) || s->events != happened(r))
            return window_begin(r);
    }
    if (s->steps == EARLY)
        s->early = r->solver.t;
    if (s->steps < close_from(r)) {
        next_stop(r);
        return STATUS_OK;
    }
    if (endless(r) || is_slow(r, end))
        return close_begin(r);
    return window_begin(r);
}
