#include "emit/writer.h"

#include <string.h>

/* The structs of a model, and the enumerations that name places and rows. */

/* ---- Structs ------------------------------------------------------------------------- */

static const char *member_type(ExprType t)
{
    return t == EXPR_TYPE_BOOLEAN ? "uint8_t" : emit_type(t);
}

static void put_dimensions(Buffer *b, const Variable *v)
{
    for (uint32_t k = 0; k < v->rank; k++)
        buffer_format(b, "[%lld]", (long long)(v->high[k] - v->low[k] + 1));
}

/* real A, B; on one line while the type stays the same. */
static void members(Emit *e, const bool *wanted, const char *head)
{
    const char *type = NULL;
    uint32_t in_line = 0;
    Buffer b = {0};
    for (uint32_t k = 0; k < model_variables(e->m); k++) {
        const Variable *v = model_variable(e->m, k);
        if (!wanted[k] || (!head && e->store->packed[k]))
            continue;
        const char *own = head ? "real" : member_type(v->type);
        if (type && (strcmp(type, own) != 0 || in_line == 8)) {
            buffer_char(&b, ';');
            emit_buffer(e, &b);
            b = (Buffer){0};
            type = NULL;
        }
        if (!type)
            buffer_format(&b, "%s ", own);
        else
            buffer_text(&b, ", ");
        in_line = type ? in_line + 1 : 1;
        type = own;
        buffer_format(&b, "%s%s", head ? head : "", e->name->variable[k]);
        put_dimensions(&b, v);
    }
    if (type) {
        buffer_char(&b, ';');
        emit_buffer(e, &b);
    }
    buffer_free(&b);
}

/* REALs of large models are elements of one array, which macros name. */
static uint32_t packed_count(const Emit *e)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < model_variables(e->m); k++)
        n += e->store->packed[k];
    return n;
}

static void packed_names(Emit *e)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < model_variables(e->m); k++)
        if (e->store->packed[k])
            buffer_format(e->out, "#define %s scalar[%u]\n",
                          e->name->variable[k], n++);
    if (n)
        emit_blank(e);
}

static void packed_member(Emit *e)
{
    uint32_t n = packed_count(e);
    if (n)
        emit_line(e, "real scalar[%u];", n);
}

static void block_members(Emit *e, bool work)
{
    for (uint32_t k = 0; k < model_blocks(e->m); k++) {
        const Block *b = model_block(e->m, k);
        if (work && e->plan->block[k].in_work)
            emit_line(e, "real %s[%u];", emit_unknowns(e, k), b->n);
        if (work || loops_pool(e->m, e->plan->block[k].loops,
                               e->plan->block[k].n_loops))
            continue;
        uint64_t n = loops_elements(e->m, e->plan->block[k].loops,
                                    e->plan->block[k].n_loops);
        if (e->plan->block[k].n_loops)
            emit_line(e, "real %s[%llu][%u]; // start values of iterations",
                      emit_unknowns(e, k), (unsigned long long)n, b->n);
        else
            emit_line(e, "real %s[%u]; // start values of iterations",
                      emit_unknowns(e, k), b->n);
    }
}

/* Variables of copies lie elsewhere. */
static bool *fixed_ones(Emit *e, const bool *wanted)
{
    bool *fixed = EMIT_ARRAY(e, bool, model_variables(e->m));
    for (uint32_t k = 0; fixed && k < model_variables(e->m); k++)
        fixed[k] = wanted[k] && !model_variable(e->m, k)->pool;
    return fixed;
}

static void data_struct(Emit *e)
{
    const Model *m = e->m;
    const bool *fixed = fixed_ones(e, e->store->in_data);
    if (!fixed)
        return;
    emit_line(e, "/* Values of an instance. */");
    emit_open(e, "typedef struct Data");
    members(e, fixed, NULL);
    packed_member(e);
    members(e, e->store->rate_kept, "rate_");
    block_members(e, false);
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->kind != MEMORY_DELAY &&
            !model_memory(m, k)->pool)
            emit_line(e, "real %s; // held", e->name->memory[k]);
    for (uint32_t k = 0; k < model_tables(m); k++) {
        const Table *t = model_table(m, k);
        if (t->kind == TABLE_SPLINE)
            emit_line(e, "real second_%s[%u]; // second derivatives",
                      e->name->table[k], t->points);
        emit_line(e, "uint8_t rung_%s;", e->name->table[k]);
    }
    emit_line(e, "uint64_t end;"); // C has no empty struct
    emit_close(e, " Data;");
    emit_blank(e);
}

static uint32_t longest_spline(const Model *m)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < model_tables(m); k++)
        if (model_table(m, k)->kind == TABLE_SPLINE &&
            model_table(m, k)->points > most)
            most = model_table(m, k)->points;
    return most;
}

static void work_struct(Emit *e)
{
    const Model *m = e->m;
    bool *seen = EMIT_ARRAY(e, bool, model_loops(m));
    const bool *fixed = fixed_ones(e, e->store->in_work);
    if (!e->written.work || !seen || !fixed)
        return;
    emit_line(
        e,
        "/* Intermediate values that are too large for the stack or needed by");
    emit_line(e, "   blocks. They do not survive a call. */");
    emit_open(e, "typedef struct Work");
    members(e, fixed, NULL);
    packed_member(e);
    block_members(e, true);
    for (uint32_t k = 0; k < model_blocks(m); k++)
        for (uint32_t i = 0; i < e->plan->block[k].n_loops; i++)
            if (!seen[e->plan->block[k].loops[i]]) {
                seen[e->plan->block[k].loops[i]] = true;
                emit_line(e, "int64_t loop_%u;", e->plan->block[k].loops[i]);
            }
    if (e->plan->facts.block_rates)
        emit_line(e, "real *dx;");
    emit_block_directions(e, true);
    if (e->written.rate && model_pools(m) == 0)
        emit_line(e, "real rate[%u];", m->states);
    if (longest_spline(m))
        emit_line(e, "real spline[%u];", longest_spline(m));
    emit_line(e, "uint64_t end;");
    emit_close(e, " Work;");
    emit_blank(e);
}

void emit_structs(Emit *e)
{
    packed_names(e);
    data_struct(e);
    work_struct(e);
    emit_record_structs(e);
    emit_process_structs(e);
    emit_pool_structs(e);
}

/* ---- Enumerations ------------------------------------------------------------------------ */

static void enum_begin(Buffer *b)
{
    buffer_text(b, "enum { ");
}

static void enum_end(Emit *e, Buffer *b, const char *count)
{
    buffer_format(b, "%s };", count);
    emit_buffer(e, b);
    emit_blank(e);
}

/* #define U(i, j) (12 + ((i) - 1) * 5 + ((j) - 1)) */
static void state_macro(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    Buffer b = {0};
    buffer_format(&b, "#define %s(i%s) (%u + ", e->name->variable[k],
                  v->rank > 1 ? ", j" : "", v->place);
    if (v->rank > 1)
        buffer_format(
            &b, "((i) - %lld) * %lld + ((j) - %lld))", (long long)v->low[0],
            (long long)(v->high[1] - v->low[1] + 1), (long long)v->low[1]);
    else
        buffer_format(&b, "(i) - %lld)", (long long)v->low[0]);
    buffer_format(e->out, "%s\n", buffer_string(&b));
    buffer_free(&b);
}

static void state_places(Emit *e)
{
    const Model *m = e->m;
    Buffer b = {0};
    if (m->states == 0)
        return;
    emit_line(e, "/* Places in the state vector. */");
    enum_begin(&b);
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_STATE && v->rank == 0 && !v->pool)
            buffer_format(&b, "%s = %u, ", e->name->variable[k], v->place);
    }
    enum_end(e, &b, emit_format(e, "STATES = %u", m->states));
    bool any = false;
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (model_variable(m, k)->kind == VARIABLE_STATE &&
            model_variable(m, k)->rank && !model_variable(m, k)->pool) {
            state_macro(e, k);
            any = true;
        }
    if (any)
        emit_blank(e);
}

static void enumeration(Emit *e, const char *const *names, uint32_t n,
                        const char *count)
{
    Buffer b = {0};
    if (n == 0)
        return;
    enum_begin(&b);
    for (uint32_t k = 0; k < n; k++)
        buffer_format(&b, "%s, ", names[k]);
    enum_end(e, &b, count);
}

static void event_enumeration(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_time_events(m);
    Buffer b = {0};
    if (n == 0)
        return;
    enum_begin(&b);
    for (uint32_t k = 0; k < n; k++)
        buffer_format(&b, "%s = %u, ", e->name->time_event[k],
                      e->plan->rows.time_number[k]);
    enum_end(e, &b,
             emit_format(e, "TIME_EVENTS = %u",
                         e->plan->rows.time_number[n - 1] +
                             (uint32_t)model_time_event(m, n - 1)->elements));
}

static void file_enumeration(Emit *e)
{
    const char **names = EMIT_ARRAY(e, const char *, model_files(e->m));
    uint32_t n = 0;
    for (uint32_t k = 0; names && k < model_files(e->m); k++)
        if (e->name->file[k])
            names[n++] = e->name->file[k];
    enumeration(e, names, n, "FILES");
}

static void branch_enumeration(Emit *e)
{
    const Model *m = e->m;
    Buffer b = {0};
    if (model_relations(m) == 0)
        return;
    emit_line(e, "/* Places of hidden relations in branch. */");
    enum_begin(&b);
    for (uint32_t k = 0; k < model_relations(m); k++)
        buffer_format(&b, "%s = %u, ", e->name->relation[k],
                      model_relation(m, k)->first);
    enum_end(e, &b, emit_format(e, "BRANCHES = %u", m->branches));
}

static void delay_enumeration(Emit *e)
{
    Buffer b = {0};
    if (!e->plan->facts.has_delays)
        return;
    enum_begin(&b);
    const char *comma = "";
    for (uint32_t k = 0; k < model_memories(e->m); k++) {
        const Memory *h = model_memory(e->m, k);
        if (h->kind != MEMORY_DELAY)
            continue;
        buffer_format(&b, "%s%s = %u", comma, e->name->memory[k], h->number);
        comma = ", ";
    }
    enum_end(e, &b, "");
}

static void row_enumeration(Emit *e)
{
    Buffer b = {0};
    if (e->plan->rows.rows + emit_more_rows(e) == 0)
        return;
    enum_begin(&b);
    for (uint32_t k = 0; k < e->plan->rows.rows; k++)
        buffer_format(&b, "%s, ", e->name->row[k]);
    for (uint32_t k = 0; k < emit_more_rows(e); k++)
        buffer_format(&b, "%s, ", emit_more_row(e, k)->name);
    enum_end(e, &b, "EQUATIONS");
}

void emit_enumerations(Emit *e)
{
    const Model *m = e->m;
    const char **names = EMIT_ARRAY(e, const char *, model_variables(m));
    uint32_t n = 0;
    if (!names)
        return;
    state_places(e);
    for (int column = 0; column < 2; column++)
        for (uint32_t k = 0; k < model_variables(m); k++)
            if (e->store->has_row[k] &&
                model_variable(m, k)->column == (column != 0))
                names[n++] = emit_format(e, "v_%s", e->name->variable[k]);
    enumeration(e, names, n, "VARIABLES");
    row_enumeration(e);
    branch_enumeration(e);
    enumeration(e, e->name->condition, e->plan->rows.conditions, "CONDITIONS");
    enumeration(e, e->name->state_event, model_state_events(m), "STATE_EVENTS");
    event_enumeration(e);
    emit_process_enumerations(e);
    file_enumeration(e);
    enumeration(e, e->name->block, model_blocks(m), "BLOCKS");
    delay_enumeration(e);
    emit_random_enumerations(e);
}
