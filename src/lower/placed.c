#include "lower/lowerer.h"

/* PROCEDUREs that are inlined: those in which a transaction may have to wait,
   those that refer to the running transaction or to what each transaction or copy
   has for itself, and those with formals that are not values (a FACILITY, a
   FILE). There is no recursion, so a transaction is
   inside each at most once: formals by value and locals are variables of the
   process, one set for all calls in it. */

/* ---- Which are inlined
   ------------------------------------------------------------ */

static bool is_wait(const Node *n)
{
    switch (n->kind) {
    case NODE_ADVANCE:
    case NODE_SEIZE:
    case NODE_SEIZE_ANY:
    case NODE_WAIT:
    case NODE_SPLIT:
    case NODE_JOIN: return true;
    case NODE_STORAGE_USE: return n->word == WORD_ENTER;
    case NODE_RESOURCE: return n->word == WORD_PASS || n->word == WORD_WAITSIG;
    default: return false;
    }
}

static bool is_of_transaction(const Node *n)
{
    static const char *const names[] = {"GENTIM", "TRANSNBR", "PRIORNBR",
                                        "TIMEDOUT"};
    const Symbol *s = n->symbol;
    if (n->kind == NODE_STORAGE_USE)
        return true;
    if (n->kind == NODE_RESOURCE)
        return n->word == WORD_RELEASE;
    if (n->kind != NODE_NAME || !s || s->node)
        return false;
    for (size_t k = 0; k < LENGTH(names); k++)
        if (name_same(s->name, names[k]))
            return true;
    return false;
}

/* The PROCEDURE that a statement calls, or NULL. */
static const Node *called(const Node *n)
{
    const Symbol *s = n->kind == NODE_CALL ? n->first->symbol : NULL;
    return s && s->kind == SYMBOL_PROCEDURE && s->body ? s->body : NULL;
}

bool node_waits(const Node *n)
{
    if (is_wait(n) || (called(n) && node_waits(called(n)->last)))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (node_waits(k))
            return true;
    return false;
}

static bool needs_transaction(const Node *n)
{
    if (is_wait(n) || is_of_transaction(n) ||
        (called(n) && needs_transaction(called(n)->last)))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (needs_transaction(k))
            return true;
    return false;
}

/* The process that declares the routine, or NULL. */
static const Node *process_of(const Symbol *routine)
{
    const Node *n = routine->scope ? scope_node(routine->scope) : NULL;
    return n && (n->kind == NODE_DISCRETE_PROCESS ||
                 n->kind == NODE_CONTINUOUS_PROCESS)
               ? n
               : NULL;
}

/* Whether a routine of a DISCRETE PROCESS uses its OWN variables or attributes
   of its transaction; those of another entry do no harm. */
static bool uses_own(const Node *n)
{
    const Symbol *s = n->kind == NODE_NAME ? n->symbol : NULL;
    const Node *around = s && s->own ? scope_node(s->scope) : NULL;
    if ((around && around->kind == NODE_DISCRETE_PROCESS) ||
        (s && s->kind == SYMBOL_ATTRIBUTE) ||
        (called(n) && uses_own(called(n)->last)))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (uses_own(k))
            return true;
    return false;
}

static bool is_of_one(const Symbol *procedure)
{
    const Node *process = process_of(procedure);
    return process && (process->kind == NODE_CONTINUOUS_PROCESS ||
                       uses_own(procedure->body->last));
}

static bool is_thing(Word type)
{
    return type == WORD_FACILITY || type == WORD_STORAGE || type == WORD_GATE ||
           type == WORD_SIGNAL || type == WORD_FILE || type == WORD_SEVENT ||
           type == WORD_TEVENT;
}

static bool has_things(const Node *list)
{
    for (const Node *f = list->first; f; f = f->next)
        if (is_thing(f->word))
            return true;
    return false;
}

/* A transaction that ends itself goes no further. */
static bool terminates(const Node *n)
{
    if (n->kind == NODE_TRANSACTION ||
        (called(n) && terminates(called(n)->last)))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (terminates(k))
            return true;
    return false;
}

/* If transactions are made, the pool may move, and with it what a VAR formal
   stands for. */
static bool generates(const Node *n)
{
    if (n->kind == NODE_GENERATE || n->kind == NODE_INSERT ||
        (called(n) && generates(called(n)->last)))
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (generates(k))
            return true;
    return false;
}

static bool has_variables(const Node *formals)
{
    for (const Node *f = formals->first->first; f; f = f->next)
        if (f->flags & FLAG_VAR)
            return true;
    return false;
}

bool is_placed(const Symbol *procedure)
{
    const Node *body = procedure->body;
    return procedure->kind == SYMBOL_PROCEDURE && body &&
           body->kind == NODE_PROCEDURE &&
           (has_things(body->first->first) || has_things(body->first->last) ||
            needs_transaction(body->last) || is_of_one(procedure) ||
            terminates(body->last) ||
            (has_variables(body->first) && generates(body->last)));
}

/* ---- Their variables ----------------------------------------------------------------- */

uint32_t lower_lasting(Lowerer *l, ExprType type, const char *name,
                       const Node *n)
{
    uint32_t k =
        lower_hidden(l, l->process != NONE ? VARIABLE_OWN : VARIABLE_DISCRETE,
                     type, name, n);
    model_variable(l->m, k)->process = l->process;
    return k;
}

typedef struct Placed { // a formal by value, a local: its variable in a process
    const Symbol *symbol;
    uint32_t process, variable;
} Placed;

/* The variable of a VARIABLE or FORMAL node in the present process. */
static uint32_t placed_variable(Lowerer *l, const Node *n)
{
    const Placed *list = (const Placed *)(const void *)l->placed.bytes;
    Meaning *meaning = meaning_of(l, n->symbol);
    meaning->kind = MEANS_VARIABLE;
    for (size_t k = 0; k < l->placed.used / sizeof *list; k++)
        if (list[k].symbol == n->symbol && list[k].process == l->process) {
            meaning->number = list[k].variable;
            return meaning->number;
        }
    uint32_t pool = l->pool; // one set for all copies: they do not wait
    l->pool = 0;
    uint32_t number = lower_variable(
        l, n, l->process != NONE ? VARIABLE_OWN : VARIABLE_DISCRETE);
    l->pool = pool;
    Placed fresh = {n->symbol, l->process, number};
    model_variable(l->m, number)->hidden = true;
    if (!vector_append(&l->placed, &fresh, sizeof fresh))
        l->m->broken = true;
    return number;
}

static void assign(Lowerer *l, const Node *n, Code *code, const Expr *target,
                   const Expr *value)
{
    Statement *s = code_add(l->m, code, STATEMENT_ASSIGN, n->at,
                            lower_line(l, n->at, n->origin));
    s->target = target;
    s->a = lower_assigned(l, lower_fit(l, value, target->type));
    s->row = lower_row(l, n, NONE, true);
}

static void clear(Lowerer *l, const Node *n, Code *code, uint32_t variable)
{
    ExprType type = model_variable(l->m, variable)->type;
    assign(l, n, code, expr_variable(l->m, variable, NULL, 0),
           type == EXPR_TYPE_REAL      ? expr_number(l->m, "0.0")
           : type == EXPR_TYPE_INTEGER ? expr_integer(l->m, 0)
                                       : expr_truth(l->m, false));
}

/* ---- Formals -------------------------------------------------------------------------- */

bool formal_is_alias(const Node *formals, const Node *formal, bool before)
{
    return is_thing(formal->word) || formal->word == WORD_RANDOM ||
           (formal->flags & FLAG_VAR) ||
           (before && (formals->flags & FLAG_ARROW));
}

/* An element: the variable and its indices; or a thing and its element. */
static void alias_element(Lowerer *l, const Node *formal, const Node *actual,
                          Place place)
{
    const Symbol *s = designator_name(actual)->symbol;
    const Meaning *of = s ? meaning_of(l, s) : &l->lost;
    Meaning *meaning = meaning_of(l, formal->symbol);
    if (!is_thing(formal->word) && formal->word != WORD_RANDOM) {
        const Expr *value = lower_designator(l, actual, place);
        if (value->op == EXPR_ENTRY || value->op == EXPR_ENTRY_AT)
            LOWER_ERROR(l, actual,
                        "an entry may move or leave its FILE during the call: "
                        "pass a variable, and assign it afterwards");
        *meaning = (Meaning){
            .kind = MEANS_VALUE, .number = NONE, .value = value, .rate = NONE};
        return;
    }
    const Expr *element;
    of = lower_event(l, actual, place, &element);
    if (of->kind == MEANS_SEVENT || of->kind == MEANS_TEVENT)
        LOWER_ERROR(l, actual,
                    "a formal stands for a whole array of events, not for one "
                    "of its elements");
    Meaning copy = *of;
    copy.value = element;
    copy.rank = 0;
    *meaning_of(l, formal->symbol) = copy;
}

void lower_alias(Lowerer *l, const Node *formal, const Node *actual,
                 Place place)
{
    if (!formal->symbol)
        return;
    if (actual->kind == NODE_NAME && actual->symbol && actual->symbol->node) {
        Meaning copy = *meaning_of(l, actual->symbol);
        *meaning_of(l, formal->symbol) = copy;
        return;
    }
    alias_element(l, formal, actual, place);
}

static const Expr *settle_index(Lowerer *l, const Node *formal,
                                const Node *actual, Code *code, const Expr *e)
{
    if (e->op == EXPR_INTEGER)
        return e;
    uint32_t kept =
        lower_lasting(l, EXPR_TYPE_INTEGER,
                      model_format(l->m, "%s.AT", formal->text), actual);
    const Expr *place = expr_variable(l->m, kept, NULL, 0);
    assign(l, actual, code, place, e);
    return place;
}

/* The element that a VAR formal stands for is determined once, at the call. */
static void settle_indices(Lowerer *l, const Node *formal, const Node *actual,
                           Code *code)
{
    Meaning *meaning = meaning_of(l, formal->symbol);
    const Expr *e = meaning->value, *index[2];
    if (!e)
        return;
    if (meaning->kind != MEANS_VALUE) { // of a thing: its element
        meaning->value = settle_index(l, formal, actual, code, e);
        return;
    }
    if (e->op != EXPR_VARIABLE)
        return;
    for (uint32_t k = 0; k < e->count && k < 2; k++)
        index[k] = settle_index(l, formal, actual, code, e->arg[k]);
    meaning->value = expr_variable(l->m, e->which, index, e->count);
}

static void bind(Lowerer *l, const Node *formals, const Node *formal,
                 const Node *actual, bool before, Code *code, Place place)
{
    if (formal_is_alias(formals, formal, before)) {
        lower_alias(l, formal, actual, place);
        if (formal->word == WORD_FILE)
            lower_alias_record(l, formal, actual);
        settle_indices(l, formal, actual, code);
        return;
    }
    const Expr *value = lower_in_code(l, actual, place);
    uint32_t variable = placed_variable(l, formal);
    assign(l, actual, code, expr_variable(l->m, variable, NULL, 0), value);
}

/* ---- Locals ----------------------------------------------------------------------------- */

static void place_locals(Lowerer *l, const Node *list, Code *code)
{
    lower_local_values(l, list);
    for (const Node *part = list->first; part; part = part->next) {
        if (part->kind != NODE_VAR_PART)
            continue;
        for (const Node *k = part->first->first; k; k = k->next) {
            if (k->kind == NODE_FILE_DECL && k->symbol &&
                k->symbol->kind == SYMBOL_FORMAL)
                continue; // a formal, declared again
            if (k->kind != NODE_VARIABLE || !k->symbol) {
                LOWER_ERROR(l, k,
                            "a PROCEDURE that is carried out by transactions "
                            "declares variables only: declare this in the "
                            "process or the program");
                continue;
            }
            uint32_t v = placed_variable(l, k);
            if (k->symbol->own && model_variable(l->m, v)->rank == 0)
                clear(l, k, code, v);
        }
    }
}

/* ---- Calls ------------------------------------------------------------------------------- */

static bool may_call(Lowerer *l, const Node *call, const Symbol *procedure)
{
    const Node *process = process_of(procedure);
    bool copied = process && process->kind == NODE_CONTINUOUS_PROCESS;
    bool own = process && (copied || uses_own(procedure->body->last));
    if (own && !l->pool && l->process == NONE) {
        LOWER_ERROR(l, call,
                    "`%s` works on what each %s of `%s` has for itself, and a "
                    "FUNCTION does not know which one calls it: call it in a "
                    "PROCEDURE",
                    procedure->shown, copied ? "copy" : "transaction",
                    process->text);
        return false;
    }
    if (l->process != NONE || !needs_transaction(procedure->body->last))
        return true;
    LOWER_ERROR(l, call,
                "`%s` holds up or asks about the transaction that runs it, so "
                "only a DISCRETE PROCESS can call it",
                procedure->shown);
    return false;
}

static bool removes(const Node *n)
{
    if (n->kind == NODE_REMOVE)
        return true;
    for (const Node *k = n->first; k; k = k->next)
        if (removes(k))
            return true;
    return false;
}

/* A PROCEDURE is a separate body: what it removes is current to its end. */
static void lower_removing(Lowerer *l, const Node *call, const Node *body,
                           Code *code, Place place)
{
    Statement *s = code_add(l->m, code, STATEMENT_PLACED, call->at,
                            lower_line(l, call->at, call->origin));
    s->which = l->placed_depth++;
    s->flags = node_waits(body);
    s->row = NONE;
    lower_code(l, body, &s->body, place);
    l->placed_depth--;
}

void lower_placed(Lowerer *l, const Node *call, const Symbol *procedure,
                  Code *code, Place place)
{
    const Node *body = procedure->body, *formals = body->first;
    uint32_t k = 0;
    if (!may_call(l, call, procedure))
        return;
    for (int side = 0; side < 2; side++)
        for (const Node *f = side ? formals->last->first
                                  : formals->first->first;
             f; f = f->next) {
            const Node *actual = call_actual(call, k++);
            if (actual)
                bind(l, formals, f, actual, side == 0, code, place);
        }
    const Opened *opened = l->opened; // opened by the caller and not visible
                                      // here
    bool *removed = l->removed;
    l->removed = MODEL_ARRAY(l->m, bool, model_records(l->m) + 1);
    l->opened = NULL;
    place_locals(l, node_child(body, 1), code);
    if (removes(body->last))
        lower_removing(l, call, body->last, code, place);
    else
        lower_code(l, body->last, code, place);
    l->opened = opened;
    l->removed = removed;
}

bool lower_is_fresh(const Lowerer *l, uint32_t record)
{
    return l->removed && record != NONE && !l->removed[record];
}
