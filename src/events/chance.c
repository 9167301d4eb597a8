#include "events/chance.h"

#include <math.h>

#define TWO_PI 6.28318530717958647693

/* ---- Factorials ----------------------------------------------------------- */

/* The series of Stirling's formula, n >= 16. */
static double rest_series(double n)
{
    double q = 1.0 / (n * n);
    double sum = 1.0 / 1260.0 - q * (1.0 / 1680.0 - q / 1188.0);
    return (1.0 / 12.0 - q * (1.0 / 360.0 - q * sum)) / n;
}

double chance_rest(double n)
{
    if (n >= 16.0)
        return rest_series(n);
    double f = 1.0;
    for (double k = 2.0; k <= n; k += 1.0)
        f *= k;
    return log(f) - (n + 0.5) * log(n) + n - 0.91893853320467274178;
}

/* The same for log(gamma(a + 1)), a > 0. */
static double rest_of(double a)
{
    if (a >= 16.0)
        return rest_series(a);
    return log(tgamma(a + 1.0)) - (a + 0.5) * log(a) + a -
           0.91893853320467274178;
}

/* Loader, Fast and Accurate Computation of Binomial Probabilities, 2000. */
double chance_deviance(double x, double m)
{
    if (fabs(x - m) >= 0.1 * (x + m))
        return x * log(x / m) + m - x;
    double v = (x - m) / (x + m);
    double sum = (x - m) * v;
    double term = 2.0 * x * v;
    for (double k = 3.0;; k += 2.0) {
        term *= v * v;
        double next = sum + term / k;
        if (next == sum)
            return sum;
        sum = next;
    }
}

double chance_poisson_log(double k, double m)
{
    if (k == 0.0)
        return -m;
    return -chance_rest(k) - chance_deviance(k, m) - 0.5 * log(TWO_PI * k);
}

double chance_binomial_log(double k, double n, double p)
{
    if (k == 0.0 || k == n) {
        double all = k == 0.0 ? log1p(-p) : log(p);
        return n * all + 0.5 * log(TWO_PI) - chance_rest(n) - 0.5 * log(n);
    }
    return -chance_rest(k) - chance_rest(n - k) - chance_deviance(k, n * p) -
           chance_deviance(n - k, n * (1.0 - p)) - 0.5 * log(k) -
           0.5 * log(n - k);
}

/* ---- Continued fractions ------------------------------------------------------ */

enum { TERMS_MOST = 1000000 };

/* Lentz, Generating Bessel functions in Mie scattering calculations using
   continued fractions, Applied Optics 15, 1976, as modified by Thompson and
   Barnett, J. Comput. Phys. 64, 1986. A value of 0 on the way becomes tiny. */
typedef struct Fraction {
    double value, c, d;
} Fraction;

static double not_zero(double v)
{
    return fabs(v) < 1e-300 ? 1e-300 : v;
}

/* One more level a/(b + ...); false once it no longer changes anything. */
static bool fraction_level(Fraction *f, double a, double b)
{
    f->d = 1.0 / not_zero(b + a * f->d);
    f->c = not_zero(b + a / f->c);
    double factor = f->c * f->d;
    f->value *= factor;
    return fabs(factor - 1.0) > 2.3e-16;
}

/* ---- Incomplete gamma functions ------------------------------------------------ */

/* x^a exp(-x) / gamma(a) */
static double gamma_front(double a, double x, double log_x)
{
    if (a < 16.0)
        return exp(a * log_x - x) / tgamma(a);
    return sqrt(a / TWO_PI) * exp(-chance_deviance(a, x) - rest_of(a));
}

/* Gautschi, A computational procedure for incomplete gamma functions, ACM TOMS
   5, 1979: the power series below the mean, Legendre's continued fraction above
   it. */
static double gamma_series(double a, double x)
{
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < TERMS_MOST; n++) {
        term *= x / (a + n);
        sum += term;
        if (term < sum * 1.1e-16)
            break;
    }
    return sum;
}

static double gamma_fraction(double a, double x)
{
    double b = x + 1.0 - a;
    Fraction f = {.value = not_zero(b), .c = not_zero(b), .d = 0.0};
    for (int n = 1; n < TERMS_MOST; n++) {
        b += 2.0;
        if (!fraction_level(&f, -(double)n * ((double)n - a), b))
            break;
    }
    return 1.0 / f.value;
}

Tails chance_gamma(double shape, double log_x)
{
    double x = exp(log_x);
    double front = gamma_front(shape, x, log_x);
    Tails t = {.density = front};
    if (x < shape + 1.0) {
        t.below = front * gamma_series(shape, x);
        t.above = 1.0 - t.below;
    } else {
        t.above = front * gamma_fraction(shape, x);
        t.below = 1.0 - t.above;
    }
    return t;
}

/* ---- Incomplete beta function ----------------------------------------------------- */

/* x^a y^b / B(a, b) */
static double beta_front(double a, double b, double x, double y)
{
    double n = a + b;
    double power = -chance_deviance(a, n * x) - chance_deviance(b, n * y) -
                   rest_of(a) - rest_of(b) + rest_of(n);
    return sqrt(a / n * b / TWO_PI) * exp(power);
}

/* NIST Handbook of Mathematical Functions, 8.17.22; for x below the mean. */
static double beta_fraction(double a, double b, double x)
{
    Fraction f = {.value = 1.0, .c = 1.0, .d = 0.0};
    for (int k = 0; k < TERMS_MOST; k++) {
        double m = (double)k;
        double even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        double odd =
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        if (k > 0)
            fraction_level(&f, even, 1.0);
        if (!fraction_level(&f, odd, 1.0))
            break;
    }
    return 1.0 / f.value;
}

Tails chance_beta(double a, double b, double x, double y)
{
    double front = beta_front(a, b, x, y);
    Tails t = {.density = front};
    if (x * (a + b + 2.0) < a + 1.0) {
        t.below = front / a * beta_fraction(a, b, x);
        t.above = 1.0 - t.below;
    } else {
        t.above = front / b * beta_fraction(b, a, y);
        t.below = 1.0 - t.above;
    }
    return t;
}
