#include "emit/writer.h"

#include <string.h>

/* Copies of CONTINUOUS PROCESSes: their structs, where their variables lie, the
   statements that make them come and go, their sections INITIAL and TERMINAL. */

static const char *pool_name(const Emit *e, uint32_t pool)
{
    return e->name->pool[pool];
}

/* ---- Structs ------------------------------------------------------------------- */

static const char *member_type(ExprType t)
{
    return t == EXPR_TYPE_BOOLEAN ? "uint8_t" : emit_type(t);
}

static void member(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    Buffer b = {0};
    buffer_format(&b, "%s %s", member_type(v->type), e->name->variable[k]);
    if (v->rank == 2)
        buffer_format(&b, "[%lld]", (long long)(v->high[1] - v->low[1] + 1));
    buffer_char(&b, ';');
    emit_buffer(e, &b);
}

/* An attribute that is no STATE, and not what the header of a copy has. */
static bool is_attribute(const Emit *e, uint32_t k, uint32_t pool)
{
    const Variable *v = model_variable(e->m, k);
    if (v->pool != pool + 1 || v->kind == VARIABLE_STATE ||
        v->role == ROLE_COPYNBR || v->role == ROLE_BORN)
        return false;
    return v->kind == VARIABLE_DISCRETE || e->store->in_data[k];
}

static bool in_pool(const Emit *e, uint32_t block, uint32_t pool)
{
    const BlockPlan *b = &e->plan->block[block];
    return loops_pool(e->m, b->loops, b->n_loops) == pool + 1;
}

static void attributes_struct(Emit *e, uint32_t pool)
{
    const Model *m = e->m;
    const char *name = pool_name(e, pool);
    emit_line(e, "/* Attributes of a copy of %s. */", name);
    emit_open(e, "typedef struct %s_copy", name);
    emit_line(e, "CosyCopy copy;");
    for (uint32_t k = 0; k < model_variables(m); k++)
        if (is_attribute(e, k, pool))
            member(e, k);
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->pool == pool + 1 &&
            model_memory(m, k)->kind != MEMORY_DELAY)
            emit_line(e, "real %s; // held", e->name->memory[k]);
    for (uint32_t k = 0; k < model_blocks(m); k++)
        if (in_pool(e, k, pool))
            emit_line(e, "real %s[%llu][%u]; // start values of iterations",
                      emit_unknowns(e, k),
                      (unsigned long long)loops_each(m, e->plan->block[k].loops,
                                                     e->plan->block[k].n_loops),
                      model_block(m, k)->n);
    if (model_pool(m, pool)->states)
        emit_line(e, "real bed[%s_STATES];", name);
    emit_close(e, emit_format(e, " %s_copy;", name));
    emit_blank(e);
}

static bool has_work(const Emit *e, uint32_t pool)
{
    for (uint32_t k = 0; k < model_variables(e->m); k++)
        if (model_variable(e->m, k)->pool == pool + 1 && e->store->in_work[k])
            return true;
    return false;
}

static void work_struct(Emit *e, uint32_t pool)
{
    const char *name = pool_name(e, pool);
    if (!has_work(e, pool))
        return;
    emit_open(e, "typedef struct %s_work", name);
    for (uint32_t k = 0; k < model_variables(e->m); k++)
        if (model_variable(e->m, k)->pool == pool + 1 && e->store->in_work[k])
            member(e, k);
    emit_close(e, emit_format(e, " %s_work;", name));
    emit_blank(e);
}

static void macros(Emit *e, uint32_t pool)
{
    const char *name = pool_name(e, pool);
    buffer_format(e->out,
                  "#define %s_at(k) (((%s_copy *)(void *)"
                  "c->attributes[%s])[k])\n",
                  name, name, name);
    if (has_work(e, pool))
        buffer_format(e->out,
                      "#define %s_now(k) (((%s_work *)(void *)"
                      "c->copy_work[%s])[k])\n",
                      name, name, name);
    if (model_pool(e->m, pool)->states)
        buffer_format(e->out,
                      "#define %s_x(k) (c->copy[%s].first + (uint32_t)(k) * "
                      "%s_STATES)\n",
                      name, name, name);
    emit_blank(e);
}

static void pool_enumeration(Emit *e)
{
    Buffer b = {0};
    buffer_text(&b, "enum { ");
    for (uint32_t p = 0; p < model_pools(e->m); p++)
        buffer_format(&b, "%s, ", pool_name(e, p));
    buffer_text(&b, "POOLS };");
    emit_buffer(e, &b);
    emit_blank(e);
}

/* Places in the block of a copy. */
static void places(Emit *e, uint32_t pool)
{
    const Model *m = e->m;
    Buffer b = {0};
    buffer_text(&b, "enum { ");
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_STATE && v->pool == pool + 1)
            buffer_format(&b, "%s%s = %u, ", e->name->variable[k],
                          v->rank == 2 ? "_0" : "", v->place);
    }
    buffer_format(&b, "%s_STATES = %u };", pool_name(e, pool),
                  model_pool(m, pool)->states);
    emit_buffer(e, &b);
    if (model_pool(m, pool)->branches)
        emit_line(e, "enum { %s_BRANCHES = %u };", pool_name(e, pool),
                  model_pool(m, pool)->branches);
    if (model_pool(m, pool)->delays)
        emit_line(e, "enum { %s_DELAYS = %u };", pool_name(e, pool),
                  model_pool(m, pool)->delays);
    emit_blank(e);
}

void emit_pool_structs(Emit *e)
{
    if (model_pools(e->m) == 0)
        return;
    pool_enumeration(e);
    for (uint32_t p = 0; p < model_pools(e->m); p++) {
        places(e, p);
        attributes_struct(e, p);
        work_struct(e, p);
        macros(e, p);
    }
}

/* ---- The contract's table ------------------------------------------------------ */

/* The most conditions that one copy can have. */
static uint64_t conditions_each(const Model *m, uint32_t pool)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        if (loops_pool(m, c->loops, c->n_loops) == pool + 1)
            most += loops_each(m, c->loops, c->n_loops);
    }
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        if (loops_pool(m, r->loops, r->n_loops) == pool + 1)
            most += (r->kind == RELATION_ORDER ? 1 : 2) * (uint64_t)r->count;
    }
    return most;
}

void emit_pool_table(Emit *e)
{
    const Model *m = e->m;
    if (model_pools(m) == 0)
        return;
    emit_open(e, "static const CosyCopyInfo copies[POOLS] =");
    for (uint32_t p = 0; p < model_pools(m); p++) {
        const Pool *pool = model_pool(m, p);
        const char *name = pool_name(e, p);
        const char *bed =
            pool->states ? emit_format(e, "offsetof(%s_copy, bed)", name) : "0";
        const char *work =
            has_work(e, p) ? emit_format(e, "sizeof(%s_work)", name) : "0";
        emit_line(e,
                  "[%s] = {%s, %u, %u, %u, sizeof(%s_copy), %s, %s, %llu, %u, "
                  "%u},",
                  name, emit_string(e, pool->name), pool->states,
                  pool->branches, pool->delays, name, bed, work,
                  (unsigned long long)conditions_each(m, p), pool->capacity,
                  pool->line);
    }
    emit_close(e, ";");
    emit_blank(e);
}

/* ---- Places -------------------------------------------------------------------- */

static const char *number_text(Emit *e, const Expr *x)
{
    Buffer b = {0};
    emit_value(e, &b, x->arg[0], LEVEL_CHOOSE);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static const char *position(Emit *e, const Expr *at)
{
    Buffer b = {0};
    emit_value(e, &b, at, LEVEL_PRIMARY);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* Its place in the block of a copy. */
static const char *own_place(Emit *e, uint32_t k, const Expr *const *index)
{
    const Variable *v = model_variable(e->m, k);
    const char *name = e->name->variable[k];
    if (v->rank < 2)
        return name;
    Buffer b = {0};
    buffer_format(&b, "%s_0 + ", name);
    emit_index_position(e, &b, index[1], v->low[1], v->high[1]);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* An index that goes over active copies, in equations. */
static bool is_active(const Emit *e, const Expr *at)
{
    return at->op == EXPR_LOOP && e->f->part != PART_BODY;
}

void emit_pooled_state(Emit *e, Buffer *b, uint32_t k, const char *vector,
                       const Expr *const *index)
{
    uint32_t pool = model_variable(e->m, k)->pool - 1;
    const char *name = pool_name(e, pool), *at = position(e, index[0]);
    const char *own = own_place(e, k, index);
    if (is_active(e, index[0]))
        buffer_format(b, "%s[%s_x(%s) + %s]", vector, name, at, own);
    else if (e->f->part == PART_BODY)
        buffer_format(b, "cosy_copy_x(c, %s, (uint32_t)%s)[%s]", name, at, own);
    else if (strcmp(vector, "x") == 0)
        buffer_format(b, "cosy_copy_states(c, %s, (uint32_t)%s, x)[%s]", name,
                      at, own);
    else
        buffer_format(b, "cosy_copy_part(c, %s, (uint32_t)%s, %s, %s)", name,
                      at, own, vector);
}

void emit_pooled_place(Emit *e, Buffer *b, uint32_t k, const Expr *const *index)
{
    uint32_t pool = model_variable(e->m, k)->pool - 1;
    const char *name = pool_name(e, pool), *own = own_place(e, k, index);
    if (is_active(e, index[0]))
        buffer_format(b, "%s_x(%s) + %s", name, position(e, index[0]), own);
    else
        buffer_format(b, "cosy_copy_place(c, %s, (uint32_t)%s, %s)", name,
                      emit_looked_up(e, index[0]), own);
}

/* Which struct has the value: that of attributes, or the scratch. */
static bool in_scratch(const Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    if (e->f->part == PART_BODY || !plan_is_computed(v) ||
        !e->store->in_work[k])
        return false;
    if (e->f->part != PART_BLOCK && !(e->flag[k] & IS_HERE))
        return false;
    return !(e->f->part == PART_OUTPUTS && e->store->in_data[k] &&
             !e->store->work_outputs[k]);
}

static void own_index(Emit *e, Buffer *b, const Variable *v,
                      const Expr *const *index)
{
    if (v->rank < 2)
        return;
    buffer_char(b, '[');
    emit_index_position(e, b, index[1], v->low[1], v->high[1]);
    buffer_char(b, ']');
}

void emit_pooled_value(Emit *e, Buffer *b, uint32_t k, const Expr *const *index)
{
    const Variable *v = model_variable(e->m, k);
    const char *name = pool_name(e, v->pool - 1);
    const char *at = position(e, index[0]), *own = e->name->variable[k];
    bool scratch = in_scratch(e, k), active = is_active(e, index[0]);
    if (v->role == ROLE_COPYNBR) {
        buffer_format(b, "(int64_t)%s_at(%s).copy.number", name, at);
        return;
    }
    if (v->role == ROLE_BORN) {
        buffer_format(b, "%s_at(%s).copy.born", name, at);
        return;
    }
    if (scratch && !active) { // it may be asleep
        buffer_format(b, "(%s < c->copy[%s].active ? %s_now(%s).%s", at, name,
                      name, at, own);
        own_index(e, b, v, index);
        buffer_format(b, " : %s_at(%s).%s", name, at, own);
        own_index(e, b, v, index);
        buffer_char(b, ')');
        return;
    }
    buffer_format(b, "%s_%s(%s).%s", name, scratch ? "now" : "at", at, own);
    own_index(e, b, v, index);
}

void emit_kept_pooled(Emit *e, Buffer *b, uint32_t k, const Expr *const *index)
{
    const Variable *v = model_variable(e->m, k);
    buffer_format(b, "%s_at(%s).%s", pool_name(e, v->pool - 1),
                  position(e, index[0]), e->name->variable[k]);
    own_index(e, b, v, index);
}

const char *emit_pool_member(Emit *e, const uint32_t *loops, uint32_t n)
{
    uint32_t pool = loops_pool(e->m, loops, n);
    assert(pool && n);
    return emit_format(e, "%s_at(%s).", pool_name(e, pool - 1),
                       e->loops.name[loops[0]]);
}

const char *emit_delay_number(Emit *e, uint32_t memory, const char *at)
{
    const Memory *h = model_memory(e->m, memory);
    const char *name = e->name->memory[memory];
    if (!h->pool)
        return name;
    const char *pool = pool_name(e, h->pool - 1);
    return emit_format(e, "c->copy[%s].delay + (uint32_t)%s * %s_DELAYS + %s",
                       pool, at, pool, name);
}

/* Before steps that may leave out a variable: it keeps its value. */
void emit_keep_pooled(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    const char *name = pool_name(e, v->pool - 1), *own = e->name->variable[k];
    emit_line(e, "for (uint32_t k = 0; k < c->copy[%s].active; k++)", name);
    if (!e->store->in_data[k])
        emit_line(e, "    memset(&%s_now(k).%s, 0, sizeof %s_now(k).%s);", name,
                  own, name, own);
    else if (v->rank == 2)
        emit_line(e,
                  "    memcpy(%s_now(k).%s, %s_at(k).%s, sizeof "
                  "%s_now(k).%s);",
                  name, own, name, own, name, own);
    else
        emit_line(e, "    %s_now(k).%s = %s_at(k).%s;", name, own, name, own);
}

/* ---- Loops --------------------------------------------------------------------- */

const char *emit_active(Emit *e, uint32_t pool)
{
    return emit_format(e, "c->copy[%s].active", pool_name(e, pool));
}

/* In procedural code copies that have just been created count as well, and those
   that are about to leave or to sleep do not. */
void emit_copies_open(Emit *e, uint32_t pool, const char *i)
{
    const char *name = pool_name(e, pool);
    if (e->f->part != PART_BODY) {
        emit_open(e, "for (int64_t %s = 0; %s < %s; %s++)", i, i,
                  emit_active(e, pool), i);
        return;
    }
    emit_open(e,
              "for (int64_t %s = 0, %s_end = c->copy[%s].count; %s < %s_end; "
              "%s++)",
              i, i, name, i, i, i);
    emit_line(e, "if (!cosy_copy_counts(c, %s, (uint32_t)%s))", name, i);
    emit_line(e, "    continue;");
}

/* ---- Expressions --------------------------------------------------------------- */

const char *emit_found(Emit *e, const Expr *x)
{
    const char *number = number_text(e, x), *name = emit_temp(e);
    uint32_t row = e->f->part == PART_BODY && e->code.statement
                       ? e->code.statement->row
                       : e->equation_row;
    if (e->in_column) {
        emit_line(e, "const uint32_t %s = cosy_copy_find(c, %s, %s);", name,
                  pool_name(e, x->which), number);
        emit_line(e, "if (%s == COSY_NONE)", name);
        emit_line(e, "    return COSY_FAIL(COSY_ABSENT, COSY_NOWHERE);");
        return name;
    }
    emit_line(e, "uint32_t %s;", name);
    emit_line(e, "COSY_TRY_ROW(cosy_copy_at(c, %s, %s, %s, &%s), %s);",
              pool_name(e, x->which), number, emit_self(e), name,
              emit_row(e, row));
    return name;
}

const char *emit_looked_up(Emit *e, const Expr *x)
{
    return x->op == EXPR_FOUND
               ? emit_format(e, "cosy_copy_find(c, %s, %s)",
                             pool_name(e, x->which), number_text(e, x))
               : position(e, x);
}

static void there(Emit *e, Buffer *b, const Expr *x)
{
    for (uint32_t k = 0; k < x->count; k++)
        there(e, b, x->arg[k]);
    if (x->op == EXPR_FOUND)
        buffer_format(b, "%scosy_copy_find(c, %s, %s) != COSY_NONE",
                      b->v.used ? " && " : "", pool_name(e, x->which),
                      number_text(e, x));
}

bool emit_open_there(Emit *e, const Expr *x)
{
    Buffer b = {0};
    there(e, &b, x);
    bool any = b.v.used > 0;
    if (any)
        emit_open(e, "if (%s)", buffer_string(&b));
    buffer_free(&b);
    return any;
}

void emit_copies_value(Emit *e, Buffer *b, const Expr *x)
{
    const char *name = pool_name(e, x->which);
    switch (x->op) {
    case EXPR_SELF: buffer_text(b, "copy"); break;
    case EXPR_EXISTS:
        buffer_format(b, "cosy_copy_exists(c, %s, %s)", name,
                      number_text(e, x));
        break;
    case EXPR_COPIES:
        if (e->f->part == PART_BODY)
            buffer_format(b, "cosy_copy_count(c, %s)", name);
        else
            buffer_format(b, "(int64_t)c->copy[%s].active", name);
        break;
    default: break;
    }
}

/* ENTRYNBR counts the process itself as well. */
void emit_pool_queue(Emit *e, Buffer *b, uint32_t pool, QueueValue value)
{
    const char *name = pool_name(e, pool);
    if (value == QUEUE_ENTRYNBR)
        buffer_format(b, "(cosy_copy_entries(c, %s) + 1)", name);
    else if (value == QUEUE_MAXQ)
        buffer_format(b, "((int64_t)c->copy[%s].most + 1)", name);
    else
        buffer_format(b, "(cosy_copy_mean(c, %s) + R(1.0))", name);
}

/* ---- Statements ---------------------------------------------------------------- */

static void set_number(Emit *e, const Statement *s)
{
    Buffer b = {0};
    if (!s->target)
        return;
    emit_target(e, &b, s->target);
    buffer_format(&b, " = (int64_t)%s_at(new).copy.number;",
                  pool_name(e, s->which));
    emit_buffer(e, &b);
    emit_check(e, s->row);
    emit_observed(e, s->target, s->row);
}

/* A variable of the new copy, which lies in its bed. */
static void set_there(Emit *e, uint32_t pool, uint32_t k, const char *value)
{
    const char *name = pool_name(e, pool), *own = e->name->variable[k];
    if (model_variable(e->m, k)->kind == VARIABLE_STATE)
        emit_line(e, "%s_at(new).bed[%s] = %s;", name, own, value);
    else
        emit_line(e, "%s_at(new).%s = %s;", name, own, value);
}

static void write_create(Emit *e, const Statement *s)
{
    const char *name = pool_name(e, s->which);
    const char *values[64];
    uint32_t n = s->n < LENGTH(values) ? s->n : (uint32_t)LENGTH(values);
    emit_open(e, "%s", "");
    const char *number = s->a ? emit_kept(e, s->a, EXPR_TYPE_INTEGER) : "0";
    for (uint32_t k = 0; k < n; k++)
        values[k] =
            emit_kept(e, s->list[k], model_variable(e->m, s->names[k])->type);
    emit_check(e, s->row);
    emit_line(e, "uint32_t new = COSY_NONE;");
    emit_line(e, "COSY_TRY_ROW(cosy_copy_create(c, %s, %s, %s, &new), %s);",
              name, number, emit_self(e), emit_row(e, s->row));
    emit_line(e, "%s_reset(c, new);", name);
    for (uint32_t k = 0; k < n; k++)
        set_there(e, s->which, s->names[k], values[k]);
    set_number(e, s);
    emit_line(e, "c->copy[%s].nested++;", name);
    emit_line(e, "COSY_TRY(%s_initial(c, new));", name);
    emit_line(e, "c->copy[%s].nested--;", name);
    emit_close(e, "");
}

static void write_change(Emit *e, const Statement *s)
{
    static const char *const names[] = {[COPY_SUSPEND] = "suspend",
                                        [COPY_RESUME] = "resume",
                                        [COPY_DELETE] = "delete"};
    const char *number = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    emit_line(e, "COSY_TRY_ROW(cosy_copy_%s(c, %s, %s, %s), %s);",
              names[s->flags], pool_name(e, s->which), number, emit_self(e),
              emit_row(e, s->row));
}

static void write_each(Emit *e, const Statement *s)
{
    const char *i = e->name->variable[s->which];
    emit_index_push(e, i);
    emit_copies_open(e, s->names[0], i);
    emit_turn(e, s);
    emit_code(e, &s->body);
    emit_close(e, "");
    e->loops.indices--;
}

bool emit_copy_statement(Emit *e, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_CREATE: write_create(e, s); return true;
    case STATEMENT_COPY: write_change(e, s); return true;
    case STATEMENT_EACH: write_each(e, s); return true;
    default: return false;
    }
}

/* ---- Sections ------------------------------------------------------------------ */

/* What begins with NaN rings when it is read before it has been computed. */
static void write_reset(Emit *e, uint32_t pool)
{
    static const char *const parameters[] = {"copy", NULL};
    const char *name = pool_name(e, pool);
    emit_begin_body(e);
    for (uint32_t k = 0; k < model_variables(e->m); k++) {
        const Variable *v = model_variable(e->m, k);
        if (!is_attribute(e, k, pool) || !plan_is_computed(v) ||
            v->type != EXPR_TYPE_REAL)
            continue;
        if (v->rank == 2)
            emit_line(e,
                      "for (uint32_t k = 0; k < %lld; k++) "
                      "%s_at(copy).%s[k] = COSY_NAN;",
                      (long long)(v->high[1] - v->low[1] + 1), name,
                      e->name->variable[k]);
        else
            emit_line(e, "%s_at(copy).%s = COSY_NAN;", name,
                      e->name->variable[k]);
    }
    emit_end(e, emit_format(e, "void %s_reset(Cosy *c, uint32_t copy)", name),
             parameters, "");
}

/* Memories, hidden states and iterations start after INITIAL of the copy. */
static void start_hidden(Emit *e, uint32_t pool)
{
    const Model *m = e->m;
    uint32_t self = model_pool(m, pool)->self;
    const char *name = pool_name(e, pool);
    emit_index_begin(e, self, (Known){0, POOL_SIDE - 1, true});
    e->loops.name[self] = "copy";
    for (uint32_t k = 0; k < model_memories(m); k++) {
        const Memory *h = model_memory(m, k);
        if (h->pool != pool + 1 || h->kind == MEMORY_DELAY)
            continue;
        emit_line(e, "%s_at(copy).%s = %s;", name, e->name->memory[k],
                  h->start
                      ? emit_text(e, h->start, EXPR_TYPE_REAL, LEVEL_CHOOSE)
                      : "R(0.0)");
        emit_check(e, h->row);
    }
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind != VARIABLE_STATE || v->pool != pool + 1 || !v->value ||
            v->rank > 1)
            continue;
        emit_line(e, "%s_at(copy).bed[%s] = %s;", name, e->name->variable[k],
                  emit_text(e, v->value, EXPR_TYPE_REAL, LEVEL_CHOOSE));
        emit_check(e, NONE);
    }
    emit_index_end(e, self);
}

static void write_section(Emit *e, uint32_t pool, bool initial)
{
    static const char *const parameters[] = {"copy", NULL};
    const Pool *p = model_pool(e->m, pool);
    const Code *code = initial ? &p->initial : &p->terminal;
    emit_begin_body(e);
    emit_now_begin(e, code, NONE);
    emit_code(e, code);
    if (initial)
        start_hidden(e, pool);
    emit_now_locals(e, NONE);
    emit_end(e,
             emit_format(e, "CosyStatus %s_%s(Cosy *c, uint32_t copy)",
                         pool_name(e, pool), initial ? "initial" : "terminal"),
             parameters, NULL);
}

bool emit_has_copy_terminal(const Emit *e)
{
    for (uint32_t p = 0; p < model_pools(e->m); p++)
        if (model_pool(e->m, p)->terminal.first)
            return true;
    return false;
}

static void terminal_switch(Emit *e)
{
    static const char *const parameters[] = {"position", NULL};
    emit_begin_body(e);
    emit_line(e, "switch (process) {");
    for (uint32_t p = 0; p < model_pools(e->m); p++)
        if (model_pool(e->m, p)->terminal.first)
            emit_line(e, "case %s: return %s_terminal(c, position);",
                      pool_name(e, p), pool_name(e, p));
    emit_line(e, "default: return COSY_OK;");
    emit_line(e, "}");
    emit_end(e,
             "CosyStatus copy_terminal(Cosy *c, uint32_t process, uint32_t "
             "position)",
             parameters, "");
}

/* One INITIAL may create copies of another process. */
void emit_pool_heads(Emit *e)
{
    if (model_pools(e->m) == 0)
        return;
    for (uint32_t p = 0; p < model_pools(e->m); p++) {
        emit_line(e, "static void %s_reset(Cosy *c, uint32_t copy);",
                  pool_name(e, p));
        emit_line(e, "static CosyStatus %s_initial(Cosy *c, uint32_t copy);",
                  pool_name(e, p));
    }
    emit_blank(e);
}

void emit_pool_sections(Emit *e)
{
    if (model_pools(e->m) == 0)
        return;
    emit_title(e, "Copies");
    for (uint32_t p = 0; p < model_pools(e->m); p++) {
        write_reset(e, p);
        write_section(e, p, true);
        if (model_pool(e->m, p)->terminal.first)
            write_section(e, p, false);
    }
    if (emit_has_copy_terminal(e))
        terminal_switch(e);
}
