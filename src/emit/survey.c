#include "emit/writer.h"

#include <string.h>

/* What must be known about the whole Model before a line of it is written:
   which variables need a place where, and the names of everything. */

/* ---- Visiting ------------------------------------------------------------------ */

void emit_each_step(Emit *e, const Steps *steps, uint32_t needs,
                    EmitVisit visit, void *user)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if ((needs && !(s->needs & needs)) || (s->needs & e->except))
            continue;
        if (s->kind == STEP_ASSIGN) {
            visit(e, s->value, user);
            for (uint32_t k = 0; k < s->target->count; k++)
                visit(e, s->target->arg[k], user);
        } else if (s->kind == STEP_LOOP) {
            emit_each_step(e, &s->body, needs, visit, user);
        } else if (s->kind == STEP_SELECT) {
            visit(e, s->select->selector, user);
            for (uint32_t k = 0; k < s->select->branches; k++)
                emit_each_step(e, &s->branch[k], needs, visit, user);
        }
    }
}

static void visit_maybe(Emit *e, const Expr *x, EmitVisit visit, void *user)
{
    if (x)
        visit(e, x, user);
}

void emit_each_code(Emit *e, const Code *code, EmitVisit visit, void *user)
{
    for (const Statement *s = code->first; s; s = s->next) {
        visit_maybe(e, s->target, visit, user);
        visit_maybe(e, s->a, visit, user);
        visit_maybe(e, s->b, visit, user);
        visit_maybe(e, s->c, visit, user);
        for (uint32_t k = 0; s->list && k < s->n; k++)
            visit_maybe(e, s->list[k], visit, user);
        for (uint32_t k = 0; s->printed && k < s->n; k++) {
            visit_maybe(e, s->printed[k].item, visit, user);
            visit_maybe(e, s->printed[k].width, visit, user);
            visit_maybe(e, s->printed[k].decimals, visit, user);
        }
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            emit_each_code(e, &s->arm[k].code, visit, user);
        emit_each_code(e, &s->body, visit, user);
        emit_each_code(e, &s->other, visit, user);
    }
}

bool emit_is_computed(const Variable *v)
{
    return v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_LOGIC ||
           v->kind == VARIABLE_MEMORY;
}

/* Calls `visit` on x and all below it, each once per call. */
static void each_node(Emit *e, const Expr *x, EmitVisit visit, void *user)
{
    if (e->mark[x->id] == e->marks)
        return;
    e->mark[x->id] = e->marks;
    visit(e, x, user);
    for (uint32_t k = 0; k < x->count; k++)
        each_node(e, x->arg[k], visit, user);
}

/* ---- What is computed where -------------------------------------------------------- */

typedef struct Cover {
    uint64_t *elements; // for each variable, the elements that are always
                        // computed
    uint64_t rates;     // elements of all STATEs
    uint64_t times;     // number of elements of the enclosing loops
    uint32_t loops[LOOPS_MOST], n_loops;
    bool guarded;
    bool program; // not `rates` or `tangent`
} Cover;

static void cover_target(Emit *e, Cover *c, const Expr *target)
{
    if (target->op == EXPR_RATE) {
        if (!c->guarded)
            c->rates += c->times;
        return;
    }
    uint32_t v = target->which;
    if (!c->guarded)
        c->elements[v] += c->times;
    if (c->program)
        e->in_data[v] = true;
}

static void cover_steps(Emit *e, Cover c, const Steps *steps, Cover *total)
{
    for (const Step *s = steps->first; s; s = s->next) {
        Cover in = c;
        if (s->kind == STEP_ASSIGN) {
            cover_target(e, &c, s->target);
        } else if (s->kind == STEP_LOOP) {
            in.times *= loops_elements(e->m, &s->loop, 1);
            if (in.n_loops < LOOPS_MOST)
                in.loops[in.n_loops++] = s->loop;
            cover_steps(e, in, &s->body, total);
        } else if (s->kind == STEP_SELECT) {
            in.guarded = true;
            for (uint32_t k = 0; k < s->select->branches; k++)
                cover_steps(e, in, &s->branch[k], total);
        } else {
            const Block *b = model_block(e->m, s->block);
            memcpy(e->block_loops[s->block], c.loops, sizeof c.loops);
            e->block_n_loops[s->block] = c.n_loops;
            for (uint32_t k = 0; k < b->parts; k++) {
                in = c;
                in.times *=
                    loops_elements(e->m, b->part[k].loops, b->part[k].n_loops);
                cover_target(e, &in, b->part[k].unknown);
                total->rates += in.rates - c.rates;
            }
        }
        total->rates += c.rates;
        c.rates = 0;
    }
}

static void survey_cover(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_variables(m);
    Cover total = {.elements = EMIT_ARRAY(e, uint64_t, n), .times = 1};
    if (!total.elements)
        return;
    Cover c = total;
    c.program = true;
    cover_steps(e, c, &m->simulation.program, &total);
    e->rates_partial = total.rates < m->states;
    c.program = false;
    cover_steps(e, c, &m->rates, &total);
    cover_steps(e, c, &m->tangent, &total);
    cover_steps(e, c, &m->slopes, &total);
    cover_steps(e, c, &m->linear, &total);
    for (uint32_t v = 0; v < n; v++)
        e->partial[v] = total.elements[v] < model_variable(m, v)->elements;
}

static void own_targets(Emit *e, const Steps *steps, bool own)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (s->kind == STEP_ASSIGN && s->target->count == 0) {
            bool *list = s->target->op == EXPR_RATE ? e->rate_local : e->local;
            list[s->target->which] = own;
        } else if (s->kind == STEP_LOOP) {
            own_targets(e, &s->body, own);
        } else if (s->kind == STEP_SELECT) {
            for (uint32_t k = 0; k < s->select->branches; k++)
                own_targets(e, &s->branch[k], own);
        }
    }
}

void emit_block_own(Emit *e, const Block *b, bool own)
{
    for (uint32_t k = 0; k < b->parts; k++)
        if (b->part[k].unknown->count == 0) {
            bool *list =
                b->part[k].unknown->op == EXPR_RATE ? e->rate_local : e->local;
            list[b->part[k].unknown->which] = own;
        }
    own_targets(e, &b->inner, own);
}

static void block_node(Emit *e, const Expr *x, void *user)
{
    (void)user;
    if (x->op == EXPR_VARIABLE && !e->local[x->which] &&
        emit_is_computed(model_variable(e->m, x->which)))
        e->in_work[x->which] = true;
    if (x->op == EXPR_RATE && !e->rate_local[x->which])
        e->block_rates = true;
    if (x->op == EXPR_VARIABLE && emit_vector_name(e, x->which))
        e->block_seeds = true;
}

static void block_visit(Emit *e, const Expr *x, void *user)
{
    each_node(e, x, block_node, user);
}

static void survey_block(Emit *e, const Block *b)
{
    bool large = emit_is_large(b);
    emit_block_own(e, b, true);
    e->marks++;
    for (uint32_t k = 0; k < b->parts; k++) {
        block_visit(e, b->part[k].residual, NULL);
        block_visit(e, b->part[k].unknown, NULL);
        if (b->part[k].unknown->op == EXPR_RATE &&
            (b->part[k].unknown->count || large))
            e->block_rates = true;
    }
    for (const Step *s = b->inner.first; large && s; s = s->next)
        if (s->kind == STEP_ASSIGN && s->target->op == EXPR_RATE)
            e->block_rates = true;
    for (uint32_t k = 0; b->jacobian && k < b->n * b->n; k++)
        if (b->jacobian[k])
            block_visit(e, b->jacobian[k], NULL);
    for (uint32_t k = 0; k < b->slopes; k++)
        block_visit(e, b->slope[k].value, NULL);
    emit_each_step(e, &b->inner, 0, block_visit, NULL);
    emit_block_own(e, b, false);
}

/* ---- What procedural code uses ---------------------------------------------------- */

static void use_routine(Emit *e, uint32_t r);

static void body_node(Emit *e, const Expr *x, void *user)
{
    (void)user;
    if (x->op == EXPR_RATE)
        e->rate_kept[x->which] = true;
    else if (x->op == EXPR_CALL)
        use_routine(e, x->which);
}

static void body_visit(Emit *e, const Expr *x, void *user)
{
    each_node(e, x, body_node, user);
}

static void body_calls(Emit *e, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        if (s->kind == STATEMENT_CALL)
            use_routine(e, s->which);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            body_calls(e, &s->arm[k].code);
        body_calls(e, &s->body);
        body_calls(e, &s->other);
    }
}

static void survey_code(Emit *e, const Code *code)
{
    emit_each_code(e, code, body_visit, NULL);
    body_calls(e, code);
}

static void use_routine(Emit *e, uint32_t r)
{
    if (e->routine_used[r])
        return;
    e->routine_used[r] = true;
    survey_code(e, &model_routine(e->m, r)->code);
}

static void survey_bodies(Emit *e)
{
    const Model *m = e->m;
    e->marks++;
    survey_code(e, &m->initial);
    survey_code(e, &m->terminal);
    survey_code(e, &m->communic);
    survey_code(e, &m->shown);
    survey_code(e, &m->columns);
    survey_code(e, &m->experiment);
    for (uint32_t k = 0; k < model_generators(m); k++)
        for (uint32_t i = 0; i < 3 && model_generator(m, k)->parameter[i]; i++)
            body_visit(e, model_generator(m, k)->parameter[i], NULL);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        survey_code(e, &model_state_event(m, k)->code);
    for (uint32_t k = 0; k < model_time_events(m); k++)
        survey_code(e, &model_time_event(m, k)->code);
    for (uint32_t k = 0; k < model_clocks(m); k++)
        survey_code(e, &model_clock(m, k)->code);
    for (uint32_t k = 0; k < model_processes(m); k++)
        survey_code(e, &model_process(m, k)->code);
    for (uint32_t k = 0; k < model_waits(m); k++)
        body_visit(e, model_wait(m, k)->holds, NULL);
}

/* ---- Rows ---------------------------------------------------------------------------- */

static uint32_t equation_row(const Model *m, const Block *b, uint32_t k)
{
    uint32_t q = b->part[emit_part_at(m, b, k)].equation;
    return q < model_equations(m) ? model_equation(m, q)->row : b->row;
}

/* The kernel counts a block's equations from the first: if their rows are not
   contiguous, they get new ones at the end. */
static void survey_rows(Emit *e)
{
    const Model *m = e->m;
    e->rows = model_rows(m);
    for (uint32_t k = 0; k < model_blocks(m); k++) {
        const Block *b = model_block(m, k);
        uint32_t first = equation_row(m, b, 0);
        bool together = first < model_rows(m);
        for (uint32_t i = 1; i < b->n; i++)
            together = together && equation_row(m, b, i) == first + i;
        e->block_row[k] = together ? first : e->rows;
        if (!together)
            e->rows += b->n;
    }
}

static uint32_t hidden_rows(const Relation *r)
{
    return r->kind == RELATION_ORDER        ? 1
           : r->kind == RELATION_HYSTERESIS ? 4
                                            : 2;
}

static void survey_conditions(Emit *e)
{
    const Model *m = e->m;
    e->conditions = model_conditions(m);
    for (uint32_t k = 0; k < model_relations(m); k++) {
        e->hidden[k] = e->conditions;
        e->conditions += hidden_rows(model_relation(m, k));
    }
}

/* ---- Variables ------------------------------------------------------------------------- */

static uint32_t count_steps(const Model *m, const Steps *steps)
{
    uint32_t n = 0;
    for (const Step *s = steps->first; s; s = s->next) {
        n++;
        if (s->kind == STEP_LOOP)
            n += count_steps(m, &s->body);
        for (uint32_t k = 0; s->kind == STEP_SELECT && k < s->select->branches;
             k++)
            n += count_steps(m, &s->branch[k]);
    }
    return n;
}

/* True if a model is so large that C compilers would take very long over single
   functions. */
static bool is_big(const Model *m)
{
    for (uint32_t k = 0; k < model_blocks(m); k++)
        if (emit_is_large(model_block(m, k)))
            return true;
    return count_steps(m, &m->simulation.program) > 400 ||
           model_conditions(m) > 400 || model_relations(m) > 400 ||
           model_entries(m) > 1000;
}

static void survey_variable(Emit *e, uint32_t k, uint32_t *numbers)
{
    const Variable *v = model_variable(e->m, k);
    switch (v->kind) {
    case VARIABLE_CONST:
    case VARIABLE_DISCRETE:
    case VARIABLE_DSTATE:
        e->in_data[k] = true;
        e->has_row[k] = !v->hidden;
        break;
    case VARIABLE_STATE: e->has_row[k] = true; break;
    case VARIABLE_ALGEBR:
    case VARIABLE_LOGIC:
    case VARIABLE_MEMORY:
        e->has_row[k] = !v->hidden;
        e->in_data[k] = e->in_data[k] || !v->hidden;
        e->work_outputs[k] = e->in_work[k]; // for a block
        e->in_work[k] = e->in_work[k] || v->rank > 0 || e->big;
        break;
    case VARIABLE_LOCAL: e->in_data[k] = !v->own; break;
    case VARIABLE_FORMAL:
    case VARIABLE_COUNTER:
    case VARIABLE_OWN:
    case VARIABLE_ATTRIBUTE: break;
    }
    if (emit_vector_name(e, k))
        e->in_data[k] = e->in_work[k] = e->has_row[k] = false;
    e->contract[k] = e->has_row[k] ? (*numbers)++ : NONE;
}

/* Columns stand after all variables. */
static void survey_columns(Emit *e, uint32_t numbers)
{
    for (uint32_t k = 0; k < model_variables(e->m); k++)
        if (model_variable(e->m, k)->column) {
            e->has_row[k] = true;
            e->contract[k] = numbers++;
            e->columns++;
        }
}

/* Arrays of flags and numbers, one element for each row of a table. */
static void survey_room(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = model_variables(m);
    bool **flags[] = {&e->in_data,   &e->in_work,      &e->has_row,
                      &e->partial,   &e->nested,       &e->rate_kept,
                      &e->here,      &e->local,        &e->rate_local,
                      &e->rate_here, &e->work_outputs, &e->unread};
    e->target = EMIT_ARRAY(e, uint32_t, n);
    e->block_loops = emit_alloc(e, model_blocks(m), sizeof *e->block_loops);
    e->block_n_loops = EMIT_ARRAY(e, uint32_t, model_blocks(m));
    for (size_t k = 0; k < LENGTH(flags); k++)
        *flags[k] = EMIT_ARRAY(e, bool, n);
    e->contract = EMIT_ARRAY(e, uint32_t, n);
    e->counter_range = EMIT_ARRAY(e, Known, n);
    e->loop_range = EMIT_ARRAY(e, Known, model_loops(m));
    e->routine_used = EMIT_ARRAY(e, bool, model_routines(m));
    e->block_row = EMIT_ARRAY(e, uint32_t, model_blocks(m));
    e->hidden = EMIT_ARRAY(e, uint32_t, model_relations(m));
    e->now = EMIT_ARRAY(e, Now, model_records(m));
    e->node = EMIT_ARRAY(e, ExprUse, m->expr_count + 1);
    e->mark = EMIT_ARRAY(e, uint32_t, m->expr_count + 1);
}

void emit_survey(Emit *e)
{
    const Model *m = e->m;
    uint32_t numbers = 0;
    survey_room(e);
    if (e->broken)
        return;
    survey_cover(e);
    e->big = is_big(m);
    for (uint32_t k = 0; k < model_blocks(m); k++)
        survey_block(e, model_block(m, k));
    for (uint32_t k = 0; k < model_variables(m); k++)
        survey_variable(e, k, &numbers);
    survey_columns(e, numbers);
    survey_bodies(e);
    survey_rows(e);
    survey_conditions(e);
    e->has_work = e->block_rates || e->block_seeds;
    for (uint32_t k = 0; k < model_variables(m); k++)
        e->has_work = e->has_work || e->in_work[k];
    for (uint32_t k = 0; k < model_blocks(m); k++)
        e->has_work = e->has_work || e->block_n_loops[k] > 0 ||
                      emit_unknowns_in_work(model_block(m, k));
    e->has_tables = model_tables(m) > 0;
    e->has_delays = false;
    for (uint32_t k = 0; k < model_memories(m); k++)
        if (model_memory(m, k)->kind == MEMORY_DELAY)
            e->has_delays = true;
}

/* ---- One function ---------------------------------------------------------------------- */

void emit_forget_here(Emit *e)
{
    size_t n = model_variables(e->m) * sizeof(bool);
    if (n) {
        memset(e->here, 0, n);
        memset(e->nested, 0, n);
        memset(e->unread, 0, n);
    }
    e->solves = false;
}

static void here_target(Emit *e, const Expr *target, uint32_t depth)
{
    if (target->op != EXPR_VARIABLE)
        return;
    e->here[target->which] = true;
    if (depth > 0)
        e->nested[target->which] = true;
    e->target[target->which] = target->id;
}

static void here_steps(Emit *e, const Steps *steps, uint32_t needs,
                       uint32_t depth)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (needs && !(s->needs & needs))
            continue;
        if (s->kind == STEP_ASSIGN) {
            here_target(e, s->target, depth);
        } else if (s->kind == STEP_LOOP) {
            here_steps(e, &s->body, needs, depth + 1);
        } else if (s->kind == STEP_SELECT) {
            for (uint32_t k = 0; k < s->select->branches; k++)
                here_steps(e, &s->branch[k], needs, depth + 1);
        } else {
            const Block *b = model_block(e->m, s->block);
            e->solves = true;
            for (uint32_t k = 0; k < b->parts; k++)
                here_target(e, b->part[k].unknown, depth + b->part[k].n_loops);
        }
    }
}

void emit_mark_here(Emit *e, const Steps *steps)
{
    here_steps(e, steps, e->needs, 0);
}

/* ---- Names ------------------------------------------------------------------------------ */

static void name_variables(Emit *e)
{
    const Model *m = e->m;
    e->variable = EMIT_ARRAY(e, const char *, model_variables(m));
    for (uint32_t k = 0; !e->broken && k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        const char *name = emit_upper(e, v->c_name ? v->c_name : v->name);
        // as in routine_name: places of arrays are macros
        if (v->kind == VARIABLE_STATE && v->rank && strcmp(name, "R") == 0)
            name = "N_R";
        if (v->kind == VARIABLE_COUNTER && !emit_taken(e, name))
            e->variable[k] = name; // known only in its loop
        else
            e->variable[k] = emit_unique(e, name);
    }
}

static const char **name_table(Emit *e, uint32_t n)
{
    const char **names = EMIT_ARRAY(e, const char *, n);
    static const char *none;
    return names ? names : &none;
}

static const char *named(Emit *e, const char *head, const char *name)
{
    return emit_unique(e, emit_format(e, "%s%s", head, emit_upper(e, name)));
}

/* R(0.1) is a literal: a function must not be called R. */
static const char *routine_name(Emit *e, const char *name)
{
    return named(e, strcmp(emit_upper(e, name), "R") == 0 ? "N_" : "", name);
}

static void name_parts(Emit *e)
{
    const Model *m = e->m;
    e->routine = name_table(e, model_routines(m));
    e->record = name_table(e, model_records(m));
    e->table = name_table(e, model_tables(m));
    e->external = name_table(e, model_externals(m));
    e->memory = name_table(e, model_memories(m));
    e->file_name = name_table(e, model_files(m));
    e->state_event = name_table(e, model_state_events(m));
    e->time_event = name_table(e, model_time_events(m));
    e->time_number = EMIT_ARRAY(e, uint32_t, model_time_events(m));
    if (e->broken)
        return;
    for (uint32_t k = 0; k < model_routines(m); k++)
        e->routine[k] = routine_name(e, model_routine(m, k)->name);
    for (uint32_t k = 0; k < model_records(m); k++)
        e->record[k] = named(e, "", model_record(m, k)->name);
    for (uint32_t k = 0; k < model_tables(m); k++)
        e->table[k] = named(e, "", model_table(m, k)->name);
    for (uint32_t k = 0; k < model_externals(m); k++)
        e->external[k] = named(e, "", model_external(m, k)->name);
    for (uint32_t k = 0; k < model_memories(m); k++)
        e->memory[k] = named(e, "", model_memory(m, k)->name);
    for (uint32_t k = 0; k < model_state_events(m); k++)
        e->state_event[k] = named(e, "EV_", model_state_event(m, k)->name);
    for (uint32_t k = 0; k < model_files(m); k++)
        if (model_file(m, k)->process == NONE)
            e->file_name[k] = named(e, "FILE_", model_file(m, k)->name);
    uint32_t number = 0;
    for (uint32_t k = 0; k < model_time_events(m); k++) {
        e->time_event[k] = named(e, "EV_", model_time_event(m, k)->name);
        e->time_number[k] = number;
        number += (uint32_t)model_time_event(m, k)->elements;
    }
}

static const char *row_name(Emit *e, const Row *r)
{
    if (!r->statement && r->variable < model_variables(e->m))
        return emit_unique(e,
                           emit_format(e, "EQ_%s", e->variable[r->variable]));
    return emit_unique(
        e, emit_format(e, "%s_%u", r->statement ? "AT" : "EQ", r->line));
}

static void name_rows(Emit *e)
{
    const Model *m = e->m;
    e->row = name_table(e, e->rows);
    e->block = name_table(e, model_blocks(m));
    e->relation = name_table(e, model_relations(m));
    e->condition = name_table(e, e->conditions);
    e->loop = name_table(e, model_loops(m));
    if (e->broken)
        return;
    for (uint32_t k = 0; k < e->rows; k++)
        e->row[k] = k < model_rows(m)
                        ? row_name(e, model_row(m, k))
                        : emit_unique(e, emit_format(e, "EQ_BLOCK_%u", k));
    for (uint32_t k = 0; k < model_blocks(m); k++)
        e->block[k] = emit_unique(e, emit_format(e, "BLOCK_%u", k + 1));
    for (uint32_t k = 0; k < model_relations(m); k++)
        e->relation[k] = emit_unique(
            e, emit_format(e, "REL_%u", model_relation(m, k)->line));
}

static void name_conditions(Emit *e)
{
    static const char *const ends[] = {"", "_HIGH", "_FALLS", "_RISES"};
    const Model *m = e->m;
    static const char *const heads[] = {[CONDITION_CONDIT] = "CONDIT_",
                                        [CONDITION_FINISH] = "FINISH_",
                                        [CONDITION_RANGE] = "RANGE_",
                                        [CONDITION_WAIT] = "WAIT_"};
    for (uint32_t k = 0; !e->broken && k < model_conditions(m); k++) {
        const Condition *c = model_condition(m, k);
        e->condition[k] = named(e, heads[c->kind], c->name ? c->name : "");
    }
    for (uint32_t k = 0; !e->broken && k < model_relations(m); k++) {
        uint32_t n = hidden_rows(model_relation(m, k));
        for (uint32_t i = 0; i < n; i++)
            e->condition[e->hidden[k] + i] = emit_unique(
                e, emit_format(e, "HIDDEN_%u%s", model_relation(m, k)->line,
                               n > 1 && i == 0 ? "_LOW" : ends[i]));
    }
}

void emit_name_all(Emit *e)
{
    name_variables(e);
    if (!e->broken)
        name_parts(e);
    if (!e->broken)
        emit_name_processes(e);
    if (!e->broken)
        name_rows(e);
    if (!e->broken)
        name_conditions(e);
    if (!e->broken)
        emit_name_random(e);
}
