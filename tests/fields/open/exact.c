#include "../exact.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Eigenfunctions of the rod: MU*TAN(MU) = 2. */
static double heat_robin(double x, double y, double t)
{
    const double a = 1.0768739863118037, b = 3.6435971674254006;
    (void)y;
    return cos(a * x) * exp(-a * a * t) + 0.5 * cos(b * x) * exp(-b * b * t);
}

/* The eigenfunction with TAN(MU) = -MU, upon a constant. */
static double lumped(double x, double y, double t)
{
    const double a = 2.028757838110434;
    (void)y;
    return 1 + cos(a * x) * exp(-a * a * t);
}

static double conserve(double x, double y, double t)
{
    (void)y;
    return exp(-t) * cos(2 * x);
}

/* Sines with the rate W^2 on both sides that agree at 0.4 in value and flux:
   TAN(0.4*W) = -TAN(0.3*W)/2. */
static double two_materials(double x, double y, double t)
{
    const double w = 4.70467818654526, a = 0.9642278151005414;
    (void)y;
    return exp(-w * w * t) * (x < 0.4 ? sin(w * x) : a * sin(w * (1 - x) / 2));
}

static double nonlinear(double x, double y, double t)
{
    (void)y;
    return 2 + sin(pi * (x - t));
}

static double advect_smooth(double x, double y, double t)
{
    (void)y;
    return exp(sin(2 * pi * (x - t)));
}

static double advect_step(double x, double y, double t)
{
    (void)y;
    return x - t < 0.203;
}

/* U = -2*NU*DX(P)/P with P' = NU*DXX(P) (Cole 1951, Hopf 1950). */
static double burgers_front(double x, double y, double t)
{
    const double nu = 0.05, a = 1.2, e = exp(-pi * pi * nu * t);
    (void)y;
    return 2 * nu * pi * e * sin(pi * x) / (a + e * cos(pi * x));
}

static double pulse(double x)
{
    return exp(-pow((x - 0.5) / 0.08, 2));
}

/* The pulse and its images: odd about 0, even about 1, period 4. */
static double images(double x)
{
    double z = fmod(fmod(x, 4) + 4, 4);
    return z < 1 ? pulse(z)
                 : (z < 2 ? pulse(2 - z)
                          : (z < 3 ? -pulse(z - 2) : -pulse(4 - z)));
}

/* d'Alembert. */
static double wave_pulse(double x, double y, double t)
{
    (void)y;
    return (images(x - t) + images(x + t)) / 2;
}

static double heat_2d(double x, double y, double t)
{
    const double d = 0.1 * pi * pi * t;
    return sin(pi * x) * sin(pi * y / 2) * exp(-1.25 * d) +
           0.5 * sin(2 * pi * x) * sin(pi * y) * exp(-5 * d);
}

static double normal(double d)
{
    return 0.5 * erfc(-d / sqrt(2));
}

/* Black and Scholes, 1973. */
static double option(double s, double y, double t)
{
    const double k = 100, r = 0.05, sigma = 0.2, root = sigma * sqrt(t);
    (void)y;
    if (t <= 0)
        return fmax(k - s, 0);
    if (s <= 0)
        return k * exp(-r * t);
    double d = (log(s / k) + (r + sigma * sigma / 2) * t) / root;
    return k * exp(-r * t) * normal(root - d) - s * normal(-d);
}

/* One Fourier mode of two species: the exponential of a matrix with two rows, by its
   eigenvalues. Starts with u and v; `first` asks for u. */
static double mode(double wave, double u, double v, double t, bool first)
{
    const double d1 = 0.1, d2 = 0.01, a = 1, b = 2;
    double p = -d1 * wave * wave - a, q = -d2 * wave * wave - b;
    double half = (p + q) / 2, root = sqrt((p - q) * (p - q) / 4 + a * b);
    double c = cosh(root * t), s = sinh(root * t) / root;
    double e = exp(half * t);
    return first ? e * (c * u + s * ((p - half) * u + b * v))
                 : e * (c * v + s * (a * u + (q - half) * v));
}

static double species(double x, double t, bool first)
{
    return mode(0, 1, 1, t, first) + mode(pi, 1, 0, t, first) * cos(pi * x) +
           mode(2 * pi, 0, -0.5, t, first) * cos(2 * pi * x);
}

static double species_u(double x, double y, double t)
{
    (void)y;
    return species(x, t, true);
}

static double species_v(double x, double y, double t)
{
    (void)y;
    return species(x, t, false);
}

#define LINE .from = {0}, .to = {1}

static const Profile profiles[] = {
    {"heat-robin", "U", LINE, .order = 2, .most = 2e-3, .value = heat_robin},
    {"lumped", "U", LINE, .order = 2, .most = 4e-3, .value = lumped},
    {"lumped", "Z", .from = {1}, .to = {1}, .order = 2, .most = 4e-3,
     .value = lumped},
    {"conserve", "U", LINE, .order = 2, .most = 6e-3, .value = conserve},
    {"two-materials", "U", PROFILE_ROUGH, LINE, .order = 2, .most = 4e-3,
     .value = two_materials},
    {"nonlinear", "U", LINE, .order = 2, .most = 1e-2, .value = nonlinear},
    {"advect-smooth", "U", .periodic = true, LINE, .order = 2, .most = 3e-3,
     .value = advect_smooth},
    {"advect-step", "U", PROFILE_SHOCK, LINE, .most = 0.03,
     .value = advect_step},
    {"burgers-front", "U", LINE, .order = 2, .most = 4e-3,
     .value = burgers_front},
    {"wave-pulse", "U", LINE, .order = 2, .most = 0.1, .value = wave_pulse},
    {"heat-2d", "U", .from = {0, 0}, .to = {1, 2}, .order = 2, .most = 6e-3,
     .value = heat_2d},
    {"option", "U", PROFILE_ROUGH, .from = {0}, .to = {300}, .order = 2,
     .most = 0.08, .value = option},
    {"two-species", "U", LINE, .order = 2, .most = 4e-3, .value = species_u},
    {"two-species", "V", LINE, .order = 2, .most = 4e-3, .value = species_v},
};

Profiles exact_open(void)
{
    return (Profiles){profiles, sizeof profiles / sizeof *profiles};
}
