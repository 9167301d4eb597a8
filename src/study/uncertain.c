#include "study/uncertain.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/distribution.h"
#include "stats/number.h"
#include "stats/uncertain.h"
#include "study/sampling.h"

/* More runs than this share, and the answer is told to be conditional. */
#define FAILED_MANY 0.01
/* An index is not known when half its interval is more than the first, and is when it
   is no more than the second. */
#define INDEX_WIDE  R(0.2)
#define INDEX_KNOWN R(0.1)

typedef struct Finding {
    const Series *j;
    const Sampling *s;
    const SweepTable *t;
    Uncertainty u;
    Arena a;
    real *value;       // of one quantity in all rows, and room to sort them
    real *sorted;      // those that are samples of the distribution
    SobolIndex *index; // one per parameter
    real widest;       // half interval among the quantities shown
    char of[240];      // whose it is
} Finding;

/* ---- Parameters ---------------------------------------------------------------- */

static void put_words(UncertainInput *in, const CosyUncertain *item)
{
    Buffer b = {0};
    const char *word;
    buffer_text(&b, distribution_at(item->distribution)->name);
    for (uint32_t k = 0; (word = distribution_word(item->distribution, k)); k++)
        buffer_format(&b, " %s = %.10g", word, item->parameter[k]);
    if (item->distribution == COSY_EMPIRIC)
        buffer_format(&b, ", %u values", item->values);
    snprintf(in->words, sizeof in->words, "%s", buffer_string(&b));
    buffer_free(&b);
}

static bool is_discrete(CosyDistribution d)
{
    return d == COSY_POISSOND || d == COSY_BINOMD || d == COSY_GEOMD ||
           d == COSY_EMPIRIC;
}

/* The density from how quickly quantiles follow each other, at shares that reach far
   into both tails. */
static void put_density(UncertainInput *in, const CosyUncertain *item)
{
    const double reach = 7.0;
    if (is_discrete(item->distribution))
        return;
    for (uint32_t k = 0; k < UNCERTAIN_CURVE; k++) {
        double z = reach * (2.0 * k / (UNCERTAIN_CURVE - 1) - 1.0);
        double u = 1.0 / (1.0 + exp(-z)), du = 1e-3 * u * (1.0 - u);
        double low = sampling_value(item, u - du);
        double high = sampling_value(item, u + du);
        in->x[k] = sampling_value(item, u);
        in->density[k] = 2.0 * du / (high - low);
        if (!isfinite(in->density[k]))
            return;
    }
    in->points = UNCERTAIN_CURVE;
}

static bool take_inputs(Finding *f)
{
    const CosyUncertain *item = sampling_items(f->s);
    for (uint32_t k = 0; k < f->s->parameters; k++) {
        UncertainInput in = {.idle = f->s->indices};
        put_words(&in, &item[k]);
        put_density(&in, &item[k]);
        if (!vector_append(&f->u.inputs, &in, sizeof in))
            return false;
    }
    return !f->s->fixed.used ||
           vector_append(&f->u.fixed, f->s->fixed.bytes, f->s->fixed.used);
}

/* ---- Quantities ----------------------------------------------------------------- */

/* With INDICES the points of A and B are a sample, the others depend on them. */
static bool is_sample(const Finding *f, uint32_t row)
{
    return !f->s->indices || row % (f->s->parameters + 2) < 2;
}

static void measure(Finding *f, UncertainQuantity *q)
{
    SampleMeasures m;
    uint64_t n = 0;
    for (uint32_t k = 0; k < f->t->elements; k++)
        if (is_sample(f, k))
            f->sorted[n++] = f->value[k];
    sample_measure(n, f->sorted, NULL, &m);
    n = sample_sort(n, f->sorted, NULL);
    q->n = m.n;
    q->left_out = m.left_out;
    q->mean = m.mean;
    q->error = m.error;
    q->sd = m.sd;
    q->least = m.n ? m.least : (real)NAN;
    q->greatest = m.n ? m.greatest : (real)NAN;
    q->constant = m.n > 0 && m.least == m.greatest;
    for (uint32_t k = 0; k < UNCERTAIN_SHARES; k++)
        q->quantile[k] = sample_quantile(n, f->sorted, NULL,
                                         (real)uncertain_shares[k] / R(100.0));
}

/* How much of the variance of the means comes from the chance of their own
   replications. */
static real noise_of(const Finding *f, const UncertainQuantity *q)
{
    real sum = R(0.0);
    uint64_t n = 0;
    if (!f->t->replicated || !(q->sd > R(0.0)))
        return (real)NAN;
    for (uint32_t k = 0; k < f->t->elements; k++) {
        Tally one = sweep_tally(f->t, k, q->quantity);
        if (!is_sample(f, k) || one.n < 2)
            continue;
        sum += one.square / (real)(one.n - 1) / (real)one.n;
        n++;
    }
    return n ? sum / (real)n / (q->sd * q->sd) : (real)NAN;
}

static bool put_indices(Finding *f, UncertainQuantity *q)
{
    IndexSummary summary;
    UncertainInput *in = (UncertainInput *)(void *)f->u.inputs.bytes;
    q->index = (uint32_t)(f->u.index.used / sizeof(UncertainIndex));
    if (!f->s->indices)
        return true;
    indices_find(&f->s->design, f->value, f->index, &summary);
    for (uint32_t k = 0; k < f->s->parameters; k++) {
        const UncertainIndex one = {f->index[k].first, f->index[k].first_half,
                                    f->index[k].total, f->index[k].total_half};
        if (cosy_finite(one.total) && one.total != R(0.0))
            in[k].idle = false;
        if (!vector_append(&f->u.index, &one, sizeof one))
            return false;
    }
    return true;
}

static bool take_quantities(Finding *f)
{
    for (uint32_t k = 0; k < f->t->width; k++) {
        UncertainQuantity q = {.quantity = k};
        for (uint32_t row = 0; row < f->t->elements; row++)
            f->value[row] = sweep_mean(f->t, row, k);
        measure(f, &q);
        q.noise = noise_of(f, &q);
        if (!put_indices(f, &q) ||
            !vector_append(&f->u.quantities, &q, sizeof q))
            return false;
    }
    return true;
}

/* ---- Bells ----------------------------------------------------------------------- */

static void count_runs(Finding *f)
{
    for (uint32_t k = 0; k < f->t->elements; k++) {
        const SweepRow *row = sweep_row(f->t, k);
        bool any = row->runs > row->failed + row->stopped;
        f->u.failed += !any && row->failed > 0;
        f->u.unfinished += !any && row->failed == 0;
    }
}

static void ring(const Finding *f, CosySeverity severity, const char *text)
{
    outlet_message(&f->j->e->outlet, severity, f->s->line, text);
}

static void tell_failed(const Finding *f)
{
    char text[400];
    const Uncertainty *u = &f->u;
    if (u->failed == u->runs)
        snprintf(
            text, sizeof text,
            "UNCERTAIN: all %llu runs failed, so nothing can be said: does "
            "the model run with the middle of these distributions?",
            (unsigned long long)u->runs);
    else if ((double)u->failed > FAILED_MANY * (double)u->runs)
        snprintf(text, sizeof text,
                 "UNCERTAIN: %llu of %llu runs (%.2g %%) failed and are left "
                 "out: what is said holds only where runs succeed. sweep.csv "
                 "shows which failed; distributions with bounds may keep out "
                 "values that mean nothing",
                 (unsigned long long)u->failed, (unsigned long long)u->runs,
                 100.0 * (double)u->failed / (double)u->runs);
    else
        return;
    ring(f, COSY_WARNING, text);
}

static void tell_idle(const Finding *f)
{
    Buffer b = {0};
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->s->parameters; k++)
        if (uncertain_input(&f->u, k)->idle) {
            buffer_text(&b, n++ ? ", " : "");
            sweep_put_name(&b, f->t, k);
        }
    if (n && f->u.failed + f->u.unfinished < f->u.runs) {
        buffer_format(&b,
                      ": no quantity depends on %s, all indices are 0: a fixed "
                      "value saves runs",
                      n == 1 ? "it" : "them");
        ring(f, COSY_NOTE, buffer_string(&b));
    }
    buffer_free(&b);
}

/* The widest interval among what is shown. */
static void find_widest(Finding *f)
{
    enum { SHOWN = 12 };
    const UncertainQuantity *q[SHOWN];
    uint32_t n = uncertain_chosen(&f->u, f->t, q, SHOWN);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < f->s->parameters; k++) {
            const UncertainIndex *x = uncertain_index(&f->u, q[i], k);
            real half = cosy_max(x->first_half, x->total_half);
            Buffer name = {0};
            if (!(half > f->widest))
                continue;
            f->widest = half;
            sweep_put_name(&name, f->t, k);
            snprintf(f->of, sizeof f->of, "%.100s for %.100s",
                     buffer_string(&name),
                     sweep_quantity(f->t, q[i]->quantity)->name);
            buffer_free(&name);
        }
}

/* A round number of points that is not less. */
static uint64_t round_up(double n, CosySampling kind)
{
    uint64_t k = 2, step = 10;
    if (n > 1e15)
        return UINT64_C(1000000000000000);
    if (kind == COSY_SAMPLING_SOBOL) {
        while ((double)k < n)
            k *= 2;
        return k;
    }
    while ((double)step * 100 < n)
        step *= 10;
    return (uint64_t)ceil(n / (double)step) * step;
}

static void tell_wide(Finding *f)
{
    char text[400];
    if (!f->s->indices)
        return;
    find_widest(f);
    if (!(f->widest > INDEX_WIDE))
        return;
    double times = (double)(f->widest / INDEX_KNOWN);
    f->u.wanted = round_up((double)f->u.points * times * times, f->s->kind);
    snprintf(text, sizeof text,
             "UNCERTAIN: indices are known to +- %.2g only (%.200s), which is "
             "too little to tell small ones from none: about %llu points would "
             "make that +- %g",
             (double)f->widest, f->of, (unsigned long long)f->u.wanted,
             (double)INDEX_KNOWN);
    ring(f, COSY_WARNING, text);
}

/* ---- All of it ---------------------------------------------------------------------- */

static const char *const kind_name[] = {[COSY_SAMPLING_SOBOL] = "SOBOL",
                                        [COSY_SAMPLING_LATIN] = "LATIN",
                                        [COSY_SAMPLING_PLAIN] = "PLAIN"};

static const char *const kind_words[] = {
    [COSY_SAMPLING_SOBOL] = "scrambled Sobol' points",
    [COSY_SAMPLING_LATIN] = "Latin hypercube points",
    [COSY_SAMPLING_PLAIN] = "independent points"};

static bool find_all(Finding *f)
{
    uint32_t n = f->t->elements;
    f->value = NEW_ARRAY(&f->a, real, n);
    f->sorted = NEW_ARRAY(&f->a, real, n);
    f->index = NEW_ARRAY(&f->a, SobolIndex, f->s->parameters);
    if (!f->value || !f->sorted || !f->index || !take_inputs(f) ||
        !take_quantities(f))
        return false;
    count_runs(f);
    return true;
}

Status uncertain_find(const Series *j)
{
    Experiment *e = j->e;
    const Sampling *s = &e->sampling;
    Finding f = {.j = j, .s = s, .t = sweep_present(&e->gallery.sweep)};
    uint32_t tables;
    if (!s->on || s->parameters == 0 || e->quiet || !f.t)
        return STATUS_OK;
    sweep_tables(&e->gallery.sweep, &tables);
    f.u = (Uncertainty){.table = tables - 1,
                        .frame = f.t->frame,
                        .line = s->line,
                        .sampling = kind_words[s->kind],
                        .kind = kind_name[s->kind],
                        .indices = s->indices,
                        .points = s->design.rows,
                        .runs = f.t->elements};
    bool ok = find_all(&f);
    if (ok) {
        tell_failed(&f);
        tell_idle(&f);
        tell_wide(&f);
    }
    ok = ok && vector_append(&e->gallery.uncertain, &f.u, sizeof f.u);
    arena_free(&f.a);
    if (ok)
        return STATUS_OK;
    Vector lost = {0};
    if (vector_append(&lost, &f.u, sizeof f.u))
        uncertain_free(&lost);
    return fault_set(&e->fault, STATUS_MEMORY,
                     "no memory for the results of UNCERTAIN");
}
