#include "lower/field.h"

#include <string.h>

/* Procedural code: bodies of events, INITIAL, routines, the statements that
   stand in all of them. */

static void lower_statement(Lowerer *l, const Node *n, Code *code, Place place);

void lower_code(Lowerer *l, const Node *list, Code *code, Place place)
{
    if (list->kind != NODE_LIST && list->kind != NODE_BLOCK) {
        lower_statement(l, list, code, place);
        return;
    }
    if (list->kind == NODE_BLOCK)
        list = list->first;
    for (const Node *n = list->first; n; n = n->next)
        lower_statement(l, n, code, place);
}

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind)
{
    return code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
}

/* ---- Rates in code ------------------------------------------------------------ */

/* X' in a body is the value at the present point: an ALGEBR that equals it. */
static const Expr *rate_as_value(void *user, const Expr *e)
{
    Lowerer *l = user;
    if (e->op != EXPR_RATE)
        return NULL;
    return expr_variable(l->m, rate_alias(l, e->which), e->arg, e->count);
}

static uint32_t find_alias(const Model *m, uint32_t state)
{
    for (uint32_t k = 0; k < model_variables(m); k++) {
        const Variable *v = model_variable(m, k);
        if (v->kind == VARIABLE_ALGEBR && v->hidden && v->rate_of == state)
            return k;
    }
    return NONE;
}

static uint32_t new_alias(Lowerer *l, uint32_t state)
{
    Model *m = l->m;
    Variable of = *model_variable(m, state);
    const Expr *index[2];
    uint32_t k =
        model_add_hidden(m, VARIABLE_ALGEBR, EXPR_TYPE_REAL,
                         model_format(m, "%s'@", of.name), of.at, of.line);
    Variable *v = model_variable(m, k);
    v->rate_of = state;
    variable_shaped(v, &of);
    v->read_by_body = true;
    Row row = {.variable = k,
               .line = of.line,
               .text = model_format(m, "%s'", of.name)};
    Equation e = {.n_loops = of.rank,
                  .block = NONE,
                  .model = NONE,
                  .row = model_add_row(m, &row),
                  .at = of.at};
    for (uint32_t i = 0; i < of.rank; i++) {
        e.loops[i] = model_add_side(m, state, i);
        index[i] = expr_loop(m, e.loops[i]);
    }
    e.left = expr_variable(m, k, index, of.rank);
    e.right = expr_rate(m, state, index, of.rank);
    model_add_equation(m, &e);
    return k;
}

uint32_t rate_alias(Lowerer *l, uint32_t state)
{
    uint32_t k = find_alias(l->m, state);
    return k == NONE ? new_alias(l, state) : k;
}

const Expr *lower_in_code(Lowerer *l, const Node *n, Place place)
{
    return expr_rewrite(l->m, lower_expression(l, n, place), rate_as_value, l);
}

static const Expr *optional(Lowerer *l, const Node *n, Place place)
{
    return node_absent(n) ? NULL : lower_in_code(l, n, place);
}

/* ---- Assignments ---------------------------------------------------------------- */

const Expr *lower_target(Lowerer *l, const Node *n, Place place)
{
    const Expr *target = lower_designator(l, n, place);
    if (target->op == EXPR_VARIABLE &&
        model_variable(l->m, target->which)->role == ROLE_COPYNBR) {
        LOWER_ERROR(l, n,
                    "`%s`, the first attribute, is the number of the copy, "
                    "which the system gives: it cannot be assigned. Declare "
                    "an INTEGER for the number first",
                    model_variable(l->m, target->which)->name);
        return lower_nothing(l, EXPR_TYPE_INTEGER);
    }
    if (target->op != EXPR_RATE)
        return target;
    const char *name = model_variable(l->m, target->which)->name;
    LOWER_ERROR(l, n,
                "there is no `%s''` in the program, so the equation for `%s'` "
                "gives its value, and it cannot be assigned; at the start of a "
                "run, INITCOND %s' = ... sets it",
                name, name, name);
    return lower_nothing(l, EXPR_TYPE_REAL);
}

static void lower_assign(Lowerer *l, const Node *n, Code *code, Place place)
{
    if (n->first->kind == NODE_CALL) { // the checks leave CAPACITY only
        lower_resize(l, n, code, place);
        return;
    }
    if (n->first->symbol && field_of(l, n->first->symbol)) {
        lower_field_assign(l, n, code, place);
        return;
    }
    const Expr *target = lower_target(l, n->first, place);
    const Expr *value = lower_in_code(l, n->last, place);
    if ((target->op == EXPR_SYSTEM && target->which != SYSTEM_PRIORNBR) ||
        lower_is_kept(l, target)) {
        LOWER_ERROR(l, n->first, "the system sets this: it cannot be assigned");
        return;
    }
    Statement *s = add(l, n, code, STATEMENT_ASSIGN);
    s->target = target;
    s->a = lower_assigned(l, lower_fit(l, value, target->type));
    s->row = lower_row(l, n, target->op == EXPR_VARIABLE ? target->which : NONE,
                       true);
}

/* ---- Control -------------------------------------------------------------------- */

static void lower_if(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Node *otherwise = n->last;
    Statement *s = add(l, n, code, STATEMENT_IF);
    s->a = lower_in_code(l, n->first, place);
    l->chosen++;
    lower_code(l, node_child(n, 1), &s->body, place);
    if (!node_absent(otherwise) && otherwise != node_child(n, 1))
        lower_code(l, otherwise, &s->other, place);
    l->chosen--;
}

const Expr *lower_counts(Lowerer *l, const Node *n)
{
    const Symbol *s = n->symbol ? n->symbol->counts : NULL;
    const Meaning *meaning = s ? meaning_of(l, s) : NULL;
    if (!meaning || meaning->kind != MEANS_VARIABLE)
        return NULL;
    return expr_variable(l->m, meaning->number, NULL, 0);
}

static void lower_for_statement(Lowerer *l, const Node *n, Code *code,
                                Place place)
{
    const Node *by = node_child(n, 2);
    if (lower_waiting_for(l, n, code, place))
        return;
    Variable v = {.name = n->text,
                  .c_name = model_c_name(l->m, n->text),
                  .kind = VARIABLE_COUNTER,
                  .type = EXPR_TYPE_INTEGER,
                  .elements = 1,
                  .unit = "",
                  .rate_of = NONE,
                  .routine = l->routine,
                  .record = NONE,
                  .hidden = true,
                  .at = n->at,
                  .line = lower_line(l, n->at, n->origin)};
    Statement *s = add(l, n, code, STATEMENT_FOR);
    s->a = lower_in_code(l, n->first, place);
    s->b = lower_in_code(l, node_child(n, 1), place);
    s->c = optional(l, by, place);
    s->target = lower_counts(l, n);
    s->flags = n->word == WORD_DOWNTO;
    s->row = lower_row(l, n, NONE, true);
    s->which = model_add_variable(l->m, &v);
    Meaning *index = meaning_of(l, n->symbol);
    index->kind = MEANS_VARIABLE;
    index->number = s->which;
    lower_code(l, n->last, &s->body, place);
}

static void lower_while(Lowerer *l, const Node *n, Code *code, Place place)
{
    Statement *s = add(l, n, code, STATEMENT_WHILE);
    s->a = lower_in_code(l, n->first, place);
    lower_code(l, n->last, &s->body, place);
}

static void lower_repeat(Lowerer *l, const Node *n, Code *code, Place place)
{
    Statement *s = add(l, n, code, STATEMENT_REPEAT);
    lower_code(l, n->first, &s->body, place);
    s->a = lower_in_code(l, n->last, place);
}

static void lower_case(Lowerer *l, const Node *n, Code *code, Place place)
{
    Statement *s = add(l, n, code, STATEMENT_CASE);
    uint32_t branches = node_count(n->last), k = 0;
    CaseArm *arm = MODEL_ARRAY(l->m, CaseArm, branches + 1);
    s->a = lower_in_code(l, n->first, place);
    s->row = lower_row(l, n->first, lower_designated(l, n->first), true);
    l->chosen++;
    for (const Node *b = n->last->first; arm && b; b = b->next, k++) {
        arm[k].label = lower_labels(l, b->first, &arm[k].labels);
        lower_code(l, b->last, &arm[k].code, place);
    }
    l->chosen--;
    s->arm = arm;
    s->n = branches;
}

/* ---- Writing --------------------------------------------------------------------- */

static void lower_printed(Lowerer *l, const Node *actual, Printed *p,
                          Place place)
{
    bool whole = actual->kind == NODE_ACTUAL;
    p->item = lower_in_code(l, whole ? actual->first : actual, place);
    if (!whole)
        return;
    p->width = optional(l, node_child(actual, 1), place);
    p->decimals = optional(l, node_child(actual, 2), place);
}

static void lower_printed_list(Lowerer *l, const Node *list, Statement *s,
                               Place place)
{
    Printed *p = MODEL_ARRAY(l->m, Printed, node_count(list) + 1);
    uint32_t k = 0;
    for (const Node *n = list->first; p && n; n = n->next)
        lower_printed(l, n, &p[k++], place);
    s->printed = p;
    s->n = k;
}

/* The checks have left a LIST of what each WRITE prints; its text is the
   FORMAT. */
static void lower_fortran(Lowerer *l, const Node *n, Code *code, Place place)
{
    for (const Node *w = n->first; w; w = w->next) {
        Statement *s = add(l, w, code, STATEMENT_FORMAT);
        lower_printed_list(l, w, s, place);
        s->text = w->text;
    }
}

/* ---- Calls ----------------------------------------------------------------------- */

static bool lower_predefined(Lowerer *l, const Node *n, const Symbol *p,
                             Code *code, Place place)
{
    static const struct {
        const char *name;
        StatementKind kind;
    } table[] = {
        {"SAVE", STATEMENT_SAVE},         {"STOREON", STATEMENT_STOREON},
        {"STOREOFF", STATEMENT_STOREOFF}, {"CROSSPLOT", STATEMENT_CROSSPLOT},
        {"RERUN", STATEMENT_RERUN},       {"CONTN", STATEMENT_CONTN},
        {"WRITE", STATEMENT_WRITE},       {"WRITELN", STATEMENT_WRITE}};
    for (size_t k = 0; k < LENGTH(table); k++) {
        if (!name_same(table[k].name, p->name))
            continue;
        Statement *s = add(l, n, code, table[k].kind);
        l->m->reruns = l->m->reruns || s->kind == STATEMENT_RERUN;
        if (s->kind == STATEMENT_WRITE) {
            lower_printed_list(l, n->last->first, s, place);
            s->flags = name_same(p->name, "WRITELN");
        }
        return true;
    }
    return false;
}

static const Expr *lower_actual(Lowerer *l, const Node *n, const Node *declared,
                                uint32_t formal, Place place)
{
    const Variable *v = model_variable(l->m, formal);
    ExprType type = v->type;
    if (declared && declared->word == WORD_RANDOM)
        return lower_stream_number(l, n, place);
    if (v->by_reference) {
        const Expr *place_of = lower_target(l, n, place);
        if (place_of->op == EXPR_ENTRY || place_of->op == EXPR_ENTRY_AT)
            LOWER_ERROR(l, n,
                        "an entry may move or leave its FILE during the call: "
                        "pass a variable, and assign it afterwards");
        return place_of;
    }
    return lower_passed(l, lower_fit(l, lower_in_code(l, n, place), type));
}

/* FORMAL k of a routine, where those after <- continue the count. */
static const Node *formal_node(const Node *routine, uint32_t k)
{
    if (!routine || !routine->first)
        return NULL;
    const Node *before = routine->first->first, *after = routine->first->last;
    uint32_t n = node_count(before);
    return k < n ? node_child(before, k) : node_child(after, k - n);
}

static void lower_procedure(Lowerer *l, const Node *n, const Symbol *p,
                            Code *code, Place place)
{
    const Meaning *meaning = meaning_of(l, p);
    if (is_placed(p)) {
        lower_placed(l, n, p, code, place);
        return;
    }
    if (meaning->kind != MEANS_ROUTINE) {
        if (meaning->kind != MEANS_REFUSED)
            LOWER_ERROR(l, n, "`%s` cannot be called here", p->shown);
        return;
    }
    uint32_t routine = meaning->number;
    uint32_t formals = model_routine(l->m, routine)->formals;
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, formals + 1);
    for (uint32_t k = 0; list && k < formals && call_actual(n, k); k++)
        list[k] = lower_actual(l, call_actual(n, k), formal_node(p->body, k),
                               model_routine(l->m, routine)->formal[k], place);
    Statement *s = add(l, n, code, STATEMENT_CALL);
    s->which = routine;
    s->list = list;
    s->n = formals;
    s->row = lower_row(l, n, NONE, true);
}

static void lower_call_statement(Lowerer *l, const Node *n, Code *code,
                                 Place place)
{
    const Symbol *p = n->first->symbol;
    if (!p)
        return;
    if (p->node == NULL) {
        if (!lower_predefined(l, n, p, code, place) &&
            !lower_service(l, n, p->name, code, place))
            refuse(l, n, p->name);
        return;
    }
    lower_procedure(l, n, p, code, place);
}

/* ---- Events ------------------------------------------------------------------------ */

static void lower_schedule(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Expr *element, *copy;
    const Meaning *event =
        lower_time_event(l, n->first, place, &element, &copy);
    if (!event)
        return;
    uint32_t which = event->number;
    const Expr *time =
        lower_fit(l, lower_in_code(l, node_child(n, 1), place), EXPR_TYPE_REAL);
    Statement *s = add(l, n, code, STATEMENT_SCHEDULE);
    if (lower_is_fresh(l, l->m->calendar_record))
        s->flags |= STATEMENT_FRESH;
    s->which = which;
    s->a = element;
    s->b = time;
    s->c = optional(l, node_child(n, 2), place);
    if (copy)
        pool_schedule(l, n, copy, s);
    else if (!node_absent(n->last))
        lower_where(l, n->last, s, place);
    s->row = lower_row(l, n, NONE, true);
}

/* CANCEL ev, CANCEL ev[n]: for a scalar event n is the number of the
   occurrence. */
static void lower_cancel(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Expr *element, *copy;
    const Meaning *event =
        lower_time_event(l, n->first, place, &element, &copy);
    if (!event)
        return;
    Statement *s = add(l, n, code, STATEMENT_CANCEL);
    s->which = event->number;
    s->a = element;
    if (n->first->kind == NODE_INDEX && !element)
        s->b = lower_in_code(l, n->first->last->first, place);
    s->c = copy;
    s->row = lower_row(l, n, NONE, true);
}

/* ---- All statements
   ------------------------------------------------------------------- */

static void lower_simple(Lowerer *l, const Node *n, Code *code, Place place)
{
    switch (n->kind) {
    case NODE_FINISH: add(l, n, code, STATEMENT_FINISH); break;
    case NODE_ERROREXIT: {
        Statement *s = add(l, n, code, STATEMENT_ERROREXIT);
        s->a = lower_in_code(l, n->first, place);
        s->text = n->text ? n->text : "";
        break;
    }
    case NODE_CCODE: add(l, n, code, STATEMENT_CCODE)->text = n->text; break;
    case NODE_SCHEDULE: lower_schedule(l, n, code, place); break;
    case NODE_CANCEL: lower_cancel(l, n, code, place); break;
    case NODE_FORTRAN: lower_fortran(l, n, code, place); break;
    case NODE_NONE: break;
    default:
        if (lower_copy_statement(l, n, code, place) ||
            lower_transaction(l, n, code, place) ||
            lower_file_statement(l, n, code, place))
            break;
        if (place != IN_EXPERIMENT || !lower_experiment_statement(l, n, code))
            refuse(l, n, node_words(n->kind));
    }
}

static void lower_statement(Lowerer *l, const Node *n, Code *code, Place place)
{
    switch (n->kind) {
    case NODE_ASSIGN: lower_assign(l, n, code, place); break;
    case NODE_IF: lower_if(l, n, code, place); break;
    case NODE_FOR: lower_for_statement(l, n, code, place); break;
    case NODE_WHILE: lower_while(l, n, code, place); break;
    case NODE_REPEAT: lower_repeat(l, n, code, place); break;
    case NODE_CASE: lower_case(l, n, code, place); break;
    case NODE_CALL: lower_call_statement(l, n, code, place); break;
    case NODE_LIST:
    case NODE_BLOCK: lower_code(l, n, code, place); break;
    default: lower_simple(l, n, code, place);
    }
}

/* ---- COMMUNIC ---------------------------------------------------------------------- */

/* What only COMMUNIC computes changes only at communication points. */
void lower_communicated(Lowerer *l, const Code *code)
{
    for (const Statement *s = code->first; s; s = s->next) {
        Variable *v = s->target && s->target->op == EXPR_VARIABLE
                          ? model_variable(l->m, s->target->which)
                          : NULL;
        if (v && (v->kind == VARIABLE_ALGEBR || v->kind == VARIABLE_LOGIC))
            v->kind = VARIABLE_DISCRETE;
        lower_communicated(l, &s->body);
        lower_communicated(l, &s->other);
        for (uint32_t k = 0; s->arm && k < s->n; k++)
            lower_communicated(l, &s->arm[k].code);
    }
}
