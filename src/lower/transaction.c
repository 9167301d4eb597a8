#include "lower/lowerer.h"

/* Statements of transactions: what section 8 adds to other procedural code. */

static Statement *add(Lowerer *l, const Node *n, Code *code, StatementKind kind)
{
    Statement *s =
        code_add(l->m, code, kind, n->at, lower_line(l, n->at, n->origin));
    s->row = lower_row(l, n, NONE, true);
    return s;
}

static const Expr *value_of(Lowerer *l, const Node *n, ExprType type,
                            Place place)
{
    return node_absent(n) ? NULL
                          : lower_fit(l, lower_in_code(l, n, place), type);
}

/* ---- Points ---------------------------------------------------------------------- */

static void new_point(Lowerer *l, Statement *s)
{
    s->point = model_add_point(l->m, l->process, s->line, s->row);
}

/* Checks that what only a transaction can do stands in a process, or in a
   PROCEDURE inlined there. */
static bool has_transaction(Lowerer *l, const Node *n, const char *what)
{
    if (l->process != NONE)
        return true;
    LOWER_ERROR(l, n,
                "%s belongs to a transaction: only a DISCRETE PROCESS "
                "and PROCEDUREs that it calls can do it",
                what);
    return false;
}

const Expr *lower_of_transaction(Lowerer *l, const Node *n, SystemValue value)
{
    static const ExprType type[SYSTEM_VALUES] = {
        [SYSTEM_GENTIM] = EXPR_TYPE_REAL,
        [SYSTEM_TRANSNBR] = EXPR_TYPE_INTEGER,
        [SYSTEM_PRIORNBR] = EXPR_TYPE_REAL,
        [SYSTEM_BLOCKNBR] = EXPR_TYPE_INTEGER,
        [SYSTEM_TIMEDOUT] = EXPR_TYPE_BOOLEAN};
    if (l->process != NONE)
        return expr_system(l->m, value);
    LOWER_ERROR(l, n,
                "`%s` belongs to the transaction that is running, but there is "
                "none here: it has a value in the body of a DISCRETE PROCESS",
                lower_text(l, n));
    return lower_nothing(l, type[value]);
}

const Expr *lower_kept(Lowerer *l, uint32_t attribute)
{
    static const SystemValue value[] = {[ROLE_GENTIM] = SYSTEM_GENTIM,
                                        [ROLE_TRANSNBR] = SYSTEM_TRANSNBR,
                                        [ROLE_PRIORNBR] = SYSTEM_PRIORNBR,
                                        [ROLE_BLOCKNBR] = SYSTEM_BLOCKNBR};
    const Variable *v = model_variable(l->m, attribute);
    if (l->process == NONE || v->role == ROLE_NONE)
        return NULL;
    uint32_t file = model_process(l->m, l->process)->file;
    if (model_file(l->m, file)->record != v->record)
        return NULL;
    return v->role == ROLE_PRIORNBR
               ? expr_make(l->m, EXPR_SYSTEM, v->type, SYSTEM_PRIORNBR, NULL, 0)
               : expr_system(l->m, value[v->role]);
}

/* ---- Coming and going ------------------------------------------------------------ */

/* Attributes and own variables of the new transaction. */
static void lower_where_own(Lowerer *l, const Node *where, Statement *s,
                            Place place)
{
    if (node_absent(where))
        return;
    uint32_t count = node_count(where->first), k = 0;
    uint32_t *names = MODEL_ARRAY(l->m, uint32_t, count + 1);
    const Expr **list = MODEL_ARRAY(l->m, const Expr *, count + 1);
    for (const Node *a = where->first->first; names && list && a; a = a->next) {
        uint32_t variable = lower_designated(l, a->first);
        if (variable == NONE)
            continue;
        const Variable *v = model_variable(l->m, variable);
        ExprType type = v->type;
        if (v->role != ROLE_NONE)
            LOWER_ERROR(l, a->first, "the system sets `%s`%s", v->name,
                        v->role == ROLE_PRIORNBR ? ": say PRIORITY" : "");
        names[k] = variable;
        list[k++] = lower_passed(l, value_of(l, a->last, type, place));
    }
    s->names = names;
    s->list = list;
    s->n = k;
}

static void lower_generate(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Symbol *process = node_child(n, 1)->symbol;
    const Meaning *meaning = process ? meaning_of(l, process) : &l->lost;
    if (meaning->kind != MEANS_PROCESS) {
        if (process && meaning->kind != MEANS_REFUSED)
            LOWER_ERROR(l, node_child(n, 1),
                        "`%s` does not take part: list it after PROCESSES",
                        process->shown);
        return;
    }
    uint32_t which = meaning->number;
    const Expr *target = n->first->kind == NODE_NONE
                             ? NULL
                             : lower_designator(l, n->first, place);
    const Expr *time = value_of(l, node_child(n, 2), EXPR_TYPE_REAL, place);
    const Expr *priority = value_of(l, node_child(n, 3), EXPR_TYPE_REAL, place);
    Statement *s = add(l, n, code, STATEMENT_GENERATE);
    s->which = which;
    s->target = target;
    s->b = time;
    s->c = priority;
    lower_where_own(l, n->last, s, place);
}

static void lower_advance(Lowerer *l, const Node *n, Code *code, Place place)
{
    if (!has_transaction(l, n, "ADVANCE"))
        return;
    const Expr *delay = value_of(l, n->first, EXPR_TYPE_REAL, place);
    Statement *s = add(l, n, code, STATEMENT_ADVANCE);
    s->a = delay;
    new_point(l, s);
}

/* The number of a transaction: an INTEGER, or P[n], F.n. */
static const Expr *lower_number(Lowerer *l, const Node *n, Place place,
                                uint32_t *process)
{
    const Symbol *s = designator_name(n)->symbol;
    const Meaning *meaning = s ? meaning_of(l, s) : &l->lost;
    const Node *number = n;
    *process = NONE;
    if (meaning->kind == MEANS_PROCESS && n->kind == NODE_INDEX) {
        *process = meaning->number;
        number = n->last->first;
    } else if (n->kind == NODE_SELECT && (meaning->kind == MEANS_PROCESS ||
                                          meaning->kind == MEANS_FILE)) {
        *process = meaning->kind == MEANS_PROCESS
                       ? meaning->number
                       : model_file(l->m, meaning->number)->process;
        number = n->last;
        if (*process == NONE)
            LOWER_ERROR(l, n,
                        "the entries of FILE `%s` are not transactions: no "
                        "PROCESS uses it",
                        s->shown);
    }
    return value_of(l, number, EXPR_TYPE_INTEGER, place);
}

static void lower_other(Lowerer *l, const Node *n, Code *code, Place place)
{
    uint32_t process;
    if (l->routine != NONE) {
        LOWER_ERROR(l, n,
                    "a FUNCTION computes a value: %s belongs in a PROCEDURE",
                    word_text(n->word));
        return;
    }
    const Expr *number = lower_number(l, n->first, place, &process);
    Statement *s = add(l, n, code,
                       n->word == WORD_TERMINATE ? STATEMENT_TERMINATE
                                                 : STATEMENT_INTERRUPT);
    s->a = number;
    s->which = process;
}

/* ---- Families -------------------------------------------------------------------- */

static void lower_split(Lowerer *l, const Node *n, Code *code, Place place)
{
    if (!has_transaction(l, n, "SPLIT"))
        return;
    const Expr *copies = value_of(l, n->first, EXPR_TYPE_INTEGER, place);
    Statement *s = add(l, n, code, STATEMENT_SPLIT);
    s->a = copies;
    s->which = l->process;
    lower_where_own(l, n->last, s, place);
    new_point(l, s);
}

static void lower_join(Lowerer *l, const Node *n, Code *code, Place place)
{
    if (!has_transaction(l, n, "JOIN"))
        return;
    const Expr *count = value_of(l, n->first, EXPR_TYPE_INTEGER, place);
    const char *name = lower_hidden_name(l, "JOIN", n);
    Statement *s = add(l, n, code, STATEMENT_JOIN);
    Resource r = lower_new_resource(l, name, RESOURCE_JOIN, s->line);
    r.row = s->row;
    s->a = count;
    s->which = model_add_resource(l->m, &r);
    new_point(l, s);
}

/* ---- Resources --------------------------------------------------------------------- */

static Statement *resource_statement(Lowerer *l, const Node *n, Code *code,
                                     StatementKind kind, Place place)
{
    const Expr *element;
    uint32_t which = lower_resource_at(l, n->first, place, &element);
    if (which == NONE)
        return NULL;
    Statement *s = add(l, n, code, kind);
    s->which = which;
    s->a = element;
    return s;
}

/* TIMEOUT, or NULL. */
static const Expr *timeout_of(Lowerer *l, const Node *n, Place place)
{
    const Expr *timeout = value_of(l, n->last, EXPR_TYPE_REAL, place);
    return timeout ? lower_assigned(l, timeout) : NULL;
}

static void lower_seize(Lowerer *l, const Node *n, Code *code, Place place)
{
    bool preempts = n->word == WORD_PREEMPT;
    if (!has_transaction(l, n, preempts ? "PREEMPT" : "SEIZE"))
        return;
    const Expr *rank = value_of(l, node_child(n, 1), EXPR_TYPE_REAL, place);
    const Expr *timeout = timeout_of(l, n, place);
    Statement *s = resource_statement(
        l, n, code, preempts ? STATEMENT_PREEMPT : STATEMENT_SEIZE, place);
    if (!s)
        return;
    s->b = rank;
    s->c = timeout;
    s->flags = (n->flags & FLAG_RESTART) != 0;
    new_point(l, s);
}

static void lower_seize_any(Lowerer *l, const Node *n, Code *code, Place place)
{
    bool random = (n->flags & FLAG_RANDOMLY) != 0;
    if (!has_transaction(l, n, "SEIZE"))
        return;
    const Expr *index = lower_target(l, n->first, place);
    uint32_t which = lower_any_of(l, node_child(n, 1), random);
    const Expr *rank = value_of(l, node_child(n, 2), EXPR_TYPE_REAL, place);
    const Expr *timeout = timeout_of(l, n, place);
    if (which == NONE)
        return;
    Statement *s = add(l, n, code, STATEMENT_SEIZE_ANY);
    s->which = which;
    s->target = index;
    s->b = rank;
    s->c = timeout;
    s->flags = random                      ? ANY_RANDOM
               : (n->flags & FLAG_LONGEST) ? ANY_LONGEST_IDLE
                                           : ANY_FIRST;
    new_point(l, s);
}

bool lower_service(Lowerer *l, const Node *n, const char *name, Code *code,
                   Place place)
{
    bool down = name_same(name, "DOWN");
    const Expr *element;
    if (!down && !name_same(name, "UP"))
        return false;
    uint32_t which = lower_resource_at(l, call_actual(n, 0), place, &element);
    if (which == NONE)
        return true;
    Statement *s = add(l, n, code, down ? STATEMENT_DOWN : STATEMENT_UP);
    s->which = which;
    s->a = element;
    s->flags = (n->last->first->flags & FLAG_PREEMPT) != 0;
    return true;
}

void lower_resize(Lowerer *l, const Node *n, Code *code, Place place)
{
    const Expr *element;
    uint32_t which =
        lower_resource_at(l, call_actual(n->first, 0), place, &element);
    const Expr *value = value_of(l, n->last, EXPR_TYPE_INTEGER, place);
    if (which == NONE)
        return;
    model_resource(l->m, which)->resized = true;
    Statement *s = add(l, n, code, STATEMENT_RESIZE);
    s->which = which;
    s->a = element;
    s->b = value;
}

static void lower_storage_use(Lowerer *l, const Node *n, Code *code,
                              Place place)
{
    bool enters = n->word == WORD_ENTER;
    if (!has_transaction(l, n, enters ? "ENTER" : "LEAVE"))
        return;
    const Expr *units = value_of(l, node_child(n, 1), EXPR_TYPE_INTEGER, place);
    const Expr *timeout = enters ? timeout_of(l, n, place) : NULL;
    Statement *s = resource_statement(
        l, n, code, enters ? STATEMENT_ENTER : STATEMENT_LEAVE, place);
    if (!s)
        return;
    s->b = units;
    s->c = timeout;
    if (enters)
        new_point(l, s);
}

static void lower_resource_use(Lowerer *l, const Node *n, Code *code,
                               Place place)
{
    static const struct {
        Word word;
        StatementKind kind;
        bool own, waits;
    } table[] = {{WORD_RELEASE, STATEMENT_RELEASE, true, false},
                 {WORD_OPEN, STATEMENT_OPEN, false, false},
                 {WORD_CLOSE, STATEMENT_CLOSE, false, false},
                 {WORD_PASS, STATEMENT_PASS, true, true},
                 {WORD_SENDSIG, STATEMENT_SENDSIG, false, false},
                 {WORD_WAITSIG, STATEMENT_WAITSIG, true, true}};
    for (size_t k = 0; k < LENGTH(table); k++) {
        if (table[k].word != n->word)
            continue;
        if (table[k].own && !has_transaction(l, n, word_text(n->word)))
            return;
        const Expr *timeout = table[k].waits ? timeout_of(l, n, place) : NULL;
        Statement *s = resource_statement(l, n, code, table[k].kind, place);
        if (s && table[k].waits) {
            s->c = timeout;
            new_point(l, s);
        }
    }
}

/* ---- WAIT UNTIL ----------------------------------------------------------------------- */

typedef struct Relations {
    Lowerer *l;
    const Node *n;
    const Expr **list;
    uint32_t count, room;
    bool draws;
    bool decides; // a FUNCTION depends on something that moves by itself
} Relations;

static bool is_relation(const Expr *e)
{
    return e->op == EXPR_LT || e->op == EXPR_LE || e->op == EXPR_GT ||
           e->op == EXPR_GE || e->op == EXPR_EQ || e->op == EXPR_NE;
}

/* Finds relations that may change as time passes. Those over the index of a
   series are part of the expression around it. */
static bool find_relation(void *user, const Expr *e)
{
    Relations *r = user;
    r->draws = r->draws || e->op == EXPR_DRAW;
    r->decides =
        r->decides || (e->op == EXPR_CALL && e->type == EXPR_TYPE_BOOLEAN &&
                       (e->reads & READS_CONTINUOUS));
    if (!is_relation(e) || !(e->reads & READS_CONTINUOUS) ||
        (e->reads & READS_LOOP) || e->arg[0]->type == EXPR_TYPE_BOOLEAN)
        return true;
    if (r->count == r->room) {
        uint32_t room = 2 * r->room + 4;
        const Expr **list = MODEL_ARRAY(r->l->m, const Expr *, room);
        for (uint32_t k = 0; list && k < r->count; k++)
            list[k] = r->list[k];
        r->list = list;
        r->room = room;
    }
    if (r->list)
        r->list[r->count++] = e;
    return r->list != NULL;
}

/* True for a value that jumps, depends on jumps, or belongs to a
   transaction. */
static bool is_own(const Model *m, const Expr *e)
{
    if (e->op == EXPR_SYSTEM)
        return e->which >= SYSTEM_GENTIM;
    return e->op == EXPR_ATTRIBUTE ||
           (e->op == EXPR_VARIABLE &&
            model_variable(m, e->which)->kind == VARIABLE_OWN);
}

typedef struct Nature {
    const Model *m;
    bool own, jumps;
    bool extreme; // MIN or MAX over an index, which has no derivative
} Nature;

static bool find_nature(void *user, const Expr *e)
{
    Nature *n = user;
    n->own = n->own || is_own(n->m, e);
    switch (e->op) {
    case EXPR_TRUNC:
    case EXPR_ROUND:
    case EXPR_FLOOR:
    case EXPR_CHOOSE:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_ABS:
    case EXPR_SIGN:
    case EXPR_MOD:
    case EXPR_IDIV:
    case EXPR_TABLE:
        n->jumps = n->jumps || (e->reads & READS_CONTINUOUS);
        break;
    case EXPR_LEAST:
    case EXPR_MOST: n->extreme = true; break;
    default: break;
    }
    return true;
}

/* Sides of hidden relations belong to the program, not to a transaction: a
   function that jumps or bends over a transaction's own value is evaluated as
   it stands. */
static bool is_bent(Lowerer *l, const Expr *z)
{
    Nature nature = {.m = l->m};
    expr_visit(l->m, z, find_nature, &nature);
    return nature.extreme || (nature.own && nature.jumps);
}

static void add_condition(Lowerer *l, const Node *n, const Expr *relation,
                          uint32_t wait, uint32_t number)
{
    Model *m = l->m;
    const Expr *z = expr_2(m, EXPR_SUB, expr_float(m, relation->arg[0]),
                           expr_float(m, relation->arg[1]));
    bool bent = is_bent(l, z);
    if (bent)
        z = expr_1(m, EXPR_NOEVENT, z);
    Condition c = {.kind = CONDITION_WAIT,
                   // a FUNCTION has no derivative
                   .scheme = bent || (z->reads & READS_CALL) ? SCHEME_REGULA
                                                             : SCHEME_CROSSES,
                   .name = model_process(m, l->process)->name,
                   .z = z,
                   .event = wait,
                   .relation = number,
                   .row = model_wait(m, wait)->row,
                   .at = n->at,
                   .line = lower_line(l, n->at, n->origin)};
    model_add_condition(m, &c);
}

static void lower_wait(Lowerer *l, const Node *n, Code *code, Place place)
{
    Relations r = {.l = l, .n = n};
    if (!has_transaction(l, n, "WAIT"))
        return;
    const Expr *holds = lower_in_code(l, n->first, place);
    const Expr *timeout = timeout_of(l, n, place);
    expr_visit(l->m, holds, find_relation, &r);
    if (r.draws)
        LOWER_ERROR(l, n->first,
                    "a condition that is evaluated again and again must not "
                    "draw random numbers: assign the draw to a variable first");
    if (r.decides)
        LOWER_WARNING(l, n->first,
                      "this FUNCTION is evaluated only when something has "
                      "happened; write the relation here, and the moment at "
                      "which it comes true will be found");
    Statement *s = add(l, n, code, STATEMENT_WAIT);
    s->b = timeout;
    new_point(l, s);
    Wait w = {.process = l->process,
              .point = s->point,
              .holds = holds,
              .relation = r.list,
              .relations = r.count,
              .first = model_conditions(l->m),
              .row = s->row,
              .line = s->line};
    s->which = model_add_wait(l->m, &w);
    for (uint32_t k = 0; k < r.count; k++)
        add_condition(l, n->first, r.list[k], s->which, k);
}

/* ---- Loops ------------------------------------------------------------------------------ */

/* A value that is computed once, before the loop, and kept. */
static const Expr *kept_value(Lowerer *l, const Node *n, const char *name,
                              Code *code, Place place)
{
    const Expr *value = value_of(l, n, EXPR_TYPE_INTEGER, place);
    if (!value || value->op == EXPR_INTEGER)
        return value;
    uint32_t k = lower_lasting(l, EXPR_TYPE_INTEGER, name, n);
    Statement *s = add(l, n, code, STATEMENT_ASSIGN);
    s->target = expr_variable(l->m, k, NULL, 0);
    s->a = value;
    return s->target;
}

bool lower_waiting_for(Lowerer *l, const Node *n, Code *code, Place place)
{
    if (l->process == NONE || !node_waits(n->last))
        return false;
    Model *m = l->m;
    const Expr *from = value_of(l, n->first, EXPR_TYPE_INTEGER, place);
    const Expr *to = kept_value(
        l, node_child(n, 1), model_format(m, "%s.LAST", n->text), code, place);
    const Expr *by = kept_value(
        l, node_child(n, 2), model_format(m, "%s.STEP", n->text), code, place);
    Statement *s = add(l, n, code, STATEMENT_FOR);
    s->which = lower_lasting(l, EXPR_TYPE_INTEGER, n->text, n);
    s->a = from;
    s->b = to;
    s->c = by;
    s->target = lower_counts(l, n);
    s->flags = n->word == WORD_DOWNTO;
    s->row = lower_row(l, n, NONE, true);
    Meaning *index = meaning_of(l, n->symbol);
    index->kind = MEANS_VARIABLE;
    index->number = s->which;
    lower_code(l, n->last, &s->body, place);
    return true;
}

/* ---- All statements
   ------------------------------------------------------------------------- */

bool lower_transaction(Lowerer *l, const Node *n, Code *code, Place place)
{
    switch (n->kind) {
    case NODE_GENERATE: lower_generate(l, n, code, place); break;
    case NODE_ADVANCE: lower_advance(l, n, code, place); break;
    case NODE_SEIZE: lower_seize(l, n, code, place); break;
    case NODE_SEIZE_ANY: lower_seize_any(l, n, code, place); break;
    case NODE_RESOURCE: lower_resource_use(l, n, code, place); break;
    case NODE_STORAGE_USE: lower_storage_use(l, n, code, place); break;
    case NODE_WAIT: lower_wait(l, n, code, place); break;
    case NODE_TRANSACTION: lower_other(l, n, code, place); break;
    case NODE_SPLIT: lower_split(l, n, code, place); break;
    case NODE_JOIN: lower_join(l, n, code, place); break;
    default: return false;
    }
    return true;
}
