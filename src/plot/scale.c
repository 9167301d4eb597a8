#include "plot/scale.h"

#include <stdio.h>

void scale_take(ScaleRange *r, double v, bool logarithmic)
{
    if (!(fabs(v) < 1e300) || (logarithmic && !(v > 0)))
        return;
    if (r->low > r->high) {
        r->low = r->high = v;
        return;
    }
    r->low = fmin(r->low, v);
    r->high = fmax(r->high, v);
}

/* 1, 2 or 5 times a power of ten, so that about `wanted` fit. */
static double round_step(double span, uint32_t wanted)
{
    double rough = span / (wanted > 1 ? wanted : 1);
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

/* An axis needs some length: what is constant stands in its middle. */
static void widen(Scale *s)
{
    if (s->logarithmic && !(s->low > 0))
        s->low = s->high > 0 ? s->high / 1000 : 1;
    if (s->high > s->low * (1 + 1e-12) && s->high > s->low &&
        s->high - s->low > 1e-12 * fabs(s->low))
        return;
    double by = s->low == 0 ? 1 : 0.1 * fabs(s->low);
    if (s->logarithmic) {
        s->high = 2 * s->low;
        s->low /= 2;
    } else {
        s->high = s->low + by;
        s->low -= by;
    }
}

/* 1, 2 or 5 times a power of ten, not above (not below) v. */
static double round_log(double v, bool up)
{
    static const double parts[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(v) + 1e-9)), part = v / power;
    int k = 0;
    while (k < 3 && parts[k + 1] <= part * (1 + 1e-9))
        k++;
    return power * parts[up && parts[k] < part * (1 - 1e-9) ? k + 1 : k];
}

/* To powers of ten, or, where the data have less than one and a half of them,
   to parts. */
static void round_log_ends(Scale *s)
{
    if (s->high < 1.2 * s->low) { // hardly moves: into the middle
        s->low /= 1.5;
        s->high *= 1.5;
    }
    if (s->high < 30 * s->low) {
        s->low = round_log(s->low, false);
        s->high = round_log(s->high, true);
        return;
    }
    s->low = pow(10, floor(log10(s->low) + 1e-9));
    s->high = pow(10, ceil(log10(s->high) - 1e-9));
}

static void round_ends(Scale *s)
{
    if (s->logarithmic) {
        round_log_ends(s);
        return;
    }
    double step = round_step(s->high - s->low, 6);
    s->low = step * floor(s->low / step + 1e-9);
    s->high = step * ceil(s->high / step - 1e-9);
}

Scale scale_make(const PlotAxis *a, ScaleRange data, bool round)
{
    Scale s = {.low = 0, .high = 1, .logarithmic = a->logarithmic};
    bool given = a->low <= a->high;
    if (data.low <= data.high) {
        s.low = data.low;
        s.high = data.high;
    } else if (a->logarithmic) {
        s.low = 0.1;
    }
    if (given) {
        s.low = a->low;
        s.high = a->high;
    } else if (a->from_zero && !a->logarithmic) {
        s.low = 0;
    }
    widen(&s);
    if (round && !given)
        round_ends(&s);
    return s;
}

double scale_step(const Scale *s, uint32_t wanted)
{
    return round_step(s->high - s->low, wanted);
}

static uint32_t linear_ticks(const Scale *s, ScaleTick *tick, uint32_t wanted)
{
    double step = scale_step(s, wanted);
    double first = ceil(s->low / step - 1e-9);
    uint32_t n = 0;
    for (; n < SCALE_TICKS && (first + n) * step <= s->high + 1e-9 * step;
         n++) {
        double at = (first + n) * step;
        int digits = (int)ceil(log10(fmax(fabs(at) / step, 1)) + 1.001);
        tick[n].at = at;
        snprintf(tick[n].text, sizeof tick[n].text, "%.*g",
                 digits > 15                                     ? 15
                 : digits < 6 && fabs(at) < 1e6 && fabs(at) >= 1 ? 6
                                                                 : digits,
                 at == 0 ? 0.0 : at);
    }
    return n;
}

/* Powers of ten; within two of them also 2 and 5 times. */
static uint32_t power_ticks(const Scale *s, ScaleTick *tick, uint32_t wanted)
{
    static const double parts[] = {1, 2, 5};
    int low = (int)floor(log10(s->low) + 1e-9),
        high = (int)ceil(log10(s->high) - 1e-9);
    int every = (high - low) / (int)(wanted > 1 ? wanted : 1) + 1;
    uint32_t n = 0, more = high - low <= 2 ? 3 : 1;
    for (int k = low; k <= high; k += every)
        for (uint32_t i = 0; i < more && n < SCALE_TICKS; i++) {
            double at = parts[i] * pow(10, k);
            if (at < s->low * (1 - 1e-9) || at > s->high * (1 + 1e-9))
                continue;
            tick[n].at = at;
            snprintf(tick[n].text, sizeof tick[n].text, "%.6g", at);
            n++;
        }
    return n;
}

uint32_t scale_ticks(const Scale *s, ScaleTick tick[SCALE_TICKS],
                     uint32_t wanted)
{
    uint32_t n = s->logarithmic ? power_ticks(s, tick, wanted) : 0;
    return n >= 2 ? n : linear_ticks(s, tick, wanted);
}
