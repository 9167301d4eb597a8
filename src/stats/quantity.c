#include "stats/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/figures.h"
#include "stats/record.h"
#include "stats/reread.h"
#include "stats/value.h"

/* ---- Lists ------------------------------------------------------------------ */

static uint32_t count_of(QuantityList l)
{
    return (uint32_t)(l.all->used / sizeof(Quantity)) - l.first;
}

uint32_t quantity_find(QuantityList l, const char *name)
{
    const Quantity *q = (const Quantity *)(const void *)l.all->bytes + l.first;
    uint32_t n = count_of(l);
    for (uint32_t k = 0; k < n; k++)
        if (strcmp(q[k].name, name) == 0)
            return k;
    return COSY_NONE;
}

uint32_t quantity_find_value(QuantityList l, uint32_t variable, uint32_t at)
{
    Buffer name = {0};
    value_name(&name, &l.model->variables[variable], at == COSY_NONE ? 0 : at);
    uint32_t found = quantity_find(l, buffer_string(&name));
    buffer_free(&name);
    return found;
}

bool quantity_add(QuantityList l, QuantityKind kind, uint32_t which,
                  uint32_t element, const char *name, const char *what)
{
    Quantity q = {.kind = kind, .which = which, .element = element};
    snprintf(q.name, sizeof q.name, "%.70s%s%s", name, what[0] ? "." : "",
             what);
    return (count_of(l) && quantity_find(l, q.name) != COSY_NONE) ||
           vector_append(l.all, &q, sizeof q);
}

static bool add_quantiles(QuantityList l, uint32_t k)
{
    bool ok = true;
    for (uint32_t i = 0; i < FOLLOW_SHARES; i++) {
        char what[16];
        snprintf(what, sizeof what, "q%u", follow_shares[i]);
        ok &= quantity_add(l, QUANTITY_QUANTILE, k, i,
                           l.model->collects[k].name, what);
    }
    return ok;
}

static bool is_there(QuantityList l, const char *name)
{
    return count_of(l) && quantity_find(l, name) != COSY_NONE;
}

bool quantity_statistics(QuantityList l, const Cosy *c)
{
    const CosyModel *m = l.model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_collects; k++)
        if (c->collect[k].active)
            ok &= quantity_add(l, QUANTITY_COLLECT, k, 0, m->collects[k].name,
                               "") &&
                  (!c->collect[k].quantiles || add_quantiles(l, k));
    for (uint32_t k = 0; k < m->n_timepers; k++)
        if (c->timepers[k].active)
            ok &= quantity_add(l, QUANTITY_TIMEPERS, k, 0, m->timepers[k].name,
                               is_there(l, m->timepers[k].name) ? "timepers"
                                                                : "");
    return ok;
}

/* Gates and signals have a queue too, but nobody asks for its mean over runs.
   */
bool quantity_resources(QuantityList l)
{
    const CosyModel *m = l.model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_resources; k++) {
        const CosyResourceInfo *info = &m->resources[k];
        if (info->kind != COSY_FACILITY && info->kind != COSY_STORAGE &&
            info->kind != COSY_POOL)
            continue;
        ok &= quantity_add(l, QUANTITY_UTILISATION, k, 0, info->name,
                           info->capacity == COSY_UNLIMITED ? "mean_content"
                                                            : "utilisation");
        ok &= quantity_add(l, QUANTITY_QUEUE, k, 0, info->name, "mean_queue");
        ok &= quantity_add(l, QUANTITY_WAIT, k, 0, info->name, "mean_wait");
    }
    for (StoreKind kind = 0; kind < STORE_KINDS; kind++)
        for (uint32_t k = 0; k < figures_stores(m, kind); k++) {
            const char *name = figures_store_name(m, kind, k);
            ok &= quantity_add(l, QUANTITY_CONTENT, k, kind, name,
                               "mean_content");
            ok &= quantity_add(l, QUANTITY_STAY, k, kind, name, "mean_stay");
        }
    return ok;
}

bool quantity_final(QuantityList l, uint32_t variable, uint32_t element)
{
    const CosyModel *m = l.model;
    const CosyVariable *v = &m->variables[variable];
    bool column = variable >= m->n_variables;
    Buffer name = {0};
    if (!column && !value_is_global(v))
        return true;
    value_name(&name, v, element);
    bool ok = quantity_add(l, column ? QUANTITY_COLUMN : QUANTITY_FINAL,
                           variable, element, buffer_string(&name), "") &&
              !name.broken;
    buffer_free(&name);
    return ok;
}

bool quantity_stored(QuantityList l)
{
    const CosyModel *m = l.model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_stored; k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        if (m->stored[k] >= m->n_variables)
            continue; // a column has no value when the run is over
        if (value_count(v) == 1 && v->type != COSY_TYPE_BOOLEAN)
            ok &= quantity_final(l, m->stored[k], 0);
    }
    return ok;
}

bool quantity_asked(QuantityList l)
{
    const CosyModel *m = l.model;
    bool ok = true;
    for (uint32_t k = 0; k < m->n_asked; k++)
        if (value_count(&m->variables[m->asked[k]]) == 1)
            ok &= quantity_final(l, m->asked[k], 0);
    return ok;
}

/* ---- Values ----------------------------------------------------------------- */

/* In the last row of the records. */
static real last_of(const QuantityRun *run, const Quantity *q)
{
    const CosyModel *m = run->c->model;
    uint32_t wide = record_width(m, false);
    uint32_t column = record_column(m, q->which, q->element);
    size_t n = run->rows ? run->rows->used / sizeof(real) : 0;
    const real *all =
        run->rows ? (const real *)(const void *)run->rows->bytes : NULL;
    return n >= wide && column ? all[n - wide + column] : (real)NAN;
}

real quantity_value(const Quantity *q, const QuantityRun *run)
{
    const Cosy *c = run->c;
    const bool time = c->head->t != c->head->cleared;
    ResourceFigures r;
    switch (q->kind) {
    case QUANTITY_COLLECT:
        return c->collect[q->which].n ? c->collect[q->which].mean : (real)NAN;
    case QUANTITY_QUANTILE:
        return follow_quantile(run->follow, q->which,
                               follow_shares[q->element]);
    case QUANTITY_CLEARED: return c->head->cleared;
    case QUANTITY_TIMEPERS:
        return time ? cosy_timepers_mean(c, q->which) : (real)NAN;
    case QUANTITY_UTILISATION:
        r = figures_resource(c, q->which);
        return c->resource[q->which].capacity == COSY_UNLIMITED ? r.mean_content
                                                                : r.utilisation;
    case QUANTITY_QUEUE: return figures_resource(c, q->which).mean_queue;
    case QUANTITY_WAIT: return figures_resource(c, q->which).mean_wait;
    case QUANTITY_CONTENT:
        return figures_store(c, (StoreKind)q->element, q->which).mean_content;
    case QUANTITY_STAY:
        return figures_store(c, (StoreKind)q->element, q->which).mean_stay;
    case QUANTITY_FINAL:
        return value_real(c, &c->model->variables[q->which], q->element);
    case QUANTITY_COLUMN: return last_of(run, q);
    case QUANTITY_KINDS: break;
    }
    return (real)NAN;
}

real quantity_deviation(const Quantity *q, const QuantityRun *run)
{
    const Cosy *c = run->c;
    switch (q->kind) {
    case QUANTITY_COLLECT:
        return c->collect[q->which].n > 1
                   ? cosy_collect_sd(&c->collect[q->which])
                   : (real)NAN;
    case QUANTITY_TIMEPERS:
        return c->head->t != c->head->cleared ? cosy_timepers_sd(c, q->which)
                                              : (real)NAN;
    default: return (real)NAN;
    }
}

const char *quantity_unit(const CosyModel *m, const Quantity *q)
{
    switch (q->kind) {
    case QUANTITY_COLLECT:
    case QUANTITY_QUANTILE: return value_unit(m, m->collects[q->which].name);
    case QUANTITY_TIMEPERS: return value_unit(m, m->timepers[q->which].name);
    case QUANTITY_CLEARED:
    case QUANTITY_WAIT:
    case QUANTITY_STAY: return cosy_time_unit(m);
    case QUANTITY_FINAL:
    case QUANTITY_COLUMN: return m->variables[q->which].unit;
    default: return "";
    }
}

void quantity_put(Buffer *b, const CosyModel *m, const Quantity *q)
{
    buffer_text(b, q->name);
    value_put_unit(b, value_shown_unit(quantity_unit(m, q)));
    if (q->kind == QUANTITY_FINAL || q->kind == QUANTITY_COLUMN)
        buffer_text(b, ", final");
}

/* ---- Written and read back -------------------------------------------------- */

static const char *const kind_names[QUANTITY_KINDS] = {
    "collect", "quantile", "timepers", "clear", "utilisation", "queue",
    "wait",    "content",  "stay",     "final", "column"};

const char *quantity_kind(const Quantity *q)
{
    return kind_names[q->kind];
}

/* Whatever may have had this name, since only one of it did. */
static bool add_named(QuantityList l, QuantityKind kind, const char *name)
{
    const CosyModel *m = l.model;
    RunSetting v;
    bool ok = true;
    switch (kind) {
    case QUANTITY_COLLECT:
    case QUANTITY_QUANTILE:
        for (uint32_t k = 0; k < m->n_collects; k++)
            ok = ok &&
                 (kind == QUANTITY_QUANTILE
                      ? add_quantiles(l, k)
                      : quantity_add(l, kind, k, 0, m->collects[k].name, ""));
        return ok;
    case QUANTITY_TIMEPERS:
        for (uint32_t k = 0; k < m->n_timepers; k++)
            ok = ok && quantity_add(l, kind, k, 0, m->timepers[k].name, "") &&
                 quantity_add(l, kind, k, 0, m->timepers[k].name, "timepers");
        return ok;
    case QUANTITY_CLEARED: return quantity_add(l, kind, 0, 0, "CLEAR", "time");
    case QUANTITY_FINAL:
        return !reread_variable(m, name, &v) ||
               quantity_final(l, v.variable,
                              v.index == COSY_NONE ? 0 : v.index);
    case QUANTITY_COLUMN:
        for (uint32_t k = 0; k < m->n_stored; k++)
            if (m->stored[k] >= m->n_variables)
                ok = ok && quantity_final(l, m->stored[k], 0);
        return ok;
    default: return quantity_resources(l);
    }
}

bool quantity_reread(const CosyModel *m, const char *kind, const char *name,
                     Quantity *found)
{
    Vector all = {0};
    QuantityList l = {m, &all, 0};
    QuantityKind k = 0;
    while (k < QUANTITY_KINDS && strcmp(kind_names[k], kind) != 0)
        k++;
    bool known = k < QUANTITY_KINDS && add_named(l, k, name);
    uint32_t at = known ? quantity_find(l, name) : COSY_NONE;
    if (at != COSY_NONE)
        *found = ((const Quantity *)(const void *)all.bytes)[at];
    vector_free(&all);
    return at != COSY_NONE && found->kind == k;
}
