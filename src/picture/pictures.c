#include "picture/pictures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"

enum {
    CURVES = PLOT_PANELS, // eigenvalues over time
    PAIRS_MOST = 12,      // Bode diagrams of a run
    BODE_POINTS = 300,
    BODE_STATES = 200 // more take too long
};

#define PI 3.14159265358979323846

typedef struct Pictures {
    Plots *all;
    const Run *r;
    const RunAnalysis *a;
    char note[160];
    char rate[80]; // "[1/s]", or ""
    Arena arena;
} Pictures;

static const char *format(Pictures *p, const char *text, const char *a,
                          const char *b)
{
    Buffer made = {0};
    buffer_format(&made, text, a, b);
    char *kept = NEW_ARRAY(&p->arena, char, made.v.used + 1);
    if (kept)
        snprintf(kept, made.v.used + 1, "%s", buffer_string(&made));
    buffer_free(&made);
    return kept ? kept : "";
}

/* ---- Eigenvalues ---------------------------------------------------------- */

/* An axis that shows 0 and has some width even if all values are equal. */
static PlotAxis axis_of(const char *label, const double *v, size_t n,
                        double least)
{
    PlotAxis axis = PLOT_AXIS(label);
    double low = 0.0, high = 0.0;
    for (size_t k = 0; k < n; k++) {
        low = fmin(low, v[k]);
        high = fmax(high, v[k]);
    }
    double room = fmax(0.08 * (high - low), least);
    axis.low = low - room;
    axis.high = high + room;
    return axis;
}

static Status plane(Pictures *p)
{
    const RunSpots *s = &p->a->poles;
    const RunLinear *l = p->a->linear;
    const RunReduced *small = l->reduced;
    size_t n = l->points ? (size_t)l->points * l->states : s->n;
    const double *re = l->points ? l->re : s->re;
    const double *im = l->points ? l->im : s->im;
    double size = 0.0;
    if (n == 0 || (!l->points && !s->known))
        return STATUS_OK;
    for (size_t k = 0; k < n; k++)
        size = fmax(size, hypot(re[k], im[k]));
    size = size > 0.0 ? size : 1.0;
    const PlotSeries series[] = {
        {.name = "on the way",
         .style = PLOT_POINTS,
         .x = re,
         .y = im,
         .n = l->points ? n : 0,
         .faint = true},
        {.name = l->points ? "at the start" : "",
         .style = PLOT_POINTS,
         .x = re,
         .y = im,
         .n = l->points ? l->states : 0},
        {.name = l->points ? "at the end" : "eigenvalues",
         .style = PLOT_POINTS,
         .x = s->re,
         .y = s->im,
         .n = s->n},
        {.name = "reduced model",
         .style = PLOT_POINTS,
         .x = small ? small->poles.re : NULL,
         .y = small ? small->poles.im : NULL,
         .n = small ? small->poles.n : 0}};
    uint32_t first = l->points ? 0 : 2;
    Plot plot = {.title = "Eigenvalues",
                 .note = p->note[0] ? p->note : NULL,
                 .x = axis_of(format(p, "real part%s%s", p->rate, ""), re, n,
                              0.02 * size),
                 .y = axis_of(format(p, "imaginary part%s%s", p->rate, ""), im,
                              n, 0.02 * size),
                 .series = series + first,
                 .n = (small ? 4 : 3) - first};
    plot.always = true;
    return plots_add(p->all, &plot);
}

/* Real parts, the least damped first. */
static Status over_time(Pictures *p)
{
    const RunLinear *l = p->a->linear;
    uint32_t n = l->states < CURVES ? l->states : CURVES;
    PlotSeries series[CURVES];
    const char *unit = cosy_time_unit(p->r->model);
    if (l->points < 2)
        return STATUS_OK;
    for (uint32_t i = 0; i < n; i++) {
        char name[40];
        double *y = NEW_ARRAY(&p->arena, double, l->points);
        if (!y)
            return STATUS_MEMORY;
        for (size_t k = 0; k < l->points; k++)
            y[k] = l->re[k * l->states + i];
        snprintf(name, sizeof name, "%u", i + 1);
        series[i] = (PlotSeries){.name = format(p, "eigenvalue %s%s", name, ""),
                                 .style = PLOT_LINES,
                                 .x = l->time,
                                 .y = y,
                                 .n = l->points};
    }
    Plot plot = {
        .title = "Real parts of the eigenvalues",
        .note = p->note[0] ? p->note : NULL,
        .x = PLOT_AXIS(unit[0] ? format(p, "TIME [%s]%s", unit, "") : "TIME"),
        .y = PLOT_AXIS(format(p, "real part%s%s", p->rate, "")),
        .series = series,
        .n = n};
    plot.always = true;
    return plots_add(p->all, &plot);
}

/* ---- Bode diagrams -------------------------------------------------------- */

typedef struct Bode {
    double *w;
    double *gain, *phase; // outputs * points
    bool *bad;            // of each output: some gain is zero or infinite
} Bode;

static void stretch(double *low, double *high, const RunSpots *s)
{
    for (uint32_t k = 0; s->known && k < s->n; k++) {
        double size = hypot(s->re[k], s->im[k]);
        if (size <= 1e-9 * *high)
            continue;
        *low = fmin(*low, size);
        *high = fmax(*high, size);
    }
}

/* From two decades below the slowest of poles and zeros to two above the
   fastest. */
static void frequencies(const Pictures *p, Bode *b)
{
    const RunLinear *l = p->a->linear;
    double low = INFINITY, high = 0.0;
    stretch(&low, &high, &p->a->poles);
    for (uint32_t k = 0; k < l->which->inputs * l->which->outputs; k++)
        stretch(&low, &high, &l->zeros[k]);
    if (!(high > 0.0))
        low = high = 1.0;
    low = pow(10.0, floor(log10(low) - 1.0));
    high = pow(10.0, ceil(log10(high) + 1.0));
    for (int i = 0; i < BODE_POINTS; i++)
        b->w[i] = low * pow(high / low, (double)i / (BODE_POINTS - 1));
}

static bool fill_bode(Pictures *p, const Matrices *m, Bode *b, uint32_t input)
{
    size_t n = m->states;
    Complex *room = NEW_ARRAY(&p->arena, Complex, n * (n + 1) + 1);
    Complex *y = NEW_ARRAY(&p->arena, Complex, m->outputs + 1);
    uint32_t *pivot = NEW_ARRAY(&p->arena, uint32_t, n + 1);
    if (!room || !y || !pivot)
        return false;
    for (uint32_t o = 0; o < m->outputs; o++)
        b->bad[o] = false;
    for (size_t i = 0; i < BODE_POINTS; i++) {
        bool ok = matrices_response(m, input, (real)b->w[i], y, room, pivot);
        for (size_t o = 0; o < m->outputs; o++) {
            double re = (double)y[o].re, im = (double)y[o].im;
            double *phase = b->phase + o * BODE_POINTS;
            double gain = 20.0 * log10(hypot(re, im));
            b->gain[o * BODE_POINTS + i] = gain;
            b->bad[o] = b->bad[o] || !ok || !isfinite(gain);
            phase[i] = atan2(im, re) * 180.0 / PI;
            while (i > 0 && phase[i] - phase[i - 1] > 180.0)
                phase[i] -= 360.0;
            while (i > 0 && phase[i] - phase[i - 1] < -180.0)
                phase[i] += 360.0;
        }
    }
    return true;
}

/* `small` is what the reduced model does; it has no curves without one. */
static Status bode(Pictures *p, const Bode *b, const Bode *small,
                   uint32_t input, uint32_t output)
{
    const CosyModel *m = p->r->model;
    const CosyLinear *l = p->a->linear->which;
    const char *unit = cosy_time_unit(m);
    Buffer in = {0}, out = {0};
    analysis_place(&in, m, &m->linear_inputs[l->input[input]]);
    analysis_place(&out, m, &m->linear_outputs[l->output[output]]);
    size_t at = (size_t)output * BODE_POINTS;
    bool two = small->w && !small->bad[output];
    PlotSeries line = {.style = PLOT_LINES, .x = b->w, .n = BODE_POINTS};
    PlotSeries series[] = {line, line, line, line};
    series[0].y = b->gain + at;
    series[1].y = b->phase + at;
    series[1].panel = 1;
    if (two) {
        series[0].name = "full model";
        series[2].name = series[3].name = "reduced model";
        series[2].y = small->gain + at;
        series[3].y = small->phase + at;
        series[1].name = series[0].name;
        series[3].panel = 1;
    }
    PlotAxis phase = PLOT_AXIS("phase [deg]");
    Plot plot = {
        .title = format(p, "Bode diagram: %s by %s", buffer_string(&out),
                        buffer_string(&in)),
        .note = p->note[0] ? p->note : NULL,
        .x = PLOT_AXIS(unit[0] ? format(p, "frequency [rad/%s]%s", unit, "")
                               : "frequency [rad per unit of TIME]"),
        .y = PLOT_AXIS("gain [dB]"),
        .lower = &phase,
        .lowers = 1,
        .series = series,
        .n = two ? 4 : 2};
    plot.x.logarithmic = true;
    plot.always = true;
    Status s = plots_add(p->all, &plot);
    buffer_free(&in);
    buffer_free(&out);
    return s;
}

static bool make_bode(Pictures *p, Bode *b, size_t outputs)
{
    size_t all = outputs * BODE_POINTS;
    *b = (Bode){.w = NEW_ARRAY(&p->arena, double, BODE_POINTS),
                .gain = NEW_ARRAY(&p->arena, double, all),
                .phase = NEW_ARRAY(&p->arena, double, all),
                .bad = NEW_ARRAY(&p->arena, bool, outputs)};
    return b->w && b->gain && b->phase && b->bad;
}

static real *reals(Pictures *p, const double *from, size_t n)
{
    real *to = NEW_ARRAY(&p->arena, real, n + 1);
    for (size_t k = 0; to && k < n; k++)
        to[k] = (real)from[k];
    return to;
}

static bool make_small(Pictures *p, Matrices *m)
{
    const RunLinear *l = p->a->linear;
    const RunReduced *r = l->reduced;
    size_t n = r->states, in = l->which->inputs, out = l->which->outputs;
    *m = (Matrices){.states = r->states,
                    .inputs = l->which->inputs,
                    .outputs = l->which->outputs,
                    .a = reals(p, r->a, n * n),
                    .b = reals(p, r->b, n * in),
                    .c = reals(p, r->c, out * n),
                    .d = reals(p, r->d, out * in)};
    return m->a && m->b && m->c && m->d;
}

static Status bodes(Pictures *p)
{
    const RunLinear *l = p->a->linear;
    uint32_t in = l->which->inputs, out = l->which->outputs, drawn = 0;
    Bode b, small = {0};
    Matrices reduced;
    if (in == 0 || out == 0 || l->states == 0 || !l->a ||
        l->states > BODE_STATES)
        return STATUS_OK;
    if (!make_bode(p, &b, out) || (l->reduced && (!make_bode(p, &small, out) ||
                                                  !make_small(p, &reduced))))
        return STATUS_MEMORY;
    frequencies(p, &b);
    if (l->reduced)
        memcpy(small.w, b.w, BODE_POINTS * sizeof *b.w);
    for (uint32_t k = 0; k < in && drawn < PAIRS_MOST; k++) {
        if (!fill_bode(p, &p->r->analyse.matrices, &b, k) ||
            (l->reduced && !fill_bode(p, &reduced, &small, k)))
            return STATUS_MEMORY;
        for (uint32_t i = 0; i < out && drawn < PAIRS_MOST; i++)
            if (!b.bad[i]) {
                TRY(bode(p, &b, &small, k, i));
                drawn++;
            }
    }
    return STATUS_OK;
}

/* "run 2, TIME = 3 s: A=1"; along a run, from when on. */
static void put_note(Pictures *p, uint32_t number, const char *words,
                     bool along)
{
    const CosyModel *m = p->r->model;
    const CosyHead *h = p->r->c->head;
    char from[40] = "";
    if (along)
        snprintf(from, sizeof from, "%.6g to ", (double)h->t_begin);
    while (*words == ' ')
        words++;
    int n = snprintf(p->note, sizeof p->note, "run %u, TIME = %s%.6g%s%s",
                     number, from, (double)h->t, COSY_IN_TIME(m));
    if (*words && n > 0 && (size_t)n < sizeof p->note)
        snprintf(p->note + n, sizeof p->note - (size_t)n, ": %.80s", words);
}

Status linear_pictures(Plots *all, const Run *r, uint32_t number,
                       const char *words)
{
    Pictures p = {.all = all, .r = r, .a = analyse_tell(r)};
    const char *unit = cosy_time_unit(r->model);
    if (!p.a || !p.a->linear)
        return STATUS_OK;
    if (unit[0])
        snprintf(p.rate, sizeof p.rate, " [1/%.60s]", unit);
    put_note(&p, number, words, p.a->linear->points > 0);
    Status s = plane(&p);
    if (s == STATUS_OK)
        s = over_time(&p);
    put_note(&p, number, words, false);
    if (s == STATUS_OK)
        s = bodes(&p);
    arena_free(&p.arena);
    return s;
}
