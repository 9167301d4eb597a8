#include "study/sampling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/distribution.h"
#include "events/inverse.h"
#include "stats/value.h"
#include "study/series.h"

/* ---- Values ------------------------------------------------------------------ */

/* Values are in ascending order. */
static double empirical(const CosyUncertain *item, double u)
{
    double total = 0.0, sum = 0.0;
    if (!item->weight) {
        uint32_t k = (uint32_t)(u * (double)item->values);
        return item->value[k < item->values ? k : item->values - 1];
    }
    for (uint32_t k = 0; k < item->values; k++)
        total += item->weight[k];
    uint32_t last = 0;
    for (uint32_t k = 0; k < item->values; k++) {
        sum += item->weight[k];
        if (item->weight[k] > 0.0)
            last = k;
        if (u * total < sum)
            break;
    }
    return item->value[last];
}

double sampling_value(const CosyUncertain *item, double u)
{
    const double a = item->parameter[0], b = item->parameter[1];
    if (item->distribution == COSY_EMPIRIC)
        return empirical(item, u);
    double x = inverse_value(item->distribution, a, b, item->parameter[2], u);
    switch (item->distribution) {
    case COSY_EXPOND: return a * x;
    case COSY_UNIFORMD: return a + (b - a) * x;
    case COSY_NORMALD: return a + b * x;
    default: return x;
    }
}

/* ---- What is wrong with a statement -------------------------------------------- */

static CosyStatus refused(Cosy *c, uint32_t line, const char *text)
{
    c->host->message(c, COSY_ERROR, line, text);
    return COSY_FAIL(COSY_REFUSED, COSY_NOWHERE);
}

static CosyStatus no_memory(void)
{
    return COSY_FAIL(COSY_NO_MEMORY, COSY_NOWHERE);
}

static CosyStatus check_item(Cosy *c, const CosyUncertain *item)
{
    const CosyVariable *v = &c->model->variables[item->variable];
    char text[300], fault[DISTRIBUTION_FAULT];
    Buffer name = {0};
    bool inside = item->index == COSY_NONE || item->index < value_count(v);
    const char *why = item->distribution == COSY_EMPIRIC
                          ? NULL
                          : distribution_fault(item->distribution,
                                               item->parameter, ~0u, fault);
    if (!inside)
        why = "an index is outside of the array";
    for (uint32_t k = 0; k < item->values && v->type == COSY_TYPE_INTEGER; k++)
        if (item->value[k] != floor(item->value[k]))
            why = "it is INTEGER, and not all values of EMPIRIC are whole";
    if (!why)
        return COSY_OK;
    if (inside)
        value_name(&name, v, item->index == COSY_NONE ? 0 : item->index);
    else
        buffer_text(&name, v->name);
    snprintf(text, sizeof text, "UNCERTAIN %.80s: %.150s", buffer_string(&name),
             why);
    buffer_free(&name);
    return refused(c, item->line, text);
}

/* "5e+09 runs, which at 1 ms each take 58 days" */
static void put_time(Buffer *b, double seconds)
{
    if (seconds < 7200)
        buffer_format(b, "%.0f minutes", seconds / 60);
    else if (seconds < 2 * 86400.0)
        buffer_format(b, "%.0f hours", seconds / 3600);
    else if (seconds < 2 * 365.25 * 86400)
        buffer_format(b, "%.0f days", seconds / 86400);
    else
        buffer_format(b, "%.0f years", seconds / (365.25 * 86400));
}

static CosyStatus too_many(Cosy *c, const CosySample *s, double runs)
{
    enum { ROW = 200 }; // bytes that a run leaves at least
    Buffer b = {0};
    buffer_format(&b, "UNCERTAIN %lld%s", (long long)s->points,
                  s->indices ? " INDICES" : "");
    buffer_format(&b, " makes %.3g runs, which even at 1 ms each take ", runs);
    put_time(&b, 1e-3 * runs);
    buffer_format(
        &b,
        ", and leave %.3g GB of tables; %d are possible. The error of "
        "a mean falls with the square root of the number of points, "
        "or faster: 1000 to 100000 points are usual",
        ROW * runs / 1e9, RUNS_MOST);
    CosyStatus status = refused(c, s->line, buffer_string(&b));
    buffer_free(&b);
    return status;
}

static CosyStatus check_points(Cosy *c, const CosySample *s, uint32_t free)
{
    char text[200], fault[POINTS_FAULT];
    double runs =
        (double)s->points * (s->indices && free ? (double)free + 2.0 : 1.0);
    if (s->points < 2) {
        snprintf(text, sizeof text,
                 "UNCERTAIN %lld: a distribution is seen in at least 2 points",
                 (long long)s->points);
        return refused(c, s->line, text);
    }
    if (runs > RUNS_MOST)
        return too_many(c, s, runs);
    if (s->seed < 0)
        return refused(c, s->line, "UNCERTAIN: a SEED is 0, 1, 2 ...");
    const PointPlan plan = {.kind = s->kind == COSY_SAMPLING_SOBOL
                                        ? POINTS_SOBOL_OWEN
                                        : POINTS_LATIN,
                            .dimensions = s->indices ? 2 * free : free,
                            .count = (uint64_t)s->points};
    const char *why = free ? points_fault(&plan, fault) : NULL;
    if (!why)
        return COSY_OK;
    snprintf(text, sizeof text, "UNCERTAIN: %.150s", why);
    return refused(c, s->line, text);
}

/* ---- The statement --------------------------------------------------------------- */

static const PointKind kinds[] = {[COSY_SAMPLING_SOBOL] = POINTS_SOBOL_OWEN,
                                  [COSY_SAMPLING_LATIN] = POINTS_LATIN,
                                  [COSY_SAMPLING_PLAIN] = POINTS_RANDOM};

/* Parameters that --set leaves, and the names of the others. */
static bool take_items(Experiment *e, const CosySample *s)
{
    Sampling *own = &e->sampling;
    for (uint32_t k = 0; k < s->n; k++) {
        const CosyUncertain *item = &s->item[k];
        Buffer name = {0};
        bool fixed = lists_fixes(&e->lists, item->variable, item->index), ok;
        value_name(&name, &e->model->variables[item->variable],
                   item->index == COSY_NONE ? 0 : item->index);
        ok = fixed ? vector_append(&own->fixed, buffer_string(&name),
                                   name.v.used + 1)
                   : vector_append(&own->items, item, sizeof *item);
        buffer_free(&name);
        own->parameters += !fixed;
        if (!ok)
            return false;
    }
    return true;
}

/* Start values are those of INITCOND. */
static CosyList list_of(const CosyModel *m, uint32_t variable)
{
    switch (m->variables[variable].kind) {
    case COSY_STATE:
    case COSY_ALGEBR:
    case COSY_DSTATE: return COSY_LIST_INITCOND;
    default: return COSY_LIST_PARAMETER;
    }
}

/* Coordinates of all points, `parameters` for each. */
static real *make_points(const Sampling *s, Arena *a, uint64_t count)
{
    const IndexDesign *d = &s->design;
    uint32_t n = s->parameters;
    real *u = arena_array(a, count * n, sizeof *u, _Alignof(real));
    real *row = NEW_ARRAY(a, real, 2 * (size_t)n);
    uint32_t each = s->indices ? n + 2 : 1;
    PointPlan plan = design_plan(d);
    if (!s->indices)
        plan.dimensions = n;
    for (uint64_t k = 0; u && row && k < d->rows; k++) {
        points_at(&plan, k, s->indices ? row : u + k * n);
        for (uint32_t which = 0; s->indices && which < each; which++)
            design_pick(d, which, row, u + (k * each + which) * n);
    }
    return row ? u : NULL;
}

static bool make_lists(Experiment *e, uint64_t count)
{
    const Sampling *s = &e->sampling;
    const CosyUncertain *item = sampling_items(s);
    Arena a = {0};
    const real *u = make_points(s, &a, count);
    bool ok = u != NULL;
    for (uint32_t i = 0; ok && i < s->parameters; i++) {
        ok = lists_begin_sampled(&e->lists, list_of(e->model, item[i].variable),
                                 item[i].variable, item[i].index);
        for (uint64_t k = 0; ok && k < count; k++)
            ok = lists_add(&e->lists,
                           (real)sampling_value(
                               &item[i], (double)u[k * s->parameters + i]),
                           1, R(0.0));
    }
    arena_free(&a);
    return ok;
}

/* How many runs there will be, and what --set has fixed. */
static void tell_before(Experiment *e, const CosySample *s, uint64_t count)
{
    const Sampling *own = &e->sampling;
    const char *name = (const char *)own->fixed.bytes;
    char text[300];
    if (e->quiet)
        return;
    for (size_t at = 0; at < own->fixed.used; at += strlen(name + at) + 1) {
        snprintf(text, sizeof text,
                 "%.100s has its value from --set in all runs, so it is not "
                 "uncertain",
                 name + at);
        outlet_message(&e->outlet, COSY_NOTE, s->line, text);
    }
    if (!s->indices || own->parameters == 0)
        return;
    snprintf(text, sizeof text,
             "UNCERTAIN: %lld points with INDICES of %u parameter%s are %llu "
             "runs",
             (long long)s->points, own->parameters,
             own->parameters == 1 ? "" : "s", (unsigned long long)count);
    outlet_message(&e->outlet, COSY_NOTE_NOW, s->line, text);
}

void sampling_free(Sampling *s)
{
    vector_free(&s->items);
    vector_free(&s->fixed);
    *s = (Sampling){0};
}

void sampling_clear(Experiment *e)
{
    lists_drop_sampled(&e->lists);
    e->sampling.items.used = e->sampling.fixed.used = 0;
    e->sampling.parameters = 0;
    e->sampling.on = e->shared.sampled = false;
}

CosyStatus sampling_set(Cosy *c, const CosySample *s)
{
    Owner *owner = c->run;
    Experiment *e = owner->e;
    Sampling *own = &e->sampling;
    sampling_clear(e);
    for (uint32_t k = 0; k < s->n; k++)
        COSY_TRY(check_item(c, &s->item[k]));
    if (!take_items(e, s))
        return no_memory();
    COSY_TRY(check_points(c, s, own->parameters));
    own->on = e->shared.sampled = true;
    own->line = s->line;
    own->kind = s->kind;
    own->indices = s->indices && own->parameters > 0;
    own->design =
        (IndexDesign){.kind = kinds[s->kind],
                      .parameters = own->parameters,
                      .rows = (uint64_t)s->points,
                      .seed = e->options->seed * UINT64_C(0x9E3779B97F4A7C15) +
                              (uint64_t)s->seed};
    uint64_t count =
        own->indices ? design_points(&own->design) : own->design.rows;
    if (own->parameters && !make_lists(e, count))
        return no_memory();
    tell_before(e, s, count);
    return COSY_OK;
}

/* ---- SIMULATE ------------------------------------------------------------------------ */

static const char *cannot(const Experiment *e, const CosySimulate *s)
{
    if (lists_sampled(&e->lists) != e->sampling.parameters)
        return "PARAMETER, INITCOND or SWEEP gives an uncertain parameter "
               "other "
               "values after UNCERTAIN: leave one of both out";
    if (lists_varies_besides(&e->lists))
        return "beside UNCERTAIN, PARAMETER and INITCOND have single values, "
               "and "
               "there is no SWEEP: what varies has a distribution, or a FRAME "
               "for each of its values";
    if (e->quiet)
        return "MINIMIZE, MAXIMIZE and SOLVE ask for results of single runs, "
               "not of distributions";
    if (s->is_best)
        return "REPLICATE BEST chooses among alternatives, which points of "
               "UNCERTAIN are not";
    if (s->task == COSY_LINEARIZE)
        return "LINEARIZE has no quantities to be distributed: use it in a "
               "FRAME "
               "of its own";
    return NULL;
}

Status sampling_check(Experiment *e, const CosySimulate *s)
{
    const char *why = e->sampling.on ? cannot(e, s) : NULL;
    if (!why)
        return STATUS_OK;
    return fault_set(&e->fault, STATUS_USER, "%s: UNCERTAIN (line %u): %s",
                     s->task == COSY_SIMULATE    ? "SIMULATE"
                     : s->task == COSY_LINEARIZE ? "LINEARIZE"
                                                 : "STEADYSTATE",
                     e->sampling.line, why);
}
