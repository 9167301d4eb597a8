#include "solve/history.h"

#include <stdio.h>
#include <string.h>

#include "solve/bracket.h"
#include "solve/linear.h"

#define SPLIT_MOST 12 // halvings of one step

static HistoryDelay *delays(const History *h)
{
    return (HistoryDelay *)(void *)h->delay.bytes;
}

static HistoryBreak *breaks(const History *h, size_t *count)
{
    *count = h->breaks.used / sizeof(HistoryBreak);
    return (HistoryBreak *)(void *)h->breaks.bytes;
}

/* Reals of one piece. */
static size_t piece_size(const History *h)
{
    return 2 + (size_t)h->delays * h->state.points;
}

static size_t piece_count(const History *h)
{
    return h->pieces.used / (piece_size(h) * sizeof(real));
}

static real *piece_at(const History *h, size_t k)
{
    return (real *)(void *)h->pieces.bytes + k * piece_size(h);
}

/* Parts of scratch. */
static real *inputs(const History *h)
{
    return (real *)(void *)h->scratch.bytes;
}

static real *taus(const History *h)
{
    return inputs(h) + h->delays;
}

static real *nodes(const History *h)
{
    return taus(h) + h->delays;
}

static real *point_of(const History *h)
{
    return nodes(h) + h->state.points;
}

/* Rounding errors of a time that was found by a sum of these. */
static real slack(real t, real tau)
{
    return R(8.0) * COSY_EPSILON * (cosy_abs(t) + cosy_abs(tau));
}

/* ---- Life ------------------------------------------------------------------ */

Status history_create(History *h, Cosy *c, Arena *a, Image *image, Fault *f)
{
    const CosyModel *m = c->model;
    memset(h, 0, sizeof *h);
    h->model = m;
    h->c = c;
    h->fault = f;
    uint32_t *memory = NEW_ARRAY(a, uint32_t, m->n_memories + 1);
    if (!memory)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < m->n_memories; k++)
        if (m->memories[k].kind == COSY_DELAY)
            memory[h->delays++] = k;
    h->memory = memory;
    if (h->delays == 0)
        return STATUS_OK;
    h->state.points = 2;
    TRY(image_add(image, a, "history", &h->state, sizeof h->state));
    TRY(image_add_vector(image, a, "history.pieces", &h->pieces));
    TRY(image_add_vector(image, a, "history.breaks", &h->breaks));
    TRY(image_add_vector(image, a, "history.delays", &h->delay));
    if (!vector_fit(&h->delay, h->delays * sizeof(HistoryDelay)))
        return STATUS_MEMORY;
    return history_attach(h);
}

void history_free(History *h)
{
    Vector *all[] = {&h->pieces, &h->breaks, &h->delay, &h->scratch};
    for (size_t k = 0; k < LENGTH(all); k++)
        vector_free(all[k]);
}

Status history_attach(History *h)
{
    const real half_pi = R(1.57079632679489661923132169163975144);
    uint32_t n = h->state.points;
    size_t size = 2 * (size_t)h->delays + n + h->c->head->states;
    if (h->delays == 0)
        return STATUS_OK;
    if (!vector_fit(&h->scratch, size * sizeof(real)))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < n; k++)
        nodes(h)[k] = cosy_square(cosy_sin(half_pi * (real)k / (real)(n - 1)));
    return STATUS_OK;
}

static Status add_break(History *h, real t, uint32_t level)
{
    size_t n;
    HistoryBreak *b = breaks(h, &n), made = {.t = t, .level = level};
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
    if (h->delays == 0)
        return STATUS_OK;
    if (h->c->head->t_end < h->c->head->t_begin) {
        const CosyMemoryInfo *m = &h->model->memories[h->memory[0]];
        return fault_set(h->fault, STATUS_UNSUPPORTED,
                         "%s:%u: %s: a run backward in time has no past: leave "
                         "the delay out, or run forward",
                         h->model->source, m->line, m->name);
    }
    real digits = relerr > R(0.0) ? -cosy_log10(relerr) : R(6.0);
    h->state = (HistoryState){.points = 6 + (uint32_t)(R(0.6) * digits)};
    h->pieces.used = h->breaks.used = 0;
    h->found = 0;
    memset(h->delay.bytes, 0, h->delay.used);
    TRY(history_attach(h));
    return add_break(h, t, 0);
}

/* ---- Reading ----------------------------------------------------------------- */

/* The piece of the delay's present part of the past in which t lies, or the one
   at the end that t is beyond; t is kept within a piece's length of it. */
static const real *find_piece(History *h, uint32_t delay, real *t)
{
    size_t n, low = (size_t)h->state.first, high = piece_count(h);
    const HistoryBreak *b = breaks(h, &n);
    uint32_t next = delays(h)[delay].next;
    real from = next > 0 ? b[next - 1].t : b[0].t;
    real to = next < n ? b[next].t : COSY_REAL_MAX;
    real at = cosy_max(from, cosy_min(*t, to));
    size_t k = h->found;
    if (!(k >= low && k < high && piece_at(h, k)[0] <= at &&
          at < piece_at(h, k)[1])) {
        while (low + 1 < high) {
            size_t middle = low + (high - low) / 2;
            if (piece_at(h, middle)[0] <= at)
                low = middle;
            else
                high = middle;
        }
        k = h->found = low;
    }
    while (k > h->state.first && piece_at(h, k)[0] >= to)
        k--;
    const real *p = piece_at(h, k);
    real length = p[1] - p[0];
    *t = cosy_max(p[0] - length, cosy_min(*t, p[1] + length));
    return p;
}

static CosyStatus outside(const History *h, uint32_t delay, real t)
{
    const CosyMemoryInfo *m = &h->model->memories[h->memory[delay]];
    char text[300];
    snprintf(text, sizeof text,
             "time %.17g: %s asks for its input at time %.17g, which is not "
             "kept: it lies before the start of the run, or before the longest "
             "delay so far",
             (double)h->c->head->t, m->name, (double)t);
    h->c->host->message(h->c, COSY_ERROR, m->line, text);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

/* The piece for t, and the place in it from 0 to 1. */
static CosyStatus read_at(History *h, uint32_t delay, real t,
                          const real **piece, real *u)
{
    size_t count = piece_count(h);
    if (count == h->state.first)
        return t < h->c->head->t_begin - slack(t, R(0.0))
                   ? outside(h, delay, t)
                   : COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
    const real *oldest = piece_at(h, (size_t)h->state.first);
    const real *newest = piece_at(h, count - 1);
    /* The present is no past yet: the step must be shorter. */
    if (t > newest[1] + slack(t, newest[1]) || !cosy_finite(t))
        return COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
    if (t < oldest[0] - cosy_max(oldest[1] - oldest[0], slack(t, oldest[0])))
        return outside(h, delay, t);
    *piece = find_piece(h, delay, &t);
    *u = (t - (*piece)[0]) / ((*piece)[1] - (*piece)[0]);
    return COSY_OK;
}

static real weight_of(const History *h, uint32_t k)
{
    real w = k == 0 || k + 1 == h->state.points ? R(0.5) : R(1.0);
    return k % 2 ? -w : w;
}

/* The polynomial through `value` at u; *at is the node that u is, or points. */
static real interpolate(const History *h, const real *value, real u,
                        uint32_t *at)
{
    const real *node = nodes(h);
    real above = R(0.0), below = R(0.0);
    for (uint32_t k = 0; k < h->state.points; k++) {
        real d = u - node[k];
        if (d == R(0.0)) {
            *at = k;
            return value[k];
        }
        real w = weight_of(h, k) / d;
        above += w * value[k];
        below += w;
    }
    *at = h->state.points;
    return above / below;
}

CosyStatus history_value(History *h, uint32_t delay, real t, real *value)
{
    const real *piece;
    real u;
    uint32_t at;
    COSY_TRY(read_at(h, delay, t, &piece, &u));
    *value =
        interpolate(h, piece + 2 + (size_t)delay * h->state.points, u, &at);
    return COSY_OK;
}

/* Formulas 9.1 to 9.4 of Berrut, Trefethen; very near a node, as on it. */
static real slope(const History *h, const real *value, real u)
{
    const real *node = nodes(h), near = cosy_sqrt(COSY_EPSILON);
    uint32_t at = h->state.points, ignored;
    real sum = R(0.0), below = R(0.0);
    for (uint32_t k = 0; k < h->state.points; k++)
        if (cosy_abs(u - node[k]) < near)
            at = k;
    real here =
        at < h->state.points ? value[at] : interpolate(h, value, u, &ignored);
    if (at < h->state.points)
        u = node[at];
    for (uint32_t k = 0; k < h->state.points; k++) {
        if (k == at)
            continue;
        real d = u - node[k], w = weight_of(h, k);
        real part = at < h->state.points ? w : w / d;
        sum += part * (here - value[k]) / d;
        below += part;
    }
    return at < h->state.points ? -sum / weight_of(h, at) : sum / below;
}

CosyStatus history_rate(History *h, uint32_t delay, real t, real *rate)
{
    const real *piece;
    real u;
    COSY_TRY(read_at(h, delay, t, &piece, &u));
    *rate = slope(h, piece + 2 + (size_t)delay * h->state.points, u) /
            (piece[1] - piece[0]);
    return COSY_OK;
}

/* ---- Writing ------------------------------------------------------------------- */

/* Inputs and delays at a point. */
static Status ask(History *h, real t, const real *x)
{
    CosyStatus status = h->model->delays(h->c, t, x, inputs(h), taus(h));
    if (status == COSY_OK)
        for (uint32_t k = 0; k < h->delays; k++)
            if (!cosy_finite(inputs(h)[k]))
                status = COSY_FAIL(COSY_NUMBER, k);
    if (status == COSY_OK)
        return STATUS_OK;
    uint32_t k = COSY_REASON(status) == COSY_NUMBER ? COSY_WHERE(status) : 0;
    const CosyMemoryInfo *m =
        &h->model->memories[h->memory[k < h->delays ? k : 0]];
    return fault_set(h->fault, STATUS_NUMBER,
                     "%s:%u: time %.17g: the input of %s has no value",
                     h->model->source, m->line, (double)t, m->name);
}

/* The same at a time of the last step. */
static Status ask_dense(History *h, Solver *s, real t)
{
    if (t == s->t)
        return ask(h, t, s->x);
    if (t == s->t0)
        return ask(h, t, s->x0);
    s->method->dense(s, t, point_of(h));
    return ask(h, t, point_of(h));
}

static Status tau_refused(const History *h, uint32_t k, real t, real tau)
{
    const CosyMemoryInfo *m = &h->model->memories[h->memory[k]];
    return fault_set(h->fault, STATUS_NUMBER,
                     "%s:%u: time %.17g: %s has a delay of %.17g: it must be "
                     "greater than zero, by more than the last places of time",
                     h->model->source, m->line, (double)t, m->name,
                     (double)tau);
}

/* Takes over the delays that were asked for at t. */
static Status take_taus(History *h, real t, bool step)
{
    for (uint32_t k = 0; k < h->delays; k++) {
        HistoryDelay *d = &delays(h)[k];
        real tau = taus(h)[k];
        if (!(tau > slack(t, R(0.0))) || !(tau < COSY_REAL_MAX))
            return tau_refused(h, k, t, tau);
        if (step && cosy_abs(tau - d->tau) > slack(tau, R(0.0)))
            d->varies = 1;
        d->tau = tau;
        d->longest = cosy_max(d->longest, tau);
    }
    return STATUS_OK;
}

Status history_check(History *h, real t, const real *x)
{
    if (h->delays == 0 ||
        h->model->delays(h->c, t, x, inputs(h), taus(h)) != COSY_OK)
        return STATUS_OK;
    return take_taus(h, t, false);
}

/* Whether the polynomials of the last piece follow the inputs at a place. */
static Status follows(History *h, Solver *s, real u, real relerr, bool *good)
{
    const real *p = piece_at(h, piece_count(h) - 1);
    real share = cosy_max(relerr / R(10.0), R(64.0) * COSY_EPSILON);
    uint32_t n = h->state.points, at;
    TRY(ask_dense(h, s, p[0] + u * (p[1] - p[0])));
    for (uint32_t k = 0; k < h->delays; k++) {
        const real *value = p + 2 + (size_t)k * n;
        real most = R(0.0);
        for (uint32_t i = 0; i < n; i++)
            most = cosy_max(most, cosy_abs(value[i]));
        real off = interpolate(h, value, u, &at) - inputs(h)[k];
        if (cosy_abs(off) > share * most)
            *good = false;
    }
    return STATUS_OK;
}

static Status write_piece(History *h, Solver *s, real from, real to)
{
    uint32_t n = h->state.points;
    size_t size = piece_size(h) * sizeof(real);
    if (!vector_append(&h->pieces, NULL, size))
        return STATUS_MEMORY;
    real *p = piece_at(h, piece_count(h) - 1);
    p[0] = from;
    p[1] = to;
    for (uint32_t i = 0; i < n; i++) {
        real t = i + 1 == n ? to : from + nodes(h)[i] * (to - from);
        TRY(ask_dense(h, s, t));
        for (uint32_t k = 0; k < h->delays; k++)
            p[2 + (size_t)k * n + i] = inputs(h)[k];
    }
    return STATUS_OK;
}

static Status write_step(History *h, Solver *s, real from, real to, int splits)
{
    bool good = true;
    real middle = from + (to - from) / R(2.0);
    TRY(write_piece(h, s, from, to));
    /* Between nodes, off the middle, which symmetry may spare. */
    TRY(follows(h, s, (nodes(h)[0] + nodes(h)[1]) / R(2.0), s->options.relerr,
                &good));
    if (good)
        TRY(follows(h, s, R(0.45), s->options.relerr, &good));
    if (good || splits == SPLIT_MOST || middle <= from || middle >= to)
        return STATUS_OK;
    h->pieces.used -= piece_size(h) * sizeof(real);
    TRY(write_step(h, s, from, middle, splits + 1));
    return write_step(h, s, middle, to, splits + 1);
}

/* Forgets what no delay reaches any more. */
static void forget(History *h, real t)
{
    size_t count = piece_count(h), size = piece_size(h) * sizeof(real);
    real oldest = t;
    for (uint32_t k = 0; k < h->delays; k++)
        oldest = cosy_min(oldest, t - R(1.01) * delays(h)[k].longest);
    while (h->state.first + 1 < count &&
           piece_at(h, (size_t)h->state.first)[1] < oldest)
        h->state.first++;
    if (h->state.first < 64 || h->state.first < count / 2)
        return;
    size_t gone = (size_t)h->state.first * size;
    memmove(h->pieces.bytes, h->pieces.bytes + gone, h->pieces.used - gone);
    h->pieces.used -= gone;
    h->state.first = 0;
    h->found = 0;
}

/* Breaks that are behind all delays, but the last of them, are forgotten too. */
static void forget_breaks(History *h)
{
    size_t n, gone = SIZE_MAX;
    HistoryBreak *b = breaks(h, &n);
    for (uint32_t k = 0; k < h->delays; k++)
        if (delays(h)[k].next < gone)
            gone = delays(h)[k].next;
    if (gone < 65 || gone < n / 2)
        return;
    gone--;
    memmove(b, b + gone, (n - gone) * sizeof *b);
    h->breaks.used = (n - gone) * sizeof *b;
    for (uint32_t k = 0; k < h->delays; k++)
        delays(h)[k].next -= (uint32_t)gone;
}

Status history_step(History *h, Solver *s)
{
    if (h->delays == 0 || s->t == s->t0)
        return STATUS_OK;
    TRY(write_step(h, s, s->t0, s->t, 0));
    TRY(ask(h, s->t, s->x));
    TRY(take_taus(h, s->t, true));
    forget(h, s->t);
    forget_breaks(h);
    return STATUS_OK;
}

/* ---- Breaks ------------------------------------------------------------------- */

/* Part of the past that a delay reads at t: a break that is just reached has
   come out. */
static void find_era(History *h, uint32_t k, real t)
{
    size_t n;
    const HistoryBreak *b = breaks(h, &n);
    HistoryDelay *d = &delays(h)[k];
    real back = t - d->tau + slack(t, d->tau);
    while (d->next > 0 && b[d->next - 1].t > back)
        d->next--;
    while (d->next < n && b[d->next].t <= back)
        d->next++;
}

/* Whether the input of a delay has jumped since the last step. */
static bool jumped(const History *h, uint32_t k)
{
    size_t count = piece_count(h);
    uint32_t n = h->state.points;
    if (count == h->state.first)
        return false;
    const real *value = piece_at(h, count - 1) + 2 + (size_t)k * n;
    real most = cosy_abs(inputs(h)[k]);
    for (uint32_t i = 0; i < n; i++)
        most = cosy_max(most, cosy_abs(value[i]));
    return cosy_abs(inputs(h)[k] - value[n - 1]) > R(1e4) * COSY_EPSILON * most;
}

Status history_instant(History *h, real t, const real *x, bool event)
{
    if (h->delays == 0)
        return STATUS_OK;
    TRY(ask(h, t, x));
    TRY(take_taus(h, t, false));
    for (uint32_t k = 0; k < h->delays; k++)
        event |= jumped(h, k);
    if (event)
        TRY(add_break(h, t, 0));
    for (uint32_t k = 0; k < h->delays; k++)
        find_era(h, k, t);
    return STATUS_OK;
}

Status history_limit(const History *h, real t, real *limit)
{
    size_t n;
    const HistoryBreak *b = breaks(h, &n);
    for (uint32_t k = 0; k < h->delays; k++) {
        const HistoryDelay *d = &delays(h)[k];
        real end = t + d->tau;
        if (d->next < n && !d->varies)
            end = cosy_min(end, b[d->next].t + d->tau);
        *limit = cosy_min(*limit, end);
    }
    return STATUS_OK;
}

/* The break that comes out of the delay at t, NULL if none does. A delay that
   grows faster than time goes over breaks the other way: *step is -1 then. */
static const HistoryBreak *due(const History *h, uint32_t k, real t, int *step)
{
    size_t n;
    const HistoryBreak *b = breaks(h, &n);
    const HistoryDelay *d = &delays(h)[k];
    real back = t - d->tau, room = slack(t, d->tau);
    *step = 1;
    if (d->next < n && b[d->next].t <= back + room)
        return &b[d->next];
    *step = -1;
    return d->next > 0 && back < b[d->next - 1].t - room ? &b[d->next - 1]
                                                         : NULL;
}

bool history_due(const History *h, real t)
{
    int step;
    for (uint32_t k = 0; k < h->delays; k++)
        if (due(h, k, t, &step))
            return true;
    return false;
}

Status history_pass(History *h, real t, int order, uint32_t *level)
{
    const HistoryBreak *b;
    int step;
    *level = UINT32_MAX;
    for (uint32_t k = 0; k < h->delays; k++)
        while ((b = due(h, k, t, &step)) != NULL) {
            delays(h)[k].next += (uint32_t)step;
            *level = b->level < *level ? b->level : *level;
        }
    return *level < (uint32_t)order ? add_break(h, t, *level + 1) : STATUS_OK;
}

/* ---- Delays that vary ------------------------------------------------------------ */

/* How far delay k is beyond its part of the past, at the point asked last:
   positive beyond its end, negative before its beginning, 0 within. */
static real beyond(const History *h, uint32_t k, real t)
{
    size_t n;
    const HistoryBreak *b = breaks(h, &n);
    uint32_t next = delays(h)[k].next;
    real back = t - taus(h)[k], room = slack(t, taus(h)[k]);
    if (next < n && back > b[next].t + room)
        return back - b[next].t;
    if (next > 0 && back < b[next - 1].t - room)
        return back - b[next - 1].t;
    return R(0.0);
}

/* The time at which delay k gets there, between the ends of the last step. */
static Status turning_time(History *h, Solver *s, uint32_t k, real far, real *t)
{
    Bracket b;
    real edge = s->t - taus(h)[k] - far;
    /* Backward over a break: visibly behind it. */
    if (far < R(0.0))
        edge -= R(2.0) * slack(s->t, taus(h)[k]);
    real near = s->t0 - delays(h)[k].tau - edge;
    *t = s->t;
    if (near * far >= R(0.0))
        return STATUS_OK;
    bracket_make(&b, (BracketPoint){s->t0, near, R(0.0)},
                 (BracketPoint){s->t, far, R(0.0)});
    for (int i = 0; i < 200; i++) {
        real width = cosy_abs(b.far.t - b.near.t);
        if (width <= R(4.0) * time_ulp(b.far.t))
            break;
        real at = bracket_next(&b, COSY_REGULA);
        TRY(ask_dense(h, s, at));
        real z = at - taus(h)[k] - edge;
        bracket_take(&b, (BracketPoint){at, z, R(0.0)}, z * far > R(0.0));
        if (cosy_abs(z) <= slack(at, taus(h)[k]) / R(4.0)) {
            *t = at;
            return STATUS_OK;
        }
    }
    *t = b.far.t;
    return STATUS_OK;
}

/* The first turn inside the step; false if there is none. */
static Status first_turn(History *h, Solver *s, real *first, bool *any)
{
    *any = false;
    *first = s->t;
    TRY(ask(h, s->t, s->x));
    for (uint32_t k = 0; k < h->delays; k++) {
        real far = beyond(h, k, s->t), t;
        if (far == R(0.0))
            continue;
        TRY(turning_time(h, s, k, far, &t));
        TRY(ask(h, s->t, s->x));
        if (t < *first) {
            *first = t;
            *any = true;
        }
    }
    return STATUS_OK;
}

Status history_turn(History *h, Solver *s)
{
    bool any = h->delays > 0;
    real t;
    for (int i = 0; any && i < 6; i++) {
        TRY(first_turn(h, s, &t, &any));
        if (any && s->method->redo(s, t) != STATUS_OK)
            return fault_set(h->fault, STATUS_STEP_LIMIT,
                             "time %.17g: the step to time %.17g, at which a "
                             "discontinuity comes out of a delay, fails",
                             (double)s->t0, (double)t);
    }
    return STATUS_OK;
}
