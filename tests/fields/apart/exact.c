#include "../exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* The Bessel function J0 by its power series, good up to 10. */
static double bessel(double z)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 40; k++) {
        term *= -z * z / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

static double heat_bessel(double r, double z, double t)
{
    const double a = 2.404825557695773, b = 5.520078110286311;
    (void)z;
    return bessel(a * r) * exp(-a * a * t) +
           0.5 * bessel(b * r) * exp(-b * b * t);
}

/* TAN(MU) = MU/(1 - H), and H = 2. */
static double heat_ball(double r, double z, double t)
{
    const double a = 2.028757838110434;
    (void)z;
    return (r > 0 ? sin(a * r) / (a * r) : 1) * exp(-a * a * t);
}

/* Until the fan reaches the shock at 0.506 after the start. */
static double burgers_shock(double x, double y, double t)
{
    (void)y;
    if (x < 0.2 || x > 0.453 + t / 2)
        return 0;
    return t > 0 && x < 0.2 + t ? (x - 0.2) / t : 1;
}

/* A standing wave that begins at rest: w^2 = (k*PI)^2 - B^2. */
static double standing(double k, double x, double t)
{
    const double b = 0.5, w = sqrt(k * k * pi * pi - b * b);
    return sin(k * pi * x) * exp(-b * t) * (cos(w * t) + b / w * sin(w * t));
}

static double telegraph(double x, double y, double t)
{
    (void)y;
    return standing(1, x, t) + 0.3 * standing(3, x, t);
}

/* Ablowitz and Zeppetella, 1979. */
static double fisher(double x, double y, double t)
{
    (void)y;
    return pow(1 + exp((x - 5 * t / sqrt(6)) / sqrt(6)), -2);
}

static double poisson_2d(double x, double y, double t)
{
    return (1 + t) * exp(x) * cos(pi * y);
}

static double seepage_p(double x, double y, double t)
{
    (void)y;
    (void)t;
    return 1 - log2(1 + x);
}

static double seepage_c(double x, double y, double t)
{
    const double d = 0.02, q = 1 / log(2), w = 2 * pi;
    (void)y;
    return 1 + exp(-w * w * d * t) * sin(w * (x - q * t));
}

/* The rod while it is heated: a series of sines, or near the start the images of the
   complementary error function. */
static double heated(double x, double t)
{
    double sum = 1, sign = 1;
    if (t <= 0)
        return x <= 0;
    if (t < 0.05) {
        sum = 0;
        for (int k = 0; k < 8; k++, sign = -sign)
            sum += sign * (erfc((2 * k + x) / sqrt(4 * t)) +
                           erfc((2 * k + 2 - x) / sqrt(4 * t)));
        return sum;
    }
    for (int n = 0; n < 40; n++) {
        double a = (n + 0.5) * pi;
        sum -= 2 / a * sin(a * x) * exp(-a * a * t);
    }
    return sum;
}

/* The cosine m of what is there at 0.2, of which every sine has a part. */
static double cosine_part(int m)
{
    double sum = m == 0;
    for (int n = 0; n < 40; n++) {
        double a = (n + 0.5) * pi, b = m * pi;
        sum -=
            (m == 0 ? 1 : 2) * 2 / a * exp(-0.2 * a * a) * a / (a * a - b * b);
    }
    return sum;
}

static double switched(double x, double y, double t)
{
    double sum = 0;
    (void)y;
    if (t <= 0.2)
        return heated(x, t);
    for (int m = 0; m < 200; m++)
        sum += cosine_part(m) * cos(m * pi * x) *
               exp(-m * m * pi * pi * (t - 0.2));
    return sum;
}

#define LINE .from = {0}, .to = {1}

static const Profile profiles[] = {
    {"heat-bessel", "U", LINE, .order = 2, .most = 6e-3, .value = heat_bessel},
    {"heat-ball", "U", LINE, .order = 2, .most = 1e-3, .value = heat_ball},
    {"burgers-shock", "U", PROFILE_SHOCK, LINE, .most = 0.03,
     .value = burgers_shock},
    {"telegraph", "U", LINE, .order = 2, .most = 2e-2, .value = telegraph},
    {"fisher", "U", .from = {-20}, .to = {40}, .order = 2, .most = 1.5e-2,
     .value = fisher},
    {"poisson-2d", "P", .from = {0, 0}, .to = {1, 1}, .order = 2, .most = 2e-2,
     .value = poisson_2d},
    {"seepage", "P", LINE, .order = 2, .most = 1e-3, .value = seepage_p},
    {"seepage", "C", LINE, .order = 2, .most = 2e-2, .value = seepage_c},
    {"switched", "U", PROFILE_ROUGH, LINE, .order = 2, .most = 1e-3,
     .value = switched},
};

Profiles exact_apart(void)
{
    return (Profiles){profiles, sizeof profiles / sizeof *profiles};
}
