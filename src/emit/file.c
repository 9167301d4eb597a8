#include "emit/writer.h"

#include <assert.h>
#include <string.h>

/* Records and files, and the current entry; see writer.h. */

static const char *member_type(ExprType t)
{
    return t == EXPR_TYPE_BOOLEAN ? "uint8_t" : emit_type(t);
}

/* Row of the statement that is being written. */
static const char *row_here(Emit *e)
{
    return emit_row(e, e->code.statement ? e->code.statement->row : NONE);
}

/* ---- Structs and tables -------------------------------------------------------------- */

static void values_struct(Emit *e, const Record *r, const char *name)
{
    emit_open(e, "typedef struct %s", name);
    for (uint32_t i = 0; i < r->attributes; i++)
        emit_line(e, "%s %s;",
                  member_type(model_variable(e->m, r->attribute[i])->type),
                  e->name->variable[r->attribute[i]]);
    emit_close(e, emit_format(e, " %s;", name));
    emit_blank(e);
}

void emit_record_structs(Emit *e)
{
    for (uint32_t k = 0; k < model_records(e->m); k++) {
        const char *name = e->name->record[k];
        values_struct(e, model_record(e->m, k), name);
        emit_open(e, "typedef struct %s_entry", name);
        emit_line(e, "CosyRecord record;");
        emit_line(e, "%s value;", name);
        emit_close(e, emit_format(e, " %s_entry;", name));
        emit_blank(e);
        emit_line(e, "static inline %s *%s_at(const Cosy *c, uint32_t id)",
                  name, name);
        emit_line(e, "{");
        emit_line(
            e, "    return &((%s_entry *)(void *)cosy_record(c, id))->value;",
            name);
        emit_line(e, "}");
        emit_blank(e);
    }
}

bool emit_has_files(const Emit *e)
{
    for (uint32_t k = 0; k < model_files(e->m); k++)
        if (e->name->file[k])
            return true;
    return false;
}

void emit_file_rows(Emit *e)
{
    static const char *const ranks[] = {"FIFO", "LIFO", "LVF", "HVF"};
    if (!emit_has_files(e))
        return;
    emit_open(e, "static const CosyFileInfo files[] =");
    for (uint32_t k = 0; k < model_files(e->m); k++) {
        const File *f = model_file(e->m, k);
        if (e->name->file[k])
            emit_line(e, "{%s, COSY_%s, %u, %u},", emit_string(e, f->name),
                      ranks[f->rank], f->capacity, f->line);
    }
    emit_close(e, ";");
    emit_blank(e);
}

/* ---- What is current ------------------------------------------------------------------ */

typedef struct Scan {
    const Model *m;
    uint32_t record;
    bool current; // an entry is current at the beginning, or removed
    Now now;
} Scan;

static bool other_attribute(void *user, const Expr *x)
{
    const Scan *s = user;
    return x->op != EXPR_ATTRIBUTE ||
           model_variable(s->m, x->which)->record != s->record;
}

static void scan_expr(Scan *s, const Expr *x, bool sure)
{
    if (!x || s->now == NOW_CHECKED || expr_visit(NULL, x, other_attribute, s))
        return;
    s->now = sure ? NOW_SURE : NOW_CHECKED;
}

static void scan_operands(Scan *s, const Statement *t, bool sure)
{
    scan_expr(s, t->target, sure);
    scan_expr(s, t->a, sure);
    scan_expr(s, t->b, sure);
    scan_expr(s, t->c, sure);
    for (uint32_t k = 0; t->list && k < t->n; k++)
        scan_expr(s, t->list[k], sure);
    for (uint32_t k = 0; t->printed && k < t->n; k++) {
        scan_expr(s, t->printed[k].item, sure);
        scan_expr(s, t->printed[k].width, sure);
        scan_expr(s, t->printed[k].decimals, sure);
    }
}

static bool removes(const Model *m, const Statement *t, uint32_t record)
{
    return t->kind == STATEMENT_REMOVE &&
           model_file(m, t->which)->record == record;
}

/* Record of the entry or event that a statement makes, or NONE. */
static uint32_t made_record(const Model *m, const Statement *t)
{
    switch (t->kind) {
    case STATEMENT_INSERT: return model_file(m, t->which)->record;
    case STATEMENT_SCHEDULE: return model_time_event(m, t->which)->record;
    default: return NONE;
    }
}

/* Index in WHERE of its last assignment to an attribute, or NONE. */
static uint32_t said_of(const Statement *t, uint32_t attribute)
{
    for (uint32_t k = t->n; k > 0; k--)
        if (t->names[k - 1] == attribute)
            return k - 1;
    return NONE;
}

/* True if a new entry takes this attribute over from the current one: all that
   WHERE leaves out, except what the system itself sets. */
static bool is_taken_over(const Model *m, const Statement *t,
                          uint32_t attribute)
{
    return model_variable(m, attribute)->role == ROLE_NONE &&
           attribute != m->calendar_code && said_of(t, attribute) == NONE;
}

static bool takes_over(const Model *m, const Statement *t, uint32_t record)
{
    const Record *r = model_record(m, record);
    if (made_record(m, t) != record || (t->flags & STATEMENT_FRESH))
        return false;
    for (uint32_t k = 0; k < r->attributes; k++)
        if (is_taken_over(m, t, r->attribute[k]))
            return true;
    return false;
}

/* Scans statements in order; after a REMOVE an entry is current to the end of
   its list. The condition of REPEAT, evaluated after its body, counts as
   evaluated before. A new entry takes over zeros if none is current, so that
   needs no check. */
static void scan_code(Scan *s, const Code *code, bool sure)
{
    for (const Statement *t = code->first; t; t = t->next) {
        scan_operands(s, t, sure);
        if (s->now == NOW_UNUSED && s->current &&
            takes_over(s->m, t, s->record))
            s->now = NOW_SURE;
        scan_code(s, &t->body, sure);
        scan_code(s, &t->other, sure);
        for (uint32_t k = 0; t->arm && k < t->n; k++)
            scan_code(s, &t->arm[k].code, sure);
        sure = sure || removes(s->m, t, s->record);
    }
}

static bool code_removes(const Model *m, const Code *code, uint32_t record)
{
    for (const Statement *t = code->first; t; t = t->next) {
        if (removes(m, t, record) || code_removes(m, &t->body, record) ||
            code_removes(m, &t->other, record))
            return true;
        for (uint32_t k = 0; t->arm && k < t->n; k++)
            if (code_removes(m, &t->arm[k].code, record))
                return true;
    }
    return false;
}

static uint32_t own_record(const Model *m, uint32_t process)
{
    return process == NONE
               ? NONE
               : model_file(m, model_process(m, process)->file)->record;
}

void emit_now_begin(Emit *e, const Code *code, uint32_t record)
{
    uint32_t own = own_record(e->m, e->code.process);
    for (uint32_t k = 0; k < model_records(e->m); k++) {
        bool sure = k == record || k == own;
        Scan s = {e->m, k, sure || code_removes(e->m, code, k), NOW_UNUSED};
        scan_code(&s, code, sure);
        e->code.now[k] = s.now;
    }
    e->code.replaces_own = own != NONE && code_removes(e->m, code, own);
}

/* Before everything else in the body: the copy of the event's attributes. */
static void event_now(Emit *e, uint32_t record)
{
    const Record *r = model_record(e->m, record);
    const char *name = e->name->record[record];
    emit_line(e, "%s now_%s = *%s_at(c, record);", name, name, name);
    for (uint32_t k = 0; k < r->attributes; k++)
        if (model_variable(e->m, r->attribute[k])->role == ROLE_EVTIME)
            emit_line(e, "now_%s.%s = c->head->t;", name,
                      e->name->variable[r->attribute[k]]);
}

void emit_now_locals(Emit *e, uint32_t record)
{
    Buffer *out = e->out;
    e->out = &e->head;
    for (uint32_t k = 0; k < model_records(e->m); k++) {
        const char *name = e->name->record[k];
        if (e->code.now[k] == NOW_UNUSED)
            continue;
        if (k == record)
            event_now(e, k);
        else
            emit_line(e, "%s now_%s = {0};", name, name);
        if (e->code.now[k] == NOW_CHECKED)
            emit_line(e, "bool is_%s = false;", name);
    }
    e->out = out;
}

/* ---- The same in a transaction ------------------------------------------------------------ */

/* Whether a transaction keeps a removed entry of that Record. */
static Now kept_now(const Model *m, uint32_t process, uint32_t record)
{
    const Code *code = &model_process(m, process)->code;
    bool own = record == own_record(m, process);
    Scan s = {m, record, true, NOW_UNUSED};
    if (!code_removes(m, code, record))
        return NOW_UNUSED;
    scan_code(&s, code, own);
    return own && s.now == NOW_SURE ? NOW_CHECKED : s.now;
}

bool emit_has_now(const Model *m, uint32_t process)
{
    for (uint32_t k = 0; k < model_records(m); k++)
        if (kept_now(m, process, k) != NOW_UNUSED)
            return true;
    return false;
}

/* The nesting depth of PROCEDUREs that wait and remove entries of a Record: the
   transaction keeps what was current around each. */
static uint32_t placed_depth(const Model *m, const Code *code, uint32_t record)
{
    uint32_t most = 0;
    for (const Statement *t = code->first; t; t = t->next) {
        uint32_t depth = placed_depth(m, &t->body, record),
                 other = placed_depth(m, &t->other, record);
        if (t->kind == STATEMENT_PLACED && (t->flags & 1) &&
            code_removes(m, &t->body, record) && depth < t->which + 1)
            depth = t->which + 1;
        depth = depth > other ? depth : other;
        for (uint32_t k = 0; t->arm && k < t->n; k++) {
            uint32_t arm = placed_depth(m, &t->arm[k].code, record);
            depth = depth > arm ? depth : arm;
        }
        most = most > depth ? most : depth;
    }
    return most;
}

uint64_t emit_now_size(const Model *m, uint32_t process, uint64_t real)
{
    uint64_t size = 0;
    for (uint32_t k = 0; k < model_records(m); k++)
        if (kept_now(m, process, k) != NOW_UNUSED)
            size += (model_record(m, k)->attributes + 2) * real *
                    (1 + placed_depth(m, &model_process(m, process)->code, k));
    return size;
}

void emit_now_members(Emit *e, uint32_t process)
{
    for (uint32_t k = 0; k < model_records(e->m); k++) {
        Now now = kept_now(e->m, process, k);
        if (now != NOW_UNUSED)
            emit_line(e, "%s now_%s;", e->name->record[k], e->name->record[k]);
        if (now == NOW_CHECKED)
            emit_line(e, "uint8_t is_%s;", e->name->record[k]);
        uint32_t depth =
            placed_depth(e->m, &model_process(e->m, process)->code, k);
        for (uint32_t i = 0; now != NOW_UNUSED && i < depth; i++) {
            emit_line(e, "%s kept_%s_%u;", e->name->record[k],
                      e->name->record[k], i);
            emit_line(e, "uint8_t kept_is_%s_%u;", e->name->record[k], i);
        }
    }
}

/* The text before now_R: nothing, or OF_P_at(c, self)-> */
static const char *now_home(Emit *e)
{
    return e->code.process == NONE ? ""
                                   : emit_format(e, "%s_at(c, self)->",
                                                 e->name->own[e->code.process]);
}

/* Whether is_R tells that an entry has been removed. */
static bool has_is(const Emit *e, uint32_t record)
{
    return e->code.now[record] == NOW_CHECKED ||
           (record == own_record(e->m, e->code.process) &&
            e->code.now[record] != NOW_UNUSED);
}

/* Puts by what is current for the caller, or with `back` restores it after the
   call. */
static void keep_current(Emit *e, const Statement *s, uint32_t record,
                         bool back)
{
    const char *r = e->name->record[record], *home = now_home(e);
    bool waits = s->flags & 1;
    const char *kept = waits ? home : "";
    if (back) {
        emit_line(e, "%snow_%s = %skept_%s_%u;", home, r, kept, r, s->which);
        if (has_is(e, record))
            emit_line(e, "%sis_%s = %skept_is_%s_%u;", home, r, kept, r,
                      s->which);
        return;
    }
    emit_line(e, "%s%skept_%s_%u = %snow_%s;",
              waits ? "" : emit_format(e, "const %s ", r), kept, r, s->which,
              home, r);
    if (has_is(e, record))
        emit_line(e, "%s%skept_is_%s_%u = %sis_%s;", waits ? "" : "const bool ",
                  kept, r, s->which, home, r);
}

void emit_placed(Emit *e, const Statement *s)
{
    assert(s->kind == STATEMENT_PLACED);
    emit_open(e, "%s", "");
    for (int back = 0; back < 2; back++) {
        for (uint32_t k = 0; k < model_records(e->m); k++)
            if (e->code.now[k] != NOW_UNUSED && code_removes(e->m, &s->body, k))
                keep_current(e, s, k, back);
        if (!back)
            emit_code(e, &s->body);
    }
    emit_close(e, "");
}

/* An attribute of the transaction itself, or of an entry with the same Record
   that it has removed. */
static void own_attribute(Emit *e, Buffer *b, uint32_t attribute)
{
    const char *r = e->name->record[model_variable(e->m, attribute)->record];
    const char *home = now_home(e);
    if (e->code.replaces_own)
        buffer_format(b, "(*(%sis_%s ? &%snow_%s.%s : &", home, r, home, r,
                      e->name->variable[attribute]);
    emit_own(e, b, e->code.process, attribute, "self");
    if (e->code.replaces_own)
        buffer_text(b, "))");
}

void emit_attribute(Emit *e, Buffer *b, uint32_t attribute)
{
    const Variable *v = model_variable(e->m, attribute);
    const char *r = e->name->record[v->record],
               *a = e->name->variable[attribute];
    const char *home = now_home(e);
    if (emit_is_own_attribute(e, v)) {
        own_attribute(e, b, attribute);
    } else if (e->code.now[v->record] == NOW_CHECKED) {
        buffer_format(b, "(cosy_current(c, %sis_%s), &%snow_%s)->%s", home, r,
                      home, r, a);
        e->trouble = true;
    } else {
        buffer_format(b, "%snow_%s.%s", home, r, a);
    }
}

/* ---- Entries in place
   -------------------------------------------------------------------- */

static uint32_t file_of(const Expr *x)
{
    return (uint32_t)x->arg[0]->integer;
}

/* C text of the place in the pool; the statements that find it come first. */
static const char *find_entry(Emit *e, const Expr *x)
{
    const Expr *at = x->arg[1];
    const File *f = model_file(e->m, file_of(x));
    bool opened = x->op == EXPR_ENTRY_AT;
    if (opened && model_variable(e->m, at->which)->kind == VARIABLE_COUNTER)
        return e->name->variable[at->which]; // found by FIND
    const char *number =
        emit_checked(e, at, EXPR_TYPE_INTEGER,
                     e->code.statement ? e->code.statement->row : NONE);
    const char *id = emit_temp(e);
    emit_line(e, "uint32_t %s = COSY_NONE;", id);
    if (f->process != NONE)
        emit_line(e, "COSY_TRY_ROW(c->host->transaction(c, %s, %s, &%s), %s);",
                  e->name->process[f->process], number, id, row_here(e));
    else
        emit_line(e, "COSY_TRY_ROW(cosy_file_%s(c, %s, %s, &%s), %s);",
                  opened ? "held" : "entry", e->name->file[file_of(x)], number,
                  id, row_here(e));
    return id;
}

static const char *attribute_at(Emit *e, const Expr *x, const char *id)
{
    const File *f = model_file(e->m, file_of(x));
    const Variable *v = model_variable(e->m, x->which);
    Buffer b = {0};
    if (f->process != NONE)
        emit_own(e, &b, f->process, x->which, id);
    else
        buffer_format(&b, "%s_at(c, %s)->%s", e->name->record[v->record], id,
                      e->name->variable[x->which]);
    const char *text = emit_format(e, "%s", buffer_string(&b));
    buffer_free(&b);
    return text;
}

void emit_entry_place(Emit *e, Buffer *b, const Expr *x)
{
    buffer_text(b, attribute_at(e, x, find_entry(e, x)));
}

const char *emit_entry_value(Emit *e, const Expr *x)
{
    const char *place = attribute_at(e, x, find_entry(e, x));
    const char *name = emit_temp(e);
    emit_line(e, "const %s %s = %s;", emit_type(x->type), name, place);
    return name;
}

static bool is_priority(const Emit *e, const Expr *x)
{
    return model_file(e->m, file_of(x))->process != NONE &&
           model_variable(e->m, x->which)->role == ROLE_PRIORNBR;
}

/* A procedure has been given the place of an attribute. */
void emit_entry_changed(Emit *e, const Expr *x)
{
    uint32_t process = model_file(e->m, file_of(x))->process;
    if (process != NONE)
        emit_mark_attributes(e, process);
}

/* The value is found before the entry: computing it may move entries. */
void emit_entry_assign(Emit *e, const Statement *s, const char *value)
{
    const Expr *x = s->target;
    const File *f = model_file(e->m, file_of(x));
    const char *kept = emit_temp(e), *row = emit_row(e, s->row);
    emit_line(e, "const %s %s = %s;", emit_type(x->type), kept, value);
    emit_check(e, s->row);
    if (x->type == EXPR_TYPE_REAL && s->a->op != EXPR_NUMBER &&
        !expr_may_be_infinite(e->m, s->a))
        emit_line(e, "COSY_FINITE(%s, %s);", kept, row);
    const char *id = find_entry(e, x);
    if (is_priority(e, x)) {
        emit_mark_resources(e);
        emit_line(e, "COSY_DO(cosy_set_priority(c, %s, %s), %s, %s);", id, kept,
                  row, emit_self(e));
        return;
    }
    emit_line(e, "%s = %s;", attribute_at(e, x, id), kept);
    if (f->process != NONE && emit_waits_on_attributes(e, f->process))
        emit_line(e, "cosy_until_touch(c, %s);", id);
    if (f->process == NONE && f->ranked_on == x->which)
        emit_line(e, "COSY_TRY_ROW(cosy_file_rerank(c, %s, %s, %s%s), %s);",
                  e->name->file[file_of(x)], id,
                  x->type == EXPR_TYPE_REAL ? "" : "(real)", kept, row);
}

void emit_queue(Emit *e, Buffer *b, const Expr *x)
{
    if (x->which == NONE) {
        buffer_text(b, "cosy_calendar_count(c)");
        return;
    }
    const File *f = model_file(e->m, x->which);
    if (f->pool) {
        emit_pool_queue(e, b, f->pool - 1, (QueueValue)x->arg[0]->integer);
        return;
    }
    bool plain = f->process == NONE;
    const char *which =
        plain ? e->name->file[x->which] : e->name->process[f->process];
    const char *table = plain ? "file" : "population";
    switch ((QueueValue)x->arg[0]->integer) {
    case QUEUE_ENTRYNBR:
        buffer_format(b, "(int64_t)c->%s[%s].count", table, which);
        break;
    case QUEUE_MAXQ:
        buffer_format(b, "(int64_t)c->%s[%s].most", table, which);
        break;
    case QUEUE_AVGQ:
        buffer_format(b,
                      plain ? "cosy_file_mean(c, c->file + %s)"
                            : "cosy_population_mean(c, %s)",
                      which);
        break;
    }
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* Appends the value that a new entry takes over: that of the current entry, or
   0 if none is current. */
static void taken_over(Emit *e, Buffer *b, uint32_t attribute)
{
    const Variable *v = model_variable(e->m, attribute);
    assert(v->role == ROLE_NONE && e->code.now[v->record] != NOW_UNUSED);
    if (emit_is_own_attribute(e, v))
        own_attribute(e, b, attribute);
    else
        buffer_format(b, "%snow_%s.%s", now_home(e), e->name->record[v->record],
                      e->name->variable[attribute]);
}

void emit_new_record(Emit *e, const Statement *s, uint32_t record)
{
    const Record *r = model_record(e->m, record);
    bool current =
        e->code.now[record] != NOW_UNUSED && !(s->flags & STATEMENT_FRESH);
    Buffer b = {0};
    const char **value = EMIT_ARRAY(e, const char *, s->n);
    for (uint32_t k = 0; value && k < s->n; k++)
        value[k] =
            emit_kept(e, s->list[k], model_variable(e->m, s->names[k])->type);
    emit_check(e, s->row);
    emit_line(e, "uint32_t id;");
    emit_line(e, "COSY_TRY_ROW(cosy_record_new(c, &id), %s);",
              emit_row(e, s->row));
    buffer_format(&b, "*%s_at(c, id) = (%s){", e->name->record[record],
                  e->name->record[record]);
    const char *comma = "";
    for (uint32_t k = 0; value && k < r->attributes; k++) {
        uint32_t a = r->attribute[k], said = said_of(s, a);
        if (said == NONE && !(current && is_taken_over(e->m, s, a)))
            continue;
        buffer_format(&b, "%s.%s = ", comma, e->name->variable[a]);
        if (said != NONE)
            buffer_text(&b, value[said]);
        else
            taken_over(e, &b, a);
        comma = ", ";
    }
    buffer_text(&b, *comma ? "};" : "0};");
    emit_buffer(e, &b);
}

static void write_insert(Emit *e, const Statement *s)
{
    const File *f = model_file(e->m, s->which);
    const char *key = "R(0.0)";
    emit_open(e, "%s", "");
    emit_new_record(e, s, f->record);
    if (f->ranked_on != NONE)
        key = emit_format(
            e, "%s%s_at(c, id)->%s",
            model_variable(e->m, f->ranked_on)->type == EXPR_TYPE_REAL
                ? ""
                : "(real)",
            e->name->record[f->record], e->name->variable[f->ranked_on]);
    emit_line(e, "COSY_DO(cosy_file_insert(c, %s, id, %s), %s, %s);",
              e->name->file[s->which], key, emit_row(e, s->row), emit_self(e));
    emit_close(e, "");
}

static void write_remove(Emit *e, const Statement *s)
{
    const File *f = model_file(e->m, s->which);
    const char *file = e->name->file[s->which], *r = e->name->record[f->record];
    emit_open(e, "%s", "");
    const char *rank =
        s->a ? emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row) : "1";
    emit_line(e, "uint32_t id = COSY_NONE;");
    if (s->flags & 1)
        emit_line(e, "COSY_DO(cosy_file_remove_last(c, %s, &id), %s, %s);",
                  file, emit_row(e, s->row), emit_self(e));
    else
        emit_line(e, "COSY_DO(cosy_file_remove(c, %s, %s, &id), %s, %s);", file,
                  rank, emit_row(e, s->row), emit_self(e));
    Now now = e->code.now[f->record];
    if (now != NOW_UNUSED)
        emit_line(e, "%snow_%s = *%s_at(c, id);", now_home(e), r, r);
    if (has_is(e, f->record))
        emit_line(e, "%sis_%s = true;", now_home(e), r);
    emit_line(e, "cosy_record_free(c, id);");
    emit_close(e, "");
}

static void assign_found(Emit *e, const Statement *s, const char *value)
{
    Buffer b = {0};
    if (s->target->op == EXPR_ENTRY || s->target->op == EXPR_ENTRY_AT) {
        emit_entry_assign(e, s, value);
        return;
    }
    emit_target(e, &b, s->target);
    buffer_format(&b, " = %s;", value);
    emit_buffer(e, &b);
    emit_check(e, s->row);
}

/* Writes the condition, and what to do if it holds. */
static void write_fits(Emit *e, const Statement *s, const char *found,
                       const char *what)
{
    const char *fits = emit_checked(e, s->a, EXPR_TYPE_BOOLEAN, s->row);
    emit_open(e, "if (%s)", fits);
    emit_line(e, "%s = %s;", found, what);
}

/* A function called by the condition might REMOVE the entry under
   examination. */
static void find_entries(Emit *e, const Statement *s, const char *found)
{
    const char *file = e->name->file[s->which],
               *at = e->name->variable[s->b->which];
    const char *rank = emit_temp(e);
    bool calls = (s->a->reads & READS_CALL) != 0;
    emit_line(e, "int64_t %s = 0;", rank);
    emit_open(e,
              "for (uint32_t %s = c->file[%s].head; %s != COSY_NONE; %s = "
              "cosy_record(c, %s)->next)",
              at, file, at, at, at);
    emit_line(e, "%s++;", rank);
    if (calls)
        emit_line(e, "const int64_t held = cosy_file_hold(c, %s);", at);
    write_fits(e, s, found, rank);
    emit_line(e, "break;");
    emit_close(e, "");
    if (calls)
        emit_line(e, "COSY_TRY_ROW(cosy_file_held(c, %s, held, &%s), %s);",
                  file, at, emit_row(e, s->row));
    emit_close(e, "");
}

/* The smallest number of a transaction that fits. */
static void find_transactions(Emit *e, const Statement *s, const char *found)
{
    const char *process = e->name->process[model_file(e->m, s->which)->process];
    const char *at = e->name->variable[s->b->which];
    emit_open(e, "for (uint32_t %s = 0; %s < c->head->transaction_used; %s++)",
              at, at, at);
    emit_line(e, "if (!cosy_is_before_in(c, %s, %s, %s))", process, at, found);
    emit_line(e, "    continue;");
    write_fits(e, s, found,
               emit_format(e, "cosy_transaction(c, %s)->number", at));
    emit_close(e, "");
    emit_close(e, "");
}

static void write_find(Emit *e, const Statement *s)
{
    const char *found = emit_temp(e), *at = e->name->variable[s->b->which];
    emit_line(e, "int64_t %s = 0;", found);
    emit_index_push(e, at);
    if (model_file(e->m, s->which)->process == NONE)
        find_entries(e, s, found);
    else
        find_transactions(e, s, found);
    e->loops.indices--;
    assign_found(e, s, found);
    emit_observed(e, s->target, s->row);
}

/* For a transaction the number is kept, which no other will ever have. */
static void write_lookup(Emit *e, const Statement *s)
{
    const File *f = model_file(e->m, s->which);
    Buffer b = {0};
    emit_open(e, "%s", "");
    const char *number = emit_checked(e, s->a, EXPR_TYPE_INTEGER, s->row);
    emit_line(e, "uint32_t id = COSY_NONE;");
    if (f->process != NONE)
        emit_line(e, "COSY_TRY_ROW(c->host->transaction(c, %s, %s, &id), %s);",
                  e->name->process[f->process], number, emit_row(e, s->row));
    else
        emit_line(e, "COSY_TRY_ROW(cosy_file_entry(c, %s, %s, &id), %s);",
                  e->name->file[s->which], number, emit_row(e, s->row));
    emit_target(e, &b, s->target);
    buffer_text(&b, f->process != NONE ? " = cosy_transaction(c, id)->number;"
                                       : " = cosy_file_hold(c, id);");
    emit_buffer(e, &b);
    emit_close(e, "");
}

bool emit_file_statement(Emit *e, const Statement *s)
{
    switch (s->kind) {
    case STATEMENT_INSERT: write_insert(e, s); return true;
    case STATEMENT_REMOVE: write_remove(e, s); return true;
    case STATEMENT_FIND: write_find(e, s); return true;
    case STATEMENT_LOOKUP: write_lookup(e, s); return true;
    default: return false;
    }
}
