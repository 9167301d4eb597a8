#include "study/found.h"

#include <math.h>
#include <stdio.h>

#include "stats/replicate.h"
#include "stats/value.h"

static bool asks(const Series *j)
{
    return j->e->model->n_asked > 0 && j->s->task == COSY_SIMULATE;
}

static QuantityList list_of(Experiment *e)
{
    return (QuantityList){e->model, &e->asked.quantities, 0};
}

bool found_begin(const Series *j)
{
    Experiment *e = j->e;
    if (!asks(j))
        return true;
    e->asked.quantities.used = e->asked.figures.used = 0;
    e->asked.state = ASKED_EARLY;
    return j->replicated || (quantity_statistics(list_of(e), &e->instance.c) &&
                             quantity_asked(list_of(e)));
}

bool found_take(const Series *j, const QuantityRun *run, Vector *values)
{
    const Vector *all = &j->e->asked.quantities;
    const Quantity *q = (const Quantity *)(const void *)all->bytes;
    bool ok = true;
    for (size_t k = 0; asks(j) && ok && k < all->used / sizeof *q; k++) {
        const real figures[] = {quantity_value(&q[k], run),
                                quantity_deviation(&q[k], run)};
        ok = vector_append(values, figures, sizeof figures);
    }
    return ok;
}

/* The figures of the replications of one element. */
static bool take_replications(Asked *a, const Replications *r, uint32_t element)
{
    const Tally *t = replicate_tallies(r, element);
    bool ok = true;
    a->quantities.used = 0;
    for (uint32_t k = 0; ok && k < r->width; k++) {
        const real figures[] = {t[k].n ? t[k].mean : (real)NAN,
                                replicate_deviation(&t[k])};
        ok = vector_append(&a->quantities,
                           replicate_quantity(r, r->first_quantity + k),
                           sizeof(Quantity)) &&
             vector_append(&a->figures, figures, sizeof figures);
    }
    return ok;
}

bool found_settle(Series *j, const Element *el)
{
    Asked *a = &j->e->asked;
    if (!asks(j))
        return true;
    a->figures.used = 0;
    a->state = j->replicated && j->apart ? ASKED_ELSEWHERE : ASKED_THERE;
    if (a->state == ASKED_ELSEWHERE)
        return true;
    if (j->replicated)
        return take_replications(a, &j->e->gallery.replications, el->place);
    return !el->values.used ||
           vector_append(&a->figures, el->values.bytes, el->values.used);
}

/* ---- Answers --------------------------------------------------------------------- */

static CosyStatus refuse(Experiment *e, CosyFound what, uint32_t variable,
                         uint32_t at, const char *why)
{
    Buffer name = {0};
    value_name(&name, &e->model->variables[variable], at);
    fault_set(&e->fault, STATUS_USER, "%s(%.80s): %s",
              what == COSY_FOUND_MEAN ? "MEAN" : "SDEV", buffer_string(&name),
              why);
    buffer_free(&name);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

static const char *missing(const Asked *a, CosyFound what)
{
    if (a->state == ASKED_EARLY)
        return "no SIMULATE comes before it whose runs it could ask about";
    if (a->state == ASKED_ELSEWHERE)
        return "with --chunk the other replications are not known here: this "
               "study cannot be carried out in parts";
    return what == COSY_FOUND_MEAN
               ? "no run of the last SIMULATE that finished has observed it"
               : "a standard deviation needs two observations, or two "
                 "replications that finished: a single run has none of a final "
                 "value";
}

CosyStatus found_ask(Cosy *c, CosyFound what, uint32_t variable, uint32_t at,
                     real *value)
{
    const Owner *owner = c->run;
    Experiment *e = owner->e;
    const Asked *a = &e->asked;
    const real *figure = (const real *)(const void *)a->figures.bytes;
    if (a->state != ASKED_THERE || !a->figures.used)
        return refuse(e, what, variable, at, missing(a, what));
    uint32_t k = quantity_find_value(list_of(e), variable, at);
    if (k == COSY_NONE)
        return refuse(e, what, variable, at,
                      "of arrays, the elements in COLLECT and TIMEPERS have "
                      "means: add it there, or assign it to a REAL in TERMINAL "
                      "and ask for that");
    *value = figure[2 * k + (what == COSY_FOUND_SDEV)];
    return cosy_finite(*value)
               ? COSY_OK
               : refuse(e, what, variable, at, missing(a, what));
}
