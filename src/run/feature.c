#include "run/feature.h"

#include <math.h>
#include <string.h>

enum { SAMPLES_MOST = 400, SPANS_MOST = 100, CRITICAL_MOST = 20 };

Status feature_create(FeatureLog *f, Solver *s, double accuracy)
{
    memset(f, 0, sizeof *f);
    f->on = true;
    f->accuracy = accuracy;
    f->state.stride = 1;
    s->blames = true;
    TRY(solver_keep(s, "feature.state", &f->state, sizeof f->state));
    if (s->image) {
        TRY(image_add_vector(s->image, s->arena, "feature.samples",
                             &f->samples));
        TRY(image_add_vector(s->image, s->arena, "feature.unstable",
                             &f->unstable));
    }
    return spectrum_create(&f->spectrum, s);
}

void feature_free(FeatureLog *f)
{
    spectrum_free(&f->spectrum);
    vector_free(&f->samples);
    vector_free(&f->unstable);
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
    if (f->state.steps++ % f->state.stride != 0)
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

static bool find(FeatureLog *f, Solver *s, real t, const real *x,
                 const real *dx, Features *p)
{
    Status found = spectrum_find(&f->spectrum, s, t, x, dx, f->accuracy, p);
    if (found != STATUS_OK) {
        f->state.missed++;
        return false;
    }
    f->state.points++;
    note_extremes(&f->state, (double)t, p);
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

/* The part of a step in which something grows; rates of nothing lie below 0:
   at the other end what decays slowest tells how far. */
static double rate(const Features *p)
{
    return p->growth > 0.0 ? p->growth : -p->slowest;
}

static Status note_growth(FeatureLog *f, double t0, double t1,
                          const Features *a, const Features *b)
{
    bool first = a->growth > 0.0, last = b->growth > 0.0;
    double from = t0, to = t1;
    if (first != last) {
        double u = rate(a) / (rate(a) - rate(b));
        *(first ? &to : &from) = t0 + u * (t1 - t0);
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

Status feature_step(FeatureLog *f, Solver *s)
{
    FeatureState *state = &f->state;
    Features end;
    SolverCounts counts = s->counts; // these evaluations are not the method's
    double t0 = (double)s->t0, t1 = (double)s->t, h = fabs(t1 - t0);
    Status status = STATUS_OK;
    if (!state->known)
        state->known = find(f, s, s->t0, s->x0, s->dx0, &state->last);
    bool begun = state->known;
    state->known = find(f, s, s->t, s->x, s->dx, &end);
    s->counts = counts;
    if (begun && state->known) {
        const Features *a = &state->last;
        state->time += h;
        state->oscillation += 0.5 * h * (a->oscillation + end.oscillation);
        if (a->complete && end.complete) {
            state->ranked += h;
            state->invalid += 0.5 * h * (a->invalid + end.invalid);
            status = note_growth(f, t0, t1, a, &end);
        }
    }
    if (state->known)
        state->last = end;
    return status;
}

/* ---- At the end ----------------------------------------------------------- */

/* Those that failed most often; equal ones as they are declared. */
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
        .stiffness = state->ranked > 0.0 ? state->stiffness : NAN,
        .at = state->ranked > 0.0 ? state->at : NAN,
        .fastest = state->fastest,
        .growth = state->ranked > 0.0 ? state->growth : NAN,
        .oscillation = share(state->oscillation, state->time),
        .points = state->points,
        .missed = state->missed,
        .rejected = s->blamed_steps,
        .sample = (const FeatureSample *)(const void *)f->samples.bytes,
        .samples = f->samples.used / sizeof(FeatureSample),
        .unstable = (const FeatureSpan *)(const void *)f->unstable.bytes,
        .unstables = f->unstable.used / sizeof(FeatureSpan),
        .more_unstable = state->more,
        .critical = critical,
        .criticals = choose(s, critical),
    };
    return r;
}
