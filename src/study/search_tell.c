#include "study/search_own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "stats/json.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/value.h"

/* What a search has found, for everybody who looks at it: a few lines on the terminal,
   an object in summary.json, a file with all trials, a picture of how it went. */

#define WIDE 78 // columns of a terminal that sentences fill

const char *quest_kind(const Quest *q)
{
    switch (q->s->kind) {
    case COSY_MINIMIZE: return "MINIMIZE";
    case COSY_MAXIMIZE: return "MAXIMIZE";
    case COSY_FIT: return "FIT";
    case COSY_SOLVE: break;
    }
    return "SOLVE";
}

/* A FIT is named by its parameters, the first of them. */
static void put_fitted(Buffer *b, const Quest *q)
{
    enum { NAMED = 3 };
    for (uint32_t k = 0; k < q->s->n && k < NAMED; k++)
        buffer_format(b, "%s%s", k ? ", " : "", q->name[k]);
    if (q->s->n > NAMED)
        buffer_text(b, " ...");
}

void quest_put_wanted(Buffer *b, const Quest *q)
{
    if (q->s->kind == COSY_FIT) {
        put_fitted(b, q);
        return;
    }
    uint32_t n = q->s->kind == COSY_SOLVE ? q->s->results : 1;
    for (uint32_t k = 0; k < n; k++)
        buffer_format(b, "%s%s", k ? ", " : "", q->equation[k]);
}

/* Results that are conditions are told by the side on which they lie. */
static uint32_t first_condition(const Quest *q)
{
    return q->s->kind == COSY_SOLVE ? 0 : 1;
}

/* ---- Terminal ---------------------------------------------------------------------- */

static void put_short(Buffer *b, real value)
{
    number_print(b, 'g', 7, value);
}

/* With the digits that are known, and seven at least. */
static void put_known(Buffer *b, real value, real error)
{
    int digits = 7, most = COSY_DIGITS - 2;
    real share = cosy_abs(value) / error;
    if (cosy_finite(share) && share > R(1e6))
        digits = (int)ceil(log10((double)share)) + 1;
    number_print(b, 'g', digits < most ? digits : most, value);
}

const char *quest_unit(const Quest *q, uint32_t k)
{
    const CosyModel *m = q->e->model;
    return value_shown_unit(m->variables[q->s->parameter[k].variable].unit);
}

/* The unit of what is made small or large. */
static const char *value_unit_of(const Quest *q)
{
    const CosyModel *m = q->e->model;
    size_t length = strcspn(q->equation[0], "[");
    for (uint32_t k = 0; k < m->n_variables; k++)
        if (strlen(m->variables[k].name) == length &&
            strncmp(m->variables[k].name, q->equation[0], length) == 0)
            return value_shown_unit(m->variables[k].unit);
    return NULL;
}

/* After a value: its unit, in brackets. */
static void put_unit(Buffer *b, const char *unit)
{
    if (unit && unit[0])
        buffer_format(b, " [%s]", unit);
}

static void put_bounds(Buffer *b, const Quest *q, const QuestFound *f,
                       uint32_t k)
{
    const CosyWanted *w = &q->s->parameter[k];
    bool low = cosy_finite(w->low), high = cosy_finite(w->high);
    if (f->at && f->at[k]) {
        buffer_format(b, ", its %s bound", f->at[k] < 0 ? "lower" : "upper");
    } else if (low || high) {
        buffer_text(b, "  (");
        put_short(b, w->low);
        buffer_text(b, " .. ");
        put_short(b, w->high);
        buffer_char(b, ')');
    }
}

static void put_parameter(Buffer *b, const Quest *q, const QuestFound *f,
                          uint32_t k, size_t wide)
{
    real error = f->error ? f->error[k] : R(0.0);
    bool known = cosy_finite(error) && error > R(0.0);
    buffer_format(b, "  %-*s = ", (int)wide, q->name[k]);
    put_known(b, f->p[k], known ? error : R(0.0));
    if (known && q->s->kind != COSY_SOLVE) {
        buffer_text(b, " +- ");
        number_print(b, 'g', 2, error);
    }
    put_unit(b, quest_unit(q, k));
    put_bounds(b, q, f, k);
    if (f->idle && f->idle[k])
        buffer_text(b, ", without effect");
    buffer_char(b, '\n');
}

static size_t widest_name(const Quest *q)
{
    size_t most = 0;
    for (uint32_t k = 0; k < q->s->n; k++)
        most = strlen(q->name[k]) > most ? strlen(q->name[k]) : most;
    if (q->s->kind != COSY_SOLVE && strlen(q->equation[0]) > most)
        most = strlen(q->equation[0]);
    return most;
}

static void put_conditions(Buffer *b, const Quest *q, const QuestFound *f)
{
    uint32_t from = first_condition(q);
    for (uint32_t k = from; f->active && k < q->s->results; k++)
        if (f->active[k - from])
            buffer_format(b, "  %s: holds with nothing to spare\n",
                          q->equation[k]);
}

void quest_put_words(Buffer *b, const char *text)
{
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column && column + 1 + n > WIDE) {
            buffer_char(b, '\n');
            column = 0;
        }
        buffer_format(b, "%s%.*s", column ? " " : "  ", (int)n, text);
        column += n + 1;
        text += n + strspn(text + n, " ");
    }
    buffer_char(b, '\n');
}

/* How it went, in a few words for the heading. */
static const char *course_of(const QuestFound *f)
{
    static const struct {
        const char *end, *words;
    } courses[] = {
        {"found", "found"},
        {"at_bound", "found at a bound"},
        {"noise", "found, as well as noise allows,"},
        {"plateau", "found, one of many alike,"},
        {"flat", "no effect of any parameter"},
        {"unbounded", "no end"},
        {"infeasible", "conditions not met"},
        {"stuck", "not at the end"},
        {"most_trials", "no trial left"},
        {"stopped", "stopped"},
        {"failed", "failed"},
    };
    for (size_t k = 0; k < LENGTH(courses); k++)
        if (strcmp(courses[k].end, f->end) == 0)
            return courses[k].words;
    return "no root";
}

static void put_heading(Buffer *b, const Quest *q, const QuestFound *f)
{
    buffer_format(b, "\n%s ", quest_kind(q));
    quest_put_wanted(b, q);
    buffer_format(b, " (line %u): %s after %zu trial%s", (unsigned)q->s->line,
                  course_of(f), f->trials, f->trials == 1 ? "" : "s");
    if (f->failures)
        buffer_format(b, ", of which %zu failed", f->failures);
    if (q->s->kind == COSY_SOLVE && f->any && !f->found)
        buffer_text(b, "; the nearest point:");
    buffer_char(b, '\n');
}

/* Sentences stand here only if no message says them. */
static void tell_text(Quest *q, const QuestFound *f)
{
    Buffer *b = &q->e->found;
    size_t wide = widest_name(q);
    put_heading(b, q, f);
    for (uint32_t k = 0; f->any && k < q->s->n; k++)
        put_parameter(b, q, f, k, wide);
    if (f->any && q->s->kind != COSY_SOLVE) {
        buffer_format(b, "  %-*s = ", (int)wide, q->equation[0]);
        put_short(b, f->value);
        put_unit(b, value_unit_of(q));
        buffer_char(b, '\n');
    }
    put_conditions(b, q, f);
    if (f->remark[0] && (f->found || atomic_load(&q->e->stop)))
        quest_put_words(b, f->remark);
}

/* ---- summary.json ------------------------------------------------------------------- */

static void put_parameters(JsonObject *o, const Quest *q, const QuestFound *f)
{
    json_key(o, "parameters");
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; f->any && k < q->s->n; k++)
        json_number(&p, q->name[k], f->p[k]);
    json_close(&p);
    if (!f->any || !f->error)
        return;
    json_key(o, "uncertainty");
    p = json_open(o->b);
    for (uint32_t k = 0; k < q->s->n; k++)
        json_number(&p, q->name[k], f->error[k]);
    json_close(&p);
}

void quest_put_limits(JsonObject *o, const Quest *q)
{
    bool any = false;
    for (uint32_t k = 0; k < q->s->n; k++)
        any = any || cosy_finite(q->s->parameter[k].low) ||
              cosy_finite(q->s->parameter[k].high);
    if (!any)
        return;
    json_key(o, "bounds");
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; k < q->s->n; k++) {
        const CosyWanted *w = &q->s->parameter[k];
        json_key(&p, q->name[k]);
        buffer_char(p.b, '[');
        number_json(p.b, w->low);
        buffer_text(p.b, ", ");
        number_json(p.b, w->high);
        buffer_char(p.b, ']');
    }
    json_close(&p);
}

/* Conditions that hold with nothing to spare. */
static void put_active(JsonObject *o, const Quest *q, const QuestFound *f)
{
    uint32_t from = first_condition(q), said = 0;
    for (uint32_t k = from; f->active && k < q->s->results; k++) {
        if (!f->active[k - from])
            continue;
        if (said++ == 0) {
            json_key(o, "active");
            buffer_char(o->b, '[');
        } else {
            buffer_text(o->b, ", ");
        }
        buffer_json(o->b, q->equation[k]);
    }
    if (said)
        buffer_char(o->b, ']');
}

/* Differences of a SOLVE, or the conditions of the others. */
static void put_differences(JsonObject *o, const Quest *q, const real *result)
{
    uint32_t from = first_condition(q);
    if (!result || from == q->s->results)
        return;
    json_key(o, q->s->kind == COSY_SOLVE ? "residuals" : "conditions");
    JsonObject p = json_open(o->b);
    for (uint32_t k = from; k < q->s->results; k++)
        json_number(&p, q->equation[k], result[q->order[k]]);
    json_close(&p);
}

static void tell_json(Quest *q, const QuestFound *f, const real *result)
{
    Buffer *b = &q->e->optima, wanted = {0};
    if (b->v.used)
        buffer_text(b, ",\n");
    JsonObject o = json_open(b);
    quest_put_wanted(&wanted, q);
    json_text(&o, "kind", quest_kind(q));
    json_text(&o, "wanted", buffer_string(&wanted));
    json_count(&o, "line", q->s->line);
    json_count(&o, "frame", q->s->frame ? q->s->frame : 1);
    json_text(&o, "end", f->end);
    json_key(&o, "found");
    buffer_text(b, f->found ? "true" : "false");
    put_parameters(&o, q, f);
    quest_put_limits(&o, q);
    if (q->s->kind != COSY_SOLVE)
        json_number(&o, "value", f->any ? f->value : COSY_NAN);
    put_differences(&o, q, result);
    put_active(&o, q, f);
    if (f->method[0])
        json_text(&o, "method", f->method);
    if (f->gradients)
        json_text(&o, "gradients", f->gradients);
    json_count(&o, "run", q->e->gallery.runs);
    json_count(&o, "trials", f->trials);
    json_count(&o, "failed_trials", f->failures);
    json_text(&o, "message", f->words);
    json_close(&o);
    buffer_free(&wanted);
}

/* ---- search-NNNN.csv ----------------------------------------------------------------- */

static void put_history_head(Buffer *b, Quest *q, const SearchHistory *h,
                             const char *value)
{
    Buffer name = {0};
    buffer_text(b, "trial,status,best");
    for (uint32_t k = 0; k < h->n + h->results; k++) {
        name.v.used = 0;
        buffer_text(&name, k < h->n ? q->name[k] : q->equation[k - h->n]);
        if (k < h->n)
            value_put_unit(&name, quest_unit(q, k));
        buffer_char(b, ',');
        buffer_cell(b, buffer_string(&name));
    }
    if (value)
        buffer_format(b, ",%s", value);
    buffer_char(b, '\n');
    buffer_free(&name);
}

Status quest_history(Quest *q, const SearchHistory *h, const char *what,
                     const char *value, real more)
{
    Stage *stage = &q->e->stage;
    Buffer b = {0};
    if (!stage->open)
        return STATUS_OK;
    put_history_head(&b, q, h, value);
    for (size_t i = 0; i < h->count; i++) {
        SearchPoint p = search_point(h, i);
        buffer_format(&b, "%zu,%s,%d", i + 1,
                      p.status == STATUS_OK ? "ok" : "failed", p.best);
        for (uint32_t k = 0; k < h->n + h->results; k++) {
            buffer_char(&b, ',');
            number_text(&b, k < h->n ? p.p[k] : p.out[k - h->n]);
        }
        if (value) {
            buffer_char(&b, ',');
            number_text(&b, p.value + more);
        }
        buffer_char(&b, '\n');
    }
    return record_numbered(&b, stage_path(stage), what, q->e->searches,
                           &q->e->fault);
}

/* ---- Picture ------------------------------------------------------------------------- */

/* Trials, the best so far, and where the first failed. */
typedef struct Progress {
    double *at, *value;     // trials that meet the conditions
    double *miss_at, *miss; // those that do not
    double *best_at, *best;
    size_t n, misses, bests;
} Progress;

/* A SOLVE shows how far its results are from what they shall be. */
static double shown_value(const Quest *q, const SearchPoint *p)
{
    return (double)(q->s->kind == COSY_SOLVE ? cosy_abs(p->value) : p->out[0]);
}

static bool take_progress(Quest *q, const SearchHistory *h, Progress *p)
{
    *p = (Progress){.at = NEW_ARRAY(&q->arena, double, h->count),
                    .value = NEW_ARRAY(&q->arena, double, h->count),
                    .miss_at = NEW_ARRAY(&q->arena, double, h->count),
                    .miss = NEW_ARRAY(&q->arena, double, h->count),
                    .best_at = NEW_ARRAY(&q->arena, double, h->count + 1),
                    .best = NEW_ARRAY(&q->arena, double, h->count + 1)};
    if (!p->at || !p->value || !p->miss_at || !p->miss || !p->best_at ||
        !p->best)
        return false;
    for (size_t i = 0; i < h->count; i++) {
        SearchPoint one = search_point(h, i);
        double v = shown_value(q, &one);
        if (one.status != STATUS_OK || !isfinite(v))
            continue;
        if (one.violation > R(1e-6)) {
            p->miss_at[p->misses] = (double)(i + 1);
            p->miss[p->misses++] = v;
        } else {
            p->at[p->n] = (double)(i + 1);
            p->value[p->n++] = v;
        }
        if (!one.best)
            continue;
        p->best_at[p->bests] = (double)(i + 1);
        p->best[p->bests++] = v;
    }
    if (p->bests) {
        p->best_at[p->bests] = (double)h->count;
        p->best[p->bests] = p->best[p->bests - 1];
        p->bests++;
    }
    return true;
}

static Status tell_picture(Quest *q, const QuestFound *f)
{
    Progress p;
    Buffer title = {0};
    bool solve = q->s->kind == COSY_SOLVE;
    if (!q->e->options->dir || q->e->options->no_plots || f->history->count < 3)
        return STATUS_OK;
    if (!take_progress(q, f->history, &p))
        return STATUS_MEMORY;
    buffer_format(&title, "%s ", quest_kind(q));
    quest_put_wanted(&title, q);
    buffer_text(&title, ": the best so far");
    const PlotSeries series[] = {{.name = "trials",
                                  .style = PLOT_POINTS,
                                  .x = p.at,
                                  .y = p.value,
                                  .n = p.n,
                                  .faint = true},
                                 {.name = "best so far",
                                  .style = PLOT_STEPS,
                                  .x = p.best_at,
                                  .y = p.best,
                                  .n = p.bests},
                                 {.name = "conditions not met",
                                  .style = PLOT_POINTS,
                                  .x = p.miss_at,
                                  .y = p.miss,
                                  .n = p.misses}};
    const Plot plot = {
        .title = buffer_string(&title),
        .x = PLOT_AXIS("trial"),
        .y = {.label = solve ? "largest difference" : q->equation[0],
              .logarithmic = solve && p.n > 0,
              .low = 1,
              .high = 0},
        .series = series,
        .n = p.misses ? 3 : 2,
        .always = true};
    Status s =
        p.n + p.misses ? plots_add(&q->e->gallery.pictures, &plot) : STATUS_OK;
    buffer_free(&title);
    return s;
}

/* ---- Bells --------------------------------------------------------------------------- */

static void ring(Quest *q, const QuestFound *f)
{
    Buffer b = {0};
    if (f->found || !f->any || q->s->kind == COSY_SOLVE ||
        atomic_load(&q->e->stop))
        return;
    buffer_format(&b, "%s %s: %s", quest_kind(q), q->equation[0], f->words);
    if (q->failed.text[0])
        buffer_format(&b, " The first to fail: %s", q->failed.text);
    outlet_message(&q->e->outlet, COSY_WARNING, q->s->line, buffer_string(&b));
    buffer_free(&b);
}

Status quest_tell(Quest *q, const QuestFound *f, const real *result)
{
    Experiment *e = q->e;
    e->searches++;
    ring(q, f);
    if (e->quiet)
        return STATUS_OK;
    tell_text(q, f);
    tell_json(q, f, result);
    TRY(quest_history(q, f->history, "search", NULL, R(0.0)));
    return tell_picture(q, f);
}
