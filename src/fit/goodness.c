#include "fit/goodness.h"

#include <math.h>

#include "events/chance.h"

/* ---- Random numbers: xorshift64* (Vigna 2016), the same each time -------------------- */

static double draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    uint64_t bits = *state * 2685821657736338717u;
    return ((double)(bits >> 12) + 0.5) * 0x1p-52; // an odd multiple of 2^-53
}

/* ---- Distances ------------------------------------------------------------------------ */

static double largest_distance(const Fit *f, const Sample *s)
{
    double most = 0.0, n = (double)s->n;
    for (size_t k = 0; k < s->n; k++) {
        double p = fit_below(f, s->x[k]);
        most = fmax(most, fmax(p - (double)k / n, (double)(k + 1) / n - p));
    }
    return most;
}

/* NaN if a value lies where the distribution has none: the ends of UNIFORMD. */
static double anderson_darling(const Fit *f, const Sample *s)
{
    double sum = 0.0, n = (double)s->n;
    for (size_t k = 0; k < s->n; k++) {
        double low = fit_below(f, s->x[k]);
        double high = 1.0 - fit_below(f, s->x[s->n - 1 - k]);
        if (!(low > 0.0))
            return (double)NAN;
        sum += (2.0 * (double)k + 1.0) * (log(low) + log(fmax(high, 0x1p-60)));
    }
    return f->distribution == DISTRIBUTION_UNIFORMD ? (double)NAN
                                                    : -n - sum / n;
}

/* How often a sample of the fitted distribution is as far from its own fit. */
static void bootstrap(Goodness *g, const Fit *f, const Sample *s, double *x)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    size_t n = s->n < GOODNESS_SIZE ? s->n : GOODNESS_SIZE;
    uint32_t ks = 0, ad = 0;
    for (uint32_t i = 0; i < GOODNESS_DRAWS; i++) {
        Fit own;
        for (size_t k = 0; k < n; k++)
            x[k] = fit_quantile(f, draw(&state));
        Sample drawn = sample_make(x, n);
        if (!drawn.varies || !fit_make(&own, f->distribution, &drawn))
            continue;
        ks += largest_distance(&own, &drawn) * sqrt((double)n) >=
              g->ks * sqrt((double)s->n);
        ad += anderson_darling(&own, &drawn) >= g->ad;
    }
    g->ks_p = (1.0 + ks) / (1.0 + GOODNESS_DRAWS);
    g->ad_p = isnan(g->ad) ? (double)NAN : (1.0 + ad) / (1.0 + GOODNESS_DRAWS);
}

/* ---- Chi-square ------------------------------------------------------------------------- */

static size_t count_below(const Sample *s, double limit)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->x[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first whole number from k on at which F is at least p, or one above `most`
   if none up to there is: steps grow, and then shrink again. */
static double first_at(const Fit *f, double k, double most, double p)
{
    double step = 1.0, low = k;
    while (k <= most && fit_below(f, k) < p) {
        low = k + 1.0;
        k += step;
        step *= 2.0;
    }
    double high = fmin(k, most + 1.0);
    while (low < high) {
        double middle = low + floor(0.5 * (high - low));
        if (fit_below(f, middle) < p)
            low = middle + 1.0;
        else
            high = middle;
    }
    return high;
}

static void chi_square(Goodness *g, const Fit *f, const Sample *s)
{
    const double n = (double)s->n, least = 5.0, most = s->x[s->n - 1];
    double sum = 0.0, below = 0.0;
    size_t counted = 0;
    uint32_t cells = 0;
    for (double k = 0.0;; k += 1.0) {
        k = first_at(f, k, most, below + least / n);
        double now = fit_below(f, k), wanted = n * (now - below);
        if (k > most || n * (1.0 - now) < least)
            break;
        size_t here = count_below(s, k);
        double off = (double)(here - counted) - wanted;
        sum += off * off / wanted;
        below = now;
        counted = here;
        cells++;
    }
    double rest = n * (1.0 - below), off = (double)(s->n - counted) - rest;
    sum += off * off / rest;
    cells++;
    uint32_t used = fit_parameters(f->distribution) + 1;
    if (cells <= used)
        return;
    g->freedom = cells - used;
    g->chi2 = sum;
    g->chi2_p =
        sum > 0.0 ? chance_gamma(0.5 * g->freedom, log(0.5 * sum)).above : 1.0;
}

Goodness goodness_of(const Fit *f, const Sample *s, Arena *scratch)
{
    const double none = (double)NAN;
    Goodness g = {none, none, none, none, none, none, 0};
    if (fit_counts(f->distribution)) {
        chi_square(&g, f, s);
        return g;
    }
    size_t n = s->n < GOODNESS_SIZE ? s->n : GOODNESS_SIZE;
    double *x = NEW_ARRAY(scratch, double, n);
    g.ks = largest_distance(f, s);
    g.ad = anderson_darling(f, s);
    if (x)
        bootstrap(&g, f, s, x);
    return g;
}

double goodness_lag1(const double *x, size_t n)
{
    double mean = 0.0, square = 0.0, product = 0.0;
    for (size_t k = 0; k < n; k++)
        mean += x[k] / (double)n;
    for (size_t k = 0; k < n; k++) {
        square += (x[k] - mean) * (x[k] - mean);
        product += k > 0 ? (x[k] - mean) * (x[k - 1] - mean) : 0.0;
    }
    return square > 0.0 ? product / square : 0.0;
}
