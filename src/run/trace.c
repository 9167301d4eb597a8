#include "run/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/transaction.h"
#include "stats/number.h"
#include "stats/value.h"

/* ---- The filter ------------------------------------------------------------------ */

static bool same_word(const char *a, const char *b, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (toupper((unsigned char)a[k]) != toupper((unsigned char)b[k]))
            return false;
    return b[length] == '\0';
}

/* The name of a process, an event or a clock as the model has it, or NULL. */
static const char *name_in(const CosyModel *m, const char *text, size_t length)
{
#define LOOK(table)                                                            \
    for (uint32_t k = 0; k < m->n_##table; k++)                                \
        if (same_word(text, m->table[k].name, length))                         \
            return m->table[k].name;
    LOOK(processes)
    LOOK(time_events)
    LOOK(state_events)
    LOOK(clocks)
#undef LOOK
    return NULL;
}

/* A time of a span; if the text is empty, it is `open`. */
static bool span_end(const char *text, size_t length, real open, real *value)
{
    char word[64];
    *value = open;
    if (length == 0)
        return true;
    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    return number_read(word, value);
}

/* "10..20" */
static bool read_span(TraceFilter *f, const char *text, size_t length)
{
    real span[2];
    const char *dots = strstr(text, "..");
    if (!dots || dots + 2 > text + length)
        return false;
    size_t from = (size_t)(dots - text), to = length - from - 2;
    return span_end(text, from, -COSY_NEVER, &span[0]) &&
           span_end(dots + 2, to, COSY_NEVER, &span[1]) &&
           vector_append(&f->spans, span, sizeof span);
}

static bool read_number(TraceFilter *f, const char *text, size_t length)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);
    return isdigit((unsigned char)*text) && end == text + length &&
           vector_append(&f->numbers, &number, sizeof number);
}

static bool read_name(TraceFilter *f, const CosyModel *m, const char *text,
                      size_t length)
{
    const char *name = name_in(m, text, length);
    return name && vector_append(&f->names, name, strlen(name) + 1);
}

Status trace_filter(TraceFilter *f, const CosyModel *m, const char *text,
                    Fault *fault)
{
    *f = (TraceFilter){0};
    for (const char *p = text ? text : ""; *p;) {
        size_t n = strcspn(p, ",");
        if (n > 0 && !read_span(f, p, n) && !read_number(f, p, n) &&
            !read_name(f, m, p, n))
            return fault_set(
                fault, STATUS_USAGE,
                "--trace=%.200s: \"%.*s\" is not a process or event of the "
                "model, the number of a transaction or a span of time (10..20)",
                text, (int)(n < 100 ? n : 100), p);
        p += n + (p[n] == ',');
    }
    return STATUS_OK;
}

void trace_free(TraceFilter *f)
{
    vector_free(&f->names);
    vector_free(&f->numbers);
    vector_free(&f->spans);
}

static bool in_time(const TraceFilter *f, real t)
{
    const real *span = (const real *)(const void *)f->spans.bytes;
    size_t n = f->spans.used / sizeof *span;
    for (size_t k = 0; k < n; k += 2)
        if (t >= span[k] && t <= span[k + 1])
            return true;
    return n == 0;
}

static bool has_name(const TraceFilter *f, const char *name)
{
    const char *p = (const char *)f->names.bytes;
    for (size_t at = 0; at < f->names.used; at += strlen(p + at) + 1)
        if (strcmp(p + at, name) == 0)
            return true;
    return false;
}

static bool has_number(const TraceFilter *f, uint64_t number)
{
    const uint64_t *n = (const uint64_t *)(const void *)f->numbers.bytes;
    for (size_t k = 0; k < f->numbers.used / sizeof *n; k++)
        if (n[k] == number)
            return true;
    return false;
}

/* `name`: of the process or event; number 0: no transaction. */
static bool wanted(const TraceFilter *f, real t, const char *name,
                   uint64_t number)
{
    if (!in_time(f, t))
        return false;
    return (f->names.used == 0 && f->numbers.used == 0) || has_name(f, name) ||
           (number && has_number(f, number));
}

/* ---- Lines ------------------------------------------------------------------------ */

#define COLUMNS 80
#define HEAD    38 // of time, who and line

static size_t length_of(const Buffer *b)
{
    return b->v.used;
}

static void pad_to(Buffer *b, size_t column)
{
    do
        buffer_char(b, ' ');
    while (length_of(b) < column);
}

/* Time, who acts, line; the rest begins at column HEAD unless these are long.
   */
static void put_head(Buffer *b, real t, const char *who, uint32_t line)
{
    buffer_format(b, "%12.9g", (double)t);
    pad_to(b, 14);
    buffer_format(b, "%-16.40s", who);
    if (line)
        buffer_format(b, " %5u", line);
    pad_to(b, HEAD);
}

/* What happens, and its outcome; a long statement is shortened, the outcome is
   not. */
static void put_what(Buffer *b, const char *what, const char *outcome)
{
    size_t used = length_of(b) + strlen(outcome) + (outcome[0] ? 2 : 0);
    size_t room = used + 12 < COLUMNS ? COLUMNS - used : 12;
    size_t n = strlen(what);
    if (n > room)
        buffer_format(b, "%.*s...", (int)(room - 3), what);
    else
        buffer_text(b, what);
    if (outcome[0])
        buffer_format(b, "%s%s", n ? ": " : "", outcome);
    buffer_char(b, '\n');
}

/* The heading of the time with its unit, right above the numbers if there is
   room. */
static void put_title(Buffer *b, const CosyModel *m)
{
    Buffer time = {0};
    buffer_text(&time, "time");
    value_put_unit(&time, cosy_time_unit(m));
    buffer_format(b, "%12s  %-16s  line  what\n", buffer_string(&time), "who");
    buffer_free(&time);
}

static void put_line(Tracer *t, real time, const char *who, uint32_t line,
                     const char *what, const char *outcome)
{
    Buffer b = {0};
    if (!t->begun) {
        t->begun = true;
        if (t->outlet->run && !t->outlet->alone)
            buffer_format(&b, "run %u\n", t->outlet->run);
        outlet_trace(t->outlet, buffer_string(&b), b.v.used);
        b.v.used = 0;
        put_title(&b, t->model);
        outlet_trace(t->outlet, buffer_string(&b), b.v.used);
        b.v.used = 0;
    }
    put_head(&b, time, who, line);
    put_what(&b, what, outcome);
    outlet_trace(t->outlet, buffer_string(&b), b.v.used);
    buffer_free(&b);
}

/* ---- Statements ---------------------------------------------------------------------- */

/* How many are before it in its queue. */
static uint32_t before_it(const Cosy *c, uint32_t id)
{
    uint32_t n = 0;
    uint32_t k = c->resource[cosy_transaction(c, id)->at].head;
    for (; k != id; k = cosy_transaction(c, k)->next)
        n++;
    return n;
}

static void say_queue(Buffer *b, const Cosy *c, uint32_t id)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    const CosyResourceInfo *info = &c->model->resources[tr->at];
    uint32_t before = before_it(c, id);
    if (info->kind == COSY_JOINT) {
        buffer_text(b, "waits for its family");
        return;
    }
    buffer_format(b, "waits for %s", info->name);
    if (before)
        buffer_format(b, " behind %u", before);
}

/* The outcome of a statement at which the transaction has to wait. */
static void say_waiting(Buffer *b, const Cosy *c, uint32_t id)
{
    const CosyTransaction *tr = cosy_transaction(c, id);
    if (!cosy_is_there(tr))
        buffer_text(b, "ends, another of its family goes on");
    else if (tr->at == COSY_UNTIL)
        buffer_text(b, "waits");
    else if (tr->at != COSY_NONE)
        say_queue(b, c, id);
    else
        buffer_format(b, "until %.9g", (double)tr->due);
}

static bool begins_with(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

/* Whether this is a statement at which a transaction may have to wait. */
static bool may_wait(const char *text)
{
    static const char *const verbs[] = {
        "SEIZE ", "PREEMPT ", "ENTER ", "PASS ", "JOIN ", "WAIT ", "WAITSIG "};
    for (size_t k = 0; k < LENGTH(verbs); k++)
        if (begins_with(text, verbs[k]))
            return true;
    return false;
}

/* Whether the last wait of the transaction ended by TIMEOUT, and that was in
   this statement. One that still stands in a queue is about to give up. */
static bool gave_up(const CosyTransaction *tr, const char *text)
{
    return (tr->timed_out || tr->at != COSY_NONE) && strstr(text, " TIMEOUT ");
}

static void say_outcome(Buffer *b, const Cosy *c, const char *text,
                        uint32_t self, CosyStatus status)
{
    if (status == COSY_WAITING)
        say_waiting(b, c, self);
    else if (COSY_REASON(status) == COSY_REFUSED)
        buffer_text(b, "refused");
    else if (status != COSY_OK)
        buffer_text(b, "failed");
    else if (self != COSY_NONE && !cosy_is_there(cosy_transaction(c, self)))
        buffer_text(b, "ends");
    else if (may_wait(text))
        buffer_text(b, gave_up(cosy_transaction(c, self), text) ? "gives up"
                                                                : "goes on");
    else if (begins_with(text, "GENERATE ") || begins_with(text, "PROCESSES "))
        buffer_format(b, "number %llu",
                      (unsigned long long)c->head->transaction_number);
}

void trace_statement(Tracer *t, const Cosy *c, uint32_t row, uint32_t self,
                     CosyStatus status)
{
    const CosyModel *m = c->model;
    const char *process = t->body;
    uint64_t number = 0;
    Buffer who = {0}, outcome = {0};
    if (row >= m->n_equations)
        return;
    if (self != COSY_NONE) {
        /* A transaction that has just ended keeps its number. */
        const CosyTransaction *tr = cosy_transaction(c, self);
        number = tr->number;
        buffer_format(&who, "%s %llu", t->body, (unsigned long long)number);
    } else {
        buffer_text(&who, t->body);
    }
    if (wanted(t->filter, c->head->t, process, number)) {
        const CosyEquation *e = &m->equations[row];
        say_outcome(&outcome, c, e->text, self, status);
        put_line(t, c->head->t, buffer_string(&who), e->line, e->text,
                 buffer_string(&outcome));
    }
    buffer_free(&who);
    buffer_free(&outcome);
}

/* ---- Events ----------------------------------------------------------------------------- */

static void trace_resumption(Tracer *t, const Cosy *c, uint32_t which,
                             uint32_t id)
{
    const CosyProcessInfo *p = &c->model->processes[which];
    const CosyTransaction *tr = cosy_transaction(c, id);
    bool known = p->lines && tr->point < p->points;
    const char *text =
        known && p->rows && p->rows[tr->point] < c->model->n_equations
            ? c->model->equations[p->rows[tr->point]].text
            : "";
    Buffer who = {0};
    t->body = p->name;
    if (!wanted(t->filter, c->head->t, p->name, tr->number))
        return;
    transaction_name(&who, c, id);
    put_line(t, c->head->t, buffer_string(&who),
             known ? p->lines[tr->point] : p->line,
             tr->point == 0      ? "begins"
             : gave_up(tr, text) ? "goes on: TIMEOUT"
                                 : "goes on",
             "");
    buffer_free(&who);
}

void trace_event(Tracer *t, const Cosy *c, LogKind kind, uint32_t which,
                 uint64_t detail)
{
    const CosyModel *m = c->model;
    const char *name = "", *what = "";
    uint32_t line = 0;
    switch (kind) {
    case LOG_STATE:
        name = m->state_events[which].name;
        line = m->state_events[which].line;
        what = "state event";
        break;
    case LOG_TIME:
        name = m->time_events[which].name;
        line = m->time_events[which].line;
        what = "time event";
        break;
    case LOG_SAMPLE:
        name = m->clocks[which].name;
        line = m->clocks[which].line;
        what = "sample";
        break;
    case LOG_PROCESS: trace_resumption(t, c, which, (uint32_t)detail); return;
    case LOG_HIDDEN:
        line = m->relations_info[which].line;
        what = m->relations_info[which].text;
        break;
    default: return;
    }
    char outcome[100] = "";
    Buffer who = {0};
    bool one = detail != COSY_NONE && (kind == LOG_STATE || kind == LOG_HIDDEN);
    if (one && record_copy_name(&who, m, kind, which, detail))
        snprintf(outcome, sizeof outcome, "%s%.80s",
                 kind == LOG_HIDDEN ? "changes, " : "", buffer_string(&who));
    else if (one)
        snprintf(outcome, sizeof outcome, "%snumber %llu",
                 kind == LOG_HIDDEN ? "changes, " : "",
                 (unsigned long long)detail);
    else if (kind == LOG_HIDDEN)
        snprintf(outcome, sizeof outcome, "changes");
    buffer_free(&who);
    if (kind != LOG_HIDDEN)
        t->body = name;
    if (wanted(t->filter, c->head->t, name, 0))
        put_line(t, c->head->t, name, line, what, outcome);
}

void trace_method(Tracer *t, real time, const char *why)
{
    if (wanted(t->filter, time, "AUTO", 0))
        put_line(t, time, "AUTO", 0, "", why);
}
