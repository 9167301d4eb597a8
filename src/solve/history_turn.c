#include "solve/history_part.h"

#include <assert.h>
#include <string.h>

#include "cosy/unit.h"
#include "solve/bracket.h"

/* The step being made: it is repeated if it read what it was about to compute,
   and ended where a delay leaves its era. */

#define REPEATS  12      // repetitions of a step of one length
#define SHORTEN  R(0.25) // if they do not agree
#define ATTEMPTS 6       // to end a step where a delay leaves its era

/* ---- Lags shorter than the step -------------------------------------------- */

/* True if delay k reads the present step anywhere in it. */
static bool reads_step(const History *h, const Solver *s, uint32_t k)
{
    size_t n;
    history_breaks(h, &n);
    if (history_delays(h)[k].next < n)
        return false;
    if (h->lag[k] == COSY_NONE) {
        real tau = history_delays(h)[k].tau;
        return s->t - tau > s->t0 + history_slack(s->t, tau);
    }
    for (size_t i = h->settled; i < h->visible; i++) {
        const real *p = history_piece(h, i);
        const real *lag = p + 2 + (size_t)h->lag[k] * h->state.points;
        for (uint32_t j = 0; j < h->state.points; j++) {
            real t = p[0] + history_nodes(h)[j] * (p[1] - p[0]);
            if (t - lag[j] > s->t0 + history_slack(t, lag[j]))
                return true;
        }
    }
    return false;
}

static bool is_ahead(const History *h, const Solver *s)
{
    for (uint32_t k = 0; h->ahead && k < h->delays; k++)
        if (reads_step(h, s, k))
            return true;
    return false;
}

/* Makes the step again from its near end, with what is known of it now, over at
   most `length`. */
static Status step_again(Solver *s, real length)
{
    real end = s->t0 + length;
    s->counts.rejected++;
    if (s->options.step != R(0.0))
        return s->method->redo(s, length < s->t - s->t0 ? end : s->t);
    if (length >= s->t - s->t0)
        end = s->t;
    s->counts.steps--;
    s->t = s->t0;
    memcpy(s->x, s->x0, s->n * sizeof(real));
    TRY(s->method->start(s));
    s->h = end - s->t0;
    return s->method->step(s, end);
}

static Status no_agreement(const History *h, const Solver *s)
{
    return fault_set(
        h->fault, STATUS_STEP_LIMIT,
        "time %.17g%s%s: a delay is shorter than the step, and what "
        "comes out of it does not agree with what goes in, "
        "however short the step is: the input of a delay of 0 "
        "must not depend on its own output",
        (double)s->t0, COSY_IN_TIME(h->model));
}

/* Repeats the step until its result agrees with what it read. */
static Status agree(History *h, Solver *s, bool *done)
{
    real change, before = COSY_REAL_MAX;
    *done = false;
    for (int i = 0; i < REPEATS; i++) {
        real end = s->t;
        TRY(step_again(s, s->t - s->t0));
        TRY(history_write(h, s, &change));
        *done = change <= R(1.0) && s->t == end;
        if (*done || (i > 2 && s->t == end && !(change < before)))
            break;
        before = change;
    }
    return STATUS_OK;
}

/* Uses shorter steps if repetitions do not agree. */
static Status repeat_step(History *h, Solver *s)
{
    bool done, shortened = false;
    real change;
    for (;;) {
        TRY(agree(h, s, &done));
        if (done)
            break;
        real length = SHORTEN * (s->t - s->t0);
        if (solver_too_small(s, length))
            return no_agreement(h, s);
        shortened = true;
        history_cut_back(h);
        TRY(step_again(s, length));
        TRY(history_write(h, s, &change));
        if (!is_ahead(h, s))
            break;
    }
    if (!shortened)
        return STATUS_OK;
    s->h = cosy_min(s->h, R(2.0) * (s->t - s->t0));
    if (h->state.patience < UINT32_MAX / 2)
        h->state.patience *= 2;
    return STATUS_OK;
}

/* ---- Lags that vary ------------------------------------------------------------ */

/* Where a delay leaves its era: it is inside at `near`, outside at `far`. */
typedef struct Leaving {
    real near, far;
    int side;  // +1: beyond its end, -1: before its beginning
    real edge; // the break that it goes over
} Leaving;

/* The edges of a delay's era; very far away if there are none. In a copy it begins
   when that became active. */
static void edges_of(const History *h, uint32_t k, real *from, real *to)
{
    size_t n;
    const HistoryBreak *b = history_breaks(h, &n);
    const HistoryDelay *d = &history_delays(h)[k];
    uint32_t next = d->next;
    assert(next <= n);
    bool begun = next > 0 && b[next - 1].t >= d->born;
    *from = begun ? b[next - 1].t : -COSY_REAL_MAX;
    *to = next < n ? b[next].t : COSY_REAL_MAX;
}

/* Notes that the delay is outside its era at time t, where it reads `back`. */
static bool is_outside(real from, real to, real t, real back, Leaving *l)
{
    real room = history_slack(t, t - back);
    if (back <= to + room && back >= from - room)
        return false;
    l->far = t;
    l->side = back > to + room ? 1 : -1;
    l->edge = l->side > 0 ? to : from;
    return true;
}

/* The position between u and v in a piece at which t - lag has an extremum; its
   slope has different signs at u and v. */
static real turning_place(const History *h, const real *p, uint32_t row, real u,
                          real v, real sign)
{
    real length = p[1] - p[0];
    for (int i = 0; i < 60 && v - u > R(1e-9); i++) {
        real w = (u + v) / R(2.0);
        if (sign * (length - history_slope(h, p, row, w)) > R(0.0))
            u = w;
        else
            v = w;
    }
    return (u + v) / R(2.0);
}

/* True if t - lag leaves the era between two points of a piece and comes back;
   `from` and `to` are the edges, u and v the positions. */
static bool turns_outside(const History *h, const real *p, uint32_t row,
                          uint32_t i, real from, real to, Leaving *l)
{
    const real *node = history_nodes(h);
    const real *lag = p + 2 + (size_t)row * h->state.points;
    real length = p[1] - p[0], u = node[i], v = node[i + 1];
    real a = length - history_slope(h, p, row, u);
    real b = length - history_slope(h, p, row, v);
    if (!(a * b < R(0.0)))
        return false;
    real sign = a > R(0.0) ? R(1.0) : R(-1.0);
    real reach = p[0] + u * length - lag[i] + a * (v - u);
    if (sign > R(0.0) ? reach <= to : reach >= from)
        return false; // a bend in that direction cannot get there
    real w = turning_place(h, p, row, u, v, sign), t = p[0] + w * length;
    return is_outside(from, to, t, t - history_curve(h, p, row, w), l);
}

/* Tells whether and where delay k leaves its era in the pieces of the step. */
static bool leaves_era(const History *h, uint32_t k, Leaving *l)
{
    const real *node = history_nodes(h);
    uint32_t row = h->lag[k], n = h->state.points;
    real from, to;
    edges_of(h, k, &from, &to);
    for (size_t i = h->settled; i < h->visible; i++) {
        const real *p = history_piece(h, i);
        const real *lag = p + 2 + (size_t)row * n;
        for (uint32_t j = 0; j + 1 < n; j++) {
            real t = j + 2 == n ? p[1] : p[0] + node[j + 1] * (p[1] - p[0]);
            l->near = p[0] + node[j] * (p[1] - p[0]);
            if (turns_outside(h, p, row, j, from, to, l) ||
                is_outside(from, to, t, t - lag[j + 1], l))
                return true;
        }
    }
    return false;
}

/* The time at which delay k leaves its era. */
static Status leaving_time(History *h, Solver *s, uint32_t k, const Leaving *l,
                           real *t)
{
    Bracket b;
    real side = (real)l->side, edge = l->edge;
    TRY(history_ask_dense(h, s, l->far));
    /* Backward over a break: clearly past it. */
    if (side < R(0.0))
        edge -= R(2.0) * history_slack(l->far, history_lags(h)[k]);
    real far = l->far - history_lags(h)[k] - edge;
    TRY(history_ask_dense(h, s, l->near));
    real near = l->near - history_lags(h)[k] - edge;
    *t = l->far;
    if (!(near * far < R(0.0)))
        return STATUS_OK;
    bracket_make(&b, (BracketPoint){l->near, near, R(0.0)},
                 (BracketPoint){l->far, far, R(0.0)});
    for (int i = 0; i < 200; i++) {
        if (cosy_abs(b.far.t - b.near.t) <= R(4.0) * time_ulp(b.far.t))
            break;
        real at = bracket_next(&b, COSY_REGULA);
        TRY(history_ask_dense(h, s, at));
        real lag = history_lags(h)[k], z = at - lag - edge;
        bracket_take(&b, (BracketPoint){at, z, R(0.0)}, z * far > R(0.0));
        if (cosy_abs(z) <= history_slack(at, lag) / R(4.0) && at > s->t0) {
            *t = at;
            return STATUS_OK;
        }
    }
    *t = b.far.t;
    return STATUS_OK;
}

/* The first of these times; s->t if no delay leaves its era. */
static Status first_leaving(History *h, Solver *s, real *first)
{
    *first = s->t;
    for (uint32_t k = 0; k < h->delays; k++) {
        Leaving l;
        real t;
        if (h->lag[k] == COSY_NONE || !leaves_era(h, k, &l))
            continue;
        TRY(leaving_time(h, s, k, &l, &t));
        assert(t > s->t0);
        *first = cosy_min(*first, t);
    }
    return STATUS_OK;
}

Status history_turn(History *h, Solver *s)
{
    real change, t;
    if (s->t == s->t0 || (h->rows == h->delays && !h->ahead))
        return STATUS_OK;
    TRY(history_write(h, s, &change));
    if (is_ahead(h, s))
        TRY(repeat_step(h, s));
    for (int i = 0; i < ATTEMPTS; i++) {
        TRY(first_leaving(h, s, &t));
        if (t == s->t)
            break;
        if (s->method->redo(s, t) != STATUS_OK)
            return fault_set(
                h->fault, STATUS_STEP_LIMIT,
                "time %.17g%s%s: the step to time %.17g%s%s, at which a "
                "discontinuity comes out of a delay, fails",
                (double)s->t0, COSY_IN_TIME(h->model), (double)t,
                COSY_IN_TIME(h->model));
        TRY(history_write(h, s, &change));
    }
    return STATUS_OK;
}
