#include "cosy/unit.h"
#include "solve/history_part.h"

#include <assert.h>
#include <string.h>

/* ---- Life ------------------------------------------------------------------ */

/* Puts down the rows of `memories` that the delays have: those of the fixed part,
   then those of each active copy. */
static void list_delays(History *h, uint32_t *memory)
{
    const CosyModel *m = h->model;
    uint32_t k = 0;
    h->delays = 0;
    for (; k < m->n_memories && m->memories[k].process == 0; k++)
        if (m->memories[k].kind == COSY_DELAY)
            memory[h->delays++] = k;
    for (uint32_t p = 0; p < m->n_copies; p++) {
        uint32_t end = k;
        while (end < m->n_memories && m->memories[end].process == p + 1)
            end++;
        for (uint32_t i = 0; i < h->c->copy[p].active && k < end; i++)
            for (uint32_t j = k; j < end; j++)
                if (m->memories[j].kind == COSY_DELAY)
                    memory[h->delays++] = j;
        k = end;
    }
}

/* The most delays that there may be now. */
static size_t most_delays(const History *h)
{
    const CosyModel *m = h->model;
    size_t n = m->n_memories;
    for (uint32_t p = 0; p < m->n_copies; p++)
        n += (size_t)h->c->copy[p].active * m->copies[p].delays;
    return n;
}

/* Rows of a piece: the input of every delay, then the lags that may vary. */
static Status lay_out(History *h)
{
    size_t n = most_delays(h) + 1;
    if (!vector_fit(&h->tables, 4 * n * sizeof(uint32_t)))
        return STATUS_MEMORY;
    uint32_t *memory = (uint32_t *)(void *)h->tables.bytes;
    uint32_t *lag = memory + n, *owner = lag + n;
    list_delays(h, memory);
    h->rows = h->delays;
    for (uint32_t k = 0; k < h->delays; k++) {
        bool varies = h->model->memories[memory[k]].varies;
        owner[k] = k;
        lag[k] = varies ? h->rows : COSY_NONE;
        if (varies)
            owner[h->rows++] = k;
    }
    h->memory = memory;
    h->lag = lag;
    h->owner = owner;
    return STATUS_OK;
}

Status history_create(History *h, Cosy *c, Arena *a, Image *image, Fault *f)
{
    memset(h, 0, sizeof *h);
    h->model = c->model;
    h->c = c;
    h->fault = f;
    for (uint32_t k = 0; k < c->model->n_memories; k++)
        h->able = h->able || c->model->memories[k].kind == COSY_DELAY;
    if (!h->able)
        return STATUS_OK;
    h->state.points = 2;
    TRY(image_add(image, a, "history", &h->state, sizeof h->state));
    TRY(image_add_vector(image, a, "history.pieces", &h->pieces));
    TRY(image_add_vector(image, a, "history.breaks", &h->breaks));
    TRY(image_add_vector(image, a, "history.delays", &h->delay));
    TRY(lay_out(h));
    if (!vector_fit(&h->delay, h->delays * sizeof(HistoryDelay)))
        return STATUS_MEMORY;
    return history_attach(h);
}

void history_free(History *h)
{
    Vector *all[] = {&h->pieces, &h->breaks, &h->delay, &h->scratch,
                     &h->tables};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
}

Status history_attach(History *h)
{
    if (!h->able)
        return STATUS_OK;
    assert(!h->stepping);
    if (h->model->n_copies)
        TRY(lay_out(h));
    h->settled = h->visible = history_pieces(h);
    return history_scratch(h);
}

static Status add_break(History *h, real t, uint32_t level)
{
    size_t n;
    HistoryBreak *b = history_breaks(h, &n), made = {.t = t, .level = level};
    assert(n == 0 || b[n - 1].t <= t);
    if (n && b[n - 1].t == t) {
        if (level < b[n - 1].level)
            b[n - 1].level = level;
        return STATUS_OK;
    }
    return vector_append(&h->breaks, &made, sizeof made) ? STATUS_OK
                                                         : STATUS_MEMORY;
}

Status history_begin(History *h, real t, real relerr)
{
    if (!h->able)
        return STATUS_OK;
    TRY(lay_out(h));
    if (h->delays && h->c->head->t_end < h->c->head->t_begin) {
        const CosyMemoryInfo *m = &h->model->memories[h->memory[0]];
        return fault_set(h->fault, STATUS_UNSUPPORTED,
                         "%s:%u: %s: a run backward in time has no past: leave "
                         "the delay out, or run forward",
                         h->model->source, m->line, m->name);
    }
    real digits = relerr > R(0.0) ? -cosy_log10(relerr) : R(6.0);
    h->state = (HistoryState){.now = t,
                              .points = 6 + (uint32_t)(R(0.6) * digits),
                              .cuts = HISTORY_CUTS,
                              .patience = HISTORY_PATIENCE};
    h->pieces.used = h->breaks.used = 0;
    h->found = 0;
    h->stepping = h->asked_now = false;
    if (!vector_fit(&h->delay, h->delays * sizeof(HistoryDelay)))
        return STATUS_MEMORY;
    memset(h->delay.bytes, 0, h->delay.used);
    for (uint32_t k = 0; k < h->delays; k++)
        history_delays(h)[k].born = -COSY_REAL_MAX;
    TRY(history_attach(h));
    return add_break(h, t, 0);
}

/* ---- Copies come and go ------------------------------------------------------ */

/* How rows were laid out before. */
typedef struct OldRows {
    uint32_t delays, rows;
    const uint32_t *lag;
} OldRows;

/* The row that a row was before; COSY_NONE: it is new. */
static uint32_t old_row(const History *h, const OldRows *old, const Moves *m,
                        uint32_t row)
{
    uint32_t from = moves_from(m, h->owner[row]);
    if (from == COSY_NONE || row < h->delays)
        return from;
    return old->lag[from];
}

/* All pieces get the rows of the new layout; new rows are never read. */
static Status move_rows(History *h, const OldRows *old, const Moves *m)
{
    size_t n = h->state.points * sizeof(real), head = 2 * sizeof(real);
    size_t before = head + old->rows * n, size = head + h->rows * n;
    size_t count = h->pieces.used / before;
    Vector made = {0};
    if (!vector_append(&made, NULL, count * size + sizeof(real)))
        return STATUS_MEMORY;
    made.used = count * size;
    for (size_t k = 0; k < count; k++)
        memcpy(made.bytes + k * size, h->pieces.bytes + k * before, head);
    for (uint32_t row = 0; row < h->rows; row++) {
        uint32_t from = old_row(h, old, m, row);
        for (size_t k = 0; k < count && from != COSY_NONE; k++)
            memcpy(made.bytes + k * size + head + row * n,
                   h->pieces.bytes + k * before + head + from * n, n);
    }
    vector_free(&h->pieces);
    h->pieces = made;
    return STATUS_OK;
}

/* Delays that have just become active, at time t. */
static Status begin_new(History *h, real t, const Moves *m)
{
    size_t n;
    bool any = false;
    for (uint32_t k = 0; k < h->delays; k++)
        any = any || moves_from(m, k) == COSY_NONE;
    if (!any)
        return STATUS_OK;
    TRY(add_break(h, t, 0));
    history_breaks(h, &n);
    for (uint32_t k = 0; k < h->delays; k++)
        if (moves_from(m, k) == COSY_NONE) {
            history_delays(h)[k].born = t;
            history_delays(h)[k].next = (uint32_t)n - 1;
        }
    h->asked_now = true;
    return STATUS_OK;
}

Status history_move(History *h, real t, const Moves *m)
{
    Vector scratch = {0}, tables = h->tables;
    const OldRows old = {h->delays, h->rows, h->lag};
    if (!h->able)
        return STATUS_OK;
    history_drop(h);
    memset(&h->tables, 0, sizeof h->tables);
    Status status = lay_out(h);
    if (status == STATUS_OK &&
        !moves_apply(m, &h->delay, sizeof(HistoryDelay), &scratch))
        status = STATUS_MEMORY;
    if (status == STATUS_OK && old.delays == 0) { // nothing was kept meanwhile
        h->pieces.used = h->breaks.used = 0;
        h->state.first = 0;
        h->state.now = t;
    } else if (status == STATUS_OK) {
        status = move_rows(h, &old, m);
    }
    vector_free(&tables);
    vector_free(&scratch);
    TRY(status);
    TRY(history_attach(h));
    return begin_new(h, t, m);
}

/* ---- Reading --------------------------------------------------------------- */

CosyStatus history_value(History *h, uint32_t delay, real t, real *value)
{
    return history_read(h, delay, t, value, NULL);
}

CosyStatus history_rate(History *h, uint32_t delay, real t, real *rate)
{
    real value;
    return history_read(h, delay, t, &value, rate);
}

/* ---- Accepted points -------------------------------------------------------- */

static Status lag_refused(const History *h, uint32_t k, real t, real tau)
{
    const CosyMemoryInfo *m = &h->model->memories[h->memory[k]];
    return fault_set(
        h->fault, STATUS_NUMBER,
        "%s:%u: time %.17g%s%s: %s has a delay of %.17g%s%s: it must be a "
        "number, and not less than zero",
        h->model->source, m->line, (double)t, COSY_IN_TIME(h->model), m->name,
        (double)tau, COSY_IN_TIME(h->model));
}

static Status not_kept(const History *h, uint32_t k, real t, real oldest)
{
    const CosyMemoryInfo *m = &h->model->memories[h->memory[k]];
    return fault_set(h->fault, STATUS_LIMIT,
                     "%s:%u: time %.17g%s%s: %s has a delay of %.17g%s%s: its "
                     "input is kept only from time %.17g%s%s on, because its "
                     "delays were much shorter for a long time. Let it be this "
                     "long early in the run, or make fewer steps",
                     h->model->source, m->line, (double)t,
                     COSY_IN_TIME(h->model), m->name,
                     (double)history_lags(h)[k], COSY_IN_TIME(h->model),
                     (double)oldest, COSY_IN_TIME(h->model));
}

/* Checks a lag that was evaluated at t. One that reaches zero may be off by as
   much as the STATEs it depends on. */
static Status check_lag(const History *h, uint32_t k, real t, real tau,
                        real relerr)
{
    real longest = history_delays(h)[k].longest;
    real room = R(100.0) * relerr * longest + history_slack(t, R(0.0));
    if (!(tau >= -room) || !(tau < COSY_REAL_MAX))
        return lag_refused(h, k, t, tau);
    if (h->settled == h->state.first)
        return STATUS_OK;
    real back = t - tau, oldest = history_piece(h, (size_t)h->state.first)[0];
    real begun = cosy_max(h->c->head->t_begin, history_delays(h)[k].born);
    if (back < oldest - history_slack(t, tau) && back >= begun)
        return not_kept(h, k, t, oldest);
    return STATUS_OK;
}

/* Takes over the lags that were evaluated at t. */
static Status take_lags(History *h, real t, real relerr, bool step)
{
    for (uint32_t k = 0; k < h->delays; k++) {
        HistoryDelay *d = &history_delays(h)[k];
        real tau = history_lags(h)[k];
        TRY(check_lag(h, k, t, tau, relerr));
        if (step && cosy_abs(tau - d->tau) > history_slack(tau, R(0.0)))
            d->varies = 1;
        d->tau = tau;
        d->longest = cosy_max(d->longest, tau);
    }
    return STATUS_OK;
}

Status history_check(History *h, real t, const real *x)
{
    if (h->delays == 0 || h->model->delays(h->c, t, x, history_inputs(h),
                                           history_lags(h)) != COSY_OK)
        return STATUS_OK;
    return take_lags(h, t, R(0.0), false);
}

/* What was evaluated at t becomes the present. */
static void take_now(History *h, real t)
{
    assert(t >= h->state.now);
    h->state.now = t;
    for (uint32_t k = 0; k < h->delays; k++) {
        HistoryDelay *d = &history_delays(h)[k];
        d->now = history_inputs(h)[k];
        if (d->born == t)
            d->first = d->now;
        d->size = cosy_max(d->size, cosy_abs(d->now));
    }
}

/* Lags and sizes of inputs inside the step that has just been settled. */
static Status look_inside(History *h, size_t from, real relerr)
{
    uint32_t n = h->state.points;
    for (size_t i = from; i < h->settled; i++) {
        const real *p = history_piece(h, i);
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < h->rows; k++) {
                HistoryDelay *d = &history_delays(h)[h->owner[k]];
                real v = p[2 + (size_t)k * n + j];
                real t = p[0] + history_nodes(h)[j] * (p[1] - p[0]);
                if (k < h->delays) {
                    d->size = cosy_max(d->size, cosy_abs(v));
                    continue;
                }
                TRY(check_lag(h, h->owner[k], t, v, relerr));
                d->longest = cosy_max(d->longest, v);
            }
    }
    return STATUS_OK;
}

/* True if the pieces after the settled ones belong to the step as it is now;
   its far end has just been evaluated. */
static bool is_written(const History *h, const Solver *s)
{
    uint32_t n = h->state.points;
    if (h->visible == h->settled)
        return false;
    const real *p = history_piece(h, h->visible - 1);
    if (p[1] != s->t)
        return false;
    for (uint32_t k = 0; k < h->delays; k++)
        if (p[2 + (size_t)k * n + n - 1] != history_inputs(h)[k])
            return false;
    return true;
}

Status history_step(History *h, Solver *s)
{
    real change, relerr = s->options.relerr;
    if (h->delays == 0 || s->t == s->t0) {
        history_drop(h);
        return STATUS_OK;
    }
    TRY(history_ask(h, s->t, s->x));
    if (!is_written(h, s)) {
        TRY(history_write(h, s, &change));
        TRY(history_ask(h, s->t, s->x));
    }
    size_t from = h->settled;
    h->settled = h->visible;
    h->stepping = false;
    h->state.limited = h->limited ? h->state.limited + 1 : 0;
    TRY(take_lags(h, s->t, relerr, true));
    take_now(h, s->t);
    TRY(look_inside(h, from, relerr));
    history_forget(h, s->t0);
    return STATUS_OK;
}

void history_drop(History *h)
{
    if (h->delays)
        history_cut_back(h);
    h->stepping = false;
}

Status history_return(History *h, real t, const real *x)
{
    if (h->delays == 0 || t >= h->state.now)
        return STATUS_OK;
    TRY(history_shorten(h, t));
    TRY(history_ask(h, t, x));
    h->state.now = t;
    TRY(take_lags(h, t, R(0.0), false));
    take_now(h, t);
    return STATUS_OK;
}

/* ---- Instants ---------------------------------------------------------------- */

#define ROUNDS 100
#define BEGINS 20 // rounds in which a copy that begins finds its past

/* Equal up to rounding. */
static bool same(real a, real b)
{
    return a == b || cosy_abs(a - b) <= R(4.0) * COSY_EPSILON * cosy_abs(a);
}

Status history_settle(History *h, real t, const real *x, uint32_t round,
                      bool *changed)
{
    *changed = false;
    if (h->delays == 0 || !h->asked_now)
        return STATUS_OK;
    h->asked_now = false;
    TRY(history_ask(h, t, x));
    for (uint32_t k = 0; k < h->delays; k++) {
        const HistoryDelay *d = &history_delays(h)[k];
        real now = d->now, tau = history_lags(h)[k];
        bool begins = d->born == t && round < BEGINS;
        if ((tau > history_slack(t, tau) && !begins) ||
            same(history_inputs(h)[k], now))
            continue;
        *changed = true;
        const CosyMemoryInfo *m = &h->model->memories[h->memory[k]];
        if (round == ROUNDS)
            return fault_set(
                h->fault, STATUS_NUMBER,
                "%s:%u: time %.17g%s%s: %s has a delay of 0, and its input "
                "depends on what comes out: no value is consistent",
                h->model->source, m->line, (double)t, COSY_IN_TIME(h->model),
                m->name);
    }
    take_now(h, t);
    return STATUS_OK;
}

/* Finds the part of the past that a delay reads at t: a break that is just
   reached has come out. */
static void enter_era(History *h, uint32_t k, real t)
{
    size_t n;
    const HistoryBreak *b = history_breaks(h, &n);
    HistoryDelay *d = &history_delays(h)[k];
    real back = t - d->tau + history_slack(t, d->tau);
    while (d->next > 0 && b[d->next - 1].t > back)
        d->next--;
    while (d->next < n && b[d->next].t <= back)
        d->next++;
    while (d->next < n && b[d->next].t < d->born)
        d->next++;
}

/* True if the input of a delay has jumped since the last step. */
static bool jumped(const History *h, uint32_t k)
{
    uint32_t n = h->state.points;
    if (h->settled == h->state.first)
        return false;
    const real *value = history_piece(h, h->settled - 1) + 2 + (size_t)k * n;
    real input = history_inputs(h)[k], most = cosy_abs(input);
    for (uint32_t i = 0; i < n; i++)
        most = cosy_max(most, cosy_abs(value[i]));
    return cosy_abs(input - value[n - 1]) > R(1e4) * COSY_EPSILON * most;
}

Status history_instant(History *h, real t, const real *x, bool event)
{
    if (h->delays == 0)
        return STATUS_OK;
    history_drop(h);
    TRY(history_ask(h, t, x));
    TRY(take_lags(h, t, R(0.0), false));
    take_now(h, t);
    for (uint32_t k = 0; k < h->delays; k++)
        event |= jumped(h, k);
    if (event)
        TRY(add_break(h, t, 0));
    for (uint32_t k = 0; k < h->delays; k++)
        enter_era(h, k, t);
    return STATUS_OK;
}

/* ---- Before a step ----------------------------------------------------------- */

/* If accuracy allows a step that is longer than a lag by this factor, repeating
   the step is cheaper than cutting it. Without STATEs nothing says what
   accuracy allows. */
static real most_cuts(const Solver *s)
{
    return s->n ? R(16.0) : R(1024.0);
}

static Status lag_too_short(const History *h, const Solver *s)
{
    return fault_set(h->fault, STATUS_UNSUPPORTED,
                     "time %.17g%s%s: a delay is zero, or next to zero, and "
                     "METHOD %s cannot make a step that is longer than a "
                     "delay: choose a one-step method, as METHOD AUTO does",
                     (double)s->t, COSY_IN_TIME(h->model), s->method->name);
}

/* A lag that is shorter than the step ends it there, or leaves it alone. */
static Status limit_by_lag(History *h, Solver *s, real shortest, real longest,
                           real *limit)
{
    bool fixed = s->options.step != R(0.0);
    real natural = cosy_abs(fixed ? s->options.step : s->h);
    bool tiny = shortest <= R(1e3) * history_slack(s->t, R(0.0));
    if (!h->repeats && (tiny || shortest < longest / R(1e6)))
        return lag_too_short(h, s);
    if (s->n == 0 || natural > *limit - s->t)
        natural = *limit - s->t;
    if (h->repeats && (tiny || natural > most_cuts(s) * shortest))
        return STATUS_OK;
    if (h->repeats && !fixed && h->state.limited >= h->state.patience) {
        s->h = R(2.0) * most_cuts(s) * shortest;
        return STATUS_OK;
    }
    h->limited = natural > shortest;
    *limit = cosy_min(*limit, s->t + shortest);
    return STATUS_OK;
}

Status history_limit(History *h, Solver *s, real *limit)
{
    size_t n;
    const HistoryBreak *b = history_breaks(h, &n);
    real shortest = COSY_REAL_MAX, longest = R(0.0);
    assert(h->visible == h->settled && s->t == h->state.now);
    for (uint32_t k = 0; k < h->delays; k++) {
        const HistoryDelay *d = &history_delays(h)[k];
        if (d->tau < shortest) {
            shortest = d->tau;
            longest = d->longest;
        }
        if (d->next < n && !d->varies && b[d->next].t + d->tau > s->t)
            *limit = cosy_min(*limit, b[d->next].t + d->tau);
    }
    h->stepping = true;
    h->limited = h->ahead = false;
    h->repeats = (s->method->features & METHOD_SAVES) != 0;
    return limit_by_lag(h, s, shortest, longest, limit);
}

/* ---- Breaks ------------------------------------------------------------------- */

/* The break that comes out of the delay at t, NULL if none does. A lag that
   grows faster than time goes over breaks the other way: *step is then -1. What
   was before a copy came is no break of its delays. */
static const HistoryBreak *due(const History *h, uint32_t k, real t, int *step)
{
    size_t n;
    const HistoryBreak *b = history_breaks(h, &n);
    const HistoryDelay *d = &history_delays(h)[k];
    real back = t - d->tau, room = history_slack(t, d->tau);
    *step = 1;
    if (d->next < n && b[d->next].t <= back + room)
        return &b[d->next];
    *step = -1;
    bool over = d->next > 0 && back < b[d->next - 1].t - room &&
                b[d->next - 1].t >= d->born;
    return over ? &b[d->next - 1] : NULL;
}

bool history_due(const History *h, real t)
{
    int step;
    for (uint32_t k = 0; k < h->delays; k++)
        if (due(h, k, t, &step))
            return true;
    return false;
}

/* About how many breaks follow from one: one for each lag, three if the lag
   goes back and forth. Beyond MANY the number does not matter. */
#define MANY 5

static uint32_t offspring(const History *h)
{
    real seen[MANY];
    uint32_t n = 0, sum = 0;
    for (uint32_t k = 0; k < h->delays && sum < MANY; k++) {
        const HistoryDelay *d = &history_delays(h)[k];
        uint32_t i = 0;
        while (i < n && (d->varies || seen[i] != d->tau))
            i++;
        if (i < n)
            continue;
        seen[n++] = d->varies ? R(-1.0) : d->tau;
        sum += d->returns ? 3 : 1;
    }
    assert(n <= MANY);
    return sum;
}

/* Levels up to which breaks are kept: all that the method notices or, if each
   has several successors, about thirty in all. The rest are so smooth that
   error control handles them at less cost. */
static uint32_t levels(const History *h, int order)
{
    static const uint32_t most[] = {4, 4, 4, 2, 2, 2};
    uint32_t n = offspring(h);
    uint32_t all = (uint32_t)order;
    if (n <= 1)
        return all;
    n = n < LENGTH(most) ? n : (uint32_t)LENGTH(most) - 1;
    return most[n] < all ? most[n] : all;
}

Status history_pass(History *h, real t, int order, uint32_t *level)
{
    const HistoryBreak *b;
    int step;
    *level = UINT32_MAX;
    for (uint32_t k = 0; k < h->delays; k++)
        while ((b = due(h, k, t, &step)) != NULL) {
            HistoryDelay *d = &history_delays(h)[k];
            d->next += (uint32_t)step;
            d->returns |= step < 0;
            *level = b->level < *level ? b->level : *level;
        }
    return *level < levels(h, order) ? add_break(h, t, *level + 1) : STATUS_OK;
}
