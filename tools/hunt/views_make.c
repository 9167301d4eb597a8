#include <math.h>
#include <string.h>

#include "base/method_facts.h"
#include "hunt/views.h"

/* Random cases. All times and values are binary fractions, so that formulas
   over TIME are exact and equality occurs where it is intended. */

static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return (uint32_t)(next(state) % n);
}

static bool chance(uint64_t *state, uint32_t one_in)
{
    return below(state, one_in) == 0;
}

/* A multiple of 1/4 in the span; its ends are more likely than others. */
static double some_time(uint64_t *state, const Case *c)
{
    uint32_t quarters = (uint32_t)((c->to - c->from) * 4);
    switch (below(state, 8)) {
    case 0: return c->from;
    case 1: return c->to;
    default: return c->from + below(state, quarters + 1) * 0.25;
    }
}

static double some_value(uint64_t *state)
{
    return ((double)below(state, 17) - 8) / 4;
}

static double some_slope(uint64_t *state)
{
    static const double slopes[] = {1, -1, 0.5, -0.5, 2, -2, 0};
    return slopes[below(state, LENGTH(slopes))];
}

static void make_jumps(uint64_t *state, const Case *c, Signal *s)
{
    s->jumps = below(state, VIEWS_JUMPS + 1);
    for (uint32_t k = 0; k < s->jumps; k++) {
        Jump j = {some_time(state, c), 0};
        uint32_t at = k;
        j.value =
            s->kind == SIGNAL_RAMP ? some_slope(state) : some_value(state);
        for (; at > 0 && s->jump[at - 1].time > j.time; at--)
            s->jump[at] = s->jump[at - 1];
        s->jump[at] = j;
    }
    /* Two jumps at one time: only the last would be seen. */
    for (uint32_t k = 1; k < s->jumps; k++)
        if (s->jump[k].time == s->jump[k - 1].time) {
            for (uint32_t n = k; n + 1 < s->jumps; n++)
                s->jump[n] = s->jump[n + 1];
            s->jumps--;
            k--;
        }
}

static void make_signal(uint64_t *state, const Case *c, Signal *s)
{
    static const double periods[] = {0.5, 1, 2, 0.25};
    *s = (Signal){.kind = (SignalKind)below(state, SIGNAL_KINDS)};
    if (c->from < 0 && (s->kind == SIGNAL_INT || s->kind == SIGNAL_MOD))
        s->kind = SIGNAL_LINE;
    s->looks = chance(state, 2);
    s->p[0] = some_value(state);
    s->p[1] = some_slope(state);
    switch (s->kind) {
    case SIGNAL_RAMP:
    case SIGNAL_SHIFT:
    case SIGNAL_STEP:
    case SIGNAL_MIXED: make_jumps(state, c, s); break;
    case SIGNAL_DECAY:
        s->p[1] = 0.5 + 0.5 * below(state, 4);
        s->p[2] = some_value(state);
        make_jumps(state, c, s);
        break;
    case SIGNAL_TICK:
    case SIGNAL_COUNT:
        s->p[2] = periods[below(state, LENGTH(periods))];
        s->p[3] = fmax(c->from, 0) + (chance(state, 2) ? 0 : s->p[2] / 2);
        if (s->kind == SIGNAL_TICK)
            s->p[1] = some_value(state);
        break;
    case SIGNAL_PARABOLA: s->p[2] = some_time(state, c); break;
    case SIGNAL_INT:
    case SIGNAL_MOD: s->p[1] = periods[below(state, LENGTH(periods))]; break;
    case SIGNAL_LINE:
    case SIGNAL_TIME:
    case SIGNAL_KINDS: break;
    }
}

static void make_atom(uint64_t *state, const Case *c, Atom *a)
{
    const Signal *s = NULL;
    *a = (Atom){.signal = below(state, c->signals), .other = -1};
    s = &c->signal[a->signal];
    a->is = (Comparison)below(state, 4);
    a->turned = chance(state, 6);
    a->denied = chance(state, 5);
    if (chance(state, 5))
        a->threshold = some_value(state);
    else
        a->threshold = signal_value(s, c->from, some_time(state, c),
                                    chance(state, 3) ? BEFORE : AT);
    if (chance(state, 8) && c->signals > 1) {
        uint32_t other = (a->signal + 1) % c->signals;
        if (c->signal[other].kind < SIGNAL_TIME)
            a->other = (int)other;
    }
    if (s->kind == SIGNAL_DECAY)
        a->threshold = round(a->threshold * 10) / 10;
}

static void make_relation(uint64_t *state, const Case *c, Relation *r)
{
    *r = (Relation){.atoms = 1};
    if (chance(state, 3))
        r->atoms += 1 + below(state, VIEWS_ATOMS - 1);
    for (uint32_t k = 0; k < r->atoms; k++)
        make_atom(state, c, &r->atom[k]);
    r->either = chance(state, 2);
    r->denied = chance(state, 6);
    r->views = below(state, 32);
    if (!(r->views & (VIEW_WAIT | VIEW_CONDIT | VIEW_IF | VIEW_LOGIC)))
        r->views |= VIEW_WAIT;
    r->direction = (int)below(state, 3) - 1;
}

static void make_settings(uint64_t *state, Case *c)
{
    static const double starts[] = {0, 0, 0, 0, 1, -2, 0.5};
    static const double spans[] = {1, 2, 3, 4, 5, 8};
    static const char *const methods[] = {
        NULL,
        NULL,
        NULL,
#define METHOD(name, ...) #name,
#include "base/methods.def"
#undef METHOD
    };
    static const double comints[] = {0, 0, 0.25, 0.5, 1, 0.3, 0.7, 10};
    static const double relerrs[] = {0, 0, 1e-3, 1e-6, 1e-9};
    c->from = starts[below(state, LENGTH(starts))];
    c->to = c->from + spans[below(state, LENGTH(spans))];
    c->comint = comints[below(state, LENGTH(comints))];
    c->method = methods[below(state, LENGTH(methods))];
    c->relerr = relerrs[below(state, LENGTH(relerrs))];
    if (c->method && method_facts_find(c->method)->fixed) {
        c->step = chance(state, 2) ? 0.0625 : 0.03125;
        c->relerr = 0;
    }
    if (chance(state, 2)) {
        c->period = chance(state, 2) ? 0.5 : 0.25;
        c->offset = fmax(c->from, 0);
    }
}

/* An act that cannot trigger itself: a state that is set goes back to the near
   side of its condition. */
static void make_act(uint64_t *state, Case *c)
{
    Relation *r = &c->relation[0];
    Act act = {.by = chance(state, 2) ? VIEW_CONDIT : VIEW_WAIT,
               .signal = below(state, c->signals),
               .value = some_value(state)};
    const Signal *s = &c->signal[act.signal];
    if (s->kind > SIGNAL_STEP && s->kind != SIGNAL_MIXED)
        return;
    if (act.by == VIEW_CONDIT && act.signal == r->atom[0].signal) {
        if (r->direction == 0)
            r->direction = 1;
        if (r->atom[0].other >= 0 || s->kind == SIGNAL_STEP ||
            s->kind == SIGNAL_MIXED)
            return;
        if (s->kind == SIGNAL_SHIFT)
            act.value = r->atom[0].threshold - r->direction * 0.75;
    }
    if (act.by == VIEW_CONDIT && r->atom[0].other == (int)act.signal)
        return;
    r->views |= act.by;
    c->act = act;
}

void views_make(Case *c, uint64_t seed)
{
    uint64_t state = seed * 0x2545f4914f6cdd1du + 88172645463325252u;
    *c = (Case){.seed = seed};
    make_settings(&state, c);
    c->signals = 1 + below(&state, VIEWS_SIGNALS - 1);
    for (uint32_t k = 0; k < c->signals; k++)
        make_signal(&state, c, &c->signal[k]);
    c->relations = chance(&state, 2) ? 1 : 1 + below(&state, VIEWS_RELATIONS);
    for (uint32_t k = 0; k < c->relations; k++)
        make_relation(&state, c, &c->relation[k]);
    if (chance(&state, 3))
        c->relation[0].views |= VIEW_FINISH;
    if (chance(&state, 4))
        make_act(&state, c);
}
