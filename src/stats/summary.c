#include "stats/summary.h"

#include "stats/number.h"
#include "stats/replicate.h"
#include "stats/value.h"

/* Members of an object: the comma goes before every one but the first. */
typedef struct Members {
    Buffer *b;
    bool begun;
} Members;

static Members open_object(Buffer *b)
{
    buffer_char(b, '{');
    return (Members){.b = b};
}

static void close_object(Members *o)
{
    buffer_char(o->b, '}');
}

static void put_key(Members *o, const char *name)
{
    if (o->begun)
        buffer_text(o->b, ", ");
    o->begun = true;
    buffer_json(o->b, name);
    buffer_text(o->b, ": ");
}

/* A key that begins a line of its own. */
static void put_line_key(Members *o, const char *name)
{
    if (o->begun)
        buffer_text(o->b, ",\n ");
    o->begun = false;
    put_key(o, name);
}

static void put_text(Members *o, const char *name, const char *text)
{
    put_key(o, name);
    if (text == NULL)
        buffer_text(o->b, "null");
    else
        buffer_json(o->b, text);
}

static void put_count(Members *o, const char *name, uint64_t n)
{
    put_key(o, name);
    buffer_format(o->b, "%llu", (unsigned long long)n);
}

static void put_integer(Members *o, const char *name, int64_t n)
{
    put_key(o, name);
    buffer_format(o->b, "%lld", (long long)n);
}

static void put_number(Members *o, const char *name, real value)
{
    put_key(o, name);
    number_json(o->b, value);
}

static void put_number_if(Members *o, const char *name, real value, bool exists)
{
    put_key(o, name);
    if (exists)
        number_json(o->b, value);
    else
        buffer_text(o->b, "null");
}

/* A mean of nothing, or over no time, is null. */
static void put_quotient(Members *o, const char *name, real a, real b)
{
    put_number_if(o, name, b == R(0.0) ? R(0.0) : a / b, b != R(0.0));
}

/* ---- Parameters and final values ----------------------------------------- */

static void put_setting(Members *o, const CosyModel *m, const RunSetting *s)
{
    const CosyVariable *v = &m->variables[s->variable];
    Buffer name = {0};
    if (s->index == COSY_NONE)
        buffer_text(&name, v->name);
    else
        value_name(&name, v, s->index);
    put_key(o, buffer_string(&name));
    o->b->broken = o->b->broken || name.broken;
    buffer_free(&name);
    if (v->type == COSY_TYPE_REAL)
        number_json(o->b, s->value);
    else
        buffer_format(o->b, "%lld", (long long)s->value);
}

void summary_parameters(Buffer *b, const CosyModel *m,
                        const RunSetting *parameter, uint32_t n)
{
    Members o = open_object(b);
    for (uint32_t k = 0; k < n; k++)
        put_setting(&o, m, &parameter[k]);
    close_object(&o);
}

static void put_element(Buffer *b, const Cosy *c, const CosyVariable *v,
                        uint32_t k)
{
    if (v->type == COSY_TYPE_REAL)
        number_json(b, value_real(c, v, k));
    else
        buffer_format(b, "%lld", (long long)value_integer(c, v, k));
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

static void put_final(Buffer *b, const Cosy *c, uint32_t run)
{
    const CosyModel *m = c->model;
    Members o = open_object(b);
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (!value_is_global(v))
            continue;
        put_key(&o, v->name);
        put_value(b, c, v, run);
    }
    close_object(&o);
}

/* ---- Statistics ---------------------------------------------------------- */

static real root(real square)
{
    return square > R(0.0) ? cosy_sqrt(square) : R(0.0);
}

static void put_collect(Buffer *b, const CosyCollect *s)
{
    real free = s->n < 2 ? R(1.0) : (real)(s->n - 1);
    Members o = open_object(b);
    put_count(&o, "n", s->n);
    put_number_if(&o, "mean", s->mean, s->n > 0);
    put_number_if(&o, "sd", root(s->square / free), s->n > 1);
    put_number_if(&o, "min", s->min, s->n > 0);
    put_number_if(&o, "max", s->max, s->n > 0);
    close_object(&o);
}

/* The value held since the last change counts up to the present. */
static void put_timepers(Buffer *b, const CosyTimepers *s, real t)
{
    real time = t - s->start;
    real held = t - s->since;
    real area = s->area + s->value * held;
    real square = s->square + s->value * s->value * held;
    real mean = time == R(0.0) ? s->value : area / time;
    real variance = time == R(0.0) ? R(0.0) : square / time - mean * mean;
    Members o = open_object(b);
    put_number(&o, "time", time);
    put_number(&o, "mean", mean);
    put_number(&o, "sd", root(variance));
    put_number(&o, "min", s->min);
    put_number(&o, "max", s->max);
    close_object(&o);
}

/* Inner cells lie between neighbouring edges; the first and the last of the
   counts are of the two open cells beyond them. */
static void put_histogram(Buffer *b, const CosyHistogram *h)
{
    Members o = open_object(b);
    put_key(&o, "edges");
    for (uint32_t k = 0; k <= h->cells; k++) {
        buffer_text(b, k == 0 ? "[" : ", ");
        number_json(b, h->first + (real)k * h->width);
    }
    buffer_char(b, ']');
    put_key(&o, "counts");
    for (uint32_t k = 0; k < h->cells + 2; k++)
        buffer_format(b, "%s%llu", k == 0 ? "[" : ", ",
                      (unsigned long long)h->count[k]);
    buffer_char(b, ']');
    close_object(&o);
}

static void put_resource(Buffer *b, const CosyResource *s, const CosyHead *h)
{
    real time = h->t - h->t_begin;
    real used = s->used_area + (real)s->used * (h->t - s->used_since);
    real queue = s->wait_area + (real)s->waiting * (h->t - s->wait_since);
    Members o = open_object(b);
    put_quotient(&o, "utilisation", used, time * (real)s->capacity);
    put_quotient(&o, "mean_content", used, time);
    put_integer(&o, "max_content", s->most_used);
    put_count(&o, "entries", s->entries);
    put_count(&o, "waits", s->waits);
    put_quotient(&o, "mean_wait", s->wait_sum, (real)s->entries);
    put_number(&o, "max_wait", s->wait_max);
    put_quotient(&o, "mean_queue", queue, time);
    put_count(&o, "max_queue", s->most_waiting);
    close_object(&o);
}

static void put_file(Buffer *b, const CosyFile *s, const CosyHead *h)
{
    real time = h->t - h->t_begin;
    real area = s->area + (real)s->count * (h->t - s->since);
    Members o = open_object(b);
    put_count(&o, "entries", s->entries);
    put_count(&o, "content", s->count);
    put_quotient(&o, "mean_content", area, time);
    put_count(&o, "max_content", s->most);
    put_quotient(&o, "mean_stay", s->stay_sum, (real)(s->entries - s->count));
    put_number(&o, "max_stay", s->stay_max);
    close_object(&o);
}

static void put_resources(Buffer *b, const Cosy *c, CosyResourceKind kind)
{
    const CosyModel *m = c->model;
    Members o = open_object(b);
    for (uint32_t k = 0; k < m->n_resources; k++) {
        if (m->resources[k].kind != kind)
            continue;
        put_key(&o, m->resources[k].name);
        put_resource(b, &c->resource[k], c->head);
    }
    close_object(&o);
}

/* One kind of statistics: an object with a member for each row of its table. */
#define PUT_EACH(o, key, table, call)                                          \
    do {                                                                       \
        Members each_;                                                         \
        put_key((o), (key));                                                   \
        each_ = open_object(b);                                                \
        for (uint32_t k = 0; k < m->n_##table; k++) {                          \
            put_key(&each_, m->table[k].name);                                 \
            call;                                                              \
        }                                                                      \
        close_object(&each_);                                                  \
    } while (0)

static void put_statistics(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    Members o = open_object(b);
    PUT_EACH(&o, "collect", collects, put_collect(b, &c->collect[k]));
    PUT_EACH(&o, "timepers", timeperss,
             put_timepers(b, &c->timepers[k], c->head->t));
    PUT_EACH(&o, "histogram", histograms, put_histogram(b, &c->histogram[k]));
    put_key(&o, "facility");
    put_resources(b, c, COSY_FACILITY);
    put_key(&o, "storage");
    put_resources(b, c, COSY_STORAGE);
    PUT_EACH(&o, "file", files, put_file(b, &c->file[k], c->head));
    close_object(&o);
}

/* ---- The run and the file ------------------------------------------------ */

static void put_counts(Buffer *b, const RunFacts *f)
{
    Members o = open_object(b);
    put_count(&o, "steps", f->steps);
    put_count(&o, "rejected", f->rejected);
    put_count(&o, "rhs", f->rhs);
    put_count(&o, "jacobians", f->jacobians);
    put_count(&o, "state_events", f->state_events);
    put_count(&o, "time_events", f->time_events);
    put_count(&o, "hidden_events", f->hidden_events);
    put_count(&o, "event_iterations", f->event_iterations);
    put_count(&o, "process_events", f->process_events);
    close_object(&o);
}

Status summary_run(Buffer *b, const Cosy *c, const RunFacts *f)
{
    Members o = open_object(b);
    put_count(&o, "run", f->run);
    put_count(&o, "frame", f->frame);
    put_key(&o, "parameters");
    summary_parameters(b, c->model, f->parameter, f->parameters);
    put_line_key(&o, "status");
    buffer_json(b, f->status);
    put_text(&o, "message", f->message);
    put_line_key(&o, "t_begin");
    number_json(b, c->head->t_begin);
    put_number(&o, "t_end", c->head->t);
    put_line_key(&o, "final");
    put_final(b, c, f->run);
    put_line_key(&o, "method");
    buffer_json(b, f->method == NULL ? "" : f->method);
    put_key(&o, "counts");
    put_counts(b, f);
    put_line_key(&o, "statistics");
    put_statistics(b, c);
    put_line_key(&o, "wall_s");
    buffer_format(b, "%.6f", f->wall_s);
    close_object(&o);
    return b->broken ? STATUS_MEMORY : STATUS_OK;
}

static void put_document(Buffer *b, const CosyModel *m, const Buffer *runs,
                         uint32_t n, const Replications *r)
{
    Members o = open_object(b);
    put_text(&o, "program", m->name);
    put_text(&o, "cosy", COSY_RELEASE);
    put_text(&o, "model_sha256", m->hash);
    put_line_key(&o, "runs");
    buffer_char(b, '[');
    for (uint32_t k = 0; k < n; k++) {
        buffer_text(b, k == 0 ? "\n" : ",\n");
        buffer_bytes(b, (const char *)runs[k].v.bytes, runs[k].v.used);
        b->broken = b->broken || runs[k].broken;
    }
    buffer_char(b, ']');
    if (r && replicate_any(r)) {
        put_line_key(&o, "replications");
        replicate_json(b, r);
    }
    close_object(&o);
    buffer_char(b, '\n');
}

static Status write_document(const char *dir, const Buffer *text, Fault *f)
{
    Buffer path = {0};
    Status s;
    buffer_format(&path, "%s/summary.json", dir);
    if (text->broken || path.broken)
        s = fault_set(f, STATUS_MEMORY, "%s: no memory for summary.json", dir);
    else
        s = file_put(buffer_string(&path), text->v.bytes, text->v.used, f);
    buffer_free(&path);
    return s;
}

Status summary_write(const char *dir, const CosyModel *m, const Buffer *runs,
                     uint32_t n, const Replications *r, Buffer *copy, Fault *f)
{
    Buffer text = {0};
    Status s = dir != NULL ? dir_make(dir, f) : STATUS_OK;
    if (s != STATUS_OK)
        return s;
    put_document(&text, m, runs, n, r);
    if (dir != NULL)
        s = write_document(dir, &text, f);
    if (copy != NULL && !text.broken)
        buffer_bytes(copy, (const char *)text.v.bytes, text.v.used);
    buffer_free(&text);
    return s;
}
