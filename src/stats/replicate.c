#include "stats/replicate.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/compare.h"
#include "stats/figures.h"
#include "stats/number.h"
#include "stats/pool.h"
#include "stats/report.h"
#include "stats/student.h"
#include "stats/tables.h"
#include "stats/value.h"

#define SECTION(vector, T) ((T *)(void *)(vector).bytes)

const Quantity *replicate_quantity(const Replications *r, uint32_t k)
{
    return SECTION(r->quantities, const Quantity) + k;
}

uint32_t replicate_groups(const Replications *r)
{
    return (uint32_t)(r->groups.used / sizeof(ReplicateGroup));
}

/* ---- Quantities ------------------------------------------------------------- */

static QuantityList present(Replications *r)
{
    return (QuantityList){r->model, &r->quantities, r->first_quantity};
}

static bool add_quantities(Replications *r, const Cosy *c,
                           const CosySimulate *s)
{
    QuantityList l = present(r);
    bool named = s->within > R(0.0) || s->is_best;
    bool ok = (!s->warms ||
               quantity_add(l, QUANTITY_CLEARED, 0, 0, "CLEAR", "time")) &&
              quantity_statistics(l, c) && quantity_resources(l) &&
              (!named || quantity_final(
                             l, s->of, s->of_at == COSY_NONE ? 0 : s->of_at)) &&
              quantity_stored(l) && quantity_asked(l);
    r->width =
        (uint32_t)(r->quantities.used / sizeof(Quantity)) - r->first_quantity;
    return ok;
}

static bool add_groups(Replications *r, const CosySimulate *s,
                       uint32_t elements)
{
    r->first_group = replicate_groups(r);
    for (uint32_t k = 0; k < elements; k++) {
        ReplicateGroup g = {
            .series = r->series,
            .frame = s->frame ? s->frame : 1,
            .tally = (uint32_t)(r->tallies.used / sizeof(Tally)),
            .partner = (uint32_t)(r->partners.used / sizeof(real)),
            .base = COSY_NONE};
        if (!vector_append(&r->groups, &g, sizeof g) ||
            !vector_append(&r->tallies, NULL, r->width * sizeof(Tally)) ||
            !vector_append(&r->partners, NULL, r->width * sizeof(real)))
            return false;
    }
    return true;
}

Status replicate_begin(Replications *r, const Cosy *c, const CosySimulate *s,
                       uint32_t elements)
{
    r->series = (uint32_t)(r->firsts.used / sizeof(uint32_t));
    r->model = c->model;
    r->antithetic = s->antithetic;
    r->first_quantity = (uint32_t)(r->quantities.used / sizeof(Quantity));
    r->width = 0;
    r->compares = false;
    bool ok = vector_append(&r->firsts, &r->first_quantity, sizeof(uint32_t)) &&
              add_quantities(r, c, s) && add_groups(r, s, elements) &&
              pool_begin(r, elements);
    return ok ? STATUS_OK : STATUS_MEMORY;
}

/* ---- Values of a run ---------------------------------------------------------- */

Status replicate_take(const Replications *r, const Cosy *c,
                      const Follow *follow, Vector *values)
{
    const QuantityRun run = {.c = c, .follow = follow};
    for (uint32_t k = 0; k < r->width; k++) {
        real x =
            quantity_value(replicate_quantity(r, r->first_quantity + k), &run);
        if (!vector_append(values, &x, sizeof x))
            return STATUS_MEMORY;
    }
    return STATUS_OK;
}

/* ---- Runs together --------------------------------------------------------------- */

static ReplicateGroup *group_at(const Replications *r, uint32_t element)
{
    return SECTION(r->groups, ReplicateGroup) + r->first_group + element;
}

Status replicate_group(Replications *r, uint32_t element,
                       const RunSetting *parameter, uint32_t parameters)
{
    ReplicateGroup *g = group_at(r, element);
    g->parameter = (uint32_t)(r->parameters.used / sizeof(RunSetting));
    g->parameters = parameters;
    return !parameters || vector_append(&r->parameters, parameter,
                                        parameters * sizeof(RunSetting))
               ? STATUS_OK
               : STATUS_MEMORY;
}

void replicate_tally(Tally *t, real x)
{
    if (!cosy_finite(x))
        return;
    real off = x - t->mean;
    t->n++;
    t->mean += off / (real)t->n;
    t->square += off * (x - t->mean);
}

bool replicate_pair(real *partner, bool antithetic, bool second, real *x)
{
    if (!antithetic)
        return true;
    if (!second) {
        *partner = *x;
        return false;
    }
    *x = (*partner + *x) / R(2.0);
    return true;
}

void replicate_add(Replications *r, uint32_t element, const real *values)
{
    ReplicateGroup *g = group_at(r, element);
    Tally *t = SECTION(r->tallies, Tally) + g->tally;
    real *partner = SECTION(r->partners, real) + g->partner;
    bool second = g->runs++ % 2 == 1;
    for (uint32_t k = 0; k < r->width; k++) {
        real x = values[k];
        if (!replicate_pair(&partner[k], r->antithetic, second, &x))
            continue;
        replicate_tally(&t[k], x);
        if (r->compares)
            compare_value(r, g, k, x);
    }
}

real replicate_deviation(const Tally *t)
{
    return t->n > 1 ? cosy_sqrt(t->square / (real)(t->n - 1)) : (real)NAN;
}

real replicate_sure(const Tally *t)
{
    if (t->n < 2)
        return (real)INFINITY;
    return student_95(t->n - 1) * replicate_deviation(t) /
           cosy_sqrt((real)t->n);
}

uint32_t replicate_find(const Replications *r, uint32_t variable, uint32_t at)
{
    Replications own = *r;
    uint32_t found = quantity_find_value(present(&own), variable, at);
    return found == COSY_NONE ? r->width : found;
}

const Tally *replicate_tallies(const Replications *r, uint32_t element)
{
    return SECTION(r->tallies, const Tally) + group_at(r, element)->tally;
}

real replicate_half(const Replications *r, uint32_t element, uint32_t variable,
                    uint32_t at)
{
    const Tally *t = replicate_tallies(r, element);
    uint32_t k = replicate_find(r, variable, at);
    return k < r->width ? replicate_sure(&t[k]) : (real)INFINITY;
}

void replicate_span(const Replications *r, const ReplicateGroup *g,
                    uint32_t *first, uint32_t *end)
{
    const uint32_t *all = SECTION(r->firsts, const uint32_t) + g->series;
    uint32_t n = (uint32_t)(r->quantities.used / sizeof(Quantity));
    *first = *all;
    *end = (g->series + 1) * sizeof(uint32_t) < r->firsts.used ? all[1] : n;
}

/* ---- As JSON ---------------------------------------------------------------------- */

static void put_number(Buffer *b, real value)
{
    if (cosy_finite(value))
        number_json(b, value);
    else
        buffer_text(b, "null");
}

void replicate_put_tally(Buffer *b, const Tally *t)
{
    real half = replicate_sure(t);
    buffer_format(b, "\"n\": %llu, \"mean\": ", (unsigned long long)t->n);
    put_number(b, t->n ? t->mean : (real)NAN);
    buffer_text(b, ", \"sd\": ");
    put_number(b, replicate_deviation(t));
    buffer_text(b, ", \"ci95\": ");
    if (t->n < 2) {
        buffer_text(b, "null");
        return;
    }
    buffer_char(b, '[');
    number_json(b, t->mean - half);
    buffer_text(b, ", ");
    number_json(b, t->mean + half);
    buffer_char(b, ']');
}

void replicate_put_parameters(Buffer *b, const Replications *r,
                              const ReplicateGroup *g)
{
    summary_parameters(b, r->model,
                       SECTION(r->parameters, const RunSetting) + g->parameter,
                       g->parameters);
}

/* One group: which it is, and its numbers. */
static void put_member(Buffer *b, const Replications *r,
                       const ReplicateGroup *g, const Tally *t)
{
    buffer_format(b, "{\"frame\": %u, \"parameters\": ", g->frame);
    replicate_put_parameters(b, r, g);
    buffer_text(b, ", ");
    replicate_put_tally(b, t);
    buffer_char(b, '}');
}

/* The tally of the quantity of that name in a group; NULL: there is none. */
static const Tally *find_tally(const Replications *r, const ReplicateGroup *g,
                               const char *name)
{
    uint32_t first, end;
    replicate_span(r, g, &first, &end);
    for (uint32_t k = first; k < end; k++)
        if (strcmp(replicate_quantity(r, k)->name, name) == 0)
            return SECTION(r->tallies, const Tally) + g->tally + (k - first);
    return NULL;
}

static bool is_first_of_name(const Replications *r, uint32_t k)
{
    for (uint32_t j = 0; j < k; j++)
        if (strcmp(replicate_quantity(r, j)->name,
                   replicate_quantity(r, k)->name) == 0)
            return false;
    return true;
}

static void put_list(Buffer *b, const Replications *r, const char *name)
{
    const ReplicateGroup *g = SECTION(r->groups, const ReplicateGroup);
    bool begun = false;
    buffer_char(b, '[');
    for (uint32_t k = 0; k < replicate_groups(r); k++) {
        const Tally *t = find_tally(r, &g[k], name);
        if (!t)
            continue;
        buffer_text(b, begun ? ",\n   " : "");
        put_member(b, r, &g[k], t);
        begun = true;
    }
    buffer_char(b, ']');
}

void replicate_json(Buffer *b, const Replications *r)
{
    uint32_t n = (uint32_t)(r->quantities.used / sizeof(Quantity));
    bool begun = false;
    buffer_char(b, '{');
    for (uint32_t k = 0; k < n; k++) {
        const char *name = replicate_quantity(r, k)->name;
        if (!is_first_of_name(r, k))
            continue;
        buffer_text(b, begun ? ",\n  " : "");
        begun = true;
        buffer_json(b, name);
        buffer_text(b, ": ");
        if (replicate_groups(r) == 1) {
            buffer_char(b, '{');
            replicate_put_tally(b, SECTION(r->tallies, const Tally) + k);
            buffer_char(b, '}');
        } else {
            put_list(b, r, name);
        }
    }
    buffer_char(b, '}');
}

/* ---- As a table ---------------------------------------------------------------------- */

void replicate_put_name(Buffer *b, const CosyModel *m, const Quantity *q,
                        size_t width)
{
    Buffer name = {0};
    quantity_put(&name, m, q);
    buffer_format(b, "  %s", buffer_string(&name));
    if (name.v.used > width)
        buffer_format(b, "\n  %*s", (int)width, "");
    else
        buffer_format(b, "%*s", (int)(width - name.v.used), "");
    buffer_free(&name);
}

static void put_row(Buffer *b, const CosyModel *m, const Quantity *q,
                    const Tally *t, size_t width)
{
    real half = replicate_sure(t);
    replicate_put_name(b, m, q, width);
    buffer_format(b, " %6llu", (unsigned long long)t->n);
    tables_cell(b, t->n ? t->mean : (real)NAN, 12);
    tables_cell(b, replicate_deviation(t), 11);
    tables_cell(b, t->mean - half, 12);
    tables_cell(b, t->mean + half, 11);
    buffer_char(b, '\n');
}

enum { NAME_LEAST = 24, CELLS_WIDE = 2 + 7 + 12 + 11 + 12 + 11 };

/* As wide as its longest name, if the page has room. */
size_t replicate_name_width(const Replications *r, uint32_t from, uint32_t end,
                            uint32_t wide)
{
    size_t width = NAME_LEAST, room = wide - CELLS_WIDE;
    assert(wide >= CELLS_WIDE + NAME_LEAST);
    for (uint32_t k = from; k < end; k++) {
        Buffer name = {0};
        quantity_put(&name, r->model, replicate_quantity(r, k));
        if (name.v.used > width && name.v.used <= room)
            width = name.v.used;
        buffer_free(&name);
    }
    return width;
}

static void put_group(Buffer *b, const Replications *r, const ReplicateGroup *g,
                      uint32_t wide)
{
    const Tally *t = SECTION(r->tallies, const Tally) + g->tally;
    uint32_t first, end;
    replicate_span(r, g, &first, &end);
    if (first == end)
        return;
    size_t width = replicate_name_width(r, first, end, wide),
           before = b->v.used;
    buffer_format(b, "\n  %u replication%s", g->runs, g->runs == 1 ? "" : "s");
    report_parameters(b, r->model,
                      SECTION(r->parameters, const RunSetting) + g->parameter,
                      g->parameters, wide - (b->v.used - before - 1));
    buffer_format(b, "\n  %*s%7s%12s%11s%20s\n", (int)width, "", "n", "mean",
                  "sd", "95 % interval");
    for (uint32_t k = first; k < end; k++)
        put_row(b, r->model, replicate_quantity(r, k), &t[k - first], width);
}

void replicate_series(const Replications *r, uint32_t group, uint32_t *first,
                      uint32_t *end)
{
    const ReplicateGroup *g = SECTION(r->groups, const ReplicateGroup);
    *first = *end = group;
    while (*first > 0 && g[*first - 1].series == g[group].series)
        --*first;
    while (*end < replicate_groups(r) && g[*end].series == g[group].series)
        ++*end;
}

void replicate_put_words(Buffer *b, const Replications *r, uint32_t group)
{
    enum { ROOM = 60 };
    const ReplicateGroup *g = SECTION(r->groups, const ReplicateGroup) + group;
    report_parameters(b, r->model,
                      SECTION(r->parameters, const RunSetting) + g->parameter,
                      g->parameters, ROOM);
}

/* A study of many elements has a table of its own (stats/sweep.h). */
static bool is_one_of_many(const Replications *r, uint32_t group)
{
    enum { FEW = 5 };
    uint32_t first, end;
    replicate_series(r, group, &first, &end);
    return end - first > FEW;
}

void replicate_table(Buffer *b, const Replications *r, uint32_t wide)
{
    const ReplicateGroup *g = SECTION(r->groups, const ReplicateGroup);
    for (uint32_t k = 0; k < replicate_groups(r); k++) {
        if (is_one_of_many(r, k))
            continue;
        put_group(b, r, &g[k], wide);
        pool_table(b, r, k);
    }
}

void replicate_free(Replications *r)
{
    vector_free(&r->quantities);
    vector_free(&r->groups);
    vector_free(&r->tallies);
    vector_free(&r->parameters);
    vector_free(&r->partners);
    vector_free(&r->firsts);
    vector_free(&r->differences);
    vector_free(&r->pairs);
    vector_free(&r->selections);
    vector_free(&r->pooled);
    *r = (Replications){0};
}
