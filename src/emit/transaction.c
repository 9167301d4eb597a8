#include "emit/writer.h"

#include <assert.h>
#include <string.h>

/* Statements of transactions. A statement at which a transaction may have to
   wait is followed by the label of its point. */

/* COSY_DO(call, AT_12, self); */
static void do_call(Emit *e, const Statement *s, const char *call)
{
    emit_line(e, "COSY_DO(%s, %s, %s);", call, emit_row(e, s->row),
              emit_self(e));
}

static void put_label(Emit *e, const Statement *s)
{
    int depth = e->depth;
    e->depth = 0;
    emit_line(e, "at_%u:;", s->point);
    e->depth = depth;
    // Routines see the declared variable, and others may have counted with it.
    for (const WaitingFor *f = e->code.waiting_for; f; f = f->around)
        emit_counts_again(e, f->s, f->counter);
}

static void pass_call(Emit *e, const Statement *s, const char *call)
{
    emit_line(e, "COSY_PASS_ROW(%s, %s, %s);", call, emit_row(e, s->row),
              emit_self(e));
}

/* RESOURCE_DESK, or for an element: RESOURCE_DESK + 3. *computed: it has to be
   computed, and the index may be refused. */
static const char *number_text(Emit *e, uint32_t which, const Expr *element,
                               bool *computed)
{
    const Resource *r = model_resource(e->m, which);
    const char *name = e->name->resource[which];
    int64_t high = (int64_t)r->elements - 1;
    *computed = false;
    if (!element)
        return name;
    Known k = emit_bounds(e, element);
    if (k.known && k.low == k.high && k.low >= 0 && k.high <= high)
        return k.low ? emit_format(e, "%s + %lld", name, (long long)k.low)
                     : name;
    const char *at = emit_text(e, element, EXPR_TYPE_INTEGER, LEVEL_CHOOSE);
    if (!k.known || k.low < 0 || k.high > high) {
        at = emit_format(e, "cosy_index(c, %s, 0, %lld)", at, (long long)high);
        e->trouble = true;
    }
    *computed = true;
    return emit_format(e, "%s + (uint32_t)(%s)", name, at);
}

/* The statement may change what others wait for. */
static const char *resource_number(Emit *e, const Statement *s)
{
    bool computed;
    const char *text = number_text(
        e, s->which, s->kind == STATEMENT_JOIN ? NULL : s->a, &computed);
    if (computed) {
        const char *temp = emit_temp(e);
        emit_line(e, "const uint32_t %s = %s;", temp, text);
        emit_check(e, s->row);
        text = temp;
    }
    emit_mark_resource(e, s->which, text);
    return text;
}

/* What has to be finished with the number of the resource, for each function
   that asks one. */
void emit_asked(Emit *e, Buffer *b, const Expr *x)
{
    static const char *const forms[RESOURCE_VALUES] = {
        [ASK_QUEUE] = "(int64_t)c->resource[%s].waiting",
        [ASK_BUSY] = "(c->resource[%s].used != 0)",
        [ASK_ISDOWN] = "((c->resource[%s].marks & COSY_FAILED) != 0)",
        [ASK_CONTENT] = "c->resource[%s].used",
        [ASK_FREE] = "cosy_room(c->resource + (%s))",
        [ASK_CAPACITY] = "c->resource[%s].capacity",
        [ASK_ISOPEN] = "(c->resource[%s].used != 0)"};
    bool computed;
    const char *number = number_text(e, x->which, x->arg[1], &computed);
    const char *form = forms[x->arg[0]->integer], *mark = strstr(form, "%s");
    assert(mark);
    buffer_format(b, "%.*s%s%s", (int)(mark - form), form, number, mark + 2);
}

/* The priority of the wait: that of the statement, or the transaction's own. */
static const char *rank_of(Emit *e, const Statement *s)
{
    if (!s->b)
        return "cosy_transaction(c, self)->priority";
    return emit_checked(e, s->b, EXPR_TYPE_REAL, s->row);
}

/* ---- Coming and going ----------------------------------------------------------------- */

static bool has_own(const Model *m, uint32_t process)
{
    uint32_t record = model_file(m, model_process(m, process)->file)->record;
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if ((v->kind == VARIABLE_OWN && v->process == process) ||
            (v->kind == VARIABLE_ATTRIBUTE && v->role == ROLE_NONE &&
             v->record == record))
            return true;
    }
    return emit_has_now(m, process);
}

/* Values of WHERE, computed before the transaction is made. */
static const char **where_values(Emit *e, const Statement *s)
{
    const char **value = EMIT_ARRAY(e, const char *, s->n);
    for (uint32_t k = 0; value && k < s->n; k++)
        value[k] =
            emit_kept(e, s->list[k], model_variable(e->m, s->names[k])->type);
    emit_check(e, s->row);
    return value;
}

static void set_where(Emit *e, const Statement *s, uint32_t process,
                      const char *const *value)
{
    for (uint32_t k = 0; value && k < s->n; k++) {
        Buffer b = {0};
        emit_own(e, &b, process, s->names[k], "id");
        buffer_format(&b, " = %s;", value[k]);
        emit_buffer(e, &b);
    }
}

/* Variables of the new transaction begin with 0. */
static void clear_own(Emit *e, uint32_t process)
{
    if (!has_own(e->m, process))
        return;
    emit_line(e,
              "memset(cosy_transaction(c, id) + 1, 0, sizeof(%s) - "
              "sizeof(CosyTransaction));",
              e->name->own[process]);
}

static void write_generate(Emit *e, const Statement *s)
{
    emit_open(e, "%s", "");
    const char *time = s->b ? emit_kept(e, s->b, EXPR_TYPE_REAL) : "c->head->t";
    const char *priority = s->c ? emit_kept(e, s->c, EXPR_TYPE_REAL) : "R(0.0)";
    const char **value = where_values(e, s);
    emit_line(e, "uint32_t id = COSY_NONE;");
    do_call(e, s,
            emit_format(e, "cosy_generate(c, %s, %s, %s, &id)",
                        e->name->process[s->which], time, priority));
    clear_own(e, s->which);
    set_where(e, s, s->which, value);
    if (s->target) {
        Buffer b = {0};
        emit_target(e, &b, s->target);
        buffer_text(&b, " = cosy_transaction(c, id)->number;");
        emit_buffer(e, &b);
        emit_check(e, s->row);
        emit_observed(e, s->target, s->row);
    }
    emit_close(e, "");
}

static void write_advance(Emit *e, const Statement *s)
{
    const char *delay = emit_checked(e, s->a, EXPR_TYPE_REAL, s->row);
    pass_call(e, s,
              emit_format(e, "cosy_advance(c, self, %s, %u)", delay, s->point));
    put_label(e, s);
}

/* TERMINATE, INTERRUPT: a transaction that ends itself goes no further; one
   that interrupts itself does not wait. */
static void write_other(Emit *e, const Statement *s)
{
    bool ends = s->kind == STATEMENT_TERMINATE;
    bool running = e->code.process != NONE;
    emit_open(e, "%s", "");
    const char *number = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    emit_line(e, "uint32_t id = COSY_NONE;");
    emit_line(e, "COSY_TRY_ROW(c->host->transaction(c, %s, %s, &id), %s);",
              s->which == NONE ? "COSY_NONE" : e->name->process[s->which],
              number, emit_row(e, s->row));
    emit_mark_resources(e);
    if (!ends && running)
        emit_line(e, "if (id != self)");
    e->depth += !ends && running;
    do_call(e, s,
            emit_format(e, "cosy_%s(c, id)", ends ? "terminate" : "interrupt"));
    e->depth -= !ends && running;
    if (ends && running) {
        emit_line(e, "if (id == self)");
        emit_line(e, "    return COSY_OK;");
    }
    emit_close(e, "");
}

static void write_priority(Emit *e, const Statement *s)
{
    const char *priority = emit_checked(e, s->a, EXPR_TYPE_REAL, s->row);
    emit_mark_resources(e);
    do_call(e, s, emit_format(e, "cosy_set_priority(c, self, %s)", priority));
}

/* ---- Families ---------------------------------------------------------------------------- */

static void write_split(Emit *e, const Statement *s)
{
    const char *copies = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    const char *left = emit_temp(e);
    emit_line(e, "int64_t %s = %s;", left, copies);
    emit_line(e, "COSY_TRY_ROW(cosy_split_count(c, self, %s), %s);", left,
              emit_row(e, s->row));
    emit_open(e, "for (; %s > 0; %s--)", left, left);
    emit_turn(e, s);
    const char **value = where_values(e, s);
    emit_line(e, "uint32_t id = COSY_NONE;");
    do_call(e, s, emit_format(e, "cosy_split(c, self, %u, &id)", s->point));
    set_where(e, s, e->code.process, value);
    emit_close(e, "");
    put_label(e, s);
}

static void write_join(Emit *e, const Statement *s)
{
    const char *count = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    pass_call(e, s,
              emit_format(e, "cosy_join(c, %s, self, %s, %u)",
                          e->name->resource[s->which], count, s->point));
    put_label(e, s);
}

/* ---- Resources ------------------------------------------------------------------------------ */

/* TIMEOUT: how long the transaction waits in the statement that follows. The
   name of the function that carries that out ends in the text returned. */
static const char *within(Emit *e, const Statement *s)
{
    if (!s->c)
        return "";
    const char *time = emit_checked(e, s->c, EXPR_TYPE_REAL, s->row);
    emit_line(e, "COSY_TRY_ROW(cosy_patience(c, self, %s, %s), %s);", time,
              expr_may_be_infinite(e->m, s->c) ? "true" : "false",
              emit_row(e, s->row));
    return "_within";
}

/* The label after a wait that may have a TIMEOUT. */
static void put_patient_label(Emit *e, const Statement *s)
{
    put_label(e, s);
    if (!s->c)
        return;
    emit_line(e, "COSY_TRY_ROW(cosy_patience_over(c, self), %s);",
              emit_row(e, s->row));
    emit_mark_resource(e, s->which, NULL);
}

static void write_seize(Emit *e, const Statement *s)
{
    const char *r = resource_number(e, s), *rank = rank_of(e, s);
    const char *patience = within(e, s);
    if (s->kind == STATEMENT_PREEMPT)
        pass_call(e, s,
                  emit_format(e, "cosy_preempt(c, %s, self, %s, %s, %u)", r,
                              rank, s->flags & 1 ? "true" : "false", s->point));
    else if (s->b || s->c)
        pass_call(e, s,
                  emit_format(e, "cosy_seize%s(c, %s, self, %s, %u)",
                              s->c ? patience : "_with", r, rank, s->point));
    else
        pass_call(e, s,
                  emit_format(e, "cosy_seize(c, %s, self, %u)", r, s->point));
    put_patient_label(e, s);
}

/* SEIZE ANY: the index is set once the transaction has a facility. */
static void write_seize_any(Emit *e, const Statement *s)
{
    static const char *const rules[] = {[ANY_FIRST] = "COSY_FIRST_FREE",
                                        [ANY_LONGEST_IDLE] =
                                            "COSY_LONGEST_IDLE",
                                        [ANY_RANDOM] = "COSY_ANY_FREE"};
    const Resource *r = model_resource(e->m, s->which);
    const char *rank = rank_of(e, s), *patience = within(e, s);
    assert(s->flags < LENGTH(rules));
    emit_mark_resource(e, s->which, NULL);
    pass_call(e, s,
              emit_format(e, "cosy_seize_any%s(c, %s, self, %s, %s, %u)",
                          patience, e->name->resource[r->pool], rules[s->flags],
                          rank, s->point));
    put_patient_label(e, s);
    Buffer b = {0};
    emit_open(e, "if (cosy_transaction(c, self)->units >= 0)");
    emit_target(e, &b, s->target);
    buffer_format(&b, " = cosy_transaction(c, self)->units + %lld;",
                  (long long)r->low[0]);
    emit_buffer(e, &b);
    emit_check(e, s->row);
    emit_observed(e, s->target, s->row);
    emit_close(e, "");
}

/* DOWN, UP, CAPACITY(s) := n. */
static void write_service(Emit *e, const Statement *s)
{
    const char *r = resource_number(e, s), *call;
    if (s->kind == STATEMENT_DOWN)
        call = emit_format(e, "cosy_down(c, %s, %s, %s)", r, emit_self(e),
                           s->flags & 1 ? "true" : "false");
    else if (s->kind == STATEMENT_UP)
        call = emit_format(e, "cosy_up(c, %s, %s)", r, emit_self(e));
    else
        call =
            emit_format(e, "cosy_set_capacity(c, %s, %s, %s)", r, emit_self(e),
                        emit_checked(e, s->b, EXPR_TYPE_INTEGER, s->row));
    do_call(e, s, call);
}

static void write_storage(Emit *e, const Statement *s)
{
    const char *r = resource_number(e, s);
    const char *units =
        s->b ? emit_checked(e, s->b, EXPR_TYPE_INTEGER, s->row) : "1";
    if (s->kind == STATEMENT_LEAVE) {
        do_call(e, s, emit_format(e, "cosy_leave(c, %s, self, %s)", r, units));
        return;
    }
    const char *patience = within(e, s);
    pass_call(e, s,
              emit_format(e,
                          "cosy_enter%s(c, %s, self, %s, cosy_transaction(c, "
                          "self)->priority, %u)",
                          patience, r, units, s->point));
    put_patient_label(e, s);
}

/* PASS, WAITSIG. */
static void write_pass(Emit *e, const Statement *s)
{
    const char *r = resource_number(e, s), *patience = within(e, s);
    pass_call(
        e, s,
        emit_format(e, "cosy_%s%s(c, %s, self, %u)",
                    s->kind == STATEMENT_PASS ? "gate_pass" : "signal_wait",
                    patience, r, s->point));
    put_patient_label(e, s);
}

static void write_gate(Emit *e, const Statement *s)
{
    const char *r = resource_number(e, s);
    switch (s->kind) {
    case STATEMENT_OPEN:
        do_call(e, s, emit_format(e, "cosy_gate_open(c, %s)", r));
        break;
    case STATEMENT_CLOSE:
        emit_line(e, "cosy_gate_close(c, %s);", r);
        emit_line(e, "COSY_TOLD(c, %s, %s, COSY_OK);", emit_row(e, s->row),
                  emit_self(e));
        break;
    case STATEMENT_SENDSIG:
        do_call(e, s, emit_format(e, "cosy_signal_send(c, %s)", r));
        break;
    default:
        assert(s->kind == STATEMENT_RELEASE);
        do_call(e, s, emit_format(e, "cosy_release(c, %s, self)", r));
    }
}

/* ---- WAIT UNTIL --------------------------------------------------------------------------------- */

/* What equations compute is updated after this body; then the condition is
   evaluated for the first time. */
static void write_wait(Emit *e, const Statement *s)
{
    const Wait *w = model_wait(e->m, s->which);
    bool now = !(w->holds->reads & READS_COMPUTED);
    const char *timeout =
        s->b ? emit_checked(e, s->b, EXPR_TYPE_REAL, s->row) : NULL;
    if (now) {
        emit_line(e, "cosy_transaction(c, self)->timed_out = 0;");
        const char *holds =
            emit_checked(e, w->holds, EXPR_TYPE_BOOLEAN, s->row);
        emit_open(e, "if (!(%s))", holds);
    }
    const char *list = emit_wait_list(e, s);
    if (timeout)
        pass_call(e, s,
                  emit_format(e, "cosy_wait_until_%s(c, self, %s, %s, %u)",
                              expr_may_be_infinite(e->m, s->b) ? "patient"
                                                               : "timeout",
                              timeout, list, s->point));
    else
        pass_call(
            e, s,
            emit_format(e, "cosy_wait_until(c, self, %s, %u)", list, s->point));
    if (now)
        emit_close(e, "");
    put_label(e, s);
}

/* ---- Loops ------------------------------------------------------------------------------------------ */

void emit_waiting_for(Emit *e, const Statement *s)
{
    bool down = s->flags & 1;
    Buffer b = {0};
    const char *from = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    emit_place(e, &b, s->which, false, NULL, 0);
    const char *i = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    const char *to = emit_text(e, s->b, EXPR_TYPE_INTEGER, LEVEL_ADD);
    const char *step = NULL;
    if (s->c && !(s->c->op == EXPR_INTEGER && s->c->integer == 1)) {
        step = emit_text(e, s->c, EXPR_TYPE_INTEGER, LEVEL_CHOOSE);
        emit_line(e, "if (%s < 1)", step);
        emit_line(e, "    return COSY_FAIL(COSY_NUMBER, %s);",
                  emit_row(e, s->row));
    }
    const char *next =
        step ? emit_format(e, "%s %s= %s", i, down ? "-" : "+", step)
             : emit_format(e, "%s%s", i, down ? "--" : "++");
    emit_open(e, "for (%s = %s; %s %s %s; %s)", i, from, i,
              down ? ">=" : "<=", to, next);
    emit_turn(e, s);
    emit_counts(e, s, i);
    const WaitingFor own = {s, i, e->code.waiting_for};
    e->code.waiting_for = &own;
    emit_code(e, &s->body);
    e->code.waiting_for = own.around;
    emit_last_turn(e, s, i, to, step);
    emit_close(e, "");
}

/* ---- All statements
   ---------------------------------------------------------------------------------- */

bool emit_transaction(Emit *e, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_ASSIGN: write_priority(e, s); break;
    case STATEMENT_GENERATE: write_generate(e, s); break;
    case STATEMENT_ADVANCE: write_advance(e, s); break;
    case STATEMENT_SEIZE:
    case STATEMENT_PREEMPT: write_seize(e, s); break;
    case STATEMENT_SEIZE_ANY: write_seize_any(e, s); break;
    case STATEMENT_DOWN:
    case STATEMENT_UP:
    case STATEMENT_RESIZE: write_service(e, s); break;
    case STATEMENT_PASS:
    case STATEMENT_WAITSIG: write_pass(e, s); break;
    case STATEMENT_ENTER:
    case STATEMENT_LEAVE: write_storage(e, s); break;
    case STATEMENT_RELEASE:
    case STATEMENT_OPEN:
    case STATEMENT_CLOSE:
    case STATEMENT_SENDSIG: write_gate(e, s); break;
    case STATEMENT_WAIT: write_wait(e, s); break;
    case STATEMENT_SPLIT: write_split(e, s); break;
    case STATEMENT_JOIN: write_join(e, s); break;
    case STATEMENT_TERMINATE:
    case STATEMENT_INTERRUPT: write_other(e, s); break;
    default: return false;
    }
    return true;
}
