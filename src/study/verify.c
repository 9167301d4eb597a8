#include "study/verify.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/method_facts.h"
#include "solve/method.h"
#include "study/digits.h"

/* ---- Options of a double --------------------------------------------------------- */

/* The run of that number; if it is not known, the last one. */
static const Digest *base_of(const KernelDouble *d, uint32_t run)
{
    uint32_t n;
    const Digest *all = digest_list(d->base, &n);
    const Digest *found = digest_find(d->base, run);
    return found || n == 0 ? found : &all[n - 1];
}

/* Radau methods of all orders are one family, and so are explicit Runge-Kutta
   methods of nearly the same order, and GEAR and IDA. */
static bool is_akin(const Method *a, const Method *b)
{
    const unsigned kind = METHOD_IMPLICIT | METHOD_CLIMBS;
    if (a == b)
        return true;
    if ((a->features & kind) != (b->features & kind))
        return false;
    if (strncmp(a->name, "RADAU", 5) == 0 && strncmp(b->name, "RADAU", 5) == 0)
        return true;
    if ((a->features & kind) == kind)
        return true;
    return (a->features & kind) == 0 && a->order - b->order <= 1 &&
           b->order - a->order <= 1;
}

/* Methods that were used, from "DOPRI5, RADAU". */
typedef struct Used {
    const Method *method[8];
    uint32_t n;
    bool implicit;
} Used;

static Used methods_used(const Digest *base)
{
    Used u = {.implicit = base->stiff};
    for (const char *s = base->methods; *s;) {
        char name[20] = "";
        size_t n = strcspn(s, ", ");
        if (n < sizeof name)
            memcpy(name, s, n);
        const Method *m = method_find(name);
        if (m && u.n < LENGTH(u.method)) {
            u.method[u.n++] = m;
            u.implicit = u.implicit || (m->features & METHOD_IMPLICIT);
        }
        s += n + strspn(s + n, ", ");
    }
    return u;
}

static bool is_other(const Used *u, const Method *m)
{
    for (uint32_t k = 0; k < u->n; k++)
        if (is_akin(u->method[k], m))
            return false;
    return true;
}

/* Whether a method can integrate this model with these options. One of low order
   would need too many steps for a high accuracy. */
static bool can_do(const Method *m, const CosyModel *model, const Digest *base)
{
    bool fixed = base->fixed;
    if (!fixed && -log10(base->relerr) > 3.0 * m->order)
        return false;
    bool mass = model->mass_kind != COSY_MASS_IDENTITY;
    bool residual = !model->derivatives && model->residual;
    return (!mass || (m->features & METHOD_MASS)) &&
           (!residual || (m->features & METHOD_RESIDUAL)) &&
           (!fixed || !(m->features & METHOD_CLIMBS));
}

/* A suitable method of another family; NULL if there is none. A stiff model
   gets an implicit one, any other an explicit one. */
static const char *other_method(const CosyModel *model, const Digest *base)
{
    static const char *const plain[] = {"DOP853", "DOPRI5", "ADAMS", "RKS",
                                        "RADAU"};
    static const char *const stiff[] = {"RADAU", "DIRK", "GEAR", "IDA", ""};
    static_assert(LENGTH(plain) == LENGTH(stiff), "two lists of one length");
    Used u = methods_used(base);
    const char *const *list = u.implicit ? stiff : plain;
    for (size_t k = 0; k < LENGTH(plain) && u.n > 0; k++) {
        const Method *m = method_find(list[k]);
        if (m && is_other(&u, m) && can_do(m, model, base))
            return m->name;
    }
    return NULL;
}

static void take_least(real *value, double candidate)
{
    if (candidate > 0 && (*value == R(0.0) || (real)candidate < *value))
        *value = (real)candidate;
}

/* A tenth of RELERR, or the least that this precision can still meet. */
static real tenth(real relerr)
{
    const real least = R(10.5) * COSY_EPSILON;
    relerr = (relerr > R(0.0) ? relerr : R(1e-6)) / R(10.0);
    return cosy_max(relerr, least);
}

/* SUNDIALS has only DOUBLE; other methods take the place of its own. */
static const char *own_method(const char *name)
{
    const MethodFacts *m = name ? method_facts_find(name) : NULL;
    if (!m || m->chooses || method_find(name))
        return name;
    return m->implicit ? "RADAU" : "DOP853";
}

static bool vary_closer(const Digest *base, RunOptions *o)
{
    SolverOptions *s = &o->solver;
    o->tol_share = R(0.1);
    s->abserr /= R(10.0);
    s->dtmin /= R(10.0);
    s->method = own_method(s->method);
    if (s->step > R(0.0)) {
        s->step /= R(2.0);
        return true;
    }
    s->relerr = tenth(s->relerr);
    s->dtmax /= R(2.0);
    take_least(&s->dtmax, base->longest / 2);
    take_least(&s->dtmax, base->span / 200);
    return true;
}

bool verify_vary(const Experiment *e, uint32_t run, RunOptions *o)
{
    const KernelDouble *d = e->options->twin;
    const Digest *base = d ? base_of(d, run) : NULL;
    if (!base)
        return true;
    assert(base->precision > 0 && base->run > 0);
    o->features = false;
    if (d->closer)
        return vary_closer(base, o);
    // A snapshot belongs to the method that made it.
    const char *other = o->restore ? NULL : other_method(e->model, base);
    if (other)
        o->solver.method = other;
    return other != NULL;
}

uint64_t verify_most(const Experiment *e, uint32_t run)
{
    const KernelDouble *d = e->options->twin;
    const Digest *base = d ? base_of(d, run) : NULL;
    if (!base)
        return UINT64_MAX;
    uint64_t more = base->rhs > base->steps ? base->rhs : base->steps;
    return VERIFY_TIMES * (more + base->events) + VERIFY_MORE;
}

/* ---- Carrying a double out ----------------------------------------------------------- */

/* The precision in which a tenth of RELERR does not drown in rounding errors.
   */
static uint32_t precision_for(const Vector *base)
{
    static const double least[] = {0, 0.99e-13, 0.99e-17, 0};
    uint32_t n;
    const Digest *d = digest_list(base, &n);
    for (uint32_t k = 0; k < n; k++)
        if (!d[k].fixed && d[k].relerr / 10 < least[COSY_PRECISION])
            return COSY_PRECISION + 1;
    return COSY_PRECISION;
}

static KernelOptions options_of(const Experiment *e, KernelDouble *d)
{
    KernelOptions o = experiment_again(e->options);
    double gone = experiment_seconds() - e->begun;
    o.twin = d;
    o.growth = d->closer && !o.restore; // a snapshot has not followed errors
    if (o.limit_wall > 0)
        o.limit_wall = fmax(o.limit_wall - gone, 1e-3);
    return o;
}

static void go_double(const Experiment *e, KernelDouble *d, bool closer)
{
    KernelOutcome out;
    assert(d->base && !e->options->twin); // a double has no doubles
    d->closer = closer;
    KernelOptions o = options_of(e, d);
    KernelCode code = {.model = e->model};
    d->precision = closer ? precision_for(d->base) : COSY_PRECISION;
    if (d->precision != COSY_PRECISION &&
        !(o.precise && o.precise(o.precise_user, d->precision, &code)))
        d->precision = COSY_PRECISION;
    if (d->precision == COSY_PRECISION) {
        experiment_go(e->model, &o, &out);
    } else {
        o.newest = code.newest;
        o.newest_user = code.newest_user;
        code.kernel->experiment(code.model, &o, &out);
    }
    d->runs = out.runs;
    d->outside = d->outside || out.fault.status == STATUS_MEMORY;
}

void verify_leave(Experiment *e)
{
    KernelDouble *d = e->options->twin;
    if (!d)
        return;
    d->digests = e->digests;
    e->digests = (Vector){0};
    d->messages = e->shared.report.messages;
    e->shared.report.messages = (Buffer){0};
    d->outside = atomic_load(&e->stop) ||
                 digest_means(&d->means, &e->gallery.replications) != STATUS_OK;
}

static void free_double(KernelDouble *d)
{
    digest_forget(&d->digests);
    vector_free(&d->means);
    buffer_free(&d->messages);
}

/* ---- What they say ------------------------------------------------------------------------ */

/* Doubles for which no other method applies say nothing. */
static const Digest *digest_of(const KernelDouble *d, uint32_t run)
{
    const Digest *found = digest_find(&d->digests, run);
    return found && !found->alike ? found : NULL;
}

static bool compare_run(const Experiment *e, DigitsFacts *f, const Digest *base)
{
    Verdict v;
    bool ok = agree_compare(&v, e->model, base, digest_of(f->closer, base->run),
                            digest_of(f->other, base->run),
                            (double)e->options->digits);
    if (!digest_find(&f->closer->digests, base->run) ||
        (f->other->base && !digest_find(&f->other->digests, base->run))) {
        agree_free(&v);
        v.compared = false;
        snprintf(v.why, sizeof v.why, "a double did not reach this run");
    }
    if (ok && vector_append(&f->verdicts, &v, sizeof v))
        return true;
    agree_free(&v);
    return false;
}

/* A message without its numbers: a double has others. */
static void put_shape(Buffer *b, const char *text)
{
    for (const char *s = text; *s; s++) {
        bool number = isdigit((unsigned char)*s) ||
                      (b->v.used > 0 && b->v.bytes[b->v.used - 1] == '#' &&
                       strchr(".e+-", *s) && *s);
        if (!number)
            buffer_char(b, *s);
        else if (b->v.used == 0 || b->v.bytes[b->v.used - 1] != '#')
            buffer_char(b, '#');
    }
}

static bool was_said(const Buffer *messages, const char *shape)
{
    const char *m = (const char *)messages->v.bytes;
    bool said = false;
    for (size_t at = 0; at < messages->v.used && !said;
         at += strlen(m + at) + 1) {
        Buffer own = {0};
        put_shape(&own, m + at);
        said = strcmp(buffer_string(&own), shape) == 0;
        buffer_free(&own);
    }
    return said;
}

/* Shows the messages that only a double gave. How it ended is shown with the
   digits. */
static void tell_messages(Experiment *e, const KernelDouble *d)
{
    enum { MOST = 5 };
    const char *m = (const char *)d->messages.v.bytes;
    uint32_t told = 0;
    for (size_t at = 0; at < d->messages.v.used && told < MOST;
         at += strlen(m + at) + 1) {
        Buffer shape = {0}, words = {0};
        put_shape(&shape, m + at);
        if (!was_said(&e->shared.report.messages, buffer_string(&shape)) &&
            !strstr(m + at, "error: ") && !strstr(m + at, ": stopped")) {
            buffer_format(&words, "only in the double %s: %.500s",
                          d->closer ? "that is computed more accurately"
                                    : "with another method",
                          m + at);
            outlet_message(&e->outlet, COSY_NOTE, 0, buffer_string(&words));
            told++;
        }
        buffer_free(&shape);
        buffer_free(&words);
    }
}

static bool any_method(const Experiment *e, const Vector *base)
{
    uint32_t n;
    const Digest *d = digest_list(base, &n);
    for (uint32_t k = 0; k < n; k++)
        if (other_method(e->model, &d[k]) &&
            !(e->options->restore && d[k].run == 1))
            return true;
    return false;
}

static bool is_continuous(const CosyModel *m)
{
    return m->states || m->n_copies || m->n_conditions_info ||
           m->n_relations_info;
}

static void tell(Experiment *e, DigitsFacts *f)
{
    Buffer text = {0};
    digits_json(&e->verified, f);
    digits_table(&text, f);
    outlet_end_line(&e->outlet);
    if (e->options->write)
        outlet_write(&e->outlet, (const char *)text.v.bytes, text.v.used);
    buffer_free(&text);
}

static bool compare_all(Experiment *e, DigitsFacts *f)
{
    uint32_t n;
    const Digest *base = digest_list(&e->digests, &n);
    f->complete = true;
    for (uint32_t k = 0; k < n; k++) {
        if (!compare_run(e, f, &base[k]))
            return false;
        const Verdict *v = (const Verdict *)(const void *)f->verdicts.bytes + k;
        f->complete = f->complete && v->compared && !v->parts;
    }
    return digest_means(&f->means, &e->gallery.replications) == STATUS_OK;
}

void verify_go(Experiment *e)
{
    const KernelOptions *o = e->options;
    KernelDouble closer = {0}, other = {0};
    DigitsFacts f = {.model = e->model,
                     .external = e->model->n_externals > 0,
                     .left_out = e->undigested,
                     .runs = e->gallery.runs,
                     .closer = &closer,
                     .other = &other};
    if (!o->verify || o->twin || e->gallery.runs == 0)
        return;
    if (atomic_load(&e->stop)) {
        f.why = "The run was stopped, so it was not verified";
    } else if (e->outcome->failed == e->gallery.runs &&
               e->outcome->fault.status != STATUS_STOPPED) {
        f.why = "No run finished, so there is nothing to verify";
    } else if (!is_continuous(e->model)) {
        f.why = "Nothing was integrated, so there is nothing to verify";
    } else {
        closer.base = &e->digests;
        go_double(e, &closer, true);
        other.base =
            !closer.outside && any_method(e, &e->digests) ? &e->digests : NULL;
        if (other.base)
            go_double(e, &other, false);
        tell_messages(e, &closer);
        tell_messages(e, &other);
        if (closer.outside || other.outside)
            f.why = "The doubles were stopped, so there are no digits";
        else if (!compare_all(e, &f))
            f.why = "There was no memory to compare the doubles with the run";
    }
    tell(e, &f);
    digits_free(&f);
    free_double(&closer);
    free_double(&other);
}
