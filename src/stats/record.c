#include "stats/record.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "stats/number.h"
#include "stats/value.h"

/* ---- Recording ----------------------------------------------------------- */

/* How many entries of `stored` a row has. */
static uint32_t stored_count(const CosyModel *m, bool cross)
{
    assert(m->n_crossed == 0 || m->n_crossed > m->n_stored);
    return cross && m->n_crossed ? m->n_crossed : m->n_stored;
}

uint32_t record_width(const CosyModel *m, bool cross)
{
    uint32_t columns = 1;
    for (uint32_t k = 0; k < stored_count(m, cross); k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        if (value_is_global(v))
            columns += value_count(v);
    }
    return columns;
}

Status record_create(Record *r, const CosyModel *m, bool trace, Arena *a,
                     Image *image)
{
    *r =
        (Record){.model = m, .trace = trace, .columns = record_width(m, false)};
    TRY(image_add_vector(image, a, "record rows", &r->rows));
    TRY(image_add_vector(image, a, "record log", &r->log));
    return image_add(image, a, "record counts", r->counts, sizeof r->counts);
}

static void ring_column(Cosy *c, const CosyVariable *v, real t)
{
    Buffer b = {0};
    buffer_format(&b, "time %g%s%s", (double)t, COSY_IN_TIME(c->model));
    buffer_format(&b,
                  ": `%s`, which OUTPUT shows, has no value: its column has "
                  "nan there, and graphs have a gap",
                  v->name);
    c->host->message(c, COSY_WARNING, v->line, buffer_string(&b));
    buffer_free(&b);
}

/* A column without a value does not end the run, which would be the same
   without OUTPUT. */
static Status compute_column(Cosy *c, uint32_t variable, real t, bool *rung)
{
    const CosyModel *m = c->model;
    const CosyVariable *v = &m->variables[variable];
    void *at = (unsigned char *)c->data + v->place;
    CosyStatus s = m->column(c, variable - m->n_variables);
    switch (COSY_REASON(s)) {
    case COSY_OK: return STATUS_OK;
    case COSY_NO_MEMORY: return STATUS_MEMORY;
    case COSY_STOPPED: return STATUS_STOPPED;
    default: break;
    }
    if (v->type == COSY_TYPE_REAL)
        *(real *)at = (real)NAN;
    else
        *(uint8_t *)at = 0;
    if (COSY_REASON(s) == COSY_ABSENT)
        return STATUS_OK; // a copy has values while it is there
    if (!*rung)
        ring_column(c, v, t);
    *rung = true;
    return STATUS_OK;
}

static Status compute_columns(Cosy *c, real t, bool cross, bool *rung)
{
    const CosyModel *m = c->model;
    Status s = STATUS_OK;
    for (uint32_t k = 0; k < stored_count(m, cross) && s == STATUS_OK; k++)
        if (m->stored[k] >= m->n_variables)
            s = compute_column(c, m->stored[k], t, rung);
    return s;
}

static void put_values(real *row, uint32_t columns, const Cosy *c, real t,
                       bool cross)
{
    const real *end = row + columns;
    const CosyModel *m = c->model;
    *row++ = t;
    for (uint32_t k = 0; k < stored_count(m, cross); k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        uint32_t n = value_is_global(v) ? value_count(v) : 0;
        for (uint32_t e = 0; e < n; e++)
            *row++ = value_real(c, v, e);
    }
    assert(row == end);
}

/* What FUNCTIONs in columns assign does not affect the run. */
Status record_append(Vector *rows, uint32_t columns, Cosy *c, real t,
                     bool cross, bool *rung)
{
    const CosyModel *m = c->model;
    Vector kept = {0};
    if (!vector_append(rows, NULL, columns * sizeof(real)))
        return STATUS_MEMORY;
    if (m->columns_call && !vector_append(&kept, c->data, m->data_size))
        return STATUS_MEMORY;
    Status s = m->column ? compute_columns(c, t, cross, rung) : STATUS_OK;
    put_values((real *)(void *)(rows->bytes + rows->used) - columns, columns, c,
               t, cross);
    if (m->columns_call)
        memcpy(c->data, kept.bytes, m->data_size);
    vector_free(&kept);
    return s;
}

/* The system is asked for its size when there is much, not at the start of every
   run. */
#define MUCH ((size_t)1 << 20)

static bool is_most(Record *r)
{
    if (r->rows.used < MUCH)
        return false;
    if (r->most == 0)
        r->most = memory_size() / 2;
    return r->most && r->rows.used > r->most;
}

Status record_point(Record *r, Cosy *c, real t)
{
    if (r->columns == 1)
        return STATUS_OK;
    if (is_most(r))
        return STATUS_MEMORY;
    return record_append(&r->rows, r->columns, c, t, false, &r->rung);
}

/* Events that are written in no time; the file says how many are left out. */
#define LOG_AT_STOP ((size_t)200000)

uint32_t record_thin(Record *r, size_t cells)
{
    size_t row = r->columns * sizeof(real), n = r->rows.used / row;
    size_t most = cells / r->columns > 2 ? cells / r->columns - 1 : 1;
    size_t every = (n + most - 1) / most, kept = 0;
    assert(r->rows.used % row == 0);
    if (r->log.used > LOG_AT_STOP * sizeof(LogEntry))
        r->log.used = LOG_AT_STOP * sizeof(LogEntry);
    if (every < 2)
        return 1;
    for (size_t k = 0; k < n; k++)
        if (k % every == 0 || k == n - 1)
            memmove(r->rows.bytes + row * kept++, r->rows.bytes + row * k, row);
    r->rows.used = kept * row;
    vector_shrink(&r->rows);
    return (uint32_t)every;
}

uint32_t record_column(const CosyModel *m, uint32_t variable, uint32_t e)
{
    uint32_t at = 1; // rows of runs are the beginning of rows of cross.csv
    for (uint32_t k = 0; k < stored_count(m, true); k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        uint32_t n = value_is_global(v) ? value_count(v) : 0;
        if (m->stored[k] == variable && e < n)
            return at + e;
        at += n;
    }
    return 0;
}

/* State events and choices of states are few and say the most: they are always
   kept. */
static bool is_always_kept(LogKind kind)
{
    return kind == LOG_STATE || kind == LOG_CHOICE || kind == LOG_SLIDE ||
           kind == LOG_REST;
}

/* Entries in the log of the kinds to which the limit applies. */
static uint64_t limited_entries(const Record *r)
{
    return r->log.used / sizeof(LogEntry) - r->counts[LOG_STATE] -
           r->counts[LOG_CHOICE] - r->counts[LOG_SLIDE] - r->counts[LOG_REST];
}

Status record_event(Record *r, LogKind kind, uint32_t which, uint64_t detail,
                    real t)
{
    LogEntry e;
    if (kind == LOG_HIDDEN && !r->trace) {
        r->counts[kind]++;
        return STATUS_OK;
    }
    if (is_always_kept(kind) || limited_entries(r) < EVENT_LIMIT) {
        memset(&e, 0, sizeof e); // padding too: the log is part of the image
        e.t = t;
        e.kind = (uint32_t)kind;
        e.which = which;
        e.detail = detail;
        if (!vector_append(&r->log, &e, sizeof e))
            return STATUS_MEMORY;
    } else {
        r->full = true;
    }
    r->counts[kind]++;
    return STATUS_OK;
}

/* The unused room after the entries is all zero, padding too. */
Status record_open(Record *r, uint32_t *most, CosyLogged **log)
{
    uint64_t there = limited_entries(r);
    uint64_t more = there < EVENT_LIMIT ? EVENT_LIMIT - there : 0;
    *log = NULL;
    r->full = more == 0;
    if (r->full)
        return STATUS_OK;
    if (*most > more)
        *most = (uint32_t)more;
    if (!vector_reserve(&r->log, r->log.used + *most * sizeof(LogEntry)))
        return STATUS_MEMORY;
    *log = (CosyLogged *)(void *)(r->log.bytes + r->log.used);
    return STATUS_OK;
}

void record_round(Record *r, const CosyRound *round)
{
    if (round->log)
        r->log.used += round->done * sizeof(LogEntry);
    r->counts[LOG_TIME] += round->timed;
    r->counts[LOG_PROCESS] += round->done - round->timed;
}

void record_free(Record *r)
{
    vector_free(&r->rows);
    vector_free(&r->log);
}

/* ---- Writing ------------------------------------------------------------- */

static void put_column_name(Buffer *b, const CosyVariable *v, uint32_t e)
{
    Buffer name = {0};
    value_name(&name, v, e);
    value_put_unit(&name, v->unit);
    buffer_cell(b, buffer_string(&name));
    b->broken = b->broken || name.broken;
    buffer_free(&name);
}

void record_header(Buffer *b, const CosyModel *m, bool cross)
{
    buffer_text(b, "TIME");
    value_put_unit(b, cosy_time_unit(m));
    for (uint32_t k = 0; k < stored_count(m, cross); k++) {
        const CosyVariable *v = &m->variables[m->stored[k]];
        uint32_t n = value_is_global(v) ? value_count(v) : 0;
        for (uint32_t e = 0; e < n; e++) {
            buffer_char(b, ',');
            put_column_name(b, v, e);
        }
    }
    buffer_char(b, '\n');
}

static void put_rows(Buffer *b, const CosyModel *m, const Vector *rows,
                     bool cross)
{
    const real *value = (const real *)(const void *)rows->bytes;
    size_t n = rows->used / sizeof *value;
    uint32_t columns = record_width(m, cross);
    assert(n % columns == 0);
    record_header(b, m, cross);
    for (size_t k = 0; k < n; k++) {
        number_text(b, value[k]);
        buffer_char(b, (k + 1) % columns == 0 ? '\n' : ',');
    }
}

static const char *event_name(const CosyModel *m, const LogEntry *e)
{
    switch ((LogKind)e->kind) {
    case LOG_STATE: return m->state_events[e->which].name;
    case LOG_TIME: return m->time_events[e->which].name;
    case LOG_SAMPLE: return m->clocks[e->which].name;
    case LOG_PROCESS: return m->processes[e->which].name;
    case LOG_HIDDEN: return m->relations_info[e->which].text;
    case LOG_SLIDE:
    case LOG_REST: return m->conditions_info[e->which].name;
    default: return "states chosen anew";
    }
}

static const char *kind_name(const LogEntry *e)
{
    static const char *const name[LOG_KINDS] = {
        [LOG_STATE] = "state",   [LOG_TIME] = "time",
        [LOG_SAMPLE] = "sample", [LOG_PROCESS] = "process",
        [LOG_HIDDEN] = "hidden", [LOG_CHOICE] = "choice",
        [LOG_SLIDE] = "slide",   [LOG_REST] = "rest",
    };
    return name[e->kind];
}

/* The CONTINUOUS PROCESS that an event belongs to, or COSY_NONE. */
static uint32_t process_of(const CosyModel *m, LogKind kind, uint32_t which)
{
    if (m->n_copies == 0)
        return COSY_NONE;
    if (kind == LOG_HIDDEN && which < m->n_relations_info)
        return m->relations_info[which].process - 1; // 0 becomes COSY_NONE
    for (uint32_t k = 0; kind == LOG_STATE && k < m->n_conditions_info; k++)
        if (m->conditions_info[k].kind == COSY_CONDIT &&
            m->conditions_info[k].event == which)
            return m->conditions_info[k].process;
    return COSY_NONE;
}

bool record_copy_name(Buffer *b, const CosyModel *m, LogKind kind,
                      uint32_t which, uint64_t detail)
{
    uint32_t p = process_of(m, kind, which);
    if (p == COSY_NONE)
        return false;
    buffer_format(b, "%s[%u]", m->copies[p].name, COSY_DETAIL_NUMBER(detail));
    if (COSY_DETAIL_ELEMENT(detail))
        buffer_format(b, " %u", COSY_DETAIL_ELEMENT(detail));
    return true;
}

static void put_event(Buffer *b, const CosyModel *m, const LogEntry *e)
{
    number_text(b, e->t);
    buffer_char(b, ',');
    buffer_cell(b, event_name(m, e));
    buffer_format(b, ",%s,", kind_name(e));
    bool named = e->detail != COSY_NONE &&
                 record_copy_name(b, m, (LogKind)e->kind, e->which, e->detail);
    if (e->kind == LOG_SLIDE || e->kind == LOG_REST)
        buffer_text(b, e->detail ? "begins" : "ends");
    else if (!named && (e->detail != COSY_NONE || e->kind == LOG_PROCESS))
        buffer_format(b, "%llu", (unsigned long long)e->detail);
    buffer_char(b, '\n');
}

/* Events that happened but are not in the log, except for hidden ones that
   nobody asked for. */
static uint64_t events_left_out(const Record *r)
{
    uint64_t all = 0;
    for (int k = 0; k < LOG_KINDS; k++) {
        if (k != LOG_HIDDEN || r->trace)
            all += r->counts[k];
    }
    return all - r->log.used / sizeof(LogEntry);
}

#define PIECE ((size_t)1 << 18) // bytes of a long text that are written at once

static Status put_piece(const char *path, Buffer *b, bool begun, Fault *f)
{
    Status s = begun ? file_add(path, b->v.bytes, b->v.used, f)
                     : file_put(path, b->v.bytes, b->v.used, f);
    b->v.used = 0;
    return s;
}

/* The text of the log; a long one goes to `path` piece by piece. */
static Status put_events(Buffer *b, const Record *r, const char *path, Fault *f)
{
    const LogEntry *e = (const LogEntry *)(const void *)r->log.bytes;
    size_t n = r->log.used / sizeof *e;
    uint64_t left_out = events_left_out(r);
    bool begun = false;
    buffer_text(b, "time,event,kind,detail\n");
    for (size_t k = 0; k < n; k++) {
        put_event(b, r->model, &e[k]);
        if (b->v.used < PIECE || b->broken)
            continue;
        TRY(put_piece(path, b, begun, f));
        begun = true;
    }
    if (left_out > 0)
        buffer_format(b, ",,more,%llu further events are not listed\n",
                      (unsigned long long)left_out);
    return b->broken ? fault_set(f, STATUS_MEMORY,
                                 "%s: no memory for the text of events", path)
                     : put_piece(path, b, begun, f);
}

static Status write_events(const Record *r, const char *dir, uint32_t run,
                           Fault *f)
{
    Buffer path = {0}, text = {0};
    buffer_format(&path, "%s/events-%04u.csv", dir, run);
    Status s = path.broken ? fault_set(f, STATUS_MEMORY, "%s: no memory", dir)
                           : put_events(&text, r, buffer_string(&path), f);
    buffer_free(&path);
    buffer_free(&text);
    return s;
}

static void put_long_array(Buffer *b, const Cosy *c, const CosyVariable *v)
{
    for (uint32_t k = 0; k < value_count(v); k++) {
        buffer_cell(b, v->name);
        buffer_format(b, ",%u,%u,", k / v->columns + 1, k % v->columns + 1);
        if (v->type == COSY_TYPE_REAL)
            number_text(b, value_real(c, v, k));
        else
            buffer_format(b, "%lld", (long long)value_integer(c, v, k));
        buffer_char(b, '\n');
    }
}

/* One line for each element of an attribute of each copy. */
static void put_many_copies(Buffer *b, const Cosy *c, const CosyVariable *v)
{
    for (uint32_t i = 0; i < c->copy[v->process].count; i++)
        for (uint32_t k = 0; k < value_count(v); k++) {
            buffer_format(b, "%s[%u].%s,%u,%u,",
                          c->model->copies[v->process].name,
                          cosy_copy(c, v->process, i)->number, v->name,
                          k / v->columns + 1, k % v->columns + 1);
            if (v->type == COSY_TYPE_REAL)
                number_text(b, value_of_copy(c, v, i, k));
            else
                buffer_format(b, "%lld", (long long)value_of_copy(c, v, i, k));
            buffer_char(b, '\n');
        }
}

static bool are_many_copies(const Cosy *c, const CosyVariable *v)
{
    return v->process != COSY_NONE && v->process < c->model->n_copies &&
           value_is_attribute(v, v->process) && value_is_many(c, v);
}

static void put_long_arrays(Buffer *b, const Cosy *c)
{
    const CosyModel *m = c->model;
    buffer_text(b, "variable,row,column,value\n");
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (value_is_long(v))
            put_long_array(b, c, v);
        else if (are_many_copies(c, v))
            put_many_copies(b, c, v);
    }
}

static bool has_long_arrays(const Cosy *c)
{
    const CosyModel *m = c->model;
    for (uint32_t k = 0; k < m->n_variables; k++) {
        const CosyVariable *v = &m->variables[k];
        if (value_is_long(v) || are_many_copies(c, v))
            return true;
    }
    return false;
}

/* Writes what `b` holds to DIR/NAME, and frees it. */
static Status write_csv(Buffer *b, const char *dir, const char *name, Fault *f)
{
    Buffer path = {0};
    buffer_format(&path, "%s/%s", dir, name);
    Status s = b->broken || path.broken
                   ? fault_set(f, STATUS_MEMORY,
                               "%s: no memory for the text of %s", dir, name)
                   : file_put(buffer_string(&path), b->v.bytes, b->v.used, f);
    buffer_free(&path);
    buffer_free(b);
    return s;
}

Status record_numbered(Buffer *b, const char *dir, const char *what,
                       uint32_t run, Fault *f)
{
    char name[40];
    snprintf(name, sizeof name, "%s-%04u.csv", what, run);
    return write_csv(b, dir, name, f);
}

Status record_write(const Record *r, const char *dir, uint32_t run, bool alone,
                    Fault *f)
{
    Buffer rows = {0};
    if (r->rows.used > 0) {
        put_rows(&rows, r->model, &r->rows, false);
        TRY(record_numbered(&rows, dir, "run", run, f));
    }
    return alone || r->log.used > 0 ? write_events(r, dir, run, f) : STATUS_OK;
}

Status record_final(const Cosy *c, const char *dir, uint32_t run, Fault *f)
{
    Buffer b = {0};
    if (!has_long_arrays(c))
        return STATUS_OK;
    put_long_arrays(&b, c);
    return record_numbered(&b, dir, "final", run, f);
}

Status record_cross(const CosyModel *m, const Vector *rows, const char *dir,
                    Fault *f)
{
    Buffer b = {0};
    put_rows(&b, m, rows, true);
    return write_csv(&b, dir, "cross.csv", f);
}
