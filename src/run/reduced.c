#include "run/reduced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "solve/lapack.h"
#include "solve/modes.h"
#include "solve/reduce.h"

/* Without TO and ACCURACY: one per cent. */
#define USUAL 0.01

/* ---- What cannot be ---------------------------------------------------------------- */

static Status refuse(Run *r, Status status, const char *text)
{
    return fault_set(&r->fault, status, "%.200s:%u: LINEARIZE REDUCE: %s",
                     r->model->source, r->options.line, text);
}

static Status check(Run *r, uint32_t constraints)
{
    const RunOptions *o = &r->options;
    uint32_t n = r->solver.n;
    char text[200];
    if (o->reduce_accuracy < R(0.0) || !(o->reduce_accuracy < R(1.0)))
        return refuse(r, STATUS_NUMBER,
                      "ACCURACY must be positive and less than 1: 0.01 is "
                      "one per cent");
    if (constraints)
        return refuse(r, STATUS_UNSUPPORTED,
                      "the states keep constraints, so they cannot be left "
                      "out one by one: take the constraints out of the "
                      "model, or reduce it by hand");
    if (n == 0)
        return refuse(r, STATUS_NUMBER, "there is no STATE to leave out here");
    if (o->reduce_to < -1)
        return refuse(r, STATUS_NUMBER,
                      "the number of states after TO cannot be negative");
    if (o->reduce_to > (int64_t)n) {
        snprintf(text, sizeof text,
                 "TO %lld asks for more states than there are: the model has "
                 "%u",
                 (long long)o->reduce_to, n);
        return refuse(r, STATUS_NUMBER, text);
    }
    if (n > REDUCE_MOST) {
        snprintf(text, sizeof text,
                 "the model has %u states; up to %d can be reduced", n,
                 REDUCE_MOST);
        return refuse(r, STATUS_UNSUPPORTED, text);
    }
    return STATUS_OK;
}

/* Fewer states than do not decay: names them by their eigenvalues. */
static Status too_few(Run *r, uint32_t lasting)
{
    const RunSpots *p = &r->analyse.all.poles;
    Buffer b = {0}, names = {0};
    for (uint32_t k = 0; k < p->n && k < lasting && k < 6; k++) {
        const RunSpots one = {1, p->re + k, p->im + k, true};
        buffer_text(&names, k ? ", " : "");
        analysis_tell(&names, &one);
    }
    buffer_format(&b,
                  "TO %lld is too few: %u eigenvalue%s not decay (%s%s), and "
                  "what does not decay cannot be left out with a bounded "
                  "error: ask for %u at least",
                  (long long)r->options.reduce_to, lasting,
                  lasting == 1 ? " does" : "s do", buffer_string(&names),
                  lasting > 6 ? ", ..." : "", lasting);
    Status s = refuse(r, STATUS_NUMBER, buffer_string(&b));
    buffer_free(&b);
    buffer_free(&names);
    return s;
}

/* ---- Modes -------------------------------------------------------------------------- */

/* Each eigenvalue of the reduced model stands for the nearest of the full one, the
   closest pairs first. */
static void match(RunMode *mode, uint32_t n, const Reduction *s, bool *taken)
{
    for (uint32_t round = 0; round < s->small.states; round++) {
        uint32_t best = n, by = 0;
        double least = INFINITY;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < s->small.states; k++) {
                double size = hypot(mode[i].re, mode[i].im);
                double far =
                    hypot(mode[i].re - s->re[k], mode[i].im - s->im[k]) /
                    (size > 0.0 ? size : 1.0);
                if (mode[i].kept || taken[k] || !(far < least))
                    continue;
                least = far;
                best = i;
                by = k;
            }
        if (best == n)
            return;
        mode[best].kept = taken[by] = true;
    }
}

static void carry(const Modes *m, size_t k, RunMode *mode)
{
    ModeCarrier list[MODE_CARRIERS];
    size_t n = modes_carriers(m, k, list);
    *mode = (RunMode){.re = m->re[k], .im = m->im[k], .carriers = (uint32_t)n};
    for (size_t i = 0; i < n; i++)
        mode->carrier[i] = (RunCarrier){(uint32_t)list[i].state, list[i].share};
}

/* The least damped first, as poles are told. */
static void sort(RunMode *mode, uint32_t n)
{
    for (uint32_t k = 1; k < n; k++)
        for (uint32_t i = k; i > 0; i--) {
            RunMode *a = &mode[i - 1], *b = &mode[i], kept = *a;
            if (b->re < a->re || (b->re == a->re && b->im <= a->im))
                break;
            *a = *b;
            *b = kept;
        }
}

/* The size below which data of this accuracy say nothing about an eigenvalue
   (FF6); by rows or columns, singular values are the same. */
static Status find_border(const double *a, size_t n, double accuracy,
                          double *border, Arena *scratch)
{
    double *copy = NEW_ARRAY(scratch, double, n *n + 1);
    double *work = NEW_ARRAY(scratch, double, n + lapack_room(n));
    if (!copy || !work)
        return STATUS_MEMORY;
    memcpy(copy, a, n * n * sizeof *a);
    *border = modes_border(n, copy, accuracy, work);
    return STATUS_OK;
}

static Status find_modes(Run *r, const LinearSystem *f, const Reduction *s,
                         RunReduced *out)
{
    size_t n = f->states;
    Arena scratch = {0};
    Modes m;
    double *a = NEW_ARRAY(&scratch, double, n *n + 1), border, left;
    bool *taken = NEW_ARRAY(&scratch, bool, (size_t)s->small.states + 1);
    RunMode *mode = NEW_ARRAY(&r->arena, RunMode, n + 1);
    Status status = a && taken && mode ? STATUS_OK : STATUS_MEMORY;
    double e = out->accuracy > 0.0 ? out->accuracy : USUAL;
    uint32_t lost = 0, still = 0;
    for (size_t i = 0; status == STATUS_OK && i < n; i++)
        for (size_t k = 0; k < n; k++)
            a[k * n + i] = f->a[i * n + k];
    if (status == STATUS_OK)
        status = find_border(f->a, f->states, e, &border, &scratch);
    if (status == STATUS_OK)
        status = find_border(s->small.a, s->small.states, e, &left, &scratch);
    if (status == STATUS_OK && modes_find(&m, n, a, NULL, &scratch)) {
        for (size_t k = 0; k < n; k++)
            carry(&m, k, &mode[k]);
        sort(mode, (uint32_t)n);
        match(mode, (uint32_t)n, s, taken);
        for (size_t k = 0; k < n; k++) {
            mode[k].supported = hypot(mode[k].re, mode[k].im) > border;
            lost += !mode[k].supported;
        }
        for (uint32_t k = 0; k < s->small.states; k++)
            still += hypot(s->re[k], s->im[k]) <= left;
        out->mode = mode;
        out->modes = (uint32_t)n;
        out->ff6 = (double)lost / (double)n;
        out->ff6_left =
            s->small.states ? (double)still / (double)s->small.states : 0.0;
    }
    arena_free(&scratch);
    return status;
}

/* ---- The reduced model -------------------------------------------------------------- */

static double *doubles(const real *from, size_t n, Arena *a)
{
    double *to = NEW_ARRAY(a, double, n + 1);
    for (size_t k = 0; to && k < n; k++)
        to[k] = (double)from[k];
    return to;
}

static bool make_full(const Matrices *m, LinearSystem *f, Arena *a)
{
    size_t n = m->states, in = m->inputs, out = m->outputs;
    *f = (LinearSystem){m->states,
                        m->inputs,
                        m->outputs,
                        doubles(m->a, n * n, a),
                        doubles(m->b, n * in, a),
                        doubles(m->c, out * n, a),
                        doubles(m->d, out * in, a)};
    return f->a && f->b && f->c && f->d;
}

static RunMiss miss(const ReduceMiss *x)
{
    return (RunMiss){x->size, x->at, x->input, x->output};
}

static void take(RunReduced *out, const Reduction *s)
{
    out->states = s->small.states;
    out->lasting = s->lasting;
    out->a = s->small.a;
    out->b = s->small.b;
    out->c = s->small.c;
    out->d = s->small.d;
    out->poles = (RunSpots){s->small.states, s->re, s->im, true};
    out->hankel = s->hankel;
    out->hankels = s->hankels;
    out->bound = s->bound;
    out->gain = miss(&s->gain);
    out->step = miss(&s->step);
}

static bool misses(const Reduction *s, double accuracy)
{
    return accuracy > 0.0 &&
           !(s->gain.size <= accuracy && s->step.size <= accuracy);
}

static void put_pair(Buffer *b, const Run *r, const RunMiss *x)
{
    const CosyModel *m = r->model;
    const CosyLinear *l = r->analyse.linear.which;
    analysis_place(b, m, &m->linear_outputs[l->output[x->output]]);
    buffer_text(b, " by ");
    analysis_place(b, m, &m->linear_inputs[l->input[x->input]]);
}

/* What misses the accuracy by more: gains or steps. */
static void ring(Run *r, const RunReduced *x)
{
    bool by_step = x->step.size > x->gain.size;
    const RunMiss *worst = by_step ? &x->step : &x->gain;
    const char *unit = cosy_time_unit(r->model);
    Buffer b = {0};
    buffer_format(
        &b,
        "LINEARIZE REDUCE: with %u of %u states the accuracy of %g is "
        "missed: ",
        x->states, r->solver.n, x->accuracy);
    put_pair(&b, r, worst);
    if (isinf(worst->size))
        buffer_text(&b, " cannot be compared, for something grows in the "
                        "reduced model that decays in the full one");
    else if (by_step)
        buffer_format(&b,
                      ", %.3g%s%s after a step, differs by %.2g %% of its "
                      "greatest value",
                      worst->at, unit[0] ? " " : "", unit, 100.0 * worst->size);
    else if (isinf(worst->at))
        buffer_format(&b,
                      " differs by %.2g %% of its greatest gain, at all high "
                      "frequencies",
                      100.0 * worst->size);
    else
        buffer_format(&b,
                      " differs by %.2g %% of its greatest gain, at the "
                      "frequency %.3g%s%s",
                      100.0 * worst->size, worst->at, unit[0] ? " rad/" : "",
                      unit);
    if (x->enough)
        buffer_format(&b, "; %u states have it", x->enough);
    r->c->host->message(r->c, COSY_WARNING, r->options.line, buffer_string(&b));
    buffer_free(&b);
}

/* How many states would have the accuracy. */
static Status find_enough(const LinearSystem *f, double accuracy,
                          RunReduced *out, Arena *scratch)
{
    const ReduceWish wish = {REDUCE_FREE, accuracy};
    Reduction s;
    TRY(reduce_linear(f, &wish, &s, scratch));
    if (s.end == REDUCE_FOUND && !misses(&s, accuracy))
        out->enough = s.small.states;
    return STATUS_OK;
}

static Status reduce(Run *r, const LinearSystem *f, RunReduced *out,
                     Arena *scratch)
{
    bool free = out->asked < 0;
    const ReduceWish wish = {free ? REDUCE_FREE : (int)out->asked,
                             out->accuracy};
    Reduction s;
    TRY(reduce_linear(f, &wish, &s, &r->arena));
    if (s.end == REDUCE_TOO_FEW)
        return too_few(r, s.lasting);
    if (s.end == REDUCE_FAILED)
        return fault_set(&r->fault, STATUS_NUMBER,
                         "%.200s:%u: LINEARIZE REDUCE: the numbers of this "
                         "model do not allow it: its motions cannot be told "
                         "apart. Other units, or less of the model, may help",
                         r->model->source, r->options.line);
    take(out, &s);
    TRY(find_modes(r, f, &s, out));
    if (!misses(&s, out->accuracy))
        return STATUS_OK;
    if (!free)
        TRY(find_enough(f, out->accuracy, out, scratch));
    ring(r, out);
    return STATUS_OK;
}

Status reduced_find(Run *r, uint32_t constraints)
{
    const RunOptions *o = &r->options;
    Arena scratch = {0};
    LinearSystem full;
    RunReduced *out = NEW(&r->arena, RunReduced);
    TRY(check(r, constraints));
    if (!out)
        return STATUS_MEMORY;
    out->asked = o->reduce_to;
    out->accuracy = (double)o->reduce_accuracy;
    if (out->asked < 0 && !(out->accuracy > 0.0))
        out->accuracy = USUAL;
    Status status = STATUS_MEMORY;
    if (make_full(&r->analyse.matrices, &full, &scratch))
        status = reduce(r, &full, out, &scratch);
    arena_free(&scratch);
    if (status == STATUS_OK)
        r->analyse.linear.reduced = out;
    return status;
}
