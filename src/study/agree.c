#include "study/agree.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ------------------------------------------------------------------ */

/* INF is not apart from itself. */
static long double apart(Exact a, Exact b)
{
    if (isinf(a.high) || isinf(b.high))
        return a.high == b.high ? 0 : (long double)INFINITY;
    return fabsl((a.high - b.high) + (a.low - b.low));
}

static bool is_finite(Exact a)
{
    return isfinite(a.high) && isfinite(a.low);
}

double agree_most(uint32_t precision)
{
    static const double most[] = {15, 15, 18, 33};
    assert(precision < LENGTH(most));
    return most[precision];
}

static double digits_of(long double difference, long double scale,
                        uint32_t precision)
{
    double most = agree_most(precision);
    if (!isfinite(difference))
        return 0;
    if (difference == 0)
        return most;
    double d = (double)-log10l(difference / scale);
    return d < 0 ? 0 : d > most ? most : d;
}

/* A tenth of a tolerance leaves a tenth of the error, so the difference is the
   error of the run. Half a step may leave half of it, and the difference is the
   other half only. */
static long double worst_of(const Verdict *v, Exact base, const Exact *closer,
                            const Exact *other)
{
    long double d = 0;
    if (closer)
        d = apart(base, *closer) * (v->base->fixed ? 2 : 1);
    if (other)
        d = fmaxl(d, apart(base, *other));
    if (closer && other)
        d = fmaxl(d, apart(*closer, *other));
    return d;
}

static double compare_real(const Verdict *v, const DigestValue *base,
                           const DigestValue *closer, const DigestValue *other)
{
    bool finite = is_finite(base->value) &&
                  (!closer || is_finite(closer->value)) &&
                  (!other || is_finite(other->value));
    long double scale =
        fmaxl(fabsl(base->value.high), base->size > 0 ? base->size : 0);
    if (!finite)
        return (double)NAN;
    double d =
        digits_of(worst_of(v, base->value, closer ? &closer->value : NULL,
                           other ? &other->value : NULL),
                  scale > 0 ? scale : 1, v->base->precision);
    return fmin(d, v->cap);
}

static double compare_whole(const DigestValue *base, const DigestValue *closer,
                            const DigestValue *other)
{
    assert(closer || other);
    bool same = (!closer || apart(base->value, closer->value) == 0) &&
                (!other || apart(base->value, other->value) == 0);
    return same ? AGREE_EQUAL : AGREE_DIFFERS;
}

/* ---- Values ----------------------------------------------------------------------- */

/* The same value in a double, searched from *at on: histograms may have other
   cells. */
static const DigestValue *same_value(const Digest *d, const DigestValue *wanted,
                                     uint32_t *at)
{
    uint32_t n;
    const DigestValue *v = digest_values(d, &n);
    for (uint32_t k = *at; k < n; k++)
        if (v[k].kind == wanted->kind && v[k].which == wanted->which &&
            v[k].at == wanted->at) {
            *at = k + 1;
            return &v[k];
        }
    return NULL;
}

/* A value that changes only at events and is the same to the last bit was not
   integrated: it is equal, which says nothing about its digits. */
static bool is_untouched(const CosyModel *m, const DigestValue *base,
                         const DigestValue *closer, const DigestValue *other)
{
    return base->kind == DIGEST_FINAL &&
           m->variables[base->which].kind == COSY_REAL &&
           compare_whole(base, closer, other) == AGREE_EQUAL;
}

static bool compare_values(Verdict *v, const CosyModel *m)
{
    uint32_t n, at_closer = 0, at_other = 0;
    const DigestValue *base = digest_values(v->base, &n);
    for (uint32_t k = 0; k < n; k++) {
        const DigestValue *a =
            v->closer ? same_value(v->closer, &base[k], &at_closer) : NULL;
        const DigestValue *b =
            v->other ? same_value(v->other, &base[k], &at_other) : NULL;
        double d;
        if (v->parts)
            d = (double)NAN;
        else if ((v->closer && !a) || (v->other && !b))
            d = base[k].whole ? AGREE_DIFFERS : 0;
        else if (base[k].whole || is_untouched(m, &base[k], a, b))
            d = compare_whole(&base[k], a, b);
        else
            d = compare_real(v, &base[k], a, b);
        if (!vector_append(&v->digits, &d, sizeof d))
            return false;
    }
    return true;
}

/* The fewest digits of any state. */
static double least_state(const Verdict *v, const CosyModel *m)
{
    uint32_t n;
    const DigestValue *base = digest_values(v->base, &n);
    const double *d = (const double *)(const void *)v->digits.bytes;
    double least = INFINITY;
    for (uint32_t k = 0; k < n; k++)
        if (base[k].kind == DIGEST_FINAL && d[k] < least &&
            m->variables[base[k].which].kind == COSY_STATE)
            least = d[k];
    return least;
}

/* When a state has no digit left, others may agree by chance: three numbers
   have their first digit in common once in a hundred times. A value that is the
   same to the last bit does not depend on that state. */
static void cap_chance(Verdict *v, const CosyModel *m)
{
    uint32_t n;
    const DigestValue *base = digest_values(v->base, &n);
    double *d = (double *)(void *)v->digits.bytes;
    assert(v->digits.used == n * sizeof(double));
    double least = least_state(v, m), most = agree_most(v->base->precision);
    for (uint32_t k = 0; k < n && least < 1; k++)
        if (!base[k].whole && d[k] < most && d[k] > least + 1)
            d[k] = least + 1;
}

/* ---- Events ------------------------------------------------------------------------ */

const char *agree_event(const CosyModel *m, const DigestEvent *e)
{
    switch (e->kind) {
    case LOG_STATE: return m->state_events[e->which].name;
    case LOG_TIME: return m->time_events[e->which].name;
    case LOG_PROCESS: return m->processes[e->which].name;
    case LOG_SAMPLE: return m->clocks[e->which].name;
    case LOG_SLIDE:
    case LOG_REST: return m->conditions_info[e->which].name;
    default: return "";
    }
}

static bool is_same(const DigestEvent *a, const DigestEvent *b)
{
    return a->kind == b->kind && a->which == b->which && a->detail == b->detail;
}

/* Two lists, and how far they have been matched. */
typedef struct Match {
    const CosyModel *m;
    const DigestEvent *a, *b;
    uint32_t na, nb, i, j;
} Match;

/* The blows of a ball accumulate, and how many are carried out before it comes
   to rest depends on the tolerance. From `e` on, this skips the events of that
   condition up to its rest. */
static bool skip_blows(const Match *k, const DigestEvent *rest,
                       const DigestEvent *e, uint32_t n, uint32_t *at)
{
    uint32_t event = k->m->conditions_info[rest->which].event, to = *at;
    while (to < n && e[to].kind == LOG_STATE && e[to].which == event)
        to++;
    if (to == *at || to == n || !is_same(rest, &e[to]))
        return false;
    *at = to;
    return true;
}

/* The beginning and the end of a slide or rest are not events of the model:
   other events of the same instant may come before or after them. */
static bool is_mark(const DigestEvent *e)
{
    return e->kind == LOG_REST || e->kind == LOG_SLIDE;
}

static bool skip_mark(Match *k)
{
    if (k->i < k->na && is_mark(&k->a[k->i])) {
        if (k->a[k->i].detail == 0 ||
            !skip_blows(k, &k->a[k->i], k->b, k->nb, &k->j))
            k->i++;
        return true;
    }
    if (k->j < k->nb && is_mark(&k->b[k->j])) {
        if (k->b[k->j].detail == 0 ||
            !skip_blows(k, &k->b[k->j], k->a, k->na, &k->i))
            k->j++;
        return true;
    }
    return false;
}

/* Whether time a comes before time b, along the run. */
static bool is_before(const Verdict *v, long double a, long double b)
{
    return v->base->t_end.high < v->base->t_begin ? a > b : a < b;
}

/* Parts the lists at t, unless they have already parted earlier. */
static bool part(Verdict *v, long double t)
{
    assert(v->compared);
    if (v->parts && !is_before(v, t, v->parts_at))
        return false;
    v->parts = true;
    v->parts_at = t;
    return true;
}

/* Says which event the run has there, and which the double has. */
static void part_events(Verdict *v, const Match *k, const Digest *d)
{
    const DigestEvent *a = k->i < k->na ? &k->a[k->i] : NULL;
    const DigestEvent *b = k->j < k->nb ? &k->b[k->j] : NULL;
    const DigestEvent *first =
        !b || (a && !is_before(v, b->t.high, a->t.high)) ? a : b;
    Buffer words = {0};
    assert(first);
    if (!part(v, first->t.high))
        return;
    agree_words(&words, d);
    const char *with = buffer_string(&words);
    const char *what = d->grid[0] ? "trial" : "double";
    if (a && b)
        snprintf(v->parts_words, sizeof v->parts_words,
                 "the run has %.60s at %.10Lg, the %s with %.80s has %.60s at "
                 "%.10Lg",
                 agree_event(k->m, a), a->t.high, what, with,
                 agree_event(k->m, b), b->t.high);
    else if (a)
        snprintf(
            v->parts_words, sizeof v->parts_words,
            "the run has %.60s at %.10Lg, the %s with %.80s has no further "
            "event",
            agree_event(k->m, a), a->t.high, what, with);
    else
        snprintf(v->parts_words, sizeof v->parts_words,
                 "the run has no further event, the %s with %.80s has %.60s at "
                 "%.10Lg",
                 what, with, agree_event(k->m, b), b->t.high);
    buffer_free(&words);
}

/* Fills `times` with the double's time of every event of the run. */
static bool match_events(Verdict *v, const CosyModel *m, const Digest *d,
                         Vector *times)
{
    Match k = {.m = m};
    k.a = digest_events(v->base, &k.na);
    k.b = digest_events(d, &k.nb);
    if (!vector_append(times, NULL, (k.na + 1) * sizeof(Exact)))
        return false;
    Exact *t = (Exact *)(void *)times->bytes;
    for (uint32_t e = 0; e < k.na; e++)
        t[e].high = NAN;
    while (k.i < k.na || k.j < k.nb) {
        bool both = k.i < k.na && k.j < k.nb;
        if (both && is_same(&k.a[k.i], &k.b[k.j])) {
            t[k.i++] = k.b[k.j++].t;
            continue;
        }
        if (skip_mark(&k))
            continue;
        // The rest of a truncated list is not known.
        if (both || !(v->base->cut || d->cut))
            part_events(v, &k, d);
        break;
    }
    return true;
}

bool agree_match(Verdict *v, const CosyModel *m, const Digest *base,
                 const Digest *other, Vector *times)
{
    v->base = base;
    v->compared = true;
    return match_events(v, m, other, times);
}

static double compare_time(const Verdict *v, Exact t, const Exact *closer,
                           const Exact *other)
{
    bool known =
        !(closer && isnan(closer->high)) && !(other && isnan(other->high));
    long double scale = fmaxl(fabsl(t.high), fabsl(v->base->t_begin));
    if (!known || (v->parts && !is_before(v, t.high, v->parts_at)))
        return (double)NAN;
    double d = digits_of(worst_of(v, t, closer, other), scale > 0 ? scale : 1,
                         v->base->precision);
    return fmin(d, v->cap);
}

/* ---- Thresholds that are nearly touched ---------------------------------------------- */

static const DigestMiss *misses_of(const Digest *d, size_t *n)
{
    *n = d ? d->misses.used / sizeof(DigestMiss) : 0;
    return d ? (const DigestMiss *)(const void *)d->misses.bytes : NULL;
}

/* Whether crossing it would be an event, or let derivatives jump: a relation in
   a continuous equation does no harm. */
static bool matters(const CosyModel *m, const DigestMiss *e)
{
    CosyConditionKind kind = m->conditions_info[e->id].kind;
    return e->jumps || kind == COSY_CONDIT || kind == COSY_WAIT ||
           kind == COSY_FINISH;
}

/* The same turning point in another double; NULL if it has none near that time.
   */
static const DigestMiss *same_miss(const Digest *d, const DigestMiss *wanted,
                                   double near)
{
    size_t n;
    const DigestMiss *e = misses_of(d, &n), *best = NULL;
    for (size_t k = 0; k < n; k++)
        if (e[k].id == wanted->id && e[k].copy == wanted->copy &&
            fabs(e[k].t - wanted->t) <= near &&
            (!best || fabs(e[k].t - wanted->t) < fabs(best->t - wanted->t)))
            best = &e[k];
    return best;
}

/* By how much the function may be wrong at its turning point. */
static double doubt_of(const Verdict *v, const DigestMiss *e)
{
    double near = 1e-3 * fmax(fabs(e->t), v->base->span);
    const DigestMiss *same =
        v->closer && v->other ? same_miss(v->closer, e, near) : NULL;
    double relerr = v->base->relerr * e->size;
    return same ? 10 * fabs(same->z - e->z) : 10 * relerr;
}

static void part_misses(Verdict *v, const CosyModel *m)
{
    size_t n;
    const DigestMiss *e = misses_of(v->other ? v->other : v->closer, &n);
    for (size_t k = 0; k < n; k++) {
        double doubt = matters(m, &e[k]) ? doubt_of(v, &e[k]) : -1;
        if (fabs(e[k].z) > doubt || !part(v, (long double)e[k].t))
            continue;
        snprintf(v->parts_words, sizeof v->parts_words,
                 "%.80s comes as near as %.2g to its threshold and turns back: "
                 "whether it crosses is not certain",
                 m->conditions_info[e[k].id].name, fabs(e[k].z));
    }
}

/* ---- Runs -------------------------------------------------------------------------------- */

void agree_words(Buffer *b, const Digest *d)
{
    static const char *const names[] = {"", "", " in EXTENDED", " in QUAD"};
    if (d->grid[0])
        buffer_text(b, d->grid);
    else if (!d->closer)
        buffer_format(b, "METHOD %s", d->methods);
    else if (d->fixed)
        buffer_format(b, "STEP %.6g (%s)", d->step, d->methods);
    else
        buffer_format(b, d->methods[0] ? "RELERR %.3g (%s)" : "RELERR %.3g",
                      d->relerr, d->methods);
    buffer_text(b, names[d->precision < LENGTH(names) ? d->precision : 0]);
}

static bool refuse(Verdict *v, const char *words)
{
    v->compared = false;
    snprintf(v->why, sizeof v->why, "%s", words);
    return false;
}

static bool is_usable(Verdict *v, const Digest *d)
{
    Buffer words = {0};
    if (d->status == v->base->status && digest_ended(d))
        return true;
    agree_words(&words, d);
    snprintf(v->why, sizeof v->why, "the double with %.100s %s%s%.400s",
             buffer_string(&words),
             d->status == STATUS_STOPPED ? "was stopped" : "failed",
             d->message[0] ? ": " : "", d->message);
    buffer_free(&words);
    return false;
}

/* Whether there is something to compare; if not, `why` says why. */
static bool is_comparable(Verdict *v)
{
    if (!digest_ended(v->base))
        return refuse(v, "the run itself did not finish");
    if (!v->closer && !v->other)
        return refuse(v, "no double applies");
    return (!v->closer || is_usable(v, v->closer)) &&
           (!v->other || is_usable(v, v->other));
}

/* The digits that the growth of errors leaves, if a run or double has followed
   it. */
static double cap_of(const Verdict *v)
{
    double grown = v->base->grown;
    if (v->closer)
        grown = fmax(grown, v->closer->grown);
    if (v->other)
        grown = fmax(grown, v->other->grown);
    return grown > 0 ? fmax(-log10(grown * v->base->relerr), 0) : INFINITY;
}

static double wanted_of(const Digest *base, double wanted)
{
    if (wanted > 0)
        return wanted;
    double promised = -log10(base->relerr > 0 ? base->relerr : 1e-6) - 2;
    return fmax(floor(promised * (1 + 1e-12)), 1);
}

bool agree_compare(Verdict *v, const CosyModel *m, const Digest *base,
                   const Digest *closer, const Digest *other, double wanted)
{
    Vector ta = {0}, tb = {0};
    uint32_t n;
    const DigestEvent *e = digest_events(base, &n);
    *v = (Verdict){.run = base->run,
                   .base = base,
                   .closer = closer,
                   .other = other,
                   .wanted = wanted_of(base, wanted),
                   .t_end = (double)NAN};
    if (!is_comparable(v))
        return true;
    v->compared = true;
    v->cap = cap_of(v);
    bool ok = (!closer || match_events(v, m, closer, &ta)) &&
              (!other || match_events(v, m, other, &tb));
    part_misses(v, m);
    for (uint32_t k = 0; ok && k < n; k++) {
        const Exact *a = (const Exact *)(const void *)ta.bytes;
        const Exact *b = (const Exact *)(const void *)tb.bytes;
        double d = compare_time(v, e[k].t, closer ? &a[k] : NULL,
                                other ? &b[k] : NULL);
        ok = vector_append(&v->times, &d, sizeof d);
    }
    if (!v->parts)
        v->t_end = compare_time(v, base->t_end, closer ? &closer->t_end : NULL,
                                other ? &other->t_end : NULL);
    ok = ok && compare_values(v, m);
    if (ok)
        cap_chance(v, m);
    vector_free(&ta);
    vector_free(&tb);
    return ok;
}

double agree_means(const DigestMean *base, const DigestMean *closer,
                   const DigestMean *other, uint32_t precision)
{
    long double d = 0;
    if ((closer && closer->n != base->n) || (other && other->n != base->n) ||
        base->n == 0)
        return (double)NAN;
    if (closer)
        d = apart(base->mean, closer->mean);
    if (other)
        d = fmaxl(d, apart(base->mean, other->mean));
    if (closer && other)
        d = fmaxl(d, apart(closer->mean, other->mean));
    return digits_of(d, base->size > 0 ? base->size : 1, precision);
}

void agree_free(Verdict *v)
{
    vector_free(&v->digits);
    vector_free(&v->times);
}
