#include "picture/signals.h"

#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "picture/graphs.h"
#include "stats/correlate.h"
#include "stats/record.h"
#include "stats/value.h"

/* What operations on data find. */

/* A line in the making. */
typedef struct Maker {
    Gallery *g;
    Signal *s;
    ShowSource from; // records of the run
    const Shown *run;
    ShowSource second; // of the other run of COMPARE
    const Shown *other;
    Arena scratch; // of one curve
    bool told;     // that values are interpolated: once for each line
    bool broken;
} Maker;

/* The share of the largest amplitude near the highest frequency above which a
   warning is due, and how much the ends of a curve may differ. */
static const double edge_most = 0.005, ends_most = 0.05;

static const char *word_of(const CosyShow *line)
{
    switch (line->kind) {
    case COSY_AUTOCORR: return "AUTOCORR";
    case COSY_CROSSCORR: return "CROSSCORR";
    case COSY_COMPARE: return "COMPARE";
    default: return "SPECTRUM";
    }
}

/* "SPECTRUM: X in run 2 ..." */
static void tell(Maker *k, const ShowColumn *what, const ShowSource *from,
                 CosySeverity severity, const char *text)
{
    Buffer b = {0};
    buffer_format(&b, "%s: ", word_of(k->s->line));
    show_name(&b, k->g->model, what);
    buffer_format(&b, " in %s %s", from->what, text);
    outlet_message(k->g->outlet, severity, k->s->line->line, buffer_string(&b));
    buffer_free(&b);
}

/* ---- Taking curves --------------------------------------------------------------- */

static bool is_good(Maker *k, const ShowColumn *what, const ShowSource *from,
                    CurveFault fault, real at)
{
    char text[200];
    double t = (double)at;
    const char *unit = value_shown_unit(cosy_time_unit(k->g->model));
    switch (fault) {
    case CURVE_GOOD: return true;
    case CURVE_NO_MEMORY: k->broken = true; return false;
    case CURVE_SHORT:
        snprintf(text, sizeof text,
                 "has records at a single time: there is no curve to work on");
        break;
    case CURVE_NO_VALUE:
        snprintf(text, sizeof text,
                 "has no value at time %.10g%s%s, and is left out", t,
                 unit[0] ? " " : "", unit);
        break;
    case CURVE_BACK:
        snprintf(text, sizeof text,
                 "goes back in time after %.10g%s%s, and is left out", t,
                 unit[0] ? " " : "", unit);
        break;
    }
    tell(k, what, from, COSY_WARNING, text);
    return false;
}

static bool take_curve(Maker *k, const ShowColumn *what, const ShowSource *from,
                       Curve *c)
{
    real at = R(0.0);
    const real *rows = (const real *)(const void *)from->rows->bytes;
    CurveFault fault = curve_take(c, k->g->arena, rows, show_count(from),
                                  from->columns, what->column, &at);
    return is_good(k, what, from, fault, at);
}

/* Values of a curve at equal distances; NULL: no memory. */
static real *take_values(Maker *k, SignalRow *r, const Curve *c)
{
    char text[200];
    r->axis = curve_axis(c);
    real *x = NEW_ARRAY(&k->scratch, real, r->axis.n);
    if (!x) {
        k->broken = true;
        return NULL;
    }
    curve_sample(c, &r->axis, x);
    if (!r->axis.records && !k->told) {
        snprintf(text, sizeof text,
                 "is not recorded at equal distances: %zu values, one every "
                 "%.6g, are interpolated linearly; COMINT = h records at equal "
                 "distances",
                 r->axis.n, (double)r->axis.step);
        tell(k, &r->what, &k->from, COSY_NOTE, text);
        k->told = true;
    }
    return x;
}

/* ---- SPECTRUM -------------------------------------------------------------------- */

static void tell_edge(Maker *k, const SignalRow *r)
{
    char text[300];
    Buffer unit = {0};
    bool density = k->s->line->density;
    double edge = (double)(density ? cosy_sqrt(r->edge) : r->edge);
    if (edge > edge_most) {
        snprintf(text, sizeof text,
                 "still has %.2g %% of its largest %s near the highest "
                 "frequency (%.6g %s): what is faster appears at lower "
                 "frequencies (aliasing); a smaller COMINT tells them apart",
                 100 * edge,
                 density ? "amplitude (root of density)" : "amplitude",
                 (double)r->highest, signals_unit(&unit, k->g->model));
        tell(k, &r->what, &k->from, COSY_WARNING, text);
    }
    buffer_free(&unit);
}

/* The lines of a curve whose ends differ are those of a jump. */
static void tell_ends(Maker *k, const SignalRow *r, const real *x)
{
    size_t n = r->axis.n;
    real low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = cosy_min(low, x[i]);
        high = cosy_max(high, x[i]);
    }
    if (!k->s->line->hann && !k->s->line->density &&
        cosy_abs(x[n - 1] - x[0]) > (real)ends_most * (high - low))
        tell(k, &r->what, &k->from, COSY_NOTE,
             "ends at another value than it begins with, so that its lines "
             "leak into all others: a whole number of periods has none of "
             "that, and SPECTRUM HANN less");
}

static bool amplitudes(Maker *k, SignalRow *r, real *x, size_t n, real *y)
{
    /* The ends are one point of the period: each counts half, as in the
       trapezoidal rule for the coefficients of Fourier. */
    x[0] = (x[0] + x[n]) / R(2.0);
    r->mean = correlate_centre(x, n, &r->value);
    r->n = fourier_lines(n);
    r->dx = R(1.0) / ((real)n * r->axis.step);
    if (r->value > R(0.0))
        return fourier_amplitudes(x, n, k->s->line->hann, y, &k->scratch);
    return true; // constant: no line at all
}

static bool density(Maker *k, SignalRow *r, real *x, size_t n, real *y)
{
    size_t length;
    r->mean = correlate_centre(x, n, &r->value);
    if (!fourier_density(x, n, r->axis.step, y, &r->n, &length, &r->pieces,
                         &k->scratch))
        return false;
    r->dx = R(1.0) / ((real)length * r->axis.step);
    return true;
}

static bool make_spectrum(Maker *k, SignalRow *r)
{
    const CosyShow *line = k->s->line;
    real *x = take_values(k, r, &r->curve);
    size_t n = r->axis.n - 1;
    real *y = NEW_ARRAY(k->g->arena, real, fourier_lines(n) + 1);
    if (!x || !y)
        return false;
    if (n < 4) {
        tell(k, &r->what, &k->from, COSY_WARNING,
             "has fewer than five records: there is no spectrum of it");
        return false;
    }
    tell_ends(k, r, x);
    if (!(line->density ? density(k, r, x, n, y) : amplitudes(k, r, x, n, y))) {
        k->broken = true;
        return false;
    }
    y[0] = R(0.0); // the mean has been taken off
    r->y = y;
    r->highest = R(0.5) / r->axis.step;
    r->edge = fourier_edge(y, r->n);
    r->peaks = fourier_peaks(y, r->n,
                             line->density ? FOURIER_NONE
                             : line->hann  ? FOURIER_HANN
                                           : FOURIER_PLAIN,
                             r->peak, SIGNAL_PEAKS);
    for (uint32_t i = 0; i < r->peaks; i++)
        r->peak[i].at *= r->dx;
    tell_edge(k, r);
    return true;
}

/* ---- Correlations ---------------------------------------------------------------- */

/* A quarter of the curve, unless LAG says more or less. */
static size_t lags_of(Maker *k, const SignalRow *r)
{
    char text[200];
    real lag = k->s->line->lag;
    size_t most = r->axis.n - 2;
    if (!(lag > R(0.0)))
        return r->axis.n / 4 > 0 ? r->axis.n / 4 : 1;
    real steps = cosy_floor(lag / r->axis.step + R(1e-6));
    if (steps <= (real)most)
        return steps >= R(1.0) ? (size_t)steps : 1;
    snprintf(text, sizeof text,
             "is shorter than LAG = %.6g: lags are shown up to %.6g",
             (double)lag, (double)((real)most * r->axis.step));
    tell(k, &r->what, &k->from, COSY_WARNING, text);
    return most;
}

/* Where r first falls below a level, between two lags; NaN: nowhere. */
static real falls_to(const SignalRow *r, real level)
{
    for (size_t i = 1; i < r->n; i++)
        if (r->y[i] < level)
            return r->dx *
                   ((real)i - (level - r->y[i]) / (r->y[i - 1] - r->y[i]));
    return COSY_NAN;
}

/* The highest maximum after r has been below 0. */
static void find_next(SignalRow *r)
{
    size_t i = 1, best = 0;
    while (i < r->n && r->y[i] >= R(0.0))
        i++;
    for (; i + 1 < r->n; i++)
        if (r->y[i] > r->y[i - 1] && r->y[i] >= r->y[i + 1] &&
            (best == 0 || r->y[i] > r->y[best]))
            best = i;
    r->lag = best ? r->dx * (real)best : COSY_NAN;
    r->value = best ? r->y[best] : COSY_NAN;
}

static void find_largest(SignalRow *r)
{
    size_t best = 0;
    for (size_t i = 1; i < r->n; i++)
        if (cosy_abs(r->y[i]) > cosy_abs(r->y[best]))
            best = i;
    r->lag = r->x0 + r->dx * (real)best;
    r->value = r->y[best];
}

/* Values without their mean; NULL: the curve is constant, or there is no memory. */
static real *take_centred(Maker *k, SignalRow *r, const ShowColumn *what,
                          const Curve *c, real *sd)
{
    real *x = take_values(k, r, c);
    if (!x)
        return NULL;
    r->mean = correlate_centre(x, r->axis.n, sd);
    if (*sd > R(0.0))
        return x;
    tell(k, what, &k->from, COSY_WARNING,
         "is constant: nothing correlates with it");
    return NULL;
}

static bool make_correlation(Maker *k, SignalRow *r)
{
    bool two = k->s->line->kind == COSY_CROSSCORR;
    real sd_x, sd_y;
    Curve other;
    const real *y = NULL;
    if (two && take_curve(k, &r->with, &k->from, &other))
        y = take_centred(k, r, &r->with, &other, &sd_y);
    const real *x =
        two && !y ? NULL : take_centred(k, r, &r->what, &r->curve, &sd_x);
    if (!x || r->axis.n < 4) {
        if (x)
            tell(k, &r->what, &k->from, COSY_WARNING,
                 "has fewer than four records: nothing is correlated");
        return false;
    }
    size_t most = lags_of(k, r);
    real *all = NEW_ARRAY(k->g->arena, real, 2 * most + 1);
    if (!all || !correlate_series(x, sd_x, two ? y : x, two ? sd_y : sd_x,
                                  r->axis.n, most, all, &k->scratch)) {
        k->broken = true;
        return false;
    }
    r->dx = r->axis.step;
    r->x0 = two ? -(real)most * r->dx : R(0.0);
    r->y = two ? all : all + most;
    r->n = two ? 2 * most + 1 : most + 1;
    r->falls = two ? COSY_NAN : falls_to(r, cosy_exp(R(-1.0)));
    if (two)
        find_largest(r);
    else
        find_next(r);
    return true;
}

/* ---- COMPARE --------------------------------------------------------------------- */

static bool compare_runs(Maker *k, SignalRow *r)
{
    r->other = k->other;
    if (!take_curve(k, &r->what, &k->second, &r->reference))
        return false;
    if (differ_curves(&r->curve, &r->reference, &r->d, k->g->arena))
        return true;
    k->broken = true;
    return false;
}

/* `place` is that of the variable in the line. */
static bool compare_data(Maker *k, SignalRow *r, uint32_t place)
{
    const CosyShow *line = k->s->line;
    r->points = line->points;
    r->times = line->data;
    r->values = line->data + (size_t)(place + 1) * line->points;
    if (differ_points(&r->curve, r->times, r->values, r->points, &r->d,
                      k->g->arena))
        return true;
    k->broken = true;
    return false;
}

static bool make_comparison(Maker *k, SignalRow *r, uint32_t place)
{
    char text[200];
    bool data = k->s->line->data != NULL;
    if (!(data ? compare_data(k, r, place) : compare_runs(k, r)))
        return false;
    if (r->d.n == 0 || (!data && !(r->d.to > r->d.from))) {
        snprintf(text, sizeof text,
                 "goes from %.6g to %.6g, and has no time in common with %s",
                 (double)r->curve.t[0], (double)r->curve.t[r->curve.n - 1],
                 data ? "the data" : k->second.what);
        tell(k, &r->what, &k->from, COSY_WARNING, text);
        return false;
    }
    if (r->d.outside) {
        snprintf(text, sizeof text,
                 "ends before or begins after %zu of the %zu points of the "
                 "data, which are left out",
                 r->d.outside, r->points);
        tell(k, &r->what, &k->from, COSY_NOTE, text);
    }
    return true;
}

/* ---- Lines ----------------------------------------------------------------------- */

static bool make_row(Maker *k, SignalRow *r, uint32_t place)
{
    bool made = false;
    r->run = k->run;
    if (take_curve(k, &r->what, &k->from, &r->curve))
        switch (k->s->line->kind) {
        case COSY_SPECTRUM: made = make_spectrum(k, r); break;
        case COSY_COMPARE: made = make_comparison(k, r, place); break;
        default: made = make_correlation(k, r); break;
        }
    arena_free(&k->scratch);
    k->scratch = (Arena){0};
    return made;
}

static void add_row(Maker *k, const SignalRow *wanted, uint32_t place)
{
    SignalRow r = *wanted;
    if (r.what.column && (r.with.variable == COSY_NONE || r.with.column) &&
        make_row(k, &r, place))
        k->s->row[k->s->n++] = r;
}

/* All elements that a line names, in their order. */
static void add_rows(Maker *k)
{
    const CosyShow *line = k->s->line;
    const CosyModel *m = k->g->model;
    SignalRow r = {.with = {.variable = COSY_NONE}};
    ShowColumn first = {.variable = COSY_NONE};
    for (uint32_t i = 0; i < line->n; i++) {
        uint32_t v = line->variable[i];
        ValueSpan s = value_span(&m->variables[v], line->element[i]);
        for (uint32_t e = s.from; e < s.end; e++) {
            ShowColumn c = {record_column(m, v, e), v, e};
            bool one = line->kind == COSY_CROSSCORR;
            if (one && first.variable == COSY_NONE) {
                first = c;
                continue;
            }
            r.what = one ? first : c;
            if (one)
                r.with = c;
            add_row(k, &r, i);
        }
    }
}

static uint32_t count_rows(const CosyModel *m, const CosyShow *line)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < line->n; i++) {
        ValueSpan s =
            value_span(&m->variables[line->variable[i]], line->element[i]);
        n += s.end - s.from;
    }
    return n;
}

/* The records of a run, and of the one it is compared with; false after a
   message. */
static bool take_runs(Maker *k, int32_t run)
{
    CosyShow own = *k->s->line;
    own.run = run;
    if (!gallery_rows(k->g, &own, &k->from))
        return false;
    k->run = gallery_find(k->g, &own);
    if (!own.other)
        return true;
    own.run = own.other;
    if (!gallery_rows(k->g, &own, &k->second))
        return false;
    k->other = gallery_find(k->g, &own);
    return true;
}

static bool make_signal(Gallery *g, Signal *s)
{
    Maker k = {.g = g, .s = s};
    bool saved, all = s->line->run == COSY_ALL;
    uint32_t runs = all ? gallery_all(g, &saved) : 1;
    s->several = all && runs > 1;
    s->row = NEW_ARRAY(g->arena, SignalRow,
                       (size_t)runs * count_rows(g->model, s->line) + 1);
    if (!s->row)
        return false;
    for (uint32_t i = 0; i < runs; i++)
        if (take_runs(&k, all ? gallery_nth(g, i, saved) : s->line->run) &&
            !(all && k.run == k.other))
            add_rows(&k);
    return !k.broken;
}

const Signals *signals_find(Gallery *g)
{
    const CosyModel *m = g->model;
    if (g->signals)
        return g->signals;
    Signals *all = NEW(g->arena, Signals);
    Signal *s = NEW_ARRAY(g->arena, Signal, m->n_shows + 1);
    if (!all || !s)
        return NULL;
    all->signal = s;
    for (uint32_t k = 0; k < m->n_shows; k++)
        if (signals_has(&m->shows[k])) {
            s[all->n] = (Signal){.line = &m->shows[k], .number = all->n + 1};
            if (g->runs > 0 && !make_signal(g, &s[all->n]))
                return NULL;
            all->n++;
        }
    g->signals = all;
    return all;
}
