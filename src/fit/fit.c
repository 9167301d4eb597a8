#include "fit/fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "events/chance.h"
#include "events/inverse.h"

/* ---- The sample ---------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Sample sample_make(double *x, size_t n)
{
    Sample s = {.x = x, .n = n, .whole = true};
    assert(n > 0);
    qsort(x, n, sizeof *x, compare);
    for (size_t k = 0; k < n; k++) {
        s.mean += x[k] / (double)n;
        s.whole = s.whole && x[k] >= 0.0 && x[k] < 0x1p53 &&
                  floor(x[k]) == x[k]; // larger ones have no neighbours
    }
    for (size_t k = 0; k < n; k++) {
        s.variance += (x[k] - s.mean) * (x[k] - s.mean) / (double)n;
        s.log_mean += x[0] > 0.0 ? log(x[k]) / (double)n : (double)NAN;
    }
    s.varies = x[n - 1] > x[0];
    return s;
}

/* ---- Functions ------------------------------------------------------------------- */

/* The first and second derivative of log(gamma(x)): recurrence, then the series of
   Abramowitz and Stegun 6.3.18 and 6.4.12. */
static double digamma(double x)
{
    double sum = 0.0;
    for (; x < 10.0; x += 1.0)
        sum -= 1.0 / x;
    double q = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x -
           q * (1.0 / 12.0 -
                q * (1.0 / 120.0 -
                     q * (1.0 / 252.0 - q * (1.0 / 240.0 - q / 132.0))));
}

static double trigamma(double x)
{
    double sum = 0.0;
    for (; x < 10.0; x += 1.0)
        sum += 1.0 / (x * x);
    double q = 1.0 / (x * x);
    return sum + 1.0 / x + 0.5 * q +
           q / x *
               (1.0 / 6.0 -
                q * (1.0 / 30.0 -
                     q * (1.0 / 42.0 - q * (1.0 / 30.0 - q * 5.0 / 66.0))));
}

static double normal_below(double z)
{
    return 0.5 * erfc(-z * 0.70710678118654752440);
}

/* ---- Expond, uniform, normal, lognormal --------------------------------------------- */

static const char *fit_expond(const Sample *s, double *p)
{
    p[0] = s->mean;
    return s->x[0] < 0.0 ? "there are negative values" : NULL;
}

static double log_expond(const double *p, double x)
{
    return x < 0.0 ? -(double)INFINITY : -log(p[0]) - x / p[0];
}

static double below_expond(const double *p, double x)
{
    return x <= 0.0 ? 0.0 : -expm1(-x / p[0]);
}

static const char *fit_uniform(const Sample *s, double *p)
{
    p[0] = s->x[0];
    p[1] = s->x[s->n - 1];
    return NULL;
}

static double log_uniform(const double *p, double x)
{
    return x < p[0] || x > p[1] ? -(double)INFINITY : -log(p[1] - p[0]);
}

static double below_uniform(const double *p, double x)
{
    return fmin(fmax((x - p[0]) / (p[1] - p[0]), 0.0), 1.0);
}

static const char *fit_normal(const Sample *s, double *p)
{
    p[0] = s->mean;
    p[1] = sqrt(s->variance);
    return NULL;
}

static double log_normal(const double *p, double x)
{
    double z = (x - p[0]) / p[1];
    return -0.91893853320467274178 - log(p[1]) - 0.5 * z * z;
}

static double below_normal(const double *p, double x)
{
    return normal_below((x - p[0]) / p[1]);
}

static const char *not_positive(const Sample *s)
{
    return s->x[0] < 0.0    ? "there are negative values"
           : s->x[0] == 0.0 ? "there are zeros"
                            : NULL;
}

static const char *fit_lognormal(const Sample *s, double *p)
{
    const char *why = not_positive(s);
    if (why)
        return why;
    p[0] = s->log_mean;
    p[1] = 0.0;
    for (size_t k = 0; k < s->n; k++) {
        double off = log(s->x[k]) - p[0];
        p[1] += off * off / (double)s->n;
    }
    p[1] = sqrt(p[1]);
    return NULL;
}

static double log_lognormal(const double *p, double x)
{
    return x <= 0.0 ? -(double)INFINITY : log_normal(p, log(x)) - log(x);
}

static double below_lognormal(const double *p, double x)
{
    return x <= 0.0 ? 0.0 : below_normal(p, log(x));
}

/* ---- Gamma, Erlang, beta, Weibull ---------------------------------------------------- */

/* log(k) - digamma(k) = log(mean) - mean of log: Newton's method in log(k). */
static double gamma_shape(const Sample *s)
{
    double wanted = log(s->mean) - s->log_mean;
    double k =
        (3.0 - wanted + sqrt((wanted - 3.0) * (wanted - 3.0) + 24.0 * wanted)) /
        (12.0 * wanted);
    for (int i = 0; i < 100; i++) {
        double off = log(k) - digamma(k) - wanted;
        double step = off / (1.0 - k * trigamma(k));
        k *= exp(-fmax(fmin(step, 1.0), -1.0));
        if (fabs(step) < 1e-14)
            break;
    }
    return k;
}

static const char *fit_gamma(const Sample *s, double *p)
{
    const char *why = not_positive(s);
    if (why)
        return why;
    p[1] = gamma_shape(s);
    p[0] = s->mean / p[1];
    return NULL;
}

static double log_gamma(const double *p, double x)
{
    if (x <= 0.0)
        return -(double)INFINITY;
    return (p[1] - 1.0) * log(x) - x / p[0] - lgamma(p[1]) - p[1] * log(p[0]);
}

static double below_gamma(const double *p, double x)
{
    return x <= 0.0 ? 0.0 : chance_gamma(p[1], log(x / p[0])).below;
}

static double log_erlang(const double *p, double x)
{
    return log_gamma((double[]){p[0] / p[1], p[1]}, x);
}

static double below_erlang(const double *p, double x)
{
    return below_gamma((double[]){p[0] / p[1], p[1]}, x);
}

/* The likelihood of a shape is concave: the best whole one is beside the best. */
static const char *fit_erlang(const Sample *s, double *p)
{
    const char *why = not_positive(s);
    if (why)
        return why;
    double low = fmax(floor(gamma_shape(s)), 1.0), of[2];
    for (int i = 0; i < 2; i++) {
        double k = low + i, scale = s->mean / k;
        of[i] = (k - 1.0) * s->log_mean - k - lgamma(k) - k * log(scale);
    }
    p[0] = s->mean;
    p[1] = of[1] > of[0] ? low + 1.0 : low;
    return NULL;
}

/* Newton's method for digamma(a) - digamma(a + b) = mean of log(x), and the same
   for b and 1 - x, from the moments. */
static const char *fit_beta(const Sample *s, double *p)
{
    double other = 0.0;
    if (s->x[0] <= 0.0 || s->x[s->n - 1] >= 1.0)
        return "not all values are between 0 and 1";
    for (size_t k = 0; k < s->n; k++)
        other += log1p(-s->x[k]) / (double)s->n;
    double common = s->mean * (1.0 - s->mean) / s->variance - 1.0;
    double a = fmax(s->mean * common, 0.1);
    double b = fmax((1.0 - s->mean) * common, 0.1);
    for (int i = 0; i < 200; i++) {
        double t = trigamma(a + b), ja = trigamma(a) - t, jb = trigamma(b) - t;
        double ga = digamma(a) - digamma(a + b) - s->log_mean;
        double gb = digamma(b) - digamma(a + b) - other;
        double d = ja * jb - t * t;
        double da = (ga * jb + gb * t) / d, db = (gb * ja + ga * t) / d;
        double part = 1.0;
        while (a - part * da <= 0.0 || b - part * db <= 0.0)
            part *= 0.5;
        a -= part * da;
        b -= part * db;
        if (fabs(da) < 1e-13 * a && fabs(db) < 1e-13 * b)
            break;
    }
    p[0] = a;
    p[1] = b;
    return NULL;
}

static double log_beta(const double *p, double x)
{
    if (x <= 0.0 || x >= 1.0)
        return -(double)INFINITY;
    return (p[0] - 1.0) * log(x) + (p[1] - 1.0) * log1p(-x) +
           lgamma(p[0] + p[1]) - lgamma(p[0]) - lgamma(p[1]);
}

static double below_beta(const double *p, double x)
{
    if (x <= 0.0 || x >= 1.0)
        return x <= 0.0 ? 0.0 : 1.0;
    return chance_beta(p[0], p[1], x, 1.0 - x).below;
}

/* sum x^k log(x) / sum x^k - 1/k = mean of log(x); the left side grows with k. */
static double weibull_off(const Sample *s, double k, double *slope,
                          double *power)
{
    double most = log(s->x[s->n - 1]), p0 = 0.0, p1 = 0.0, p2 = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double y = log(s->x[i]) - most, w = exp(k * y);
        p0 += w;
        p1 += w * y;
        p2 += w * y * y;
    }
    *slope = p2 / p0 - p1 / p0 * (p1 / p0) + 1.0 / (k * k);
    *power = p0 / (double)s->n;
    return p1 / p0 - 1.0 / k - (s->log_mean - most);
}

static const char *fit_weibull(const Sample *s, double *p)
{
    const char *why = not_positive(s);
    double k = 1.0, slope, power;
    if (why)
        return why;
    for (int i = 0; i < 200; i++) {
        double step = weibull_off(s, k, &slope, &power) / slope;
        double next = k - step > 0.1 * k ? k - step : 0.1 * k;
        bool there = fabs(next - k) < 1e-13 * k;
        k = next;
        if (there)
            break;
    }
    weibull_off(s, k, &slope, &power);
    p[1] = k;
    p[0] = s->x[s->n - 1] * pow(power, 1.0 / k);
    return NULL;
}

static double log_weibull(const double *p, double x)
{
    if (x <= 0.0)
        return -(double)INFINITY;
    double y = log(x / p[0]);
    return log(p[1] / p[0]) + (p[1] - 1.0) * y - exp(p[1] * y);
}

static double below_weibull(const double *p, double x)
{
    return x <= 0.0 ? 0.0 : -expm1(-pow(x / p[0], p[1]));
}

/* ---- Triangular ------------------------------------------------------------------------ */

static double log_triangular(const double *p, double x)
{
    double span = p[2] - p[0];
    if (x < p[0] || x > p[2])
        return -(double)INFINITY;
    if (x <= p[1])
        return p[1] > p[0] ? log(2.0 * (x - p[0]) / (span * (p[1] - p[0])))
                           : log(2.0 / span);
    return log(2.0 * (p[2] - x) / (span * (p[2] - p[1])));
}

static double below_triangular(const double *p, double x)
{
    double span = p[2] - p[0];
    if (x <= p[0] || x >= p[2])
        return x <= p[0] ? 0.0 : 1.0;
    if (x <= p[1])
        return (x - p[0]) * (x - p[0]) / (span * (p[1] - p[0]));
    return 1.0 - (p[2] - x) * (p[2] - x) / (span * (p[2] - p[1]));
}

/* For given ends the best mode is one of the values: the likelihood with the best
   one, as sums over what lies left and right of it. */
static double triangular_at(const Sample *s, double a, double b, double *mode)
{
    double best = -(double)INFINITY, left = 0.0, right = 0.0;
    const size_t n = s->n;
    for (size_t k = 0; k < n; k++)
        right += log(b - s->x[k]);
    for (size_t k = 0; k < n; k++) {
        right -= log(b - s->x[k]);
        double own = left - (double)k * log(s->x[k] - a) + right -
                     (double)(n - 1 - k) * log(b - s->x[k]);
        if (own > best) {
            best = own;
            *mode = s->x[k];
        }
        left += log(s->x[k] - a);
    }
    return best + (double)n * log(2.0 / (b - a));
}

/* The ends lie beyond the values by exp(u) and exp(v): a search in the directions
   of u and v, with steps that become smaller. */
static const char *fit_triangular(const Sample *s, double *p)
{
    double low = s->x[0], high = s->x[s->n - 1], mode;
    double at[2] = {log(0.1 * (high - low)), log(0.1 * (high - low))};
    double best = triangular_at(s, low - exp(at[0]), high + exp(at[1]), &mode);
    for (double step = 1.0; step > 1e-8;) {
        bool better = false;
        for (int i = 0; i < 4; i++) {
            double to[2] = {at[0], at[1]}, own;
            to[i / 2] += i % 2 ? step : -step;
            if (to[i / 2] < log(1e-9 * (high - low)))
                continue;
            own = triangular_at(s, low - exp(to[0]), high + exp(to[1]), &mode);
            if (own > best) {
                best = own;
                at[0] = to[0];
                at[1] = to[1];
                better = true;
            }
        }
        step = better ? step : 0.5 * step;
    }
    p[0] = low - exp(at[0]);
    p[2] = high + exp(at[1]);
    triangular_at(s, p[0], p[2], &p[1]);
    return NULL;
}

/* ---- Counts ------------------------------------------------------------------------------ */

static const char *fit_poisson(const Sample *s, double *p)
{
    p[0] = s->mean;
    return NULL;
}

static double log_poisson(const double *p, double x)
{
    return x * log(p[0]) - p[0] - lgamma(x + 1.0);
}

static double below_poisson(const double *p, double x)
{
    return x < 0.0 ? 0.0 : chance_gamma(floor(x) + 1.0, log(p[0])).above;
}

static double log_binomial(const double *p, double x)
{
    if (x > p[0])
        return -(double)INFINITY;
    return lgamma(p[0] + 1.0) - lgamma(x + 1.0) - lgamma(p[0] - x + 1.0) +
           (x > 0.0 ? x * log(p[1]) : 0.0) +
           (x < p[0] ? (p[0] - x) * log1p(-p[1]) : 0.0);
}

static double below_binomial(const double *p, double x)
{
    if (x < 0.0 || x >= p[0])
        return x < 0.0 ? 0.0 : 1.0;
    return chance_beta(floor(x) + 1.0, p[0] - floor(x), p[1], 1.0 - p[1]).above;
}

static double binomial_at(const Sample *s, double trials)
{
    const double p[] = {trials, s->mean / trials};
    double sum = 0.0;
    for (size_t k = 0; k < s->n; k++)
        sum += log_binomial(p, s->x[k]);
    return sum;
}

/* The likelihood rises with TRIALS and then falls, if the values vary less than
   those of a Poisson distribution. */
static const char *fit_binomial(const Sample *s, double *p)
{
    double low = s->x[s->n - 1], step = 1.0;
    if (s->variance >= s->mean)
        return "the values vary as much as POISSOND, or more";
    while (step < 1e6 && binomial_at(s, low + step) > binomial_at(s, low))
        low += step, step *= 2.0;
    while (step >= 1.0) {
        double here = binomial_at(s, low);
        if (binomial_at(s, low + step) > here)
            low += step;
        else if (low - step >= s->x[s->n - 1] &&
                 binomial_at(s, low - step) > here)
            low -= step;
        else
            step = floor(0.5 * step);
    }
    p[0] = low;
    p[1] = s->mean / low;
    return NULL;
}

static const char *fit_geometric(const Sample *s, double *p)
{
    p[0] = 1.0 / (1.0 + s->mean);
    return NULL;
}

static double log_geometric(const double *p, double x)
{
    return log(p[0]) + (x > 0.0 ? x * log1p(-p[0]) : 0.0);
}

static double below_geometric(const double *p, double x)
{
    return x < 0.0 ? 0.0 : -expm1((floor(x) + 1.0) * log1p(-p[0]));
}

/* ---- All of them ---------------------------------------------------------------------------- */

typedef struct Law {
    const char *(*fit)(const Sample *s, double *p); // why not, or NULL
    double (*log)(const double *p, double x);
    double (*below)(const double *p, double x);
    uint32_t parameters;
    bool counts;
} Law;

static const Law laws[DISTRIBUTIONS] = {
    [DISTRIBUTION_EXPOND] = {fit_expond, log_expond, below_expond, 1, false},
    [DISTRIBUTION_UNIFORMD] = {fit_uniform, log_uniform, below_uniform, 2,
                               false},
    [DISTRIBUTION_NORMALD] = {fit_normal, log_normal, below_normal, 2, false},
    [DISTRIBUTION_LOGNORMD] = {fit_lognormal, log_lognormal, below_lognormal, 2,
                               false},
    [DISTRIBUTION_GAMMAD] = {fit_gamma, log_gamma, below_gamma, 2, false},
    [DISTRIBUTION_ERLANGD] = {fit_erlang, log_erlang, below_erlang, 2, false},
    [DISTRIBUTION_BETAD] = {fit_beta, log_beta, below_beta, 2, false},
    [DISTRIBUTION_WEIBULLD] = {fit_weibull, log_weibull, below_weibull, 2,
                               false},
    [DISTRIBUTION_TRIANGD] = {fit_triangular, log_triangular, below_triangular,
                              3, false},
    [DISTRIBUTION_POISSOND] = {fit_poisson, log_poisson, below_poisson, 1,
                               true},
    [DISTRIBUTION_BINOMD] = {fit_binomial, log_binomial, below_binomial, 2,
                             true},
    [DISTRIBUTION_GEOMD] = {fit_geometric, log_geometric, below_geometric, 1,
                            true},
};

uint32_t fit_parameters(uint32_t distribution)
{
    return laws[distribution].parameters;
}

bool fit_counts(uint32_t distribution)
{
    return laws[distribution].counts;
}

bool fit_make(Fit *f, uint32_t distribution, const Sample *s)
{
    const Law *law = &laws[distribution];
    *f = (Fit){.distribution = distribution};
    assert(law->fit != NULL && s->varies);
    f->why = law->counts && !s->whole ? "not all values are 0, 1, 2 ..."
                                      : law->fit(s, f->p);
    if (f->why)
        return false;
    for (size_t k = 0; k < s->n; k++)
        f->likelihood += law->log(f->p, s->x[k]);
    f->aic = 2.0 * law->parameters - 2.0 * f->likelihood;
    if (!isfinite(f->likelihood))
        f->why = "its likelihood has no maximum";
    return f->why == NULL;
}

double fit_log(const Fit *f, double x)
{
    return laws[f->distribution].log(f->p, x);
}

double fit_below(const Fit *f, double x)
{
    return laws[f->distribution].below(f->p, x);
}

/* The first three are drawn in their standard form (events/stream.h). */
double fit_quantile(const Fit *f, double u)
{
    double y = inverse_value((CosyDistribution)f->distribution, f->p[0],
                             f->p[1], f->p[2], u);
    switch (f->distribution) {
    case DISTRIBUTION_EXPOND: return f->p[0] * y;
    case DISTRIBUTION_UNIFORMD: return f->p[0] + (f->p[1] - f->p[0]) * y;
    case DISTRIBUTION_NORMALD: return f->p[0] + f->p[1] * y;
    default: return y;
    }
}
