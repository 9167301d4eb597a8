#include "stats/summary.h"

#include <math.h>
#include <stdio.h>

#include "base/version.h"
#include "stats/compare.h"
#include "stats/figures.h"
#include "stats/json.h"
#include "stats/number.h"
#include "stats/pool.h"
#include "stats/replicate.h"
#include "stats/selected.h"
#include "stats/value.h"

/* ---- Parameters and final values ----------------------------------------- */

static void put_setting_name(Buffer *b, const CosyModel *m, const RunSetting *s)
{
    const CosyVariable *v = &m->variables[s->variable];
    Buffer name = {0};
    if (s->index == COSY_NONE) {
        buffer_json(b, v->name);
        return;
    }
    value_name(&name, v, s->index);
    buffer_json(b, buffer_string(&name));
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

static void put_setting(JsonObject *o, const CosyModel *m, const RunSetting *s)
{
    const CosyVariable *v = &m->variables[s->variable];
    json_begin(o);
    put_setting_name(o->b, m, s);
    buffer_text(o->b, ": ");
    if (v->type == COSY_TYPE_REAL)
        number_json(o->b, s->value);
    else
        buffer_integer(o->b, (long long)s->value);
}

void summary_parameters(Buffer *b, const CosyModel *m,
                        const RunSetting *parameter, uint32_t n)
{
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < n; k++)
        put_setting(&o, m, &parameter[k]);
    json_close(&o);
}

/* The names of those that lists give other values in other runs. */
static void put_varied(JsonObject *o, const CosyModel *m,
                       const RunSetting *parameter, uint32_t n)
{
    bool any = false;
    for (uint32_t k = 0; k < n; k++) {
        const RunSetting *s = &parameter[k];
        if (!s->varied)
            continue;
        if (!any)
            json_key(o, "varied");
        buffer_text(o->b, any ? ", " : "[");
        any = true;
        put_setting_name(o->b, m, s);
    }
    buffer_text(o->b, any ? "]" : "");
}

static void put_element(Buffer *b, const Cosy *c, const CosyVariable *v,
                        uint32_t k)
{
    if (v->type == COSY_TYPE_REAL)
        number_json(b, value_real(c, v, k));
    else
        buffer_integer(b, value_integer(c, v, k));
}

static void put_value(Buffer *b, const Cosy *c, const CosyVariable *v,
                      uint32_t run)
{
    uint32_t n = value_count(v);
    if (value_is_long(v)) {
        buffer_format(b, "\"final-%04u.csv\"", run);
        return;
    }
    if (n == 1) {
        put_element(b, c, v, 0);
        return;
    }
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k == 0 ? "" : ", ");
        put_element(b, c, v, k);
    }
    buffer_char(b, ']');
}

/* An attribute of one copy. */
static void put_attribute(Buffer *b, const Cosy *c, const CosyVariable *v,
                          uint32_t position)
{
    uint32_t n = value_count(v);
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, n == 1 ? "" : k == 0 ? "[" : ", ");
        real x = value_of_copy(c, v, position, k);
        if (v->type == COSY_TYPE_REAL)
            number_json(b, x);
        else
            buffer_integer(b, (long long)x);
    }
    buffer_text(b, n == 1 ? "" : "]");
}

/* The copies that are there: each attribute is an array over them. */
static void put_copies(Buffer *b, const Cosy *c, uint32_t process, uint32_t run)
{
    const CosyModel *m = c->model;
    uint32_t count = c->copy[process].count;
    JsonObject o = json_open(b);
    json_key(&o, "COPYNBR");
    buffer_char(b, '[');
    for (uint32_t i = 0; i < count; i++)
        buffer_format(b, "%s%u", i ? ", " : "",
                      cosy_copy(c, process, i)->number);
    buffer_char(b, ']');
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (!value_is_attribute(v, process))
            continue;
        json_key(&o, v->name);
        if (value_is_many(c, v)) {
            buffer_format(b, "\"final-%04u.csv\"", run);
            continue;
        }
        buffer_char(b, '[');
        for (uint32_t i = 0; i < count; i++) {
            buffer_text(b, i ? ", " : "");
            put_attribute(b, c, v, i);
        }
        buffer_char(b, ']');
    }
    json_close(&o);
}

static void put_final(Buffer *b, const Cosy *c, uint32_t run)
{
    const CosyModel *m = c->model;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (!value_is_global(v))
            continue;
        json_key(&o, v->name);
        put_value(b, c, v, run);
    }
    for (uint32_t p = 0; p < m->n_copies; p++) {
        json_key(&o, m->copies[p].name);
        put_copies(b, c, p, run);
    }
    json_close(&o);
}

/* ---- Statistics ---------------------------------------------------------- */

static void put_interval(JsonObject *o, const BatchInterval *i)
{
    json_pair(o, "ci95", i->low, i->high, i->batches > 0);
    json_count(o, "batches", i->batches);
    json_number(o, "lag1", i->known ? i->correlation : (real)NAN);
}

/* {"5": 0.1, "25": 0.7, ...}: per cent, and the value. */
static void put_quantiles(JsonObject *o, const Follow *f, uint32_t k)
{
    char name[8];
    json_key(o, "quantiles");
    JsonObject all = json_open(o->b);
    for (uint32_t i = 0; i < FOLLOW_SHARES; i++) {
        snprintf(name, sizeof name, "%u", follow_shares[i]);
        json_number(&all, name, follow_quantile(f, k, follow_shares[i]));
    }
    json_close(&all);
}

static void put_sample(Buffer *b, const SampleFigures *s, bool over_time,
                       const Follow *quantiles, uint32_t k)
{
    JsonObject o = json_open(b);
    if (over_time)
        json_number(&o, "time", s->time);
    else
        json_count(&o, "n", s->n);
    json_number(&o, "mean", s->mean);
    json_number(&o, "sd", s->sd);
    json_number(&o, "min", s->min);
    json_number(&o, "max", s->max);
    put_interval(&o, &s->interval);
    if (quantiles)
        put_quantiles(&o, quantiles, k);
    json_close(&o);
}

/* Inner cells lie between neighbouring edges; the first and the last count are
   those of the two open cells beyond them. */
static void put_histogram(Buffer *b, const CosyHistogram *h)
{
    bool any = h->width > R(0.0);
    JsonObject o = json_open(b);
    json_key(&o, "edges");
    buffer_char(b, '[');
    for (uint32_t k = 0; k <= h->cells && any; k++) {
        buffer_text(b, k == 0 ? "" : ", ");
        number_json(b, h->first + (real)k * h->width);
    }
    buffer_char(b, ']');
    json_key(&o, "counts");
    buffer_char(b, '[');
    for (uint32_t k = 0; k < h->cells + 2 && any; k++)
        buffer_format(b, "%s%llu", k == 0 ? "" : ", ",
                      (unsigned long long)h->count[k]);
    buffer_char(b, ']');
    json_close(&o);
}

/* For a gate, the share of time in which it was open; a signal has none. How
   many facilities of a common queue were used at most is not known. */
static void put_use(JsonObject *o, const ResourceFigures *r,
                    CosyResourceKind kind)
{
    if (kind == COSY_GATE)
        json_number(o, "open", r->utilisation);
    if (kind == COSY_GATE || kind == COSY_SIGNAL)
        return;
    json_number(o, "utilisation", r->utilisation);
    json_number(o, "mean_content", r->mean_content);
    if (kind != COSY_POOL)
        json_integer(o, "max_content", r->max_content);
    json_integer(o, "content", r->content);
    if (kind == COSY_STORAGE)
        json_integer(o, "lost", r->lost);
    if (kind != COSY_FACILITY)
        return;
    json_number(o, "idle", r->idle);
    json_number(o, "down", r->down);
    json_count(o, "failures", r->failures);
}

static void put_resource(Buffer *b, const ResourceFigures *r,
                         CosyResourceKind kind)
{
    JsonObject o = json_open(b);
    put_use(&o, r, kind);
    json_count(&o, "entries", r->entries);
    json_count(&o, "waits", r->waits);
    json_count(&o, "waited", r->waited);
    json_count(&o, "gave_up", r->gave_up);
    json_number(&o, "mean_wait", r->mean_wait);
    json_number(&o, "max_wait", r->max_wait);
    json_number(&o, "mean_queue", r->mean_queue);
    json_count(&o, "max_queue", r->max_queue);
    json_count(&o, "queue", r->queue);
    json_close(&o);
}

static void put_store(Buffer *b, const StoreFigures *s, StoreKind kind)
{
    JsonObject o = json_open(b);
    json_count(&o, "entries", s->entries);
    json_count(&o, "content", s->content);
    json_number(&o, "mean_content", s->mean_content);
    json_count(&o, "max_content", s->max_content);
    json_number(&o, "mean_stay", s->mean_stay);
    json_number(&o, "max_stay", s->max_stay);
    if (kind == STORE_COPIES) {
        json_count(&o, "left", s->left);
        json_count(&o, "asleep", s->asleep);
    }
    json_close(&o);
}

static void put_resources(Buffer *b, const Cosy *c, CosyResourceKind kind)
{
    const CosyModel *m = c->model;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < m->n_resources; k++) {
        if (m->resources[k].kind != kind)
            continue;
        ResourceFigures r = figures_resource(c, k);
        json_key(&o, m->resources[k].name);
        put_resource(b, &r, kind);
    }
    json_close(&o);
}

static void put_samples(Buffer *b, const Cosy *c, const RunFacts *f,
                        bool over_time)
{
    const CosyModel *m = c->model;
    uint32_t n = over_time ? m->n_timepers : m->n_collects;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < n; k++) {
        if (!(over_time ? c->timepers[k].active : c->collect[k].active))
            continue;
        SampleFigures s = over_time ? figures_timepers(c, k, f->course)
                                    : figures_collect(c, k);
        bool asked = !over_time && c->collect[k].quantiles;
        json_key(&o, over_time ? m->timepers[k].name : m->collects[k].name);
        put_sample(b, &s, over_time, asked ? f->follow : NULL, k);
    }
    json_close(&o);
}

static void put_histograms(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < m->n_histograms; k++) {
        if (!c->histogram[k].active)
            continue;
        CosyHistogram h = figures_histogram(c, k);
        json_key(&o, m->histograms[k].name);
        put_histogram(b, &h);
    }
    json_close(&o);
}

static void put_stores(Buffer *b, const Cosy *c, StoreKind kind)
{
    const CosyModel *m = c->model;
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < figures_stores(m, kind); k++) {
        StoreFigures s = figures_store(c, kind, k);
        json_key(&o, figures_store_name(m, kind, k));
        put_store(b, &s, kind);
    }
    json_close(&o);
}

static void put_statistics(Buffer *b, const Cosy *c, const RunFacts *f)
{
    static const struct {
        const char *name;
        CosyResourceKind kind;
    } resources[] = {{"facility", COSY_FACILITY},
                     {"storage", COSY_STORAGE},
                     {"gate", COSY_GATE},
                     {"signal", COSY_SIGNAL},
                     {"any_of", COSY_POOL}};
    JsonObject o = json_open(b);
    json_key(&o, "collect");
    put_samples(b, c, f, false);
    json_key(&o, "timepers");
    put_samples(b, c, f, true);
    json_key(&o, "histogram");
    put_histograms(b, c);
    for (size_t k = 0; k < LENGTH(resources); k++) {
        json_key(&o, resources[k].name);
        put_resources(b, c, resources[k].kind);
    }
    json_key(&o, "file");
    put_stores(b, c, STORE_FILE);
    json_key(&o, "process");
    put_stores(b, c, STORE_PROCESS);
    if (c->model->n_copies) {
        json_key(&o, "copies");
        put_stores(b, c, STORE_COPIES);
    }
    json_close(&o);
}

/* ---- The run and the file ------------------------------------------------ */

static void put_counts(Buffer *b, const RunFacts *f)
{
    JsonObject o = json_open(b);
    json_count(&o, "steps", f->steps);
    json_count(&o, "rejected", f->rejected);
    json_count(&o, "rhs", f->rhs);
    json_count(&o, "jacobians", f->jacobians);
    json_count(&o, "state_events", f->state_events);
    json_count(&o, "time_events", f->time_events);
    json_count(&o, "hidden_events", f->hidden_events);
    json_count(&o, "event_iterations", f->event_iterations);
    json_count(&o, "process_events", f->process_events);
    json_close(&o);
}

/* Which copy of a CONTINUOUS PROCESS is meant. */
static void put_copy(JsonObject *o, const CosyModel *m, uint32_t process,
                     uint64_t detail)
{
    json_text(o, "process", m->copies[process].name);
    json_count(o, "copy", COSY_DETAIL_NUMBER(detail));
    if (COSY_DETAIL_ELEMENT(detail))
        json_count(o, "element", COSY_DETAIL_ELEMENT(detail));
}

static void put_spans(Buffer *b, const CosyModel *m, const RunFacts *f)
{
    for (size_t k = 0; k < f->spans; k++) {
        const RunSpan *s = &f->span[k];
        buffer_text(b, k == 0 ? "[" : ", ");
        JsonObject o = json_open(b);
        json_text(&o, "kind", s->rest ? "rest" : "slide");
        json_text(&o, "on", m->conditions_info[s->id].name);
        const CosyConditionInfo *info = &m->conditions_info[s->id];
        if (info->process != COSY_NONE)
            put_copy(&o, m, info->process, s->number);
        else if (s->copy != COSY_NONE)
            json_count(&o, "element", s->copy + 1);
        json_number(&o, "from", s->from);
        json_number(&o, "to", s->to);
        json_close(&o);
    }
    buffer_char(b, ']');
}

void outside_name(Buffer *b, const CosyModel *m, const RunOutside *o)
{
    const CosyConditionInfo *info = &m->conditions_info[o->id];
    if (info->event >= m->n_variables) {
        buffer_text(b, info->name);
        return;
    }
    const CosyVariable *v = &m->variables[info->event];
    if (v->process != COSY_NONE)
        buffer_format(b, "%s[%u].%s", m->copies[v->process].name,
                      COSY_DETAIL_NUMBER(o->number), v->name);
    if (v->process != COSY_NONE && COSY_DETAIL_ELEMENT(o->number))
        buffer_format(b, "[%u]", COSY_DETAIL_ELEMENT(o->number));
    else if (v->process == COSY_NONE)
        value_name(b, v, o->copy == COSY_NONE ? 0 : o->copy);
}

static void put_outside(Buffer *b, const CosyModel *m, const RunFacts *f)
{
    Buffer name = {0};
    for (size_t k = 0; k < f->outsides; k++) {
        const RunOutside *s = &f->outside[k];
        buffer_text(b, k == 0 ? "[" : ", ");
        JsonObject o = json_open(b);
        name.v.used = 0;
        outside_name(&name, m, s);
        json_text(&o, "name", buffer_string(&name));
        json_text(&o, "side", s->above ? "above" : "below");
        json_number(&o, "bound", s->bound);
        json_number(&o, "from", s->from);
        json_number(&o, "to", s->to == COSY_NEVER ? (real)NAN : s->to);
        json_number(&o, "extreme", s->extreme);
        json_close(&o);
    }
    buffer_char(b, ']');
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

static void put_errors(Buffer *b, const RunErrors *e)
{
    JsonObject o = json_open(b);
    json_number(&o, "estimate", (real)e->estimate);
    json_number(&o, "from", (real)e->from);
    json_number(&o, "to", (real)e->to);
    json_number(&o, "factor", (real)e->factor);
    json_number(&o, "most", (real)e->most);
    json_number(&o, "most_at", (real)e->most_at);
    json_key(&o, "rings");
    buffer_text(b, e->rings ? "true" : "false");
    json_close(&o);
}

static void put_warmup(Buffer *b, const RunWarmup *w)
{
    JsonObject o = json_open(b);
    json_text(&o, "of", w->of);
    json_number(&o, "until", w->until);
    json_count(&o, "means", w->means);
    json_count(&o, "removed", w->removed);
    if (w->size)
        json_count(&o, "size", w->size);
    else
        json_number(&o, "interval", w->step);
    json_key(&o, "late");
    buffer_text(b, w->late ? "true" : "false");
    json_close(&o);
}

static void put_constraints(Buffer *b, const RunConstraints *k)
{
    JsonObject o = json_open(b);
    json_count(&o, "rows", k->rows);
    json_number(&o, "drift", (real)k->drift);
    json_number(&o, "moved", (real)k->moved);
    json_number(&o, "error", (real)k->error);
    json_close(&o);
}

static void put_buffer(Buffer *b, const Buffer *text)
{
    buffer_bytes(b, (const char *)text->v.bytes, text->v.used);
    b->broken = b->broken || text->broken;
}

/* To the microsecond. */
static void put_seconds(Buffer *b, double seconds)
{
    uint64_t n = seconds > 0 ? (uint64_t)(1e6 * seconds + 0.5) : 0;
    char places[7] = ".000000";
    for (size_t k = sizeof places - 1; k > 0; k--, n /= 10)
        places[k] = (char)('0' + n % 10);
    buffer_count(b, n);
    buffer_bytes(b, places, sizeof places);
}

Status summary_run(Buffer *b, const Cosy *c, const RunFacts *f)
{
    JsonObject o = json_open(b);
    json_count(&o, "run", f->run);
    json_count(&o, "frame", f->frame);
    json_key(&o, "parameters");
    summary_parameters(b, c->model, f->parameter, f->parameters);
    put_varied(&o, c->model, f->parameter, f->parameters);
    json_line_key(&o, "status");
    buffer_json(b, f->status);
    json_text(&o, "message", f->message);
    json_line_key(&o, "t_begin");
    number_json(b, c->head->t_begin);
    json_number(&o, "t_end", c->head->t);
    json_line_key(&o, "final");
    put_final(b, c, f->run);
    json_line_key(&o, "method");
    buffer_json(b, f->method == NULL ? "" : f->method);
    if (f->choice != NULL && f->choice[0] != '\0')
        json_text(&o, "choice", f->choice);
    json_key(&o, "counts");
    put_counts(b, f);
    if (f->spans) {
        json_line_key(&o, "sliding");
        put_spans(b, c->model, f);
    }
    if (f->outsides) {
        json_line_key(&o, "ranges");
        put_outside(b, c->model, f);
        if (f->more_outside)
            json_count(&o, "more_ranges", f->more_outside);
    }
    if (f->features) {
        json_line_key(&o, "features");
        features_json(b, f->features);
    }
    if (f->errors) {
        json_line_key(&o, "errors");
        put_errors(b, f->errors);
    }
    if (f->constraints) {
        json_line_key(&o, "constraints");
        put_constraints(b, f->constraints);
    }
    if (f->warmup) {
        json_line_key(&o, "warmup");
        put_warmup(b, f->warmup);
    }
    if (f->analysis)
        analysis_json(b, c->model, f->analysis, f->run);
    if (f->grid && f->grid->v.used) {
        json_line_key(&o, "grid");
        put_buffer(b, f->grid);
    }
    json_line_key(&o, "statistics");
    put_statistics(b, c, f);
    json_line_key(&o, "wall_s");
    put_seconds(b, f->wall_s);
    json_close(&o);
    return b->broken ? STATUS_MEMORY : STATUS_OK;
}

static bool has_unit(const CosyVariable *v)
{
    bool shown = value_is_global(v) || v->process != COSY_NONE;
    return shown && v->unit && v->unit[0] != '\0';
}

/* X, or P.X of the copies of P. */
static void put_unit(JsonObject *o, const CosyModel *m, const CosyVariable *v)
{
    char name[300];
    if (v->process == COSY_NONE)
        snprintf(name, sizeof name, "%s", v->name);
    else
        snprintf(name, sizeof name, "%s.%s", m->copies[v->process].name,
                 v->name);
    json_text(o, name, v->unit);
}

bool summary_has_units(const CosyModel *m)
{
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (has_unit(&m->variables[k]))
            return true;
    return cosy_time_unit(m)[0] != '\0';
}

void summary_units(Buffer *b, const CosyModel *m)
{
    JsonObject o = json_open(b);
    if (cosy_time_unit(m)[0])
        json_text(&o, "TIME", m->time_unit);
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (has_unit(&m->variables[k]))
            put_unit(&o, m, &m->variables[k]);
    json_close(&o);
}

static void put_project(JsonObject *o, const CosyModel *m)
{
    if (!m->author)
        return;
    json_key(o, "project");
    JsonObject project = json_open(o->b);
    json_count(&project, "number", m->project);
    json_text(&project, "author", m->author);
    json_close(&project);
}

/* The object of the only search, or a list of several. */
static void put_optimum(JsonObject *o, const Buffer *found)
{
    bool several = memchr(found->v.bytes, '\n', found->v.used) != NULL;
    json_line_key(o, "optimum");
    if (several)
        buffer_text(o->b, "[\n");
    put_buffer(o->b, found);
    if (several)
        buffer_char(o->b, ']');
}

/* What stands before the runs. */
static void put_head(Buffer *b, const CosyModel *m)
{
    JsonObject o = json_open(b);
    json_text(&o, "program", m->name);
    put_project(&o, m);
    json_text(&o, "cosy", COSY_RELEASE);
    json_count(&o, "results_version", COSY_RESULTS);
    json_text(&o, "model_sha256", m->hash);
    if (summary_has_units(m)) {
        json_line_key(&o, "units");
        summary_units(b, m);
    }
    json_line_key(&o, "runs");
    buffer_char(b, '[');
}

/* What stands after them. */
static void put_tail(Buffer *b, const Replications *r, const SummaryMore *more)
{
    JsonObject o = {.b = b, .begun = true};
    buffer_char(b, ']');
    if (r && replicate_any(r)) {
        json_line_key(&o, "replications");
        replicate_json(b, r);
    }
    if (r && pool_any(r)) {
        json_line_key(&o, "pooled");
        pool_json(b, r);
    }
    if (r && compare_any(r)) {
        json_line_key(&o, "comparisons");
        compare_json(b, r);
    }
    if (r && selected_any(r)) {
        json_line_key(&o, "selections");
        selected_json(b, r);
    }
    if (more && more->studies && more->studies->v.used) {
        json_line_key(&o, "studies");
        put_buffer(b, more->studies);
    }
    if (more && more->uncertain && more->uncertain->v.used) {
        json_line_key(&o, "uncertainty");
        put_buffer(b, more->uncertain);
    }
    if (more && more->optimum)
        put_optimum(&o, more->optimum);
    if (more && more->output && more->output->v.used) {
        buffer_text(b, ",\n ");
        put_buffer(b, more->output);
    }
    if (more && more->verified && more->verified->v.used) {
        json_line_key(&o, "verify");
        put_buffer(b, more->verified);
    }
    if (more && more->provenance) {
        json_line_key(&o, "provenance");
        buffer_text(b, more->provenance);
    }
    json_close(&o);
    buffer_char(b, '\n');
}

/* The text goes to its file at once, or, where there is much, piece by piece. */
typedef struct Document {
    const char *path; // NULL: no file
    Buffer text;      // that has not been written yet
    bool begun;       // there is something in the file
} Document;

enum { PIECE = 1 << 20 };

static Status put_piece(Document *d, const void *bytes, size_t n, Fault *f)
{
    Status s = d->begun ? file_add(d->path, bytes, n, f)
                        : file_put(d->path, bytes, n, f);
    d->begun = true;
    return s;
}

static Status flush(Document *d, Fault *f)
{
    if (d->text.broken)
        return fault_set(f, STATUS_MEMORY, "%s: no memory for it", d->path);
    Status s = put_piece(d, d->text.v.bytes, d->text.v.used, f);
    d->text.v.used = 0;
    return s;
}

/* The text of many runs is long, and not copied. */
static Status put_runs(Document *d, const Buffer *runs, uint32_t n, bool whole,
                       Fault *f)
{
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(&d->text, k == 0 ? "\n" : ",\n");
        d->text.broken = d->text.broken || runs[k].broken;
        if (whole || runs[k].v.used < PIECE) {
            put_buffer(&d->text, &runs[k]);
            continue;
        }
        TRY(flush(d, f));
        TRY(put_piece(d, runs[k].v.bytes, runs[k].v.used, f));
    }
    return STATUS_OK;
}

Status summary_write(const char *dir, const CosyModel *m, const Buffer *runs,
                     uint32_t n, const Replications *r, const SummaryMore *more,
                     Buffer *copy, Fault *f)
{
    Document d = {0};
    Buffer path = {0};
    Status s = dir != NULL ? dir_make(dir, f) : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    buffer_format(&path, "%s/summary.json", dir ? dir : "");
    d.path = buffer_string(&path);
    put_head(&d.text, m);
    s = put_runs(&d, runs, n, dir == NULL || copy != NULL, f);
    put_tail(&d.text, r, more);
    if (copy != NULL && !d.text.broken)
        put_buffer(copy, &d.text);
    d.text.broken = d.text.broken || path.broken;
    if (dir != NULL && s == STATUS_OK)
        s = flush(&d, f);
    buffer_free(&d.text);
    buffer_free(&path);
    return s;
}
