#include "cosy/unit.h"
#include "solve/history_part.h"

#include <assert.h>
#include <string.h>

#define SPLIT_MOST 12 // most halvings of one step

/* ---- Tables ------------------------------------------------------------------- */

HistoryDelay *history_delays(const History *h)
{
    return (HistoryDelay *)(void *)h->delay.bytes;
}

HistoryBreak *history_breaks(const History *h, size_t *count)
{
    *count = h->breaks.used / sizeof(HistoryBreak);
    return (HistoryBreak *)(void *)h->breaks.bytes;
}

/* Reals of one piece. */
static size_t piece_size(const History *h)
{
    return 2 + (size_t)h->rows * h->state.points;
}

size_t history_pieces(const History *h)
{
    assert(h->pieces.used % (piece_size(h) * sizeof(real)) == 0);
    return h->pieces.used / (piece_size(h) * sizeof(real));
}

real *history_piece(const History *h, size_t k)
{
    return (real *)(void *)h->pieces.bytes + k * piece_size(h);
}

static const real *row_of(const History *h, const real *piece, uint32_t row)
{
    assert(row < h->rows);
    return piece + 2 + (size_t)row * h->state.points;
}

/* Parts of scratch. */
real *history_inputs(const History *h)
{
    return (real *)(void *)h->scratch.bytes;
}

real *history_lags(const History *h)
{
    return history_inputs(h) + h->delays;
}

real *history_nodes(const History *h)
{
    return history_lags(h) + h->delays;
}

static real *point_of(const History *h)
{
    return history_nodes(h) + h->state.points;
}

Status history_scratch(History *h)
{
    const real half_pi = R(1.57079632679489661923132169163975144);
    uint32_t n = h->state.points;
    size_t size = 2 * (size_t)h->delays + n + h->c->head->states;
    assert(n >= 2);
    if (!vector_fit(&h->scratch, size * sizeof(real)))
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < n; k++)
        history_nodes(h)[k] =
            cosy_square(cosy_sin(half_pi * (real)k / (real)(n - 1)));
    return STATUS_OK;
}

real history_slack(real t, real tau)
{
    return R(8.0) * COSY_EPSILON * (cosy_abs(t) + cosy_abs(tau));
}

/* ---- Polynomials -------------------------------------------------------------- */

static real weight_of(const History *h, uint32_t k)
{
    real w = k == 0 || k + 1 == h->state.points ? R(0.5) : R(1.0);
    return k % 2 ? -w : w;
}

static real interpolate(const History *h, const real *value, real u)
{
    const real *node = history_nodes(h);
    real above = R(0.0), below = R(0.0);
    for (uint32_t k = 0; k < h->state.points; k++) {
        real d = u - node[k];
        if (d == R(0.0))
            return value[k];
        real w = weight_of(h, k) / d;
        above += w * value[k];
        below += w;
    }
    return above / below + R(0.0); // never -0
}

/* Formulas 9.1 to 9.4 of Berrut, Trefethen; very near a node, the value on it
   is used. */
static real slope(const History *h, const real *value, real u)
{
    const real *node = history_nodes(h), near = cosy_sqrt(COSY_EPSILON);
    uint32_t n = h->state.points, at = n;
    real sum = R(0.0), below = R(0.0);
    for (uint32_t k = 0; k < n; k++)
        if (cosy_abs(u - node[k]) < near)
            at = k;
    real here = at < n ? value[at] : interpolate(h, value, u);
    if (at < n)
        u = node[at];
    for (uint32_t k = 0; k < n; k++) {
        if (k == at)
            continue;
        real d = u - node[k], w = weight_of(h, k);
        real part = at < n ? w : w / d;
        sum += part * (here - value[k]) / d;
        below += part;
    }
    return at < n ? -sum / weight_of(h, at) : sum / below;
}

/* A polynomial of this degree means nothing far from its points: beyond this
   position it continues as a straight line. */
static real trusted(real u)
{
    const real far = R(0.25);
    return cosy_max(-far, cosy_min(u, R(1.0) + far));
}

real history_curve(const History *h, const real *piece, uint32_t row, real u)
{
    const real *value = row_of(h, piece, row);
    real near = trusted(u), y = interpolate(h, value, near);
    return u == near ? y : y + (u - near) * slope(h, value, near);
}

real history_slope(const History *h, const real *piece, uint32_t row, real u)
{
    return slope(h, row_of(h, piece, row), trusted(u));
}

/* ---- Reading ------------------------------------------------------------------ */

/* The breaks between which a delay reads. */
typedef struct Era {
    real from, to;
    bool last; // no break has happened since
} Era;

static Era era_of(const History *h, uint32_t next)
{
    size_t n;
    const HistoryBreak *b = history_breaks(h, &n);
    assert(n > 0 && next <= n);
    return (Era){.from = b[next > 0 ? next - 1 : 0].t,
                 .to = next < n ? b[next].t : COSY_REAL_MAX,
                 .last = next == n};
}

/* While a step is made, the era is the one in which it began; otherwise a lag
   may have jumped, and its era is the one in which t lies. At a break both are
   possible: there the delay keeps the one it has. */
static Era find_era(const History *h, uint32_t delay, real t)
{
    Era e = era_of(h, history_delays(h)[delay].next);
    real room = history_slack(h->c->head->t, t);
    size_t n, low = 0;
    const HistoryBreak *b = history_breaks(h, &n);
    if (h->stepping || (t >= e.from - room && t <= e.to + room))
        return e;
    for (size_t high = n; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (b[middle].t <= t + room)
            low = middle + 1;
        else
            high = middle;
    }
    return era_of(h, (uint32_t)low);
}

/* The piece of the era in which t lies, or the last one on the side where t is
   outside; NULL if the era has none yet. */
static const real *find_piece(History *h, Era e, real t)
{
    size_t low = (size_t)h->state.first, high = h->visible;
    real at = cosy_max(e.from, cosy_min(t, e.to));
    size_t k = h->found;
    assert(low < high);
    if (!(k >= low && k < high && history_piece(h, k)[0] <= at &&
          at < history_piece(h, k)[1])) {
        while (low + 1 < high) {
            size_t middle = low + (high - low) / 2;
            if (history_piece(h, middle)[0] <= at)
                low = middle;
            else
                high = middle;
        }
        k = h->found = low;
    }
    while (k > h->state.first && history_piece(h, k)[0] >= e.to)
        k--;
    const real *p = history_piece(h, k);
    return e.last && p[1] <= e.from ? NULL : p;
}

/* Only the present is known. */
static CosyStatus read_now(const History *h, uint32_t delay, real *value,
                           real *rate)
{
    *value = history_delays(h)[delay].now;
    if (rate)
        *rate = R(0.0);
    return COSY_OK;
}

CosyStatus history_read(History *h, uint32_t delay, real t, real *value,
                        real *rate)
{
    assert(delay < h->delays);
    if (!cosy_finite(t))
        return COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
    real now = h->state.now, room = history_slack(t, now);
    bool ahead = h->stepping && t > now + room;
    if (ahead && !h->repeats)
        return COSY_FAIL(COSY_NUMBER, COSY_NOWHERE);
    h->ahead |= ahead;
    t = cosy_max(t, h->c->head->t_begin);
    Era e = find_era(h, delay, t);
    const HistoryDelay *d = &history_delays(h)[delay];
    if (COSY_RARELY(e.to <= d->born)) { // before it became active
        h->asked_now |= now == d->born && !h->stepping;
        *value = d->first;
        if (rate)
            *rate = R(0.0);
        return COSY_OK;
    }
    bool present = e.last && t >= now;
    h->asked_now |= present && !h->stepping;
    if (h->visible == h->state.first || (present && !h->stepping))
        return read_now(h, delay, value, rate);
    const real *p = find_piece(h, e, t);
    if (!p)
        return read_now(h, delay, value, rate);
    real length = p[1] - p[0], u = (t - p[0]) / length;
    assert(length > R(0.0));
    *value = history_curve(h, p, delay, u);
    if (rate)
        *rate = history_slope(h, p, delay, u) / length;
    return COSY_OK;
}

/* ---- Writing ------------------------------------------------------------------ */

Status history_ask(History *h, real t, const real *x)
{
    real *u = history_inputs(h);
    CosyStatus status = h->model->delays(h->c, t, x, u, history_lags(h));
    if (status == COSY_OK)
        for (uint32_t k = 0; k < h->delays; k++)
            if (!cosy_finite(u[k]))
                status = COSY_FAIL(COSY_NUMBER, k);
    if (status == COSY_OK)
        return STATUS_OK;
    uint32_t k = COSY_REASON(status) == COSY_NUMBER ? COSY_WHERE(status) : 0;
    const CosyMemoryInfo *m =
        &h->model->memories[h->memory[k < h->delays ? k : 0]];
    return fault_set(h->fault, STATUS_NUMBER,
                     "%s:%u: time %.17g%s%s: the input of %s has no value",
                     h->model->source, m->line, (double)t,
                     COSY_IN_TIME(h->model), m->name);
}

Status history_ask_dense(History *h, Solver *s, real t)
{
    if (t == s->t)
        return history_ask(h, t, s->x);
    if (t == s->t0)
        return history_ask(h, t, s->x0);
    s->method->dense(s, t, point_of(h));
    return history_ask(h, t, point_of(h));
}

/* What was evaluated last, as it stands in the rows of a piece. */
static real asked(const History *h, uint32_t row)
{
    assert(row < h->rows);
    return (row < h->delays ? history_inputs(h)
                            : history_lags(h))[h->owner[row]];
}

/* The error allowed is that of a STATE: relative to its values, plus a
   thousandth of that relative to the largest so far. In addition, a time is
   known only to its last place. */
real history_allowed(const History *h, const real *piece, uint32_t row,
                     real relerr)
{
    const real *value = row_of(h, piece, row);
    real share = cosy_max(relerr / R(10.0), R(64.0) * COSY_EPSILON);
    real low = value[0], high = value[0], length = piece[1] - piece[0];
    for (uint32_t i = 1; i < h->state.points; i++) {
        low = cosy_min(low, value[i]);
        high = cosy_max(high, value[i]);
    }
    real size = cosy_max(cosy_abs(low), cosy_abs(high));
    const HistoryDelay *d = &history_delays(h)[h->owner[row]];
    size = cosy_max(size, (row < h->delays ? d->size : d->longest) / R(1000.0));
    real noise = R(32.0) * COSY_EPSILON * cosy_abs(piece[1]);
    real pace = (high - low) / length;
    if (row >= h->delays)
        pace = cosy_max(pace, R(1.0)); // it is computed from times
    return share * size + noise * pace;
}

/* Tests whether the polynomials of the last piece follow the inputs at a
   position. */
static Status follows(History *h, Solver *s, real u, bool *good)
{
    const real *p = history_piece(h, history_pieces(h) - 1);
    TRY(history_ask_dense(h, s, p[0] + u * (p[1] - p[0])));
    for (uint32_t k = 0; k < h->rows; k++) {
        real off = history_curve(h, p, k, u) - asked(h, k);
        if (!(cosy_abs(off) <= history_allowed(h, p, k, s->options.relerr)))
            *good = false;
    }
    return STATUS_OK;
}

static Status write_piece(History *h, Solver *s, real from, real to)
{
    uint32_t n = h->state.points;
    size_t size = piece_size(h) * sizeof(real), count = history_pieces(h);
    assert(from < to && count >= h->visible);
    assert(count == h->visible || history_piece(h, count - 1)[1] == from);
    if (!vector_append(&h->pieces, NULL, size))
        return STATUS_MEMORY;
    real *p = history_piece(h, count);
    p[0] = from;
    p[1] = to;
    for (uint32_t i = 0; i < n; i++) {
        real t = i + 1 == n ? to : from + history_nodes(h)[i] * (to - from);
        TRY(history_ask_dense(h, s, t));
        for (uint32_t k = 0; k < h->rows; k++)
            p[2 + (size_t)k * n + i] = asked(h, k);
    }
    return STATUS_OK;
}

static Status write_part(History *h, Solver *s, real from, real to, int splits,
                         uint32_t *cuts)
{
    bool fits = true;
    real middle = from + (to - from) / R(2.0);
    TRY(write_piece(h, s, from, to));
    /* Between nodes, but not in the middle, where symmetry may hide an
       error. */
    TRY(follows(h, s, (history_nodes(h)[0] + history_nodes(h)[1]) / R(2.0),
                &fits));
    if (fits)
        TRY(follows(h, s, R(0.45), &fits));
    if (fits || splits == SPLIT_MOST || *cuts == 0 || middle <= from ||
        middle >= to)
        return STATUS_OK;
    (*cuts)--;
    h->pieces.used -= piece_size(h) * sizeof(real);
    TRY(write_part(h, s, from, middle, splits + 1, cuts));
    return write_part(h, s, middle, to, splits + 1, cuts);
}

/* How far the inputs of a piece differ from those of the pieces from `old`
   on. */
static real change_of(const History *h, const real *p, size_t old, real relerr)
{
    real most = R(0.0);
    for (uint32_t i = 0; i < h->state.points; i++) {
        real t = p[0] + history_nodes(h)[i] * (p[1] - p[0]);
        while (old + 1 < h->visible && history_piece(h, old)[1] < t)
            old++;
        const real *q = history_piece(h, old);
        real u = (t - q[0]) / (q[1] - q[0]);
        for (uint32_t k = 0; k < h->delays; k++) {
            real off = row_of(h, p, k)[i] - history_curve(h, q, k, u);
            real share = cosy_abs(off) /
                         (history_allowed(h, p, k, relerr) + COSY_REAL_MIN);
            most = share <= most ? most : share; // NaN counts
        }
    }
    return most;
}

/* The pieces from `made` on replace those that were visible so far. */
static void show(History *h, size_t made)
{
    size_t size = piece_size(h) * sizeof(real), count = history_pieces(h);
    assert(made >= h->settled && count > made);
    memmove(history_piece(h, h->settled), history_piece(h, made),
            (count - made) * size);
    h->visible = h->settled + (count - made);
    h->pieces.used = h->visible * size;
    h->found = 0;
}

Status history_write(History *h, Solver *s, real *change)
{
    uint32_t cuts = h->state.cuts;
    size_t made = h->visible;
    assert(history_pieces(h) == h->visible && h->visible >= h->settled);
    TRY(write_part(h, s, s->t0, s->t, 0, &cuts));
    h->state.cuts = cuts == 0 ? HISTORY_CUTS_NOISE : HISTORY_CUTS;
    *change = cuts == 0 || made == h->settled ? COSY_REAL_MAX : R(0.0);
    for (size_t k = made; k < history_pieces(h) && *change < COSY_REAL_MAX; k++)
        *change = cosy_max(*change, change_of(h, history_piece(h, k),
                                              h->settled, s->options.relerr));
    show(h, made);
    assert(history_piece(h, h->settled)[0] == s->t0);
    assert(history_piece(h, h->visible - 1)[1] == s->t);
    return STATUS_OK;
}

void history_cut_back(History *h)
{
    assert(h->settled <= history_pieces(h) && h->settled >= h->state.first);
    h->pieces.used = h->settled * piece_size(h) * sizeof(real);
    h->visible = h->settled;
    h->found = 0;
}

/* Keeps the polynomials of a piece only up to t, by way of a piece after the
   last. */
static Status shorten_piece(History *h, size_t k, real t)
{
    uint32_t n = h->state.points;
    if (!vector_append(&h->pieces, NULL, piece_size(h) * sizeof(real)))
        return STATUS_MEMORY;
    real *p = history_piece(h, k), *q = history_piece(h, h->visible);
    real share = (t - p[0]) / (p[1] - p[0]);
    assert(share > R(0.0) && share < R(1.0));
    for (uint32_t row = 0; row < h->rows; row++)
        for (uint32_t i = 0; i < n; i++)
            q[2 + (size_t)row * n + i] =
                history_curve(h, p, row, share * history_nodes(h)[i]);
    q[0] = p[0];
    q[1] = t;
    memcpy(p, q, piece_size(h) * sizeof(real));
    return STATUS_OK;
}

Status history_shorten(History *h, real t)
{
    history_cut_back(h);
    while (h->settled > h->state.first &&
           history_piece(h, h->settled - 1)[0] >= t)
        h->settled--;
    if (h->settled > h->state.first && history_piece(h, h->settled - 1)[1] > t)
        TRY(shorten_piece(h, h->settled - 1, t));
    history_cut_back(h);
    return STATUS_OK;
}

/* ---- Forgetting ---------------------------------------------------------------- */

/* Forgets breaks that lie before all that is kept, except the last of them. */
static void forget_breaks(History *h, real oldest)
{
    size_t n, gone = 0;
    HistoryBreak *b = history_breaks(h, &n);
    while (gone + 1 < n && b[gone + 1].t < oldest)
        gone++;
    for (uint32_t k = 0; k < h->delays; k++)
        if (history_delays(h)[k].next <= gone)
            gone =
                history_delays(h)[k].next ? history_delays(h)[k].next - 1 : 0;
    if (gone < 64 || gone < n / 2)
        return;
    memmove(b, b + gone, (n - gone) * sizeof *b);
    h->breaks.used = (n - gone) * sizeof *b;
    for (uint32_t k = 0; k < h->delays; k++)
        history_delays(h)[k].next -= (uint32_t)gone;
}

static real oldest_needed(const History *h, real t)
{
    real oldest = t;
    for (uint32_t k = 0; k < h->delays; k++) {
        real longest = history_delays(h)[k].longest;
        if (h->lag[k] != COSY_NONE) // it may grow
            longest *= R(1.5);
        oldest = cosy_min(oldest, t - longest - history_slack(t, longest));
    }
    return oldest;
}

void history_forget(History *h, real t)
{
    size_t count = history_pieces(h), size = piece_size(h) * sizeof(real);
    size_t spare = h->rows > h->delays ? HISTORY_ROOM / size : 0;
    real oldest = oldest_needed(h, t);
    assert(count > h->state.first && count == h->settled);
    while (h->state.first + 1 < count && count - h->state.first > spare &&
           history_piece(h, (size_t)h->state.first)[1] < oldest)
        h->state.first++;
    forget_breaks(h, history_piece(h, (size_t)h->state.first)[0]);
    if (h->state.first < 64 || h->state.first < count / 2)
        return;
    size_t gone = (size_t)h->state.first * size;
    memmove(h->pieces.bytes, h->pieces.bytes + gone, h->pieces.used - gone);
    h->pieces.used -= gone;
    h->settled -= (size_t)h->state.first;
    h->visible = h->settled;
    h->state.first = 0;
    h->found = 0;
}
