#include "emit/writer.h"

/* The functions that hold procedural code: routines, event bodies, INITIAL and
   its like, and the start values of an instance. */

static bool mentions(const Emit *e, const char *name)
{
    return emit_mentions((const char *)e->body.v.bytes, e->body.v.used, name);
}

/* ---- Routines ----------------------------------------------------------------------- */

/* real X, int64_t *N, real *result */
static const char *formal_list(Emit *e, const Routine *r)
{
    Buffer b = {0};
    for (uint32_t k = 0; k < r->formals; k++) {
        const Variable *v = model_variable(e->m, r->formal[k]);
        bool address = v->by_reference || v->rank;
        const char *type = v->type == EXPR_TYPE_BOOLEAN && address
                               ? "uint8_t"
                               : emit_type(v->type);
        buffer_format(&b, ", %s %s%s", type, address ? "*" : "",
                      e->name->variable[r->formal[k]]);
    }
    if (r->is_function)
        buffer_format(&b, ", %s *result", emit_type(r->result));
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static const char *member_type(ExprType t)
{
    return t == EXPR_TYPE_BOOLEAN ? "uint8_t" : emit_type(t);
}

/* Sets the start value of a local that begins afresh at every call. */
static void fresh_local(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    const char *name = e->name->variable[k];
    Buffer start = {0};
    if (v->value && v->type == EXPR_TYPE_REAL)
        emit_real(e, &start, v->value, 0);
    else if (v->value)
        emit_value(e, &start, v->value, 0);
    else
        buffer_char(&start, '0');
    Buffer *out = e->out;
    e->out = &e->head;
    if (e->store->in_data[k] && v->rank)
        emit_line(e, "memset(d->%s, 0, sizeof d->%s);", name, name);
    else if (e->store->in_data[k])
        emit_line(e, "d->%s = %s;", name, buffer_string(&start));
    else if (v->rank == 2)
        emit_line(e, "%s %s[%lld][%lld] = {{0}};", member_type(v->type), name,
                  (long long)(v->high[0] - v->low[0] + 1),
                  (long long)(v->high[1] - v->low[1] + 1));
    else if (v->rank == 1)
        emit_line(e, "%s %s[%llu] = {0};", member_type(v->type), name,
                  (unsigned long long)v->elements);
    else
        emit_line(e, "%s %s = %s;", member_type(v->type), name,
                  buffer_string(&start));
    e->out = out;
    buffer_free(&start);
}

static void fresh_locals(Emit *e, uint32_t routine)
{
    for (uint32_t k = 0; k < model_variables(e->m); k++) {
        const Variable *v = model_variable(e->m, k);
        if (v->kind == VARIABLE_LOCAL && v->own && v->routine == routine &&
            (e->store->in_data[k] || mentions(e, e->name->variable[k])))
            fresh_local(e, k);
    }
}

static void write_routine(Emit *e, uint32_t k)
{
    const Routine *r = model_routine(e->m, k);
    const char **unused = EMIT_ARRAY(e, const char *, r->formals + 1);
    if (!unused)
        return;
    emit_begin_body(e);
    emit_now_begin(e, &r->code, NONE);
    emit_code(e, &r->code);
    if (r->is_function) {
        Buffer b = {0};
        buffer_text(&b, "*result = ");
        emit_place(e, &b, r->result_variable, false, NULL, 0);
        buffer_char(&b, ';');
        emit_buffer(e, &b);
    }
    fresh_locals(e, k);
    emit_now_locals(e, NONE);
    for (uint32_t i = 0; i < r->formals; i++)
        unused[i] = e->name->variable[r->formal[i]];
    const char *head = emit_format(e, "CosyStatus %s(Cosy *c%s)",
                                   e->name->routine[k], formal_list(e, r));
    emit_end(e, head, unused, NULL);
}

/* ---- Bodies ---------------------------------------------------------------------------- */

static void write_body(Emit *e, const Code *code, const char *head,
                       const char *const *parameters, uint32_t record)
{
    emit_begin_body(e);
    emit_now_begin(e, code, record);
    emit_code(e, code);
    emit_now_locals(e, record);
    emit_end(e, head, parameters, NULL);
}

/* What a body is given beside c: the record of a time event, the copy it belongs
   to, the element of an array. */
static const char *event_parameters(Emit *e, const Event *ev, bool time)
{
    return emit_format(e, "%s%s%s", time ? ", uint32_t record" : "",
                       !time && ev->pool ? ", uint32_t copy" : "",
                       ev->rank ? ", int64_t element" : "");
}

static void event_bodies(Emit *e, bool time)
{
    static const char *const unused[] = {"record", "copy", "element", NULL};
    const Model *m = e->m;
    uint32_t n = time ? model_time_events(m) : model_state_events(m);
    for (uint32_t k = 0; k < n; k++) {
        const Event *ev =
            time ? model_time_event(m, k) : model_state_event(m, k);
        if (!ev->has_body)
            continue;
        const char *name =
            (time ? e->name->time_event : e->name->state_event)[k];
        const char *parameters[LENGTH(unused)];
        uint32_t count = 0;
        if (time)
            parameters[count++] = unused[0];
        else if (ev->pool)
            parameters[count++] = unused[1];
        if (ev->rank)
            parameters[count++] = unused[2];
        parameters[count] = NULL;
        write_body(e, &ev->code,
                   emit_format(e, "CosyStatus on_%s(Cosy *c%s)", name,
                               event_parameters(e, ev, time)),
                   parameters, ev->record);
    }
}

/* case EV_UP: */
static void event_cases(Emit *e, const char *name, uint64_t elements)
{
    emit_line(e, "case %s:", name);
    for (uint64_t i = 1; i < elements; i++)
        emit_line(e, "case %s + %llu:", name, (unsigned long long)i);
}

/* switch (event) { case EV_UP: return on_EV_UP(c); } */
static void event_switch(Emit *e, bool time)
{
    static const char *const state_unused[] = {"copy", "element", NULL};
    static const char *const time_unused[] = {"record", NULL};
    const Model *m = e->m;
    uint32_t n = time ? model_time_events(m) : model_state_events(m);
    if (n == 0)
        return;
    event_bodies(e, time);
    emit_begin_body(e);
    emit_line(e, "switch (event) {");
    for (uint32_t k = 0; k < n; k++) {
        const Event *ev =
            time ? model_time_event(m, k) : model_state_event(m, k);
        const char *name =
            (time ? e->name->time_event : e->name->state_event)[k];
        event_cases(e, name, time ? ev->elements : 1);
        const char *element = !ev->rank ? ""
                              : time    ? emit_format(e, ", event - %s", name)
                                        : ", element";
        if (ev->has_body)
            emit_line(e, "    return on_%s(c%s%s);", name,
                      time       ? ", record"
                      : ev->pool ? ", copy"
                                 : "",
                      element);
        else
            emit_line(e, "    return COSY_OK;");
    }
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, event);");
    emit_line(e, "}");
    emit_end(e,
             time ? "CosyStatus time_event(Cosy *c, uint32_t event, uint32_t "
                    "record)"
                  : "CosyStatus state_event(Cosy *c, uint32_t event, uint32_t "
                    "copy, uint32_t element)",
             time ? time_unused : state_unused, "");
}

static void sample_switch(Emit *e)
{
    static const char *const parameters[] = {NULL};
    uint32_t n = model_clocks(e->m);
    if (n == 0)
        return;
    for (uint32_t k = 0; k < n; k++)
        write_body(e, &model_clock(e->m, k)->code,
                   emit_format(e, "CosyStatus sample_%u(Cosy *c)", k + 1),
                   parameters, NONE);
    emit_begin_body(e);
    emit_line(e, "switch (clock) {");
    for (uint32_t k = 0; k < n; k++)
        emit_line(e, "case %u: return sample_%u(c); // %s", k, k + 1,
                  plan_upper(e->plan, model_clock(e->m, k)->name));
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, clock);");
    emit_line(e, "}");
    emit_end(e, "CosyStatus sample(Cosy *c, uint32_t clock)", parameters, "");
}

/* switch (column) { case 0: return column_1(c); } */
static void column_switch(Emit *e)
{
    static const char *const parameters[] = {NULL};
    uint32_t n = 0;
    if (!e->m->columns.first)
        return;
    e->in_column = true;
    for (const Statement *s = e->m->columns.first; s; s = s->next) {
        Statement one = *s;
        one.next = NULL;
        write_body(e, &(Code){&one, &one},
                   emit_format(e, "CosyStatus column_%u(Cosy *c)", ++n),
                   parameters, NONE);
    }
    e->in_column = false;
    assert(n == e->store->columns);
    emit_begin_body(e);
    emit_line(e, "switch (k) {");
    for (uint32_t k = 0; k < n; k++)
        emit_line(e, "case %u: return column_%u(c);", k, k + 1);
    emit_line(e, "default: return COSY_FAIL(COSY_BUG, k);");
    emit_line(e, "}");
    emit_end(e, "CosyStatus column(Cosy *c, uint32_t k)", parameters, "");
}

void emit_bodies(Emit *e)
{
    static const char *const parameters[] = {NULL};
    const Model *m = e->m;
    bool any = false;
    emit_pool_heads(e);
    for (uint32_t k = 0; k < model_routines(m); k++)
        any = any || e->plan->facts.routine_used[k];
    if (any)
        emit_title(e, "Functions and procedures");
    for (uint32_t k = 0; k < model_routines(m); k++)
        if (e->plan->facts.routine_used[k])
            write_routine(e, k);
    if (model_state_events(m) || model_time_events(m) || model_clocks(m))
        emit_title(e, "Events");
    event_switch(e, false);
    event_switch(e, true);
    sample_switch(e);
    emit_pool_sections(e);
    emit_processes(e);
    if (m->communic.first)
        write_body(e, &m->communic, "CosyStatus communicate(Cosy *c)",
                   parameters, NONE);
    if (m->shown.first)
        write_body(e, &m->shown, "CosyStatus shown(Cosy *c)", parameters, NONE);
    column_switch(e);
    if (m->terminal.first)
        write_body(e, &m->terminal, "CosyStatus terminal(Cosy *c)", parameters,
                   NONE);
}

/* ---- Start values ------------------------------------------------------------------------- */

/* d->A = value; in the type of the member. */
static void set_data(Emit *e, uint32_t k, const char *value)
{
    emit_line(e, "d->%s = %s;", e->name->variable[k], value);
}

/* A CONST: its declared value, or that of the command line. */
static void set_const(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    const char *value = emit_text(e, v->value, v->type, LEVEL_CHOOSE);
    if (!e->store->has_row[k]) {
        set_data(e, k, value);
        return;
    }
    const char *cast = v->type == EXPR_TYPE_REAL ? "" : "(real)";
    if (v->type != EXPR_TYPE_REAL && v->value->count)
        value = emit_format(e, "(%s)", value);
    const char *asked = emit_format(e, "c->host->constant(c, v_%s, %s%s)",
                                    e->name->variable[k], cast, value);
    if (v->type == EXPR_TYPE_INTEGER) {
        asked = emit_format(e, "cosy_integer(c, cosy_round(%s))", asked);
        e->trouble = true;
    } else if (v->type == EXPR_TYPE_BOOLEAN) {
        asked = emit_format(e, "%s != R(0.0)", asked);
    }
    set_data(e, k, asked);
    emit_check(e, NONE);
}

static void prepare_splines(Emit *e)
{
    for (uint32_t k = 0; k < model_tables(e->m); k++)
        if (model_table(e->m, k)->kind == TABLE_SPLINE)
            emit_line(e, "cosy_table_prepare(&%s, d->second_%s, w->spline);",
                      e->name->table[k], e->name->table[k]);
}

void emit_reset(Emit *e)
{
    static const char *const parameters[] = {NULL};
    const Model *m = e->m;
    emit_begin_body(e);
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_CONST && v->value)
            set_const(e, k);
        else if ((v->kind == VARIABLE_DISCRETE || v->kind == VARIABLE_DSTATE) &&
                 v->value && v->rank == 0 && !v->pool)
            set_data(e, k, emit_text(e, v->value, v->type, LEVEL_CHOOSE));
    }
    prepare_splines(e);
    emit_code(e, &m->setup);
    emit_end(e, "CosyStatus reset(Cosy *c)", parameters, NULL);
}

/* Resets what begins afresh with every run, before INITIAL. */
static void start_run(Emit *e)
{
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_tables(m); k++)
        emit_line(e, "d->rung_%s = 0;", e->name->table[k]);
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind != VARIABLE_LOCAL || v->own || !e->store->in_data[k])
            continue;
        if (v->rank)
            emit_line(e, "memset(d->%s, 0, sizeof d->%s);",
                      e->name->variable[k], e->name->variable[k]);
        else
            set_data(e, k,
                     v->value ? emit_text(e, v->value, v->type, LEVEL_CHOOSE)
                              : "0");
    }
}

static void start_block(Emit *e, uint32_t k)
{
    const Block *b = model_block(e->m, k);
    const char *u = emit_unknowns(e, k);
    emit_line(e, "memset(d->%s, 0, sizeof d->%s);", u, u);
    for (uint32_t i = 0; i < e->plan->block[k].n_loops; i++)
        emit_loop_open(e, e->plan->block[k].loops[i], false);
    for (uint32_t i = 0; i < b->parts; i++) {
        if (!b->part[i].start)
            continue;
        Buffer text = {0};
        if (b->large) { // it stands in no loop
            const char *place =
                emit_part_open(e, &b->part[i], emit_format(e, "d->%s", u));
            buffer_format(&text, "%s = ", place);
            emit_real(e, &text, b->part[i].start, 0);
            buffer_char(&text, ';');
            emit_buffer(e, &text);
            emit_part_close(e, &b->part[i]);
            continue;
        }
        buffer_format(&text, "d->%s[", u);
        if (e->plan->block[k].n_loops) {
            emit_loop_position(e, &text, e->plan->block[k].loops,
                               e->plan->block[k].n_loops);
            buffer_text(&text, "][");
        }
        buffer_format(&text, "%u] = ", i);
        emit_real(e, &text, b->part[i].start, 0);
        buffer_char(&text, ';');
        emit_buffer(e, &text);
        emit_check(e, e->plan->block[k].row + i);
    }
    for (uint32_t i = e->plan->block[k].n_loops; i > 0; i--)
        emit_loop_close(e, e->plan->block[k].loops[i - 1]);
}

/* Starts that may depend on INITIAL and so follow it: those of memories, hidden
   states and iterations. */
static void start_hidden(Emit *e)
{
    const Model *m = e->m;
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->kind == MEMORY_DELAY || h->pool)
            continue;
        emit_line(e, "d->%s = %s;", e->name->memory[k],
                  h->start
                      ? emit_text(e, h->start, EXPR_TYPE_REAL, LEVEL_CHOOSE)
                      : "R(0.0)");
        emit_check(e, h->row);
    }
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind != VARIABLE_STATE || !v->value || v->rank)
            continue;
        emit_line(e, "c->x[%s] = %s;", e->name->variable[k],
                  emit_text(e, v->value, EXPR_TYPE_REAL, LEVEL_CHOOSE));
        emit_check(e, NONE);
    }
    for (uint32_t k = 0; k < model_blocks(m); k++)
        if (!loops_pool(m, e->plan->block[k].loops, e->plan->block[k].n_loops))
            start_block(e, k);
}

void emit_initial(Emit *e)
{
    static const char *const parameters[] = {NULL};
    emit_begin_body(e);
    start_run(e);
    emit_timepers_begin(e);
    emit_now_begin(e, &e->m->initial, NONE);
    emit_code(e, &e->m->initial);
    emit_capacities(e);
    start_hidden(e);
    emit_now_locals(e, NONE);
    e->written.initial = e->body.v.used > 0;
    if (e->written.initial)
        emit_end(e, "CosyStatus initial(Cosy *c)", parameters, NULL);
    e->out = e->file;
}
