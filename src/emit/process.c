#include "emit/writer.h"

/* Processes and resources: structs, tables, and the functions that carry
   transactions on. The body of a process is one function; a switch at its top
   jumps to the point after the statement at which the transaction has waited.
   No local of C survives a wait: what must survive is in the transaction. */

static const char *member_type(ExprType t)
{
    return t == EXPR_TYPE_BOOLEAN ? "uint8_t" : emit_type(t);
}

const char *emit_self(const Emit *e)
{
    return e->code.process == NONE ? "COSY_NONE" : "self";
}

/* ---- What belongs to a transaction
   ------------------------------------------------ */

static uint32_t record_of(const Model *m, uint32_t process)
{
    return model_file(m, model_process(m, process)->file)->record;
}

bool emit_is_own_attribute(const Emit *e, const Variable *v)
{
    return e->code.process != NONE &&
           record_of(e->m, e->code.process) == v->record;
}

/* An OWN variable, or an attribute that the system does not keep anyway. */
static bool is_member(const Model *m, uint32_t process, uint32_t k)
{
    const Variable *v = model_variable(m, k);
    if (v->kind == VARIABLE_OWN)
        return v->process == process;
    return v->kind == VARIABLE_ATTRIBUTE && v->role == ROLE_NONE &&
           v->record == record_of(m, process);
}

static bool has_members(const Model *m, uint32_t process)
{
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (is_member(m, process, k))
            return true;
    return emit_has_now(m, process);
}

/* Bytes of CosyTransaction without its reals, and how many reals it has; a
   static assertion checks it. */
#define HEAD_BYTES 64
#define HEAD_REALS 6

/* Bytes of a transaction, each member aligned to its size, in reals of that
   size. */
static uint64_t size_in_reals(const Model *m, uint32_t process, uint64_t real)
{
    uint64_t size = (HEAD_BYTES + real - 1) / real * real + HEAD_REALS * real;
    for (uint32_t k = 0; k < model_variables(m); k++) {
        if (!is_member(m, process, k))
            continue;
        const Variable *v = model_variable(m, k);
        uint64_t one = v->type == EXPR_TYPE_REAL      ? real
                       : v->type == EXPR_TYPE_INTEGER ? 8
                                                      : 1;
        size = (size + one - 1) / one * one + one * v->elements;
    }
    size += emit_now_size(m, process, real);
    return (size + real - 1) / real;
}

uint32_t emit_transaction_size(const Emit *e)
{
    uint32_t size = 16;
    for (uint32_t k = 0; k < model_processes(e->m); k++)
        while ((size < size_in_reals(e->m, k, 8) ||
                size < size_in_reals(e->m, k, 16)) &&
               size < 1u << 26)
            size *= 2;
    return model_processes(e->m) ? size : 0;
}

/* OF_QUEUE_at(c, self)->BEGAN */
void emit_own(Emit *e, Buffer *b, uint32_t process, uint32_t variable,
              const char *id)
{
    static const char *const roles[] = {[ROLE_NONE] = "",
                                        [ROLE_GENTIM] = "gentim",
                                        [ROLE_TRANSNBR] = "number",
                                        [ROLE_PRIORNBR] = "priority",
                                        [ROLE_BLOCKNBR] = "point"};
    const Variable *v = model_variable(e->m, variable);
    bool whole = v->role == ROLE_PRIORNBR && v->type == EXPR_TYPE_INTEGER;
    e->trouble = e->trouble || whole;
    if (whole)
        buffer_format(b, "cosy_priornbr(c, cosy_transaction(c, %s)->%s)", id,
                      roles[v->role]);
    else if (v->kind == VARIABLE_ATTRIBUTE && v->role != ROLE_NONE)
        buffer_format(b, "cosy_transaction(c, %s)->%s", id, roles[v->role]);
    else
        buffer_format(b, "%s_at(c, %s)->%s", e->name->own[process], id,
                      e->name->variable[variable]);
}

static void process_struct(Emit *e, uint32_t process)
{
    const Model *m = e->m;
    const char *name = e->name->own[process];
    if (!has_members(m, process))
        return;
    emit_line(e, "/* A transaction of %s. */",
              emit_plain(e, model_process(m, process)->name));
    emit_open(e, "typedef struct %s", name);
    emit_line(e, "CosyTransaction head;");
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        Buffer b = {0};
        if (!is_member(m, process, k))
            continue;
        buffer_format(&b, "%s %s", member_type(v->type), e->name->variable[k]);
        for (uint32_t i = 0; i < v->rank; i++)
            buffer_format(&b, "[%lld]",
                          (long long)(v->high[i] - v->low[i] + 1));
        buffer_char(&b, ';');
        emit_buffer(e, &b);
    }
    emit_now_members(e, process);
    emit_close(e, emit_format(e, " %s;", name));
    emit_blank(e);
    emit_line(e,
              "_Static_assert(sizeof(%s) <= COSY_TRANSACTION_SIZE, "
              "\"a place in the pool is too small\");",
              name);
    emit_blank(e);
    emit_line(e, "static inline %s *%s_at(const Cosy *c, uint32_t id)", name,
              name);
    emit_line(e, "{");
    emit_line(e, "    return (%s *)(void *)cosy_transaction(c, id);", name);
    emit_line(e, "}");
    emit_blank(e);
}

void emit_process_structs(Emit *e)
{
    if (model_processes(e->m)) {
        emit_line(e, "_Static_assert(sizeof(CosyTransaction) <= "
                     "COSY_TRANSACTION_SIZE, \"a place in the pool is too "
                     "small\");");
        emit_blank(e);
    }
    for (uint32_t k = 0; k < model_processes(e->m); k++)
        process_struct(e, k);
}

#define OF 3 // length of "OF_" in the name of its struct

/* ---- Names and tables ----------------------------------------------------------------- */

void emit_process_enumerations(Emit *e)
{
    const Model *m = e->m;
    Buffer b = {0};
    uint32_t n = model_processes(m), count = 0;
    if (n) {
        buffer_text(&b, "enum { ");
        for (uint32_t k = 0; k < n; k++)
            buffer_format(&b, "%s, ", e->name->process[k]);
        buffer_text(&b, "PROCESSES };");
        emit_buffer(e, &b);
        emit_blank(e);
    }
    if (model_resources(m) == 0)
        return;
    b = (Buffer){0};
    buffer_text(&b, "enum { ");
    for (uint32_t k = 0; k < model_resources(m); k++) {
        const Resource *r = model_resource(m, k);
        buffer_format(&b, "%s = %u, ", e->name->resource[k], r->number);
        count = r->number + (uint32_t)r->elements;
    }
    buffer_format(&b, "RESOURCES = %u };", count);
    emit_buffer(e, &b);
    emit_blank(e);
}

/* Lines and rows of the points of a process. */
static void point_tables(Emit *e, uint32_t k)
{
    const Process *p = model_process(e->m, k);
    const uint32_t *line = (const uint32_t *)(const void *)p->lines.bytes;
    const uint32_t *row = (const uint32_t *)(const void *)p->rows.bytes;
    Buffer b = {0}, more = {0};
    buffer_format(&b, "static const uint32_t lines_of_%s[] = {",
                  e->name->own[k] + OF);
    buffer_format(&more, "static const uint32_t rows_of_%s[] = {",
                  e->name->own[k] + OF);
    for (uint32_t i = 0; i < p->points; i++) {
        buffer_format(&b, "%s%u", i ? ", " : "", line[i]);
        buffer_format(&more, "%s%s", i ? ", " : "",
                      row[i] < e->plan->rows.rows ? e->name->row[row[i]]
                                                  : "COSY_NOWHERE");
    }
    buffer_text(&b, "};");
    buffer_text(&more, "};");
    emit_buffer(e, &b);
    emit_buffer(e, &more);
}

static void process_table(Emit *e)
{
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_processes(m); k++)
        point_tables(e, k);
    emit_open(e, "static const CosyProcessInfo processes[PROCESSES] =");
    for (uint32_t k = 0; k < model_processes(m); k++) {
        const Process *p = model_process(m, k);
        const char *own = e->name->own[k] + OF;
        emit_line(e, "[%s] = {%s, %u, lines_of_%s, rows_of_%s, %u, %u, %s},",
                  e->name->process[k], emit_string(e, p->name), p->points, own,
                  own, model_file(m, p->file)->capacity, p->line,
                  p->server ? "true" : "false");
    }
    emit_close(e, ";");
    emit_blank(e);
}

/* "DESK", "DESK[3]", "DESK[2, 1]" */
static const char *element_name(Emit *e, const Resource *r, uint64_t i)
{
    if (r->rank == 0)
        return r->name;
    if (r->rank == 1)
        return emit_format(e, "%s[%lld]", r->name,
                           (long long)(r->low[0] + (int64_t)i));
    uint64_t columns = (uint64_t)(r->high[1] - r->low[1] + 1);
    return emit_format(e, "%s[%lld, %lld]", r->name,
                       (long long)(r->low[0] + (int64_t)(i / columns)),
                       (long long)(r->low[1] + (int64_t)(i % columns)));
}

/* The capacity in the table before the run begins. */
static const char *first_capacity(Emit *e, const Resource *r)
{
    if (r->kind == RESOURCE_FACILITY)
        return "1";
    if (r->kind != RESOURCE_STORAGE)
        return "0";
    if (!r->capacity)
        return "COSY_UNLIMITED";
    return r->capacity->op == EXPR_INTEGER
               ? emit_format(e, "%lld", (long long)r->capacity->integer)
               : "1";
}

/* What few resources have. */
static const char *more_of(Emit *e, const Resource *r)
{
    if (r->resized)
        return ", .resized = true";
    if (r->kind == RESOURCE_FACILITY && r->pool != NONE)
        return emit_format(e, ", .pool = %s + 1", e->name->resource[r->pool]);
    if (r->kind != RESOURCE_POOL)
        return "";
    return emit_format(
        e, ", .first = %s, .members = %llu, .stream = %s",
        e->name->resource[r->of],
        (unsigned long long)model_resource(e->m, r->of)->elements,
        r->stream == NONE ? "COSY_NONE" : e->name->stream[r->stream]);
}

static void resource_table(Emit *e)
{
    static const char *const kinds[] = {[RESOURCE_FACILITY] = "COSY_FACILITY",
                                        [RESOURCE_STORAGE] = "COSY_STORAGE",
                                        [RESOURCE_GATE] = "COSY_GATE",
                                        [RESOURCE_SIGNAL] = "COSY_SIGNAL",
                                        [RESOURCE_JOIN] = "COSY_JOINT",
                                        [RESOURCE_POOL] = "COSY_POOL"};
    const Model *m = e->m;
    emit_open(e, "static const CosyResourceInfo resources[RESOURCES] =");
    for (uint32_t k = 0; k < model_resources(m); k++) {
        const Resource *r = model_resource(m, k);
        for (uint64_t i = 0; i < r->elements; i++) {
            const char *at = e->name->resource[k];
            if (i)
                at = emit_format(e, "%s + %llu", at, (unsigned long long)i);
            emit_line(e, "[%s] = {%s, %s, %s, %u%s},", at,
                      emit_string(e, element_name(e, r, i)), kinds[r->kind],
                      first_capacity(e, r), r->line, more_of(e, r));
        }
    }
    emit_close(e, ";");
    emit_blank(e);
}

void emit_process_tables(Emit *e)
{
    if (model_processes(e->m))
        process_table(e);
    emit_wait_table(e);
    if (model_resources(e->m))
        resource_table(e);
}

void emit_capacities(Emit *e)
{
    for (uint32_t k = 0; k < model_resources(e->m); k++) {
        const Resource *r = model_resource(e->m, k);
        if (!r->capacity || r->capacity->op == EXPR_INTEGER)
            continue;
        const char *text = emit_format(
            e, "the CAPACITY of STORAGE %s is less than 1", r->name);
        emit_row_source(e, r->row);
        if (r->resized) // INITIAL may have set it
            emit_line(e, "if (c->resource[%s].marks == 0)",
                      e->name->resource[k]);
        emit_line(e,
                  r->resized ? "    c->resource[%s].capacity = %s;"
                             : "c->resource[%s].capacity = %s;",
                  e->name->resource[k],
                  emit_text(e, r->capacity, EXPR_TYPE_INTEGER, LEVEL_CHOOSE));
        emit_check(e, r->row);
        emit_open(e, "if (c->resource[%s].capacity < 1)", e->name->resource[k]);
        emit_line(e, "c->host->message(c, COSY_ERROR, %u, %s);", r->line,
                  emit_string(e, text));
        emit_line(e, "return COSY_FAIL(COSY_REFUSED, %s);",
                  emit_row(e, r->row));
        emit_close(e, "");
    }
}

/* ---- Bodies ---------------------------------------------------------------------------- */

static void resume_body(Emit *e, uint32_t k)
{
    static const char *const parameters[] = {"self", NULL};
    const Process *p = model_process(e->m, k);
    emit_begin_body(e);
    e->code.process = k;
    emit_now_begin(e, &p->code, NONE);
    if (p->points > 1) {
        emit_line(e, "switch (cosy_transaction(c, self)->point) {");
        emit_line(e, "case 0: break;");
        for (uint32_t i = 1; i < p->points; i++)
            emit_line(e, "case %u: goto at_%u;", i, i);
        emit_line(e, "default: return COSY_FAIL(COSY_BUG, COSY_NOWHERE);");
        emit_line(e, "}");
    }
    emit_code(e, &p->code);
    emit_line(e, "COSY_DO(cosy_finish(c, %s, self), %s, self);",
              e->name->process[k], emit_row(e, p->row));
    emit_end(e,
             emit_format(e, "CosyStatus live_%s(Cosy *c, uint32_t self)",
                         e->name->own[k] + OF),
             parameters, NULL);
}

static void resume_cases(Emit *e)
{
    emit_line(e, "switch (cosy_process(cosy_transaction(c, self))) {");
    for (uint32_t k = 0; k < model_processes(e->m); k++)
        emit_line(e, "case %s: return live_%s(c, self);", e->name->process[k],
                  e->name->own[k] + OF);
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, COSY_NOWHERE);");
    emit_line(e, "}");
}

static void resume_switch(Emit *e)
{
    static const char *const parameters[] = {NULL};
    emit_begin_body(e);
    if (model_processes(e->m) == 1)
        emit_line(e, "return live_%s(c, self);", e->name->own[0] + OF);
    else
        resume_cases(e);
    emit_end(e, "CosyStatus resume(Cosy *c, uint32_t self)", parameters, "");
}

/* Only the calendar moves: nothing is continuous, no clock ticks, nothing is
   recorded. */
bool emit_is_discrete(const Emit *e)
{
    const Model *m = e->m;
    return model_processes(m) > 0 && m->states == 0 && !e->written.outputs &&
           !e->written.conditions && !e->written.relations &&
           !e->plan->facts.has_delays && model_state_events(m) == 0 &&
           model_clocks(m) == 0 && model_waits(m) == 0 && m->stored.used == 0 &&
           m->columns.first == NULL && m->communic.first == NULL;
}

static void discrete_loop(Emit *e)
{
    static const char *const parameters[] = {NULL};
    emit_begin_body(e);
    emit_line(e, "return cosy_go(c, round, resume, %s);",
              model_time_events(e->m) ? "time_event" : "NULL");
    emit_end(e, "CosyStatus discrete(Cosy *c, CosyRound *round)", parameters,
             "");
}

/* ---- All of it ------------------------------------------------------------------------ */

void emit_processes(Emit *e)
{
    const Model *m = e->m;
    if (model_processes(m) == 0)
        return;
    emit_title(e, "Processes");
    for (uint32_t k = 0; k < model_processes(m); k++)
        resume_body(e, k);
    resume_switch(e);
    if (emit_is_discrete(e))
        discrete_loop(e);
    if (model_waits(m))
        emit_until(e);
}
