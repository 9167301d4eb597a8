#include "run/range.h"

#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "run/run.h"
#include "solve/branch.h"
#include "stats/value.h"

enum { KEPT_MOST = 1000, TOLD_MOST = 10 };

/* The state of one bound of a variable or element. */
typedef struct Mark {
    uint32_t id, copy;
    uint64_t number;
    uint32_t span;   // its RunOutside, counted from 1; 0: none
    uint32_t beyond; // 1: on the bound or beyond it, since `at`
    real at;
} Mark;

Status range_create(RangeLog *g, const CosyModel *m, Arena *a, Image *image)
{
    TRY(oneway_create(&g->oneway, m, a, image));
    for (uint32_t k = 0; k < m->n_conditions_info; k++)
        g->any = g->any || m->conditions_info[k].kind == COSY_RANGE;
    if (!g->any)
        return STATUS_OK;
    TRY(image_add_vector(image, a, "range.marks", &g->marks));
    TRY(image_add_vector(image, a, "range.outside", &g->outside));
    TRY(image_add(image, a, "range.more", &g->more, sizeof g->more));
    return image_add(image, a, "range.told", &g->told, sizeof g->told);
}

void range_free(RangeLog *g)
{
    vector_free(&g->marks);
    vector_free(&g->outside);
    oneway_free(&g->oneway);
}

/* The mark of a condition, searched from where the last one was found. */
static Mark *mark_of(RangeLog *g, const Watched *e, size_t *hint)
{
    Mark *list = (Mark *)(void *)g->marks.bytes;
    size_t n = g->marks.used / sizeof *list;
    Mark one;
    for (size_t i = 0; i < n; i++) {
        size_t k = *hint + i < n ? *hint + i : *hint + i - n;
        if (list[k].id == e->id && list[k].number == e->number) {
            *hint = k + 1;
            return &list[k];
        }
    }
    memset(&one, 0, sizeof one);
    one.id = e->id;
    one.copy = e->copy;
    one.number = e->number;
    if (!vector_append(&g->marks, &one, sizeof one))
        return NULL;
    *hint = n + 1;
    return (Mark *)(void *)g->marks.bytes + n;
}

/* The bound, from the variable and its distance; the table has it to more
   places, but not a bound that --set has changed. */
static real bound_of(const Run *r, const CosyVariable *v, const Watched *e,
                     int inside)
{
    real known = inside > 0 ? v->low : v->high;
    if (v->process != COSY_NONE)
        return known;
    real x = value_real(r->c, v, e->copy == COSY_NONE ? 0 : e->copy);
    real found = x - e->z;
    real noise = R(1e-6) * (cosy_abs(x) + cosy_abs(e->z));
    return v->low <= v->high && cosy_abs(found - known) <= noise ? known
                                                                 : found;
}

static void ring(Run *r, const RunOutside *o, const CosyVariable *v)
{
    const CosyHost *host = r->c->host;
    Buffer name = {0};
    char text[300];
    const char *unit = value_shown_unit(v ? v->unit : "");
    if (!host || !host->message || r->range.told++ >= TOLD_MOST)
        return;
    outside_name(&name, r->model, o);
    snprintf(text, sizeof text,
             "time %.9g%s%s: %.160s %s its RANGE: it %s %.9g%s%s%s",
             (double)o->from, COSY_IN_TIME(r->model), buffer_string(&name),
             o->passed ? "leaves" : "begins outside",
             o->passed  ? o->above ? "rises above" : "falls below"
             : o->above ? "is above"
                        : "is below",
             (double)o->bound, unit[0] ? " " : "", unit,
             r->range.told == TOLD_MOST
                 ? "; further ones are only in summary.json"
                 : "");
    host->message(r->c, COSY_WARNING, v ? v->line : 0, text);
    buffer_free(&name);
}

static Status leave(Run *r, const Watched *e, Mark *m, int inside, bool passed)
{
    RangeLog *g = &r->range;
    const CosyConditionInfo *info = &r->model->conditions_info[e->id];
    const CosyVariable *v = info->event < r->model->n_variables
                                ? &r->model->variables[info->event]
                                : NULL;
    RunOutside o;
    TRY(run_present(r, r->c->head->t,
                    r->c->x)); // the variable may be algebraic
    memset(&o, 0, sizeof o);   // padding too
    o.id = e->id;
    o.copy = e->copy;
    o.number = e->number;
    o.above = inside < 0;
    o.passed = passed;
    o.from = m->at;
    o.to = COSY_NEVER;
    o.bound = v ? bound_of(r, v, e, inside) : R(0.0);
    o.extreme = o.bound + e->z;
    if (g->outside.used >= KEPT_MOST * sizeof o) {
        g->more++;
        m->span = UINT32_MAX;
        return STATUS_OK;
    }
    if (!vector_append(&g->outside, &o, sizeof o))
        return STATUS_MEMORY;
    m->span = (uint32_t)(g->outside.used / sizeof o);
    ring(r, &o, v);
    return STATUS_OK;
}

static RunOutside *span_of(const RangeLog *g, const Mark *m)
{
    return m->span && m->span != UINT32_MAX
               ? (RunOutside *)(void *)g->outside.bytes + m->span - 1
               : NULL;
}

/* Brings the state of a bound up to date. */
static Status follow(Run *r, const Watched *e, Mark *m, int inside)
{
    real out = -(real)inside * e->z, t = r->c->head->t;
    RunOutside *o = span_of(&r->range, m);
    bool passed = m->beyond || r->state.started;
    if (out <= R(0.0)) {
        if (o)
            o->to = t;
        m->span = 0;
        m->beyond = out == R(0.0);
        m->at = t;
        return STATUS_OK;
    }
    if (!m->beyond)
        m->at = t;
    m->beyond = 1;
    if (o && (o->bound + e->z - o->extreme) * (real)-inside > R(0.0))
        o->extreme = o->bound + e->z;
    return m->span || out <= r->solver.options.relerr * e->size
               ? STATUS_OK
               : leave(r, e, m, inside, passed);
}

/* Whether the copy of a mark is active. */
static bool is_active(const Run *r, const Mark *m)
{
    uint32_t p = r->model->conditions_info[m->id].process;
    if (p == COSY_NONE)
        return true;
    return cosy_copy_among(r->c, p, 0, r->c->copy[p].active,
                           COSY_DETAIL_NUMBER(m->number)) != COSY_NONE;
}

void range_forget(Run *r)
{
    RangeLog *g = &r->range;
    Mark *list = (Mark *)(void *)g->marks.bytes;
    size_t n = g->marks.used / sizeof *list, kept = 0;
    for (size_t k = 0; k < n; k++) {
        RunOutside *o = span_of(g, &list[k]);
        if (is_active(r, &list[k]))
            list[kept++] = list[k];
        else if (o)
            o->to = r->c->head->t;
    }
    g->marks.used = kept * sizeof *list;
}

Status range_look(Run *r)
{
    const Watched *list = (const Watched *)(void *)r->watch.list.bytes;
    size_t hint = 0;
    TRY(oneway_look(&r->range.oneway, &r->watch, r->c->head->t,
                    r->solver.options.relerr));
    if (!r->range.any)
        return STATUS_OK;
    for (uint32_t k = 0; k < r->watch.count; k++) {
        const CosyConditionInfo *info = &r->model->conditions_info[list[k].id];
        if (info->kind != COSY_RANGE)
            continue;
        Mark *m = mark_of(&r->range, &list[k], &hint);
        if (!m)
            return STATUS_MEMORY;
        TRY(follow(r, &list[k], m, info->zero ? info->zero : -info->direction));
    }
    return STATUS_OK;
}
