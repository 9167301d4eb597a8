#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "hunt/views.h"

/* When relations hold, from the formulas of their signals. Values are exact if
   signal_exact says so: all numbers are binary fractions with few digits. */

bool signal_exact(const Signal *s)
{
    return s->kind != SIGNAL_RAMP && s->kind != SIGNAL_SHIFT &&
           s->kind != SIGNAL_DECAY;
}

/* How many ticks there are before t, or up to it. */
static double ticks_until(const Signal *s, double t, Moment m)
{
    double n = (t - s->p[3]) / s->p[2];
    if (n < 0)
        return 0;
    return m == AT ? floor(n) + 1 : ceil(n);
}

/* The value of a state, following its jumps. */
static double state_value(const Signal *s, double from, double t, Moment m)
{
    double x = s->p[0], at = from;
    double set = s->kind == SIGNAL_DECAY ? s->p[2] : s->p[1];
    for (uint32_t k = 0; k <= s->jumps; k++) {
        const Jump *j = k < s->jumps ? &s->jump[k] : NULL;
        bool beyond = !j || j->time > t || (j->time == t && m == BEFORE);
        double until = beyond ? t : j->time;
        if (s->kind == SIGNAL_DECAY)
            x = set + (x - set) * exp(-s->p[1] * (until - at));
        else
            x += set * (until - at);
        if (beyond)
            break;
        at = until;
        if (s->kind == SIGNAL_SHIFT)
            x = j->value;
        else
            set = j->value;
    }
    return x;
}

static double last_jump(const Signal *s, double t, Moment m)
{
    double v = s->p[0];
    for (uint32_t k = 0; k < s->jumps; k++)
        if (s->jump[k].time < t || (s->jump[k].time == t && m == AT))
            v = s->jump[k].value;
    return v;
}

double signal_value(const Signal *s, double from, double t, Moment m)
{
    double n = 0;
    switch (s->kind) {
    case SIGNAL_RAMP:
    case SIGNAL_SHIFT:
    case SIGNAL_DECAY: return state_value(s, from, t, m);
    case SIGNAL_STEP: return last_jump(s, t, m);
    case SIGNAL_TICK:
        n = ticks_until(s, t, m);
        return fmod(n, 2) > 0 ? s->p[1] - s->p[0] : s->p[0];
    case SIGNAL_COUNT: return s->p[0] + s->p[1] * ticks_until(s, t, m);
    case SIGNAL_LINE: return s->p[0] + s->p[1] * t;
    case SIGNAL_PARABOLA:
        return s->p[0] + s->p[1] * ((t - s->p[2]) * (t - s->p[2]));
    case SIGNAL_MIXED: return last_jump(s, t, m) + s->p[1] * t;
    case SIGNAL_TIME: return t;
    case SIGNAL_INT:
        n = t / s->p[1];
        return m == AT ? floor(n) : fmax(ceil(n) - 1, 0);
    case SIGNAL_MOD:
        n = t / s->p[1];
        if (m == BEFORE && n > 0 && n == floor(n))
            return s->p[1];
        return t - floor(n) * s->p[1];
    case SIGNAL_KINDS: break;
    }
    assert(false);
    return 0;
}

static bool atom_holds(const Atom *a, const double *values)
{
    double value = values[a->signal];
    double k = a->other < 0 ? a->threshold : values[a->other];
    bool holds = false;
    switch (a->is) {
    case IS_LESS: holds = value < k; break;
    case IS_AT_MOST: holds = value <= k; break;
    case IS_MORE: holds = value > k; break;
    case IS_AT_LEAST: holds = value >= k; break;
    }
    return holds != a->denied;
}

bool relation_holds(const Relation *r, const double *value)
{
    bool holds = atom_holds(&r->atom[0], value);
    for (uint32_t k = 1; k < r->atoms; k++) {
        bool one = atom_holds(&r->atom[k], value);
        holds = r->either ? holds || one : holds && one;
    }
    return holds != r->denied;
}

/* ---- Critical times -------------------------------------------------------- */

typedef struct Times {
    double at[4 * VIEWS_CHANGES];
    uint32_t count;
} Times;

static void add_time(const Case *c, Times *t, double at)
{
    if (at >= c->from && at <= c->to && t->count < LENGTH(t->at))
        t->at[t->count++] = at;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the piece of a state from `at` on would reach k if it never ended. */
static void state_times(const Case *c, const Signal *s, double k, Times *t)
{
    double set = s->kind == SIGNAL_DECAY ? s->p[2] : s->p[1];
    double x = s->p[0], at = c->from;
    for (uint32_t n = 0; n <= s->jumps; n++) {
        if (s->kind == SIGNAL_DECAY) {
            if ((x - set) * (k - set) > 0)
                add_time(c, t, at + log((x - set) / (k - set)) / s->p[1]);
        } else if (set != 0) {
            add_time(c, t, at + (k - x) / set);
        }
        if (n == s->jumps)
            break;
        at = s->jump[n].time;
        x = state_value(s, c->from, at, AT);
        if (s->kind != SIGNAL_SHIFT)
            set = s->jump[n].value;
    }
}

static void signal_times(const Case *c, const Signal *s, double k, Times *t)
{
    for (uint32_t n = 0; n < s->jumps; n++)
        add_time(c, t, s->jump[n].time);
    switch (s->kind) {
    case SIGNAL_RAMP:
    case SIGNAL_SHIFT:
    case SIGNAL_DECAY: state_times(c, s, k, t); break;
    case SIGNAL_STEP: break;
    case SIGNAL_TICK:
    case SIGNAL_COUNT:
        for (double at = s->p[3]; at <= c->to; at += s->p[2])
            add_time(c, t, at);
        break;
    case SIGNAL_LINE:
        if (s->p[1] != 0)
            add_time(c, t, (k - s->p[0]) / s->p[1]);
        break;
    case SIGNAL_PARABOLA:
        if (s->p[1] != 0 && (k - s->p[0]) / s->p[1] >= 0) {
            double d = sqrt((k - s->p[0]) / s->p[1]);
            add_time(c, t, s->p[2] - d);
            add_time(c, t, s->p[2] + d);
        }
        break;
    case SIGNAL_MIXED:
        for (uint32_t n = 0; n <= s->jumps && s->p[1] != 0; n++) {
            double v = n < s->jumps ? s->jump[n].value : s->p[0];
            add_time(c, t, (k - v) / s->p[1]);
        }
        break;
    case SIGNAL_TIME: add_time(c, t, k); break;
    case SIGNAL_INT:
    case SIGNAL_MOD:
        for (double at = 0; at <= c->to; at += s->p[1]) {
            add_time(c, t, at);
            if (s->kind == SIGNAL_MOD)
                add_time(c, t, at + k);
        }
        break;
    case SIGNAL_KINDS: assert(false);
    }
}

/* Sorts the times, adds the ends of the span, and removes duplicates. */
static void settle_times(const Case *c, Times *t)
{
    uint32_t kept = 0;
    add_time(c, t, c->from);
    add_time(c, t, c->to);
    qsort(t->at, t->count, sizeof t->at[0], by_size);
    for (uint32_t k = 0; k < t->count; k++)
        if (kept == 0 || t->at[k] > t->at[kept - 1] + 1e-9)
            t->at[kept++] = t->at[k];
    t->count = kept;
}

static bool holds_at(const Case *c, const Relation *r, double t)
{
    double value[VIEWS_SIGNALS] = {0};
    for (uint32_t k = 0; k < c->signals; k++)
        value[k] = signal_value(&c->signal[k], c->from, t, AT);
    return relation_holds(r, value);
}

void views_truth(const Case *c, const Relation *r, Truth *truth)
{
    Times t = {.count = 0};
    bool last = false;
    *truth = (Truth){.count = 0};
    for (uint32_t k = 0; k < r->atoms; k++)
        signal_times(c, &c->signal[r->atom[k].signal], r->atom[k].threshold,
                     &t);
    settle_times(c, &t);
    for (uint32_t k = 0; k + 1 < t.count; k++) {
        bool now = holds_at(c, r, (t.at[k] + t.at[k + 1]) / 2);
        if (k == 0)
            truth->begins = now;
        else if (now != last && truth->count < VIEWS_CHANGES)
            truth->time[truth->count++] = t.at[k];
        last = now;
    }
    for (uint32_t k = 0; k < t.count && k < VIEWS_CHANGES; k++)
        truth->unsure[truth->doubts++] = t.at[k];
}

/* The side on which a run begins, before anything happens at its start. */
static int start_side(const Case *c, const Signal *s, double threshold)
{
    bool jumps = s->kind < SIGNAL_LINE || s->kind == SIGNAL_MIXED;
    double d =
        signal_value(s, c->from, c->from, jumps ? BEFORE : AT) - threshold;
    return (d > 0) - (d < 0);
}

void views_crossings(const Case *c, const Relation *r, Crossings *x)
{
    const Atom *a = &r->atom[0];
    const Signal *s = &c->signal[a->signal];
    Times t = {.count = 0};
    int last = start_side(c, s, a->threshold);
    *x = (Crossings){.count = 0};
    signal_times(c, s, a->threshold, &t);
    settle_times(c, &t);
    for (uint32_t k = 0; k + 1 < t.count; k++) {
        double middle = (t.at[k] + t.at[k + 1]) / 2;
        double d = signal_value(s, c->from, middle, AT) - a->threshold;
        int now = (d > 0) - (d < 0);
        if (now == 0) {
            x->flat = true;
            continue;
        }
        if (last != 0 && now != last && x->count < VIEWS_CHANGES) {
            x->way[x->count] = now;
            x->time[x->count++] = t.at[k];
        }
        last = now;
    }
    for (uint32_t k = 0; k < t.count && k < VIEWS_CHANGES; k++)
        x->unsure[x->doubts++] = t.at[k];
}
