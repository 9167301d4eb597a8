#include "emit/writer.h"

#include "base/whole.h"

#include <assert.h>
#include <string.h>

/* Procedural code: statements, one function each. bodies.c has the functions
   that hold them. */

/* ---- Source lines ------------------------------------------------------------------ */

static const char *const words[] = {
#define STATEMENT(name, text) [STATEMENT_##name] = text,
#include "model/statement.def"
#undef STATEMENT
};

static void print_maybe(Emit *e, Buffer *b, const char *head, const Expr *x)
{
    if (!x)
        return;
    buffer_text(b, head);
    expr_print(e->m, x, b);
}

/* The head of the statement as a modeller would write it. */
static void statement_text(Emit *e, Buffer *b, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_ASSIGN:
        print_maybe(e, b, "", s->target);
        print_maybe(e, b, " := ", s->a);
        return;
    case STATEMENT_IF:
        print_maybe(e, b, "IF ", s->a);
        buffer_text(b, " THEN");
        return;
    case STATEMENT_FOR:
        buffer_format(b, "FOR %s", model_variable(e->m, s->which)->name);
        print_maybe(e, b, " := ", s->a);
        print_maybe(e, b, s->flags & 1 ? " DOWNTO " : " TO ", s->b);
        print_maybe(e, b, " BY ", s->c);
        return;
    case STATEMENT_WHILE: print_maybe(e, b, "WHILE ", s->a); return;
    case STATEMENT_CASE: print_maybe(e, b, "CASE ", s->a); return;
    case STATEMENT_REPEAT: print_maybe(e, b, "REPEAT UNTIL ", s->a); return;
    case STATEMENT_CALL:
        buffer_text(b, model_routine(e->m, s->which)->name);
        return;
    case STATEMENT_SCHEDULE:
        buffer_format(b, "SCHEDULE %s", model_time_event(e->m, s->which)->name);
        print_maybe(e, b, " AT ", s->b);
        print_maybe(e, b, " PRIORITY ", s->c);
        return;
    case STATEMENT_INSERT:
    case STATEMENT_REMOVE:
        buffer_format(b, "%s %s", words[s->kind],
                      model_file(e->m, s->which)->name);
        return;
    case STATEMENT_CANCEL:
        buffer_format(b, "CANCEL %s", model_time_event(e->m, s->which)->name);
        return;
    case STATEMENT_SETTING:
        buffer_format(b, "%s %s", setting_word(s->flags),
                      model_variable(e->m, s->which)->name);
        return;
    case STATEMENT_START:
        buffer_format(b, "INITCOND %s",
                      model_row(e->m, model_start(e->m, s->which)->row)->text);
        return;
    case STATEMENT_SIMULATE:
        print_maybe(e, b, "SIMULATE FROM ", s->a);
        if (s->b)
            print_maybe(e, b, " TO ", s->b);
        else
            buffer_text(b, " TO FINISH");
        return;
    default: buffer_text(b, words[s->kind]);
    }
}

const char *emit_statement_text(Emit *e, const Statement *s)
{
    Buffer b = {0};
    statement_text(e, &b, s);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

static void source_line(Emit *e, const Statement *s)
{
    if (s->kind == STATEMENT_ELEMENT)
        return;
    if (s->row < model_rows(e->m) && *model_row(e->m, s->row)->text) {
        emit_row_source(e, s->row);
        return;
    }
    emit_source(e, s->line, emit_statement_text(e, s));
}

/* ---- Values -------------------------------------------------------------------------- */

const char *emit_text(Emit *e, const Expr *x, ExprType type, int level)
{
    Buffer b = {0};
    if (type == EXPR_TYPE_REAL)
        emit_real(e, &b, x, level);
    else
        emit_value(e, &b, x, level);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

/* The same, checked: what may go wrong is computed beforehand. */
const char *emit_checked(Emit *e, const Expr *x, ExprType type, uint32_t row)
{
    const char *text = emit_text(e, x, type, LEVEL_CHOOSE);
    if (!e->trouble)
        return text;
    const char *name = emit_temp(e);
    emit_line(e, "const %s %s = %s;", emit_type(type), name, text);
    emit_check(e, row);
    return name;
}

static bool is_leaf(const Expr *x)
{
    return x->op == EXPR_NUMBER || x->op == EXPR_INTEGER ||
           (x->op == EXPR_FLOAT && x->arg[0]->op == EXPR_INTEGER) ||
           (x->op == EXPR_NEG && is_leaf(x->arg[0]));
}

static void assign(Emit *e, const Statement *s)
{
    Buffer value = {0}, b = {0};
    if (s->target->op == EXPR_SYSTEM && emit_transaction(e, s))
        return;
    bool first = s->target->op == EXPR_VARIABLE &&
                 (s->target->reads & READS_CALL); // a random index
    if (first)
        emit_target(e, &b, s->target);
    if (s->target->type == EXPR_TYPE_REAL)
        emit_real(e, &value, s->a, 0);
    else
        emit_value(e, &value, s->a, 0);
    if (s->target->op == EXPR_ENTRY || s->target->op == EXPR_ENTRY_AT) {
        emit_entry_assign(e, s, buffer_string(&value));
        buffer_free(&value);
        return;
    }
    if (!first)
        emit_target(e, &b, s->target);
    const char *place = emit_format(e, "%s", buffer_string(&b));
    if (e->trouble && s->target->type == EXPR_TYPE_INTEGER) {
        b.v.used = 0;
        buffer_format(&b, "COSY_SET(%s, %s, %s);", place, buffer_string(&value),
                      emit_row(e, s->row));
        e->trouble = false;
    } else {
        buffer_format(&b, " = %s;", buffer_string(&value));
    }
    buffer_free(&value);
    emit_buffer(e, &b);
    emit_check(e, s->row);
    if (s->target->type == EXPR_TYPE_REAL && !is_leaf(s->a) &&
        !model_is_companion(e->m, s->target->which) &&
        !(expr_may_be_infinite(e->m, s->target) &&
          expr_may_be_infinite(e->m, s->a)))
        emit_line(e, "COSY_FINITE(%s, %s);", place, emit_row(e, s->row));
    emit_observed(e, s->target, s->row);
}

/* ---- Choices and loops ------------------------------------------------------------------- */

static void write_if(Emit *e, const Statement *s)
{
    emit_open(e, "if (%s)", emit_checked(e, s->a, EXPR_TYPE_BOOLEAN, s->row));
    emit_code(e, &s->body);
    if (s->other.first) {
        e->depth--;
        emit_line(e, "} else {");
        e->depth++;
        emit_code(e, &s->other);
    }
    emit_close(e, "");
}

/* Lets whoever runs the model end a loop that does not end by itself. */
void emit_turn(Emit *e, const Statement *s)
{
    emit_line(e, "COSY_TURN(%s);", emit_row(e, s->row));
}

static void write_while(Emit *e, const Statement *s)
{
    if (emit_is_plain(e, s->a)) {
        emit_open(e, "while (%s)", emit_text(e, s->a, EXPR_TYPE_BOOLEAN, 0));
    } else {
        emit_open(e, "for (;;)");
        const char *test = emit_checked(e, s->a, EXPR_TYPE_BOOLEAN, s->row);
        emit_line(e, "if (!(%s))", test);
        emit_line(e, "    break;");
    }
    emit_turn(e, s);
    emit_code(e, &s->body);
    emit_close(e, "");
}

static void write_repeat(Emit *e, const Statement *s)
{
    bool plain = emit_is_plain(e, s->a);
    emit_open(e, plain ? "do" : "for (;;)");
    emit_turn(e, s);
    emit_code(e, &s->body);
    if (plain) {
        emit_close(e, emit_format(e, " while (!(%s));",
                                  emit_text(e, s->a, EXPR_TYPE_BOOLEAN, 0)));
        return;
    }
    emit_line(e, "if (%s)", emit_checked(e, s->a, EXPR_TYPE_BOOLEAN, s->row));
    emit_line(e, "    break;");
    emit_close(e, "");
}

/* The step as text; the statement is refused if it is not positive. */
static const char *for_step(Emit *e, const Statement *s)
{
    if (!s->c || (s->c->op == EXPR_INTEGER && s->c->integer == 1))
        return NULL;
    const char *step = emit_checked(e, s->c, EXPR_TYPE_INTEGER, s->row);
    if (s->c->op == EXPR_INTEGER && s->c->integer > 0)
        return step;
    const char *name = emit_temp(e);
    emit_line(e, "const int64_t %s = %s;", name, step);
    emit_line(e, "if (%s < 1)", name);
    emit_line(e, "    return COSY_FAIL(COSY_NUMBER, %s);", emit_row(e, s->row));
    return name;
}

static void for_range(Emit *e, const Statement *s, bool down)
{
    Known a = emit_bounds(e, s->a), b = emit_bounds(e, s->b);
    if (a.known && b.known &&
        model_variable(e->m, s->which)->kind == VARIABLE_COUNTER)
        e->loops.counter[s->which] =
            down ? (Known){b.low, a.high, true} : (Known){a.low, b.high, true};
}

/* If the counter may pass the largest integer before it passes the limit, the
   loop ends at its last turn. */
void emit_last_turn(Emit *e, const Statement *s, const char *i,
                    const char *last, const char *step)
{
    bool down = s->flags & 1, plain = !s->c || s->c->op == EXPR_INTEGER;
    int64_t by = s->c && plain ? s->c->integer : 1;
    Known b = emit_bounds(e, s->b);
    if (plain && b.known && by > 0 &&
        (down ? b.low >= INT64_MIN + by : b.high <= INT64_MAX - by))
        return;
    emit_line(e, "if (COSY_LAST_%s(%s, %s, %s))", down ? "DOWN" : "UP", i, last,
              step ? step : "1");
    emit_line(e, "    break;");
}

static bool has_loop(const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        if (s->kind == STATEMENT_FOR || s->kind == STATEMENT_WHILE ||
            s->kind == STATEMENT_REPEAT || has_loop(&s->body) ||
            has_loop(&s->other))
            return true;
        for (uint32_t k = 0; s->kind == STATEMENT_CASE && k < s->n; k++)
            if (has_loop(&s->arm[k].code))
                return true;
    }
    return false;
}

/* The most turns of a loop that has up to FEW; 0 for all others. */
static uint32_t few_turns(const Statement *s)
{
    if (s->a->op != EXPR_INTEGER || s->b->op != EXPR_INTEGER)
        return 0;
    int64_t low = s->flags & 1 ? s->b->integer : s->a->integer;
    int64_t high = s->flags & 1 ? s->a->integer : s->b->integer;
    if (low > high || whole_apart(low, high) >= FEW || has_loop(&s->body))
        return 0;
    return (uint32_t)(high - low) + 1;
}

/* At the head of each turn: sets the declared variable, which routines see. */
void emit_counts(Emit *e, const Statement *s, const char *counter)
{
    Buffer b = {0};
    if (!s->target)
        return;
    assert(s->target->op == EXPR_VARIABLE &&
           s->target->type == EXPR_TYPE_INTEGER);
    emit_target(e, &b, s->target);
    buffer_format(&b, " = %s;", counter);
    emit_buffer(e, &b);
    emit_observed(e, s->target, s->row);
}

void emit_counts_again(Emit *e, const Statement *s, const char *counter)
{
    if (!s->target)
        return;
    emit_open(e, "if (%s != %s)",
              emit_text(e, s->target, EXPR_TYPE_INTEGER, LEVEL_EQUAL + 1),
              counter);
    emit_counts(e, s, counter);
    emit_close(e, "");
}

static void write_for(Emit *e, const Statement *s)
{
    uint32_t few = few_turns(s);
    const Variable *v = model_variable(e->m, s->which);
    bool down = s->flags & 1;
    if (v->kind == VARIABLE_OWN) {
        emit_waiting_for(e, s);
        return;
    }
    assert(v->kind == VARIABLE_COUNTER);
    const char *i = e->name->variable[s->which];
    const char *from = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    const char *to = emit_checked(e, s->b, EXPR_TYPE_INTEGER, s->row);
    const char *step = for_step(e, s), *last = to, *more = "";
    if (s->b->op != EXPR_INTEGER) {
        last = emit_format(e, "%s_last", i);
        more = emit_format(e, ", %s = %s", last, to);
    }
    const char *next =
        step ? emit_format(e, "%s %s= %s", i, down ? "-" : "+", step)
             : emit_format(e, "%s%s", i, down ? "--" : "++");
    emit_open(e, "for (int64_t %s = %s%s; %s %s %s; %s)", i, from, more, i,
              down ? ">=" : "<=", last, next);
    emit_counts(e, s, i);
    for_range(e, s, down);
    emit_index_push(e, i);
    if (!few)
        emit_turn(e, s);
    emit_code(e, &s->body);
    emit_last_turn(e, s, i, last, step);
    e->loops.indices--;
    e->loops.counter[s->which] = (Known){0};
    emit_close(e, "");
    if (few > HARDLY_ANY)
        emit_line(e, "COSY_TURNS(%uu, %s);", few, emit_row(e, s->row));
}

static void case_arm(Emit *e, uint32_t k, void *user)
{
    const Statement *s = user;
    emit_code(e, &s->arm[k].code);
}

static void write_case(Emit *e, Statement *s)
{
    const Label **labels = EMIT_ARRAY(e, const Label *, s->n);
    uint32_t *n_labels = EMIT_ARRAY(e, uint32_t, s->n);
    bool *has = EMIT_ARRAY(e, bool, s->n);
    Select select = {.is_case = true,
                     .selector = s->a,
                     .branches = s->n,
                     .labels = labels,
                     .n_labels = n_labels,
                     .row = s->row};
    if (e->broken)
        return;
    for (uint32_t k = 0; k < s->n; k++) {
        labels[k] = s->arm[k].label;
        n_labels[k] = s->arm[k].labels;
        has[k] = true;
        select.has_else = select.has_else || n_labels[k] == 0;
    }
    emit_select(e, &select, true, has, case_arm, s);
}

/* ---- Calls and output ----------------------------------------------------------------------- */

static void write_call(Emit *e, const Statement *s)
{
    const Routine *r = model_routine(e->m, s->which);
    Buffer b = {0}, actuals = {0};
    emit_actuals(e, &actuals, r, s->list, s->n);
    emit_check(e, s->row);
    if (r->is_function) {
        const char *name = emit_temp(e);
        emit_line(e, "%s %s;", emit_type(r->result), name);
        buffer_format(&actuals, ", &%s", name);
    }
    buffer_format(&b, "COSY_TRY(%s(c%s));", e->name->routine[s->which],
                  buffer_string(&actuals));
    buffer_free(&actuals);
    emit_buffer(e, &b);
    for (uint32_t k = 0; k < s->n && k < r->formals; k++) {
        const Variable *f = model_variable(e->m, r->formal[k]);
        if (!f->by_reference)
            continue;
        if (!f->rank && f->type == EXPR_TYPE_REAL &&
            !expr_may_be_infinite(e->m, s->list[k])) {
            emit_line(e, "COSY_FINITE(%s, %s);",
                      emit_text(e, s->list[k], EXPR_TYPE_REAL, 0),
                      emit_row(e, s->row));
            emit_check(e, s->row);
        }
        emit_observed(e, s->list[k], s->row);
    }
}

static const char *width_text(Emit *e, const Expr *x)
{
    return x ? emit_text(e, x, EXPR_TYPE_INTEGER, LEVEL_CHOOSE) : "-1";
}

static const char *item_text(Emit *e, const Printed *p)
{
    const char *width = width_text(e, p->width);
    if (p->item->op == EXPR_STRING)
        return emit_format(e, "cosy_item_text(%s, %s)",
                           emit_string(e, p->item->text), width);
    const char *value = emit_text(e, p->item, p->item->type, LEVEL_CHOOSE);
    if (p->item->type == EXPR_TYPE_REAL)
        return emit_format(e, "cosy_item_real(%s, %s, %s)", value, width,
                           width_text(e, p->decimals));
    return emit_format(e, "cosy_item_%s(%s, %s)",
                       p->item->type == EXPR_TYPE_INTEGER ? "integer"
                                                          : "boolean",
                       value, width);
}

static void write_items(Emit *e, const Statement *s)
{
    const char **items = EMIT_ARRAY(e, const char *, s->n);
    if (!items || s->n == 0)
        return;
    for (uint32_t k = 0; k < s->n; k++)
        items[k] = item_text(e, &s->printed[k]);
    emit_line(e, "CosyItem items[%u];", s->n);
    for (uint32_t k = 0; k < s->n; k++)
        emit_line(e, "items[%u] = %s;", k, items[k]);
    emit_check(e, s->row);
}

static void write_printed(Emit *e, const Statement *s)
{
    const char *items = s->n ? "items" : "NULL";
    if (s->n)
        emit_open(e, "%s", "");
    write_items(e, s);
    if (s->kind == STATEMENT_WRITE)
        emit_line(e, "COSY_TRY_ROW(c->host->print(c, %s, %u, %s), %s);", items,
                  s->n, s->flags & 1 ? "true" : "false", emit_row(e, s->row));
    else
        emit_line(e, "COSY_TRY_ROW(c->host->format(c, %s, %s, %u), %s);",
                  emit_string(e, s->text), items, s->n, emit_row(e, s->row));
    if (s->n)
        emit_close(e, "");
}

/* The modeller's own C, as it stands. */
static void write_ccode(Emit *e, const Statement *s)
{
    emit_open(e, "%s", "");
    buffer_text(e->out, s->text ? s->text : "");
    buffer_char(e->out, '\n');
    emit_close(e, "");
}

static void write_error_exit(Emit *e, const Statement *s)
{
    const char *code =
        s->a ? emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row) : "1";
    emit_line(e, "c->head->error_code = (int32_t)%s;",
              s->a && s->a->count ? emit_format(e, "(%s)", code) : code);
    emit_line(e, "c->head->request = COSY_STOP_ALL;");
    const char *text = s->text ? s->text : "";
    if (s->a && s->a->op == EXPR_INTEGER)
        text = emit_format(e, "ERROREXIT %lld: %s", (long long)s->a->integer,
                           text);
    emit_line(e, "c->host->message(c, COSY_ERROR, %u, %s);", s->line,
              emit_string(e, text));
    emit_line(e, "return COSY_FAIL(COSY_REFUSED, %s);", emit_row(e, s->row));
}

/* ---- Calendar --------------------------------------------------------------------------------- */

/* EV_ARRIVAL, or for an element: EV_ARRIVAL + 3 */
static const char *event_number(Emit *e, const Statement *s)
{
    const Event *ev = model_time_event(e->m, s->which);
    const char *name = e->name->time_event[s->which];
    if (!s->a)
        return name;
    Known k = emit_bounds(e, s->a);
    const char *at = emit_text(e, s->a, EXPR_TYPE_INTEGER, LEVEL_CHOOSE);
    int64_t high = (int64_t)ev->elements - 1;
    if (!k.known || k.low < 0 || k.high > high) {
        at = emit_format(e, "cosy_index(c, %s, 0, %lld)", at, (long long)high);
        e->trouble = true;
    }
    const char *number = emit_format(e, "%s + (uint32_t)(%s)", name, at);
    if (!e->trouble)
        return number;
    const char *temp = emit_temp(e);
    emit_line(e, "const uint32_t %s = %s;", temp, number);
    emit_check(e, s->row);
    return temp;
}

const char *emit_kept(Emit *e, const Expr *x, ExprType type)
{
    const char *text = emit_text(e, x, type, LEVEL_CHOOSE);
    if (is_leaf(x))
        return text;
    const char *name = emit_temp(e);
    emit_line(e, "const %s %s = %s;", emit_type(type), name, text);
    return name;
}

static void write_schedule(Emit *e, const Statement *s)
{
    uint32_t record = model_time_event(e->m, s->which)->record;
    const char *event = event_number(e, s);
    emit_open(e, "%s", "");
    const char *time = emit_kept(e, s->b, EXPR_TYPE_REAL);
    const char *priority = s->c ? emit_kept(e, s->c, EXPR_TYPE_REAL) : "R(0.0)";
    emit_check(e, s->row);
    if (record != NONE)
        emit_new_record(e, s, record);
    emit_line(e, "COSY_TRY_ROW(cosy_schedule(c, %s, %s, %s, %s), %s);", event,
              record != NONE ? "id" : "COSY_NONE", time, priority,
              emit_row(e, s->row));
    emit_close(e, "");
}

/* A count as an unsigned number; literals as they are. */
static const char *number_of(Emit *e, const Expr *x, uint32_t row)
{
    Known k = emit_bounds(e, x);
    const char *text = emit_checked(e, x, EXPR_TYPE_INTEGER, row);
    return emit_format(e,
                       k.known && k.low >= 0 && k.high <= UINT32_MAX
                           ? "(uint32_t)(%s)"
                           : "cosy_number(%s)",
                       text);
}

static void write_cancel(Emit *e, const Statement *s)
{
    const char *event = event_number(e, s);
    const char *nth = s->b ? number_of(e, s->b, s->row) : "1";
    const char *copy =
        s->c ? emit_checked(e, s->c, EXPR_TYPE_INTEGER, s->row) : "0";
    emit_line(e, "COSY_TRY_ROW(c->host->cancel(c, %s, %s, %s), %s);", event,
              copy, nth, emit_row(e, s->row));
}

/* ---- All statements
   ------------------------------------------------------------------------------ */

static void write_statement(Emit *e, Statement *s)
{
    switch (s->kind) {
    case STATEMENT_ASSIGN: assign(e, s); break;
    case STATEMENT_IF: write_if(e, s); break;
    case STATEMENT_FOR: write_for(e, s); break;
    case STATEMENT_WHILE: write_while(e, s); break;
    case STATEMENT_REPEAT: write_repeat(e, s); break;
    case STATEMENT_PLACED: emit_placed(e, s); break;
    case STATEMENT_CASE: write_case(e, s); break;
    case STATEMENT_CALL: write_call(e, s); break;
    case STATEMENT_WRITE:
    case STATEMENT_FORMAT: write_printed(e, s); break;
    case STATEMENT_CCODE: write_ccode(e, s); break;
    case STATEMENT_FINISH:
        emit_line(e, "c->head->request = COSY_FINISH_RUN;");
        break;
    case STATEMENT_ERROREXIT: write_error_exit(e, s); break;
    case STATEMENT_SCHEDULE: write_schedule(e, s); break;
    case STATEMENT_CANCEL: write_cancel(e, s); break;
    case STATEMENT_STOREON: emit_line(e, "c->head->storing = 1;"); break;
    case STATEMENT_STOREOFF: emit_line(e, "c->head->storing = 0;"); break;
    case STATEMENT_SAVE:
    case STATEMENT_CROSSPLOT:
        emit_line(e, "COSY_TRY_ROW(c->host->%s(c), %s);",
                  s->kind == STATEMENT_SAVE ? "save" : "crossplot",
                  emit_row(e, s->row));
        break;
    case STATEMENT_RERUN: emit_line(e, "c->head->again = COSY_RERUN;"); break;
    case STATEMENT_CONTN: emit_line(e, "c->head->again = COSY_CONTN;"); break;
    default:
        if (!emit_copy_statement(e, s) && !emit_transaction(e, s) &&
            !emit_file_statement(e, s))
            emit_experiment_statement(e, s);
    }
}

void emit_code(Emit *e, const Code *code)
{
    const Statement *around = e->code.statement;
    uint32_t row = e->code.row;
    for (Statement *s = code->first; s; s = s->next) {
        if (s->kind != STATEMENT_ELEMENT) { // an element is part of another
                                            // statement
            e->code.statement = s;
            e->code.row = NONE;
        }
        if (s->kind != STATEMENT_CASE) // the Select has a line of its own
            source_line(e, s);
        Scope scope;
        scope_open(e, &scope);
        write_statement(e, s);
        scope_close(e, &scope);
    }
    e->code.statement = around;
    e->code.row = row;
}
