#include "solve/reduce.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "solve/lapack.h"
#include "solve/plant.h"

/* What counts as zero among eigenvalues, relative to the largest. */
#define ZERO 1e-10

/* Hankel singular values below this share of the greatest are rounding: they come
   from square roots of what rounding has left of the Gramians. */
#define ROUNDING 1e-9

enum {
    GRID = 400, // frequencies between the slowest and the fastest
    PER_DECADE = 12,
    SIZES = 50, // rounds in which the sizes of inputs and outputs are found
};

/* A growing motion is followed until it is e^5 times as large. */
#define GROWN 5.0

typedef struct Study {
    const LinearSystem *full;
    Arena *a;         // scratch
    Plant all;        // in the form of Schur, what does not decay first
    int lasting;      // states of it that do not decay
    Plant decay;      // the part that decays, without D
    double *in, *out; // sizes of inputs and outputs
    double *w;        // frequencies
    size_t points;
    Gain *gain;         // of `decay`: [point * pairs + pair]
    double *most;       // of the full system, for each pair: the greatest gain
    double *far;        // the greatest answer to a step
    double first, last; // times of steps
    PlantSteps steps;   // of `decay`
    int minimal;        // states that are both moved and seen
    double *hankel;
    Plant balanced; // of so many states
} Study;

/* ---- The part that decays ------------------------------------------------------- */

/* By columns, with rows and columns of A made about equally large. */
static Status copy(Study *y)
{
    const LinearSystem *f = y->full;
    size_t n = f->states, in = f->inputs, out = f->outputs;
    double *s = NEW_ARRAY(y->a, double, n + 1);
    if (!plant_make(&y->all, (int)n, (int)in, (int)out, y->a) || !s)
        return STATUS_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            y->all.a[k * n + i] = f->a[i * n + k];
    if (n > 0 && !lapack_scale((int)n, y->all.a, s))
        return STATUS_NUMBER;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < in; k++)
            y->all.b[k * n + i] = f->b[i * in + k] / s[i];
    for (size_t o = 0; o < out; o++)
        for (size_t k = 0; k < n; k++)
            y->all.c[k * out + o] = f->c[o * n + k] * s[k];
    for (size_t o = 0; o < out; o++)
        for (size_t k = 0; k < in; k++)
            y->all.d[k * out + o] = f->d[o * in + k];
    return STATUS_OK;
}

static double size_of(const Plant *p)
{
    double size = 0.0;
    for (int k = 0; k < p->n; k++)
        size = fmax(size, hypot(p->re[k], p->im[k]));
    return size;
}

/* Brings A into the form of Schur with what does not decay first. */
static Status order(Study *y)
{
    Plant *p = &y->all;
    size_t n = (size_t)p->n;
    double *q = NEW_ARRAY(y->a, double, n *n + 1);
    double *work = NEW_ARRAY(y->a, double, lapack_room(n));
    int *select = NEW_ARRAY(y->a, int, n + 1);
    if (!q || !work || !select)
        return STATUS_MEMORY;
    Plant form = *p; // its B and C turn once, at the end
    form.inputs = form.outputs = 0;
    TRY(plant_shape(&form, q, y->a));
    double zero = ZERO * size_of(p);
    for (size_t k = 0; k < n; k++) {
        select[k] = p->re[k] >= -zero;
        y->lasting += select[k];
    }
    if (y->lasting > 0 && y->lasting < p->n &&
        !lapack_order(p->n, select, p->a, q, p->re, p->im, work))
        return STATUS_NUMBER;
    plant_turn(p, q, work);
    return STATUS_OK;
}

/* Decouples the two parts: with T11 X - X T22 = -T12 the states of the first are
   those of the form less X times those of the second. */
static Status decouple(Study *y)
{
    Plant *p = &y->all;
    size_t n = (size_t)p->n, last = (size_t)y->lasting, m = n - last;
    size_t in = (size_t)p->inputs, out = (size_t)p->outputs;
    double *x = NEW_ARRAY(y->a, double, last *m + 1);
    if (!x)
        return STATUS_MEMORY;
    if (last == 0 || m == 0)
        return STATUS_OK;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < last; i++)
            x[k * last + i] = -p->a[(last + k) * n + i];
    LapackSylvester s = {.minus = true,
                         .m = (int)last,
                         .n = (int)m,
                         .a = p->a,
                         .lda = p->n,
                         .b = p->a + last * n + last,
                         .ldb = p->n,
                         .c = x,
                         .ldc = (int)last};
    if (!lapack_sylvester(&s))
        return STATUS_NUMBER;
    for (size_t k = 0; k < m; k++)
        for (size_t i = 0; i < last; i++) {
            double at = x[k * last + i] / s.scale;
            p->a[(last + k) * n + i] = 0.0;
            for (size_t u = 0; u < in; u++)
                p->b[u * n + i] -= at * p->b[u * n + last + k];
            for (size_t o = 0; o < out; o++)
                p->c[(last + k) * out + o] += p->c[i * out + o] * at;
        }
    return STATUS_OK;
}

/* States from `first` on, as a system of their own. */
static Status part_of(const Plant *p, size_t first, size_t n, Plant *part,
                      Arena *a)
{
    size_t all = (size_t)p->n, out = (size_t)p->outputs;
    if (!plant_make(part, (int)n, p->inputs, p->outputs, a))
        return STATUS_MEMORY;
    for (size_t k = 0; k < n; k++) {
        memcpy(part->a + k * n, p->a + (first + k) * all + first,
               n * sizeof *part->a);
        memcpy(part->c + k * out, p->c + (first + k) * out,
               out * sizeof *part->c);
        part->re[k] = p->re[first + k];
        part->im[k] = p->im[first + k];
    }
    for (size_t u = 0; u < (size_t)p->inputs; u++)
        memcpy(part->b + u * n, p->b + u * all + first, n * sizeof *part->b);
    return STATUS_OK;
}

static Status split(Study *y)
{
    size_t last;
    TRY(copy(y));
    TRY(order(y));
    TRY(decouple(y));
    last = (size_t)y->lasting;
    return part_of(&y->all, last, (size_t)y->all.n - last, &y->decay, y->a);
}

/* ---- What the full system answers ------------------------------------------------ */

static size_t pairs(const Study *y)
{
    return (size_t)y->full->inputs * y->full->outputs;
}

static void widen(const Plant *p, double *low, double *high)
{
    double zero = ZERO * size_of(p);
    for (int k = 0; k < p->n; k++) {
        double size = hypot(p->re[k], p->im[k]);
        if (size <= zero)
            continue;
        *low = fmin(*low, size);
        *high = fmax(*high, size);
    }
}

/* From far below the slowest eigenvalue to far above the fastest, at rest, in the
   limit, and where something resonates. */
static Status choose_frequencies(Study *y)
{
    const Plant *p = &y->decay;
    double low = INFINITY, high = 0.0;
    y->w = NEW_ARRAY(y->a, double, GRID + 2 + (size_t)p->n);
    if (!y->w)
        return STATUS_MEMORY;
    y->w[y->points++] = 0.0;
    y->w[y->points++] = INFINITY;
    for (int k = 0; k < p->n; k++)
        if (p->im[k] > 0.0)
            y->w[y->points++] = p->im[k];
    widen(&y->all, &low, &high);
    if (!(high > 0.0))
        return STATUS_OK;
    low /= 100.0;
    high *= 100.0;
    double wanted = PER_DECADE * log10(high / low);
    int n = wanted < GRID ? (int)wanted : GRID;
    for (int k = 0; k < n; k++)
        y->w[y->points++] = low * pow(high / low, (double)k / (n - 1));
    return STATUS_OK;
}

/* The full system, in which what does not decay does so as slowly as the slowest of
   the others. Its gains are finite, and say how large those of the full system are
   for as long as something else happens. */
static Status make_damped(const Study *y, Plant *p)
{
    double low = INFINITY, high = 0.0;
    size_t n = (size_t)y->all.n;
    TRY(part_of(&y->all, 0, n, p, y->a));
    memcpy(p->d, y->all.d, pairs(y) * sizeof *p->d);
    widen(&y->decay, &low, &high);
    if (!(high > 0.0))
        low = 1.0;
    for (size_t k = 0; k < (size_t)y->lasting; k++)
        p->a[k * n + k] -= p->re[k] + low;
    return STATUS_OK;
}

static Status find_gains(Study *y)
{
    size_t n = pairs(y);
    Plant damped;
    Gain *all = NEW_ARRAY(y->a, Gain, n + 1);
    Gain *room = NEW_ARRAY(y->a, Gain, (size_t)y->all.n + 1);
    y->gain = NEW_ARRAY(y->a, Gain, y->points * n + 1);
    y->most = NEW_ARRAY(y->a, double, n + 1);
    if (!all || !room || !y->gain || !y->most)
        return STATUS_MEMORY;
    TRY(make_damped(y, &damped));
    for (size_t i = 0; i < y->points; i++) {
        plant_gain(&y->decay, y->w[i], y->gain + i * n, room);
        plant_gain(&damped, y->w[i], all, room);
        for (size_t k = 0; k < n; k++)
            y->most[k] = fmax(y->most[k], hypot(all[k].re, all[k].im));
    }
    return STATUS_OK;
}

static Status find_steps(Study *y)
{
    const Plant *p = &y->all;
    double fastest = 0.0, slowest = INFINITY, grows = 0.0;
    PlantSteps all;
    for (int k = 0; k < y->decay.n; k++) {
        fastest = fmax(fastest, hypot(y->decay.re[k], y->decay.im[k]));
        slowest = fmin(slowest, -y->decay.re[k]);
    }
    for (int k = 0; k < p->n; k++)
        grows = fmax(grows, p->re[k]);
    y->first = 0.01 / (fastest > 0.0 ? fastest : 1.0);
    y->last = isfinite(slowest) ? 10.0 / slowest : 10.0 * y->first;
    if (grows * y->last > GROWN)
        y->last = GROWN / grows;
    y->far = NEW_ARRAY(y->a, double, pairs(y) + 1);
    if (!y->far || !plant_steps(p, y->first, y->last, &all, y->a) ||
        !plant_steps(&y->decay, y->first, y->last, &y->steps, y->a))
        return STATUS_MEMORY;
    for (size_t i = 0; i < all.count * pairs(y); i++) {
        size_t k = i % pairs(y);
        if (isfinite(all.y[i]))
            y->far[k] = fmax(y->far[k], fabs(all.y[i]));
    }
    return STATUS_OK;
}

/* The logarithms of the greatest gains as sums of one number for each input and one
   for each output, by least squares: mean values in turn. */
static Status find_sizes(Study *y)
{
    size_t in = y->full->inputs, out = y->full->outputs;
    y->in = NEW_ARRAY(y->a, double, in + 1);
    y->out = NEW_ARRAY(y->a, double, out + 1);
    if (!y->in || !y->out)
        return STATUS_MEMORY;
    for (int round = 0; round < SIZES; round++)
        for (size_t side = 0; side < 2; side++)
            for (size_t i = 0; i < (side ? in : out); i++) {
                double sum = 0.0, count = 0.0;
                for (size_t j = 0; j < (side ? out : in); j++) {
                    size_t k = side ? i * out + j : j * out + i;
                    if (!(y->most[k] > 0.0))
                        continue;
                    sum += log(y->most[k]) - (side ? y->out[j] : y->in[j]);
                    count += 1.0;
                }
                (side ? y->in : y->out)[i] = count > 0.0 ? sum / count : 0.0;
            }
    for (size_t k = 0; k < in; k++)
        y->in[k] = exp(y->in[k]);
    for (size_t o = 0; o < out; o++)
        y->out[o] = exp(y->out[o]);
    return STATUS_OK;
}

/* ---- Balancing -------------------------------------------------------------------- */

/* x with T x + x T' = -B B' for inputs of their sizes, or T' x + x T = -C' C. */
static Status find_gramian(const Study *y, bool seen, double *x)
{
    const Plant *p = &y->decay;
    size_t n = (size_t)p->n, out = (size_t)p->outputs;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t u = 0; !seen && u < (size_t)p->inputs; u++)
                sum += p->b[u * n + i] * p->b[u * n + k] / y->in[u] / y->in[u];
            for (size_t o = 0; seen && o < out; o++)
                sum += p->c[i * out + o] * p->c[k * out + o] / y->out[o] /
                       y->out[o];
            x[k * n + i] = -sum;
        }
    LapackSylvester s = {.a_transposed = seen,
                         .b_transposed = !seen,
                         .m = p->n,
                         .n = p->n,
                         .a = p->a,
                         .lda = p->n,
                         .b = p->a,
                         .ldb = p->n,
                         .c = x,
                         .ldc = p->n};
    if (!lapack_sylvester(&s))
        return STATUS_NUMBER;
    for (size_t i = 0; i < n * n; i++)
        x[i] /= s.scale;
    return STATUS_OK;
}

/* x becomes L with L L' = x. What rounding makes negative is 0; each state is
   measured by its own size, so that small ones keep their digits. */
static Status find_root(size_t n, double *x, Arena *a)
{
    double *size = NEW_ARRAY(a, double, n), *value = NEW_ARRAY(a, double, n);
    double *work = NEW_ARRAY(a, double, lapack_room(n));
    if (!size || !value || !work)
        return STATUS_MEMORY;
    for (size_t i = 0; i < n; i++)
        size[i] = x[i * n + i] > 0.0 ? sqrt(x[i * n + i]) : 1.0;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i <= k; i++)
            x[k * n + i] =
                0.5 * (x[k * n + i] + x[i * n + k]) / (size[i] * size[k]);
    if (!lapack_symmetric((int)n, x, value, work))
        return STATUS_NUMBER;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            x[k * n + i] *= size[i] * sqrt(fmax(value[k], 0.0));
    return STATUS_OK;
}

/* c = a' b for n by n matrices. */
static void multiply_turned(size_t n, const double *a, const double *b,
                            double *c)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t j = 0; j < n; j++)
                sum += a[i * n + j] * b[k * n + j];
            c[k * n + i] = sum;
        }
}

/* The first states of the balanced form: x = to z, z = from' x. */
typedef struct Basis {
    double *to, *from; // n by q
    size_t n, q;
} Basis;

/* What is moved, L_p, and what is seen, L_q: with L_q' L_p = U S V' it is to = L_p V
   S^-1/2 and from = L_q U S^-1/2. */
static Status find_basis(Study *y, Basis *z)
{
    size_t n = (size_t)y->decay.n, all = n * n;
    double *p = NEW_ARRAY(y->a, double, all), *q = NEW_ARRAY(y->a, double, all);
    double *s = NEW_ARRAY(y->a, double, all), *u = NEW_ARRAY(y->a, double, all);
    double *v = NEW_ARRAY(y->a, double, all);
    double *work = NEW_ARRAY(y->a, double, lapack_room(n));
    z->to = NEW_ARRAY(y->a, double, all);
    z->from = NEW_ARRAY(y->a, double, all);
    if (!p || !q || !s || !u || !v || !work || !z->to || !z->from)
        return STATUS_MEMORY;
    TRY(find_gramian(y, false, p));
    TRY(find_gramian(y, true, q));
    TRY(find_root(n, p, y->a));
    TRY(find_root(n, q, y->a));
    multiply_turned(n, q, p, s);
    if (!lapack_svd((int)n, s, y->hankel, u, v, work))
        return STATUS_NUMBER;
    z->n = n;
    for (z->q = 0; z->q < n && y->hankel[z->q] > ROUNDING * y->hankel[0];)
        z->q++;
    for (size_t k = 0; k < z->q; k++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                double root = sqrt(y->hankel[k]);
                z->to[k * n + i] += p[j * n + i] * v[j * n + k] / root;
                z->from[k * n + i] += q[j * n + i] * u[k * n + j] / root;
            }
    return STATUS_OK;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* B = from' B and C = C to; signs such that the largest entry of each row of B is
   positive, so that the same system is always told in the same way. */
static void project_ends(const Study *y, Basis *z, Plant *s)
{
    const Plant *p = &y->decay;
    size_t n = z->n, q = z->q, out = (size_t)p->outputs;
    for (size_t k = 0; k < q; k++) {
        double most = 0.0;
        for (size_t u = 0; u < (size_t)p->inputs; u++) {
            double b = product(z->from + k * n, p->b + u * n, n);
            s->b[u * q + k] = b;
            most = fabs(b / y->in[u]) > fabs(most) ? b / y->in[u] : most;
        }
        for (size_t u = 0; most < 0.0 && u < (size_t)p->inputs; u++)
            s->b[u * q + k] *= -1.0;
        for (size_t i = 0; most < 0.0 && i < n; i++) {
            z->to[k * n + i] *= -1.0;
            z->from[k * n + i] *= -1.0;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t o = 0; o < out; o++)
                s->c[k * out + o] += p->c[i * out + o] * z->to[k * n + i];
    }
}

/* The part that decays, less what is not moved or not seen, with its states in the
   order of their Hankel singular values. */
static Status balance(Study *y)
{
    const Plant *p = &y->decay;
    size_t n = (size_t)p->n;
    Basis z = {0};
    double *column = NEW_ARRAY(y->a, double, n + 1);
    y->hankel = NEW_ARRAY(y->a, double, n + 1);
    if (!column || !y->hankel)
        return STATUS_MEMORY;
    if (n > 0)
        TRY(find_basis(y, &z));
    y->minimal = (int)z.q;
    if (!plant_make(&y->balanced, (int)z.q, p->inputs, p->outputs, y->a))
        return STATUS_MEMORY;
    project_ends(y, &z, &y->balanced);
    for (size_t k = 0; k < z.q; k++) {
        memset(column, 0, n * sizeof *column);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                column[i] += p->a[j * n + i] * z.to[k * n + j];
        for (size_t i = 0; i < z.q; i++)
            y->balanced.a[k * z.q + i] = product(z.from + i * n, column, n);
    }
    return STATUS_OK;
}

/* ---- Leaving out ------------------------------------------------------------------- */

/* Solves A22 x = [A21 B2]: the states from `kept` on at rest. */
static Status find_rest(const Plant *p, size_t kept, double **rest, Arena *a)
{
    size_t n = (size_t)p->n, m = n - kept, in = (size_t)p->inputs;
    double *low = NEW_ARRAY(a, double, m *m + 1);
    double *x = NEW_ARRAY(a, double, m *(kept + in) + 1);
    int *pivot = NEW_ARRAY(a, int, m + 1);
    *rest = x;
    if (!low || !x || !pivot)
        return STATUS_MEMORY;
    for (size_t k = 0; k < m; k++)
        memcpy(low + k * m, p->a + (kept + k) * n + kept, m * sizeof *low);
    for (size_t k = 0; k < kept; k++)
        memcpy(x + k * m, p->a + k * n + kept, m * sizeof *x);
    for (size_t u = 0; u < in; u++)
        memcpy(x + (kept + u) * m, p->b + u * n + kept, m * sizeof *x);
    if (m > 0 && !lapack_solve((int)m, low, (int)(kept + in), x, pivot))
        return STATUS_NUMBER;
    return STATUS_OK;
}

/* The first `kept` states of a system, the others where they come to rest. */
static Status leave_out(const Plant *p, size_t kept, Plant *s, Arena *a)
{
    size_t n = (size_t)p->n, m = n - kept, in = (size_t)p->inputs;
    size_t out = (size_t)p->outputs;
    double *x;
    TRY(find_rest(p, kept, &x, a));
    if (!plant_make(s, (int)kept, p->inputs, p->outputs, a))
        return STATUS_MEMORY;
    for (size_t k = 0; k < kept + in; k++) {
        const double *from = k < kept ? p->a + k * n : p->b + (k - kept) * n;
        double *to = k < kept ? s->a + k * kept : s->b + (k - kept) * kept;
        double *seen = k < kept ? s->c + k * out : s->d + (k - kept) * out;
        memcpy(to, from, kept * sizeof *to);
        if (k < kept)
            memcpy(seen, p->c + k * out, out * sizeof *seen);
        for (size_t j = 0; j < m; j++) {
            double at = x[k * m + j];
            for (size_t i = 0; i < kept; i++)
                to[i] -= p->a[(kept + j) * n + i] * at;
            for (size_t o = 0; o < out; o++)
                seen[o] -= p->c[(kept + j) * out + o] * at;
        }
    }
    return STATUS_OK;
}

/* ---- The check ---------------------------------------------------------------------- */

/* The size that a difference of a pair is compared with: the greatest that the full
   system answers, or what is usual for the pair if it answers nothing. */
static double whole(const Study *y, const double *most, size_t pair)
{
    size_t out = y->full->outputs;
    double usual = y->in[pair / out] * y->out[pair % out];
    return most[pair] > 1e-12 * usual ? most[pair] : usual;
}

static void note(const Study *y, ReduceMiss *miss, double size, double at,
                 size_t pair)
{
    if (size <= miss->size)
        return;
    *miss = (ReduceMiss){size == size ? size : INFINITY, at,
                         (uint32_t)(pair / y->full->outputs),
                         (uint32_t)(pair % y->full->outputs)};
}

static Status check_gains(const Study *y, const Plant *s, ReduceMiss *miss,
                          Arena *a)
{
    size_t n = pairs(y);
    Gain *g = NEW_ARRAY(a, Gain, n + 1);
    Gain *room = NEW_ARRAY(a, Gain, (size_t)s->n + 1);
    if (!g || !room)
        return STATUS_MEMORY;
    for (size_t i = 0; i < y->points; i++) {
        plant_gain(s, y->w[i], g, room);
        for (size_t k = 0; k < n; k++) {
            Gain was = y->gain[i * n + k];
            note(y, miss,
                 hypot(g[k].re - was.re, g[k].im - was.im) /
                     whole(y, y->most, k),
                 y->w[i], k);
        }
    }
    return STATUS_OK;
}

static Status check_steps(const Study *y, const Plant *s, ReduceMiss *miss,
                          Arena *a)
{
    PlantSteps own;
    size_t n = pairs(y);
    if (!plant_steps(s, y->first, y->last, &own, a))
        return STATUS_MEMORY;
    assert(own.count == y->steps.count);
    for (size_t i = 0; i < own.count; i++)
        for (size_t k = 0; k < n; k++)
            note(y, miss,
                 fabs(own.y[i * n + k] - y->steps.y[i * n + k]) /
                     whole(y, y->far, k),
                 own.t[i], k);
    return STATUS_OK;
}

/* Compares what decays, reduced, with what it was; a reduced system in which
   something grows is compared with nothing. */
static Status check(const Study *y, const Plant *s, Reduction *r, Arena *a)
{
    Plant form;
    size_t n = (size_t)s->n, out = (size_t)s->outputs;
    r->gain = r->step = (ReduceMiss){0};
    if (!plant_make(&form, s->n, s->inputs, s->outputs, a))
        return STATUS_MEMORY;
    memcpy(form.a, s->a, n * n * sizeof *s->a);
    memcpy(form.b, s->b, n * (size_t)s->inputs * sizeof *s->b);
    memcpy(form.c, s->c, n * out * sizeof *s->c);
    memcpy(form.d, s->d, out * (size_t)s->inputs * sizeof *s->d);
    TRY(plant_shape(&form, NULL, a));
    memcpy(s->re, form.re, n * sizeof *s->re);
    memcpy(s->im, form.im, n * sizeof *s->im);
    for (size_t k = 0; k < n; k++)
        if (!(form.re[k] < 0.0)) {
            r->gain.size = r->step.size = INFINITY;
            return STATUS_OK;
        }
    TRY(check_gains(y, &form, &r->gain, a));
    return check_steps(y, &form, &r->step, a);
}

/* ---- How many ------------------------------------------------------------------------ */

static double worst(const Reduction *r)
{
    return fmax(r->gain.size, r->step.size);
}

/* No system with so few states comes closer than the first value that it leaves
   out, so the search begins where that is small enough. */
static int fewest(const Study *y, double accuracy)
{
    int kept = 0;
    double enough = accuracy * sqrt((double)pairs(y)), most = 0.0;
    for (size_t k = 0; k < pairs(y); k++) {
        size_t out = y->full->outputs;
        most = fmax(most, y->most[k] / (y->in[k / out] * y->out[k % out]));
    }
    while (kept < y->minimal && y->hankel[kept] > enough * most)
        kept++;
    return kept;
}

/* Between equal values nothing can be cut: the two states belong together. */
static bool is_tied(const Study *y, int kept)
{
    return kept > 0 && kept < y->minimal &&
           y->hankel[kept] > (1.0 - 1e-9) * y->hankel[kept - 1];
}

static Status try(const Study *y, int kept, Plant *s, Reduction *r, Arena *a)
{
    Arena scratch = {0};
    Status status = leave_out(&y->balanced, (size_t)kept, s, a);
    if (status == STATUS_OK)
        status = check(y, s, r, &scratch);
    arena_free(&scratch);
    return status;
}

static Status choose(const Study *y, const ReduceWish *wish, Plant *s,
                     Reduction *r, Arena *a)
{
    if (wish->states != REDUCE_FREE) {
        int kept = wish->states - y->lasting;
        return try(y, kept < y->minimal ? kept : y->minimal, s, r, a);
    }
    for (int kept = fewest(y, wish->accuracy); kept <= y->minimal; kept++) {
        if (is_tied(y, kept))
            continue;
        TRY(try(y, kept, s, r, a));
        if (worst(r) <= wish->accuracy)
            break;
    }
    return STATUS_OK;
}

/* Twice the sum of the values that are left out; of several that are equal, once. */
static double bound(const Study *y, int kept)
{
    size_t out = y->full->outputs;
    double sum = 0.0, least = INFINITY;
    for (int k = kept; k < y->decay.n; k++)
        if (k == kept || y->hankel[k] < (1.0 - 1e-9) * y->hankel[k - 1])
            sum += y->hankel[k];
    for (size_t k = 0; k < pairs(y); k++)
        least = fmin(least,
                     whole(y, y->most, k) / (y->in[k / out] * y->out[k % out]));
    return 2.0 * sum / least;
}

/* ---- The answer ---------------------------------------------------------------------- */

static bool make_small(LinearSystem *s, const LinearSystem *full, uint32_t n,
                       Arena *a)
{
    *s = (LinearSystem){n, full->inputs, full->outputs, NULL, NULL, NULL, NULL};
    s->a = NEW_ARRAY(a, double, (size_t)n *n + 1);
    s->b = NEW_ARRAY(a, double, (size_t)n * s->inputs + 1);
    s->c = NEW_ARRAY(a, double, (size_t)n * s->outputs + 1);
    s->d = NEW_ARRAY(a, double, (size_t)s->inputs * s->outputs + 1);
    return s->a && s->b && s->c && s->d;
}

/* Puts the states of a system behind the first `at` of the answer. */
static void put(const Plant *p, size_t n, LinearSystem *s, size_t at)
{
    size_t all = s->states, rows = (size_t)p->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            s->a[(at + i) * all + at + k] = p->a[k * rows + i] + 0.0;
        for (size_t u = 0; u < s->inputs; u++)
            s->b[(at + i) * s->inputs + u] = p->b[u * rows + i] + 0.0;
        for (size_t o = 0; o < s->outputs; o++)
            s->c[o * all + at + i] = p->c[i * s->outputs + o] + 0.0;
    }
    for (size_t o = 0; o < s->outputs; o++)
        for (size_t u = 0; u < s->inputs; u++)
            s->d[o * s->inputs + u] += p->d[u * s->outputs + o] + 0.0;
}

static Status answer(const Study *y, const Plant *s, Reduction *r, Arena *a)
{
    size_t last = (size_t)y->lasting, n = last + (size_t)s->n;
    r->re = NEW_ARRAY(a, double, n + 1);
    r->im = NEW_ARRAY(a, double, n + 1);
    r->hankels = (uint32_t)y->decay.n;
    r->hankel = NEW_ARRAY(a, double, (size_t)r->hankels + 1);
    if (!r->re || !r->im || !r->hankel ||
        !make_small(&r->small, y->full, (uint32_t)n, a))
        return STATUS_MEMORY;
    put(&y->all, last, &r->small, 0);
    put(s, (size_t)s->n, &r->small, last);
    memcpy(r->hankel, y->hankel, r->hankels * sizeof *r->hankel);
    for (size_t k = 0; k < n; k++) {
        r->re[k] = k < last ? y->all.re[k] : s->re[k - last];
        r->im[k] = k < last ? y->all.im[k] : s->im[k - last];
    }
    r->bound = bound(y, s->n);
    return STATUS_OK;
}

static Status reduce(Study *y, const ReduceWish *wish, Reduction *r, Arena *a)
{
    Plant s;
    TRY(split(y));
    r->lasting = (uint32_t)y->lasting;
    if (wish->states != REDUCE_FREE && wish->states < y->lasting) {
        r->end = REDUCE_TOO_FEW;
        return STATUS_OK;
    }
    TRY(choose_frequencies(y));
    TRY(find_gains(y));
    TRY(find_sizes(y));
    TRY(find_steps(y));
    TRY(balance(y));
    TRY(choose(y, wish, &s, r, y->a));
    return answer(y, &s, r, a);
}

Status reduce_linear(const LinearSystem *full, const ReduceWish *wish,
                     Reduction *r, Arena *a)
{
    Arena scratch = {0};
    Study y = {.full = full, .a = &scratch};
    assert(full->inputs > 0 && full->outputs > 0);
    assert(full->states <= REDUCE_MOST);
    *r = (Reduction){.end = REDUCE_FOUND};
    Status status = reduce(&y, wish, r, a);
    arena_free(&scratch);
    if (status == STATUS_NUMBER)
        r->end = REDUCE_FAILED;
    return status == STATUS_NUMBER ? STATUS_OK : status;
}
