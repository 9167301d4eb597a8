#include "lower/lowerer.h"

/* DISCRETE PROCESS: what is known before its body is lowered, and its body. A
   process that is not listed in PROCESSES is left out. */

static bool is_process(const Node *n)
{
    return n->kind == NODE_DISCRETE_PROCESS && n->symbol &&
           n->symbol->body == n;
}

/* ---- Processes that take part
   ------------------------------------------------------ */

typedef void (*EachStart)(Lowerer *l, const Node *start);

static void each_start(Lowerer *l, const Node *segments, EachStart visit)
{
    for (const Node *s = segments->first; s; s = s->next) {
        if (s->kind != NODE_SYSTEM)
            continue;
        for (const Node *block = s->first->first; block; block = block->next) {
            if (block->kind != NODE_DISCRETE)
                continue;
            for (const Node *n = block->first->first; n && !l->m->broken;
                 n = n->next)
                if (n->kind == NODE_START && n->symbol && n->symbol->body &&
                    is_process(n->symbol->body))
                    visit(l, n);
        }
    }
}

/* True if there is a GENERATE for it outside its own body. */
static bool generated(const Node *n, const Symbol *process)
{
    if (n->kind == NODE_DISCRETE_PROCESS && n->symbol == process)
        return false;
    if (n->kind == NODE_GENERATE && node_child(n, 1)->symbol == process)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (generated(k, process))
            return true;
    return false;
}

/* The end of its body as a row, at which a transaction that still holds
   something is reported. */
static uint32_t end_row(Lowerer *l, const Node *n)
{
    Span end = {n->at.file, n->at.start + n->at.length, 0};
    if (end.start > 0)
        end.start--;
    Row row = {.variable = NONE,
               .line = lower_line(l, end, n->origin),
               .text = model_format(l->m, "END of PROCESS %s", n->symbol->name),
               .statement = true};
    return model_add_row(l->m, &row);
}

static void add_process(Lowerer *l, const Node *start)
{
    const Symbol *s = start->symbol;
    const Node *n = s->body, *first = n->last->first;
    Meaning *meaning = meaning_of(l, s);
    if (meaning->kind == MEANS_PROCESS) {
        LOWER_ERROR(
            l, start,
            "`%s` stands in PROCESSES already: it can take part only once",
            s->shown);
        return;
    }
    Process p = {.name = s->name,
                 .c_name = model_c_name(l->m, s->name),
                 .file = NONE,
                 .takes_part = true,
                 .begins = !generated(l->unit->program, s),
                 .row = end_row(l, n),
                 .server = s->node && s->node->kind == NODE_PROCESS_NAME &&
                           s->node->word == WORD_SERVER,
                 .at = n->at,
                 .line = lower_line(l, n->at, n->origin)};
    uint32_t line = first ? lower_line(l, first->at, first->origin) : p.line;
    meaning->kind = MEANS_PROCESS;
    meaning->number = model_add_process(l->m, &p);
    model_add_point(l->m, meaning->number, line, NONE);
}

/* ---- Formals --------------------------------------------------------------------------- */

void lower_alias_record(Lowerer *l, const Node *formal, const Node *actual)
{
    const Symbol *inner = formal->symbol->record;
    const Meaning *file = meaning_of(l, formal->symbol);
    if (!inner || !inner->inside || file->kind != MEANS_FILE)
        return;
    uint32_t outer = model_file(l->m, file->number)->record;
    Meaning *meaning = meaning_of(l, inner);
    if (outer == NONE)
        return;
    meaning->kind = MEANS_RECORD;
    meaning->number = outer;
    for (const Symbol *a = scope_first(inner->inside); a; a = a->next) {
        const Record *r = model_record(l->m, outer);
        uint32_t k = 0;
        while (k < r->attributes &&
               !name_same(model_variable(l->m, r->attribute[k])->name, a->name))
            k++;
        if (k == r->attributes) {
            LOWER_ERROR(l, actual,
                        "the entries of this FILE have no attribute `%s`, "
                        "which is wanted of them",
                        a->shown);
            continue;
        }
        Meaning *own = meaning_of(l, a);
        own->kind = MEANS_VARIABLE;
        own->number = r->attribute[k];
    }
}

/* Its value is computed at the start of a run, after INITIAL. */
static void bind_value(Lowerer *l, const Node *formal)
{
    uint32_t variable = lower_variable(l, formal, VARIABLE_DISCRETE);
    Variable *v = model_variable(l->m, variable);
    v->name = model_format(l->m, "%s.%s", model_process(l->m, l->process)->name,
                           v->name);
}

void lower_each_formal(Lowerer *l, const Symbol *process, const Node *call,
                       EachFormal act)
{
    const Node *formals = process->body->first;
    uint32_t k = 0;
    if (call->last->kind != NODE_ACTUALS)
        return;
    for (int side = 0; side < 2; side++)
        for (const Node *f = side ? formals->last->first
                                  : formals->first->first;
             f; f = f->next) {
            const Node *actual = call_actual(call, k++);
            if (actual && f->symbol)
                act(l, f, actual, formal_is_alias(formals, f, side == 0));
        }
}

static void bind_formal(Lowerer *l, const Node *f, const Node *actual,
                        bool alias)
{
    if (!alias) {
        bind_value(l, f);
        return;
    }
    lower_alias(l, f, actual, IN_CODE);
    if (f->word == WORD_FILE)
        lower_alias_record(l, f, actual);
}

static void bind_formals(Lowerer *l, const Node *start)
{
    lower_each_formal(l, start->symbol, start, bind_formal);
}

static void start_formal(Lowerer *l, const Node *f, const Node *actual,
                         bool alias)
{
    if (alias)
        return;
    uint32_t v = meaning_of(l, f->symbol)->number;
    const Expr *value = lower_in_code(l, actual, IN_CODE);
    Statement *s = code_add(l->m, &l->m->initial, STATEMENT_ASSIGN, actual->at,
                            lower_line(l, actual->at, actual->origin));
    s->target = expr_variable(l->m, v, NULL, 0);
    s->a = lower_assigned(l, lower_fit(l, value, s->target->type));
    s->row = lower_row(l, actual, v, true);
}

/* After INITIAL: the values of formals by value. */
static void start_formals(Lowerer *l, const Node *start)
{
    lower_each_formal(l, start->symbol, start, start_formal);
}

/* ---- Its file -------------------------------------------------------------------------- */

static AttributeRole role_of(const char *name)
{
    static const struct {
        const char *name;
        AttributeRole role;
    } table[] = {{"GENTIM", ROLE_GENTIM},
                 {"TRANSNBR", ROLE_TRANSNBR},
                 {"PRIORNBR", ROLE_PRIORNBR},
                 {"BLOCKNBR", ROLE_BLOCKNBR}};
    for (size_t k = 0; k < LENGTH(table); k++)
        if (name_same(table[k].name, name))
            return table[k].role;
    return ROLE_NONE;
}

static void give_roles(Lowerer *l, uint32_t record)
{
    for (uint32_t k = 0; k < model_record(l->m, record)->attributes; k++) {
        Variable *v =
            model_variable(l->m, model_record(l->m, record)->attribute[k]);
        v->role = role_of(v->name);
    }
}

static void find_file(Lowerer *l, const Node *start)
{
    const Symbol *s = start->symbol;
    uint32_t process = meaning_of(l, s)->number;
    uint32_t file = NONE;
    if (s->file && meaning_of(l, s->file)->kind == MEANS_FILE)
        file = meaning_of(l, s->file)->number;
    if (file == NONE) {
        const Process *p = model_process(l->m, process);
        File own = {.name = p->name,
                    .c_name = model_c_name(l->m, p->name),
                    .record = NONE,
                    .ranked_on = NONE,
                    .process = NONE,
                    .line = p->line};
        file = model_add_file(l->m, &own);
    }
    File *f = model_file(l->m, file);
    if (f->process != NONE)
        LOWER_ERROR(l, start,
                    "FILE `%s` has the transactions of another "
                    "process already",
                    f->name);
    f->process = f->number = process;
    model_process(l->m, process)->file = file;
    if (f->record != NONE)
        give_roles(l, f->record);
}

/* ---- What it declares ---------------------------------------------------------------------- */

static bool name_taken(const Model *m, uint32_t first, const char *name)
{
    for (uint32_t k = 0; k < first; k++)
        if (!model_variable(m, k)->hidden && !model_variable(m, k)->pool &&
            model_variable(m, k)->kind < VARIABLE_LOCAL &&
            name_same(model_variable(m, k)->name, name))
            return true;
    return false;
}

/* A name of the process that the program has too appears in results as
   PROCESS.NAME. */
void lower_tell_apart(Lowerer *l, uint32_t first, const char *process)
{
    for (uint32_t k = first; k < model_variables(l->m); k++) {
        Variable *v = model_variable(l->m, k);
        if (v->kind < VARIABLE_LOCAL && !v->pool &&
            name_taken(l->m, first, v->name))
            v->name = model_format(l->m, "%s.%s", process, v->name);
    }
}

static void declare_inside(Lowerer *l, const Node *start)
{
    l->process = meaning_of(l, start->symbol)->number;
    bind_formals(l, start);
    uint32_t first = model_variables(l->m);
    lower_locals(l, node_child(start->symbol->body, 1));
    lower_tell_apart(l, first, model_process(l->m, l->process)->name);
    l->process = NONE;
    find_file(l, start);
}

void lower_processes(Lowerer *l, const Node *segments)
{
    uint32_t errors = l->unit->diags->errors;
    each_start(l, segments, add_process);
    if (l->unit->diags->errors == errors)
        each_start(l, segments, declare_inside);
}

/* ---- Bodies --------------------------------------------------------------------------------- */

static void lower_body(Lowerer *l, const Node *start)
{
    Code code = {0};
    uint32_t k = meaning_of(l, start->symbol)->number;
    if (model_process(l->m, k)->code.first)
        return; // it is listed twice
    l->process = k;
    lower_code(l, start->symbol->body->last, &code, IN_CODE);
    model_process(l->m, k)->code = code;
    l->process = NONE;
}

static void begin_first(Lowerer *l, const Node *start)
{
    uint32_t k = meaning_of(l, start->symbol)->number;
    if (!model_process(l->m, k)->begins)
        return;
    Statement *s = code_add(l->m, &l->m->initial, STATEMENT_GENERATE, start->at,
                            lower_line(l, start->at, start->origin));
    s->which = k;
    s->row = lower_row(l, start, NONE, true);
    model_row(l->m, s->row)->text =
        model_format(l->m, "PROCESSES %s", model_process(l->m, k)->name);
}

void lower_process_bodies(Lowerer *l, const Node *segments)
{
    if (model_processes(l->m) == 0)
        return;
    each_start(l, segments, lower_body);
    each_start(l, segments, start_formals);
    each_start(l, segments, begin_first);
}
