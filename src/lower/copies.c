#include "lower/lowerer.h"

/* What refers to copies of CONTINUOUS PROCESSes: P[n].X and FILE.n.X, SUM, COUNT
   and EXISTS, and the statements that make copies come and go. */

/* ---- Values of a copy ---------------------------------------------------------- */

const Expr *lower_copied(Lowerer *l, const Node *n, uint32_t variable,
                         const Expr *position, Place place)
{
    const Expr *index[3] = {position};
    uint32_t count = 1;
    if (variable == NONE || !position) {
        LOWER_ERROR(l, n,
                    "this belongs to a copy: outside its CONTINUOUS PROCESS "
                    "say which one, as in P[n].X");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    const Variable *v = model_variable(l->m, variable);
    if (n->kind == NODE_INDEX && v->rank == 2)
        count += lower_indices(l, n, place, v->name, v->low + 1, v->high + 1,
                               index + 1);
    if (count != model_variable(l->m, variable)->rank) {
        LOWER_ERROR(l, n, "one index selects an element of `%s`",
                    model_variable(l->m, variable)->name);
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    lower_mark_read(l, variable, place);
    return expr_variable(l->m, variable, index, count);
}

const Expr *lower_here(Lowerer *l, uint32_t variable)
{
    bool pooled = model_variable(l->m, variable)->pool != 0;
    return expr_variable(l->m, variable, &l->here, pooled);
}

/* ---- Which copy ---------------------------------------------------------------- */

/* The copy with that number. Its number, read from a copy, says where it is. */
static const Expr *position_of(Lowerer *l, const Node *n, uint32_t pool,
                               Place place)
{
    const Expr *number =
        lower_fit(l,
                  place == IN_EQUATION ? lower_expression(l, n, place)
                                       : lower_in_code(l, n, place),
                  EXPR_TYPE_INTEGER);
    if (number->op == EXPR_VARIABLE &&
        number->which == model_pool(l->m, pool)->number)
        return number->arg[0];
    if (place == IN_EQUATION && (number->reads & READS_CONTINUOUS)) {
        LOWER_ERROR(l, n,
                    "the number of a copy may change only at events, but this "
                    "changes between them: put it into an INTEGER at an event");
        return expr_integer(l->m, 0);
    }
    return expr_make(l->m, EXPR_FOUND, EXPR_TYPE_INTEGER, pool, &number, 1);
}

/* The Pool of P[n] and FILE.n, NONE for anything else; *number is n. */
static uint32_t pool_named(Lowerer *l, const Node *n, const Node **number)
{
    if ((n->kind != NODE_INDEX && n->kind != NODE_SELECT) ||
        n->first->kind != NODE_NAME || !n->first->symbol)
        return NONE;
    const Meaning *meaning = meaning_of(l, n->first->symbol);
    *number = n->kind == NODE_INDEX ? n->last->first : n->last;
    if (meaning->kind == MEANS_POOL)
        return meaning->number;
    if (meaning->kind == MEANS_FILE)
        return model_file(l->m, meaning->number)->pool - 1; // NONE if 0
    return NONE;
}

const Expr *lower_copy_position(Lowerer *l, const Node *n, Place place,
                                uint32_t *pool)
{
    const Node *number = NULL;
    *pool = pool_named(l, n, &number);
    return *pool == NONE ? NULL : position_of(l, number, *pool, place);
}

const Expr *lower_copy_value(Lowerer *l, const Node *n, Place place)
{
    const Node *selection = n->kind == NODE_INDEX ? n->first : n, *number;
    uint32_t pool = selection->kind == NODE_SELECT
                        ? pool_named(l, selection->first, &number)
                        : NONE;
    const Symbol *s = selection->last->symbol;
    if (pool == NONE)
        return NULL;
    if (place == IN_EXPERIMENT) {
        LOWER_ERROR(l, n,
                    "copies are there only during a run: put what is needed "
                    "here into a variable in TERMINAL");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    uint32_t rate, variable = s ? lower_designated(l, selection->last) : NONE;
    if (variable == NONE)
        return lower_nothing(l, EXPR_TYPE_REAL);
    if (model_variable(l->m, variable)->kind == VARIABLE_ATTRIBUTE)
        variable = pool_variable(l, pool, variable, &rate);
    return lower_copied(l, n, variable, position_of(l, number, pool, place),
                        place);
}

/* The STATE "X'" of a pooled STATE that a selection names, or NONE. */
static uint32_t rate_named(Lowerer *l, const Node *selection, const Expr *value)
{
    const Meaning *meaning = meaning_of(l, selection->last->symbol);
    uint32_t rate;
    if (meaning->kind != MEANS_VARIABLE)
        return NONE;
    if (model_variable(l->m, meaning->number)->kind != VARIABLE_ATTRIBUTE)
        return meaning->rate;
    pool_variable(l, model_variable(l->m, value->which)->pool - 1,
                  meaning->number, &rate);
    return rate;
}

const Expr *lower_copy_rate(Lowerer *l, const Node *n, Place place)
{
    const Node *of = n->first;
    const Node *selection = of->kind == NODE_INDEX ? of->first : of;
    if (selection->kind != NODE_SELECT)
        return NULL;
    const Expr *x = lower_copy_value(l, of, place);
    if (!x || x->op != EXPR_VARIABLE || !selection->last->symbol)
        return x;
    uint32_t rate = rate_named(l, selection, x);
    if (n->integer == 2)
        return expr_rate(l->m, rate, x->arg, x->count);
    return rate != NONE ? expr_variable(l->m, rate, x->arg, x->count)
                        : expr_rate(l->m, x->which, x->arg, x->count);
}

/* ---- Events of a copy ---------------------------------------------------------- */

static const Symbol *event_symbol(const Node *n)
{
    const Node *of = n->kind == NODE_INDEX ? n->first : n;
    return of->kind == NODE_SELECT ? of->last->symbol
                                   : designator_name(of)->symbol;
}

/* Where the copy is whose event a designator names: P[n].E, or E inside WITH P[n]
   or in the process itself; *pool NONE: no event of copies. */
static const Expr *copy_of_event(Lowerer *l, const Node *n, Place place,
                                 uint32_t *pool)
{
    const Node *of = n->kind == NODE_INDEX ? n->first : n;
    *pool = NONE;
    if (of->kind == NODE_SELECT)
        return lower_copy_position(l, of->first, place, pool);
    const Symbol *s = event_symbol(n);
    for (const Opened *o = s ? l->opened : NULL; o; o = o->around) {
        *pool = model_file(l->m, o->file)->pool - 1; // NONE if 0
        if (*pool != NONE && pool_event_of(l, *pool, s))
            return o->at;
    }
    *pool = l->pool - 1; // NONE if 0
    return l->here;
}

const Meaning *lower_time_event(Lowerer *l, const Node *n, Place place,
                                const Expr **element, const Expr **number)
{
    uint32_t pool;
    const Symbol *s = event_symbol(n);
    const Expr *at = copy_of_event(l, n, place, &pool);
    const Meaning *event = pool != NONE && s ? pool_event_of(l, pool, s) : NULL;
    *number = NULL;
    if (!event)
        event = s ? pool_event(l, s) : &l->lost;
    if (event->kind != MEANS_TEVENT) {
        if (event->kind != MEANS_REFUSED && event != &l->lost)
            LOWER_ERROR(l, n,
                        "this is an event of a copy: outside its CONTINUOUS "
                        "PROCESS say of which one, as in P[n].E");
        return NULL;
    }
    *element = lower_event_element(l, n, s->shown, event, place);
    uint32_t of = model_time_event(l->m, event->number)->pool;
    if (of)
        *number = expr_variable(l->m, model_pool(l->m, of - 1)->number, &at, 1);
    return event;
}

/* ---- Over copies --------------------------------------------------------------- */

static uint32_t pool_of(Lowerer *l, const Node *name)
{
    const Symbol *s = name->symbol;
    return s && meaning_of(l, s)->kind == MEANS_POOL ? meaning_of(l, s)->number
                                                     : NONE;
}

/* The variable of a loop over copies is the number of the present one. */
static void mean_number(Lowerer *l, const Symbol *s, uint32_t pool,
                        const Expr *position)
{
    Meaning *meaning = meaning_of(l, s);
    meaning->kind = MEANS_VALUE;
    meaning->value =
        expr_variable(l->m, model_pool(l->m, pool)->number, &position, 1);
}

const Expr *lower_gather(Lowerer *l, const Node *call, ExprOp op, Place place)
{
    Model *m = l->m;
    const Node *n = call_actual(call, 0);
    uint32_t pool = pool_of(l, node_child(n, 1));
    if (pool == NONE || !n->first->symbol)
        return lower_nothing(l, EXPR_TYPE_REAL);
    if (place == IN_EXPERIMENT || place == IN_VALUE) {
        LOWER_ERROR(l, n, "copies are there only during a run");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    if (place == IN_EQUATION && (op == EXPR_LEAST || op == EXPR_MOST)) {
        LOWER_ERROR(l, n,
                    "MIN and MAX over copies have a value in procedural code "
                    "only: as copies come and go, an equation would jump");
        return lower_nothing(l, EXPR_TYPE_REAL);
    }
    Loop loop = *model_loop(m, model_pool(m, pool)->self);
    loop.name = n->first->text;
    loop.bound = true;
    loop.line = lower_line(l, n->at, n->origin);
    uint32_t k = model_add_loop(m, &loop);
    mean_number(l, n->first->symbol, pool, expr_loop(m, k));
    l->series++;
    const Expr *arg[4] = {expr_integer(m, 0), expr_integer(m, POOL_SIDE - 1),
                          expr_truth(m, false),
                          lower_expression(l, n->last, place)};
    l->series--;
    return expr_make(m, op, EXPR_TYPE_REAL, k, arg, 4);
}

const Expr *lower_copies(Lowerer *l, const Node *call, const char *name,
                         Place place)
{
    Model *m = l->m;
    const Node *actual = call_actual(call, 0);
    bool count = name_same(name, "COUNT");
    if (!count && !name_same(name, "EXISTS"))
        return NULL;
    if (actual->kind == NODE_ACTUAL)
        actual = actual->first;
    if (place == IN_EXPERIMENT || place == IN_VALUE) {
        LOWER_ERROR(l, actual, "copies are there only during a run");
        return lower_nothing(l, count ? EXPR_TYPE_INTEGER : EXPR_TYPE_BOOLEAN);
    }
    if (count)
        return expr_make(m, EXPR_COPIES, EXPR_TYPE_INTEGER, pool_of(l, actual),
                         NULL, 0);
    const Node *number = NULL;
    uint32_t pool = pool_named(l, actual, &number);
    if (pool == NONE)
        return lower_nothing(l, EXPR_TYPE_BOOLEAN);
    const Expr *e =
        lower_fit(l,
                  place == IN_EQUATION ? lower_expression(l, number, place)
                                       : lower_in_code(l, number, place),
                  EXPR_TYPE_INTEGER);
    return expr_make(m, EXPR_EXISTS, EXPR_TYPE_BOOLEAN, pool, &e, 1);
}

/* ---- Statements ---------------------------------------------------------------- */

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind,
                      uint32_t pool)
{
    Statement *s =
        code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
    s->which = pool;
    s->row = lower_row(l, n, NONE, true);
    return s;
}

static bool in_run(Lowerer *l, const Node *n, Place place)
{
    if (place == IN_CODE)
        return true;
    LOWER_ERROR(l, n,
                "copies come and go during a run: in INITIAL, at events "
                "and in processes");
    return false;
}

/* The variable that WHERE sets in the new copy, or NONE. */
static uint32_t set_there(Lowerer *l, uint32_t pool, const Node *name)
{
    uint32_t rate, variable = lower_designated(l, name);
    if (variable == NONE)
        return NONE;
    if (model_variable(l->m, variable)->kind == VARIABLE_ATTRIBUTE)
        variable = pool_variable(l, pool, variable, &rate);
    if (variable == NONE || model_variable(l->m, variable)->pool != pool + 1)
        return NONE;
    if (variable == model_pool(l->m, pool)->number)
        LOWER_ERROR(l, name,
                    "`%s`, the first attribute, is the number of the copy, "
                    "which the system gives: CREATE %s[n] asks for number n",
                    name->text, model_pool(l->m, pool)->name);
    else if (model_variable(l->m, variable)->rank == 2)
        LOWER_ERROR(l, name,
                    "`%s` is an array: give its elements their values in "
                    "INITIAL of the process",
                    name->text);
    else
        return variable;
    return NONE;
}

static void lower_there(Lowerer *l, const Node *where, Statement *s,
                        Place place)
{
    uint32_t count = node_count(where->first), k = 0;
    uint32_t *names = MODEL_ARRAY(l->m, uint32_t, count + 1);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, count + 1);
    for (const Node *a = where->first->first; names && list && a; a = a->next) {
        uint32_t variable = set_there(l, s->which, a->first);
        if (variable == NONE)
            continue;
        ExprType type = model_variable(l->m, variable)->type;
        names[k] = variable;
        list[k++] = lower_passed(
            l, lower_fit(l, lower_in_code(l, a->last, place), type));
    }
    s->names = names;
    s->list = list;
    s->n = k;
}

static bool receives(const Symbol *s)
{
    return s && s->kind != SYMBOL_CONST && s->kind != SYMBOL_LOOP;
}

static void lower_create(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Node *which = n->first;
    uint32_t pool = pool_of(l, designator_name(which));
    if (pool == NONE || !in_run(l, n, place))
        return;
    const Expr *number = NULL, *target = NULL;
    if (which->kind == NODE_INDEX) {
        const Node *index = which->last->first;
        if (index->kind == NODE_NAME && receives(index->symbol))
            target = lower_target(l, index, place);
        else
            number =
                lower_fit(l, lower_in_code(l, index, place), EXPR_TYPE_INTEGER);
    }
    Statement *s = add(l, n, code, STATEMENT_CREATE, pool);
    s->a = number;
    s->target = target;
    if (!node_absent(n->last))
        lower_there(l, n->last, s, place);
}

static uint32_t change_of(Word word)
{
    switch (word) {
    case WORD_SUSPEND: return COPY_SUSPEND;
    case WORD_RESUME: return COPY_RESUME;
    default: return COPY_DELETE;
    }
}

static void lower_change(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Node *number = NULL;
    uint32_t pool = pool_named(l, n->first, &number);
    if (pool == NONE) {
        LOWER_ERROR(l, n->first,
                    "%s needs a copy of a CONTINUOUS PROCESS, as in P[3]",
                    word_text(n->word));
        return;
    }
    if (!in_run(l, n, place))
        return;
    const Expr *value = lower_in_code(l, number, place);
    Statement *s = add(l, n, code, STATEMENT_COPY, pool);
    s->a = lower_fit(l, value, EXPR_TYPE_INTEGER);
    s->flags = change_of(n->word);
}

/* A hidden INTEGER for the position of the present copy. */
static uint32_t new_counter(Lowerer *l, const Node *n)
{
    uint32_t k = lower_hidden(l, VARIABLE_COUNTER, EXPR_TYPE_INTEGER,
                              lower_hidden_name(l, n->text, n), n);
    model_variable(l->m, k)->routine = l->routine;
    return k;
}

static void lower_each(Lowerer *l, const Node *n, Code *code, Place place)
{
    uint32_t pool = pool_of(l, n->first);
    if (pool == NONE || !in_run(l, n, place))
        return;
    if (l->process != NONE && node_waits(n->last)) {
        LOWER_ERROR(l, n,
                    "a transaction may not wait inside FOR ... IN: copies come "
                    "and go meanwhile. Put the numbers into an ARRAY first, or "
                    "count with WHILE and ask EXISTS");
        return;
    }
    uint32_t *pools = MODEL_ARRAY(l->m, uint32_t, 1);
    if (!pools)
        return;
    *pools = pool;
    uint32_t counter = new_counter(l, n);
    Statement *s = add(l, n, code, STATEMENT_EACH, counter);
    s->names = pools;
    mean_number(l, n->symbol, pool, expr_variable(l->m, counter, NULL, 0));
    lower_code(l, n->last, &s->body, place);
}

bool lower_copy_statement(Lowerer *l, const Node *n, Code *code, Place place)
{
    switch (n->kind) {
    case NODE_CREATE: lower_create(l, n, code, place); return true;
    case NODE_COPY: lower_change(l, n, code, place); return true;
    case NODE_EACH: lower_each(l, n, code, place); return true;
    default: return false;
    }
}

/* ---- WITH ---------------------------------------------------------------------- */

/* The number is kept, since the body may change what it was read from, and a
   transaction may wait in it. */
void lower_with_copy(Lowerer *l, const Node *n, uint32_t file, Code *code,
                     Place place)
{
    uint32_t pool;
    const Expr *at = lower_copy_position(l, n->first, place, &pool);
    if (!at || !in_run(l, n, place))
        return;
    if (at->op == EXPR_FOUND) {
        uint32_t k = lower_lasting(l, EXPR_TYPE_INTEGER,
                                   lower_hidden_name(l, "WITH", n), n);
        const Expr *kept = expr_variable(l->m, k, NULL, 0);
        Statement *s = add(l, n->first, code, STATEMENT_ASSIGN, 0);
        s->target = kept;
        s->a = at->arg[0];
        at = expr_make(l->m, EXPR_FOUND, EXPR_TYPE_INTEGER, pool, &kept, 1);
    }
    Opened here = {.record = model_file(l->m, file)->record,
                   .file = file,
                   .at = at,
                   .around = l->opened};
    l->opened = &here;
    lower_code(l, n->last, code, place);
    l->opened = here.around;
}

bool lower_with_own(Lowerer *l, const Node *n)
{
    uint32_t pool;
    const Expr *at = lower_copy_position(l, n->first, IN_EQUATION, &pool);
    if (at && at == l->here)
        return true;
    LOWER_ERROR(l, n,
                "equations are those of their own copy: WITH in CONTINUOUS "
                "opens the entry of the copy itself, or is left out");
    return false;
}
