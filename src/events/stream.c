#include "events/stream.h"

#include <assert.h>
#include <string.h>

#include "events/chance.h"
#include "events/inverse.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <Random123/philox.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* ---- Random bits ---------------------------------------------------------- */

enum {
    FIRST_WORDS = COSY_BATCH + 8, // a batch, with what rejection usually needs
    MORE_WORDS = 8,
    LAYERS = 256
};

/* The random words of one batch, as many as are needed. */
typedef struct Source {
    philox4x64_key_t key;
    philox4x64_ctr_t counter;
    uint32_t at, end;
    uint64_t word[FIRST_WORDS];
} Source;

static void make_words(Source *s, uint32_t n)
{
    for (uint32_t k = 0; k < n; k += 4) {
        philox4x64_ctr_t block = philox4x64(s->counter, s->key);
        memcpy(s->word + k, block.v, sizeof block.v);
        s->counter.v[0]++;
    }
    s->at = 0;
    s->end = n;
}

static inline uint64_t bits(Source *s)
{
    if (s->at == s->end)
        make_words(s, MORE_WORDS);
    return s->word[s->at++];
}

/* An odd multiple of 2^-53 from the upper 53 bits. */
static inline double unit(uint64_t word)
{
    return (double)(int64_t)(word >> 11 | 1) * 0x1p-53;
}

static inline double uniform(Source *s)
{
    return unit(bits(s));
}

/* ---- Exponential and normal ------------------------------------------------ */

static const double exponential_x[LAYERS + 1] = {
#define EXPONENTIAL(x) x,
#define NORMAL(x)
#include "events/ziggurat.def"
#undef EXPONENTIAL
#undef NORMAL
};

static const double normal_x[LAYERS + 1] = {
#define EXPONENTIAL(x)
#define NORMAL(x) x,
#include "events/ziggurat.def"
#undef EXPONENTIAL
#undef NORMAL
};

static double exponential(Source *s)
{
    double before = 0.0; // what earlier tails have added
    for (;;) {
        uint64_t word = bits(s);
        unsigned layer = word & (LAYERS - 1);
        double x = unit(word) * exponential_x[layer];
        if (x < exponential_x[layer + 1])
            return before + x;
        if (layer == 0) {
            before += exponential_x[1];
            continue;
        }
        double low = exp(-exponential_x[layer]);
        double high = exp(-exponential_x[layer + 1]);
        if (low + uniform(s) * (high - low) < exp(-x))
            return before + x;
    }
}

/* Beyond x[1]: Marsaglia, Generating a variable from the tail of the normal
   distribution, Technometrics 6, 1964. */
static double normal_tail(Source *s)
{
    double x, y;
    do {
        x = exponential(s) / normal_x[1];
        y = exponential(s);
    } while (y + y < x * x);
    return normal_x[1] + x;
}

static double normal(Source *s)
{
    for (;;) {
        uint64_t word = bits(s);
        unsigned layer = word & (LAYERS - 1);
        double sign = word & LAYERS ? -1.0 : 1.0;
        double x = unit(word) * normal_x[layer];
        if (x < normal_x[layer + 1])
            return sign * x;
        if (layer == 0)
            return sign * normal_tail(s);
        double low = exp(-0.5 * normal_x[layer] * normal_x[layer]);
        double high = exp(-0.5 * normal_x[layer + 1] * normal_x[layer + 1]);
        if (low + uniform(s) * (high - low) < exp(-0.5 * x * x))
            return sign * x;
    }
}

/* ---- Gamma and beta --------------------------------------------------------- */

/* shape >= 1: Marsaglia and Tsang, A simple method for generating gamma
   variables, ACM TOMS 26, 2000. */
static double gamma_large(Source *s, double shape)
{
    double d = shape - 1.0 / 3.0;
    double w = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double x = normal(s);
        double v = 1.0 + w * x;
        if (v <= 0.0)
            continue;
        v = v * v * v;
        double u = uniform(s);
        if (u < 1.0 - 0.0331 * (x * x) * (x * x))
            return d * v;
        if (log(u) < 0.5 * x * x + d * (1.0 - v + log(v)))
            return d * v;
    }
}

/* A value for a shape below 1 is one for shape + 1, times u^(1/shape). */
static double gamma_value(Source *s, double shape)
{
    if (shape >= 1.0)
        return gamma_large(s, shape);
    double x = gamma_large(s, shape + 1.0);
    return x * exp(-exponential(s) / shape);
}

/* Its logarithm, which does not underflow when the shape is tiny. */
static double gamma_log(Source *s, double shape)
{
    if (shape >= 1.0)
        return log(gamma_large(s, shape));
    double x = gamma_large(s, shape + 1.0);
    return log(x) - exponential(s) / shape;
}

static double beta_value(Source *s, double a, double b)
{
    if (a < 1.0 || b < 1.0) {
        double x = gamma_log(s, a);
        double y = gamma_log(s, b);
        return 1.0 / (1.0 + exp(y - x));
    }
    double x = gamma_large(s, a);
    double y = gamma_large(s, b);
    return x / (x + y);
}

/* ---- Counts ------------------------------------------------------------------- */

/* The number of unit exponentials that fit into the mean. */
static double poisson_small(Source *s, double mean)
{
    double k = 0.0;
    for (double sum = exponential(s); sum < mean; sum += exponential(s))
        k += 1.0;
    return k;
}

/* Hoermann, The transformed rejection method for generating Poisson random
   variables, Insurance: Mathematics and Economics 12, 1993 (PTRS). */
static double poisson_large(Source *s, double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean);
    double a = -0.059 + 0.02483 * b;
    double alpha = 1.1239 + 1.1328 / (b - 3.4);
    double edge = 0.9277 - 3.6224 / (b - 2.0);
    for (;;) {
        double u = uniform(s) - 0.5;
        double v = uniform(s);
        double r = 0.5 - fabs(u);
        double k = floor((2.0 * a / r + b) * u + mean + 0.43);
        if (r >= 0.07 && v <= edge)
            return k;
        if (k < 0.0 || (r < 0.013 && v > r))
            continue;
        if (log(v * alpha / (a / (r * r) + b)) <= chance_poisson_log(k, mean))
            return k;
    }
}

static double poisson(Source *s, double mean)
{
    return mean < 10.0 ? poisson_small(s, mean) : poisson_large(s, mean);
}

/* How many of n unit exponentials end before -log(1 - p): their spacings are
   exponential too. */
static double binomial_small(Source *s, double n, double p)
{
    double limit = -log1p(-p);
    double k = 0.0;
    for (double sum = exponential(s) / n; sum < limit && k < n;
         sum += exponential(s) / (n - k))
        k += 1.0;
    return k;
}

/* Hoermann, The generation of binomial random variates, J. Statist. Comput.
   Simul. 46, 1993 (BTRS); p <= 1/2, n p >= 10. */
static double binomial_large(Source *s, double n, double p)
{
    double spread = sqrt(n * p * (1.0 - p));
    double b = 1.15 + 2.53 * spread;
    double a = -0.0873 + 0.0248 * b + 0.01 * p;
    double edge = 0.92 - 4.2 / b;
    double alpha = (2.83 + 5.1 / b) * spread;
    double mode = chance_binomial_log(floor((n + 1.0) * p), n, p);
    for (;;) {
        double u = uniform(s) - 0.5;
        double v = uniform(s);
        double r = 0.5 - fabs(u);
        double k = floor((2.0 * a / r + b) * u + n * p + 0.5);
        if (r >= 0.07 && v <= edge)
            return k;
        if (k < 0.0 || k > n)
            continue;
        v *= alpha / (a / (r * r) + b);
        if (log(v) <= chance_binomial_log(k, n, p) - mode)
            return k;
    }
}

static double binomial(Source *s, double n, double p)
{
    if (p > 0.5)
        return n - binomial(s, n, 1.0 - p);
    if (n * p < 10.0)
        return n == 0.0 ? 0.0 : binomial_small(s, n, p);
    return binomial_large(s, n, p);
}

/* ---- Other distributions -------------------------------------------------------- */

static double triangular(Source *s, double low, double mode, double high)
{
    double u = uniform(s) * (high - low);
    double left = mode - low;
    if (u < left)
        return low + sqrt(u * left);
    return high - sqrt((high - low - u) * (high - mode));
}

/* ---- Tables -------------------------------------------------------------------- */

/* EMPIRIC: values with their weights; without weights all are equally
   likely. */
typedef struct Values {
    const double *value, *weight;
    uint32_t n;
} Values;

static Values values_of(const CosyModel *m, const CosyStream *s,
                        uint32_t number)
{
    if (s->item != COSY_NONE) {
        const CosyGenerator *g = m->generators + s->item;
        return (Values){g->value, g->weight, g->values};
    }
    const CosyStreamInfo *info = m->streams + number;
    return (Values){info->value, info->weight, info->values};
}

/* Fills a whole batch: the uniform numbers are sorted and the table is
   traversed once. */
static void weighted(const Values *v, const double *u, double *batch)
{
    double target[COSY_BATCH], total = 0.0;
    uint32_t order[COSY_BATCH];
    for (uint32_t k = 0; k < v->n; k++)
        total += v->weight[k];
    for (uint32_t k = 0; k < COSY_BATCH; k++) {
        target[k] = u[k] * total;
        uint32_t i = k;
        for (; i > 0 && target[order[i - 1]] > target[k]; i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
    double sum = 0.0;
    uint32_t done = 0, last = 0;
    for (uint32_t k = 0; k < v->n; k++) {
        sum += v->weight[k];
        if (v->weight[k] > 0.0)
            last = k;
        for (; done < COSY_BATCH && target[order[done]] < sum; done++)
            batch[order[done]] = v->value[k];
    }
    for (; done < COSY_BATCH; done++)
        batch[order[done]] = v->value[last];
}

static void empiric(const Values *v, const double *u, double *batch)
{
    if (v->weight) {
        weighted(v, u, batch);
        return;
    }
    for (uint32_t k = 0; k < COSY_BATCH; k++) {
        uint32_t i = (uint32_t)(u[k] * (double)v->n);
        batch[k] = v->value[i < v->n ? i : v->n - 1];
    }
}

/* ---- Streams ---------------------------------------------------------------------- */

/* One statement for each value of a batch. */
#define EACH(value)                                                            \
    do {                                                                       \
        for (uint32_t k = 0; k < COSY_BATCH; k++)                              \
            x[k] = (value);                                                    \
    } while (0)

/* Uses the fastest method for each distribution. */
static void fill_fast(Source *s, double *x, const CosyStream *p)
{
    switch ((CosyDistribution)p->distribution) {
    case COSY_EXPOND: EACH(exponential(s)); break;
    case COSY_UNIFORMD: EACH(uniform(s)); break;
    case COSY_NORMALD: EACH(normal(s)); break;
    case COSY_LOGNORMD: EACH(exp(p->a + p->b * normal(s))); break;
    case COSY_GAMMAD: EACH(p->a * gamma_value(s, p->b)); break;
    case COSY_ERLANGD: EACH(p->a / p->b * gamma_value(s, p->b)); break;
    case COSY_BETAD: EACH(beta_value(s, p->a, p->b)); break;
    case COSY_WEIBULLD: EACH(p->a * pow(exponential(s), 1.0 / p->b)); break;
    case COSY_TRIANGD: EACH(triangular(s, p->a, p->b, p->c)); break;
    case COSY_POISSOND: EACH(poisson(s, p->a)); break;
    case COSY_BINOMD: EACH(binomial(s, p->a, p->b)); break;
    case COSY_GEOMD: EACH(floor(exponential(s) / -log1p(-p->a))); break;
    case COSY_EMPIRIC:
    case COSY_NO_DISTRIBUTION: break;
    }
}

/* Uses inversion, with one uniform number per value. */
static void fill_inverse(const double *u, double *x, const CosyStream *p)
{
    EACH(inverse_value((CosyDistribution)p->distribution, p->a, p->b, p->c,
                       u[k]));
}

static void fill(Source *s, CosyStream *p, const Values *v)
{
    double u[COSY_BATCH], *x = u;
    if (p->distribution != COSY_EMPIRIC && p->way == COSY_FASTEST) {
        fill_fast(s, p->batch, p);
        return;
    }
    EACH(uniform(s));
    if (p->way == COSY_MIRRORED)
        EACH(1.0 - u[k]);
    if (p->distribution == COSY_EMPIRIC)
        empiric(v, u, p->batch);
    else
        fill_inverse(u, p->batch, p);
}

void stream_fill(const CosyModel *m, CosyStream *s, uint32_t number,
                 uint64_t seed)
{
    Source source;
    Values v = {0};
    if (s->distribution == COSY_EMPIRIC)
        v = values_of(m, s, number);
    source.key.v[0] = s->seed;
    source.key.v[1] = seed;
    source.counter.v[0] = 0;
    source.counter.v[1] = s->counter++;
    source.counter.v[2] = number;
    source.counter.v[3] = (uint64_t)s->run << 32 | s->replication;
    make_words(&source, FIRST_WORDS);
    fill(&source, s, &v);
    s->at = 0;
}

/* ---- Parameters --------------------------------------------------------------------- */

static bool finite_above(double a, double low)
{
    return a > low && a <= DBL_MAX;
}

static const char *empiric_fault(Values v)
{
    double total = 0.0;
    for (uint32_t k = 0; v.weight && k < v.n; k++) {
        if (!(v.weight[k] >= 0.0))
            return "a weight is negative or not a number";
        total += v.weight[k];
    }
    if (!v.weight)
        return v.n > 0 ? NULL : "it has no values";
    return finite_above(total, 0.0) ? NULL
                                    : "the sum of the weights is not positive";
}

/* A number of distributions.def is that of the contract. */
#define DISTRIBUTION(name, ...)                                                \
    static_assert((int)DISTRIBUTION_##name == (int)COSY_##name, #name);
#include "base/distributions.def"
#undef DISTRIBUTION
static_assert((int)DISTRIBUTIONS == (int)COSY_NO_DISTRIBUTION, "no others");

const char *stream_fault(const CosyModel *m, const CosyStream *s,
                         uint32_t number, char text[DISTRIBUTION_FAULT])
{
    const double v[DISTRIBUTION_PARAMETERS] = {s->a, s->b, s->c};
    if (s->distribution == COSY_EMPIRIC)
        return empiric_fault(values_of(m, s, number));
    if (s->distribution == COSY_NO_DISTRIBUTION)
        return "nothing says what it is drawn from: RANDOMGEN must stand "
               "before SIMULATE, in the same FRAME, and values are drawn only "
               "during runs";
    if (s->distribution > COSY_NO_DISTRIBUTION)
        return "there is no such distribution";
    return distribution_fault(s->distribution, v, ~0u, text);
}

CosyStatus stream_set(Cosy *c, uint32_t number, double a, double b, double d)
{
    CosyStream *s = c->stream + number;
    char text[DISTRIBUTION_FAULT];
    s->a = a;
    s->b = b;
    s->c = d;
    s->shift = 0.0;
    s->scale = 1.0;
    if (s->distribution == COSY_EXPOND)
        s->scale = a;
    if (s->distribution == COSY_UNIFORMD || s->distribution == COSY_NORMALD)
        s->shift = a;
    if (s->distribution == COSY_UNIFORMD)
        s->scale = b - a;
    if (s->distribution == COSY_NORMALD)
        s->scale = b;
    s->at = COSY_BATCH;
    if (s->distribution == COSY_NO_DISTRIBUTION ||
        stream_fault(c->model, s, number, text) == NULL)
        return COSY_OK;
    return c->host->refuse(c, COSY_BAD_STREAM, number, COSY_NONE, R(0.0));
}

/* ---- Runs ------------------------------------------------------------------------------- */

CosyStatus stream_reset(Cosy *c, uint32_t number)
{
    const CosyStreamInfo *info = c->model->streams + number;
    CosyStream *s = c->stream + number;
    memset(s, 0, sizeof *s);
    s->seed = info->seed;
    s->run = c->head->run;
    s->replication = c->head->replication;
    s->distribution = info->distribution;
    s->item = COSY_NONE;
    return stream_set(c, number, info->a, info->b, info->c);
}

void stream_close(Cosy *c, uint32_t number)
{
    c->stream[number] = (CosyStream){.at = COSY_BATCH,
                                     .distribution = COSY_NO_DISTRIBUTION,
                                     .item = COSY_NONE};
}

/* Sets what the numbers of a stream depend on. */
static void take_key(CosyStream *s, const StreamPlan *p, bool antithetic,
                     bool common)
{
    s->run = antithetic ? p->pair : p->run;
    s->replication = antithetic ? p->replication / 2 : p->replication;
    if (common)
        s->run = 0;
    s->way = !antithetic               ? COSY_FASTEST
             : p->replication % 2 == 0 ? COSY_INVERTED
                                       : COSY_MIRRORED;
    s->replication |= p->again << 24;
}

static CosyStatus take_item(Cosy *c, const StreamPlan *p, uint32_t g)
{
    const CosyGenerator *item = c->model->generators + g;
    double parameter[3] = {0.0, 0.0, 0.0};
    COSY_TRY(c->model->generator(c, g, parameter));
    for (uint32_t k = item->first; k < item->first + item->count; k++) {
        CosyStream *s = c->stream + k;
        s->seed = item->seed;
        s->distribution = item->distribution;
        s->item = g;
        take_key(s, p, p->antithetic || item->antithetic,
                 p->common || item->common);
        COSY_TRY(stream_set(c, k, parameter[0], parameter[1], parameter[2]));
    }
    return COSY_OK;
}

CosyStatus stream_begin(Cosy *c, const StreamPlan *p)
{
    for (uint32_t k = 0; k < c->model->n_streams; k++)
        take_key(c->stream + k, p, p->antithetic, p->common);
    for (uint32_t k = 0; k < p->items; k++)
        COSY_TRY(take_item(c, p, p->item[k]));
    return COSY_OK;
}

CosyStatus stream_refill(Cosy *c, uint32_t number)
{
    CosyStream *s = c->stream + number;
    char text[DISTRIBUTION_FAULT];
    if (stream_fault(c->model, s, number, text) != NULL)
        return c->host->refuse(c, COSY_BAD_STREAM, number, COSY_NONE, R(0.0));
    stream_fill(c->model, s, number, c->head->seed);
    return COSY_OK;
}
