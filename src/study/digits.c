#include "study/digits.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cosy/unit.h"
#include "stats/json.h"
#include "stats/number.h"
#include "stats/value.h"
#include "study/verify.h"

static const Verdict *verdicts(const DigitsFacts *f, uint32_t *n)
{
    *n = (uint32_t)(f->verdicts.used / sizeof(Verdict));
    return (const Verdict *)(const void *)f->verdicts.bytes;
}

static const double *doubles_of(const Vector *v)
{
    return (const double *)(const void *)v->bytes;
}

static bool is_whole(double d)
{
    return d == AGREE_EQUAL || d == AGREE_DIFFERS;
}

/* Whether there are fewer than wanted; unknown counts as none. */
static bool is_few(double d, double wanted)
{
    return !(d >= wanted);
}

/* One decimal, never rounded up. */
static double shown(double d)
{
    return floor(d * 10) / 10;
}

/* ---- Names ------------------------------------------------------------------------ */

/* Everything that has digits under one name: an array, or the figures of a
   statistic. From `first`, `count` DigestValues. */
typedef struct Item {
    const DigestValue *first;
    uint32_t at, count;
    uint32_t worst;   // which of them has the fewest digits
    double least;     // its digits
    bool settled;     // all are equal to the last bit, and none is integrated
    const char *kind; // kind of the statistic, or NULL
} Item;

static const char *kind_of(const CosyModel *m, const DigestValue *v)
{
    static const char *const resource[] = {"facility", "storage", "gate",
                                           "signal",   "",        "any_of"};
    static const char *const kinds[] = {NULL,        "collect", "timepers",
                                        "histogram", "",        "file",
                                        "process",   "copies"};
    if (v->kind != DIGEST_RESOURCE)
        return kinds[v->kind];
    return resource[m->resources[v->which].kind];
}

const char *digits_owner(const CosyModel *m, const DigestValue *v)
{
    switch (v->kind) {
    case DIGEST_COLLECT: return m->collects[v->which].name;
    case DIGEST_TIMEPERS: return m->timepers[v->which].name;
    case DIGEST_HISTOGRAM: return m->histograms[v->which].name;
    case DIGEST_RESOURCE: return m->resources[v->which].name;
    case DIGEST_FILE: return m->files[v->which].name;
    case DIGEST_PROCESS: return m->processes[v->which].name;
    case DIGEST_COPIES: return m->copies[v->which].name;
    default: return m->variables[v->which].name;
    }
}

/* Whether equal bits say nothing: a value that changes only at events is often
   a mere setting. */
static bool is_setting(const CosyModel *m, const DigestValue *v)
{
    return v->kind == DIGEST_FINAL &&
           (m->variables[v->which].kind == COSY_REAL || v->whole);
}

static double most_of(const Verdict *v)
{
    return agree_most(v->base->precision);
}

/* The item that begins with value *at; false: there is none left. */
static bool next_item(const DigitsFacts *f, const Verdict *v, uint32_t *at,
                      Item *item)
{
    uint32_t n;
    const DigestValue *value = digest_values(v->base, &n);
    const double *d = doubles_of(&v->digits);
    if (*at >= n || !v->compared)
        return false;
    assert(v->digits.used == n * sizeof(double));
    *item = (Item){.first = value + *at,
                   .at = *at,
                   .worst = *at,
                   .least = d[*at],
                   .settled = true,
                   .kind = kind_of(f->model, value + *at)};
    for (; *at < n && value[*at].kind == item->first->kind &&
           value[*at].which == item->first->which;
         ++*at, item->count++) {
        if (isnan(d[*at]) || d[*at] < item->least) {
            item->least = d[*at];
            item->worst = *at;
        }
        item->settled = item->settled && is_setting(f->model, &value[*at]) &&
                        d[*at] >= most_of(v);
    }
    assert(item->count > 0);
    return true;
}

/* ---- JSON ---------------------------------------------------------------------------- */

/* null: nothing can be said; true, false: a whole number is equal or not. */
static void put_digits(Buffer *b, double d)
{
    if (isnan(d))
        buffer_text(b, "null");
    else if (is_whole(d))
        buffer_text(b, d > 0 ? "true" : "false");
    else
        buffer_format(b, "%.1f", shown(d));
}

static void key_digits(JsonObject *o, const char *name, double d)
{
    json_key(o, name);
    put_digits(o->b, d);
}

static void put_plain(Buffer *b, double v)
{
    if (isfinite(v))
        buffer_format(b, "%.15g", v);
    else
        buffer_text(b, "null");
}

static void put_double(JsonObject *o, const char *name, const Digest *d)
{
    static const char *const precisions[] = {"", "DOUBLE", "EXTENDED", "QUAD"};
    json_key(o, name);
    if (!d) {
        buffer_text(o->b, "null");
        return;
    }
    JsonObject own = json_open(o->b);
    json_text(&own, "method", d->methods);
    json_key(&own, d->fixed ? "step" : "relerr");
    put_plain(o->b, d->fixed ? d->step : d->relerr);
    json_text(&own, "precision", precisions[d->precision]);
    json_text(&own, "status",
              d->status == STATUS_OK        ? "finished"
              : d->status == STATUS_STOPPED ? "stopped"
                                            : "failed");
    json_text(&own, "message", d->message);
    json_count(&own, "rhs", d->rhs);
    json_close(&own);
}

static void put_finals(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    const double *d = doubles_of(&v->digits);
    JsonObject o = json_open(b);
    Item item;
    for (uint32_t at = 0; next_item(f, v, &at, &item) && !item.kind;) {
        json_key(&o, digits_owner(f->model, item.first));
        if (item.count == 1 || item.count > VALUE_INLINE_LIMIT) {
            put_digits(b, item.least);
            continue;
        }
        for (uint32_t k = 0; k < item.count; k++) {
            buffer_text(b, k == 0 ? "[" : ", ");
            put_digits(b, d[item.at + k]);
        }
        buffer_char(b, ']');
    }
    json_close(&o);
}

/* The sizes that digits are counted from, unless the value itself is larger. */
static void put_sizes(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    JsonObject o = json_open(b);
    Item item;
    for (uint32_t at = 0; next_item(f, v, &at, &item) && !item.kind;) {
        if (item.first->whole)
            continue;
        json_key(&o, digits_owner(f->model, item.first));
        put_plain(b, (double)item.first->size);
    }
    json_close(&o);
}

static void put_statistics(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    static const char *const kinds[] = {
        "collect", "timepers", "histogram", "facility", "storage",
        "gate",    "signal",   "any_of",    "file",     "process"};
    JsonObject o = json_open(b);
    for (size_t k = 0; k < LENGTH(kinds); k++) {
        Item item;
        json_key(&o, kinds[k]);
        JsonObject own = json_open(b);
        for (uint32_t at = 0; next_item(f, v, &at, &item);)
            if (item.kind && strcmp(item.kind, kinds[k]) == 0)
                key_digits(&own, digits_owner(f->model, item.first),
                           item.least);
        json_close(&own);
    }
    json_close(&o);
}

/* The beginning and the end of a slide or rest are not events of the model. */
static bool is_event(const DigestEvent *e)
{
    return e->kind != LOG_SLIDE && e->kind != LOG_REST;
}

/* The most event times that are listed. */
enum { TIMES_MOST = 1000 };

static void put_events(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    uint32_t n;
    const DigestEvent *e = digest_events(v->base, &n);
    const double *d = doubles_of(&v->times);
    buffer_char(b, '[');
    uint32_t listed = 0;
    for (uint32_t k = 0; v->compared && k < n && listed < TIMES_MOST; k++) {
        if (!is_event(&e[k]))
            continue;
        buffer_text(b, listed++ == 0 ? "" : ", ");
        JsonObject o = json_open(b);
        json_text(&o, "event", agree_event(f->model, &e[k]));
        json_key(&o, "time");
        put_plain(b, (double)e[k].t.high);
        key_digits(&o, "digits", d[k]);
        json_close(&o);
    }
    buffer_char(b, ']');
}

/* The event with the fewest digits; false: there are no events. */
static bool least_event(const Verdict *v, uint32_t *at)
{
    uint32_t n;
    const double *d = doubles_of(&v->times);
    const DigestEvent *e = digest_events(v->base, &n);
    bool any = false;
    for (uint32_t k = 0; v->compared && k < n; k++)
        if (is_event(&e[k]) && (!any || isnan(d[k]) || d[k] < d[*at])) {
            *at = k;
            any = true;
            if (isnan(d[k]))
                break;
        }
    return any;
}

static void put_verdict(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    uint32_t n, at = 0, events = 0;
    const DigestEvent *e = digest_events(v->base, &n);
    for (uint32_t k = 0; k < n; k++)
        events += is_event(&e[k]);
    JsonObject o = json_open(b);
    json_count(&o, "run", v->run);
    json_key(&o, "compared");
    buffer_text(b, v->compared ? "true" : "false");
    json_text(&o, "message", v->why);
    json_key(&o, "wanted");
    put_plain(b, v->wanted);
    put_double(&o, "closer", v->closer);
    put_double(&o, "other", v->other);
    json_line_key(&o, "parts_at");
    put_plain(b, v->parts ? (double)v->parts_at : (double)NAN);
    json_text(&o, "parts", v->parts_words);
    key_digits(&o, "t_end", v->t_end);
    json_line_key(&o, "final");
    put_finals(b, f, v);
    json_line_key(&o, "size");
    put_sizes(b, f, v);
    json_line_key(&o, "statistics");
    put_statistics(b, f, v);
    json_line_key(&o, "events");
    put_events(b, f, v);
    json_count(&o, "event_count", events);
    key_digits(&o, "events_least",
               least_event(v, &at) ? doubles_of(&v->times)[at] : (double)NAN);
    json_close(&o);
}

/* ---- Several runs ------------------------------------------------------------------------ */

/* The item of the same name in another run. */
static bool find_item(const DigitsFacts *f, const Verdict *v,
                      const Item *wanted, Item *found)
{
    for (uint32_t at = 0; next_item(f, v, &at, found);)
        if (found->first->kind == wanted->first->kind &&
            found->first->which == wanted->first->which)
            return true;
    return false;
}

/* The run with the fewest digits of this item. An item has the same place in
   most runs. */
static const Verdict *worst_run(const DigitsFacts *f, const Item *item,
                                Item *worst)
{
    uint32_t n;
    const Verdict *v = verdicts(f, &n), *found = NULL;
    for (uint32_t k = 0; k < n; k++) {
        Item own;
        uint32_t at = item->at;
        bool there = v[k].compared && next_item(f, &v[k], &at, &own) &&
                     own.first->kind == item->first->kind &&
                     own.first->which == item->first->which;
        if (!there && !find_item(f, &v[k], item, &own))
            continue;
        if (!found || isnan(own.least) ||
            (!isnan(worst->least) && own.least < worst->least)) {
            found = &v[k];
            bool settled = own.settled && (found == &v[0] || worst->settled);
            *worst = own;
            worst->settled = settled;
            if (isnan(own.least))
                break;
        }
        worst->settled = worst->settled && own.settled;
    }
    return found;
}

/* The first run that was compared: its names stand for those of all runs. */
static const Verdict *first_compared(const DigitsFacts *f)
{
    uint32_t n;
    const Verdict *v = verdicts(f, &n);
    for (uint32_t k = 0; k < n; k++)
        if (v[k].compared)
            return &v[k];
    return NULL;
}

static void put_least(Buffer *b, const DigitsFacts *f)
{
    const Verdict *first = first_compared(f);
    JsonObject o = json_open(b);
    Item item, worst;
    for (uint32_t at = 0; first && next_item(f, first, &at, &item);) {
        const Verdict *v = worst_run(f, &item, &worst);
        if (!v)
            continue;
        Buffer name = {0};
        buffer_format(&name, item.kind ? "%s.%s" : "%s",
                      digits_owner(f->model, item.first), item.kind);
        json_key(&o, buffer_string(&name));
        JsonObject own = json_open(b);
        key_digits(&own, "digits", worst.least);
        json_count(&own, "run", v->run);
        json_close(&own);
        buffer_free(&name);
    }
    json_close(&o);
}

/* ---- Means over replications -------------------------------------------------------------- */

/* The same mean in a double, at the same place. */
static const DigestMean *mean_of(const KernelDouble *d, const DigestMean *base,
                                 size_t at)
{
    const DigestMean *m = (const DigestMean *)(const void *)d->means.bytes;
    bool same = at < d->means.used / sizeof *m && m[at].group == base->group &&
                strcmp(m[at].name, base->name) == 0;
    return same ? &m[at] : NULL;
}

static double mean_digits(const DigitsFacts *f, const DigestMean *m, size_t at)
{
    const DigestMean *a = mean_of(f->closer, m, at);
    const DigestMean *b = mean_of(f->other, m, at);
    if (!a || (f->other->base && !b) || !f->complete)
        return (double)NAN;
    return agree_means(m, a, b, COSY_PRECISION);
}

static const DigestMean *means(const DigitsFacts *f, uint32_t *n)
{
    *n = (uint32_t)(f->means.used / sizeof(DigestMean));
    return (const DigestMean *)(const void *)f->means.bytes;
}

static void put_means(Buffer *b, const DigitsFacts *f)
{
    uint32_t n;
    const DigestMean *m = means(f, &n);
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k == 0 ? "" : ", ");
        JsonObject o = json_open(b);
        json_text(&o, "name", m[k].name);
        json_count(&o, "group", m[k].group + 1);
        key_digits(&o, "digits", mean_digits(f, &m[k], k));
        json_close(&o);
    }
    buffer_char(b, ']');
}

/* With RERUN and WITHIN a double may make more or fewer runs. */
static void put_run_counts(Buffer *b, const DigitsFacts *f)
{
    uint32_t a = f->closer->base ? f->closer->runs : f->runs;
    uint32_t c = f->other->base ? f->other->runs : f->runs;
    if (!f->why && (a != f->runs || c != f->runs))
        buffer_format(b,
                      "The experiment made %u runs, but its double%s made %u: "
                      "the number of runs depends on the last digits",
                      f->runs, a != f->runs ? "" : " with another method",
                      a != f->runs ? a : c);
    else if (f->why)
        buffer_text(b, f->why);
}

void digits_json(Buffer *b, const DigitsFacts *f)
{
    uint32_t n;
    const Verdict *v = verdicts(f, &n);
    Buffer words = {0};
    JsonObject o = json_open(b);
    json_key(&o, "compared");
    buffer_text(b, f->why ? "false" : "true");
    put_run_counts(&words, f);
    json_text(&o, "message", buffer_string(&words));
    buffer_free(&words);
    json_line_key(&o, "runs");
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n && !f->why; k++) {
        buffer_text(b, k == 0 ? "\n" : ",\n");
        put_verdict(b, f, &v[k]);
    }
    buffer_char(b, ']');
    if (f->left_out)
        json_count(&o, "left_out", f->left_out);
    if (n > 1 && !f->why) {
        json_line_key(&o, "least");
        put_least(b, f);
    }
    if (f->means.used && !f->why) {
        json_line_key(&o, "replications");
        put_means(b, f);
    }
    json_close(&o);
}

/* ---- The table ------------------------------------------------------------------------------ */

enum {
    NAME_WIDE = 24,
    VALUE_WIDE = 19,
    ROWS_MOST = 30, // beyond these, only those with few digits
    FEW_MOST = 60,
    EVENTS_MOST = 12
};

static void put_cell(Buffer *b, double d, double wanted)
{
    if (isnan(d))
        buffer_text(b, "    none");
    else if (is_whole(d))
        buffer_format(b, "%8s", d > 0 ? "equal" : "differs");
    else
        buffer_format(b, "%8.1f", shown(d));
    if (is_few(d, wanted) && !isnan(d))
        buffer_format(b, "  < %g", wanted);
}

/* A name in NAME_WIDE columns, shortened with a ~. */
static void put_name(Buffer *b, const char *name)
{
    size_t n = strlen(name);
    if (n > NAME_WIDE)
        buffer_format(b, "  %.*s~", NAME_WIDE - 1, name);
    else
        buffer_format(b, "  %-*s", NAME_WIDE, name);
}

/* Names of the figures, in the order in which digest_take lists them. */
const char *digits_figure(const DigestValue *v)
{
    static const char *const sample[] = {"mean", "sd", "min", "max", "n"};
    static const char *const resource[] = {
        "mean_content", "mean_queue",  "mean_wait", "max_wait",
        "entries",      "max_content", "max_queue"};
    static const char *const store[] = {"mean_content", "mean_stay", "max_stay",
                                        "entries", "max_content"};
    bool stored = v->kind == DIGEST_FILE || v->kind == DIGEST_PROCESS ||
                  v->kind == DIGEST_COPIES;
    if (v->kind == DIGEST_HISTOGRAM)
        return v->at < 2 ? "edges" : "counts";
    if (v->kind == DIGEST_RESOURCE)
        return v->at < LENGTH(resource) ? resource[v->at] : "";
    if (stored)
        return v->at < LENGTH(store) ? store[v->at] : "";
    return v->at < LENGTH(sample) ? sample[v->at] : "";
}

/* "U[7]" for an array, "STAY.mean" for a statistic. */
static void put_item_name(Buffer *b, const DigitsFacts *f, const Item *item,
                          const DigestValue *v)
{
    Buffer name = {0};
    if (item->kind)
        buffer_format(&name, "%s.%s", digits_owner(f->model, v),
                      digits_figure(v));
    else
        value_name(&name, &f->model->variables[v->which], v->at);
    if (!item->kind && f->model->variables[v->which].unit[0])
        buffer_format(&name, " [%s]", f->model->variables[v->which].unit);
    put_name(b, buffer_string(&name));
    buffer_free(&name);
}

/* A value with one figure more than agrees. Digits count from the size of the
   variable: a value that has become small has fewer figures. */
static void put_value(Buffer *b, long double value, long double size, double d)
{
    enum { FIGURES_MOST = 12 };
    long double scale = fmaxl(fabsl(value), size);
    double figures = d + 1;
    if (value != 0 && scale > 0)
        figures += (double)log10l(fabsl(value) / scale);
    if (isnan(figures) || figures > FIGURES_MOST)
        figures = isnan(figures) ? 6 : FIGURES_MOST;
    char text[60];
    int n = figures < 1 ? 1 : (int)ceil(figures);
    snprintf(text, sizeof text, n > 1 && value != 0 ? "%#.*Lg" : "%.*Lg", n,
             value);
    size_t length = strlen(text);
    if (text[length - 1] == '.')
        text[length - 1] = '\0';
    buffer_format(b, "%*s", VALUE_WIDE, text);
}

static void put_item(Buffer *b, const DigitsFacts *f, const Verdict *v,
                     const Item *item, bool runs)
{
    uint32_t n;
    const DigestValue *value = digest_values(v->base, &n) + item->worst;
    put_item_name(b, f, item, value);
    if (value->whole)
        buffer_format(b, "%*.0Lf", VALUE_WIDE, value->value.high);
    else
        put_value(b, value->value.high, value->size, item->least);
    put_cell(b, item->least, v->wanted);
    if (runs)
        buffer_format(b, "  run %u", v->run);
    if (item->count > 1 && !item->kind)
        buffer_format(b, "  of %u", item->count);
    buffer_char(b, '\n');
}

/* Final values and statistics; with several runs those with the fewest digits.
   */
static void put_items(Buffer *b, const DigitsFacts *f, const Verdict *first,
                      bool runs)
{
    uint32_t rows = 0, left = 0, settled = 0;
    Item item, worst;
    buffer_format(b, "  %-*s%*s  digits\n", NAME_WIDE, "name", VALUE_WIDE,
                  "value");
    for (uint32_t at = 0; next_item(f, first, &at, &item);) {
        const Verdict *v = runs ? worst_run(f, &item, &worst) : first;
        const Item *one = runs ? &worst : &item;
        bool few = v && is_few(one->least, v->wanted);
        if (v && one->settled && !first->parts) {
            settled++;
        } else if (v && (rows < ROWS_MOST || (few && rows < FEW_MOST))) {
            put_item(b, f, v, one, runs);
            rows++;
        } else if (v) {
            left++;
        }
    }
    if (left)
        buffer_format(b, "  ... and %u more: summary.json has all of them\n",
                      left);
    if (settled)
        buffer_format(b, "  %u discrete %s the same in all doubles.\n", settled,
                      settled == 1 ? "value is" : "values are");
}

/* Events whose times were computed; scheduled ones are exact. */
static bool is_shown(const Verdict *v, uint32_t k)
{
    double d = doubles_of(&v->times)[k];
    uint32_t n;
    const DigestEvent *e = digest_events(v->base, &n) + k;
    return is_event(e) && (e->kind == LOG_STATE || isnan(d) || d < most_of(v));
}

static void put_event(Buffer *b, const DigitsFacts *f, const Verdict *v,
                      uint32_t k)
{
    uint32_t n, nth = 1;
    const DigestEvent *e = digest_events(v->base, &n);
    Buffer name = {0};
    for (uint32_t j = 0; j < k; j++)
        nth += e[j].kind == e[k].kind && e[j].which == e[k].which;
    buffer_format(&name, "%.200s #%u", agree_event(f->model, &e[k]), nth);
    put_name(b, buffer_string(&name));
    put_value(b, e[k].t.high, fabsl(v->base->t_begin),
              doubles_of(&v->times)[k]);
    put_cell(b, doubles_of(&v->times)[k], v->wanted);
    buffer_char(b, '\n');
    buffer_free(&name);
}

static void put_event_rows(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    uint32_t n, rows = 0, all = 0, least = 0;
    digest_events(v->base, &n);
    for (uint32_t k = 0; k < n; k++)
        all += is_shown(v, k);
    if (all == 0)
        return;
    char heading[30];
    const char *unit = cosy_time_unit(f->model);
    snprintf(heading, sizeof heading, unit[0] ? "time [%.10s]" : "time", unit);
    buffer_format(b, "  %-*s%*s  digits\n", NAME_WIDE, "event", VALUE_WIDE,
                  heading);
    for (uint32_t k = 0; k < n && rows < EVENTS_MOST; k++)
        if (is_shown(v, k)) {
            put_event(b, f, v, k);
            rows++;
        }
    if (all > rows && least_event(v, &least)) {
        buffer_format(
            b, "  ... and %u more, of which this has the fewest digits:\n",
            all - rows);
        put_event(b, f, v, least);
    }
}

/* Text in lines of at most 78 columns. */
static void put_lines(Buffer *b, const char *text)
{
    enum { WIDE = 76 };
    while (*text) {
        size_t n = strlen(text);
        if (n > WIDE)
            for (n = WIDE; n > 20 && text[n] != ' ';)
                n--;
        buffer_format(b, "  %.*s\n", (int)n, text);
        text += n;
        text += *text == ' ';
    }
}

/* "Computed again with RELERR 1e-07 (DOPRI5) and with METHOD DOP853." */
static void put_doubles(Buffer *b, const DigitsFacts *f, const Verdict *v)
{
    Buffer words = {0};
    uint32_t n;
    verdicts(f, &n);
    if (n > 1)
        buffer_format(&words, "Run %u was computed again with ", v->run);
    else
        buffer_text(&words, "Computed again with ");
    if (v->closer)
        agree_words(&words, v->closer);
    if (v->other) {
        buffer_text(&words, v->closer ? " and with " : "");
        agree_words(&words, v->other);
    } else {
        buffer_text(&words, "; no method of another family applies");
    }
    buffer_text(&words, n > 1 ? ", the others likewise." : ".");
    put_lines(b, buffer_string(&words));
    buffer_free(&words);
}

static void put_parting(Buffer *b, const DigitsFacts *f, const Verdict *v,
                        bool runs)
{
    Buffer words = {0};
    if (!v->parts)
        return;
    if (runs)
        buffer_format(&words, "Run %u: ", v->run);
    buffer_format(&words, "From time %.10Lg%s%s on, nothing has digits: %s.",
                  v->parts_at, COSY_IN_TIME(f->model), v->parts_words);
    put_lines(b, buffer_string(&words));
    buffer_free(&words);
}

static void put_not_compared(Buffer *b, const Verdict *v, bool runs)
{
    Buffer words = {0};
    if (runs)
        buffer_format(&words, "Run %u has no digits: ", v->run);
    else
        buffer_text(&words, "There are no digits: ");
    buffer_format(&words, "%s.", v->why);
    put_lines(b, buffer_string(&words));
    buffer_free(&words);
}

static void put_mean_rows(Buffer *b, const DigitsFacts *f, double wanted)
{
    uint32_t n, rows = 0;
    const DigestMean *m = means(f, &n);
    if (n == 0)
        return;
    buffer_format(b, "  %-*s%*s  digits\n", NAME_WIDE, "mean over runs of",
                  VALUE_WIDE, "value");
    for (uint32_t k = 0; k < n && rows < ROWS_MOST; k++, rows++) {
        put_name(b, m[k].name);
        put_value(b, m[k].mean.high, m[k].size, mean_digits(f, &m[k], k));
        put_cell(b, mean_digits(f, &m[k], k), wanted);
        buffer_char(b, '\n');
    }
    if (n > rows)
        buffer_format(b, "  ... and %u more: summary.json has all of them\n",
                      n - rows);
}

/* What applies only to some runs. */
static void put_exceptions(Buffer *b, const DigitsFacts *f, bool runs)
{
    enum { MOST = 5 };
    uint32_t n, told = 0;
    const Verdict *v = verdicts(f, &n);
    for (uint32_t k = 0; k < n; k++) {
        if (v[k].compared && !v[k].parts)
            continue;
        if (++told > MOST)
            continue;
        if (v[k].compared)
            put_parting(b, f, &v[k], runs);
        else
            put_not_compared(b, &v[k], runs);
    }
    if (told > MOST)
        buffer_format(b, "  ... and likewise %u more runs.\n", told - MOST);
}

void digits_table(Buffer *b, const DigitsFacts *f)
{
    uint32_t n;
    const Verdict *v = verdicts(f, &n), *first = first_compared(f);
    Buffer words = {0};
    buffer_text(b, "\nDigits\n");
    put_run_counts(&words, f);
    if (words.v.used) {
        buffer_char(&words, '.');
        put_lines(b, buffer_string(&words));
    }
    buffer_free(&words);
    if (f->why)
        return;
    if (first)
        put_doubles(b, f, first);
    if (f->left_out)
        buffer_format(b, "  The first %u of %u runs were compared.\n", n,
                      n + f->left_out);
    put_exceptions(b, f, n > 1);
    put_mean_rows(b, f, n > 0 ? v[0].wanted : 0);
    if (first)
        put_items(b, f, first, n > 1);
    if (first && n == 1)
        put_event_rows(b, f, first);
    if (first && first->base->restored)
        put_lines(b, "The run continued from a snapshot, which is taken as it "
                     "is: the digits are those of what came after it.");
    if (f->model->n_streams)
        put_lines(b, "The digits are those of the integration; the confidence "
                     "intervals show how much random numbers matter.");
    if (f->external)
        put_lines(b, "The doubles called EXTERNAL functions too: the digits "
                     "mean something only if these functions remember nothing "
                     "between calls.");
    put_lines(b, "Agreement is not a bound: see cosy doc verify.");
}

void digits_free(DigitsFacts *f)
{
    uint32_t n;
    verdicts(f, &n);
    Verdict *v = (Verdict *)(void *)f->verdicts.bytes;
    for (uint32_t k = 0; k < n; k++)
        agree_free(&v[k]);
    vector_free(&f->verdicts);
    vector_free(&f->means);
}
