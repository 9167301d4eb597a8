#include "plot/axis.h"

#include <assert.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers below this count as zero: their differences have no digits. */
#define LEAST 1e-290

void axis_take(AxisRange *r, double v, bool logarithmic)
{
    if (fabs(v) < LEAST)
        v = 0;
    if (!(fabs(v) < 1e300) || (logarithmic && !(v > 0)))
        return;
    if (r->low > r->high) {
        r->low = r->high = v;
        return;
    }
    r->low = fmin(r->low, v);
    r->high = fmax(r->high, v);
}

/* A step of 1, 2 or 5 times a power of ten, so that about `wanted` of them fit.
   */
static double round_step(double span, uint32_t wanted)
{
    double rough = span / (wanted > 1 ? wanted : 1);
    double power = pow(10, floor(log10(rough)));
    double share = rough / power;
    return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

/* An axis needs some length: a constant is in its middle. */
static void widen(Axis *s)
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

/* Rounds to powers of ten, or to parts of one if the data cover less than one
   and a half. */
static void round_log_ends(Axis *s)
{
    if (s->high < 1.2 * s->low) { // hardly moves: put it in the middle
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

static void round_ends(Axis *s)
{
    if (s->logarithmic) {
        round_log_ends(s);
        return;
    }
    double step = round_step(s->high - s->low, 6);
    s->low = step * floor(s->low / step + 1e-9);
    s->high = step * ceil(s->high / step - 1e-9);
}

Axis axis_make(const PlotAxis *a, AxisRange data, AxisEnds ends)
{
    Axis s = {.low = 0, .high = 1, .logarithmic = a->logarithmic};
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
    if (ends == AXIS_ROUND && !given && !a->tight)
        round_ends(&s);
    assert(s.low < s.high && (!s.logarithmic || s.low > 0));
    return s;
}

/* The value at a share of the axis. A logarithmic one may reach from 1e-320 to 1e300: more
   than a number can say of its ends, or beyond them. */
static double value_at(const Axis *a, double share)
{
    if (!a->logarithmic)
        return a->low + share * (a->high - a->low);
    double ratio = a->high / a->low;
    double value =
        ratio <= DBL_MAX
            ? a->low * pow(ratio, share)
            : exp(log(a->low) + share * (log(a->high) - log(a->low)));
    return fmin(fmax(value, DBL_TRUE_MIN), DBL_MAX);
}

void axis_air(Axis *a, AxisRange data, bool floor)
{
    const double air = 0.02;
    if (data.low > data.high)
        return;
    double first = axis_share(a, data.low), last = axis_share(a, data.high);
    double low = value_at(a, fabs(first) < air && !floor ? first - air : 0);
    double high = value_at(a, fabs(last - 1) < air ? last + air : 1);
    a->low = fmin(a->low, low);
    a->high = fmax(a->high, high);
    assert(a->low < a->high && (!a->logarithmic || a->low > 0));
}

/* ---- Ticks -------------------------------------------------------------------- */

static void add_tick(Axis *a, double at, const char *text)
{
    if (a->n == AXIS_TICKS)
        return;
    AxisTick *t = &a->tick[a->n++];
    t->at = at;
    snprintf(t->text, sizeof t->text, "%s", text);
}

/* "2.5e-3", not "2.5e-03". */
static void put_short(char text[AXIS_TEXT], int digits, double v)
{
    char *e, *from;
    snprintf(text, AXIS_TEXT, "%.*g", digits, v);
    e = strchr(text, 'e');
    if (!e)
        return;
    from = ++e + 1;
    if (*e == '-')
        e++;
    while (*from == '0')
        from++;
    memmove(e, from, strlen(from) + 1);
}

/* Numbers at equal distances, all with the digits that their step has; very
   large and very small ones with a power of ten. */
static void mark_linear(Axis *a, double step)
{
    double most = fmax(fabs(a->low), fabs(a->high));
    double first = ceil(a->low / step - 1e-9);
    int front = (int)floor(log10(most) + 1e-9);
    int last = (int)floor(log10(step) + 1e-9);
    int decimals = last < 0 ? -last : 0;
    int digits = front - last + 1 > 15 ? 15 : front - last + 1;
    bool plain = (last >= -4 && front < 6) ||
                 (front - last >= 4 && front >= 0 && front + decimals < 12);
    for (uint32_t k = 0; k < AXIS_TICKS; k++) {
        char text[AXIS_TEXT];
        double at = (first + k) * step;
        if (at > a->high + 1e-9 * step)
            break;
        at = at == 0 ? 0 : at; // a zero is shown without a sign
        if (plain)
            snprintf(text, sizeof text, "%.*f", decimals, at);
        else
            put_short(text, digits > 1 ? digits : 1, at);
        add_tick(a, at, text);
    }
}

static bool is_within(const Axis *a, double v)
{
    return v >= a->low * (1 - 1e-9) && v <= a->high * (1 + 1e-9);
}

/* Strokes without a number, at 2 to 9 times the powers of ten. */
static void mark_between(Axis *a, int low, int high)
{
    for (int k = low; k < high; k++)
        for (int part = 2; part <= 9; part++) {
            double at = part * pow(10, k);
            if (at > a->low * (1 + 1e-9) && at < a->high * (1 - 1e-9))
                add_tick(a, at, "");
        }
}

/* A power of ten is written as such if the number would be long: 1e-3, 1e5. */
static void mark_power(Axis *a, int k, double at, bool as_power)
{
    char text[AXIS_TEXT];
    if (as_power && k != 0)
        snprintf(text, sizeof text, "1e%d", k);
    else
        put_short(text, 5, at);
    add_tick(a, at, text);
}

/* Every `every`-th power of ten within the axis; 1 is among them. */
static void mark_every(Axis *a, int low, int high, int every)
{
    bool as_power = a->low < 1e-3 || a->high > 1e4;
    a->n = 0;
    for (int k = every * (int)ceil((double)low / every); k <= high; k += every)
        if (is_within(a, pow(10, k)))
            mark_power(a, k, pow(10, k), as_power);
}

/* Powers of ten, and if there are fewer than two of them also 2 and 5 times
   these. Each is labelled with its own value. */
static void mark_powers(Axis *a, uint32_t wanted)
{
    static const double parts[] = {1, 2, 5};
    int low = (int)floor(log10(a->low) + 1e-9),
        high = (int)ceil(log10(a->high) - 1e-9);
    int every = (high - low) / (int)(wanted > 1 ? wanted : 1) + 1;
    if (high - low <= 2) {
        for (int k = low; k <= high; k++)
            for (size_t i = 0; i < LENGTH(parts); i++)
                if (is_within(a, parts[i] * pow(10, k)))
                    mark_power(a, k, parts[i] * pow(10, k), false);
        return;
    }
    do
        mark_every(a, low, high, every);
    while (a->n < 2 && --every > 0);
    if (every == 1)
        mark_between(a, low, high);
}

/* One number alone says nothing of the scale: then there are more than wanted. */
static void mark_numbers(Axis *a, uint32_t wanted, bool whole)
{
    enum { MOST = 8 };
    do {
        double step = round_step(a->high - a->low, wanted);
        a->n = 0;
        mark_linear(a, whole ? fmax(step, 1) : step);
    } while (a->n < 2 && ++wanted <= MOST);
}

void axis_mark(Axis *a, uint32_t wanted, AxisNumbers numbers)
{
    assert(a->low < a->high);
    a->n = 0;
    if (numbers == AXIS_TRUTH) {
        add_tick(a, 0, "FALSE");
        add_tick(a, 1, "TRUE");
        return;
    }
    if (a->logarithmic)
        mark_powers(a, wanted);
    if (a->n >= 2 && a->tick[1].text[0])
        return;
    mark_numbers(a, wanted, numbers == AXIS_WHOLE);
}

bool axis_split(const char *text, int *mantissa, int *exponent)
{
    const char *e = strchr(text, 'e');
    if (!e)
        return false;
    *mantissa = e - text == 1 && text[0] == '1' ? 0 : (int)(e - text);
    *exponent = (int)strtol(e + 1, NULL, 10);
    return true;
}
