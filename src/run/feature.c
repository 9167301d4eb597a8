#include "run/feature.h"

#include <math.h>
#include <string.h>

#include "solve/linear.h"

enum {
    SAMPLES_MOST = 400,
    SPANS_MOST = 100,
    CRITICAL_MOST = 20,
    MODES_MOST = 20,
    TRIALS = 24 // to find where something begins to grow
};

/* Operations after which fewer steps are examined: about a second. */
#define WORK 1e10
/* How well that place is known, as a share of the step. */
#define NEAR 1e-7

Status feature_create(FeatureLog *f, Solver *s, double accuracy)
{
    memset(f, 0, sizeof *f);
    f->on = true;
    f->accuracy = accuracy;
    f->state.stride = f->state.every = 1;
    s->blames = true;
    TRY(solver_keep(s, "feature.state", &f->state, sizeof f->state));
    if (s->image) {
        TRY(image_add_vector(s->image, s->arena, "feature.samples",
                             &f->samples));
        TRY(image_add_vector(s->image, s->arena, "feature.unstable",
                             &f->unstable));
        TRY(image_add_vector(s->image, s->arena, "feature.modes", &f->modes));
    }
    return spectrum_create(&f->spectrum, s);
}

void feature_free(FeatureLog *f)
{
    spectrum_free(&f->spectrum);
    vector_free(&f->samples);
    vector_free(&f->unstable);
    vector_free(&f->modes);
    vector_free(&f->point);
}

void feature_break(FeatureLog *f)
{
    f->state.known = 0;
}

static double stiffness(const Features *p)
{
    double most = fmax(p->fastest, isnan(p->growth) ? 0.0 : p->growth);
    if (!p->complete)
        return NAN;
    return p->slowest > 0.0 ? most / p->slowest : 1.0;
}

/* ---- Samples -------------------------------------------------------------- */

static void thin_out(FeatureLog *f)
{
    FeatureSample *s = (FeatureSample *)(void *)f->samples.bytes;
    size_t n = f->samples.used / sizeof *s;
    for (size_t k = 0; 2 * k < n; k++)
        s[k] = s[2 * k];
    f->samples.used = (n + 1) / 2 * sizeof *s;
    f->state.stride *= 2;
}

static Status add_sample(FeatureLog *f, double t, const Features *p)
{
    FeatureSample one = {t, stiffness(p), p->fastest, p->growth};
    if (f->state.samples++ % f->state.stride != 0)
        return STATUS_OK;
    if (f->samples.used >= SAMPLES_MOST * sizeof one)
        thin_out(f);
    return vector_append(&f->samples, &one, sizeof one) ? STATUS_OK
                                                        : STATUS_MEMORY;
}

static void note_extremes(FeatureState *s, double t, const Features *p)
{
    double now = stiffness(p);
    if (now > s->stiffness) {
        s->stiffness = now;
        s->at = t;
    }
    s->fastest = fmax(s->fastest, p->fastest);
    if (p->growth > s->growth)
        s->growth = p->growth;
}

/* Eigenvalues cost about 30 n^3, an estimate 80 products with each entry. */
static void note_work(FeatureLog *f, uint32_t n)
{
    FeatureState *state = &f->state;
    double m = n;
    state->work += n <= SPECTRUM_MOST
                       ? 30.0 * m * m * m
                       : 80.0 * (double)f->spectrum.jacobian.entries;
    if (state->work > WORK && state->every < UINT32_MAX / 2) {
        state->work = 0.0;
        state->every *= 2;
    }
}

/* Differences start from dx, which methods from libraries do not keep. */
static const real *slopes(FeatureLog *f, Solver *s, real t, const real *x,
                          const real *dx)
{
    if (s->model->jacobian || s->model->tangent || !s->model->derivatives)
        return dx;
    real *own = (real *)(void *)f->point.bytes + s->n;
    return solver_rhs(s, t, x, own) == STATUS_OK ? own : NULL;
}

static bool look(FeatureLog *f, Solver *s, real t, const real *x,
                 const real *dx, Features *p)
{
    uint32_t culprit = s->culprit;
    CosyStatus cause = s->cause;
    if (!vector_fit(&f->point, (2 * s->n + 1) * sizeof(real)))
        return false;
    dx = slopes(f, s, t, x, dx);
    note_work(f, s->n);
    Status found = STATUS_NUMBER;
    if (dx)
        found = spectrum_find(&f->spectrum, s, t, x, dx, f->accuracy, p);
    s->culprit = culprit;
    s->cause = cause;
    return found == STATUS_OK;
}

/* ---- Motions that the data do not support --------------------------------- */

static Status add_mode(FeatureLog *f, const Solver *s, const Modes *m, size_t k)
{
    FeatureMode one = {.re = m->re[k] + 0.0, .im = m->im[k] + 0.0};
    ModeCarrier list[MODE_CARRIERS];
    size_t n = modes_carriers(m, k, list);
    one.carriers = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        CriticalState *c = &one.carrier[i];
        solver_state_name(s, spectrum_state(&f->spectrum, list[i].state),
                          c->name, sizeof c->name);
        c->share = list[i].share;
    }
    return vector_append(&f->modes, &one, sizeof one) ? STATUS_OK
                                                      : STATUS_MEMORY;
}

/* The slowest decay, or growth, first. */
static void sort_modes(const Modes *m, size_t *order)
{
    for (size_t k = 0; k < m->count; k++) {
        size_t at = k;
        for (; at > 0 && hypot(m->re[order[at - 1]], m->im[order[at - 1]]) >
                             hypot(m->re[k], m->im[k]);
             at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
}

static Status gather_modes(FeatureLog *f, const Solver *s, Arena *scratch)
{
    FeatureState *state = &f->state;
    Modes m;
    TRY(spectrum_modes(&f->spectrum, f->accuracy, &m, &state->border, scratch));
    size_t *order = NEW_ARRAY(scratch, size_t, m.count + 1);
    if (!order)
        return STATUS_MEMORY;
    sort_modes(&m, order);
    f->modes.used = 0;
    state->more_modes = 0;
    for (size_t i = 0; i < m.count; i++) {
        size_t k = order[i];
        if (hypot(m.re[k], m.im[k]) > state->border || m.im[k] < 0.0)
            continue;
        if (f->modes.used >= MODES_MOST * sizeof(FeatureMode))
            state->more_modes++;
        else
            TRY(add_mode(f, s, &m, k));
    }
    return STATUS_OK;
}

/* Names the motions that the data do not support, if they are more than ever before:
   then the Jacobian is the one that was examined last. */
static void name_invalid(FeatureLog *f, const Solver *s, double t,
                         const Features *p)
{
    FeatureState *state = &f->state;
    Arena scratch = {0};
    if (!(f->accuracy > 0.0) || !p->complete ||
        !(p->invalid > state->most_invalid))
        return;
    if (gather_modes(f, s, &scratch) == STATUS_OK) {
        state->most_invalid = p->invalid;
        state->invalid_at = t;
    }
    arena_free(&scratch);
}

static bool find(FeatureLog *f, Solver *s, real t, const real *x,
                 const real *dx, Features *p)
{
    if (!look(f, s, t, x, dx, p)) {
        f->state.missed++;
        return false;
    }
    f->state.points++;
    f->state.last_t = (double)t;
    note_extremes(&f->state, (double)t, p);
    name_invalid(f, s, (double)t, p);
    return add_sample(f, (double)t, p) == STATUS_OK;
}

/* ---- Unstable intervals ---------------------------------------------------- */

static Status add_span(FeatureLog *f, double from, double to)
{
    FeatureSpan *list = (FeatureSpan *)(void *)f->unstable.bytes;
    size_t n = f->unstable.used / sizeof *list;
    FeatureSpan one = {from, to};
    if (f->state.open && n > 0 && !f->state.more) {
        list[n - 1].to = to;
        return STATUS_OK;
    }
    if (n >= SPANS_MOST) {
        f->state.more += f->state.open ? 0u : 1u;
        return STATUS_OK;
    }
    return vector_append(&f->unstable, &one, sizeof one) ? STATUS_OK
                                                         : STATUS_MEMORY;
}

/* The rate at which something grows. If nothing grows it is below 0: then the
   slowest decay says how far below. */
static double rate(const Features *p)
{
    return p->growth > 0.0 ? p->growth : -p->slowest;
}

/* Where in the last step something begins or ceases to grow, by bisection and
   the secant rule in turn. a and b are the features at its ends. */
static double locate(FeatureLog *f, Solver *s, const Features *a,
                     const Features *b)
{
    double low = (double)s->t0, high = (double)s->t;
    double at_low = rate(a), at_high = rate(b), least = NEAR * (high - low);
    for (int k = 0; k < TRIALS && fabs(high - low) > fabs(least); k++) {
        Features p;
        double u = k % 2 ? 0.5 : at_low / (at_low - at_high);
        double t = low + fmin(fmax(u, 1e-3), 1.0 - 1e-3) * (high - low);
        if (!vector_fit(&f->point, (2 * s->n + 1) * sizeof(real)))
            break;
        real *x = (real *)(void *)f->point.bytes;
        s->method->dense(s, (real)t, x);
        if (!look(f, s, (real)t, x, s->dx, &p))
            break;
        bool left = (rate(&p) > 0.0) == (rate(a) > 0.0);
        *(left ? &low : &high) = t;
        *(left ? &at_low : &at_high) = rate(&p);
    }
    return low + at_low / (at_low - at_high) * (high - low);
}

static Status note_growth(FeatureLog *f, Solver *s, double t0,
                          const Features *a, const Features *b)
{
    bool first = a->growth > 0.0, last = b->growth > 0.0;
    double from = t0, to = (double)s->t;
    if (first != last) {
        double u = rate(a) / (rate(a) - rate(b));
        double at = t0 == (double)s->t0 ? locate(f, s, a, b)
                                        : t0 + u * ((double)s->t - t0);
        *(first ? &to : &from) = at;
    }
    if (first || last) {
        if (!first)
            f->state.open = 0;
        TRY(add_span(f, from, to));
        f->state.unstable += fabs(to - from);
    }
    f->state.open = last;
    return STATUS_OK;
}

/* Adds the shares of the time between the last point and this one. */
static Status note_span(FeatureLog *f, Solver *s, double from,
                        const Features *end)
{
    FeatureState *state = &f->state;
    const Features *a = &state->last;
    double h = fabs((double)s->t - from);
    state->time += h;
    state->oscillation += 0.5 * h * (a->oscillation + end->oscillation);
    if (!a->complete || !end->complete)
        return STATUS_OK;
    state->ranked += h;
    state->invalid += 0.5 * h * (a->invalid + end->invalid);
    state->logarithm += 0.5 * h * (log(stiffness(a)) + log(stiffness(end)));
    state->neutral += 0.5 * h * ((a->edge == 0.0) + (end->edge == 0.0));
    state->fading -= 0.5 * h * (a->edge + end->edge) * s->direction;
    return note_growth(f, s, from, a, end);
}

Status feature_step(FeatureLog *f, Solver *s)
{
    FeatureState *state = &f->state;
    Features end;
    SolverCounts counts = s->counts; // these evaluations are not the method's
    Status status = STATUS_OK;
    if (s->n == 0 || state->ticks++ % state->every != 0)
        return STATUS_OK;
    if (!state->known)
        state->known = find(f, s, s->t0, s->x0, s->dx0, &state->last);
    bool begun = state->known;
    double from = state->last_t;
    state->known = find(f, s, s->t, s->x, s->dx, &end);
    if (begun && state->known)
        status = note_span(f, s, from, &end);
    s->counts = counts;
    uint32_t states = f->spectrum.shaped ? f->spectrum.owns : s->n;
    state->states = states > state->states ? states : state->states;
    if (state->known)
        state->last = end;
    return status;
}

/* ---- At the end ----------------------------------------------------------- */

/* The states that failed most often; equal ones in the order of declaration. */
static size_t choose(const Solver *s, CriticalState *list)
{
    const uint64_t *count = (const uint64_t *)(const void *)s->blamed.bytes;
    size_t n = s->blamed.used / sizeof *count, chosen = 0;
    uint32_t place[CRITICAL_MOST];
    for (uint32_t i = 0; i < n && i < s->n; i++) {
        size_t at = chosen;
        if (count[i] == 0)
            continue;
        while (at > 0 && count[place[at - 1]] < count[i])
            at--;
        if (at == CRITICAL_MOST)
            continue;
        chosen += chosen < CRITICAL_MOST ? 1u : 0u;
        for (size_t k = chosen - 1; k > at; k--)
            place[k] = place[k - 1];
        place[at] = i;
    }
    for (size_t k = 0; k < chosen; k++) {
        solver_state_name(s, place[k], list[k].name, sizeof list[k].name);
        list[k].share = (double)count[place[k]] / (double)s->blamed_steps;
    }
    return chosen;
}

/* The last point, in case thinning out has dropped it. */
static FeatureSample end_of(const FeatureLog *f)
{
    const FeatureState *state = &f->state;
    size_t n = f->samples.used / sizeof(FeatureSample);
    const FeatureSample *list =
        (const FeatureSample *)(const void *)f->samples.bytes;
    if (n == 0 || list[n - 1].t == state->last_t || !state->known)
        return (FeatureSample){.t = NAN};
    return (FeatureSample){state->last_t, stiffness(&state->last),
                           state->last.fastest, state->last.growth};
}

static double share(double part, double whole)
{
    return whole > 0.0 ? part / whole : NAN;
}

const RunFeatures *feature_tell(const FeatureLog *f, const Solver *s, Arena *a)
{
    const FeatureState *state = &f->state;
    RunFeatures *r = f->on ? NEW(a, RunFeatures) : NULL;
    CriticalState *critical =
        r ? NEW_ARRAY(a, CriticalState, CRITICAL_MOST) : NULL;
    if (!critical)
        return NULL;
    *r = (RunFeatures){
        .accuracy = f->accuracy,
        .ff5 = share(state->unstable, state->ranked),
        .ff6 = share(state->invalid, state->ranked),
        .neutral = share(state->neutral, state->ranked),
        .fading = state->ranked > 0.0 ? state->fading : NAN,
        .stiffness = state->ranked > 0.0 ? state->stiffness : NAN,
        .mean_stiffness = exp(share(state->logarithm, state->ranked)),
        .at = state->ranked > 0.0 ? state->at : NAN,
        .states = state->states,
        .every = state->every,
        .fastest = state->points ? state->fastest : NAN,
        .growth = state->ranked > 0.0 ? state->growth : NAN,
        .oscillation = share(state->oscillation, state->time),
        .points = state->points,
        .missed = state->missed,
        .rejected = s->blamed_steps,
        .sample = (const FeatureSample *)(const void *)f->samples.bytes,
        .samples = f->samples.used / sizeof(FeatureSample),
        .end = end_of(f),
        .unstable = (const FeatureSpan *)(const void *)f->unstable.bytes,
        .unstables = f->unstable.used / sizeof(FeatureSpan),
        .more_unstable = state->more,
        .invalid_at = state->invalid_at,
        .border = state->border,
        .mode = (const FeatureMode *)(const void *)f->modes.bytes,
        .modes = f->modes.used / sizeof(FeatureMode),
        .more_modes = state->more_modes,
        .critical = critical,
        .criticals = choose(s, critical),
    };
    return r;
}
