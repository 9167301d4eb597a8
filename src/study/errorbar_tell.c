#include "study/errorbar_tell.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/json.h"
#include "stats/number.h"
#include "stats/record.h"
#include "stats/value.h"
#include "study/digits.h"

static const char *field_name(const CosyModel *m, uint32_t field)
{
    return m->variables[m->fields[field].variable].name;
}

static const char *field_unit(const CosyModel *m, uint32_t field)
{
    return value_shown_unit(m->variables[m->fields[field].variable].unit);
}

static real real_at(const Vector *v, size_t k)
{
    return ((const real *)(const void *)v->bytes)[k];
}

static const BarNorm *norm_at(const FieldBar *f, uint32_t k)
{
    return (const BarNorm *)(const void *)f->norms.bytes + k;
}

/* ---- JSON ----------------------------------------------------------------------------- */

/* Three figures of an estimate are more than it has. */
static void put_number(Buffer *b, real value)
{
    if (cosy_finite(value))
        buffer_format(b, "%.3g", (double)value);
    else
        buffer_text(b, "null");
}

static void key_number(JsonObject *o, const char *name, real value)
{
    json_key(o, name);
    put_number(o->b, value);
}

static void key_truth(JsonObject *o, const char *name, bool value)
{
    json_key(o, name);
    buffer_text(o->b, value ? "true" : "false");
}

/* Coordinates of different FIELDs may have one name: later ones get their line, too. */
static void key_points(JsonObject *o, const char *name, const CosyModel *m)
{
    json_key(o, name);
    JsonObject points = json_open(o->b);
    for (uint32_t k = 0; k < m->n_axes; k++) {
        const CosyAxis *a = &m->axes[k];
        char text[200];
        bool again = false;
        for (uint32_t i = 0; i < k; i++)
            again = again || strcmp(m->axes[i].name, a->name) == 0;
        snprintf(text, sizeof text, again ? "%.150s@%u" : "%.150s", a->name,
                 (unsigned)a->line);
        json_count(&points, text, a->points);
    }
    json_close(&points);
}

static void key_order(JsonObject *o, const CosyField *f)
{
    json_key(o, "expected");
    if (f->order)
        buffer_count(o->b, f->order);
    else
        buffer_text(o->b, "null");
}

static void put_field(Buffer *b, const ErrorBar *e, const FieldBar *f)
{
    const CosyField *field = &e->of.run.model->fields[f->field];
    const BarNorm *end =
        norm_at(f, (uint32_t)(f->norms.used / sizeof *end) - 1);
    JsonObject o = json_open(b);
    key_number(&o, "max", f->worst.max);
    key_number(&o, "l1", f->worst.mean);
    key_number(&o, "order", f->worst.order);
    key_order(&o, field);
    json_text(&o, "norm", f->worst.in_mean ? "l1" : "max");
    key_truth(&o, "reliable", f->worst.reliable);
    json_text(&o, "words", refine_words(f->worst.word));
    json_text(&o, "scheme", field->scheme);
    key_number(&o, "size", f->size);
    key_number(&o, "time_error", f->time);
    if (end->any) {
        key_number(&o, "max_at_end", end->max);
        key_number(&o, "l1_at_end", end->mean);
    }
    json_close(&o);
}

static void put_fields(Buffer *b, const ErrorBar *e)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(e, &n);
    JsonObject o = json_open(b);
    for (uint32_t k = 0; k < n; k++) {
        json_line_key(&o, field_name(e->of.run.model, f[k].field));
        put_field(b, e, &f[k]);
        o.begun = true;
    }
    json_close(&o);
}

/* Values of one variable, or one figure of a statistic. */
static uint32_t group_end(const ErrorBar *e, uint32_t first)
{
    uint32_t n, end = first + 1;
    const DigestValue *v = digest_values(e->of.run.digest, &n);
    while (v[first].kind == DIGEST_FINAL && end < n &&
           v[end].kind == DIGEST_FINAL && v[end].which == v[first].which)
        end++;
    return end;
}

/* Whether anything there may be wrong: a number that no grid changes is not, nor is
   a list worth its length where nearly nobody reads it. */
static bool has_estimate(const ErrorBar *e, uint32_t first, uint32_t end)
{
    bool any = false;
    for (uint32_t k = first; k < end; k++) {
        real x = real_at(&e->values, k);
        any = any || (cosy_finite(x) && x > R(0.0));
    }
    return any && end - first <= VALUE_INLINE_LIMIT;
}

static void put_estimates(Buffer *b, const ErrorBar *e)
{
    uint32_t n;
    const DigestValue *v = digest_values(e->of.run.digest, &n);
    JsonObject o = json_open(b);
    for (uint32_t k = 0, end; k < n; k = end) {
        Buffer name = {0};
        end = group_end(e, k);
        if (!has_estimate(e, k, end))
            continue;
        buffer_text(&name, digits_owner(e->of.run.model, &v[k]));
        if (v[k].kind != DIGEST_FINAL)
            buffer_format(&name, ".%s", digits_figure(&v[k]));
        json_key(&o, buffer_string(&name));
        b->broken = b->broken || name.broken;
        buffer_free(&name);
        if (end - k > 1)
            buffer_char(b, '[');
        for (uint32_t i = k; i < end; i++) {
            buffer_text(b, i == k ? "" : ", ");
            put_number(b, real_at(&e->values, i));
        }
        if (end - k > 1)
            buffer_char(b, ']');
    }
    json_close(&o);
}

static void put_events(Buffer *b, const ErrorBar *e)
{
    uint32_t n, told = 0;
    const DigestEvent *event = digest_events(e->of.run.digest, &n);
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n && told < VALUE_INLINE_LIMIT; k++) {
        real estimate = real_at(&e->events, k);
        if (estimate == R(0.0)) // scheduled: it depends on no field
            continue;
        buffer_text(b, told++ ? ", " : "");
        JsonObject o = json_open(b);
        json_text(&o, "event", agree_event(e->of.run.model, &event[k]));
        json_number(&o, "time", (real)event[k].t.high + (real)event[k].t.low);
        key_number(&o, "estimate", estimate);
        json_close(&o);
    }
    buffer_char(b, ']');
}

static real time_error(const ErrorBar *e)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(e, &n);
    real most = COSY_NAN;
    for (uint32_t k = 0; k < n; k++)
        most = cosy_finite(most) ? cosy_max(most, f[k].time) : f[k].time;
    return most;
}

static void put_message(Buffer *b, const ErrorBar *e)
{
    if (!e->made)
        buffer_format(b, "no error bar: %s", e->why);
    else if (e->parts)
        buffer_format(b, "from time %.10g%s%s on nothing has an estimate: %s",
                      (double)e->parts_at, COSY_IN_TIME(e->of.run.model),
                      e->parts_words);
}

void errorbar_json(Buffer *b, const ErrorBar *e, const ErrorBarMore *more)
{
    Buffer words = {0};
    JsonObject o = json_open(b);
    key_points(&o, "points", e->of.run.model);
    if (e->of.half.model)
        key_points(&o, "half", e->of.half.model);
    if (e->of.quarter.model)
        key_points(&o, "quarter", e->of.quarter.model);
    if (more->refined[0])
        json_text(&o, "auto", more->refined);
    if (more->share < R(1.0))
        key_number(&o, "relerr_share", more->share);
    put_message(&words, e);
    json_text(&o, "message", buffer_string(&words));
    if (e->made) {
        key_truth(&o, "reliable", e->reliable);
        key_number(&o, "time_error", time_error(e));
        json_line_key(&o, "fields");
        put_fields(b, e);
        json_line_key(&o, "estimates");
        put_estimates(b, e);
        json_line_key(&o, "events");
        put_events(b, e);
    } else {
        key_truth(&o, "reliable", false);
    }
    json_close(&o);
    b->broken = b->broken || words.broken;
    buffer_free(&words);
}

void errorbar_none(Buffer *b, const CosyModel *m, const char *why)
{
    const ErrorBarMore more = {.share = R(1.0), .refined = ""};
    ErrorBar e = {.of = {.run = {.model = m}}};
    Buffer words = {0};
    buffer_text(&words, why);
    snprintf(e.why, sizeof e.why, "%s", buffer_string(&words));
    buffer_free(&words);
    errorbar_json(b, &e, &more);
}

/* ---- The terminal ---------------------------------------------------------------------- */

/* "order 2.0, as expected" */
static void put_order(Buffer *b, const CosyField *f, const BarNorm *n)
{
    if (cosy_finite(n->order))
        buffer_format(b, "order %.1f", (double)n->order);
    if (cosy_finite(n->order) && n->word == REFINE_OTHER)
        buffer_format(b, " where %u is expected", f->order);
    else
        buffer_format(b, "%s%s", cosy_finite(n->order) ? ", " : "",
                      refine_words(n->word));
}

/* "U [K] at most 2.1e-4, 7e-5 on average (order 2.0, as expected)" */
static void put_bar(Buffer *b, const ErrorBar *e, const FieldBar *f)
{
    const CosyModel *m = e->of.run.model;
    const BarNorm *n = &f->worst;
    const char *unit = field_unit(m, f->field);
    buffer_format(b, "%s", field_name(m, f->field));
    if (!n->any) {
        buffer_text(b, " has no estimate");
        return;
    }
    if (n->in_mean)
        buffer_format(b, " %.2g%s%s on average, %.2g where it is steep",
                      (double)n->mean, unit[0] ? " " : "", unit,
                      (double)n->max);
    else
        buffer_format(b, " at most %.2g%s%s", (double)n->max,
                      unit[0] ? " " : "", unit);
    buffer_text(b, " (");
    put_order(b, &m->fields[f->field], n);
    buffer_text(b, n->reliable || n->word == REFINE_LOST ? ")"
                   : n->word == REFINE_EXPECTED ? "; elsewhere not reliable)"
                                                : "; not reliable)");
}

void errorbar_text(Buffer *b, const ErrorBar *e, const ErrorBarMore *more)
{
    uint32_t n;
    const FieldBar *f = errorbar_fields(e, &n);
    if (more->refined[0])
        buffer_format(b, "  %s\n", more->refined);
    if (!e->made || e->parts) {
        buffer_text(b, "  error in space: ");
        put_message(b, e);
        buffer_char(b, '\n');
    }
    for (uint32_t k = 0; e->made && k < n; k++) {
        buffer_text(b, "  error in space: ");
        put_bar(b, e, &f[k]);
        buffer_char(b, '\n');
    }
    if (e->made && more->share < R(1.0))
        buffer_format(b,
                      "  RELERR and ABSERR were multiplied by %.2g to keep the "
                      "error in time below it\n",
                      (double)more->share);
}

/* ---- Files ------------------------------------------------------------------------------- */

static void put_cell(Buffer *b, real value)
{
    buffer_char(b, ',');
    if (cosy_finite(value))
        number_print(b, 'g', 3, value);
}

static Status write_rows(const ErrorBar *e, const char *dir, uint32_t run,
                         Fault *f)
{
    const CosyModel *m = e->of.run.model;
    uint32_t columns = record_width(m, false);
    size_t n = e->rows.used / sizeof(real) / columns;
    Buffer b = {0};
    record_header(&b, m, false);
    for (size_t k = 0; k < n; k++) {
        number_text(&b, real_at(&e->rows, k * columns));
        for (uint32_t i = 1; i < columns; i++)
            put_cell(&b, real_at(&e->rows, k * columns + i));
        buffer_char(&b, '\n');
    }
    return record_numbered(&b, dir, "errors", run, f);
}

/* Fields that are in the rows. */
static bool is_in_rows(const FieldBar *f)
{
    return f->norms.used > sizeof(BarNorm);
}

static void put_norm(Buffer *b, const BarNorm *n)
{
    if (!n->any) {
        buffer_text(b, ",,,,");
        return;
    }
    put_cell(b, n->max);
    put_cell(b, n->mean);
    put_cell(b, n->order);
    buffer_format(b, ",%s", !n->reliable ? "no" : n->in_mean ? "l1" : "max");
}

static Status write_norms(const ErrorBar *e, const char *dir, uint32_t run,
                          Fault *f)
{
    const CosyModel *m = e->of.run.model;
    uint32_t n, columns = record_width(m, false);
    size_t rows = e->rows.used / sizeof(real) / columns;
    const FieldBar *bar = errorbar_fields(e, &n);
    Buffer b = {0};
    buffer_text(&b, "TIME");
    value_put_unit(&b, cosy_time_unit(m));
    for (uint32_t k = 0; k < n; k++)
        if (is_in_rows(&bar[k])) {
            const char *name = field_name(m, bar[k].field);
            buffer_format(&b, ",%s.max,%s.l1,%s.order,%s.reliable", name, name,
                          name, name);
        }
    buffer_char(&b, '\n');
    for (size_t i = 0; i < rows; i++) {
        number_text(&b, real_at(&e->rows, i * columns));
        for (uint32_t k = 0; k < n; k++)
            if (is_in_rows(&bar[k]))
                put_norm(&b, norm_at(&bar[k], (uint32_t)i));
        buffer_char(&b, '\n');
    }
    return record_numbered(&b, dir, "norms", run, f);
}

Status errorbar_file(const ErrorBar *e, const char *dir, uint32_t run, Fault *f)
{
    uint32_t n, shown = 0;
    const FieldBar *bar = errorbar_fields(e, &n);
    if (!e->made || e->rows.used == 0)
        return STATUS_OK;
    for (uint32_t k = 0; k < n; k++)
        shown += is_in_rows(&bar[k]);
    TRY(write_rows(e, dir, run, f));
    return shown ? write_norms(e, dir, run, f) : STATUS_OK;
}

/* ---- The bell ------------------------------------------------------------------------------ */

typedef struct Bell {
    const ErrorBar *e;
    void (*ring)(void *user, uint32_t line, const char *text);
    void *user;
} Bell;

static void ring(const Bell *l, uint32_t line, Buffer *words)
{
    l->ring(l->user, line, buffer_string(words));
    buffer_free(words);
}

/* Why an estimate deserves no belief, and what helps. */
static void put_doubt(Buffer *b, const ErrorBar *e, const CosyField *f,
                      const BarNorm *n)
{
    buffer_text(b, "is not reliable: ");
    if (n->word == REFINE_UNSEEN && e->of.quarter.model)
        buffer_text(b, "the trial with a quarter of the intervals fails, or "
                       "has other events");
    else if (n->word == REFINE_UNSEEN)
        buffer_text(b, "there is no trial with a quarter of the intervals");
    else if (n->word == REFINE_EXPECTED)
        buffer_text(b, "elsewhere in the run it falls with another order");
    else if (cosy_finite(n->order) && f->order)
        buffer_format(b, "it falls with order %.1f where %u is expected",
                      (double)n->order, f->order);
    else
        buffer_text(b, "it does not fall from grid to grid");
    buffer_text(b, "; a finer GRID tells more");
}

/* Schemes that put a jump between two points and nothing else. */
static bool is_capturing(const CosyField *f)
{
    return strncmp(f->scheme, "WENO", 4) == 0 ||
           strncmp(f->scheme, "UPWIND", 6) == 0;
}

static void ring_field(const Bell *l, const FieldBar *f)
{
    const CosyModel *m = l->e->of.run.model;
    const CosyField *field = &m->fields[f->field];
    const BarNorm *n = &f->worst;
    const char *name = field_name(m, f->field), *unit = field_unit(m, f->field);
    real error = n->in_mean ? n->mean : n->max;
    Buffer b = {0};
    if (!n->any)
        return;
    if (n->in_mean && !is_capturing(field)) {
        buffer_format(&b,
                      "%s is steep somewhere: its error is known on average, "
                      "%.2g%s%s, while single points may be wrong by %.2g; a "
                      "finer GRID or SCHEME WENO 5 helps",
                      name, (double)error, unit[0] ? " " : "", unit,
                      (double)n->max);
        ring(l, field->line, &b);
    } else if (error > BAR_LARGE * f->size) {
        buffer_format(&b,
                      "the error that the GRID leaves in %s is about %.2g%s%s, "
                      "while its values go up to %.3g: a finer GRID makes it "
                      "smaller",
                      name, (double)error, unit[0] ? " " : "", unit,
                      (double)f->size);
        ring(l, field->line, &b);
    } else if (!n->reliable && n->word != REFINE_LOST) {
        buffer_format(&b, "the estimate %.2g%s%s of the error in %s ",
                      (double)error, unit[0] ? " " : "", unit, name);
        put_doubt(&b, l->e, field, n);
        ring(l, field->line, &b);
    }
    if (field->tolerance > R(0.0) && error > field->tolerance) {
        buffer_format(&b,
                      "GRID AUTO: the error in %s is about %.2g%s%s, which is "
                      "more than TOL = %.3g",
                      name, (double)error, unit[0] ? " " : "", unit,
                      (double)field->tolerance);
        ring(l, field->line, &b);
    }
    if (n->reliable && f->time > R(2.0) * BAR_TIME * error &&
        f->time > R(1e-6) * f->size) {
        buffer_format(
            &b,
            "the integration leaves an error of about %.2g%s%s in %s, "
            "more than a tenth of the %.2g that the GRID leaves: a "
            "smaller RELERR helps",
            (double)f->time, unit[0] ? " " : "", unit, name, (double)error);
        ring(l, field->line, &b);
    }
}

void errorbar_bell(const ErrorBar *e,
                   void (*tell)(void *user, uint32_t line, const char *text),
                   void *user)
{
    const Bell l = {e, tell, user};
    Buffer b = {0};
    uint32_t n;
    const FieldBar *f = errorbar_fields(e, &n);
    if (!e->made || e->parts) {
        put_message(&b, e);
        ring(&l, 0, &b);
    }
    for (uint32_t k = 0; e->made && k < n; k++)
        ring_field(&l, &f[k]);
}
