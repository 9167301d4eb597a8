#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "stats/json.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/value.h"
#include "study/fit_own.h"

/* What a FIT has found, for everybody who looks at it: lines on the terminal, an object
   in summary.json, its trials, and the data beside what was predicted for them. */

enum {
    CORRELATIONS = 6, // the most on the terminal
    OPTIMA = 5        // the same
};
#define CORRELATED R(0.9) // from which on a correlation is told

/* ---- What is told ------------------------------------------------------------------ */

/* Parameters, and noise that was estimated. */
static uint32_t estimated(const Quest *q, const FitFound *f)
{
    return q->s->n + f->plan.groups;
}

/* The likelihood is that of the data as they were measured, also where LOG compares their
   logarithms. */
static real nll_of(const FitFound *f)
{
    return f->a.nll + f->plan.logarithms;
}

static real aic_of(const Quest *q, const FitFound *f)
{
    return R(2.0) * (nll_of(f) + (real)estimated(q, f));
}

static real bic_of(const Quest *q, const FitFound *f)
{
    return R(2.0) * nll_of(f) +
           (real)estimated(q, f) * cosy_log((real)f->plan.m);
}

static bool is_known(const FitFound *f)
{
    return f->plan.groups == 0 && !f->plan.noisy;
}

static const char *end_of(LeastEnd end)
{
    switch (end) {
    case LEAST_FOUND: return "found";
    case LEAST_AT_BOUND: return "at_bound";
    case LEAST_FLAT: return "flat";
    case LEAST_ENDLESS: return "endless";
    case LEAST_STUCK: return "stuck";
    case LEAST_MOST: return "most_trials";
    case LEAST_FAILED: return "failed";
    case LEAST_STOPPED: return "stopped";
    }
    return "";
}

static const char *course_of(LeastEnd end)
{
    switch (end) {
    case LEAST_FOUND: return "found";
    case LEAST_AT_BOUND: return "found at a bound";
    case LEAST_FLAT: return "found, and not determined by the data";
    case LEAST_ENDLESS: return "no end";
    case LEAST_STUCK: return "not at the end";
    case LEAST_MOST: return "no trial left";
    case LEAST_FAILED: return "failed";
    case LEAST_STOPPED: return "stopped";
    }
    return "";
}

static bool is_found(const FitFound *f)
{
    return f->a.end == LEAST_FOUND || f->a.end == LEAST_AT_BOUND ||
           f->a.end == LEAST_FLAT;
}

uint32_t fit_run_of(const FitFound *f, uint32_t datum)
{
    if (!f->taken)
        return 0;
    return atomic_load(&f->taken->row[f->plan.datum[datum].place].run);
}

static uint32_t run_count(const FitFound *f)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < f->plan.m; k++)
        most = fit_run_of(f, k) > most ? fit_run_of(f, k) : most;
    return most;
}

void fit_run_label(Buffer *b, const Quest *q, const FitFound *f, uint32_t run)
{
    const FitPlan *p = &f->plan;
    if (run_count(f) < 2)
        return;
    for (uint32_t k = 0; k < p->m; k++) {
        const FitDatum *d = &p->datum[k];
        const CosyData *from = &p->fit->data[d->data];
        if (fit_run_of(f, k) != run || from->keys == 0)
            continue;
        size_t width = 1 + from->keys + 2 * (size_t)from->observed;
        for (uint32_t i = 0; i < from->keys; i++) {
            const CosyItemOf *key = &from->key[i];
            buffer_text(b, i ? ", " : "");
            value_name(b, &q->e->model->variables[key->variable],
                       key->element == COSY_NONE ? 0 : key->element);
            buffer_text(b, " = ");
            number_print(b, 'g', 6, from->number[d->row * width + 1 + i]);
        }
        return;
    }
    buffer_format(b, "run %u", (unsigned)run);
}

/* ---- Terminal ------------------------------------------------------------------------- */

static void put_number(Buffer *b, int digits, real value)
{
    if (cosy_finite(value))
        number_print(b, 'g', digits, value);
    else
        buffer_text(b, value > R(0.0) ? "inf" : value < R(0.0) ? "-inf" : "-");
}

/* Right-aligned in so many columns. */
static void put_cell(Buffer *b, int wide, int digits, real value)
{
    Buffer text = {0};
    put_number(&text, digits, value);
    buffer_format(b, "%*s", wide, buffer_string(&text));
    buffer_free(&text);
}

static const char *named(const Quest *q, uint32_t k, Buffer *b)
{
    b->v.used = 0;
    buffer_text(b, q->name[k]);
    value_put_unit(b, value_shown_unit(quest_unit(q, k)));
    return buffer_string(b);
}

static int widest(const Quest *q)
{
    Buffer b = {0};
    size_t most = 9;
    for (uint32_t k = 0; k < q->s->n; k++) {
        size_t n = strlen(named(q, k, &b));
        most = n > most ? n : most;
    }
    buffer_free(&b);
    return most > 30 ? 30 : (int)most;
}

static void put_remark(Buffer *b, const FitFound *f, uint32_t k)
{
    const LeastAnswer *a = &f->a;
    if (a->at[k])
        buffer_format(b, "  its %s bound", a->at[k] < 0 ? "lower" : "upper");
    else if (is_found(f) && a->idle[k])
        buffer_text(b, "  without effect");
    else if (is_found(f) && !a->determined[k])
        buffer_text(b, "  not determined");
}

static void put_parameters(Buffer *b, const Quest *q, const FitFound *f)
{
    int wide = widest(q);
    Buffer name = {0};
    buffer_format(b, "  %-*s%14s%12s%28s\n", wide, "parameter", "value",
                  "std. error", "95 % interval");
    for (uint32_t k = 0; k < q->s->n; k++) {
        const LeastAnswer *a = &f->a;
        buffer_format(b, "  %-*s", wide, named(q, k, &name));
        put_cell(b, 14, 7, a->p[k]);
        put_cell(b, 12, 3, a->error[k]);
        if (cosy_finite(a->low[k]) && cosy_finite(a->high[k])) {
            put_cell(b, 13, 5, a->low[k]);
            buffer_text(b, " .. ");
            put_cell(b, 11, 5, a->high[k]);
        }
        put_remark(b, f, k);
        buffer_char(b, '\n');
    }
    buffer_free(&name);
}

static void put_quality(Buffer *b, const Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    buffer_format(b, "  %u data", (unsigned)f->plan.m);
    if (is_known(f)) {
        buffer_text(b, ", chi2 ");
        put_number(b, 6, a->squares);
        buffer_text(b, " with ");
        put_number(b, 6, a->freedom);
        buffer_text(b, " degrees of freedom\n  nll ");
    } else {
        buffer_text(b, ", nll ");
    }
    put_number(b, 8, nll_of(f));
    buffer_text(b, ", AIC ");
    put_number(b, 6, aic_of(q, f));
    buffer_text(b, ", BIC ");
    put_number(b, 6, bic_of(q, f));
    buffer_char(b, '\n');
    for (uint32_t k = 0; k < f->plan.groups; k++) {
        buffer_format(b, "  noise of %s, estimated: ", f->plan.group_name[k]);
        put_number(b, 4, a->level[k]);
        buffer_char(b, '\n');
    }
}

static void put_correlations(Buffer *b, const Quest *q, const FitFound *f)
{
    uint32_t n = q->s->n, said = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n; k++) {
            real r = f->a.correlation[i * n + k];
            if (!(cosy_abs(r) >= CORRELATED) || said++ >= CORRELATIONS)
                continue;
            buffer_text(b, said == 1                      ? "  correlated: "
                           : said == CORRELATIONS / 2 + 1 ? ",\n    "
                                                          : ", ");
            buffer_format(b, "%s with %s ", q->name[i], q->name[k]);
            number_print(b, 'f', 3, r);
        }
    if (said > CORRELATIONS)
        buffer_format(b, " and %u more", (unsigned)(said - CORRELATIONS));
    if (said)
        buffer_char(b, '\n');
}

/* Where several starts led. */
static void put_starts(Buffer *b, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    if (a->starts < 2 || a->optima == 0)
        return;
    buffer_format(b,
                  "  %u starts, nll of where they led:", (unsigned)a->starts);
    for (uint32_t k = 0; k < a->optima && k < OPTIMA; k++) {
        buffer_text(b, k ? ", " : " ");
        put_number(b, 7, a->optimum[k].value + f->plan.logarithms);
        buffer_format(b, " (%u)", (unsigned)a->optimum[k].times);
    }
    if (a->optima > OPTIMA)
        buffer_format(b, " ... of %u", (unsigned)a->optima);
    buffer_char(b, '\n');
}

static void put_side(Buffer *b, const LeastCurve *c, int side)
{
    static const char *const how[] = {[LEAST_SIDE_CROSSED] = "",
                                      [LEAST_SIDE_BOUND] = " (bound)",
                                      [LEAST_SIDE_OPEN] = " (open)",
                                      [LEAST_SIDE_FAILED] = " (trials fail)",
                                      [LEAST_SIDE_MOST] = " (no trial left)",
                                      [LEAST_SIDE_STOPPED] = " (stopped)"};
    put_number(b, 5, side ? c->high : c->low);
    buffer_text(b, how[c->side[side]]);
}

static void put_profiles(Buffer *b, const Quest *q, const FitFound *f)
{
    if (!f->profiled)
        return;
    buffer_text(b, "  95 % intervals by profile likelihood:\n");
    for (uint32_t k = 0; k < f->profile.count; k++) {
        const LeastCurve *c = &f->profile.curve[k];
        buffer_format(b, "    %-*s ", widest(q), q->name[c->parameter]);
        put_side(b, c, 0);
        buffer_text(b, " .. ");
        put_side(b, c, 1);
        buffer_char(b, '\n');
    }
}

/* Deviations that do not go with the standard deviations that were given. */
static void put_scale(Buffer *b, const FitFound *f)
{
    char text[400];
    double scale = (double)f->a.scale;
    if (!is_known(f) || !(f->a.freedom >= R(5.0)) ||
        (scale < 2.0 && scale > 0.4))
        return;
    snprintf(text, sizeof text,
             scale >= 2.0
                 ? "The data lie %.2g times as far from the curves as their "
                   "standard deviations say: either these are too small, or "
                   "the model lacks something; the errors above believe them."
                 : "The data lie only %.2g times as far from the curves as "
                   "their standard deviations say: these are too large, or the "
                   "data are not independent.",
             scale);
    quest_put_words(b, text);
}

static void tell_text(Quest *q, const FitFound *f)
{
    Buffer *b = &q->e->found;
    const LeastAnswer *a = &f->a;
    buffer_text(b, "\nFIT ");
    quest_put_wanted(b, q);
    buffer_format(b, " (line %u): %s after %zu trial%s", (unsigned)q->s->line,
                  course_of(a->end), a->trials, a->trials == 1 ? "" : "s");
    if (a->failures)
        buffer_format(b, ", of which %zu failed", a->failures);
    buffer_char(b, '\n');
    if (!a->found)
        return;
    put_parameters(b, q, f);
    put_quality(b, q, f);
    put_correlations(b, q, f);
    put_starts(b, f);
    put_profiles(b, q, f);
    if (a->remark[0])
        quest_put_words(b, a->remark);
    if (a->verdict[0])
        quest_put_words(b, a->verdict);
    put_scale(b, f);
    if (f->profiled && f->profile.words[0])
        quest_put_words(b, f->profile.words);
}

/* ---- summary.json ----------------------------------------------------------------------- */

static void put_each(JsonObject *o, const Quest *q, const char *name,
                     const real *value)
{
    json_key(o, name);
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; k < q->s->n; k++)
        json_number(&p, q->name[k], value[k]);
    json_close(&p);
}

static void put_pairs(JsonObject *o, const Quest *q, const char *name,
                      const real *low, const real *high)
{
    json_key(o, name);
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; k < q->s->n; k++)
        json_pair(&p, q->name[k], low[k], high[k],
                  cosy_finite(low[k]) && cosy_finite(high[k]));
    json_close(&p);
}

/* Rows of the matrix, in the order of the parameters. */
static void put_matrix(JsonObject *o, const Quest *q, const FitFound *f)
{
    uint32_t n = q->s->n;
    json_key(o, "correlations");
    buffer_char(o->b, '[');
    for (uint32_t i = 0; i < n; i++) {
        buffer_text(o->b, i ? ", [" : "[");
        for (uint32_t k = 0; k < n; k++) {
            buffer_text(o->b, k ? ", " : "");
            number_json(o->b, f->a.correlation[i * n + k]);
        }
        buffer_char(o->b, ']');
    }
    buffer_char(o->b, ']');
}

static void put_fit(JsonObject *o, const Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    json_count(o, "data", f->plan.m);
    json_number(o, "nll", nll_of(f));
    json_number(o, is_known(f) ? "chi2" : "squares", a->squares);
    json_number(o, "freedom", a->freedom);
    json_number(o, "scale", a->scale);
    json_number(o, "aic", aic_of(q, f));
    json_number(o, "bic", bic_of(q, f));
    json_number(o, "r2", a->r2);
    json_number(o, "rms", a->rms);
    json_key(o, "noise");
    JsonObject p = json_open(o->b);
    for (uint32_t k = 0; k < f->plan.groups; k++)
        json_number(&p, f->plan.group_name[k], a->level[k]);
    json_close(&p);
}

static void put_optima(JsonObject *o, const Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    if (a->starts < 2)
        return;
    json_count(o, "starts", a->starts);
    json_key(o, "optima");
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < a->optima; k++) {
        buffer_text(o->b, k ? ", " : "");
        JsonObject p = json_open(o->b);
        json_number(&p, "nll", a->optimum[k].value + f->plan.logarithms);
        json_count(&p, "starts", a->optimum[k].times);
        put_each(&p, q, "parameters", a->optimum[k].p);
        json_close(&p);
    }
    buffer_char(o->b, ']');
}

/* Whether the data leave a parameter open, or do not tell it from zero. */
static bool is_unsupported(const LeastAnswer *a, uint32_t k)
{
    return a->at[k] == 0 && (a->idle[k] || !a->determined[k] ||
                             !(a->error[k] <= cosy_abs(a->p[k])));
}

/* Its parts of the parameters, and how well it is known; null: not at all. */
static void put_direction(JsonObject *o, const Quest *q, const LeastAnswer *a,
                          uint32_t k, bool open)
{
    const real *direction = a->direction + (size_t)k * q->s->n;
    JsonObject p = json_open(o->b), each;
    json_number(&p, "deviation",
                open ? COSY_NAN : R(1.0) / cosy_sqrt(a->eigenvalue[k]));
    json_key(&p, "parameters");
    each = json_open(o->b);
    for (uint32_t i = 0; i < q->s->n; i++)
        if (cosy_abs(direction[i]) > R(0.05))
            json_number(&each, q->name[i], direction[i]);
    json_close(&each);
    json_close(&p);
}

/* What the model has and the data do not support: parameters, and directions among
   them about which the data say nothing, or no more than their size. */
static void put_unsupported(JsonObject *o, const Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    uint32_t n = q->s->n, any = a->open + a->weak, free = 0, said = 0;
    for (uint32_t k = 0; k < n; k++) {
        any += is_unsupported(a, k);
        free += a->at[k] == 0;
    }
    if (any == 0 || !is_found(f))
        return;
    json_key(o, "unsupported");
    JsonObject p = json_open(o->b);
    json_key(&p, "parameters");
    buffer_char(o->b, '[');
    for (uint32_t k = 0; k < n; k++)
        if (is_unsupported(a, k)) {
            buffer_text(o->b, said++ ? ", " : "");
            buffer_json(o->b, q->name[k]);
        }
    buffer_char(o->b, ']');
    json_key(&p, "directions");
    buffer_char(o->b, '[');
    for (uint32_t k = free - a->open - a->weak; k < free; k++) {
        bool open = k >= free - a->open;
        buffer_text(o->b, k == free - a->open - a->weak ? "" : ", ");
        put_direction(&p, q, a, k, open);
    }
    buffer_char(o->b, ']');
    json_close(&p);
}

static const char *side_name(LeastSide s)
{
    static const char *const name[] = {
        [LEAST_SIDE_CROSSED] = "crossed",  [LEAST_SIDE_BOUND] = "bound",
        [LEAST_SIDE_OPEN] = "open",        [LEAST_SIDE_FAILED] = "failed",
        [LEAST_SIDE_MOST] = "most_trials", [LEAST_SIDE_STOPPED] = "stopped"};
    return name[s];
}

static void put_profile_json(JsonObject *o, const Quest *q, const FitFound *f)
{
    if (!f->profiled)
        return;
    json_key(o, "profiles");
    JsonObject all = json_open(o->b);
    for (uint32_t k = 0; k < f->profile.count; k++) {
        const LeastCurve *c = &f->profile.curve[k];
        json_key(&all, q->name[c->parameter]);
        JsonObject p = json_open(o->b);
        json_number(&p, "low", c->low);
        json_number(&p, "high", c->high);
        json_text(&p, "low_end", side_name(c->side[0]));
        json_text(&p, "high_end", side_name(c->side[1]));
        json_close(&p);
    }
    json_close(&all);
}

static void put_answer(JsonObject *o, const Quest *q, const FitFound *f)
{
    const LeastAnswer *a = &f->a;
    put_each(o, q, "parameters", a->p);
    put_each(o, q, "uncertainty", a->error);
    put_pairs(o, q, "interval", a->low, a->high);
    quest_put_limits(o, q);
    put_matrix(o, q, f);
    put_fit(o, q, f);
    put_unsupported(o, q, f);
    put_optima(o, q, f);
    put_profile_json(o, q, f);
}

static void tell_json(Quest *q, const FitFound *f)
{
    Buffer *b = &q->e->optima, wanted = {0}, message = {0};
    const LeastAnswer *a = &f->a;
    if (b->v.used)
        buffer_text(b, ",\n");
    JsonObject o = json_open(b);
    quest_put_wanted(&wanted, q);
    buffer_text(&message, a->words);
    if (a->found && a->verdict[0])
        buffer_format(&message, " %s", a->verdict);
    json_text(&o, "kind", "FIT");
    json_text(&o, "wanted", buffer_string(&wanted));
    json_count(&o, "line", q->s->line);
    json_count(&o, "frame", q->s->frame ? q->s->frame : 1);
    json_text(&o, "end", end_of(a->end));
    json_key(&o, "found");
    buffer_text(b, is_found(f) ? "true" : "false");
    if (a->found)
        put_answer(&o, q, f);
    json_count(&o, "run", f->first + 1);
    json_count(&o, "trials", a->trials);
    json_count(&o, "failed_trials", a->failures);
    json_text(&o, "message", buffer_string(&message));
    json_close(&o);
    buffer_free(&wanted);
    buffer_free(&message);
}

/* ---- Files ---------------------------------------------------------------------------- */

/* The data beside what is predicted for them, in the order of the files. */
static Status tell_residuals(Quest *q, const FitFound *f)
{
    const FitPlan *p = &f->plan;
    Buffer b = {0};
    if (!q->e->stage.open || !f->a.found)
        return STATUS_OK;
    buffer_text(&b, "file,line,run,TIME");
    value_put_unit(&b, cosy_time_unit(q->e->model));
    buffer_text(&b, ",observed,scale,measured,predicted,sd,residual,"
                    "normalised\n");
    for (uint32_t k = 0; k < p->m; k++) {
        const CosyObserved *o = fit_observed(p, k);
        const real cell[] = {p->y[k], f->a.prediction[k], f->a.sd[k],
                             f->a.residual[k], f->a.rho[k]};
        uint32_t run = fit_run_of(f, k);
        buffer_cell(&b, p->fit->data[p->datum[k].data].file);
        buffer_format(&b, ",%u,%u,", (unsigned)fit_line(p, k),
                      (unsigned)(run ? f->first + run : 0));
        number_text(&b, fit_time(p, k));
        buffer_char(&b, ',');
        buffer_cell(&b, o->text);
        buffer_format(&b, ",%s", o->log ? "log" : "linear");
        for (size_t i = 0; i < LENGTH(cell); i++) {
            buffer_char(&b, ',');
            number_text(&b, cell[i]);
        }
        buffer_char(&b, '\n');
    }
    return record_numbered(&b, stage_path(&q->e->stage), "fit-residuals",
                           q->e->searches, &q->e->fault);
}

static Status tell_profiles(Quest *q, const FitFound *f)
{
    Buffer b = {0};
    if (!q->e->stage.open || !f->profiled)
        return STATUS_OK;
    buffer_text(&b, "parameter,held,rise");
    for (uint32_t k = 0; k < q->s->n; k++) {
        buffer_char(&b, ',');
        buffer_cell(&b, q->name[k]);
    }
    buffer_char(&b, '\n');
    for (uint32_t i = 0; i < f->profile.count; i++) {
        const LeastCurve *c = &f->profile.curve[i];
        for (size_t k = 0; k < c->points; k++) {
            buffer_cell(&b, q->name[c->parameter]);
            buffer_char(&b, ',');
            number_text(&b, c->at[k]);
            buffer_char(&b, ',');
            number_text(&b, c->rise[k]);
            for (uint32_t j = 0; j < q->s->n; j++) {
                buffer_char(&b, ',');
                number_text(&b, c->p[k * q->s->n + j]);
            }
            buffer_char(&b, '\n');
        }
    }
    return record_numbered(&b, stage_path(&q->e->stage), "fit-profiles",
                           q->e->searches, &q->e->fault);
}

/* ---- All of it -------------------------------------------------------------------------- */

static void ring(Quest *q, const FitFound *f)
{
    Buffer b = {0};
    if (is_found(f) || !f->a.found || atomic_load(&q->e->stop))
        return;
    buffer_format(&b, "FIT: %s", f->a.words);
    if (q->failed.text[0] && f->a.failures)
        buffer_format(&b, " The first to fail: %s", q->failed.text);
    outlet_message(&q->e->outlet, COSY_WARNING, q->s->line, buffer_string(&b));
    buffer_free(&b);
}

Status fit_tell(Quest *q, const FitFound *f)
{
    q->e->searches++;
    ring(q, f);
    if (q->e->quiet)
        return STATUS_OK;
    tell_text(q, f);
    tell_json(q, f);
    TRY(quest_history(q, &f->a.history, "fit", "nll", f->plan.logarithms));
    TRY(tell_residuals(q, f));
    TRY(tell_profiles(q, f));
    return fit_pictures(q, f);
}
