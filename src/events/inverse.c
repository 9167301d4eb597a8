#include "events/inverse.h"

#include <math.h>

#include "events/chance.h"

/* ---- Normal ------------------------------------------------------------------ */

static double polynomial(const double *a, int n, double x)
{
    double sum = a[n];
    while (n > 0)
        sum = sum * x + a[--n];
    return sum;
}

/* Wichura, Algorithm AS 241: The percentage points of the normal distribution,
   Applied Statistics 37, 1988: PPND16. */
static double normal(double u)
{
    static const double near_top[] = {
        3.3871328727963666080e0,  1.3314166789178437745e+2,
        1.9715909503065514427e+3, 1.3731693765509461125e+4,
        4.5921953931549871457e+4, 6.7265770927008700853e+4,
        3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double near_bottom[] = {1.0,
                                         4.2313330701600911252e+1,
                                         6.8718700749205790830e+2,
                                         5.3941960214247511077e+3,
                                         2.1213794301586595867e+4,
                                         3.9307895800092710610e+4,
                                         2.8729085735721942674e+4,
                                         5.2264952788528545610e+3};
    static const double middle_top[] = {
        1.42343711074968357734e0,  4.63033784615654529590e0,
        5.76949722146069140550e0,  3.64784832476320460504e0,
        1.27045825245236838258e0,  2.41780725177450611770e-1,
        2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double middle_bottom[] = {1.0,
                                           2.05319162663775882187e0,
                                           1.67638483018380384940e0,
                                           6.89767334985100004550e-1,
                                           1.48103976427480074590e-1,
                                           1.51986665636164571966e-2,
                                           5.47593808499534494600e-4,
                                           1.05075007164441684324e-9};
    static const double far_top[] = {
        6.65790464350110377720e0,  5.46378491116411436990e0,
        1.78482653991729133580e0,  2.96560571828504891230e-1,
        2.65321895265761230930e-2, 1.24266094738807843860e-3,
        2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double far_bottom[] = {1.0,
                                        5.99832206555887937690e-1,
                                        1.36929880922735805310e-1,
                                        1.48753612908506148525e-2,
                                        7.86869131145613259100e-4,
                                        1.84631831751005468180e-5,
                                        1.42151175831644588870e-7,
                                        2.04426310338993978564e-15};
    double q = u - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q * polynomial(near_top, 7, r) / polynomial(near_bottom, 7, r);
    }
    double r = sqrt(-log(q < 0.0 ? u : 1.0 - u));
    double z = r <= 5.0 ? polynomial(middle_top, 7, r - 1.6) /
                              polynomial(middle_bottom, 7, r - 1.6)
                        : polynomial(far_top, 7, r - 5.0) /
                              polynomial(far_bottom, 7, r - 5.0);
    return q < 0.0 ? -z : z;
}

/* ---- Gamma and beta ------------------------------------------------------------- */

/* A distribution over the whole line whose density has a concave logarithm,
   such as gamma over log(x) and beta over log(x / (1 - x)). Then the logarithm
   of each tail is concave too, and Newton's method on it converges from every
   start: after one step it approaches from one side. */
typedef Tails (*TailsAt)(double a, double b, double y);

static double solve(TailsAt at, double a, double b, double start, double u)
{
    bool low = u < 0.5;
    double wanted = log(low ? u : 1.0 - u), y = start, before = 0.0;
    for (int k = 0; k < 400; k++) {
        Tails t = at(a, b, y);
        double tail = low ? t.below : t.above;
        if (!(tail > 0.0 && t.density > 0.0)) { // nothing is left that far out
            y = 0.5 * (y + before);
            continue;
        }
        double step = (wanted - log(tail)) * tail / t.density;
        before = y;
        y += low ? step : -step;
        if (fabs(step) <= 4e-16 * (fabs(y) + 1.0))
            break;
    }
    return y;
}

static Tails gamma_at(double a, double b, double y)
{
    (void)b;
    return chance_gamma(a, y);
}

/* Wilson and Hilferty, The distribution of chi-square, Proc. Nat. Acad. Sci. 17,
   1931; near 0 the first term of the power series. */
static double gamma_start(double shape, double u)
{
    double root = 1.0 - 1.0 / (9.0 * shape) + normal(u) / (3.0 * sqrt(shape));
    if (shape > 0.5 && root > 0.2)
        return log(shape) + 3.0 * log(root);
    double y =
        (log(u) + log(tgamma(shape < 160.0 ? shape + 1.0 : 161.0))) / shape;
    double middle = log(shape + 1.0);
    return y < middle ? y : middle;
}

static double gamma(double shape, double u)
{
    return exp(solve(gamma_at, shape, 0.0, gamma_start(shape, u), u));
}

static Tails beta_at(double a, double b, double y)
{
    return chance_beta(a, b, 1.0 / (1.0 + exp(-y)), 1.0 / (1.0 + exp(y)));
}

static double beta(double a, double b, double u)
{
    double y = solve(beta_at, a, b, log(a) - log(b), u);
    return 1.0 / (1.0 + exp(-y));
}

/* ---- Counts ------------------------------------------------------------------------ */

typedef struct Counts {
    double n, p; // binomial; n < 0: Poisson with mean p
    double common;
} Counts;

static double chance_of(const Counts *c, double k)
{
    if (c->n < 0.0)
        return exp(chance_poisson_log(k, c->p));
    return exp(chance_binomial_log(k, c->n, c->p) + c->common);
}

/* Probabilities up to k, and above k. */
static Tails tails_of(const Counts *c, double k)
{
    Tails t;
    if (c->n < 0.0) {
        Tails g = chance_gamma(k + 1.0, log(c->p));
        t = (Tails){.below = g.above, .above = g.below};
    } else if (k >= c->n) {
        t = (Tails){.below = 1.0, .above = 0.0};
    } else {
        Tails g = chance_beta(k + 1.0, c->n - k, c->p, 1.0 - c->p);
        t = (Tails){.below = g.above, .above = g.below};
    }
    return t;
}

/* The smallest k such that a share u lies at or below it, searched from a close
   guess. Above the middle it is the first k with at most 1 - u above it. */
static double count_at(const Counts *c, double k, double u)
{
    bool low = u < 0.5;
    double v = 1.0 - u;
    Tails t = tails_of(c, k);
    double below = t.below, above = t.above;
    while (low ? below < u : above > v) {
        k += 1.0;
        below += chance_of(c, k);
        above -= chance_of(c, k);
        if (c->n >= 0.0 && k >= c->n)
            return c->n;
    }
    while (k > 0.0) {
        double own = chance_of(c, k);
        if (low ? below - own < u : above + own > v)
            break;
        below -= own;
        above += own;
        k -= 1.0;
    }
    return k;
}

static double within(double k, double most)
{
    return k < 0.0 ? 0.0 : k > most ? most : floor(k);
}

/* The Cornish-Fisher correction for skewness. */
static double guess(double mean, double sd, double skewness, double u)
{
    double z = normal(u);
    return mean + sd * (z + skewness * (z * z - 1.0) / 6.0);
}

static double poisson(double mean, double u)
{
    Counts c = {.n = -1.0, .p = mean};
    if (mean == 0.0)
        return 0.0;
    double sd = sqrt(mean);
    return count_at(&c, within(guess(mean, sd, 1.0 / sd, u), 0x1p53), u);
}

static double binomial(double n, double p, double u)
{
    Counts c = {.n = n, .p = p};
    if (n == 0.0 || p == 0.0)
        return 0.0;
    if (p == 1.0)
        return n;
    c.common = chance_rest(n) + 0.5 * log(n / 6.28318530717958647693);
    double sd = sqrt(n * p * (1.0 - p));
    double k = guess(n * p, sd, (1.0 - 2.0 * p) / sd, u);
    return count_at(&c, within(k, n), u);
}

/* ---- All distributions
   ---------------------------------------------------------------- */

static double triangular(double low, double mode, double high, double u)
{
    double span = high - low, left = mode - low;
    if (u * span < left)
        return low + sqrt(u * span * left);
    return high - sqrt((1.0 - u) * span * (high - mode));
}

static double geometric(double chance, double u)
{
    return chance >= 1.0 ? 0.0 : floor(log1p(-u) / log1p(-chance));
}

double inverse_value(CosyDistribution d, double a, double b, double c, double u)
{
    switch (d) {
    case COSY_EXPOND: return -log1p(-u);
    case COSY_UNIFORMD: return u;
    case COSY_NORMALD: return normal(u);
    case COSY_LOGNORMD: return exp(a + b * normal(u));
    case COSY_GAMMAD: return a * gamma(b, u);
    case COSY_ERLANGD: return a / b * gamma(b, u);
    case COSY_BETAD: return beta(a, b, u);
    case COSY_WEIBULLD: return a * pow(-log1p(-u), 1.0 / b);
    case COSY_TRIANGD: return triangular(a, b, c, u);
    case COSY_POISSOND: return poisson(a, u);
    case COSY_BINOMD: return binomial(a, b, u);
    case COSY_GEOMD: return geometric(a, u);
    case COSY_EMPIRIC:
    case COSY_NO_DISTRIBUTION: break;
    }
    return u;
}
