#include "solve/plant.h"

#include <math.h>
#include <string.h>

#include "solve/lapack.h"

enum { TAYLOR = 18, OCTAVES_MOST = 200, LANES = 2 };

/* Entries of A h up to this size: the series ends below rounding. */
#define SMALL 0.5

bool plant_make(Plant *p, int n, int inputs, int outputs, Arena *a)
{
    size_t states = (size_t)n, in = (size_t)inputs, out = (size_t)outputs;
    *p = (Plant){.n = n, .inputs = inputs, .outputs = outputs};
    p->a = NEW_ARRAY(a, double, states *states + 1);
    p->b = NEW_ARRAY(a, double, states *in + 1);
    p->c = NEW_ARRAY(a, double, out *states + 1);
    p->d = NEW_ARRAY(a, double, out *in + 1);
    p->re = NEW_ARRAY(a, double, states + 1);
    p->im = NEW_ARRAY(a, double, states + 1);
    return p->a && p->b && p->c && p->d && p->re && p->im;
}

/* ---- Form ----------------------------------------------------------------------- */

void plant_turn(Plant *p, const double *q, double *room)
{
    size_t n = (size_t)p->n, out = (size_t)p->outputs;
    for (size_t k = 0; k < (size_t)p->inputs; k++) {
        double *b = p->b + k * n;
        for (size_t i = 0; i < n; i++) {
            room[i] = 0.0;
            for (size_t j = 0; j < n; j++)
                room[i] += q[i * n + j] * b[j];
        }
        memcpy(b, room, n * sizeof *b);
    }
    for (size_t o = 0; o < out; o++) {
        for (size_t i = 0; i < n; i++) {
            room[i] = 0.0;
            for (size_t j = 0; j < n; j++)
                room[i] += p->c[j * out + o] * q[i * n + j];
        }
        for (size_t i = 0; i < n; i++)
            p->c[i * out + o] = room[i];
    }
}

Status plant_shape(Plant *p, double *q, Arena *scratch)
{
    size_t n = (size_t)p->n;
    double *work = NEW_ARRAY(scratch, double, lapack_room(n));
    q = q ? q : NEW_ARRAY(scratch, double, n *n + 1);
    if (!work || !q)
        return STATUS_MEMORY;
    if (n == 0)
        return STATUS_OK;
    if (!lapack_schur(p->n, p->a, q, p->re, p->im, work))
        return STATUS_NUMBER;
    plant_turn(p, q, work);
    return STATUS_OK;
}

/* ---- By frequency --------------------------------------------------------------- */

static Gain over(Gain a, Gain b)
{
    double size = b.re * b.re + b.im * b.im;
    return (Gain){(a.re * b.re + a.im * b.im) / size,
                  (a.im * b.re - a.re * b.im) / size};
}

static Gain times(Gain a, Gain b)
{
    return (Gain){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Takes what x[k] contributes out of the rows above. */
static void take_out(const Plant *p, Gain *x, int k, int above)
{
    const double *column = p->a + (size_t)k * (size_t)p->n;
    for (int i = 0; i < above; i++) {
        x[i].re += column[i] * x[k].re;
        x[i].im += column[i] * x[k].im;
    }
}

/* (i w - A) x = b from the last row up, blocks of two by Cramer's rule. */
static void solve(const Plant *p, double w, Gain *x)
{
    size_t n = (size_t)p->n;
    for (int k = p->n - 1; k >= 0; k--) {
        const double *own = p->a + (size_t)k * n;
        if (k == 0 || own[k - (int)n] == 0.0) {
            x[k] = over(x[k], (Gain){-own[k], w});
            take_out(p, x, k, k);
            continue;
        }
        const double *left = own - n;
        Gain a = {-left[k - 1], w}, d = {-own[k], w};
        double b = -own[k - 1], c = -left[k];
        Gain det = times(a, d), u = x[k - 1], v = x[k];
        Gain top = times(u, d), low = times(a, v);
        det.re -= b * c;
        x[k - 1] = over((Gain){top.re - b * v.re, top.im - b * v.im}, det);
        x[k] = over((Gain){low.re - c * u.re, low.im - c * u.im}, det);
        take_out(p, x, k, k - 1);
        take_out(p, x, k - 1, k - 1);
        k--;
    }
}

void plant_gain(const Plant *p, double w, Gain *g, Gain *room)
{
    size_t n = (size_t)p->n, out = (size_t)p->outputs;
    for (size_t k = 0; k < (size_t)p->inputs; k++) {
        for (size_t o = 0; o < out; o++)
            g[k * out + o] = (Gain){p->d[k * out + o], 0.0};
        if (isinf(w))
            continue;
        for (size_t i = 0; i < n; i++)
            room[i] = (Gain){p->b[k * n + i], 0.0};
        solve(p, w, room);
        for (size_t i = 0; i < n; i++)
            for (size_t o = 0; o < out; o++) {
                g[k * out + o].re += p->c[i * out + o] * room[i].re;
                g[k * out + o].im += p->c[i * out + o] * room[i].im;
            }
    }
}

/* ---- Steps ---------------------------------------------------------------------- */

/* What is known at a time h: M = e^(A h) - 1 and G, the state after a step of each
   input. Twice the time: 2 M + M M and 2 G + M G. As M is small where h is, nothing
   cancels, however slow a motion is beside others. */
typedef struct Walk {
    const Plant *p;
    double *m, *g, *room; // n n, n inputs, n n
} Walk;

/* c += a b, where a and b have one diagonal below the main one at most. */
static void multiply(int n, const double *a, const double *b, double *c)
{
    size_t size = (size_t)n;
    for (int k = 0; k < n; k++)
        for (int j = 0; j <= k + 1 && j < n; j++) {
            double f = b[(size_t)k * size + (size_t)j];
            const double *from = a + (size_t)j * size;
            double *to = c + (size_t)k * size;
            if (f == 0.0)
                continue;
            for (int i = 0; i <= j + 1 && i < n; i++)
                to[i] += from[i] * f;
        }
}

static void advance(const Walk *w)
{
    size_t n = (size_t)w->p->n;
    for (size_t k = 0; k < (size_t)w->p->inputs; k++) {
        double *g = w->g + k * n;
        for (size_t i = 0; i < n; i++)
            w->room[i] = 2.0 * g[i];
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n && i <= j + 1; i++)
                w->room[i] += w->m[j * n + i] * g[j];
        memcpy(g, w->room, n * sizeof *g);
    }
    for (size_t i = 0; i < n * n; i++)
        w->room[i] = 2.0 * w->m[i];
    multiply((int)n, w->m, w->m, w->room);
    memcpy(w->m, w->room, n * n * sizeof *w->m);
}

/* M and G at h by Taylor's series: with P = A h, M = P (1 + P/2 (1 + P/3 (...))) and
   G = h (1 + P/2 (1 + P/3 (...))) B. */
static void begin(const Walk *w, double h)
{
    const Plant *p = w->p;
    size_t n = (size_t)p->n, in = (size_t)p->inputs;
    memset(w->m, 0, n * n * sizeof *w->m); // the bracket
    for (size_t i = 0; i < n; i++)
        w->m[i * n + i] = 1.0;
    for (int k = TAYLOR; k > 1; k--) {
        memset(w->room, 0, n * n * sizeof *w->room);
        multiply(p->n, p->a, w->m, w->room);
        for (size_t i = 0; i < n * n; i++)
            w->m[i] = w->room[i] * h / k;
        for (size_t i = 0; i < n; i++)
            w->m[i * n + i] += 1.0;
    }
    memset(w->g, 0, n * in * sizeof *w->g);
    for (size_t k = 0; k < in; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                w->g[k * n + i] += h * w->m[j * n + i] * p->b[k * n + j];
    memset(w->room, 0, n * n * sizeof *w->room);
    multiply(p->n, p->a, w->m, w->room);
    for (size_t i = 0; i < n * n; i++)
        w->m[i] = h * w->room[i];
}

static void note(const Walk *w, double *y)
{
    const Plant *p = w->p;
    size_t n = (size_t)p->n, out = (size_t)p->outputs;
    for (size_t k = 0; k < (size_t)p->inputs; k++)
        for (size_t o = 0; o < out; o++) {
            double sum = p->d[k * out + o];
            for (size_t i = 0; i < n; i++)
                sum += p->c[i * out + o] * w->g[k * n + i];
            y[k * out + o] = sum;
        }
}

/* The greatest sum over a column. */
static double norm(const Plant *p)
{
    double most = 0.0;
    for (size_t k = 0; k < (size_t)p->n; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < (size_t)p->n; i++)
            sum += fabs(p->a[k * (size_t)p->n + i]);
        most = fmax(most, sum);
    }
    return most;
}

/* One of the lanes: times h, 2 h, 4 h ... */
static void walk(const Walk *w, double h, size_t lane, size_t octaves,
                 PlantSteps *s)
{
    size_t pairs = (size_t)w->p->inputs * (size_t)w->p->outputs;
    int before = 0;
    double size = norm(w->p) * h;
    while (ldexp(size, -before) > SMALL && before < OCTAVES_MOST)
        before++;
    begin(w, ldexp(h, -before));
    while (before-- > 0)
        advance(w);
    for (size_t k = 0; k < octaves; k++) {
        size_t at = k * LANES + lane;
        s->t[at] = ldexp(h, (int)k);
        note(w, s->y + at * pairs);
        advance(w);
    }
}

bool plant_steps(const Plant *p, double first, double last, PlantSteps *s,
                 Arena *a)
{
    size_t n = (size_t)p->n, in = (size_t)p->inputs, out = (size_t)p->outputs;
    size_t octaves = 1;
    while (ldexp(first, (int)octaves) < last && octaves < OCTAVES_MOST)
        octaves++;
    Walk w = {.p = p,
              .m = NEW_ARRAY(a, double, n *n + 1),
              .g = NEW_ARRAY(a, double, n *in + 1),
              .room = NEW_ARRAY(a, double, n *n + 1)};
    *s = (PlantSteps){.count = LANES * octaves,
                      .t = NEW_ARRAY(a, double, LANES *octaves),
                      .y = NEW_ARRAY(a, double, LANES *octaves *in *out + 1)};
    if (!w.m || !w.g || !w.room || !s->t || !s->y)
        return false;
    for (size_t lane = 0; lane < LANES; lane++)
        walk(&w, first * pow(2.0, (double)lane / LANES), lane, octaves, s);
    return true;
}
