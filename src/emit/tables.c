#include "emit/writer.h"

#include <string.h>

/* The description of the model: structs, enumerations, constant tables, and the
   CosyModel that points to them all. */

/* ---- Variables and equations ----------------------------------------------------------------- */

static const char *const kind_names[] = {
    [VARIABLE_CONST] = "CONST",   [VARIABLE_DISCRETE] = "REAL",
    [VARIABLE_STATE] = "STATE",   [VARIABLE_ALGEBR] = "ALGEBR",
    [VARIABLE_LOGIC] = "LOGIC",   [VARIABLE_DSTATE] = "DSTATE",
    [VARIABLE_MEMORY] = "MEMORY",
};

/* as the macros of cosy/check.h expect them */
static const char *const type_names[] = {[EXPR_TYPE_REAL] = "REAL",
                                         [EXPR_TYPE_INTEGER] = "INTEGER",
                                         [EXPR_TYPE_BOOLEAN] = "BOOLEAN"};

static const char *causality(const Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    bool carried = v->carried || (v->hidden && model_is_companion(e->m, k));
    return carried                     ? "CARRIED"
           : v->kind == VARIABLE_CONST ? "PARAMETER"
           : v->input                  ? "INPUT"
           : v->output                 ? "OUTPUT"
                                       : "LOCAL";
}

/* RANGE, as far as it is known at compile time. */
static void put_range(Emit *e, Buffer *b, const Variable *v)
{
    Buffer low = {0}, high = {0};
    if (v->range_low && v->range_high && emit_static(e, &low, v->range_low) &&
        emit_static(e, &high, v->range_high))
        buffer_format(b, "%s, %s, ", buffer_string(&low), buffer_string(&high));
    else
        buffer_text(b, "R(1.0), R(0.0), ");
    buffer_free(&low);
    buffer_free(&high);
}

/* As the modeller writes it: X' for the variable that equals it. */
static const char *shown_name(Emit *e, const Variable *v)
{
    return v->started && v->rate_of != NONE
               ? emit_format(e, "%s'", model_variable(e->m, v->rate_of)->name)
               : v->name;
}

/* [V_X] = COSY_SCALAR(...), or COSY_VARIABLE with everything there is to
   say. */
/* A variable of copies: its place is that in a copy, its shape its own. */
static void pooled_row(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    const char *pool = e->name->pool[v->pool - 1], *name = e->name->variable[k];
    bool rate = v->rate_of != NONE && e->store->has_row[v->rate_of];
    Buffer b = {0};
    buffer_format(&b, "[v_%s] = COSY_COPIED(%s, %s, %s, %s, %s, %s, ", name,
                  emit_string(e, shown_name(e, v)), emit_string(e, v->unit),
                  v->kind == VARIABLE_STATE ? "STATE" : "ATTRIBUTE",
                  type_names[v->type], pool,
                  v->kind == VARIABLE_STATE
                      ? emit_format(e, v->rank == 2 ? "%s_0" : "%s", name)
                      : emit_format(e, "offsetof(%s_copy, %s)", pool, name));
    buffer_format(&b, "%lld, %s%s, ",
                  v->rank == 2 ? (long long)(v->high[1] - v->low[1] + 1) : 1LL,
                  rate ? "v_" : "COSY_NONE",
                  rate ? e->name->variable[v->rate_of] : "");
    put_range(e, &b, v);
    buffer_format(&b, "%u, %lld),", v->line,
                  v->rank == 2 ? (long long)v->low[1] - 1 : 0LL);
    emit_buffer(e, &b);
}

static void variable_row(Emit *e, uint32_t k)
{
    const Variable *v = model_variable(e->m, k);
    if (v->pool) {
        pooled_row(e, k);
        return;
    }
    Buffer b = {0};
    long long extent[2] = {1, 1};
    for (uint32_t i = 0; i < v->rank; i++)
        extent[i] = (long long)(v->high[i] - v->low[i] + 1);
    bool rate = v->rate_of != NONE && e->store->has_row[v->rate_of];
    bool scalar = v->rank == 0 && !rate && !v->range_low && !v->range_high;
    long long shift[2] = {v->rank > 0 ? (long long)v->low[0] - 1 : 0,
                          v->rank > 1 ? (long long)v->low[1] - 1 : 0};
    bool shifted = shift[0] != 0 || shift[1] != 0;
    buffer_format(&b, "[v_%s] = %s(%s, %s, %s, %s, %s, ", e->name->variable[k],
                  scalar    ? "COSY_SCALAR"
                  : shifted ? "COSY_SHIFTED"
                            : "COSY_VARIABLE",
                  emit_string(e, shown_name(e, v)), emit_string(e, v->unit),
                  kind_names[v->moves ? VARIABLE_ALGEBR : v->kind],
                  type_names[v->type], causality(e, k));
    if (v->kind != VARIABLE_STATE)
        buffer_format(&b, "offsetof(Data, %s), ", e->name->variable[k]);
    else if (v->rank)
        buffer_format(&b, "%u, ", v->place);
    else
        buffer_format(&b, "%s, ", e->name->variable[k]);
    if (!scalar) {
        buffer_format(&b, "%lld, %lld, %s%s, ", extent[0], extent[1],
                      rate ? "v_" : "COSY_NONE",
                      rate ? e->name->variable[v->rate_of] : "");
        put_range(e, &b, v);
    }
    if (shifted)
        buffer_format(&b, "%u, %lld, %lld),", v->line, shift[0], shift[1]);
    else
        buffer_format(&b, "%u),", v->line);
    emit_buffer(e, &b);
}

static void variable_table(Emit *e)
{
    bool any = false;
    for (uint32_t k = 0; k < model_variables(e->m); k++) {
        if (!e->store->has_row[k])
            continue;
        if (!any)
            emit_open(e, "static const CosyVariable variables[VARIABLES] =");
        any = true;
        variable_row(e, k);
    }
    e->written.variables = any;
    if (!any)
        return;
    emit_close(e, ";");
    emit_blank(e);
}

/* Row k, either of the Model or of a block whose rows were put at the end. */
static Row row_at(const Emit *e, uint32_t k)
{
    const Model *m = e->m;
    if (k < model_rows(m))
        return *model_row(m, k);
    uint32_t b = e->plan->rows.block[k - model_rows(m)];
    const Block *block = model_block(m, b);
    const BlockPart *part =
        &block->part[plan_part_at(block, k - e->plan->block[b].row)];
    uint32_t q = part->equation;
    uint32_t row =
        q < model_equations(m) ? model_equation(m, q)->row : block->row;
    Row r = row < model_rows(m) ? *model_row(m, row) : (Row){.text = ""};
    r.variable = part->unknown->which;
    return r;
}

static void equation_row(Emit *e, const char *name, const Row *r)
{
    bool known =
        r->variable < model_variables(e->m) && e->store->has_row[r->variable];
    emit_line(e, "[%s] = {%s%s, %u, %s, %s},", name, known ? "v_" : "COSY_NONE",
              known ? e->name->variable[r->variable] : "", r->line,
              emit_string(e, r->text), r->statement ? "true" : "false");
}

static void equation_table(Emit *e)
{
    if (e->plan->rows.rows + emit_more_rows(e) == 0)
        return;
    emit_open(e, "static const CosyEquation equations[EQUATIONS] =");
    for (uint32_t k = 0; k < e->plan->rows.rows; k++) {
        Row r = row_at(e, k);
        equation_row(e, e->name->row[k], &r);
    }
    for (uint32_t k = 0; k < emit_more_rows(e); k++)
        equation_row(e, emit_more_row(e, k)->name, &emit_more_row(e, k)->row);
    emit_close(e, ";");
    emit_blank(e);
}

/* ---- Which equation computes the rate of each state --------------------------------------------- */

#define STATE_EQUATIONS_MOST 2000

static void set_state_row(Emit *e, uint32_t *rows, const Expr *target,
                          uint32_t row)
{
    const Variable *v = model_variable(e->m, target->which);
    for (uint64_t i = 0; !v->pool && i < v->elements; i++) {
        // an element with its own equation comes before a loop
        bool one = target->count > 0 && target->arg[0]->op == EXPR_INTEGER &&
                   v->rank == 1;
        if (one && (int64_t)i != target->arg[0]->integer - v->low[0])
            continue;
        if (rows[v->place + i] == NONE || one)
            rows[v->place + i] = row;
    }
}

static void state_rows(Emit *e, const Steps *steps, uint32_t *rows)
{
    for (const Step *s = steps->first; s; s = s->next) {
        if (s->kind == STEP_ASSIGN && s->target->op == EXPR_RATE &&
            s->equation < model_equations(e->m)) {
            set_state_row(e, rows, s->target,
                          model_equation(e->m, s->equation)->row);
        } else if (s->kind == STEP_LOOP) {
            state_rows(e, &s->body, rows);
        } else if (s->kind == STEP_SELECT) {
            for (uint32_t k = 0; k < s->select->branches; k++)
                state_rows(e, &s->branch[k], rows);
        } else if (s->kind == STEP_SOLVE) {
            const Block *b = model_block(e->m, s->block);
            for (uint32_t k = 0; k < b->parts; k++)
                if (b->part[k].unknown->op == EXPR_RATE)
                    set_state_row(e, rows, b->part[k].unknown,
                                  e->plan->block[s->block].row +
                                      b->part[k].first);
        }
    }
}

static void state_equations(Emit *e)
{
    const Model *m = e->m;
    Buffer b = {0};
    if (m->states == 0 || m->states > STATE_EQUATIONS_MOST)
        return;
    uint32_t *rows = EMIT_ARRAY(e, uint32_t, m->states);
    if (!rows)
        return;
    for (uint32_t k = 0; k < m->states; k++)
        rows[k] = NONE;
    state_rows(e, &m->simulation.program, rows);
    buffer_text(&b, "static const uint32_t state_equation[STATES] = {");
    for (uint32_t k = 0; k < m->states; k++)
        buffer_format(&b, "%s%s", k ? ", " : "",
                      rows[k] == NONE ? "COSY_NONE" : emit_row(e, rows[k]));
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_blank(e);
    e->written.state_equations = true;
}

/* ---- Conditions, relations, events ------------------------------------------------------------------ */

static void condition_row(Emit *e, uint32_t id, const char *name,
                          const char *kind, const char *scheme, int direction,
                          const char *tol, const char *event,
                          const char *process, uint64_t elements,
                          bool activates, uint32_t line, int zero)
{
    emit_line(e, "[%s] = {%s, %s, %s, %d, %s, %s, %s, %llu, %s, %u, %d},",
              e->name->condition[id], emit_string(e, name), kind, scheme,
              direction, tol, event, process, (unsigned long long)elements,
              activates ? "true" : "false", line, zero);
}

/* The side of a relation a op b on which z = a - b = 0 lies; 0 if the relation
   has a different value exactly there. */
static int zero_of_order(ExprOp op)
{
    switch (op) {
    case EXPR_GE:
    case EXPR_LT: return 1;
    case EXPR_GT:
    case EXPR_LE: return -1;
    default: return 0;
    }
}

/* The same for condition i of a hidden relation. The ends of a segment are its
   first point and the first beyond it; a hysteresis is left beyond its ends. */
static int zero_of(const Relation *r, uint32_t i)
{
    return r->kind == RELATION_ORDER        ? zero_of_order(r->op)
           : r->kind != RELATION_HYSTERESIS ? 1
           : i % 2 == 0                     ? 1
                                            : -1;
}

static const char *const scheme_names[] = {[SCHEME_CROSSES] = "COSY_CROSSES",
                                           [SCHEME_REGULA] = "COSY_REGULA",
                                           [SCHEME_IHERMITE] = "COSY_IHERMITE",
                                           [SCHEME_BISECT] = "COSY_BISECT"};

static const char *condition_event(Emit *e, const Condition *c)
{
    if (c->kind == CONDITION_RANGE)
        return c->event < model_variables(e->m) && e->store->has_row[c->event]
                   ? emit_format(e, "v_%s", e->name->variable[c->event])
                   : "COSY_NONE";
    if (c->kind == CONDITION_WAIT)
        return emit_format(e, "%u", c->relation);
    if (c->kind == CONDITION_CONDIT && c->event < model_state_events(e->m))
        return e->name->state_event[c->event];
    return "COSY_NONE";
}

static int condition_zero(const Model *m, const Condition *c)
{
    if (c->kind == CONDITION_WAIT)
        return zero_of_order(
            model_wait(m, c->event)->relation[c->relation]->op);
    return c->kind == CONDITION_RANGE ? -c->direction : 0;
}

static const char *pool_of(const Emit *e, const uint32_t *loops, uint32_t n)
{
    uint32_t pool = loops_pool(e->m, loops, n);
    return pool ? e->name->pool[pool - 1] : "COSY_NONE";
}

/* Those of one copy. */
static uint64_t condition_elements(const Emit *e, const Condition *c)
{
    if (!loops_pool(e->m, c->loops, c->n_loops))
        return 0;
    if (c->kind == CONDITION_CONDIT && c->element)
        return model_state_event(e->m, c->event)->elements;
    return loops_each(e->m, c->loops, c->n_loops);
}

static void model_condition_row(Emit *e, uint32_t k)
{
    static const char *const kinds[] = {[CONDITION_CONDIT] = "COSY_CONDIT",
                                        [CONDITION_FINISH] = "COSY_FINISH",
                                        [CONDITION_RANGE] = "COSY_RANGE",
                                        [CONDITION_WAIT] = "COSY_WAIT"};
    const Condition *c = model_condition(e->m, k);
    Buffer tol = {0};
    bool fixed = c->tol && emit_static(e, &tol, c->tol);
    condition_row(e, k, c->name ? c->name : "", kinds[c->kind],
                  scheme_names[c->scheme],
                  c->kind == CONDITION_RANGE ? 0 : c->direction,
                  fixed ? buffer_string(&tol) : "R(0.0)", condition_event(e, c),
                  c->kind == CONDITION_WAIT
                      ? e->name->process[model_wait(e->m, c->event)->process]
                      : pool_of(e, c->loops, c->n_loops),
                  condition_elements(e, c), c->activates, c->line,
                  condition_zero(e->m, c));
    buffer_free(&tol);
}

/* An order has two sides; a segment and a hysteresis are left downwards by the
   first condition, upwards by the second (and third, fourth). */
static void hidden_condition_rows(Emit *e, uint32_t k)
{
    const Relation *r = model_relation(e->m, k);
    uint32_t n = (k + 1 < model_relations(e->m) ? e->plan->rows.hidden[k + 1]
                                                : e->plan->rows.conditions) -
                 e->plan->rows.hidden[k];
    for (uint32_t i = 0; i < n; i++)
        condition_row(e, e->plan->rows.hidden[k] + i, r->text ? r->text : "",
                      "COSY_HIDDEN", i < 2 ? "COSY_CROSSES" : "COSY_REGULA",
                      r->kind == RELATION_ORDER ? 0
                      : i % 2 == 0              ? -1
                                                : 1,
                      "R(0.0)", emit_format(e, "%u", k),
                      pool_of(e, r->loops, r->n_loops),
                      loops_pool(e->m, r->loops, r->n_loops) ? r->count : 0,
                      false, r->line, zero_of(r, i));
}

static void condition_table(Emit *e)
{
    const Model *m = e->m;
    if (e->plan->rows.conditions == 0)
        return;
    emit_open(e,
              "static const CosyConditionInfo conditions_info[CONDITIONS] =");
    for (uint32_t k = 0; k < model_conditions(m); k++)
        model_condition_row(e, k);
    for (uint32_t k = 0; k < model_relations(m); k++)
        hidden_condition_rows(e, k);
    emit_close(e, ";");
    emit_blank(e);
}

static void relation_table(Emit *e)
{
    const Model *m = e->m;
    if (model_relations(m) == 0)
        return;
    emit_open(e, "static const CosyRelation relations_info[] =");
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        emit_line(e, "{%s, %u, %s, %u, %u},", emit_string(e, r->text), r->line,
                  e->name->relation[k], r->count,
                  loops_pool(m, r->loops, r->n_loops));
    }
    emit_close(e, ";");
    emit_blank(e);
}

static void event_row(Emit *e, const char *at, const char *name, uint32_t line,
                      uint32_t pool)
{
    emit_line(e, "[%s] = {%s, %u, %u},", at, emit_string(e, name), line, pool);
}

static void event_tables(Emit *e)
{
    const Model *m = e->m;
    if (model_state_events(m)) {
        emit_open(e, "static const CosyEventInfo state_events[STATE_EVENTS] =");
        for (uint32_t k = 0; k < model_state_events(m); k++)
            event_row(e, e->name->state_event[k], model_state_event(m, k)->name,
                      model_state_event(m, k)->line,
                      model_state_event(m, k)->pool);
        emit_close(e, ";");
        emit_blank(e);
    }
    if (model_time_events(m) == 0)
        return;
    emit_open(e, "static const CosyEventInfo time_events[TIME_EVENTS] =");
    for (uint32_t k = 0; k < model_time_events(m); k++) {
        const Event *ev = model_time_event(m, k);
        for (uint64_t i = 0; i < ev->elements; i++) {
            const char *at = e->name->time_event[k];
            if (ev->elements > 1)
                at = emit_format(e, "%s + %llu", at, (unsigned long long)i);
            event_row(e, at,
                      emit_element(e, ev->name, ev->rank, ev->low, ev->high, i),
                      ev->line, ev->pool);
        }
    }
    emit_close(e, ";");
    emit_blank(e);
}

/* ---- The rest ------------------------------------------------------------------------------------------ */

static void clock_table(Emit *e)
{
    if (model_clocks(e->m) == 0)
        return;
    emit_open(e, "static const CosyClockInfo clocks[] =");
    for (uint32_t k = 0; k < model_clocks(e->m); k++) {
        const Clock *c = model_clock(e->m, k);
        emit_line(
            e, "{%s, INT64_C(%lld), INT64_C(%lld), INT64_C(%lld), %d, %u},",
            emit_string(e, c->name), (long long)c->period, (long long)c->offset,
            (long long)c->parts, c->places, c->line);
    }
    emit_close(e, ";");
    emit_blank(e);
}

static void memory_table(Emit *e)
{
    if (!e->plan->facts.has_delays)
        return;
    emit_open(e, "static const CosyMemoryInfo memories[] =");
    for (uint32_t p = 0; p <= model_pools(e->m); p++)
        for (uint32_t k = 0; k < model_memories(e->m); k++) {
            const Memory *h = model_memory(e->m, k);
            if (h->kind != MEMORY_DELAY || h->pool != p)
                continue;
            emit_line(e, "{%s, COSY_DELAY, COSY_NONE, %s, %u, %u},",
                      emit_string(e, h->name), h->varies ? "true" : "false",
                      h->line, h->pool);
        }
    emit_close(e, ";");
    emit_blank(e);
}

static void put_points(Emit *e, const char *name, const char *axis,
                       const char *const *text, uint32_t n)
{
    Buffer b = {0};
    buffer_format(&b, "static const real %s_%s[] = {", axis, name);
    for (uint32_t k = 0; k < n; k++)
        buffer_format(&b, "%sR(%s%s)", k ? ", " : "", text[k],
                      strpbrk(text[k], ".eE") ? "" : ".0");
    buffer_text(&b, "};");
    emit_buffer(e, &b);
}

static void table_functions(Emit *e)
{
    static const char *const kinds[] = {[TABLE_LINEAR] = "COSY_TABLE_LINEAR",
                                        [TABLE_SPLINE] = "COSY_TABLE_SPLINE",
                                        [TABLE_STEP] = "COSY_TABLE_STEP"};
    for (uint32_t k = 0; k < model_tables(e->m); k++) {
        const Table *t = model_table(e->m, k);
        const char *name = e->name->table[k];
        put_points(e, name, "x", t->x, t->points);
        put_points(e, name, "y", t->y, t->points);
        emit_line(e,
                  "static const CosyTableInfo %s = {%s, %s, %u, x_%s, y_%s, "
                  "%u, %s};",
                  name, emit_string(e, t->name), kinds[t->kind], t->points,
                  name, name, t->line,
                  emit_string(e, emit_format(e,
                                             "%s is evaluated outside its "
                                             "points: it keeps its end value",
                                             t->name)));
        emit_blank(e);
    }
}

static const char *external_type(const External *x)
{
    return x->result == EXPR_TYPE_REAL ? "real" : emit_type(x->result);
}

static void external_wrapper(Emit *e, uint32_t k)
{
    const External *x = model_external(e->m, k);
    Buffer types = {0}, formals = {0}, actuals = {0};
    for (uint32_t i = 0; i < x->arguments; i++) {
        buffer_format(&types, "%sreal", i ? ", " : "");
        buffer_format(&formals, ", real a%u", i + 1);
        buffer_format(&actuals, "%sa%u", i ? ", " : "", i + 1);
    }
    if (x->arguments == 0)
        buffer_text(&types, "void");
    emit_line(e, "static inline %s %s(const Cosy *c%s)", external_type(x),
              e->name->external[k], buffer_string(&formals));
    emit_line(e, "{");
    emit_line(e, "    return ((%s (*)(%s))c->external[%u])(%s);",
              external_type(x), buffer_string(&types), k,
              buffer_string(&actuals));
    emit_line(e, "}");
    emit_blank(e);
    buffer_free(&types);
    buffer_free(&formals);
    buffer_free(&actuals);
}

static void external_table(Emit *e)
{
    if (model_externals(e->m) == 0)
        return;
    emit_open(e, "static const CosyExternal externals[] =");
    for (uint32_t k = 0; k < model_externals(e->m); k++) {
        const External *x = model_external(e->m, k);
        emit_line(e, "{%s, %s, %u},", emit_string(e, x->name),
                  emit_string(e, x->library), x->line);
    }
    emit_close(e, ";");
    emit_blank(e);
    for (uint32_t k = 0; k < model_externals(e->m); k++)
        external_wrapper(e, k);
}

const char *emit_variable_number(Emit *e, uint32_t v)
{
    return v < model_variables(e->m) && e->store->has_row[v]
               ? emit_format(e, "v_%s", e->name->variable[v])
               : "COSY_NONE";
}

/* What only operations on data have. */
static void show_signal(Buffer *b, const Show *s, uint32_t k)
{
    if (s->hann)
        buffer_text(b, ", .hann = true");
    if (s->density)
        buffer_text(b, ", .density = true");
    if (s->lag > 0.0)
        buffer_format(b, ", .lag = R(%.17e)", s->lag);
    if (s->other)
        buffer_format(b, ", .other = %d", s->other);
    if (s->data)
        buffer_format(b, ", .points = %u, .data = data_%u", s->points, k);
}

static void show_index(Buffer *b, const Show *s, uint32_t k)
{
    if (s->times)
        buffer_format(b, ", .n_times = %u, .times = times_%u", s->times, k);
    if (s->view)
        buffer_format(b,
                      ", .view = true, .azimuth = R(%.17e), .elevation = "
                      "R(%.17e)",
                      s->azimuth, s->elevation);
}

static void put_element(Buffer *b, uint32_t at)
{
    if (at == NONE)
        buffer_text(b, "COSY_NONE, ");
    else
        buffer_format(b, "%u, ", at);
}

static void show_row(Emit *e, uint32_t k)
{
    static const char *const kinds[] = {[SHOW_LIST] = "COSY_LIST",
                                        [SHOW_PLOT] = "COSY_PLOT",
                                        [SHOW_GRAPH] = "COSY_GRAPH",
                                        [SHOW_OVERPLOT] = "COSY_OVERPLOT",
                                        [SHOW_BARS] = "COSY_BARS",
                                        [SHOW_SHADE] = "COSY_SHADE",
                                        [SHOW_CONTOUR] = "COSY_CONTOUR",
                                        [SHOW_SURFACE] = "COSY_SURFACE",
                                        [SHOW_PROFILES] = "COSY_PROFILES",
                                        [SHOW_TABULATED] = "COSY_TABULATED",
                                        [SHOW_PRINTED] = "COSY_PRINTED",
                                        [SHOW_SHADED] = "COSY_SHADED",
                                        [SHOW_SPECTRUM] = "COSY_SPECTRUM",
                                        [SHOW_AUTOCORR] = "COSY_AUTOCORR",
                                        [SHOW_CROSSCORR] = "COSY_CROSSCORR",
                                        [SHOW_COMPARE] = "COSY_COMPARE"};
    const Show *s = model_show(e->m, k);
    Buffer b = {0};
    buffer_format(&b, "{%s, %d, %s, %s, ", kinds[s->kind], s->run,
                  emit_string(e, s->title), emit_variable_number(e, s->versus));
    put_element(&b, s->versus_at);
    buffer_format(&b, "%s, ", emit_variable_number(e, s->along));
    put_element(&b, s->along_at);
    buffer_format(&b, "%u, show_%u, element_%u, R(%.17e), R(%.17e), ", s->n, k,
                  k, s->xfak, s->yfak);
    buffer_format(&b, "%s, %s, %u", s->logx ? "true" : "false",
                  s->logy ? "true" : "false", s->line);
    show_signal(&b, s, k);
    show_index(&b, s, k);
    buffer_text(&b, "},");
    emit_buffer(e, &b);
}

static void show_times(Emit *e, uint32_t k)
{
    const Show *s = model_show(e->m, k);
    if (!s->times)
        return;
    emit_open(e, "static const real times_%u[] =", k);
    for (uint32_t i = 0; i < s->times; i++)
        emit_line(e, "R(%.17e),", s->at[i]);
    emit_close(e, ";");
}

/* The data of COMPARE WITH, column after column. */
static void show_data(Emit *e, uint32_t k)
{
    const Show *s = model_show(e->m, k);
    if (!s->data)
        return;
    emit_open(e, "static const real data_%u[] =", k);
    for (uint32_t i = 0; i <= s->n; i++)
        for (uint32_t at = 0; at < s->points; at++)
            emit_line(e, "R(%.17e),", s->data[i][at]);
    emit_close(e, ";");
}

static void show_lists(Emit *e, uint32_t k)
{
    const Show *s = model_show(e->m, k);
    Buffer v = {0}, at = {0};
    for (uint32_t i = 0; i < s->n; i++) {
        buffer_format(&v, "%s%s", i ? ", " : "",
                      emit_variable_number(e, s->variable[i]));
        if (!s->element || s->element[i] == NONE)
            buffer_format(&at, "%sCOSY_NONE", i ? ", " : "");
        else
            buffer_format(&at, "%s%u", i ? ", " : "", s->element[i]);
    }
    emit_line(e, "static const uint32_t show_%u[] = {%s};", k,
              s->n ? buffer_string(&v) : "0");
    emit_line(e, "static const uint32_t element_%u[] = {%s};", k,
              s->n ? buffer_string(&at) : "0");
    buffer_free(&v);
    buffer_free(&at);
}

static void show_table(Emit *e)
{
    uint32_t n = model_shows(e->m);
    if (n == 0)
        return;
    for (uint32_t k = 0; k < n; k++) {
        show_lists(e, k);
        show_data(e, k);
        show_times(e, k);
    }
    emit_open(e, "static const CosyShow shows[] =");
    for (uint32_t k = 0; k < n; k++)
        show_row(e, k);
    emit_close(e, ";");
    emit_blank(e);
}

static uint32_t list_count(const Vector *list)
{
    return (uint32_t)(list->used / sizeof(uint32_t));
}

static void put_numbers(Emit *e, Buffer *b, const Vector *list, bool more)
{
    const uint32_t *v = (const uint32_t *)(const void *)list->bytes;
    for (uint32_t k = 0; k < list_count(list); k++)
        buffer_format(b, "%s%s", k || more ? ", " : "",
                      emit_variable_number(e, v[k]));
}

/* What runs record, then what the cross file has besides. */
static void stored_table(Emit *e)
{
    const Model *m = e->m;
    Buffer b = {0};
    if (list_count(&m->stored) + list_count(&m->crossed) == 0)
        return;
    buffer_text(&b, "static const uint32_t stored[] = {");
    put_numbers(e, &b, &m->stored, false);
    put_numbers(e, &b, &m->crossed, m->stored.used > 0);
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_blank(e);
}

static void asked_table(Emit *e)
{
    Buffer b = {0};
    if (list_count(&e->m->asked) == 0)
        return;
    buffer_text(&b, "static const uint32_t asked[] = {");
    put_numbers(e, &b, &e->m->asked, false);
    buffer_text(&b, "};");
    emit_buffer(e, &b);
    emit_blank(e);
}

static void put_stored(Emit *e)
{
    const Model *m = e->m;
    uint32_t n = list_count(&m->stored), crossed = list_count(&m->crossed);
    if (n + crossed == 0)
        return;
    emit_line(e, ".n_stored = %u,", n);
    emit_line(e, ".stored = stored,");
    if (crossed)
        emit_line(e, ".n_crossed = %u,", n + crossed);
}

static void put_variables(Emit *e)
{
    if (!e->written.variables)
        return;
    if (e->store->columns) {
        emit_line(e, ".n_variables = VARIABLES - %u,", e->store->columns);
        emit_line(e, ".variables = variables,");
    } else {
        emit_line(e, "table_of(variables),");
    }
}

/* A FUNCTION may assign something. */
static bool columns_call(const Model *m)
{
    for (const Statement *s = m->columns.first; s; s = s->next)
        if (s->a->reads & READS_CALL)
            return true;
    return false;
}

void emit_tables(Emit *e)
{
    emit_enumerations(e);
    emit_title(e, "Description");
    variable_table(e);
    equation_table(e);
    state_equations(e);
    condition_table(e);
    relation_table(e);
    event_tables(e);
    clock_table(e);
    emit_file_rows(e);
    memory_table(e);
    emit_process_tables(e);
    table_functions(e);
    external_table(e);
    show_table(e);
    stored_table(e);
    asked_table(e);
    emit_random_tables(e);
    emit_linear_tables(e);
    emit_field_tables(e);
    emit_start_tables(e);
    emit_senses(e);
    emit_constraint_table(e);
    emit_pool_table(e);
}

/* ---- The model --------------------------------------------------------------------------------------------- */

static uint64_t conditions_most(const Model *m)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < model_conditions(m); k++)
        if (model_condition(m, k)->kind != CONDITION_WAIT &&
            !loops_pool(m, model_condition(m, k)->loops,
                        model_condition(m, k)->n_loops))
            most += loops_elements(m, model_condition(m, k)->loops,
                                   model_condition(m, k)->n_loops);
    for (uint32_t k = 0; k < model_relations(m); k++) {
        const Relation *r = model_relation(m, k);
        if (!loops_pool(m, r->loops, r->n_loops))
            most += (r->kind == RELATION_ORDER ? 1 : 2) *
                    loops_elements(m, r->loops, r->n_loops);
    }
    return most;
}

static void put_table(Emit *e, const char *name, bool is)
{
    if (is)
        emit_line(e, "table_of(%s),", name);
}

static void put_entry(Emit *e, const char *name, bool is)
{
    if (is)
        emit_line(e, ".%s = %s,", name, name);
}

static void put_sizes(Emit *e)
{
    const Model *m = e->m;
    emit_line(e, ".data_size = sizeof(Data),");
    if (e->written.work)
        emit_line(e, ".work_size = sizeof(Work),");
    if (model_relations(m))
        emit_line(e, ".branches = BRANCHES,");
    if (e->written.conditions)
        emit_line(e, ".conditions_most = %llu,",
                  (unsigned long long)conditions_most(m));
    if (m->states)
        emit_line(e, ".states = STATES,");
    if (model_processes(m))
        emit_line(e, ".transaction_size = COSY_TRANSACTION_SIZE,");
    if (emit_waits_most(m))
        emit_line(e, ".waits_most = %u,", emit_waits_most(m));
    if (e->plan->until_lists)
        emit_line(e, ".until_lists = %u,", e->plan->until_lists);
    Buffer size = {0};
    for (uint32_t k = 0; k < model_records(m); k++) {
        if (k + 1 < model_records(m))
            buffer_format(&size, "RECORD_MAX(sizeof(%s_entry), ",
                          e->name->record[k]);
        else
            buffer_format(&size, "sizeof(%s_entry)", e->name->record[k]);
    }
    for (uint32_t k = 0; k + 1 < model_records(m); k++)
        buffer_char(&size, ')');
    if (model_records(m))
        emit_line(e, ".record_size = %s,", buffer_string(&size));
    buffer_free(&size);
}

static void put_tables(Emit *e)
{
    const Model *m = e->m;
    put_variables(e);
    put_table(e, "equations", e->plan->rows.rows + emit_more_rows(e) > 0);
    put_table(e, "conditions_info", e->plan->rows.conditions > 0);
    put_table(e, "relations_info", model_relations(m) > 0);
    put_table(e, "state_events", model_state_events(m) > 0);
    put_table(e, "time_events", model_time_events(m) > 0);
    put_table(e, "clocks", model_clocks(m) > 0);
    put_table(e, "processes", model_processes(m) > 0);
    put_table(e, "waits", model_waits(m) > 0);
    put_table(e, "copies", model_pools(m) > 0);
    put_table(e, "resources", model_resources(m) > 0);
    put_table(e, "files", emit_has_files(e));
    put_table(e, "memories", e->plan->facts.has_delays);
    put_table(e, "blocks", model_blocks(m) > 0);
    put_table(e, "starts", model_starts(m) > 0);
    put_table(e, "initial_states", e->store->initials > 0);
    put_table(e, "externals", model_externals(m) > 0);
    put_table(e, "shows", model_shows(m) > 0);
    put_stored(e);
    put_table(e, "asked", list_count(&m->asked) > 0);
    emit_random_description(e);
    if (e->written.state_equations)
        emit_line(e, ".n_state_equations = STATES,");
    if (e->written.state_equations)
        emit_line(e, ".state_equation = state_equation,");
}

void emit_description(Emit *e)
{
    const Model *m = e->m;
    emit_title(e, "The model");
    if (model_records(m) > 1) {
        emit_line(e, "#define RECORD_MAX(a, b) ((a) > (b) ? (a) : (b))");
        emit_blank(e);
    }
    emit_line(e, "#define table_of(name) .n_##name = sizeof name / sizeof "
                 "name[0], .name = name");
    emit_blank(e);
    emit_open(e, "const CosyModel cosy_model =");
    emit_line(e, ".version = COSY_VERSION,");
    emit_line(e, ".precision = COSY_PRECISION,");
    emit_line(e, ".real_size = sizeof(real),");
    emit_line(e, ".name = %s,", emit_string(e, m->name));
    emit_line(e, ".source = %s,", emit_string(e, m->source));
    if (m->author) {
        emit_line(e, ".project = %llu,", (unsigned long long)m->project);
        emit_line(e, ".author = %s,", emit_string(e, m->author));
    }
    emit_line(e, ".hash = %s,", emit_string(e, m->hash));
    emit_line(e, ".time_unit = %s,", emit_string(e, m->time_unit));
    put_sizes(e);
    put_tables(e);
    put_entry(e, "reset", true);
    put_entry(e, "initial", e->written.initial);
    put_entry(e, "derivatives", model_integrates(m));
    put_entry(e, "outputs", e->written.outputs);
    put_entry(e, "conditions", e->written.conditions);
    put_entry(e, "relations", e->written.relations);
    put_entry(e, "delays", e->plan->facts.has_delays);
    put_entry(e, "state_event", model_state_events(m) > 0);
    put_entry(e, "time_event",
              model_time_events(m) > 0 && !emit_is_discrete(e));
    put_entry(e, "sample", model_clocks(m) > 0);
    put_entry(e, "resume", model_processes(m) > 0 && !emit_is_discrete(e));
    put_entry(e, "discrete", emit_is_discrete(e));
    put_entry(e, "until", model_waits(m) > 0);
    put_entry(e, "communicate", m->communic.first != NULL);
    put_entry(e, "shown", m->shown.first != NULL);
    put_entry(e, "column", m->columns.first != NULL);
    if (columns_call(m))
        emit_line(e, ".columns_call = true,");
    if (e->m->reruns)
        emit_line(e, ".reruns = true,");
    put_entry(e, "start", model_starts(m) > 0);
    put_entry(e, "terminal", m->terminal.first != NULL);
    put_entry(e, "copy_terminal", emit_has_copy_terminal(e));
    put_entry(e, "experiment", m->experiment.first != NULL);
    put_entry(e, "pattern", e->written.pattern);
    if (emit_pattern_moves(e))
        emit_line(e, ".pattern_moves = true,");
    put_entry(e, "jacobian", e->written.jacobian);
    put_entry(e, "tangent", m->tangent.first && m->tangent_rate != NONE);
    emit_linear_description(e);
    emit_field_description(e);
    emit_sense_description(e);
    emit_constraint_description(e);
    emit_close(e, ";");
}
