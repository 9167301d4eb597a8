#include "solve/matrices.h"

#include <math.h>
#include <string.h>

#include "solve/lapack.h"

/* ---- Entries -------------------------------------------------------------- */

typedef struct Probe {
    Solver *s;
    const CosyLinear *l;
    real t;
    const real *x;
    real *vx, *vu, *df, *dy;
} Probe;

static bool make(Matrices *m, const CosyLinear *l, uint32_t n, Arena *a)
{
    size_t states = n, inputs = l->inputs, outputs = l->outputs;
    *m = (Matrices){.states = n, .inputs = l->inputs, .outputs = l->outputs};
    m->a = NEW_ARRAY(a, real, states * states + 1);
    m->b = NEW_ARRAY(a, real, states * inputs + 1);
    m->c = NEW_ARRAY(a, real, outputs * states + 1);
    m->d = NEW_ARRAY(a, real, outputs * inputs + 1);
    return m->a && m->b && m->c && m->d;
}

/* The derivative along the present direction is column k of two matrices. */
static Status column(const Probe *p, real *top, real *low, uint32_t columns,
                     uint32_t k)
{
    Solver *s = p->s;
    s->culprit = COSY_NONE;
    s->cause = s->model->linear(s->c, p->t, p->x, p->vx, p->vu, p->df, p->dy);
    if (s->cause != COSY_OK)
        return STATUS_NUMBER;
    for (size_t i = 0; i < s->n; i++) {
        top[i * columns + k] = p->df[i] + R(0.0); // no -0
        if (cosy_finite(p->df[i]))
            continue;
        s->culprit = (uint32_t)i;
        return STATUS_NUMBER;
    }
    for (size_t i = 0; i < p->l->outputs; i++) {
        low[i * columns + k] = p->dy[p->l->output[i]];
        if (!cosy_finite(low[i * columns + k]))
            return STATUS_NUMBER;
    }
    return STATUS_OK;
}

Status matrices_find(Matrices *m, Solver *s, const CosyLinear *l, real t,
                     const real *x, Arena *arena)
{
    const CosyModel *o = s->model;
    size_t n = s->n;
    Probe p = {.s = s, .l = l, .t = t, .x = x};
    p.vx = NEW_ARRAY(arena, real, n + 1);
    p.df = NEW_ARRAY(arena, real, n + 1);
    p.vu = NEW_ARRAY(arena, real, o->n_linear_inputs + 1);
    p.dy = NEW_ARRAY(arena, real, o->n_linear_outputs + 1);
    if (!make(m, l, s->n, arena) || !p.vx || !p.df || !p.vu || !p.dy)
        return STATUS_MEMORY;
    for (uint32_t k = 0; k < s->n; k++) {
        p.vx[k] = R(1.0);
        TRY(column(&p, m->a, m->c, s->n, k));
        p.vx[k] = R(0.0);
    }
    for (uint32_t k = 0; k < l->inputs; k++) {
        p.vu[l->input[k]] = R(1.0);
        TRY(column(&p, m->b, m->d, l->inputs, k));
        p.vu[l->input[k]] = R(0.0);
    }
    return STATUS_OK;
}

void matrices_leave(real *a, uint32_t n, const real *vector, uint32_t count)
{
    for (uint32_t q = 0; q < count; q++, vector += n)
        for (uint32_t i = 0; i < n; i++) {
            real *row = a + (size_t)i * n, dot = R(0.0);
            for (uint32_t k = 0; k < n; k++)
                dot += row[k] * vector[k];
            for (uint32_t k = 0; k < n; k++)
                row[k] -= dot * vector[k];
        }
}

/* ---- Eigenvalues ---------------------------------------------------------- */

static bool spots_make(Spots *p, size_t n, Arena *a)
{
    *p = (Spots){.re = NEW_ARRAY(a, double, n + 1),
                 .im = NEW_ARRAY(a, double, n + 1)};
    return p->re && p->im;
}

/* The larger real part first; of a pair, the positive imaginary part. */
static void sort(Spots *p)
{
    for (uint32_t k = 0; k < p->n; k++) {
        p->re[k] += 0.0; // no -0
        p->im[k] += 0.0;
    }
    for (uint32_t k = 1; k < p->n; k++)
        for (uint32_t i = k; i > 0; i--) {
            bool less = p->re[i] > p->re[i - 1] ||
                        (p->re[i] == p->re[i - 1] && p->im[i] > p->im[i - 1]);
            if (!less)
                break;
            double re = p->re[i], im = p->im[i];
            p->re[i] = p->re[i - 1];
            p->im[i] = p->im[i - 1];
            p->re[i - 1] = re;
            p->im[i - 1] = im;
        }
}

Status matrices_poles_of(const real *a, uint32_t n, Spots *p, Arena *arena)
{
    size_t all = (size_t)n * n;
    if (!spots_make(p, n, arena))
        return STATUS_MEMORY;
    if (n == 0 || n > MATRICES_MOST)
        return STATUS_OK;
    double *copy = NEW_ARRAY(arena, double, all);
    double *work = NEW_ARRAY(arena, double, lapack_room(n));
    if (!copy || !work)
        return STATUS_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            copy[k * n + i] = (double)a[i * n + k];
    p->known = lapack_eigenvalues((int)n, copy, p->re, p->im, work);
    p->n = p->known ? n : 0;
    sort(p);
    return STATUS_OK;
}

/* ---- Zeros ---------------------------------------------------------------- */

static double size_of(const real *v, size_t n, size_t step)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)v[i * step] * (double)v[i * step];
    return sqrt(sum);
}

/* How many integrations lie between input and output: the first of d, c b, c A
   b ... that is not 0; more than n: the output does not follow the input. */
static uint32_t relative_degree(const Matrices *m, uint32_t input,
                                uint32_t output, double *v, double *w)
{
    size_t n = m->states;
    const real *c = m->c + output * n;
    if (m->d[(size_t)output * m->inputs + input] != R(0.0))
        return 0;
    for (size_t i = 0; i < n; i++)
        v[i] = (double)m->b[i * m->inputs + input];
    for (uint32_t k = 1; k <= n; k++) {
        double sum = 0.0, size = 0.0, most = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += (double)c[i] * v[i];
            size += fabs((double)c[i] * v[i]);
        }
        if (fabs(sum) > 1e-12 * size)
            return k;
        for (size_t i = 0; i < n; i++) {
            w[i] = 0.0;
            for (size_t j = 0; j < n; j++)
                w[i] += (double)m->a[i * n + j] * v[j];
            most = fmax(most, fabs(w[i]));
        }
        for (size_t i = 0; i < n; i++)
            v[i] = most > 0.0 ? w[i] / most : 0.0;
    }
    return m->states + 1;
}

/* Rows and columns of the pencil [A - s, b; c, d]; b and c get the size of
   A. */
static void fill_pencil(const Matrices *m, uint32_t input, uint32_t output,
                        double *a, double *e)
{
    size_t n = m->states, all = n + 1;
    const real *c = m->c + output * n, *b = m->b + input;
    double size = size_of(m->a, n * n, 1) / sqrt((double)n);
    double by_b = size_of(b, n, m->inputs), by_c = size_of(c, n, 1);
    size = size > 0.0 ? size : 1.0;
    by_b = by_b > 0.0 ? size / by_b : 1.0;
    by_c = by_c > 0.0 ? size / by_c : 1.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            a[k * all + i] = (double)m->a[i * n + k];
        a[n * all + i] = (double)b[i * m->inputs] * by_b;
        a[i * all + n] = (double)c[i] * by_c;
        e[i * all + i] = 1.0;
    }
    a[n * all + n] =
        (double)m->d[(size_t)output * m->inputs + input] * by_b * by_c;
}

/* Takes the `count` finite ones that are smallest: the others belong to infinity
   and are finite by rounding only. */
static void take_smallest(Spots *p, const double *beta, uint32_t n,
                          uint32_t count)
{
    for (uint32_t k = 0; k < n; k++) {
        double size = hypot(p->re[k], p->im[k]);
        bool finite = fabs(beta[k]) > 1e-300 && size < 1e300 * fabs(beta[k]);
        p->re[k] = finite ? p->re[k] / beta[k] : INFINITY;
        p->im[k] = finite ? p->im[k] / beta[k] : 0.0;
    }
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = k + 1; i < n; i++)
            if (hypot(p->re[i], p->im[i]) < hypot(p->re[k], p->im[k])) {
                double re = p->re[i], im = p->im[i];
                p->re[i] = p->re[k];
                p->im[i] = p->im[k];
                p->re[k] = re;
                p->im[k] = im;
            }
    p->n = count;
}

Status matrices_zeros(const Matrices *m, uint32_t input, uint32_t output,
                      Spots *p, Arena *arena)
{
    size_t n = m->states + 1;
    if (!spots_make(p, n, arena))
        return STATUS_MEMORY;
    if (m->states > MATRICES_MOST)
        return STATUS_OK;
    double *a = NEW_ARRAY(arena, double, n *n);
    double *e = NEW_ARRAY(arena, double, n *n);
    double *beta = NEW_ARRAY(arena, double, n);
    double *work = NEW_ARRAY(arena, double, lapack_room(n));
    if (!a || !e || !beta || !work)
        return STATUS_MEMORY;
    uint32_t degree = relative_degree(m, input, output, beta, work);
    if (degree > m->states)
        return STATUS_OK;
    p->known = true;
    if (degree == m->states)
        return STATUS_OK;
    fill_pencil(m, input, output, a, e);
    p->known =
        lapack_eigenvalues_of_pair((int)n, a, e, p->re, p->im, beta, work);
    if (p->known)
        take_smallest(p, beta, (uint32_t)n, m->states - degree);
    sort(p);
    return STATUS_OK;
}

/* ---- Frequency response --------------------------------------------------- */

bool matrices_response(const Matrices *m, uint32_t input, real w, Complex *y,
                       Complex *room, uint32_t *pivot)
{
    size_t n = m->states;
    Complex *v = room + n * n;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++)
            room[k * n + i] = (Complex){-m->a[i * n + k], R(0.0)};
        room[k * n + k].im = w;
        v[k] = (Complex){m->b[k * m->inputs + input], R(0.0)};
    }
    if (dense_factor_complex((uint32_t)n, room, pivot) != n)
        return false;
    dense_solve_complex((uint32_t)n, room, pivot, v);
    for (size_t o = 0; o < m->outputs; o++) {
        y[o] = (Complex){m->d[o * m->inputs + input], R(0.0)};
        for (size_t i = 0; i < n; i++) {
            y[o].re += m->c[o * n + i] * v[i].re;
            y[o].im += m->c[o * n + i] * v[i].im;
        }
    }
    return true;
}
